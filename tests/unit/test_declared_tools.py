"""Tools that a policy declares: their tiers, globs as names, and the undo that they name."""

from __future__ import annotations

import pytest

from interlock.decide import decide
from interlock.layers.tiers import tier_of
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.decision import Decision
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.model.toolnames import declared_tool, tool_spec
from interlock.policy.compile import compile_policy
from interlock.policy.importers import import_policy
from interlock.policy.model import ApprovalMode, Policy
from interlock.reading.read import read_call
from interlock.store.home.files import read_file
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap
from interlock.words.told import told


def policy(text: str = "", *, managed: str = "", project: str = "", trusted: bool = False) -> Policy:
    raw = read_file(default_file(), limit=1 << 20)
    assert raw is not None
    files = [("default", "default.toml", raw)]
    for name, own in (("managed", managed), ("user", text), ("project", project)):
        if own:
            files.append((name, f"{name}.toml", own.encode() if "version" in own else f"version = 1\n{own}".encode()))
    return compile_policy(tuple(files), project_trusted=trusted)


def decided(known: Policy, tool: str, mode: str = "default", **given: str) -> Decision:
    known = known.replace(approval_mode=ApprovalMode.of(mode))
    call, reading = read(known, tool, **given)
    return decide(call, reading, known, Session(), ())


def read(known: Policy, tool: str, **given: str) -> tuple[Call, Reading]:
    call = Call(tool=tool, input=FrozenMap(given), cwd="/p", session="s")
    return call, read_call(call, Facts(root="/p", home="/home/a", declared=declared_tool(known, tool)))


def to_the_person(known: Policy, tool: str) -> list[str]:
    return told(*read(known, tool), decided(known, tool), known)[0].splitlines()


MODES = ("permissive", "default", "strict")


@pytest.mark.parametrize(
    ("entry", "verdicts"),
    [
        ('effects = ["read"]', ("allow", "allow", "allow")),
        ("effects = []", ("allow", "allow", "allow")),
        ('effects = ["read", "write"]', ("allow", "ask", "ask")),
        ('effects = ["execute"]', ("allow", "ask", "ask")),
        ('effects = ["network"]', ("allow", "ask", "ask")),
        ('effects = ["spawn"]', ("allow", "ask", "ask")),
        ('effects = ["network"]\nirreversible = true', ("ask", "ask", "deny")),
        ('effects = ["network"]\ntags = ["external"]', ("ask", "ask", "deny")),
        ('effects = ["network"]\ntags = ["posts"]', ("ask", "ask", "deny")),
        ('effects = ["write"]\nirreversible = true', ("allow", "ask", "ask")),
        ('effects = ["destructive"]', ("ask", "ask", "deny")),
    ],
)
@pytest.mark.parametrize("tool", ["mcp__mail__send", "send"])
def test_a_declared_tool_is_in_the_tier_of_its_effects_in_every_mode(
    tool: str, entry: str, verdicts: tuple[str, ...]
) -> None:
    known = policy(f"[tools.{tool}]\n{entry}\n")
    assert tuple(decided(known, tool, mode).verdict.name for mode in MODES) == verdicts


@pytest.mark.parametrize(
    ("actions", "verdicts"),
    [
        ('"mcp:mail:send" = 3', ("ask", "ask", "deny")),
        ('"mcp:mail:send" = 1', ("allow", "allow", "allow")),
        ('"mcp:mail:*" = 1', ("allow", "allow", "allow")),
        ('"mcp:*" = 3', ("ask", "ask", "deny")),
    ],
)
def test_the_entry_for_a_tool_moves_it(actions: str, verdicts: tuple[str, ...]) -> None:
    known = policy(f'[tools.mcp__mail__send]\neffects = ["network"]\n[tiers.actions]\n{actions}\n')
    assert tuple(decided(known, "mcp__mail__send", mode).verdict.name for mode in MODES) == verdicts


def test_only_its_own_name_frees_a_tool_that_destroys() -> None:
    entry = '[tools.mcp__db__drop]\neffects = ["destructive"]\n[tiers.actions]\n'
    assert decided(policy(entry + '"mcp:db:drop" = 1'), "mcp__db__drop").verdict.name == "allow"
    assert decided(policy(entry + '"mcp:db:*" = 1'), "mcp__db__drop").verdict.name == "ask"


def test_a_project_raises_a_declared_tool_and_lowers_none() -> None:
    entry = '[tools.mcp__mail__send]\neffects = ["network"]\n'
    raised = policy(entry, project='[tiers.actions]\n"mcp:mail:*" = 3\n')
    lowered = policy(entry, project='[tiers.actions]\n"mcp:mail:send" = 1\n')
    assert decided(raised, "mcp__mail__send", "permissive").verdict.name == "ask"
    assert decided(lowered, "mcp__mail__send").verdict.name == "ask"


