"""Short of descriptors, by a low limit or by an app that takes all it can get: what is held stays held, and is killed."""

import contextlib
import os
import pathlib
import resource
import signal
import subprocess
import sys
import threading

import pytest

from conftest import LIMIT, binary, wait_for
from programs.helpers import Client, assert_all_stopped, flood, not_stopped, socket_of, tree

BEGINNER = pathlib.Path(__file__).parent / "programs/beginner.py"
# A child, a daemon of two processes, one that has left the session; none of them heeds SIGTERM.
FAMILY = "trap '' TERM; setsid sleep 300 & (setsid sh -c 'sleep 300 & sleep 300' &) ; sleep 300 & echo up; wait; sleep 300"


def limited(count, hard=None):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard or count))


def supervisor_of(running):
    return running.status()["supervisor"]


def gone(sandbox):
    wait_for("every process to be gone", lambda: not sandbox.processes() or None)


@pytest.mark.parametrize("limit", [12, 16, 64])
def test_all_are_killed(sandbox, containment, limit):
    """By an operator, who is known for one."""
    running = sandbox.shell(
        FAMILY, options=["--containment", containment, "--terminate-limit", "0.1"], preexec_fn=limited(limit))
    running.expect("up")
    assert running.status()["state"] == "active"
    result = sandbox.curfew("quit", running.name)
    assert result.returncode == 0, result.stderr
    status, _, err = running.finish()
    assert (status, "killed: process-exit-watchdog" in err) == (124, True), err
    assert not sandbox.processes()


def test_who_finds_no_room_is_told(sandbox, containment):
    """A channel that is closed without a word would mean that the app has ended."""
    running = sandbox.shell(FAMILY, options=["--containment", containment], preexec_fn=limited(12))
    running.expect("up")
    held = []
    while len(held) < 12:
        held.append(Client(socket_of(running)))
        # It may be closed by then.
        with contextlib.suppress(BrokenPipeError):
            held[-1].send("status id=1\n")
        answer = held[-1].line()
        if answer.verb == "error":
            break
    assert (answer.verb, answer["code"]) == ("error", "busy")
    for verb in ("status", "quit"):
        result = sandbox.curfew(verb, running.name)
        assert result.returncode == 75
        assert "refused (busy): too many connections are open; try again later" in result.stderr
    for client in held:
        client.close()
    assert running.status()["state"] == "active"
    assert sandbox.curfew("quit", running.name).returncode == 0
    gone(sandbox)


@pytest.mark.parametrize("verb", ["run", "timeout"])
@pytest.mark.parametrize("limit", [12, 64])
def test_time_is_limited(sandbox, containment, limit, verb):
    """Also where no timer can be had."""
    options = ["--containment", containment]
    # The shell may not have come to its trap by then; this signal ends nobody.
    options += ["--time-limit", "0.3"] if verb == "run" else ["-s", "WINCH", "-k", "0.1", "0.3"]
    result = sandbox.curfew(verb, *options, "sh", "-c", FAMILY, preexec_fn=limited(limit))
    assert result.returncode == (124 if verb == "run" else -signal.SIGKILL), result.stderr
    gone(sandbox)


def test_a_limit_holds_where_no_timer_can_be_had_and_there_is_always_something_to_read(sandbox):
    """What is due is heeded whatever comes: empty lines, to which nothing is answered, or the supervisor's own waker."""
    running = sandbox.shell(FAMILY, options=["--terminate-limit", "0.1"], preexec_fn=limited(16))
    running.expect("up")
    over = threading.Event()
    senders = [threading.Thread(target=flood, args=(socket_of(running), b"\n" * 4096, over)) for _ in range(2)]
    for sender in senders:
        sender.start()
    try:
        quitting = subprocess.Popen([binary(), "quit", running.name], env=sandbox.environment)
        status, _, err = running.finish()
        assert (status, "killed: process-exit-watchdog" in err, quitting.wait(LIMIT)) == (124, True, 0), err
    finally:
        over.set()
        for sender in senders:
            sender.join()


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return None


def test_it_is_suspended_and_opened(sandbox, containment):
    running = sandbox.shell(FAMILY, options=["--containment", containment], preexec_fn=limited(12))
    running.expect("up")
    supervisor = supervisor_of(running)
    # One that waits in vfork for a child that was stopped before its exec would never be seen stopped.
    wait_for("all of it to be there and executed", lambda: [*map(name_of, tree(supervisor))].count("sleep") == 4)
    pids = tree(supervisor)
    assert len(pids) == 6
    assert sandbox.curfew("home", running.name).returncode == 0
    assert running.status()["state"] == "suspended"
    assert_all_stopped(running, pids)
    assert sandbox.curfew("open", running.name).returncode == 0
    assert len(not_stopped(pids)) == len(pids)


