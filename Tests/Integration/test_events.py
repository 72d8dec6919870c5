"""Events for programs that don't speak the protocol: signals, hooks, posted changes, and changes of a settings file."""

import contextlib
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import time

import pytest

from conftest import LIMIT, is_alive, wait_for
from programs.driving import (
    Speaker, advance, assert_killed, delivered, history, letters, wait_event)
from programs.helpers import Client, assert_all_stopped, needs_root, socket_of, tree

# Both shells run a trap while they read, but of a signal that has come before the reading began, and bash of SIGWINCH.
# Traps of signals that come together run in the order of the signals' numbers.
READING = "echo up; while :; do read -r line; done"
TRAPS = f"""
trap 'echo resign' USR1; trap 'echo background' USR2; trap 'echo foreground' ALRM; trap 'echo active' PWR
trap 'echo expire' PROF; trap 'echo zone' VTALRM; trap 'echo hup' HUP
{READING}
"""
SIGNALS = [
    "--on=willResignActive=USR1", "--on=didEnterBackground=USR2", "--on=willEnterForeground=ALRM",
    "--on=didBecomeActive=PWR", "--on=backgroundTaskWillExpire=PROF", "--on=zone=VTALRM"]


def trapping(sandbox, shell="dash", options=(), script=TRAPS, **popen):
    running = sandbox.start(shell, "-c", script, options=[*SIGNALS, *options], stdin=subprocess.PIPE, **popen)
    running.expect("up")
    return running


def lines(running, count):
    """The next lines of a shell that reads; it is given some to read, which lets it run a trap that came before that."""
    limit = time.monotonic() + LIMIT
    while running.output.count(b"\n") < count and time.monotonic() < limit:
        if select.select([running.process.stdout], [], [], 0.2)[0]:
            running.output += os.read(running.process.stdout.fileno(), 4096)
        elif running.process.stdin:
            running.process.stdin.write(b"\n")
            running.process.stdin.flush()
    return [running.read_line(0) for _ in range(count)]


def assert_home_is_heard(running):
    """In whichever order: a shell runs what it was sent at once by its own."""
    assert sorted(lines(running, 2)) == ["background", "resign"]
    assert delivered(running)[-2:] == ["willResignActive", "didEnterBackground"]


# What Curfew, the kernel and a stopped child send.
UNTOLD = {signal.SIGSTOP, signal.SIGCONT, signal.SIGCHLD}


