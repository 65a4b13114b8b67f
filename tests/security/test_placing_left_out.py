"""What tar and rsync are told to leave out, and place all the same: only a name that is left out for sure counts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from placed import SETTINGS, Ground


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """`evil` holds settings; a.tar holds that folder, d.tar what is in it, b.tar nothing of it."""
    ground = Ground(tmp_path)
    ground.write(f"evil/{SETTINGS}")
    ground.write("readme.md", "x")
    ground.runs("tar cf a.tar evil; tar cf b.tar readme.md; cd evil && tar cf ../d.tar .")
    return ground


PLACED_BY_TAR = (
    "tar xf a.tar --strip=1 --exclude=/evil/.claude",
    "tar xf a.tar --strip=1 --exclude=.claude/",
    "tar xf a.tar --strip=1 --exclude=./evil/.claude",
    "tar xf a.tar --strip=1 --exclude=evil//.claude",
    "tar xf a.tar --strip=1 --exclude=evil/./.claude",
    "tar xf a.tar --strip=1 --exclude=.Claude",
    "tar xf a.tar --strip=1 --exclude=laude",
    "tar xf d.tar --exclude=/.claude",
    "tar cf - --exclude=.claude/ -C evil . | tar xf -",
    "tar cf - --exclude=/.claude -C evil . | tar xf -",
    "tar rf b.tar -C evil . && tar xf b.tar",
    "tar Af b.tar d.tar && tar xf b.tar",
    "tar --concatenate --file=b.tar d.tar && tar xf b.tar",
)
PLACED_BY_RSYNC = (
    "rsync -a --exclude=.claude --filter='!' evil/ ./",
    "rsync -a --exclude=.claude --exclude='!' evil/ ./",
    "rsync -a --exclude='+ .claude' --exclude=.claude evil/ ./",
    "rsync -a --include=.claude --exclude=.claude evil/ ./",
    "rsync -a --include='.claude/***' --exclude='*' evil/ ./",
    "rsync -a --include-from=kept --exclude=.claude evil/ ./",
    "rsync -a -F --exclude=.claude evil/ ./",
    "rsync -a --exclude=.claude/settings.json/ evil/ ./",
    "rsync -a --exclude=./.claude evil/ ./",
    "rsync -aR evil/./.claude/settings.json ./",
    "rsync -aR ./evil/./.claude/settings.json .",
    "rsync -an --no-n evil/ ./",
    "rsync -a --dry-run --no-dry-run evil/ ./",
)
LEFT_OUT = (
    "tar xf a.tar --strip=1 --exclude=evil/.claude",
    "tar xf a.tar --strip=1 --exclude=.claude",
    "tar xf d.tar --exclude=./.claude",
    "tar cf - --exclude=.claude -C evil . | tar xf -",
    "rsync -a --exclude=.claude evil/ ./",
    "rsync -a --exclude=.git --exclude=.claude/ evil/ ./",
    "rsync -an evil/ ./",
)


@pytest.mark.parametrize("command", [*PLACED_BY_TAR, *PLACED_BY_RSYNC])
def test_settings_that_an_exclusion_does_not_keep_out_are_told(ground: Ground, command: str) -> None:
    assert ground.changes(command) == [SETTINGS] or ground.reads(command).opaque


@pytest.mark.parametrize("command", PLACED_BY_TAR)
def test_tar_places_them_indeed(ground: Ground, command: str) -> None:
    ground.runs(command)
    assert (ground.project / SETTINGS).exists()


@pytest.mark.parametrize("command", LEFT_OUT)
def test_settings_that_are_left_out_for_sure_are_nobodys_concern(ground: Ground, command: str) -> None:
    assert (ground.changes(command), ground.reads(command).opaque) == ([], ())
    if command.startswith("tar") or shutil.which("rsync"):
        ground.runs(command)
        assert not (ground.project / SETTINGS).exists()
