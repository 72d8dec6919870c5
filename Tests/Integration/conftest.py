"""What every integration test stands on: the real binary, a runtime directory of its own, and a look for leaks.

Nothing here sleeps for readiness: a test waits for a line, a state or an exit, each with a deadline that prints
what was seen when it passes.
"""

import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests"))
import caller  # noqa: E402
from event_stream import EventStream  # noqa: E402
from history import SANDBOX, file_end, pytest_runtest_makereport  # noqa: E402,F401
from outcomes import pytest_terminal_summary  # noqa: E402,F401
from tracing import strace  # noqa: E402,F401

# Whether this file has a place of its own (Tests/side_by_side), where it sees no processes but its own. No program's business.
HAS_PLACE = bool(os.environ.pop("CURFEW_TEST_PLACE", ""))
# Which of so many parts of the file this is, as `1/3`; a long one's run side by side too.
PART = os.environ.pop("CURFEW_TEST_PART", "")
# On a slow machine, an emulated one for instance, everything takes longer by some factor.
PATIENCE = float(os.environ.get("CURFEW_TEST_PATIENCE", "1"))
LIMIT = 20.0 * PATIENCE
# A program that does nothing, for longer than any test takes.
SLEEP = ("sleep", "1000")


def trapping(action, ready="ready"):
    """A script for sh that does that at SIGTERM, and writes `ready` once both it and what it waits for would hear of that.

    What a shell has forked loses a signal that comes before it has executed something, and then outlives the shell by its limit.
    """
    return f"trap '{action}' TERM; sh -c 'echo {ready}; exec sleep 1000' & while :; do wait $!; done"


def binary():
    """The curfew under test: $CURFEW, else the static release build."""
    chosen = os.environ.get("CURFEW") or str(ROOT / ".build-static/release/curfew")
    return str(pathlib.Path(chosen).resolve())


def pytest_sessionstart(session):
    caller.forget()
    if not os.access(binary(), os.X_OK):
        pytest.exit(f"{binary()} isn't there; run `make build` first", returncode=2)


def wait_for(what, probe, limit=LIMIT):
    """Asks until the answer is true; fails saying what was awaited and what was last seen."""
    deadline = time.monotonic() + limit
    seen = None
    while True:
        seen = probe()
        if seen:
            return seen
        if time.monotonic() > deadline:
            pytest.fail(f"waited {limit} s for {what}; last seen: {seen!r}")
        time.sleep(0.01)


def state_letter(pid):
    """R, S, D, T, Z; None when there is no such process."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()[0]


def thread_letters(pid):
    """The state of each thread."""
    letters = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return letters
    for thread in threads:
        try:
            letters.append(pathlib.Path(f"/proc/{pid}/task/{thread}/stat").read_text().rpartition(")")[2].split()[0])
        except (FileNotFoundError, ProcessLookupError):
            pass
    return letters


def parent_of(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def is_alive(pid):
    return state_letter(pid) not in (None, "Z", "X")


def living():
    """Each living process that is seen, and when it was started: a number can come again."""
    found = set()
    for entry in pathlib.Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split() if entry.name.isdigit() else "Z"
        except OSError:
            continue
        if fields[0] not in "ZX":
            found.add((int(entry.name), fields[19]))
    return found


def cgroup2_directory():
    """This process's own cgroup v2 directory, or None."""
    own = re.search(r"^0::(.*)$", pathlib.Path("/proc/self/cgroup").read_text(), re.M)
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, tail = line.partition(" - ")
        if tail.startswith("cgroup2 ") and own and fields.split()[3] == "/":
            return pathlib.Path(fields.split()[4] + own.group(1))
    return None


