"""The control channel: what it answers, what it refuses, and that nothing sent to it stalls or breaks a supervisor."""

import array
import contextlib
import os
import pathlib
import random
import select
import signal
import socket
import stat
import subprocess
import sys
import threading
import time

import pytest

from conftest import LIMIT, binary, wait_for
from programs.helpers import (
    AS_ORDINARY, Client, cpu_ticks, flood, Line, needs_root, open_descriptors, ORDINARY_PYTHON, resident_kib, set_timers, socket_of,
    times_rested)

# An app that passes its control pipe's lines on: what comes on stdin goes out on it, what is answered to stdout.
RELAY = """
import os, socket, sys, threading
pipe = int(os.environ["CURFEW_FD"])
def answers():
    while True:
        try:
            data = os.read(pipe, 65536)
        except ConnectionResetError:
            data = b""
        if not data:
            print("closed", flush=True)
            return
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
threading.Thread(target=answers, daemon=True).start()
print("up", flush=True)
for line in sys.stdin.buffer:
    try:
        os.write(pipe, line)
    except BrokenPipeError:
        pass
while True:
    threading.Event().wait()
"""

# An app of which a part, made by the shell words in front of it, asks through the socket.
ASKER = """
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(os.environ["SOCKET"])
for verb in sys.argv[1:]:
    s.sendall(verb.encode() + b"\\n")
    print(s.makefile().readline().strip(), flush=True)
"""


@pytest.fixture
def app(sandbox):
    running = sandbox.shell("sleep 300 & echo up; wait")
    running.expect("up")
    return running


@pytest.fixture
def relay(sandbox):
    running = sandbox.start(sys.executable, "-c", RELAY, stdin=subprocess.PIPE)
    running.expect("up")
    return running


def tell(relay, text):
    relay.process.stdin.write(text if isinstance(text, bytes) else text.encode())
    relay.process.stdin.flush()


def is_answered(running):
    """Whether somebody else is answered meanwhile."""
    with Client(socket_of(running)) as client:
        answer = client.ask("status id=1")
    return answer is not None and answer.verb == "ok"


# What a line may be


def test_a_malformed_line_is_answered_with_its_offset(app):
    """`error code=malformed`, the byte, and the channel is kept."""
    with Client(socket_of(app)) as client:
        answer = client.ask('status id="1')
        assert (answer.verb, answer["code"]) == ("error", "malformed")
        assert 0 <= int(answer["offset"]) <= len('status id="1')
        assert client.ask("status id=2")["id"] == "2"


def test_unknown_verbs_are_answered_and_unknown_keys_ignored(app):
    """So that versions can differ."""
    with Client(socket_of(app)) as client:
        answer = client.ask("dance id=3")
        assert (answer.verb, answer["id"], answer["code"]) == ("error", "3", "unknown")
        assert client.ask("status id=4 colour=blue").verb == "ok"


def test_4096_bytes_are_a_line_and_4097_are_none(app):
    """The longest line is answered; one byte more closes the channel, and others are still served."""
    with Client(socket_of(app)) as client:
        line = "status id=1 filler="
        assert client.ask(line + "x" * (4095 - len(line))).verb == "ok"
        client.send(line + "x" * (4096 - len(line)) + "\n")
        assert client.line() is None
    assert is_answered(app)
    assert "channelDidDrop" in app.sandbox.curfew("events", app.name).stdout


def test_a_line_without_end_closes_the_channel(app):
    """4096 bytes without a line feed can't become a line any more."""
    with Client(socket_of(app)) as client:
        client.send("x" * 4096)
        assert client.line() is None


def test_half_a_line_waits_and_hurts_nobody(app):
    """A line sent byte by byte is one line; one that never ends keeps nobody waiting."""
    with Client(socket_of(app)) as half, Client(socket_of(app)) as slow:
        half.send("stat")
        for byte in b"status id=9\n":
            slow.send(bytes([byte]))
        assert slow.line()["id"] == "9"
        assert is_answered(app)


def test_closed_ends_are_forgotten(app):
    """Clients that close at every stage of a line, also with answers unread, leave no connection behind."""
    # What the first suspension opens stays open.
    for verb in ("home", "open"):
        app.sandbox.curfew(verb, app.name)
    before = descriptors(app)
    whole = "status id=1\n"
    for text in ["", "s", whole[:-1], whole, whole * 50, "events follow=1\n", "home\n\n\nopen\n"]:
        for _ in range(5):
            with Client(socket_of(app)) as client:
                client.send(text)
    wait_for("its descriptors to be closed", lambda: descriptors(app) <= before)
    assert is_answered(app)


