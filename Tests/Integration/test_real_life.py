"""A dozen real programs below one server, for some seconds: examples/real-life, in a place where what it leaves is found."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

from conftest import PATIENCE, ROOT, every_cgroup


@pytest.fixture
def folder():
    # Below /tmp itself: an ordinary user, as PostgreSQL runs as, can't enter pytest's directory.
    path = pathlib.Path(tempfile.mkdtemp(prefix="cf-life-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def test_a_dozen_real_programs_switched_at_random(sandbox, folder):
    """Nothing is lost, each is where it should be, and each end is explained: live.py says what isn't so."""
    result = subprocess.run(
        [sys.executable, ROOT / "examples/real-life/live.py", folder, "5"], env=sandbox.environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=200 * PATIENCE)
    print(result.stdout)
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    assert "written and found again" in result.stdout
    assert sandbox.left() == [] and set(every_cgroup()) <= sandbox.others_cgroups
