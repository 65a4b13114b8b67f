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
from .branches import at_the_same_time
from .numbers import evaluated, in_doubt, source_of
from .origins import LOOKED_UP, Origin, printed
from .parameters import parameter
from .sums import worked_out
from .words import NUL, Arg, Counted, Names, Unsure

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..shell.syntax import Part, Script
    from .state import Shell

    RunScript = Callable[["Script", "Shell"], "Arg | None"]

__all__ = ["MAX_BRACES", "expand_word", "expand_words", "is_glob", "join_word", "part_text"]

_DECLARES = frozenset(("declare", "export", "local", "readonly", "typeset"))
_OF_A_COMMAND = frozenset(("printed", "pipe", "file", "files", "rest-of-input"))
MAX_BRACES = 256  # words that one brace expression may become here; more are read as patterns
_MAX_COUNTED = 100_000  # words that it may become in the shell, which keeps all of them in memory


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
                found.append(Arg(text, word.span, quoted=True))
            else:
                found.append(Arg(text, word.span, "*" in text or "?" in text or ("[" in text and is_glob(text))))
        elif _is_declared(words, word):
            found.append(join_word(word, shell, run))
        else:
            found += expand_word(word, shell, run)
    return found


def _is_declared(words: list[Word], word: Word) -> bool:
    """`export x=$(ls)`: a new value is one word, as in any assignment."""
    first = word.parts[0]
    return words[0].plain in _DECLARES and type(first) is Lit and "=" in first.text[1:] and not first.quoted


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
    return _together(parts, word.span, shell, run)


def _together(parts: list[Part], span: tuple[int, int], shell: Shell, run: RunScript, *, quoted: bool = False) -> Arg:
    """Several parts as one text; `quoted`: inside double quotes."""
    text, glob, names = "", False, False
    origin: Origin | None = None
    for at, part in enumerate(parts):
        piece = part_text(part, shell, run)
        if type(piece) is Names and at == len(parts) - 1 and (not at or (at == 1 and text[-1:] == "=" and not quoted)):
            return Names(text + piece.text, span, piece.glob, piece.origin, quoted=True)  # all of it, or of a new value
        piece = _beside(piece, parts, at)
        text += piece.text
        glob = glob or piece.glob
        origin = piece.origin if origin is None or in_doubt(piece.origin) else origin
        names = names or (piece.glob and type(part) is not Lit)
    return _whole(text, span, glob, origin, True, names and len(parts) > 1)


def part_text(part: Part, shell: Shell, run: RunScript) -> Arg:
    """One part, without splitting."""
    kind = type(part)
    if kind is Lit:
        return Arg(part.text, part.span)  # type: ignore[union-attr]
    if kind is DoubleQuoted:
        return _together(part.parts, part.span, shell, run, quoted=True)  # type: ignore[union-attr]
    if kind is Param:
        values = parameter(part, shell, run, join_word)  # type: ignore[arg-type]
        if len(values) == 1:
            return values[0]
        if "IFS" in shell.variables:
            return Arg(NUL, part.span, origin=Origin("joined"))
        return Arg(" ".join(value.text for value in values), part.span, any(v.glob for v in values), quoted=True)
    if kind is CmdSub:
        return _substitute(part, shell, run)  # type: ignore[arg-type]
    if kind is ArithSub:
        pieces = [part_text(inner, shell, run) for inner in part.parts]  # type: ignore[union-attr]
        return _arithmetic(part, pieces, shell)  # type: ignore[arg-type]
    if kind is ProcSub:
        script = part.script  # type: ignore[union-attr]
        since = _so_far(shell)
        output = at_the_same_time(shell, lambda inner: run(script, inner))
        path = f"/dev/fd/{part.span[0]}"
        if part.direction == "<":  # type: ignore[union-attr]
            origin = source_of(script.commands, since, printed(), shell)
            shell.files[path] = output if output is not None else Arg(NUL, part.span, origin=origin)
        return Arg(path, part.span)
    if kind is Tilde:
        return _tilde(part, shell)  # type: ignore[arg-type]
    if kind is Opaque:
        shell.unclear(part.reason, part.span)  # type: ignore[union-attr]
        return Arg(NUL, part.span, origin=Origin("unread"))
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
        return Arg(NUL, part.span, origin=Origin("array"))
    return Arg(NUL, part.span, origin=Origin("unread"))


