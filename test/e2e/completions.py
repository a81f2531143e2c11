"""The completion scripts: bash is driven, fish is asked, zsh reads its script; all of them know
every command and every option that the tool explains.
"""

import os
import pty
import re
import select
import shutil
import subprocess
import time

import run
from run import case, check, equal

FOLDER = os.path.join(run.BUILD, "analyzer", "completions")
BASH = os.path.join(FOLDER, "thag_profile.bash")
ZSH = os.path.join(FOLDER, "_thag_profile")
FISH = os.path.join(FOLDER, "thag_profile.fish")
TOOL = os.path.join(run.BUILD, "analyzer", "thag_profile")


def commands():
    """{command: [options]}, as the tool itself has them."""
    out = subprocess.run([os.path.join(FOLDER, "thag_completions"), "list"], check=True,
                         capture_output=True, text=True).stdout
    found = {}
    for line in out.splitlines():
        kind, name = line.split("\t")[:2]
        if kind == "command":
            options = found[name] = []
        else:
            options.append(name)
    return found


def folder_of_files():
    folder = run._scratch.fresh()  # pylint: disable=protected-access
    for name in ("a.thag", "b c.folded", "d.folded.gz", "e.txt"):
        with open(os.path.join(folder, name), "wb"):
            pass
    os.mkdir(os.path.join(folder, "sub"))
    return folder


def bash(*words, cwd=None, before=""):
    """What bash offers for the last of WORDS."""
    script = f"""{before}
        source {BASH}
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _thag_profile
        printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(["bash", "-c", script, "bash", "thag_profile", *words], check=True,
                          capture_output=True, text=True, cwd=cwd or run.scratch())
    equal(done.stderr, "", "standard error of bash")
    return sorted(line for line in done.stdout.splitlines() if line)


@case
def bash_reads_its_script():
    subprocess.run(["bash", "-n", BASH], check=True)


@case
def bash_knows_commands_and_options():
    known = commands()
    check(len(known) > 10, known)
    equal(bash(""), sorted([*known, "--help", "--version"]), "first words")
    equal(bash("gr"), ["graph"], "gr")
    for name, options in known.items():
        offered = bash(name, "-")
        for option in options:
            check("--" + option in offered, name, option, offered)


@case
def options_are_those_that_help_explains():
    for name, options in commands().items():
        text = subprocess.run([TOOL, name, "--help"], check=True, capture_output=True,
                              text=True).stdout
        for option in re.findall(r"--[a-z][a-z-]+", text):
            check(option[2:] in options, name, option)


@case
def bash_offers_the_words_of_an_option():
    equal(bash("graph", "--format", ""), ["html", "svg"], "--format of graph")
    equal(bash("stats", "--format", ""), ["csv", "json", "text"], "--format of stats")
    equal(bash("graph", "x.thag", "--palette", "r"), ["red", "rust"], "--palette r")
    # --option=word as bash splits it.
    equal(bash("stats", "--sort", "=", "a"), ["average"], "--sort=a")
    equal(bash("stats", "--sort", "="), ["average", "calls", "max", "min", "name", "self", "total"], "--sort=")
    equal(bash("record", "--set", "sto"), ["store="], "--set sto")
    equal(bash("stats", "--top", ""), [], "--top")


@case
def bash_offers_files_and_directories():
    folder = folder_of_files()
    equal(bash("graph", "", cwd=folder), ["a.thag", "b c.folded", "d.folded.gz", "sub"], "files")
    equal(bash("list", "", cwd=folder), ["sub"], "directories")
    equal(bash("graph", "--sysroot", "", cwd=folder), ["sub"], "--sysroot")
    equal(bash("stats", "-o", "e", cwd=folder), ["e.txt"], "-o")
    equal(bash("su", cwd=folder), ["sub"], "a directory as first word")


@case
def bash_offers_programs_and_then_what_they_take():
    check("bash" in bash("record", "bas"), "bas")
    check("bash" in bash("record", "--", "bas"), "-- bas")
    check("bash" in bash("record", "--type", "time", "--", "bas"), "--type time -- bas")
    check("bash" in bash("record", "--type", "=", "time", "bas"), "--type=time bas")
    folder = folder_of_files()
    equal(bash("record", "cat", "e", cwd=folder), ["e.txt"], "an argument of the program")
    equal(bash("record", "cat", "-", cwd=folder), bash("record", "cat", "--", "-", cwd=folder),
          "an option of the program")
    asked = bash("record", "--detail", "--", "cat", "e",
                 before="_command_offset() { COMPREPLY=(\"offset $1\"); }")
    equal(asked, ["offset 4"], "with the package bash-completion")


def read_until(descriptor, wanted, what):
    seen = b""
    end = time.monotonic() + 600
    while wanted not in seen:
        check(time.monotonic() < end, what, "did not come:", seen)
        if select.select([descriptor], [], [], 0.5)[0]:
            seen += os.read(descriptor, 4096)
    return seen


@case
def bash_completes_at_the_keyboard():
    folder = folder_of_files()
    pid, descriptor = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(TERM="dumb", PS1="ready> ")
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    try:
        read_until(descriptor, b"ready> ", "the prompt")
        os.write(descriptor, f"source {BASH}; thag_profile() {{ printf '<%s>' \"$@\"; }}\n".encode())
        read_until(descriptor, b"ready> ", "the prompt")
        os.write(descriptor, b"thag_profile sta\t--val\tlive_by\tb\t\n")
        read_until(descriptor, b"<stats><--value><live_bytes><b c.folded>", "the command")
    finally:
        os.close(descriptor)
        os.kill(pid, 9)
        os.waitpid(pid, 0)


@case
def zsh_reads_its_script():
    if not shutil.which("zsh"):
        raise run.Skip("zsh is not installed")
    subprocess.run(["zsh", "-n", ZSH], check=True)


@case
def zsh_and_fish_know_commands_and_options():
    with open(ZSH, encoding="utf-8") as file:
        zsh = file.read()
    with open(FISH, encoding="utf-8") as file:
        fish = file.read()
    for name, options in commands().items():
        part = zsh.split(f"\n        {name})\n")[1].split(";;")[0]
        for option in options:
            check(f"--{option}" in part, "zsh:", name, option)
            check(f"__fish_seen_subcommand_from {name}' -l {option}" in fish, "fish:", name, option)


def zsh_parses(words):
    """Run the zsh function with _arguments replaced by one that checks its specs' shape."""
    script = f"""
        _arguments() {{ for spec in "$@"; do print -r -- "$spec"; done; state=argument; line=({words}) }}
        _describe() {{ : }}; _files() {{ : }}
        source {ZSH}
    """
    return subprocess.run(["zsh", "-f", "-c", script], check=True, capture_output=True,
                          text=True).stdout


