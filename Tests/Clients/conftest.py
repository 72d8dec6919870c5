"""What every client's test stands on."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import caller  # noqa: E402
from history import pytest_runtest_makereport  # noqa: E402,F401
from outcomes import pytest_terminal_summary  # noqa: E402,F401
from tracing import strace  # noqa: E402,F401


def pytest_sessionstart(session):
    caller.forget()
