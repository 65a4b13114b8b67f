"""Programs that show or change the machine, told apart by their words: `route -n` shows, `route add` changes."""

from __future__ import annotations

import re

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.processes import watches_over
from ..evaluate.words import NUL, Arg
from ..machine.acts import emit, on_path
from ..machine.engine import act_on
from ..machine.options import parse as parse_options

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["SHOWS", "clock", "configure", "service", "sysctl"]

_NAME = r"[\w.:@/*][\w.:@/*-]*"
_SHOW_ANY = r"(--?(help|version|h|V|v))?"
# The words after the program's name, with one blank between them, where they only show something.
SHOWS = {
    "ifconfig": r"(-[asv]+ ?)*([\w.:@]+)?|[\w.:@]+ inet6?|-l",
    "route": r"(-[neveCF46v]+ ?)*|(-n )?get [\w.:-]+|print( -4| -6)?",
    "iwconfig": r"[\w.]*|--version",
    "mii-tool": r"(-[vV]+ ?)?[\w.]*",
    "brctl": r"show\w*( [\w.]+)*",
    "iw": r"(list|dev|help|event|phy|reg get|(dev|phy) \S+( (info|link|scan( dump)?|(station|survey) dump|get \w+))?)",
    "iwlist": r"([\w.]+ )?\w+",
    "wpa_cli": r"(-i ?\S+ )?(status|scan_results|list_networks|signal_poll|help)",
    "rfkill": r"(list( \w+)?|-[hVJnor]+)?",
    "macchanger": r"(-s|--show|-l|--list)( [\w.]+)?( \w+)?",
    "getmac": r".*",
    "ethtool": rf"(-([iSkgacmdePTlnx]|-show-\S+|-driver|-statistics|-module-info|h) ?)?[\w.]+( \w+)?|{_SHOW_ANY}",
    "nmcli": (
        r"(-(t|p|o|a|v|-terse|-pretty|-ask|-version|-help) "
        r"|-([fgmecw]|-fields|-get-values|-mode|-colors|-wait) \S+ )*"
        r"((g\w*|c\w*|con\w*|d\w*|dev\w*|r\w*|n\w*|networking|a\w*|m\w*)"
        r"( (s|sh\w*|status|list|permissions|logging|connectivity( check)?|monitor|(wifi|w)( list)?|lldp( list)?)"
        r"| (s|sh\w*|list) .*)?)?|-v|--version|help"
    ),
    "hdparm": rf"(-[IiCHtTgq]+ ?)+({_NAME} ?)*",
    "mdadm": rf"(-D|-E|-Q|--detail|--examine|--query|--detail --scan|-Ds|-Es|--examine --scan)( {_NAME})*|--version",
    "parted": rf"((-[sm]+|--script|--machine) )*((-l|--list)|{_NAME} (unit \w+ )?print( \w+)?)",
    "fdisk": rf"(-l|--list|-x)( -[uo] ?\S*)*( {_NAME})*|-s {_NAME}",
    "sfdisk": rf"(-[lFJVd]+|--(list|dump|json|verify|list-free|list-types|show-\w+))( -[uo] ?\S*)*( {_NAME})*",
    "gdisk": rf"-l {_NAME}",
    "sgdisk": rf"(-[pviOfFE]|--(print|verify|info))( ?\d+)? {_NAME}",
    "losetup": rf"((-[alnJ]+|--all|--list)( (-O ?[\w,]+|--output [\w,]+|-n|/dev/\w+))*|-j {_NAME}|/dev/loop\d+)?",
    "firewall-cmd": (
        r"((--(state|version|help|list-\S+|get-\S+|info-\S+|query-\S+|permanent|zone=\S+|policy=\S+|ipset=\S+|check-config)"
        r"|--zone \S+|--direct) ?)*"
    ),
    "ufw": r"(status( verbose| numbered)?|show \w+|app (list|info \S+)|version|--dry-run .*)",
    "auditctl": r"-[lsv]",
    "efibootmgr": r"(-v|--verbose)?",
    "pmset": r"-g( [\w. -]+)?",
    "networksetup": r"-(get|list|show|version|print)\S*( .*)?",
    "scutil": r"(--(get|dns|proxy|nwi|nc (list|status)) ?\S*( \S+)?)",
    "spctl": r"(--status|-a .*|--assess .*|-v+ .*)",
    "csrutil": r"(status|authenticated-root status)",
    "dscl": r"(-q |-raw |-plist |-url )?\S+ -?(read|list|readall|search|diff)( .*)?",
    "nvram": r"(-p|-x -p|\w[\w:-]*)",
    "systemsetup": r"-(get|list|print)\w+",
    "tmutil": r"(status|destinationinfo|latestbackup|listbackups|listlocalsnapshots|isexcluded|compare)( .*)?",
    "mdutil": r"-s( .*)?|-sa",
    "fdesetup": r"(status|list|isactive|haspersonalrecoverykey|version)( .*)?",
    "profiles": r"(status|list|show|-[PLC]|help)( .*)?",
    "tccutil": r"",
    "xinput": r"(list|--list|list-props|--version)( .*)?",
    "update-rc.d": r"-n .*",
    "chkconfig": r"(--list( \S+)?)?",
    "wmctrl": r"(-[lpGxdmj]+ ?)+",
}  # fmt: skip


