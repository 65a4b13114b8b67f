"""Many files at once: no archive, copied folder, patch or commit puts settings where a host obeys them."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest

from interlock.limits import MAX_LANDINGS, MAX_PLACED
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap
from placed import EVIL, SETTINGS, Ground


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def tar_of(path: Path, *members: tarfile.TarInfo | str, mode: str = "w") -> None:
    """An archive with these members; a plain name is a file with evil settings."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for member in members:
            if isinstance(member, str):
                info = tarfile.TarInfo(member)
                info.size = len(EVIL)
                archive.addfile(info, io.BytesIO(EVIL.encode()))
            else:
                archive.addfile(member, io.BytesIO(b"x" * member.size))


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def evil_folder(ground: Ground, name: str = "evil") -> None:
    ground.write(f"{name}/{SETTINGS}")
    ground.write(f"{name}/readme.md", "x")


# --- archives --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "tar xf a.tar",
        "tar -x -f a.tar -C .",
        "tar xvf ./a.tar --no-same-owner",
        "tar x < a.tar",
        "cat a.tar | tar xf -",
        "cat < a.tar | tar x",
        "tar xzf a.tgz",
        "tar xf a.tbz",
        "tar xf a.txz",
        "zcat a.tgz | tar x",
        "gunzip -c a.tgz | tar xf -",
        "gzip -dc < a.tgz | tar x",
        "cat a.tgz | gunzip | tar x",
        "bsdtar xf a.tar",
        "bsdtar xf a.zip",
        "tar xf top.tar --strip-components=1",
        "tar xf top.tar --strip 1",
        "tar xf top.tar --transform 's,^top/,,'",
        "tar xf a.tar ./.claude",
        "tar xf a.tar --wildcards './.cl*'",
        "tar xf a.tar --exclude '*.md'",
        "unzip -o a.zip",
        "unzip -o a",
        "unzip -qo a.zip -d .",
        "unzip a.zip '.claude/*'",
        "unzip a.zip -x readme.md other",
        "jar xf a.zip",
        "7z x a.zip",
        "7z x -y a.tar -o.",
        "python3 -m zipfile -e a.zip .",
        "python3 -m tarfile -e a.tgz",
        "python3 -m tarfile --extract a.tgz .",
        'python3 -c \'import shutil; shutil.unpack_archive("a.zip", ".")\'',
        "python3 -c 'import shutil; shutil.unpack_archive(\"a.tgz\")'",
        "python3 -c 'import zipfile; zipfile.ZipFile(\"a.zip\").extractall()'",
        'python3 -c \'import tarfile\nwith tarfile.open("a.tgz") as t: t.extractall(".")\'',
        "cd sub && tar xf ../a.tar -C ..",
        "for f in *.tar; do tar xf $f; done",
        "tar xf a.t?r",
        "unzip -o '*.zip'",
        "tar cf - -C evil . | tar xf -",
        "tar cf - -C evil .claude | (cd sub && tar xf - -C ..)",
    ],
)
def test_an_archive_is_read_for_where_its_members_land(command: str, ground: Ground) -> None:
    evil_folder(ground)
    (ground.project / "sub").mkdir()
    ground.runs(
        "tar cf a.tar -C evil . && tar czf a.tgz -C evil . && tar cjf a.tbz -C evil . && tar cJf a.txz -C evil ."
    )
    ground.runs("mkdir top && cp -r evil/.claude top && tar cf top.tar top && rm -r top")
    ground.runs("cd evil && zip -qr ../a.zip . && tar cf ../settings.tar -C .claude settings.json")
    assert ground.changes(command) == [SETTINGS]
    assert ground.changes("tar xf settings.tar --one-top-level=.claude") == [".claude", SETTINGS]


