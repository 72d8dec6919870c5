"""Stopping and continuing a tree until it is known to have happened, on the control socket and from a shell."""

import contextlib
import os
import shutil

from cgroups import own_directories, own_group
from contenders import interleave
from figures import CURFEW, LIMIT, PEER, Line, compare, hold, place, skipped
from processes import BenchError, Conversation, Process, short, state, wait_until
from rows.sleeping import sleeper_of

ROW = "suspend"
COUNTS = (1, 10, 100, 1000)
VERBS = ("home", "open")
# What a request costs both ways is no part of the engine, whose bar this is, and a client can't leave it out. So what it is
# measured against stands behind the same kind of socket and is asked by the same client. It gives the same guarantee: see
# programs/guarantee.c. A loop of kill(2) and waitid(2) over children of its own gives less and is shown as the limit.
BASE = "C, same guarantee"
ENGINE_BAR, SHELL_BAR = 1.3, 1.1


@contextlib.contextmanager
def idle_app(bench, count, *options, cpus=None):
    """An app of `count` idle processes: (its name, all its pids)."""
    name, ready = bench.fresh(""), bench.directory / bench.fresh(".pids")
    command = bench.curfew_run("--name", name, *options) + [bench.program("suspend"), "app", count, ready]
    with Process(bench, command, cpus=cpus) as process:
        try:
            wait_until(lambda: ready.exists() or process.popen.poll() is not None, 20, "app ready")
            if process.popen.poll() is not None:
                raise BenchError(f"ended with status {process.popen.returncode}")
            wait_until(socket_of(bench, name).exists, 5, f"control socket {name}.sock")
        except BenchError as error:
            raise process.failure(str(error)) from None
        wait_until(lambda: "R" not in states(pids_in(ready)), 5, "the app's processes at rest")
        yield name, pids_in(ready)


def pids_in(file):
    return [int(pid) for pid in file.read_text().split()]


def states(pids):
    return {state(pid) for pid in pids}


def socket_of(bench, name):
    return bench.runtime / "curfew" / f"{name}.sock"


def one_cpu():
    """Unpinned, the scheduler's placement decides about the small figures: tenfold, and not the same for both."""
    return {min(os.sched_getaffinity(0))}


def conversation(bench, stack, program, *arguments):
    talk = stack.enter_context(Conversation(bench, [bench.program(program), *arguments], one_cpu()))
    talk.read_line()
    return talk


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


def served(bench, stack, program, *arguments):
    """What `program` answers behind a socket, which is its last argument."""
    socket = bench.directory / bench.fresh(".sock")
    conversation(bench, stack, program, *arguments, socket)
    return conversation(bench, stack, "client", socket)


def same_guarantee(bench, stack, count, is_tree):
    """None where there is no cgroup v2 to be had."""
    group = "-"
    if not is_tree:
        group = stack.enter_context(own_group(bench, [here for version, _, here in own_directories() if version == 2]))
    return group and served(bench, stack, "guarantee", group, count)


def freezers(bench, stack, count):
    """(name, what to ask or None)."""
    hierarchies = list(own_directories())
    for version, parents in (
            (1, [here for version, controllers, here in hierarchies if version == 1 and "freezer" in controllers]),
            (2, [here for version, _, here in hierarchies if version == 2])):
        group = stack.enter_context(own_group(bench, parents))
        mode = f"freezer{version}"
        yield f"v{version} freezer", group and conversation(bench, stack, "suspend", mode, group, count)


