"""The files of a stream of calls that is only told: the disk, and over it what the earlier calls of the session did.

`interlock decide --jsonl` answers as if each allowed call had run, and none of them does. So a later call is not read
with what the disk still holds: a file that was written has the text it was given, one whose new text cannot be told is
unread, one that was removed is absent, and a link leads where it was made to lead.
"""

from __future__ import annotations

from ...limits import MAX_SCRIPT_BYTES
from ...model.effects import Effect
from ...model.more_wants import Digest, Git, UncommittedWork
from ...model.wants import Real, Script
from ...reading.bash import follow_bash
from ...reading.evaluate.contents import likely_text
from ...reading.machine.places import through_links
from ...reading.read import read_in_rounds
from ...value import TYPE_CHECKING, FrozenMap, Value
from .facts import gather

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...model.action import Action, Reading
    from ...model.call import Call
    from ...model.facts import Facts
    from ...model.wants import Want
    from ...value import Json

__all__ = ["StreamFiles"]

_SHELLS = ("Bash",)


class StreamFiles(Value):
    """
    texts    what is in the files that the session wrote
    unknown  files that it wrote with a text that nobody can tell
    gone     what it removed or moved away
    links    name -> where it leads
    """

    texts: Mapping[str, str] = FrozenMap({})
    unknown: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    links: Mapping[str, str] = FrozenMap({})

    def read(self, call: Call, facts: Facts) -> tuple[Reading, Facts]:
        """The call, read with these files; and the facts in the end."""
        return read_in_rounds(call, facts, self._gathered)

    def after(self, call: Call, reading: Reading, facts: Facts, *, failed: bool = False) -> StreamFiles:
        """The files once the call has run. If it failed, nobody can tell how far it came."""
        texts, links = dict(self.texts), dict(self.links)
        touched = {path for action in reading.actions if _changes(action) for path in _paths(action)}
        removed = {
            str(action.target.get("path")) for action in reading.actions if _removes(action)
        }  # a link, not its end
        for path in touched | removed:
            texts.pop(path, None)
        for path in removed:
            links.pop(path, None)
        known: dict[str, str] = {}
        if not failed:
            known = self._left(call, reading, facts, touched, links)
        texts.update(known)
        gone = (self.gone | (removed - touched if not failed else frozenset())) - touched - set(known) - set(links)
        unknown = ((self.unknown - removed) | touched | (removed if failed else frozenset())) - set(known) - set(links)
        return StreamFiles(
            texts=FrozenMap(texts), unknown=frozenset(unknown), gone=frozenset(gone), links=FrozenMap(links)
        )

    def _left(
        self, call: Call, reading: Reading, facts: Facts, touched: set[str], links: dict[str, str]
    ) -> dict[str, str]:
        """The texts that the call leaves behind; links that it makes are added."""
        if call.tool in _SHELLS:
            found = follow_bash(str(call.input.get("command", "")), cwd=call.cwd, facts=facts)
            links.update(found.links)
            before = _Before(self, facts)
            told = {path: likely_text(held, before) for path, held in found.files.items()}
            return {path: text for path, text in told.items() if text is not None and len(text) <= MAX_SCRIPT_BYTES}
        text = self._of_file_tool(call, touched, facts)
        return {} if text is None else dict.fromkeys(touched, text)

    def _of_file_tool(self, call: Call, touched: set[str], facts: Facts) -> str | None:
        content = call.input.get("content")
        if call.tool == "Write" and type(content) is str:
            return content
        edits = call.input.get("edits") if call.tool == "MultiEdit" else (call.input,)
        if call.tool not in ("Edit", "MultiEdit") or not touched or not isinstance(edits, tuple):
            return None
        text = _Before(self, facts).get(min(touched))
        for edit in edits:
            text = None if text is None else _edited(text, edit)
        return text

    def _has_touched(self, want: Git) -> bool:
        """Whether a question about git is about files that earlier calls changed."""
        if type(want) is UncommittedWork:
            return bool(self.texts or self.unknown or self.gone)
        return want.place in self.texts or want.place in self.unknown or want.place in self.gone

    def _gathered(self, missing: tuple[Want[object], ...], facts: Facts) -> Facts | None:
        """As `store.facts.gather`, with what the session did over what the disk says."""
        rest: list[Want[object]] = []
        moved: dict[str, str] = {}  # a path -> where the session's links take it
        scripts: dict[str, str] = {}
        unread: set[str] = set()
        for want in missing:
            if isinstance(want, Git) and self._has_touched(want):
                continue  # the repository does not know what these calls would have changed
            if isinstance(want, Digest) and (want.path in self.texts or want.path in self.unknown):
                continue  # nor does the disk
            if not isinstance(want, (Real, Script)):
                rest.append(want)
                continue
            path = want.path
            place = through_links(path, dict(self.links)) or path
            if isinstance(want, Real):
                moved[path] = place
                rest.append(Real(place))
            elif place in self.texts:
                scripts[path] = self.texts[place]
            elif place in self.unknown:
                unread.add(path)
            elif not self._is_gone(place):
                moved[path] = place
                rest.append(Script(place))
        known = gather(tuple(rest), facts) if rest else None
        if known is None and not scripts and unread <= facts.unread:
            return None
        known = known or facts
        real, absent = dict(known.real), set(known.absent)
        read = dict(known.scripts)
        for path, place in moved.items():
            if place in known.real:
                real[path] = known.real[place]
            if place in known.scripts:
                read[path] = known.scripts[place]
            if place in self.texts or place in self.unknown:
                absent -= {path, place}
            elif place in known.absent or self._is_gone(place):
                absent.add(path)
        return known.replace(
            real=FrozenMap(real),
            absent=frozenset(absent),
            scripts=FrozenMap({**read, **scripts}),
            unread=known.unread | unread,
        )

    def _is_gone(self, path: str) -> bool:
        return path in self.gone or any(path.startswith(folder.rstrip("/") + "/") for folder in self.gone)


class _Before(dict[str, str]):
    """The text of a file before the call: the session's, else the disk's."""

    def __init__(self, told: StreamFiles, facts: Facts) -> None:
        super().__init__()
        self.told = told
        self.facts = facts

    def get(self, path: str, default: str | None = None) -> str | None:  # type: ignore[override]
        known = self.told._gathered((Script(path),), self.facts) or self.facts
        return known.scripts.get(path, default)


def _edited(text: str, edit: Json) -> str | None:
    """The text with one edit done; None if it cannot be."""
    if not isinstance(edit, FrozenMap):
        return None
    old, new = edit.get("old_string"), edit.get("new_string")
    if type(old) is not str or type(new) is not str or old not in text:
        return None
    return text.replace(old, new) if edit.get("replace_all") is True else text.replace(old, new, 1)


def _changes(action: Action) -> bool:
    return Effect.WRITE in action.effects and action.name not in ("fs:chmod", "fs:move", "fs:delete")


def _removes(action: Action) -> bool:
    return action.name in ("fs:delete", "fs:move")


def _paths(action: Action) -> list[str]:
    return [path for field in ("path", "real") if type(path := action.target.get(field)) is str]
