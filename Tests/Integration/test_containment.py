"""What holds an app's tree: nothing outlives it, and nothing runs on while it is suspended."""

import contextlib
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import time

import pytest

from conftest import LIMIT, binary, mounted_cgroups, state_letter, thread_letters, wait_for
from programs.helpers import (
    AS_ORDINARY, ORDINARY, Alive, Arena, Client, assert_all_stopped, cpu_ticks, needs_root, not_stopped, program,
    remove_programs, socket_of, tree)

VICTIMS = [
    "ignore-term", "ignore-all", "stopped", "own-group", "own-session", "daemon", "bare-daemon", "comet",
    "setsid-comet", "vfork", "subreaper", "bomb", "threads", "many",
]

# A time limit that is over when the test says so: once the victim is in place.
LIMITED = ["--manual-clock", "--time-limit", "1m"]


@pytest.fixture(scope="module", autouse=True)
def programs():
    yield
    remove_programs()


@pytest.fixture
def alive():
    pipe = Alive()
    yield pipe
    pipe.close()


@pytest.fixture
def arena(tmp_path):
    # Below /tmp itself: an ordinary user can't enter pytest's directory.
    path = pathlib.Path(f"/tmp/cf-arena-{os.getpid()}-{time.monotonic_ns()}")
    yield Arena(path)
    path.unlink()


def hold(sandbox, alive, arena, mode, *arguments, options=(), as_user=None):
    """Starts the holder in `mode` and returns once its victim is in place."""
    environment = dict(sandbox.environment, ARENA=str(arena.path), UNIFIED=unified_mount())
    extra = {}
    if as_user:
        os.chown(sandbox.runtime, ORDINARY, ORDINARY)
        extra = dict(as_user, cwd="/")
    running = sandbox.start(
        program("holder"), mode, *arguments, options=options, env=environment, **alive.options(), **extra)
    alive.started()
    running.expect("up")
    return running


def unified_mount():
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, tail = line.partition(" - ")
        if tail.startswith("cgroup2 "):
            return fields.split()[4]
    return ""


def let_time_be_over(sandbox, running, **who):
    assert sandbox.curfew("advance", running.name, "1m", **who).returncode == 0


def wait_stopped(running):
    """Home has returned; whom the kernel hadn't stopped in 200 ms, for want of a processor, is soon."""
    if "stillRunning" in running.sandbox.curfew("events", running.name).stdout:
        wait_for("the rest to be stopped", lambda: "notStopped" not in running.status())


def assert_all_dead(alive):
    """Everything that ever held the pipe is dead by the time `curfew run` has ended."""
    assert alive.is_over(LIMIT), "something outlived its app"


# Survivors


@pytest.mark.parametrize("mode", VICTIMS)
def test_a_time_limit_leaves_nothing_of(sandbox, containment, alive, arena, mode):
    """Whatever a process does to be missed by a kill, its app's time limit ends it."""
    running = hold(sandbox, alive, arena, mode, options=["--containment", containment, *LIMITED])
    let_time_be_over(sandbox, running)
    status, _, err = running.finish()
    assert (status, "time-limit" in err) == (124, True), err
    assert_all_dead(alive)


@pytest.mark.parametrize("mode", VICTIMS)
def test_the_leaders_exit_leaves_nothing_of(sandbox, containment, alive, arena, mode):
    """What the command leaves behind is killed when it exits, and its own status is passed on."""
    if mode.startswith("ignore"):
        pytest.skip("it is the leader itself that ignores; the others are left behind")
    # Whoever hasn't died of SIGTERM by then is killed; which of the two it was is nothing to the status.
    running = hold(sandbox, alive, arena, mode, "leave", options=["--containment", containment, "--terminate-limit", "1"])
    assert running.finish()[0] == 5
    assert_all_dead(alive)


