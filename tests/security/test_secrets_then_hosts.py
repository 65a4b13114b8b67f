"""Once a secret was read in a session, the first fetch from a host that nobody knows is a question."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.bytes.canon import canonical
from interlock.bytes.strict import parse_object
from interlock.decide import decide
from interlock.evals.lexical import read_lexically
from interlock.layers.seen import seen
from interlock.model.call import Call
from interlock.model.decision import Decision
from interlock.model.facts import Facts
from interlock.model.session import Session, advance
from interlock.policy.compile import compile_policy
from interlock.record.sessions import session_from_wire, session_to_wire
from interlock.record.slice import slice_from_wire, slice_to_wire
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap

with open(default_file(), "rb") as file:
    POLICY = compile_policy((("default", "default.toml", file.read()),))
FACTS = Facts(root="/repo", home="/home/user")


class Work:
    """Calls one after another, each asked one answered by the outcome that is given."""

    def __init__(self) -> None:
        self.session = Session(id="s1")

    def call(self, tool: str, outcome: str = "ran", **arguments: Any) -> Decision:
        call = Call(tool=tool, input=FrozenMap(arguments), cwd="/repo")
        reading = read_lexically(call, FACTS)[0]
        decision = decide(call, reading, POLICY, self.session)
        slim = seen(call, reading, POLICY, self.session)
        wire = slice_to_wire(slim, reading)
        again = slice_from_wire(wire, id="s1", projection=reading.projection)
        assert decide(call, reading, POLICY, again).verdict is decision.verdict  # as a replay has it
        self.session = advance(self.session, reading, decision, outcome)
        return decision

    def fetch(self, host: str) -> str:
        return self.call("WebFetch", url=f"https://{host}/guide", prompt="x").verdict.name


def test_before_a_secret_was_read_any_host_is_free() -> None:
    assert Work().fetch("docs.acme.example") == "allow"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Read", {"file_path": "/repo/.env"}),
        ("Bash", {"command": "cat ~/.aws/credentials"}),
        ("Grep", {"pattern": "x", "path": "/repo/.env"}),
    ],
)
def test_after_a_secret_was_read_a_new_host_is_asked_about(tool: str, arguments: dict[str, str]) -> None:
    work = Work()
    assert work.fetch("docs.acme.example") == "allow"
    work.call(tool, **arguments)
    found = work.call("WebFetch", "not_run", url="https://new.example/?q=hello", prompt="x")
    assert [(reason.layer, reason.rule) for reason in found.reasons] == [("flow", "new-host")]
    assert work.call("Bash", "not_run", command="curl -s https://new.example/").verdict.name == "ask"
    assert work.fetch("docs.acme.example") == "allow"  # used before
    assert work.fetch("pypi.org") == "allow"  # widely known
    assert work.call("Bash", command="curl -s http://localhost:8000/health").verdict.name == "allow"


def test_a_secret_that_was_asked_about_and_not_read_changes_nothing() -> None:
    work = Work()
    work.call("Read", "not_run", file_path="/repo/.env")
    assert work.fetch("new.example") == "allow"


def test_an_example_file_is_no_secret() -> None:
    work = Work()
    work.call("Read", file_path="/repo/.env.example")
    assert work.fetch("new.example") == "allow"


def test_a_host_is_asked_about_once() -> None:
    work = Work()
    work.call("Read", file_path="/repo/.env")
    assert work.fetch("new.example") == "ask"  # and the person said yes
    assert work.fetch("new.example") == "allow"


def test_a_kept_session_remembers_both() -> None:
    work = Work()
    work.fetch("docs.acme.example")
    work.call("Read", file_path="/repo/.env")
    kept = session_from_wire(parse_object(canonical(session_to_wire(work.session))))
    assert (kept.secret, kept.hosts) == (True, frozenset(("docs.acme.example",)))
