"""Each row of the lifecycle on real processes: what an aware app hears, in which order, and what it must answer."""

import json
import os
import signal
import subprocess
import sys

import pytest

from conftest import state_letter, wait_for
from programs.driving import (
    History, Speaker, advance, assert_killed, delivered, history, letters, states, wait_event, wait_running)
from programs.helpers import PROGRAMS, Client, Line, assert_all_stopped, socket_of, tree


def start(sandbox, *actions, options=(), **popen):
    """An aware app in front that has heard of its launch."""
    return Speaker(sandbox, *actions, options=options, **popen).launched()


def sent_home(sandbox, *actions, options=(), **popen):
    """The same, suspended."""
    app = start(sandbox, *actions, options=options, **popen)
    app.drive("home")
    app.hear("willResignActive", "didEnterBackground")
    app.running.wait_state("suspended")
    return app


# Launch


def test_launch_in_front(sandbox, held):
    """didFinishLaunching with all that is known, then didBecomeActive, and nothing else."""
    options = [*held, "--launch-option", "document=a \"b\" c.txt", "--launch-option", "page=12"]
    app = Speaker(sandbox, options=options)
    launch, active = app.hear("didFinishLaunching", "didBecomeActive")
    assert launch == {
        "name": "didFinishLaunching", "seq": "1", "ack": "required", "seconds": "20.000", "launched": "foreground",
        "containment": app.running.status()["containment"], "info.document": 'a "b" c.txt', "info.page": "12"}
    assert active == {"name": "didBecomeActive", "seq": "2"}
    app.hears_no_more()
    assert states(app.running) == ["active"]


def test_launch_in_background(sandbox, held):
    """No didBecomeActive; once both are acknowledged it is suspended."""
    app = Speaker(sandbox, options=[*held, "--background"])
    launch, background = app.hear("didFinishLaunching", "didEnterBackground")
    assert (launch["launched"], "wake" in launch) == ("background", False)
    assert (background["ack"], background["seconds"]) == ("required", "5.000")
    app.running.wait_state("suspended")
    assert_all_stopped(app.running, app.pids())
    app.drive("open")
    app.hear("willEnterForeground", "didBecomeActive")
    app.hears_no_more()
    assert states(app.running) == ["background", "suspended", "active"]


def test_launch_for_a_waking_event(sandbox, held):
    """--wake: the launch says why, and the event comes last, owed an acknowledgement of its own."""
    app = Speaker(sandbox, options=[*held, "--wake", "fetch", "--launch-option", "from=ada"])
    launch, _, event = app.hear("didFinishLaunching", "didEnterBackground", "fetch")
    assert (launch["launched"], launch["wake"], launch["info.from"]) == ("background", "fetch", "ada")
    assert (event["kind"], event["ack"], event["seconds"]) == ("wake", "required", "30.000")
    app.running.wait_state("suspended")
    assert delivered(app.running) == ["didFinishLaunching", "didEnterBackground", "fetch"]


def test_launched_in_background_with_a_task_it_has_a_full_budget(sandbox):
    """A task begun at the launch keeps it running, and its end suspends it."""
    app = Speaker(sandbox, "didEnterBackground=begin", options=["--manual-clock", "--background", "--budget", "300"])
    app.hear("didFinishLaunching", "didEnterBackground")
    assert Line(app.running.read_line())["remaining"] == "300.000"
    assert app.running.status()["state"] == "background"
    app.say("end id=1 task=1")
    app.running.wait_state("suspended")


def test_the_launch_is_told_once(sandbox):
    """A second connection that says hello hears what comes, by the same numbers, and of no launch."""
    both = f"{sys.executable} -SE {PROGRAMS}/lifecycle_app.py"
    running = sandbox.shell(f"{both} --prefix 1: & read x; {both} --socket --prefix 2:; wait", stdin=subprocess.PIPE)
    while "name=didBecomeActive" not in running.read_line():
        pass
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    assert running.read_line().startswith("2:ok version=1 ")
    sandbox.curfew("post", running.name, "zone")
    heard = sorted([running.read_line(), running.read_line()])
    assert heard == ["1:event name=zone seq=3 kind=change", "2:event name=zone seq=3 kind=change"]


def test_a_second_hello_on_one_connection_changes_nothing(sandbox):
    """It is answered, and events come once."""
    app = start(sandbox)
    assert app.ask("hello id=2 version=1").verb == "ok"
    app.hears_no_more()
    app.drive("post", "zone")
    app.hear("zone")
    app.hears_no_more()


# Home and open


def test_home_and_open(sandbox, held):
    """willResignActive, didEnterBackground, stopped; opened willEnterForeground, didBecomeActive; numbered in order."""
    app = start(sandbox, options=held)
    for turn in range(3):
        app.drive("home")
        _, background = app.hear("willResignActive", "didEnterBackground")
        assert (background["ack"], background["seconds"]) == ("required", "5.000")
        app.running.wait_state("suspended")
        assert_all_stopped(app.running, app.pids())
        assert app.drive("open") == "active"
        _, active = app.hear("willEnterForeground", "didBecomeActive")
        assert int(active["seq"]) == 2 + 4 * (turn + 1)
        app.hears_no_more()
    assert states(app.running) == ["active"] + ["background", "suspended", "active"] * 3


def test_it_is_suspended_once_home_is_acknowledged_and_not_before(sandbox, held):
    """`home` answers at once with `background`: the app runs until it has said that it has saved."""
    app = start(sandbox, "didEnterBackground=mute", options=[*held, "--manual-clock"])
    assert app.drive("home") == "background"
    _, background = app.hear("willResignActive", "didEnterBackground")
    status = app.running.status()
    assert (status["state"], status["unacknowledged"]) == ("background", ["didEnterBackground"])
    assert not set(letters(app.pids())) & set("T")
    app.say(f"ack seq={background['seq']}")
    app.running.wait_state("suspended")
    assert_all_stopped(app.running, app.pids())


