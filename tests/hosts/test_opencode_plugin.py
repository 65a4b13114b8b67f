"""OpenCode: what only it does, and its plug-in as a JavaScript engine runs it. `test_every_host.py` has the rest."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hook_process import GUARD, made
from interlock.hosts import opencode, opencode_install, opencode_plugin, opencode_settings
from interlock.hosts.lines import LATE_SECONDS
from interlock.limits import HOOK_DEADLINE_SECONDS
from interlock.model.decision import Decision, Finding
from interlock.model.effects import Effect
from interlock.model.errors import HostError
from interlock.model.events import Decided, Ended, EndTurn, Place, Said, Tell
from interlock.model.posture import Posture
from interlock.model.verdict import Verdict
from interlock.reading.tools.tools import TOOLS
from interlock.value import freeze

EVENT: dict[str, Any] = {"session_id": "s1", "cwd": "/work/shop", "worktree": "/work/shop", "command": ""}
PLACE = Place(host="opencode", session="s1", cwd="/work/shop", root="/work/shop")
CHILD = {"session_id": "s2", "parent_id": "s1"}


def event(name: str, **fields: Any) -> Any:
    return opencode.event_from(freeze({**EVENT, "hook_event_name": name, **fields}), {}, 0)  # type: ignore[arg-type]


# --- events -------------------------------------------------------------------------------------


@pytest.mark.parametrize("ours", sorted(TOOLS))
def test_a_tool_that_only_has_one_of_our_names_is_none_of_ours(ours: str) -> None:
    found = event("tool.execute.before", tool_name=ours, tool_input={}).call
    assert (found.tool in TOOLS, found.named) == (False, ours)


def test_a_sub_agents_call_is_of_the_session_that_started_it() -> None:
    found = event("tool.execute.before", tool_name="bash", tool_input={"command": "ls"}, **CHILD)
    assert (found.call.session, found.call.agent, found.place.session) == ("s1", "s2", "s1")


@pytest.mark.parametrize(
    ("fields", "notice"),
    [({"synthetic": False}, False), ({"synthetic": True}, True), ({}, True), ({"synthetic": False, **CHILD}, True)],
    ids=str,
)
def test_what_an_agent_or_the_client_says_is_no_persons_message(fields: Any, notice: bool) -> None:
    found = event("chat.message", prompt="go on", message_id="m1", **fields)
    assert found == Said(place=PLACE, prompt="m1", text="go on", notice=notice)


@pytest.mark.parametrize(("code", "outcome"), [(0, "ran"), ("none", "ran"), (1, "failed"), (None, "unknown")])
def test_an_outcome_is_the_commands_exit_code(code: Any, outcome: str) -> None:
    found = event("tool.execute.after", tool_name="bash", tool_input={"command": "x"}, exit=code, tool_response="a")
    assert type(found) is Ended
    assert (found.outcome, found.result) == (outcome, "a")


@pytest.mark.parametrize(("command", "attended"), [("", True), ("run", False), ("serve", False), ("acp", False)])
def test_who_attends_shows_in_the_clients_command(command: str, attended: bool) -> None:
    assert event("session.created", command=command).place.attended is attended


def test_the_root_of_all_folders_is_no_project() -> None:
    assert event("session.created", worktree="/").place.root is None


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(HostError, match="lunch"):
        event("lunch")


# --- answers ------------------------------------------------------------------------------------

FOUND = Finding(layer="rules", rule="no-prod", verdict=Verdict.ASK, text="this is production", instead="Use staging.")


def decided(*reasons: Finding, approval: str | None = None) -> Decision:
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
        approval=approval,
    )


def said(reply: Any) -> bytes:
    return opencode.spoken(freeze(EVENT), None, reply).stdout  # type: ignore[arg-type]


def test_an_allow_is_always_the_bytes_that_the_plug_in_waits_for() -> None:
    for notes in ((), ("Run the tests.",)):
        assert said(Decided(decision=decided(), notes=notes, warnings=notes)) == opencode_plugin.ALLOWED.encode()


def test_an_ask_is_a_deny() -> None:
    told = json.loads(said(Decided(decision=decided(FOUND), person="Edit it.", agent="Use staging.")))
    assert told == {"decision": "deny", "reason": "Interlock: Use staging."}


@pytest.mark.parametrize(("approval", "shown"), [(None, True), ("ap_1", False)])
def test_where_nobody_can_approve_it_the_person_learns_how_to_change_that(approval: str | None, shown: bool) -> None:
    unasked = FOUND.replace(layer="posture", verdict=Verdict.DENY)
    reply = Decided(decision=decided(unasked), held=approval or "", person="Edit it.", agent="Go on.")
    assert ('[approvals] by = ["terminal"]' in json.loads(said(reply))["reason"]) is shown


def test_what_decides_about_no_call_is_told_the_agent() -> None:
    assert said(Tell()) == b""
    assert json.loads(said(Tell(agent="c", person=("a",)))) == {"told": "Interlock: c\nTell the person: a"}
    assert json.loads(said(EndTurn(person=("x",)))) == {"told": "Interlock: Tell the person: x"}


# --- the file -----------------------------------------------------------------------------------

SETTINGS = opencode.settings("/usr/bin/python3", "/data/interlock/hook/guard.py", ())


@pytest.mark.parametrize(
    "guard", ["/data/guard.py", "/@ALLOWED@/g.py", '/it\'s "a"/${b}`c`/\\g;\n/g.py', "/\u2028/g.py"]
)
def test_the_entries_are_found_again_in_the_plug_in(guard: str) -> None:
    settings = opencode.settings("/usr/bin/python3", guard, ("--home", "/home/ada"))
    assert opencode_plugin.embedded(opencode_plugin.text_of(settings).encode()) == settings


@pytest.mark.parametrize(
    ("old", "new"),
    [("said === ALLOWED", "true"), ("SIGKILL", "SIGCONT"), ("export", "\nexport"), ("tool.execute.before", "x")],
)
def test_a_plug_in_with_one_other_word_is_none_of_ours(old: str, new: str) -> None:
    text = opencode_plugin.text_of(SETTINGS)
    changed = text.replace(old, new, 1) if old != "tool.execute.before" else text.replace('    "tool.exec', '    "x')
    assert changed != text
    path = "/home/ada/.config/opencode/plugin/interlock.js"
    assert opencode_plugin.embedded(changed.encode()) == {}
    assert opencode_settings.unhooks({path: changed.encode()}, {}) == [
        f"`{path}` is not as `interlock install` writes it"
    ]
    assert opencode_settings.unhooks({path: text.encode()}, {}) == []


def test_the_shells_that_are_read_as_bash_are_those_that_the_plug_in_chooses_from() -> None:
    for shell, ours in [*[(shell, "Bash") for shell in opencode_plugin.SHELLS], ("/bin/zsh", "bash"), ("", "bash")]:
        assert event("tool.execute.before", tool_name="bash", tool_input={}, shell=shell).call.tool == ours


def test_it_gives_up_after_the_guard_has() -> None:
    assert HOOK_DEADLINE_SECONDS + 1 < LATE_SECONDS


def test_there_is_a_file_for_a_person_and_for_a_project_but_none_for_everybody() -> None:
    where = [opencode_install.settings_file(scope, "/work/shop", "/home/ada", {}) for scope in ("user", "project")]
    assert where[1] == "/work/shop/.opencode/plugin/interlock.js"
    with pytest.raises(HostError, match="use --user"):
        opencode_install.settings_file("managed", "/work/shop", "/home/ada", {})


# --- the plug-in at work ------------------------------------------------------------------------

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None and "CI" not in os.environ, reason="there is no node")

_DRIVER = """
import { Interlock } from "./interlock.mjs"
const { directory, events } = JSON.parse(process.argv[2])
process.argv.length = 2
const hooks = await Interlock({ directory, worktree: directory })
const config = { shell: "/bin/zsh" }
await hooks.config(config)
const found = []
for (const [name, ...given] of events) {
  try {
    await hooks[name](...given)
    found.push({ given })
  } catch (error) {
    found.push({ thrown: error.message })
  }
}
console.log(JSON.stringify(found))
"""


def ran(folder: Path, *events: Any, guard: str = str(GUARD), python: str = sys.executable) -> list[dict[str, Any]]:
    """What becomes of these events in the plug-in: what it threw, or what it was given as it left it."""
    home, project = made(folder / "home"), made(folder / "project")
    settings = opencode.settings(python, guard, ("--home", str(home)))
    (folder / "interlock.mjs").write_text(opencode_plugin.text_of(settings))
    (folder / "driver.mjs").write_text(_DRIVER)
    given = json.dumps({"directory": str(project), "events": events})
    done = subprocess.run(
        [str(NODE), str(folder / "driver.mjs"), given], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def before(command: str) -> list[Any]:
    return [
        "tool.execute.before",
        {"tool": "bash", "sessionID": "s1", "callID": command},
        {"args": {"command": command}},
    ]


@needs_node
def test_it_throws_on_everything_but_an_allow(tmp_path: Path) -> None:
    found = ran(tmp_path, before("ls"), before(f"rm -rf {tmp_path}/home"), before("$TOOL x"))
    assert found[0] == {"given": before("ls")[1:]}
    assert found[1]["thrown"].startswith("Interlock: ")
    assert "Interlock: " in found[2]["thrown"]


BROKEN = {
    "it dies of a signal": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "it leaves with 1": "import sys; sys.exit(1)",
    "it leaves with 1 after an allow": 'import sys; print(\'{"decision":"allow"}\'); sys.exit(1)',
    "it says nothing": "",
    "it says something else": "print('allow')",
    "it says more than an allow": 'print(\'{"decision":"allow"}\\n\')',
    "it says half of it": "print('{\"decision\":\"allow\"}', end='')",
    "it does not end": "import sys, time; sys.stdin.read(); time.sleep(30)",
    "it reads nothing": "import os; os.close(0)",
}


@pytest.mark.sampled(5)
@needs_node
@pytest.mark.parametrize("what", BROKEN)
def test_a_guard_that_breaks_lets_nothing_run_and_stops_nothing_else(what: str, tmp_path: Path) -> None:
    guard = tmp_path / "guard.py"
    guard.write_text(BROKEN[what])
    begun = time.monotonic()
    (call,) = ran(tmp_path, before("ls"), guard=str(guard))
    assert call["thrown"].startswith("Interlock: No answer came, so this call is blocked.")
    assert time.monotonic() - begun < LATE_SECONDS + 5
    if what != "it does not end":
        (after,) = ran(
            tmp_path, ["tool.execute.after", {"tool": "bash", "args": {}}, {"output": "a"}], guard=str(guard)
        )
        assert after["given"][1]["output"].startswith("a\n\nInterlock: A call ran ")  # nobody had judged it


@needs_node
@pytest.mark.parametrize("gone", ["guard", "python"])
def test_a_program_that_is_gone_lets_nothing_run_and_the_cure_is_named(gone: str, tmp_path: Path) -> None:
    (call,) = ran(tmp_path, before("ls"), **{gone: "/nowhere/it"})
    assert "interlock install opencode" in call["thrown"]


@needs_node
def test_a_call_that_ran_although_it_was_denied_is_told_with_its_result(tmp_path: Path) -> None:
    denied = f"rm -rf {tmp_path}/home"
    after = [
        "tool.execute.after",
        {"tool": "bash", "sessionID": "s1", "callID": denied, "args": {"command": denied}},
        {"output": "gone", "metadata": {"exit": 0}},
    ]
    found = ran(tmp_path, before(denied), after)
    assert "ran although it was denied" in found[1]["given"][1]["output"]


# --- what other plug-ins do in the same realm ----------------------------------------------------

# Done once our plug-in is loaded, before the call. Each would have it run, or be judged as something else.
PATCHED = {
    "the text of the answer": "String.prototype.startsWith = () => true; String.prototype.trim = () => 'x'",
    "how texts are decoded": "TextDecoder.prototype.decode = () => ALLOW; Buffer.prototype.toString = () => ALLOW",
    "how programs are started": "cp.spawnSync = () => ({ status: 0, stdout: Buffer.from(ALLOW) }); sync()",
    "what an input says of itself": "Object.prototype.toJSON = () => ({ command: 'ls' })",
    "what a list says of itself": "Array.prototype.toJSON = () => ['ls']",
    "how JSON is written": "JSON.stringify = () => '{}'",
    "how JSON is read": "JSON.parse = () => ({})",
    "how objects are looked at": "Object.keys = () => []; Object.freeze = (x) => x; Object.hasOwn = () => true",
    "how functions are called": "Reflect.apply = () => ALLOW; Function.prototype.call = () => ALLOW",
    "what options are not given": "Object.prototype.input = '{}'; Object.prototype.shell = '/bin/true'",
    "what the hook is started with": "process.env.LD_PRELOAD = '/tmp/evil.so'; process.env.PYTHONPATH = '/tmp'",
    "what a map holds": "Map.prototype.get = () => 'ls'; Map.prototype.has = () => true",
}
_HOSTILE = """
import cp from "node:child_process"
import { writeSync } from "node:fs"
import { syncBuiltinESMExports as sync } from "node:module"
import { Interlock } from "./interlock.mjs"
const write = writeSync, print = (text) => write(1, text + "\\n")
const { directory, hostile, events } = JSON.parse(process.argv[2])
const ALLOW = '{"decision":"allow"}\\n'
const hooks = await Interlock({ directory, worktree: directory })
new Function("cp", "sync", "ALLOW", hostile)(cp, sync, ALLOW)
let found = ""
for (let at = 0; at < events.length; at += 1) {
  try {
    await hooks[events[at][0]](events[at][1], events[at][2])
    found += "ran "
  } catch (error) {
    found += "held "
  }
}
print(found)
"""


def under(hostile: str, folder: Path, *events: Any) -> list[str]:
    home, project = made(folder / "home"), made(folder / "project")
    (folder / "interlock.mjs").write_text(
        opencode_plugin.text_of(opencode.settings(sys.executable, str(GUARD), ("--home", str(home))))
    )
    (folder / "hostile.mjs").write_text(_HOSTILE)
    given = json.dumps({"directory": str(project), "hostile": hostile, "events": events})
    done = subprocess.run(
        [str(NODE), str(folder / "hostile.mjs"), given], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.sampled(5)
@needs_node
@pytest.mark.parametrize("what", PATCHED)
def test_what_another_plug_in_patches_lets_no_denied_call_run(what: str, tmp_path: Path) -> None:
    denied = f"rm -rf {tmp_path}/home"
    assert under(PATCHED[what], tmp_path, before(denied))[-1] == "held"


@needs_node
def test_what_was_judged_cannot_be_written_to(tmp_path: Path) -> None:
    """Another plug-in's turn comes after ours: it gets the same object, which is what the client runs."""
    (tmp_path / "project").mkdir()
    hostile = "globalThis.tries = [(o) => { 'use strict'; o.args.todos = [] }," + (
        "(o) => { 'use strict'; o.args.todos[0].content = 'y' }, (o) => { 'use strict'; o.args.todos.push(1) }]"
    )
    call = [
        "tool.execute.before",
        {"tool": "todowrite", "sessionID": "s1", "callID": "c1"},
        {"args": {"todos": [{"content": "x"}]}},
    ]
    assert under(hostile, tmp_path, call) == ["ran"]
    driver = (tmp_path / "hostile.mjs").read_text()
    tried = 'for (const f of tries) try { f(events[0][2]); print("written") } catch { print("kept") }'
    (tmp_path / "hostile.mjs").write_text(driver.replace("print(found)", tried))
    given = json.dumps({"directory": str(tmp_path / "project"), "hostile": hostile, "events": [call]})
    done = subprocess.run(
        [str(NODE), str(tmp_path / "hostile.mjs"), given], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.split() == ["kept"] * 3, done.stderr


@needs_node
def test_a_call_that_ran_as_another_than_was_judged_is_told_and_nothing_runs_any_more(tmp_path: Path) -> None:
    called = {"tool": "bash", "sessionID": "s1", "callID": "ls"}
    result = {"output": "a", "metadata": {"exit": 0}}
    as_judged = ["tool.execute.after", {**called, "args": {"command": "ls"}}, dict(result)]
    rewritten = ["tool.execute.after", {**called, "args": {"command": "touch x"}}, dict(result)]
    first, after, second, changed, third = ran(
        tmp_path, before("ls"), as_judged, before("ls"), rewritten, before("pwd")
    )
    assert "thrown" not in first
    assert after["given"][1]["output"] == "a"
    assert "thrown" not in second
    assert "A call ran with another input than the one that was judged" in changed["given"][1]["output"]
    assert "No further call runs until OpenCode is started again" in third["thrown"]
