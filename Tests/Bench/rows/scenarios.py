"""100 scenarios by `curfew test`, one after the other, and what a shell script does instead by `curfew run`, `home` and `open`."""

import time

from figures import CURFEW, PEER, Line, compare, hold, judge, place

ROW = "scenarios"
COUNT = 100
BAR, OVERHEAD_MS = 1.5, 5

TRANSITIONS = """\
app -- sh -c 'echo up; read -r line'
matrix number {numbers}
launch
await output "up"
home
open
quit
"""

# $1 is curfew. Both wait for the program's word before they send it home. Its input is a pipe that nobody closes.
SCRIPT = """\
mkfifo in out && exec 3<>in 4<>out
number=0
while [ $((number += 1)) -le {count} ]; do
    "$1" run --name scenario -- sh -c 'echo up; read -r line' <&3 >&4 &
    read -r up <&4
    "$1" home scenario
    "$1" open scenario
    "$1" quit scenario
    wait
done
"""

NOTHING = """\
app -- true
matrix number {numbers}
launch
await exit 0
"""

RUNS = """\
number=0
while [ $((number += 1)) -le {count} ]; do
    "$1" run --name scenario -- true
done
"""


def commands(bench, count):
    """By what to call them; each is run in a folder of its own."""
    numbers = " ".join(map(str, range(count)))
    shell = ["sh", "-euc", 'cd "$(mktemp -d "$0.XXXXXX")"; . "$2"']

    def file(name, text):
        path = bench.directory / bench.fresh(name)
        path.write_text(text.format(numbers=numbers, count=count))
        return path

    def script(name, text):
        return [*shell, bench.directory / name, bench.curfew, file(f"-{name}.sh", text)]

    def test(name, text, *options):
        return [bench.curfew, "test", *options, file(f"-{name}.curfew", text)]

    return {
        "script": script("script", SCRIPT), "scenarios": test("scenarios", TRANSITIONS, "--jobs", 1),
        "scenarios side by side": test("scenarios", TRANSITIONS),
        "runs of true": script("runs", RUNS), "scenarios of true": test("nothing", NOTHING, "--jobs", 1)}


def sample(bench, count, rounds):
    """Seconds by command."""
    asked = commands(bench, count)
    samples = {name: [] for name in asked}
    for _ in range(rounds):
        for name, command in asked.items():
            started = time.monotonic()
            bench.check(command, 120)
            samples[name].append(time.monotonic() - started)
    return samples


def measure(bench):
    samples = sample(bench, COUNT, bench.rounds(5, 2))
    script = Line(ROW, f"a shell script: {COUNT} times run, home, open, quit", "s", samples["script"], who=PEER)
    yield script
    for name, jobs in (("scenarios", "--jobs 1"), ("scenarios side by side", "as it comes")):
        line = Line(ROW, f"curfew test, {jobs}: {COUNT} scenarios of the same", "s", samples[name], who=CURFEW)
        compare(line, {"the script": script})
        if name == "scenarios":
            hold(line, "the script", BAR)
        place(line, f"{COUNT} times launched, sent home, opened and quit, × a shell script that does it", f"curfew test, {jobs}",
              script.figure, limit=BAR * script.figure if name == "scenarios" else None)
        yield line
    runs = [seconds * 1000 / COUNT for seconds in samples["runs of true"]]
    scenarios = [seconds * 1000 / COUNT for seconds in samples["scenarios of true"]]
    yield Line(ROW, "curfew run true, from a shell script", "ms", runs, who=CURFEW)
    yield Line(ROW, "curfew test: a scenario that launches true", "ms", scenarios, who=CURFEW)
    beyond = Line(ROW, "a scenario's overhead: the one beyond the other", "ms",
                  [one - other for one, other in zip(scenarios, runs)], who=CURFEW, bar=f"≤ {OVERHEAD_MS} ms")
    beyond.verdict = judge(beyond.figure, OVERHEAD_MS, " ms")
    yield beyond
