"""A place of the machine gets the same verdict through a file tool and through a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from hook_process import ALLOW, ASK, DENY, NO_OPINION, Machine

FREE = (ALLOW, NO_OPINION)
PLACES = ("/dev/sda", "/dev/nvme0n1p2", "/dev/mem", "/sys/kernel/debug/x", "/proc/kcore", "/var/log/auth.log",
          "/var/lib/docker/x", "/run/docker.sock")  # fmt: skip
READS = {"Read": "file_path", "NotebookRead": "notebook_path", "LSP": "filePath"}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home, project / ".interlock"):
        folder.mkdir(parents=True)
    return Machine(home.resolve(), project.resolve(), warm=True)


def taken(machine: Machine, tool: str, **given: str) -> str:
    return machine.run(machine.event(tool, given)).taken


@pytest.mark.parametrize("place", PLACES)
def test_reading_a_place_of_the_machine_is_asked_about_by_every_tool(machine: Machine, place: str) -> None:
    link = machine.project / "notes.txt"
    link.symlink_to(place)
    assert taken(machine, "Bash", command=f"cat {place}") == ASK
    for path in (place, f"/tmp/../{place}", str(link)):
        assert taken(machine, "Read", file_path=path) == ASK, path
    for tool, field in READS.items():
        assert taken(machine, tool, **{field: place}) == ASK, tool
    assert taken(machine, "Bash", command=f"grep x {place}") == ASK
    assert taken(machine, "Grep", pattern="x", path=place) == ASK
    for tool, given in (
        ("Write", {"file_path": place, "content": "x"}),
        ("Edit", {"file_path": place, "old_string": "a", "new_string": "b"}),
        ("NotebookEdit", {"notebook_path": place, "new_source": "x"}),
    ):
        assert taken(machine, tool, **given) in (ASK, DENY), tool


def test_a_tool_that_declares_a_field_as_a_file_is_held_to_the_same(machine: Machine) -> None:
    machine.user_policy.write_text(
        'version = 1\n[tools.mcp__files__show]\neffects = ["read"]\nargs = { path = "read" }\n'
    )
    for place in PLACES:
        assert taken(machine, "mcp__files__show", path=place) == ASK, place


@pytest.mark.parametrize("place", ["/dev/null", "/proc/cpuinfo", "/sys/class/net", "/etc/os-release", "/usr/bin/env"])
def test_ordinary_places_stay_free(machine: Machine, place: str) -> None:
    assert taken(machine, "Bash", command=f"cat {place}") in FREE
    assert taken(machine, "Read", file_path=place) in FREE
    assert taken(machine, "Grep", pattern="x", path=place) in FREE
    assert taken(machine, "Glob", pattern="*", path="/sys") in FREE
