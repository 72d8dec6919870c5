"""A server with wrong manifests, apps that misbehave, clients that flood, and a machine that has nothing left: a clear line of each,
and the other apps don't notice."""

import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import sys
import threading
import time

import pytest

from conftest import SLEEP, fields_of, is_alive, trapping, wait_for
from programs.helpers import Client, fill_disk, flood, needs_root, program, remove_programs, resident_kib, small_disk


@pytest.fixture(scope="module", autouse=True)
def programs():
    yield
    remove_programs()


@pytest.fixture
def manifests(sandbox):
    """The folder of manifests of a server that is started afterwards."""
    folder = sandbox.scratch / "config" / "curfew" / "apps"
    folder.mkdir(parents=True, mode=0o700)
    sandbox.environment["XDG_CONFIG_HOME"] = str(sandbox.scratch / "config")
    return folder


class Others:
    """An app in front that behaves, and whoever asks about it meanwhile, one request after the other."""

    def __init__(self, server):
        self.server = server
        self.pid = server.launch("honest", *SLEEP)
        self.spans = []
        self.problems = []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.ask)

    def ask(self):
        try:
            with Client(self.server.socket) as client:
                while not self.is_over.wait(0.003):
                    began = time.monotonic()
                    answer = client.ask(f"status app=honest id={len(self.spans)}")
                    self.spans.append(time.monotonic() - began)
                    if not answer or answer.verb != "ok" or answer["pid"] != str(self.pid):
                        return self.problems.append(answer and answer.text or "closed")
        except OSError as error:
            self.problems.append(str(error))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, *_):
        self.is_over.set()
        self.thread.join()
        spans = sorted(self.spans) or [0]
        print(f"{len(spans)} requests: median {spans[len(spans) // 2] * 1e3:.2f} ms, longest {spans[-1] * 1e3:.2f} ms")
        if kind is None:
            # Each was answered in the end: how soon, in which turn, is told in process (ControlServerTests, AppsHostTests).
            assert not self.problems and self.spans
            assert (self.server.app("honest")["state"], is_alive(self.pid)) == ("active", True)


# MARK: Manifests


def test_wrong_manifests_of_each_kind(sandbox, manifests):
    """Each is told of by file and line, hides no other, and isn't launched."""
    wrong = {
        "type": (b'command = ["sleep", "1000"]\nmemory = true\n', ":2: memory: "),
        "unknown": (b'command = ["sleep", "1000"]\nbugdet = 1\n', ":2: bugdet: unknown key; did you mean budget?"),
        "value": (b'command = ["sleep", "1000"]\nrestart = "alwas"\n', ":2: restart: "),
        "empty": (b"", "command"),
        "broken": (b'command = ["sleep"\nbudget = \n', "isn't TOML"),
        "latin": (b'command = ["sleep", "\xe4"]\n', ":1: "),
        "nul": (b'command = ["sleep\\u0000"]\n', ":1: has a NUL"),
        "foreign": (b'command = ["sleep", "1000"]\njournal = "/tmp/x"\n', ":2: journal: isn't for a manifest"),
        "large": (b"#" * (4 << 20), ": "),
        "a b": (b'command = ["sleep", "1000"]\n', ": "),
    }
    for name, (text, _) in wrong.items():
        (manifests / f"{name}.toml").write_bytes(text)
    os.mkfifo(manifests / "pipe.toml")
    (manifests / "folder.toml").mkdir()
    (manifests / "lost.toml").symlink_to("nowhere")
    (manifests / "loop.toml").symlink_to("loop.toml")
    (manifests / "zero.toml").symlink_to("/dev/zero")
    for name in ["good", "well"]:
        (manifests / f"{name}.toml").write_text('command = ["sleep", "1000"]\nlaunch-at-start = true\nbackground-modes = ["continuous"]\n')
    server = sandbox.serve()
    lines = server.errors().splitlines()
    for name, (_, words) in wrong.items():
        told = [line for line in lines if f"/{name}.toml" in line]
        assert told and words in told[0], (name, lines)
    for name in ["pipe", "folder", "lost", "loop", "zero"]:
        assert [line for line in lines if f"/{name}.toml" in line], (name, lines)
        assert server.refused(f"launch app={name}", "invalid")
    assert sorted(app["name"] for app in server.apps()) == ["good", "well"]
    assert server.expect("reload")["problems"] == "15"