def test_open_before_the_acknowledgement(sandbox):
    """Back in front, nothing is owed any more, and the late acknowledgement is of nothing."""
    app = start(sandbox, "didEnterBackground=mute", options=["--manual-clock"])
    app.drive("home")
    _, background = app.hear("willResignActive", "didEnterBackground")
    assert app.drive("open") == "active"
    app.hear("willEnterForeground", "didBecomeActive")
    assert "unacknowledged" not in app.running.status()
    assert app.ask(f"ack id=late seq={background['seq']}").text == "ok id=late"
    wait_event(app.running, "unknownAcknowledgement", seq=background["seq"])
    assert app.running.status()["state"] == "active"


def test_open_from_background(sandbox):
    """With a task open it runs on; opened it keeps its task, and its clock stands."""
    app = start(sandbox, "didEnterBackground=begin", options=["--manual-clock", "--budget", "100"])
    app.drive("home")
    app.hear("willResignActive", "didEnterBackground")
    assert Line(app.running.read_line())["task"] == "1"
    advance(app.running, "10")
    assert app.ask("remaining id=1")["seconds"] == "90.000"
    assert app.drive("open") == "active"
    app.hear("willEnterForeground", "didBecomeActive")
    assert app.ask("remaining id=2")["seconds"] == "inf"
    status = app.running.status()
    assert (status["openTasks"], status["remaining"]) == (1, None)
    assert states(app.running) == ["active", "background", "active"]


def test_each_home_refills_the_budget(sandbox):
    """What was spent in one stay in background isn't missing in the next."""
    app = start(sandbox, options=["--manual-clock", "--budget", "10"])
    assert app.ask("begin id=b name=long")["task"] == "1"
    for _ in range(3):
        app.drive("home")
        app.hear("willResignActive", "didEnterBackground")
        assert app.ask("remaining id=r")["seconds"] == "10.000"
        advance(app.running, "3")
        assert app.ask("remaining id=r")["seconds"] == "7.000"
        app.drive("open")
        app.hear("willEnterForeground", "didBecomeActive")


def test_home_and_open_are_idempotent(sandbox):
    """A second home, a second open: the same answer, and no event."""
    app = start(sandbox)
    assert app.drive("open") == "active"
    app.hears_no_more()
    app.drive("home")
    app.hear("willResignActive", "didEnterBackground")
    app.running.wait_state("suspended")
    assert app.drive("home") == "suspended"
    assert app.drive("open") == app.drive("open") == "active"
    app.hear("willEnterForeground", "didBecomeActive")
    app.hears_no_more()


# Interruptions


def test_an_interruption_that_is_ignored(sandbox):
    """Inactive and running, then active again; no background events at all, and both are idempotent."""
    app = start(sandbox)
    assert app.drive("interrupt") == app.drive("interrupt") == "inactive"
    app.hear("willResignActive")
    assert app.ask("remaining id=1")["seconds"] == "inf"
    assert app.drive("dismiss") == app.drive("dismiss") == "active"
    app.hear("didBecomeActive")
    app.hears_no_more()
    assert states(app.running) == ["active", "inactive", "active"]


def test_an_interruption_that_is_accepted(sandbox):
    """Home while inactive: didEnterBackground alone, for it has resigned already."""
    app = start(sandbox)
    app.drive("interrupt")
    app.hear("willResignActive")
    app.drive("home")
    app.hear("didEnterBackground")
    app.running.wait_state("suspended")
    app.drive("open")
    app.hear("willEnterForeground", "didBecomeActive")
    assert states(app.running) == ["active", "inactive", "background", "suspended", "active"]


def test_open_ends_an_interruption(sandbox):
    """As dismiss does."""
    app = start(sandbox)
    app.drive("interrupt")
    assert app.drive("open") == "active"
    app.hear("willResignActive", "didBecomeActive")
    app.hears_no_more()


@pytest.mark.parametrize("where", ["background", "suspended"])
def test_only_an_active_app_is_interrupted(sandbox, where):
    """In background and suspended neither interrupt nor dismiss does anything."""
    app = start(sandbox)
    if where == "background":
        app.ask("begin id=1 name=x")
    app.drive("home")
    app.hear("willResignActive", "didEnterBackground")
    app.running.wait_state(where)
    assert [app.drive("interrupt"), app.drive("dismiss")] == [where, where]
    assert delivered(app.running)[-1] == "didEnterBackground"


def test_a_plain_app_is_interrupted_without_a_word(sandbox):
    """It owes nothing and hears nothing; its state tells."""
    running = sandbox.shell("echo up; read x", stdin=subprocess.PIPE)
    running.expect("up")
    for verb, state in [("interrupt", "inactive"), ("dismiss", "active"), ("interrupt", "inactive")]:
        assert sandbox.curfew(verb, running.name, "--json").stdout.split()[2] == f'"{state}"'
        assert running.status()["state"] == state
    assert delivered(running) == []


# Waking events


def test_a_waking_event_while_suspended(sandbox, held):
    """Resumed in background for it: didEnterBackground again, the changes, the event; handled, it is stopped again."""
    app = sent_home(sandbox, "push=mute", options=held)
    pids = app.pids()
    app.drive("post", "zone", "name=Europe/Oslo")
    assert_all_stopped(app.running, pids)
    assert app.drive("wake", "push", "from=ada", "subject=Lunch at 12?") == "background"
    _, zone, push = app.hear("didEnterBackground", "zone", "push")
    assert (zone["kind"], zone["info.name"], "ack" in zone) == ("change", "Europe/Oslo", False)
    assert push == {
        "name": "push", "seq": push["seq"], "kind": "wake", "ack": "required", "seconds": "30.000",
        "info.from": "ada", "info.subject": "Lunch at 12?"}
    assert app.running.status()["unacknowledged"] == ["push"]
    assert not set(letters(pids)) & set("T")
    app.say(f"ack seq={push['seq']}")
    app.running.wait_state("suspended")
    assert_all_stopped(app.running, pids)
    assert states(app.running) == ["active", "background", "suspended", "background", "suspended"]


