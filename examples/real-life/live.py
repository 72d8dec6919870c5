#!/usr/bin/env python3
"""live.py FOLDER SECONDS [--seed N] [--containment KIND] [--pressure] [--uploader PROGRAM]: a dozen real programs below one server, and one
beside it that takes part by --join, as somebody uses them who can't decide.

For so many seconds one after the other is opened, used, left, quit, removed or killed, at random; ffmpeg works all the while, clients call
at any time, and one of the apps eats memory, with --pressure as much of the machine's as others are ended for. After each step the right
one is in front, and in the end the others are suspended; whoever is opened answers, with all that was ever written to it; and the history,
and a report of each kill, explain the end of each of the server's runs.

FOLDER gets everything, a server's manifests and state among it. `curfew` is the one on PATH; what isn't installed is left out, and named.
"""

import argparse
import collections
import contextlib
import fcntl
import glob
import json
import os
import pathlib
import pty
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 30 * float(os.environ.get("CURFEW_TEST_PATIENCE", "1"))
# An answer that takes longer is asked for again. Whole seconds: psql takes no others.
ANSWER_LIMIT = round(PATIENCE / 15)
SERVER = f"life-{os.getpid()}"
NOBODY = 65534
# Why it kills when nobody has asked it to; each leaves a report.
KILLS = ["memory-pressure", "memory-limit"]