def descriptors(running):
    return open_descriptors(supervisor_of(running))


def supervisor_of(running):
    if not hasattr(running, "supervisor"):
        running.supervisor = running.status()["supervisor"]
    return running.supervisor


# Floods


@pytest.mark.parametrize(
    "line", [b"status id=1\n", b"x=1 \"\n", b"remaining id=1\n", b"events\n", b"\n", b"x" * 70000])
def test_a_flood_is_cut_off(app, line):
    """A sender that never reads loses its channel; meanwhile others are answered, and memory stays."""
    over = threading.Event()
    text = line * max(1, 65536 // len(line))
    senders = [threading.Thread(target=flood, args=(socket_of(app), text, over)) for _ in range(4)]
    for sender in senders:
        sender.start()
    try:
        for _ in range(3):
            assert is_answered(app)
            assert resident_kib(supervisor_of(app)) < 20 * 1024
            time.sleep(0.05)  # a while
        # An empty line is no message, and asks for no answer that could pile up.
        if line != b"\n":
            wait_for("the channels to be closed", lambda: not any(sender.is_alive() for sender in senders))
    finally:
        over.set()
        for sender in senders:
            sender.join()
    assert app.process.poll() is None
    assert resident_kib(supervisor_of(app)) < 20 * 1024
    assert is_answered(app)


def test_a_flood_on_the_apps_own_pipe_leaves_it_plain(relay):
    """An aware app that floods its control pipe loses it, becomes plain, and runs on."""
    tell(relay, "hello version=1\n")
    relay.read_line()
    tell(relay, b"x" * 5000 + b"\n")
    while relay.read_line() != "closed":
        pass
    status = relay.status()
    assert (status["aware"], status["state"]) == (False, "active")
    assert relay.sandbox.curfew("home", relay.name, "--json").stdout.split()[2] == '"suspended"'


def test_a_slow_reader_is_dropped_and_told_of(app):
    """A follower that doesn't read holds up nobody: its queue is bounded, then its channel is dropped and logged."""
    with Client(socket_of(app)) as follower, Client(socket_of(app)) as operator:
        follower.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        follower.send("events follow=1\n")
        deadline = time.monotonic() + LIMIT
        dropped = False
        while not dropped and time.monotonic() < deadline:
            # Fewer than after which the history has lost it again.
            for _ in range(50):
                operator.send("home\nopen\n")
                assert [operator.line().verb, operator.line().verb] == ["ok", "ok"]
            dropped = "doesn't read" in app.sandbox.curfew("events", app.name).stdout
        assert dropped
        assert resident_kib(supervisor_of(app)) < 20 * 1024


def test_an_idle_supervisor_uses_no_cpu_after_all_that(app):
    """Whatever the connections held, nothing is left that keeps the loop awake."""
    # Asked before: what that connection leaves is dealt with before the others are answered.
    supervisor = supervisor_of(app)
    clients = [Client(socket_of(app)) for _ in range(20)]
    for client in clients:
        client.send("status id=1\nstat")
        client.line()
    before = times_rested(supervisor)
    time.sleep(0.5)  # a while
    assert times_rested(supervisor) - before <= 1
    assert set_timers(supervisor) == []
    for client in clients:
        client.close()


# Garbage


def test_garbage_from_200_connections(app):
    """Seeded noise, binary and nearly right, on connections that close at any moment: all is answered or dropped."""
    noise = random.Random(20261121)
    words = [b"status", b"hello", b"begin", b"end", b"ack", b"remaining", b"tasks", b"events", b"=", b'"', b"\\", b" ",
             b"\n", b"id=1", b"task=99999999999999999999", b"seq=-1", b"owner=1", b"owner=0", b"name=\"a b\"", b"\0",
             b"\xff\xfe", b"\r\n", b"follow=1", "é".encode(), b"a" * 5000]
    for _ in range(200):
        client = Client(socket_of(app))
        client.socket.settimeout(0.5)
        with contextlib.suppress(OSError):
            for _ in range(noise.randrange(1, 6)):
                if noise.random() < 0.4:
                    client.send(noise.randbytes(noise.randrange(1, 6000)))
                else:
                    client.send(b"".join(noise.choice(words) for _ in range(noise.randrange(1, 60))))
            if noise.random() < 0.3:
                client.socket.recv(65536)
        client.close()
    assert is_answered(app)
    assert app.status()["state"] in ("active", "suspended")
    assert resident_kib(supervisor_of(app)) < 20 * 1024


def test_descriptors_sneaked_in_are_closed(app):
    """SCM_RIGHTS with a request: the request is answered, and the supervisor keeps none of them."""
    before = descriptors(app)
    held, end = os.pipe()
    with Client(socket_of(app)) as client:
        for number in range(1, 101):
            fds = array.array("i", [end] * (number % 40 + 1))
            client.socket.sendmsg([f"status id={number}\n".encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
            while (line := client.line()).verb != "ok":
                pass
            assert line["id"] == str(number)
    os.close(end)
    ready, _, _ = select.select([held], [], [], LIMIT)
    assert ready and os.read(held, 1) == b""
    os.close(held)
    wait_for("its descriptors to be closed", lambda: descriptors(app) <= before)


def test_descriptors_sneaked_into_a_listening_queue(app):
    """Connections that nobody reads from and that carry descriptors are dropped with them."""
    held, end = os.pipe()
    clients = []
    for _ in range(20):
        client = Client(socket_of(app))
        client.socket.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [end] * 200))])
        clients.append(client)
    assert is_answered(app)
    for client in clients:
        client.close()
    os.close(end)
    ready, _, _ = select.select([held], [], [], LIMIT)
    assert ready and os.read(held, 1) == b""
    os.close(held)


