"""A repository as its files tell it, and what the earlier statements of a call make of it.

`git checkout main && git push origin HEAD` pushes main. Facts of git are those from before the call, so a statement
that moves HEAD, makes or renames a branch, or changes a setting is a *move*: a tuple of words that the reading notes
and `after` plays. A statement that may have failed leaves two ways to play. What is not followed is a move as well,
after which it is not known where HEAD is.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, FrozenMap, Value
from .value import Exactly, Resolved, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Move = tuple[str, ...]
    Way = tuple[Move, ...]

__all__ = [
    "HEADS",
    "NOWHERE",
    "PLAIN",
    "PLAYED",
    "TAGS",
    "Refs",
    "after",
    "full_name",
    "head_of",
    "setting_of",
    "settings_named",
]

HEADS, TAGS = "refs/heads/", "refs/tags/"
PLAIN: tuple[Way, ...] = ((),)  # nothing came before
_REMOTES = "refs/remotes/"
# In the order in which git looks for a short name.
_PLACES = ("", "refs/", TAGS, HEADS, _REMOTES)
_HEX = frozenset("0123456789abcdef")
_MOST = 16  # ways that are played


class Refs(Value):
    """The refs of a repository. `head` is the ref that HEAD names, or a commit; empty: not known, and `lost` says why.

    sends_more  prefixes of refs that its settings may add to a push
    settings    those that say where a push goes, as `remote origin.url` and its value
    unsure      some of them stand in a file that git takes in under a condition, or in a variable
    hidden      some stand in variables, and are not among the settings
    links       refs that stand for another one
    last        the branch that HEAD was on before the one of now; empty: not known
    blind       nothing is known of it but what the call itself says
    """

    head: str
    refs: Mapping[str, str] = FrozenMap({})
    sends_more: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    unsure: bool = False
    hidden: bool = False
    links: Mapping[str, str] = FrozenMap({})
    lost: str = ""
    last: str = ""
    blind: bool = False


NOWHERE = Refs(head="", lost="it depends on the repository", blind=True)


def head_of(refs: Refs) -> Resolved:
    """The branch that HEAD is on, where a branch stands for another one that one."""
    name = refs.links.get(refs.head, refs.head)
    if refs.lost:
        return Unknown(why=refs.lost, beside=(name[len(HEADS) :],) if name.startswith(HEADS) else ())
    return Exactly(text=name[len(HEADS) :]) if name.startswith(HEADS) else Unknown(why="HEAD is on no branch")


def full_name(name: str, refs: Refs) -> str:
    """The ref that a short name stands for; empty: there is none."""
    for place in _PLACES:
        if place + name in refs.refs and (place or name.startswith("refs/")):
            return refs.links.get(place + name, place + name)
    return ""


def settings_named(name: str, refs: Refs) -> list[str]:
    return [value for key, value in refs.settings if key == name]


def setting_of(name: str, refs: Refs) -> str:
    """The one that counts, which is the last; empty: it is not set."""
    return next((value for key, value in reversed(refs.settings) if key == name), "")


def after(refs: Refs, ways: tuple[Way, ...]) -> tuple[Refs, ...]:
    """The repository after each of the ways that an earlier part of the call may have gone."""
    found: list[Refs] = []
    for way in ways[:_MOST]:
        states = [refs]
        for move in way:
            states = [state for one in states for state in _MOVES[move[0]](one, *move[1:])][:_MOST]
        found += [state for state in states if state not in found]
    if len(ways) > _MOST or len(found) > _MOST:
        return (_lost(refs, "the call may go too many ways")[0],)
    return tuple(found)


def _on(refs: Refs, name: str, commit: str = "") -> list[Refs]:
    """HEAD is on the branch, which is there from now on."""
    ref, before = HEADS + name, "" if refs.lost else refs.head
    known = refs.refs if ref in refs.refs else FrozenMap({**refs.refs, ref: commit or _commit(refs)})
    last = before[len(HEADS) :] if before.startswith(HEADS) else ""
    return [refs.replace(head=ref, refs=known, lost="", last=last)]


def _commit(refs: Refs) -> str:
    return refs.refs.get(refs.head, refs.head if _is_commit(refs.head) else "")


def _is_commit(text: str) -> bool:
    return len(text) in (40, 64) and _HEX.issuperset(text)


def _to(refs: Refs, word: str, path: str = "") -> list[Refs]:
    """`git switch x`, or with `path` `git checkout x`, where x may be a file as well: then HEAD stays."""
    if word in ("-", "@{-1}"):
        return _on(refs, refs.last) if refs.last else _lost(refs, "it depends on the branch of before")
    if word in ("HEAD", "@"):
        return [refs]
    if HEADS + word in refs.refs or HEADS + word in refs.links:
        return _on(refs, word)
    if refs.blind:
        return [*_on(refs, word), *([refs] if path else [])]
    tracked = [ref for ref in refs.refs if ref.startswith(_REMOTES) and ref[len(_REMOTES) :].partition("/")[2] == word]
    if len(tracked) == 1:
        return _on(refs, word, refs.refs[tracked[0]])
    if tracked:
        return _lost(refs, f"several remotes have a branch {word}")
    is_revision = full_name(word.partition("~")[0].partition("^")[0], refs) or (len(word) > 3 and _HEX.issuperset(word))
    if is_revision:
        return _detach(refs)
    return [*_on(refs, word), *([refs] if path else [])]  # a branch that is fetched before, or a file


def _detach(refs: Refs) -> list[Refs]:
    last = refs.head[len(HEADS) :] if refs.head.startswith(HEADS) and not refs.lost else ""
    return [refs.replace(head="", lost="HEAD is on no branch", last=last)]


def _rename(refs: Refs, old: str, new: str) -> list[Refs]:
    """`git branch -m [old] new`: without the old name it is the branch of HEAD."""
    ref = HEADS + old if old else refs.head
    if not ref.startswith(HEADS):
        return _on(refs, new) if not old else _make(refs, new)
    # A name that stands for the branch stands for nothing then.
    known = {name: oid for name, oid in refs.refs.items() if ref not in (name, refs.links.get(name))}
    known[HEADS + new] = refs.refs.get(ref, "")
    before, now = f"branch {ref[len(HEADS) :]}.", f"branch {new}."
    settings = tuple(
        [(now + key[len(before) :] if key.startswith(before) else key, value) for key, value in refs.settings]
    )
    head = HEADS + new if refs.head == ref else refs.head
    return [refs.replace(head=head, refs=FrozenMap(known), settings=settings, lost="" if not old else refs.lost)]


def _make(refs: Refs, name: str) -> list[Refs]:
    return [refs if HEADS + name in refs.refs else refs.replace(refs=FrozenMap({**refs.refs, HEADS + name: ""}))]


def _set(refs: Refs, key: str, value: str) -> list[Refs]:
    return [refs.replace(settings=(*[pair for pair in refs.settings if pair[0] != key], (key, value)))]


def _unset(refs: Refs, key: str) -> list[Refs]:
    return [refs.replace(settings=tuple([pair for pair in refs.settings if pair[0] != key]))]


def _lost(refs: Refs, why: str) -> list[Refs]:
    """HEAD is perhaps where it was."""
    return [refs.replace(lost=why, last="")]


def _follow(refs: Refs, branch: str, upstream: str) -> list[Refs]:
    """`git branch -u origin/x [branch]`; without an upstream it is taken away."""
    branch = branch or refs.head.removeprefix(HEADS)
    remote, slash, name = upstream.partition("/")
    if not slash:
        remote, name = (".", upstream) if upstream else ("", "")
    said = {f"branch {branch}.remote": remote, f"branch {branch}.merge": HEADS + name if name else ""}
    kept = [pair for pair in refs.settings if pair[0] not in said]
    return [refs.replace(settings=(*kept, *[pair for pair in said.items() if pair[1]]))]


def _point(refs: Refs, name: str, ref: str) -> list[Refs]:
    """`git symbolic-ref NAME REF`."""
    if name == "HEAD":
        return _on(refs, ref[len(HEADS) :]) if ref.startswith(HEADS) else _detach(refs)
    known = refs.refs if name in refs.refs else FrozenMap({**refs.refs, name: refs.refs.get(ref, "")})
    return [refs.replace(links=FrozenMap({**refs.links, name: ref}), refs=known)]


_MOVES: Mapping[str, Callable[..., list[Refs]]] = {
    "on": _on, "to": _to, "detach": _detach, "rename": _rename, "make": _make, "set": _set, "unset": _unset,
    "lost": _lost, "follow": _follow, "point": _point,
}  # fmt: skip
PLAYED = frozenset(_MOVES)
