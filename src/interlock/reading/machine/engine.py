"""Reads one command by its row: options, operands, effects, and what is run inside it.

The rows are data: `tables/`, in the words of `tables/spec.py`. `options.py` tells options and operands apart, and
`acts.py` puts down what happens to a path. What a table cannot say is a function of `specials/`; a command inside a
command is followed by `runs/wrappers.py`. An operand that is not known is opaque for its own action only; a program
that has no row is `exec:<name>`, marked `unknown`.
"""

from __future__ import annotations

from ...model.action import lowered_effects
from ...model.effects import Effect, by_precedence
from ...value import TYPE_CHECKING, lazy
from ..core.accounting import account_for
from ..evaluate.builtins import BUILTINS
from ..evaluate.origins import LOOKED_UP
from ..evaluate.output import output_of, unsure
from ..evaluate.state import Stop
from ..evaluate.words import NUL, Arg, Names
from ..places.own_places import KEYS
from ..places.system_places import SYSTEM_FOLDERS
from ..tables.spec import ROLES, Adds
from ..tables.vocabulary import FOLLOWED, FROM_STDIN, HIDDEN, LOOKED_AT, ON_TRIAL
from .acts import emit, keep_moved, on_path, on_words_of_ours
from .changing import says_change
from .index import find_program
from .nowhere import RESERVED, is_no_name, is_prose, is_text, is_written, on_odd_name
from .options import Parsed, by_role, called_off, compiled, parse
from .own import only_floor, own_row
from .shifted import may_shift, on_doubtful
from .strange import TAKES_FILES, handed_flags, on_values, options_in_files, strange_places, wild
from .swallowed import code_options, on_swallowed
from .tells import ends_server, only_tells

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..reach.package_sources import is_elsewhere
    from ..reach.publishing import complete
    from ..tables.spec import Program
    from .services import left_running
    from .shapes import run_apart, run_unknown

    Target = dict[str, str | bool | tuple[str, ...]]
    Given = tuple[Target, list[Adds]]  # fields of the target, and what switches add
else:
    is_elsewhere = lazy(globals(), "..reach.package_sources", "is_elsewhere")
    complete = lazy(globals(), "..reach.publishing", "complete")
    left_running = lazy(globals(), ".services", "left_running")
    run_apart = lazy(globals(), ".shapes", "run_apart")
    run_unknown = lazy(globals(), ".shapes", "run_unknown")

__all__ = ["act_on", "may_be_none", "own_values", "run_command", "run_row"]

# What is made public from a folder or a file: publishing.py completes the target.
_PUBLISHES = frozenset(
    "npm:publish pypi:publish cargo:publish gem:push docker:push git:push git:send-pack git:subtree-push "
    "pages:deploy".split()
)
# Words that only a shell knows, and that run something: a wrapper would run a program of that name.
_SHELL_ONLY = frozenset(("eval", "source", ".", "exec", "builtin", "trap"))


def run_command(args: list[Arg], span: tuple[int, int], shell: Shell, *, in_shell: bool = False) -> Arg | None:
    """Follows one command, word by word; what it prints, if that is known. `in_shell`: builtins count."""
    if not in_shell and args[0].text == "--" and len(args) > 1:
        args = args[1:]  # the end of the options of whoever runs it
    if not in_shell and args[0].text in _SHELL_ONLY:
        shell.unclear(f"`{args[0].text}` belongs to the shell, and something else runs a program of that name", span)
        emit(shell, span, name=f"exec:{args[0].text}", effects=(Effect.EXECUTE,), tags=("unknown",))
        run_command(args, span, shell, in_shell=True)
        return None  # what that program prints is not known
    if args[0].__class__ is Names:
        if may_be_none(args):
            run_command(args[1:], span, shell.branch(), in_shell=in_shell)
        if args[0].origin == LOOKED_UP:
            args = [Arg(args[0].text, args[0].span), *args[1:]]
    found = shell.found
    found.budget = left = found.budget - 1
    if left < 0:
        raise Stop
    found.commands.append((tuple(args), span if shell.frozen_span is None else shell.frozen_span))
    at, begun = (len(found.actions), len(found.opaque)), len(found.commands)
    outer = found.running
    if found.programs is not None:
        found.runs(args, shell, span)
    output = _follow(args, span, shell, in_shell)
    found.running = outer
    found.ran_others(begun)
    for arg in args:  # every command pays for this: no list
        if arg.text.endswith(KEYS):
            on_words_of_ours([one for one in args if one.text.endswith(KEYS)], *at, shell)
            break
    return output


