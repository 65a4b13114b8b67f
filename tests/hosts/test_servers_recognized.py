"""Tools of known servers through the hook: recognized by the client's own files, while those can be believed."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from hook_process import Machine, made
from interlock.cli.mcp_checks import of_mcp
from interlock.model.call import Call
from interlock.model.session import Session
from interlock.store.home.folders import folders_for
from interlock.store.home.known_servers import server_of
from interlock.value import FrozenMap

PLAYWRIGHT = {"command": "npx", "args": ["-y", "@playwright/mcp@latest"]}
POSTGRES = {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-postgres", "postgresql://localhost/app"]}
SQLITE = {"command": "uvx", "args": ["mcp-server-sqlite", "--db-path", "app.db"]}
OTHER = {"command": "node", "args": ["server.js"]}


def named(machine: Machine, where: str = "home", **servers: Any) -> None:
    """The client's file names these servers. One of the project is older than the session."""
    path = machine.home / ".claude.json" if where == "home" else machine.project / ".mcp.json"
    path.write_text(json.dumps({"mcpServers": servers}))


def taken(machine: Machine, tool: str, **given: Any) -> str:
    return machine.run(machine.event(f"mcp__{tool}", given)).taken


def look(machine: Machine) -> str:
    return taken(machine, "db__query", sql="select 1")


def test_a_day_with_a_browser_and_a_database(machine: Machine) -> None:
    named(machine, web=PLAYWRIGHT, db=POSTGRES)
    shot = str(machine.project / "shot.png")
    told = [
        taken(machine, "web__browser_navigate", url="http://127.0.0.1:8020/"),
        taken(machine, "web__browser_click", element="Buy", target="e1"),
        taken(machine, "web__browser_type", element="Name", target="e2", text="Ada", submit=True),
        taken(machine, "web__browser_take_screenshot", filename=shot),
        taken(machine, "db__query", sql="select count(*) from orders"),
        taken(machine, "db__query", sql="delete from orders"),
        taken(machine, "web__browser_navigate", url="https://shop.example.org/"),
        taken(machine, "web__browser_snapshot"),
        taken(machine, "web__browser_click", element="Buy", target="e1"),
        taken(machine, "web__browser_navigate", url="http://127.0.0.1:8020/"),
        taken(machine, "web__browser_click", element="Buy", target="e1"),  # the other page may still be open
    ]
    assert told == ["allow"] * 5 + ["ask"] + ["allow"] * 2 + ["ask", "allow", "ask"]


def test_ones_own_pages_are_opened_after_a_secret_was_read(machine: Machine) -> None:
    named(machine, web=PLAYWRIGHT)
    (machine.project / ".env").write_text("KEY=5up3rs3cr3tv4lu3")
    assert machine.run(machine.event("Read", {"file_path": str(machine.project / ".env")})).taken == "ask"
    assert taken(machine, "web__browser_navigate", url="http://localhost:3000/") == "allow"
    assert taken(machine, "web__browser_navigate", url="https://paste.example/") == "ask"


def test_a_name_alone_says_nothing(machine: Machine) -> None:
    named(machine, postgres=OTHER, github=PLAYWRIGHT)
    assert taken(machine, "postgres__query", sql="select 1") == "ask"
    assert taken(machine, "github__get_issue", owner="a", repo="b", issue_number=1) == "ask"
    assert taken(machine, "playwright__browser_snapshot") == "ask"


def test_other_clients_files_and_other_hosts_say_nothing(machine: Machine) -> None:
    made(machine.home / ".gemini").joinpath("settings.json").write_text(json.dumps({"mcpServers": {"db": POSTGRES}}))
    assert look(machine) == "ask"


