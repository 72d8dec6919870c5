"""The file for tmux: panes that nobody looks at fall asleep, and are awake when somebody does. Each test has a tmux of its own."""

import json
import pathlib
import re
import shutil
import signal
import subprocess

import pexpect
import pytest

from conftest import LIMIT, ROOT, wait_for

FILES = ROOT / "Sources/tmux"
WAKES = "--wake-on terminal"
# Long enough for a program to have begun when it has passed, and short enough to be waited for.
IDLE = "400ms"

pytestmark = [
    pytest.mark.skipif(not shutil.which("tmux"), reason="tmux isn't installed"),
    pytest.mark.skipif(not FILES.exists(), reason="the files for tmux aren't here")]


class Tmux:
    """A server without anybody's settings, and its terminals."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.clients = []
        self.environment = dict(sandbox.environment, TERM="xterm", SHELL="/bin/sh", LC_ALL="C.UTF-8", HOME=str(sandbox.scratch))
        for variable in ("TMUX", "TMUX_PANE"):
            self.environment.pop(variable, None)

    def command(self, *words):
        return ["tmux", "-S", str(self.sandbox.runtime / "tmux"), "-f", "/dev/null", *map(str, words)]

    def __call__(self, *words):
        result = subprocess.run(
            self.command(*words), env=self.environment, cwd=self.sandbox.scratch, capture_output=True, text=True, timeout=LIMIT)
        assert result.returncode == 0, (words, result.stderr)
        return result.stdout.rstrip("\n")

    def begin(self, idle=IDLE, file=FILES / "curfew.conf"):
        """A session with a window in which nothing of Curfew's runs, and the file."""
        self("new-session", "-d", "-s", "main", "-n", "desk", "-x", 80, "-y", 24, "cat")
        # What a program said of its failure can be read then. Before 3.3 tmux knows no `failed`.
        subprocess.run(
            self.command("set-option", "-g", "remain-on-exit", "failed"), env=self.environment, capture_output=True, timeout=LIMIT)
        self("set-option", "-g", "@curfew-idle", idle)
        self("source-file", file)

    def attach(self, session="main"):
        client = pexpect.spawn(
            self.command()[0], self.command("attach-session", "-t", session)[1:], env=self.environment, dimensions=(24, 80),
            cwd=str(self.sandbox.scratch), timeout=LIMIT)
        client.delaybeforesend = None
        self.clients.append(client)
        wait_for("the client to be attached", lambda: str(client.pid) in self("list-clients", "-F", "#{client_pid}").split())
        return client

    def format(self, text, target="main"):
        return self("display-message", "-p", "-t", target, text)

    def screen(self, target):
        return self("capture-pane", "-p", "-t", target).rstrip().splitlines()

    def app(self, name, command="cat", options=WAKES):
        """A window in which only that runs: it was begun in sight, and left."""
        self("new-window", "-t", "main:", "-n", name, self.run(name, command, options))
        app = self.known(name)
        self("select-window", "-t", "main:desk")
        return app

    def beside(self, name, target, command="cat", options=WAKES):
        """The same in a pane of another's window."""
        self("split-window", "-d", "-t", target, self.run(name, command, options))
        return self.known(name)

    def run(self, name, command, options):
        """Where it ends against expectation, its report is told with the failure."""
        self.sandbox.reports.mkdir(parents=True, exist_ok=True)
        return f"exec curfew run --name {name} --report {self.sandbox.reports}/{name}.json {options} -- {command}"

    def known(self, name):
        app = App(self, name)
        wait_for(f"{name} to run", lambda: (app.status() or {}).get("state") in ("active", "suspended"))
        return app

    def settle(self):
        """Waits until no look is under way, nor one to come."""
        wait_for("nobody to look", lambda: not self.lookers() and not self.is_to_look() and not self.lookers())

    def is_to_look(self):
        now = float(pathlib.Path("/proc/uptime").read_text().split()[0]) * 100
        return int(self("show-options", "-gqv", "@curfew-next") or 0) >= now

    def lookers(self):
        return [pid for pid in self.sandbox.processes() if "look.sh" in self.sandbox.describe([pid])]

    def tell_panes(self):
        """What each pane shows and whether its program has ended, as (title, text), for a test that has failed."""
        words = "#{pane_id}|#{window_name}: #{pane_current_command}, process #{pane_pid}, "
        words += "#{?pane_dead,ended with #{?pane_dead_signal,signal #{pane_dead_signal},status #{pane_dead_status}},running}"
        told = []
        try:
            for line in self("list-panes", "-a", "-F", words).splitlines():
                pane, _, title = line.partition("|")
                told.append(f"-- {pane}, {title}")
                told += [line for line in self.screen(pane) if line]
        except (AssertionError, subprocess.TimeoutExpired) as error:
            told.append(f"tmux doesn't answer: {error}")
        return [("panes", "\n".join(told))]

    def close(self):
        subprocess.run(self.command("kill-server"), env=self.environment, capture_output=True, timeout=LIMIT)
        for client in self.clients:
            if client.isalive():
                client.kill(signal.SIGKILL)
            wait_for("a client of tmux to end", lambda: not client.isalive())
            client.close()