def test_keep_alive(sandbox):
    """Woken each time it is due, handled, and suspended again; the journal of it replays."""
    journal = sandbox.scratch / "journal"
    app = sent_home(sandbox, options=["--manual-clock", "--journal", str(journal)])
    pids = app.pids()
    app.drive("open")
    app.hear("willEnterForeground", "didBecomeActive")
    assert app.ask("keep-alive id=7 seconds=600")["id"] == "7"
    assert app.running.status()["keepAlive"] == app.running.status()["keepAliveLeft"] == 600
    app.drive("home")
    app.hear("willResignActive", "didEnterBackground")
    app.running.wait_state("suspended")
    for _ in range(2):
        assert sandbox.curfew("advance", app.name, "10m").returncode == 0
        _, event = app.hear("didEnterBackground", "keepAlive")
        assert (event["kind"], event["ack"], event["seconds"]) == ("wake", "required", "30.000")
        app.running.wait_state("suspended")
        assert_all_stopped(app.running, pids)
    status = app.running.status()
    assert (status["woken"], status["wokenBy"], status["keepAliveLeft"]) == (2, "its keep-alive", 600)
    app.drive("open")
    app.hear("willEnterForeground", "didBecomeActive")
    assert app.ask("keep-alive id=8").verb == "ok"
    assert "keepAlive" not in app.running.status()
    assert [event.get("seconds") for event in history(app.running) if event["name"] == "keepAliveDidChange"] == [600, None]
    sandbox.curfew("quit", app.name)
    app.running.finish()
    assert sandbox.curfew("replay", str(journal)).returncode == 0


def test_keep_alive_below_the_minimum(sandbox):
    """Refused with the minimum, which --time-scale divides."""
    app = start(sandbox, options=["--time-scale", "60"])
    refused = app.ask("keep-alive id=7 seconds=9.999")
    assert (refused.verb, refused["code"], refused["minimum"]) == ("error", "invalid", "10.000")
    assert app.ask("keep-alive id=8 seconds=10").verb == "ok"


def test_two_waking_events_are_both_handled_before_it_is_stopped(sandbox):
    """Handling one isn't handling the other."""
    app = sent_home(sandbox, "one=mute", "two=mute")
    app.drive("wake", "one")
    app.drive("wake", "two")
    _, one, two = app.hear("didEnterBackground", "one", "two")
    app.say(f"ack id=a seq={two['seq']}")
    app.running.expect("ok id=a")
    assert app.running.status()["unacknowledged"] == ["one"]
    app.say(f"ack seq={one['seq']}")
    app.running.wait_state("suspended")


def test_a_task_begun_by_a_waking_event_outlasts_it(sandbox):
    """Suspended again only when the event is handled and the task is over."""
    app = sent_home(sandbox, "fetch=begin")
    app.drive("wake", "fetch")
    app.hear("didEnterBackground", "fetch")
    assert Line(app.running.read_line())["task"] == "1"
    assert app.running.status()["state"] == "background"
    app.say("end id=e task=1")
    app.running.wait_state("suspended")


def test_a_waking_event_in_front_is_owed_nothing(sandbox):
    """It comes at once, without a limit."""
    app = start(sandbox)
    assert app.drive("wake", "push", "n=1") == "active"
    push, = app.hear("push")
    assert push == {"name": "push", "seq": push["seq"], "kind": "wake", "info.n": "1"}
    app.hears_no_more()


def test_a_waking_event_before_home_is_acknowledged(sandbox):
    """The app is in background already: no second didEnterBackground, and both are owed."""
    app = start(sandbox, "didEnterBackground=mute", "push=mute")
    app.drive("home")
    _, background = app.hear("willResignActive", "didEnterBackground")
    assert app.drive("wake", "push") == "background"
    push, = app.hear("push")
    assert push["ack"] == "required"
    assert app.running.status()["unacknowledged"] == ["didEnterBackground", "push"]
    app.say(f"ack id=b seq={background['seq']}")
    app.running.expect("ok id=b")
    assert app.running.status()["state"] == "background"
    app.say(f"ack seq={push['seq']}")
    app.running.wait_state("suspended")


def test_a_waking_event_before_hello_is_not_lost(sandbox):
    """It comes after the launch, however late that is told."""
    app = Speaker(sandbox, "--no-hello")
    assert app.ask("remaining id=1")["seconds"] == "inf"
    app.drive("wake", "push", "from=ada")
    app.say("hello id=h version=1")
    heard = app.hear("didFinishLaunching", "didBecomeActive", "push")
    assert heard[2]["info.from"] == "ada"


def test_a_waking_event_that_is_overtaken_by_open(sandbox):
    """In front its acknowledgement isn't owed any more."""
    app = sent_home(sandbox, "push=mute", options=["--manual-clock"])
    app.drive("wake", "push")
    app.hear("didEnterBackground", "push")
    app.drive("open")
    app.hear("willEnterForeground", "didBecomeActive")
    assert "unacknowledged" not in app.running.status()


def test_64_waking_events_may_wait(sandbox):
    """The 65th is refused for now; once one is handled there is room."""
    app = sent_home(sandbox, "push=mute", options=["--manual-clock"])
    for number in range(64):
        app.drive("wake", "push", f"n={number}")
    refused = sandbox.curfew("wake", app.name, "push")
    assert refused.returncode == 75
    assert refused.stderr == (
        f"curfew: wake: {app.name}: refused (too-many-events): 64 waking events wait to be handled\n")
    heard = app.hear("didEnterBackground", *["push"] * 64)
    assert [event["info.n"] for event in heard[1:]] == [str(number) for number in range(64)]
    app.say(f"ack seq={heard[1]['seq']}")
    wait_event(app.running, "didAcknowledge", seq=heard[1]["seq"])
    app.drive("wake", "push", "n=64")


