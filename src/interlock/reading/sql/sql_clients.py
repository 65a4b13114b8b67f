"""SQL that a client is given, or code hands to a database: each statement as an action, and the files it names."""

from __future__ import annotations

from ...model.effects import Effect, by_precedence
from ...value import TYPE_CHECKING
from ..evaluate.words import NUL, Arg
from ..machine.acts import emit, on_path
from .sql import read_sql
from .sql_files import file_meant

if TYPE_CHECKING:
    from ...model.action import Action
    from ..evaluate.state import Shell
    from ..machine.engine import Target

__all__ = ["Client", "run_sql"]


_LOCAL = ("", "localhost", "127.0.0.1", "::1", "0.0.0.0", ".")  # noqa: S104 - names of this machine


class Client:
    """Where a client is connected to, and what every action of it shows."""

    __slots__ = ("effects", "looks", "shell", "span", "tags", "target")

    def __init__(self, shell: Shell, span: tuple[int, int], looks: bool = False) -> None:
        self.shell = shell
        self.span = span
        self.looks = looks  # all that it is told to do is look: then it does not matter where
        self.target: Target = {}
        self.effects: tuple[Effect, ...] = ()
        self.tags: tuple[str, ...] = ()

    def connect(self, host: Arg) -> None:
        text = host.text.strip("[]")
        if host.unknown and not self.looks:
            self.shell.unclear(f"which server is used depends on {host.why}", host.span)
        if text not in _LOCAL and not text.startswith("/"):
            self.target["host"] = text.replace(NUL, "…")
            self.effects, self.tags = (Effect.NETWORK,), ("external",)

    def act(self, name: str, effects: tuple[Effect, ...], **more: object) -> None:
        changes = any(effect is not Effect.READ for effect in effects)  # looking changes nothing for others
        tags = (*(self.tags if changes else ()), *more.pop("tags", ()))  # type: ignore[misc]
        target = {**self.target, **more.pop("target", {})}  # type: ignore[dict-item]
        found = by_precedence([*effects, *self.effects])
        emit(self.shell, self.span, name=name, effects=found, tags=tags, target=target, **more)  # type: ignore[arg-type]


def run_sql(text: Arg, dialect: str, client: Client) -> None:
    if not text.known:
        client.shell.unclear(f"the SQL that runs depends on {text.why or 'file names'}", client.span)
        client.act("sql:unread", (Effect.EXECUTE,), tags=("unread",))
        return
    for part in read_sql(text.text, dialect):
        target: Target = {}
        if part.tables:
            target["table"] = part.tables[0] if len(part.tables) == 1 else part.tables
        if part.kind:
            target["kind"] = part.kind
        client.act(
            part.action, part.effects, tags=part.tags, risk=part.risk, irreversible=part.irreversible, target=target
        )
        if part.unread is not None:
            client.shell.unclear(part.unread, client.span)
        for path in part.reads:
            _file("read", path, client)
        for path in part.replaces:
            _file("replace", path or str(client.target.get("database", "")), client)
        for path in part.writes:
            _file("write", path, client)
        if part.runs is not None:
            client.shell.found.follow.run_code("code.sh", Arg(part.runs, text.span), client.shell, client.span)


def _is_new(action: Action) -> bool:
    return action.name == "fs:write" and not {"new", "created"}.isdisjoint(action.tags)


def _file(role: str, name: str, client: Client) -> None:
    path = file_meant(name)
    if path is None:
        client.shell.unclear("it is unclear which file an address stands for", client.span)
    elif "://" in path:
        role_name, tags = ("net:send", ("external", "sends")) if role == "write" else ("net:fetch", ())
        client.act(role_name, (Effect.NETWORK,), tags=tags, target={"url": path})
    elif path and role == "replace":
        place, actions = Arg(path, client.span, any(char in path for char in "*?[")), client.shell.found.actions
        begun = len(actions)
        paths = on_path("write", place, client.shell)
        known = {path for action in actions for path in (action.target.get("path"),) if _is_new(action)}
        if len(actions) == begun or not known.issuperset(paths):
            on_path("wipe", place, client.shell)
    elif path:
        on_path(role, Arg(path, client.span, any(char in path for char in "*?[")), client.shell)
