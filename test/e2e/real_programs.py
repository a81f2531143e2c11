"""Programs of other people, bare and under the preload by each way of profiling: the same output
and the same end, and every recording that they leave can be read.

What is not installed is skipped. A script's $PRE stands before the commands that are preloaded; it
prints what two bare runs print alike, else the case skips itself.
"""

import os
import shutil
import subprocess

import run
from run import check, equal

TOOL = os.path.join(run.BUILD, "analyzer", "thag_profile")
WAYS = ("both,{0}", "both,{0},,true", "sample+both,{0},,,sample_hz=997")
run.LIMIT_S = 300

# name: (what must be there, the script)
PROGRAMS = {
    # Its threads ask for the bounds of their stacks before they allocate; its own signal handlers.
    "java": ("javac java", r"""
cat > A.java <<X
import java.util.concurrent.*;
public class A {
    static int deep(int n) { return deep(n + 1) + 1; }
    public static void main(String[] a) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        Future<?>[] done = new Future<?>[16];
        for (int i = 0; i < 16; i++) done[i] = threads.submit(() -> new byte[1 << 20].length);
        for (Future<?> f : done) f.get();
        threads.shutdown();
        try { deep(0); } catch (StackOverflowError e) { System.out.println("overflow"); }
        Object none = null;
        try { none.toString(); } catch (NullPointerException e) { System.out.println("null"); }
        System.gc();
    }
}
X
javac A.java && $PRE java -Xmx100m A"""),
    # A forked child that execs after a look-up has failed.
    "erlang": ("erl", r"""
$PRE erl -noshell -eval 'P = [spawn(fun() -> receive X -> X end end) || _ <- lists:seq(1, 2000)],
    [Q ! 1 || Q <- P], io:format("~p ~s", [length(P), os:cmd("echo hi")]), halt(0).'"""),
    # Takes its arguments out of main()'s list, and forks servers that fork in namespaces.
    "firefox": ("firefox-esr", r"""
echo '<p>hi</p>' > page.html
HOME=$PWD $PRE timeout 200 firefox-esr --headless --screenshot $PWD/s.png file://$PWD/page.html \
    > /dev/null 2>&1; ls s.png"""),
    "chromium": ("chromium", r"""
HOME=$PWD $PRE chromium --headless=new --no-sandbox --disable-gpu --dump-dom \
    'data:text/html,<p>hi<script>document.write(6 * 7)</script>' 2> /dev/null"""),
    "office": ("soffice", r"""
printf 'a,b\n1,2\n' > a.csv
HOME=$PWD $PRE soffice --headless --convert-to ods a.csv > /dev/null 2>&1; ls a.ods"""),
    # Limits that a shell sets itself, descriptors that it chooses, processes behind pipes.
    "shell": ("bash", r"""
$PRE bash -c 'coproc cat; echo hi >&${COPROC[1]}; read x <&${COPROC[0]}; echo $x
    kill $COPROC_PID; ulimit -v 3000000; /bin/echo limited; ulimit -n 20; ls /dev/null
    exec 5> f; echo q >&5; exec 5>&-; cat f; for i in $(seq 100); do a[$i]=$(echo $i); done
    echo ${#a[@]}; trap "echo t" USR1; kill -USR1 $$; (exit 3); echo $?; cat <(echo sub)' \
    2> /dev/null"""),
    # A daemon whose workers put down their rights.
    "nginx": ("nginx curl", r"""
mkdir -p logs tmp; echo hello > index.html; chmod 755 .
cat > n.conf <<X
worker_processes 2; pid $PWD/n.pid; error_log $PWD/logs/e; daemon on;
events { worker_connections 64; }
http { access_log off; client_body_temp_path $PWD/tmp; proxy_temp_path $PWD/tmp/p;
  fastcgi_temp_path $PWD/tmp/f; uwsgi_temp_path $PWD/tmp/u; scgi_temp_path $PWD/tmp/s;
  server { listen unix:$PWD/s; root $PWD; } }
X
$PRE nginx -c $PWD/n.conf -p $PWD 2> /dev/null
get() { curl -s --unix-socket s http://x/index.html; }
for i in $(seq 30); do get; done | sort | uniq -c
kill -HUP $(cat n.pid); sleep 1; get
kill -QUIT $(cat n.pid); while [ -e n.pid ]; do sleep .1; done; sleep .5"""),
    "redis": ("redis-server redis-cli", r"""
$PRE redis-server --port 0 --unixsocket $PWD/s --save "" --daemonize no > /dev/null & p=$!
until redis-cli -s s ping > /dev/null 2>&1; do sleep .1; done
for i in $(seq 300); do echo "set k$i $(printf '%0*d' $((i * 3)) $i)"; done |
    redis-cli -s s | uniq -c
redis-cli -s s bgsave > /dev/null; redis-cli -s s dbsize; sleep .5
redis-cli -s s shutdown nosave; wait $p; echo $?"""),
    "node": ("node", r"""
$PRE node -e 'const {Worker} = require("worker_threads"); let n = 0, c = 0;
for (let i = 0; i < 4; i++) new Worker(
    "require(\"worker_threads\").parentPort.postMessage([...Array(9999).keys()].length)",
    {eval: true}).on("message", x => { n += x; if (++c === 4) console.log(n); });
console.log(require("child_process").execSync("echo hi").toString());
(function deep() { try { deep(); } catch (e) { } })();'"""),
    "go": ("go", r"""
cat > m.go <<X
package main
import ("fmt"; "os/exec"; "os/user"; "sync")
func main() {
    var all sync.WaitGroup
    for i := 0; i < 64; i++ {
        all.Add(1); go func() { defer all.Done(); _ = make([]byte, 1<<16) }()
    }
    all.Wait()
    out, _ := exec.Command("echo", "hi").Output()
    me, _ := user.Current()
    fmt.Println(string(out), me.Username)
}
X
HOME=$PWD GOCACHE=$PWD/cache go build -o m m.go && $PRE ./m"""),
    "rust": ("rustc", r"""
cat > a.rs <<X
fn main() {
    let all: Vec<_> = (0..8).map(|i| std::thread::spawn(move ||
        (0..10000).map(|x| (x * i).to_string()).collect::<Vec<_>>().len())).collect();
    println!("{}", all.into_iter().map(|x| x.join().unwrap()).sum::<usize>());
    println!("{}", std::panic::catch_unwind(|| panic!("p")).is_err());
}
X
rustc -O a.rs 2> /dev/null && $PRE ./a 2> /dev/null"""),
    "ruby": ("ruby", r"""
$PRE ruby -e 't = 8.times.map { |i| Thread.new { (0..9999).map { |x| x.to_s * 2 }.join.size } }
puts t.map(&:value).sum, `echo hi`
f = Fiber.new { 3.times { |i| Fiber.yield i }; :done }; 4.times { puts f.resume }
Process.wait fork { exit 3 }; puts $?.exitstatus
def deep(n) deep(n + 1) end; begin; deep(0); rescue SystemStackError; puts "overflow"; end'"""),
    "php": ("php", r"""
$PRE php -r '$a = []; for ($i = 0; $i < 99999; $i++) $a["k$i"] = str_repeat("x", $i % 100);
echo count($a), " ", strlen(json_encode($a)), "\n"; passthru("echo hi");
$f = new Fiber(function() { Fiber::suspend(1); return 2; }); echo $f->start(); $f->resume();
echo $f->getReturn(), "\n";'"""),
    "lisp": ("sbcl", r"""
$PRE sbcl --noinform --non-interactive --eval '(progn
    (print (length (loop for i below 100000 collect (make-string (mod i 100)))))
    (handler-case (labels ((deep (n) (1+ (deep (1+ n))))) (deep 0))
        (storage-condition () (print :overflow))) (gc :full t) (terpri))' 2> /dev/null"""),
    "ocaml": ("ocamlopt", r"""
cat > a.ml <<X
let rec deep n = 1 + deep (n + 1)
let () = let h = Hashtbl.create 10 in
  for i = 0 to 100000 do Hashtbl.replace h (string_of_int i) i done;
  Printf.printf "%d\n" (Hashtbl.length h);
  (try ignore (deep 0) with Stack_overflow -> print_endline "overflow")
X
ulimit -s 8192; ocamlopt a.ml -o a && $PRE ./a"""),
    "haskell": ("ghc", r"""
cat > a.hs <<X
import Control.Concurrent
main = do { v <- newEmptyMVar; mapM_ (\i -> forkIO (putMVar v (sum [1..i]))) [1..100::Int];
            xs <- mapM (const (takeMVar v)) [1..100]; print (sum xs) }
X
ghc -O -threaded a.hs -o a > /dev/null && $PRE ./a +RTS -N2"""),
    "mono": ("mcs mono", r"""
cat > a.cs <<X
using System; using System.Linq;
class A { static void Main() {
    var all = Enumerable.Range(0, 16).AsParallel();
    Console.WriteLine(all.Select(x => new byte[9999].Length).Sum());
    try { object o = null; o.ToString(); }
    catch (NullReferenceException) { Console.WriteLine("null"); }
    GC.Collect(); } }
X
mcs a.cs && $PRE mono a.exe"""),
    "emacs": ("emacs", r"""
$PRE emacs -Q --batch --eval '(with-temp-buffer (insert-file-contents "/usr/include/stdio.h")
    (c-mode) (font-lock-ensure) (princ (buffer-size)) (princ (shell-command-to-string "echo hi")))'
"""),
    "video": ("ffmpeg", r"""
exact='-fflags +bitexact -flags:v +bitexact -flags:a +bitexact'
$PRE ffmpeg -v error -f lavfi -i testsrc=d=2:s=320x240:r=25 -f lavfi -i sine=d=2 -c:v mpeg4 \
    -c:a aac -threads 4 $exact -y a.mp4 && $PRE ffmpeg -v error -i a.mp4 -f md5 -"""),
    "debugger": ("gdb gcc", r"""
printf 'int f(int n) { return n ? f(n - 1) + 1 : 0; } int main(void) { return f(5); }' > t.c
gcc -g t.c -o t && $PRE gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'break f if n == 0' \
    -ex 'handle SIG63 nostop noprint pass' -ex run -ex backtrace -ex continue ./t 2> /dev/null |
    sed 's/process [0-9]*/process/'"""),
    "python-processes": ("/usr/bin/python3", r"""
cat > p.py <<X
import asyncio, concurrent.futures, multiprocessing, subprocess
def work(x): return sum(range(x))
if __name__ == "__main__":
    for way in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(way).Pool(3) as pool: print(sum(pool.map(work, range(99))))
    with concurrent.futures.ThreadPoolExecutor(8) as pool: print(sum(pool.map(work, range(500))))
    print(subprocess.check_output(["echo", "hi"]))
    async def child(): return await (await asyncio.create_subprocess_exec(
        "echo", "yo", stdout=-1)).communicate()
    print(asyncio.run(child()))
X
$PRE /usr/bin/python3 p.py"""),
    "message-passing": ("mpicc mpirun", r"""
cat > m.c <<X
#include <mpi.h>
#include <stdio.h>
int main(int count, char **words)
{
    int own, all, sum;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Reduce(&own, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (own == 0) printf("%d %d\n", all, sum);
    return MPI_Finalize();
}
X
mpicc m.c -o m && $PRE mpirun --allow-run-as-root --oversubscribe -np 3 ./m 2> /dev/null"""),
    # Other libraries that are preloaded.
    "fakeroot": ("fakeroot", "$PRE fakeroot sh -c 'touch x; chown 1:1 x; stat -c %u x; id -u'"),
    "faketime": ("faketime", "$PRE faketime '2020-01-02 03:04:05' date +%Y-%m-%d"),
    "line-buffering": ("stdbuf", r"printf 'a\nb\n' | $PRE stdbuf -oL sort -r"),
}