# Changes


def test_changes_reach_an_app_that_runs_at_once(sandbox):
    """In front and in background; nothing is owed for them."""
    app = start(sandbox)
    assert app.drive("post", "locale", "language=sv") == "active"
    change, = app.hear("locale")
    assert change == {"name": "locale", "seq": change["seq"], "kind": "change", "info.language": "sv"}
    app.ask("begin id=1 name=x")
    app.drive("home")
    app.hear("willResignActive", "didEnterBackground")
    assert app.drive("post", "locale", "language=nb") == "background"
    app.hear("locale")


def test_changes_wait_for_a_suspended_app(sandbox, held):
    """Kept, the latest of each name in the order of the first, and told after willEnterForeground; nobody is woken."""
    app = sent_home(sandbox, options=held)
    pids = app.pids()
    for name, value in [("locale", "sv"), ("zone", "Oslo"), ("locale", "nb"), ("theme", "dark"), ("locale", "da")]:
        assert app.drive("post", name, f"to={value}") == "suspended"
    assert app.running.status()["keptChanges"] == ["locale", "zone", "theme"]
    assert_all_stopped(app.running, pids)
    assert delivered(app.running)[-1] == "didEnterBackground"
    app.drive("open")
    heard = app.hear("willEnterForeground", "locale", "zone", "theme", "didBecomeActive")
    assert [event["info.to"] for event in heard[1:4]] == ["da", "Oslo", "dark"]
    app.hears_no_more()
    assert "keptChanges" not in app.running.status()


def test_changes_of_64_names_are_kept(sandbox):
    """The 65th name is refused for now, a later change of one of them isn't; all are delivered."""
    app = sent_home(sandbox)
    for number in range(64):
        app.drive("post", f"c{number}")
    refused = sandbox.curfew("post", app.name, "one-more")
    assert (refused.returncode, "too-many-changes" in refused.stderr) == (75, True), refused.stderr
    app.drive("post", "c7", "again=yes")
    app.drive("open")
    heard = app.hear("willEnterForeground", *(f"c{number}" for number in range(64)), "didBecomeActive")
    assert heard[8]["info.again"] == "yes"


@pytest.mark.parametrize(
    "words", [["willTerminate"], ["didEnterBackground"], ["1st"], ["a b"], ["a" * 65], ["é"], [""],
              ["ok", *(f"k{n}=v" for n in range(17))], ["ok", "1=v"], ["ok", "big=" + "x" * 4096]])
def test_what_is_no_event_is_refused(sandbox, words):
    """By the command, before anything is asked, and by the supervisor, whoever asks it."""
    app = start(sandbox)
    name, *pairs = words
    for verb in ("post", "wake"):
        assert sandbox.curfew(verb, app.name, *words).returncode == 64
        with Client(socket_of(app.running)) as client:
            fields = "".join(" info." + pair for pair in pairs)
            answer = client.ask(f'{verb} id=1 name="{name}"{fields}')
            # A line that is too long closes the channel, as any does.
            assert answer is None or (answer.verb, answer["code"]) == ("error", "invalid"), answer
    app.hears_no_more()


def test_the_longest_that_fits_is_heard(sandbox):
    """64 bytes of a name, 16 pairs, and values up to the event's line."""
    app = start(sandbox)
    name = "n" * 64
    pairs = {f"key-{number:02}.{'k' * 57}": "v" * 150 for number in range(16)}
    app.drive("post", name, *(f"{key}={value}" for key, value in pairs.items()))
    event, = app.hear(name)
    assert {key[5:]: value for key, value in event.items() if key.startswith("info.")} == pairs


# Ending


@pytest.mark.parametrize("where", ["active", "inactive", "background"])
def test_terminated_while_running(sandbox, held, where):
    """willTerminate, whatever it was doing; its own status is the run's."""
    app = start(sandbox, "willTerminate=exit:7", options=held)
    if where == "inactive":
        app.drive("interrupt")
        app.hear("willResignActive")
    if where == "background":
        app.ask("begin id=1 name=x")
        app.drive("home")
        app.hear("willResignActive", "didEnterBackground")
    assert app.running.status()["state"] == where
    assert sandbox.curfew("quit", app.name).returncode == 0
    assert app.finish() == (7, ["willTerminate"], "")


def test_what_is_refused_while_it_ends(sandbox):
    """begin, wake, post and open answer `terminating`; home and a second quit change nothing."""
    app = start(sandbox, "willTerminate=mute", options=["--manual-clock", "--terminate-limit", "60"])
    with Client(socket_of(app.running)) as quitter, Client(socket_of(app.running)) as operator:
        quitter.send("quit id=1\n")
        event, = app.hear("willTerminate")
        assert (event["ack"], event["seconds"]) == ("required", "60.000")
        for verb in ("wake name=push", "post name=zone", "open"):
            assert operator.ask(verb)["code"] == "terminating"
        for words in (["wake", app.name, "push"], ["open", app.name]):
            assert sandbox.curfew(*words).returncode == 75
        for verb in ("home", "interrupt", "dismiss", "quit"):
            assert operator.ask(verb)["state"] == "active"
        answer = app.ask("begin id=2 name=late")
        assert (answer["code"], answer["task"]) == ("terminating", "0")
        assert app.running.status()["terminating"] is True
        app.say("!exit 3")
        assert app.finish() == (3, [], "")


def test_terminated_while_suspended(sandbox, held):
    """SIGKILL with no event: 137, and the line says that it was suspended."""
    app = sent_home(sandbox, "willTerminate=exit:7", options=held)
    assert sandbox.curfew("quit", app.name).returncode == 0
    status, events, err = app.finish()
    assert (status, events) == (137, [])
    assert err == f"curfew: {app.name}: killed: user-quit (0xdeadfa11): it was quit while suspended\n"


