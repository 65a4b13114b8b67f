"""What could be permitted so that a call is not asked about again: grants within a scope, and entries of `[tiers]`.

Only what is safe to suggest has candidates at all. Nothing here concerns secrets, other rights, what cannot be taken
back, what rewrites history, or a name that stands for whatever a program, a file or an address is.
"""

from __future__ import annotations

from ..approve.gated import GATES, gate_of
from ..approve.glob import is_plain
from ..approve.grant import DESTINATION, WIDENING, Grant, is_outward
from ..approve.keys import is_alone
from ..bytes.redact import MARK
from ..model.effects import Effect
from ..model.verdict import Risk
from ..policy.places import places_of
from ..value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..model.action import Action
    from ..model.decision import Finding
    from ..policy.model import Policy

__all__ = ["Candidate", "applied", "candidates_for", "command_of", "is_safe", "toml_of", "toml_of_all", "words_of"]

_NEVER = frozenset(
    (
        *(
            "accounts",
            "clipboard",
            "deferred",
            "device",
            "disguised",
            "elsewhere",
            "exhausts",
            "fork-bomb",
            "guard",
            "history",
        ),
        *(
            "home",
            "hunts",
            "identity",
            "leaks",
            "machine",
            "near-miss",
            "obeyed-asked",
            "persistence",
            "privileged",
            "redirects",
        ),
        *("remote-code", "root", "scheduled", "secret", "security", "system"),
    )
)
# Names that stand for whatever a program, a file or an address is. A scope must say which.
_WIDE = ("exec:script", "exec:shell", "exec:code", "exec:nothing", "exec:stdin", "exec:project", "proc:spawn")
_NO_SCOPE = (
    "along",
    "carries",
    "does",
    "folder",
    "line",
    "method",
    "real",
    "url",
    *WIDENING,
)  # what a scope is not made of, or only for want of better
_PLACES = ("system", "secret", "guard", "device")
_DEEP = 3  # a folder nearer to the root would permit half the machine


_OF_VERSIONS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-+^~<>=")


class Candidate(Value):
    """`form` is `grant`, or `tier` for an entry that frees the action wherever no grave mark is on it."""

    form: str
    action: str
    scope: Mapping[str, str] = FrozenMap({})

    @property
    def id(self) -> str:
        text = "-".join([self.action, *self.scope.values()])
        words = "".join([char if char.isascii() and char.isalnum() else " " for char in text]).split()
        return "-".join(["suggested", *words])

    @property
    def narrowness(self) -> tuple[int, int, int]:
        plain = sum([is_plain(glob) for glob in self.scope.values()])
        return plain, len(self.scope), sum([len(glob) for glob in self.scope.values()])

    @property
    def grant(self) -> Grant | None:
        if self.form != "grant":
            return None
        return Grant(id=self.id, kind="capability", action=self.action, scope=self.scope, reach="everywhere")


def is_safe(finding: Finding, action: Action, cwd: str) -> bool:
    """Whether anything may be suggested for what is asked about here."""
    texts = [str(value) for value in action.target.values()]
    return (
        "capability" in finding.lifted_by
        and finding.layer in ("tiers", "manifest", "rules")
        and not (finding.layer == "tiers" and finding.rule == "tier-3" and "external" in action.tags)
        and not action.irreversible
        and Effect.DESTRUCTIVE not in action.effects
        and action.risk < Risk.HIGH
        and _NEVER.isdisjoint(action.tags)
        and (gate_of(action) is None or finding.rule == "tier-2")
        and is_plain(action.name)
        and not action.name.startswith("fs:read")
        and _may_be_opened(action, cwd)
        and not any(MARK in text or not text.isprintable() for text in texts)
        and not any(action.target.get(field) is True for field in WIDENING)
    )


def _may_be_opened(action: Action, cwd: str) -> bool:
    """Not where the system, secrets or the guard live; `/opt` and `/srv` are where people put things too."""
    shared = str(action.target.get("path", "")).startswith(("/opt/", "/srv/"))
    return places_of(action, cwd).isdisjoint([place for place in _PLACES if not (shared and place == "system")])


def candidates_for(finding: Finding, action: Action) -> Iterator[Candidate]:
    """The narrow ones first. None where no pattern says what a person would mean."""
    name, target = action.name, action.target
    outward = is_outward(action)
    if outward and DESTINATION not in target:  # no grant may say less than where it goes
        return
    if "digest" in target:  # it changes with the next edit, and the grant would end nothing
        return
    path = target.get("path")
    if path is not None:
        if type(path) is str and "real" not in target and not outward:
            for glob in (*_itself(path, action), *_folders(path)):
                yield Candidate(form="grant", action=name, scope=FrozenMap({"path": glob}))
        return
    fields = {f: v for f, v in target.items() if type(v) is str and is_plain(v) and f not in _NO_SCOPE}
    if outward:  # the destination says what these only point to
        fields = {field: text for field, text in fields.items() if field not in ("remote", "registry", "host")}
    if any(type(value) is tuple for field, value in target.items() if field not in ("fields", "given")):
        return
    if not fields and type(target.get("folder")) is str and is_plain(str(target["folder"])):
        fields = {"folder": str(target["folder"])}
    if fields:
        yield Candidate(form="grant", action=name, scope=FrozenMap(dict(sorted(fields.items()))))
    versions = "" if "via" in target else _any_version(fields.get("package", ""))
    if versions:
        yield Candidate(
            form="grant", action=name, scope=FrozenMap(dict(sorted({**fields, "package": versions}.items())))
        )
    branch = fields.get("branch", "")
    if "/" in branch:
        wide = {**fields, "branch": branch.partition("/")[0] + "/*"}
        yield Candidate(form="grant", action=name, scope=FrozenMap(dict(sorted(wide.items()))))
    if name in _WIDE or name.startswith(("fs:", "net:")) or "install" in action.tags or "host" in target:
        return
    if gate_of(action) is not None or outward:  # what is hard to take back is never freed wholesale
        return
    if finding.layer == "tiers":
        yield Candidate(form="tier", action=name)
    else:
        yield Candidate(form="grant", action=name)


