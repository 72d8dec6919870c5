"""Who may drive an app by signals, and what becomes of signals that are sent to Curfew's own processes."""

import contextlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys

import pytest

from conftest import LIMIT, PATIENCE, Running, binary, is_alive, state_letter, wait_for
from programs.helpers import PROGRAMS

INSIDE = [sys.executable, PROGRAMS / "inside.py"]


class Inside:
    """An app that sends signals for the test."""

    def __init__(self, sandbox, *options, running=None, **popen):
        self.running = running or sandbox.start(*INSIDE, options=options, stdin=subprocess.PIPE, **popen)
        self.running.expect("up")
        status = self.running.status()
        self.proxy, self.supervisor = int(status["front"]), int(status["supervisor"])

    def send(self, *words):
        self.tell(*words)
        self.running.expect("done")

    def tell(self, *words):
        self.running.process.stdin.write((" ".join(str(int(w) if isinstance(w, int) else w) for w in words) + "\n").encode())
        self.running.process.stdin.flush()

    def history(self):
        text = self.running.sandbox.curfew("events", self.running.name, "--json").stdout
        return [json.loads(line) for line in text.splitlines()]

    def ignored(self):
        return [event for event in self.history() if event["name"] == "signalIgnored"]

    def end(self):
        """Lets it exit with 7, which the proxy must then end with."""
        self.tell("exit", 7)
        status, _, err = self.running.finish()
        assert (status, err) == (7, "")


def hook_runner(proxy):
    """The process that runs hooks: a child of the proxy."""
    for child in pathlib.Path(f"/proc/{proxy}/task/{proxy}/children").read_text().split():
        if pathlib.Path(f"/proc/{child}/comm").read_text() == "curfew-hooks\n":
            return int(child)
    return None


# Whoever is inside has no say


@pytest.mark.parametrize("number", [signal.SIGCONT, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGTSTP])
@pytest.mark.parametrize("half", ["proxy", "supervisor"])
def test_a_signal_from_inside_drives_nothing(sandbox, held, half, number):
    """Neither opens it nor ends it; the history says what was tried, and by whom."""
    app = Inside(sandbox, "--manual-clock", "--grace", "60", *held)
    app.running.sandbox.curfew("home", app.running.name)
    app.send("kill", getattr(app, half), number)
    if half == "proxy" or number not in (signal.SIGCONT, signal.SIGTSTP):
        event = app.running.wait_told("it to be noted", app.ignored)[0]
        assert (event["signal"], event["pid"]) == (number, app.running.status()["pid"])
    assert app.running.status()["state"] == "background"
    app.end()


@pytest.mark.parametrize("number", [signal.SIGCONT, signal.SIGTSTP])
def test_a_signal_from_inside_does_not_send_it_home(sandbox, number):
    """In front either."""
    app = Inside(sandbox)
    app.send("kill", app.proxy, number)
    app.send("kill", app.proxy, signal.SIGTSTP)
    app.running.wait_told("it to be noted", app.ignored)
    assert app.running.status()["state"] == "active"
    app.end()


def test_a_sender_that_is_gone_does_not_open_it(sandbox, held):
    """While it runs, nobody knows whether that was one of its own."""
    app = Inside(sandbox, "--manual-clock", "--grace", "60", *held)
    app.running.sandbox.curfew("home", app.running.name)
    app.send("gone", app.proxy, signal.SIGCONT)
    app.running.wait_told("it to be noted", app.ignored)
    app.send("forge", app.proxy, signal.SIGCONT, os.getpid(), 0)
    assert app.running.status()["state"] == "background"
    app.end()


def test_a_sender_outside_opens_it_in_background(sandbox, held):
    """One that is still there, as a shell is."""
    app = Inside(sandbox, "--manual-clock", "--grace", "60", *held)
    app.running.sandbox.curfew("home", app.running.name)
    os.kill(app.proxy, signal.SIGCONT)
    app.running.wait_state("active")
    app.end()


def test_a_sender_that_is_gone_opens_what_is_suspended(sandbox, held):
    """None of its own can have sent it then."""
    app = Inside(sandbox, *held)
    app.running.sandbox.curfew("home", app.running.name)
    app.running.wait_state("suspended")

    # Anew each time: the proxy may not yet have told that it has passed on all from before the stop.
    def opened():
        subprocess.run(["/bin/kill", "-CONT", str(app.proxy)], check=True)
        return app.running.status()["state"] == "active"

    wait_for("it to be open", opened)
    app.end()


def test_a_sender_that_is_gone_ends_it(sandbox):
    """As `kill` in a script does, and the shell after it."""
    app = Inside(sandbox, "--terminate-limit", "0.2s")
    subprocess.run(["/bin/kill", str(app.proxy)], check=True)
    assert app.running.wait() == 124


@pytest.mark.parametrize("sender", ["supervisor", "proxy"])
def test_a_forged_signal_is_not_taken_for_curfews_own(sandbox, sender):
    """A sender who queues a signal writes whose it is; it is passed on as anybody's."""
    app = Inside(sandbox, "--terminate-limit", "0.2s")
    forger = subprocess.run(
        INSIDE, input=f"forge {app.proxy} {int(signal.SIGTERM)} {getattr(app, sender)} 0\n", text=True,
        capture_output=True, check=True)
    assert forger.stdout == "up\ndone\n"
    assert app.running.wait() == 124