def _follow(args: list[Arg], span: tuple[int, int], shell: Shell, in_shell: bool) -> Arg | None:
    first = args[0]
    name = first.text
    if first.glob or NUL in name:
        why = first.why or "a pattern"
        shell.unclear(f"which program runs depends on {why}", span)
        return None
    since = len(shell.found.actions), len(shell.found.commands), len(shell.found.again)
    builtin = BUILTINS.get(name)
    row = find_program(name) if builtin is None else None
    if row is None and builtin is None:
        on_odd_name(name, span, shell)
    if name in shell.aliases:
        shell.unclear(f"`{name}` may be an alias", span)
        return None
    if "/" in name:
        if name == "cd../":
            return BUILTINS["cd.."](args, span, shell)
        if name[-1] == "/" and len(name) > 1:
            return BUILTINS["cd"]([first, first], span, shell)  # no program; with `autocd` the shell goes there
        if not name.startswith(SYSTEM_FOLDERS) or name.rpartition("/")[0] + "/" not in SYSTEM_FOLDERS:
            if shell.background:
                _apart(name, args, span, shell)
            output: Arg | None = shell.found.follow.run_file(first, args[1:], span, shell)
            account_for(args, None, since, shell)
            return output
        name = name.rpartition("/")[2]
        row = find_program(name)
    elif builtin is not None:
        return builtin(args, span, shell)
    elif shell.path_changed is not None:
        shell.unclear(shell.path_changed, span)
    described = shell.found.facts.commands.get(name)
    if described is not None:
        if row is not None:
            only_floor(shell.found, run_row, row, args, span, shell.branch())
        row = own_row(name, described)
    if row is None:
        if name in RESERVED:
            shell.unclear(f"`{name}` is a word of the shell where a program stands", span)
        if in_shell and (is_text(name) or is_prose(args)) and not is_written(name, shell):
            emit(shell, span, name="exec:nowhere", effects=(Effect.EXECUTE,), tags=("nowhere",))
            return None
        broken = (in_shell or len(args) == 1) and is_no_name(name) and not is_written(name, shell)
        run_unknown(args, span, shell, nowhere=broken)
    if shell.background:
        _apart(name, args, span, shell)
    if row is None:
        account_for(args, None, since, shell)
        return None
    if shell.files or shell.found.facts.written:
        shell.found.follow.obey(name, args, shell, span)
    if only_tells(row, args, shell):
        emit(shell, span, name=f"{row.name}:help" if row.subs else f"exec:{row.name}", effects=(), tags=())
        return None
    output = run_row(row, args, span, shell)
    account_for(args, row, since, shell)
    return output


