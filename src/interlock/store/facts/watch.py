"""What became of the watched files since the session began: compared by content, shown as a difference, kept as rows.

A baseline row says how they were. A change counts unless a call of the session that was allowed or approved wrote that
file, a person's own command did, or somebody has accepted that very content. So has whoever looks (`judge`), where what
the file newly makes run while a call ran would by itself be allowed. All texts are redacted and bounded.
"""

from __future__ import annotations

import os

from ...bytes.canon import canonical, digest, digest_of_bytes
from ...bytes.redact import redact
from ...bytes.strict import parse_object
from ...limits import (
    MAX_DIFFERENCE_CHARS,
    MAX_FOLLOWED_ROWS,
    MAX_SHOWN_CHARS,
    MAX_STATE_BYTES,
    MAX_WATCHED_BYTES,
)
from ...model.errors import StoreError, printable
from ...model.session import Changed, accept
from ...model.touched import bounded
from ...reading.places.watched import LEVELS
from ...record.chain import row_hash
from ...value import TYPE_CHECKING, FrozenMap, Value, lazy
from ..home.files import read_file
from .underway import touched, underway

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from difflib import unified_diff
    from typing import Any

    from ...model.session import Session
    from ...record.chain import Row
    from ..ledger.ledger import Turn, View
    from .look import Glance
    from .underway import Underway

    Describe = Callable[[str, bytes], tuple[bytes, Mapping[str, str]]]
    Judge = Callable[[Mapping[str, "Step"]], Iterable[str]]  # those whose new content needs no question
else:
    unified_diff = lazy(globals(), "difflib", "unified_diff")

