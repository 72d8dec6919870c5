"""Asleep until needed: stopped where it was, by hand or when idle, and woken by what comes for it."""

import contextlib
import json
import os
import pathlib
import random
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from conftest import LIMIT, binary, is_alive, state_letter, wait_for
from programs.helpers import PROGRAMS, Client, assert_all_stopped, program, socket_of, tree

CONNECTIONS = ("--wake-on", "connections")


class App:
    """A program under `curfew run` that has said that it is up."""

    def __init__(self, sandbox, *command, **more):
        more.setdefault("stdin", subprocess.PIPE)
        self.sandbox = sandbox
        self.running = sandbox.start(*command, **more)
        self.name = self.running.name
        self.said = [line.split() for line in self.running.expect("up")[:-1]]
        self.pid = self.running.status()["pid"]

    def tell(self, line):
        self.running.process.stdin.write(line.encode() + b"\n")
        self.running.process.stdin.flush()

    def curfew(self, verb, *arguments):
        result = self.sandbox.curfew(verb, self.name, *arguments)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def sleep(self, *arguments):
        self.curfew("sleep", *arguments)
        assert_all_stopped(self.running, [self.pid, *tree(self.pid)])

    def status(self):
        return self.running.status()

    def events(self, *names):
        """Those of these names, or all, as the log has them."""
        found = map(json.loads, self.curfew("events", "--json").splitlines())
        return [event for event in found if not names or event["name"] in names]

    def states(self):
        """Each that it has come to."""
        return [event["to"] for event in self.events("stateDidChange")]

    def wait_event(self, name, count=1):
        return self.running.wait_told(
            f"{count} {name} of {self.name}", lambda: len(found := self.events(name)) >= count and found)[-1]

    def wait_state(self, state):
        self.running.wait_state(state)


class Server(App):
    """programs/sleepy.py, and where it listens."""

    def __init__(self, sandbox, *kinds, options=CONNECTIONS, **popen):
        popen.setdefault("cwd", str(sandbox.runtime))
        super().__init__(sandbox, sys.executable, "-u", PROGRAMS / "sleepy.py", *kinds, options=options, **popen)
        self.places = {kind: place for kind, place in self.said}

    def connect(self, kind="tcp"):
        family = {"tcp": socket.AF_INET, "pre-fork": socket.AF_INET, "tcp6": socket.AF_INET6, "unix": socket.AF_UNIX}[kind]
        client = socket.socket(family, socket.SOCK_STREAM)
        client.settimeout(LIMIT)
        place = self.places[kind]
        client.connect(place if kind == "unix" else ("::1" if kind == "tcp6" else "127.0.0.1", int(place)))
        return client


def ask(client, word="ping"):
    """Sends a word and returns the answer."""
    client.sendall(word.encode())
    return client.recv(4096).decode()


# By hand


def test_asleep_it_is_stopped_and_told_nothing(sandbox, containment):
    """Until it is opened: it never left the front. A program that is told of home by a signal would end of it."""
    options = ("--containment", containment, "--on", "willResignActive=USR1", "--on", "didBecomeActive=USR1")
    server = Server(sandbox, "tcp", options=options)
    server.sleep()
    status = server.status()
    assert (status["state"], status["asleep"]) == ("suspended", "true")
    assert re.search(r"^ *asleep +until it is opened; no input wakes it$", server.curfew("status"), re.M)
    server.curfew("open")
    status = server.status()
    assert status["state"] == "active" and "asleep" not in status
    assert server.states() == ["active", "suspended", "active"]
    asleep, awake = server.events("didSleep", "didWake")
    assert (asleep["name"], asleep["by"]) == ("didSleep", "being asked")
    assert (awake["name"], awake["by"]) == ("didWake", "being opened")
    assert awake["resumedIn"] > 0 and not awake.keys() & {"from", "to"}
    with server.connect() as client:
        assert ask(client) == "PING"


