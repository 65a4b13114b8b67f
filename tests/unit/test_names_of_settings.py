"""The names in a file of settings are no secrets; what would print anything behind the `=` is asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.decide import decide
from interlock.evals.lexical import bench_for
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap

POLICY = bench_for().policy
FILES = {
    ".env": '# local\nDB_URL=postgres://u:pw@h/x\nAPI_KEY="abc=def"\n\nexport TOKEN=xyz\nlower=1\n',
    ".env.windows": "ONE=1\r\nTWO=2\r\n",
    ".env.key": 'KEY="-----BEGIN PRIVATE KEY-----\nMIIEabc\nxyz==\n-----END PRIVATE KEY-----"\n',
    ".env.loose": "ONE=1\nhunter2\n",
    ".env.continued": "ONE=a\\\nTWO=b\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "home" / "project"
    root.mkdir(parents=True)
    for name, text in FILES.items():
        (root / name).write_text(text, newline="")
    return root


def verdict(command: str, root: Path) -> str:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(root), session="s")
    reading = read_with_facts(call, Facts(root=str(root), home=str(root.parent)))
    return decide(call, reading, POLICY, Session(), ()).verdict.name


@pytest.mark.parametrize(
    "command",
    [
        "cut -d= -f1 .env",
        "cut -d '=' -f 1 < .env",
        "cut -f1 -d= .env .env.windows",
        "cat .env | cut -d= -f1; ls -a",
        "grep -v '^#' .env | cut -d= -f1 | sort",
        "grep '^DB_' .env | cut -d= -f1",
        "sed 's/=.*//' .env",
        "sed -e 's|=.*$|=***|' .env",
        r"sed -n 's/^\([A-Z_]*\)=.*/\1/p' .env",
        "grep -o '^[A-Z_]*' .env",
        "grep -oE '^[A-Za-z_][A-Za-z0-9_]*=' .env",
        "grep -o '^[^=]*' .env",
        "awk -F= '{print $1}' .env",
        "awk -F '=' '/^[A-Z]/ { print $1 }' .env | head -5",
        "grep -c = .env",
        "grep -q '^DB_URL=' .env && echo there",
        "for name in $(cut -d= -f1 .env); do echo $name; done",
        "diff <(cut -d= -f1 .env) <(cut -d= -f1 .env.windows)",
        "cut -d= -f1 .env > /tmp/names.txt",
    ],
)
def test_the_names_of_settings_are_no_secret(command: str, project: Path) -> None:
    assert verdict(command, project) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "cut -d= -f2 .env",
        "cut -d= -f1- .env",
        "cut -d= -f1,2 .env",
        "cut -d: -f1 .env",
        "cut -d= -f1 .env --complement",
        "cut -d= -f1 .env.key",
        "cut -d= -f1 .env.loose",
        "cut -d= -f1 .env.continued",
        "cut -d= -f1 .env .env.loose",
        "cut -d= -f1 .env*",
        "sed 's/=.*//;p' .env",
        "sed -e 's/=.*//' -e p .env",
        "sed 's/=.*//' .env -e p",
        "sed 's/=.*/&/' .env",
        r"sed 's/=\(.*\)/ \1/' .env",
        r"sed -E 's/^([A-Z_]+)=.*/\1/' .env",
        "sed 's/=.*//w copy' .env",
        "grep -o '^[0-z]*' .env",
        "grep -o '^.*' .env",
        "grep -o 'pw.*' .env",
        "grep pw .env | cut -d= -f1",
        "grep -q pw .env",
        "grep -c '^DB_URL=p' .env",
        "awk -F= '{print $2}' .env",
        "awk -F= '{print $1; print}' .env",
        "awk -F= '/pw/{print $1}' .env",
        "awk '{print $1}' .env",
        "cat .env | tee copy | cut -d= -f1",
        "tr = '\\n' < .env | cut -d= -f1",
        "base64 .env | cut -d= -f1",
        "cut() { cat .env; }; cut -d= -f1 .env",
        "cp .env.key .env; cut -d= -f1 .env",
        "ln -sf .env.key .env; cut -d= -f1 .env",
        "cut -d= -f1 .env; cat .env",
        "cut -d= -f1 .env | cat - .env.key",
    ],
)
def test_whatever_may_print_a_value_is_asked_about(command: str, project: Path) -> None:
    assert verdict(command, project) != "allow"


def test_a_line_that_the_same_call_adds_is_looked_at(project: Path) -> None:
    """Adding it is a question of its own, about the file; reading the names then is none."""
    for added, reads in (("PORT=8000", 0), ("hunter2", 1)):
        call = Call(
            tool="Bash",
            input=FrozenMap({"command": f"echo {added} >> .env; cut -d= -f1 .env"}),
            cwd=str(project),
            session="s",
        )
        reading = read_with_facts(call, Facts(root=str(project), home=str(project.parent)))
        secret = [one for one in reading.actions if one.name == "fs:read" and "secret" in one.tags]
        assert len(secret) == reads
