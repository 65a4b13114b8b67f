"""Tools of the trade: looks are free, edits are writes, and what runs something else says what."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.decide import decide
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.policy.compile import compile_policy
from interlock.reading.bash import follow_bash
from interlock.store.home.policies import default_file
from interlock.value import FrozenMap

POLICY = compile_policy((("default", default_file(), Path(default_file()).read_bytes()),))


class Straight(dict[str, str]):
    """Every path leads where its text says."""

    def get(self, path: str, default: object = None) -> str:
        return path


def verdict(command: str) -> str:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/p")
    found = follow_bash(command, cwd="/p", facts=Facts(root="/p", home="/home/a"), real=Straight())
    reading = Reading(call="sha256:c", projection="sha256:p", actions=tuple(found.actions), opaque=tuple(found.opaque))
    return decide(call, reading, POLICY, Session(), ()).verdict.name


@pytest.mark.parametrize(
    "command",
    [
        "mlr --icsv --opprint sort -nr total then head -n 3 sales.csv",
        "mlr --c2j filter '$n > 3 && $k == \"x\"' sales.csv",
        "act --list",
        "stern web -n staging --since 10m",
        "comby 'old(:[x])' 'new(:[x])' .ts -d web",
        "comby -i 'old(:[x])' 'new(:[x])' .ts -d web",
        "ast-grep run -p 'f($X)' -l ts web",
        "kubectx -c",
        "trivy fs .",
        "helmfile diff",
        "dbt test --select orders",
        "man -P cat 3 printf",
        "hyperfine --warmup 1 'ls' 'ls -l'",
        "shx ls",
        "watchexec -e py -- pytest",
        "node --test",
        "scala -version",
    ],
)
def test_everyday_use_is_free(command: str) -> None:
    assert verdict(command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "mlr --icsv put '$x = system(\"id\")' a.csv",
        "mlr --icsv put -q 'tee > $a.\".csv\", $*' a.csv",
        "mlr --icsv put 'print > \"/home/a/.bashrc\", $x' a.csv",
        "mlr --prepipe 'sh -c id' cat a.csv",
        "mlr --icsv split -g x a.csv",
        "mlr -I --csv cat /home/a/b.csv",
        "mlr --csv put -f /tmp/x.mlr a.csv",
        "act --privileged",
        "act --container-options '--privileged'",
        "kubectx prod",
        "trivy plugin install x",
        "helmfile destroy",
        "man -P 'rm -rf /p/src' ls",
        "man -P sh ls",
        "hyperfine 'rm -rf src'",
        "hyperfine --prepare 'rm -rf src' ls",
        "shx rm -rf src",
        "watchexec -- rm -rf src",
        "dotenv -- rm -rf src",
        "fzf --preview 'rm -rf src'",
        "fzf --bind 'enter:execute(rm -rf src)'",
        "zx -e 'x'",
        "comby -editor 'rm -rf src' a b .py",
        "checkov --external-checks-git https://x.example/y",
        "jupytext --pipe 'rm -rf src' a.ipynb",
    ],
)
def test_what_runs_or_changes_more_is_asked_about(command: str) -> None:
    assert verdict(command) != "allow"
