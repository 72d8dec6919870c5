"""How many system calls of each kind Curfew itself makes for a launch: bounds, so that one made over and over shows.

What a machine lacks (cgroups, root) makes fewer. A mend that needs one more raises its bound here, knowingly.
"""

import collections
import pathlib
import re
import subprocess
import sys

import pytest

from conftest import LIMIT, binary
from programs.helpers import Client, socket_of

pytestmark = pytest.mark.usefixtures("strace")

# Of proxy and supervisor, from their exec to their end, and of the child up to its exec.
USUAL = 4
BOUNDS = {
    "prctl": 12, "openat": 12, "close": 12, "read": 10, "mmap": 6, "fcntl": 10, "rt_sigaction": 10, "epoll_ctl": 8,
    "rt_sigprocmask": 6, "waitid": 6, "setpgid": 6, "brk": 8, "unlinkat": 6, "mkdirat": 6, "getrandom": 6, "getpid": 6,
}
# Each memory cgroup's files.
WITH_MEMORY = BOUNDS | {"openat": 32, "close": 30, "read": 28, "write": 8, "newfstatat": 8}
# By a launch that takes no longer than usual, each by a timer; and the most that one more takes of any call.
LOOKS, CALLS_A_LOOK, MOST_LOOKS = 2, 9, 30
LAUNCHES = {
    "run": (["run", "--"], BOUNDS),
    "run on the tree": (["run", "--containment=tree", "--"], BOUNDS),
    "run with a memory limit": (["run", "--memory", "200M", "--"], WITH_MEMORY),
    "timeout": (["timeout", "10"], BOUNDS),
}


def calls(sandbox, *arguments):
    """The calls by name of what `curfew ARGUMENTS` runs, without those of the programs it starts."""
    trace = sandbox.scratch / "trace"
    result = subprocess.run(
        ["strace", "-f", "-qq", "-o", trace, binary(), *arguments], env=sandbox.environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=LIMIT)
    assert result.returncode == 0, result.stderr
    lines = [line.split(maxsplit=1) for line in trace.read_text().splitlines()]
    parents = {}
    for pid, call in lines:
        made = re.match(r"(?:<\.\.\. )?v?(?:clone3?|fork)\b.*= (\d+)$", call)
        if made:
            parents[made[1]] = pid
    # The first pid's first exec is Curfew's own; whatever execs later is a program, and so is what that starts.
    ours, programs, counts = True, set(), collections.Counter()
    for pid, call in lines:
        if pid in programs or parents.get(pid) in programs:
            programs.add(pid)
            continue
        name = re.match(r"(\w+)\(", call)
        if name:
            counts[name[1]] += 1
        if re.match(r"(<\.\.\. )?execve\b.* = 0$", call):
            if not ours:
                programs.add(pid)
            ours = False
    return counts


def has_cgroups(sandbox):
    return any(
        sandbox.curfew("run", f"--containment={kind}", "--", "true").returncode == 0 for kind in ("cgroup2", "cgroup1"))


@pytest.mark.parametrize("launch", LAUNCHES)
def test_of_a_launch(sandbox, launch):
    arguments, bounds = LAUNCHES[launch]
    if bounds is WITH_MEMORY and not has_cgroups(sandbox):
        pytest.skip("without cgroups memory is looked at as often as the launch takes time for")
    counts = calls(sandbox, *arguments, "/bin/true")
    # Until the kernel is asked to tell of it, memory is looked at every so often: more often where the launch takes longer.
    # One more may have been broken off by the end, before it set its timer.
    looks = min(MOST_LOOKS, max(0, counts["timerfd_settime"] - LOOKS) + 1) if bounds is WITH_MEMORY else 0
    most = {name: count for name, count in counts.items() if count > bounds.get(name, USUAL) + looks * CALLS_A_LOOK}
    assert not most, f"more than expected: {most}; all: {dict(counts)}"
    assert counts["execve"] == 2, counts


def test_a_childs_end_costs_few(sandbox):
    """Orphans come to the supervisor: each end is one wake-up, with one look for what it has said."""
    script = "for i in 1 2 3 4 5 6 7 8 9 10; do (sleep 0 &); done"
    counts = calls(sandbox, "run", "--wait-all", "--", "/bin/sh", "-c", script)
    assert counts["recvmsg"] <= 14, counts


# With the usual few descriptors each, whatever this was started with.
CROWD = """
import os, signal
os.closerange(9, 65536)
for i in range(1000):
    if os.fork() == 0:
        while True: signal.pause()
print("up", flush=True)
signal.pause()
"""


def test_a_thousand_processes_hold_nobody_up(sandbox, strace):
    """Between two looks for what has come, which are the supervisor's epoll_pwait, a part of them at most is dealt with.

    Counted in system calls: to stop, look at or signal all of them at one go takes from 7,000 to 20,000. Not counted is the
    mere list of them by their parents, which is one piece, of four calls each (where the last ones of a tree are looked for).
    Not asked for is the status: where no cgroup counts it, its footprint is one piece.
    """
    if sandbox.curfew("run", "--containment=cgroup2", "--", "true").returncode != 0:
        pytest.skip("there is no cgroup v2 that this user may write to, and a stop by walking is one piece")
    app = sandbox.start(sys.executable, "-c", CROWD, options=["--containment=cgroup2"])
    app.expect("up")
    # Its status isn't asked for: of so many processes that takes as long as it takes.
    proxy = app.process.pid
    supervisor = int(pathlib.Path(f"/proc/{proxy}/task/{proxy}/children").read_text().split()[0])
    trace = sandbox.scratch / "trace"
    with strace.attached(supervisor, "-o", str(trace)) as tracer, Client(socket_of(app)) as client:
        # Not by curfew, which gives up after 10 s.
        for number, verb in enumerate(["home", "events", "open", "quit"]):
            assert client.ask(f"{verb} id={number}").verb == "ok"
        tracer.wait(LIMIT)
    counts, most = collections.Counter(), 0
    for line in trace.read_text(errors="replace").splitlines():
        name = re.match(r"(\w+)\(", line)
        if name and name[1] == "epoll_pwait":
            counts.clear()
        elif name:
            counts[name[1]] += 1
            pieces = counts.total() - 4 * counts["newfstatat"]
            assert pieces < 4000, counts
            most = max(most, pieces)
    assert most > 500, "they were dealt with in no time, which tells nothing"
