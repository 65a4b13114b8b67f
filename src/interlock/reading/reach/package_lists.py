"""What manifests and lock files name, and where their packages come from: one strict reader for each format.

A reader answers None for a text that it cannot follow in full: then nothing is named, and whoever asked goes on as if
the file were not there. Lock files are written by machines, so they are read line by line in the shape that their
program writes. An escape or a text over several lines could hide a line, and is not read.
"""

from __future__ import annotations

import re

from ...bytes.strict import parse_object
from ...limits import MAX_LIST_BYTES
from ...model.errors import InputError
from ...value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

__all__ = ["FILES", "Files", "Listed", "hosts_in", "is_manifest", "listed_in", "plain_name"]


class Listed(Value):
    """`names`: package -> what the file asks for or holds of it; `sources`: hosts, or git, that packages come from."""

    names: Mapping[str, tuple[str, ...]] = FrozenMap({})
    sources: tuple[str, ...] = ()


class Files(Value):
    """
    The files of one language that say which packages there are and where they come from.

    manifests  what people write
    locks      lock file -> the programs that obey it
    settings   files of the project that may name another registry
    person     the same of the person, below the home folder or from the root
    """

    manifests: tuple[str, ...]
    locks: Mapping[str, frozenset[str]]
    settings: tuple[str, ...] = ()
    person: tuple[str, ...] = ()


def _files(manifests: str, locks: Mapping[str, str], settings: str = "", person: str = "") -> Files:
    return Files(
        manifests=tuple(manifests.split()),
        locks=FrozenMap({name: frozenset(programs.split()) for name, programs in locks.items()}),
        settings=tuple(settings.split()),
        person=tuple(person.split()),
    )


_NPM = "npm npx ni cnpm"
FILES: Mapping[str, Files] = FrozenMap({
    "node": _files(
        "package.json",
        {"package-lock.json": _NPM, "npm-shrinkwrap.json": _NPM, "pnpm-lock.yaml": "pnpm pnpx",
         "yarn.lock": "yarn yarnpkg", "bun.lock": "bun bunx"},
        ".npmrc .yarnrc .yarnrc.yml bunfig.toml",
        "~/.npmrc ~/.yarnrc ~/.yarnrc.yml ~/.bunfig.toml ~/.config/pnpm/rc /etc/npmrc /usr/etc/npmrc",
    ),
    "python": _files(
        "pyproject.toml Pipfile requirements*.txt requirements*.in",
        {"uv.lock": "uv uvx", "poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv"},
        "uv.toml pip.conf poetry.toml",
        "~/.config/pip/pip.conf ~/.pip/pip.conf ~/.config/uv/uv.toml ~/.config/pypoetry/config.toml /etc/pip.conf "
        "/etc/uv/uv.toml",
    ),
    "rust": _files("Cargo.toml", {"Cargo.lock": "cargo"}, ".cargo/config.toml .cargo/config",
                   "~/.cargo/config.toml ~/.cargo/config"),
    "go": _files("go.mod", {"go.sum": "go"}, person="~/.config/go/env"),
    "ruby": _files("Gemfile", {"Gemfile.lock": "bundle bundler"}, ".bundle/config", "~/.bundle/config ~/.gemrc"),
    "php": _files("composer.json", {"composer.lock": "composer"}, person="~/.config/composer/config.json "
                  "~/.composer/config.json"),
})  # fmt: skip

# Where packages of a language come from unless something says otherwise.
_USUAL: Mapping[str, frozenset[str]] = FrozenMap({
    "node": frozenset("registry.npmjs.org registry.yarnpkg.com jsr.io npm.jsr.io".split()),
    "python": frozenset("pypi.org files.pythonhosted.org download.pytorch.org download-r2.pytorch.org".split()),
    "rust": frozenset("crates.io index.crates.io static.crates.io".split()),
    "go": frozenset("proxy.golang.org sum.golang.org".split()),
    "ruby": frozenset("rubygems.org index.rubygems.org".split()),
    "php": frozenset("packagist.org repo.packagist.org api.github.com".split()),
})  # fmt: skip
_CRATES = "registry+https://github.com/rust-lang/crates.io-index"
_ADDRESS = re.compile(r"[A-Za-z0-9+.-]+://[^\s\"'<>,;)}\]]*")


def is_manifest(collection: str, name: str) -> bool:
    """`requirements-dev.txt` and its kind by their pattern, all others by their name."""
    starts = [pattern.partition("*") for pattern in FILES[collection].manifests]
    return any(name == start if not star else name.startswith(start) and name.endswith(end)
               for start, star, end in starts)  # fmt: skip


def plain_name(collection: str, name: str) -> str:
    """A name as its registry compares it."""
    if collection == "python":
        return re.sub(r"[-_.]+", "-", name.strip().lower())
    return name.strip().lower() if collection == "php" else name.strip()


