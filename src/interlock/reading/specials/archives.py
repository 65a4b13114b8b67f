"""tar and dd: files in, files out, and how they run commands; and what zips.py and rsync.py share with them."""

from __future__ import annotations

from ...model.effects import Effect
from ...model.wants import Script
from ...value import TYPE_CHECKING, lazy
from ..core.streams import is_device
from ..core.substitutions import sed_change
from ..evaluate.contents import brought, text_of
from ..evaluate.flows import Stream
from ..evaluate.origins import Origin
from ..evaluate.poured import poured_from
from ..evaluate.words import NUL, Arg
from ..lands.fetched import is_foreign, reads_foreign
from ..lands.laid import copied, filled, is_blind, lay, on_blind_pipe, pack, source_of, stream
from ..lands.placing import ARCHIVE
from ..machine.acts import emit, on_path
from ..machine.options import compiled
from ..machine.options import parse as parse_options
from ..machine.places import has_written, where
from ..machine.strange import wild
from ..places.paths import Unsettled, settle
from ..places.places import loosened
from ..runs.wrappers import run_code
from .watching import much

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..lands.lost import written_over
    from ..machine.options import Parsed
    from ..tables.spec import Program
else:
    written_over = lazy(globals(), "..lands.lost", "written_over")

__all__ = ["dd", "is_remote", "is_wild", "pack_into", "read_named", "tar", "unpack_into"]

_COMPRESSORS = frozenset(("gzip", "pigz", "bzip2", "pbzip2", "xz", "zstd", "lz4", "lzip", "pixz", "brotli", "zstdmt"))
_ENDLESS = frozenset(("/dev/zero", "/dev/urandom", "/dev/random"))
_LONGEST_LIST = 20_000
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
    lists: list[Arg] = []
    top: Arg | None = None
    for word in parsed.doubtful:
        shell.unclear(f"an argument depends on {word.why}", word.span)
    for word in parsed.strange:
        shell.unclear(f"`{word.text.replace(NUL, '…')[:40]}` is an unknown option", word.span)
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
                run_code(
                    "code.sh", Arg(value.text.partition("=")[2], value.span, value.glob, value.origin), shell, span
                )
        elif option.role == "program":
            if option.name != "-I" or not _compresses(value):
                run_code("code.sh", value, shell, span)
        elif option.role == "names":
            lists.append(value)
        elif option.role == "top":
            top = value
        elif option.role in ("read", "write"):
            on_path(option.role, value, shell)
    if "--remove-files" in parsed.switches:
        for member in parsed.operands:
            on_path("delete", member, shell)
        shell.unclear("`--remove-files` removes what it packs", span)
    if "--recursive-unlink" in parsed.switches:
        shell.unclear("`--recursive-unlink` removes folders that are there", span)
    places = _one_in_the_other(folders)
    if len(places) > 1 and "x" not in letters:
        for folder in places:  # which of them a file is taken from depends on where it stands
            on_path("read", folder, shell)
    if "--delete" in parsed.switches and archive is not None and "x" not in letters:
        on_path("edit", archive, shell)
        return None
    for names in lists:
        if "x" in letters or "t" in letters:
            on_path("read", names, shell) if names.text != "-" else None
        else:
            read_named(names, span, shell, options=True)
    if "x" in letters and (top is not None or "--one-top-level" in parsed.switches):
        top = top if top is not None and top.text else Arg(_own_folder(archive) or ".", span)
        places = _one_in_the_other([*folders, top])[-1:]
    naming = _naming(args[0].text, letters, archive, parsed, span, shell)
    told = not lists and not any(option.name in ("--transform", "--add-file") for option, _ in parsed.values)
    told = told and parsed.switches.isdisjoint(("-s", "-A", "-P", *_MEANING)) and not parsed.strange
    return _tar_does(letters, archive, places, parsed.operands, naming, span, shell, told=told)


# Switches that change what a name or a pattern means.
_MEANING = frozenset("--anchored --no-anchored --ignore-case --no-ignore-case --wildcards --no-wildcards".split())
_ENDINGS = tuple(".gz .bz2 .xz .zst .Z .lz .lzma .lzo .tar .tgz .tbz2 .tbz .txz .tzst".split())


def _naming(
    name: str, letters: str, archive: Arg | None, parsed: Parsed, span: tuple[int, int], shell: Shell
) -> tuple[tuple[str, str], ...]:
    """The options that decide under which names members land."""
    given = [(option.name, value.text) for option, value in parsed.values]
    naming = [("as", "any" if name.endswith("bsdtar") else "tar")]
    naming += [("strip", text) for option, text in given if option == "--strip-components"][-1:]
    changes = [text for option, text in given if option == "--transform"]
    if "x" in letters and (changes or (name.endswith("bsdtar") and "-s" in parsed.switches)):
        naming += [("change", changes[0])] if len(changes) == 1 else []
        if len(changes) != 1 or sed_change(changes, extended=False) is None:
            shell.unclear("it is unclear under which names `tar` unpacks", span)
    if not any(option == "-T" for option, _ in given):
        naming += [("only", member.text) for member in parsed.operands]
    if parsed.switches.isdisjoint(_MEANING):
        naming += [("skip", text) for option, text in given if option == "--exclude" and text[-1:] != "/"]
    return tuple(naming)


