"""Thousands of apps below one server: what each costs it, how fast they come and go, and what one of them costs."""

import time

import fleet
from figures import CURFEW, LIMIT, MISSED, OK, PEER, Line, compare, hold, judge, number, place, skipped
from rows.idle import switches

ROW = "fleet"
COUNT, COUNT_QUICK, FEW = 5000, 200, 10
MOST_KIB, MOST_DESCRIPTORS = 2, 3
LEAST_RATE, LEAST_OF_PEERS = 0.7, 3
MOST_OF_INPUT, MOST_OF_OPEN, MOST_OF_END = 1.5, 1.2, 1.5
CONTAINMENTS = {"cgroups": "cgroup2", "tree": "tree"}
# On the tree each app has a reaper: a process more.
LEAST = {"cgroups": "C loop", "tree": "C loop, a reaper each"}
ASKED = {"status": "status app=app5", "home": "home app=app5"}


class Run:
    """What one server of so many showed."""

    def __init__(self, bench, kind, count):
        with fleet.Server(bench, f"--containment={kind}") as server:
            server.launch(FEW)
            server.suspend_all()
            time.sleep(1)
            weight, descriptors = server.private_kib, server.descriptors
            self.few = self.costs(server)
            self.rate = server.launch(count)
            server.suspend_all()
            time.sleep(1)
            self.many = self.costs(server)
            self.kib = (server.private_kib - weight) / count
            self.descriptors = (server.descriptors - descriptors) / count
            before, threads = switches([server.pid])
            time.sleep(bench.options.idle_seconds)
            after, threads_after = switches([server.pid])
            self.wakes = after - before + len(threads ^ threads_after)
            self.end = server.stop()

    @staticmethod
    def costs(server):
        """µs each, the least of several tries: others are at work on the machine too."""
        costs = {name: min(server.microseconds(*[request] * 50) / 50 for _ in range(20))
                 for name, request in ASKED.items()}
        costs["open"] = sorted(Run.opened(server) for _ in range(60))[15]
        return costs

    @staticmethod
    def opened(server):
        taken = server.microseconds("open app=app5")
        server.ask("home app=app5")
        server.wait_suspended("app5")
        return taken


def measure(bench):
    count = COUNT_QUICK if bench.options.quick else COUNT
    least = {name: [] for name in LEAST.values()}
    peers = {name: [] for name in fleet.PEER_COMMANDS}
    runs = {name: [] for name in CONTAINMENTS}
    for _ in range(bench.rounds(3, 1)):
        least["C loop"].append(fleet.least(bench, count))
        least["C loop, a reaper each"].append(fleet.least(bench, count, "-r"))
        for name, kind in CONTAINMENTS.items():
            runs[name].append(Run(bench, kind, count))
        for name, rates in peers.items():
            rates.append(fleet.peer_rate(bench, name, count))
    yield from rate_lines(count, least, peers, runs)
    for name in CONTAINMENTS:
        yield from own_lines(count, name, runs[name])
    yield from end_lines(count, least, runs)


def rate_lines(count, least, peers, runs):
    def line(name, samples, who):
        return Line(ROW, f"N={count}, {name}: launched", "/s", samples, who=who)

    floors = {name: line(name, [rate for rate, _ in samples], LIMIT) for name, samples in least.items()}
    others = {name: line(name, rates, PEER) for name, rates in peers.items() if None not in rates}
    base = floors["C loop"]
    panel = "programs started a second below one supervisor, × a C loop (more is better)"
    for name, each in runs.items():
        own = line(f"curfew serve, {name}", [run.rate for run in each], CURFEW)
        compare(own, {"C": floors[LEAST[name]], **others})
        rivals = [own.ratios[peer] for peer in ("circus", "supervisord") if peer in own.ratios]
        own.bar = f"≥ {LEAST_RATE}× C, ≥ {LEAST_OF_PEERS}× circus, supervisord"
        own.verdict = at_least(own.ratios["C"], LEAST_RATE)
        if own.verdict == OK and rivals:
            own.verdict = at_least(min(rivals), LEAST_OF_PEERS)
        place(own, panel, own.what, base.figure, limit=LEAST_RATE * floors[LEAST[name]].figure)
        yield own
    for other in [*floors.values(), *others.values()]:
        if other is not base:
            place(compare(other, {"C": base}), panel, other.what, base.figure)
        yield other
    for name in peers.keys() - others.keys():
        yield skipped(ROW, name, "not installed")


def at_least(ratio, bar):
    return OK if ratio >= bar else f"{MISSED} by {number(bar - ratio)}×"


def own_lines(count, name, runs):
    def line(what, unit, samples):
        return Line(ROW, f"N={count}, curfew serve, {name}: {what}", unit, samples, who=CURFEW)

    def held(what, unit, samples, most):
        found = line(what, unit, samples)
        found.bar, found.verdict = f"≤ {most} {unit}".strip(), judge(found.figure, most, f" {unit}".rstrip())
        return found

    yield held("private memory for each", "KiB", [run.kib for run in runs], MOST_KIB)
    yield held("descriptors kept for each", "", [run.descriptors for run in runs], MOST_DESCRIPTORS)
    yield held("context switches while all are suspended", "", [run.wakes for run in runs], 0)
    for what, most in (("status", MOST_OF_INPUT), ("home", MOST_OF_INPUT), ("open", MOST_OF_OPEN)):
        few = line(f"{what} of one, with {FEW}", "µs", [run.few[what] for run in runs])
        many = line(f"{what} of one, with all", "µs", [run.many[what] for run in runs])
        yield few
        yield hold(compare(many, {f"with {FEW}": few}), f"with {FEW}", most)


def end_lines(count, least, runs):
    floors = {name: Line(ROW, f"N={count}, {name}: all ended", "ms", [ms for _, ms in samples], who=LIMIT)
              for name, samples in least.items()}
    yield from floors.values()
    for name, each in runs.items():
        line = Line(ROW, f"N={count}, curfew serve, {name}: all ended", "ms", [run.end for run in each], who=CURFEW)
        yield hold(compare(line, {"C": floors[LEAST[name]]}), "C", MOST_OF_END)
