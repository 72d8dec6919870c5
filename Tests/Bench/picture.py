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
from xml.sax.saxutils import escape

WIDTH, LABELS_END, PLOT_START, PLOT_END, VERDICT_START = 920, 268, 288, 692, 712
LANE, MARKED_LANE, HEADING, AXIS, GAP = 19, 30, 22, 20, 20

STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
.title { font-size: 19px; font-weight: 600 } .heading { font-weight: 600; font-size: 13px }
.soft { fill: #59636e } .small { font-size: 10.5px } .own { font-weight: 600 }
.page { fill: #ffffff } .panel { fill: #f6f8fa } .grid { stroke: #d1d9e0 } .one { stroke: #818b98; stroke-dasharray: 3 3 }
.peer { fill: #818b98; stroke: #818b98 } .limit { fill: #0969da; stroke: #0969da } .free { fill: none; stroke: #1f2328 }
.ok { fill: #1a7f37; stroke: #1a7f37 } .missed { fill: none; stroke: #cf222e } .bar { stroke: #9a6700; stroke-width: 3 }
text.ok { stroke: none } text.missed { fill: #cf222e; stroke: none }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .soft { fill: #9198a1 } .page { fill: #0d1117 } .panel { fill: #151b23 } .grid { stroke: #3d444d }
.one { stroke: #9198a1 } .peer { fill: #9198a1; stroke: #9198a1 } .limit { fill: #4493f8; stroke: #4493f8 }
.free { stroke: #f0f6fc } .ok { fill: #3fb950; stroke: #3fb950 } .missed { stroke: #ff7b72 } text.missed { fill: #ff7b72 }
.bar { stroke: #e3b341 }
}
"""


# ---------------------------------------------------------------- elements


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def stroke(x1, y1, x2, y2, kind, width=1):
    return f'<path d="M{x1:.1f},{y1:.1f} L{x2:.1f},{y2:.1f}" class="{kind}" stroke-width="{width}"/>'


def shape(kind, x, y):
    """Told apart by form, not by colour alone."""
    if kind == "missed":
        return f'<path d="M{x - 5:.1f},{y - 5:.1f} l10,10 m0,-10 l-10,10" class="missed" stroke-width="2.5"/>'
    if kind == "limit":
        return f'<path d="M{x:.1f},{y - 5:.1f} l5,5 -5,5 -5,-5 z" class="limit"/>'
    if kind == "peer":
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" class="peer"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" class="{kind}" stroke-width="2"/>'


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


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
        where = "at " + ", ".join(spot["mark"] for spot in missed) if self.is_marked else ""
        limit = missed[0]["limit"]
        bar = f"(bar {number(limit)}×)" if limit and not self.is_marked else ""
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
        candidates = [1.0, *tens, *(5 * ten for ten in tens), *(2 * ten for ten in tens), 1.5, 0.8, 0.9, 1.2, 1.1, 3, 0.7]
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
    """Above its mark; below it where the one to the left is too near."""
    last = {-8: -math.inf, 16: -math.inf}
    for x, label in sorted(placed):
        half = 3.2 * len(label)
        free = [offset for offset, end in last.items() if x - half > end + 3]
        if label and free:
            yield text(x, y + free[0], label, "small soft", "middle")
            last[free[0]] = x + half


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
        middle = y + lane.height / 2
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
    yield text(24, 54, f"Measured {machine['date']} on {machine['cpus']} CPUs ({machine['machine']}), Linux {kernel}, all in "
               "one run, in turn. Medians as multiples of what each heading names; lines: p10 to p90.", "soft")
    x = 30
    for kind, words in (("ok", "Curfew, bar kept"), ("missed", "Curfew, bar missed; or something left over"),
                        ("free", "Curfew, no bar"), ("peer", "peer"), ("limit", "physical limit: the least C program")):
        yield shape(kind, x, 73)
        yield text(x + 11, 77, words, "small")
        x += 11 + 6.1 * len(words) + 18
    yield stroke(x, 64, x, 82, "bar", 3)
    yield text(x + 9, 77, "bar", "small")


def draw(report):
    elements, y = list(header(report)), 96
    for heading, lanes in panels_of(report).items():
        y, more = panel_elements(heading, lanes, y)
        elements += more
    height = y - GAP + 12
    body = "\n".join(elements)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" height="{height:.0f}" '
        f'role="img" aria-label="Curfew, its peers and the physical limit: medians, spreads, bars and verdicts">\n'
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
