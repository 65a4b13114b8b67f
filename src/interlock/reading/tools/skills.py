"""What starting a skill, a command or a sub-agent runs before the agent has read a word of it.

A host runs the `` !`…` `` lines of a skill while it loads it, and keeps the hooks in its head for later events. No
hook of ours sees either. So the files that may be meant by the name are read like scripts that are run: each line is
bash, each hook's command is bash, each `@path` is a file that is read. A file that this session wrote, that cannot be
read, or that is not found is opaque. Where several files have the name, all of them count.
"""

from __future__ import annotations

from ...model.action import Action, Opaque
from ...model.effects import Effect
from ...model.more_wants import DefiningFiles
from ...model.obeyed import MODS, NAMES
from ...value import TYPE_CHECKING, FrozenMap, lazy
from .front_matter import commands_of, lines_run, mentions, split, words_of

if TYPE_CHECKING:
    from ...model.action import OpaqueKind
    from ...model.call import Call
    from ...model.facts import Facts
    from ...model.wants import Want
    from ..bash import follow_bash
    from ..evaluate.state import Leads
    from .front_matter import Head
    from .tools import Part
else:
    follow_bash = lazy(globals(), "..bash", "follow_bash")

__all__ = ["BUNDLED", "read_agent", "read_skill"]

# Skills that Claude Code 2.1 brings along. They are texts of the client and run no lines.
BUNDLED = frozenset(
    "batch claude-api claude-in-chrome code-review compact dataviz debug fewer-permission-prompts init insights "
    "keybindings-help loop plugin-authoring pr-comments release-notes review run schedule security-review simplify "
    "update-config workflow-authoring".split()
)
# It makes the client load code from a folder of the agent's own, as soon as the turn ends (Claude Code 2.1.287).
_AUTHORING = "plugin-authoring"
# Agents that Qwen Code 0.24 has other programs play. No hook sees their calls.
_PLAYED = frozenset(("claude-code", "codex"))
_MAX_PRELOADED = 16
_PLAIN = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_./:=,@+%#"  # read the same by everybody
)


class _Taken:
    """What is found while one call is read."""

    def __init__(self, call: Call, facts: Facts, field: str, real: Leads | None) -> None:
        self.call, self.facts, self.field, self.real = call, facts, field, real
        self.span = (0, len(str(call.input.get(field, ""))))
        self.actions: list[Action] = []
        self.opaque: list[Opaque] = []
        self.missing: list[Want[object]] = []

    def unclear(self, reason: str, kind: OpaqueKind = "") -> None:
        part = Opaque(reason=reason, field=self.field, span=self.span, kind=kind)
        if part not in self.opaque:
            self.opaque.append(part)

    def act(self, action: Action) -> None:
        moved = action.replace(field=self.field, span=self.span)
        if moved not in self.actions:
            self.actions.append(moved)

    @property
    def part(self) -> Part:
        return tuple(self.actions), tuple(self.opaque), tuple(dict.fromkeys(self.missing))


def read_skill(main: Action, call: Call, facts: Facts, real: Leads | None) -> Part:
    """A call of the `Skill` tool, or of `SlashCommand`, whose one field holds the arguments too."""
    taken = _Taken(call, facts, main.field, real)
    name, given = call.input.get(main.field), call.input.get("args", "")
    taken.act(main)
    if type(name) is not str or type(given) is not str:
        taken.unclear("it is unclear which skill is meant")
    else:
        name = name.strip().removeprefix("/")
        if main.field == "command":
            name, _, given = name.partition(" ")
        _skill(name, given, taken)
        if name.rpartition(":")[2].casefold() == _AUTHORING:
            tags = ("obeyed", NAMES["asked"])
            taken.act(Action(name="agent:mod", effects=(Effect.EXECUTE,), tags=tags, target=FrozenMap(_MODS)))
    return taken.part


_MODS = {"obeyed": MODS}


def read_agent(main: Action, call: Call, facts: Facts, real: Leads | None) -> Part:
    """A sub-agent that is started: its own calls are decided one by one, its hooks and skills are not.

    One that no file defines is the host's own, or comes from a plug-in, whose agents the host lets have no hooks.
    """
    taken = _Taken(call, facts, "subagent_type", real)
    taken.act(main)
    name = call.input.get("subagent_type")
    if type(name) is not str:
        return taken.part
    files = _files_of(DefiningFiles("agent", name), taken)
    if files == () and name.strip().casefold() in _PLAYED:
        taken.unclear(f"the agent `{name}` is another program, whose calls are not seen")
    for path in files or ():
        text = _text_of(path, f"the agent `{name}`", taken)
        if text is None:
            continue
        head, _ = split(text)
        if _written(path, facts) and (head.keys or head.strange):
            taken.unclear(f"this session wrote the agent `{name}`", "written-here")
        _hooks(head, f"the agent `{name}`", path, taken)
        if head.lines("executor"):
            taken.unclear(f"the agent `{name}` is another program, whose calls are not seen")
        if head.starts_servers:
            taken.unclear(f"the agent `{name}` starts tool servers of its own")
        for skill in words_of(head.lines("skills"))[:_MAX_PRELOADED]:
            _skill(skill, "", taken)
    return taken.part


