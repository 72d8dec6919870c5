"""`curfew test` with real programs: what comes of a scenario, what is said of it, and that nothing of it is left."""

import json
import os
import pathlib
import signal
import subprocess
import xml.etree.ElementTree

import pytest

from conftest import LIMIT, binary, is_alive, wait_for


@pytest.fixture
def play(sandbox):
    """Plays a scenario's text, by options, in a folder of its own."""
    folder = sandbox.scratch / "scenarios"
    folder.mkdir()

    def run(text=None, *options, name="one.curfew", **environment):
        if text is not None:
            (folder / name).write_text(text)
        environment = {"TMPDIR": str(sandbox.scratch), **environment}
        return subprocess.run(
            [binary(), "test", *options, folder], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=6 * LIMIT,
            env=dict(sandbox.environment, **environment))

    run.folder = folder
    yield run
    assert not list(sandbox.scratch.glob("curfew-test.*")), "a run's folder is left"
    assert not list(sandbox.state.rglob("*.json")), "reports of what a scenario ended are left to the user"


SHELL = """\
app -- sh -c 'trap "exit 3" TERM; echo up; while read -r line; do echo "got $line"; done; while :; do sleep 0.05; done'
launch
await output "up"
"""


def test_a_scenario_that_passes(play):
    result = play(SHELL + "home\nexpect state suspended\nopen\nsend hello\nawait output 'got hello'\nquit\nexpect exit 3\n")
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    assert "1 passed" in result.stdout


def test_a_failure_in_full(play):
    result = play(SHELL + "home\nexpect state background   # it has no task\n")
    assert result.returncode == 1
    for words in (
            "one.curfew:5:1", "> 5 | expect state background   # it has no task", "expected  the app to be background",
            "seen      it is suspended", "| stateDidChange from=background to=suspended", "| up", "1 failed"):
        assert words in result.stdout, result.stdout


def test_mistakes_are_told_all_at_once_and_nothing_is_played(play):
    result = play("app -- true\nlanch\nexpect stat suspended\n")
    assert (result.returncode, result.stdout) == (2, "")
    first, second, *_ = result.stderr.splitlines()
    assert 'one.curfew:2:1: error: ' in first and '"launch"' in first, result.stderr
    assert 'one.curfew:3:8: error: ' in second and '"state"' in second, result.stderr


@pytest.mark.parametrize("make, words", [
    (lambda folder: None, "has no file whose name ends in .curfew"),
    (lambda folder: (folder / "a.curfew").write_bytes(b"app -- \xff\n"), "a.curfew isn't UTF-8"),
    (lambda folder: (folder / "a.curfew").symlink_to("nowhere"), "can't read"),
])
def test_what_cannot_be_read(play, make, words):
    make(play.folder)
    result = play()
    assert (result.returncode, result.stdout) == (2, "") and words in result.stderr, result.stderr


def test_wrong_usage(sandbox):
    for words, problem in ((["--jobs", "0", "x"], "--jobs is at least 1"), ([], "a FILE is missing"), (["--bogus", "x"], "bogus")):
        result = sandbox.curfew("test", *words)
        assert (result.returncode, result.stdout) == (64, "")
        assert result.stderr.startswith("curfew: test: ") and problem in result.stderr


def test_a_program_that_is_not_there_could_not_be_run(play):
    result = play("app -- /nonexistent/program\nlaunch\n")
    assert result.returncode == 2
    assert "`curfew run` ended with 127" in result.stdout and "/nonexistent/program" in result.stdout, result.stdout


def test_a_program_that_ends_at_once(play):
    """Whether or not its supervisor could be met before."""
    result = play("app -- sh -c 'echo bye; exit 7'\nlaunch\nawait exit 7\nexpect output bye\n")
    assert result.returncode == 0, result.stdout


def test_time_stands_still_and_is_moved(play):
    result = play(
        "app --budget 10m -- sh -c 'curfew task run upload -- sh -c \"trap : TERM; while :; do sleep 0.05; done\"'\n"
        "launch\nawait task upload open\nhome\nexpect state background\nexpect remaining = 10m\nadvance 10m\n"
        "expect event backgroundTasksWillExpire\nexpect remaining = 5s\nadvance 10s\nawait killed background-task-timeout\nexpect exit 124\n",
        PATH=f"{pathlib.Path(binary()).parent}:{os.environ['PATH']}")
    assert result.returncode == 0, result.stdout


def test_reclaimed_and_restored(play):
    result = play(
        "app -- sh -c 'echo \"$CURFEW_STATE_DIR\" >&2; if test -e \"$CURFEW_STATE_DIR/mark\"; then echo again; fi; "
        "touch \"$CURFEW_STATE_DIR/mark\"; echo up; read x'\n"
        "launch\nawait output up\n! expect output again\nhome\nreclaim\nexpect killed memory-pressure\nexpect exit 137\nopen\n"
        "expect pid changed\nawait output again\nexpect state active\n")
    assert result.returncode == 0, result.stdout


