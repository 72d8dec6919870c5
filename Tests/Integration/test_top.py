"""`curfew top` in a terminal: what it shows, what its keys do, and the terminal as it was, however it ends."""

import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from conftest import LIMIT, state_letter, wait_for
from programs.fake_supervisors import FakeSupervisors

pytestmark = pytest.mark.skipif(not shutil.which("tmux"), reason="tmux isn't installed")
LEAVES = "q leave"


class Pane:
    """A terminal in which one thing runs, of a tmux server of its own."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.asked = 0
        self.environment = dict(sandbox.environment, SHELL="/bin/sh", LC_ALL="C.UTF-8", HOME=str(sandbox.scratch))
        for variable in ("TMUX", "TMUX_PANE", "NO_COLOR", "COLUMNS", "LINES"):
            self.environment.pop(variable, None)

    def tmux(self, *words):
        command = ["tmux", "-u", "-S", str(self.sandbox.runtime / "tmux"), "-f", "/dev/null", *map(str, words)]
        result = subprocess.run(command, env=self.environment, cwd=self.sandbox.scratch, capture_output=True, text=True, timeout=LIMIT)
        assert result.returncode == 0, (words, result.stderr)
        return result.stdout

    def begin(self, command="curfew top", columns=80, rows=24):
        """Tells the status with which that ended; tmux itself doesn't always know."""
        self.open(f"{command}; echo ended with $?; exec sleep 1000", columns, rows)

    def open(self, command, columns, rows):
        self.tmux("start-server", ";", "set-option", "-g", "status", "off", ";", "set-option", "-g", "default-terminal", "screen", ";",
                  "new-session", "-d", "-x", columns, "-y", rows, command)

    def shell(self, columns=80, rows=24, options=""):
        """A shell with job control, for what a shell is to see."""
        self.open(f"PS1='$ ' exec bash --norc --noprofile {options} -i", columns, rows)
        self.sees("a prompt", lambda: self.lines()[0].startswith("$"))

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def lines(self):
        """As many as the terminal has, without blanks at their ends."""
        return self.tmux("capture-pane", "-p").split("\n")[:int(self.format("#{pane_height}"))]

    def text(self):
        return "\n".join(self.lines())

    def format(self, words):
        return self.tmux("display-message", "-p", words).strip()

    def sees(self, what, probe):
        try:
            return wait_for(what, probe)
        except pytest.fail.Exception:
            pytest.fail(f"waited for {what}; the screen:\n{self.text()}")

    def shows(self, *parts):
        self.sees(f"the screen to show {parts}", lambda: all(part in self.text() for part in parts))

    def last(self, words):
        self.sees(f"the last line to say {words!r}", lambda: words in self.lines()[-1])

    def row(self, name):
        """The words of an app's row, without the mark of the selection; None where there is none."""
        for line in self.lines():
            if re.match(rf"[> ]{re.escape(name)} ", line + " "):
                return line[1:].split()
        return None

    def shows_state(self, name, state):
        self.sees(f"{name} to be shown as {state}", lambda: (self.row(name) or [None, None])[1:2] == [state])

    def selected(self):
        return next((line[1:].split()[0] for line in self.lines() if line.startswith(">")), None)

    def ended(self):
        """The status it ended with."""
        found = self.sees("it to end", lambda: re.search(r"^ended with (\d+)", self.text(), re.M))
        return int(found.group(1))

    def pid(self):
        return int(self.format("#{pane_pid}"))

    def close(self):
        subprocess.run(["tmux", "-S", str(self.sandbox.runtime / "tmux"), "kill-server"], env=self.environment, capture_output=True)


@pytest.fixture
def pane(sandbox):
    pane = Pane(sandbox)
    yield pane
    pane.close()


@pytest.fixture
def fakes(sandbox):
    fakes = FakeSupervisors(sandbox.runtime)
    yield fakes
    fakes.close()


def children(pid):
    return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def starts(sandbox, name, *options):
    app = sandbox.shell("echo ready; exec sleep 1000", name=name, options=options)
    app.expect("ready")
    return app


# MARK: What it shows

