"""A call of a known server's tool, read by its row: what the tool does, and each argument by its role.

INVARIANT: only what the row says in full is read so. A tool without a row, an argument that it does not name, a value
of another kind than its role takes: the call is that of a tool which nobody declared.
"""

from __future__ import annotations

from ...model.action import Action
from ...model.effects import Effect, by_precedence
from ...model.toolnames import action_of_tool
from ...model.verdict import Risk
from ...value import TYPE_CHECKING, FrozenMap, lazy
from .rows import KINDS, row_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...model.call import Call
    from ...model.facts import Facts
    from ..bash import follow_words
    from ..machine.acts import on_path
    from ..places.secret_words import sends_secret
    from ..places.system_places import host_of
    from ..tools.arguments import in_role, texts_of
    from ..tools.given import shape_of_input
    from ..tools.tools import Part
    from .rows import Kind, Row
else:
    follow_words = lazy(globals(), "..bash", "follow_words")
    on_path = lazy(globals(), "..machine.acts", "on_path")
    sends_secret = lazy(globals(), "..places.secret_words", "sends_secret")
    host_of = lazy(globals(), "..places.system_places", "host_of")
    in_role = lazy(globals(), "..tools.arguments", "in_role")
    texts_of = lazy(globals(), "..tools.arguments", "texts_of")
    shape_of_input = lazy(globals(), "..tools.given", "shape_of_input")

__all__ = ["OTHER_PAGE", "OWN_PAGE", "applying", "is_own", "read_known", "roles_known", "speaks_of"]

# What a browser was sent to is kept by these names among the actions of a session.
OWN_PAGE, OTHER_PAGE = "page:own", "page:other"
_BLANK = "about:blank"
_SECRET_TEXT = 8  # characters: no shorter text is one that would be looked for
_WITH_COMMAND = ("base_branch",)  # arguments that are words of the command where they are given


def applying(call: Call, facts: Facts) -> Row | None:
    """The row by which the call is read; None where it is that of a tool which nobody declared."""
    row = row_of(facts.server, _tool_of(call)) if call.server else None
    if row is None or any(name not in row.fields for name in call.input):
        return None
    if KINDS[row.kind].local and facts.pages != "own":
        return None
    for name, value in call.input.items():
        role = row.fields[name]
        if role and value is not None and not _is_text(value):
            return None
        if role in _PATHS and facts.server == "filesystem" and not _all(value, _is_rooted):
            return None  # which of its folders the path is looked for in is not known
    if row.command and not all(_all(call.input.get(name), _is_word) for name in row.fields):
        return None
    return row


_PATHS = frozenset("edit folder list move read write".split())


def _is_text(value: object) -> bool:
    return type(value) is str or (type(value) is tuple and all(type(item) is str for item in value))


def _all(value: object, holds: object) -> bool:
    return all(holds(item) for item in (value if type(value) is tuple else (value,)))  # type: ignore[operator]


def _is_rooted(value: object) -> bool:
    return type(value) is str and value.startswith(("/", "~/"))


def _is_word(value: object) -> bool:
    return type(value) is not str or (not value.startswith("-") and "\0" not in value)


def roles_known(call: Call, facts: Facts) -> Mapping[str, str]:
    """The roles of the arguments, for a tool that the person's policy declares as well."""
    row = applying(call, facts)
    if row is None:
        return FrozenMap({})
    return {
        name: _DECLARABLE.get(role, role) for name, role in row.fields.items() if role and role not in _NOT_DECLARED
    }


_DECLARABLE = {"page": "fetch", "url": "fetch"}
_NOT_DECLARED = ("folder",)


def read_known(call: Call, facts: Facts) -> Part | None:
    row = applying(call, facts)
    if row is None:
        return None
    kind = KINDS[row.kind]
    actions, opaque, missing = _arguments(call, row, facts)
    effects = kind.effects
    if not effects:  # all that it does is what its arguments say
        effects = by_precedence([effect for action in actions for effect in action.effects])
    tags = kind.tags
    if kind.sends and _sends_secret(call):
        tags = (*tags, "secret")
    target = FrozenMap({})
    if kind.bound and call.input:
        target = FrozenMap({"given": shape_of_input(call.tool, call.input)})
    main = Action(
        name=action_of_tool(call.tool),
        effects=effects,
        tags=tuple(sorted(tags)),
        risk=kind.risk,
        irreversible=kind.irreversible,
        target=target,
    )
    return (_raised(main, kind, facts), *actions), opaque, missing


