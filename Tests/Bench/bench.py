#!/usr/bin/env python3
"""Curfew against its peers and against the least a C program can do.

    python3 Tests/Bench/bench.py [ROW…] [--curfew PATH] [--rounds N] [--quick] [--json FILE]

Rows: launch, memory, idle, lateness, survivors, suspend, roundtrip, core, overshoot. Without ROW: all of them.
Every figure is measured in this run, A B A B…, next to what it is compared with, so only the ratios mean
anything on another machine. Status: 0 all bars kept, 1 a bar missed, 2 a row could not be measured.
"""

import argparse
import contextlib
import json
import os
import pathlib
import platform
import shutil
import signal
import statistics
import sys
import time

from harness import (
    FAILED, NO_BAR, OK, Bench, BenchError, Conversation, HERE, Line, Process, against, all_pids, descendants,
    executable, judge, note, number, percentile, print_table, read_text, short, skipped, state, wait_until)

DEFAULT_CURFEW = HERE.parent.parent / ".build-static/release/curfew"
SEPARATOR = "::"
MIB = 1024 * 1024


def interleave(commands):
    """The commands as one argument list for the C launchers."""
    words = []
    for command in commands:
        words += [SEPARATOR, *command]
    return words[1:]


def floor_cgroup_works(bench):
    return bench.run([bench.program("floor"), "-g", "true"], 5)[0] == 0


# ---------------------------------------------------------------- launch


def launch_commands(bench):
    """(name, command or None, reason when None); the first is what the rest is compared with."""
    true = shutil.which("true")
    floor, tini, bwrap = bench.program("floor"), shutil.which("tini"), shutil.which("bwrap")
    grouped = floor_cgroup_works(bench)
    contained = bwrap and bench.run([bwrap, "--dev-bind", "/", "/", "true"], 5)[0] == 0
    return [
        ("timeout 10 true", [shutil.which("timeout"), "10", true], ""),
        ("true alone", [true], ""),
        ("curfew run -- true", bench.curfew_run() + [true], ""),
        ("curfew run --containment=tree -- true", bench.curfew_run("--containment=tree") + [true], ""),
        ("C floor", [floor, true], ""),
        ("C floor with a cgroup", [floor, "-g", true] if grouped else None, "no writable cgroup v2"),
        ("tini -s", [tini, "-s", "--", true] if tini else None, "tini not installed"),
        ("bwrap", [bwrap, "--dev-bind", "/", "/", true] if contained else None,
         "bwrap does not work here" if bwrap else "bwrap not installed"),
    ]


def launch_samples(bench, commands, rounds):
    """For every command: wall times, CPU times, processes left when it returned. Any status but 0 fails the row."""
    results = bench.figures([bench.program("launch"), rounds, *interleave(commands)], 60 + rounds)
    samples = [([], [], []) for _ in commands]
    for index, wall, cpu, status, left in results:
        if status != 0:
            command = commands[int(index)]
            stderr = bench.run(command, 20)[2].strip()
            raise BenchError(f"{short(command)}: status {status:.0f} among the launches: {stderr}")
        samples[int(index)][0].append(wall)
        samples[int(index)][1].append(cpu)
        samples[int(index)][2].append(left)
    return samples


def launch_bar(bench, name):
    if name.startswith("curfew run --containment=tree"):
        return {"bar": 1.0, "stretch": 0.87}
    if name.startswith("curfew"):
        return {"bar": 1.1 if bench.makes_a_cgroup() else 1.0}
    return {}


def launch(bench):
    entries = launch_commands(bench)
    present = [(name, command) for name, command, _ in entries if command]
    samples = launch_samples(bench, [command for _, command in present], bench.rounds(400, 60))
    base = {}
    for (name, _), (walls, cpus, left) in zip(present, samples):
        bar = launch_bar(bench, name)
        for kind, values, value in (("wall", walls, None), ("CPU, median", cpus, None),
                                    ("CPU, mean", cpus, statistics.fmean(cpus))):
            line = Line("launch", f"{name}: {kind}", "µs", values, value)
            yield against(line, base.setdefault(kind, line), "timeout", **bar)
        if any(left):
            often = sum(map(bool, left))
            yield Line("launch", f"{name}: left processes when it returned", f"of {len(left)}", value=often)
    yield from (skipped("launch", name, why) for name, command, why in entries if not command)


# ---------------------------------------------------------------- memory


