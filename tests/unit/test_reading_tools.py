"""What each host tool is read as, which places its paths are, and which hosts its addresses name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import interlock.policy
from interlock.approve.approval import digest_of_call, projection_of
from interlock.model.action import Action, Opaque
from interlock.model.call import Call
from interlock.model.effects import Effect
from interlock.model.facts import Facts
from interlock.model.verdict import Risk
from interlock.model.wants import Real
from interlock.policy.model import ToolSpec
from interlock.policy.parse import parse_policy
from interlock.reading.places.paths import Unsettled, folded, holds, settle
from interlock.reading.places.place_folders import GUARDED, GUARDED_ROOTS
from interlock.reading.places.places import SECRET, guarded_by, is_secret, place_of
from interlock.reading.read import read_call
from interlock.reading.tools.tools import TOOLS
from interlock.value import FrozenMap, freeze

FACTS = Facts(root="/p", home="/home/u", own=("/opt/interlock/",))


def call(tool: str, **fields: Any) -> Call:
    return Call(tool=tool, input=freeze(fields), cwd="/p/sub")  # type: ignore[arg-type]


def known(*paths: str, **links: str) -> Facts:
    """Facts in which these paths lead where they say."""
    return FACTS.replace(real=FrozenMap({**{path: path for path in paths}, **links}))


BAD_TEXTS: list[Any] = [5, True, ["x"], {}]

# tool, field, action, effects
PATH_TOOLS = [
    ("Read", "file_path", "fs:read", "read"),
    ("Glob", "path", "fs:list", "read"),
    ("Grep", "path", "fs:search", "read"),
    ("LS", "path", "fs:list", "read"),
    ("Write", "file_path", "fs:write", "write"),
    ("Edit", "file_path", "fs:write", "write"),
    ("MultiEdit", "file_path", "fs:write", "write"),
    ("NotebookEdit", "notebook_path", "fs:write", "write"),
    ("NotebookRead", "notebook_path", "fs:read", "read"),
    ("LSP", "filePath", "fs:read", "read"),
]


@pytest.mark.parametrize(("tool", "field", "name", "effect"), PATH_TOOLS)
def test_file_tools(tool: str, field: str, name: str, effect: str) -> None:
    action = Action(
        name=name, target=FrozenMap({"path": "/p/a"}), effects=(Effect.of(effect),), field=field, span=(0, 4)
    )
    reading = read_call(call(tool, **{field: "/p/a"}), known("/p/a"))
    assert (reading.actions, reading.opaque, reading.missing) == ((action,), (), ())

    unread = action.replace(target=FrozenMap({}), tags=("unread",), span=(0, 0))
    for bad in BAD_TEXTS:
        reading = read_call(call(tool, **{field: bad}), FACTS)
        opaque = Opaque(reason=f"`{field}` is missing or not a text", field=field)
        assert (reading.actions, reading.opaque) == ((unread,), (opaque,))
    absent = read_call(call(tool), known("/p/sub"))
    if tool in ("Glob", "Grep", "LS"):
        assert absent.actions == (action.replace(target=FrozenMap({"path": "/p/sub"}), span=(0, 6)),)
    else:
        assert absent.opaque == (Opaque(reason=f"`{field}` is missing or not a text", field=field),)


def test_the_table_of_accounts_is_an_ordinary_file_to_a_tool_that_only_shows_it() -> None:
    reading = read_call(call("Read", file_path="/etc/passwd"), known("/etc/passwd"))
    assert [action.tags for action in reading.actions] == [("outside",)]


# tool, input, action, target, effects
PLAIN_TOOLS: list[tuple[str, dict[str, Any], str, dict[str, str], str]] = [
    ("WebSearch", {"query": "x"}, "net:search", {}, "network"),
    ("Agent", {"subagent_type": "explore"}, "agent:start", {"name": "explore"}, "execute"),
    ("Task", {"subagent_type": "explore"}, "agent:start", {"name": "explore"}, "execute"),
    ("Task", {}, "agent:start", {}, "execute"),
    ("Task", {"subagent_type": 5}, "agent:start", {}, "execute"),
    ("Skill", {"skill": "pdf"}, "agent:skill", {"name": "pdf"}, "read"),
    ("ToolSearch", {}, "agent:tools", {}, ""),
    ("TodoWrite", {}, "agent:note", {}, ""),
    ("AskUserQuestion", {}, "agent:question", {}, ""),
    ("EnterPlanMode", {}, "agent:plan", {}, ""),
    ("ExitPlanMode", {}, "agent:plan", {}, ""),
    ("TaskCreate", {}, "agent:note", {}, ""),
    ("TaskGet", {}, "agent:note", {}, ""),
    ("TaskList", {}, "agent:note", {}, ""),
    ("TaskUpdate", {}, "agent:note", {}, ""),
    ("BashOutput", {}, "proc:read", {}, "read"),
    ("TaskOutput", {}, "proc:read", {}, "read"),
    ("KillShell", {}, "proc:kill", {}, "execute"),
    ("TaskStop", {}, "proc:kill", {}, "execute"),
    ("SlashCommand", {"command": "/review 12"}, "agent:skill", {"name": "/review 12"}, "read"),
    ("ListMcpResourcesTool", {"server": "docs"}, "mcp:list", {"name": "docs"}, "read"),
    ("EnterWorktree", {"name": "fix"}, "agent:worktree", {"name": "fix"}, "write"),
    ("ExitWorktree", {"action": "remove"}, "agent:worktree", {}, "write"),
    ("ExitWorktree", {"action": "remove", "discard_changes": True}, "agent:worktree", {}, "destructive"),
    ("ExitWorktree", {"action": "remove", "discard_changes": "yes"}, "agent:worktree", {}, "destructive"),
    ("SendMessage", {"to": "reviewer", "message": "done"}, "agent:message", {"name": "reviewer"}, "execute"),
    ("TeamCreate", {"team_name": "web"}, "agent:team", {"name": "web"}, "execute"),
    ("TeamDelete", {}, "agent:team", {}, "write"),
    ("CronCreate", {"cron": "0 9 * * *", "prompt": "x"}, "agent:schedule", {"name": "0 9 * * *"}, "spawn"),
    ("CronDelete", {"id": "1"}, "agent:schedule", {"name": "1"}, "write"),
    ("CronList", {}, "agent:note", {}, ""),
    ("ScheduleWakeup", {"delaySeconds": 60}, "agent:schedule", {}, "spawn"),
    ("RemoteTrigger", {"action": "create"}, "agent:remote", {"name": "create"}, "network"),
    ("HostSend", {}, "agent:send", {"name": "HostSend", "destination": "its host"}, "network"),
    ("HostInbox", {}, "agent:inbox", {"name": "HostInbox", "destination": "its host"}, "network"),
    ("HostTools", {}, "agent:offer", {"name": "HostTools"}, "execute"),
    ("HostCode", {}, "agent:code", {"name": "HostCode"}, "execute"),
    ("HostRunners", {}, "agent:runners", {"name": "HostRunners", "destination": "its host"}, "network"),
    ("StructuredOutput", {"x": 1}, "agent:note", {}, ""),
    ("SendUserMessage", {"message": "done"}, "agent:note", {}, ""),
    ("Sleep", {"seconds": 3}, "agent:note", {}, ""),
    ("TodoRead", {}, "agent:note", {}, ""),
    ("WaitForMcpServers", {}, "agent:tools", {}, ""),
]


OTHERS = ("WebFetch", "Bash", "Patch", "Delete", "Monitor", "ReadMcpResourceTool")  # have tests of their own


@pytest.mark.parametrize(("tool", "fields", "name", "target", "effect"), PLAIN_TOOLS)
def test_other_tools(tool: str, fields: dict[str, Any], name: str, target: dict[str, str], effect: str) -> None:
    (action,) = read_call(call(tool, **fields), FACTS).actions
    assert (action.name, dict(action.target)) == (name, target)
    assert action.effects == ((Effect.of(effect),) if effect else ())


def test_every_row_has_a_test_and_an_entry_in_the_default_policy() -> None:
    tried = {row[0] for row in PATH_TOOLS} | {row[0] for row in PLAIN_TOOLS} | set(OTHERS)
    assert set(TOOLS) == tried
    default = Path(interlock.policy.__file__).parent / "default.toml"
    declared = parse_policy(default.read_bytes(), name="default", file="default.toml").tools
    assert set(declared) == set(TOOLS)
    for name, tool in TOOLS.items():
        assert set(tool.effects) <= set(declared[name]["effects"]), name


def test_what_a_monitor_runs_is_a_command_that_stays() -> None:
    names = [action.name for action in read_call(call("Monitor", command="our-own-thing"), FACTS).actions]
    assert names == ["exec:our-own-thing", "proc:spawn"]
    assert read_call(call("Monitor", ws={"url": "wss://x.example"}), FACTS).opaque


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///p/README.md", "/p/README.md"),
        ("docs://intro/start?x=1#top", "/p/sub/intro/start"),
        ("files://../../home/u/.ssh/id_rsa", "/home/u/.ssh/id_rsa"),
        ("files:///p/%2e%2e/home/u/.ssh/id_rsa", "/home/u/.ssh/id_rsa"),
        ("files:///p/%252e%252e/home/u/.ssh/id_rsa", "/home/u/.ssh/id_rsa"),
        ("memo://.env", "/p/sub/.env"),
    ],
)
def test_a_resource_of_a_tool_server_may_be_a_file(uri: str, path: str) -> None:
    main, file = read_call(call("ReadMcpResourceTool", server="docs", uri=uri), FACTS).actions
    assert (main.name, dict(main.target)) == ("mcp:read", {"server": "docs", "uri": uri})
    assert (file.name, file.target["path"]) == ("fs:read", path)
    assert ("secret" in file.tags) is (".ssh" in path or ".env" in path)


def test_a_resource_may_be_an_address_and_without_one_it_is_opaque() -> None:
    _, fetch = read_call(call("ReadMcpResourceTool", server="d", uri="https://x.example/a"), FACTS).actions
    assert (fetch.name, fetch.target["host"]) == ("net:fetch", "x.example")
    for fields in ({"server": "d"}, {"server": "d", "uri": 5}, {"uri": "a://b"}, {"server": "d", "uri": "x"}):
        assert read_call(call("ReadMcpResourceTool", **fields), FACTS).opaque


def test_a_shell_command_is_read_and_one_that_is_no_text_is_opaque() -> None:
    reading = read_call(call("Bash", command="ls -l"), FACTS)
    assert reading.actions == (Action(name="exec:ls", effects=(Effect.READ,), field="command", span=(0, 5)),)
    assert reading.opaque == ()
    assert read_call(call("Bash", command=7), FACTS).opaque[0].span == (0, 0)


def test_a_command_given_word_by_word_goes_through_no_shell() -> None:
    asked = read_call(call("Bash", command=("rm", "a;b")), FACTS)
    assert [action.target["path"] for action in asked.actions] == ["/p/sub/a;b"]
    inside = read_call(call("Bash", command=("bash", "-lc", "rm a; rm b")), FACTS)
    assert [action.target["path"] for action in inside.actions] == ["/p/sub/a", "/p/sub/b"]


def test_a_patch_is_read_file_by_file() -> None:
    text = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Delete File: /etc/hosts\n*** End Patch\n"
    reading = read_call(call("Patch", input=text), FACTS)
    assert [(a.name, a.target["path"]) for a in reading.actions] == [
        ("fs:write", "/p/sub/a.py"),
        ("fs:delete", "/etc/hosts"),
    ]
    assert read_call(call("Patch", input="no patch"), FACTS).opaque


def test_every_field_that_may_hold_a_patch_is_read_and_one_more_makes_it_unclear() -> None:
    """A host takes one of them, and an agent may fill in the others."""
    one, other = [f"*** Begin Patch\n*** Add File: {name}\n+x\n*** End Patch\n" for name in ("a.py", "b.py")]
    both = read_call(call("Patch", input=one, patchText=other), FACTS)
    assert [action.target["path"] for action in both.actions] == ["/p/sub/a.py", "/p/sub/b.py"]
    for more in ({"patchText": "x"}, {"patchText": ("x",)}, {"text": other}):
        assert read_call(call("Patch", input=one, **more), FACTS).opaque


def test_a_command_in_two_fields_is_unclear() -> None:
    assert read_call(call("Bash", command="ls", cmd="rm -rf ~"), FACTS).opaque


def test_arguments_are_read_in_the_roles_that_the_policy_gives_them() -> None:
    roles = FrozenMap({"query": "sql", "file": "write", "shell": "command"})
    declared = ToolSpec(name="x", effects=Effect.members, args=roles)
    given = call("x", query="DROP TABLE users", file="out.csv", shell="rm -rf b")
    reading = read_call(given, FACTS.replace(declared=declared))
    assert [action.name for action in reading.actions] == ["tool:x", "sql:drop", "fs:write", "fs:delete"]


UNKNOWN = [("send", "tool:send"), ("mcp__mail__send", "mcp:mail:send"), ("mcp__mail", "tool:mcp__mail")]


@pytest.mark.parametrize(("tool", "name"), [*UNKNOWN, ("mcp__a__b__c", "mcp:a:b__c"), ("READ", "tool:READ")])
def test_a_tool_without_a_row_is_what_the_policy_declares(tool: str, name: str) -> None:
    assert read_call(call(tool), FACTS).actions == (Action(name=name, effects=(Effect.EXECUTE,), tags=("unknown",)),)
    declared = ToolSpec(name=tool, effects=(Effect.NETWORK,), risk=Risk.HIGH, irreversible=True)
    assert read_call(call(tool), FACTS.replace(declared=declared)).actions == (
        Action(name=name, effects=(Effect.NETWORK,), risk=Risk.HIGH, irreversible=True),
    )


def test_a_row_takes_over_declared_risk_and_never_declared_effects() -> None:
    declared = ToolSpec(name="Read", effects=(), risk=Risk.HIGH, irreversible=True)
    facts = known("/p/a").replace(declared=declared)
    (action,) = read_call(call("Read", file_path="/p/a"), facts).actions
    assert (action.effects, action.risk, action.irreversible) == ((Effect.READ,), Risk.HIGH, True)


def test_a_reading_names_the_call_and_what_an_approval_binds() -> None:
    made = call("Read", file_path="a")
    reading = read_call(made, FACTS)
    assert (reading.call, reading.projection) == (digest_of_call(made, projection_of(made)), projection_of(made))


# --- paths -----------------------------------------------------------------------------------------


def test_where_a_path_leads_is_asked_for_as_it_was_given() -> None:
    reading = read_call(call("Write", file_path="../a/../b"), FACTS)
    assert reading.missing == (Real("/p/sub/../a/../b"),)
    (part,) = reading.opaque
    assert part == Opaque(reason="it is unclear where the path leads", field="file_path", span=(0, 9), kind="path")
    told = read_call(call("Write", file_path="../a/../b"), FACTS.replace(real=FrozenMap({"/p/sub/../a/../b": "/q/b"})))
    assert (told.missing, told.opaque) == ((), ())
    assert told.actions[0].target == {"path": "/p/b", "real": "/q/b"}
    assert told.actions[0].tags == ("outside",)


def test_a_link_counts_for_where_it_stands_and_for_where_it_leads() -> None:
    facts = FACTS.replace(real=FrozenMap({"/p/x": "/home/u/.ssh/id_rsa", "/p/y": "/p/.claude/settings.json"}))
    assert read_call(call("Read", file_path="/p/x"), facts).actions[0].tags == ("outside", "secret")
    assert read_call(call("Write", file_path="/p/y"), facts).actions[0].tags == ("guard", "obeyed")


def test_a_file_that_is_not_there_yet_is_new_when_written() -> None:
    facts = known("/p/n").replace(absent=frozenset({"/p/n"}))
    assert read_call(call("Write", file_path="/p/n"), facts).actions[0].tags == ("new",)
    assert read_call(call("Read", file_path="/p/n"), facts).actions[0].tags == ()


SETTLED = [
    ("a", "/p/sub/a"),
    ("./a/../b//c/", "/p/sub/b/c"),
    ("/", "/"),
    ("/..", "/"),
    ("/a/../../b", "/b"),
    ("~", "/home/u"),
    ("~/x", "/home/u/x"),
    ("a b\u00a0c", "/p/sub/a b\u00a0c"),
    ("...", "/p/sub/..."),
    ("$HOME/x", "/p/sub/$HOME/x"),
    ("/proc/cpuinfo", "/proc/cpuinfo"),
]
UNSETTLED = [
    ("", "the path is empty"),
    ("a" * 5000, "the path is longer than 4096 characters"),
    ("a\x00b", "the path holds control characters"),
    ("a\nb", "the path holds control characters"),
    ("a\x7f", "the path holds control characters"),
    ("~root/x", "the home folder of `root` is unknown"),
    ("/proc/self/root/etc/passwd", "the path leads through a process and not through folders"),
    ("/proc/1/task/1/cwd/x", "the path leads through a process and not through folders"),
    ("/dev/fd/3", "the path leads through a process and not through folders"),
]


@pytest.mark.parametrize(("path", "settled"), SETTLED)
def test_a_path_has_one_spelling(path: str, settled: str) -> None:
    assert settle(path, cwd="/p/sub", home="/home/u") == settled
    assert settle(settled, cwd="/", home="/") == settled


@pytest.mark.parametrize(("path", "why"), UNSETTLED, ids=[why + path[:6] for path, why in UNSETTLED])
def test_an_odd_path_is_opaque(path: str, why: str) -> None:
    with pytest.raises(Unsettled) as error:
        settle(path, cwd="/p/sub", home="/home/u")
    assert str(error.value) == why
    reading = read_call(call("Write", file_path=path), FACTS)
    assert reading.opaque == (Opaque(reason=why, field="file_path", span=(0, len(path))),)
    assert reading.actions[0].tags == ("unread",)


def test_holding_is_by_whole_folders() -> None:
    assert holds("/p", "/p")
    assert holds("/p", "/p/a")
    assert not holds("/p", "/pa")
    assert holds("/", "/a")


# path, guarded by, secret, place
PLACES: list[tuple[str, str | None, bool, str]] = [
    ("/p/a.py", None, False, "project"),
    ("/p", None, False, "project"),
    ("/p2/a", None, False, "outside"),
    ("/tmp/x", None, False, "temp"),
    ("/var/tmp", None, False, "temp"),
    ("/tmpx", None, False, "outside"),
    ("/p/.claude/settings.json", "Claude Code", False, "project"),
    ("/p/.CLAUDE/Settings.JSON", "Claude Code", False, "project"),
    ("/p/.cla\u200cude/settings.json", "Claude Code", False, "project"),
    ("/p/.claude/\u017fettings.json", "Claude Code", False, "project"),
    ("/p/.claude/settings.json.bak", None, False, "project"),
    ("/p/.claude/commands/x.md", None, False, "project"),
    ("/p/.claude/hooks", "Claude Code", False, "project"),
    ("/p/.claude/hooks/deep/x.sh", "Claude Code", False, "project"),
    ("/home/u/.config/interlock/policy.toml", "Interlock", False, "outside"),
    ("/p/.interlock/policy.toml", "Interlock", False, "project"),
    ("/opt/interlock/decide.py", "Interlock", False, "outside"),
    ("/opt/interlock", "Interlock", False, "outside"),
    ("/OPT/Interlock/decide.py", "Interlock", False, "outside"),
    ("/opt/interlock2/x", None, False, "outside"),
    ("/etc/interlock/policy.toml", "Interlock", False, "outside"),
    ("/Library/Application Support/ClaudeCode/managed-settings.json", "Claude Code", False, "outside"),
    ("/p/opencode.json", "OpenCode", False, "project"),
    ("/home/u/.ssh/id_ed25519", None, True, "outside"),
    ("/home/u/.ssh/known_hosts", None, True, "outside"),
    ("/home/u/.aws/credentials", None, True, "outside"),
    ("/home/u/.gnupg", None, True, "outside"),
    ("/p/.env", None, True, "project"),
    ("/p/deep/.ENV.production", None, True, "project"),
    ("/p/.env.example", None, False, "project"),
    ("/p/.envrc", None, False, "project"),
    ("/etc/shadow", None, True, "outside"),
    ("/etc/ssh/ssh_host_rsa_key", None, True, "outside"),
    ("/etc/shadows", None, False, "outside"),
    ("/", None, False, "outside"),
]


@pytest.mark.parametrize(("path", "guard", "secret", "place"), PLACES)
def test_places(path: str, guard: str | None, secret: bool, place: str) -> None:
    assert (guarded_by(path, FACTS), is_secret(path), place_of(path, FACTS)) == (guard, secret, place)
    (action,) = read_call(call("Write", file_path=path), known(path)).actions
    assert tuple(mark for mark in action.tags if mark in ("guard", "outside", "secret")) == tuple(
        mark
        for mark, here in (("guard", guard is not None), ("outside", place == "outside"), ("secret", secret))
        if here
    )


@pytest.mark.parametrize("pattern", [*GUARDED, *SECRET])
def test_every_row_of_the_tables_is_found_anywhere_and_in_any_case(pattern: str) -> None:
    table = GUARDED if pattern in GUARDED else SECRET
    sample = pattern.replace("**", "some/thing").replace("*", "x")
    for path in (f"/p/{sample}", f"/{sample}", f"/home/u/{sample}".upper()):
        found = guarded_by(path, FACTS) if table is GUARDED else is_secret(path)
        assert found, path
    assert pattern == folded(pattern)


@pytest.mark.parametrize("root", GUARDED_ROOTS)
def test_every_guarded_root_is_spelt_as_it_is_compared(root: str) -> None:
    assert root == folded(root)
    assert guarded_by(root + "/x", FACTS) == GUARDED_ROOTS[root]


# --- addresses -------------------------------------------------------------------------------------

HOSTS: list[tuple[str, str | None]] = [
    ("https://Example.test", "example.test"),
    ("HTTP://a.test:8080/x?y#z", "a.test"),
    ("https://a.test?q=http://b.test", "a.test"),
    ("https://a.test#@b.test", "a.test"),
    ("https://[::1]:80/", "::1"),
    ("https://a.test/@b.test", "a.test"),
    ("https://user@a.test/", None),
    ("https://a.test\\@b.test/", None),
    ("https://a.test%2eb.test/", None),
    ("https:///x", None),
    ("https://:80/", None),
    ("https://a.test:80x/", None),
    ("https://[::1/", None),
    ("ftp://a.test/", None),
    ("file:///etc/passwd", None),
    ("a.test/x", None),
    ("https://a.test/\n", None),
    ("https://\u0430.test/", None),
    ("https://a test/", None),
    ("https://a.test;.b.test/", None),
    ("https://a.test,b.test/", None),
    ("https://a.test&b.test/", None),
    ("https://a_b.x-1.test:80/", "a_b.x-1.test"),
    ("", None),
]


@pytest.mark.parametrize(("url", "host"), HOSTS)
def test_the_host_of_an_address_is_read_or_the_call_is_opaque(url: str, host: str | None) -> None:
    reading = read_call(call("WebFetch", url=url), FACTS)
    (action,) = reading.actions
    assert (action.name, action.effects) == ("net:fetch", (Effect.NETWORK,))
    if host is None:
        reason = "the address is not a plain http or https URL"
        assert reading.opaque == (Opaque(reason=reason, field="url", span=(0, len(url))),)
        assert (action.target, action.tags) == ({}, ("unread",))
    else:
        assert reading.opaque == ()
        assert (action.target, action.tags) == ({"host": host, "url": url}, ())


def test_a_fetch_without_an_address_is_opaque() -> None:
    assert read_call(call("WebFetch"), FACTS).opaque == (Opaque(reason="`url` is missing or not a text", field="url"),)


@pytest.mark.parametrize("field", ["workdir", "cwd", "working_directory", "directory", "dir_path"])
@pytest.mark.parametrize("command", ["echo x > a", ("bash", "-c", "echo x > a")])
def test_a_shell_of_another_host_runs_where_it_is_told_to(field: str, command: Any) -> None:
    def written(folder: str) -> list[Any]:
        reading = read_call(call("Bash", command=command, **{field: folder}), FACTS)
        return [action.target["path"] for action in reading.actions if action.name == "fs:write"]

    assert [written("/etc"), written("lib"), written("../..")] == [["/etc/a"], ["/p/sub/lib/a"], ["/a"]]


@pytest.mark.parametrize("folder", [5, ["src"], "a\nb"])
def test_a_shell_whose_folder_is_not_known_is_opaque(folder: Any) -> None:
    reading = read_call(call("Bash", command="echo x > a", workdir=folder), FACTS)
    assert [part.reason for part in reading.opaque] == ["it is unclear in which folder it runs (`workdir`)"]


@pytest.mark.parametrize(
    ("fields", "opaque"),
    [
        ({}, []),
        ({"method": "get"}, []),
        ({"method": "HEAD", "headers": {}}, []),
        ({"method": "POST"}, ["more than an address would be sent"]),
        ({"body": "x"}, ["more than an address would be sent"]),
        ({"headers": {"X-A": "secret"}}, ["more than an address would be sent"]),
    ],
)
def test_a_fetch_that_carries_more_than_an_address_is_opaque(fields: dict[str, Any], opaque: list[str]) -> None:
    reading = read_call(call("WebFetch", url="https://a.example/", **fields), FACTS)
    assert [part.reason for part in reading.opaque] == opaque
