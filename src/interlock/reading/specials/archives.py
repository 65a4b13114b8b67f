"""tar, dd, rsync, unzip and their kin: files in, files out, and the ways in which they run commands."""

from __future__ import annotations

from ...effects import Effect
from ...value import TYPE_CHECKING
from ..commands.acts import emit, on_path
from ..commands.engine import wild
from ..commands.options import compiled
from ..commands.options import parse as parse_options
from ..evaluate.contents import brought
from ..evaluate.output import where
from ..evaluate.words import NUL, Arg
from ..fetched import came_with
from ..wrappers import run_code
from .watching import much

if TYPE_CHECKING:
    from ..commands.spec import Program
    from ..evaluate.state import Shell

__all__ = ["archive7", "dd", "rsync", "tar", "unzip"]

_COMPRESSORS = frozenset(("gzip", "pigz", "bzip2", "pbzip2", "xz", "zstd", "lz4", "lzip", "pixz", "brotli", "zstdmt"))
_LETTERS = {"--delete": "d", "-A": "r"}


def _spelt_out(row: Program, words: list[Arg]) -> list[Arg]:
    """`tar xzf a.tgz`: letters without a dash, whose values follow in the order of the letters."""
    if not words or not words[0].known or words[0].text.startswith("-"):
        return words
    letters, rest = words[0], words[1:]
    table = compiled(row).by_name
    found = []
    for letter in letters.text:
        found.append(Arg("-" + letter, letters.span))
        option = table.get("-" + letter)
        if option is not None and option.role is not None and rest:
            found.append(rest.pop(0))
    return [*found, *rest]


