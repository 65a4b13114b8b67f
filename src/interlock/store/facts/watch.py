"""What became of the watched files since the session began: compared by content, shown as a difference, kept as rows.

A baseline row says how they were. A change counts unless a call of the session that was allowed or approved wrote that
file, a person's own command did, or somebody has accepted that very content. All texts are redacted and bounded.
"""

from __future__ import annotations

import os

from ...bytes.canon import canonical, digest, digest_of_bytes
from ...bytes.redact import redact
from ...bytes.strict import parse_object
from ...limits import MAX_DIFFERENCE_CHARS, MAX_SHOWN_CHARS, MAX_STATE_BYTES, MAX_WATCHED_BYTES
from ...model.errors import StoreError
from ...model.session import Changed, accept
from ...reading.places.watched import LEVELS
from ...record.chain import row_hash
from ...value import TYPE_CHECKING, FrozenMap, Value, lazy
from ..home.files import read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from difflib import unified_diff
    from typing import Any

    from ...model.session import Session
    from ..ledger.ledger import Turn, View
    from .look import Glance

    Describe = Callable[[str, bytes], tuple[bytes, Mapping[str, str]]]
else:
    unified_diff = lazy(globals(), "difflib", "unified_diff")

__all__ = [
    "Looked",
    "baseline_of",
    "compared",
    "cut_short",
    "is_by_a_person",
    "keep_accepted",
    "look_at",
    "take_baseline",
    "written_by_a_person",
]

_GONE = "gone"
_LINES = 24  # of one difference that a person is shown
_MOST_CUT = 8  # folders that are named where something was left out


class Looked(Value):
    """The watched files as they are, read before anything is locked.

    seen   the glance that they were found by
    files  path -> digest, level, text and our hooks in it
    real   path -> where it really is, for these and for those that were there when the session began
    """

    seen: Glance
    files: Mapping[str, Mapping[str, Any]]
    real: Mapping[str, str]


def look_at(view: View, session: Session, seen: Glance, describe: Describe) -> Looked:
    """Reads the files, and loads what comparing them needs."""
    import difflib  # noqa: F401 - for the turn that follows

    key = session.watch.partition(" ")[2]
    before = (baseline_of(view, key) if key else None) or {}
    files = _contents(seen, describe)
    real = {path: os.path.realpath(path) for path in {*before, *files}}
    return Looked(seen=seen, files=FrozenMap(files), real=FrozenMap(real))


def compared(turn: Turn, session: Session, looked: Looked) -> tuple[Session, tuple[str, ...]]:
    """The session with what is different now, and what a person is told of it for the first time."""
    seen, now = looked.seen, looked.files
    key = session.watch.partition(" ")[2]
    before = baseline_of(turn, key) if key else None
    left_out = cut_short(turn, seen)
    if before is None:
        told = ("what the watched files were like is no longer in the ledger; they are compared from now on",)
        return take_baseline(turn, session, looked), (*(told if key else ()), *left_out)
    changes, told_now, known, theirs = [], list[str](left_out), dict[str, str](), set[str]()
    for path in sorted({*before, *now}):
        old, new = before.get(path, _NOTHING), now.get(path, _NOTHING)
        level, name = str((new if path in now else old)["level"]), str(new["digest"])
        if name == old["digest"] or session.accepted.get(path) == name:
            continue
        if _by_a_person(turn, path, name):  # until their next change of it, so it is not kept as accepted
            theirs.add(path)
            continue
        if path in session.written or looked.real.get(path, path) in session.written:
            known[path] = name
            continue
        lines = _difference(old["text"], new["text"])
        shown = " ".join(lines)
        changed = Changed(path=path, level=level, digest=name, text=_cut(shown or "(its text cannot be shown)"))
        if level == "noted":
            known[path] = name
        else:
            changes.append(changed)
        if changed not in session.changed:
            turn.append("watch", canonical({"says": "changed", **changed.as_dict()}), key=name, session=turn.id)
            told_now += [f"`{path}` was changed, and no call of this session did it:", *lines[:_LINES]]
            told_now += _THEN[level]
    others = tuple([old for old in session.changed if old.level not in LEVELS])  # looked after by follow/inside.py
    old_ones = [old for old in session.changed if old.level in LEVELS]
    back = [old.path for old in old_ones if all(old.path != new.path for new in changes)]
    for path in [path for path in back if path not in known and path not in theirs]:
        turn.append("watch", canonical({"path": path, "says": "repaired"}), key="repaired", session=turn.id)
        told_now.append(f"`{path}` is as it was again")
    session = session.replace(watch=f"{seen.stamp} {key}", changed=(*changes, *others))
    return (accept(session, known) if known else session), tuple(told_now)


_NOTHING: Mapping[str, Any] = {"digest": _GONE, "level": "", "text": ""}
_THEN = {
    "denied": [
        "It can switch this guard off: the next session may start without it. Everything but reads waits until the "
        "file is as it was again, or until you approve a call that shows this change."
    ],
    "asked": ["The next call that is not a read asks you about it."],
    "noted": [],
}


