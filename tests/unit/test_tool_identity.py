"""A tool is known by its host's name only where the host is known, and by one name everywhere behind that."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.approve.approval import projection_of
from interlock.hosts import HOSTS, host_named
from interlock.model.call import Call, call_from
from interlock.model.facts import Facts
from interlock.model.posture import Posture
from interlock.model.toolnames import OF_HOSTS, tool_spec
from interlock.policy.compile import compile_policy
from interlock.policy.rules import matching
from interlock.reading.read import read_call
from interlock.reading.tools.tools import TOOLS
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap, freeze

NAMES = [(host, name, ours) for host, names in OF_HOSTS.items() for name, ours in names.items()]
FACTS = Facts(root="/project", home="/home/ada")


def call(tool: str, host: str = "", **given: Any) -> Call:
    data: Any = freeze({"tool": tool, "host": host, "input": given, "cwd": "/project"})
    return call_from(data, cwd="/project")


def policy_of(text: str) -> Any:
    with open(default_file(), "rb") as file:
        default = file.read()
    return compile_policy(
        (("default", default_file(), default), ("user", "/policy.toml", f"version = 1\n{text}".encode()))
    )


@pytest.mark.parametrize(("host", "name", "ours"), NAMES)
def test_a_known_host_s_name_becomes_ours_and_is_kept(host: str, name: str, ours: str) -> None:
    made = call(name, host)
    assert (made.tool, made.named, ours in TOOLS) == (ours, "" if name == ours else name, True)


def test_a_name_means_the_same_tool_in_every_host() -> None:
    meanings: dict[str, set[str]] = {}
    for _, name, ours in NAMES:
        meanings.setdefault(name, set()).add(ours)
    assert {name: found for name, found in meanings.items() if len(found) > 1} == {}


@pytest.mark.parametrize("host", ["", "some-agent", "CLAUDE-CODE", "gemini-cli "])
@pytest.mark.parametrize("tool", ["list", "create", "replace", "task", "edit", "view", "bash"])
def test_the_same_word_of_an_unknown_host_is_an_unknown_tool(tool: str, host: str) -> None:
    made = call(tool, host, path="/project/a.txt")
    assert (made.tool, made.named) == (tool, "")
    actions = read_call(made, FACTS).actions
    assert [action.name for action in actions if "unknown" in action.tags] == [f"tool:{tool}"]


@pytest.mark.parametrize("name", HOSTS)
def test_a_host_s_traits_have_the_names_of_its_tools(name: str) -> None:
    assert dict(host_named(name).TRAITS.tools) == OF_HOSTS[name]


def test_words_that_change_nothing_do_not_change_what_is_approved() -> None:
    one, other = (call("run_shell_command", "gemini-cli", command="make", description=text) for text in ("a", "b"))
    assert projection_of(one) == projection_of(other)
    assert projection_of(one) != projection_of(call("run_shell_command", "gemini-cli", command="make x"))


@pytest.mark.parametrize("tool", ["Bash", "run_shell_command", "run_*"])
def test_a_rule_may_use_our_name_or_the_host_s(tool: str) -> None:
    policy = policy_of(f'[[rules]]\nid = "ask"\nverdict = "ask"\nreason = "r"\nwhen = {{ tool = "{tool}" }}\n')
    made = call("run_shell_command", "gemini-cli", command="ls")
    found = matching(made, read_call(made, FACTS), policy, Posture.INTERACTIVE)
    assert [rule.id for rule, _ in found] == ["ask"]


def test_an_entry_under_the_host_s_name_comes_before_ours() -> None:
    policy = policy_of('[tools.run_shell_command]\neffects = ["execute"]\nrisk = "high"\n')
    spec = tool_spec(policy, "Bash", "run_shell_command")
    assert spec is not None
    assert spec.name == "run_shell_command"
    assert tool_spec(policy, "Bash") == policy.tools["Bash"]


@pytest.mark.parametrize(
    ("tool", "server"),
    [("mcp__mail__send", "mail"), ("mcp__a_b__c__d", "a_b"), ("mcp__mail", ""), ("Bash", ""), ("xmcp__a__b", "")],
)
def test_a_tool_of_a_server_names_it(tool: str, server: str) -> None:
    assert Call(tool=tool, input=FrozenMap({})).server == server
