"""What is looked at and how it is told, against a supervisor that isn't there; durations, keys, what was written."""

import datetime
import os
import re

import pytest
from pytest_curfew import CurfewFailure, Event
from pytest_curfew._client import _Message, _parse
from pytest_curfew._conditions import Conditions
from pytest_curfew._durations import seconds
from pytest_curfew._keys import key_bytes
from pytest_curfew._record import End, Launch, Output
from pytest_curfew._report import LaunchReport, read_report
from pytest_curfew._running import Answer


class FakeRunning:
    """Answers what a test says; when it is asked the second time, something has come."""

    def __init__(self):
        self.status = {"state": "active", "cpu": "1.000"}
        self.open_tasks = []
        self.later = []

    def ask(self, verb, pairs):
        if self.later:
            self.later.pop(0)()
        return Answer([_Message("task", {"name": name}) for name in self.open_tasks], _Message("ok", dict(self.status)))


class FakeApp(Conditions):
    def __init__(self):
        super().__init__(patience=0.01)
        self.fake = self._running = FakeRunning()
        self._record.launches.append(Launch())

    def tell(self, line):
        with self._record.changed:
            self._record.events.append(Event.read(_parse(line.encode())))
            self._record.tell()

    def write(self, text):
        self._launched.output.append(text.encode())

    def end(self, status, reason=None):
        self._launched.end = End(status, reason)


@pytest.fixture
def app():
    return FakeApp()


def failure(of, *arguments, **options):
    with pytest.raises(CurfewFailure) as caught:
        of(*arguments, **options)
    assert str(caught.value) == f"expected  {caught.value.expected}\nseen      {caught.value.seen}"
    return f"{caught.value.expected}: {caught.value.seen}"


def test_states(app):
    app.expect_state("active")
    app.fake.status |= {"open-tasks": "2", "unacknowledged": "didEnterBackground"}
    assert failure(app.expect_state, "suspended") == (
        "the app to be suspended: it is active, with 2 tasks open, and hasn't acknowledged didEnterBackground")
    assert failure(app.await_state, "suspended").endswith("didEnterBackground; waited for 0.01 s")
    app.end(124, "background-task-timeout")
    app.await_state("notRunning")
    assert failure(app.await_state, "active", within="1m") == (
        "the app to be active: it isn't running: it ended with 124, background-task-timeout")


def test_a_state_is_awaited(app):
    """What comes while the supervisor is being asked isn't slept over."""

    def change():
        app.fake.status["state"] = "suspended"
        app.tell("event name=stateDidChange number=1 from=active to=suspended")

    app.fake.later = [lambda: None, change]
    app.await_state("active", within="1m")
    app.fake.later = [lambda: app.tell("event name=didBecomeAware number=2"), change]
    app.await_state("suspended", within="1m")


def test_ends(app):
    assert failure(app.expect_exit, 0) == "the app to exit with 0: it is still running"
    assert failure(app.expect_killed, "memory-limit") == "the app to be killed: memory-limit: it is still running"
    app.end(3)
    app.await_exit(3)
    assert failure(app.await_exit, 0) == "the app to exit with 0: it ended with 3"
    assert failure(app.await_killed, "memory-limit") == "the app to be killed: memory-limit: it ended by itself, with 3"
    app.end(137, "memory-pressure")
    app.expect_killed("memory-pressure")
    assert failure(app.expect_killed, "memory-limit") == "the app to be killed: memory-limit: it was killed: memory-pressure"


def test_pids(app):
    app._launched.pid = 7
    app.expect_pid("same")
    assert failure(app.expect_pid, "changed") == "another process than before: it was launched once, with pid 7"
    app._record.launches.append(Launch())
    app._launched.pid = 9
    app.expect_pid("changed")
    assert failure(app.expect_pid, "same") == "the same process as before: pid 7, then 9"


def test_events(app):
    nothing = "nothing has happened since the last statement that acts on it"
    assert failure(app.expect_event, "theme", dark=True) == f"the event theme dark=true: {nothing}"
    app.tell("event name=didDeliver number=1 time=1 event=theme seq=4 info.dark=true")
    app.tell("event name=stateDidChange number=2 from=active to=inactive")
    assert app.await_event("theme", dark=True, seq=4).number == 1
    assert app.expect_event("didDeliver").name == "theme"
    seen = "since the last statement that acts on it: theme seq=4 info.dark=true, stateDidChange from=active to=inactive"
    assert failure(app.await_event, "theme", dark=False) == f"the event theme dark=false: {seen}; waited for 0.01 s"
    assert failure(app.expect_no_event, "theme") == f"not the event theme: {seen}"
    app.expect_events("theme", "stateDidChange")
    assert failure(app.expect_events, "stateDidChange", "theme") == (
        f"the events stateDidChange, theme, in this order: {seen}; theme is missing")
    app._record.act()
    app.expect_no_event("theme")


def test_tasks(app):
    assert failure(app.expect_task, "upload", "ended") == "the task upload to be ended: no task is open"
    app.fake.open_tasks = ["copy"]
    assert failure(app.expect_task, "upload", "open") == "the task upload to be open: open are copy"
    app.tell("event name=taskDidBegin number=1 task=1 title=upload")
    app.expect_task("upload", "ended")
    app.expect_task("copy", "open")
    assert failure(app.expect_task, "copy", "ended") == "the task copy to be ended: it is open"


