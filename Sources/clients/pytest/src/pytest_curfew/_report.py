"""How a launch ended, as the report of `curfew run` has it (docs/report.md)."""

from __future__ import annotations

import json
import re
from typing import Any, List, NamedTuple, Optional

from ._client import _Message
from ._record import Event

__tracebackhide__ = True


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
        with open(path, "rb") as file:
            report = json.load(file)
        events = [Event.read(_message(told)) for told in report.get("events") or []]
        return LaunchReport(report.get("pid") or 0, report.get("reason"), events)
    except (OSError, ValueError, KeyError, AttributeError):
        return LaunchReport()


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