# Many


def test_300_connections_at_once_are_bounded(app):
    """Some are refused; those that are held are answered, and after all are closed anybody is."""
    clients = [Client(socket_of(app)) for _ in range(300)]
    assert 200 <= sum(map(answered, clients)) <= 256
    for client in clients:
        client.close()
    wait_for("somebody to be answered", lambda: is_answered_or_refused(app))


def is_answered_or_refused(app):
    with contextlib.suppress(OSError):
        return is_answered(app)
    return False


def test_an_app_cannot_lock_its_operator_out(sandbox):
    """An app that opens every connection it can get is quit all the same."""
    hog = (
        "import os, socket, time\n"
        "held = []\n"
        "for _ in range(400):\n"
        "    s = socket.socket(socket.AF_UNIX)\n"
        "    s.connect(os.environ['CURFEW_SOCKET']); held.append(s)\n"
        "print('up', flush=True); time.sleep(300)\n")
    running = sandbox.start(sys.executable, "-c", hog)
    running.expect("up")
    assert running.status()["state"] == "active"
    assert sandbox.curfew("quit", running.name).returncode == 0
    assert running.wait() == 143


def test_few_descriptors_do_not_stall_the_socket(sandbox):
    """With a low limit of descriptors, more clients than it has are no reason to spin or to hang."""
    running = sandbox.start(
        "sh", "-c", "echo up; ulimit -n; sleep 300", preexec_fn=lambda: set_descriptor_limit(24, 24))
    running.expect("up")
    assert running.read_line() == "24"
    supervisor = supervisor_of(running)
    clients = [Client(socket_of(running)) for _ in range(60)]
    # Some are kept, some are told that there is no room, and some of its descriptors stay its own.
    clients = [client for client in clients if answered(client)]
    assert 3 <= len(clients) <= 20
    assert descriptors(running) < 24
    before = cpu_ticks(supervisor)
    time.sleep(0.5)  # a while
    assert cpu_ticks(supervisor) - before < 15, "the supervisor spins"
    for client in clients:
        client.close()
    wait_for("somebody to be answered", lambda: is_answered_or_refused(running))


def answered(client):
    with contextlib.suppress(OSError):
        reply = client.ask("status id=1")
        return reply is not None and reply.verb == "ok"
    return False


def test_the_descriptor_limit_of_the_app_is_its_own(sandbox):
    """What the supervisor raises for its connections, it raises for itself."""
    running = sandbox.start(
        "sh", "-c", "echo up; read x; ulimit -Sn; sleep 300", stdin=subprocess.PIPE,
        preexec_fn=lambda: set_descriptor_limit(24, 512))
    running.expect("up")
    clients = [Client(socket_of(running)) for _ in range(100)]
    for client in clients:
        assert client.ask("status id=1").verb == "ok"
        assert client.socket
    tell(running, "\n")
    assert running.read_line() == "24"
    for client in clients:
        client.close()


def set_descriptor_limit(soft, hard):
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


# Who may ask for what


def test_the_socket_is_the_users_own(app):
    """0600, in a directory of 0700."""
    path = socket_of(app)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@needs_root
