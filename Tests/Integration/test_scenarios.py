"""`curfew test` with real programs: what comes of a scenario, what is said of it, and that nothing of it is left."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree

import pytest

from conftest import LIMIT, PATIENCE, binary, is_alive, wait_for
from programs.helpers import PROGRAMS
from playing import DAEMON, SHELL, play  # noqa: F401


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
    assert result.stdout.count("`--artifacts DIR` keeps journal, report, output and picture of each.") == 1, result.stdout


def test_mistakes_are_told_all_at_once_and_nothing_is_played(play):
    result = play("app -- true\nlanch\nexpect stat suspended\n")
    assert (result.returncode, result.stdout) == (2, "")
    # What is accepted stands below each, indented.
    first, second = (line for line in result.stderr.splitlines() if not line.startswith(" "))
    assert "\n    accepted: scenario, before, " in result.stderr and "\n    accepted: state, event, " in result.stderr, result.stderr
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
    for words, problem in (
            (["--jobs", "0", "x"], "--jobs is at least 1"), ([], "a FILE is missing"), (["--bogus", "x"], "bogus"),
            (["--jobs", "two", "x"], "two")):
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


@pytest.mark.parametrize("end", ["127", "126", "125", "64"])
def test_a_program_that_ends_as_one_that_could_not_be_run(play, end):
    result = play(f"app -- sh -c 'exit {end}'\nlaunch\nawait exit {end}\nlaunch\nawait exit {end}\nexpect pid changed\n", "--repeat", "5")
    assert result.returncode == 0, result.stdout


def test_signals_are_as_anywhere(play):
    """A closed pipe ends who writes to it, in the app and beside it; what else our caller has ignored is as it was."""
    ignored = "grep SigIgn /proc/self/status"
    # Bit 12 is SIGPIPE's.
    heeded = "[02468ace][0-9a-f]{3}$"
    result = play(f"app -- sh -c '{ignored}; read x'\nlaunch\nawait output '{heeded}'\ndo sh -c '{ignored} | grep -Eq \"{heeded}\"'\n")
    assert result.returncode == 0, result.stdout


def test_lines_that_end_as_on_windows(play):
    result = play("app -- sh -c 'printf \"one\\r\\ntwo\\r\\n\"; read x'\r\nlaunch\r\nawait output two\r\nexpect state suspended\r\n")
    assert result.returncode == 1, result.stdout
    for words in ("> 4 | expect state suspended\n", "3 | await output two\n", "| one\n", "| two\n"):
        assert words in result.stdout, result.stdout


def test_an_app_drives_no_apps(play, sandbox):
    play.write(SHELL + "home\n")
    result = subprocess.run(
        [binary(), "run", "--", binary(), "test", play.folder], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=6 * LIMIT, env=play.environment)
    assert result.returncode == 2 and "an app can't drive apps" in result.stdout, (result.stdout, result.stderr)


@pytest.mark.parametrize("status, words, problem", [
    (64, ["--limit", "15000w"], '--limit: "15000w" is more than 100 years'),
    (64, ["--await", "2562047h"], '--await: "2562047h" is more than 100 years'),
    (64, ["--shard", "3/2"], "--shard 3/2: I is 1 to 2, the first is 1/2"),
    (64, ["--shard", "x"], '--shard takes I/N, as 2/5 for the second of five, not "x"'),
    (64, ["--check", "--limit", "soon"], '--limit: "soon" isn\'t'),
    (64, ["--settle", "11s"], '--settle: "11s" isn\'t from 1ms to 10s'),
    (64, ["--settle", "0"], '--settle: "0" isn\'t'),
    (64, ["--list", "--await", "soon"], '--await: "soon" isn\'t'),
    (2, ["/dev/stdin"], "/dev/stdin isn't a regular file"),
])
def test_what_is_refused(play, status, words, problem):
    play.write(SHELL)
    result = play(None, *words)
    assert (result.returncode, result.stdout) == (status, "") and problem in result.stderr, result.stderr


def test_wrong_options_of_the_app_are_told_with_the_files_other_mistakes(play):
    result = play("app --budget soon -- true\nscenario a\nlaunch\nlanch\nscenario b\nlaunch\nhome\n", "--check")
    told = [line.partition("one.curfew:")[2] for line in result.stderr.splitlines() if not line.startswith(" ")]
    assert result.returncode == 2 and len(told) == 2, result.stderr
    assert told[0].startswith("1:1: error: ") and '"soon"' in told[0], result.stderr
    assert told[1].startswith("4:1: error: ") and '"lanch"' in told[1], result.stderr


@pytest.mark.parametrize("options, problem", [
    ("--background 10m", '"10m" isn\'t an option, nor the value of one; see `curfew run --help`'),
    ("--bogus", "unknown option --bogus; `curfew run --help` lists what is accepted"),
    ("--help", "--help launches nothing"),
])
def test_what_is_no_option_of_the_app(play, options, problem):
    result = play(f"app {options} -- true\nlaunch\n", "--check")
    assert (result.returncode, result.stdout) == (2, "") and result.stderr.endswith(f":1:1: error: {problem}\n"), result.stderr


def test_what_variables_say_is_no_mistake_yet(play):
    result = play("set budget soon\napp --budget $budget -- true\nlaunch\n", "--check")
    assert (result.returncode, result.stderr) == (0, "")


def test_a_program_that_ends_before_anybody_can_ask_has_its_events(play):
    """However late its supervisor is met: 20 of them, side by side."""
    result = play(
        "app -- sh -c 'exit 3'\nlaunch\nawait exit 3\nexpect events stateDidChange didEnd\n"
        "expect event stateDidChange to=active\nexpect event didEnd status=3\n", "--repeat", "20", "--jobs", "8")
    assert result.returncode == 0 and "20 passed" in result.stdout, result.stdout


def test_a_long_limit(play):
    result = play(SHELL, "--limit", "36500d", "--await", "36500d")
    assert result.returncode == 0, result.stdout


def test_who_owes_something_has_as_long_as_settle_says(play):
    """It says hello only after a while in which nothing of it runs: by default its time would have been moved by then."""
    app = f"sh -c 'sleep 0.5; exec {sys.executable} -SE {PROGRAMS}/lifecycle_app.py'"
    result = play(f"app --aware -- {app}\nlaunch\nadvance 1m\nexpect state active\n", "--settle", "10s")
    assert result.returncode == 0, result.stdout


def test_a_monkey_has_no_more_than_a_million_steps(sandbox):
    result = sandbox.curfew("test", "--monkey", "9223372036854775807", "--", "true")
    assert result.returncode == 64 and "--monkey is at most 1000000" in result.stderr, result.stderr


def test_time_stands_still_and_is_moved(play):
    text = (
        "app --budget 10m -- sh -c 'curfew task run upload -- sh -c \"trap : TERM; echo up; while :; do sleep 0.5; done\"'\n"
        "launch\nawait output up\nexpect task upload open\nhome\nexpect state background\nexpect remaining = 10m\nadvance 10m\n"
        "expect event backgroundTasksWillExpire\nexpect remaining = 5s\nadvance 10s\nawait killed background-task-timeout\nexpect exit 124\n")
    path = f"{pathlib.Path(binary()).parent}:{os.environ['PATH']}"
    result = play(text, "--json", PATH=path)
    assert result.returncode == 0, result.stdout
    first, second = json.loads(result.stdout.splitlines()[-2])["advances"]
    assert (first["line"], first["seconds"], first["left"], first["state"]) == (8, 595, 5, "background")
    assert first["events"][0] == "backgroundTasksWillExpire tasks=1", first
    assert (second["line"], second["seconds"], second["left"], second["state"]) == (11, 5, 5, "notRunning")
    # Whoever reads of a failure sees what they stopped at.
    told = play(text + "expect exit 0\n", PATH=path).stdout
    assert "last advances\n    | line 8: 9 min 55 s passed, 5 s left; the app is background; what happened: " in told, told


def test_reclaimed_and_restored(play):
    result = play(
        "app -- sh -c 'echo \"$CURFEW_STATE_DIR\" >&2; if test -e \"$CURFEW_STATE_DIR/mark\"; then echo again; fi; "
        "touch \"$CURFEW_STATE_DIR/mark\"; echo up; read x'\n"
        "launch\nawait output up\n! expect output again\nhome\nreclaim\nexpect killed memory-pressure\nexpect exit 137\n"
        "expect file $CURFEW_STATE_DIR/mark exists\nopen\n"
        "expect pid changed\nawait output again\nexpect state active\n"
        "do sh -c 'curfew report last | grep -q memory-pressure'\n")
    assert result.returncode == 0, result.stdout


def test_asleep_until_its_input_comes(play):
    """It is told nothing, uses nothing, and reads what has woken it."""
    result = play(
        "app --wake-on pipes -- cat\nlaunch\nsleep\nexpect state suspended\n! expect event didEnterBackground\n"
        "expect silence 200ms\nsend hello\nawait output hello\nexpect state active\nexpect pid same\n")
    assert result.returncode == 0, result.stdout


def test_asleep_until_it_is_opened(play):
    """Nothing else is said to wake it."""
    result = play(
        SHELL + "sleep\nsend hello\nexpect silence 200ms\nexpect state suspended\nopen\nawait output 'got hello'\n"
        "expect state active\nexpect pid same\n")
    assert result.returncode == 0, result.stdout


def test_what_holds_a_task_cannot_sleep(play):
    result = play(
        "app -- sh -c 'curfew task run upload -- sh -c \"echo up; read x\"'\nlaunch\nawait output up\nsleep\n",
        PATH=f"{pathlib.Path(binary()).parent}:{os.environ['PATH']}")
    assert result.returncode == 1, result.stdout
    for words in (
            "> 4 | sleep", "expected  the app to be put to sleep",
            "seen      refused (holds-task): the app has background tasks open; it can sleep once they have ended"):
        assert words in result.stdout, result.stdout


def test_short_of_memory(play):
    """As the machine is said to be: suspended, it is the first to go."""
    result = play("app -- sleep 60\nlaunch\nhome\nawait state suspended\npressure warning\nexpect state suspended\npressure critical\nawait killed memory-pressure\n")
    assert result.returncode == 0, result.stdout


def test_keys_in_a_terminal(play):
    result = play("app -- sh -c 'test -t 0 && echo terminal; read x; echo \"got $x\"'\nlaunch\nawait output terminal\n"
                  "key a b Enter\nawait output 'got ab'\nawait exit 0\n")
    assert result.returncode == 0, result.stdout


def test_a_killed_supervisor(play):
    result = play(SHELL + "kill-supervisor\nexpect exit 125\nexpect killed supervisor-exit\n")
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("option", ["--on-supervisor-exit resume", "--on-supervisor-exit=resume"])
def test_a_killed_supervisor_whose_app_goes_on(play, option):
    """It can't be asked any more, and another is launched."""
    text = SHELL.replace("app ", f"app {option} ")
    result = play(text + "kill-supervisor\nexpect state notRunning\nlaunch\nexpect pid changed\n")
    assert result.returncode == 0, result.stdout
    result = play(text + "kill-supervisor\nhome\n")
    assert result.returncode == 1 and "the app isn't running" in result.stdout, result.stdout


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
    # All of the limit is its own: no launch is part of it.
    result = play("app -- sleep 60\ndo sleep 1234\n", "--limit", f"{PATIENCE:g}s")
    assert result.returncode == 1 and "it still runs when the scenario's" in result.stdout, result.stdout


