"""`curfew test` on a terminal: a line that says how far it is, rewritten below lines that stay."""

import contextlib
import fcntl
import os
import re
import struct
import subprocess
import termios

import pytest

from conftest import LIMIT, binary
from playing import PATIENT, play  # noqa: F401

TWO = """\
app -- sh -c 'echo up; read line'
before
launch
await output up
scenario "it is opened again and again, which takes a long name"
home
open
scenario "it is well at home"
home
expect state active
"""

ERASED = "\r\x1b[K"
COLOURS = re.compile(r"\x1b\[[\d;]*m")


def on_terminal(play, *options, width=80, **environment):
    """Everything that is written to a terminal, and the status."""
    reader, writer = os.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    variables = {**play.environment, "TERM": "xterm", **environment}
    if "NO_COLOR" not in environment:
        variables.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [binary(), "test", *PATIENT, "--jobs", "1", *options, play.folder], stdin=subprocess.DEVNULL, stdout=writer,
        stderr=subprocess.PIPE, env=variables)
    os.close(writer)
    written = b""
    # Then there is nobody at its other side any more.
    with contextlib.suppress(OSError):
        while piece := os.read(reader, 65536):
            written += piece
    os.close(reader)
    status = process.wait(LIMIT)
    complained = process.stderr.read()
    process.stderr.close()
    assert complained == b"", complained
    return written.decode().replace("\r\n", "\n"), status


def screen(written):
    """What is left to be seen: a line that is erased is gone with all that stood in it."""
    return "".join(line.rpartition(ERASED)[2] + "\n" for line in written.split("\n")).removesuffix("\n")


def progress(written):
    """Each line that was rewritten, in their order."""
    return [piece for line in written.split("\n") for piece in line.split(ERASED)[:-1] if piece]


def without_times(text):
    return re.sub(r"[ \d.]+ m?s\b", " …", text)


def test_how_far_it_is(play):
    play.write(TWO, "two.curfew")
    written, status = on_terminal(play, NO_COLOR="1")
    assert status == 1
    told = progress(written)
    file = play.folder / "two.curfew"
    first, second = (f"{file}: it is {name}" for name in ("opened again and again, which takes a long name", "well at home"))
    # As wide as the terminal is, and no wider.
    assert told[0] == "[0/2]" and f"[0/2] {first}"[:78] + "…" in told and f"[1/2] {second}"[:78] in "\n".join(told), told
    assert told[-1].startswith("[2/2] 1 not well"), told
    assert all(len(line) < 80 for line in told), told
    # Nothing of that is left, and everything else is as in a pipe.
    assert ERASED not in screen(written) and not re.search(r"^\[\d/\d\]", screen(written), re.MULTILINE), written
    assert without_times(screen(written)) == without_times(play(None, "--jobs", "1").stdout)


@pytest.mark.parametrize("width", [1, 12, 40, 200])
def test_no_line_is_broken_by_the_terminals_edge(play, width):
    play.write(TWO, "two.curfew")
    written, status = on_terminal(play, width=width, NO_COLOR="1")
    assert status == 1 and all(len(line) < max(width, 1) for line in progress(written)), progress(written)
    assert bool(progress(written)) == (width > 1)


def test_colours(play):
    play.write(TWO, "two.curfew")
    written, _ = on_terminal(play)
    assert "\x1b[32mpassed \x1b[0m" in written and "\x1b[1;31mFAILED \x1b[0m" in written, written
    plain, _ = on_terminal(play, NO_COLOR="1")
    assert not COLOURS.search(plain)
    assert without_times(COLOURS.sub("", screen(written))) == without_times(screen(plain))


def test_a_terminal_that_erases_nothing(play):
    play.write(TWO, "two.curfew")
    written, _ = on_terminal(play, TERM="dumb")
    assert "\x1b" not in written and "\r" not in written, written
    assert without_times(written) == without_times(play(None, "--jobs", "1").stdout)


@pytest.mark.parametrize("option", ["--tap", "--json"])
def test_what_machines_read_is_never_rewritten(play, option):
    play.write(TWO, "two.curfew")
    written, _ = on_terminal(play, option)
    assert "\x1b" not in written and "\r" not in written, written
