"""The files of a session that is only told, not run: what its calls wrote, as far as their text says.

A measured session has no disk, yet its later calls run and remove what its earlier ones wrote. So
the files are kept here: with their text where a call spells it out (a here-document, a Write),
without where it does not; a program that a compiler made has a digest, which another build changes.
A path that no earlier call has named is taken not to be there when it is
written; a file that an editor of the host makes, whose text no row holds, is taken as empty. A file whose text a
corpus has cut was written, and what is in it nobody can tell: a call that runs it cannot be measured.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..bytes.canon import digest
from ..limits import MAX_SCRIPT_BYTES
from ..model.action import Action, Reading
from ..model.call import Call
from ..model.effects import Effect
from ..model.facts import Facts
from ..reading.bash import follow_bash
from ..reading.evaluate.contents import likely_text
from ..value import FrozenMap, Value

__all__ = ["Disk"]


class Disk(Value):
    """
    texts   what is in the files that the session wrote
    cut     files that the session wrote with a text of which the corpus holds the beginning only
    marks   digests of programs that a call has built, as far as anybody can tell
    named   every path that a call has spoken of
    folder  where the shell of the session was left; None: where it began
    """

    texts: Mapping[str, str] = FrozenMap({})
    cut: frozenset[str] = frozenset()
    marks: Mapping[str, str] = FrozenMap({})
    named: frozenset[str] = frozenset()
    folder: str | None = None

    def absent(self, path: str) -> bool:
        return path not in self.named and path not in self.texts

    def after(self, call: Call, reading: Reading, facts: Facts, *, cut_short: bool = False) -> Disk:
        """The files once the call has run. `cut_short`: of its text only the beginning is known."""
        texts, cut, folder, marks = dict(self.texts), set(self.cut), self.folder, dict(self.marks)
        spoken = {str(action.target["path"]) for action in reading.actions if "path" in action.target}
        if call.tool == "Bash":
            for action in reading.actions:
                if action.name == "fs:delete" or (Effect.WRITE in action.effects and action.name != "fs:chmod"):
                    path = str(action.target.get("path", ""))
                    texts.pop(path, None)  # rewritten, unless its text is known below
                    if Effect.READ not in action.effects:  # edited in place, it is still not known
                        cut.discard(path)
            if any(action.name in _COMPILES for action in reading.actions):
                for path in [*spoken]:
                    if "." not in path.rpartition("/")[2] and any(_fills(action, path) for action in reading.actions):
                        marks[path] = digest([str(call.input.get("command", "")), self.marks.get(path, "")])
            found = follow_bash(str(call.input.get("command", "")), cwd=call.cwd, facts=facts)
            for path, held in found.files.items():
                text = likely_text(held, self.texts)
                if text is not None and cut_short:
                    cut.add(path)
                elif text is not None and len(text) <= MAX_SCRIPT_BYTES:
                    texts[path] = text
            # A `cd` is taken to have worked; `cd..` is a name that is not found where agents work.
            slip = any(words[0].text == "cd.." for words, _ in found.commands)
            folder = found.folders[-1 if slip else 0] if found.folders else None
        elif call.tool == "Write" and len(spoken) == 1:
            texts[next(iter(spoken))] = str(call.input.get("content", ""))
            cut -= spoken
        return Disk(
            texts=FrozenMap(texts),
            cut=frozenset(cut),
            marks=FrozenMap(marks),
            named=self.named | spoken,
            folder=folder,
        )


_COMPILES = frozenset(("exec:gcc", "exec:rustc", "exec:ld", "go:build"))


def _fills(action: Action, path: str) -> bool:
    return action.name == "fs:write" and action.target.get("path") == path and "built" not in action.tags
