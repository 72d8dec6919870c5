"""Asleep, where something is in the way: what can't be had, floods of clients, signals and debuggers, descriptors that come and go."""

import contextlib
import json
import os
import pathlib
import resource
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time

import pytest

from conftest import LIMIT, is_alive, state_letter, wait_for
from programs.helpers import AS_ORDINARY, ORDINARY, ORDINARY_PYTHON, PROGRAMS, assert_all_stopped, needs_root, program
from test_sleep import CONNECTIONS, Server, ask, refused

# Answers each connection in capitals, one after the other; `setup` is what it does before, `server` what it listens by.
ANSWERING = """
import array, ctypes, fcntl, os, resource, socket, sys
server = socket.create_server(("127.0.0.1", 0))
{setup}
print("port", server.getsockname()[1], flush=True)
while True:
    client, _ = server.accept()
    with client:
        client.sendall(client.recv(100).upper())
"""


def answering(sandbox, setup="", *arguments, python=sys.executable, options=CONNECTIONS, **popen):
    """One that listens, and a way to ask it for a word."""
    running = sandbox.start(python, "-c", ANSWERING.format(setup=setup), *arguments, options=options, **popen)
    port = int(running.read_line().split()[1])

    def ask_it():
        with socket.create_connection(("127.0.0.1", port), LIMIT) as client:
            client.settimeout(LIMIT)
            return ask(client)

    return running, ask_it


def events(sandbox, running, name, **popen):
    out = sandbox.curfew("events", running.name, "--json", **popen).stdout
    return [event for event in map(json.loads, out.splitlines()) if event["name"] == name]


def obstacles(sandbox, running, **popen):
    return [event["why"] for event in events(sandbox, running, "keptAwake", **popen)]


def children_of(pid):
    return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def command_of(pid):
    return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()


def put_to_sleep(sandbox, running, **popen):
    result = sandbox.curfew("sleep", running.name, "--json", **popen)
    assert (result.returncode, json.loads(result.stdout)) == (0, {"state": "suspended"}), result.stderr


# What can't be had


def test_out_of_descriptors_what_is_waited_for_wakes_it(sandbox):
    """Where it is to sleep all the same, it is said once what is missing; whatever came before that is waited for."""
    running, ask_it = answering(
        sandbox, "pairs = [socket.socketpair() for _ in range(25)]", options=(*CONNECTIONS, "--sleep-when-idle", "1h,force"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (72, 72)))
    for _ in range(3):
        put_to_sleep(sandbox, running)
        assert ask_it() == "PING"
    why = obstacles(sandbox, running)
    assert why and all(each.endswith("Too many open files") for each in why), why


def ordinary(sandbox):
    """Options to start, and to ask, as an ordinary user."""
    os.chown(sandbox.runtime, ORDINARY, ORDINARY)
    return dict(AS_ORDINARY, cwd="/")


@contextlib.contextmanager
def setuid_sleep():
    """A `sleep` that is root's whoever starts it."""
    folder = program("eater").parent
    if os.statvfs(folder).f_flag & os.ST_NOSUID:
        pytest.skip(f"{folder} takes no setuid programs")
    path = folder / "setuid-sleep"
    shutil.copy(shutil.which("sleep"), path)
    path.chmod(0o755 | stat.S_ISUID)
    try:
        yield path
    finally:
        path.unlink()


@needs_root
def test_a_setuid_child_keeps_it_awake(sandbox):
    """Its descriptors aren't listed for an ordinary user. What is to wake for nothing sleeps."""
    who = ordinary(sandbox)
    with setuid_sleep() as path:
        for options, status in ((CONNECTIONS, 75), ((), 0)):
            running = sandbox.start("sh", "-c", f"{path} 300 & echo up; wait", options=options, **who)
            running.expect("up")
            shell = json.loads(sandbox.curfew("status", running.name, "--json", **who).stdout)["pid"]
            (child,) = children_of(shell)
            wait_for("the child to be that program", lambda: command_of(child) == "setuid-sleep")
            result = sandbox.curfew("sleep", running.name, **who)
            if status == 0:
                assert result.returncode == 0, result.stderr
            else:
                assert result.returncode == 75 and "refused (input-unwatched)" in result.stderr, result.stderr
                why = obstacles(sandbox, running, **who)
                assert len(why) == 1 and why[0].endswith("its descriptors: Permission denied"), why
                assert why[0].startswith("setuid-sleep ("), why
                # What is to stay asleep does.
                result = sandbox.curfew("sleep", "--stay", running.name, **who)
                assert result.returncode == 0, result.stderr
                assert sandbox.curfew("open", running.name, **who).returncode == 0


