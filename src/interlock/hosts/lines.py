"""Settings for a host that starts a line for bash, and that runs the call where the line says nothing.

Such a host has no switch that turns a failure into a block, and waits for a while only. So the line itself blocks,
unless a whole answer came in time. What blocks there is exit code 2 with a word on stderr.
"""

from __future__ import annotations

from ..limits import HOST_TIMEOUT_SECONDS
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from .traits import Traits

__all__ = ["WATCH", "hooks_of_lines", "line_for_sh", "told_where_gone"]

_GONE = (
    "Interlock: {then} If {guard} was moved or removed, install Interlock again and run `interlock install {host}`, "
    "or take its hooks out of ~/{file}."
)
_BLOCKED, _MISSED = "No answer came, so this call is blocked.", "This event was not taken in."
# A guard that hangs is killed before the host stops waiting. By its full name: a search path has folders that an agent
# may write to. Where there is none, the guard's own deadline is left.
WATCH = "/usr/bin/timeout"
_GATED = (
    'watch="{watch} -k 1 {seconds}"; [ -x {watch} ] || watch=; '
    'answer=$($watch {run}) && [ -n "$answer" ] && printf "%s\\n" "$answer" || {{ printf "%s\\n" {told} >&2; exit 2; }}'
)
# Where the exit code is the answer, the words on stdout only say that there is one.
_BY_CODE = (
    'watch="{watch} -k 1 {seconds}"; [ -x {watch} ] || watch=; '
    "if [ -x {python} ] && [ -r {guard} ]; then answer=$($watch {run}); code=$?; [ $code = 2 ] && exit 2; "
    '[ $code = 0 ] && [ -n "$answer" ] && exit 0; fi; printf "%s\\n" {told} >&2; exit 2'
)
# Such a host takes a project's `.env`, which could have bash read the line and run nothing of it, or another first.
_ENV = {"BASH_ENV": "", "SHELLOPTS": ""}
_UNGATED = '{run} || printf "%s\\n" {told} >&2'


def hooks_of_lines(
    host: str, traits: Traits, events: tuple[str, ...], command: tuple[str, str, tuple[str, ...]], **more: Any
) -> dict[str, Any]:
    """Event -> groups. The first event is the one before a call. `command`: Python, the guard and its arguments."""
    from shlex import join, quote

    python, guard, arguments = command
    hooks: dict[str, Any] = {}
    for event in events:
        gated = event == events[0]
        run = join([python, "-I", "-S", guard, host, *(() if gated else ("--no-gate",)), *arguments])
        told = told_where_gone(host, traits, guard, gated=gated)
        line = (_GATED if gated else _UNGATED).format(
            run=f"{run} --parent $PPID", told=quote(told), watch=WATCH, seconds=HOST_TIMEOUT_SECONDS - 2
        )
        handler = {"type": "command", **more, "env": _ENV, "command": line, "timeout": HOST_TIMEOUT_SECONDS * 1000}
        hooks[event] = [{**({"matcher": "*"} if "Tool" in event else {}), "hooks": [handler]}]
    return hooks


def told_where_gone(host: str, traits: Traits, guard: str, *, gated: bool) -> str:
    return _GONE.format(then=_BLOCKED if gated else _MISSED, guard=guard, host=host, file=traits.settings_in)


def line_for_sh(
    host: str, traits: Traits, command: tuple[str, str, tuple[str, ...]], *, by_code: bool = False, says: str = ""
) -> str:
    """The line before a call, for whatever shell a host has: it starts /bin/sh, which reads the rest.

    by_code  the exit code alone is the answer
    says     what goes to stdout as well where no answer came
    """
    from shlex import join, quote

    python, guard, arguments = command
    told = told_where_gone(host, traits, guard, gated=True)
    line = (_BY_CODE if by_code else _GATED).format(
        run=join([python, "-I", "-S", guard, host, *arguments]),
        told=quote(told),
        watch=WATCH,
        seconds=HOST_TIMEOUT_SECONDS - 2,
        **({"python": quote(python), "guard": quote(guard)} if by_code else {}),
    )
    if says:
        line = line.replace("exit 2; }", f'printf "%s\\n" {quote(says)}; exit 2; }}')
    return join(["/bin/sh", "-c", line])
