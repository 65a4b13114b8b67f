"""The files of a session that is only told, not run: what its calls wrote, as far as their text says.

A measured session has no disk, yet its later calls run and remove what its earlier ones wrote. So
the files are kept here: with their text where a call spells it out (a here-document, a Write),
without where it does not. A path that no earlier call has named is taken not to be there when it is
written; a file that an editor of the host makes, whose text no row holds, is taken as empty.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..action import Reading
from ..call import Call
from ..effects import Effect
from ..facts import Facts
from ..limits import MAX_SCRIPT_BYTES
from ..reading.bash import follow_bash
from ..value import FrozenMap, Value

__all__ = ["Disk"]


class Disk(Value):
    """`texts` holds what is in the files that the session wrote, `named` every path that a call has spoken of."""

    texts: Mapping[str, str] = FrozenMap({})
    named: frozenset[str] = frozenset()

    def absent(self, path: str) -> bool:
        return path not in self.named and path not in self.texts

    def after(self, call: Call, reading: Reading, facts: Facts) -> Disk:
        """The files once the call has run."""
        texts = dict(self.texts)
        spoken = {str(action.target["path"]) for action in reading.actions if "path" in action.target}
        for action in reading.actions if call.tool == "Bash" else ():
            if action.name == "fs:delete" or (Effect.WRITE in action.effects and action.name != "fs:chmod"):
                texts.pop(str(action.target.get("path", "")), None)  # rewritten, unless its text is known below
        texts.update(_written(call, facts, spoken))
        return Disk(texts=FrozenMap(texts), named=self.named | spoken)


def _written(call: Call, facts: Facts, spoken: set[str]) -> dict[str, str]:
    """The files that this call leaves behind, with their texts where it spells them out."""
    if call.tool == "Write" and len(spoken) == 1:
        return {spoken.pop(): str(call.input.get("content", ""))}
    command = call.input.get("command")
    if call.tool != "Bash" or type(command) is not str:
        return {}
    kept = follow_bash(command, cwd=call.cwd, facts=facts).files
    return {path: text.text for path, text in kept.items() if text.known and len(text.text) <= MAX_SCRIPT_BYTES}