@needs_root
def test_a_program_that_is_not_dumpable_keeps_it_awake(sandbox):
    """As one that holds keys would be."""
    who = ordinary(sandbox)
    running, ask_it = answering(
        sandbox, "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)", python=ORDINARY_PYTHON, **who)
    result = sandbox.curfew("sleep", running.name, **who)
    assert result.returncode == 75 and "refused (input-unwatched)" in result.stderr, result.stderr
    assert ask_it() == "PING"
    why = obstacles(sandbox, running, **who)
    assert len(why) == 1 and why[0].endswith("its descriptors: Permission denied"), why


@pytest.fixture
def yama():
    """Sets kernel.yama.ptrace_scope for the test."""
    scope = pathlib.Path("/proc/sys/kernel/yama/ptrace_scope")
    if os.geteuid() != 0 or not scope.exists():
        pytest.skip("there is no Yama that could be set here")
    before = scope.read_text()
    yield lambda number: scope.write_text(f"{number}\n")
    scope.write_text(before)


@pytest.mark.alone
@pytest.mark.parametrize("scope", [0, 1])
def test_yama_lets_who_has_started_it(sandbox, yama, scope):
    yama(scope)
    who = ordinary(sandbox)
    running, ask_it = answering(sandbox, python=ORDINARY_PYTHON, **who)
    for _ in range(3):
        put_to_sleep(sandbox, running, **who)
        assert ask_it() == "PING"
    assert obstacles(sandbox, running, **who) == []


@pytest.mark.alone
def test_where_yama_refuses_sockets_keep_it_awake_and_pipes_wake_it(sandbox, yama):
    """It is said when it starts, and named when it is to sleep."""
    yama(2)
    who = ordinary(sandbox)
    running, ask_it = answering(sandbox, python=ORDINARY_PYTHON, **who)
    result = sandbox.curfew("sleep", running.name, **who)
    assert result.returncode == 75 and "refused (input-unwatched)" in result.stderr, result.stderr
    assert obstacles(sandbox, running, **who)[0].endswith("its sockets: Operation not permitted")
    assert ask_it() == "PING"
    assert sandbox.curfew("quit", running.name, **who).returncode == 0
    running.wait()
    said = running.errors()
    assert said.count("\n") == 1 and "can't wait for sockets" in said and "`curfew sleep --stay`" in said, said
    reader = sandbox.start("cat", options=("--wake-on", "pipes"), stdin=subprocess.PIPE, **who)
    # Opened anew it is asked whose it is.
    os.fchown(reader.process.stdin.fileno(), ORDINARY, ORDINARY)
    for word in ("one", "two"):
        wait_for("it to be there", lambda: sandbox.curfew("sleep", reader.name, **who).returncode == 0)
        reader.process.stdin.write(word.encode() + b"\n")
        reader.process.stdin.flush()
        reader.expect(word)


INHERITED = "import select, sys; e = select.epoll.fromfd(int(sys.argv[1])); print('up'); print(len(e.poll()))"


def test_what_only_an_inherited_epoll_holds_keeps_it_awake(sandbox):
    """The epoll tells of a socket that the program itself hasn't; nobody could wait for that in its place."""
    ours, theirs = socket.socketpair()
    with ours, theirs, select.epoll() as epoll:
        epoll.register(ours, select.EPOLLIN)
        running = sandbox.start(
            sys.executable, "-u", "-c", INHERITED, epoll.fileno(), options=CONNECTIONS, pass_fds=[epoll.fileno()])
        running.expect("up")
        for _ in range(2):
            assert "refused (input-unwatched)" in refused(sandbox, running.name)
        why = obstacles(sandbox, running)
        assert len(why) == 1 and why[0].endswith(": sockets that its epoll waits for: it has them open no more"), why
        theirs.sendall(b"x")
        running.expect("1")


# Clients


@pytest.mark.parametrize("place", ["in front", "at home"])
def test_a_flood_of_silent_clients_wakes_it_so_often_and_no_more(sandbox, place):
    """Each time that it was woken it runs until it has been idle for its time, however many connect and say nothing."""
    span = 0.2
    is_in_front = place == "in front"
    options = ("--sleep-when-idle", "200ms") if is_in_front else ("--quiet", "200ms", "--grace", "0")
    server = Server(sandbox, "tcp", options=(*CONNECTIONS, "--idle-cpu", "100%", *options))
    if not is_in_front:
        server.curfew("home")
    server.wait_state("suspended")
    began = time.monotonic()
    clients = []
    deadline = began + LIMIT
    with contextlib.ExitStack() as stack:
        while len(server.events("didWake")) < 4:
            assert time.monotonic() < deadline, server.events("didWake", "didSleep", "keptAwake")
            clients += [stack.enter_context(server.connect()) for _ in range(5)]
        wakings = len(server.events("didWake"))
        # Between two of them it has run for that long.
        assert wakings <= (time.monotonic() - began) / span + 1
        assert ask(clients[0]) == ask(clients[-1]) == "PING"


