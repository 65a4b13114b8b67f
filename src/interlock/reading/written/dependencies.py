"""Dependencies that this session wrote into a manifest by hand: whoever builds next fetches and runs them.

`go get` and `cargo add` are installs and are asked about; a line in go.mod does the same with the next build. What
was in the file before is not known, so the packages that it names now are what is shown and what a yes is bound to.
"""

from __future__ import annotations

import re

from ...model.effects import Effect
from ...value import TYPE_CHECKING, lazy
from ..evaluate.contents import texts_of_file
from ..machine.acts import emit
from ..places.paths import in_project
from ..reach.package_lists import FILES, listed_in, plain_name
from ..reach.package_sources import is_elsewhere
from .manifests import by_pattern, cargo, catalog, dotnet, go, maven, pubspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..evaluate.state import Shell
    from ..evaluate.words import Arg
    from ..reach.first_installs import unnamed_in_lock
    from .manifests import Named
else:
    unnamed_in_lock = lazy(globals(), "..reach.first_installs", "unnamed_in_lock")

__all__ = ["MANIFESTS", "packages_in", "tell_dependencies"]

_GO, _RUST, _JVM, _RUBY = "go", "cargo", "gradle gradlew mvn mvnw mvnd sbt", "bundle rails rspec rake"

# the end of a manifest's path -> the programs that obey it, and how what it names is read
MANIFESTS: dict[str, tuple[frozenset[str], Callable[[str], Named | None]]] = {
    "/go.mod": (frozenset(_GO.split()), go),
    "/.gitmodules": (frozenset(("git",)), by_pattern(r"^\s*url\s*=\s*(\S+)")),
    "/Cargo.toml": (frozenset(_RUST.split()), cargo),
    "/pom.xml": (frozenset(_JVM.split()), maven),
    "/build.gradle": (
        frozenset(_JVM.split()),
        by_pattern(
            r"['\"]([\w.-]+:[\w.-]+)(?::[^'\"\n]+)?['\"]|\bid\s*\(?\s*['\"]([\w.-]+\.[\w.-]+)['\"]\)?\s*version"
            r"|\bname\s*:\s*['\"]([\w.-]+)['\"]"
        ),
    ),
    "/build.gradle.kts": (
        frozenset(_JVM.split()),
        by_pattern(
            r"\"([\w.-]+:[\w.-]+)(?::[^\"\n]+)?\"|\bid\s*\(\s*\"([\w.-]+\.[\w.-]+)\"\)\s*version"
            r"|\bname\s*=\s*\"([\w.-]+)\""
        ),
    ),
    "/libs.versions.toml": (frozenset(_JVM.split()), catalog),
    "/build.sbt": (frozenset(_JVM.split()), by_pattern(r"\"([\w.-]+)\"\s*%%?%?\s*\"[\w.-]+\"")),
    "/Gemfile": (frozenset(_RUBY.split()), by_pattern(r"^\s*gem\s*\(?\s*['\"]([\w-]+)")),
    "/mix.exs": (frozenset(("mix",)), by_pattern(r"\{\s*:(\w+)\s*,\s*(?:['\"~]|git:|github:|path:)")),
    "/pubspec.yaml": (frozenset(("dart", "flutter")), pubspec),
    "/Package.swift": (
        frozenset(("swift", "xcodebuild")),
        by_pattern(r"\.package\s*\([^)\n]{0,80}?url:\s*\"([^\"]+)\""),
    ),
    "/build.zig.zon": (frozenset(("zig",)), by_pattern(r"\.url\s*=\s*\"([^\"]+)\"")),
    **dict.fromkeys(
        (".csproj", ".fsproj", ".vbproj", ".props", ".targets"), (frozenset(("dotnet", "msbuild")), dotnet)
    ),
}

# Files that say where each package comes from: in their usual form they name nobody but the registries.
_LOCKS = tuple(
    (
        "/package-lock.json /npm-shrinkwrap.json /yarn.lock /pnpm-lock.yaml /bun.lock /Cargo.lock /poetry.lock "
        "/uv.lock /Gemfile.lock /Pipfile.lock /mix.lock /pubspec.lock"
    ).split()
)
_OBEY_LOCKS = frozenset("npm pnpm yarn bun cargo poetry uv bundle pipenv mix dart flutter".split())
_ADDRESS = (
    r"(?:resolved\"?:?|tarball:|\burl\"?\s*[=:]|source\s*=|remote:|dist\"?:)\s*\"?((?:git\+|registry\+"
    r"|sparse\+)?(?:https?|git|ssh)://[^\s\"#]+)"
)
_USUAL = frozenset(("api.github.com", "codeload.github.com", "pub.dev"))  # besides those that everybody installs from
_INDEX = "https://github.com/rust-lang/crates.io-index"
_LOOKS = frozenset(
    (
        "--help --version -V -h -v -version clean doc env fmt format help init list login metadata new search tasks "
        "tree version"
    ).split()
)
_TOLD = (*MANIFESTS, *_LOCKS)
_INSTALLS = (Effect.EXECUTE, Effect.NETWORK, Effect.WRITE)


