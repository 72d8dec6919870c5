"""In a terminal: `curfew run` under real interactive shells, where Ctrl-Z is the home button and `fg` opens the app.

Each test types what a person would type into a shell on a pseudo-terminal and looks at what the person would see, at
process states in /proc, and at `curfew status`.
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import time

import pexpect
import pytest

from conftest import LIMIT, binary, is_alive, mounted_cgroups, state_letter, wait_for
from programs.helpers import assert_all_stopped

PROMPT = "@ready@ "
NAME = f"app{os.getpid()}"
UP = "sh -c 'echo up; exec sleep 300'"


class Shell:
    """An interactive shell on a pseudo-terminal of its own."""

    def __init__(self, sandbox, program="bash", arguments=("--norc", "--noprofile", "-i"), environment=()):
        self.sandbox = sandbox
        inputrc = sandbox.scratch / "inputrc"
        inputrc.write_text("set enable-bracketed-paste off\n")
        environment = dict(
            sandbox.environment, PS1=PROMPT, INPUTRC=str(inputrc), HISTFILE="", TERM="vt100", LC_ALL="C",
            HOME=str(sandbox.scratch), VIMINIT="set nocp noswapfile viminfo=",
            **dict(environment))
        self.terminal = pexpect.spawn(
            program, list(arguments), env=environment, cwd=str(sandbox.scratch), encoding="utf-8",
            codec_errors="replace", timeout=LIMIT,
            dimensions=(24, 100), preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
        self.terminal.delaybeforesend = None

    @property
    def pid(self):
        return self.terminal.pid

    def prompt(self):
        """Waits for the prompt; what was printed before it."""
        self.terminal.expect_exact(PROMPT)
        return self.terminal.before

    def type(self, line):
        self.terminal.sendline(line)

    def press(self, key):
        """`press("Z")` is Ctrl-Z."""
        self.terminal.send(chr(ord(key) & 0x1F))

    def do(self, line):
        """Types a command and waits for the prompt after it; what it printed, without the echo of the line."""
        self.type(line)
        return self.prompt().partition("\n")[2]

    def expect(self, text):
        self.terminal.expect_exact(text)

    def drain(self):
        """Reads away what is there."""
        with contextlib.suppress(pexpect.TIMEOUT):
            while self.terminal.read_nonblocking(65536, timeout=0):
                pass

    def expect_line(self, line):
        """Waits for a line of its own, which the echo of a command isn't."""
        self.terminal.expect(r"(?:^|\n|\r)" + re.escape(line) + "\r\n")

    def run(self, command, name=NAME, options=""):
        """Types a `curfew run`."""
        self.type(f"curfew run --name {name} {options} -- {command}")

    def start(self, command=UP, name=NAME, options=""):
        """Types a `curfew run` and waits until its program has printed `up`."""
        self.run(command, name, options)
        self.expect_line("up")
        return App(self.sandbox, name)

    def home(self):
        """Ctrl-Z, and the prompt that comes of it."""
        self.press("Z")
        return self.prompt()

    def insist(self, key, answer):
        """Presses the key until the answer comes: `fg` prints the job's line before it hands the terminal over, and a
        key is lost on a shell that still has it. Where it has it again, a key would bring another prompt, or discard
        the one that comes."""
        for _ in range(20):
            if self.has_handed_over():
                self.press(key)
            if self.terminal.expect_exact([answer, pexpect.TIMEOUT], timeout=LIMIT / 20) == 0:
                return self.terminal.before
        pytest.fail(f"Ctrl-{key} brought no {answer!r}: {self.terminal.before!r}")

    def insist_home(self):
        return self.insist("Z", PROMPT)

    def cat(self, options=""):
        """Runs `cat` and has a line echoed by it."""
        self.run("cat", options=options)
        app = App(self.sandbox)
        self.talk("one")
        return app

    def talk(self, word):
        """Types a word to `cat`, and waits for its answer."""
        self.type(word)
        self.expect(f"{word}\r\n{word}\r\n")

    def foreground(self, job=""):
        """`fg`: waits until the shell has printed the job's command line, and handed the terminal over."""
        self.type(f"fg {job}")
        self.terminal.expect(r"curfew run [^\r\n]*\r\n")
        self.await_handover()

    def await_handover(self):
        """Until then a key is the shell's, and a resize isn't told to the job. It has the terminal's master: any side may ask."""
        wait_for("the shell to hand its terminal over", self.has_handed_over)

    def has_handed_over(self):
        return os.tcgetpgrp(self.terminal.child_fd) != self.pid

    def status(self):
        """The status of the last command."""
        return int(re.search(r"=(\d+)=", self.do('echo "=$?="')).group(1))

    def await_job(self, text):
        """Asks for the jobs until `text` is among what the shell says."""
        return wait_for(f"jobs to say {text!r}", lambda: (said := self.do("jobs -l")) and text in said and said)

    def hang_up(self):
        """Closes the terminal, as a closed window does."""
        self.terminal.ptyproc.fileobj.close()
        self.terminal.ptyproc.closed = self.terminal.closed = True

    def close(self):
        if not self.terminal.closed:
            self.hang_up()
        wait_for("the shell to end with its terminal", lambda: reap(self.pid))


