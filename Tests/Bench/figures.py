"""The figures of the bench: percentiles, lines with their ratios and verdicts, the table."""

import dataclasses
import statistics

OK, NO_BAR, FAILED, MISSED, SKIPPED = "ok", "no bar", "FAILED", "MISSED", "skipped"
CURFEW, PEER, LIMIT = "curfew", "peer", "limit"  # whose figure it is; the last is the physical limit


def percentile(samples, share):
    """Nearest rank: the smallest sample that `share` of them don't exceed."""
    ordered = sorted(samples)
    rank = max(1, -(-len(ordered) * share // 100))
    return ordered[int(rank) - 1]


def number(value):
    if abs(value) >= 1000:
        return f"{value:.0f}"
    text = (f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}").removesuffix(".00").removesuffix(".0")
    return "0" if text == "-0" else text


@dataclasses.dataclass
class Spot:
    """Where a line stands in the picture: a mark in a lane of a panel."""

    panel: str
    lane: str
    mark: str = ""
    count: int | None = None  # a cell of a table, in the column `mark`; else:
    at: float | None = None  # on the panel's logarithmic axis
    low: float | None = None
    high: float | None = None
    limit: float | None = None  # the bar, on the same axis


@dataclasses.dataclass
class Line:
    row: str
    what: str
    unit: str = ""
    samples: list = dataclasses.field(default_factory=list)
    value: float | None = None  # when the figure isn't the samples' median
    who: str = PEER
    ratios: dict = dataclasses.field(default_factory=dict)
    bar: str = ""
    verdict: str = NO_BAR
    remark: str = ""
    spots: list = dataclasses.field(default_factory=list)

    @property
    def figure(self):
        if self.value is not None:
            return self.value
        return statistics.median(self.samples) if self.samples else None

    @property
    def spread(self):
        if len(self.samples) < 2:
            return None
        return percentile(self.samples, 10), percentile(self.samples, 90)

    def cells(self):
        figure = "" if self.figure is None else f"{number(self.figure)} {self.unit}".strip()
        spread = "–".join(number(end) for end in self.spread) if self.spread else ""
        ratios = ", ".join(f"{number(ratio)}× {name}" for name, ratio in self.ratios.items())
        verdict = "; ".join(filter(None, [self.verdict, self.remark]))
        return [self.row, self.what, figure, spread, ratios, self.bar, verdict]

    def as_json(self):
        spread = self.spread or (None, None)
        return {
            "row": self.row, "what": self.what, "who": self.who, "unit": self.unit, "value": self.figure,
            "p10": spread[0], "p90": spread[1], "count": len(self.samples), "ratios": self.ratios, "bar": self.bar,
            "verdict": self.verdict, "remark": self.remark,
            "spots": [dataclasses.asdict(spot) for spot in self.spots]}


def judge(value, bar, unit=""):
    return OK if value <= bar else f"{MISSED} by {number(value - bar)}{unit}"


def compare(line, bases):
    """The line's ratio to each of `bases`, lines by what to call them; those that weren't measured are left out."""
    for name, base in bases.items():
        if base is not None and base.figure:
            line.ratios[name] = line.figure / base.figure
    return line


def hold(line, name, bar, stretch=None):
    """Judges the line by its ratio to what `name` calls; `bar` is an upper limit."""
    if name not in line.ratios:
        return line
    line.bar = f"≤ {bar:g}× {name}" + (f" (stretch {stretch:g}×)" if stretch else "")
    line.verdict = judge(line.ratios[name], bar, "×")
    if stretch and line.ratios[name] <= stretch:
        line.verdict = f"{OK}, stretch too"
    return line


def place(line, panel, lane, base, mark="", limit=None):
    """Puts the line into the picture as a multiple of `base`, with its spread and its bar; all in the same unit."""
    low, high = line.spread or (line.figure, line.figure)
    line.spots = [Spot(panel, lane, mark, None, line.figure / base, low / base, high / base, limit and limit / base)]
    return line


def skipped(row, what, why, who=PEER):
    return Line(row, what, who=who, verdict=f"{SKIPPED}: {why}")


HEADINGS = ["row", "what", "median", "p10–p90", "ratio", "bar", "verdict"]


def print_table(lines, headings=True, widths=(9, 60, 12, 14, 34, 25)):
    rows = ([HEADINGS] if headings else []) + [line.cells() for line in lines]
    for row in rows:
        padded = [text.ljust(width) for text, width in zip(row, widths)]
        print("  ".join(padded + row[len(widths):]).rstrip(), flush=True)
