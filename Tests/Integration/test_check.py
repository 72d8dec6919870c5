"""curfew check: what it says of manifests and desktop entries, for people and as JSON, and its status."""

import json
import os

import pytest

DURATION = "a duration such as 90, 1.5s, 10m, 1h30min or inf"


@pytest.fixture
def home(sandbox):
    """A home directory for this test's manifests."""
    sandbox.environment.update(HOME=str(sandbox.scratch), XDG_CONFIG_HOME="")
    return sandbox.scratch


def write(folder, name, text):
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(text)
    file.chmod(0o644)
    for part in [folder, folder.parent]:
        part.chmod(0o755)
    return file


def expect(result, status, lines, err=""):
    assert (result.returncode, result.stdout, result.stderr) == (status, "".join(line + "\n" for line in lines), err)


def test_a_good_one(sandbox):
    file = write(sandbox.scratch, "web.toml", 'command = "sleep 9"\nbudget = "10m"\n')
    expect(sandbox.curfew("check", file), 0, ["1 file: nothing to complain of"])


def test_all_that_is_wrong_is_told_at_once(sandbox):
    file = write(sandbox.scratch, "web.toml", "\n".join([
        'command = ["sleep", "9"]', "", "bugdet = 1", 'budget = "10x"', "memory = true", 'journal = "x"', "",
        'restart = "alwas"', "launch-at-start = true", "[environment]", "A = 1"]))
    expect(sandbox.curfew("check", file), 1, [
        f"{file}:3: bugdet: unknown key; did you mean budget?",
        f'{file}:4: budget: "10x" isn\'t {DURATION}',
        f"{file}:5: memory: true where a size such as 200M (200 MiB), 1.5G, 64KiB, a number of bytes or inf is accepted",
        f"{file}:6: journal: isn't for a manifest: it belongs to an app with a supervisor of its own, `curfew run --journal`",
        f'{file}:8: restart: "alwas" isn\'t one of never, on-failure, always; did you mean always?',
        f"{file}:9: warning: launch-at-start: unless it says hello to Curfew, it is suspended once its grace is over, for it starts "
        'in background and has no background mode; background-modes = ["continuous"] lets it run, aware = true says that it says hello',
        f"{file}:11: environment.A: a number where a string is accepted",
        "1 file: 6 errors, 1 warning",
    ])


@pytest.mark.parametrize("text, line, problem", [
    ("command = \n", 1, "isn't TOML: expected value, saw '\\n', at column 11"),
    ('command = "x"\ngrace = 10m\n', 2, "isn't TOML: expected digit, saw 'm', at column 11; text is in quotes: grace = \"10m\""),
    ('command = "x"\n[[[\n', 2, "isn't TOML: a table's name is missing behind ["),
    ('command = "a\\u0000b"\n', 1, "has a NUL, which no word of a command or of an environment can have"),
])
def test_what_is_no_toml(sandbox, text, line, problem):
    file = write(sandbox.scratch, "web.toml", text)
    expect(sandbox.curfew("check", file), 1, [f"{file}:{line}: {problem}", "1 file: 1 error"])


def test_what_cannot_be_read(sandbox):
    expect(sandbox.curfew("check", "/nowhere/web.toml", sandbox.scratch), 1, [
        "/nowhere/web.toml: can't be read: No such file or directory", f"{sandbox.scratch}: can't be read: Is a directory",
        "2 files: 2 errors"])


def test_a_warning_is_no_error(sandbox):
    file = write(sandbox.scratch, "web.toml", 'command = "x"\nminimum-fetch-interval = "1h"\n')
    expect(sandbox.curfew("check", file), 0, [
        f'{file}:2: warning: minimum-fetch-interval: nothing is fetched without background-modes = ["fetch"]', "1 file: 1 warning"])


