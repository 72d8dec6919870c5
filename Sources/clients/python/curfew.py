"""Curfew for Python: time to finish in the background, and the app's lifecycle, by UIKit's names.

    import curfew

    app = curfew.app()

    with app.background_task("upload"):     # sent home meanwhile, this program runs on until it is done
        upload()

    @app.on("didEnterBackground")
    def save(event):                        # acknowledged once it has returned
        document.save()

    app.start()                             # from now on, handlers are called on a thread of their own

Under a server (`curfew serve`) it also asks for what is to be done later, whether it runs by then or not:

    app.schedule_local_notification(curfew.LocalNotification(alert_body="It is ready", fire_date=time.time() + 240))
    app.register("index", index)            # index(task) works, and ends with task.set_task_completed(True)
    app.submit_task_request(curfew.ProcessingTaskRequest("index", requires_external_power=True))

A program that `curfew run` didn't start can do all this too: nothing is asked and nothing happens. Then, and from the
moment the supervisor is gone, `is_multitasking_supported` is False, a task's number is INVALID_TASK, the time remaining
is infinite, the state is active, and what delivers events returns at once.

How events are delivered is the program's choice, one of these two for its whole life:

    start()                                 a daemon thread calls the handlers
    run(), dispatch(), events()             the caller does: for ever, what has come, or `async for`

Until either is called, the program is no party to the lifecycle (it is suspended without a word), and an expiration
handler is called on a thread of its own. Any call may be made from any thread, from a handler, and from a signal
handler. After a fork the child has the handlers and nothing else: it has no tasks, and has to start() for itself.

Exceptions: BackgroundTaskRefused, BackgroundTaskExpired, ScheduleRefused, ValueError for an event's name that can't be one, TypeError
for a handler that is a coroutine function, RuntimeError for two ways of delivery, a task entered twice, or a deferral
that comes too late. What a handler raises is logged, as all that is odd, by the logger `curfew`.

Needs Python 3.9 or newer, and Linux. The protocol: docs/protocol.md.
"""

from __future__ import annotations

import contextlib
import datetime
import errno
import inspect
import itertools
import json
import logging
import math
import os
import queue
import re
import select
import signal
import socket
import stat
import struct
import sys
import threading
import time
import weakref
from dataclasses import dataclass, field
from typing import (
    Any, AsyncIterator, Callable, Dict, Final, FrozenSet, Iterator, List, Mapping, NamedTuple, Optional, Set, Tuple,
    TypeVar, Union)

__all__ = [
    "BACKGROUND_FETCH_INTERVAL_MINIMUM", "BACKGROUND_FETCH_INTERVAL_NEVER", "INVALID_TASK", "AppRefreshTaskRequest",
    "Application", "BackgroundTask", "BackgroundTaskExpired", "BackgroundTaskRefused", "Deferral", "Event",
    "FetchResult", "Handler", "LocalNotification", "ProcessingTaskRequest", "RequestedTask", "ScheduleRefused", "State",
    "TaskRequest", "app"]

INVALID_TASK: Final = 0
"""The number of no task: `begin_background_task` was refused, or there is no Curfew."""

BACKGROUND_FETCH_INTERVAL_MINIMUM: Final = 0.0
"""For `set_minimum_background_fetch_interval`: as often as may be."""

BACKGROUND_FETCH_INTERVAL_NEVER: Final = math.inf
"""For `set_minimum_background_fetch_interval`: never, as is usual."""

_log = logging.getLogger("curfew")

_MAXIMUM_LINE_BYTES: Final = 4096
_MAXIMUM_NAME_BYTES: Final = 128

# A reply is given up after this many slices of this many seconds. Slices, because a suspension in between must count
# as one of them, not as all the time it took.
_REPLY_SLICES: Final = 20
_SLICE_SECONDS: Final = 0.5


class State:
    """The words that `Application.state` answers."""

    NOT_RUNNING: Final = "notRunning"
    INACTIVE: Final = "inactive"
    ACTIVE: Final = "active"
    BACKGROUND: Final = "background"
    SUSPENDED: Final = "suspended"


class FetchResult:
    """What came of a waking event such as `fetch`, for `Event.set_fetch_result`."""

    NEW_DATA: Final = "new-data"
    NO_DATA: Final = "no-data"
    FAILED: Final = "failed"


_Moment = Union[float, datetime.datetime, None]


def _written(moment: Union[float, datetime.datetime]) -> str:
    """As the protocol writes a time; without an offset it is what a clock shows."""
    if not isinstance(moment, datetime.datetime):
        moment = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc)
    if moment.tzinfo:
        return moment.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return moment.strftime("%Y-%m-%dT%H:%M:%S")


@dataclass
class LocalNotification:
    """What an app is told, or its user shown, at some moment, whether it runs by then or not: docs/schedules.md."""

    alert_body: str = ""
    """Its text; without it and a title it only changes the badge."""

    alert_title: str = ""

    fire_date: _Moment = None
    """When it is due: seconds since 1970, or a datetime; None: at once. A datetime without tzinfo is what a clock shows."""

    time_zone: Optional[str] = None
    """Whose clocks fire_date means: `local`, wherever the machine is by then, or a name such as `Europe/Berlin`.

    None: fire_date is a moment, one that a clock shows that of the machine as it is now.
    """

    repeat_interval: Union[str, float, None] = None
    """`daily`, `weekly`, `monthly`, `yearly`, or seconds, 60 or more; None: it comes once."""

    alert_action: Optional[str] = None
    """What its button says; None: `Open`."""

    has_action: bool = True
    """Whether it has a button; without one it can only be closed."""

    application_icon_badge_number: Optional[int] = None
    """The number at the app's name from then on; 0: none; None: as it was."""

    sound_name: Optional[str] = None
    user_info: Mapping[str, str] = field(default_factory=dict)
    """What travels with it; 8 pairs at most."""

    identifier: Optional[str] = None
    """A new one takes the place of one of the same; None: one is made up."""

    def _pairs(self) -> Dict[str, str]:
        repeats = self.repeat_interval
        pairs = {
            "notification": self.identifier, "title": self.alert_title or None, "body": self.alert_body or None,
            "at": None if self.fire_date is None else _written(self.fire_date), "zone": self.time_zone,
            "repeat": repeats if repeats is None or isinstance(repeats, str) else f"{repeats:.0f}",
            "action": self.alert_action if self.has_action else "none", "sound": self.sound_name,
            "badge": None if self.application_icon_badge_number is None else str(self.application_icon_badge_number),
        }
        for key in self.user_info:
            if not _EVENT_NAME.match(key):
                raise ValueError(f"{key!r} is no key: letters, digits, '-', '_' and '.', a letter first, 64 bytes at most")
        pairs.update({"info." + key: value for key, value in self.user_info.items()})
        return {key: value for key, value in pairs.items() if value is not None}


@dataclass
class _TaskRequest:
    identifier: str
    """What the launch handler is registered for: 1 to 64 letters, digits, `-`, `_` and `.`."""

    earliest_begin_date: _Moment = None
    """Not before that: seconds since 1970, or a datetime; None: as soon as it suits."""

    def _pairs(self) -> Dict[str, str]:
        pairs = {"request": self.identifier}
        if self.earliest_begin_date is not None:
            pairs["earliest"] = _written(self.earliest_begin_date)
        return pairs


