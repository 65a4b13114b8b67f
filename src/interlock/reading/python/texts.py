"""What becomes of a text or a path in Python code: its methods, the functions of `os.path`, formatting.

Only what is known exactly is worked out; a text with an unknown part keeps it where it is put together, and is unknown
otherwise. A pattern stays one under what only trims it.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.words import NUL
from .values import DECODED, MAX_TEXT, UNKNOWN, Held, as_text, join_paths, joined, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ATTRIBUTES", "DECODERS", "OF_PATHS", "decoded", "formatted", "of_text", "percent"]


def _base(text: str) -> str:
    return text.rpartition("/")[2]


def _folder(text: str) -> str:
    return text.rpartition("/")[0] or ("/" if text.startswith("/") else "")


def _parent(text: str) -> str:
    return _folder(text.rstrip("/")) or "."


def _stem(text: str) -> str:
    name = _base(text)
    return name.rpartition(".")[0] or name


def _suffix(text: str) -> str:
    name = _base(text)
    return "." + name.rpartition(".")[2] if name.rpartition(".")[0] else ""


# functions of one path -> what they give; these only look at its text
OF_PATHS: dict[str, Callable[[str], str]] = {
    "os.path.basename": _base,
    "os.path.dirname": _folder,
    "os.path.abspath": str,
    "os.path.normpath": str,
    "os.path.realpath": str,
    "os.path.normcase": str,
    "os.fspath": str,
    "os.fsdecode": str,
    "os.fsencode": str,
    "posixpath.basename": _base,
    "posixpath.dirname": _folder,
}

# attributes of a path
ATTRIBUTES: dict[str, Callable[[str], str]] = {
    "parent": _parent,
    "name": _base,
    "stem": _stem,
    "suffix": _suffix,
    "path": str,
}

_EXACT: dict[str, Callable[..., str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "title": str.title,
    "capitalize": str.capitalize,
    "swapcase": str.swapcase,
    "casefold": str.casefold,
    "strip": str.strip,
    "lstrip": str.lstrip,
    "rstrip": str.rstrip,
    "replace": str.replace,
    "removeprefix": str.removeprefix,
    "removesuffix": str.removesuffix,
    "with_suffix": lambda text, suffix: text.removesuffix(_suffix(text)) + suffix,
    "with_name": lambda text, name: _folder(text) + "/" + name if "/" in text else name,
    "with_stem": lambda text, stem: text.removesuffix(_base(text)) + stem + _suffix(text),
}
# Methods that leave a pattern, or what is not known of a text, as it is.
_SAME = frozenset(
    "strip rstrip lstrip decode encode resolve absolute as_posix read readline __str__ expanduser communicate "
    "__fspath__".split()
)
_PARTS = frozenset(("split", "splitlines", "readlines", "rsplit", "partition", "rpartition", "copy"))


def of_text(owner: Held, method: str, args: list[Held], home: str) -> Held | None:
    """What a method gives on a text or path; None if that is not one which is known here."""
    text = owner.text
    if text is None:
        return None
    flow = owner.flow
    for arg in args:
        flow |= arg.flow
    if method == "format" and owner.known:
        return formatted(text, args, flow)
    if method == "join":
        return _join(owner, args, flow)
    if method in ("joinpath", "__truediv__"):
        return join_paths([owner, *args])
    if method == "expanduser" and text.startswith("~/"):
        return Held(home + text[1:], owner.glob, flow, "path")
    if method in ("split", "splitlines", "rsplit") and owner.known and all(arg.known for arg in args) and len(args) < 2:
        mark = as_text(args[0]) if args else None
        parts = text.splitlines() if method == "splitlines" else text.split(mark) if mark != "" else []
        return Held(items=[Held(part, flow=flow) for part in parts[:200]], flow=flow) if len(parts) < 200 else None
    if method in _EXACT and owner.known and all(arg.known for arg in args):
        try:
            result = _EXACT[method](text, *[as_text(arg) for arg in args])
        except (TypeError, ValueError):
            return unknown(flow)
        return Held(result, False, flow, owner.kind) if len(result) <= MAX_TEXT else unknown(flow)
    if method in _SAME and (not args or method in ("decode", "encode")):
        return Held(text, owner.glob, flow, owner.kind)
    if method in _PARTS and owner.glob:
        return Held(text, True, flow, owner.kind)
    return None


def _join(owner: Held, args: list[Held], flow: int) -> Held:
    if not args:
        return UNKNOWN
    items = args[0].items
    if items is None or args[0].kind:
        return Held(args[0].text, True, flow) if args[0].glob and args[0].text is not None else unknown(flow)
    args[0].used = True
    if not items:
        return Held("", flow=flow)
    return joined(items, as_text(owner))


def formatted(text: str, args: list[Held], flow: int) -> Held:
    """`"{} {1}".format(…)`: plain fields by their place; anything else in braces is not known."""
    result, rest, count = "", text, 0
    while rest:
        before, brace, rest = rest.partition("{")
        result += before.replace("}}", "}")
        if not brace:
            break
        if rest.startswith("{"):
            result, rest = result + "{", rest[1:]
            continue
        field, _, rest = rest.partition("}")
        at = count if field == "" else int(field) if field.isdigit() and len(field) < 4 else -1
        count += 1
        result += as_text(args[at]) if 0 <= at < len(args) else NUL
    glob = any(arg.glob for arg in args)
    return Held(result, glob, flow) if len(result) <= MAX_TEXT else unknown(flow)


def percent(owner: Held, right: Held) -> Held:
    """`"%s/%s" % (…)`: plain fields in their order."""
    flow = owner.flow | right.flow
    if not owner.known:
        return unknown(flow)
    values = right.items if right.items is not None and not right.kind else [right]
    result, rest, at = "", as_text(owner), 0
    while rest:
        before, mark, rest = rest.partition("%")
        result += before
        if not mark:
            break
        kind, rest = rest[:1], rest[1:]
        if kind == "%":
            result += "%"
        elif kind in ("s", "d") and at < len(values):
            result += as_text(values[at])
            at += 1
        else:
            return unknown(flow)
    return Held(result, any(value.glob for value in values), flow)


def _base64(text: str) -> str:
    import binascii

    return binascii.a2b_base64(text.encode()).decode()


def _hex(text: str) -> str:
    return bytes.fromhex(text).decode()


_ROT = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "nopqrstuvwxyzabcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLM"
)
DECODERS: dict[str, Callable[[str], str]] = {
    "base64.b64decode": _base64,
    "base64.standard_b64decode": _base64,
    "base64.decodebytes": _base64,
    "binascii.a2b_base64": _base64,
    "bytes.fromhex": _hex,
    "bytearray.fromhex": _hex,
    "binascii.unhexlify": _hex,
    "binascii.a2b_hex": _hex,
    "rot13": lambda text: text.translate(_ROT),
    "rot_13": lambda text: text.translate(_ROT),
    "hex": _hex,
    "base64": _base64,
}


def decoded(how: str, held: Held) -> Held:
    """A text that was written so that it cannot be seen, where it is known."""
    decode = DECODERS.get(how)
    if decode is None or not held.known:
        return unknown(held.flow | DECODED)
    try:
        return Held(decode(as_text(held)), False, held.flow | DECODED)
    except (ValueError, UnicodeError):
        return unknown(held.flow | DECODED)
