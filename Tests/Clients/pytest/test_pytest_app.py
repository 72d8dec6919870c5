"""An app of the fixture `curfew_app`: each statement, with real processes."""

import json
import os
import pathlib
import signal
import sys

import pytest
from conftest import PATIENCE, PROGRAMS, is_alive, needs_curfew, wait_for
from pytest_curfew import CurfewError, CurfewFailure

pytestmark = needs_curfew

SHELL = ["sh", "-c", 'trap "exit 3" TERM; echo up; while read -r line; do echo "got $line"; done']


@pytest.fixture
def shell(curfew_app):
    """Reads lines, and ends with 3 when it is told to end."""
    app = curfew_app(*SHELL)
    app.launch()
    app.await_output("up")
    return app


def test_the_scenario_of_an_upload(curfew_app):
    app = curfew_app(sys.executable, "uploader.py", options=["--budget", "10m", "--aware"], cwd=PROGRAMS)
    app.launch()
    port = app.await_output(r"listening on (\d+)")[1]
    app.do_beside(sys.executable, "client.py", port)
    app.await_task("upload", "open")
    app.home()
    app.expect_events("willResignActive", "didEnterBackground")
    app.expect_state("background")
    assert app.remaining == 600
    assert app.tasks == ["upload"]
    assert app.advance("9m55s") == 595
    app.await_event("backgroundTaskWillExpire")
    app.await_state("suspended", within=f"{20 * PATIENCE:g}s")
    app.expect_silence(0.2)
    app.open()
    app.await_output("upload complete: 2000 bytes")
    app.home()
    app.await_state("suspended")
    app.reclaim()
    app.open()
    app.expect_pid("changed")
    app.await_event("didFinishLaunching", restored=True, ended="memory-pressure")
    app.await_output("^restored$")
    app.quit()
    app.expect_exit(0)


def test_a_plain_app(shell):
    pid = shell.pid
    shell.home()
    shell.expect_state("suspended")
    shell.open()
    shell.expect_pid("same")
    assert shell.pid == pid and is_alive(pid) and shell.state == "active" and shell.end_reason is None
    shell.send("hello")
    shell.await_output("got hello")
    shell.expect_no_output("got bye")
    shell.quit()
    shell.expect_exit(3)
    assert (shell.exit_status, shell.state) == (3, "notRunning")
    with pytest.raises(CurfewFailure, match="it isn't running: it ended with 3; `launch` starts it anew"):
        shell.open()


def test_short_of_memory_as_it_is_said(shell):
    shell.home()
    shell.await_state("suspended")
    shell.pressure("warning")
    shell.expect_state("suspended")
    shell.pressure("critical")
    shell.await_killed("memory-pressure")
    shell.open()
    shell.expect_pid("changed")


def test_interruptions_changes_and_warnings(shell):
    shell.interrupt()
    shell.expect_state("inactive")
    shell.dismiss()
    shell.expect_state("active")
    shell.home()
    shell.post("themeDidChange", dark=True)
    shell.expect_event("changeKept", event="themeDidChange")
    with pytest.raises(CurfewFailure, match=r"refused \(suspended\)"):
        shell.warn("critical")
    shell.wake("fetch", reason="nightly")
    shell.expect_event("stateDidChange", to="background")
    shell.advance("1m")
    shell.expect_state("suspended")
    shell.expect_no_event("didReceiveMemoryWarning")


def test_asleep_until_its_input_comes(curfew_app):
    app = curfew_app("cat", options=["--wake-on", "pipes"])
    app.launch()
    app.sleep()
    assert app.state == "suspended"
    app.expect_no_event("didEnterBackground")
    app.send("hello")
    app.await_output("hello")
    app.expect_state("active")
    app.expect_pid("same")


def test_output_is_awaited_behind_the_last_match(shell):
    for word in ("one", "two", "one"):
        shell.send(word)
    for word in ("one", "two", "one"):
        assert shell.await_output(r"^got (\w+)$")[1] == word
    shell.expect_output("two")
    with pytest.raises(CurfewFailure, match="(?s)output that matches got one.*the last line is: got one; waited for 0.01 s"):
        shell.await_output("got one", within=0.01)


def test_a_test_that_looks_away_keeps_nobody_waiting(curfew_app, tmp_path):
    """More output than a pipe holds, and more than is kept."""
    app = curfew_app("sh", "-c", 'head -c 3000000 /dev/zero | tr "\\0" x; echo; touch "$0"; echo last; read x', tmp_path / "done")
    app.launch()
    wait_for("the app to have written everything", (tmp_path / "done").exists)
    app.await_output("^last$")
    assert len(app.output) < 600_000