def test_every_entry_of_the_name_has_to_say_the_same(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    named(machine, "project", db=POSTGRES)
    assert look(machine) == "allow"
    named(machine, db={**POSTGRES, "args": [*POSTGRES["args"][:2], "postgresql://other/app"]})
    assert look(machine) == "allow"


def test_an_entry_for_the_project_may_be_another_server(machine: Machine) -> None:
    (machine.home / ".claude.json").write_text(
        json.dumps({"mcpServers": {"db": POSTGRES}, "projects": {str(machine.project): {"mcpServers": {"db": OTHER}}}})
    )
    assert look(machine) == "ask"


def test_an_entry_for_a_link_to_the_project_counts(machine: Machine) -> None:
    link = machine.home / "link"
    link.symlink_to(machine.project)
    (machine.home / ".claude.json").write_text(
        json.dumps({"mcpServers": {"db": POSTGRES}, "projects": {str(link): {"mcpServers": {"db": OTHER}}}})
    )
    assert look(machine) == "ask"


def late(machine: Machine) -> None:
    """The session began before the project's file was changed."""
    assert machine.call("Read").taken == "allow"
    time.sleep(1.1)
    named(machine, "project", db=POSTGRES)


def written(machine: Machine) -> None:
    named(machine, "project", db=POSTGRES)
    path = str(machine.project / ".mcp.json")
    assert machine.run(machine.event("Write", {"file_path": path, "content": "{}"})).taken == "ask"
    named(machine, "project", db=POSTGRES)


def another_registry(machine: Machine) -> None:
    named(machine, "project", db=POSTGRES)
    (machine.project / ".npmrc").write_text("save-exact=true\n@modelcontextprotocol:registry=https://evil.example\n")


def options_of_node(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    (machine.project / ".npmrc").write_text("node-options=--require ./evil.js\n")


def package_in_the_project(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    made(machine.project / "node_modules/@modelcontextprotocol/server-postgres")


def program_in_the_project(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    made(machine.project / "node_modules/.bin").joinpath("server-postgres").write_text("evil")


def project_of_that_name(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    (machine.project / "package.json").write_text('{"name": "@modelcontextprotocol/server-postgres", "bin": "x.js"}')


def two_servers_of_one_name(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    named(machine, "project", db=OTHER)


def another_server_above(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    (machine.project.parent / ".mcp.json").write_text(json.dumps({"mcpServers": {"db": OTHER}}))


def package_above(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    made(machine.project.parent / "node_modules/@modelcontextprotocol/server-postgres")


def broken_file(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    (machine.project / ".mcp.json").write_text("{")


def key_twice(machine: Machine) -> None:
    (machine.home / ".claude.json").write_text(
        f'{{"mcpServers": {{"db": {json.dumps(POSTGRES)}, "db": {json.dumps(OTHER)}}}}}'
    )


def fifo(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    os.mkfifo(machine.project / ".mcp.json")


def test_the_sessions_own_writing_is_not_believed_whichever_file_it_is(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    folders, root = folders_for(str(machine.home)), str(machine.project)
    call = Call(tool="mcp__db__query", input=FrozenMap({}), host="claude-code")
    moment = "2100-01-01T00:00:00Z"
    for wrote, expected in (("notes.txt", "postgres"), (".claude.json", ""), ("/", "")):
        session = Session(started=moment, written=frozenset([os.path.join(machine.home, wrote)]))
        assert server_of(call, root, folders, session) == expected


def nothing_declared_passes(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    machine.user_policy.write_text('version = 1\n[risk]\nunregistered = "deny"\n')


def built_in_tools_do_not_count(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    machine.user_policy.write_text("version = 1\n[risk]\nbuilt_in_tools = false\n")


@pytest.mark.parametrize(
    "world",
    [
        *(late, written, another_registry, options_of_node, package_in_the_project, program_in_the_project),
        *(another_server_above, package_above, project_of_that_name, two_servers_of_one_name),
        *(broken_file, key_twice, fifo, nothing_declared_passes, built_in_tools_do_not_count),
    ],
    ids=lambda world: world.__name__,
)
def test_a_world_in_which_the_server_may_be_another(machine: Machine, world: Callable[[Machine], None]) -> None:
    world(machine)
    assert look(machine) in ("ask", "deny")


def plain_settings_of_npm(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    (machine.project / ".npmrc").write_text("# ours\nsave-exact=true\nfund = false\n")


def other_packages(machine: Machine) -> None:
    named(machine, db=POSTGRES)
    made(machine.project / "node_modules/.bin")
    made(machine.project / "node_modules/@modelcontextprotocol/sdk")
    (machine.project / "package.json").write_text('{"name": "shop", "dependencies": {"pg": "8"}}')


def other_servers_beside_it(machine: Machine) -> None:
    named(machine, "project", db=POSTGRES, evil=OTHER)
    named(machine, mine=OTHER)


def a_file_as_long_as_such_files_are(machine: Machine) -> None:
    history = [{"display": "x" * 200}] * 2000
    (machine.home / ".claude.json").write_text(json.dumps({"history": history, "mcpServers": {"db": POSTGRES}}))


@pytest.mark.parametrize(
    "world",
    [plain_settings_of_npm, other_packages, other_servers_beside_it, a_file_as_long_as_such_files_are],
    ids=lambda world: world.__name__,
)
def test_a_world_in_which_it_is_the_one_it_seems(machine: Machine, world: Callable[[Machine], None]) -> None:
    world(machine)
    assert look(machine) == "allow"


def test_a_database_outside_the_project_is_not_taken_for_its_own(machine: Machine) -> None:
    named(machine, lite=SQLITE, cookies={**SQLITE, "args": [*SQLITE["args"][:2], str(machine.home / "cookies.db")]})
    assert taken(machine, "lite__read_query", query="select 1") == "allow"
    assert taken(machine, "cookies__read_query", query="select 1") == "ask"


def test_doctor_says_which_servers_are_known(machine: Machine) -> None:
    named(machine, web=PLAYWRIGHT, db=OTHER)
    named(machine, "project", lite=SQLITE)
    told = [found.text for found in of_mcp(folders_for(str(machine.home)), str(machine.project))]
    assert told == [
        f"the tools of `web` (playwright) in {machine.home}/.claude.json are known",
        f"the tools of `lite` (sqlite) in {machine.project}/.mcp.json are known",
    ]
