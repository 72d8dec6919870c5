"""What outlives a wrapper that has killed its child for time: each kind of victim, in each wrapper."""

import contenders
from cgroups import own_directories, remove
from contenders import Contender, absentees, present
from figures import CURFEW, MISSED, OK, Line, Spot, skipped

ROW = "escape"
PANEL = "what outlives a kill for time"
KINDS = {
    "ignore-term": "ignores TERM", "ignore-all": "ignores all", "stopped": "stopped", "frozen": "frozen",
    "own-group": "own group", "daemon": "daemon", "comet": "fork comet", "setsid-comet": "setsid comet"}
LIMIT_S, KILL_AFTER_S, WRAPPER_DEADLINE_S = "0.2", "0.1", 3


def wrappers(bench):
    timeout = ["timeout", "-k", KILL_AFTER_S]
    plain = [("timeout -k", []), ("timeout --foreground -k", ["--foreground"])]
    inside = [
        ("timeout -k, tini -s", ["tini", "-s", "--"]), ("timeout -k, dumb-init", ["dumb-init", "--"]),
        ("timeout -k, bwrap --unshare-pid", ["bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--die-with-parent"])]
    yield from contenders.curfew(bench, ["--time-limit", LIMIT_S], ["-k", KILL_AFTER_S, LIMIT_S])
    for name, options in plain:
        yield contenders.peer(bench, name, [*timeout, *options, LIMIT_S])
    for name, command in inside:
        # Whether it is here is asked of the inner one: `timeout` around what isn't here is there all the same.
        inner = contenders.peer(bench, name, command)
        yield Contender(name, inner.command and [*timeout, LIMIT_S, *inner.command], missing=inner.missing)
    yield from contenders.floor(bench, "-t", LIMIT_S)


def run(bench, wrapper, kind):
    """(survived, hung) of one victim."""
    arena, mark = bench.arena(), bench.fresh("-mark")
    lock = bench.directory / bench.fresh(".lock")
    lock.touch()
    victim = bench.program("victim")
    harness = [bench.program("escape"), arena, lock, mark, victim, WRAPPER_DEADLINE_S]
    try:
        (_, _, hung, held, found), = bench.figures([*harness, *wrapper.command, victim, arena, kind, lock, mark], 30)
    finally:
        remove_groups(mark)
    return bool(held or found), bool(hung)


def remove_groups(name):
    """The group that a frozen victim made below its own; most wrappers know nothing of it."""
    for version, _, here in own_directories():
        if version == 2:
            for group in list(here.glob(f"**/{name}")):
                remove(group)
                if group.parent.name.startswith("curfew-bench-"):
                    remove(group.parent)  # the C floor's, which it couldn't


def kinds_here(bench):
    """A victim can have itself frozen where it may make a group."""
    grouped = bench.run([bench.program("floor"), "-g", "true"], 5)[0] == 0
    return [kind for kind in KINDS if grouped or kind != "frozen"]


def measure(bench):
    entries = list(wrappers(bench))
    kinds = kinds_here(bench)
    outcomes = {entry.name: {kind: [] for kind in kinds} for entry in present(entries)}
    for _ in range(bench.rounds(3, 1)):
        for entry in present(entries):
            for kind, taken in outcomes[entry.name].items():
                if not any(hung for _, hung in taken):  # one hang is enough
                    taken.append(run(bench, entry, kind))
    for entry in present(entries):
        yield line_of(entry, outcomes[entry.name])
    yield from absentees(ROW, entries)
    if "frozen" not in kinds:
        yield skipped(ROW, "a frozen process", "no writable cgroup v2")


def line_of(wrapper, outcomes):
    counts = {kind: sum(survived or hung for survived, hung in taken) for kind, taken in outcomes.items()}
    line = Line(ROW, f"{wrapper.name}: kinds of processes that outlive it", f"of {len(outcomes)}", who=wrapper.who,
                value=sum(map(bool, counts.values())))
    line.remark = ", ".join(describe(kind, counts[kind], taken) for kind, taken in outcomes.items() if counts[kind])
    if wrapper.who == CURFEW:
        escaped = [kind for kind, count in counts.items() if count and not may_escape(wrapper, kind)]
        line.bar, line.verdict = "0", f"{MISSED} by {len(escaped)}" if escaped else OK
    line.spots = [Spot(PANEL, wrapper.name, KINDS[kind], count=count) for kind, count in counts.items()]
    return line


def may_escape(wrapper, kind):
    """Without a cgroup this one alone can't be held: its processes are nobody's descendants for moments."""
    return "tree" in wrapper.name and kind == "setsid-comet"


def describe(kind, count, taken):
    hung = " (hung)" if any(hung for _, hung in taken) else ""
    return f"{KINDS[kind]} {count} of {len(taken)}{hung}"
