"""The real Codex CLI: what runs, what does not, and what is recorded. Every call is tried without the guard first.

Without the guard all of them run in one session, so that a call that is prevented would have happened.
"""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from interlock.reading.tools.patch import files_of_patch
from live.codex import COMPOSES, PLAIN, Codex, needs_codex
from live.test_gemini import SERVER
from person import at_a_terminal
from scripted_model import Model, Said, Step

pytestmark = needs_codex

POLICY = 'version = 1\n[approvals]\nby = ["terminal"]\n'


def config(folder: Path) -> str:
    """One server of tools."""
    file = folder / "server.py"
    file.write_text(SERVER)
    return f'[mcp_servers.till]\ncommand = "{sys.executable}"\nargs = ["{file}"]\n'


def patch(*lines: str) -> Said:
    return ("apply_patch", {"": "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])})


def run(command: str) -> Said:
    return ("exec_command", {"cmd": command})


def script(codex: Codex) -> list[Step]:
    (codex.project / "tool").write_text("touch\n")
    return [
        run("echo hello > made.txt"),
        patch("*** Add File: written.txt", "+hello"),
        run(f"unlink {codex.hooks}"),
        patch(f"*** Delete File: {codex.home}/.codex/config.toml"),
        run("read TOOL < tool; $TOOL asked.txt"),
        ("mcp__till open", {}),
        "all done",
    ]


def left(codex: Codex) -> set[str]:
    found = {path.name for path in codex.project.glob("*.txt")}
    return found | {name for name in ("hooks.json", "config.toml") if (codex.home / ".codex" / name).exists()}


@pytest.mark.smoke
def test_what_is_allowed_runs_and_what_is_denied_or_asked_about_does_not(place: Path) -> None:
    control = Codex(place / "control", guarded=False, config=config(place))
    control.hooks.write_text("{}")
    done = control.headless(script(control))
    assert left(control) == {"made.txt", "written.txt", "asked.txt", "opened.txt"}, done

    codex = Codex(place / "guarded", config=config(place))
    done = codex.headless(script(codex))
    assert left(codex) == {"made.txt", "written.txt", "hooks.json", "config.toml"}, done
    assert done.code == 0
    assert "Command blocked by PreToolUse hook: Interlock: Refused: " in done.told(2)
    assert "blocked by PreToolUse hook: Interlock: Refused: " in done.told(3)
    assert "Nobody can be asked about this now" in done.told(4)
    assert codex.verdicts() == ["allow", "allow", "deny", "deny", "deny", "deny"]
    assert [row["body"]["receipt"]["call"]["tool"] for row in codex.rows()] == [
        *("Bash", "Patch", "Bash", "Patch", "Bash", "mcp__till__open"),
    ]
    assert [(row["body"]["tool"], row["body"]["outcome"]) for row in codex.rows("outcome")] == [
        ("Bash", "ran"),
        ("Patch", "ran"),
    ]
    assert [row["body"]["decision"] for row in codex.rows("outcome")] == [row["seq"] for row in codex.rows()][:2]


def test_an_ask_runs_once_a_person_has_approved_it_and_the_call_is_made_again(place: Path) -> None:
    codex = Codex(place / "guarded")
    codex.policy(POLICY)
    (codex.project / "tool").write_text("touch\n")
    asked: list[Step] = [run("read TOOL < tool; $TOOL asked.txt"), "all done"]
    done = codex.headless(asked)
    assert "asked.txt" not in left(codex)
    (id,) = re.findall(r"interlock approvals approve (ap_[0-9a-f]+)", done.told(0))
    assert at_a_terminal(codex.home, "approvals", "approve", id, "--yes").code == 0
    done = codex.headless(asked, prompt="try again")
    assert "asked.txt" in left(codex), done.told(0)
    assert codex.verdicts() == ["deny", "allow"]


# What a guard does in place of deciding. Without `timeout` in the line, one that never ends would let the call run.
BROKEN = {
    "silence": "import sys; sys.exit(0)",
    "it never ends": "import time; time.sleep(600)",
    "a signal": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "exit code 1": "import sys; sys.exit(1)",
    "it is gone": "",
    "exit code 2 without a word": "import os; os._exit(2)",
    "it is no Python": "allow allow",
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_guard_that_breaks_lets_nothing_run(what: str, place: Path) -> None:
    broken = place / "hook/guard.py"
    broken.parent.mkdir()
    if BROKEN[what]:
        broken.write_text(BROKEN[what])
    codex = Codex(place / "guarded", guard=broken)
    done = codex.headless([run("echo hello > made.txt"), "all done"])
    assert left(codex) == {"hooks.json", "config.toml"}, done
    assert "No answer came, so this call is blocked." in done.told(0)


def test_a_python_that_is_gone_lets_no_call_run_however_large_it_is(place: Path) -> None:
    """The client runs a call if its hook does not take the whole event in."""
    codex = Codex(place / "guarded", python="/nowhere/python3")
    large = "\n".join(["+" + "x" * 100] * 5000)
    done = codex.headless([patch("*** Add File: made.txt", large), "all done"])
    assert left(codex) == {"hooks.json", "config.toml"}, done
    assert "run `interlock install codex`" in done.told(0)


# A program that an agent writes, as newer models do: its calls come one by one, and do not tell all of their arguments.
COMPOSED = """
text(await tools.exec_command({cmd: "echo hello > made.txt"}));
text(await tools.apply_patch("*** Begin Patch\\n*** Add File: written.txt\\n+hello\\n*** End Patch\\n"));
const other = "ls $'\\\\'; touch dash.txt\\n#\\\\''";
text(await tools.exec_command({cmd: other, shell: "sh"}).catch(String));
const typed = await tools.exec_command({cmd: "vi note", tty: true, yield_time_ms: 1000}).catch(String);
text(typed);
if (typed.session_id)
  text(await tools.write_stdin({session_id: typed.session_id, chars: ":!touch typed.txt\\r"}).catch(String));
text(await tools.exec_command({cmd: "unlink ../home/.codex/hooks.json"}).catch(String));
"""


def test_calls_that_a_program_of_the_agent_makes_are_judged_one_by_one(place: Path) -> None:
    steps: list[Step] = [("exec", {"": COMPOSED}), "all done"]
    control = Codex(place / "control", guarded=False)
    control.hooks.write_text("{}")
    done = control.headless(steps, model_name=COMPOSES)
    assert {"made.txt", "written.txt", "dash.txt", "config.toml"} <= left(control), done.told(0)
    assert "hooks.json" not in left(control)

    codex = Codex(place / "guarded")
    done = codex.headless(steps, model_name=COMPOSES)
    assert left(codex) == {"made.txt", "written.txt", "hooks.json", "config.toml"}, done.told(0)
    assert codex.verdicts() == ["allow", "allow", "deny", "deny", "deny"]
    assert "which shell runs it is not told" in done.told(0)
    assert "does what is typed into it, which no hook sees" in done.told(0)


PATCHES: list[list[str]] = [
    ["*** Add File: new/a.txt", "+a"],
    ["*** Update File: old.txt", "@@", "-old", "+new", "*** Delete File: gone.txt"],
    ["*** Update File: moved.txt", "*** Move to: new/moved.txt", "@@", "-old", "+new"],
    ["*** Add File: b.txt", "+*** Delete File: kept.txt", "+b"],
    # What the client forgives, and no grammar has: never read as less than it does.
    ["*** Add File: c.txt", "+c", "   *** Delete File: forgiven.txt"],
    ["*** Update File: kept.txt", "@@", "-old", "+new", "  *** Delete File: inside.txt"],
    ["*** Add File:  blank.txt ", "+c"],
]


def test_what_the_client_applies_of_a_patch_is_what_is_read_of_it(place: Path) -> None:
    """One run, without the guard: after each patch, the files that have changed are those that were read."""
    codex = Codex(place / "control", guarded=False)
    for name in ("old", "gone", "moved", "kept", "forgiven", "inside"):
        (codex.project / f"{name}.txt").write_text("old\n")
    changed: list[set[str]] = []

    def files() -> dict[str, str]:
        found = [path for path in codex.project.rglob("*") if path.is_file()]
        return {str(path.relative_to(codex.project)): path.read_text() for path in found}

    def next_patch(lines: list[str]) -> Step:
        def step(_model: Model) -> Said:
            seen.append(files())
            return patch(*lines)

        return step

    seen: list[dict[str, str]] = []
    codex.headless([*[next_patch(lines) for lines in PATCHES], "all done"])
    seen.append(files())
    for before, after in itertools.pairwise(seen):
        changed.append({name for name in {*before, *after} if before.get(name) != after.get(name)})
    read = [files_of_patch("\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])) for lines in PATCHES]
    assert [found if found is None else {path for _, path, _ in found} for found in read][:4] == changed[:4]
    assert read[4:] == [None, None, None]
    assert "forgiven.txt" in changed[4]  # which is why such a patch is not read


def test_a_call_of_another_agent_is_judged(place: Path) -> None:
    codex = Codex(place / "guarded")
    start: Step = ("multi_agent_v1 spawn_agent", {"message": "ZEBRA"})

    def waits(model: Model) -> Said:
        (id,) = re.findall(r"agent_id\W+([0-9a-f-]{36})", model.results["toolu_step_0"])
        return ("multi_agent_v1 wait_agent", {"targets": [id], "timeout_ms": 10000})

    agent: list[Step] = [run("echo hello > made.txt"), run(f"unlink {codex.hooks}"), "seen"]
    done = codex.headless([start, waits, "all done"], model_name=PLAIN, agents={"ZEBRA": agent})
    assert left(codex) == {"made.txt", "hooks.json", "config.toml"}, done
    rows = [row["body"]["receipt"]["call"] for row in codex.rows()]
    assert [(row["tool"], bool(row.get("agent"))) for row in rows if row["tool"] == "Bash"] == [
        ("Bash", True),
        ("Bash", True),
    ]


def test_installed_and_trusted_in_its_own_dialog_it_guards_and_is_taken_out_without_a_trace(place: Path) -> None:
    codex = Codex(place / "machine")
    (codex.project / "tool").write_text("touch\n")
    codex.hooks.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n')
    before = codex.hooks.read_bytes()

    def interlock(*arguments: str) -> Any:
        return at_a_terminal(codex.home, *arguments, folder=codex.project)

    said = interlock("install", "codex", "--yes")
    assert said.code == 0, said.out
    assert "Hooks need review" in said.out
    untold = "Codex does not call Interlock for"
    asked = run("read TOOL < tool; $TOOL asked.txt")
    with codex.terminal([asked, "it waits", asked, "all done"]) as (terminal, model):
        terminal.wait_for("Hooks need review", seconds=60)
        assert untold in interlock("doctor", "codex").out
        terminal.press("2")
        terminal.wait_for("› 2. Trust all")
        terminal.answer("Hooks need review", "Enter")
        doctor = interlock("doctor", "codex")
        assert untold not in doctor.out
        assert "a call that must be denied was denied, through its own settings" in doctor.out
        assert doctor.code == 0, doctor.out
        terminal.type("please go on")
        terminal.until(lambda: "toolu_step_0" in model.results, "the first call", 60)
        (id,) = set(re.findall(r"interlock approvals approve (ap_[0-9a-f]+)", model.results["toolu_step_0"]))
        assert "asked.txt" not in left(codex)
        assert interlock("approvals", "approve", id, "--yes").code == 0
        terminal.type("try it now")
        terminal.until(lambda: "toolu_step_2" in model.results, "the second call", 60)
    assert "asked.txt" in left(codex), model.results
    assert codex.verdicts()[-2:] == ["ask", "allow"]
    said = interlock("uninstall", "codex", "--yes")
    assert (said.code, codex.hooks.read_bytes()) == (0, before), said.out