def _apart(name: str, args: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    run_apart(name, args, span, shell)


def run_row(
    row: Program, args: list[Arg], span: tuple[int, int], shell: Shell, given: Given | None = None
) -> Arg | None:
    """`args[0]` is the name that led to the row; `given` is what options before a sub-command said."""
    if row.special is not None:
        output = shell.found.follow.run_special(row, args, span, shell)
        return output if output is None or row.special in _SURE else unsure(output)
    if row.subs:
        return _sub_command(row, args, span, shell, given)
    parsed = parse(row, args[1:], stop_at_operand=None)
    return act_on(row, parsed, args, span, shell, given)


def _sub_command(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell, given: Given | None) -> Arg | None:
    parsed = parse(row, args[1:], stop_at_operand=True)
    given = own_values(row, parsed, span, shell, given)
    if parsed.strange:
        strange_places(row, parsed, args, shell)
        if row.default is not None and row.default.action == "exec:project":
            code_options(parsed, args, shell)
    if not parsed.operands:
        if row.default is not None:
            return run_row(row.default, args, span, shell, given)
        emit(shell, span, name=f"{row.name}:help", effects=(), tags=())
        return None
    first = parsed.operands[0]
    if first.unknown or first.glob:
        shell.unclear("it is unclear which subcommand runs", span)
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
    found = shell.found
    operands = parsed.operands
    target: Target = dict(given[0]) if given is not None else {}
    adds = list(given[1]) if given is not None else []
    trial = bool(parsed.switches) and _by_switches(row, parsed, args, target, adds)
    if row.flags and operands and "operand" in row.flags:
        adds.append(row.flags["operand"])
    trial = trial or ends_server(row, args)
    adds += says_change(row, parsed, args, shell)
    for add in adds:
        if add.opaque is not None:
            shell.unclear(add.opaque, span)
    if parsed.strange and table.exact:
        shell.unclear(f"`{parsed.strange[0].text.replace(NUL, '…')}` is an unknown option", span)
    if parsed.strange:
        strange_places(row, parsed, args, shell)
    if row.action == "exec:project" and (operands or parsed.strange):
        on_swallowed(row, parsed, args, span, shell)
    if row.name in TAKES_FILES:
        options_in_files(parsed, shell, span)
    before, again, moved = len(found.actions), len(found.again), found.moved
    if parsed.doubtful:
        on_doubtful(row, parsed, table, shell)
    own = adds if row.action is None else []  # with a main action, switches add to that one only
    if table.wary and any(map(wild, operands)):
        shell.unclear("a file name that begins with a dash would be an option; `./*` is safe", span)
    if parsed.values:
        on_values(row, parsed, shell)
    for option, value in parsed.values:
        _in_role(option.role or "text", value, target, own, trial, span, shell)
    if not table.silent:
        _on_operands(row, parsed, args, adds, target, own, trial, span, shell)
    if shell.stdin is not None and row.stdin != "read":
        adds = _on_stdin(row, operands, adds, shell.stdin, span, shell)
    if found.moved > moved:
        keep_moved(before, shell)
    if row.action is not None or (len(found.actions) == before and len(found.again) == again):
        _main(row, adds, trial, target, before, span, shell)
    return output_of(row, args, parsed, shell)


def _by_switches(row: Program, parsed: Parsed, args: list[Arg], target: Target, adds: list[Adds]) -> bool:
    """What the switches add, and show in the target; True if with them it only shows what it would do."""
    switches, flags, table = parsed.switches, row.flags, compiled(row)
    if flags:
        added = [flags[name] for name in sorted(switches) if name in flags]
        if added and any(add.ends for add in added) and _may_go_on(parsed, args, row):
            added = [add for add in added if not add.ends]
        adds.extend(added)
    for name in table.shows:
        if name in switches:
            target[name] = True
    return not switches.isdisjoint(table.trial) and not called_off(table, args)


def _on_operands(
    row: Program,
    parsed: Parsed,
    args: list[Arg],
    adds: list[Adds],
    target: Target,
    own: list[Adds],
    trial: bool,
    span: tuple[int, int],
    shell: Shell,
) -> None:
    """Each operand by its role."""
    table = compiled(row)
    assigned = [(table.many, parsed.operands)] if table.many is not None else by_role(table.roles, parsed.operands)
    if table.starts and Effect.EXECUTE in row.effects and not any(role == "command" for role, _ in assigned):
        if parsed.switches.isdisjoint(("--help", "--version", "-h", "-V", "-l", "--list", "-v", "-k", "-K")):
            shell.unclear("without a command it starts a shell, or waits for someone", span)
    for role, words in assigned:
        if role in HIDDEN or not words:
            continue
        if role == "command":
            may_shift(args, words, span, shell)
            _inner(row, words, span, shell)
            continue
        if role.startswith("code."):
            for word in words:
                shell.found.follow.run_code(role, word, shell, span)
            continue
        if adds and role in LOOKED_AT:
            role = next((add.role for add in adds if add.role is not None), role)
        for word in words:
            _in_role(role, word, target, own, trial, span, shell)


def _on_stdin(
    row: Program, operands: list[Arg], adds: list[Adds], given: Arg, span: tuple[int, int], shell: Shell
) -> list[Adds]:
    """What becomes of the text that comes in; the additions, with those that it makes."""
    if row.stdin.startswith("code.") and not operands:
        shell.found.follow.run_code(row.stdin, given, shell, span)
    if row.stdin == "send" and (given.unknown or given.text.strip(" \nQ")):
        return [*adds, Adds(tags=("external", "sends"))]
    return adds


def _may_go_on(parsed: Parsed, args: list[Arg], row: Program) -> bool:
    """A word that is not known, or a value, may take back what ends a program: `--generate-config=False`."""
    return bool(parsed.strange) or any("=" in arg.text and arg.text.partition("=")[0] in row.flags for arg in args)


def own_values(row: Program, parsed: Parsed, span: tuple[int, int], shell: Shell, given: Given | None = None) -> Given:
    """The options before a sub-command: paths that they name, fields of the target, and what they add."""
    target: Target = dict(given[0]) if given is not None else {}
    adds = list(given[1]) if given is not None else []
    for option, value in parsed.values:
        _in_role(option.role or "text", value, target, [], False, span, shell)
    if not parsed.switches:
        return target, adds
    target.update(dict.fromkeys([name for name in compiled(row).shows if name in parsed.switches], True))
    for name in sorted(parsed.switches):
        add = row.flags.get(name)
        if add is not None:
            if add.opaque is not None:
                shell.unclear(add.opaque, span)
            adds.append(add.replace(opaque=None))
    return target, adds


def _in_role(
    role: str,
    arg: Arg,
    target: dict[str, str | bool | tuple[str, ...]],
    adds: list[Adds],
    trial: bool,
    span: tuple[int, int],
    shell: Shell,
) -> None:
    if role in HIDDEN:
        return
    if role in FOLLOWED:
        shell.found.follow.in_role(role, arg, span, shell)
        return
    if role == "command" or role.startswith("code."):
        running = shell.found.commands[-1:]
        shell.found.follow.run_code("code.sh" if role == "command" else role, arg, shell, span)
        shell.found.commands += running  # what follows is read for this one again
        return
    if role == "flags":
        handed_flags(arg, shell, span)
        return
    if role == "fetch":
        shell.found.follow.on_url(arg, shell, span, adds)
        return
    if role in ROLES:
        if arg.text == "-" and role in FROM_STDIN:
            return  # standard input
        if role == "script":
            shell.found.follow.run_file(arg, [], span, shell)
            return
        if role == "runs" and not trial:
            shell.found.follow.run_place(arg, shell, span)
            return
        on_path(ON_TRIAL.get(role, "list") if trial else role, arg, shell, adds)
        return
    text = arg.text.replace(NUL, "…")
    role = role.removeprefix("field.")
    before = target.get(role)
    if arg.unknown:
        shell.unclear(f"the {role} depends on {arg.why}", arg.span)
    if before is None or before is True:
        target[role] = text
    elif isinstance(before, tuple):
        target[role] = (*before, text)
    else:
        target[role] = (str(before), text)


_SURE = frozenset(("env", "shell_program", "xargs"))  # what they run is run, and what it prints is printed


def _inner(row: Program, operands: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """A command inside a command: with the marks that the wrapper adds."""
    inner = shell.copy()
    if "privileged" in row.tags:
        inner.privileged = True
    if Effect.SPAWN in row.effects:
        inner.background = True
    run_command(operands, (operands[0].span[0], operands[-1].span[1]) if shell.frozen_span is None else span, inner)


def _main(
    row: Program, adds: list[Adds], trial: bool, target: Target, before: int, span: tuple[int, int], shell: Shell
) -> None:
    """The program's own action. `before`: how many actions there were when its options were looked at."""
    effects, tags = row.effects, row.tags
    risk, irreversible, name = row.risk, row.irreversible, row.action or f"exec:{row.name}"
    for add in adds:
        effects, tags = effects + add.effects, tags + add.tags
        risk = max(risk, add.risk)
        irreversible = irreversible or add.irreversible
        name = add.action or name
        if add.ends:
            effects = lowered_effects(effects, Effect.SPAWN)
    if name in _RUNS_SCRIPTS:
        shell.found.follow.own_code(shell.folders, shell, span)  # a trial runs them as well
    if trial:
        effects, irreversible = (Effect.READ,), False
        # nothing reaches others, nobody gets another key, and what would need other rights is not done
        kept = [tag for tag in tags if tag not in ("external", "sends", "force", "history", "identity", "privileged")]
        tags = (*kept, "dryrun")
    elif name in _RUNS_PROJECT or ("unread" in tags and name[:5] == "exec:") or name in _LOADS_PROJECT:
        words = shell.found.commands[-1][0] if shell.found.commands else ()
        if shell.found.follow.own_code(shell.folders, shell, span) and name in _RUNS_PROJECT:
            tags = tuple([tag for tag in tags if tag != "unread"])
        elif "unread" in tags and name[:5] == "exec:" and shell.found.follow.is_kept_task(words, shell.folders, shell):
            tags = (*tags, "committed")
    elif name == "pkg:install" and "global" not in target:
        shell.found.follow.bring_along(shell, span)
    elif name in _PUBLISHES:
        complete(name, row, target, shell.found.actions[before:], shell)
    if Effect.SPAWN in effects:
        effects = left_running(name, effects, target, span, shell)
    if target:
        tags = _by_target(name, target, tags, trial)
    emit(
        shell,
        span,
        name=name,
        effects=by_precedence(effects) if len(effects) > 1 else effects,
        tags=tags,
        risk=risk,
        irreversible=irreversible,
        compensator=row.compensator if irreversible else None,
        target=target,
    )


_RUNS_PROJECT = frozenset(("exec:project", "pkg:restore"))
_LOADS_PROJECT = frozenset(("django:migrate", "alembic:upgrade", "alembic:downgrade", "alembic:revision"))
_RUNS_SCRIPTS = frozenset(("npm:pack", "npm:publish", "npm:version"))


def _by_target(name: str, target: Target, tags: tuple[str, ...], trial: bool) -> tuple[str, ...]:
    """The marks, with those that what it works on adds."""
    if "registry" in target and not trial:
        given = target["registry"]
        if any(map(is_elsewhere, (given,) if type(given) is str else given)):  # type: ignore[arg-type]
            tags = (*tags, "redirects")
    if name == "proc:kill" and any("interlock" in str(value) for value in target.values()):
        tags = (*tags, "guard")
    return tags


def may_be_none(args: list[Arg]) -> bool:
    """`$(which x) rm f`: where there is no x, `rm` is the command.

    A name without a folder that no table has, such as that of a script, would not be found.
    """
    if args[0].quoted or len(args) < 2:
        return False
    if not args[1].known or "/" in args[1].text:
        return True
    name = args[1].text
    return name in BUILTINS or find_program(name) is not None