@dataclass
class AppRefreshTaskRequest(_TaskRequest):
    """Asks for some seconds in the background, once, to be up to date when the app is opened: docs/schedules.md."""

    def _pairs(self) -> Dict[str, str]:
        return {"kind": "refresh", **super()._pairs()}


@dataclass
class ProcessingTaskRequest(_TaskRequest):
    """Asks for minutes in the background, once, while nobody needs the machine: docs/schedules.md."""

    requires_network_connectivity: bool = False
    requires_external_power: bool = False

    def _pairs(self) -> Dict[str, str]:
        pairs = {"kind": "processing", **super()._pairs()}
        if self.requires_network_connectivity:
            pairs["needs-network"] = "1"
        if self.requires_external_power:
            pairs["needs-power"] = "1"
        return pairs


@dataclass(frozen=True)
class PendingNotificationRequest:
    """A notification that waits to be told or shown, as far as the server tells of it."""

    identifier: str

    next_trigger_date: float
    """When it is due next, in seconds since 1970."""

    title: str
    """Where it has none, its body."""

    time_zone: Optional[str] = None
    """Whose clocks its date means; None: it is a moment."""

    repeat_interval: Optional[str] = None
    """`daily`, `weekly`, `monthly`, `yearly`, or seconds; None: it comes once."""

    application_icon_badge_number: Optional[int] = None
    """The number at the app's name from then on; None: as it was."""


TaskRequest = Union[AppRefreshTaskRequest, ProcessingTaskRequest]
"""What `Application.submit_task_request` takes."""


class ScheduleRefused(RuntimeError):
    """Something that was to be done later won't be.

    `code` says why: `invalid`, `too-many-requests`, `no-background-mode`, `unsupported` (not under a server), `busy`
    (try again), or another word of the protocol.
    """

    def __init__(self, what: str, code: str, message: str) -> None:
        super().__init__(f"{what} refused: {message} ({code})")
        self.code = code


class BackgroundTaskRefused(RuntimeError):
    """The supervisor gave no background task.

    `code` says why: `expired` (the budget is spent or about to be), `terminating`, `too-many-tasks`, or another word of
    the protocol.
    """

    def __init__(self, name: str, code: str, message: str) -> None:
        super().__init__(f"background task {name!r} refused: {message} ({code})")
        self.code = code


class BackgroundTaskExpired(RuntimeError):
    """The time of a background task is nearly up; raised by `BackgroundTask.raise_if_expired` alone."""


# The lines


class _Message(NamedTuple):
    """One line: a verb, and its pairs without quotes and escapes."""

    verb: str
    pairs: Dict[str, str]


_SURROGATE = re.compile("[\ud800-\udfff]")
_NEEDS_QUOTES = re.compile(r'[\x00-\x20"\\\x7f]')
_NEEDS_ESCAPE = re.compile(r'[\x00-\x1f"\\\x7f]')
_ESCAPES: Final = {'"': r"\"", "\\": r"\\", "\n": r"\n", "\t": r"\t", "\r": r"\r"}
_UNESCAPED: Final = {escape[1]: character for character, escape in _ESCAPES.items()}
_ESCAPE = re.compile(r"\\(x..|.)")
_VERB = re.compile(r"[A-Za-z0-9_.-]+(?= |\Z)")
_PAIR = re.compile(
    r' +([A-Za-z0-9_.-]+)=(?:"((?:[^"\\\x00-\x1f\x7f]|\\(?:["\\ntr]|x[0-7][0-9A-Fa-f]))*)"|([^ "\\\x00-\x1f\x7f]+))'
    r"(?= |\Z)")
_EVENT_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}\Z")
# After so many seconds the main thread looks whether a signal's handler is to be called.
_MISSED_SIGNAL = 5.0


def _text(value: str) -> str:
    """The value as UTF-8 can hold it: what stood for bytes of another encoding becomes U+FFFD."""
    return _SURROGATE.sub("\ufffd", value)


def _cut(name: str) -> str:
    """The longest beginning that fits a task's name: 128 bytes of UTF-8, no character halved."""
    return _text(name).encode()[:_MAXIMUM_NAME_BYTES].decode(errors="ignore")


def _quoted(value: str) -> str:
    """The value as it stands in a line, in quotes if it needs them."""
    value = _text(value)
    if value and not _NEEDS_QUOTES.search(value):
        return value
    return '"' + _NEEDS_ESCAPE.sub(lambda found: _ESCAPES.get(found[0]) or f"\\x{ord(found[0]):02x}", value) + '"'


def _encode(verb: str, /, **pairs: str) -> bytes:
    """One line, its LF included."""
    return (" ".join([verb, *(f"{key}={_quoted(value)}" for key, value in pairs.items())]) + "\n").encode()


def _unescape(found: re.Match[str]) -> str:
    """The character that one escape stands for."""
    escape = found[1]
    return chr(int(escape[1:], 16)) if escape[0] == "x" else _UNESCAPED[escape]


def _parse(line: bytes) -> Optional[_Message]:
    """Reads one line without its LF; None for a blank one. Raises ValueError for one that is no message."""
    text = line.decode()
    text = (text[:-1] if text.endswith("\r") else text).strip(" ")
    if not text:
        return None
    verb = _VERB.match(text)
    if not verb:
        raise ValueError("no verb")
    pairs: Dict[str, str] = {}
    position = verb.end()
    while position < len(text):
        pair = _PAIR.match(text, position)
        if not pair:
            raise ValueError(f"no pair at {position}")
        key, quoted, bare = pair.groups()
        pairs.setdefault(key, bare if quoted is None else _ESCAPE.sub(_unescape, quoted))
        position = pair.end()
    return _Message(verb[0], pairs)


# Events


class _Acknowledgement:
    """Sends an event's acknowledgement once, when the last who holds it lets go.

    Sets and lists are changed in single steps here, not under a lock: a signal handler may come in between.
    """

    def __init__(self, send: Callable[[Mapping[str, str]], object]) -> None:
        self.result: Mapping[str, str] = {}
        self._send = [send]
        self._holds: Set[object] = {self}

    def hold(self) -> Deferral:
        if not self._send:
            raise RuntimeError("the event is acknowledged already; defer it while its handler runs")
        deferral = Deferral(self)
        self._holds.add(deferral)
        return deferral

    def release(self, holder: object) -> None:
        self._holds.discard(holder)
        if self._holds:
            return
        try:
            send = self._send.pop()
        except IndexError:
            return
        send(self.result)


class Deferral:
    """What `Event.defer` returns: call it, or leave a `with` of it, when the event is handled.

    It can be passed to any thread. A second call does nothing.
    """

    def __init__(self, acknowledgement: _Acknowledgement) -> None:
        self._acknowledgement = acknowledgement

    def __call__(self) -> None:
        """The event is handled, as far as this deferral goes."""
        self._acknowledgement.release(self)

    def __enter__(self) -> Deferral:
        return self

    def __exit__(self, *_: object) -> None:
        self()


def _nothing(*_: object) -> None:
    """What is sent for an event that needs no acknowledgement."""