def test_short_of_memory(play):
    """As the machine is said to be: suspended, it is the first to go."""
    result = play("app -- sleep 60\nlaunch\nhome\nawait state suspended\npressure warning\nexpect state suspended\npressure critical\nawait killed memory-pressure\n")
    assert result.returncode == 0, result.stdout


def test_keys_in_a_terminal(play):
    result = play("app -- sh -c 'test -t 0 && echo terminal; read x; echo \"got $x\"'\nlaunch\nawait output terminal\n"
                  "key a b Enter\nawait output 'got ab'\nawait exit 0\n")
    assert result.returncode == 0, result.stdout


def test_a_killed_supervisor(play):
    result = play(SHELL + "kill-supervisor\nexpect exit 125\n")
    assert result.returncode == 0, result.stdout


def test_output_without_end_or_meaning(play):
    """A line that isn't finished, bytes that are no text, and more than is kept."""
    result = play(
        "app -- sh -c 'printf unfinished; read x; head -c 20000000 /dev/zero; printf \"\\377\\376\\nlast\\n\"; read x'\n"
        "launch\nawait output 'unfinished$'\nsend go\nawait output '^last$'\n")
    assert result.returncode == 0, result.stdout


def test_helpers(play):
    (play.folder / "note").write_text("here")
    result = play("app -- sleep 60\ndo test -e note\n! do false\nset WHAT here\nexpect file note contains \"^$WHAT$\"\n"
                  "do sleep 1234 &\nlaunch\n")
    assert result.returncode == 0, result.stdout
    result = play("app -- sleep 60\nlaunch\ndo sh -c 'echo oh; exit 4'\n")
    assert result.returncode == 1 and "it exits with 4, and wrote: oh" in result.stdout, result.stdout


def test_a_helper_that_hangs(play):
    result = play("app -- sleep 60\nlaunch\ndo sleep 1234\n", "--limit", "300ms")
    assert result.returncode == 1 and "it still runs when the scenario's" in result.stdout, result.stdout


def test_nothing_outlives_a_scenario(play, sandbox):
    """A daemon of a helper's, in a session of its own, that heeds no signal; nor one of the app's."""
    daemon = "setsid sh -c 'trap : TERM INT HUP; echo $$ >\\$1.new; mv \\$1.new \\$1; while :; do sleep 0.1; done' sh %s >/dev/null 2>&1 </dev/null &"
    (play.folder / "daemon").write_text("#!/bin/sh\n" + daemon.replace("\\$1", '"$1"') % '"$1"' + "\n")
    (play.folder / "daemon").chmod(0o755)
    result = play(
        "app -- sh -c './daemon app; echo up; sleep 60'\nlaunch\ndo ./daemon helper\ndo sh -c 'until test -e app -a -e helper; do sleep 0.02; done'\n"
        "expect state suspended\n")
    assert result.returncode == 1, result.stdout
    for name in ("app", "helper"):
        assert not is_alive(int((play.folder / name).read_text())), name


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nor_does_it_a_run_that_is_interrupted(play, sandbox, number):
    (play.folder / "one.curfew").write_text(
        "app -- sh -c 'echo $$ >app.new; mv app.new app; sleep 1234'\nlaunch\ndo sh -c 'echo $$ >do.new; mv do.new do; exec sleep 1234'\n")
    process = subprocess.Popen(
        [binary(), "test", play.folder], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=dict(sandbox.environment, TMPDIR=str(sandbox.scratch)))
    wait_for("both to run", lambda: (play.folder / "app").exists() and (play.folder / "do").exists())
    process.send_signal(number)
    output, _ = process.communicate(timeout=3 * LIMIT)
    assert process.returncode == (-9 if number == signal.SIGKILL else 2), output
    pids = [int((play.folder / name).read_text()) for name in ("app", "do")]
    wait_for("them to end", lambda: not any(map(is_alive, pids)))
    wait_for("the folder to go", lambda: not list(sandbox.scratch.glob("curfew-test.*")))


def test_two_runs_of_one_folder_at_once(play, sandbox):
    (play.folder / "one.curfew").write_text(SHELL + "send x\nawait output 'got x'\nhome\nexpect state suspended\n")
    runs = [
        subprocess.Popen(
            [binary(), "test", "--repeat", "3", play.folder], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            env=dict(sandbox.environment, TMPDIR=str(sandbox.scratch))) for _ in range(2)]
    for run in runs:
        output, _ = run.communicate(timeout=3 * LIMIT)
        assert run.returncode == 0 and "3 passed" in output, output


THREE = """\
app -- sh -c 'read x; exit "$x"'
matrix N 0 1
scenario "it ends well"
launch
send 0
await exit 0
scenario "it ends as it is told"
launch
send $N
await exit 0
"""


