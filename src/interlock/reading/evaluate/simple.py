"""A simple command: its assignments, its words, its redirections, and what it then runs."""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy
from ..runs.shell_changes import disguised, on_test, spelt_in_escapes, spelt_in_numbers
from ..shell.syntax import ArrayLit, CmdSub, DoubleQuoted, Lit, Param, Pipeline, Simple
from .builtins import hides_code
from .environment import hand_over, put
from .expand import expand_words, join_word
from .flow import brings_from_elsewhere, carry, hand_out, reads_secret, send_back
from .flows import Fetched
from .later import fill, listen, tell_runner
from .numbers import evaluated, kept
from .origins import A_SECRET, PUT_TOGETHER, Origin, variable
from .poured import pour
from .redirects import redirect
from .secrets import counted, given, keep, printed, printed_here
from .state import MAX_NESTING
from .traps import code_with_made_names
from .words import NUL, Arg, Names

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..shell.syntax import Assign, Command, Part, Script
    from .only_names import only_names
    from .redirects import Streams
    from .state import Shell

    Values = list[tuple[Assign, list[Arg]]] | tuple[()]
    Outside = tuple[dict[str, list[Arg]], set[str], str | None]  # variables, exported ones, whether PATH was changed
    RunScript = Callable[["Script", "Shell"], "Arg | None"]
    Run = Callable[["Command", "Shell"], "Arg | None"]

else:
    only_names = lazy(globals(), ".only_names", "only_names")

__all__ = ["assign", "run_simple"]


_TOLD = ("##", "::")  # how a line for a build service begins


def run_simple(command: Simple, shell: Shell, run_script: RunScript, run: Run) -> Arg | None:
    found = shell.found
    before, noted = len(found.actions), len(found.shown)
    args = expand_words(command.words, shell, run_script)
    if found.refused is not None and _is_refused(command, shell):
        return None
    if len(found.shown) > noted and args:
        printed(_taken(noted, shell), args, command.span, shell)
    if command.assigns or command.redirects or not args:
        return _run_prepared(command, args, before, noted, shell, run_script, run)
    at = len(found.actions)
    if shell.stdin is not None and shell.stdin.text != NUL:
        _use(shell.stdin, args[0].text, shell)
    output = _start(args, command, shell, run)
    if found.secret:
        only_names([command], before, shell)
    if at > before or found.holds_secret:
        carry(before, at, shell, args if shell.stdin is None else (*args, shell.stdin))
    if len(found.actions) > at + 1:
        hand_out(at, shell)
        if found.secret:
            keep(before, at, shell)
    if found.listens:
        listen(args, at, shell, command.span)
    if output is not None and output.text:
        _on_printed(output, command.span, shell)
    return output


def _is_refused(command: Simple, shell: Shell) -> bool:
    """`python -c "f'${row.name}'"`: a word that bash cannot expand. It says so, and does not run the command."""
    part, shell.found.refused = shell.found.refused, None
    words = [word for word in command.words if word.plain is None]
    return any(one is part or (type(one) is DoubleQuoted and part in one.parts) for word in words for one in word.parts)


def _says_nothing(args: list[Arg], shell: Shell) -> bool:
    """`</dev/tcp/localhost/80`, `: >…`, `echo >…`: a connection is opened, and nothing but a line's end goes there."""
    return not args or (
        len(args) == 1 and args[0].text in (":", "echo", "true") and args[0].text not in shell.functions
    )


def _run_prepared(
    command: Simple, args: list[Arg], before: int, noted: int, shell: Shell, run_script: RunScript, run: Run
) -> Arg | None:
    """A command with something to put in place before it, and back after it: variables, streams. Or that alone."""
    found = shell.found
    values: Values = ()
    if command.assigns:
        values = [(item, _value(item, shell, run_script)) for item in command.assigns]
        if len(found.shown) > noted:
            del found.shown[noted:]
            found.variables.update([item.name for item, _ in values])
    streams = None
    if command.redirects:
        streams = redirect(command.redirects, shell, run_script, silent=_says_nothing(args, shell))
    if len(found.shown) > noted:
        names = _taken(noted, shell)
        if streams is not None and not streams.outputs:
            printed_here(names, args, command.span, shell)
    if not args:
        return _set_only(values, streams, before, command.span, shell)
    stdin = shell.stdin
    if streams is not None and streams.stdin is not None:
        shell.stdin = streams.stdin
    outside = _set_for_one(values, shell) if values else None
    at = len(found.actions)
    if shell.stdin is not None and shell.stdin.text != NUL:
        _use(shell.stdin, args[0].text, shell)
    output = _start(args, command, shell, run)
    if found.secret:
        only_names([command], before, shell)
    if at > before or found.holds_secret:
        carry(before, at, shell, args if shell.stdin is None else (*args, shell.stdin))
        send_back(before, at, shell)
    if len(found.actions) > at + 1:
        hand_out(at, shell)
    if found.listens:
        listen(args, at, shell, command.span)
    if streams is not None and streams.outputs:
        fill(args, streams.outputs, shell, command.span)
    if streams is not None and len(args) == 1 and args[0].text == "exec":
        output = None  # from here on everything goes there
        stdin = shell.stdin
    if outside is not None:
        _set_back(values, outside, at, shell)
    if streams is not None and streams.outputs and (output is None or (output.unknown and output.origin != A_SECRET)):
        output = pour(tuple(args), before, command.span, shell) or output
        if output is None and brings_from_elsewhere(at, shell):
            output = Fetched(command.span)
    shell.stdin = stdin
    if streams is not None:
        output = streams.finish(output, shell)
    if found.secret and len(found.actions) > before + 1:
        keep(before, before, shell)
    if output is not None and output.text:
        _on_printed(output, command.span, shell)
    if found.holds_secret and args[0].text == "wc":
        counted([command], before, shell)
    return output