class App:
    def __init__(self, tmux, name):
        self.tmux, self.sandbox, self.name = tmux, tmux.sandbox, name

    def status(self):
        result = self.sandbox.curfew("status", self.name, "--json")
        return json.loads(result.stdout) if result.returncode == 0 else None

    def events(self):
        return self.sandbox.curfew("events", self.name).stdout

    def is_asleep(self):
        return self.status().get("asleep") == "true"

    def is_awake(self):
        return self.status()["state"] == "active"

    def falls_asleep(self):
        self.sandbox.wait_told(self.name, f"{self.name} to fall asleep", self.is_asleep)

    def wakes(self):
        self.sandbox.wait_told(self.name, f"{self.name} to be awake", self.is_awake)

    def never_slept(self):
        return self.is_awake() and "didSleep" not in self.events()


@pytest.fixture
def tmux(sandbox):
    tmux = Tmux(sandbox)
    sandbox.tellers.append(tmux.tell_panes)
    yield tmux
    tmux.close()


def test_a_pane_that_nobody_looks_at_falls_asleep_and_wakes_when_it_is_looked_at(tmux):
    tmux.begin()
    tmux.attach()
    app = tmux.app("one")
    for _ in range(2):
        app.falls_asleep()
        tmux("select-window", "-t", "one")
        app.wakes()
        tmux("select-window", "-t", "desk")
    assert tmux.screen("one") == []


def test_what_is_typed_to_a_sleeper_is_read(tmux):
    """A line wakes it at once where keys are to; else it waits to be looked at."""
    tmux.begin()
    tmux.attach()
    keys, network = tmux.app("keys"), tmux.app("network", options="--wake-on connections")
    for app in (keys, network):
        app.falls_asleep()
        tmux("send-keys", "-t", app.name, "word", "Enter")
    keys.sandbox.wait_told("keys", "a key to wake it", lambda: "didWake  by=a key or line" in keys.events())
    assert network.is_asleep()
    tmux("select-window", "-t", "network")
    network.wakes()
    for app in (keys, network):
        wait_for(f"{app.name} to answer", lambda: tmux.screen(app.name) == ["word", "word"])


def test_what_input_has_woken_out_of_sight_sleeps_again_once_panes_change(tmux):
    tmux.begin()
    tmux.attach()
    app = tmux.app("one")
    app.falls_asleep()
    tmux.settle()
    tmux("send-keys", "-t", "one", "word", "Enter")
    app.wakes()
    tmux("split-window", "-t", "desk", "cat")
    app.falls_asleep()


def test_the_shell_notices_nothing(tmux):
    """No prompt comes of a sleep, and none of the waking."""
    tmux.begin()
    tmux.attach()
    tmux("new-window", "-t", "main:", "-n", "one", "env PS1='@ready@ ' HISTFILE= sh -i")
    wait_for("the prompt", lambda: tmux.screen("one") == ["@ready@"])
    tmux("send-keys", "-t", "one", f"curfew run --name one {WAKES} -- cat", "Enter")
    app = tmux.known("one")
    tmux("select-window", "-t", "desk")
    app.falls_asleep()
    tmux("select-window", "-t", "one")
    app.wakes()
    tmux("send-keys", "word", "Enter")
    wait_for("cat to answer", lambda: tmux.screen("one")[1:] == ["word", "word"])
    tmux("send-keys", "C-d")
    wait_for("the prompt", lambda: tmux.screen("one")[1:] == ["word", "word", "@ready@"])


