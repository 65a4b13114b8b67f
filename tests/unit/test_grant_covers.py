"""What a grant covers, field by field of a target, and the reason that is told where it does not."""

from __future__ import annotations

import pytest

from interlock.approve.grant import REACHES, Grant, concerns, covers, is_outward, shown, shown_scope, why_not
from interlock.model.action import Action
from interlock.model.effects import Effect
from interlock.model.verdict import Risk, Strength
from interlock.value import FrozenMap

Values = dict[str, str | bool | tuple[str, ...]]


def act(
    target: Values | None = None, name: str = "git:push", tags: tuple[str, ...] = (), risk: Risk = Risk.LOW
) -> Action:
    return Action(name=name, target=FrozenMap(target or {}), tags=tags, risk=risk)


def ahead(scope: dict[str, str] | None = None, action: str = "git:push") -> Grant:
    """Made ahead: for what its scope says, whatever else is so."""
    return Grant(id="g", kind="capability", action=action, scope=FrozenMap(scope or {}))


def kept(scope: dict[str, str] | None = None, action: str = "git:push") -> Grant:
    """Kept from a yes to one call: all of its target was shown."""
    return ahead(scope, action).replace(kind="remembered", whole=True)


def words(scope: dict[str, str] | None = None, action: str = "git:push") -> Grant:
    """Made from words that a person wrote."""
    return ahead(scope, action).replace(kind="remembered")


def test_a_grant_says_little_by_itself() -> None:
    assert Grant(id="g", kind="capability") == Grant(
        id="g",
        kind="capability",
        action="",
        scope=FrozenMap({}),
        effects=Effect.members,
        tags=None,
        risk=Risk.CRITICAL,
        irreversible=True,
        binds=None,
        reach="session",
        subject="",
        by="",
        why="",
        strength=Strength.WEAK,
        whole=False,
        persons=(),
    )
    assert REACHES == ("once", "session", "folder", "repository", "everywhere")


def test_a_yes_to_one_call_is_about_no_other() -> None:
    assert concerns(ahead(), act())
    assert not concerns(ahead(), act(name="git:pull"))
    assert not concerns(ahead().replace(kind="once"), act())
    assert not concerns(ahead().replace(binds="ap_1"), act())
    assert why_not(ahead().replace(binds="ap_1"), act()) == "it is for git:push"
    assert why_not(ahead(action=""), act()) == "it is for one exact call"


# --- what leaves this machine -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "tags", "outward"),
    [
        ("git:push", ("external",), True),
        ("git:push", ("new",), False),
        ("git:push", (), False),
        ("mcp:mail:send", ("external",), False),
        ("tool:send", ("external",), False),
        ("agent:helper", ("external",), False),
        ("mcp:mail:send", (), False),
    ],
)
def test_a_tool_says_by_its_name_where_it_goes(name: str, tags: tuple[str, ...], *, outward: bool) -> None:
    assert is_outward(act(name=name, tags=tags)) is outward


OUT = ("external",)
TO_A: Values = {"destination": "a.test/x"}
TO_TWO: Values = {"destination": ("a.test/x", "b.test/y")}
UNKNOWN = "where the call goes is not known; only a scope with destination = * covers that"

WHERE: list[tuple[Grant, Action, str | None]] = [
    (ahead(), act(TO_A, tags=OUT), "its scope names no destination, the call's is a.test/x"),
    (ahead(), act(TO_TWO, tags=OUT), "its scope names no destination, the call's is a.test/x, b.test/y"),
    (ahead(), act(tags=OUT), UNKNOWN),
    (ahead({"destination": "a.test/*"}), act(tags=OUT), UNKNOWN),
    (ahead({"destination": "*"}), act(tags=OUT), None),
    (ahead({"destination": "*"}), act(TO_A, tags=OUT), None),
    (ahead({"destination": "*"}), act(TO_TWO, tags=OUT), None),
    (ahead({"destination": "a.test/*"}), act(TO_A, tags=OUT), None),
    (
        ahead({"destination": "a.test/*"}),
        act(TO_TWO, tags=OUT),
        "its scope is destination = a.test/*, the call's is b.test/y",
    ),
    (ahead(), act(TO_A), None),  # it stays here, and needs none
    (ahead(), act(), None),
    (ahead({"destination": "a.test/*"}), act(), "the call names no destination"),
    (ahead({"branch": "*"}), act(), "the call names no branch"),
]


