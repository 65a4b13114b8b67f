"""`.cache`, `.config` and `.local` hold the files of every program in a home, and of one build anywhere else."""

from __future__ import annotations

import pytest

from interlock.decide import decide
from interlock.evals.lexical import bench_for
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap

POLICY = bench_for().policy
HOME, ROOT = "/home/someone", "/home/someone/project"


def verdict(command: str, home: str = HOME, root: str = ROOT, own: tuple[str, ...] = ()) -> str:
    facts = Facts(root=root, home=home, own=own)
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=root, session="s")
    return decide(call, read_with_facts(call, facts), POLICY, Session(), ()).verdict.name


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf node_modules/.cache",
        "rm -rf .cache",
        "rm -rf web/.cache build/.cache",
        "rm -rf packages/*/.cache",
        "rm -rf /tmp/x/.cache",
        "find . -name .cache -exec rm -rf {} +",
        "python3 -c 'import shutil; shutil.rmtree(\".cache\")'",
    ],
)
def test_a_build_may_lose_its_cache(command: str) -> None:
    assert verdict(command) == "allow"


@pytest.mark.parametrize("command", ["rm -rf .config", "rm -rf web/.config", "rm -rf .local", "mv .config conf"])
def test_settings_of_a_project_are_its_own(command: str) -> None:
    assert verdict(command) != "deny"


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf ~/.cache",
        "rm -rf ~/.config",
        "rm -rf ~/.local",
        "rm -rf ~/.local/share",
        "rm -rf ~/.local/state",
        "cd ~ && rm -rf .cache",
        "rm -rf ../.config",
        "rm -rf /root/.cache",
        "rm -rf /home/another/.config",
        "rm -rf /Users/another/.config",
        "rm -rf /home/*/.config",
        "rm -rf /home/some*/.cache",
        "rm -rf /*/.config",
        "rm -rf ~/.c*",
        "find ~ -name .cache -exec rm -rf {} +",
        "find / -name .config -exec rm -rf {} +",
        "ln -s ~ h && rm -rf h/.config",
        "mv ~/.config /tmp/x",
        "rm -rf .config/interlock",
        "rm -rf .cache/interlock web/.local/state/interlock",
        "rm -rf .config/opencode",
        "python3 -c 'import shutil; shutil.rmtree(\"/root/.config\")'",
    ],
)
def test_those_of_a_home_stay_guarded(command: str) -> None:
    assert verdict(command) == "deny"


@pytest.mark.parametrize("command", ["rm -rf ~/.config", "rm -rf /tmp/some*/.cache", "rm -rf /tmp/*/.config"])
def test_so_do_those_of_a_home_among_temporary_files(command: str) -> None:
    assert verdict(command, home="/tmp/someone", root="/tmp/someone/project") == "deny"


@pytest.mark.parametrize("command", ["rm -rf /data/.config", "rm -rf /data/.c*", "mv /data/.config /data/x"])
def test_so_do_those_that_a_variable_has_moved(command: str) -> None:
    assert verdict(command, own=("/data/.config/interlock/",)) == "deny"