def test_five_thousand_manifests(sandbox, manifests):
    """Some of them wrong: they are read before the start, and again while an app is served."""
    for number in range(5000):
        (manifests / f"app{number}.toml").write_text(
            'command = ["sleep", "1000"]\n' + ("budgt = 1\n" if number % 500 == 7 else 'budget = "10m"\n'))
    began = time.monotonic()
    server = sandbox.serve()
    print(f"started with 5000 manifests after {time.monotonic() - began:.3f} s")
    assert server.errors().count("unknown key") == 10
    with Others(server):
        for age in [0, 60]:
            # What has just been written is parsed anew each time, and what is older only once.
            for path in manifests.iterdir():
                os.utime(path, times=(time.time() - age,) * 2)
            for _ in range(2):
                began = time.monotonic()
                assert server.expect("reload") | {"id": "1"} == {"id": "1", "apps": "4990", "problems": "10"}
                print(f"read again in {time.monotonic() - began:.3f} s")
        assert "budgt" in server.refused("launch app=app7", "invalid")
        server.expect("launch app=app4999 background=1")


def test_a_directory_that_others_can_write_to(sandbox, manifests):
    """Nothing in it is launched, until it is one's own."""
    (manifests / "web.toml").write_text('command = ["sleep", "1000"]\nlaunch-at-start = true\nbackground-modes = ["continuous"]\n')
    manifests.chmod(0o777)
    server = sandbox.serve()
    assert f"others can write to it (mode 0777), and could have any program started here; chmod go-w {manifests}" in server.errors()
    assert server.apps() == []
    server.refused("launch app=web", "no-app")
    server.launch("mine", *SLEEP)
    manifests.chmod(0o700)
    server.process.send_signal(signal.SIGHUP)
    wait_for("the manifest to be read", lambda: server.ask("launch app=web")[1].startswith("ok"))


def test_one_that_became_writable_runs_on_and_isnt_launched_again(sandbox, manifests):
    (manifests / "web.toml").write_text('command = ["sleep", "1000"]\n')
    server = sandbox.serve()
    pid = int(server.expect("launch app=web")["pid"])
    (manifests / "web.toml").chmod(0o666)
    server.expect("reload", problems=1)
    assert is_alive(pid)
    server.expect("quit app=web")
    server.wait_state("web", "notRunning")
    assert "others can write to it" in server.refused("open app=web", "invalid")


def test_a_command_that_is_gone(sandbox, manifests):
    tool = sandbox.scratch / "tool"
    shutil.copy("/bin/sleep", tool)
    (manifests / "web.toml").write_text(f'command = ["{tool}", "1000"]\nrestart = "always"\n')
    (manifests / "lost.toml").write_text('command = ["/nowhere/at/all"]\n')
    server = sandbox.serve()
    assert "/nowhere/at/all: No such file or directory" in server.refused("launch app=lost", "failed")
    assert server.app("lost") is None
    pid = int(server.expect("launch app=web")["pid"])
    tool.unlink()
    os.kill(pid, signal.SIGKILL)
    wait_for("that to be told", lambda: f"web: couldn't be launched again: {tool}: No such file or directory" in server.errors())
    assert server.app("web")["state"] == "notRunning"


def test_a_loop_of_restarts(sandbox, manifests):
    """Thirty that end at once, launched again and again with a growing pause: the app in front is served as ever."""
    for number in range(30):
        (manifests / f"loop{number}.toml").write_text(
            'command = ["false"]\nrestart = "on-failure"\nlaunch-at-start = true\nbackground-modes = ["continuous"]\n')
    server = sandbox.serve()
    with Others(server):
        stream = server.stream()
        sandbox.wait_for_event(stream, "all to be launched a second time", lambda: all(
            int(app["launches"]) >= 2 for app in server.apps() if app["name"] != "honest"))
        launches = [int(app["launches"]) for app in server.apps() if app["name"] != "honest"]
        assert len(launches) == 30
        pauses = [float(app["restart-in"]) for app in server.apps() if "restart-in" in app]
        assert max(pauses) > 1
        for number in range(30):
            server.expect(f"remove app=loop{number}")
    assert [app["name"] for app in server.apps()] == ["honest"]


def test_one_that_never_says_hello(sandbox, manifests):
    (manifests / "mute.toml").write_text('command = ["sleep", "1000"]\naware = true\nlaunch-limit = "100ms"\n')
    server = sandbox.serve()
    with Others(server):
        server.expect("launch app=mute background=1")
        server.wait_state("mute", "notRunning")
        app = server.app("mute")
        assert (app["ended"], app["status"]) == ("launch-watchdog", "124")
        wait_for("the line", lambda: "mute: killed: launch-watchdog" in server.errors())


# MARK: Apps


