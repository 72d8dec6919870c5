"""What vim makes of a scenario: its highlighting, letter by letter. That it knows all words is tested with the table of definitions."""

import pathlib
import shutil
import subprocess

import pytest

VIM = pathlib.Path(__file__).resolve().parents[2] / "Sources/editors/vim"

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

pytestmark = pytest.mark.skipif(not shutil.which("vim"), reason="vim isn't installed")


def marked(tmp_path, *lines):
    """What vim knows of a file of these lines: its kind and how it writes comments, then each line, marked."""
    (tmp_path / "given.curfew").write_text("\n".join(lines) + "\n")
    (tmp_path / "script.vim").write_text(SCRIPT)
    subprocess.run(
        ["vim", "-u", "NONE", "-N", "-i", "NONE", "-es", "-S", "script.vim"], cwd=tmp_path, stdin=subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TERM": "dumb", "EDITOR_FILES": str(VIM)}, timeout=120)
    return (tmp_path / "marked").read_text().splitlines()


def test_a_scenario_is_known_by_its_name(tmp_path):
    assert marked(tmp_path, "launch")[:2] == ["curfew", "# %s"]


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
