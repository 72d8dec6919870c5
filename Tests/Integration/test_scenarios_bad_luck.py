"""`curfew test` when the worst comes: endless output, full disks, whoever kills it; each has a sentence, and nothing is left."""

import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

from conftest import LIMIT, PATIENCE, binary, is_alive, wait_for
from playing import DAEMON, SHELL, play  # noqa: F401

ORDINARY = 65534

# Writes 1 GiB in one line, and then another.
GIGABYTE = "head -c 1073741824 /dev/zero; echo; echo last"
WRITERS = {
    "app": f"app -- sh -c '{GIGABYTE}; read x'\nlaunch\nawait output '^last$' within 10min\n",
    "helper": f"app -- sleep 60\nlaunch\ndo sh -c '{GIGABYTE}'\n",
    "helper beside": f"app -- sleep 60\nlaunch\ndo sh -c '{GIGABYTE}; touch done' &\nawait file done exists within 10min\n",
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_gigabyte_of_output(play, writer):
    """It takes some time, and no memory: a helper's parent is who plays the scenario."""
    text = WRITERS[writer] + "do sh -c 'grep VmHWM /proc/$PPID/status >peak'\n"
    result = play(text, "--limit", "15min", limit=45 * LIMIT)
    assert result.returncode == 0, result.stdout
    peak = int((play.folder / "peak").read_text().split()[1])
    assert peak < 64 * 1024, f"{peak} KiB"


ALL_BYTES = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 2); sys.stdout.flush(); input()"


def test_binary_output_is_told_in_words(play):
    """As UTF-8, and without what a terminal would do."""
    (play.folder / "write.py").write_text(ALL_BYTES)
    text = "app -- python3 write.py\nlaunch\nawait output xyz\nexpect state suspended\n"
    told = play(text).stdout
    assert r"\x1e\x1f !" in told and r"xyz{|}~\x7f" in told, told
    for option in ("--tap", "--json"):
        told += play(None, option).stdout
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", told), told
    assert all(isinstance(json.loads(line), dict) for line in play(None, "--json").stdout.splitlines())


def test_a_program_that_ends_before_it_has_said_hello(play):
    result = play("app --aware -- sh -c 'echo oh; exit 5'\nlaunch\nawait exit 5\nexpect output oh\n")
    assert result.returncode == 0, result.stdout
    result = play("app --aware -- sh -c 'exit 5'\nlaunch\nhome\n")
    assert result.returncode == 1 and "the app isn't running" in result.stdout, result.stdout


def test_a_program_that_never_says_hello(play):
    result = play("app --aware -- sleep 60\nlaunch\nexpect state active\nadvance 20s\nawait killed launch-watchdog\nexpect exit 124\n")
    assert result.returncode == 0, result.stdout


def test_a_regular_expression_that_turns_out_to_be_none(play):
    """One that a variable names is read once it has a value."""
    result = play("app -- sleep 60\nmatrix R '(' 'a**'\nlaunch\nawait output $R\n")
    assert result.returncode == 2 and "2 couldn't be run" in result.stdout, result.stdout
    assert 'seen      "(" isn\'t a regular expression: ' in result.stdout and 'seen      "a**" isn\'t' in result.stdout, result.stdout


def test_a_regular_expression_that_is_searched_for_without_end(play):
    (play.folder / "many").write_text(50 * "a")
    result = play("app -- true\nexpect file many contains '(a|aa)*b'\n", "--limit", "200ms")
    assert result.returncode == 2 and "> 2 | expect file many contains '(a|aa)*b'" in result.stdout, result.stdout
    assert "this statement goes on and on" in result.stdout, result.stdout


@pytest.mark.parametrize("hanging", ["kill -STOP $$", "trap : TERM INT HUP; while :; do sleep 0.1; done", "exec >&- 2>&-; sleep 1234"])
def test_a_helper_that_hangs(play, hanging):
    """Stopped, deaf, or without its output. All of the limit is its own: no launch is part of it."""
    result = play(f"app -- sleep 60\ndo sh -c 'echo $$ >pid; {hanging}'\n", "--limit", f"{PATIENCE:g}s")
    assert result.returncode == 1 and "`&` at its end lets it run beside" in result.stdout, result.stdout
    assert not is_alive(int((play.folder / "pid").read_text()))