def many_launches(server, names, connections=8):
    """Asks for all of them at once, by several connections; the answers."""
    orders = [server.order("true", name=name) for name in names]
    answers = []
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(Client(server.socket)) for _ in range(connections)]
        for index, (name, order) in enumerate(zip(names, orders)):
            clients[index % connections].send(f"launch order={order} background=1 id={index}\n")
        for index in range(len(names)):
            answers.append(clients[index % connections].line())
    return answers


def test_a_thousand_launches_at_once(server):
    names = [f"app{number}" for number in range(1000)]
    with Others(server) as others:
        began = time.monotonic()
        answers = many_launches(server, names)
        print(f"{len(names) / (time.monotonic() - began):.0f} launches a second")
        assert [answer.text for answer in answers if answer is None or answer.verb != "ok"] == []
        stream = server.stream()
        server.sandbox.wait_for_event(stream, "all to have ended", lambda: server.expect("server")["running"] == "1")
        assert len(others.spans) > 3
    listed = server.apps()
    assert {app["name"] for app in listed} == {"honest", *names}
    assert {(app["ended"], app["status"]) for app in listed if app["name"] != "honest"} == {("exit", "0")}
    assert server.expect("quit-all")
    # Besides the server's own there is what shows notifications.
    own = sorted([server.pid, int(server.expect("server")["supervisor"])])

    def others_left():
        names = {}
        for pid in server.sandbox.left():
            with contextlib.suppress(OSError):
                names[pid] = pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
        return sorted(name for pid, name in names.items() if pid not in own)

    wait_for(f"the last reaper to end; left: {others_left()}", lambda: others_left() == ["curfew-notify"])


def test_a_fork_bomb(server, tmp_path):
    """It is bounded by itself, at 300 at once; whoever is launched beside it, asked and ended is as quick as ever."""
    environment = dict(server.sandbox.environment, ARENA=str(tmp_path / "arena"))
    with Others(server):
        server.launch("bomb", program("holder"), "bomb", request="background=1", environment=environment, options=["--grace", "1h"])
        server.wait_line("bomb", "up\n")
        wait_for("most of it", lambda: int(server.status("bomb")["processes"]) >= 250)
        server.launch("late", *SLEEP, request="background=1")
        server.expect("remove app=late")
        server.expect("remove app=bomb")
    assert server.sandbox.describe(server.sandbox.left()).count("holder") == 0


def test_a_launch_while_its_old_self_is_dying(server, tmp_path):
    script = trapping(f"echo dying; until [ -e {tmp_path}/over ]; do sleep 0.02; done; exit 0", "up")
    server.launch("web", "sh", "-c", script, options=["--terminate-limit", "10m"])
    server.wait_line("web", "up\n")
    server.expect("quit app=web")
    server.wait_line("web", "dying\n")
    assert "running" in server.refused("launch app=web", "running")
    server.refused(f"launch order={server.order(*SLEEP, name='web')}", "running")
    assert server.refused("open app=web", "terminating") == "the app is being ended"
    refused = server.sandbox.curfew("open", "web")
    assert (refused.returncode, refused.stderr) == (75, "curfew: open: web: refused (terminating): the app is being ended\n")
    # Nor does it come back to the front, once another has that.
    server.launch("other", *SLEEP)
    server.launch("third", *SLEEP)
    server.refused("open app=web", "terminating")
    server.expect("switch", app="other")
    (tmp_path / "over").touch()
    server.wait_state("web", "notRunning")
    assert (server.app("web")["ended"], server.app("web")["launches"]) == ("user-quit", "1")
    server.expect("open app=web", state="active")
    assert server.app("web")["launches"] == "2"


CLAIM = r"""
import os, socket, sys
folder = os.path.dirname(os.environ["CURFEW_SOCKET"])
def ask(path, request):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(os.path.join(folder, path))
        client.sendall(request.encode() + b" id=1\n")
        for line in client.makefile():
            if line.startswith(("ok", "error")):
                return line.strip()
        return "closed"
def all(who):
    print(who, "|", ask("victim.sock", "status"), flush=True)
    for request in ["status app=victim", "quit app=victim", "begin name=x app=victim", f"home app={sys.argv[1]}",
                    "hello version=1 app=victim", "ack seq=1 app=victim", "end task=1 app=victim", "open app=me"]:
        print(who, "|", request, "|", ask("server/home.sock", request), flush=True)
all("child")
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
name = os.environ["NOTIFY_SOCKET"]
notify.sendto(f"READY=1\nSTOPPING=1\nMAINPID={sys.argv[1]}\n".encode(), "\0" + name[1:] if name[0] == "@" else name)
sys.stdout.flush()
reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        # Not before its parent is gone.
        os.close(writer)
        os.read(reader, 1)
        all("orphan")
        print("end", flush=True)
    os._exit(0)
os.close(writer)
os.wait()
import signal
signal.pause()
"""


