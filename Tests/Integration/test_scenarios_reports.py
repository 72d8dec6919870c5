"""What `curfew test` writes for others to read: TAP for a harness, durations for shards."""

import re
import shutil
import subprocess

import pytest

from conftest import LIMIT
from playing import play  # noqa: F401

# Passed, failed, skipped, and what can't be run; with what means something to a reader of TAP in each name and text.
OUTCOMES = """\
app -- sh -c 'printf "not ok 9\\n1..0\\nBail out!\\n...\\n"; read line'
scenario "it passes # SKIP not"
launch
await output Bail
scenario "it fails \\\\ # TODO some day"
launch
await output Bail
expect state background
scenario "it can't be run"
launch
await output $CURFEW_STATE_DIR(
"""
SKIPPED = "skip unless sh -c 'exit 3 # no'\napp -- true\nlaunch\n"


@pytest.fixture
def prove(play, tmp_path):
    """What Perl's harness makes of the TAP of a run: its status, and what it prints."""
    if not shutil.which("prove"):
        pytest.skip("prove, of Perl, isn't installed")

    def prove(*options):
        written = tmp_path / "written.tap"
        written.write_text(play(None, "--tap", *options).stdout)
        result = subprocess.run(
            # It knows no version that is newer; nothing else differs for it.
            ["prove", "--exec", "sed 1s/14/13/", written], capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
        return result.returncode, result.stdout + result.stderr

    return prove


def test_a_harness_reads_what_has_passed(play, prove):
    play.write("app -- true\nmatrix N 1 2 3\nlaunch\nawait exit 0\n")
    play.write(SKIPPED, "skipped.curfew")
    status, told = prove()
    assert status == 0 and "Files=1, Tests=4," in told and "All tests successful." in told, told


def test_a_harness_reads_what_has_not(play, prove):
    play.write(OUTCOMES, "outcomes.curfew")
    play.write(SKIPPED, "skipped.curfew")
    status, told = prove("--jobs", "1")
    assert status == 1 and "Tests: 4 Failed: 2)" in told, told
    assert re.search(r"Failed tests?:  2-3\n", told) and "(less 1 skipped subtest: 1 okay)" in told, told
    assert "Parse errors" not in told and "Bailout" not in told, told


def test_a_harness_reads_a_plan_that_comes_last(play, prove):
    play.write("app -- sh -c 'echo x >>count; test $(wc -l <count) -lt 3'\nlaunch\nawait exit 0\n")
    status, told = prove("--until-failure", "--jobs", "1")
    assert status == 1 and "Tests: 3 Failed: 1)" in told and "Parse errors" not in told, told


FIVE = "app -- true\n" + "".join(f"scenario {name}\nlaunch\nawait exit 0\n" for name in "abcde")


def parts(play, count, *options):
    """The names that each shard would play."""
    return [
        re.findall(r": (\w)$", play(None, "--list", "--shard", f"{number}/{count}", *options).stdout, re.MULTILINE)
        for number in range(1, count + 1)]


def test_shards_of_like_durations(play, sandbox):
    """The longest has one to itself, and the others share the rest."""
    play.write(FIVE, "five.curfew")
    file = play.folder / "five.curfew"
    known = sandbox.scratch / "durations"
    known.write_text("# of yesterday\n" + "".join(f"{seconds}\t{file}\t{name}\n" for name, seconds in zip("abcde", (1, 1, 9, 1, 1))))
    alone, rest = sorted(parts(play, 2, "--durations", known), key=len)
    assert (alone, sorted(rest)) == (["c"], ["a", "b", "d", "e"])
    result = play(None, "--durations", known, "--shard", "1/2")
    assert result.returncode == 0 and f"{len(parts(play, 2, '--durations', known)[0])} passed" in result.stdout, result.stdout


def test_durations_that_a_run_wrote(play, sandbox):
    """They are read again; of two lines for one scenario the later counts, so files are joined by `cat`."""
    play.write(FIVE, "five.curfew")
    play.write(SKIPPED, "skipped.curfew")
    known = sandbox.scratch / "durations"
    result = play(None, "--write-durations", known)
    assert (result.returncode, result.stderr) == (0, "")
    lines = known.read_text().splitlines()
    assert lines[0].startswith("#")
    assert sorted(line.split("\t")[2] for line in lines[1:]) == list("abcde"), lines
    assert all(re.fullmatch(r"\d+\.\d{3}", line.split("\t")[0]) for line in lines[1:]), lines
    with known.open("a") as file:
        file.write(f"1000.000\t{play.folder / 'five.curfew'}\td\n")
    shards = parts(play, 2, "--durations", known)
    assert ["d"] in shards and sorted(sum(shards, [])) == list("abcde"), shards


def test_durations_that_cannot_be_read(play, sandbox):
    """A line that is none is told of, and passed over; a file that isn't there is an error."""
    play.write(FIVE, "five.curfew")
    known = sandbox.scratch / "durations"
    known.write_text("soon\tfive.curfew\ta\n")
    result = play(None, "--list", "--shard", "1/1", "--durations", known)
    assert result.returncode == 0 and len(result.stdout.splitlines()) == 5
    assert result.stderr.startswith(f"curfew: test: {known}:1: "), result.stderr
    result = play(None, "--list", "--shard", "1/1", "--durations", sandbox.scratch / "nothing")
    assert (result.returncode, result.stdout) == (2, "") and "No such file or directory" in result.stderr, result.stderr
    result = play(None, "--durations", known)
    assert result.returncode == 64 and "--durations needs --shard" in result.stderr, result.stderr
