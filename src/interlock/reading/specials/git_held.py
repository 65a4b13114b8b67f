"""What of a git command a checkpoint would have to hold, told in one line: see `Action.at`.

The line is the folder, how work is lost, the revision, and the paths or names that are meant, with tabs in between:

    head       files and the index are put back as the revision has them; without paths, HEAD moves there (`reset`)
    switch     the same, and HEAD is put on the revision
    index      files are put back as the index has them
    untracked, ignored, only-ignored   files that git does not track are deleted
    branch, tag, stash                 names are deleted; of stashes without a name, all of them
    worktree   a linked work tree is removed, with what git keeps of it
    amend      the last commit is replaced; the index may change, files do not
    rebase     commits since the revision are made anew, on top of the path's commit where one is given

Where a part of that is not certain there is no line, and the action keeps its tier. `amend` and `rebase` lose nothing
that is asked about; they are held because a person wants them back.
"""

from __future__ import annotations

from ...model.action import REWRITES
from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..machine.options import parse as parse_options
from ..places.paths import Unsettled, settle
from .git_local import checked_out, put_back

if TYPE_CHECKING:
    from ...model.action import Action
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..machine.options import Parsed
    from ..tables.spec import Program

__all__ = ["note_held"]

# Options of a rebase that change neither what is made anew nor what is run.
_PLAIN_REBASE = frozenset("-i -m -q -v --interactive --autosquash --onto --update-refs --no-verify".split())
# Of a commit: with a path or a part of a file, the index is left in a way of its own.
_PARTLY = frozenset("-p -i -o --pathspec-from-file --fixup --squash".split())


def note_held(row: Program, args: list[Arg], before: int, shell: Shell) -> None:
    """`args` begin with the command; `before`: how many actions there were when it was looked at."""
    actions = shell.found.actions
    folders = shell.folders or ()
    if len(folders) != 1 or any(not arg.known for arg in args):
        return
    staged = ("git:add",) if row.name == "commit" else ()  # the index comes back as it was before that, too
    if not all(_is_quiet(action) or action.name in staged for action in actions[:before]):
        return
    words = [arg.text for arg in args]
    if any(not word.isprintable() for word in (folders[0], *words)):
        return
    for at in range(before, len(actions)):
        action = actions[at]
        if action.name in REWRITES or (Effect.DESTRUCTIVE in action.effects and action.name.startswith("git:")):
            told = _told(action.name, row, args, words, folders[0])
            if told is not None:
                actions[at] = action.replace(at="\t".join((folders[0], *told)))


def _is_quiet(action: Action) -> bool:
    """INVARIANT: no other command of git has changed index, names or work tree before: what is held is as it is now."""
    if "moved" in action.tags:
        return False
    return not action.name.startswith("git:") or not action.effects or action.effects == (Effect.READ,)


def _told(name: str, row: Program, args: list[Arg], words: list[str], folder: str) -> tuple[str, ...] | None:
    if name in ("git:stash-drop", "git:stash-clear"):
        return _stash(name, words)
    if name == "git:worktree-remove":
        paths = [word for word in words[2:] if word not in ("-f", "--force", "--")]
        return _on("worktree", "", paths, folder) if len(paths) == 1 and paths[0][:1] != "-" else None
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    names = [arg.text for arg in parsed.operands]
    if name == "git:commit":
        plain = "amend" in parsed.switches and parsed.switches.isdisjoint(_PARTLY) and not names
        return ("amend", "") if plain else None
    if name == "git:rebase":
        return _rebase(parsed, names)
    if name == "git:reset":
        return ("head", names[0] if names else "HEAD") if len(names) < 2 else None
    if name in ("git:checkout", "git:switch"):
        return _checkout(parsed, words, folder)
    if name == "git:restore":
        meant = put_back(parsed)
        return None if meant is None else _on(meant[0], meant[1], meant[2], folder)
    if name == "git:clean":
        return _clean(words, folder)
    if name == "git:branch":
        deletes = not parsed.switches.isdisjoint(("force-delete", "delete"))
        return ("branch", "", *names) if deletes and names and not {"-r", "--remotes"} & parsed.switches else None
    if name == "git:tag":
        return ("tag", "", *names) if "delete" in parsed.switches and names else None
    return None


def _rebase(parsed: Parsed, names: list[str]) -> tuple[str, ...] | None:
    onto = [value.text for option, value in parsed.values if option.name == "--onto"]
    others = [option for option, _ in parsed.values if option.name != "--onto"]
    if len(names) != 1 or len(onto) > 1 or others or not parsed.switches <= _PLAIN_REBASE:
        return None
    return ("rebase", names[0], *onto)


def _stash(name: str, words: list[str]) -> tuple[str, ...] | None:
    rest = [word for word in words[2:] if word not in ("-q", "--quiet")]
    if name == "git:stash-clear":
        return ("stash", "") if not rest else None
    if len(rest) > 1:
        return None
    number = rest[0].removeprefix("stash@{").removesuffix("}") if rest else "0"
    return ("stash", "", number) if number.isascii() and number.isdigit() and len(number) < 4 else None


def _checkout(parsed: Parsed, words: list[str], folder: str) -> tuple[str, ...] | None:
    if not parsed.switches.isdisjoint(
        ("-b", "-B", "-c", "-C", "--orphan", "--detach", "-d", "-t", "--track", "create")
    ):
        return None
    meant = checked_out(parsed, words)
    if meant is None:
        return None
    how, revision, paths = meant
    if how == "head" and not paths:
        return ("switch", revision)
    return _on(how, revision, paths, folder)


def _on(how: str, revision: str, paths: list[str], folder: str) -> tuple[str, ...] | None:
    found = []
    for path in paths:
        if path[:1] == ":" or any(char in path for char in "*?[\\"):  # git's own patterns may mean any file
            return None
        try:
            found.append(settle(path, cwd=folder, home="/"))
        except Unsettled:
            return None
    return (how, revision or ("HEAD" if how == "head" else ""), *found) if found else None


def _clean(words: list[str], folder: str) -> tuple[str, ...] | None:
    how, paths, force = "untracked", [], 0
    for word in words[1:]:
        if word == "--":
            continue
        if not word.startswith("-"):
            paths.append(word)
        elif word.startswith("--"):
            if word not in ("--force", "--quiet"):
                return None
            force += word == "--force"
        elif not set(word[1:]) <= set("fdxXq"):
            return None
        else:
            force += word.count("f")
            how = "ignored" if "x" in word else "only-ignored" if "X" in word else how
    if force > 1:  # a second -f takes other repositories along
        return None
    if not paths:
        return (how, "", folder)
    return _on(how, "", paths, folder)