class Running:
    """A `curfew run` under way, with pipes for its output."""

    def __init__(self, sandbox, process, name):
        self.sandbox = sandbox
        self.process = process
        self.name = name
        self.output = b""

    @property
    def pid(self):
        return self.process.pid

    def read_line(self, limit=LIMIT):
        """The next line of standard output, without its newline."""
        deadline = time.monotonic() + limit
        while b"\n" not in self.output:
            left = deadline - time.monotonic()
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, left))
            if not ready:
                pytest.fail(f"waited {limit} s for a line; seen so far: {self.output!r}")
            chunk = os.read(self.process.stdout.fileno(), 4096)
            if not chunk:
                pytest.fail(f"output ended before a line; seen: {self.output!r}, stderr: {self.errors()!r}")
            self.output += chunk
        line, _, self.output = self.output.partition(b"\n")
        return line.decode()

    def expect(self, line, limit=LIMIT):
        """Reads lines until `line` comes."""
        seen = []
        while True:
            seen.append(self.read_line(limit))
            if seen[-1] == line:
                return seen

    def errors(self):
        """What standard error holds once the process has ended."""
        if self.process.poll() is None:
            return None
        return self.process.stderr.read().decode() if self.process.stderr else ""

    def unread_errors(self):
        """What nobody has read yet of standard error."""
        try:
            os.set_blocking(self.process.stderr.fileno(), False)
            return (os.read(self.process.stderr.fileno(), 65536) or b"").decode(errors="replace").rstrip()
        except (OSError, ValueError, AttributeError):
            return "(none to be read)"

    def wait(self, limit=LIMIT):
        """The exit status, as subprocess gives it (negative: a signal)."""
        try:
            return self.process.wait(limit)
        except subprocess.TimeoutExpired:
            pytest.fail(f"{self.name} hasn't ended in {limit} s; status: {self.status_text()}")

    def end(self):
        """Has it ended that was asked to: an app that is in no hurry is killed, for which its supervisor ends too."""
        if self.has_ended(0.3):
            return
        stream = self.sandbox.stream(self.name, 2)
        leader = re.search(r" pid=(\d+) .* supervisor=(\d+)", (stream and stream.ask("status", 2)) or "")
        # Only who is surely its child: numbers come again, and in another's namespace mean another.
        if leader and parent_of(int(leader.group(1))) == int(leader.group(2)):
            # It can end by itself just now.
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(leader.group(1)), signal.SIGKILL)
        if not self.has_ended(15 * PATIENCE):
            self.process.kill()

    def has_ended(self, limit):
        try:
            self.process.wait(limit)
            return True
        except subprocess.TimeoutExpired:
            return False

    def finish(self, limit=LIMIT):
        """(status, the rest of standard output, standard error)."""
        try:
            out, err = self.process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            pytest.fail(f"{self.name} hasn't ended in {limit} s; status: {self.status_text()}")
        return self.process.returncode, (self.output + out).decode(), err.decode()

    def stop(self):
        """Stops both halves, for each would continue the other; tells the supervisor's pid."""
        supervisor = self.status()["supervisor"]
        os.kill(self.pid, signal.SIGSTOP)
        os.kill(supervisor, signal.SIGSTOP)
        return supervisor

    def status(self):
        """`curfew status --json` as a dictionary."""
        result = self.sandbox.curfew("status", self.name, "--json")
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def status_text(self):
        return self.sandbox.curfew("status", self.name, check=False).stdout

    def wait_state(self, state, limit=LIMIT):
        self.sandbox.wait_state(self.name, state, limit)

    def wait_told(self, what, probe, limit=LIMIT):
        """As `wait_for`, for what an event tells of: asks when there is one."""
        return self.sandbox.wait_told(self.name, what, probe, limit)