def test_an_entry_below_managed_policy_does_not_lower_an_effect_that_it_set() -> None:
    known = policy(
        '[tools.mcp__mail__send]\neffects = ["network"]\n[tiers.actions]\n"mcp:mail:send" = 1\n',
        managed="[tiers.effects]\nnetwork = 3\n",
    )
    assert decided(known, "mcp__mail__send").verdict.name == "ask"


def test_the_tiers_of_effects_hold_for_declared_tools_too() -> None:
    known = policy('[tools.look]\neffects = ["read", "network"]\n[tiers.effects]\nnetwork = 1\nread = 3\n')
    assert [reason.rule for reason in decided(known, "look").reasons] == ["tier-3"]


def test_a_tier_for_a_tool_that_nobody_declared_counts_where_such_tools_are_let_in() -> None:
    let_in = '[risk]\nunregistered = "allow"\n'
    assert decided(policy(let_in), "mcp__mail__send").verdict.name == "allow"
    named = policy(let_in + '[tiers.actions]\n"mcp:mail:send" = 3\n')
    assert decided(named, "mcp__mail__send", "permissive").verdict.name == "ask"


@pytest.mark.parametrize(
    ("query", "rules"), [("select 1", []), ("delete from users", ["tier-3"]), ("drop table users", ["tier-3"])]
)
def test_an_argument_that_is_read_tells_more_than_the_declaration(query: str, rules: list[str]) -> None:
    known = policy('[tools.mcp__db__query]\neffects = ["read", "write", "destructive"]\nargs = { sql = "sql" }\n')
    found = decided(known, "mcp__db__query", sql=query)
    assert sorted({reason.rule for reason in found.reasons if reason.layer == "tiers"}) == rules


def test_an_argument_that_is_read_does_not_excuse_what_cannot_be_taken_back() -> None:
    entry = '[tools.mcp__hook__post]\neffects = ["network"]\nirreversible = true\nargs = { url = "fetch" }\n'
    found = decided(policy(entry), "mcp__hook__post", "permissive", url="https://api.acme.example/x")
    assert [reason.rule for reason in found.reasons] == ["tier-3"]


# --- globs ---------------------------------------------------------------------------------------------------------

GITHUB = """
[tools."mcp__github__*"]
effects = ["network", "write"]
[tools."mcp__github__get_*"]
effects = ["read", "network"]
[tools.mcp__github__get_secret]
effects = ["read"]
confirm = true
"""


@pytest.mark.parametrize(
    ("tool", "entry"),
    [
        ("mcp__github__create_issue", "mcp__github__*"),
        ("mcp__github__get_issue", "mcp__github__get_*"),
        ("mcp__github__get_secret", "mcp__github__get_secret"),
        ("mcp__gitlab__get_issue", None),
    ],
)
def test_the_glob_that_spells_most_out_counts_and_the_name_itself_before_it(tool: str, entry: str | None) -> None:
    spec = tool_spec(policy(GITHUB), tool)
    assert (None if spec is None else spec.name) == entry


def test_a_glob_declares_the_tools_that_it_names() -> None:
    known = policy(GITHUB + '[tiers.actions]\n"mcp:github:get_*" = 1\n')
    assert decided(known, "mcp__github__get_issue").verdict.name == "allow"
    assert [reason.rule for reason in decided(known, "mcp__github__create_issue").reasons] == ["tier-2"]
    assert [reason.rule for reason in decided(known, "mcp__gitlab__get_issue").reasons] == ["unregistered"]


def test_a_glob_does_not_stand_in_for_a_tool_that_has_an_entry() -> None:
    known = policy('[tools."*"]\neffects = ["read"]\n')
    assert [tool_spec(known, name).name for name in ("Bash", "other")] == ["Bash", "*"]  # type: ignore[union-attr]


MANAGED = '[tools."mcp__github__*"]\neffects = ["network"]\nconfirm = true\nrisk = "high"\n'
LOOSER = '[tools."{}"]\neffects = ["read"]\nconfirm = false\nrisk = "low"\n'


@pytest.mark.parametrize("name", ["mcp__github__get_me", "mcp__github__get_*", "mcp__github__?et_me"])
@pytest.mark.parametrize("source", ["user", "project"])
def test_a_narrower_entry_from_below_loosens_no_managed_glob(name: str, source: str) -> None:
    below = LOOSER.format(name)
    known = policy(below, managed=MANAGED) if source == "user" else policy(managed=MANAGED, project=below)
    spec = tool_spec(known, "mcp__github__get_me")
    assert spec is not None
    assert ([effect.name for effect in spec.effects], spec.confirm, spec.risk.name) == (["network"], ("*",), "high")
    assert spec.registered


def test_a_project_loosens_no_glob_of_a_person_until_it_is_trusted() -> None:
    below = LOOSER.format("mcp__github__get_me")
    held, trusted = policy(MANAGED, project=below), policy(MANAGED, project=below, trusted=True)
    assert tool_spec(held, "mcp__github__get_me").confirm == ("*",)  # type: ignore[union-attr]
    assert tool_spec(trusted, "mcp__github__get_me").confirm == ()  # type: ignore[union-attr]