@pytest.mark.parametrize("kind", ["tcp", "tcp6", "unix", "pre-fork"])
def test_a_connection_wakes_it_and_is_answered(sandbox, kind):
    """It goes on where it was, in front; whose children accept it is all the same."""
    server = Server(sandbox, kind)
    server.sleep()
    with server.connect(kind) as client:
        assert ask(client) == "PING"
    woken = server.wait_event("didWake")
    assert re.fullmatch(r"a connection to (:|\[::1\]:|127.0.0.1:|/).*", woken["by"])
    assert woken["by"].endswith(" to " + woken["to"]) and "from" not in woken
    assert_last_waking(server, 1, woken)
    status = server.status()
    assert (status["state"], status["woken"]) == ("active", 1)
    assert server.states() == ["active", "suspended", "active"]


@pytest.mark.parametrize("kind", ["udp", "udp6", "datagram"])
def test_a_datagram_wakes_it_and_is_answered(sandbox, kind):
    server = Server(sandbox, kind)
    server.sleep()
    family = {"udp": socket.AF_INET, "udp6": socket.AF_INET6, "datagram": socket.AF_UNIX}[kind]
    with socket.socket(family, socket.SOCK_DGRAM) as client:
        client.settimeout(LIMIT)
        if kind == "datagram":
            client.bind(str(sandbox.runtime / "asker"))
            client.connect(server.places[kind])
        else:
            client.connect(("::1" if kind == "udp6" else "127.0.0.1", int(server.places[kind])))
        assert ask(client) == "PING"
    assert server.wait_event("didWake")["by"].startswith("a datagram")


def test_a_client_that_is_connected_wakes_it_by_what_it_sends(sandbox):
    """Connections last as long as their peers wait, and each request is answered, however often it sleeps between them."""
    server = Server(sandbox, "tcp")
    with server.connect() as client:
        assert ask(client) == "PING"
        for word in ("one", "two", "six"):
            server.sleep()
            assert ask(client, word) == word.upper()
        woken = server.wait_event("didWake", 3)
        sender, place = ":".join(map(str, client.getsockname())), f"127.0.0.1:{server.places['tcp']}"
        assert (woken["by"], woken["from"], woken["to"]) == (f"data from {sender} to {place}", sender, place)
        assert_last_waking(server, 3, woken)
        server.sleep()
    # The end of one that it has accepted is nothing to wake for; what follows is.
    with server.connect() as client:
        assert ask(client) == "PING"
    assert [event["by"].split()[0] for event in server.events("didWake")] == ["data", "data", "data", "a"]


def assert_last_waking(server, count, event):
    """The status tells the same of it as the event."""
    status = server.status()
    assert status["woken"] == count
    assert (status["wokenBy"], status["resumedIn"]) == (event["by"], event["resumedIn"])
    assert (status.get("wokenFrom"), status.get("wokenTo")) == (event.get("from"), event.get("to"))
    assert event["resumedIn"] > 0
    line = re.search(r"^ *woken +(.*)$", server.curfew("status"), re.M)[1]
    often = "once" if count == 1 else f"{count} times, last"
    assert re.fullmatch(rf"{often} by {re.escape(event['by'])}, \d.* to resume", line)


def test_the_answer_to_its_own_request_wakes_it_and_so_does_its_end(sandbox):
    server = Server(sandbox)
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(LIMIT)
        server.tell(f"ask {other.getsockname()[1]}")
        connection, _ = other.accept()
        with connection:
            server.sleep()
            connection.sendall(b"late")
            server.running.expect("told late")
            server.sleep()
        server.running.expect("told the end")
    assert [event["by"].split(" ")[0] for event in server.events("didWake")] == ["data", "the"]


def test_a_line_in_its_pipe_wakes_it_and_so_does_the_producers_end(sandbox):
    server = Server(sandbox, options=("--wake-on", "pipes"))
    server.sleep()
    server.tell("line")
    server.running.expect("LINE")
    server.sleep()
    server.running.process.stdin.close()
    server.running.expect("end of input")
    assert [event["by"] for event in server.events("didWake")] == ["data in a pipe", "the end of a pipe"]