def test_each_pane_that_is_shown_is_looked_at(tmux):
    """All of a window, but for what a zoomed pane hides; none of a session that nobody is attached to."""
    tmux.begin()
    client = tmux.attach()
    first = tmux.app("first")
    second = tmux.beside("second", "first")
    tmux("select-window", "-t", "first")
    first.wakes()
    second.wakes()
    tmux("resize-pane", "-Z", "-t", "first.0")
    second.falls_asleep()
    assert first.is_awake()
    tmux.settle()
    tmux("resize-pane", "-Z", "-t", "first.0")
    second.wakes()
    client.sendcontrol("b")
    client.send("d")
    first.falls_asleep()
    second.falls_asleep()
    tmux.attach()
    first.wakes()
    second.wakes()


@pytest.mark.parametrize("words", [
    "next-window -t main", "kill-window -t main:desk", "link-window -k -s main:one -t main:desk",
    "swap-pane -d -s main:one -t main:desk", "join-pane -d -s main:one -t main:desk", "switch-client -t other"])
def test_whatever_shows_a_pane_wakes_it(tmux, words):
    """At once: nobody comes to look later. (Of `swap-window` tmux tells nobody.)"""
    tmux.begin()
    tmux.attach()
    app = tmux.app("one")
    tmux("select-window", "-t", "main:one")
    tmux("select-window", "-t", "main:desk")
    tmux("new-session", "-d", "-s", "other", "-n", "more", "cat")
    tmux("link-window", "-s", "main:one", "-t", "other:")
    app.falls_asleep()
    tmux.settle()
    tmux(*words.split())
    app.wakes()


def test_a_window_that_two_sessions_show_is_looked_at_in_one(tmux):
    tmux.begin()
    tmux.attach()
    app, other = tmux.app("one"), tmux.app("other")
    tmux("new-session", "-d", "-s", "second", "-n", "empty", "cat")
    tmux("link-window", "-s", "main:one", "-t", "second:")
    other.falls_asleep()
    app.falls_asleep()
    tmux("select-window", "-t", "second:one")
    client = tmux.attach("second")
    app.wakes()
    tmux("switch-client", "-c", client_of(tmux, "second"), "-t", "main")
    app.falls_asleep()
    assert client.isalive() and other.is_asleep()


def client_of(tmux, session):
    return tmux("list-clients", "-t", session, "-F", "#{client_name}")


def test_the_focus_is_where_one_looks_if_one_says_so(tmux):
    """The pane, and, as far as it tells, the terminal."""
    tmux.begin()
    tmux("set-option", "-g", "@curfew-awake", "focused")
    tmux("set-option", "-g", "focus-events", "on")
    client = tmux.attach()
    first = tmux.app("first")
    second = tmux.beside("second", "first")
    tmux("select-window", "-t", "first")
    first.wakes()
    second.falls_asleep()
    tmux.settle()
    tmux("select-pane", "-t", "first.1")
    second.wakes()
    first.falls_asleep()
    client.send("\x1b[O")
    second.falls_asleep()
    tmux.settle()
    client.send("\x1b[I")
    second.wakes()
    assert first.is_asleep()


def test_who_was_put_elsewhere_by_hand_stays_there(tmux):
    """Asleep until it is opened, or at home: looking is no opening."""
    tmux.begin()
    tmux.attach()
    stays, home, witness = tmux.app("stays"), tmux.app("home"), tmux.app("witness")
    for app in (stays, home, witness):
        app.falls_asleep()
    tmux.sandbox.curfew("sleep", "--stay", "stays", check=True)
    tmux.sandbox.curfew("home", "home", check=True)
    # All in one window, so that one look is at all of them.
    tmux("join-pane", "-s", "stays", "-t", "witness")
    tmux("join-pane", "-s", "home", "-t", "witness")
    tmux("select-window", "-t", "witness")
    witness.wakes()
    wait_for("the looking to be over", lambda: tmux("list-panes", "-a", "-f", "#{@curfew-asleep}") == "")
    assert stays.status()["asleep"] == "until-opened"
    assert (home.status()["state"], home.status().get("asleep")) == ("suspended", None)


