"""Programs whose danger lies in one argument: a mode, a signal's target, a size, a live capture, a zone transfer.

Each of them is read by its row; what is added here is a mark, or another role for the operands.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, FrozenMap
from ..evaluate.processes import (
    OF_A_NAME,
    OWN_PROCESS,
    finds_own,
    finds_watcher,
    inverts,
    is_person,
    is_service,
    is_shared,
    narrows,
    watches_over,
)
from ..evaluate.words import NUL, Arg
from ..machine.acts import emit, on_path
from ..machine.engine import act_on
from ..machine.options import parse as parse_options
from ..places.paths import in_project
from ..places.secret_words import hunted, names_secret
from ..places.system_places import address_marks

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.options import Parsed
    from ..tables.spec import Program

__all__ = [
    "asked_setting",
    "attributes",
    "capture",
    "fuser",
    "journal",
    "kills",
    "lookup",
    "modes",
    "much",
    "processes",
    "space",
    "variables",
]


def modes(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """chmod, chown: with `--reference` every operand is a file; a mode that lends the owner's rights is privileged."""
    plain = row
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if row.name == "setfacl":
        entries = [value for option, value in parsed.values if option.name != "-x"]
        plain = plain.replace(operands="handed+") if any(map(_shuts_out, entries)) else plain
        return act_on(plain, parsed, args, span, shell)
    closes = row.name == "chmod" and any(_closes(arg) for arg in args[1:])
    opens = args[0].text.endswith("chgrp") or not any(_keeps_closed(arg) for arg in args[1:2] + parsed.operands[:1])
    if closes or opens:
        role = "opened" if not closes else "handed" if opens else "closed"
        plain = plain.replace(operands=f"{row.operands.split()[0]} {role}+")
    if any(option.name == "--reference" for option, _ in parsed.values):
        plain = plain.replace(operands="mode+")
    elif (
        args[0].text.endswith("chown")
        and parsed.operands
        and (_to_others(parsed.operands[0], shell) or _optional(args))
    ):
        return act_on(plain.replace(tags=("privileged",), action="fs:chown"), parsed, args, span, shell)
    elif row.name == "chmod" and parsed.operands and _lends(parsed.operands[0].text):
        return act_on(plain.replace(tags=("privileged",), action="fs:setuid"), parsed, args, span, shell)
    elif row.name == "chmod" and any(map(_takes_away, args[1:])):  # `chmod -x run.sh` looks like an option
        mode = next(filter(_takes_away, args[1:]))
        others = [arg for arg in args[1:] if arg is not mode]
        parsed = parse_options(row, others, stop_at_operand=False)
        parsed.operands.insert(0, mode)
        return act_on(plain, parsed, [args[0], mode, *others], span, shell)
    elif row.name == "chmod" and len(args) > 2 and _lends(args[1].text):  # `-s` alone would be taken for an option
        parsed.operands.insert(0, args[1])
        return act_on(plain.replace(tags=("privileged",), action="fs:setuid"), parsed, args, span, shell)
    return act_on(plain, parsed, args, span, shell)


def _shuts_out(entries: Arg) -> bool:
    """`u::-`, `user:me:w`, `m::---` of an access list: its owner may no longer read or enter; or nobody knows."""
    for entry in entries.text.split(","):
        *who, rights = entry.removeprefix("default:").removeprefix("d:").split(":")
        if entries.unknown or "/" in entry or not who:
            return True  # a file of entries
        if who[0] in ("u", "user", "m", "mask") and not ("r" in rights and "x" in rights.lower()):
            return not rights.isdigit() or int(rights[-1]) & 5 != 5
    return False


def _keeps_closed(arg: Arg) -> bool:
    """`600`, `u+rw`, `go-rwx`, `+x`: a mode that lets nobody read what was not theirs to read."""
    mode = arg.text
    if not arg.known or not mode:
        return False
    if mode.isdigit():
        return mode[-2:] == "00"
    if mode.strip("ugoa+-=rwxXst,"):
        return False
    for clause in mode.split(","):
        who = clause[: len(clause) - len(clause.lstrip("ugoa"))]
        rest = clause[len(who) :]
        if rest[:1] not in ("+", "-", "=") or (who.strip("u") + "a" * (not who) and rest[0] != "-" and "r" in rest):
            return False
    return True


