"""What is known of an app: its launches, what it has written, and what has happened to it."""

from __future__ import annotations

import codecs
import threading
from dataclasses import dataclass, field
from typing import Final, List, Mapping, Optional, Tuple, Union

from ._client import _Message

__tracebackhide__ = True

Value = Union[str, int, float]
"""Of a pair: True and False stand for `true` and `false`."""


def value_text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def pairs_text(name: str, pairs: Mapping[str, Value]) -> str:
    return " ".join([name, *(f"{key}={value_text(value)}" for key, value in pairs.items())])


@dataclass(frozen=True)
class Event:
    """One thing that happened to an app, as `curfew events` tells it."""

    name: str
    """What an event that was delivered is called; of anything else the name in docs/json.md: `stateDidChange` …"""

    number: int
    """Counts up within a launch."""

    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    """What was told with it: `from`, `to`, `info.KEY` …"""

    kind: str = field(default="", repr=False)
    """The name in docs/json.md: `didDeliver` for one that was delivered."""

    @classmethod
    def read(cls, message: _Message) -> Event:
        """Raises KeyError or ValueError for a line that is none."""
        fields = {key: value for key, value in message.pairs.items() if key not in ("id", "name", "number", "app")}
        kind = message.pairs["name"]
        name = fields.pop("event", kind) if kind == "didDeliver" else kind
        return cls(name, int(message.pairs["number"]), fields, kind)

    def matches(self, name: str, pairs: Mapping[str, Value]) -> bool:
        """Whether it is called so and came with these pairs; of what was posted with it, `info.` may be left out."""
        return name in (self.name, self.kind) and all(
            value_text(value) in (self.fields.get(key), self.fields.get("info." + key)) for key, value in pairs.items())

    def __str__(self) -> str:
        return pairs_text(self.name, {key: value for key, value in self.fields.items() if key != "time"})


class Output:
    """What a launch has written: the last of it, as text, and how far it was searched."""

    CAPACITY: Final = 1 << 18
    LONGEST_LINE: Final = 200

    def __init__(self) -> None:
        self._pieces: List[str] = []
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._dropped = 0
        self._searched = 0
        self.count = 0
        """How many characters there were in all."""

    def append(self, data: bytes, final: bool = False) -> None:
        piece = self._decoder.decode(data, final)
        self._pieces.append(piece)
        self.count += len(piece)
        # A program that writes for ever takes no memory for ever.
        if self.count - self._dropped > 2 * self.CAPACITY:
            text = self.text
            self._pieces = [text[-self.CAPACITY:]]
            self._dropped = self.count - self.CAPACITY

    @property
    def text(self) -> str:
        """Bytes that are no UTF-8 stand as U+FFFD."""
        if len(self._pieces) != 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    @property
    def searched(self) -> int:
        """Where in `text` the last match ended."""
        return max(0, self._searched - self._dropped)

    @searched.setter
    def searched(self, position: int) -> None:
        self._searched = self._dropped + position

    def last_lines(self, count: int) -> List[str]:
        """Oldest first, an unfinished one included, long ones cut."""
        lines = [line for line in self.text[-8192:].split("\n") if line]
        return [line if len(line) <= self.LONGEST_LINE else line[:self.LONGEST_LINE] + "…" for line in lines[-count:]]


@dataclass(frozen=True)
class End:
    """How a launch ended."""

    status: int
    """As a shell tells it: 128 + N for signal N."""

    reason: Optional[str]
    """Why Curfew ended it; None when it ended by itself."""

    def __str__(self) -> str:
        return str(self.status) + (f", {self.reason}" if self.reason else "")


class Launch:
    """One launch of the app."""

    def __init__(self) -> None:
        self.pid = 0
        """The program's; 0 until it is known."""
        self.output = Output()
        self.end: Optional[End] = None


class Record:
    """All launches; changed by one thread and looked at by others, each of which holds `changed`."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.launches: List[Launch] = []
        self.events: List[Event] = []
        self._first = 0
        self._version = 0

    @property
    def current(self) -> Optional[Launch]:
        return self.launches[-1] if self.launches else None

    @property
    def is_running(self) -> bool:
        return self.current is not None and self.current.end is None

    @property
    def recent(self) -> List[Event]:
        """Since the last statement that acts on the app."""
        return self.events[self._first:]

    def act(self) -> None:
        """A statement acts on the app now."""
        with self.changed:
            self._first = len(self.events)

    @property
    def version(self) -> int:
        """Another one each time that something has come."""
        return self._version

    def tell(self) -> None:
        """Something has come; by whoever holds `changed`."""
        self._version += 1
        self.changed.notify_all()

    def wait(self, version: int, seconds: float) -> None:
        """Until something has come that isn't in that version, or for so long."""
        self.changed.wait_for(lambda: self._version != version, seconds)

    def last(self, count: int) -> Tuple[List[str], List[str]]:
        """The last events and lines of output."""
        with self.changed:
            output = self.current.output.last_lines(count) if self.current else []
            return [str(event) for event in self.events[-count:]], output
