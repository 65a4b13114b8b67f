"""Which branches a `git push` would update, in whatever way it says so.

As builtin/push.c and remote.c of git put it together: words, options, and for what they leave open HEAD and the
settings. tests/peers holds it against git itself. A branch is told by its plain name, any other ref in full.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .refs import HEADS, Refs, full_name, head_of, setting_of, settings_named
from .value import NOTHING, AllOf, Exactly, OneOf, Resolved, Unknown, all_of, both, either, may_be

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["is_mirror", "remote_of", "updated"]

_ON = ("true", "yes", "on", "1")
_OPEN = "it depends on the branches of the repository"


def remote_of(named: str, refs: Refs) -> str:
    """The remote that a push goes to: the one that it names, or that the settings name."""
    branch = refs.head.removeprefix(HEADS)
    chosen = (f"branch {branch}.pushremote", "remote.pushdefault", f"branch {branch}.remote")
    return named or next((value for name in chosen if (value := setting_of(name, refs))), "origin")


def is_mirror(remote: str, refs: Refs) -> bool:
    return setting_of(f"remote {remote}.mirror", refs).lower() in _ON


def updated(words: Sequence[str], on: Collection[str], named: str, refs: Refs) -> Resolved:
    """`words` are the refspecs; `on` what the options stand for: all, mirror, tags, only-tags, delete, prune."""
    remote = remote_of(named, refs)
    found: Resolved = NOTHING
    if "mirror" in on or is_mirror(remote, refs):
        everything = both(_heads(refs), _there(remote, refs))
        # With refspecs of its own in the settings, git removes what they do not name.
        own = settings_named(f"remote {remote}.push", refs)
        return either(everything, _by_settings(remote, refs)) if own else everything
    if "all" in on:
        found = _heads(refs)
    if not words and not {"all", "only-tags"}.intersection(on):
        found = _by_settings(remote, refs)
    negative = [word[1:] for word in words if word[:1] == "^"]
    for word in words:
        if word[:1] != "^" and word != "tag":
            found = both(found, _one(word, remote, refs, negative, deletes="delete" in on))
    return both(found, _there(remote, refs)) if "prune" in on else found


def _by_settings(remote: str, refs: Refs) -> Resolved:
    """A push that names no refs."""
    if refs.hidden or refs.blind:
        why = "it depends on settings in variables" if refs.hidden else refs.lost or "it depends on the settings of git"
        return Unknown(why=why, beside=may_be(head_of(refs)))
    specs = settings_named(f"remote {remote}.push", refs)
    if specs:
        found: Resolved = NOTHING
        for spec in specs:
            found = both(found, _one(spec, remote, refs, [one[1:] for one in specs if one[:1] == "^"]))
        return found
    ways = [value.lower() for value in settings_named("push.default", refs)] or ["simple"]
    found = _by_default(ways[-1], refs)
    for way in ways[:-1] if refs.unsure else ():  # any of them may be the one in force
        found = either(found, _by_default(way, refs))
    return found


def _by_default(way: str, refs: Refs) -> Resolved:
    if way == "nothing":
        return NOTHING
    if way == "matching":
        return _matching(refs)
    if way in ("upstream", "tracking"):
        goal = _upstream(refs.head, refs)
        return _name(goal) if goal else NOTHING  # git refuses
    return head_of(refs)  # with `simple`, git refuses where the other side has another name


def _upstream(ref: str, refs: Refs) -> str:
    goals = settings_named(f"branch {ref[len(HEADS) :]}.merge", refs) if ref.startswith(HEADS) else []
    return goals[-1] if len(set(goals)) == 1 else ""


def _heads(refs: Refs) -> Resolved:
    names = [ref[len(HEADS) :] for ref in sorted(refs.refs) if ref.startswith(HEADS)]
    return Unknown(why=_OPEN, beside=tuple(names)) if refs.blind else all_of(names)


def _matching(refs: Refs) -> Resolved:
    """`:`: each branch that the other side has as well, as far as anybody here can tell any of them."""
    heads = _heads(refs)
    return OneOf(texts=tuple(sorted(heads.texts))) if type(heads) is AllOf and heads.texts else heads


def _there(remote: str, refs: Refs) -> Resolved:
    """The branches that the remote had when it was looked at last: what is not here is removed there."""
    begin = f"refs/remotes/{remote}/"
    names = [ref[len(begin) :] for ref in sorted(refs.refs) if ref.startswith(begin)]
    return all_of([name for name in names if name != "HEAD"])


def _name(ref: str) -> Resolved:
    """A ref of the other side, by its name: there `heads/x` is the branch x, or a new one of that name."""
    if ref.startswith("heads/") and ref != "heads/":
        return either(Exactly(text=ref[len("heads/") :]), Exactly(text=ref))
    if ref in ("HEAD", "@"):
        return Unknown(why="it is for whatever branch HEAD is on there")
    return Exactly(text=ref.removeprefix(HEADS)) if ref else NOTHING


def _one(word: str, remote: str, refs: Refs, negative: Sequence[str], deletes: bool = False) -> Resolved:
    text = word.removeprefix("+")
    source, colon, goal = text.partition(":")
    if colon and not source and not goal:
        return _matching(refs)
    if "*" in text:
        return _pattern(source, goal if colon else source, refs, negative)
    if deletes or (colon and goal):
        return _name(goal if colon else source)
    return _by_source(source, remote, refs)


def _by_source(source: str, remote: str, refs: Refs) -> Resolved:
    """`x`: under the name that it has here, if no setting says otherwise."""
    if source in ("HEAD", "@"):
        return head_of(refs)
    if "@{" in source:
        return Unknown(why=f"{source} depends on what was there before")
    ref = full_name(source, refs)
    if not ref:
        plain = source.removeprefix(HEADS)
        return Exactly(text=plain.removeprefix("heads/") or plain) if plain else NOTHING
    for spec in settings_named(f"remote {remote}.push", refs):
        begin, colon, goal = spec.removeprefix("+").partition(":")
        if colon and goal and _within(begin, ref) is not None:
            return _name(goal.replace("*", _within(begin, ref) or ""))
    if setting_of("push.default", refs).lower() in ("upstream", "tracking") and _upstream(ref, refs):
        return _name(_upstream(ref, refs))
    short = ref.removeprefix(HEADS)
    return Exactly(text=short if short != ref else source)


def _pattern(source: str, goal: str, refs: Refs, negative: Sequence[str]) -> Resolved:
    if refs.blind:
        return Unknown(why=_OPEN)
    found: Resolved = NOTHING
    for ref in sorted(refs.refs):
        rest = _within(source, ref)
        if rest is not None and not any(_within(one, ref) is not None for one in negative):
            found = both(found, _name(goal.replace("*", rest)))
    return found


def _within(pattern: str, ref: str) -> str | None:
    """What the `*` of a pattern stands for; None if the ref does not match."""
    begin, star, end = pattern.partition("*")
    if not star:
        return "" if pattern == ref else None
    fits = ref.startswith(begin) and ref.endswith(end) and len(ref) >= len(begin) + len(end)
    return ref[len(begin) : len(ref) - len(end)] if fits else None
