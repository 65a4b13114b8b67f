"""git and other repositories: addresses that are fetched from, and what a push would send where."""

from __future__ import annotations

from ...approve.glob import OPEN, is_open
from ...model.effects import Effect
from ...model.more_wants import PlainTags, Pushed
from ...model.verdict import Risk
from ...value import TYPE_CHECKING, lazy
from ..evaluate.contents import may_bring
from ..evaluate.words import NUL, Arg, Names
from ..machine.acts import on_path
from ..machine.engine import act_on
from ..machine.options import parse as parse_options
from ..machine.options import say
from ..places.system_places import host_of
from ..reach.git_facts import CLEAN, asked
from ..resolve.value import NOTHING, Unknown, either, may_be, read, written
from .git_config import judge_setting, on_remote, split_setting
from .git_moves import setting_move, ways_to

if TYPE_CHECKING:
    from ...model.action import Action
    from ..evaluate.state import Shell
    from ..machine.options import Parsed
    from ..reach.pushed import Push, Sent, destination_of, is_protected, push_by
    from ..resolve.refs import Move
    from ..resolve.value import Resolved
    from ..tables.spec import Program
else:
    destination_of = lazy(globals(), "..reach.pushed", "destination_of")
    is_protected = lazy(globals(), "..reach.pushed", "is_protected")
    push_by = lazy(globals(), "..reach.pushed", "push_by")

__all__ = ["branch_here", "git_fetch", "git_push", "plain_tag"]