def pending(pid):
    """The signals that wait for a process, other than those of stopping and continuing, as numbers."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    mask = 0
    for word in re.findall(r"^(?:SigPnd|ShdPnd):\s+([0-9a-f]+)$", text, re.M):
        mask |= int(word, 16)
    return {number for number in range(1, 65) if mask & 1 << (number - 1)} - UNTOLD


# Signals


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_a_trap_hears_the_home_button(sandbox, held, shell):
    """Home: both signals while it runs, then it is stopped; opened it hears of that once it runs again."""
    running = trapping(sandbox, shell, [*held, "--manual-clock", "--enter-background-limit", "3"])
    leader = running.status()["pid"]
    for _ in range(2):
        sandbox.curfew("home", running.name)
        status = running.status()
        assert (status["state"], status["aware"], status["grace"]) == ("background", False, 3), status
        assert_home_is_heard(running)
        answer = advance(running, "1m")
        assert (answer["seconds"], answer["state"]) == (3, "suspended")
        assert_all_stopped(running, [leader])
        assert pending(leader) == set()
        sandbox.curfew("open", running.name)
        # A shell works through what it has caught by number, and goes on in the middle of that when it is continued.
        assert sorted(lines(running, 2)) == ["active", "foreground"]
    assert delivered(running)[-8:] == [
        "willResignActive", "didEnterBackground", "willEnterForeground", "didBecomeActive"] * 2


def test_interruptions_are_heard_as_signals(sandbox):
    """interrupt and dismiss; home from there is didEnterBackground alone."""
    running = trapping(sandbox)
    sandbox.curfew("interrupt", running.name)
    assert lines(running, 1) == ["resign"]
    sandbox.curfew("dismiss", running.name)
    assert lines(running, 1) == ["active"]
    sandbox.curfew("interrupt", running.name)
    assert lines(running, 1) == ["resign"]
    sandbox.curfew("home", running.name)
    assert lines(running, 1) == ["background"]


@pytest.mark.parametrize("options, first", [([], 5), (["--profile", "ios5"], 10), (["--grace", "40"], 40)])
def test_the_time_a_trap_has(sandbox, options, first):
    """--enter-background-limit, unless --grace says otherwise."""
    running = trapping(sandbox, options=["--manual-clock", *options])
    sandbox.curfew("home", running.name)
    assert running.status()["grace"] == first


def test_no_grace_stops_it_before_its_trap(sandbox):
    """--grace 0: stopped at once. Its signal was sent while it ran, and is heard when it runs again."""
    running = trapping(sandbox, options=["--grace", "0"])
    sandbox.curfew("home", running.name)
    assert running.status()["state"] == "suspended"
    sandbox.curfew("open", running.name)
    heard = lines(running, 4)
    assert sorted(heard) == ["active", "background", "foreground", "resign"]


def test_only_home_gives_a_plain_app_time(sandbox):
    """A signal for something else is no reason to run on after home."""
    running = sandbox.shell(TRAPS, options=["--on=zone=VTALRM"], stdin=subprocess.PIPE)
    running.expect("up")
    sandbox.curfew("home", running.name)
    assert running.status()["state"] == "suspended"


@pytest.mark.parametrize(
    "spelled, trapped", [("USR1", 10), ("sigusr1", 10), ("10", 10), ("RTMIN+3", 37), ("40", 40), ("64", 64)])
def test_a_signal_by_name_and_by_number(sandbox, spelled, trapped):
    """As kill(1) reads them."""
    running = sandbox.start(
        "bash", "-c", f"trap 'echo heard' {trapped}; {READING}", options=[f"--on=zone={spelled}"],
        stdin=subprocess.PIPE)
    running.expect("up")
    sandbox.curfew("post", running.name, "zone")
    assert lines(running, 1) == ["heard"]


def test_of_two_signals_for_one_event_the_last_counts(sandbox):
    """As of any option that is given twice."""
    running = trapping(sandbox, options=["--on=zone=HUP"])
    sandbox.curfew("post", running.name, "zone")
    assert lines(running, 1) == ["hup"]
    sandbox.curfew("interrupt", running.name)
    assert lines(running, 1) == ["resign"]


def test_changes_are_signals_only_while_it_runs(sandbox, containment):
    """In front at once; suspended nothing is sent that would only pend; opened, between the other two."""
    running = trapping(sandbox, options=["--containment", containment, "--manual-clock", "--grace", "0.3"])
    leader = running.status()["pid"]
    sandbox.curfew("post", running.name, "zone", "name=Oslo")
    assert lines(running, 1) == ["zone"]
    sandbox.curfew("home", running.name)
    assert_home_is_heard(running)
    assert advance(running, "0.3")["state"] == "suspended"
    for number in range(3):
        sandbox.curfew("post", running.name, "zone", f"n={number}")
    assert pending(leader) == set()
    assert_all_stopped(running, [leader])
    sandbox.curfew("open", running.name)
    assert sorted(lines(running, 3)) == ["active", "foreground", "zone"]
    assert delivered(running)[-3:] == ["willEnterForeground", "zone", "didBecomeActive"]


def test_a_waking_event_is_a_signal(sandbox, held):
    """It is heard running, in background, and the app is stopped again."""
    running = trapping(sandbox, options=[*held, "--manual-clock", "--on=fetch=HUP", "--grace", "0.4"])
    sandbox.curfew("home", running.name)
    assert_home_is_heard(running)
    assert advance(running, "0.4")["state"] == "suspended"
    sandbox.curfew("wake", running.name, "fetch")
    assert sorted(lines(running, 2)) == ["background", "hup"]
    assert advance(running, "0.4")["state"] == "suspended"


def test_an_expiring_task_is_a_signal(sandbox):
    """A plain program that holds a task is warned; its end suspends it."""
    script = "curfew task begin x >&2;" + TRAPS.replace("'echo expire'", "'echo expire; curfew task end 1'")
    running = trapping(
        sandbox, options=["--manual-clock", "--budget", "60", "--expiration-lead", "59.5", "--grace", "0"], script=script)
    sandbox.curfew("home", running.name)
    assert advance(running, "1m")["seconds"] == 0.5
    assert sorted(lines(running, 3)) == ["background", "expire", "resign"]
    running.wait_state("suspended")
    assert delivered(running)[-3:] == ["willResignActive", "didEnterBackground", "backgroundTaskWillExpire"]


@pytest.mark.parametrize(
    "trap, status", [("", 128 + signal.SIGINT), ("trap 'echo bye; exit 9' INT;", 9), ("trap '' INT;", 124)])
def test_willTerminate_is_what_quit_sends(sandbox, trap, status):
    """--on willTerminate=INT: no SIGTERM at all; its own status, 130 if the signal ended it, or the watchdog's."""
    # Only who heeds no signal is to have too little time.
    limit = "0.5" if status == 124 else "inf"
    running = sandbox.shell(
        # Not by `read`: a signal that comes right before it would be heard of with the next line only.
        f"trap 'echo term' TERM; {trap} echo up; while :; do sleep 0.05; done",
        options=["--on=willTerminate=INT", "--terminate-limit", limit])
    running.expect("up")
    sandbox.curfew("quit", running.name)
    seen, out, err = running.finish()
    assert (seen, out) == (status, "bye\n" if status == 9 else "")
    if status == 124:
        assert_killed(
            err, running.name, "process-exit-watchdog", "0x8badf00d",
            "it hadn't ended 0.5 s after willTerminate", "(?:waiting|computing)")
    else:
        assert err == ""


