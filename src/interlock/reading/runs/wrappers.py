"""Programs that run other programs, and text that is run: unwrap, then read what is inside.

What a table of options can say is in commands/; here are the ways in: a command line handed over as one
word, a script file, standard input, a URL. Programs whose arguments are a language of their own: specials/.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.wants import Script
from ...value import TYPE_CHECKING, lazy
from ..evaluate.branches import become, join
from ..evaluate.contents import Built, Changed, Perhaps, filled_above, text_of, texts_in, texts_of_file
from ..evaluate.origins import DECODED, variable
from ..evaluate.state import MAX_NESTING, silent
from ..evaluate.walk import run_script
from ..evaluate.words import NUL, Arg, literal
from ..lands.fetched import came_with, run_fetched
from ..machine.acts import emit, on_path
from ..machine.engine import run_command, run_row
from ..machine.index import find_program
from ..machine.places import has_written, through_links
from ..places.own_places import OWN_COMMAND
from ..places.paths import folded, within
from ..places.system_places import host_of
from ..shell import parse as parse_shell
from .shell_changes import disguised
from .trusted import is_built, is_trusted_script, leads_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..evaluate.shell_options import interpreter_of
    from ..evaluate.state import Shell
    from ..shell.dialect import only_bash
    from ..specials.inline_code import may_run_input, show
    from ..tables.spec import Adds
    from ..written.run import run_binary, run_built, run_directly
    from .java import why_not_plain
    from .own_scripts import follow_own, found_instead, loads_written
    from .projects import installed_program, obey, own_tool
    from .started import start_given
else:
    interpreter_of = lazy(globals(), "..evaluate.shell_options", "interpreter_of")
    only_bash = lazy(globals(), "..shell.dialect", "only_bash")
    may_run_input = lazy(globals(), "..specials.inline_code", "may_run_input")
    show = lazy(globals(), "..specials.inline_code", "show")
    run_binary = lazy(globals(), "..written.run", "run_binary")
    run_built = lazy(globals(), "..written.run", "run_built")
    run_directly = lazy(globals(), "..written.run", "run_directly")
    why_not_plain = lazy(globals(), ".java", "why_not_plain")
    follow_own = lazy(globals(), ".own_scripts", "follow_own")
    found_instead = lazy(globals(), ".own_scripts", "found_instead")
    loads_written = lazy(globals(), ".own_scripts", "loads_written")
    installed_program = lazy(globals(), ".projects", "installed_program")
    obey = lazy(globals(), ".projects", "obey")
    own_tool = lazy(globals(), ".projects", "own_tool")
    start_given = lazy(globals(), ".started", "start_given")

__all__ = ["on_url", "run_code", "run_code_here", "run_file", "source_file"]


_SHELLS = ("code.sh", "code.bash")
_PLAIN_SHELLS = frozenset(("ash", "bash", "dash", "sh"))
_SYSTEM_BIN = frozenset(("", "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"))  # empty: found by `env`
_CONFIGURES = ("/configure", "/config.status", "/Configure", "/waf")


def run_code(
    role: str, arg: Arg, shell: Shell, span: tuple[int, int], args: list[Arg] | None = None, *, whole: bool = False
) -> Arg | None:
    """Text that is run, in a shell or interpreter of its own; `args` are what it is given, where that is known.

    `whole`: the interpreter takes all of it or nothing.
    """
    if role == "code.sh":
        inner = shell.child()
        inner.posix = True  # as `system()` has it: by /bin/sh
        return run_code_here(arg, inner, span)
    if not arg.known:
        shell.unclear(f"the code that runs depends on {arg.why or 'file names'}", span)
        return None
    if role == "code.py":
        shell.found.follow.read_python(arg, shell, span, args, whole=whole)
        return None
    if arg.text.strip():
        language = role.partition(".")[2]
        if show(language, arg, shell, span):
            return None
        shell.unclear("code in this language is not read", span)
        tags = ("unread",) if may_run_input(language, arg.text) else ("inline", "unread")
        emit(shell, span, name="exec:code", effects=(Effect.EXECUTE,), tags=tags)
    return None


def run_code_here(arg: Arg, shell: Shell, span: tuple[int, int]) -> Arg | None:
    """Shell text that is run in this very shell, as by `eval`."""
    if not arg.known:
        shell.unclear(f"the command line is built from {arg.why or 'file names'}", span)
        emit(shell, span, name="exec:code", effects=(Effect.EXECUTE,), tags=("unread",))
        return None
    if shell.depth >= MAX_NESTING:
        shell.unclear("scripts are nested too deeply", span)
        return None
    if arg.origin == DECODED:
        disguised(shell, span, "a text that is decoded and run")
    before = shell.frozen_span
    shell.frozen_span = shell.span(arg.span if before is None else span)
    output = _run_text(arg.text, shell)
    shell.frozen_span = before
    return output


def _run_text(text: str, shell: Shell) -> Arg | None:
    script = parse_shell(text)
    if shell.posix:
        found = only_bash(script, text)
        if found is not None:
            shell.unclear(f"a plain `sh` takes `{found}` for something else than bash does", script.span)
    return run_script(script, shell)


def run_file(arg: Arg, args: list[Arg], span: tuple[int, int], shell: Shell, language: str = "") -> Arg | None:
    """A file that is run: read, if its text can be had; else by where it lies."""
    if not language or language in _SHELLS:  # `python run.py` runs python
        shell.found.runs([arg, *args], shell, span)
    paths = on_path("read", arg, silent(shell))
    if not paths:
        shell.unclear(f"which file runs depends on {arg.why or 'a pattern'}", span)
        emit(shell, span, name="exec:script", effects=(Effect.EXECUTE,), tags=("unread",))
        return None
    facts = shell.found.facts
    others = [path for path in paths[1:] if path in shell.files or path not in facts.absent]
    if not others:
        return _run_at(paths[0], arg, args, span, shell, language, alone=len(paths) == 1)

    def one(path: str) -> Callable[[Shell], object]:
        return lambda taken: _run_at(path, arg, args, span, taken, language, alone=False)

    _any_of([one(path) for path in (paths[0], *others)], shell)
    return None


def _any_of(ways: list[Callable[[Shell], object]], shell: Shell) -> None:
    """One of these is what happens: each is followed for itself, and what they leave behind is joined."""
    ends = [shell.branch() for _ in ways]
    for way, taken in zip(ways, ends, strict=True):
        way(taken)
    become(shell, ends[0])
    join(shell, ends[1:])


def _run_at(
    path: str, arg: Arg, args: list[Arg], span: tuple[int, int], shell: Shell, language: str, *, alone: bool
) -> Arg | None:
    """The file at this path is run; `alone`: no other folder is possible."""
    own = _of_the_guard(path, shell)
    if own is not None:
        return run_command([Arg(own, arg.span), *args], span, shell)
    if language == "code.py" and has_written(f"{path}/__main__.py", shell) and path not in shell.files:
        return run_file(Arg(f"{path}/__main__.py", arg.span), args, span, shell, language)  # a folder
    if language not in ("code.py", *_SHELLS):
        instead = found_instead(path, shell, folder=True)
        if instead is not None:
            return run_file(Arg(instead, arg.span), args, span, shell, "code.other")
    tool = own_tool(path, shell)
    if tool is not None:
        obey(path.rpartition("/")[2], [arg, *args], shell, span)
        return run_row(tool, [arg, *args], span, shell)
    installed = installed_program(path, shell) if alone else None
    if installed is not None:
        row = find_program(installed)
        if row is not None:
            return run_row(row, [arg, *args], span, shell)
        emit(shell, span, name=f"exec:{installed}", effects=(Effect.EXECUTE,), tags=("unknown",), target={"path": path})
        return None
    if path.endswith(_CONFIGURES):
        start_given(args, shell, span)
    text = text_of(path, shell) or filled_above(path, shell)
    if text is None and path in shell.found.facts.scripts:
        text = literal(shell.found.facts.scripts[path], arg.span)
    on_path("read", arg, shell)
    texts = None if text is None else texts_in(text, path, shell)
    if text is not None and texts is not None:
        return _run_texts(text, texts, path, args, span, shell, language)
    if text is not None or has_written(path, shell):
        if text is None:
            shell.found.want(Script(path))
        if _without_text(text, path, args, span, shell):
            return None
        shell.unclear(f"`{path}` was written in this session, and its content was not read", span, kind="written-here")
        emit(shell, span, name="exec:script", effects=(Effect.EXECUTE,), tags=("unread",), target={"path": path})
        return None
    shell.found.want(Script(path))
    built = is_built(path, shell)
    facts = shell.found.facts
    in_tree = path.startswith((facts.root + "/", *facts.beside))
    inside = built or (in_tree and not leads_out(path, shell))
    place = came_with(path, shell)
    if not inside:
        shell.unclear(f"`{path}` is outside the project, and its content was not read", span, kind="outside")
    elif place is not None:
        run_fetched(place, span, shell)
    elif (built or _is_made(path, shell)) and (shell.files or shell.found.facts.written):
        run_built(path, (), args, span, shell)
    name = "exec:project" if inside else "exec:script"
    emit(shell, span, name=name, effects=(Effect.EXECUTE,), tags=("unread",), target={"path": path})
    return None


def _run_texts(
    held: Arg, texts: tuple[str, ...], path: str, args: list[Arg], span: tuple[int, int], shell: Shell, language: str
) -> Arg | None:
    """The file holds one of these texts, or was perhaps not written at all."""
    if held.known and len(texts) == 1:
        return _script_text(held, path, args, span, shell, language)

    ways = held.ways if isinstance(held, Perhaps) else (held,)
    origin = DECODED if any(way is not None and way.origin == DECODED for way in ways) else None

    def one(text: str) -> Callable[[Shell], object]:
        return lambda taken: _script_text(Arg(text, held.span, origin=origin), path, args, span, taken, language)

    nothing: list[Callable[[Shell], object]] = [] if held.known else [lambda taken: None]
    _any_of([*map(one, texts), *nothing], shell)
    return None


def _is_made(path: str, shell: Shell) -> bool:
    """True if it is a program without a text, or one that this session has the project's build make."""
    found, facts = shell.found, shell.found.facts
    return (path in facts.unread or path in facts.created - facts.written) or any(
        "built" in action.tags and action.target.get("path") == path for action in found.actions
    )