__all__ = [
    "Looked",
    "Step",
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
_BY_LINES = ("/.git/config", "/.git/info/attributes")  # a change of them is judged line by line
_HOOKS = ("/.git/hooks/", "/.husky/", "/.githooks/", "/.git-hooks/")
_NAME = 100  # characters of a call that is named
_MOST_CUT = 8  # folders that are named where something was left out


class Looked(Value):
    """The watched files as they are, read before anything is locked.

    seen   the glance that they were found by
    files  path -> digest, level, text and our hooks in it
    real   path -> where it really is, for these and for those that were there when the session began
    during path -> the call that ran when it was changed, for those that are different
    free   path -> digest of a new content that needs no question
    alien  hooks of the session that were changed again, by what no call of it named
    """

    seen: Glance
    files: Mapping[str, Mapping[str, Any]]
    real: Mapping[str, str]
    during: Mapping[str, str] = FrozenMap({})
    free: Mapping[str, str] = FrozenMap({})
    alien: frozenset[str] = frozenset()


class Step(Value):
    """What became of one file while a call ran; texts are whole, None where one is not known."""

    old: str | None
    new: str | None
    call: Underway


def look_at(
    view: View,
    session: Session,
    seen: Glance,
    describe: Describe,
    judge: Judge | None = None,
    told: Callable[[Iterable[Row]], int] | None = None,
) -> Looked:
    """Reads the files, and loads what comparing them needs. `told`: the decision whose outcome is being told."""
    import difflib  # noqa: F401 - for the turn that follows

    key = session.watch.partition(" ")[2]
    before = (baseline_of(view, key) if key else None) or {}
    files = _contents(seen, describe)
    real = {path: os.path.realpath(path) for path in {*before, *files}}
    looked = Looked(seen=seen, files=FrozenMap(files), real=FrozenMap(real))
    new = [path for path in sorted(real) if _is_new(path, before, files, session)] if before else []
    return _attributed(looked, new, before, session, view, describe, judge, told) if new else looked


def _is_new(path: str, before: Mapping[str, Any], files: Mapping[str, Any], session: Session) -> bool:
    name = files.get(path, _NOTHING)["digest"]
    return bool(name != before.get(path, _NOTHING)["digest"] and session.accepted.get(path) != name)


def _attributed(
    looked: Looked,
    new: list[str],
    before: Mapping[str, Any],
    session: Session,
    view: View,
    describe: Describe,
    judge: Judge | None,
    told: Callable[[Iterable[Row]], int] | None,
) -> Looked:
    """With the calls that ran when these were changed, and what of it needs no question."""
    rows = list(view.newest(view.id, MAX_FOLLOWED_ROWS)) if view.id else []
    seq = told(rows) if told is not None else 0
    calls = {path: call for path in new if (call := underway(rows, touched(path), seq)) is not None}
    steps = {}
    for path, call in calls.items():
        old = _text_of(view, session.accepted.get(path, "")) or before.get(path)
        now = looked.files.get(path)
        steps[path] = Step(old=_whole(path, old, describe), new=_whole(path, now, describe), call=call)
    free = judge(steps) if judge is not None and steps else ()
    return looked.replace(
        during=FrozenMap({path: _named(call.text) for path, call in calls.items()}),
        free=FrozenMap({path: str(looked.files[path]["digest"]) for path in free if path in looked.files}),
        alien=frozenset([path for path in new if path in session.accepted and _is_alien(path, calls.get(path), rows)]),
    )


def _is_alien(path: str, call: Underway | None, rows: list[Row]) -> bool:
    """Where a host tells how calls end, every change of a session's own hook has a call that names it. Formatters may
    rewrite other files that it wrote.
    """
    tells = any(row.kind == "outcome" for row in rows) and any(folder in path for folder in _HOOKS)
    return tells and (call is None or not call.names(path))


def _keep_text(turn: Turn, path: str, entry: Mapping[str, Any]) -> None:
    """What a file says that is judged by its lines: the next change of it is compared with what was accepted last."""
    if path.endswith(_BY_LINES) and turn.find(_text_key(entry["digest"]), "watch") is None:
        body = {"digest": entry["digest"], "path": path, "says": "text", "text": entry["text"]}
        turn.append("watch", canonical(body), key=_text_key(entry["digest"]), session=turn.id)


def _text_of(view: View, name: str) -> Mapping[str, Any] | None:
    row = view.find(_text_key(name), "watch") if name else None
    if row is None or row.hash != row_hash(row):
        return None
    return parse_object(row.body, limit=MAX_STATE_BYTES)


def _text_key(name: str) -> str:
    return digest(["text of a watched file", name])


def _named(text: str) -> str:
    """A call between backticks that it cannot end, on one line."""
    text = printable(" ".join(text.split())).replace("`", "'")
    return text if len(text) <= _NAME else f"{text[: _NAME - 1]}…"


def _whole(path: str, entry: Mapping[str, Any] | None, describe: Describe) -> str | None:
    """The text of an entry. INVARIANT: one that is cut, or from which a secret was left out, has another digest."""
    if entry is None:
        return ""
    text = str(entry["text"])
    return text if digest_of_bytes(describe(path, text.encode())[0]) == entry["digest"] else None


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
        own = path in session.written or looked.real.get(path, path) in session.written
        if (own and path not in looked.alien) or looked.free.get(path) == name:
            known[path] = name
            _keep_text(turn, path, new)
            continue
        _keep_text(turn, path, new)
        lines = _difference(old["text"], new["text"])
        shown = " ".join(lines)
        changed = Changed(path=path, level=level, digest=name, text=_cut(shown or "(its text cannot be shown)"))
        same = [one for one in session.changed if one.replace(during="") == changed]  # what it was told with stays
        changed = same[0] if same else changed.replace(during=looked.during.get(path, ""))
        if level == "noted":
            known[path] = name
        else:
            changes.append(changed)
        if changed not in session.changed:
            turn.append("watch", canonical({"says": "changed", **changed.wire}), key=name, session=turn.id)
            told_now += [f"`{path}` was changed{changed.how}:", *lines[:_LINES]]
            told_now += _THEN[level]
    others = tuple([old for old in session.changed if old.level not in LEVELS])  # looked after by follow/inside.py
    old_ones = [old for old in session.changed if old.level in LEVELS]
    back = [old.path for old in old_ones if all(old.path != new.path for new in changes)]
    for path in [path for path in back if path not in known and path not in theirs]:
        turn.append("watch", canonical({"path": path, "says": "repaired"}), key="repaired", session=turn.id)
        told_now.append(f"`{path}` is as it was again")
    session = session.replace(watch=f"{seen.stamp} {key}", changed=(*changes, *others))
    hooks = [path for path in known if path in looked.free and not path.endswith(_BY_LINES)]
    if hooks:  # what the session's calls made is its own: it is read again where it runs
        session = session.replace(written=bounded(session.written, {*hooks}))
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
