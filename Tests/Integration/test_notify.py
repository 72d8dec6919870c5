"""sd_notify: what a program made for systemd says on NOTIFY_SOCKET, by hand, by systemd-notify, and by real daemons."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest

from conftest import LIMIT, is_alive, wait_for
from programs.driving import Speaker, advance, assert_killed, history, states, wait_event, wait_there
from programs.helpers import Client, assert_all_stopped, cpu_ticks, open_descriptors, resident_kib, socket_of, tree


def start(sandbox, *options, term="", aware=False, actions=()):
    """A program that sends what it is told to; it says no hello unless it is to be aware."""
    arguments = [*([] if aware else ["--no-hello"]), *(["--term", term] if term else []), *actions]
    app = Speaker(sandbox, *arguments, options=options)
    if not aware:
        app.does("!barrier")
    return app


def ignored(running):
    """Why datagrams, or lines of them, were ignored."""
    return [event["reason"] for event in history(running) if event["name"] == "notificationIgnored"]


def address_of(running):
    environment = pathlib.Path(f"/proc/{running.status()['pid']}/environ").read_bytes().split(b"\0")
    name, = [entry for entry in environment if entry.startswith(b"NOTIFY_SOCKET=@")]
    return b"\0" + name.partition(b"@")[2]


# READY, STATUS, STOPPING


def test_ready_meets_aware(sandbox):
    """READY=1 is a launch acknowledged: the launch limit passes, and the program is still plain."""
    app = start(sandbox, "--manual-clock", "--aware", "--launch-limit", "1.5")
    app.notifies("READY=1", "STATUS=Loading: 3 of 4")
    status = app.running.status()
    assert (status["ready"], status["aware"], status["notifyStatus"]) == (True, False, "Loading: 3 of 4")
    assert (advance(app.running, "1m")["seconds"], app.running.status()["state"]) == (60, "active")
    assert "it has said so (READY=1)" in app.running.status_text()
    assert app.drive("home") == "suspended"


def test_ready_acknowledges_the_launch_and_nothing_else(sandbox):
    """Of an aware app didFinishLaunching isn't owed any more; didEnterBackground is."""
    app = start(
        sandbox, "--manual-clock", "--launch-limit", "1", "--enter-background-limit", "5", aware=True,
        actions=["didFinishLaunching=mute", "didEnterBackground=mute"])
    app.launched()
    app.notifies("READY=1")
    assert advance(app.running, "1m")["seconds"] == 60
    app.drive("home")
    app.hear("willResignActive", "didEnterBackground")
    app.notifies("READY=1")
    advance(app.running, "1m")
    status, _, err = app.finish()
    assert status == 124
    assert_killed(
        err, app.name, "scene-update-watchdog", "0x8badf00d", "didEnterBackground wasn't acknowledged within 5 s",
        "waiting")


def test_ready_before_hello(sandbox):
    """Whoever says both owes no acknowledgement of the launch, and still hears of it."""
    app = start(sandbox, "--aware")
    app.notifies("READY=1")
    app.say("hello id=h version=1")
    app.running.expect(f"ok id=h version=1 app={app.name} state=active")
    launch, _ = app.hear("didFinishLaunching", "didBecomeActive")
    assert "ack" not in launch


def test_a_status_is_shown_cut_and_taken_back(sandbox):
    """256 bytes of it, in one line, without what could drive a terminal; the last one counts."""
    app = start(sandbox)
    app.notifies("STATUS=one")
    app.notifies("STATUS=" + "x" * 1000)
    assert app.running.status()["notifyStatus"] == "x" * 256
    app.notifies("STATUS=\\x1b[31mred\\x07")
    assert app.running.status()["notifyStatus"] == "\ufffd[31mred\ufffd"
    assert 'status        "\ufffd[31mred\ufffd"' in app.running.status_text()
    app.notifies("STATUS=a", "STATUS=b")
    assert app.running.status()["notifyStatus"] == "a"
    app.notifies("STATUS=")
    assert "notifyStatus" not in app.running.status()


