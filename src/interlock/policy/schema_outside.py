"""What a policy file may say of other machines: who is asked for a second opinion, where the team's store is, and
where the end of the ledger is sent.
"""

from __future__ import annotations

from .field import Field

__all__ = ["CONSULT", "EVIDENCE", "STORE"]

CONSULT = (
    Field(
        key="endpoint",
        kind="address",
        tighter="",
        doc="Where chat completions are asked for, such as `http://127.0.0.1:11434/v1/chat/completions`. The call's "
        "arguments are sent there.",
        required=True,
    ),
    Field(key="model", kind="text", tighter="", doc="The model that is asked.", required=True),
    Field(key="family", kind="text", tighter="", doc="The family of that model, such as `qwen`.", required=True),
    Field(
        key="agent_family",
        kind="text",
        tighter="",
        doc="The family of the agent's own model. It must be another one.",
        required=True,
    ),
    Field(key="timeout", kind="seconds", tighter="", doc="How long the answer may take, in seconds. Default 2."),
    Field(
        key="key",
        kind="text",
        tighter="",
        doc="The name of the environment variable that holds the key for the endpoint, such as `OPENROUTER_API_KEY`.",
    ),
    Field(key="tools", kind="texts", tighter="", doc="Ask only about these tools, as globs. Default: every tool."),
)

STORE = (
    Field(
        key="url",
        kind="store",
        tighter="",
        doc="The address of the PostgreSQL database, such as `postgresql://interlock@db.example/interlock`. A password "
        "does not belong here but into `~/.config/interlock/store.pgpass`.",
        required=True,
    ),
)

EVIDENCE = (
    Field(
        key="send",
        kind="evidence",
        tighter="",
        doc="Addresses: `syslog:`, `syslog://HOST`, `syslog+tcp://HOST:PORT`, `https://HOST/PATH` (POST), `git:URL`.",
        required=True,
    ),
    Field(key="machine", kind="text", tighter="", doc="What this machine is called there. Default: `account@machine`."),
)