def test_another_user_cannot_connect(app):
    """Not even where the directory would let it in."""
    path = socket_of(app)
    for folder in (path.parent, path.parent.parent):
        folder.chmod(0o755)
    try:
        script = f"import socket; socket.socket(socket.AF_UNIX).connect({str(path)!r})"
        result = subprocess.run([ORDINARY_PYTHON, "-c", script], capture_output=True, text=True, cwd="/", **AS_ORDINARY)
        assert "PermissionError" in result.stderr
    finally:
        for folder in (path.parent, path.parent.parent):
            folder.chmod(0o700)


@needs_root
def test_another_user_with_a_socket_handed_over_is_a_stranger(app):
    """Past the file's mode, the peer's uid still decides."""
    path = socket_of(app)
    path.chmod(0o666)
    for folder in (path.parent, path.parent.parent):
        folder.chmod(0o755)
    try:
        result = subprocess.run(
            [ORDINARY_PYTHON, "-c", ASKER, "status", "quit", "begin"], capture_output=True, text=True, cwd="/",
            env={"SOCKET": str(path)}, **AS_ORDINARY)
        assert [Line(line)["code"] for line in result.stdout.splitlines()] == ["forbidden"] * 3, result.stderr
    finally:
        for folder in (path.parent, path.parent.parent):
            folder.chmod(0o700)


def asker(sandbox, prefix, verbs, target=None, options=()):
    """An app in which the shell words `prefix` run the asker; then it sleeps."""
    environment = dict(sandbox.environment, ASKER=ASKER)
    if target:
        environment["SOCKET"] = str(socket_of(target))
    setup = "" if target else 'export SOCKET="$CURFEW_SOCKET"; '
    return sandbox.shell(
        f'{setup}{prefix} {sys.executable} -c "$ASKER" {verbs}; sleep 300', env=environment, options=options)


@pytest.mark.parametrize("prefix", ["", "setsid", 'env -i SOCKET="$SOCKET"'])
def test_a_process_inside_drives_nothing(sandbox, containment, prefix):
    """home, open and quit are forbidden to the app itself, however far it has gone; begin is its right."""
    running = asker(sandbox, prefix, "home open quit begin", options=["--containment", containment])
    answers = [Line(running.read_line()) for _ in range(4)]
    assert [answer.get("code") for answer in answers] == ["forbidden"] * 3 + [None]
    assert answers[3]["task"] == "1"
    assert running.status()["state"] == "active"


def test_a_daemon_inside_drives_nothing(sandbox, containment):
    """Double-forked, its environment emptied, its parents dead: it still counts as the app's."""
    out = sandbox.scratch / "answers"
    script = (
        'export SOCKET="$CURFEW_SOCKET"; (setsid sh -c \'env -i SOCKET="$SOCKET" '
        f'{sys.executable} -c "$ASKER" home quit begin >{out}.new 2>&1; mv {out}.new {out}\' &) ; sleep 300 & echo up; wait')
    running = sandbox.shell(script, env=dict(sandbox.environment, ASKER=ASKER), options=["--containment", containment])
    running.expect("up")
    wait_for("the answers", out.exists)
    answers = [Line(line) for line in out.read_text().splitlines()]
    assert [answer.get("code") for answer in answers] == ["forbidden", "forbidden", None], answers


def test_a_process_inside_another_app_is_refused(sandbox, containment):
    """It speaks for its own app only, and never gets operator rights."""
    target = sandbox.shell("sleep 300 & echo up; wait", options=["--containment", containment])
    target.expect("up")
    other = asker(sandbox, "", "quit home begin status", target, options=["--containment", containment])
    assert [Line(other.read_line())["code"] for _ in range(4)] == ["forbidden"] * 4
    assert target.status()["state"] == "active"


def test_an_operator_cannot_speak_for_the_app(app):
    """hello, begin, end, ack and remaining are the app's own."""
    with Client(socket_of(app)) as client:
        for verb in ["hello version=1", "begin name=x", "end task=1", "ack seq=1", "remaining"]:
            assert client.ask(verb)["code"] == "forbidden", verb


