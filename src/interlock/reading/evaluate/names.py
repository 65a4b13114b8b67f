"""What prints names that the disk decides, or numbers: `ls`, `seq`, `mktemp`, and filters that let such lines through.

A list of names may be empty, which is why it is `Names`. `ls src` prints bare names, and a bare name means a file in
the working folder: only `ls -d` and the names of files that `ls` was given come out as they stand.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .origins import ENVIRONMENT, IDENTIFIERS, LISTED, LOOKED_UP, MADE_NAME
from .processes import LISTS
from .words import NUL, Arg, Counted, Names, is_small_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..machine.options import Parsed
    from .state import Shell

__all__ = ["NAMES", "looked_up_program", "same_lines"]


_PLAIN_LISTS = frozenset("1ABCFSUXcdhkprtuv")  # letters of `ls` with which it prints names, and nothing else
# Options with which a filter prints some of the lines that it gets, each as it was.
_KEEPS_LINES = {
    "head": frozenset(("-n", "-q", "-z")),
    "tail": frozenset(("-n", "-q", "-z")),
    "sort": frozenset("-b -d -f -g -i -M -h -n -R -r -V -s -u -z -k -t".split()),
    "uniq": frozenset(("-d", "-i", "-u", "-z")),
    "grep": frozenset("-i -v -w -x -s -a -E -F -G -P -z -Z -e -m".split()),
}
_TEMPORARY = "/tmp/tmp.*"  # noqa: S108 - a name that is read, not used
_SIGNS = frozenset(" \t\n!\"#$&'()*;<>?[\\]`{|}~")  # what means something in a command line
_NUMBER = "[0-9]*"  # one, and no more
_WHOLE = LISTS | {ENVIRONMENT, IDENTIFIERS}  # some lines of these are as telling as all of them


def same_lines(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    """Filters that let lines through unchanged: what came in as names goes out as names."""
    flowing = shell.stdin
    if flowing is None or parsed.operands:
        return None
    if flowing.text == NUL:
        return flowing if flowing.origin in _WHOLE else None
    kept = _KEEPS_LINES[_filter(args)]
    if not kept.issuperset(parsed.switches) or not kept.issuperset([option.name for option, _ in parsed.values]):
        return None
    if not all(is_small_number(arg.text[1:]) for arg in parsed.strange):  # `head -5`
        return None
    return Names(flowing.text, flowing.span, True, flowing.origin) if flowing.glob and NUL not in flowing.text else None


def _filter(args: list[Arg]) -> str:
    name = args[0].text.rpartition("/")[2]
    return name if name in _KEEPS_LINES else "grep"  # egrep and its kin


def _listed(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    letters: set[str] = set()
    if args[0].text.rpartition("/")[2] != "ls":
        return None
    for arg in args[1:]:
        if arg.unknown or (arg.text[:2] == "--" and not arg.text.startswith("--color")):
            return None
        if arg.text[:1] == "-" and arg.text[1:2] != "-":
            letters.update(arg.text[1:])
    if not _PLAIN_LISTS.issuperset(letters) or parsed.values:
        return None
    places = [arg.text for arg in parsed.operands]
    if "d" in letters:
        return Names("\n".join(places or ["."]), args[0].span, True)
    origin = None if letters.isdisjoint("aAf") else LISTED
    given = [place for place in places if "/" in place.rstrip("/") and place[-1:] != "/"]
    return Names("\n".join(["./*", *given]), args[0].span, True, origin)


def _numbers(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    """`seq 3`: numbers; from where to where decides whether there are any."""
    if any(not arg.text.strip("-").replace(".", "", 1).isdecimal() for arg in parsed.operands if not arg.glob):
        return None
    for option, value in parsed.values:
        if value.unknown or (option.name == "-s" and value.text.strip(" ,")) or not _is_plain(value.text):
            return None
    ends = [int(arg.text) for arg in parsed.operands if is_small_number(arg.text)]
    listed = _each(ends) if len(ends) == len(parsed.operands) and not parsed.values and not parsed.switches else []
    if listed:
        return Counted(listed, args[0].span)
    some = len(ends) == len(parsed.operands) and (ends[:1] > [0] if len(ends) == 1 else ends[0:1] <= ends[-1:])
    return Arg("*", args[0].span, glob=True) if some and ends else Names("*", args[0].span, True)


def _each(ends: list[int]) -> list[int]:
    """`seq LAST`, `seq FIRST LAST`, `seq FIRST STEP LAST`: the numbers, if they are few."""
    if not 1 <= len(ends) <= 3 or (len(ends) == 3 and not ends[1]):
        return []
    first, step, last = ends[0] if len(ends) > 1 else 1, ends[1] if len(ends) == 3 else 1, ends[-1]
    numbers = range(first, last + 1, step)
    return list(numbers) if len(numbers) <= _FEW else []


_FEW = 10  # loops in loops are followed too, and each round costs


def _count(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    return Arg(_NUMBER, args[0].span, glob=True) if all(arg.text == "--all" for arg in args[1:]) else None


def _clock(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    """`date +%F`: what it prints for sure, and has neither a slash nor a dot of its own."""
    forms = parsed.operands
    if parsed.strange or any(arg.unknown or not _is_plain(arg.text) for arg in forms) or len(forms) > 1:
        return None
    if any(arg.text[:1] != "+" or "%" not in arg.text for arg in forms):
        return None
    if not forms:
        return Names("*", args[0].span, True)  # several words
    sure = not parsed.values and parsed.switches <= {"-u", "--utc"}
    return Arg(_NUMBER, args[0].span, glob=True) if sure else Names(_NUMBER, args[0].span, True)


def _is_plain(text: str) -> bool:
    """One word without a slash; neither a day and a month, nor the name of a zone, which a variable decides."""
    return not any(char in text for char in "/\\ \t\n") and ".." not in text and not any(f in text for f in _LONG)


_LONG = ("%D", "%x", "%c", "%r", "%Z", "%+", "%n", "%t", "%E", "%O", "%e", "%k", "%l", "%_")


def _mktemp(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    """A new name in the temporary folder, or from a template. A folder that is not there makes it print nothing."""
    if parsed.values or parsed.strange or parsed.switches - {"-d", "-q", "-t"} or "TMPDIR" in shell.variables:
        return None
    if not parsed.operands:
        return Arg(_TEMPORARY, args[0].span, True, MADE_NAME)
    name = parsed.operands[0].text
    if len(parsed.operands) > 1 or not parsed.operands[0].known or not name.endswith("XXX") or ".." in name:
        return None
    folder, slash, last = name.rpartition("/")
    if "-t" in parsed.switches or folder == "/tmp":  # noqa: S108
        if slash and "-t" in parsed.switches:
            return None
        return Arg(_TEMPORARY, args[0].span, True, MADE_NAME if _SIGNS.isdisjoint(last) else None)
    return Names((folder or (slash and "/") or ".") + "/" + last.rstrip("X") + "*", args[0].span, True)


def _name_only(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    """basename and dirname of one path; basename may take an ending off."""
    base = args[0].text.endswith("basename")
    ending = parsed.operands[1] if base and len(parsed.operands) == 2 else None
    if len(parsed.operands) != (1 if ending is None else 2) or parsed.switches or parsed.strange or parsed.values:
        return None
    arg = parsed.operands[0]
    if arg.unknown or "\n" in arg.text or (ending is not None and not (ending.known and (arg.quoted or arg.known))):
        return None
    folder, _, name = arg.text.rstrip("/").rpartition("/")
    if ending is not None and name != ending.text:
        name = name.removesuffix(ending.text) if name.endswith(ending.text) or not arg.glob else "*"
    if base:
        text, glob = name or "/", "*" in name and arg.glob
    elif name in ("*", "**") and arg.glob:
        return None  # what `find src` prints is also `src` itself, and then it is the folder above
    else:
        text, glob = folder or ("/" if arg.text.startswith("/") else "."), "*" in folder and arg.glob
    return (Names if type(arg) is Names else Arg)(text + "\n", arg.span, glob)


_ONLY_IDS = frozenset(("-q", "-a", "-l", "--no-trunc"))
_CHOOSES = frozenset(("-f", "-n"))


def _containers(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    """`docker ps -q`, `docker volume ls -q`: numbers, or names that begin with a letter or a digit."""
    if "-q" not in parsed.switches or parsed.strange or parsed.doubtful:
        return None
    if not parsed.switches <= _ONLY_IDS | _CHOOSES or any(option.name not in _CHOOSES for option, _ in parsed.values):
        return None
    return Arg(NUL, args[0].span, origin=IDENTIFIERS)


# Kinds whose names are those of hosts. Other names may have a blank in them, and then be several words.
_PLAIN_KINDS = frozenset(
    "pod pods po deployment deployments deploy service services svc node nodes no namespace namespaces ns job jobs "
    "cronjob cronjobs cj statefulset statefulsets sts daemonset daemonsets ds replicaset replicasets rs ingress "
    "ingresses ing configmap configmaps cm persistentvolumeclaim persistentvolumeclaims pvc".split()
)


def _objects(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    """`kubectl get pods -o name`: `pod/web-1`."""
    forms = [value.text for option, value in parsed.values if option.name == "-o"]
    kind = args[1].text if len(args) > 1 and args[1].known else ""
    if forms != ["name"] or kind not in _PLAIN_KINDS or parsed.operands or parsed.strange or parsed.doubtful:
        return None
    return (
        None
        if any(option.name == "--raw" for option, _ in parsed.values)
        else Arg(NUL, args[0].span, origin=IDENTIFIERS)
    )


def _which(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    if len(parsed.operands) != 1 or parsed.switches - {"-a"} or parsed.strange or parsed.values:
        return None
    return looked_up_program(parsed.operands[0], args[0].span, shell)


def looked_up_program(name: Arg, span: tuple[int, int], shell: Shell) -> Arg:
    """Where a program is, or nothing at all."""
    if not name.known or not name.text or shell.path_changed is not None:
        return Arg(NUL, span, origin=LOOKED_UP)
    return Names(name.text if "/" in name.text else "/usr/bin/" + name.text, span, True, LOOKED_UP)


NAMES: dict[str, Callable[..., Arg | None]] = {
    "basename": _name_only,
    "dirname": _name_only,
    "which": _which,
    "ls": _listed,
    "mktemp": _mktemp,
    "seq": _numbers,
    "nproc": _count,
    "date": _clock,
    "sort": same_lines,
    "tail": same_lines,
    "uniq": same_lines,
    "grep": same_lines,
    # What a row of a tool with many commands prints, by its action.
    **dict.fromkeys(("docker:ps", "docker:ls", "docker:list", "docker:images", "compose:ps"), _containers),
    "kubectl:get": _objects,
}
