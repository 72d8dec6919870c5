"""What is looked at: now, or until it is so."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Callable, Final, Generic, List, Literal, Mapping, Optional, Pattern, Sequence, Tuple, TypeVar, Union

from ._durations import Duration, seconds
from ._failures import CurfewError, CurfewFailure
from ._record import Event, Launch, Record, Value, pairs_text
from ._running import Answer, Gone, Running

__tracebackhide__ = True

T = TypeVar("T")
State = Literal["active", "inactive", "background", "suspended", "notRunning"]
Regex = Union[str, "Pattern[str]"]
# What no event tells of is looked at anew all the same, so often.
_LOOK_INTERVAL: Final = 0.01


@dataclass(frozen=True)
class _Finding(Generic[T]):
    """What was expected and what is seen, each in words; with a value where it holds."""

    value: Optional[T]
    expected: str
    seen: str


@dataclass(frozen=True)
class _Noise:
    output: int
    events: int
    cpu: str


class Conditions:
    """The conditions of scenarios: `await_…` waits for one to hold, `expect_…` requires that it holds now.

    within: how long it waits, in real time; 10 s, or what `--curfew-await` says. They raise CurfewFailure.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._record = Record()
        self._running: Optional[Running] = None

    def _ask(self, verb: str, pairs: Mapping[str, str] = {}) -> Answer:
        """Raises Gone, Refused, or CurfewError."""
        with self._record.changed:
            if not self._running or not self._record.is_running:
                raise Gone
        return self._running.ask(verb, pairs)

    def _status(self) -> Optional[Mapping[str, str]]:
        """What its supervisor says; None when the app has ended."""
        try:
            return self._ask("status").final.pairs
        except Gone:
            return None

    @property
    def _launched(self) -> Launch:
        launch = self._record.current
        if launch is None:
            raise CurfewError("the app wasn't launched yet")
        return launch

    # Looking

    def _await(self, look: Callable[[], _Finding[T]], within: Optional[Duration], is_told: bool = True) -> T:
        """is_told: whether events, output or the end tell of a change, so that the app's end makes it hopeless."""
        patience = self._patience if within is None else seconds(within)
        limit = time.monotonic() + patience
        while True:
            with self._record.changed:
                version = self._record.version
                has_ended = self._record.current is not None and not self._record.is_running
            finding = look()
            if finding.value is not None:
                return finding.value
            left = limit - time.monotonic()
            if left <= 0:
                raise CurfewFailure(finding.expected, f"{finding.seen}; waited for {patience:g} s")
            if is_told and has_ended:
                raise CurfewFailure(finding.expected, finding.seen)
            with self._record.changed:
                self._record.wait(version, left if is_told else min(left, _LOOK_INTERVAL))

    def _expect(self, finding: _Finding[T]) -> T:
        if finding.value is None:
            raise CurfewFailure(finding.expected, finding.seen)
        return finding.value

    def _expect_not(self, finding: _Finding[T]) -> None:
        if finding.value is not None:
            raise CurfewFailure(f"not {finding.expected}", finding.seen)

    @staticmethod
    def _found(holds: bool, expected: str, seen: str) -> _Finding[bool]:
        return _Finding(True if holds else None, expected, seen)

    def await_that(
        self, condition: Callable[[], object], what: str = "the condition", *, within: Optional[Duration] = None
    ) -> None:
        """Waits until `condition()` is true, asked every 10 ms: `await_that(lambda: app.memory < 64 << 20)`."""
        self._await(
            lambda: self._found(bool(condition()), f"{what} to hold", "it doesn't"), within, is_told=False)

    # The app

    def await_state(self, state: State, *, within: Optional[Duration] = None) -> None:
        """The app is in a state."""
        self._await(lambda: self._look_at_state(state), within)

    def expect_state(self, state: State) -> None:
        """The app is in a state."""
        self._expect(self._look_at_state(state))

    def _look_at_state(self, state: str) -> _Finding[bool]:
        expected = f"the app to be {state}"
        status = self._status()
        if status is None:
            return self._found(state == "notRunning", expected, f"it isn't running{self._how_it_ended}")
        now = status.get("state", "unknown")
        seen = f"it is {now}"
        tasks = status.get("open-tasks", "0")
        if tasks != "0":
            seen += f", with {tasks} {'task' if tasks == '1' else 'tasks'} open"
        if "unacknowledged" in status:
            seen += f", and hasn't acknowledged {status['unacknowledged']}"
        return self._found(now == state, expected, seen)

    @property
    def _how_it_ended(self) -> str:
        launch = self._record.current
        return f": it ended with {launch.end}" if launch and launch.end else ""

    def await_exit(self, status: int, *, within: Optional[Duration] = None) -> None:
        """The app has ended, and `curfew run` with this status."""
        self._await(lambda: self._look_at_exit(status), within)

    def expect_exit(self, status: int) -> None:
        """The app has ended, and `curfew run` with this status."""
        self._expect(self._look_at_exit(status))

    def _look_at_exit(self, status: int) -> _Finding[bool]:
        expected = f"the app to exit with {status}"
        end = self._launched.end
        if not end:
            return self._found(False, expected, "it is still running")
        return self._found(end.status == status, expected, f"it ended with {end}")

    def await_killed(self, reason: str, *, within: Optional[Duration] = None) -> None:
        """The app was killed, and for this reason: one of docs/exit-status.md."""
        self._await(lambda: self._look_at_kill(reason), within)

    def expect_killed(self, reason: str) -> None:
        """The app was killed, and for this reason: one of docs/exit-status.md."""
        self._expect(self._look_at_kill(reason))

    def _look_at_kill(self, reason: str) -> _Finding[bool]:
        expected = f"the app to be killed: {reason}"
        end = self._launched.end
        if not end:
            return self._found(False, expected, "it is still running")
        seen = f"it was killed: {end.reason}" if end.reason else f"it ended by itself, with {end.status}"
        return self._found(end.reason == reason, expected, seen)

    def expect_pid(self, which: Literal["changed", "same"]) -> None:
        """The app is another process than at the launch before, or the same."""
        expected = "another process than before" if which == "changed" else "the same process as before"
        pids = [launch.pid for launch in self._record.launches]
        if not pids:
            raise CurfewFailure(expected, "nothing was launched")
        if len(pids) == 1:
            return self._require(which == "same", expected, f"it was launched once, with pid {pids[0]}")
        before, last = pids[-2:]
        seen = f"pid {last} both times" if last == before else f"pid {before}, then {last}"
        self._require((last != before) == (which == "changed"), expected, seen)

    def _require(self, holds: bool, expected: str, seen: str) -> None:
        self._expect(self._found(holds, expected, seen))

    # Events

    def await_event(self, name: str, /, *, within: Optional[Duration] = None, **pairs: Value) -> Event:
        """An event has come since the last statement that acts on the app, with these pairs among its own."""
        return self._await(lambda: self._look_for_event(name, pairs), within)

    def expect_event(self, name: str, /, **pairs: Value) -> Event:
        """An event has come since the last statement that acts on the app, with these pairs among its own."""
        return self._expect(self._look_for_event(name, pairs))

    def expect_no_event(self, name: str, /, **pairs: Value) -> None:
        """No such event has come since the last statement that acts on the app."""
        self._expect_not(self._look_for_event(name, pairs))

    def _look_for_event(self, name: str, pairs: Mapping[str, Value]) -> _Finding[Event]:
        with self._record.changed:
            found = next((event for event in self._record.recent if event.matches(name, pairs)), None)
            return _Finding(found, f"the event {pairs_text(name, pairs)}", self._seen_events)

    def await_events(self, *names: str, within: Optional[Duration] = None) -> None:
        """Events have come, in this order, since the last statement that acts on the app; others may come between."""
        self._await(lambda: self._look_for_events(names), within)

    def expect_events(self, *names: str) -> None:
        """Events have come, in this order, since the last statement that acts on the app; others may come between."""
        self._expect(self._look_for_events(names))

    def _look_for_events(self, names: Sequence[str]) -> _Finding[bool]:
        left = list(names)
        with self._record.changed:
            for event in self._record.recent:
                if left and event.matches(left[0], {}):
                    left.pop(0)
            missing = f"; {left[0]} is missing" if left else ""
            return self._found(
                not left, f"the events {', '.join(names)}, in this order", self._seen_events + missing)

    @property
    def _seen_events(self) -> str:
        recent = self._record.recent
        if not recent:
            return "nothing has happened since the last statement that acts on it"
        return "since the last statement that acts on it: " + ", ".join(map(str, recent))

    def await_task(self, name: str, is_open: Literal["open", "ended"], *, within: Optional[Duration] = None) -> None:
        """A background task is open, or has ended."""
        self._await(lambda: self._look_at_task(name, is_open), within)

    def expect_task(self, name: str, is_open: Literal["open", "ended"]) -> None:
        """A background task is open, or has ended."""
        self._expect(self._look_at_task(name, is_open))

    def _look_at_task(self, name: str, wanted: str) -> _Finding[bool]:
        names = self._open_tasks()
        with self._record.changed:
            was_begun = any(event.matches("taskDidBegin", {"title": name}) for event in self._record.events)
        if name in names:
            now, seen = "open", "it is open"
        elif was_begun:
            now, seen = "ended", "it has ended"
        else:
            now, seen = "", f"open are {', '.join(names)}" if names else "no task is open"
        return self._found(now == wanted, f"the task {name} to be {wanted}", seen)

    def _open_tasks(self) -> List[str]:
        try:
            return [item.pairs["name"] for item in self._ask("tasks").items if "name" in item.pairs]
        except Gone:
            return []

    # Output

    def await_output(self, pattern: Regex, *, within: Optional[Duration] = None) -> re.Match[str]:
        """The app has written what matches, behind the last match of this launch; `^` and `$` are the ends of lines."""
        regex = _compiled(pattern)

        def look() -> _Finding[re.Match[str]]:
            with self._record.changed:
                output = self._launched.output
                match = regex.search(output.text, output.searched)
                if match:
                    output.searched = match.end()
            return self._output_finding(regex, match)

        return self._await(look, within)

    def expect_output(self, pattern: Regex) -> re.Match[str]:
        """The app has written what matches, anywhere in this launch; `^` and `$` are the ends of lines."""
        return self._expect(self._look_at_output(pattern))

    def expect_no_output(self, pattern: Regex) -> None:
        """The app has written nothing in this launch that matches."""
        self._expect_not(self._look_at_output(pattern))

    def _look_at_output(self, pattern: Regex) -> _Finding[re.Match[str]]:
        regex = _compiled(pattern)
        with self._record.changed:
            match = regex.search(self._launched.output.text)
        return self._output_finding(regex, match)

    def _output_finding(self, regex: re.Pattern[str], match: Optional[re.Match[str]]) -> _Finding[re.Match[str]]:
        if match:
            seen = f"it has written {match[0]}"
        else:
            with self._record.changed:
                last = self._launched.output.last_lines(1)
            seen = f"the last line is: {last[0]}" if last else "it has written nothing"
        return _Finding(match, f"output that matches {regex.pattern}", seen)

    # Silence

    def expect_silence(self, span: Duration) -> None:
        """For so long, in real time, there is no output, no event and no use of CPU time."""
        heard = self._listen(seconds(span))
        if heard:
            raise CurfewFailure(f"silence for {seconds(span):g} s", heard)

    def expect_no_silence(self, span: Duration) -> None:
        """Within so long, in real time, there is output, an event or use of CPU time."""
        if not self._listen(seconds(span)):
            raise CurfewFailure(f"no silence for {seconds(span):g} s", "no output, no event and no CPU time")

    def await_silence(self, span: Duration, *, within: Optional[Duration] = None) -> None:
        """Waits until there was no output, no event and no use of CPU time for so long."""
        limit = time.monotonic() + (self._patience if within is None else seconds(within))
        while True:
            heard = self._listen(seconds(span))
            if not heard:
                return
            if time.monotonic() >= limit:
                raise CurfewFailure(f"silence for {seconds(span):g} s", heard)

    def _listen(self, span: float) -> Optional[str]:
        """What was heard; None when nothing was."""
        limit = time.monotonic() + span
        before = self._noise()
        with self._record.changed:
            while (left := limit - time.monotonic()) > 0 and self._heard() == (before.output, before.events):
                self._record.wait(self._record.version, left)
        now = self._noise()
        if now.output != before.output:
            last = self._record.last(1)[1]
            return f"it has written {now.output - before.output} characters, the last line: {last[0] if last else ''}"
        if now.events != before.events:
            return f"there was {self._record.events[before.events]}"
        return None if now == before else f"it has used CPU time: {before.cpu} s before, {now.cpu} s now"

    def _heard(self) -> Tuple[int, int]:
        launch = self._record.current
        return launch.output.count if launch else 0, len(self._record.events)

    def _noise(self) -> _Noise:
        cpu = (self._status() or {}).get("cpu", "")
        with self._record.changed:
            return _Noise(*self._heard(), cpu)


def _compiled(pattern: Regex) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE) if isinstance(pattern, str) else pattern
