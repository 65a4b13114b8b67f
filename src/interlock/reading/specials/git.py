"""git: options before its command, and forms of a command that decide what it does."""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy
from ..evaluate.contents import restored
from ..evaluate.state import silent
from ..evaluate.words import NUL, Arg, Names
from ..machine.acts import emit, on_path
from ..machine.engine import act_on, run_row
from ..machine.index import find_program
from ..machine.options import Parsed, say
from ..machine.options import parse as parse_options
from ..places.paths import Unsettled, holds, is_own_tree, settle
from ..places.secret_words import hunted
from ..runs.wrappers import run_code
from .git_config import judge_removal, judge_setting, split_setting
from .git_names import is_path, note_names

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program
    from ..tasks.package_keys import obey_hooks
    from .git_held import note_held
    from .git_hooks import fresh_hooks
    from .git_local import settle_local
    from .git_moves import note_moves
    from .git_patches import printed_patch
    from .git_remotes import branch_here, plain_tag
    from .git_trees import brings_tree
    from .git_worktrees import settle_worktrees
    from .searchers import tracked_names, tracked_with
else:
    obey_hooks = lazy(globals(), "..tasks.package_keys", "obey_hooks")
    fresh_hooks = lazy(globals(), ".git_hooks", "fresh_hooks")
    note_held = lazy(globals(), ".git_held", "note_held")
    settle_local = lazy(globals(), ".git_local", "settle_local")
    note_moves = lazy(globals(), ".git_moves", "note_moves")
    printed_patch = lazy(globals(), ".git_patches", "printed_patch")
    branch_here = lazy(globals(), ".git_remotes", "branch_here")
    plain_tag = lazy(globals(), ".git_remotes", "plain_tag")
    brings_tree = lazy(globals(), ".git_trees", "brings_tree")
    settle_worktrees = lazy(globals(), ".git_worktrees", "settle_worktrees")
    tracked_names = lazy(globals(), ".searchers", "tracked_names")
    tracked_with = lazy(globals(), ".searchers", "tracked_with")

__all__ = [
    "git",
    "git_branch",
    "git_checkout",
    "git_config",
    "git_dashed",
    "git_diff",
    "git_each",
    "git_in_place",
    "git_restore",
    "git_rm",
    "git_two",
]

# Commands that run hooks of the repository.
_HOOKED = frozenset(
    (
        "commit", "merge", "push", "checkout", "switch", "rebase", "am", "pull", "worktree", "cherry-pick", "revert",
        "gc", "hook", "clone", "stash", "submodule",
    )
)  # fmt: skip
# And those that bring the work tree to a commit.
_BRINGS = frozenset(
    "checkout switch restore reset read-tree stash cherry-pick revert checkout-index clean sparse-checkout".split()
)
# What these leave in files: evaluate/contents.py.
_RESTORES = frozenset("am checkout cherry-pick merge rebase reset revert stash switch".split())
_HELD = frozenset("branch checkout clean commit rebase reset restore stash switch tag worktree".split())
_LOCAL = frozenset(
    "apply branch checkout checkout-index commit read-tree rebase reset restore rm switch".split()
)  # see git_local.py
# And those that make or move branches, tags, HEAD, the index or the stash.
_NAMES = frozenset(
    (
        "branch", "checkout", "commit", "fetch", "read-tree", "reset", "restore", "stash", "switch", "symbolic-ref",
        "tag", "update-ref", "worktree",
    )
)  # fmt: skip
_MOVES = frozenset("branch checkout config rebase stash switch symbolic-ref".split())  # see git_moves.py
_PATCHES = frozenset(("diff", "show", "log", "format-patch", "diff-tree", "stash"))  # and those that print patches
_OWN_PLACE = frozenset(("clone", "init", "init-db", "worktree", "config"))  # these name what they write themselves
_CHANGES = frozenset((Effect.WRITE, Effect.DESTRUCTIVE, Effect.EXECUTE))


