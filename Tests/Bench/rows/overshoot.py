"""How far past its limit an allocator of 1 GiB/s comes before it is dead."""

import pathlib
import shutil
import sys

import contenders
from cgroups import own_directories, own_group
from contenders import Contender, absentees, present
from figures import CURFEW, LIMIT, MISSED, Line, compare, judge, number, place
from processes import BenchError, short

ROW = "overshoot"
LIMIT_MIB, MOST_MIB, MIB_PER_S, SHARE_OF_EARLYOOM = 200, 1500, 1024, 1 / 25
MIB = 1024 * 1024
REFUSED, NEVER_KILLED = 4, 3
TOUCHED = slice(16, 24)  # `touched` of struct arena


def limited_group(bench):
    """A memory group of our own with the limit, or None where none can be made."""
    files = {2: "memory.max", 1: "memory.limit_in_bytes"}
    limits = {here: files[version] for version, controllers, here in own_directories() if "memory" in controllers}
    return own_group(bench, limits, lambda group: (group / limits[group.parent]).write_text(str(LIMIT_MIB * MIB)))


def run(bench, wrapper):
    """(MiB touched past the limit when it ended, status of the wrapper, its stderr)."""
    arena = bench.arena()
    status, _, stderr = bench.run([*wrapper.command, bench.program("hog"), arena, MOST_MIB, MIB_PER_S], 30)
    touched = int.from_bytes(pathlib.Path(arena).read_bytes()[TOUCHED], sys.byteorder)
    if touched == 0:
        raise BenchError(f"{short(wrapper.command)}: the hog did not run (status {status}): {stderr.strip()[-400:]}")
    return touched / MIB - LIMIT_MIB, status


def outcome(status, wrapper):
    if status == NEVER_KILLED:
        return "never killed"
    if status == REFUSED:
        return "allocation refused"
    if wrapper.who == CURFEW and status != 137:
        return f"status {status}, not 137"
    return f"killed by signal {-status}" if status < 0 else f"status {status}"


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
    if not shutil.which("earlyoom"):
        return Contender("earlyoom", None, missing="earlyoom not installed")
    for user in [], ["--map-root-user"]:
        namespace = ["unshare", *user, "--pid", "--fork", "--mount-proc", "--kill-child"]
        if bench.run([*namespace, "true"], 5)[0] == 0:
            return Contender("earlyoom", [*namespace, "sh", "-c", EARLYOOM, bench.directory / "earlyoom.log"])
    return Contender("earlyoom", None, missing="no pid namespace can be made for it")


def wrappers(bench, group):
    join = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
    memory = ["--memory", f"{LIMIT_MIB}M"]
    return [
        earlyoom(bench), *contenders.curfew(bench, memory, [*memory, "60"]),
        Contender("raw cgroup limit", ["sh", "-c", join, group] if group else None, LIMIT, "no writable memory cgroup"),
        contenders.peer(bench, "RLIMIT_AS (prlimit --as)", ["prlimit", f"--as={LIMIT_MIB * MIB}", "--"])]


def measure(bench):
    with limited_group(bench) as group:
        entries = wrappers(bench, group)
        here = present(entries)
        runs = {entry.name: [] for entry in here}
        for _ in range(bench.rounds(9, 2)):
            for entry in here:
                runs[entry.name].append(run(bench, entry))
    lines = {entry.name: line_of(entry, runs[entry.name]) for entry in here}
    for entry in here:
        line = lines[entry.name]
        compare(line, {"earlyoom": lines.get("earlyoom")})
        limit = None
        if entry.who == CURFEW:
            limit = hold(line, runs[entry.name], lines.get("earlyoom"), group and "tree" not in entry.name)
        show(line, entry.name, limit)
        yield line
    yield from absentees(ROW, entries)


def line_of(wrapper, taken):
    past = [each for each, _ in taken]
    how = ", ".join(sorted({outcome(status, wrapper) for _, status in taken}))
    return Line(ROW, f"{wrapper.name}: past {LIMIT_MIB} MiB at death", "MiB", past, who=wrapper.who,
                remark=f"worst {number(max(past))} MiB; {how}")


def hold(line, taken, peer, is_in_cgroup):
    """In a cgroup by the worst run, which may not pass the limit; sampled by the median, against earlyoom's. Returns
    the bar in MiB past the limit, None where there is nothing to compare with."""
    bar = None
    if is_in_cgroup:
        bar, line.bar, line.verdict = 0, "worst ≤ 0 MiB", judge(max(line.samples), 0, " MiB")
    elif peer:
        bar = SHARE_OF_EARLYOOM * peer.figure
        line.bar, line.verdict = f"≤ {SHARE_OF_EARLYOOM:g}× earlyoom", judge(line.figure, bar, " MiB")
    wrong = [status for _, status in taken if status != 137]
    if wrong:
        line.verdict = f"{MISSED}: {len(wrong)} of {len(taken)} not killed for memory"
    return bar


def show(line, name, bar):
    """What it had touched at its death, since what is past the limit can be less than nothing."""
    total = Line(ROW, name, samples=[LIMIT_MIB + past for past in line.samples])
    place(total, "memory touched by a 1 GiB/s allocator when it died, × its limit of 200 MiB", name, LIMIT_MIB,
          limit=None if bar is None else LIMIT_MIB + bar)
    line.spots = total.spots