def _takes_away(arg: Arg) -> bool:
    """`-x`, `-rw`, `-w,o-r`: a mode, and no option of chmod."""
    return arg.known and len(arg.text) > 1 and arg.text[0] == "-" and not arg.text[1:].partition(",")[0].strip("rwxXt")


def _closes(arg: Arg) -> bool:
    """`000`, `a-x`, `u=w`: a mode after which the owner of a folder may not read or enter it."""
    mode = arg.text
    if mode.isdigit():
        return mode.strip("01234567") == "" and int(mode[-3:].rjust(3, "0")[0]) & 5 != 5
    if not arg.known or mode.strip("ugoa+-=rwxXst,") or mode.strip("ugoarwxXst,") == "":
        return False
    has = {"r", "x"}
    for clause in mode.split(","):
        who = clause[: len(clause) - len(clause.lstrip("ugoa"))]
        sign = ""
        for char in clause[len(who) :].lower() if not who or not {"u", "a"}.isdisjoint(who) else "":
            if char in "+-=":
                sign, has = char, set() if char == "=" else has
            else:
                has = has - {char} if sign == "-" else has | {char}
    return not {"r", "x"} <= has


def _to_others(owner: Arg, shell: Shell) -> bool:
    """`root:root`, `nobody`, `0`: an owner who is not the person; without rights of its own nothing takes that back."""
    name = owner.text.partition(":")[0].partition(".")[0]
    if not owner.known or not name:
        return False
    if name.isdigit():
        return len(name) < 4
    return name != shell.found.facts.home.rpartition("/")[2]


def _optional(args: list[Arg]) -> bool:
    """`*` may stand for a file whose name is an option, such as `--reference=FILE`, which names another owner."""
    return any(arg.glob and arg.text[:1] in "*?[" for arg in args) and all(arg.text != "--" for arg in args)


def _lends(mode: str) -> bool:
    """`u+s`, `4755`, `ug+xs`: whoever runs the file does so with its owner's rights."""
    if mode.isdigit():
        return len(mode.lstrip("0")) == 4 and mode.lstrip("0")[0] in "24567"
    return any("s" in clause.partition(sign)[2] for clause in mode.split(",") for sign in "+=" if sign in clause)