def test_nothing_outlives_a_scenario(play):
    """A daemon of a helper's, in a session of its own, that heeds no signal; nor one of the app's."""
    play.write(DAEMON, "daemon")
    result = play(
        "app -- sh -c 'sh daemon app; echo up; sleep 60'\nlaunch\ndo sh daemon helper\nawait file app exists\nawait file helper exists\n"
        "expect state suspended\n")
    assert result.returncode == 1, result.stdout
    for name in ("app", "helper"):
        assert not is_alive(int((play.folder / name).read_text())), name


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nor_does_it_a_run_that_is_interrupted(play, number):
    """Nor a daemon of it, nor a helper beside."""
    play.write(DAEMON, "daemon")
    play.write(
        "app -- sh -c 'sh daemon app; sleep 1234'\nlaunch\ndo sh -c 'sh daemon beside; sleep 1234' &\n"
        "do sh -c 'sh daemon helper; sleep 1234'\n")
    files = [play.folder / name for name in ("app", "beside", "helper")]
    with play.begun() as process:
        wait_for("all to run", lambda: all(file.exists() for file in files))
        process.send_signal(number)
        output, _ = process.communicate(timeout=3 * LIMIT)
    assert process.returncode == (-9 if number == signal.SIGKILL else 2), output
    pids = [int(file.read_text()) for file in files]
    wait_for("them to end", lambda: not any(map(is_alive, pids)))
    play.wait_until_nothing_is_left()


