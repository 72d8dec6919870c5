"""The tests' own footing: what a failing one prints, files in places of their own, who was skipped and why, soaking."""

import fcntl
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

from conftest import LIMIT, PATIENCE, ROOT, binary, mounted_cgroups, wait_for

HERE = ROOT / "Tests/Integration"
SIDE_BY_SIDE = ROOT / "Tests/side_by_side"


def run(*words, **environment):
    """As whoever runs the tests would; what it prints and its status."""
    words = [str(word) for word in words]
    environment = dict(os.environ, CURFEW=binary(), PYTHONPATH=f"{HERE}:{HERE.parent}", **environment)
    limit = 10 * LIMIT
    try:
        return subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit,
            env=environment)
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"{words} hasn't ended in {limit} s; it printed: {late.output}")


def test_a_failing_test_prints_the_history_of_its_apps(tmp_path):
    """Of one that lives, and of one that is gone; with what those say that are asked, and what they have left behind."""
    (tmp_path / "test_sample.py").write_text("""
def test_living(sandbox):
    app = sandbox.shell("sleep 60 & echo up; wait", name="living")
    app.expect("up")
    assert sandbox.curfew("home", "living").returncode == 0
    assert False

def test_gone(sandbox):
    app = sandbox.shell("echo oh >&2; exit 3", name="gone")
    assert app.wait() == 0

def test_waiting(sandbox):
    app = sandbox.shell("sleep 60 & echo up; wait", name="idle")
    app.expect("up")
    app.wait_state("suspended", 0.1)
""")
    result = run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "conftest", tmp_path)
    assert "3 failed" in result.stdout, result.stdout
    living, gone, waiting = re.split(r"\n_+ test_(?:living|gone|waiting) _+\n", result.stdout)[1:]
    assert "- app living -" in living and "to=suspended" in living and "name=home" in living, living
    assert "- app gone -" in gone and "ended with 3; standard error\noh\n" in gone, gone
    assert '"exited": 3' in gone and "name=leaderExited" in gone, gone
    assert "waiting for idle to be suspended: 0.1 s passed" in waiting and "to=active" in waiting, waiting


def test_a_failing_test_prints_the_history_of_its_servers(tmp_path):
    """Of one that lives, with each of its apps; of one that never began, of one that is gone, and of one that doesn't answer."""
    (tmp_path / "test_sample.py").write_text("""
import socket
import pytest
from conftest import wait_for

# Of whoever else tests servers on this machine nothing is to be told.
pytestmark = pytest.mark.leaks_allowed

def test_living(plain):
    plain.launch("web", "sh", "-c", "echo word; exec sleep 60")
    plain.wait_line("web", "word\\n")
    plain.expect("home app=web")
    plain.stream()
    plain.launch("short", "sh", "-c", "exit 3")
    plain.wait_state("short", "notRunning")
    assert False

@pytest.fixture
def broken(sandbox):
    return sandbox.serve("--bogus")

def test_unbegun(broken):
    pass

def test_gone(plain):
    plain.launch("web", "sh", "-c", "echo word; exec sleep 60")
    plain.wait_line("web", "word\\n")
    plain.process.kill()
    plain.process.wait()
    wait_for("its apps to be ended", lambda: "was killed" in plain.errors())
    assert False

@pytest.fixture
def mute(sandbox):
    path = sandbox.runtime / "curfew/server/mute.sock"
    path.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(path))
        listening.listen()
        yield

def test_silent(sandbox, mute):
    sandbox.tellers.append(lambda: pytest.fail("oh"))
    assert False
""")
    result = run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "conftest", "-o", "markers=leaks_allowed", tmp_path)
    assert "3 failed, 1 error" in result.stdout, result.stdout
    # Errors stand before failures.
    titles = r"\n_+ (?:ERROR at setup of )?test_(?:unbegun|living|gone|silent) _+\n"
    unbegun, living, gone, silent = re.split(titles, result.stdout)[1:]
    assert "- server home -" in unbegun and "standard error, its end\ncurfew: serve: " in unbegun, unbegun
    server, short, web = re.split(r"\n-+ app (?:web|short) of server home -+\n", living)
    assert "- server home -" in server and "-- running; standard error" in server, living
    assert re.search("-- apps\napp .*name=short state=notRunning .*status=3\napp .*name=web state=suspended ", server), living
    assert re.search(r"-- runs\nrun .*app=short .*status=3 ", server), living
    assert "name=didEnd" in short and "-- log, its end\n" in short and "name=home" not in short, living
    assert "to=suspended" in web and "name=didEnd" not in web and "\nword" in web, living
    assert "- app home -" not in living and "- app web -" not in living, living
    assert "`curfew serve` itself was killed" in gone and "-- apps\nit can't be asked" in gone, gone
    assert "- app web of server home -" in gone and "\nword" in gone, gone
    assert "- server mute -" in silent and "-- apps\nit doesn't answer" in silent and "oh" in silent, silent