def _fields(parts: list[Part], span: tuple[int, int], shell: Shell, run: RunScript) -> list[Arg]:
    """Splitting: only what came from an unquoted expansion is split, at blanks of a known text."""
    fields: list[Arg] = []
    text, glob = "", False
    origin: Origin | None = None
    started = found = False
    quoted_only = True
    for at, part in enumerate(parts):
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
                if len(parts) == 1 and len(several) == 1 and type(several[0]) is Names:
                    return [Names(several[0].text, span, several[0].glob, several[0].origin)]
                for index, value in enumerate(several):
                    if index:
                        fields.append(_whole(text, span, glob, origin, True, found))
                        text, glob, origin = "", False, None
                    one = _beside(value, parts, at)
                    text, glob, origin, started = text + one.text, glob or one.glob, origin or one.origin, True
                    found = found or (one.glob and len(parts) > 1)
                continue
            piece = _beside(part_text(part, shell, run), parts, at, quoted=True)
            if len(parts) == 1 and type(piece) is Names:
                return [Names(piece.text, span, piece.glob, piece.origin, quoted=True)]
            text, glob, origin, started = text + piece.text, glob or piece.glob, origin or piece.origin, True
            found = found or (piece.glob and len(parts) > 1)
            continue
        quoted_only = False
        values = parameter(part, shell, run, join_word) if kind is Param else [part_text(part, shell, run)]  # type: ignore[arg-type]
        if kind not in (Param, CmdSub):
            for value in values:
                text, glob, origin, started = text + value.text, glob or value.glob, origin or value.origin, True
            continue
        if len(parts) == 1 and len(values) == 1 and type(values[0]) is Names:
            one = values[0]
            if "IFS" in shell.variables:
                return [Names(word.text, span, word.glob, word.origin) for word in _split(one, shell)[0]]
            return [Names(word, span, one.glob or is_glob(word), one.origin) for word in one.text.split()]
        for number, value in enumerate(values):
            pieces, starts_apart, ends_apart = _split(_beside(value, parts, at), shell)
            for index, piece in enumerate(pieces):
                if started and (index or number or starts_apart):
                    fields.append(_whole(text, span, glob, origin, False, found))
                    text, glob, origin = "", False, None
                text += piece.text
                glob = glob or piece.glob or is_glob(piece.text)
                origin, started = origin or piece.origin, True
                found = found or (piece.glob and len(parts) > 1)
            if started and (ends_apart or (starts_apart and not pieces)):
                fields.append(_whole(text, span, glob, origin, False, found))
                text, glob, origin, started = "", False, None, False
    if started:
        fields.append(_whole(text, span, glob, origin, quoted_only, found))
    return fields


def _split(value: Arg, shell: Shell) -> tuple[list[Arg], bool, bool]:
    """An unquoted value at its blanks: the pieces, and whether it begins or ends with one.

    A changed IFS cuts elsewhere; an unknown one makes the cut unknown.
    """
    blanks = " \t\n"
    if "IFS" in shell.variables:
        ifs = shell.variables["IFS"]
        if not ifs or not ifs[0].known:
            return [Arg(NUL, value.span, origin=Origin("split"))], False, False
        blanks = ifs[0].text
    text = value.text
    if value.glob and text.isprintable() and " " not in text:
        return [value], False, False  # names that the disk decides are one word each, as people mean them
    if not text or not blanks:
        return ([value] if text else []), False, False
    pieces = [text]
    for blank in blanks:
        pieces = [bit for piece in pieces for bit in piece.split(blank)]
    words = [Arg(piece, value.span, value.glob, value.origin) for piece in pieces if piece]
    return words, text[0] in blanks, text[-1] in blanks


def _all_parameters(part: DoubleQuoted, shell: Shell, run: RunScript) -> list[Arg] | None:
    if len(part.parts) == 1 and type(part.parts[0]) is Param:
        inner = part.parts[0]
        index = inner.index.parts if inner.index is not None else ()
        star = len(index) == 1 and type(index[0]) is Lit and index[0].text == "@"
        if inner.name == "@" or star:
            return parameter(inner, shell, run, join_word)
    return None


def _substitute(part: CmdSub, shell: Shell, run: RunScript) -> Arg:
    since = _so_far(shell)
    output = run(part.script, shell.copy())
    if output is None or (output.unknown and (output.origin is None or output.origin.kind in _OF_A_COMMAND)):
        other = printed() if output is None or output.origin is None else output.origin
        origin = source_of(part.script.commands, since, other, shell)
        return Arg(NUL if output is None else output.text, part.span, origin=origin)
    if type(output) is Counted:
        return Names("\n".join(map(str, output.numbers)), part.span)
    kind = Names if type(output) in (Names, Unsure) else Arg
    return kind(output.text.rstrip("\n"), part.span, output.glob, output.origin)


def _so_far(shell: Shell) -> tuple[int, int, int]:
    found = shell.found
    return len(found.actions), len(found.again), len(found.commands)


def _beside(piece: Arg, parts: list[Part], at: int, *, quoted: bool = False) -> Arg:
    """A piece that came from an expansion, with the other parts of its word around it.

    Of names it is not known whether there are any: if not, `$(ls -d out/*)/x` is `/x`; and if there are several, only
    one of them is beside the rest. A hash or a number with no slash after it may be there or not.
    """
    single = piece.glob and piece.text[:1] == "["  # a number, a hash
    if type(piece) is not Names:
        return piece if not single or len(parts) == 1 else Arg("*", piece.span, True, piece.origin)
    if len(parts) == 1:
        several = quoted and piece.glob and "\n" in piece.text
        return Arg(NUL, piece.span, origin=Origin("one-of-many")) if several else piece
    if single and all(type(other) is Lit and "/" not in other.text for other in parts[at + 1 :]):
        return Arg("*", piece.span, True, piece.origin)
    return Arg(NUL, piece.span, origin=LOOKED_UP if piece.origin == LOOKED_UP else Origin("no-names"))


