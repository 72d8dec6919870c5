"""The test's side of an app's keeper."""

from __future__ import annotations

import json
import os
import pathlib
import socket
import subprocess
import sys
from typing import Mapping, Optional, Sequence

from ._failures import CurfewError

__tracebackhide__ = True

_PROGRAM = pathlib.Path(__file__).with_name("_keeper_main.py")
# Longer than it gives what it ends.
_PATIENCE = 60.0


class Keeper:
    """The process that starts an app and its helpers, and outlives this one to end them: see `_keeper_main`."""

    def __init__(self, folder: str, directory: str, environment: Mapping[str, str]) -> None:
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.link = ours
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_PROGRAM), str(its.fileno()), folder], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, pass_fds=[its.fileno()], cwd=directory, env=dict(environment),
                start_new_session=True)
        except OSError as problem:
            ours.close()
            raise CurfewError(f"can't start a process in {directory}: {problem.strerror}") from None
        finally:
            its.close()

    def launch(self, words: Sequence[str], streams: Sequence[int]) -> None:
        """Starts the app with that input and output; `read` tells of its end."""
        self._send(words, streams)

    def begin(self, words: Sequence[str]) -> None:
        """Starts a helper, which runs on beside."""
        self._send(words, [])

    def _send(self, words: Sequence[str], streams: Sequence[int]) -> None:
        try:
            socket.send_fds(self.link, [json.dumps(list(words)).encode()], list(streams))
        except OSError as problem:
            raise CurfewError(f"can't have {words[0]} started: {os.strerror(problem.errno or 0)}") from None

    def read(self) -> int:
        """The app's status, as a shell tells it, once the link is readable; a killed one's when the keeper is gone."""
        try:
            message = self.link.recv(4096)
        except OSError:
            message = b""
        return int(json.loads(message)["exited"]) if message else 137

    def hang_up(self) -> None:
        """Has it end everything; even while others have inherited our end of the link."""
        self.link.shutdown(socket.SHUT_WR)

    def wait(self) -> Optional[str]:
        """Waits until it has; what went wrong where it hasn't."""
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return f"what the test has started hasn't ended within {_PATIENCE:g} s of SIGKILL"
        finally:
            self.link.close()
        return None