def test_timeout_passes_on_what_its_command_sends(sandbox):
    """As GNU's: without a lifecycle there is nothing that a signal could drive."""
    result = sandbox.curfew("timeout", "60", "sh", "-c", "trap 'exit 9' TERM; kill -TERM $PPID; while :; do sleep 0.01; done")
    assert result.returncode == 9


@pytest.mark.parametrize("half", ["proxy", "supervisor"])
def test_a_signal_from_inside_buys_a_timeouts_app_no_time(sandbox, half):
    """Under `curfew timeout --profile` it has a budget, so there a signal that is passed on is an operator's."""
    process = subprocess.Popen(
        [binary(), "timeout", "--profile", "ios13", "300", *INSIDE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=sandbox.environment)
    app = Inside(sandbox, running=Running(sandbox, process, pathlib.Path(sys.executable).name))
    sandbox.running.append(app.running)
    app.send("kill", getattr(app, half), signal.SIGTERM)
    event = app.running.wait_told("it to be noted", app.ignored)[0]
    assert (event["signal"], event["pid"]) == (signal.SIGTERM, app.running.status()["pid"])
    # An operator's is passed on; it ignores it.
    os.kill(app.proxy, signal.SIGTERM)
    assert len(app.ignored()) == 1
    app.end()


# No signal confuses or ends a half of Curfew


def test_no_signal_from_inside_ends_or_confuses_a_half(sandbox, held):
    """All there are but SIGKILL and SIGSTOP, by kill and forged, to the proxy, the supervisor and the hooks' process."""
    mark = sandbox.scratch / "hook"
    app = Inside(sandbox, "--manual-clock", "--grace", "60", f"--exec-on=didEnterBackground=touch {mark}", *held)
    app.running.sandbox.curfew("home", app.running.name)
    hooks = wait_for("the hooks' process", lambda: hook_runner(app.proxy))
    for pid in (app.proxy, app.supervisor, hooks):
        for number in set(range(1, 65)) - {signal.SIGKILL, signal.SIGSTOP}:
            app.send("kill", pid, number)
            if number > 31:
                for value in (0, signal.SIGKILL, signal.SIGTERM, signal.SIGTSTP, signal.SIGCONT, -1):
                    app.send("forge", pid, number, app.supervisor, value)
                    app.send("forge", pid, number, app.proxy, value)
    wait_for("them to wait", lambda: [state_letter(pid) for pid in (app.proxy, app.supervisor, hooks)] == ["S"] * 3)
    assert app.running.status()["state"] == "background"
    wait_for("the hook", mark.exists)
    app.end()


def test_a_flood_of_signals_loses_no_other(sandbox):
    """The proxy takes in what there is room for; TERM gets through, and nothing is left behind."""
    app = Inside(sandbox, "--terminate-limit", "0.2s")
    os.kill(app.supervisor, signal.SIGSTOP)
    for _ in range(300):
        os.kill(app.proxy, signal.SIGRTMIN + 5)
    os.kill(app.proxy, signal.SIGTERM)
    assert app.running.wait() == 124


def test_a_full_queue_of_signals_loses_none(sandbox):
    """RLIMIT_SIGPENDING of 0 leaves no room for any signal that has to be queued."""
    running = sandbox.shell(
        "trap 'exit 9' TERM; echo up; while :; do sleep 0.01; done",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_SIGPENDING, (0, 0)))
    running.expect("up")
    os.kill(running.pid, signal.SIGTERM)
    assert running.wait() == 9


# A stopped half


def test_a_stopped_supervisor_is_continued(sandbox):
    """By its proxy, at once; its history and standard error say so."""
    app = Inside(sandbox)
    app.send("kill", app.supervisor, signal.SIGSTOP)
    app.running.wait_told("it to be noted", lambda: [e for e in app.history() if e["name"] == "supervisorDidStop"])
    app.send("kill", app.supervisor, signal.SIGSTOP)
    app.tell("exit", 7)
    status, _, err = app.running.finish()
    line = f"curfew: {app.running.name}: the supervisor was stopped by a signal, and goes on\n"
    assert (status, err) == (7, line)


@pytest.mark.parametrize("halves", [["supervisor"], ["proxy", "supervisor"]])
@pytest.mark.parametrize("verb", ["run", "timeout"])
def test_limits_hold_though_both_halves_are_stopped(sandbox, halves, verb):
    """Stopped together with its proxy, the supervisor is continued by a timer of the kernel's when a limit is reached."""
    limit = f"{PATIENCE:g}s"
    arguments = ["run", "--time-limit", limit, "--"] if verb == "run" else ["timeout", limit]
    process = subprocess.Popen(
        [binary(), *arguments, "sleep", "300"], env=sandbox.environment, stderr=subprocess.DEVNULL)
    try:
        def child(pid):
            if process.poll() is not None:
                raise ProcessLookupError("it is over")
            text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            return int(text[0]) if text else None

        def command():
            pid = child(supervisor)
            return pid if pid and pathlib.Path(f"/proc/{pid}/comm").read_text() == "sleep\n" else None

        pid = None
        # Where the machine takes longer for all that than the limit, it holds all the same.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            supervisor = wait_for("the supervisor", lambda: child(process.pid))
            pid = wait_for("the command", command)
            # The first thing it waits for once all is set up.
            wait_for("the supervisor to wait", lambda: child(process.pid) and state_letter(supervisor) == "S")
            for half in halves:
                os.kill({"proxy": process.pid, "supervisor": supervisor}[half], signal.SIGSTOP)
        assert process.wait(LIMIT) == 124
        assert pid is None or not is_alive(pid)
    finally:
        process.kill()
        process.wait()