def test_a_cgroup_called_like_ours_is_no_app(sandbox, app):
    """A process in `curfew.service` is an operator, and a start's sweep leaves it alone."""
    from conftest import cgroup2_directory

    own = cgroup2_directory()
    if own is None or not os.access(own, os.W_OK):
        pytest.skip("no cgroup v2 directory to write in")
    decoy = own / f"curfew.{sandbox.marker}-service"
    decoy.mkdir()
    process = None
    try:
        script = f'echo $$ >{decoy}/cgroup.procs; echo in; read x; exec {sys.executable} -c "$ASKER" status home'
        environment = dict(os.environ, ASKER=ASKER, SOCKET=str(socket_of(app)))
        process = subprocess.Popen(
            ["sh", "-c", script], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"in\n"
        assert sandbox.curfew("run", "--containment=cgroup2", "--", "true").returncode == 0
        assert process.poll() is None
        out, _ = process.communicate(b"\n", timeout=LIMIT)
        assert [Line(line).verb for line in out.decode().splitlines()] == ["ok", "ok"]
    finally:
        if process and process.poll() is None:
            process.kill()
            process.wait()
        wait_for("the cgroup to be empty", lambda: not (decoy / "cgroup.procs").read_text())
        decoy.rmdir()


# Identity on the inherited pipe


def test_each_message_on_the_pipe_has_its_own_sender(sandbox):
    """A child that begins a task on the inherited pipe owns it: the task goes when the child does."""
    child = (
        "import os, sys\n"
        "fd = int(os.environ['CURFEW_FD'])\n"
        "os.write(fd, b'begin id=c name=childs\\n'); print(os.read(fd, 200).decode(), end='', flush=True)\n"
        "sys.stdin.readline()\n")
    parent = (
        "import os, subprocess, sys\n"
        "fd = int(os.environ['CURFEW_FD'])\n"
        "os.write(fd, b'begin id=p name=parents\\n'); print(os.read(fd, 200).decode(), end='', flush=True)\n"
        "subprocess.run([sys.executable, '-c', os.environ['CHILD']], pass_fds=[fd])\n"
        "print('gone', flush=True); sys.stdin.readline()\n")
    running = sandbox.start(
        sys.executable, "-c", parent, stdin=subprocess.PIPE, env=dict(sandbox.environment, CHILD=child))
    assert running.read_line() == "ok id=p task=1 remaining=inf"
    assert running.read_line() == "ok id=c task=2 remaining=inf"
    assert [task["name"] for task in running.status()["tasks"]] == ["parents", "childs"]
    tell(running, "\n")
    running.expect("gone")
    running.wait_told("the child's task to go", lambda: [t["name"] for t in running.status()["tasks"]] == ["parents"])


def test_an_owner_outside_the_app_is_refused(relay):
    """A task can't be hung on a process of somebody else's."""
    tell(relay, f"begin id=1 name=x owner={os.getpid()}\n")
    assert Line(relay.read_line())["code"] == "invalid"
    tell(relay, "begin id=2 name=x owner=1\n")
    assert Line(relay.read_line())["code"] == "invalid"


def test_unknown_acknowledgements_and_tasks_are_ignored_and_logged(relay):
    """ack of an unknown seq and end of an unknown task change nothing."""
    tell(relay, "ack id=1 seq=4711\nend id=2 task=4711\nack id=3\nend id=4 task=x\n")
    assert relay.read_line() == "ok id=1"
    assert relay.read_line() == "ok id=2 ignored=unknown-task"
    assert [Line(relay.read_line())["code"] for _ in range(2)] == ["invalid", "invalid"]
    log = relay.sandbox.curfew("events", relay.name).stdout
    assert "unknownAcknowledgement" in log and "unknownTaskEnded" in log


def test_too_many_tasks_end_the_app(relay):
    """The 1,001st open task is `too-many-tasks`."""
    tell(relay, "".join(f"begin id={number} name=t\n" for number in range(1001)))
    status, _, err = relay.finish()
    assert (status, "too-many-tasks (0xd00d2bad)" in err) == (137, True), err


# Names


def test_of_two_that_start_at_once_one_has_the_name(sandbox):
    """Twenty races for a name: each time exactly one wins, and the other says so with 64."""
    for turn in range(20):
        racers = [sandbox.shell("read go", name=f"race{turn}", stdin=subprocess.PIPE) for _ in range(2)]
        wait_for("one to be refused", lambda racers=racers: any(racer.process.poll() is not None for racer in racers))
        assert sorted(racer.finish()[0] for racer in racers) == [1, 64]


def test_ten_unnamed_at_once_all_get_a_name(sandbox):
    """An unnamed app takes its command's name, or that and its pid."""
    processes = [
        subprocess.Popen([binary(), "run", "--", "sleep", "300"], env=sandbox.environment) for _ in range(10)]
    wait_for("all to be listed", lambda: sandbox.curfew("ps").stdout.count("sleep 300") == 10)
    for process in processes:
        process.terminate()
    assert [process.wait(LIMIT) for process in processes] == [128 + signal.SIGTERM] * 10