def own_processes(bench, process, before):
    """The wrapper's processes: it, and all with its executable that it started, whether still its children or not."""
    image = executable(process.pid)
    family = {process.pid, *descendants(process.pid)}
    escaped = {pid for pid in set(all_pids()) - before - family if bench.started(pid)}
    return [pid for pid in family | escaped if executable(pid) == image]


def rollup(pid):
    fields = {}
    for line in read_text(f"/proc/{pid}/smaps_rollup").splitlines()[1:]:
        name, value = line.split()[:2]
        fields[name.rstrip(":")] = int(value)
    if "Pss" not in fields:
        raise BenchError(f"/proc/{pid}/smaps_rollup can't be read")
    return fields["Pss"], fields["Private_Dirty"]


def sleeper_of(process):
    sleepers = [p for p in descendants(process.pid) if os.path.basename(executable(p)) in ("sleep", "coreutils")]
    return sleepers[0] if sleepers else None


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


def memory_of(bench, wrapper):
    with around_a_sleep(bench, wrapper) as (_, pids, _):
        sums = [rollup(pid) for pid in pids]
        return sum(pss for pss, _ in sums), sum(dirty for _, dirty in sums), len(pids)


def memory(bench):
    # A program just built has its text in page cache that isn't on disk yet, and that counts as private and dirty.
    os.sync()
    tini = shutil.which("tini")
    wrappers = {"timeout": ["timeout", "2000"], "curfew run": bench.curfew_run(),
                "curfew run --containment=tree": bench.curfew_run("--containment=tree"),
                "C floor": [bench.program("floor")]}
    if tini:
        wrappers["tini -s"] = [tini, "-s", "--"]
    else:
        yield skipped("memory", "tini -s", "tini not installed")
    samples = {name: [] for name in wrappers}
    for _ in range(bench.rounds(3, 1)):
        for name, wrapper in wrappers.items():
            samples[name].append(memory_of(bench, wrapper))
    base = {}
    for name, taken in samples.items():
        for index, (kind, bar) in enumerate((("PSS", 4096), ("private dirty", 512))):
            line = Line("memory", f"{name}: {kind}, {taken[0][2]} process(es)", "KiB", [s[index] for s in taken])
            against(line, base.setdefault(kind, line), "timeout")
            if name.startswith("curfew"):
                line.bar, line.verdict = f"≤ {bar} KiB", judge(line.figure, bar, " KiB")
            yield line


# ---------------------------------------------------------------- idle


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


# Everything that could have to be looked at again and again.
ALL_LIMITS = ["--memory", "200M", "--memory-high", "100M", "--background-memory", "100M", "--memory-low", "5%",
              "--background-cpu", "50%/10s", "--disk-low", "1%", "--locks", "report"]


def idle_wrappers(bench):
    """What it is called: (the name of the app to send home or None, the wrapper)."""
    for name, options in (("curfew", []), ("curfew tree", ["--containment=tree"])):
        for more, limits in ("", []), (", all limits", ALL_LIMITS):
            app = bench.fresh("")
            yield f"{name}{more}, app suspended", (app, bench.curfew_run("--name", app, *options, *limits))
    yield "curfew, app in front", (None, bench.curfew_run("--name", bench.fresh("")))
    yield "timeout", (None, ["timeout", "2000"])
    if shutil.which("tini"):
        yield "tini -s", (None, ["tini", "-s", "--"])


def idle(bench):
    wrappers = dict(idle_wrappers(bench))
    if "tini -s" not in wrappers:
        yield skipped("idle", "tini -s", "tini not installed")
    seconds = bench.options.idle_seconds
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(around_a_sleep(bench, wrapper)) for _, wrapper in wrappers.values()]
        suspended = {app: pid for (app, _), (_, _, pid) in zip(wrappers.values(), held) if app}
        for app, pid in suspended.items():
            send_home(bench, app, pid)
        time.sleep(1)
        before, stalled = [switches(pids) for _, pids, _ in held], memory_stall()
        time.sleep(seconds)
        after, stalled = [switches(pids) for _, pids, _ in held], memory_stall() - stalled
        if any(state(pid) != "T" for pid in suspended.values()):
            raise BenchError("an app did not stay suspended")
    for name, (first, threads), (last, threads_after) in zip(wrappers, before, after):
        count = last - first + len(threads ^ threads_after)
        line = Line("idle", f"{name}: context switches in {seconds:g} s", value=count)
        if name.startswith("curfew"):
            line.bar, line.verdict = "0", judge(count, 0)
        if count and stalled >= 150_000 and "all limits" in name:
            line.ratio, line.verdict = f"others stalled {stalled // 1000} ms", f"{NO_BAR}: their stalls wake it"
        yield line


