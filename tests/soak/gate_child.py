"""A program with a `Gate`: one call a line on stdin, one answer a line on stdout.

    python gate_child.py HOME plain|async|forked

`forked`: the gate is made and used once before the fork, and a child of that process answers.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import interlock


def told(checked: Any) -> dict[str, Any]:
    text = checked.agent or checked.person
    return {"verdict": checked.verdict, "approval": checked.approval, "text": text}


async def asked(gate: interlock.Gate, line: dict[str, Any], aside: bool) -> dict[str, Any]:
    """One line: a call with what became of it, or a tool that is declared."""
    if "declare" in line:
        gate.declare(line["declare"], effects=["read"])
        return {}
    given = {"session": line["session"], "call_id": line["id"]}
    if aside:
        checked = await gate.acheck(line["tool"], line["input"], **given)
    else:
        checked = gate.check(line["tool"], line["input"], **given)
    if checked.allowed:
        if aside:
            await gate.asettled(checked, "ran", line["id"])
        else:
            gate.settled(checked, "ran", line["id"])
    return told(checked)


def main(home: str, manner: str) -> None:
    gate = interlock.Gate(home=home, host="claude-code", deadline=60)
    if manner == "forked":
        gate.check("Read", {"file_path": "before"}, session="parent")
        child = os.fork()
        if child:
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    print(json.dumps({"pid": os.getpid()}), flush=True)

    async def serve() -> None:
        for line in sys.stdin:
            print(json.dumps(await asked(gate, json.loads(line), manner == "async")), flush=True)

    asyncio.run(serve())
    gate.close()


main(sys.argv[1], sys.argv[2])