def test_terminate_suspended_wake(sandbox, held):
    """--terminate-suspended=wake resumes it for its willTerminate, and for nothing else."""
    app = sent_home(sandbox, "willTerminate=exit:9", options=[*held, "--terminate-suspended=wake"])
    assert sandbox.curfew("quit", app.name).returncode == 0
    assert app.finish() == (9, ["willTerminate"], "")


# A shell that is stopped right before it reads would hear of the signal with its next line only.
WAITING = """
import os, signal, subprocess
child = subprocess.Popen(["sleep", "1000"])
child.send_signal(signal.SIGSTOP)
os.waitpid(child.pid, os.WUNTRACED)
first = {signal.SIGTERM, signal.SIGCONT}
signal.pthread_sigmask(signal.SIG_BLOCK, first)
print("ready", flush=True)
# Of two that are there it takes the one with the lower number.
print(signal.sigwait(first).name, child.wait(), flush=True)
raise SystemExit(5)
"""


def test_terminate_suspended_wake_of_a_plain_app(sandbox, held):
    """It has its SIGTERM by the time it is resumed, so that what it does at that can run; what it had stopped itself goes on too."""
    running = sandbox.start(sys.executable, "-c", WAITING, options=[*held, "--terminate-suspended=wake", "--terminate-limit=inf"])
    running.expect("ready")
    sandbox.curfew("home", running.name)
    assert running.status()["state"] == "suspended"
    assert sandbox.curfew("quit", running.name).returncode == 0
    assert running.finish() == (5, "SIGTERM -15\n", "")


def test_exits_on_suspend(sandbox, held):
    """Home is didEnterBackground, then willTerminate; its own status, and a task doesn't hold it back."""
    app = start(sandbox, "willTerminate=exit:3", options=[*held, "--exits-on-suspend"])
    app.ask("begin id=1 name=ignored")
    app.drive("home")
    assert app.finish() == (3, ["didEnterBackground", "willTerminate"], "")


def test_exits_on_suspend_waits_for_the_acknowledgement(sandbox):
    """willTerminate comes once didEnterBackground is acknowledged, and not before."""
    app = start(sandbox, "didEnterBackground=mute", "willTerminate=exit:4", options=["--exits-on-suspend"])
    app.drive("home")
    background, = app.hear("didEnterBackground")
    app.hears_no_more()
    app.say(f"ack seq={background['seq']}")
    assert app.finish() == (4, ["willTerminate"], "")


def test_exits_on_suspend_of_an_app_that_stays(sandbox):
    """One that acknowledges and goes on is killed by the watchdog."""
    app = start(sandbox, "willTerminate=stay", options=["--manual-clock", "--exits-on-suspend", "--terminate-limit", "6"])
    app.drive("home")
    status, err = outstay(app, "stay", 6, "didEnterBackground", "willTerminate")
    assert status == 124
    assert_killed(
        err, app.name, "process-exit-watchdog", "0x8badf00d", "it hadn't ended 6 s after willTerminate", "waiting")


@pytest.mark.parametrize(
    "trap, status", [("", 143), ("trap 'exit 6' TERM;", 6), ("trap '' TERM;", 124)], ids=["ends", "traps", "stays"])
def test_exits_on_suspend_of_a_plain_app(sandbox, held, trap, status):
    """SIGTERM at once: 143 if it ended it, its own status, or the watchdog's 124."""
    limit = "0.4" if status == 124 else "60"
    running = sandbox.shell(
        f"{trap} echo up; while :; do read x; done",
        options=[*held, "--exits-on-suspend", "--terminate-limit", limit], stdin=subprocess.PIPE)
    running.expect("up")
    sandbox.curfew("home", running.name)
    seen, _, err = running.finish()
    assert seen == status
    if status == 124:
        assert_killed(
            err, running.name, "process-exit-watchdog", "0x8badf00d",
            "it hadn't ended 0.4 s after willTerminate", "any")
    else:
        assert err == ""


# Watchdogs

ACTIONS = [("mute", "waiting"), ("burn", "computing")]


def held_for(action):
    """Time that the test moves, but for one that computes: time would wait for it to come to an end."""
    return [] if action == "burn" else ["--manual-clock"]


def outstay(app, action, limit, *events):
    """Hears these, and lets its limit of so many seconds pass; its status, and what is told of it."""
    if action == "burn":
        status, heard, err = app.finish()
        # A busy machine may not have let it tell what it heard.
        assert heard == list(events)[:len(heard)]
        return status, err
    app.hear(*events)
    answer = advance(app.running, "1m")
    assert (answer["seconds"], answer["state"]) == (limit, "notRunning")
    status, _, err = app.finish()
    return status, err


@pytest.mark.parametrize("action, meanwhile", ACTIONS)
def test_a_launch_that_is_not_acknowledged(sandbox, held, action, meanwhile):
    """launch-watchdog, 124: the event, its limit, and whether the app waited or computed."""
    app = Speaker(sandbox, f"didFinishLaunching={action}", options=[*held, *held_for(action), "--launch-limit", "0.6"])
    status, err = outstay(app, action, 0.6, "didFinishLaunching", "didBecomeActive")
    assert status == 124
    assert_killed(
        err, app.name, "launch-watchdog", "0x8badf00d", "didFinishLaunching wasn't acknowledged within 0.6 s",
        meanwhile)


@pytest.mark.parametrize("action, meanwhile", ACTIONS)
def test_home_that_is_not_acknowledged(sandbox, held, action, meanwhile):
    """scene-update-watchdog, 124."""
    app = start(
        sandbox, f"didEnterBackground={action}", options=[*held, *held_for(action), "--enter-background-limit", "0.6"])
    app.drive("home")
    status, err = outstay(app, action, 0.6, "willResignActive", "didEnterBackground")
    assert status == 124
    assert_killed(
        err, app.name, "scene-update-watchdog", "0x8badf00d", "didEnterBackground wasn't acknowledged within 0.6 s",
        meanwhile)