def memory_stall():
    """For how long somebody on the machine has waited for memory, µs: of 150 ms in 2 s curfew has itself told."""
    _, _, total = read_text("/proc/pressure/memory").partition("total=")
    return int(total.split()[0]) if total else 0


# ---------------------------------------------------------------- lateness


def lateness_samples(bench, wrappers, limit, rounds):
    """For every wrapper (error from the victim's first line, CPU used and wait until then); exec spans. In µs."""
    arena, victim = bench.arena(), bench.program("victim")
    commands = [[*wrapper, victim, arena, "sleep"] for wrapper in wrappers]
    seconds = 30 + rounds * len(wrappers) * (limit + 1)
    kills, spans = [[] for _ in wrappers], []
    for kind, *values in bench.figures([bench.program("lateness"), limit, arena, victim, rounds,
                                        *interleave(commands)], seconds):
        if kind == "span":
            spans.append(values[0])
        else:
            kills[int(values[0])].append(tuple(values[1:]))
    return kills, spans


def lateness(bench):
    limit = 0.2
    wrappers = {
        "timeout 0.2": ["timeout", limit], "timeout -s KILL 0.2": ["timeout", "-s", "KILL", limit],
        "curfew run --time-limit 0.2": bench.curfew_run("--time-limit", limit),
        "curfew tree": bench.curfew_run("--time-limit", limit, "--containment=tree"),
        "C floor": [bench.program("floor"), "-t", limit]}
    kills, spans = lateness_samples(bench, list(wrappers.values()), limit, bench.rounds(40, 6))
    span = statistics.median(spans)
    yield Line("lateness", "from exec to first line of main, calibrated", "µs", spans)
    lines = {"first line": [], "exec": []}
    for name, each in zip(wrappers, kills):
        for start, shift in (("first line", 0), ("exec", span)):
            errors = [error + shift for error, _, _ in each]
            lines[start].append(tail_line(name, start, errors))
            yield Line("lateness", f"{name}: error from {start}", "µs", errors)
            yield Line("lateness", f"{name}: … p50 of |error|", "µs", value=percentile([abs(e) for e in errors], 50))
        yield early_line(name, each, span)
    for start, tails in lines.items():
        peer = min(tails[:2], key=lambda line: line.figure)  # the better of the two timeouts
        for name, line in zip(wrappers, tails):
            judged = name.startswith("curfew") and start == "first line"
            yield against(line, peer, "timeout", 0.5 if judged else None)


def tail_line(name, start, errors):
    tail = percentile([abs(error) for error in errors], 95)
    return Line("lateness", f"{name}: p95 of |error from {start}|", "µs", value=tail)


def early_line(name, kills, span):
    """A victim slower than usual on its way to main was exec'd earlier by so much: that is allowed for."""
    usual = statistics.median(cpu + waited for _, cpu, waited in kills)
    early = sum(1 for error, cpu, waited in kills if error + span + max(0, cpu + waited - usual) < 0)
    before_main = sum(1 for error, _, _ in kills if error < 0)
    line = Line("lateness", f"{name}: killed before exec + limit", f"of {len(kills)}", value=early,
                ratio=f"{before_main} before first line")
    if name.startswith("curfew"):
        line.bar, line.verdict = "0", OK if early == 0 else f"MISSED by {early}"
    return line


# ---------------------------------------------------------------- survivors

KINDS = ["ignore-term", "ignore-all", "stopped", "own-group", "daemon", "comet", "setsid-comet"]
WRAPPER_DEADLINE = 8


def survivor_run(bench, wrapper, kind):
    """(survived, hung) of one victim."""
    arena, mark = bench.arena(), bench.fresh("-mark")
    lock = bench.directory / bench.fresh(".lock")
    lock.touch()
    victim = bench.program("victim")
    harness = [bench.program("survivors"), arena, lock, mark, victim, WRAPPER_DEADLINE]
    (_, _, hung, held, found), = bench.figures([*harness, *wrapper, victim, arena, kind, lock, mark], 30)
    return bool(held or found), bool(hung)