def test_a_matrix_several_scenarios_and_what_is_chosen(play):
    result = play(THREE, "--list")
    assert [line.partition(": ")[2] for line in result.stdout.splitlines()] == [
        "it ends well [N=0]", "it ends well [N=1]", "it ends as it is told [N=0]", "it ends as it is told [N=1]"]
    result = play(None, "--jobs", "2")
    assert result.returncode == 1 and "3 passed, 1 failed" in result.stdout, result.stdout
    assert play(None, "--only", "ends well").returncode == 0
    counts = [len(play(None, "--list", "--shard", f"{number}/3").stdout.splitlines()) for number in (1, 2, 3)]
    assert sum(counts) == 4
    result = play(None, "--only", "nothing of that name")
    assert result.returncode == 2 and "nothing of that name" in result.stderr


def test_reports(play, sandbox):
    """TAP, JSON lines, JUnit and its joining, annotations: each says of the same that it failed."""
    junit = sandbox.scratch / "junit.xml"
    result = play(THREE, "--tap", "--junit", str(junit))
    lines = result.stdout.splitlines()
    assert lines[:2] == ["TAP version 14", "1..4"]
    assert sum(line.startswith("not ok ") for line in lines) == 1 and sum(line.startswith("ok ") for line in lines) == 3
    suites = xml.etree.ElementTree.parse(junit).getroot()
    assert len(suites.findall(".//testcase")) == 4 and len(suites.findall(".//failure")) == 1
    kinds = [json.loads(line) for line in play(None, "--json").stdout.splitlines()]
    assert [line["outcome"] for line in kinds if line["kind"] == "result"].count("failed") == 1
    assert "::error file=" in play(None, GITHUB_ACTIONS="true").stdout
    parts = []
    for number in (1, 2):
        parts.append(sandbox.scratch / f"{number}.xml")
        play(None, "--shard", f"{number}/2", "--junit", str(parts[-1]))
    joined = sandbox.scratch / "joined.xml"
    assert sandbox.curfew("test", "--join-junit", str(joined), *map(str, parts)).returncode == 0
    assert len(xml.etree.ElementTree.parse(joined).getroot().findall(".//testcase")) == 4


def test_artifacts(play, sandbox):
    kept = sandbox.scratch / "kept"
    result = play(SHELL + "home\nexpect state active\n", "--artifacts", str(kept))
    assert result.returncode == 1
    (folder,) = kept.iterdir()
    assert {"journal", "output.txt", "timeline.svg"} <= {path.name for path in folder.iterdir()}
    assert str(folder / "timeline.svg") in result.stdout
    assert "up" in (folder / "output.txt").read_text()
    assert "<svg" in (folder / "timeline.svg").read_text()


def test_what_cannot_be_written(play, sandbox):
    (sandbox.scratch / "file").touch()
    result = play(SHELL, "--artifacts", str(sandbox.scratch / "file" / "below"))
    assert result.returncode == 2 and "can't make the folder" in result.stderr, result.stderr
    result = play(SHELL, "--junit", "/dev/full")
    assert result.returncode == 2 and "can't write /dev/full: No space left on device" in result.stderr, result.stderr


def test_repeated_until_it_fails(play):
    result = play(
        "app -- sh -c 'echo x >>count; test $(wc -l <count) -lt 3'\nlaunch\nawait exit 0\n", "--until-failure", "--jobs", "1")
    assert result.returncode == 1 and "2 passed, 1 failed" in result.stdout, result.stdout


def test_skipped(play):
    result = play("skip unless test -e nothing\napp -- false\nlaunch\n")
    assert result.returncode == 0 and "1 skipped" in result.stdout and "nothing" in result.stdout, result.stdout


def test_layout(play):
    result = play("app    --   true  \n\n\n\nlaunch   # now\n", "--format")
    assert result.returncode == 0 and result.stdout.endswith("one.curfew\n")
    assert (play.folder / "one.curfew").read_text() == "app -- true\n\nlaunch  # now\n"
    assert play(None, "--format").stdout == ""
    assert play(None, "--check").returncode == 0


def test_without_a_cgroup(play):
    result = play("app --containment tree -- sh -c 'echo up; read x'\nlaunch\nawait output up\nhome\nexpect state suspended\n")
    assert result.returncode == 0, result.stdout


def test_its_own_executable_is_missing(sandbox, tmp_path):
    lone = tmp_path / "curfew"
    lone.symlink_to(binary())
    copy = tmp_path / "bin" / "curfew"
    copy.parent.mkdir()
    copy.write_bytes(pathlib.Path(binary()).read_bytes())
    copy.chmod(0o755)
    result = subprocess.run([copy, "test", "x"], capture_output=True, text=True, timeout=LIMIT, env=sandbox.environment)
    assert result.returncode == 69 and "curfew-test" in result.stderr and "reinstall Curfew" in result.stderr, result.stderr
