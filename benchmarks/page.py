"""Runs every benchmark, keeps the results as JSON, and writes the page of them: `make bench`.

    python benchmarks/page.py [NAME …] [--quick] [--write]

docs/benchmarks.json holds each benchmark's figures with the moment and the load of the machine; with names, only those
are measured anew and the rest stays. docs/benchmarks.svg has the curves, and the tables go between the markers of
docs/benchmarks.md. `--quick` takes short runs, and the page says so; `--write` measures nothing and writes the page
from the JSON. A benchmark that fails or misses a bar does not stop the others: the exit code is 1, and the page tells.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.plot import Curve, Point, drawn
from benchmarks.result import Figure

from interlock import __version__

__all__ = ["machine", "put_between", "table_of"]

ROOT = Path(__file__).parents[1]
PAGE, DATA, PLOT = (ROOT / "docs" / f"benchmarks.{kind}" for kind in ("md", "json", "svg"))

# name -> title, arguments of a quick run
BENCHES: dict[str, tuple[str, str]] = {
    "run": ("The hook, one process for each call", "--rounds 10 --lines 3000"),
    "engine": ("A warm engine, recording on", "--calls 20 --rounds 3"),
    "serve": ("The service", "--seconds 1 --rounds 1 --polls 50"),
    "relay": ("The MCP relay", "--calls 40 --rounds 1"),
    "proxy": ("The model proxy", "--chunks 300 --rounds 1 --streams 20"),
    "undo": ("Checkpoints", "--rounds 4"),
    "ledger": ("The ledger", "--rows 20000 --rounds 8"),
    "growth": ("Many rules and many grants", "--rounds 12"),
    "curves": ("Growth", "--rounds 6 --rows 10000"),
    "row_of_hooks": ("Hooks in a row", "--hooks 200"),
    "long_session": ("One long session", "--writes 200"),
}


def machine() -> dict[str, object]:
    """What a figure hangs on besides the code."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "interlock": __version__,
        "commit": commit.stdout.strip(),
    }


def measured(name: str, *, quick: bool) -> dict[str, Any]:
    """What the benchmark says of itself, when it was run, and the load before it began."""
    words = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), "--json"]
    before, began = [round(load, 2) for load in os.getloadavg()], time.time()
    done = subprocess.run(
        [*words, *(BENCHES[name][1].split() if quick else ())], stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT
    )
    when = {"at": time.strftime("%Y-%m-%d %H:%M", time.gmtime(began)), "seconds": round(time.time() - began)}
    about = {**when, "load_before": before, "quick": quick, "machine": machine()}
    try:
        return {**json.loads(done.stdout), **about}
    except ValueError:
        return {"benchmark": name, "figures": [], "failed": f"it ended with {done.returncode}", **about}


def table_of(figures: list[Figure]) -> str:
    """Columns that no figure fills are left out."""
    columns: dict[str, list[str]] = {
        "": [figure.what for figure in figures],
        "median": [figure.shown for figure in figures],
        "8 of 10 lie within": [figure.range for figure in figures],
        "that is": [figure.note for figure in figures],
        "bar": [f"{one.bar}: {'met' if one.met else '**missed**'}" if one.bar else "" for one in figures],
    }
    if not any(columns["8 of 10 lie within"]):
        columns = {("figure" if name == "median" else name): cells for name, cells in columns.items()}
    shown = {name: cells for name, cells in columns.items() if any(cells)}
    lines = [f"| {' | '.join(shown)} |", f"|{'---|' * len(shown)}"]
    cells = [[cell.replace("|", "\\|") for cell in row] for row in zip(*shown.values(), strict=True)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in cells)])


def section(name: str, result: dict[str, Any]) -> str:
    title = f"### {BENCHES[name][0]}\n\n"
    load = f"load {result['load_before'][0]} before"
    if "load" in result:
        load += f" and {result['load'][0]} after"
    short = ", a short run" if result["quick"] else ""
    told = f"`benchmarks/{name}.py`, {result['at']} UTC, {result['seconds']} s{short}; {load}.\n"
    if "failed" in result:
        return f"{title}{told}\nNot measured: {result['failed']}.\n"
    picture = "\n![What a decision costs as things grow](benchmarks.svg)\n" if name == "curves" else ""
    return f"{title}{told}{picture}\n{table_of([Figure(**row) for row in result['figures']])}\n"


def written(results: dict[str, dict[str, Any]]) -> str:
    """The generated part of the page."""
    known = [name for name in BENCHES if name in results]
    commits: dict[str, list[str]] = {}  # a machine in words -> the versions that were measured on it
    for one in (results[name]["machine"] for name in known):
        told = f"Python {one['python']}, {one['processor']} ({one['cores']} cores), {one['system']}"
        version = f"{one['interlock']} ({one['commit']})"
        if version not in commits.setdefault(told, []):
            commits[told].append(version)
    machines = [f"Interlock {', '.join(versions)}, {told}." for told, versions in commits.items()]
    loads = [results[name]["load_before"][0] for name in known]
    cores = os.cpu_count() or 1
    busy = (
        f"\n\n**The machine was busy** (load up to {max(loads):g} on {cores} cores): "
        "compare the ratios within one run, not the milliseconds."
        if loads and max(loads) > cores
        else ""
    )
    missing = [name for name in BENCHES if name not in results]
    left = f"\n\nNot measured yet: {', '.join(missing)}." if missing else ""
    return "\n".join([" ".join(machines) + busy + left + "\n", *(section(name, results[name]) for name in known)])


def put_between(page: str, name: str, text: str) -> str:
    first, last = f"<!-- generated: {name} -->", f"<!-- end of generated: {name} -->"
    before, found, rest = page.partition(first)
    _, ends, after = rest.partition(last)
    if not found or not ends:
        raise SystemExit(f"{PAGE} has no part `{name}`")
    return f"{before}{first}\n{text.strip()}\n{last}{after}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHES)}; all by default")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if unknown := sorted(set(given.names) - set(BENCHES)):
        parser.error(f"no benchmark is called {', '.join(unknown)}")
    results: dict[str, dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    missed = False
    for name in [] if given.write else given.names or BENCHES:
        print(f"{name} …", file=sys.stderr, flush=True)
        results[name] = measured(name, quick=given.quick)
        figures = [Figure(**row) for row in results[name]["figures"]]
        missed = missed or "failed" in results[name] or not all(figure.met for figure in figures)
        print(f"{BENCHES[name][0]}\n{table_of(figures) if figures else results[name]['failed']}\n", flush=True)
        DATA.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if "curves" in results.get("curves", {}):
        told = results["curves"]["curves"]
        curves = [Curve(one["axis"], one["line"], [Point(**point) for point in one["points"]]) for one in told]
        PLOT.write_text(drawn(curves), encoding="utf-8")
    PAGE.write_text(put_between(PAGE.read_text(encoding="utf-8"), "benchmarks", written(results)), encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
