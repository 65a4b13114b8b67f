"""The hooks as a plug-in of the real client: its calls are decided, and a hook that cannot start blocks them."""

from __future__ import annotations

from pathlib import Path

from live.client import Live, needs_client
from person import at_a_terminal

pytestmark = needs_client


def test_calls_are_decided_with_the_plug_in_alone(place: Path) -> None:
    live = Live.at(place, guarded=False)
    plugin = live.home / "plugin"
    assert at_a_terminal(live.home, "install", "claude-code", "--plugin", str(plugin), "--yes").code == 0
    inside, outside = live.project / "inside.txt", place / "outside.txt"
    script = [("Write", {"file_path": str(path), "content": "x"}) for path in (inside, outside)]
    ran = live.headless([*script, "done"], arguments=["--plugin-dir", str(plugin)])
    assert (inside.exists(), outside.exists()) == (True, False), ran.err
    assert live.verdicts() == ["allow", "deny"]
    assert "Interlock: " in ran.told(1)
    (live.home / ".local/share/interlock/hook/guard.py").unlink()
    inside.unlink()
    ran = live.headless([script[0], "done"], arguments=["--plugin-dir", str(plugin)])
    assert not inside.exists()
    assert "the package is not where your settings say" in ran.told(0)
