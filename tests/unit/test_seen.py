"""What of a session a receipt holds: what bears on the one call, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.approve.approval import approval_of
from interlock.layers.seen import seen
from interlock.model.action import Action, Reading
from interlock.model.call import Call
from interlock.model.effects import Effect
from interlock.model.session import DENIED, OTHERS, Pending, Session
from interlock.model.steps import Ran, Repeated
from interlock.policy.model import Policy
from interlock.value import FrozenMap

CALL = Call(tool="Bash", input=FrozenMap({}), cwd="/p", session="s")
POLICY = Policy(digest="sha256:d")
PUSH = Action(name="git:push", target=FrozenMap({"host": "a.example"}), effects=(Effect.NETWORK,))


def reading(*actions: Action) -> Reading:
    return Reading(call="sha256:c", projection="sha256:p", actions=actions)


def part(session: Session, *actions: Action, **policy: Any) -> Session:
    return seen(CALL, reading(*actions), POLICY.replace(**policy), session)


def test_a_plain_session_is_seen_as_it_is() -> None:
    plain = Session(id="s", calls=3, label="nightly", closed=frozenset({"weekends"}))
    assert part(plain, PUSH) == plain


def test_of_a_phrase_only_that_it_is_in_force_is_seen() -> None:
    assert part(Session(raised="2099-01-01T00:00:00Z")) == Session(raised="in force")
    assert part(Session(raised=None)) == Session()


@pytest.mark.parametrize(
    ("history", "repeated"),
    [
        ("", None),
        ("other", None),
        ("sha256:p", Repeated(times=2)),
        ("sha256:p sha256:p", Repeated(times=3)),
        ("sha256:p ls sha256:p ls", Repeated(times=3, calls=2)),
    ],
)
def test_of_earlier_calls_only_the_rounds_of_this_one_are_seen(history: str, repeated: Repeated | None) -> None:
    recent = tuple([Ran(projection=name, outcome="ran r1", manner="acts") for name in history.split()])
    assert part(Session(recent=recent, polls=3), PUSH.replace(tags=("external",))) == Session(repeated=repeated)


# what was asked and refused


ID = approval_of(CALL, reading(PUSH), POLICY, Session()).id


@pytest.mark.parametrize(
    ("refused", "kept"),
    [
        ((("git:push host=a.example",),), True),
        (((ID,),), True),  # a no to this very call
        (((ID, "git:push host=a.example"),), True),
        ((("npm:publish",),), False),
        ((("git:push host=a.example", "npm:publish"),), False),  # a no to both together
        ((("ap_other",),), False),
    ],
)
@pytest.mark.parametrize("pending", [(), (Pending(approval="ap_other", projection="sha256:o"),)])
def test_of_what_was_refused_only_what_is_about_this_call_is_seen(
    refused: tuple[tuple[str, ...], ...], pending: tuple[Pending, ...], *, kept: bool
) -> None:
    assert part(Session(refused=refused, pending=pending), PUSH) == Session(refused=refused if kept else ())


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        (Pending(approval=ID, projection="sha256:p", tries=2), True),
        (Pending(approval=ID, projection="sha256:o"), True),
        (Pending(approval=DENIED, projection="sha256:p"), True),
        (Pending(approval=DENIED, projection="sha256:o"), False),
        (Pending(approval="ap_other", projection="sha256:p"), False),
        (Pending(approval="ap_other", projection="sha256:o"), False),
    ],
)
@pytest.mark.parametrize("refused", [(), (("npm:publish",),)])
def test_of_what_was_asked_only_what_is_about_this_call_is_seen(
    asked: Pending, refused: tuple[tuple[str, ...], ...], *, kept: bool
) -> None:
    assert part(Session(refused=refused, pending=(asked,)), PUSH) == Session(pending=(asked,) if kept else ())


# secrets and machines


HOSTS = frozenset({"a.example", "b.example"})


@pytest.mark.parametrize(
    ("before", "actions", "after"),
    [
        (Session(secret=True, hosts=HOSTS), (PUSH,), Session(secret=True, hosts=frozenset({"a.example"}))),
        (Session(secret=True), (PUSH,), Session(secret=True)),
        (Session(hosts=HOSTS), (PUSH,), Session()),
        (Session(secret=True, hosts=HOSTS), (), Session()),
        (Session(secret=True), (), Session()),
        (Session(secret=True, hosts=HOSTS), (PUSH.replace(target=FrozenMap({"host": 7})),), Session()),
        (Session(secret=True, hosts=HOSTS), (PUSH.replace(target=FrozenMap({"path": "/p"})),), Session()),
    ],
)
def test_a_secret_and_known_machines_are_seen_only_by_calls_that_talk_to_one(
    before: Session, actions: tuple[Action, ...], after: Session
) -> None:
    assert part(before, *actions) == after


# budgets


SPENT = {"network": 2, "write": 3, "git:push": 1, "git:fetch": 4, "fs:write": 5, OTHERS: 6}


@pytest.mark.parametrize(
    ("budgets", "names"),
    [
        ((), ""),
        (("network",), "network"),
        (("write",), ""),  # the call writes nothing
        (("git:push",), f"git:push {OTHERS}"),
        (("git:*",), f"git:push git:fetch {OTHERS}"),
        (("*",), f"git:push git:fetch fs:write {OTHERS}"),
        (("fs:*",), ""),
        (("network", "git:push", "write"), f"network git:push {OTHERS}"),
    ],
)
def test_of_what_was_spent_only_the_budgets_of_this_call_are_seen(budgets: tuple[str, ...], names: str) -> None:
    after = part(Session(spent=FrozenMap(SPENT)), PUSH, budgets=FrozenMap(dict.fromkeys(budgets, 9)))
    assert after == Session(spent=FrozenMap({name: SPENT[name] for name in names.split()}))
    assert part(Session(), PUSH, budgets=FrozenMap(dict.fromkeys(budgets, 9))) == Session()
