"""What a manifest names, read as its own format says: the packages, and other places that they come from.

A pattern over the text sees one spelling of a dependency; TOML, XML and go.mod have many, and a known name beside a
hidden one would lend it a person's yes. So what has a grammar is read by it, and what does not fit it is None: the
caller asks. Build files that are programs (Gradle, sbt, Ruby, Elixir, Swift) are looked through as code elsewhere;
here their usual forms are found by pattern, so that the question can name the package.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any
    from xml.etree.ElementTree import Element

__all__ = ["Named", "by_pattern", "cargo", "catalog", "dotnet", "elements_of", "go", "maven", "pubspec", "toml_of"]


class Named(Value):
    """`packages` in the order of the file; `sources`: addresses of registries that it adds."""

    packages: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


def _named(packages: list[str], sources: list[str] | None = None) -> Named:
    return Named(packages=tuple(dict.fromkeys(packages)), sources=tuple(dict.fromkeys(sources or ())))


def by_pattern(words: str) -> Callable[[str], Named | None]:
    def reader(text: str) -> Named | None:
        return _named([name for match in re.finditer(words, text, re.MULTILINE) for name in match.groups() if name])

    return reader


# --- TOML ---------------------------------------------------------------------------------------------------------


def toml_of(text: str) -> dict[str, Any] | None:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        return None


_LISTS = ("dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies")
_FROM = ("git", "registry", "registry-index", "path", "base")  # keys that say where a crate comes from


def cargo(text: str) -> Named | None:
    data = toml_of(text)
    if data is None:
        return None
    scopes = [data, data.get("workspace"), *_values(data.get("target"))]
    tables = [scope.get(name) for scope in scopes if isinstance(scope, dict) for name in _LISTS]
    tables += [*_values(data.get("patch")), data.get("replace")]
    packages = []
    for table in tables:
        if table is not None and not isinstance(table, dict):
            return None
        packages += [_crate(name, given) for name, given in (table or {}).items()]
    return _named(packages)


def _crate(name: str, given: Any) -> str:
    """`serde`, and `serde@git:…` where it is another crate than the registry's of that name."""
    if not isinstance(given, dict):
        return name
    name = str(given.get("package", name))
    source = next((key for key in _FROM if key in given), None)
    return name if source is None else f"{name}@{source}:{given[source]}"


def catalog(text: str) -> Named | None:
    """Gradle's version catalog: `[libraries]` and `[plugins]`."""
    data = toml_of(text)
    if data is None:
        return None
    packages = []
    for given in (*_values(data.get("libraries")), *_values(data.get("plugins"))):
        if isinstance(given, dict):
            group = f"{given.get('group', '')}:{given.get('name', '')}"
            packages.append(str(given.get("module") or given.get("id") or group))
        else:
            packages.append(":".join(str(given).split(":")[:2]))
    return _named(packages)


def _values(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else []


# --- XML ----------------------------------------------------------------------------------------------------------


def elements_of(text: str) -> list[Element] | None:
    """Every element. A document type could declare more text than it shows, so one that has any is not read."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text or "\0" in text:
        return None
    import xml.etree.ElementTree as ElementTree  # noqa: PLR0402

    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - no document type, so no entities
    except (ElementTree.ParseError, ValueError, RecursionError):
        return None
    return list(root.iter())


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _text(element: Element, child: str) -> str:
    return next(((found.text or "").strip() for found in element if _tag(found) == child), "")


_REPOSITORIES = ("repository", "pluginRepository", "snapshotRepository", "mirror")


def maven(text: str) -> Named | None:
    """Whatever has an artifact and a version: dependencies, plugins, extensions, the parent. One without a version is
    settled elsewhere.
    """
    elements = elements_of(text)
    if elements is None:
        return None
    packages, sources = [], []
    for element in elements[1:]:
        artifact, group = _text(element, "artifactId"), _text(element, "groupId")
        if artifact and _text(element, "version"):
            packages.append(f"{group}:{artifact}" if group else artifact)
        if _tag(element) in _REPOSITORIES:
            sources.append(_text(element, "url"))
    return _named(packages, sources)


_REFERENCES = frozenset(
    "packagereference packagedownload packageversion globalpackagereference dotnetclitoolreference".split()
)
_SDK = "microsoft."  # those that come with the program


def dotnet(text: str) -> Named | None:
    """Names of items and attributes do not depend on their case."""
    elements = elements_of(text)
    if elements is None:
        return None
    packages, sources = [], []
    for element in elements:
        tag = _tag(element).lower()
        given = {name.lower(): value for name, value in element.attrib.items()}
        if tag in _REFERENCES:
            packages += [given[key] for key in ("include", "update") if given.get(key)]
        kits = given.get("sdk", "").split(";") if tag in ("project", "import") else []
        kits += [given["name"]] if tag == "sdk" and given.get("name") else []
        packages += [kit.strip() for kit in kits if kit.strip() and not kit.strip().lower().startswith(_SDK)]
        if tag.startswith("restore") and tag.endswith("sources"):
            sources += [part.strip() for part in (element.text or "").split(";") if part.strip()]
    return _named(packages, sources)


# --- go.mod -------------------------------------------------------------------------------------------------------

_SILENT = frozenset("module go toolchain exclude retract godebug ignore tool".split())


def go(text: str) -> Named | None:
    packages = []
    for verb, words in _directives(text):
        if verb in _SILENT:
            continue
        if verb == "require" and words:
            packages.append(words[0])
        elif verb == "replace" and "=>" in words[:-1]:
            packages.append(words[words.index("=>") + 1])
        else:
            return None
    return _named(packages)


def _directives(text: str) -> Iterator[tuple[str, list[str]]]:
    """`require ( a v1` … `)`: each line of a block with the verb that opened it."""
    block = ""
    for line in text.split("\n"):
        words = [word.strip('"`') for word in re.findall(r"\"[^\"]*\"|`[^`]*`|[()]|[^\s()\"`]+", _code(line))]
        if not words:
            continue
        if block:
            if words == [")"]:
                block = ""
            else:
                yield block, words
        elif words[-1] == "(" and len(words) == 2:
            block = words[0]
        else:
            yield words[0], words[1:]


def _code(line: str) -> str:
    """Without its comment. `//` stands in no path of a module."""
    return line.partition("//")[0]


# --- YAML ---------------------------------------------------------------------------------------------------------

_PUB = ("dependencies", "dev_dependencies", "dependency_overrides")
_HEAD = re.compile(r"([A-Za-z_][\w-]*):(?:\s+(.*))?")


def pubspec(text: str) -> Named | None:
    """Keys of block mappings, which is all that this file needs; quoted keys, flow mappings, anchors: not read."""
    packages: list[str] = []
    section, depth = "", 0
    for raw in text.split("\n"):
        line = raw.partition(" #")[0].rstrip()
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        indent = len(line) - len(line.lstrip(" "))
        head = _HEAD.fullmatch(line[indent:])
        if indent == 0:
            if head is None:
                return None
            section, depth = head[1], 0
            if section in _PUB and head[2] not in (None, ""):
                return None
        elif section in _PUB:
            depth = depth or indent
            if indent == depth:
                if head is None or (head[2] or "")[:1] in tuple("{&*!|>"):
                    return None
                packages.append(head[1])
    return _named(packages)
