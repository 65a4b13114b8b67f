"""Programs that run a command with other rights, in another place or later."""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.environment import hand_over
from ..evaluate.origins import ENVIRONMENT, Origin
from ..evaluate.output import unsure
from ..evaluate.words import NUL, Arg, Names
from ..machine.acts import emit, on_path
from ..machine.engine import act_on, run_command
from ..machine.options import compiled
from ..machine.options import parse as parse_options
from ..machine.shifted import may_shift
from ..reach.package_sources import is_elsewhere
from ..runs.wrappers import run_code

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.acts import Target
    from ..tables.spec import Program

__all__ = [
    "checked",
    "crontab",
    "env",
    "flock",
    "joined",
    "lines",
    "npm_config",
    "npm_file",
    "opaque",
    "save",
    "script",
    "su",
    "sudo",
    "terminal",
    "traced",
    "unwrapped",
]


def env(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`env A=b CMD`: assignments, then a command; `-S` splits a text into both."""
    rest = args[1:]
    inner = shell.copy()
    while rest:
        text = rest[0].text
        if text in ("-S", "--split-string") or text.startswith(("-S", "--split-string=")):
            if text in ("-S", "--split-string"):
                rest.pop(0)
                whole = rest.pop(0) if rest else None
            else:
                whole = Arg(text.removeprefix("--split-string=").removeprefix("-S"), rest.pop(0).span)
            if whole is None or not whole.known or any(char in whole.text for char in "\\'\"$"):
                shell.unclear("it is unclear what `env -S` splits", span)
                return None
            rest = [Arg(word, whole.span) for word in whole.text.split()] + rest
        elif text in ("-u", "--unset", "-C", "--chdir"):
            if text in ("-C", "--chdir"):
                inner.folders = None
            elif len(rest) > 1:
                inner.variables[rest[1].text] = [Arg(NUL, span, origin=Origin("unset", rest[1].text))]
            rest = rest[2:]
        elif text == "--":
            rest = rest[1:]
        elif text in ("-i", "-", "--ignore-environment"):
            inner.exported = set()
            rest = rest[1:]
        elif text in ("-0", "--null", "-v", "--debug") or text.startswith("--unset="):
            rest = rest[1:]
        elif text.startswith("-"):
            shell.unclear(f"`{text[:40]}` is an unknown option", span)
            return None
        elif "=" in text.lstrip(NUL) and not text.startswith((NUL, "=")):
            name, _, value = text.partition("=")
            given = Arg(value, rest[0].span, rest[0].glob, rest[0].origin)
            hand_over(name, given, inner, span)
            inner.variables[name] = [given]
            inner.exported = {*inner.exported, name}
            rest = rest[1:]
        else:
            may_shift(args, rest, span, shell)
            if type(rest[0]) is Names and len(rest) > 1:  # without it, more assignments may follow
                env(row, [args[0], *rest[1:]], span, inner.branch())
            output = run_command(rest, span, inner)
            return unsure(output) if inner.folders is not shell.folders else output
    emit(shell, span, name="sys:env", effects=(Effect.READ,), tags=("environment",))
    return Arg(NUL, span, origin=ENVIRONMENT)


def sudo(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Assignments, then a command, as another user. Without a command: a shell, or only a question."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    inner = shell.copy()
    inner.privileged = True
    inner.background = inner.background or "background" in parsed.switches
    if parsed.strange:
        shell.unclear(f"`{parsed.strange[0].text}` is an unknown option", span)
    if "edit" in parsed.switches:
        for arg in parsed.operands:
            on_path("edit", arg, inner)
        return None
    rest = list(parsed.operands)
    while rest and "=" in rest[0].text and rest[0].text.partition("=")[0].isidentifier():
        name, _, value = rest[0].text.partition("=")
        hand_over(name, Arg(value, rest[0].span, rest[0].glob, rest[0].origin), inner, span)
        rest.pop(0)
    if rest:
        if "shell" in parsed.switches or "login" in parsed.switches:
            line = Arg(" ".join(arg.text for arg in rest), span, any(a.glob for a in rest))
            return run_code("code.sh", line, inner, span)
        may_shift(args, rest, span, shell)
        if type(rest[0]) is Names and len(rest) > 1:
            sudo(row, [args[0], *rest[1:]], span, inner.branch())
        return run_command(rest, span, inner)
    if "shell" in parsed.switches or "login" in parsed.switches:
        shell.unclear("a shell with other rights, for someone to type into", span)
    emit(inner, span, name=f"exec:{row.name}", effects=(Effect.EXECUTE,), tags=("privileged",))
    return None


def su(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`su -c TEXT USER`; without `-c` it is a shell for someone to type into."""
    inner = shell.copy()
    inner.privileged = True
    for index, arg in enumerate(args[1:], start=1):
        if arg.text in ("-c", "--command") and index + 1 < len(args):
            return run_code("code.sh", args[index + 1], inner, span)
        if arg.text.startswith("--command="):
            given = Arg(arg.text.partition("=")[2], arg.span, arg.glob, arg.origin)
            return run_code("code.sh", given, inner, span)
        if arg.text == "--" and row.name == "runuser":
            return run_command(args[index + 1 :], span, inner) if args[index + 1 :] else None
    shell.unclear("a shell with other rights, for someone to type into", span)
    emit(inner, span, name=f"exec:{row.name}", effects=(Effect.EXECUTE,), tags=("privileged",))
    return None


def flock(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`flock FILE CMD …` or `flock FILE -c TEXT`."""
    rest = list(args[1:])
    while rest and rest[0].text.startswith("-"):
        flag = rest.pop(0)
        if flag.text in ("-w", "--timeout", "-E", "--conflict-exit-code") and rest:
            rest.pop(0)
        elif flag.text not in (
            "-n",
            "-x",
            "-s",
            "-u",
            "-o",
            "-e",
            "-F",
            "--nonblock",
            "--exclusive",
            "--shared",
            "--unlock",
            "--close",
            "--no-fork",
        ):
            shell.unclear(f"`{flag.text[:40]}` is an unknown option", span)
    if rest and not rest[0].text.isdigit():
        on_path("write", rest[0], shell)
    rest = rest[1:]
    if rest and rest[0].text in ("-c", "--command"):
        return run_code("code.sh", rest[1], shell, span) if len(rest) > 1 else None
    may_shift(args, rest, span, shell)
    return run_command(rest, span, shell.copy()) if rest else None


def joined(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`watch ls -l`: the words, joined, are a command line for a shell."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    if parsed.strange:
        shell.unclear(f"`{parsed.strange[0].text}` is an unknown option", span)
    if not parsed.operands:
        return None
    words = parsed.operands
    text = Arg(
        " ".join(arg.text for arg in words),
        words[0].span,
        any(a.glob for a in words),
        next((a.origin for a in words if a.unknown), None),
    )
    if text.glob and not text.unknown:
        run_command(words, span, shell.copy())
        return None
    run_code("code.sh", text, shell, span)
    return None


def script(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`script -c TEXT FILE`: runs the text and writes what it prints."""
    rest = args[1:]
    code = None
    while rest and rest[0].text.startswith("-") and len(rest[0].text) > 1:
        flag = rest.pop(0)
        if flag.text in ("-c", "--command") or (
            flag.text.startswith("-") and not flag.text.startswith("--") and flag.text.endswith("c")
        ):
            code = rest.pop(0) if rest else None
        elif flag.text in ("-o", "-E", "-T", "-m", "-B", "-I", "-O") and rest:
            rest.pop(0)
    if rest:
        if rest[0].text != "/dev/null":
            on_path("write", rest[0], shell)
        if len(rest) > 1 and code is None:
            run_command(rest[1:], span, shell.copy())
            return None
    if code is not None:
        run_code("code.sh", code, shell, span)
        return None
    shell.unclear("a shell for someone to type into", span)
    emit(shell, span, name="exec:shell", effects=(Effect.EXECUTE,), tags=("unread",))
    return None


def checked(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """A server: a check of its settings ends at once, if every word is known; by anything else it serves."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    known = not parsed.strange and not parsed.operands and not parsed.doubtful
    if known and not parsed.switches.isdisjoint(compiled(row).trial):
        return act_on(row, parsed, args, span, shell)
    return opaque(row, args, span, shell)


def opaque(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """A program that is known, and whose arguments are not read."""
    if len(args) == 2 and args[1].text in ("--version", "--help"):
        emit(shell, span, name=f"exec:{row.name}", effects=(), tags=())
        return None
    shell.unclear("it is unclear what this program would do", span, kind="program")
    emit(
        shell,
        span,
        name=row.action or f"exec:{row.name}",
        effects=row.effects or (Effect.EXECUTE,),
        tags=("unread", *row.tags),
    )
    return None


def crontab(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`crontab -l` reads; anything else changes what runs later."""
    flags = [arg.text for arg in args[1:]]
    if flags == ["-l"]:
        emit(shell, span, name="cron:list", effects=(Effect.READ,), tags=())
        return None
    if "-r" in flags:
        emit(shell, span, name="cron:delete", effects=(Effect.DESTRUCTIVE,), tags=("scheduled",), irreversible=True)
        return None
    emit(shell, span, name="cron:set", effects=(Effect.SPAWN,), tags=("scheduled",))
    shell.unclear("what is scheduled is not read", span)
    return None


# What shows sessions, or moves about in them.
_LOOKS = frozenset(
    (
        "ls", "list-sessions", "list-windows", "list-panes", "show", "-V", "has-session", "has",
        "display-message", "attach", "attach-session", "detach", "detach-client", "select-pane", "select-window",
        "resize-pane", "rename-session", "rename-window", "next-window", "previous-window", "switch-client", "lsp",
        "lsw", "lsc", "list-clients", "list-keys", "info", "clear-history",
    )
)  # fmt: skip


_SCREEN_LOOKS = (["-ls"], ["-list"], ["-v"], ["-version"])


def terminal(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """tmux and screen: commands in words, or keys that are typed for someone."""
    words = [arg.text for arg in args[1:]]
    if row.name == "tmux" and any(word.endswith(";") or "#(" in word for word in words):
        return opaque(row, args, span, shell)  # more than one command, or one in a format
    if row.name == "tmux" and words and words[0] in ("capture-pane", "capturep"):
        named = words[words.index("-t") + 1 :][:1] if "-t" in words else []
        target: Target = {"session": named[0].replace(NUL, "…")} if named else {}
        emit(shell, span, name="tmux:capture-pane", effects=(Effect.READ,), tags=("machine",), target=target)
        return None
    if words and (words[0] in _LOOKS if row.name == "tmux" else words in _SCREEN_LOOKS):
        emit(shell, span, name=f"{row.name}:{words[0]}", effects=(Effect.READ,), tags=())
        return None
    if words and words[0] in ("new-session", "new", "new-window", "neww", "split-window", "respawn-pane", "run-shell"):
        rest = list(args[2:])
        while rest and rest[0].text.startswith("-"):
            flag = rest.pop(0).text
            if flag[-1:] in "snctFxyeb" and flag not in ("-d", "-A", "-D", "-P", "-E", "-b") and rest:
                rest.pop(0)
        emit(shell, span, name="proc:spawn", effects=(Effect.SPAWN,), tags=(), target={"program": row.name})
        if rest:
            text = Arg(" ".join(arg.text for arg in rest), rest[0].span, any(a.glob for a in rest))
            return run_code("code.sh", text if len(rest) > 1 else rest[0], shell, span)
        return None
    if words and words[0] in ("kill-session", "kill-server", "kill-window", "kill-pane"):
        emit(shell, span, name="proc:kill", effects=(Effect.EXECUTE,), tags=(), target={"program": row.name})
        return None
    if words and words[0] in ("send-keys", "send"):
        return _typed(args[2:], span, shell)
    return opaque(row, args, span, shell)


_RETURN = frozenset(("enter", "c-m", "c-j", "kpenter"))  # tmux makes no difference between small and large letters
_STOPS = frozenset(("c-c", "c-l", "escape"))  # ends what runs there, or leaves things as they are


def _typed(words: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`tmux send-keys`: each word is typed, with nothing in between, unless it is the name of a key."""
    keys = list(words)
    literal = False
    while keys and keys[0].text[:1] == "-" and keys[0].known:
        option = keys.pop(0).text
        if option == "--":
            break
        literal = literal or option == "-l"
        if option == "-t" and keys:
            keys.pop(0)
        elif option not in ("-l", "-R") and option[:2] != "-t":
            shell.unclear(f"`{option}` of send-keys is not read", span)
    if keys and not literal and all(key.text.lower() in _STOPS for key in keys):
        emit(shell, span, name="proc:kill", effects=(Effect.EXECUTE,), tags=(), target={"program": "tmux"})
        return None
    if not literal and any(map(_is_key, keys)):
        shell.unclear("keys that change what was typed", span)
    names = {} if literal else dict.fromkeys(_RETURN, "\n") | {"space": " "}
    typed = "".join(names.get(key.text.lower(), key.text) for key in keys)
    if typed and typed[-1] != "\n":
        shell.unclear("what is typed here is run together with what is typed next", span)
    before = len(shell.found.actions)
    run_code("code.sh", Arg(typed, span, False, next((a.origin for a in keys if a.unknown), None)), shell, span)
    if any("nowhere" in action.tags for action in shell.found.actions[before:]):
        shell.unclear("this may go on with what was typed before", span)
    return None


def _is_key(word: Arg) -> bool:
    """`C-a`, `M-x`, `BSpace`, `Up`, `F5`: a key, and no text."""
    text = word.text.lower()
    if text in _RETURN:
        return False
    return (
        text[:2] in ("c-", "m-", "s-") or text[:1] == "^" or text in _KEYS or (text[:1] == "f" and text[1:].isdigit())
    )


_KEYS = frozenset(
    "up down left right home end npage pagedown pgdn ppage pageup pgup "
    "tab btab bspace dc delete ic insert escape".split()
)

_OWN_SCRIPTS = {"npm": "npm run", "yarn": "yarn run", "pnpm": "pnpm run", "bun": "bun run", "node": "node --run"}


def lines(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`concurrently "npm:watch" "ls"`: each word is a script of the project, or a command line."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if parsed.strange:
        shell.unclear(f"`{parsed.strange[0].text}` is an unknown option", span)
    for word in parsed.operands:
        start, colon, rest = word.text.partition(":")
        if colon and start in _OWN_SCRIPTS:
            word = Arg(f"{_OWN_SCRIPTS[start]} {rest}", word.span, word.glob, word.origin, word.quoted)
        run_code("code.sh", word, shell, span)
    return None


def unwrapped(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """A row of options before the command, given by the row as usual, with a mark of its own."""
    return act_on(row, parse_options(row, args[1:], stop_at_operand=True), args, span, shell)


# Parts of the names of settings with which later installs come from somewhere else, or from anybody.
_LEADS_ELSEWHERE = (
    "registr",
    "proxy",
    "ssl",
    "cafile",
    "certfile",
    "_auth",
    "authtoken",
    "_password",
    "scopes",
    "whitelist",
    "mirror",
)


def npm_config(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Some settings name a program that is run later."""
    words = [part.lower() for arg in args[1:] for part in arg.text.split("=")]
    if not {
        "script-shell",
        "node",
        "git",
        "editor",
        "viewer",
        "shell",
        "init-module",
        "globalconfig",
        "userconfig",
        "node-options",
        "browser",
        "yarnpath",
        "plugins",
    }.isdisjoint(words):
        shell.unclear("a setting that names a program to be run", span)
    key = next((word for word in words if word[:1] != "-"), "")
    if (
        any(part in key for part in _LEADS_ELSEWHERE)
        or key in ("ca", "prefix")
        or any("://" in arg.text and is_elsewhere(arg.text.rpartition("=")[2]) for arg in args[1:])
    ):
        row = row.replace(tags=(*row.tags, "redirects"))
    return unwrapped(row, args, span, shell)


def npm_file(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`npm pkg set scripts.test=…`: the file that says what later commands run is written."""
    on_path("write", Arg("package.json", span), shell)
    return act_on(row, parse_options(row, args[1:], stop_at_operand=False), args, span, shell)


def traced(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """strace: what it notes goes to a file, or into a command after `|` or `!`."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    for option, value in parsed.values:
        if option.role == "output":
            save(value, shell, span)
    parsed.values = [(option, value) for option, value in parsed.values if option.role != "output"]
    return act_on(row, parsed, args, span, shell)


def save(place: Arg, shell: Shell, span: tuple[int, int]) -> None:
    """A file for output; some programs take `|CMD` for one too."""
    if place.text[:1] in ("|", "!"):
        run_code("code.sh", Arg(place.text[1:], place.span, place.glob, place.origin), shell, span)
    else:
        on_path("write", place, shell)