@pytest.mark.parametrize("mode", VICTIMS)
def test_quit_leaves_nothing_of(sandbox, containment, alive, arena, mode):
    """SIGTERM, its limit, SIGKILL: 143 if SIGTERM ended the leader, else 124 and the watchdog's name."""
    running = hold(
        sandbox, alive, arena, mode, options=["--containment", containment, "--manual-clock", "--terminate-limit", "30"])
    leader = os.pidfd_open(running.status()["pid"])
    try:
        with Client(socket_of(running)) as operator:
            assert operator.ask("quit").verb == "ok"
            # Its limit isn't over before it has died of the signal, however late it gets a processor.
            if not mode.startswith("ignore"):
                assert select.select([leader], [], [], LIMIT)[0], "the leader lives on"
            # For who is left, and there may be nobody. The holder is at work every 20 ms.
            with contextlib.suppress(BrokenPipeError):
                operator.ask("advance seconds=60 settle=0.005")
    finally:
        os.close(leader)
    status, _, err = running.finish()
    if mode.startswith("ignore"):
        assert (status, "process-exit-watchdog" in err) == (124, True), err
    else:
        assert status == 143
        assert not err or "killed what it left behind, which hadn't ended 30 s after SIGTERM" in err
    assert_all_dead(alive)


@pytest.mark.parametrize("mode", ["ignore-all", "stopped", "bare-daemon", "comet", "vfork", "subreaper", "many"])
def test_a_spent_budget_leaves_nothing_of(sandbox, containment, alive, arena, mode):
    """A task still open at the budget's end is the end of the whole tree."""
    running = hold(
        sandbox, alive, arena, mode,
        options=["--containment", containment, "--manual-clock", "--budget", "30", "--expiration-lead", "0"])
    begin_from_inside(sandbox, running)
    sandbox.curfew("home", running.name)
    let_time_be_over(sandbox, running)
    status, _, err = running.finish()
    assert (status, "background-task-timeout (0x2182bad2)" in err) == (124, True), err
    assert_all_dead(alive)


def begin_from_inside(sandbox, running):
    """Begins a task on the app's own control pipe, as one of its processes would."""
    leader = running.status()["pid"]
    # The pipe's other end can be had from the leader's descriptors only by a process that is of its tree, so the
    # message is written to a duplicate of it; what it says is the app's all the same.
    fd = os.pidfd_open(leader)
    try:
        pipe = pidfd_getfd(fd, channel_number(leader))
        os.write(pipe, b"begin name=upload owner=leader\n")
        os.close(pipe)
    finally:
        os.close(fd)
    running.wait_told("the task", lambda: running.status()["openTasks"] == 1)


def channel_number(pid):
    environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return int(next(entry.partition(b"=")[2] for entry in environment if entry.startswith(b"CURFEW_FD=")))


def pidfd_getfd(pidfd, number):
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(438, pidfd, number, 0)
    if result < 0:
        pytest.skip(f"pidfd_getfd isn't possible here: {os.strerror(ctypes.get_errno())}")
    return result


@pytest.mark.parametrize("mode", ["stopped", "bare-daemon", "comet", "vfork", "subreaper", "many", "deep", "threads"])
def test_quit_while_suspended_leaves_nothing_of(sandbox, containment, alive, arena, mode):
    """A suspended app is killed without being asked: 137."""
    running = hold(sandbox, alive, arena, mode, options=["--containment", containment])
    sandbox.curfew("home", running.name)
    running.wait_state("suspended")
    sandbox.curfew("quit", running.name)
    status, _, err = running.finish()
    assert (status, "it was quit while suspended" in err) == (137, True), err
    assert_all_dead(alive)


@needs_root
@pytest.mark.parametrize("end", ["time-limit", "leave", "quit-suspended", "supervisor-killed", "proxy-killed"])
def test_cgroups_made_below_are_no_way_out(sandbox, alive, arena, end):
    """A process that makes cgroups inside its own and moves into them is held, stopped and removed with them."""
    options = ["--containment=cgroup2"] + (LIMITED if end == "time-limit" else [])
    running = hold(sandbox, alive, arena, "hop", *(["leave"] if end == "leave" else []), options=options)
    if end == "time-limit":
        let_time_be_over(sandbox, running)
    if end == "quit-suspended":
        supervisor = running.status()["supervisor"]
        sandbox.curfew("home", running.name)
        assert_all_stopped(running, tree(supervisor))
        sandbox.curfew("quit", running.name)
    if end == "supervisor-killed":
        os.kill(running.status()["supervisor"], signal.SIGKILL)
    if end == "proxy-killed":
        running.process.kill()
    running.finish()
    assert alive.is_over(LIMIT)
    wait_for("its cgroups to be removed", lambda: not sandbox.cgroups())