def test_room_wakes_one_that_was_blocked_in_writing(sandbox):
    """What it writes arrives whole."""
    server = Server(sandbox, options=("--wake-on", "pipes"))
    server.tell("fill 1")
    wait_for("its pipe to be full", lambda: "pipe_write" in wait_channel(server.pid))
    server.sleep()
    assert server.running.read_line() == "x" * (1 << 20)
    assert server.wait_event("didWake")["by"] == "room in a pipe"
    server.tell("more")
    server.running.expect("MORE")


def wait_channel(pid):
    with open(f"/proc/{pid}/wchan") as file:
        return file.read()


def test_what_is_not_named_wakes_nobody(sandbox):
    """Nor does a connection at another port than the one that is named."""
    server = Server(sandbox, "tcp", "unix")
    port = server.places["tcp"]
    other = Server(sandbox, "tcp", "unix", options=("--wake-on", f"connections:{port}"))
    other.sleep()
    with other.connect("tcp") as client:
        client.sendall(b"ping")
        other.tell("line")
        assert other.status()["state"] == "suspended"
        other.curfew("open")
        assert client.recv(4) == b"PING"
        other.running.expect("LINE")
    assert [event["by"] for event in other.events("didWake")] == ["being opened"]


def test_what_was_left_unread_does_not_wake_it_again(sandbox):
    """A line that the program doesn't read is no reason to wake it twice; another one is."""
    running = sandbox.start("sh", "-c", "echo up; read first; echo $first; exec sleep 300",
                            options=("--wake-on", "pipes", "--quiet", "1ms"), stdin=subprocess.PIPE)
    running.expect("up")
    pid = running.status()["pid"]

    def wakings():
        out = sandbox.curfew("events", running.name, "--json").stdout
        return [event for event in map(json.loads, out.splitlines()) if event["name"] == "didWake"]

    def write(text):
        running.process.stdin.write(text)
        running.process.stdin.flush()

    assert sandbox.curfew("sleep", running.name).returncode == 0
    write(b"one\n")
    running.expect("one")
    write(b"unread\n")
    wait_for("it to be another program, and to wait",
             lambda: state_letter(pid) == "S" and pathlib.Path(f"/proc/{pid}/comm").read_text() == "sleep\n")
    for _ in range(3):
        assert sandbox.curfew("sleep", running.name).returncode == 0
    assert running.status()["asleep"] == "true"
    assert len(wakings()) <= 2
    before = len(wakings())
    write(b"more\n")
    running.wait_told("it to wake", lambda: len(wakings()) == before + 1)


def test_until_it_is_opened_nothing_wakes_it(sandbox):
    server = Server(sandbox, "tcp")
    server.sleep("--stay")
    assert server.status()["asleep"] == "until-opened"
    with server.connect() as client:
        client.sendall(b"ping")
        assert server.status()["asleep"] == "until-opened"
        server.curfew("open")
        assert client.recv(4) == b"PING"
    assert [event["by"] for event in server.events("didWake")] == ["being opened"]


def test_who_sleeps_already_is_asked_in_vain_and_can_be_told_to_stay(sandbox):
    server = Server(sandbox, "tcp")
    server.sleep()
    server.sleep()
    assert server.status()["asleep"] == "true"
    server.sleep("--stay")
    assert server.status()["asleep"] == "until-opened"
    assert len(server.events("didSleep")) == 1


def test_it_is_sent_home_as_if_it_had_been_awake(sandbox):
    """Home, it hears of it, is suspended, and isn't asleep any more: opened, it hears of that."""
    server = Server(sandbox, "tcp", options=(*CONNECTIONS, "--grace", "0"))
    server.sleep()
    server.curfew("home")
    server.wait_state("suspended")
    assert server.states() == ["active", "suspended", "active", "background", "suspended"]
    assert "asleep" not in server.status()
    server.curfew("open")
    assert server.status()["state"] == "active"


