"""Command prefixes, compiled into what they permit."""

from __future__ import annotations

import pytest

from interlock.approve.grant import covers
from interlock.model.action import Action
from interlock.model.call import Call
from interlock.model.errors import InputError
from interlock.model.facts import Facts
from interlock.policy.prefix import grant_for, read_prefix
from interlock.reading.read import read_call
from interlock.value import FrozenMap


def actions(command: str) -> tuple[Action, ...]:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/p")
    return read_call(call, Facts(root="/p", home="/home/u")).actions


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("git push", ("git", "push")),
        ("  git   push ", ("git", "push")),
        ("git", ("git",)),
        ("git push:*", ("git", "push")),
        ("Bash(git push:*)", ("git", "push")),
        ("Bash(npm run build *)", ("npm", "run", "build")),
    ],
)
def test_a_prefix_is_written_in_several_ways(written: str, words: tuple[str, ...]) -> None:
    assert read_prefix(written) == words


@pytest.mark.parametrize(
    ("prefix", "command", "covered"),
    [
        ("git push", "git push -u origin feature", True),
        ("git push", "git -C . push origin main", True),
        ("git push", "git push --force", False),
        ("git push", "git push origin +main", False),
        ("git push", "git push origin :main", False),
        ("git push", "git push --mirror", False),
        ("git push", "git pull", False),
        ("git", "git push", False),
        ("git", "git fetch", True),
        ("git", "git push --force", False),
        ("git", "git frobnicate", False),
        ("npm run build", "npm run build -- --watch", True),
        ("npm run build", "npm run deploy", False),
        ("kubectl get pods", "kubectl get pods -A", True),
        ("kubectl get pods", "kubectl get secrets", False),
    ],
)
def test_what_a_prefix_covers(prefix: str, command: str, covered: bool) -> None:
    grant = grant_for(prefix, by="ann")
    assert grant.kind == "remembered"
    if prefix != "git":  # a whole program covers nothing that leaves this machine
        grant = grant.replace(scope=FrozenMap({**grant.scope, "destination": "*"}))
    found = actions(command)
    assert found
    assert all(covers(grant, action) for action in found) is covered


@pytest.mark.parametrize(
    ("prefix", "told"),
    [
        ("", "`` is not a command prefix; write plain words, such as `git push`"),
        ("git push; rm -rf x", "`git push; rm -rf x` is not a command prefix; write plain words, such as `git push`"),
        ("$TOOL", "`$TOOL` is not a command prefix; write plain words, such as `git push`"),
        ("git *push", "`git *push` is not a command prefix; write plain words, such as `git push`"),
        ("rm", "`rm` would permit fs:delete anywhere; grant the action with a scope instead"),
        ("curl", "`curl` would permit net:fetch anywhere; grant the action with a scope instead"),
        ("python3", "`python3` would permit exec:shell anywhere; grant the action with a scope instead"),
        ("bash -c", "`bash -c` runs whatever comes after it; name the command as well"),
        ("make", "`make` would permit all code of the project; name the task, such as `npm run build`"),
    ],
)
def test_words_that_would_permit_too_much_are_refused(prefix: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        grant_for(prefix, by="ann")
    assert str(error.value) == told
