"""A script of the project that is run directly, and that nobody has changed since the session began.

`node scripts/seed.js` is trusted as `npm run seed` is: what is understood of it counts, the rest is `unread`. Whether
it is such a script is a fact (git_facts.py): the commit that HEAD named when the session began has it byte for byte,
and no session of this ledger wrote it. What the call hands to it is the call's own, and so is a file that it loads
and that this session wrote.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.more_wants import SameAsCommit
from ...value import TYPE_CHECKING, lazy
from ..evaluate.contents import texts_of_file
from ..evaluate.state import Stop, silent
from ..evaluate.words import Arg
from ..lands.fetched import came_with
from ..machine.acts import on_path
from ..machine.places import has_written
from ..places.paths import in_project
from ..reach.git_facts import CLEAN, asked
from ..tasks.inside import as_own, begin

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..evaluate.state import Found, Shell
    from ..tasks.package_json import manifest_of
else:
    manifest_of = lazy(globals(), "..tasks.package_json", "manifest_of")

__all__ = ["follow_own", "found_instead", "loads_written"]

_ASKED_ABOUT = (Effect.DESTRUCTIVE, Effect.SPAWN)
_ELSEWHERE = frozenset(("guard", "secret", "root", "home", "device", "outside", "own-secret"))
_FOLDER_STEMS = frozenset(("index", "main", "mod", "init", "__init__"))


_ENDINGS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".json")


def found_instead(path: str, shell: Shell, *, folder: bool = False) -> str | None:
    """`node ./a` and its kind run `a.js`, or `a/index.js` of a `folder`: one that this session wrote, unless it wrote
    an `a` as well.
    """
    if has_written(path, shell):
        return None
    starts = (path, f"{path}/index") if folder else (path,)
    return next((f"{at}{end}" for at in starts for end in _ENDINGS if has_written(f"{at}{end}", shell)), None)


def follow_own(read: Callable[[], Arg | None], path: str, text: str, args: list[Arg], shell: Shell) -> Arg | None:
    """Follows the script with `read`; then what it does is taken as the project's, if it is that."""
    found = shell.found
    actions, opaque, budget = len(found.actions), len(found.opaque), found.budget
    if not _may_be_own(path, shell):
        return read()
    try:
        output = read()
    except (Stop, RecursionError):
        if asked(found, SameAsCommit(path, found.facts.began)) != CLEAN:
            raise
        found.budget, output = budget // 2, None
        whole = False
    else:
        whole = True
        if not _asks(found, actions, opaque) or asked(found, SameAsCommit(path, found.facts.began)) != CLEAN:
            return output
    if any(_leads_elsewhere(arg, shell) for arg in _words(args)) or loads_written(text, shell):
        return output
    words = [arg.text for arg in args]
    hidden = frozenset([arg.origin for arg in args if arg.unknown and arg.origin is not None])
    if as_own(actions, opaque, begin(shell), found, tuple(words), hidden) and whole:
        return output
    for at in range(actions, len(found.actions)):
        action = found.actions[at]
        if action.name == "exec:project" and action.target.get("path") == path:
            found.actions[at] = action.replace(tags=tuple(sorted({*action.tags, "unread"})))
    return None


def _may_be_own(path: str, shell: Shell) -> bool:
    found = shell.found
    if found.tasks is not None and found.tasks.own:
        return False  # the task of the project that runs it answers for it
    facts = found.facts
    inside = path != facts.root and in_project(facts.root, path)
    return inside and bool(facts.began) and not has_written(path, shell) and came_with(path, shell) is None


def _asks(found: Found, actions: int, opaque: int) -> bool:
    """Whether a person could be asked about any of it."""
    return len(found.opaque) > opaque or any(
        action.tags or any(effect in action.effects for effect in _ASKED_ABOUT) for action in found.actions[actions:]
    )


def _words(args: list[Arg]) -> list[Arg]:
    """The values among the arguments: `--file=x` is x."""
    return [
        Arg(arg.text.partition("=")[2], arg.span, arg.glob, arg.origin) if arg.text[:1] == "-" else arg
        for arg in args
        if arg.text[:1] != "-" or "=" in arg.text
    ]


def _leads_elsewhere(arg: Arg, shell: Shell) -> bool:
    """What the call hands over may be a place that is no business of the project's."""
    if arg.unknown:
        return True
    looked = silent(shell)
    on_path("read", Arg(arg.text, arg.span, arg.glob, arg.origin), looked)
    tags = {tag for action in looked.found.actions for tag in action.tags}
    return not tags.isdisjoint(_ELSEWHERE - ({"outside"} if "temp" in tags else set()))


def loads_written(text: str, shell: Shell) -> bool:
    """Whether the text may name a file that this session wrote: by the stem of its name, as a word."""
    facts = shell.found.facts
    for path in (*facts.written, *shell.files):
        if path == "/" or (path.endswith("/package.json") and _redirects(path, shell)):
            return True
        folder, _, name = path.rstrip("/").rpartition("/")
        stem = name.partition(".")[0] or name
        stems = (folder.rpartition("/")[2],) if stem in _FOLDER_STEMS else (stem,)
        if in_project(facts.root, path) and any(stem and _is_named(stem, text) for stem in stems):
            return True
    return False


def _is_named(stem: str, text: str) -> bool:
    """Whether the stem stands in the text as a word: `log` does not in `console.logger`. Behind an escape, what looks
    like a letter may be none (`.\\x2flog`).
    """
    at = text.find(stem)
    while at >= 0:
        end = at + len(stem)
        before = _in_a_word(text[at - 1 : at]) and not any(mark in text[max(0, at - 10) : at] for mark in _ESCAPES)
        if not before and not _in_a_word(text[end : end + 1]):
            return True
        at = text.find(stem, at + 1)
    return False


_ESCAPES = ("\\", "%", "&")


def _in_a_word(char: str) -> bool:
    return char.isalnum() or char == "_"


# What a package.json may say without leading anywhere: a runtime that runs a file of the project does not obey it. Any
# other key may say where code lies (`main`, `imports`, `workspaces`, a tool's own).
_TELLS_ONLY = frozenset(
    (
        *("author", "bugs", "contributors", "description", "devDependencies", "dependencies", "engines", "files"),
        *("funding", "homepage", "keywords", "license", "name", "optionalDependencies", "packageManager"),
        *("peerDependencies", "private", "publishConfig", "repository", "scripts", "sideEffects", "types", "version"),
    )
)


def _redirects(path: str, shell: Shell) -> bool:
    """Whether a package.json of this session may lead a script to something that the session wrote: not if it says
    nothing about where code lies, and not if there is nothing else that the session wrote.
    """
    facts = shell.found.facts
    others = [other for other in {*facts.written, *shell.files} if other != path and in_project(facts.root, other)]
    for text in texts_of_file(path, shell) or ("",):
        manifest = manifest_of(text)
        if manifest is None or (others and not _TELLS_ONLY.issuperset(manifest[1])):
            return True
    return False