def _any_version(package: str) -> str:
    """`left-pad@1.2` and `left-pad@1.3` are one package: a pattern for all its versions; empty where none is named."""
    for mark in ("==", "@"):
        name, _, version = package[1:].partition(mark)  # the first `@` may be that of a scope
        if name and version and set(version) <= _OF_VERSIONS:
            return f"{package[0]}{name}{mark}*"
    return ""


def _itself(path: str, action: Action) -> tuple[str, ...]:
    """The file alone, where what lies beside it is somebody else's: its folder takes more than one question."""
    return (path,) if is_alone(action) and path.startswith("/") and is_plain(path) else ()


def _folders(path: str) -> Iterator[str]:
    """The folder of the file and the one above it, unless they are too near the root or hold settings."""
    if not path.startswith("/") or not is_plain(path) or "/." in path:
        return
    folder = path.rpartition("/")[0]
    if folder.count("/") < _DEEP:
        yield path
        return
    yield folder + "/*"
    above = folder.rpartition("/")[0]
    if above.count("/") >= _DEEP:
        yield above + "/*"


def applied(chosen: tuple[Candidate, ...], policy: Policy) -> tuple[Policy, tuple[Grant, ...]]:
    """The policy and the grants as they would be with these. The digest stays: it is no policy of anybody's."""
    entries = {candidate.action: 1 for candidate in chosen if candidate.form == "tier"}
    if entries:
        tiers = policy.tiers
        policy = policy.replace(tiers=tiers.replace(actions=FrozenMap({**tiers.actions, **entries})))
    return policy, tuple([candidate.grant for candidate in chosen if candidate.grant is not None])


def command_of(candidate: Candidate, how: str = "--reach everywhere --for 30d") -> str | None:
    """A command to copy; an entry of `[tiers]` has none."""
    if candidate.form != "grant":
        return None
    scopes = [f"--scope {_quoted(f'{field}={glob}')}" for field, glob in candidate.scope.items()]
    words = next((gate.words for gate in GATES if gate.action == candidate.action), candidate.action)
    return " ".join(["interlock grant", f'"{words}"' if " " in words else words, *scopes, how])


def toml_of(candidate: Candidate) -> str:
    if candidate.form == "tier":
        return f"[tiers.actions]\n{_toml(candidate.action)} = 1"
    lines = ["[[grants]]", f"id = {_toml(candidate.id)}", f"action = {_toml(candidate.action)}"]
    if candidate.scope:
        inside = ", ".join([f"{_toml(field)} = {_toml(glob)}" for field, glob in candidate.scope.items()])
        lines.append(f"scope = {{ {inside} }}")
    return "\n".join(lines)


def toml_of_all(candidates: tuple[Candidate, ...]) -> str:
    """All of them as one piece of a policy file: a table may be there only once."""
    entries = [f"{_toml(candidate.action)} = 1" for candidate in candidates if candidate.form == "tier"]
    parts = ["\n".join(["[tiers.actions]", *entries])] if entries else []
    return "\n\n".join([*parts, *[toml_of(candidate) for candidate in candidates if candidate.form != "tier"]])


def words_of(candidate: Candidate) -> str:
    """What else it would allow, beyond what was seen."""
    name = f"`{candidate.action}`"
    if candidate.form == "tier" and candidate.action.startswith("exec:"):
        return (
            f"every run of `{candidate.action.removeprefix('exec:')}`, with any arguments and whatever it does: what a "
            "program that is not known does cannot be read"
        )
    if candidate.form == "tier":
        return (
            f"every {name}, whatever it is done to; what is privileged, secret, outside the project, rewrites history "
            "or cannot be taken back is still asked about"
        )
    within = " and ".join([f"{field} `{glob}`" for field, glob in candidate.scope.items()])
    said = f"every {name} with {within}" if within else f"every {name}, whatever its input is"
    if "path" in candidate.scope:
        return f"{said}, at any depth, and also files there that hold secrets or that something runs later"
    if "host" in candidate.scope:
        return f"{said}, with any data and under any address of that host"
    return f"{said}, whatever else the call says; switches such as force, all or delete are still asked about"


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,")


def _quoted(text: str) -> str:
    return text if set(text) <= _PLAIN else "'" + text.replace("'", "'\\''") + "'"


def _toml(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
