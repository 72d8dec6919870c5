"""A server that SIGKILL ends at any instant, amid launches, homes, kills and ends: nothing is left of it, its database is whole, and
what it had answered is kept.

A round is a walk of random requests, and the kill somewhere in it; the next round's server goes on with what this one has kept.
CURFEW_TEST_KILLS=500 makes so many rounds (`make kills`), CURFEW_TEST_SEED those of another run again: a failure tells the seed,
and each step of its round. The kernel has its own say in what comes first.
"""

import contextlib
import fcntl
import os
import random
import select
import shutil
import signal
import socket
import sqlite3
import time

import pytest

from conftest import LIMIT, fields_of, is_alive, parent_of, wait_for
from programs.helpers import tree

ROUNDS = int(os.environ.get("CURFEW_TEST_KILLS") or 25)
SEED = int(os.environ.get("CURFEW_TEST_SEED") or random.SystemRandom().randrange(1 << 32))

COMMANDS = {
    "plain": ["sleep", "1000"],
    "family": ["sh", "-c", "setsid sleep 1000 & sleep 1000 & wait"],
    "slow": ["sh", "-c", "trap 'sleep 0.03; exit 3' TERM; while :; do sleep 1000 & wait; done"],
    "brief": ["true"],
    "stubborn": ["sh", "-c", "trap '' TERM; while :; do sleep 1000; done"],
}
MANIFESTS = {
    "kept": 'command = ["sleep", "1000"]\nrestart = "always"\n',
    "fallible": 'command = ["sh", "-c", "sleep 1000"]\nrestart = "on-failure"\n',
    "early": 'command = ["sleep", "1000"]\nlaunch-at-start = true\nbackground-modes = ["continuous"]\n',
    "listed": 'command = ["sleep", "1000"]\nterminate-limit = "100ms"\n',
}
RESTARTED = {"kept", "fallible"}
NAMES = [*COMMANDS, *MANIFESTS]


@pytest.fixture(params=["cgroup2", "tree"])
def kills(request, sandbox):
    kills = Kills(sandbox, request.param)
    sandbox.tellers.append(lambda: [("this round", kills.text())])
    server = kills.start()
    if server.process.poll() == 125 and "--containment" in server.errors():
        pytest.skip(f"{request.param} can't be had here: {server.errors().strip()}")
    yield kills
    kills.tell()


class Look:
    """The task list as it was told, and who has been asked for something since, or whose answer was still to come."""

    def __init__(self, touched):
        self.apps = []
        self.touched = touched
        self.is_ordered = True

    def note(self, verb, app):
        if app in NAMES:
            self.touched.add(app)
        elif verb == "quit-all":
            self.touched.update(NAMES)
        elif verb == "switch":
            self.is_ordered = False


