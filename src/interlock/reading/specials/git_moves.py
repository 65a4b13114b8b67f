"""What the earlier statements of a call do to HEAD, to branches and to the settings of a push, as moves to be played.

Each statement may have failed, unless what stands behind it only runs where it has worked. Programs whose text was not
read, or that are known to switch branches, leave it open where HEAD is. The project's own tests and builds do not
count among them: docs/limits.md says so.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.earlier import note, ways
from ..evaluate.words import NUL
from ..machine.options import parse as parse_options
from ..resolve.refs import PLAIN, PLAYED
from .git_names import is_path

if TYPE_CHECKING:
    from ...model.action import Action
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..machine.options import Parsed
    from ..resolve.refs import Move, Way
    from ..tables.spec import Program

__all__ = ["MOVES", "note_moves", "setting_move", "ways_to"]

_SETTINGS = frozenset(("push.default", "remote.pushdefault"))
_OF_A_REMOTE = ("push", "mirror")
_OF_A_BRANCH = ("remote", "pushremote", "merge")
_STEPS = frozenset(("--abort", "--continue", "--skip", "--quit"))
# Programs that switch branches in ways that are not followed.
_SWITCHES = ("gh:pr-checkout", "glab:mr-checkout", "hub:", "jj:", "git-flow:", "gt:", "sl:", "git:bisect", "git:replay")
_NOT_READ = frozenset("written-here fetched remote-code unknown".split())
_PLACES = ("/.git/", "/.gitconfig", "/.config/git/")


def note_moves(name: str, row: Program, args: list[Arg], shell: Shell) -> None:
    """Remembers what a command of git does to what a later push goes by. `args` begin with the command."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if name == "checkout" and parsed.operands and all(is_path(arg, shell) for arg in parsed.operands):
        return
    if not parsed.switches.isdisjoint(row.dryrun.split()):
        return
    moves = MOVES[name](parsed, [arg.text for arg in args[1:]])
    if any(NUL in word for move in moves for word in move):
        moves = [("lost", "a word of an earlier command is not known")]
    if not moves:
        return
    note(moves, _disturbed(shell), shell)
    shell.git["folders"] = {*shell.git.get("folders", ()), shell.folders}


def ways_to(shell: Shell) -> tuple[Way, ...]:
    """The ways that the call may have gone so far, as far as they concern the repository of this folder."""
    known = tuple(dict.fromkeys([tuple([move for move in way if move[0] in PLAYED]) for way in _disturbed(shell)]))
    here = shell.git.get("folders", {shell.folders}) == {shell.folders}
    return known if here else tuple(dict.fromkeys((*known, *PLAIN)))


def _disturbed(shell: Shell) -> tuple[Way, ...]:
    """All ways, after what else the call has done meanwhile."""
    actions = shell.found.actions
    since = shell.git.get("seen", 0)
    shell.git["seen"] = len(actions)
    why = next((why for action in actions[since:] if (why := _disturbs(action))), "")
    if why:
        shell.git["ways"] = tuple([(*way, ("lost", why)) for way in ways(shell)])
    return ways(shell)


def _disturbs(action: Action) -> str:
    """Why HEAD may be elsewhere after this; empty: it is where it was."""
    if action.name.startswith(_SWITCHES) and action.effects not in ((), (Effect.READ,)):
        return f"{action.name.replace(':', ' ')} may switch branches"
    if not _NOT_READ.isdisjoint(action.tags) and action.name.startswith(("exec:", "git:", "proc:")):
        return "a program before it was not read"
    path = action.target.get("path")
    if type(path) is str and any(place in path for place in _PLACES) and action.effects != (Effect.READ,):
        return "a file of git is changed before it"
    return ""


def _checkout(parsed: Parsed, texts: list[str]) -> list[Move]:
    return _switched(parsed, texts, path="path")


def _switch(parsed: Parsed, texts: list[str]) -> list[Move]:
    return _switched(parsed, texts, path="")


def _switched(parsed: Parsed, texts: list[str], path: str) -> list[Move]:
    for option, value in parsed.values:
        if option.role == "branch":
            return [("on", value.text)]
    words = parsed.operands
    if path and ("--" in texts or any(text.startswith("--path") or text in ("-p", "--patch") for text in texts)):
        return []
    if not parsed.switches.isdisjoint(("-d", "--detach")):
        return [("detach",)]
    if len(words) != 1 or words[0].glob:
        return []
    text = words[0].text
    if any(option.name == "-t" for option, _ in parsed.values) or "-t" in parsed.switches:
        return [("on", text.removeprefix("refs/remotes/").partition("/")[2] or text)]
    return [("to", text, path)]


def _branch(parsed: Parsed, texts: list[str]) -> list[Move]:
    words = [arg.text for arg in parsed.operands]
    on = parsed.switches
    upstream = next((value.text for option, value in parsed.values if option.role == "upstream"), "")
    if upstream:
        return [("follow", words[0] if words else "", upstream)]
    if "unset" in on:
        return [("follow", words[0] if words else "", "")]
    if not words or not on.isdisjoint(("delete", "force-delete", "edit", "-a", "-r", "-l")):
        return []
    if not on.isdisjoint(("move", "force-move")):
        return [("rename", words[0] if len(words) > 1 else "", words[-1])]
    return [("make", words[-1] if not on.isdisjoint(("copy", "force-copy")) else words[0])]


def _symbolic_ref(parsed: Parsed, texts: list[str]) -> list[Move]:
    words = [arg.text for arg in parsed.operands]
    if len(words) < 2:
        return []
    return [("point", words[0], words[1])]


def _rebase(parsed: Parsed, texts: list[str]) -> list[Move]:
    if not _STEPS.isdisjoint(texts):
        return [("lost", "git rebase goes back to its branch")]
    return [("to", parsed.operands[1].text)] if len(parsed.operands) > 1 else []


def _stash(parsed: Parsed, texts: list[str]) -> list[Move]:
    words = [text for text in texts if text[:1] != "-"]
    return [("on", words[1])] if words[:1] == ["branch"] and len(words) > 1 else []


def _config(parsed: Parsed, texts: list[str]) -> list[Move]:
    if any(text.startswith(("--file", "-f", "--blob")) for text in texts):
        return []
    words = [arg.text for arg in parsed.operands]
    verb = words.pop(0) if words[:1] in (["set"], ["unset"], ["get"]) else ""
    if verb == "unset" or any(text.startswith("--unset") for text in texts):
        return [("unset", key) for word in words[:1] if (key := _key_of(word))]
    if any(text.startswith(("--rename-section", "--remove-section", "-e", "--edit")) for text in texts):
        return [("lost", "settings of git are changed before it")]
    return [setting_move(words[0], words[1])] if len(words) > 1 and _key_of(words[0]) else []


def setting_move(name: str, value: str) -> Move:
    return ("set", _key_of(name), value)


def _key_of(name: str) -> str:
    """`remote.origin.push` as the settings of a repository are named; empty: a push does not go by it."""
    section, _, rest = name.partition(".")
    middle, _, key = rest.rpartition(".")
    section, key = section.lower(), key.lower()
    if f"{section}.{key}" in _SETTINGS and not middle:
        return f"{section}.{key}"
    counts = {"remote": _OF_A_REMOTE, "branch": _OF_A_BRANCH}.get(section, ())
    return f"{section} {middle}.{key}" if middle and key in counts else ""


# command -> what it does to what a push goes by
MOVES = {
    "branch": _branch,
    "checkout": _checkout,
    "switch": _switch,
    "symbolic-ref": _symbolic_ref,
    "rebase": _rebase,
    "stash": _stash,
    "config": _config,
}
