"""Reads one command by its row: options, operands, effects, and what is run inside it.

The rows are data (see spec.py); what a table cannot say is a function in wrappers.py. An operand that is
not known is opaque for its own action only; a program that has no row is `exec:<name>`, marked `unknown`.
"""

from __future__ import annotations

from ...action import Action
from ...effects import Effect, by_precedence
from ...value import TYPE_CHECKING, FrozenMap
from ...verdict import Risk
from ..evaluate.builtins import BUILTINS
from ..evaluate.output import output_of
from ..evaluate.words import NUL, Arg
from ..paths import Unsettled, settle
from ..places import holds_guarded
from .index import find_program
from .options import Parsed, compiled, parse
from .own import own_row
from .places import FREE, marks_in_shell
from .spec import ROLES, Adds

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from .spec import Program

    Target = dict[str, str | bool | tuple[str, ...]]
    Given = tuple[Target, list[Adds]]  # fields of the target, and what switches add

__all__ = ["SYSTEM_FOLDERS", "act_on", "emit", "keep_moved", "on_path", "own_values", "run_command", "run_row", "wild"]

SYSTEM_FOLDERS = (
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/sbin/",
    "/usr/sbin/",
    "/usr/local/sbin/",
    "/opt/homebrew/bin/",
)
_WRITES_FILES = frozenset(("fs:write", "fs:move", "fs:link"))
_TAKES_AWAY = frozenset(("fs:delete", "fs:wipe", "fs:move"))  # a folder, and everything in it
_HIDDEN = frozenset(("text", "number", "format"))  # data that says nothing about a target