def hosts_in(collection: str, text: str) -> tuple[str, ...]:
    """The hosts of all addresses in a file of settings that are not where packages usually come from."""
    lines = [line for line in text.split("\n") if not line.lstrip().startswith(("#", ";", "//"))]
    named = (
        [] if collection != "node" else [line.partition("=") for line in lines if "${" in line and "://" not in line]
    )
    # A registry that is all in a variable may be any.
    hidden = [value.strip() for key, _, value in named if key.strip().endswith("registry")]
    return (*_hosts(collection, _ADDRESS.findall("\n".join(lines))), *dict.fromkeys(hidden))


def _hosts(collection: str, addresses: list[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for address in addresses:
        if address.startswith(_CRATES):
            continue
        scheme, _, rest = address.rpartition("://")
        host = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2].lower().removesuffix(":443")
        if scheme in ("", "file", "path") or (host in _USUAL[collection] and scheme.rpartition("+")[2] == "https"):
            continue
        found[host or scheme] = None
    return tuple(found)


def listed_in(collection: str, name: str, text: str) -> Listed | None:
    """What the file of this name holds; None where it cannot be followed."""
    reader = _READERS.get(name) or (_requirements if name.endswith((".txt", ".in")) else None)
    if reader is None or "\0" in text:
        return None
    try:
        pairs, addresses = reader(text)
    except (InputError, ValueError, KeyError, TypeError, AttributeError, RecursionError, UnicodeError):
        return None
    names: dict[str, list[str]] = {}
    for package, version in pairs:
        held = names.setdefault(plain_name(collection, package), [])
        if version and version not in held:
            held.append(version)
    return Listed(
        names=FrozenMap({package: tuple(versions) for package, versions in names.items() if package}),
        sources=_hosts(collection, addresses),
    )


# --- JSON ----------------------------------------------------------------------------------------------------------

_Found = tuple["list[tuple[str, str]]", "list[str]"]  # (package, what is asked for), addresses
_NODE_LISTS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


def _json(text: str) -> Mapping[str, Any]:
    return parse_object(text.encode(), limit=MAX_LIST_BYTES)


def _table(value: Any) -> Mapping[str, Any]:
    if value is None:
        return FrozenMap({})
    if not isinstance(value, (FrozenMap, dict)):
        raise ValueError("no table")
    return value


def _texts(value: Any) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, (list, tuple)) or not all(isinstance(text, str) for text in value):
        raise ValueError("no list of texts")
    return list(value)


def _package_json(text: str) -> _Found:
    data = _json(text)
    pairs = [(name, str(version)) for key in _NODE_LISTS for name, version in _table(data.get(key)).items()]
    return pairs, []


def _package_lock(text: str) -> _Found:
    data = _json(text)
    pairs: list[tuple[str, str]] = []
    addresses: list[str] = []
    for path, held in _table(data.get("packages")).items():
        if path and not held.get("link"):
            _of_npm(str(held.get("name") or path.rpartition("node_modules/")[2]), held, pairs, addresses)
    if "packages" not in data:
        left = list(_table(data.get("dependencies")).items())
        while left:
            name, held = left.pop()
            _of_npm(name, held, pairs, addresses)
            left += _table(held.get("dependencies")).items()
    return pairs, addresses


def _of_npm(name: str, held: Mapping[str, Any], pairs: list[tuple[str, str]], addresses: list[str]) -> None:
    resolved, version = held.get("resolved", ""), held.get("version", "")
    if not isinstance(resolved, str) or not isinstance(version, str):
        raise ValueError("no text")
    pairs.append((name, version))
    addresses += [address for address in (resolved, version) if "://" in address]


def _composer_json(text: str) -> _Found:
    data = _json(text)
    pairs = [(name, str(given)) for key in ("require", "require-dev") for name, given in _table(data.get(key)).items()]
    sources = data.get("repositories") or ()
    return pairs, _ADDRESS.findall(str(sources)) if sources else []


def _composer_lock(text: str) -> _Found:
    data = _json(text)
    pairs: list[tuple[str, str]] = []
    addresses: list[str] = []
    for held in (*(data.get("packages") or ()), *(data.get("packages-dev") or ())):
        pairs.append((str(held["name"]), str(held["version"])))
        addresses.append(str(_table(held.get("dist")).get("url") or _table(held.get("source")).get("url", "")))
    return pairs, [address for address in addresses if "://" in address]


def _pipfile_lock(text: str) -> _Found:
    data = _json(text)
    pairs = [(name, str(_table(held).get("version", ""))) for key in ("default", "develop")
             for name, held in _table(data.get(key)).items()]  # fmt: skip
    beside = {key: value for key, value in data.items() if key != "_meta"}
    sources = [str(_table(one).get("url", "")) for one in _table(data.get("_meta")).get("sources") or ()]
    return pairs, [*sources, *_ADDRESS.findall(str(beside))]


