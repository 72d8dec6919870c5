"""What `make install` puts where: the manual, the completions in real shells; and that `make uninstall` takes it all away."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pexpect
import pytest

from conftest import LIMIT, ROOT, binary

BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"


def needs(program):
    return pytest.mark.skipif(not shutil.which(program), reason=f"{program} isn't installed")


def make(target, stage):
    """Runs a target of the Makefile on what is built already."""
    return subprocess.run(
        ["make", "--no-print-directory", "-o", "build", target, f"DESTDIR={stage}", "PREFIX=/opt/c", f"CURFEW={binary()}"],
        cwd=ROOT, capture_output=True, text=True, timeout=6 * LIMIT)


def files(stage):
    return sorted(str(path.relative_to(stage)) for path in pathlib.Path(stage).rglob("*") if not path.is_dir())


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    if not (ROOT / "Makefile").exists() or not shutil.which("make"):
        pytest.skip("there is no Makefile here, or no make")
    stage = tmp_path_factory.mktemp("stage")
    result = make("install", stage)
    assert result.returncode == 0, result.stderr
    return stage


@pytest.fixture(scope="module")
def prefix(stage):
    return stage / "opt/c"


@pytest.fixture(scope="module")
def commands(prefix):
    """Every verb's definition, by its words."""
    dump = subprocess.run(
        [prefix / "libexec/curfew/curfew-help", "--experimental-dump-help"], capture_output=True, check=True)
    found = {}

    def collect(command, path):
        found[path + (command["commandName"],)] = command
        for inner in command.get("subcommands", []):
            # The library's own `help` is no verb.
            if inner["commandName"] != "help":
                collect(inner, path + (command["commandName"],))

    collect(json.loads(dump.stdout)["command"], ())
    return found


def page(prefix, path):
    return prefix / "share/man/man1" / ("-".join(path) + ".1")


def help_of(prefix, path):
    result = subprocess.run(
        [prefix / "bin/curfew", *path[1:], "--help"], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
        env=dict(os.environ, COLUMNS="80"))
    return result.stdout


def verbs_in(text):
    """Those that a help text lists."""
    listed = text.partition("\nSUBCOMMANDS:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)


# ---- the manual ----------------------------------------------------------------------------------------------------


def test_a_page_for_every_verb_that_help_lists(prefix):
    paths = [("curfew",)]
    for path in paths:
        paths += [(*path, verb) for verb in verbs_in(help_of(prefix, path))]
    assert len(paths) > 15
    assert files(prefix / "share/man") == sorted("man1/" + "-".join(path) + ".1" for path in paths)


def test_every_option_is_in_the_page_and_in_the_help(prefix, commands):
    for path, command in commands.items():
        text, shown = page(prefix, path).read_text(), help_of(prefix, path)
        for argument in command["arguments"]:
            # What is hidden is written in another way: `--check CMD` with --monkey.
            if not argument.get("shouldDisplay", True):
                continue
            for name in argument.get("names", []):
                option = ("--" if name["kind"] == "long" else "-") + name["name"]
                assert r"\fB" + option.replace("-", r"\-") + r"\fR" in text, (path, option)
                # GNU's layout, which timeout's has, indents a long one without a short one further.
                assert re.search(rf"^(  (-\w, )?|      ){option}\b", shown, re.MULTILINE), (path, option)
            if argument["kind"] == "positional":
                assert rf"\fI{argument['valueName']}\fR" in text, (path, argument)
                is_gnus = path[-1] == "timeout"
                shape = argument["valueName"].upper() if is_gnus else f"  <{argument['valueName']}>"
                assert shape in shown, (path, argument)


def test_help_fits_a_terminal(prefix, commands):
    for path in commands:
        assert [line for line in help_of(prefix, path).splitlines() if len(line) > 80] == [], path


def test_a_page_refers_to_pages_there_are(prefix, commands):
    pages = {"-".join(path) for path in commands}
    for path in commands:
        text = page(prefix, path).read_text().replace(r"\-", "-")
        named = set(re.findall(r"\\fB(curfew[a-z-]*)\\fR\(1\)", text))
        assert named and named <= pages, path
        assert path == ("curfew",) or "curfew" in named


@needs("mandoc")
def test_the_pages_are_sound(prefix):
    pages = sorted((prefix / "share/man/man1").glob("*"))
    result = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages], capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@needs("mandoc")
