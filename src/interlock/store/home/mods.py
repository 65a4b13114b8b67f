"""Finds the plug-ins of Claude Code that a session in a folder could load, from the disk alone.

A plug-in whose hooks file names `modules` is a mod: its code runs inside the client and stands above every hook, this
guard's among them. Others may carry hooks, tool servers or programs. The client takes them from the skills folders of
the home and of the project, from folders that settings or variables name, from marketplaces that settings enable, and
from a folder that agents write to. What cannot be looked into counts as a mod. Nothing here is run.
"""

from __future__ import annotations

import os

from ...limits import MAX_ENABLED_PLUGINS, MAX_MODS, MAX_PATH_CHARS
from ...model.environment import moved_by
from ...value import TYPE_CHECKING, FrozenMap, Value
from .mod_files import Files, mark_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from .folders import Folders

__all__ = ["KINDS", "NOWHERE", "Layer", "Layers", "Mod", "layers_of", "loads_from", "mods_in"]

_MANAGED = ("/etc/claude-code", "/Library/Application Support/ClaudeCode")
_DIRS = "CLAUDE_CODE_PLUGIN_DIRS"
_CACHE = "CLAUDE_CODE_PLUGIN_CACHE_DIR"  # in place of the plug-in folder of the client
_SEED = "CLAUDE_CODE_PLUGIN_SEED_DIR"  # another folder of the same shape
KINDS = ("mod", "hooks", "mcp", "bin")  # what matters most first
NOWHERE: Mapping[str, str] = FrozenMap({})


class Mod(Value):
    """A plug-in that a session could load.

    name        as its manifest gives it, or that of its folder
    where       the place that it loads from, in words
    root        its folder
    digest      of every file in it
    kind        mod: code inside the client; hooks, mcp, bin: the most that it carries
    in_project  whoever changes the project can change it, or has it loaded
    readable    False: it could not be looked into, and counts as a mod
    """

    name: str
    where: str
    root: str
    digest: str
    kind: str
    in_project: bool
    readable: bool = True


class Layer(Value):
    """One settings file. `settings` is None where it cannot be read."""

    name: str
    path: str
    settings: Mapping[str, Any] | None


class Layers(Value):
    """Every settings file of the client, the weakest first, and the folders that stand for `~/.claude`."""

    homes: tuple[str, ...]
    roots: tuple[str, ...]
    files: tuple[Layer, ...]

    def texts(self, key: str) -> Iterator[tuple[Layer, Mapping[str, Any]]]:
        """Every object that the files have under a key."""
        for layer in self.files:
            value = (layer.settings or {}).get(key)
            if isinstance(value, dict):
                yield layer, value

    def is_off(self, id: str) -> bool:
        said = [value[id] for _, value in self.texts("enabledPlugins") if id in value]
        return bool(said) and not any(one is not False for one in said)

    def enabled(self) -> dict[str, bool]:
        """Plug-in -> whether a file of the project says so."""
        found: dict[str, bool] = {}
        for layer, value in self.texts("enabledPlugins"):
            for id, said in value.items():
                if said is not False and said is not None:
                    found[id] = found.get(id, False) or layer.name in ("project", "local")
        return found


def layers_of(folders: Folders, root: str, environment: Mapping[str, str] = NOWHERE, *, cwd: str = "") -> Layers:
    return _layers(folders.home, {**folders.moved, **moved_by(environment)}, root, cwd)


def _layers(home: str, moved: Mapping[str, str], root: str, cwd: str) -> Layers:
    files = Files()
    homes = _once([f"{home}/.claude", *[folder for folder, place in moved.items() if place == ".claude"]])
    roots = _once([folder for folder in (root, cwd) if folder and folder != home])
    named = [("user", f"{home}/settings.json") for home in homes]
    named += [("project", f"{folder}/.claude/settings.json") for folder in roots]
    named += [("local", f"{folder}/.claude/settings.local.json") for folder in _once([root, cwd]) if folder]
    named += [("managed", f"{home}/remote-settings.json") for home in homes]
    for folder in _MANAGED:
        named.append(("managed", f"{folder}/managed-settings.json"))
        named += [("managed", path) for path in _json_in(f"{folder}/managed-settings.d")]
    read = [Layer(name=name, path=path, settings=files.object_in(path)) for name, path in named]
    return Layers(homes=homes, roots=roots, files=tuple(read))