def test_it_is_quit_as_if_it_had_been_awake(sandbox):
    server = Server(sandbox, "tcp")
    server.sleep()
    server.curfew("quit")
    assert server.running.wait() == 143
    assert "killed" not in server.running.errors()


def refused(sandbox, name):
    """What is said to whoever asks it to sleep; the status is that of what may do later."""
    result = sandbox.curfew("sleep", name)
    assert result.returncode == 75
    return result.stderr


def test_who_cannot_sleep_says_why(sandbox):
    """Open tasks, an interruption, an app that ends where others are suspended."""
    holder = sandbox.start("sh", "-c", "curfew task begin work; echo up; exec sleep 300")
    holder.expect("up")
    assert refused(sandbox, holder.name) == (
        f"curfew: sleep: {holder.name}: refused (holds-task): the app has background tasks open; it can sleep once they have "
        "ended\n")
    server = Server(sandbox, "tcp")
    server.curfew("interrupt")
    assert "refused (interrupted): the app is interrupted, and can sleep once that is over" in refused(sandbox, server.name)
    server.curfew("dismiss")
    server.sleep()
    other = Server(sandbox, options=("--exits-on-suspend",))
    assert "refused (exits-on-suspend): the app ends where others are suspended" in refused(sandbox, other.name)


def test_all_sleep_that_can(sandbox):
    """Each of them; who can't is named."""
    one, two = Server(sandbox, "tcp"), Server(sandbox, "tcp", options=("--exits-on-suspend",))
    result = sandbox.curfew("sleep", "--all", "--json")
    assert json.loads(result.stdout) == {one.name: "suspended"}
    assert result.returncode == 75
    assert result.stderr.startswith(f"curfew: sleep: {two.name}: refused (exits-on-suspend): ")


# At home


def test_at_home_a_plain_app_runs_until_it_is_quiet_again(sandbox):
    """It isn't in front, and so isn't told; a request is answered, and then it is stopped again."""
    server = Server(sandbox, "tcp", options=(*CONNECTIONS, "--grace", "0"))
    server.curfew("home")
    server.wait_state("suspended")
    for count in (1, 2, 3):
        with server.connect() as client:
            assert ask(client) == "PING"
        server.wait_event("didWake", count)
        server.wait_state("suspended")
    assert "asleep" not in server.status()
    assert server.states()[1:] == ["background", "suspended"] * 4
    assert_last_waking(server, 3, server.events("didWake")[-1])


def test_at_home_an_aware_app_is_told_what_has_come(sandbox):
    """It owes an acknowledgement, and is stopped again once it has given it; the line is its own to read."""
    running = sandbox.start(
        sys.executable, "-u", PROGRAMS / "lifecycle_app.py", options=("--wake-on", "pipes"), stdin=subprocess.PIPE)
    while "didFinishLaunching" not in running.read_line():
        pass
    assert sandbox.curfew("home", running.name).returncode == 0
    running.wait_state("suspended")
    running.process.stdin.write(b"!env HOME\n")
    running.process.stdin.flush()
    while " name=input " not in (line := running.read_line()):
        pass
    assert "kind=wake" in line and "info.what=pipe" in line and "ack=required" in line, line
    running.wait_state("suspended")
    assert "asleep" not in running.status()


# Ends


def test_its_supervisors_death_leaves_nothing_asleep(sandbox, containment):
    """SIGKILL: the keeper ends the app, for nobody would wake it any more."""
    server = Server(sandbox, "tcp", options=(*CONNECTIONS, "--containment", containment))
    server.sleep()
    os.kill(server.status()["supervisor"], signal.SIGKILL)
    server.running.wait()
    wait_for("the app to be gone", lambda: not is_alive(server.pid))


