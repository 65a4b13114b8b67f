"""`lowering_never_goes_below_the_verb`: whatever a fact takes out of an action, what changes anything is no look.

Facts come from the disk: what git holds, what a checkpoint holds. Each can say that nothing is lost. None can make a
call that changes something one that only observes: such calls run in a locked session, and need no record.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from random import Random

import interlock
from chance import FEWER, number, one_from, tried_on
from interlock.approve.undoable import Loss, lowered
from interlock.model.action import Reading, is_read_only, lower, lowered_effects
from interlock.model.call import Call
from interlock.model.effects import Effect
from interlock.model.facts import Facts
from interlock.model.more_wants import Git
from interlock.model.wants import Want
from interlock.reading.machine.options import compiled
from interlock.reading.reach.git_facts import CHANGED, CLEAN, LOCAL, SHARED, UNKNOWN
from interlock.reading.read import read_in_rounds
from interlock.value import FrozenMap
from strategies import Case, a_case
from table_rows import every_row

ANSWERS = (CLEAN, CHANGED, LOCAL, SHARED, UNKNOWN, "1" * 40)
WORDS = ("work", "main", "HEAD", "HEAD~1", "a.py", "docs", ".", "--", "origin/main", "v1")


def changes(effects: tuple[Effect, ...]) -> bool:
    return any(effect > Effect.READ for effect in effects)


@tried_on(a_case, one_from((Effect.DESTRUCTIVE, Effect.SPAWN)))
def test_lowering_never_goes_below_the_verb(case: Case, taken: Effect) -> None:
    for action in case.reading.actions:
        for less in (lower(action).effects, lowered_effects(action.effects, taken)):
            assert changes(less) == changes(action.effects)
            assert set(action.effects) - {Effect.DESTRUCTIVE, taken} <= set(less)
    losses = [Loss(action=at, path="/p/x") for at in range(len(case.reading.actions))]
    assert is_read_only(lowered(case.reading, losses, "c" * 32)) == is_read_only(case.reading)


@cache
def git_commands() -> list[tuple[list[str], list[str]]]:
    """The words of every sub-command of git, and its options as one would type them."""
    found = []
    for row in every_row():
        if row.words[0] == "git" and len(row.words) > 1:
            options = compiled(row.program).by_name.items()
            words = [name if option.role is None else f"{name} {_VALUE}" for name, option in options]
            found.append((list(row.words), words))
    return found


_VALUE = "work"


def a_command(chance: Random) -> str:
    """A command of git, or one that removes files which git may hold."""
    if chance.random() < 0.1:
        return f"{chance.choice(('rm', 'rm -f', 'unlink'))} {chance.choice(('a.py', 'docs/b.md'))}"
    words, options = chance.choice(git_commands())
    picked = chance.sample(options, min(len(options), chance.randrange(3)))
    named = [chance.choice(WORDS) for _ in range(chance.randrange(3))]
    return " ".join([*words, *picked, *named])


def read_by(command: str, chance: Random | None) -> Reading:
    """The command, read with any answers to what is asked of git; without chance, with none."""

    def looked_up(missing: tuple[Want[object], ...], facts: Facts) -> Facts | None:
        asked = [want for want in missing if isinstance(want, Git)]
        if chance is None or not asked:
            return None
        return facts.knowing({want: chance.choice(ANSWERS) for want in asked})

    call = Call(host="claude-code", session="s", cwd="/p", tool="Bash", input=FrozenMap({"command": command}))
    return read_in_rounds(call, Facts(root="/p", home="/home/u"), looked_up)[0]


@tried_on(a_command, number(0, 2**32), examples=FEWER * 5)
def test_no_answer_of_git_makes_a_look_of_a_change(command: str, seed: int) -> None:
    if not is_read_only(read_by(command, None)):
        assert not is_read_only(read_by(command, Random(seed))), command


# What is left of a grant's effects is no action's: it says what the grant covers.
ELSEWHERE = {"policy/prefix.py"}


def test_effects_leave_an_action_in_one_place() -> None:
    """A list of effects from which one is left out is made in `lowered_effects`, and nowhere else."""
    package = Path(interlock.__file__).parent
    found = {
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if any(map(_leaves_one_out, ast.walk(ast.parse(file.read_text()))))
    }
    assert found == ELSEWHERE


def _leaves_one_out(node: ast.AST) -> bool:
    """`[effect for effect in … if effect is not Effect.X]`, with `!=` or `not in` as well."""
    if not isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp) or not isinstance(node.elt, ast.Name):
        return False
    tests = [test for over in node.generators for one in over.ifs for test in ast.walk(one)]
    return any(
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.IsNot | ast.NotEq | ast.NotIn)
        and isinstance(test.left, ast.Name)
        and test.left.id == node.elt.id
        and "Effect." in ast.unparse(test)
        for test in tests
    )