def test_who_isnt_to_sleep_is_left_alone(tmux):
    """Who wasn't told what wakes it, and whose pane or window says so. One look is at all, at the last pane last."""
    tmux.begin(idle="off")
    others = [tmux.app("untold", options=""), tmux.app("off"), tmux.app("window")]
    tmux("set-option", "-p", "-t", "off", "@curfew-idle", "off")
    tmux("set-option", "-w", "-t", "window", "@curfew-idle", "1h 30min")
    witness = tmux.app("witness")
    tmux("set-option", "-g", "@curfew-idle", IDLE)
    tmux.attach()
    witness.falls_asleep()
    assert [app.name for app in others if not app.never_slept()] == []


# Instead of curfew: tells of an app in each pane, of its CPU time by what was asked before, and notes who is put to sleep, whom it
# never calls asleep.
STANDS_IN = """#!/bin/sh
cd {folder} || exit
app() {{ printf '{{\\n    "app": "%s",\\n    "front": %s,\\n    "state": "active",\\n    "cpu": %s,\\n    "wakeOn": "terminal"\\n  }}\\n' "$@"; }}
case $1 in
ps)
    echo x >>asked
    asked=$(wc -l <asked)
    {apps} ;;
sleep) echo "$2" >>slept ;;
esac
"""


def stand_in(tmux, names, apps):
    """Has it stand in for curfew, with a pane for each name; the file in which it notes who is put to sleep."""
    folder = tmux.sandbox.scratch / "bin"
    folder.mkdir()
    tmux.environment["PATH"] = f"{folder}:{tmux.environment['PATH']}"
    tmux.begin(idle="off")
    for name in names:
        tmux("new-window", "-d", "-t", "main:", "-n", name, "exec cat")
    proxies = {name: tmux.format("#{pane_pid}", name) for name in names}
    (folder / "curfew").write_text(STANDS_IN.format(folder=folder, apps=apps.format(**proxies)))
    (folder / "curfew").chmod(0o755)
    tmux.attach()
    wait_for("a first look", (folder / "asked").exists)
    tmux.settle()
    (folder / "asked").unlink()
    tmux("set-option", "-g", "@curfew-idle", "100ms")
    # One look.
    tmux("new-window", "-d", "-t", "main:", "cat")
    return folder / "slept"


def test_who_works_is_left_alone(tmux):
    """Whenever somebody asks it has used another minute of CPU time; the other has the 10 % of 100 ms."""
    slept = stand_in(tmux, ["works", "idles"], "app works {works} $((asked * 60)).5; app idles {idles} 0.0$((asked % 2))")
    wait_for("somebody to be put to sleep again", lambda: slept.exists() and len(slept.read_text().split()) >= 3)
    assert set(slept.read_text().split()) == {"idles"}


def test_who_starts_out_of_sight_is_found(tmux):
    """In its pane is nobody yet when it is left."""
    slept = stand_in(tmux, ["late"], "[ $asked = 1 ] || app late {late} 0.5")
    wait_for("it to be put to sleep", slept.exists)


def test_who_cant_sleep_yet_is_tried_again(tmux):
    tmux.begin()
    tmux.attach()
    app = tmux.app("one", "sh -c 'task=$(curfew task begin x); read line; curfew task end $task; cat'")
    app.sandbox.wait_told(app.name, "its task", lambda: app.status()["openTasks"] == 1)
    witness = tmux.app("witness")
    witness.falls_asleep()
    assert app.never_slept()
    tmux("send-keys", "-t", "one", "Enter")
    app.falls_asleep()


def test_a_size_that_changes_wakes_nobody_who_isnt_seen(tmux):
    tmux.begin()
    client = tmux.attach()
    app = tmux.app("one", "sh -c 'while read line; do stty size; done'")
    app.falls_asleep()
    client.setwinsize(30, 90)
    wait_for("the window that is shown to have its new size", lambda: tmux.format("#{window_width}", "desk") == "90")
    assert app.is_asleep()
    tmux("select-window", "-t", "one")
    app.wakes()
    tmux("send-keys", "Enter")
    # One line is tmux's own.
    wait_for("it to see the size", lambda: "29 90" in tmux.screen("one"))
    assert app.events().count("didWake") == 1