@pytest.mark.parametrize("columns, rows", [(80, 24), (200, 50), (40, 10)])
def test_shows_each_app_and_what_happens_to_it(sandbox, pane, columns, rows):
    web = starts(sandbox, "web", "--memory", "100M")
    pane.begin(columns=columns, rows=rows)
    pane.shows("1 app: 1 in front", "STATE", LEAVES)
    pane.shows_state("web", "active")
    # By somebody else.
    sandbox.curfew("home", "web", check=True)
    pane.shows_state("web", "suspended")
    starts(sandbox, "db")
    pane.shows_state("db", "active")
    pane.shows("2 apps: 1 in front")
    sandbox.curfew("quit", "web", check=True)
    pane.sees("web to be gone", lambda: pane.row("web") is None)
    web.wait()
    pane.press("q")
    assert pane.ended() == 0


def test_says_that_there_is_no_app_and_sees_the_first(sandbox, pane):
    pane.begin()
    pane.shows("No app is running")
    starts(sandbox, "first")
    pane.shows_state("first", "active")


def test_a_task_runs_on_its_budget_and_the_bar_runs_down(sandbox, pane):
    app = sandbox.shell("curfew task begin 'nightly 写真' > /dev/null; echo ready; exec sleep 1000", name="backup", options=["--budget", "1h"])
    app.expect("ready")
    sandbox.curfew("home", "backup", check=True)
    pane.begin()
    pane.shows_state("backup", "background")
    pane.shows('"nightly 写真"')

    def left():
        found = re.search(r"[█▉-▏]+░* +(\d+m\d\ds)", pane.text())
        return found and found.group(1)

    first = pane.sees("a bar and what is left", left)
    pane.sees("less to be left", lambda: left() not in (None, first))


def test_asleep_and_what_would_wake_it(sandbox, pane, fakes):
    fakes.add("cache", "suspended", **{"asleep": "true", "wake-on": "connections:6379"})
    pane.begin()
    pane.shows_state("cache", "asleep")
    assert "connections:6379" in pane.row("cache")
    pane.shows("asleep until there is input: connections:6379", "1 app: 1 asleep")


def test_wide_characters_stay_in_their_columns(sandbox, pane):
    app = sandbox.shell(": 写真バックアップ👨‍👩‍👧; echo ready; exec sleep 1000", name="wide")
    app.expect("ready")
    pane.begin(columns=200, rows=50)
    pane.shows("写真バックアップ👨👩👧")
    lines = pane.lines()
    assert len(lines) == 50 and LEAVES in lines[-1]


@pytest.mark.parametrize("setting", ["TERM=vt100", "TERM=vt100 LC_ALL=C", "NO_COLOR=1", "LC_ALL=POSIX"])
def test_without_colour_or_unicode(sandbox, pane, setting):
    starts(sandbox, "web")
    pane.begin(f"{setting} curfew top")
    pane.shows_state("web", "active")
    attributes = re.findall(r"\x1b\[([\d;]*)m", pane.tmux("capture-pane", "-p", "-e"))
    colours = {code for codes in attributes for code in codes.split(";") if re.fullmatch(r"[349]\d", code)} - {"39", "49"}
    assert colours == set()
    if "LC_ALL" in setting:
        assert pane.text().isascii()


def test_colours_where_there_are_some(sandbox, pane):
    starts(sandbox, "aaa")
    starts(sandbox, "web")
    pane.begin()
    pane.shows_state("web", "active")
    assert "\x1b[32mactive" in pane.tmux("capture-pane", "-p", "-e")


# MARK: Keys

def test_home_open_and_a_refusal_in_words(sandbox, pane):
    starts(sandbox, "web")
    pane.begin()
    pane.shows_state("web", "active")
    pane.press("h")
    pane.last("web is home: suspended now")
    pane.shows_state("web", "suspended")
    pane.press("w")
    pane.last("web: warn was refused (suspended)")
    pane.press("o")
    pane.last("web is open: active now")
    pane.press("w")
    pane.last("web was told that memory runs short")
    assert "memoryWarning" in sandbox.curfew("events", "web").stdout


