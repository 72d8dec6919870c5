"""How a launch ended, as the report of `curfew run` has it (docs/report.md)."""

from __future__ import annotations

import json
import os
import re
import stat
from typing import Any, Final, List, NamedTuple, Optional

from ._client import _Message
from ._record import Event

__tracebackhide__ = True

# More than any report has.
_LONGEST: Final = 1 << 22


class LaunchReport(NamedTuple):
    pid: int = 0
    """0 where nothing was started."""

    reason: Optional[str] = None
    """Why Curfew ended it; None when it ended by itself."""

    events: List[Event] = []
    """The last things that happened, the oldest first."""


def read_report(path: str) -> LaunchReport:
    """An empty one where there is none, or none that is whole."""
    try:
        report = json.loads(_contents(path))
        pid, reason, told = report.get("pid"), report.get("reason"), report.get("events")
    except (OSError, ValueError, AttributeError):
        return LaunchReport()
    events = [_event(each) for each in told] if isinstance(told, list) else []
    return LaunchReport(
        pid if isinstance(pid, int) else 0, reason if isinstance(reason, str) else None,
        [event for event in events if event])


def _contents(path: str) -> bytes:
    """Of a regular file alone: the program, or whoever, may have put something else there."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LONGEST:
            raise ValueError(path)
        return file.read()


def _event(told: Any) -> Optional[Event]:
    """None for what is none, as of a curfew that doesn't number them."""
    try:
        return Event.read(_message(told))
    except (KeyError, ValueError, AttributeError):
        return None


def _message(told: Any) -> _Message:
    """As its followers are told it: `info` pair by pair, names as the control channel has them."""
    pairs = {f"info.{key}": str(value) for key, value in told.get("info", {}).items()}
    for key, value in told.items():
        text = _text(value)
        if text is not None:
            pairs[re.sub("[A-Z]", lambda letter: "-" + letter[0].lower(), key)] = text
    return _Message("event", pairs)


def _text(value: Any) -> Optional[str]:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.3f}"
    return str(value) if isinstance(value, (str, int)) else None