def test_a_page_reads_well(prefix):
    result = subprocess.run(
        ["mandoc", "-T", "ascii", "-O", "width=80", page(prefix, ("curfew", "run"))], capture_output=True, text=True,
        check=True)
    text = re.sub(".\b", "", result.stdout)
    assert [line for line in text.splitlines() if len(line) > 80] == []
    words = re.sub(r"\s+", " ", text)
    assert "curfew-run - run a program as an app SYNOPSIS curfew run [options] [--] COMMAND [ARG...]" in words
    assert "One of ios4, ios5, ios7 or ios13; the default is ios4." in words
    # As it is typed, with its line to itself.
    assert re.search(r"^ +curfew run -- make -j8$", text, re.MULTILINE)
    assert re.search(r"^ +124 +killed for time", text, re.MULTILINE)


@needs("man")
@needs("groff")
def test_man_finds_a_page(prefix):
    environment = dict(os.environ, MANPATH=str(prefix / "share/man"), MANWIDTH="80", MANPAGER="cat", LC_ALL="C")
    result = subprocess.run(["man", "curfew-task-begin"], capture_output=True, text=True, env=environment, timeout=LIMIT)
    assert result.returncode == 0, result.stderr
    assert "begin a background task and print its number" in re.sub(".\b", "", result.stdout)


# ---- completions ---------------------------------------------------------------------------------------------------


class Shell:
    """An interactive shell on a terminal, and what a TAB in it gives."""

    def __init__(self, command, set_up, environment, folder):
        self.child = pexpect.spawn(
            command[0], command[1:], encoding="utf-8", timeout=LIMIT, dimensions=(200, 160), cwd=folder,
            env=dict(environment, TERM="dumb"))
        # Its echo holds no prompt.
        self.child.sendline(f"{set_up}; PS1='re''ady> '")
        self.child.expect_exact("ready> ")

    def __call__(self, line):
        """What is written from the line on; after the TAB it becomes a comment, so that nothing is run."""
        self.child.send(line + "\t")
        self.child.send("\x01# \recho do''ne\r")
        self.child.expect_exact("done\r\n")
        return self.child.before

    def close(self):
        """As a closed window does; a busy machine's shell may take longer to end than pexpect waits."""
        os.kill(self.child.pid, signal.SIGKILL)
        self.child.wait()
        self.child.close()


@pytest.fixture
def folder(sandbox):
    """Where the shells are: two files; and on their PATH are two programs."""
    folder = sandbox.scratch / "folder"
    folder.mkdir()
    for name in ("alpha.conf", "beta.conf"):
        (folder / name).write_text("")
    (sandbox.scratch / "bin").mkdir()
    for name in ("zz-first", "zz-second"):
        program = sandbox.scratch / "bin" / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    return folder


def environment_of(sandbox, prefix):
    return dict(
        sandbox.environment, PATH=f"{prefix}/bin:{sandbox.scratch}/bin:{os.environ['PATH']}", XDG_DATA_DIRS=f"{prefix}/share:/usr/share",
        HOME=str(sandbox.scratch), HISTFILE="/dev/null")


@pytest.fixture
def bash(sandbox, prefix, folder):
    if not os.path.exists(BASH_COMPLETION):
        pytest.skip("the package bash-completion isn't installed")
    settings = "; ".join(
        f"bind 'set {setting}'" for setting in (
            "show-all-if-ambiguous on", "page-completions off", "completion-query-items 0", "bell-style none",
            "enable-bracketed-paste off"))
    shell = Shell(
        ["bash", "--norc", "--noprofile", "-i"], f"{settings}; . {BASH_COMPLETION}", environment_of(sandbox, prefix), folder)
    yield shell
    shell.close()


@pytest.fixture
def zsh(sandbox, prefix, folder):
    if not shutil.which("zsh"):
        pytest.skip("zsh isn't installed")
    set_up = (
        f"bindkey -e; setopt interactive_comments no_list_ambiguous no_beep no_auto_menu no_prompt_sp; LISTMAX=9999; "
        f"fpath=({prefix}/share/zsh/site-functions $fpath); autoload -U compinit; compinit -u -D")
    shell = Shell(["zsh", "-f", "-i"], set_up, environment_of(sandbox, prefix), folder)
    yield shell
    shell.close()


