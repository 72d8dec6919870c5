"""The plugin in a pytest of its own: what a report shows, and that nothing is left, however the tests end."""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest
from conftest import LIMIT, PATIENCE, SOURCES, is_alive, needs_curfew, wait_for

APP = """
import json, os, pathlib, pytest

@pytest.fixture
def app(curfew_app):
    app = curfew_app("sh", "-c", 'trap "" TERM; setsid sleep 1000 & echo "$!"; echo up; while read -r line; do echo "got $line"; done')
    app.launch()
    daemon = int(app.await_output(r"^([0-9]+)$")[1])
    app.await_output("up")
    app.do_beside("sleep", "1000")
    status = app.status()
    pids = [int(status[key]) for key in ("pid", "front", "supervisor")] + [daemon, app._keeper._process.pid]
    pathlib.Path("pids.new").write_text(json.dumps(pids))
    os.rename("pids.new", "pids")
    return app
"""


@pytest.fixture
def run(pytester, temporary):
    """Runs a test's body, to which `app` was given, by these options."""

    def run(body, *options):
        pytester.makepyfile(f"{APP}\ndef test_it(app):\n    {body}\n")
        return pytester.runpytest_subprocess("-p", "pytest_curfew.plugin", "-p", "no:cacheprovider", *options, timeout=LIMIT)

    run.pids = lambda: json.loads((pytester.path / "pids").read_text())
    return run


@needs_curfew
def test_a_test_that_passes(run):
    result = run("app.home(); app.expect_state('suspended')")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*last events*")
    assert not any(map(is_alive, run.pids()))


@needs_curfew
def test_a_failure_shows_what_was_expected_and_seen_and_what_happened_last(run):
    result = run("app.send('hello'); app.await_output('got hello'); app.home(); app.expect_state('background')")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "E *expected  the app to be background", "E *seen      it is suspended", "*- sh: last events -*",
        "stateDidChange from=background to=suspended", "*- sh: last output -*", "up", "got hello"])
    result.stdout.no_fnmatch_line("*pytest_curfew/_*.py*")  # the test's own lines alone
    assert not any(map(is_alive, run.pids()))


@needs_curfew
def test_a_condition_of_pythons_own(run):
    result = run("app.home(); assert app.state == 'background'")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *assert 'suspended' == 'background'", "*- sh: last events -*"])


@needs_curfew
def test_how_long_is_waited(run):
    result = run("app.await_state('suspended')", "--curfew-await", f"{PATIENCE:g}s")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E *seen      it is active; waited for {PATIENCE:g} s"])


@needs_curfew
def test_what_is_kept(run, pytester):
    result = run("app.home(); app.reclaim(); app.open(); assert 0", "--curfew-artifacts", "kept")
    result.assert_outcomes(failed=1)
    (folder,) = (pytester.path / "kept").iterdir()
    result.stdout.fnmatch_lines([f"picture   {folder}/timeline.svg", f"picture   {folder}/timeline-2.svg", f"kept in   {folder}"])
    assert {path.name for path in folder.iterdir()} >= {
        "report.json", "journal", "journal-2", "output.txt", "timeline.svg", "timeline-2.svg"}
    assert "up" in (folder / "output.txt").read_text() and "</svg>" in (folder / "timeline.svg").read_text()


@needs_curfew
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_an_interrupted_run_leaves_nothing(pytester, temporary, number):
    pytester.makepyfile(f"{APP}\ndef test_it(app):\n    app.await_output('never', within='10m')\n")
    process = pytester.popen(
        [sys.executable, "-m", "pytest", "-p", "pytest_curfew.plugin", "-p", "no:cacheprovider"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for("the test to be under way", (pytester.path / "pids").exists)
        pids = json.loads((pytester.path / "pids").read_text())
        assert all(map(is_alive, pids))
        process.send_signal(number)
        status = process.wait(LIMIT)
    finally:
        process.kill()
        process.wait()
    assert status == {signal.SIGINT: 2, signal.SIGTERM: -15, signal.SIGKILL: -9}[number]
    # Of one that was killed the keeper clears up.
    wait_for("everything to have ended", lambda: not any(map(is_alive, pids)))
    wait_for("its folder to be gone", lambda: not list(temporary.glob("curfew-pytest.*")))


@needs_curfew
def test_a_child_of_the_tests_that_lives_on_keeps_nothing_alive(run, pytester):
    """It has inherited our end of the keeper's socket."""
    result = run("""
    if (child := os.fork()) == 0:
        [os.close(number) for number in (0, 1, 2)]
        os.read(os.pipe()[0], 1)
    pathlib.Path("child").write_text(str(child))
    """)
    child = int((pytester.path / "child").read_text())
    result.assert_outcomes(passed=1)
    try:
        assert is_alive(child) and not any(map(is_alive, run.pids()))
    finally:
        os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("options, path, said", [
    (["--curfew", "/nonexistent"], None, "/nonexistent is no program; --curfew PATH says where it is"),
    ([], "/nonexistent", "there is no curfew on PATH; --curfew PATH says where it is")])
def test_without_curfew(run, monkeypatch, options, path, said):
    if path:
        monkeypatch.setenv("PATH", path)
    result = run("pass", *options)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"E *CurfewError: {said}"])


def test_a_wrong_duration(run):
    result = run("pass", "--curfew-await", "soon")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--curfew-await: 'soon' is no duration; one is a number of seconds, or such as *"])


def test_it_is_installed_by_pip_and_found_by_pytest(pytester, monkeypatch):
    """Without a network: what it is built by is taken from here."""
    source = pytester.path / "clients"
    shutil.copytree(SOURCES.parent, source, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    target = pytester.path / "target"
    installed = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--no-index", "--target", target,
         source / "pytest"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    shutil.rmtree(source)
    package = target / "pytest_curfew"
    assert (package / "py.typed").exists() and (package / "_client.py").is_file() and not (package / "_client.py").is_symlink()
    monkeypatch.setenv("PYTHONPATH", str(target))
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", raising=False)
    result = pytester.runpytest_subprocess("--fixtures", timeout=LIMIT)
    result.stdout.fnmatch_lines(["*curfew-0.1.0*", "curfew_app*"])


def test_it_is_typed(pytester):
    """By itself, and for whoever uses it."""
    pytest.importorskip("mypy", reason="mypy isn't installed")
    pytester.makepyfile(test_typed="""
        from pytest_curfew import App, CurfewApps, Event

        def test_it(curfew_app: CurfewApps) -> None:
            app: App = curfew_app("./server", options=["--budget", "10m"], time_scale=2)
            app.launch()
            port: str = app.await_output(r"listening on ([0-9]+)", within="1m")[1]
            event: Event = app.await_event("didFinishLaunching", restored=True)
            app.await_state("suspended")
            app.await_state("asleep")
    """)
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-color-output", f"--cache-dir={pytester.path / 'cache'}",
         SOURCES / "src/pytest_curfew", "test_typed.py"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
    *problems, _ = result.stdout.splitlines()
    assert len(problems) == 1 and 'test_typed.py:9: error: Argument 1 to "await_state"' in problems[0], result.stdout + result.stderr