@needs_root
@pytest.mark.parametrize("mode", VICTIMS)
def test_an_ordinary_user_leaves_nothing_of(sandbox, alive, arena, mode):
    """Without any cgroup to be had, the tree alone holds; the setsid comet is tried hard and ends as well."""
    running = hold(sandbox, alive, arena, mode, options=LIMITED, as_user=AS_ORDINARY)
    let_time_be_over(sandbox, running, cwd="/", **AS_ORDINARY)
    status, _, err = running.finish()
    assert (status, "time-limit" in err) == (124, True), err
    assert_all_dead(alive)


@needs_root
@pytest.mark.parametrize("end", ["quit", "time-limit", "quit-suspended"])
def test_a_pid_namespace_inside_is_no_way_out(sandbox, containment, alive, end):
    """An app may make a PID namespace with an init of its own; it is held, stopped and killed as the rest."""
    options = ["--containment", containment] + (LIMITED if end == "time-limit" else [])
    running = sandbox.start(
        "unshare", "-pf", "sh", "-c", "setsid sleep 60 & sleep 60 & echo up; wait", options=options, **alive.options())
    alive.started()
    running.expect("up")
    if end == "quit-suspended":
        sandbox.curfew("home", running.name)
        assert_all_stopped(running, tree(running.status()["supervisor"]))
    if end == "time-limit":
        let_time_be_over(sandbox, running)
    else:
        sandbox.curfew("quit", running.name)
    running.finish()
    assert_all_dead(alive)


@pytest.mark.parametrize("inner", ["cgroup2", "cgroup1", "tree"])
@pytest.mark.parametrize("end", ["quit", "supervisor-killed", "proxy-killed", "inner-supervisor-killed"])
def test_curfew_inside_curfew(sandbox, containment, alive, inner, end):
    """One app is another supervisor and its app: home stops both, open continues both, each end ends both."""
    tried = sandbox.curfew("run", "--containment", inner, "--", "true")
    if tried.returncode == 125:
        pytest.skip(f"{inner} can't be had here: {tried.stderr.strip()}")
    name = "inner" + sandbox.marker[:8]
    running = sandbox.start(
        binary(), "run", "--name", name, "--containment", inner, "--", "sh", "-c",
        "setsid sleep 60 & sleep 60 & echo up; wait", options=["--containment", containment], **alive.options())
    alive.started()
    running.expect("up")
    supervisor = running.status()["supervisor"]
    sandbox.curfew("home", running.name)
    held = tree(supervisor)
    assert len(held) == 5
    assert_all_stopped(running, held)
    sandbox.curfew("open", running.name)
    assert json.loads(sandbox.curfew("status", name, "--json").stdout)["state"] == "active"
    if end == "quit":
        sandbox.curfew("quit", running.name)
    elif end == "inner-supervisor-killed":
        os.kill(json.loads(sandbox.curfew("status", name, "--json").stdout)["supervisor"], signal.SIGKILL)
    else:
        os.kill(supervisor if end == "supervisor-killed" else running.pid, signal.SIGKILL)
    status, _, err = running.finish()
    assert status in (143, 125, -signal.SIGKILL), err
    assert alive.is_over(LIMIT)
    # Both its halves were killed at once; what they have left is the next start's to sweep.
    (sandbox.runtime / "curfew" / f"{name}.sock").unlink(missing_ok=True)
    for mount in mounted_cgroups():
        for left in mount.glob(f"curfew.{name}.*"):
            left.rmdir()


# Suspension


@pytest.mark.parametrize("method", ["both", "sigstop"])
@pytest.mark.parametrize("mode", ["threads", "deep", "many", "bare-daemon", "subreaper"])
def test_home_stops_every_thread_of_every_process(sandbox, containment, alive, arena, mode, method):
    """When `curfew home` returns all are `T`; `curfew open` continues all."""
    running = hold(sandbox, alive, arena, mode, options=["--containment", containment, "--suspend", method])
    supervisor = running.status()["supervisor"]
    home = sandbox.curfew("home", running.name, "--json")
    assert home.stdout.split() == ["{", '"state":', '"suspended"', "}"], home.stdout + home.stderr
    held = tree(supervisor)
    assert len(held) >= {"threads": 2, "deep": 41, "many": 202, "bare-daemon": 2, "subreaper": 3}[mode]
    assert_all_stopped(running, held)
    sandbox.curfew("open", running.name)
    wait_for("all to run", lambda: all("T" not in thread_letters(pid) for pid in held))