def survivors(bench):
    limit = "0.3"
    wrappers = {
        "curfew": bench.curfew_run("--time-limit", limit),
        "curfew tree": bench.curfew_run("--time-limit", limit, "--containment=tree"),
        "timeout -k 0.1": ["timeout", "-k", "0.1", limit]}
    outcomes = {(name, kind): [] for name in wrappers for kind in KINDS}
    for _ in range(bench.rounds(3, 1)):
        for (name, kind), taken in outcomes.items():
            if not any(hung for _, hung in taken):  # one hang of 8 s is enough
                taken.append(survivor_run(bench, wrappers[name], kind))
    for (name, kind), taken in outcomes.items():
        yield survivors_line(name, kind, taken)


def survivors_line(name, kind, taken):
    survived, hung = sum(s for s, _ in taken), sum(h for _, h in taken)
    line = Line("survivors", f"{name}: {kind}", f"of {len(taken)}", value=survived,
                ratio=f"hung after {WRAPPER_DEADLINE} s" if hung else "")
    if name == "curfew" or (name == "curfew tree" and kind != "setsid-comet"):
        line.bar, line.verdict = "0", OK if survived + hung == 0 else f"MISSED by {max(survived, hung)}"
    return line


# ---------------------------------------------------------------- suspend


def states(pids):
    return {state(pid) for pid in pids}


@contextlib.contextmanager
def idle_app(bench, count, *options):
    """An app of `count` idle processes: (its name, all its pids)."""
    name, ready = bench.fresh(""), bench.directory / bench.fresh(".pids")
    command = bench.curfew_run("--name", name, *options) + [bench.program("suspend"), "app", count, ready]
    with Process(bench, command) as process:
        try:
            wait_until(lambda: ready.exists() or process.popen.poll() is not None, 20, "app ready")
            if process.popen.poll() is not None:
                raise BenchError(f"ended with status {process.popen.returncode}")
            wait_until(socket_of(bench, name).exists, 5, f"control socket {name}.sock")
        except BenchError as error:
            raise process.failure(str(error)) from None
        time.sleep(0.2)
        yield name, [int(pid) for pid in ready.read_text().split()]


def socket_of(bench, name):
    return bench.runtime / "curfew" / f"{name}.sock"


def prove_it_stops(client, pids):
    """The reply must mean what it says: everything stopped when `home` answers, running after `open`."""
    client.ask("home")
    after_home = states(pids)
    client.ask("open")
    after_open = states(pids)
    if after_home != {"T"}:
        raise BenchError(f"home answered with processes in states {sorted(after_home)}, not all T")
    if "T" in after_open:
        raise BenchError("open answered with processes still in state T")


def engine_pairs(bench, count, reps, *options):
    """(stop, continue) times of the C loop and of curfew, one after the other, `reps` times."""
    loops, clients = [], []
    with (idle_app(bench, count, *options) as (name, pids),
          Conversation(bench, [bench.program("suspend"), "loop", count]) as loop,
          Conversation(bench, [bench.program("suspend"), "client", socket_of(bench, name)]) as client):
        loop.read_line(), client.read_line()
        prove_it_stops(client, pids)
        loop.ask()
        for _ in range(reps):
            loops.append(loop.ask())
            clients.append(client.ask())
        prove_it_stops(client, pids)
    return loops, clients


def engine_lines(bench, count, reps, label, *options):
    loops, clients = engine_pairs(bench, count, reps, *options)
    for index, (ours, theirs) in enumerate((("home", "kill(STOP)+waitid"), ("open", "kill(CONT)+waitid"))):
        base = Line("suspend", f"N={count}: C loop, {theirs}", "µs", [pair[index] for pair in loops])
        yield base
        line = Line("suspend", f"N={count}: {label} {ours}, socket to reply", "µs", [pair[index] for pair in clients])
        yield against(line, base, "C loop", 1.5)


@contextlib.contextmanager
def s6_service(bench):
    """An s6-supervise of our own around a sleep; yields its directory."""
    directory = bench.directory / bench.fresh("-s6")
    directory.mkdir()
    run = directory / "run"
    run.write_text("#!/bin/sh\nexec sleep 1000\n")
    run.chmod(0o755)
    with Process(bench, ["s6-supervise", directory]) as process:
        try:
            wait_until(lambda: sleeper_of(process), 5, "s6-supervise's sleep")
            yield directory
        finally:
            bench.run(["s6-svc", "-cxd", directory], 5)
            with contextlib.suppress(Exception):
                process.popen.wait(3)


