"""Curves as one SVG: small charts, both axes in powers of ten, the spread as a band. No library, no script, no font of
its own; it reads on a light and on a dark page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

__all__ = ["Curve", "Point", "drawn"]

WIDTH, HEIGHT, EDGE = 400, 250, 54
COLORS = ("#2f6fde", "#d9822b")
STYLE = (
    "text{font:12px sans-serif;fill:#57606a}.t{font-weight:600;font-size:13px}.g{stroke:#8b949e;stroke-opacity:.3}"
    "@media(prefers-color-scheme:dark){text{fill:#adbac7}}"
)


class Point(NamedTuple):
    """A size, and the microseconds it takes: the median, and where the outer tenths begin."""

    size: int
    middle: float
    low: float
    high: float

    def over(self, parts: int) -> Point:
        return Point(self.size, self.middle / parts, self.low / parts, self.high / parts)


class Curve(NamedTuple):
    """Curves with the same axis share a chart."""

    axis: str
    line: str
    points: list[Point]


class Scale(NamedTuple):
    """From values to places, in powers of ten. What is 0 stands one step before the first power."""

    first: int
    last: int
    start: float
    end: float

    def at(self, value: float) -> float:
        power = math.log10(value) if value > 0 else self.first
        return self.start + (power - self.first) / max(1, self.last - self.first) * (self.end - self.start)


def drawn(curves: Sequence[Curve]) -> str:
    axes = list(dict.fromkeys(curve.axis for curve in curves))
    every = [value for curve in curves for point in curve.points for value in (point.low, point.high)]
    powers = math.floor(math.log10(min(every))), math.ceil(math.log10(max(every)))
    charts = [
        f'<g transform="translate({number % 2 * WIDTH},{number // 2 * HEIGHT})">'
        + _chart(axis, [curve for curve in curves if curve.axis == axis], powers)
        + "</g>"
        for number, axis in enumerate(axes)
    ]
    width, height = 2 * WIDTH, (len(axes) + 1) // 2 * HEIGHT
    title = "What a decision costs as things grow, in microseconds"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">'
        f"<title>{title}</title><style>{STYLE}</style>{''.join(charts)}</svg>\n"
    )


def _chart(axis: str, curves: Sequence[Curve], powers: tuple[int, int]) -> str:
    sizes = [point.size for curve in curves for point in curve.points if point.size]
    zero = any(not point.size for curve in curves for point in curve.points)
    first, last = math.floor(math.log10(min(sizes))) - zero, math.ceil(math.log10(max(sizes)))
    across = Scale(first, last, EDGE, WIDTH - 16)
    up = Scale(*powers, HEIGHT - 40, 34)
    parts = [f'<text class="t" x="{EDGE}" y="18">µs by {escape(axis)}</text>']
    for power in range(powers[0], powers[1] + 1):
        y = up.at(10.0**power)
        parts.append(f'<line class="g" x1="{EDGE}" x2="{WIDTH - 16}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{EDGE - 6}" y="{y + 4:.1f}" text-anchor="end">{_power(power)}</text>')
    for power in range(first, last + 1):
        label = "0" if zero and power == first else _power(power)
        parts.append(f'<text x="{across.at(10.0**power):.1f}" y="{HEIGHT - 22}" text-anchor="middle">{label}</text>')
    for number, curve in enumerate(curves):
        parts.append(_line(curve, across, up, COLORS[number % len(COLORS)]))
        if len(curves) > 1:
            color = COLORS[number % len(COLORS)]
            parts.append(
                f'<text x="{EDGE + 8}" y="{48 + 16 * number}" style="fill:{color}">{escape(curve.line)}</text>'
            )
    return "".join(parts)


def _line(curve: Curve, across: Scale, up: Scale, color: str) -> str:
    points = [(across.at(point.size), point) for point in curve.points]
    band = [f"{x:.1f},{up.at(point.high):.1f}" for x, point in points]
    band += [f"{x:.1f},{up.at(point.low):.1f}" for x, point in reversed(points)]
    line = " ".join(f"{x:.1f},{up.at(point.middle):.1f}" for x, point in points)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{up.at(point.middle):.1f}" r="3" fill="{color}">'
        f"<title>{point.size:,}: {point.middle:,.1f} µs</title></circle>"
        for x, point in points
    )
    return (
        f'<polygon points="{" ".join(band)}" fill="{color}" fill-opacity=".15"/>'
        f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>{dots}'
    )


def _power(power: int) -> str:
    return f"{10**power:,}" if 0 <= power <= 3 else f"10<tspan dy='-5' font-size='9'>{power}</tspan>"
