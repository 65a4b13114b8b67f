"""What a command prints, where that follows from its words: `$(echo rm)` is rm.

Only programs whose output is plain text work are here; anything else prints something unknown. What prints names
that the disk decides is in names.py. A text counts as known only if it is printed for sure: what was read from a file
that the call itself wrote, or came from a command that may be refused, is `Unsure`, and so is what is made of it.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..core.streams import ERRORS, OUTPUT
from ..machine.places import where
from .names import NAMES, same_lines
from .origins import DECODED, ENVIRONMENT, printed
from .processes import kept_number, listed, looked_up, noted_number
from .words import NUL, Arg, Names, Unsure, is_small_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..machine.options import Parsed
    from ..tables.spec import Program
    from .state import Shell

__all__ = ["MAX_TEXT", "echo_text", "output_of", "printf_text", "unescape", "unsure"]

MAX_TEXT = 100_000
_PAIR = "\ue000"  # stands for two backslashes while the text is searched
_DECIMAL = frozenset("0123456789")
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "\\": "\\",
    "e": "\x1b",
    "E": "\x1b",
    "'": "'",
    '"': '"',
    "?": "?",
}


def output_of(row: Program, args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    make = _PRINTS.get(row.action or row.name) or _PRINTS.get(row.name)
    if make is None:
        return None
    output = make(args, parsed, shell)
    if output is None or len(output.text) > MAX_TEXT:
        return None
    return unsure(output) if type(shell.stdin) is Unsure and output is not shell.stdin else output


def unsure(output: Arg | None) -> Arg | None:
    """The same text, which may also not be printed at all."""
    if output is None or type(output) is Names or output.unknown:
        return output
    return (Names if output.glob else Unsure)(output.text, output.span, output.glob, output.origin)


def _joined(args: list[Arg]) -> Arg | None:
    """All words with one blank between them, unknown parts kept."""
    if not args:
        return Arg("", (0, 0))
    text = " ".join(arg.text for arg in args)
    return Arg(text, args[0].span, any(arg.glob for arg in args), next((a.origin for a in args if a.origin), None))


def echo_text(args: list[Arg], span: tuple[int, int]) -> Arg | None:
    newline, escapes = "\n", False
    rest = list(args)
    while rest and len(rest[0].text) > 1 and rest[0].text[0] == "-" and not rest[0].text[1:].strip("neE"):
        flags = rest.pop(0).text
        newline = "" if "n" in flags else newline
        for flag in flags:
            escapes = flag == "e" or (escapes and flag != "E")
    joined = _joined(rest)
    if joined is None:
        return None
    if not escapes:
        return (Names if joined.glob else Arg)(joined.text + newline, span, joined.glob, joined.origin)
    kept, end, _ = joined.text.replace("\\\\", _PAIR).partition("\\c")  # nothing is printed after `\c`
    text = unescape(kept.replace(_PAIR, "\\\\"), "echo")
    origin = joined.origin or (DECODED if _in_numbers(joined.text) else None)
    return (Names if joined.glob else Arg)(text + ("" if end else newline), span, joined.glob, origin)


def _in_numbers(text: str) -> bool:
    """True if characters are written as their numbers: `\\x6c`, `\\154`, `\\u006c`."""
    return any(piece[:1] in _NUMBERS for piece in text.split("\\")[1:] if piece)


_NUMBERS = frozenset("xuU01234567")


def printf_text(args: list[Arg], span: tuple[int, int]) -> Arg | None:
    """`printf` with `%s`, `%b`, `%d`, `%c` and escapes, cut or padded; any other form prints something unknown."""
    if not args or not all(arg.known for arg in args):
        return Arg(NUL, span, origin=printed("printf")) if args else None
    template, values = unescape(args[0].text), [arg.text for arg in args[1:]]
    if template.count("%") != args[0].text.count("%"):  # one that is written as an escape is no directive
        return Arg(NUL, span, origin=printed("printf"))
    out = ""
    while True:
        used = False
        at = 0
        while at < len(template):
            char = template[at]
            if char != "%":
                out += char
                at += 1
                continue
            at += 1
            form = _run(template, at, "-0123456789.", 8)
            at += len(form)
            kind = template[at : at + 1]
            at += 1
            if kind == "%" and not form:
                out += "%"
                continue
            if kind not in ("s", "b", "d", "c", "x", "o") or (form and kind != "s"):
                return Arg(NUL, span, origin=printed("printf"))
            used = True
            value = values.pop(0) if values else ""
            if kind in ("x", "o", "d"):
                value = value or "0"
                if not _DECIMAL.issuperset(value) or (value[0] == "0" and len(value) > 1):
                    return Arg(NUL, span, origin=printed("printf"))
                if len(value) > 18:  # beyond what the shell counts with
                    return Arg(NUL, span, origin=printed("printf"))
                value = format(int(value), kind)
            elif kind == "b":
                if "\\c" in value:
                    return Arg(NUL, span, origin=printed("printf"))
                value = unescape(value, "printf %b")
            elif kind == "c":
                value = value[:1] or NUL
            elif form:
                cut = _cut(value, form)
                if cut is None:
                    return Arg(NUL, span, origin=printed("printf"))
                value = cut
            out += value
        if not values or not used or len(out) > MAX_TEXT:
            return Arg(out, span, origin=DECODED if any(_in_numbers(arg.text) for arg in args) else None)


def _cut(text: str, form: str) -> str | None:
    """`%-8.3s`: at most three characters, filled up to eight."""
    left = form.startswith("-")
    width, dot, most = form.removeprefix("-").partition(".")
    if not all(not number or (number.isdigit() and len(number) < 4) for number in (width, most)) or not text.isascii():
        return None
    text = text[: int(most or "0")] if dot else text
    return text.ljust(int(width or "0")) if left else text.rjust(int(width or "0"))


def unescape(text: str, how: str = "printf") -> str:
    """Backslash escapes. They differ: `echo -e` has octal digits only after `\\0`, and only there three more."""
    if "\\" not in text:
        return text
    out, at, raw = "", 0, False
    while at < len(text):
        char = text[at]
        at += 1
        if char != "\\" or at >= len(text):
            out += char
            continue
        kind = text[at]
        at += 1
        if kind == "x":
            digits = _run(text, at, "0123456789abcdefABCDEF", 2)
            at += len(digits)
            out += chr(int(digits, 16)) if digits else "\\x"
            raw = raw or (bool(digits) and int(digits, 16) > 127)
        elif kind in "01234567" and (kind == "0" or how != "echo"):
            digits = _run(text, at - 1, "01234567", 4 if kind == "0" and how != "printf" else 3)
            at += len(digits) - 1
            out += chr(int(digits, 8) & 255)
            raw = raw or int(digits, 8) & 255 > 127
        elif kind in "uU":
            digits = _run(text, at, "0123456789abcdefABCDEF", 4 if kind == "u" else 8)
            at += len(digits)
            out += chr(int(digits, 16)) if digits and int(digits, 16) < 0x110000 else "\\" + kind
        else:
            out += "\\" + kind if how != "printf" and kind in "'\"?" else _ESCAPES.get(kind, "\\" + kind)
    return out + NUL if raw else out  # bytes, which become characters together with what is around them


def _run(text: str, at: int, alphabet: str, most: int) -> str:
    end = at
    while end < len(text) and end - at < most and text[end] in alphabet:
        end += 1
    return text[at:end]


def _cat(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    if parsed.switches:
        return None
    if not parsed.operands or [arg.text for arg in parsed.operands] == ["-"]:
        return shell.stdin
    return _in_file(parsed.operands[0], shell) if len(parsed.operands) == 1 else None


def _in_file(arg: Arg, shell: Shell) -> Arg | None:
    """What this call has left in a file, if it could write it; what a substitution prints into its own name is sure."""
    path = where(arg, shell)
    known = shell.files.get(path)
    number = noted_number(path, arg.span, shell)
    if number is not None:
        return number
    if known is None and path.endswith(".pid"):
        return kept_number(path, arg.span, shell)
    if known is None or not known.known or path.startswith("/dev/fd/"):
        return known if known is not None and known.known else None
    return Unsure(known.text, arg.span, False, known.origin)


def _from_stdin(
    name: str, change: Callable[[str, list[str], set[str]], str | None], files: bool = True
) -> Callable[..., Arg | None]:
    """What a filter makes of a known text: of the file that it is given (`files`), or else of its input."""

    def make(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
        if args[0].text.rpartition("/")[2] != name or not all(arg.known for arg in args) or parsed.strange:
            return None
        source = shell.stdin
        if files and parsed.operands:
            if len(parsed.operands) > 1:
                return None
            if parsed.operands[0].text != "-":
                source = _in_file(parsed.operands[0], shell)
        if source is None or not source.known:
            return None
        words = [arg.text for arg in parsed.operands] + [value.text for _, value in parsed.values]
        text = change(source.text, words, parsed.switches)
        if text is None:
            return None
        decoded = name in _DECODES and (name != "base64" or bool(parsed.switches & _DECODING)) and text != source.text
        return type(source)(text, args[0].span, origin=DECODED if decoded else None)

    return make


_DECODES = frozenset(("base64", "xxd", "rev", "tr"))
_DECODING = {"-d", "-D", "--decode", "decode"}


def _base64(text: str, words: list[str], switches: set[str]) -> str | None:
    from binascii import Error, a2b_base64, b2a_base64

    try:
        if switches & _DECODING:
            plain = "".join(text.split("\n"))
            if "-i" in switches:
                plain = "".join(char for char in plain if char.isascii() and (char.isalnum() or char in "+/="))
            return a2b_base64(plain.encode(), strict_mode=True).decode()
        return b2a_base64(text.encode()).decode() if len(text.encode()) <= 57 and not words else None
    except (Error, ValueError):
        return None


def _xxd(text: str, words: list[str], switches: set[str]) -> str | None:
    if switches not in ({"-r", "-p"}, {"-r", "-ps"}, {"-r", "-plain"}):
        return None
    try:
        return bytes.fromhex("".join(text.split())).decode()
    except ValueError:
        return None


def _rev(text: str, words: list[str], switches: set[str]) -> str | None:
    return "\n".join(line[::-1] for line in text.split("\n"))


def _tr(text: str, words: list[str], switches: set[str]) -> str | None:
    sets = [_characters(word) for word in words]
    if any(chars is None for chars in sets) or switches - {"-d"}:
        return None
    if "-d" in switches and len(sets) == 1:
        return "".join(char for char in text if char not in (sets[0] or ""))
    if len(sets) == 2 and sets[0] and sets[1]:
        second = sets[1] + sets[1][-1] * (len(sets[0]) - len(sets[1]))
        return text.translate({ord(a): b for a, b in zip(sets[0], second, strict=False)})
    return None


_CLASSES = {"[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9"}


def _characters(text: str) -> str | None:
    """A set of `tr`: plain characters, ranges, and the classes of letters; other classes are not followed."""
    for name, letters in _CLASSES.items():
        text = text.replace(name, letters)
    text = unescape(text)
    if "[:" in text or "[=" in text or "*]" in text:
        return None
    out, at = "", 0
    while at < len(text):
        if at + 2 < len(text) and text[at + 1] == "-":
            first, last = ord(text[at]), ord(text[at + 2])
            if last < first or last - first > 256:
                return None
            out += "".join(map(chr, range(first, last + 1)))
            at += 3
        else:
            out += text[at]
            at += 1
    return out


def _tee(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    """What comes in goes on, and into the files."""
    flowing = shell.stdin
    if flowing is not None and flowing.known:
        if any(arg.text in OUTPUT or arg.text in ERRORS for arg in parsed.operands):
            return Arg(NUL, args[0].span, origin=printed("tee"))  # twice, where both lead to the same place
        for arg in parsed.operands:
            if arg.known and "-a" not in parsed.switches and shell.folders is not None and len(shell.folders) == 1:
                shell.files[where(arg, shell)] = flowing
    return flowing


def _head(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    """The first lines of a known text, `head -n 5` and `head -5`; names stay names."""
    numbers = [arg.text[1:] for arg in parsed.strange] or [value.text for _, value in parsed.values] or ["10"]
    source = shell.stdin
    if parsed.operands:
        source = _in_file(parsed.operands[0], shell) if len(parsed.operands) == 1 else None
    plain = len(numbers) == 1 and is_small_number(numbers[0]) and not parsed.switches & {"-c", "-z", "-v"}
    if source is None or not source.known or not plain or any(option.name == "-c" for option, _ in parsed.values):
        return same_lines(args, parsed, shell)
    lines = source.text.split("\n")
    count = int(numbers[0])
    text = source.text if count >= len(lines) else "".join([line + "\n" for line in lines[:count]])
    return type(source)(text, args[0].span, origin=source.origin)


def _environment(args: list[Arg], parsed: Parsed, shell: Shell) -> Arg | None:
    return None if parsed.operands else Arg(NUL, args[0].span, origin=ENVIRONMENT)


_PRINTS: dict[str, Callable[..., Arg | None]] = {
    "cat": _cat,
    "base64": _from_stdin("base64", _base64),
    "xxd": _from_stdin("xxd", _xxd),
    "rev": _from_stdin("rev", _rev),
    "tr": _from_stdin("tr", _tr, files=False),
    "printenv": _environment,
    "ps": listed,
    "pgrep": looked_up,
    "pidof": looked_up,
    "lsof": looked_up,
    "head": _head,
    "tee": _tee,
    **NAMES,
}
