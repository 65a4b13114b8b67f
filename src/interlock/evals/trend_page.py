"""The history of a file of runs as one HTML page: charts as inline SVG, a table below, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .rates import FIGURES
from .trend import Run

__all__ = ["page_of"]

_WIDTH, _HEIGHT, _PAD = 560, 150, 34
_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --dim: #6b7686; --line: #2f6fde; --grid: #e3e7ee; --paper: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf1; --dim: #95a0b2; --line: #7fb0ff; --grid: #2b3442; --paper: #151a22; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 75rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1rem; margin: 0 0 .2rem; } p { color: var(--dim); margin: .2rem 0 1rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); gap: 1.5rem; }
figure { margin: 0; } svg { width: 100%; height: auto; } svg text { fill: var(--dim); font-size: 11px; }
.grid { stroke: var(--grid); } .trend { fill: none; stroke: var(--line); stroke-width: 2; } .dot { fill: var(--line); }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin-top: 2rem; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .7rem; border-bottom: 1px solid var(--grid); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
"""


def page_of(runs: Sequence[Run]) -> str:
    charts = "".join(_chart(name, says, runs) for name, (says, _) in FIGURES.items())
    last = runs[-1]
    about = f"{len(runs)} runs, the last with Interlock {last.engine} on {last.machine}"
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Interlock evaluations</title>'
        f"<style>{_STYLE}</style><h1>Interlock evaluations</h1><p>{escape(about)}</p>"
        f'<div class="charts">{charts}</div>{_table(runs)}</html>\n'
    )


def _chart(name: str, says: str, runs: Sequence[Run]) -> str:
    points = [(at, value) for at, run in enumerate(runs) if (value := run.figures.get(name)) is not None]
    if not points:
        return ""
    low, high = min(value for _, value in points), max(value for _, value in points)
    if low == high:
        low, high = low - abs(low) * 0.05 - 0.01, high + abs(high) * 0.05 + 0.01
    wide, tall = _WIDTH - 2 * _PAD, _HEIGHT - 2 * _PAD

    def spot(at: int, value: float) -> tuple[float, float]:
        return _PAD + wide * at / max(1, len(runs) - 1), _PAD + tall * (high - value) / (high - low)

    spots = [(*spot(at, value), at, value) for at, value in points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _, _ in spots)
    dots = "".join(
        f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3">'
        f"<title>{escape(f'{runs[at].at}  {value:g}  ({runs[at].engine})')}</title></circle>"
        for x, y, at, value in spots
    )
    grid = "".join(
        f'<line class="grid" x1="{_PAD}" x2="{_WIDTH - _PAD}" y1="{y}" y2="{y}"/>'
        f'<text x="2" y="{y + 4}">{value:.4g}</text>'
        for y, value in ((_PAD, high), (_HEIGHT - _PAD, low))
    )
    label = f"{name}: {points[-1][1]:g} in the last run"
    return (
        f"<figure><h2>{escape(name)}</h2><p>{escape(says)}: <strong>{points[-1][1]:g}</strong></p>"
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(label)}">{grid}'
        f'<polyline class="trend" points="{line}"/>{dots}</svg></figure>'
    )


def _table(runs: Sequence[Run]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in ("when", "engine", "policy", "cases", *FIGURES, "note"))
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in _cells(run))}</tr>" for run in reversed(runs))
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def _cells(run: Run) -> list[str]:
    figures = [run.figures.get(name) for name in FIGURES]
    told = ["" if value is None else f"{value:g}" for value in figures]
    return [run.at, run.engine, run.policy.removeprefix("sha256:")[:10], str(run.cases), *told, run.note]