def test_stopping_acknowledges_willTerminate(sandbox):
    """It is shown, and the program still has to end in time."""
    app = start(
        sandbox, "--manual-clock", "--terminate-limit", "15", aware=True, actions=["willTerminate=mute"]).launched()
    with Client(socket_of(app.running)) as operator:
        operator.send("quit id=1\n")
        event, = app.hear("willTerminate")
        app.notifies("STOPPING=1")
        wait_event(app.running, "didAcknowledge", event="willTerminate", seq=event["seq"])
        status = app.running.status()
        assert (status["stopping"], status["terminating"]) == (True, True)
        assert "it is ending by itself" in app.running.status_text()
    advance(app.running, "1m")
    status, _, err = app.finish()
    assert status == 124
    assert_killed(
        err, app.name, "process-exit-watchdog", "0x8badf00d", "it hadn't ended 15 s after willTerminate", "waiting")


def test_stopping_by_itself(sandbox):
    """Said while nobody has asked, it is noted; the status is the program's."""
    app = start(sandbox)
    app.notifies("STOPPING=1", "STATUS=Saving")
    assert app.running.status()["stopping"] is True
    app.say("!exit 3")
    assert app.finish() == (3, [], "")


# MAINPID


def test_a_daemon_names_its_main_process(sandbox, held):
    """The first process ends, the run goes on, and its status is the main process's."""
    app = start(sandbox, *held)
    first = app.running.status()["pid"]
    app.does("!daemonise")
    wait_for("the first process to be gone", lambda: not is_alive(first))
    status = app.running.status()
    assert (status["state"], status["processes"], is_alive(status["mainPid"])) == ("active", 1, True)
    wait_event(app.running, "mainProcessDidChange", pid=status["mainPid"])
    app.drive("home")
    assert_all_stopped(app.running, [status["mainPid"]])
    app.drive("open")
    app.say("!exit 6")
    assert app.finish() == (6, [], "")


def daemonise(app):
    """It has, and is on its own: as long as the first process is its parent, its status is nobody else's to know."""
    app.does("!daemonise")
    app.running.wait_told("the main process to be known", lambda: "mainPid" in app.running.status())
    wait_for("the first process to be gone", lambda: app.running.status()["processes"] == 1)


def test_a_daemon_that_is_quick(sandbox, held):
    """However soon the first process ends after its word, the word counts."""
    for status in range(1, 7):
        app = start(sandbox, *held)
        daemonise(app)
        app.say(f"!exit {status}")
        assert app.finish() == (status, [], "")


def test_quit_asks_the_main_process(sandbox, held):
    """SIGTERM goes to it; 143 if that ended it, and signals of events are its, too."""
    app = start(sandbox, *held)
    daemonise(app)
    assert sandbox.curfew("quit", app.name).returncode == 0
    assert app.finish() == (143, [], "")


def test_signals_of_events_go_to_the_main_process(sandbox):
    """As they go to COMMAND where none was named."""
    app = Speaker(sandbox, "--no-hello", "--term", "!notify STATUS=heard", options=["--on=zone=TERM"])
    daemonise(app)
    app.drive("post", "zone")
    wait_event(app.running, "didNotifyStatus", text="heard")
    app.say("!exit 2")
    assert app.finish() == (2, [], "")


def test_what_a_main_process_leaves_behind_is_killed(sandbox, held):
    """Its end is the run's, also while the process that was started first lives."""
    app = Speaker(sandbox, "--no-hello", "--children", "2", options=held)
    app.does("!barrier")
    leader = app.running.status()["pid"]
    child = tree(leader)[0]
    app.notifies(f"MAINPID={child}")
    assert app.running.status()["mainPid"] == child
    os.kill(child, signal.SIGKILL)
    status, _, err = app.finish()
    # Whose child it is hears how it ended; it isn't curfew's.
    assert (status, err) == (0, "")
    assert not is_alive(leader) and not sandbox.processes()


