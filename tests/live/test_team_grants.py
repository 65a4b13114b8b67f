"""A single-use shared grant with the real client: the call that it lifts runs once in the whole team."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from engines import team_rows
from interlock.approve.grant import Grant
from interlock.store.home.folders import folders_for
from interlock.store.team.shared import share
from interlock.store.team.sync import Syncing
from interlock.store.team.team import make_team_store, open_team, team_database
from interlock.store.team.team_ledger import TeamLedger
from interlock.value import FrozenMap
from live.client import Live, needs_client
from postgres_server import started_server

pytestmark = needs_client

ANYWHERE = FrozenMap({"destination": "*", "force": "true"})
PUSH = Grant(id="", kind="capability", action="git:push", reach="everywhere", by="ann", scope=ANYWHERE)
COMMAND = {"command": "git push --force origin main", "description": "Push"}


def with_remote(live: Live, place: Path) -> Path:
    """A bare repository beside the project, and one commit to send there."""
    remote = place / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (
        ["init", "-q", "-b", "main"],
        ["remote", "add", "origin", str(remote)],
        [*who, "commit", "-q", "--allow-empty", "-m", "one"],
    ):
        subprocess.run(["git", "-C", str(live.project), *words], check=words[0] != "remote")
    return remote


def branches(remote: Path) -> str:
    return subprocess.run(
        ["git", "-C", str(remote), "branch", "--format=%(refname:short)"], capture_output=True, text=True, check=True
    ).stdout


def test_a_shared_grant_lets_one_push_through_and_no_second(place: Path) -> None:
    url = started_server().new_database()
    live = Live.at(place / "guarded")
    remote = with_remote(live, place)
    folders = folders_for(str(live.home))
    live.machine.user_policy.write_text(f'version = 1\n[store]\nurl = "{url}"\n')
    database = team_database(url, folders)
    make_team_store(database)
    database.close()

    refused = live.headless([("Bash", COMMAND), "done"])
    assert (refused.code, branches(remote)) == (0, "")  # without a grant, nothing arrives

    database = open_team(url, folders)
    name = share(TeamLedger(database), PUSH, uses=1).id
    database.close()
    syncing = Syncing(folders, url)
    assert syncing.once().grants == 1
    syncing.close()
    live.environment["PGHOST"] = os.devnull  # as a project's settings could

    live.headless([("Bash", COMMAND), "done"])
    assert branches(remote) == "main\n"
    subprocess.run(["git", "-C", str(remote), "update-ref", "-d", "refs/heads/main"], check=True)
    live.headless([("Bash", COMMAND), "done"])
    assert branches(remote) == ""  # it was for one call
    assert [row["key"] for row in team_rows(url, "ledger", "redemption")] == [name]
    assert live.verdicts()[1] == "allow"
    assert "allow" not in (live.verdicts()[0], live.verdicts()[2])


def test_without_the_guard_both_pushes_arrive(place: Path) -> None:
    live = Live.at(place / "bare", guarded=False)
    remote = with_remote(live, place)
    live.headless([("Bash", COMMAND), "done"])
    assert branches(remote) == "main\n"
