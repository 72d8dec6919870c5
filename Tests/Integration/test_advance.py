"""`--manual-clock` and `curfew advance`: lifecycle time stands still, and moves to whatever happens first."""

import json
import subprocess
import sys

import pytest

from conftest import is_alive, wait_for
from programs.helpers import Client, socket_of


def advance(sandbox, name, time):
    result = sandbox.curfew("advance", name, time, "--json")
    assert result.returncode == 0, result
    return json.loads(result.stdout)


def names(answer):
    return [event["name"] for event in answer["events"]]


def held(sandbox, *words, options=(), **more):
    """All its limits are longer than a test's patience: what ends it is no real time."""
    return sandbox.start(*words, options=["--manual-clock", *options], **more)


def idle(sandbox, *options):
    running = held(sandbox, "sh", "-c", "echo up; exec sleep 300", options=options)
    running.expect("up")
    return running


def with_task(sandbox, *options):
    """At home, on its budget, holding a task that nobody ends."""
    running = held(sandbox, "sh", "-c", "curfew task begin upload >/dev/null; echo up; exec sleep 300", options=options)
    running.expect("up")
    assert sandbox.curfew("home", running.name).returncode == 0
    return running


def test_ten_minutes_of_budget_end_at_once(sandbox, containment):
    """First the warning, then the end; each told, with the time that has passed and what is left."""
    running = with_task(sandbox, "--containment", containment)
    first = advance(sandbox, running.name, "10m")
    assert (first["seconds"], first["left"], first["state"]) == (595, 5, "background")
    assert names(first) == ["backgroundTasksWillExpire"]
    second = advance(sandbox, running.name, "10m")
    assert (second["seconds"], second["left"], second["state"]) == (5, 595, "notRunning")
    assert [name for name in names(second) if name in ("willKill", "didEnd")] == ["willKill", "didEnd"]
    status, _, err = running.finish()
    assert status == 124
    assert "background-task-timeout" in err
    assert not sandbox.processes()


def test_the_rest_of_the_budget_is_lifecycle_time(sandbox):
    running = with_task(sandbox)
    assert advance(sandbox, running.name, "2m")["events"] == []
    assert running.status()["remaining"] == 480
    # Told to the app itself as well.
    assert running.status()["clock"] == "manual"


def test_task_remaining_tells_the_new_time(sandbox):
    running = held(
        sandbox, "sh", "-c",
        "curfew task begin upload >/dev/null; echo up; while read -r line; do curfew task remaining; done",
        stdin=subprocess.PIPE)
    running.expect("up")
    assert sandbox.curfew("home", running.name).returncode == 0
    advance(sandbox, running.name, "100s")
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    assert running.read_line() == "500.000"


def test_a_time_limit(sandbox):
    running = idle(sandbox, "--time-limit", "1h")
    answer = advance(sandbox, running.name, "2h")
    assert (answer["seconds"], answer["left"]) == (3600, 3600)
    status, _, err = running.finish()
    assert status == 124 and "time-limit" in err


def test_a_watchdogs_report_tells_lifecycle_time(sandbox):
    """An app that never says hello: the report has the 20 s that passed, whatever the clock on the wall says."""
    report = sandbox.scratch / "report"
    running = idle(sandbox, "--aware", "--report", str(report))
    advance(sandbox, running.name, "1h")
    assert running.finish()[0] == 124
    told = json.loads(report.read_text())
    assert told["reason"] == "launch-watchdog"
    assert told["limit"]["elapsedSeconds"] == 20


def test_an_honest_app_has_the_time_to_answer(sandbox):
    """It acknowledges after a tenth of a second of work, which a busy machine makes into several; the acknowledgement's limit of 5 s is no sooner over for that."""
    running = held(sandbox, sys.executable, "-c", SLOW, options=["--aware"])
    running.expect("launched")
    assert sandbox.curfew("home", running.name).returncode == 0
    answer = advance(sandbox, running.name, "1m")
    assert "didAcknowledge" in names(answer), answer
    assert answer["state"] == "suspended"
    assert running.status()["state"] == "suspended"


# Works for a tenth of a second of its own CPU time before it acknowledges.
SLOW = """
import os, socket, time
s = socket.socket(socket.AF_UNIX)
s.connect(os.environ["CURFEW_SOCKET"])
s.sendall(b"hello\\n")
for line in s.makefile():
    word = dict(part.partition("=")[::2] for part in line.split()[1:])
    if word.get("name") == "didEnterBackground":
        start = time.process_time()
        while time.process_time() - start < .1: pass
    if word.get("ack") == "required": s.sendall(f"ack seq={word['seq']}\\n".encode())
    if word.get("name") == "didBecomeActive": print("launched", flush=True)
"""


