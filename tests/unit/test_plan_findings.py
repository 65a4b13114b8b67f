"""What the plan layer finds, whole: the verdict under each enforcement, and what the person and the agent are told."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.layers.plan import plan
from interlock.model.action import Action, Line, Reading
from interlock.model.call import Call
from interlock.model.decision import Finding
from interlock.model.effects import Effect
from interlock.model.session import Run, Session
from interlock.model.verdict import Verdict
from interlock.policy.model import Policy
from interlock.policy.plan import Enforcement, Planned
from interlock.value import FrozenMap

CALL = Call(tool="Bash", input=FrozenMap({}), cwd="/repo")
MARK = "# nous: ad-hoc"
STRICT = Planned(enforcement=Enforcement.STRICT, file="/runs/plan", marker=MARK)
UNTIL = "With a strict plan, no command runs until"

# rule, verdict under a strict plan, what the person is told, what the agent is told
USED_UP = f"and all 2 commands that may be marked `{MARK}` are used up."
NOT_IN = "`rm` is not in the plan /runs/plan"
ASK = "or ask the person to change it."
HELD_LINES: list[tuple[Line, Run | None, dict[str, Any], list[tuple[str, str, str, str]]]] = [
    (
        Line(unplanned=("rm",)),
        None,
        {},
        [
            (
                "unplanned",
                "deny",
                f"{NOT_IN}.",
                f"{NOT_IN}. Do what the plan says. If this one command is needed besides, add the comment `{MARK}` "
                "to it.",
            )
        ],
    ),
    (
        Line(unplanned=("rm",)),
        Run(markers=2),
        {"limit": 2},
        [("unplanned", "deny", f"{NOT_IN}.", f"{NOT_IN}. Do what the plan says, {ASK}")],
    ),
    (
        Line(unplanned=("rm",), marker=True),
        Run(markers=3),
        {"limit": 2},
        [
            (
                "unplanned",
                "deny",
                f"{NOT_IN}, {USED_UP}",
                f"{NOT_IN}, {USED_UP} Do what the plan says, {ASK}",
            )
        ],
    ),
    (
        Line(unplanned=("rm",), marker=True),
        None,
        {"limit": 1},
        [
            (
                "ad-hoc",
                "allow",
                f"This command is marked `{MARK}`, so it runs although it is not in the plan. That was logged.",
                "",
            )
        ],
    ),
    (Line(), Run(), {}, []),
    (Line(), Run(gone="/runs/old"), {}, []),  # another plan is there now
    (
        Line(unplanned=("rm",)),
        None,
        {"missing": "no file"},
        [("no-plan", "allow", "There is no plan to hold commands against: no file.", "")],
    ),
    (
        Line(unplanned=("rm",)),
        Run(),
        {"missing": "no file"},
        [("no-plan", "allow", "There is no plan to hold commands against: no file.", "")],
    ),
    (
        Line(),
        Run(gone="/runs/old"),
        {"missing": "no file"},
        [
            (
                "gone",
                "deny",
                f"The plan /runs/old that this session follows is gone: no file. {UNTIL} it is back.",
                f"The plan /runs/old is gone: no file. Tell the person. {UNTIL} it is back.",
            )
        ],
    ),
    (
        Line(unplanned=("rm",), marker=True),
        Run(trouble="the disk is full"),
        {"fault": "no YAML"},
        [
            (
                "broken",
                "deny",
                f"The plan cannot be used: no YAML. {UNTIL} you fix it.",
                f"The plan cannot be used: no YAML. Tell the person. {UNTIL} it is fixed.",
            ),
            (
                "unlogged",
                "deny",
                f"The run folder cannot be written: the disk is full. {UNTIL} you fix it.",
                f"The run folder cannot be written: the disk is full. Tell the person. {UNTIL} then.",
            ),
        ],
    ),
    (
        Line(),
        Run(trouble="the disk is full"),
        {},
        [
            (
                "unlogged",
                "deny",
                f"The run folder cannot be written: the disk is full. {UNTIL} you fix it.",
                f"The run folder cannot be written: the disk is full. Tell the person. {UNTIL} then.",
            )
        ],
    ),
]


@pytest.mark.parametrize(("line", "run", "changes", "expected"), HELD_LINES)
def test_what_a_plan_says_to_the_person_and_to_the_agent(
    line: Line, run: Run | None, changes: dict[str, Any], expected: list[tuple[str, str, str, str]]
) -> None:
    reading = Reading(call="", projection="", line=line)
    for enforcement in (Enforcement.STRICT, Enforcement.WARN):
        policy = Policy(planned=STRICT.replace(enforcement=enforcement, **changes))
        found = plan(CALL, reading, policy, Session(run=run), ())
        assert list(found) == [
            Finding(
                layer="plan",
                rule=rule,
                verdict=Verdict.of(verdict if enforcement is Enforcement.STRICT else "allow"),
                text=text,
                instead=instead,
            )
            for rule, verdict, text, instead in expected
        ]


@pytest.mark.parametrize(
    ("programs", "told"),
    [
        (("rm",), "`rm` is"),
        (("",), "A program whose name is unknown is"),
        (("rm", "mv"), "`rm` and `mv` are"),
        (("rm", "mv", "cp"), "`rm`, `mv` and `cp` are"),
        (("", "b", "c", "d", "e"), "A program whose name is unknown, `b`, `c`, `d` and `e` are"),
        (("a", "b", "c", "d", "e", "f"), "`a`, `b`, `c`, `d`, `e` and 1 more are"),
        (("a", "b", "c", "d", "e", "f", "g"), "`a`, `b`, `c`, `d`, `e` and 2 more are"),
    ],
)
def test_how_programs_are_named(programs: tuple[str, ...], told: str) -> None:
    reading = Reading(call="", projection="", line=Line(unplanned=programs))
    [one] = plan(CALL, reading, Policy(planned=STRICT), Session(), ())
    assert one.text == f"{told} not in the plan /runs/plan."


def test_only_one_session_works_on_a_run_and_others_may_look() -> None:
    read = Action(name="fs:read", effects=(Effect.READ,))
    write = Action(name="fs:write", effects=(Effect.WRITE,))
    policy = Policy(planned=STRICT)

    def rules(run: Run | None, *actions: Action) -> list[Finding]:
        return list(plan(CALL, Reading(call="", projection="", actions=actions), policy, Session(run=run), ()))

    assert rules(Run(other=True), read, write) == [
        Finding(
            layer="plan",
            rule="second-session",
            verdict=Verdict.DENY,
            text="Another session is working in the run folder of /runs/plan, and two must not work on one run.",
            instead="Another session is working in the run folder of this plan. Stop here, and tell the person.",
        )
    ]
    assert rules(Run(other=True), read) == []
    assert rules(Run(), write) == []
    assert rules(None, write) == []
