#!/usr/bin/env python3
"""Draws what a run of the bench measured, as an SVG that can be read on a light and on a dark page.

    python3 Tests/Bench/picture.py REPORT.json PICTURE.svg

REPORT.json must be of a complete run. A panel for each kind of figure, a lane for each program, as multiples of the
panel's base on a logarithmic axis; or a table where figures are counts.
"""

import json
import math
import pathlib
import sys

from svg import STYLE, number, shape, stroke, text

WIDTH, LABELS_END, PLOT_START, PLOT_END, VERDICT_START = 920, 290, 306, 696, 716
LANE, MARKED_LANE, HEADING, AXIS, GAP = 18, 28, 24, 19, 10


# ---------------------------------------------------------------- what is drawn


class Lane:
    """A program's marks in one panel."""

    def __init__(self, name, who):
        self.name, self.who, self.marks = name, who, []

    def add(self, spot, verdict):
        self.marks.append((spot, verdict))

    @property
    def height(self):
        return MARKED_LANE if self.is_marked else LANE

    @property
    def is_marked(self):
        return any(spot["mark"] and spot["count"] is None for spot, _ in self.marks)

    def summary(self):
        """(words, their kind) for the column on the right."""
        missed = [spot for spot, verdict in self.marks if verdict == "missed"]
        judged = [spot for spot, verdict in self.marks if verdict in ("ok", "missed")]
        figure = "" if self.is_marked or self.marks[0][0]["at"] is None else number(self.marks[0][0]["at"]) + "×"
        if self.who != "curfew" or not judged:
            return figure, "soft"
        if not missed:
            return " ".join(filter(None, [figure, "ok"])), "ok"
        where = "at " + ", ".join(spot["mark"] for spot in missed) if len(missed) < len(judged) else ""
        limit = missed[0]["limit"]
        bar = f"(bar {number(limit)}×)" if limit and not where else ""
        return " ".join(filter(None, [figure, "missed", where, bar])), "missed"


def verdict_of(line):
    for kind in ("ok", "missed"):
        if line["verdict"].lower().startswith(kind):
            return kind
    return "free"


def panels_of(report):
    """The panels' headings, each with its lanes, in the order of the run."""
    panels = {}
    for line in report["lines"]:
        for spot in line["spots"]:
            lanes = panels.setdefault(spot["panel"], {})
            lanes.setdefault(spot["lane"], Lane(spot["lane"], line["who"])).add(spot, verdict_of(line))
    return {heading: list(lanes.values()) for heading, lanes in panels.items()}


# ---------------------------------------------------------------- panels with an axis


class Axis:
    """A logarithmic axis that holds all that its panel shows."""

    def __init__(self, lanes):
        spots = [spot for lane in lanes for spot, _ in lane.marks]
        values = [1] + [spot[key] for spot in spots for key in ("at", "low", "high", "limit") if spot[key]]
        values = [value for value in values if value > 0]
        margin = 0.04 * max(math.log(max(values) / min(values)), 0.25)
        self.start, self.end = math.log(min(values)) - margin, math.log(max(values)) + margin

    def x(self, value):
        share = (math.log(max(value, 1e-9)) - self.start) / (self.end - self.start)
        return PLOT_START + min(max(share, 0), 1) * (PLOT_END - PLOT_START)

    def ticks(self):
        """1 first, then the rounder ones first, none too near to another."""
        tens = [10.0 ** power for power in range(-4, 6)]
        candidates = [1.0, *tens, *(5 * ten for ten in tens), *(2 * ten for ten in tens), 1.5, 0.8, 0.9, 1.2, 1.1, 3]
        taken = []
        for value in candidates:
            inside = self.start <= math.log(value) <= self.end
            if inside and all(abs(self.x(value) - self.x(other)) > 38 for other in taken):
                taken.append(value)
        return taken


def axis_lines(axis, top, bottom):
    for value in axis.ticks():
        x = axis.x(value)
        yield stroke(x, top, x, bottom, "one" if value == 1 else "grid")
        yield text(x, bottom + 13, f"{number(value)}×", "small soft", "middle")


def mark_elements(axis, lane, y):
    placed = []
    for spot, verdict in lane.marks:
        x = axis.x(spot["at"])
        kind = verdict if lane.who == "curfew" else lane.who
        if spot["limit"]:
            yield stroke(axis.x(spot["limit"]), y - 9, axis.x(spot["limit"]), y + 9, "bar", 3)
        if spot["high"] > spot["low"]:
            yield stroke(axis.x(spot["low"]), y, axis.x(spot["high"]), y, kind, 1.5)
        yield shape(kind, x, y)
        placed.append((x, spot["mark"]))
    yield from mark_labels(placed, y)