def test_killed_asleep_it_leaves_its_peers_an_end(sandbox):
    """Nobody holds their connections besides."""
    server = Server(sandbox, "tcp")
    with server.connect() as client:
        assert ask(client) == "PING"
        server.sleep()
        server.curfew("reclaim")
        assert server.running.wait() == 137
        with contextlib.suppress(ConnectionResetError):
            assert client.recv(1) == b""


# Very many descriptors, and none left

CROWD = """
import resource, socket, sys
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
pairs = [socket.socketpair() for _ in range(int(sys.argv[1]))]
for number in sys.argv[2:]:
    pairs[int(number)][0].send(b"unread")
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    client, _ = server.accept()
    with client:
        client.sendall(client.recv(100).upper())
"""


def crowd(sandbox, pairs, *unread, **popen):
    """A server that has so many pairs of sockets open besides, some with something that it never reads; and its port."""
    running = sandbox.start(
        sys.executable, "-c", CROWD, pairs, *unread, options=(*CONNECTIONS, "--quiet", "1ms"), **popen)
    return running, int(running.read_line())


MANY = 10_000
# What Curfew keeps for itself, and what the app has besides.
BESIDES = 200


@pytest.fixture
def descriptors():
    """How many a program may have: enough for MANY, where we may have it so."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        # Beyond the hard limit it takes root's rights.
        resource.setrlimit(resource.RLIMIT_NOFILE, [max(each, MANY + BESIDES) for each in before])
    except (ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def waited_for(supervisor):
    """How many descriptors it waits for: the most that an epoll of its has."""
    counts = [0]
    for file in pathlib.Path(f"/proc/{supervisor}/fdinfo").iterdir():
        with contextlib.suppress(FileNotFoundError):
            counts.append(file.read_text().count("tfd:"))
    return max(counts)


def test_ten_thousand_descriptors_are_waited_for(sandbox, descriptors):
    """In several turns; what it leaves unread in one of them wakes it once."""
    pairs = min(MANY, descriptors - BESIDES) // 2
    tried = f"with {2 * pairs} descriptors, where a program may have {descriptors}"
    running, port = crowd(sandbox, pairs, 0, pairs // 2, pairs - 1)
    wakings = []
    for _ in range(4):
        result = sandbox.curfew("sleep", running.name, limit=3 * LIMIT)
        assert result.returncode == 0, (tried, result.stderr)
        wakings.append(running.status().get("asleep", "awake"))
    # It is seen at work when it is asked just after it was woken.
    assert wakings[-1] == "true", (tried, wakings)
    assert waited_for(running.status()["supervisor"]) >= 2 * pairs, tried
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", port), LIMIT) as client:
            client.settimeout(LIMIT)
            assert ask(client) == "PING"
        sandbox.curfew("sleep", running.name)
    if 2 * pairs < MANY:
        pytest.skip(f"tried {tried}, and not {MANY:,}: that is the hard limit of RLIMIT_NOFILE")


def test_without_descriptors_left_it_stays_awake_and_is_told_why(sandbox):
    """The rest of it is served as ever."""
    running, port = crowd(sandbox, 25, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (72, 72)))
    result = sandbox.curfew("sleep", running.name)
    assert result.returncode == 75 and "refused (input-unwatched)" in result.stderr, result.stderr
    out = sandbox.curfew("events", running.name, "--json").stdout
    why = [event["why"] for event in map(json.loads, out.splitlines()) if event["name"] == "keptAwake"]
    assert len(why) == 1 and why[0].endswith("Too many open files"), why
    with socket.create_connection(("127.0.0.1", port), LIMIT) as client:
        client.settimeout(LIMIT)
        assert ask(client) == "PING"


# By itself

IDLE = ("--sleep-when-idle", "100ms")


def test_when_idle_it_falls_asleep_and_wakes_for_whoever_comes(sandbox, containment):
    """Again and again, by the times of a real clock that nobody bounds."""
    server = Server(sandbox, "tcp", options=(*IDLE, "--containment", containment))
    for count in (1, 2, 3):
        server.wait_event("didSleep", count)
        with server.connect() as client:
            assert ask(client) == "PING"
        server.wait_event("didWake", count)
    assert set(server.states()) == {"active", "suspended"}
    assert server.status()["sleepWhenIdle"] == 0.1


# Answers each line a millisecond later, in which it works.
SLOW = """
import os, socket, sys, time
if sys.argv[1] == "pipes":
    print("up", flush=True)
    take, give = lambda: os.read(0, 100), lambda line: os.write(1, line)
