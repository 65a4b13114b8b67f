"""Each machine says in the team store which version and policy it runs; the hook does not wait for that."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from hook_process import Machine as Hook
from hook_process import new_machine
from interlock import __version__
from interlock.model.errors import StoreError
from interlock.store.home.folders import folders_for
from interlock.store.home.policies import load_policy
from interlock.store.team.machines import machines_in, report_machine
from interlock.store.team.team import make_roles, make_team_store, open_team, team_database
from machine import Machine
from postgres_server import started_server


@pytest.fixture
def url(tmp_path: Path) -> str:
    found = started_server().new_database()
    database = team_database(found, folders_for(str(tmp_path / "maker")))
    make_team_store(database)
    database.close()
    return found


def policy(url: str, name: str) -> str:
    return f'version = 1\n[store]\nurl = "{url}"\n[evidence]\nsend = ["syslog://127.0.0.1:9"]\nmachine = "{name}"\n'


def ends(hook: Hook) -> None:
    event = {field: hook.event("Read")[field] for field in ("session_id", "transcript_path", "cwd")}
    hook.run({**event, "hook_event_name": "SessionEnd", "prompt_id": "p", "reason": "other"})


@pytest.mark.slow
def test_a_session_that_ends_reports_its_machine_and_people_see_all_of_them(url: str, tmp_path: Path) -> None:
    before = time.time_ns() // 1_000_000
    hooks = {name: new_machine(tmp_path / name) for name in ("one", "two")}
    for name, hook in hooks.items():
        hook.user_policy.write_text(policy(url, name))
        hook.call("Read", file_path="README.md")
        ends(hook)
    person = Machine(tmp_path / "person")
    person.user_policy(f'version = 1\n[store]\nurl = "{url}"\n')
    end = time.monotonic() + 40
    while len(found := person.run("store", "machines", "--json").json) < 2 and time.monotonic() < end:
        time.sleep(0.2)
    assert [(one["machine"], one["engine"], one["bundle"]) for one in found] == [
        ("one", __version__, 0),
        ("two", __version__, 0),
    ]
    for one in found:
        home = hooks[one["machine"]].home
        assert one["policy"] == load_policy(folders_for(str(home)), None).digest
        assert before <= one["last_hook"] <= one["reported"] + 1000
    shown = person.run("store", "machines").out
    assert (shown.count("last hook 20"), shown.startswith("one (")) == (2, True), shown


def test_an_agent_speaks_for_its_own_account_and_sees_nobody_else(url: str, tmp_path: Path) -> None:
    owner = team_database(url, folders_for(str(tmp_path / "maker")))
    make_roles(owner, "machines_agent", "machines_approver")
    urls = {}
    for name, role in (("mach_a", "machines_agent"), ("mach_b", "machines_agent"), ("mach_ann", "machines_approver")):
        owner.run(f"DROP ROLE IF EXISTS {name}")
        owner.run(f"CREATE ROLE {name} LOGIN IN ROLE {role}")
        scheme, _, rest = url.partition("://")
        urls[name] = f"{scheme}://{name}@{rest.rpartition('@')[2]}"
    owner.close()
    for name in ("mach_a", "mach_b"):
        folders = folders_for(str(tmp_path / name))
        Path(folders.config).mkdir(parents=True)
        Path(folders.user_policy).write_text(policy(urls[name], "laptop"))
        report_machine(folders, load_policy(folders, None))
    seen = {}
    for name, address in urls.items():
        database = open_team(address, folders_for(str(tmp_path / name)))
        seen[name] = [(one["machine"], one["account"]) for one in machines_in(database)]
        with pytest.raises(StoreError, match="may not do that"):
            database.run("UPDATE machines SET engine = '9'")
        database.close()
    both = [("laptop", "mach_a"), ("laptop", "mach_b")]
    assert seen == {"mach_a": both[:1], "mach_b": both[1:], "mach_ann": both}


def test_an_older_store_says_what_it_needs(url: str, tmp_path: Path) -> None:
    database = open_team(url, folders_for(str(tmp_path / "old")))
    try:
        database.run("DROP TABLE interlock.machines")
        with pytest.raises(StoreError, match="interlock store migrate"):
            machines_in(database)
    finally:
        database.close()
