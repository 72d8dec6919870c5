"""A cgroup that was given to us: the memory controller is handed down in it where nobody else is in there."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import pytest

from conftest import LIMIT, binary, unified_mount, wait_for

MIB = 1 << 20
GREEDY = "import os; os.write(1, b'up\\n'); x = bytearray(os.urandom(1)) * (400 << 20); os.write(1, b'past\\n')"


class Given:
    """A cgroup of our own with a memory controller and nobody in it."""

    def __init__(self, path):
        self.path = path

    def join(self):
        """For Popen's preexec_fn."""
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def words(self, name):
        return (self.path / name).read_text().split()

    def folders(self):
        return sorted(entry.name for entry in self.path.iterdir() if entry.is_dir())

    def is_as_it_was(self):
        return self.folders() == [] and self.words("cgroup.subtree_control") == []


def place_of(pid):
    own = re.search(r"^0::(.*)$", pathlib.Path(f"/proc/{pid}/cgroup").read_text(), re.M)
    return unified_mount() / own.group(1).lstrip("/")


def need_memory_controller():
    mount = unified_mount()
    if not mount or "memory" not in (mount / "cgroup.controllers").read_text().split():
        pytest.skip("the unified hierarchy has no memory controller here")


def scope(*command):
    """The command line for a scope of its own, delegated to this user; skips where there is no service manager."""
    manager = ["systemd-run"] + ([] if os.geteuid() == 0 else ["--user"]) + ["--scope", "--quiet", "-p", "Delegate=yes"]
    if not shutil.which("systemd-run"):
        pytest.skip("there is no systemd-run here")
    tried = subprocess.run([*manager, "true"], capture_output=True, text=True, timeout=LIMIT, check=False)
    if tried.returncode:
        pytest.skip(f"no scope can be had here: {tried.stderr.strip()}")
    return [*manager, *map(str, command)]


@pytest.fixture
def given():
    need_memory_controller()
    holder = subprocess.Popen(scope("cat"), stdin=subprocess.PIPE)
    try:
        own = place_of(os.getpid())
        wait_for("the scope", lambda: place_of(holder.pid) != own)
        outer = place_of(holder.pid)
        (outer / "holder").mkdir()
        (outer / "holder/cgroup.procs").write_text(str(holder.pid))
        (outer / "cgroup.subtree_control").write_text("+memory")
        (outer / "given").mkdir()
        probe = subprocess.run(
            ["sh", "-c", f"echo $$ >{outer}/given/cgroup.procs"], capture_output=True, text=True, check=False)
        if probe.returncode:
            pytest.skip(f"processes can't be moved there: {probe.stderr.strip()}")
        yield Given(outer / "given")
        wait_for("its processes to go", lambda: not (outer / "given/cgroup.procs").read_text())
        (outer / "given").rmdir()
    finally:
        holder.stdin.close()
        holder.wait(LIMIT)


def test_alone_in_a_scope_the_kernel_keeps_the_limit(sandbox):
    """What a service manager starts in a delegated scope gets memory.max for its app."""
    need_memory_controller()
    look = (
        f"cd {unified_mount()}$(sed -n s/^0:://p /proc/self/cgroup) && cat memory.max memory.oom.group && "
        "curfew status --json")
    # The manager is found by the runtime directory; curfew has the sandbox's.
    places = [f"{name}={sandbox.environment[name]}" for name in ("XDG_RUNTIME_DIR", "PATH")]
    result = subprocess.run(
        scope("env", *places, binary(), "run", "--memory=50M", "--", "sh", "-c", look),
        capture_output=True, text=True, timeout=LIMIT, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split()[:2] == [str(50 * MIB), "1"]
    assert "cgroup2 + memory.max" in result.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="a user's own manager doesn't tell what it has delegated")