def test_quit_asks_first(sandbox, pane):
    web = starts(sandbox, "web")
    pane.begin()
    pane.shows_state("web", "active")
    pane.press("Q")
    pane.last("End web")
    pane.press("n")
    pane.last("web was left alone")
    assert web.process.poll() is None
    pane.press("Q")
    pane.last("End web")
    pane.press("y")
    pane.last("web has ended")
    web.wait()
    pane.shows("No app is running")


def test_select_sort_filter_and_help(sandbox, pane, fakes):
    for name, footprint in [("alpha", 10_000_000), ("beta", 90_000_000), ("gamma", 50_000_000)]:
        fakes.add(name, "active", footprint=footprint)
    pane.begin()
    pane.shows("3 apps")
    pane.sees("alpha to be selected", lambda: pane.selected() == "alpha")
    pane.press("Down", "j")
    pane.sees("gamma to be selected", lambda: pane.selected() == "gamma")
    pane.press("Up")
    pane.sees("beta to be selected", lambda: pane.selected() == "beta")
    pane.press("s", "s", "s")
    pane.last("sorted by memory")
    pane.sees("beta to be first", lambda: pane.lines()[3].startswith(">beta"))
    pane.press("/")
    pane.type("AMM")
    pane.last("Filter: AMM_")
    pane.press("Enter")
    pane.sees("gamma alone", lambda: pane.row("gamma") and not pane.row("beta") and pane.selected() == "gamma")
    pane.press("Escape")
    pane.sees("all again", lambda: pane.row("beta"))
    pane.press("?")
    pane.shows("home: to the background", "any key goes back")
    pane.press("x")
    pane.last(LEAVES)


def test_the_selected_app_ends(sandbox, pane):
    apps = {name: starts(sandbox, name) for name in ("aa", "bb", "cc")}
    pane.begin()
    pane.shows_state("cc", "active")
    pane.press("j")
    pane.sees("bb to be selected", lambda: pane.selected() == "bb")
    os.kill(apps["bb"].status()["pid"], signal.SIGKILL)
    pane.last("bb has ended by signal 9")
    pane.sees("cc to be selected", lambda: pane.selected() == "cc")
    pane.press("h")
    pane.last("cc is home: suspended now")
    assert apps["aa"].status()["state"] == "active"


def test_a_hundred_apps(sandbox, pane, fakes):
    for number in range(100):
        fakes.add(f"app{number:02}", "suspended" if number % 2 else "active")
    pane.begin()
    pane.shows("100 apps: 50 in front, 50 suspended")
    pane.press("G")
    pane.sees("the last to be selected", lambda: pane.selected() == "app99")
    pane.press("PPage")
    pane.sees("one further up to be selected", lambda: pane.selected() not in ("app99", None))
    pane.press("g")
    pane.sees("the first to be selected", lambda: pane.selected() == "app00")
    # Who runs and is in sight is asked again and again; nobody has asked those that are suspended more than once.
    wait_for("app00 to be asked again", lambda: fakes.count("app00", "status") > fakes.count("app98", "status") + 1)
    assert {fakes.count(f"app{number:02}", "status") for number in range(1, 100, 2)} == {1}
    fakes.tell("app01", "stateDidChange", **{"from": "suspended", "to": "active"})
    pane.shows_state("app01", "active")
    pane.shows("51 in front")
    assert fakes.count("app03", "status") == 1


def test_a_servers_apps(sandbox, pane, fakes):
    fakes.add_server("home", {"mail": "active", "chat": "suspended", "game": "notRunning"})
    pane.begin()
    for name, state in [("mail", "active"), ("chat", "suspended"), ("game", "notRunning")]:
        pane.shows_state(name, state)
    assert fakes.count(None, "events") == 1 and fakes.count("game", "status") == 0
    fakes.tell("mail", "stateDidChange", **{"from": "active", "to": "background"})
    pane.shows_state("mail", "background")
    pane.press("h")
    pane.last("mail is home: background now")
    assert fakes.count("mail", "home") == 1


