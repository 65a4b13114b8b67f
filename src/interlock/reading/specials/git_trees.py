"""git commands that bring the work tree to a commit: what they would change there is asked for as a fact.

Only commands whose commit can be told from their words are here. What `pull`, `merge` and `rebase` leave behind
depends on more than one tree; it is looked at after it has happened.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy
from ..evaluate.words import Arg
from ..lands.laid import filled, keep, lay, stream
from ..lands.placing import TREE, Placement, bases_of, may_tell
from ..machine.engine import act_on
from ..machine.options import parse as parse_options
from ..machine.places import where
from ..places.paths import Unsettled, settle
from .git_names import INDEX, before_call, stashed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..evaluate.flows import Flow
    from ..evaluate.state import Shell
    from ..machine.options import Parsed
    from ..tables.spec import Program
    from .git_config import on_remote

    Plan = list[tuple[str, str, list[Arg]]]  # how, revision, and the paths that are meant, if not all
else:
    on_remote = lazy(globals(), ".git_config", "on_remote")

__all__ = ["BRINGS", "brings_tree", "git_archive"]


def _checkout(parsed: Parsed, words: list[str]) -> Plan:
    forced = "force" if "force" in parsed.switches else "switch"
    made = [value for option, value in parsed.values if option.name in ("-b", "-B", "-c", "-C")]
    names = parsed.operands
    if any(option.name == "--orphan" for option, _ in parsed.values):
        return [("switch", names[0].text, [])] if names else []
    if "--" in words:
        after = [arg for arg in names if arg.text in words[words.index("--") + 1 :]]
        before = [arg for arg in names if arg not in after]
        if after:
            how = "force" if "--no-overlay" in parsed.switches else "overlay"
            return [(how, before[0].text, after)] if before else [("index", "", after)]
    if made:
        return [(forced, names[0].text, [])] if names else [(forced, "HEAD", [])] if forced == "force" else []
    if not names:
        return [("force", "HEAD", [])] if forced == "force" else []
    rest = names[1:]
    plan: Plan = [("overlay", names[0].text, rest)] if rest else [(forced, names[0].text, [])]
    return [*plan, ("index", "", names)]  # or all of them are paths


def _switch(parsed: Parsed, words: list[str]) -> Plan:
    if any(option.name == "--orphan" for option, _ in parsed.values):
        return [("empty", "", [])]
    return _checkout(parsed, [])[:1]


def _restore(parsed: Parsed, words: list[str]) -> Plan:
    if "staged" in parsed.switches and "worktree" not in parsed.switches:
        return []
    source = next((value.text for option, value in parsed.values if option.name == "-s"), "")
    source = source or ("HEAD" if "staged" in parsed.switches else "")
    return [("force" if source else "index", source, list(parsed.operands))]


def _reset(parsed: Parsed, words: list[str]) -> Plan:
    if parsed.switches.isdisjoint(("hard", "merge", "--keep")):
        return []
    return [("force", parsed.operands[0].text if parsed.operands else "HEAD", [])]


def _read_tree(parsed: Parsed, words: list[str]) -> Plan:
    if "-u" not in parsed.switches:
        return []
    return [("force", arg.text, []) for arg in parsed.operands[-1:]]


def _stash(parsed: Parsed, words: list[str]) -> Plan:
    verb = words[1] if len(words) > 1 and words[1][:1] != "-" else "push"
    if verb in ("push", "save"):
        plan: Plan = [("force", "HEAD", [])]
        if not parsed.switches.isdisjoint(("-a", "--all")):
            return [*plan, ("ignored", "", [])]
        return plan if parsed.switches.isdisjoint(("-u", "--include-untracked")) else [*plan, ("untracked", "", [])]
    if verb not in ("pop", "apply", "branch"):
        return []
    named = [word for word in words[2:] if word[:1] != "-"][1 if verb == "branch" else 0 :]
    name = named[0] if named else "stash@{0}"
    plan = [("stash", f"stash@{{{name}}}" if name.isdecimal() else name, [])]
    return [*plan, ("switch", name + "^", [])] if verb == "branch" else plan


def _picked(parsed: Parsed, words: list[str]) -> Plan:
    how = "revert" if words[0] == "revert" else "pick"
    return [(how, arg.text, []) for arg in parsed.operands if ".." not in arg.text]


def _checkout_index(parsed: Parsed, words: list[str]) -> Plan:
    return [("index", "", [])]


def _clean(parsed: Parsed, words: list[str]) -> Plan:
    if not parsed.switches.isdisjoint(("-n", "--dry-run")):
        return []
    ignored = not parsed.switches.isdisjoint(("ignored", "only-ignored"))
    return [("ignored" if ignored else "untracked", "", list(parsed.operands))]


def _sparse(parsed: Parsed, words: list[str]) -> Plan:
    """Tracked files that are not named go away: all but those in the root's own folder and in the folders named."""
    if len(words) < 2 or words[1] not in ("set", "init", "reapply"):
        return []
    named = [word.strip("/") for word in words[2:] if word[:1] != "-"]
    if "--no-cone" in words and "*" in named and not any(word[:1] == "!" for word in named):
        return []
    kept = "--no-cone" not in words and any(word == ".claude" or word.startswith(".claude/") for word in named)
    return [] if kept else [("empty", "", [])]


