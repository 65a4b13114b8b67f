"""Instructions on the hot path, counted by valgrind: the same on a busy machine as on an idle one.

    python benchmarks/counts.py [--keep] [--json] [--only WORD]

Counted are the cold hook for a few calls, `decide()` and a whole recorded decision of a warm engine. The hash seed is
fixed and the environment empty; two runs differ by less than one in a hundred. benchmarks/counts.json keeps the counts
of each interpreter by its class (version, compiler, processor): another one takes other instructions for the same work.
Ends with 1 where a count is more than a tenth above the kept one, with 2 where none is kept for this class. `--keep`
writes the counts of this run into the file: do that in the commit that makes them higher on purpose, or lower.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

KEPT = Path(__file__).with_name("counts.json")
SOURCE = Path(__file__).parents[1] / "src"
GUARD = SOURCE / "interlock" / "hook" / "guard.py"
MORE = 0.10  # what is tolerated

HOOKS: dict[str, tuple[str, dict[str, str]]] = {
    "Read": ("Read", {"file_path": "/tmp/bench.txt"}),
    "Write": ("Write", {"file_path": "/tmp/bench.txt", "content": "x" * 200}),
    "ls": ("Bash", {"command": "ls"}),
}
CALLS = {
    "Read": HOOKS["Read"],
    "ls": HOOKS["ls"],
    "git push --force": ("Bash", {"command": "git push --force origin main"}),
}

# Under valgrind everything takes fifty times as long, and the hook's own deadline must not end it.
UNTIMED = """
import _signal, sys
_signal.setitimer = lambda *_: None
with open(sys.argv[1], "rb") as file:
    code = compile(file.read(), sys.argv.pop(1), "exec")
exec(code, {"__name__": "__main__", "__file__": code.co_filename})
"""

# With a home, what to do, a call and a number: does it so many times. What it costs to begin falls out of a difference.
MANY = """
import json, sys, time
source, home, what, tool, given, count = sys.argv[1:]
sys.path.insert(0, source)
from interlock.model.call import Call
from interlock.model.events import Place, Proposed
from interlock.store.home.folders import folders_for
from interlock.value import FrozenMap
folders = folders_for(home)

def call_of(number):
    session = "s%d" % (number % 4)
    return Call(tool=tool, input=FrozenMap(json.loads(given)), cwd="/tmp", session=session, attempt="a%d" % number)

def deciding():
    from interlock.decide import decide
    from interlock.model.facts import Facts
    from interlock.model.session import Session
    from interlock.store.facts.facts import read_with_facts
    from interlock.store.home.policies import load_policy
    from interlock.model.toolnames import declared_tool
    policy, call, session = load_policy(folders, "/tmp"), call_of(0), Session(id="s")
    reading = read_with_facts(call, Facts(root="/tmp", home=folders.home, declared=declared_tool(policy, tool)))
    return lambda number: decide(call, reading, policy, session)

def recording():
    from interlock.engine import Engine
    engine = Engine(folders, front="cli:decide", watches=False, resident=True)

    def propose(number):
        call = call_of(number)
        outcome = engine.propose(Proposed(place=Place(host="", session=call.session, cwd="/tmp"), call=call))
        assert outcome.trouble is None, outcome.trouble

    propose(-1)
    time.sleep(3.5)  # what was made of a file is kept once the file has come to rest
    return propose

work = deciding() if what == "decide()" else recording()
for number in range(8 + int(count)):
    work(number)