def _skill(name: str, given: str, taken: _Taken) -> None:
    files = _files_of(DefiningFiles("skill", name), taken)
    if files is None:
        return
    if not files and name not in BUNDLED:
        taken.unclear(f"no file was found for the skill `{name}`, so it is unclear what it runs")
    for path in files:
        text = _text_of(path, f"the skill `{name}`", taken)
        if text is None:
            continue
        if _written(path, taken.facts):
            taken.unclear(f"this session wrote the skill `{name}`", "written-here")
        head, body = split(text)
        _hooks(head, f"the skill `{name}`", path, taken)
        _body(name, head, body, given, path, taken)


def _files_of(want: DefiningFiles, taken: _Taken) -> tuple[str, ...] | None:
    """The files that may define it; None, and a part that is not read, where nobody has looked yet."""
    files = taken.facts.answer(want)
    if files is None:
        taken.missing.append(want)
        taken.unclear(f"it is unclear where the {want.kind} `{want.name}` is defined")
    return files


def _text_of(path: str, what: str, taken: _Taken) -> str | None:
    text = taken.facts.scripts.get(path)
    if text is None:
        taken.unclear(f"the file of {what} cannot be read")
    return text


def _written(path: str, facts: Facts) -> bool:
    written = facts.written
    if path in written or "/" in written:
        return True
    return any(place.endswith("/") and path.startswith(place) for place in written)


def _hooks(head: Head, what: str, path: str, taken: _Taken) -> None:
    hooks = commands_of(head)
    if hooks.unclear:
        taken.unclear(f"{what} may bring hooks in a form that is not read")
    for command in hooks.commands:
        # Hooks, other than lines of the body, are told where the project is.
        _run(_named(command, path, taken).replace("$CLAUDE_PROJECT_DIR", taken.facts.root), taken)
        taken.act(Action(name="agent:hook", effects=(Effect.EXECUTE,)))


def _body(name: str, head: Head, body: str, given: str, path: str, taken: _Taken) -> None:
    names = words_of(head.lines("arguments"))
    for line in dict.fromkeys((*lines_run(body), *lines_run(_filled(body, given, names) or ""))):
        filled = _filled(line, given, names)
        if filled is None:
            taken.unclear(f"it is unclear what an argument stands for in a line that the skill `{name}` runs")
        else:
            _run(_named(filled, path, taken), taken)
    for mentioned in dict.fromkeys((*mentions(body), *mentions(given))):
        _shown(mentioned, taken)


def _run(text: str, taken: _Taken) -> None:
    found = follow_bash(text, cwd=taken.call.cwd, facts=taken.facts, field=taken.field, real=taken.real)
    for action in found.actions:
        taken.act(action)
    for part in found.opaque:
        taken.unclear(part.reason, part.kind)
    taken.missing += found.missing


def _shown(path: str, taken: _Taken) -> None:
    """`@path`: the host puts the file's text before the model."""
    from .tools import TOOLS, read_path

    actions, opaque, missing = read_path(TOOLS["Read"], taken.field, path, taken.call, taken.facts)
    for action in actions:
        taken.act(action)
    for part in opaque:
        taken.unclear(part.reason, part.kind)
    taken.missing += missing


def _named(text: str, path: str, taken: _Taken) -> str:
    """With the folders that the host puts in before the line is run."""
    folder = path.rpartition("/")[0]
    plugin = folder.rpartition("/skills/")[0] or folder.rpartition("/commands")[0] or folder
    for name, value in (
        ("${CLAUDE_SKILL_DIR}", folder),
        ("${CLAUDE_PLUGIN_ROOT}", plugin),
        ("${CLAUDE_PROJECT_DIR}", taken.facts.root),
        ("${CLAUDE_SESSION_ID}", taken.call.session),
    ):
        text = text.replace(name, value)
    return text


def _filled(line: str, given: str, names: tuple[str, ...]) -> str | None:
    """The line with the arguments in it, raw, as the host puts them there; None where that cannot be told."""
    places = {f"$ARGUMENTS[{number}]": number for number in range(10)}
    places |= {f"${name}": number for number, name in enumerate(names)}
    if given:  # without arguments `$1` is left to the shell
        places |= {f"${number}": number for number in range(10)}
    words = given.split() if _PLAIN.issuperset(given) else None
    for mark, number in places.items():
        if mark in line:
            if words is None:
                return None
            line = line.replace(mark, words[number] if number < len(words) else "")
    if "$ARGUMENTS" in line and "`" in given:
        return None
    return line.replace("$ARGUMENTS", given)