class Connection:
    """One of an operator's, without waiting for answers."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(str(path))
        self.socket.setblocking(False)
        self.rest = b""
        # What comes before the final line of the request that is being answered.
        self.told = []

    def lines(self):
        """What has come, a line each; it is over once the server is."""
        with contextlib.suppress(BlockingIOError, ConnectionError):
            while chunk := self.socket.recv(65536):
                self.rest += chunk
        *lines, self.rest = self.rest.split(b"\n")
        return [line.decode() for line in lines]


class Walk:
    """Requests at random to one server. An app's go by one connection, so that they come in order."""

    def __init__(self, server, dice, steps):
        self.server = server
        self.dice = dice
        self.steps = steps
        self.connections = [Connection(server.socket) for _ in range(3)]
        # By id: (verb, app, Look) of what isn't answered yet.
        self.asked = {}
        self.count = self.answered = 0
        # Which request was an app's last, and which of `remove` were answered.
        self.last = {}
        # Who was to end, by request: where that meets a `reclaim`, the reason is that one's, and still it isn't launched again.
        self.to_end = set()
        self.removed = {}
        self.pids = {}
        self.looks = []
        # The latest list that has to be in the database.
        self.kept = None

    def close(self):
        for connection in self.connections:
            connection.socket.close()

    # Asking

    def ask(self, verb, app=None, words="", look=None):
        self.count += 1
        self.asked[self.count] = (verb, app, look)
        for each in self.looks:
            each.note(verb, app)
        if app:
            self.last[app] = self.count
        if verb in ("quit", "remove", "quit-all"):
            self.to_end.update([app] if app else NAMES)
        named = f" app={app}" if app and "order=" not in words else ""
        request = f"{verb}{named} {words}".strip() + f" id={self.count}"
        self.steps.append(request)
        connection = self.connections[NAMES.index(app) % 3 if app else 0]
        with contextlib.suppress(BlockingIOError, ConnectionError):
            connection.socket.send(request.encode() + b"\n")

    def step(self):
        dice = self.dice
        app = dice.choice(NAMES)
        action = dice.choices(
            ["launch", "open", "home", "switch", "quit", "remove", "kill", "look", "reload", "reclaim", "quit-all"],
            [20, 14, 10, 6, 8, 8, 8, 10, 2, 4, 1])[0]
        if action == "launch":
            self.launch(app)
        elif action == "kill":
            self.kill(app)
        elif action == "look":
            self.look()
        elif action in ("switch", "reload", "quit-all"):
            self.ask(action)
        else:
            self.ask(action, app)

    def launch(self, app):
        background = self.dice.choice(["", "background=1"])
        if app in MANIFESTS:
            return self.ask("launch", app, background)
        file = self.server.order(*COMMANDS[app], name=app, directory="/")
        self.ask("launch", app, f"order={file} {background}".strip())

    def kill(self, app):
        pid = self.pids.get(app)
        # A number can be another's by now; nobody but the server has such children.
        if pid and parent_of(pid) == self.server.supervisor:
            self.steps.append(f"SIGKILL to {app}, {pid}")
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def look(self):
        """The list; once it has come, a request whose answer says that all before it is committed. A list is made when its turn has
        come, which can be later than it was asked for."""
        look = Look({app for _, app, _ in self.asked.values() if app})
        for verb, app, _ in self.asked.values():
            look.note(verb, app)
        self.ask("apps", look=look)
        self.looks.append(look)

    # Answers

    def read(self, seconds):
        """Takes in what comes within that time."""
        deadline = time.monotonic() + seconds
        while True:
            left = max(0, deadline - time.monotonic())
            ready, _, _ = select.select([each.socket for each in self.connections], [], [], left)
            for connection in self.connections:
                for line in connection.lines() if connection.socket in ready else []:
                    self.take(connection, line)
            if not ready or time.monotonic() >= deadline:
                return

    def take(self, connection, line):
        fields = fields_of(line)
        if not line.startswith(("ok", "error")):
            connection.told.append(fields)
            return
        told, connection.told = connection.told, []
        number = int(fields["id"])
        verb, app, look = self.asked.pop(number)
        self.answered += 1
        self.steps.append(f"    {line}")
        if line.startswith("error"):
            # Killed with its keeper, the server can see first what that has done to a launch.
            is_usual = fields["code"] in ("running", "no-app", "not-running", "not-suspended", "terminating")
            assert is_usual or fields["message"].startswith("killed before"), line
            return
        if verb == "apps":
            look.apps = told
            self.ask("history", words="limit=1", look=look)
        elif verb == "history":
            self.kept = look
        elif verb == "remove":
            self.removed[app] = number
        if "pid" in fields:
            self.pids[fields["app"]] = int(fields["pid"])

    def is_removed(self, app):
        """It was answered that it is, and nothing was asked since."""
        return app in self.removed and self.removed[app] == self.last[app]