@pytest.mark.parametrize("action, meanwhile", [*ACTIONS, ("stay", "waiting")])
def test_an_end_that_does_not_come(sandbox, held, action, meanwhile):
    """process-exit-watchdog, 124, also for one that has acknowledged willTerminate and goes on."""
    app = start(sandbox, f"willTerminate={action}", options=[*held, *held_for(action), "--terminate-limit", "0.6"])
    with Client(socket_of(app.running)) as operator:
        assert operator.ask("quit").verb == "ok"
    status, err = outstay(app, action, 0.6, "willTerminate")
    assert status == 124
    assert_killed(
        err, app.name, "process-exit-watchdog", "0x8badf00d", "it hadn't ended 0.6 s after willTerminate", meanwhile)


@pytest.mark.parametrize("action, meanwhile", ACTIONS)
def test_a_waking_event_that_is_not_handled(sandbox, held, action, meanwhile):
    """background-fetch-timeout, 124, with a code of its own; didEnterBackground was acknowledged."""
    app = sent_home(sandbox, f"push={action}", options=[*held, *held_for(action), "--wake-limit", "0.6"])
    app.drive("wake", "push")
    status, err = outstay(app, action, 0.6, "didEnterBackground", "push")
    assert status == 124
    assert_killed(
        err, app.name, "background-fetch-timeout", "0x2182bad4", "the waking event push wasn't handled within 0.6 s",
        meanwhile)


def test_the_report_has_what_the_watchdog_saw(sandbox):
    """The event, the limit, the time it really had, and the CPU time it used, all in seconds."""
    report = sandbox.scratch / "why.json"
    app = start(
        sandbox, "didEnterBackground=burn", options=["--enter-background-limit", "0.6", "--report", str(report)])
    app.drive("home")
    assert app.finish()[0] == 124
    limit = json.loads(report.read_text())["limit"]
    assert (limit["event"], limit["seconds"]) == ("didEnterBackground", 0.6)
    assert limit["elapsedSeconds"] >= 0.6
    # However little a busy machine gave it.
    assert 0 < limit["cpuSeconds"] <= os.cpu_count() * limit["elapsedSeconds"] + 0.1


def test_an_app_that_ends_its_connection_owes_nothing(sandbox):
    """Plain again with an event unacknowledged: no watchdog, and it is suspended as plain apps are."""
    app = start(sandbox, "didEnterBackground=mute", options=["--manual-clock"])
    app.drive("home")
    app.hear("willResignActive", "didEnterBackground")
    app.say("!close")
    app.running.wait_state("suspended")
    status = app.running.status()
    assert (status["aware"], "unacknowledged" in status) == (False, False)
    app.drive("open")
    assert delivered(app.running)[-1] == "didEnterBackground"


def test_an_aware_app_that_must_be_one_can_not_hide(sandbox):
    """--aware: closing the connection before the launch is acknowledged doesn't end what is owed."""
    app = Speaker(sandbox, "didFinishLaunching=mute", options=["--manual-clock", "--aware", "--launch-limit", "4"])
    app.hear("didFinishLaunching")
    app.say("!close")
    wait_event(app.running, "didBecomePlain")
    assert advance(app.running, "1m")["seconds"] == 4
    status, _, err = app.finish()
    assert status == 124
    assert_killed(
        err, app.name, "launch-watchdog", "0x8badf00d", "it said neither hello nor READY=1 within 4 s of its launch",
        "waiting")


# Bad luck


def test_acknowledgements_of_nothing(sandbox):
    """An unknown number, one of an event that owes none, and one acknowledged before: ignored, and noted."""
    app = start(sandbox)
    for sequence in ("4711", "2", "1", "-1", "0"):
        assert app.ask(f"ack id=a seq={sequence}").text == "ok id=a"
    noted = [event["seq"] for event in history(app.running) if event["name"] == "unknownAcknowledgement"]
    assert noted == [4711, 2, 1, -1, 0]
    for line in ("ack id=a", "ack id=a seq=x", "ack id=a seq=99999999999999999999"):
        assert app.ask(line)["code"] == "invalid"
    assert app.running.status()["state"] == "active"


def test_two_processes_that_acknowledge_one_event(sandbox, held):
    """Both hear it by one number; the first acknowledgement counts, the second is of nothing."""
    one = f"{sys.executable} -SE {PROGRAMS}/lifecycle_app.py --prefix"
    running = sandbox.shell(
        f"{one} 1: & read x; {one} 2: --socket; wait", options=held, stdin=subprocess.PIPE)
    while "name=didBecomeActive" not in running.read_line():
        pass
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    running.expect(f"2:ok version=1 app={running.name} state=active")
    with History(running) as log:
        sandbox.curfew("home", running.name)
        first = log.until("didAcknowledge", event="didEnterBackground")
        # The one that comes second may have been stopped before it could say so.
        sandbox.curfew("open", running.name)
        log.until("unknownAcknowledgement", seq=first["seq"])
    assert running.status()["state"] == "active"


def test_an_app_that_reads_nothing_is_plain_again(sandbox):
    """With 64 KiB unread its channel is dropped and that is noted; nobody waited for it, and home stops it at once."""
    app = start(sandbox)
    app.say("!deaf")
    app.running.expect("!deaf")
    big = "x" * 3500
    with History(app.running) as log, Client(socket_of(app.running)) as operator:
        for number in range(200):
            assert operator.ask(f"wake name=push info.n={number} info.big={big}").verb == "ok"
        log.until("channelDidDrop", reason="its client doesn't read")
        log.until("didBecomePlain")
    assert app.running.status()["aware"] is False
    assert app.drive("home") == "suspended"


