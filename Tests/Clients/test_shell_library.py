"""curfew.sh, run by each shell there is: against a supervisor of the test's own, then under the real one.

The test's own supervisor is one end of a socket pair: it can say what a real one never would, and when it likes.
The tests under the real one need $CURFEW, the binary's path.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import socket
import subprocess
import termios
import time
import uuid

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "Sources/clients/shell/curfew.sh"
LIMIT = 30.0 * float(os.environ.get("CURFEW_TEST_PATIENCE", "1"))

SHELLS = {
    "dash": ["dash"],
    "bash": ["bash"],
    "bash-posix": ["bash", "--posix"],
    "busybox": ["busybox", "sh"],
    "mksh": ["mksh"],
    "yash": ["yash"],
}
# These aren't made aware.
UNFIT = {"ksh93": ["ksh93"], "zsh": ["zsh", "--emulate", "sh"]}
# Each takes a minute; CURFEW_TEST_SHELLS="dash bash zsh" asks for more than the first.
CHOSEN = os.environ.get("CURFEW_TEST_SHELLS", "dash").split()
INSTALLED = {name: words for name, words in SHELLS.items() if name in CHOSEN and shutil.which(words[0])}


def shells(*names):
    """Parametrises by shell; what isn't installed is skipped."""
    return pytest.mark.parametrize("shell", [
        pytest.param(name, marks=[] if name in INSTALLED else pytest.mark.skip(f"{name} isn't installed, or isn't in CURFEW_TEST_SHELLS"))
        for name in names if name in CHOSEN])


every_shell = shells(*SHELLS)
two_shells = shells("dash", "bash")

# How each script begins: what it says has a line of its own, and `at` tells where it is.
BEGINNING = f'. "{LIBRARY}"\nsay() {{ printf "%s\\n" "$*"; }}\n'


class Line:
    """A verb and its pairs, of those lines that a script sends."""

    def __init__(self, text):
        self.text = text
        self.verb, *pairs = text.split(" ")
        self.pairs = dict(pair.partition("=")[::2] for pair in pairs)


@contextlib.contextmanager
def terminal():
    """Its two ends: the one with the keys, the one with the script."""
    ends = pty.openpty()
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)


def prepare(pipe, terminal):
    """In the child: the control pipe is 8, and the terminal, if there is one, its own."""
    os.dup2(pipe, 8)
    if terminal is not None:
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    # What pytest itself was given.
    os.closerange(3, 8)
    os.closerange(9, 1000)