def test_who_plays_it_is_killed(play):
    """As by a machine that is out of memory: that scenario couldn't be run, and the next one is."""
    play.write(DAEMON, "daemon")
    result = play(
        "app -- sh -c 'sh daemon app; echo up; sleep 60'\nscenario 'killed'\nlaunch\ndo sh daemon helper\nawait file app exists\n"
        "await file helper exists\ndo sh -c 'kill -KILL $PPID'\nscenario 'the next'\nlaunch\nawait output up\n")
    assert result.returncode == 2 and "1 passed, 1 couldn't be run" in result.stdout, result.stdout
    assert "its worker was killed by signal 9" in result.stdout, result.stdout
    for name in ("app", "helper"):
        assert not is_alive(int((play.folder / name).read_text())), name


KILL_WHO_WAITS = """
import os, signal, time
def children(pid):
    return [child for thread in os.listdir(f"/proc/{pid}/task") for child in open(f"/proc/{pid}/task/{thread}/children").read().split()]
def parent(pid):
    return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1]
def exe(pid):
    return os.path.basename(os.readlink(f"/proc/{pid}/exe"))
def below(pid):
    return [each for child in children(pid) for each in [child, *below(child)]]
test, above = None, str(os.getppid())
while exe(above) in ("curfew", "curfew-test"):
    test, above = above, parent(above)
deadline = time.monotonic() + 60
found = []
while not found and time.monotonic() < deadline:
    try:
        found = [pid for pid in below(test) if exe(pid) == "curfew-test" and exe(parent(pid)) == "curfew" and not children(pid)]
    except OSError:
        pass
first = found[0]
while parent(first) != test:
    first = parent(first)
os.kill(int(found[0]), signal.SIGKILL)
# Until what held it has ended as well.
while time.monotonic() < deadline:
    try:
        if open(f"/proc/{first}/stat").read().rpartition(")")[2].split()[0] == "Z":
            break
    except OSError:
        break
"""


def test_who_waits_to_play_the_next_is_killed(play):
    """That one is played by another."""
    play.write(KILL_WHO_WAITS, "kill.py")
    result = play(
        "app -- sh -c 'echo up; read never'\nbefore\nlaunch\nawait output up\nscenario 'first'\ndo python3 kill.py\n"
        "scenario 'second'\nexpect state active\nscenario 'third'\nexpect state active\n", "--jobs", "1")
    assert result.returncode == 0 and "3 passed" in result.stdout, (result.stdout, result.stderr)


def test_nobody_reads_what_it_writes(play):
    """A pipe whose reader is gone ends it, as any program; with all that still plays."""
    play.write("app -- sh -c 'echo $$ >app.new; mv app.new app; sleep 1234'\nlaunch\nexpect silence 1h\n", "two.curfew")
    play.write("app -- true\nlaunch\nawait file app exists\n")
    reader, writer = os.pipe()
    with play.begun("--jobs", "2", stdout=writer) as process:
        os.close(writer)
        os.close(reader)
        assert process.wait(3 * LIMIT) == -signal.SIGPIPE
    wait_for("the app to end", lambda: not is_alive(int((play.folder / "app").read_text())))
    play.wait_until_nothing_is_left()


def environment_of_child(parent, word):
    """As text, that of the child which has the word in its command; None while there is none."""
    for child in pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
        place = pathlib.Path(f"/proc/{child}")
        try:
            if word in (place / "cmdline").read_text().split("\0"):
                return (place / "environ").read_text()
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended meanwhile
    return None


def test_who_contains_it_reports_nothing(play):
    """Its own end may come when the run's folder is gone already, which a report would make anew."""
    play.write("app -- sh -c 'touch app; exec sleep 1000'\nlaunch\nexpect silence 1h\n")
    with play.begun() as process:
        wait_for("the app", (play.folder / "app").exists)
        # The app is there before what ends it with the run need have replaced the process that was forked for it.
        environment = wait_for("what contains the run", lambda: environment_of_child(process.pid, "timeout"))
        process.send_signal(signal.SIGINT)
        process.wait(3 * LIMIT)
    (state,) = re.findall("(?:^|\0)XDG_STATE_HOME=([^\0]*)", environment)
    with pytest.raises(NotADirectoryError):
        os.makedirs(state)


def test_what_it_plays_is_changed_meanwhile(play):
    result = play("app -- sleep 60\nscenario one\nlaunch\ndo cp /dev/null one.curfew\nscenario two\nlaunch\n", "--jobs", "1")
    assert result.returncode == 2 and "1 passed, 1 couldn't be run" in result.stdout, result.stdout
    assert "one.curfew has changed since it was read" in result.stdout, result.stdout


def test_no_place_for_its_folder(play):
    result = play(SHELL, TMPDIR="/proc")
    assert (result.returncode, result.stderr) == (2, "")
    assert "BROKEN" in result.stdout and "can't make a folder in /proc: No such file or directory\n" in result.stdout


