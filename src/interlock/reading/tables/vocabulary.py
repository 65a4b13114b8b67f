"""The words that may stand as a role in a table, ours or `[commands.NAME]` of a policy. The sets are closed.

A role that the engine did not know used to be data that shows in the target, so that `--log:wirte` wrote nothing
that anybody saw. Data has a name from FIELDS now, or says that it is data: `field.NAME`. Roles that only the function
of a program reads (SPOKEN) stand in rows of that function and nowhere else; anywhere else they would be data again.
"""

from __future__ import annotations

from ..core.tags import close_to
from .spec import ROLES

__all__ = [
    "CODE",
    "FIELDS",
    "FOLLOWED",
    "FROM_STDIN",
    "HIDDEN",
    "LANGUAGES",
    "LOOKED_AT",
    "ON_TRIAL",
    "SPOKEN",
    "STDIN",
    "role_trouble",
]

# Data that says nothing about a target. `words` are what people say or look for, and
# never a file; what is `seen` or `shown` may be one: its name, or what is in it. An `identity` is a key that a
# program logs in with and never shows (core/accounting.py).
HIDDEN = frozenset(("text", "number", "words", "seen", "shown", "identity"))

LOOKED_AT = frozenset(("checked", "list", "read"))  # what `--fix` changes instead
FROM_STDIN = LOOKED_AT | {"count", "search", "edit"}  # `-` is no file there
# What a dry run does with an operand: it may show lines of what it would change, and else it is a look.
ON_TRIAL = {"checked": "checked", "edit": "checked", "read": "checked"}

# Text that is run: a command to the end of the words, and code in a language, as an operand, an option's value or the
# text that comes in.
LANGUAGES = frozenset(
    "R applescript bash bun clojure deno elixir erlang filter forth groovy haskell hg jj julia kak lisp lua make nix "
    "node ocaml other perl php prolog py racket rails raku ruby scheme sh subl swift tcl ts wolfram".split()
)
CODE = frozenset([f"code.{language}" for language in LANGUAGES])
# by `in_role` of runs/in_role.py
FOLLOWED = frozenset("baked cache daemon imports lists loads names property removed starts".split())
_RUN = FOLLOWED | {"command", "flags"}

# Names of fields of an action's target: what it works on, in the words of its program.
FIELDS = frozenset(
    "access account acl app arguments as base binding branch bucket chain chart cluster codespace collection "
    "compartment configuration confirm container context database datacenter dataset domain endpoint "
    "environment from function gist group hook host hosts id ids image instances "
    "key kind limit line location log-group member method model module name namespace network node only onto "
    "org overrides owner package path pipeline place plugin pool port process profile project query queue ref "
    "region registry remote remote-command repo repo-url resource resource-group rmi role run scope scopes "
    "secret secret-id selector server service setting signal site source stack stage stash subscription table tag "
    "target task team tenant to tool topic unit url user value vault verb version visibility volume workflow "
    "workspace zone".split()
)

# special -> roles that its function reads, beside those above
SPOKEN = {
    "browse": "address carried config detour save",
    "cloud_cli": "config mount sql",
    "container_cli": "cap cgroupns device entrypoint ipc mount pid security sysctl userns uts volumes-from workdir",
    "curl": "address body carried config cookie detour encoded form header printed save sent socket upload variable",
    "msbuild": "report",
    "download": "carried config detour header save",
    "emacs": "lisp load",
    "gdb": "script-file script-line",
    "gh_api": "field input",
    "git_branch": "upstream",
    "git_config": "file",
    "git_fetch": "config",
    "httpie": "body carried detour save session",
    "image_build": "output",
    "interpreter": "check code env-file load php-setting program reporter",
    "ip": "batch",
    "kube": "manifest",
    "mongo": "sql",
    "netcat": "detour program",
    "on_loopback": "carried detour",
    "pytest_run": "machine report",
    "rsync": "login replay rule there",
    "scp": "config jump program",
    "session": "batch config jump program",
    "sql_client": "sql sqlfile",
    "ssh": "config jump library tunnel",
    "tar": "archive into program step top",
    "traced": "output",
    "vim": "ex load start",
    "wget": "address carried config header program save sent upload wgetrc",
}
_SPOKEN = frozenset(" ".join(SPOKEN.values()).split())

# What becomes of standard input.
STDIN = frozenset(("read", "send", "address")) | CODE | frozenset(
    f"sql.{dialect}" for dialect in "bigquery clickhouse cql duckdb mssql mysql psql snowflake sqlite".split()
)  # fmt: skip

_KNOWN = frozenset(ROLES) | _RUN | HIDDEN | CODE | FIELDS
_ALL = _KNOWN | _SPOKEN


def role_trouble(role: str, *, ours: bool = True) -> str | None:
    """What is wrong with the role; None if it is one. `ours`: in a row that has a function of its own."""
    if role in (_ALL if ours else _KNOWN) or _is_field(role):
        return None
    if not role:
        return "a role is missing after `:`"
    shown = ascii(role[:40])[1:-1]
    return f"unknown role `{shown}`{close_to(role, _KNOWN)} (data that shows in the target is `field.{shown}`)"


def _is_field(role: str) -> bool:
    """`field.color`: data of a kind that no program of ours has."""
    return role[:6] == "field." and role[6:].replace("-", "").replace("_", "").isalnum() and role.isascii()