def test_a_launch_is_no_signal(sandbox):
    """A program that has just been started has set up no handler yet: the signal would end it."""
    running = sandbox.shell(
        "echo up; read x", options=["--on=didFinishLaunching=USR1", "--on=didBecomeActive=USR2"], stdin=subprocess.PIPE)
    running.expect("up")
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    assert running.finish() == (0, "", "")


def test_an_aware_app_hears_signals_too(sandbox):
    """By both ways, and nothing more is owed for it."""
    app = Speaker(sandbox, options=["--on=zone=WINCH"]).launched()
    leader = app.running.status()["pid"]
    assert sandbox.curfew("post", app.name, "zone").returncode == 0
    app.hear("zone")
    app.drive("home")
    app.hear("willResignActive", "didEnterBackground")
    app.running.wait_state("suspended")
    assert pending(leader) == set()


def test_signals_go_to_the_program_and_not_to_its_children(sandbox):
    """COMMAND is told; a child that has no handler lives on."""
    running = trapping(sandbox, script="sleep 300 & " + TRAPS)
    child, = tree(running.status()["pid"])
    for _ in range(3):
        sandbox.curfew("post", running.name, "zone")
        assert lines(running, 1) == ["zone"]
    assert is_alive(child)


# Hooks


class Hooks:
    """A log that hooks write to and a pipe they wait at."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.log = sandbox.scratch / "log"
        self.log.touch()
        self.fifo = sandbox.scratch / "fifo"
        os.mkfifo(self.fifo)
        self.environment = dict(sandbox.environment, LOG=str(self.log), FIFO=str(self.fifo))

    def start(self, *hooks, options=(), script="echo up; while :; do read x; done", **popen):
        given = [word for event, command in hooks for word in ("--exec-on", f"{event}={command}")]
        running = self.sandbox.shell(
            script, options=[*given, *options], env=self.environment, stdin=subprocess.PIPE, **popen)
        running.expect("up")
        return running

    def lines(self):
        return self.log.read_text().splitlines()

    def wait(self, *expected, limit=LIMIT):
        wait_for(f"the log to have {expected}", lambda: self.lines()[-len(expected):] == list(expected), limit)

    def number(self, limit=LIMIT):
        """A pid that a hook has logged alone on the last line."""
        wait_for("a pid in the log", lambda: self.lines() and self.lines()[-1].isdigit(), limit)
        return int(self.lines()[-1])

    def let_go(self):
        """Ends the wait of one hook."""
        with open(self.fifo, "w") as fifo:
            fifo.write("\n")


@pytest.fixture
def hooks(sandbox):
    return Hooks(sandbox)


def hook_process(proxy):
    """The process that runs hooks: the proxy's child of that name."""
    for child in pathlib.Path(f"/proc/{proxy}/task/{proxy}/children").read_text().split():
        if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "curfew-hooks":
            return int(child)
    return None


