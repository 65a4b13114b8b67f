"""What a decision costs as rules and grants grow: 10,000 rules and 100,000 grants against ten rules and none.

    python benchmarks/growth.py [--rounds N] [--json]

The ratio is that of the median decision in one interleaved run. Rules and grants are of the kinds
that people write: by exact action, by family, by path, by branch, by host, by tool. The cold
figures load the compiled policy from its cache and decide once, as the hook does.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from interlock.action import Reading
from interlock.approve.grant import Grant
from interlock.approve.held import Held
from interlock.call import Call
from interlock.decide import decide
from interlock.facts import Facts
from interlock.policy.model import Policy
from interlock.session import Session
from interlock.store.facts import read_with_facts
from interlock.store.folders import Folders, folders_for
from interlock.store.policies import load_policy
from interlock.toolnames import declared_tool
from interlock.value import FrozenMap

__all__ = ["cold", "grants_of", "growth", "policy_text"]

RULES, GRANTS, BAR = 10_000, 100_000, 1.3

# Kinds of rules and of grants, `{n}` is a number: they are given in turn.
WHENS = (
    '{{ action = "deploy:service{n}" }}',
    '{{ action = "git:push", target = {{ branch = "release/{n}" }} }}',
    '{{ action = "fs:write", target = {{ path = "/srv/app{n}/*" }} }}',
    '{{ action = "net:fetch", target = {{ host = "host{n}.example.com" }} }}',
    '{{ action = "svc{n}:*", effects = ["destructive"] }}',
    '{{ tool = "mcp__server{n}__send", risk = "medium" }}',
    '{{ action = "kubectl:apply", target = {{ context = "prod-{n}-*" }} }}',
)
GIVEN: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("remembered", "fs:write", {"path": "/home/me/notes{n}/*"}),
    ("remembered", "git:push", {"remote": "origin", "branch": "feature/{n}"}),
    ("remembered", "net:fetch", {"host": "host{n}.example.com"}),
    ("capability", "deploy:service{n}", {}),
    ("capability", "fs:delete", {"path": "/scratch/{n}/*"}),
    ("once", "", {}),
)
CALLS = (
    ("Write", {"file_path": "/tmp/project/a.py", "content": "x"}),
    ("Read", {"file_path": "/tmp/project/a.py"}),
    ("Write", {"file_path": "/srv/other/a.py", "content": "x"}),
    ("Bash", {"command": "git push origin feature/none"}),
    ("Bash", {"command": "git status && ls -la src"}),
    ("WebFetch", {"url": "https://example.com/x"}),
)


class Growth(NamedTuple):
    """The median decision with few and with many, in microseconds, and the ratio of the call that grows most."""

    few: float
    many: float
    worst: float


def policy_text(count: int) -> str:
    rules = [
        f'[[rules]]\nid = "r{n}"\nwhen = {WHENS[n % len(WHENS)].format(n=n)}\nverdict = "ask"\nreason = "rule {n}"\n'
        for n in range(count)
    ]
    return "version = 1\n" + "".join(rules)


def grants_of(count: int) -> list[Grant]:
    found = []
    for n in range(count):
        kind, action, scope = GIVEN[n % len(GIVEN)]
        found.append(
            Grant(
                id=f"g{n}",
                kind=kind,
                action=action.format(n=n),
                scope=FrozenMap({field: glob.format(n=n) for field, glob in scope.items()}),
                binds=f"ap_{n:032x}" if kind == "once" else None,
            )
        )
    return found


def loaded(home: Path, count: int) -> tuple[Folders, Policy]:
    """The policy as a process finds it: from the compiled cache."""
    folders = folders_for(str(home))
    file = Path(folders.user_policy)
    file.parent.mkdir(parents=True)
    file.write_text(policy_text(count))
    load_policy(folders, "/tmp")
    return folders, load_policy(folders, "/tmp")


def read(call: Call, policy: Policy) -> Reading:
    return read_with_facts(call, Facts(root="/tmp/project", home="/home/me", declared=declared_tool(policy, call.tool)))


def growth(home: Path, rounds: int) -> Growth:
    worlds: dict[str, tuple[Policy, Sequence[Grant]]] = {
        "few": (loaded(home / "few", 10)[1], ()),
        "many": (loaded(home / "many", RULES)[1], Held(grants_of(GRANTS))),
    }
    session = Session()
    times: dict[str, dict[str, list[float]]] = {"few": {}, "many": {}}
    for tool, given in CALLS:
        call = Call(tool=tool, input=FrozenMap(given), cwd="/tmp/project")
        reading = read(call, worlds["few"][0])
        for _ in range(rounds):
            for name, (policy, grants) in worlds.items():
                start = time.perf_counter_ns()
                for _ in range(10):
                    decide(call, reading, policy, session, grants)
                times[name].setdefault(str(given), []).append((time.perf_counter_ns() - start) / 1e4)
    few, many = (statistics.median([t for taken in times[name].values() for t in taken]) for name in ("few", "many"))
    worst = max(statistics.median(times["many"][key]) / statistics.median(times["few"][key]) for key in times["few"])
    return Growth(few, many, worst)


def cold(home: Path, rounds: int) -> dict[str, float]:
    """Median of loading the compiled policy and deciding once, in milliseconds."""
    call = Call(tool="Bash", input=FrozenMap({"command": "git push origin feature/none"}), cwd="/tmp/project")
    times: dict[str, list[float]] = {"few": [], "many": []}
    for _ in range(rounds):
        for name, taken in times.items():
            folders = folders_for(str(home / name))
            start = time.perf_counter_ns()
            policy = load_policy(folders, "/tmp")
            decide(call, read(call, policy), policy, Session())
            taken.append((time.perf_counter_ns() - start) / 1e6)
    return {name: statistics.median(taken) for name, taken in times.items()}


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=200)
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        few, many, worst = growth(Path(folder), given.rounds)
        loading = cold(Path(folder), 20)
    ratio = many / few
    cold_words = f"{loading['few']:.1f}, {loading['many']:.1f} ms"
    if given.json:
        figures = {
            "few_us": few,
            "many_us": many,
            "ratio": ratio,
            "worst": worst,
            "cold_ms": loading,
            "met": ratio <= BAR,
        }
        print(json.dumps(figures))
    else:
        print(f"{'10,000 rules and 100,000 grants / 10':36} {ratio:>16.2f} x   at most {BAR} x      ", end="")
        print("met" if ratio <= BAR else "MISSED")
        print(f"{'  decide(), few and many':36} {f'{few:.1f}, {many:.1f} us':>18}")
        print(f"{'  the call that grows most':36} {worst:>16.2f} x")
        print(f"{'  load and decide, few and many':36} {cold_words:>18}")
    return 0 if ratio <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
