"""Every kind of want is looked up by somebody, and no two of them are taken for each other."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from interlock.model import more_wants, wants
from interlock.model.facts import Facts
from interlock.model.more_wants import Git
from interlock.model.wants import Real, Script, Want
from interlock.store.facts import git_state
from interlock.store.facts.facts import LOOKED_UP_BY, gather
from interlock.store.facts.more_facts import MORE_LOOKED_UP_BY
from interlock.value import Key


def kinds(base: type[Key] = Want) -> set[type[Key]]:
    """The wants that are asked with: those that no other one is derived from."""
    below = base.__subclasses__()
    return {one for kind in below for one in kinds(kind)} if below else {base}


def test_every_kind_has_a_row_and_every_row_is_a_kind() -> None:
    assert {*LOOKED_UP_BY, *MORE_LOOKED_UP_BY} == kinds()


def test_every_question_to_git_has_an_answer_and_the_other_way_round() -> None:
    assert set(git_state.QUESTIONS) == kinds(Git)


def test_every_kind_says_what_it_asks_and_is_exported() -> None:
    assert [kind.__name__ for kind in kinds() if not kind.__doc__] == []
    assert {kind.__name__ for kind in kinds()} | {"Git", "Want"} == {*wants.__all__, *more_wants.__all__}


def made(kind: type[Key], part: str = "/p") -> Any:
    return kind(*[part] * len(kind._fields))


def test_a_want_is_what_it_asks() -> None:
    assert made(Real) == Real("/p") != Real("/q")
    assert (Real("/p").path, repr(Real("/p")), Real("/p").as_dict()) == ("/p", "Real('/p')", {"path": "/p"})
    everything = [made(kind) for kind in kinds()]
    assert len({*everything}) == len(everything)  # the kind is a part of it
    assert [pickle.loads(pickle.dumps(want)) for want in everything] == everything
    assert copy.deepcopy(everything) == everything


def test_a_want_cannot_be_changed() -> None:
    for change in ("path", "other"):
        with pytest.raises(AttributeError):
            setattr(Real("/p"), change, "/q")


def test_an_answer_is_found_under_the_want_that_asked() -> None:
    facts = Facts(root="/p", home="/h").knowing({Script("/p/a"): "ls"})
    more = facts.knowing({Real("/p/a"): "/q"})
    assert (more.answer(Script("/p/a")), more.answer(Real("/p/a")), more.answer(Real("/p/b"))) == ("ls", "/q", None)


def test_what_nobody_can_look_up_is_an_error_and_not_a_silence() -> None:
    class Misspelt(Want[str]):
        path: str

    try:
        with pytest.raises(KeyError):
            gather((Misspelt("/p"),), Facts(root="/p", home="/h"))
    finally:
        del Misspelt
        import gc

        gc.collect()  # the other tests count the kinds