"""


def machine_class() -> str:
    """Where counts can be compared."""
    compiler = platform.python_compiler().replace(" ", "-")
    return f"{platform.python_implementation()}-{platform.python_version()}-{compiler}-{platform.machine()}"


def counted(words: list[str], given: bytes = b"") -> tuple[int, bytes]:
    """Instructions, and what it printed."""
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    done = subprocess.run(
        [*tool, sys.executable, "-S", "-P", "-s", *words],
        input=given,
        capture_output=True,
        env={"PYTHONHASHSEED": "0", "PATH": os.defpath},
        cwd="/tmp",
        check=False,
    )
    found = re.search(rb"I +refs: +([\d,]+)", done.stderr)
    if done.returncode != 0 or found is None:
        raise SystemExit(f"{' '.join(words[:4])} ended with {done.returncode}: {done.stderr.decode()[-800:]}")
    return int(found[1].replace(b",", b"")), done.stdout


def hook(home: str, tool: str, given: dict[str, str]) -> int:
    """The whole process, as a host starts it. Policy and modules are in their caches by then."""
    told = {"session_id": "bench", "cwd": "/tmp", "permission_mode": "default", "hook_event_name": "PreToolUse"}
    event = json.dumps({**told, "tool_use_id": None, "tool_name": tool, "tool_input": given}).encode()
    words = [str(GUARD), "claude-code", "--home", home]
    for _ in range(3):
        subprocess.run([sys.executable, "-I", "-S", *words], input=event, stdout=subprocess.DEVNULL, check=True)
    instructions, said = counted(["-c", UNTIMED, *words], event)
    if b'"permissionDecision":"allow"' not in said:
        raise SystemExit(f"the hook did not allow {tool} {given}, so this is not the count of an answer: {said!r}")
    return instructions


def many(home: str, what: str, tool: str, given: dict[str, str]) -> int:
    """One of many in a process that stays."""
    words = ["-c", MANY, str(SOURCE), home, what, tool, json.dumps(given)]
    subprocess.run([sys.executable, *words, "0"], check=True)  # fills the caches on disk
    return (counted([*words, "100"])[0] - counted([*words, "0"])[0]) // 100


def measured(only: str) -> dict[str, int]:
    found: dict[str, int] = {}
    todo: dict[str, Any] = {"bare interpreter": lambda home: counted(["-c", "pass"])[0]}
    for name, (tool, given) in HOOKS.items():
        todo[f"cold hook, {name}"] = lambda home, t=tool, g=given: hook(home, t, g)
    for name, (tool, given) in CALLS.items():
        todo[f"decide(), {name}"] = lambda home, t=tool, g=given: many(home, "decide()", t, g)
        todo[f"warm and recorded, {name}"] = lambda home, t=tool, g=given: many(home, "propose", t, g)
    for name, work in todo.items():
        if only not in name:
            continue
        with tempfile.TemporaryDirectory(prefix="interlock-counts-") as home:
            found[name] = work(home)
        print(f"  {name}: {found[name]:,}", file=sys.stderr, flush=True)
    return found


def compared(now: dict[str, int], kept: dict[str, int]) -> list[str]:
    """What is wrong with these counts, in words."""
    wrong = [
        f"{name}: {count:,} instructions, {count / kept[name] - 1:+.1%} above the kept {kept[name]:,}"
        for name, count in now.items()
        if name in kept and count > kept[name] * (1 + MORE)
    ]
    return wrong + [f"{name}: no count is kept" for name in now if name not in kept]


def keep(counts: dict[str, int], file: Path = KEPT) -> None:
    """Beside those of other classes; what was not counted this time stays."""
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    mine = machine_class()
    kept[mine] = {**kept.get(mine, {}), **counts}
    file.write_text(json.dumps(dict(sorted(kept.items())), indent=2) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="write the counts into benchmarks/counts.json")
    parser.add_argument("--only", default="", metavar="WORD", help="only what has this word in its name")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("valgrind is not here: apt-get install valgrind (or your system's package)", file=sys.stderr)
        return 2
    mine = machine_class()
    every = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    if mine not in every and not given.keep:
        known = ", ".join(every) or "none"
        print(
            f"no counts are kept for {mine}; kept: {known}.\nCounts of another interpreter say nothing about this one. "
            "Run this with the interpreter of the kept counts (make bench-check PYTHON=…), or check out the commit to "
            "compare with, keep its counts there (make bench-check ARGS=--keep), and come back.",
            file=sys.stderr,
        )
        return 2
    now, kept = measured(given.only), every.get(mine, {})
    wrong = compared(now, kept)
    if given.json:
        print(json.dumps({"class": mine, "counts": now, "kept": kept, "wrong": [] if given.keep else wrong}, indent=2))
    else:
        for name, count in now.items():
            change = f"{count / kept[name] - 1:+.1%}" if name in kept else "new"
            print(f"{name:36} {count:14,}   {change:>7}")
    if given.keep:
        keep(now)
        return 0
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