class Server:
    """A `curfew serve` under way, asked by its socket: one request a connection, unless a test holds one."""

    def __init__(self, sandbox, process, name):
        self.sandbox = sandbox
        self.process = process
        self.name = name
        self.orders = 0

    @property
    def pid(self):
        return self.process.pid

    @property
    def folder(self):
        return self.sandbox.runtime / "curfew" / "server"

    @property
    def socket(self):
        return self.folder / f"{self.name}.sock"

    def stream(self, limit=LIMIT):
        """The events of all its apps, followed from now on; closed with the sandbox."""
        stream = EventStream(self.socket, limit)
        self.sandbox.streams[f"server {self.name} {len(self.sandbox.streams)}"] = stream
        return stream

    def ask(self, request, limit=LIMIT):
        """(the lines before it, the final ok or error) of one request."""
        with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as connection:
            connection.settimeout(limit)
            connection.connect(str(self.socket))
            connection.sendall(f"{request} id=1\n".encode())
            text = b""
            while not re.search(rb"(^|\n)(ok|error)( [^\n]*)?\n", text):
                chunk = connection.recv(65536)
                if not chunk:
                    pytest.fail(f"{self.name} closed before it answered {request!r}; seen: {text!r}; stderr: {self.errors()}")
                text += chunk
        *lines, final = text.decode().splitlines()
        return [line for line in lines if not line.startswith("event ")], final

    def expect(self, request, **fields):
        """The final ok's fields; fails on an error, and where one of these isn't as it should be."""
        _, final = self.ask(request)
        assert final.startswith("ok"), f"{request}: {final}"
        found = fields_of(final)
        for key, value in fields.items():
            assert found.get(key) == str(value), f"{request}: {key} in {final}"
        return found

    def refused(self, request, code):
        """The message of the error with that code."""
        _, final = self.ask(request)
        assert final.startswith("error") and fields_of(final)["code"] == code, f"{request}: {final}"
        return fields_of(final)["message"]

    def apps(self):
        """The task list: a dictionary each, in order."""
        lines, final = self.ask("apps")
        assert final.startswith("ok"), final
        return [fields_of(line) for line in lines]

    def app(self, name):
        return next((app for app in self.apps() if app["name"] == name), None)

    def status(self, name):
        return self.expect(f"status app={name}")

    def order(self, *command, name=None, options=(), directory=None, umask=None, environment=None, limits=()):
        """Leaves an order for a bare command; the name of its file."""
        self.orders += 1
        fields = [f"name={name}"] if name else []
        fields += [f"directory={directory}"] if directory else []
        fields += [f"umask={umask:o}"] if umask is not None else []
        fields += [f"limit.{number}={soft}:{hard}" for number, soft, hard in limits]
        fields += [f"option={option}" for option in options]
        fields += [f"command={word}" for word in command]
        fields += [f"environment={key}={value}" for key, value in (environment or self.sandbox.environment).items()]
        path = self.folder / f"order{self.orders}"
        path.touch(mode=0o600)
        path.write_bytes(b"".join(field.encode() + b"\0" for field in fields))
        return path.name

    def launch(self, name, *command, request="", **order):
        """Launches a bare command; its pid."""
        file = self.order(*command, name=name, **order)
        return int(self.expect(f"launch order={file} {request}", app=name)["pid"])

    def wait_state(self, name, state, limit=LIMIT):
        """Waits for an app of the list to be in that state, by its events; for `notRunning` until nothing is left of it."""
        def is_there():
            app = self.app(name) or {}
            return app.get("state") == state and (state != "notRunning" or "pid" not in app)

        self.sandbox.wait_for_event(self.stream(limit), f"{name} to be {state}", is_there, limit)

    def log(self, name):
        """What an app's output log holds by now; its marks are left out."""
        try:
            text = (self.sandbox.state / "curfew" / "logs" / f"{name}.log").read_text()
        except OSError:
            return ""
        return "".join(line for line in text.splitlines(True) if not line.startswith("=== curfew: "))

    def wait_line(self, name, line, limit=LIMIT):
        """Waits until the app has written that line."""
        wait_for(f"{name} to write {line!r}; log so far: {self.log(name)!r}", lambda: line in self.log(name), limit)

    def errors(self):
        """Its standard error so far."""
        return self.sandbox.scratch.joinpath(f"server-{self.name}.err").read_text()

    def wait(self, limit=LIMIT):
        try:
            return self.process.wait(limit)
        except subprocess.TimeoutExpired:
            pytest.fail(f"the server {self.name} hasn't ended in {limit} s; apps: {self.ask('apps')}; stderr: {self.errors()}")

    def end(self):
        """Has it end that still runs."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(15 * PATIENCE)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def fields_of(line):
    """The fields of one line of the protocol."""
    found = {}
    for key, quoted, plain in re.findall(r'([\w.-]+)=(?:"((?:[^"\\]|\\.)*)"|(\S*))', line):
        found[key] = re.sub(r"\\(.)", r"\1", quoted) if quoted else plain
    return found


class Sandbox:
    """A runtime directory, a scratch directory, and the way to call curfew in them."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.marker = uuid.uuid4().hex
        # Short: a socket's path has 107 bytes at most.
        self.runtime = pathlib.Path(tempfile.mkdtemp(prefix="cf-"))
        # Reports of kills are no business of the user's who runs the tests.
        self.state = pathlib.Path(scratch) / "state"
        # What the tests are told by is no business of the programs'.
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("CURFEW_TEST_")}
        self.environment.update(
            XDG_RUNTIME_DIR=str(self.runtime), XDG_STATE_HOME=str(self.state), CURFEW_TEST_MARKER=self.marker)
        for variable in ("CURFEW_FD", "CURFEW_SOCKET", "CURFEW_STATE_DIR"):
            self.environment.pop(variable, None)
        self.environment["PATH"] = str(pathlib.Path(binary()).parent) + ":" + self.environment["PATH"]
        self.running = []
        self.servers = []
        self.streams = {}
        self.history = None
        # Who else has something to tell of a failure: as (title, text).
        self.tellers = []
        # Somebody else's app on this machine can have a name that a test uses too.
        self.others_cgroups = set(every_cgroup())
        self.others = living() if HAS_PLACE else None

    def curfew(self, *arguments, check=False, limit=LIMIT, **options):
        """Runs a verb to its end."""
        return subprocess.run(
            [binary(), *map(str, arguments)], capture_output=True, text=True, timeout=limit, check=check,
            env=options.pop("env", self.environment), stdin=options.pop("stdin", subprocess.DEVNULL), **options)

    def start(self, *command, options=(), name=None, wrapper=(), **popen):
        """Starts `curfew run --name … options -- command`, by the wrapper if there is one."""
        name = name or "t" + uuid.uuid4().hex[:8]
        options = [*self.account(name, options, wrapper, popen), *options]
        process = subprocess.Popen(
            [*wrapper, binary(), "run", "--name", name, *map(str, options), "--", *map(str, command)],
            stdin=popen.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=popen.pop("env", self.environment), **popen)
        running = Running(self, process, name)
        self.running.append(running)
        return running

    def account(self, name, options, wrapper, popen):
        """Options that leave an account behind, should the test fail; none where that, or who starts it, is tested."""
        if wrapper or popen.keys() & {"user", "preexec_fn"} or any(str(option).startswith("--report") for option in options):
            return []
        account = ["--report", self.scratch / f"{name}.account"]
        has_journal = any(str(option).startswith("--journal") for option in options)
        return account + ([] if has_journal else ["--journal", self.scratch / f"{name}.journal"])

    def serve(self, *options, name="home", wait=True, wrapper=(), **popen):
        """Starts `curfew serve`, and waits until it listens."""
        errors = open(self.scratch / f"server-{name}.err", "a")
        process = subprocess.Popen(
            [*map(str, wrapper), binary(), "serve", "--name", name, *map(str, options)], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=errors, env=popen.pop("env", self.environment), **popen)
        errors.close()
        server = Server(self, process, name)
        self.servers.append(server)
        if wait:
            wait_for(
                f"the server {name} to answer; stderr: {server.errors()}",
                lambda: process.poll() is not None or self.answers(server.socket))
            assert process.poll() is None, server.errors()
            # It answers once it has begun.
            server.expect("server")
        return server

    def serve_by(self, containment):
        """A server whose apps are all held that way; where that can't be had the test is skipped."""
        server = self.serve("--containment", containment, wait=False)
        wait_for("the server to answer", lambda: server.process.poll() is not None or self.answers(server.socket))
        if server.process.poll() == 125 and "--containment" in server.errors():
            pytest.skip(f"{containment} can't be had here: {server.errors().strip()}")
        return server

    def answers(self, path):
        with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as connection:
            try:
                connection.connect(str(path))
                return True
            except OSError:
                return False

    def wait_for_event(self, stream, what, probe, limit=LIMIT):
        """Asks after each event until the answer is true."""
        deadline = time.monotonic() + limit
        while True:
            known = len(stream.events)
            seen = probe()
            if seen:
                return seen
            if not stream.next(known, min(deadline, time.monotonic() + 1)) and time.monotonic() >= deadline:
                pytest.fail(f"waited {limit} s for {what}; events:\n{stream.text()}")

    def stream(self, name, limit=LIMIT):
        """The events of the app of that name, followed from now on; None when nobody answers there."""
        stream = self.streams.get(name)
        while stream and stream.read(0):
            pass
        if not stream or stream.has_ended:
            try:
                stream = EventStream(self.runtime / "curfew" / f"{name}.sock", limit)
            except OSError:
                return None
            self.streams[name] = stream
        return stream

    def wait_told(self, name, what, probe, limit=LIMIT):
        """Asks after each event of the app until the answer is true; once a second besides, should none tell of it."""
        deadline = time.monotonic() + limit
        stream = self.stream(name, limit)
        while True:
            # One that comes right behind an answer is here when that is.
            known = len(stream.events) if stream else 0
            seen = probe()
            if seen:
                return seen
            told = stream and stream.next(known, min(deadline, time.monotonic() + 1))
            if not told and (not stream or stream.has_ended or time.monotonic() >= deadline):
                why = f"{limit} s passed" if stream and not stream.has_ended else "nobody tells of it any more"
                pytest.fail(f"waiting for {what}: {why}; last seen: {seen!r}; events:\n{stream and stream.text()}")

    def wait_state(self, name, state, limit=LIMIT):
        """Waits for the app of that name to be in that state."""
        stream = self.stream(name, limit)
        self.wait_told(name, f"{name} to be {state}", lambda: stream and stream.state(limit) == state, limit)

    def tell_history(self):
        """What is known of each app and server, as (title, text), once a test has failed: of the living by themselves, then
        what they have left behind. Told once, while there is somebody to ask; raises nothing."""
        if self.history is None:
            self.history = []
            runs = {running.name: running for running in self.running}
            sockets, reports = [], []
            # What is ended meanwhile takes its own away.
            with contextlib.suppress(OSError):
                sockets = [path for path in self.sockets() if path.suffix == ".sock"]
                reports = sorted(self.reports.glob("*.json"))
            # Apps of a server have links to its socket.
            own = [path.stem for path in sockets if path.parent.name == "curfew" and not path.is_symlink()]
            for name in dict.fromkeys([*runs, *own]):
                self.history += sections_of(f"app {name}", self.history_of, name, runs.get(name))
            servers = {server.name: server.process for server in self.servers}
            others = [path.stem for path in sockets if path.parent.name == "server"]
            for name in dict.fromkeys([*servers, *others]):
                self.history += sections_of(f"server {name}", self.history_of_server, name, servers.get(name))
            for report in reports:
                self.history += sections_of(f"report {report.stem}", account_text, report)
            for tell in self.tellers:
                self.history += sections_of("more of it", tell)
        return self.history

    def history_of(self, name, running):
        stream = self.stream(name, 2) or self.streams.get(name)
        told = []
        if stream:
            told += ["-- events", stream.text()]
            status = None if stream.has_ended else stream.ask("status", 2)
            told += ["-- status", status or "it doesn't answer"]
        if running:
            ended = running.process.poll()
            told += [f"-- {'running' if ended is None else f'ended with {ended}'}; standard error", running.unread_errors()]
            told += ["-- account", account_text(self.scratch / f"{name}.account")]
            told += ["-- journal, its end", file_end(self.scratch / f"{name}.journal", "no journal")]
        return "\n".join(told)

    def history_of_server(self, name, process):
        """Its own, and that of each app that it, a test's stream or a log knows."""
        deadline = time.monotonic() + 10 * PATIENCE
        path = self.runtime / "curfew" / "server" / f"{name}.sock"
        ended = process and process.poll()
        state = "started by the test itself" if not process else "running" if ended is None else f"ended with {ended}"
        told = [f"-- {state}; standard error, its end"]
        told.append(file_end(self.scratch / f"server-{name}.err", "none is kept"))
        listed, answers = answer_of(path, "apps", deadline)
        told += ["-- apps", lines_end(listed)]
        if answers:
            told += ["-- runs", lines_end(answer_of(path, "history limit=20", deadline)[0])]
        seen = self.followed_of(name, deadline)
        logs = self.state / "curfew" / "logs"
        apps = {app["name"]: app for app in map(fields_of, listed) if "name" in app} if answers else {}
        known = [*apps, *(fields_of(event).get("app") for event in seen), *(path.stem for path in sorted(logs.glob("*.log")))]
        names = [app for app in dict.fromkeys(known) if app]
        sections = []
        for app in names[:MOST_APPS_TOLD]:
            # Of one that has ended only those tell who followed it.
            events = [event for event in seen if fields_of(event).get("app") == app]
            if "pid" in apps.get(app, {}):
                events += answer_of(path, f"events app={app}", deadline)[0]
            text = ["-- events", lines_end(dict.fromkeys(event.removeprefix("event ") for event in events))]
            text += ["-- log, its end", file_end(logs / f"{app}.log", "no log", 40)]
            sections.append((f"app {app} of server {name}", "\n".join(text)))
        if len(names) > MOST_APPS_TOLD:
            told.append(f"-- {len(names) - MOST_APPS_TOLD} more apps aren't told of")
        return [(f"server {name}", "\n".join(told)), *sections]

    def followed_of(self, name, deadline):
        """The events that the test's streams of that server have got, with what has come to them by now."""
        seen = []
        for title, stream in self.streams.items():
            if title.startswith(f"server {name} "):
                with contextlib.suppress(OSError, ValueError):
                    while time.monotonic() < deadline and stream.read(0):
                        pass
                seen += stream.events
        return seen

    def shell(self, script, options=(), name=None, **popen):
        return self.start("sh", "-c", script, options=options, name=name, **popen)

    def processes(self):
        """Every living process that has this sandbox's marker in its environment."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if self.marker.encode() in environment and is_alive(int(entry.name)):
                found.append(int(entry.name))
        return found

    def left(self):
        """The processes that are left: those with the marker, and where nobody else's are seen, whoever is new."""
        strays = living() - self.others if self.others is not None else set()
        return sorted({*self.processes(), *(pid for pid, _ in strays)})

    def cgroups(self):
        """Cgroups of curfew's that belong to this sandbox's runs."""
        return [path for path in every_cgroup() if path not in self.others_cgroups and self.owns_cgroup(path.name)]

    def owns_cgroup(self, name):
        # Those of `curfew timeout` are called by the command: known for ours where nobody else's are seen.
        if HAS_PLACE and name.startswith("curfew.-"):
            return True
        names = [running.name for running in self.running] + [f"server-{server.name}" for server in self.servers]
        return any(name.startswith(f"curfew.{own}.") for own in names)

    def sockets(self):
        # The folder of servers stays.
        return [path for path in (self.runtime / "curfew").rglob("*") if path.is_symlink() or not path.is_dir()]

    @property
    def reports(self):
        """Where reports of kills are."""
        return self.state / "curfew" / "reports"

    def describe(self, pids):
        lines = []
        for pid in pids:
            try:
                folder = pathlib.Path(f"/proc/{pid}")
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                name, channel = [(folder / file).read_text().strip() for file in ("comm", "wchan")]
                descriptors = [f"{path.name}: {os.readlink(path)}" for path in (folder / "fd").iterdir()]
                lines.append(f"{pid} {state_letter(pid)} ({name}, in {channel}) {command}, holds {', '.join(descriptors)}")
            except OSError:
                pass
        return "; ".join(lines)

    def clean(self):
        """Ends what a failed test left, by pid."""
        for pid in self.left():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for stream in self.streams.values():
            stream.close()
        for server in self.servers:
            server.process.kill()
            server.process.wait()
        for running in self.running:
            running.process.kill()
            running.process.wait()
            for stream in (running.process.stdout, running.process.stderr):
                if stream:
                    stream.close()
        shutil.rmtree(self.runtime, ignore_errors=True)


