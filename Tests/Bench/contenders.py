"""Who is measured: Curfew as users start it, the peers from Debian's packages, the least a C program can do.

A contender is a wrapper: words to put in front of a command. One that isn't here, or doesn't work here, says why.
"""

import dataclasses
import shutil

from figures import CURFEW, LIMIT, PEER, skipped

SEPARATOR = "::"


@dataclasses.dataclass
class Contender:
    name: str
    command: list | None
    who: str = PEER
    missing: str = ""


def curfew(bench, run_options=(), timeout_arguments=("2000",)):
    """`curfew run` as it comes, which makes a cgroup where it may, without one, and `curfew timeout`."""
    return [
        Contender("curfew run", bench.curfew_run(*run_options), CURFEW),
        Contender("curfew run --containment=tree", bench.curfew_run(*run_options, "--containment=tree"), CURFEW),
        working(bench, "curfew timeout", [bench.curfew, "timeout", *timeout_arguments], CURFEW)]


def floor(bench, *options):
    """The C supervisor, and the same with a cgroup of its own."""
    program = bench.program("floor")
    return [
        Contender("C floor", [program, *options], LIMIT),
        working(bench, "C floor with a cgroup", [program, "-g", *options], LIMIT, "no writable cgroup v2")]


def peer(bench, name, command):
    return working(bench, name, [str(word) for word in command], PEER)


def inits(bench):
    return [peer(bench, "tini -s", ["tini", "-s", "--"]), peer(bench, "dumb-init", ["dumb-init", "--"])]


def bwrap(bench, *options):
    return peer(bench, " ".join(["bwrap", *options]), ["bwrap", "--dev-bind", "/", "/", *options])


def working(bench, name, command, who, missing=""):
    """The contender if it can run `true` here."""
    if not shutil.which(command[0]):
        return Contender(name, None, who, f"{command[0]} not installed")
    status, _, stderr = bench.run([*command, "true"], 10)
    if status != 0:
        why = f"around `true` it ends with status {status}: {stderr.strip()[:60]}"
        return Contender(name, None, who, missing or why)
    return Contender(name, command, who)


def present(contenders):
    return [contender for contender in contenders if contender.command is not None]


def absentees(row, contenders, case=""):
    for contender in contenders:
        if contender.command is None:
            yield skipped(row, case + contender.name, contender.missing, contender.who)


def interleave(commands):
    """The commands as one argument list for the C programs that start them in turn."""
    words = []
    for command in commands:
        words += [SEPARATOR, *command]
    return words[1:]
