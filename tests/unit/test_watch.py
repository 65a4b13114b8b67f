"""Files that hosts obey: what counts as a change of one, what would unhook us, what a question about it binds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.bytes.canon import canonical
from interlock.bytes.strict import parse_object
from interlock.decide import decide
from interlock.follow.described import describing
from interlock.hosts.claude_events import settings
from interlock.hosts.claude_settings import unhooks
from interlock.layers.watch import watch
from interlock.limits import MAX_WATCHED_DENIED, MAX_WATCHED_FILES
from interlock.model.action import Action, Reading
from interlock.model.call import Call
from interlock.model.decision import Finding
from interlock.model.effects import Effect
from interlock.model.environment import loader_variables
from interlock.model.obeyed import OBEYED
from interlock.model.session import Changed, Session, accept, advance
from interlock.model.verdict import Verdict
from interlock.policy.model import Policy
from interlock.reading.places.watched import LEVELS, essential_lines, watched
from interlock.record.receipt import receipt_body, replay_inputs
from interlock.record.sessions import session_from_wire, session_to_wire
from interlock.record.unseen import calls_that_ran
from interlock.store.facts.look import glance
from interlock.store.home.folders import folders_for
from interlock.value import FrozenMap

describe = describing(folders_for("/h"))
CHANGE = Changed(path="/p/.claude/settings.json", level="denied", digest="sha256:1", text='+{"disableAllHooks": true}')
CALL = Call(tool="Write", input=FrozenMap({}), cwd="/p", session="s")
WRITE = Reading(call="c", projection="w", actions=(Action(name="fs:write", effects=(Effect.WRITE,)),))
READ = Reading(call="c", projection="r", actions=(Action(name="fs:read", effects=(Effect.READ,)),))
OURS = settings("/usr/bin/python3", "/opt/interlock/hook/guard.py", ())
HAD = describe("/h/.claude/settings.json", json.dumps(OURS).encode())[1]


def raw(value: Any) -> bytes:
    return json.dumps(value).encode()


def test_everything_but_reads_asks_while_a_change_stands() -> None:
    session = Session(id="s", changed=(CHANGE,))
    assert watch(CALL, READ, Policy(), session, ()) == ()
    (found,) = watch(CALL, WRITE, Policy(), session, ())
    assert (found.verdict, found.rule, found.lifted_by) == (Verdict.ASK, "denied", ("once",))
    assert "disableAllHooks" in found.text
    assert watch(CALL, WRITE, Policy(), Session(id="s"), ()) == ()


@pytest.mark.parametrize(
    ("level", "why"),
    [
        ("denied", "The file can switch Interlock off or run code that nobody started."),
        ("asked", "Other programs follow what it says."),
    ],
)
def test_a_person_is_told_which_file_was_changed_and_what_that_means(level: str, why: str) -> None:
    change = Changed(path="/p/Makefile", level=level, digest="sha256:1", text="a line was added")
    assert watch(CALL, WRITE, Policy(), Session(id="s", changed=(change,)), ()) == [
        Finding(
            layer="watch",
            rule=level,
            verdict=Verdict.ASK,
            text=f"`/p/Makefile` was changed, and no recorded call explains it. {why} A line was added.",
            instead="Change nothing until the person has looked at this file. Reading is fine.",
            lifted_by=("once",),
        )
    ]


@pytest.mark.parametrize(
    ("level", "why"),
    [
        ("mod", "holds code that runs inside Claude Code, above every hook: it can switch Interlock off."),
        ("switch", "can silence Interlock's hooks."),
    ],
)
def test_a_person_is_told_what_stands_above_the_hooks(level: str, why: str) -> None:
    found = Changed(path="/p/m", level=level, digest="sha256:1", text="It is there.")
    session = Session(id="s", watch="a b", changed=(found,))
    (asked,) = watch(CALL, WRITE, Policy(), session, ())
    assert (asked.verdict, asked.rule, asked.text) == (Verdict.ASK, level, f"`/p/m` {why} It is there.")
    assert watch(CALL, READ, Policy(), session, ()) == ()
    assert session_from_wire(parse_object(canonical(session_to_wire(session)))) == session


def test_a_decision_replays_with_the_change_that_it_was_made_with() -> None:
    session = Session(id="s", changed=(CHANGE,))
    decision = decide(CALL, WRITE, Policy(), session)
    body = receipt_body(CALL, WRITE, "sha256:0", session, decision)
    call, reading, seen, used = replay_inputs(parse_object(canonical(body)))
    assert seen.changed == (CHANGE,)
    assert decide(call, reading, Policy(), seen, used) == decision


def test_a_session_keeps_what_it_watches() -> None:
    session = Session(
        id="s",
        watch="a b",
        changed=(CHANGE,),
        accepted=FrozenMap({"/p/x": "sha256:2"}),
        mods=FrozenMap({"/p/m": "sha256:3"}),
        heard=FrozenMap({"": 10}),
        since="2026-01-01T00:00:00Z",
    )
    assert session_from_wire(parse_object(canonical(session_to_wire(session)))) == session


def test_a_yes_accepts_the_content_that_was_shown_and_no_other() -> None:
    session = accept(Session(id="s", changed=(CHANGE,)), {CHANGE.path: "sha256:9"})
    assert session.changed == (CHANGE,)
    session = accept(session, {CHANGE.path: CHANGE.digest})
    assert (session.changed, dict(session.accepted)) == ((), {CHANGE.path: CHANGE.digest})


def test_only_an_allowed_call_with_a_satisfied_question_accepts() -> None:
    session = Session(id="s", changed=(CHANGE,))
    asked = decide(CALL, WRITE, Policy(), session)
    assert asked.verdict is Verdict.ASK
    assert advance(session, WRITE, asked).changed == (CHANGE,)
    (found,) = watch(CALL, WRITE, Policy(), session, ())
    approved = asked.replace(verdict=Verdict.ALLOW, reasons=(), satisfied=(found,))
    assert advance(session, WRITE, approved).changed == ()


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ({"disableAllHooks": True}, "switches off all hooks"),
        ({"disableAllHooks": "yes"}, "switches off all hooks"),
        ({"env": {"LD_PRELOAD": "x"}}, "sets `LD_PRELOAD`"),
        ({"env": {"DYLD_INSERT_LIBRARIES": "x"}}, "sets `DYLD_INSERT_LIBRARIES`"),
        ({"env": {"NODE_OPTIONS": "x"}}, "sets `NODE_OPTIONS`"),
    ],
)
def test_what_unhooks_us(file: Any, says: str) -> None:
    (why,) = unhooks({"/h/.claude/settings.json": raw(OURS), "/p/.claude/settings.json": raw(file)}, HAD)
    assert says in why


def test_text_that_is_no_json_is_not_harmless() -> None:
    (why,) = unhooks({"/h/.claude/settings.json": raw(OURS), "/p/.claude/settings.json": b'{"disableAll'}, HAD)
    assert "cannot be read as settings" in why


@pytest.mark.parametrize("event", sorted(OURS["hooks"]))
def test_our_entries_may_move_but_not_be_lost_or_altered(event: str) -> None:
    here, there = "/h/.claude/settings.json", "/p/.claude/settings.json"
    assert unhooks({here: None, there: raw(OURS)}, HAD) == []
    without = {"hooks": {name: groups for name, groups in OURS["hooks"].items() if name != event}}
    (why,) = unhooks({here: raw(without)}, HAD)
    assert event in why
    altered = json.loads(raw(OURS))
    altered["hooks"][event][0]["matcher"] = "Read"
    (why,) = unhooks({here: raw(altered)}, HAD)
    assert event in why
    altered = json.loads(raw(OURS))
    altered["hooks"][event][0]["hooks"][0]["command"] = "/bin/true"
    (why,) = unhooks({here: raw(altered)}, HAD)
    assert event in why


def test_managed_settings_that_let_only_managed_hooks_run_drop_ours() -> None:
    managed = "/etc/claude-code/managed-settings.json"
    home = "/h/.claude/settings.json"
    (why,) = unhooks({managed: raw({"allowManagedHooksOnly": True}), home: raw(OURS)}, HAD)
    assert "only managed hooks" in why
    assert unhooks({managed: raw({"allowManagedHooksOnly": True, **OURS}), home: raw(OURS)}, HAD) == []


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("/p/.claude/settings.local.json", "{}", '{"permissions": {"allow": ["Bash(ls:*)"]}}'),
        ("/h/.claude/settings.json", '{"model": "a", "hooks": {}}', '{"hooks":{},"model":"b"}'),
        ("/p/.git/config", "[core]\n\tbare = false\n", '[core]\n\tbare = false\n[branch "x"]\n\tremote = origin\n'),
        ("/p/.git/config", "[core]\n", '[core]\n[remote "origin"]\n\turl = git@example.org:a\n'),
    ],
)
def test_everyday_changes_do_not_count(path: str, before: str, after: str) -> None:
    assert describe(path, before.encode())[0] == describe(path, after.encode())[0]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("/p/.claude/settings.json", "{}", '{"statusLine": {"type": "command", "command": "x"}}'),
        ("/p/.claude/settings.json", '{"permissions": {"deny": ["Bash(rm:*)"]}}', "{}"),
        ("/p/.claude/settings.json", "{}", '{"permissions": {"defaultMode": "bypassPermissions"}}'),
        ("/p/.git/config", "[core]\n", "[core]\n\thooksPath = x\n"),
        ("/p/.git/config", "[core]\n", '[remote "o"]\n\tuploadpack = evil\n[core]\n'),
        ("/p/.git/config", '[branch "x"]\n', '[branch "x"]\n[alias]\n\tst = !evil\n'),
        ("/p/.git/config", '[branch "x"]\n', '[branch "x"] [core] \n\thooksPath = x\n'),
        ("/p/.husky/pre-commit", "a", "b"),
    ],
)
def test_other_changes_count(path: str, before: str, after: str) -> None:
    assert describe(path, before.encode())[0] != describe(path, after.encode())[0]


def test_every_watched_place_has_a_level() -> None:
    for _, firsts in watched("/p", "/h", {}):
        for _, places in firsts:
            assert {level for _, _, level in places} <= set(LEVELS)


def test_what_is_compared_has_the_level_that_the_table_of_obeyed_files_gives_it() -> None:
    """A file in a folder of the table (`.devcontainer/**`) has the folder's level."""
    for base, firsts in watched("/p", "/h", {}):
        for path, _, level in [place for _, places in firsts for place in places]:
            above = [path[:at] + "/**" for at, char in enumerate(path) if char == "/"]
            names = [path, path + "/**", path.rpartition("/")[2], *above]
            spelt = [f"{start}{name.lower()}" for name in names for start in ("", "~/")]
            assert base == "" or level in {OBEYED[name].level for name in spelt if name in OBEYED}, path


