"""The few elements that the picture is made of, and their looks on a light and on a dark page."""

from xml.sax.saxutils import escape

STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
.title { font-size: 19px; font-weight: 600 } .heading { font-weight: 600; font-size: 13px }
.soft { fill: #59636e } .small { font-size: 10.5px } .own { font-weight: 600 }
.page { fill: #ffffff } .panel { fill: #f6f8fa }
.grid { stroke: #d1d9e0 } .one { stroke: #818b98; stroke-dasharray: 3 3 } .bar { stroke: #9a6700; stroke-width: 3 }
.peer { fill: #818b98; stroke: #818b98 } .limit { fill: #0969da; stroke: #0969da }
.ok { fill: #1a7f37; stroke: #1a7f37 } .missed { fill: none; stroke: #cf222e } .free { fill: none; stroke: #1f2328 }
text.ok { stroke: none } text.missed { fill: #cf222e; stroke: none }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .soft { fill: #9198a1 } .page { fill: #0d1117 } .panel { fill: #151b23 }
.grid { stroke: #3d444d } .one { stroke: #9198a1 } .bar { stroke: #e3b341 }
.peer { fill: #9198a1; stroke: #9198a1 } .limit { fill: #4493f8; stroke: #4493f8 }
.ok { fill: #3fb950; stroke: #3fb950 } .missed { stroke: #ff7b72 } text.missed { fill: #ff7b72 }
.free { stroke: #f0f6fc }
}
"""


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