def with_mounts_of_its_own(script):
    """A wrapper: what it runs sees what the script has mounted."""
    wrapper = ["unshare", "-m", "bash", "-c", f'{script} && exec "$@"', "bash"]
    tried = subprocess.run([*wrapper, "true"], capture_output=True, text=True, timeout=LIMIT)
    if tried.returncode != 0:
        pytest.skip(f"no mounts of one's own here: {tried.stderr.strip()}")
    return wrapper


def on_a_small_disk(folder, options):
    return with_mounts_of_its_own(f"mount -t tmpfs -o {options} none {folder}")


def test_no_cgroups_at_all(play):
    """Whatever has been started, in whichever session, is below who plays it: that is how it is found and ended."""
    wrapper = with_mounts_of_its_own(
        "for mount in $(findmnt -rno TARGET -t cgroup,cgroup2); do mount -o remount,bind,ro $mount || exit; done")
    play.write(DAEMON, "daemon")
    result = play(
        "app -- sh -c 'sh daemon app; echo up; sleep 60'\nlaunch\ndo sh daemon helper\nawait file app exists\nawait file helper exists\n"
        "home\nexpect state suspended\nreclaim\nexpect killed memory-pressure\nopen\nawait output up\n", wrapper=wrapper)
    assert result.returncode == 0, result.stdout
    for name in ("app", "helper"):
        assert not is_alive(int((play.folder / name).read_text())), name


def test_a_full_disk_for_artifacts(play, sandbox):
    """The scenario passes; what isn't kept of it is told of, and the status says that not all is well."""
    disk = sandbox.scratch / "disk"
    disk.mkdir()
    result = play(
        "app -- sh -c 'echo up; head -c 300000 /dev/zero; echo; echo done; read x'\nlaunch\nawait output done\n",
        "--artifacts", disk / "kept", "--junit", disk / "junit.xml", wrapper=on_a_small_disk(disk, "size=64k"))
    assert result.returncode == 2 and "1 passed" in result.stdout, result.stdout
    folder = f"{disk}/kept/one-[0-9a-f]{{8}}"
    for line in (
            f"curfew: test: can't write {folder}/output.txt: No space left on device", f"curfew: test: there is no {folder}/timeline.svg",
            f"curfew: test: can't write {disk}/junit.xml: No space left on device"):
        assert re.search(f"^{line}$", result.stderr, re.MULTILINE), (line, result.stderr)


def test_no_room_for_the_folder_of_artifacts(play, sandbox):
    disk = sandbox.scratch / "disk"
    disk.mkdir()
    # Its root, and one more.
    result = play(SHELL, "--artifacts", disk / "kept", wrapper=on_a_small_disk(disk, "nr_inodes=2"))
    assert result.returncode == 2 and "1 couldn't be run" in result.stdout, result.stdout
    assert f"can't make the folder {disk}/kept/one-" in result.stdout and "No space left on device" in result.stdout, result.stdout


def test_a_full_disk_for_its_own_folder(play):
    """Where sockets and what an app keeps are."""
    result = play(SHELL, wrapper=on_a_small_disk(play.place, "nr_inodes=3"))
    assert result.returncode == 2 and "1 couldn't be run" in result.stdout, (result.stdout, result.stderr)
    assert "can't make the folder" in result.stdout and "No space left on device" in result.stdout, result.stdout


def test_standard_output_is_full(play):
    with open("/dev/full", "w") as full:
        result = play(SHELL, stdout=full)
    assert result.returncode == 2
    assert result.stderr == "curfew: test: writing to standard output: No space left on device\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user already")
@pytest.mark.parametrize("option", ["", "--containment tree"])
def test_as_an_ordinary_user(play, option):
    """Who has no cgroup of his own."""
    home = play.place
    text = SHELL.replace("app ", f"app {option} ") + (
        "home\nexpect state suspended\nreclaim\nopen\nexpect pid changed\nawait output up\nsend x\nawait output 'got x'\nquit\nexpect exit 3\n")
    (home / "one.curfew").write_text(text)
    os.chown(home, ORDINARY, ORDINARY)
    result = subprocess.run(
        [binary(), "test", "--artifacts", "kept", "."], cwd=home, user=ORDINARY, group=ORDINARY, extra_groups=[], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=6 * LIMIT,
        env=dict(play.environment, XDG_STATE_HOME=str(home / "state")))
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    (kept,) = (home / "kept").iterdir()
    assert "timeline.svg" in [path.name for path in kept.iterdir()] and kept.stat().st_uid == ORDINARY