@pytest.mark.parametrize(("grant", "action", "why"), WHERE)
def test_what_leaves_is_covered_only_to_where_the_scope_says(grant: Grant, action: Action, why: str | None) -> None:
    assert why_not(grant, action) == why
    assert covers(grant, action) is (why is None)


def test_that_it_goes_elsewhere_than_usual_is_nothing_new_where_the_scope_says_where() -> None:
    elsewhere = act(TO_A, tags=("redirects",))
    assert why_not(ahead({"destination": "a.test/*"}).replace(tags=()), elsewhere) is None
    assert why_not(ahead().replace(tags=()), elsewhere) == "it was given without the mark redirects"
    anywhere = ahead({"destination": "*"}).replace(tags=())
    assert why_not(anywhere, act(tags=("redirects",))) == "it was given without the mark redirects"
    assert why_not(ahead(), act(tags=("redirects", "new"))) is None


# --- fields of a scope --------------------------------------------------------------------------------------------

FIELDS: list[tuple[Grant, Action, str | None]] = [
    # what a tool is given: less of it is still what was meant where it only looks
    (kept({"fields": "a\nb"}), act(), None),
    (kept({"fields": "a\nb"}), act({"fields": ("a",)}), None),
    (kept({"fields": "a\nb"}), act({"fields": ("a", "c")}), "its scope is fields = a, b, the call's is c"),
    # what a program is given: less of it is another call
    (kept({"given": "--dry-run\nx"}), act({"given": ("x", "--dry-run")}), None),
    (kept({"given": "--dry-run\nx"}), act({"given": ("x",)}), "its scope is given = --dry-run, x, the call's is x"),
    (
        kept({"given": "--dry-run\nx"}),
        act({"given": ("x", "--dry-run", "y")}),
        "its scope is given = --dry-run, x, the call's is x, --dry-run, y",
    ),
    (kept({"given": "-x"}), act({"given": "-x"}), None),
    (kept({"given": "-x"}), act({"given": "-y"}), "its scope is given = -x, the call's is -y"),
    (ahead({"given": "x\ny"}), act({"given": ("x",)}), None),
    (kept({"unit": "a\nb"}), act({"unit": ("a",)}), None),
    # a package, whichever version of it
    (
        kept({"package": "acme"}, "pkg:install"),
        act({"package": "acme@2"}, "pkg:install"),
        "its scope is package = acme, the call's is acme@2",
    ),
    (
        ahead({"package": "acme"}, "pkg:install"),
        act({"package": "acme@2"}, "pkg:install"),
        "its scope is package = acme, the call's is acme@2",
    ),
    # switches that make more happen
    *[
        (ahead(), act({switch: True}), f"the call has {switch} = true, which its scope does not name")
        for switch in (
            *("all", "all-tags", "delete", "force", "mirror", "no-verify", "prune"),
            *("push-option", "submodules", "tags"),
        )
    ],
    (ahead(), act({"force": False}), None),
    (ahead(), act({"verbose": True}), None),
    (ahead({"force": "true"}), act({"force": True}), None),
    # a detour
    (ahead(), act({"via": "proxy.test"}), "the call has via = proxy.test, which its scope does not name"),
    (ahead({"via": "proxy.test"}), act({"via": "proxy.test"}), None),
]


@pytest.mark.parametrize(("grant", "action", "why"), FIELDS)
def test_a_scope_is_held_against_every_part_of_the_target(grant: Grant, action: Action, why: str | None) -> None:
    assert why_not(grant, action) == why