def _use(given: Arg, name: str, shell: Shell) -> None:
    """What one command of a group reads of the common input is not there for the next."""
    if id(given) in shell.found.used:
        shell.stdin = Arg(NUL, given.span, origin=given.origin or Origin("rest-of-input"))
    elif name not in _READS_NOTHING:
        shell.found.used[id(given)] = given


_READS_NOTHING = frozenset(
    ": [ cd chmod cp date declare echo exec export false local ls mkdir mv printf pwd rm set shift sleep test touch "
    "true unset wait".split()
)


def _on_printed(output: Arg, span: tuple[int, int], shell: Shell) -> None:
    if output.text[:2] in _TOLD or "\n##" in output.text or "\n::" in output.text:
        tell_runner(output, shell, span)


def _set_only(values: Values, streams: Streams | None, before: int, span: tuple[int, int], shell: Shell) -> Arg | None:
    """No command at all: variables are set for good, files are opened."""
    found = shell.found
    if values and len(found.actions) > before and reads_secret(before, shell):
        found.holds_secret = True
        values = [(item, [Arg(NUL, item.span, origin=A_SECRET)]) for item, _ in values]
    for item, value in values:
        assign(item, value, shell)
    if streams is None:
        return Arg("", span)
    if not values and streams.stdin is not None:
        return streams.stdin  # `$(<file)` is what is in the file
    return streams.finish(Arg("", span), shell)


def _set_for_one(values: Values, shell: Shell) -> Outside:
    """A prefix lasts for its command only: the variables, and how it was before."""
    outside = dict(shell.variables), shell.exported, shell.path_changed
    for item, value in values:
        if len(value) == 1:
            hand_over(item.name, value[0], shell, item.span)
        assign(item, value, shell)
    shell.exported = {*shell.exported, *(item.name for item, _ in values)}
    return outside


def _set_back(values: Values, outside: Outside, at: int, shell: Shell) -> None:
    saved, shell.exported, shell.path_changed = outside
    for item, value in values:
        if len(value) == 1:
            given(item.name, value[0], at, shell)
        if item.name in saved:
            shell.variables[item.name] = saved[item.name]
        else:
            shell.variables.pop(item.name, None)


def _taken(since: int, shell: Shell) -> list[str]:
    """The secret variables that were put into words since then; each is told of once."""
    names = shell.found.shown[since:]
    del shell.found.shown[since:]
    return names


def _value(item: Assign, shell: Shell, run: RunScript) -> list[Arg]:
    if item.index is not None:
        before = len(shell.found.actions)
        index = join_word(item.index, shell, run)
        if item.name not in shell.odd:
            evaluated(index, shell, item.span)
        on_test(before, shell, everything=True)
    if type(item.value) is ArrayLit:
        found: list[Arg] = []
        for element in item.value.items:
            if element.index is not None:
                index = join_word(element.index, shell, run)
                if item.name not in shell.odd:
                    evaluated(index, shell, item.span)
                found.append(Arg(NUL, element.span, origin=Origin("array")))
            found.extend(expand_words([element.value], shell, run))
        return found
    return [join_word(item.value, shell, run)]  # type: ignore[arg-type]


_COUNTERS = frozenset(("RANDOM", "OPTIND", "SECONDS", "HISTCMD", "LINENO"))  # what they are given is a number
# Tables of zsh: an element of one is a program's, an alias' or a function's name, and what it stands for.
_OF_ZSH = frozenset(("aliases", "galiases", "saliases", "functions", "commands", "dis_aliases", "dis_functions"))


