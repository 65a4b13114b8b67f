"""Package managers whose options are letters that choose what is done: dpkg, rpm, pacman, nix."""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..machine.acts import emit, on_path
from ..machine.engine import act_on, own_values, run_command
from ..machine.options import parse as parse_options
from ..reach.package_sources import names_source
from ..runs.projects import own_code, run_place
from ..runs.wrappers import on_url, run_code
from .builders import system_file

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["dpkg", "nix_run", "nix_shell", "package_setting", "pacman", "rpm"]

_INSTALLS = (Effect.EXECUTE, Effect.NETWORK, Effect.WRITE)


def _packages(
    name: str, words: list[Arg], effects: tuple[Effect, ...], span: tuple[int, int], shell: Shell, *tags: str
) -> None:
    for word in words:
        if word.unknown:
            shell.unclear(f"which package is meant depends on {word.why}", word.span)
    target: dict[str, str | bool | tuple[str, ...]] = {}
    if words:
        names = tuple(word.text.replace("\0", "…") for word in words)
        target["package"] = names[0] if len(names) == 1 else names
    irreversible = Effect.DESTRUCTIVE in effects
    emit(shell, span, name=name, effects=effects, tags=("system", *tags), target=target, irreversible=irreversible)


_DPKG_READS = frozenset(
    [
        "-l",
        "--list",
        "-L",
        "--listfiles",
        "-s",
        "--status",
        "-S",
        "--search",
        "-p",
        "--print-avail",
        "--get-selections",
        "--print-architecture",
        "-c",
        "--contents",
        "--print-foreign-architectures",
        "-I",
        "--info",
        "-f",
        "--field",
        "-C",
        "--audit",
        "-V",
        "--verify",
        "--version",
        "--help",
        "--compare-versions",
        "--yet-to-unpack",
        "--predep-package",
        "--assert-multi-arch",
        "-W",
        "--show",
        "--ctrl-tarfile",
        "--fsys-tarfile",
        "--validate-version",
        "--force-help",
    ]
)


