"""The line of bash that stands in the settings of a host which runs a call when its hook is late or says nothing.

The host takes one shell line, so the line itself denies where no whole answer came in time. INVARIANT: nothing that the
line has started keeps a stream of the host open. A host that waits for its hook's streams to close would wait for a
guard that hangs until its own time-out, and then let the call run.
"""

from __future__ import annotations

from ..limits import HOOK_DEADLINE_SECONDS

__all__ = ["LATE_SECONDS", "gated_line", "ungated_line"]

LATE_SECONDS = int(HOOK_DEADLINE_SECONDS) + 3  # the guard has given up by then, and the host still waits

# An answer is a line that begins with a brace; it counts once the guard has left with 0, which the line after it says.
# A few others may come before it (what Python writes to stderr), and are the reason where no answer comes. Only plain
# characters of them are put into a JSON text. The seconds begin anew: the environment could say that they are few.
_GATED = (
    "SECONDS=0 why= end=; {{ for n in 1 2 3 4 5; do IFS= read -r -t $(({seconds} - SECONDS)) said || break; "
    '[ "${{said:0:1}}" = "{{" ] && break; why="$why $said"; done; IFS= read -r -t 1 end; }} '
    "< <(exec 2>&1; {run} && echo .); "
    'if [ "${{said:0:1}}$end" = "{{." ]; then printf "%s\\n" "$said"; '
    'else printf {denied} "${{why//[^a-zA-Z0-9 .,:;()\\/_-]/ }}"; exit 2; fi'
)
_UNGATED = "{run} 2>/dev/null || :"


def gated_line(run: str, denied: str) -> str:
    """`denied` is what the host takes as a deny, as printf's format: `%s` is where the reason goes."""
    from shlex import quote

    return _GATED.format(seconds=LATE_SECONDS, run=run, denied=quote(denied))


def ungated_line(run: str) -> str:
    """For an event that decides nothing: whatever happens, it does not block."""
    return _UNGATED.format(run=run)
