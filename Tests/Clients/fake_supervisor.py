"""A supervisor's end of the control channel, for the tests of client libraries in any language.

It listens on a socket of its own, answers what clients ask as the supervisor of an app in front would, and writes down
every line it gets. A test says what is answered otherwise, sends events, and awaits lines; every wait has a deadline,
and says what was seen when it fails.

    with FakeSupervisor() as fake:
        fake.answer("begin", "error id={id} code=expired task=0 message=no")
        program = subprocess.Popen([…], env=fake.environment())
        fake.wait_for("hello", version="1")
        fake.send("event name=didEnterBackground seq=7 ack=required seconds=5.000")
        fake.wait_for("ack", seq="7")
"""

import collections
import contextlib
import os
import shutil
import socket
import tempfile
import threading
import time

LIMIT = 20.0 * float(os.environ.get("CURFEW_TEST_PATIENCE", "1"))
MAXIMUM_LINE_BYTES = 4096

# "{id}" is the request's, "{number}" counts the requests of the verb, from 1.
ANSWERS = {
    "hello": ["ok id={id} version=1 app=fake state=active"],
    "begin": ["ok id={id} task={number} remaining=inf"],
    "end": ["ok id={id}"],
    "remaining": ["ok id={id} seconds=inf"],
    "keep-alive": ["ok id={id}"],
    "tasks": ["ok id={id} count=0"],
    "status": ["ok id={id} app=fake state=active remaining=inf"],
    "ack": [],
}
NAME_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")
ESCAPED = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}


class Malformed(Exception):
    """A line that docs/protocol.md doesn't allow."""


class Line(dict):
    """A line that came: its pairs, its verb, its text, and the number, from 0, of the connection it came on."""

    def __init__(self, text, connection=0):
        super().__init__()
        self.text = text
        self.connection = connection
        verb, rest = _name(text)
        self.verb = verb
        while rest:
            if not rest.startswith(" "):
                raise Malformed(f"a blank is missing before {rest!r}")
            rest = rest.lstrip(" ")
            if not rest:
                break
            key, rest = _name(rest)
            if not rest.startswith("="):
                raise Malformed(f"{key!r} has no value")
            value, rest = _value(rest[1:])
            self.setdefault(key, value)

    def __repr__(self):
        return self.text

    def matches(self, verb, pairs):
        return self.verb == verb and all(self.get(key) == value for key, value in pairs.items())


def _name(text):
    length = next((index for index, character in enumerate(text) if character not in NAME_CHARACTERS), len(text))
    if not length:
        raise Malformed(f"no name at {text!r}")
    return text[:length], text[length:]


def _value(text):
    """The value at the beginning, and what follows it."""
    if text.startswith('"'):
        return _quoted(text[1:])
    bare, blank, rest = text.partition(" ")
    if not bare or any(character in '"\\\x7f' or character < " " for character in bare):
        raise Malformed(f"not a bare value: {bare!r}")
    return bare, blank + rest


def _quoted(text):
    value, index = "", 0
    try:
        while text[index] != '"':
            character = text[index]
            if character == "\\":
                character, length = _escape(text[index + 1:])
                index += length
            elif character < " " or character == "\x7f":
                raise Malformed(f"a bare control character in {text!r}")
            value += character
            index += 1
    except (IndexError, KeyError, ValueError) as error:
        raise Malformed(f"not a quoted value: {text!r}") from error
    return value, text[index + 1:]


def _escape(text):
    """What stands after a backslash, and how long it is."""
    if text[0] != "x":
        return ESCAPED[text[0]], 1
    code = int(text[1:3], 16)
    if len(text) < 3 or code > 0x7f:
        raise ValueError(text)
    return chr(code), 3


