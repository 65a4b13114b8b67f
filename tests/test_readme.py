"""Every command of the README, in its order: from the wheel, in a fresh home, without network.

`.ci/run` itself runs `make demo` and `make whole`, which has all of `make test` in it.
"""

from __future__ import annotations

import glob
import re
from pathlib import Path

import pytest

from namespaces import needs_namespaces
from newcomer import Newcomer, a_newcomer

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
DEVELOPERS = ("make demo", "make test", "make whole")  # for .ci/run


def commands() -> list[str]:
    """Indented lines, and those of a block that begin with a prompt."""
    lines = [line for line in README.splitlines() if line.startswith(("    ", "$ ")) and "─" not in line]
    return [line.lstrip("$ ").partition("  #")[0].strip() for line in lines]


@pytest.fixture
def newcomer(tmp_path: Path) -> Newcomer:
    return a_newcomer(tmp_path)


def shown_in_the_readme(command: str) -> str:
    return README.partition(f"$ {command}\n")[2].partition("```")[0]


def plain(newcomer: Newcomer, shown: str) -> str:
    """Without what differs from folder to folder and from policy to policy, and blanks that nobody sees."""
    text = re.sub(r"(ap_|sha256:)[0-9a-f]+", r"\1…", shown.replace(str(newcomer.project), "/repo"))
    return "\n".join(line.rstrip() for line in text.splitlines())


@pytest.mark.slow
@needs_namespaces
def test_every_command_of_the_readme_works_in_its_order(newcomer: Newcomer) -> None:
    left = commands()
    assert left[0] == "make wheel"  # done: it needs the network for what it builds with
    assert [command for command in left if command in DEVELOPERS] == list(DEVELOPERS)
    for command in [one for one in left[1:] if one not in DEVELOPERS]:
        done = newcomer.type(command, keys="y\n" if command == "interlock install" else "")
        assert done.code == 0, f"{command}\n{done.out}"
        if f"$ {command}" in README:
            assert plain(newcomer, done.out) == plain(newcomer, shown_in_the_readme(command))
        if command == "interlock install":
            assert newcomer.hook("Read", file_path=str(newcomer.project / "a"))["permissionDecision"] == "allow"
            assert newcomer.hook("Bash", command="rm -rf ~")["permissionDecision"] == "deny"
    assert "deny" in newcomer.type("interlock audit tail").out


@pytest.mark.slow
@needs_namespaces
def test_uv_installs_it_as_well(newcomer: Newcomer) -> None:
    (command,) = re.findall(r"`(uv tool install [^`]+)`", README)
    done = newcomer.type(f"{command} && interlock --version")
    assert done.code == 0, done.out
    (wheel,) = glob.glob(str(newcomer.project / "dist/*.whl"))
    assert done.out.splitlines()[-1].split()[-1] in wheel


def test_what_developers_run_is_what_ci_runs() -> None:
    assert [line for line in (ROOT / ".ci/run").read_text().splitlines() if line in DEVELOPERS] == [
        "make whole",
        "make demo",
    ]