def mods_in(
    folders: Folders,
    root: str,
    environment: Mapping[str, str] = NOWHERE,
    *,
    cwd: str = "",
    given: Iterable[str] = (),
    own: str = "",
    admitted: frozenset[str] = frozenset(),
) -> tuple[Mod, ...]:
    """The plug-ins with more in them than texts, each once. `given`: folders that the client was started with; `own`:
    the folder of our own, as it was seated; `admitted`: digests of those that are known. These are left out.
    """
    look = _looked(layers_of(folders, root, environment, cwd=cwd), environment, given)
    if look.files.cut:
        look.unseen()
    if own:
        look.found.pop(os.path.realpath(own), None)
    return tuple([mod for mod in look.found.values() if mod.digest not in admitted])


def loads_from(folder: str, home: str, root: str, moved: Mapping[str, str]) -> bool:
    """Whether the client takes a plug-in from this folder, or the list of a marketplace that is in use, whatever lies
    there now. What cannot be told counts.
    """
    look = _looked(_layers(home, moved, root, ""), NOWHERE, (), reads=False)
    return os.path.realpath(folder) in look.places or look.files.cut


def _looked(layers: Layers, environment: Mapping[str, str], given: Iterable[str], *, reads: bool = True) -> _Look:
    look = _Look(layers, reads=reads)
    for home in layers.homes:
        look.skills(f"{home}/skills", "the skills folder in your home")
    for folder in layers.roots:
        look.skills(f"{folder}/.claude/skills", "the skills folder of the project")
    for home in layers.homes:
        for session in look.files.below(f"{home}/dev-mods"):
            look.take(session, "the folder in which agents write mods", own_name=True)
            for folder in look.files.below(session):
                look.take(folder, "the folder in which agents write mods", own_name=True)
    look.named(given, "the command line of the client")
    look.named(environment.get(_DIRS, "").split(os.pathsep), f"the variable {_DIRS}")
    for layer, variables in layers.texts("env"):
        if layer.name not in ("project", "local"):  # there, the client passes the variable over
            look.named(str(variables.get(_DIRS) or "").split(os.pathsep), f"{_DIRS} in {layer.path}")
    plugins = [environment.get(_CACHE, ""), *environment.get(_SEED, "").split(os.pathsep)]
    look.markets([*[f"{home}/plugins" for home in layers.homes], *[folder for folder in plugins if folder]])
    return look