_SHOWS_PEOPLE = {"dscl": ("accounts",), "dseditgroup": ("accounts",), "pwpolicy": ("accounts",)}


def configure(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """By the table: what only shows, is a read; everything else is a change, with what the row says of it."""
    name = args[0].text.rpartition("/")[2]
    texts = [arg.text for arg in args[1:]]
    pattern = SHOWS.get(name) or SHOWS.get(row.name, "")
    words = " ".join(texts)
    clear = all(not arg.unknown and not any(char.isspace() for char in arg.text) for arg in args[1:])
    if (clear and re.fullmatch(pattern, words) is not None) or words in ("--help", "--version"):
        emit(shell, span, name=f"{name}:show", effects=(Effect.READ,), tags=_SHOWS_PEOPLE.get(name, ()))
        return None
    if any(arg.unknown for arg in args[1:]):
        why = next(arg.why for arg in args[1:] if arg.unknown)
        shell.unclear(f"an argument of `{name}` depends on {why}", span)
    effects = row.effects if row.effects and row.effects != (Effect.READ,) else (Effect.WRITE,)
    for arg in args[1:]:
        if arg.text.startswith("/dev/"):
            on_path("wipe" if Effect.DESTRUCTIVE in effects else "edit", arg, shell)
    emit(
        shell,
        span,
        name=row.action or f"{name}:change",
        effects=effects,
        tags=row.tags or ("privileged",),
        risk=row.risk,
        irreversible=row.irreversible,
        compensator=row.compensator,
        target={"change": words.replace(NUL, "…")},
    )
    return None


def clock(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`date +%F` prints; an operand without a plus sets the clock, unless `-j` says not to."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if "-j" not in parsed.switches and any(not arg.text.startswith(("+", NUL)) for arg in parsed.operands):
        row = row.replace(action="sys:clock", effects=(Effect.WRITE,), tags=("privileged",))
    return act_on(row, parsed, args, span, shell)


_SERVICE = {"status": Effect.READ, "start": Effect.SPAWN, "restart": Effect.SPAWN, "force-reload": Effect.SPAWN}


def _ordinary(name: Arg) -> bool:
    """A service that is left running as any other; not one that guards the machine."""
    return name.known and not watches_over(name.text)


def service(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`service NAME VERB`: the script of that name is run with the verb."""
    words = [arg for arg in args[1:] if not arg.text.startswith("--")]
    if not words or any(arg.text == "--status-all" for arg in args[1:]):
        emit(shell, span, name=f"{row.name}:list", effects=(Effect.READ,))
        return None
    name = words[0]
    verb = words[1].text if len(words) > 1 else ""
    if not name.known or "/" in name.text or not verb.replace("-", "").isalnum():
        shell.unclear("it is unclear which service script runs", span)
    effect = _SERVICE.get(
        verb, Effect.WRITE if verb in ("stop", "reload", "condrestart", "try-restart") else Effect.EXECUTE
    )
    emit(
        shell,
        span,
        name=f"service:{verb}" if verb.replace("-", "").isalnum() else "service:run",
        effects=(effect,),
        tags=() if effect is Effect.READ or (effect is Effect.SPAWN and _ordinary(name)) else ("privileged",),
        target={"service": name.text.replace(NUL, "…")},
    )
    return None


def sysctl(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`sysctl NAME` shows, `sysctl NAME=VALUE` and `-w` set, `-p` sets what a file says."""
    words = args[1:]
    sets = [arg for arg in words if "=" in arg.text.lstrip("-") and not arg.text.startswith("--")]
    for index, arg in enumerate(words):
        if arg.text.startswith("--pattern"):
            continue
        flag = arg.text.startswith("-") and not arg.text.startswith("--") and arg.text != "-"
        if (
            arg.text in ("--system", "--load")
            or arg.text.startswith("--load=")
            or (flag and ("p" in arg.text or "f" in arg.text))
        ):
            shell.unclear("settings of the kernel come from files", span)
            if index + 1 < len(words) and not words[index + 1].text.startswith("-"):
                on_path("read", words[index + 1], shell)
            sets.append(arg)
        elif arg.text in ("-w", "--write"):
            sets.append(arg)
        elif arg.unknown or ".." in arg.text:
            shell.unclear("it is unclear which setting of the kernel is meant", arg.span)
    names = [arg.text.replace(NUL, "…") for arg in words if not arg.text.startswith("-")]
    if not sets:
        emit(shell, span, name="sysctl:show", effects=(Effect.READ,))
        return None
    if any("core_pattern" in name or "modprobe" in name or "uevent_helper" in name for name in names):
        shell.unclear("a setting by which the kernel runs a program", span)
    emit(
        shell, span, name="sysctl:set", effects=(Effect.WRITE,), tags=("privileged",), target={"setting": tuple(names)}
    )
    return None