@pytest.mark.parametrize(
    "command",
    [
        "tar xf a.tar -C build",
        "tar xf top.tar",
        "tar xf a.tar --one-top-level",
        "tar tf a.tar",
        "tar xf a.tar ./readme.md",
        "tar xf a.tar --exclude .claude",
        "unzip -o a.zip -d tests/data",
        "unzip -l a.zip",
        "unzip -j a.zip",
        "cp -r evil build",
        "cp -r evil .",
        "rsync -a evil/ build/",
        "rsync -a --exclude .claude evil/ .",
        "mv evil other",
        "python3 -m zipfile -e a.zip build",
    ],
)
def test_files_that_land_where_nobody_obeys_them_stay_free(command: str, ground: Ground) -> None:
    """A copy of another project, or its unpacked sources, may hold settings: no host was started there."""
    evil_folder(ground)
    ground.runs(
        "tar cf a.tar -C evil . && cd evil && zip -qr ../a.zip . && cd .. && cp -r evil top && tar cf top.tar top"
    )
    before = [action.name for action in ground.reads(command.replace("evil", "none").replace("a.", "none.")).actions]
    assert ground.changes(command) == []
    assert [action.name for action in ground.reads(command).actions] == before


def test_members_that_are_what_is_there_already_change_nothing(ground: Ground) -> None:
    ground.write(SETTINGS, "{}")
    ground.write(f"same/{SETTINGS}", "{}")
    ground.runs("tar cf a.tar -C same . && cd same && zip -qr ../a.zip .")
    for command in ("tar xf a.tar", "unzip -o a.zip", "cp -r same/. .", "rsync -a same/ ."):
        assert ground.changes(command) == []
    ground.write(SETTINGS, '{"hooks": {}}')
    for command in ("tar xf a.tar", "unzip -o a.zip", "cp -r same/. .", "rsync -a same/ ."):
        assert ground.changes(command) == [SETTINGS]


def test_the_home_and_the_agents_own_folder_count_as_the_project_does(ground: Ground) -> None:
    (ground.project / "packages/a").mkdir(parents=True)
    tar_of(ground.project / "a.tar", ".bashrc", SETTINGS)
    found = [action for action in ground.reads(f"tar xf a.tar -C {ground.home}").actions if "guard" in action.tags]
    assert [str(action.target["path"]) for action in found] == [f"{ground.home}/.bashrc", f"{ground.home}/{SETTINGS}"]
    assert ground.changes("tar xf ../../a.tar", cwd="packages/a") == [f"packages/a/{SETTINGS}"]
    assert ground.changes("tar xf a.tar -C packages/a") == []


def test_a_folder_that_is_a_link_to_the_project_is_the_project(ground: Ground) -> None:
    tar_of(ground.project / "a.tar", SETTINGS, "x/" + SETTINGS)
    (ground.project / "build").symlink_to(".")
    reading = ground.reads("tar xf a.tar -C build")
    assert any("guard" in action.tags for action in reading.actions)
    (ground.project / "out").mkdir()
    (ground.project / "out/x").symlink_to("..")
    assert any("guard" in action.tags for action in ground.reads("tar xf a.tar -C out").actions)


