"""`--state-dir`: where an app saves what its next run is to find."""

import os
import stat

import pytest

from programs.helpers import needs_root

SAY = ["sh", "-c", 'echo "${CURFEW_STATE_DIR-none}"']


def run(sandbox, *arguments, **options):
    return sandbox.curfew("run", *arguments, **options)


def test_it_is_made_for_the_app_alone_and_found_by_its_next_run(sandbox):
    state = sandbox.scratch / "not" / "there" / "yet"
    first = run(sandbox, "--state-dir", state, "--", "sh", "-c", 'echo page 7 >"$CURFEW_STATE_DIR/book"')
    assert (first.returncode, first.stdout, first.stderr) == (0, "", "")
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert run(sandbox, "--state-dir", state, "--", "sh", "-c", 'cat "$CURFEW_STATE_DIR/book"').stdout == "page 7\n"


def test_it_is_told_as_an_absolute_path(sandbox):
    """The app may have another working directory when it saves."""
    result = run(
        sandbox, "--state-dir", "state", "--", "sh", "-c", 'cd / && : >"$CURFEW_STATE_DIR/saved"', cwd=sandbox.scratch)
    assert (result.returncode, result.stderr) == (0, "")
    assert (sandbox.scratch / "state" / "saved").exists()


@pytest.mark.parametrize("callers", [None, "", "/outer"])
def test_without_the_option_the_callers_is_passed_on_as_it_is(sandbox, callers):
    environment = dict(sandbox.environment, **({} if callers is None else {"CURFEW_STATE_DIR": callers}))
    assert run(sandbox, "--", *SAY, env=environment).stdout == ("none" if callers is None else callers) + "\n"


def test_the_option_counts_more_than_the_callers(sandbox):
    state = sandbox.scratch / "own"
    environment = dict(sandbox.environment, CURFEW_STATE_DIR="/outer")
    result = run(sandbox, "--state-dir", state, "--", "sh", "-c", "env | grep ^CURFEW_STATE_DIR=", env=environment)
    assert result.stdout == f"CURFEW_STATE_DIR={state}\n"


def assert_refused(sandbox, state, reason):
    started = sandbox.scratch / "started"
    result = run(sandbox, "--state-dir", state, "--", "touch", started)
    assert (result.returncode, result.stdout, result.stderr) == (
        125, "", f"curfew: run: --state-dir {state}: {reason}; nothing was started\n")
    assert not started.exists()


def test_one_that_others_can_write_to_is_refused(sandbox):
    state = sandbox.scratch / "open"
    state.mkdir()
    state.chmod(0o775)
    assert_refused(
        sandbox, state, "others can write to it (mode 775); take that away with chmod go-w, or name another")
    state.chmod(0o755)
    assert run(sandbox, "--state-dir", state, "--", *SAY).stdout == f"{state}\n"


def test_what_is_no_directory_is_refused(sandbox):
    state = sandbox.scratch / "file"
    state.touch()
    assert_refused(sandbox, state, "it isn't a directory; name one, or what isn't there yet")


def test_what_can_not_be_made_is_refused(sandbox):
    assert_refused(sandbox, "/proc/state", "make /proc/state: No such file or directory")


@needs_root
def test_another_users_is_refused(sandbox):
    state = sandbox.scratch / "theirs"
    state.mkdir(mode=0o700)
    os.chown(state, 4711, 4711)
    assert_refused(sandbox, state, "it belongs to the user with uid 4711; name a directory of your own")
