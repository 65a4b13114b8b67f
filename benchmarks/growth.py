"""What a decision costs as rules and grants grow: 10,000 rules and 100,000 grants against ten rules and none.

    python benchmarks/growth.py [--rounds N] [--json]

The ratio is that of the median decision in one interleaved run. Rules and grants are of the kinds
that people write: by exact action, by family, by path, by branch, by host, by tool. The cold
figures load the compiled policy from its cache and decide once, as the hook does. Last come the same
grants in the ledger against a ledger without any, for a whole recorded decision.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from interlock.approve.grant import Grant
from interlock.approve.held import Held
from interlock.calls.world import World
from interlock.decide import decide
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.model.toolnames import declared_tool
from interlock.policy.model import Policy
from interlock.runtime import judge
from interlock.store.facts.facts import read_with_facts
from interlock.store.home.folders import Folders, folders_for
from interlock.store.home.policies import load_policy
from interlock.store.ledger.grants import GivenGrant, give
from interlock.store.ledger.ledger import Ledger
from interlock.value import FrozenMap

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.result import Figure, ended

__all__ = ["cold", "grants_of", "growth", "policy_text", "recorded"]

RULES, GRANTS, BAR = 10_000, 100_000, 1.3

# Kinds of rules and of grants, `{n}` is a number: they are given in turn.
WHENS = (
    '{{ action = "tool:service{n}" }}',
    '{{ action = "git:push", target = {{ branch = "release/{n}" }} }}',
    '{{ action = "fs:write", target = {{ path = "/srv/app{n}/*" }} }}',
    '{{ action = "net:fetch", target = {{ host = "host{n}.example.com" }} }}',
    '{{ action = "mcp:svc{n}:*", effects = ["destructive"] }}',
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


def kept_in(home: Path, count: int) -> World:
    """A world whose ledger keeps so many live grants: of this and of other sessions, folders and repositories."""
    folders = folders_for(str(home))
    world = World(
        folders=folders, root="/tmp/project", policy=load_policy(folders, "/tmp"), ledger=Ledger(folders.ledger)
    )
    holders = ("", "session bench", "folder /tmp/project", "repository /tmp/project", "session {n}", "folder /srv/{n}")
    for start in range(0, count, 10_000):
        with world.ledger.deciding() as turn:  # type: ignore[union-attr]
            for n, grant in enumerate(grants_of(10_000), start=start):
                if grant.kind != "once":
                    action = grant.action if n % 7 else f"git:push{n}"
                    # each kind of grant with each kind of holder; those without a scope belong to others
                    holder = holders[n % 6 if grant.scope else 4 + n % 2].format(n=n)
                    give(turn, GivenGrant(grant=grant.replace(id="", action=action), holder=holder))
            for n in range(start, start + 10_000, 6):  # instead of the approvals, `git push` for other sessions
                push = Grant(id="", kind="capability", action="git:push")
                give(turn, GivenGrant(grant=push, holder=f"session other {n}"))
    return world


def recorded(home: Path, rounds: int) -> Growth:
    """The whole of a recorded decision, without waiting for the disk: a ledger without grants, and one with many."""
    worlds = {"few": kept_in(home / "none", 0), "many": kept_in(home / "kept", GRANTS)}
    times: dict[str, dict[str, list[float]]] = {"few": {}, "many": {}}
    for world in worlds.values():
        world.ledger.connect().run("PRAGMA synchronous = OFF")  # type: ignore[union-attr]
    for tool, given in CALLS:
        call = Call(tool=tool, input=FrozenMap(given), cwd="/tmp/project", session="bench")
        for _ in range(rounds):
            for name, world in worlds.items():
                start = time.process_time_ns()
                for _ in range(5):
                    judge(call, world, Session())
                times[name].setdefault(str(given), []).append((time.process_time_ns() - start) / 5e3)
    few, many = (statistics.median([t for taken in times[name].values() for t in taken]) for name in ("few", "many"))
    worst = max(statistics.median(times["many"][key]) / statistics.median(times["few"][key]) for key in times["few"])
    return Growth(few, many, worst)


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=200)
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        few, many, worst = growth(Path(folder), given.rounds)
        loading = cold(Path(folder), 20)
        kept = recorded(Path(folder), given.rounds // 4)
    ratio, of_kept = many / few, kept.many / kept.few
    figures = [
        Figure(
            "10,000 rules and 100,000 grants against 10 and none",
            ratio,
            "×",
            note=f"decide() {few:.1f} and {many:.1f} µs; the call that grows most {worst:.2f} ×",
            bar=f"at most {BAR} ×",
            met=ratio <= BAR,
        ),
        Figure("load and decide once, few", loading["few"], "ms"),
        Figure("load and decide once, many", loading["many"], "ms"),
        Figure(
            "100,000 grants in the ledger against none",
            of_kept,
            "×",
            note=f"judge() {kept.few:.0f} and {kept.many:.0f} µs; the call that grows most {kept.worst:.2f} ×",
            bar=f"at most {BAR} ×",
            met=of_kept <= BAR,
        ),
    ]
    return ended("growth", figures, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
