"""Branches, tags and HEAD as this call moves them: `git branch n x && git switch n` brings what `x` is.

Facts of git are those from before the call. So a name that the call itself makes or moves is led back to a revision
that was there before, or to several that it may be. A name with none of them is made in a way that is not followed,
as from a bundle: a work tree that is brought to it asks.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy
from ..evaluate.words import Arg, literal
from ..machine.options import parse as parse_options
from ..machine.places import where

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..lands.laid import filled, keep
    from ..machine.options import Parsed
    from ..tables.spec import Program
else:
    filled = lazy(globals(), "..lands.laid", "filled")
    keep = lazy(globals(), "..lands.laid", "keep")

__all__ = ["INDEX", "NAMING", "STASH", "before_call", "is_path", "note_names", "stashed"]

INDEX = ":index"  # what the index holds, if the call has read a commit into it
STASH = ":stash"  # as many entries as the call has put on the stash
_PREFIXES = ("refs/heads/", "refs/tags/", "refs/remotes/", "heads/", "tags/", "remotes/", "refs/")
_ENDS = "~^@:"


def before_call(revision: str, shell: Shell) -> tuple[str, ...]:
    """The revision by names from before the call; several if it may be either, none if that is not known."""
    refs = shell.found.refs
    if not refs:
        return (revision,)
    base, rest = _split("HEAD" if revision == "@" else "-" if revision == "@{-1}" else revision)
    known = refs.get(base)
    if known is None:
        return (revision,)
    return tuple([name + rest for name in known])


def _split(revision: str) -> tuple[str, str]:
    at = next((at for at, char in enumerate(revision) if char in _ENDS and at), len(revision))
    return _plain(revision[:at]), revision[at:]


def _plain(name: str) -> str:
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return name[len(prefix) :]
    return name


def stashed(shell: Shell) -> int:
    return len(shell.found.refs.get(STASH, ()))


def note_names(row: Program, args: list[Arg], shell: Shell) -> None:
    """Remembers what a command of git makes of names. `args` begin with the command."""
    name = args[0].text
    if name == "worktree" and len(args) > 1 and args[1].text in row.subs:
        row, args = row.subs[args[1].text], args[1:]
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    words = [arg.text for arg in parsed.operands]
    if any(not arg.known for arg in parsed.operands) or not parsed.switches.isdisjoint(row.dryrun.split()):
        return
    values = {option.name: value.text for option, value in parsed.values}
    NAMING[name](words, values, parsed, [arg.text for arg in args], shell)


def _set(name: str, revisions: tuple[str, ...], shell: Shell, *, surely: bool = True) -> None:
    refs = shell.found.refs
    name = _plain(name)
    kept = () if surely else refs.get(name, (name,))
    refs[name] = tuple(dict.fromkeys((*revisions, *kept)))[:8]


def _move(revision: str, shell: Shell, *, named: str = "") -> None:
    """HEAD is there then, or still where it was, if the word was a path or the command was refused."""
    here, there = before_call("HEAD", shell), before_call(revision, shell)
    if named:
        _set(named, there, shell)
    _set("-", here, shell)
    _set("HEAD", there, shell, surely=False)


def _branch(words: list[str], values: dict[str, str], parsed: Parsed, texts: list[str], shell: Shell) -> None:
    lists = ("delete", "force-delete", "-l", *(("-a", "-r") if texts[0] == "branch" else ()))
    if not words or not parsed.switches.isdisjoint(lists):
        return
    if not parsed.switches.isdisjoint(("move", "force-move", "copy", "force-copy")):
        _set(words[-1], before_call(words[0] if len(words) > 1 else "HEAD", shell), shell)
    else:
        _set(words[0], before_call(words[1] if len(words) > 1 else "HEAD", shell), shell)


def _checkout(words: list[str], values: dict[str, str], parsed: Parsed, texts: list[str], shell: Shell) -> None:
    made = next((values[name] for name in ("-b", "-B", "-c", "-C") if name in values), "")
    if made:
        _move(words[0] if words else "HEAD", shell, named=made)
    elif len(words) == 1 and "--" not in texts and "--orphan" not in values:
        _move(words[0], shell)


def _reset(words: list[str], values: dict[str, str], parsed: Parsed, texts: list[str], shell: Shell) -> None:
    if not words:
        return
    there = before_call(words[0], shell)
    if len(words) == 1 and "--" not in texts:
        _set("HEAD", there, shell, surely=False)
    if "--soft" not in parsed.switches:
        _set(INDEX, there, shell)


def _read_tree(words: list[str], values: dict[str, str], parsed: Parsed, texts: list[str], shell: Shell) -> None:
    for word in words:
        _set(INDEX, (*before_call(word, shell), *shell.found.refs.get(INDEX, ())), shell)


def _restore(words: list[str], values: dict[str, str], parsed: Parsed, texts: list[str], shell: Shell) -> None:
    if "staged" in parsed.switches and "-s" in values:
        _set(INDEX, (*before_call(values["-s"], shell), *shell.found.refs.get(INDEX, ())), shell)


def _commit(words: list[str], values: dict[str, str], parsed: Parsed, texts: list[str], shell: Shell) -> None:
    if INDEX in shell.found.refs:
        _set("HEAD", shell.found.refs[INDEX], shell, surely=False)


def _update_ref(words: list[str], values: dict[str, str], parsed: Parsed, texts: list[str], shell: Shell) -> None:
    if len(words) > 1 and "delete" not in parsed.switches:
        _set(words[0], before_call(words[1], shell), shell)


def _symbolic_ref(words: list[str], values: dict[str, str], parsed: Parsed, texts: list[str], shell: Shell) -> None:
    if len(words) > 1:
        _set(words[0], before_call(_plain(words[1]), shell), shell)


def _fetch(words: list[str], values: dict[str, str], parsed: Parsed, texts: list[str], shell: Shell) -> None:
    """From a file or folder; what a remote or an address brings is looked at once it is here."""
    if not words or not _is_here(words[0]):
        return
    for spec in words[1:] or ["HEAD"]:
        source, _, goal = spec.lstrip("+").partition(":")
        found = before_call(source, shell) if words[0] in (".", "./") else ()
        _set("FETCH_HEAD", found, shell)
        if goal:
            _set(goal, found, shell)


def _is_here(address: str) -> bool:
    head = address.partition("/")[0]
    if address.startswith("file://"):
        return True
    return "://" not in address and ":" not in head and ("/" in address or address[0] == "." or "." in address)


def _stash(words: list[str], values: dict[str, str], parsed: Parsed, texts: list[str], shell: Shell) -> None:
    verb = next((text for text in texts[1:2] if text[:1] != "-"), "push")
    refs = shell.found.refs
    if verb in ("push", "save"):
        refs[STASH] = (*refs.get(STASH, ()), "")[:16]
    elif verb in ("pop", "drop"):
        refs[STASH] = refs.get(STASH, ())[1:]


def _worktree(words: list[str], values: dict[str, str], parsed: Parsed, texts: list[str], shell: Shell) -> None:
    """`git worktree add PATH REV`: the files of the commit are there then."""
    if texts[0] != "add" or not words or shell.folders is None or len(shell.folders) != 1:
        return
    from ..lands.placing import TREE, Placement

    path = where(literal(words[0]), shell)
    made = values.get("-b") or values.get("-B") or ""
    revision = words[1] if len(words) > 1 else "HEAD" if made else path.rpartition("/")[2]
    found = before_call(revision, shell)
    if made:
        _set(made, found, shell)
    for name in (*found, *(("HEAD",) if len(words) == 1 else ())):
        options = (("how", "all"), ("rev", name))
        if not keep(Placement(kind=TREE, source=shell.folders[0], into=path, options=options), shell):
            return
    if found:
        filled(path, (0, 0), shell)


# command -> what it makes of names
NAMING = {
    "branch": _branch,
    "tag": _branch,
    "checkout": _checkout,
    "switch": _checkout,
    "reset": _reset,
    "restore": _restore,
    "read-tree": _read_tree,
    "commit": _commit,
    "update-ref": _update_ref,
    "symbolic-ref": _symbolic_ref,
    "fetch": _fetch,
    "stash": _stash,
    "worktree": _worktree,
}


def is_path(arg: Arg, shell: Shell) -> bool:
    """A single word could be either; what no branch is called, or this session made, is a path."""
    text = arg.text
    if arg.glob or text.startswith((".", "/", ":", "~")) or text.endswith("/"):
        return True
    stem, dot, suffix = text.rpartition("/")[2].rpartition(".")
    if dot and stem and suffix.isalnum() and not suffix[0].isdigit() and not stem.rpartition(".")[2].isdigit():
        return True
    if text in ("Makefile", "Dockerfile", "LICENSE", "README", "src", "lib", "test", "tests", "docs", "app"):
        return True
    return any(f"{folder}/{text}" in shell.found.facts.created for folder in shell.folders or ())