def test_the_keeper_kills_all(sandbox, containment):
    """The proxy has the same limit."""
    running = sandbox.shell(FAMILY, options=["--containment", containment], preexec_fn=limited(12))
    running.expect("up")
    os.kill(supervisor_of(running), signal.SIGKILL)
    status, _, err = running.finish()
    assert (status, "supervisor-exit" in err) == (125, True), err
    assert not sandbox.processes()


@pytest.mark.parametrize("limit", [64, 1024])
def test_an_app_that_takes_all_it_can_get(sandbox, containment, limit):
    """A task from each of 270 processes: so many are watched as there is room for, and none escapes."""
    running = sandbox.start(
        sys.executable, BEGINNER, 270, options=["--containment", containment, "--terminate-limit", "0.1"],
        preexec_fn=limited(limit))
    answers = dict(pair.split("=") for pair in running.read_line(4 * LIMIT).split())
    running.expect("up")
    # The leader's child is one; what isn't watched is told so.
    assert set(answers) == {"ok", "too-many-owners"}
    assert int(answers["ok"]) == 256 if limit == 1024 else int(answers["ok"]) < limit
    assert len(sandbox.processes()) > 270
    assert running.status()["state"] == "active"
    result = sandbox.curfew("quit", running.name)
    assert result.returncode == 0, result.stderr
    assert running.wait() == 124
    assert not sandbox.processes()


def test_who_has_ended_his_task_takes_no_room(sandbox):
    """However many have begun one."""
    running = sandbox.start(sys.executable, BEGINNER, 270, "end", options=["--terminate-limit", "0.1"])
    assert running.read_line(4 * LIMIT) == "ok=270"


def test_the_supervisors_own_limit_is_raised(sandbox):
    """And nobody else's."""
    running = sandbox.shell("ulimit -Sn; ulimit -Hn; sleep 300 & echo up; wait", preexec_fn=limited(40, 400))
    assert running.expect("up") == ["40", "400", "up"]

    def own(pid):
        return resource.prlimit(pid, resource.RLIMIT_NOFILE)

    assert own(supervisor_of(running)) == (400, 400)
    assert own(running.pid) == (40, 400)


def test_an_app_that_takes_its_supervisors_descriptors_away_is_killed(sandbox):
    """By prlimit(2), which the same user may: what a kill of a cgroup v2 needs is open from the launch on."""
    probe = sandbox.curfew("run", "--containment=cgroup2", "--", "true")
    if probe.returncode == 125:
        pytest.skip(f"cgroup2 can't be had here: {probe.stderr.strip()}")
    script = (
        "import os, resource, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    time.sleep(300)\n"
        "print('up', flush=True)\n"
        "resource.prlimit(int(input()), resource.RLIMIT_NOFILE, (0, 0))\n"
        "print('taken', flush=True)\n"
        "time.sleep(300)\n")
    running = sandbox.start(
        sys.executable, "-uc", script, options=["--containment=cgroup2", "--manual-clock", "--time-limit", "6s"],
        stdin=subprocess.PIPE)
    running.expect("up")
    # Nobody can connect any more then.
    with Client(socket_of(running)) as operator:
        assert operator.ask("tasks").verb == "ok"
        running.process.stdin.write(f"{running.status()['supervisor']}\n".encode())
        running.process.stdin.flush()
        running.expect("taken")
        operator.send("advance seconds=10\n")
        assert running.wait() == 124
    wait_for("nothing to be left", lambda: not sandbox.processes())


def test_a_supervisor_that_had_none_left_listens_again(sandbox):
    """Its limit was lowered below what it has open: it raises it again, and looks at its socket after a second."""
    running = sandbox.shell("echo up; sleep 300")
    running.expect("up")
    supervisor = supervisor_of(running)
    _, hard = resource.prlimit(supervisor, resource.RLIMIT_NOFILE)
    resource.prlimit(supervisor, resource.RLIMIT_NOFILE, (3, hard))
    with Client(socket_of(running)) as waiting:
        assert waiting.ask("status id=1").verb == "ok"
