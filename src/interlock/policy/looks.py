"""What rules ask of a call's own words, as the texts that `reading/looks.py` answers.

Rules that ask anything of a tool's calls lie on a shelf of their own, so a policy without such rules, and a call of a
tool that none of them is about, pays nothing.
"""

from __future__ import annotations

from ..approve.glob import is_plain
from ..bytes.canon import canonical
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from .model import Rule, When

__all__ = ["ANY_TOOL", "look_of", "shelf_of", "shelf_of_tool"]

ANY_TOOL = "*"
_SHELF = "?"


def look_of(when: When | None, *, every: bool) -> str:
    """The question that a condition asks of the call's words; empty: it asks none."""
    if when is None or not when.of_words:
        return ""
    asked: dict[str, Any] = {"input": dict(when.input)} if when.input else {}
    if when.command:
        asked["command"] = when.command
    return canonical({**asked, "every": True} if every else asked).decode()


def shelf_of(rule: Rule) -> str:
    """Where a rule lies that looks at the words of a call."""
    tool = rule.when.tool
    return _SHELF + (tool if tool is not None and is_plain(tool) else ANY_TOOL)


def shelf_of_tool(tool: str) -> str:
    return _SHELF + tool