HOSTILE: dict[str, list[tarfile.TarInfo | str]] = {
    "a link that redirects what follows": [link("c", ".claude"), "c/settings.json"],
    "a link to the file itself": [link("c", SETTINGS), "c"],
    "a hard link to the file": [link("c", SETTINGS, tarfile.LNKTYPE), "c"],
    "links of links": [link("a", ".claude"), link("b", "a"), "b/settings.json"],
    "a link in place of the folder": [link(".claude", "evil"), "evil/settings.json"],
    "another case": [".Claude/SETTINGS.json"],
    "dots in the name": ["./././.claude/./settings.json"],
    "a slash in front": ["/" + SETTINGS],
    "twice, the second evil": [tarfile.TarInfo(SETTINGS), SETTINGS],
    "a long name": ["./" * 80 + SETTINGS],
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_hostile_archive_is_seen_through(name: str, form: int, ground: Ground) -> None:
    with tarfile.open(ground.project / "a.tar", "w", format=form) as archive:
        for member in HOSTILE[name]:
            info = tarfile.TarInfo(member) if isinstance(member, str) else member
            raw = EVIL.encode() if isinstance(member, str) else b""
            info.size = len(raw)
            archive.addfile(info, io.BytesIO(raw))
    assert any("guard" in action.tags for action in ground.reads("tar xf a.tar").actions)


def header(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.USTAR_FORMAT)


FILE = header(SETTINGS, size=512) + b"x" * 512
PAX = b"30 path=.claude/settings.json\n"
ODD = {
    "behind two empty blocks": b"\0" * 1024 + FILE,
    "behind a damaged header": b"junk" * 128 + FILE,
    "in the contents of a folder, for those who skip none": header("d", tarfile.DIRTYPE, 1024) + FILE,
    "behind the contents of a folder": header("d", tarfile.DIRTYPE, 512) + b"y" * 512 + FILE,
    "by a global header": header("g", b"g", len(PAX)) + PAX.ljust(512, b"\0") + header("a", size=0),
    "by an extra header": header("x", b"x", len(PAX)) + PAX.ljust(512, b"\0") + header("a", size=0),
    "cut off": header("a", size=0) + header(SETTINGS, size=512),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("packed", [False, True])
def test_where_programs_disagree_about_an_archive_every_member_counts(name: str, packed: bool, ground: Ground) -> None:
    (ground.project / "a.tar").write_bytes(gzip.compress(ODD[name]) if packed else ODD[name])
    assert ground.changes("tar xf a.tar") == [SETTINGS]


def test_packed_streams_one_after_the_other_and_damage_at_the_end(ground: Ground) -> None:
    whole = gzip.compress(header("a")) + gzip.compress(FILE)
    for raw in (whole, whole + b"damage", whole + b"\0" * 100, gzip.compress(FILE * 20)[:-20]):
        (ground.project / "a.tgz").write_bytes(raw)
        assert ground.changes("tar xf a.tgz") == [SETTINGS]


def test_a_python_archive_obeys_dots_and_slashes_that_others_leave_out(ground: Ground) -> None:
    tar_of(ground.project / "a.tar", "../" + SETTINGS, f"{ground.home}/.bashrc")
    command = 'python3 -c \'import tarfile; tarfile.open("a.tar").extractall("build")\''
    found = [str(action.target["path"]) for action in ground.reads(command).actions if "guard" in action.tags]
    assert sorted(found) == [f"{ground.home}/.bashrc", f"{ground.project}/{SETTINGS}"]
    assert not any("guard" in action.tags for action in ground.reads("tar xf a.tar -C build").actions)


def zip_of(path: Path, *names: str, before: bytes = b"") -> bytes:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, EVIL)
    raw = before + path.read_bytes()
    path.write_bytes(raw)
    return raw


def test_a_zip_counts_by_each_of_its_names(ground: Ground) -> None:
    path = ground.project / "a.zip"
    name, other = SETTINGS.encode(), b".claude/settingsXjson"
    raw = zip_of(path, SETTINGS)
    path.write_bytes(other.join(raw.split(name, 1)))  # the name at the file, and the one in the directory
    assert ground.changes("unzip -o a.zip") == [SETTINGS]
    path.write_bytes(name.join(raw.replace(name, other).split(other, 1)))
    assert ground.changes("unzip -o a.zip") == [SETTINGS]
    info = zipfile.ZipInfo("harmless.txt")
    crc = zlib.crc32(b"harmless.txt").to_bytes(4, "little")
    info.extra = b"up" + (5 + len(name)).to_bytes(2, "little") + b"\1" + crc + name
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(info, EVIL)
    assert ground.changes("unzip -o a.zip") == [SETTINGS]


@pytest.mark.parametrize("before", [b"", b"#!/bin/sh\nexit\n"])
def test_a_zip_behind_other_bytes_with_a_link_or_another_end(before: bytes, ground: Ground) -> None:
    path = ground.project / "a.zip"
    zip_of(path, SETTINGS, before=before)
    assert ground.changes("unzip -o a.zip") == [SETTINGS]
    path.write_bytes(path.read_bytes() + b"PK\5\6" + b"\0" * 18)  # an empty directory behind the first
    assert ground.changes("unzip -o a.zip") == [SETTINGS]
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo(".claude")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "evil")
        archive.writestr("evil/settings.json", EVIL)
    assert ground.changes("unzip -o a.zip") == [".claude"]


