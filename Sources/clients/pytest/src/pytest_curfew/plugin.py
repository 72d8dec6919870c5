"""The pytest plugin: the fixture `curfew_app`, its options, and what a failed test's report shows of its apps."""

from __future__ import annotations

import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
from typing import Final, Generator, Iterator, List, Mapping, Optional, Sequence

import pytest

from ._app import App, Word
from ._durations import seconds
from ._failures import CurfewError

__tracebackhide__ = True

_LAST: Final = 12


class CurfewApps:
    """What the fixture `curfew_app` gives: call it with a command for an App that isn't launched yet."""

    def __init__(
        self, curfew: str, directory: pathlib.Path, patience: float, artifacts: Optional[pathlib.Path]
    ) -> None:
        self._curfew, self._directory, self._patience, self._artifacts = curfew, directory, patience, artifacts
        self.apps: List[App] = []
        """Those that were made, in this order."""

    def __call__(
        self, *command: Word, options: Sequence[str] = (), env: Optional[Mapping[str, str]] = None,
        cwd: Optional[Word] = None, time_scale: Optional[float] = None, terminal: bool = False
    ) -> App:
        """An app that is ended with the test.

        command: run without a shell. options: of `curfew run`. env: instead of this process's environment; variables
        of a Curfew that the tests run in are left out. cwd: where the app and its helpers run, the folder of the
        test's file unless given; what isn't absolute in the command is found from there. time_scale: lets time run
        for the app, so many times as fast, from 0.001 to 1000000; it stands still without. terminal: whether it runs
        in one, for `App.key`.

        Raises CurfewError when there is no command.
        """
        if not command:
            raise CurfewError("an app has a command")
        artifacts = self._artifacts
        if artifacts and self.apps:
            artifacts = artifacts.with_name(f"{artifacts.name}-{len(self.apps) + 1}")
        app = App(
            self._curfew, command, options=options, directory=cwd or self._directory, environment=_environment(env),
            time_scale=time_scale, has_terminal=terminal, patience=self._patience, artifacts=artifacts)
        self.apps.append(app)
        return app

    def close(self) -> None:
        """Ends all of them; raises CurfewError when one can't be ended."""
        problems = [problem for problem in [app.close() for app in self.apps] if problem]
        if problems:
            raise CurfewError("; ".join(problems))


def _environment(given: Optional[Mapping[str, str]]) -> Mapping[str, str]:
    """Nothing of a Curfew that we are in: an app has a supervisor of its own."""
    foreign = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
    return {
        name: value for name, value in (os.environ if given is None else given).items()
        if name not in foreign and not name.startswith("CURFEW_")}


_APPS: Final = pytest.StashKey[CurfewApps]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--curfew` and the rest."""
    group = parser.getgroup("curfew", "lifecycle tests with Curfew")
    group.addoption("--curfew", metavar="PATH", help="the curfew that apps are run by; the one on PATH unless given")
    group.addoption(
        "--curfew-await", metavar="D", type=_duration, default=10.0,
        help="how long what is awaited may take, in real time, as 30 or 1m; 10 s unless given")
    group.addoption(
        "--curfew-artifacts", metavar="DIR", type=pathlib.Path,
        help="keep each app's journal, report and output there, in a folder of its test's; a picture, too, if that fails")


def _duration(text: str) -> float:
    try:
        return seconds(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def _find_curfew(config: pytest.Config) -> str:
    chosen: Optional[str] = config.getoption("--curfew")
    found = shutil.which(chosen or "curfew")
    if not found:
        where = f"{chosen} is no program" if chosen else "there is no curfew on PATH"
        raise CurfewError(f"{where}; --curfew PATH says where it is")
    return os.path.abspath(found)


def _artifacts(request: pytest.FixtureRequest) -> Optional[pathlib.Path]:
    """The folder of a test: its name, and half a hash, for names are cut and cleaned."""
    parent: Optional[pathlib.Path] = request.config.getoption("--curfew-artifacts")
    if not parent:
        return None
    node = request.node.nodeid
    name = re.sub(r"[^\w.=-]+", "_", node.rpartition("/")[2])[:80].strip("_")
    return parent.absolute() / f"{name}-{hashlib.sha256(node.encode()).hexdigest()[:8]}"


@pytest.fixture
def curfew_app(request: pytest.FixtureRequest) -> Iterator[CurfewApps]:
    """Makes apps under `curfew run` that a test sends home, advances, reclaims: `app = curfew_app("./server")`."""
    apps = CurfewApps(
        _find_curfew(request.config), request.path.parent, request.config.getoption("--curfew-await"),
        _artifacts(request))
    request.node.stash[_APPS] = apps
    try:
        yield apps
    finally:
        apps.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed test's report shows the last events and output of each of its apps."""
    report = yield
    apps = item.stash.get(_APPS, None)
    if report.failed and apps:
        for app in apps.apps:
            report.sections.extend(_sections(app))
    return report


def _sections(app: App) -> Iterator["tuple[str, str]"]:
    name = os.path.basename(app.command[0])
    events, output = app._record.last(_LAST)
    yield f"{name}: last events", "\n".join(events) or "none"
    yield f"{name}: last output", "\n".join(output) or "none"
    if app.artifacts:
        pictures = [picture for journal, picture in app._journals() if _draw(app, journal, picture)]
        lines = [*(f"picture   {picture}" for picture in pictures), f"kept in   {app.artifacts}"]
        yield f"{name}: kept", "\n".join(lines)


def _draw(app: App, journal: pathlib.Path, picture: pathlib.Path) -> bool:
    """False where there is no curfew-timeline, or nothing to draw."""
    drawn = subprocess.run(
        [app._curfew, "timeline", journal, "-o", picture], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    return drawn.returncode == 0
