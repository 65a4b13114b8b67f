"""Obeyed files that are judged by what is written: most of what people put into them runs nothing.

A version, a list of packages or the width of a tab is everyday work; a path to a program is not. For each kind of file
a function says whether the step from the old text to the new one is harmless. What is not known to be harmless counts,
and so does a text that cannot be read. Where a text is not known at all, nobody is asked here: the row counts as it is.
"""

from __future__ import annotations

import re

from ...model.obeyed import NAMES
from ...model.wants import Script
from ...value import TYPE_CHECKING, FrozenMap
from .places import is_judged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ...model.call import Call
    from ...model.facts import Facts
    from ..evaluate.contents import Changed
    from ..evaluate.state import Found

    Judge = Callable[[str, str], bool]

__all__ = ["WHOLE", "edited", "is_harmless", "relaxed", "spare_in_shell", "spared"]

_LONGEST = 64 * 1024
_MARKS = frozenset(("obeyed", *NAMES.values()))


def is_harmless(path: str, old: str | None, new: str) -> bool:
    """Whether nobody obeys anything more after the change than before it. Both texts are whole; None: not known."""
    name = path.lower().rpartition("/")[2]
    judge = _JUDGES.get(name)
    if judge is None or (old is None and name in _HOLDS_CHECKS):
        return False
    old = old or ""
    return len(old) <= _LONGEST and len(new) <= _LONGEST and "\0" not in new and judge(old, new)


# Files from which something may be missing that protected: a filter that encrypts, a digest of what is brought.
_HOLDS_CHECKS = frozenset((".gitattributes", "gradle-wrapper.properties", "maven-wrapper.properties"))


# --- calls -----------------------------------------------------------------------------------------------------------


WHOLE = frozenset(("file_path", "path", "filePath", "absolute_path", "content"))  # a call that writes a whole file


def spared(path: str, call: Call, facts: Facts, *, new: bool) -> tuple[bool, tuple[Script, ...]]:
    """Whether a file tool writes only what is harmless into a judged file, and which fact would tell more."""
    old = "" if new else facts.scripts.get(path)
    known = () if old is not None or path in facts.unread else (Script(path),)
    content = call.input.get("content")
    if type(content) is str:
        if call.tool != "Write" or not WHOLE.issuperset(call.input):
            return False, ()
        if is_harmless(path, old, content):
            return True, ()
        return False, known  # what was in it already does not count
    if old is None:
        return False, known
    text = edited(old, call.input)
    return text is not None and is_harmless(path, old, text), ()


def edited(text: str, given: Mapping[str, Any]) -> str | None:
    """The text after the edits of a call; None where that is not plain to see."""
    edits = given.get("edits", (given,))
    for edit in edits if type(edits) is tuple else (None,):
        if edit is not given and type(edit) is not FrozenMap:
            return None
        old, new = edit.get("old_string"), edit.get("new_string")
        if type(old) is not str or type(new) is not str or not old or old not in text:
            return None
        if edit.get("replace_all") is True or text.count(old) == 1:
            text = text.replace(old, new)
        else:
            return None
    return text


def spare_in_shell(found: Found) -> None:
    """Takes the marks off writes of a command line that leave only harmless text in a judged file."""
    from ..evaluate.contents import Changed, Perhaps, likely_text

    facts = found.facts
    writes: dict[str, list[int]] = {}
    for at, action in enumerate(found.actions):
        path = action.target.get("path")
        if type(path) is str and "obeyed" in action.tags:
            writes.setdefault(path, []).append(at)
    old: str | None
    for path, indexes in writes.items():
        action = found.actions[indexes[0]]
        if len(indexes) != 1 or action.name != "fs:write" or "real" in action.target or "glob" in action.target:
            continue  # written twice, it may be obeyed in between
        held = found.files.get(path)
        if held is None or not is_judged(path, facts):
            continue
        inner = held.likely if isinstance(held, Perhaps) else held
        if isinstance(inner, Changed) and inner.base not in facts.scripts:
            if inner.base in facts.unread:
                continue
            found.want(Script(inner.base))
            new, old = _appended(inner, path, facts), ""
        else:
            new = likely_text(held, facts.scripts)
            old = "" if "new" in action.tags else facts.scripts.get(path)
        if new is None:
            continue
        if is_harmless(path, old, new):
            target = FrozenMap({key: value for key, value in action.target.items() if key != "obeyed"})
            tags = tuple([tag for tag in action.tags if tag not in _MARKS])
            found.actions[indexes[0]] = action.replace(tags=tags, target=target)
        elif old is None and path not in facts.unread:
            found.want(Script(path))