def test_a_main_process_of_somebody_else_is_refused(sandbox):
    """Only a process of the app's can be it; nor can one that is no number, or gone."""
    app = start(sandbox)
    leader = app.running.status()["pid"]
    gone = subprocess.Popen(["true"])
    gone.wait()
    for value in (os.getpid(), 1, gone.pid, 0, -1, "x", 2**40):
        app.notifies(f"MAINPID={value}")
    assert len(ignored(app.running)) == 7
    assert "mainPid" not in app.running.status()
    app.notifies(f"MAINPID={leader}")
    assert len(ignored(app.running)) == 7
    app.say("!exit 4")
    assert app.finish() == (4, [], "")


# EXTEND_TIMEOUT_USEC


def test_a_launch_is_extended(sandbox):
    """Repeated, it goes on and on; then READY=1 comes in time."""
    app = start(sandbox, "--manual-clock", "--aware", "--launch-limit", "1")
    for _ in range(4):
        app.notifies("EXTEND_TIMEOUT_USEC=900000")
        advance(app.running, "0.4")
    app.notifies("READY=1")
    advance(app.running, "1m")
    status = app.running.status()
    assert (status["state"], status["runningFor"]) == ("active", 61.6)
    assert [event["seconds"] for event in history(app.running) if event["name"] == "timeoutExtended"] == [0.9] * 4


def test_an_extended_launch_that_goes_silent(sandbox):
    """It is killed when what it was granted last is over, and the line has the time it had in all."""
    app = start(sandbox, "--manual-clock", "--aware", "--launch-limit", "30")
    advance(app.running, "2")
    app.notifies("EXTEND_TIMEOUT_USEC=40000000")
    answer = advance(app.running, "5m")
    assert (answer["seconds"], answer["state"]) == (40, "notRunning")
    status, _, err = app.finish()
    assert status == 124
    assert_killed(
        err, app.name, "launch-watchdog", "0x8badf00d", "it said neither hello nor READY=1 within 42 s of its launch",
        "waiting")


def test_an_extension_never_shortens(sandbox):
    """The limit is the earliest end, whatever is asked for."""
    app = start(sandbox, "--manual-clock", "--aware", "--launch-limit", "60")
    app.notifies("EXTEND_TIMEOUT_USEC=1")
    assert advance(app.running, "59")["seconds"] == 59
    assert app.running.status()["state"] == "active"
    app.notifies("READY=1")


def test_an_end_is_extended(sandbox):
    """A program that needs longer to stop says so, and its own status counts."""
    app = start(sandbox, "--manual-clock", "--terminate-limit", "1", term="!notify EXTEND_TIMEOUT_USEC=30000000")
    with Client(socket_of(app.running)) as operator:
        assert operator.ask("quit").verb == "ok"
    wait_event(app.running, "timeoutExtended")
    assert advance(app.running, "29")["state"] == "active"
    app.say("!exit 8")
    assert app.finish() == (8, [], "")


def test_home_and_a_waking_event_are_extended(sandbox):
    """Whatever transition runs."""
    app = start(
        sandbox, "--manual-clock", "--enter-background-limit", "1", "--wake-limit", "1", aware=True,
        actions=["didEnterBackground=mute", "push=mute"]).launched()
    app.drive("home")
    _, background = app.hear("willResignActive", "didEnterBackground")
    app.notifies("EXTEND_TIMEOUT_USEC=30000000")
    assert advance(app.running, "29")["state"] == "background"
    app.say(f"ack seq={background['seq']}")
    app.running.wait_state("suspended")
    app.drive("wake", "push")
    background, push = app.hear("didEnterBackground", "push")
    app.notifies("EXTEND_TIMEOUT_USEC=30000000")
    assert advance(app.running, "29")["state"] == "background"
    app.say(f"ack seq={background['seq']}", f"ack seq={push['seq']}")
    app.running.wait_state("suspended")
    assert states(app.running).count("suspended") == 2