def curfew(*words, check=True):
    result = subprocess.run(["curfew", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    if check and result.returncode != 0:
        raise AssertionError(f"curfew {' '.join(words)}: status {result.returncode}: {result.stderr.strip()}")
    return result


def wait_for(what, probe, limit=PATIENCE):
    """`what`: a text, or what tells it once the wait was in vain."""
    deadline = time.monotonic() + limit
    while True:
        seen = probe()
        if seen:
            return seen
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {limit:.0f} s for {what() if callable(what) else what}; last seen: {seen!r}")
        time.sleep(0.02)


def connect(address, limit):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(limit)
    client.connect(str(address))
    return client


def ask(address, text, limit, enough):
    """What is answered to that, once it is enough."""
    with connect(address, limit) as client:
        client.sendall(text)
        answer = b""
        while not enough(answer):
            chunk = client.recv(65536)
            if not chunk:
                break
            answer += chunk
        return answer


# The apps


class ShortOfMemory(Exception):
    """It was ended while it was used: nobody else was left to be."""


class App:
    """One of the dozen: what it needs, its manifest, and how it is used."""

    needs = ()
    options = ""
    # One that takes part, with a supervisor of its own: the server has no manifest, log or history of it.
    has_joined = False

    def __init__(self, folder):
        self.name = f"{type(self).__name__.lower()}-{os.getpid()}"
        self.folder = folder / type(self).__name__.lower()
        self.folder.mkdir()
        self.socket = self.folder / "socket"
        # How often it was written to; some of that can be unanswered.
        self.written = self.unanswered = 0

    def command(self):
        raise NotImplementedError

    def prepare(self):
        """What is made before it is launched."""

    def manifest(self):
        command = json.dumps([str(word) for word in self.command()])
        return f'command = {command}\ndirectory = "{self.folder}"\n{self.options}'

    def open(self):
        """Ended for want of memory just now it is refused until it has gone."""
        def is_answered():
            result = curfew("open", self.name, check=False)
            assert result.returncode == 0 or "(terminating)" in result.stderr, f"{result.stderr.strip()}; {self.account()}"
            return result.returncode == 0

        wait_for(lambda: f"{self.name} to be opened; {self.account()}", is_answered)

    def close(self):
        """Once all is over."""

    def write(self, limit):
        """One more; how many it says there are by now. Fails with OSError or ValueError where it doesn't answer."""
        raise NotImplementedError

    def use(self):
        """It answers within its time, and has lost nothing."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                count = self.write(ANSWER_LIMIT)
                break
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                # Unanswered it can have been done all the same; not where nobody took it.
                if not isinstance(error, (ConnectionRefusedError, FileNotFoundError)):
                    self.unanswered += 1
                self.expect_life()
                assert time.monotonic() < deadline, f"{self.name} doesn't answer: {error!r}; {self.account()}"
                time.sleep(0.05)
        assert self.written + 1 <= count <= self.written + self.unanswered + 1, (
            f"{self.name} has {count}; {self.written} were answered before, {self.unanswered} not; {self.account()}")
        self.written, self.unanswered = count, 0

    def wait(self, what, probe):
        """Waits for that, as long as it lives."""
        def is_so():
            if probe():
                return True
            self.expect_life()
            return False

        wait_for(lambda: f"{self.name} to {what}; {self.account()}", is_so)

    def expect_life(self):
        if apps().get(self.name, {}).get("ended") == "memory-pressure":
            raise ShortOfMemory(self.name)

    def log(self):
        return curfew("log", self.name, check=False).stdout

    def account(self):
        return f"{curfew('apps', check=False).stdout}\n{self.log()[-2000:]}"


class Answering(App):
    """One that keeps nothing: it only has to answer."""

    def write(self, limit):
        self.answer(limit)
        return self.written + 1


class Redis(App):
    needs = ("redis-server",)
    options = 'terminate-limit = "20s"\nrestart = "on-failure"\n'

    def command(self):
        # What is killed keeps what it has written; left to its default, "everysec", Redis answers before it has, while a sync takes long.
        return [
            "redis-server", "--port", "0", "--unixsocket", self.socket, "--dir", self.folder, "--appendonly", "yes", "--appendfsync", "no",
            "--save", ""]

    def write(self, limit):
        return int(ask(self.socket, b"INCR visits\r\n", limit, lambda answer: answer.endswith(b"\n"))[1:])


class Postgres(App):
    needs = ("initdb", "postgres", "psql", "setpriv")
    options = 'on = "willTerminate=INT"\nterminate-limit = "30s"\n'

    def owner(self):
        return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []

    def prepare(self):
        if self.owner():
            os.chown(self.folder, NOBODY, NOBODY)
        subprocess.run(
            [*self.owner(), "initdb", "-D", "data", "-U", "postgres", "-A", "trust", "--locale=C", "--no-sync"], cwd=self.folder, check=True,
            stdout=subprocess.DEVNULL)

    def command(self):
        # With what its workers share in its folder, not in /dev/shm.
        return [
            *self.owner(), "postgres", "-D", "data", "-k", self.folder, "-c", "listen_addresses=", "-c", "fsync=off",
            "-c", "dynamic_shared_memory_type=mmap"]

    def close(self):
        # The memory of one that was killed is removed by the next one of its folder: the last one has none.
        lock = self.folder / "data" / "postmaster.pid"
        lines = lock.read_text().splitlines() if lock.exists() else []
        if len(lines) > 6:
            subprocess.run(["ipcrm", "-m", lines[6].split()[1]], check=False)

    def write(self, limit):
        query = ("SET client_min_messages = warning; CREATE TABLE IF NOT EXISTS visits(number serial);"
                 "INSERT INTO visits DEFAULT VALUES; SELECT count(*) FROM visits")
        environment = dict(os.environ, PGCONNECT_TIMEOUT=str(limit))
        result = subprocess.run(
            ["psql", "-h", self.folder, "-U", "postgres", "-d", "postgres", "-qAtc", query], capture_output=True, text=True,
            timeout=2 * limit, env=environment)
        if result.returncode == 2:
            raise ConnectionRefusedError(result.stderr)
        return int(result.stdout)


class Nginx(Answering):
    needs = ("nginx",)
    options = 'on = "willTerminate=QUIT"\n'

    def prepare(self):
        shutil.copy(HERE.parent / "scenarios" / "nginx.conf", self.folder)
        (self.folder / "settings.conf").write_text("return 200 served;\n")

    def command(self):
        return ["sh", "-c", "rm -f socket; exec nginx -e stderr -p . -c nginx.conf"]

    def answer(self, limit):
        answer = ask(self.socket, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", limit, lambda answer: False)
        if not answer.endswith(b"served"):
            raise ValueError(answer)


class Haproxy(Answering):
    needs = ("haproxy",)
    options = 'on = "willTerminate=USR1"\n'

    def prepare(self):
        (self.folder / "haproxy.cfg").write_text(
            "global\n  maxconn 50\ndefaults\n  mode http\n  timeout client 5s\n  timeout server 5s\n  timeout connect 5s\n"
            f"frontend all\n  bind unix@{self.socket}\n  http-request return status 200 content-type text/plain string passed\n")

    def command(self):
        return ["haproxy", "-W", "-f", "haproxy.cfg"]

    def answer(self, limit):
        answer = ask(self.socket, b"GET / HTTP/1.0\r\n\r\n", limit, lambda answer: answer.endswith(b"passed"))
        if not answer.endswith(b"passed"):
            raise ValueError(answer)


class Unbound(Answering):
    needs = ("unbound",)

    def prepare(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (self.folder / "unbound.conf").write_text(
            f'server:\n  interface: 127.0.0.1\n  port: {self.port}\n  username: ""\n  chroot: ""\n  directory: "{self.folder}"\n'
            '  pidfile: ""\n  use-syslog: no\n  logfile: ""\n  local-zone: "test." static\n  local-data: "here.test. A 127.0.0.9"\n'
            "remote-control:\n  control-enable: no\n")

    def command(self):
        return ["unbound", "-d", "-p", "-c", "unbound.conf"]

    def answer(self, limit):
        query = bytes([7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]) + b"\4here\4test\0" + bytes([0, 1, 0, 1])
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(limit)
            client.connect(("127.0.0.1", self.port))
            client.send(query)
            if not client.recv(512).endswith(bytes([127, 0, 0, 9])):
                raise ValueError("another address")


class Mosquitto(Answering):
    needs = ("mosquitto",)

    def prepare(self):
        user = "user root\n" if os.geteuid() == 0 else ""
        (self.folder / "mosquitto.conf").write_text(f"listener 0 {self.socket}\nallow_anonymous true\npersistence false\n{user}")

    def command(self):
        return ["mosquitto", "-c", "mosquitto.conf"]

    def answer(self, limit):
        # CONNECT of MQTT 3.1.1 with a client called `t`, and CONNACK.
        hello = bytes([0x10, 13, 0, 4]) + b"MQTT" + bytes([4, 2, 0, 60, 0, 1]) + b"t"
        if ask(self.socket, hello, limit, lambda answer: len(answer) >= 4) != bytes([0x20, 2, 0, 0]):
            raise ValueError("no CONNACK")


class Diary(App):
    """Python's asyncio, with curfew.py."""

    needs = ("python3",)
    options = "aware = true\nrestart = \"on-failure\"\n"

    def command(self):
        return [sys.executable, HERE / "diary.py", self.socket]

    def write(self, limit):
        return int(ask(self.socket, f"visit {self.written}\n".encode(), limit, lambda answer: answer.endswith(b"\n")))


class Visits(App):
    """Node.js."""

    needs = ("node",)

    def command(self):
        return ["node", HERE / "visits.js", self.socket, self.folder / "count"]

    def write(self, limit):
        answer = ask(self.socket, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", limit, lambda answer: False)
        return int(answer.rpartition(b"\r\n\r\n")[2].split(b"\r\n")[-1] or b"x")


class Pages(App):
    """A shell script, with curfew.sh."""

    options = "aware = true\n"

    def command(self):
        return [HERE / "pages.sh"]

    def use(self):
        """It writes its next page, and none twice."""
        before = self.pages()
        self.wait("go on", lambda: len(self.pages()) > len(before))
        pages = self.pages()
        assert all(one < next for one, next in zip(pages, pages[1:])), f"{self.name} has written {pages}"

    def pages(self):
        return [int(line.split()[1]) for line in self.log().splitlines() if line.startswith("page ")]


class Index(App):
    """C, with curfew.h."""

    needs = ("cc",)
    options = "aware = true\n"

    def prepare(self):
        subprocess.run(
            ["cc", "-std=c99", "-I", HERE.parents[1] / "Sources/clients/c", HERE.parent / "client.c", "-o", self.folder / "client"], check=True)

    def command(self):
        return [self.folder / "client", "100000000"]

    def use(self):
        """Opened it is told so, and goes on at the page where it was."""
        self.wait("be told", lambda: self.last().startswith("didBecomeActive at page "))
        runs = self.log().split("didFinishLaunching at page 0\n")
        for run in runs:
            pages = [int(line.rpartition(" ")[2]) for line in run.splitlines() if " at page " in line]
            assert pages == sorted(pages), f"{self.name} has gone back: {pages}"

    def last(self):
        lines = [line for line in self.log().splitlines() if " at page " in line]
        return lines[-1] if lines else ""


class Uploader(App):
    """Swift, with CurfewClient: examples/SwiftClient."""

    options = "aware = true\n"
    program = None

    def command(self):
        return [self.program, "1000000"]

    def use(self):
        before = self.log().count("page ")
        self.wait("go on", lambda: self.log().count("page ") > before)


class Film(App):
    """ffmpeg, which is never suspended, at a low priority: the load."""

    needs = ("ffmpeg",)
    options = 'background-modes = ["continuous"]\nbackground-cpu = "inf"\nbackground-priority = "low"\nlaunch-at-start = true\n'

    def command(self):
        return [
            "ffmpeg", "-nostdin", "-loglevel", "error", "-progress", self.folder / "progress", "-stats_period", "0.1", "-threads", "1",
            "-f", "lavfi", "-i", "testsrc=size=320x240:rate=25", "-c:v", "mpeg4", "-f", "null", "-"]

    def use(self):
        before = self.progress()
        self.wait("go on", lambda: self.progress() != before)

    def progress(self):
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / "progress").stat().st_size
        return None


class Eater(App):
    """It takes what the machine has: others are ended for it, and not itself while it is in front."""

    needs = ("python3",)
    # Others are ended when the machine has so much less than at the start. They are warned all the while: at twice of that.
    LESS = 1 << 30
    low = 0

    def command(self):
        return [sys.executable, HERE / "eater.py", 4096 if self.low else 256, max(0, self.low - (64 << 20))]

    def use(self):
        before = self.log().count("holds ")
        self.wait("have eaten", lambda: self.log().count("holds ") > before + 1)


class Hog(App):
    """It takes more than it may have, each time."""

    needs = ("python3",)
    options = 'memory = "64M"\n'

    def command(self):
        return [sys.executable, HERE / "eater.py", 256]

    def use(self):
        self.wait("be killed", lambda: state_of(self.name) == "notRunning")


class Shell:
    """bash in a terminal of its own, and what stands there since something was typed."""

    PROMPT = "ready> "

    def __init__(self, folder):
        self.output = ""
        self.lock = threading.Lock()
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.environ.update(PS1=self.PROMPT, TERM="xterm", HISTFILE="")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"])
        self.pid = pid
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        # EIO once nobody has the terminal any more.
        with contextlib.suppress(OSError):
            while chunk := os.read(self.terminal, 65536):
                with self.lock:
                    self.output = (self.output + chunk.decode(errors="replace"))[-8192:]

    @property
    def has_terminal(self):
        return os.tcgetpgrp(self.terminal) == self.pid

    @property
    def is_asking(self):
        # Behind its prompt there can be what a job says. Once something is typed it isn't asking, until its next prompt.
        return self.has_terminal and self.PROMPT in self.output

    def type(self, keys):
        with self.lock:
            self.output = ""
        os.write(self.terminal, keys.encode())

    def close(self):
        """As its terminal's window: what runs there is told so, too."""
        os.kill(self.pid, signal.SIGHUP)
        try:
            wait_for("the shell to end", lambda: os.waitpid(self.pid, os.WNOHANG)[0])
        except AssertionError:
            os.kill(self.pid, signal.SIGKILL)
            raise
        finally:
            self.reader.join(PATIENCE)
            os.close(self.terminal)


class Editor(App):
    """vim in its terminal, which takes part by `curfew run --join`: who uses it goes to that terminal, and types `fg`."""

    needs = ("vim", "bash")
    has_joined = True
    shell = None
    # The number of the line that was typed last.
    typed = 0

    def prepare(self):
        self.note = self.folder / "note"
        self.shell = Shell(self.folder)

    def command(self):
        return ["curfew", "run", "--join", "--name", self.name, "--", "vim", "-u", "NONE", "-N", "-i", "NONE", "-n", self.note.name]

    def open(self):
        self.go_there(PATIENCE)

    def go_there(self, limit):
        """Each time its shell asks it is told once what to do; that is later than the server says that it is home, or has ended."""
        deadline = time.monotonic() + limit
        while self.shell.has_terminal or state_of(self.name) != "active":
            if self.shell.is_asking:
                # Where it has ended since then, `fg` finds no job, and the shell asks again.
                self.shell.type(("fg" if state_of(self.name) != "notRunning" else " ".join(self.command())) + "\n")
            if time.monotonic() > deadline:
                # Nothing was written: nobody was there to take it.
                raise ConnectionRefusedError(f"{self.name} isn't in front; {self.account()}")
            time.sleep(0.02)

    def write(self, limit):
        self.go_there(limit)
        self.typed += 1
        line = f"a line {self.typed}"
        self.shell.type(f"\x1b\x1bGo{line}\x1b:w\r")
        deadline = time.monotonic() + limit
        # Once this very line is there whatever was typed before is over, and being the last it is there with all others.
        while line not in (lines := self.lines()):
            if time.monotonic() > deadline or self.shell.is_asking:
                raise OSError(f"{line!r} wasn't written; on its terminal: {self.log()}")
            time.sleep(0.02)
        return len(lines)

    def lines(self):
        """Its whole lines: vim may be writing them. Its buffer begins with an empty one."""
        with contextlib.suppress(FileNotFoundError):
            return [line for line in self.note.read_text().split("\n")[:-1] if line]
        return []

    def log(self):
        return repr(self.shell.output[-2000:])

    def close(self):
        if not self.shell:
            return
        try:
            self.quit()
        finally:
            self.shell.close()

    def quit(self):
        """It has outlived the server; what doesn't run needn't be asked."""
        asked = curfew("quit", self.name, check=False)

        def has_ended():
            return self.shell.is_asking and curfew("status", self.name, check=False).returncode != 0

        wait_for(lambda: f"{self.name} to end, and its shell to ask: {asked.stderr}; {self.log()}", has_ended)


KINDS = [Redis, Postgres, Nginx, Haproxy, Unbound, Mosquitto, Diary, Visits, Pages, Index, Uploader, Editor, Film, Eater, Hog]


# The server


def apps():
    return {app["name"]: app for app in json.loads(curfew("apps", "--json").stdout)}


def history():
    """All runs that are kept, and not the latest hundred alone."""
    return json.loads(curfew("history", "--json", "--limit", "100000").stdout)


def state_in(told, name):
    """Where `apps` told that. One whose process is still there is ending: the history doesn't have it yet."""
    app = told.get(name, {"state": "notRunning"})
    return "ending" if app["state"] == "notRunning" and "pid" in app else app["state"]


def state_of(name):
    return state_in(apps(), name)


def available_memory():
    for line in open("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no MemAvailable")


class Life:
    """Somebody who can't decide."""

    def __init__(self, apps, dice):
        self.apps = apps
        self.dice = dice
        self.front = None
        # What was done to whom, that ends a run.
        self.quits = collections.Counter()
        self.kills = collections.Counter()
        self.steps = collections.Counter()
        # Each kill that was seen, and what its report says, by the report's ID: the newest hundred are kept.
        self.seen = set()
        self.reports = {}
        self.is_over = threading.Event()
        self.callers = [threading.Thread(target=self.call, args=(seed,)) for seed in range(2)]

    def call(self, seed):
        """A client that calls whoever it likes, and waits for nobody."""
        dice = random.Random(seed)
        listening = [app for app in self.apps if isinstance(app, (Redis, Nginx, Haproxy, Mosquitto))]
        while listening and not self.is_over.wait(0.01):
            with contextlib.suppress(OSError, ValueError):
                app = dice.choice(listening)
                ask(app.socket, b"PING\r\n\r\n", 0.05, lambda answer: answer)

    def step(self):
        app = self.dice.choice(self.apps)
        action = self.dice.choices(["open", "switch", "home", "quit", "remove", "kill", "reclaim"], [60, 12, 10, 8, 4, 6, 8])[0]
        self.steps[action] += 1
        if action == "open":
            self.open(app)
        elif action == "switch":
            self.switch()
        elif action == "home":
            if curfew("home", "--server", SERVER, check=False).returncode == 0:
                self.front = None
        elif action == "kill":
            self.kill(app)
        elif action == "reclaim":
            # As if memory were short; only who is suspended is.
            curfew("reclaim", app.name, check=False)
        else:
            # What has joined isn't the server's to remove.
            self.end(app, "quit" if app.has_joined else action)
        self.look()

    def open(self, app):
        app.open()
        self.front = app
        self.use(app)
        if isinstance(app, Hog):
            self.front = None

    def use(self, app):
        try:
            app.use()
        except ShortOfMemory:
            self.front = None

    def switch(self):
        result = curfew("switch", "--json", check=False)
        if result.returncode == 0:
            name = json.loads(result.stdout)["app"]
            self.front = next(app for app in self.apps if app.name == name)
            self.use(self.front)

    def end(self, app, verb):
        # It can have ended just now, for want of memory.
        was_running = state_of(app.name) != "notRunning"
        if curfew(verb, app.name, check=False).returncode == 0 and was_running:
            self.quits[app.name] += 1
        wait_for(f"{app.name} to have ended", lambda: state_of(app.name) == "notRunning")
        if self.front is app:
            self.front = None

    def kill(self, app):
        """As the kernel does, or a bug: who is restarted comes back, in front where it was there."""
        told = apps().get(app.name, {})
        # The pause grows: twice is enough.
        if "pid" not in told or self.kills[app.name] >= 2 or isinstance(app, Hog):
            return
        try:
            os.kill(told["pid"], signal.SIGKILL)
        except ProcessLookupError:
            return
        self.kills[app.name] += 1
        if "restart" in app.options:
            self.wait_for_launch(app, told["launches"])
            if self.front is app:
                self.use(app)
        else:
            wait_for(f"{app.name} to have ended", lambda: state_of(app.name) == "notRunning")
            if self.front is app:
                self.front = None

    def wait_for_launch(self, app, launches):
        """It comes back by itself; where it was ended for others before, after a pause so long that whoever wants it opens it."""
        def is_back():
            told = apps()[app.name]
            return told["launches"] > launches or told.get("restartIn", 0) > 3

        wait_for(lambda: f"{app.name} to be launched again; {app.account()}", is_back)
        if apps()[app.name]["launches"] == launches:
            self.open(app)

    def look(self):
        """Each is where it should be: the right one in front and nobody else, nor on the way there or home."""
        def is_right():
            told = apps()
            in_front = [name for name, app in told.items() if app["state"] == "active"]
            front = told.get(self.front.name, {}) if self.front else {}
            if self.front and not in_front and front.get("ended") == "memory-pressure":
                # The last that was left to be ended.
                self.front = None
            if not self.front and in_front:
                # Launched again into the place it had.
                self.front = next((app for app in self.apps if app.name == in_front[0] and "restart" in app.options), None)
            return in_front == ([self.front.name] if self.front else []) and not any(app["state"] == "inactive" for app in told.values())

        wait_for(lambda: f"{self.front and self.front.name} alone to be in front: {curfew('apps').stdout}", is_right)
        self.count_reports()

    def expect_rest(self):
        """Home, each comes to be suspended, or has ended: not one that never is, and who minds its life can be working yet."""
        def has_rest(app, state):
            return app is self.front or state in ["suspended", "notRunning"] or (state == "background" and "aware" in app.options)

        def rest():
            told = apps()
            resting = [app for app in self.apps if "continuous" not in app.options]
            return all(has_rest(app, state_in(told, app.name)) for app in resting)

        wait_for(lambda: f"the others to be suspended: {curfew('apps').stdout}", rest)

    def count_reports(self):
        """Where somebody was killed since the last look."""
        seen = {(name, app.get("launches"), app.get("ended")) for name, app in apps().items() if app.get("ended") in KILLS}
        if not seen <= self.seen:
            self.seen |= seen
            self.read_reports()

    def read_reports(self):
        for report in json.loads(curfew("report", "--json").stdout):
            self.reports[report["id"]] = (report["app"], report["reason"])

    def live(self, seconds):
        end = time.monotonic() + seconds
        for caller in self.callers:
            caller.start()
        try:
            while time.monotonic() < end:
                self.step()
            # Each once more, with all that it had.
            for app in self.apps:
                self.open(app)
                self.look()
            self.expect_rest()
        finally:
            self.is_over.set()
            for caller in self.callers:
                caller.join()

    def explain(self):
        """The history tells of the end of each of the server's runs, and of each kill there is a report."""
        runs = history()
        ends = collections.Counter((run["app"], run["reason"]) for run in runs if "reason" in run)
        self.read_reports()
        reported = collections.Counter(self.reports.values())
        for app in self.apps:
            if app.has_joined:
                continue
            told = {reason: count for (name, reason), count in ends.items() if name == app.name}
            assert set(told) <= {"exit", "user-quit", *KILLS}, (app.name, told)
            assert told.get("user-quit", 0) <= self.quits[app.name], (app.name, told, self.quits)
            assert told.get("exit", 0) <= self.quits[app.name] + self.kills[app.name], (app.name, told, self.quits, self.kills)
            assert isinstance(app, Hog) or "memory-limit" not in told, (app.name, told)
            for reason in KILLS:
                assert reported[app.name, reason] == told.get(reason, 0), (app.name, reason, told, reported)
        return ends


def start(folder, containment, low):
    """`low`: in bytes; 0: memory isn't watched."""
    watching = ["--memory-low", str(low)] if low else []
    process = subprocess.Popen(
        ["curfew", "serve", "--name", SERVER, "--containment", containment, *watching], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=open(folder / "server.err", "w"), env=os.environ)
    try:
        wait_for("the server to answer", lambda: curfew("apps", check=False).returncode == 0 or process.poll() is not None)
        assert process.poll() is None, (folder / "server.err").read_text()
    except BaseException:
        process.kill()
        raise
    return process


def stop(server):
    """Its status."""
    server.send_signal(signal.SIGTERM)
    try:
        return server.wait(2 * PATIENCE)
    finally:
        # Where it hasn't ended by then.
        server.kill()


def run(life, options):
    """A life below a server of its own: how that server's runs have ended."""
    server = start(options.folder, options.containment, 2 * Eater.low if options.pressure else 0)
    try:
        life.live(options.seconds)
        ends = life.explain()
    except BaseException:
        print((options.folder / "server.err").read_text()[-4000:])
        raise
    finally:
        status = stop(server)
    assert status == 0, f"the server ended with {status}"
    return ends


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--containment", default="auto", help="as `curfew serve` has it")
    parser.add_argument("--pressure", action="store_true", help="others are ended for what one takes of the machine's memory")
    parser.add_argument("--uploader", type=pathlib.Path, help="examples/SwiftClient, built")
    options = parser.parse_args()
    for folder in glob.glob("/usr/lib/postgresql/*/bin"):
        os.environ["PATH"] += ":" + folder
    Uploader.program = options.uploader
    if "XDG_RUNTIME_DIR" not in os.environ:
        os.environ["XDG_RUNTIME_DIR"] = str(options.folder / "run")
        (options.folder / "run").mkdir(mode=0o700)
    os.environ.update(CURFEW_SERVER=SERVER, XDG_CONFIG_HOME=str(options.folder / "config"), XDG_STATE_HOME=str(options.folder / "state"))
    manifests = options.folder / "config" / "curfew" / "apps"
    manifests.mkdir(parents=True)
    manifests.chmod(0o700)
    missing = {kind.__name__: [word for word in kind.needs if not shutil.which(word)] for kind in KINDS}
    here = [kind for kind in KINDS if not missing[kind.__name__] and (kind is not Uploader or options.uploader)]
    for name, words in missing.items():
        if words:
            print(f"  without {name.lower()}: {', '.join(words)} isn't installed")
    all_apps = [kind(options.folder) for kind in here]
    if options.pressure:
        Eater.low = available_memory() - min(Eater.LESS, available_memory() // 4)
    life = Life(all_apps, random.Random(options.seed))
    with contextlib.ExitStack() as closing:
        for app in all_apps:
            closing.callback(app.close)
            app.prepare()
            if not app.has_joined:
                (manifests / f"{app.name}.toml").write_text(app.manifest())
        joined = sum(app.has_joined for app in all_apps)
        print(f"- {len(all_apps) - joined} programs below one server, {joined} beside it, switched at random for {options.seconds:.0f} s: "
              f"--seed {options.seed}", flush=True)
        ends = run(life, options)
    print("- done: " + ", ".join(f"{action} {count} times" for action, count in sorted(life.steps.items())))
    written = ", ".join(f"{app.written} by {type(app).__name__.lower()}" for app in all_apps if app.written)
    print(f"- written and found again: {written}")
    reasons = collections.Counter()
    for (_, reason), count in ends.items():
        reasons[reason] += count
    told = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
    print(f"- how the server's runs have ended, each explained: {told}")


if __name__ == "__main__":
    main()
