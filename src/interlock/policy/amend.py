"""A grant added to the text of a policy file, or taken out of it. Everything else stays as its author wrote it.

The result is parsed again and compared with what was meant; where the two differ (a file that writes its grants in
another form), the text is not touched and the caller is told.
"""

from __future__ import annotations

from ..errors import InputError
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["with_grant", "without_grant"]


def with_grant(text: str, grant: Mapping[str, Any]) -> str:
    """The text with the grant at its end."""
    import tomli_w

    block = "[[grants]]\n"
    for key, value in grant.items():
        if key == "scope":  # on one line, so that a grant is one block
            inside = ", ".join(tomli_w.dumps({field: glob}).strip() for field, glob in value.items())
            block += f"scope = {{ {inside} }}\n"
        else:
            block += tomli_w.dumps({key: value})
    if not text.strip():
        text = "version = 1\n"
    return _checked(f"{text.rstrip()}\n\n{block}", lambda grants: [*grants, dict(grant)], text)


def without_grant(text: str, name: str) -> str:
    """The text without the grant of that id; InputError where it has none."""
    lines = text.splitlines(keepends=True)
    heads = [at for at, line in enumerate(lines) if line.startswith("[") and not line.startswith("[grants.")]
    for at, after in zip(heads, [*heads, len(lines)][1:], strict=True):
        if lines[at].split("#")[0].replace(" ", "").strip() != "[[grants]]":
            continue
        if _only_grant("".join(lines[at:after])) == name:
            rest = "".join([*lines[:at], *lines[after:]])
            return _checked(rest, lambda grants: [grant for grant in grants if grant.get("id") != name], text)
    raise InputError(f"no grant `{name}` stands in this file as a `[[grants]]` of its own")


def _only_grant(block: str) -> object:
    import tomllib

    try:
        grants = tomllib.loads(block).get("grants", [])
    except (tomllib.TOMLDecodeError, ValueError):
        return None
    return grants[0].get("id") if len(grants) == 1 else None


def _checked(changed: str, meant: Any, before: str) -> str:
    import tomllib

    try:
        old, new = tomllib.loads(before), tomllib.loads(changed)
    except (tomllib.TOMLDecodeError, ValueError):
        raise InputError("the policy file cannot be changed by a command; edit it by hand") from None
    wanted = meant(old.pop("grants", []))
    if new.pop("grants", []) != wanted or old != new:
        raise InputError("the policy file cannot be changed by a command; edit it by hand")
    return changed