def account_text(path):
    """A report for people to read: an event a line, then what else is in it."""
    try:
        report = json.loads(path.read_text())
    except (OSError, ValueError):
        return "no report"
    events = [json.dumps(event) for event in report.pop("events", None) or []]
    return "\n".join([*events, json.dumps({key: value for key, value in report.items() if value is not None})])


# Of so many apps of a server a failing test prints the history.
MOST_APPS_TOLD = 30


def sections_of(title, tell, *arguments):
    """A part of the history, as (title, text): one where that is a text. Where it can't be had, why: a failure that can't be
    looked into is a failure still."""
    try:
        told = tell(*arguments)
        return [(title, told)] if isinstance(told, str) else list(told)
    except (Exception, pytest.fail.Exception, pytest.skip.Exception) as problem:
        return [(title, f"it can't be told: {problem!r}")]


def answer_of(path, request, deadline):
    """(the lines that come until the final one, with that; whether it is an ok), by then and within 2 s. Raises nothing."""
    deadline = min(deadline, time.monotonic() + 2 * PATIENCE)
    text, problem = b"", None
    try:
        with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as connection:
            connection.settimeout(max(0.01, deadline - time.monotonic()))
            connection.connect(str(path))
            connection.sendall(f"{request} id=1\n".encode())
            while not re.search(rb"(^|\n)(ok|error)( [^\n]*)?\n$", text):
                connection.settimeout(max(0.01, deadline - time.monotonic()))
                chunk = connection.recv(65536)
                if not chunk:
                    problem = "it closed before it answered"
                    break
                text += chunk
                if time.monotonic() > deadline:
                    raise TimeoutError
    except TimeoutError:
        problem = "it doesn't answer"
    except OSError as error:
        problem = f"it can't be asked: {error.strerror or error}"
    lines = text.decode(errors="replace").splitlines()
    if problem:
        return [*lines, problem], False
    return lines if lines[-1].startswith("error") else lines[:-1], lines[-1].startswith("ok")