# --- TOML ----------------------------------------------------------------------------------------------------------


def _toml(text: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text)


_WORDS_OF_NAME = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(.*)", re.DOTALL)


def _requirement(text: str) -> tuple[str, str]:
    """`flask[async]>=3; marker` as (flask, >=3)."""
    found = _WORDS_OF_NAME.fullmatch(text)
    if found is None:
        raise ValueError("no requirement")
    return found[1], found[2].partition(";")[0].strip().replace(" ", "")


def _pyproject(text: str) -> _Found:
    data = _toml(text)
    project, tool = _table(data.get("project")), _table(data.get("tool"))
    uv, poetry, pdm = _table(tool.get("uv")), _table(tool.get("poetry")), _table(tool.get("pdm"))
    listed = [*_texts(project.get("dependencies")), *_texts(uv.get("dev-dependencies"))]
    listed += _texts(_table(data.get("build-system")).get("requires"))
    tables = (project.get("optional-dependencies"), data.get("dependency-groups"), pdm.get("dev-dependencies"))
    listed += [one for table in tables for group in _table(table).values() for one in group if isinstance(one, str)]
    pairs = [_requirement(one) for one in listed]
    groups = [poetry, *map(_table, _table(poetry.get("group")).values())]
    for group in groups:
        for key in ("dependencies", "dev-dependencies"):
            pairs += [
                (name, _of_poetry(given)) for name, given in _table(group.get(key)).items() if name.lower() != "python"
            ]
    sources = [uv.get("index"), uv.get("index-url"), uv.get("extra-index-url"), uv.get("sources"), uv.get("find-links")]
    sources += [uv.get("default-index"), poetry.get("source"), pdm.get("source"), groups, listed]
    return pairs, _ADDRESS.findall(str(sources))


def _of_poetry(given: Any) -> str:
    return str(given.get("version", "")) if isinstance(given, dict) else str(given)


def _pipfile(text: str) -> _Found:
    data = _toml(text)
    pairs = [(name, _of_poetry(given)) for key in ("packages", "dev-packages")
             for name, given in _table(data.get(key)).items()]  # fmt: skip
    return pairs, _ADDRESS.findall(str(data))


def _cargo_toml(text: str) -> _Found:
    data = _toml(text)
    scopes = [data, _table(data.get("workspace")), *map(_table, _table(data.get("target")).values())]
    pairs: list[tuple[str, str]] = []
    for scope in scopes:
        for key in ("dependencies", "dev-dependencies", "build-dependencies"):
            for name, given in _table(scope.get(key)).items():
                own = isinstance(given, dict)
                pairs.append((str(given.get("package", name)) if own else name, _of_poetry(given)))
    return pairs, _ADDRESS.findall(str([scopes[1:], data.get("patch"), data.get("replace"), data.get("dependencies")]))


_ENTRY = re.compile(r"^(name|version|source) = (.*)$")


def _toml_lock(text: str) -> _Found:
    """uv.lock, poetry.lock, pdm.lock and Cargo.lock: a table of plain lines for each package."""
    if "\\u" in text or "\\x" in text or "'''" in text or text.count('"""') % 2:
        raise ValueError("not as a program writes it")
    pairs: list[tuple[str, str]] = []
    addresses: list[str] = []
    name, inside = "", ""
    for line in text.split("\n"):
        if line[:1] == "[":
            name, inside = "", line.strip()
            continue
        found = _ENTRY.match(line)
        if inside == "[[package]]" and found is not None:
            if found[1] == "name":
                name = found[2].strip(' "')
            elif found[1] == "version" and name:
                pairs.append((name, found[2].strip(' "')))
        if "://" in line and not line.startswith(("description = ", "summary = ")):
            addresses += _ADDRESS.findall(line)
    return pairs, addresses


# --- lists of lines ------------------------------------------------------------------------------------------------


def _requirements(text: str) -> _Found:
    pairs: list[tuple[str, str]] = []
    addresses: list[str] = []
    for raw in re.sub(r"\\\r?\n", " ", text).splitlines():
        line = re.sub(r"(?:^|\s)#.*$", "", raw).strip()
        addresses += _ADDRESS.findall(line)
        if not line or line.startswith(("-", ".", "/")) or "://" in line.partition("@")[0]:
            continue
        pairs.append(_requirement(re.split(r"\s--", line, maxsplit=1)[0]))
    return pairs, addresses