@pytest.mark.parametrize(
    "raw", [b"", b"no archive", b"PK\5\6", b"\x1f\x8b", b"PK\1\2" * 200, os.urandom(4096), b"BZh9"]
)
def test_what_is_no_archive_has_no_members(raw: bytes, ground: Ground) -> None:
    (ground.project / "a").write_bytes(raw)
    for command in ("tar xf a", "unzip -o a", "bsdtar xf a", "7z x a"):
        assert ground.changes(command) == []


def test_an_archive_that_is_a_pipe_a_folder_or_not_there_is_not_waited_for(ground: Ground) -> None:
    os.mkfifo(ground.project / "pipe")
    (ground.project / "folder").mkdir()
    for name in ("pipe", "folder", "none"):
        assert ground.changes(f"tar xf {name}") == []


@pytest.mark.slow
def test_listing_is_bounded(ground: Ground) -> None:
    names = [f"f{number}" for number in range(MAX_PLACED + 10)]
    tar_of(ground.project / "a.tar", *names, SETTINGS)
    assert ground.changes("tar xf a.tar") == []  # beyond the limit: this is for the check afterwards
    (ground.project / "bomb.tgz").write_bytes(gzip.compress(header("a", size=1 << 30) + b"\0" * (80 << 20)))
    assert ground.changes("tar xf bomb.tgz") == []
    tar_of(ground.project / "many.tar", *[f".claude/hooks/{number}" for number in range(100)])
    assert len(ground.changes("tar xf many.tar")) == MAX_LANDINGS


# --- folders and patches ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "cp -r evil/. .",
        "cp -R evil/. ./",
        "cp -a evil/.claude .",
        "cp --recursive evil/. .",
        "cp -r evil/.[a-z]* .",
        "cp -rT evil .",
        "cp -rt . evil/.claude",
        "rsync -a evil/ .",
        "rsync -a evil/.claude .",
        'python3 -c \'import shutil; shutil.copytree("evil", ".", dirs_exist_ok=True)\'',
        "(cd sub && cp -r ../evil/. ..)",
        "ln -s . here; cp -r evil/. here",
    ],
)
def test_a_copied_folder_is_read_for_where_its_files_land(command: str, ground: Ground) -> None:
    evil_folder(ground)
    (ground.project / "sub").mkdir()
    assert any("guard" in action.tags and action.name == "fs:write" for action in ground.reads(command).actions)


def test_a_copied_link_in_place_of_a_folder_counts(ground: Ground) -> None:
    (ground.project / "evil").mkdir()
    (ground.project / "evil/.claude").symlink_to("../other")
    assert ground.changes("cp -r evil/. .") == [".claude"]


@pytest.mark.parametrize(
    "command",
    [
        "cat x.patch | patch -p1",
        "cat x.patch | patch",
        "patch -p1 < x.patch",
        "patch -p1 -i x.patch",
        "cat x.patch | git apply",
        "cat < x.patch | patch -p1",
        "cat x.patch | cat | patch -p1",
        "git apply x.patch",
        "git am x.patch",
        "cd sub && cat ../x.patch | git apply",
    ],
)
def test_a_patch_from_a_pipe_is_read_as_one_from_a_file(command: str, ground: Ground) -> None:
    (ground.project / "sub").mkdir()
    ground.write("x.patch", f"--- /dev/null\n+++ b/{SETTINGS}\n@@ -0,0 +1 @@\n+{EVIL}")
    assert SETTINGS in ground.changes(command)


