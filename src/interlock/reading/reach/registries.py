"""The registry that a package would be published to, as the program itself reads it: options, variables, its files.

Where sources of the same rank disagree, all of them count. Where a file holds what is not followed here, nothing is
said. Each function is given what the command says and a look at files and variables; it touches nothing itself.
"""

from __future__ import annotations

from ...bytes.strict import parse_object
from ...model.errors import InputError
from ...value import TYPE_CHECKING, FrozenMap, Value
from .destinations import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from .destinations import Query

    Answer = tuple[str, ...]  # none: it cannot be told

__all__ = ["Look", "above", "cargo", "first", "gem", "npm", "pypi", "toml_of"]

_NPM = "https://registry.npmjs.org"
_MOVES = (
    "userconfig",
    "globalconfig",
    ":registry",
    "prefix",
    "proxy",
)  # variables of npm with which it looks elsewhere
_ALIASES = {"registry.yarnpkg.com": "registry.npmjs.org", "upload.pypi.org/legacy": "pypi.org",
            "test.pypi.org/legacy": "test.pypi.org"}  # fmt: skip
_KNOWN = {"pypi": "pypi.org", "main": "pypi.org", "testpypi": "test.pypi.org", "test": "test.pypi.org"}


class Look(Value):
    """
    read     the text of a file; None if there is none
    env      the variables of the host, names in lower case
    home     the person's folder
    remotes  of a folder: the remotes of its repository, each with where a push to it goes, and its `gh-resolved`
    """

    read: Callable[[str], str | None]
    env: Mapping[str, str]
    home: str
    remotes: Callable[[str], Mapping[str, tuple[tuple[str, ...], str]]]

    @property
    def config(self) -> str:
        """The folder of the person's settings."""
        return self.env.get("xdg_config_home") or f"{self.home}/.config"

    def variable(self, query: Query, *names: str) -> str:
        """The first of these variables that is set, in the call or around it. The call may also empty one."""
        return first([query.env[name] if name in query.env else self.env.get(name, "") for name in names])


def above(folder: str) -> list[str]:
    """The folder and all that it lies in, the innermost first."""
    found = [folder.rstrip("/") or "/"]
    while found[-1] != "/":
        found.append(found[-1].rpartition("/")[0] or "/")
    return found


def first(texts: Iterable[str]) -> str:
    return next((text for text in texts if text), "")


def _places(addresses: Iterable[str]) -> Answer:
    found = [place_of(address) for address in addresses if address]
    return tuple(dict.fromkeys([_ALIASES.get(place, place) for place in found])) if all(found) else ()


# --- npm, pnpm, yarn, bun ---------------------------------------------------------------------------------------------


def npm(query: Query, look: Look) -> Answer:
    folder = query.folder
    paths = query.fields.get("path", ())
    if len(paths) > 1 or any(path.endswith((".tgz", ".tar.gz", ".tar")) or "*" in path for path in paths):
        return ()  # what a package says of its registry lies in the archive
    if query.program in ("lerna", "nx", "rush", "semantic-release", "release-it", "changeset", ""):
        return ()
    text = look.read(f"{paths[0] if paths else folder}/package.json")
    scope, said = _package_json(text) if text is not None else ("", ())
    if said is None:
        return ()
    sure = [*said, *query.fields.get("registry", ())]
    settings = [_npmrc(look, f"{at}/.npmrc") for at in above(folder)]
    person = [_npmrc(look, path) for path in (f"{look.home}/.npmrc", f"{look.config}/pnpm/rc",
                                              "/usr/local/etc/npmrc", "/usr/etc/npmrc", "/etc/npmrc")]  # fmt: skip
    if any(one is None for one in (*settings, *person)) or not _is_plain_yarn(query, look):
        return ()
    if any(name.startswith("npm_config_") and name.endswith(_MOVES) for name in look.env):
        return ()
    known = [one for one in (*settings, *person) if one]
    if scope:
        sure += [one[f"{scope}:registry"] for one in known if f"{scope}:registry" in one]
    if sure:
        return _places(sure)
    env = look.variable(query, "npm_config_registry", "yarn_npm_publish_registry", "yarn_npm_registry_server")
    nearby = [env] if env else [one["registry"] for one in settings if one and "registry" in one]
    yarn = [] if env else _yarn_registries(look, folder)
    return _places([*nearby, *yarn]) or _places([first([one.get("registry", "") for one in known]) or _NPM])