def test_home_by_the_freezer_alone(sandbox, containment, alive, arena):
    """With --suspend=freezer nothing runs although `ps` shows no `T`, and the status names nobody as running."""
    if containment == "tree":
        pytest.skip("a tree has no freezer")
    running = hold(sandbox, alive, arena, "churn", options=["--containment", containment, "--suspend=freezer"])
    sandbox.curfew("home", running.name)
    wait_stopped(running)
    before = arena.steps
    status = running.status()
    assert status["state"] == "suspended"
    assert "notStopped" not in status, status["notStopped"]
    assert all(letter not in "RT" for pid in tree(status["supervisor"]) for letter in thread_letters(pid))
    assert arena.steps == before
    sandbox.curfew("open", running.name)
    wait_for("it to go on", lambda: arena.steps > before)


@pytest.mark.parametrize("mode", ["comet", "setsid-comet", "churn"])
@pytest.mark.parametrize("method", ["both", "sigstop", "freezer"])
def test_a_comet_is_held_while_suspended(sandbox, containment, alive, arena, mode, method):
    """A process that forks and exits for ever makes no step once home is confirmed, and goes on when opened."""
    if mode == "setsid-comet" and (containment == "tree" or method == "sigstop"):
        pytest.skip("without a freezer a comet in a group of its own hops out of a walk, as the design says")
    if containment == "tree" and method == "freezer":
        pytest.skip("a tree has no freezer")
    running = hold(sandbox, alive, arena, mode, options=["--containment", containment, "--suspend", method])
    for homes in range(1, 6):
        wait_for("it to run", lambda steps=arena.steps: arena.steps > steps + 20)
        result = sandbox.curfew("home", running.name)
        assert result.returncode == 0
        assert running.status()["state"] == "suspended"
        # Where the machine has no processor for it in 200 ms it counts as suspended, and is confirmed once it has one.
        wait_for("all of it to be stopped", lambda count=homes: confirmations(running) == count)
        assert_holds_still(running, arena, method)
        sandbox.curfew("open", running.name)


def confirmations(running):
    """How often its core was told that all of it has stopped."""
    journal = (running.sandbox.scratch / f"{running.name}.journal").read_text()
    # A line may be half written.
    return len(re.findall(r"^input .*name=suspensionConfirmed .*\n", journal, re.M))


def assert_holds_still(running, arena, method):
    held = tree(running.status()["supervisor"])
    assert held
    if method != "freezer":
        assert not_stopped(held) == {}
    before = arena.steps
    ticks = {pid: cpu_ticks(pid) for pid in held}
    time.sleep(0.03)  # a while
    assert arena.steps == before
    assert ticks == {pid: cpu_ticks(pid) for pid in held}


def test_what_was_stopped_before_stays_stopped(sandbox, containment):
    """A child that somebody stopped isn't resumed by open."""
    running = sandbox.shell(
        "sleep 300 & echo $!; sleep 300 & echo $!; wait", options=["--containment", containment])
    stopped, running_one = int(running.read_line()), int(running.read_line())
    os.kill(stopped, signal.SIGSTOP)
    wait_for("the stop", lambda: state_letter(stopped) == "T")
    for _ in range(3):
        sandbox.curfew("home", running.name)
        assert_all_stopped(running, [stopped, running_one])
        sandbox.curfew("open", running.name)
        wait_for("the other to run", lambda: state_letter(running_one) == "S")
        assert state_letter(stopped) == "T"


def test_a_task_begun_at_the_door_resumes_nobody_elses_stop(sandbox, containment):
    """Continuing an app that was never suspended leaves a stopped child alone."""
    running = sandbox.shell(
        "sleep 300 & echo $!; trap : CONT; echo ready; while :; do wait; done",
        options=["--containment", containment, "--grace", "30"])
    stopped = int(running.read_line())
    running.expect("ready")
    os.kill(stopped, signal.SIGSTOP)
    wait_for("the stop", lambda: state_letter(stopped) == "T")
    sandbox.curfew("home", running.name)
    sandbox.curfew("open", running.name)
    assert state_letter(stopped) == "T"