SAYS = 'echo "$CURFEW_EVENT $CURFEW_STATE" >>"$LOG"'


def test_hooks_run_through_a_whole_life(sandbox, hooks, containment):
    """Each lifecycle event of a plain program, in order, with the state it is in."""
    events = ["didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground", "willEnterForeground",
              "willTerminate", "zone", "fetch"]
    running = hooks.start(
        *((event, SAYS) for event in events), options=["--containment", containment, "--wake-limit", "0.2"])
    hooks.wait("didFinishLaunching active", "didBecomeActive active")
    sandbox.curfew("home", running.name)
    hooks.wait("willResignActive background", "didEnterBackground background")
    running.wait_state("suspended")
    sandbox.curfew("post", running.name, "zone")
    sandbox.curfew("wake", running.name, "fetch")
    hooks.wait("didEnterBackground background", "zone background", "fetch background")
    running.wait_state("suspended")
    sandbox.curfew("open", running.name)
    hooks.wait("willEnterForeground active", "didBecomeActive active")
    sandbox.curfew("quit", running.name)
    assert running.finish() == (143, "", "")
    assert hooks.lines()[-1] == "willTerminate active"
    assert len(hooks.lines()) == 10


def test_what_a_hook_finds_in_its_environment(sandbox, hooks):
    """The caller's environment, the event's fields, and nothing of the app's; no input, no descriptor besides."""
    show = """
        { env | grep -E "^(CURFEW_|NOTIFY|LOG)"; ls /proc/self/fd; readlink /proc/self/fd/0; } >"$LOG.$CURFEW_EVENT"
        echo $CURFEW_EVENT >>"$LOG"
    """
    hooks.environment.update(CURFEW_INFO_stale="x", CURFEW_WAKE="stale", NOTIFY_SOCKET="/callers")
    running = hooks.start(
        *((event, show) for event in ("didFinishLaunching", "net.did-change", "didEnterBackground")),
        options=["--background", "--wake", "fetch", "--launch-option", "from=ada b", "--manual-clock", "--grace", "60"])
    hooks.wait("didFinishLaunching", "didEnterBackground")
    sandbox.curfew("post", running.name, "net.did-change", "on-line.v4=y\"es", "Raum=ä")
    hooks.wait("net.did-change")
    common = {
        "CURFEW_APP": running.name, "CURFEW_PID": str(running.status()["pid"]), "CURFEW_STATE": "background",
        "CURFEW_TEST_MARKER": sandbox.marker, "LOG": str(hooks.log), "NOTIFY_SOCKET": "/callers"}
    expected = {
        "didFinishLaunching": {
            "CURFEW_SEQ": "1", "CURFEW_LAUNCHED": "background", "CURFEW_WAKE": "fetch", "CURFEW_INFO_from": "ada b"},
        "didEnterBackground": {"CURFEW_SEQ": "2"},
        "net.did-change": {
            "CURFEW_SEQ": "4", "CURFEW_KIND": "change", "CURFEW_INFO_on_line_v4": 'y"es', "CURFEW_INFO_Raum": "ä"},
    }
    for event, fields in expected.items():
        text = pathlib.Path(f"{hooks.log}.{event}").read_text()
        *_, input_ = text.splitlines()
        seen = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        assert seen == {**common, **fields, "CURFEW_EVENT": event}, text
        assert input_ == "/dev/null"
        # The fourth is the directory that ls reads.
        assert [line for line in text.splitlines() if line.isdigit()] == ["0", "1", "2", "3"]