def test_where_it_is_given_the_limit_ends_one_that_is_woken_too_often(sandbox):
    server = Server(
        sandbox, "tcp", options=(*CONNECTIONS, "--quiet", "50ms", "--grace", "0", "--resume-limit", "2/300s"))
    server.curfew("home")
    server.wait_state("suspended")
    with contextlib.ExitStack() as stack:
        for count in (1, 2):
            stack.enter_context(server.connect())
            server.wait_event("didWake", count)
            server.wait_state("suspended")
        with contextlib.suppress(ConnectionError):
            stack.enter_context(server.connect())
        assert server.running.wait() == 137
    assert "resumed-too-often" in server.running.errors()
    told = json.loads((sandbox.scratch / f"{server.name}.account").read_text())["events"]
    assert [event["name"] for event in told[-4:]] == ["didWake", "willKill", "stateDidChange", "didEnd"]
    assert told[-4]["by"].startswith("a connection to ") and "resumedIn" not in told[-4]


# Signals and debuggers


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGTSTP])
def test_stopped_by_hand_asleep_it_wakes_all_the_same(sandbox, containment, number):
    """It was stopped already: the kernel drops a stop where SIGCONT follows."""
    server = Server(sandbox, "tcp", options=(*CONNECTIONS, "--containment", containment))
    for _ in range(3):
        server.sleep()
        os.kill(server.pid, number)
        with server.connect() as client:
            assert ask(client) == "PING"
    assert server.states() == ["active"] + ["suspended", "active"] * 3


def test_what_was_stopped_by_hand_before_stays_so(sandbox, containment):
    """Of two workers the other answers; then the one goes on where its owner says so."""
    server = Server(sandbox, "pre-fork", options=(*CONNECTIONS, "--containment", containment))
    running, stopped = [int(pid) for pid in children_of(server.pid)]
    os.kill(stopped, signal.SIGSTOP)
    wait_for("it to be stopped", lambda: state_letter(stopped) == "T")
    for _ in range(3):
        server.sleep()
        with server.connect("pre-fork") as client:
            assert ask(client) == "PING"
        wait_for("its parent to go on", lambda: state_letter(server.pid) == "S")
        assert state_letter(stopped) == "T"
    os.kill(stopped, signal.SIGCONT)
    wait_for("it to go on", lambda: state_letter(stopped) == "S")
    server.sleep()
    with server.connect("pre-fork") as client:
        assert ask(client) == "PING"


def test_stopped_whole_by_hand_and_put_to_sleep_it_waits_for_both(sandbox):
    """What has come for it wakes it; it runs once its owner lets it."""
    server = Server(sandbox, "tcp")
    os.kill(server.pid, signal.SIGSTOP)
    wait_for("it to be stopped", lambda: state_letter(server.pid) == "T")
    server.sleep()
    with server.connect() as client:
        client.sendall(b"ping")
        server.wait_event("didWake")
        server.wait_state("active")
        assert state_letter(server.pid) == "T"
        os.kill(server.pid, signal.SIGCONT)
        assert client.recv(4) == b"PING"


def test_held_by_a_debugger_it_cannot_sleep(sandbox, strace):
    """Afterwards it can."""
    server = Server(sandbox, "tcp")
    with strace.attached(server.pid, "-o", "/dev/null"):
        assert "refused (traced)" in refused(sandbox, server.name)
        with server.connect() as client:
            assert ask(client) == "PING"
    server.sleep()
    with server.connect() as client:
        assert ask(client) == "PING"


def test_a_debugger_that_comes_while_it_sleeps_sees_it_wake(sandbox, strace):
    server = Server(sandbox, "tcp")
    server.sleep()
    with strace.attached(server.pid, "-o", "/dev/null"):
        with server.connect() as client:
            assert ask(client) == "PING"
        assert server.status()["state"] == "active"


def test_its_supervisors_death_lets_it_go_on_where_that_was_asked_for(sandbox, containment):
    server = Server(sandbox, "tcp", options=(*CONNECTIONS, "--on-supervisor-exit", "resume", "--containment", containment))
    server.sleep()
    os.kill(server.status()["supervisor"], signal.SIGKILL)
    with server.connect() as client:
        assert ask(client) == "PING"
    os.kill(server.pid, signal.SIGKILL)
    wait_for("the app to be gone", lambda: not is_alive(server.pid))
    server.running.wait()


