"""Shared grants from the cold hook as a host starts it: without site-packages, in a project's environment."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from engines import team_rows
from hook_process import Machine as Hook
from hook_process import Ran, copy_of_the_package, new_machine
from interlock.approve.grant import Grant
from interlock.limits import HOOK_DEADLINE_SECONDS
from interlock.store.home.folders import folders_for
from interlock.store.ledger.verify import verify
from interlock.store.team.shared import share
from interlock.store.team.sync import Syncing
from interlock.store.team.team import make_team_store, open_team, team_database
from interlock.store.team.team_ledger import TeamLedger
from interlock.value import FrozenMap
from machine import Machine
from postgres_server import started_server

PUSH = Grant(
    id="",
    kind="capability",
    action="git:push",
    reach="everywhere",
    by="ann",
    scope=FrozenMap({"destination": "*", "force": "true"}),
)
COMMAND = "git push --force origin main"


class Team:
    """A team store, and a machine whose policy names it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = started_server().new_database()
        self.folders = folders_for(str(folder / "home"))
        database = team_database(self.url, self.folders)
        make_team_store(database)
        database.close()
        self.hook = new_machine(folder)
        self.names(self.url)

    def names(self, url: str) -> None:
        self.hook.user_policy.write_text(f'version = 1\n[store]\nurl = "{url}"\n')

    def shared(self, uses: int = 1) -> str:
        database = open_team(self.url, self.folders)
        try:
            name = share(TeamLedger(database), PUSH, uses=uses).id
        finally:
            database.close()
        syncing = Syncing(self.folders, self.url)
        assert syncing.once().grants == 1
        syncing.close()
        return name

    def push(self, hook: Hook | None = None, environment: Mapping[str, str] | None = None, **changes: str) -> Ran:
        hook = hook or self.hook
        return hook.run(hook.event("Bash", {"command": COMMAND}, **changes), environment=environment)


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path)


def told(ran: Ran) -> str:
    return str(json.loads(ran.out).get("systemMessage", ""))


def test_the_real_hook_redeems_a_single_use_grant_once(team: Team) -> None:
    assert team.push().taken == "ask"
    name = team.shared()
    won, lost = team.push(), team.push()
    assert (won.taken, lost.taken) == ("allow", "ask"), (won, lost)
    assert told(won) == ""
    (row,) = team_rows(team.url, "ledger", "redemption")
    (kept,) = team.hook.rows("redemption")
    assert (row["key"], kept["key"]) == (name, name)
    receipts = [row["key"] for row in team.hook.rows() if row["body"]["receipt"]["decision"]["verdict"] == "allow"]
    assert json.loads(row["body"])["receipt"] == receipts[-1]
    assert verify(team.folders).damage is None


def test_one_that_another_machine_used_asks_and_says_why(team: Team, tmp_path: Path) -> None:
    name = team.shared()
    database = open_team(team.url, team.folders)
    assert TeamLedger(database).redeem(name, b"{}")
    database.close()
    asked = team.push()
    assert asked.taken == "ask"
    why = f"the shared grant {name} does not count: it was used up, taken back or has expired in the team store"
    assert why in told(asked)


