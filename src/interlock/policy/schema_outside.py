"""What a policy file may say of other machines: who is asked for a second opinion, which models judge, where the team's
store is, and where the end of the ledger is sent.
"""

from __future__ import annotations

from .field import Field

__all__ = ["CONSULT", "EVIDENCE", "JUDGE", "JUDGE_MODEL", "STORE"]

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

JUDGE = (
    Field(key="first", kind="table", tighter="", doc="The one model; see `[judge.first]`.", required=True),
    Field(key="second", kind="table", tighter="", doc="The other one, of another family.", required=True),
    Field(
        key="unsafe",
        kind="ask or deny",
        tighter="",
        doc="What follows where one of them says unsafe: `ask` (default) shows the person why, `deny` refuses.",
    ),
    Field(
        key="min_precision",
        kind="share",
        tighter="",
        doc="They are asked only once `interlock judge calibrate` has shown that at least this share of what they call "
        "unsafe is so. Default 0.9.",
    ),
    Field(
        key="timeout",
        kind="seconds",
        tighter="",
        doc="How long both may take, in seconds. They are asked at the same time. Default 3.",
    ),
    Field(key="tools", kind="texts", tighter="", doc="Ask only about these tools, as globs. Default: every tool."),
)

JUDGE_MODEL = (
    Field(
        key="endpoint",
        kind="model address",
        tighter="",
        doc="Where it is asked, such as `https://api.openai.com/v1/chat/completions`, "
        "`https://api.anthropic.com/v1/messages` or `http://127.0.0.1:11434/v1/chat/completions`. The call is sent "
        "there, secrets left out.",
        required=True,
    ),
    Field(key="model", kind="text", tighter="", doc="The model that is asked.", required=True),
    Field(
        key="family",
        kind="text",
        tighter="",
        doc="The family of that model, such as `qwen`. The two must differ.",
        required=True,
    ),
    Field(
        key="api",
        kind="model api",
        tighter="",
        doc="How the endpoint is spoken to: as `openai` chat completions (default) or as `anthropic` messages.",
    ),
    Field(
        key="key",
        kind="key name",
        tighter="",
        doc="The name of the environment variable that holds the key, such as `OPENAI_API_KEY`.",
    ),
    Field(
        key="key_file",
        kind="key file",
        tighter="",
        doc="A file that holds the key and that only you can read, in place of `key`.",
    ),
    Field(
        key="input_price", kind="price", tighter="", doc="What a million tokens cost that are sent, for `calibrate`."
    ),
    Field(key="output_price", kind="price", tighter="", doc="The same for tokens that come back."),
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
