"""A name for our hooks that no repository can know: drawn once for each installation, and kept from then on.

Gemini CLI lets a project's settings switch off a hook by its name. So the name may not follow from anything that is
the same on another machine. It stands in the person's settings only; running the installation again finds it there.
"""

from __future__ import annotations

import json
import re
import secrets
from typing import Any

from ...install.fragment import handlers_of, ours_in

__all__ = ["with_own_name"]

_DRAWN = re.compile(r"interlock-[0-9a-f]{24}")


def with_own_name(fragment: dict[str, Any], now: bytes | None) -> dict[str, Any]:
    """The fragment, with the name that our hooks in the settings `now` have; a new one where they have none.

    A fragment whose hooks have no names stays as it is.
    """
    named = [
        handler
        for groups in fragment.get("hooks", {}).values()
        for group in groups
        for handler in handlers_of(group)
        if "name" in handler
    ]
    if not named:
        return fragment
    copied: dict[str, Any] = json.loads(json.dumps(fragment))
    name = _kept(now) or f"interlock-{secrets.token_hex(12)}"
    for groups in copied["hooks"].values():
        for group in groups:
            for handler in handlers_of(group):
                handler["name"] = name
    return copied


def _kept(now: bytes | None) -> str:
    try:
        settings = json.loads(now or b"{}")
    except ValueError:
        return ""
    entries = ours_in(settings).values() if isinstance(settings, dict) else ()
    names = {handler.get("name") for found in entries for _, handler in found if isinstance(handler, dict)}
    return next((name for name in sorted(map(str, names)) if _DRAWN.fullmatch(name)), "")
