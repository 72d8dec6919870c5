"""An app, and what is done to it."""

from __future__ import annotations

import contextlib
import math
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Dict, Final, List, Literal, Mapping, Optional, Sequence, Tuple, Union

from ._conditions import Conditions, State
from ._durations import Duration, seconds
from ._failures import CurfewError, CurfewFailure
from ._keeper import Keeper
from ._keys import key_bytes
from ._record import Event, Value, value_text
from ._running import Answer, Gone, Refused, Running

__tracebackhide__ = True

Word = Union[str, "os.PathLike[str]"]

# What the app is called.
_NAME: Final = "app"
# What `curfew run` ends with itself: wrong usage, its own failure, a command that can't be run or isn't there.
_NOT_STARTED: Final = (64, 125, 126, 127)
# Ends that nobody but the system asked for: the app is to come back as it was.
_RECLAIMING: Final = ("memory-pressure", "memory-highwater", "idle-exit")
# An end takes its time, and much of it waiting for a disk: it isn't given up when the app first stands still.
_QUIT_PATIENCE: Final = 10
# A socket's path has 108 bytes, with all that comes behind the folder.
_LONGEST_PARENT: Final = 40


class App(Conditions):
    """A program under `curfew run`, driven from outside: made by the fixture `curfew_app`, ended with its test.

    Its methods are the statements of scenarios (docs/scenarios.md), by their names. What acts returns once it has
    settled; it raises CurfewFailure when the supervisor refuses, or the app isn't running, and CurfewError for what
    couldn't be done at all. Time stands still for the app, unless a time scale was given, and only `advance` moves it.

    Any call may be made from any thread, one at a time. Each waits in real time, and blocks its thread.
    """

    def __init__(
        self, curfew: str, command: Sequence[Word], *, options: Sequence[str], directory: Word,
        environment: Mapping[str, str], time_scale: Optional[float], has_terminal: bool, patience: float,
        artifacts: Optional[pathlib.Path]
    ) -> None:
        super().__init__(patience)
        self.command: List[str] = [os.fspath(word) for word in command]
        """What is run."""
        self._curfew = curfew
        self._options = [*(["--time-scale", repr(time_scale)] if time_scale else ["--manual-clock"]), *options]
        self._directory = os.fspath(directory)
        self._has_terminal = has_terminal
        self._is_time_held = not time_scale
        if artifacts:
            _make(artifacts)
        self._folder = _folder()
        self.state_dir = pathlib.Path(self._folder, "state")
        """What the app finds in `CURFEW_STATE_DIR`, also after it was reclaimed."""
        self.environment: Dict[str, str] = {
            **environment, "XDG_RUNTIME_DIR": f"{self._folder}/run", "CURFEW_STATE_DIR": str(self.state_dir),
            # Reports of kills are the test's own: the user's are of what was killed in earnest.
            "XDG_STATE_HOME": f"{self._folder}/killed"}
        """The app's and its helpers': with it `curfew status app` finds this app and no other."""
        self.artifacts = artifacts
        """Where its journal, report and output are kept; None where nobody asked."""
        os.mkdir(self.environment["XDG_RUNTIME_DIR"], mode=0o700)
        self.state_dir.mkdir(mode=0o700)
        self._keeper: Optional[Keeper] = None

    # Launching

    def launch(self) -> None:
        """Starts the app, in the foreground unless its options say otherwise; returns once the launch has settled."""
        self._launch(self._options)

    def _launch(self, options: Sequence[str]) -> None:
        expected = f"{self.command[0]} to be launched"
        if self._record.is_running:
            raise CurfewFailure(expected, "it is running already")
        self._record.act()
        if self._running:
            self._running.close()
        if not self._keeper:
            self._keeper = Keeper(self._folder, self._directory, {"TERM": "xterm-256color", **self.environment})
        report = f"{self.artifacts or self._folder}/report{_file_end(len(self._record.launches) + 1)}.json"
        # An earlier run's isn't to be taken for this launch's, which may write none.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(report)
        self._running = Running(
            self._keeper, self._words(options, report), f"{self._folder}/run/curfew/{_NAME}.sock", report, self._record,
            self._keep, self._has_terminal)
        self._running.meet()
        launch = self._launched
        if launch.end and not launch.pid and launch.end.status in _NOT_STARTED:
            said = "; ".join(launch.output.last_lines(3))
            raise CurfewError(f"`curfew run` ended with {launch.end.status}{': ' if said else ''}{said}")
        self._settle()

    def _words(self, options: Sequence[str], report: str) -> List[str]:
        # Of an option given twice the last counts: ours, or nobody would find the app, or what it saves.
        words = [
            self._curfew, "run", *options, "--name", _NAME, "--state-dir", str(self.state_dir), "--report", report]
        if self.artifacts:
            words += ["--journal", f"{self.artifacts}/journal{_file_end(len(self._record.launches) + 1)}"]
        return [*words, "--", *self.command]

    def _journals(self) -> List[Tuple[pathlib.Path, pathlib.Path]]:
        """That of each launch that has one, in their order, and where its picture belongs."""
        if not self.artifacts:
            return []
        ends = [_file_end(number + 1) for number in range(len(self._record.launches))]
        names = [(self.artifacts / f"journal{end}", self.artifacts / f"timeline{end}.svg") for end in ends]
        return [(journal, picture) for journal, picture in names if journal.exists()]

    def _keep(self, data: bytes) -> None:
        """More of its output, for the artifacts."""
        if self.artifacts and data:
            # A full disk is no reason to fail a test.
            with contextlib.suppress(OSError), open(self.artifacts / "output.txt", "ab", buffering=0) as file:
                file.write(data)

    def open(self) -> None:
        """Brings the app to the foreground; one that was reclaimed is launched anew, and told so: `restored=true`."""
        last = self._record.current
        if not last or not last.end:
            return self._drive("open", "the app to be opened")
        # What has ended otherwise isn't hidden by another launch.
        if last.end.reason not in _RECLAIMING:
            raise CurfewFailure(
                "the app to be opened", f"it isn't running: it ended with {last.end}; `launch` starts it anew")
        self._launch([
            *self._options, "--launch-option", "restored=true", "--launch-option", f"ended={last.end.reason}"])

    # Driving

    def _ask_for(self, verb: str, expected: str, pairs: Mapping[str, str] = {}) -> Answer:
        try:
            return self._ask(verb, pairs)
        except Gone:
            raise CurfewFailure(expected, f"the app isn't running{self._how_it_ended}") from None
        except Refused as refusal:
            raise CurfewFailure(expected, str(refusal)) from None

    def _drive(self, verb: str, expected: str, pairs: Mapping[str, str] = {}) -> None:
        """Asks the supervisor for it, and returns once it is done."""
        self._record.act()
        self._ask_for(verb, expected, pairs)
        self._settle()

    def _settle(self) -> None:
        """Returns once the app has done what it owes, or doesn't run any more, and all that was set off is done.

        Without held time the answer to what was asked is all that can be waited for.
        """
        if not self._is_time_held:
            return
        try:
            self._ask("advance", {"seconds": "0"})
        except Gone:
            pass
        except Refused as refusal:
            raise CurfewFailure("the app to settle", str(refusal)) from None

    def home(self) -> None:
        """Sends the app to the background: it is suspended when it has no task open and owes nothing."""
        self._drive("home", "the app to go home")

    def sleep(self) -> None:
        """Stops the app where it is, until what `--wake-on` names or `open` wakes it; nothing is told to it."""
        self._drive("sleep", "the app to be put to sleep")
        # What was there for it has woken it by now.
        self.expect_state("suspended")

    def interrupt(self) -> None:
        """Makes the app inactive, as a phone call does; `dismiss` or `open` ends it, `home` accepts it."""
        self._drive("interrupt", "the app to be interrupted")

    def dismiss(self) -> None:
        """Ends an interruption: the app is active again and was never in the background."""
        self._drive("dismiss", "what interrupts the app to go")

    def wake(self, name: str, /, **info: Value) -> None:
        """Has the app handle an event in the background: it is resumed for it, and then suspended again."""
        self._post("wake", name, info)

    def post(self, name: str, /, **info: Value) -> None:
        """Tells the app that something has changed; while it is suspended, only the latest is kept for it."""
        self._post("post", name, info)

    def _post(self, verb: str, name: str, info: Mapping[str, Value]) -> None:
        pairs = {f"info.{key}": value_text(value) for key, value in info.items()}
        self._drive(verb, f"{name} to be told to the app", {"name": name, **pairs})

    def warn(self, level: Literal["warning", "critical"] = "warning") -> None:
        """Gives the app a memory warning."""
        self._drive("warn", "the app to be warned", {"level": level})

    def pressure(self, level: Literal["normal", "warning", "critical"]) -> None:
        """Has the machine taken to be short of memory, until `normal` is said."""
        self._drive("pressure", "the machine to be taken to be short of memory", {"level": level})

    def quit(self) -> None:
        """Asks the app to end: `willTerminate`, or SIGTERM for a plain app, then SIGKILL once its limit is over."""
        self._drive("quit", "the app to be asked to end")
        looks = 0
        while self._record.is_running and looks < _QUIT_PATIENCE:
            self._settle()
            looks += 1

    def reclaim(self) -> None:
        """Ends the app while it is suspended, as for its memory; it hears nothing of it."""
        self._drive("reclaim", "the app to be ended for its memory while it is suspended")
        self._until_gone("the app to be gone once it is reclaimed")

    def kill_supervisor(self) -> None:
        """Kills what supervises the app, by SIGKILL, and waits for the app's end."""
        self._record.act()
        if not self._running or not self._record.is_running:
            raise CurfewFailure("the supervisor to be killed", "the app isn't running")
        self._running.kill_supervisor()
        self._until_gone("the app to be ended with its supervisor")

    def _until_gone(self, expected: str) -> None:
        with self._record.changed:
            if not self._record.changed.wait_for(lambda: not self._record.is_running, self._patience):
                raise CurfewFailure(expected, "it is still there")

    def advance(self, span: Duration) -> float:
        """Moves the app's time, from deadline to deadline, up to the first thing that happens, or by `span`.

        Before each step it waits until the app owes nothing, or has done nothing for 50 ms, so that an honest app isn't killed for
        being slow. Returns how many seconds have passed for it.
        """
        self._record.act()
        answer = self._ask_for("advance", "its time to be moved", {"seconds": f"{seconds(span):.9f}"})
        self._settle()
        return float(answer.final.pairs.get("seconds", "0"))

    # Its input

    def send(self, text: str) -> None:
        """Writes a line to the app's input; a line feed is added."""
        self._write(text.encode() + b"\n", "the line to be written to the app's input")

    def key(self, *keys: str) -> None:
        """Types keys into the app's terminal, by name (`Enter`, `Escape`, `Up`, `C-c` …) or as text.

        The app must have been made with `terminal=True`.
        """
        if not self._has_terminal:
            raise CurfewError("the app has no terminal; curfew_app(…, terminal=True) gives it one")
        self._write(b"".join(map(key_bytes, keys)), "the keys to be typed")

    def _write(self, data: bytes, expected: str) -> None:
        self._record.act()
        try:
            if not self._running:
                raise Gone
            self._running.write(data)
        except Gone:
            raise CurfewFailure(expected, f"the app isn't running{self._how_it_ended}") from None

    # Helpers

    def do(self, *command: Word) -> str:
        """Runs a helper, which must exit with 0, in the app's folder and environment; returns what it wrote."""
        words = [os.fspath(word) for word in command]
        try:
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self._directory,
                env=self.environment, errors="replace")
        except OSError as problem:
            raise CurfewError(f"can't run {words[0]}: {problem.strerror}") from None
        if done.returncode != 0:
            said = " / ".join(done.stdout.splitlines()[-5:])
            raise CurfewFailure(
                f"`{' '.join(words)}` to exit with 0",
                f"it exits with {done.returncode}{', and wrote: ' if said else ''}{said}")
        return done.stdout

    def do_beside(self, *command: Word) -> None:
        """Starts a helper that runs on beside what follows, and is ended with the test; what it writes isn't kept."""
        if not self._keeper:
            self._keeper = Keeper(self._folder, self._directory, {"TERM": "xterm-256color", **self.environment})
        self._keeper.begin([os.fspath(word) for word in command])

    # What it is now

    def status(self) -> Mapping[str, str]:
        """Everything that its supervisor says of it, by the keys of docs/protocol.md; empty when it isn't running."""
        return self._status() or {}

    @property
    def state(self) -> State:
        """The state that the app is in."""
        state: State = self.status().get("state", "notRunning")  # type: ignore[assignment]
        return state

    @property
    def pid(self) -> int:
        """Of the app's main process, at its last launch."""
        return self._launched.pid

    @property
    def exit_status(self) -> Optional[int]:
        """What `curfew run` has ended with, 128 + N for signal N; None while the app runs."""
        end = self._launched.end
        return end.status if end else None

    @property
    def end_reason(self) -> Optional[str]:
        """Why Curfew has ended the app; None while it runs, and when it has ended by itself."""
        end = self._launched.end
        return end.reason if end else None

    @property
    def remaining(self) -> float:
        """The background time left to it, seconds; infinite in the foreground."""
        return self._amount("remaining")

    @property
    def memory(self) -> int:
        """What the kernel can't drop of all its processes' memory, bytes."""
        return int(self._amount("footprint"))

    @property
    def cpu(self) -> float:
        """The CPU time that all its processes have used since the launch, seconds."""
        return self._amount("cpu")

    @property
    def processes(self) -> int:
        """How many it has."""
        return int(self._amount("processes"))

    @property
    def tasks(self) -> List[str]:
        """The names of its open background tasks."""
        return self._open_tasks()

    def _amount(self, key: str) -> float:
        status = self._status()
        if status is None:
            raise CurfewFailure(f"the app's {key}", f"the app isn't running{self._how_it_ended}")
        return float(status[key]) if key in status else math.nan

    @property
    def output(self) -> str:
        """What this launch has written; of very much the last."""
        with self._record.changed:
            return self._launched.output.text

    @property
    def events(self) -> List[Event]:
        """All that has happened to it, in all its launches."""
        with self._record.changed:
            return list(self._record.events)

    # The end

    def close(self) -> Optional[str]:
        """Ends everything that was started, whatever it does about it; what went wrong where it hasn't ended."""
        keeper, self._keeper = self._keeper, None
        problem = None
        if keeper:
            keeper.hang_up()
            problem = keeper.wait()
        if self._running:
            self._running.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        return problem


def _file_end(launch: int) -> str:
    """What the names of a later launch's files end with."""
    return f"-{launch}" if launch > 1 else ""


def _make(artifacts: pathlib.Path) -> None:
    try:
        artifacts.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise CurfewError(f"can't make {artifacts} for what is kept of the app: {problem.strerror}") from None


def _folder() -> str:
    """A new one, whose path is short enough for sockets'."""
    wanted = tempfile.gettempdir()
    is_short = len(os.fsencode(wanted)) <= _LONGEST_PARENT
    return tempfile.mkdtemp(prefix="curfew-pytest.", dir=wanted if is_short else "/tmp")