def _own_folder(archive: Arg | None) -> str:
    """The name that `--one-top-level` makes out of the archive's."""
    name = "" if archive is None else archive.text.rpartition("/")[2]
    while name.endswith(_ENDINGS):
        name = name.rpartition(".")[0]
    return name


def _compresses(command: Arg) -> bool:
    """`zstd -T0`: one known program with plain options. A shell takes the whole text."""
    words = command.text.split() if command.known else []
    plain = all(char.isalnum() or char in " -_=.," for char in command.text)
    return bool(words) and words[0] in _COMPRESSORS and plain and all(word[:1] == "-" for word in words[1:])


def _one_in_the_other(folders: list[Arg]) -> list[Arg]:
    """`-C /etc -C apt`: each of them is looked for in the one before."""
    found: list[Arg] = []
    for folder in folders:
        if found and folder.text[:1] != "/":
            before = found[-1]
            origin = before.origin or folder.origin
            folder = Arg(f"{before.text.rstrip('/')}/{folder.text}", folder.span, before.glob or folder.glob, origin)
        found.append(folder)
    return found


def read_named(names: Arg, span: tuple[int, int], shell: Shell, *, options: bool = False) -> None:
    """Files whose names stand in a file, or come by a pipe (`-`), are read. `options`: some lines may be options."""
    text = shell.stdin
    if names.text != "-":
        path = where(names, shell)
        on_path("read", names, shell)
        text = text_of(path, shell)
        known = shell.found.facts.scripts.get(path) if text is None else None
        if text is None and known is not None:
            text = Arg(known, names.span)
        elif text is None:
            shell.found.want(Script(path))
            if has_written(path, shell) or path in shell.found.facts.unread:
                text = Arg(NUL, names.span, origin=Origin("unread"))
    if text is None:
        return  # nothing is there
    if text.unknown or (not text.glob and len(text.text) > _LONGEST_LIST):
        shell.unclear(f"which files are taken depends on {text.why or 'a list that is too long'}", span)
        return
    for line in text.text.replace("\0", "\n").split("\n"):
        if options and line.startswith("-"):
            shell.unclear("a list of files with options in it", span)
        elif line:
            on_path("read", Arg(line, names.span, text.glob, text.origin if text.glob else None), shell)


def _tar_does(
    letters: str,
    archive: Arg | None,
    folders: list[Arg],
    members: list[Arg],
    naming: tuple[tuple[str, str], ...],
    span: tuple[int, int],
    shell: Shell,
    *,
    told: bool,
) -> Arg | None:
    """`told`: under which names files are packed stands in the words."""
    archive = archive if archive is not None and archive.text != "-" else None
    if archive is not None and is_remote(archive.text):
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
            for folder in (folders if members else folders[-1:]) or [Arg(".", span)]:
                unpack_into(folder, shell, archive, naming)
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
        if folders:
            inner = shell.copy()
            moved = [_moved(folder, shell) for folder in folders]
            inner.folders = None if None in moved else tuple(path for paths in moved for path in paths or ())
        for member in members:
            on_path("read", member, inner)
            if member.text[:1] == "@":  # to some, all that is in another archive
                on_path("read", Arg(member.text[1:], member.span, member.glob, member.origin), inner)
        if archive is not None:
            on_path("write", archive, shell)
        skips = tuple([pair for pair in naming if pair[0] == "skip"])
        return pack_into(archive, members, skips, span, inner, shell) if told else None
    emit(shell, span, name="exec:tar", effects=(), tags=())
    return None


def pack_into(
    archive: Arg | None,
    members: list[Arg],
    options: tuple[tuple[str, str], ...],
    span: tuple[int, int],
    inner: Shell,
    shell: Shell,
) -> Stream | None:
    """Keeps what an archive is made of, so that it can be listed when it is unpacked; the pipe, if it is one.

    `inner`: where the members are looked for.
    """
    if inner.folders is None or shell.folders is None or (archive is not None and not archive.known):
        return None
    given = stream(span, shell)
    into = given.path if archive is None else where(archive, shell)
    told = bool(members)
    for member in members:
        name = "/".join([part for part in member.text.split("/") if part not in ("", ".", "..")])
        for folder in inner.folders:
            path = _path_of(member, folder)
            if path is None or member.text[:1] == "@":
                told = False
            elif member.glob:
                below, _, pattern = path.rpartition("/")
                above = name.rpartition("/")[0]
                told = told and not is_wild(below)
                told = told and pack(below or "/", into, above, options, shell, pattern=loosened(pattern))
            else:
                told = pack(path, into, name, options, shell) and told
    if told and archive is not None:
        filled(into, span, shell)
    return given if told and archive is None else None


