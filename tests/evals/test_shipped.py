"""The packs that come with Interlock, as a person or a script meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from interlock.cli.eval import command
from interlock.cli.eval_packs import complete_pack
from interlock.evals import shipped as module
from interlock.evals.shipped import name_of, names, path_of, shipped
from interlock.model.errors import InputError
from machine import Machine


def test_every_pack_says_what_it_is_about() -> None:
    assert [pack.name for pack in shipped() if not pack.about.endswith(".") or len(pack.about) < 20] == []
    assert [pack.name for pack in shipped(["git", "files"])] == ["git", "files"]


def test_a_pack_is_found_by_its_name_and_a_wrong_name_gets_a_hint(tmp_path: Path) -> None:
    assert name_of(path_of("git")) == "git"
    assert name_of(str(tmp_path / "git.yaml")) is None
    with pytest.raises(InputError, match="there is no pack `gits`; did you mean `git`"):
        path_of("gits")
    with pytest.raises(InputError, match=r"there is no pack `\.\./pack`"):
        path_of("../pack")


def test_an_installation_without_packs_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FOLDER", str(tmp_path))
    with pytest.raises(InputError, match="this installation has no packs"):
        names()
    monkeypatch.setattr(module, "FOLDER", str(tmp_path / "none"))
    with pytest.raises(InputError, match="cannot be read"):
        names()


def test_the_packs_are_listed(machine: Machine) -> None:
    run = machine.run("eval", "packs", "--json")
    assert run.code == 0
    found = {row["pack"]: row for row in run.json}
    assert list(found) == list(names())
    assert all(row["cases"] >= row["danger"] + row["benign"] > 0 for row in found.values())
    assert Path(found["git"]["path"]).is_file()


def test_packs_are_run_by_name(machine: Machine) -> None:
    run = machine.run("eval", "run", "--pack", "git", "--pack", "databases", "--json")
    assert run.code == 0
    assert [Path(row["file"]).stem for row in run.json["files"]] == ["git", "databases"]
    wrong = machine.run("eval", "run", "--pack", "gut")
    assert (wrong.code, "did you mean `git`?" in wrong.err) == (64, True)


def test_without_a_path_every_pack_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With two small packs in place of ours, which tests/conformance runs."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(f"# The pack {name}.\n- {{id: a, command: ls, expect: allow}}\n")
    monkeypatch.setattr(module, "FOLDER", str(tmp_path))
    table = CliRunner().invoke(command, ["packs"], standalone_mode=False).stdout
    assert [line.split() for line in table.splitlines()[1:]] == [
        [name, "1", "0", "1", "0", "The", "pack", f"{name}."] for name in ("one", "two")
    ]
    run = CliRunner().invoke(command, ["run", "--json"], standalone_mode=False)
    assert run.return_value == 0
    assert [Path(row["file"]).stem for row in json.loads(run.stdout)["files"]] == ["one", "two"]


def test_a_pack_of_ours_and_a_file_are_run_together(machine: Machine) -> None:
    (machine.project / "own.jsonl").write_text(json.dumps({"id": "a", "command": "ls", "expect": "allow"}) + "\n")
    run = machine.run("eval", "run", "own.jsonl", "--pack", "databases", "--json")
    assert [Path(row["file"]).stem for row in run.json["files"]] == ["own", "databases"]


def test_one_case_of_a_pack_of_ours_is_shown_by_name(machine: Machine) -> None:
    run = machine.run("eval", "show", "self-protection", "interlock-status")
    assert (run.code, "interlock status" in run.out) == (0, True)


def test_names_of_packs_are_completed() -> None:
    assert [item.value for item in complete_pack(None, None, "sec")] == ["secrets"]  # type: ignore[arg-type]
