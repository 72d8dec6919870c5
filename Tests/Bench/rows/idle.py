"""How often a wrapper wakes while nothing happens: context switches of all its processes in a window."""

import contextlib
import os
import time

import contenders
from contenders import absentees, present
from figures import CURFEW, NO_BAR, Line, Spot, judge, number
from processes import BenchError, Process, all_pids, executable, read_text, state, wait_until
from rows.sleeping import around_a_sleep, is_a_sleep

ROW = "idle"
MANY = 100

# Everything that could have to be looked at again and again.
ALL_LIMITS = ["--memory", "200M", "--memory-high", "100M", "--background-memory", "100M", "--memory-low", "5%",
              "--background-cpu", "50%/10s", "--disk-low", "1%", "--locks", "report"]
VARIANTS = (("curfew run", []), ("curfew run --containment=tree", ["--containment=tree"]),
            ("curfew run, all limits", ALL_LIMITS),
            ("curfew run, tree, all limits", ["--containment=tree", *ALL_LIMITS]))


def switches(pids):
    """Context switches of every thread, and the threads seen: one that came or went has woken too."""
    total, threads = 0, set()
    for pid in pids:
        for thread in os.listdir(f"/proc/{pid}/task"):
            threads.add(thread)
            for line in read_text(f"/proc/{pid}/task/{thread}/status").splitlines():
                if "voluntary_ctxt_switches" in line:
                    total += int(line.split()[1])
    return total, threads


def send_home(bench, name, pid):
    bench.check([bench.curfew, "home", name], 10)
    wait_until(lambda: state(pid) == "T", 5, f"curfew home {name}: the app's process {pid} in state T")


class Watched:
    """Wrappers watched together: what to call them, their processes, and the apps that must stay suspended."""

    def __init__(self, name, column, who, pids, suspended):
        self.name, self.column, self.who, self.pids, self.suspended = name, column, who, pids, suspended


def suspended_app(bench, stack, name, options):
    app = bench.fresh("")
    _, pids, sleeper = stack.enter_context(around_a_sleep(bench, bench.curfew_run("--name", app, *options)))
    send_home(bench, app, sleeper)
    return Watched(name, "1 suspended app", CURFEW, pids, [sleeper])


def many_suspended_apps(bench, stack, name, options):
    """A hundred at once, each with a supervisor of its own."""
    before, apps = set(all_pids()), [bench.fresh("") for _ in range(MANY)]
    for app in apps:
        stack.enter_context(Process(bench, bench.curfew_run("--name", app, *options) + ["sleep", "1000"]))
    sleepers = lambda: [pid for pid in ours(bench, before) if is_a_sleep(pid)]
    wait_until(lambda: len(sleepers()) == MANY, 30, f"{MANY} apps started")
    for app in apps:
        bench.check([bench.curfew, "home", app], 10)
    wait_until(lambda: all(state(pid) == "T" for pid in sleepers()), 10, f"{MANY} apps suspended")
    supervisors = [pid for pid in ours(bench, before) if executable(pid) == bench.curfew]
    return Watched(name, f"{MANY} suspended apps", CURFEW, supervisors, sleepers())


def ours(bench, before):
    return [pid for pid in set(all_pids()) - before if bench.started(pid)]


def alone(bench, stack, wrapper):
    _, pids, _ = stack.enter_context(around_a_sleep(bench, wrapper.command))
    return Watched(wrapper.name, "1 app, not suspended", wrapper.who, pids, [])


def watch_all(bench, stack, entries):
    for name, options in VARIANTS:
        yield suspended_app(bench, stack, name, options)
    for name, options in VARIANTS:
        yield many_suspended_apps(bench, stack, name, options)
    for entry in present(entries):
        yield alone(bench, stack, entry)


def measure(bench):
    entries = [*contenders.curfew(bench), contenders.peer(bench, "timeout", ["timeout", "2000"]),
               *contenders.inits(bench), *contenders.floor(bench)[:1]]
    seconds = bench.options.idle_seconds
    with contextlib.ExitStack() as stack:
        watched = list(watch_all(bench, stack, entries))
        time.sleep(1)
        before, stalled = [switches(each.pids) for each in watched], memory_stall()
        time.sleep(seconds)
        after, stalled = [switches(each.pids) for each in watched], memory_stall() - stalled
        if any(state(pid) != "T" for each in watched for pid in each.suspended):
            raise BenchError("an app did not stay suspended")
    for each, (first, threads), (last, threads_after) in zip(watched, before, after):
        yield line_of(each, last - first + len(threads ^ threads_after), seconds, stalled)
    yield from absentees(ROW, entries)


def line_of(watched, count, seconds, stalled):
    what = f"{watched.name}, {watched.column}: context switches in {number(seconds)} s"
    line = Line(ROW, what, value=count, who=watched.who)
    if watched.who == CURFEW:
        line.bar, line.verdict = "0", judge(count, 0)
    if count and stalled >= 150_000 and "all limits" in watched.name:
        line.verdict, line.remark = NO_BAR, f"others stalled {stalled // 1000} ms for memory, which wakes it"
    panel = f"wake-ups of all the wrapper's processes in {number(seconds)} s while nothing happens"
    line.spots = [Spot(panel, watched.name, watched.column, count=count)]
    return line


def memory_stall():
    """For how long somebody on the machine has waited for memory, µs: of 150 ms in 2 s curfew has itself told."""
    _, _, total = read_text("/proc/pressure/memory").partition("total=")
    return int(total.split()[0]) if total else 0
