"""Where the control sockets are: whoever has been stopped there, is gone or has planted something holds up nobody."""

import errno
import fcntl
import os
import pathlib
import socket
import subprocess
import sys

import pytest

from conftest import LIMIT, ROOT, binary, wait_for
from programs.helpers import AS_ORDINARY, ORDINARY_PYTHON, is_alive, needs_root

PLANTER = pathlib.Path(__file__).parent / "programs/planter.py"


@pytest.fixture
def folder(sandbox):
    folder = sandbox.runtime / "curfew"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def locked(folder):
    """As an app leaves it that is stopped in the middle of a start."""
    descriptor = os.open(folder, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield
    os.close(descriptor)


def leave_dead_socket(path):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
        left.listen()


# Nobody waits for anybody


def test_a_lock_that_somebody_holds_stops_no_start(sandbox, locked):
    assert sandbox.curfew("run", "--", "sh", "-c", "exit 7").returncode == 7
    running = sandbox.shell("sleep 300 & echo up; wait")
    running.expect("up")
    assert running.name in sandbox.curfew("ps").stdout


def test_a_dead_socket_under_a_lock_is_told(sandbox, folder, locked):
    """Who has asked for that name is told what to do; who hasn't gets another."""
    leave_dead_socket(folder / "app.sock")
    mark = sandbox.scratch / "ran"
    result = sandbox.curfew("run", "--name", "app", "--", "touch", mark)
    assert (result.returncode, result.stderr.count("\n")) == (125, 1)
    assert "a dead supervisor's socket is in the way" in result.stderr and str(folder / "app.sock") in result.stderr
    assert not mark.exists()
    leave_dead_socket(folder / "sh.sock")
    result = sandbox.curfew("run", "--", "sh", "-c", "echo $CURFEW_SOCKET")
    assert (result.returncode, result.stderr) == (0, "")
    assert pathlib.Path(result.stdout).name.startswith("sh-")
    assert sorted(path.name for path in folder.iterdir()) == ["app.sock", "sh.sock"]
    for path in folder.iterdir():
        path.unlink()


def test_nothing_is_started_for_a_proxy_that_was_killed_meanwhile(sandbox, folder, locked):
    leave_dead_socket(folder / "sh.sock")
    mark = sandbox.scratch / "ran"
    proxy = subprocess.Popen(
        [binary(), "run", "--", "sh", "-c", f"touch {mark}"], env=sandbox.environment, stderr=subprocess.PIPE, text=True)
    # Listening, and without a name yet.
    wait_for("the start to wait", lambda: (folder / f".{proxy.pid}").exists())
    proxy.kill()
    _, errors = proxy.communicate(timeout=LIMIT)
    assert errors == "curfew: run: killed before sh was started\n"
    assert not mark.exists()
    assert [path.name for path in folder.iterdir()] == ["sh.sock"]
    (folder / "sh.sock").unlink()


def test_dead_sockets_are_swept_by_whoever_looks(sandbox, folder):
    """And nobody else's: not of one that is stopped, with a full queue."""
    running = sandbox.shell("sleep 300 & echo up; wait")
    running.expect("up")
    leave_dead_socket(folder / "gone.sock")
    leave_dead_socket(folder / ".12345")
    with socket.socket(socket.AF_UNIX) as busy, socket.socket(socket.AF_UNIX) as first:
        busy.bind(str(folder / ".23456"))
        busy.listen(0)
        first.connect(str(folder / ".23456"))
        assert running.name in sandbox.curfew("ps").stdout
        assert sorted(path.name for path in folder.iterdir()) == [".23456", f"{running.name}.sock"]
    (folder / ".23456").unlink()


# Somebody else was there first


def in_a_temporary_directory_of_its_own(script, *arguments):
    """Runs a script of bash's with an empty /tmp and no XDG_RUNTIME_DIR; curfew is /proc/self/fd/9."""
    environment = {key: value for key, value in os.environ.items() if key != "XDG_RUNTIME_DIR"}
    result = subprocess.run(
        ["unshare", "-m", "bash", "-c",
         f"exec 9<{binary()}; exec 8<{PLANTER}; mount -t tmpfs -o mode=1777 none /tmp && cd /tmp && {script}", "bash", *arguments],
        capture_output=True, text=True, env=environment, timeout=LIMIT, stdin=subprocess.DEVNULL)
    if "mount" in result.stderr or "unshare" in result.stderr:
        pytest.skip(f"can't mount here: {result.stderr.strip()}")
    return result


PLANTS = {
    "directory": "mkdir -m 755 curfew-0 && chown 65534 curfew-0", "file": "touch curfew-0", "dangling": "ln -s nowhere curfew-0",
    "link": "mkdir -m 700 there && ln -s there curfew-0",
}


@needs_root
@pytest.mark.parametrize("plant", PLANTS)
def test_a_planted_directory_stops_nobody(plant):
    """The next one serves, and is found; nothing is put into the other."""
    result = in_a_temporary_directory_of_its_own(
        f"{PLANTS[plant]} && exec /proc/self/fd/9 run --name app -- sh -c '"
        "echo $CURFEW_SOCKET; unset CURFEW_SOCKET; /proc/self/fd/9 status app | head -1; find . -name \"*.sock\"'")
    assert (result.returncode, result.stderr) == (0, ""), result
    lines = result.stdout.splitlines()
    assert lines[0] == "/tmp/curfew-0-1/app.sock"
    assert lines[1].startswith("app: active")
    assert lines[2:] == ["./curfew-0-1/app.sock"]


@needs_root
def test_all_of_them_planted_are_told():
    result = in_a_temporary_directory_of_its_own(
        "touch curfew-0 curfew-0-{1..15} && exec /proc/self/fd/9 run -- touch ran")
    assert (result.returncode, result.stdout) == (125, "")
    assert result.stderr == (
        "curfew: run: make a directory for the control socket (set XDG_RUNTIME_DIR), others have /tmp/curfew-0 to -15: "
        "File exists\n")


@needs_root
def test_no_verb_speaks_to_a_plant():
    """Nobody connects there."""
    result = in_a_temporary_directory_of_its_own(
        "mkdir -m 755 curfew-0 && chown 65534 curfew-0 && "
        f"{{ setpriv --reuid 65534 --clear-groups {ORDINARY_PYTHON} /proc/self/fd/8 /tmp/curfew-0/app.sock & }}; "
        "until [ -S curfew-0/app.sock ]; do sleep .01; done; "
        "/proc/self/fd/9 ps; /proc/self/fd/9 status app; echo $?; kill %1; wait; ls curfew-0")
    assert result.stdout.splitlines()[1:] == ["69", "app.sock"], result
    assert result.stderr == "curfew: status: no app called app is running; `curfew ps` lists those that are\n"


@pytest.fixture
def planted(sandbox):
    """A socket of another user's, and how many have spoken to it."""
    folder = sandbox.scratch / "planted"
    folder.mkdir()
    folder.chmod(0o777)
    for parent in list(folder.parents)[:-2]:
        if parent.stat().st_uid == os.geteuid():
            parent.chmod(parent.stat().st_mode | 0o111)
    process = subprocess.Popen([ORDINARY_PYTHON, "-c", PLANTER.read_text(), folder / "app.sock"], **AS_ORDINARY)
    wait_for("the plant", (folder / "app.sock").exists)
    yield folder / "app.sock"
    process.kill()
    process.wait()
    assert not (folder / "heard").exists()


@needs_root
@pytest.mark.parametrize("verb", [["status"], ["events"], ["task", "begin", "x"], ["task", "run", "x", "--", "true"]])
def test_another_users_socket_is_not_spoken_to(sandbox, planted, verb):
    """Whatever CURFEW_SOCKET names."""
    result = sandbox.curfew(*verb, env=dict(sandbox.environment, CURFEW_SOCKET=str(planted)))
    assert f"{planted} can't be trusted: user 65534 listens there, and not you or root" in result.stderr
    assert result.returncode == 69


@needs_root
def test_the_python_library_does_not_speak_to_it(sandbox, planted):
    result = subprocess.run(
        [sys.executable, "-c", "import curfew, sys; app = curfew.Application(); print(app.is_multitasking_supported)"],
        env=dict(sandbox.environment, CURFEW_SOCKET=str(planted), PYTHONPATH=str(ROOT / "Sources/clients/python")),
        capture_output=True, text=True, timeout=LIMIT)
    assert (result.returncode, result.stdout) == (0, "False\n"), result


@needs_root
def test_the_c_library_does_not_speak_to_it(sandbox, planted):
    source = sandbox.scratch / "connect.c"
    source.write_text('#include "curfew.h"\nint main(void) { struct curfew_client c = {0}; return -curfew_connect(&c); }\n')
    subprocess.run(
        ["cc", f"-I{ROOT / 'Sources/clients/c'}", "-o", sandbox.scratch / "connect", source], check=True, timeout=LIMIT)
    result = subprocess.run(
        [sandbox.scratch / "connect"], env=dict(sandbox.environment, CURFEW_SOCKET=str(planted)), timeout=LIMIT)
    assert result.returncode == errno.EACCES
