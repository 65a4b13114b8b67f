"""Clients of databases: SQL, Redis commands and mongo shell calls, read as what they would do there."""

from __future__ import annotations

from ...model.effects import Effect
from ...model.verdict import Risk
from ...model.wants import Script
from ...value import TYPE_CHECKING
from ..core.accounting import marks_to_be_wary_of
from ..evaluate.origins import file_of, variable_of
from ..evaluate.words import NUL, Arg, literal
from ..machine.acts import on_path
from ..machine.engine import act_on
from ..machine.options import parse as parse_options
from ..machine.places import has_written
from ..runs.wrappers import run_code
from ..sql.sql import only_looks
from ..sql.sql_clients import Client, run_sql
from ..sql.sql_files import file_meant
from ..tables.spec import ROLES, Adds
from .runners import save

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.engine import Target
    from ..machine.options import Parsed
    from ..tables.spec import Program

__all__ = ["db_tool", "mongo", "redis", "sql_client"]

_HELP = ("--help", "--version", "-V", "-?", "--list", "-l")
_HOST_VARIABLES = ("PGHOST", "PGHOSTADDR", "MYSQL_HOST")
_HIDDEN = ("text", "number", "host", "sql", "sqlfile")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _connected(row: Program, parsed: Parsed, span: tuple[int, int], shell: Shell, looks: bool = False) -> Client:
    """The client with the host that an option, an address, or the environment names."""
    client = Client(shell, span, looks)
    for name in _HOST_VARIABLES:
        for value in shell.variables.get(name, [])[:1]:
            client.connect(value)
    for option, value in parsed.values:
        if option.role == "host":
            client.connect(_host(value))
        elif option.role and option.role not in ROLES and option.role not in _HIDDEN and "." not in option.role:
            client.target[option.role] = value.text.replace(NUL, "…")
            if value.unknown and not looks:
                shell.unclear(f"the {option.role} depends on {value.why}", value.span)
            if _names_server(value, looks):
                client.connect(_host(value))
    for operand in parsed.operands[:1]:
        if _names_server(operand, looks) and not row.operands.startswith(("edit", "sql")):
            client.connect(_host(operand))
    return client


def _names_server(arg: Arg, looks: bool) -> bool:
    """An address; where nothing is asked about it, also what may be one."""
    return "://" in arg.text or "host=" in arg.text or (looks and arg.unknown)


def _host(arg: Arg) -> Arg:
    """The host of an address, of `host=… dbname=…`, of `tcp:server,port` or of `server:port`."""
    text = arg.text
    if "://" in text:
        text = text.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2].partition(":")[0]
    elif "host=" in text:
        text = text.partition("host=")[2].split()[0].strip("'") if text.partition("host=")[2].split() else ""
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    return Arg(text.partition(",")[0], arg.span, arg.glob, arg.origin)