def dpkg(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`dpkg -l`, `dpkg -i FILE`, `dpkg --purge NAME`: the first option that is an action decides."""
    words = [arg for arg in args[1:] if not arg.text.startswith("-")]
    flags = [arg for arg in args[1:] if arg.text.startswith("-")]
    done = False
    for arg in args[1:]:
        if arg.unknown and arg.text[:1] in ("\0", "-"):
            shell.unclear(f"an argument depends on {arg.why}", arg.span)
    for flag in flags:
        name, _, value = flag.text.partition("=")
        if name in ("--pre-invoke", "--post-invoke", "--status-logger"):
            run_code("code.sh", Arg(value, flag.span, flag.glob, flag.origin), shell, span)
        elif name in ("--root", "--instdir", "--admindir", "--no-debsig"):
            continue
        elif name in ("-i", "--install", "--unpack", "-R", "-iR", "-Ri", "-iGE", "-A", "--record-avail"):
            for word in words:
                system_file(word, shell, span)
            _packages("pkg:install", words, (Effect.EXECUTE, Effect.WRITE), span, shell, "install")
            done = True
        elif name in ("-r", "--remove"):
            _packages("pkg:remove", words, (Effect.EXECUTE, Effect.WRITE), span, shell)
            done = True
        elif name in ("-P", "--purge"):
            _packages("pkg:remove", words, (Effect.DESTRUCTIVE, Effect.EXECUTE), span, shell)
            done = True
        elif name in ("-x", "--extract", "-X", "--vextract", "-e", "--control", "-b", "--build", "-R", "--raw-extract"):
            for index, word in enumerate(words):
                on_path("read" if index == 0 else "write", word, shell)
            if len(words) < 2:
                on_path("write", Arg(".", span), shell)
            done = True
        elif name in (
            "--configure",
            "--triggers-only",
            "--add-architecture",
            "--remove-architecture",
            "--set-selections",
            "--clear-avail",
        ):
            _packages("pkg:configure", words, (Effect.EXECUTE, Effect.WRITE), span, shell)
            done = True
        elif name in _DPKG_READS:
            for word in words if name in ("-c", "--contents", "-I", "--info", "-f", "--field") else []:
                on_path("read", word, shell)
            emit(shell, span, name="dpkg:query", effects=(Effect.READ,), tags=("upkeep",))
            done = True
    if not done:
        shell.unclear("it is unclear what this program would do", span)
        emit(shell, span, name=f"exec:{row.name}", effects=(Effect.EXECUTE,), tags=("unread",))
    return None


def rpm(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`-q` asks, `-i` and `-U` install, `-e` removes; macros can run commands."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    switches = parsed.switches
    if "macro" in switches and any("%(" in arg.text or "lua" in arg.text or arg.unknown for arg in args[1:]):
        shell.unclear("a macro that can run commands", span)
    asks = not {"-q", "-V", "-K"}.isdisjoint(switches) or row.name != "rpm"
    if "installs" in switches and not asks:
        own_values(row, parsed, span, shell)
        for word in parsed.operands:
            system_file(word, shell, span)
        _packages("pkg:install", parsed.operands, _INSTALLS, span, shell, "install")
        return None
    if "removes" in switches and not asks:
        own_values(row, parsed, span, shell)
        _packages("pkg:remove", parsed.operands, (Effect.EXECUTE, Effect.WRITE), span, shell)
        return None
    if "keys" in switches or "changes" in switches:
        own_values(row, parsed, span, shell)
        for word in parsed.operands:
            if "://" in word.text:
                on_url(word, shell, word.span, [])
            else:
                on_path("read", word, shell)
        emit(shell, span, name="pkg:source", effects=(Effect.WRITE,), tags=("system", "install"))
        return None
    return act_on(row, parsed, args, span, shell)


def pacman(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`-S` and `-U` install, `-R` removes, `-Q` and `-F` look; small letters say how."""
    long = {
        "--sync": "S",
        "--upgrade": "U",
        "--remove": "R",
        "--query": "Q",
        "--files": "F",
        "--database": "D",
        "--deptest": "T",
    }
    small = {
        "--search": "s",
        "--info": "i",
        "--list": "l",
        "--groups": "g",
        "--refresh": "y",
        "--sysupgrade": "u",
        "--clean": "c",
    }
    values = {
        "--config",
        "--root",
        "--dbpath",
        "--cachedir",
        "--hookdir",
        "--gpgdir",
        "--logfile",
        "--arch",
        "--ignore",
        "--overwrite",
        "-b",
        "-r",
        "--assume-installed",
        "--print-format",
        "--color",
    }
    letters = ""
    own = args[0].text.rpartition("/")[2] == "pacman"  # and no helper; and its own places, if none is named
    words: list[Arg] = []
    rest = list(args[1:])
    while rest:
        arg = rest.pop(0)
        name, equals, _ = arg.text.partition("=")
        if arg.unknown and arg.text[:1] in ("\0", "-"):
            shell.unclear(f"an argument depends on {arg.why}", arg.span)
        elif name in ("--config", "--hookdir", "--makepkg", "--editor", "--git", "--pacman", "--mflags", "--gpg"):
            shell.unclear(f"`{name}` can make it run other code", span)
        if name in values:
            own = False
            if not equals and rest:
                rest.pop(0)
        elif name.startswith("--"):
            letters += long.get(name, "") or small.get(name, "")
        elif arg.text.startswith("-"):
            letters += arg.text[1:]
        else:
            words.append(arg)
    letters = letters.replace("A", "S") if row.name == "pacman" and "A" in letters[:1] else letters
    if letters[:1] in ("O", "Y", "B", "C", "G", "P", "W"):
        shell.unclear(f"what `{letters[:1]}` does is not read", span)
    big = next(
        (char for char in letters if char in "SURQFDT"), "" if letters or words else "S" if row.name != "pacman" else ""
    )
    if big in ("Q", "F", "T", "") or (big == "S" and any(char in letters for char in "silg")):
        if big == "F" and "y" in letters:
            emit(shell, span, name="pacman:update", effects=(Effect.NETWORK, Effect.WRITE), tags=("system",))
        emit(shell, span, name="pacman:query", effects=(Effect.READ,), tags=("upkeep",) if own else ())
    elif "p" in letters and big in "SUR":
        emit(shell, span, name="pacman:query", effects=(Effect.READ,), tags=("dryrun",))
    elif big == "S" and "c" in letters and own:
        emit(shell, span, name="pacman:clean", effects=(Effect.WRITE,), tags=("system", "upkeep"))
    elif (big == "S" and "c" in letters) or big == "D":
        emit(shell, span, name="pacman:clean", effects=(Effect.WRITE,), tags=("system",))
    elif big == "S" and not words and "u" not in letters and letters:
        emit(shell, span, name="pacman:update", effects=(Effect.NETWORK, Effect.WRITE), tags=("system",))
    elif big == "R":
        _packages("pkg:remove", words, (Effect.EXECUTE, Effect.WRITE), span, shell)
    else:
        for word in words if big == "U" else []:
            system_file(word, shell, span)
        _packages("pkg:install", words, _INSTALLS, span, shell, "install")
    return None


def nix_run(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`nix run nixpkgs#x`, `nix develop -c CMD`: `.` is the project, anything else is fetched."""
    at = next((i for i, arg in enumerate(args) if arg.text in ("-c", "--command")), None)
    parsed = parse_options(row, args[1:at], stop_at_operand=row.name == "run")
    places = parsed.operands[:1] if row.name == "run" else list(parsed.operands)
    own = [arg for arg in places if arg.text.startswith((".", "/", "path:"))]
    for arg in own:
        run_place(
            Arg(arg.text.partition("#")[0].removeprefix("path:") or ".", arg.span, arg.glob, arg.origin), shell, span
        )
    parsed.operands = [arg for arg in places if arg not in own]
    if not parsed.operands:
        own_code(shell.folders, shell, span)
        emit(shell, span, name="exec:project", effects=(Effect.EXECUTE, Effect.NETWORK, Effect.WRITE), tags=("unread",))
        own_values(row, parsed, span, shell)
    else:
        act_on(row, parsed, args, span, shell)
    if at is not None and args[at + 1 :]:
        return run_command(args[at + 1 :], span, shell.copy())
    if args[0].text in ("develop", "shell"):
        shell.unclear("a shell for someone to type into", span)
    return None


def nix_shell(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`nix-shell -p NAMES --run TEXT`."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if "packages" in parsed.switches:
        _packages("pkg:run", parsed.operands, _INSTALLS, span, shell, "install")
        parsed.operands = []
    if not any(option.role == "code.sh" for option, _ in parsed.values):
        shell.unclear("a shell for someone to type into", span)
    for operand in parsed.operands:
        run_place(operand, shell, span)
    own_values(row, parsed, span, shell)
    if "packages" not in parsed.switches:
        own_code(shell.folders, shell, span)
        emit(shell, span, name="exec:project", effects=(Effect.EXECUTE,), tags=("unread",))
    return None


def package_setting(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`bundle config`, `composer config`, `nuget sources`: what is set may be where packages come from."""
    plain = row
    if names_source([row.name, *(arg.text for arg in args[1:])]):
        plain = plain.replace(tags=(*row.tags, "redirects"))
    if any(arg.text.startswith(("http-basic.", "pypi-token.", "certificates.")) for arg in args[1:]):
        plain = plain.replace(tags=(*plain.tags, "secret"))
    return act_on(plain, parse_options(row, args[1:], stop_at_operand=False), args, span, shell)
