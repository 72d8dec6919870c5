"""What the verbs and options of an app's life print, and their statuses, on the smallest programs that show it."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from conftest import LIMIT, binary, is_alive, wait_for
from programs.driving import advance, wait_event, wait_there
from programs.helpers import Client, socket_of
from test_cli import expect, on_terminal, state

# Shell programs look around ten times a second, so that their traps run soon.
IDLE = "while :; do sleep 0.1; done"

# Says hello, prints each event it gets, and acknowledges all but those named.
AWARE = """
import os, socket, sys
channel = socket.socket(fileno=os.dup(int(os.environ["CURFEW_FD"])))
channel.sendall(b"hello version=1 client=test\\n")
for line in channel.makefile():
    print(line, end="", flush=True)
    fields = dict(word.split("=", 1) for word in line.split()[1:])
    if "ack" in fields and fields["name"] not in sys.argv[1:]:
        channel.sendall(f"ack seq={fields['seq']}\\n".encode())
"""

# Sends each of its arguments as sd_notify does; MAINPID=child is a process of its own.
NOTIFYING = """
import os, signal, socket, sys
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
path = os.environ["NOTIFY_SOCKET"]
child = os.fork()
if child == 0: signal.pause()
for text in sys.argv[1:]:
    text = text.replace("MAINPID=child", f"MAINPID={child}")
    notify.sendto(text.encode(), "\\0" + path[1:] if path[0] == "@" else path)
