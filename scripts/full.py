"""The long parts of `make full`, one after the other: each has its say, and the end tells what became of all of them.

    python scripts/full.py [PART …] [--jobs N] [--minutes N] [--again] [--list] [--json FILE]

tests/full.toml says what a part runs. A part that fails does not keep the others from running; the run ends with 1. All
parts together take hours, so a run can be cut short and gone on with: a part that has passed on this very commit, in
this checkout, is not run again, unless it is named or `--again` says so. `--minutes` begins no part after that time.
What each printed is in build/full/PART.log.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PARTS = ROOT / "tests" / "full.toml"
KEPT = ROOT / "build" / "full"
KEYS = {"takes", "tests", "sizes", "script", "first", "strict"}


class Part(NamedTuple):
    """
    takes   minutes, about
    tests   what pytest runs, with `sizes` in the environment
    script  a Python script in their place
    first   a script that installs what is needed
    strict  what cannot be tested fails
    """

    name: str
    takes: int
    tests: tuple[str, ...] = ()
    sizes: tuple[tuple[str, str], ...] = ()
    script: str = ""
    first: str = ""
    strict: bool = False

    def commands(self, jobs: int) -> list[list[str]]:
        run = [sys.executable, "-m", "pytest", "--dist", "worksteal", "-n", str(jobs), *self.tests]
        if self.script:
            run = [sys.executable, self.script, "--jobs", str(jobs)]
        return [[self.first], run] if self.first else [run]

    @property
    def environment(self) -> dict[str, str]:
        sizes = {f"INTERLOCK_{name}": value for name, value in self.sizes}
        lasting = {"INTERLOCK_QUOTAS": "off", "PYTEST_TIMEOUT": "0"}
        return {**os.environ, **lasting, **({"CI": "1"} if self.strict else {}), **sizes}


class Done(NamedTuple):
    """What became of a part: `passed` or `failed`, with the last line that it printed."""

    status: str
    seconds: int
    said: str
    commit: str


def parts_of(text: str) -> dict[str, Part]:
    """The parts, the quickest first."""
    found = []
    for name, row in tomllib.loads(text).items():
        if unknown := row.keys() - KEYS:
            raise SystemExit(f"tests/full.toml: [{name}] has no `{min(unknown)}`")
        if bool(row.get("tests")) == bool(row.get("script")):
            raise SystemExit(f"tests/full.toml: [{name}] needs either `tests` or `script`")
        given = {**row, "tests": tuple(row.get("tests", ())), "sizes": tuple(row.get("sizes", {}).items())}
        found.append(Part(name=name, **given))
    return {part.name: part for part in sorted(found, key=lambda part: part.takes)}


def commit_now() -> str:
    """The commit that is checked out; empty where files differ from it, or where that cannot be told."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return "" if git("status", "--porcelain") else git("rev-parse", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return ""


def kept_of(part: Part, commit: str) -> Done | None:
    """How it passed on this commit before."""
    try:
        done = Done(**json.loads((KEPT / f"{part.name}.json").read_text()))
    except (OSError, ValueError, TypeError):
        return None
    return done if commit and (done.status, done.commit) == ("passed", commit) else None


def run(part: Part, jobs: int, commit: str) -> Done:
    KEPT.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    log = KEPT / f"{part.name}.log"
    with log.open("wb") as out:
        ended = [
            subprocess.call(command, cwd=ROOT, env=part.environment, stdout=out, stderr=subprocess.STDOUT)
            for command in part.commands(jobs)
        ]
    lines = log.read_text(errors="replace").split("\n")
    said = next((line.strip("= ") for line in reversed(lines) if line.strip()), "")
    done = Done("failed" if any(ended) else "passed", round(time.monotonic() - began), said, commit)
    (KEPT / f"{part.name}.json").write_text(json.dumps(done._asdict()))
    return done


def main(given: list[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("part", nargs="*", help="these alone, whether or not they have passed before")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    options.add_argument("--minutes", type=float, metavar="N", help="begin no part after that time")
    options.add_argument("--again", action="store_true", help="also what has passed on this commit")
    options.add_argument("--list", action="store_true", help="show the parts, and run nothing")
    options.add_argument("--json", metavar="FILE", help="write what became of each part here too")
    asked = options.parse_args(given)
    parts = parts_of(PARTS.read_text(encoding="utf-8"))
    if unknown := [name for name in asked.part if name not in parts]:
        print(f"there is no part `{unknown[0]}`; parts: {' '.join(parts)}", file=sys.stderr)
        return 64
    commit, began = commit_now(), time.monotonic()
    wanted = [parts[name] for name in asked.part or parts]
    if asked.list:
        for part in wanted:
            before = kept_of(part, commit)
            print(f"{part.name:13} about {part.takes:3} min  {'passed on this commit' if before else 'to be run'}")
        return 0
    found: dict[str, Any] = {}
    for at, part in enumerate(wanted, start=1):
        before = None if asked.again or asked.part else kept_of(part, commit)
        head = f"[{at}/{len(wanted)}] {part.name:13}"
        if before is not None:
            found[part.name] = before
            print(f"{head} passed before in {before.seconds} s: {before.said}", flush=True)
        elif asked.minutes is not None and time.monotonic() - began > asked.minutes * 60:
            found[part.name] = Done("not run", 0, "out of time", commit)
            print(f"{head} not run: out of time", flush=True)
        else:
            print(f"{head} about {part.takes} min …", flush=True)
            done = found[part.name] = run(part, asked.jobs, commit)
            print(f"{head} {done.status} in {done.seconds} s: {done.said}", flush=True)
    if asked.json:
        Path(asked.json).write_text(json.dumps({name: done._asdict() for name, done in found.items()}, indent=1))
    counts = {status: [name for name, done in found.items() if done.status == status] for status in STATUSES}
    print("; ".join(f"{len(names)} {status}: {' '.join(names)}" for status, names in counts.items() if names))
    return 0 if len(counts["passed"]) == len(found) else 1


STATUSES = ("passed", "failed", "not run")


if __name__ == "__main__":
    sys.exit(main())