def test_a_glob_that_only_meets_one_from_above_is_left_out_and_that_is_said() -> None:
    known = policy(MANAGED, project=LOOSER.format("*__get_repository_of_somebody"))
    assert tool_spec(known, "mcp__github__get_repository_of_somebody").name == "mcp__github__*"  # type: ignore[union-attr]
    assert "tools.*__get_repository_of_somebody (it meets tools.mcp__github__*)" in " ".join(known.notices)


def test_a_wider_glob_from_below_stands_behind_the_one_from_above() -> None:
    known = policy(MANAGED, project=LOOSER.format("mcp__*"))
    assert tool_spec(known, "mcp__github__get_me").name == "mcp__github__*"  # type: ignore[union-attr]
    assert tool_spec(known, "mcp__mail__send").registered is False  # type: ignore[union-attr]


# --- the undo ------------------------------------------------------------------------------------------------------

UNDO = """
[tools.mcp__shop__order]
effects = ["network"]
irreversible = true
risk = "high"
compensator = "shop cancel ORDER"
"""


def test_the_undo_of_a_tool_is_told_where_a_person_is_asked() -> None:
    assert to_the_person(policy(UNDO), "mcp__shop__order") == [
        "Use `order` of the tool server `shop`: other people will see it; it cannot be fully undone.",
        "Yes counts for this call only.",
        "Undo: shop cancel ORDER",
    ]


def test_the_undo_of_a_tool_is_in_its_actions_and_gates() -> None:
    gated = policy(UNDO + '[capability]\nactions = ["mcp:shop:*"]\n')
    assert to_the_person(gated, "mcp__shop__order") == [
        "Use `order` of the tool server `shop`: your policy allows this only with a grant, and none covers it.",
        "Undo: shop cancel ORDER",
    ]


@pytest.mark.parametrize("line", ['compensator = ""', "compensator = 3", 'tags = ["created"]', 'tags = ["extrenal"]'])
def test_what_a_tool_cannot_say_is_an_error(line: str) -> None:
    with pytest.raises(Exception, match=r"must be a (text|list)"):
        policy(f'[tools.x]\neffects = ["read"]\n{line}\n')


def test_an_untrusted_project_names_no_undo() -> None:
    known = policy(UNDO, project='[tools.mcp__shop__order]\ncompensator = "nothing to do"\n')
    assert tool_spec(known, "mcp__shop__order").compensator == "shop cancel ORDER"  # type: ignore[union-attr]


# --- imports -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("effect", ["read", "write", "network", "execute", "spawn", "destructive"])
def test_a_tool_that_a_manifest_lets_run_stays_free_after_the_import(effect: str) -> None:
    raw = f'{{"tools": {{"work": {{"effects": ["{effect}"]}}, "mcp__a__b": {{"effects": ["{effect}"]}}}}}}'
    text, _ = import_policy(raw.encode())
    known = policy(text)
    assert [decided(known, tool).verdict.name for tool in ("work", "mcp__a__b")] == ["allow", "allow"]


def test_a_tool_that_a_manifest_has_confirmed_is_asked_about_each_time_after_the_import() -> None:
    text, _ = import_policy(b'{"tools": {"work": {"effects": ["execute"], "require_confirmation": true}}}')
    assert [reason.rule for reason in decided(policy(text), "work").reasons] == ["confirm"]


def test_the_tier_of_a_declared_tool_does_not_depend_on_a_policy_file_that_says_none() -> None:
    known = policy('[tools.send]\neffects = ["network"]\n')
    call = Call(tool="send", input=FrozenMap({}), cwd="/p")
    read = read_call(call, Facts(root="/p", home="/h", declared=declared_tool(known, "send")))
    assert tier_of(read.actions[0], known.tiers) == (2, "network")


LOOKS_ONLY = '[tools.mcp__db__query]\neffects = ["read"]\n[tools.mcp__docs__search]\neffects = ["read"]\n'


@pytest.mark.parametrize(
    ("tool", "field", "text", "expected"),
    [
        ("mcp__db__query", "sql", "select name from users", "allow"),
        ("mcp__db__query", "query", "select name from users where id = 2", "allow"),
        ("mcp__db__query", "sql", "delete from users", "ask"),
        ("mcp__db__query", "query", "drop table users", "ask"),
        ("mcp__db__query", "query", "select 1; -- \ndelete from users", "ask"),
        ("mcp__db__query", "raw_sql", "select 1; truncate users", "ask"),
        ("mcp__db__query", "statement", "words that are no SQL", "ask"),
        ("mcp__docs__search", "query", "create table in markdown", "allow"),
        ("mcp__docs__search", "query", "delete a branch after the merge", "allow"),
        ("mcp__docs__search", "query", "update readme badge", "allow"),
    ],
)
def test_a_statement_is_read_although_nobody_gave_its_argument_a_role(
    tool: str, field: str, text: str, expected: str
) -> None:
    assert decided(policy(LOOKS_ONLY), tool, **{field: text}).verdict.name == expected