class App:
    """An app that was started from a shell, by its name."""

    def __init__(self, sandbox, name=NAME):
        self.sandbox = sandbox
        self.name = name
        first = wait_for(f"{name} to answer", self.status)
        self.pid, self.proxy, self.supervisor = (int(first[key]) for key in ("pid", "front", "supervisor"))

    def status(self):
        result = self.sandbox.curfew("status", self.name, "--json")
        return json.loads(result.stdout) if result.returncode == 0 else None

    def state(self):
        status = self.status()
        return status and status["state"]

    def events(self, state):
        """How often it has come to that state."""
        return self.sandbox.curfew("events", self.name).stdout.count(f"to={state}")

    def wait(self, state):
        self.sandbox.wait_state(self.name, state)

    def wait_letter(self, letters, pid=None):
        pid = pid or self.pid
        wait_for(f"{pid} to be one of {letters}", lambda: (state_letter(pid) or "-") in letters)

    def wait_proxy_stopped(self):
        """Waits until its proxy is stopped again: before that `fg` could find the job running, and not continue it."""
        self.wait_letter("T", self.proxy)

    def do(self, verb, *arguments):
        result = self.sandbox.curfew(verb, self.name, *arguments)
        assert result.returncode == 0, result.stderr

    def run_out(self):
        """Moves the time of a manual clock until that has ended it."""
        wait_for("its time to be over", lambda: self.sandbox.curfew("advance", self.name, "1h").returncode == 69)

    def wait_gone(self):
        wait_for("nothing to be left", lambda: not any(map(is_alive, (self.pid, self.proxy, self.supervisor))))


def cgroups(name):
    """Cgroups of that app's; others come and go meanwhile, which os.walk doesn't mind."""
    return [
        folder for mount in mounted_cgroups() for folder, _, _ in os.walk(mount) if f"/curfew.{name}." in folder]


@pytest.fixture
def shells(sandbox):
    """Makes shells; afterwards each terminal is closed and nothing of the apps may be left."""
    made = []

    def make(*arguments, **options):
        shell = Shell(sandbox, *arguments, **options)
        made.append(shell)
        return shell

    yield make
    for shell in made:
        shell.close()


@pytest.fixture
def bash(shells):
    shell = shells()
    shell.prompt()
    return shell


def growing(path):
    """Whether somebody is writing to the file: it is longer than a moment ago."""
    def size():
        return path.stat().st_size if path.exists() else 0

    before = size()
    wait_for(f"{path.name} to grow", lambda: size() > before)
    return True


def reap(pid):
    """Whether that child of ours has ended."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def has_terminal(app, name):
    """Whether a process of the app by that name is in the terminal's foreground group. Source: proc_pid_stat(5)."""
    for pid in tree_of(app.pid):
        try:
            head, _, tail = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")
        except FileNotFoundError:
            continue
        if head.endswith(f"({name}") and tail.split()[2] == tail.split()[5]:
            return True
    return False


def script(sandbox, name, text):
    path = sandbox.scratch / name
    path.write_text(text)
    return path


# MARK: Statuses and signals from the keyboard


def test_status_passes_to_the_shell(bash):
    """What the program exits with is what the shell sees, and a missing program is 127."""
    bash.do("curfew run -- sh -c 'exit 7'")
    assert bash.status() == 7
    assert "no-such-program: No such file or directory" in bash.do("curfew run -- no-such-program")
    assert bash.status() == 127
    assert "still here" in bash.do("echo still here")


def test_interrupt_kills_the_program(bash):
    """Ctrl-C is the program's; the shell sees death by SIGINT."""
    app = bash.start()
    bash.press("C")
    bash.prompt()
    assert bash.status() == 130
    app.wait_gone()


def test_interrupt_breaks_a_loop(bash):
    """As for a plain command, Ctrl-C ends the loop too."""
    bash.type(f"while true; do curfew run --name {NAME} -- {UP}; done; echo not reached")
    bash.expect_line("up")
    bash.press("C")
    assert "not reached" not in bash.prompt().replace("echo not reached", "")
    assert bash.status() == 130


def test_quit_key_is_the_programs(bash):
    """Ctrl-\\ ends it with SIGQUIT, and the shell says so."""
    bash.start("sh -c 'ulimit -c 0; echo up; exec sleep 300'")
    bash.press("\\")
    assert "Quit" in bash.prompt()
    assert bash.status() == 131


def test_a_crash_is_reported(bash):
    """Death by SIGSEGV is told by the shell as for any program."""
    assert "Segmentation fault" in bash.do("ulimit -c 0; curfew run -- sh -c 'kill -SEGV $$'")
    assert bash.status() == 139


def test_a_program_may_handle_the_interrupt(bash):
    """A program that catches SIGINT goes on, and the shell waits for it."""
    app = bash.start("""sh -c 'trap "echo caught" INT; echo up; while :; do sleep 0.05; done'""")
    bash.press("C")
    bash.expect("caught\r\n")
    os.kill(app.proxy, signal.SIGTERM)
    bash.prompt()


@pytest.mark.parametrize("leader", ["sh", "bash"])
def test_ignored_interrupt_stays_ignored(bash, leader):
    """Started with SIGINT ignored, neither Ctrl-C nor a kill -INT of the proxy ends it."""
    bash.type(f"""{leader} -c 'trap "" INT; curfew run --name {NAME} -- {UP.replace("'", '"')}; echo over'""")
    bash.expect_line("up")
    app = App(bash.sandbox)
    bash.press("C")
    bash.expect("^C")
    os.kill(app.proxy, signal.SIGINT)
    os.kill(app.proxy, signal.SIGUSR1)
    bash.expect_line("over")
    bash.prompt()
    app.wait_gone()


def test_modes_a_program_sets_stay_set(bash):
    """`stty` through curfew changes the terminal for the commands after it, as it does alone."""
    bash.do("curfew run -- stty -onlcr tostop")
    assert "-onlcr" in bash.do("stty -a") and "-tostop" not in bash.do("stty -a")
    bash.do("curfew run -- stty sane")
    assert "-onlcr" not in bash.do("stty -a")


RAW = "import tty, time; tty.setraw(0); print('up\\r\\n', end='', flush=True); time.sleep(300)"