def shell_lines(bench, count, reps):
    """From a shell: start of the client until its exit. s6-svc stops one process and doesn't wait for it."""
    if not (shutil.which("s6-svc") and shutil.which("s6-supervise")):
        yield skipped("suspend", f"N={count}: from a shell", "s6 not installed")
        return
    with idle_app(bench, count) as (name, _), s6_service(bench) as service:
        commands = [[bench.curfew, "home", name], ["s6-svc", "-p", service],
                    [bench.curfew, "open", name], ["s6-svc", "-c", service]]
        results = bench.figures([bench.program("launch"), "-f", reps, *interleave(commands)], 60 + reps)
    walls = [[wall for index, wall, *_ in results if index == i] for i in range(4)]
    if any(status for *_, status, _ in results):
        raise BenchError(f"{short(commands[0])} or its peers ended with a status other than 0")
    for ours, peer, verb, flag in ((0, 1, "home", "-p"), (2, 3, "open", "-c")):
        base = Line("suspend", f"N={count}: s6-svc {flag}", "µs", walls[peer])
        yield base
        line = Line("suspend", f"N={count}: curfew {verb} NAME", "µs", walls[ours])
        yield against(line, base, "s6-svc", 1.1)


def suspend(bench):
    for count in (1, 10, 100, 1000):
        reps = bench.rounds(20 if count == 1000 else 60, 5)
        yield from engine_lines(bench, count, reps, "curfew")
    for count in (1, 10, 100, 1000):
        reps = bench.rounds(10 if count == 1000 else 20, 5)
        yield from engine_lines(bench, count, reps, "curfew tree", "--containment=tree")
    for count in (1, 10):
        yield from shell_lines(bench, count, bench.rounds(60, 10))


# ---------------------------------------------------------------- roundtrip


def roundtrip_settings():
    """(where, the CPUs both are started on, arguments that move the client). Unpinned, the scheduler's placement
    decides: tenfold either way, and not the same for both. The pinned figures are the ones to trust."""
    cpus = sorted(os.sched_getaffinity(0))
    yield "both on one CPU", {cpus[0]}, []
    if len(cpus) > 1:
        yield "on two CPUs", {cpus[0]}, [cpus[1]]
    yield "not pinned (placement varies)", None, []


def roundtrip(bench):
    count, program = (1000 if bench.options.quick else 5000), bench.program("roundtrip")
    commands = {"C echo": [program, "echo", count], "curfew remaining": bench.curfew_run() + [program, "app", count]}
    settings = list(roundtrip_settings())
    samples = {(where, name): [] for where, _, _ in settings for name in commands}
    for _ in range(bench.rounds(5, 1)):
        for where, cpus, more in settings:
            for name, command in commands.items():
                lines = bench.figures([*command, *more], 60, cpus)
                samples[where, name] += [line[0] for line in lines]
    for where, _, _ in settings:
        base, ours = (Line("roundtrip", f"{name}, {where}", "µs", samples[where, name]) for name in commands)
        yield base
        yield against(ours, base, "C echo", 1.5)


# ---------------------------------------------------------------- core

LIVES = {"aware": "an aware app", "plain": "a plain app", "ten": "an aware app, one of ten"}


def core(bench):
    """One step of the core, all inputs of a life from home to open counted; a bar in nanoseconds, as no peer has one."""
    program = pathlib.Path(bench.curfew).with_name("core-step")
    if not os.access(program, os.X_OK):
        yield skipped("core", "one step", f"{program} isn't built; `make bench` does that")
        return
    samples = {life: [] for life in LIVES}
    for _ in range(bench.rounds(9, 3)):
        for life, nanoseconds, _ in bench.figures([program, 500_000], 60):
            samples[life].append(nanoseconds)
    for life, figures in samples.items():
        line = Line("core", f"one step of {LIVES[life]}", "ns", figures, bar="≤ 200 ns")
        line.verdict = judge(line.figure, 200, " ns")
        yield line


# ---------------------------------------------------------------- overshoot

LIMIT_MIB, MOST_MIB, MIB_PER_S, SHARE_OF_EARLYOOM = 200, 1500, 1024, 1 / 25
REFUSED, NEVER_KILLED = 4, 3
TOUCHED = slice(32, 40)  # `touched` of struct arena