def pairs(bench, count, reps, name, *options):
    """(stop, continue) times of the loops, the freezers and Curfew by name, one after the other, `reps` times."""
    with contextlib.ExitStack() as stack:
        app, pids = stack.enter_context(idle_app(bench, count, *options, cpus=one_cpu()))
        client = conversation(bench, stack, "client", socket_of(bench, app))
        asked = {BASE: same_guarantee(bench, stack, count, is_tree=bool(options)),
                 "C loop behind a socket": served(bench, stack, "suspend", "serve", count)}
        if not options:
            asked |= {"C loop": conversation(bench, stack, "suspend", "loop", count)}
            asked |= dict(freezers(bench, stack, count))
        asked[name] = client
        prove_it_stops(client, pids)
        samples = {each: [] for each, talk in asked.items() if talk}
        for rep in range(reps + 1):
            for each, taken in samples.items():
                answer = asked[each].ask()
                if rep:  # the first warms up
                    taken.append(answer)
        prove_it_stops(client, pids)
    return samples, [each for each, talk in asked.items() if not talk]


def engine_lines(bench, count, reps, name, *options):
    samples, missing = pairs(bench, count, reps, name, *options)
    for index, verb in enumerate(VERBS):
        lines = {each: Line(ROW, f"N={count}, {verb}: {each}", "µs", [pair[index] for pair in taken],
                            who=CURFEW if each == name else LIMIT) for each, taken in samples.items()}
        base = lines.get(BASE) or lines["C loop behind a socket"]
        for each, line in lines.items():
            compare(line, {BASE: lines.get(BASE), "C loop": lines["C loop behind a socket"]})
            if each == name:
                hold(line, BASE, ENGINE_BAR)
            if line is not base:
                place(line, f"{verb}, until all of 1, 10, 100, 1,000 processes are known to have "
                      f"{'stopped' if verb == 'home' else 'gone on'}, × a C program of the same guarantee", each, base.figure,
                      mark=f"{count:,}", limit=ENGINE_BAR * base.figure if each == name else None)
            yield line
    yield from (skipped(ROW, f"N={count}: {each}", "no writable cgroup of that kind", LIMIT) for each in missing)


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
        yield skipped(ROW, f"N={count}: from a shell", "s6 not installed")
        return
    with idle_app(bench, count) as (name, _), s6_service(bench) as service:
        least = [bench.program("client"), socket_of(bench, name)]
        commands = [
            ["s6-svc", "-p", service], [*least, "home"], ["s6-svc", "-c", service], [*least, "open"],
            ["s6-svc", "-p", service], [bench.curfew, "home", name],
            ["s6-svc", "-c", service], [bench.curfew, "open", name]]
        results = bench.figures([bench.program("launch"), "-f", reps, *interleave(commands)], 60 + reps)
    if any(status for *_, status, _ in results):
        raise BenchError(f"{short(commands[5])} or its peers ended with a status other than 0")
    walls = [[wall for index, wall, *_ in results if index == i] for i in range(len(commands))]
    for at, verb, flag in ((0, "home", "-p"), (2, "open", "-c")):
        base = Line(ROW, f"N={count}, from a shell: s6-svc {flag}", "µs", walls[at] + walls[at + 4], who=PEER)
        floor = Line(ROW, f"N={count}, from a shell: C client, {verb}", "µs", walls[at + 1], who=LIMIT)
        line = Line(ROW, f"N={count}, from a shell: curfew {verb} NAME", "µs", walls[at + 5], who=CURFEW)
        for each in (base, floor, line):
            compare(each, {"s6-svc": base, "C client": floor})
        hold(line, "s6-svc", SHELL_BAR)
        for each in (floor, line):
            place(each, "the same from a shell, 1 and 10 processes, × s6-svc -p or -c, which stops one",
                  f"C client, {verb}" if each is floor else f"curfew {verb} NAME", base.figure, mark=str(count),
                  limit=SHELL_BAR * base.figure if each is line else None)
        yield from (base, floor, line)


def measure(bench):
    for count in COUNTS:
        reps = bench.rounds(20 if count == 1000 else 60, 5)
        yield from engine_lines(bench, count, reps, "curfew run")
    for count in COUNTS:
        reps = bench.rounds(10 if count == 1000 else 20, 5)
        yield from engine_lines(bench, count, reps, "curfew run --containment=tree", "--containment=tree")
    for count in (1, 10):
        yield from shell_lines(bench, count, bench.rounds(60, 10))