def sql_client(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """psql, mysql, sqlite3 …: SQL in options, operands, files and standard input."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    dialect = row.stdin.partition(".")[2]
    looks = _only_looks(row, parsed, dialect, shell)
    client = _connected(row, parsed, span, shell, looks)
    for name in sorted(parsed.switches & set(row.flags)):
        shell.unclear(row.flags[name].opaque or f"`{name}` is not read", span)
    for arg in parsed.doubtful:
        if not (looks and variable_of(arg.origin)):  # of the user's environment, and by the look of it an address
            shell.unclear(f"an argument depends on {arg.why}", arg.span)
    if not parsed.switches.isdisjoint(_HELP) or any(arg.text in ("--help", "--version") for arg in args[1:]):
        client.act("sql:show", (Effect.READ,))
        return None
    texts = [value for option, value in parsed.values if option.role == "sql"]
    files = [value for option, value in parsed.values if option.role == "sqlfile"]
    for option, value in parsed.values:
        if option.role == "write":
            save(value, shell, span)
        elif option.role in ROLES:
            on_path(option.role or "", value, shell)
        elif option.role == "code.sh":
            run_code("code.sh", value, shell, span)
    _operands(row, parsed, client, texts, dialect)
    for file in files:
        _script(file, dialect, client)
    for text in texts:
        run_sql(text, dialect, client)
    if texts or files:
        return None
    if shell.stdin is None:
        shell.unclear("it starts an interactive session", span)
        client.act("sql:session", (Effect.EXECUTE,), tags=("unread",))
        return None
    if shell.stdin.unknown and file_of(shell.stdin.origin):
        _unread(file_of(shell.stdin.origin), shell.stdin.span, client)
        return None
    run_sql(shell.stdin, dialect, client)
    return None


def _operands(row: Program, parsed: Parsed, client: Client, texts: list[Arg], dialect: str) -> None:
    """A database file and then SQL (sqlite3, duckdb), or the name of a database."""
    words = list(parsed.operands)
    if row.operands.startswith("edit"):
        texts.extend(words[1:])
        for path in words[:1]:
            client.target["database"] = path.text.replace(NUL, "…")
            if path.text not in (":memory:", "/dev/null", ""):
                looks = "-readonly" in parsed.switches or _only_reads(texts, dialect)
                file = file_meant(path.text)
                if file is None:
                    client.shell.unclear("it is unclear which file an address stands for", path.span)
                elif file:
                    name = Arg(file, path.span, path.glob, path.origin)
                    on_path("read" if looks else "edit", name, client.shell)
    elif row.operands.startswith("sql"):
        texts.extend(words)
    else:
        for name in words[:1]:
            if "://" not in name.text and "=" not in name.text:
                client.target.setdefault("database", name.text.replace(NUL, "…"))


def _only_looks(row: Program, parsed: Parsed, dialect: str, shell: Shell) -> bool:
    """True if every statement is at hand, and each only looks, with functions of which that is known."""
    texts = [value for option, value in parsed.values if option.role == "sql"]
    if any(option.role == "sqlfile" for option, _ in parsed.values):
        return False
    if row.operands.startswith(("edit", "sql")):
        texts += parsed.operands[row.operands.startswith("edit") :]
    if not texts and shell.stdin is not None:
        texts = [shell.stdin]
    return _only_reads(texts, dialect)


def _only_reads(texts: list[Arg], dialect: str) -> bool:
    return bool(texts) and all(text.known and only_looks(text.text, dialect) for text in texts)


def _script(file: Arg, dialect: str, client: Client) -> None:
    """A file of SQL: read if its text can be had; else by where it lies."""
    shell = client.shell
    if file.text in ("-", "/dev/stdin"):
        if shell.stdin is not None:
            run_sql(shell.stdin, dialect, client)
        return
    paths = on_path("read", file, shell)
    path = paths[0] if paths else ""
    text = shell.files.get(path)
    if text is None and path in shell.found.facts.scripts:
        text = literal(shell.found.facts.scripts[path], file.span)
    if text is not None and text.known:
        run_sql(text, dialect, client)
        return
    _unread(path, file.span, client)


def _unread(path: str, span: tuple[int, int], client: Client) -> None:
    """A file of SQL whose text is not at hand: the project's own, or opaque."""
    shell = client.shell
    if path:
        shell.found.want(Script(path))
    inside = path.startswith(shell.found.facts.root + "/") and not has_written(path, shell)
    if not inside or marks_to_be_wary_of(path, shell.found.facts):
        shell.unclear("the content of an SQL file was not read", span)
    client.act("sql:script", (Effect.EXECUTE, Effect.WRITE), tags=("unread",), target={"path": path} if path else {})


_NO_ROWS = ("-s", "--schema-only", "-d", "--no-data", "-g", "--globals-only")


def db_tool(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """pg_dump, createdb …: as the row says, and over the network where a host is named."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    client = _connected(row, parsed, span, shell)
    tags = client.tags if any(effect is not Effect.READ for effect in row.effects) else ()
    if client.effects and row.action is not None and row.action.endswith(":dump"):
        tags = (*tags, "wholesale") if parsed.switches.isdisjoint(_NO_ROWS) else tags
    adds = [Adds(effects=client.effects, tags=tags)] if client.effects else []
    parsed.values = [(option, _host(value) if option.role == "host" else value) for option, value in parsed.values]
    return act_on(row, parsed, args, span, shell, ({}, adds))


# Redis: command -> what it does
_REDIS_READS = _words(
    "get mget keys scan info ttl pttl exists type strlen llen lrange lindex hget hgetall hkeys hvals hlen hmget "
    "hscan "
    "hexists scard smembers sismember sscan zrange zcard zscore zrank zscan zcount zrangebyscore dbsize ping "
    "echo time "
    "object memory getrange bitcount randomkey xlen xrange xinfo xread command lastsave role latency slowlog dump "
    "substr getbit pfcount geopos geodist touch monitor subscribe psubscribe select auth hello quit client cluster "
    "json.get ft.search ft.info ft._list ts.get ts.range wait readonly"
)
_REDIS_WRITES = _words(
    "set mset setex psetex setnx append incr incrby incrbyfloat decr decrby expire expireat pexpire persist lpush "
    "rpush "
    "lset linsert rename renamenx hset hmset hsetnx hincrby sadd zadd zincrby publish xadd xgroup xack setbit "
    "setrange "
    "copy move bgsave save bgrewriteaof getset lpop rpop spop zpopmin zpopmax brpop blpop pfadd geoadd json.set "
    "restore sort lmove rpoplpush smove sinterstore sunionstore zunionstore"
)
_REDIS_DELETES = _words("del unlink hdel srem zrem lrem ltrim xdel xtrim getdel zremrangebyscore json.del")
_REDIS_WIPES = _words("flushall flushdb")


def redis(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    client = _connected(row, parsed, span, shell)
    for option, value in parsed.values:
        if option.role in ROLES:
            on_path(option.role or "", value, shell)
        if option.name == "--eval":
            shell.unclear("a script that runs in the server is not read", span)
    if not parsed.switches.isdisjoint(("--help", "--version", "-v")):
        client.act("redis:info", (Effect.READ,))
        return None
    if not parsed.switches.isdisjoint(
        ("--stat", "--bigkeys", "--memkeys", "--hotkeys", "--latency", "--scan", "--rdb")
    ):
        client.act("redis:read", (Effect.READ,))
        return None
    if "--pipe" in parsed.switches or parsed.strange:
        shell.unclear("what is sent to the server is not read", span)
        client.act("redis:send", (Effect.WRITE,), tags=("unread",))
    elif parsed.operands:
        _redis_command(parsed.operands, client)
    elif shell.stdin is not None and shell.stdin.known:
        for line in shell.stdin.text.splitlines():
            if line.strip():
                _redis_command([Arg(word, span) for word in line.split()], client)
    else:
        shell.unclear("`redis-cli` takes unknown commands", span)
        client.act("redis:send", (Effect.WRITE,), tags=("unread",))
    return None


def _redis_command(words: list[Arg], client: Client) -> None:
    first = words[0]
    name = first.text.lower()
    second = words[1].text.lower() if len(words) > 1 else ""
    key: Target = {"key": words[1].text.replace(NUL, "…")} if len(words) > 1 else {}
    if not first.known:
        client.shell.unclear(f"which command redis is sent depends on {first.why}", client.span)
        client.act("redis:send", (Effect.WRITE,), tags=("unread",))
    elif (
        name in _REDIS_READS
        or (name == "config" and second == "get")
        or (name == "acl" and second in ("list", "whoami"))
    ):
        client.act(f"redis:{name}", (Effect.READ,), target=key)
    elif name in _REDIS_WRITES:
        client.act(f"redis:{name}", (Effect.WRITE,), target=key)
    elif name in _REDIS_DELETES:
        client.act(f"redis:{name}", (Effect.DESTRUCTIVE,), irreversible=True, target=key)
    elif name in _REDIS_WIPES:
        client.act(f"redis:{name}", (Effect.DESTRUCTIVE,), irreversible=True, risk=Risk.HIGH)
    else:  # config set, module load, eval, slaveof, shutdown, debug: they change or run the server
        client.shell.unclear(f"it is unclear what `{name[:40]}` does to the server", client.span)
        client.act(f"redis:{name[:40]}", (Effect.EXECUTE,), tags=("unread", "privileged"))


_MONGO = {
    **dict.fromkeys(
        ("find", "findOne", "count", "countDocuments", "estimatedDocumentCount", "distinct", "stats", "getIndexes",
         "getCollectionNames", "getCollectionInfos", "version", "serverStatus", "hostInfo", "isMaster", "hello",
         "getName",
         "getUsers", "getRoles", "currentOp", "dataSize", "storageSize", "listCollections", "getMongo", "explain",
         "status"),
        (Effect.READ,),
    ),
    **dict.fromkeys(
        ("insert", "insertOne", "insertMany", "update", "updateOne", "updateMany", "replaceOne", "findOneAndUpdate",
         "createIndex", "createCollection", "save", "bulkWrite", "renameCollection"),
        (Effect.WRITE,),
    ),
    **dict.fromkeys(
        ("drop", "dropDatabase", "dropIndex", "dropIndexes", "remove", "deleteOne", "deleteMany", "findOneAndDelete"),
        (Effect.DESTRUCTIVE,),
    ),
}  # fmt: skip
_MONGO_ENDS = _words("limit sort skip pretty toArray forEach count size explain itcount hint batchSize projection")
_MONGO_VALUES = ("ObjectId(", "ISODate(", "NumberLong(", "NumberInt(", "new Date(")


def mongo(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """mongosh --eval TEXT: calls on `db` of a known form; any other JavaScript is not read."""
    parsed = parse_options(row, args[1:], stop_at_operand=False)
    client = _connected(row, parsed, span, shell)
    texts = [value for option, value in parsed.values if option.role == "sql"]
    scripts = [word for word in parsed.operands if word.text.endswith(".js") or word.text.endswith(".mongodb")]
    for option, value in parsed.values:
        if option.role in ROLES:
            on_path(option.role or "", value, shell)
    if not parsed.switches.isdisjoint(("--help", "--version")):
        client.act("mongo:help", ())
        return None
    for script in scripts:
        on_path("read", script, shell)
        shell.unclear("JavaScript that is run is not read", script.span)
        client.act("mongo:script", (Effect.EXECUTE,), tags=("unread",))
    if not texts and not scripts and shell.stdin is not None:
        texts = [shell.stdin]
    for text in texts:
        calls = _mongo_calls(text.text) if text.known else None
        if calls is None:
            shell.unclear("JavaScript that is run is not read", text.span)
            client.act("mongo:script", (Effect.EXECUTE,), tags=("unread",))
            continue
        for collection, method in calls:
            effects = _MONGO[method]
            wipes = Effect.DESTRUCTIVE in effects
            target: Target = {"collection": collection} if collection else {}
            high = Risk.HIGH if method.startswith(("drop", "remove", "deleteMany")) else Risk.LOW
            client.act(f"mongo:{method}", effects, irreversible=wipes, risk=high, target=target)
    if not texts and not scripts:
        shell.unclear("it starts an interactive session", span)
        client.act("mongo:script", (Effect.EXECUTE,), tags=("unread",))
    return None


def _mongo_calls(text: str) -> list[tuple[str, str]] | None:
    """(collection, method) of each statement; None if any is not of the form `db.name.method(…)`."""
    found = []
    for statement in text.replace("\n", ";").split(";"):
        words = statement.strip()
        for wrapper in ("printjson(", "print(", "JSON.stringify(", "EJSON.stringify(", "tojson("):
            if words.startswith(wrapper) and words.endswith(")"):
                words = words[len(wrapper) : -1].strip()
        if not words:
            continue
        if words.split()[0] in ("show", "use") and words.replace(" ", "").isalnum():
            found.append(("", "stats"))
            continue
        if "$where" in words or "$function" in words:  # JavaScript that runs in the server
            return None
        outside = _calls_of(words)
        if outside is None or not words.startswith("db."):
            return None
        names = [name for name in outside.split(".") if name]
        at = next((i for i, name in enumerate(names) if name.endswith("()") and name[:-2] != "getCollection"), None)
        if at is None or names[at][:-2] not in _MONGO or any(name[:-2] not in _MONGO_ENDS for name in names[at + 1 :]):
            return None
        found.append((".".join(names[1:at]), names[at][:-2]))
    return found


def _calls_of(text: str) -> str | None:
    """The text without what stands in parentheses; None if there is a call or a function inside them."""
    kept, depth, quote, at = "", 0, "", 0
    while at < len(text):
        char = text[at]
        if quote:
            at += 1 if char != "\\" else 2
            quote = "" if char == quote else quote
            continue
        if char in "'\"":
            quote = char
        elif char == "`" or text.startswith(("=>", "function", "$where", "$out", "$merge", "$function"), at):
            return None
        elif char == "(":
            value = depth and text[: at + 1].endswith(_MONGO_VALUES)
            if depth and not value:
                return None
            kept += "" if depth else "()"
            depth += 1
        elif char == ")":
            depth -= 1
        elif depth == 0:
            kept += char
        at += 1
    return kept if depth == 0 and not quote and all(c.isalnum() or c in "._()$" for c in kept) else None
