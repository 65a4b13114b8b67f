"""Words to arguments: quoting, parameters, substitutions, braces, tildes, splitting, globs.

What cannot be known stays in the word as an unknown part. Substitutions are followed as they are
met, wherever they hide, through `run_script`, which the walker hands in.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..shell.syntax import (
    ArithSub,
    ArrayLit,
    Brace,
    CmdSub,
    DoubleQuoted,
    ExtGlob,
    Lit,
    Opaque,
    Param,
    ProcSub,
    Tilde,
    Word,
)
from .parameters import parameter
from .words import NUL, Arg

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..shell.syntax import Part, Script
    from .state import Shell

    RunScript = Callable[["Script", "Shell"], "Arg | None"]

__all__ = ["MAX_BRACES", "expand_word", "expand_words", "is_glob", "join_word", "part_text"]

MAX_BRACES = 256  # words that one brace expression may become


def is_glob(text: str) -> bool:
    """True if the shell would look for names: a lone bracket is itself."""
    return "*" in text or "?" in text or ("[" in text and "]" in text[text.find("[") + 1 :])


def expand_words(words: list[Word], shell: Shell, run: RunScript) -> list[Arg]:
    found: list[Arg] = []
    for word in words:
        plain = word.plain
        if plain is not None:  # by far the most common word
            found.append(Arg(plain, word.span))
            continue
        parts = word.parts
        part = parts[0]
        if type(part) is Lit and len(parts) == 1:
            text = part.text
            if part.quoted:
                found.append(Arg(text, word.span, False, "", True))
            else:
                found.append(Arg(text, word.span, "*" in text or "?" in text or ("[" in text and is_glob(text))))
        else:
            found += expand_word(word, shell, run)
    return found


def expand_word(word: Word, shell: Shell, run: RunScript) -> list[Arg]:
    """The arguments that one word becomes: none, one or several."""
    found: list[Arg] = []
    for alternative in _braces(word.parts, shell):
        found.extend(_fields(alternative, word.span, shell, run))
    return found


def join_word(word: Word, shell: Shell, run: RunScript) -> Arg:
    """The word as one argument, as in an assignment or after `<<<`: no splitting, no globs, no braces."""
    if word.plain is not None:
        return Arg(word.plain, word.span, quoted=True)
    parts = word.parts
    if len(parts) == 1 and type(parts[0]) is Lit:
        return Arg(parts[0].text, word.span, quoted=True)
    text, glob, why = "", False, ""
    for part in parts:
        piece = part_text(part, shell, run)
        text += piece.text
        glob = glob or piece.glob
        why = why or piece.why
    return Arg(text, word.span, glob, why, quoted=True)


def part_text(part: Part, shell: Shell, run: RunScript) -> Arg:
    """One part, without splitting."""
    kind = type(part)
    if kind is Lit:
        return Arg(part.text, part.span)  # type: ignore[union-attr]
    if kind is DoubleQuoted:
        text, glob, why = "", False, ""
        for inner in part.parts:  # type: ignore[union-attr]
            piece = part_text(inner, shell, run)
            text += piece.text
            glob = glob or piece.glob
            why = why or piece.why
        return Arg(text, part.span, glob, why, quoted=True)
    if kind is Param:
        values = parameter(part, shell, run)  # type: ignore[arg-type]
        if len(values) == 1:
            return values[0]
        if "IFS" in shell.variables:
            return Arg(NUL, part.span, why="it is joined with a changed IFS")
        return Arg(" ".join(value.text for value in values), part.span, any(v.glob for v in values), quoted=True)
    if kind is CmdSub:
        return _substitute(part, shell, run)  # type: ignore[arg-type]
    if kind is ArithSub:
        for inner in part.parts:  # type: ignore[union-attr]
            part_text(inner, shell, run)
        return _arithmetic(part, shell)  # type: ignore[arg-type]
    if kind is ProcSub:
        output = run(part.script, shell.copy())  # type: ignore[union-attr]
        path = f"/dev/fd/{part.span[0]}"
        if part.direction == "<":  # type: ignore[union-attr]
            shell.files[path] = output if output is not None else Arg(NUL, part.span, why="what a command prints")
        return Arg(path, part.span)
    if kind is Tilde:
        return _tilde(part, shell)  # type: ignore[arg-type]
    if kind is Opaque:
        shell.unclear(part.reason, part.span)  # type: ignore[union-attr]
        return Arg(NUL, part.span, why="it could not be read")
    if kind is Brace:
        words = [join_word(word, shell, run).text for word in part.alternatives]  # type: ignore[union-attr]
        return Arg("{" + ",".join(words) + "}", part.span)
    if kind is ExtGlob:
        for word in part.alternatives:  # type: ignore[union-attr]
            join_word(word, shell, run)
        return Arg("*", part.span, glob=True)
    if kind is ArrayLit:
        for item in part.items:  # type: ignore[union-attr]
            join_word(item.value, shell, run)
        return Arg(NUL, part.span, why="an array")
    return Arg(NUL, part.span, why="it could not be read")


def _fields(parts: list[Part], span: tuple[int, int], shell: Shell, run: RunScript) -> list[Arg]:
    """Splitting: only what came from an unquoted expansion is split, at blanks of a known text."""
    fields: list[Arg] = []
    text, glob, why = "", False, ""
    started = quoted_only = False
    quoted_only = True
    for part in parts:
        kind = type(part)
        if kind is Lit:
            text += part.text  # type: ignore[union-attr]
            started = True
            if not part.quoted:  # type: ignore[union-attr]
                quoted_only = False
                glob = glob or is_glob(part.text)  # type: ignore[union-attr]
            continue
        if kind is DoubleQuoted:
            several = _all_parameters(part, shell, run)  # type: ignore[arg-type]
            if several is not None:  # "$@" and "${a[@]}": one word for each, none for none
                for index, value in enumerate(several):
                    if index:
                        fields.append(Arg(text, span, glob, why, quoted=True))
                        text, glob, why = "", False, ""
                    text, glob, why, started = text + value.text, glob or value.glob, why or value.why, True
                continue
            piece = part_text(part, shell, run)
            text, glob, why, started = text + piece.text, glob or piece.glob, why or piece.why, True
            continue
        quoted_only = False
        values = parameter(part, shell, run) if kind is Param else [part_text(part, shell, run)]  # type: ignore[arg-type]
        if kind not in (Param, CmdSub):
            for value in values:
                text, glob, why, started = text + value.text, glob or value.glob, why or value.why, True
            continue
        for number, value in enumerate(values):
            pieces, starts_apart, ends_apart = _split(value, shell)
            for index, piece in enumerate(pieces):
                if started and (index or number or starts_apart):
                    fields.append(Arg(text, span, glob, why))
                    text, glob, why = "", False, ""
                text += piece.text
                glob = glob or piece.glob or is_glob(piece.text)
                why, started = why or piece.why, True
            if started and (ends_apart or (starts_apart and not pieces)):
                fields.append(Arg(text, span, glob, why))
                text, glob, why, started = "", False, "", False
    if started:
        fields.append(Arg(text, span, glob, why, quoted=quoted_only))
    return fields


def _split(value: Arg, shell: Shell) -> tuple[list[Arg], bool, bool]:
    """An unquoted value at its blanks: the pieces, and whether it begins or ends with one.

    A changed IFS cuts elsewhere; an unknown one makes the cut unknown.
    """
    blanks = " \t\n"
    if "IFS" in shell.variables:
        ifs = shell.variables["IFS"]
        if not ifs or not ifs[0].known:
            return [Arg(NUL, value.span, why="it is split at an unknown IFS")], False, False
        blanks = ifs[0].text
    text = value.text
    if value.glob and NUL not in text and "\n" not in text:
        return [value], False, False  # names that the disk decides are one word each, as people mean them
    if not text or not blanks:
        return ([value] if text else []), False, False
    pieces = [text]
    for blank in blanks:
        pieces = [bit for piece in pieces for bit in piece.split(blank)]
    words = [Arg(piece, value.span, value.glob, value.why) for piece in pieces if piece]
    return words, text[0] in blanks, text[-1] in blanks


def _all_parameters(part: DoubleQuoted, shell: Shell, run: RunScript) -> list[Arg] | None:
    if len(part.parts) == 1 and type(part.parts[0]) is Param:
        inner = part.parts[0]
        index = inner.index.parts if inner.index is not None else ()
        star = len(index) == 1 and type(index[0]) is Lit and index[0].text == "@"
        if inner.name == "@" or star:
            return parameter(inner, shell, run)
    return None


def _substitute(part: CmdSub, shell: Shell, run: RunScript) -> Arg:
    output = run(part.script, shell.copy())
    if output is None:
        return Arg(NUL, part.span, why="what a command prints")
    return Arg(output.text.rstrip("\n"), part.span, output.glob, output.why)


def _arithmetic(part: ArithSub, shell: Shell) -> Arg:
    """A number: which one does not matter, but what its variables hold does."""
    for inner in part.parts:
        if type(inner) is Lit:
            for name in _names(inner.text):
                for value in shell.variables.get(name, ()):
                    if value.known and not _is_number(value.text) and not value.text.isidentifier():
                        shell.unclear(f"the value of `{name}` is evaluated as arithmetic", part.span)
    return Arg("*", part.span, glob=True)


def _names(text: str) -> list[str]:
    names, word = [], ""
    for char in text + " ":
        if char.isalnum() or char == "_":
            word += char
        else:
            if word and not word[0].isdigit():
                names.append(word)
            word = ""
    return names


def _is_number(text: str) -> bool:
    text = text.strip().lstrip("+-")
    return not text or text.isdigit() or (text[:2].lower() == "0x" and text[2:].isalnum())


def _tilde(part: Tilde, shell: Shell) -> Arg:
    if part.user == "":
        home = shell.variables.get("HOME")
        if home:
            return home[0]
        return Arg(shell.found.facts.home, part.span)
    if part.user == "+" and shell.folders is not None and len(shell.folders) == 1:
        return Arg(shell.folders[0], part.span)
    return Arg(NUL, part.span, why=f"the folder ~{part.user}")


def _braces(parts: list[Part], shell: Shell) -> list[list[Part]]:
    """Every combination of the alternatives, in the order of bash; just the parts where there are none."""
    done: list[list[Part]] = [[]]
    for part in parts:
        if type(part) is not Brace:
            for combination in done:
                combination.append(part)
            continue
        choices = _sequence(part) if part.sequence is not None else _alternatives(part, shell)
        if choices is None or len(choices) * len(done) > MAX_BRACES:
            shell.unclear("a brace expression with too many words", part.span)
            return [[Lit(NUL, True, part.span)]]
        done = [[*combination, *choice] for combination in done for choice in choices]
    return done


def _alternatives(part: Brace, shell: Shell) -> list[list[Part]]:
    return [choice for word in part.alternatives for choice in _braces(word.parts, shell)]


def _sequence(part: Brace) -> list[list[Part]] | None:
    first, last, step = part.sequence or ("", "", "")
    try:
        if len(first) == 1 and first.isalpha() and len(last) == 1 and last.isalpha():
            numbers = _steps(ord(first), ord(last), int(step or "1"))
            return None if numbers is None else [[Lit(chr(n), True, part.span)] for n in numbers]
        numbers = _steps(int(first), int(last), int(step or "1"))
        width = (
            max(len(first), len(last)) if first.lstrip("-").startswith("0") or last.lstrip("-").startswith("0") else 0
        )
        return None if numbers is None else [[Lit(str(n).zfill(width), True, part.span)] for n in numbers]
    except ValueError:
        return None


def _steps(first: int, last: int, step: int) -> list[int] | None:
    step = abs(step) or 1
    if abs(last - first) // step >= MAX_BRACES:
        return None
    return list(range(first, last + 1, step)) if last >= first else list(range(first, last - 1, -step))