def test_files_are_compared_under_the_name_that_they_have_on_the_disk(tmp_path: Path) -> None:
    for name in (".gemini/trustedFolders.json", ".qwen/trustedFolders.json", ".Rprofile"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert len(glance("/nowhere", str(tmp_path), {}).files) == 3


def test_a_folder_that_a_variable_moves_is_compared_in_both_places(tmp_path: Path) -> None:
    for name in ("home/.claude/settings.json", "cfg/settings.json", "zsh/.zshrc", "cfg/zsh.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    home = str(tmp_path / "home")
    moved = {str(tmp_path / "cfg"): ".claude", str(tmp_path / "zsh"): "", f"{home}/.claude": ".claude"}
    seen = glance("/nowhere", home, moved)
    assert [path[len(str(tmp_path)) + 1 :] for path, _ in seen.files] == [
        "home/.claude/settings.json", "cfg/settings.json", "zsh/.zshrc",
    ]  # fmt: skip


def test_loader_variables_are_known() -> None:
    names = ["LD_PRELOAD", "LD_AUDIT", "DYLD_X", "GCONV_PATH", "NODE_OPTIONS", "PATH", "PYTHONPATH", "HOME", "OLD_X"]
    assert loader_variables(names) == ["DYLD_X", "GCONV_PATH", "LD_AUDIT", "LD_PRELOAD", "NODE_OPTIONS"]


def result(name: str, **more: Any) -> bytes:
    part = {"type": "tool_result", "tool_use_id": name, "content": more.pop("content", "x"), "is_error": True}
    return raw({"type": "user", "timestamp": "2026-11-16T10:00:00.5Z", "message": {"content": [part]}, **more})


def test_calls_that_the_client_refused_did_not_run() -> None:
    """As Claude Code 2.1.327 writes them."""
    use = {"type": "tool_use", "id": "a", "name": "Bash", "input": {}}
    lines = [
        raw({"type": "assistant", "message": {"content": [use]}}),
        result(
            "a", content="Exit code 3\n<tool_use_error>no</tool_use_error>", permissionDecision={"decision": "accept"}
        ),
        result("b", content="<tool_use_error>Error: No such tool available: Nope</tool_use_error>"),
        result("c", permissionDecision={"decision": "reject", "source": "hook"}, toolDenialKind="permission-rule"),
        result("d", content="<tool_use_error>x", permissionDecision={"decision": "accept"}),
        b'{"tool_result": broken',
        b'["tool_result"]',
        raw({"type": "user", "message": {"content": "tool_result"}}),
    ]
    assert calls_that_ran(lines, "2026-11-16T10:00:00Z") == {"a": "Bash", "d": ""}
    assert calls_that_ran(lines, "2026-11-16T10:00:01Z") == {}


def test_a_folder_full_of_files_does_not_hide_a_settings_file(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home, project / ".interlock/tests", project / ".claude"):
        folder.mkdir(parents=True)
    for number in range(3 * MAX_WATCHED_FILES):
        (project / f".interlock/tests/{number}.yaml").write_text("")
    settings = project / ".claude/settings.json"
    settings.write_text("{}")
    assert str(settings) in [path for path, *_ in glance(str(project), str(home), {}).files]


def test_folders_that_are_asked_about_never_crowd_out_what_is_denied(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home / ".config/fish/functions", project / ".git/hooks", project / ".husky"):
        folder.mkdir(parents=True)
    for number in range(2 * MAX_WATCHED_FILES):
        (project / f".husky/{number}").write_text("")
        (home / f".config/fish/functions/{number}.fish").write_text("")
    hook = project / ".git/hooks/pre-commit"
    hook.write_text("")
    seen = glance(str(project), str(home), {})
    assert (str(hook), "denied") in seen.files
    assert sum(level == "denied" for _, level in seen.files) == 2 * MAX_WATCHED_FILES + 1
    assert seen.cut == (str(project / ".husky"),)


def test_what_is_cut_even_of_denied_folders_is_named(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".git/hooks").mkdir(parents=True)
    for number in range(MAX_WATCHED_DENIED + 1):
        (project / f".git/hooks/{number:05}").write_text("")
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_text("{}")
    seen = glance(str(project), str(tmp_path / "home"), {})
    assert seen.cut == (str(project / ".git/hooks"),)
    assert (str(project / ".claude/settings.json"), "denied") in seen.files


EVERYDAY = """\
[core]
	bare = false
[remote "origin"]
	url = https://git.example/app
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
[user]
	name = someone
"""


def test_of_a_repositorys_settings_remotes_and_branches_do_not_count() -> None:
    assert essential_lines(EVERYDAY) == essential_lines("[core]\n\tbare = false\n")


def test_of_a_repositorys_settings_a_sparse_checkout_does_not_count() -> None:
    sparse = "[extensions]\n\tworktreeConfig = true\n[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = true\n"
    assert essential_lines(EVERYDAY + sparse) == essential_lines(EVERYDAY)
    assert essential_lines(sparse) == ""


@pytest.mark.parametrize(
    "line",
    [
        "[core]\n\tsparseCheckout = true\n\thooksPath = x",
        "[x]\n\thelper = y",
        '[remote "origin"]\n\tuploadpack = ./x',
        '[remote "origin"] uploadpack = ./x #]',
        "[gc]\n\trecentObjectsHook = ./x",
        "[gc] recentObjectsHook = ./x ;]",
        '[lfs "customtransfer.x"]\n\tpath = ./x',
        "[lfs]\n\tstandalonetransferagent = x",
        "[core]\n\tfsmonitor = ./x",
        "[include]\n\tpath = ../x",
        "[user]\n\tname = a\\\n[core]\n\tpager = ./x",
    ],
)
def test_of_a_repositorys_settings_whatever_runs_a_program_counts(line: str) -> None:
    assert essential_lines(EVERYDAY + line + "\n") != essential_lines(EVERYDAY)
