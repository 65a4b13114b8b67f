"""What of a git command stays on this machine and can be taken back: asked of the repository, never guessed.

Rewriting commits is grave where a remote has them: others may have built on them. Throwing away changes is grave
where there are changes. A branch that is deleted is one command away while its commit is known. Where the same call
has moved HEAD or the work tree before, the facts are no longer those of this moment, and all stays as it was. A fetch,
a stash and a new branch leave HEAD at its commit: of its history the facts still hold, of the work tree they may not.
"""

from __future__ import annotations

from ...model.action import lower
from ...model.effects import Effect
from ...model.more_wants import BranchCommit, RewrittenCommits, UncommittedWork
from ...model.verdict import Risk
from ...value import TYPE_CHECKING
from ..machine.options import parse as parse_options
from ..places.paths import Unsettled, settle
from ..reach.git_facts import CHANGED, CLEAN, LARGE, LOCAL, UNKNOWN, asked

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...model.action import Action
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..machine.options import Parsed
    from ..tables.spec import Program

__all__ = ["LOCAL_COMMANDS", "checked_out", "put_back", "settle_local"]

# After these, HEAD is still what it was, and so are files that are committed.
_STILL = frozenset(
    "git:add git:commit git:tag git:branch git:rm git:mv git:config git:notes-add git:worktree-add".split()
)
# These put the work tree aside and back.
_STASHES = frozenset("git:stash git:stash-push git:stash-save git:stash-pop git:stash-apply".split())
_FETCHES = frozenset(("git:fetch", "git:remote-update"))
_SWITCHES = frozenset(("git:checkout", "git:switch"))
# And names that mean another commit after them.
_MOVING = ("-", "@{", "FETCH_HEAD", "ORIG_HEAD", "refs/stash", "stash")
_HISTORY = frozenset(("commit", "rebase"))  # commands of which only commits are asked about
# A rebase that has begun was asked about when it began.
_GOES_ON = frozenset(("--abort", "--continue", "--quit", "--skip", "--show-current-patch"))
_PROTECTED = frozenset(("main", "master", "trunk", "develop", "dev", "production", "staging"))


def settle_local(row: Program, args: list[Arg], before: int, shell: Shell) -> None:
    """`args` begin with the command; `before`: how many actions there were when it was looked at."""
    actions = shell.found.actions
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    folders = shell.folders or ()
    at = next((at for at in range(len(actions) - 1, before - 1, -1) if actions[at].name == row.action), None)
    if at is None or len(folders) != 1 or any(not arg.known for arg in args):
        return
    if "history" not in actions[at].tags and Effect.DESTRUCTIVE not in actions[at].effects:
        return
    if not all(map(_is_still, actions[:before])) and not _knows_commits(row, parsed, actions[:before], shell):
        return
    settled = LOCAL_COMMANDS[row.name](actions[at], parsed, [arg.text for arg in args], folders[0], shell)
    if settled is not None:
        actions[at] = settled


def _is_still(action: Action) -> bool:
    if "moved" in action.tags:
        return False
    looks = not action.effects or action.effects == (Effect.READ,)
    return looks or not action.name.startswith("git:") or action.name in _STILL


def _knows_commits(row: Program, parsed: Parsed, before: list[Action], shell: Shell) -> bool:
    """Whether it is still known which commits are made anew, whatever has become of the work tree."""
    if row.name not in _HISTORY:
        return False
    if row.name == "rebase" and not parsed.switches.isdisjoint(_GOES_ON):
        return True
    names = [arg.text for arg in parsed.operands]
    if row.name == "rebase" and (len(names) > 1 or any(name.startswith(_MOVING) for name in names)):
        return False
    bare = row.name == "rebase" and not names  # onto the upstream of the branch, which a new one does not have
    return all(_is_still(action) or _keeps_head(action, shell, bare=bare) for action in before)


def _keeps_head(action: Action, shell: Shell, *, bare: bool) -> bool:
    target = action.target
    if action.name in _FETCHES:  # into names of the remote, not `main:mine`
        return target.keys() <= {"host", "ref", "remote"} and ":" not in str(target.get("ref", ""))
    if action.name in _SWITCHES:  # to a branch that begins here
        return not bare and target.keys() == {"branch"} and shell.found.refs.get(str(target["branch"])) == ("HEAD",)
    return action.name in _STASHES


def _commit(action: Action, parsed: Parsed, words: list[str], folder: str, shell: Shell) -> Action | None:
    if "amend" not in parsed.switches:
        return None
    return _not_history(action, asked(shell.found, RewrittenCommits(folder, "", "HEAD")))


def _rebase(action: Action, parsed: Parsed, words: list[str], folder: str, shell: Shell) -> Action | None:
    if not parsed.switches.isdisjoint(_GOES_ON):
        written = (*shell.files, *shell.found.facts.written)
        return None if any("/.git/rebase-" in path for path in written) else _not_history(action, LOCAL)
    names = [arg.text for arg in parsed.operands]
    whole = "--root" in parsed.switches
    base = "--root" if whole else names.pop(0) if names else "@{upstream}"
    return _not_history(action, asked(shell.found, RewrittenCommits(folder, base, names[0] if names else "HEAD")))


