"""Command lines of clouds and services: `program group … verb name --options`, read by the verb.

Their trees are too large to write down and regular enough to go by one table of verbs. The strictest verb among the
words counts, so that a thing called `list` does not make a deletion look like a listing; a command without a known
verb is `unknown`.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.verdict import Risk
from ...value import TYPE_CHECKING
from ..evaluate.words import NUL, Arg
from ..machine.acts import emit, on_path
from ..machine.engine import own_values, run_row
from ..machine.options import compiled
from ..machine.options import parse as parse_options
from ..tables.spec import ROLES

if TYPE_CHECKING:
    from ..evaluate.state import Shell
    from ..machine.engine import Target
    from ..tables.spec import Program

__all__ = ["aws", "cloud_cli"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_READS = _words(
    "list ls get describe show status version versions help info view search find whoami logs log tail inspect "
    "check validate lint verify diff history top ps docs completion preview plan estimate query scan count lookup "
    "filter head select simulate explain read print events metrics stats usage quota ratelimit targets pipelines "
    "service-ids replies feedback regions zones sizes wait releases doctor scopes retrieve plans analyze account "
    "accounts monitor inventory options outputs output env-list features locations errors budgets list-tags "
    "threads watch available domains:info current test-iam-permissions exists statistics graph health members "
    "services images me ping report detect synthesize synth why state jobs instances-list display dry-run about"
)
_WRITES = _words(
    "create new add rsync set update edit modify put patch apply deploy deployments:create up push upload publish "
    "import restore start stop restart reboot resume suspend pause unpause scale resize enable disable attach "
    "detach associate disassociate register tag untag rename move copy cp mv sync rollback promote link unlink "
    "init login logout auth activate deactivate grant revoke bind invite trigger send submit rotate migrate "
    "failover connect allocate assign unassign mb snapshot backup clone fork build use unset pull write replace "
    "cancel merge upgrade downgrade authorize accept reject approve deny undelete untaint configure config-ssh "
    "increase decrease change mount unmount load save generate provision bootstrap export download sign encrypt "
    "lock unlock open tunnel forward proxy dev serve transfer share unshare ack complete subscribe unsubscribe "
    "post alias ingest setup convert poweroff poweron power-on power-off power-cycle rebuild snapshots:create "
    "token issue renew seal unseal operator acquire run-now dispatch resync reconcile refresh scaffold install "
    "cordon uncordon maintenance bundle extract finalize confirm resend request insert append unregister switch "
    "boot reply decrypt assume config context simulate-event fixtures commit release mk api target"
)
_DESTROYS = _words(
    "delete del destroy rm remove terminate purge drop uninstall deregister wipe reset prune rb nuke erase empty "
    "flush undeploy "
    "teardown down deallocate reprovision expire force-delete rmdir obliterate rollback-data forget release-address "
    "clear"
)
_RUNS = _words("run exec execute ssh console invoke call rsh eval run-command send-command start-session")
_SECRETS = _words(
    "secret secrets password passwords token tokens credential credentials decrypt accesskey keyvault keys "
    "variables env "
    "config:get access-token identity-token auth-token"
)
_GROUPS = {  # first words that are groups, though they look like verbs
    "gcloud": _words("run deploy config services auth builds"), "aws": _words("deploy logs events config health "
    "batch"),
    "fly": _words("image config services"), "flyctl": _words("image config services"),
    "az": _words("account config"), "doctl": _words("auth account"),
    "heroku": _words("config ps releases logs auth"), "vault": _words("token auth secrets operator"),
    "nomad": _words("operator status"),
    "consul": _words("operator services members"), "firebase": _words("auth"), "stripe": _words("events"),
    "sentry-cli": _words("releases"),
    "influx": _words("auth config org user"), "gh": frozenset(),
}  # fmt: skip
_LOOKS = {Effect.READ}


def _kind(word: str) -> str | None:
    for name in (word, word.partition("-")[0], word.rpartition(":")[2], word.rpartition(":")[2].partition("-")[0]):
        if name in _DESTROYS:
            return "destroy"
    for name in (word, word.rpartition(":")[2], word.partition("-")[0], word.rpartition(":")[2].partition("-")[0]):
        if name in _RUNS:
            return "run"
        if name in _READS:
            return "read"
        if name in _WRITES:
            return "write"
    return None


def _inner_kind(word: str) -> str | None:
    """The verb inside a word, where none begins it: `records-delete`, `admin-create-user`."""
    kinds = [kind for kind in map(_kind, word.replace(":", "-").split("-")[1:]) if kind is not None]
    return max(kinds, key=_ORDER.__getitem__) if kinds else None


_FIRST_ONLY = _words("api target config context token operator release alias me state account accounts")
_ORDER = {"destroy": 3, "run": 2, "write": 1, "read": 0}


def cloud_cli(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """Exact sub-commands that the row knows come first; everything else goes by its verb."""
    parsed = parse_options(row, args[1:], stop_at_operand=True)
    first = parsed.operands[0] if parsed.operands else None
    if first is not None and first.known and first.text in row.subs:
        given = own_values(row, parsed, span, shell)
        return run_row(row.subs[first.text], parsed.operands, span, shell, given)
    words, maybe, target = _sorted(row, args[1:], span, shell)
    texts = [word.text for word in words]
    if not words or "help" in texts[:1] or any(arg.text in ("--help", "--version") for arg in args[1:]):
        if not words and row.default is not None:
            return run_row(row.default, args, span, shell)
        emit(shell, span, name=f"{row.name}:help", effects=(), tags=())
        return None
    groups = _GROUPS.get(row.name, frozenset())
    found: tuple[int, str] | None = None
    for index, word in enumerate(words):
        kind = None if index == 0 and len(words) > 1 and word.text in groups else _kind(word.text)
        if word.unknown:
            break
        if index > 0 and word.text in _FIRST_ONLY:
            continue
        later = (
            found is not None and kind == found[1] and index < 4
        )  # groups may look like verbs: the last one names it
        if kind is not None and (found is None or later or _ORDER[kind] > _ORDER[found[1]]):
            found = (index, kind)
    if any(_kind(word.text) == "destroy" for word in maybe) and (found is None or found[1] != "destroy"):
        found = (0, "destroy") if found is None else (found[0], "destroy")
    for index, word in enumerate(words[:3]):
        kind = _inner_kind(word.text) if found is None and not word.unknown else None
        found = (index, kind) if kind is not None else found
    if found is None:
        if words[0].unknown:
            shell.unclear(f"which subcommand runs depends on {words[0].why}", span)
        name = ":".join([row.name, *texts[:2]]).replace(NUL, "…")
        emit(shell, span, name=name, effects=(Effect.EXECUTE,), tags=("unknown",), target=target)
        return None
    at, kind = found
    rest = words[at + 1 :]
    if any(_remote(word.text) for word in rest) and texts[at] in (
        "cp",
        "mv",
        "sync",
        "rsync",
        "rm",
        "copy",
        "upload",
        "download",
    ):
        return _transfer(row.name, texts[: at + 1], rest, target, args, span, shell)
    if rest:
        target["name"] = (
            rest[0].text.replace(NUL, "…") if len(rest) == 1 else tuple(w.text.replace(NUL, "…") for w in rest)
        )
        if any(word.unknown for word in rest) and kind != "read":
            shell.unclear(f"a name depends on {next(w.why for w in rest if w.unknown)}", span)
    _tell(row, ":".join([row.name, *texts[: at + 1]]), kind, texts, target, span, shell)
    return None


def _tell(
    row: Program, name: str, kind: str, texts: list[str], target: Target, span: tuple[int, int], shell: Shell
) -> None:
    parts = {part for text in texts for part in (text, *text.split("-"), *text.split(":"))}
    tags = {*row.tags, *(("secret",) if parts & _SECRETS else ())}
    tags.update(tag for switch in target.keys() & row.flags.keys() for tag in row.flags[switch].tags)
    if kind == "read":
        emit(shell, span, name=name, effects=(Effect.NETWORK, Effect.READ), tags=tuple(tags), target=target)
        return
    tags.add("external")
    if kind == "run":
        shell.unclear("what is run on another machine is not read", span)
        emit(shell, span, name=name, effects=(Effect.EXECUTE, Effect.NETWORK), tags=(*tags, "unread"), target=target)
    elif kind == "destroy":
        effects = (Effect.DESTRUCTIVE, Effect.NETWORK)
        emit(
            shell, span, name=name, effects=effects, tags=tuple(tags), risk=Risk.HIGH, irreversible=True, target=target
        )
    else:
        if parts & {"publish", "upload", "push", "deploy", "submit", "send", "publish-release"}:
            tags.add("sends")
        if parts & {"iam", "role", "policy", "permissions", "grant", "access"}:
            tags.add("privileged")
        emit(shell, span, name=name, effects=(Effect.NETWORK, Effect.WRITE), tags=tuple(tags), target=target)


def _sorted(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> tuple[list[Arg], list[Arg], Target]:
    """Words of the command, words that may be the value of an option that is not known, and fields of the target."""
    table = compiled(row)
    words: list[Arg] = []
    maybe: list[Arg] = []
    target: Target = {}
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        text = arg.text
        if text == "--":
            words.extend(rest)
            break
        if not text.startswith("-") or text == "-":
            if arg.unknown and text[:1] == NUL and not arg.quoted:
                shell.unclear(f"an argument depends on {arg.why}", arg.span)
            words.append(arg)
            continue
        name, equals, joined = text.partition("=")
        option = table.by_name.get(name)
        value = Arg(joined, arg.span, arg.glob, arg.origin) if equals else None
        if option is None:
            if value is None and rest and not rest[0].text.startswith("-"):
                value = rest.pop(0)
                if not value.unknown:
                    maybe.append(value)
            role = "text"
        elif option.role is None:
            if option.shows is not None:
                target[option.shows] = True
            continue
        else:
            role = option.role
            if value is None and not option.attached and rest:
                value = rest.pop(0)
        if value is not None:
            _value(role, value, target, span, shell)
        if option is not None and option.name in row.flags and row.flags[option.name].opaque is not None:
            shell.unclear(row.flags[option.name].opaque or "", arg.span)
    return words, maybe, target


def _value(role: str, value: Arg, target: Target, span: tuple[int, int], shell: Shell) -> None:
    text = value.text
    if text.startswith(("file://", "fileb://", "@")) and len(text) > 1 and not text.startswith("@-"):
        path = text.removeprefix("@") if text[0] == "@" else text.partition("://")[2]
        on_path("send", Arg(path, value.span, value.glob, value.origin), shell)
    elif role in ROLES:
        if text != "-" and not text.startswith(("http://", "https://")):
            on_path(role, value, shell)
    elif role == "sql":
        from ..sql.sql_clients import Client, run_sql

        run_sql(value, "sql", Client(shell, span))
    elif role == "code.sh":
        shell.unclear("what is run on another machine is not read", value.span)
    elif role not in ("text", "number"):
        target[role] = text.replace(NUL, "…")
        if value.unknown:
            shell.unclear(f"the {role} depends on {value.why}", value.span)


def _remote(text: str) -> bool:
    return text.startswith(("s3://", "gs://", "gcs://", "https://", "oci://", "b2://", "r2://", "az://")) or (
        ":" in text and "/" not in text.partition(":")[0] and len(text.partition(":")[0]) > 1
    )


def _transfer(
    program: str, path: list[str], ends: list[Arg], target: Target, args: list[Arg], span: tuple[int, int], shell: Shell
) -> Arg | None:
    """`s3 cp FROM TO`: each end is here or there; what goes there is sent, what `rm` and `--delete` take is gone."""
    verb = path[-1]
    flags = {arg.text.partition("=")[0] for arg in args if arg.text.startswith("-")}
    trial = bool(flags & {"--dryrun", "--dry-run", "-n"} - ({"-n"} if program != "gsutil" else set()))
    name = ":".join([program, *path])
    gone = (
        verb == "rm"
        or bool(flags & {"--delete", "--delete-unmatched-destination-objects"})
        or (program == "gsutil" and "-d" in flags)
    )
    for index, end in enumerate(ends):
        last = index == len(ends) - 1 and len(ends) > 1
        if not _remote(end.text):
            if end.text == "-":
                continue
            leaves = not last and not trial and verb != "mv" and _remote(ends[-1].text)
            role = "send" if leaves else "read" if trial or (not last and verb != "mv") else "write" if last else "move"
            if role == "write" and _remote(ends[0].text):
                role, end = "brings", _arrives(ends[0], end, flags, verb)
            on_path(role, end, shell)
            if last and gone and not trial:
                on_path("delete", end, shell)
            continue
        shown: Target = {**target, "url": end.text.replace(NUL, "…")}
        if end.unknown:
            shell.unclear(f"the address is unclear: {end.why}", end.span)
        if trial:
            emit(shell, end.span, name=name, effects=(Effect.NETWORK, Effect.READ), tags=("dryrun",), target=shown)
        elif (gone and (last or verb == "rm")) or (verb == "mv" and not last):
            emit(shell, end.span, name=name, effects=(Effect.DESTRUCTIVE, Effect.NETWORK), tags=("external",
                *(("sends",) if last else ())),
                 risk=Risk.HIGH, irreversible=True, target=shown)  # fmt: skip
        elif last:
            emit(
                shell,
                end.span,
                name=name,
                effects=(Effect.NETWORK, Effect.WRITE),
                tags=("external", "sends"),
                target=shown,
            )
        else:
            emit(shell, end.span, name=name, effects=(Effect.NETWORK, Effect.READ), tags=(), target=shown)
    return None


def _arrives(source: Arg, place: Arg, flags: set[str], verb: str) -> Arg:
    """The file itself, where one file is put into a folder: not all that is there has come from elsewhere."""
    name = source.text.rstrip("/").rpartition("/")[2]
    many = bool(flags & {"--recursive", "-r", "-R"}) or verb not in ("cp", "mv") or "*" in name or not source.known
    into = place.text in (".", "..") or place.text.endswith("/")
    if many or not into or not name:
        return place
    return Arg(f"{place.text.rstrip('/')}/{name}", place.span, place.glob, place.origin)


# aws -----------------------------------------------------------------------------------------------------------------

_AWS_SECRETS = _words(
    "secretsmanager:get-secret-value secretsmanager:batch-get-secret-value ssm:get-parameter ssm:get-parameters "
    "ssm:get-parameters-by-path "
    "ecr:get-login-password ecr-public:get-login-password sts:get-session-token sts:assume-role "
    "sts:assume-role-with-web-identity "
    "sts:get-federation-token iam:create-access-key kms:decrypt eks:get-token codeartifact:get-authorization-token "
    "ec2:get-password-data configure:export-credentials rds:generate-db-auth-token configure:get "
    "sso:get-role-credentials "
    "redshift:get-cluster-credentials cognito-identity:get-credentials-for-identity "
    "lightsail:download-default-key-pair"
)
_AWS_RUNS = _words(
    "ssm:send-command ssm:start-session ecs:execute-command ecs:run-task lambda:invoke "
    "lambda:invoke-async batch:submit-job"
)


def aws(row: Program, args: list[Arg], span: tuple[int, int], shell: Shell) -> Arg | None:
    """`aws SERVICE OPERATION`: the second word decides, by how it begins."""
    words, _, target = _sorted(row, args[1:], span, shell)
    texts = [word.text for word in words]
    if len(words) < 2 or "help" in texts[:3] or "--version" in (arg.text for arg in args[1:]):
        known = (
            not words
            or texts[0] in ("help", "configure", "login")
            or "help" in texts
            or "--version" in (a.text for a in args)
        )
        if texts[:1] == ["configure"] or texts[:1] == ["login"]:
            on_path("write", Arg(shell.found.facts.home + "/.aws/config", span), shell)
            return None
        effects = () if known else (Effect.EXECUTE,)
        emit(
            shell,
            span,
            name="aws:help" if known else f"aws:{texts[0]}",
            effects=effects,
            tags=() if known else ("unknown",),
        )
        return None
    if any(word.unknown or word.glob for word in words[:2]):
        shell.unclear("it is unclear which subcommand runs", span)
        return None
    service, operation = texts[0], texts[1]
    if service in ("s3", "s3api") and operation in ("cp", "mv", "sync", "rm"):
        return _transfer("aws", texts[:2], words[2:], target, args, span, shell)
    both = f"{service}:{operation}"
    if service == "configure":
        secret = ("secret",) if operation in ("set", "get", "export-credentials") else ()
        role = "read" if operation in ("list", "list-profiles", "get", "export-credentials") else "write"
        if role == "write":
            on_path("write", Arg(shell.found.facts.home + "/.aws/credentials", span), shell)
        emit(shell, span, name=f"aws:{both}", effects=(Effect.of(role),), tags=secret, target=target)
        return None
    if both in ("eks:update-kubeconfig", "sso:login", "sso:logout", "codeartifact:login"):
        emit(shell, span, name=f"aws:{both}", effects=(Effect.NETWORK, Effect.WRITE), tags=("secret",), target=target)
        return None
    kind = "run" if both in _AWS_RUNS else _kind(operation) or _inner_kind(operation)
    if operation == "run-instances":
        kind = "write"
    if service == "s3":
        kind = {"ls": "read", "presign": "write", "website": "write", "mb": "write", "rb": "destroy"}.get(operation)
    if service == "logs" and operation in ("tail", "start-query"):
        kind = "read"
    for word in words[2:]:
        if operation in ("get-object", "invoke", "get-object-torrent", "get-export", "get-sdk"):
            on_path("write", word, shell)
        else:
            target["name"] = word.text.replace(NUL, "…")
    if kind is None:
        emit(
            shell, span, name=f"aws:{both}", effects=(Effect.EXECUTE, Effect.NETWORK), tags=("unknown",), target=target
        )
        return None
    if both in _AWS_SECRETS and kind == "read":
        emit(shell, span, name=f"aws:{both}", effects=(Effect.NETWORK, Effect.READ), tags=("secret",), target=target)
        return None
    _tell(row, f"aws:{both}", kind, [service, operation], target, span, shell)
    return None