def lines_end(lines, count=80):
    """The last of them, and how many were before."""
    lines = list(lines)
    left = len(lines) - count
    return "\n".join([*([f"({left} lines before)"] if left > 0 else []), *lines[-count:]]) or "nothing"


def unified_mount():
    """Where the hierarchy of cgroup v2 is mounted; None where it isn't."""
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        if " - cgroup2 " in line:
            return pathlib.Path(line.split()[4])
    return None


def mounted_cgroups():
    """Our own cgroup's directory in each hierarchy that shows it: whatever a curfew makes is below."""
    own = dict(line.split(":", 2)[1:] for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines())
    found = []
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, tail = line.partition(" - ")
        kind, _, options = tail.split()[:3]
        if kind in ("cgroup", "cgroup2"):
            paths = [path for names, path in own.items() if (set(names.split(",")) <= set(options.split(",")) if names else kind == "cgroup2")]
            point = pathlib.Path(fields.split()[4])
            inside = pathlib.Path(f"{point}{paths[0]}") if paths and fields.split()[3] == "/" else point
            found.append(inside if inside.is_dir() else point)
    return found


def every_cgroup():
    """Each cgroup that is called as curfew's are."""
    found = []
    for mount in mounted_cgroups():
        # Others' cgroups may vanish while they are walked over, which os.walk passes over.
        for folder, names, _ in os.walk(mount):
            found += [pathlib.Path(folder, name) for name in names if name.startswith("curfew.")]
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """A test that gives the machine swap does so to whatever runs beside it; of a file in parts only some are run."""
    for item in items:
        if "swap" in item.fixturenames:
            item.add_marker("alone")
    if PART:
        number, count = map(int, PART.split("/"))
        others = [item for index, item in enumerate(items) if index % count != number - 1]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for index, item in enumerate(items) if index % count == number - 1]