@pytest.fixture(scope="module")
def has_places():
    """Whether a file can have a place of its own here."""
    tried = run(sys.executable, "-c", f"""
import importlib.machinery, importlib.util
loader = importlib.machinery.SourceFileLoader("side_by_side", {str(SIDE_BY_SIDE)!r})
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("side_by_side", loader))
loader.exec_module(module)
print(module.why_not() or "")
""")
    assert tried.returncode == 0, tried.stdout
    if tried.stdout.strip():
        pytest.skip(f"no namespaces can be had here: {tried.stdout.strip()}")


def test_files_run_in_places_of_their_own(tmp_path, has_places):
    """With processes, a /tmp and ports of their own, and nobody else's."""
    (tmp_path / "conftest.py").write_text("from outcomes import pytest_terminal_summary\n")
    for name in ("one", "two"):
        (tmp_path / f"test_{name}.py").write_text("""
import os, pathlib, socket
import pytest

def test_place():
    assert os.getppid() == 1
    assert [int(name) for name in os.listdir("/proc") if name.isdigit()] == [1, os.getpid()]
    pathlib.Path("/tmp/mark").touch(exist_ok=False)
    with socket.create_server(("127.0.0.1", 4711)) as server, socket.create_connection(("127.0.0.1", 4711)):
        server.accept()[0].close()

def test_skipped():
    pytest.skip("for  the sake\\nof it")

@pytest.mark.alone
def test_alone():
    pass
""")
    result = run(SIDE_BY_SIDE, "--jobs", "2", tmp_path)
    assert result.returncode == 0, result.stdout
    lines = result.stdout.splitlines()
    assert lines[-1] == "4 passed, 0 failed, 2 skipped", result.stdout
    skipped = [line for line in lines if line.startswith("skipped: ")]
    assert sorted(line.removeprefix("skipped: ").rpartition("/")[2] for line in skipped) == [
        f"test_{name}.py::test_skipped: for the sake of it" for name in ("one", "two")], result.stdout


def test_a_long_file_runs_in_parts(tmp_path, has_places):
    """Each test in one of them; those that run by themselves once, at the end."""
    seen = tmp_path / "seen"
    (tmp_path / "test_limits.py").write_text(f"""
import pytest

@pytest.mark.parametrize("number", range(5))
def test_one(number):
    with open({str(seen)!r}, "a") as file:
        file.write(f"{{number}}\\n")

@pytest.mark.alone
def test_alone():
    with open({str(seen)!r}, "a") as file:
        file.write("alone\\n")
""")
    result = run(SIDE_BY_SIDE, tmp_path, "--", "-p", "conftest", "-o", "markers=alone")
    assert result.returncode == 0 and result.stdout.splitlines()[-1] == "6 passed, 0 failed, 0 skipped", result.stdout
    assert "test_limits.py 1/2 " in result.stdout and "test_limits.py 2/2 " in result.stdout, result.stdout
    *numbers, last = seen.read_text().split()
    assert (sorted(numbers), last) == (list("01234"), "alone")


