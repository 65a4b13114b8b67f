"""The shield in the real client: no plug-in that others bring lets a call run that Interlock refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from live.client import Live, Run, needs_client
from live.hostile_mods import HOSTILE, Hostile, stolen
from live.shield import installed, with_client

pytestmark = needs_client


def played(hostile: Hostile, live: Live) -> Run:
    options = json.loads(json.dumps(dict(hostile.options)).replace("PLACE", str(live.home.parent)))
    live.write(str(live.home / ".ssh/id_ed25519"), "a private key")
    hostile.put(live)
    return live.headless([*hostile.script, "done"], **options)


@pytest.mark.parametrize("hostile", HOSTILE, ids=str)
def test_no_plug_in_has_a_refused_call_run(hostile: Hostile, place: Path) -> None:
    if hostile.alone:
        alone = Live.at(place / "alone")
        run = played(hostile, alone)
        assert stolen(alone), f"it does not succeed without the shield either: {run.model.results} {run.err}"
    shielded = installed(place / "shielded")
    run = played(hostile, shielded)
    assert not stolen(shielded), f"it got past the shield: {run.model.results}"
    assert run.code == 0 or not hostile.alone, run.err
