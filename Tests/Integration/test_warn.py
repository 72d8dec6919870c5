"""`curfew warn`: a memory warning, as an aware app, a plain one and a hook hear it; and to whom none is delivered."""

import json
import pathlib
import re
import signal
import subprocess

import pytest

from programs.driving import History, Speaker, delivered, history, wait_there
from programs.helpers import Client, socket_of

# Shells run a trap while they read; the line that they are given makes the reading begin anew.
TRAPPING = "trap 'echo warned' USR1; echo up; while :; do read -r line; done"
SUSPENDED = "the app is stopped, and nothing is delivered to one that is"


def refusal(name, code, message):
    return 75, "", f"curfew: warn: {name}: refused ({code}): {message}\n"


def outcome(result):
    return result.returncode, result.stdout, result.stderr


def warnings(running):
    """The levels of which its history tells."""
    return [event["level"] for event in history(running) if event["name"] == "memoryWarning"]


def pends(pid, number):
    """Whether a process has such a signal still to come."""
    masks = re.findall(r"^(?:SigPnd|ShdPnd):\s+([0-9a-f]+)$", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)
    return any(int(mask, 16) & 1 << (number - 1) for mask in masks)


def trapping(sandbox, *options):
    running = sandbox.start(
        "dash", "-c", TRAPPING, options=["--on", "didReceiveMemoryWarning=USR1", *options], stdin=subprocess.PIPE)
    running.expect("up")
    return running


@pytest.mark.parametrize("words, level", [([], "warning"), (["warning"], "warning"), (["critical"], "critical")])
def test_an_aware_app_hears_the_level(sandbox, words, level):
    """The event has a name, a number and a level, and nothing is owed for it."""
    app = Speaker(sandbox).launched()
    assert outcome(sandbox.curfew("warn", app.name, *words)) == (0, "", "")
    line, = app.hear("didReceiveMemoryWarning")
    assert line.text == f"event name=didReceiveMemoryWarning seq=3 level={level}"
    assert "unacknowledged" not in app.running.status()
    assert (warnings(app.running), app.running.status()["state"]) == ([level], "active")


def test_it_answers_with_the_state(sandbox):
    """--json, in front and in the background on its budget."""
    app = Speaker(sandbox, "didEnterBackground=begin").launched()
    result = sandbox.curfew("warn", app.name, "--json")
    assert (result.returncode, json.loads(result.stdout), result.stderr) == (0, {"state": "active"}, "")
    app.hear("didReceiveMemoryWarning")
    app.drive("home")
    app.hear("willResignActive", "didEnterBackground")
    assert app.drive("warn", "critical") == "background"
    assert app.hear("didReceiveMemoryWarning")[0]["level"] == "critical"


def test_it_comes_between_other_events(sandbox):
    """While interrupted too, and what it changes is nothing."""
    app = Speaker(sandbox).launched()
    app.drive("interrupt")
    assert app.drive("warn") == "inactive"
    app.drive("dismiss")
    app.hear("willResignActive", "didReceiveMemoryWarning", "didBecomeActive")
    app.hears_no_more()


def test_a_plain_app_hears_a_signal(sandbox):
    """--on didReceiveMemoryWarning=USR1, once for each warning."""
    running = trapping(sandbox)
    for level in ("warning", "critical"):
        assert sandbox.curfew("warn", running.name, level).returncode == 0
        assert running.read_line() == "warned"
    assert delivered(running)[-2:] == ["didReceiveMemoryWarning"] * 2


def test_a_plain_app_that_asked_for_nothing_hears_nothing(sandbox):
    """It is warned all the same, as the history says; nobody is told."""
    running = sandbox.shell("echo up; read -r line; echo $line", stdin=subprocess.PIPE)
    running.expect("up")
    assert sandbox.curfew("warn", running.name).returncode == 0
    assert (warnings(running), delivered(running)) == (["warning"], [])
    running.process.stdin.write(b"well\n")
    running.process.stdin.flush()
    assert running.finish() == (0, "well\n", "")


def test_a_suspended_app_is_never_warned(sandbox, held):
    """Refused, with a word why; opened, it has heard of nothing, and can be warned again."""
    app = Speaker(sandbox, options=held).launched()
    app.drive("home")
    app.hear("willResignActive", "didEnterBackground")
    app.running.wait_state("suspended")
    for options in ([], ["--json"]):
        result = sandbox.curfew("warn", app.name, "critical", *options)
        assert outcome(result) == refusal(app.name, "suspended", SUSPENDED)
    assert (warnings(app.running), app.running.status()["state"]) == ([], "suspended")
    app.drive("open")
    app.hear("willEnterForeground", "didBecomeActive")
    app.hears_no_more()
    app.drive("warn")
    app.hear("didReceiveMemoryWarning")