else:
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1], "up", sep="\\n", flush=True)
    client, _ = server.accept()
    take, give = lambda: client.recv(100), client.sendall
while line := take():
    end = time.perf_counter() + 0.001
    while time.perf_counter() < end:
        pass
    give(line.upper())
"""


@pytest.mark.parametrize("kind", ["pipes", "connections"])
def test_what_comes_just_as_it_falls_asleep_is_answered(sandbox, kind):
    """One and a quarter times D after it was woken it is stopped: input comes about then, whatever of it was taken."""
    app = App(
        sandbox, sys.executable, "-u", "-c", SLOW, kind,
        options=("--sleep-when-idle", "20ms", "--wake-on", kind))
    with contextlib.ExitStack() as stack:
        if kind == "pipes":
            give, output = app.tell, app.running.process.stdout
        else:
            client = stack.enter_context(socket.create_connection(("127.0.0.1", int(app.said[0][0])), LIMIT))
            give, output = lambda line: client.sendall(line.encode() + b"\n"), client
        moments = random.Random(13)
        for count in range(100):
            give(f"line {count}")
            assert select.select([output], [], [], LIMIT)[0], f"line {count}: {app.status()}"
            assert os.read(output.fileno(), 100).decode() == f"LINE {count}\n"
            time.sleep(moments.uniform(0.0245, 0.0265))  # a moment
        # With its connection's end the program ends.
        app.wait_event("didSleep")


def test_a_stopped_job_and_a_zombie_keep_nobody_awake(sandbox, containment):
    """As an idle shell has them that one of its jobs was stopped in."""
    running = sandbox.start(
        "sh", "-c", "(exit) & while :; do :; done & kill -STOP $!; echo up; read line", stdin=subprocess.PIPE,
        options=(*IDLE, "--containment", containment))
    running.expect("up")
    running.wait_told("it to fall asleep", lambda: "didSleep" in sandbox.curfew("events", running.name).stdout)


def test_who_works_stays_awake_and_the_status_says_why(sandbox):
    running = sandbox.start("sh", "-c", "echo up; while :; do :; done", options=IDLE)
    running.expect("up")
    why = wait_for("a reason", lambda: running.status().get("awake"))
    # That it used CPU time, or, where it was let use hardly any, that it runs.
    used = r"[\d.]+ % of a processor in the last .*"
    reasons = rf"sh \(\d+\) used {used}|it used {used}, of which sh \(\d+\) [\d.]+ %|it used {used}|sh \(\d+\) runs"
    assert re.fullmatch(reasons, why)
    assert re.search(rf"^ *awake +({reasons})$", running.status_text(), re.M)


@pytest.mark.parametrize("busy, words", [
    # Where it was let use hardly any, it was seen to run.
    ("while :; do :; done", r"sh \(PID\) (used [\d.]+ % .*|runs)|it used .*, of which sh \(PID\) [\d.]+ %"),
    # It is a shell until it has become what it runs.
    ("while :; do sleep 0.1; done", r"(sleep|sh) \(\d+\) was born")])
def test_which_of_its_processes_works_is_told(sandbox, busy, words):
    running = sandbox.start("sh", "-c", f"({busy}) & echo $!; sleep 1000", options=("--sleep-when-idle", "2s"))
    words = words.replace("PID", running.read_line())
    told = []

    def is_told():
        told.append(running.status().get("awake", ""))
        return re.fullmatch(words, told[-1])

    try:
        wait_for("that", is_told)
    except pytest.fail.Exception:
        pytest.fail(f"{words} is never told; at last: {told[-1]}")


def test_it_wakes_from_the_sleep_of_another_app(sandbox):
    """Two that talk to each other, both asleep when idle: a request to the first passes through the second."""
    back = Server(sandbox, "tcp", options=IDLE)
    front = sandbox.start(
        sys.executable, "-u", "-c",
        "import socket, sys\n"
        "server = socket.create_server(('127.0.0.1', 0)); print('up', server.getsockname()[1], flush=True)\n"
        "while True:\n"
        "    client, _ = server.accept()\n"
        "    with client, socket.create_connection(('127.0.0.1', int(sys.argv[1]))) as other:\n"
        "        other.sendall(client.recv(100)); client.sendall(other.recv(100))\n", back.places["tcp"], options=IDLE)
    port = int(front.read_line().split()[1])
    for _ in range(5):
        for name in (back.name, front.name):
            assert sandbox.curfew("sleep", name).returncode == 0
        with socket.create_connection(("127.0.0.1", port), LIMIT) as client:
            client.settimeout(LIMIT)
            assert ask(client) == "PING"


def test_no_request_is_lost_over_many_sleeps(sandbox):
    """Fifty clients connect at any time, while it is put to sleep as often as can be."""
    server = Server(sandbox, "tcp", "unix")
    lost, over = [], threading.Event()

    def be_client(kind):
        try:
            for _ in range(10):
                with server.connect(kind) as client:
                    for word in ("a", "bb"):
                        if ask(client, word) != word.upper():
                            lost.append(word)
        except OSError as error:
            lost.append(error)

    def put_to_sleep():
        while not over.is_set():
            sandbox.curfew("sleep", server.name)

    sleeper = threading.Thread(target=put_to_sleep)
    sleeper.start()
    clients = [threading.Thread(target=be_client, args=(("tcp", "unix")[index % 2],)) for index in range(50)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    over.set()
    sleeper.join()
    assert lost == []
    assert server.status().get("woken", 0) > 0


# A listening socket that others have open, too

# Accepts one connection for each line on standard input, and answers it.
HEIR = """
import socket, sys
server = socket.socket(fileno=int(sys.argv[1]))
server.setblocking(True)
print("up", flush=True)
for line in sys.stdin:
    client, _ = server.accept()
    with client:
        client.sendall(client.recv(100).upper())
