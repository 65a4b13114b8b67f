"""Which commits a `git push` would send: what the command says of it, and what the refs of a repository make of that.

The reading only knows the words of the command. It asks for a fact with them; whoever gathers facts hands in the refs,
as files tell them. Where a setting may make git send more, the whole list is taken: an approval that binds too much is
asked about again, one that binds too little sends what nobody saw. What cannot be told is said to be unknown.
"""

from __future__ import annotations

from ...bytes.canon import canonical, digest
from ...bytes.redact import redact
from ...bytes.strict import parse_object
from ...value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

__all__ = [
    "KIND",
    "UNKNOWN",
    "Push",
    "Refs",
    "Sent",
    "destination_of",
    "is_protected",
    "leads_of",
    "push_of",
    "sent",
    "want_of",
]

KIND = "push"
UNKNOWN = "unknown: "
_LISTED = 40  # refs that are named one by one; of a longer list the digest is bound
_HEX = frozenset("0123456789abcdef")
_HEADS, _TAGS, _ALL = "refs/heads/", "refs/tags/", "refs/"
# In the order in which git looks for a short name.
_PLACES = ("", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/")


class Push(Value):
    """What a command says that it pushes.

    folder  where it is run, or the repository itself
    remote  the remote or address that it names; empty: none
    specs   the sources of its refspecs, `tag x` among them as `refs/tags/x`; empty: it names none
    kinds   prefixes of refs that are sent besides: all branches, all tags, everything
    bare    no refspec and no such option: what is sent depends on settings
    doubts  why more may be sent than these words say
    """

    folder: str
    remote: str = ""
    specs: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    bare: bool = False
    doubts: tuple[str, ...] = ()


class Refs(Value):
    """The refs of a repository. `head` is the ref that HEAD names, or a commit.

    sends_more  prefixes of refs that its settings may add to a push
    settings    those that say where a push goes, as `remote origin.url` and its value
    unsure      some of them stand in a file that git takes in under a condition, or in a variable
    """

    head: str
    refs: Mapping[str, str] = FrozenMap({})
    sends_more: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    unsure: bool = False


class Sent(Value):
    """What a push would do, as the files of its repository tell it.

    lines         for people and approvals: each ref with its commit, and the settings that say where it goes
    destinations  where it goes: `github.com/team/app`, or the path of a repository; none: it could not be told
    branch        the branch that HEAD is on; empty: none, or it could not be told
    remote, goal  of a push that names no refs: the remote and the branch it goes to; empty: that depends on more
    """

    lines: tuple[str, ...] = ()
    destinations: tuple[str, ...] = ()
    branch: str = ""
    remote: str = ""
    goal: str = ""


def destination_of(address: str) -> str:
    """The same text for every way of writing the same repository: without scheme, user, usual port and `.git`.

    Empty where a server may take the address for another one than it looks like.
    """
    scheme, mark, rest = address.partition("://")
    if "::" in address:
        return ""  # a program of its own talks to it
    if not mark:
        head, colon, path = address.partition(":")
        if not colon or "/" in head:
            return _folder(address)
        rest, scheme = f"{head}/{path.lstrip('/')}", "ssh"
    elif scheme == "file":
        return _folder(rest)
    from .destinations import place_of

    return redact(place_of(f"{scheme}://{rest}").removesuffix(".git"))


def _folder(path: str) -> str:
    """A repository of this machine, by its whole path."""
    parts = path.split("/")
    return path.rstrip("/").removesuffix(".git") if path[:1] == "/" and ".." not in parts and "." not in parts else ""


# Branches that others build, deploy or release from.
_PROTECTED = frozenset("main master trunk develop production prod staging release stable gh-pages".split())


def is_protected(branch: str) -> bool:
    return branch in _PROTECTED or branch.startswith(("release/", "releases/", "hotfix/"))


def want_of(folder: str, remote: str, words: Sequence[str], switches: Iterable[str], doubts: Sequence[str] = ()) -> str:
    """The fact that is wanted for a push: `words` are its refspecs, `switches` what its options stand for."""
    specs, skip = [], False
    for index, word in enumerate(words):
        if skip:
            skip = False
        elif word == "tag" and index + 1 < len(words):
            specs.append(_TAGS + words[index + 1].removeprefix(_TAGS))
            skip = True
        elif word.removeprefix("+") != ":":
            specs.append(word.removeprefix("+").partition(":")[0])
    on = set(switches) | ({"all"} if any(word.removeprefix("+") == ":" for word in words) else set())
    if "delete" in on and not any(":" in word for word in words):
        specs = []  # `--delete x` sends nothing
    kinds = [kind for name, kind in (("all", _HEADS), ("tags", _TAGS), ("mirror", _ALL)) if name in on]
    bare = not words and not on & {"all", "mirror"}
    more = (*doubts, *(("what its submodules send",) if "submodules" in on else ()))
    named = tuple([spec for spec in specs if spec])
    push = Push(folder=folder, remote=remote, specs=named, kinds=tuple(kinds), bare=bare, doubts=more)
    return f"{KIND}:{canonical(push.as_dict()).decode()}"


def push_of(want: str) -> Push:
    said: Any = parse_object(want.encode(), limit=len(want) * 4 + 1)
    return Push(**said)


def sent(push: Push, refs: Refs | None, why: str = "") -> Sent:
    """A line for each ref and its commit. `refs` is None where they could not be had, and `why` says so."""
    found = [UNKNOWN + doubt for doubt in push.doubts]
    if refs is None:
        return Sent(lines=tuple([redact(line) for line in (*found, UNKNOWN + why)]))
    for spec in push.specs:
        found += _under(refs, spec.partition("*")[0]) if "*" in spec else [_one(refs, spec)]
    if push.bare:
        found.append(_one(refs, "HEAD"))
    for kind in dict.fromkeys((*push.kinds, *(refs.sends_more if push.bare else _besides(refs)))):
        found += _under(refs, kind)
    lines = list(dict.fromkeys(found))
    if len(lines) > _LISTED:
        rest = lines[_LISTED:]
        lines = [*lines[:_LISTED], f"and {len(rest)} more refs, {digest(tuple(rest))}"]
    branch = refs.head.removeprefix(_HEADS) if refs.head.startswith(_HEADS) else ""
    goals = leads_of(_remote(push, refs), refs)
    goal = _goal(branch, refs) if push.bare and not push.doubts else ""
    return Sent(
        lines=(*(lines or ["nothing: it only deletes"]), *_goals(push, refs)),
        destinations=goals,
        branch=branch,
        remote=_remote(push, refs) if goal else "",
        goal=goal,
    )


def _goal(branch: str, refs: Refs) -> str:
    """The branch that a push goes to by the settings; empty where they may send more, or name several."""
    ways = {value.lower() for name, value in refs.settings if name == "push.default"}
    if not branch or refs.sends_more:
        return ""
    if ways <= {"simple", "current"}:  # with `simple`, git refuses where the other side has another name
        return branch
    merges = {value for name, value in refs.settings if name == f"branch {branch}.merge"}
    if ways <= {"upstream", "tracking"} and len(merges) == 1:
        return merges.pop().removeprefix(_HEADS)
    return ""


def _remote(push: Push, refs: Refs) -> str:
    said = dict(refs.settings)
    branch = refs.head.removeprefix(_HEADS)
    chosen = (f"branch {branch}.pushremote", "remote.pushdefault", f"branch {branch}.remote")
    return push.remote or next((said[name] for name in chosen if name in said), "origin")


def leads_of(remote: str, refs: Refs) -> tuple[str, ...]:
    """Where a push to a remote arrives; none where that cannot be told."""
    found = [destination_of(url) for url in _leads(remote, refs)]
    return tuple(dict.fromkeys(found)) if all(found) else ()


def _leads(remote: str, refs: Refs) -> list[str]:
    """The addresses that a push to a remote goes to, as git puts them together; empty where it cannot be told."""
    pushed, plain = _values(f"remote {remote}.pushurl", refs), _values(f"remote {remote}.url", refs)
    if not pushed and not plain and ("/" in remote or ":" in remote):
        plain = [remote]
    if refs.unsure and any(name.startswith("url ") for name, _ in refs.settings):
        return []  # whether a rule holds depends on more than files
    if pushed:
        found = [_rewritten(url, "insteadof", refs) or url for url in pushed]
    else:
        by_push = [goal for url in plain if (goal := _rewritten(url, "pushinsteadof", refs))]
        found = by_push or [_rewritten(url, "insteadof", refs) or url for url in plain]
    return found if all(found) else []


def _values(name: str, refs: Refs) -> list[str]:
    return [value for key, value in refs.settings if key == name]


def _rewritten(address: str, key: str, refs: Refs) -> str:
    """The address by the rule whose beginning of it is the longest; empty: there is none."""
    best, found = "", ""
    for name, begins in refs.settings:
        if name.startswith("url ") and name.endswith(f".{key}") and address.startswith(begins) and begins:
            if len(begins) >= len(best):
                best, found = begins, name[len("url ") : -len(key) - 1] + address[len(begins) :]
    return found


def _goals(push: Push, refs: Refs) -> list[str]:
    """Where it goes by the settings: nothing for an address that the command itself names."""
    said, remote = dict(refs.settings), _remote(push, refs)
    found: list[str] = []
    for field in ("pushurl", "url"):
        found = found or [
            f"to {remote}: {value}" for name, value in refs.settings if name == f"remote {remote}.{field}"
        ]
    found += [f"with {name} = {value}" for name, value in refs.settings if name.startswith("url ")]
    # What says under which name it arrives: `git push origin x` goes by these too where it names no goal.
    maps = {f"remote {remote}.push", f"remote {remote}.mirror", "push.default"}
    by_branch = said.get("push.default", "").lower() in ("upstream", "tracking")
    found += [
        f"with {name} = {value}"
        for name, value in refs.settings
        if name in maps or (by_branch and name.startswith("branch ") and name.endswith(".merge"))
    ]
    return [redact(line) for line in dict.fromkeys(found)]


def _besides(refs: Refs) -> tuple[str, ...]:
    """What settings add even to a push that names its refs: tags that go along."""
    return tuple([kind for kind in refs.sends_more if kind == _TAGS])


def _under(refs: Refs, prefix: str) -> list[str]:
    prefix = prefix if prefix.startswith(_ALL) else _HEADS + prefix
    return [_line(name, oid) for name, oid in sorted(refs.refs.items()) if name.startswith(prefix)]


def _one(refs: Refs, spec: str) -> str:
    """A name, and what may follow it (`~2`, `^`): with the commit that the name stands for, the rest is fixed."""
    if "@{" in spec or ":" in spec or not spec:
        return UNKNOWN + redact(f"`{spec}` depends on more than refs")
    cut = min([at for mark in "~^" if (at := spec.find(mark)) >= 0], default=len(spec))
    name, rest = ("HEAD" if spec[:cut] == "@" else spec[:cut]), spec[cut:]
    if name == "HEAD":
        if _is_commit(refs.head):
            return _line("HEAD", refs.head, rest)
        oid = refs.refs.get(refs.head)
        return UNKNOWN + redact(f"{refs.head} has no commit") if oid is None else _line(refs.head, oid, rest)
    for place in _PLACES:
        oid = refs.refs.get(place + name)
        if oid is not None:
            return _line(place + name, oid, rest)
    if 4 <= len(name) <= 64 and _HEX.issuperset(name):  # a commit is named by its content
        return f"commit {name}{rest}"
    return UNKNOWN + redact(f"there is no ref `{name}`")


def _is_commit(text: str) -> bool:
    return len(text) in (40, 64) and _HEX.issuperset(text)


def _line(name: str, oid: str, rest: str = "") -> str:
    return f"{redact(name)}{rest} {oid}"