def test_reclaimed_and_restored(curfew_app):
    app = curfew_app("sh", "-c", 'test ! -e "$CURFEW_STATE_DIR/mark" || echo again; touch "$CURFEW_STATE_DIR/mark"; echo up; read x')
    app.launch()
    app.await_output("up")
    app.expect_no_output("again")
    with pytest.raises(CurfewFailure, match=r"refused \(not-suspended\)"):
        app.reclaim()
    app.home()
    app.reclaim()
    app.expect_killed("memory-pressure")
    app.expect_exit(137)
    app.open()
    app.expect_pid("changed")
    app.await_output("again")
    assert (app.state_dir / "mark").exists()
    assert "memory-pressure" in app.do("curfew", "report"), "its reports are its own"


def test_a_budget_that_is_outstayed(curfew_app):
    app = curfew_app(
        "sh", "-c", 'curfew task run upload -- sh -c "trap : TERM; echo up; while :; do sleep 1000 & wait; done"', options=["--budget", "2m"])
    app.launch()
    app.await_output("up")
    app.expect_task("upload", "open")
    with pytest.raises(CurfewFailure, match=r"(?s)the app to be put to sleep.*refused \(holds-task\)"):
        app.sleep()
    app.home()
    app.expect_state("background")
    assert app.advance("2m") == 115
    app.expect_event("backgroundTasksWillExpire")
    assert app.remaining == 5
    app.advance(10)
    app.await_killed("background-task-timeout")
    app.expect_exit(124)


def test_keys_in_a_terminal(curfew_app):
    app = curfew_app(
        "sh", "-c",
        'trap "echo interrupted" INT; test -t 0 && stty size; read x; echo "got $x"; while :; do sleep 0.05; done',
        terminal=True)
    app.launch()
    app.await_output("24 80")
    app.key("a", "b", "Enter")
    app.await_output("got ab")
    app.key("C-c")
    app.await_output("interrupted")


def test_keys_need_a_terminal(shell):
    with pytest.raises(CurfewError, match="terminal=True"):
        shell.key("Enter")


def test_time_that_runs(curfew_app):
    app = curfew_app(*SHELL, time_scale=60)
    app.launch()
    app.home()
    with pytest.raises(CurfewFailure, match=r"refused \(unsupported\)"):
        app.advance(1)


def test_a_killed_supervisor(shell):
    pid = shell.pid
    shell.kill_supervisor()
    shell.expect_exit(125)
    assert not is_alive(pid)
    with pytest.raises(CurfewFailure, match="the app isn't running: it ended with 125"):
        shell.home()


def test_amounts(curfew_app):
    app = curfew_app(sys.executable, "-c", "x = b'x' * (32 << 20); print('up', flush=True); input()")
    app.launch()
    app.await_output("up")
    app.await_that(lambda: app.memory > 32 << 20, "memory to be taken")
    assert app.processes == 1 and app.remaining == float("inf") and app.cpu > 0
    assert app.status()["clock"] == "manual"


def test_silence(shell, curfew_app):
    shell.home()  # what runs may still be on its way to its next line
    shell.expect_silence("50ms")
    noisy = curfew_app("sh", "-c", "while echo noise; do sleep 0.05; done")
    noisy.launch()
    noisy.expect_no_silence("1m")
    shell.await_silence(0.1)
    with pytest.raises(CurfewFailure, match="(?s)no silence for 0.05 s.*no output, no event and no CPU time"):
        shell.expect_no_silence(0.05)


def test_helpers(curfew_app, tmp_path):
    app = curfew_app("sleep", "60", cwd=tmp_path)
    app.launch()
    (tmp_path / "note").write_text("here")
    assert app.do("cat", "note") == "here"
    with pytest.raises(CurfewFailure, match="(?s)`sh -c .*` to exit with 0.*it exits with 4, and wrote: oh"):
        app.do("sh", "-c", "echo oh; exit 4")
    with pytest.raises(CurfewError, match="can't run /nonexistent: No such file"):
        app.do("/nonexistent")
    # A helper can ask for this app, and there is no other where it looks.
    assert [each["pid"] for each in json.loads(app.do("curfew", "ps", "--json"))] == [app.pid]


def test_apps_share_nothing(curfew_app):
    one, two = (curfew_app("sh", "-c", "echo at $CURFEW_STATE_DIR; read x") for _ in range(2))
    one.launch()
    two.launch()
    one.home()
    assert (one.state, two.state) == ("suspended", "active")
    assert one.await_output("at (.*)")[1] != two.await_output("at (.*)")[1]


def test_a_program_that_ends_at_once(curfew_app):
    app = curfew_app("sh", "-c", "echo bye; exit 7")
    app.launch()
    app.await_exit(7)
    app.expect_output("bye")
    app.await_state("notRunning")
    with pytest.raises(CurfewFailure, match="the event didFinishLaunching"):
        app.await_event("didFinishLaunching")  # at once: nothing more can come


