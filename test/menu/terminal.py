"""terminal.py -- the menu in a terminal of a chosen size, driven by keys and read off the screen.

A test file imports this, marks its cases with @case, and ends with terminal.main(). It is started as
  FILE.py BUILD [NAME...]
and prints TAP. Each case gets a fresh directory as its current one.

Nothing sleeps and hopes: after each key the screen is read until it shows what is expected, or
LIMIT_S are over. Expected screens are files in screens/; THAG_GOLDEN_UPDATE=1 writes them from what
is shown once it no longer changes: read the difference before you commit it.
"""

import difflib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

BUILD = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "."
TOOL = os.path.join(BUILD, "analyzer", "thag_profile")
RECORDING = os.path.join(BUILD, "test", "menu", "recording_sample")
SCREENS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "screens")
UPDATE = os.environ.get("THAG_GOLDEN_UPDATE") == "1"
LIMIT_S = 90

_cases = []
_terminals = []


def case(function):
    _cases.append(function)
    return function


def check(truth, *what):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in what))


def wait_until(question, what):
    """Ask again and again; the answer that is true is returned."""
    end = time.monotonic() + LIMIT_S
    while True:
        answer = question()
        if answer:
            return answer
        check(time.monotonic() < end, "waited in vain for", what)
        time.sleep(0.03)


class Terminal:
    """A program in a tmux of its own. Environment variables beside the plain ones are keywords."""

    def __init__(self, words=(".",), size=(80, 24), program=TOOL, **environment):
        # A server of its own: the last one may still be on its way out.
        _terminals.append(self)
        self.socket = os.path.abspath(f"tmux.{len(_terminals)}")
        self.size = size
        self.closed = False
        variables = {"PATH": os.getcwd() + ":" + os.environ["PATH"], "HOME": os.getcwd(),
                     "TERM": "tmux-256color", "LC_ALL": "C.UTF-8", "TZ": "UTC0",
                     "BROWSER": "noted"}
        variables.update(environment)
        if os.environ.get("ASAN_OPTIONS"):
            variables["ASAN_OPTIONS"] = os.environ["ASAN_OPTIONS"]
        words = ["env", "-i"] + [f"{name}={value}" for name, value in variables.items()
                                 if value is not None] + [program, *words]
        # The shell tells the end, and whether the terminal is as it was.
        script = ("trap : INT QUIT; before=$(stty -g); " + shlex.join(words) + "; status=$?; "
                  'test "$(stty -g)" = "$before" && kept=kept || kept=changed; '
                  'echo "status $status, terminal $kept"; exec sleep 1000')
        self._tmux("-f", "/dev/null", "-u", "new-session", "-d", "-x", str(size[0]),
                   "-y", str(size[1]), "-c", os.getcwd(), "exec sh -c " + shlex.quote(script))

    def _tmux(self, *words):
        done = subprocess.run(["tmux", "-S", self.socket, *words], capture_output=True, text=True,
                              errors="replace", env={**os.environ, "LC_ALL": "C.UTF-8"})
        check(done.returncode == 0, "tmux", words[0], "says", done.stderr)
        return done.stdout

    def keys(self, *keys):
        """Named keys as tmux knows them: Enter, Escape, Down, C-c."""
        self._tmux("send-keys", *keys)

    def type(self, text):
        self._tmux("send-keys", "-l", text)

    def resize(self, columns, lines):
        self.size = (columns, lines)
        self._tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def screen(self, colours=False):
        """The lines of the screen without blanks at their ends."""
        text = self._tmux("capture-pane", "-p", *(["-e"] if colours else []))
        return "\n".join(line.rstrip() for line in text.splitlines()).rstrip("\n") + "\n"

    def process(self):
        """The number of the program under test: the one child of the shell."""
        shell = self._tmux("display-message", "-p", "#{pane_pid}").strip()
        return int(wait_until(lambda: subprocess.run(["pgrep", "-P", shell], text=True,
                                                     capture_output=True).stdout.split(),
                              "the program")[0])

    def shows(self, *texts):
        """Wait until all of TEXTS are on the screen."""
        try:
            return wait_until(lambda: all(text in self.screen() for text in texts) and
                              self.screen(), repr(texts))
        except AssertionError as error:
            raise AssertionError(f"{error}; the screen is:\n{self.screen()}") from None

    def expect(self, name):
        """Wait until the screen is screens/NAME-COLUMNSxLINES.txt."""
        path = os.path.join(SCREENS, f"{name}-{self.size[0]}x{self.size[1]}.txt")
        if UPDATE:
            self._write(path)
            return
        with open(path, encoding="utf-8") as file:
            wanted = file.read()
        try:
            wait_until(lambda: self.screen() == wanted, name)
        except AssertionError:
            raise AssertionError("\n".join(difflib.unified_diff(
                wanted.splitlines(), self.screen().splitlines(), name, "screen", lineterm=""))
                ) from None

    def _write(self, path):
        last, since = None, time.monotonic()
        while time.monotonic() - since < 0.5:
            now = self.screen()
            if now != last:
                last, since = now, time.monotonic()
            time.sleep(0.05)
        os.makedirs(SCREENS, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(last)

    def ends(self, status=0):
        """Wait for the end of the program; the terminal has to be as it was."""
        self.shows(f"status {status}, terminal kept")

    def close(self):
        if not self.closed:
            subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True)
        self.closed = True

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def make_browser():
    """A browser called "noted", which writes down what it is asked to show."""
    write("noted", "#!/bin/sh\nprintf '%s\\n' \"$@\" > asked.part\nmv asked.part asked\n")
    os.chmod("noted", 0o755)


