"""Which sub-commands only look, so that they run in a locked session: those of looks.txt, which people have read.

A new sub-command that only looks fails here until somebody has added it by hand, knowing what the program does. Each
is tried alone, with one word and with two; `branch/0` means that only `branch` alone is a look.
"""

from __future__ import annotations

from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

from interlock.model.action import is_read_only
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.wants import Real, Want
from interlock.reading.machine.index import FAMILIES
from interlock.reading.read import read_in_rounds
from interlock.value import FrozenMap
from table_rows import every_row

LIST = Path(__file__).parent / "looks.txt"


def is_look(command: str) -> bool:
    call = Call(host="claude-code", session="s", cwd="/p", tool="Bash", input=FrozenMap({"command": command}))

    def where_they_say(missing: tuple[Want[object], ...], facts: Facts) -> Facts | None:
        real = {want.path: want.path for want in missing if isinstance(want, Real)}
        return facts.replace(real=FrozenMap({**facts.real, **real})) if real else None

    return is_read_only(read_in_rounds(call, Facts(root="/p", home="/home/u"), where_they_say)[0])


@cache
def listed() -> dict[str, set[str]]:
    """Program -> its sub-commands, as the list spells them."""
    found = {}
    for line in LIST.read_text().splitlines():
        if line and not line.startswith("#"):
            program, _, names = line.partition(": ")
            found[program] = set(names.split(", "))
    return found


@cache
def looks_of(family: str) -> dict[str, set[str]]:
    rows = [row.words for row in every_row() if row.family == family and len(row.words) > 1]
    found = {}
    for program, all_words in groupby(dict.fromkeys(rows), key=lambda words: words[0]):
        names = set()
        for words in all_words:
            forms = [at for at in range(3) if is_look(" ".join([*words, *"xy"[:at]]))]
            suffix = "" if len(forms) == 3 else "/" + "".join(map(str, forms))
            if forms:
                names.add(" ".join(words[1:]) + suffix)
        if names:
            found[program] = names
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_only_what_people_have_read_is_a_look(family: str) -> None:
    for program, names in looks_of(family).items():
        assert names <= listed().get(program, set()), f"{program}: not in {LIST.name}; see the start of this file"


@pytest.mark.slow
def test_the_list_names_nothing_that_is_no_look() -> None:
    found: dict[str, set[str]] = {}
    for family in FAMILIES:
        for program, names in looks_of(family).items():
            found.setdefault(program, set()).update(names)
    for program, names in listed().items():
        assert names <= found.get(program, set()), program


@pytest.mark.parametrize(
    "command",
    [
        "docker buildx history rm --all", "docker swarm join-token --rotate worker", "docker system dial-stdio",
        "docker healthcheck run x", "docker compose attach web", "npm cache verify", "terraform providers lock",
        "terraform providers mirror x", "uv version 1.2.3", "uv version --bump patch", "poetry version patch",
        "hatch version minor", "go telemetry on", "go env -w A=b", "brew gist-logs x", "hg bookmarks new",
        "hg bookmarks -d x", "hg config --edit", "gh extension browse", "git branch -D x", "git tag -d x",
        "git hash-object -w x", "git config --unset x", "git symbolic-ref -d HEAD", "gh codespace ports forward 80:80",
        "gh codespace ports visibility 80:public", "terragrunt graph destroy", "terragrunt graph apply",
        "istioctl manifest install", "kustomize cfg set . a b", "skaffold inspect build-env modify", "zypper verify",
        "tea branches unprotect x", "tea labels update 1", "fossil branch new x trunk", "fossil tag add x y",
        "flutter channel beta", "flutter emulators --launch x", "luarocks config lua_version 5.1", "pass otp insert x",
        "pipx interpreter prune", "pkg check -d", "dotnet nuget locals all --clear", "nix store verify --repair",
        "btrfs device stats -z x", "btrfs device scan --forget", "zpool events -c", "security default-keychain -s x",
        "openssl ca -revoke x", "sops decrypt -i x", "raco fmt -i x", "conda doctor --fix", "dnf alias add x=y",
        "hg cat -o x f", "btrfs send -f x y", "opam switch export x", "minikube logs --file=x", "zypper lr -e x",
        "nx graph --file=x.html", "purs docs --output x", "changeset status --output x", "buf build -o x.bin",
        "bundle viz", "choco export", "tailscale metrics write x",
    ],
)  # fmt: skip
def test_what_changes_anything_is_no_look(command: str) -> None:
    assert not is_look(command)


# What says by its name that it changes something, behind a sub-command whose row does not have it.
SAY_SO = ("--fix", "--fix-only", "--delete", "--in-place", "--output-file x", "--out=x.html", "-ox/y", "-o x.html")


@pytest.mark.parametrize("said", SAY_SO)
@pytest.mark.parametrize(
    "look", ["npm ls", "docker ps", "pip list", "biome lint", "cargo tree", "dvc diff", "git cherry"]
)
def test_a_look_with_an_option_that_says_that_it_changes_is_none(look: str, said: str) -> None:
    assert is_look(look)
    assert not is_look(f"{look} {said}")


@pytest.mark.parametrize("verb", ["add x", "delete x", "x remove", "set", "update x y"])
@pytest.mark.parametrize("look", ["dvc metrics", "npm fund", "hatch dep", "dart devices", "tea times", "gem sources"])
def test_a_verb_of_changing_behind_a_noun_is_no_look(look: str, verb: str) -> None:
    assert is_look(look)
    assert not is_look(f"{look} {verb}")


@pytest.mark.parametrize(
    "command",
    [
        "git help add", "brew info install", "cargo help update", "systemctl status reset",
        "kubectl config view -o json", "docker ps --format json", "npm ls -o json", "npm query delete",
        "pip list --outdated", "git log update", "dvc metrics show",
    ],
)  # fmt: skip
def test_a_name_and_a_format_change_nothing(command: str) -> None:
    assert is_look(command)