def test_what_cannot_be_launched(curfew_app, tmp_path):
    with pytest.raises(CurfewError, match="(?s)`curfew run` ended with 127: .*/nonexistent/program"):
        curfew_app("/nonexistent/program").launch()
    with pytest.raises(CurfewError, match="`curfew run` ended with 64: .*--bogus"):
        curfew_app("true", options=["--bogus"]).launch()
    with pytest.raises(CurfewError, match="can't start a process in .*gone: No such file"):
        curfew_app("true", cwd=tmp_path / "gone").launch()
    with pytest.raises(CurfewError, match="an app has a command"):
        curfew_app()


def test_what_is_asked_too_early_or_too_late(curfew_app):
    app = curfew_app("sleep", "60")
    for early in (lambda: app.pid, lambda: app.output, lambda: app.await_output("x")):
        with pytest.raises(CurfewError, match="wasn't launched"):
            early()
    with pytest.raises(CurfewFailure, match="the app isn't running"):
        app.home()
    app.expect_state("notRunning")
    app.launch()
    with pytest.raises(CurfewFailure, match="it is running already"):
        app.launch()


def test_what_was_left_of_an_app_is_ended(curfew_app, tmp_path):
    """Without a supervisor that would do it: nobody but the keeper is above it then."""
    app = curfew_app("sh", "-c", 'trap "" TERM; setsid sleep 1000 & echo $! >"$0"; echo up; wait', tmp_path / "pid",
                     options=["--on-supervisor-exit", "resume"])
    app.launch()
    app.await_output("up")
    pids = [app.pid, int((tmp_path / "pid").read_text())]
    os.kill(int(app.status()["supervisor"]), signal.SIGKILL)
    assert all(map(is_alive, pids))
    assert app.close() is None
    assert not any(map(is_alive, pids)) and not pathlib.Path(app.state_dir).exists()


def test_streams_and_signals_are_as_a_shell_gives_them(curfew_app):
    """SIGPIPE isn't ignored, as Python has it, and no descriptor of the keeper's is passed on."""
    app = curfew_app("sh", "-c", "grep -E '^Sig(Ign|Blk)' /proc/self/status; ls -l /proc/self/fd | wc -l; echo $CURFEW_FD; read x")
    app.launch()
    match = app.await_output(r"SigBlk:\s*(\w+)\nSigIgn:\s*(\w+)\n(\d+)\n(\d+)\n")
    assert int(match[1], 16) == 0 and not int(match[2], 16) & 1 << signal.SIGPIPE - 1
    # `total`, the three streams, the control pipe, and the folder that ls reads.
    assert int(match[3]) == 6, app.do("ls", "-l", f"/proc/{app.pid}/fd")


def test_the_environment_is_the_callers_but_for_its_curfew(curfew_app, monkeypatch):
    monkeypatch.setenv("CURFEW_APP", "outer")
    monkeypatch.setenv("NOTIFY_SOCKET", "@outer")
    monkeypatch.setenv("MARK", "inherited")
    app = curfew_app("sh", "-c", 'echo "$CURFEW_APP $MARK"; test "$NOTIFY_SOCKET" != @outer && echo new; read x')
    app.launch()
    app.await_output("^ inherited\nnew$")
    other = curfew_app("env", env={"PATH": os.environ["PATH"], "ONLY": "this"})
    other.launch()
    other.await_exit(0)
    other.expect_output("^ONLY=this$")
    other.expect_no_output("MARK")


def test_a_full_disk_for_what_is_kept(curfew_app, tmp_path):
    curfew_app._artifacts = tmp_path / "kept"
    app = curfew_app(*SHELL)
    (app.artifacts / "output.txt").symlink_to("/dev/full")
    app.launch()
    app.await_output("up")
    curfew_app._artifacts = tmp_path / "file/kept"
    (tmp_path / "file").write_text("")
    with pytest.raises(CurfewError, match="can't make .*file/kept-2 for what is kept of the app: Not a directory"):
        curfew_app("true")


def test_an_older_report_is_not_taken_for_this_launchs(curfew_app, tmp_path):
    curfew_app._artifacts = tmp_path / "kept"
    app = curfew_app("true", options=["--bogus"])
    (app.artifacts / "report.json").write_text('{"pid": 7, "events": [{"name": "didEnd", "number": 1}]}')
    with pytest.raises(CurfewError, match="`curfew run` ended with 64"):
        app.launch()


def test_its_name_and_its_report_are_its_own(curfew_app, tmp_path):
    app = curfew_app("sh", "-c", "exit 3", options=["--name", "other", "--report", str(tmp_path / "mine")])
    app.launch()
    app.await_exit(3)
    app.expect_event("didEnd", status=3)
    assert not (tmp_path / "mine").exists()


def test_where_it_runs(curfew_app):
    app = curfew_app("pwd")
    app.launch()
    app.await_output(f"^{pathlib.Path(__file__).parent}$")