@pytest.mark.parametrize("how", ["signal", "limit"])
def test_a_killed_program_leaves_no_raw_terminal(bash, how):
    """Killed in raw mode, by somebody or by a limit of ours, it leaves the terminal as it was."""
    before = bash.do("stty -g")
    options = "--manual-clock --time-limit 1s" if how == "limit" else ""
    app = bash.start(f'python3 -c "{RAW}"', options=options)
    if how == "signal":
        os.kill(app.pid, signal.SIGKILL)
    else:
        app.run_out()
    bash.prompt()
    assert bash.status() == (124 if how == "limit" else 137)
    assert bash.do("stty -g") == before


# MARK: Ctrl-Z and fg


def test_home_and_open(bash):
    """Ctrl-Z brings the prompt and suspends; `fg` opens, with the terminal; Ctrl-C then ends it."""
    app = bash.start()
    assert "Stopped" in bash.home()
    app.wait("suspended")
    app.wait_letter("T")
    bash.foreground()
    app.wait("active")
    app.wait_letter("S")
    bash.insist("C", PROMPT)
    assert bash.status() == 130


def test_a_program_reads_the_terminal_after_fg(bash):
    """`cat` goes on echoing lines after a stay in background."""
    bash.cat()
    bash.home()
    bash.foreground()
    bash.talk("two")
    bash.press("D")
    bash.prompt()
    assert bash.status() == 0


def test_python_prompt(bash):
    """Line editing, KeyboardInterrupt, Ctrl-Z and `fg` work in the Python prompt, and its modes are kept."""
    bash.run("python3 -q")
    bash.expect(">>> ")
    app = App(bash.sandbox)
    bash.terminal.send("1+1\x1b[D\x1b[D\x1b[D4\r")
    bash.expect_line("42")
    bash.expect(">>> ")
    bash.press("C")
    bash.expect("KeyboardInterrupt")
    bash.expect(">>> ")
    bash.home()
    app.wait("suspended")
    app.wait_letter("T")
    bash.foreground()
    bash.terminal.send("\r")
    bash.expect(">>> ")
    bash.terminal.send("10+1\x1b[D\x1b[D\x1b[D\x1b[D4\r")
    bash.expect_line("411")
    # Between two lines the terminal is in its usual mode, and a Ctrl-D typed then is none in the other.
    bash.expect(">>> ")
    bash.press("D")
    bash.prompt()


def test_vim(bash):
    """Vim edits, goes home, comes back in its own terminal modes, sees a resize, and writes the right file."""
    note = bash.sandbox.scratch / "note"
    before = bash.do("stty -g")
    bash.run("vim note")
    bash.expect("New")
    app = App(bash.sandbox)
    bash.terminal.send("ione\x1b")
    bash.expect("one")
    vim_rests(app)
    bash.home()
    app.wait("suspended")
    assert bash.do("stty -g") == before
    bash.foreground()
    # Vim forgets a SIGWINCH that comes while it asks for the size after a SIGCONT: first let it be back.
    assert vim_answer(bash, "&columns") == "100"
    bash.terminal.setwinsize(30, 77)
    wait_for("vim to see 77 columns", lambda: vim_answer(bash, "&columns") == "77")
    bash.terminal.send("otwo\x1b:wq\r")
    bash.prompt()
    assert bash.status() == 0
    assert note.read_text() == "one\ntwo\n"
    assert bash.do("stty -g") == before


def vim_answer(bash, expression):
    """What vim says an expression is, through a file."""
    answer = bash.sandbox.scratch / "answer"
    answer.unlink(missing_ok=True)
    bash.terminal.send(f":call writefile([{expression}],'answer')\r")
    # What it draws is read: it would wait for room.
    wait_for("vim to answer", lambda: bash.drain() or answer.exists() and answer.read_text())
    return answer.read_text().strip()


def vim_rests(app):
    """Waits until it does nothing but wait for keys. What it does on SIGCONT allocates memory, in the handler: stopped while it
    allocated some it would wait for itself for ever."""
    waits = {"7", "23", "270", "271"}  # poll, select, pselect6, ppoll of x86_64

    def rests():
        call = pathlib.Path(f"/proc/{app.pid}/syscall").read_text().split()[0]
        return state_letter(app.pid) == "S" and call in waits

    wait_for("vim to wait for keys", rests)


def test_less_on_a_file(bash):
    """`less` takes keys again after Ctrl-Z and `fg`."""
    (bash.sandbox.scratch / "long").write_text("".join(f"line {number}\n" for number in range(500)))
    bash.run("less long")
    bash.expect("line 20")
    bash.home()
    bash.foreground()
    bash.terminal.send("G")
    bash.expect("line 499")
    bash.terminal.send("q")
    bash.prompt()


def test_a_tree_is_stopped_whole(bash):
    """Its processes, in its group, in another group and in another session, are all stopped and all continued."""
    app = bash.start("bash -c 'sleep 301 & set -m; sleep 302 & (setsid sleep 303 &); echo up; wait'")
    pids = wait_for("four processes", lambda: len(found := tree_of(app.supervisor)[1:]) == 4 and found)
    bash.home()
    app.wait("suspended")
    assert_all_stopped(app, pids)
    bash.foreground()
    wait_for("all to run", lambda: [state_letter(pid) for pid in pids] == ["S"] * 4)
    bash.press("C")
    bash.prompt()
    app.wait_gone()


def tree_of(root):
    """The process and all below it."""
    found = [root]
    for pid in found:
        found += map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return found


def test_home_thirty_times(bash):
    """Ctrl-Z and `fg` in quick turns leave a working app in front."""
    app = bash.start()
    for _ in range(30):
        assert "Stopped" in bash.insist_home()
        bash.foreground()
    app.wait("active")
    app.wait_letter("S")
    bash.insist("C", PROMPT)
    assert bash.status() == 130


