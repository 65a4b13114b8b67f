"""The receipt and the approval id of every call of the shipped packs and of every host's payloads: receipts.txt.

`make receipts` writes the file anew and prints what changed. A line has the first digits of the receipt, those of the
approval where a person is asked, and the name of the call. Who moves code changes none of them.

The engine's version and the policy are left out of what is digested and stand in the first line instead: a release, or
a rule that no call here meets, changes one line and not all. Sessions with files on disk are left out, because their
folder has another name each time; exact/ keeps how they are read.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from host_process import payloads_of
from interlock import __version__
from interlock.approve.approval import approval_of
from interlock.evals import runner
from interlock.evals.case import HOME, ROOT, Case
from interlock.evals.lexical import Judged, bench_for, judge, start
from interlock.evals.pack import load_pack
from interlock.evals.shipped import shipped
from interlock.hosts import HOSTS, host_named
from interlock.model.events import Proposed
from interlock.model.session import Session
from interlock.model.verdict import Verdict
from interlock.record.receipt import receipt_body, receipt_of
from interlock.value import freeze

__all__ = ["KEPT", "changed_receipts", "line_of", "receipts_now"]

KEPT = Path(__file__).parent / "receipts.txt"
BENCH = bench_for()
_DIGITS = 10


def receipts_now() -> str:
    """The file as it would be written now."""
    head = f"engine {__version__} policy {BENCH.policy.digest}"
    return "\n".join([head, *_of_packs(), *_of_payloads()]) + "\n"


def changed_receipts(now: str) -> str:
    """How it differs from what is kept, as lines for a person; empty if it does not."""
    before = KEPT.read_text(encoding="utf-8") if KEPT.exists() else ""
    lines = difflib.unified_diff(before.split("\n"), now.split("\n"), KEPT.name, "now", lineterm="", n=0)
    return "\n".join(lines)


def line_of(name: str, case: Case, judged: Judged, session: Session) -> str:
    body = receipt_body(case.call, judged.reading, "", session, judged.decision)
    receipt, _ = receipt_of({**body, "engine": ""})
    approval = "-" * _DIGITS
    if judged.decision.verdict is Verdict.ASK:
        asked = approval_of(case.call, judged.reading, BENCH.policy, session).replace(engine="")
        approval = asked.id.removeprefix("ap_")[:_DIGITS]
    return f"{receipt.removeprefix('sha256:')[:_DIGITS]} {approval} {name}"


def _of_packs() -> Iterator[str]:
    for pack in shipped():
        cases = [case for case in load_pack(pack.path) if case.stage is None]
        lines: list[str] = []

        def watched(case: Case, bench: Any, session: Session, disk: Any = None) -> Judged:
            judged = judge(case, bench, session, disk)
            lines.append(line_of(f"{pack.name}: {case.id}", case, judged, session))  # noqa: B023
            return judged

        with patch.object(runner, "judge", watched):
            for _ in runner.run_cases(cases, BENCH):
                pass
        assert len(lines) == len(cases)
        yield from lines


def _of_payloads() -> Iterator[str]:
    for host in HOSTS:
        payloads = _placed(payloads_of(host))
        for name, row in payloads["proposed"].items():
            given: Any = freeze({**payloads["common"], **row["event"]})
            event = host_named(host).event_from(given, payloads["environment"], 0)
            assert type(event) is Proposed
            # Some hosts do not tell where the agent works: the folder of this process stands in for it.
            call = event.call.replace(cwd=ROOT) if event.call.cwd in ("", os.getcwd()) else event.call
            case = Case(id=name, file=host, line=0, call=call)
            session = start(case, BENCH)
            yield line_of(f"{host}: {name}", case, judge(case, BENCH, session), session)


def _placed(value: Any) -> Any:
    """The payload with the folders of the packs in it."""
    if isinstance(value, dict):
        return {key: _placed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_placed(inner) for inner in value]
    return value.replace("<project>", ROOT).replace("<home>", HOME) if isinstance(value, str) else value