class Kills:
    """Servers one after the other, each with what the one before has kept."""

    def __init__(self, sandbox, containment):
        self.sandbox = sandbox
        self.containment = containment
        self.dice = random.Random(f"{SEED} {containment}")
        self.steps = []
        self.figures = {"rounds": 0, "requests": 0, "answered": 0, "at the start": 0, "lists held to": 0, "came back": 0, "left by both": 0}
        folder = sandbox.scratch / "config" / "curfew" / "apps"
        folder.mkdir(parents=True, mode=0o700)
        sandbox.environment["XDG_CONFIG_HOME"] = str(sandbox.scratch / "config")
        for name, text in MANIFESTS.items():
            (folder / f"{name}.toml").write_text(text)
        self.rows = self.runs = ()
        # Of whom was asked that they end, with the number of launches then.
        self.to_end = {}

    def text(self):
        return f"round {self.figures['rounds']} of CURFEW_TEST_SEED={SEED}\n" + "\n".join(self.steps)

    def tell(self):
        print(f"{self.containment}, CURFEW_TEST_SEED={SEED}: " + ", ".join(f"{name}: {count}" for name, count in self.figures.items()))

    # A server

    def start(self, wait=True):
        self.server = self.sandbox.serve("--containment", self.containment, wait=False)
        if wait:
            wait_for("the server to answer", lambda: self.server.process.poll() is not None or self.sandbox.answers(self.server.socket))
            if self.server.process.poll() is None:
                self.server.supervisor = int(self.server.expect("server")["supervisor"])
        return self.server

    def begin(self):
        self.figures["rounds"] += 1
        self.steps.clear()

    def walk(self):
        """Some requests, of which the last ones are on their way still."""
        walk = Walk(self.server, self.dice, self.steps)
        for _ in range(self.dice.randrange(40)):
            walk.step()
            if self.dice.random() < 0.4:
                walk.read(self.dice.random() * 0.006)
        walk.read(self.dice.choice([0, 0, 0.001, 0.02]))
        return walk

    def end(self, walk):
        """What is known once it is dead."""
        if walk:
            walk.read(0)
            walk.close()
            self.figures["requests"] += walk.count
            self.figures["answered"] += walk.answered
        for order in self.server.folder.glob("order*"):
            order.unlink()

    # Afterwards

    def expect_nothing_left(self):
        assert self.server.wait() == 125, self.server.errors()
        left = self.sandbox.left()
        assert not left, self.sandbox.describe(left)
        assert self.sandbox.cgroups() == []

    def read_database(self, walk=None):
        """The rows, from a copy: opening it is the next server's business."""
        folder = self.sandbox.scratch / "copy"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        files = list((self.sandbox.state / "curfew").glob("server.sqlite*"))
        assert not [file for file in files if "damaged" in file.name]
        for file in files:
            shutil.copy(file, folder)
        with contextlib.closing(sqlite3.connect(folder / "server.sqlite")) as database:
            database.row_factory = sqlite3.Row
            assert [row[0] for row in database.execute("PRAGMA integrity_check")] == ["ok"]
            assert database.execute("PRAGMA foreign_key_check").fetchall() == []
            if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'run'").fetchone():
                self.rows, self.runs = {}, {}
                return
            self.rows = {row["name"]: row for row in database.execute("SELECT * FROM app ORDER BY position DESC")}
            self.runs = {}
            for run in database.execute("SELECT * FROM run ORDER BY app, number"):
                self.runs.setdefault(run["app"], []).append(run)
        self.to_end.update((name, row["launches"]) for name, row in self.rows.items() if walk and name in walk.to_end)
        self.expect_rows_agree()

    def expect_rows_agree(self):
        """Runs are numbered without a gap (but for the oldest, beyond what is kept), and only the last one has no end."""
        for name, row in self.rows.items():
            numbers = [run["number"] for run in self.runs.get(name, [])]
            assert numbers == list(range(row["launches"] - len(numbers) + 1, row["launches"] + 1)), (name, row["launches"], numbers)
            assert len(numbers) == min(row["launches"], 1000), (name, row["launches"], len(numbers))
            assert all(run["ended"] is not None for run in self.runs[name][:-1]), name
            # Who has ended by itself is to be launched again, and that is known whenever its end is.
            last = self.runs[name][-1]
            if name == "kept" and last["reason"] in ("exit", "memory-pressure", "user-quit"):
                is_due = last["reason"] != "user-quit" and not row["removed"]
                if last["reason"] == "memory-pressure" and row["restart_due"] is None and self.to_end.get(name) == row["launches"]:
                    continue
                assert (row["restart_due"] is not None) == is_due, (name, last["reason"])
        assert len({row["position"] for row in self.rows.values()}) == len(self.rows)

    def is_database_free(self):
        with open(self.sandbox.state / "curfew" / "server.sqlite.lock", "rb") as lock, contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True

    def listed(self):
        return [name for name, row in self.rows.items() if not row["removed"]]

    def expect_promises(self, walk):
        """What was answered is there."""
        for app in walk.removed:
            if walk.is_removed(app):
                assert self.rows[app]["removed"], f"{app} is on the list again"
        if not walk.kept:
            return
        self.figures["lists held to"] += 1
        told = {app["name"]: app for app in walk.kept.apps}
        still = [name for name in told if name not in walk.kept.touched]
        for name in still:
            launches = int(told[name]["launches"])
            assert not self.rows[name]["removed"], name
            assert self.rows[name]["launches"] == launches or name in RESTARTED and self.rows[name]["launches"] > launches, name
        assert not set(self.listed()) - set(told) - walk.kept.touched
        # Who is launched again by itself can have come to the front.
        still = [name for name in still if name not in RESTARTED]
        if walk.kept.is_ordered:
            assert [name for name in self.listed() if name in still] == still

    def expect_list(self):
        """The next server has the list that the database had, and goes on from there."""
        apps = self.server.apps()
        listed = [app["name"] for app in apps if app["name"] in self.rows]
        assert sorted(listed) == sorted(self.listed())
        # Whose pause was over by now can have come to the front.
        back = {app["name"] for app in apps if app["name"] in RESTARTED and "pid" in app}
        assert [name for name in listed if name not in back] == [name for name in self.listed() if name not in back]
        for app in apps:
            if app["name"] not in self.rows:
                assert app["name"] == "early", app
                continue
            name, row, last = app["name"], self.rows[app["name"]], self.runs[app["name"]][-1]
            has_begun = name == "early" or name in RESTARTED and "pid" in app
            assert int(app["launches"]) == row["launches"] + has_begun, app
            if not has_begun and last["ended"] is None:
                assert (app["state"], app["ended"]) == ("notRunning", "supervisor-exit"), app
            if not has_begun:
                # It ran, or its pause was under way.
                is_due = last["ended"] is None or row["restart_due"] is not None
                assert ("restart-in" in app) == (name in RESTARTED and is_due), app
        return apps

    def expect_back(self, apps):
        """Who ran and is restarted comes back."""
        waiting = {app["name"]: int(app["launches"]) for app in apps if "restart-in" in app}
        stream = self.server.stream()
        for name, launches in waiting.items():
            self.sandbox.wait_for_event(stream, f"{name} to be back", lambda: int(self.server.app(name)["launches"]) > launches)
            self.figures["came back"] += 1
        stream.close()

    def goes_on(self):
        self.start()
        apps = self.expect_list()
        if self.dice.random() < 0.1:
            self.expect_back(apps)


