"""A whole session as plain JSON data and back, for whoever keeps it between two calls.

Strict: a text that was not written by this module, or by another version of it, is an InputError and never half a
session. Canonical, so that the same session gives the same bytes.
"""

from __future__ import annotations

from ..model.errors import InputError
from ..model.heard import Phrase, Question
from ..model.posture import Posture
from ..model.session import Changed, Pending, Session
from ..model.steps import MANNERS, MARK, Ran
from ..model.verdict import Strength
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .receipt import grant_from_wire, grant_to_wire

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..approve.grant import Grant
    from ..model.origins import Known
else:
    Known = lazy(globals(), "..model.origins", "Known")

__all__ = ["paths_apart", "session_from_wire", "session_to_wire", "step_fields"]

_VERSION = 1


def session_to_wire(session: Session) -> dict[str, Any]:
    created, written, both = paths_apart(session)
    return {
        "calls": session.calls,
        "created": tuple(sorted(created)),
        "grants": tuple([grant_to_wire(grant) for grant in session.grants]),
        "id": session.id,
        "kept": tuple(sorted(session.kept)),
        "pending": tuple([(asked.approval, asked.projection, asked.tries) for asked in session.pending]),
        "posture": session.posture.name,
        "raised": session.raised,
        "recent": tuple([step_fields(ran) for ran in session.recent]),
        "refused": session.refused,
        "spent": dict(sorted(session.spent.items())),
        "version": _VERSION,
        "written": tuple(sorted(written)),
        **({"written_new": tuple(sorted(both))} if both else {}),
        **({"plan": session.plan} if session.plan else {}),
        **({"polls": session.polls} if session.polls else {}),
        **({"head": session.head} if session.head else {}),
        **({"lock": session.lock} if session.lock else {}),
        **({"started": session.started} if session.started else {}),
        **({"parent": session.parent} if session.parent else {}),
        **({"flow": (session.secret, tuple(sorted(session.hosts)))} if session.secret or session.hosts else {}),
        **({"told": tuple(sorted(session.told))} if session.told else {}),
        **({"watched": _watched(session)} if session.watch or session.since else {}),
        **({"mods": dict(session.mods)} if session.mods else {}),
        **({"questions": [list(asked.as_dict().values()) for asked in session.questions]} if session.questions else {}),
        **({"phrase": list(session.phrase.as_dict().values())} if session.phrase is not None else {}),
        **({"values": _values(session.values)} if session.values is not None else {}),
    }


def paths_apart(session: Session) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """What was created and not written, what was written and not created, and what was both, as most files are: a name
    is kept once, since all are kept with each call.
    """
    both = session.created & session.written
    return (session.created - both, session.written - both, both) if both else (session.created, session.written, both)


def step_fields(ran: Ran) -> tuple[str, str, str, int, str, str]:
    return ran.projection, ran.outcome, ran.manner, ran.at, ran.agent, ran.kind


def _values(known: Known) -> tuple[Any, ...]:
    """Pairs, since the oldest is forgotten first."""
    return (
        known.said,
        *[tuple([tuple(pair) for pair in kept.items()]) for kept in (known.trusted, known.met, known.secret)],
    )


def _watched(session: Session) -> tuple[Any, ...]:
    return (
        session.watch,
        tuple([tuple(change.wire.values()) for change in session.changed]),
        dict(session.accepted),
        dict(session.heard),
        session.since,
    )


_KEYS = frozenset(session_to_wire(Session()))
_OPTIONAL = frozenset(
    (
        *("flow", "head", "lock", "mods", "parent", "phrase", "plan", "polls"),
        *("questions", "started", "told", "values", "watched", "written_new"),
    )
)


