"""A pytest plugin: a failing test prints what is known of its apps and servers."""

import os

import pytest

# Where a test's sandbox is found: among its arguments it isn't where a fixture has failed that stands on it. What is there has
# `tell_history()`, which gives (title, text) and raises nothing.
SANDBOX = pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    sandbox = item.stash.get(SANDBOX, None)
    if report.failed and sandbox:
        report.sections += sandbox.tell_history()
    return report


def file_end(path, absent, count=80):
    """The last lines of a file, of its last quarter of a MiB: of a journal what the core was told, and what it decided."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - (1 << 18)))
            return "\n".join(file.read(1 << 18).decode(errors="replace").splitlines()[-count:]) or "nothing"
    except OSError:
        return absent
