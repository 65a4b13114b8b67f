"""patch, git apply, git am: what a patch changes stands in the patch, so its text is read where it can be had.

A patch that this session wrote, that comes from another machine or that lies outside the project may change any
file of the work tree, the guard's own among them: unread it is opaque. One of the project's own is trusted as its
scripts are.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.wants import Script
from ...value import TYPE_CHECKING
from ..evaluate.flows import Diffed, Poured
from ..evaluate.origins import SEVERAL_FILES, file_of
from ..evaluate.state import silent
from ..evaluate.words import Arg, literal
from ..lands.laid import lay
from ..lands.placing import TREE, bases_of, may_tell, tells
from ..machine.acts import on_path
from ..machine.engine import act_on
from ..machine.options import parse as parse_options
from ..machine.places import has_written, where
from ..places.paths import Unsettled, settle
from .git_patches import INDEX_END, WORK_END

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.options import Parsed
    from ..tables.spec import Program

__all__ = ["git_apply", "patch"]

_STREAM = ("-", "/dev/stdin")


def git_apply(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """git apply and git am. `--stat` and its like only show, unless `--apply` asks for both."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if "apply" in parsed.switches:
        parsed.switches.difference_update(row.dryrun.split())
    if parsed.switches.isdisjoint((*row.dryrun.split(), "--abort", "--continue", "--skip", "--quit", "--cached")):
        given = _strip(parsed)
        into = next((value.text for option, value in parsed.values if option.name == "--directory"), "")
        # Names are those of the whole repository, wherever it is run; outside of one, they begin here.
        tops = [shell.found.facts.root, *(shell.folders or ())]
        names = _Names(given, 1 if given is None else given, into, tops)
        names.reverse = not parsed.switches.isdisjoint(("-R", "--reverse"))
        _read(list(parsed.operands), names, shell, span)
        fed = not parsed.operands or parsed.operands[0].text in _STREAM
        if names.reverse and "--index" not in parsed.switches and fed and not _is_kept(shell.stdin):
            parsed.switches.add("takes-back")
    return act_on(row, parsed, args, span, shell)


def _is_kept(patch: Arg | None) -> bool:
    """Whether what a patch takes out could be put in again: its text stands in the call, or commits have both ends."""
    if isinstance(patch, Diffed):
        return {WORK_END, INDEX_END}.isdisjoint((*patch.old, *patch.new)) and bool(patch.old and patch.new)
    return patch is not None and not patch.unknown


class _Names:
    """How the names in a patch lead to files.

    strip   how many folders are taken off the front of each name, as it is told; None: as many as it takes
    likely  and if it is not told
    into    a folder that is put in front
    tops    folders from which names may begin
    reverse what the patch adds is taken out
    """

    __slots__ = ("into", "likely", "reverse", "strip", "tops")

    def __init__(self, strip: int | None, likely: int | None, into: str, tops: list[str]) -> None:
        self.strip, self.likely, self.into, self.tops = strip, likely, into, tops
        self.reverse = False