def git(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """The options before the command, then the command by its own row."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    if parsed.strange:
        shell.unclear(f"`{parsed.strange[0].text.replace(NUL, '…')}` is an unknown option", span)
    inner = shell.copy()
    aliases: dict[str, Arg] = {}
    named = _own_options(parsed, inner, aliases, span)
    places = [place for _, place in named]
    if not parsed.operands or parsed.switches & {"-h", "-v"}:
        emit(shell, span, name="git:help", effects=(), tags=())
        return None
    first, rest = parsed.operands[0], parsed.operands[1:]
    if not first.known:
        shell.unclear(f"which subcommand runs depends on {first.why or 'a pattern'}", span)
        return None
    name = first.text
    if name in aliases and name not in row.subs:
        return _alias(row, aliases[name], [args[0], *rest], span, inner)
    sub = row.subs.get(name) or find_program(f"git-{name}")
    if sub is None:
        emit(shell, span, name=f"git:{name}", effects=(Effect.EXECUTE,), tags=("unknown",))
        return None
    if rest and (rest[0].text == "--help" or (rest[0].text == "-h" and len(rest) == 1)):
        emit(shell, span, name="git:help", effects=(), tags=())
        return None
    if shell.files or shell.found.facts.written:
        stores = [*(inner.folders or ()), *[folder for place in places for folder in _entered(place, inner) or ()]]
        fresh_hooks(name, inner, stores, span, hooks=name in _HOOKED)
        if name in _HOOKED:
            obey_hooks(name, rest, inner, span)
    if name == "push":  # another repository's `origin` is another place
        for place in places:
            inner.folders = _entered(place, inner)
    before = len(shell.found.actions)
    output = run_row(sub, parsed.operands, span, inner)
    if name == "worktree":
        settle_worktrees(rest, before, inner)
    if name in _BRINGS:
        brings_tree(sub, parsed.operands, dict(named), span, inner)
    if name in _LOCAL and not places:
        settle_local(sub, parsed.operands, before, inner)
    if name in _HELD and not places:
        note_held(sub, parsed.operands, before, inner)
    if name in _RESTORES and shell.found.facts.written:
        restored(shell.found.actions[before:], span, inner)
    if name in _NAMES and (rest or name == "stash"):
        note_names(sub, parsed.operands, inner)
    if name in _MOVES:
        note_moves(name, sub, parsed.operands, inner)
    if any(_CHANGES.intersection(action.effects) for action in shell.found.actions[before:]):
        _where_it_changes(name, places, span, inner)
    if output is None and name in _PATCHES:
        output = printed_patch(sub, parsed.operands, span, inner) if not places else None
    return output or _prints(name, rest, span, shell if inner.folders == shell.folders and not places else None)


_HASH = "[0-9a-f]*"
_HEADS = frozenset(("HEAD", "@", "HEAD~1", "HEAD^", "HEAD~"))
_BRANCH = (
    ("branch", ["--show-current"]),
    ("symbolic-ref", ["--short", "HEAD"]),
    ("symbolic-ref", ["--short", "-q", "HEAD"]),
    ("symbolic-ref", ["-q", "--short", "HEAD"]),
    ("rev-parse", ["--abbrev-ref", "HEAD"]),
    ("rev-parse", ["--abbrev-ref", "@"]),
)
# Options that leave the output what it is: hashes, or names below this folder.
_PLAINLY = {
    "rev-list": ("--all", "--reverse", "--max-count=", "-n", "-1", "--merges", "--no-merges", "--first-parent",
                 "--since=", "--until=", "--after=", "--before=", "--author=", "--branches", "--tags",
                 "--max-parents=", "--min-parents="),
    "describe": ("--tags", "--abbrev=", "--always", "--long", "--dirty", "--exact-match", "--match=", "--exclude=",
                 "--first-parent"),
    "ls-files": ("-z", "-c", "-m", "-d", "-o", "--cached", "--modified", "--deleted", "--others", "--exclude-standard",
                 "--exclude=", "--directory", "--"),
    "diff": ("--name-only", "--cached", "--staged", "--diff-filter=", "-z", "--merge-base", "--"),
    "rev-parse": ("--short", "--short=", "--verify", "-q", "--quiet"),
    "log": ("--all", "--reverse", "--max-count=", "-n", "--skip=", "--merges", "--no-merges", "--first-parent",
            "--since=", "--until=", "--after=", "--before=", "--author=", "--committer=", "--grep=", "--branches",
            "--tags", "--follow", "--diff-filter=", "--topo-order", "--date-order", "--no-patch", "-s", "--format=",
            "--pretty=", "--"),
}  # fmt: skip


def _prints(name: str, rest: list[Arg], span: tuple[int, int], shell: Shell | None) -> Arg | None:
    """Commit hashes, a branch, names below this folder: never an option, never a path that leads out."""
    words = [arg.text for arg in rest]
    if name in ("merge-base", "write-tree", "commit-tree"):
        return Names(_HASH, span, True)
    if not all(arg.known for arg in rest):
        return None
    if (name, words) in _BRANCH:
        return branch_here(span, shell) or Names("[a-z]*", span, True)
    if name == "grep" and shell is not None and "--no-index" not in words:
        return tracked_with(rest, span, shell)
    flags = [word for word in words if word.startswith("-")]
    names = [word for word in words if not word.startswith("-")]
    plain = _PLAINLY.get(name)
    if name == "log" and not _only_hashes(flags):
        return None
    flags = [flag for flag in flags if not (name == "log" and flag[1:].isdecimal())]  # `-1`
    if plain is None or not all(flag in plain or flag.partition("=")[0] + "=" in plain for flag in flags):
        return None
    if name in ("log", "rev-list") or (name == "rev-parse" and names and _HEADS.issuperset(names)):
        return Names(_HASH, span, True)
    if shell is None or any(word.startswith(("/", "..")) for word in names):
        return None
    if name == "describe":
        return plain_tag(span, shell)
    at_root = shell.folders == (shell.found.facts.root,)  # a diff names files from there, wherever it is run
    if name == "ls-files":
        return tracked_names(rest, span, shell)
    if name == "diff" and "--name-only" in flags and at_root:
        return Names("*", span, True)
    return None


_HASHES = frozenset(("%H", "%h", "%T", "%t", "%P", "%p"))


def _only_hashes(flags: list[str]) -> bool:
    """`--format=%H`, once: nothing of what people have written into a commit is printed."""
    forms = [flag.partition("=")[2] for flag in flags if flag.startswith(("--format", "--pretty"))]
    return len(forms) == 1 and forms[0].removeprefix("t").removeprefix("format:") in _HASHES


# Variables that say the same as an option before the command.
_BY_VARIABLE = {"GIT_DIR": "--git-dir", "GIT_COMMON_DIR": "--git-dir", "GIT_WORK_TREE": "--work-tree"}


def _own_options(parsed: Parsed, shell: Shell, aliases: dict[str, Arg], span: tuple[int, int]) -> list[tuple[str, Arg]]:
    """`-C`, `-c` and the like; the repository and the work tree, where they are named, by an option or a variable."""
    named = [
        (option, value)
        for name, option in _BY_VARIABLE.items()
        for value in shell.variables.get(name, ())
        if value.text
    ]
    for option, value in parsed.values:
        if option.name == "-C":
            shell.folders = _entered(value, shell)
        elif option.name == "-c":
            name, setting = split_setting(value)
            if name.lower().startswith("alias.") and NUL not in name:
                aliases[name[6:]] = setting
            else:
                judge_setting(name, setting, shell, span, lasting=False)
        elif option.name == "--config-env":
            shell.unclear("a setting of git is taken from the environment", span)
        elif option.name == "--exec-path":
            shell.unclear("the programs of git are looked for elsewhere", span)
        elif option.name in ("--git-dir", "--work-tree"):
            named.append((option.name, value))
    if not named:
        return named
    named = [(name, _from_root(value, shell)) for name, value in named]
    for name, value in named:
        tree = _entered(value, shell) if name == "--work-tree" else None
        if tree and shell.folders and not any(holds(tree[0], folder) for folder in shell.folders):
            shell.folders = tree  # git goes there, and takes the words after the command from there
    return named


def _from_root(arg: Arg, shell: Shell) -> Arg:
    at = _entered(arg, shell)
    return Arg(at[0], arg.span) if at is not None and len(at) == 1 else arg


def _entered(arg: Arg, shell: Shell) -> tuple[str, ...] | None:
    if not arg.known or (shell.folders is None and not arg.text.startswith("/")):
        return None
    try:
        return tuple([settle(arg.text or ".", cwd=folder, home="/") for folder in shell.folders or ("/",)])
    except Unsettled:
        return None


def _alias(row: Program, value: Arg, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """An alias that this very command defines: a command line after `!`, else words for git."""
    quoted = not value.text.startswith("!") and any(char in value.text for char in "\\'\"")
    if not value.known or shell.depth > 8 or quoted:
        shell.unclear("an alias of git whose meaning is unknown", span)
        return None
    if value.text.startswith("!"):
        return run_code("code.sh", Arg(value.text[1:], value.span), shell, span)
    shell.depth += 1
    return git(row, [args[0], *(Arg(word, value.span) for word in value.text.split()), *args[1:]], span, shell)


def _where_it_changes(name: str, places: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """A repository outside the project that is changed is a place that is written."""
    facts = shell.found.facts
    if shell.folders is None:
        shell.unclear("it is unclear in which repository git works", span)
    elif name not in _OWN_PLACE:
        for folder in shell.folders:
            if not is_own_tree(facts, folder):
                on_path("write", Arg(folder, span), shell)
    for place in places:
        if not place.known or not all(is_own_tree(facts, at) for at in _entered(place, shell) or ("/",)):
            on_path("write", place, shell)


# Options with which the words are patterns, or that say themselves what happens.
_NO_NEW = {
    "branch": frozenset(
        (
            "-l", "-a", "-r", "--show-current", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at",
            "delete", "force-delete", "move", "force-move", "copy", "force-copy", "unset", "edit", "-u",
        )
    ),
    "tag": frozenset(
        (
            "-l", "-n", "-v", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "delete",
        )
    ),
}  # fmt: skip


def git_branch(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`git branch x` and `git tag x` make one; with an option that asks for a list, x is a pattern."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if parsed.operands and parsed.switches.isdisjoint(_NO_NEW[row.name]):
        parsed.switches.add("makes")
    if any(option.role == "upstream" and _leads_elsewhere(value.text) for option, value in parsed.values):
        parsed.switches.add("elsewhere")
    if {"delete", "force"} <= parsed.switches and "force-delete" in row.flags:
        parsed.switches.add("force-delete")
    return act_on(row, parsed, args, span, shell)


def _leads_elsewhere(upstream: str) -> bool:
    """`evil/main`, where a plain `git push` goes from then on. The two remotes that everybody has are ordinary."""
    remote, slash, _ = upstream.partition("/")
    return bool(slash) and remote not in ("origin", "upstream", "refs")


_MAKES_BRANCH = frozenset(("-b", "-B", "--orphan", "-d", "-t"))


def git_checkout(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """A branch, or paths that are put back as they were: then changes to them are lost."""
    words = [arg.text for arg in args]
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    after = words[words.index("--") + 1 :] if "--" in words else []
    asked = after or not parsed.switches.isdisjoint(("--pathspec-from-file", "-p", "-2", "-3"))
    named = len(parsed.operands) > 1 or any(is_path(arg, shell) for arg in parsed.operands)
    if asked or (named and parsed.switches.isdisjoint(_MAKES_BRANCH)):
        parsed.switches.add("discards")
        for arg in parsed.operands:
            if arg.text in after or (not after and is_path(arg, shell)):
                on_path("write", arg, shell)
    return act_on(row, parsed, args, span, shell)


def git_restore(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Only the index with `--staged` alone; else changes in the work tree are lost."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if "staged" not in parsed.switches or "worktree" in parsed.switches:
        parsed.switches.add("discards")
        _put_back(parsed.operands, shell)
    return act_on(row, parsed, args, span, shell)


def git_rm(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """What is taken away can be had again from a commit; what guards something may not be gone until then."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if "cached" not in parsed.switches and "-n" not in parsed.switches:
        _put_back(parsed.operands, shell, "move")
    return act_on(row, parsed, args, span, shell)


def _put_back(paths: list[Arg], shell: Shell, role: str = "write") -> None:
    """Paths that belong to a guard, among those that git changes; the others are told of by the command itself."""
    for arg in paths:
        if arg.known or arg.glob:
            looked = silent(shell)
            on_path(role, arg, looked)
            if any("guard" in action.tags for action in looked.found.actions):
                on_path(role, arg, shell)


def git_diff(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Revisions and paths in the repository; a path that leads out of it is read as a file."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    words = parsed.operands
    if row.name == "grep" and parsed.switches.isdisjoint(("-e", "-f")):
        if any(arg.glob for arg in words[1:]) and hunted(words[0].text):
            emit(shell, span, name="secret:search", effects=(Effect.READ,), tags=("hunts",))  # through all of history
        words = words[1:]  # the pattern
    outside = "--no-index" in parsed.switches
    texts = [arg.text for arg in args]
    after = {id(arg) for arg in args[texts.index("--") + 1 :]} if "--" in texts else set()
    for arg in words:
        path = _path_in(arg, everything=outside or id(arg) in after or row.name == "add")
        if path is not None:
            say(parsed, "read", path)
    if outside and row.name == "grep" and {".", ":/"}.issuperset([arg.text for arg in words]):
        on_path("read", Arg(".", span), shell)  # files that git does not track, too
    return act_on(row, parsed, args, span, shell)


def _path_in(arg: Arg, *, everything: bool) -> Arg | None:
    """The file that a word names: a path that leads out, a hidden one, or the end of `HEAD:path`."""
    text = arg.text
    if everything or text.startswith(("/", "../", "~")):
        return None if text in (".", ":/") or (arg.unknown and not text.startswith("/")) else arg
    revision, colon, path = text.partition(":")
    if colon and revision and path and not arg.unknown and path[:1] not in "/(!^":
        return Arg(path, arg.span, arg.glob, arg.origin)
    hidden = text.rpartition("/")[2].startswith(".") and text.strip("./") != ""
    return arg if hidden and ".." not in text and not arg.unknown else None


def git_in_place(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`git interpret-trailers`: files that are read, and with `--in-place` written."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if "in-place" in parsed.switches:
        for arg in parsed.operands:
            on_path("edit", arg, shell)
    return act_on(row, parsed, args, span, shell)


def git_two(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """One word asks, two words set."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if len(parsed.operands) > 1:
        parsed.switches.add("sets")
    if parsed.operands and parsed.operands[0].text == "HEAD" and not parsed.switches.isdisjoint(("sets", "delete")):
        parsed.switches.add("moves-head")  # what is checked out is then the work of another branch
    return act_on(row, parsed, args, span, shell)


_VERBS = {"get": "gets", "list": "gets", "set": "sets", "unset": "unsets", "edit": "edits", "get-color": "gets"}
_VERBS |= {"get-colorbool": "gets", "rename-section": "--rename-section", "remove-section": "unsets"}
_GETS = frozenset(
    ("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool", "-l", "gets")
)
_UNSETS = frozenset(("--unset", "--unset-all", "--rename-section", "--remove-section", "unsets"))


def git_config(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Asks or sets: by an option, a verb, or how many words there are."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    words, parsed.operands = parsed.operands, []
    if words and words[0].text in _VERBS:
        parsed.switches.add(_VERBS[words.pop(0).text])
    asks = not parsed.switches.isdisjoint(_GETS)
    unsets = not parsed.switches.isdisjoint(_UNSETS)
    if "-e" in parsed.switches:
        parsed.switches.add("edits")
    elif not asks and (unsets or len(words) > 1 or "--add" in parsed.switches):
        parsed.switches.add("sets")
    sets = not parsed.switches.isdisjoint(("sets", "edits"))
    if words:
        say(parsed, "key", words[0])
    if "global" in parsed.switches:
        say(parsed, "scope", Arg("global", span))
    for option, value in list(parsed.values):
        if option.role == "file":
            parsed.values.remove((option, value))
            on_path("edit" if sets else "read", value, shell)
    if sets and not unsets and len(words) > 1:
        judge_setting(words[0].text, words[1], shell, span, lasting=True)
    elif unsets and words:
        judge_removal(words[0].text, shell, span, renames="--rename-section" in parsed.switches)
    if "edits" in parsed.switches:
        shell.unclear("an editor, for someone to type into", span)
    return act_on(row, parsed, args, span, shell)


def git_each(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`git for-each-repo --config=K -- CMD`: a git command in repositories that a setting names."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    shell.unclear("a setting names the repositories in which git works", span)
    top = find_program("git")
    if top is None or not parsed.operands:
        return None
    return git(top, [args[0], *parsed.operands], span, shell)


def git_dashed(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`git-filter-repo …` is `git filter-repo …`; `hub push` is `git push`."""
    top = find_program("git")
    name = [Arg(row.name[4:], args[0].span)] if row.name.startswith("git-") else []
    return None if top is None else git(top, [args[0], *name, *args[1:]], span, shell)
