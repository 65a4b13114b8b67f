"""Paths in Claude Code's permission rules, as our globs: those of gitignore, from four different folders.

`//x` is from the root of the disk, `~/x` from the home folder, `/x` from the folder of the settings, `./x` and `x` from
the working folder, which is the same unless somebody goes elsewhere. A name without a slash is meant at any depth. What
names a folder means all that is in it.
"""

from __future__ import annotations

__all__ = ["globs_of"]


def globs_of(pattern: str, root: str, home: str) -> tuple[list[str], str]:
    """The globs that together say the same; and why they say more, where they do."""
    base, rest, wider = _anchor(pattern, root, home)
    parts = [part for part in rest.split("/") if part not in ("", ".")]
    if "/" not in pattern.rstrip("/") and parts[:1] != ["**"]:
        parts = ["**", *parts]  # a name alone is meant at any depth
    heads, last = [base], len(parts) - 1
    for at, part in enumerate(parts):
        if part == "**":
            deeper = [f"{head}/*" for head in heads]
            heads = deeper if at == last else [*heads, *deeper]
        elif not set(part) & set("*?[]\\"):
            heads = [f"{head}/{part}" for head in heads]
        elif part[:1] == "*" and not set(part[1:]) & set("*?[]\\") and _is_deep(heads):
            # `**/*.pem`: any folders and any name are one run of characters
            heads = [f"{head}{part[1:]}" for head in heads if head.endswith("/*")]
        else:
            heads = [f"{head}/{_loosely(part)}" for head in heads]
            wider = wider or f"a `*` in `{pattern}` stops at a folder there, and does not here"
    found = [glob for head in heads for glob in ((head,) if head.endswith("/*") else (head, f"{head}/*"))]
    return list(dict.fromkeys(found)), wider


def _anchor(pattern: str, root: str, home: str) -> tuple[str, str, str]:
    """The folder that a pattern begins in, the rest of it, and why the folder is a guess."""
    if pattern.startswith("//"):
        return "", pattern[2:], ""
    begin, rest = (home, pattern[2:]) if pattern.startswith("~/") else (root, pattern)
    if not begin or set(begin) & set("*?"):
        return "*", rest, f"in which folder `{pattern}` begins is not known here"
    return begin.rstrip("/"), rest, ""


def _is_deep(heads: list[str]) -> bool:
    return any(head.endswith("/*") for head in heads)


def _loosely(part: str) -> str:
    """Whatever it means there, it is within this."""
    if "[" in part or "\\" in part:
        return "*"
    while "**" in part:
        part = part.replace("**", "*")
    return part