def test_what_outlives_its_file_is_found(tmp_path, has_places):
    """Whoever made itself a stranger too: there is nobody else there."""
    (tmp_path / "test_leaving.py").write_text(rf"""
import pathlib, subprocess, time

def seen(process):
    try:
        return (process / "cmdline").read_bytes(), (process / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return None

def test_leaving():
    subprocess.run(["setsid", "-f", "env", "-i", "sleep", "1234"], check=True)
    deadline = time.monotonic() + {LIMIT}
    while (b"sleep\0001234\0", "S") not in (all := [seen(each) for each in pathlib.Path("/proc").glob("[0-9]*")]):
        assert time.monotonic() < deadline, all
""")
    # Nobody need wait long for what never ends; but a slow machine's pytest takes its time.
    result = run(SIDE_BY_SIDE, tmp_path, CURFEW_TEST_PATIENCE=str(PATIENCE / 50))
    assert result.returncode == 1, result.stdout
    assert "left behind when all tests were over:" in result.stdout and "S sleep 1234" in result.stdout, result.stdout


def test_where_there_are_no_places_files_run_as_they_are(tmp_path):
    """One after the other, and that is said."""
    for name in ("one", "two"):
        (tmp_path / f"test_{name}.py").write_text("""
import os, pathlib

def test_alone_here():
    mark = pathlib.Path(__file__).parent / "mark"
    mark.touch(exist_ok=False)
    assert os.getppid() != 1
    mark.unlink()
""")
    (tmp_path / "empty").mkdir()
    result = run(sys.executable, SIDE_BY_SIDE, "--jobs", "2", tmp_path, PATH=str(tmp_path / "empty"))
    assert result.returncode == 0 and result.stdout.splitlines()[-1] == "2 passed, 0 failed, 0 skipped", result.stdout
    assert result.stdout.startswith("one file after the other, for none can have"), result.stdout
    assert "there is no unshare" in result.stdout.splitlines()[0]