"""

# Accepts whatever is left to it.
GREEDY_HEIR = """
import select, socket, sys
server = socket.socket(fileno=int(sys.argv[1]))
server.setblocking(False)
print("up", flush=True)
while True:
    select.select([server], [], [])
    try:
        client, _ = server.accept()
    except BlockingIOError:
        continue
    client.setblocking(True)
    with client:
        client.sendall(client.recv(100).upper())
"""


class SharedListener:
    """A socket that this process listens at, and whoever inherits it."""

    def __init__(self, kind, folder):
        self.socket = socket.socket({"unix": socket.AF_UNIX, "tcp": socket.AF_INET}[kind])
        self.socket.bind(str(folder / "shared") if kind == "unix" else ("127.0.0.1", 0))
        self.socket.listen(64)
        name = self.socket.getsockname()
        self.place = name if kind == "unix" else f"{name[0]}:{name[1]}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def heir(self, sandbox, script, *options):
        """A program that has it from its start on."""
        number = self.socket.fileno()
        return App(sandbox, sys.executable, "-u", "-c", script, number, options=(*CONNECTIONS, *options), pass_fds=[number])

    def connect(self):
        client = socket.socket(self.socket.family)
        client.settimeout(LIMIT)
        client.connect(self.socket.getsockname())
        return client

    def await_connection(self):
        """Until one is there: a client's connect can return a moment before."""
        assert select.select([self.socket], [], [], LIMIT)[0]

    def serve(self):
        """As another program does, that accepts, too."""
        client, _ = self.socket.accept()
        with client:
            client.sendall(client.recv(100).upper())


