"""No receipt and no approval id of the packs and of the hosts' payloads changes without a line in a commit."""

from __future__ import annotations

import pytest

from conformance.receipts import BENCH, KEPT, changed_receipts, line_of, receipts_now
from interlock.evals.case import Case
from interlock.evals.lexical import judge, start
from interlock.hosts import HOSTS
from interlock.model.call import Call
from interlock.value import FrozenMap


@pytest.mark.slow
def test_every_receipt_and_approval_is_as_it_is_kept() -> None:
    told = changed_receipts(receipts_now())
    assert told == "", f"receipts changed; if they should have, `make receipts` keeps the new ones:\n{told}"


def line(command: str, **more: str) -> str:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), **{"cwd": "/repo", "session": "s", **more})  # type: ignore[arg-type]
    case = Case(id="a", file="f", line=0, call=call)
    session = start(case, BENCH)
    return line_of("a", case, judge(case, BENCH, session), session)


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("git push origin fix", {}),
        ("git push origin main", {"cwd": "/repo/src"}),
        ("git push origin main", {"session": "t"}),
        ("git push origin main", {"host": "codex"}),
    ],
)
def test_another_call_has_another_receipt_and_another_approval(command: str, more: dict[str, str]) -> None:
    kept, other = line("git push origin main").split(), line(command, **more).split()
    assert [mine != theirs for mine, theirs in zip(kept, other, strict=True)] == [True, True, False]


def test_an_approval_stands_only_where_a_person_is_asked() -> None:
    assert line("ls").split()[1].strip("-") == ""
    assert line("git push origin main").split()[1].strip("-") != ""


def test_the_packs_and_every_host_are_kept() -> None:
    names = [text.split(" ", 2)[2] for text in KEPT.read_text(encoding="utf-8").splitlines()[1:]]
    assert len(names) == len(set(names))
    assert {*HOSTS, "git", "shell", "secrets"} <= {name.partition(":")[0] for name in names}
