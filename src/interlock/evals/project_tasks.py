"""The tasks that a project offers to whoever works on it, as the commands that one would type.

Goals of its Makefile, scripts of package.json, environments of tox, sessions of nox, scripts of hatch and pdm, its own
scripts/, and the commands in its README. Only names are looked at here: what they do is for the reading to find out.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

__all__ = ["KINDS", "tasks_of"]

_Files = Mapping[str, str]  # path in the project -> its text

_GOAL = re.compile(r"^([A-Za-z0-9][\w./-]*)\s*:(?!=)", re.MULTILINE)
_SESSION = re.compile(r"@nox\.session[^\n]*\n(?:@[^\n]*\n)*def (\w+)")
_FENCED = re.compile(r"^```[ ]?(?:sh|bash|shell|console|zsh)\b[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_RST = re.compile(r"^\.\. code(?:-block)?:: (?:sh|bash|shell|console)\n((?:\n|[ \t]+[^\n]*\n)+)", re.MULTILINE)


def tasks_of(files: _Files) -> list[tuple[str, str]]:
    """Kind and command of each, in order and once."""
    found = [(kind, command) for kind, list_of in KINDS.items() for command in list_of(files)]
    return list(dict.fromkeys(found))


def _make(files: _Files) -> Iterator[str]:
    text = files.get("Makefile", "")
    for goal in dict.fromkeys(_GOAL.findall(text)):
        if "%" not in goal and "/" not in goal:
            yield f"make {goal}"


def _npm(files: _Files) -> Iterator[str]:
    for name in _table(_json(files.get("package.json")), "scripts"):
        yield "npm test" if name == "test" else f"npm run {name}"


def _tox(files: _Files) -> Iterator[str]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(files.get("tox.ini", ""))
    except configparser.Error:
        return
    if parser.sections():
        yield "tox"
    for section in parser.sections():
        if section.startswith("testenv:"):
            yield f"tox -e {section.partition(':')[2].split(',')[0].split('{')[0].strip('-') or 'py'}"


def _nox(files: _Files) -> Iterator[str]:
    for session in _SESSION.findall(files.get("noxfile.py", "")):
        yield f"nox -s {session}"


def _pyproject(files: _Files) -> Iterator[str]:
    tools = _table(_toml(files.get("pyproject.toml")), "tool")
    for name, environment in _table(tools, "hatch", "envs").items():
        for script in _table(environment, "scripts"):
            yield f"hatch run {script}" if name == "default" else f"hatch run {name}:{script}"
    for script in _table(tools, "pdm", "scripts"):
        yield f"pdm run {script}"
    for script in _table(tools, "poe", "tasks"):
        yield f"poe {script}"
    for name in _table(tools, "tox", "env"):
        yield f"tox -e {name}"


def _scripts(files: _Files) -> Iterator[str]:
    for path, text in files.items():
        folder, _, name = path.rpartition("/")
        if folder not in ("scripts", "script", "tools", "bin"):
            continue
        if name.endswith(".sh"):
            yield f"bash {path}"
        elif name.endswith(".py") and "__main__" in text:
            yield f"python {path}"
        elif text.startswith("#!") and "." not in name:
            yield f"./{path}"


def _readme(files: _Files) -> Iterator[str]:
    for name in ("README.md", "README.rst"):
        text = files.get(name, "")
        for block in (*_FENCED.findall(text), *_RST.findall(text)):
            yield from _commands(block)


def _commands(block: str) -> Iterator[str]:
    """The commands of a block: of a session those behind a prompt, else all lines, those that go on put together."""
    lines = [line.strip() for line in block.replace("\\\n", " ").splitlines()]
    prompts = [line[2:].strip() for line in lines if line[:2] in ("$ ", "% ")]
    for line in prompts or lines:
        if line and not line.startswith(("#", ":")):
            yield line


def _json(text: str | None) -> Any:
    try:
        return json.loads(text or "{}")
    except ValueError:
        return {}


def _toml(text: str | None) -> Any:
    try:
        return tomllib.loads(text or "")
    except tomllib.TOMLDecodeError:
        return {}


def _table(value: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


# kind of task -> where the commands come from
KINDS: Mapping[str, Callable[[_Files], Iterator[str]]] = {
    "make": _make,
    "npm": _npm,
    "tox": _tox,
    "nox": _nox,
    "pyproject": _pyproject,
    "scripts": _scripts,
    "readme": _readme,
}
