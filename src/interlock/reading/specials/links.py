"""ln, cp, mv: another name for a file, or for what is in it.

What is done through a link is done to the file; a copy is run as what it is a copy of.
"""

from __future__ import annotations

from ...model.more_wants import Begins
from ...value import TYPE_CHECKING, lazy
from ..evaluate.contents import Changed
from ..evaluate.flows import Laid
from ..evaluate.origins import A_SECRET, LISTED
from ..evaluate.words import Arg
from ..lands.fetched import came_with, carry_along, carry_matching, is_foreign
from ..lands.laid import copied, filled, is_blind, is_laid, lay, source_of
from ..lands.placing import FOLDER
from ..machine.acts import on_path
from ..machine.engine import act_on
from ..machine.options import Parsed
from ..machine.options import parse as parse_options
from ..machine.places import has_written, where
from ..places.paths import Unsettled, folded, in_project, settle
from ..places.places import PLUG_IN, guarded_by, loosened, obeyed_by
from .archives import is_wild

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..lands.lost import moved_out, written_over
    from ..tables.spec import Program
else:
    moved_out = lazy(globals(), "..lands.lost", "moved_out")
    written_over = lazy(globals(), "..lands.lost", "written_over")

__all__ = ["copies", "ln", "placed"]


def copies(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`cp A B`, `mv A B`: what is in the one is then in the other, or in a file of that name in it."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    before, since = dict(shell.files), len(shell.found.actions)
    output = act_on(row, parsed, args, span, shell)
    if row.name == "mv" and shell.found.moved:
        moved_out(since, shell)
    _lands_in(row, parsed, before, shell)
    single = len(parsed.operands) == 2 and all(arg.known for arg in parsed.operands) and not parsed.values
    if not single or shell.folders is None or len(shell.folders) > 1 or not parsed.switches <= _PLAINLY:
        return output
    source, place = [where(arg, shell) for arg in parsed.operands]
    if place not in shell.files or source == place:
        return output
    held = before.get(source) or Changed(source, (), span)
    if type(held) is Arg and held.unknown and held.origin != A_SECRET and isinstance(shell.files[place], Laid):
        return output  # of what is in it no more is known than that it is kept among the placements
    shell.files[place] = held
    shell.files[f"{place.rstrip('/')}/{source.rpartition('/')[2]}"] = held
    return output


def placed(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`install -m 4755 a b`: a copy, and what rights it lends to whoever runs it."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    modes = [value.text for option, value in parsed.values if option.name == "-m"]
    if any("s" in mode or (len(mode.lstrip("0")) > 3 and mode.lstrip("0")[0] in "2467") for mode in modes):
        row = row.replace(action="fs:chmod", tags=("privileged",))
    before = dict(shell.files)
    output = act_on(row, parsed, args, span, shell)
    _lands_in(row, parsed, before, shell)
    return output


def _lands_in(row: Program, parsed: Parsed, before: dict[str, Arg], shell: Shell) -> None:
    """`cp /tmp/x.js src`: if that is a folder, there is a file of that name in it, which is not the project's own.

    `before`: what this call had left in files until then. What is moved counts as written from then on.
    """
    into = next((value for option, value in parsed.values if option.name == "-t"), None)
    sources = parsed.operands if into is not None else parsed.operands[:-1]
    place = into if into is not None else parsed.operands[-1] if parsed.operands else None
    if place is None or place.unknown or shell.folders is None:
        return
    goal = named = where(place, shell)
    goal = goal.rpartition("/")[0] if place.glob else goal
    told = True
    earlier = shell.copy()
    earlier.files = before
    for arg in sources:
        if arg.unknown:
            told = False
            continue
        source = where(arg, shell)
        # The name of a temporary folder is a pattern; by that name the call finds again what it has put there.
        told = _lays(row, parsed, arg, source, named, earlier, several=into is not None or len(sources) > 1) and told
        if arg.glob:
            carry_matching(source, goal, arg.span, shell)
        else:
            several = into is not None or len(sources) > 1
            _lands(row, parsed, arg, source, place, goal, shell, several=several)
    if told:
        for path in (goal, *[f"{goal.rstrip('/')}/{arg.text.rstrip('/').rpartition('/')[2]}" for arg in sources]):
            filled(path, place.span, shell)


def _lands(
    row: Program, parsed: Parsed, arg: Arg, source: str, place: Arg, goal: str, shell: Shell, *, several: bool
) -> None:
    name = arg.text.rstrip("/").rpartition("/")[2]
    came = came_with(source, shell) is not None
    elsewhere = not in_project(shell.found.facts.root, source)
    whole = row.name == "mv" or bool(parsed.strange) or not parsed.switches.isdisjoint(("-r", "-R", "-a"))
    if name in ("", ".", ".."):  # not the folder, but all that is in it
        if came or (elsewhere and whole):
            on_path("brings", place, shell)
        else:
            carry_along(source, [goal], arg.span, shell)
        return
    inside = f"{goal.rstrip('/')}/{name}"
    folder = elsewhere and whole and ("." not in name[1:] or row.name != "mv")
    if came or elsewhere or has_written(source, shell):
        on_path("brings" if came or folder else "write", Arg(inside, arg.span), shell)
        if (folder or came) and goal in shell.found.facts.absent:
            on_path("brings", place, shell)
    elif obeyed_by(inside, shell.found.facts) is not None and (several or _is_folder(place, shell)):
        on_path("write", Arg(inside, arg.span), shell)  # `cp x/opencode.json .`
    if not came and not folder:
        carry_along(source, [inside, goal], arg.span, shell)
    if "--parents" in parsed.switches:
        on_path("write", Arg(f"{goal.rstrip('/')}/{arg.text.lstrip('/')}", arg.span), shell)


def _lays(row: Program, parsed: Parsed, arg: Arg, source: str, goal: str, shell: Shell, *, several: bool) -> bool:
    """Files of a folder, and those that a pattern names, land under names that stand in no word.

    False if nobody can tell what they are.
    """
    deep = row.name != "install" and (row.name != "cp" or not parsed.switches.isdisjoint(("-r", "-R", "-a")))
    deep = deep or any(word.text in ("--recursive", "--archive") for word in parsed.strange)
    last = arg.text.rpartition("/")[2]
    if not deep and not arg.glob:
        return copied(source, goal, arg.span, shell, within="always" if several else "maybe")
    options = [("deep", "1")] if deep else []
    options += [("follow", "1")] if "-L" in parsed.switches else []
    options += [("asked", "1")] if is_foreign(source, shell) else []
    folder, _, pattern = source.rpartition("/")
    options += [("hidden", "1")] if arg.glob and (arg.origin == LISTED or pattern == "**") else []
    if arg.glob and not is_laid(source, shell):
        if is_wild(folder):
            return False
        lay(FOLDER, folder or "/", goal, arg.span, shell, (*options, ("match", loosened(pattern))))
        return is_blind(folder, shell, loosened(pattern)) is None
    for within in _within(last, several=several, exact="-T" in parsed.switches):
        lay(FOLDER, source, goal, arg.span, shell, (*options, ("within", within)))
    return is_blind(source_of(source, shell), shell) is None


def _within(last: str, *, several: bool, exact: bool) -> tuple[str, ...]:
    """Whether a folder of its own name is made in the place. `cp -r a/ b`: on some systems, and not on others."""
    if last in (".", "..") or exact:
        return ("never",)
    named = "always" if several else "maybe"
    return (named, "never") if not last else (named,)


def _is_folder(place: Arg, shell: Shell) -> bool:
    """Whether it surely is one: by its spelling, or because of what we know to lie in it."""
    if place.text.rstrip("/").rpartition("/")[2] in ("", ".", "..") or place.text.endswith("/"):
        return True
    facts, path = shell.found.facts, where(place, shell)
    return path in (facts.home, facts.root) or any(own.startswith(folded(path) + "/") for own in facts.own)


_PLAINLY = frozenset(("-a", "-f", "-p", "-v", "-T", "-L", "-x"))  # options that change nothing about what is copied


def ln(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`ln [-s] TARGET NAME`, `ln TARGET`, `ln TARGET… FOLDER`."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if any(option.name == "-S" for option, _ in parsed.values):
        shell.unclear("what was there is kept under a name that is put together", span)
    into = next((value for option, value in parsed.values if option.name == "-t"), None)
    targets = list(parsed.operands)
    name = into or (targets.pop() if len(targets) > 1 else Arg(".", span))
    if not parsed.switches.isdisjoint(("-f", "--force")) and "-b" not in parsed.switches and len(targets) == 1:
        written_over(name, shell, targets[0].text.rstrip("/").rpartition("/")[2])
    places = on_path("link", name, shell)
    symbolic = "symbolic" in parsed.switches
    for target in targets:
        if not symbolic and _has_guarded(target, shell):
            on_path("mode", target, shell)  # what is written under the second name is written to it
        for place in places:
            for path in _names(place, target, single=into is None and len(targets) == 1):
                _remember(path, target, symbolic, shell)
                if _makes_a_mod(path, target, shell):
                    on_path("link", Arg(f"{path}/{PLUG_IN}", target.span), shell)
                if (
                    path != place
                    and obeyed_by(path, shell.found.facts) is not None
                    and (into or len(targets) > 1 or _is_folder(name, shell))
                ):
                    on_path("link", Arg(path, target.span), shell)
        if target.known and came_with(where(target, shell), shell) is not None:
            on_path("brings", name, shell)
        leads_to = shell.links.get(places[0]) if places else None
        on_path("linked", Arg(leads_to, target.span) if symbolic and leads_to else target, shell)
    return None


def _has_guarded(target: Arg, shell: Shell) -> bool:
    return target.known and guarded_by(where(target, shell), shell.found.facts) is not None


def _makes_a_mod(path: str, target: Arg, shell: Shell) -> bool:
    """Whether a plug-in lies where the link leads, and a client would load it by the name of the link."""
    facts = shell.found.facts
    if guarded_by(f"{path}/{PLUG_IN}", facts) is None or guarded_by(path, facts) is not None:
        return False
    folder = shell.links.get(path)
    if folder is None:  # it is not known where it leads
        return True
    inside = (f"{folder}/{PLUG_IN}", f"{folder}/{PLUG_IN}/")
    if any(made == inside[0] or made.startswith(inside[1]) for made in (*shell.files, *shell.found.made)):
        return True
    return shell.found.ask(Begins("plug-in", folder)) is not False


def _names(place: str, target: Arg, *, single: bool) -> list[str]:
    """The name itself, and the name inside it, should it be a folder."""
    inside = f"{place.rstrip('/')}/{target.text.rstrip('/').rpartition('/')[2]}"
    return [place, inside] if single else [inside]


def _remember(path: str, target: Arg, symbolic: bool, shell: Shell) -> None:
    if target.unknown or shell.folders is None:
        return
    base = path.rpartition("/")[0] or "/" if symbolic else shell.folders[0]
    try:
        shell.links[path] = settle(target.text or ".", cwd=base, home="/")
    except Unsettled:
        return