def test_a_server_without_an_app(sandbox, pane):
    pane.begin()
    pane.shows("No app is running; `curfew run")
    server = sandbox.serve()
    pane.shows("The server home has no app; `curfew launch")
    server.launch("mail", "sleep", "1000")
    pane.shows_state("mail", "active")
    server.expect("remove app=mail")
    pane.shows("The server home has no app; `curfew launch")
    server.expect("stop")
    pane.shows("No app is running; `curfew run")


def test_a_server_of_many_apps(sandbox, pane, fakes):
    fakes.add_server("home", {f"app{number:03}": "suspended" if number % 3 else "background" for number in range(300)})
    pane.begin()
    pane.shows("300 apps: 100 in background, 200 suspended")
    pane.press("G")
    pane.sees("the last to be selected", lambda: pane.selected() == "app299")
    # Each was asked, and on the one socket.
    wait_for("each to have been asked", lambda: all(fakes.count(f"app{number:03}", "status") for number in range(300)))
    assert {fakes.count(f"app{number:03}", "status") for number in range(300) if number % 3} == {1}
    assert fakes.count(None, "events") == 1


# MARK: The terminal

def test_resized(sandbox, pane, fakes):
    for number in range(30):
        fakes.add(f"app{number:02}", "suspended")
    pane.begin()
    pane.shows("30 apps", LEAVES)
    for columns, rows in [(200, 50), (40, 10), (13, 3), (100, 30)]:
        pane.tmux("resize-window", "-x", columns, "-y", rows)
        pane.sees("the last line at the bottom", lambda: len(pane.lines()) == rows and pane.lines()[-1].strip())
        pane.sees("apps", lambda: pane.selected() == "app00")
    pane.shows("30 apps: 30 suspended", LEAVES)


def is_usual(pane):
    """Whether the terminal is as a shell has it."""
    return (pane.format("#{alternate_on}"), pane.format("#{cursor_flag}")) == ("0", "1")


def asserts_usual(pane):
    pane.sees("the usual screen", lambda: is_usual(pane))
    pane.asked += 1
    pane.type(f"stty -a | tr ';' ' ' | tr ' ' '\\n' | grep -xE -- '-?(echo|icanon)' | tr '\\n' '.'; echo {pane.asked}\n")
    # The prompt may come behind what was typed.
    pane.sees("an echo and whole lines", lambda: re.search(rf"^(\$ )?(icanon\.echo|echo\.icanon)\.{pane.asked}$", pane.text(), re.M))


def test_suspended_by_ctrl_z_and_continued(sandbox, pane):
    starts(sandbox, "web")
    pane.shell()
    pane.type("curfew top\n")
    pane.shows_state("web", "active")
    pane.press("C-z")
    pane.shows("Stopped")
    asserts_usual(pane)
    sandbox.curfew("home", "web", check=True)
    pane.type("fg\n")
    pane.shows_state("web", "suspended")
    pane.press("o")
    pane.last("web is open: active now")
    pane.press("q")
    asserts_usual(pane)


def test_drawing_loses_no_stop_key(sandbox, pane, strace):
    """Who has one pending and ignores it for a moment has lost it; ncurses does so where nobody else handles it."""
    trace = sandbox.scratch / "trace"
    starts(sandbox, "web")
    pane.shell()
    pane.type(f"{strace.command} -f -qq -o {trace} -e trace=rt_sigaction curfew top\n")
    pane.shows_state("web", "active")
    pane.press("s")
    pane.shows("by name")
    pane.press("q")
    asserts_usual(pane)
    calls = [line for line in trace.read_text().splitlines() if "rt_sigaction(SIGTSTP, {" in line]
    assert calls and not [line for line in calls if "sa_handler=SIG_IGN" in line], calls


TELLER = """
import subprocess
print("ended with", subprocess.run(["sh", "-c", "echo $$ > pid; exec curfew top"]).returncode)
"""


