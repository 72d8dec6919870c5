"""Asleep in a terminal: the shell notices nothing, a key wakes the app, and no key is lost."""

import os
import signal

import pytest

from conftest import state_letter, wait_for
from test_terminal import App, PROMPT, bash, has_terminal, nested, reap, shells, vim_answer, vim_rests  # noqa: F401

WAKES = "--wake-on terminal"


def put_to_sleep(app, *arguments):
    """Asleep, with its proxy at work as before."""
    app.do("sleep", *arguments)
    assert app.status()["asleep"] == ("until-opened" if arguments else "true")
    app.wait_letter("T")


def wakings(app):
    out = app.sandbox.curfew("events", app.name).stdout
    return out.count("didWake")


def test_a_line_wakes_it_and_is_read(bash):
    """The job stays in front: its proxy isn't stopped, no prompt comes, and what is typed is the app's."""
    app = bash.cat(WAKES)
    for count, word in enumerate(("two", "three", "four"), 1):
        put_to_sleep(app)
        assert state_letter(app.proxy) not in "Tt"
        bash.talk(word)
        app.wait("active")
        assert wakings(app) == count
    put_to_sleep(app)
    bash.press("D")
    bash.prompt()
    assert bash.status() == 0


def test_a_key_wakes_what_reads_keys(bash):
    """Python's prompt edits lines in raw mode."""
    bash.run("python3 -q", options=WAKES)
    bash.expect(">>> ")
    app = App(bash.sandbox)
    for _ in range(3):
        put_to_sleep(app)
        bash.terminal.send("1+1\x1b[D\x1b[D\x1b[D4\r")
        bash.expect_line("42")
        bash.expect(">>> ")
    put_to_sleep(app)
    bash.press("D")
    bash.prompt()
    assert bash.status() == 0


def test_vim_keeps_its_screen_and_sees_a_resize(bash):
    note = bash.sandbox.scratch / "note"
    before = bash.do("stty -g")
    bash.run("vim note", options=WAKES)
    bash.expect("New")
    app = App(bash.sandbox)
    vim_rests(app)
    put_to_sleep(app)
    bash.terminal.send("ione\x1b")
    bash.expect("one")
    assert vim_answer(bash, "&columns") == "100"
    vim_rests(app)
    put_to_sleep(app)
    bash.terminal.setwinsize(30, 77)
    wait_for("vim to see 77 columns", lambda: vim_answer(bash, "&columns") == "77")
    vim_rests(app)
    put_to_sleep(app)
    bash.terminal.send("otwo\x1b:wq\r")
    bash.prompt()
    assert bash.status() == 0
    assert note.read_text() == "one\ntwo\n"
    assert bash.do("stty -g") == before


@pytest.mark.parametrize("options", ["", WAKES])
@pytest.mark.parametrize("key,status", [("C", 130), ("\\", 131)])
def test_a_key_that_ends_ends_it(bash, key, status, options):
    """Whether or not keys wake it: it is woken, and hears of it."""
    app = bash.start(options=options)
    put_to_sleep(app)
    bash.press(key)
    bash.prompt()
    assert bash.status() == status


@pytest.mark.parametrize("options", ["", WAKES])
def test_the_stop_key_is_home(bash, options):
    app = bash.cat(options)
    put_to_sleep(app)
    assert "Stopped" in bash.home()
    app.wait("suspended")
    assert "asleep" not in app.status()
    bash.foreground()
    app.wait("active")
    bash.talk("two")
    bash.insist("C", PROMPT)


def test_until_it_is_opened_the_shell_has_its_prompt(bash):
    """`fg` is opening it."""
    app = bash.cat(WAKES)
    app.do("sleep", "--stay")
    bash.prompt()
    assert app.status()["asleep"] == "until-opened"
    app.wait_proxy_stopped()
    bash.foreground()
    app.wait("active")
    bash.talk("two")
    bash.insist("C", PROMPT)


def test_until_it_is_opened_the_modes_are_the_shells(bash):
    """Vim's screen is raw again once it is opened, whether it was told so awake or asleep."""
    before = bash.do("stty -g")
    bash.run("vim note", options=WAKES)
    bash.expect("New")
    app = App(bash.sandbox)
    for first in ([], ["asleep"]):
        vim_rests(app)
        if first:
            put_to_sleep(app)
        app.do("sleep", "--stay")
        bash.prompt()
        assert bash.do("stty -g") == before
        app.wait_proxy_stopped()
        bash.foreground()
        app.wait("active")
        assert vim_answer(bash, "&columns") == "100"
    bash.terminal.send(":q\r")
    bash.prompt()
    assert bash.do("stty -g") == before


def test_opened_from_elsewhere_it_has_its_terminal(bash):
    app = bash.cat()
    put_to_sleep(app)
    app.do("open")
    app.wait("active")
    bash.talk("two")
    bash.insist("C", PROMPT)


def test_closed_with_its_terminal_it_is_gone(bash):
    app = bash.start(options=WAKES)
    put_to_sleep(app)
    bash.hang_up()
    app.wait_gone()
    wait_for("nothing to be left", lambda: reap(bash.pid) and not bash.sandbox.processes())


def test_killed_asleep_it_leaves_no_raw_terminal(bash):
    before = bash.do("stty -g")
    bash.run("vim note", options=WAKES)
    bash.expect("New")
    app = App(bash.sandbox)
    put_to_sleep(app)
    os.kill(app.pid, signal.SIGKILL)
    bash.prompt()
    assert bash.do("stty -g") == before


def test_when_idle_it_falls_asleep_in_front_of_its_terminal(bash):
    app = bash.cat("--sleep-when-idle 50ms")
    app.wait("suspended")
    assert app.status()["asleep"] == "true"
    bash.talk("two")
    app.wait("suspended")
    bash.press("C")
    bash.prompt()
    assert bash.status() == 130


def test_job_control_inside_an_app_that_sleeps(bash):
    """A shell of the app's own has its job in front again when it wakes, and that reads what was typed."""
    app = nested(bash, WAKES)
    bash.type("cat")
    wait_for("cat to have the terminal", lambda: has_terminal(app, "cat"))
    bash.talk("one")
    for word in ("two", "three"):
        put_to_sleep(app)
        bash.talk(word)
    bash.press("D")
    bash.expect("inner: ")
    bash.type("exit 3")
    bash.prompt()
    assert bash.status() == 3