def test_hooks_run_one_at_a_time_in_order(sandbox, hooks):
    """Each after the one before, however fast the events come; of two for one event the last counts."""
    command = 'echo "+ $CURFEW_EVENT" >>"$LOG"; sleep 0.02; echo "- $CURFEW_EVENT" >>"$LOG"'
    order = ["willResignActive", "didEnterBackground", "willEnterForeground", "didBecomeActive"]
    running = hooks.start(("didEnterBackground", "echo never >>$LOG"), *((event, command) for event in reversed(order)))
    for _ in range(3):
        sandbox.curfew("home", running.name)
        sandbox.curfew("open", running.name)
    expected = ["didBecomeActive"] + order * 3
    wait_for("all to have run", lambda: len(hooks.lines()) == 2 * len(expected))
    assert hooks.lines() == [f"{sign} {event}" for event in expected for sign in "+-"]


def test_a_hook_drives_the_app(sandbox, hooks, containment):
    """It is an operator: it sends the app home, opens it, and ends it; the app itself may not."""
    running = hooks.start(
        ("zone", 'curfew home "$CURFEW_APP" && curfew status "$CURFEW_APP" --json | grep -c suspended >>"$LOG"'),
        ("willEnterForeground", 'curfew quit "$CURFEW_APP"; echo quit $? >>"$LOG"'),
        options=["--containment", containment])
    sandbox.curfew("post", running.name, "zone")
    hooks.wait("1")
    sandbox.curfew("open", running.name)
    assert running.finish() == (143, "", "")
    assert hooks.lines() == ["1", "quit 0"]


def test_a_hook_is_outside_the_app(sandbox, hooks, containment):
    """Neither stopped when the app is, nor counted, nor killed with it; the run's end waits for it."""
    running = hooks.start(
        ("willResignActive", 'echo $$ >>"$LOG"; read x <"$FIFO"; echo done >>"$LOG"'),
        options=["--containment", containment])
    sandbox.curfew("home", running.name)
    hook = hooks.number()
    assert running.status()["state"] == "suspended"
    assert running.status()["processes"] == 1
    assert set(letters([hook, hook_process(running.pid)])) <= {"S", "R"}
    leader = running.status()["pid"]
    quitting = subprocess.Popen(
        ["curfew", "quit", running.name], env=sandbox.environment, stdout=subprocess.DEVNULL)
    wait_for("the app to be gone", lambda: not is_alive(leader))
    assert is_alive(hook) and running.process.poll() is None
    hooks.let_go()
    assert quitting.wait(LIMIT) == 0
    assert running.finish()[0] == 137
    assert hooks.lines()[-1] == "done"


def test_what_a_hook_leaves_behind_is_killed(sandbox, hooks):
    """A child in a session of its own doesn't outlive the hook that started it."""
    running = hooks.start(("zone", 'setsid sleep 300 & echo $! >>"$LOG"'))
    sandbox.curfew("post", running.name, "zone")
    left = hooks.number()
    wait_for("it to be gone", lambda: not is_alive(left))
    assert running.status()["state"] == "active"
    assert tree(hook_process(running.pid)) == []


def test_a_hook_that_fails_hurts_nobody(sandbox, hooks):
    """What it prints is the caller's to see; the app goes on, and so do later hooks."""
    running = hooks.start(
        ("one", 'no-such-program; echo $? >>"$LOG"; exit 3'), ("two", "kill -9 $$"), ("three", "if then"),
        ("four", SAYS))
    for _ in range(2):
        for event in ("one", "two", "three", "four"):
            sandbox.curfew("post", running.name, event)
    hooks.wait("127", "four active", "127", "four active")
    running.process.stdin.close()
    running.process.stdin = None
    sandbox.curfew("quit", running.name)
    status, _, err = running.finish()
    assert (status, err.count("not found"), err.count("Syntax error")) == (143, 2, 2), err


