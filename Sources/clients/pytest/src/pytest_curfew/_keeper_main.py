"""The keeper of one app: starts it, and ends everything below itself when the test is over, or the test's process gone.

    python -I -S _keeper_main.py DESCRIPTOR FOLDER

DESCRIPTOR is a connected SOCK_SEQPACKET socket, whose other end the test's process holds. Each message there is a JSON
array of words to run: with two descriptors, its input and its output, an app, whose end is told by a message
`{"exited": STATUS}`; without, a helper. When the socket ends, SIGKILL goes to all of them, what they have started is
waited for or killed too, and FOLDER is removed. It is a process of its own because a test's may be killed at any
moment, and a single thread because a process is killed with the thread that has started it (PR_SET_PDEATHSIG).
"""

import ctypes
import fcntl
import json
import os
import select
import shutil
import signal
import socket
import sys
import termios
import time
from typing import List, NoReturn, Optional, Sequence

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
LONGEST_MESSAGE = 1 << 18

# How long a supervisor may take to end its app once `curfew run` is killed, in seconds, before it is killed itself; and
# how long a killed process may take to be gone.
GRACE = 10.0
PATIENCE = 30.0
INTERVAL = 0.05

libc = ctypes.CDLL(None, use_errno=True)


class Keeper:
    def __init__(self, link: socket.socket, folder: str) -> None:
        self.link = link
        self.folder = folder
        self.app: Optional[int] = None
        self.helpers: List[int] = []
        # A child's end writes a byte here.
        self.woken, waking = os.pipe()
        for end in (self.woken, waking):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)

    def run(self) -> None:
        waiting = select.poll()
        waiting.register(self.link, select.POLLIN)
        waiting.register(self.woken, select.POLLIN)
        while True:
            ready = [number for number, _ in waiting.poll()]
            if self.woken in ready:
                self.reap()
            if self.link.fileno() in ready and not self.take():
                return self.end()

    def take(self) -> bool:
        """One message; False at the end."""
        try:
            message, descriptors, _, _ = socket.recv_fds(self.link, LONGEST_MESSAGE, 2)
        except ConnectionResetError:
            return False
        if not message:
            return False
        for number in descriptors:
            os.set_inheritable(number, False)
        words = json.loads(message)
        if descriptors:
            self.app = self.start(words, descriptors)
        else:
            null = os.open(os.devnull, os.O_RDWR)
            descriptors = [null]
            self.helpers.append(self.start(words, [null, null]))
        for number in descriptors:
            os.close(number)
        return True

    def start(self, words: Sequence[str], streams: Sequence[int]) -> int:
        keeper = os.getpid()
        child = os.fork()
        if child == 0:
            become(words, streams, keeper)
        return child

    def reap(self) -> bool:
        """Takes in who has ended; False when nobody is left."""
        try:
            os.read(self.woken, 4096)
        except BlockingIOError:
            pass
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid in self.helpers:
                self.helpers.remove(pid)
            if pid == self.app:
                self.app = None
                self.tell(os.waitstatus_to_exitcode(status))

    def tell(self, code: int) -> None:
        try:
            self.link.send(json.dumps({"exited": code if code >= 0 else 128 - code}).encode())
        except OSError:
            pass  # nobody wants to know any more

    # The end

    def end(self) -> None:
        """Nobody else reaps our children, so their numbers are theirs until `reap`."""
        curfew = program(self.app) if self.app else None
        for pid in [self.app, *self.helpers]:
            if pid is not None:
                os.kill(pid, signal.SIGKILL)
        # Its supervisor, ours now, ends what was started, clears up and ends itself.
        limit = time.monotonic() + GRACE
        while curfew and curfew in map(program, self.children()) and time.monotonic() < limit:
            self.wait(INTERVAL)
        limit = time.monotonic() + PATIENCE
        while self.reap() and time.monotonic() < limit:
            for pid in self.children():
                os.kill(pid, signal.SIGKILL)
            # What those had started is ours then.
            self.wait(INTERVAL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def wait(self, seconds: float) -> None:
        """Until a child has ended, or for so long."""
        select.select([self.woken], [], [], seconds)
        self.reap()

    def children(self) -> List[int]:
        found = []
        for entry in os.listdir("/proc"):
            try:
                with open(f"/proc/{int(entry)}/stat", encoding="utf-8", errors="replace") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
            except (ValueError, OSError):
                continue
            if parent == os.getpid():
                found.append(int(entry))
        return found


def program(pid: int) -> Optional[str]:
    """Which one a process runs; None when it has ended."""
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return None


def become(words: Sequence[str], streams: Sequence[int], keeper: int) -> NoReturn:
    """In the child: leads a session, has its streams, ends with the keeper, and is that command."""
    status = 127
    try:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != keeper:
            os.kill(os.getpid(), signal.SIGKILL)
        signal.set_wakeup_fd(-1)
        # Python ignores these.
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(ignored, signal.SIG_DFL)
        os.setsid()
        for number, stream in enumerate([streams[0], streams[1], streams[1]]):
            os.dup2(stream, number)
        if os.isatty(0):
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        os.execvp(words[0], list(words))
    except OSError as problem:
        status = 127 if isinstance(problem, FileNotFoundError) else 126
        os.write(2, f"can't run {words[0]}: {problem.strerror}\n".encode())
    finally:
        os._exit(status)


def main() -> None:
    link = socket.socket(fileno=int(sys.argv[1]))
    link.set_inheritable(False)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
    Keeper(link, sys.argv[2]).run()


if __name__ == "__main__":
    main()
