"""One launch of an app: its streams, the connection to its supervisor, and the thread that reads both."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import os
import select
import signal
import socket
import struct
import termios
import threading
import time
from typing import Callable, Dict, Final, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from ._client import _encode, _Message, _parse
from ._failures import CurfewError
from ._keeper import Keeper
from ._record import End, Event, Launch, Record
from ._report import read_report

__tracebackhide__ = True

_PIECE: Final = 1 << 16
# How long a supervisor may take to be there, a program to read its input: a busy machine's are slow. In seconds.
_PATIENCE: Final = 30.0
# `advance` waits for the app for as long as 10 s before each jump.
_ANSWER_PATIENCE: Final = 60.0
_CONNECT_INTERVAL: Final = 0.001
_WRITE_INTERVAL: Final = 0.005


class Gone(Exception):
    """There is no app to ask: it has ended."""


class Refused(CurfewError):
    """The supervisor said no."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"refused ({code}): {message}")


class Answer(NamedTuple):
    items: List[_Message]
    final: _Message


class Running:
    """One launch. Its thread reads everything that comes: the app is never kept waiting by a test that looks away."""

    def __init__(
        self, keeper: Keeper, words: Sequence[str], path: str, report: str, record: Record,
        keep: Callable[[bytes], object], has_terminal: bool
    ) -> None:
        """path: of the supervisor's socket. report: where it writes one. keep: is called with all output."""
        self._keeper, self._path, self._report, self._record, self._keep = keeper, path, report, record, keep
        self._launch = Launch()
        self._connection: Optional[socket.socket] = None
        self._rest = b""
        self._numbers = itertools.count(1)
        self._items: Dict[str, List[_Message]] = {}
        self._answers: Dict[str, Answer] = {}
        self._awaited: Set[str] = set()
        self._last_event = 0
        self._reason: Optional[str] = None
        # Whether its supervisor has said that the app is gone: it ends itself then.
        self._has_told_end = False
        self._has_exited = False
        self._supervisor: Optional[int] = None  # a pidfd

        child, self._input, self._output = _terminal() if has_terminal else _pipes()
        try:
            keeper.launch(words, child)
        except CurfewError:
            os.close(self._input)
            if self._output != self._input:
                os.close(self._output)
            raise
        finally:
            for number in set(child):
                os.close(number)
        with record.changed:
            record.launches.append(self._launch)
            record.tell()
        self._thread = threading.Thread(target=self._read_all, name="curfew-app", daemon=True)
        self._thread.start()

    # Asking

    def meet(self) -> None:
        """Waits until its supervisor can be asked, or the app has ended."""
        with self._record.changed:
            is_met = self._record.changed.wait_for(lambda: self._connection or self._launch.end, _PATIENCE)
        if not is_met:
            raise CurfewError(f"its supervisor can't be reached at {self._path}")
        try:
            self.ask("events", {"follow": "1"})
            pairs = self.ask("status").final.pairs
        except Gone:
            return
        with self._record.changed:
            self._launch.pid = int(pairs.get("pid", "0"))
        try:
            self._supervisor = os.pidfd_open(int(pairs["supervisor"]))
        except (KeyError, OSError):
            pass  # it has ended meanwhile

    def ask(self, verb: str, pairs: Mapping[str, str] = {}) -> Answer:
        """Asks the supervisor. Raises Gone, Refused, or CurfewError when it doesn't answer."""
        number = str(next(self._numbers))
        with self._record.changed:
            self._awaited.add(number)
            try:
                answer = self._exchange(number, verb, pairs)
            finally:
                self._awaited.discard(number)
            if not answer or self._has_told_end:
                self._wait_for_end()
        if not answer:
            raise Gone
        if answer.final.verb == "error":
            if answer.final.pairs.get("code") == "not-running":
                raise Gone
            raise Refused(answer.final.pairs.get("code", ""), answer.final.pairs.get("message", ""))
        return answer

    def _exchange(self, number: str, verb: str, pairs: Mapping[str, str]) -> Optional[Answer]:
        if not self._connection:
            return None
        line = _encode(verb, id=number, **pairs)
        try:
            self._connection.sendall(line)
        except OSError:
            return None
        if not self._record.changed.wait_for(
                lambda: number in self._answers or not self._connection, _ANSWER_PATIENCE):
            raise CurfewError(f"its supervisor hasn't answered `{verb}` in {_ANSWER_PATIENCE:g} s")
        return self._answers.pop(number, None)

    def _wait_for_end(self) -> None:
        if not self._record.changed.wait_for(lambda: self._launch.end, _PATIENCE):
            raise CurfewError("`curfew run` hasn't ended though its supervisor has")

    def write(self, data: bytes) -> None:
        """To its input; raises Gone, or CurfewError when it doesn't read it."""
        limit = time.monotonic() + _PATIENCE
        while data:
            with self._record.changed:
                if self._launch.end:
                    raise Gone
                try:
                    data = data[os.write(self._input, data):]
                except BlockingIOError:
                    pass
                except OSError as problem:
                    raise CurfewError(f"it has closed its input: {problem.strerror}") from None
                if data and time.monotonic() > limit:
                    raise CurfewError("it doesn't read its input")
                if data:
                    self._record.changed.wait(_WRITE_INTERVAL)

    def kill_supervisor(self) -> None:
        """By SIGKILL."""
        if self._supervisor is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._supervisor, signal.SIGKILL)

    def close(self) -> None:
        """Once the keeper has ended everything."""
        self._thread.join(_PATIENCE)
        if self._supervisor is not None:
            os.close(self._supervisor)
            self._supervisor = None

    # Reading, by the thread

    def _read_all(self) -> None:
        outputs = [self._output]
        while not self._has_exited:
            link = self._keeper.link.fileno()
            descriptors = [link, *outputs, *([self._connection.fileno()] if self._connection else [])]
            is_met = self._connection or self._has_told_end
            # Nothing tells when a socket begins to listen.
            ready = _readable(descriptors, None if is_met else _CONNECT_INTERVAL)
            if self._output in ready and not self._read_output():
                outputs = []
            if self._connection and self._connection.fileno() in ready:
                self._read_connection()
            if not is_met:
                self._connect()
            if link in ready:
                self._has_exited = True
        self._finish(self._keeper.read(), bool(outputs))

    def _connect(self) -> None:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(self._path)
        except OSError:
            return connection.close()
        with self._record.changed:
            self._connection = connection
            self._record.tell()

    def _read_output(self) -> bool:
        """False at its end."""
        try:
            data = os.read(self._output, _PIECE)
        except BlockingIOError:
            return True
        except OSError as problem:
            # A terminal's whose other side is closed.
            if problem.errno != errno.EIO:
                raise
            data = b""
        self._keep(data)
        with self._record.changed:
            self._launch.output.append(data)
            self._record.tell()
        return bool(data)

    def _read_connection(self) -> bool:
        """False at its end."""
        assert self._connection
        try:
            data = self._connection.recv(_PIECE)
        except OSError:
            data = b""
        with self._record.changed:
            if not data:
                self._connection.close()
                self._connection = None
                self._has_told_end = True
            *lines, self._rest = (self._rest + data).split(b"\n")
            for line in lines:
                # What a later version says otherwise is no reason to hear nothing more.
                with contextlib.suppress(ValueError, KeyError):
                    self._take(_parse(line))
            self._record.tell()
        return bool(data)

    def _take(self, message: Optional[_Message]) -> None:
        if not message:
            return
        number = message.pairs.get("id", "")
        if message.verb == "event":
            self._hear(Event.read(message))
        elif number not in self._awaited:
            pass  # given up
        elif message.verb in ("ok", "error"):
            self._answers[number] = Answer(self._items.pop(number, []), message)
        else:
            self._items.setdefault(number, []).append(message)

    def _hear(self, event: Event) -> None:
        # What was asked for is told to whoever follows, too.
        if event.number <= self._last_event:
            return
        self._last_event = event.number
        self._record.events.append(event)
        if event.kind == "didEnd":
            self._has_told_end = True
            self._reason = event.fields.get("reason")

    def _finish(self, status: int, has_output: bool) -> None:
        """`curfew run` has ended: what is still to be read, and how."""
        while has_output and _readable([self._output], 0):
            has_output = self._read_output()
        while self._connection and _readable([self._connection.fileno()], 0):
            self._read_connection()
        with self._record.changed:
            if self._connection:
                self._connection.close()
                self._connection = None
            self._launch.output.append(b"", final=True)
            # The connection may have come too late to hear of everything, or have gone before.
            report = read_report(self._report)
            for event in report.events:
                self._hear(event)
            self._launch.pid = self._launch.pid or report.pid
            self._reason = self._reason or report.reason
            self._launch.end = End(status, self._reason)
            for number in {self._input, self._output}:
                os.close(number)
            self._record.tell()


def _readable(descriptors: Sequence[int], seconds: Optional[float]) -> Set[int]:
    """Those that have something, or an end; waits for one, so long at most."""
    waiting = select.poll()
    for number in descriptors:
        waiting.register(number, select.POLLIN)
    return {number for number, _ in waiting.poll(None if seconds is None else seconds * 1000)}


_Streams = Tuple[Tuple[int, int], int, int]


def _pipes() -> _Streams:
    """The child's input and output; ours."""
    its_input, our_input = os.pipe()
    our_output, its_output = os.pipe()
    for number in (our_input, our_output):
        os.set_blocking(number, False)
    return (its_input, its_output), our_input, our_output


def _terminal() -> _Streams:
    """The same by a terminal of 80 by 24."""
    ours, its = os.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.set_blocking(ours, False)
    return (its, its), ours, ours
