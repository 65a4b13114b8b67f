"""What is made public, in full: which package, which image and registry, from which folder and file.

A grant is limited to fields of the target, so a field is said only where it is certain: the name of a package comes
from the manifest in the folder, and only if nothing in the call points elsewhere or writes that manifest first. A
field that is not said is covered by no scope that names it.
"""

from __future__ import annotations

from ...bytes.strict import parse_object
from ...model.errors import InputError
from ...model.wants import Script
from ...value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model.action import Action
    from ..evaluate.state import Shell
    from ..tables.spec import Program

    Target = dict[str, str | bool | tuple[str, ...]]

__all__ = ["complete"]

_ELSEWHERE = ("workspace", "all", "elsewhere", "path", "package")  # the manifest in the folder is not what counts


def complete(name: str, row: Program, target: Target, sent: Sequence[Action], shell: Shell) -> None:
    """Adds to the target what its words do not say themselves. `sent` are the actions of its operands."""
    if name == "docker:push":
        _image(target)
        return
    if shell.folders is None:
        target["folder"] = ("?",)  # no pattern of a person's fits it, nor does a folder that a grant is for
    else:
        target["folder"] = _one_or_all(list(shell.folders))
    files = [action for action in sent if "sends" in action.tags and "path" in action.target]
    if files and "path" not in target:
        target["path"] = _one_or_all([str(action.target["path"]) for action in files])
        real = [str(action.target["real"]) for action in files if "real" in action.target]
        if real:
            target["real"] = _one_or_all(real)
    if name == "pypi:publish" and files and "package" not in target:
        named = [_distribution(action) for action in files]
        if all(named):
            target["package"] = _one_or_all([text for text in named if text])
    manifest = _MANIFESTS.get(name)
    if manifest is not None and _publishes_the_folder(name, row):
        if not any(field in target for field in _ELSEWHERE):
            package = _named_in(manifest, shell)
            if package is not None:
                target["package"] = package


def _publishes_the_folder(name: str, row: Program) -> bool:
    """Not what publishes all that a workspace holds, nor what uploads the files that lie in `dist`."""
    takes_files = "send" in row.operands
    return row.name == "publish" and (takes_files if name == "npm:publish" else not takes_files)


def _one_or_all(texts: list[str]) -> str | tuple[str, ...]:
    once = tuple(dict.fromkeys(texts))
    return once[0] if len(once) == 1 else once


def _image(target: Target) -> None:
    """`a/b:1` goes to docker.io, `r.example/a` to r.example: as docker itself tells them apart."""
    goal = target.get("target") or target.get("image") or target.get("tag")
    if goal is None or goal is True:
        return
    images = goal if isinstance(goal, tuple) else (str(goal),)
    plain = [image.removeprefix("docker://") for image in images]
    if any("://" in image for image in plain):
        return
    target["image"] = _one_or_all(plain)
    hosts = [image.partition("/") for image in plain]
    target["registry"] = _one_or_all(
        [head if slash and ("." in head or ":" in head or head == "localhost") else "docker.io"
         for head, slash, _ in hosts]
    )  # fmt: skip


def _distribution(action: Action) -> str | None:
    """The project that a wheel or sdist belongs to: the index refuses a file whose name says otherwise."""
    if action.target.get("glob") is True:
        return None
    file = str(action.target["path"]).rpartition("/")[2]
    if file.endswith(".asc"):
        file = file[: -len(".asc")]
    if file.endswith(".whl"):
        stem, dash, _ = file.partition("-")
        if not dash:
            return None
    elif file.endswith((".tar.gz", ".zip")):
        stem, dash, version = file.rpartition("-")
        if not dash or not version[:1].isdigit():
            return None
    else:
        return None
    return _normal(stem) or None


def _normal(name: str) -> str:
    """As the index compares names: lower case, and runs of `-`, `_` and `.` are one dash."""
    text = name.lower().replace("_", "-").replace(".", "-")
    while "--" in text:
        text = text.replace("--", "-")
    return text


def _named_in(manifest: str, shell: Shell) -> str | None:
    """The name in the folder's manifest. One that this very call writes or moves is not known."""
    if shell.folders is None or len(shell.folders) != 1:
        return None
    path = f"{shell.folders[0]}/{manifest}"
    if path in shell.files or _touched(path, shell):
        return None
    text = shell.found.facts.scripts.get(path)
    if text is None:
        shell.found.want(Script(path))
        return None
    return _json_name(text) if manifest == "package.json" else _toml_name(text, manifest)


def _touched(path: str, shell: Shell) -> bool:
    folder = path.rpartition("/")[0]
    for action in shell.found.actions:
        if any(effect.name in ("write", "destructive", "execute", "spawn") for effect in action.effects):
            place = action.target.get("path")
            if place is None and action.name not in _LEAVES_NAMES:
                return True  # something else ran before, and may have written it
            if place is not None and (path == place or path.startswith(f"{place}/") or folder == place):
                return True
    return False


# What usually comes before a release, and gives no package another name.
_LEAVES_NAMES = frozenset(
    "npm:publish pypi:publish cargo:publish gem:push docker:push git:push git:add git:commit git:tag npm:version "
    "exec:project pkg:restore".split()
)


def _json_name(text: str) -> str | None:
    try:
        data = parse_object(text.encode())
    except InputError:
        return None
    name, config = data.get("name"), data.get("publishConfig")
    if type(config) is FrozenMap and "directory" in config:  # then that folder's package is published
        return None
    return name if type(name) is str and name.isprintable() else None


def _toml_name(text: str, manifest: str) -> str | None:
    import tomllib

    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        return None
    if manifest == "Cargo.toml" and "workspace" in data:  # its default members may be others
        return None
    tool = data.get("tool")
    tables = [data.get("package")] if manifest == "Cargo.toml" else [data.get("project")]
    if manifest == "pyproject.toml" and isinstance(tool, dict):
        tables.append(tool.get("poetry"))
    for table in tables:
        name = table.get("name") if isinstance(table, dict) else None
        if isinstance(name, str) and name.isprintable():
            return name if manifest == "Cargo.toml" else _normal(name)
    return None


_MANIFESTS = FrozenMap({"npm:publish": "package.json", "cargo:publish": "Cargo.toml", "pypi:publish": "pyproject.toml"})