@pytest.fixture
def sandbox(tmp_path, request):
    """A fresh sandbox; afterwards no process, no cgroup and no socket of the test's may be left."""
    sandbox = request.node.stash[SANDBOX] = Sandbox(tmp_path)
    yield sandbox
    try:
        for running in sandbox.running:
            if running.process.poll() is None:
                running.process.send_signal(signal.SIGTERM)
        for running in sandbox.running:
            running.end()
        for server in sandbox.servers:
            server.end()
        if request.node.get_closest_marker("leaks_allowed"):
            return
        deadline = time.monotonic() + LIMIT
        while (sandbox.left() or sandbox.cgroups()) and time.monotonic() < deadline:
            time.sleep(0.02)
        left = sandbox.left()
        assert not left, f"processes left: {sandbox.describe(left)}"
        left = sandbox.cgroups()
        assert not left, f"cgroups left: {[(str(path), (path / 'cgroup.procs').read_text().split()) for path in left]}"
        assert not sandbox.sockets(), f"sockets left: {sandbox.sockets()}"
    except AssertionError:
        sandbox.tell_history()
        raise
    finally:
        sandbox.clean()


def containments():
    """The kinds of containment to test; what this machine lacks is skipped with a reason."""
    return ["cgroup2", "cgroup1", "tree"]