# Files of which every line counts by itself.
_BY_LINES = frozenset((".env",))


def _appended(held: Changed, path: str, facts: Facts) -> str | None:
    """What is put behind a text that nobody here can look at, as where the call is made on another machine. None where
    that is not all, or the file means something else by its beginning.
    """
    from ..evaluate.contents import Adding

    name = path.lower().rpartition("/")[2]
    if name not in _BY_LINES or held.base != path or path in facts.written:
        return None
    added = [change.more for change in held.changes if isinstance(change, Adding)]
    return "".join(added) if len(added) == len(held.changes) else None


# --- settings of VS Code ---------------------------------------------------------------------------------------------

# Settings that change how text looks, is searched or is laid out. None of them names a program, a path or an address.
_LOOKS = (
    "editor.", "files.", "search.", "explorer.", "diffeditor.", "breadcrumbs.", "outline.", "problems.", "zenmode.",
    "workbench.colorcustomizations", "workbench.colortheme", "workbench.icontheme", "workbench.editor.",
    "workbench.tree.", "workbench.startupeditor", "cspell.words", "cspell.ignorewords", "cspell.ignorepaths",
    "cspell.language", "typescript.preferences.", "javascript.preferences.", "typescript.format.", "javascript.format.",
    "typescript.inlayhints.", "javascript.inlayhints.", "typescript.suggest.", "javascript.suggest.",
    "python.analysis.typecheckingmode", "python.analysis.autoimportcompletions", "python.analysis.diagnosticmode",
    "python.testing.pytestenabled", "python.testing.unittestenabled", "eslint.validate", "eslint.format.enable",
    "prettier.singlequote", "prettier.semi", "prettier.tabwidth", "prettier.printwidth", "prettier.trailingcomma",
    "peacock.color", "emmet.includelanguages", "markdownlint.config", "todo-tree.general.tags",
)  # fmt: skip


def _vscode(old: str, new: str) -> bool:
    before, after = relaxed(old) if old.strip() else {}, relaxed(new) if new.strip() else {}
    if before is None or after is None:
        return False
    different = [key for key in {**before, **after} if before.get(key, _GONE) != after.get(key, _GONE)]
    return all(_is_looks(key, before.get(key), after.get(key)) for key in different)


_GONE = object()


def _is_looks(key: str, old: Any, new: Any) -> bool:
    name = key.lower()
    if name.startswith("[") and name.endswith("]"):  # the same for one language
        inner = {**(old if type(old) is dict else {}), **(new if type(new) is dict else {})}
        return (new is None or type(new) is dict) and all(part.lower().startswith(_LOOKS) for part in inner)
    return name.startswith(_LOOKS)


