"""Which files a run is about: each once, and none passed over without a word."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.evals.case import PackError
from interlock.evals.pack_files import pack_files
from interlock.model.errors import InputError


@pytest.fixture
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in (
        "packs/b.yaml",
        "packs/a/c.jsonl",
        "packs/a.YML",
        "packs/README.md",
        "packs/LICENSE",
        "packs/.cfg.json",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path / "packs"


def problems(*paths: str) -> list[str]:
    with pytest.raises(PackError) as error:
        pack_files(paths)
    return [f"{problem.file}: {problem.text}" for problem in error.value.problems]


@pytest.mark.usefixtures("packs")
def test_a_folder_stands_for_all_packs_in_it_in_order() -> None:
    assert pack_files(["packs"]) == ["packs/a.YML", "packs/b.yaml", "packs/a/c.jsonl"]


@pytest.mark.usefixtures("packs")
def test_a_file_that_is_named_twice_is_run_once() -> None:
    assert pack_files(["packs/b.yaml", "./packs/b.yaml", "packs"]) == ["packs/b.yaml", "packs/a.YML", "packs/a/c.jsonl"]


@pytest.mark.parametrize("name", ["x.json", "x.csv", "x.yaml.gz", "a/x.ndjson", "x.yaml~"])
def test_what_may_hold_cases_and_is_not_read_is_a_mistake(packs: Path, name: str) -> None:
    (packs / name).touch()
    assert problems("packs") == [f"packs/{name}: it would not be run: packs end with .jsonl, .yaml, .yml"]


def test_a_link_to_a_folder_is_a_mistake(packs: Path) -> None:
    (packs / "more").symlink_to(packs / "a")
    assert problems("packs") == ["packs/more: a link to a folder is not followed; name the folder itself"]


def test_what_is_no_file_is_not_waited_for(packs: Path) -> None:
    os.mkfifo(packs / "x.yaml")
    assert problems("packs") == ["packs/x.yaml: it is not a file"]
    assert problems("packs/x.yaml") == ["packs/x.yaml: it is not a file"]


def test_a_folder_that_cannot_be_read_is_told(packs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = os.scandir

    def refused(path: str) -> object:
        if str(path).endswith("/a"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refused)
    assert problems(str(packs)) == [f"{packs}/a: the folder cannot be read: Permission denied"]


@pytest.mark.usefixtures("packs")
@pytest.mark.parametrize("path", ["none", "none.yaml", "packs/README.md"])
def test_a_path_that_is_no_pack_is_told(path: str) -> None:
    with pytest.raises(InputError):
        pack_files([path])