def test_nothing_to_extend(sandbox):
    """With no transition running it is noted, and so is what is no time."""
    app = start(sandbox)
    app.notifies("EXTEND_TIMEOUT_USEC=1000000")
    wait_event(app.running, "nothingToExtend")
    for value in ("0", "-1", "x", "", "18446744073709551615", "1e6"):
        app.notifies(f"EXTEND_TIMEOUT_USEC={value}")
    assert len(ignored(app.running)) == 6


# Signs of life, which are owed in real time: whether one comes in time is up to the machine as well


def killed_after(app):
    """How long after the last datagram it was killed, in seconds: by the journal, so by the supervisor's own clock."""
    now = notified = None
    for line in (app.sandbox.scratch / f"{app.name}.journal").read_text().splitlines():
        if line.startswith("input "):
            now = int((re.search(r" real=(\d+)", line) or re.search(r" at=(\d+)", line)).group(1))
            if " name=notified " in line:
                notified = now
        elif line.startswith("effect name=kill "):
            return (now - notified) / 1e9
    pytest.fail("it wasn't killed")


def test_signs_of_life_keep_it_alive(sandbox):
    """The interval stands in the environment; each that comes is good for a whole one, and the first that misses is the end."""
    app = start(sandbox, "--watchdog", "30")
    app.say("!env WATCHDOG_USEC")
    assert app.running.read_line() == "30000000"
    assert app.running.status()["watchdog"] == 30
    app.say("!notify WATCHDOG_USEC=1200000", *["!notify WATCHDOG=1", "!sleep 0.2"] * 8)
    status, _, err = app.finish()
    assert killed_after(app) >= 1.2
    assert (status, err) == (
        124,
        f"curfew: {app.name}: killed: watchdog (0x8badf00d): it gave no sign of life (WATCHDOG=1) for 1.2 s\n")


def test_the_first_sign_of_life_is_owed_too(sandbox):
    """A program that never gives one is killed when the interval is over."""
    running = sandbox.start("sleep", "60", options=["--watchdog", "0.4"])
    assert running.finish() == (
        124, "",
        f"curfew: {running.name}: killed: watchdog (0x8badf00d): it gave no sign of life (WATCHDOG=1) for 0.4 s\n")


def test_the_environment_without_a_watchdog(sandbox):
    """The caller's own watchdog is nothing to the app."""
    app = Speaker(
        sandbox, "--no-hello", env=dict(sandbox.environment, WATCHDOG_USEC="1", WATCHDOG_PID="1", NOTIFY_SOCKET="/no"))
    app.say("!env WATCHDOG_USEC", "!env WATCHDOG_PID", "!env NOTIFY_SOCKET")
    assert [app.running.read_line() for _ in range(2)] == ["none", "none"]
    assert app.running.read_line().startswith("@")


def test_the_interval_is_scaled(sandbox):
    """By --time-scale, in the environment too."""
    app = start(sandbox, "--watchdog", "60", "--time-scale", "10")
    app.say("!env WATCHDOG_USEC")
    assert app.running.read_line() == "6000000"


def test_a_program_that_finds_itself_broken(sandbox, held):
    """WATCHDOG=trigger ends it at once, with --watchdog or without."""
    app = start(sandbox, *held)
    app.say("!notify WATCHDOG=trigger")
    status, _, err = app.finish()
    assert (status, err) == (
        124,
        f"curfew: {app.name}: killed: watchdog (0x8badf00d): it reported itself broken (WATCHDOG=trigger)\n")


def test_nothing_is_owed_while_suspended(sandbox):
    """Stopped for longer than its interval it lives; opened it has a whole one."""
    # It is stopped as it is started: nothing that it, or this test, has to do comes between.
    running = sandbox.start("sleep", "300", options=["--background", "--grace", "0", "--watchdog", "1"])
    wait_there(running)
    running.wait_state("suspended")
    wait_for("more than the interval to pass", lambda: running.status()["since"] > 1.2)
    assert running.status()["state"] == "suspended"
    assert sandbox.curfew("open", running.name).returncode == 0
    status, _, err = running.finish()
    assert status == 124 and "it gave no sign of life (WATCHDOG=1) for 1 s" in err
    # By the supervisor's clock: when any other process has its turn is up to the machine.
    events = json.loads((sandbox.scratch / f"{running.name}.account").read_text())["events"]
    opened, = [event["time"] for event in events if (event.get("from"), event.get("to")) == ("suspended", "active")]
    killed, = [event["time"] for event in events if event["name"] == "willKill"]
    assert killed - opened > 0.99