def test_interrupted_it_leaves_nothing(tmp_path, has_places):
    lock = tmp_path / "lock"
    (tmp_path / "test_long.py").write_text(f"""
import fcntl, subprocess

def test_long():
    with open({str(lock)!r}, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        subprocess.run(["sleep", "1000"], pass_fds=[file.fileno()])
""")
    process = subprocess.Popen(
        [SIDE_BY_SIDE, tmp_path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        env=dict(os.environ, PYTHONPATH=str(HERE.parent)))
    wait_for("the test to run", lambda: lock.exists() and not can_be_locked(lock))
    process.terminate()
    out, _ = process.communicate(timeout=LIMIT)
    assert (process.returncode, out) == (130, "interrupted\n")
    wait_for("what it ran to be dead", lambda: can_be_locked(lock))
    assert not [path for mount in mounted_cgroups() for path in mount.glob(f"curfew-tests.{process.pid}")]


def can_be_locked(path):
    with open(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_a_file_that_fails_shows_what_it_printed(tmp_path):
    (tmp_path / "test_failing.py").write_text("def test_failing():\n    print('a word')\n    assert 1 == 2\n")
    (tmp_path / "test_well.py").write_text("def test_well():\n    print('another')\n")
    (tmp_path / "test_broken.py").write_text("import nothing_of_that_name\n")
    result = run(SIDE_BY_SIDE, tmp_path)
    assert result.returncode == 1
    assert "a word" in result.stdout and "assert 1 == 2" in result.stdout and "another" not in result.stdout, result.stdout
    assert "nothing_of_that_name" in result.stdout
    assert result.stdout.splitlines()[-1] == "1 passed, 2 failed, 0 skipped", result.stdout


def test_no_test_at_all_is_a_failure(tmp_path):
    (tmp_path / "test_none.py").write_text("")
    result = run(SIDE_BY_SIDE, tmp_path)
    assert (result.returncode, result.stdout.splitlines()[-1]) == (1, "0 passed, 0 failed, 0 skipped"), result.stdout


def fake_make(tmp_path, text):
    """A `make` that does as `text` says with the part's name, its second argument."""
    make = tmp_path / "make"
    make.write_text(f"#!/bin/sh\ncd '{tmp_path}'\ncase $2 in\n{text}\nesac\n")
    make.chmod(0o755)
    return str(make)


def test_the_skipped_are_named_at_the_end(tmp_path):
    """By each kind of test in its own way."""
    make = fake_make(tmp_path, """
unit) echo '➜  Test "Only root" skipped: "needs root"'; echo '✔ Test "skipped: not" passed.' ;;
shim) echo 'skipped: [nice] no limit'; echo 'skipped: [nice] no limit' ;;
examples) echo 'redis.sh           skipped: no redis'; exit 3 ;;
""")
    result = run(ROOT / "Tests/run", "unit shim examples never", "--then", "never", MAKE=make)
    assert result.returncode == 3
    assert result.stdout.endswith("""
skipped, 3 in all:
  unit: "Only root": needs root
  shim: [nice] no limit
  examples: redis.sh: no redis
make examples failed, with status 3:
  redis.sh           skipped: no redis
"""), result.stdout
    result = run(ROOT / "Tests/run", "never", MAKE=make)
    assert (result.returncode, result.stdout) == (0, "no test was skipped\n")


def test_parts_run_side_by_side(tmp_path):
    """Each lane's in turn; what comes then when all are done."""
    # Each lane's first part can't end before the other's has begun.
    make = fake_make(tmp_path, """
one) mkfifo -m 600 a 2>/dev/null; echo > a; echo first ;;
two) mkfifo -m 600 a 2>/dev/null; read word < a; echo second ;;
three) echo third ;;
last) echo last ;;
""")
    result = run(ROOT / "Tests/run", "one three", "two", "--then", "last", MAKE=make)
    *lines, last, skips = result.stdout.splitlines()
    assert (sorted(lines), last, skips) == (["first", "second", "third"], "last", "no test was skipped"), result.stdout
    assert lines.index("first") < lines.index("third")


def test_nothing_is_begun_once_a_part_has_failed(tmp_path):
    # The one fails once the other has begun.
    make = fake_make(tmp_path, """
well) echo > begun; read word < go; echo well ;;
broken) read word < begun; echo oh; exit 2 ;;
*) echo "begun: $2" ;;
""")
    for name in ("begun", "go"):
        os.mkfifo(tmp_path / name)
    process = subprocess.Popen(
        [ROOT / "Tests/run", "broken other", "well next", "--then", "last"], env=dict(os.environ, MAKE=make),
        stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "oh\n"
    # Opened for both, it waits for nobody.
    go = os.open(tmp_path / "go", os.O_RDWR)
    os.write(go, b"\n")
    rest, _ = process.communicate(timeout=LIMIT)
    os.close(go)
    assert (rest, process.returncode) == ("well\nno test was skipped\nmake broken failed, with status 2:\n  oh\n", 2)


def test_what_failed_is_said_last(tmp_path):
    """CI keeps the end of what it prints: there, each kind of test's own words, and nothing of what went well."""
    make = fake_make(tmp_path, """
unit) cat <<'END'
◇ Test "It failed" started.
✘ Test "It holds" recorded an issue at A.swift:1:9: Expectation failed: 1 == 2
↳ seed 4
✔ Test "failed: not" passed.
a.swift:3:7: error: cannot find 'x' in scope
test_a.py::test_b[c d]: failed
E       assert 1 == 2
fleet/redis.sh           FAILED   status 1
    - redis answers
    json.Error: it is broken
    1234:M 28 Nov 2026 07:16:28.869 * Ready
    FAILED: see above
END
for n in $(seq 100); do echo "line $n"; done; exit 1 ;;
""")
    result = run(ROOT / "Tests/run", "unit", MAKE=make)
    assert result.stdout.endswith("""
no test was skipped
make unit failed, with status 1:
  ✘ Test "It holds" recorded an issue at A.swift:1:9: Expectation failed: 1 == 2
  ↳ seed 4
  a.swift:3:7: error: cannot find 'x' in scope
  test_a.py::test_b[c d]: failed
  E       assert 1 == 2
  fleet/redis.sh           FAILED   status 1
      json.Error: it is broken
      FAILED: see above
"""), result.stdout


def test_interrupted_every_part_is_ended(tmp_path):
    make = fake_make(tmp_path, "one|two) echo $$ > $2.new; mv $2.new $2; exec sleep 1234 ;;")
    process = subprocess.Popen(
        [ROOT / "Tests/run", "one", "two"], env=dict(os.environ, MAKE=make), stdout=subprocess.PIPE, text=True)
    wait_for("both parts to run", lambda: (tmp_path / "one").exists() and (tmp_path / "two").exists())
    pids = [int((tmp_path / name).read_text()) for name in ("one", "two")]
    process.send_signal(signal.SIGTERM)
    assert (process.communicate(timeout=LIMIT)[0], process.returncode) == ("interrupted\n", 130)
    assert not any(pathlib.Path(f"/proc/{pid}").exists() for pid in pids)


def soaks():
    """The cgroups of soaks."""
    return {
        folder for mount in mounted_cgroups() for folder, _, _ in os.walk(mount)
        if pathlib.Path(folder).name.startswith("curfew-soak.")}


def test_soaking(tmp_path):
    """Round after round, up to the first that fails; nothing of it is left."""
    (tmp_path / "test_twice.py").write_text(f"""
import pathlib

def test_twice():
    mark = pathlib.Path({str(tmp_path / "mark")!r})
    assert not mark.exists(), "a second time"
    mark.touch()
""")
    others = soaks()
    soak = [ROOT / "Tests/soak", "--quota", "100", "--loops", "1", "--rounds"]
    result = run(*soak, "3", "--at-once", "1", tmp_path / "test_twice.py")
    assert result.returncode == 1 and "a second time" in result.stdout, result.stdout
    assert re.findall(r"(?m)^soak: round (\d) of 3, rest: (all well, 1 passed|failed)", result.stdout) == [
        ("1", "all well, 1 passed"), ("2", "failed")], result.stdout
    result = run(*soak, "2", "--at-once", "1", "--go-on", tmp_path / "test_twice.py")
    assert result.returncode == 1, result.stdout
    assert re.findall(r"(?m)^soak: round (\d) of 2, rest: failed", result.stdout) == ["1", "2"], result.stdout
    # The second of two at a time waits for nobody, and what wants the machine comes when they are over.
    (tmp_path / "test_both.py").write_text("""
import pytest

def test_one():
    pass

@pytest.mark.alone
def test_other():
    pass
""")
    result = run(*soak, "2", "--at-once", "2", tmp_path / "test_both.py")
    assert result.returncode == 0, result.stdout
    rounds = re.findall(r"(?m)^soak: round (\d) of 2, (\w+): all well, 1 passed, 0 failed, 0 skipped", result.stdout)
    assert (sorted(rounds[:2]), rounds[2:]) == ([("1", "rest"), ("2", "rest")], [("1", "alone"), ("2", "alone")]), result.stdout
    # The tests in Swift are one more part, of which only what failed is shown.
    bundle = tmp_path / "tests"
    for status, told, not_told in [(0, "swift: all well, ✔ all passed", "began"), (1, "✘ one failed\nsoak: round 1 of 1, swift: failed", "✔")]:
        bundle.write_text(
            f"#!/bin/sh\necho began\n[ {status} = 1 ] && echo '✘ one failed'\necho '✔ all passed'\nexit {status}\n")
        bundle.chmod(0o755)
        result = run(*soak, "1", "--at-once", "1", "--swift", bundle, "--go-on", tmp_path / "test_both.py")
        assert result.returncode == status and told in result.stdout, result.stdout
        assert "round 1 of 1, rest: all well, 1 passed" in result.stdout and not_told not in result.stdout, result.stdout
    assert soaks() <= others
