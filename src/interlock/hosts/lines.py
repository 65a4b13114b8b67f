"""The line for a shell that stands in a host's settings, for a host that runs the call where its hook says nothing.

Such a host has no switch that turns a failure into a block, and waits for a while only. So the line itself blocks,
unless a whole answer came in time. Hosts differ in what they take as an answer and as a block: one shape for each.
"""

from __future__ import annotations

from ..limits import HOOK_DEADLINE_SECONDS, HOST_TIMEOUT_SECONDS
from ..model.environment import PINNED
from ..value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from shlex import join, quote
    from typing import Any

    from .traits import Traits

    Command = tuple[str, str, tuple[str, ...]]  # Python, the guard and its arguments
else:
    join = lazy(globals(), "shlex", "join")
    quote = lazy(globals(), "shlex", "quote")

__all__ = ["ANSWER", "BY_CODE", "LATE_SECONDS", "STREAMS", "WHOLE_EVENT", "hooks_of_lines", "line_for_sh", "line_of"]

LATE_SECONDS = int(HOOK_DEADLINE_SECONDS) + 3  # the guard has given up by then, and the host still waits

_GONE = (
    "Interlock: {then} If {guard} was moved or removed, install Interlock again and run `interlock install {host}`, "
    "or take its hooks out of ~/{file}."
)
_BLOCKED, _MISSED = "No answer came, so this call is blocked.", "This event was not taken in."
# A guard that hangs is killed before the host stops waiting. By its full name: a search path has folders that an agent
# may write to. Where there is none, the guard's own deadline is left.
_WATCH = "/usr/bin/timeout"
_WATCHED = f'watch="{_WATCH} -k 1 {{seconds}}"; [ -x {_WATCH} ] || watch=; '

# --- shapes: what the host takes as an answer, and what blocks

# What stands on stdout; exit code 2 with a word on stderr blocks.
ANSWER = (
    _WATCHED
    + 'answer=$($watch {run}) && [ -n "$answer" ] && printf "%s\\n" "$answer" '
    + '|| {{ printf "%s\\n" {told} >&2; exit 2; }}'
)
# The exit code; the words on stdout only say that there is one.
BY_CODE = (
    _WATCHED + "if [ -x {python} ] && [ -r {guard} ]; then answer=$($watch {run}); code=$?; [ $code = 2 ] && exit 2; "
    '[ $code = 0 ] && [ -n "$answer" ] && exit 0; fi; printf "%s\\n" {told} >&2; exit 2'
)
# Either: exit code 2 comes with an answer if it is a decision, which said its reason. The rest of the event is read,
# too: the host runs the call if its pipe breaks. Where there is no `timeout`, nothing but its deadline ends a guard.
WHOLE_EVENT = (
    f"[ -x {_WATCH} ] && set -- {_WATCH} -k 1 {{seconds}}; "
    'answer=$("$@" {run}); code=$?; '
    'case "$code$answer" in '
    '"0{{"*) printf "%s\\n" "$answer";; '
    '"2{{"*) exit 2;; '
    '*) printf "%s\\n" {told} >&2; /bin/cat >/dev/null; exit 2;; '
    "esac"
)
# What stands on stdout, a deny among it (`denied`, as printf's format: `%s` is where the reason goes). An answer is a
# line that begins with a brace; it counts once the guard has left with 0, which the line after it says. A few others
# may come before it (what Python writes to stderr), and are the reason where no answer comes. Only plain characters of
# them are put into a JSON text. The seconds begin anew: the environment could say that they are few. For bash.
# INVARIANT: nothing that the line has started keeps a stream of the host open. A host that waits for its hook's streams
# to close would wait for a guard that hangs until its own time-out, and then let the call run.
STREAMS = (
    "SECONDS=0 why= end=; {{ for n in 1 2 3 4 5; do IFS= read -r -t $(({seconds} - SECONDS)) said || break; "
    '[ "${{said:0:1}}" = "{{" ] && break; why="$why $said"; done; IFS= read -r -t 1 end; }} '
    "< <(exec 2>&1; {run} && echo .); "
    'if [ "${{said:0:1}}$end" = "{{." ]; then printf "%s\\n" "$said"; '
    'else printf {denied} "${{why//[^a-zA-Z0-9 .,:;()\\/_-]/ }}"; exit 2; fi'
)
# For an event that decides nothing: whatever happens, it does not block.
_UNGATED = {STREAMS: "{run} 2>/dev/null || :"}
_UNGATED_ELSE = '{run} || printf "%s\\n" {told} >&2'

# Such a host takes a project's `.env`, which could have bash read the line and run nothing of it, or another first, and
# could put code into bash and Python.
_ENV = {"BASH_ENV": "", "SHELLOPTS": "", **dict.fromkeys(PINNED, "")}


def line_of(
    host: str,
    traits: Traits,
    command: Command,
    shape: str,
    *,
    gated: bool = True,
    parent: bool = True,
    denied: str = "",
    seconds: int = LATE_SECONDS,
) -> str:
    """The line for one event.

    gated   it is the event before a call
    parent  the guard is told the process of the host
    """
    python, guard, arguments = command
    run = join([python, "-I", "-S", guard, host, *(() if gated else ("--no-gate",)), *arguments])
    then = _BLOCKED if gated else _MISSED
    return (shape if gated else _UNGATED.get(shape, _UNGATED_ELSE)).format(
        run=f"{run} --parent $PPID" if parent else run,
        told=quote(_GONE.format(then=then, guard=guard, host=host, file=traits.settings_in)),
        denied=quote(denied),
        python=quote(python),
        guard=quote(guard),
        seconds=seconds,
    )


def hooks_of_lines(host: str, traits: Traits, events: tuple[str, ...], command: Command, **more: Any) -> dict[str, Any]:
    """Event -> groups, as Gemini CLI and Qwen Code have them. The first event is the one before a call."""
    hooks: dict[str, Any] = {}
    for event in events:
        line = line_of(host, traits, command, ANSWER, gated=event == events[0])
        handler = {"type": "command", **more, "env": _ENV, "command": line, "timeout": HOST_TIMEOUT_SECONDS * 1000}
        hooks[event] = [{**({"matcher": "*"} if "Tool" in event else {}), "hooks": [handler]}]
    return hooks


def line_for_sh(host: str, traits: Traits, command: Command, *, by_code: bool = False, says: str = "") -> str:
    """The line before a call, for whatever shell a host has: it starts /bin/sh, which reads the rest.

    by_code  the exit code alone is the answer
    says     what goes to stdout as well where no answer came
    """
    line = line_of(host, traits, command, BY_CODE if by_code else ANSWER, parent=False)
    if says:
        line = line.replace("exit 2; }", f'printf "%s\\n" {quote(says)}; exit 2; }}')
    return join(["/bin/sh", "-c", line])