def test_json(sandbox):
    good = write(sandbox.scratch, "chat.toml", 'command = "a \'b c\'"\ndirectory = "/srv"\nbackground-modes = ["voip"]\n'
                 'minimum-fetch-interval = 1.5\nenvironment = { A = "1" }\n')
    bad = write(sandbox.scratch, "bad.toml", "x = 1\n")
    result = sandbox.curfew("check", "--json", good, bad)
    assert (result.returncode, result.stderr) == (1, "")
    told = json.loads(result.stdout)
    assert told["files"][0] == {
        "file": str(good), "name": "chat", "problems": [{
            "severity": "warning", "line": 4, "key": "minimum-fetch-interval",
            "message": 'nothing is fetched without background-modes = ["fetch"]'}],
        "definition": {
            "command": ["a", "b c"], "options": ["--wake-on", "connections"], "directory": "/srv", "environment": {"A": "1"},
            "launchAtStart": True, "restart": "on-failure", "backgroundModes": ["voip"], "minimumFetchInterval": 1.5}}
    assert told["files"][1].keys() == {"file", "name", "problems"}
    assert [problem.get("line") for problem in told["files"][1]["problems"]] == [None, 1]
    assert (told["errors"], told["warnings"]) == (2, 1)


def test_those_of_this_user(sandbox, home):
    expect(sandbox.curfew("check"), 0, ["no files: nothing to complain of"])
    apps = home / ".config/curfew/apps"
    write(apps, "web.toml", 'command = "x"\n')
    bad = write(apps, "bad.toml", "command = []\n")
    write(apps, "notes.txt", "x")
    empty = 'it is empty; a program is needed, such as ["redis-server"]'
    expect(sandbox.curfew("check"), 1, [f"{bad}:1: command: {empty}", "2 files: 1 error"])
    other = home / "other"
    write(other / "curfew/apps", "web.toml", 'command = "x"\n')
    sandbox.environment["XDG_CONFIG_HOME"] = str(other)
    expect(sandbox.curfew("check"), 0, ["1 file: nothing to complain of"])


def test_what_others_can_write_to_is_refused(sandbox, home):
    apps = home / ".config/curfew/apps"
    file = write(apps, "web.toml", 'command = "x"\n')
    file.chmod(0o664)
    told = f"others can write to it (mode 0664), and could have any program started here; chmod go-w {file}"
    expect(sandbox.curfew("check"), 1, [f"{file}: {told}", "1 file: 1 error"])
    apps.chmod(0o777)
    told = f"others can write to it (mode 0777), and could have any program started here; chmod go-w {apps}"
    expect(sandbox.curfew("check"), 1, [f"{apps}: {told}", "1 file: 1 error"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_what_is_another_users_is_refused(sandbox, home):
    apps = home / ".config/curfew/apps"
    file = write(apps, "web.toml", 'command = "x"\n')
    os.chown(file, 12345, 12345)
    told = f"belongs to user 12345, who could have any program started here; make it your own: chown 0 {file}"
    expect(sandbox.curfew("check"), 1, [f"{file}: {told}", "1 file: 1 error"])


def test_no_home(sandbox):
    for variable in ("HOME", "XDG_CONFIG_HOME"):
        sandbox.environment.pop(variable, None)
    expect(sandbox.curfew("check"), 64, [], "curfew: check: no directory of manifests is known, for HOME isn't set; name files, or set "
           "XDG_CONFIG_HOME\n")


def test_desktop_entries(sandbox):
    good = write(sandbox.scratch, "org.example.Foo.desktop", '[Desktop Entry]\nType=Application\nName=Foo\nIcon=foo\nPath=/srv\n'
                 'Exec=sh -c "echo \\\\$1 100%%" %i %f\n')
    bad = write(sandbox.scratch, "top.desktop", "[Desktop Entry]\nType=Application\nName=top\nExec=top\nTerminal=true\n")
    expect(sandbox.curfew("check", good, bad), 1, [
        f"{bad}:5: Terminal: it needs a terminal, which a server has none of; use `curfew run --join` in one", "2 files: 1 error"])
    told = json.loads(sandbox.curfew("check", "--json", good).stdout)["files"][0]
    assert told["name"] == "org.example.Foo"
    assert told["definition"]["command"] == ["sh", "-c", "echo $1 100%", "--icon", "foo"]
    assert told["definition"]["directory"] == "/srv"


def test_a_files_name_cannot_draw_on_the_terminal(sandbox):
    expect(sandbox.curfew("check", "/nowhere/\x1b[1mx.toml"), 1, [
        "/nowhere/\\x1b[1mx.toml: can't be read: No such file or directory", "1 file: 1 error"])


def test_usage(sandbox):
    expect(sandbox.curfew("check", "--jsno"), 64, [],
           "curfew: check: unknown option --jsno; did you mean --json? `curfew check --help` lists all\n")
    assert "Look over manifests, without starting anything.\n" in sandbox.curfew("check", "--help").stdout
