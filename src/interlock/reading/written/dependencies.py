"""Dependencies that this session wrote into a manifest by hand: whoever builds next fetches and runs them.

`go get` and `cargo add` are installs and are asked about; a line in go.mod does the same with the next build. What
was in the file before is not known, so the packages that it names now are what is shown and what a yes is bound to.
"""

from __future__ import annotations

import re

from ...effects import Effect
from ...value import TYPE_CHECKING
from ..commands.acts import emit
from ..package_sources import is_elsewhere
from ..paths import in_project

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..evaluate.words import Arg

__all__ = ["MANIFESTS", "packages_in", "tell_dependencies"]

_GO, _RUST, _JVM, _RUBY = "go", "cargo", "gradle gradlew mvn mvnw mvnd sbt", "bundle rails rspec rake"
_CARGO = (
    r"^\s*([A-Za-z][\w-]*)(?:\.workspace)?\s*=\s*(?:\"[^\"]*\"|\{[^}\n]*(?:version|git|path|workspace)[^}\n]*\}|true)"
    r"|^\[(?:[\w.'\"()=-]+\.)?(?:dev-|build-)?dependencies\.([\w-]+)\]"
)

# the end of a manifest's path -> the programs that obey it, and the packages that it names
MANIFESTS: dict[str, tuple[frozenset[str], str]] = {
    "/go.mod": (
        frozenset(_GO.split()),
        r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+v\S+|^\s*(?:replace\s+)?\S+(?:\s+v\S+)?\s*=>\s*(\S+)",
    ),
    "/.gitmodules": (frozenset(("git",)), r"^\s*url\s*=\s*(\S+)"),
    "/Cargo.toml": (frozenset(_RUST.split()), _CARGO),
    "/pom.xml": (frozenset(_JVM.split()), r"<artifactId>\s*([\w.${}-]+)\s*</artifactId>\s*<version>"),
    "/build.gradle": (
        frozenset(_JVM.split()),
        r"['\"]([\w.-]+:[\w.-]+)(?::[^'\"\n]+)?['\"]|\bid\s*\(?\s*['\"]([\w.-]+\.[\w.-]+)['\"]\)?\s*version",
    ),
    "/build.gradle.kts": (
        frozenset(_JVM.split()),
        r"\"([\w.-]+:[\w.-]+)(?::[^\"\n]+)?\"|\bid\s*\(\s*\"([\w.-]+\.[\w.-]+)\"\)\s*version",
    ),
    "/libs.versions.toml": (frozenset(_JVM.split()), r"\"([\w.-]+:[\w.-]+)(?::[^\"\n]+)?\""),
    "/build.sbt": (frozenset(_JVM.split()), r"\"([\w.-]+)\"\s*%%?%?\s*\"[\w.-]+\""),
    "/Gemfile": (frozenset(_RUBY.split()), r"^\s*gem\s*\(?\s*['\"]([\w-]+)"),
    "/mix.exs": (frozenset(("mix",)), r"\{\s*:(\w+)\s*,\s*(?:['\"~]|git:|github:|path:)"),
    "/pubspec.yaml": (frozenset(("dart", "flutter")), r"^  ([a-z_]\w*):\s*(?:\^|[0-9'\"]|any\b|$)"),
    "/Package.swift": (frozenset(("swift", "xcodebuild")), r"\.package\s*\([^)\n]{0,80}?url:\s*\"([^\"]+)\""),
    "/build.zig.zon": (frozenset(("zig",)), r"\.url\s*=\s*\"([^\"]+)\""),
    ".csproj": (frozenset(("dotnet", "msbuild")), r"<PackageReference\s+Include=\"([^\"]+)\""),
    ".fsproj": (frozenset(("dotnet", "msbuild")), r"<PackageReference\s+Include=\"([^\"]+)\""),
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
_SECTION = r"^\[(?:.*\.)?(?:dev-|build-)?dependencies(?:\.[\w-]+)?\]"
_LOOKS = frozenset(
    (
        "--help --version -V -h -v -version clean doc env fmt format help init list login metadata new search tasks "
        "tree version"
    ).split()
)
_INSTALLS = (Effect.EXECUTE, Effect.NETWORK, Effect.WRITE)


def tell_dependencies(program: str, words: list[Arg], shell: Shell, span: tuple[int, int]) -> None:
    """The manifests and lock files of this session that the program obeys."""
    said = [word.text for word in words[1:]]
    if not _LOOKS.isdisjoint(said[:2]) or (program == "git" and "submodule" not in said):
        return
    facts = shell.found.facts
    for path in sorted({*shell.files, *facts.written}):
        if not in_project(facts.root, path):
            continue
        row = next((row for end, row in MANIFESTS.items() if path.endswith(end)), None)
        if row is not None and program in row[0]:
            _tell(path, packages_in(path, _text(path, shell)), shell, span)
        elif program in _OBEY_LOCKS and path.endswith(_LOCKS):
            _tell_lock(path, _text(path, shell), shell, span)


def packages_in(path: str, text: str) -> tuple[str, ...]:
    """What the manifest names, in its order."""
    words = next(words for end, (_, words) in MANIFESTS.items() if path.endswith(end))
    if path.endswith("/Cargo.toml"):
        text = _sections(text)
    found = [name for match in re.finditer(words, text, re.MULTILINE) for name in match.groups() if name]
    return tuple(dict.fromkeys(found))


def _sections(text: str) -> str:
    """The lines of a Cargo.toml that stand under dependencies."""
    kept, inside = [], False
    for line in text.split("\n"):
        if line.lstrip().startswith("["):
            inside = re.match(_SECTION, line.strip()) is not None
            kept.append(line.strip() if inside else "")
        elif inside:
            kept.append(line)
    return "\n".join(kept)


def _tell(path: str, packages: tuple[str, ...], shell: Shell, span: tuple[int, int]) -> None:
    if packages:
        target: dict[str, str | bool | tuple[str, ...]] = {"manifest": path, "package": packages}
        emit(shell, span, name="pkg:install", effects=_INSTALLS, tags=("install",), target=target)


def _tell_lock(path: str, text: str, shell: Shell, span: tuple[int, int]) -> None:
    hosts = []
    for address in re.findall(_ADDRESS, text):
        plain = address.partition("+")[2] if "+" in address.partition("://")[0] else address
        host = plain.partition("://")[2].partition("/")[0]
        if host not in _USUAL and not plain.startswith(_INDEX) and is_elsewhere(plain):
            hosts.append(host)
    if hosts:
        target: dict[str, str | bool | tuple[str, ...]] = {"manifest": path, "registry": tuple(dict.fromkeys(hosts))}
        emit(shell, span, name="pkg:install", effects=_INSTALLS, tags=("install", "redirects"), target=target)


def _text(path: str, shell: Shell) -> str:
    from .run import texts_of_file

    return "\n".join(texts_of_file(path, shell) or ())