@pytest.mark.slow
def test_a_project_does_not_choose_the_server_the_driver_or_the_python(team: Team, tmp_path: Path) -> None:
    """Each of these variables would send the question elsewhere, or put other code into the process that asks it."""
    planted = tmp_path / "planted"
    (planted / "psycopg").mkdir(parents=True)
    (planted / "psycopg/__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    (planted / "sitecustomize.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    (team.hook.project / "psycopg.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    hostile = {
        "PGHOST": "/nowhere",
        "PGPORT": "1",
        "PGDATABASE": "other",
        "PGUSER": "other",
        "PGSSLMODE": "require",
        "PGSERVICEFILE": str(planted / "none"),
        "PGSERVICE": "none",
        "PGOPTIONS": "-c search_path=other",
        "PYTHONPATH": str(planted),
        "PYTHONHOME": str(planted),
        "PYTHONSTARTUP": str(planted / "sitecustomize.py"),
        "HOME": str(planted),
        "VIRTUAL_ENV": str(planted),
        "PATH": str(planted),
    }
    team.shared()
    assert team.push(environment=hostile).taken == "allow"
    server, _, place = team.url.partition("?host=")
    team.shared()
    team.names(server)  # names no host: a project's PGHOST would
    asked = team.push(environment={"PGHOST": place}, session_id="after the policy was changed")
    assert (asked.taken, "cannot be reached" in told(asked)) == ("ask", True), told(asked)
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_where_the_driver_is_not_installed_the_cause_names_the_python(team: Team, tmp_path: Path) -> None:
    """An interpreter of its own, with the package and without the driver."""
    import subprocess
    import sys

    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    python = str(tmp_path / "bare/bin/python")
    (site,) = (tmp_path / "bare/lib").glob("python3*/site-packages")
    bare = Hook(home=team.hook.home, project=team.hook.project, guard=copy_of_the_package(site), python=python)
    team.shared()
    asked = team.push(bare)
    assert asked.taken == "ask"
    assert f"needs the package psycopg, which `{python}` does not have" in told(asked)
    assert f"{python} -m pip install" in told(asked)


@pytest.mark.slow
def test_a_server_that_never_answers_costs_less_than_the_deadline(team: Team) -> None:
    for _ in range(3):
        team.shared()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        team.names(f"postgresql://interlock@127.0.0.1:{silent.getsockname()[1]}/t")
        before = time.monotonic()
        asked = team.push()
        assert time.monotonic() - before < HOOK_DEADLINE_SECONDS
    assert asked.taken == "ask"
    assert told(asked).count("does not count: ") == 3


@pytest.mark.slow
def test_calls_that_need_no_shared_grant_ask_nobody(team: Team) -> None:
    team.shared()
    started_server().stop()
    try:
        free = team.hook.run(team.hook.event("Bash", {"command": "ls"}))
        plain = team.hook.run(team.hook.event("Bash", {"command": "git push origin main"}))
    finally:
        started_server()
    assert (free.taken, told(free)) == ("allow", "")
    assert (plain.taken, "shared grant" in told(plain)) == ("ask", False)


def test_a_grant_without_a_number_of_uses_counts_while_the_server_is_away(team: Team) -> None:
    team.shared(uses=0)
    started_server().stop()
    try:
        assert team.push().taken == "allow"
    finally:
        started_server()


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", ["live", "used elsewhere", "away", "no uses"])
def test_explain_says_what_the_hook_answers(team: Team, tmp_path: Path, case: str) -> None:
    name = team.shared(uses=0 if case == "no uses" else 1)
    if case == "used elsewhere":
        database = open_team(team.url, team.folders)
        assert TeamLedger(database).redeem(name, b"{}")
        database.close()
    desk = Machine.__new__(Machine)
    desk.home, desk.project = team.hook.home, team.hook.project
    if case == "away":
        started_server().stop()
    try:
        said = desk.run("explain", COMMAND, "--json")
        again = desk.run("explain", COMMAND, "--json")
        shown = desk.run("explain", COMMAND)
        hook = team.push()
    finally:
        started_server()
    found = said.json
    assert (found["verdict"], found["verdict"]) == (hook.taken, again.json["verdict"])  # explaining uses nothing up
    warnings = found.get("warnings", [])
    assert bool(warnings) is (case in ("used elsewhere", "away"))
    for warning in warnings:
        assert f"interlock: {warning}" in shown.err
        assert warning in told(hook)
    assert told(hook).count("does not count") == len(warnings)
    (row,) = team.hook.rows()
    recorded = [reason["rule"] for reason in row["body"]["receipt"]["decision"]["reasons"]]
    assert [reason["rule"] for reason in found["reasons"]] == recorded


@pytest.mark.slow
def test_shared_grants_are_listed_with_what_the_team_has_left(team: Team) -> None:
    counted, free = team.shared(uses=3), team.shared(uses=0)
    desk = Machine.__new__(Machine)
    desk.home, desk.project = team.hook.home, team.hook.project
    database = open_team(team.url, team.folders)
    assert TeamLedger(database).redeem(counted, b"{}")
    database.close()
    found = {one["id"]: one for one in desk.run("grants", "list", "--json").json["grants"]}
    assert {name: one["shared"]["left"] for name, one in found.items()} == {counted: 3, free: None}  # before the sync
    desk.run("store", "sync")
    found = {one["id"]: one for one in desk.run("grants", "list", "--json").json["grants"]}
    assert found[counted]["shared"]["left"] == 2
    assert desk.run("grants", "show", counted, "--json").json["shared"] == found[counted]["shared"]
    store, synced = found[counted]["shared"]["store"], found[counted]["shared"]["synced"]
    listed = desk.run("grants", "list").out
    assert f"    shared in {store}, 2 left in the team as of {synced}\n" in listed
    assert f"    shared in {store}\n" in listed
    assert f"shared in {store}, 2 left in the team as of {synced}" in desk.run("grants", "show", counted).out
    refused = desk.run("grants", "revoke", counted, "--yes")
    assert f"take it back for all with: interlock --home {desk.home} store revoke {counted}" in refused.err
    assert desk.run("store", "revoke", counted).code == 0
    desk.run("store", "sync")
    assert [one["id"] for one in desk.run("grants", "list", "--json").json["grants"]] == [free]
    (gone,) = [one for one in desk.run("grants", "list", "--all", "--json").json["grants"] if one["id"] == counted]
    assert gone["state"] == "revoked"
