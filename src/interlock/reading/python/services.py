"""What Python code uses through objects: sessions, databases, archives, temporary files, and the kits of services.

A kit (`boto3`, `kubernetes`, `docker`, …) gives objects whose methods say what they do by their name: what deletes
or sends there is felt by others, whatever object it is called on.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.verdict import Risk
from ...value import TYPE_CHECKING, lazy
from ..evaluate.words import NUL, Arg
from ..machine.acts import emit
from .acts import Acts
from .libraries import HANDS_OUT, git_call, is_throwaway, of_filesystem
from .standard_rows import of_standard
from .values import SECRET, SOME, TOKEN, UNKNOWN, Given, Held, as_text, unknown

if TYPE_CHECKING:
    from .arguments import of_parser
else:
    of_parser = lazy(globals(), ".arguments", "of_parser")

__all__ = ["DATABASES", "SDKS", "SESSIONS", "Services"]

# modules of services -> how their actions are called
SDKS = {
    "boto3": "aws", "botocore": "aws", "aioboto3": "aws", "aiobotocore": "aws", "s3fs": "aws", "google": "gcloud",
    "googleapiclient": "gcloud", "gcsfs": "gcloud", "azure": "azure", "msgraph": "azure", "kubernetes": "kubectl",
    "kubernetes_asyncio": "kubectl", "docker": "docker", "podman": "podman", "github": "github", "gitlab": "gitlab",
    "huggingface_hub": "hub", "redis": "redis", "pymongo": "mongo", "motor": "mongo", "elasticsearch": "elastic",
    "digitalocean": "digitalocean", "hcloud": "hcloud", "openstack": "openstack", "libcloud": "cloud",
    "slack_sdk": "slack", "tweepy": "twitter", "twilio": "twilio", "sendgrid": "sendgrid", "stripe": "stripe",
    "telegram": "telegram", "discord": "discord", "kafka": "kafka", "consul": "consul", "hvac": "vault",
    "snowflake": "snowflake", "cloudflare": "cloudflare", "CloudFlare": "cloudflare", "linode_api4": "linode",
    "praw": "reddit", "jira": "jira", "confluent_kafka": "kafka", "pika": "rabbitmq", "oci": "oci", "pulumi": "pulumi",
    "openai": "openai", "anthropic": "anthropic", "cohere": "cohere", "mistralai": "mistral", "groq": "groq",
    "litellm": "litellm", "replicate": "replicate", "minio": "minio", "dropbox": "dropbox", "qdrant_client":
    "qdrant", "neo4j": "neo4j", "web3": "web3", "fsspec": "fsspec", "adlfs": "azure", "smbclient": "smb",
    "pysftp": "sftp", "webdav3": "webdav", "ftputil": "ftp", "git": "git", "pygit2": "git", "dulwich": "git",
    "infisical": "infisical", "onepassword": "onepassword", "etcd3": "etcd", "cassandra": "cassandra",
    "influxdb_client": "influxdb",
    "hdfs": "hdfs", "ibm_boto3": "ibmcloud", "b2sdk": "backblaze", "supabase": "supabase", "firebase_admin": "firebase",
}  # fmt: skip
_DESTROYS = (
    "delete", "remove", "destroy", "terminate", "drop", "purge", "prune", "begin_delete", "batch_delete", "flush",
    "force_delete", "deregister", "revoke", "disable", "detach", "cancel", "wipe", "erase", "reset", "abort", "kill",
    "schedule_key_deletion", "stop_instances", "empty", "truncate", "evict", "decommission", "shutdown",
)  # fmt: skip
_REMOVES = frozenset(("rm", "rmdir", "rm_file", "rmtree", "removedirs", "unlink", "mv", "rename"))
_SENDS = (
    "put", "upload", "create", "update", "send", "post", "publish", "patch", "replace", "set", "attach", "modify",
    "start", "run", "push", "invoke", "write", "insert", "add", "import", "copy", "apply", "exec", "begin_create",
    "begin_start", "enable", "authorize", "register", "restore", "chat", "produce", "lpush", "rpush", "hset", "index",
    "bulk", "save", "merge", "tag", "charge", "complet", "generate", "embed", "pay", "transfer", "approve",
    "stream", "connect_get_namespaced_pod_exec",
)  # fmt: skip

SESSIONS = frozenset(
    "requests.Session requests.session httpx.Client httpx.AsyncClient aiohttp.ClientSession urllib3.PoolManager "
    "requests_html.HTMLSession cloudscraper.create_scraper requests.sessions.Session".split()
)
# functions that give a connection to a database -> the dialect
DATABASES = {
    "sqlite3.connect": "sqlite", "sqlite3.Connection": "sqlite", "sqlite3.dbapi2.connect": "sqlite",
    "psycopg.connect": "psql", "psycopg2.connect": "psql",
    "asyncpg.connect": "psql",
    "pymysql.connect": "mysql", "MySQLdb.connect": "mysql", "mysql.connector.connect": "mysql",
    "duckdb.connect": "duckdb",
    "aiosqlite.connect": "sqlite", "pyodbc.connect": "mssql", "sqlalchemy.create_engine": "",
    "psycopg.Connection.connect": "psql",
    "sqlalchemy.ext.asyncio.create_async_engine": "", "cx_Oracle.connect": "", "records.Database": "",
    "clickhouse_driver.Client": "clickhouse", "dataset.connect": "", "apsw.Connection": "sqlite",
}  # fmt: skip
_LOCAL_FILES = frozenset(
    "Filename filename file_path folder_path path_or_fileobj local_path source_file_name file".split()
)
_CURSORS = frozenset("cursor connect begin connection raw_connection session acquire __enter__ __aenter__".split())
_VERBS = frozenset(
    "SELECT INSERT UPDATE DELETE DROP TRUNCATE ALTER CREATE GRANT REVOKE REPLACE MERGE COPY VACUUM WITH PRAGMA SET "
    "ATTACH DETACH CALL EXEC EXECUTE BEGIN COMMIT ROLLBACK SHOW DESCRIBE EXPLAIN REINDEX LOAD DO".split()
)
_LOOKS_AT_TABLE = frozenset("get pop items keys values copy __contains__ __len__ __getitem__ __str__".split())
_REQUESTS = {
    "get": "fetch", "head": "fetch", "options": "fetch", "post": "sends", "put": "sends", "patch": "sends",
    "delete": "sends", "request": "sends", "stream": "sends", "ws_connect": "sends", "urlopen": "sends",
}  # fmt: skip


class Services(Acts):
    def hand_on_words(self, given: Given) -> None:
        raise NotImplementedError

    def of_kind(self, owner: Held, name: str, given: Given) -> Held | None:
        """A method of an object of a kind that is known; None: as of any other object."""
        kind = owner.kind
        if kind == "sdk":
            return self.service(f"{owner.data}.{name}", given)
        if kind == "session" and name in _REQUESTS:
            at = 1 if name in ("request", "stream", "urlopen") else 0
            address = given.get(at, "url")
            return self.request(given, address, _REQUESTS[name], as_text(owner) if owner.text is not None else "")
        if kind == "request":  # `add_header`, `set_proxy`
            self.rewired = True
            return None
        if kind == "file":
            return self._of_file(owner, name, given)
        if kind == "database":
            if name in _CURSORS:
                return owner
            if name == "backup":
                self._copied(given.get(0, "target"))
                return UNKNOWN
            if name == "load_extension":
                self.unclear("a database loads code that is not seen here")
                return UNKNOWN
            if name in (
                "execute",
                "executemany",
                "executescript",
                "exec_driver_sql",
                "fetch",
                "fetchrow",
                "sql",
                "query",
            ):
                self.statement(owner, name, given)
                return unknown(owner.flow)
        if kind == "filesystem":
            return of_filesystem(self, name, given)
        if kind == "archive":
            return self._of_archive(owner, name, given)
        if kind == "settings" and name in ("read", "read_env"):
            return self._read_settings(given, ".env" if name == "read_env" else None)
        if kind == "machine":
            if name in ("run", "sudo", "local", "put"):
                self.login(given.get(0, "command", "local"))
            return UNKNOWN
        if kind == "parser":
            if name == "add_argument":
                self.hand_on_words(given)
            return of_parser(owner, name, given)
        if kind == "table":
            return self._of_table(owner, name, given)
        if kind in ("process", "pids") and name in ("wait", "poll", "kill", "terminate", "send_signal"):
            return UNKNOWN  # a program that this code itself has started
        return of_standard(self, owner, name, given)

    def _of_file(self, owner: Held, name: str, given: Given) -> Held | None:
        if name in ("read", "readline", "readlines", "read1", "__iter__"):
            return unknown(owner.flow)
        if name in ("write", "writelines"):
            seen = any("secret" in action.tags for action in self.found.actions)  # a file was read, and asked about
            if given.flow & SECRET and not seen and not is_throwaway(self, owner):
                self.emit("sys:env", ("environment", "wholesale"), effects=(Effect.READ,))
            return UNKNOWN
        if name == "open":
            return owner
        if name == "truncate":
            self.path("write", owner)
            return UNKNOWN
        return owner if name == "__enter__" else None

    def _of_archive(self, owner: Held, name: str, given: Given) -> Held | None:
        if name in ("extractall", "extract"):
            archive = owner.data if isinstance(owner.data, Held) else None
            self.unpack(given.get(0 if name == "extractall" else 1, "path"), archive)
            return UNKNOWN
        if name in ("open", "extractfile") and isinstance(owner.data, Held):
            return Held(kind="member", data=owner.data, flow=owner.flow)
        if name in ("write", "add") and given.args:
            flow = self.path("read", given.args[0])
            owner.flow |= flow
            return UNKNOWN
        return None

    def _read_settings(self, given: Given, otherwise: str | None) -> Held:
        """`ConfigParser().read(…)`: one file, or a list of them."""
        held = given.get(0, "filenames", "env_file", "path") or (UNKNOWN if otherwise is None else Held(otherwise))
        flow = 0
        for one in held.items if held.items is not None and held.kind in ("", SOME) else (held,):
            flow |= self.path("read", one)
        return unknown(flow)

    def _of_table(self, owner: Held, name: str, given: Given) -> Held | None:
        table: dict[str, Held] = owner.data
        key = given.args[0] if given.args else None
        if name in ("get", "pop") and key is not None and key.known and as_text(key) in table:
            return table[as_text(key)] if name == "get" else unknown(owner.flow)
        if name in ("items", "keys", "values") and not owner.glob:
            pairs = [(Held(text), held) for text, held in table.items()]
            at = ("keys", "values").index(name) if name != "items" else 2
            items = [Held(items=list(pair)) if at == 2 else pair[at] for pair in pairs]
            return Held(items=items, flow=owner.flow, kind=SOME)
        if name == "update":
            more = key.data if key is not None and key.kind == "table" else {}
            owner.glob = owner.glob or given.spread or (key is not None and (key.kind != "table" or key.glob))
            table.update({**more, **given.words})
            owner.flow |= given.flow
            return UNKNOWN
        if name not in _LOOKS_AT_TABLE:  # it may change anything in there
            owner.data, owner.glob = {}, True
            owner.flow |= given.flow
        return None

    # --- databases ---------------------------------------------------------------------------------------------

    def connects(self, name: str, given: Given) -> Held:
        """A connection: a file of SQLite, or a server."""
        dialect = DATABASES[name]
        where = given.get(0, "database", "dsn", "conninfo", "url", "host", "server")
        text = as_text(where) if where is not None else ""
        if "://" in text:
            scheme = text.partition("://")[0].partition("+")[0]
            dialect = dialect or {"postgresql": "psql", "postgres": "psql"}.get(scheme, scheme)
            if scheme in ("sqlite", "duckdb"):
                where = Held(text.partition("://")[2].removeprefix("/"))
        file = dialect in ("sqlite", "duckdb")
        if file and where is not None and as_text(where) not in (":memory:", ""):
            self.path("read", where)
        elif not file:
            host = given.words.get("host") or where
            self._served(host)
        return Held(kind="database", data=(dialect, where if file else given.words.get("host") or where, file))

    def _copied(self, target: Held | None) -> None:
        """A copy of a database into another one of SQLite."""
        where = target.data[1] if target is not None and target.kind == "database" else None
        if where is None or as_text(where) not in (":memory:", ""):
            self.path("write", where)

    def _served(self, host: Held | None) -> None:
        from ..sql.sql_clients import Client

        client = Client(self.shell, self.span)
        if host is not None and NUL not in as_text(host):
            client.connect(_server(self.arg(host)))
        self.network("net:connect", {key: value for key, value in client.target.items() if key == "host"}, client.tags)

    def statement(self, owner: Held, method: str, given: Given) -> None:
        """SQL that is run. On something that is not known to be a database, only a text that is SQL counts."""
        from ..sql.sql_clients import Client, run_sql

        held = given.get(0, "query", "sql", "statement", "operation") or UNKNOWN
        text = as_text(held)
        known = owner.kind == "database"
        dialect, where, file = owner.data if known else ("", None, False)
        first = text.split(None, 1)[0].upper().rstrip(";") if text.split() else ""
        if not known and (first not in _VERBS or not held.known):
            if (
                not self.foreign.isdisjoint(_DRIVERS)
                and (held.text is None or not held.known)
                and first not in ("SELECT",)
            ):
                self.unclear("it is unclear which SQL runs")
            return
        arg = self.arg(held)
        if NUL in text and file and method == "execute" and first in ("SELECT", "PRAGMA", "EXPLAIN"):
            arg = Arg(text.replace(NUL, "x"), self.span)  # one statement at a time: nothing can follow it
        client = Client(self.shell, self.span)
        if where is not None and not file and NUL not in as_text(where):
            client.connect(_server(self.arg(where)))
        before = len(self.found.actions)
        run_sql(arg, dialect, client)
        self.acted = True
        changed = any(
            action.name.startswith("sql:") and any(effect is not Effect.READ for effect in action.effects)
            for action in self.found.actions[before:]
        )
        if changed and file and where is not None and as_text(where) not in (":memory:", ""):
            self.path("edit", where)

    # --- kits of services --------------------------------------------------------------------------------------

    def service(self, name: str, given: Given) -> Held:
        """`client.delete_bucket(…)`: by the first word of the last name."""
        top, _, _ = name.partition(".")
        verb = name.rpartition(".")[2]
        family = SDKS.get(top, top)
        if top == "git":
            return git_call(self, name, given)
        if verb in HANDS_OUT or (verb == "get_parameter" and "WithDecryption" in given.words):
            self.emit(f"{family}:{verb}", ("secret",), {}, (Effect.READ, Effect.NETWORK))
            return Held(kind="sdk", data=name, flow=SECRET)
        secret = given.flow & SECRET or (given.flow & TOKEN and verb.startswith(_SENDS))
        privileged = any(
            word in given.words and not (given.words[word].kind == "constant" and not given.words[word].data)
            for word in (
                "privileged",
                "pid_mode",
                "cap_add",
                "volumes",
                "network_mode",
                "devices",
                "security_opt",
                "user",
            )
        )
        verb_name = verb.lower()
        if verb_name.startswith(("upload", "put_file", "fput")):
            for held in (*given.args[:1], *[held for word, held in given.words.items() if word in _LOCAL_FILES]):
                if held.text is not None:
                    secret = secret or self.path("send", held)
        else:
            secret = secret or self.reach(verb, given)
        if verb_name in _REMOVES or (verb_name.startswith(_DESTROYS) and verb_name not in ("delete_me",)):
            self.serve(f"{family}:{verb_name}", (Effect.DESTRUCTIVE, Effect.NETWORK), ("external",), True)
        elif family in ("docker", "podman") and verb in ("run", "create", "exec_run", "build"):
            self._container(family, verb, privileged, given)
        elif secret:
            self.serve(f"{family}:{verb_name}", (Effect.NETWORK,), ("external", "leaks", "sends"))
        elif verb_name.startswith(_SENDS):
            self.serve(f"{family}:{verb_name}", (Effect.NETWORK, Effect.WRITE), ("external", "sends"))
        return Held(kind="sdk", data=name if len(name) < 300 else top, flow=given.flow & SECRET)

    def _container(self, family: str, verb: str, privileged: bool, given: Given) -> None:
        image = given.get(0, "image")
        tags = ("privileged", "unread") if privileged else ("unread",)
        target = {} if image is None or not image.known else {"image": as_text(image)}
        if privileged:
            self.unclear(f"a container is started that may reach the machine: `{family}.{verb}`")
        self.emit(f"{family}:{verb.removesuffix('_run')}", tags, dict(target), (Effect.EXECUTE, Effect.NETWORK))

    def serve(self, name: str, effects: tuple[Effect, ...], tags: tuple[str, ...], irreversible: bool = False) -> None:
        self.acted = True
        emit(
            self.shell,
            self.span,
            name=name,
            effects=effects,
            tags=tags,
            risk=Risk.HIGH if irreversible else Risk.MEDIUM,
            irreversible=irreversible,
        )

    def login(self, command: Held | None) -> None:
        """A command line that another machine runs."""
        text = as_text(command or UNKNOWN).replace(NUL, "…")
        self.unclear("a command is run on another machine")
        self.emit("ssh:run", ("external",), {"command": text[:200]}, (Effect.EXECUTE, Effect.NETWORK))


_DRIVERS = frozenset("psycopg psycopg2 sqlalchemy asyncpg pymysql MySQLdb mysql pyodbc duckdb aiosqlite".split())


def _server(arg: Arg) -> Arg:
    """The host of an address, of `host=… dbname=…`, or a host."""
    text = arg.text
    if "://" in text:
        text = text.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2].partition(":")[0]
    elif "host=" in text:
        rest = text.partition("host=")[2].split()
        text = rest[0].strip("'") if rest else ""
    elif "=" in text:
        text = "localhost"
    return Arg(text, arg.span)