# Into a file: the key discards what the terminal has yet to print. Not a shell that starts programs: bash 5.2 can end up with
# SIGINT blocked for ever, and dash hears of no stop that hits the child of its vfork, both without Curfew too. Nor one that
# pauses: a signal just before pause(2) ends no pause, and Python runs its handler after that.
CATCHES = (
    "import signal, time; signal.signal(signal.SIGINT, lambda *_: open('caught', 'a').write('x')); print('up'); "
    "any(time.sleep(0.1) for _ in iter(int, 1))")


def test_key_right_after_fg(bash):
    """Ctrl-C typed before the app has been continued, or just then, is the app's as soon as the shell has let go of the terminal."""
    bash.start(f'python3 -uc "{CATCHES}"')
    caught = bash.sandbox.scratch / "caught"
    for number in range(1, 21):
        bash.insist_home()
        bash.foreground()
        bash.press("C")
        wait_for("the handler to run", lambda: caught.exists() and len(caught.read_text()) == number)
    bash.insist_home()
    bash.do("kill -KILL %1")


def test_home_at_the_end(bash):
    """Ctrl-Z at the moment of the exit ends with a prompt, and with the job either stopped or over."""
    for round in range(25):
        bash.run(f"bash -c 'echo up; sleep 0.0{round % 5}; exit 3'")
        bash.expect_line("up")
        time.sleep(round * 0.002)  # a moment
        bash.press("Z")
        # The key discards what the terminal has yet to print, a prompt too.
        bash.type(f"echo $(({round} + 1000))")
        bash.expect_line(str(round + 1000))
        bash.prompt()
        if "Stopped" in bash.do("jobs"):
            bash.do("fg")
    assert not cgroups(NAME)


def test_two_apps_in_one_shell(bash):
    """Each goes home and is opened without the other noticing."""
    first = bash.start(name="first")
    bash.home()
    second = bash.start(name="second")
    bash.home()
    second.wait("suspended")
    bash.foreground("%1")
    first.wait("active")
    assert second.state() == "suspended"
    bash.home()
    first.wait("suspended")
    bash.foreground("%2")
    second.wait("active")
    assert first.state() == "suspended"
    bash.press("C")
    bash.prompt()
    second.wait_gone()
    bash.do("kill %1")
    first.wait_gone()


# MARK: Pipelines and scripts


def test_pipelines(bash):
    """On either side of a pipe, with a neighbour that closes early, and into a pager."""
    assert bash.do("curfew run -- seq 3 | cat") == "1\r\n2\r\n3\r\n"
    assert bash.do("echo x | curfew run -- cat") == "x\r\n"
    assert bash.do("curfew run -- seq 100000 | head -1") == "1\r\n"
    assert "141 0" in bash.do("curfew run -- seq 100000 | true; echo ${PIPESTATUS[@]}")
    bash.type("curfew run -- seq 500 | less")
    bash.expect("20\r\n")
    bash.terminal.send("G")
    bash.expect("500")
    bash.terminal.send("q")
    bash.prompt()


@pytest.mark.parametrize("side", ["left", "right"])
def test_home_in_a_pipeline(bash, side):
    """The pipeline stops as one job, the app is suspended, and `fg` continues both."""
    run = f"curfew run --name {NAME} -- {UP}"
    bash.type(f"{run} | cat" if side == "left" else f"cat | {run}")
    bash.expect_line("up")
    app = App(bash.sandbox)
    bash.home()
    app.wait("suspended")
    app.wait_letter("T")
    bash.foreground()
    app.wait("active")
    app.wait_letter("S")
    bash.insist("C", PROMPT)
    app.wait_gone()


def test_inside_a_script(bash):
    """In a script run from the terminal Ctrl-Z stops the script and the app, `fg` continues them, Ctrl-C ends them."""
    path = script(bash.sandbox, "script.sh", f"curfew run --name {NAME} -- {UP}\necho after $?\n")
    bash.type(f"sh {path}")
    bash.expect_line("up")
    app = App(bash.sandbox)
    bash.home()
    app.wait("suspended")
    bash.type("fg")
    app.wait("active")
    bash.press("C")
    assert "after" not in bash.prompt().replace("echo after", "")
    app.wait_gone()


def test_home_from_elsewhere_inside_a_script(bash):
    """Sent home by somebody, an app in a script still hears Ctrl-C, which ends it."""
    path = script(bash.sandbox, "script.sh", f"curfew run --name {NAME} -- {UP}\n")
    bash.type(f"sh {path}")
    bash.expect_line("up")
    app = App(bash.sandbox)
    app.do("home")
    app.wait("suspended")
    bash.press("C")
    bash.prompt()
    app.wait_gone()


def test_ignored_stop_key_in_a_script(bash):
    """Where SIGTSTP is ignored, Ctrl-Z changes nothing."""
    path = script(bash.sandbox, "script.sh", f"trap '' TSTP\ncurfew run --name {NAME} -- {UP}\n")
    bash.type(f"sh {path}")
    bash.expect_line("up")
    app = App(bash.sandbox)
    bash.press("Z")
    bash.expect("^Z")
    assert app.state() == "active"
    os.kill(app.proxy, signal.SIGUSR1)
    bash.prompt()


# MARK: Background jobs


def test_started_in_background(bash):
    """`&` starts it active; reading the terminal stops the job, `fg` lets it read."""
    bash.do(f"curfew run --name {NAME} -- cat &")
    app = App(bash.sandbox)
    bash.await_job("Stopped")
    app.wait("suspended")
    bash.foreground()
    bash.talk("hello")
    bash.press("D")
    bash.prompt()
    assert bash.status() == 0


