"""Which images the files of a project name: recipes, services, continuous integration and development containers.

An image is a package: its name says who made it. Only plain references count; one with a variable in it is named by
nobody, unless the recipe itself says what the variable is.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["images_in", "is_image_file", "is_named", "plain_image", "short_image"]

_REFERENCE = re.compile(r"[a-z0-9][\w.-]*(?::\d+)?(?:/[\w.-]+)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?", re.A)
_HUB = ("docker.io", "index.docker.io", "registry-1.docker.io")


def plain_image(text: str) -> str:
    """`redis:7` and `docker.io/library/redis:7` are one; without a tag it is `latest`. Empty: it is no reference."""
    name = text.removeprefix("docker://")
    if not _REFERENCE.fullmatch(name):
        return ""
    name, at, digest = name.partition("@")
    head, slash, rest = name.partition("/")
    if not slash or not ("." in head or ":" in head or head == "localhost"):
        head, rest = _HUB[0], name
    if head in _HUB:
        head, rest = _HUB[0], rest if "/" in rest else f"library/{rest}"
    if ":" not in rest and not at:
        rest += ":latest"
    return f"{head}/{rest}{at}{digest}"


def short_image(plain: str) -> str:
    """As people write it: `redis:7`."""
    return plain.removeprefix(f"{_HUB[0]}/library/").removeprefix(f"{_HUB[0]}/").removesuffix(":latest")


def is_named(image: str, names: Iterable[str]) -> bool:
    """Whether it is one of the images. One that is named with tag and digest is named by either of them."""
    plain = plain_image(image)
    return bool(plain) and any(plain in _spellings(name) for name in names)


def _spellings(name: str) -> tuple[str, ...]:
    tagged, at, digest = name.partition("@")
    folder, slash, last = tagged.rpartition("/")
    return (name, tagged, f"{folder}{slash}{last.partition(':')[0]}@{digest}") if at and ":" in last else (name,)


# --- files ------------------------------------------------------------------------------------------------------------


def is_image_file(path: str) -> bool:
    """`path` is below the project's root: `Dockerfile`, `deploy/compose.yaml`, `.github/workflows/ci.yml`."""
    return _reader(path) is not None


def images_in(path: str, text: str) -> tuple[str, ...]:
    """The images that the file names, in plain spelling."""
    reader = _reader(path)
    found = [plain_image(name) for name in reader(text)] if reader is not None and "\0" not in text else []
    return tuple(dict.fromkeys([name for name in found if name]))


_YAML = (".yml", ".yaml")
_CI = (".gitlab-ci.yml", ".gitlab-ci.yaml", "bitbucket-pipelines.yml", ".drone.yml", ".woodpecker.yml", ".travis.yml")


def _reader(path: str) -> Callable[[str], list[str]] | None:
    folder, _, name = path.rpartition("/")
    start = name.partition(".")[0]
    if start in ("Dockerfile", "Containerfile") or name.endswith((".Dockerfile", ".dockerfile")):
        return _recipe
    if name == ".actrc":
        return _platforms
    if not name.endswith((*_YAML, ".json")):
        return None
    if name.endswith(_YAML) and start in ("compose", "docker-compose", "podman-compose"):
        return _settings
    if name in _CI or (f"/{folder}".endswith((".github/workflows", ".gitea/workflows", ".forgejo/workflows"))):
        return _settings
    if name in ("devcontainer.json", ".devcontainer.json") or (name == "config.yml" and folder == ".circleci"):
        return _settings
    return None


_FROM = re.compile(r"^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?\s*$", re.I | re.M)
_COPIED = re.compile(r"^\s*COPY\s+(?:--\S+\s+)*?--from=(\S+)", re.I | re.M)
_ARGUMENT = re.compile(r"^\s*ARG\s+(\w+)=[\"']?([\w./:@-]+)[\"']?\s*$", re.I | re.M)
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


def _recipe(text: str) -> list[str]:
    first = re.search(r"^\s*FROM\s", text, re.I | re.M)
    given = dict(_ARGUMENT.findall(text[: first.start()] if first else ""))
    stages, found = {"scratch"}, list[str]()
    for name, stage in _FROM.findall(text):
        if name.lower() not in stages:
            found.append(_VARIABLE.sub(lambda each: given.get(each[1] or each[2], each[0]), name))
        stages.add(stage.lower())
    found += [name for name in _COPIED.findall(text) if name.lower() not in stages and not name.isdecimal()]
    return found


def _platforms(text: str) -> list[str]:
    """`-P ubuntu-latest=IMAGE`, one on a line."""
    return re.findall(r"^\s*(?:-P|--platform)[\s=]+[\w.-]+=(\S+)\s*$", text, re.M)


_VALUE = r"\s*[\"']?([^\s\"'#,{}\[\]]+)[\"']?"
_KEYED = re.compile(r"(?:^|[\s,{])[\"']?(?:image|container)[\"']?\s*:" + _VALUE, re.M)
_UNDER = re.compile(r"^\s*image\s*:\s*\n\s+name\s*:" + _VALUE, re.M)
_USED = re.compile(r"\bdocker://([^\s\"']+)")
_SERVICES = re.compile(r"^\s*services\s*:\s*\n((?:\s*-\s*[\"']?[\w./:@-]+[\"']?\s*(?:#.*)?\n?)+)", re.M)
_ITEM = re.compile(r"^\s*-" + _VALUE, re.M)


def _settings(text: str) -> list[str]:
    """YAML and JSON alike: what stands behind `image`, and in a list of services."""
    text = re.sub(r"^\s*(?:#|//).*$", "", text, flags=re.M)
    found = [*_KEYED.findall(text), *_UNDER.findall(text), *_USED.findall(text)]
    return found + [name for held in _SERVICES.findall(text) for name in _ITEM.findall(held)]