def session_from_wire(wire: Mapping[str, Any]) -> Session:
    """The session that was written. InputError where it is none, or of another version."""
    if wire.get("version") != _VERSION or type(wire.get("version")) is not int:
        raise InputError(f"a session of version {str(wire.get('version'))[:20]}, this engine keeps version {_VERSION}")
    if set(wire) - _OPTIONAL != _KEYS:
        raise InputError("not a session: " + ", ".join(sorted((set(wire) - _OPTIONAL) ^ _KEYS))[:200])
    try:
        secret, hosts = _list(wire.get("flow", (False, ())))
        both = frozenset([_text(path) for path in _list(wire.get("written_new", ()))])
        watch, changed, accepted, heard, since = _list(wire.get("watched", ("", (), FrozenMap({}), FrozenMap({}), "")))
        return Session(
            id=_text(wire["id"]),
            posture=Posture.of(wire["posture"]),
            calls=_count(wire["calls"]),
            created=both.union([_text(path) for path in _list(wire["created"])]),
            written=both.union([_text(path) for path in _list(wire["written"])]),
            kept=frozenset([_text(path) for path in _list(wire["kept"])]),
            grants=tuple([_remembered(grant) for grant in _list(wire["grants"])]),
            recent=tuple([_ran(*_list(entry)) for entry in _list(wire["recent"])]),
            polls=_count(wire.get("polls", 0)),
            spent=FrozenMap({name: _count(count) for name, count in _object(wire["spent"]).items()}),
            refused=tuple([tuple([_text(key) for key in _list(no)]) for no in _list(wire["refused"])]),
            pending=tuple([_pending(*_list(entry)) for entry in _list(wire["pending"])]),
            raised=None if wire["raised"] is None else _text(wire["raised"]),
            plan=_text(wire.get("plan", "")),
            parent=_text(wire.get("parent", "")),
            head=_text(wire.get("head", "")),
            lock=_text(wire.get("lock", "")),
            started=_text(wire.get("started", "")),
            watch=_text(watch),
            changed=tuple([_changed(*_list(entry)) for entry in _list(changed)]),
            mods=FrozenMap({path: _text(stamp) for path, stamp in _object(wire.get("mods", FrozenMap({}))).items()}),
            accepted=FrozenMap({path: _text(digest) for path, digest in _object(accepted).items()}),
            heard=FrozenMap({name: _count(size) for name, size in _object(heard).items()}),
            since=_text(since),
            secret=_flag(secret),
            hosts=frozenset([_text(host) for host in _list(hosts)]),
            told=frozenset([_text(mark) for mark in _list(wire.get("told", ()))]),
            questions=tuple([_question(*_list(entry)) for entry in _list(wire.get("questions", ()))]),
            phrase=_phrase(*_list(wire["phrase"])) if "phrase" in wire else None,
            values=_known(*_list(wire["values"])) if "values" in wire else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"not a session: {str(error)[:200]}") from None


def _remembered(wire: Any) -> Grant:
    """INVARIANT: what a session remembers of the host's dialog is weak, whatever is written there."""
    return grant_from_wire(wire).replace(strength=Strength.WEAK, persons=())


def _ran(projection: Any, outcome: Any, manner: Any, *more: Any) -> Ran:
    """Older versions kept whole digests, and neither the moment nor who it was."""
    if manner not in MANNERS:
        raise ValueError("a manner that is not known")
    if not more:
        return Ran(projection=_text(projection)[-MARK:], outcome=_text(outcome), manner=manner)
    at, agent, kind = more
    return Ran(
        projection=_text(projection),
        outcome=_text(outcome),
        manner=manner,
        at=_count(at),
        agent=_text(agent),
        kind=_text(kind),
    )


def _pending(approval: Any, projection: Any, tries: Any) -> Pending:
    return Pending(approval=_text(approval), projection=_text(projection), tries=_count(tries))


def _question(attempt: Any, projection: Any, shown: Any, ran: Any, given: Any) -> Question:
    return Question(
        attempt=_text(attempt),
        projection=_text(projection),
        shown=_flag(shown),
        ran=_flag(ran),
        given=tuple([_text(grant) for grant in _list(given)]),
    )


def _phrase(prompt: Any, digest: Any, until: Any, at: Any, row: Any, size: Any) -> Phrase:
    return Phrase(
        prompt=_text(prompt), digest=_text(digest), until=_text(until), at=_count(at), row=_text(row), size=_count(size)
    )


def _known(said: Any, *kept: Any) -> Known:
    trusted, met, secret = [
        FrozenMap({_text(mark): _text(source) for mark, source in map(_list, _list(pairs))}) for pairs in kept
    ]
    return Known(said=tuple([_text(part) for part in _list(said)]), trusted=trusted, met=met, secret=secret)


def _changed(path: Any, level: Any, digest: Any, text: Any, during: Any = "") -> Changed:
    if level not in ("denied", "asked", "mod", "switch"):
        raise ValueError("a level that is not known")
    return Changed(path=_text(path), level=level, digest=_text(digest), text=_text(text), during=_text(during))


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError("expected a text")
    return value


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError("expected true or false")
    return value


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("expected a number from 0 on")
    return value


def _list(value: Any) -> tuple[Any, ...]:
    if type(value) is not tuple:
        raise ValueError("expected a list")
    return value


def _object(value: Any) -> Mapping[str, Any]:
    if type(value) is not FrozenMap:
        raise ValueError("expected an object")
    found: Mapping[str, Any] = value
    return found