def test_background_job_runs_and_comes_to_front(bash):
    """Started with `&` it is active; `fg` gives it Ctrl-C and Ctrl-Z."""
    bash.type(f"curfew run --name {NAME} -- {UP} &")
    bash.expect("up\r\n")
    app = App(bash.sandbox)
    assert app.state() == "active"
    bash.do("")
    bash.foreground()
    bash.insist_home()
    app.wait("suspended")
    bash.foreground()
    app.wait("active")
    bash.insist("C", PROMPT)
    assert bash.status() == 130


TICKS = "while :; do echo tick >> ticks; sleep 0.05; done"
# At rest once it is done: whoever moves held time waits for that.
TICKS_UNTIL_DONE = "while [ ! -e done ]; do echo tick >> ticks; sleep 0.05; done; exec sleep 300"


def test_a_sigcont_from_inside_leaves_the_job_stopped(bash):
    """The shell still has its job for stopped, so that `fg` opens it."""
    order, done = bash.sandbox.scratch / "order", bash.sandbox.scratch / "done"
    script = bash.sandbox.scratch / "inside.sh"
    script.write_text("""
        echo up
        while [ ! -e order ]; do sleep 0.02; done
        for round in 1 2 3; do kill -CONT $(cat order); sleep 0.02; done
        echo done > done
        exec sleep 300""")
    app = bash.start(f"bash {script}", options="--manual-clock --grace 60")
    bash.home()
    app.wait("background")
    order.with_suffix(".new").write_text(str(app.proxy))
    order.with_suffix(".new").rename(order)
    wait_for("the signals", done.exists)
    bash.sandbox.wait_told(NAME, "them to be noted", lambda: "signalIgnored" in bash.sandbox.curfew("events", NAME).stdout)
    app.wait_letter("T", app.proxy)
    assert app.state() == "background"
    bash.await_job("Stopped")
    bash.foreground()
    app.wait("active")
    bash.insist("C", PROMPT)
    assert bash.status() == 130


def test_bg_runs_without_the_terminal(bash):
    """After Ctrl-Z, `bg` opens it without the terminal: it runs on while the shell takes commands."""
    ticks = bash.sandbox.scratch / "ticks"
    app = bash.start(f"bash -c 'echo up; {TICKS}'")
    bash.home()
    app.wait("suspended")
    assert "&" in bash.do("bg")
    app.wait("active")
    assert growing(ticks)
    assert "Running" in bash.do("jobs")
    bash.foreground()
    bash.insist("C", PROMPT)
    assert bash.status() == 130


def test_fg_of_a_running_job_gives_it_the_terminal(bash):
    """`bg`, then `fg`: the shell sends no SIGCONT, and yet the program reads, stops and is told of a resize."""
    bash.run("""python3 -u -c '
import signal, sys, time
signal.signal(signal.SIGWINCH, lambda *_: print("resized"))
signal.signal(signal.SIGUSR1, lambda *_: print("line", sys.stdin.readline().strip()))
print("up")
while True: time.sleep(0.1)  # a moment'""")
    bash.expect_line("up")
    app = App(bash.sandbox)
    bash.home()
    bash.do("bg")
    app.wait("active")
    bash.foreground()
    bash.terminal.setwinsize(40, 90)
    bash.expect_line("resized")
    os.kill(app.proxy, signal.SIGUSR1)
    bash.type("words")
    bash.expect_line("line words")
    bash.home()
    app.wait("suspended")
    bash.do("kill -KILL %1")
    app.wait_gone()


@pytest.mark.parametrize("ignored", ["", "TTIN TTOU"])
def test_bg_of_a_reader_stops_it_again(bash, ignored):
    """In background, reading the terminal is home again: the shell says why, and `fg` gives it back; whatever the shell ignores."""
    if ignored:
        bash.do(f"trap '' {ignored}")
    app = bash.cat()
    bash.home()
    bash.do("bg")
    bash.await_job("Stopped")
    app.wait("suspended")
    bash.foreground()
    bash.talk("two")
    bash.press("D")
    bash.prompt()


# MARK: Background time


@pytest.mark.parametrize("tty", ["own", "shared"])
def test_runs_on_its_budget_and_is_suspended(bash, tty):
    """With a task open, Ctrl-Z brings the prompt at once and the app runs on, until the task ends."""
    ticks, done = bash.sandbox.scratch / "ticks", bash.sandbox.scratch / "done"
    work = "while [ ! -e done ]; do echo tick >> ticks; sleep 0.02; done"
    tail = "" if tty == "own" else "| cat"
    program = f"""bash -c 'echo up; curfew task run work -- bash -c "{work}"; {TICKS}'"""
    bash.type(f"curfew run --name {NAME} -- {program} {tail}")
    bash.expect_line("up")
    app = App(bash.sandbox)
    app.sandbox.wait_told(app.name, "the task", lambda: app.status()["openTasks"] == 1)
    bash.home()
    app.wait("background")
    assert growing(ticks)
    done.touch()
    app.wait("suspended")
    bash.type("fg")
    app.wait("active")
    assert growing(ticks)
    bash.insist("C", PROMPT)
    app.wait_gone()


@pytest.mark.parametrize("tty", ["own", "shared"])
def test_budget_spent_while_stopped(bash, tty):
    """The budget spent, the whole tree is killed and the shell hears 124, though it had stopped the job."""
    tail = "" if tty == "own" else "| cat"
    program = f"bash -c 'setsid sleep 300 & curfew task begin work; echo up; {TICKS_UNTIL_DONE}'"
    bash.type(f"curfew run --name {NAME} --manual-clock --budget 1s -- {program} {tail}")
    bash.expect_line("up")
    app = App(bash.sandbox)
    bash.home()
    assert growing(bash.sandbox.scratch / "ticks")
    (bash.sandbox.scratch / "done").touch()
    app.run_out()
    app.wait_gone()
    if tty == "own":
        bash.await_job("Exit 124")
    else:
        bash.do("fg")
    wait_for("nothing to be left", lambda: len(bash.sandbox.processes()) == 1)