def test_large_info_doesnt_keep_a_history_from_being_read(sandbox):
    """Of 255 large wakes history has all, with how many pairs it left out; no reader is dropped for
    what nobody could read so fast."""
    app = start(sandbox)
    big = "x" * 3500
    with Client(socket_of(app.running)) as operator:
        for number in range(255):
            assert operator.ask(f"wake name=push info.n={number} info.big={big}").verb == "ok"
            app.hear("push")
    lines = sandbox.curfew("events", app.running.name).stdout.splitlines()
    told = [line for line in lines if "event=push" in line]
    assert told and all("info-left-out=1" in line for line in told), lines
    assert any("info.n=254" in line for line in told), lines


def test_changes_that_nobody_reads_replace_each_other(sandbox):
    """A thousand changes of one thing fill no queue: a slow reader is kept, and its last is the latest."""
    app = start(sandbox)
    app.say("!deaf")
    app.running.expect("!deaf")
    big = "x" * 3500
    with Client(socket_of(app.running)) as operator:
        for number in range(1000):
            assert operator.ask(f"post name=zone info.n={number} info.big={big}").verb == "ok"
    assert app.running.status()["aware"] is True
    app.say("!listen")
    app.running.expect("!listen")
    heard = []
    while not heard or heard[-1]["info.n"] != "999":
        heard.append(app.hear("zone")[0])
    assert len(heard) < 1000
    assert [int(event["seq"]) for event in heard] == sorted(int(event["seq"]) for event in heard)
    app.hears_no_more()


def test_a_client_that_dies_holding_a_task(sandbox, held):
    """In background: the task is released, the app is plain, and it is suspended without a kill."""
    script = f"{sys.executable} -SE {PROGRAMS}/lifecycle_app.py --socket didEnterBackground=begin; read x"
    running = sandbox.shell(script, options=held, stdin=subprocess.PIPE)
    while "didBecomeActive" not in running.read_line():
        pass
    sandbox.curfew("home", running.name)
    while "ok id=auto task=1" not in running.read_line():
        pass
    victim, = tree(running.status()["pid"])
    os.kill(victim, signal.SIGKILL)
    running.wait_state("suspended")
    events = [event["name"] for event in history(running)]
    assert {"taskDidRelease", "didBecomePlain"} <= set(events)
    status = running.status()
    assert (status["aware"], status["tasks"]) == (False, [])


def test_begin_while_expired(sandbox):
    """Once the warning is out nothing more can be begun: task 0; opened, it can again."""
    app = start(sandbox, "didEnterBackground=begin", options=["--manual-clock", "--budget", "60"])
    app.drive("home")
    app.hear("willResignActive", "didEnterBackground")
    assert Line(app.running.read_line())["task"] == "1"
    app.drive("advance", "60s")
    warning, = app.hear("backgroundTaskWillExpire")
    assert (warning["task"], warning["seconds"]) == ("1", "5.000")
    answer = app.ask("begin id=2 name=more")
    assert (answer.verb, answer["code"], answer["task"]) == ("error", "expired", "0")
    app.drive("open")
    app.hear("willEnterForeground", "didBecomeActive")
    assert app.ask("begin id=3 name=more").verb == "ok"


def test_end_twice(sandbox):
    """The second is of a task that isn't open; ending what was never begun is the same, and all is noted."""
    app = start(sandbox)
    assert app.ask("begin id=1 name=x")["task"] == "1"
    assert app.ask("end id=2 task=1").text == "ok id=2"
    for task in ("1", "2", "0", "-7"):
        assert app.ask(f"end id=3 task={task}").text == "ok id=3 ignored=unknown-task"
    noted = [event["task"] for event in history(app.running) if event["name"] == "unknownTaskEnded"]
    assert noted == [1, 2, 0, -7]


def test_a_long_name_is_cut(sandbox):
    """To 128 bytes, and not in the middle of a character."""
    app = start(sandbox)
    assert app.ask("begin id=1 name=" + "å" * 2000).verb == "ok"
    assert app.ask("begin id=2 name=x" + "å" * 2000).verb == "ok"
    assert app.ask("begin id=3 name=\"\"").verb == "ok"
    assert [task["name"] for task in app.running.status()["tasks"]] == ["å" * 64, "x" + "å" * 63, ""]


def test_a_name_of_10_kib_is_no_line(sandbox):
    """Over 4096 bytes the channel is closed, the app is plain, and everything else goes on."""
    app = start(sandbox)
    app.say("begin id=1 name=" + "x" * 10240)
    app.running.expect("closed")
    wait_event(app.running, "channelDidDrop", reason="a line is longer than 4096 bytes")
    status = app.running.status()
    assert (status["aware"], status["openTasks"], status["state"]) == (False, 0, "active")


def test_10000_tasks_one_after_the_other(sandbox):
    """Begun and ended in turn they are no crowd: each has a number of its own."""
    app = start(sandbox)
    for first in range(0, 10000, 500):
        app.say(*(f"begin id=b name=t{number}\nend id=e task={number}" for number in range(first + 1, first + 501)))
        for number in range(first + 1, first + 501):
            assert app.running.read_line() == f"ok id=b task={number} remaining=inf"
            assert app.running.read_line() == "ok id=e"
    assert app.running.status()["openTasks"] == 0


def test_10000_tasks_at_once(sandbox, held):
    """1,000 are held; one more is too-many-tasks, 137, however many were asked for."""
    app = start(sandbox, options=held)
    app.say(*(f"begin id={number} name=t" for number in range(1, 1001)))
    for number in range(1, 1001):
        assert Line(app.running.read_line())["task"] == str(number)
    assert app.running.status()["openTasks"] == 1000
    try:
        app.say(*(f"begin id={number} name=t" for number in range(1001, 10001)))
    except BrokenPipeError:
        pass  # it was quicker
    app.running.process.stdin = None
    status, _, err = app.finish()
    assert (status, err) == (
        137, f"curfew: {app.name}: killed: too-many-tasks (0xd00d2bad): it began more than 1000 background tasks\n")