def _without_text(text: Arg | None, path: str, args: list[Arg], span: tuple[int, int], shell: Shell) -> bool:
    """A program that this session built: by what it was made of in this call, else by its own digest."""
    if isinstance(text, Built):
        return run_built(path, text.by, args, span, shell)
    if text is not None or path not in shell.found.facts.unread or came_with(path, shell) is not None:
        return False
    return run_binary(path, args, span, shell)


def _of_the_guard(path: str, shell: Shell) -> str | None:
    """Which of the guard's programs a file is, whatever its place and name: our command, or the Python beside it.

    A link leads to it, and a copy that this call has made is it. A copy of an earlier call is read like any script.
    """
    facts = shell.found.facts
    held = shell.files.get(path)
    linked = through_links(path, shell.links) if shell.links else None
    for at in (path, linked or shell.found.real.get(path), held.base if isinstance(held, Changed) else None):
        name = "" if at is None else at.rpartition("/")[2]
        if name == OWN_COMMAND and (at != path or held is None):
            return OWN_COMMAND
        if at is None or not within(facts.own, folded(at)):
            continue
        if at.endswith(("/interlock/cli/__main__.py", "/interlock/__main__.py")):
            return OWN_COMMAND
        if "/bin/" in at and name.rstrip("0123456789.") in ("pip", "python"):
            return name.rstrip("0123456789.")
    return None


