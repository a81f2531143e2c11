"""Allocations, bytes and frees of real programs, equal to the unit to those of a counting preload.

Row 84 of docs/hazards.md. The programs' output and end are the same as without.
"""

import os
import subprocess

import run
from run import case, check, equal

JSON = "import json; d = [{'k%d' % i: [i, str(i), {'a': None}]} for i in range(800)]; " \
       "print(sum(map(len, json.loads(json.dumps(d, indent=1)))))"
SQL = "create table t(a integer, b text); " \
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) " \
      "insert into t select i, 'text ' || i from n; create index x on t(b); " \
      "select count(*), sum(length(b)), max(b) from t; select b from t order by b desc limit 3;"
PERL = "my %h; $h{$_} = \"v$_\" x 3 for 1..2000; my $s = join ',', sort values %h; " \
       "$s =~ s/v(\\d)/<$1>/g; print length($s), \"\\n\";"
SOURCE = "struct s { int a; char b[8]; };\n" + "".join(
    f"int f{i}(struct s *p, int n) {{ for (int i = 0; i < n; i++) p->a += i * {i}; "
    f"return p->b[n & 7]; }}\n" for i in range(12))


def counted(command, extra=None, **options):
    outcome = run.same(command, extra=extra, counted=True, **options)
    recording = run.exact(outcome)
    check(recording["allocations"] > 40, "hardly anything was recorded")
    equal(recording["nested_calls"], 0, "nested calls")
    equal(recording["no_module.allocations"], 0, "allocations of no module")
    return recording


@case
def python_json_equals_the_counter():
    recording = counted(["/usr/bin/python3", "-c", JSON],
                        extra={"PYTHONMALLOC": "malloc", "PYTHONHASHSEED": "0"})
    check(recording["allocations"] > 10000, "python allocates more than that")


@case
def python_with_its_own_allocator_equals_the_counter():
    counted(["/usr/bin/python3", "-c", JSON], extra={"PYTHONHASHSEED": "0"})


@case
def sqlite3_query_equals_the_counter():
    counted([run.need("/usr/bin/sqlite3", "sqlite3"), ":memory:", SQL])


@case
def perl_hash_equals_the_counter():
    counted(["/usr/bin/perl", "-e", PERL], extra={"PERL_HASH_SEED": "0"})


@case
def git_init_add_commit_log_equal_the_counter():
    git = run.need("/usr/bin/git", "git")
    home = os.path.join(run.scratch(), "repository")
    identity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
                "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
                "GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000",
                "GIT_CONFIG_NOSYSTEM": "1", "HOME": run.scratch()}
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        if arguments[0] == "add":
            for number in range(20):
                with open(os.path.join(home, f"file{number}"), "w", encoding="ascii") as file:
                    file.write(f"{number}\n" * 50)
        os.makedirs(home, exist_ok=True)
        done = run.bare([git] + arguments, extra=identity, cwd=home)
        equal(done.status, 0, "git " + arguments[0] + ": " + done.err)
    counted([git, "--no-pager", "-C", home, "log", "-p", "--stat"], extra=identity)
    counted([git, "-C", home, "grep", "-n", "1"], extra=identity)


@case
def cc1_compile_equals_the_counter():
    found = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True,
                           check=True).stdout.strip()
    source = os.path.join(run.scratch(), "many.c")
    with open(source, "w", encoding="ascii") as file:
        file.write(SOURCE)
    counted([run.need(found, "gcc"), "-quiet", "-O1", source, "-o", "-"])


@case
def whole_family_equals_the_counter():
    recording = counted([run.sample("heap_family")])
    equal(recording["main.live"], sum(range(1000, 1010)), "bytes left behind")
    equal(recording["main.live_blocks"], 10, "blocks left behind")
    equal(recording["max_bytes"], 9000000, "largest block")


@case
def aligned_new_and_delete_equal_the_counter():
    recording = counted([run.sample("cxx_new")])
    lost = [stack for stack in recording.stacks if stack[3] and stack[5][0].startswith("cxx_new")]
    equal(lost, [], "blocks of the program that were left behind")


run.main()