@pytest.fixture
def fish(sandbox, prefix, folder):
    if not shutil.which("fish"):
        pytest.skip("fish isn't installed")

    def complete(line):
        result = subprocess.run(
            ["fish", "-c", "complete -C $argv[1]", line], capture_output=True, text=True, timeout=LIMIT,
            cwd=folder, env=environment_of(sandbox, prefix))
        assert (result.returncode, result.stderr) == (0, "")
        return result.stdout

    return complete


@pytest.fixture(params=["bash", "zsh", "fish"])
def complete(request):
    shell = request.getfixturevalue(request.param)
    # A line, what is offered for it, and what isn't.
    def check(line, offered, not_offered=()):
        shown = set(re.split(r"[\s=]+", shell(line)))
        assert set(offered) <= shown, (line, shown)
        assert not shown & set(not_offered), (line, shown)

    return check


def test_verbs_options_and_values(complete):
    complete("curfew r", ["run", "report", "replay"], ["home"])
    complete("curfew task r", ["run", "remaining"], ["begin"])
    complete("curfew run --mem", ["--memory", "--memory-high", "--memory-low"], ["--background-memory"])
    complete("curfew run --locks ", ["report", "kill", "defer", "ignore"], ["alpha.conf"])
    complete("curfew run --locks=", ["report", "kill", "defer", "ignore"], ["alpha.conf"])
    complete("curfew run --memory 1G --profile io", ["ios4", "ios13"])
    complete("curfew run --settings-signal ", ["HUP", "USR1"])
    complete("curfew task begin --o", ["--owner"], ["--json"])


def test_files(complete):
    complete("curfew run --report ", ["alpha.conf", "beta.conf"])
    complete("curfew replay ", ["alpha.conf", "beta.conf"])


def test_apps(sandbox, complete):
    for name in ("backup", "batch"):
        sandbox.shell("sleep 60 & echo up; wait", name=name).expect("up")
    complete("curfew home ", ["backup", "batch"])
    complete("curfew status b", ["backup", "batch"])
    complete("curfew warn backup ", ["warning", "critical"])


def test_the_command_that_is_run(complete):
    for start in ("run --", "run", "run --strict --memory 2G", "run --memory=2G --", "task run x", "task run x --"):
        complete(f"curfew {start} zz-", ["zz-first", "zz-second"])
        complete(f"curfew {start} cat --show-", ["--show-ends", "--show-tabs"], ["--aware"])
        complete(f"curfew {start} cat ", ["alpha.conf", "beta.conf"])
    complete("curfew run cat --", ["--show-ends"], ["--aware", "--strict"])
    complete("curfew task run ", [], ["alpha.conf"])


# ---- the unit ------------------------------------------------------------------------------------------------------


@needs("systemd-analyze")
def test_the_unit_is_sound(prefix, sandbox, tmp_path):
    """As it is installed, but for the prefix, which isn't where it is staged."""
    unit = (prefix / "lib/systemd/user/curfew.service").read_text()
    assert "ExecStart=/opt/c/bin/curfew serve\n" in unit and "@" not in unit
    (tmp_path / "curfew.service").write_text(unit.replace("/opt/c/bin", f"{prefix}/bin"))
    result = subprocess.run(
        ["systemd-analyze", "--user", "--man=no", "verify", tmp_path / "curfew.service"], capture_output=True, text=True,
        env=dict(sandbox.environment, HOME=str(tmp_path), SYSTEMD_LOG_LEVEL="warning"), timeout=LIMIT)
    if "Failed to initialize manager" in result.stderr:
        pytest.skip(f"systemd-analyze can't work here: {result.stderr.strip()}")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


# ---- the end -------------------------------------------------------------------------------------------------------


def test_uninstall_leaves_nothing(tmp_path, stage):
    shutil.copytree(stage, tmp_path / "stage")
    kept = tmp_path / "stage/opt/c/share/man/man1/curfew-of-another.1"
    kept.write_text("")
    installed = files(tmp_path / "stage")
    assert "opt/c/bin/curfew" in installed and all(name.startswith("opt/c/") for name in installed)
    for _ in range(2):
        result = make("uninstall", tmp_path / "stage")
        assert result.returncode == 0, result.stderr
        assert files(tmp_path / "stage") == [str(kept.relative_to(tmp_path / "stage"))]
    assert not list((tmp_path / "stage").rglob("curfew"))