def relaxed(text: str) -> dict[str, Any] | None:
    """An object in JSON with comments and trailing commas, as editors take it; None if it is none."""
    import json

    made, at, last = list[str](), 0, ""
    while at < len(text):
        char = text[at]
        if char == '"':
            end = at + 1
            while end < len(text) and text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            made.append(text[at : end + 1])
            at, last = end + 1, '"'
            continue
        if text.startswith("//", at):
            at = text.find("\n", at)
            at = len(text) if at < 0 else at
            continue
        if text.startswith("/*", at):
            at = text.find("*/", at)
            at = len(text) if at < 0 else at + 2
            continue
        if char in "}]" and last == ",":
            made.pop(max(index for index, part in enumerate(made) if part == ","))
        if not char.isspace():
            last = char
        made.append(char)
        at += 1
    try:
        found = json.loads("".join(made), object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    return found if type(found) is dict else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key twice: which one counts is up to the reader")
    return dict(pairs)


# --- lists of lines --------------------------------------------------------------------------------------------------

# Drivers that git has built in, or that everybody has, and that run no program of the repository's choice.
_DRIVERS = frozenset(
    "ada bash bibtex cpp csharp css dts elixir fortran fountain golang html java kotlin markdown matlab objc pascal "
    "perl php python ruby rust scheme tex lfs text binary union ours astextplain".split()
)


def _gitattributes(old: str, new: str) -> bool:
    """Nothing but built-in drivers is named anew, and none is taken away: a filter may be what encrypts."""
    before, after = _drivers(old), _drivers(new)
    return all(line.rpartition("=")[2] in _DRIVERS for line in before ^ after) and "[attr]" not in new


def _drivers(text: str) -> set[str]:
    return {
        f"{line.split()[0]} {word}"
        for line in text.splitlines()
        if line.strip() and not line.lstrip().startswith("#")
        for word in line.split()[1:]
        if word.startswith(("filter=", "diff=", "merge="))
    }


def _tool_versions(old: str, new: str) -> bool:
    """Names and versions; no `path:`, no `ref:`, no template."""
    return all(_is_plain(word) for line in _added(old, new) for word in line.partition("#")[0].split())


_OF_VERSIONS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_+")


def _is_plain(word: str) -> bool:
    return bool(word) and not set(word) - _OF_VERSIONS and ".." not in word


def _added(old: str, new: str) -> list[str]:
    before = set(old.splitlines())
    return [line for line in new.splitlines() if line not in before]


_PUBLIC = {
    "distributionurl": ("https://services.gradle.org/distributions/", "https://repo.maven.apache.org/maven2/"),
    "wrapperurl": ("https://repo.maven.apache.org/maven2/",),
}
_IDLE_PROPERTIES = frozenset(
    "distributionsha256sum networktimeout validatedistributionurl distributionbase distributionpath zipstorebase "
    "zipstorepath wrapperversion distributiontype wrappersha256sum retries retrybackoffms".split()
)
_STANDARD_PROPERTIES = {
    "distributionbase": "GRADLE_USER_HOME",
    "distributionpath": "wrapper/dists",
    "validatedistributionurl": "true",
    "zipstorebase": "GRADLE_USER_HOME",
    "zipstorepath": "wrapper/dists",
}


def _wrapper(old: str, new: str) -> bool:
    """The build tool is brought from where its makers publish it; a check of what was brought is not taken away."""
    before, after = _properties(old), _properties(new)
    if before is None or after is None or not {key for key in before if key.endswith("sum")} <= set(after):
        return False
    for key, value in after.items():
        if before.get(key) == value:
            continue
        if key in _PUBLIC:
            if not value.replace("\\:", ":").startswith(_PUBLIC[key]) or ".." in value:
                return False
        elif key not in _IDLE_PROPERTIES or _STANDARD_PROPERTIES.get(key, value) != value:
            return False
    return True


def _properties(text: str) -> dict[str, str] | None:
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith(("#", "!")):
            continue
        key, equals, value = line.partition("=")
        if not equals or line.endswith("\\") or key.strip().lower() in found:
            return None
        found[key.strip().lower()] = value.strip()
    return found


# --- variables that agent hosts take from a folder -------------------------------------------------------------------

# Those that switch a host's hooks off, that start a program with it, or that load code into it and into its hooks. A
# name stands where an assignment begins, in whatever way readers of such files take one.
_UNHOOKING = re.compile(
    r"(?<![\w.-])((?:QWEN_CODE_(?:SIMPLE|SAFE_MODE)|(?:GEMINI_CLI|QWEN_CODE)_IDE_SERVER_STDIO_(?:COMMAND|ARGS)"
    r"|(?:GEMINI|QWEN)_SANDBOX\w*|NODE_OPTIONS|BUN_OPTIONS|BASH_ENV|SHELLOPTS|BASH_FUNC_[^=:\s]*|LD_\w+|DYLD_\w+"
    r"|GCONV_PATH|OPENSSL_(?:CONF|ENGINES|MODULES))\s*[=:])([^\r\n]*)",
    re.ASCII,
)
# Where their model, the way to it and what vouches for it are: whoever stands there is given the key and the words, and
# answers in the model's name.
_LEADS = re.compile(
    r"(?<![\w.-])((?:(?:GOOGLE_GEMINI|GEMINI|GOOGLE_VERTEX|OPENAI|ANTHROPIC|DASHSCOPE|QWEN)_(?:API_)?BASE(?:_URL)?"
    r"|CODE_ASSIST_ENDPOINT|(?i:https?_proxy|all_proxy)|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)"
    r"|NODE_TLS_REJECT_UNAUTHORIZED)\s*[=:])([^\r\n]*)",
    re.ASCII,
)
_USUAL = re.compile(
    r"(?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\]|host\.docker\.internal)(?::\d+)?(?:/[\w./-]*)?|1|"
    r"https://(?:api\.openai\.com|api\.anthropic\.com|generativelanguage\.googleapis\.com"
    r"|dashscope(?:-intl)?\.aliyuncs\.com)(?:/[\w./-]*)?",
    re.ASCII,
)
# Options of Node that only say how much memory it takes and what it tells.
_PLAIN_OPTION = re.compile(
    r"--(?:max[-_]old[-_]space[-_]size=\d+|stack[-_]trace[-_]limit=\d+|no-warnings|no-deprecation|trace-warnings"
    r"|trace-deprecation|enable-source-maps|experimental-vm-modules|openssl-legacy-provider)",
    re.ASCII,
)


def _dotenv(old: str, new: str) -> bool:
    return _unhooking(new) in ([], _unhooking(old))


def _unhooking(text: str) -> list[tuple[str, str]]:
    found = [
        (name, value)
        for name, value in _UNHOOKING.findall(text)
        if not (name.startswith("NODE_OPTIONS") and _is_plain_node(_unquoted(value)))
    ]
    found += [
        (name, value)
        for name, value in _LEADS.findall(text)
        if _unquoted(value) and not _USUAL.fullmatch(_unquoted(value))
    ]
    tail = re.split(r"[\r\n]", text)[-1].strip()
    return [*found, ("", tail)] if tail and _goes_on(tail) else found


def _goes_on(tail: str) -> bool:
    """Whether a last line without an end could become one of these: the next text that is added goes on with it, and
    may be judged before this one is on the disk.
    """
    if tail[0] == "#":
        return False
    return ("=" not in tail and ":" not in tail) or any(rows.search(tail) for rows in (_UNHOOKING, _LEADS))


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] in "\"'`" and value[-1] == value[0] else value


