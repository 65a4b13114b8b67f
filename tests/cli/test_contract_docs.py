"""The guides to contracts: their examples work as they say."""

from __future__ import annotations

import json
import re
from pathlib import Path

from machine import Machine

DOCS = Path(__file__).parents[2] / "docs"


def example(page: str, name: str, language: str) -> str:
    found = re.search(rf"<!-- tested: {name} -->\n```{language}\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    assert found is not None
    return found.group(1)


def install(machine: Machine, file: str, content: str) -> Path:
    path = machine.project / file
    path.parent.mkdir(parents=True)
    path.write_text(content)
    return path


def test_the_catalogue_of_the_guide_is_sound_and_does_what_it_says(machine: Machine) -> None:
    path = install(machine, ".interlock/contracts.json", example("contracts.md", "a catalogue", "json"))
    assert machine.run("contracts", "check").out == f"{path}: 1 tool, no problems\n"
    call = {"tool": "mcp__deploy__release", "input": {"service": "till", "version": "1.4.0", "regions": ["moon"]}}
    assert machine.run("decide", stdin=call).json["notes"] == []
    notes = machine.run("decide", stdin={**call, "state": {"regions": ["eu", "us"]}}).json["notes"]
    assert notes == [
        "every item of `regions` must be one of `regions` of the state, item 0 is `moon` "
        "(contract mcp__deploy__release.known-region)"
    ]


def test_the_note_that_the_guide_shows_is_the_note(machine: Machine) -> None:
    line, shown = re.findall(
        r"\$ echo '(.*?)' \| interlock decide \| jq -c .notes\n(.*?)\n", (DOCS / "contracts.md").read_text()
    )[0]
    assert machine.run("decide", stdin=line).json["notes"] == json.loads(shown)


def test_a_catalogue_of_role_os_is_read_as_it_is(machine: Machine) -> None:
    content = example("coming-from-role-os.md", "a role-os catalogue", "json")
    path = install(machine, ".claude/role-os/tool-contracts.json", content)
    assert machine.run("contracts", "check").out == f"{path}: 1 tool, no problems\n"
    command, *shown = example("coming-from-role-os.md", "role-os notes", "console").splitlines()
    line = re.findall(r"echo '(.*?)'", command)[0]
    assert machine.run("decide", stdin=line).json["notes"] == shown


def test_every_kind_and_format_is_in_the_guide() -> None:
    from interlock.contracts.constraints import KINDS
    from interlock.contracts.formats import FORMATS

    guide = (DOCS / "contracts.md").read_text()
    assert [kind for kind in KINDS if f"`{kind}`" not in guide] == []
    assert [name for name in FORMATS if name not in guide] == []