def _not_history(action: Action, answer: str) -> Action | None:
    if answer != LOCAL:
        return None
    return action.replace(tags=tuple([tag for tag in action.tags if tag != "history"]))


def _checkout_index(action: Action, parsed: Parsed, words: list[str], folder: str, shell: Shell) -> Action | None:
    return _on_paths(action, "index", "", [arg.text for arg in parsed.operands], folder, shell)


def _to_tree(action: Action, parsed: Parsed, words: list[str], folder: str, shell: Shell) -> Action | None:
    """What is committed comes back from HEAD, whichever tree or patch the files are brought to."""
    return _work(action, asked(shell.found, UncommittedWork(folder, "head", "HEAD", ())))


def _reset(action: Action, parsed: Parsed, words: list[str], folder: str, shell: Shell) -> Action | None:
    revision = parsed.operands[0].text if parsed.operands else "HEAD"
    return _work(action, asked(shell.found, UncommittedWork(folder, "head", revision, ())))


def _checkout(action: Action, parsed: Parsed, words: list[str], folder: str, shell: Shell) -> Action | None:
    meant = checked_out(parsed, words)
    return None if meant is None else _on_paths(action, *meant, folder, shell)


def checked_out(parsed: Parsed, words: list[str]) -> tuple[str, str, list[str]] | None:
    """`head` or `index`, the revision, and the paths that are put back."""
    names = [arg.text for arg in parsed.operands]
    if not parsed.switches.isdisjoint(("-p", "--pathspec-from-file", "-2", "-3")):
        return None
    if "--" in words:
        paths = words[words.index("--") + 1 :]
        revision = next((name for name in names if name not in paths), "")
    elif "force" in parsed.switches or len(names) > 1:
        paths, revision = names[1:], names[0] if names else "HEAD"
    else:
        paths, revision = names, ""
    return "head" if revision else "index", revision, paths


def _restore(action: Action, parsed: Parsed, words: list[str], folder: str, shell: Shell) -> Action | None:
    meant = put_back(parsed)
    return None if meant is None else _on_paths(action, *meant, folder, shell)


def put_back(parsed: Parsed) -> tuple[str, str, list[str]] | None:
    """The same of `git restore`."""
    if not parsed.switches.isdisjoint(("-p", "--pathspec-from-file")) or not parsed.operands:
        return None
    source = next((value.text for option, value in parsed.values if option.name == "-s"), "")
    how = "head" if source or "staged" in parsed.switches else "index"
    return how, source, [arg.text for arg in parsed.operands]


def _rm(action: Action, parsed: Parsed, words: list[str], folder: str, shell: Shell) -> Action | None:
    if not parsed.operands or "--pathspec-from-file" in parsed.switches:
        return None
    return _on_paths(action, "head", "", [arg.text for arg in parsed.operands], folder, shell)


def _on_paths(action: Action, how: str, revision: str, paths: list[str], folder: str, shell: Shell) -> Action | None:
    found = []
    for path in paths:
        if path[:1] == ":" or any(char in path for char in "*?["):  # git's own patterns may mean any file
            return None
        try:
            found.append(settle(path, cwd=folder, home="/"))
        except Unsettled:
            return None
    return _work(action, asked(shell.found, UncommittedWork(folder, how, revision, tuple(found))))


_TOO_LARGE = "the repository has too many files to tell whether there are any"


def _work(action: Action, answer: str) -> Action | None:
    if answer == CHANGED:
        return action.replace(tags=tuple(sorted({*action.tags, "uncommitted"})))
    if answer == LARGE:
        return action.replace(compensator="; ".join(filter(None, (action.compensator, _TOO_LARGE))))
    return _nothing_lost(action) if answer == CLEAN else None


def _nothing_lost(action: Action, undo: str | None = None) -> Action:
    return lower(action, risk=Risk.LOW, compensator=undo or action.compensator)


def _branch(action: Action, parsed: Parsed, words: list[str], folder: str, shell: Shell) -> Action | None:
    """A deleted branch: the undo names the commit. What everybody works on is asked about all the same."""
    names = [arg.text for arg in parsed.operands]
    remote = not parsed.switches.isdisjoint(("-r", "--remotes"))
    if "force-delete" not in parsed.switches or not names or remote:
        return None
    if any(name in _PROTECTED or name.partition("/")[0] in ("release", "hotfix") for name in names):
        return None
    commits = [asked(shell.found, BranchCommit(folder, name)) for name in names]
    if UNKNOWN in commits:
        return None
    undo = "; ".join([f"git branch {name} {commit}" for name, commit in zip(names, commits, strict=True)])
    return _nothing_lost(action, undo)


# command -> what the repository says about it
LOCAL_COMMANDS: dict[str, Callable[[Action, Parsed, list[str], str, Shell], Action | None]] = {
    "branch": _branch,
    "apply": _to_tree,
    "checkout": _checkout,
    "checkout-index": _checkout_index,
    "commit": _commit,
    "read-tree": _to_tree,
    "rebase": _rebase,
    "reset": _reset,
    "restore": _restore,
    "rm": _rm,
    "switch": _checkout,
}