def test_processes_that_claim_to_be_anothers(server):
    """By the other's name, link and number, with a family that has left them, and by sd_notify: none is heard for it."""
    victim = server.launch("victim", *SLEEP)
    server.launch("me", sys.executable, "-c", CLAIM, victim, request="background=1", options=["--grace", "1h"])
    server.wait_line("me", "end\n")
    lines = [line.split(" | ") for line in server.log("me").splitlines() if " | " in line]
    assert len(lines) == 18
    for who, *request, answer in lines:
        if request:
            assert "code=forbidden" in answer, (who, request, answer)
        else:
            # Whose link it is doesn't say who asks.
            assert fields_of(answer).get("app") == "me" if who == "child" else not answer.startswith("ok") or "app=me " in answer, answer
    app = server.app("victim")
    assert (app["state"], app["pid"]) == ("active", str(victim))
    assert server.status("victim")["pid"] == str(victim)
    assert "task" not in " ".join(server.ask("tasks app=victim")[0])


# MARK: Clients


def test_clients_that_flood(server):
    """Each loses its channel, and memory stays."""
    supervisor = int(server.expect("server")["supervisor"])
    lines = [b"apps\n", b"status app=honest\n", b"launch app=none\n", b"history\n", b"x=1 \"\n", b"x" * 70000]
    over = threading.Event()
    before = resident_kib(supervisor)
    with Others(server) as others:
        senders = [threading.Thread(target=flood, args=(server.socket, line * max(1, 65536 // len(line)), over)) for line in lines]
        for sender in senders:
            sender.start()
        try:
            wait_for("the channels to be closed", lambda: not any(sender.is_alive() for sender in senders))
        finally:
            over.set()
            for sender in senders:
                sender.join()
        count = len(others.spans)
        wait_for("answers after that", lambda: len(others.spans) > count + 3)
    assert f"a client, process {os.getpid()}, was hung up on: " in server.errors()
    assert resident_kib(supervisor) < before + 20 * 1024


def test_a_client_that_never_reads(server):
    """Whoever follows events and takes none is dropped and told of; nobody waits for it."""
    supervisor = int(server.expect("server")["supervisor"])
    with Others(server), Client(server.socket) as follower, Client(server.socket) as operator:
        follower.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        follower.send("events follow=1\n")
        server.launch("moved", *SLEEP, request="background=1")

        def is_told():
            for _ in range(50):
                operator.send("warn app=honest\n")
                assert operator.line().verb == "ok"
            return f"a client, process {os.getpid()}, was hung up on: its client doesn't read" in server.errors()

        wait_for("it to be told of", is_told)
    assert resident_kib(supervisor) < 40 * 1024


# MARK: Nothing left


def test_out_of_descriptors(sandbox):
    """As many run as the limit allows, the next is refused by the limit's name, and there is room again once one has ended."""
    def limited():
        resource.setrlimit(resource.RLIMIT_NOFILE, (400, 400))

    server = sandbox.serve(preexec_fn=limited)
    most = int(server.expect("server")["maximum-apps"])
    with Others(server):
        first = server.launch("app0", *SLEEP, request="background=1")
        for number in range(1, most - 1):
            server.launch(f"app{number}", *SLEEP, request="background=1")
        message = server.refused(f"launch order={server.order(*SLEEP, name='more')} background=1", "limit")
        assert f"{most} apps run" in message and "ulimit -Hn" in message
        with contextlib.ExitStack() as stack:
            # Whoever takes connections besides can't have those that apps stand on.
            for _ in range(500):
                stack.enter_context(contextlib.closing(socket.socket(socket.AF_UNIX))).connect(str(server.socket))
            os.kill(first, signal.SIGKILL)
            wait_for("app0 to end", lambda: not is_alive(first))
        server.wait_state("app0", "notRunning")
        server.launch("more", *SLEEP, request="background=1")
    server.process.send_signal(signal.SIGTERM)
    assert server.wait() == 0


@needs_root
def test_out_of_processes(sandbox):
    """A bomb takes all that this user may have: no other app ends, the next launch is refused by the kernel's words, and there is room
    again once the bomb is gone."""
    # A uid of its own, for the limit counts all processes of a user, those in other rounds' namespaces too.
    own = 200_000 + os.stat("/proc/self/ns/pid").st_ino % 1_000_000
    for path in [sandbox.runtime, sandbox.scratch]:
        os.chown(path, own, own)
    state = pathlib.Path(f"/tmp/cf-state-{own}")
    state.mkdir(mode=0o700)
    os.chown(state, own, own)
    environment = dict(sandbox.environment, XDG_STATE_HOME=str(state), HOME=str(state), ARENA=str(state / "arena"))
    sandbox.state = state
    server = sandbox.serve(
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (40, 40)), user=own, group=own, extra_groups=[], cwd="/",
        env=environment)
    order = server.order

    def own_order(*words, **fields):
        file = order(*words, **fields)
        os.chown(server.folder / file, own, own)
        return file

    server.order = own_order

    def launch_next():
        return server.ask(f"launch order={server.order(*SLEEP, name=f'next{server.orders}')} background=1")[1]

    try:
        with Others(server):
            server.launch("bomb", program("holder"), "bomb", request="background=1", environment=environment, options=["--grace", "1h"])
            answer = wait_for("nothing to be left", lambda: (answer := launch_next()).startswith("error") and answer)
            assert "Resource temporarily unavailable" in answer and "code=limit" in answer and "RLIMIT_NPROC" in answer
            server.expect("remove app=bomb")
            assert launch_next().startswith("ok")
        server.process.send_signal(signal.SIGTERM)
        assert server.wait() == 0
    finally:
        shutil.rmtree(state)


def test_out_of_disk(sandbox):
    """What apps write, and what is known of them, has no room: they run on, it is said, and kept once there is some."""
    with small_disk(sandbox.state, 2 << 20):
        server = sandbox.serve("--log-size", "8M")
        filler = sandbox.state / "filler"
        with Others(server):
            server.launch("early", *SLEEP, request="background=1")
            server.ask("history")
            fill_disk(filler)
            server.launch("loud", "sh", "-c", "seq 100000; echo done >&2; exec sleep 1000", request="background=1", options=["--grace", "1h"])
            wait_for("it to be noticed", lambda: server.expect("server")["store"] != "ok")
            assert server.expect("server")["store"] == "full"
            told = "the disk is full; what is to outlive the server is in memory alone\n"
            assert f"  store         {told}" in sandbox.curfew("status", "loud").stdout
            assert json.loads(sandbox.curfew("status", "loud", "--json").stdout)["store"] == "full"
            assert sandbox.curfew("apps").stderr == f"curfew: apps: the server's store: {told}"
            assert "No space left" in server.errors() or "full" in server.errors()
            wait_for("that output is lost", lambda: "output" in server.expect("server"))
            server.expect("remove app=early")
            server.launch("late", *SLEEP, request="background=1")
            assert [app["name"] for app in server.apps()] == ["late", "loud", "honest"]
            filler.unlink()
            # Tried again by itself, at the latest when the server ends.
        server.process.send_signal(signal.SIGTERM)
        assert server.wait() == 0
        server = sandbox.serve()
        assert [app["name"] for app in server.apps()] == ["late", "loud", "honest"]
        server.process.send_signal(signal.SIGTERM)
        assert server.wait() == 0


EATER = "held = []\nwhile True: held.append(bytearray(b'x' * 1_000_000))"


def test_one_that_eats_memory(server):
    """Killed at its limit, and told of; the others keep theirs."""
    with Others(server):
        server.launch("eater", sys.executable, "-c", EATER, request="background=1", options=["--memory", "80M", "--grace", "1h"])
        server.wait_state("eater", "notRunning")
        assert (server.app("eater")["ended"], server.app("eater")["status"]) == ("memory-limit", "137")
        wait_for("the line", lambda: "eater: killed: memory-limit" in server.errors())
    lines, _ = server.ask("history app=eater")
    assert int(fields_of(lines[0])["memory-peak"]) > 50 << 20


FULL_PIPE = """
import os, sys
reader, writer = os.pipe()
os.set_inheritable(reader, True)
os.set_blocking(writer, False)
try:
    while True:
        os.write(writer, b"x" * 4096)
except BlockingIOError:
    pass
os.set_blocking(writer, True)
os.dup2(writer, 2)
os.execvp(sys.argv[1], sys.argv[1:])
"""


def test_whoever_reads_standard_error_no_more_holds_up_nobody(sandbox):
    """A pipe that is full: what is told at the start, and of a kill, waits."""
    server = sandbox.serve(wrapper=(sys.executable, "-c", FULL_PIPE))
    server.launch("mail", "sh", "-c", "trap '' TERM; echo up; sleep 300 & wait", options=["--terminate-limit", "0.1"])
    server.expect("quit app=mail")
    server.wait_state("mail", "notRunning")
    server.launch("mail", *SLEEP)