def _whole(text: str, span: tuple[int, int], glob: bool, origin: Origin | None, quoted: bool, found: bool) -> Arg:
    """A word of several parts; `..` beside names that were `found` leads who knows where."""
    if found and ".." in text and any(part.strip("*[]0-9afz") == ".." for part in text.split("/")):
        return Arg(NUL, span, origin=Origin("up"))
    return Arg(text, span, glob, origin, quoted)


def _arithmetic(part: ArithSub, pieces: list[Arg], shell: Shell) -> Arg:
    """A number, worked out where all of it is known; what its variables hold matters in any case."""
    shell.found.breaks += 1  # a division by nothing ends the script
    for piece in pieces:
        evaluated(piece, shell, part.span)
    for inner in part.parts:
        if type(inner) is Lit:
            for name in _names(inner.text):
                for value in shell.variables.get(name, ()):
                    if value.known and not _is_number(value.text) and not value.text.isidentifier():
                        shell.unclear(f"the value of `{name}` is evaluated as arithmetic", part.span)
    number = None
    if all(type(piece) is Arg and piece.known for piece in pieces):
        number = worked_out("".join([piece.text for piece in pieces]), shell)
    return Arg("*", part.span, glob=True) if number is None else Arg(number, part.span, quoted=True)


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
    return Arg(NUL, part.span, origin=Origin("home-of", part.user))


def _braces(parts: list[Part], shell: Shell) -> list[list[Part]]:
    """Every combination of the alternatives, in the order of bash; just the parts where there are none."""
    done = None
    if _count(parts) <= _MAX_COUNTED:
        done = _combined(parts, shell, whole=True) or _combined(parts, shell, whole=False)
    if done is None:
        at = next(part.span for part in parts if type(part) is Brace)
        shell.unclear("a brace expression with too many words", at)
        return [[Lit(NUL, True, at)]]
    return done


def _combined(parts: list[Part], shell: Shell, *, whole: bool) -> list[list[Part]] | None:
    """None if there are too many. Not `whole`: of a sequence the patterns that its words match."""
    done: list[list[Part]] = [[]]
    for part in parts:
        if type(part) is not Brace:
            for combination in done:
                combination.append(part)
            continue
        if part.sequence is None:
            choices = _alternatives(part, shell)
        else:
            choices = (whole and _sequence(part)) or _patterns(part)
        if len(choices) * len(done) > MAX_BRACES or not choices:
            return None
        done = [[*combination, *choice] for combination in done for choice in choices]
    return done


def _alternatives(part: Brace, shell: Shell) -> list[list[Part]]:
    return [choice for word in part.alternatives for choice in _braces(word.parts, shell)]


def _count(parts: list[Part]) -> int:
    """How many words the shell makes of them."""
    words = 1
    for part in parts:
        if type(part) is Brace:
            words *= sum([_count(word.parts) for word in part.alternatives]) if part.sequence is None else _ends(part)
    return words


def _ends(part: Brace) -> int:
    first, last, step = part.sequence or ("", "", "")
    if first.isalpha():
        return abs(ord(first) - ord(last)) + 1
    return abs(int(first) - int(last)) // (abs(int(step or "1")) or 1) + 1


def _patterns(part: Brace) -> list[list[Part]]:
    """What a sequence counts through: digits, one pattern for each length, or letters; none of them has a sign."""
    first, last, _ = part.sequence or ("", "", "")
    if first.isdigit() and last.isdigit():
        padded = _width(first, last)
        shortest, longest = sorted((len(str(int(first))), len(str(int(last)))))
        lengths = range(max(shortest, padded), max(longest, padded) + 1)
        return [[Lit("[0-9]" * length, False, part.span)] for length in lengths]
    if first.isalpha() and last.isalpha() and first.islower() == last.islower():
        return [[Lit("[a-z]" if first.islower() else "[A-Z]", False, part.span)]]
    return []


def _width(first: str, last: str) -> int:
    """`{01..10}`: with a zero in front of either end all numbers are as long as the longer one; `0` alone is none."""
    padded = any(end.lstrip("+-").startswith("0") and len(end.lstrip("+-")) > 1 for end in (first, last))
    return max(len(first), len(last)) if padded else 0


def _sequence(part: Brace) -> list[list[Part]] | None:
    first, last, step = part.sequence or ("", "", "")
    try:
        if len(first) == 1 and first.isalpha() and len(last) == 1 and last.isalpha():
            numbers = _steps(ord(first), ord(last), int(step or "1"))
            return None if numbers is None else [[Lit(chr(n), True, part.span)] for n in numbers]
        numbers = _steps(int(first), int(last), int(step or "1"))
        width = _width(first, last)
        return None if numbers is None else [[Lit(str(n).zfill(width), True, part.span)] for n in numbers]
    except ValueError:
        return None


def _steps(first: int, last: int, step: int) -> list[int] | None:
    step = abs(step) or 1
    if abs(last - first) // step >= MAX_BRACES:
        return None
    return list(range(first, last + 1, step)) if last >= first else list(range(first, last - 1, -step))
