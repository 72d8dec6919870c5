"""What ends an app: memory, the background budget, and transitions that nobody acknowledges."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

from conftest import LIMIT, Running, binary, state_letter, wait_for
from programs.driving import advance
from programs.helpers import (
    AS_ORDINARY, ORDINARY, PROGRAMS, Arena, Client, assert_all_stopped, needs_root, program, remove_programs, socket_of,
    tree)

MIB = 1 << 20


@pytest.fixture(scope="module", autouse=True)
def programs():
    yield
    remove_programs()


@pytest.fixture
def arena():
    path = pathlib.Path(f"/tmp/cf-arena-{os.getpid()}-{time.monotonic_ns()}")
    yield Arena(path)
    path.unlink()


def eat(sandbox, arena, *arguments, options=(), **popen):
    environment = dict(sandbox.environment, ARENA=str(arena.path))
    return sandbox.start(program("eater"), *arguments, options=options, env=environment, **popen)


# Memory


@pytest.mark.parametrize("who", ["self", "child"])
def test_memory_past_the_limit_is_137_and_one_line(sandbox, containment, arena, who):
    """Whoever of the tree allocates, all of it is killed, and one line names reason, footprint and limit."""
    running = eat(
        sandbox, arena, 4000, who, options=["--containment", containment, "--memory", "50M"], stdin=subprocess.PIPE)
    # As long as its input is open it doesn't end by itself.
    running.wait()
    status, out, err = running.finish()
    assert (status, out) == (137, ""), err
    assert re.fullmatch(
        rf"curfew: {running.name}: killed: memory-limit \(jetsam 7\): "
        r"its footprint reached [\d.]+ MiB; the limit is 50 MiB\n", err)


def past_the_limit(running, arena):
    """Lets one that waits for a line eat, and at its end wait for more, so that only a kill ends it; how far it got past
    its 100 MiB."""
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    running.wait()
    assert running.finish()[0] == 137
    return arena.touched - 100 * MIB


def assert_killed_at_first_sight(journal):
    """By its journal it was killed by the first look that found it above its 100 MiB; a busy machine may leave time for no other."""
    *before, last = map(int, re.findall(r"^input .*name=footprintMeasured .*bytes=(\d+)", journal.read_text(), re.M))
    assert max(before, default=0) <= 100 * MIB < last, (before, last)


def test_a_fast_allocator_is_caught(sandbox, containment, arena, capsys):
    """With a memory cgroup it never passes the limit; sampled, it is killed by the first look that finds it past it.

    How soon that look comes, MemoryTests and EngineResourceTests show by virtual time; when the machine lets the
    supervisor look is up to the machine.
    """
    running = eat(
        sandbox, arena, 4000, "self", "told", stdin=subprocess.PIPE,
        options=["--containment", containment, "--memory", "100M"])
    running.expect("up")
    is_sampled = "memory" not in running.status()["containment"]
    past = past_the_limit(running, arena)
    with capsys.disabled():
        print(f" [{containment}: {past / MIB:.1f} MiB past the limit]", end="")
    if is_sampled:
        assert_killed_at_first_sight(sandbox.scratch / f"{running.name}.journal")
    else:
        assert past <= 0


@needs_root
@pytest.mark.parametrize("kind", ["", "undumpable", "huge", "shared", "memfd"])
def test_sampled_memory_is_caught_however_it_is_held(sandbox, arena, kind, capsys):
    """An ordinary user's, without a cgroup; that it can pass its limit, doctor tells him."""
    os.chown(sandbox.runtime, ORDINARY, ORDINARY)
    told = json.loads(sandbox.curfew("doctor", "--json", **AS_ORDINARY, cwd="/").stdout)
    past = next(each["overshootBytes"] for each in told["findings"] if each["what"] == "memory-limit")
    assert past
    # Where he may write, too.
    journal = sandbox.runtime / "eater.journal"
    running = sandbox.start(
        program("eater"), 4000, "self", "told",
        options=["--containment", "tree", "--memory", "100M", "--journal", journal],
        env=dict(sandbox.environment, ARENA=str(arena.path), KIND=kind), stdin=subprocess.PIPE, cwd="/",
        **AS_ORDINARY)
    running.expect("up")
    gone_past = past_the_limit(running, arena)
    with capsys.disabled():
        print(f" [{kind or 'plain'}: {gone_past / MIB:.1f} MiB past the limit]", end="")
    assert_killed_at_first_sight(journal)