def _raised(action: Action, kind: Kind, facts: Facts) -> Action:
    """INVARIANT: what the server warns of and the row does not speak of raises the action, and nothing lowers it."""
    hints = () if facts.definition is None else facts.definition.hints
    if "destructive" in hints and "destructive" not in kind.weighs:
        effects = tuple(sorted({*action.effects, Effect.DESTRUCTIVE}, reverse=True))
        action = action.replace(effects=effects, irreversible=True, risk=max(action.risk, Risk.HIGH))
    if "external" in hints and "external" not in kind.weighs:
        action = action.replace(tags=tuple(sorted({*action.tags, "external"})))
    return action


def speaks_of(server: str, call: Call, hints: tuple[str, ...]) -> bool:
    """Whether the row of the tool takes all of these warnings into account."""
    row = row_of(server, _tool_of(call))
    return row is not None and set(hints) <= {*KINDS[row.kind].weighs}


def _tool_of(call: Call) -> str:
    return call.tool[len("mcp__") + len(call.server) + 2 :]


def _sends_secret(call: Call) -> bool:
    return any(len(text) >= _SECRET_TEXT and sends_secret(text) for _, text in texts_of(call.input))


def _arguments(call: Call, row: Row, facts: Facts) -> Part:
    if row.command:
        ran = follow_words(_command(row, call.input), cwd=call.cwd, facts=facts)
        return tuple(ran.actions), tuple(ran.opaque), tuple(ran.missing)
    parts: list[Part] = []
    for name, role in row.fields.items():
        value = call.input.get(name)
        for text in value if type(value) is tuple else (value,):
            if role and type(text) is str:
                parts.append(_argument(name, role, text, call, facts))
    actions, opaque, missing = (tuple([item for part in parts for item in part[at]]) for at in range(3))
    return actions, opaque, missing  # type: ignore[return-value]


def _command(row: Row, given: Mapping[str, object]) -> tuple[str, ...]:
    words: list[str] = []
    for word in row.command:
        name = word[1:-1].rstrip("*")
        value = given.get(name) if word.startswith("{") else word
        words += [str(item) for item in (value if type(value) is tuple else (value,)) if item is not None]
    return (*words, *[str(given[name]) for name in _WITH_COMMAND if given.get(name)])


def _argument(name: str, role: str, text: str, call: Call, facts: Facts) -> Part:
    if role in ("page", "url"):
        return _address(name, text, call, facts, opened=role == "page")
    from .. import follow
    from ..evaluate.state import Found, Shell

    if text.startswith("~/"):
        text = facts.home + text[1:]
    found = Found(facts, name, follow=follow)
    if role == "folder":
        from ..evaluate.words import Arg

        on_path(role, Arg(text, (0, len(text)), quoted=True), Shell(found, (call.cwd,)))
    else:
        in_role(role, text, Shell(found, (call.cwd,)))
    return tuple(found.actions), tuple(found.opaque), tuple(found.missing)


def _address(name: str, text: str, call: Call, facts: Facts, *, opened: bool) -> Part:
    """An address that is fetched, or opened in a browser: then it is noted whose page is shown from now on."""
    from ..tools.tools import TOOLS, path_in_url, read_path, read_url

    if opened and text == _BLANK:
        return (), (), ()
    if opened and "://" not in text and text.partition(":")[0].partition("/")[0] in _OWN:
        text = f"http://{text}"
    path = path_in_url(text) if opened else None
    if path is not None:
        actions, opaque, missing = read_path(TOOLS["Read"], name, path, call, facts)
        host = "localhost"
    else:
        actions, opaque, missing = read_url(TOOLS["WebFetch"], name, call.replace(input=FrozenMap({name: text})), facts)
        host = host_of(text) or ""
    if not opened:
        return actions, opaque, missing
    page = OWN_PAGE if is_own(host) else OTHER_PAGE
    return (*actions, Action(name=page, target=FrozenMap({"name": host or "?"}))), opaque, missing


_OWN = ("localhost", "127.0.0.1", "0.0.0.0")  # noqa: S104 - names of this machine


def is_own(host: str) -> bool:
    """Whether the host is this machine, by whichever of its names."""
    loop = host.startswith("127.") and host.replace(".", "").isdigit()
    return loop or host in (*_OWN, "::1") or host.endswith(".localhost")