def patch(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    files = [value for option, value in parsed.values if option.name in ("-i", "--input")]
    if parsed.switches.isdisjoint(row.dryrun.split()):
        given = _strip(parsed)
        into = next((value.text for option, value in parsed.values if option.name == "-d"), "")
        names = _Names(given, given, into, list(shell.folders or ()))
        names.reverse = not parsed.switches.isdisjoint(("-R", "--reverse"))
        _read(files or list(parsed.operands[1:2]), names, shell, span)
    return act_on(row, parsed, args, span, shell)


def _strip(parsed: Parsed) -> int | None:
    """How many folders are taken off the front of each name; None: as many as it takes."""
    for option, value in parsed.values:
        if option.name == "-p":
            return int(value.text) if value.text.isdigit() else None
    return None


def _read(files: list[Arg], names: _Names, shell: Shell, span: tuple[int, int]) -> None:
    for file in files or [Arg("-", span)]:
        if file.text in _STREAM:
            _stream(names, shell, span)
        else:
            _file(file, names, shell, span)


def _stream(names: _Names, shell: Shell, span: tuple[int, int]) -> None:
    text = shell.stdin
    if text is None:
        return
    if text.known:
        _changes(text.text, names, shell, span)
    elif isinstance(text, Diffed):
        _brings(text, names, shell, span)
    elif file_of(text.origin):
        _file(literal(file_of(text.origin), text.span), names, shell, span)
    elif isinstance(text, Poured):
        _file(literal(text.path, text.span), names, shell, span, piped=True)
    elif text.origin == SEVERAL_FILES:
        shell.unclear("it is unclear which patch is applied", span)
    elif any(Effect.NETWORK in action.effects for action in shell.found.actions):
        shell.unclear("it is unclear what a patch from another machine changes", span)
    elif _may_tell(names, shell):
        shell.unclear("it applies what a pipe brings; it is unclear which files that changes", span)


def _may_tell(names: _Names, shell: Shell) -> bool:
    """Whether the patch works in a folder where somebody obeys files."""
    facts = shell.found.facts
    bases = bases_of(facts, (shell.found.cwd,) if shell.found.cwd else ())
    return any(may_tell(_goal(top, names), bases, facts) for top in names.tops)


def _goal(top: str, names: _Names) -> str:
    try:
        return settle(names.into or ".", cwd=top, home="/")
    except Unsettled:
        return top


def _brings(patch: Diffed, names: _Names, shell: Shell, span: tuple[int, int]) -> None:
    """A patch that git makes in the same call: files become what they are at its other end."""
    old, new = (patch.new, patch.old) if names.reverse else (patch.old, patch.new)
    if names.strip not in (None, 1) or not new:
        if _may_tell(names, shell):
            shell.unclear("it applies a patch of what this call makes; it is unclear which files that changes", span)
        return
    plain = patch.folder == shell.found.facts.root and not any(char in path for path in patch.only for char in "*?[:")
    for into in dict.fromkeys([_goal(top, names) for top in names.tops]):
        only = tuple([("only", settle(path, cwd=into, home="/")) for path in patch.only]) if plain else ()
        for end in new:
            if end == INDEX_END:
                lay(TREE, patch.folder, into, span, shell, (("how", "index"), *only))
            for start in (old or ("",)) if end not in (INDEX_END, WORK_END) else ():
                how = "force" if start in (INDEX_END, WORK_END) else "diff"
                ends = (("rev", end), *((("from", start),) if how == "diff" and start else ()))
                lay(TREE, patch.folder, into, span, shell, (("how", how), *ends, *only))


def _file(file: Arg, names: _Names, shell: Shell, span: tuple[int, int], *, piped: bool = False) -> None:
    paths = on_path("read", file, silent(shell))
    if len(paths) != 1 or file.glob:
        shell.unclear("it is unclear which patch is applied", span)
        return
    path = paths[0]
    text = shell.files.get(path)
    if text is None and path in shell.found.facts.scripts:
        text = literal(shell.found.facts.scripts[path], file.span)
    if text is not None and text.known:
        _changes(text.text, names, shell, span)
        return
    if isinstance(text, Diffed):
        _brings(text, names, shell, span)
        return
    shell.found.want(Script(path))
    if piped and ((text is None and path not in shell.found.facts.unread) or not _may_tell(names, shell)):
        return
    if piped:  # packed, or no text for another reason
        shell.unclear(f"it is unclear what the patch `{path}` changes", span)
        return
    if text is not None or has_written(path, shell) or not path.startswith(shell.found.facts.root + "/"):
        shell.unclear(f"it is unclear what the patch `{path}` changes", span)


def _changes(text: str, naming: _Names, shell: Shell, span: tuple[int, int]) -> None:
    """Each file that the patch names. What it takes out stands in the patch, so nothing of it is lost."""
    names = dict.fromkeys(_names(text))
    if not names or any(name.startswith('"') for name in names):
        shell.unclear("it is unclear which files a patch changes", span)
    into = naming.into.rstrip("/") + "/" if naming.into else ""
    likely = dict.fromkeys([into + _stripped(name, naming.strip) for name in names])
    for path in likely:
        on_path("edit", literal(path, span), shell)
    if naming.strip is None or len(naming.tops) > 1:
        _may_change([into + path for name in names for path in _all_stripped(name, naming)], naming, shell, span)


def _may_change(paths: list[str], naming: _Names, shell: Shell, span: tuple[int, int]) -> None:
    """Other files that the same names may lead to, where one of them is a file that somebody obeys."""
    facts = shell.found.facts
    bases = bases_of(facts, (shell.found.cwd,) if shell.found.cwd else ())
    for top in dict.fromkeys(naming.tops):
        for path in dict.fromkeys(paths):
            place = where(literal(f"{top}/{path}" if path[:1] != "/" else path, span), shell)
            if tells(settle(place, cwd="/", home="/"), facts, bases):
                on_path("edit", literal(place, span), shell)


def _all_stripped(name: str, naming: _Names) -> list[str]:
    if naming.likely is not None:
        return [_stripped(name, naming.likely)]
    parts = name.split("/")
    return ["/".join(parts[at:]) for at in range(len(parts)) if parts[at]]


def _names(text: str) -> list[str]:
    """As the patch spells them: of a diff, of a rename, and of a file of bytes, which has no lines to show."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    found = []
    for line, after in zip(lines, (*lines[1:], ""), strict=True):
        if line.startswith("diff --git "):
            found += [half.strip() for half in line[len("diff --git ") :].split(" b/")[:1]]
            found += ["b/" + half.strip() for half in line.split(" b/")[1:]]
        pairs = (("--- ", "+++ "), ("*** ", "--- "))
        if line.startswith(("+++ ", "Index: ")) or any(line.startswith(a) and after.startswith(b) for a, b in pairs):
            found.append(line.partition(" ")[2].partition("\t")[0].strip())
        for header in ("rename from ", "rename to ", "copy to "):
            if line.startswith(header):
                found.append("b/" + line[len(header) :].strip())
    return [name for name in found if name and name != "/dev/null"]


def _stripped(name: str, strip: int | None) -> str:
    if strip is None:
        return name[2:] if name[:2] in ("a/", "b/") else name
    return name.split("/", strip)[-1] if name.count("/") >= strip else name