def attributes(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`chattr -i FILE`: what looks like an option is what is changed."""
    changed = [arg for arg in args[1:] if arg.text[:1] in "+-=" and arg.text[1:].isalpha() and arg.text not in _OWN]
    rest = [arg for arg in args if arg not in changed]
    parsed = parse_options(row, rest[1:], stop_at_operand=False)
    plain = row.replace(operands="mode+", action="fs:attributes", tags=("privileged",))
    return act_on(plain, parsed, rest, span, shell)


_OWN = frozenset(("-R", "-V", "-f"))

_SIGNALS = frozenset(
    "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM CHLD CONT STOP TSTP TTIN TTOU".split()
)


def kills(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """kill, pkill, killall, pgrep: the signal, in any spelling; then names, some of which belong to guards."""
    signals = [arg for arg in args[1:] if arg.text[:1] == "-" and _is_signal(arg.text[1:])]
    rest = [arg for arg in args if arg not in signals[:1]]
    plain = row
    words = [arg.text for arg in rest]
    first = any(word == "1" and words[at] not in ("-s", "-n") for at, word in enumerate(words[1:]))
    everyone = row.name == "kill" and (first or any(arg.text == "-1" for arg in args[2:]))
    of_root = any(arg.text == "root" and rest[at].text in ("-u", "-U", "--user") for at, arg in enumerate(rest[1:]))
    parsed = parse_options(row, rest[1:], stop_at_operand=False)
    by_name = row.action == "proc:kill" and row.name != "kill"
    nearly_all = by_name and _nearly_all(args[0].text.rpartition("/")[2], parsed, rest, shell)
    if by_name and any(map(finds_own, [arg.text for arg in parsed.operands if arg.known])):
        row = plain = plain.replace(tags=(*row.tags, "guard"))
    if (
        everyone
        or of_root
        or nearly_all
        or any(watches_over(arg.text) or finds_watcher(arg.text) for arg in rest[1:] if not arg.text.startswith("-"))
    ):
        plain = plain.replace(tags=(*row.tags, "security"))
    elif row.action == "proc:kill" and any(
        is_service(arg.text) or (by_name and is_shared(arg.text) and not _of_own(parsed)) for arg in parsed.operands
    ):
        plain = plain.replace(tags=(*row.tags, "machine"))
    if row.name == "kill" and any(arg.glob and arg.origin not in _LOOKED_UP for arg in parsed.operands):
        shell.unclear("which process is ended is unclear: any number", span)
    asked = [arg.text[1:] for arg in signals[:1]] + [v.text for o, v in parsed.values if o.role == "signal"]
    holds = any(name.removeprefix("SIG") in _HOLDS for name in asked)
    if row.action == "proc:kill" and holds:
        plain = plain.replace(tags=(*plain.tags, "suspends"))
    return act_on(plain, parsed, rest, span, shell)


def _of_own(parsed: Parsed) -> bool:
    """`pkill -P 1234`: the children of one process."""
    return any(option.name == "-P" for option, _ in parsed.values)


def _nearly_all(program: str, parsed: Parsed, words: list[Arg], shell: Shell) -> bool:
    """Whether nothing says which processes, or nothing but what nearly all of them have."""
    if not parsed.operands:
        return True
    if program == "killall" and "-r" not in parsed.switches:
        return False  # names, in full
    if program == "pkill" and any(map(inverts, words[1:])):
        return True
    return not any(arg.unknown or (narrows(arg) and not is_person(arg, shell)) for arg in parsed.operands)


def fuser(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`fuser -k 3000/tcp`: whoever uses the port, the file, or a whole file system, is ended."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if "kill" not in parsed.switches:
        return act_on(row, parsed, args, span, shell)
    space = next((value.text for option, value in parsed.values if option.name == "-n"), "")
    for arg in parsed.operands:
        port, slash, kind = arg.text.partition("/")
        if space not in ("", "file") or (port.isalnum() and slash and kind in ("tcp", "udp")):
            many = port in ("22", "53", "ssh", "domain")
        else:
            path = (on_path("list", arg, shell) or ["/"])[0]
            root = shell.found.facts.root
            many = path == root or not (path.startswith("/dev/") or in_project(root, path))
            many = many or not parsed.switches.isdisjoint(("-m", "-M", "-c"))
        emit(
            shell,
            span,
            name="proc:kill",
            effects=(Effect.EXECUTE, Effect.READ),
            tags=("security",) if many or arg.unknown else (),
            target={"process": arg.text.replace(NUL, "…")},
        )
    return None


_LOOKED_UP = (*OF_A_NAME, OWN_PROCESS)

# Signals that hold a process where it stands, or let it go on: nothing ends, and whoever it watched is not watched.
_HOLDS = frozenset(("STOP", "TSTP", "TTIN", "TTOU", "CONT", "17", "18", "19", "20", "21", "22"))


def _is_signal(text: str) -> bool:
    return text.removeprefix("SIG") in _SIGNALS or (text.isdigit() and text != "0")


_UNITS = {"K": 10, "M": 20, "G": 30, "T": 40, "P": 50, "": 0}
_MUCH = 20 << 30


def space(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`fallocate -l 500G`: a file as large as a disk takes the disk away from everybody."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if any(_size(value.text) >= _MUCH for option, value in parsed.values if option.name in ("-l", "-s")):
        row = row.replace(action="fs:fill", tags=("exhausts",))
    return act_on(row, parsed, args, span, shell)


def much(blocks: str, count: str) -> bool:
    """`bs=1G count=500` of dd."""
    return count.isdigit() and len(count) < 20 and (_size(blocks) or 512) * int(count) >= _MUCH


def _size(text: str) -> int:
    number = text.upper().removesuffix("B").removesuffix("I")
    unit = number[-1:] if number[-1:].isalpha() else ""
    digits = number.removesuffix(unit)
    return int(digits) << _UNITS[unit] if digits.isdigit() and len(digits) < 20 and unit in _UNITS else 0


def capture(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """tcpdump, tshark: a file of packets is a file; packets of a network are what others say to each other."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    asks = any(arg.text in ("-D", "--list-interfaces", "--version", "-v", "--help", "-h", "-G") for arg in args[1:])
    if not asks and not any(option.name in ("-r", "--read-file", "-I") for option, _ in parsed.values):
        row = row.replace(tags=(*row.tags, "secret"))
    return act_on(row, parsed, args, span, shell)


def lookup(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """dig: one name is a question; a transfer of a whole zone is a map of somebody's machines."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    plain = row
    if any(arg.text.lower() in ("axfr", "ixfr", "-l") or arg.text.lower().startswith("ixfr=") for arg in args[1:]):
        plain = plain.replace(tags=(*row.tags, "external"))
    marks = [mark for arg in parsed.operands if arg.known for mark in address_marks({"host": arg.text})]
    if marks:
        plain = plain.replace(tags=(*plain.tags, *marks))  # a name that is looked up is sent
    return act_on(plain, parsed, args, span, shell)


def processes(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """ps: an `e` among the letters without a dash shows what each process has in its environment."""
    letters = [arg.text for at, arg in enumerate(args[1:]) if arg.text.isalpha() and args[at].text[:1] != "-"]
    if any("e" in word for word in letters[:1]) or any(arg.text in ("-E", "-wwE", "-Eww") for arg in args[1:]):
        row = row.replace(tags=(*row.tags, "environment", "secret"))
    return act_on(row, parse_options(row, args[1:], stop_at_operand=False), args, span, shell)


def variables(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """printenv: all of the environment, or the variables that are named; a name says whether its value is secret."""
    if any(names_secret(arg.text) for arg in args[1:]):
        row = row.replace(tags=(*row.tags, "secret"))
    return act_on(row, parse_options(row, args[1:], stop_at_operand=False), args, span, shell)


def journal(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """journalctl: the log of a service that lets people in tells who came, from where and with what."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    named = [value.text for option, value in parsed.values if option.name in _OF_SERVICES]
    named += [arg.text.partition("=")[2] for arg in parsed.operands if arg.text.startswith(_FIELDS)]
    words = [word for name in named for word in name.lower().removesuffix(".service").split(",")]
    plain = row
    if not _LETS_IN.isdisjoint(words):
        plain = plain.replace(tags=(*row.tags, "machine"))
    if any(option.name == "-g" and hunted(value.text) for option, value in parsed.values):
        plain = plain.replace(tags=(*row.tags, "hunts"))
    return act_on(plain, parsed, args, span, shell)


_OF_SERVICES = frozenset(("-u", "-t", "--user-unit", "--facility"))
_FIELDS = ("_COMM=", "_EXE=", "_SYSTEMD_UNIT=", "SYSLOG_IDENTIFIER=", "SYSLOG_FACILITY=", "_TRANSPORT=", "UNIT=")
# Services and programs through which people and machines sign in, and the facilities that they log to.
_LETS_IN = frozenset(
    (
        "sudo", "su", "ssh", "sshd", "login", "systemd-logind", "polkit", "polkitd", "pkexec", "doas", "sssd", "slapd",
        "krb5kdc", "kadmin", "kadmind", "vault", "keycloak", "dex", "authelia", "freeradius", "radiusd", "gdm", "sddm",
        "lightdm", "getty", "agetty", "cockpit", "openvpn", "wireguard", "dovecot", "vsftpd", "auditd", "audit",
        "auth", "authpriv", "4", "10", "passwd", "useradd", "usermod", "groupadd", "chage", "fprintd", "pam",
        "bitwarden", "vaultwarden", "conjur", "teleport", "boundary",
    )
)  # fmt: skip


def asked_setting(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`gh config get NAME`: some of the names are those of tokens. What shows all of them counts for no single one."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if any(names_secret(arg.text) for arg in args[1:]):
        row = row.replace(tags=(*row.tags, "secret"))
    if parsed.operands:
        row = row.replace(flags=FrozenMap({}))
    return act_on(row, parsed, args, span, shell)
