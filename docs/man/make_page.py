"""make_page.py PAGE LIST COMMAND -- the man page of one command, cut out of that of the tool.

PAGE is thag_profile.1, which has a section for each command and an entry for each option. LIST says
which options the command takes, as "thag_completions list" prints it. What a page needs and PAGE
does not have is an error: the pages cannot drift from the tool.
"""

import re
import sys


def fail(text):
    sys.exit(f"make_page.py: {text}")


def sections(lines, begin):
    """[(title, lines)] of a list of lines at BEGIN, ".SH " or ".SS "; what is before has title ""."""
    found = [("", [])]
    for line in lines:
        if line.startswith(begin):
            found.append((line[len(begin):], []))
        else:
            found[-1][1].append(line)
    return found


def entries(lines):
    """Lines of one group of options: its introduction, and [(tag, lines)] of the rest."""
    introduction, found = [], []
    for line in lines:
        if line == ".TP":
            found.append([line])
        elif line == ".PP":
            found.append([])  # the end of an entry
        elif found and found[-1]:
            found[-1].append(line)
        elif not found:
            introduction.append(line)
    return introduction, [(entry[1], entry) for entry in found if len(entry) > 1]


def read_command(path, name):
    """Operands, summary and [(option, argument)] of a command."""
    known = None
    with open(path, encoding="utf-8") as file:
        for line in file:
            kind, first, *rest = line.rstrip("\n").split("\t")
            if kind == "command":
                if known:
                    break
                if first == name:
                    known = (rest[0], rest[1], [])
            elif known:
                known[2].append((first, rest[1]))
    return known or fail(f"the tool has no command {name}")


def is_about(tag, option, argument):
    words = tag.replace("\\-", "-")
    if not re.search(rf"--{option}(?![a-z-])", words):
        return False
    # Two entries are called --output: with a file, and with a directory.
    return option != "output" or argument in words


def options_part(groups, options):
    part, described = [], set()
    for title, lines in groups:
        introduction, rows = entries(lines)
        chosen = [entry for tag, entry in rows if any(is_about(tag, *option) for option in options)]
        described |= {option for option in options for tag, _ in rows if is_about(tag, *option)}
        if chosen:
            part += [f".SS {title}"] + introduction if title else introduction
            part += [line for entry in chosen for line in entry]
    for option in options:
        if option not in described and option[0] != "help":
            fail(f"there is no entry for --{option[0]} {option[1]}")
    return part


def operands_markup(operands):
    return "\\fI" + operands.replace("[", "\\fR[\\fI").replace("]", "\\fR]\\fI") + "\\fR"


def examples_part(lines, name):
    chosen = [line for line in lines if re.match(rf"thag_profile {name}\b", line)]
    return [".SH EXAMPLES", ".EX", *chosen, ".EE"] if chosen else []


def main():
    page, list_path, name = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        parts = dict(sections(file.read().splitlines(), ".SH "))
    operands, summary, options = read_command(list_path, name)
    texts = {title.split()[0]: lines
             for title, lines in sections(parts["COMMANDS"], ".SS ") if title}
    text = texts.get(name) or fail(f"there is no section for {name}")
    lines = [
        '.\\" Cut out of thag_profile.1 by make_page.py.',
        f'.TH THAG_PROFILE-{name.upper()} 1 "" "thag" "thag"',
        ".SH NAME",
        f"thag_profile-{name} \\- {summary[0].lower()}{summary[1:]}",
        ".SH SYNOPSIS",
        f".B thag_profile {name}",
        ".RI [ OPTION ...]",
        operands_markup(operands),
        ".SH DESCRIPTION",
        *[".PP" if line == ".IP" else line for line in text],
        ".SH OPTIONS",
        *options_part(sections(parts["OPTIONS"], ".SS "), options),
        ".SS Help",
        ".TP",
        '.BR \\-h ", " \\-\\-help',
        "List the options.",
        ".SH EXIT STATUS",
        *parts["EXIT STATUS"],
        *examples_part(parts["EXAMPLES"], name),
        ".SH SEE ALSO",
        ".BR thag_profile (1),",
        ".BR libthagpreload (7)",
    ]
    print("\n".join(lines))


main()