def test_limits_of_memory_hold_while_time_stands(sandbox):
    running = held(
        sandbox, sys.executable, "-c", "print('up', flush=True); x = [bytearray(1 << 20) for _ in range(500)]; input()",
        options=["--containment", "tree", "--memory", "60M"], stdin=subprocess.PIPE)
    running.expect("up")
    assert running.finish()[0] == 137


def test_signs_of_life_are_owed_in_real_time(sandbox):
    running = held(sandbox, "sleep", "300", options=["--watchdog", ".3"])
    status, _, err = running.finish()
    assert status == 124 and "watchdog" in err


def test_grace_and_a_plain_apps_suspension(sandbox):
    running = idle(sandbox, "--grace", "5m")
    assert sandbox.curfew("home", running.name).returncode == 0
    assert running.status()["state"] == "background"
    answer = advance(sandbox, running.name, "1h")
    assert (answer["seconds"], answer["state"]) == (300, "suspended")


def test_nothing_due_lets_all_of_it_pass(sandbox):
    running = idle(sandbox)
    result = sandbox.curfew("advance", running.name, "90s")
    assert (result.returncode, result.stdout) == (0, "1 min 30 s passed, nothing is left; the app is active\n"), result


def test_for_people(sandbox):
    running = with_task(sandbox)
    lines = sandbox.curfew("advance", running.name, "10m").stdout.splitlines()
    assert lines[0].split("  ")[1:] == ["backgroundTasksWillExpire", "tasks=1"], lines
    assert lines[-1] == "9 min 55 s passed, 5 s left; the app is background"


def test_an_app_whose_time_runs(sandbox):
    running = sandbox.shell("echo up; exec sleep 300")
    running.expect("up")
    result = sandbox.curfew("advance", running.name, "1s")
    assert (result.returncode, result.stdout) == (69, "")
    assert result.stderr == (
        f"curfew: advance: {running.name}: refused (unsupported): its time runs by itself; `curfew run --manual-clock` "
        "starts an app whose time is moved\n")


@pytest.mark.parametrize("time", ["inf", "-1", "soon", ""])
def test_a_time_that_is_none(sandbox, time):
    result = sandbox.curfew("advance", "nobody", time)
    assert (result.returncode, result.stdout) == (64, "")
    assert f'"{time}" isn\'t a time to advance by' in result.stderr or time == "-1", result.stderr


def test_from_inside_the_app(sandbox):
    """An app doesn't move its own time."""
    running = held(sandbox, "sh", "-c", "curfew advance inside 1h; echo status $?; exec sleep 300", name="inside")
    running.expect("status 1")


def test_one_at_a_time_and_whoever_asks_can_go(sandbox):
    """An app that owes its hello and spins is waited for; a second request is refused, and served once the first is gone."""
    running = held(sandbox, sys.executable, "-c", "print('up', flush=True)\nwhile True: pass", options=["--aware"])
    running.expect("up")
    with Client(socket_of(running)) as first:
        first.send("advance seconds=1\n")
        # Read after it: it is under way once this is answered.
        assert first.ask("tasks")["count"] == "0"
        refused = sandbox.curfew("advance", running.name, "1s")
        assert (refused.returncode, refused.stdout) == (75, "")
        assert "refused (busy): another `curfew advance` is under way" in refused.stderr
    answer = advance(sandbox, running.name, "1m")
    assert (answer["seconds"], answer["state"]) == (20, "notRunning")


def test_a_journal_holds_both_times(sandbox):
    journal = sandbox.scratch / "journal"
    running = idle(sandbox, "--journal", str(journal), "--time-limit", "1h")
    advance(sandbox, running.name, "2h")
    assert running.finish()[0] == 124
    assert " real=" in journal.read_text()
    replayed = sandbox.curfew("replay", str(journal))
    assert (replayed.returncode, replayed.stderr) == (0, "")


def test_what_the_command_leaves_behind_has_lifecycle_time(sandbox, containment):
    """It was asked to end, and is killed when that much of it has passed; the command's status stays."""
    running = held(
        sandbox, "sh", "-c", "trap '' TERM; sleep 300 & echo up; exit 3", options=["--containment", containment])
    running.expect("up")
    leader = running.status()["pid"]
    wait_for("the shell to exit", lambda: not is_alive(leader))
    answer = advance(sandbox, running.name, "1h")
    assert (answer["seconds"], answer["state"]) == (5, "notRunning")
    status, _, err = running.finish()
    assert status == 3
    assert "killed what it left behind, which hadn't ended 5 s after SIGTERM" in err
    assert not sandbox.processes()
