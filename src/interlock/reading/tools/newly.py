"""What a change to an obeyed file newly makes run: its text before and after, as those who obey it read it.

Whatever the file makes run after the change and did not before is read as if it were typed in the project's folder, and
judged so by the decision. Where the text is not known, or not understood, `newly` stays None: a person is asked about
that change, whatever they said yes to before.
"""

from __future__ import annotations

from ...model.action import Newly, Opaque
from ...model.obeyed import NAMES
from ...model.wants import Script
from ...value import TYPE_CHECKING
from ...words.said import quoted
from ..bash import follow_bash
from ..evaluate.contents import Changed, Perhaps, likely_text
from ..places.obeyed_content import WHOLE, edited
from ..written.follows import Follows, Run, follows
from .front_matter import commands_of, lines_run, mentions, split

if TYPE_CHECKING:
    from ...model.action import Action
    from ...model.call import Call
    from ...model.facts import Facts
    from ...model.wants import Want
    from ..evaluate.state import Found

    Wants = tuple[Want[object], ...]
    Read = tuple[tuple[Newly, ...] | None, Wants]

__all__ = ["newly_by_tool", "newly_in_shell"]

_LONGEST = 64 * 1024
_MOST = 40  # commands of one file
_SHOWN = 3  # lines of one command that people are shown


def newly_by_tool(action: Action, call: Call, facts: Facts, *, new: bool) -> tuple[Action, Wants]:
    """The same action, with what the file makes run once a file tool has written it."""
    path = str(action.target["path"])
    if "real" in action.target or call.tool not in ("Write", "Edit", "MultiEdit"):
        return action, ()
    old = "" if new else facts.scripts.get(path)
    if old is None:
        return action, () if path in facts.unread else (Script(path),)
    content = call.input.get("content")
    if type(content) is str:
        text = content if call.tool == "Write" and WHOLE.issuperset(call.input) else None
    else:
        text = edited(old, call.input)
    newly, wants = (None, ()) if text is None else _newly(action, old, text, facts, call.cwd)
    return action.replace(newly=newly), wants


def newly_in_shell(found: Found) -> None:
    """The same for the files that a command line writes. One that it writes twice may be obeyed in between."""
    facts = found.facts
    writes: dict[object, list[int]] = {}
    for at, action in enumerate(found.actions):
        if "obeyed" in action.tags:
            writes.setdefault(action.target.get("path"), []).append(at)
    for path, indexes in writes.items():
        action = found.actions[indexes[0]]
        if len(indexes) != 1 or action.name != "fs:write" or NAMES["asked"] not in action.tags or type(path) is not str:
            continue
        held = found.files.get(path)
        if held is None or "real" in action.target or "glob" in action.target:
            continue
        inner = held.likely if isinstance(held, Perhaps) else held
        if isinstance(inner, Changed) and inner.base not in facts.scripts:
            found.want(Script(inner.base))
            continue
        old = "" if "new" in action.tags or path in facts.absent else facts.scripts.get(path)
        text = likely_text(held, facts.scripts)
        if old is None:
            found.want(Script(path))
        elif text is not None:
            newly, wants = _newly(action, old, text, facts, found.cwd)
            found.actions[indexes[0]] = action.replace(newly=newly)
            for want in wants:
                found.want(want)