def test_a_program_that_closes_its_pipe_and_its_socket_stays_an_app(sandbox):
    """Closing CURFEW_FD in the whole tree is no reason to spin, and the operator's verbs go on."""
    running = sandbox.shell("exec 8>&-; echo up; read x", stdin=subprocess.PIPE)
    running.expect("up")
    for verb, state in [("home", "suspended"), ("open", "active"), ("interrupt", "inactive")]:
        sandbox.curfew(verb, running.name)
        assert running.status()["state"] == state


# Whole trees

TREE = """
{app} --children 3 {actions} &
sh -c 'read x <{fifo}' &
setsid sh -c 'read x <{fifo}' &
read x <{fifo} | read y <{fifo} | read z <{fifo}
"""


@pytest.fixture
def forest(sandbox, held):
    """A shell, a pipeline, a process that has left the session, and an aware program with children; (app, its pids)."""
    fifo = sandbox.scratch / "never"
    os.mkfifo(fifo)
    app = f"{sys.executable} -SE {PROGRAMS}/lifecycle_app.py"
    running = sandbox.shell(TREE.format(app=app, actions="push=mute", fifo=fifo), options=held)
    while "didBecomeActive" not in running.read_line():
        pass
    # The shell, the app and its three, two more shells, and the pipeline's three.
    wait_for("ten processes", lambda: running.status()["processes"] == 10)
    leader = running.status()["pid"]
    return running, [leader, *tree(running.status()["supervisor"])]


def test_all_of_a_tree_is_stopped_and_all_of_it_runs_again(sandbox, forest):
    """Home, wake and open concern each process, whichever of them speaks; none is left behind."""
    running, pids = forest
    pids = sorted(set(pids))
    assert len(pids) == 10
    sandbox.curfew("home", running.name)
    running.wait_state("suspended")
    assert_all_stopped(running, pids)
    sandbox.curfew("wake", running.name, "push")
    assert not set(letters(pids)) & set("T"), letters(pids)
    sequence = wait_event(running, "didDeliver", event="push")["seq"]
    running.wait_told("the rest to be acknowledged", lambda: running.status()["unacknowledged"] == ["push"])
    sandbox.curfew("open", running.name)
    wait_event(running, "didDeliver", event="didBecomeActive", seq=int(sequence) + 2)
    sandbox.curfew("home", running.name)
    running.wait_state("suspended")
    assert_all_stopped(running, pids)
    sandbox.curfew("open", running.name)
    wait_running(pids)
    sandbox.curfew("home", running.name)
    running.wait_state("suspended")
    sandbox.curfew("quit", running.name)
    assert running.finish()[0] == 137
    assert not any(state_letter(pid) for pid in pids)


# Plain programs


@pytest.fixture
def plain(sandbox, held):
    """A way to start a shell with a child, suspended; (app, its pids)."""

    def start(*options):
        running = sandbox.shell("sleep 300 & echo up; read x", options=[*held, *options], stdin=subprocess.PIPE)
        running.expect("up")
        wait_for("the child", lambda: running.status()["processes"] == 2)
        sandbox.curfew("home", running.name)
        if "--grace" in options:
            advance(running, "1m")
        running.wait_state("suspended")
        leader = running.status()["pid"]
        pids = [leader, *tree(leader)]
        assert_all_stopped(running, pids)
        return running, pids

    return start


@pytest.mark.parametrize("options", [["--wake-limit", "3"], ["--wake-limit", "60", "--grace", "3"]])
def test_a_waking_event_gives_a_plain_app_its_time(sandbox, plain, options):
    """It runs for --wake-limit, or for --grace if given, owes nothing, and is stopped again."""
    running, pids = plain("--manual-clock", *options)
    assert sandbox.curfew("wake", running.name, "fetch", "--json").stdout.split()[2] == '"background"'
    assert not set(letters(pids)) & set("T")
    assert running.status()["grace"] == 3
    answer = advance(running, "1m")
    assert (answer["seconds"], answer["state"]) == (3, "suspended")
    assert_all_stopped(running, pids)
    assert states(running)[-2:] == ["background", "suspended"]
    sandbox.curfew("open", running.name)
    wait_running(pids)


def test_a_waking_event_never_shortens_what_is_left(sandbox, plain):
    """A second one prolongs; what is left of a longer grace stays."""
    running, _ = plain("--manual-clock", "--wake-limit", "60")
    sandbox.curfew("wake", running.name, "one")
    advance(running, "10")
    assert running.status()["grace"] == 50
    sandbox.curfew("wake", running.name, "two")
    assert running.status()["grace"] == 60


def test_a_change_does_not_disturb_a_suspended_plain_app(sandbox, plain):
    """post keeps it and wakes nobody; nobody hears of it, and opened, it just runs."""
    running, pids = plain()
    for number in range(5):
        assert sandbox.curfew("post", running.name, "zone", f"n={number}").returncode == 0
    assert running.status()["keptChanges"] == ["zone"]
    assert_all_stopped(running, pids)
    sandbox.curfew("open", running.name)
    wait_running(pids)
    assert delivered(running) == []
    assert "keptChanges" not in running.status()


def test_a_plain_app_in_background_has_its_grace(sandbox):
    """--background: it runs for --grace, by default the wake limit, and is stopped."""
    running = sandbox.shell(
        "echo up; read x", options=["--manual-clock", "--background", "--wake-limit", "3"], stdin=subprocess.PIPE)
    running.expect("up")
    assert running.status()["grace"] == 3
    assert advance(running, "1m")["seconds"] == 3
    assert states(running) == ["background", "suspended"]