def test_nothing_is_owed_before_the_launch_is_over(sandbox):
    """With --aware: from READY=1 on."""
    app = start(sandbox, "--manual-clock", "--aware", "--watchdog", "0.6")
    app.does("!sleep 0.9")
    # It can be over before the app could say that it was heard.
    app.say("!notify READY=1")
    status, _, err = app.finish()
    assert killed_after(app) >= 0.6
    assert status == 124 and "watchdog (0x8badf00d): it gave no sign of life (WATCHDOG=1) for 0.6 s" in err


def test_the_interval_is_the_programs_to_change(sandbox):
    """WATCHDOG_USEC sets it, 0 ends it; what is no number is noted."""
    app = start(sandbox, "--watchdog", "30")
    app.notifies("WATCHDOG_USEC=45000000")
    assert app.running.status()["watchdog"] == 45
    app.notifies("WATCHDOG_USEC=x")
    assert ignored(app.running) == ["WATCHDOG_USEC is not a number of microseconds"]
    app.notifies("WATCHDOG_USEC=0")
    assert "watchdog" not in app.running.status()
    app.say("!notify WATCHDOG_USEC=400000")
    status, _, err = app.finish()
    assert status == 124 and "for 0.4 s\n" in err


# BARRIER, rubbish, floods, strangers


def test_a_barrier_is_passed_once_all_before_is_dealt_with(sandbox):
    """Its descriptor is closed then, and not before; with anything beside it, it is refused, and closed."""
    app = start(sandbox)
    for number in range(20):
        app.does(f"!notify STATUS={number}", "!barrier")
        assert app.running.status()["notifyStatus"] == str(number)
    app.notifies("BARRIER=1", "STATUS=beside")
    assert app.running.status()["notifyStatus"] == "19"
    assert ignored(app.running) == ["BARRIER=1 came with other fields, so all of them are ignored"]


def test_descriptors_sent_along_are_closed(sandbox):
    """FDSTORE=1 keeps none: 200 times 100 of them leave the supervisor as it was."""
    script = (
        "import os, socket\n"
        "print('up', flush=True); input()\n"
        "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
        "s.connect(os.environ['NOTIFY_SOCKET'].replace('@', '\\0', 1))\n"
        "ours, theirs = os.pipe()\n"
        "for _ in range(200):\n"
        "    socket.send_fds(s, [b'FDSTORE=1\\nFDNAME=x'], [theirs] * 100)\n"
        "os.close(theirs)\n"
        "print(os.read(ours, 1), flush=True)\n"
        "input()\n")
    running = sandbox.start("python3", "-SE", "-c", script, stdin=subprocess.PIPE)
    running.expect("up")
    before = descriptors(running)
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    assert running.read_line() == "b''"
    wait_for("the supervisor's to be as before", lambda: descriptors(running) == before)
    assert ignored(running) == []


def descriptors(running):
    """Those of the supervisor, one connection's among them: once that is answered, the end of any before is known."""
    supervisor = running.status()["supervisor"]
    with Client(socket_of(running)) as client:
        assert client.ask("tasks").verb == "ok"
        return open_descriptors(supervisor)


RUBBISH = ["", "\\n\\n", "READY", "=1", "READY=2", "ready=1", "READY=1 ", " READY=1", "STATUS", "\\x00\\x01",
           "READY=1\\x00X=1", "\\xff\\xfe=\\xff", "MAINPID=", "WATCHDOG=2", "X=" + "y" * 4000, "A=1\\n" * 900]