def asked():
    """What the browser was asked to show last."""
    wait_until(lambda: os.path.exists("asked"), "the browser")
    with open("asked", encoding="utf-8") as file:
        address = file.read().strip()
    os.unlink("asked")
    return address


def make_runs():
    """Runs of several programs and kinds, always the same."""
    write("app-20240102-030405.folded",
          "main;parse;read_line 400\nmain;parse;split 250\nmain;print 120\nmain 30\n")
    write("app-20240103-030405.folded",
          "main;parse;read_line 300\nmain;parse;split 250\nmain;sort;compare 500\nmain 35\n")
    write("app-20240102-030405-memory.folded",
          "main;parse;read_line 2048000\nmain;parse;split 512000\nmain;print 640\n")
    write("app-20240103-030405-memory.folded",
          "main;parse;read_line 1048576\nmain;parse;split 512000\nmain;sort 96\n")
    write("app-20240103-030405-memory_detail.folded",
          "main;parse;split 512000\nmain;parse;read_line 524288\nmain;sort 96\n"
          "main;parse;read_line 524288\n")
    write("app-20240103-030405-memory_detail_dealloc.folded", "main;parse 512000\nmain 96\n")
    write("my tool-20240104-050607.folded", "main;two words;a b 7\n")
    write("old-20240101-000000-inclusive.folded", "main 90\nmain;work 80\n")
    write("\u6f22\u5b57\u30c4\u30fc\u30eb-20240105-060708.folded",
          "main;\u8aad\u307f\u8fbc\u3080 1200000\nmain;cafe\u0301::brew 340\n"
          "main;\u0645\u0631\u062d\u0628\u0627 20\n")
    subprocess.run([RECORDING, "sample-20240106-070809.thag"], check=True)
    make_browser()


def _run(function):
    directory = tempfile.mkdtemp(prefix="thag-menu-")
    # Headings have the name of the directory.
    os.mkdir(os.path.join(directory, "profiles"))
    os.chdir(os.path.join(directory, "profiles"))
    try:
        function()
        result = None
    except Exception:
        result = traceback.format_exc()
    os.chdir("/")
    while _terminals:
        _terminals.pop().close()
    shutil.rmtree(directory, ignore_errors=True)
    return result


def main():
    wanted = sys.argv[2:]
    chosen = [function for function in _cases if not wanted or function.__name__ in wanted]
    if shutil.which("tmux") is None:
        print("1..0 # SKIP tmux is missing: there is no terminal to test in")
        return
    print(f"1..{len(chosen)}", flush=True)
    failed = False
    for number, function in enumerate(chosen, 1):
        trouble = _run(function)
        failed = failed or trouble is not None
        print("not ok" if trouble else "ok", number, "-", function.__name__.replace("_", " "))
        for line in (trouble or "").splitlines():
            print("#", line)
        sys.stdout.flush()
    sys.exit(failed)
