"""Cells of a notebook: a kernel runs them when a person opens it, and no call stands in front of that.

So a cell is looked through when it is written. `!pip install x` is what notebooks are for; a command that sends or
removes, or that is hidden from a reader, is a step that runs later.
"""

from __future__ import annotations

from ...bytes.canon import digest
from ...value import TYPE_CHECKING
from .look import look

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FIELDS", "seen_in_cell"]

FIELDS = ("new_source", "content", "new_string", "file_text", "new_str")  # of the file tools of hosts


def seen_in_cell(given: Mapping[str, object]) -> dict[str, str]:
    """Fields of the target for what a person should see before it is written; none if there is nothing of the kind."""
    texts = [text for field in FIELDS if type(text := given.get(field)) is str]
    edits = given.get("edits")
    for edit in edits if type(edits) is tuple else ():
        texts += [text for field in FIELDS if hasattr(edit, "get") and type(text := edit.get(field)) is str]
    if given.get("cell_type") == "markdown":
        return {}
    for text in texts:
        hit = look(text, "notebook")
        if hit is not None:
            return {"digest": digest(texts), "line": f"{hit.line}: {hit.text}", "does": hit.why}
    return {}