def tell_dependencies(program: str, words: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """The manifests and lock files of this session that the program obeys."""
    said = [word.text for word in words[1:]]
    if not _LOOKS.isdisjoint(said[:2]) or (program == "git" and "submodule" not in said):
        return
    facts = shell.found.facts
    for path in sorted([path for path in {*shell.files, *facts.written} if path.endswith(_TOLD)]):
        if not in_project(facts.root, path):
            continue
        row = next((row for end, row in MANIFESTS.items() if path.endswith(end)), None)
        if row is not None and program in row[0]:
            _tell_manifest(path, row[1], shell, span)
        elif program in _OBEY_LOCKS and path.endswith(_LOCKS):
            texts = texts_of_file(path, shell)
            if texts is None and path in shell.files:
                shell.unclear(f"`{path}` says where packages come from; its content was not read", span)
            _tell_lock(path, "\n".join(texts or ()), shell, span)


def packages_in(path: str, text: str) -> tuple[str, ...] | None:
    """What the manifest names, in its order; None where it cannot be told."""
    reader = next(reader for end, (_, reader) in MANIFESTS.items() if path.endswith(end))
    named = reader(text)
    return None if named is None else named.packages


def _tell_manifest(path: str, reader: Callable[[str], Named | None], shell: Shell, span: tuple[int, int]) -> None:
    """What it may hold is asked about, all of it; what cannot be read could name anything."""
    texts = texts_of_file(path, shell)
    if texts is None:
        if path in shell.files or path not in shell.found.facts.absent:  # absent before this call, that is
            shell.unclear(
                f"`{path}` names packages; it was written in this session, and its content was not read",
                span,
                kind="written-here",
            )
        return
    found = [reader(text) for text in texts]
    for text, named in zip(texts, found, strict=True):
        if named is None and text.strip():
            shell.unclear(
                f"`{path}`, which was written in this session, names packages in a form that is not read",
                span,
                kind="written-here",
            )
    packages = [
        _with_version(package, path, text)
        for text, named in zip(texts, found, strict=True)
        for package in (named.packages if named is not None else ())
    ]
    sources = [source for named in found if named is not None for source in named.sources]
    _tell(path, tuple(dict.fromkeys(packages)), shell, span)
    elsewhere = [source for source in dict.fromkeys(sources) if is_elsewhere(source)]
    if elsewhere:
        target: dict[str, str | bool | tuple[str, ...]] = {"manifest": path, "registry": tuple(elsewhere)}
        emit(shell, span, name="pkg:install", effects=_INSTALLS, tags=("install", "redirects"), target=target)


def _with_version(package: str, path: str, text: str) -> str:
    """The package as it is spelt in a command, with what is asked for of it, where its language is known that well."""
    name = path.rpartition("/")[2]
    collection = next((one for one, files in FILES.items() if name in files.manifests), "")
    listed = listed_in(collection, name, text) if collection else None
    asked = listed.names.get(plain_name(collection, package), ()) if listed is not None else ()
    return f"{package}{':' if collection == 'ruby' else '@'}{asked[0]}" if asked else package


def _tell(path: str, packages: tuple[str, ...], shell: Shell, span: tuple[int, int]) -> None:
    if packages:
        target: dict[str, str | bool | tuple[str, ...]] = {"manifest": path, "package": packages}
        emit(shell, span, name="pkg:install", effects=_INSTALLS, tags=("install",), target=target)


def _tell_lock(path: str, text: str, shell: Shell, span: tuple[int, int]) -> None:
    name = path.rpartition("/")[2]
    collection = next((one for one, files in FILES.items() if name in files.locks), "")
    if collection:
        _tell(path, unnamed_in_lock(path, text, collection, shell), shell, span)
    hosts = []
    for address in re.findall(_ADDRESS, text):
        plain = address.partition("+")[2] if "+" in address.partition("://")[0] else address
        host = plain.partition("://")[2].partition("/")[0]
        if host not in _USUAL and not plain.startswith(_INDEX) and is_elsewhere(plain):
            hosts.append(host)
    if hosts:
        target: dict[str, str | bool | tuple[str, ...]] = {"manifest": path, "registry": tuple(dict.fromkeys(hosts))}
        emit(shell, span, name="pkg:install", effects=_INSTALLS, tags=("install", "redirects"), target=target)