def _script_text(
    text: Arg, path: str, args: list[Arg], span: tuple[int, int], shell: Shell, language: str
) -> Arg | None:
    """A script whose text is at hand; one of this session is that also where a task of the project runs it."""
    tasks = shell.found.tasks
    if tasks is None or not has_written(path, shell):
        return follow_own(lambda: _followed(text, path, args, span, shell, language), path, text.text, args, shell)
    return tasks.as_session(lambda: _followed(text, path, args, span, shell, language), shell.found)


def _followed(text: Arg, path: str, args: list[Arg], span: tuple[int, int], shell: Shell, language: str) -> Arg | None:
    """Follows the text in the language that its first line or its name says."""
    first = text.text.partition("\n")[0]
    kind = language or _language(first, path, shell)
    emit(shell, span, name="exec:project", effects=(Effect.EXECUTE,), target={"path": path})
    if text.origin == DECODED:
        disguised(shell, span, "a text that is decoded and run")
    inner = shell.copy()
    inner.frozen_span = shell.span(span)
    if kind in _SHELLS:
        if shell.depth >= MAX_NESTING:
            shell.unclear("scripts are nested too deeply", span)
            return None
        inner = shell.child()
        inner.frozen_span = shell.span(span)
        inner.parameters = args
        inner.background = False
        # who runs it says `language`; else its first line; else it is run by the shell that calls it
        inner.posix = kind == "code.sh" if language else "bash" not in first if first[:2] == "#!" else shell.posix
        return _run_text(text.text, inner)
    if kind == "code.py":
        shell.found.follow.read_python(Arg(text.text, span), inner, span, args, path)
        return None
    if kind == "code.java":
        why = why_not_plain(text.text)
        if why is not None and not _as_written(path, args, span, shell):
            shell.unclear(f"`{path}` may do more than compute: {why}", span)
        return None
    if kind != "data" and _only_shows(path, span, shell):
        return None
    if kind != "data" and not _as_written(path, args, span, shell, text.text):
        shell.unclear(f"`{path}` is in a language that is not read", span, kind="program")
    return None