def tar(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    parsed = parse_options(row, _spelt_out(row, args[1:]), stop_at_operand=False)
    letters = "".join([_LETTERS.get(name, name[1:2]) for name in sorted(parsed.switches) if name[:2] != "--"])
    letters += "d" if "--delete" in parsed.switches else ""
    archive: Arg | None = None
    folders: list[Arg] = []
    for word in parsed.doubtful:
        shell.unclear(f"an argument of `tar` is not known: {word.why}", word.span)
    for word in parsed.strange:
        shell.unclear(f"`{word.text.replace(NUL, '…')[:40]}` is an option of `tar` that is not known", word.span)
    for word in parsed.operands:
        if wild(word):
            shell.unclear("a file name that begins with a dash would be an option; `./*` is safe", word.span)
    for option, value in parsed.values:
        if option.role == "archive":
            archive = value
        elif option.role == "into":
            folders.append(value)
        elif option.role == "step":
            if value.text.startswith("exec") or value.unknown:
                run_code("code.sh", Arg(value.text.partition("=")[2], value.span, value.glob, value.why), shell, span)
        elif option.role == "program":
            if not (value.known and value.text.split()[:1] and value.text.split()[0] in _COMPRESSORS):
                run_code("code.sh", value, shell, span)
        elif option.role in ("read", "write"):
            on_path(option.role, value, shell)
    if "--remove-files" in parsed.switches:
        for member in parsed.operands:
            on_path("delete", member, shell)
        shell.unclear("`--remove-files` removes what it packs", span)
    if "--recursive-unlink" in parsed.switches:
        shell.unclear("`--recursive-unlink` removes folders that are there", span)
    if len(folders) > 1 and "x" not in letters:
        for folder in folders:  # which of them a file is taken from depends on where it stands
            on_path("read", folder, shell)
    return _tar_does(letters, archive, folders[-1] if folders else None, parsed.operands, span, shell)


def _tar_does(
    letters: str, archive: Arg | None, folder: Arg | None, members: list[Arg], span: tuple[int, int], shell: Shell
) -> Arg | None:
    archive = archive if archive is not None and archive.text != "-" else None
    if archive is not None and _remote(archive.text):
        sends = "x" not in letters and "t" not in letters
        tags = ("external", "sends") if sends else ("external",)
        host = archive.text.partition(":")[0].rpartition("@")[2]
        name = "net:send" if sends else "net:fetch"
        emit(shell, archive.span, name=name, effects=(Effect.NETWORK,), tags=tags, target={"host": host})
        archive = None
    if "x" in letters:
        if archive is not None:
            on_path("read", archive, shell)
        if "O" not in letters:
            _unpack_into(folder or Arg(".", span), shell, archive)
            if "P" in letters:
                shell.unclear("`tar -P` writes wherever the archive says", span)
        return None
    if "t" in letters or ("d" in letters and "c" not in letters):
        if archive is not None:
            on_path("read", archive, shell)
        else:
            emit(shell, span, name="exec:tar", effects=(Effect.READ,), tags=())
        return None
    if "c" in letters or "r" in letters or "u" in letters:
        inner = shell
        if folder is not None:
            inner = shell.copy()
            inner.folders = _moved(folder, shell)
        for member in members:
            on_path("read", member, inner)
        if archive is not None:
            on_path("write", archive, shell)
        return None
    emit(shell, span, name="exec:tar", effects=(), tags=())
    return None


def _unpack_into(folder: Arg, shell: Shell, archive: Arg | None) -> None:
    """Whatever the archive holds is in that folder now, under names that only the archive knows."""
    for path in on_path("brings" if _is_foreign(archive, shell) else "write", folder, shell):
        brought(path, "what an archive brought", folder.span, shell)


def _is_foreign(archive: Arg | None, shell: Shell) -> bool:
    """An archive that came from the network, by a pipe or as a file."""
    if archive is None or archive.text == "-":
        return any(Effect.NETWORK in action.effects for action in shell.found.actions)
    place = where(archive, shell) if archive.known and shell.folders else None
    return place is not None and came_with(place, shell) is not None


def _moved(folder: Arg, shell: Shell) -> tuple[str, ...] | None:
    from ..paths import Unsettled, settle

    if not folder.known or shell.folders is None:
        return (folder.text,) if folder.known and folder.text.startswith("/") else None
    try:
        return tuple(settle(folder.text or ".", cwd=base, home="/") for base in shell.folders)
    except Unsettled:
        return None


def dd(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    for arg in args[1:]:
        name, equals, value = arg.text.partition("=")
        word = Arg(value, arg.span, arg.glob, arg.why)
        if name == "if" and equals:
            if value not in ("/dev/zero", "/dev/urandom", "/dev/random", "/dev/null"):
                on_path("read", word, shell)
        elif name == "of" and equals:
            if value != "/dev/null":
                on_path(
                    "wipe" if value.startswith("/dev/") and not value.startswith("/dev/shm") else "write",  # noqa: S108
                    word,
                    shell,
                )
        elif arg.unknown:
            shell.unclear(f"an argument of `dd` is not known: {arg.why}", arg.span)
    given = dict(arg.text.partition("=")[::2] for arg in args[1:])
    if "of" in given and much(given.get("bs", ""), given.get("count", "")):
        emit(shell, span, name="fs:fill", effects=(Effect.WRITE,), tags=("exhausts",))
    if not any(arg.text.startswith(("if=", "of=")) for arg in args[1:]):
        emit(shell, span, name="exec:dd", effects=(), tags=())
    return None


_RSYNC_VALUES = frozenset(
    (
        "-e",
        "--rsh",
        "--rsync-path",
        "--exclude",
        "--include",
        "--exclude-from",
        "--include-from",
        "--files-from",
        "-f",
        "--filter",
        "--bwlimit",
        "--timeout",
        "--partial-dir",
        "-T",
        "--temp-dir",
        "--log-file",
        "--password-file",
        "-B",
        "--chmod",
        "--chown",
        "--compare-dest",
        "--link-dest",
        "--copy-dest",
        "--backup-dir",
        "--suffix",
        "--max-size",
        "--min-size",
        "--port",
        "-M",
        "--remote-option",
        "--out-format",
        "--info",
        "--debug",
        "--max-delete",
        "--modify-window",
        "--sockopts",
        "--address",
        "--write-batch",
        "--only-write-batch",
        "--read-batch",
    )
)
_RSYNC_WRITES = frozenset(
    ("-T", "--temp-dir", "--partial-dir", "--backup-dir", "--write-batch", "--only-write-batch", "--log-file")
)


def rsync(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`rsync FROM… TO`; a colon makes one end another machine, `-e` and `--rsync-path` are commands."""
    words = list(args[1:])
    places: list[Arg] = []
    flags: set[str] = set()
    while words:
        word = words.pop(0)
        text = word.text
        if word.unknown and text[:1] in ("\0", "-"):
            shell.unclear(f"an argument of `rsync` is not known: {word.why}", word.span)
            places.append(word)
            continue
        if not text.startswith("-") or text == "-":
            if wild(word):
                shell.unclear("a file name that begins with a dash would be an option; `./*` is safe", word.span)
            places.append(word)
            continue
        name, equals, joined = text.partition("=")
        value: Arg | None = Arg(joined, word.span, word.glob, word.why) if equals else None
        if not text.startswith("--"):
            takes = next((at for at, char in enumerate(text) if at and "-" + char in _RSYNC_VALUES), 0)
            flags.update("-" + char for char in text[1 : takes + 1 if takes else None])
            if takes:
                name = "-" + text[takes]
                value = Arg(text[takes + 1 :], word.span, word.glob, word.why) if text[takes + 1 :] else None
        flags.add(name)
        if value is None and name in _RSYNC_VALUES:
            value = words.pop(0) if words else None
        if name in ("-e", "--rsh", "--rsync-path") and value is not None:
            run_code("code.sh", value, shell, span) if not (
                value.known and value.text.split()[:1] == ["ssh"] and "-o" not in value.text
            ) else None
        elif name in ("--files-from", "--exclude-from", "--include-from", "--password-file") and value is not None:
            on_path("read", value, shell)
        elif name in _RSYNC_WRITES and value is not None:
            on_path("write", value, shell)
        elif name == "--read-batch":
            shell.unclear("changes that were noted down are made again, and are not read", span)
        elif name == "--daemon":
            emit(shell, span, name="net:serve", effects=(Effect.SPAWN, Effect.NETWORK), tags=("external",))
    trial = "-n" in flags or "--dry-run" in flags
    for index, place in enumerate(places):
        last = index == len(places) - 1 and len(places) > 1
        if _remote(place.text):
            authority = place.text.removeprefix("rsync://").partition("/")[0]
            host = authority.rpartition("@")[2].partition(":")[0]
            tags = ("external", "sends") if last else ("external",)
            emit(
                shell,
                place.span,
                name="net:send" if last else "net:fetch",
                effects=(Effect.NETWORK,),
                tags=tags,
                target={"host": host},
            )
            continue
        leaves = not last and not trial and _remote(places[-1].text)
        on_path("send" if leaves else "read" if not last or trial else "write", place, shell)
        if last and not trial and any(flag.startswith("--del") for flag in flags):
            on_path("delete", place, shell)
        if not last and "--remove-source-files" in flags:
            on_path("delete", place, shell)
    return None


def _remote(text: str) -> bool:
    return text.startswith("rsync://") or (":" in text and "/" not in text.partition(":")[0])


def unzip(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    if any(arg.text[:1] == "-" and ":" in arg.text for arg in args[1:]):
        shell.unclear("`unzip -:` writes wherever the archive says", span)
    for archive in parsed.operands[:1]:
        on_path("read", archive, shell)
    if parsed.switches.isdisjoint(("-l", "-p", "-t", "-v")):
        into = next((value for option, value in parsed.values if option.name == "-d"), Arg(".", span))
        _unpack_into(into, shell, parsed.operands[0] if parsed.operands else None)
    return None


def archive7(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    words = [arg for arg in args[1:] if not arg.text.startswith("-")]
    into = next((Arg(a.text[2:], a.span, a.glob, a.why) for a in args[1:] if a.text.startswith("-o")), Arg(".", span))
    if len(words) < 2 or not words[0].known:
        shell.unclear("what `7z` would do is not known", span)
        return None
    command, archive, members = words[0].text, words[1], words[2:]
    if command in ("x", "e"):
        on_path("read", archive, shell)
        _unpack_into(into, shell, archive)
    elif command in ("l", "t", "h"):
        on_path("read", archive, shell)
    elif command in ("a", "u"):
        for member in members:
            on_path("read", member, shell)
            if any(arg.text == "-sdel" for arg in args):
                on_path("delete", member, shell)
        on_path("write", archive, shell)
    elif command == "d":
        on_path("edit", archive, shell)
    else:
        shell.unclear("what `7z` would do is not known", span)
    return None
