"""What is left running, and what it is made from: a yes for one file of services is none for another.

A server of the project that stays in front ends with the call: nothing is left running. One that is sent to the
background is `server:start`, whatever program serves. A server that detaches by itself (`rails s -d`) is that too; what
others keep alive (`pm2`, containers, services) is not. Any other job that would be free in front is `job:start`.
"""

from __future__ import annotations

from ...model.action import lowered_effects
from ...model.effects import Effect
from ...value import TYPE_CHECKING, FrozenMap
from ..shell.syntax import While
from ..shell.walk import nodes
from .acts import emit

if TYPE_CHECKING:
    from ...model.action import Action
    from ..evaluate.state import Found, Shell
    from ..shell.syntax import Node
    from .acts import Target

__all__ = ["SERVES", "as_jobs", "left_running"]

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
        emit(shell, span, name="server:start", effects=(Effect.SPAWN,))
    return lowered_effects(effects, Effect.SPAWN)


def _detaches(word: str) -> bool:
    """`-d`, `-dp`, `--daemon=true`, and what is not known."""
    if word[:1] != "-" or word[:2] == "--":
        return word.partition("=")[0] in _DETACHES or "\0" in word
    letters = word[1:].partition("=")[0]
    return letters.isalpha() and len(letters) < 4 and ("d" in letters or "D" in letters)


def as_jobs(started: Node, found: Found, actions: int, opaque: int) -> None:
    """A job in the background that would be free in front is free there: a server of the project, a build, a look.

    What asks by itself keeps its `proc:spawn`. So does a loop that does more than look, which does it again and again
    when nobody looks, and what is let go of on purpose (`nohup`), unless it is a server.
    """
    job = found.actions[actions:]
    if found.rounds:
        return  # a loop may start it without end
    endless = any(type(node) is While for node in nodes(started))
    let_go = any(action.target.get("program") in _LET_GO for action in job)
    if not endless:
        _let_end(found, actions, opaque)
    if len(found.opaque) > opaque:
        return
    root = found.facts.root.rstrip("/") + "/"
    # Code of the session is asked about by itself, in front as here; what is odd in it keeps the job a question too.
    written = [action.target["runs"] for action in job if action.name == "exec:written" and "line" not in action.target]
    for action in job:
        runs = action.target.get("runs") or str(action.target.get("path", "")).removeprefix(root)
        if action.name in _STARTS or (action.name in _RUNS_A_FILE and runs in written and not endless):
            continue
        if _asks(action, found) or (endless and not _looks(action)):
            return
    name = "server:start" if any(action.name in SERVES for action in job) else "job:start"
    if (name == "job:start" or written) and let_go:
        return
    for at in range(actions, len(found.actions)):
        action = found.actions[at]
        if action.name == "proc:spawn" and not action.tags:
            found.actions[at] = action.replace(name=name, target=FrozenMap({}))


def _let_end(found: Found, actions: int, opaque: int) -> None:
    """`pkill old && sleep 2 && nohup serve &`: a program that ends by itself is not left running, whatever follows it.
    It runs no code, and what it does is read and judged by itself. And what only starts another is that other one: a
    yes to `serve &` is one to `nohup serve &`. What is let go of on purpose is asked about, whatever it is.
    """
    spawns = [at for at in range(actions, len(found.actions)) if found.actions[at].name == "proc:spawn"]
    ending: list[int] = []
    kept = -1  # where what is let go of ends
    for at in spawns:
        started = found.actions[at]
        start, end = started.span
        within = [each for each in found.actions[at + 1 :] if start <= each.span[0] and each.span[1] <= end]
        unread = any(start <= each.span[0] and each.span[1] <= end for each in found.opaque[opaque:])
        own = [action for action in within if action.name not in _STARTS]
        if started.tags:
            continue
        if started.target.get("program") in _LET_GO and any(each.name == "proc:spawn" for each in within):
            kept = max(kept, end)
            ending.append(at)
        elif own and end > kept and not unread and all(_ends(action) for action in own):
            ending.append(at)
    if len(ending) < len(spawns):  # a job of nothing else is what `as_jobs` says of it
        for at in ending:
            found.actions[at] = found.actions[at].replace(name="job:start", effects=(), target=FrozenMap({}))


_ENDS = frozenset(("exec:sleep", "proc:kill"))
_OF_FILES = frozenset((Effect.READ, Effect.WRITE))


def _ends(action: Action) -> bool:
    return action.name in _ENDS or (_OF_FILES.issuperset(action.effects) and _EVERYDAY.issuperset(action.tags))


_RUNS_A_FILE = ("exec:written", "exec:project")
_STARTS = ("proc:spawn", "server:start", "job:start")
_LET_GO = frozenset(("nohup", "setsid", "daemon", "daemonize", "start-stop-daemon"))
_EVERYDAY = frozenset(
    "built committed created dryrun fetched local moved new nowhere project regenerable temp unread upkeep".split()
)


_LOOKED_AT = _EVERYDAY | {"outside", "project-root"}


def _looks(action: Action) -> bool:
    local = "local" in action.tags
    return all(effect is Effect.READ or (local and effect is Effect.NETWORK) for effect in action.effects)


def _asks(action: Action, found: Found) -> bool:
    """Whether it may be asked about in front: an unknown program, a mark that is not everyday, a file run unread."""
    if Effect.SPAWN in action.effects or Effect.DESTRUCTIVE in action.effects or "fetched" in action.target:
        return True
    if action.name[:4] == "net:" and Effect.NETWORK in action.effects and "local" not in action.tags:
        return True  # it talks to another machine when nobody looks
    if not _EVERYDAY.issuperset(action.tags) and not (_looks(action) and {*action.tags} <= _LOOKED_AT):
        return True
    if "path" not in action.target or "unread" not in action.tags or Effect.EXECUTE not in action.effects:
        return False
    from ...model.more_wants import SameAsCommit
    from ..reach.git_facts import CLEAN, asked

    return asked(found, SameAsCommit(str(action.target["path"]), found.facts.began)) != CLEAN


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