def test_a_file_in_memory_counts_once(sandbox):
    """Mapped and open it is the same memory; what was in it before isn't the app's, nor what it only reads."""
    script = """
import mmap, os
fd = os.memfd_create("x")
os.ftruncate(fd, 70 << 20)
with mmap.mmap(fd, 0) as map:
    for at in range(0, len(map), 4096): map[at] = 1
    print("up", flush=True)
    input()
"""
    shared = pathlib.Path("/dev/shm") / f"cf-{sandbox.marker}"
    try:
        shared.write_bytes(b"x" * (150 << 20))
        with open(shared, "ab") as errors, open(shared, "rb") as reader:
            running = Running(sandbox, subprocess.Popen(
                [binary(), "run", "--name", "mapper", "--containment", "tree", "--memory", "130M", "--",
                 sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                pass_fds=[reader.fileno()], env=sandbox.environment), "mapper")
            sandbox.running.append(running)
            running.expect("up")
            footprint = running.status()["footprint"]
            assert 70 * MIB <= footprint < 130 * MIB
            running.process.stdin.write(b"\n")
            running.process.stdin.flush()
            assert running.wait() == 0
    finally:
        shared.unlink()


def test_a_file_in_memory_counts_once_while_it_is_mapped_and_unmapped(sandbox):
    """At whatever moment it is looked at: what is gone from one place meanwhile isn't counted in both."""
    script = """
import mmap, os, sys
fd = os.memfd_create("x")
os.ftruncate(fd, 70 << 20)
with mmap.mmap(fd, 0) as map:
    for at in range(0, len(map), 4096): map[at] = 1
for _ in range(50):
    with mmap.mmap(fd, 0) as map:
        for at in range(0, len(map), 4096): map[at]
"""
    result = sandbox.curfew("run", "--containment", "tree", "--memory", "130M", "--", sys.executable, "-c", script)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("where", ["memfd_create('x')", "open('/dev/shm/cf-' + os.environ['CURFEW_TEST_MARKER'], 65)"])
def test_unmapped_files_in_memory_are_limited(sandbox, containment, where):
    """Slowly, between other things: what nobody has mapped is memory all the same."""
    script = f"""
import os, time
fd = os.{where}
for _ in range(2000):
    os.write(fd, bytes(1 << 20))
    time.sleep(0.001)  # a moment
"""
    try:
        running = sandbox.start(
            sys.executable, "-c", script, options=["--containment", containment, "--memory", "100M"])
        status, _, err = running.finish()
        assert (status, "memory-limit (jetsam 7)" in err) == (137, True), err
    finally:
        pathlib.Path(f"/dev/shm/cf-{sandbox.marker}").unlink(missing_ok=True)


def test_a_file_whose_server_never_answers_holds_up_nothing(sandbox):
    """To look at one can mean to wait for its server, a program of the app's for instance; what else it has is counted."""
    folder = sandbox.scratch / "mount"
    folder.mkdir()
    running = sandbox.start(
        sys.executable, PROGRAMS / "silent_fuse.py", folder, 40,
        options=["--containment", "tree", "--memory", "70M", "--manual-clock", "--time-limit", "3s"])
    said = running.read_line()
    if said.startswith("can't"):
        pytest.skip(f"no file system of a program can be mounted here: {said}")
    wait_for("its memfd to be counted", lambda: running.status()["footprint"] >= 40 * MIB)
    assert advance(running, "1m")["state"] == "notRunning"
    status, _, err = running.finish()
    assert (status, "killed: time-limit" in err) == (124, True), err


def test_swapped_memory_is_limited(sandbox, swap):
    """What is paged out isn't resident, and counts."""
    script = """
import mmap, signal
held = []
for _ in range(6):
    piece = mmap.mmap(-1, 10 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, len(piece), 4096): piece[at] = 1
    piece.madvise(21)
    held.append(piece)
signal.pause()
"""
    running = sandbox.start(
        sys.executable, "-c", script, options=["--containment", "tree", "--memory", "50M"])
    status, _, err = running.finish()
    assert (status, "memory-limit (jetsam 7)" in err) == (137, True), err


def test_shared_pages_count_once(sandbox, containment, arena):
    """Four children that look at their parent's 40 MiB are no 200 MiB."""
    options = ["--containment", containment, "--memory", "60M"]
    running = eat(sandbox, arena, 40, "share", 4, stdin=subprocess.PIPE, options=options)
    running.expect("up")
    status = running.status()
    assert (status["processes"], status["memoryLimit"]) == (5, 60 * MIB)
    assert 40 * MIB <= status["footprint"] < 60 * MIB
    running.process.stdin.close()
    running.process.stdin = None
    status, _, err = running.finish()
    assert (status, err) == (0, "")


def test_page_cache_is_no_footprint(sandbox, containment):
    """Writing and reading a file four times the limit is nobody's crime."""
    target = sandbox.scratch / "big"
    try:
        running = sandbox.shell(
            f"dd if=/dev/zero of={target} bs=1M count=200 2>/dev/null; cat {target} >/dev/null; echo done",
            options=["--containment", containment, "--memory", "50M"])
        assert running.finish() == (0, "done\n", "")
    finally:
        target.unlink(missing_ok=True)


def test_a_suspended_app_keeps_its_memory_and_its_limit(sandbox, containment, arena):
    """Home and open change nothing about the limit: it holds again once the app runs."""
    running = eat(
        sandbox, arena, 300, "self", "told", stdin=subprocess.PIPE,
        options=["--containment", containment, "--memory", "50M"])
    running.expect("up")
    sandbox.curfew("home", running.name)
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    assert running.status()["state"] == "suspended"
    assert arena.touched == 0
    sandbox.curfew("open", running.name)
    # As long as its input is open it doesn't end by itself.
    assert running.wait() == 137


@needs_root
def test_memory_for_an_ordinary_user_is_sampled(sandbox, arena):
    """Without a cgroup to be had the limit is still kept."""
    os.chown(sandbox.runtime, ORDINARY, ORDINARY)
    running = eat(sandbox, arena, 2000, "child", options=["--memory", "50M"], cwd="/", **AS_ORDINARY)
    status, _, err = running.finish()
    assert (status, "memory-limit (jetsam 7)" in err) == (137, True), err


# Background tasks over real processes


def test_a_task_keeps_it_running_and_its_end_suspends_it(sandbox, containment):
    """`curfew task begin`, home: it runs on; `curfew task end`: it is suspended."""
    running = sandbox.shell(
        # `read` and not `sleep`: dash starts programs by vfork, and stopped in there it would show no `T`.
        "n=$(curfew task begin upload); echo $n; read x; curfew task end $n; read y",
        stdin=subprocess.PIPE, options=["--containment", containment])
    assert running.read_line() == "1"
    home = sandbox.curfew("home", running.name, "--json")
    assert '"background"' in home.stdout
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    running.wait_state("suspended")
    assert_all_stopped(running, tree(running.status()["supervisor"]))


def test_a_task_not_ended_is_124_and_named(sandbox):
    """The budget's end kills the tree and names the task, its age, the budget and the code."""
    running = sandbox.shell(
        'curfew task begin "nightly upload"; sleep 60',
        options=["--manual-clock", "--budget", "0.6s", "--expiration-lead", "0.2s"])
    running.expect("1")
    sandbox.curfew("home", running.name)
    assert advance(running, "1m")["seconds"] == 0.4, "the warning"
    assert advance(running, "1m")["seconds"] == 0.2
    status, _, err = running.finish()
    assert status == 124
    assert re.fullmatch(
        rf"curfew: {running.name}: killed: background-task-timeout \(0x2182bad2\): "
        r'task 1 "nightly upload" \(begun 0\.6 s ago\) was still open '
        r"when the background budget of 0\.6 s was over\n", err), err


def test_time_scale_divides_the_budget(sandbox):
    """Ten minutes are half a second at --time-scale 1200."""
    running = sandbox.shell(
        "curfew task begin upload; sleep 60",
        options=["--budget", "10m", "--time-scale", "1200", "--background-cpu", "inf"])
    running.expect("1")
    sandbox.curfew("home", running.name)
    status, _, err = running.finish()
    assert (status, "the background budget of 0.5 s" in err) == (124, True), err


def test_task_run_gets_sigterm_at_expiration(sandbox, containment):
    """`curfew task run`: on expiration COMMAND gets SIGTERM, its task ends with it, and the app is suspended."""
    running = sandbox.shell(
        "echo up; curfew task run up -- sleep 60; echo $?; sleep 60",
        options=["--manual-clock", "--budget", "5", "--expiration-lead", "4.7", "--containment", containment])
    running.expect("up")
    running.wait_told("the task", lambda: running.status()["openTasks"] == 1)
    sandbox.curfew("home", running.name)
    assert advance(running, "1m")["seconds"] == 0.3
    running.wait_state("suspended")
    sandbox.curfew("open", running.name)
    assert running.read_line() == "143"


def test_a_task_after_expiration_is_refused(sandbox):
    """`begin` once the warning is out buys nothing: status 75, no task."""
    running = sandbox.shell(
        "curfew task begin one; read x; curfew task begin two; echo $?; sleep 60", stdin=subprocess.PIPE,
        options=["--manual-clock", "--budget", "8", "--expiration-lead", "7.8"])
    running.expect("1")
    sandbox.curfew("home", running.name)
    # Whoever has begun it may still be on its way out, and hear of it.
    assert [event["name"] for event in advance(running, "1m")["events"]][0] == "backgroundTasksWillExpire"
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    assert running.read_line() == "75"


def test_the_death_of_its_owner_releases_a_task(sandbox, containment):
    """A process that began a task on its own connection and dies without ending it holds nothing any more."""
    holder = (
        "import os, socket, sys\n"
        "s = socket.socket(socket.AF_UNIX); s.connect(os.environ['CURFEW_SOCKET'])\n"
        "s.sendall(b'begin name=held\\n'); print(s.recv(100).decode(), end='', flush=True)\n"
        "sys.stdin.readline(); os._exit(0)\n")
    running = sandbox.shell(
        f'{sys.executable} -c "$HOLDER"; echo gone; sleep 60', stdin=subprocess.PIPE,
        env=dict(sandbox.environment, HOLDER=holder), options=["--containment", containment])
    assert running.read_line() == "ok task=1 remaining=inf"
    sandbox.curfew("home", running.name)
    assert running.status()["state"] == "background"
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    running.wait_state("suspended")
    assert "taskDidRelease" in sandbox.curfew("events", running.name).stdout


def test_remaining_is_infinite_in_front(sandbox):
    """The clock runs in background only."""
    running = sandbox.shell(
        "curfew task begin x; curfew task remaining; read x; curfew task remaining; sleep 60",
        stdin=subprocess.PIPE, options=["--manual-clock", "--budget", "60"])
    running.expect("1")
    assert running.read_line() == "inf"
    advance(running, "20")
    sandbox.curfew("home", running.name)
    advance(running, "5")
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    assert running.read_line() == "55.000"


# Aware apps


def without_cpu_time(err):
    """A watchdog's line without what it says of the time meanwhile, which must be there."""
    cut, count = re.subn(r"; in [^:\n]+ it used [^:\n]+ of CPU time(: it was (waiting|computing))?\n$", "\n", err)
    assert count == 1, err
    return cut


def start_app(sandbox, mode, *options):
    running = sandbox.start(sys.executable, PROGRAMS / "app.py", mode, options=options)
    assert running.read_line().startswith("ok version=1 app=")
    return running


def test_an_aware_app_hears_its_life_in_order(sandbox, containment):
    """Launch, home, open, home, open, quit: each event once and in the order iOS gives them."""
    running = start_app(sandbox, "exit-quit", "--containment", containment)
    running.expect("event didBecomeActive")
    for _ in range(2):
        sandbox.curfew("home", running.name)
        running.wait_state("suspended")
        sandbox.curfew("open", running.name)
        seen = running.expect("event didBecomeActive")
        assert seen == [
            "event willResignActive", "event didEnterBackground", "event willEnterForeground", "event didBecomeActive"]
    sandbox.curfew("quit", running.name)
    assert running.finish() == (7, "event willTerminate\n", "")


def test_didEnterBackground_unacknowledged_is_a_watchdogs_kill(sandbox, containment):
    """`scene-update-watchdog`, 124, with the event and its limit in the line."""
    running = start_app(sandbox, "unacked", "--enter-background-limit", "0.5s", "--containment", containment)
    running.expect("event didBecomeActive")
    sandbox.curfew("home", running.name)
    status, _, err = running.finish()
    assert status == 124
    assert without_cpu_time(err) == (
        f"curfew: {running.name}: killed: scene-update-watchdog (0x8badf00d): "
        "didEnterBackground wasn't acknowledged within 0.5 s\n")


def test_aware_without_hello_is_a_watchdogs_kill(sandbox):
    """`--aware` demands a hello within the launch limit."""
    running = sandbox.start("sleep", "60", options=["--aware", "--launch-limit", "0.5s"])
    status, out, err = running.finish()
    assert (status, out) == (124, "")
    assert without_cpu_time(err) == (
        f"curfew: {running.name}: killed: launch-watchdog (0x8badf00d): "
        "it said neither hello nor READY=1 within 0.5 s of its launch\n")


@pytest.mark.parametrize(
    "mode, status, line",
    [("mute-quit", 124, "process-exit-watchdog (0x8badf00d): it hadn't ended 0.5 s after willTerminate"),
     ("deaf-quit", None, None)])
def test_quit_of_an_aware_app_that_stays(sandbox, mode, status, line):
    """It has its limit after willTerminate; unacknowledged, the watchdog's kill names it."""
    running = start_app(sandbox, mode, "--manual-clock", "--terminate-limit", "0.5s")
    running.expect("event didBecomeActive")
    with Client(socket_of(running)) as operator:
        assert operator.ask("quit").verb == "ok"
    assert running.read_line() == "event willTerminate"
    assert advance(running, "1m")["seconds"] == 0.5
    seen_status, out, err = running.finish()
    assert out == ""
    if status is not None:
        assert (seen_status, without_cpu_time(err)) == (status, f"curfew: {running.name}: killed: {line}\n")
    else:
        assert seen_status in (124, 137) and "killed: " in err


def test_a_plain_app_that_ignores_sigterm_is_a_watchdogs_kill(sandbox):
    """Quit while running: SIGTERM, its limit, then process-exit-watchdog and 124."""
    running = sandbox.start(
        "bash", "-c", "trap '' TERM; echo up; while :; do read -t 0.05 <> <(:); done",
        options=["--terminate-limit", "0.5s"])
    running.expect("up")
    sandbox.curfew("quit", running.name)
    status, _, err = running.finish()
    assert (status, without_cpu_time(err)) == (
        124,
        f"curfew: {running.name}: killed: process-exit-watchdog (0x8badf00d): "
        "it hadn't ended 0.5 s after willTerminate\n")


def test_ended_by_our_sigterm_is_143(sandbox):
    """A plain app that SIGTERM ends in time died as asked: 143 and no line."""
    running = sandbox.shell("sleep 60 & echo up; wait")
    running.expect("up")
    sandbox.curfew("quit", running.name)
    assert running.finish() == (143, "", "")


# Debuggers


def test_a_debugger_holds_suspension_off(sandbox, containment, strace):
    """Traced from outside its tree an app isn't suspended and the status says so; afterwards it goes on as usual."""
    running = sandbox.shell("echo up; while :; do sleep 0.05; done", options=["--containment", containment])
    running.expect("up")
    leader = running.status()["pid"]
    with strace.attached(leader, "-o", "/dev/null"):
        sandbox.curfew("home", running.name)
        status = running.status()
        assert (status["state"], status.get("traced")) == ("background", True)
        assert "traced" in running.status_text()
        assert state_letter(leader) != "T"
    running.wait_state("suspended")
    assert "traced" not in running.status()
    sandbox.curfew("open", running.name)
    wait_for("it to run", lambda: state_letter(leader) != "T")


def test_a_debugger_that_was_there_before_holds_the_budget(sandbox, containment, strace):
    """Seen at the edge, and by `curfew status` in front."""
    running = sandbox.shell(
        "curfew task begin t && exec sleep 300", options=["--containment", containment, "--manual-clock"])
    running.expect("1")
    leader = running.status()["pid"]
    with strace.attached(leader, "-o", "/dev/null"):
        assert running.status().get("traced") is True
        sandbox.curfew("home", running.name)
        known = looks_for_tracers(running)
        assert advance(running, "1m")["seconds"] == 60
        wait_for("two more looks", lambda: looks_for_tracers(running) >= known + 2)
        assert (running.status()["remaining"], running.status().get("traced")) == (600, True)
    # The status looks for itself.
    assert "traced" not in running.status()
    advance(running, "1m")
    assert running.status()["remaining"] == 540
    sandbox.curfew("quit", running.name)


def looks_for_tracers(running):
    """How often its core was told whether somebody debugs it."""
    journal = (running.sandbox.scratch / f"{running.name}.journal").read_text()
    # A line may be half written.
    return len(re.findall(r"^input .*name=tracerChecked .*\n", journal, re.M))


def test_a_debugger_that_comes_while_the_budget_runs_is_seen(sandbox, strace):
    """Nobody asks; the next look is within a second."""
    running = sandbox.shell("curfew task begin t && while :; do sleep 0.05; done")
    running.expect("1")
    leader = running.status()["pid"]
    sandbox.curfew("home", running.name)
    with strace.attached(leader, "-o", "/dev/null"):
        running.wait_told("the event", lambda: "tracerDidChange" in sandbox.curfew("events", running.name).stdout)
    sandbox.curfew("quit", running.name)


def test_a_tracer_inside_the_tree_changes_nothing(sandbox, strace):
    """An app that debugs itself is suspended as any other."""
    script = "echo up; while :; do sleep 0.05; done"
    running = sandbox.start(strace.command, "-f", "-q", "-o", "/dev/null", "sh", "-c", script)
    running.expect("up")
    sandbox.curfew("home", running.name)
    running.wait_state("suspended")
    assert "traced" not in running.status()


def test_an_expiration_that_comes_along_with_the_answer(sandbox, tmp_path):
    """Of a task that is begun in the last moment: COMMAND gets SIGTERM though nothing more comes."""
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(path))
        listening.listen()
        process = subprocess.Popen(
            [binary(), "task", "run", "x", "--", "sleep", "1234"], env=dict(sandbox.environment, CURFEW_SOCKET=str(path)))
        try:
            listening.settimeout(LIMIT)
            connection, _ = listening.accept()
            with connection, connection.makefile("rb") as lines:
                assert lines.readline().startswith(b"begin id=1 ")
                connection.sendall(b"ok id=1 task=1 remaining=0\nevent name=backgroundTaskWillExpire seq=2 task=1\n")
                assert lines.readline() == b"end id=2 task=1\n", "it doesn't end"
                connection.sendall(b"ok id=2\n")
                assert process.wait(LIMIT) == 128 + signal.SIGTERM
        finally:
            process.kill()
            process.wait()
