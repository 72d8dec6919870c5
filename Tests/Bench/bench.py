#!/usr/bin/env python3
"""Curfew against its peers and against the least a C program can do.

    python3 Tests/Bench/bench.py [ROW…] [--curfew PATH] [--rounds N] [--quick] [--results DIRECTORY]

Without ROW: all of them. Every figure is measured in this run, A B A B…, next to what it is compared with, so only
the ratios mean anything on another machine. Curfew is driven as users drive it, by its command line and the control
channel that docs/protocol.md describes; the row `core` alone isn't, and says why. Prints a table; leaves in DIRECTORY
what it measured, as JSON and as a picture, named after the rows. Status: 0 all bars kept, 1 a bar missed, 2 a row could
not be measured.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import signal
import sys
import time

import picture
from figures import FAILED, MISSED, Line, print_table
from harness import HERE, Bench, note
from processes import BenchError
from rows import (
    asleep, children, core, escape, firstbyte, fleet, honest, idle, lateness, launch, memory, overshoot, paged, requests, roundtrip,
    scenarios, schedules, suites, suspend, wake)

ROWS = {row.ROW: row for row in (
    launch, memory, lateness, escape, suspend, roundtrip, overshoot, idle, core, children, scenarios,
    suites, wake, paged, asleep, requests, firstbyte, fleet, honest, schedules)}
BUILD = HERE.parent.parent / ".build-static"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"which rows of {', '.join(ROWS)}; default: all")
    parser.add_argument("--curfew", default=BUILD / "release/curfew", metavar="PATH", help="default: %(default)s")
    parser.add_argument("--rounds", type=int, metavar="N", help="instead of each row's own number of rounds")
    parser.add_argument("--quick", action="store_true", help="fewer rounds: about a minute, for a first look")
    parser.add_argument("--idle-seconds", type=float, metavar="S", help="the idle row's window; default: 30, quick: 5")
    parser.add_argument("--results", type=pathlib.Path, default=BUILD / "bench", metavar="DIRECTORY",
                        help="default: %(default)s")
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
        for line in ROWS[name].measure(bench):
            lines.append(line)
    except BenchError as error:
        lines.append(Line(name, "could not be measured", verdict=f"{FAILED}: {error}"))
    left = bench.sweep()
    if left:
        lines.append(Line(name, "processes left a second after the row", value=len(left),
                          verdict=f"{FAILED}: killed now: {', '.join(left)}"))
    return lines


def measure_all(bench, names):
    lines = []
    for name in names:
        started = time.monotonic()
        found = measure(bench, name)
        print_table(found, headings=not lines)
        note(f"{name}: {time.monotonic() - started:.0f} s")
        lines += found
    return lines


def describe_machine():
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(), "machine": platform.machine(),
        "kernel": platform.release(), "cpus": len(os.sched_getaffinity(0)), "load_before": round(os.getloadavg()[0], 2)}


def keep(options, machine, lines):
    """Writes the JSON and the picture. Only a run of everything, at its full length, is called `all`."""
    complete = not options.quick and options.rounds is None
    name = "-".join(filter(None, ["" if complete else "rough", "-".join(options.rows) or "all"]))
    report = {
        "machine": machine, "complete": complete and not options.rows, "lines": [line.as_json() for line in lines]}
    options.results.mkdir(parents=True, exist_ok=True)
    file = options.results / f"{name}.json"
    file.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    drawing = file.with_suffix(".svg")
    drawing.write_text(picture.draw(report))
    note(f"{file} and {drawing}")


def exit_status(lines):
    if any(line.verdict.startswith(FAILED) for line in lines):
        return 2
    return 1 if any(line.verdict.startswith(MISSED) for line in lines) else 0


def stop_on_signal(number, _):
    raise SystemExit(128 + number)  # unwinds, so that every process and cgroup of ours is ended on the way


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, stop_on_signal)
    machine, bench = describe_machine(), Bench(options)
    try:
        bench.build()
        print("  ".join(f"{key} {value}" for key, value in machine.items()))
        lines = measure_all(bench, options.rows or ROWS)
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    finally:
        bench.sweep(patience=0)
        bench.close()
    keep(options, machine, lines)
    return exit_status(lines)


if __name__ == "__main__":
    sys.exit(main())
