"""How a call of a tool is read: by the row of a host's own tool, by what the policy declares, or by kind.

The rows are in tools.py. A tool that has none is read by what the policy declares of it; one that nobody declared is
`tool:<name>`, effect execute, marked `unknown`. Never by a pattern on its text.
"""

from __future__ import annotations

from ...model.action import Action
from ...model.effects import Effect
from ...model.obeyed import NAMES
from ...model.toolnames import ANY_SHELL, action_of_tool
from ...value import TYPE_CHECKING, FrozenMap, lazy
from ..places.paths import Unsettled, settle
from .tools import TOOLS, Part, Tool, joined, plain, read_path, read_url, unreadable

if TYPE_CHECKING:
    from ...model.call import Call
    from ...model.facts import Facts
    from ..bash import follow_bash, follow_words
    from ..evaluate.state import Leads
    from ..machine.shapes import only_looks
    from ..places.secret_words import sends_secret
    from ..servers.read import read_known, roles_known
    from .arguments import read_arguments, read_patch
    from .given import commands_in, read_input, read_whole, shape_of_input, statements_in
    from .hinted import as_hinted
    from .newly import newly_in_shell
    from .resources import read_resource
    from .skills import read_agent, read_skill
else:
    follow_bash = lazy(globals(), "..bash", "follow_bash")
    follow_words = lazy(globals(), "..bash", "follow_words")
    only_looks = lazy(globals(), "..machine.shapes", "only_looks")
    sends_secret = lazy(globals(), "..places.secret_words", "sends_secret")
    read_known = lazy(globals(), "..servers.read", "read_known")
    roles_known = lazy(globals(), "..servers.read", "roles_known")
    read_arguments = lazy(globals(), ".arguments", "read_arguments")
    read_patch = lazy(globals(), ".arguments", "read_patch")
    commands_in = lazy(globals(), ".given", "commands_in")
    read_input = lazy(globals(), ".given", "read_input")
    read_whole = lazy(globals(), ".given", "read_whole")
    shape_of_input = lazy(globals(), ".given", "shape_of_input")
    statements_in = lazy(globals(), ".given", "statements_in")
    as_hinted = lazy(globals(), ".hinted", "as_hinted")
    newly_in_shell = lazy(globals(), ".newly", "newly_in_shell")
    read_resource = lazy(globals(), ".resources", "read_resource")
    read_agent = lazy(globals(), ".skills", "read_agent")
    read_skill = lazy(globals(), ".skills", "read_skill")

__all__ = ["read_tool"]


_WORKING = ("workdir", "cwd", "working_directory", "directory", "dir_path")  # where other hosts' shells run a command
_ASKED = ("query", "keywords")  # what a search sends


def read_tool(call: Call, facts: Facts, real: Leads | None = None) -> Part:
    """Actions, opaque parts and missing facts of one call. `real`: where paths lead, if not as the facts say."""
    tool = TOOLS.get(call.tool)
    if tool is None:
        return _by_declaration(call, facts)
    if tool.shell is not None:
        return _in_shell(tool, tool.shell, call, facts, real)
    if tool.patch:
        return _in_patch(tool, call, facts)
    if tool.path:
        return _on_paths(tool, call, facts)
    if tool.url is not None:
        return read_url(tool, tool.url, call, facts)
    if tool.whole:
        return read_whole(tool, call, facts)
    if tool.resource:
        return read_resource(tool, call, facts)
    if tool.loses is not None and call.input.get(tool.loses) not in (None, False):
        lost = plain(tool, facts, field=tool.loses).replace(effects=(Effect.DESTRUCTIVE,), irreversible=True)
        return (lost,), (), ()
    label = call.input.get(tool.label) if tool.label is not None else None
    target = FrozenMap({"name": label}) if type(label) is str else FrozenMap({})
    for field in _ASKED if tool.effects == (Effect.NETWORK,) else ():
        asked = call.input.get(field)
        words = " ".join(map(str, asked)) if type(asked) is tuple else asked
        if type(words) is str and _sends_secret(words):
            return (plain(tool, facts, target=target, field=field, tags=("secret",)),), (), ()
    main = plain(tool, facts, target=target, field=tool.label or "", tags=tool.tags)
    if tool.defined is not None and type(label) is str:
        return (read_skill if tool.defined == "skill" else read_agent)(main, call, facts, real)
    return (main,), (), ()


def _sends_secret(text: str) -> bool:
    return sends_secret(text)