@pytest.fixture(params=["unix", "tcp"])
def shared(request, sandbox):
    with SharedListener(request.param, sandbox.runtime) as listener:
        yield listener


def wakings(app):
    return [event["by"] for event in app.events("didWake")]


def sleep_well(app):
    """What it has left unread wakes it once more."""
    def is_asleep():
        # Within --quiet of being woken, it can't have left it on purpose.
        time.sleep(0.03)  # a moment
        app.curfew("sleep")
        return app.status().get("asleep") == "true"

    wait_for("it to sleep on", is_asleep)


def test_where_another_program_accepts_a_connection_wakes_it_only_if_it_is_left_to_it(sandbox, shared):
    """By held time: whatever another has taken by then wakes nobody, what it hasn't does, and ends that."""
    app = shared.heir(sandbox, HEIR, "--manual-clock", "--quiet", "20ms")
    app.curfew("sleep")
    with shared.connect() as first:
        app.wait_event("didWake")
        sleep_well(app)
        first.sendall(b"ping")
        shared.serve()
        assert first.recv(9) == b"PING"
    assert "sharedListeners" not in app.status()
    app.curfew("open")
    assert app.status()["sharedListeners"] == f"at {shared.place} after 20 ms"
    assert re.search(
        rf"^ *shared +another program accepts connections, too; one wakes it at {re.escape(shared.place)} after 20 ms$",
        app.curfew("status"), re.M)

    app.sleep()
    count = len(wakings(app))
    with shared.connect() as second:
        shared.await_connection()
        second.sendall(b"ping")
        shared.serve()
        assert second.recv(9) == b"PING"
    app.curfew("advance", "1m")
    assert app.status()["asleep"] == "true"

    with shared.connect() as third:
        shared.await_connection()
        third.sendall(b"ping")
        app.curfew("advance", "19ms")
        assert app.status()["asleep"] == "true"
        assert len(wakings(app)) == count
        app.curfew("advance", "1ms")
        assert app.wait_event("didWake", count + 1)["by"] == f"a connection to {shared.place}"
        app.tell("accept")
        assert third.recv(9) == b"PING"
    assert "sharedListeners" not in app.status()

    app.sleep()
    with shared.connect() as fourth:
        fourth.sendall(b"ping")
        app.wait_event("didWake", count + 2)
        app.tell("accept")
        assert fourth.recv(9) == b"PING"


def test_with_another_program_at_its_socket_no_request_is_lost(sandbox, shared):
    """That one accepts a while, and then no more; the app falls asleep whenever nobody has come for a moment."""
    app = shared.heir(sandbox, GREEDY_HEIR, "--sleep-when-idle", "1s", "--time-scale", "100")
    lost, pause = [], threading.Event()
    end_of_it, ending = os.pipe()

    def be_client(moments):
        try:
            for _ in range(25):
                with shared.connect() as client:
                    if ask(client) != "PING":
                        lost.append("no answer")
                pause.wait(moments.uniform(0, 0.06))
        except OSError as error:
            lost.append(error)

    def compete():
        for _ in range(40):
            ready, _, _ = select.select([shared.socket, end_of_it], [], [])
            if end_of_it in ready:
                return
            with contextlib.suppress(BlockingIOError):
                shared.serve()

    competitor = threading.Thread(target=compete)
    clients = [threading.Thread(target=be_client, args=(random.Random(seed),)) for seed in range(3)]
    for thread in [competitor, *clients]:
        thread.start()
    for client in clients:
        client.join()
    os.close(ending)
    competitor.join()
    os.close(end_of_it)
    assert lost == []
    app.wait_state("suspended")
    with shared.connect() as client:
        assert ask(client) == "PING"
    assert app.status()["woken"] > 0