def test_rubbish_is_ignored(sandbox):
    """Whatever comes, nothing is taken for READY, the supervisor lives, and what can't have been meant so is noted."""
    app = start(sandbox, "--watchdog", "60")
    for text in RUBBISH:
        app.does("!notify " + text)
    app.does("!barrier")
    status = app.running.status()
    assert "ready" not in status and (status["state"], status["watchdog"]) == ("active", 60)
    reasons = set(ignored(app.running))
    assert {"a line has no '='", "a line has no key before its '='", "it holds a NUL byte", "it is empty"} <= reasons
    app.notifies("READY=1")
    assert app.running.status()["ready"] is True


def test_4096_bytes_are_a_datagram_and_4097_are_none(sandbox):
    """The longest counts in whole, one that is longer not even in part."""
    app = start(sandbox)
    app.notifies("X=" + "y" * (4096 - len("X=\nSTATUS=in")), "STATUS=in")
    assert app.running.status()["notifyStatus"] == "in"
    app.notifies("STATUS=out", "X=" + "y" * (4097 - len("STATUS=out\nX=")))
    assert app.running.status()["notifyStatus"] == "in"
    app.notifies("STATUS=out", "X=" + "y" * 100000)
    assert app.running.status()["notifyStatus"] == "in"
    assert ignored(app.running) == ["it is longer than 4096 bytes"] * 2


def test_a_stranger_is_not_heard(sandbox, held):
    """The socket can be found by anybody; who isn't of the app is ignored, and it is told who that was."""
    app = start(sandbox, *held)
    begun = time.monotonic()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stranger:
        stranger.connect(address_of(app.running))
        for text in (b"READY=1", b"STOPPING=1", b"WATCHDOG=trigger", b"STATUS=lies", f"MAINPID={os.getpid()}".encode()):
            stranger.send(text)
    app.does("!barrier")
    # One line a second at most, so that nobody can push the rest out of the history.
    most = 1 + int(time.monotonic() - begun)
    first, *others = ignored(app.running)
    told = f"process {os.getpid()} isn't one of the app's, or is gone"
    assert first == told and all(other.startswith(told) for other in others) and 1 + len(others) <= most, others
    status = app.running.status()
    assert not {"ready", "stopping", "notifyStatus", "mainPid"} & set(status)
    assert status["state"] == "active"


def test_another_app_is_a_stranger_too(sandbox):
    """A process inside another app speaks for that one only."""
    app = start(sandbox)
    script = (
        "import socket\n"
        "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
        f"s.sendto(b'READY=1', {address_of(app.running)!r})\n"
        "print('sent', flush=True); input()\n")
    other = sandbox.start("python3", "-SE", "-c", script, stdin=subprocess.PIPE)
    other.expect("sent")
    app.does("!barrier")
    assert ("ready" in app.running.status(), len(ignored(app.running))) == (False, 1)


@pytest.mark.parametrize("text", ["STATUS=flood", "garbage", "WATCHDOG=1\\nREADY=1\\nX=1"])
def test_10000_datagrams(sandbox, text):
    """They are dealt with in bounded time; meanwhile others are answered, and memory stays."""
    app = start(sandbox, "--watchdog", "60")
    supervisor = app.running.status()["supervisor"]
    app.say("!flood 10000 " + text, "!barrier")
    for _ in range(10):
        assert app.running.status()["state"] == "active"
    app.running.expect("!barrier")
    assert resident_kib(supervisor) < 20 * 1024
    before = cpu_ticks(supervisor)
    time.sleep(0.3)  # a while
    assert cpu_ticks(supervisor) - before <= 2, "it is idle again"


def test_a_flood_from_a_stranger(sandbox):
    """Nor does one from outside hold anybody up."""
    app = start(sandbox)
    sender = subprocess.Popen(
        ["python3", "-SE", "-c",
         "import socket, sys\n"
         "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
         f"s.connect({address_of(app.running)!r})\n"
         "for _ in range(10000): s.send(b'READY=1')\n"])
    for _ in range(10):
        assert app.running.status()["state"] == "active"
    assert sender.wait(LIMIT) == 0
    app.notifies("STATUS=heard")
    status = app.running.status()
    assert ("ready" in status, status["notifyStatus"]) == (False, "heard")


