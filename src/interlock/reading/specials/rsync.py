"""rsync: `rsync FROM… TO`; a colon makes one end another machine, `-e` and `--rsync-path` are commands.

Its options are written down in full, since one that takes a word and is not known to do so would make the last place
look like another one: that is the place which is written.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.words import NUL, Arg
from ..lands.fetched import came_with, carry_along, carry_matching, is_foreign
from ..lands.laid import filled, is_blind, is_laid, lay, source_of
from ..lands.placing import FOLDER
from ..machine.acts import emit, on_path
from ..machine.options import parse as parse_options
from ..machine.places import where
from ..machine.strange import wild
from ..places.paths import in_project
from ..places.places import loosened
from ..runs.wrappers import run_code
from .archives import is_remote, is_wild

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.options import Parsed
    from ..tables.spec import Program

__all__ = ["rsync"]

_SSH_SWITCHES = frozenset("46ACTXYaknqvx")
_RULES = frozenset(("--exclude", "--include", "--exclude-from", "--include-from", "-f"))
_NO_TRIAL = ("--no-n", "--no-dry", "--no-l")
_SSH_VALUES = frozenset(("-p", "-l", "-c", "-i", "-m", "-b"))


def rsync(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    places = parsed.operands
    for word in parsed.doubtful:
        shell.unclear(f"an argument depends on {word.why}", word.span)
    for word in parsed.strange:
        if not word.text.startswith("--no-"):
            shell.unclear(f"`{word.text.replace(NUL, '…')[:40]}` is an unknown option", word.span)
    for word in places:
        if wild(word):
            shell.unclear("a file name that begins with a dash would be an option; `./*` is safe", word.span)
    for option, value in parsed.values:
        _with(option.role or "", value, shell, span)
    if "--daemon" in parsed.switches:
        emit(shell, span, name="net:serve", effects=(Effect.SPAWN, Effect.NETWORK), tags=("external",))
    if "--server" in parsed.switches:
        shell.unclear("the other end of `rsync`, which is told by somebody else what to write", span)
    trial = not parsed.switches.isdisjoint(("-n", "--list-only")) and not any(
        word.text.startswith(_NO_TRIAL) for word in parsed.strange
    )
    for index, place in enumerate(places):
        last = index == len(places) - 1 and len(places) > 1
        if is_remote(place.text):
            _away(place, shell, last=last)
            continue
        leaves = not last and not trial and is_remote(places[-1].text)
        on_path("send" if leaves else "read" if not last or trial else "write", place, shell)
        if last and not trial and any(switch.startswith("--del") for switch in parsed.switches):
            on_path("delete", place, shell)
        if not last and not parsed.switches.isdisjoint(("--remove-source-files", "--remove-sent-files")):
            on_path("delete", place, shell)
    if not trial and len(places) > 1 and not is_remote(places[-1].text):
        _lands(parsed, places[:-1], places[-1], shell)
    return None


def _away(place: Arg, shell: Shell, *, last: bool) -> None:
    authority = place.text.removeprefix("rsync://").partition("/")[0]
    emit(
        shell,
        place.span,
        name="net:send" if last else "net:fetch",
        effects=(Effect.NETWORK,),
        tags=("external", "sends") if last else ("external",),
        target={"host": authority.rpartition("@")[2].partition(":")[0]},
    )


def _with(role: str, value: Arg, shell: Shell, span: tuple[int, int]) -> None:
    if role == "login":
        if not _plain_ssh(value):
            run_code("code.sh", Arg(value.text.removeprefix("="), value.span, value.glob, value.origin), shell, span)
    elif role == "there":
        if not value.known or value.text.split() not in (["rsync"], ["/usr/bin/rsync"], ["sudo", "rsync"]):
            run_code("code.sh", value, shell, span)
    elif role == "rule":
        kind, blank, name = value.text.lstrip().partition(" ")
        if not blank:
            kind, blank, name = value.text.lstrip().partition("_")
        if blank and kind.startswith((".", ":", "merge", "dir-merge")):  # more rules, from a file
            on_path("read", Arg(name, value.span, value.glob, value.origin), shell)
    elif role == "replay":
        shell.unclear("changes that were noted down are made again, and are not read", span)
    elif role in ("read", "write", "send") and not (role == "read" and is_remote(value.text)):
        on_path(role, value, shell)


def _plain_ssh(command: Arg) -> bool:
    """`ssh -p 22 -i key`: no setting, file or proxy that could run something."""
    words = command.text.split() if command.known else []
    if words[:1] not in (["ssh"], ["/usr/bin/ssh"]):
        return False
    at = 1
    while at < len(words):
        word = words[at]
        if word in _SSH_VALUES:
            at += 1
        elif word[:1] != "-" or not (_SSH_SWITCHES.issuperset(word[1:]) or (word[:2] == "-p" and word[2:].isdigit())):
            return False
        at += 1
    return not any(char in command.text for char in "'\"\\")


def _lands(parsed: Parsed, sources: list[Arg], place: Arg, shell: Shell) -> None:
    """What arrives from another machine or another place, and what is this session's own, is not the project's."""
    if not place.known or shell.folders is None:
        return
    goal = where(place, shell).rstrip("/")
    told = True
    for source in sources:
        name = source.text.rpartition(":")[2].rpartition("/")[2]
        inside = f"{goal}/{name}" if name and name != "." else goal
        if is_remote(source.text):
            on_path(
                "brings", Arg(inside if place.text[-1:] in ("/", ".") and source.known else goal, place.span), shell
            )
            told = False
            continue
        if source.unknown:
            told = False
            continue
        told = _lays(parsed, source, goal, shell) and told
        if source.glob:
            carry_matching(where(source, shell), goal, place.span, shell)
        else:
            path = where(source, shell)
            if came_with(path, shell) or not in_project(shell.found.facts.root, path):
                on_path("write" if "." in name[1:] else "brings", Arg(inside, place.span), shell)
            else:
                carry_along(path, [inside, goal], place.span, shell)
                if path in shell.files or path in shell.found.facts.written:
                    on_path("write", Arg(inside, place.span), shell)
            if "-R" in parsed.switches:
                below = f"{goal}/{source.text.partition('/./')[2] or source.text.lstrip('/')}"
                carry_along(path, [below], place.span, shell)
                on_path("write", Arg(below, place.span), shell)
    if told:
        for path in (goal, *[f"{goal}/{source.text.rstrip('/').rpartition('/')[2]}" for source in sources]):
            filled(path, place.span, shell)


def _left_out(parsed: Parsed) -> list[str]:
    """Names that are left out for sure. Where the first rule that fits decides, or `!` takes all back, none is."""
    rules = [(option.name, value.text) for option, value in parsed.values if option.name in _RULES]
    if "-F" in parsed.switches or any(name != "--exclude" or text[:1] in "!+-" for name, text in rules):
        return []
    return [text for _, text in rules]


def _lays(parsed: Parsed, source: Arg, goal: str, shell: Shell) -> bool:
    """A slash at the end means what is in the folder, and not the folder."""
    path = where(source, shell)
    options = [("deep", "1"), *([("follow", "1")] if not parsed.switches.isdisjoint(("-L", "-k")) else [])]
    options += [("asked", "1")] if is_foreign(path, shell) else []
    options += [("skip", name) for name in _left_out(parsed)]
    folder, _, pattern = path.rpartition("/")
    if not source.glob or is_laid(path, shell):
        listed = any(option.name == "--files-from" for option, _ in parsed.values)  # names begin in the folder then
        within = "never" if listed or source.text.rpartition("/")[2] in ("", ".", "..") else "always"
        lay(FOLDER, path, goal, source.span, shell, (*options, ("within", within)))
        return is_blind(source_of(path, shell), shell) is None
    if is_wild(folder):
        return False
    lay(FOLDER, folder or "/", goal, source.span, shell, (*options, ("match", loosened(pattern))))
    return is_blind(folder, shell, loosened(pattern)) is None