@dataclass(frozen=True)
class Event:
    """Something that happened to the app: a step of its lifecycle, a posted change, a waking event."""

    name: str
    """As in docs/protocol.md (`didEnterBackground` …), or the NAME of `curfew post` or `curfew wake`."""

    sequence: int
    """Counts up; no two events of an app have the same."""

    kind: str = "lifecycle"
    """`lifecycle`, `change` or `wake`."""

    seconds: Optional[float] = None
    """How long the app may take over it before it is killed; None when there is no limit."""

    needs_acknowledgement: bool = False
    """Whether it must be acknowledged within `seconds`: done when its handlers have returned, unless deferred."""

    info: Mapping[str, str] = field(default_factory=dict, hash=False)
    """What came with it, the launch options of `didFinishLaunching` among it."""

    task: Optional[int] = None
    """`backgroundTaskWillExpire`: which. May be one that another process of the app has begun."""

    launched: Optional[str] = None
    """`didFinishLaunching`: `foreground` or `background`."""

    wake: Optional[str] = None
    """`didFinishLaunching`: the NAME of the waking event that is why, if one is."""

    level: Optional[str] = None
    """`didReceiveMemoryWarning`: how urgent it is, `warning` or `critical`."""

    fields: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    """Every pair of the line, for what a later version adds."""

    _acknowledgement: _Acknowledgement = field(
        default_factory=lambda: _Acknowledgement(_nothing), repr=False, compare=False)

    @property
    def is_restored(self) -> bool:
        """`didFinishLaunching`: whether the app is to come back as its user left it.

        Its last run was ended without anybody having asked for that, for the memory it took, for instance.
        """
        return self._is_launch and self.info.get("restored") == "true"

    @property
    def ended_because(self) -> Optional[str]:
        """`didFinishLaunching`, if `is_restored`: why the last run was ended, a reason as in a report.

        Such as `memory-pressure`; None where nobody said.
        """
        return self.info.get("ended") if self._is_launch else None

    @property
    def _is_launch(self) -> bool:
        return self.kind == "lifecycle" and self.name == "didFinishLaunching"

    def defer(self) -> Deferral:
        """Keeps the event unacknowledged after its handlers have returned, until the deferral is called.

        The limit of `seconds` stays. Raises RuntimeError when the event is acknowledged already.
        """
        return self._acknowledgement.hold()

    def set_fetch_result(self, result: str) -> None:
        """Says what came of it, one of the words of `FetchResult`: told with the acknowledgement, which it doesn't make.

        The server fetches more or less often by that. Raises ValueError for another word.
        """
        if result not in (FetchResult.NEW_DATA, FetchResult.NO_DATA, FetchResult.FAILED):
            raise ValueError(f"{result!r} is no result of a fetch: new-data, no-data or failed")
        self._acknowledgement.result = {"result": result}

    def _release(self) -> None:
        """Its handlers have returned."""
        self._acknowledgement.release(self._acknowledgement)


def _event(pairs: Dict[str, str], acknowledge: Callable[[str, Mapping[str, str]], object]) -> Event:
    """Reads an event; raises KeyError or ValueError when a pair is missing or no number."""
    sequence = pairs["seq"]
    required = pairs.get("ack") == "required"
    return Event(
        name=pairs["name"],
        sequence=int(sequence),
        kind=pairs.get("kind", "lifecycle"),
        seconds=float(pairs["seconds"]) if "seconds" in pairs else None,
        needs_acknowledgement=required,
        info={key[5:]: value for key, value in pairs.items() if key.startswith("info.")},
        task=int(pairs["task"]) if "task" in pairs else None,
        launched=pairs.get("launched"),
        wake=pairs.get("wake"),
        level=pairs.get("level"),
        fields=pairs,
        _acknowledgement=_Acknowledgement((lambda result: acknowledge(sequence, result)) if required else _nothing))


class RequestedTask:
    """Work that the app has submitted a request for, and was woken or launched for: what its launch handler is given."""

    def __init__(self, event: Event) -> None:
        self.identifier = event.info.get("request", "")
        self.kind = event.name
        """`refresh` or `processing`."""
        self.expired = threading.Event()
        """Set as soon as its time is nearly over, on whatever thread the work runs."""
        self.expiration_handler: Optional[Callable[[], object]] = None
        """Called some seconds before its time is over, where events are delivered; without one it has failed then."""
        self._event = event
        self._deferral = event.defer()

    def set_task_completed(self, success: bool) -> None:
        """The work is over; from any thread, once: later calls change nothing.

        A process that hasn't said so when its time is over is killed.
        """
        if not self._event._acknowledgement.result:
            self._event._acknowledgement.result = {"success": "true" if success else "false"}
        self._deferral()

    def _expire(self) -> None:
        self.expired.set()
        if self.expiration_handler:
            self.expiration_handler()
        else:
            self.set_task_completed(False)


Handler = Callable[[Event], object]
"""What `Application.on` takes; what it returns is ignored."""

_H = TypeVar("_H", bound=Handler)
_Listener = Tuple[FrozenSet[str], Handler]


# The connection


class _Request:
    """A request whose reply is awaited."""

    def __init__(self, on_reply: Callable[[_Message], object]) -> None:
        self.reply: Optional[_Message] = None
        self.parts: List[_Message] = []
        """What comes before a reply that is longer than a line."""
        self._on_reply = on_reply
        # Held until there is a reply. A bare lock: signal handlers may run while it is waited for.
        self._open = threading.Lock()
        self._open.acquire()

    def answer(self, reply: Optional[_Message]) -> None:
        """Called once, by the reader; None when there will be no reply."""
        try:
            if reply:
                self._on_reply(reply)
            self.reply = reply
        finally:
            self._open.release()

    def wait(self) -> bool:
        """False when nobody answers."""
        # Once the interpreter is ending, the reader doesn't run any more.
        return any(self._open.acquire(timeout=_SLICE_SECONDS) for _ in range(_REPLY_SLICES) if not sys.is_finalizing())


def _start_thread(name: str, target: Callable[..., object], *arguments: object) -> bool:
    """A daemon thread; False when there can be no more."""
    try:
        threading.Thread(target=target, args=arguments, name=f"curfew-{name}", daemon=True).start()
    except RuntimeError as problem:
        _log.warning("Curfew needs a thread, %s, and gets none: %s", name, problem)
        return False
    return True