def test_wait_after_the_budget_gives_the_status(bash):
    """`wait` for the stopped job of a killed app gives 124."""
    app = bash.start("sh -c 'curfew task begin work; echo up; exec sleep 300'", options="--manual-clock --budget 0.5s")
    bash.home()
    app.run_out()
    bash.expect("background-task-timeout")
    app.wait_gone()
    bash.do("wait %1")
    assert bash.status() == 124


def test_grace(bash):
    """A plain app with grace runs on for it, the prompt already there, and is then suspended."""
    ticks, done = bash.sandbox.scratch / "ticks", bash.sandbox.scratch / "done"
    app = bash.start(f"bash -c 'echo up; {TICKS_UNTIL_DONE}'", options="--manual-clock --grace 1s")
    bash.home()
    assert app.state() == "background"
    assert growing(ticks)
    done.touch()
    app.do("advance", "1s")
    app.wait("suspended")
    bash.foreground()
    app.wait("active")
    bash.insist("C", PROMPT)


def test_fg_during_the_grace(bash):
    """Opened before its time is over it has the terminal again, also when it had been stopped for using it."""
    app = bash.cat("--manual-clock --grace 100s")
    bash.home()
    app.wait("background")
    app.wait_letter("T")
    bash.foreground()
    app.wait("active")
    bash.talk("two")
    bash.press("D")
    bash.prompt()


def test_open_from_elsewhere_during_the_grace(bash):
    """Stopped for reading the terminal while it ran on, it is continued by whoever opens it, and then asks again."""
    app = bash.cat("--manual-clock --grace 100s")
    bash.home()
    app.wait("background")
    app.wait_letter("T")
    app.do("open")
    app.sandbox.wait_told(app.name, "its home events", lambda: app.events("background") == 2)
    app.wait_letter("T")
    app.wait_proxy_stopped()
    bash.await_job("Stopped")
    bash.foreground()
    bash.talk("two")
    bash.press("D")
    bash.prompt()


AWARE = """
import os, socket, sys
channel = socket.socket(fileno=int(os.environ["CURFEW_FD"]))
def say(line): channel.sendall(line.encode() + b"\\n")
say("hello version=1 client=test")
for line in channel.makefile():
    fields = dict(word.partition("=")[::2] for word in line.split()[1:])
    if line.startswith("ok"): print("up", flush=True)
    if "name" in fields: open("events", "a").write(fields["name"] + "\\n")
    if fields.get("ack") == "required" and len(sys.argv) < 2: say("ack seq=" + fields["seq"])
"""


def test_aware_app(bash):
    """An aware app hears of Ctrl-Z and `fg`, though the terminal had stopped it."""
    events = bash.sandbox.scratch / "events"
    path = script(bash.sandbox, "aware.py", AWARE)
    app = bash.start(f"python3 {path}")
    wait_for("it to be active", lambda: events.exists() and "didBecomeActive" in events.read_text())
    bash.home()
    app.wait("suspended")
    assert events.read_text().split()[-2:] == ["willResignActive", "didEnterBackground"]
    bash.foreground()
    app.wait("active")
    wait_for("both events", lambda: events.read_text().split()[-2:] == ["willEnterForeground", "didBecomeActive"])
    bash.press("C")
    bash.prompt()


def test_aware_app_that_never_acknowledges(bash):
    """It is killed by its watchdog while the shell has its job stopped."""
    path = script(bash.sandbox, "aware.py", AWARE)
    app = bash.start(f"python3 {path} deaf", options="--manual-clock --enter-background-limit 0.3s")
    bash.home()
    app.run_out()
    bash.expect("scene-update-watchdog")
    app.wait_gone()
    bash.do("wait %1")
    assert bash.status() == 124


# MARK: A shell as the app


def nested(bash, options=""):
    """A bash in curfew in bash; the inner one has a prompt of its own."""
    bash.type(f"PS1='inn''er: ' curfew run --name {NAME} {options} -- bash --norc --noprofile -i")
    bash.expect("inner: ")
    return App(bash.sandbox)


def inner_do(bash, line):
    bash.type(line)
    bash.expect("inner: ")
    return bash.terminal.before.partition("\n")[2]


def test_job_control_inside_an_app(bash):
    """Ctrl-Z inside a nested shell stops its job, not the app."""
    app = nested(bash)
    bash.type("sleep 300")
    wait_for("the inner job", lambda: has_terminal(app, "sleep"))
    bash.press("Z")
    bash.expect("inner: ")
    assert app.state() == "active"
    assert "Stopped" in inner_do(bash, "jobs")
    assert "&" in inner_do(bash, "bg")
    assert "Running" in inner_do(bash, "jobs")
    inner_do(bash, "kill %1; wait")
    bash.type("exit 5")
    bash.prompt()
    assert bash.status() == 5


def test_running_inner_job_survives_home(bash):
    """Sent home from elsewhere and opened with `fg`, a nested shell and its running job notice nothing."""
    app = nested(bash)
    inner_do(bash, "sleep 300 &")
    inner_do(bash, "sleep 301 | cat &")
    for _ in range(3):
        app.do("home")
        assert "Stopped" in bash.prompt()
        app.wait("suspended")
        bash.foreground()
        app.wait("active")
        assert "Stopped" not in inner_do(bash, "")
    jobs = inner_do(bash, "jobs")
    assert jobs.count("Running") == 2 and "Stopped" not in jobs
    inner_do(bash, "kill %1 %2; wait")
    bash.type("exit")
    bash.prompt()