def test_what_systemd_keeps_for_itself_is_left_alone(sandbox):
    """In a scope that isn't delegated it would take the controller back, and the limit with it."""
    need_memory_controller()
    places = [f"{name}={sandbox.environment[name]}" for name in ("XDG_RUNTIME_DIR", "PATH")]
    command = [word for word in scope("env", *places, binary(), "run", "--memory=50M", "--", "curfew", "status")
               if word not in ("-p", "Delegate=yes")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert result.returncode == 0, result.stderr
    assert "cgroup2" in result.stdout and "memory.max" not in result.stdout


@pytest.mark.parametrize("hook", [[], ["--exec-on", "didEnterBackground=true"]], ids=["plain", "with-a-hook"])
def test_the_limit_is_the_kernels_and_all_is_as_before_afterwards(given, sandbox, hook):
    """Proxy, supervisor and the hooks' runner go aside for it, and come back."""
    running = sandbox.start(
        sys.executable, "-c", GREEDY, options=["--memory", "50M", *hook], preexec_fn=given.join)
    status, out, err = running.finish()
    assert (status, out) == (137, "up\n"), err
    assert re.fullmatch(
        rf"curfew: {running.name}: killed: memory-limit \(jetsam 7\): "
        r"its footprint reached (49|50)(\.\d)? MiB; the limit is 50 MiB\n", err), err
    assert given.is_as_it_was()


def test_where_everybody_is_meanwhile(given, sandbox):
    """The app in its cgroup, the supervisor and its proxy in a leaf, nobody between."""
    running = sandbox.shell("echo up; read x", stdin=subprocess.PIPE, options=["--memory", "50M"],
                            preexec_fn=given.join)
    running.expect("up")
    status = running.status()
    assert status["containment"] == "cgroup2 + memory.max"
    leaf = given.path / "curfew.supervisor"
    assert [place_of(running.pid), place_of(status["supervisor"])] == [leaf, leaf]
    assert given.folders() == sorted([f"curfew.{running.name}.{status['supervisor']}", "curfew.supervisor"])
    assert given.words("cgroup.procs") == []
    running.process.stdin.close()
    running.process.stdin = None
    assert running.finish()[0] == 1
    assert given.is_as_it_was()


def test_somebody_else_in_it_is_left_where_he_is(given, sandbox):
    """Then the limit is kept by sampling, and the status promises no more."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, preexec_fn=given.join) as other:
        running = sandbox.shell(
            f"echo up; read x; exec {sys.executable} -c \"$GREEDY\"", stdin=subprocess.PIPE,
            options=["--memory", "50M"], env=dict(sandbox.environment, GREEDY=GREEDY), preexec_fn=given.join)
        running.expect("up")
        assert running.status()["containment"] == "cgroup2"
        assert [place_of(running.pid), place_of(other.pid)] == [given.path, given.path]
        running.process.stdin.write(b"\n")
        running.process.stdin.close()
        running.process.stdin = None
        status, _, err = running.finish()
        assert (status, "memory-limit (jetsam 7)" in err) == (137, True), err
        assert given.is_as_it_was()
        other.stdin.close()


def test_without_a_limit_nobody_is_moved(given, sandbox):
    running = sandbox.shell("echo up; read x", stdin=subprocess.PIPE, preexec_fn=given.join)
    running.expect("up")
    assert place_of(running.pid) == given.path
    assert given.words("cgroup.subtree_control") == []
    running.process.stdin.close()
    running.process.stdin = None
    running.finish()


@pytest.mark.parametrize("half", ["supervisor", "proxy"])
@pytest.mark.parametrize("after", ["kill", "resume"])
def test_killed_with_either_half_it_is_as_before(given, sandbox, half, after):
    """Whoever is left puts everything back: after the app's end by him, or after the app's own."""
    running = sandbox.shell(
        "echo up; read x", stdin=subprocess.PIPE, options=["--memory", "50M", "--on-supervisor-exit", after],
        preexec_fn=given.join)
    running.expect("up")
    os.kill(running.pid if half == "proxy" else running.status()["supervisor"], signal.SIGKILL)
    running.process.stdin.close()
    running.process.stdin = None
    running.finish()
    wait_for("all to be as it was", given.is_as_it_was)
