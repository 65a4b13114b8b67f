"""The same act on the same path has the same verdict through any door, and no door is laxer than another.

The doors are the host's file tools, commands, inline Python, and an argument of a tool server whose role the policy
declares. The paths are samples of every row of the tables of obeyed and of secret files, the folders that hold them,
and places of each mark. Where doors still differ, `DIFFERENCES` says which, where and why.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import pytest

from interlock.model.facts import Facts
from interlock.model.obeyed import OBEYED, OBEYED_ROOTS
from interlock.reading.machine.places import REGENERABLE
from interlock.reading.places.kinds import place_at
from interlock.reading.places.marks import marks_for
from interlock.reading.places.places import marks_of, place_of
from interlock.reading.places.secret_places import SECRET, SECRET_ROOTS
from interlock.reading.places.system_places import ground
from interlock.testing import AnyCall, decide_call, policy_from_text

ROOT, HOME = "/repo", "/home/user"
FACTS = Facts(root=ROOT, home=HOME)
STRICTNESS = ("allow", "ask", "deny")
TEXT = "path:/x"  # harmless in none of the files that are judged by content

POLICY = policy_from_text(
    "version = 1\n"
    + "".join(
        f'[tools.mcp__files__{role}]\neffects = ["{effect}"]\n'
        f'args = {{ path = "{role}", content = "text", old = "text", new = "text" }}\n'
        for role, effect in (
            *(("read", "read"), ("list", "read"), ("search", "read")),
            *(("write", "write"), ("edit", "write"), ("delete", "write")),
        )
    )
)

Door = Callable[[str], AnyCall]


def tool(name: str, field: str = "file_path", **more: object) -> Door:
    return lambda path: {"tool": name, "input": {field: path, **more}}


def server(role: str, **more: object) -> Door:
    return tool(f"mcp__files__{role}", "path", **more)


def command(line: str) -> Door:
    return lambda path: line.replace("{}", path)


DOORS: dict[str, dict[str, Door]] = {
    "read": {
        "Read": tool("Read"),
        "NotebookRead": tool("NotebookRead", "notebook_path"),
        "cat": command("cat {}"),
        "<": command("cat < {}"),
        "cp": command("cp {} copied.txt"),
        "dd": command("dd if={} of=copied.txt"),
        "Python": command("python3 -c \"print(open('{}').read())\""),
        "pathlib": command("python3 -c \"import pathlib; print(pathlib.Path('{}').read_text())\""),
        "server": server("read"),
        "server of a list": lambda path: {"tool": "mcp__files__read", "input": {"path": ["src/app.py", path]}},
    },
    "list": {
        "LS": tool("LS", "path"),
        "Glob": tool("Glob", "path", pattern="*"),
        "ls": command("ls {}"),
        "Python": command("python3 -c \"import os; print(os.listdir('{}'))\""),
        "pathlib": command("python3 -c \"import pathlib; print(list(pathlib.Path('{}').iterdir()))\""),
        "server": server("list"),
    },
    "search": {
        "Grep": tool("Grep", "path", pattern="x"),
        "grep": command("grep -r x {}"),
        "rg": command("rg x {}"),
        "server": server("search"),
    },
    "write": {
        "Write": tool("Write", content=TEXT),
        ">": command(f"echo {TEXT} > {{}}"),
        "cp": command("cp a.txt {}"),
        ">>": command(f"echo {TEXT} >> {{}}"),
        "tee": command("tee {} < a.txt"),
        "dd": command("dd if=a.txt of={}"),
        "Python": command("python3 -c \"open('{}', 'w').write('x')\""),
        "server": server("write", content=TEXT),
    },
    "edit": {
        "Edit": tool("Edit", old_string="a", new_string="b"),
        "MultiEdit": tool("MultiEdit", edits=[{"old_string": "a", "new_string": "b"}]),
        "Patch": lambda path: {
            "tool": "Patch",
            "input": {"input": f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch\n"},
        },
        "sed": command("sed -i s/a/b/ {}"),
        "Python": command("python3 -c \"f = open('{}', 'r+'); f.write('x')\""),
        "server": server("edit", old="a", new="b"),
    },
    "delete": {
        "Delete": tool("Delete"),
        "rm": command("rm {}"),
        "rm -r": command("rm -r {}"),
        "find": command("find {} -delete"),
        "Python": command("python3 -c \"import os; os.remove('{}')\""),
        "pathlib": command("python3 -c \"import pathlib; pathlib.Path('{}').unlink()\""),
        "server": server("delete"),
    },
}

# These may only be stricter. A copy is written as well, what is opened to be changed may be read, `dd` onto a device
# wipes it, and `find` takes away all that lies below.
DOES_MORE = {("read", "cp"), ("read", "dd"), ("edit", "Python"), ("write", "dd"), ("delete", "find")}


class Difference(NamedTuple):
    """These doors of an act may be laxer than the others at such a path, because of `why`."""

    act: str
    laxer: tuple[str, ...]
    at: Callable[[str], bool]
    why: str


def of_accounts(path: str) -> bool:
    return "accounts" in marks_of(path, FACTS)


def is_shown_to_all(path: str) -> bool:
    """Next to a private key: settings, and the public key."""
    return "secret" in marks_of(path, FACTS) and "secret" not in marks_for("read", place_at("read", path, None, FACTS))


def is_made_again(path: str) -> bool:
    return place_of(path, FACTS) == "temp" or not REGENERABLE.isdisjoint(path.split("/"))


def is_stream(path: str) -> bool:
    return path in ("/dev/null", "/dev/stdout")


DIFFERENCES = (
    Difference(
        *("read", ("Read", "NotebookRead", "cat", "<"), of_accounts),
        "the list of accounts is asked about where a program gets it, and not where it is only shown",
    ),
    Difference(
        *("search", ("Grep", "grep", "rg"), of_accounts),
        "the list of accounts is asked about where a program gets it, and not where it is only shown",
    ),
    Difference(
        *("search", ("Grep", "grep", "rg"), is_shown_to_all),
        "a server's search is told by its role alone, which makes no difference between the files of `.ssh`",
    ),
    Difference(
        *("search", ("Grep",), lambda path: bool(ground(path, False, FACTS))),
        "over a home or the whole disk a host's search is judged by what it looks for (reading/tools/searching.py)",
    ),
    Difference(
        *("write", (">", ">>", "cp", "tee", "dd", "Python", "server"), is_stream),
        "a command writes into its streams; a file tool has none",
    ),
    Difference(*("edit", ("Python",), is_stream), "a command writes into its streams; what edits a file replaces it"),
    Difference(
        *("delete", ("rm", "rm -r", "find", "Python", "pathlib"), is_made_again),
        "of a command it is followed what the session has made and what is made again; a tool's removal is asked about",
    ),
)


# --- the paths ------------------------------------------------------------------------------------------

PLACES = """
/repo/src/app.py /repo/README.md /repo /repo/src /repo/.env /repo/.env.example /repo/config/prod.tfvars
/repo/server.key /repo/certs/server.pem /repo/.interlock/policy.toml /repo/.interlock /repo/node_modules/a/index.js
/repo/vendor/a.go /repo/-rf /repo/src/-x.py /repo/a.ipynb /repo/deploy/k8s/secret.yaml /repo/Makefile /tmp/a.txt /tmp
/tmp/.env /home/user /home/user/notes.txt /home/user/.ssh /home/user/.ssh/config /home/user/.ssh/id_rsa.pub
/home/user/.ssh/authorized_keys /home/user/.aws /home/user/.claude /home/user/.claude/projects/-repo/memory/MEMORY.md
/home/user/.claude/plans/a.md /home/user/.config/interlock/policy.toml /home/user/.config/interlock/ledger.key
/home/user/.config/interlock /home/user/.local/state/interlock/ledger.db /home/user/.local/state/interlock
/home/user/.config /home/user/.local/state /home/other/.profile /home/other/.ssh/id_rsa /home/other/.config/x
/home/other/a.txt /home / /etc /etc/hosts /etc/passwd /etc/shadow /etc/sudoers /etc/cron.d/x /etc/ssh/sshd_config
/etc/systemd/system/x.service /root/x /root/.bashrc /var/log/auth.log /var/log/syslog /var/lib/docker/x
/run/docker.sock /proc/cpuinfo /proc/self/environ /proc/1/environ /proc/kcore /sys/class/net /sys/kernel/debug/x
/sys/fs/cgroup/release_agent /dev/null /dev/sda /dev/mem /dev/stdout /usr/bin/env /usr/local/bin/x /opt/x/y
/srv/data/a.csv
""".split()


def sample(pattern: str, base: str) -> str:
    """A file that the pattern means."""
    base = HOME if pattern.startswith("~/") else base
    name = pattern.removeprefix("~/").replace("/**/", "/some/where/")
    return f"{base}/{name[:-2] + 'some/file.md' if name.endswith('**') else name}".replace("*", "x")


@cache
def paths() -> tuple[str, ...]:
    files = [
        *PLACES,
        *[sample(pattern, ROOT) for pattern in OBEYED],
        *[sample(pattern, base) for pattern in SECRET for base in (ROOT, HOME)],
        *[f"{root}/x" for root in (*OBEYED_ROOTS, *SECRET_ROOTS)],
    ]
    folders = [path.rpartition("/")[0] or "/" for path in files]
    return tuple(path for path in dict.fromkeys((*files, *folders)) if " " not in path)


# --- the property ------------------------------------------------------------------------------------------


def verdict(door: Door, path: str) -> str:
    return decide_call(door(path), policy=POLICY).verdict.name


def laxer_doors(act: str, path: str) -> dict[str, str]:
    """The doors that let more through than the strictest one, and what they say."""
    found = {name: verdict(door, path) for name, door in DOORS[act].items()}
    alike = [said for name, said in found.items() if (act, name) not in DOES_MORE]
    strictest = max(alike, key=STRICTNESS.index)
    return {name: said for name, said in found.items() if STRICTNESS.index(said) < STRICTNESS.index(strictest)}


@pytest.mark.slow
@pytest.mark.parametrize("act", DOORS)
def test_an_act_on_a_path_has_the_same_verdict_through_every_door(act: str) -> None:
    differences = [row for row in DIFFERENCES if row.act == act]
    wrong, met = [], set()
    for path in paths():
        laxer = laxer_doors(act, path)
        rows = [row for row in differences if row.at(path) and laxer.keys() & set(row.laxer)]
        unexplained = laxer.keys() - {door for row in rows for door in row.laxer}
        if unexplained:
            wrong.append(f"{path}: {laxer}")
        met |= {row.why for row in rows}
    assert wrong == []
    assert met == {row.why for row in differences}, "a difference has ended: take its row out"


def test_the_samples_have_every_mark() -> None:
    assert {mark for path in paths() for mark in marks_of(path, FACTS)} == {
        *("accounts", "disguised", "guard", "machine", "obeyed", "obeyed-asked", "obeyed-noted", "outside"),
        *("privileged", "secret", "vendored"),
    }


@pytest.mark.parametrize(
    ("call", "verdict"),
    [
        (tool("Delete")("/repo/.claude"), "deny"),
        (tool("Delete")("/home/user"), "deny"),
        (tool("Delete")("/etc"), "deny"),
        (tool("Write", content="x")("/repo/.claude"), "deny"),
        (tool("Write", content="x")("/repo/-rf"), "ask"),
        (tool("Read")("/home/user/.config/interlock"), "deny"),
        (tool("Read", "paths")("/home/user/.aws"), "ask"),
        (tool("Grep", "path", pattern="x")("/home/user/.aws"), "ask"),
        (server("search")("/home/user/.config/interlock/ledger.key"), "deny"),
        (server("search")("/var/log/auth.log"), "ask"),
        (server("search")("/repo/src"), "allow"),
        ("find /home/user/.zshrc -delete", "deny"),
        ("find .claude/settings.json -exec rm {} +", "deny"),
        ("find /home/user/.netrc -exec cat {} +", "ask"),
        ("find src -name '*.py' -exec cat {} +", "allow"),
    ],
)
def test_a_door_that_was_laxer_is_as_strict_as_the_others(call: AnyCall, verdict: str) -> None:
    assert decide_call(call, policy=POLICY).verdict.name == verdict