def test_inner_foreground_job_gets_the_terminal_back(bash):
    """Home from elsewhere while an inner job has the terminal: after `fg` that job reads on."""
    app = nested(bash)
    bash.type("cat")
    wait_for("cat to have the terminal", lambda: has_terminal(app, "cat"))
    bash.talk("one")
    app.do("home")
    bash.prompt()
    app.wait("suspended")
    assert "shell" in bash.do("echo shell")
    bash.foreground()
    app.wait("active")
    bash.talk("two")
    bash.press("D")
    bash.expect("inner: ")
    bash.type("exit")
    bash.prompt()


# MARK: Driven from elsewhere


def test_home_and_open_from_elsewhere(bash):
    """`curfew home` brings the prompt; `curfew open` continues without the terminal; `fg` gives it."""
    ticks = bash.sandbox.scratch / "ticks"
    app = bash.start(f"bash -c 'echo up; {TICKS}'")
    app.do("home")
    assert "Stopped" in bash.prompt()
    assert app.state() == "suspended"
    app.do("open")
    assert growing(ticks)
    bash.await_job("Running")
    bash.foreground()
    bash.insist("C", PROMPT)
    assert bash.status() == 130


def test_open_from_elsewhere_and_read(bash):
    """Opened from elsewhere, a reader goes home again, and the shell says for which reason."""
    app = bash.cat()
    bash.home()
    app.wait("suspended")
    app.do("open")
    app.wait("suspended")
    app.wait_proxy_stopped()
    bash.await_job("Stopped")
    bash.foreground()
    bash.talk("two")
    bash.press("D")
    bash.prompt()


def test_quit_while_suspended(bash):
    """`curfew quit` of a suspended app ends the stopped job with 137."""
    app = bash.start()
    bash.home()
    app.wait("suspended")
    app.do("quit")
    app.wait_gone()
    bash.await_job("Exit 137")


# MARK: Signals to the proxy


def test_stop_and_continue_by_signal(bash):
    """kill -TSTP of the proxy is home, kill -CONT opens without the terminal."""
    app = bash.start()
    os.kill(app.proxy, signal.SIGTSTP)
    bash.prompt()
    app.wait("suspended")
    os.kill(app.proxy, signal.SIGCONT)
    app.wait("active")
    app.wait_letter("S")
    bash.foreground()
    bash.insist("C", PROMPT)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_end_by_signal(bash, number):
    """TERM, INT and HUP sent to the proxy quit the app; a plain one gets SIGTERM."""
    app = bash.start()
    os.kill(app.proxy, number)
    bash.prompt()
    assert bash.status() == 128 + signal.SIGTERM
    app.wait_gone()


def test_end_by_the_shells_kill_while_stopped(bash):
    """The shell's own `kill %1` ends a suspended app."""
    app = bash.start()
    bash.home()
    app.wait("suspended")
    said = bash.do("kill %1")
    app.wait_gone()
    assert "Exit 137" in said + bash.do("jobs")


def test_other_signals_are_the_programs(bash):
    """USR1 and WINCH sent to the proxy reach the program."""
    traps = 'trap "echo one" USR1; trap "echo size" WINCH'
    app = bash.start(f"bash -c '{traps}; echo up; while :; do sleep 0.05; done'")
    os.kill(app.proxy, signal.SIGUSR1)
    bash.expect_line("one")
    os.kill(app.proxy, signal.SIGWINCH)
    bash.expect_line("size")
    os.kill(app.proxy, signal.SIGTERM)
    bash.prompt()


def test_signals_without_a_terminal(sandbox):
    """Without a terminal TSTP suspends, CONT opens, and TERM ends."""
    running = sandbox.shell("echo up; exec sleep 300", start_new_session=True)
    running.expect("up")
    running.process.send_signal(signal.SIGTSTP)
    running.wait_state("suspended")
    running.process.send_signal(signal.SIGCONT)
    running.wait_state("active")
    running.process.send_signal(signal.SIGTERM)
    assert running.wait() == 128 + signal.SIGTERM


def test_nohup(bash):
    """Under nohup neither a HUP nor the end of the terminal ends it."""
    bash.do(f"nohup curfew run --name {NAME} -- bash -c '{TICKS}' > out 2>&1 < /dev/null &")
    app = App(bash.sandbox)
    os.kill(app.proxy, signal.SIGHUP)
    bash.hang_up()
    wait_for("the shell to end", lambda: reap(bash.pid))
    assert growing(bash.sandbox.scratch / "ticks")
    app.do("quit")
    app.wait_gone()




@pytest.mark.parametrize("state", ["active", "suspended", "background"])
def test_closed_terminal(bash, state):
    """The window closed, the app is gone, whatever it was doing."""
    app = bash.start("sh -c 'curfew task begin x; echo up; exec sleep 300'" if state == "background" else UP)
    if state != "active":
        bash.home()
    app.wait(state)
    bash.hang_up()
    app.wait_gone()
    wait_for("nothing to be left", lambda: reap(bash.pid) and not bash.sandbox.processes())


def test_proxy_stopped_and_continued(bash):
    """kill -STOP of a background job and CONT leave a working app."""
    app = bash.start()
    bash.home()
    bash.do("bg")
    app.wait("active")
    bash.do("kill -STOP %1")
    bash.await_job("Stopped")
    bash.do("kill -CONT %1")
    app.wait("active")
    app.wait_letter("S")
    bash.foreground()
    bash.insist("C", PROMPT)
    assert bash.status() == 130


