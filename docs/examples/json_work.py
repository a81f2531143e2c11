"""Parse and build JSON: a program with a heap worth looking at.

    PYTHONMALLOC=malloc LD_PRELOAD=.../libthagpreload.so python3 json_work.py [ROUNDS]

Python keeps small objects in pools of its own; PYTHONMALLOC=malloc has it ask the C library for each
one, so that each one is seen.
"""
import json
import sys


def order(number, depth):
    """One order as a shop might send it, with the orders that it follows from inside it."""
    return {
        "number": number,
        "customer": f"customer {number % 97}",
        "prices": [number * step / 7 for step in range(8)],
        "tags": [f"tag {number % step}" for step in range(1, 6)],
        "follows": order(number + 1, depth - 1) if depth else None,
    }


def build(count):
    return json.dumps([order(number, 3) for number in range(count)])


def parse(text):
    return json.loads(text)


def summarise(orders):
    """Numbers of orders by the last digit: lists that grow, dictionaries that are thrown away."""
    by_digit = {}
    for entry in orders:
        by_digit.setdefault(entry["number"] % 10, []).append(entry["number"])
    return {digit: sorted(numbers) for digit, numbers in by_digit.items()}


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    characters = orders = 0
    for _ in range(rounds):
        text = build(300)
        characters += len(text)
        orders += sum(len(numbers) for numbers in summarise(parse(text)).values())
    print(f"{orders} orders in {characters} characters of JSON")


if __name__ == "__main__":
    main()