def test_one_at_a_time_leaves_nothing_to_the_next(play):
    """With --jobs 1 a daemon that a scenario's helper has left is gone when the next begins."""
    play.write(DAEMON, "daemon")
    text = "app -- true\nscenario one\ndo rm -f left\ndo sh daemon left\nawait file left exists\nscenario two\n! do sh -c 'kill -0 $(cat left)'\n"
    result = play(text, "--jobs", "1", "--repeat", "3", name="two.curfew")
    assert result.returncode == 0 and "6 passed" in result.stdout, result.stdout


def test_two_runs_of_one_folder_at_once(play):
    play.write(SHELL + "send x\nawait output 'got x'\nhome\nexpect state suspended\n")
    with play.begun("--repeat", "3") as first, play.begun("--repeat", "3") as second:
        for run in (first, second):
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
    """Of each launch; of this run alone."""
    kept = sandbox.scratch / "kept"
    for _ in range(2):
        result = play(SHELL + "home\nreclaim\nopen\nawait output up\nexpect state suspended\n", "--artifacts", str(kept))
        assert result.returncode == 1
    (folder,) = kept.iterdir()
    assert sorted(path.name for path in folder.iterdir()) == [
        "journal", "journal-2", "output.txt", "report.json", "timeline-2.svg", "timeline.svg"]
    assert str(folder / "timeline-2.svg") in result.stdout and "--artifacts DIR" not in result.stdout
    assert (folder / "output.txt").read_text().splitlines().count("up") == 2
    assert json.loads((folder / "report.json").read_text())["reason"] == "memory-pressure"
    first, second = [(folder / name).read_text() for name in ("timeline.svg", "timeline-2.svg")]
    assert "memory-pressure" in first and "<svg" in second and "memory-pressure" not in second
    assert all(f"Timeline of {play.folder / 'one.curfew'}: " in picture for picture in (first, second))