def _path_of(member: Arg, folder: str) -> str | None:
    try:
        return None if member.unknown else settle(member.text or ".", cwd=folder, home="/")
    except Unsettled:
        return None


def unpack_into(folder: Arg, shell: Shell, archive: Arg | None, naming: tuple[tuple[str, str], ...]) -> None:
    """Whatever the archive holds is in that folder now, under names that only the archive knows."""
    foreign = _is_foreign(archive, shell)
    naming = (*naming, ("asked", "1")) if foreign else naming
    paths = on_path("brings" if foreign else "write", folder, shell)
    for path in paths:
        told = _lays(archive, path, folder.span, naming, shell)
        brought(path, Origin("brought"), folder.span, shell)
        if told:
            filled(path, folder.span, shell)


def _lays(
    archive: Arg | None, into: str, span: tuple[int, int], naming: tuple[tuple[str, str], ...], shell: Shell
) -> bool:
    """Has the members listed; False if nobody can tell what they are."""
    if archive is not None and archive.text != "-":
        if archive.unknown or shell.folders is None:
            return False
        source = where(archive, shell)
        folder, _, pattern = source.rpartition("/")
        if not archive.glob and not is_wild(pattern):
            told = is_blind(source_of(source, shell), shell) is None
            lay(ARCHIVE, source, into, span, shell, naming)
            return told
        if is_wild(folder):
            return False
        told = is_blind(folder, shell, loosened(pattern)) is None
        lay(ARCHIVE, folder or "/", into, span, shell, (*naming, ("match", loosened(pattern))))
        return told
    if isinstance(shell.stdin, Stream):  # `tar c . | tar x -C there`, `git archive v1 | tar x`
        lay(ARCHIVE, shell.stdin.path, into, span, shell, naming)
        return True
    if source := poured_from(shell):
        told = is_blind(source, shell) is None
        lay(ARCHIVE, source, into, span, shell, naming)
        return told
    on_blind_pipe(into, naming, span, shell)
    return False


def is_wild(text: str) -> bool:
    return "*" in text or "?" in text or "[" in text


def _is_foreign(archive: Arg | None, shell: Shell) -> bool:
    """An archive that is not the project's: from the network, from another place, or of this session."""
    if archive is None or archive.text == "-":
        return reads_foreign(shell)
    return archive.unknown or shell.folders is None or is_foreign(where(archive, shell), shell)


def _moved(folder: Arg, shell: Shell) -> tuple[str, ...] | None:
    if not folder.known or shell.folders is None:
        return (folder.text,) if folder.known and folder.text.startswith("/") else None
    try:
        return tuple(settle(folder.text or ".", cwd=base, home="/") for base in shell.folders)
    except Unsettled:
        return None


def dd(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    given = dict(arg.text.partition("=")[::2] for arg in args[1:])
    for arg in args[1:]:
        name, equals, value = arg.text.partition("=")
        word = Arg(value, arg.span, arg.glob, arg.origin)
        if name == "if" and equals:
            if value not in ("/dev/zero", "/dev/urandom", "/dev/random", "/dev/null"):
                on_path("read", word, shell)
        elif name == "of" and equals:
            if not is_device(value, shell):
                if "notrunc" not in given.get("conv", ""):
                    written_over(word, shell)
                on_path(
                    "wipe" if value.startswith("/dev/") and not value.startswith("/dev/shm") else "write",  # noqa: S108
                    word,
                    shell,
                )
        elif arg.unknown:
            shell.unclear(f"an argument depends on {arg.why}", arg.span)
    if {"if", "of"} == given.keys() - {"bs", "status"} and shell.folders is not None and all(arg.known for arg in args):
        copied(where(Arg(given["if"], span), shell), where(Arg(given["of"], span), shell), span, shell)
    endless = given.get("if") in _ENDLESS and "count" not in given
    if given.get("of", "/dev/null") != "/dev/null" and (endless or much(given.get("bs", ""), given.get("count", ""))):
        emit(shell, span, name="fs:fill", effects=(Effect.WRITE,), tags=("exhausts",))
    if not any(arg.text.startswith(("if=", "of=")) for arg in args[1:]):
        emit(shell, span, name="exec:dd", effects=(), tags=())
    return None


def is_remote(text: str) -> bool:
    return text.startswith("rsync://") or (":" in text and "/" not in text.partition(":")[0])