SHOWN: list[tuple[Grant, Action, str | None]] = [
    (kept(), act({"cluster": "prod"}), "the call has cluster = prod, which nobody said yes to"),
    (kept({"cluster": "prod"}), act({"cluster": "prod"}), None),
    (kept(), act({"cluster": False}), None),
    (kept(), act({"cluster": True}), "the call has cluster = true, which nobody said yes to"),
    (kept(), act({"branch": "main"}), "the call has branch = main, which nobody said yes to"),
    (ahead(), act({"cluster": "prod"}), None),
    (words(), act({"cluster": "prod"}), None),
    *[
        (words(), act({field: "x"}), f"the call has {field} = x, which nobody said yes to")
        for field in ("collection", "file", "global", "source", "system")
    ],
    (words({"system": "x"}), act({"system": "x"}), None),
    (words(), act({"global": False}), None),
]


@pytest.mark.parametrize(("grant", "action", "why"), SHOWN)
def test_a_kept_yes_does_not_cover_what_was_not_shown(grant: Grant, action: Action, why: str | None) -> None:
    assert why_not(grant, action) == why


REAL: list[tuple[dict[str, str], Values, str | None]] = [
    ({"path": "/p/d/*"}, {"path": "/p/d/a", "real": "/p/d/b"}, None),
    ({"path": "/p/d/*"}, {"path": "/p/d/a", "real": "/e"}, "its scope is path = /p/d/*, the call's leads to /e"),
    ({"path": "/p/d/*", "real": "/e"}, {"path": "/p/d/a", "real": "/e"}, None),
    ({"path": "/p/d/*"}, {"path": "/p/d/a"}, None),
    ({"mode": "w"}, {"path": "/p/d/a", "real": "/e", "mode": "w"}, None),
]


@pytest.mark.parametrize(("scope", "target", "why"), REAL)
def test_a_path_is_where_it_leads(scope: dict[str, str], target: Values, why: str | None) -> None:
    assert why_not(ahead(scope), act(target)) == why


LIMITS: list[tuple[dict[str, object], dict[str, object], str | None]] = [
    ({"risk": Risk.MEDIUM}, {"risk": Risk.MEDIUM}, None),
    ({"risk": Risk.MEDIUM}, {"risk": Risk.HIGH}, "it was given for risk up to medium, the call's is high"),
    ({"irreversible": False}, {"irreversible": True}, "it was given for something that can be taken back"),
    ({"irreversible": False}, {"irreversible": False}, None),
    ({"irreversible": True}, {"irreversible": True}, None),
    ({"tags": ("new",)}, {"tags": ("new",)}, None),
    ({"tags": ()}, {"tags": ("new", "built")}, "it was given without the mark built, new"),
    ({"effects": (Effect.READ,)}, {"effects": (Effect.READ,)}, None),
    (
        {"effects": (Effect.READ,)},
        {"effects": (Effect.READ, Effect.NETWORK)},
        "it was given without the effect network",
    ),
]


@pytest.mark.parametrize(("limits", "fields", "why"), LIMITS)
def test_effects_marks_and_risk_stay_within_what_was_shown(
    limits: dict[str, object], fields: dict[str, object], why: str | None
) -> None:
    assert why_not(ahead().replace(**limits), act().replace(**fields)) == why


# --- what a yes is bound to ---------------------------------------------------------------------------------------

