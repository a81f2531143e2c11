"""filter.py FILE -- shows doxygen the headers as it wants them.

The comment above a declaration is its contract, written as a plain comment; doxygen reads those that
begin with two stars. A comment above a directive or an empty line is about the place, not about what
happens to come next, and stays plain. The first comment of a header is about the file.
"""

import re
import sys


def comment_end(lines, begin):
    """The number of the line that ends the comment which begins in line BEGIN."""
    number = begin
    while number < len(lines) - 1 and "*/" not in lines[number]:
        number += 1
    return number


def is_declared(line):
    """True if a comment above LINE is about what LINE declares."""
    text = line.strip()
    return bool(text) and (text.startswith("#define") or text[0] not in "#/}*")


def with_samples(block):
    """Lines that stand three columns in are samples, or tables in plain text."""
    is_sample = False
    for line in block:
        indented = re.match(r"\s*\*   +\S", line) is not None
        if indented != is_sample:
            yield " * @code{.c}" if indented else " * @endcode"
            is_sample = indented
        yield line


def marked(lines):
    number, is_first = 0, True
    while number < len(lines):
        line = lines[number]
        if re.match(r"\s*/\*( |$)", line) and "---" not in line:
            end = comment_end(lines, number)
            following = lines[end + 1] if end + 1 < len(lines) else ""
            block = lines[number:end + 1]
            if is_first:
                block[0] = "/** @file"
            elif is_declared(following):
                block[0] = block[0].replace("/*", "/**", 1)
            is_first = False
            yield from with_samples(block)
            number = end + 1
            continue
        # Behind a member or a constant.
        yield re.sub(r"([;,{]|\w)(\s+)/\* ", r"\1\2/**< ", line)
        number += 1


with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read().splitlines()
print("\n".join(marked(text) if sys.argv[1].endswith(".h") else text))
