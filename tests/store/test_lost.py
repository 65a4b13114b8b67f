"""What is lost without a delete: written over, linked over, moved out of the project; and the fork bomb."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.action import Action, is_catastrophe
from interlock.model.call import Call
from interlock.model.effects import Effect
from interlock.model.facts import Facts
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap
from placed import Ground


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    ground = Ground(tmp_path)
    ground.git("init", "-q")
    ground.write("a.py", "a\n")
    ground.write("src/b.py", "b\n")
    ground.commit()
    ground.write("data.db", "rows\n")  # in no commit
    (ground.home / "tmp").mkdir()
    return ground


def actions(ground: Ground, command: str, *, created: tuple[str, ...] = ()) -> tuple[Action, ...]:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(ground.project))
    made = frozenset([str(ground.project / name) for name in created])
    facts = Facts(root=str(ground.project), home=str(ground.home), temp=(f"{ground.home}/tmp/",), created=made)
    return read_with_facts(call, facts).actions


def is_lost(found: tuple[Action, ...]) -> bool:
    free = ("created", "regenerable", "temp")
    wiped = [a for a in found if Effect.DESTRUCTIVE in a.effects and not any(tag in a.tags for tag in free)]
    return bool(wiped) or any(a.name == "fs:move" and "outside" in a.tags for a in found)


@pytest.mark.parametrize(
    "command",
    [
        "dd if=/dev/zero of=data.db bs=1M count=1",
        "dd if=a.py of=./data.db",
        "ln -sf /dev/null data.db",
        "ln -f a.py data.db",
        "ln -sfn /dev/null data.db",
        "mv data.db ~/tmp/",
        "mv src ~/tmp/",
        "mv src/* ~/tmp/",
        "cd src && mv ../data.db ~/tmp/x",
    ],
)
def test_what_no_commit_has_is_lost(ground: Ground, command: str) -> None:
    assert is_lost(actions(ground, command.replace("~", str(ground.home))))


@pytest.mark.parametrize(
    "command",
    [
        "dd if=/dev/zero of=new.img bs=1M count=1",
        "dd if=/dev/zero of=a.py bs=1 count=1",  # git has it
        "ln -sf /dev/null new.db",
        "ln -sf a.py link.py",
        "ln -s /dev/null data.db",  # refuses
        "mv data.db other.db",
        "mv a.py ~/tmp/",
        "cp data.db ~/tmp/",
    ],
)
def test_what_is_new_or_committed_is_not(ground: Ground, command: str) -> None:
    (ground.project / "link.py").symlink_to("b.py")
    assert not is_lost(actions(ground, command.replace("~", str(ground.home))))


def test_what_the_session_made_is_its_own(ground: Ground) -> None:
    for command in ("dd if=/dev/zero of=data.db count=1", f"mv data.db {ground.home}/tmp/"):
        assert not is_lost(actions(ground, command, created=("data.db",)))


@pytest.mark.parametrize(
    "command",
    [
        ":(){ :|:& };:",
        "bomb() { bomb | bomb & }; bomb",
        "f() { f & f & }; f",
        "b() ( b | b ); b",
        "bash -c ':(){ :|:& };:'",
    ],
)
def test_a_fork_bomb_is_a_catastrophe(ground: Ground, command: str) -> None:
    assert any(map(is_catastrophe, actions(ground, command)))


@pytest.mark.parametrize(
    "command",
    [
        'walk() { for d in "$1"/*; do [ -d "$d" ] && walk "$d" & done; wait; }; walk src',
        "again() { make test || again; }; again",
        "log() { echo x | tee log; }; log",
        "f() { g | g & }; f",
    ],
)
def test_recursion_is_none(ground: Ground, command: str) -> None:
    assert not any(map(is_catastrophe, actions(ground, command)))