def test_artifacts_tell_what_was_used(play, sandbox):
    """Without any limit that would have it measured: after whatever was done to it, and while something is awaited."""
    kept = sandbox.scratch / "kept"
    text = SHELL + "home\nopen\nawait output never within 3s\n"
    result = play(text, "--artifacts", str(kept))
    assert result.returncode == 1, result.stdout
    (folder,) = kept.iterdir()
    lines = [line for line in (folder / "journal").read_text().splitlines() if line.startswith("measured ")]
    assert len(lines) >= 5, lines
    # Once for each statement, though it asks twice: for what it does, and whether that is done.
    words = [line.split()[0] + re.sub(r".* name=(\S+).*", r" \1", line) for line in (folder / "journal").read_text().splitlines()
             if re.match(r"measured |input .* name=(home|open) ", line)]
    home, opened = words.index("input home"), words.index("input open")
    assert opened - home == 2, words
    # While it is awaited, too: in real time, for its own stands still.
    times = [int(re.search(r" real=(\d+)", line).group(1)) for line in lines[-2:]]
    assert times[1] - times[0] > 500_000_000, lines
    assert all(int(re.search(r" footprint=(\d+)", line).group(1)) > 0 for line in lines)
    picture = (folder / "timeline.svg").read_text()
    assert ">memory<" in picture and ">CPU time<" in picture


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


def test_what_cannot_be_read_is_told_to_machines_too(play):
    """As what couldn't be run: a shard with a mistake in it isn't green, and no older results are taken for its."""
    play.write("app -- true\nlanch\n", "bad.curfew")
    junit = play.folder / "results.xml"
    junit.write_text("of yesterday")
    result = play(None, "--junit", str(junit))
    assert (result.returncode, result.stdout) == (2, ""), result.stdout
    case, = xml.etree.ElementTree.parse(junit).iter("testcase")
    assert "lanch" in case.find("error").get("message")
    result = play(None, "--tap")
    assert result.returncode == 2 and "1..1\nnot ok 1" in result.stdout and "lanch" in result.stdout, result.stdout
    result = play(None, "--json")
    assert [json.loads(line)["kind"] for line in result.stdout.splitlines()] == ["began", "started", "result", "ended"]
    result = play(None, GITHUB_ACTIONS="true")
    assert result.stdout.startswith("::error file=") and "lanch" in result.stdout, result.stdout


def test_a_run_that_cannot_begin_is_told_of_each(play):
    result = play(SHELL, "--json", TMPDIR="/nonexistent")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.returncode == 2 and [line.get("outcome") for line in lines][-2] == "broken", result.stdout
    assert "/nonexistent" in lines[-2]["failure"]["seen"]


def test_a_file_that_is_named_twice_is_played_once(play):
    result = play(SHELL, str(play.folder / "one.curfew"), str(play.folder / "." / "one.curfew"))
    assert result.returncode == 0 and "1 passed, in" in result.stdout, result.stdout


def test_what_still_ran_has_no_report(play, sandbox):
    """It would say that its supervisor was killed; and what is said of that isn't the app's output."""
    result = play(SHELL + "expect output nothing\n", "--artifacts", str(sandbox.scratch / "kept"))
    assert result.returncode == 1
    kept, = (sandbox.scratch / "kept").iterdir()
    assert sorted(path.name for path in kept.iterdir()) == ["journal", "output.txt", "timeline.svg"]
    assert (kept / "output.txt").read_text() == "up\n"


def test_github_is_given_no_commands_by_a_program(play):
    text = "app -- sh -c 'echo \"##[error]forged\"; read x'\nlaunch\nawait output forged\nexpect state background\n"
    assert "##[" not in play(text, GITHUB_ACTIONS="true").stdout
    result = play(text, "--json", GITHUB_ACTIONS="true")
    assert "##[" not in result.stdout
    assert "##[error]forged" in [json.loads(line) for line in result.stdout.splitlines()][2]["failure"]["output"]
