"""The guide is true: its settings are taken, its collector is one, and it names everything that is sent."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from collecting import attributes, collector
from hook_process import Machine, new_machine
from interlock.serve.people import people_in
from interlock.serve.settings import settings_from
from interlock.telemetry.settings import Telemetry, telemetry_from
from interlock.telemetry.told import EVENTS
from telling import command, telemetry

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/guides/telemetry.md").read_text()
OIDC = (ROOT / "docs/oidc.md").read_text()


def blocks(text: str, table: str) -> list[str]:
    """Indented blocks that begin with the table, as TOML."""
    found = re.findall(rf"(?:^    \[{table}\]\n(?:(?:    .*)?\n)*)", text, re.MULTILINE)
    return ["\n".join(line[4:] for line in block.splitlines()) for block in found]


def test_the_settings_of_the_guide_are_taken() -> None:
    found = blocks(GUIDE, "telemetry")
    assert len(found) == 2
    for block in found:
        telemetry_from(tomllib.loads(block)["telemetry"], "guide", home="/home/ann")
    rows = re.findall(r"^\| `(\w+)` \|", GUIDE.partition("## Settings")[2].partition("\n## ")[0], re.MULTILINE)
    assert set(rows) == set(Telemetry()._fields)


def test_the_table_of_the_sign_in_page_is_taken() -> None:
    (block,) = blocks(OIDC, "oidc")
    found = settings_from(block, "serve.toml", {}).oidc
    assert found is not None
    assert {person.role for person in people_in(found.people, "").values()} == {"approver", "admin"}
    rows = re.findall(r"^\| `(\w+)` \|", OIDC, re.MULTILINE)
    assert rows == list(found._fields)


def test_the_collector_of_the_guide_has_a_pipeline_for_each_signal() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
    config = yaml.safe_load(text)
    assert set(config["service"]["pipelines"]) == {"traces", "logs", "metrics"}
    for pipeline in config["service"]["pipelines"].values():
        for kind in ("receivers", "processors", "exporters"):
            assert set(pipeline[kind]) <= set(config[kind])
    assert config["receivers"]["otlp"]["protocols"]["http"]["endpoint"] in GUIDE.partition("```yaml")[0]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return new_machine(tmp_path, warm=True)


def test_everything_that_is_sent_is_in_the_guide(machine: Machine) -> None:
    machine.call("Write")
    machine.call("Write", file_path="/etc/hosts")
    machine.run(machine.event("Bash", {"command": "rm -rf ~"}, agent_id="a1", agent_type="Explore"), odd=True)
    with collector() as got:
        telemetry(machine, otlp=got.url, arguments=True)
        assert command(machine, "run", "--once", "--all").code == 0
    sent = {name for found in (*got.spans, *got.logs) for name in attributes(found.attributes)}
    assert "gen_ai.agent.id" in sent
    assert "gen_ai.tool.call.arguments" in sent
    named = set(re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", GUIDE))
    assert sent <= named
    assert set(got.metrics) <= named
    assert {f"interlock.{kind}" for kind in EVENTS} <= named
    fields = {f"interlock.{field}" for fields in EVENTS.values() for field in fields if field != "tool"}
    assert fields <= named


def test_the_status_looks_as_the_guide_shows_it(machine: Machine) -> None:
    machine.call("Read")
    with collector() as got:
        telemetry(machine, otlp=got.url)
        command(machine, "run", "--once")
        shown = command(machine, "status").out
    pattern = r"otlp http://127\.0\.0\.1:\d+: row \d+, 0 behind\n"
    assert re.fullmatch(pattern, shown)
    assert re.search(rf"```\n{pattern}```", GUIDE)
