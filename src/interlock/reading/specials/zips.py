"""zip, unzip and 7z: switches of one or two letters that are bundled, taken back with a dash, or name a file.

None of the three parses as other programs do, and none says so: `unzip -l --l` unpacks, `zip -qTT CMD` runs a command,
`7z -O/etc` is `-o/etc`. What is not known among their switches is told.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.contents import brought
from ..evaluate.origins import Origin
from ..evaluate.words import NUL, Arg
from ..machine.acts import on_path
from ..machine.engine import act_on
from ..machine.options import parse as parse_options
from ..machine.places import where
from ..machine.strange import wild
from ..runs.wrappers import run_code
from .archives import pack_into, read_named, unpack_into

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..tables.spec import Program

__all__ = ["archive7", "pack_zip", "python_archive", "unzip"]


def unzip(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    for arg in args[1:]:
        if arg.text[:1] == "-" and ":" in arg.text:
            shell.unclear("`unzip -:` writes wherever the archive says", span)
        if arg.text[:1] == "-" and "-" in arg.text[1:].partition("d")[0] and arg.text not in ("--help", "--version"):
            shell.unclear("a dash within the options of `unzip` takes back what was asked for before it", arg.span)
    for archive in parsed.operands[:1]:
        on_path("read", archive, shell)
    if parsed.switches.isdisjoint(("-l", "-p", "-t", "-v")):
        into = next((value for option, value in parsed.values if option.name == "-d"), Arg(".", span))
        naming = [("as", "zip"), *([("flat", "1")] if "-j" in parsed.switches else [])]
        exact = not any(arg.text[:1] == "-" and "C" in arg.text for arg in args[1:])
        if exact and not any(option.name == "-x" for option, _ in parsed.values):  # it takes all words that follow
            naming += [("only", member.text) for member in parsed.operands[1:]]
        unpack_into(into, shell, parsed.operands[0] if parsed.operands else None, tuple(naming))
    return None


def python_archive(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`python -m zipfile -e A DIR`, `python -m tarfile -e A [DIR]`: the latter obeys `..` in some versions."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    output = act_on(row, parsed, args, span, shell)
    for archive in [value for option, value in parsed.values if option.name == "-e"]:
        into = parsed.operands[0] if parsed.operands else Arg(".", span)
        tar = row.name.endswith("tarfile")
        unpack_into(into, shell, archive, (("as", "tar"), ("loose", "1")) if tar else (("as", "zip"),))
    return output


# Switches of zip, longest first; those with a `:` take the rest of the word or the next one. Long name -> short one.
_ZIP = (
    "-b: -ds: -lf: -n: -O: -P: -s: -t: -tt: -TT: -UN: -Z: -i: -x: -A -B -c -C -d -db -dc -dd -dg -du -dv -D -DF -e -F "
    "-FF -FI -FS -f -fd -fz -g -h -h2 -H -j -J -k -l -la -li -ll -L -m -mm -MM -nw -o -p -q -r -R -RE -sb -sc -sd -sf "
    "-so -sp -su -sU -sv -T -u -U -v -V -VV -w -ws -ww -X -y -z -@ -$ -0 -1 -2 -3 -4 -5 -6 -7 -8 -9"
).split()
_ZIP_SHORT = {item.strip("-:"): item.endswith(":") for item in _ZIP}
_ZIP_LONG = {
    "temp-path": "b", "dot-size": "ds", "logfile-path": "lf", "suffixes": "n", "output-file": "O", "password": "P",
    "split-size": "s", "from-date": "t", "before-date": "tt", "unzip-command": "TT", "unicode": "UN",
    "compression-method": "Z", "include": "i", "exclude": "x", "move": "m", "delete": "d", "names-stdin": "@",
    "recurse-paths": "r", "recurse-patterns": "R", "quiet": "q", "verbose": "v", "test": "T", "update": "u",
    "freshen": "f", "junk-paths": "j", "symlinks": "y", "encrypt": "e", "grow": "g", "filesync": "FS",
    "no-dir-entries": "D", "strip-extra": "X", "show-files": "sf", "version": "v", "help": "h", "log-append": "la",
    "log-info": "li", "fix": "F", "fixfix": "FF", "latest-time": "o", "from-crlf": "ll", "to-crlf": "l",
    "difference-archive": "DF", "copy-entries": "U", "must-match": "MM", "more-help": "h2", "license": "L",
    "display-dots": "dd", "display-bytes": "db", "display-counts": "dc", "display-globaldots": "dg",
}  # fmt: skip


def pack_zip(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    given, names = _zip_words(args[1:], span, shell)
    switches = {name for name, _ in given}
    archive, members = (names[0], names[1:]) if names else (None, [])
    for name, value in given:
        if value is None:
            continue
        if name == "TT":
            run_code("code.sh", value, shell, span)
        elif name in ("b", "O", "lf"):
            on_path("write", value, shell)
    for member in members if "d" not in switches else ():
        on_path("read", member, shell)
        if "m" in switches:
            on_path("delete", member, shell)
    if "@" in switches:
        read_named(Arg("-", span), span, shell)
    if archive is not None and archive.text != "-":
        on_path("write" if switches.isdisjoint(("sf", "su", "sU", "h", "v")) or members else "read", archive, shell)
    if archive is None or not switches.isdisjoint(("@", "d", "U", "F", "FF", "O", "i")):
        return None
    if archive.known and archive.text != "-" and "." not in archive.text.rpartition("/")[2]:
        archive = Arg(archive.text + ".zip", archive.span)  # as it calls the file then
        brought(where(archive, shell), Origin("written"), span, shell)
    flat = (("flat", "1"),) if "j" in switches else ()
    return pack_into(None if archive.text == "-" else archive, members, flat, span, shell, shell)


def _zip_words(words: list[Arg], span: tuple[int, int], shell: Shell) -> tuple[list[tuple[str, Arg | None]], list[Arg]]:
    given: list[tuple[str, Arg | None]] = []
    names: list[Arg] = []
    words = list(words)
    while words:
        word = words.pop(0)
        text = word.text
        if word.unknown and text[:1] in (NUL, "-"):
            shell.unclear(f"an argument depends on {word.why}", word.span)
        elif text == "--":
            names += words
            break
        elif text[:2] == "--":
            name, equals, joined = text[2:].partition("=")
            fits = {short for long, short in _ZIP_LONG.items() if long.startswith(name.removesuffix("-"))}
            short = _ZIP_LONG.get(name, fits.pop() if len(fits) == 1 else "")
            if not short:
                shell.unclear(f"`{text[:40]}` is an unknown option", word.span)
                continue
            rest = Arg(joined, word.span, word.glob, word.origin) if equals else None
            given.append((short, (rest or (words.pop(0) if words else None)) if _ZIP_SHORT.get(short) else None))
        elif text[:1] == "-" and len(text) > 1:
            _zip_letters(word, words, given, shell)
        elif text == "@" and given and given[-1][0] in ("i", "x"):
            continue  # the end of a list of patterns
        else:
            if wild(word):
                shell.unclear("a file name that begins with a dash would be an option; `./*` is safe", word.span)
            names.append(word)
    return given, names


def _zip_letters(word: Arg, words: list[Arg], given: list[tuple[str, Arg | None]], shell: Shell) -> None:
    rest = word.text[1:]
    while rest:
        name = next((rest[:size] for size in (2, 1) if rest[:size] in _ZIP_SHORT), "")
        if not name:
            if rest != "-":  # `-r-` takes a letter back: too many do no harm
                shell.unclear(f"`-{rest[:20]}` is an unknown option", word.span)
            return
        rest = rest[len(name) :]
        if _ZIP_SHORT[name]:
            joined = rest.removeprefix("=")
            given.append(
                (name, Arg(joined, word.span, word.glob, word.origin) if joined else words.pop(0) if words else None)
            )
            return
        given.append((name, None))
        rest = rest[1:] if rest[:1] == "-" else rest


_PLAIN_7Z = (
    "-ad", "-ao", "-bb", "-bd", "-bs", "-bt", "-m", "-p", "-r", "-sa", "-scc", "-scrc", "-scs", "-slp", "-slt", "-sns",
    "-sni", "-snh", "-snl", "-spd", "-spe", "-ssc", "-ssp", "-ssw", "-stl", "-stm", "-stx", "-t", "-v", "-y", "-si",
    "-so", "-sdel", "-x", "-h", "-l",
)  # fmt: skip


def archive7(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`7z COMMAND ARCHIVE NAMES`: switches stand anywhere, in either case, each with its value right behind it."""
    words: list[Arg] = []
    switches: list[str] = []
    into = Arg(".", span)
    rest = list(args[1:])
    named: list[Arg] = []
    while rest:
        word = rest.pop(0)
        text = word.text
        lower = text.lower()
        value = Arg(text[2:], word.span, word.glob, word.origin)
        if text == "--":
            words += rest
            break
        if text[:1] != "-" or text == "-":
            words.append(word)
        elif lower.startswith("-o"):
            into = value
        elif lower.startswith("-w"):
            on_path("write", value if value.text else Arg(".", span), shell)
        elif lower.startswith("-i"):
            named.append(Arg(text[2:].lstrip("r0-"), word.span, word.glob, word.origin))
        elif lower.startswith(_PLAIN_7Z) and "@" not in text[:4]:
            switches.append(lower)
        else:
            shell.unclear(f"`{text[:40]}` is an unknown option".replace(NUL, "…"), word.span)
    if len(words) < 2 or not words[0].known:
        if words or not switches or any(switch not in ("-h", "-y") for switch in switches):
            shell.unclear("it is unclear what this program would do", span)
        return None
    command, archive, members = words[0].text.lower(), words[1], [*words[2:], *named]
    if command in ("x", "e"):
        on_path("read", archive, shell)
        if "-so" not in switches:
            flat = (("flat", "1"),) if command == "e" else ()
            unpack_into(into, shell, archive, (("as", "plain"), *flat))
    elif command in ("l", "t", "h"):
        on_path("read", archive, shell)
    elif command in ("a", "u"):
        for member in members:
            _pack7(member, shell, span, gone="-sdel" in switches)
        on_path("write", archive, shell)
        if not any(member.text[:1] in "@!" for member in members):
            last = [Arg(member.text.rstrip("/").rpartition("/")[2], member.span) for member in members]
            plain = [member for member, name in zip(members, last, strict=True) if name.text == member.text]
            if len(plain) == len(members):
                pack_into(archive, plain, (), span, shell, shell)
    elif command == "d":
        on_path("edit", archive, shell)
    else:
        shell.unclear("it is unclear what this program would do", span)
    return None


def _pack7(member: Arg, shell: Shell, span: tuple[int, int], *, gone: bool) -> None:
    """`src`, `!src`, or `@list`, a file with names in it."""
    name = Arg(member.text.removeprefix("!"), member.span, member.glob, member.origin)
    if name.text[:1] == "@":
        read_named(Arg(name.text[1:], member.span, member.glob, member.origin), span, shell)
        return
    on_path("read", name, shell)
    if gone:
        on_path("delete", name, shell)
