"""Codex CLI: what only it does. What holds for every host is in `test_every_host.py`."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, DENY, GUARD, made
from host_process import Client
from interlock.hosts import codex
from interlock.hosts.codex_process import is_attended
from interlock.hosts.codex_settings import checked, describe, hash_of, settings_files, unhooks
from interlock.model.decision import Decision, Finding
from interlock.model.effects import Effect
from interlock.model.errors import HostError
from interlock.model.events import Block, Decided, EndTurn, Place, Said, Tell
from interlock.model.posture import Posture
from interlock.model.verdict import Verdict
from interlock.value import freeze
from ledger_rows import ledger_rows
from person import at_a_terminal

EVENT: dict[str, Any] = {"session_id": "s1", "turn_id": "t1", "transcript_path": None, "cwd": "/work/shop"}


def event(name: str, **fields: Any) -> Any:
    return freeze({**EVENT, "hook_event_name": name, **fields})


# --- events -------------------------------------------------------------------------------------


def test_a_call_of_another_agent_names_it() -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "c1"}
    found: Any = codex.event_from(event("PreToolUse", **given, agent_id="a1", agent_type="default"), {}, 0)
    assert (found.call.agent, found.call.agent_type, found.call.attempt) == ("a1", "default", "c1")


@pytest.mark.parametrize(("text", "notice"), [("go on", False), ("Interlock: not yet.", True)])
def test_what_the_agent_is_told_that_may_not_stop_is_no_persons_message(text: str, notice: bool) -> None:
    place = Place(host="codex", session="s1", cwd="/work/shop")
    assert codex.event_from(event("UserPromptSubmit", prompt=text), {}, 0) == Said(
        place=place, prompt="t1", text=text, notice=notice
    )


def test_an_unknown_event_is_refused_and_gates() -> None:
    assert codex.gates(event("BeforeLunch"))
    with pytest.raises(HostError, match="BeforeLunch"):
        codex.event_from(event("BeforeLunch"), {}, 0)


@pytest.mark.parametrize(
    ("words", "terminal", "environment", "attended"),
    [
        ([], True, {}, True),
        (["-m", "gpt-5.5"], True, {}, True),
        (["exec", "go on"], True, {}, False),
        (["-m", "gpt-5.5", "e", "go on"], True, {}, False),
        (["review"], True, {}, False),
        ([], False, {}, False),
        (["app-server", "--listen", "unix://"], False, {}, True),
        ([], True, {"CI": "true"}, False),
    ],
    ids=str,
)
def test_who_attends_is_seen_at_the_hosts_process(
    words: list[str], terminal: bool, environment: dict[str, str], attended: bool
) -> None:
    ours, theirs = pty.openpty()
    stream = theirs if terminal else subprocess.DEVNULL
    host = subprocess.Popen(
        [sys.executable, "-S", "-c", "import time; time.sleep(60)", *words], stdin=stream, stdout=stream
    )
    try:
        while not Path(f"/proc/{host.pid}/cmdline").read_bytes():  # it is only just becoming that program
            time.sleep(0.01)
        assert is_attended(host.pid, environment) is attended
    finally:
        host.kill()
        host.wait()
        os.close(ours)
        os.close(theirs)


# --- a call that needs a yes --------------------------------------------------------------------


@pytest.mark.parametrize("attended", [True, False], ids=["somebody is there", "nobody is"])
def test_an_ask_is_held_until_a_person_approves_it_and_the_call_comes_again(attended: bool, tmp_path: Path) -> None:
    client = Client("codex", tmp_path)
    (made(client.home / ".config/interlock") / "policy.toml").write_text(
        'version = 1\n[approvals]\nby = ["terminal"]\n' if not attended else "version = 1\n"
    )
    asked = client.event("a command that cannot be read")
    ran, taken = client.send(asked, attended=attended)
    assert taken == DENY
    (id,) = re.findall(r"interlock approvals approve (ap_[0-9a-f]+)", ran.err.decode())
    assert "make exactly this call again" in ran.err.decode()
    assert client.send({**asked, "tool_use_id": "again"}, attended=attended)[1] == DENY
    assert at_a_terminal(client.home, "approvals", "approve", id, "--yes").code == 0
    assert client.send({**asked, "tool_use_id": "approved"}, attended=attended)[1] == ALLOW
    assert client.send({**asked, "tool_use_id": "once more"}, attended=attended)[1] == DENY


def test_what_is_only_observed_is_left_to_the_host_and_nobody_is_asked(tmp_path: Path) -> None:
    client = Client("codex", tmp_path)
    until = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 86_400))
    (made(client.home / ".config/interlock") / "policy.toml").write_text(
        f"version = 1\n[hook]\nobserve = {{ until = {until} }}\n"
    )
    assert client.send(client.event("a command that cannot be read"))[1] == ALLOW
    assert client.send(client.event("the host's own settings"))[1] == DENY
    assert ledger_rows(client.home / ".local/state/interlock/ledger.db", "prompt") == []


# --- answers ------------------------------------------------------------------------------------

FOUND = Finding(layer="rules", rule="no-prod", verdict=Verdict.DENY, text="this is production", instead="Use staging.")


def decided(*reasons: Finding) -> Decision:
    return Decision(
        verdict=max((finding.verdict for finding in reasons), default=Verdict.ALLOW),
        effect=Effect.WRITE,
        effects=(Effect.WRITE,),
        reasons=reasons,
        satisfied=(),
        used=(),
        near_misses=(),
        notes=(),
        posture=Posture.INTERACTIVE,
        approval=None,
    )


def said(reply: Any, name: str = "PreToolUse") -> tuple[Any, bytes, int]:
    spoken = codex.spoken(event(name), None, reply)
    return json.loads(spoken.stdout) if spoken.stdout else None, spoken.stderr, spoken.code


@pytest.mark.parametrize(
    ("verdict", "told", "expected"),
    [
        (Verdict.DENY, "Use staging.", "Use staging"),
        (Verdict.DENY, "", "this call is refused"),
        (Verdict.ASK, "Edit it?\nYes also covers more.", "not run yet. Edit it?\nNobody can be asked about it"),
        (Verdict.ASK, "", "Nobody can be asked about it"),
    ],
)
def test_what_is_not_allowed_leaves_with_a_reason_and_code_2(verdict: Verdict, told: str, expected: str) -> None:
    reply = Decided(decision=decided(FOUND.replace(verdict=verdict)), person=told, agent=told)
    answer, reason, code = said(reply)
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert (reason.decode(), code) == (f"Interlock: {expected}\n", 2)


@pytest.mark.parametrize(
    ("reply", "name", "expected"),
    [
        (Decided(decision=decided()), "PreToolUse", {}),
        (
            Decided(decision=decided(), notes=("a",), warnings=("b",)),
            "PreToolUse",
            {
                "hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "Interlock: a"},
                "systemMessage": "Interlock: b",
            },
        ),
        (
            Decided(decision=decided(FOUND), agent="x", silent=True, warnings=("b",)),
            "PreToolUse",
            {"systemMessage": "Interlock: b"},
        ),
        (Tell(), "SessionStart", None),
        (Tell(person=("a", "b")), "Stop", {"systemMessage": "Interlock: a\nb"}),
        (Tell(agent="c"), "Stop", None),
        (
            Tell(agent="c"),
            "SessionStart",
            {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "Interlock: c"}},
        ),
        (Block(reason="not yet"), "Stop", {"decision": "block", "reason": "Interlock: not yet"}),
        (
            EndTurn(person=("x",)),
            "PostToolUse",
            {"continue": False, "stopReason": "Interlock: x", "systemMessage": "Interlock: x"},
        ),
    ],
    ids=str,
)
def test_what_passes_is_told_so(reply: Any, name: str, expected: Any) -> None:
    assert said(reply, name) == (expected, b"", 0)


# --- the line in its settings -------------------------------------------------------------------


def test_the_process_that_is_recorded_is_the_hosts_and_not_the_shells(tmp_path: Path) -> None:
    client = Client("codex", tmp_path)
    client.send(client.event("a look at a folder"))
    (row,) = ledger_rows(client.home / ".local/state/interlock/ledger.db", "session")
    assert row["body"]["parent"][0] == client.process


@pytest.mark.parametrize(
    "guard",
    ["import sys; sys.exit(0)", "import sys; sys.exit(2)", "print('allow')", "print('{}'); import sys; sys.exit(1)"],
    ids=["it says nothing", "it leaves with 2 and says nothing", "it says no JSON", "it leaves with 1"],
)
def test_the_line_denies_where_the_client_would_run_the_call(guard: str, tmp_path: Path) -> None:
    file = made(tmp_path / "hook") / "guard.py"
    file.write_text(guard)
    client = Client("codex", tmp_path, guard=str(file))
    ran, taken = client.send(client.event("a look at a folder"))
    assert taken == DENY
    assert b"No answer came, so this call is blocked." in ran.err


@pytest.mark.parametrize("shell", ["bash", "dash", "zsh", "fish", "busybox"])
@pytest.mark.parametrize("name", ["plain", "it's here", 'a "b" $HOME `id` $(id)'], ids=repr)
def test_the_line_holds_in_any_shell_whatever_the_folders_are_called(shell: str, name: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    package = made(tmp_path / name) / "interlock"
    package.symlink_to(GUARD.parent.parent)
    for guard, code in ((package / "hook/guard.py", 0), (package / "hook/gone.py", 2)):
        client = Client("codex", tmp_path, guard=str(guard))
        words = ["busybox", "sh"] if shell == "busybox" else [shell]
        done = subprocess.run(
            [*words, "-c", client.handler("PreToolUse")["command"]],
            input=json.dumps(client.event("a look at a folder")).encode(),
            capture_output=True,
            cwd=client.project,
            env={"PATH": os.defpath},
            check=False,
        )
        assert done.returncode == code, done
        assert bool(done.stderr) == bool(code)


def test_a_large_event_is_taken_in_whole_also_by_a_guard_that_is_gone(tmp_path: Path) -> None:
    """The client runs the call if its pipe breaks."""
    client = Client("codex", tmp_path, python="/nowhere/python3")
    hook = subprocess.Popen(
        ["bash", "-c", client.handler("PreToolUse")["command"]],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=client.project,
    )
    assert hook.stdin is not None
    for _ in range(32):
        hook.stdin.write(b"x" * (1 << 16))
    hook.stdin.close()
    assert hook.wait() == 2


# --- its settings files -------------------------------------------------------------------------

HANDLER = {"type": "command", "command": "exec /bin/sh -c '/opt/interlock/hook/guard.py'", "timeout": 60}


def files(config: str = "") -> dict[str, bytes | None]:
    found: dict[str, bytes | None] = dict.fromkeys(settings_files("/work/shop", "/home/ada", {}))
    found["/home/ada/.codex/hooks.json"] = json.dumps({"hooks": {"PreToolUse": [{"hooks": [HANDLER]}]}}).encode()
    found["/home/ada/.codex/config.toml"] = config.encode()
    return found


@pytest.mark.parametrize(
    ("matcher", "handler", "digest"),
    [
        (
            None,
            {"type": "command", "command": "/usr/bin/true --all", "timeout": 20},
            "da9a66045e925314fc32f47dac888c24b2722f443ee3af50915125041561f302",
        ),
        (
            "Bash",
            {"type": "command", "command": "/usr/bin/true 'é'"},
            "60cfe14ab11e9526d1f896231e87cd16738f530775d81351c15524dca407d29b",
        ),
    ],
)
def test_the_digest_of_a_hook_is_the_clients(matcher: str | None, handler: dict[str, Any], digest: str) -> None:
    """Taken from its config.toml, after `Trust all and continue`."""
    assert hash_of("pre_tool_use", matcher, handler) == f"sha256:{digest}"


KEY = "/home/ada/.codex/hooks.json:pre_tool_use:0:0"
TTY = "[features]\nunified_exec_tty = false\n"


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("", ["not trusted there"]),
        (f'[hooks.state."{KEY}"]\ntrusted_hash = "sha256:0"\n', ["changed since it was trusted there"]),
        (f'[hooks.state."{KEY}"]\ntrusted_hash = "@"\nenabled = false\n', ["switched off there"]),
        (f'[hooks.state."{KEY}"]\ntrusted_hash = "@"\n', []),
    ],
    ids=["nothing", "another", "switched off", "this one"],
)
def test_a_hook_that_codex_would_skip_is_told(state: str, told: list[str]) -> None:
    config = TTY + state.replace('"@"', f'"{hash_of("pre_tool_use", None, HANDLER)}"')
    found = [(bad, text) for bad, text, _ in checked(files(config))]
    assert found == [(True, f"Codex does not call Interlock for PreToolUse: its hook is {why}") for why in told]


def test_that_agents_can_type_into_programs_is_told() -> None:
    assert [bad for bad, text, _ in checked(files()) if "type into" in text] == [False]
    assert not [text for _, text, _ in checked(files(TTY)) if "type into" in text]


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("/home/ada/.codex/config.toml", "[features]\nhooks = false\n", "switches off all hooks (`features.hooks`)"),
        ("/work/shop/.codex/config.toml", "[features]\nhooks = false\n", "switches off all hooks (`features.hooks`)"),
        ("/etc/codex/requirements.toml", "allow_managed_hooks_only = true\n", "lets only managed hooks run"),
        ("/home/ada/.codex/config.toml", "[features\n", "cannot be read as settings"),
        ("/home/ada/.codex/hooks.json", "{", "cannot be read as hooks"),
    ],
)
def test_what_switches_hooks_off_is_told(path: str, text: str, why: str) -> None:
    assert unhooks(files(), {}) == []
    (found,) = unhooks(files() | {path: text.encode()}, {})
    assert why in found
    assert path in found


def test_of_its_settings_what_it_writes_by_itself_does_not_count() -> None:
    before = b'model = "a"\n[tui]\nseen = 1\n[hooks.state."x"]\ntrusted_hash = "1"\n[notice.model]\na = 1\n'
    after = b'model = "a"\n\n[tui]\nseen = 2\n\n[hooks.state."x"]\ntrusted_hash = "1"\n'
    other = after.replace(b'hash = "1"', b'hash = "2"')
    path = "/home/ada/.codex/config.toml"
    assert describe(path, before) == describe(path, after) != describe(path, other)
