"""What a script of a package.json finds around it: variables that npm sets for it, and tools of the project.

What the call gives (`npm run clean --dir=src`, `npm_config_dir=src npm run clean`) reaches the script as
`npm_config_dir`, and what the file says of itself as `npm_package_…`. A variable that is not set here is not known.
"""

from __future__ import annotations

from ...model.wants import Real
from ...value import TYPE_CHECKING, FrozenMap
from ..evaluate.words import Arg

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...value import Json
    from ..evaluate.state import Shell

__all__ = ["PREFIX", "tools_of", "variable_of", "variables_of"]

PREFIX = "npm_config_"


def variable_of(setting: str) -> str:
    return PREFIX + setting.replace("-", "_")


def variables_of(
    script: str,
    settings: tuple[tuple[str, Arg], ...],
    manifest: Mapping[str, Json],
    shell: Shell,
    span: tuple[int, int],
    *,
    yarn: bool,
) -> dict[str, list[Arg]]:
    """The variables of a script. `yarn`, of which some versions know nothing of the file's `config`."""
    found: dict[str, list[Arg]] = {"npm_lifecycle_event": [Arg(script, span, quoted=True)]}
    for name in shell.exported:
        if name.lower().startswith(PREFIX) and name in shell.variables:  # npm takes any case, and hands on its own
            found[name.lower()] = shell.variables[name]
    for setting, value in settings:
        found[variable_of(setting)] = [value]
    config = manifest.get("config")
    texts = [(f"npm_package_{key}", manifest.get(key)) for key in ("name", "version")]
    if type(config) is FrozenMap and not yarn:
        texts += [(f"npm_package_config_{key}", value) for key, value in config.items()]
    for name, text in texts:
        if type(text) is str and name.isidentifier() and "\0" not in text:
            found[name] = [Arg(text, span, quoted=True)]
    return found


def tools_of(home: str, shell: Shell) -> Callable[[str], bool]:
    """Whether a program lies in a `node_modules/.bin` from the file's folder up to the project's."""
    facts = shell.found.facts

    def has(name: str) -> bool:
        if "/" in name or name in ("", ".", ".."):
            return False
        at = home
        while True:
            path = f"{at}/node_modules/.bin/{name}"
            if path in facts.absent:
                pass
            elif facts.real.get(path) is None:
                shell.found.want(Real(path))
            else:
                return True
            if at == facts.root or "/" not in at[1:]:
                return False
            at = at.rpartition("/")[0]

    return has