def test_once_all_sleep_nothing_is_run_any_more(tmux):
    tmux.begin()
    tmux.attach()
    apps = [tmux.app(name) for name in ("first", "second")]
    for app in apps:
        app.falls_asleep()
    tmux.settle()
    assert tmux("list-panes", "-a", "-f", "#{@curfew-asleep}", "-F", "#{@curfew-asleep}").split() == ["first", "second"]


def test_sourced_twice_it_is_there_once(tmux):
    def hooks():
        return (tmux("show-hooks", "-g") + "\n" + tmux("show-hooks", "-gw")).splitlines()

    tmux.begin()
    before = hooks()
    assert sum("curfew-script" in hook for hook in before) == 8
    tmux("source-file", FILES / "curfew.conf")
    assert hooks() == before
    assert tmux("show-options", "-gv", "@curfew-idle") == IDLE


def test_it_takes_a_folder_with_blanks_and_quotes(tmux):
    folder = tmux.sandbox.scratch / "it's a \"folder\" $HOME"
    shutil.copytree(FILES, folder)
    tmux.begin(file=re.sub(r"([\[\]*?\\])", r"\\\1", str(folder / "curfew.conf")))
    tmux.attach()
    tmux.app("one").falls_asleep()


@pytest.mark.parametrize("option, value, words", [
    ("@curfew-idle", "10x", "isn't a time such as 10m"), ("@curfew-idle", "soon", "isn't a time such as 10m"),
    ("@curfew-idle", "10 m 5 q", "isn't a time such as 10m"), ("@curfew-idle-cpu", "some", "isn't a percentage such as 10%"),
    ("@curfew-awake", "focussed", "is neither visible nor focused")])
def test_a_value_that_is_none_is_named_and_nobody_sleeps(tmux, option, value, words):
    tmux.begin(**{"idle": value} if option == "@curfew-idle" else {})
    tmux("set-option", "-g", option, value)
    tmux.attach()
    app = tmux.app("one")
    wait_for("the message", lambda: f"curfew.conf: {value} {words}" in tmux("show-messages"))
    assert app.never_slept()


def test_a_sleeper_whose_pane_is_closed_is_gone(tmux):
    """So it is with all of them when the server ends: the sandbox looks for what is left."""
    tmux.begin()
    tmux.attach()
    first, second = tmux.app("first"), tmux.app("second")
    first.falls_asleep()
    second.falls_asleep()
    tmux("kill-pane", "-t", "first")
    wait_for("nothing of it to be left", lambda: first.status() is None)
    assert second.is_asleep()


def test_every_pane_by_default_command(tmux):
    """Without the file: a shell and all it starts, asleep when they are idle, and awake by a key."""
    tmux("new-session", "-d", "-s", "main", "-x", 80, "-y", 24, "cat")
    tmux("set-option", "-g", "default-command", "exec curfew run --sleep-when-idle 200ms --name shell -- sh")
    tmux("new-window", "-n", "one", "-e", "PS1=@ready@ ")
    tmux.attach()
    app = tmux.known("shell")
    for number in (1, 2):
        app.falls_asleep()
        tmux("send-keys", f"echo $((40 + {number}))", "Enter")
        wait_for("the shell to answer", lambda: str(40 + number) in tmux.screen("one"))
    app.falls_asleep()
    tmux("send-keys", "exit", "Enter")
    wait_for("the window to be closed", lambda: "one" not in tmux("list-windows", "-a", "-F", "#{window_name}"))


def test_the_document_names_what_is_installed():
    if not (ROOT / "docs").exists():
        pytest.skip("there are no documents here")
    line = "source-file /usr/local/share/curfew/tmux/curfew.conf"
    told = subprocess.run(["make", "-n", "install", "PREFIX=/usr/local"], cwd=ROOT, capture_output=True, text=True, timeout=6 * LIMIT)
    for text in ((ROOT / "docs/sleep.md").read_text(), (FILES / "curfew.conf").read_text(), told.stdout):
        assert line in text
    document = (ROOT / "docs/sleep.md").read_text()
    for option in re.findall(r"@curfew-[a-z-]+(?= [0-9v])", (FILES / "curfew.conf").read_text()):
        assert f"`{option}" in document or f"{option} " in document, option