@needs_root
def test_a_hook_that_can_not_be_started(sandbox, hooks):
    """Where there is no shell to run it, that is said each time, and the app goes on."""
    if not shutil.which("unshare"):
        pytest.skip("unshare isn't installed")
    shell = pathlib.Path("/bin/sh").resolve()
    nothing = sandbox.scratch / "nothing"
    nothing.touch()
    command = [
        "unshare", "--mount", "bash", "-c", f"mount --bind {nothing} {shell} && exec curfew run --name nosh "
        "--exec-on 'zone=true' -- bash -c 'echo up; while :; do read x; done'"]
    process = subprocess.Popen(
        command, env=sandbox.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True)
    try:
        if process.stdout.readline() != "up\n":
            pytest.skip(f"a shell can't be hidden here: {process.stderr.read().strip()}")
        assert sandbox.curfew("post", "nosh", "zone").returncode == 0
        assert process.stderr.readline() == "curfew: --exec-on zone: can't start sh: Permission denied\n"
        assert sandbox.curfew("quit", "nosh").returncode == 0
        assert process.wait(LIMIT) == 143
    finally:
        process.kill()
        process.communicate()


def test_more_hooks_than_can_wait_are_dropped_and_told_of(sandbox, hooks):
    """While one hangs, events pile up to a bound; the supervisor goes on, and says which were dropped."""
    running = hooks.start(("zone", 'echo $$ >>"$LOG"; read x <"$FIFO"'))
    with Client(socket_of(running)) as operator:
        assert operator.ask("post name=zone info.big=" + "x" * 3000).verb == "ok"
        hook = hooks.number()
        for _ in range(2000):
            assert operator.ask("post name=zone info.big=" + "x" * 3000).verb == "ok"
    wait_event(running, "hookDropped", event="zone")
    assert running.status()["state"] == "active"
    assert is_alive(hook)
    # The others find nothing to wait for.
    hooks.fifo.unlink()
    hooks.fifo.touch()
    os.kill(hook, signal.SIGKILL)
    wait_for("the next to run", lambda: hooks.number() != hook)


HANGS = 'echo "$CURFEW_EVENT" >>"$LOG"; setsid sleep 300 & sleep 300'


def test_hooks_that_hang_have_five_seconds_after_the_app(sandbox, hooks):
    """At the end of a run, and when halves of curfew are killed: then all that hooks started is killed."""
    ended = hooks.start(("willResignActive", HANGS), ("willTerminate", HANGS))
    killed = [hooks.start(("zone", HANGS)) for _ in range(3)]
    sandbox.curfew("interrupt", ended.name)
    for running in killed:
        sandbox.curfew("post", running.name, "zone")
    wait_for("four to hang", lambda: sorted(hooks.lines()) == ["willResignActive"] + ["zone"] * 3)
    processes = [hook_process(running.pid) for running in killed]
    started = [pid for process in processes for pid in tree(process)]
    # Both halves killed at once is the one case in which the app may live on.
    orphan = killed[2].status()["pid"]
    supervisors = [running.status()["supervisor"] for running in killed]
    begun = time.monotonic()
    # The proxy first: in the supervisor's place it would be killing what the hooks have started when it is killed.
    for pid in (supervisors[0], killed[1].pid, killed[2].pid, supervisors[2]):
        end(pid)
    assert sandbox.curfew("quit", ended.name).returncode == 0
    assert ended.finish() == (143, "", "")
    assert time.monotonic() - begun > 4.5
    assert hooks.lines().count("willTerminate") == 0, "it had no time left"
    assert [running.finish()[0] for running in killed[:2]] == [125, -signal.SIGKILL]
    wait_for_end(sandbox, processes + started)
    end(orphan)
    wait_for("everything to be gone", lambda: not sandbox.processes())
    assert sandbox.curfew("run", "true").returncode == 0  # sweeps what both halves couldn't
    wait_for("the cgroups to go", lambda: not sandbox.cgroups())
    for path in sandbox.sockets():
        path.unlink()


def wait_for_end(sandbox, pids):
    """Waits until none of them lives; fails with what they are."""
    deadline = time.monotonic() + LIMIT
    while left := [pid for pid in pids if is_alive(pid)]:
        assert time.monotonic() < deadline, f"left: {sandbox.describe(left)}"
        time.sleep(0.05)  # a while


