"""Which plug-ins of Claude Code are found on the disk: every place that they load from, and every disguise."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from interlock.bytes.canon import canonical
from interlock.follow.inside import look_inside
from interlock.limits import MAX_MODS
from interlock.model.events import Place
from interlock.store.home.folders import folders_for
from interlock.store.home.mod_files import stamp_of
from interlock.store.home.mod_switches import switches_in
from interlock.store.home.mods import Mod, mods_in
from interlock.store.home.seat import Seat

CODE = "export const register = (on) => { on('classic.*', () => ({})) }"
MANIFEST = ".claude-plugin/plugin.json"
MODULES = {"modules": ["./register.js"]}


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def make_mod(folder: Path, *, name: str = "m", hooks: object = MODULES, manifest: object = None) -> Path:
    write(folder / ".claude-plugin/plugin.json", {"name": name, "version": "1.0.0"} if manifest is None else manifest)
    write(folder / "hooks/hooks.json", hooks)
    write(folder / "hooks/register.js", CODE)
    return folder


class Disk:
    def __init__(self, tmp_path: Path) -> None:
        self.home, self.root = tmp_path / "home", tmp_path / "project"
        self.home.mkdir()
        self.root.mkdir()
        self.folders = folders_for(str(self.home))

    def found(self, **more: object) -> tuple[Mod, ...]:
        return mods_in(self.folders, str(self.root), **more)  # type: ignore[arg-type]

    def roots(self, **more: object) -> list[tuple[str, bool]]:
        """What was found: the folder below home or project, and whether the project has it in its hands."""
        return [(os.path.relpath(mod.root, self.home.parent), mod.in_project) for mod in self.found(**more)]


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


def market(disk: Disk, folder: Path, *, source: object = "./m", **entry: object) -> None:
    listed = {"name": "mk", "owner": {"name": "x"}, "plugins": [{"name": "m", "source": source, **entry}]}
    write(folder / ".claude-plugin/marketplace.json", listed)


def enabling(path: Path, kind: str = "directory") -> dict[str, object]:
    source = {"source": {"source": kind, "path": str(path)}}
    return {"extraKnownMarketplaces": {"mk": source}, "enabledPlugins": {"m@mk": True}}


def in_home_skills(disk: Disk) -> None:
    make_mod(disk.home / ".claude/skills/m")


def in_project_skills(disk: Disk) -> None:
    make_mod(disk.root / ".claude/skills/m")


def in_dev_mods(disk: Disk) -> None:
    make_mod(disk.home / ".claude/dev-mods/session/m")


def in_folder_of_user_variable(disk: Disk) -> None:
    make_mod(disk.root / "x/m")
    write(disk.home / ".claude/settings.json", {"env": {"CLAUDE_CODE_PLUGIN_DIRS": str(disk.root / "x/m")}})


def in_market_of_project(disk: Disk) -> None:
    make_mod(disk.root / "mk/m")
    market(disk, disk.root / "mk")
    write(disk.root / ".claude/settings.json", enabling(disk.root / "mk"))


def in_market_of_local_settings(disk: Disk) -> None:
    make_mod(disk.root / "mk/m")
    market(disk, disk.root / "mk")
    write(disk.root / ".claude/settings.local.json", enabling(Path("mk")))


def in_market_file(disk: Disk) -> None:
    make_mod(disk.root / "mk/m")
    market(disk, disk.root / "mk")
    path = disk.root / "mk/.claude-plugin/marketplace.json"
    write(disk.root / ".claude/settings.json", enabling(path, "file"))


def in_market_below_its_plugin_root(disk: Disk) -> None:
    make_mod(disk.root / "mk/all/m")
    market(disk, disk.root / "mk", source="m")
    path = disk.root / "mk/.claude-plugin/marketplace.json"
    write(path, {**json.loads(path.read_text()), "metadata": {"pluginRoot": "./all"}})
    write(disk.root / ".claude/settings.json", enabling(disk.root / "mk"))


def in_market_without_manifest(disk: Disk) -> None:
    write(disk.root / "mk/m/alt.json", MODULES)
    market(disk, disk.root / "mk", strict=False, hooks="./alt.json")
    write(disk.root / ".claude/settings.json", enabling(disk.root / "mk"))


def in_known_market_of_home(disk: Disk) -> None:
    make_mod(disk.home / "clone/m")
    market(disk, disk.home / "clone")
    known = {"mk": {"source": {"source": "github", "repo": "a/b"}, "installLocation": str(disk.home / "clone")}}
    write(disk.home / ".claude/plugins/known_marketplaces.json", known)
    write(disk.root / ".claude/settings.json", {"enabledPlugins": {"m@mk": True}})


def in_cache_of_home(disk: Disk) -> None:
    make_mod(disk.home / ".claude/plugins/cache/mk/m/1.0.0")
    write(disk.home / ".claude/settings.json", {"enabledPlugins": {"m@mk": True}})


def installed_for_every_project(disk: Disk) -> None:
    make_mod(disk.home / "copy")
    listed = {"version": 2, "plugins": {"m@mk": [{"scope": "user", "installPath": str(disk.home / "copy")}]}}
    write(disk.home / ".claude/plugins/installed_plugins.json", listed)


PLACES = {
    in_home_skills: ("home/.claude/skills/m", False),
    in_project_skills: ("project/.claude/skills/m", True),
    in_dev_mods: ("home/.claude/dev-mods/session/m", False),
    in_folder_of_user_variable: ("project/x/m", True),
    in_market_of_project: ("project/mk/m", True),
    in_market_of_local_settings: ("project/mk/m", True),
    in_market_file: ("project/mk/m", True),
    in_market_below_its_plugin_root: ("project/mk/all/m", True),
    in_market_without_manifest: ("project/mk/m", True),
    in_known_market_of_home: ("home/clone/m", True),
    in_cache_of_home: ("home/.claude/plugins/cache/mk/m/1.0.0", False),
    installed_for_every_project: ("home/copy", False),
}


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_a_mod_is_found_in_every_place_that_mods_load_from(disk: Disk, place: object) -> None:
    place(disk)  # type: ignore[operator]
    assert [(mod.kind, mod.readable) for mod in disk.found()] == [("mod", True)]
    assert disk.roots() == [PLACES[place]]  # type: ignore[index]


def test_a_mod_is_found_where_variables_and_the_command_line_point(disk: Disk) -> None:
    make_mod(disk.root / "x/m")
    make_mod(disk.home / "elsewhere/skills/n", name="n")
    assert disk.roots(environment={"CLAUDE_CODE_PLUGIN_DIRS": str(disk.root / "x/m")}) == [("project/x/m", True)]
    assert disk.roots(environment={"CLAUDE_CODE_PLUGIN_DIRS": f"/none:{disk.root}/x"}) == [("project/x/m", True)]
    assert disk.roots(environment={"CLAUDE_CONFIG_DIR": str(disk.home / "elsewhere")}) == [
        ("home/elsewhere/skills/n", False)
    ]
    assert disk.roots(given=(str(disk.root / "x"),)) == [("project/x/m", True)]


def test_the_folder_in_which_the_client_was_started_counts_beside_the_project(disk: Disk) -> None:
    make_mod(disk.root / "sub/.claude/skills/m")
    assert disk.roots() == []
    assert disk.roots(cwd=str(disk.root / "sub")) == [("project/sub/.claude/skills/m", True)]


def by_named_hooks(folder: Path) -> None:
    make_mod(folder, hooks={"hooks": {}}, manifest={"name": "m", "hooks": "./alt/h.json"})
    write(folder / "alt/h.json", MODULES)


def by_list_of_hooks(folder: Path) -> None:
    make_mod(folder, hooks={}, manifest={"name": "m", "hooks": ["./a.json", "./b.json"]})
    write(folder / "b.json", MODULES)


def by_hooks_inside_the_manifest(folder: Path) -> None:
    make_mod(folder, hooks={}, manifest={"name": "m", "hooks": {"modules": ["./register.js"]}})


def by_hooks_outside_the_folder(folder: Path) -> None:
    make_mod(folder, hooks={}, manifest={"name": "m", "hooks": "../../../h.json"})
    write(folder.parent.parent.parent / "h.json", MODULES)


def by_the_last_of_two_keys(folder: Path) -> None:
    make_mod(folder, hooks='{"modules": [], "modules": ["./register.js"]}')


def by_a_mark_of_order(folder: Path) -> None:
    make_mod(folder, hooks="\ufeff" + json.dumps(MODULES))


def by_a_link(folder: Path) -> None:
    make_mod(folder.parent.parent.parent / "elsewhere")
    folder.parent.mkdir(parents=True)
    folder.symlink_to(folder.parent.parent.parent / "elsewhere")


def by_a_linked_manifest(folder: Path) -> None:
    make_mod(folder)
    (folder / ".claude-plugin/plugin.json").rename(folder / "p.json")
    (folder / ".claude-plugin/plugin.json").symlink_to("../p.json")


DISGUISES = [
    by_named_hooks, by_list_of_hooks, by_hooks_inside_the_manifest, by_hooks_outside_the_folder,
    by_the_last_of_two_keys, by_a_mark_of_order, by_a_link, by_a_linked_manifest,
]  # fmt: skip


@pytest.mark.parametrize("disguise", DISGUISES, ids=lambda disguise: disguise.__name__)
def test_a_mod_is_found_however_it_names_its_modules(disk: Disk, disguise: object) -> None:
    disguise(disk.root / ".claude/skills/m")  # type: ignore[operator]
    assert [mod.kind for mod in disk.found()] == ["mod"]


def test_what_cannot_be_looked_into_counts_as_a_mod(disk: Disk) -> None:
    contents = {"torn": "{", "deep": "[" * 100_000, "list": "[]", "huge": '{"a":"' + "x" * (1 << 21) + '"}'}
    for name, text in contents.items():
        write(make_mod(disk.root / f".claude/skills/{name}", hooks={}) / "hooks/hooks.json", text)
    pipe = make_mod(disk.root / ".claude/skills/pipe", hooks={}) / ".claude-plugin/plugin.json"
    pipe.unlink()
    os.mkfifo(pipe)
    found = sorted(os.path.basename(mod.root) for mod in disk.found() if mod.kind == "mod")
    assert found == sorted([*contents, "pipe"])


def test_a_folder_too_large_to_look_through_is_named(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interlock.store.home.mod_files.MAX_MOD_FOLDERS", 8)
    for at in range(20):
        write(disk.root / f".claude/skills/s{at:02}/SKILL.md", "text")
    make_mod(disk.root / ".claude/skills/z")
    assert [(mod.kind, mod.readable) for mod in disk.found()] == [("mod", False)]


def test_ordinary_skills_and_plug_ins_that_are_not_enabled_are_no_finding(disk: Disk) -> None:
    write(disk.root / ".claude/skills/plain/SKILL.md", "---\nname: plain\n---\ntext")
    write(disk.root / ".claude/skills/bare/hooks/hooks.json", MODULES)  # no manifest: the client takes none of it
    make_mod(disk.root / ".claude/skills/a/nested")
    make_mod(disk.root / ".claude/mods/m")
    make_mod(disk.root / "mk/m")
    market(disk, disk.root / "mk")
    write(disk.root / ".claude/settings.json", {**enabling(disk.root / "mk"), "enabledPlugins": {"m@mk": False}})
    make_mod(disk.home / ".claude/plugins/cache/mk/m/1.0.0")
    write(disk.root / ".claude/skills/words/.claude-plugin/plugin.json", {"name": "words"})
    assert disk.found() == ()


def test_a_skill_that_settings_switch_off_does_not_load_but_one_that_an_agent_wrote_does(disk: Disk) -> None:
    make_mod(disk.root / ".claude/skills/m")
    make_mod(disk.home / ".claude/dev-mods/s/m")
    write(disk.root / ".claude/settings.json", {"enabledPlugins": {"m@skills-dir": False, "m@inline": False}})
    assert disk.roots() == [("home/.claude/dev-mods/s/m", False)]


def test_what_a_plug_in_carries_is_told_apart(disk: Disk) -> None:
    skills = disk.home / ".claude/skills"
    make_mod(skills / "a", name="a", hooks={"hooks": {"PreToolUse": []}})
    make_mod(skills / "b", name="b", hooks={}, manifest={"name": "b", "mcpServers": {"x": {"command": "x"}}})
    make_mod(skills / "c", name="c", hooks={})
    (skills / "c/bin").mkdir()
    assert {mod.name: mod.kind for mod in disk.found()} == {"a": "hooks", "b": "mcp", "c": "bin"}


def test_one_that_is_admitted_by_its_digest_is_left_out_until_any_file_of_it_changes(disk: Disk) -> None:
    folder = make_mod(disk.home / ".claude/skills/m")
    admitted = frozenset(mod.digest for mod in disk.found())
    stamp = stamp_of(str(folder))
    assert disk.found(admitted=admitted) == ()
    write(folder / "lib/deep.js", CODE)
    assert len(disk.found(admitted=admitted)) == 1
    assert stamp_of(str(folder)) != stamp


def test_a_link_that_leads_back_ends(disk: Disk) -> None:
    folder = make_mod(disk.root / ".claude/skills/m")
    (folder / "again").symlink_to(folder)
    assert len(disk.found()) == 1


def test_a_large_home_is_looked_through_in_a_fifth_of_a_second(disk: Disk) -> None:
    for at in range(300):
        write(disk.home / f".claude/skills/s{at}/SKILL.md", "text")
    for at in range(20):
        make_mod(disk.home / f".claude/skills/p{at}", name=f"p{at}", hooks={"hooks": {"Stop": []}})
    start = time.process_time()
    assert len(disk.found()) == 20
    assert time.process_time() - start < 0.2


@pytest.mark.parametrize("odd", ["\\u0000", "\\ud800", "..", "/", "", "~", "a" * 5000], ids=lambda odd: odd[:6])
def test_odd_names_in_settings_and_manifests_stop_nobody_from_looking(disk: Disk, odd: str) -> None:
    source = f'{{"source":{{"source":"directory","path":"/none/{odd}"}}}}'
    enabled = f'{{"m@mk":true,"{odd}@mk":true,"m@{odd}":true,"{odd}":true}}'
    write(
        disk.root / ".claude/settings.json",
        f'{{"extraKnownMarketplaces":{{"mk":{source}}},"enabledPlugins":{enabled}}}',
    )
    write(disk.home / ".claude/settings.json", f'{{"env":{{"CLAUDE_CODE_PLUGIN_DIRS":"/none/{odd}:{odd}"}}}}')
    write(make_mod(disk.root / ".claude/skills/m") / MANIFEST, f'{{"name":"{odd}","hooks":["{odd}",5,["{odd}"]]}}')
    found = look_inside(Place(host="claude-code", cwd=str(disk.root)), disk.folders, str(disk.root))
    assert [one.path for one in found.found] == [str(disk.root / ".claude/skills/m")]
    assert canonical([one.as_dict() for one in found.found])


def test_a_name_that_is_no_text_is_told_all_the_same(disk: Disk) -> None:
    folder = make_mod(disk.root / ".claude/skills/m")
    os.rename(folder, os.fsencode(folder) + b"\xff")
    found = look_inside(Place(host="claude-code", cwd=str(disk.root)), disk.folders, str(disk.root))
    assert [one.path for one in found.found] == [f"{folder}\ufffd"]
    assert canonical([one.as_dict() for one in found.found])


def test_a_project_cannot_keep_a_session_busy_with_what_it_lists(disk: Disk) -> None:
    listed = [{"name": f"p{at}", "source": "./m"} for at in range(4000)]
    write(disk.root / "mk/.claude-plugin/marketplace.json", {"plugins": listed})
    enabled = {f"p{at}@mk": True for at in range(5000)}
    write(disk.root / ".claude/settings.json", {**enabling(disk.root / "mk"), "enabledPlugins": enabled})
    start = time.process_time()
    assert [mod.readable for mod in disk.found()] == [False]  # more than is looked at: told as such
    for at in range(100):
        folder = make_mod(disk.root / f".claude/skills/m{at}", name=f"m{at}")
        (folder / "large").write_bytes(b"x" * 300_000)
    assert len(disk.found()) == MAX_MODS + 1
    assert time.process_time() - start < 5


@pytest.mark.parametrize("holds", [False, True])
def test_where_our_own_mod_refuses_others_they_are_told_and_nothing_waits(
    disk: Disk, monkeypatch: pytest.MonkeyPatch, holds: bool
) -> None:
    ours = make_mod(disk.home / ".claude/skills/ilk-1", name="ilk-1")
    theirs = make_mod(disk.root / ".claude/skills/m")
    seat = Seat(id=SEAT, folder=str(ours), holds=holds)
    monkeypatch.setattr("interlock.follow.inside.seat_of", lambda *_: seat)
    found = look_inside(Place(host="claude-code", cwd=str(disk.root)), disk.folders, str(disk.root))
    assert [one.path for one in found.found] == ([] if holds else [str(theirs)])
    assert found.notes == ((f"Interlock's own mod refuses `m` (`{theirs}`)",) if holds else ())
    assert list(found.stamps) == [str(theirs)]


# --- switches ---------------------------------------------------------------------------------------

SEAT = "ilk-1@skills-dir"
SWITCHES = [
    ("project", {"disableAllHooks": True}, ("disableAllHooks", True)),
    ("local", {"disableAllHooks": "yes"}, ("disableAllHooks", True)),
    ("user", {"disableAllHooks": True}, ("disableAllHooks", True)),
    ("project", {"enabledPlugins": {SEAT: False}}, ("enabledPlugins", True)),
    ("local", {"enabledPlugins": {SEAT: None}}, ("enabledPlugins", True)),
    ("user", {"prependPlugins": ["evil@skills-dir", SEAT]}, ("prependPlugins", True)),
    ("project", {"prependPlugins": ["evil@skills-dir"]}, ("prependPlugins", False)),
    ("project", {"env": {"CLAUDE_CODE_SAFE_MODE": "1"}}, ("env.CLAUDE_CODE_SAFE_MODE", True)),
    ("local", {"env": {"CLAUDE_CODE_SIMPLE": 1}}, ("env.CLAUDE_CODE_SIMPLE", True)),
    ("project", {"env": {"CLAUDE_CONFIG_DIR": "/tmp/x"}}, ("env.CLAUDE_CONFIG_DIR", True)),
    ("user", {"env": {"CLAUDE_CODE_PLUGIN_DIRS": "/x"}}, ("env.CLAUDE_CODE_PLUGIN_DIRS", False)),
    ("project", {"extraKnownMarketplaces": {"mk": {}}}, ("extraKnownMarketplaces", False)),
    ("project", "{", ("", True)),
    ("user", "{", ("", False)),
]
FILES = {"user": "home/.claude/settings.json", "project": "project/.claude/settings.json",
         "local": "project/.claude/settings.local.json"}  # fmt: skip


@pytest.mark.parametrize(("layer", "settings", "expected"), SWITCHES)
def test_a_key_that_silences_hooks_is_found_in_its_file(
    disk: Disk, layer: str, settings: object, expected: tuple[str, bool]
) -> None:
    path = disk.home.parent / FILES[layer]
    write(path, settings)
    found = switches_in(disk.folders, str(disk.root), seat=SEAT)
    assert [(one.key, one.loud, one.path) for one in found] == [(*expected, str(path))]


def test_settings_of_every_day_switch_nothing(disk: Disk) -> None:
    write(disk.home / ".claude/settings.json", {"prependPlugins": [SEAT], "enabledPlugins": {SEAT: True, "x@y": False}})
    write(disk.root / ".claude/settings.json", {"disableAllHooks": False, "env": {"CLAUDE_CODE_SAFE_MODE": "0"}})
    assert switches_in(disk.folders, str(disk.root), seat=SEAT) == ()


def test_a_variable_of_the_process_that_silences_hooks_is_found(disk: Disk) -> None:
    found = switches_in(disk.folders, str(disk.root), {"CLAUDE_CODE_SAFE_MODE": "1"})
    assert [(one.key, one.path, one.loud) for one in found] == [("CLAUDE_CODE_SAFE_MODE", "", True)]


def test_a_digest_hangs_on_the_plug_in_alone_and_not_on_what_lies_beside_it(disk: Disk) -> None:
    folder = make_mod(disk.home / ".claude/skills/z", name="z")
    (alone,) = disk.found()
    for at in range(20):
        (make_mod(disk.home / f".claude/skills/a{at}", name=f"a{at}") / "large").write_bytes(b"x" * 900_000)
    assert [mod.digest for mod in disk.found() if mod.root == str(folder)] == [alone.digest]