def mark_labels(placed, y):
    """Above the marks; labels that would run into each other become one."""
    groups = [[each] for each in sorted(placed) if each[1]]
    index = 1
    while index < len(groups):
        (_, left_end), (right_start, _) = extent(groups[index - 1]), extent(groups[index])
        if left_end + 5 > right_start:
            groups[index - 1 : index + 1] = [groups[index - 1] + groups[index]]
            index = max(1, index - 1)  # grown, it may reach the one before
        else:
            index += 1
    for group in groups:
        yield text(sum(extent(group)) / 2, y - 7, label_of(group), "small soft", "middle")


def label_of(group):
    return " · ".join(label for _, label in group)


def extent(group):
    middle, half = (group[0][0] + group[-1][0]) / 2, 2.9 * len(label_of(group))
    return middle - half, middle + half


# ---------------------------------------------------------------- panels that are tables


def columns_of(lanes):
    names = list(dict.fromkeys(spot["mark"] for lane in lanes for spot, _ in lane.marks))
    step = (PLOT_END - PLOT_START) / len(names)
    return {name: PLOT_START + (index + 0.5) * step for index, name in enumerate(names)}


def column_heads(columns, y):
    for index, (name, x) in enumerate(columns.items()):
        yield text(x, y - 8 - 11 * (index % 2 if len(columns) > 5 else 0), name, "small soft", "middle")


def cell_elements(columns, lane, y):
    for spot, _ in lane.marks:
        x = columns[spot["mark"]]
        yield shape("missed" if spot["count"] else "ok", x, y)
        if len(columns) <= 5:
            yield text(x + 10, y + 4, str(spot["count"]), "small")


# ---------------------------------------------------------------- the whole


def panel_elements(heading, lanes, top):
    """(the y after the panel, its elements)."""
    is_table = all(spot["count"] is not None for lane in lanes for spot, _ in lane.marks)
    first = top + HEADING + (24 if is_table else 4)
    last = first + sum(lane.height for lane in lanes)
    end = last + (8 if is_table else AXIS)
    elements = [f'<rect x="12" y="{top:.1f}" width="{WIDTH - 24}" height="{end - top:.1f}" rx="6" class="panel"/>']
    elements.append(text(24, top + 18, heading[0].upper() + heading[1:], "heading"))
    columns, axis = (columns_of(lanes), None) if is_table else (None, Axis(lanes))
    elements += column_heads(columns, first) if is_table else axis_lines(axis, first, last)
    y = first
    for lane in lanes:
        middle = y + lane.height / 2 + (5 if lane.is_marked else 0)
        words, kind = lane.summary()
        elements.append(text(LABELS_END, middle + 4, lane.name, "own" if lane.who == "curfew" else "", "end"))
        elements += cell_elements(columns, lane, middle) if is_table else mark_elements(axis, lane, middle)
        if kind != "soft":
            elements.append(shape(kind, VERDICT_START, middle))
        elements.append(text(VERDICT_START + 12, middle + 4, words, kind))
        y += lane.height
    return end + GAP, elements


def header(report):
    machine = report["machine"]
    kernel = ".".join(machine["kernel"].split(".")[:2])
    yield text(24, 34, "Curfew, its peers, and the physical limit", "title")
    where = f"{machine['cpus']} CPUs ({machine['machine']}), Linux {kernel}"
    yield text(24, 54, f"Measured {machine['date']} on {where}, all in one run, in turn.", "soft")
    yield text(24, 70, "Marks are medians, as multiples of what a panel's heading names; lines reach from p10 to p90.", "soft")
    x = 30
    for kind, words in (("ok", "bar kept, nothing left over"), ("missed", "bar missed, something left over"),
                        ("free", "Curfew, no bar"), ("peer", "peer"), ("limit", "physical limit: the least C program")):
        yield shape(kind, x, 91)
        yield text(x + 11, 95, words, "small")
        x += 11 + 5.6 * len(words) + 18
    yield stroke(x, 82, x, 100, "bar", 3)
    yield text(x + 9, 95, "bar", "small")


def draw(report):
    elements, y = list(header(report)), 112
    for heading, lanes in panels_of(report).items():
        y, more = panel_elements(heading, lanes, y)
        elements += more
    height = y - GAP + 12
    body = "\n".join(elements)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'height="{height:.0f}" role="img" aria-label="Curfew, its peers and the physical limit">\n'
        f'<style>{STYLE}</style>\n<rect width="100%" height="100%" class="page"/>\n{body}\n</svg>\n')


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    report = json.loads(pathlib.Path(sys.argv[1]).read_text())
    if not report["complete"]:
        sys.exit(f"{sys.argv[1]} isn't of a complete run")
    pathlib.Path(sys.argv[2]).write_text(draw(report))


if __name__ == "__main__":
    main()