def test_output(app):
    assert failure(app.expect_output, "x+") == "output that matches x+: it has written nothing"
    app.write("one\ntwo")
    assert app.await_output("^(o)ne$")[1] == "o"
    assert app.await_output(re.compile("two")).start() == 4
    assert failure(app.await_output, "one") == "output that matches one: the last line is: two; waited for 0.01 s"
    app.expect_output("one")
    app.expect_no_output("three")
    assert failure(app.expect_no_output, "^t") == "not output that matches ^t: it has written t"


def test_silence(app):
    app.expect_silence(0)
    app.fake.later = [lambda: None, lambda: app.fake.status.update(cpu="1.500")]
    assert failure(app.expect_silence, 0.001) == "silence for 0.001 s: it has used CPU time: 1.000 s before, 1.500 s now"
    app.fake.later = [lambda: None, lambda: app.write("oops\n")]
    assert failure(app.expect_silence, 0.001) == "silence for 0.001 s: it has written 5 characters, the last line: oops"
    app.fake.later = [lambda: None, lambda: app.tell("event name=didBecomeAware number=1")]
    assert failure(app.expect_silence, 0.001) == "silence for 0.001 s: there was didBecomeAware"
    app.fake.later = [lambda: None, lambda: app.write("more\n")]
    app.await_silence(0.001, within="1m")
    assert failure(app.expect_no_silence, 0.001) == "no silence for 0.001 s: no output, no event and no CPU time"
    app.fake.later = [lambda: None, lambda: app.write("more\n")]
    app.expect_no_silence(0.001)


def test_what_python_asks(app):
    asked = []
    app.await_that(lambda: asked.append(0) or len(asked) > 2, within="1m")
    assert failure(app.await_that, lambda: False, "memory to be there") == "memory to be there to hold: it doesn't; waited for 0.01 s"


@pytest.mark.parametrize("duration, expected", [
    (90, 90), (1.5, 1.5), (datetime.timedelta(minutes=2), 120), ("90", 90), ("1.5s", 1.5), (".5", 0.5), ("9m55s", 595),
    ("1h30min", 5400), ("2 days 1 s", 172801), ("1e3ms", 1), ("100us", 0.0001), ("3µs", 0.000003), ("1w", 604800)])
def test_durations(duration, expected):
    assert seconds(duration) == pytest.approx(expected)


@pytest.mark.parametrize("duration", ["", " ", "soon", "1x", "-1", -1, "1.2.3x", "s", float("nan"), "inf", float("inf")])
def test_no_durations(duration):
    with pytest.raises(ValueError, match="is no duration; one is"):
        seconds(duration)


def test_keys():
    assert [key_bytes(word) for word in ("Enter", "C-c", "Up", "a", "hello", "ü")] == [
        b"\r", b"\x03", b"\x1b[A", b"a", b"hello", "ü".encode()]


def test_what_is_kept_of_output():
    output = Output()
    for byte in "naïve\n".encode():
        output.append(bytes([byte]))
    output.append(b"\xff\xe2", final=True)
    assert output.text == "naïve\n��"
    output.searched = 6
    for _ in range(20):
        output.append(b"y" * 50_000)
    output.append(b"end\n" + b"z" * 300)
    assert len(output.text) <= 2 * Output.CAPACITY + 50_000 and output.count == 1_000_312 and output.searched == 0
    assert output.last_lines(1) == ["z" * 200 + "…"]


def test_a_report_tells_what_happened_to_whoever_came_too_late(tmp_path):
    (tmp_path / "report.json").write_text("""
        {"pid": 71, "reason": null, "events": [
          {"time": 1.5, "name": "stateDidChange", "number": 1, "from": "notRunning", "to": "active"},
          {"time": 1.6, "name": "didDeliver", "number": 2, "event": "push", "seq": 4, "infoLeftOut": 1, "info": {"id": "7"}},
          {"name": "no number"}, 5,
          {"time": 1.7, "name": "timeoutExtended", "number": 3, "seconds": 5.001}]}""")
    pid, reason, events = read_report(str(tmp_path / "report.json"))
    assert (pid, reason, [event.number for event in events]) == (71, None, [1, 2, 3])
    assert events[0].matches("stateDidChange", {"from": "notRunning", "to": "active"})
    assert events[1].matches("push", {"seq": 4, "info-left-out": 1, "id": 7})
    assert events[2].matches("timeoutExtended", {"seconds": "5.001"})


@pytest.mark.parametrize("text", [None, "", '{"pid": 7', "[]", '{"events": 5}'])
def test_a_report_that_is_none(tmp_path, text):
    if text is not None:
        (tmp_path / "report.json").write_text(text)
    assert read_report(str(tmp_path / "report.json")) == LaunchReport()


def test_a_pipe_in_a_reports_place_is_waited_for_by_nobody(tmp_path):
    os.mkfifo(tmp_path / "report.json")
    assert read_report(str(tmp_path / "report.json")) == LaunchReport()
