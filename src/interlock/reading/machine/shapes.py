"""What a program that nobody described was given, kept as a *shape*: what a yes to it is held to.

Of a command line the sub-command, the options and what lies outside the project; of a secret only that there was one.
The same words say of a tool's name whether it looks or acts.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from ...bytes.canon import digest
    from ...bytes.redact import is_suspicious, redact
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..places.secret_words import holds_token, names_secret
    from .acts import emit
else:
    digest = lazy(globals(), "...bytes.canon", "digest")
    is_suspicious = lazy(globals(), "...bytes.redact", "is_suspicious")
    redact = lazy(globals(), "...bytes.redact", "redact")
    holds_token = lazy(globals(), "..places.secret_words", "holds_token")
    names_secret = lazy(globals(), "..places.secret_words", "names_secret")
    emit = lazy(globals(), ".acts", "emit")

__all__ = [
    "LOOKS",
    "REMOVES",
    "in_short",
    "is_look",
    "may_be_shown",
    "only_looks",
    "run_apart",
    "run_unknown",
    "shape_of_words",
    "verb_of",
    "words_of",
]


_LONGEST = 120  # characters of one part of a shape; a longer one is kept as its digest
# The first word of a tool's name says whether it looks or acts. Only a person's yes makes anything of it.
LOOKS = frozenset(
    "browse check count describe diff download explain fetch find get grep head info inspect list look lookup ls open "
    "peek preview query read resolve retrieve search show stat status summarize tail tree validate view".split()
)
_SHOWS = frozenset(("--help", "-h", "--version", "-V"))
_PICTURES = frozenset(("screenshot", "snapshot"))
# A tool with such a word in its name runs what it is given.
_RUNS = frozenset("bash eval evaluate exec execute invoke run script shell terminal".split())
_ACTS = frozenset("add create drop edit insert put send set update upload write".split())
REMOVES = frozenset("clean clear delete destroy drop erase purge remove rm rmdir trash unlink wipe".split())


def words_of(name: str) -> list[str]:
    """`readFile` and `read_file` are `read` and `file`."""
    words, word = [], ""
    for at, char in enumerate(name):
        if char.isupper() and word and not name[at - 1].isupper():
            words.append(word)
            word = ""
        if char.isalnum():
            word += char.lower()
        elif word:
            words.append(word)
            word = ""
    return [*words, word] if word else words


def verb_of(tool: str) -> str:
    """`mcp__files__readFile` is `read`. What runs or changes something besides does not look."""
    words = words_of(tool.rpartition("__")[2])
    if not _RUNS.isdisjoint(words):
        return "run"
    first = words[0] if words else ""
    if words and words[-1] in _PICTURES:  # `take_screenshot`
        return words[-1]
    return first if first not in LOOKS else next((word for word in words if word in _ACTS | REMOVES), first)


def only_looks(tool: str) -> bool:
    return is_look(verb_of(tool))


def is_look(verb: str) -> bool:
    return verb in LOOKS or verb in _PICTURES


def may_be_shown(name: str, text: str, secrets: tuple[str, ...] = ()) -> bool:
    """Keys are kept, shown and sent to others: no part of one is or holds a secret."""
    from ...bytes.redact import MARK, redact

    line = f"{name}={text}"
    if MARK in text or names_secret(name.upper()) or holds_token(text) or redact(line) != line:
        return False
    return not any(word in text for word in secrets)


def shape_of_words(
    args: list[Arg], root: str, *, program: str = "", looks: bool = False, files: bool = False
) -> tuple[str, ...]:
    """The same of a command line: all words but for files of the project. Which of those it works on does not matter;
    which of them are settings or code does, so that one behind an option counts. `files`: all of them do.
    """
    said = [at for at, arg in enumerate(args) if at and args[at - 1].text in _MESSAGES]
    said += [at for at, arg in enumerate(args) if looks and " " in arg.text]  # what it looks for
    shown = _shown_words(program, args)
    parts = []
    for at, arg in enumerate(args):
        if at not in said:
            part = _word(arg, root, named=files) if arg.text in shown else ":secret"
            if not part and at and _may_take(args[at - 1].text) and _is_file(arg.text):
                part = f"{args[at - 1].text} {arg.text}"
            parts.append(part)
    return in_short(parts)


def _may_take(option: str) -> bool:
    """`-c FILE`: the file behind it may be what the program obeys, and not what it works on."""
    return option[:1] == "-" and len(option) > 1 and "=" not in option and option.lstrip("-") not in _MAKES


_MAKES = frozenset("o O out output q quiet v verbose w write fix n dry-run y yes f force i in-place check".split())


def _shown_words(program: str, args: list[Arg]) -> set[str]:
    """Words that are no secret where they stand: `--password hunter2` is one only behind its option."""
    line = " ".join([program, *[arg.text for arg in args]])
    if not is_suspicious(line):  # then no pair of its words is
        return {arg.text for arg in args}
    line = redact(line)
    pairs = [(args[at - 1].text if at else program, arg.text) for at, arg in enumerate(args)]
    return {text for before, text in pairs if text in line and redact(f"{before} {text}").endswith(f" {text}")}


_MESSAGES = frozenset("-m --message --title --body --description --comment --note".split())


def _word(arg: Arg, root: str, *, named: bool) -> str:
    text = arg.text
    if not arg.known:
        return "…"
    if text in _SHOWS:
        return ""
    if text[:1] == "-":
        return _option(text)
    outside = text[:1] == "/" and not text.startswith((root + "/", "/tmp/", "/var/tmp/"))  # noqa: S108 - only named
    if outside or text.startswith(("~", "..", "@")) or "/../" in text:
        return text
    if "://" in text:
        return text.partition("://")[2].partition("/")[0]
    return "" if (_is_file(text) and not named) or not may_be_shown("", text) else text


def _is_file(text: str) -> bool:
    """`src/a`, `notes.txt`; and not a host, a name or a sentence."""
    if any(char.isspace() or char in ":@" for char in text):
        return False
    _, dot, ending = text.rpartition(".")
    return "/" in text or (bool(dot) and ending in _ENDINGS)


_ENDINGS = frozenset(
    "bin c cc cfg conf cpp cs css csv db docx ex exs go gz h hpp htm html ini ipynb jar java jpeg jpg js json jsonl "
    "jsx kt lock log lua md mjs mp4 out parquet pdf php png proto ps1 py rb rs rst scss sh sql sqlite svg swift tar "
    "tex tf tgz toml ts tsv tsx txt vue wasm xlsx xml yaml yml zip".split()
)


def _option(text: str) -> str:
    """`--to=prod` as it is; of `-pPASSWORD`, and of a value that nobody may see, the option alone."""
    name, equals, value = text.partition("=")
    if not equals:
        return text if text[:2] == "--" or (text[1:].isalpha() and len(text) < 6) else text[:2]
    return text if may_be_shown(name.lstrip("-").replace("-", "_"), value) else name


def run_unknown(args: list[Arg], span: tuple[int, int], shell: Shell, *, nowhere: bool) -> None:
    """A program that is in no table. `nowhere`: there is none of that name."""
    name = args[0].text.rpartition("/")[2]
    shape = shape_of_words(args[1:], shell.found.facts.root, program=name, looks=only_looks(name))
    target: dict[str, str | bool | tuple[str, ...]] = {"given": shape} if shape and not nowhere else {}
    tags = ("nowhere",) if nowhere else ("unknown",)
    emit(shell, span, name=f"exec:{name}", effects=(Effect.EXECUTE,), tags=tags, target=target)


def run_apart(name: str, args: list[Arg], span: tuple[int, int], shell: Shell) -> None:
    """A job in the background: a yes to one is none to another."""
    shape = shape_of_words(args[1:], shell.found.facts.root, program=name, files=True)
    target: dict[str, str | bool | tuple[str, ...]] = {"program": name, **({"given": shape} if shape else {})}
    emit(shell, span, name="proc:spawn", effects=(Effect.SPAWN,), target=target)


def in_short(parts: list[str]) -> tuple[str, ...]:
    return tuple(sorted({_plain(part) for part in parts if part}))


def _plain(part: str) -> str:
    """A part that a scope can name as it is; else its digest."""
    if len(part) <= _LONGEST and "*" not in part and "?" not in part and "\n" not in part:
        return part
    return digest(part)
