"""Running a program: streams, statuses, environment, and nothing left behind."""

import json
import os
import re
import signal
import subprocess

from conftest import LIMIT, binary, wait_for


def test_passes_streams_through(sandbox):
    result = subprocess.run(
        [binary(), "run", "--", "sh", "-c", "cat; echo oops >&2"], input="in\n", capture_output=True, text=True,
        env=sandbox.environment, timeout=LIMIT)
    assert (result.returncode, result.stdout, result.stderr) == (0, "in\n", "oops\n")


def test_passes_each_exit_status_through(sandbox):
    script = "; ".join(f"{binary()} run -- sh -c 'exit {code}'; echo $?" for code in range(0, 256, 5))
    result = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=sandbox.environment, timeout=3 * LIMIT)
    assert result.stdout.split() == [str(code) for code in range(0, 256, 5)]


def test_dies_by_the_signal_that_ended_the_program(sandbox):
    assert sandbox.shell("kill -USR1 $$").wait() == -signal.SIGUSR1


def test_says_not_found_127(sandbox):
    result = sandbox.curfew("run", "--", "no-such-command")
    assert (result.returncode, result.stdout) == (127, "")
    assert result.stderr == "curfew: run: no-such-command: No such file or directory\n"


def test_says_not_executable_126(sandbox):
    path = sandbox.scratch / "plain"
    path.write_text("data")
    result = sandbox.curfew("run", "--", path)
    assert (result.returncode, result.stderr) == (126, f"curfew: run: {path}: Permission denied\n")


def test_time_limit_is_124_and_one_line(sandbox):
    running = sandbox.start("sleep", "60", options=["--time-limit", "0.3"], name="nap")
    status, _, err = running.finish()
    assert status == 124
    assert re.fullmatch(r"curfew: nap: killed: time-limit: it ran for (?:0\.[3-9]|[1-9]\d*(?:\.\d)?) s; the limit is 0\.3 s\n", err), err


def test_report_says_why(sandbox):
    report = sandbox.scratch / "report.json"
    sandbox.start("sleep", "60", options=["--time-limit", "0.2", "--report", report]).wait()
    written = json.loads(report.read_text())
    assert (written["reason"], written["status"], written["command"]) == ("time-limit", 124, ["sleep", "60"])


def test_a_name_is_taken_once(sandbox):
    first = sandbox.shell("sleep 60 & echo up; wait", name="only")
    first.expect("up")
    second = sandbox.curfew("run", "--name", "only", "--", "true")
    assert second.returncode == 64
    assert second.stderr == "curfew: run: --name only: an app of this name is running (see `curfew ps`)\n"
    assert sandbox.curfew("quit", "only").returncode == 0


def test_kills_what_the_command_leaves_behind(sandbox, containment):
    running = sandbox.shell("setsid sleep 300 & echo $!", options=[f"--containment={containment}"])
    running.read_line()
    assert running.wait() == 0
    wait_for("nothing to be left", lambda: not sandbox.processes())


def test_supervisor_killed_leaves_nothing(sandbox, containment):
    running = sandbox.shell("setsid sleep 300 & sleep 300 & echo up; wait", options=[f"--containment={containment}"])
    running.expect("up")
    os.kill(running.status()["supervisor"], signal.SIGKILL)
    status, _, err = running.finish()
    assert status == 125
    assert "supervisor-exit" in err
    assert not sandbox.processes()
    assert not sandbox.sockets()