@case
def zsh_passes_whole_specifications():
    if not shutil.which("zsh"):
        raise run.Skip("zsh is not installed")
    for name, options in commands().items():
        specs = zsh_parses(name).splitlines()
        for option in options:
            wanted = re.compile(rf"^(\(-\w --{option}\))?\*?(\(-\w --{option}\))?--{option}\+?=?\[.+\]")
            check(any(wanted.match(spec) for spec in specs), name, option, specs)


def fish(line, cwd):
    done = subprocess.run(["fish", "--no-config", "-c", f"source {FISH}; complete -C '{line}'"],
                          check=True, capture_output=True, text=True, cwd=cwd,
                          env={**os.environ, "HOME": run.scratch()})
    equal(done.stderr, "", "standard error of fish")
    return sorted(row.split("\t")[0] for row in done.stdout.splitlines())


@case
def fish_answers():
    if not shutil.which("fish"):
        raise run.Skip("fish is not installed")
    subprocess.run(["fish", "--no-execute", FISH], check=True)
    folder = folder_of_files()
    equal(fish("thag_profile gra", folder), ["graph"], "gra")
    equal(fish("thag_profile graph --palette r", folder), ["red", "rust"], "--palette r")
    equal(fish("thag_profile graph --pal", folder), ["--palette"], "--pal")
    check({"a.thag", "b c.folded"} <= set(fish("thag_profile stats ", folder)),
          fish("thag_profile stats ", folder))
    check("bash" in fish("thag_profile record bas", folder), "record bas")
    equal(fish("thag_profile list ", folder), ["sub/"], "directories")


run.main()
