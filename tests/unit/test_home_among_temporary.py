"""Where the home folder lies in a temporary one, as in many containers, what is in it is still somebody's."""

from __future__ import annotations

import pytest

from interlock.decide import decide
from interlock.evals.lexical import bench_for
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap

POLICY = bench_for().policy
HOME, ROOT = "/tmp/someone", "/tmp/someone/project"


def verdict(command: str, home: str = HOME) -> str:
    facts = Facts(root=ROOT, home=home)
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=ROOT, session="s")
    return decide(call, read_with_facts(call, facts), POLICY, Session(), ()).verdict.name


@pytest.mark.parametrize(
    "command",
    [
        "cp scripts/tool.sh ~/.local/bin/git",
        "install -m 755 scripts/tool.sh /tmp/someone/bin/ls",
        "echo hello > ~/notes.txt",
        "rm -r ~/Documents",
        "mv ~/Documents/plan.txt build/",
        "mv /tmp/someone /tmp/elsewhere",
        "cp scripts/tool.sh /tmp/some*/.local/bin/git",
        "python -c \"open('/tmp/someone/notes.txt', 'w').write('x')\"",
    ],
)
def test_what_is_in_it_is_asked_about(command: str) -> None:
    assert verdict(command) != "allow"


@pytest.mark.parametrize(
    "command", ["echo hello > /tmp/list.txt", "mkdir -p /tmp/someone-else/build", "echo x > notes.txt", "ls ~"]
)
def test_the_rest_of_the_temporary_folder_and_the_project_stay_free(command: str) -> None:
    assert verdict(command) == "allow"


def test_a_temporary_folder_that_is_the_home_itself_stays_one() -> None:
    assert verdict("echo hello > /tmp/list.txt", home="/tmp") == "allow"