def _newly(action: Action, old: str, new: str, facts: Facts, cwd: str) -> Read:
    path, who = str(action.target["path"]), str(action.target["obeyed"])
    after = None if max(len(old), len(new)) > _LONGEST else _follows(path, who, new)
    before = (_follows(path, who, old) if old.strip() else None) or Follows()
    if after is None or len(after.runs) > _MOST:
        return None, ()
    if after.when != before.when:
        before = Follows(keeps=before.keeps)
    wants: list[Want[object]] = []
    at = _project_of(path, facts) or cwd
    gone = [run for run in before.runs if run not in after.runs][:_MOST]
    fresh = [run for run in after.runs if run not in before.runs]
    known = {key for run in gone for key, _ in _read(run, at, facts, wants)} if fresh else set()
    stood = {line.strip() for run in before.runs for line in run.text.split("\n")}
    newly = list(_settings(before, after))
    for run in fresh:
        parts = [part for key, part in _read(run, at, facts, wants) if key not in known]
        lines = [line for line in map(str.strip, run.text.split("\n")) if line and line[0] != "#" and line not in stood]
        newly.append(
            Newly(
                runs="; ".join([*lines[:_SHOWN], *(["…"] if len(lines) > _SHOWN else [])]),
                actions=tuple([part for part in parts if not isinstance(part, Opaque)]),
                opaque=tuple([part for part in parts if isinstance(part, Opaque)]),
            )
        )
    return tuple(newly), tuple(wants)


def _settings(before: Follows, after: Follows) -> tuple[Newly, ...]:
    """What else the file says now, or says no more: whatever follows from that, nobody here knows."""
    said = [f"it now says {_shown(words)}" for words in sorted(after.binds - before.binds)]
    gone = [
        f"it no longer says {_shown(words)}"
        for words in sorted((before.binds | before.keeps) - after.binds - after.keeps)
    ]
    reasons = [Opaque(reason=reason) for reason in (*said, *gone)]
    return (Newly(runs="", opaque=tuple(reasons)),) if reasons else ()


def _shown(words: tuple[str, ...]) -> str:
    return quoted(": ".join([word for word in words if word not in ("", "{}")]))


def _read(run: Run, at: str, facts: Facts, wants: list[Want[object]]) -> list[tuple[object, Action | Opaque]]:
    """What the text would do, each part with what it is known by in another text."""
    folder = f"{at}/{run.folder}" if run.folder else at
    found = follow_bash(run.text, cwd=folder, facts=facts, script=run)
    wants += found.missing
    acts = [part for part in found.actions if part.name != "exec:nothing"]
    parts: list[Action | Opaque] = [*acts, *found.opaque]
    return [(_key(part, run.text[part.span[0] : part.span[1]]), part) for part in parts]


def _key(part: Action | Opaque, words: str) -> object:
    if isinstance(part, Opaque):
        return part.reason, words
    target = tuple(part.target.items())
    return part.name, target, part.effects, part.tags, part.risk, part.irreversible, words


def _project_of(path: str, facts: Facts) -> str:
    """Where those who obey the file begin: the project that it lies in."""
    return facts.root if facts.root and path.startswith(facts.root.rstrip("/") + "/") else ""


# --- agents' own files -----------------------------------------------------------------------------------------------

# Of the head of a command, a skill or an agent, what only describes it.
_DESCRIBES = frozenset("name description argument-hint title version license author color".split())


def _follows(path: str, who: str, text: str) -> Follows | None:
    if path.endswith(".md") and any(f"/{folder}/" in path for folder in _TAUGHT):
        return _taught(text)
    return follows(path, who, text)


_TAUGHT = tuple(
    f".{host}/{kind}"
    for host in ("claude", "cursor", "opencode", "codex")
    for kind in ("commands", "command", "skills", "agents", "agent", "prompts", "output-styles")
)


def _taught(text: str) -> Follows | None:
    """What the host runs of it by itself. What it tells an agent to do, the agent is judged for when it does it."""
    head, body = split(text)
    hooks = commands_of(head)
    if head.strange or hooks.unclear or "\r" in text:
        return None
    runs = [Run(text=line, by="bash") for line in (*hooks.commands, *lines_run(body))]
    for mentioned in mentions(body):
        if not _PLAIN.issuperset(mentioned):
            return None
        runs.append(Run(text=f"cat -- {mentioned}", by="bash"))
    told = {(name, *lines) for name, lines in head.keys if name not in _DESCRIBES and name != "hooks"}
    return Follows(runs=tuple(runs), binds=frozenset(told))


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/~@+")