class _Link:
    """A connection to the supervisor, and the thread that reads it.

    Only that thread reads, so a signal handler that interrupts any other finds nothing half read. A Unix socket takes a
    line as a whole or not at all, so a signal handler, and who else has the inherited pipe, never sends into the middle
    of one.
    """

    def __init__(self, connected: socket.socket) -> None:
        self.is_lost = False
        self._socket = connected
        self._rest = b""
        self._numbers = itertools.count(1)
        self._requests: Dict[str, _Request] = {}
        self._received: Callable[[_Message], object] = lambda _: None
        self._lost: Callable[[], object] = _nothing
        # Keeps the descriptor open, and so its number ours, while something is sent. Entered again by signal handlers.
        self._use = threading.RLock()

    def ask(
        self, verb: str, on_reply: Callable[[_Message], object] = lambda _: None, /, **pairs: str
    ) -> Optional[_Message]:
        """As `ask_at_length`, without what came before the reply."""
        return self.ask_at_length(verb, on_reply, **pairs)[0]

    def ask_at_length(
        self, verb: str, on_reply: Callable[[_Message], object] = lambda _: None, /, **pairs: str
    ) -> Tuple[Optional[_Message], List[_Message]]:
        """Sends a request and waits for its reply; None when the supervisor is gone, or silent for 10 s.

        on_reply: is called with the reply by the reader, before anything that came later is looked at; also when the
        reply comes after this has given up, or was interrupted by an exception.
        """
        number = self._number()
        request = self._requests[number] = _Request(on_reply)
        if not self.send(_encode(verb, id=number, **pairs)):
            self._requests.pop(number, None)
            return None, []
        # The reader first says that it is lost, then gives up what was noted: nobody waits for a reader that is gone.
        if not request.wait() and not sys.is_finalizing():
            _log.warning("the supervisor hasn't answered %s in %g s", verb, _REPLY_SLICES * _SLICE_SECONDS)
        return request.reply, request.parts

    def _number(self) -> str:
        # The pid, because on the inherited pipe others may ask too.
        return f"{os.getpid()}-{next(self._numbers)}"

    def send(self, line: bytes) -> bool:
        """Sends a line; False when the supervisor is gone."""
        with self._use:
            while line and not self.is_lost:
                try:
                    line = line[self._socket.send(line, socket.MSG_NOSIGNAL | socket.MSG_DONTWAIT):]
                except BlockingIOError:
                    self._poll(select.POLLOUT, None)
                except OSError as error:
                    # The end is for the reader to find. But it doesn't see a descriptor that the program has closed.
                    self.is_lost = self.is_lost or error.errno == errno.EBADF
                    return False
        return not line

    def acknowledge(self, sequence: str, result: Optional[Mapping[str, str]] = None) -> None:
        """Says that an event is handled, and what came of it where that is known; nothing is answered."""
        self.send(_encode("completed" if result else "ack", seq=sequence, **(result or {})))

    def probe(self) -> bool:
        """Whether who is at the other end answers, and takes us for a part of its app. Before `start`."""
        number = self._number()
        if not self.send(_encode("remaining", id=number)):
            return False
        for _ in range(_REPLY_SLICES):
            messages = self._receive(_SLICE_SECONDS)
            if messages is None:
                return False
            for message in messages:
                if message.pairs.get("id") == number:
                    return message.verb == "ok"
        return False

    def start(self, received: Callable[[_Message], object], lost: Callable[[], object]) -> bool:
        """Reads from now on: `received` is told of each message that is no reply, `lost` of the end.

        False when no thread can be had.
        """
        self._received, self._lost = received, lost
        return _start_thread("reader", self._read)

    def close(self) -> None:
        """Gives the descriptor back; for the reader to call, or while there is none yet."""
        self.is_lost = True
        # A program may have closed a descriptor it didn't know.
        with self._use, contextlib.suppress(OSError):
            self._socket.close()

    def abandon(self) -> None:
        """After a fork, in the child: the reader is the parent's, and so may be whoever holds the lock."""
        self.is_lost = True
        with contextlib.suppress(OSError):
            self._socket.close()

    def _read(self) -> None:
        try:
            while True:
                messages = self._receive(None)
                if messages is None:
                    return
                for message in messages:
                    self._handle(message)
        finally:
            self._lose()

    def _handle(self, message: _Message) -> None:
        try:
            number = message.pairs.get("id", "")
            request = self._requests.pop(number, None) if message.verb in ("ok", "error") else None
            if message.verb in ("part", "schedule"):
                if number in self._requests:
                    self._requests[number].parts.append(message)
            elif request:
                request.answer(message)
            else:
                self._received(message)
        except Exception:
            # Whatever it is, the lines after it are still to be read.
            _log.exception("a line from the supervisor couldn't be dealt with: %s", message)

    def _lose(self) -> None:
        self.is_lost = True
        while self._requests:
            try:
                self._requests.popitem()[1].answer(None)
            except KeyError:
                break
        self._lost()
        self.close()

    def _poll(self, what: int, seconds: Optional[float]) -> bool:
        poll = select.poll()
        poll.register(self._socket, what)
        return bool(poll.poll(None if seconds is None else seconds * 1000))

    def _receive(self, seconds: Optional[float]) -> Optional[List[_Message]]:
        """What comes next, within `seconds`; None at the end of the channel."""
        try:
            if self.is_lost or not self._poll(select.POLLIN, seconds):
                return None if self.is_lost else []
            chunk = self._socket.recv(65536, socket.MSG_DONTWAIT)
        except BlockingIOError:
            # On the inherited pipe another process was quicker.
            return []
        except (OSError, ValueError):
            return None
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if not chunk or max(map(len, [*lines, self._rest])) >= _MAXIMUM_LINE_BYTES:
            return None
        return list(_messages(lines))


def _messages(lines: List[bytes]) -> Iterator[_Message]:
    """Each line that is a message."""
    for line in lines:
        try:
            message = _parse(line)
        except ValueError as problem:
            _log.warning("the supervisor sent a line that is no message (%s): %r", problem, line)
        else:
            if message:
                yield message


def _connect(path: str) -> Optional[socket.socket]:
    """A connection of our own to CURFEW_SOCKET; None when nobody answers there."""
    connecting = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connecting.setblocking(False)
        for _ in range(_REPLY_SLICES):
            try:
                connecting.connect(path)
                connecting.setblocking(True)
                if _is_trusted(connecting):
                    return connecting
                break
            except BlockingIOError:
                # More want to connect at the moment than can wait for it.
                time.sleep(_SLICE_SECONDS)
    except (OSError, ValueError) as problem:
        _log.info("no connection to CURFEW_SOCKET, %s: %s", path, problem)
    connecting.close()
    return None


