"""What every client's test stands on."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import caller  # noqa: E402
from outcomes import pytest_terminal_summary  # noqa: E402,F401


def pytest_sessionstart(session):
    caller.forget()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """A failing test prints the history of its real apps, where it has a sandbox that tells it."""
    report = yield
    if report.failed:
        for argument in item.funcargs.values():
            if hasattr(argument, "tell_history"):
                report.sections += argument.tell_history()
    return report