def runs(script, profiler):
    """The script bare, or with PROFILER's {0} for the directory of its recordings."""
    directory = run._scratch.fresh()  # pylint: disable=protected-access
    output = os.path.join(directory, "recordings")
    env = run.environment(None)
    del env["LD_PRELOAD"]
    env["PRE"] = ""
    if profiler:
        os.mkdir(output)
        os.chmod(output, 0o777)
        env.update(PRE=f"env LD_PRELOAD={run.PRELOAD}", THAG_PROFILER=profiler.format(output))
    os.mkdir(os.path.join(directory, "work"))
    outcome = run.finish(run.start(["bash", "-c", script], env, os.path.join(directory, "work")),
                         directory)
    return outcome, [os.path.join(output, name) for name in
                     (os.listdir(output) if profiler else []) if name.endswith(".thag")]


def compare(needed, script):
    for command in needed.split():
        if not shutil.which(command):
            raise run.Skip(command + " is not installed")
    bare, again = (runs(script, None)[0] for _ in range(2))
    if bare.status or (bare.out, bare.status) != (again.out, again.status):
        raise run.Skip(f"two bare runs: {bare.status}, {again.status}; {bare.err[-200:]!r}")
    for way in WAYS:
        under, recordings = runs(script, way)
        equal((under.status, under.out), (bare.status, bare.out), f"{way}: end and output "
              f"({under.err[-500:]!r})")
        check(recordings, way, "left no recording")
        for path in recordings:
            done = subprocess.run([TOOL, "info", path], capture_output=True, text=True, check=False)
            equal(done.returncode, 0, f"{way}: info of {os.path.basename(path)}: {done.stderr}")


def define(name, needed, script):
    def function():
        compare(needed, script)
    function.__name__ = name.replace("-", "_")
    run.case(function)


for program, (needed_commands, text) in PROGRAMS.items():
    define(program, needed_commands, text)

run.main()