def supervisor_of(proxy):
    """The server process of a proxy that has just been started; None where it is over."""
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline and is_alive(proxy):
        for child in tree(proxy):
            if parent_of(child) == proxy:
                return child
    return None


def test_killed_at_any_instant_it_leaves_nothing_and_keeps_what_it_said(kills):
    for _ in range(ROUNDS):
        kills.begin()
        walk = kills.walk()
        os.kill(kills.server.supervisor, signal.SIGKILL)
        kills.expect_nothing_left()
        kills.end(walk)
        assert kills.sandbox.sockets() == []
        kills.read_database(walk)
        kills.expect_promises(walk)
        kills.goes_on()


def test_killed_while_it_starts(kills):
    """Its list comes from the server before, which has ended properly."""
    for name in ["plain", "slow"]:
        kills.server.launch(name, *COMMANDS[name])
    kills.server.expect("launch app=kept")
    kills.server.process.send_signal(signal.SIGTERM)
    assert kills.server.wait() == 0
    for _ in range(max(4, ROUNDS // 4)):
        kills.begin()
        kills.figures["at the start"] += 1
        kills.start(wait=False)
        supervisor = supervisor_of(kills.server.pid)
        pause = kills.dice.random() * 0.04
        kills.steps.append(f"SIGKILL {pause:.6f} s after its start")
        time.sleep(pause)  # a moment
        os.kill(supervisor, signal.SIGKILL)
        kills.expect_nothing_left()
        assert kills.sandbox.sockets() == []
        kills.read_database()
        assert [name for name in kills.listed() if name != "early"] == ["kept", "slow", "plain"]
    kills.start()
    kills.expect_list()


def test_killed_with_its_keeper_what_is_left_is_swept(kills):
    for _ in range(max(3, ROUNDS // 5)):
        kills.begin()
        walk = kills.walk()
        halves = [kills.server.supervisor, kills.server.pid]
        kills.dice.shuffle(halves)
        for pid in halves:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        kills.server.process.wait(LIMIT)
        wait_for("both to be gone", lambda: not is_alive(halves[0]) and not is_alive(halves[1]))
        kills.end(walk)
        left = kills.sandbox.left()
        kills.figures["left by both"] += len(left)
        kills.read_database(walk)
        kills.expect_promises(walk)
        if kills.containment == "tree":
            wait_for("the apps' reapers to have ended all", lambda: not kills.sandbox.left())
        # What was just being started has them for a moment more.
        wait_for("nobody to have its socket", lambda: not kills.sandbox.answers(kills.server.socket))
        wait_for("nobody to have its database", kills.is_database_free)
        kills.start()
        wait_for("what was left to be swept", lambda: not [pid for pid in left if is_alive(pid)])
        kills.expect_list()
        wait_for("its cgroups to be gone", lambda: not [
            path for path in kills.sandbox.cgroups() if f".{halves[0]}" in path.name or f".{halves[1]}" in path.name])