class FakeSupervisor:
    """Listens, answers, and remembers. Close it, or use it in a `with`."""

    def __init__(self):
        # Short: a socket's path has 107 bytes at most.
        self.folder = tempfile.mkdtemp(prefix="cf-fake-")
        self.path = os.path.join(self.folder, "s")
        self.seen = []  # every Line, in the order it came
        self._changed = threading.Condition()
        self._answers = collections.defaultdict(collections.deque)
        self._counts = collections.Counter()
        self._awaited = 0  # how many of `seen` were awaited
        self._connections = []
        self._readers = []  # of each connection, the thread
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.path)
        self._listener.listen(64)
        self._acceptor = self._run(self._accept)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # What a client is started with

    def environment(self, base=None):
        """The caller's environment (or `base`) with this supervisor's socket, and no control pipe."""
        environment = dict(os.environ if base is None else base, CURFEW_SOCKET=self.path)
        environment.pop("CURFEW_FD", None)
        return environment

    def pipe(self):
        """A control pipe: the client's end of a connected pair, whose number goes into CURFEW_FD.

        Close it once the client has it.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._serve(ours)
        return theirs

    # What it does

    def answer(self, verb, *lines):
        """The next request of this verb (that none was said for) gets these lines; none of them is silence."""
        self._answers[verb].append(list(lines))

    def send(self, *lines, connection=-1):
        """Sends each line to a connection, by default the newest."""
        self.send_bytes("".join(line + "\n" for line in lines).encode(), connection)

    def send_bytes(self, data, connection=-1):
        self._wait("a connection", lambda: self._connections)
        self._connections[connection].sendall(data)

    def drop(self):
        """Ends every connection, as a supervisor's end does, and accepts no more."""
        # A listener that is only closed would go on accepting.
        for end in [self._listener, *self._connections]:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.drop()
        deadline = time.monotonic() + LIMIT
        for thread in [self._acceptor, *self._readers]:
            thread.join(max(0, deadline - time.monotonic()))
        for end in [self._listener, *self._connections]:
            end.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # What a test awaits

    def expect(self, verb, limit=LIMIT, **pairs):
        """The next line that wasn't awaited yet, which must be this one."""
        line = self._next(f"{verb} {pairs}", limit)
        assert line.matches(verb, pairs), f"expected {verb} {pairs}, got {line.text!r}; all: {self.seen}"
        return line

    def wait_for(self, verb, limit=LIMIT, **pairs):
        """The next line that is this one; those before it are passed over."""
        deadline = time.monotonic() + limit
        while True:
            line = self._next(f"{verb} {pairs}", deadline - time.monotonic())
            if line.matches(verb, pairs):
                return line

    def wait_for_end(self, connection=-1, limit=LIMIT):
        """Until the client has closed a connection."""
        self._wait("a connection", lambda: self._connections, limit)
        reader = self._readers[connection]
        reader.join(limit)
        assert not reader.is_alive(), f"waited {limit} s for connection {connection} to end; seen: {self.seen}"

    def verbs(self):
        """The verbs of all that has come, in order."""
        return [line.verb for line in self.seen]

    def texts(self, verb):
        """Every line of this verb that has come."""
        return [line.text for line in self.seen if line.verb == verb]

    @property
    def connections(self):
        """How many there have been."""
        return len(self._connections)

    # How it does it

    def _wait(self, what, probe, limit=LIMIT):
        with self._changed:
            if not self._changed.wait_for(probe, max(0, limit)):
                raise AssertionError(f"waited for {what}; seen: {self.seen}")

    def _next(self, what, limit):
        self._wait(what, lambda: len(self.seen) > self._awaited, limit)
        self._awaited += 1
        return self.seen[self._awaited - 1]

    def _run(self, target, *arguments):
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        thread.start()
        return thread

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._serve(connection)

    def _serve(self, connection):
        # Whatever the test has made the default.
        connection.settimeout(None)
        with self._changed:
            self._readers.append(self._run(self._read, connection, len(self._connections)))
            self._connections.append(connection)
            self._changed.notify_all()

    def _read(self, connection, number):
        rest = b""
        while True:
            try:
                chunk = connection.recv(65536)
            except OSError:
                chunk = b""
            if not chunk:
                if rest:
                    self._note(Line("cut-off", number))
                return
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._handle(connection, line, number)

    def _handle(self, connection, data, number):
        try:
            if len(data) >= MAXIMUM_LINE_BYTES:
                raise Malformed("too long")
            line = Line(data.decode(), number)
        except (Malformed, UnicodeDecodeError) as problem:
            # Noted as a line of this verb, which no test expects.
            line = Line("malformed", number)
            line.text = f"malformed: {data!r}: {problem}"
            self._note(line)
            return
        self._note(line)
        self._counts[line.verb] += 1
        answers = self._answers[line.verb]
        chosen = answers.popleft() if answers else ANSWERS.get(line.verb, ["error id={id} code=unknown message=no"])
        for answer in chosen:
            text = answer.replace("{id}", line.get("id", "0")).replace("{number}", str(self._counts[line.verb]))
            with contextlib.suppress(OSError):
                connection.sendall(text.encode() + b"\n")

    def _note(self, line):
        with self._changed:
            self.seen.append(line)
            self._changed.notify_all()
