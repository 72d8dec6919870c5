"""What the tests of the pytest plugin stand on: the plugin itself, from the sources, and $CURFEW as the curfew on PATH."""

import os
import pathlib
import shutil
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCES = ROOT / "Sources/clients/pytest"
PROGRAMS = pathlib.Path(__file__).with_name("programs")
PATIENCE = float(os.environ.get("CURFEW_TEST_PATIENCE", "1"))
LIMIT = 60.0 * PATIENCE
BINARY = os.environ.get("CURFEW")

sys.path[:0] = [str(ROOT / "Tests"), str(SOURCES / "src")]
import caller  # noqa: E402
from outcomes import pytest_terminal_summary  # noqa: E402,F401

pytest_plugins = ["pytester", "pytest_curfew.plugin"]

needs_curfew = pytest.mark.skipif(not BINARY, reason="$CURFEW names no curfew")


def pytest_configure(config):
    config.option.curfew_await *= PATIENCE
    if BINARY:
        os.environ["PATH"] = f"{pathlib.Path(BINARY).resolve().parent}:{os.environ['PATH']}"
    # For the programs, which import the client, and for the pytests that tests run.
    os.environ["PYTHONPATH"] = f"{SOURCES / 'src'}:{ROOT / 'Sources/clients/python'}"


def pytest_sessionstart(session):
    caller.forget()


def wait_for(what, probe):
    """Asks until the answer is true; fails saying what was awaited."""
    deadline = time.monotonic() + LIMIT
    while not (seen := probe()):
        assert time.monotonic() < deadline, f"waited {LIMIT} s for {what}; last seen: {seen!r}"
        time.sleep(0.01)  # a moment
    return seen


def is_alive(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


@pytest.fixture
def temporary(tmp_path_factory, monkeypatch):
    """A short folder that is TMPDIR; nothing may be left in it."""
    folder = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"cp{os.getpid()}"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    left = [path.name for path in folder.glob("curfew-*")]
    shutil.rmtree(folder)
    assert not left, f"left in TMPDIR: {left}"