class App:
    """A script, and the supervisor it believes in."""

    def __init__(self, bench, shell, script, launch=(), answers=True, stdin=subprocess.DEVNULL, wrap=None,
                 terminal=None, session=False, **variables):
        self.bench = bench
        self.launch = launch
        self.answers = answers
        self.said = []      # the script's standard output, line by line
        self.errors = b""
        self.sent = []      # its messages
        self.acks = []
        self.sequence = 0
        self.ended = False
        self.buffers = {"output": b"", "pipe": b""}
        file = bench.scratch / f"script-{len(bench.apps)}.sh"
        file.write_text(BEGINNING + script)
        words = [*(SHELLS | UNFIT)[shell], str(file)]
        self.end, theirs = socket.socketpair()
        environment = bench.environment(CURFEW_FD="8", **variables)
        self.process = subprocess.Popen(
            wrap(words) if wrap else words, stdin=stdin if terminal is None else terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment, close_fds=False, cwd=bench.scratch, start_new_session=session or terminal is not None,
            preexec_fn=lambda: prepare(theirs.fileno(), terminal))
        theirs.close()
        bench.apps.append(self)

    @property
    def pid(self):
        return self.process.pid

    # What it is told

    def send(self, text):
        try:
            self.end.sendall(text if isinstance(text, bytes) else text.encode())
        except BrokenPipeError:
            pass  # it has asked, and ended before it was answered

    def line(self, name, *pairs, ack=False):
        """The line of an event with the next number."""
        self.sequence += 1
        required = ["ack=required", "seconds=5.000"] if ack else []
        return " ".join(["event", f"name={name}", f"seq={self.sequence}", *required, *pairs]) + "\n"

    def tell(self, name, *pairs, ack=False):
        self.send(self.line(name, *pairs, ack=ack))
        return self.sequence

    def close(self):
        """The supervisor is gone."""
        self.end.close()

    # What it does

    def pump(self, seconds=0.05):
        """Takes in what has come, and answers hello and remaining as a supervisor does."""
        streams = {self.process.stdout: self.take_output, self.process.stderr: self.take_errors, self.end: self.take_pipe}
        open_streams = [stream for stream in streams if not getattr(stream, "closed", False) and stream.fileno() >= 0]
        for stream in select.select(open_streams, [], [], seconds)[0]:
            try:
                data = os.read(stream.fileno(), 4096)
            except ConnectionResetError:  # it ended with something unread
                data = b""
            if data:
                streams[stream](data)
            else:
                stream.close()

    def take_errors(self, data):
        self.errors += data

    def take_output(self, data):
        *lines, self.buffers["output"] = (self.buffers["output"] + data).split(b"\n")
        self.said += [line.decode(errors="surrogateescape") for line in lines]

    def take_pipe(self, data):
        *lines, self.buffers["pipe"] = (self.buffers["pipe"] + data).split(b"\n")
        for text in lines:
            line = Line(text.decode())
            self.sent.append(line)
            if line.verb == "ack":
                self.acks.append(int(line.pairs["seq"]))
            elif line.verb == "hello" and self.answers:
                self.send(f"ok id={line.pairs['id']} version=1 app=test state=active\n")
                for name, ack, *pairs in self.launch:
                    self.tell(name, *pairs, ack=ack)
            elif line.verb == "remaining" and self.answers:
                self.send(f"ok id={line.pairs['id']} seconds=inf\n")

    def until(self, what, probe, limit=LIMIT):
        deadline = time.monotonic() + limit
        while not (found := probe()):
            if time.monotonic() > deadline:
                pytest.fail(f"waited {limit} s for {what}; {self.describe()}")
            self.pump()
        return found

    def describe(self):
        return (
            f"said {self.said!r}, errors {self.errors.decode(errors='replace')!r}, "
            f"sent {[line.text for line in self.sent]!r}, ended {self.process.poll()!r}, "
            f"processes: {self.bench.describe()}")

    def until_said(self, *lines):
        """Until its output ends with these lines."""
        self.until(f"{lines!r}", lambda: self.said[-len(lines):] == list(lines))

    def until_acknowledged(self, number):
        self.until(f"the acknowledgement of {number}", lambda: number in self.acks)

    def kill(self):
        """And what it has started; not the listener, which must end by itself."""
        self.process.kill()
        for pid in set(self.bench.processes()) - set(self.bench.listeners()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def finish(self, limit=LIMIT):
        """Its status; all its output is there then."""
        self.until("its end", lambda: self.process.poll() is not None, limit)
        self.until("its output's end", lambda: self.process.stdout.closed and self.process.stderr.closed, limit)
        return self.process.returncode


class Bench:
    """Scripts, a scratch directory that is their TMPDIR, and the look for what they leave."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.temporary = scratch / "tmp"
        self.temporary.mkdir()
        self.marker = uuid.uuid4().hex
        self.apps = []

    def environment(self, **variables):
        environment = dict(
            os.environ, TMPDIR=str(self.temporary), XDG_STATE_HOME=str(self.scratch / "state"),
            CURFEW_TEST_MARKER=self.marker, ENV="")
        for variable in ("CURFEW_FD", "CURFEW_SOCKET", "CURFEW_SIGNAL", "BASH_ENV"):
            environment.pop(variable, None)
        environment.update(variables)
        return {name: value for name, value in environment.items() if value is not None}

    def app(self, shell, script, **options):
        return App(self, shell, script, **options)

    def plain(self, shell, script, limit=LIMIT, **options):
        """Runs a script that isn't under Curfew to its end."""
        file = self.scratch / "plain.sh"
        file.write_text(BEGINNING + script)
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(
            [*SHELLS[shell], str(file)], capture_output=True, text=True, timeout=limit, cwd=self.scratch,
            env=self.environment(**options.pop("variables", {})), **options)

    def processes(self):
        """The living ones that have this bench's marker in their environment."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and self.marker.encode() in (entry / "environ").read_bytes():
                    if (entry / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                        found.append(int(entry.name))
            except OSError:
                pass
        return found

    def listeners(self):
        """Those of them that are curfew.sh's own."""
        found = []
        for pid in self.processes():
            try:
                if b"curfew-listener:" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
            except OSError:
                pass
        return found

    def listener(self):
        """The one that the others of its making come from; their numbers may have begun anew."""
        deadline = time.monotonic() + LIMIT
        while True:
            # One that lives on for a moment after the one that it came from has no parent among them either.
            found = self.listeners_of_none()
            if len(found) == 1:
                return found[0]
            if time.monotonic() > deadline:
                pytest.fail(f"not one listener: {found} of {self.describe()}")
            time.sleep(0.02)  # a moment

    def listeners_of_none(self):
        """Those whose parent is none of them."""
        parents = {}
        for pid in self.listeners():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                parents[pid] = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        return [pid for pid, parent in parents.items() if parent not in parents]

    def describe(self):
        words = []
        for pid in self.processes():
            try:
                command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
                words.append(f"{pid} {command[:60]!r}")
            except OSError:
                pass
        return "; ".join(words)

    def until_gone(self, processes):
        deadline = time.monotonic() + LIMIT
        while processes():
            if time.monotonic() > deadline:
                pytest.fail(f"processes left: {self.describe()}")
            time.sleep(0.02)  # a moment

    def until_nothing_runs(self):
        self.until_gone(self.processes)

    def clean(self):
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for app in self.apps:
            app.process.kill()
            app.process.wait()
            for stream in (app.process.stdout, app.process.stderr, app.process.stdin, app.end):
                if stream:
                    stream.close()


@pytest.fixture
def bench(tmp_path):
    """Afterwards no process of the test's may be left once its scripts have ended, and no file in TMPDIR."""
    bench = Bench(tmp_path)
    yield bench
    try:
        for app in bench.apps:
            if app.process.poll() is None:
                app.process.kill()
                app.process.wait()
        bench.until_nothing_runs()
        left = list(bench.temporary.iterdir())
        assert not left, f"files left: {left}"
    finally:
        bench.clean()


LAUNCH = [("didFinishLaunching", True, "launched=foreground"), ("didBecomeActive", False)]

# Says each event that it hears.
HEARD = """
heard() { say "$CURFEW_EVENT"; }
"""


def hex_of(text):
    return text.encode().hex()


# Registering, and the launch


@every_shell
def test_the_launch_is_dealt_with_before_curfew_on_returns(bench, shell):
    """Its events come in order, the first is acknowledged once its function has returned, and the fields are set."""
    app = bench.app(shell, """
        launched() { say "$CURFEW_EVENT $CURFEW_SEQ $CURFEW_SECONDS $CURFEW_LAUNCHED [$CURFEW_KIND$CURFEW_TASK]"; }
        active() { say "$CURFEW_EVENT [$CURFEW_SECONDS$CURFEW_LAUNCHED]"; }
        curfew_on didFinishLaunching launched didBecomeActive active
        say "status $?"
        curfew_is_aware && say aware
        """, launch=LAUNCH)
    assert app.finish() == 0, app.describe()
    assert app.said == ["didFinishLaunching 1 5.000 foreground []", "didBecomeActive []", "status 0", "aware"]
    assert app.acks == [1]
    assert app.errors == b""
    assert app.sent[0].text.startswith("hello id=") and " version=1 client=script-0.sh" in app.sent[0].text


@two_shells
def test_two_functions_for_one_event_are_called_in_order(bench, shell):
    """One that was registered twice is called once; the acknowledgement comes after the last; a command will do."""
    app = bench.app(shell, """
        first() { say first; }
        second() { sleep 0.2; say second; }
        curfew_on didEnterBackground first didEnterBackground second
        curfew_on didEnterBackground first didEnterBackground /bin/pwd
        say ready
        curfew_loop
        """, launch=LAUNCH)
    app.until_said("ready")
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    app.until_said("ready", "first", "second", str(bench.scratch))
    app.kill()


@two_shells
def test_an_event_without_a_function_is_acknowledged(bench, shell):
    """Also those of the launch, and those that nobody knows."""
    app = bench.app(shell, HEARD + "curfew_on willResignActive heard\ncurfew_loop\n", launch=LAUNCH)
    app.until_acknowledged(1)
    app.until_acknowledged(app.tell("somethingNew", ack=True))
    app.tell("willResignActive")
    app.until_said("willResignActive")
    app.kill()


@every_shell
def test_wrong_usage_is_64_and_says_what_is_wrong(bench, shell):
    """The same whether it runs under Curfew or not."""
    result = bench.plain(shell, """
        f() { :; }
        curfew_on; say $?
        curfew_on didEnterBackground; say $?
        curfew_on didEnterBackground f willTerminate; say $?
        curfew_on 'did Enter' f; say $?
        curfew_on -x f; say $?
        curfew_on didEnterBackground no_such_function; say $?
        curfew_on didEnterBackground 'f; echo no'; say $?
        curfew_read 'a b'; say $?
        curfew_begin; say $?
        curfew_begin name 1x; say $?
        curfew_end x; say $?
        curfew_set_keep_alive_timeout 600; say $?
        curfew_set_keep_alive_timeout 0.0 f; say $?; curfew_set_keep_alive_timeout inf f; say $?
        curfew_set_keep_alive_timeout 600 no_such_function; say $?
        curfew_set_fetch_result good; say $?
        curfew_set_task_completed; say $?
        curfew_defer; say $?
        """)
    assert result.stdout.split() == ["64"] * 18, result
    lines = result.stderr.splitlines()
    assert len(lines) == 18 and all(line.startswith("curfew.sh: ") for line in lines), lines


# Keep-alive


@pytest.fixture
def stub(bench):
    """A `curfew` that writes down what it is asked, and refuses less than ten minutes."""
    stub = bench.scratch / "curfew-stub"
    asked = bench.scratch / "asked"
    stub.write_text(f'#!/bin/sh\necho "$@" >>"{asked}"\n[ "$3" != 30 ] || exit 1\n')
    stub.chmod(0o755)
    return str(stub), lambda: asked.read_text().splitlines()


@every_shell
def test_a_keep_alive_is_asked_for_and_its_function_called(bench, shell, stub):
    """A refusal leaves the function that was there; another one replaces it; none is left once it is cleared."""
    command, asked = stub
    app = bench.app(shell, """
        first() { say first; }
        second() { say second; }
        third() { say third; curfew_clear_keep_alive_timeout; }
        curfew_set_keep_alive_timeout 600 first
        curfew_set_keep_alive_timeout 30 second; say "$?"
        replace() { curfew_set_keep_alive_timeout 1200.5 third; }
        curfew_on next replace
        curfew_loop
        """, launch=LAUNCH, CURFEW_COMMAND=command)
    app.until_acknowledged(1)
    app.until_said("1")
    app.until_acknowledged(app.tell("keepAlive", "kind=wake", ack=True))
    app.until_said("1", "first")
    app.until_acknowledged(app.tell("next", ack=True))
    app.until_acknowledged(app.tell("keepAlive", "kind=wake", ack=True))
    app.until_acknowledged(app.tell("keepAlive", "kind=wake", ack=True))
    app.until_said("1", "first", "third")
    assert asked() == ["task keep-alive 600", "task keep-alive 30", "task keep-alive 1200.5", "task keep-alive 0"]
    app.kill()


# What is to be done later


@every_shell
def test_what_is_scheduled_is_asked_of_curfew_by_the_apps_name(bench, shell, stub):
    """Its socket has it; what is printed is passed on, and so is the status."""
    command, asked = stub
    path = bench.scratch / "photo album.sock"
    with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as listener:
        listener.bind(str(path))
        result = bench.plain(shell, """
            curfew_schedule_local_notification --in 4m "It is ready"
            curfew_cancel_local_notification n1; curfew_cancel_all_local_notifications
            curfew_set_minimum_background_fetch_interval minimum
            curfew_submit_task_request index --processing --needs-power
            curfew_cancel_task_request index; curfew_cancel_all_task_requests
            curfew_submit_task_request 30; say "$?"
            """, variables={"CURFEW_COMMAND": command, "CURFEW_SOCKET": str(path)})
    assert (result.stdout, result.stderr) == ("1\n", "")
    assert asked() == [
        "notify photo album --in 4m It is ready", "notify photo album --cancel n1", "notify photo album --cancel-all",
        "task fetch-interval minimum", "submit photo album index --processing --needs-power",
        "submit photo album --cancel index", "submit photo album --cancel-all", "submit photo album 30"]


PENDING = [
    {"app": 'photo "album"', "kind": "processing", "id": "now", "due": 1, "shown": "", "waits": "runs"},
    {"app": "a", "kind": "notification", "id": "tea", "due": 1796112240.5, "shown": "", "waits": "too-early",
     "title": '  {\n    "id": "c",\n  }'},
    {"app": "a", "kind": "fetch", "due": 1796112241, "shown": "", "repeat": "7200"},
    {"app": "a", "kind": "processing", "id": "index", "due": 1796112242, "shown": "", "waits": "too-early", "needs-power": True},
    {"app": "a", "kind": "push", "id": "7", "due": 1796112242, "shown": "", "title": '"kind": "notification"'},
    {"app": "a", "kind": "refresh", "id": "inbox", "due": 1796112243, "shown": ""},
    {"app": "a", "kind": "notification", "id": "n1", "due": 1796112244.0, "shown": "", "title": "x"}]


@every_shell
def test_what_waits_is_listed(bench, shell):
    """The soonest first, each kind by itself; what the script works on waits no more."""
    command = bench.scratch / "curfew"
    # Laid out as curfew does.
    (bench.scratch / "pending").write_text(json.dumps(PENDING, indent=2) + "\n")
    command.write_text("#!/bin/sh\n[ \"$*\" = 'schedule own --json' ] || exit 64\n[ ! -e refused ] || exit 75\ncat pending\n")
    command.chmod(0o755)
    path = bench.scratch / "own.sock"
    with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as listener:
        listener.bind(str(path))
        result = bench.plain(shell, """
            curfew_get_pending_notification_requests; echo "$?"
            curfew_get_pending_task_requests; echo "$?"
            : >refused; curfew_get_pending_task_requests; echo "$?"
            """, variables={"CURFEW_COMMAND": str(command), "CURFEW_SOCKET": str(path)})
    assert (result.stdout, result.stderr) == (
        "tea 1796112240.5\nn1 1796112244\n0\nindex processing\ninbox refresh\n0\n75\n", "")
    result = bench.plain(shell, 'curfew_get_pending_task_requests; curfew_get_pending_notification_requests; echo "$?"')
    assert (result.stdout, result.stderr) == ("0\n", "")


@every_shell
def test_the_result_of_an_event_is_told_with_its_acknowledgement(bench, shell, stub):
    """The last one counts; an event without one is acknowledged as ever."""
    command, asked = stub
    app = bench.app(shell, """
        fetch() { curfew_set_fetch_result new-data; curfew_set_fetch_result no-data; }
        refresh() { curfew_set_task_completed true; }
        payload() { curfew_remote_notification; }
        curfew_on fetch fetch refresh refresh remote-notification payload other refresh
        curfew_loop
        """, launch=LAUNCH, CURFEW_COMMAND=command)
    app.until_acknowledged(1)

    def told(name, *pairs):
        number = str(app.tell(name, "kind=wake", *pairs, ack=True))
        app.until(f"an answer to {number}", lambda: [line for line in app.sent if line.pairs.get("seq") == number])
        return next(line.text for line in app.sent if line.pairs.get("seq") == number).replace(number, "N")

    assert told("fetch") == "completed seq=N result=no-data"
    assert told("refresh", "info.request=inbox") == "completed seq=N success=true"
    assert told("remote-notification", "info.push=7", "info.bytes=9") == "ack seq=N"
    assert told("remote-notification") == "ack seq=N"
    assert told("other") == "ack seq=N"
    assert asked() == ["task payload 7"]
    app.kill()


@every_shell
def test_work_of_minutes_goes_on_in_the_script_until_it_expires(bench, shell):
    """Its event is acknowledged once the work has come to its end, and others are heard meanwhile."""
    app = bench.app(shell, """
        index() { curfew_defer; curfew_stop; }
        # It may not run yet.
        expire() { say "expired $CURFEW_INFO_seq"; : >stop; [ -z "$CURFEW_RUNNING" ] || kill "$CURFEW_RUNNING"; }
        curfew_on processing index taskWillExpire expire
        while curfew_loop; do
            say working
            if curfew_run sh -c 'until [ -e done ] || [ -e stop ]; do sleep 0.02; done; [ -e done ]'; then curfew_set_task_completed true
            else curfew_set_task_completed false; fi
        done
        """, launch=LAUNCH)
    app.until_acknowledged(1)

    def work():
        number = app.tell("processing", "kind=wake", "info.request=index", ack=True)
        app.until("it to work", lambda: app.said.count("working") > len(answers))
        return number

    def answered(number):
        app.until("an answer", lambda: any(line.verb == "completed" for line in app.sent[len(before):]))
        answers.append(app.sent[-1].text.replace(f"seq={number}", "seq=N"))

    answers, before = [], list(app.sent)
    number = work()
    app.tell("taskWillExpire", "kind=change", "info.event=processing", f"info.seq={number}")
    answered(number)
    app.until_said("working", f"expired {number}")
    (bench.scratch / "stop").unlink()
    before = list(app.sent)
    number = work()
    (bench.scratch / "done").touch()
    answered(number)
    assert answers == ["completed seq=N success=false", "completed seq=N success=true"]
    app.kill()


# Hearing


@every_shell
def test_an_event_is_heard_while_a_command_runs(bench, shell):
    """At once; the command goes on and its status is curfew_run's."""
    app = bench.app(shell, HEARD + """
        curfew_on didEnterBackground heard
        say start
        curfew_run sh -c 'while ! [ -e go ]; do sleep 0.02; done; exit 7'
        say "status $?"
        """, launch=LAUNCH)
    app.until_said("start")
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    app.until_said("start", "didEnterBackground")
    (bench.scratch / "go").touch()
    assert app.finish() == 0
    assert app.said[-1] == "status 7"


@every_shell
def test_events_in_quick_succession_are_dealt_with_one_by_one(bench, shell):
    """All sent at once: each has its function called, and is acknowledged before the next's."""
    app = bench.app(shell, HEARD + """
        heard() { say "$CURFEW_SEQ in"; sleep 0.05; say "$CURFEW_SEQ out"; }
        curfew_on didEnterBackground heard willResignActive heard
        curfew_loop
        """, launch=LAUNCH)
    app.until_acknowledged(1)
    app.send("".join(app.line(name, ack=ack) for name, ack in [
        ("willResignActive", False), ("didEnterBackground", True), ("didEnterBackground", True)]))
    app.until_acknowledged(5)
    assert app.acks == [1, 4, 5]
    app.until_said("3 in", "3 out", "4 in", "4 out", "5 in", "5 out")
    app.kill()


@every_shell
def test_many_events_while_many_commands_run(bench, shell):
    """None is lost or taken for another, and each command's status is its own."""
    app = bench.app(shell, """
        set -eu
        count=0
        heard() { count=$((count + 1)); }
        curfew_on didEnterBackground heard
        turn=0
        while [ $count -lt 50 ]; do
            turn=$((turn + 1)) status=0
            curfew_run sh -c 'exit $1' sh $((turn % 50)) || status=$?
            [ $status = $((turn % 50)) ] || say "status $status in turn $turn"
        done
        say "count $count"
        """, launch=LAUNCH)
    app.until_acknowledged(1)
    numbers = []
    for turn in range(50):
        numbers.append(app.tell("didEnterBackground", ack=True))
        app.pump(0.001 * (turn % 7))
    assert app.finish(4 * LIMIT) == 0, app.describe()
    assert app.said == ["count 50"]
    assert app.acks == [1, *numbers]


@every_shell
def test_an_event_waits_while_a_function_runs(bench, shell):
    """A long one isn't interrupted by the next event, whatever it waits with."""
    app = bench.app(shell, """
        long() { say in; curfew_run sh -c 'while ! [ -e go ]; do sleep 0.02; done; exit 3'; say "out $?"; }
        next() { say next; }
        curfew_on didEnterBackground long willEnterForeground next
        curfew_run sleep 60
        say "status $?"
        """, launch=LAUNCH)
    app.until_acknowledged(1)
    number = app.tell("didEnterBackground", ack=True)
    app.until_said("in")
    app.tell("willEnterForeground")
    time.sleep(0.3)  # a while: it could be heard now
    app.pump()
    assert app.said == ["in"] and number not in app.acks
    (bench.scratch / "go").touch()
    app.until_said("in", "out 3", "next")
    app.until_acknowledged(number)
    app.kill()


@every_shell
def test_exit_in_a_function_ends_the_script(bench, shell):
    """With that status; its own EXIT trap is run; what it waited for is told to end by the one who knows it."""
    app = bench.app(shell, """
        trap 'say "bye $?"' EXIT
        finish() { kill "$CURFEW_RUNNING"; say "finishing"; exit 5; }
        curfew_on willTerminate finish
        curfew_run sleep 60
        """, launch=LAUNCH)
    app.until_acknowledged(1)
    app.tell("willTerminate", ack=True)
    assert app.finish() == 5, app.describe()
    assert app.said == ["finishing", "bye 5"]


@two_shells
def test_exit_itself_will_do_as_a_function(bench, shell):
    """curfew_on willTerminate exit."""
    app = bench.app(shell, "curfew_on willTerminate exit\nwhile :; do curfew_sleep 0.1; done\n", launch=LAUNCH)
    app.until_acknowledged(1)
    app.tell("willTerminate", ack=True)
    app.finish()
    assert app.errors == b""


@every_shell
@pytest.mark.parametrize("trap", ["", "trap 'say trapped; exit 4' TERM"])
def test_will_terminate_without_a_function_is_sigterm(bench, shell, trap):
    """For the script, which may have a trap, and for what it waits for."""
    app = bench.app(shell, HEARD + trap + """
        curfew_on didEnterBackground heard
        curfew_run sh -c 'trap "" HUP; echo $$ >pid; exec sleep 60'
        say "not reached, or only just: $?"
        """, launch=LAUNCH)
    app.until("the command", lambda: (bench.scratch / "pid").exists())
    number = app.tell("willTerminate", ack=True)
    assert app.finish() == (4 if trap else -signal.SIGTERM), app.describe()
    assert number in app.acks
    assert app.said[:1] == (["trapped"] if trap else [])


@every_shell
def test_it_works_under_set_eu(bench, shell):
    """Nothing of the library's fails or is unset; a function's failure ends the script, as anywhere."""
    app = bench.app(shell, """
        set -eu
        fine() { say fine; }
        fails() { say failing; false; say "not reached"; }
        curfew_on didEnterBackground fine willEnterForeground fails
        curfew_sleep 0.1
        curfew_run false || say "false $?"
        IFS=x; curfew_hold; curfew_release; unset IFS
        curfew_loop || :
        say "not reached"
        """, launch=LAUNCH)
    app.until_said("false 1")
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    app.until_said("false 1", "fine")
    app.tell("willEnterForeground")
    assert app.finish() == 1, app.describe()
    assert app.said == ["false 1", "fine", "failing"]
    assert app.errors == b""


@every_shell
def test_the_scripts_options_and_separators_do_not_matter(bench, shell):
    """IFS, noglob, noclobber, allexport: all is as it was before."""
    app = bench.app(shell, """
        heard() { say "$CURFEW_EVENT,$CURFEW_INFO_key"; }
        IFS=:e
        set -fCa
        curfew_on changed heard
        say "$IFS"
        curfew_run sh -c 'exit 3'
        say "status $?"
        curfew_loop
        """, launch=LAUNCH)
    app.until_said(":e", "status 3")
    app.tell("changed", "kind=change", "info.key=eee:e")
    app.until_said(":e", "status 3", "changed,eee:e")
    app.kill()


@every_shell
def test_lines_that_come_in_pieces(bench, shell):
    """Byte by byte, or all but the last: an event is heard when its line is whole, and nothing hangs."""
    app = bench.app(shell, HEARD + "curfew_on didEnterBackground heard\ncurfew_loop\n", launch=LAUNCH)
    app.until_acknowledged(1)
    for byte in app.line("didEnterBackground", ack=True).encode():
        app.send(bytes([byte]))
        app.pump(0.001)
    app.until_acknowledged(3)
    text = app.line("didEnterBackground", ack=True)
    app.send(text[:-1])
    app.pump(0.2)
    app.send("\n" + app.line("didEnterBackground", ack=True))
    app.until_acknowledged(5)
    assert app.said == ["didEnterBackground"] * 3
    app.kill()


def is_ignored(app, number):
    """Whether the script ignores that signal now."""
    row = next(row for row in pathlib.Path(f"/proc/{app.pid}/status").read_text().splitlines() if row.startswith("SigIgn:"))
    return int(row.split()[1], 16) >> number - 1 & 1


@two_shells
def test_a_line_that_takes_seconds_to_come_is_heard(bench, shell):
    """The bell beside the listener rings each second where a script reads. Amidst a line the script has no ear for it: the read
    would be cut short, and what it had read be lost."""
    app = bench.app(shell, HEARD + "curfew_on didEnterBackground heard\ncurfew_loop\n", launch=LAUNCH)
    app.until_acknowledged(1)
    for _ in range(3):
        text = app.line("didEnterBackground", ack=True)
        app.send(text[:20])
        app.until("the script to ignore the signal, as it reads the line", lambda: is_ignored(app, signal.SIGUSR1))
        app.pump(1.2)  # a while: in which the bell rings
        app.send(text[20:])
        app.until_acknowledged(app.sequence)
    assert app.said == ["didEnterBackground"] * 3
    app.kill()


# What an event carries

CARRIED = {
    "blank": ("a b  c", r'"a b  c"'),
    "quote": ('say "\\"', r'"say \"\\\""'),
    "lines": ("1\n2\t3\r\n", r'"1\n2\t3\r\n"'),
    "control": ("\x01\x7f\n\x1b", r'"\x01\x7F\x0a\x1b"'),
    "nul": ("ab", r'"a\x00b"'),
    "empty": ("", '""'),
    "star": ("* ? [a] ~ $HOME ${x} {a,b}", '"* ? [a] ~ $HOME ${x} {a,b}"'),
    "command": ("$(touch pwned)`touch pwned`", '"$(touch pwned)`touch pwned`"'),
    "separate": ("';touch pwned;'&touch pwned|", '''"';touch pwned;'&touch pwned|"'''),
    "equal": ("a=b", "a=b"),
    "utf": ("ümläut – 漢字 🙂", '"ümläut – 漢字 🙂"'),
    "backslash": (r"\x41\n", r'"\\x41\\n"'),
}


@every_shell
def test_values_arrive_as_they_were_sent(bench, shell):
    """Escapes are undone, and nothing is ever taken for code."""
    script = "heard() {\n" + "".join(
        f'say {key} "$(printf "%s." "$CURFEW_INFO_{key}" | od -An -v -tx1 | tr -d " \\n")"\n' for key in CARRIED)
    app = bench.app(shell, script + 'say "$CURFEW_INFO"\n}\ncurfew_on changed heard\ncurfew_loop\n', launch=LAUNCH)
    app.until_acknowledged(1)
    app.tell("changed", "kind=change", *(f"info.{key}={sent}" for key, (_, sent) in CARRIED.items()))
    app.until_said(" ".join(CARRIED))
    assert app.said[:-1] == [f"{key} {hex_of(text + '.')}" for key, (text, _) in CARRIED.items()]
    assert not list(bench.scratch.glob("**/pwned"))
    assert app.errors == b""
    app.kill()


@every_shell
def test_keys_become_variables_names(bench, shell):
    """What a name can't hold becomes `_`; the first of two equal ones counts; the next event knows them no more."""
    app = bench.app(shell, """
        heard() { say "$CURFEW_KIND|$CURFEW_INFO|${CURFEW_INFO_a_b-unset}|${CURFEW_INFO_x-unset}|${CURFEW_INFO_PATH-unset}"; }
        curfew_on fetch heard didEnterBackground heard
        curfew_loop
        """, launch=LAUNCH)
    app.until_acknowledged(1)
    pairs = "info.PATH=/nowhere info.a-b=1 info.a.b=2 info.x=3 info.x=4 info.=5 info=6 other=7 kind=change seq=99"
    app.tell("fetch", "kind=wake", pairs, "info.ä=1", "info.$(touch${IFS}pwned)=1", "info.;touch=1", ack=True)
    app.until_acknowledged(3)
    words = app.said[-1].split("|")
    assert words[0] == "wake" and words[2:] == ["1", "3", "/nowhere"], app.said
    assert words[1].split(" ")[:3] == ["PATH", "a_b", "x"]
    app.tell("didEnterBackground")
    app.until_said("||unset|unset|unset")
    assert not list(bench.scratch.glob("**/pwned"))
    app.kill()


@every_shell
def test_a_launch_tells_whether_the_app_is_restored(bench, shell):
    """The first of two counts; other events, and what the script has under such names, don't."""
    app = bench.app(shell, """
        CURFEW_INFO_restored=true CURFEW_INFO_ended=script
        tell() { say "$CURFEW_EVENT [$CURFEW_RESTORED] [$CURFEW_ENDED]"; }
        curfew_on didFinishLaunching tell fetch tell
        curfew_loop
        """, launch=LAUNCH)
    app.until_acknowledged(1)
    launched = "didFinishLaunching"
    app.tell(launched, "info.restored=true info.ended=memory-pressure launched=foreground")
    app.tell(launched, "info.restored=yes")
    app.tell(launched)
    app.tell(launched, "info.restored=true info.restored=no")
    app.until_acknowledged(app.tell("fetch", "kind=wake info.restored=true info.ended=memory-pressure", ack=True))
    assert app.said == [
        f"{launched} [] []", f"{launched} [true] [memory-pressure]", f"{launched} [] []", f"{launched} [] []",
        f"{launched} [true] []", "fetch [] []"]
    app.kill()


@every_shell
def test_a_memory_warning_has_its_level(bench, shell):
    """No other event has one, and nothing is acknowledged."""
    app = bench.app(shell, """
        drop_caches() { say "$CURFEW_EVENT [$CURFEW_LEVEL]"; }
        curfew_on didReceiveMemoryWarning drop_caches didEnterBackground drop_caches
        curfew_loop
        """, launch=LAUNCH)
    app.until_acknowledged(1)
    app.tell("didReceiveMemoryWarning", "level=critical")
    app.tell("didReceiveMemoryWarning", "level=warning")
    last = app.tell("didEnterBackground", ack=True)
    app.until_acknowledged(last)
    warning = "didReceiveMemoryWarning"
    assert app.said == [f"{warning} [critical]", f"{warning} [warning]", "didEnterBackground []"]
    assert app.acks == [1, last]
    app.kill()


GARBAGE = [
    b'event name="unterminated seq=77 ack=required\n', b"event\n", b"event =x\n", b"event name\n", b"event name=\n",
    b'event name="a\\q" seq=1\n', b"event name=a\\b seq=1\n", b"x\n", b"event name=x seq=`touch\n", b"error code=malformed\n",
    b"event \xff\xfe\x80 name=x\n", b"event name=" + b"y" * 4000 + b"\n", b"event name=x seq=1;2 ack=required\n",
    b"ok id=1 task=2\n", b'task task=1 name="" age=0.000\n', b'event name=x info.a="' + rb"\n" * 1500 + b'"\n',
    b"event " + b"=" * 3000 + b"\n", b"event name=didEnterBackground=x seq=5\n", b'event name="didEnterBackground\n']


@every_shell
def test_garbage_is_passed_over(bench, shell):
    """Whatever it is, the next event is heard."""
    app = bench.app(shell, HEARD + "curfew_on didEnterBackground heard\ncurfew_loop\n", launch=LAUNCH)
    app.until_acknowledged(1)
    for line in GARBAGE:
        app.send(line)
        app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    assert app.said == ["didEnterBackground"] * len(GARBAGE)
    assert all(line.pairs["seq"].isdigit() for line in app.sent if line.verb == "ack")
    app.kill()


# Waiting


@every_shell
def test_curfew_run_gives_the_command_what_it_has_in_the_foreground(bench, shell):
    """Input, output, arguments, descriptors, ignored signals, statuses; functions and builtins run, too."""
    (bench.scratch / "input").write_text("line 1\nline 2\n")
    app = bench.app(shell, HEARD + r"""
        curfew_on didEnterBackground heard
        exec <input 3>third
        curfew_run sh -c 'read -r line; echo "$line"; echo "$# $2" >&3' sh 'a  b' 'c*"'
        read -r line; say "$line"
        work() { curfew_is_aware || say "in the function: $1"; return 6; }
        curfew_run work 'x y'; say "function $?"
        curfew_run exit 4; say "builtin $?"
        curfew_run no-such-command-here 2>/dev/null; say "missing $?"
        curfew_run /etc/passwd 2>/dev/null; say "not executable $?"
        curfew_run sh -c 'kill -9 $$' 2>/dev/null; status=$?
        [ $status -gt 128 ] && say "signal $(kill -l $status)"
        list='for f in /proc/$$/fd/*; do printf "%s " "${f##*/}"; done; echo'
        sh -c "$list"; curfew_run sh -c "$list"
        curfew_run sh -c 'grep SigIgn /proc/$$/status'; sh -c 'grep SigIgn /proc/$$/status'
        trap '' INT
        curfew_run sh -c 'grep SigIgn /proc/$$/status'; sh -c 'grep SigIgn /proc/$$/status'
        curfew_run sh -c 'exit 0' && say good
        say "running:$CURFEW_RUNNING"
        exec <&-
        curfew_run sh -c 'exit 2'; say "without input $?"
        """, launch=LAUNCH)
    assert app.finish() == 0, app.describe()
    assert (bench.scratch / "third").read_text() == "2 c*\"\n"
    said = app.said
    assert said[:8] == [
        "line 1", "line 2", "in the function: x y", "function 6", "builtin 4", "missing 127", "not executable 126",
        "signal KILL"], app.describe()
    # But for the lifeline, whose reader's end nobody needs there.
    foreground, background = (set(line.split()) for line in said[8:10])
    assert {"0", "1", "2", "3", "8"} <= background < foreground and len(foreground - background) == 1, said[8:10]
    assert said[10].startswith("SigIgn") and said[10] == said[11] and said[12] == said[13] != said[10], said[10:14]
    assert said[14:] == ["good", "running:", "without input 2"], app.describe()


@every_shell
@pytest.mark.parametrize("trap", ["trap 'say interrupted' INT", ""])
def test_ctrl_c_reaches_what_curfew_run_runs(bench, shell, trap):
    """As in the foreground: the command dies of it, and the script, too, unless it has a trap."""
    with terminal() as (keys, screen):
        app = bench.app(shell, HEARD + trap + """
            curfew_on didEnterBackground heard
            curfew_run sh -c 'echo ready; exec sleep 60'
            say "status $(($? % 128))"
            """, launch=LAUNCH, terminal=screen)
        app.until_said("ready")
        os.write(keys, b"\x03")
        status = app.finish()
    if trap:
        assert status == 0 and sorted(app.said) == ["interrupted", "ready", "status 2"], app.describe()
    else:
        assert status in (-signal.SIGINT, 130) and app.said == ["ready"], app.describe()


@every_shell
def test_ctrl_c_leaves_the_listener(bench, shell):
    """It doesn't die of one that the script survives."""
    with terminal() as (keys, screen):
        app = bench.app(shell, HEARD + """
            trap 'say interrupted' INT
            curfew_on didEnterBackground heard
            say ready
            curfew_loop
            """, launch=LAUNCH, terminal=screen)
        app.until_said("ready")
        os.write(keys, b"\x03")
        app.until("the trap", lambda: "interrupted" in app.said)
        app.until_acknowledged(app.tell("didEnterBackground", ack=True))
        app.kill()


@every_shell
def test_curfew_sleep_wait_and_read_are_not_ended_by_events(bench, shell):
    """Each does what it does without; what has been read when an event comes isn't lost."""
    ours, theirs = socket.socketpair()
    app = bench.app(shell, HEARD + r"""
        curfew_on didEnterBackground heard
        sh -c 'while ! [ -e go ]; do sleep 0.02; done; exit 9' & child=$!
        say waiting; curfew_wait $child; say "waited $?"
        curfew_wait 1 2>/dev/null; say "no child $?"
        say reading; curfew_read line; say "read $? [$line]"
        curfew_read line; say "read $? [$line]"
        curfew_read line; say "read $? [$line]"
        curfew_read line; say "read $? [$line]"
        say sleeping; curfew_sleep 1; say "slept $?"
        curfew_sleep nonsense 2>/dev/null || say "not slept"
        curfew_run sh -c 'while ! [ -e end ]; do sleep 0.02; done'
        """, launch=LAUNCH, stdin=theirs)
    theirs.close()

    def two_events():
        for _ in range(2):
            app.until_acknowledged(app.tell("didEnterBackground", ack=True))

    with ours:
        app.until_said("waiting")
        two_events()
        (bench.scratch / "go").touch()
        app.until("reading", lambda: "reading" in app.said)
        ours.sendall(b" two  ")
        two_events()
        ours.sendall(b"words\\ \nsecond\nend")
        ours.shutdown(socket.SHUT_WR)
        app.until("sleeping", lambda: "sleeping" in app.said)
        two_events()
        (bench.scratch / "end").touch()
        app.finish()
    assert [line for line in app.said if line != "didEnterBackground"] == [
        "waiting", "waited 9", "no child 127", "reading", r"read 0 [ two  words\ ]", "read 0 [second]", "read 1 [end]",
        "read 1 []", "sleeping", "slept 0", "not slept"], app.describe()
    assert app.said.count("didEnterBackground") == 6


def commands_of_children(pid):
    """Their names, as ps(1) has them."""
    names = []
    for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            names.append(pathlib.Path(f"/proc/{child}/comm").read_text().strip())
    return names


def lose_the_next_ring(bench, strace, stack):
    """The listener's next signal to the script isn't sent, as one is lost that comes just before a shell's read(2)."""
    listener = bench.listener()
    trace = bench.scratch / "trace"
    deadline = time.monotonic() + LIMIT
    # Until it waits for a byte it is still at the last event. Then the first kill(2) is for its own watch.
    while "dd" not in commands_of_children(listener):
        assert time.monotonic() < deadline, "the listener doesn't wait for a byte"
        time.sleep(0.02)  # a moment
    meddling = ["-e", "trace=kill", "-e", "inject=kill:retval=0:when=2"]
    stack.enter_context(strace.attached(listener, "-o", str(trace), *meddling))
    return lambda: trace.read_text()


@every_shell
def test_a_signal_that_comes_just_before_a_read_is_not_lost(bench, shell, strace):
    """The shell hears of it only with what it reads: so it is rung at again."""
    ours, theirs = socket.socketpair()
    app = bench.app(shell, HEARD + """
        curfew_on didEnterBackground heard
        say reading; curfew_read line; say "read $? [$line]"
        """, launch=LAUNCH, stdin=theirs)
    theirs.close()
    with ours, contextlib.ExitStack() as stack:
        app.until("reading", lambda: "reading" in app.said)
        calls = lose_the_next_ring(bench, strace, stack)
        app.until_acknowledged(app.tell("didEnterBackground", ack=True))
        assert "(INJECTED)" in calls(), calls()
        ours.sendall(b"line\n")
        assert app.finish() == 0, app.describe()
        # Before strace goes: it could take with it the signal that ends the listener.
        bench.until_gone(bench.listeners)
    assert [line for line in app.said if line != "didEnterBackground"] == ["reading", "read 0 [line]"], app.describe()


@contextlib.contextmanager
def reading_in_a_function(bench, shell):
    """A script whose FUNCTION for didEnterBackground says `begun` and reads a line, and the other end of its standard input."""
    ours, theirs = socket.socketpair()
    app = bench.app(shell, HEARD + """
        takes_long() { say begun; curfew_read line; say "$line"; }
        curfew_on didEnterBackground takes_long fetch heard
        curfew_loop
        """, launch=LAUNCH, stdin=theirs)
    theirs.close()
    with ours:
        yield app, ours


@every_shell
def test_a_function_reads_however_often_the_bell_rings(bench, shell):
    """A FUNCTION is called in a trap; in dash a trap within it gave the read that it ended a status of 0, and nothing was read."""
    with reading_in_a_function(bench, shell) as (app, ours):
        app.until_acknowledged(1)
        app.tell("didEnterBackground", ack=True)
        app.until_said("begun")
        app.tell("fetch", ack=True)
        # The bell beside the listener rings each second.
        app.pump(2.5)
        ours.sendall(b"li")
        app.pump(1.5)
        ours.sendall(b"ne\n")
        app.until_acknowledged(app.sequence)
        assert app.said == ["begun", "line", "fetch"], app.describe()


@every_shell
def test_a_child_that_ends_late_does_not_end_the_listener(bench, shell):
    """The kernel tells the listener of its children's ends at any time, which may be while a FUNCTION takes long."""
    with reading_in_a_function(bench, shell) as (app, ours):
        app.until_acknowledged(1)
        listener = bench.listener()
        number = app.tell("didEnterBackground", ack=True)
        app.until_said("begun")
        for _ in range(200):
            os.kill(listener, signal.SIGCHLD)
            app.pump(0.001)
        ours.sendall(b"line\n")
        app.until_acknowledged(app.sequence)
        app.until_acknowledged(app.tell("fetch", ack=True))
        assert app.said == ["begun", "line", "fetch"], app.describe()
        assert listener in bench.listeners(), app.describe()
    app.kill()


@every_shell
def test_curfew_loop_hears_until_curfew_stop(bench, shell):
    """Once or again; a stop before it counts; in a function it can't be."""
    app = bench.app(shell, HEARD + """
        stop() { say stop; curfew_loop; say "in a function $?"; curfew_stop; }
        curfew_on didEnterBackground heard fetch stop
        curfew_loop; say "one $?"
        curfew_loop; say "two $?"
        curfew_stop
        curfew_loop; say "three $?"
        """, launch=LAUNCH)
    app.until_acknowledged(1)
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    app.until_acknowledged(app.tell("fetch", ack=True))
    app.until("one", lambda: "one 0" in app.said)
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    app.until_acknowledged(app.tell("fetch", ack=True))
    assert app.finish() == 0, app.describe()
    stopped = ["didEnterBackground", "stop", "in a function 64"]
    assert app.said == [*stopped, "one 0", *stopped, "two 0", "three 0"]
    assert app.errors.count(b"\n") == 2


@every_shell
def test_nothing_is_called_between_hold_and_release(bench, shell):
    """They nest; what has come is dealt with by the last release."""
    app = bench.app(shell, HEARD + """
        curfew_on didEnterBackground heard
        curfew_hold; curfew_hold
        say held
        curfew_run sh -c 'while ! [ -e go ]; do sleep 0.02; done'
        curfew_release
        say still
        curfew_release
        say released
        curfew_release
        curfew_loop
        """, launch=LAUNCH)
    app.until_said("held")
    number = app.tell("didEnterBackground", ack=True)
    time.sleep(0.3)  # a while: it could be heard now
    (bench.scratch / "go").touch()
    app.until_acknowledged(number)
    app.until_said("held", "still", "didEnterBackground", "released")
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    app.kill()


# Signals and traps


@every_shell
def test_the_signal_can_be_chosen(bench, shell):
    """CURFEW_SIGNAL, with SIG or without; the script's own trap for USR1 is left alone."""
    app = bench.app(shell, HEARD + """
        trap 'say "my own"' USR1
        CURFEW_SIGNAL=SIGUSR2
        curfew_on didEnterBackground heard
        kill -s USR1 $$
        curfew_loop
        """, launch=LAUNCH)
    app.until_said("my own")
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    os.kill(app.pid, signal.SIGUSR1)
    app.until_said("my own", "didEnterBackground", "my own")
    app.kill()


@every_shell
def test_a_signal_that_has_a_trap_is_not_taken(bench, shell):
    """By itself it takes USR2 then; with that taken, too, it says so and the script goes on without."""
    app = bench.app(shell, HEARD + """
        trap 'say "my own"' USR1
        curfew_on didEnterBackground heard
        curfew_loop
        """, launch=LAUNCH)
    app.until_acknowledged(1)
    os.kill(app.pid, signal.SIGUSR1)
    app.until_said("my own")
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    app.kill()
    for signals, chosen in [("USR1 USR2", ""), ("WINCH", "WINCH"), ("", "KILL"), ("", "NONSENSE"), ("", "$(touch pwned)")]:
        other = bench.app(shell, HEARD + f"""
            for signal in {signals}; do trap 'say "my own"' $signal; done
            CURFEW_SIGNAL='{chosen}'
            curfew_on didEnterBackground heard; say "status $?"
            curfew_is_aware || say unaware
            """, launch=LAUNCH)
        assert other.finish() == 0
        assert other.said == ["status 0", "unaware"]
        assert b"not listening" in other.errors and other.errors.count(b"\n") == 1, other.errors
    assert not list(bench.scratch.glob("**/pwned"))


@every_shell
def test_an_ignored_signal_is_not_taken(bench, shell):
    """That the script was started with USR1 ignored can't be undone: it takes USR2."""
    app = bench.app(
        shell, HEARD + "curfew_on didEnterBackground heard\ncurfew_loop\n", launch=LAUNCH,
        wrap=lambda words: ["sh", "-c", 'trap "" USR1; exec "$@"', "sh", *words])
    app.until_acknowledged(1)
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    app.kill()


@every_shell
def test_a_signal_from_somebody_else_is_harmless(bench, shell):
    """It isn't taken for an event, doesn't block the script, and the next event is heard."""
    app = bench.app(shell, HEARD + """
        curfew_on didEnterBackground heard
        say ready
        while curfew_sleep 0.05; do count=$((${count-0} + 1)); [ $count != 20 ] || say twenty; done
        """, launch=LAUNCH)
    app.until_said("ready")
    for _ in range(5):
        os.kill(app.pid, signal.SIGUSR1)
        app.pump(0.02)
    app.until_said("ready", "twenty")
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    app.kill()


@every_shell
def test_the_scripts_exit_trap_is_its_own(bench, shell):
    """Set before or after; the listener ends all the same."""
    for before, after in [("trap 'say bye' EXIT", ""), ("", "trap 'say bye' EXIT")]:
        app = bench.app(shell, f"{HEARD}{before}\ncurfew_on didEnterBackground heard\n{after}\n", launch=LAUNCH)
        assert app.finish() == 0
        assert app.said == ["bye"]
        bench.until_nothing_runs()


# The listener


@every_shell
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_the_listener_ends_with_the_script(bench, shell, end):
    """However that ends."""
    app = bench.app(shell, HEARD + "curfew_on didEnterBackground heard\ncurfew_loop\n", launch=LAUNCH)
    app.until_acknowledged(1)
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    app.until("a listener", bench.listeners)
    os.kill(app.pid, end)
    app.finish()
    bench.until_nothing_runs()


@every_shell
def test_the_listener_holds_nothing_of_the_scripts(bench, shell):
    """Only the control pipe and the lifeline; and it is nobody's to wait for."""
    numbered = "exec 12>numbered" if shell.startswith("bash") else ":"
    app = bench.app(shell, HEARD + f"""
        exec 3>third 4>&1
        {numbered}
        curfew_on didEnterBackground heard
        sleep 0.1 &
        wait
        say waited
        curfew_loop
        """, launch=LAUNCH)
    app.until_said("waited")
    lifeline = os.readlink(f"/proc/{app.pid}/fd/9")
    for pid in app.until("a listener", bench.listeners):
        targets = {os.readlink(entry) for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir()}
        strange = [
            target for target in targets
            if target not in ("/dev/null", lifeline) and not target.startswith("socket:")]
        assert not strange, (pid, targets)
    app.kill()


@every_shell
def test_a_pipeline_ends_with_the_script(bench, shell):
    """`script | cat` and `$(script)` end when it does, although its listener may take a moment longer."""
    app = bench.app(
        shell, HEARD + "curfew_on didEnterBackground heard\nsay done\n", launch=LAUNCH,
        wrap=lambda words: ["sh", "-c", 'x=$("$@"); echo "$x"; "$@" | cat; echo end', "sh", *words])
    assert app.finish() == 0
    assert app.said == ["done", "done", "end"]


@every_shell
def test_signals_to_the_group_leave_the_listener(bench, shell):
    """`kill 0`, with which scripts end their children, doesn't make one deaf that has a trap."""
    app = bench.app(shell, HEARD + """
        trap 'say term' TERM; trap 'say int' INT; trap 'say hup' HUP
        curfew_on didEnterBackground heard
        for signal in TERM INT HUP; do kill -s $signal 0; done
        say ready
        curfew_loop
        """, launch=LAUNCH, session=True)
    app.until("ready", lambda: "ready" in app.said)
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    app.kill()


@every_shell
def test_stopped_and_continued_nothing_is_lost(bench, shell):
    """Script, listener and command stopped as by a suspension: what was sent meanwhile is heard afterwards."""
    app = bench.app(shell, HEARD + """
        curfew_on willEnterForeground heard didBecomeActive heard
        curfew_run sh -c 'echo running; exec sleep 60'
        """, launch=LAUNCH)
    app.until_said("didBecomeActive", "running")
    for _ in range(3):
        app.until("a dd that waits for what comes", lambda: "'dd " in bench.describe())
        pids = bench.processes()
        # One for an earlier event may just be ending.
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        app.tell("willEnterForeground")
        app.tell("didBecomeActive")
        app.pump(0.1)
        app.said.clear()
        for pid in reversed(pids):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        app.until_said("willEnterForeground", "didBecomeActive")
    app.kill()


@every_shell
def test_a_program_that_takes_the_scripts_place_is_answered_for(bench, shell):
    """After exec it isn't killed by a signal it doesn't know; events are acknowledged, willTerminate is SIGTERM."""
    app = bench.app(shell, HEARD + "curfew_on didEnterBackground heard\nexec sleep 60\n", launch=LAUNCH)
    app.until_acknowledged(1)
    app.until("exec", lambda: pathlib.Path(f"/proc/{app.pid}/cmdline").read_bytes().startswith(b"sleep"))
    for _ in range(3):
        app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    number = app.tell("willTerminate", ack=True)
    app.until_acknowledged(number)
    assert app.finish() == -signal.SIGTERM
    assert app.said == []


@every_shell
def test_a_script_that_starts_itself_anew_hears_again(bench, shell):
    """exec "$0": the listener of its earlier life is sent away."""
    app = bench.app(shell, HEARD + """
        set -a
        curfew_on didEnterBackground heard
        curfew_is_aware && say "aware ${AGAIN-}"
        [ -n "${AGAIN-}" ] || { AGAIN=1; exec $SHELL_WORDS "$0"; }
        curfew_loop
        """, launch=LAUNCH, SHELL_WORDS=" ".join(SHELLS[shell]))
    app.until_said("aware ", "aware 1")
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    app.until_said("aware ", "aware 1", "didEnterBackground")
    app.kill()


@every_shell
def test_the_scripts_own_functions_are_not_the_listeners(bench, shell):
    """Called as what the listener uses, they change nothing."""
    app = bench.app(shell, HEARD + """
        dd() { say "my dd"; }
        sleep() { say "my sleep"; }
        curfew_on didEnterBackground heard
        curfew_loop
        """, launch=LAUNCH)
    app.until_acknowledged(1)
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    assert app.said == ["didEnterBackground"]
    app.kill()


@two_shells
def test_with_no_descriptor_left_it_says_so(bench, shell):
    """All of 3 to 9 in use."""
    opened = " ".join(f"{number}>/dev/null" for number in (3, 4, 5, 6, 7, 9))
    app = bench.app(shell, HEARD + f"""
        exec {opened}
        curfew_on didEnterBackground heard; say "status $?"
        curfew_run sh -c 'exit 4'; say "status $?"
        """, launch=LAUNCH)
    assert app.finish() == 0
    assert app.said == ["status 0", "status 4"]
    assert b"none of the descriptors 3 to 9 is free" in app.errors
    assert app.errors.count(b"\n") == 1


@two_shells
def test_with_one_descriptor_left_it_listens(bench, shell):
    """Then curfew_run can do without one, but for the command's input."""
    opened = " ".join(f"{number}>/dev/null" for number in (3, 4, 5, 6, 7))
    app = bench.app(shell, HEARD + f"""
        exec {opened}
        curfew_on didEnterBackground heard
        curfew_run sh -c 'while ! [ -e go ]; do sleep 0.02; done; exit 4'
        say "status $?"
        curfew_loop
        """, launch=LAUNCH)
    app.until_acknowledged(1)
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    (bench.scratch / "go").touch()
    app.until_said("didEnterBackground", "status 4")
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    app.kill()


@two_shells
def test_a_script_that_takes_the_lifelines_descriptor_still_hears(bench, shell):
    """exec 9>lock, after it was chosen."""
    app = bench.app(shell, HEARD + """
        curfew_on didEnterBackground heard
        exec 9>lock
        say locked
        curfew_run sh -c 'while ! [ -e go ]; do sleep 0.02; done'
        """, launch=LAUNCH)
    app.until_said("locked")
    for _ in range(3):
        app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    (bench.scratch / "go").touch()
    assert app.finish() == 0
    assert (bench.scratch / "lock").read_text() == ""


# Several scripts


@every_shell
def test_a_script_within_a_script_is_told_that_it_hears_nothing(bench, shell):
    """It goes on; the first goes on hearing; a subshell of the first is told the same."""
    inner = bench.scratch / "inner.sh"
    inner.write_text(BEGINNING + HEARD + """
        curfew_on didEnterBackground heard; say "inner $?"
        curfew_is_aware || say "inner unaware"
        curfew_run sh -c 'exit 3'; say "inner ran $?"
        curfew_loop; say "inner loop $?"
        """)
    app = bench.app(shell, HEARD + f"""
        curfew_on didEnterBackground heard
        curfew_run {" ".join(SHELLS[shell])} {inner}
        ( curfew_on willTerminate heard; curfew_is_aware || say "subshell unaware" )
        ( . "{LIBRARY}"; curfew_on willTerminate heard; curfew_is_aware || say "subshell unaware" )
        curfew_is_aware && say "still aware"
        curfew_loop
        """, launch=LAUNCH)
    unaware = ["inner 0", "inner unaware", "inner ran 3", "inner loop 1", "subshell unaware", "subshell unaware"]
    app.until_said(*unaware, "still aware")
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    lines = app.errors.decode().splitlines()
    assert len(lines) == 3 and all(line.startswith("curfew.sh: not listening: ") for line in lines), lines
    assert f"process {app.pid} of this app does" in lines[0]
    app.kill()


@every_shell
def test_of_scripts_that_begin_at_once_one_listens(bench, shell):
    """Whichever is first; the others are told."""
    one = bench.scratch / "one.sh"
    one.write_text(BEGINNING + HEARD + """
        curfew_on didEnterBackground heard
        if curfew_is_aware; then say aware; else say unaware; fi
        while ! [ -e go ]; do curfew_sleep 0.05; done
        """)
    app = bench.app(shell, f"""
        for turn in 1 2 3 4 5; do {" ".join(SHELLS[shell])} {one} & done
        wait
        """, launch=LAUNCH)
    app.until("five of them", lambda: len(app.said) == 5)
    assert sorted(app.said) == ["aware"] + ["unaware"] * 4, app.describe()
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    (bench.scratch / "go").touch()
    assert app.finish() == 0


@every_shell
def test_one_script_after_another(bench, shell):
    """What comes after the first was killed is heard by the second."""
    one = bench.scratch / "one.sh"
    one.write_text(BEGINNING + """
        heard() { say "$word $CURFEW_EVENT"; }
        first() { heard; kill -9 $$; }
        second() { heard; exit; }
        word=$1
        curfew_on didEnterBackground "$1"
        curfew_loop
        """)
    words = " ".join(SHELLS[shell])
    app = bench.app(shell, f"""
        {words} {one} first 2>/dev/null
        say between
        while ! [ -e go ]; do sleep 0.02; done
        {words} {one} second 2>/dev/null
        """, launch=LAUNCH)
    app.until_acknowledged(1)
    app.tell("didEnterBackground", ack=True)
    app.until("the second", lambda: "between" in app.said)
    bench.until_gone(bench.listeners)
    app.launch = ()
    number = app.tell("didEnterBackground", ack=True)
    (bench.scratch / "go").touch()
    app.until("the second's word", lambda: "second didEnterBackground" in app.said)
    app.finish()
    assert app.said == ["first didEnterBackground", "between", "second didEnterBackground"], app.describe()
    assert number not in app.acks  # it has left before


@two_shells
def test_sourced_twice_it_keeps_what_is_registered(bench, shell):
    """And a second hello isn't said."""
    app = bench.app(shell, HEARD + f"""
        curfew_on didEnterBackground heard
        . "{LIBRARY}"
        curfew_on willEnterForeground heard
        say ready
        curfew_loop
        """, launch=LAUNCH)
    app.until_said("ready")
    app.until_acknowledged(app.tell("didEnterBackground", ack=True))
    app.tell("willEnterForeground")
    app.until_said("ready", "didEnterBackground", "willEnterForeground")
    assert [line.verb for line in app.sent].count("hello") == 1
    app.kill()


# Without a supervisor


@every_shell
@pytest.mark.parametrize("options", ["", "set -eu"])
def test_not_under_curfew_nothing_happens(bench, shell, options):
    """Everything is there, does no harm and says nothing."""
    result = bench.plain(shell, f"""
        {options}
        f() {{ say "not called"; }}
        before=$(grep SigCgt /proc/$$/status)
        curfew_on didEnterBackground f willTerminate f
        curfew_is_supported || say "not supported"
        curfew_is_aware || say "not aware"
        curfew_run cat
        curfew_run sh -c 'exit 3' || say "status $?"
        curfew_sleep 0.01
        curfew_begin upload task; say "task $task"
        curfew_end "$task"; curfew_end
        curfew_begin other; curfew_end
        curfew_set_keep_alive_timeout 600 f; curfew_clear_keep_alive_timeout
        curfew_schedule_local_notification x; curfew_cancel_local_notification x; curfew_cancel_all_local_notifications
        curfew_set_minimum_background_fetch_interval never; curfew_submit_task_request x --refresh
        curfew_cancel_task_request x; curfew_cancel_all_task_requests; curfew_set_task_completed true
        curfew_remaining
        curfew_hold; curfew_release
        printf 'a\\nb' >lines
        curfew_read line <lines; say "$line"
        {{ curfew_read line; curfew_read line || say "$line"; }} <lines
        sh -c 'exit 4' & curfew_wait $! || say "waited $?"
        curfew_loop || say "loop $?"
        curfew_stop
        [ "$before" = "$(grep SigCgt /proc/$$/status)" ] || say "there is a trap"
        """, stdin=None, input="given\n")
    assert result.stderr == ""
    assert result.stdout.split("\n") == [
        "not supported", "not aware", "given", "status 3", "task 0", "inf", "a", "b", "waited 4", "loop 1", ""]
    assert result.returncode == 0


@every_shell
@pytest.mark.parametrize("value", ["8", "9", "x", "12", "", "8; touch pwned", "1", "/dev/null"])
def test_a_descriptor_that_is_no_control_pipe_is_left_alone(bench, shell, value):
    """Closed, a file, or no number: one line says so, nothing is written to it, and the script goes on."""
    result = bench.plain(shell, HEARD + """
        exec 9>file
        curfew_on didEnterBackground heard; say "status $?"
        curfew_on willTerminate heard
        curfew_is_aware || say unaware
        curfew_run sh -c 'exit 3'; say "ran $?"
        """, variables={"CURFEW_FD": value})
    assert result.stdout.split("\n") == ["status 0", "unaware", "ran 3", ""]
    assert result.stderr.count("\n") == (1 if value else 0), result.stderr
    assert value == "" or "not listening" in result.stderr
    assert (bench.scratch / "file").read_text() == ""
    assert not list(bench.scratch.glob("**/pwned"))


@every_shell
def test_the_supervisor_goes_in_the_middle(bench, shell):
    """Of a command, of a function, of an acknowledgement: the script goes on, unaware, and isn't killed by SIGPIPE."""
    app = bench.app(shell, """
        heard() { say "$CURFEW_EVENT"; while ! [ -e go ]; do sleep 0.02; done; }
        curfew_on didEnterBackground heard
        curfew_run sh -c 'while ! [ -e gone ]; do sleep 0.02; done; exit 3'
        say "status $?"
        curfew_loop; say "loop $?"
        curfew_run sh -c 'exit 4'; say "status $?"
        curfew_is_aware || say unaware
        curfew_is_supported || say unsupported
        curfew_begin task; say "task $CURFEW_TASK_ID $?"
        curfew_remaining
        """, launch=LAUNCH)
    app.until_acknowledged(1)
    app.tell("didEnterBackground", ack=True)
    app.until_said("didEnterBackground")
    app.close()
    (bench.scratch / "go").touch()
    bench.until_gone(bench.listeners)
    (bench.scratch / "gone").touch()
    assert app.finish() == 0, app.describe()
    assert app.said == [
        "didEnterBackground", "status 3", "loop 1", "status 4", "unaware", "unsupported", "task 0 0", "inf"]
    assert app.errors == b""


@every_shell
def test_the_supervisor_goes_while_it_loops(bench, shell):
    """curfew_loop returns 1, at once, even with half an event in its ear."""
    app = bench.app(shell, HEARD + """
        curfew_on didEnterBackground heard
        say looping
        curfew_loop; say "loop $?"
        """, launch=LAUNCH)
    app.until_said("looping")
    app.send("event name=didEnterBackg")
    app.close()
    assert app.finish() == 0
    assert app.said == ["looping", "loop 1"]


@two_shells
def test_a_supervisor_that_does_not_answer_is_given_up(bench, shell):
    """After ten seconds, with a line; the script goes on without."""
    app = bench.app(shell, HEARD + """
        curfew_on didEnterBackground heard; say "status $?"
        curfew_is_aware || say unaware
        curfew_run sh -c 'while ! [ -e go ]; do sleep 0.02; done'
        """, answers=False)
    app.until_said("status 0", "unaware")
    assert b"hasn't answered in 10 s" in app.errors
    bench.until_gone(bench.listeners)
    (bench.scratch / "go").touch()
    assert app.finish() == 0


@two_shells
def test_a_supervisor_that_refuses_hello(bench, shell):
    """Its reason is told, and the script goes on without."""
    app = bench.app(shell, HEARD + """
        curfew_on didEnterBackground heard; say "status $?"
        curfew_is_aware || say unaware
        """, answers=False)
    app.until("hello", lambda: app.sent)
    app.send(f"error id={app.sent[0].pairs['id']} code=forbidden message=\"not for you\"\n")
    assert app.finish() == 0
    assert app.said == ["status 0", "unaware"]
    assert b"not for you" in app.errors


# What it is made of


@pytest.mark.parametrize("shell", ["ksh93", "zsh"])
def test_shells_that_signals_break_are_not_made_aware(bench, shell):
    """They are told why; all else works."""
    if not shutil.which(shell):
        pytest.skip(f"{shell} isn't installed")
    app = bench.app(shell, HEARD + """
        curfew_on didEnterBackground heard; say "status $?"
        curfew_is_aware || say unaware
        curfew_run sh -c 'exit 3'; say "ran $?"
        curfew_loop; say "loop $?"
        """)
    assert app.finish() == 0
    assert app.said == ["status 0", "unaware", "ran 3", "loop 1"]
    assert app.errors.count(b"\n") == 1 and b"another sh" in app.errors
    assert not app.sent


def test_it_passes_shellcheck():
    """Without a word."""
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck isn't installed")
    result = subprocess.run(["shellcheck", str(LIBRARY)], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
