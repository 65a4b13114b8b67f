"""Modules of Node that inline code brings in (`require('fs')`, `import fs from 'node:fs'`), and files of data."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .tokens import PAIRS, Other, Token

if TYPE_CHECKING:
    from .tables import Language

__all__ = ["LOADED_INSTEAD", "resolved"]

# What node loads where the file itself is not there: some of these are run.
LOADED_INSTEAD = (".js", ".json", ".node", "/index.js", "/index.json", "/index.node", "/package.json")
_MODULES = frozenset(("fs", "path", "os", "util", "crypto", "http", "https", "url"))


def resolved(tokens: list[Token], table: Language, loaded: list[str], imported: dict[str, str]) -> list[Token]:
    """The tokens without what brings modules in. `loaded` takes files of data, `imported` functions by bare name."""
    tokens = _imports(_required(tokens, loaded), table, imported)
    aliases: dict[str, str] = {}
    found: list[Token] = []
    at = depth = 0
    while at < len(tokens):
        texts = [token.text for token in tokens[at : at + 4]]
        depth += (texts[0] in PAIRS) - (texts[0] in PAIRS.values()) if tokens[at].kind == "sign" else 0
        if texts[:1] == ["const"] and len(texts) == 4 and texts[2] == "=" and _is_whole(tokens, at + 3):
            if depth or texts[1] in table.refused:
                raise Other  # another name outside of the block
            if texts[1] != texts[3]:
                aliases[texts[1]] = texts[3]
            at += 4
        elif texts[:2] == ["const", "{"] and (end := _closes(tokens, at + 1)) and tokens[end + 2].kind == "module":
            _take(tokens[at + 2 : end], tokens[end + 2].text, table, imported)
            at = end + 3
        else:
            token = tokens[at]
            is_asked = bool(found) and found[-1].kind == "sign" and found[-1].text in table.joins
            name = aliases.get(token.text, token.text) if token.kind == "name" and not is_asked else token.text
            found.append(token.replace(kind="name", text=name) if token.kind in ("module", "name") else token)
            at += 1
    return found


def _is_whole(tokens: list[Token], at: int) -> bool:
    """A module, and not something that is asked of it."""
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    return tokens[at].kind == "module" and not (behind is not None and behind.text in (".", "?.", "[", "("))


def _required(tokens: list[Token], loaded: list[str]) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.kind != "name" or token.text != "require":
            found.append(token)
            at += 1
            continue
        given = tokens[at + 1 : at + 4]
        if (
            [part.text for part in given[::2]] != ["(", ")"]
            or given[1].kind != "text"
            or (found and found[-1].text == ".")
        ):
            raise Other
        name = given[1].text
        if name.removeprefix("node:") in _MODULES:
            found.append(Token(kind="module", text=name.removeprefix("node:")))
        elif name.endswith(".json") and name.startswith(("./", "../", "/")) and "\\" not in name:
            loaded.append(name)
            found.append(Token(kind="data", text=name))
        else:
            raise Other
        at += 4
    return found


def _imports(tokens: list[Token], table: Language, imported: dict[str, str]) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        if tokens[at].kind != "name" or tokens[at].text != "import":
            found.append(tokens[at])
            at += 1
            continue
        end = next((i for i in range(at, min(at + 40, len(tokens))) if tokens[i].text == "from"), 0)
        module = tokens[end + 1] if end and end + 1 < len(tokens) else None
        if module is None or module.kind != "text" or module.text.removeprefix("node:") not in _MODULES:
            raise Other
        name = module.text.removeprefix("node:")
        given = [token.text for token in tokens[at + 1 : end] if token.kind != "line"]
        if given[:1] == ["{"] and given[-1:] == ["}"]:
            _take(tokens[at + 2 : end - 1], name, table, imported)
        elif given not in ([name], ["*", "as", name]):
            raise Other
        at = end + 2
    return found


def _take(tokens: list[Token], module: str, table: Language, imported: dict[str, str]) -> None:
    for token in tokens:
        if token.kind == "name" and f"{module}.{token.text}" in table.touches:
            imported[token.text] = f"{module}.{token.text}"
        elif token.text != ",":
            raise Other


def _closes(tokens: list[Token], at: int) -> int:
    """Where `{a, b} =` ends, if that is what stands here."""
    end = next((i for i in range(at, min(at + 40, len(tokens))) if tokens[i].text == "}"), 0)
    return end if end and end + 2 < len(tokens) and tokens[end + 1].text == "=" else 0
