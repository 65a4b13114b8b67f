"""The refs of a repository, from its files: HEAD, loose and packed refs, settings. Git itself is never run, since it
obeys what the repository says.

What is not plain files in the usual places (another storage of refs, too many of them) is an error that says so, and
whoever asked goes on without. Settings are only looked through for what makes a push send more than its words.
"""

from __future__ import annotations

import os

from ...model.environment import GIT_SETTINGS
from ...model.errors import StoreError
from ...reading.reach.pushed import ends_of, sent
from ...reading.resolve.refs import Refs
from ...value import TYPE_CHECKING, FrozenMap, lazy
from ..home.files import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...model.facts import Facts
    from ...reading.reach.pushed import Push, Sent
    from .git_outgoing import carried

    Setting = tuple[str, str, str]
    Variables = Mapping[str, str] | None
else:
    carried = lazy(globals(), ".git_outgoing", "carried")

__all__ = ["refs_of", "sent_by"]

_MAX_FILE = 16 * 1024 * 1024
_MAX_LOOSE = 5_000
_MAX_LINKS = 5
_MAX_DEPTH = 64
_HEADS, _TAGS, _ALL = "refs/heads/", "refs/tags/", "refs/"
_ON = ("", "true", "yes", "on", "1")


def sent_by(push: Push, home: str, variables: Variables = None, facts: Facts | None = None) -> Sent:
    """What the push would send. With `facts`, what it carries as well."""
    try:
        refs = refs_of(push.folder, home, variables)
        found = sent(push, refs)
        if facts is None or "head" in push.on:
            return found
        return found.replace(carries=carried(push.folder, *ends_of(push, refs), push.made, facts))
    except (StoreError, OSError, ValueError) as error:
        return sent(push, None, str(error) if isinstance(error, StoreError) else "the refs could not be read")


def refs_of(folder: str, home: str, variables: Variables = None) -> Refs:
    """StoreError where there is no repository, or none whose refs can be read. `variables`: the host's, see Facts."""
    own, common = _places(folder)
    head = _text(f"{own}/HEAD")
    if head is None:
        raise StoreError("the repository has no HEAD")
    files = (*_of_the_person(home), f"{common}/config", f"{own}/config.worktree")  # the last one wins, as with git
    conditional: list[Setting] = []
    settings = [setting for path in files for setting in _settings_in(path, home, conditional)]
    sends_more = _sends_more(settings)
    refs, links = dict(_packed(common)), dict[str, str]()
    refs.update(_loose(common, own, links))
    head = head.strip()
    return Refs(
        head=head.removeprefix("ref:").strip(),
        refs=FrozenMap(refs),
        sends_more=sends_more,
        settings=tuple([(f"{section}.{key}", value) for section, key, value in settings if _says_where(section, key)]),
        unsure=any(_says_where(section, key) for section, key, _ in conditional) or _is_set_outside(variables),
        hidden=_is_set_outside(variables),
        links=FrozenMap(links),
    )


def _places(folder: str) -> tuple[str, str]:
    """The folder of the repository, and the one that it shares with its other work trees."""
    here = folder
    for _ in range(_MAX_DEPTH):
        if _is_repository(here):
            return here, _common(here)
        inside = f"{here.rstrip('/')}/.git"
        if _is_repository(inside):
            return inside, _common(inside)
        pointer = _text(inside) if os.path.isfile(inside) else None
        if pointer is not None and pointer.startswith("gitdir:"):
            own = os.path.join(here, pointer[len("gitdir:") :].strip())
            return own, _common(own)
        above = os.path.dirname(here)
        if above == here:
            break
        here = above
    raise StoreError("there is no repository")


def _is_repository(folder: str) -> bool:
    shared = os.path.isfile(f"{folder}/commondir")
    return os.path.isfile(f"{folder}/HEAD") and (shared or os.path.isdir(f"{folder}/objects"))


def _common(own: str) -> str:
    shared = _text(f"{own}/commondir")
    return own if shared is None else os.path.join(own, shared.strip())


def _text(path: str) -> str | None:
    raw = read_file(path, limit=_MAX_FILE)
    return None if raw is None else raw.decode("utf-8", "surrogateescape")


def _packed(common: str) -> Iterator[tuple[str, str]]:
    for line in (_text(f"{common}/packed-refs") or "").splitlines():
        oid, blank, name = line.partition(" ")
        if blank and oid[:1] not in ("#", "^") and name.startswith(_ALL):
            yield name, oid


