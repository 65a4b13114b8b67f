"""What is left running, and what it is made from: a yes for one file of services is none for another.

A server of the project that stays in front ends with the call: nothing is left running. One that is sent to the
background is `server:start`, whatever program serves, so that a yes to the first covers the next. A server that
detaches by itself (`rails s -d`) is that too; what others keep alive (`pm2`, containers, services) is not.
"""

from __future__ import annotations

from ...effects import Effect
from ...value import TYPE_CHECKING, FrozenMap
from .acts import emit

if TYPE_CHECKING:
    from ..evaluate.state import Found, Shell
    from .acts import Target

__all__ = ["SERVES", "as_servers", "left_running"]

# Actions of programs that serve until they are stopped. INVARIANT: none that goes on elsewhere once it has returned.
SERVES = frozenset(
    "exec:project firebase:emulators:start firebase:serve fly:proxy kubectl:port-forward netlify:dev sam:local "
    "serverless:offline stripe:listen vercel:dev wrangler:dev".split()
)
_DETACHES = frozenset(("--daemon", "--daemonize", "--detach", "--fork", "--background", "multi"))
_FILE_SERVERS = frozenset(("serve", "http-server", "live-server", "browser-sync"))  # to the whole network, by default
_KEPT_ALIVE = frozenset(("pm2", "pg_ctl", "forever", "supervisord", "docker", "podman"))


def left_running(
    name: str, effects: tuple[Effect, ...], target: Target, span: tuple[int, int], shell: Shell
) -> tuple[Effect, ...]:
    """The effects of what would be left running: of a server in front, all but that."""
    words = [word.text for word in shell.found.commands[-1][0]] if shell.found.commands else []
    program = words[0].rpartition("/")[2] if words else ""
    shares = not _FILE_SERVERS.isdisjoint(words[:2])
    if name not in SERVES or shares or program in _KEPT_ALIVE or "detach" in target:
        _made_from(target, span, shell)
        return effects
    open_to_others = name != "exec:project" and shell.found.listens  # what listens there is told of by itself
    if open_to_others or any(map(_detaches, words[1:])):
        if name != "exec:project":
            _made_from(target, span, shell)
            return effects
        emit(shell, span, name="server:start", effects=(Effect.SPAWN,), target=_open_to(shell.found))
    rest = tuple([effect for effect in effects if effect is not Effect.SPAWN])
    return rest or (Effect.EXECUTE,)


def _detaches(word: str) -> bool:
    """`-d`, `-dp`, `--daemon=true`, and what is not known."""
    if word[:1] != "-" or word[:2] == "--":
        return word.partition("=")[0] in _DETACHES or "\0" in word
    letters = word[1:].partition("=")[0]
    return letters.isalpha() and len(letters) < 4 and ("d" in letters or "D" in letters)


def as_servers(found: Found, actions: int, opaque: int) -> None:
    """A job in the background that only serves is a server of the project, by whichever program."""
    job = found.actions[actions:]
    serving = [action for action in job if action.name in SERVES and "fetched" not in action.target]
    if not serving or len(found.opaque) > opaque:
        return
    for action in job:
        looks = all(effect is Effect.READ for effect in action.effects)
        if not looks and action not in serving and action.name not in ("proc:spawn", "server:start", "fs:write"):
            return
    for at in range(actions, len(found.actions)):
        action = found.actions[at]
        if action.name == "proc:spawn":
            found.actions[at] = action.replace(name="server:start", target=FrozenMap(_open_to(found)))


def _open_to(found: Found) -> Target:
    """A server for everybody is more than one for this machine: a yes to that one is none to this."""
    words = [word.text for command, _ in found.commands for word in command] if found.listens else []
    for word, after in zip(words, [*words[1:], "-"], strict=False):
        address = word.partition("=")[2] if word[:2] == "--" else word
        if "0.0.0.0" in word or address.startswith(("::", "[::]")):  # noqa: S104 - looked for
            return {"open": True}
        if word in ("--host", "--bind") and after[:1] == "-":  # all addresses to vite and its like
            return {"open": True}
    return {}


_NAMED_BY = ("COMPOSE_FILE", "COMPOSE_ENV_FILES")


def _made_from(target: Target, span: tuple[int, int], shell: Shell) -> None:
    """What is left running does what its files say, and those of the folder: `compose -f x.yml up` is another `up`."""
    found = shell.found
    within = span if shell.frozen_span is None else shell.frozen_span
    named = [
        str(action.target["path"])
        for action in found.actions
        if action.name in ("fs:read", "fs:list")
        and within[0] <= action.span[0] <= within[1]
        and "path" in action.target
    ]
    named += [value.text for name in _NAMED_BY for value in shell.variables.get(name, ())]
    if shell.folders != (found.facts.root,):
        named += shell.folders or ("?",)
    if named:
        target["file"] = " ".join(dict.fromkeys(named))
