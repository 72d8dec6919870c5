"""Durations, as the command line reads them."""

from __future__ import annotations

import datetime
import math
import re
from typing import Dict, Final, Union

Duration = Union[str, float, datetime.timedelta]
"""A number of seconds, a timedelta, or text as on the command line: `90`, `1.5s`, `9m55s`, `1h30min`."""

__tracebackhide__ = True

_UNITS: Final[Dict[str, float]] = {
    unit: value for units, value in [
        ("us usec µs μs", 1e-6), ("ms msec", 1e-3), (" s sec second seconds", 1), ("m min minute minutes", 60),
        ("h hr hour hours", 3600), ("d day days", 86400), ("w week weeks", 604800)]
    for unit in units.split(" ")}
_TERM = re.compile(r"\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([^\W\d_]*)\s*")


def seconds(duration: Duration) -> float:
    """In seconds; raises ValueError for what is none, negative, or without end."""
    if isinstance(duration, datetime.timedelta):
        total = duration.total_seconds()
    elif isinstance(duration, str):
        total = _parse(duration)
    else:
        total = float(duration)
    if not 0 <= total < math.inf:
        raise ValueError(f"{duration!r} is no duration; one is a number of seconds, or such as 1.5s, 9m55s or 1h30min")
    return total


def _parse(text: str) -> float:
    total, position = 0.0, 0
    while position < len(text):
        term = _TERM.match(text, position)
        if not term or term[2] not in _UNITS:
            return math.nan
        total += float(term[1]) * _UNITS[term[2]]
        position = term.end()
    return total if text.strip() else math.nan