# A line of 400 processes, the last 20 of which send for ever.
DEEP = """
import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect("\\0" + sys.argv[1])
for generation in range(400):
    if os.fork():
        if generation < 380: os.wait()
        break
print("up", flush=True) if generation == 399 else None
while True: s.send(b"READY=1")
"""


@pytest.mark.alone
def test_strangers_with_long_ancestries_hold_up_no_end(sandbox, held):
    """What children said is looked for at the end of each; who isn't of the app costs little, however deep it is."""
    running = sandbox.shell(
        'echo up; read go; for i in 1 2 3 4 5 6 7 8 9 10; do sh -c "sleep 0 & exit"; done; echo over',
        options=held, stdin=subprocess.PIPE)
    running.expect("up")
    strangers = subprocess.Popen(
        ["python3", "-SE", "-c", DEEP, address_of(running)[1:].decode()], stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert strangers.stdout.readline() == b"up\n"
        running.process.stdin.write(b"go\n")
        running.process.stdin.flush()
        assert running.finish()[:2] == (0, "over\n")
    finally:
        os.killpg(strangers.pid, signal.SIGKILL)
        strangers.wait()
        # The others are somebody else's children by then.
        wait_for("them to be gone", lambda: not group_exists(strangers.pid))


def group_exists(number):
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return False
    return True


# systemd-notify


def needs(*programs):
    missing = [program for program in programs if not shutil.which(program)]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)}: not installed; `make deps` does that")


@needs("systemd-notify")
def test_systemd_notify_in_a_script(sandbox, held):
    """As a unit's script has it: each returns once it is dealt with, and the status can be seen."""
    running = sandbox.shell(
        "systemd-notify --status='Reading 12 files' && echo one; read x;"
        "systemd-notify --ready --status='Serving' && echo two; read x;"
        "systemd-notify --no-block STOPPING=1; sleep 0.2; systemd-notify STATUS=Bye && echo three; read x; exit 4",
        options=[*held, "--aware"], stdin=subprocess.PIPE)
    seen = []
    for line in ("one", "two", "three"):
        running.expect(line)
        status = running.status()
        seen.append((status["notifyStatus"], status.get("ready", False)))
        running.process.stdin.write(b"\n")
        running.process.stdin.flush()
    assert seen == [("Reading 12 files", False), ("Serving", True), ("Bye", True)]
    assert running.finish() == (4, "", "")


@needs("systemd-notify")
def test_systemd_notify_names_the_main_process(sandbox, held):
    """--pid=…, and the shell that started it ends."""
    running = sandbox.shell(
        "sh -c 'read x; exit 7' <&3 & systemd-notify --pid=$! --ready", options=held, stdin=subprocess.PIPE,
        preexec_fn=lambda: os.dup2(0, 3), pass_fds=[3])
    wait_there(running)
    wait_for("the shell to be gone", lambda: running.status()["processes"] == 1 and "mainPid" in running.status())
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    assert running.finish() == (7, "", "")


# Real daemons


