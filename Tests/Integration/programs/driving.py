"""What the tests of the lifecycle share: an app that tells what it hears, an app's history, and the shape of kills."""

import json
import re
import select
import subprocess
import sys
import time

import pytest

from conftest import LIMIT, thread_letters, wait_for
from programs.helpers import PROGRAMS, Client, Line, socket_of, tree


class Speaker:
    """lifecycle_app.py under curfew: what it hears can be read, and what it says is up to the test."""

    def __init__(self, sandbox, *arguments, options=(), **popen):
        self.sandbox = sandbox
        self.running = sandbox.start(
            sys.executable, "-SE", PROGRAMS / "lifecycle_app.py", *arguments, options=options, stdin=subprocess.PIPE,
            **popen)
        self.name = self.running.name

    def say(self, *lines):
        for line in lines:
            self.running.process.stdin.write(line.encode() + b"\n")
        self.running.process.stdin.flush()

    def does(self, *lines):
        """Says each, a `!` word of the program's, and waits until it has done it."""
        for line in lines:
            self.say(line)
            self.running.expect(line.partition(" ")[0])

    def notifies(self, *lines):
        """Sends a datagram of these lines, and returns once the supervisor has dealt with it."""
        self.does("!notify " + "\\n".join(lines), "!barrier")

    def ask(self, line):
        """Says it and returns the answer; no event may come before that."""
        self.say(line)
        answer = Line(self.running.read_line())
        assert answer.verb in ("ok", "error"), answer.text
        return answer

    def hear(self, *names):
        """The next events, which must be these; returned as lines."""
        heard = []
        while len(heard) < len(names):
            line = Line(self.running.read_line())
            if line.verb == "event":
                heard.append(line)
                seen = [event["name"] for event in heard]
                assert seen == list(names[:len(seen)]), [event.text for event in heard]
            else:
                assert line.verb == "ok", line.text
        return heard

    def hears_no_more(self):
        """What comes next is the answer to a question: no event came before it. For an app that runs."""
        assert self.ask("remaining id=quiet")["id"] == "quiet"

    def launched(self):
        """Up to the end of a launch in front."""
        self.hear("didFinishLaunching", "didBecomeActive")
        return self

    def drive(self, verb, *arguments):
        """An operator's verb, which must succeed; the state it answers with."""
        result = self.sandbox.curfew(verb, self.name, *arguments, "--json")
        assert (result.returncode, result.stderr) == (0, ""), (verb, result)
        return json.loads(result.stdout)["state"]

    def finish(self, limit=LIMIT):
        """(status, the events that were heard since, standard error)."""
        status, out, err = self.running.finish(limit)
        events = [Line(line)["name"] for line in out.splitlines() if line.startswith("event ")]
        return status, events, err

    def pids(self):
        leader = self.running.status()["pid"]
        return [leader, *tree(leader)]


class History:
    """What `curfew events --follow` has: an app's life from its beginning on."""

    def __init__(self, running):
        self.seen = []
        self.client = Client(socket_of(running))
        self.client.socket.settimeout(None)
        self.client.send("events follow=1\n")

    def until(self, name, limit=LIMIT, **fields):
        """The next event of the name with such fields; fails with what was seen instead."""
        wanted = {key.replace("_", "-"): str(value) for key, value in fields.items()}
        deadline = time.monotonic() + limit
        while True:
            line = self._next(deadline)
            if line is None:
                seen = "\n".join(line.text for line in self.seen)
                pytest.fail(f"waited for {name} {wanted}; seen:\n{seen}")
            self.seen.append(line)
            if line.get("name") == name and all(line.get(key) == value for key, value in wanted.items()):
                return line

    def _next(self, deadline):
        if b"\n" not in self.client.buffer:
            ready, _, _ = select.select([self.client.socket], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                return None
        return self.client.line()

    def close(self):
        self.client.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def wait_there(running):
    """Waits until its supervisor answers."""
    wait_for(f"{running.name} to be there", lambda: socket_of(running).exists())


def wait_event(running, name, limit=LIMIT, **fields):
    """Waits until the app's history has such an event, also one that is in it already."""
    wait_there(running)
    with History(running) as history:
        return history.until(name, limit, **fields)


def history(running):
    """All that has happened up to now, as dictionaries."""
    result = running.sandbox.curfew("events", running.name, "--json")
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def states(running):
    """The states it has been in, in order."""
    return [event["to"] for event in history(running) if event["name"] == "stateDidChange"]


def delivered(running):
    """The names of what was delivered to anybody, in order."""
    return [event["event"] for event in history(running) if event["name"] == "didDeliver"]


def advance(running, time):
    """Moves the time of one that was started with --manual-clock; what has happened, what is left, and its state."""
    result = running.sandbox.curfew("advance", running.name, time, "--json")
    assert result.returncode == 0, result
    return json.loads(result.stdout)


def letters(pids):
    """The states of all their threads, as one string."""
    return "".join("".join(thread_letters(pid)) for pid in pids)


def wait_running(pids):
    wait_for("them to run", lambda: not set(letters(pids)) & set("Tt") and letters(pids))


SPAN = r"(?:[\d.]+ (?:us|ms|s)|0 s)"


def killed_line(name, reason, code, culprit, meanwhile=None):
    """A pattern for the one line a kill is told in; `meanwhile`: "waiting", or "computing" and "any", where it depends on
    what a busy machine gave it."""
    pattern = rf"curfew: {re.escape(name)}: killed: {reason} \({code}\): {re.escape(culprit)}"
    if meanwhile:
        judgement = ": it was waiting" if meanwhile == "waiting" else "(?:: it was (?:waiting|computing))?"
        pattern += rf"; in (?P<elapsed>{SPAN}) it used (?P<used>{SPAN}) of CPU time(?P<judgement>{judgement})"
    return re.compile(pattern + "\n")


def seconds(span):
    """The least and the most that a span can be, which is shown rounded to its last digit."""
    number, unit = span.split()
    scale = {"us": 1e-6, "ms": 1e-3, "s": 1}[unit]
    half = 0.5 * 10 ** -len(number.partition(".")[2])
    return max(0, float(number) - half) * scale, (float(number) + half) * scale


def assert_killed(text, *arguments, **options):
    pattern = killed_line(*arguments, **options)
    told = pattern.fullmatch(text)
    assert told, f"{text!r} isn't {pattern.pattern!r}"
    if told.groupdict().get("used"):
        (least_used, most_used), (least, most) = seconds(told["used"]), seconds(told["elapsed"])
        assert told["judgement"] in judgements(least_used / most, most_used / least), text


def judgements(least, most):
    """What may be said of who had such a share of a processor: from a half on it was computing, up to a tenth waiting, and
    between nothing is said."""
    return ([": it was waiting"] if least <= 0.1 else []) + ([""] if most > 0.1 and least < 0.5 else []) + (
        [": it was computing"] if most >= 0.5 else [])
