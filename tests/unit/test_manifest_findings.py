"""What the manifest finds, whole: tools that nobody declared, effects beyond what was, postures, what is confirmed."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.layers.manifest import manifest
from interlock.model.action import Action, Reading
from interlock.model.call import Call
from interlock.model.decision import Finding
from interlock.model.effects import Effect
from interlock.model.posture import Posture
from interlock.model.session import Session
from interlock.model.verdict import Verdict
from interlock.policy.model import Policy, ToolSpec
from interlock.value import FrozenMap

CALL = Call(tool="Bash", input=FrozenMap({}), cwd="/p", session="s")
ANY = ("once", "capability", "remembered")


def action(name: str = "fs:write", *effects: Effect, tags: tuple[str, ...] = (), **target: Any) -> Action:
    return Action(name=name, target=FrozenMap(target), effects=effects or (Effect.WRITE,), tags=tags)


def reading(*actions: Action) -> Reading:
    return Reading(call="sha256:c", projection="sha256:p", actions=actions)


def found(what: Reading, policy: Policy, session: Session | None = None, call: Call = CALL) -> list[Finding]:
    return list(manifest(call, what, policy, session or Session(), ()))


MAIL = {name: ToolSpec(name=name) for name in ("mcp__mail__send", "mcp__mail__list", "mcp__mailing__x", "mcp____x")}


@pytest.mark.parametrize(
    ("tool", "company"),
    [
        ("mcp__mail__purge", "; of the server `mail` your policy declares `list` and `send`"),
        ("mcp__mail__purge__all", "; of the server `mail` your policy declares `list` and `send`"),
        ("mcp__chat__purge", ""),
        ("mcp__mail", ""),  # names no tool of the server
        ("mail__purge", ""),  # is none of a server
        ("purge", ""),
    ],
)
def test_a_person_sees_which_other_tools_of_its_server_the_policy_knows(tool: str, company: str) -> None:
    policy = Policy(tools=FrozenMap(MAIL), unregistered=Verdict.ASK)
    why = f"your policy does not declare the tool `{tool}`, so Interlock cannot tell all that it does{company}"
    assert found(reading(), policy, call=CALL.replace(tool=tool)) == [
        Finding(
            layer="manifest",
            rule="unregistered",
            verdict=Verdict.ASK,
            text=f"Use the tool `{tool}`: {why}.",
            why=why,
            instead="Use a tool that the policy declares.",
            lifted_by=ANY,
        )
    ]


def test_an_unknown_tool_is_told_by_the_first_thing_that_it_does() -> None:
    what = reading(action("fs:write", path="/p/a"), action("fs:write", path="/p/b"))
    [one] = found(what, Policy(unregistered=Verdict.ASK), call=CALL.replace(tool="Pen"))
    why = "your policy does not declare the tool `Pen`, so Interlock cannot tell all that it does"
    assert (one.text, one.grant, one.actions) == (f"Change `/p/a`: {why}.", "fs:write path=/p/a", (0, 1))
    assert found(what, Policy(unregistered=Verdict.ALLOW), call=CALL.replace(tool="Pen")) == []


def with_tool(**fields: Any) -> Policy:
    return Policy(tools=FrozenMap({"Bash": ToolSpec(name="Bash", effects=(Effect.WRITE,)).replace(**fields)}))


def test_a_tool_that_is_not_to_be_used_now() -> None:
    policy = with_tool(postures=(Posture.LOCKED, Posture.DRY_RUN))
    assert found(reading(action(path="/p/a")), policy) == [
        Finding(
            layer="manifest",
            rule="postures",
            verdict=Verdict.DENY,
            text="Use the tool `Bash`: your policy allows it only in the posture locked or dry_run; this session is "
            "interactive.",
            instead="The policy allows this tool only in the posture locked or dry_run. Do without it, or ask the "
            "person to change the posture.",
        )
    ]
    assert found(reading(action(path="/p/a")), policy, Session(posture=Posture.DRY_RUN)) == []


def test_a_tool_that_does_more_than_was_declared() -> None:
    why = "the tool `Bash` is declared without the effect destructive, network"
    more = action("fs:write", Effect.WRITE, Effect.NETWORK, Effect.DESTRUCTIVE, path="/p/a")
    assert found(reading(action(path="/p/b"), more), with_tool()) == [
        Finding(
            layer="manifest",
            rule="effects",
            verdict=Verdict.ASK,
            text=f"Change `/p/a`: {why}.",
            why=why,
            instead="Use a tool that is declared for this.",
            actions=(1,),
            grant="fs:write path=/p/a",
            lifted_by=("once", "capability"),
        )
    ]
    doubtful = with_tool(registered=False).replace(unregistered=Verdict.ALLOW)
    assert found(reading(more), doubtful) == [], "what nobody declared has no bounds"


@pytest.mark.parametrize(
    ("confirm", "tags", "why", "instead", "lifted_by"),
    [
        (
            ("*",),
            ("posts", "outside"),
            "your policy asks about this tool each time",
            "Tell the person why this call is needed.",
            ("once", "capability"),
        ),
        (
            ("outside", "*"),
            ("outside",),
            "your policy asks about this tool each time",
            "Tell the person why this call is needed.",
            ("once", "capability"),
        ),
        (
            ("outside", "external", "machine"),
            ("external", "outside"),
            "it is outside the project; other people will see it (line 7: it writes)",
            "Keep to files inside the project folder.",
            ANY,
        ),
        (
            ("outside", "posts"),
            ("posts",),
            "it posts a message that other people read (line 7: it writes)",
            "Tell the person what you want to post there; they can send it.",
            ("once", "capability"),
        ),
        (
            ("secret",),
            ("secret",),
            "passwords or keys are kept there (line 7: it writes)",
            "Work without the secret. Ask the person for the one value that you need.",
            ("once", "capability"),
        ),
    ],
)
def test_a_tool_that_a_person_confirms(
    confirm: tuple[str, ...], tags: tuple[str, ...], why: str, instead: str, lifted_by: tuple[str, ...]
) -> None:
    marked = action(tags=tags, path="/p/a", line=7, does="writes")
    assert found(reading(marked), with_tool(confirm=confirm)) == [
        Finding(
            layer="manifest",
            rule="confirm",
            verdict=Verdict.ASK,
            text=f"Change `/p/a`: {why}.",
            why=why,
            instead=instead,
            actions=(0,),
            grant="fs:write path=/p/a",
            lifted_by=lifted_by,
        )
    ]


@pytest.mark.parametrize(("declared", "beyond"), [("execute", False), ("write", True), ("network", True), ("", True)])
def test_a_tool_that_declares_any_effect_may_read(declared: str, beyond: bool) -> None:
    effects = tuple(Effect.of(name) for name in declared.split())
    policy = Policy(tools=FrozenMap({"Bash": ToolSpec(name="Bash", effects=effects, registered=True)}))
    what = reading(action("fs:read", Effect.READ), action("exec:project", Effect.EXECUTE, Effect.READ))
    assert [finding.actions for finding in found(what, policy)] == ([(0,)] if not effects else []) + [(1,)] * beyond