def _is_plain_node(value: str) -> bool:
    return all(_PLAIN_OPTION.fullmatch(word) for word in value.split())


# --- TOML and YAML ---------------------------------------------------------------------------------------------------


def _rust_toolchain(old: str, new: str) -> bool:
    """A release by its name. `path` runs the compiler of any folder."""
    if "[" not in new and "=" not in new:
        return all(_is_plain(word) for word in new.split())
    found = _toml(new)
    if found is None or set(found) - {"toolchain"}:
        return False
    toolchain = found.get("toolchain", {})
    if type(toolchain) is not dict or set(toolchain) - {"channel", "components", "targets", "profile"}:
        return False
    return all(_are_plain(value) for value in toolchain.values())


def _mise(old: str, new: str) -> bool:
    """Plain versions of plain tools, and tasks, which run when asked for. Templates, hooks and variables count."""
    before, after = _toml(old) if old.strip() else {}, _toml(new)
    if before is None or after is None or "{{" in new or "{%" in new or "{#" in new:
        return False
    for key, value in after.items():
        if before.get(key) == value or key in ("tasks", "min_version"):
            continue
        if key != "tools" or type(value) is not dict:
            return False
        if not all(_is_plain(name) and _are_plain(version) for name, version in value.items()):
            return False
    return True


def _are_plain(value: object) -> bool:
    if type(value) is list:
        return all(_are_plain(part) for part in value)
    return type(value) is str and _is_plain(value)


def _toml(text: str) -> dict[str, Any] | None:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


# Which packages there are, and in which version. Every other key says where from, or what runs.
_LISTS = frozenset(("packages", "catalog", "catalogs", "catalogMode", "overrides", "minimumReleaseAge"))
_FROM_ELSEWHERE = ("://", "file:", "link:", "portal:", "git+", "git@", "github:", "gitlab:", "bitbucket:", "gist:")


def _pnpm_workspace(old: str, new: str) -> bool:
    before, after = _sections(old), _sections(new)
    if before is None or after is None:
        return False
    different = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    return all(key in _LISTS and _names_versions(after.get(key, ())) for key in different)


def _names_versions(lines: tuple[str, ...]) -> bool:
    """No package that comes from an address or a folder: `x: https://…`, `x: file:../y`."""
    return not any(sign in line for line in lines for sign in _FROM_ELSEWHERE)


def _sections(text: str) -> dict[str, tuple[str, ...]] | None:
    """The top-level keys of plain YAML, each with its lines; None where it is not plain."""
    found: dict[str, tuple[str, ...]] = {}
    key = ""
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0] in " \t" or line.startswith("- "):
            if not key:
                return None
            found[key] += (line,)
            continue
        key, colon, rest = line.partition(":")
        if not colon or not key.isalnum() or key in found:
            return None
        found[key] = (rest,)
    return found


_JUDGES: dict[str, Judge] = {
    "settings.json": _vscode,
    ".gitattributes": _gitattributes,
    ".env": _dotenv,
    "pnpm-workspace.yaml": _pnpm_workspace,
    ".tool-versions": _tool_versions,
    **dict.fromkeys(("mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml"), _mise),
    **dict.fromkeys(("rust-toolchain.toml", "rust-toolchain"), _rust_toolchain),
    **dict.fromkeys(("gradle-wrapper.properties", "maven-wrapper.properties"), _wrapper),
}