def memory_cgroup_parents():
    """(directory to make a group in, file of its limit), v2 first; only where the memory controller is ours."""
    for line in read_text("/proc/self/mountinfo").splitlines():
        head, _, tail = line.partition(" - ")
        mount, kind = head.split()[4], tail.split()
        own = own_cgroup("memory" if kind[0] == "cgroup" else "")
        here = pathlib.Path(mount + own)
        if kind[0] == "cgroup2" and "memory" in read_text(here / "cgroup.subtree_control").split():
            yield here, "memory.max"
        if kind[0] == "cgroup" and "memory" in kind[2].split(","):
            yield here, "memory.limit_in_bytes"


def own_cgroup(controller):
    for line in read_text("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(",") and not controllers.startswith("name="):
            return "" if path == "/" else path
    return ""


@contextlib.contextmanager
def raw_memory_cgroup(bench):
    """A group of our own with the limit, or None where none can be made; removed in the end."""
    for parent, limit in memory_cgroup_parents():
        group = parent / bench.fresh("-mem")
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / limit).write_text(str(LIMIT_MIB * MIB))
            yield group
        except OSError:
            yield None
        finally:
            remove_cgroup(group)
        return
    yield None


def remove_cgroup(group):
    for _ in range(100):
        try:
            return group.rmdir()
        except OSError:
            time.sleep(0.02)
    note(f"the cgroup {group} could not be removed")


def hog_run(bench, wrapper):
    """(MiB touched past the limit when it ended, status of the wrapper, its stderr)."""
    arena = bench.arena()
    status, _, stderr = bench.run([*wrapper, bench.program("hog"), arena, MOST_MIB, MIB_PER_S], 30)
    touched = int.from_bytes(pathlib.Path(arena).read_bytes()[TOUCHED], sys.byteorder)
    if touched == 0:
        raise BenchError(f"{short(wrapper)}: the hog did not run (status {status}): {stderr.strip()[-400:]}")
    return touched / MIB - LIMIT_MIB, status, stderr


def outcome(status, name):
    if status == NEVER_KILLED:
        return "never killed"
    if status == REFUSED:
        return "allocation refused"
    if name.startswith("curfew") and status != 137:
        return f"status {status}, not 137"
    return f"status {status}"


# Its threshold lies as far below what is available now as the hog may go. It and the hog are alone in a pid namespace,
# so that nobody else can be its victim. It sends SIGKILL at once, with which it was faster than with SIGTERM first.
EARLYOOM = """
: >"$0"
available=$(sed -n 's/^MemAvailable: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo)
least=$((available - LIMIT))
earlyoom -p -r 3600 -M "$least,$least" >"$0" 2>&1 &
until grep -q '^mem avail' "$0"; do sleep 0.02; done
"$@"
exit $?
""".replace("LIMIT", str(LIMIT_MIB * 1024))


def earlyoom(bench):
    """(the wrapper or None, why there is none)."""
    if not shutil.which("earlyoom"):
        return None, "earlyoom not installed"
    for user in [], ["--map-root-user"]:
        namespace = ["unshare", *user, "--pid", "--fork", "--mount-proc", "--kill-child"]
        if bench.run([*namespace, "true"], 5)[0] == 0:
            return [*namespace, "sh", "-c", EARLYOOM, bench.directory / "earlyoom.log"], ""
    return None, "no pid namespace can be made for it"


def overshoot_wrappers(bench, group):
    """What it is called: (the wrapper or None, why there is none)."""
    join = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
    return {
        "earlyoom": earlyoom(bench),
        "curfew run --memory 200M": (bench.curfew_run("--memory", "200M"), ""),
        "curfew tree": (bench.curfew_run("--memory", "200M", "--containment=tree"), ""),
        "raw cgroup limit": (["sh", "-c", join, group] if group else None, "no writable memory cgroup"),
        "prlimit --as": (["prlimit", f"--as={LIMIT_MIB * MIB}", "--"], "")}


def overshoot(bench):
    with raw_memory_cgroup(bench) as group:
        wrappers = overshoot_wrappers(bench, group)
        runs = {name: [] for name, (wrapper, _) in wrappers.items() if wrapper}
        for _ in range(bench.rounds(9, 2)):
            for name, taken in runs.items():
                taken.append(hog_run(bench, wrappers[name][0]))
    lines = {name: overshoot_line(name, taken) for name, taken in runs.items()}
    for name, line in lines.items():
        if name.startswith("curfew"):
            judge_overshoot(line, runs[name], lines.get("earlyoom"), group and name != "curfew tree")
        yield line
    yield from (skipped("overshoot", name, why) for name, (wrapper, why) in wrappers.items() if not wrapper)