@pytest.mark.parametrize("half", ["proxy", "supervisor"])
@pytest.mark.parametrize("state", ["active", "suspended"])
def test_half_killed(bash, half, state):
    """SIGKILL of either half of Curfew leaves nothing, and the shell's job is over."""
    before = bash.do("stty -g")
    app = bash.start("sh -c 'setsid sleep 300 & echo up; exec sleep 300'")
    if state == "suspended":
        bash.home()
        app.wait(state)
    os.kill(getattr(app, half), signal.SIGKILL)
    if state == "active":
        bash.prompt()
        assert bash.status() == (137 if half == "proxy" else 125)
    app.wait_gone()
    wait_for("nothing to be left", lambda: len(bash.sandbox.processes()) == 1 and not cgroups(NAME))
    wait_for("no job", lambda: not bash.do("jobs"))
    assert bash.do("stty -g") == before


# MARK: Without a shell around, and with another


def test_stop_key_without_a_shell(shells):
    """Where nobody could continue it, Ctrl-Z does nothing, as without Curfew."""
    terminal = shells(binary(), ["run", "--name", NAME, "--", "cat"])
    app = App(terminal.sandbox)
    terminal.talk("one")
    terminal.press("Z")
    terminal.expect("^Z")
    terminal.talk("two")
    assert app.state() == "active"
    terminal.press("D")
    terminal.terminal.expect(pexpect.EOF)


@pytest.mark.parametrize("is_asleep", [False, True])
def test_a_caller_that_ignores_what_stops_readers(shells, is_asleep):
    """As tmux does: at home a program that reads is stopped, and doesn't find its terminal broken. Without a terminal of its own it
    has its signals as the caller had them."""
    terminal = shells("bash", ["-c", f"""trap '' TTIN TTOU
        {binary()} run -- grep SigIgn /proc/self/status </dev/null | cat
        exec {binary()} run --name {NAME} --wake-on=terminal --grace=inf -- sh -c 'grep SigIgn /proc/self/status; exec cat'"""])
    both = 1 << signal.SIGTTIN - 1 | 1 << signal.SIGTTOU - 1
    for expected in [both, 0]:
        terminal.terminal.expect(r"SigIgn:\s+([0-9a-f]+)\r\n")
        assert int(terminal.terminal.match[1], 16) & both == expected
    app = App(terminal.sandbox)
    terminal.talk("one")
    if is_asleep:
        app.do("sleep")
    app.do("home")
    # `cat` begins to read anew once it has got this, if it hasn't yet.
    terminal.type("two")
    wait_for("it to be stopped", lambda: state_letter(app.pid) == "T")
    app.do("open")
    terminal.expect("two\r\ntwo\r\n")
    terminal.talk("three")
    terminal.press("D")
    terminal.terminal.expect(pexpect.EOF)


def test_stop_key_in_a_script_without_a_shell(shells):
    """The same for a script that is all there is in the terminal."""
    terminal = shells("sh", ["-c", f"{binary()} run --name {NAME} -- cat; echo over"])
    App(terminal.sandbox)
    terminal.talk("one")
    terminal.press("Z")
    terminal.expect("^Z")
    terminal.talk("two")
    terminal.press("D")
    terminal.expect_line("over")


def test_home_from_elsewhere_without_a_shell(shells):
    """Sent home and opened by somebody, it has the terminal again; suspended, Ctrl-C ends it."""
    terminal = shells(binary(), ["run", "--name", NAME, "--", "cat"])
    app = App(terminal.sandbox)
    terminal.talk("one")
    app.do("home")
    app.wait("suspended")
    app.do("open")
    terminal.talk("two")
    app.do("home")
    app.wait("suspended")
    terminal.press("C")
    terminal.terminal.expect(pexpect.EOF)
    app.wait_gone()


@pytest.mark.parametrize("state", ["active", "suspended"])
def test_closed_terminal_without_a_shell(shells, state):
    """The only process of a terminal ends with it."""
    terminal = shells(binary(), ["run", "--name", NAME, "--", "cat"])
    app = App(terminal.sandbox)
    terminal.talk("one")
    if state == "suspended":
        app.do("home")
    app.wait(state)
    terminal.hang_up()
    wait_for("nothing to be left", lambda: reap(terminal.pid) and not terminal.sandbox.processes())


def test_dash(shells):
    """Another shell's job control: Ctrl-Z, `fg`, `bg`, Ctrl-C, and the status."""
    dash = shells("dash", ["-i"])
    dash.prompt()
    app = dash.start()
    assert "Stopped" in dash.home()
    app.wait("suspended")
    dash.foreground()
    app.wait("active")
    dash.insist_home()
    dash.do("bg")
    app.wait("active")
    dash.foreground()
    dash.insist("C", PROMPT)
    assert dash.status() == 130


def test_wait_all_and_the_stop_key(bash):
    """With the command gone and its rest awaited, Ctrl-Z is still home."""
    app = bash.start("sh -c 'sleep 300 & echo up'", options="--wait-all")
    app.wait_letter("-")
    assert "Stopped" in bash.home()
    bash.foreground()
    app.wait("active")
    app.do("quit")
    bash.prompt()
    app.wait_gone()


def test_the_shell_hears_why_it_stopped(bash):
    """Ctrl-Z stops the job as by SIGTSTP, a read in background as by SIGTTIN."""
    bash.cat()
    bash.home()
    assert bash.status() == 128 + signal.SIGTSTP
    bash.do("bg")
    bash.await_job("Stopped (tty input)")
    bash.foreground()
    bash.talk("two")
    bash.press("D")
    bash.prompt()


def test_launched_into_background(bash):
    """Launched into background it doesn't take the terminal; Ctrl-Z brings the prompt, `fg` opens it."""
    bash.run("cat", options="--background --grace 0.2s")
    app = App(bash.sandbox)
    app.wait("suspended")
    bash.home()
    bash.foreground()
    app.wait("active")
    bash.talk("one")
    bash.press("D")
    bash.prompt()
