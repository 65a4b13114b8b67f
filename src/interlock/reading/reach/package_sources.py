"""Where packages come from: the registries that everybody uses, and anywhere else.

A lock file says which package, and not always from whom; another registry, mirror or channel can answer with its own
code under a known name. So a source that is not one of the public registries, nor this machine, is worth a question.
"""

from __future__ import annotations

from ..places.system_places import HERE, host_of

__all__ = ["is_elsewhere", "names_source"]

_PUBLIC = frozenset(
    (
        "pypi.org", "test.pypi.org", "files.pythonhosted.org", "download.pytorch.org", "data.pyg.org",
        "registry.npmjs.org", "registry.yarnpkg.com", "npm.pkg.github.com", "jsr.io", "npm.jsr.io",
        "rubygems.org", "index.rubygems.org", "rubygems.pkg.github.com", "index.crates.io", "crates.io",
        "proxy.golang.org", "sum.golang.org", "api.nuget.org", "www.nuget.org", "nuget.org", "packagist.org",
        "repo.packagist.org", "repo1.maven.org", "repo.maven.apache.org", "maven.google.com", "dl.google.com",
        "plugins.gradle.org", "services.gradle.org", "conda.anaconda.org", "repo.anaconda.com", "hex.pm", "repo.hex.pm",
        "cran.r-project.org", "cloud.r-project.org", "luarocks.org", "opam.ocaml.org", "bcr.bazel.build",
    )
)  # fmt: skip
_ANYBODYS = ("/tmp/", "/var/tmp/", "/dev/shm/")  # noqa: S108 - folders that are compared with
# Settings of package managers that name a source.
_SETTINGS = (
    "mirror", "repositor", "registry", "channel", "index", "source", "proxy", "find-links", "disable_checksum",
)  # fmt: skip


def is_elsewhere(address: str) -> bool:
    """True if this address of a registry is neither public nor on this machine."""
    if "://" not in address:
        return address.startswith(_ANYBODYS)
    host = host_of(address.replace("\0", "x"))
    return host is None or (host not in _PUBLIC and host not in HERE)


def names_source(words: list[str]) -> bool:
    """True if a setting leads elsewhere: `mirror.https://rubygems.org http://…`, `--add channels http://…`."""
    named = any(part in word.lower() for word in words for part in _SETTINGS)
    return named and any(is_elsewhere(word) for word in words if "://" in word[:8])
