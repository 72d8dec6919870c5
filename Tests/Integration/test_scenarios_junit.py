"""What `curfew test --junit` writes, held to a schema by xmllint, and to what was played."""

import pathlib
import shutil
import signal
import subprocess
import xml.etree.ElementTree

import pytest

from conftest import LIMIT, wait_for
from playing import play  # noqa: F401

SCHEMA = pathlib.Path(__file__).with_name("junit.xsd")

# Each outcome, and what means something to XML, to terminals or to a reader of lines in each text.
EVERYTHING = """\
app -- python3 write.py
matrix WHAT 'a <b> & "c"' ']]>' 'größe 😀'
scenario "it passes <![CDATA["
launch
await output last
scenario "it fails & says so"
launch
await output last
expect file $WHAT exists
scenario "it can't be run"
launch
await output "(${WHAT}"
"""
SKIPPED = "skip unless sh -c 'exit 3 # <&>'\napp -- true\nlaunch\n"
WRITER = """\
import sys
sys.stdout.buffer.write(bytes(range(256)) + b"\\n\\x1b]0;title\\x07 ]]> &#0; &lt; \\xef\\xbf\\xbe \\xed\\xa0\\x80\\r\\nlast\\n")
sys.stdout.flush()
input()
"""


@pytest.fixture
def check():
    """Holds a file to the schema; what is in it."""
    if not shutil.which("xmllint"):
        pytest.skip("xmllint isn't installed")

    def check(path):
        result = lint(path)
        assert result.returncode == 0, f"{result.stderr}{path.read_text()}"
        return xml.etree.ElementTree.parse(path).getroot()

    return check


def lint(path):
    return subprocess.run(
        ["xmllint", "--nonet", "--noout", "--schema", SCHEMA, path], capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)


def counts(element):
    return {key: int(element.get(key)) for key in ("tests", "failures", "errors", "skipped") if key in element.keys()}


def write_everything(play):
    (play.folder / "write.py").write_text(WRITER)
    play.write(EVERYTHING, "every & <thing>.curfew")
    play.write(SKIPPED, "skipped.curfew")


def test_each_outcome_is_valid(play, sandbox, check):
    write_everything(play)
    path = sandbox.scratch / "junit.xml"
    result = play(None, "--junit", path)
    assert result.returncode == 2 and "3 passed, 3 failed, 1 skipped, 3 couldn't be run" in result.stdout, result.stdout
    suites = check(path)
    assert counts(suites) == {"tests": 10, "failures": 3, "errors": 3}
    first, second = suites
    assert counts(first) == {"tests": 9, "failures": 3, "errors": 3, "skipped": 0} and first.get("name").endswith("every & <thing>.curfew")
    assert counts(second) == {"tests": 1, "failures": 0, "errors": 0, "skipped": 1}
    assert second.find("testcase/skipped").get("message") == "`sh -c exit 3 # <&>` exits with 3"
    names = [case.get("name") for case in first]
    assert 'it fails & says so [WHAT=a <b> & "c"]' in names and "it passes <![CDATA[ [WHAT=größe 😀]" in names, names
    outputs = [case.findtext("system-out") for case in first if case.find("failure") is not None]
    assert len(outputs) == 3 and all("\\x1b]0;title\\x07 ]]> &#0; &lt; " in output and output.endswith("last\n") for output in outputs), outputs


def test_what_shards_wrote_is_valid_once_joined(play, sandbox, check):
    write_everything(play)
    parts = [sandbox.scratch / f"{number}.xml" for number in (1, 2, 3)]
    for number, part in enumerate(parts, 1):
        play(None, "--shard", f"{number}/3", "--junit", part)
        check(part)
    joined = sandbox.scratch / "joined.xml"
    assert sandbox.curfew("test", "--join-junit", joined, *parts).returncode == 0
    assert counts(check(joined)) == {"tests": 10, "failures": 3, "errors": 3}


def test_what_an_interrupted_run_wrote_is_valid(play, sandbox, check):
    path = sandbox.scratch / "junit.xml"
    play.write("app -- sleep 60\nscenario one\nlaunch\nscenario two\nlaunch\ndo touch begun\nexpect silence 1h\n")
    with play.begun("--jobs", "1", "--junit", path) as process:
        wait_for("the second to be played", (play.folder / "begun").exists)
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=3 * LIMIT)
    assert process.returncode == 2, output
    suites = check(path)
    assert counts(suites) == {"tests": 2, "failures": 0, "errors": 1}
    assert suites.find("testsuite[@name='curfew test']/testcase/error").get("message") == "interrupted by SIGTERM: 1 not run"


@pytest.mark.parametrize("broken", [
    ('name="one"', 'name="one" file="one.curfew"'), ("</testcase>", "<properties></properties></testcase>"), ('time="', 'time="-'),
    ('tests="1"', ""), ("</testsuites>", ""), ("</testcase>", "<skipped message=''></skipped><skipped message=''></skipped></testcase>")])
def test_the_schema_finds_what_is_not_allowed(play, sandbox, check, broken):
    path = sandbox.scratch / "junit.xml"
    assert play("app -- true\nlaunch\n", "--junit", path).returncode == 0
    check(path)
    text = path.read_text()
    assert broken[0] in text
    path.write_text(text.replace(*broken))
    assert lint(path).returncode != 0
