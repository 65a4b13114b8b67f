"""Where a package comes from, or a request goes, if not where it usually does.

Another index, or an address of its own, stands in the target of an installation as `via`, so that a yes to the usual
place is none to that one; `collection` says whose packages they are (`python`, `node`), `source` is the machine that a
module of Go is named after, and `global` says that it is installed for more than the project. Another service than a
tool's own is marked as one that requests are redirected to.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..evaluate.words import Arg
from ..places.paths import in_project
from .places import has_written, where

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from .acts import Target

__all__ = ["COLLECTIONS", "another_backend", "another_service", "leads_out", "takes_from_person", "unusual_source"]

_HERE = ("localhost", "127.0.0.1", "[::1]", "0.0.0.0", "host.docker.internal")  # noqa: S104 - compared with

_INSTEAD = ("npm:", "file:", "link:", "portal:", "./", "../", "/", "~/")  # of a version: another package, or a folder
_FORGES = ("git@", "git+", "github:", "gitlab:", "bitbucket:", "gist:", "hg+", "svn+", "bzr+")


# Where packages usually come from.
_USUAL = frozenset(
    (
        "pypi.org", "files.pythonhosted.org", "download.pytorch.org", "conda.anaconda.org", "repo.anaconda.com",
        "registry.npmjs.org", "registry.yarnpkg.com", "jsr.io", "npm.jsr.io", "rubygems.org", "crates.io",
        "index.crates.io", "proxy.golang.org", "repo1.maven.org", "repo.maven.apache.org", "api.nuget.org",
    )
)  # fmt: skip


# Sources by a name that the packager knows. Another may be anybody's, or what a file of settings makes of it.
_CHANNELS = frozenset(
    "conda-forge defaults bioconda pytorch nvidia anaconda main nixpkgs crates-io rubygems pypi npm".split()
)

_NODE = frozenset("npm pnpm yarn bun ni cnpm yarnpkg npx bunx pnpx".split())
# Who takes from the same collection of packages. What a system's own packager brings has a mark instead.
COLLECTIONS = {
    **dict.fromkeys("pip uv poetry pdm pipenv pipx uvx hatch rye conda mamba micromamba".split(), "python"),
    **dict.fromkeys((*_NODE, "deno", "corepack", "nvm", "fnm", "volta"), "node"),
    **dict.fromkeys("gem bundle bundler".split(), "ruby"),
    **dict.fromkeys("cargo rustup".split(), "rust"),
    "go": "go",
    "composer": "php",
}
# Words that lead out of the project: into a folder of the person's, or of the machine.
_EVERYWHERE = frozenset(("--global", "--user", "--location=global", "--system"))
_TO_A_PERSON = frozenset(
    (
        ("cargo", "install"), ("cargo", "binstall"), ("go", "install"), ("gem", "install"), ("pipx", "install"),
        ("uv", "tool"), ("yarn", "global"), ("volta", "install"), ("composer", "global"), ("dart", "pub"),
        ("cargo", "uninstall"), ("gem", "uninstall"), ("uv", "python"), ("poetry", "self"), ("poetry", "python"),
        ("pnpm", "env"),
    )
)  # fmt: skip
# Managers that keep versions and tools for a person: whatever they take away lies outside the project.
_PERSONS = frozenset(
    "pipx rustup nvm fnm volta nodenv asdf mise rtx rbenv goenv phpenv nodebrew tfenv sdk sdkmanager jabba jenv pyenv "
    "opam luarocks".split()
)


def unusual_source(target: Target, words: tuple[str, ...] = ()) -> None:
    """Adds these to the target of an installation by the command with these words."""
    manager = words[0].rpartition("/")[2] if words else ""
    packages = _texts(target.get("package"))
    named = (*_texts(target.get("registry")), *packages)
    if manager in _NODE:
        named = tuple([_node_source(text) for text in named])
    elif manager == "go":
        target["source"] = tuple(dict.fromkeys([text.partition("/")[0].partition("@")[0] for text in packages])) or "go"
    collection = COLLECTIONS.get(manager.rstrip("0123456789."))
    if collection is not None:
        target["collection"] = collection
    if leads_out(words):
        target["global"] = True
    found = dict.fromkeys([_host(text) for text in named if _is_address(text)])
    away = [host for host in found if host not in _USUAL]
    away += [
        name
        for name in _texts(target.get("registry"))
        if not _is_address(name) and name.partition("#")[0] not in _CHANNELS
    ]
    if away:
        target["via"] = tuple(away)


def leads_out(words: tuple[str, ...]) -> bool:
    """Whether packages are those of the person or the machine, and not the project's."""
    if "--help" in words:
        return False
    return not _TO_A_PERSON.isdisjoint(_pairs(words)) or not _EVERYWHERE.isdisjoint(words)


def takes_from_person(words: tuple[str, ...]) -> bool:
    """Whether a removal by these words takes away what belongs to no project."""
    return leads_out(words) or ("--help" not in words and words[:1] != () and _base(words[0]) in _PERSONS)


def _pairs(words: tuple[str, ...]) -> list[tuple[str, str]]:
    """The program with what may be its sub-command, whatever stands before that: `/usr/bin/uv --directory x tool …`."""
    plain = [word for word in words[1:] if word[:1] != "-"]
    optional = len(words) > 1 and words[1][:1] == "-"
    return [(_base(words[0]), word) for word in plain[: 2 if optional else 1]]


def _base(word: str) -> str:
    return word.rpartition("/")[2]


def another_backend(target: Target, shell: Shell) -> bool:
    """`-backend-config=bucket=x`: what is known of the machines goes there. A file of the project says where itself."""
    for text in _texts(target.get("setting")):
        path = where(Arg(text, (0, 0)), shell)
        if "=" in text or not in_project(shell.found.facts.root, path) or has_written(path, shell):
            return True
    return False


def another_service(target: Target) -> bool:
    """`aws --endpoint-url`, `kubectl --server`: requests, and credentials with them, go to another machine."""
    named = [text for text in _texts(target.get("endpoint")) if "://" in text] + list(_texts(target.get("server")))
    return any(_host(text).partition(":")[0] not in _HERE for text in named)


def _texts(value: str | bool | tuple[str, ...] | None) -> tuple[str, ...]:
    return value if type(value) is tuple else (value,) if type(value) is str else ()


def _node_source(text: str) -> str:
    """The package as it is, or what stands in place of its version and leads elsewhere: `x@npm:y`, `x@file:../y`."""
    spec = text[1:].partition("@")[2]  # the first may be that of a scope
    if spec.startswith((*_FORGES, *_INSTEAD)):
        return spec
    return f"github:{text}" if _is_of_github(text) or _is_of_github(spec) else text


def _is_of_github(text: str) -> bool:
    """`npm install someone/x` is a repository; a package with a slash in its name begins with `@`."""
    return text.count("/") == 1 and text[:1] not in ("@", ".", "/", "~") and ":" not in text


def _is_address(text: str) -> bool:
    return "://" in text or text.startswith((*_FORGES, *_INSTEAD))


def _host(text: str) -> str:
    """The machine that an address names; a text that is none stays as it is."""
    scheme, mark, rest = text.rpartition("://") if "://" in text else ("", "", text)
    if mark:
        return rest.partition("/")[0].rpartition("@")[2].lower() or scheme
    return rest.partition(":")[0].lower() if rest.startswith(_FORGES) else rest