def _loose(common: str, own: str, links: dict[str, str]) -> dict[str, str]:
    """The refs in files of their own. `links` gets those that stand for another one."""
    found: dict[str, str] = {}
    for top in [top for top in dict.fromkeys((common, own)) if os.path.isdir(f"{top}/refs")]:
        for folder, _, names in os.walk(f"{top}/refs", onerror=_raise):
            for name in names:
                path = f"{folder}/{name}"
                if len(found) >= _MAX_LOOSE:
                    raise StoreError(f"the repository has more than {_MAX_LOOSE} refs in files of their own")
                if not name.endswith(".lock"):
                    found[path[len(top) + 1 :]] = (_text(path) or "").strip()
    return {name: _followed(name, text, found, common, links) for name, text in found.items()}


def _followed(ref: str, text: str, loose: dict[str, str], common: str, links: dict[str, str]) -> str:
    """Where a ref names another one, the commit of that."""
    for _ in range(_MAX_LINKS):
        if not text.startswith("ref:"):
            return text
        name = text[len("ref:") :].strip()
        links[ref] = name
        text = loose.get(name) or dict(_packed(common)).get(name, "")
    return text


def _raise(error: OSError) -> None:
    raise error


# --- settings that make a push send more, or send it elsewhere --------------------------------------------------------


def _of_the_person(home: str) -> tuple[str, ...]:
    return ("/etc/gitconfig", f"{home}/.config/git/config", f"{home}/.gitconfig")


def _is_set_outside(variables: Variables) -> bool:
    return any(name.startswith(GIT_SETTINGS) for name in (os.environ if variables is None else variables))


def _settings_in(path: str, home: str, conditional: list[Setting], depth: int = 0) -> Iterator[Setting]:
    """The settings of a file, and of those that it includes, under whatever condition: then they are told twice."""
    for section, key, value in _settings(_text(path) or ""):
        if section.partition(" ")[0] in ("include", "includeif") and key == "path":
            if depth >= _MAX_LINKS:
                raise StoreError("its settings include each other")
            named = home + value[1:] if value.startswith("~/") else value
            inside = os.path.join(os.path.dirname(path), named)
            for setting in _settings_in(inside, home, conditional, depth + 1):
                if section.startswith("includeif"):
                    conditional.append(setting)
                yield setting
        else:
            yield section, key, value


def _says_where(section: str, key: str) -> bool:
    kind = section.partition(" ")[0]
    return key in _WHERE.get(kind, ())


_WHERE = {
    "branch": ("remote", "pushremote", "merge"),
    "push": ("default",),
    "remote": ("url", "pushurl", "pushdefault", "push", "mirror", "gh-resolved"),
    "url": ("insteadof", "pushinsteadof"),
}


def _sends_more(settings: list[Setting]) -> tuple[str, ...]:
    """Prefixes of refs that may go along."""
    found = {kind for section, key, value in settings for kind in _adds(section, key, value.lower())}
    return (_ALL,) if _ALL in found else tuple(sorted(found))


def _adds(section: str, key: str, value: str) -> tuple[str, ...]:
    if (section, key) == ("push", "default"):
        return (_HEADS,) if value == "matching" else ()
    if (section, key) == ("push", "followtags"):
        return (_TAGS,) if value in _ON else ()
    if section == "extensions" and key == "refstorage" and value != "files":
        raise StoreError("its refs are not kept in files")
    if section.startswith("remote ") and key in ("push", "mirror"):
        return () if key == "mirror" and value not in _ON else (_ALL,)
    return ()


def _settings(text: str) -> Iterator[Setting]:
    """Section, key and value. Sections and keys in lower case, but for the name in a section."""
    section = ""
    for raw in text.replace("\\\n", "").splitlines():
        line = raw.strip()
        if line.startswith("["):
            head, _, line = line[1:].partition("]")
            name, _, rest = head.partition(" ")
            if not rest and "." in name:  # the old way to write a section with a name in it
                name, _, rest = name.lower().partition(".")
            section = f"{name.lower()} {rest.strip().strip(chr(34))}".strip()
            line = line.strip()
        if not line or line[0] in "#;":
            continue
        key, equals, value = line.partition("=")
        value = value.split(" #")[0].split(" ;")[0].strip().strip('"')
        yield section, key.strip().lower(), value if equals else "true"