def overshoot_line(name, taken):
    past = [each for each, _, _ in taken]
    how = ", ".join(sorted({outcome(status, name) for _, status, _ in taken}))
    return Line("overshoot", f"{name}: past {LIMIT_MIB} MiB at death", "MiB", past,
                ratio=f"worst {number(max(past))}; {how}")


def judge_overshoot(line, taken, peer, is_in_cgroup):
    """In a cgroup by the worst run, which may not pass the limit; sampled by the median, against earlyoom's."""
    if is_in_cgroup:
        line.bar, line.verdict = "worst ≤ 0 MiB", judge(max(line.samples), 0, " MiB")
    elif peer:
        measured = line.ratio
        against(line, peer, "earlyoom", SHARE_OF_EARLYOOM)
        line.ratio += "; " + measured
    wrong = [status for _, status, _ in taken if status != 137]
    if wrong:
        line.verdict = f"MISSED: {len(wrong)} of {len(taken)} not killed for memory"


# ---------------------------------------------------------------- main

ROWS = {row.__name__: row for row in (launch, memory, idle, lateness, survivors, suspend, roundtrip, core, overshoot)}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="which rows; default: all")
    parser.add_argument("--curfew", default=DEFAULT_CURFEW, metavar="PATH", help="default: %(default)s")
    parser.add_argument("--rounds", type=int, metavar="N", help="instead of each row's own number of rounds")
    parser.add_argument("--quick", action="store_true", help="fewer rounds: about a minute, for a first look")
    parser.add_argument("--idle-seconds", type=float, metavar="S", help="the idle row's window; default: 30, quick: 5")
    parser.add_argument("--json", metavar="FILE", help="also write every line to FILE")
    options = parser.parse_args()
    unknown = [row for row in options.rows if row not in ROWS]
    if unknown:
        parser.error(f"unknown row {unknown[0]}; rows are {', '.join(ROWS)}")
    if options.rounds is not None and options.rounds < 1:
        parser.error("--rounds must be at least 1")
    if not os.access(options.curfew, os.X_OK):
        parser.error(f"no executable at {options.curfew}; build it or give --curfew PATH")
    if options.idle_seconds is None:
        options.idle_seconds = 5 if options.quick else 30
    return options


def measure(bench, name):
    """The lines of one row; a row that fails keeps what it had and says why."""
    lines = []
    try:
        for line in ROWS[name](bench):
            lines.append(line)
    except BenchError as error:
        lines.append(Line(name, "could not be measured", verdict=f"{FAILED}: {error}"))
    left = bench.sweep()
    if left:
        lines.append(Line(name, "processes left a second after the row", value=len(left),
                          verdict=f"{FAILED}: killed now: {', '.join(left)}"))
    return lines


def describe_machine():
    load = os.getloadavg()[0]
    cpus = len(os.sched_getaffinity(0))
    return {"kernel": platform.release(), "machine": platform.machine(), "cpus": cpus, "load_before": round(load, 2)}


def exit_status(lines):
    if any(line.verdict.startswith(FAILED) for line in lines):
        return 2
    return 1 if any(line.verdict.startswith("MISSED") for line in lines) else 0


def stop_on_signal(number, _):
    raise SystemExit(128 + number)  # unwinds, so that every process and cgroup of ours is ended on the way


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, stop_on_signal)
    machine, lines, bench = describe_machine(), [], Bench(options)
    try:
        bench.build()
        print("  ".join(f"{key} {value}" for key, value in machine.items()))
        for name in options.rows or ROWS:
            started = time.monotonic()
            found = measure(bench, name)
            print_table(found, headings=not lines)
            note(f"{name}: {time.monotonic() - started:.0f} s")
            lines += found
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    finally:
        bench.sweep(patience=0)
        bench.close()
    if options.json:
        report = {"machine": machine, "curfew": str(options.curfew), "lines": [line.as_json() for line in lines]}
        pathlib.Path(options.json).write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    return exit_status(lines)


if __name__ == "__main__":
    sys.exit(main())
