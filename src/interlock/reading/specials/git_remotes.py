"""git and other repositories: addresses that are fetched from, and what a push would send where."""

from __future__ import annotations

from ...model.effects import Effect
from ...model.verdict import Risk
from ...value import TYPE_CHECKING
from ..commands.acts import on_path
from ..commands.engine import act_on
from ..commands.options import parse as parse_options
from ..evaluate.words import NUL, Arg
from ..runs.wrappers import run_code
from ..tools.tools import host_of
from .git import say
from .git_config import judge_setting, split_setting

if TYPE_CHECKING:
    from ..commands.options import Parsed
    from ..commands.spec import Program
    from ..evaluate.state import Shell
    from ..reach.pushed import Sent

__all__ = ["git_fetch", "git_push", "on_remote"]


def on_remote(arg: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """An address of a repository: `ext::` runs a command, `<name>::` a helper."""
    helper, mark, rest = arg.text.partition("::")
    if mark and helper.replace("-", "").replace(NUL, "x").isalnum():
        if helper == "ext":
            run_code("code.sh", Arg(rest, arg.span, arg.glob, arg.origin, arg.quoted), shell, span)
        shell.unclear(f"`{helper.replace(NUL, '…')}::` runs a program of its own", span)
    elif "://-" in arg.text or arg.text.startswith("-") or "@-" in arg.text:
        shell.unclear("an address that passes for an option", span)


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
    return act_on(row, parsed, args, span, shell)


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
    known = _ask_what_is_sent(words, parsed, shell)
    if any(action.name in _REMOTES for action in shell.found.actions):
        shell.unclear("where the remote leads is changed by the same call", span)
    for index, word in enumerate(words[1:], start=1):
        text = word.text
        if text == "tag" and index + 1 < len(words):
            parsed.switches.add("tags")
            continue
        if word.glob:
            shell.unclear("it is unclear which branch is pushed", span)
        if text.startswith("+"):
            parsed.switches.add("force")
            text = text[1:]
        source, colon, goal = text.partition(":")
        if colon and not source and goal:
            parsed.switches.add("delete")
        branch = (goal if colon else source).removeprefix("refs/heads/")
        if not branch:  # `:` is every branch that both sides have
            parsed.switches.add("all")
        else:
            say(parsed, "branch", Arg(branch, word.span, word.glob, word.origin))
    if len(words) < 2 and _is_plain(shell):
        _say_by_settings(words, known, parsed, span)
    _say_where(words, known, parsed, span, shell)
    if _only_asks(row, words, parsed):
        row = row.replace(action="git:push-trial", risk=Risk.LOW)
    return act_on(row, parsed, args, span, shell)


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


# What may come before a push in the same call without changing where it goes.
_HARMLESS = frozenset("git:add git:commit git:fetch git:status git:diff git:log git:show git:push".split())


def _is_plain(shell: Shell) -> bool:
    """Whether the settings that are in the files hold for this push: nothing before it or around it changes them."""
    command = shell.found.commands[-1][0]
    if len(command) < 2 or command[1].text != "push" or any(name.startswith("GIT_") for name in shell.variables):
        return False
    return all(action.name in _HARMLESS or action.effects in ((), (Effect.READ,)) for action in shell.found.actions)


def _say_by_settings(words: list[Arg], known: list[Sent], parsed: Parsed, span: tuple[int, int]) -> None:
    """A push that names no branch goes where git's files say, if they say it."""
    if not known or not all(one.goal for one in known):
        return
    for one in dict.fromkeys(known):
        if not words:
            say(parsed, "remote", Arg(one.remote, span))
        say(parsed, "branch", Arg(one.goal, span))


def _say_where(words: list[Arg], known: list[Sent], parsed: Parsed, span: tuple[int, int], shell: Shell) -> None:
    """Where it goes, and whether to a branch that others build from: a yes to the one push is none to the other."""
    from ..reach.pushed import destination_of, is_protected

    first = words[0].text if words and words[0].known else ""
    goals = [goal for one in known for goal in one.destinations] if all(one.destinations for one in known) else []
    if not known and ("/" in first or ":" in first):  # no repository here that could rewrite the address
        goals = [destination_of(first)]
    if _is_led_elsewhere(shell) or not all(goals) or (words and not words[0].known):
        goals = []
    for goal in dict.fromkeys(goals):
        say(parsed, "destination", Arg(goal, span))
    named = [arg.text for option, arg in parsed.values if option.role == "branch"]
    branches = [one.branch for one in known] if not named or "HEAD" in named or "@" in named else named
    for branch in dict.fromkeys(branch for branch in branches if is_protected(branch)):
        say(parsed, "protected", Arg(branch, span))


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


def _ask_what_is_sent(args: list[Arg], parsed: Parsed, shell: Shell) -> list[Sent]:
    """A fact of the repository: the refs that the command names, their commits, and where they go."""
    from ..reach.pushed import KIND, want_of

    doubts = () if all(arg.known for arg in args) else ("a word of the command is unknown",)
    words = [arg.text for arg in args[1:] if arg.known]
    remote = args[0].text if args and args[0].known else ""
    wants = []
    for folder in shell.folders or ("",):
        unknown = doubts if folder else (*doubts, "it is unclear in which repository it is run")
        want = want_of(folder or "/", remote, words, parsed.switches, unknown)
        shell.found.want(want)
        wants.append(want.removeprefix(f"{KIND}:"))
    facts = shell.found.facts.sends
    return [facts[want] for want in wants if want in facts]