def _by_declaration(call: Call, facts: Facts) -> Part:
    """A tool without a row: what the policy declares of it, and of its arguments, is all that is known."""
    name = action_of_tool(call.tool)
    declared = facts.declared
    if facts.server and declared is None:
        known = read_known(call, facts)
        if known is not None:
            return known
    if declared is None:
        field = "fields" if only_looks(call.tool) else "given"
        target = FrozenMap({field: shape_of_input(call.tool, call.input)}) if call.input else FrozenMap({})
        actions, opaque, missing = read_input(call, facts) if call.input else ((), (), ())
        main = Action(name=name, effects=(Effect.EXECUTE,), tags=("unknown",), target=target)
        return (_as_hinted(main, facts), *actions), opaque, missing
    main = Action(
        name=name,
        effects=declared.effects,
        tags=declared.tags,
        risk=declared.risk,
        irreversible=declared.irreversible,
        compensator=declared.compensator,
    )
    main = _as_hinted(main, facts)
    if not call.input:
        return (main,), (), ()
    roles = {**declared.args, **statements_in(call.input), **declared.args}
    if Effect.EXECUTE in declared.effects or Effect.SPAWN in declared.effects:
        # A command is not run unread because nobody called it one. What the policy says comes first, also in order.
        roles = {**roles, **commands_in(call.input), **roles}
    if facts.server:
        roles = {**roles_known(call, facts), **roles}
    actions, opaque, missing = read_arguments(call, roles, facts)
    return (main, *actions), opaque, missing


def _as_hinted(action: Action, facts: Facts) -> Action:
    if facts.definition is None or not facts.definition.hints:
        return action
    return as_hinted(action, facts)


def _in_patch(tool: Tool, call: Call, facts: Facts) -> Part:
    """Which field a host takes its patch from is not known here: each is read, and one more may be the one."""
    parts = [read_patch(call, field, facts) for field in call.input if field in tool.patch]
    if not parts or None in parts or len(parts) != len(call.input):
        return unreadable(tool, facts, tool.patch[0], "this is not a patch that can be read")
    return joined([part for part in parts if part is not None])


def _in_shell(tool: Tool, field: str, call: Call, facts: Facts, real: Leads | None) -> Part:
    given = call.input
    if field in given and "cmd" in given:
        return unreadable(tool, facts, field, f"it has two commands (`{field}` and `cmd`)")
    text = given[field] if field in given else given.get("cmd")
    words = type(text) is tuple and text and all(type(word) is str for word in text)
    if type(text) is not str and not words:
        return unreadable(tool, facts, field, f"`{field}` is missing or not a text")
    if words and call.host in ANY_SHELL:
        return unreadable(tool, facts, field, "no words of a command are told there, and its text is missing")
    cwd, background = call.cwd, tool.stays
    freed: tuple[Action, ...] = ()
    if len(given) > 1:
        for name in _WORKING:
            if given.get(name) not in (None, ""):
                elsewhere = _entered(given[name], cwd, facts)
                if elsewhere is None:
                    return unreadable(tool, facts, name, f"it is unclear in which folder it runs (`{name}`)")
                cwd = elsewhere
        background = background or any(given.get(name) == value for name, value in _STAYING.items())
        if any(given.get(name) in values for name, values in _UNBOUND.items()) or given.get(_WIDENED):
            freed = (Action(name="host:sandbox", effects=(Effect.EXECUTE,), tags=("security",), field="command"),)
    if words:
        actions, opaque, missing = _as_words(text, cwd, facts)  # type: ignore[arg-type]
        return (*actions, *freed), opaque, missing
    found = follow_bash(
        text,  # type: ignore[arg-type]
        cwd=cwd,
        facts=facts,
        field=field,
        background=background,
        real=real,
        any_shell=call.host in ANY_SHELL,
    )
    for action in found.actions:
        if NAMES["asked"] in action.tags:
            newly_in_shell(found)
            break
    return (*found.actions, *freed), tuple(found.opaque), tuple(found.missing)


# How hosts are told that a command goes on while the agent works on.
_STAYING: dict[str, object] = {"run_in_background": True, "is_background": True, "mode": "async", "detach": True}
# How hosts are told to run a command outside the sandbox that they keep others in.
_UNBOUND: dict[str, tuple[object, ...]] = {
    "dangerouslyDisableSandbox": (True,),
    "with_escalated_permissions": (True,),
    "sandbox_permissions": ("require_escalated",),
}
_WIDENED = "additional_permissions"  # and how to let a command reach more from inside it


def _entered(folder: object, cwd: str, facts: Facts) -> str | None:
    try:
        return settle(folder, cwd=cwd, home=facts.home) if type(folder) is str else None
    except Unsettled:
        return None


def _as_words(words: tuple[str, ...], cwd: str, facts: Facts) -> Part:
    """A command that comes as a list of words: no shell stands between, unless it names one."""
    found = follow_words(words, cwd=cwd, facts=facts)
    return tuple(found.actions), tuple(found.opaque), tuple(found.missing)


def _on_paths(tool: Tool, call: Call, facts: Facts) -> Part:
    """Every field that names a path counts; a list of paths is each of them."""
    given = [(field, value) for field in tool.path if (value := call.input.get(field)) is not None]
    if not given:
        if not tool.optional:
            return unreadable(tool, facts, tool.path[0], f"`{tool.path[0]}` is missing or not a text")
        given = [(tool.path[0], call.cwd)]
    parts = []
    for field, value in given:
        for path in value if field == "paths" and type(value) is tuple and value else (value,):
            parts.append(read_path(tool, field, path, call, facts))
    return joined(parts)