print(child, flush=True)
signal.pause()
"""


def aware(sandbox, *unacknowledged, options=(), name="app"):
    running = sandbox.start("python3", "-c", AWARE, *unacknowledged, options=options, name=name)
    state = "background" if "--wake" in options else "active"
    running.expect(f"ok version=1 app=app state={state}")
    return running


def idle(sandbox, options=(), traps="", name="app"):
    running = sandbox.shell(f"{traps} echo up; {IDLE}", options=options, name=name)
    running.expect("up")
    return running


def next_event(running):
    """The next event that an aware program prints, as (name, the other fields but `seq`)."""
    words = running.read_line().split()
    assert words[0] == "event", words
    fields = dict(word.split("=", 1) for word in words[1:])
    del fields["seq"]
    return fields.pop("name"), fields


def status_line(running, title):
    """The text of a line of `curfew status`; None when there is no such line."""
    found = re.search(rf"^  {title}  +(.*)$", running.status_text(), re.M)
    return found and found.group(1)


def history(running):
    result = running.sandbox.curfew("events", "--json", running.name)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def told(running):
    """The names of the events that were delivered, in order."""
    return [event["event"] for event in history(running) if event["name"] == "didDeliver"]


# ---- interrupt and dismiss -----------------------------------------------------------------------------------------


def test_interrupt_and_dismiss(sandbox):
    running = idle(sandbox)
    expect(sandbox.curfew("interrupt", "app"))
    assert running.status()["state"] == "inactive"
    expect(sandbox.curfew("interrupt", "app", "--json"), out=state("inactive"))
    expect(sandbox.curfew("dismiss", "app"))
    assert running.status()["state"] == "active"
    expect(sandbox.curfew("dismiss", "--json", running.pid), out=state("active"))
    expect(sandbox.curfew("interrupt", "app"))
    expect(sandbox.curfew("open", "app", "--json"), out=state("active"))


def test_home_while_interrupted_and_what_a_suspended_app_makes_of_it(sandbox):
    idle(sandbox)
    expect(sandbox.curfew("interrupt", "app"))
    expect(sandbox.curfew("home", "app", "--json"), out=state("suspended"))
    expect(sandbox.curfew("interrupt", "app", "--json"), out=state("suspended"))
    expect(sandbox.curfew("dismiss", "app", "--json"), out=state("suspended"))


def test_an_aware_app_hears_of_an_interruption(sandbox):
    running = aware(sandbox)
    assert [next_event(running)[0] for _ in range(2)] == ["didFinishLaunching", "didBecomeActive"]
    expect(sandbox.curfew("interrupt", "app"))
    assert next_event(running) == ("willResignActive", {})
    expect(sandbox.curfew("dismiss", "app"))
    assert next_event(running) == ("didBecomeActive", {})


# ---- wake and post -------------------------------------------------------------------------------------------------


def test_wake_resumes_a_plain_app_for_its_limit(sandbox):
    running = idle(sandbox, options=["--manual-clock", "--wake-limit", "0.5"])
    expect(sandbox.curfew("home", "app", "--json"), out=state("suspended"))
    expect(sandbox.curfew("wake", "app", "fetch", "--json"), out=state("background"))
    answer = advance(running, "1m")
    assert (answer["seconds"], answer["state"]) == (0.5, "suspended")
    expect(sandbox.curfew("wake", "app", "fetch", "reason=night shift"))


def test_wake_and_post_tell_an_aware_app_what_was_typed(sandbox):
    running = aware(sandbox)
    assert [next_event(running)[0] for _ in range(2)] == ["didFinishLaunching", "didBecomeActive"]
    expect(sandbox.curfew("post", "app", "localeDidChange", "to=de", "a.b-c=1=2", "to=fr"))
    assert next_event(running) == ("localeDidChange", {"kind": "change", "info.to": "fr", "info.a.b-c": "1=2"})
    expect(sandbox.curfew("home", "app"))
    assert [next_event(running)[0] for _ in range(2)] == ["willResignActive", "didEnterBackground"]
    running.wait_state("suspended")
    expect(sandbox.curfew("post", "app", "settingsDidChange", "--json"), out=state("suspended"))
    expect(sandbox.curfew("wake", "app", "fetch", "--json", "n=1"), out=state("background"))
    seen = [next_event(running) for _ in range(3)]
    assert seen == [
        ("didEnterBackground", {"ack": "required", "seconds": "5.000"}), ("settingsDidChange", {"kind": "change"}),
        ("fetch", {"kind": "wake", "ack": "required", "seconds": "30.000", "info.n": "1"}),
    ]
    running.wait_state("suspended")


def test_a_value_of_any_text_arrives_as_it_was_typed(sandbox):
    running = aware(sandbox)
    assert [next_event(running)[0] for _ in range(2)] == ["didFinishLaunching", "didBecomeActive"]
    expect(sandbox.curfew("post", "app", "note", 'k="a b"\\\n\té', "empty="))
    assert running.read_line().endswith(' kind=change info.k="\\"a b\\"\\\\\\n\\té" info.empty=""')


@pytest.mark.parametrize("verb", ["wake", "post"])
def test_the_longest_pairs_that_are_taken_arrive_whole(sandbox, verb):
    running = aware(sandbox)
    assert [next_event(running)[0] for _ in range(2)] == ["didFinishLaunching", "didBecomeActive"]
    # As many as the command line takes: found by trying, for the room depends on the verb.
    size = 4096
    while sandbox.curfew(verb, "app", "e", "k=" + "x" * size).returncode == 64:
        size -= 1
    assert size > 3900
    assert next_event(running)[1]["info.k"] == "x" * size
    assert running.status()["aware"] is True


def test_changes_are_kept_for_a_suspended_app_and_told_when_it_is_opened(sandbox):
    running = aware(sandbox)
    expect(sandbox.curfew("home", "app"))
    running.wait_state("suspended")
    for name in ("a", "b", "a"):
        expect(sandbox.curfew("post", "app", name))
    assert running.status()["keptChanges"] == ["a", "b"]
    assert status_line(running, "kept changes") == "a, b"
    expect(sandbox.curfew("open", "app"))
    assert "keptChanges" not in running.status()
    assert told(running)[-4:] == ["willEnterForeground", "a", "b", "didBecomeActive"]


def test_a_65th_change_is_refused_for_now(sandbox):
    running = idle(sandbox)
    expect(sandbox.curfew("home", "app", "--json"), out=state("suspended"))
    for number in range(64):
        expect(sandbox.curfew("post", "app", f"n{number}"))
    problem = "app: refused (too-many-changes): changes of 64 names are kept already for the suspended app"
    expect(sandbox.curfew("post", "app", "n64"), 75, err=f"curfew: post: {problem}\n")
    expect(sandbox.curfew("post", "--json", "app", "n64"), 75, err=f"curfew: post: {problem}\n")
    expect(sandbox.curfew("post", "app", "n63", "again=1"))
    assert len(running.status()["keptChanges"]) == 64


def test_a_65th_waking_event_is_refused_for_now(sandbox):
    running = aware(sandbox, "e", options=["--wake-limit", "inf"])
    expect(sandbox.curfew("home", "app"))
    running.wait_state("suspended")
    for _ in range(64):
        expect(sandbox.curfew("wake", "app", "e"))
    problem = "app: refused (too-many-events): 64 waking events wait to be handled"
    expect(sandbox.curfew("wake", "app", "e"), 75, err=f"curfew: wake: {problem}\n")


@pytest.mark.parametrize("verb", ["wake", "post"])
def test_an_app_that_is_being_ended_is_told_nothing(sandbox, verb):
    running = idle(sandbox, traps="trap '' TERM;", options=["--manual-clock"])
    with Client(socket_of(running)) as operator:
        assert operator.ask("quit").verb == "ok"
    result = sandbox.curfew(verb, "app", "fetch")
    expect(result, 75, err=f"curfew: {verb}: app: refused (terminating): the app is being ended\n")
    # It heeds no signal.
    advance(running, "1m")
    assert running.wait() == 124


@pytest.mark.parametrize("verb", ["wake", "post"])
def test_a_supervisor_that_ends_meanwhile(sandbox, verb):
    running = idle(sandbox)
    supervisor = running.stop()
    asking = subprocess.Popen(
        [binary(), verb, "app", "fetch"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=sandbox.environment)
    wait_for("the verb to wait for its answer", lambda: "poll" in wchan(asking.pid))
    os.kill(supervisor, signal.SIGKILL)
    problem = f"curfew: {verb}: app ended before it answered\n"
    assert (asking.communicate(timeout=LIMIT), asking.returncode) == (("", problem), 69)
    assert running.wait() == 125


def wchan(pid):
    """What a process sleeps in, by the name of the system call."""
    try:
        number = pathlib.Path(f"/proc/{pid}/syscall").read_text().split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""
    machine = os.uname().machine
    return "poll" if number in {"x86_64": ("7", "271"), "aarch64": ("73",)}.get(machine, ()) else number


# ---- how an app is launched ----------------------------------------------------------------------------------------


def test_launch_options_come_with_did_finish_launching(sandbox):
    options = ["--launch-option", "reason=test", "--launch-option=n=1", "--launch-option", "n=2"]
    running = aware(sandbox, options=options)
    name, fields = next_event(running)
    containment = fields.pop("containment")
    assert containment
    assert (name, fields) == (
        "didFinishLaunching",
        {"ack": "required", "seconds": "20.000", "launched": "foreground", "info.reason": "test", "info.n": "2"})
    assert next_event(running) == ("didBecomeActive", {})


def test_wake_launches_into_background_for_an_event(sandbox):
    running = aware(sandbox, options=["--wake", "fetch", "--launch-option", "n=1"])
    seen = [next_event(running) for _ in range(3)]
    assert [name for name, _ in seen] == ["didFinishLaunching", "didEnterBackground", "fetch"]
    assert (seen[0][1]["launched"], seen[0][1]["wake"], seen[0][1]["info.n"]) == ("background", "fetch", "1")
    assert seen[2][1] == {"kind": "wake", "ack": "required", "seconds": "30.000"}
    running.wait_state("suspended")


def test_a_plain_app_launched_for_an_event_is_suspended_after_the_wake_limit(sandbox):
    # It may be stopped before it has said anything.
    running = sandbox.shell(IDLE, options=["--wake", "fetch", "--wake-limit", "0.5"])
    wait_there(running)
    running.wait_state("suspended")
    changes = [(event["from"], event["to"]) for event in history(running) if event["name"] == "stateDidChange"]
    assert changes == [("notRunning", "background"), ("background", "suspended")]


def test_the_longest_launch_options_arrive_whole(sandbox):
    options = ["--wake", "w" * 64, "--launch-option", "k=" + "x" * 3700]
    running = aware(sandbox, options=options)
    name, fields = next_event(running)
    assert (name, fields["info.k"], fields["wake"]) == ("didFinishLaunching", "x" * 3700, "w" * 64)


# ---- signals and hooks ---------------------------------------------------------------------------------------------


def test_on_sends_a_signal_and_gives_its_handler_time(sandbox):
    running = idle(
        sandbox, traps="trap 'echo background' USR1; trap 'echo front' USR2; trap 'echo tick' HUP;",
        options=["--on", "didEnterBackground=USR1", "--on=willEnterForeground=sigusr2", "--on", "tick=1",
                 "--enter-background-limit", "1", "--manual-clock"])
    expect(sandbox.curfew("home", "app", "--json"), out=state("background"))
    running.expect("background")
    answer = advance(running, "1m")
    assert (answer["seconds"], answer["state"]) == (1, "suspended")
    expect(sandbox.curfew("open", "app"))
    running.expect("front")
    expect(sandbox.curfew("post", "app", "tick"))
    running.expect("tick")


def test_the_grace_that_a_handler_has_is_shown(sandbox):
    running = idle(sandbox, traps="trap : USR1;", options=["--manual-clock", "--on", "willResignActive=USR1"])
    assert "grace" not in running.status()
    expect(sandbox.curfew("home", "app"))
    assert running.status()["grace"] == 5.0
    assert status_line(running, "grace") == "5 s of running on left"
    assert running.status()["state"] == "background"
    # A grace that was asked for holds, none among them.
    other = idle(sandbox, traps="trap : USR1;", options=["--on", "willResignActive=USR1", "--grace", "0"], name="other")
    expect(sandbox.curfew("home", "other", "--json"), out=state("suspended"))
    assert other.status()["state"] == "suspended"


def test_on_will_terminate_replaces_sigterm(sandbox):
    running = idle(
        sandbox, traps="trap 'echo int; exit 3' INT; trap 'echo term; exit 4' TERM;",
        options=["--on", "willTerminate=INT"])
    expect(sandbox.curfew("quit", "app"))
    assert running.finish() == (3, "int\n", "")


def test_exec_on_runs_a_command_outside_the_app(sandbox):
    seen = sandbox.scratch / "seen"
    hook = f'echo "$CURFEW_EVENT $CURFEW_APP $CURFEW_STATE ${{CURFEW_SOCKET-none}} $CURFEW_INFO_N" >> {seen}'
    running = idle(sandbox, options=["--exec-on", f"didEnterBackground={hook}", "--exec-on", f"tick={hook}"])
    # Where it was told of by nothing but a hook, an app has no time of its own.
    expect(sandbox.curfew("post", "app", "tick", "n=x"))
    expect(sandbox.curfew("post", "app", "tick", "N=5"))
    expect(sandbox.curfew("home", "app", "--json"), out=state("suspended"))
    lines = wait_for("three hooks to have run", lambda: len(read(seen)) == 3 and read(seen))
    assert lines == ["tick app active none ", "tick app active none 5", lines[2]]
    assert re.fullmatch("didEnterBackground app (background|suspended) none ", lines[2])
    assert running.status()["state"] == "suspended"


def read(path):
    return path.read_text().splitlines() if path.exists() else []


# ---- settings ------------------------------------------------------------------------------------------------------


def test_settings_signal_tells_of_each_change_of_the_file(sandbox):
    settings = sandbox.scratch / "app.conf"
    settings.write_text("a\n")
    running = idle(
        sandbox, traps="trap 'echo changed' HUP;", options=["--settings", settings, "--settings-signal", "HUP"])
    settings.write_text("b\n")
    running.expect("changed")
    # As editors and package managers do it.
    replacement = sandbox.scratch / "new"
    replacement.write_text("c\n")
    replacement.rename(settings)
    running.expect("changed")


def test_settings_of_a_suspended_app_are_kept_and_told_once(sandbox):
    settings = sandbox.scratch / "app.conf"
    settings.write_text("a\n")
    # A plain app's events are told of only where something listens.
    running = idle(sandbox, options=["--settings", settings, "--exec-on", "settingsDidChange=true"])
    expect(sandbox.curfew("home", "app", "--json"), out=state("suspended"))
    settings.write_text("b\n")
    running.wait_told("the change to be kept", lambda: running.status().get("keptChanges") == ["settingsDidChange"])
    settings.unlink()
    expect(sandbox.curfew("open", "app"))
    assert told(running)[-3:] == ["willEnterForeground", "settingsDidChange", "didBecomeActive"]


def test_settings_in_a_folder_that_is_not_there(sandbox):
    started = sandbox.scratch / "started"
    result = sandbox.curfew("run", "--settings", "/nosuch/app.conf", "--", "touch", started)
    assert (result.returncode, result.stdout) == (125, "")
    assert result.stderr == (
        "curfew: run: --settings /nosuch/app.conf: watch a file in /nosuch: No such file or directory; nothing was started\n"
    )
    assert not started.exists()


# ---- ending --------------------------------------------------------------------------------------------------------


def test_exits_on_suspend(sandbox):
    running = idle(sandbox, options=["--exits-on-suspend"])
    expect(sandbox.curfew("home", "app"))
    assert running.finish() == (-signal.SIGTERM, "", "") or running.process.returncode == 143


def test_exits_on_suspend_tells_an_aware_app(sandbox):
    running = aware(sandbox, options=["--manual-clock", "--exits-on-suspend", "--terminate-limit", "0.5"])
    assert [next_event(running)[0] for _ in range(2)] == ["didFinishLaunching", "didBecomeActive"]
    expect(sandbox.curfew("home", "app"))
    assert [next_event(running)[0] for _ in range(2)] == ["didEnterBackground", "willTerminate"]
    # It acknowledges that and goes on all the same.
    assert advance(running, "1m")["seconds"] == 0.5
    assert running.finish()[0] == 124


def test_watchdog_kills_a_program_that_gives_no_sign_of_life(sandbox):
    running = sandbox.start("sh", "-c", "echo $WATCHDOG_USEC", options=["--watchdog", "60.3"])
    assert running.finish() == (0, "60300000\n", "")
    running = sandbox.start("sleep", "60", options=["--watchdog", "0.3"], name="app")
    status, out, err = running.finish()
    assert (status, out) == (124, "")
    assert re.fullmatch(
        r"curfew: app: killed: .*0x8badf00d.*gave no sign of life \(WATCHDOG=1\) for 0\.3 s.*\n", err), err


@pytest.mark.parametrize("interval", ["0", "inf"])
def test_no_watchdog(sandbox, interval):
    running = sandbox.shell(
        f'echo "${{WATCHDOG_USEC-none}}"; {IDLE}', options=["--watchdog", "0.3", "--watchdog", interval], name="app")
    running.expect("none")
    assert "watchdog" not in running.status()
    assert status_line(running, "watchdog") is None


# ---- what is shown -------------------------------------------------------------------------------------------------


def test_status_of_a_budget_without_end(sandbox):
    running = idle(sandbox, options=["--budget", "inf"])
    assert status_line(running, "remaining") == "unlimited, in background too"
    expect(sandbox.curfew("home", "app"))
    assert status_line(running, "remaining") == "unlimited, in background too"
    assert running.status()["budget"] is None


def test_status_shows_what_a_program_notifies(sandbox):
    # Its status can't draw on a terminal.
    running = sandbox.start(
        "python3", "-c", NOTIFYING, "READY=1\nSTATUS=größe\x1b[31m 3/7", "MAINPID=child", "STOPPING=1",
        options=["--watchdog", "10"], name="app")
    pid = int(running.read_line())
    status = running.wait_told("all that was sent", lambda: running.status().get("stopping") and running.status())
    assert (status["ready"], status["notifyStatus"], status["mainPid"], status["watchdog"]) == (
        True, "größe\ufffd[31m 3/7", pid, 10.0)
    assert status_line(running, "status") == '"größe\ufffd[31m 3/7"'
    assert status_line(running, "main pid") == str(pid)
    assert status_line(running, "ready") == "it has said so (READY=1)"
    assert status_line(running, "stopping") == "it is ending by itself"
    assert status_line(running, "watchdog") == "a sign of life every 10 s"
    assert '"größe\ufffd[31m 3/7"' in on_terminal(sandbox, "status")


def test_what_nobody_has_said_is_not_shown(sandbox):
    running = idle(sandbox)
    status = running.status()
    for key in ("ready", "stopping", "mainPid", "notifyStatus", "watchdog", "grace", "keptChanges"):
        assert key not in status
    for title in ("ready", "stopping", "main pid", "status", "watchdog", "grace", "kept changes"):
        assert status_line(running, title) is None, title


def test_unacknowledged_events_are_listed(sandbox):
    running = aware(
        sandbox, "didEnterBackground", "e", options=["--enter-background-limit", "inf", "--wake-limit", "inf"])
    wait_event(running, "didAcknowledge", event="didFinishLaunching")
    expect(sandbox.curfew("home", "app"))
    expect(sandbox.curfew("wake", "app", "e"))
    assert running.status()["unacknowledged"] == ["didEnterBackground", "e"]
    assert status_line(running, "unanswered") == "didEnterBackground, e"


# ---- the journal ---------------------------------------------------------------------------------------------------


def test_a_journal_is_written(sandbox):
    journal = sandbox.scratch / "journal"
    journal.write_text("something older and longer than that\n" * 100)
    running = idle(sandbox, options=["--journal", journal])
    expect(sandbox.curfew("post", "app", "tick", "n=1"))
    expect(sandbox.curfew("quit", "app"))
    running.wait()
    lines = journal.read_text().splitlines()
    assert lines[0] == "curfew-journal version=1"
    assert any(re.match(r"input at=\d+ name=post .*info\.n=1", line) for line in lines), lines
    assert {line.split()[0] for line in lines[1:]} == {"input", "effect"}


def test_a_journal_that_can_not_be_made(sandbox):
    started = sandbox.scratch / "started"
    result = sandbox.curfew("run", "--journal", "/nosuch/journal", "--", "touch", started)
    said = "curfew: run: --journal /nosuch/journal: No such file or directory; nothing was started\n"
    expect(result, 125, err=said)
    assert not started.exists()


# ---- the functions for shells --------------------------------------------------------------------------------------


def test_the_shell_library_of_an_installed_curfew(sandbox):
    installed = sandbox.scratch / "prefix" / "bin" / "curfew"
    installed.parent.mkdir(parents=True)
    shutil.copy(binary(), installed)
    link = sandbox.scratch / "linked"
    link.symlink_to(installed)

    def ask(*command):
        return subprocess.run(command, capture_output=True, text=True, env=sandbox.environment, timeout=LIMIT)

    library = sandbox.scratch / "prefix" / "share" / "curfew" / "curfew.sh"
    missing = f"curfew: --shell-library: there is no {library}; reinstall Curfew\n"
    # A tree that looks like the sources isn't taken for them.
    planted = sandbox.scratch / "Sources" / "clients" / "shell" / "curfew.sh"
    planted.parent.mkdir(parents=True)
    planted.write_text("echo planted\n")
    expect(ask(installed, "--shell-library"), 69, err=missing)
    library.parent.mkdir(parents=True)
    library.write_text("greet() { echo hello; }\n")
    expect(ask(installed, "--shell-library"), out=f"{library}\n")
    expect(ask(link, "--shell-library"), out=f"{library}\n")
    expect(ask("sh", "-c", f'. "$({installed} --shell-library)" && greet'), out="hello\n")


def test_the_shell_library_of_a_build(sandbox):
    parts = pathlib.Path(binary()).parts
    build = next((index for index, part in enumerate(parts) if part.startswith(".build")), None)
    if build is None:
        pytest.skip("the curfew under test lies in no build folder")
    library = pathlib.Path(*parts[:build], "Sources", "clients", "shell", "curfew.sh")
    assert library.exists(), library
    expect(sandbox.curfew("--shell-library"), out=f"{library}\n")


# ---- descriptors and signals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["interrupt", "dismiss", "wake", "post"])
def test_closed_descriptors(sandbox, verb):
    idle(sandbox)
    event = " e k=v" if verb in ("wake", "post") else ""

    def shell(script):
        return subprocess.run(
            ["sh", "-c", script], capture_output=True, text=True, env=sandbox.environment, timeout=LIMIT)

    expect(shell(f"curfew {verb} app{event} <&- >&- 2>&-; echo $?"), out="0\n")
    expect(shell(f"curfew {verb} nosuch{event} <&- >&- 2>&-; echo $?"), out="69\n")
    bad = "curfew: can't write to standard output: Bad file descriptor\n"
    expect(shell(f"curfew {verb} app{event} --json >&-"), 1, err=bad)


def test_a_program_without_a_handler_ends_by_the_signal_it_was_to_be_told_by(sandbox):
    running = sandbox.shell("echo up; exec sleep 60", options=["--on", "didEnterBackground=USR1"], name="app")
    running.expect("up")
    pid = running.status()["pid"]
    expect(sandbox.curfew("home", "app"))
    assert running.finish() == (-signal.SIGUSR1, "", "")
    assert not is_alive(pid)