def test_a_suspended_plain_app_gets_no_signal(sandbox, held):
    """Nor does one wait for it until it is opened."""
    running = trapping(sandbox, *held)
    assert sandbox.curfew("home", running.name).returncode == 0
    running.wait_state("suspended")
    assert outcome(sandbox.curfew("warn", running.name)) == refusal(running.name, "suspended", SUSPENDED)
    assert not pends(running.status()["pid"], signal.SIGUSR1)
    assert sandbox.curfew("open", running.name).returncode == 0
    assert "didReceiveMemoryWarning" not in delivered(running)
    assert sandbox.curfew("warn", running.name).returncode == 0
    assert running.read_line() == "warned"


def test_an_app_that_is_being_ended_is_not_warned(sandbox):
    """It has other things to do."""
    app = Speaker(sandbox, "willTerminate=stay", options=["--manual-clock", "--terminate-limit", "60"]).launched()
    quitting = subprocess.Popen(
        ["curfew", "quit", app.name], env=sandbox.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    app.hear("willTerminate")
    result = sandbox.curfew("warn", app.name)
    assert outcome(result) == refusal(app.name, "terminating", "the app is being ended")
    app.say("!exit 0")
    assert app.finish()[0] == 0
    assert quitting.wait() == 0


@pytest.mark.parametrize("level", ["urgent", "Critical", "", "warn"])
def test_another_level_is_wrong_usage(sandbox, level):
    """Before anybody is asked."""
    result = sandbox.curfew("warn", "nobody", level)
    problem = f'curfew: warn: "{level}" isn\'t a level; it is warning or critical\n'
    assert outcome(result) == (64, "", problem)


def test_the_request(sandbox):
    """`level` may be left out; one that isn't a level is refused."""
    app = Speaker(sandbox).launched()
    client = Client(socket_of(app.running))
    for request, answer in [
        ("warn id=1 level=critical", "ok id=1 state=active"), ("warn id=2", "ok id=2 state=active"),
        ("warn id=3 level=urgent", 'error id=3 code=invalid message="level is warning or critical"'),
    ]:
        client.send(request + "\n")
        assert client.line().text == answer
    client.close()
    assert [event["level"] for event in app.hear(*["didReceiveMemoryWarning"] * 2)] == ["critical", "warning"]
    app.hears_no_more()


def test_only_an_operator_may(sandbox):
    """An app doesn't warn itself."""
    app = Speaker(sandbox).launched()
    assert app.ask("warn id=1 level=critical")["code"] == "forbidden"
    app.hears_no_more()
    assert warnings(app.running) == []


def test_hooks_find_the_level(sandbox):
    """In CURFEW_LEVEL; another event's hook finds none, not even the caller's."""
    log = sandbox.scratch / "log"
    says = f'echo "$CURFEW_EVENT $CURFEW_STATE [$CURFEW_LEVEL]" >>{log}'
    running = sandbox.start(
        "dash", "-c", "echo up; exec sleep 300", env=dict(sandbox.environment, CURFEW_LEVEL="stale"),
        options=[f"--exec-on=didReceiveMemoryWarning={says}", f"--exec-on=willTerminate={says}"])
    running.expect("up")
    for words in ([], ["critical"]):
        assert sandbox.curfew("warn", running.name, *words).returncode == 0
    assert sandbox.curfew("quit", running.name).returncode == 0
    # Its end waits for hooks.
    running.wait()
    assert log.read_text().splitlines() == [
        "didReceiveMemoryWarning active [warning]", "didReceiveMemoryWarning active [critical]",
        "willTerminate active []"]


def test_a_script_drops_its_caches(sandbox):
    """By curfew.sh, with the level in a variable."""
    running = sandbox.start("dash", "-c", """
        . "$(curfew --shell-library)"
        drop_caches() { echo "dropped: $CURFEW_LEVEL"; }
        curfew_on didReceiveMemoryWarning drop_caches
        echo up
        curfew_loop
        """)
    running.expect("up")
    for level in ("warning", "critical"):
        assert sandbox.curfew("warn", running.name, level).returncode == 0
        assert running.read_line() == f"dropped: {level}"


def test_the_machine_is_said_to_be_short_of_memory(sandbox):
    """Of `curfew pressure`: in front it is warned; suspended, it is killed by critical."""
    running = sandbox.start("sleep", "1234")
    wait_there(running)
    with History(running) as log:
        assert outcome(sandbox.curfew("pressure", running.name, "warning")) == (0, "", "")
        log.until("memoryPressureDidChange", level="warning")
        log.until("memoryWarning", level="warning")
        assert json.loads(sandbox.curfew("home", running.name, "--json").stdout) == {"state": "suspended"}
        assert json.loads(sandbox.curfew("pressure", running.name, "critical", "--json").stdout) == {"state": "suspended"}
        log.until("willKill", reason="memory-pressure")
    assert running.finish()[0] == 137


@pytest.mark.parametrize("words, problem", [
    (["nobody", "low"], '"low" isn\'t a level; it is normal, warning or critical'),
    (["nobody"], "a level is needed: normal, warning or critical"),
])
def test_pressure_used_wrongly(sandbox, words, problem):
    assert outcome(sandbox.curfew("pressure", *words)) == (64, "", f"curfew: pressure: {problem}\n")