@pytest.fixture(params=containments())
def containment(request, sandbox):
    result = sandbox.curfew("run", f"--containment={request.param}", "--", "true")
    if result.returncode == 125:
        pytest.skip(f"{request.param} can't be had here: {result.stderr.strip()}")
    assert result.returncode == 0, result.stderr
    return request.param


@pytest.fixture(params=["cgroup2", "tree"])
def held(request, sandbox):
    """The options for the best containment, and for the one that any machine has."""
    result = sandbox.curfew("run", f"--containment={request.param}", "--", "true")
    if result.returncode == 125:
        pytest.skip(f"{request.param} can't be had here: {result.stderr.strip()}")
    assert result.returncode == 0, result.stderr
    return ["--containment", request.param]


@pytest.fixture(params=["cgroup2", "tree"])
def server(request, sandbox):
    """By the best containment, and by the one that any machine has."""
    return sandbox.serve_by(request.param)


@pytest.fixture
def plain(sandbox):
    """A server with the best containment there is."""
    return sandbox.serve()


# A shell of its own takes the device away, even if the tests are killed. One at a time on a machine: to take one away brings
# back what another test has paged out to it.
SWAP = r"""
PATH=$PATH:/usr/sbin:/sbin
end() {
    for try in 1 2 3 4 5 6 7 8 9 10; do swapoff /dev/zram$n && break; sleep 0.1; done
    echo 1 > /sys/block/zram$n/reset; echo $n > /sys/class/zram-control/hot_remove && echo gone
}
exec 9< /sys/class/zram-control && flock -w 120 9 || exit
read n < /sys/class/zram-control/hot_add || exit
trap end EXIT
echo 67108864 > /sys/block/zram$n/disksize && mkswap /dev/zram$n > /dev/null && swapon /dev/zram$n && echo ready || exit
read line
"""


@pytest.fixture
def swap():
    if os.geteuid() != 0 or not os.path.exists("/sys/class/zram-control/hot_add"):
        pytest.skip("no swap can be made here: it takes root and zram")
    if not shutil.which("mkswap", path="/usr/sbin:/sbin"):
        pytest.skip("there is no mkswap")
    shell = subprocess.Popen(
        ["sh", "-c", SWAP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
    if shell.stdout.readline() != "ready\n":
        shell.communicate("\n", timeout=LIMIT)
        pytest.skip("no swap can be made here")
    yield
    out, _ = shell.communicate("\n", timeout=LIMIT)
    assert out == "gone\n"
