"""The consult: a real endpoint on this machine, friendly and hostile. It can only ever add a note."""

from __future__ import annotations

import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from hook_process import ALLOW, DENY, Machine
from interlock.contracts.model import Contract
from interlock.model.call import Call
from interlock.policy.model import Consult
from interlock.store.outside.consult import Opinion, doubts_of, opinion_of
from interlock.value import FrozenMap, freeze
from model_endpoint import Handler, dribble, endpoint, hang, raw

CALL = Call(tool="deploy", input=FrozenMap({"version": "latest"}))
CONTRACT = Contract(tool="deploy", source="test", says="Only exact versions are deployed.")


def say(content: Any) -> Handler:
    return raw(json.dumps({"choices": [{"message": {"content": content}}]}).encode())


def consult(address: str) -> Consult:
    return Consult(endpoint=address, model="m", family="qwen", agent_family="claude", timeout=0.5)


def doubt(text: str) -> tuple[str, ...]:
    return (f"a model of another family (qwen) doubts this call: {text}",)


ANSWERS: dict[str, tuple[Handler, tuple[str, ...]]] = {
    "a doubt": (say("NONCONFORMANT: latest is not an exact version"), doubt("latest is not an exact version")),
    "a doubt with blanks": (say("\n nonconformant :  two\tparts \nmore"), doubt("two parts")),
    "a long doubt": (say("NONCONFORMANT: " + "x" * 5000), doubt("x" * 200)),
    "control characters": (say("NONCONFORMANT: a\x1b[2Jb"), doubt("a [2Jb")),
    "a doubt in bold": (say("**NONCONFORMANT**: two versions"), doubt("two versions")),
    "a doubt in bold with its colon": (say("**NONCONFORMANT:** two `versions`"), doubt("two `versions")),
    "a doubt behind a dash": (say("NONCONFORMANT — two versions"), doubt("two versions")),
    "a named answer": (say("Answer: `NONCONFORMANT`: two versions"), doubt("two versions")),
    "a doubt after thinking": (
        say("<think>Is it ABSTAIN?\nNONCONFORMANT: no</think>\n\nNONCONFORMANT: two versions"),
        doubt("two versions"),
    ),
    "thinking alone": (say("<think>NONCONFORMANT: x"), ()),
    "an abstention in bold": (say("**ABSTAIN** NONCONFORMANT: x"), ()),
    "the bare word": (say("NONCONFORMANT"), doubt("it gives no reason")),
    "the bare word as a sentence": (say("Nonconformant.\n"), doubt("it gives no reason")),
    "the bare word in bold": (say("**NON-CONFORMANT**"), doubt("it gives no reason")),
    "an empty doubt": (say("NONCONFORMANT:"), doubt("it gives no reason")),
    "a reason below": (say("NONCONFORMANT\n\ntwo versions\nand more"), doubt("two versions")),
    "a word that begins so": (say("NONCONFORMANTLY"), ()),
    "the word in a sentence": (say("NONCONFORMANT is what this is not"), ()),
    "an abstention": (say("ABSTAIN"), ()),
    "praise": (say("CONFORMANT: all is well"), ()),
    "talk": (say("I think it is NONCONFORMANT: because"), ()),
    "not a text": (say(["NONCONFORMANT: x"]), ()),
    "another shape": (raw(b'{"choices": []}'), ()),
    "garbage": (raw(b"\xff\xfe<html>"), ()),
    "nothing": (raw(b""), ()),
    "an error": (raw(b"NONCONFORMANT: x", 500), ()),
    "a redirect": (raw(b"", 302, Location="/elsewhere"), ()),
    "a redirect of the post": (raw(b"", 307, Location="/elsewhere"), ()),
    "too much": (say("NONCONFORMANT: " + "x" * 100_000), ()),
    "no answer": (hang, ()),
    "an answer without end": (dribble, ()),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_only_a_plain_doubt_becomes_a_note(name: str) -> None:
    handle, expected = ANSWERS[name]
    with endpoint(handle) as there:
        assert doubts_of(consult(there.address), CALL, (CONTRACT,)) == expected
        assert len(there.asked) == 1  # no redirect was followed


def test_what_is_asked_is_the_contract_and_the_call() -> None:
    with endpoint(say("ABSTAIN")) as there:
        doubts_of(consult(there.address), CALL, (CONTRACT,))
    (asked,) = there.asked
    assert (asked["model"], asked["temperature"]) == ("m", 0)
    assert asked["messages"][1] == {
        "role": "user",
        "content": "CONTRACT:\nOnly exact versions are deployed.\n\nCALL:\n"
        '{"input":{"version":"latest"},"state":null,"tool":"deploy"}',
    }


def test_nothing_is_asked_without_prose_or_beyond_bounds() -> None:
    with endpoint(say("NONCONFORMANT: x")) as there:
        assert doubts_of(consult(there.address), CALL, (CONTRACT.replace(says=""),)) == ()
        large = CALL.replace(input=freeze({"text": "x" * 40_000}))
        assert doubts_of(consult(there.address), large, (CONTRACT,)) == ()
        assert there.asked == []


def test_nobody_at_the_other_end_is_an_abstention() -> None:
    assert doubts_of(consult("http://127.0.0.1:9/"), CALL, (CONTRACT,)) == ()


# --- through the hook -------------------------------------------------------------------------------


def switched_on(address: str, timeout: float = 3.0) -> str:
    return (
        f'version = 1\n[consult]\nendpoint = "{address}"\nmodel = "m"\nfamily = "qwen"\nagent_family = "claude"\n'
        f"timeout = {timeout}\n"
    )


def test_it_is_off_by_default_and_a_project_cannot_switch_it_on(machine: Machine) -> None:
    with endpoint(say("NONCONFORMANT: x")) as there:
        assert "additionalContext" not in machine.call("Write").answer["hookSpecificOutput"]
        machine.project_policy.write_text(switched_on(there.address))
        ran = machine.call("Write")
        assert "NONCONFORMANT" not in str(ran.answer)
        assert "left out: consult" in ran.answer["systemMessage"]
        assert there.asked == []


def test_switched_on_it_adds_a_note_that_the_receipt_keeps(machine: Machine) -> None:
    with endpoint(say("NONCONFORMANT: it says nothing")) as there:
        machine.user_policy.write_text(switched_on(there.address))
        ran = machine.call("Write")
        assert ran.answer["hookSpecificOutput"] == {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "additionalContext": doubt("it says nothing")[0],
        }
    (row,) = machine.rows()
    assert row["body"]["receipt"]["reading"]["doubts"] == list(doubt("it says nothing"))


def test_a_proved_violation_and_a_denied_call_are_not_asked_about(machine: Machine) -> None:
    with endpoint(say("NONCONFORMANT: x")) as there:
        machine.user_policy.write_text(switched_on(there.address))
        assert machine.call("Edit", old_string="a", new_string="a").taken == ALLOW
        assert machine.call("Write", file_path=str(machine.user_policy)).taken == DENY
        assert there.asked == []


@pytest.mark.slow
@pytest.mark.parametrize("handle", [hang, dribble, raw(b"", 500)], ids=["hanging", "dribbling", "failing"])
def test_whatever_the_endpoint_does_the_call_is_decided(machine: Machine, handle: Handler) -> None:
    with endpoint(handle) as there:
        machine.user_policy.write_text(switched_on(there.address, timeout=1.0))
        assert machine.call("Write").answer["hookSpecificOutput"] == {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
        }


def test_proxies_of_the_environment_are_not_used(machine: Machine) -> None:
    with endpoint(say("NONCONFORMANT: x")) as there, endpoint(say("ABSTAIN")) as proxy:
        machine.user_policy.write_text(switched_on(there.address))
        base = proxy.address.removesuffix("/v1/chat/completions")
        machine.run(machine.event("Write"), environment={"http_proxy": base, "HTTP_PROXY": base, "ALL_PROXY": base})
        assert (len(there.asked), proxy.asked) == (1, [])


def test_the_key_is_taken_from_the_variable_that_the_policy_names(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str | None] = []

    def handle(request: BaseHTTPRequestHandler) -> None:
        seen.append(request.headers["Authorization"])
        raw(b"", 401)(request)

    with endpoint(handle) as there:
        asked = consult(there.address).replace(key="DOUBTS_KEY")
        assert opinion_of(asked, CALL, (CONTRACT,)).trouble == (
            "the variable `DOUBTS_KEY`, which should hold its key, is not set"
        )
        monkeypatch.setenv("DOUBTS_KEY", "sk-one")
        assert opinion_of(asked, CALL, (CONTRACT,)) == Opinion(trouble="HTTP Error 401: Unauthorized", asked=True)
    assert seen == ["Bearer sk-one"]


def test_only_the_tools_that_are_named_are_asked_about() -> None:
    with endpoint(say("NONCONFORMANT: x")) as there:
        asked = consult(there.address).replace(tools=("mail__*", "refund"))
        assert doubts_of(asked, CALL, (CONTRACT,)) == ()
        assert doubts_of(asked, CALL.replace(tool="mail__send"), (CONTRACT,)) == doubt("x")
        assert len(there.asked) == 1


@pytest.mark.slow
def test_a_person_can_see_whether_it_answers(machine: Machine) -> None:
    def shown(address: str, *options: str) -> tuple[int, str]:
        machine.user_policy.write_text(switched_on(address))
        call = json.dumps({"tool": "Write", "input": {"file_path": "a", "content": ""}})
        words = [sys.executable, "-m", "interlock.cli", "--home", str(machine.home), "contracts", "consult", call]
        done = subprocess.run([*words, *options], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    with endpoint(say("ABSTAIN")) as there:
        assert shown(there.address) == (0, "has no doubts\n")
    with endpoint(say("NONCONFORMANT: it is empty")) as there:
        assert shown(there.address) == (0, "doubts it: it is empty\n")
    with endpoint(say("It looks fine to me")) as there:
        code, out = shown(there.address, "--json")
        assert (code, json.loads(out)["trouble"]) == (74, "neither of the two words: It looks fine to me")
    code, out = shown("http://127.0.0.1:9/")
    assert code == 74
    assert out.startswith("no answer from http://127.0.0.1:9/: ")