def _package_json(text: str) -> tuple[str, Answer | None]:
    """The scope of the package, and the registries that it names itself; None: it cannot be told."""
    try:
        data = parse_object(text.encode())
    except InputError:
        return "", None
    name, config = data.get("name"), data.get("publishConfig")
    scope = name.partition("/")[0] if type(name) is str and name.startswith("@") else ""
    if config is None:
        return scope, ()
    if type(config) is not FrozenMap or "directory" in config:
        return scope, None
    found = [value for key, value in config.items() if key in ("registry", f"{scope}:registry")]
    return scope, None if any(type(value) is not str for value in found) else tuple(map(str, found))


def _npmrc(look: Look, path: str) -> dict[str, str] | None:
    """The settings of a file that bear on where packages go; None: they cannot be told."""
    found: dict[str, str] = {}
    for line in (look.read(path) or "").splitlines():
        key, equals, value = line.strip().partition("=")
        key, value = key.strip(), value.strip().strip("'\"")
        if not equals or key[:1] in ("#", ";"):
            continue
        if key in ("registry", "proxy", "https-proxy", "prefix", "userconfig", "globalconfig") or key.endswith(
            ":registry"
        ):
            if key != "registry" and not key.endswith(":registry"):
                return None
            if "${" in value:
                return None
            found[key] = value
    return found


def _is_plain_yarn(query: Query, look: Look) -> bool:
    """False where settings of yarn, bun or pnpm may name a registry in a way that is not followed."""
    odd = {"yarn": ("npmScopes", ".yarnrc.yml"), "bun": ("registry", "bunfig.toml"),
           "pnpm": ("regist", "pnpm-workspace.yaml")}  # fmt: skip
    word, file = odd.get(query.program, ("", ""))
    return not word or not any(word in (look.read(f"{at}/{file}") or "") for at in (*above(query.folder), look.home))


def _yarn_registries(look: Look, folder: str) -> list[str]:
    found = []
    for at in (*above(folder), look.home):
        for line in (look.read(f"{at}/.yarnrc.yml") or "").splitlines():
            key, colon, value = line.partition(":")
            if colon and key in ("npmPublishRegistry", "npmRegistryServer"):
                found.append(value.strip().strip("'\""))
        for line in (look.read(f"{at}/.yarnrc") or "").splitlines():
            key, _, value = line.partition(" ")
            if key.strip('"') == "registry":
                found.append(value.strip().strip("'\""))
    return found


# --- PyPI -------------------------------------------------------------------------------------------------------------


def pypi(query: Query, look: Look) -> Answer:
    by = _PYPI.get(query.program)
    if by is None:
        return ()
    addresses, names, files = by
    said = list(query.fields.get("registry", ()))
    if not said:
        address = look.variable(query, *addresses)
        said = [address or look.variable(query, *names) or "pypi"]
    found: list[str] = []
    for text in said:
        if "://" in text:
            found += _places([text]) or [""]
            continue
        where = files(query, look, text)
        found += [""] if where is None else _places(where) if where else [_KNOWN.get(text, "")]
    return tuple(dict.fromkeys(found)) if all(found) else ()


def _pypirc(query: Query, look: Look, name: str) -> list[str] | None:
    section, found = "", []
    for line in (look.read(f"{look.home}/.pypirc") or "").splitlines():
        text = line.strip()
        if text.startswith("["):
            section = text.strip("[]").strip()
            continue
        key, mark, value = text.partition("=") if "=" in text else text.partition(":")
        if mark and section == name and key.strip() == "repository":
            found.append(value.strip())
    return found


def _poetry(query: Query, look: Look, name: str) -> list[str] | None:
    variable = f"poetry_repositories_{name.lower().replace('-', '_').replace('.', '_')}_url"
    if look.env.get(variable):
        return [look.env[variable]]
    found = []
    for path in (f"{query.folder}/poetry.toml", f"{look.config}/pypoetry/config.toml"):
        table = toml_of(look, path)
        if table is None:
            return None
        one = _table(_table(table.get("repositories")).get(name))
        found += [one["url"]] if isinstance(one.get("url"), str) else []
    return found