PYTHON = {"collection": "python"}
BOUND: list[tuple[Action, dict[str, str] | None]] = [
    (act({"cluster": "prod", "dry": True, "wet": False}), {"cluster": "prod", "dry": "true"}),
    (act({"path": "/p/a", "mode": "w"}), {"mode": "w"}),
    (act({"unit": ("b", "a", "b")}), {"unit": "a\nb"}),
    # a pattern would say more than was meant
    (act({"unit": ("a", "b*")}), None),
    (act({"unit": "b?"}), None),
    (act({"unit": "a\nb"}), None),
    # these may differ
    *[
        (act({field: "x", "cluster": "c"}), {"cluster": "c"})
        for field in (*("glob", "real", "detach", "dev", "quiet", "optional", "exact", "line", "does"),)
    ],
    # an address, where its host is named; a remote, where it is known where that leads
    (act({"url": "https://a.test/x"}), {"url": "https://a.test/x"}),
    (act({"url": "https://a.test/x", "host": "a.test"}), {"host": "a.test"}),
    (act({"url": "https://a.test/x", "destination": "a.test"}), {"destination": "a.test"}),
    (act({"remote": "origin"}), {"remote": "origin"}),
    (act({"remote": "origin", "host": "a.test"}), {"remote": "origin", "host": "a.test"}),
    (act({"remote": "origin", "destination": "a.test"}), {"destination": "a.test"}),
    # the usual registry of a collection
    (act({"registry": "r"}), {"registry": "r"}),
    (act({"registry": "r", **PYTHON}), PYTHON),
    (act({"registry": "r", "via": "v", **PYTHON}), {"registry": "r", "via": "v", **PYTHON}),
    (act({"registry": "r", "via": "v"}), {"registry": "r", "via": "v"}),
    # the file that names packages, where they are named
    (act({"manifest": "m"}), {"manifest": "m"}),
    (act({"manifest": "m", "package": "acme"}), {"package": "acme"}),
    # services of a file that is bound
    (act({"service": "s", "name": "n"}), {"service": "s", "name": "n"}),
    (act({"service": "s", "name": "n", "file": "f"}, "compose:up"), {"file": "f"}),
    # packages: of a distribution any, of an open registry this one or any that everybody has
    (act({"package": "vim"}, tags=("system",)), {}),
    (act({"unit": "u"}, tags=("system",)), {"unit": "u"}),
    (act({"package": "acme"}), {"package": "acme"}),
    (act({"package": "acme@1.2"}), {"package": "acme@1.2"}),
    (act({"package": "@acme/app"}), {"package": "@acme/app"}),
    (act({"package": "@acme/app@1.2"}), {"package": "@acme/app@1.2"}),
    (act({"package": "x@1.2"}), {"package": "x@1.2"}),
    (act({"package": "acme@1.?"}), None),
    (act({"package": "x@npm:y"}), {"package": "x@npm:y"}),
    (act({"package": "x@github/y"}), {"package": "x@github/y"}),
    (act({"package": "github/y"}), {"package": "github/y"}),
    (act({"package": "git:y"}), {"package": "git:y"}),
    *[(act({"package": f"acme{mark}2"}), {"package": f"acme{mark}2"}) for mark in ("==", "<", "~=", ";", " ")],
    (act({"package": "=2"}), {"package": "=2"}),
    (act({"package": "requests", **PYTHON}), {"package": "(well-known: python)", **PYTHON}),
    (act({"package": "requests==2", **PYTHON}), {"package": "requests==2", **PYTHON}),
    (act({"package": "requests", "global": True, **PYTHON}), {"package": "requests", "global": "true", **PYTHON}),
    (act({"package": ("requests", "flask", "acme"), **PYTHON}), {"package": "(well-known: python)\nacme", **PYTHON}),
    (act({"package": "acme", **PYTHON}), {"package": "acme", **PYTHON}),
    (act({"package": "requests"}), {"package": "requests"}),
]


@pytest.mark.parametrize(("action", "scope"), BOUND)
def test_a_yes_is_bound_to_each_field_that_is_not_free_to_differ(action: Action, scope: dict[str, str] | None) -> None:
    assert shown_scope(action) == scope


def test_several_values_are_shown_on_one_line() -> None:
    assert shown("a\nb\nc") == "a, b, c"
    assert shown("a/*") == "a/*"
