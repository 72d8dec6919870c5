"""What vim and VS Code make of a scenario: highlighting, letter by letter. That they know all words is tested with the table of definitions."""

import pathlib
import re
import shutil
import subprocess

import pytest

from programs import textmate

ROOT = pathlib.Path(__file__).resolve().parents[2]
VIM = ROOT / "Sources/editors/vim"
CODE = ROOT / "Sources/editors/vscode"

# Each line of the scenario with <Group> where another one begins, <> where none does.
SCRIPT = r"""
set nocompatible
let &runtimepath = $EDITOR_FILES . ',' . &runtimepath
filetype plugin on
syntax on
edit given.curfew
let result = [&filetype, &commentstring]
for number in range(1, line('$'))
  let [marked, last, text] = ['', '', getline(number)]
  for column in range(1, len(text))
    let group = substitute(synIDattr(synID(number, column, 1), 'name'), '^curfew', '', '')
    if group !=# last
      let [marked, last] = [marked . '<' . group . '>', group]
    endif
    let marked .= text[column - 1]
  endfor
  call add(result, marked)
endfor
call writefile(result, 'marked')
qall!
"""

needs_vim = pytest.mark.skipif(not shutil.which("vim"), reason="vim isn't installed")
needs_oniguruma = pytest.mark.skipif(not textmate.LIBRARY, reason="libonig isn't installed")


def marked(tmp_path, *lines):
    """What vim knows of a file of these lines: its kind and how it writes comments, then each line, marked."""
    (tmp_path / "given.curfew").write_text("\n".join(lines) + "\n")
    (tmp_path / "script.vim").write_text(SCRIPT)
    subprocess.run(
        ["vim", "-u", "NONE", "-N", "-i", "NONE", "-es", "-S", "script.vim"], cwd=tmp_path, stdin=subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TERM": "dumb", "EDITOR_FILES": str(VIM)}, timeout=120)
    return (tmp_path / "marked").read_text().splitlines()


@needs_vim
def test_a_scenario_is_known_by_its_name(tmp_path):
    assert marked(tmp_path, "launch")[:2] == ["curfew", "# %s"]


@needs_vim
@pytest.mark.parametrize("lines, expected", [
    (["# upload"], ["<Comment># upload"]),
    (["app --budget 10m -- ./a --port 0   # x"],
     ["<Declaration>app<> --budget <Number>10m<> <Operator>--<> ./a --port <Number>0<>   <Comment># x"]),
    (["  set x \"a $y ${z} b\""], ["<Declaration>  set<> x <String>\"a <Variable>$y<String> <Variable>${z}<String> b\""]),
    (["skip unless sh -c 'a # | $b'"], ["<Declaration>skip<> <Keyword>unless<> sh -c <String>'a # | $b'"]),
    (["scenario \"it ends\"", "kill-supervisor"], ["<Heading>scenario<> <String>\"it ends\"", "<Action>kill-supervisor"]),
    (["await output 'on (.)' as port within 5s"],
     ["<Look>await<> <Condition>output<> <String>'on (.)'<> <Keyword>as<> port <Keyword>within<> <Number>5s"]),
    (["! expect event willTerminate"], ["<Look>! expect<> <Condition>event<> <Event>willTerminate"]),
    (["expect memory <= 64M"], ["<Look>expect<> <Condition>memory<> <Operator><=<> <Number>64M"]),
    (["do ./client \\", "  launch b#c &"], ["<Action>do<> ./client <Continuation>\\", "  launch b#c <Operator>&"]),
    (["launching", "xhome home"], ["launching", "xhome home"]),
])
def test_words_are_highlighted_for_what_they_are(tmp_path, lines, expected):
    assert marked(tmp_path, *lines)[2:] == expected


@needs_oniguruma
@pytest.mark.parametrize("lines, expected", [
    (["do ./client \\", "  launch b &", "home"],
     ["<keyword.control>do<> ./client <constant.character>\\", "  launch b <keyword.operator>&", "<keyword.control>home"]),
    (["do a \\", "home \\", "home", "home"],
     ["<keyword.control>do<> a <constant.character>\\", "home \\", "home", "<keyword.control>home"]),
    (["do sh \"a \\", "home $x\" b", "home"],
     ["<keyword.control>do<> sh <string.quoted>\"a \\", "<string.quoted>home <variable.other>$x<string.quoted>\"<> b",
      "<keyword.control>home"]),
    (["do \"a", "home"], ["<keyword.control>do<> <string.quoted>\"a", "<keyword.control>home"]),
    (["do 'a\\", "home"], ["<keyword.control>do<> <string.quoted>'a\\", "<keyword.control>home"]),
])
def test_vs_code_goes_on_with_a_continued_line(lines, expected):
    assert textmate.Grammar(CODE / "syntaxes/curfew.tmLanguage.json").marked(*lines) == expected


def links():
    """The commands that the document gives, for vim and for VS Code."""
    if not (ROOT / "docs").exists():
        pytest.skip("there are no documents here")
    return re.findall(r"^mkdir -p ~/\.v.*$", (ROOT / "docs/scenarios.md").read_text(), re.M)


def as_the_document_says(tmp_path, command, installed, files):
    """Runs one, with what would be installed."""
    assert installed in command
    subprocess.run(["sh", "-c", command.replace(installed, str(files))], env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
                   check=True, timeout=120)


@needs_vim
def test_vim_finds_the_files_as_the_document_says(tmp_path):
    as_the_document_says(tmp_path, links()[0], "/usr/local/share/vim/vimfiles", VIM)
    (tmp_path / ".vimrc").write_text("filetype plugin on\nsyntax on\n")
    (tmp_path / "given.curfew").write_text("launch\n")
    (tmp_path / "script.vim").write_text("call writefile([&filetype, synIDattr(synID(1, 1, 1), 'name')], 'seen')\nqall!\n")
    subprocess.run(
        ["vim", "-u", ".vimrc", "-N", "-i", "NONE", "-es", "-S", "script.vim", "given.curfew"], cwd=tmp_path,
        stdin=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TERM": "dumb"}, timeout=120)
    assert (tmp_path / "seen").read_text().splitlines() == ["curfew", "curfewAction"]


def test_vs_code_finds_the_files_as_the_document_says(tmp_path):
    as_the_document_says(tmp_path, links()[1], "/usr/local/share/curfew/vscode", CODE)
    assert (tmp_path / ".vscode/extensions/curfew/package.json").exists()


def test_make_install_says_how_editors_find_them():
    commands = links()
    told = subprocess.run(["make", "-n", "install", "PREFIX=/usr/local"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    for command in commands:
        assert command in told.stdout
