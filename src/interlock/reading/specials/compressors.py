"""gzip and its kin: the file that they leave behind has another name than the one they are given.

`gunzip a.json.gz` writes `a.json`. What they are told to keep, to print or to name otherwise decides which files are
read, written and taken away; where the name is in the archive itself, anything in that folder may be written.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, lazy
from ..evaluate.words import Arg
from ..machine.acts import on_path
from ..machine.engine import act_on
from ..machine.options import parse as parse_options
from ..machine.places import where

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..lands.laid import copied
    from ..machine.options import Parsed
    from ..tables.spec import Program
else:
    copied = lazy(globals(), "..lands.laid", "copied")

__all__ = ["squeeze", "unseal"]

# ending -> what stands in its place once it is unpacked
_ENDINGS = {
    ".tgz": ".tar", ".taz": ".tar", ".tbz": ".tar", ".tbz2": ".tar", ".txz": ".tar", ".tlz": ".tar", ".tzst": ".tar",
    **dict.fromkeys((".gz", ".z", ".Z", ".bz2", ".bz", ".xz", ".lzma", ".zst", ".zstd", ".lz4", ".lz"), ""),
    **dict.fromkeys((".lzo", ".br"), ""),
}  # fmt: skip
_UNPACKS = frozenset("gunzip bunzip2 unxz unlzma unzstd unlz4 uncompress unpigz lunzip unbrotli".split())
_MAKES = {
    "bzip2": ".bz2", "pbzip2": ".bz2", "lbzip2": ".bz2", "xz": ".xz", "lzma": ".lzma", "zstd": ".zst", "lz4": ".lz4",
    "compress": ".Z", "lzip": ".lz", "brotli": ".br", "lzop": ".lzo",
}  # fmt: skip
_KEEPS = frozenset("zstd unzstd lz4 unlz4 brotli unbrotli zstdmt".split())  # unless they are told to remove it
_LOOKS = frozenset(("-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list", "--help", "--version", "-V"))


def squeeze(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Packs or unpacks each file in its own place; with `-c` it only prints."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    name = args[0].text.rpartition("/")[2]
    files = [arg for arg in parsed.operands if arg.text != "-"]
    plain = row.replace(operands="text*")
    if any(arg.text.startswith(("--files", "--filelist")) for arg in args[1:]):
        shell.unclear(f"which files `{name}` packs stands in a file", span)
    if not parsed.switches.isdisjoint(_LOOKS) or not files:
        for file in files:
            on_path("read", file, shell)
        return act_on(plain, parsed, args, span, shell)
    named = any(option.name in ("-o", "--output") for option, _ in parsed.values)
    unpacks = name in _UNPACKS or not parsed.switches.isdisjoint(("-d", "--decompress", "--uncompress"))
    keeps = (name in _KEEPS and "--rm" not in parsed.switches) or not parsed.switches.isdisjoint(("-k", "--keep"))
    for file in files:
        if "-r" in parsed.switches:
            on_path("edit", file, shell)  # a folder, and all that is in it
            continue
        on_path("read" if keeps or named else "edit", file, shell)
        if named:
            continue
        if unpacks and not parsed.switches.isdisjoint(("-N", "--name")):
            folder = file.text.rpartition("/")[0]
            on_path("write", Arg(folder or ".", file.span, file.glob, file.origin), shell)
        for other in _left(file, name, unpacks, _suffix(parsed)):
            on_path("write", other, shell)
            if file.known and shell.folders is not None:
                copied(where(file, shell), where(other, shell), span, shell)
    return act_on(plain, parsed, args, span, shell) if named else None


def unseal(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """gpg: a file and no command means that it is opened, into the name without its ending."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    told = not parsed.switches.isdisjoint(row.flags) and "--decrypt-files" not in [arg.text for arg in args]
    if not told and not any(option.name == "-o" for option, _ in parsed.values):
        for file in parsed.operands:
            stem, dot, ending = file.text.rpartition(".")
            if dot and ending in ("gpg", "pgp", "asc", "sig"):
                on_path("write", Arg(stem, file.span, file.glob, file.origin), shell)
    return act_on(row, parsed, args, span, shell)


def _suffix(parsed: Parsed) -> str:
    return next((value.text for option, value in parsed.values if option.name in ("-S", "--suffix")), "")


def _left(file: Arg, name: str, unpacks: bool, suffix: str) -> list[Arg]:
    """The file under its other name; `gunzip a` looks for `a.gz` too, and then leaves `a`."""
    text = file.text
    if not unpacks:
        return [Arg(text + (suffix or _MAKES.get(name, ".gz")), file.span, file.glob, file.origin)]
    if suffix and text.endswith(suffix):
        return [Arg(text.removesuffix(suffix), file.span, file.glob, file.origin)]
    for ending, instead in _ENDINGS.items():
        if text.endswith(ending) and len(text) > len(ending):
            return [Arg(text.removesuffix(ending) + instead, file.span, file.glob, file.origin)]
    return [file]