def end(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def test_a_hook_process_that_is_killed_takes_nothing_with_it(sandbox, hooks):
    """Its hooks aren't run any more, which is told; the app, and the run's status, are as ever."""
    running = hooks.start(("zone", SAYS))
    # It is forked for the program's launch, and has its name when it gets to run.
    victim = wait_for("the hooks' process", lambda: hook_process(running.pid))
    os.kill(victim, signal.SIGKILL)
    wait_for("it to be gone", lambda: not is_alive(victim))
    sandbox.curfew("post", running.name, "zone")
    wait_event(running, "hookDropped", event="zone")
    sandbox.curfew("home", running.name)
    assert running.status()["state"] == "suspended"
    sandbox.curfew("open", running.name)
    sandbox.curfew("quit", running.name)
    assert running.finish() == (143, "", "")


def test_who_asks_for_no_hook_pays_for_none(sandbox):
    """No process waits where there is nothing to run."""
    running = trapping(sandbox)
    assert hook_process(running.pid) is None
    assert len(pathlib.Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()) == 1


# Settings


@pytest.fixture
def settings(sandbox):
    path = sandbox.scratch / "app.conf"
    path.write_text("one\n")
    return path


def watching(sandbox, path, *options):
    return Speaker(sandbox, options=["--settings", path, *options]).launched()


def replace(path, text):
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    new.rename(path)


def hears_change(app, path, exists=True):
    event, = app.hear("settingsDidChange")
    assert (event["kind"], event["info.path"], event.get("info.exists")) == (
        "change", str(path), None if exists else "false"), event.text


def test_each_change_of_the_settings_is_told(sandbox, settings):
    """Written in place, appended to, replaced, removed, made anew: once each."""
    app = watching(sandbox, settings)
    settings.write_text("two\n")
    hears_change(app, settings)
    with settings.open("a") as file:
        file.write("three\n")
    hears_change(app, settings)
    for number in range(3):
        replace(settings, f"replaced {number}\n")
        hears_change(app, settings)
    settings.unlink()
    hears_change(app, settings, exists=False)
    replace(settings, "again\n")
    hears_change(app, settings)
    app.hears_no_more()


def test_settings_made_in_place_are_told_once_they_are_whole(sandbox, settings):
    """Made and then written they may be two changes; after the last of them what was written is there."""
    app = watching(sandbox, settings)
    settings.unlink()
    hears_change(app, settings, exists=False)
    with settings.open("w") as file:
        file.write("again\n")
        file.flush()
    seen = []
    while not seen or seen[-1] != "whole":
        hears_change(app, settings)
        seen.append("whole" if settings.read_text() == "again\n" else "empty")
    assert delivered(app.running).count("settingsDidChange") <= 3


def test_reading_the_settings_is_no_change(sandbox, settings):
    """Neither is what happens to a neighbour."""
    app = watching(sandbox, settings)
    for _ in range(3):
        settings.read_text()
        (settings.parent / "neighbour").write_text("x")
    replace(settings.parent / "neighbour", "y")
    # What comes first is this one.
    settings.write_text("two\n")
    hears_change(app, settings)
    app.hears_no_more()
    assert delivered(app.running).count("settingsDidChange") == 1


def test_settings_behind_links(sandbox, settings):
    """A link led elsewhere is a change, the way files are projected into containers: a link to a directory's link."""
    folder = sandbox.scratch / "projected"
    for version in ("v1", "v2", "v3"):
        (folder / version).mkdir(parents=True)
        (folder / version / "app.conf").write_text(version)
    (folder / "data").symlink_to("v1")
    link = sandbox.scratch / "link.conf"
    link.symlink_to(folder / "data" / "app.conf")
    app = watching(sandbox, link)
    for version in ("v2", "v3"):
        (folder / "next").symlink_to(version)
        (folder / "next").rename(folder / "data")
        hears_change(app, link)
        assert link.read_text() == version
    (folder / "v3" / "app.conf").write_text("in place")
    hears_change(app, link)
    (sandbox.scratch / "new").symlink_to(settings)
    (sandbox.scratch / "new").rename(link)
    hears_change(app, link)
    app.hears_no_more()


def test_settings_that_are_not_there_yet(sandbox, settings):
    """Made later, they are a change."""
    path = settings.with_name("later.conf")
    app = watching(sandbox, path)
    app.hears_no_more()
    path.write_text("now\n")
    hears_change(app, path)


def test_settings_whose_directory_goes_and_comes(sandbox, settings):
    """Removed with its directory, moved away, and back again."""
    folder = sandbox.scratch / "conf"
    folder.mkdir()
    path = folder / "app.conf"
    path.write_text("one\n")
    app = watching(sandbox, path)
    folder.rename(folder.with_name("away"))
    hears_change(app, path, exists=False)
    folder.with_name("away").rename(folder)
    hears_change(app, path)
    shutil.rmtree(folder)
    hears_change(app, path, exists=False)
    folder.mkdir()
    path.write_text("again\n")
    hears_change(app, path)


def test_settings_changed_while_suspended_are_told_once(sandbox, settings):
    """Nobody is woken; opened, the app hears of it between willEnterForeground and didBecomeActive."""
    app = watching(sandbox, settings)
    app.drive("home")
    app.hear("willResignActive", "didEnterBackground")
    app.running.wait_state("suspended")
    pids = app.pids()
    for number in range(5):
        settings.write_text(f"{number}\n")
        app.running.wait_told("it to be noted", lambda: kept(app.running) >= number + 1)
    assert_all_stopped(app.running, pids)
    assert app.running.status()["keptChanges"] == ["settingsDidChange"]
    app.drive("open")
    app.hear("willEnterForeground", "settingsDidChange", "didBecomeActive")
    app.hears_no_more()


def kept(running):
    return sum(event["name"] == "changeKept" for event in history(running))


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_settings_signal(sandbox, settings, shell):
    """--settings-signal HUP: a server reloads, in front at once, and after it was suspended once it runs."""
    running = sandbox.start(
        shell, "-c", f"trap 'read -r first <{settings}; echo hup $first' HUP; {READING}", stdin=subprocess.PIPE,
        options=["--settings", settings, "--settings-signal", "HUP"])
    running.expect("up")
    leader = running.status()["pid"]
    replace(settings, "two\n")
    assert lines(running, 1) == ["hup two"]
    sandbox.curfew("home", running.name)
    assert running.status()["state"] == "suspended"
    settings.write_text("three\n")
    wait_event(running, "changeKept", event="settingsDidChange")
    assert pending(leader) == set()
    assert_all_stopped(running, [leader])
    sandbox.curfew("open", running.name)
    assert lines(running, 1) == ["hup three"]


def test_settings_run_hooks(sandbox, hooks, settings):
    """The same event, with what it carries."""
    running = hooks.start(
        ("settingsDidChange", 'echo "$CURFEW_INFO_path ${CURFEW_INFO_exists-true}" >>"$LOG"'),
        options=["--settings", str(settings)])
    settings.write_text("two\n")
    hooks.wait(f"{settings} true")
    settings.unlink()
    hooks.wait(f"{settings} false")
    assert running.status()["state"] == "active"


@pytest.mark.parametrize("path, reason", [("no/such/app.conf", "No such file or directory"), (".", "Is a directory")])
def test_settings_that_can_not_be_watched(sandbox, path, reason):
    """125, one line, and nothing was started."""
    path = sandbox.scratch / path
    result = sandbox.curfew("run", "--settings", path, "--", "echo", "started")
    assert (result.returncode, result.stdout) == (125, "")
    assert result.stderr.startswith(f"curfew: run: --settings {path}: ") and reason in result.stderr, result.stderr
    assert result.stderr.count("\n") == 1


def test_a_relative_path_stays_where_it_was(sandbox, settings):
    """It is the caller's directory's, wherever the program goes."""
    running = sandbox.shell(
        f"trap 'echo hup' HUP; cd /; {READING}", stdin=subprocess.PIPE,
        options=["--settings", settings.name, "--settings-signal", "HUP"], cwd=settings.parent)
    running.expect("up")
    settings.write_text("two\n")
    assert lines(running, 1) == ["hup"]
