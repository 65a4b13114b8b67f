"""What is said of a system, by its name and the release of its kernel."""

from __future__ import annotations

import pytest

from interlock.cli.caveats import NO_WINDOWS, about_system

SYSTEMS = {
    ("win32", "10.0.22631"): "not supported",
    ("cygwin", "3.5.3"): "not supported",
    ("linux", "5.15.167.4-microsoft-standard-WSL2"): "no client was tried",
    ("linux", "4.4.0-19041-Microsoft"): "no client was tried",
    ("linux", "6.8.0-45-generic"): "",
    ("darwin", "24.1.0"): "",
}


@pytest.mark.parametrize(("system", "release"), SYSTEMS)
def test_windows_is_refused_and_linux_on_windows_is_warned_of(system: str, release: str) -> None:
    said = about_system(system, release)
    assert (SYSTEMS[system, release] in said, bool(said)) == (True, bool(SYSTEMS[system, release]))
    assert (said == NO_WINDOWS) == (system in ("win32", "cygwin"))
