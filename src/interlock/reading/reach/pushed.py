"""Which commits a `git push` would send: what the command says of it, and what the refs of a repository make of that.

The reading only knows the words of the command. It asks for a fact with them; whoever gathers facts hands in the refs,
as files tell them. Where a setting may make git send more, the whole list is taken: an approval that binds too much is
asked about again, one that binds too little sends what nobody saw. What cannot be told is said to be unknown.
"""

from __future__ import annotations

from ...bytes.canon import digest
from ...bytes.redact import redact
from ...value import TYPE_CHECKING, Value, lazy
from ..resolve.pushes import is_mirror, remote_of, updated
from ..resolve.refs import HEADS, NOWHERE, PLAIN, TAGS, Refs, after, head_of
from ..resolve.value import NOTHING, Unknown, either, written

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..resolve.refs import Way
    from .destinations import place_of
else:
    place_of = lazy(globals(), ".destinations", "place_of")

__all__ = [
    "UNKNOWN",
    "Push",
    "Sent",
    "destination_of",
    "ends_of",
    "is_protected",
    "leads_of",
    "push_by",
    "sent",
]

UNKNOWN = "unknown: "
_LISTED = 40  # refs that are named one by one; of a longer list the digest is bound
_HEX = frozenset("0123456789abcdef")
_ALL = "refs/"
# In the order in which git looks for a short name.
_PLACES = ("", "refs/", TAGS, HEADS, "refs/remotes/")


class Push(Value):
    """What a command says that it pushes.

    folder  where it is run, or the repository itself
    remote  the remote or address that it names; empty: none
    words   its refspecs
    on      what its options stand for: all, mirror, tags, only-tags, delete, prune; `head` asks for the branch alone
    ways    what the call has done to the repository before, in each way that it may have gone (resolve/refs.py)
    doubts  why more may be sent than these words say
    made    what the call itself commits before: `tracked` files, `all` files, `unknown`; empty: nothing
    """

    folder: str
    remote: str = ""
    words: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    ways: tuple[Way, ...] = PLAIN
    doubts: tuple[str, ...] = ()
    made: str = ""

    @property
    def bare(self) -> bool:
        """No refspec and no option that stands for some: what is sent depends on settings."""
        return not self.words and not {"all", "mirror", "only-tags"}.intersection(self.on)


class Sent(Value):
    """What a push would do, as the files of its repository tell it.

    lines         for people and approvals: each ref with its commit, and the settings that say where it goes
    destinations  where it goes: `github.com/team/app`, or the path of a repository; none: it could not be told
    branch        the branches that it updates there, as a field of a target; None: none
    head          the branch that HEAD is on, in the same form
    remote        the remote, where the command does not name it; empty: it could not be told
    besides       `mirror` or `tags`, where the settings make a push that names no refs be one with that option
    carries       what of it a person has to see each time: a secret, a change to what others obey, or why it is unknown
    along         tags that the settings let go along with it
    """

    lines: tuple[str, ...] = ()
    destinations: tuple[str, ...] = ()
    branch: str | tuple[str, ...] | None = None
    head: str | tuple[str, ...] | None = None
    remote: str = ""
    besides: tuple[str, ...] = ()
    carries: tuple[str, ...] = ()
    along: tuple[str, ...] = ()


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
    return redact(place_of(f"{scheme}://{rest}").removesuffix(".git"))


def _folder(path: str) -> str:
    """A repository of this machine, by its whole path."""
    parts = path.split("/")
    return path.rstrip("/").removesuffix(".git") if path[:1] == "/" and ".." not in parts and "." not in parts else ""


# Branches that others build, deploy or release from.
_PROTECTED = frozenset("main master trunk develop production prod staging release stable gh-pages".split())


def is_protected(branch: str) -> bool:
    return branch in _PROTECTED or branch.startswith(("release/", "releases/", "hotfix/"))


def push_by(
    folder: str,
    remote: str,
    words: Sequence[str],
    switches: Collection[str],
    doubts: Sequence[str] = (),
    ways: tuple[Way, ...] = PLAIN,
) -> Push:
    """`words` are its refspecs, `switches` what its options stand for."""
    more = (*doubts, *(("what its submodules send",) if "submodules" in switches else ()))
    on = tuple([name for name in _COUNT if name in switches])
    return Push(folder=folder, remote=remote, words=tuple(words), on=on, ways=ways, doubts=more)


_COUNT = ("all", "mirror", "tags", "only-tags", "delete", "prune", "head")


def _sources(push: Push) -> list[str]:
    """What the refspecs name on this side; `tag x` is `refs/tags/x`."""
    if "delete" in push.on and not any(":" in word for word in push.words):
        return []  # `--delete x` sends nothing
    found, before = [], ""
    for word in push.words:
        text = word.removeprefix("+")
        if before == "tag":
            found.append(TAGS + text.removeprefix(TAGS))
        elif text not in (":", "tag"):
            found.append(text.partition(":")[0])
        before = text
    return [source for source in found if source]