class _Look:
    """What has been found so far, by the real place of each.

    `places`: every folder that was looked at, really. Unless it `reads`, no more than these is found out.
    """

    def __init__(self, layers: Layers, *, reads: bool = True) -> None:
        self.layers = layers
        self.reads = reads
        self.places: set[str] = set()
        self.files = Files()
        self.found: dict[str, Mod] = {}
        self.listed: dict[str, dict[str, list[Mapping[str, Any]]]] = {}

    # --- folders of skills, and folders that are named ------------------------------------------------

    def skills(self, folder: str, where: str) -> None:
        for entry in self.files.below(folder):
            self.take(entry, where)

    def named(self, folders: Iterable[str], where: str) -> None:
        """The client takes such a folder, and what lies in it. It may also be an archive."""
        for name in folders:
            if not name.strip():
                continue
            for folder in self._absolute(name):
                if os.path.isfile(folder):
                    digest = self.files.tree(folder)
                    self._add(os.path.basename(folder), where, folder, "mod", digest, readable=False)
                    continue
                self.take(folder, where, own_name=True)
                for entry in self.files.below(folder):
                    self.take(entry, where, own_name=True)

    def _absolute(self, path: str) -> list[str]:
        if "\0" in path or len(path) > MAX_PATH_CHARS:
            return []
        if path == "~" or path.startswith("~/"):
            return [os.path.dirname(home) + path[1:] for home in self.layers.homes[:1]]
        if path.startswith("/"):
            return [os.path.normpath(path)]
        bases = [*self.layers.roots, *self.layers.homes]
        return [os.path.normpath(f"{base}/{path}") for base in bases if os.path.lexists(f"{base}/{path}")]

    # --- marketplaces ---------------------------------------------------------------------------------

    def markets(self, stores: list[str]) -> None:
        enabled = self.layers.enabled()
        installed = [self.files.object_in(f"{store}/installed_plugins.json") for store in stores]
        for one in installed:
            for id in _of_every_project((one or {}).get("plugins")):
                if id not in enabled and not self.layers.is_off(id):
                    enabled[id] = False
        places = self._market_places(stores) if enabled else {}
        self.files.cut = self.files.cut or len(enabled) > MAX_ENABLED_PLUGINS
        for id, by_project in list(enabled.items())[:MAX_ENABLED_PLUGINS]:
            plugin, at, market = id.rpartition("@")
            if not at or market in ("skills-dir", "inline", "builtin"):
                continue
            where = f"the marketplace {market}" + (", enabled by the project" if by_project else "")
            for one in installed:
                for folder in _paths_in((one or {}).get("plugins"), id):
                    self.take(folder, where, by_project=by_project)
            for store in stores:
                for version in self.files.below(f"{store}/cache/{market}/{plugin}"):
                    self.take(version, where, by_project=by_project)
            for place in places.get(market, ()):
                self._in_market(place, plugin, where, by_project)

    def _market_places(self, stores: list[str]) -> dict[str, list[str]]:
        """Marketplace -> folders, or files, that may hold it."""
        found: dict[str, list[str]] = {}
        sources: list[Mapping[str, Any]] = [
            value for key in ("extraKnownMarketplaces", "additionalMarketplaces") for _, value in self.layers.texts(key)
        ]
        sources += [self.files.object_in(f"{store}/known_marketplaces.json") or {} for store in stores]
        for named in sources:
            for name, about in named.items():
                if not isinstance(about, dict):
                    continue
                source = about.get("source")
                paths = [about.get("installLocation"), source.get("path") if isinstance(source, dict) else None]
                for path in paths:
                    if isinstance(path, str) and path:
                        found.setdefault(name, []).extend(self._absolute(path))
        for store in stores:
            for folder in self.files.below(f"{store}/marketplaces"):
                found.setdefault(os.path.basename(folder), []).append(folder)
        return found

    def _in_market(self, place: str, plugin: str, where: str, by_project: bool) -> None:
        if os.path.isfile(place):  # the source `file` names the list itself
            listed, base = place, os.path.dirname(os.path.dirname(place))
        else:
            listed, base = f"{place}/.claude-plugin/marketplace.json", place
        self.places.add(os.path.realpath(base))
        market = self.files.object_in(listed)
        if market is None:
            self._add(plugin, where, base, "mod", self.files.tree(listed), readable=False, by_project=by_project)
            return
        about = market.get("metadata")
        prefix = str(about.get("pluginRoot") or "") if isinstance(about, dict) else ""
        for entry in self._entries(listed, market).get(plugin, ()):
            for inner in _once(["", prefix]):
                folder = os.path.normpath(f"{base}/{inner}/{entry['source']}")
                self.take(folder, where, entry=entry, by_project=by_project)

    def _entries(self, listed: str, market: Mapping[str, Any]) -> Mapping[str, list[Mapping[str, Any]]]:
        """The plug-ins of a marketplace that lie beside its list, by name."""
        known = self.listed.get(listed)
        if known is None:
            known = self.listed[listed] = {}
            for entry in _listed(market.get("plugins")):
                if isinstance(entry, dict) and isinstance(entry.get("source"), str):
                    known.setdefault(str(entry.get("name")), []).append(entry)
        return known

    # --- one plug-in ----------------------------------------------------------------------------------

    def take(
        self,
        root: str,
        where: str,
        *,
        own_name: bool = False,
        entry: Mapping[str, Any] = NOWHERE,
        by_project: bool = False,
    ) -> None:
        """A folder that may be a plug-in. `entry`: what its marketplace says of it, in place of a manifest or besides;
        `own_name`: settings cannot switch it off by its name.
        """
        if "\0" in root:
            return
        self.places.add(os.path.realpath(root))
        path = f"{root}/.claude-plugin/plugin.json"
        if not self.reads or (not entry and not os.path.lexists(path)):
            return
        manifest = self.files.object_in(path)
        name = str((manifest or {}).get("name") or os.path.basename(root))
        if not own_name and not entry and self.layers.is_off(f"{name}@skills-dir"):
            return
        kind = "mod" if manifest is None else self._kind(root, manifest, entry)
        if kind and len(self.found) >= MAX_MODS:
            self.files.cut = True
        elif kind:
            readable = manifest is not None
            self._add(name, where, root, kind, self.files.tree(root), readable=readable, by_project=by_project)

    def _kind(self, root: str, manifest: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
        given = [named for about in (manifest, entry) for named in _listed(about.get("hooks"))]
        carries = set()
        for hooks in ["./hooks/hooks.json", *given]:
            found = hooks if isinstance(hooks, dict) else None
            if isinstance(hooks, str):
                found = self.files.object_in(os.path.normpath(f"{root}/{hooks}"))
                if found is None:
                    return "mod"  # who knows what the client makes of it
            if found and found.get("modules"):
                return "mod"
            if found:
                carries.add("hooks")
        for about in (manifest, entry):
            if about.get("mcpServers"):
                carries.add("mcp")
            if about.get("lspServers") or about.get("monitors"):
                carries.add("bin")
        if os.path.lexists(f"{root}/.mcp.json"):
            carries.add("mcp")
        if os.path.lexists(f"{root}/bin") or os.path.lexists(f"{root}/.lsp.json"):
            carries.add("bin")
        return next((kind for kind in KINDS if kind in carries), "")

    def _add(
        self,
        name: str,
        where: str,
        root: str,
        kind: str,
        digest: str,
        *,
        readable: bool = True,
        by_project: bool = False,
    ) -> None:
        real = os.path.realpath(root)
        inside = by_project or any(
            (place + "/").startswith(folder + "/")
            for folder in (*self.layers.roots, *map(os.path.realpath, self.layers.roots))
            for place in (root, real)
        )
        mod = Mod(
            name=name[:200],
            where=where,
            root=root,
            digest=digest,
            kind=kind,
            in_project=inside,
            readable=readable,
        )
        known = self.found.get(real)
        if known is None or KINDS.index(mod.kind) < KINDS.index(known.kind):
            self.found[real] = mod

    def unseen(self) -> None:
        """More than the bounds let us look at: something there may be a mod."""
        for folder in [*[f"{home}/skills" for home in self.layers.homes], *self.layers.roots]:
            if os.path.lexists(folder):
                text = "a folder with more in it than is looked through"
                self._add("?", text, folder, "mod", mark_of(folder), readable=False)
                return


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _of_every_project(plugins: Any) -> list[str]:
    """Installed for every project, whether or not a settings file says so."""
    if not isinstance(plugins, dict):
        return []
    return [
        id
        for id, copies in plugins.items()
        if any(isinstance(copy, dict) and copy.get("scope", "user") == "user" for copy in _listed(copies))
    ]


def _paths_in(plugins: Any, id: str) -> list[str]:
    copies = _listed(plugins.get(id)) if isinstance(plugins, dict) else []
    paths = [copy.get("installPath") for copy in copies if isinstance(copy, dict)]
    return [path for path in paths if isinstance(path, str) and path.startswith("/")]


def _json_in(folder: str) -> list[str]:
    try:
        return [f"{folder}/{name}" for name in sorted(os.listdir(folder)) if name.endswith(".json")]
    except OSError:
        return []


def _once(items: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))