def test_a_patch_in_a_folder_and_one_that_strips_more(ground: Ground) -> None:
    ground.write("x.patch", f"--- /dev/null\n+++ b/c/settings.json\n@@ -0,0 +1 @@\n+{EVIL}")
    assert ground.changes("patch -d .claude -p2 < x.patch") != []
    assert ground.changes("cat x.patch | patch -p1") == []
    ground.write("y.patch", f"--- /dev/null\n+++ w/{SETTINGS}\n@@ -0,0 +1 @@\n+{EVIL}")
    assert SETTINGS in ground.changes("git apply y.patch")


# --- awk -------------------------------------------------------------------------------------------------------------

AWK = {
    'BEGIN { print "x" > ".claude/settings.json" }': ([SETTINGS], False),
    '{ print $1 >> ".claude/settings.json"; n++ }': ([SETTINGS], False),
    '{ printf("%s", $0) > ".claude/settings.json" }': ([SETTINGS], False),
    '/a/ { print > ".claude/settings.json" } # end': ([SETTINGS], False),
    'BEGIN { print "};{" > ".claude/settings.json" }': ([SETTINGS], False),
    'BEGIN { print "a",\n "b" > ".claude/settings.json" }': ([SETTINGS], False),
    '{ if (a > 3) print "x" > ".claude/settings.json" }': ([SETTINGS], False),
    '{ print "a"; if (a > 3) print $2\n b = 4 > 3 }': ([], False),
    '{ print > "out.txt" }': ([], False),
    '{ print "warning" > "/dev/stderr" }': ([], False),
    '{ print > ".claude/" name }': ([], True),
    "{ print > $1 }": ([], True),
    '{ print > (".cl" "aude") }': ([], True),
    '{ print > "/inet/tcp/0/example.com/80" }': ([], True),
    r'{ print > ".cl\141ude/settings.json" }': ([], True),
    '{ print | "sh" }': ([], True),
    "$1 > 3 { print $2 }": ([], False),
}


@pytest.mark.parametrize("program", AWK)
def test_awk_that_prints_into_a_file_is_a_write_or_is_opaque(program: str, ground: Ground) -> None:
    command = f"awk '{program}' in.txt"
    assert (ground.changes(command), bool(ground.reads(command).opaque)) == AWK[program]


def test_what_needs_a_yes_needs_it_out_of_a_foreign_archive_too(ground: Ground, tmp_path: Path) -> None:
    """The project's own archives and commits are trusted as its code is, but for what unhooks."""
    asked = [".github/workflows/ci.yml", ".mcp.json", ".vscode/tasks.json"]
    tar_of(ground.project / "a.tar", *asked, "CLAUDE.md", *[f"sub/{name}" for name in asked])
    ground.runs(f"cp a.tar {tmp_path}/a.tar && mkdir {tmp_path}/x && tar xf a.tar -C {tmp_path}/x")
    for command in (f"tar xf {tmp_path}/a.tar", f"cp -r {tmp_path}/x/. .", f"rsync -a {tmp_path}/x/ ."):
        found = {str(action.target["path"]) for action in ground.reads(command).actions if "obeyed" in action.tags}
        assert found == {f"{ground.project}/{name}" for name in asked}, command
    ground.git("init", "-q")
    ground.commit()
    ground.git("checkout", "-q", "-b", "other")
    ground.runs("tar xf a.tar")
    ground.commit()
    ground.git("checkout", "-q", "-")
    for command in ("tar xf a.tar", "git checkout other"):
        assert not any("obeyed" in action.tags for action in ground.reads(command).actions), command


def test_a_folder_that_a_variable_moves_settings_to_counts_as_the_home_does(ground: Ground, tmp_path: Path) -> None:
    evil_folder(ground)
    moved = FrozenMap({str(tmp_path / "cfg"): ".claude"})
    call = Call(
        tool="Bash", input=FrozenMap({"command": f"cp -r evil/.claude/. {tmp_path}/cfg"}), cwd=str(ground.project)
    )
    facts = Facts(root=str(ground.project), home=str(ground.home), temp=(), moved=moved)
    named = [str(action.target["path"]) for action in read_with_facts(call, facts).actions if "guard" in action.tags]
    assert f"{tmp_path}/cfg/settings.json" in named
