"""A resource of a tool server, by its address: `docs://intro`, `file:///repo/README.md`, `https://example.org/x`.

What the server makes of an address is its own affair, so each is read as what it may stand for: behind `http` and
`https` a host, behind any other scheme a file. A secret place stays one under whichever scheme.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, FrozenMap, lazy

if TYPE_CHECKING:
    from ...model.call import Call
    from ...model.facts import Facts
    from ..places.secret_words import holds_token
    from .tools import Part, Tool
else:
    holds_token = lazy(globals(), "..places.secret_words", "holds_token")

__all__ = ["read_resource"]

_HEX = frozenset("0123456789abcdefABCDEF")


def read_resource(tool: Tool, call: Call, facts: Facts) -> Part:
    from .tools import TOOLS, plain, read_path, read_url, unreadable

    uri, server = call.input.get("uri"), call.input.get("server")
    if type(uri) is not str or type(server) is not str or "://" not in uri:
        return unreadable(tool, facts, "uri", "`uri` is missing, or is no address")
    tags = ("secret",) if holds_token(uri) else ()
    main = plain(tool, facts, target=FrozenMap({"server": server, "uri": uri}), tags=tags, field="uri")
    scheme, _, rest = uri.partition("://")
    if scheme.lower() in ("http", "https"):
        actions, opaque, missing = read_url(TOOLS["WebFetch"], "uri", call, facts)
    else:
        path = _decoded(rest.partition("?")[0].partition("#")[0])
        actions, opaque, missing = read_path(TOOLS["Read"], "uri", path or ".", call, facts)
    return (main, *actions), opaque, missing


def _decoded(text: str) -> str:
    """`%2e` is a dot, as often as it was encoded; what is no such number stays."""
    for _ in range(3):
        parts = text.split("%")
        text = parts[0] + "".join([_char(part) for part in parts[1:]])
    return text


def _char(part: str) -> str:
    return chr(int(part[:2], 16)) + part[2:] if len(part) > 1 and _HEX.issuperset(part[:2]) else "%" + part