def answers(path, request, expected):
    """Whether a server on a Unix socket answers so."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(LIMIT)
            client.connect(str(path))
            client.sendall(request)
            return client.recv(4096).startswith(expected)
    # The connections that one who reloads has taken no notice of are reset.
    except (FileNotFoundError, ConnectionError):
        return False


def ready(running):
    """Waits for READY=1; by then the daemon must answer."""
    wait_event(running, "didBecomeReady")
    status = running.status()
    assert (status["ready"], status["state"]) == (True, "active")


def lives(sandbox, running, probe):
    """Home, open, quit: it is stopped, answers again, and ends by itself."""
    assert probe()
    assert sandbox.curfew("home", running.name).returncode == 0
    leader = running.status()["pid"]
    assert_all_stopped(running, [leader, *tree(leader)])
    sandbox.curfew("open", running.name)
    assert probe()
    assert sandbox.curfew("quit", running.name).returncode == 0
    status, _, err = running.finish()
    assert (status, "killed" in err) == (0, False), err


@needs("redis-server")
def test_redis_is_ready(sandbox):
    """--supervised systemd."""
    path = sandbox.runtime / "redis.sock"
    running = sandbox.start(
        "redis-server", "--port", "0", "--unixsocket", path, "--dir", sandbox.scratch, "--supervised", "systemd",
        "--daemonize", "no", options=["--aware"])
    ready(running)
    assert running.status()["notifyStatus"] == "Ready to accept connections"
    lives(sandbox, running, lambda: answers(path, b"PING\r\n", b"+PONG"))


HAPROXY = """
global
    maxconn 20
defaults
    mode http
    timeout client 5s
    timeout server 5s
    timeout connect 5s
frontend front
    bind {path}
    http-request return status {status}
"""


@needs("haproxy")
def test_haproxy_is_ready_and_reloads_its_settings(sandbox):
    """-Ws, as its unit has it; --settings with --settings-signal USR2 is its reload."""
    path, config = sandbox.runtime / "ha.sock", sandbox.scratch / "haproxy.cfg"
    config.write_text(HAPROXY.format(path=path, status=200))
    running = sandbox.start(
        "haproxy", "-Ws", "-f", config, options=["--aware", "--settings", config, "--settings-signal", "USR2"])
    ready(running)

    def says(status):
        return answers(path, b"GET / HTTP/1.0\r\n\r\n", f"HTTP/1.0 {status}".encode()) or answers(
            path, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", f"HTTP/1.1 {status}".encode())

    assert says(200)
    config.write_text(HAPROXY.format(path=path, status=403))
    wait_for("it to be reloaded", lambda: says(403) and catches(running.status()["pid"], signal.SIGTERM))
    lives(sandbox, running, lambda: says(403))


def catches(pid, number):
    """Whether a process has set up its handler: haproxy's first process executes itself anew to reload."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return bool(int(re.search(r"^SigCgt:\s+([0-9a-f]+)$", text, re.M).group(1), 16) & 1 << (number - 1))


@needs("mosquitto")
def test_mosquitto_is_ready(sandbox):
    """As its unit has it."""
    path, config = sandbox.runtime / "mo.sock", sandbox.scratch / "mosquitto.conf"
    config.write_text(f"listener 0 {path}\nallow_anonymous true\npersistence false\nuser root\n")
    running = sandbox.start("mosquitto", "-c", config, options=["--aware"])
    ready(running)
    # CONNECT of MQTT 3.1.1 with a client called `t`, and CONNACK.
    connect = bytes([0x10, 13, 0, 4]) + b"MQTT" + bytes([4, 2, 0, 60, 0, 1]) + b"t"
    lives(sandbox, running, lambda: answers(path, connect, bytes([0x20, 2, 0, 0])))


UNBOUND = """
server:
  interface: 127.0.0.1
  port: {port}
  username: ""
  chroot: ""
  directory: "{folder}"
  pidfile: ""
  use-syslog: no
  logfile: ""
  local-zone: "test." static
  local-data: "here.test. A 127.0.0.9"
remote-control:
  control-enable: no
"""


@needs("unbound")
def test_unbound_is_ready_and_says_that_it_stops(sandbox):
    """-d -p, as its unit has it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = sandbox.scratch / "unbound.conf"
    config.write_text(UNBOUND.format(port=port, folder=sandbox.scratch))
    running = sandbox.start("unbound", "-d", "-p", "-c", config, options=["--aware"])
    ready(running)
    query = bytes([7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]) + b"\4here\4test\0" + bytes([0, 1, 0, 1])

    def resolves():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(LIMIT)
            client.sendto(query, ("127.0.0.1", port))
            return client.recv(512).endswith(bytes([127, 0, 0, 9]))

    lives(sandbox, running, resolves)