def git_fetch(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Commands that take the address of a repository: its host shows, and so does what it would run."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    for option, value in list(parsed.values):
        if option.role == "config":
            name, setting = split_setting(value)
            judge_setting(name, setting, shell, span, lasting=True)
            parsed.values.remove((option, value))
    named = row.operands.startswith(("remote url", "path url"))  # a name, then the address
    addresses = parsed.operands[1:2] if named else parsed.operands[:1]
    for arg in addresses:
        on_remote(arg, shell, span)
        host = _host(arg)
        if host is not None:
            say(parsed, "host", Arg(host, arg.span))
            if row.name in ("fetch", "pull"):  # not from a remote that the repository knows
                on_path("brings", Arg(".", arg.span), shell)
    if row.action in ("git:clone", "git:submodule-add") and len(parsed.operands) == 1 and parsed.operands[0].known:
        parsed.operands.append(Arg(_folder_of(parsed.operands[0].text), parsed.operands[0].span))
    if row.name in ("fetch", "pull") and _says_for_another(parsed.operands):
        row = row.replace(tags=(*row.tags, "history"))
    return act_on(row, parsed, args, span, shell)


def _says_for_another(operands: list[Arg]) -> bool:
    """`git fetch . x:refs/remotes/origin/x`: from then on origin seems to have what it never got."""
    goals = [arg.text.partition(":")[2] for arg in operands[1:]]
    kept = [
        goal.removeprefix("refs/").partition("/")[2] for goal in goals if goal.startswith(("refs/remotes/", "remotes/"))
    ]
    return any(not goal.startswith(f"{operands[0].text}/") for goal in kept)


def _host(arg: Arg) -> str | None:
    text = arg.text
    if NUL in text or "::" in text:
        return None
    if "://" in text:
        return host_of(text)
    head, colon, _ = text.partition(":")
    return head.rpartition("@")[2] or None if colon and "/" not in head else None


def _folder_of(address: str) -> str:
    name = address.rstrip("/").removesuffix("/.git").removesuffix(".git").rpartition("/")[2]
    return name.rpartition(":")[2] or "."


_REMOTES = frozenset(("git:remote-set-url", "git:remote-rename", "git:config"))


def git_push(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`+main` forces, `:main` deletes, `a:b` goes to b."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    words, parsed.operands = parsed.operands, []
    if "lease" in parsed.switches:
        parsed.switches.add("force")
    if all(arg.text in ("check", "no") for option, arg in parsed.values if option.name == "--recurse-submodules"):
        parsed.switches.discard("submodules")
    if words:
        on_remote(words[0], shell, span)
        say(parsed, "remote", words[0])
        for action in shell.found.actions:
            if action.name == "git:remote-add" and action.target.get("remote") == words[0].text:
                say(parsed, "via", Arg(str(action.target.get("url", "")), words[0].span))
    push = _push_of(words, args, parsed, shell)
    known = _ask_what_is_sent(push, shell)
    if any(action.name in _REMOTES for action in shell.found.actions):
        shell.unclear("where the remote leads is changed by the same call", span)
    for index, word in enumerate(words[1:], start=1):
        text = word.text
        if text == "tag" and index + 1 < len(words):
            parsed.switches.add("tags")
            continue
        if word.glob:
            shell.unclear("it is unclear which branch is pushed", span)
        elif word.unknown:
            shell.unclear(f"the branch depends on {word.why}", word.span)
        if text.startswith("+"):
            parsed.switches.add("force")
            text = text[1:]
        source, colon, goal = text.partition(":")
        if colon and not source and goal:
            parsed.switches.add("delete")
        if not (goal if colon else source).removeprefix("refs/heads/"):  # `:` is every branch that both sides have
            parsed.switches.add("all")
    if not words and known and all(one.remote for one in known):
        for remote in dict.fromkeys([one.remote for one in known]):
            say(parsed, "remote", Arg(remote, span))
    parsed.switches.update(switch for one in known for switch in one.besides)
    named = _say_branches(push, known, parsed, span)
    _say_where(words, known, named, parsed, span, shell)
    if _only_asks(row, words, parsed):
        row = row.replace(action="git:push-trial", risk=Risk.LOW)
    return act_on(row, parsed, args, span, shell)


def _push_of(words: list[Arg], args: list[Arg], parsed: Parsed, shell: Shell) -> Push:
    """What the words say, and what the call has done before that bears on it."""
    doubts = [] if all(arg.known for arg in words) else ["a word of the command is unknown"]
    ways = ways_to(shell)
    own = _own_moves(shell)
    if own:
        ways = tuple([(*way, *own) for way in ways])
    on = set(parsed.switches)
    if "tags" in on and any(arg.text == "--tags" for arg in args) and not any("follow" in arg.text for arg in args):
        on.add("only-tags")  # without refspecs, tags are all that is pushed
    if not shell.folders:
        doubts.append("it is unclear in which repository it is run")
    remote = words[0].text if words and words[0].known else ""
    named = ["" if arg.unknown else arg.text for arg in words[1:]]
    push = push_by((shell.folders or ("/",))[0], remote, named, on, doubts, ways)
    return push.replace(made=_made_before(shell))


_LOOKS = frozenset((Effect.READ,))
_KEEPS = frozenset("git:push git:push-trial git:fetch git:branch git:switch git:checkout".split())


def _made_before(shell: Shell) -> str:
    """What the call commits before it pushes. Whatever else it does may be in there, but for the project's own tasks:
    they are trusted as the code of the project is.
    """
    made, grave = "", False
    for action in shell.found.actions:
        if action.name in ("git:add", "git:commit"):
            made = "all" if action.name == "git:add" or made == "all" else "tracked"
        elif not (_LOOKS.issuperset(action.effects) or action.name in _KEEPS or _is_own_task(action)):
            grave = True
    commits = any(action.name == "git:commit" for action in shell.found.actions)
    return "unknown" if grave else made if commits else ""


def _is_own_task(action: Action) -> bool:
    return action.name == "exec:project" and {*action.tags} <= {"unread"}


def _own_moves(shell: Shell) -> list[Move]:
    """What options and variables around the push say: settings for it alone, or another repository."""
    command = [arg.text for arg in shell.found.commands[-1][0]]
    before = command[: command.index("push")] if "push" in command else command
    moves: list[Move] = []
    for at, word in enumerate(before):
        if word == "-c" and at + 1 < len(before):
            name, equals, value = before[at + 1].partition("=")
            move = setting_move(name, value if equals else "true")
            if name.lower().startswith(("include", "url.")) or NUL in name or (move[1] and NUL in value):
                move = ("lost", "a setting of git is given in the command")
            moves += [move] if move[1] else []
        elif word.startswith("--config-env"):
            moves.append(("lost", "a setting of git is taken from a variable"))
    if any(name.startswith(_ELSEWHERE) for name in shell.variables) or shell.privileged:
        moves.append(("lost", "a variable says which repository or which settings"))
    return moves


_ELSEWHERE = ("GIT_CONFIG", "GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "HOME", "XDG_CONFIG")


def branch_here(span: tuple[int, int], shell: Shell | None) -> Arg | None:
    """What prints the branch that HEAD is on prints its name, where that is known."""
    if shell is None or not shell.folders or len(shell.folders) != 1:
        return None
    ways = ways_to(shell)
    if any(name.startswith(_ELSEWHERE) for name in shell.variables) or shell.privileged:
        return None
    known = _ask_what_is_sent(push_by(shell.folders[0], "", (), ("head",), (), ways), shell)
    found = [one.head for one in known]
    return Arg(found[0], span) if len(found) == 1 and type(found[0]) is str and not is_open(found[0]) else None


def plain_tag(span: tuple[int, int], shell: Shell) -> Arg | None:
    """What `git describe` prints is made of a tag: one word, unless a tag may be an option or lead elsewhere."""
    if len(shell.folders or ()) != 1 or shell.privileged or any(map(may_bring, shell.found.actions)):
        return None
    if any(name.startswith(_ELSEWHERE) for name in shell.variables):
        return None
    plain = asked(shell.found, PlainTags(shell.folders[0])) == CLEAN  # type: ignore[index]
    return Names("[0-9A-Za-z]*", span, True) if plain else None


def _only_asks(row: Program, words: list[Arg], parsed: Parsed) -> bool:
    """`git push --dry-run`: a remote that the repository knows is asked what it has, as a fetch asks it."""
    return (
        not parsed.switches.isdisjoint(row.dryrun.split())
        and parsed.switches.isdisjoint(("submodules", "push-option"))
        and all(option.name not in ("--receive-pack", "--repo") for option, _ in parsed.values)
        and not (words and (not words[0].known or any(char in words[0].text for char in ":/.")))
        and not parsed.strange
        and not parsed.doubtful
    )


def _say_branches(push: Push, known: list[Sent], parsed: Parsed, span: tuple[int, int]) -> Resolved:
    """The branches that it updates, one after the other; without facts what the words alone say."""
    from ..reach.pushed import sent

    found: Resolved = NOTHING
    for at, one in enumerate(known or [sent(push, None)]):
        found = read(one.branch) if at == 0 else either(found, read(one.branch))
    field = written(found)
    for text in field if type(field) is tuple else () if field is None else (str(field),):
        say(parsed, "branch", Arg(text, span))
    return found


def _say_where(
    words: list[Arg], known: list[Sent], named: Resolved, parsed: Parsed, span: tuple[int, int], shell: Shell
) -> None:
    """Where it goes, and whether to a branch that others build from: a yes to the one push is none to the other."""
    first = words[0].text if words and words[0].known else ""
    goals = [goal for one in known for goal in one.destinations] if all(one.destinations for one in known) else []
    if not known and ("/" in first or ":" in first):  # no repository here that could rewrite the address
        goals = [destination_of(first)]
    if _is_led_elsewhere(shell) or not all(goals) or (words and not words[0].known):
        goals = []
    for goal in dict.fromkeys(goals):
        say(parsed, "destination", Arg(goal, span))
    for branch in dict.fromkeys(branch for branch in may_be(named) if is_protected(branch)):
        say(parsed, "protected", Arg(branch, span))
    for carried in dict.fromkeys([text for one in known for text in one.carries]):
        say(parsed, "carries", Arg(carried, span))
    for tag in dict.fromkeys([text for one in known for text in one.along]):
        say(parsed, "along", Arg(tag, span))
    if known and type(named) is Unknown:
        say(parsed, "protected", Arg(f"{OPEN} {named.why}", span))


def _is_led_elsewhere(shell: Shell) -> bool:
    """Whether the call itself sets what the files of git say otherwise: options, variables, settings, another root."""
    command = [arg.text for arg in shell.found.commands[-1][0]]
    before = command[: command.index("push")] if "push" in command else command
    if any(word.startswith(("-c", "--config-env", "--exec-path")) for word in before):
        return True
    if any(name.startswith(("GIT_CONFIG", "HOME", "XDG_")) for name in shell.variables) or shell.privileged:
        return True
    changes = (*_REMOTES, "git:remote-add")
    return shell.found.facts.root == "" or any(action.name in changes for action in shell.found.actions)


def _ask_what_is_sent(push: Push, shell: Shell) -> list[Sent]:
    """A fact of the repository: the refs that the command names, their commits, and where they go."""
    found = [shell.found.ask(Pushed(push.replace(folder=folder))) for folder in shell.folders or (push.folder,)]
    return [sent for sent in found if sent is not None]
