"""`curfew launch --print-manifest`: the manifest that a command would be launches the same."""

import json

import pytest

SLEEP = "echo \"$PWD $0 $1\"; exec sleep 1000"


def printed(sandbox, *words, cwd):
    result = sandbox.curfew("launch", "--print-manifest", *words, cwd=cwd)
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    return result.stdout


def save(sandbox, name, text):
    folder = sandbox.scratch / "config" / "curfew" / "apps"
    folder.mkdir(parents=True, exist_ok=True)
    for part in [folder.parent.parent, folder.parent, folder]:
        part.chmod(0o755)
    file = folder / f"{name}.toml"
    file.write_text(text)
    file.chmod(0o644)
    sandbox.environment["XDG_CONFIG_HOME"] = str(sandbox.scratch / "config")
    return file


def test_it_launches_the_same(sandbox):
    here = sandbox.scratch / "a \"folder\""
    here.mkdir()
    words = ["--budget", "9m", "--background-cpu=inf", "--terminate-limit", "2", "--launch-option", "why=a b",
             "--", "sh", "-c", SLEEP, "", "it's \"so\"\n"]
    file = save(sandbox, "same", printed(sandbox, *words, cwd=here))
    assert sandbox.curfew("check", file).returncode == 0
    server = sandbox.serve()
    # The second sends the first home, which is stopped there.
    for name, order in (("bare", ["--name", "bare", *words]), ("same", ["same"])):
        assert sandbox.curfew("launch", *order, cwd=here).returncode == 0
        server.wait_line(name, "so")
    assert server.log("bare") == server.log("same") == f'{here}  it\'s "so"\n\n'
    found = [server.status(name) for name in ("bare", "same")]
    assert found[0]["budget"] == found[1]["budget"] == "540.000"
    assert found[0]["command"] == found[1]["command"]


def test_what_it_says(sandbox):
    here = sandbox.scratch.resolve()
    assert printed(sandbox, "--name", "x", "--aware", "--settings=s.conf", "--", "make", "-j8", cwd=here) == (
        f'command = ["make", "-j8"]\ndirectory = "{here}"\naware = true\nsettings = "{here}/s.conf"\n')
    assert printed(sandbox, "--background", "--wake", "fetch", "--", "make", cwd=here) == (
        f'command = ["make"]\ndirectory = "{here}"\nbackground = true\nwake = "fetch"\n')
    told = json.loads(printed(sandbox, "--json", "--budget", "10m", "--", "make", cwd=here))
    assert (told["command"], told["directory"], told["options"]) == (["make"], str(here), ["--budget", "10m"])


@pytest.mark.parametrize("words, problem", [
    (["mail"], "--print-manifest is for a COMMAND"), (["--bogus", "--", "x"], "--bogus"),
    (["--journal", "j", "--", "x"], "--journal: isn't for a manifest"), ([], "a COMMAND")])
def test_what_is_none(sandbox, words, problem):
    result = sandbox.curfew("launch", "--print-manifest", *words)
    assert (result.returncode, result.stdout) == (64, "")
    assert problem in result.stderr