def _go_mod(text: str) -> _Found:
    if "/*" in text or "`" in text:
        raise ValueError("not as people write it")
    lines = [line.partition("//")[0].strip() for line in text.split("\n")]
    plain = [line for line in lines if "=>" not in line and not line.startswith(("exclude", "retract"))]
    pairs = [found.groups() for line in plain if (found := _GO.fullmatch(line)) is not None]
    replaced = [line for line in lines if "=>" in line and _leads_out(line)]
    return [(name, version) for name, version in pairs], [
        f"git://{line.partition('=>')[2].split()[0]}" for line in replaced
    ]


_GO = re.compile(r"(?:require\s+)?([^\s\"]+\.[^\s\"]+)\s+(v\S+)")


def _leads_out(line: str) -> bool:
    return not line.partition("=>")[2].strip().startswith((".", "/"))


def _go_sum(text: str) -> _Found:
    rows = [line.split() for line in text.split("\n") if line.strip()]
    return [(row[0], row[1].removesuffix("/go.mod")) for row in rows if len(row) == 3], []


def _gemfile(text: str) -> _Found:
    pairs = re.findall(r"^\s*gem\s*\(?\s*['\"]([\w.-]+)['\"](?:\s*,\s*['\"]([^'\"]*)['\"])?", text, re.M)
    lines = [line for line in text.split("\n") if not line.lstrip().startswith("#")]
    return pairs, [*_ADDRESS.findall("\n".join(lines)), *("git://github" for line in lines if "github:" in line)]


def _gemfile_lock(text: str) -> _Found:
    pairs = re.findall(r"^ {4}([\w.-]+) \(([^)]+)\)$", text, re.M)
    return pairs, re.findall(r"^ {2}remote: (\S+://\S+)$", text, re.M)


_PNPM = re.compile(r"^ {2}['\"]?/?((?:@[^/@'\"\s]+/)?[^/@'\"\s()]+)[@/]([^'\"():\s]+)(?:\([^'\"]*\))*['\"]?:")


def _pnpm_lock(text: str) -> _Found:
    if "\\" in text or "*id" in text:
        raise ValueError("not as a program writes it")
    pairs: list[tuple[str, str]] = []
    addresses: list[str] = []
    section = ""
    for line in text.split("\n"):
        if line[:1] not in ("", " ", "#"):
            section = line.rstrip(": ")
        elif section in ("packages", "snapshots") and (found := _PNPM.match(line)) is not None:
            pairs.append((found[1], found[2]))
        if "://" in line and not line.lstrip().startswith("deprecated:"):
            addresses += _ADDRESS.findall(line)
    return pairs, addresses


_YARN_NAME = re.compile(r"^\"?((?:@[^/@\"\s]+/)?[^@\"\s,]+)@")


def _yarn_lock(text: str) -> _Found:
    """Both shapes: `version "1"` and `resolved "…"` of the first, `version: 1` and `resolution: …` of the second."""
    if "\\" in text:
        raise ValueError("not as a program writes it")
    pairs: list[tuple[str, str]] = []
    addresses: list[str] = []
    names: list[str] = []
    for line in text.split("\n"):
        if line[:1] not in ("", " ", "#"):
            parts = [part.strip().strip('"') for part in line.rstrip(":").split(",")]
            names = [found[1] for part in parts if (found := _YARN_NAME.match(part)) is not None]
        elif line.startswith("  version"):
            version = line[9:].strip(' :"')
            pairs += [(name, version) for name in dict.fromkeys(names)]
        if "://" in line and line[:1] != "#":
            addresses += _ADDRESS.findall(line)
    return pairs, addresses


_BUN = re.compile(r'^ {4}"[^"]+": \["((?:@[^/@"]+/)?[^@"]+)@([^"]+)"(?:, "([^"]*)")?')


def _bun_lock(text: str) -> _Found:
    if "\\" in text:
        raise ValueError("not as a program writes it")
    pairs: list[tuple[str, str]] = []
    for line in text.split("\n"):
        found = _BUN.match(line)
        if found is not None:
            pairs.append((found[1], found[2]))
    return pairs, _ADDRESS.findall(text)


_READERS: Mapping[str, Callable[[str], _Found]] = FrozenMap({
    "package.json": _package_json, "package-lock.json": _package_lock, "npm-shrinkwrap.json": _package_lock,
    "pnpm-lock.yaml": _pnpm_lock, "yarn.lock": _yarn_lock, "bun.lock": _bun_lock,
    "pyproject.toml": _pyproject, "Pipfile": _pipfile, "Pipfile.lock": _pipfile_lock,
    "uv.lock": _toml_lock, "poetry.lock": _toml_lock, "pdm.lock": _toml_lock, "Cargo.lock": _toml_lock,
    "Cargo.toml": _cargo_toml, "go.mod": _go_mod, "go.sum": _go_sum, "Gemfile": _gemfile, "Gemfile.lock": _gemfile_lock,
    "composer.json": _composer_json, "composer.lock": _composer_lock,
})  # fmt: skip
