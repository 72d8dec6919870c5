"""When half of Curfew is killed, or the machine has nothing left to give: no app is left, stopped or unheld."""

import contextlib
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import threading
import time

import pytest

from conftest import LIMIT, Running, binary, cgroup2_directory, is_alive, state_letter, wait_for
from programs.helpers import (
    AS_ORDINARY, ORDINARY, PROGRAMS, Alive, assert_all_stopped, needs_root, program, remove_programs, tree)

# One that stays in front, one that has left its session, and the shell that is in front of both.
APP = "setsid sleep 60 & sleep 60 & echo up; wait"


@pytest.fixture(scope="module", autouse=True)
def programs():
    yield
    remove_programs()


@pytest.fixture
def alive():
    pipe = Alive()
    yield pipe
    pipe.close()


def start(sandbox, alive, *options, script=APP, **popen):
    running = sandbox.shell(script, options=options, **alive.options(), **popen)
    alive.started()
    return running


def supervisor_of(proxy):
    """The proxy's one child; None once there is none."""
    try:
        children = pathlib.Path(f"/proc/{proxy}/task/{proxy}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(children[0]) if children else None


def kill(pid):
    with contextlib.suppress(ProcessLookupError, TypeError):
        os.kill(pid, signal.SIGKILL)


def assert_nothing_left(sandbox, alive):
    """All processes that held the pipe are dead, the two halves as well; no socket and no cgroup stays."""
    assert alive.is_over(LIMIT), f"left: {sandbox.describe(sandbox.processes())}"
    wait_for("the cgroups to go", lambda: not sandbox.cgroups())
    assert not sandbox.sockets()


# One half is killed


@pytest.mark.parametrize("half", ["supervisor", "proxy"])
def test_either_half_killed_at_any_instant(sandbox, containment, half):
    """Twenty times per containment, at a seeded moment from the start on: before the program runs, and after."""
    moments = random.Random(f"{half}-{containment}")
    for turn in range(20):
        alive = Alive()
        running = start(sandbox, alive, "--containment", containment)
        wait_for("the supervisor", lambda: supervisor_of(running.pid))
        supervisor = supervisor_of(running.pid)
        time.sleep(moments.uniform(0, 0.008 if turn < 15 else 0.03))  # a moment
        kill(supervisor if half == "supervisor" else running.pid)
        status, _, err = running.finish()
        assert_nothing_left(sandbox, alive)
        alive.close()
        if half == "supervisor":
            assert status == 125, err
            assert err.startswith(f"curfew: {running.name}: killed: supervisor-exit: ")
        else:
            assert status == -signal.SIGKILL


@pytest.mark.parametrize("half", ["supervisor", "proxy"])
def test_either_half_killed_before_exec(sandbox, containment, half):
    """A program that is searched for in 6,000 directories is killed while it is no program yet."""
    moments = random.Random(f"before-{half}-{containment}")
    path = ":".join(f"/nowhere/{number}" for number in range(6000)) + ":" + os.environ["PATH"]
    for _ in range(8):
        alive = Alive()
        running = sandbox.start(
            "sleep", "60", options=["--containment", containment], env=dict(sandbox.environment, PATH=path),
            **alive.options())
        alive.started()
        wait_for("the supervisor", lambda: supervisor_of(running.pid))
        supervisor = supervisor_of(running.pid)
        time.sleep(moments.uniform(0, 0.012))  # a moment
        kill(supervisor if half == "supervisor" else running.pid)
        running.finish()
        assert_nothing_left(sandbox, alive)
        alive.close()


def meanwhile(*arguments, sandbox):
    """Runs a verb beside the test."""
    thread = threading.Thread(target=lambda: sandbox.curfew(*arguments))
    thread.start()
    return thread


STATES = ["active", "background", "suspended", "frozen", "going-home", "opening", "terminating", "killing"]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("half", ["supervisor", "proxy"])
def test_either_half_killed_in_each_state(sandbox, containment, half, state):
    """Running, on its budget, stopped, being stopped or continued, being asked to end, being killed."""
    moments = random.Random(f"{half}-{containment}-{state}")
    if state == "frozen" and containment == "tree":
        pytest.skip("a tree has no freezer")
    for _ in range(3 if state in ("going-home", "opening", "killing") else 1):
        alive = Alive()
        options = ["--containment", containment] + {
            "frozen": ["--suspend=freezer"], "background": ["--manual-clock", "--grace", "60"],
            "terminating": ["--manual-clock", "--terminate-limit", "60"], "killing": ["--manual-clock", "--time-limit", "1m"],
        }.get(state, [])
        script = {"terminating": "trap '' TERM; " + APP}.get(state, APP)
        running = start(sandbox, alive, *options, script=script)
        running.expect("up")
        supervisor = supervisor_of(running.pid)
        thread = None
        if state in ("background", "suspended", "frozen", "opening"):
            sandbox.curfew("home", running.name)
        if state in ("going-home", "opening"):
            thread = meanwhile("home" if state == "going-home" else "open", running.name, sandbox=sandbox)
            time.sleep(moments.uniform(0, 0.006))  # a moment
        if state == "terminating":
            thread = meanwhile("quit", running.name, sandbox=sandbox)
            wait_for("the quit", lambda: running.status().get("terminating"))
        if state == "killing":
            # Its time is over when the test says so, and not before it is there.
            thread = meanwhile("advance", running.name, "1m", sandbox=sandbox)
            time.sleep(moments.uniform(0, 0.016))  # a moment
        kill(supervisor if half == "supervisor" else running.pid)
        running.finish()
        assert_nothing_left(sandbox, alive)
        alive.close()
        if thread:
            thread.join(LIMIT)


@pytest.mark.parametrize("mode", ["comet", "ignore-all", "bare-daemon", "subreaper", "vfork", "many", "stopped"])
@pytest.mark.parametrize("half", ["supervisor", "proxy"])
def test_what_is_hard_to_kill_goes_with_a_half(sandbox, containment, alive, half, mode):
    """The keeper kills as well as the supervisor does."""
    running = sandbox.start(program("holder"), mode, options=["--containment", containment], **alive.options())
    alive.started()
    running.expect("up")
    kill(supervisor_of(running.pid) if half == "supervisor" else running.pid)
    running.finish()
    assert_nothing_left(sandbox, alive)


def test_a_stopped_proxy_keeps_too(sandbox, containment, alive):
    """A proxy that a terminal or somebody has stopped is woken by its supervisor's end."""
    running = start(sandbox, alive, "--containment", containment)
    running.expect("up")
    supervisor = supervisor_of(running.pid)
    os.kill(running.pid, signal.SIGSTOP)
    wait_for("the stop", lambda: state_letter(running.pid) == "T")
    kill(supervisor)
    assert running.finish()[0] == 125
    assert_nothing_left(sandbox, alive)


def test_the_keeper_leaves_anothers_socket_alone(sandbox):
    """A name that somebody has taken between the supervisor's death and the keeper's work stays theirs."""
    running = sandbox.shell("sleep 60 & echo up; wait")
    running.expect("up")
    supervisor = supervisor_of(running.pid)
    os.kill(running.pid, signal.SIGSTOP)
    wait_for("the stop", lambda: state_letter(running.pid) == "T")
    # The proxy is continued by its supervisor's end and would be as quick as the next start; so it is kept stopped.
    stop = threading.Event()

    def keep_stopped():
        while not stop.is_set():
            os.kill(running.pid, signal.SIGSTOP)

    thread = threading.Thread(target=keep_stopped)
    thread.start()
    try:
        kill(supervisor)
        wait_for("the supervisor's end", lambda: not is_alive(supervisor))
        second = sandbox.shell("sleep 60 & echo up; wait", name=running.name)
        second.expect("up")
    finally:
        stop.set()
        thread.join()
    os.kill(running.pid, signal.SIGCONT)
    assert running.finish()[0] == 125
    assert second.status()["state"] == "active"


# Resume


def test_the_supervisor_killed_resumes_if_asked(sandbox, containment, alive):
    """--on-supervisor-exit=resume: a suspended app is continued and ends with its own status."""
    running = start(
        sandbox, alive, "--containment", containment, "--on-supervisor-exit=resume", stdin=subprocess.PIPE,
        script="sleep 0.1 & echo up; read x; wait; echo $x; exit 7")
    running.expect("up")
    supervisor = supervisor_of(running.pid)
    sandbox.curfew("home", running.name)
    assert_all_stopped(running, tree(supervisor))
    kill(supervisor)
    running.process.stdin.write(b"on\n")
    running.process.stdin.close()
    running.process.stdin = None
    status, out, err = running.finish()
    assert (status, out) == (7, "on\n"), err
    assert_nothing_left(sandbox, alive)


def test_a_resumed_app_is_not_swept(sandbox, alive):
    """What its keeper goes on for is nobody's leftover, however many starts there are."""
    running = start(
        sandbox, alive, "--on-supervisor-exit=resume", stdin=subprocess.PIPE, script="echo up; read x; exit 7")
    running.expect("up")
    kill(supervisor_of(running.pid))
    for _ in range(5):
        sandbox.curfew("run", "--", "true")
    assert running.process.poll() is None
    running.process.stdin.write(b"\n")
    running.process.stdin.close()
    running.process.stdin = None
    assert running.finish()[0] == 7
    assert_nothing_left(sandbox, alive)


def test_nor_is_one_whose_keeper_has_not_come_to_it_yet(sandbox, alive):
    """The proxy doesn't get to run until some starts later: a machine can be that busy."""
    own = cgroup2_directory()
    if not own:
        pytest.skip("there is no cgroup v2 hierarchy to freeze the proxy in")
    running = start(
        sandbox, alive, "--on-supervisor-exit=resume", stdin=subprocess.PIPE, script="echo up; read x; exit 7")
    running.expect("up")
    supervisor = supervisor_of(running.pid)
    place = own / f"frozen-proxy.{os.getpid()}"
    place.mkdir()
    try:
        (place / "cgroup.procs").write_text(str(running.pid))
        (place / "cgroup.freeze").write_text("1")
        wait_for("the proxy to be frozen", lambda: "frozen 1" in (place / "cgroup.events").read_text())
        kill(supervisor)
        wait_for("the supervisor to be dead", lambda: state_letter(supervisor) == "Z")
        for _ in range(3):
            assert sandbox.curfew("run", "--", "true").returncode == 0
    finally:
        (place / "cgroup.freeze").write_text("0")
        (own / "cgroup.procs").write_text(str(running.pid))
        place.rmdir()
    running.process.stdin.write(b"\n")
    running.process.stdin.close()
    running.process.stdin = None
    assert running.finish()[0] == 7
    assert_nothing_left(sandbox, alive)


def test_the_proxy_killed_resumes_if_asked(sandbox, containment, alive):
    """The supervisor goes on alone, continues the app, and ends with it."""
    done = sandbox.scratch / "done"
    running = start(
        sandbox, alive, "--containment", containment, "--on-supervisor-exit=resume", stdin=subprocess.PIPE,
        script=f"echo up; read x; echo $x >{done}")
    running.expect("up")
    sandbox.curfew("home", running.name)
    kill(running.pid)
    running.process.wait(LIMIT)
    running.process.stdin.write(b"on\n")
    running.process.stdin.close()
    running.process.stdin = None
    assert_nothing_left(sandbox, alive)
    assert done.read_text() == "on\n"


# What the proxy's pid had before it was Curfew's


def start_by_exec(sandbox, before, *options, script="echo up; read x; exit 7"):
    """Starts an app from a script that has a child already, and becomes `curfew run`."""
    name = f"exec-{os.getpid()}"
    words = " ".join(["run", "--name", name, *options, "--", "sh", "-c", f"'{script}'"])
    process = subprocess.Popen(
        ["sh", "-c", f"{before}; exec {binary()} {words}"], env=sandbox.environment, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    running = Running(sandbox, process, name)
    sandbox.running.append(running)
    return running


@pytest.mark.parametrize("policy", ["kill", "resume"])
def test_children_from_before_are_not_the_apps(sandbox, containment, policy):
    """An entrypoint script's own are neither killed nor waited for."""
    running = start_by_exec(
        sandbox, "sleep 300 <&- >&- 2>&- & echo $!", "--containment", containment, f"--on-supervisor-exit={policy}")
    earlier = int(running.read_line())
    try:
        running.expect("up")
        app = int(running.status()["pid"])
        kill(int(running.status()["supervisor"]))
        if policy == "resume":
            running.process.stdin.write(b"\n")
            running.process.stdin.flush()
        assert running.wait() == (125 if policy == "kill" else 7)
        assert (is_alive(app), is_alive(earlier)) == (False, True)
        assert not sandbox.cgroups() and not sandbox.sockets()
    finally:
        kill(earlier)


def test_what_such_children_leave_behind_is_not_the_apps(sandbox):
    """A daemon of theirs comes to the proxy, its subreaper, when its parent ends."""
    fifo = sandbox.scratch / "fifo"
    os.mkfifo(fifo)
    running = start_by_exec(
        sandbox, f"sh -c 'sleep 300 <&- >&- 2>&- & echo $!; read line <{fifo}' & sleep 0", "--containment=tree")
    # Who says his first is open.
    lines = sorted((running.read_line(), running.read_line()), key=lambda line: line == "up")
    daemon = int(lines[0])
    try:
        running.status()
        fifo.write_text("\n")
        wait_for("the proxy to have it", lambda: parent_of(daemon) == running.pid)
        wait_for("the proxy to have heard of it", lambda: has_taken(running.pid, signal.SIGCHLD))
        kill(int(running.status()["supervisor"]))
        assert running.wait() == 125
        assert is_alive(daemon)
    finally:
        kill(daemon)


def test_what_they_leave_without_a_word_is_not_the_apps(sandbox):
    """Whose parent was a child's child comes to the proxy with no SIGCHLD; the proxy looks at its next signal."""
    fifo = sandbox.scratch / "fifo"
    os.mkfifo(fifo)
    running = start_by_exec(
        sandbox,
        f"sh -c 'sh -c \"sleep 300 <&- >&- 2>&- & echo \\$! \\$PPID; read line <{fifo}\"; exec sleep 300 >&- 2>&-' & sleep 0",
        "--containment=tree")
    # Who says his first is open.
    lines = sorted((running.read_line(), running.read_line()), key=lambda line: line == "up")
    daemon, child = map(int, lines[0].split())
    try:
        supervisor = int(running.status()["supervisor"])
        fifo.write_text("\n")
        wait_for("the proxy to have it", lambda: parent_of(daemon) == running.pid)
        os.kill(running.pid, signal.SIGWINCH)
        wait_for("the proxy to have heard of it", lambda: has_taken(running.pid, signal.SIGWINCH))
        kill(supervisor)
        assert running.wait() == 125
        assert (is_alive(daemon), is_alive(child)) == (True, True)
    finally:
        kill(daemon)
        kill(child)


def test_who_runs_hooks_is_not_among_them(sandbox):
    """A child of the proxy's as well, but of the supervisor's making: it ends, and with it what it runs."""
    fifo, mark = sandbox.scratch / "fifo", sandbox.scratch / "hook"
    os.mkfifo(fifo)
    running = start_by_exec(
        sandbox, f"sleep 300 <&- >&- 2>&- & echo $!; sh -c 'read line <{fifo}' >&- 2>&- & echo $!", "--grace=60",
        f"\"--exec-on=didEnterBackground=echo \\$\\$ >{mark}.new; mv {mark}.new {mark}; exec sleep 300 >&- 2>&-\"")
    earlier, reader = int(running.read_line()), int(running.read_line())
    try:
        running.expect("up")
        supervisor = int(running.status()["supervisor"])
        assert sandbox.curfew("home", running.name).returncode == 0
        wait_for("the hook", mark.exists)
        fifo.write_text("\n")
        wait_for("that child to end", lambda: state_letter(reader) == "Z")
        wait_for("the proxy to have heard of it", lambda: has_taken(running.pid, signal.SIGCHLD))
        kill(supervisor)
        assert running.wait() == 125
        assert (is_alive(int(mark.read_text())), is_alive(earlier)) == (False, True)
    finally:
        kill(earlier)


def parent_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def has_taken(pid, number):
    """Whether that signal isn't pending, and it sleeps again."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    pending = [int(line.split()[1], 16) for line in text.splitlines() if line.startswith(("SigPnd", "ShdPnd"))]
    return not any(mask >> number - 1 & 1 for mask in pending) and state_letter(pid) == "S"


# A pid that is another's by now


def reuse(sandbox, case):
    """Runs a case of programs/reuse.py as the first process of a pid namespace; what it says of the stranger."""
    command = ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, PROGRAMS / "reuse.py", binary(), case]
    if subprocess.run([*command[:4], "true"], capture_output=True).returncode != 0:
        pytest.skip("no pid namespace can be made here")
    result = subprocess.run(command, env=sandbox.environment, capture_output=True, text=True, timeout=3 * LIMIT)
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


@needs_root
@pytest.mark.parametrize("case", ["keeper", "hang-up"])
def test_a_stranger_with_the_leaders_old_pid_is_not_hit(sandbox, case):
    """The group of a leader that was reaped, while its app goes on, is anybody's."""
    assert reuse(sandbox, case) == ["alive"]


# Both halves at once


def kill_both(running):
    """As nearly at one stroke as two calls are."""
    supervisor = supervisor_of(running.pid)
    os.kill(supervisor, signal.SIGKILL)
    os.kill(running.pid, signal.SIGKILL)
    running.process.wait(LIMIT)
    # Until it has closed its socket, its name is taken.
    wait_for("the supervisor to be gone", lambda: not is_alive(supervisor))


@pytest.mark.parametrize("suspended", [False, True])
def test_both_killed_are_swept_at_the_next_start(sandbox, alive, suspended):
    """Nobody is left to clean up; the next start takes the name, kills what is left and removes the cgroup."""
    running = start(sandbox, alive, "--containment=cgroup2", script=APP)
    running.expect("up")
    if suspended:
        sandbox.curfew("home", running.name)
    kill_both(running)
    second = sandbox.curfew("run", "--name", running.name, "--containment=cgroup2", "--", "true")
    assert (second.returncode, second.stderr) == (0, "")
    assert_nothing_left(sandbox, alive)


@needs_root
@pytest.mark.parametrize("options", [["--containment=cgroup1"], ["--containment=cgroup2", "--memory", "50M"]])
def test_both_killed_with_v1_cgroups_are_swept_too(sandbox, alive, options):
    """So are what they leave in the v1 hierarchies."""
    tried = sandbox.curfew("run", *options, "--", "true")
    if tried.returncode == 125:
        pytest.skip(f"not to be had here: {tried.stderr.strip()}")
    running = start(sandbox, alive, *options)
    running.expect("up")
    kill_both(running)
    sandbox.curfew("run", "--name", running.name, *options, "--", "true")
    assert_nothing_left(sandbox, alive)


def test_both_killed_are_swept_while_the_next_app_runs(sandbox):
    """Its supervisor goes on with that beside all else that it has to do, and doesn't wait for the app's end."""
    dead = [sandbox.shell(APP, options=["--containment=cgroup2"]) for _ in range(3)]
    for running in dead:
        running.expect("up")
    for running in dead:
        kill_both(running)
    second = sandbox.shell("echo up; read x; exit 7", options=["--containment=cgroup2"], stdin=subprocess.PIPE)
    second.expect("up")
    wait_for(
        "the others' cgroups to go",
        lambda: all(path.name.startswith(f"curfew.{second.name}.") for path in sandbox.cgroups()))
    assert second.status()["state"] == "active"
    sandbox.curfew("ps")  # takes the dead ones' sockets away
    assert second.process.communicate(b"\n", timeout=LIMIT)[0] == b""
    assert second.process.returncode == 7
    wait_for("the cgroups to go", lambda: not sandbox.cgroups())
    assert not sandbox.sockets()


@needs_root
def test_parallel_starts_do_not_sweep_each_other(sandbox):
    """Sweeping what is dead, two hundred starts on two processors never take away what another has just made."""
    script = f"for i in $(seq 50); do {binary()} run --containment=cgroup2 -- true || echo failed; done"
    processes = [
        subprocess.Popen(
            ["sh", "-c", script], env=sandbox.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for _ in range(4)]
    assert [process.communicate(timeout=3 * LIMIT)[0] for process in processes] == [b""] * 4


# Nothing left to give


@pytest.mark.parametrize("limit", range(3, 21))
def test_out_of_descriptors_at_start(sandbox, limit):
    """With few descriptors it works, or says 125 and the kernel's reason; nothing is left either way."""
    alive = Alive()
    result = sandbox.curfew(
        "run", "--name", "few", "--", "sh", "-c", "exit 7",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
    alive.close()
    if result.returncode != 7:
        assert (result.returncode, "Too many open files" in result.stderr) == (125, True), result.stderr
        assert result.stderr.count("\n") == 1
    assert not sandbox.sockets()
    assert not sandbox.processes()


@needs_root
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_out_of_processes_at_start(sandbox, limit):
    """125 and the kernel's reason when not even the supervisor, or then not the program, can be forked."""
    os.chown(sandbox.runtime, ORDINARY, ORDINARY)
    # A uid of its own, for the limit counts all processes of a user, those in other rounds' namespaces too.
    own = 100_000 + os.stat("/proc/self/ns/pid").st_ino % 1_000_000
    user = dict(AS_ORDINARY, user=own)
    os.chown(sandbox.runtime, own, ORDINARY)
    result = sandbox.curfew(
        "run", "--", "sh", "-c", "exit 7", cwd="/",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit)), **user)
    if limit == 3:
        assert (result.returncode, result.stderr) == (7, "")
    else:
        assert (result.returncode, "Resource temporarily unavailable" in result.stderr) == (125, True), result.stderr
    assert not sandbox.sockets()


def test_a_report_that_cannot_be_written_is_told(sandbox):
    """The program's status stands; one line says that the report isn't whole."""
    result = sandbox.curfew("run", "--report", "/dev/full", "--", "sh", "-c", "exit 7")
    assert (result.returncode, result.stderr) == (
        7, "curfew: the report /dev/full is not whole: No space left on device\n")


def test_a_launch_that_fails_is_in_the_report_too(sandbox):
    """What an earlier run wrote there doesn't stand for this one."""
    report = sandbox.scratch / "report.json"
    sandbox.curfew("run", "--report", report, "--", "sh", "-c", "exit 3")
    assert json.loads(report.read_text())["status"] == 3
    sandbox.curfew("run", "--report", report, "--", "no-such-command")
    written = json.loads(report.read_text())
    assert (written["status"], written["message"]) == (127, "no-such-command: No such file or directory")


def test_a_report_in_a_missing_directory_starts_nothing(sandbox):
    """A wrong path is told before anything runs."""
    mark = sandbox.scratch / "ran"
    result = sandbox.curfew("run", "--report", sandbox.scratch / "no/report.json", "--", "touch", mark)
    assert result.returncode == 125
    assert "No such file or directory; nothing was started" in result.stderr
    assert not mark.exists()


# The runtime directory


REPLACED = "curfew: the report .*/report isn't written: another file has taken its place\n"


@pytest.mark.parametrize("plant,told", [
    ('ln -s victim report', REPLACED),
    ('mkfifo report; sleep 300 <>report & { head -c 65536 /dev/zero; } >report', REPLACED),
    ('echo new >report', REPLACED),
    ('true', "curfew: the report .*/report can't be written: No such file or directory\n"),
])
def test_the_keeper_writes_to_the_reports_file_alone(sandbox, plant, told):
    """The app puts something else in its place and kills the supervisor: the line comes first, and nothing is hit."""
    (sandbox.scratch / "victim").write_text("precious")
    report = sandbox.scratch / "report"
    # What has the file open keeps its number from being given to the next one.
    running = sandbox.shell(
        f"exec 5<report; rm report; {plant}; kill -KILL $PPID; sleep 300", options=["--report", report],
        cwd=sandbox.scratch)
    status, _, err = running.finish()
    assert (status, (sandbox.scratch / "victim").read_text()) == (125, "precious")
    first, rest = err.split("\n", 1)
    assert first.endswith("killed: supervisor-exit: the supervisor was killed, so its app was ended")
    assert re.fullmatch(told, rest), err
    if plant.startswith("echo"):
        assert report.read_text() == "new\n"


def test_the_keeper_writes_a_report_through_a_link_or_a_pipe(sandbox):
    """What the caller has named is kept to: a link that was there before, and a pipe."""
    (sandbox.scratch / "link").symlink_to("report")
    running = sandbox.shell("kill -KILL $PPID; sleep 300", options=["--report", sandbox.scratch / "link"])
    assert running.wait() == 125
    assert json.loads((sandbox.scratch / "report").read_text())["reason"] == "supervisor-exit"
    reader, writer = os.pipe()
    running = sandbox.shell(
        "kill -KILL $PPID; sleep 300", options=["--report", f"/dev/fd/{writer}"], pass_fds=[writer])
    os.close(writer)
    assert running.wait() == 125
    with open(reader) as pipe:
        assert json.loads(pipe.read())["reason"] == "supervisor-exit"


def refused(sandbox, reason, **environment):
    mark = sandbox.scratch / "ran"
    env = {key: value for key, value in dict(sandbox.environment, **environment).items() if value is not None}
    result = sandbox.curfew("run", "--", "touch", mark, env=env)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (125, "", 1), result.stderr
    assert reason in result.stderr
    assert not mark.exists()


def test_a_runtime_directory_open_to_others_is_refused(sandbox):
    """Mode 0777: anybody could put a socket there."""
    folder = sandbox.runtime / "curfew"
    folder.mkdir()
    folder.chmod(0o777)
    refused(sandbox, "it must belong to this user alone, mode 0700")
    folder.rmdir()


@needs_root
def test_a_runtime_directory_of_anothers_is_refused(sandbox):
    """Whoever owns it could replace a socket in it."""
    folder = sandbox.runtime / "curfew"
    folder.mkdir(mode=0o700)
    os.chown(folder, ORDINARY, ORDINARY)
    refused(sandbox, "it must belong to this user alone, mode 0700")
    folder.rmdir()


def test_a_runtime_directory_that_is_a_link_is_refused(sandbox):
    """A link could lead anywhere, and somebody may have put it there."""
    target = sandbox.scratch / "target"
    target.mkdir(mode=0o700)
    (sandbox.runtime / "curfew").symlink_to(target)
    refused(sandbox, str(sandbox.runtime / "curfew"))
    (sandbox.runtime / "curfew").unlink()


def test_a_runtime_directory_with_too_long_a_path_is_refused(sandbox):
    """A socket's path has 107 bytes at most."""
    folder = sandbox.runtime / ("x" * 100)
    folder.mkdir(mode=0o700)
    refused(sandbox, "too long", XDG_RUNTIME_DIR=str(folder))


def test_a_runtime_directory_that_is_not_there_is_done_without(sandbox):
    """As cron and `su` leave it: the one under /tmp serves."""
    result = sandbox.curfew("run", "--", "sh", "-c", "echo $CURFEW_SOCKET", env=dict(
        sandbox.environment, XDG_RUNTIME_DIR=str(sandbox.scratch / "no")))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(f"/tmp/curfew-{os.geteuid()}/sh")


@needs_root
def test_without_any_place_for_a_socket(sandbox):
    """No runtime directory and a /tmp that can't be written."""
    environment = {key: value for key, value in sandbox.environment.items() if key != "XDG_RUNTIME_DIR"}
    # By a descriptor: the binary may itself be below /tmp.
    result = subprocess.run(
        ["unshare", "-m", "bash", "-c",
         f"exec 9<{binary()}; mount -t tmpfs -o ro none /tmp && exec /proc/self/fd/9 run -- true"],
        capture_output=True, text=True, env=environment, timeout=LIMIT)
    if "mount" in result.stderr or "unshare" in result.stderr:
        pytest.skip(f"can't mount here: {result.stderr.strip()}")
    assert (result.returncode, result.stderr) == (125, "curfew: run: make /tmp/curfew-0: Read-only file system\n")
