"""Patches that git prints: `git diff a b | git apply`, `git show x > x.patch && patch -p1 < x.patch`.

Their text is not known, but the two ends that they lie between are: revisions, the index, the work tree. Whoever
applies such a patch brings files to what they are at the other end, and that is a fact of the repository.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy
from ..evaluate.flows import Diffed
from ..machine.options import parse as parse_options

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..machine.options import Parsed
    from ..tables.spec import Program
    from .git_names import before_call, is_path, stashed

    Ends = tuple[str, str, list[str]]  # from, to, and the paths that are meant, if not all
else:
    before_call = lazy(globals(), ".git_names", "before_call")
    is_path = lazy(globals(), ".git_names", "is_path")
    stashed = lazy(globals(), ".git_names", "stashed")

__all__ = ["INDEX_END", "PATCHES", "WORK_END", "printed_patch"]

INDEX_END, WORK_END = ":index", ":work"  # no revision is called so
# Options with which something else is printed, or names in the patch lead elsewhere.
_OTHERWISE = frozenset(
    (
        "--name-only", "--name-status", "--numstat", "--shortstat", "--summary", "--check", "--raw", "-s", "-z",
        "--no-index", "--graph", "--stat", "--relative", "--src-prefix", "--dst-prefix", "--line-prefix", "--output",
        "--word-diff", "--color-words", "--merge-base", "--stdin", "--all", "--merges", "--reverse", "--skip", "--grep",
        "--author", "--since", "--until", "--after", "--before", "--walk-reflogs", "--branches", "--tags", "--remotes",
        "--glob", "--submodule", "-c", "-W",
    )
)  # fmt: skip


def _range(text: str) -> tuple[str, str] | None:
    if ".." not in text:
        return None
    old, _, new = text.partition("..")
    return old or "HEAD", new.lstrip(".") or "HEAD"


def _diff(parsed: Parsed, words: list[str], paths: list[str]) -> Ends | None:
    cached = not parsed.switches.isdisjoint(("--cached", "--staged"))
    if len(words) > 2 or (len(words) == 2 and any(_range(word) for word in words)):
        return None
    if len(words) == 2:
        return words[0], words[1], paths
    if not words:
        return ("HEAD", INDEX_END, paths) if cached else (INDEX_END, WORK_END, paths)
    between = _range(words[0])
    return (*between, paths) if between else (words[0], INDEX_END if cached else WORK_END, paths)


def _show(parsed: Parsed, words: list[str], paths: list[str]) -> Ends | None:
    revision = words[0] if words else "HEAD"
    return None if len(words) > 1 or ":" in revision else (f"{revision}^", revision, paths)


def _series(parsed: Parsed, words: list[str], paths: list[str]) -> Ends | None:
    """`git log -p`, `git format-patch --stdout`: so many commits, or those between two."""
    counts = [word.text[1:] for word in parsed.strange if word.text[1:].isdecimal()]
    counts += [value.text for option, value in parsed.values if option.name == "-n"]
    if len(words) > 1 or len(counts) > 1 or len(counts) != len(parsed.strange) + _given(parsed, "-n"):
        return None
    between = _range(words[0]) if words else None
    if between:
        return (*between, paths)
    if counts:
        revision = words[0] if words else "HEAD"
        return (f"{revision}~{counts[0]}", revision, paths) if counts[0].isdecimal() else None
    return None


def _given(parsed: Parsed, name: str) -> int:
    return sum([option.name == name for option, _ in parsed.values])


def _log(parsed: Parsed, words: list[str], paths: list[str]) -> Ends | None:
    return None if parsed.switches.isdisjoint(("-p", "-u", "--patch")) else _series(parsed, words, paths)


def _format_patch(parsed: Parsed, words: list[str], paths: list[str]) -> Ends | None:
    if "--stdout" not in parsed.switches:
        return None
    ends = _series(parsed, words, paths)
    plain = len(words) == 1 and not parsed.strange and not _given(parsed, "-n")
    return ends or ((words[0], "HEAD", paths) if plain else None)


def _diff_tree(parsed: Parsed, words: list[str], paths: list[str]) -> Ends | None:
    if parsed.switches.isdisjoint(("-p", "-u", "--patch")):
        return None
    return _diff(parsed, words, paths) if len(words) == 2 else _show(parsed, words, paths)


def _stash(parsed: Parsed, words: list[str], paths: list[str]) -> Ends | None:
    if words[:1] != ["show"] or parsed.switches.isdisjoint(("-p", "-u", "--patch")) or len(words) > 2:
        return None
    name = words[1] if len(words) > 1 else "stash@{0}"
    name = f"stash@{{{name}}}" if name.isdecimal() else name
    return f"{name}^", name, paths


# command -> the two ends of the patch that it prints
PATCHES = {
    "diff": _diff,
    "show": _show,
    "log": _log,
    "format-patch": _format_patch,
    "diff-tree": _diff_tree,
    "stash": _stash,
}


def printed_patch(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Diffed | None:
    """`args` begin with the command."""
    name = args[0].text
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    given = {option.name for option, _ in parsed.values} | parsed.switches
    if shell.folders is None or len(shell.folders) != 1 or any(not arg.known for arg in args):
        return None
    if not given.isdisjoint(_OTHERWISE) or (parsed.strange and name in ("diff", "show", "diff-tree", "stash")):
        return None
    texts = [arg.text for arg in args]
    after = texts[texts.index("--") + 1 :] if "--" in texts else []
    words = [arg for arg in parsed.operands if arg.text not in after]
    paths = after + [arg.text for arg in words if is_path(arg, shell) and _range(arg.text) is None]
    ends = PATCHES[name](parsed, [arg.text for arg in words if arg.text not in paths], paths)
    if ends is None or (name == "stash" and stashed(shell)):
        return None
    old, new, only = ends
    if "-R" in parsed.switches:
        old, new = new, old
    sides = [(end,) if end in (INDEX_END, WORK_END) else before_call(end, shell) for end in (old, new)]
    return Diffed(shell.folders[0], sides[0], sides[1], tuple(only), span)