# command -> what it would bring where
BRINGS = {
    "checkout": _checkout,
    "switch": _switch,
    "restore": _restore,
    "reset": _reset,
    "read-tree": _read_tree,
    "stash": _stash,
    "cherry-pick": _picked,
    "revert": _picked,
    "checkout-index": _checkout_index,
    "clean": _clean,
    "sparse-checkout": _sparse,
}


def brings_tree(row: Program, args: list[Arg], places: Mapping[str, Arg], span: tuple[int, int], shell: Shell) -> None:
    """`args` begin with the command. `places` are the repository and its work tree, if options name them."""
    gitdir, tree = places.get("--git-dir"), places.get("--work-tree")
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if shell.folders is None or any(arg.unknown for arg in args) or not parsed.switches.isdisjoint(row.dryrun.split()):
        return
    if args[0].text == "stash" and (count := stashed(shell)):
        args = _older(args, count)
    for folder in shell.folders:
        top = folder if tree is None else where(tree, shell)
        named = (("gitdir", where(gitdir, shell)),) if gitdir is not None else ()
        for how, revision, paths in BRINGS[args[0].text](parsed, [arg.text for arg in args]):
            only = tuple([("only", path) for path in _only(paths, folder)])
            if not revision:
                lay(TREE, folder, top, span, shell, (("how", how), *named, *only))
                # What the call has read into the index is put back as well.
                found = shell.found.refs.get(INDEX, ()) if how == "index" else ()
                how = "overlay"
            else:
                found = before_call(revision, shell)
            for name in found:
                lay(TREE, folder, top, span, shell, (("how", how), ("rev", name), *named, *only))
            if revision and not found:
                _refuse(revision, top, only, span, shell)


def _older(args: list[Arg], count: int) -> list[Arg]:
    """`git stash pop` of what this call has put there brings back what lay there when it began: nothing is new."""
    words = [arg.text for arg in args]
    if len(words) < 2 or words[1] not in ("pop", "apply"):
        return args
    named = next((word for word in words[2:] if word[:1] != "-"), "0")
    number = named.removeprefix("stash@{").removesuffix("}")
    if not number.isdecimal():
        return args
    if int(number) < count:
        return [args[0], Arg("list", args[1].span)]
    return [*args[:2], Arg(str(int(number) - count), args[1].span)]


def _refuse(revision: str, top: str, only: tuple[tuple[str, str], ...], span: tuple[int, int], shell: Shell) -> None:
    facts, bases = shell.found.facts, bases_of(shell.found.facts, (shell.found.cwd,) if shell.found.cwd else ())
    if any(may_tell(path, bases, facts) for path in ([path for _, path in only] or [top])):
        shell.unclear(f"it brings `{revision}`, which this call makes; it is unclear what that writes here", span)


def git_archive(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    values = {option.name: value for option, value in parsed.values}
    if "--remote" in values:
        on_remote(values["--remote"], shell, span)
    output = act_on(row, parsed, args, span, shell)
    return output or _packed(parsed.operands, values, span, shell)


def _packed(words: list[Arg], values: dict[str, Arg], span: tuple[int, int], shell: Shell) -> Flow | None:
    """Keeps what `git archive` packs, where that is a commit of this repository; the pipe that it prints to."""
    prefix, archive = values.get("--prefix"), values.get("-o")
    if not words or shell.folders is None or len(shell.folders) != 1:
        return None
    if not values.keys() <= {"--prefix", "--format", "-o"} or not all(
        word.known for word in (*words, *values.values())
    ):
        return None
    folder, given = next(iter(shell.folders)), stream(span, shell)
    into = given.path if archive is None else where(archive, shell)
    inside = into if prefix is None else f"{into}/{prefix.text.strip('/')}"
    only = [("only", f"{inside}/{name.strip('/')}") for name in _only(words[1:], "/")]
    found = before_call(words[0].text, shell)
    for revision in found:
        options = (("how", "all"), ("rev", revision), *only)
        if not keep(Placement(kind=TREE, source=folder, into=inside, options=options), shell):
            return None
    if not found:
        return None
    if archive is not None:
        filled(into, span, shell)
    return given if archive is None else None


def _only(paths: list[Arg], folder: str) -> list[str]:
    """The paths that are meant; none if one of them is a pattern, which may mean any."""
    found = []
    for path in paths:
        if path.glob or path.text[:1] == ":" or any(char in path.text for char in "*?["):
            return []
        try:
            found.append(settle(path.text or ".", cwd=folder, home="/"))
        except Unsettled:
            return []
    return found