@pytest.mark.parametrize("policy", ["kill", "defer"])
def test_a_sleeper_with_a_lock_lives(sandbox, policy):
    """At home it would be killed for it, or waited for: asleep, it is told of."""
    running, ask_it = answering(
        sandbox, "lock = open(sys.argv[1], 'w'); fcntl.lockf(lock, fcntl.LOCK_EX)", sandbox.scratch / "lock",
        options=(*CONNECTIONS, "--grace", "0", "--locks", policy))
    for _ in range(2):
        put_to_sleep(sandbox, running)
        assert str(sandbox.scratch / "lock") in running.status()["locks"]
        assert ask_it() == "PING"
    assert events(sandbox, running, "suspendedWithLockedFiles")


# Descriptors that come and go


def test_what_it_closes_awake_is_waited_for_no_more(sandbox):
    """A client is refused, as by any program that has closed; what it opens wakes it again."""
    server = Server(sandbox, "tcp")
    server.sleep()
    with server.connect() as client:
        assert ask(client) == "PING"
        server.tell("close")
        server.running.expect("closed")
        server.sleep()
        with pytest.raises(ConnectionRefusedError):
            server.connect()
        assert server.status()["asleep"] == "true"
        assert ask(client, "still") == "STILL"
    server.tell("listen")
    kind, port = server.running.read_line().split()
    server.places[kind] = port
    server.sleep()
    with server.connect() as client:
        assert ask(client) == "PING"


RECEIVED = """
door = socket.socket(socket.AF_UNIX); door.bind(sys.argv[1]); door.listen(); server.close()
print("up", flush=True)
messenger, _ = door.accept(); _, received, _, _ = socket.recv_fds(messenger, 1, 1)
server = socket.socket(fileno=received[0])
"""


def test_a_socket_that_was_handed_to_it_wakes_it(sandbox):
    """By SCM_RIGHTS, after its start; nobody else has it then."""
    path = sandbox.runtime / "door"
    running = sandbox.start(sys.executable, "-c", ANSWERING.format(setup=RECEIVED), path, options=CONNECTIONS)
    running.expect("up")
    with socket.socket(socket.AF_UNIX) as messenger, socket.create_server(("127.0.0.1", 0)) as server:
        messenger.connect(str(path))
        socket.send_fds(messenger, [b"x"], [server.fileno()])
        port = int(running.read_line().split()[1])
    for _ in range(3):
        put_to_sleep(sandbox, running)
        with socket.create_connection(("127.0.0.1", port), LIMIT) as client:
            client.settimeout(LIMIT)
            assert ask(client) == "PING"


def test_a_socket_that_a_child_has_opened_wakes_it(sandbox):
    """Its parent, which leads the app, has nothing of it."""
    running = sandbox.start("sh", "-c", f"{sys.executable} -u {PROGRAMS / 'sleepy.py'} tcp; echo over", options=CONNECTIONS,
                            stdin=subprocess.PIPE)
    port = int(running.expect("up")[-2].split()[1])
    leader = running.status()["pid"]
    for _ in range(3):
        put_to_sleep(sandbox, running)
        assert_all_stopped(running, [leader, *map(int, children_of(leader))])
        with socket.create_connection(("127.0.0.1", port), LIMIT) as client:
            client.settimeout(LIMIT)
            assert ask(client) == "PING"


SHARED_PORT = """
server.close()
server = socket.socket(); server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1); server.bind(("127.0.0.1", 0))
port = server.getsockname()
for _ in range(3):
    if os.fork() == 0:
        server = socket.socket(); server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1); server.bind(port)
        server.listen(); break
else:
    server.listen()
"""


def test_of_several_that_share_a_port_each_wakes_it(sandbox):
    """SO_REUSEPORT: whom a connection is for is the kernel's choice."""
    running, ask_it = answering(sandbox, SHARED_PORT)
    leader = running.status()["pid"]
    # The others say nothing more until they are asked.
    for _ in range(3):
        running.read_line()
    for _ in range(12):
        put_to_sleep(sandbox, running)
        assert ask_it() == "PING"
    assert len(children_of(leader)) == 3


@pytest.mark.parametrize("how", [[], ["async"]], ids=["inline", "async"])
def test_what_an_io_uring_waits_for_wakes_it(sandbox, how):
    """An accept that the program has begun itself, and one that it has left to a worker of the kernel's."""
    running = sandbox.start(program("ring"), *how, options=CONNECTIONS)
    first = running.read_line()
    if first.startswith("none"):
        running.wait()
        pytest.skip(f"there is no io_uring here: {first}")
    port = int(first.split()[1])
    for _ in range(5):
        put_to_sleep(sandbox, running)
        with socket.create_connection(("127.0.0.1", port), LIMIT) as client:
            client.settimeout(LIMIT)
            assert ask(client) == "PING"
    assert obstacles(sandbox, running) == []
