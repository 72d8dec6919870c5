"""`curfew wait`; `home` without a name, and `quit` of all."""

import json
import subprocess

import pytest

from conftest import LIMIT, binary


def expect(result, status=0, out="", err=""):
    assert (result.returncode, result.stdout, result.stderr) == (status, out, err)


def started(sandbox, name, command="sleep 600 & echo up; wait"):
    running = sandbox.shell(command, name=name)
    running.expect("up")
    return running


def waiting(sandbox, *arguments):
    return subprocess.Popen(
        [binary(), "wait", *arguments], env=sandbox.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)


def ends(process, status, out="", err=""):
    assert process.communicate(timeout=LIMIT) == (out, err)
    assert process.returncode == status


# ---- wait ----------------------------------------------------------------------------------------------------------


def test_what_is_so_needs_no_waiting(sandbox):
    running = started(sandbox, "backup")
    running.wait_state("active")
    expect(sandbox.curfew("wait", "backup", "active"))
    expect(sandbox.curfew("wait", running.status()["pid"], "active"))
    assert json.loads(sandbox.curfew("wait", "backup", "active", "--json").stdout) == {"state": "active"}


def test_it_returns_once_it_is_so(sandbox):
    started(sandbox, "backup")
    waiter = waiting(sandbox, "backup", "suspended")
    assert sandbox.curfew("home", "backup").returncode == 0
    ends(waiter, 0)
    waiter = waiting(sandbox, "backup", "active", "--json")
    assert sandbox.curfew("open", "backup").returncode == 0
    ends(waiter, 0, out='{\n  "state": "active"\n}\n')


def test_the_end_is_a_state(sandbox):
    running = started(sandbox, "backup")
    waiter = waiting(sandbox, "backup", "notRunning")
    assert sandbox.curfew("quit", "backup").returncode == 0
    ends(waiter, 0)
    running.wait()
    expect(sandbox.curfew("wait", "backup", "notRunning"))


def test_what_ends_before_will_never_be_so(sandbox):
    started(sandbox, "backup")
    waiter = waiting(sandbox, "backup", "suspended")
    assert sandbox.curfew("wait", "backup", "active").returncode == 0
    assert sandbox.curfew("quit", "backup").returncode == 0
    status = waiter.wait(LIMIT)
    # It had asked before, or finds nobody.
    assert (status, waiter.communicate()[1]) in [
        (69, "curfew: wait: backup has ended, and wasn't suspended before\n"),
        (69, "curfew: wait: no app called backup is running; `curfew ps` lists those that are\n")]


def test_no_longer_than_the_limit(sandbox):
    started(sandbox, "backup").wait_state("active")
    expect(sandbox.curfew("wait", "backup", "suspended", "--limit", "50ms"), 124,
           err="curfew: wait: after 50 ms backup is active, and not suspended\n")
    expect(sandbox.curfew("wait", "--limit=0", "backup", "active"))


def test_mistakes(sandbox):
    states = "notRunning, inactive, active, background or suspended"
    expect(sandbox.curfew("wait", "backup"), 64, err=f"curfew: wait: a state is needed: {states}\n")
    expect(sandbox.curfew("wait", "backup", "asleep"), 64,
           err=f'curfew: wait: "asleep" isn\'t a state; it is {states}\n')


# ---- home without a name -------------------------------------------------------------------------------------------


def test_home_means_the_only_app(sandbox):
    running = started(sandbox, "backup")
    result = sandbox.curfew("home", "--json")
    assert json.loads(result.stdout) == {"state": "suspended"}
    assert running.status()["state"] == "suspended"


def test_of_several_nobody_is_meant(sandbox):
    for name in ("beta", "alpha"):
        started(sandbox, name)
    expect(sandbox.curfew("home"), 64,
           err="curfew: home: several apps are running; say which goes home: alpha, beta\n")


def test_with_none_there_is_nobody_in_front(sandbox):
    expect(sandbox.curfew("home"), 64, err="curfew: home: no app is in front; `curfew ps` lists those that run\n")


@pytest.mark.parametrize("verb", [["home"], ["home", "x"], ["open", "x"], ["quit", "x"], ["wait", "x", "active"], ["quit", "--all"]])
def test_a_server_that_was_asked_for_must_be_there(sandbox, verb):
    expect(sandbox.curfew(*verb, "--server", "work"), 69,
           err=f"curfew: {verb[0]}: no server called work is running; `curfew serve` starts one\n")


def test_a_server_of_the_environment_has_a_name(sandbox):
    result = sandbox.curfew("home", env=dict(sandbox.environment, CURFEW_SERVER="a/b"))
    assert (result.returncode, result.stdout) == (64, "")
    assert result.stderr.startswith("curfew: home: CURFEW_SERVER: \"a/b\" isn't a server's name; it is ")


def test_inside_an_app_nobody_goes_home(sandbox):
    started(sandbox, "other")
    inside = sandbox.shell(f"{binary()} home; echo status $?; sleep 600", name="inside")
    inside.expect("status 1")
    assert inside.status()["state"] == "active"


# ---- quit --all ----------------------------------------------------------------------------------------------------


def test_quit_all_ends_each(sandbox):
    apps = [started(sandbox, name) for name in ("beta", "alpha")]
    result = sandbox.curfew("quit", "--all", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {"alpha": "notRunning", "beta": "notRunning"}
    for app in apps:
        assert app.wait() == 143
    expect(sandbox.curfew("ps", "--json"), out="[]\n")
    expect(sandbox.curfew("quit", "--all"))


def test_quit_asks_all_before_it_waits_for_any(sandbox):
    """Each app ends only once the other was asked."""
    for name, other in (("alpha", "beta"), ("beta", "alpha")):
        started(sandbox, name, f"trap 'touch {sandbox.scratch}/{name}; until [ -e {sandbox.scratch}/{other} ]; do :; done; exit' TERM; echo up; "
                               "while :; do sleep 0.01; done")
    expect(sandbox.curfew("quit", "--all"))
    expect(sandbox.curfew("ps", "--json"), out="[]\n")


def test_quit_of_all_or_of_one(sandbox):
    expect(sandbox.curfew("quit", "--all", "backup"), 64,
           err='curfew: quit: --all means every app that runs, and "backup" is one of them; give one or the other\n')
    expect(sandbox.curfew("quit"), 64,
           err="curfew: quit: an app is needed: its name or its pid; `curfew ps` lists those that run; --all means each of "
               "them\n")