def test_a_vfork_parent_is_named_and_home_returns(sandbox, containment, alive, arena):
    """A process in vfork never shows `T`: home returns all the same, and the status says who is pending and why."""
    running = hold(sandbox, alive, arena, "vfork", options=["--containment", containment])
    assert sandbox.curfew("home", running.name).returncode == 0
    status = running.status()
    assert status["state"] == "suspended"
    assert "holder (pid " in status["notStopped"] and "uninterruptible" in status["notStopped"]
    assert "not stopped" in running.status_text()
    sandbox.curfew("open", running.name)
    wait_for("it to run", lambda: "T" not in [state_letter(pid) for pid in tree(status["supervisor"])])


def test_a_pipeline_inside_is_stopped_and_goes_on(sandbox, containment):
    """A bash pipeline loses nothing across ten homes and opens."""
    script = "for i in $(seq 20000); do echo $i; done | while read n; do echo $n; done | sha256sum"
    running = sandbox.start("bash", "-c", f"echo up; {script}", options=["--containment", containment])
    running.expect("up")
    supervisor = running.status()["supervisor"]
    for _ in range(10):
        if sandbox.curfew("home", running.name).returncode != 0:
            break
        # It may have come to its end meanwhile.
        if not (stopped := tree(supervisor)):
            break
        assert_all_stopped(running, stopped)
        sandbox.curfew("open", running.name)
    status, out, _ = running.finish()
    expected = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout
    assert (status, out) == (0, expected)


def test_an_interactive_bash_keeps_its_job(sandbox, containment):
    """A job-control shell inside isn't told that its job stopped: parents stop first and wake last."""
    running = sandbox.start(
        "bash", "-mc", "echo up; cat; echo $?; jobs", options=["--containment", containment], stdin=subprocess.PIPE)
    running.expect("up")
    wait_for("the job", lambda: len(tree(running.status()["supervisor"])) == 2)
    for _ in range(3):
        sandbox.curfew("home", running.name)
        sandbox.curfew("open", running.name)
    # Its input is at its end, and so is the job.
    assert running.finish()[:2] == (0, "0\n")


def test_quit_while_suspended_runs_no_trap(sandbox, containment):
    """SIGTERM is never sent to a stopped app: its trap doesn't run."""
    running = sandbox.shell(
        "trap 'echo trapped; exit 3' TERM; echo up; while :; do sleep 0.05; done",
        options=["--containment", containment])
    running.expect("up")
    sandbox.curfew("home", running.name)
    sandbox.curfew("quit", running.name)
    status, out, err = running.finish()
    assert (status, out) == (137, "")
    assert err == f"curfew: {running.name}: killed: user-quit (0xdeadfa11): it was quit while suspended\n"


def test_terminate_suspended_wake_runs_the_trap(sandbox, containment):
    """With --terminate-suspended=wake the app is continued for its SIGTERM, and its own status counts."""
    running = sandbox.shell(
        "trap 'echo trapped; exit 3' TERM; echo up; while :; do sleep 0.05; done",
        options=["--containment", containment, "--terminate-suspended=wake"])
    running.expect("up")
    sandbox.curfew("home", running.name)
    sandbox.curfew("quit", running.name)
    status, out, err = running.finish()
    # The whole tree gets SIGTERM, so dash may say that its `sleep` did.
    assert (status, out, err in ("", "Terminated\n")) == (3, "trapped\n", True), err


def test_home_and_open_in_a_tight_loop(sandbox, containment, alive, arena):
    """Fifty homes and opens in a row, of a tree whose children come and go, end where they should."""
    running = hold(sandbox, alive, arena, "churn", options=["--containment", containment])
    for _ in range(50):
        assert sandbox.curfew("home", running.name).returncode == 0
        assert_all_stopped(running, tree(running.status()["supervisor"]))
        assert sandbox.curfew("open", running.name).returncode == 0
    before = arena.steps
    wait_for("it to run on", lambda: arena.steps > before)


@needs_root
def test_read_only_cgroups_leave_the_process_tree(sandbox):
    """As containers have them; a folder beside the hierarchy's root isn't taken for a cgroup, where one can be made."""
    result = subprocess.run(
        ["unshare", "-m", "bash", "-c",
         "for mount in $(findmnt -rno TARGET -t cgroup,cgroup2); do mount -o remount,bind,ro $mount; done && "
         "exec curfew run --memory 1G --report /dev/stdout -- true"],
        env=sandbox.environment, capture_output=True, text=True, timeout=LIMIT)
    if "mount" in result.stderr or "unshare" in result.stderr:
        pytest.skip(f"no mounts of one's own here: {result.stderr.strip()}")
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout)["containment"] == "process tree (best effort)"