def cut_short(turn: Turn, seen: Glance) -> tuple[str, ...]:
    """What a person is told, once a session, of folders with more files than are compared; and a row that says it."""
    if not seen.cut:
        return ()
    key = digest(["cut", turn.id, list(seen.cut)])
    if turn.find(key, "watch") is not None:
        return ()
    turn.append("watch", canonical({"paths": list(seen.cut[:_MOST_CUT]), "says": "cut"}), key=key, session=turn.id)
    named = ", ".join([f"`{path}`" for path in seen.cut[:_MOST_CUT]])
    return (
        f"not every file in {named} is compared during this session: there are too many, or they lie too deep. "
        "A change to one of the others goes unnoticed unless a call names it.",
    )


def take_baseline(turn: Turn, session: Session, looked: Looked) -> Session:
    """How the files are now is what they are compared with from now on. The same again needs no second row."""
    body = canonical({"files": looked.files, "says": "baseline"})
    key = digest_of_bytes(body)
    if turn.find(key, "watch") is None:
        turn.append("watch", body, key=key, session=turn.id)
    return session.replace(watch=f"{looked.seen.stamp} {key}", changed=(), accepted=FrozenMap({}), mods=FrozenMap({}))


def baseline_of(turn: View, key: str) -> Mapping[str, Any] | None:
    """Path -> digest, level, text and our hooks in it; None where the row is gone. A changed row is an error."""
    row = turn.find(key, "watch")
    if row is None:
        return None
    if row.hash != row_hash(row):
        raise StoreError(f"row {row.seq} of `{turn.ledger.path}` was changed")
    found: Any = parse_object(row.body, limit=MAX_STATE_BYTES).get("files")
    if type(found) is not FrozenMap:
        raise StoreError(f"row {row.seq} of `{turn.ledger.path}` is no baseline")
    return dict(found)


def _contents(seen: Glance, describe: Describe) -> dict[str, dict[str, Any]]:
    found = {}
    left = 4 * MAX_SHOWN_CHARS
    for path, level in seen.files:
        raw = _read(path)
        essence, hooks = describe(path, raw)
        if not essence:  # nothing in it counts, as if it were not there
            continue
        text = redact(raw[: 2 * MAX_SHOWN_CHARS].decode("utf-8", "replace"))[: min(MAX_SHOWN_CHARS, left)]
        left -= len(text)
        entry: dict[str, Any] = {"digest": digest_of_bytes(essence), "level": level, "text": text}
        found[path] = {**entry, "hooks": dict(hooks)} if hooks else entry
    return found


def _read(path: str) -> bytes:
    """The content; of a file that is too large or cannot be read, what can be told of it."""
    try:
        return read_file(path, limit=MAX_WATCHED_BYTES) or b""
    except StoreError as error:
        try:
            at = os.stat(path)
        except (OSError, ValueError):
            return str(error).encode()
        return f"{error} {at.st_size} {at.st_mtime_ns}".encode()


def _difference(old: str, new: str) -> list[str]:
    lines = unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
    kept = [line[:200] for line in lines if not line.startswith(("---", "+++", "@@"))]
    return sorted(kept, key=lambda line: line[:1] != "+")  # what is new first: it may be cut


def _cut(text: str) -> str:
    return text if len(text) <= MAX_DIFFERENCE_CHARS else text[: MAX_DIFFERENCE_CHARS - 1] + "…"


def keep_accepted(turn: Turn, before: Session, after: Session, by: str) -> None:
    """A row for each change that a person's yes has just accepted."""
    for change in before.changed:
        if after.accepted.get(change.path) == change.digest and change not in after.changed:
            body = {"by": by, "digest": change.digest, "path": change.path, "says": "accepted"}
            turn.append("watch", canonical(body), key=change.digest, session=turn.id, durable=True)


def written_by_a_person(turn: Turn, paths: Iterable[str], describe: Describe) -> None:
    """A command that a person ran has written these files: a session at work takes their contents as known."""
    for path in paths:
        name = _name_of(path, _read(path) if os.path.lexists(path) else None, describe)
        turn.append("watch", canonical({"digest": name, "path": path, "says": "written"}), key=_person_key(path))


def is_by_a_person(turn: Turn, path: str, raw: bytes | None, describe: Describe) -> bool:
    """Whether a command that a person ran has left the file as it is. None: there is no file."""
    return _by_a_person(turn, path, _name_of(path, raw, describe))


def _name_of(path: str, raw: bytes | None, describe: Describe) -> str:
    """As a comparison names it: a file in which nothing counts is as good as none."""
    essence = b"" if raw is None else describe(path, raw)[0]
    return digest_of_bytes(essence) if essence else _GONE


def _by_a_person(turn: Turn, path: str, name: str) -> bool:
    """INVARIANT: only the last of a person's changes counts. What they took back, nobody else puts back unseen."""
    row = turn.find(_person_key(path), "watch")
    if row is None:
        return False
    if row[-1] != row_hash(row):
        raise StoreError(f"row {row[0]} of `{turn.ledger.path}` was changed")
    return parse_object(row[8], limit=MAX_STATE_BYTES).get("digest") == name


def _person_key(path: str) -> str:
    return digest(["written by a person", path])
