"""Every case is read exactly as exact/ keeps it: each action, target, effect and tag, and why a part is opaque."""

from __future__ import annotations

import pytest

from conformance.every_case import FILES, blocks_of
from conformance.kept import EXACT, changed, kept, written
from interlock.evals.exact import PARTS, reading_lines, short_digest
from interlock.model.action import Action, Opaque
from interlock.model.effects import Effect
from interlock.model.verdict import Risk
from interlock.value import FrozenMap


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_every_case_is_read_exactly_as_it_is_kept(name: str) -> None:
    told = changed(name, blocks_of(name))
    assert told == "", f"readings changed; if they should have, `make exact` keeps the new ones:\n{told}"


def test_nothing_is_kept_for_a_file_that_is_gone() -> None:
    assert {path.stem for path in EXACT.glob("*.txt")} == set(FILES)


ACTION = Action(name="git:push", target=FrozenMap({"remote": "origin"}), effects=(Effect.NETWORK,), tags=("sends",))
OPAQUE = (Opaque(reason="a variable"),)
LINES = reading_lines([ACTION], OPAQUE)


@pytest.mark.parametrize(
    "other",
    [
        ACTION.replace(name="git:pull"),
        ACTION.replace(target=FrozenMap({"remote": "fork"})),
        ACTION.replace(target=FrozenMap({"remote": "origin", "force": True})),
        ACTION.replace(effects=(Effect.NETWORK, Effect.READ)),
        ACTION.replace(effects=()),
        ACTION.replace(tags=("external", "sends")),
        ACTION.replace(tags=()),
        ACTION.replace(risk=Risk.HIGH),
        ACTION.replace(irreversible=True),
        ACTION.replace(compensator="git revert"),
    ],
    ids=lambda action: reading_lines([action], ())[0],
)
def test_whatever_a_verdict_depends_on_is_in_the_lines(other: Action) -> None:
    lines = reading_lines([other], OPAQUE)
    assert lines != LINES
    assert short_digest(lines) != short_digest(LINES)


def test_an_action_more_or_less_and_an_opaque_part_more_or_less_show() -> None:
    shown = {
        LINES,
        reading_lines([], OPAQUE),
        reading_lines([ACTION, ACTION], OPAQUE),
        reading_lines([ACTION], ()),
        reading_lines([ACTION], [Opaque(reason="a file")]),
    }
    assert len(shown) == 5


def test_a_line_stays_one_line_whatever_a_name_holds() -> None:
    odd = ACTION.replace(target=FrozenMap({"path": f"a\nb{PARTS}\u2028"}), compensator="one\ntwo")
    lines = reading_lines([odd], [Opaque(reason="x\n    y")])
    assert len(lines) == 2
    assert not any("\n" in line for line in lines)


def test_kept_blocks_are_read_back_as_they_were_written() -> None:
    for name in FILES:
        assert written(kept(name)) == (EXACT / f"{name}.txt").read_text(encoding="utf-8")
