"""Where a package comes from, or a request goes, if not where it usually does.

Another index, or an address of its own, stands in the target of an installation as `via`, so that a yes to the usual
place is none to that one. Another service than a tool's own is marked as one that requests are redirected to.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from .acts import Target

__all__ = ["another_service", "unusual_source"]

_HERE = ("localhost", "127.0.0.1", "[::1]", "0.0.0.0", "host.docker.internal")  # noqa: S104 - compared with

_FORGES = ("git@", "git+", "github:", "gitlab:", "bitbucket:", "gist:", "hg+", "svn+", "bzr+")


# Where packages usually come from. A name without an address is one that the packager itself knows: a channel.
_USUAL = frozenset(
    (
        "pypi.org", "files.pythonhosted.org", "download.pytorch.org", "conda.anaconda.org", "repo.anaconda.com",
        "registry.npmjs.org", "registry.yarnpkg.com", "jsr.io", "npm.jsr.io", "rubygems.org", "crates.io",
        "index.crates.io", "proxy.golang.org", "repo1.maven.org", "repo.maven.apache.org", "api.nuget.org",
    )
)  # fmt: skip


def unusual_source(target: Target) -> None:
    """Adds `via` to the target of an installation."""
    named = (*_texts(target.get("registry")), *_texts(target.get("package")))
    found = dict.fromkeys([_host(text) for text in named if _is_address(text)])
    away = [host for host in found if host not in _USUAL]
    if away:
        target["via"] = tuple(away)


def another_service(target: Target) -> bool:
    """`aws --endpoint-url`, `kubectl --server`: requests, and credentials with them, go to another machine."""
    named = [text for text in _texts(target.get("endpoint")) if "://" in text] + list(_texts(target.get("server")))
    return any(_host(text).partition(":")[0] not in _HERE for text in named)


def _texts(value: str | bool | tuple[str, ...] | None) -> tuple[str, ...]:
    return value if type(value) is tuple else (value,) if type(value) is str else ()


def _is_address(text: str) -> bool:
    return "://" in text or text.startswith(_FORGES)


def _host(text: str) -> str:
    """The machine that an address names; a text that is none stays as it is."""
    scheme, mark, rest = text.rpartition("://") if "://" in text else ("", "", text)
    if mark:
        return rest.partition("/")[0].rpartition("@")[2].lower() or scheme
    return rest.partition(":")[0].lower() if rest.startswith(_FORGES) else rest
