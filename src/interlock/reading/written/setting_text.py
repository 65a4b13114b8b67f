"""What settings say, whatever their format: each value, with the keys above it; and whether one points to code.

JSON and TOML are read by their grammar. YAML, INI and their kin are read line by line in their plain forms; a text with
anything else in it is not read, and whoever asks has to take it for code. Nothing here knows a program: words that make
tools run or load something are much the same in all of them.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING, lazy
from .manifests import elements_of, toml_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any
    from xml.etree.ElementTree import Element

    from ..places.obeyed_content import relaxed

    Said = tuple[tuple[str, ...], str]  # the keys above a value, and the value
else:
    relaxed = lazy(globals(), "..places.obeyed_content", "relaxed")

__all__ = ["is_path", "is_plain_program", "points_to_code", "read_settings", "section_of"]

_LONGEST = 256 * 1024
_DEEPEST = 40

# --- formats ---------------------------------------------------------------------------------------------------------

_ESCAPED = re.compile(r"\\(?:u|U|x)[0-9a-fA-F{]")


def read_settings(name: str, text: str) -> list[Said] | None:
    """Every value of the text; None where it cannot be told for sure what it says."""
    if len(text) > _LONGEST or "\0" in text or _ESCAPED.search(text):
        return None
    name = name.lower()
    if name.endswith(".toml"):
        data = toml_of(text)
        return None if data is None else list(_flat(data, ()))
    start = text.lstrip("\ufeff \t\r\n")
    if name.endswith((".json", ".jsonc", ".json5")) or start[:1] == "{" or start[:2] in ("//", "/*"):
        found = relaxed(text if start[:1] != "[" else f'{{"": {text}}}') if start else {}
        return None if found is None else list(_flat(found, ()))
    if name.endswith((".xml", ".xml.dist")):
        elements = elements_of(text)
        return None if elements is None else list(_marked_up(elements))
    if name.endswith((".hcl", ".edn", ".nix", ".dhall", ".cue")):
        return None
    return _lines(text)


def _marked_up(elements: list[Element]) -> Iterator[Said]:
    for element in elements:
        tag = str(element.tag).rpartition("}")[2]
        yield (tag,), (element.text or "").strip()
        for key, value in element.attrib.items():
            yield ((tag, key) if key not in ("name", "value") else (tag,)), value


def section_of(name: str, text: str, program: str) -> list[Said] | None:
    """What a file that several programs share says to this one: `[tool.NAME]` of a pyproject.toml, else `[NAME]`."""
    if name == "pyproject.toml":
        data = toml_of(text)
        if data is None:
            return None if program in text else []
        tools = data.get("tool")
        section = tools.get(program) if isinstance(tools, dict) else None
        return [] if section is None else list(_flat(section, ()))
    found = _lines(text)
    if found is None:
        return None if f"[{program}" in text or f"[tool:{program}" in text else []
    return [(path[1:], value) for path, value in found if path and _is_section(path[0], program)]


def _is_section(section: str, program: str) -> bool:
    section = section.removeprefix("tool:")
    return section == program or section.startswith((f"{program}:", f"{program}-", f"{program}."))


def _flat(value: Any, path: tuple[str, ...]) -> Iterator[Said]:
    if isinstance(value, dict) and len(path) < _DEEPEST:
        if not value:
            yield path, ""
        for key, inner in value.items():
            yield from _flat(inner, (*path, str(key)))
    elif isinstance(value, list | tuple) and len(path) < _DEEPEST:
        for inner in value:
            yield from _flat(inner, path)
    else:
        yield path, value if isinstance(value, str) else "" if isinstance(value, bool) or value is None else str(value)


_KEY = re.compile(
    r"(?:\"(?P<double>[^\"\\]*)\"|'(?P<single>[^']*)'|(?P<bare>[\w@./*^+<-][\w@./*^+<>$|() -]*?))"
    r"\s*(?:\+?=|:(?=\s|$))\s*(?P<value>.*)",
    re.DOTALL,
)
_SECTION = re.compile(r"\[{1,2}([^\[\]]+)\]{1,2}\s*(?:[#;].*)?")
_BLOCK = re.compile(r"[|>][-+0-9]*\s*(?:#.*)?")
_FLOW = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^']|'')*)'|([^\[\]{},\"']+)|([\[\]{},])")


def _lines(text: str) -> list[Said] | None:
    found: list[Said] = []
    section: tuple[str, ...] = ()
    above: list[tuple[int, str]] = []  # keys that are open, each with its depth
    block = -1  # the depth of a key whose text goes on below it
    for raw in text.split("\n"):
        line = raw.rstrip()
        bare = line.lstrip()
        depth = len(line) - len(bare)
        if not bare:
            continue
        if block >= 0 and depth > block:
            found.append(((*section, *[key for _, key in above]), bare))
            continue
        block = -1
        if bare[0] in "#;" or bare[:3] in ("---", "...") or bare[:2] == "//":
            continue
        if "\t" in line[:depth] or not bare.isprintable():
            return None
        named = _SECTION.fullmatch(bare) if depth == 0 else None
        if named is not None:
            section, above = (named[1].strip(),), []
            continue
        item = False
        while bare[:2] == "- " or bare == "-":
            item, bare, depth = True, bare[2:].lstrip(), depth + len(bare) - len(bare[2:].lstrip())
        if not bare:
            continue
        if bare[0] in "?%":
            return None
        if not bare.strip("[]{}, "):  # of a list that goes over several lines
            continue
        head = _KEY.fullmatch(bare)
        if head is None or (item and not head["value"] and bare[-1] == "="):
            keys = [key for at, key in above if at < depth]
            if not item and not keys:
                return None
            found += _values((*section, *keys), bare)
            continue
        key = next(part for part in (head["double"], head["single"], head["bare"]) if part is not None).strip()
        above = [(at, other) for at, other in above if at < depth]
        above.append((depth, key))
        path = (*section, *[other for _, other in above])
        value = head["value"]
        if _BLOCK.fullmatch(value):
            block = depth
        else:
            found += _values(path, value)
    return found


def _values(path: tuple[str, ...], text: str) -> list[Said]:
    """The texts of one line: a scalar, or a list or map in brackets."""
    if text[:1] not in ("[", "{"):
        plain = text.partition(" #")[0].strip(" ,]}")
        if len(plain) > 1 and plain[0] in "\"'" and plain[-1] == plain[0]:
            plain = plain[1:-1]
        return [(path, plain)] if plain else []
    found: list[Said] = []
    key = ""
    for double, single, bare, mark in _FLOW.findall(text):
        if mark:
            key = key if mark not in ",}" else ""
            continue
        part = (double or single or bare).strip()
        name, colon, rest = part.partition(":") if bare else (part, "", "")
        if colon and (not rest or rest[:1] == " "):
            key, part = name.strip(), rest.strip()
        if part and part != ":":
            found.append(((*path, key) if key else path, part.removeprefix(":").strip()))
    return found


# --- words -----------------------------------------------------------------------------------------------------------

# Wherever one of these stands among the keys above a value, the value is run.
_RUN_BELOW = frozenset(
    "command commands cmd cmds exec execute script scripts hook hooks preprocessor preprocessors".split()
)
# But for these, which say something about it.
_BESIDE = frozenset(
    "filename package layout event events description name names stage stages timeout dir directory cwd workdir".split()
)
# The key itself: the value is run, or is code.
_RUN = frozenset(
    (
        "run runs shell program programs entrypoint launcher executable filter filters editor pager opener eval "
        "wrapper prebuild postbuild predeploy postdeploy onsuccess callback prerender postrender"
    ).split()
)
_RUN_TOGETHER = (
    frozenset(("external", "checks")),
    frozenset(("vault", "file")),
    frozenset(("password", "file")),
    frozenset(("library", "path")),
    frozenset(("on", "success")),
    frozenset(("pre", "build")),
    frozenset(("post", "build")),
    frozenset(("pre", "render")),
    frozenset(("post", "render")),
    frozenset(("plugins", "dir")),
    frozenset(("module", "path")),
    frozenset(("rules", "dir")),
)
# The value names what is loaded: a package that is there, or a file of anybody's.
_LOADS = frozenset(
    (
        "plugin plugins extend extends preset presets parser parsers require requires import imports loader loaders "
        "transform transforms transformer transformers reporter reporters resolver formatter formatters custom "
        "inherit inherits library libraries provider generator generators setup setups bootstrap binary bin tool "
        "tools local interpreter python runner runners callbacks processor processors syntax engine compiler linker "
        "init modules macros helper helpers checks path executor builder support"
    ).split()
)
# Below these, names of files are names: what is looked at, left out or made.
_LOOKED_AT = frozenset(
    (
        "include includes exclude excluded excludes ignore ignores ignored ignoring files file filename entry "
        "entries src source sources input inputs output outputs out omit test tests testmatch known glob globs "
        "pattern patterns match example examples message title description name names url link links docs rules "
        "words dictionary dictionaries root roots skip allow content contents assets public watch group header "
        "footer body project projects main extension extensions suffix suffixes collect coverage types typeroots "
        "alias aliases"
    ).split()
)
_INTERPRETERS = frozenset(("executable", "interpreter", "python", "compiler"))  # by a name that everybody knows: free
_LEFT_OUT = frozenset("exclude excludes excluded ignore ignores ignored ignoring omit skip select".split())
# Keys that hold a word of these and run nothing.
_PLAIN = frozenset(("script_location", "script-name", "include_paths", "scripts-prepend-node-path", "hooks_version"))
_TRIVIAL = frozenset(
    (
        "true false yes no on off null none ~ error warn warning info debug auto always never default all any 0 1 2 "
        "{} [] all-no one both"
    ).split()
)
_EVERYBODYS = frozenset(("vendor/autoload.php", "./vendor/autoload.php"))  # what installed packages are loaded by
_PROSE = frozenset(("header", "footer", "body", "message", "description", "title", "template"))
_CODE_ENDINGS = tuple(
    (
        ".js .cjs .mjs .jsx .ts .cts .mts .tsx .py .pyc .sh .bash .zsh .fish .rb .pl .pm .php .lua .so .dylib .dll "
        ".jar .class .wasm .node .ps1 .bat .cmd .exe .go .rs .ex .exs .r .jl .scm .el .vim .awk .tcl .groovy .kts"
    ).split()
)
_DATA_ENDINGS = tuple(
    (
        ".json .jsonc .json5 .yaml .yml .toml .ini .cfg .conf .txt .md .css .scss .less .xml .csv .html .env .lock "
        ".png .jpg .jpeg .gif .svg .webp .ico .ttf .otf .woff .woff2 .mp3 .mp4 .pdf"
    ).split()
)
_PATHS = ("./", "../", "/", "~", "<rootDir>", "file:", "http:", "https:", "git+", "git@", "\\", "$", "*")
_ACTS = re.compile(
    r"\$\(|`[^`]+`|<\(|!!python|!!js|!!ruby|\{[\{%][^}]*\b(?:exec|shell|sh|run|output|readFile|include_str|system|popen"
    r"|requiredEnv)\b|ProxyCommand|LocalCommand|LD_PRELOAD|NODE_OPTIONS|BASH_ENV|PYTHONSTARTUP"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def _words(key: str) -> frozenset[str]:
    return frozenset(re.split(r"[^a-z0-9]+", _CAMEL.sub("-", key).lower()))


def points_to_code(said: list[Said], more: tuple[str, ...] = ()) -> Said | None:
    """The first value with which a tool would run or load something that is not a package; None if there is none.

    `more`: words of this program's settings that run their value; `*`: every value does.
    """
    return next(((path, value) for path, value in said if _points(path, value, more)), None)


def _points(path: tuple[str, ...], value: str, more: tuple[str, ...]) -> bool:
    text = value.strip()
    if text.lower() in _TRIVIAL or text in _EVERYBODYS or not text or text.replace(".", "").isdigit():
        return False
    keys = [_words(key) for key in path if "/" not in key and key not in _PLAIN]
    last = keys[-1] if keys and path[-1] not in _PLAIN and "/" not in path[-1] else frozenset[str]()
    named = frozenset[str]().union(*keys)
    if "rules" in named:  # names of rules, and how strict they are
        return named.isdisjoint(_LOOKED_AT - {"rules"}) and _is_code(text)
    if _ACTS.search(text) and last.isdisjoint(_PROSE):
        return True
    below = not named.isdisjoint(_RUN_BELOW) and last.isdisjoint(_BESIDE)
    runs = below or not last.isdisjoint(_RUN) or any(both <= last for both in _RUN_TOGETHER)
    if runs or "*" in more or not named.isdisjoint(more):
        return last.isdisjoint(_INTERPRETERS) or not is_plain_program(text)
    if not last.isdisjoint(_LEFT_OUT):
        return False
    if not named.isdisjoint(_LOOKED_AT) and named.isdisjoint(_LOADS - {"path"}):
        return False
    if not named.isdisjoint(_LOADS):
        return is_path(text) or text[:1] == "*"
    return _is_code(text)


def is_path(text: str) -> bool:
    """Whether what is loaded is a file or an address, and no package; settings in a file of data are no code."""
    if text in (".", "./", ".."):
        return False
    return _is_code(text) or (text.startswith(_PATHS) and not text.lower().endswith(_DATA_ENDINGS))


def _is_code(text: str) -> bool:
    return any(
        word.lower().endswith(_CODE_ENDINGS) and "*" not in word and word[0] != "!" and "." in word[1:]
        for word in re.split(r"[\s,;|&]+", text)
        if word
    )


_INTERPRETER = re.compile(
    r"(?:(?:\./)?\.?venv/bin/|/usr/(?:local/)?bin/|node_modules/\.bin/)?"
    r"(?:python|pypy|node|ruby|perl|php|bash|sh|gcc|g\+\+|clang|clang\+\+|cc|c\+\+|gcov|llvm-cov)[0-9.-]*",
)


def is_plain_program(text: str) -> bool:
    """An interpreter or compiler by its name or version alone."""
    return _INTERPRETER.fullmatch(text) is not None or re.fullmatch(r"[0-9][0-9.x]*", text) is not None