def assign(item: Assign, value: list[Arg], shell: Shell) -> None:
    if item.name in ("BASH_CMDS", "BASH_ALIASES") or (item.index is not None and item.name in _OF_ZSH):
        shell.unclear(f"`{item.name}` changes what a name runs", item.span)
    if any("[" in one.text and hides_code(one.text) for one in value) or (
        item.name == "PS4" and hides_code(value[0].text)
    ):
        shell.unclear("a value that runs a command when it is used as a number or a prompt", item.span)
    if item.name in shell.odd or item.name in _COUNTERS:
        for one in value:
            evaluated(one, shell, item.span)
    if item.name in shell.odd:
        value = [Arg(NUL, item.span, origin=variable(item.name))]
    if item.index is not None:
        held = (*shell.variables.get(item.name, ()), *value)
        shell.variables[item.name] = [Arg(NUL, item.span, origin=kept(held, Origin("element", item.name)))]
        return
    if item.op == "+=":
        before = shell.variables.get(item.name)
        if type(item.value) is ArrayLit:
            value = [*(before or []), *value]
        elif before is None or len(before) != 1:
            value = [Arg(NUL, item.span, origin=kept([*(before or []), *value], variable(item.name)))]
        else:
            origin = kept([*before, *value], Origin("joined"))
            text, glob = before[0].text + value[0].text, before[0].glob or value[0].glob
            value = [Arg(text, item.span, glob, origin if origin.kind != "joined" else None)]
    put(item.name, value, shell, item.span)


def _start(args: list[Arg], command: Simple, shell: Shell, run: Run) -> Arg | None:
    name = args[0].text
    if command.words[0].plain is None:
        _on_disguise(command, args[0], shell)
    if shell.found.escapes and any(map(spelt_in_numbers, command.words[1:])):
        disguised(shell, command.span, "letters that are written as numbers")
    if name == "eval" and not all(_as_written(part) for word in command.words[1:] for part in word.parts):
        disguised(shell, command.span, "a text that is put together and run")
    if name == "trap" and len(args) == len(command.words) > 2 and args[1].glob:
        args = [args[0], code_with_made_names(command.words[1], shell) or args[1], *args[2:]]
    if shell.functions:
        if type(args[0]) is Names and len(args) > 1 and not args[0].quoted:  # or it is not there at all
            _start(args[1:], command, shell.branch(), run)
        body = shell.functions.get(name)
        if body is not None and args[0].known:
            return _call(name, body, args, shell, run)
    return shell.found.follow.run_command(args, command.span, shell, in_shell=True)


def _on_disguise(command: Simple, name: Arg, shell: Shell) -> None:
    """A name that is not spelt out where it stands."""
    parts = command.words[0].parts
    if spelt_in_escapes(command.words[0]):
        shell.found.unsettled.append(len(shell.found.commands))
        disguised(shell, command.span, "a name in escapes")
    elif len(parts) > 1 or type(parts[0]) is not Lit:
        shell.found.unsettled.append(len(shell.found.commands))
        if name.known and "/" not in name.text and (name.origin == PUT_TOGETHER or _put_together(parts)):
            disguised(shell, command.span, "a name that is put together")


def _put_together(parts: list[Part]) -> bool:
    """`$a$b`, `$(echo rm)`: the name of a program is nowhere to be seen."""
    inner = [part for one in parts for part in (one.parts if type(one) is DoubleQuoted else (one,))]
    if len(inner) > 1 and all(type(part) is Param for part in inner):
        return True
    return any(type(part) is CmdSub and _only_prints(part.script.commands) for part in inner)


def _only_prints(commands: list[Command]) -> bool:
    first = commands[0] if len(commands) == 1 else None
    while type(first) is Pipeline:
        first = first.commands[0]
    if type(first) is not Simple or not first.words:
        return False
    word = first.words[0].parts[0]
    return type(word) is Lit and word.text in ("echo", "printf")


def _as_written(part: Part) -> bool:
    return type(part) is Lit or (type(part) is DoubleQuoted and all(type(inner) is Lit for inner in part.parts))


def _call(name: str, body: Command, args: list[Arg], shell: Shell, run: Run) -> Arg | None:
    """A function: its body, with the arguments as parameters."""
    if shell.depth >= MAX_NESTING:
        shell.unclear(f"`{name}` calls itself without an end that can be seen", args[0].span)
        return None
    before, outer = shell.parameters, shell.local
    shell.parameters = args[1:]
    shell.local = {}
    shell.depth += 1
    output = run(body, shell)
    shell.depth -= 1
    for local, hidden in shell.local.items():
        if hidden is None:
            shell.variables.pop(local, None)
        else:
            shell.variables[local] = hidden
    shell.parameters, shell.local = before, outer
    return output