def _kinds(push: Push) -> list[str]:
    """Prefixes of refs that are sent besides: all branches, all tags, everything."""
    on = {*push.on, *(("all",) if ":" in push.words or "+:" in push.words else ())}
    said = (("all", HEADS), ("tags", TAGS), ("only-tags", TAGS), ("mirror", _ALL))
    return [kind for name, kind in said if name in on]


def sent(push: Push, refs: Refs | None, why: str = "") -> Sent:
    """A line for each ref and its commit. `refs` is None where they could not be had, and `why` says so."""
    ways = after(NOWHERE.replace(lost=why or NOWHERE.lost) if refs is None else refs, push.ways)
    head = branch = None
    for way in ways:
        here, goes = head_of(way), updated(push.words, push.on, push.remote, way)
        head = here if head is None else either(head, here)
        branch = goes if branch is None else either(branch, goes)
    if branch is not None and push.doubts:
        branch = either(branch, Unknown(why=push.doubts[0]))
    said = Sent(branch=written(branch or NOTHING), head=written(head or NOTHING))
    if "head" in push.on:
        return said
    found = [UNKNOWN + doubt for doubt in push.doubts]
    if refs is None:
        return said.replace(lines=tuple([redact(line) for line in (*found, UNKNOWN + why)]))
    for way in ways:
        found += _of_one_way(push, way)
    lines = list(dict.fromkeys(found))
    if len(lines) > _LISTED:
        rest = lines[_LISTED:]
        lines = [*lines[:_LISTED], f"and {len(rest)} more refs, {digest(tuple(rest))}"]
    remotes = list(dict.fromkeys([remote_of(push.remote, way) for way in ways]))
    leads = [leads_of(remote_of(push.remote, way), way) for way in ways]
    goals = dict.fromkeys([goal for way in ways for goal in _goals(push, way)])
    return said.replace(
        lines=(*(lines or ["nothing: it only deletes"]), *goals),
        destinations=tuple(dict.fromkeys([place for places in leads for place in places])) if all(leads) else (),
        remote=remotes[0] if len(remotes) == 1 else "",
        besides=_besides_by_settings(push, refs, remotes) if push.bare else (),
        along=tuple(_under(refs, TAGS)) if TAGS in refs.sends_more and not push.bare else (),
    )


def ends_of(push: Push, refs: Refs) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The commits that it sends, an empty name for one that is not known, and those that the remote has."""
    tips: list[str] = []
    there: list[str] = []
    for way in after(refs, push.ways):
        for line in _of_one_way(push, way):
            name = line.rpartition(" ")[2] if not line.startswith(UNKNOWN) else ""
            tips.append(name if _is_commit(name) else "")
        remote = remote_of(push.remote, way)
        places = leads_of(remote, way)
        names = [key[len("remote ") :].rpartition(".")[0] for key, _ in way.settings if key.startswith("remote ")]
        for other in dict.fromkeys(names):
            if other == remote or (places and leads_of(other, way) == places):
                begin = f"refs/remotes/{other}/"
                there += [oid for ref, oid in way.refs.items() if ref.startswith(begin) and _is_commit(oid)]
    return tuple(dict.fromkeys([*tips, *([""] if push.doubts else [])])), tuple(dict.fromkeys(there))


def _besides_by_settings(push: Push, refs: Refs, remotes: list[str]) -> tuple[str, ...]:
    mirrors = any(is_mirror(remote, refs) for remote in remotes)
    return (*(("mirror",) if mirrors else ()), *(("tags",) if TAGS in refs.sends_more else ()))


def _of_one_way(push: Push, refs: Refs) -> list[str]:
    found = []
    for source in _sources(push):
        found += _under(refs, source.partition("*")[0]) if "*" in source else [_one(refs, source)]
    if push.bare:
        found.append(_one(refs, "HEAD"))
    for kind in dict.fromkeys((*_kinds(push), *(refs.sends_more if push.bare else _besides(refs)))):
        found += _under(refs, kind)
    return found


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
    said, remote = dict(refs.settings), remote_of(push.remote, refs)
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
    return tuple([kind for kind in refs.sends_more if kind == TAGS])


def _under(refs: Refs, prefix: str) -> list[str]:
    prefix = prefix if prefix.startswith(_ALL) else HEADS + prefix
    return [_line(name, oid) for name, oid in sorted(refs.refs.items()) if name.startswith(prefix)]


def _one(refs: Refs, spec: str) -> str:
    """A name, and what may follow it (`~2`, `^`): with the commit that the name stands for, the rest is fixed."""
    if "@{" in spec or ":" in spec or not spec:
        return UNKNOWN + redact(f"`{spec}` depends on more than refs")
    cut = min([at for mark in "~^" if (at := spec.find(mark)) >= 0], default=len(spec))
    name, rest = ("HEAD" if spec[:cut] == "@" else spec[:cut]), spec[cut:]
    if name == "HEAD":
        if refs.lost:
            return UNKNOWN + redact(refs.lost)
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