def test_in_background_it_leaves_the_terminal_alone(sandbox, pane):
    starts(sandbox, "web")
    pane.shell()
    pane.type("curfew top & true\n")
    pane.sees("it to wait", lambda: [state_letter(pid) for pid in children(pane.pid())] == ["T"])
    # The shell tells of it now, and not in the midst of what follows.
    pane.sees("the shell to tell of it", lambda: pane.type("\n") or "Stopped" in pane.text())
    asserts_usual(pane)
    pane.type("fg\n")
    pane.shows_state("web", "active")
    pane.press("C-z")
    pane.shows("Stopped")
    (guard,) = children(pane.pid())
    pane.type("clear; bg; jobs -r; echo done\n")
    # Both were stopped before, and the shell has told of that.
    pane.sees("them to be continued", lambda: re.search("^done$", pane.text(), re.M))
    pane.sees("both to wait", lambda: {state_letter(pid) for pid in [guard, *children(guard)]} == {"T"})
    pane.sees("the shell to tell of it", lambda: pane.type("\n") or "Stopped" in pane.text())
    asserts_usual(pane)
    pane.type("fg\n")
    pane.shows_state("web", "active")
    pane.press("q")
    asserts_usual(pane)


def test_where_nobody_could_continue_it_ctrl_z_does_nothing(sandbox, pane):
    starts(sandbox, "web")
    pane.begin()
    pane.shows_state("web", "active")
    pane.press("C-z", "h")
    pane.last("web is home: suspended now")
    pane.press("q")
    assert pane.ended() == 0


@pytest.mark.parametrize("whom", ["guard", "screen"])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGSEGV", "SIGKILL"])
def test_the_terminal_is_put_right_however_it_ends(sandbox, pane, name, whom):
    starts(sandbox, "web")
    (sandbox.scratch / "teller.py").write_text(TELLER)
    # When the guard has gone the shell has the terminal, maybe before the other one has put it right. With its editing bash
    # would take for the usual what it finds then.
    pane.shell(options="--noediting")
    pane.type("python3 teller.py\n")
    pane.shows_state("web", "active")
    guard = int((sandbox.scratch / "pid").read_text())
    (screen,) = children(guard)
    number = getattr(signal, name)
    os.kill(guard if whom == "guard" else screen, number)
    crashes = name in ("SIGSEGV", "SIGKILL")
    # What is written before the other one could put the terminal right is lost with its screen.
    if whom == "screen" or not crashes:
        pane.shows(f"ended with {-number}")
    if whom == "screen" and crashes:
        pane.shows(f"curfew: top: it ended by signal {number:d}")
    wait_for("both to be gone", lambda: not pathlib.Path(f"/proc/{screen}").exists())
    asserts_usual(pane)


def test_stopped_from_outside_and_continued(sandbox, pane):
    starts(sandbox, "web")
    pane.shell()
    pane.type("curfew top\n")
    pane.shows_state("web", "active")
    (guard,) = children(pane.pid())
    (screen,) = children(guard)
    os.kill(screen, signal.SIGSTOP)
    pane.shows("Stopped")
    asserts_usual(pane)
    pane.type("fg\n")
    pane.shows_state("web", "active")
    pane.press("q")
    asserts_usual(pane)


# MARK: What it can't do

def test_it_takes_a_terminal(sandbox):
    result = sandbox.curfew("top")
    assert (result.returncode, result.stdout) == (64, "")
    assert result.stderr == "curfew: top: it takes a terminal, for its keys and its screen; `curfew ps` lists the apps once\n"


@pytest.mark.parametrize("name, words", [
    ("nonsense", 'nothing is known of a terminal called "nonsense"; set TERM to what it is, such as xterm or vt100'),
    ("dumb", 'a terminal called "dumb" (TERM) can\'t be written to at any place'),
])
def test_a_terminal_that_will_not_do(sandbox, pane, name, words):
    pane.begin(f"TERM={name} curfew top", columns=120)
    assert pane.ended() == 1
    pane.shows(f"curfew: top: {words}")


def test_inside_an_app_others_are_not_its_business(sandbox, pane):
    starts(sandbox, "aaa")
    pane.begin("curfew run --name inner -- curfew top", columns=120)
    pane.shows_state("inner", "active")
    pane.shows("refused (forbidden)")
    pane.press("h")
    pane.last("home was refused (forbidden)")
    pane.press("q")
    assert pane.ended() == 0