# Node alone: nothing can stand in for its own modules, where a library of another language is looked for by name.
_COMPUTES = {".js": "node", ".cjs": "node", ".mjs": "node"}


def _only_shows(path: str, span: tuple[int, int], shell: Shell) -> bool:
    """A file of the session whose text only computes and shows, as such a text given inline is free."""
    language = _COMPUTES.get(path[path.rfind(".") :])
    if language is None or not has_written(path, shell):
        return False
    texts = texts_of_file(path, shell) or ()
    return bool(texts) and all(show(language, Arg(text, span), shell, span, beside=False) for text in texts)


def _as_written(path: str, args: list[Arg], span: tuple[int, int], shell: Shell, text: str = "") -> bool:
    """A file that this session wrote, or that may load such: asked about until its digest changes. False: neither."""
    if not has_written(path, shell) and not (text and loads_written(text, shell)):
        return False
    run_directly(path, args, span, shell)
    return True


def _language(first: str, path: str, shell: Shell) -> str:
    if first.startswith("#!"):
        program, plain = interpreter_of(first)
        folder, _, name = program.rpartition("/")
        if has_written(program, shell):
            return "code.other"
        if name.startswith("python"):
            return "code.py"
        return "code.sh" if plain and name in _PLAIN_SHELLS and folder in _SYSTEM_BIN else "code.other"
    if path.endswith((".py", ".java")):
        return "code.py" if path.endswith(".py") else "code.java"
    return "code.sh" if path.endswith((".sh", ".bash")) or "." not in path.rpartition("/")[2] else "code.other"


def source_file(arg: Arg, args: list[Arg], shell: Shell, span: tuple[int, int]) -> Arg | None:
    """`source f`: its text in this shell. The usual ways into an environment are trusted (trusted.py)."""
    paths = on_path("read", arg, shell)
    if len(paths) == 1 and arg.known:
        if is_trusted_script(paths[0], shell):
            shell.variables["PATH"] = [Arg(NUL, span, origin=variable("PATH"))]
            return Arg("", span)
    shell.found.runs([arg, *args], shell, span)
    if len(paths) == 1:
        known = text_of(paths[0], shell)
        if known is None and paths[0] in shell.found.facts.scripts:
            known = literal(shell.found.facts.scripts[paths[0]], span)
        texts = None if known is None else texts_in(known, paths[0], shell)
        if texts is not None:
            before = shell.parameters
            shell.parameters = args or before
            output: Arg | None = None
            if paths[0] in shell.files:  # it may not have been written
                _any_of([*[_sourcing(text, paths[0], span) for text in texts], lambda taken: None], shell)
            else:
                output = _sourcing(texts[0], paths[0], span)(shell)
            shell.parameters = before
            return output
        shell.found.want(Script(paths[0]))
    shell.unclear("a file runs in this shell, and its content was not read", span)
    emit(shell, span, name="exec:script", effects=(Effect.EXECUTE,), tags=("unread",))
    return None


def _sourcing(text: str, path: str, span: tuple[int, int]) -> Callable[[Shell], Arg | None]:
    def follow(shell: Shell) -> Arg | None:
        tasks, line = shell.found.tasks, Arg(text, span)
        if tasks is None or not has_written(path, shell):
            return run_code_here(line, shell, span)
        return tasks.as_session(lambda: run_code_here(line, shell, span), shell.found)

    return follow


def on_url(arg: Arg, shell: Shell, span: tuple[int, int], adds: list[Adds]) -> None:
    """An address that is fetched; one with an unknown part could carry anything out."""
    text = arg.text if "://" in arg.text else "http://" + arg.text
    host = host_of(text.replace(NUL, "x")) if NUL not in text.partition("://")[2].partition("/")[0] else None
    effects = tuple(dict.fromkeys([Effect.NETWORK, *(effect for add in adds for effect in add.effects)]))
    tags = tuple(tag for add in adds for tag in add.tags)
    if host is None or arg.unknown:
        shell.unclear(f"the address is unclear: {arg.why or arg.text[:60]}", arg.span)
        emit(shell, arg.span, name="net:fetch", effects=effects, tags=("unread", *tags))
        return
    name = next((add.action for add in adds if add.action is not None), "net:fetch")
    place = ("local",) if host in ("localhost", "127.0.0.1", "::1", "0.0.0.0") else ()  # noqa: S104
    emit(shell, arg.span, name=name, effects=effects, tags=(*tags, *place), target={"host": host, "url": arg.text})
