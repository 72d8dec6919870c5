"""A wrapper around a sleep, and which processes are the wrapper's own."""

import contextlib
import os
import time

from processes import BenchError, Process, all_pids, descendants, executable, wait_until


def own_processes(bench, process, before):
    """The wrapper's processes: it, and all with its executable that it started, whether still its children or not."""
    image = executable(process.pid)
    family = {process.pid, *descendants(process.pid)}
    escaped = {pid for pid in set(all_pids()) - before - family if bench.started(pid)}
    return [pid for pid in family | escaped if executable(pid) == image]


def is_a_sleep(pid):
    return os.path.basename(executable(pid)) in ("sleep", "coreutils")


def sleeper_of(process):
    return next(filter(is_a_sleep, descendants(process.pid)), None)


@contextlib.contextmanager
def around_a_sleep(bench, wrapper):
    """`WRAPPER sleep 1000`, once the sleep runs: (process, the pids of the wrapper, the pid of the sleep)."""
    before = set(all_pids())
    with Process(bench, [*wrapper, "sleep", "1000"]) as process:
        try:
            wait_until(lambda: sleeper_of(process) or process.popen.poll() is not None, 10, "sleep started")
        except BenchError:
            raise process.failure("the sleep did not start") from None
        if process.popen.poll() is not None:
            raise process.failure(f"ended with status {process.popen.returncode}")
        time.sleep(0.3)
        yield process, own_processes(bench, process, before), sleeper_of(process)