def run_command(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Follows one command, word by word; what it prints, if that is known."""
    found = shell.found
    found.spend()
    found.commands.append((tuple(args), shell.span(span)))
    if found.programs is None:
        return _follow(args, span, shell)
    outer = found.running
    found.runs(args)
    output = _follow(args, span, shell)
    found.running = outer
    return output


def _follow(args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    first = args[0]
    name = first.text
    if not first.known:
        why = first.why or "its name is a pattern"
        shell.unclear(f"which program is run is not known: {why}", span)
        return None
    if not name.isprintable():
        shell.unclear("the name of a program holds characters that are not seen", span)
    if name[:1] in ("!", "^"):
        shell.unclear("this looks like a command from the shell's history", span)
    if name in shell.aliases:
        shell.unclear(f"`{name}` may be an alias", span)
        return None
    if "/" in name:
        if not name.startswith(SYSTEM_FOLDERS) or name.rpartition("/")[0] + "/" not in SYSTEM_FOLDERS:
            from ..wrappers import run_file

            return run_file(first, args[1:], span, shell)
        name = name.rpartition("/")[2]
    else:
        builtin = BUILTINS.get(name)
        if builtin is not None:
            return builtin(args, span, shell)
        if shell.path_changed is not None:
            shell.unclear(shell.path_changed, span)
    row = find_program(name)
    described = shell.found.facts.commands.get(name)
    if described is not None:
        row = own_row(name, described)
    if row is None:
        emit(shell, span, name=f"exec:{name}", effects=(Effect.EXECUTE,), tags=("unknown",))
        _left_running(shell, span, name)
        return None
    _left_running(shell, span, name)
    return run_row(row, args, span, shell)


def _left_running(shell: Shell, span: tuple[int, int], name: str) -> None:
    if shell.background:
        emit(shell, span, name="proc:spawn", effects=(Effect.SPAWN,), target={"program": name})


def run_row(
    row: Program, args: list[Arg], span: tuple[int, int], shell: Shell, given: Given | None = None
) -> Arg | None:
    """`args[0]` is the name that led to the row; `given` is what options before a sub-command said."""
    if row.special is not None:
        from ..specials import special

        return special(row.special)(row, args, span, shell)
    if row.subs:
        return _sub_command(row, args, span, shell, given)
    parsed = parse(row, args[1:], stop_at_operand=compiled(row).exact)
    return act_on(row, parsed, args, span, shell, given)


def _sub_command(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell, given: Given | None) -> Arg | None:
    parsed = parse(row, args[1:], stop_at_operand=True)
    given = own_values(row, parsed, span, shell, given)
    if not parsed.operands:
        if row.default is not None:
            return run_row(row.default, args, span, shell, given)
        emit(shell, span, name=f"{row.name}:help", effects=(), tags=())
        return None
    first = parsed.operands[0]
    if first.unknown or first.glob:
        shell.unclear(f"which `{row.name}` command is run is not known", span)
        return None
    sub = row.subs.get(first.text)
    if sub is not None:
        return run_row(sub, parsed.operands, span, shell, given)
    if row.default is not None:
        return run_row(row.default, [args[0], *parsed.operands], span, shell, given)
    emit(
        shell,
        span,
        name=f"{row.name}:{first.text}" if row.action is None else f"{row.action}-{first.text}",
        effects=(Effect.EXECUTE,),
        tags=("unknown",),
        target=dict(given[0]),
    )
    return None


def act_on(
    row: Program,
    parsed: Parsed,
    args: list[Arg],
    span: tuple[int, int],
    shell: Shell,
    given: Given | None = None,
) -> Arg | None:
    """Actions of the options' values, of the operands, and of the program itself."""
    table = compiled(row)
    before_it: Given = given or ({}, [])
    adds = [*before_it[1], *(row.flags[name] for name in sorted(parsed.switches) if name in row.flags)]
    if parsed.operands and "operand" in row.flags:
        adds.append(row.flags["operand"])
    shown = [option for name, option in table.by_name.items() if option.shows in parsed.switches]
    trial = not parsed.switches.isdisjoint(table.trial)
    for add in adds:
        if add.opaque is not None:
            shell.unclear(add.opaque, span)
    if table.exact and parsed.strange:
        shell.unclear(f"`{parsed.strange[0].text.replace(NUL, '…')}` is an option that is not known", span)
    target: Target = {**before_it[0], **{option.shows: True for option in shown if option.shows}}
    before, moved = len(shell.found.actions), shell.found.moved
    clouded = _doubts(row, parsed, table, span, shell)
    own = adds if row.action is None else []  # with a main action, switches add to that one only
    _wild(row, parsed, span, shell)
    for option, value in parsed.values:
        _in_role(option.role or "text", value, target, own, trial, span, shell)
    assigned = _assigned(table.roles, parsed.operands)
    if (
        Effect.EXECUTE in row.effects
        and ("command", "") in table.roles
        and not any(r == "command" for r, _ in assigned)
    ):
        if parsed.switches.isdisjoint(("--help", "--version", "-h", "-V", "-l", "--list", "-v", "-k", "-K")):
            shell.unclear(f"`{row.name}` without a command starts a shell, or waits for someone", span)
    for role, operands in assigned:
        if role == "command":
            if operands:
                _inner(row, operands, span, shell)
            continue
        if role.startswith("code."):
            for operand in operands:
                from ..wrappers import run_code

                run_code(role, operand, shell, span)
            continue
        if role in ("list", "read"):
            role = next((add.role for add in adds if add.role is not None), role)
        for operand in operands:
            _in_role(role, operand, target, own, trial, span, shell)
    if row.stdin.startswith("code.") and not parsed.operands and shell.stdin is not None:
        from ..wrappers import run_code

        run_code(row.stdin, shell.stdin, shell, span)
    if row.stdin == "send" and shell.stdin is not None and (shell.stdin.unknown or shell.stdin.text.strip(" \nQ")):
        adds = [*adds, Adds(tags=("external", "sends"))]
    if shell.found.moved > moved:
        keep_moved(before, shell)
    if row.action is not None or (len(shell.found.actions) == before and not clouded):
        _main(row, adds, trial, target, span, shell)
    return output_of(row.name, args, parsed, shell)


def _doubts(row: Program, parsed: Parsed, table: object, span: tuple[int, int], shell: Shell) -> bool:
    """A word that is not known may be any option: opaque, unless no option of the program matters."""
    if not parsed.doubtful:
        return False
    matters = bool(row.flags) or any(
        option.role is not None and (option.role in ROLES or option.role.startswith(("code", "command")))
        for option in table.by_name.values()  # type: ignore[attr-defined]
    )
    if matters:
        for arg in parsed.doubtful:
            shell.unclear(f"an argument of `{row.name}` is not known: {arg.why}", arg.span)
    return False


def _wild(row: Program, parsed: Parsed, span: tuple[int, int], shell: Shell) -> None:
    """`zip a.zip *`: a file whose name begins with a dash would be an option, and some options run commands."""
    runs = any(option.role == "command" for option in compiled(row).by_name.values())
    if (runs or "mode" in row.operands) and any(wild(arg) for arg in parsed.operands):
        shell.unclear("a file name that begins with a dash would be an option; `./*` is safe", span)


def wild(arg: Arg) -> bool:
    return arg.glob and arg.text[:1] in ("*", "?", "[") and len(arg.text) < 3


def own_values(row: Program, parsed: Parsed, span: tuple[int, int], shell: Shell, given: Given | None = None) -> Given:
    """The options before a sub-command: paths that they name, fields of the target, and what they add."""
    target: Target = dict(given[0]) if given is not None else {}
    adds = list(given[1]) if given is not None else []
    for option, value in parsed.values:
        _in_role(option.role or "text", value, target, [], False, span, shell)
    for option in compiled(row).by_name.values():
        if option.shows in parsed.switches and option.shows:
            target[option.shows] = True
    for name in sorted(parsed.switches):
        add = row.flags.get(name)
        if add is not None:
            if add.opaque is not None:
                shell.unclear(add.opaque, span)
            adds.append(add.replace(opaque=None))
    return target, adds


def _assigned(roles: list[tuple[str, str]], operands: list[Arg]) -> list[tuple[str, list[Arg]]]:
    """Each role with its operands. What stands after a `+` or `*` is served from the end."""
    many = next((i for i, (_, quantifier) in enumerate(roles) if quantifier in ("*", "+")), None)
    found: list[tuple[str, list[Arg]]] = []
    at = 0
    head = roles if many is None else roles[:many]
    tail = [] if many is None else roles[many + 1 :]
    for index, (role, quantifier) in enumerate(head):
        needed = sum(1 for _, q in head[index + 1 :] if q == "")
        if quantifier == "?" and len(operands) - at <= needed:
            continue
        if at < len(operands):
            found.append((role, [operands[at]]))
            at += 1
    if many is not None:
        rest = operands[at:]
        middle = len(rest) - len(tail) if len(rest) > len(tail) else min(len(rest), 1 if roles[many][1] == "+" else 0)
        found.append((roles[many][0], rest[:middle]))
        for (role, _), operand in zip(tail, rest[middle:], strict=False):
            found.append((role, [operand]))
    elif at < len(operands) and found:
        role, taken = found[-1]  # more words than roles: they belong to the last one
        found[-1] = (role, [*taken, *operands[at:]])
    return found


def _in_role(
    role: str,
    arg: Arg,
    target: dict[str, str | bool | tuple[str, ...]],
    adds: list[Adds],
    trial: bool,
    span: tuple[int, int],
    shell: Shell,
) -> None:
    if role in _HIDDEN:
        return
    if role == "command" or role.startswith("code."):
        from ..wrappers import run_code

        run_code("code.sh" if role == "command" else role, arg, shell, span)
        return
    if role == "fetch":
        from ..wrappers import on_url

        on_url(arg, shell, span, adds)
        return
    if role in ROLES:
        if arg.text == "-" and role in ("read", "list", "search", "edit"):
            return  # standard input
        if role == "script":
            from ..wrappers import run_file

            run_file(arg, [], span, shell)
            return
        if role == "runs" and not trial:
            from ..projects import run_place

            run_place(arg, shell, span)
            return
        on_path("list" if trial else role, arg, shell, adds)
        return
    text = arg.text.replace(NUL, "…")
    before = target.get(role)
    if arg.unknown:
        shell.unclear(f"the {role} is not known: {arg.why}", arg.span)
    if before is None or before is True:
        target[role] = text
    elif isinstance(before, tuple):
        target[role] = (*before, text)
    else:
        target[role] = (str(before), text)


def _inner(row: Program, operands: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """A command inside a command: with the marks that the wrapper adds."""
    inner = shell.copy()
    if "privileged" in row.tags:
        inner.privileged = True
    if Effect.SPAWN in row.effects:
        inner.background = True
    run_command(operands, (operands[0].span[0], operands[-1].span[1]) if shell.frozen_span is None else span, inner)


def _main(
    row: Program,
    adds: list[Adds],
    trial: bool,
    target: dict[str, str | bool | tuple[str, ...]],
    span: tuple[int, int],
    shell: Shell,
) -> None:
    found: list[Effect] = list(row.effects)
    tags = list(row.tags)
    risk, irreversible, name = row.risk, row.irreversible, row.action or f"exec:{row.name}"
    for add in adds:
        found.extend(add.effects)
        tags.extend(add.tags)
        risk = max(risk, add.risk)
        irreversible = irreversible or add.irreversible
        name = add.action or name
    if trial:
        found, irreversible = [Effect.READ], False
        tags = [tag for tag in tags if tag not in ("external", "sends", "force", "history")]  # nothing reaches others
        tags.append("dryrun")
    elif name in ("exec:project", "pkg:restore"):
        from ..projects import own_code

        own_code(shell.folders, shell, span)
    if name == "proc:kill" and any("interlock" in str(value) for value in target.values()):
        tags.append("guard")
    emit(
        shell,
        span,
        name=name,
        effects=by_precedence(found),
        tags=tuple(tags),
        risk=risk,
        irreversible=irreversible,
        compensator=row.compensator if irreversible else None,
        target=target,
    )


def on_path(role: str, arg: Arg, shell: Shell, adds: list[Adds] | tuple[Adds, ...] = ()) -> list[str]:
    """The action of one path; the places that it may be, for those who follow what is in it."""
    kind = ROLES[role]
    extra = [effect for add in adds for effect in add.effects]
    tags = [*kind.tags, *(tag for add in adds for tag in add.tags)]
    effects = by_precedence([*kind.effects, *extra])
    if arg.text in shell.files and arg.text.startswith("/dev/fd/"):
        return [arg.text]  # the pipe of a process substitution, whose command was followed where it stands
    if arg.unknown or (shell.folders is None and not arg.text.startswith("/")):
        why = arg.why if arg.unknown else "the working folder"
        shell.unclear(f"a path that `{kind.action}` uses is not known: {why}", arg.span)
        emit(shell, arg.span, name=kind.action, effects=effects, tags=("unread", *tags), irreversible=kind.irreversible)
        return []
    paths = []
    for folder in shell.folders or ("/",):
        try:
            path = settle("./" + arg.text if arg.text[:1] == "~" else arg.text or ".", cwd=folder, home="/")
        except Unsettled as why_not:
            shell.unclear(str(why_not), arg.span)
            emit(shell, arg.span, name=kind.action, effects=effects, tags=("unread", *tags))
            return []
        asked = arg.text if arg.text.startswith("/") else f"{folder}/{arg.text}"
        marks, real, missing = marks_in_shell(path, asked, arg.glob, shell)
        if kind.action in _TAKES_AWAY and "guard" not in marks and holds_guarded(path, shell.found.facts):
            marks.append("guard")
        if missing:
            shell.found.want(missing)
            shell.unclear("where the path leads is not known", arg.span)
        target: dict[str, str | bool | tuple[str, ...]] = {"path": path}
        if real is not None and real != path:
            target["real"] = real
        if arg.glob:
            target["glob"] = True
        emit(
            shell,
            arg.span,
            name=kind.action,
            effects=effects,
            tags=(*marks, *tags),
            irreversible=kind.irreversible,
            target=target,
        )
        paths.append(path)
        if kind.action == "fs:move" and FREE.isdisjoint(marks):
            shell.found.moved += 1
        elif "new" in marks and Effect.WRITE in effects:
            shell.found.made.add(path)
        if kind.action in _WRITES_FILES and role != "folder" and not arg.glob and path != shell.found.facts.root:
            shell.files[path] = Arg(NUL, arg.span, why="a file that a program has written")
    return paths


def keep_moved(since: int, shell: Shell) -> None:
    """Something was moved by the actions from there on: what they wrote now holds it, and is not free to remove."""
    found = shell.found
    for at, action in enumerate(found.actions[since:], since):
        if action.name == "fs:write" and "path" in action.target:
            path = str(action.target["path"])
            found.kept.add(path)
            found.made.discard(path)
            found.actions[at] = action.replace(tags=tuple(sorted({*action.tags, "moved"})))


def emit(
    shell: Shell,
    span: tuple[int, int],
    *,
    name: str,
    effects: tuple[Effect, ...],
    tags: tuple[str, ...] = (),
    risk: Risk = Risk.LOW,
    irreversible: bool = False,
    compensator: str | None = None,
    target: dict[str, str | bool | tuple[str, ...]] | None = None,
) -> None:
    marks = set(tags)
    # A system's package manager needs those rights for fetching and installing: `sudo` adds nothing to that.
    if shell.privileged and not ("system" in marks and Effect.NETWORK in effects):
        marks.add("privileged")
    shell.found.act(
        Action(
            name=name,
            target=FrozenMap(target or {}),
            effects=effects,
            tags=tuple(sorted(marks)),
            risk=risk,
            irreversible=irreversible,
            compensator=compensator,
            field=shell.found.field,
            span=shell.span(span),
        )
    )