def _pdm(query: Query, look: Look, name: str) -> list[str] | None:
    found = []
    for path in (f"{query.folder}/pdm.toml", f"{look.config}/pdm/config.toml"):
        table = toml_of(look, path)
        if table is None:
            return None
        one = _table(_table(table.get("repository")).get(name))
        found += [one["url"]] if isinstance(one.get("url"), str) else []
    return found


def _hatch(query: Query, look: Look, name: str) -> list[str] | None:
    texts = [look.read(path) or "" for path in (f"{query.folder}/pyproject.toml", f"{query.folder}/hatch.toml",
                                                f"{look.config}/hatch/config.toml")]  # fmt: skip
    return None if any("publish" in text and "repo" in text for text in texts) else []


def _uv(query: Query, look: Look, name: str) -> list[str] | None:
    found: list[str] = []
    named = bool(query.fields.get("registry"))
    for at in above(query.folder):
        for path in (f"{at}/pyproject.toml", f"{at}/uv.toml"):
            table = toml_of(look, path)
            if table is None:
                return None
            own = _table(_table(table.get("tool")).get("uv")) if path.endswith("pyproject.toml") else table
            indexes = own.get("index", [])
            for index in indexes if isinstance(indexes, list) else []:
                if named and _table(index).get("name") == name:
                    found.append(str(_table(index).get("publish-url", "")))
            if not named and "publish-url" in own:
                found.append(str(own["publish-url"]))
    for path in (f"{look.config}/uv/uv.toml", "/etc/uv/uv.toml"):
        table = toml_of(look, path)
        if table is None or "publish-url" in table or "index" in table:
            return None
    return None if named and not all(found) else found or (["?"] if named else [])


# program -> variables that hold an address, variables that hold a name, and who looks the name up
_PYPI: Mapping[str, Any] = FrozenMap({
    "twine": (("twine_repository_url",), ("twine_repository",), _pypirc),
    "maturin": (("maturin_repository_url",), ("maturin_repository",), _pypirc),
    "flit": (("flit_index_url",), (), _pypirc),
    "poetry": ((), (), _poetry),
    "pdm": ((), ("pdm_publish_repo",), _pdm),
    "hatch": ((), (), _hatch),
    "uv": (("uv_publish_url",), (), _uv),
})  # fmt: skip


def toml_of(look: Look, path: str) -> dict[str, Any] | None:
    """The table of a file; empty where there is none, None where it is no TOML."""
    text = look.read(path)
    if text is None:
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        return None


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


# --- crates.io and rubygems.org ---------------------------------------------------------------------------------------


def cargo(query: Query, look: Look) -> Answer:
    home = look.variable(query, "cargo_home") or f"{look.home}/.cargo"
    tables = []
    for at in dict.fromkeys([*[f"{at}/.cargo" for at in above(query.folder)], home]):
        tables += [toml_of(look, f"{at}/config.toml"), toml_of(look, f"{at}/config")]
    manifest = toml_of(look, f"{query.folder}/Cargo.toml")
    if manifest is None or any(table is None for table in tables):
        return ()
    known = [table for table in tables if table]
    if any("replace-with" in _table(_table(table.get("source")).get("crates-io")) for table in known):
        return ()
    allowed = _table(manifest.get("package")).get("publish")
    if isinstance(allowed, dict):  # from the workspace
        return ()
    said = list(query.fields.get("registry", ()))
    if not said and isinstance(allowed, list):
        if len(allowed) != 1:
            return ()
        said = [str(allowed[0])]
    default = look.variable(query, "cargo_registry_default")
    said = said or [default or first([str(_table(table.get("registry")).get("default", "")) for table in known])]
    found = []
    for name in said or [""]:
        if "://" in name:
            found.append(place_of(name.removeprefix("sparse+").removeprefix("registry+")))
        elif name in ("", "crates-io"):
            found.append("crates.io")
        else:
            variable = look.env.get(f"cargo_registries_{name.lower().replace('-', '_')}_index", "")
            indexes = [str(_table(_table(table.get("registries")).get(name)).get("index", "")) for table in known]
            index = variable or first(indexes)
            found.append(place_of(index.removeprefix("sparse+").removeprefix("registry+")) if index else "")
    return tuple(dict.fromkeys(found)) if all(found) else ()


def gem(query: Query, look: Look) -> Answer:
    """A gem may name its server itself, inside the archive: without a host that is said, nobody can tell."""
    said = query.fields.get("registry", ()) or (look.variable(query, "rubygems_host"),)
    return _places(said)