def _is_trusted(connected: socket.socket) -> bool:
    """Whether this user, or root, listens there: whoever has set the variable may have planted a socket of his own."""
    _, uid, _ = struct.unpack("i2I", connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    if uid in (os.geteuid(), os.getuid(), 0):
        return True
    _log.warning("CURFEW_SOCKET isn't used: user %d listens there, and not this one or root", uid)
    return False


def _inherited(number: str) -> Optional[socket.socket]:
    """The control pipe of CURFEW_FD, by a descriptor of our own; None when it isn't that, or is closed."""
    try:
        original = int(number)
        if not stat.S_ISSOCK(os.fstat(original).st_mode):
            return None
        blocking = os.get_blocking(original)
        pipe = socket.socket(fileno=os.dup(original))
    except (OSError, ValueError, OverflowError):
        return None
    if pipe.gettimeout() is not None:
        # A default timeout has made it non-blocking, for everybody who shares it.
        pipe.settimeout(None)
        os.set_blocking(original, blocking)
    if _is_control_pipe(pipe):
        return pipe
    pipe.close()
    return None


def _is_control_pipe(pipe: socket.socket) -> bool:
    """Whether curfew made this socket.

    Whoever starts programs may have closed CURFEW_FD and left the variable, as Python's subprocess does; by now the
    number can stand for any socket, of which nothing may be read.
    """
    try:
        if pipe.family != socket.AF_UNIX or pipe.type != socket.SOCK_STREAM:
            return False
        # Of a pair that was inherited these name who made it; 0 is somebody outside this PID namespace.
        maker, _, _ = struct.unpack("3i", pipe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        if maker == 0:
            return True
        with open(f"/proc/{maker}/comm", encoding="utf-8", errors="replace") as comm:
            return comm.read().startswith("curfew")
    except OSError:
        return False


# Between the reader and who delivers


class _Mailbox:
    """The events that have come and weren't delivered, and a descriptor that tells of them.

    A queue that a signal handler may come in the middle of; and the reader never waits for anybody here.
    """

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Optional[Event]] = queue.SimpleQueue()
        self._pipe: Optional[Tuple[int, int]] = None

    @property
    def is_empty(self) -> bool:
        return self._queue.empty()

    def put(self, event: Optional[Event]) -> None:
        """None wakes up who waits, to look around."""
        self._queue.put(event)
        self._poke()

    def take(self, timeout: Optional[float]) -> Optional[Event]:
        """The next event; None when none comes in time, and when it is time to look around.

        timeout: in seconds, None is for ever.
        """
        if timeout is not None:
            timeout = min(max(0, timeout), threading.TIMEOUT_MAX)
        try:
            return self._queue.get(timeout != 0, timeout)
        except queue.Empty:
            return None

    def batch(self, timeout: Optional[float]) -> Iterator[Event]:
        """What has come, after waiting for the first; no more, should handlers be slower than what comes on."""
        self.drain()
        try:
            event = self.take(timeout)
            left = self._queue.qsize()
            if event:
                yield event
            for _ in range(left):
                event = self.take(0)
                if event:
                    yield event
        finally:
            if not self.is_empty:
                self._poke()

    def fileno(self) -> int:
        """Readable when something was put since `drain`; made at the first call."""
        if self._pipe is None:
            reader, writer = os.pipe()
            os.set_blocking(reader, False)
            os.set_blocking(writer, False)
            self._pipe = reader, writer
            if not self.is_empty:
                self._poke()
        return self._pipe[0]

    def drain(self) -> None:
        """Makes the descriptor unreadable."""
        if self._pipe:
            with contextlib.suppress(OSError):
                while os.read(self._pipe[0], 4096):
                    pass

    def close(self) -> None:
        for descriptor in self._pipe or ():
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _poke(self) -> None:
        if self._pipe:
            # When it is full, it is readable; when the program has closed it, nobody waits for it.
            with contextlib.suppress(OSError):
                os.write(self._pipe[1], b"\0")


# What programs use


class BackgroundTask:
    """A background task, held while the body of a `with` runs; `Application.background_task` makes one.

    It ends once, when the body is left in any way or at `end`; what must still be done belongs into the body, for in
    the background the app may be stopped right there. Raises BackgroundTaskRefused on entering when the supervisor
    refuses it; without Curfew the body just runs.
    """

    def __init__(self, application: Application, name: str, expiration_handler: Optional[Callable[[], object]]) -> None:
        self.name = name
        """As given; the supervisor shows 128 bytes of it at most."""

        self.id = INVALID_TASK
        """Its number, INVALID_TASK before it has begun and without Curfew."""

        self.expired = threading.Event()
        """Set when the time is nearly up: a few seconds are left to come to an end. Stays set."""

        self._application = application
        self._expiration_handler = expiration_handler
        self._is_entered = False
        self._is_abandoned = False

    def raise_if_expired(self) -> None:
        """For a loop to call at each turn: raises BackgroundTaskExpired once the time is nearly up."""
        if self.expired.is_set():
            raise BackgroundTaskExpired(f"background task {self.name!r} is about to expire")

    def end(self) -> None:
        """Ends it before the body is left; ignored when it has ended."""
        self._application.end_background_task(self.id)

    def __enter__(self) -> BackgroundTask:
        if self._is_entered:
            raise RuntimeError(f"background task {self.name!r} has been entered already; make another one")
        self._is_entered = True
        self._application._begin(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


class Application:
    """The app that this process is a part of. `app()` is the one to use.

    environment: where CURFEW_SOCKET, CURFEW_FD and CURFEW_STATE_DIR are looked up, the process's own by default.
    """

    def __init__(self, environment: Optional[Mapping[str, str]] = None) -> None:
        self._environment: Mapping[str, str] = os.environ if environment is None else environment
        self._listeners: Tuple[_Listener, ...] = ()
        self._has_used_pipe = False
        self._keep_alive: Optional[Handler] = None
        self._launch_handlers: Dict[str, Callable[[RequestedTask], object]] = {}
        self._reset()
        _applications.add(self)

    def _reset(self) -> None:
        """As a process begins: with no connection, and nothing that depends on it."""
        # Entered again by signal handlers. The reader must never wait for it.
        self._lock = threading.RLock()
        self._link: Optional[_Link] = None
        self._is_connecting = False
        self._has_connected = False
        self._has_said_hello = False
        self._delivery: Optional[str] = None
        self._is_delivering = False
        self._is_stopped = False
        self._name: Optional[str] = None
        self._tasks: Dict[int, BackgroundTask] = {}
        # An app works on one at a time; and what the reader has heard of last that its time is nearly over.
        self._requested: Optional[RequestedTask] = None
        self._expired_request: Optional[int] = None
        self._mailbox = _Mailbox()

    def _after_fork(self) -> None:
        """In the child: nothing is shared with the parent."""
        if self._link:
            self._link.abandon()
        self._mailbox.close()
        self._reset()

    # The connection

    def _connected(self) -> Optional[_Link]:
        """The connection, made at the first call; None without Curfew, and when the supervisor is gone."""
        if not self._has_connected:
            with self._lock:
                self._connect()
        link = self._link
        return link if link and not link.is_lost else None

    def _connect(self) -> None:
        # A signal handler that comes in between is told that there is no Curfew yet; other threads wait.
        if self._has_connected or self._is_connecting:
            return
        self._is_connecting = True
        try:
            any(map(self._adopt, self._connections()))
            # Now, not before: other threads look at it without the lock.
            self._has_connected = True
        finally:
            self._is_connecting = False

    def _adopt(self, connected: socket.socket) -> bool:
        """Makes this the connection, if a supervisor of ours is at its other end."""
        link = _Link(connected)
        try:
            if link.probe() and link.start(lambda message: self._receive(link, message), self._lose):
                # Not before it is read: a signal handler that comes in between would wait for its reply in vain.
                self._link = link
        finally:
            if self._link is not link:
                link.close()
        return self._link is link

    def _connections(self) -> Iterator[socket.socket]:
        """The ways to the supervisor, best first: on a connection of one's own events are shared with nobody."""
        path = self._environment.get("CURFEW_SOCKET")
        connected = _connect(path) if path else None
        if connected:
            yield connected
        number = self._environment.get("CURFEW_FD")
        # After a fork it is the parent's, if that has used it.
        connected = _inherited(number) if number and not self._has_used_pipe else None
        if connected:
            self._has_used_pipe = True
            yield connected

    def _ask(self, verb: str, /, **pairs: str) -> Optional[_Message]:
        link = self._connected()
        return link.ask(verb, **pairs) if link else None

    # What the app may ask

    @property
    def is_multitasking_supported(self) -> bool:
        """Whether a supervisor answers: False when not under Curfew, and when it is gone."""
        return self._connected() is not None

    @property
    def name(self) -> Optional[str]:
        """The app's name, as `curfew ps` shows it; None without Curfew."""
        if self._name is None:
            self._name = self._status().get("app")
        return self._name if self._connected() else None

    @property
    def state(self) -> str:
        """The app's state, one of the words of `State`, as the supervisor has it now; active without Curfew."""
        return self._status().get("state", State.ACTIVE)

    def _status(self) -> Dict[str, str]:
        reply = self._ask("status")
        return reply.pairs if reply and reply.verb == "ok" else {}

    @property
    def background_time_remaining(self) -> float:
        """Seconds that the app may still run in the background; infinite in the foreground, and without Curfew."""
        reply = self._ask("remaining")
        try:
            return float(reply.pairs["seconds"]) if reply else math.inf
        except (KeyError, ValueError):
            return math.inf

    @property
    def state_directory(self) -> Optional[str]:
        """The directory to save in at `didEnterBackground`, and to restore from when launched: CURFEW_STATE_DIR.

        None when nobody named one. An app that is ended while it is suspended hears nothing of that; its next run finds
        the directory as it was left.
        """
        return self._environment.get("CURFEW_STATE_DIR") or None

    def begin_background_task(self, name: str, expiration_handler: Optional[Callable[[], object]] = None) -> int:
        """Asks for time to finish something, and returns the task's number; INVALID_TASK when it is refused.

        Each number is to be given to `end_background_task`, or the whole app is killed when its time is up.
        expiration_handler: called, where events are delivered, some seconds before that; it must end the task. Again
        if the task outlives that, by the app's being opened, and the next budget is nearly spent.
        """
        task = BackgroundTask(self, name, expiration_handler)
        try:
            self._begin(task)
        except BackgroundTaskRefused as refusal:
            _log.info("%s", refusal)
        return task.id

    def end_background_task(self, task: int) -> None:
        """Ends a task that this process has begun; any other number is ignored.

        With the last one ended in the background, the app may be stopped before this returns.
        """
        if self._tasks.pop(task, None):
            self._ask("end", task=str(task))

    def background_task(self, name: str, expiration_handler: Optional[Callable[[], object]] = None) -> BackgroundTask:
        """A background task for a `with`, ended however its body is left.

        Entering raises BackgroundTaskRefused when the supervisor refuses it. expiration_handler: as for
        `begin_background_task`, but it needn't end the task if the body then comes to an end.
        """
        return BackgroundTask(self, name, expiration_handler)

    def _begin(self, task: BackgroundTask) -> None:
        link = self._connected()
        if not link:
            return
        try:
            reply = link.ask("begin", lambda reply: self._register(link, task, reply), name=_cut(task.name))
        except BaseException:
            self._abandon(link, task)
            raise
        if not reply:
            self._abandon(link, task)
        elif reply.verb == "error":
            code = reply.pairs.get("code", "unknown")
            raise BackgroundTaskRefused(task.name, code, reply.pairs.get("message", "no reason given"))

    def _register(self, link: _Link, task: BackgroundTask, reply: _Message) -> None:
        """Called by the reader: a task must be known before its expiration can be read."""
        if reply.verb != "ok":
            return
        task.id = int(reply.pairs["task"])
        self._tasks[task.id] = task
        if task._is_abandoned:
            self._abandon(link, task)

    def _abandon(self, link: _Link, task: BackgroundTask) -> None:
        """Nobody got its number (an exception came in between, or the reply too late), so nobody would end it."""
        task._is_abandoned = True
        if self._tasks.pop(task.id, None):
            link.send(_encode("end", task=str(task.id)))
        task.id = INVALID_TASK

    def set_keep_alive_timeout(self, seconds: float, handler: Callable[[], object]) -> bool:
        """Asks to be woken in the background whenever so many seconds have passed; False when it is refused.

        seconds: 600 or more, divided by `--time-scale`. handler: called, where events are delivered, to see to one's
        connections; it has 30 s (`--wake-limit`), or the app is killed. In front it isn't called. It replaces the last
        one; it is the app's, until it is cleared or the app has ended. Refused, the last one stays. False without Curfew.

        Raises ValueError for seconds that aren't above 0, or are infinite, and TypeError for a coroutine function.
        """
        if not 0.001 <= seconds < math.inf:
            raise ValueError(f"keep-alive needs a number of seconds above 0 that ends, not {seconds!r}")
        if inspect.iscoroutinefunction(handler):
            raise TypeError("a handler is a plain function; in coroutines, use `async for event in app.events()`")
        reply = self._ask("keep-alive", seconds=f"{seconds:.3f}")
        if not reply or reply.verb != "ok":
            _log.info("keep-alive refused: %s", reply.pairs.get("message", "no reason given") if reply else "no answer")
            return False
        last, self._keep_alive = self._keep_alive, lambda event: handler()
        if last:
            self.off(last)
        self.on("keepAlive")(self._keep_alive)
        return True

    def clear_keep_alive_timeout(self) -> None:
        """Ends what `set_keep_alive_timeout` began, whichever process of the app has; else ignored."""
        last, self._keep_alive = self._keep_alive, None
        if last:
            self.off(last)
        self._ask("keep-alive", seconds="0")

    # What is to be done later

    def _schedule(self, what: str, verb: str, /, **pairs: str) -> Optional[Dict[str, str]]:
        """What was answered; None without Curfew."""
        try:
            line = _encode(verb, id="0" * 16, **pairs)
        except (AttributeError, TypeError) as problem:
            raise TypeError(f"{what}: everything in it is text") from problem
        if len(line) >= _MAXIMUM_LINE_BYTES:
            raise ScheduleRefused(what, "invalid", "it is longer than a line of the protocol can be")
        if not self._connected():
            return None
        reply = self._ask(verb, **pairs)
        if not reply:
            raise ScheduleRefused(what, "unanswered", "the supervisor is gone, or silent")
        if reply.verb == "error":
            raise ScheduleRefused(what, reply.pairs.get("code", "unknown"), reply.pairs.get("message", "no reason given"))
        return reply.pairs

    def schedule_local_notification(self, notification: LocalNotification) -> Optional[str]:
        """Has it told or shown when it is due; its identifier, once that is kept for good. None without Curfew.

        Of an app the soonest 64 are kept. Raises ScheduleRefused.
        """
        told = self._schedule("a notification", "notify", **notification._pairs())
        if told is None:
            return None
        if "dropped" in told:
            _log.info("the notification %s was pushed out: the soonest 64 are kept", told["dropped"])
        return told.get("notification")

    def cancel_local_notification(self, identifier: str) -> None:
        """It isn't shown any more; ignored where none of that identifier waits. Raises ScheduleRefused."""
        self._schedule("cancelling", "cancel", notification=identifier)

    def cancel_all_local_notifications(self) -> None:
        """None of the app's is shown any more. Raises ScheduleRefused."""
        self._schedule("cancelling", "cancel", all="1")

    def _pending(self) -> List[Dict[str, str]]:
        """All that the app has scheduled, the soonest first; nothing without Curfew."""
        link = self._connected()
        if not link:
            return []
        reply, parts = link.ask_at_length("schedule")
        if not reply:
            raise ScheduleRefused("what waits", "unanswered", "the supervisor is gone, or silent")
        if reply.verb == "error":
            raise ScheduleRefused(
                "what waits", reply.pairs.get("code", "unknown"), reply.pairs.get("message", "no reason given"))
        return [part.pairs for part in parts]

    def get_pending_notification_requests(self) -> List[PendingNotificationRequest]:
        """The app's notifications that wait, the soonest first; none without Curfew. Raises ScheduleRefused."""
        return [
            PendingNotificationRequest(
                told["notification"], float(told["due"]), told.get("title", ""), told.get("zone"), told.get("repeat"),
                int(told["badge"]) if "badge" in told else None)
            for told in self._pending() if told.get("kind") == "notification"]

    def set_minimum_background_fetch_interval(self, seconds: float) -> None:
        """How often the app is woken for the event `fetch`, at most: BACKGROUND_FETCH_INTERVAL_MINIMUM, _NEVER, or seconds.

        The server chooses when, and keeps it. Raises ScheduleRefused, and ValueError for less than 0.
        """
        if not seconds >= 0:
            raise ValueError(f"{seconds!r} isn't a number of seconds, 0 or more")
        words = {BACKGROUND_FETCH_INTERVAL_MINIMUM: "minimum", BACKGROUND_FETCH_INTERVAL_NEVER: "never"}
        self._schedule("a fetch interval", "fetch-interval", seconds=words.get(seconds, f"{seconds:.3f}"))

    def submit_task_request(self, request: TaskRequest) -> None:
        """Has the app woken or launched for it, once, when it suits the machine; returns once that is kept for good.

        One of the same identifier takes the other's place. One refresh and ten processing requests wait at most. Who
        wants to come again submits again, best at the beginning of the launch handler. Raises ScheduleRefused.
        """
        self._schedule("a request", "submit", **request._pairs())

    def cancel_task_request(self, identifier: str) -> None:
        """The app isn't launched for it; ignored where none of that identifier waits. Raises ScheduleRefused."""
        self._schedule("cancelling", "cancel", request=identifier)

    def cancel_all_task_requests(self) -> None:
        """The app isn't launched for any request. Raises ScheduleRefused."""
        self._schedule("cancelling", "cancel", all="requests")

    def get_pending_task_requests(self) -> List[TaskRequest]:
        """The app's requests that wait, the soonest first, without the one that it works on; none without Curfew.

        earliest_begin_date is in seconds since 1970. Raises ScheduleRefused.
        """
        pending: List[TaskRequest] = []
        for told in self._pending():
            earliest = float(told["earliest"]) if "earliest" in told else None
            if told.get("waits") == "runs":
                continue
            if told.get("kind") == "refresh":
                pending.append(AppRefreshTaskRequest(told["request"], earliest))
            elif told.get("kind") == "processing":
                pending.append(
                    ProcessingTaskRequest(told["request"], earliest, "needs-network" in told, "needs-power" in told))
        return pending

    def register(self, identifier: str, launch_handler: Callable[[RequestedTask], object]) -> None:
        """Calls launch_handler(task), where events are delivered, when the app was woken for its request.

        It sees to it that `task.set_task_completed` is called in time, from whatever thread, and returns soon: while it
        runs no other event is delivered. To be called before events are delivered, or what the app was launched for has
        no handler. Registered again, the later handler counts.
        """
        if inspect.iscoroutinefunction(launch_handler):
            raise TypeError("a handler is a plain function; in coroutines, use `async for event in app.events()`")
        is_first = not self._launch_handlers
        self._launch_handlers = {**self._launch_handlers, identifier: launch_handler}
        if is_first:
            self.on("refresh", "processing")(self._launch_task)
            self.on("taskWillExpire")(self._expire_task)

    def _launch_task(self, event: Event) -> None:
        handler = self._launch_handlers.get(event.info.get("request", ""))
        if handler:
            task = self._requested = RequestedTask(event)
            if event.sequence == self._expired_request:
                task.expired.set()
            handler(task)

    def _expire_task(self, event: Event) -> None:
        task = self._requested
        if task and str(task._event.sequence) == event.info.get("seq"):
            task._expire()

    def remote_notification(self, event: Event) -> Optional[Dict[str, Any]]:
        """What was pushed that the event tells of, `remote-notification`, `didReceiveRemoteNotification` or a launch by one.

        None where it tells of none, or the server doesn't have it any more: it keeps the last 64.
        """
        link = self._connected() if "push" in event.info else None
        if not link:
            return None
        reply, parts = link.ask_at_length("payload", push=event.info["push"])
        if not reply or reply.verb != "ok":
            _log.info("no payload: %s", reply.pairs.get("message", "no reason given") if reply else "no answer")
            return None
        payload = json.loads("".join(part.pairs.get("text", "") for part in parts))
        return payload if isinstance(payload, dict) else None

    # Handlers

    def on(self, *names: str) -> Callable[[_H], _H]:
        """A decorator: the function is called with each Event of these names, or with every one when none is given.

        Names are those of the lifecycle, and the NAMEs of `curfew post` and `curfew wake`. The first handler makes the
        app an aware one, as soon as events are delivered: it is told of what happens, and has to be in time. When all
        handlers have returned, or raised, the event is acknowledged, unless one has deferred that. Where start() or
        dispatch() finds no handler for `willTerminate`, it sends this process SIGTERM, as a plain app is sent.

        Raises ValueError for a name that isn't one, and TypeError for a coroutine function.
        """
        for name in names:
            if not _EVENT_NAME.match(name):
                raise ValueError(
                    f"{name!r} is no event's name: letters, digits, '-', '_' and '.', a letter first, 64 bytes at most")

        def add(handler: _H) -> _H:
            if inspect.iscoroutinefunction(handler):
                raise TypeError("a handler is a plain function; in coroutines, use `async for event in app.events()`")
            with self._lock:
                self._listeners += ((frozenset(names), handler),)
            if self._is_delivering:
                self._listen()
            return handler

        return add

    def off(self, handler: Handler) -> None:
        """Calls this function no more; ignored when it was no handler."""
        with self._lock:
            self._listeners = tuple(listener for listener in self._listeners if listener[1] != handler)

    def _say_hello(self) -> None:
        with self._lock:
            if self._has_said_hello:
                return
            self._has_said_hello = True
        client = os.path.basename((getattr(sys, "argv", None) or [""])[0]) or "python"
        reply = self._ask("hello", version="1", client=_cut(client))
        if reply and reply.verb == "ok":
            self._name = reply.pairs.get("app")
        elif reply:
            _log.warning("the supervisor tells no events: %s", reply.pairs.get("message", reply.pairs.get("code")))

    # Delivery

    def start(self) -> bool:
        """Delivers events on a daemon thread from now on; False when not under Curfew, or no thread can be had.

        A second call does nothing. Raises RuntimeError when run(), dispatch(), fileno() or events() was called before.
        """
        self._choose_delivery("thread")
        link = self._connected()
        with self._lock:
            if link and not self._is_delivering:
                self._is_delivering = _start_thread("events", self._deliver_all, link)
        return self._is_delivering and self._listen()

    def run(self) -> None:
        """Delivers events in the calling thread until `stop` is called, `willTerminate` was, or the supervisor is gone.

        Returns at once when not under Curfew. Who calls it no more has to call `dispatch`, or end: events come on, and
        are to be acknowledged. Raises RuntimeError after start().
        """
        self._choose_delivery("caller")
        self._listen()
        link = self._link
        try:
            while not self._is_over(link):
                # A signal that comes right before the wait doesn't end it, and its handler may be what calls stop().
                event = self._mailbox.take(_MISSED_SIGNAL)
                if event:
                    self._deliver(event)
                    if event.name == "willTerminate":
                        return
        finally:
            self._is_stopped = False

    def stop(self) -> None:
        """Makes run() return and events() end, when the event under way is handled; from any thread or handler.

        If neither is under way, the next returns at once.
        """
        self._is_stopped = True
        self._mailbox.put(None)

    def fileno(self) -> int:
        """A descriptor that is readable when `dispatch` has something to do, for a loop of one's own.

        Only to be waited for, neither read nor closed. It is valid, and never readable, when not under Curfew. Raises
        RuntimeError after start().
        """
        self._choose_delivery("caller")
        with self._lock:
            descriptor = self._mailbox.fileno()
        self._listen()
        return descriptor

    def dispatch(self, timeout: Optional[float] = 0) -> int:
        """Delivers, in the calling thread, the events that have come; returns how many.

        timeout: how many seconds to wait for the first, None for ever. When not under Curfew none comes: it waits all
        the same, but not for ever. Raises RuntimeError after start().
        """
        self._choose_delivery("caller")
        is_supported = self._listen()
        if timeout is None or timeout == math.inf:
            timeout = None if is_supported else 0
        count = 0
        for event in self._mailbox.batch(timeout):
            count += 1
            self._deliver(event, can_terminate=True)
        return count

    async def events(self) -> AsyncIterator[Event]:
        """For asyncio: each event as it comes, after its handlers were called, until the supervisor is gone or `stop`.

        One is acknowledged when the next is asked for, or the loop is left, unless it is deferred. Ends at once when
        not under Curfew. Raises RuntimeError after start().
        """
        import asyncio  # here, for those who have no use for it

        descriptor = self.fileno()
        self._listen(wants_all=True)
        link = self._link
        ready = asyncio.Event()

        def wake() -> None:
            self._mailbox.drain()
            ready.set()

        loop = asyncio.get_running_loop()
        loop.add_reader(descriptor, wake)
        try:
            while not self._is_over(link):
                if self._mailbox.is_empty:
                    ready.clear()
                    await ready.wait()
                event = self._mailbox.take(0)
                if event:
                    try:
                        self._call_handlers(event)
                        yield event
                    finally:
                        event._release()
        finally:
            self._is_stopped = False
            loop.remove_reader(descriptor)

    def _is_over(self, link: Optional[_Link]) -> bool:
        """Whether nothing is left to be delivered, or nothing shall be."""
        return self._is_stopped or not link or (link.is_lost and self._mailbox.is_empty)

    def _choose_delivery(self, way: str) -> None:
        with self._lock:
            if self._delivery not in (None, way):
                raise RuntimeError(
                    "events are delivered in one way: by start(), or by run(), dispatch(), fileno() and events()")
            self._delivery = way
            self._is_delivering = self._is_delivering or way == "caller"

    def _listen(self, wants_all: bool = False) -> bool:
        """Makes the app aware, if there is anybody to listen; False without Curfew."""
        if not self._connected():
            return False
        if self._listeners or wants_all:
            self._say_hello()
        return True

    def _receive(self, link: _Link, message: _Message) -> None:
        """Called by the reader with what is no reply."""
        if message.verb == "error":
            _log.warning("the supervisor didn't understand: %s", message.pairs.get("message", message))
        if message.verb != "event":
            return
        event = _event(message.pairs, link.acknowledge)
        if event.name == "taskWillExpire" and event.kind == "change":
            self._note_expiration(event)
        task = self._expiring(event)
        if task:
            # Not here: who waits for it may have been interrupted by a signal handler, which waits for this thread.
            _start_thread("expiration", self._warn, task, not self._is_delivering)
        if self._is_delivering:
            self._mailbox.put(event)
        else:
            # Nobody asked for it: on the inherited pipe, somebody else has said hello.
            event._release()

    def _note_expiration(self, event: Event) -> None:
        sequence = event.info.get("seq", "")
        self._expired_request = int(sequence) if sequence.isdecimal() else None
        task = self._requested
        if task and task._event.sequence == self._expired_request:
            task.expired.set()

    def _warn(self, task: BackgroundTask, calls_handler: bool) -> None:
        """A thread of its own."""
        task.expired.set()
        if calls_handler:
            self._expire(task)

    def _lose(self) -> None:
        """Called by the reader when the supervisor is gone."""
        _log.info("the supervisor is gone")
        self._mailbox.put(None)

    def _deliver_all(self, link: _Link) -> None:
        """The delivering thread."""
        while not (link.is_lost and self._mailbox.is_empty):
            event = self._mailbox.take(None)
            try:
                if event:
                    self._deliver(event, can_terminate=True)
            except BaseException:
                # SystemExit too: it would end this thread alone, and whatever comes next would go unacknowledged.
                _log.exception("a handler of %s tried to end the thread that delivers events", event and event.name)

    def _deliver(self, event: Event, can_terminate: bool = False) -> None:
        """Calls the handlers and lets the event be acknowledged, whatever they do."""
        try:
            is_handled = self._call_handlers(event)
        finally:
            event._release()
        if can_terminate and event.name == "willTerminate" and not is_handled:
            os.kill(os.getpid(), signal.SIGTERM)

    def _call_handlers(self, event: Event) -> bool:
        """Whether there was any. What they raise is reported, and no reason to be killed for not acknowledging."""
        task = self._expiring(event)
        if task:
            self._expire(task)
        handlers = [handler for names, handler in self._listeners if not names or event.name in names]
        for handler in handlers:
            try:
                handler(event)
            except Exception:
                _log.exception("a handler of %s failed; the event counts as handled", event.name)
        return bool(handlers)

    def _expiring(self, event: Event) -> Optional[BackgroundTask]:
        """The task of this process that the event warns of, if it does and the task is open."""
        return self._tasks.get(event.task or INVALID_TASK) if event.name == "backgroundTaskWillExpire" else None

    def _expire(self, task: BackgroundTask) -> None:
        try:
            if task._expiration_handler:
                task._expiration_handler()
        except Exception:
            _log.exception("the expiration handler of background task %r failed", task.name)


# After a fork, each has to let go of what is the parent's.
_applications: weakref.WeakSet[Application] = weakref.WeakSet()


def _let_go() -> None:
    for application in list(_applications):
        application._after_fork()


os.register_at_fork(after_in_child=_let_go)

_app = Application()


def app() -> Application:
    """The app that this process is a part of; always the same object."""
    return _app
