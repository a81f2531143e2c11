#!/bin/bash
# verify_walks.sh LIBRARY STRANGE_STACKS SOURCE [STACKS]
#
# Runs real and strange programs under libverify_walk.so, which compares every stack of every
# allocation with libunwind's and libgcc's. Fails on a difference that is ours, and on a program
# that did not get to be verified.
# STACKS: how many stacks of each program at most (default 100000, seconds; 1500000: minutes).
set -u

library=$(realpath "$1")
strange=$(realpath "$2")
source_file=$(realpath "$3")
stacks=${4:-100000}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# verify NAME PROCESS COMMAND...: PROCESS is the name of the process that must have been verified
verify()
{
    local name=$1 process=$2 status
    shift 2
    if ! command -v "$1" >/dev/null; then
        echo "skipped: $name: no $1 here"
        return
    fi
    : >"$work/out"
    VERIFY_OUT="$work/out" VERIFY_STACKS=$stacks LD_PRELOAD=$library PYTHONMALLOC=malloc \
        timeout $((600 + stacks / 1000)) "$@" >"$work/stdout" 2>"$work/stderr" </dev/null
    status=$?
    if [ $status -ne 0 ]; then
        echo "FAILED: $name: exit status $status"
        tail -n 5 "$work/stderr"
        failures=$((failures + 1))
    fi
    grep -E "^verify $process |^  " "$work/out" | sed "s/^verify [^ ]*/$name:/"
    if ! grep -qE "^verify $process stacks [1-9]" "$work/out"; then
        echo "FAILED: $name: no stack of $process was verified"
        failures=$((failures + 1))
    fi
    if grep -E '^verify ' "$work/out" | grep -vq ' bad 0 '; then
        echo "FAILED: $name: frames that neither libunwind nor libgcc has"
        grep -E '^verify ' "$work/out" | grep -v ' bad 0 '
        failures=$((failures + 1))
    fi
}

rounds=$((stacks / 250 + 100))

cat >"$work/p.py" <<'END'
import collections, json, re, sys, threading
def tree(depth):
    return {str(i): tree(depth - 1) for i in range(4)} if depth else [1.5, "x" * depth, None]
def work(rounds):
    for i in range(rounds):
        text = json.dumps(tree(4), indent=1)
        json.loads(text)
        words = collections.Counter(re.findall(r'"[0-9]+"|[a-z]+', text))
        sorted(words.items(), key=lambda item: (item[1], item[0]))
rounds = int(sys.argv[1])
threads = [threading.Thread(target=work, args=(rounds,)) for _ in range(2)]
[t.start() for t in threads]
work(rounds)
[t.join() for t in threads]
END
cat >"$work/p.pl" <<'END'
my %h; my @a;
for my $i (1 .. $ARGV[0]) {
    my $s = join(",", map { sprintf("%x", $_ * $i % 9973) } 1 .. 60);
    $h{$_}{$i & 15} .= "x" for split /,/, $s;
    push @a, [sort { $a cmp $b } split /,/, $s];
    shift @a if @a > 50;
    (my $t = $s) =~ s/([a-f]+)(\d)/<$2$1>/g;
    eval { die { code => $i } };
}
END
cat >"$work/p.sql" <<END
create table t(a integer primary key, b text, c real);
create index i on t(b);
with recursive n(x) as (select 1 union all select x + 1 from n where x < $((rounds * 80)))
  insert into t select x, printf('%08x', x * 2654435761 % 4294967296), x / 3.0 from n;
select count(*), sum(length(b)) from t where b like '%a%';
select substr(b, 1, 2) k, group_concat(a) from t group by k order by 2 limit 5;
select json_group_array(json_object('a', a, 'b', b)) from t where a % 7 = 0;
END
cat >"$work/p.js" <<'END'
const zlib = require('zlib'), crypto = require('crypto'), fs = require('fs');
const rounds = Number(process.argv[2]);
let kept = [];
for (let i = 0; i < rounds; i++) {
  const o = Array.from({length: 200}, (_, k) => ({k, s: 'x'.repeat(k % 30), r: Math.sqrt(k * i)}));
  const text = JSON.stringify(o);
  JSON.parse(text).sort((a, b) => a.r - b.r).map(x => x.s.replace(/x+/g, 'y'));
  if (i % 10 == 0) {
    crypto.createHash('sha256').update(zlib.deflateSync(text)).digest('hex');
    fs.readFile(__filename, () => {});
    kept.push(Buffer.alloc(2000));
  }
}
END

verify python python3 /usr/bin/python3 "$work/p.py" $((rounds / 60 + 1))
verify perl perl perl "$work/p.pl" $((rounds / 2))
verify sqlite3 sqlite3 sqlite3 :memory: ".read $work/p.sql"
verify node node node "$work/p.js" $((rounds * 7))
# The compiler proper is a child of the driver, one for each copy of the source.
copies=$((stacks / 400000 + 1))
for copy in $(seq $copies); do
    cp "$source_file" "$work/c$copy.c"
done
cd "$work" || exit 1
verify cc1 cc1 gcc -O2 -D_GNU_SOURCE "-I$(dirname "$source_file")/../.." -w -c c*.c
verify strange-signals strange_stacks "$strange" $rounds signals
verify strange-altstack strange_stacks "$strange" $rounds altstack
verify strange-quiet strange_stacks "$strange" $rounds quiet

if [ $failures -ne 0 ]; then
    echo "$failures failures"
    exit 1
fi
