"""What follows from a Yes: what it is remembered as, what ends such questions for good, and how it is undone."""

from __future__ import annotations

from ..model.action import is_plain_look
from ..value import TYPE_CHECKING, lazy
from .marks import undo_on_record
from .said import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..approve.compensators import undo_to_show
    from ..approve.gated import gate_of
    from ..approve.grant import Grant, is_outward
    from ..approve.keys import remembered
    from ..approve.remedy import remedy_for
    from ..approve.strength import needs_two
    from ..history.candidates import candidates_for, command_of, is_safe, toml_of
    from ..model.action import Action, Reading
    from ..model.call import Call
    from ..model.decision import Finding
else:
    needs_two = lazy(globals(), "..approve.strength", "needs_two")
    undo_to_show = lazy(globals(), "..approve.compensators", "undo_to_show")
    gate_of = lazy(globals(), "..approve.gated", "gate_of")
    is_outward = lazy(globals(), "..approve.grant", "is_outward")
    remembered = lazy(globals(), "..approve.keys", "remembered")
    remedy_for = lazy(globals(), "..approve.remedy", "remedy_for")
    candidates_for = lazy(globals(), "..history.candidates", "candidates_for")
    command_of = lazy(globals(), "..history.candidates", "command_of")
    is_safe = lazy(globals(), "..history.candidates", "is_safe")
    toml_of = lazy(globals(), "..history.candidates", "toml_of")

__all__ = ["SAYS", "also_covered", "ends", "remembered_as", "undo"]

SAYS = {
    "once": "Yes counts for this call only.",
    "session": "Yes also covers {what}, for the rest of this session.",
    "reach": "Yes counts for this call only; with `--reach session` it also covers {what}.",
    "partly": "Yes also covers {what}, for the rest of this session; everything else counts for this call only.",
    "grant": "To stop these questions: {command}",
    "policy": "To stop these questions, add to [tiers.actions] in your policy: {line}",
    "program": "To stop these questions, describe the program in your policy: `interlock explain` prints a draft.",
    "confirm": "To stop these questions, remove `confirm` from [tools.{tool}] in your policy",
    "effects": "To stop these questions, add the effect to [tools.{tool}] in your policy",
    "tool": "To be asked about what it does instead, declare the tool in your policy: [tools.{tool}] with its effects",
    "ahead": "To permit it ahead of time: {command}",
    "undo": "Undo: {undo}",
}
# What a remembered yes covers, by the field that it is bound to.
_SENT = "sending other files in {}"
_FURTHER = {
    "fs:read": "reading other files in {}",
    "fs:list": "listing other folders in {}",
    "fs:search": "other searches in {}",
    "fs:write": "other changes in {}",
    "fs:delete": "other deletions in {}",
}
_OWN_CODE = {
    "exec:written": "further runs of {}, edited or not, until something is found in its code",
    "exec:finding": "this line of {} and what it hangs on, as they are",
}
_FURTHER_THERE = "changes to other files that are there in {}"  # a yes to a change covers no new file
_LATER = "later pushes of {} to the same place, unless they hold a secret or change what builds or tools obey"
_CHANGED_AGAIN = "changes to {} after which nothing runs that you would be asked about"
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_MOST_UNDONE = 3  # in one question


def remembered_as(asks: Sequence[Finding], reading: Reading, *, remembers: bool, by_id: bool = False) -> str:
    """What a Yes is kept as. What is asked each time is never kept. `by_id`: only if it says how far it reaches."""
    kept = [(finding, remembered(finding, reading.actions, by="")) for finding in asks] if remembers else []
    # What is new in an obeyed file is asked about for this change only.
    each_time = {
        index for finding, grants in kept if not grants and not _of_content(finding) for index in finding.actions
    }
    partly = not all(grants for _, grants in kept)
    covered = [
        _covered(reading.actions[index], grant, reading)
        for finding, grants in kept
        for index, grant in zip(finding.actions, grants, strict=False)
        if index not in each_time  # another reason asks about it again anyway
    ]
    if not covered:
        return SAYS["once"]
    if by_id:
        if partly or needs_two(asks):  # such a yes reaches no further
            return SAYS["once"]
    return SAYS["reach" if by_id else "partly" if partly else "session"].format(
        what=" and ".join(dict.fromkeys(covered))
    )


def _of_content(finding: Finding) -> bool:
    return finding.layer == "obeyed" and finding.rule == "runs"


def also_covered(asks: Sequence[Finding], reading: Reading) -> str:
    """What a yes for the session covers besides the call; empty where such a yes would not be all that is asked."""
    kept = [(finding, remembered(finding, reading.actions, by="")) for finding in asks]
    if not all(grants for _, grants in kept):
        return ""
    covered = [
        _covered(reading.actions[index], grant, reading)
        for finding, grants in kept
        for index, grant in zip(finding.actions, grants, strict=False)
    ]
    return " and ".join(dict.fromkeys(covered))


def _covered(action: Action, grant: Grant, reading: Reading) -> str:
    scope = grant.scope
    path = scope.get("path", "")
    if "obeyed" in scope and action.name == "fs:write":
        return _CHANGED_AGAIN.format(quoted(path))
    if path.endswith("/*"):
        further = _SENT if "sends" in action.tags else _FURTHER.get(action.name, "the same on other files in {}")
        if action.name == "fs:write" and "new" not in action.tags and "sends" not in action.tags:
            further = _FURTHER_THERE
        return further.format(quoted(path[:-1]))
    if path:
        if "sends" in action.tags:
            return f"sending {quoted(path)} again"
        if action.name == "fs:write" and "outside" in action.tags:
            return f"other changes to {quoted(path)}{'' if 'new' in action.tags else ' while it is there'}"
        return f"doing the same to {quoted(path)}"
    if "url" in scope:
        return f"other {scope['method'] + ' ' if 'method' in scope else ''}requests to {quoted(scope['url'])}"
    if "host" in scope:
        return f"other requests of this kind to {quoted(scope['host'])}"
    if scope.get("package", "").startswith("(well-known"):
        return "installing other widely used packages of the same registry"
    if "package" in scope:
        return f"installing {quoted(action.target['package'])} again"
    if "branch" in scope:  # only a push is held to it
        return _LATER.format(quoted(action.target["branch"]))
    if action.name.startswith(("mcp:", "tool:")) and not action.field:
        return _calls_like_it(action, reading)
    if action.name in _OWN_CODE and "digest" not in scope:
        return _OWN_CODE[action.name].format(quoted(action.target["runs"]))
    if action.name.startswith("sql:") and "table" in scope:
        return f"the same on {quoted(action.target['table'])}"
    return "the same again" if scope else "other commands of this kind"


_KINDS = frozenset("nothing number secret text".split())


def _calls_like_it(action: Action, reading: Reading) -> str:
    """Which calls of the tool a yes to this one covers: by the shape that it is bound to (reading/tools/given.py)."""
    shape = action.target.get("fields", action.target.get("given", ()))
    parts = shape if type(shape) is tuple else (str(shape),)
    if not parts:
        return "calls of this tool without arguments" if "unknown" in action.tags else "other calls of this tool"
    if any(part.startswith("sha256:") for part in parts):
        return "the same call again"
    cut = [min(at for at in (part.find("="), part.find(":"), len(part)) if at >= 0) for part in parts]
    same = tuple([part[:at] for part, at in zip(parts, cut, strict=True) if part[at : at + 1] == "="])
    other = [(part[:at], part[at + 1 :]) for part, at in zip(parts, cut, strict=True) if part[at : at + 1] != "="]
    free = tuple([name for name, kind in other if kind in _KINDS])
    read = tuple([name for name, kind in other if kind not in _KINDS])
    looks = all(one is action or is_plain_look(one) for one in reading.actions)
    words = [f"the same {_names(same)}"] if same else []
    words += [f"any {_names(free)}"] if free else []
    words += [f"a {_names(read)} that {'only reads' if looks else 'does no more than here'}"] if read else []
    return f"calls of this tool with {' and '.join(words)} but no other argument"


def _names(parts: tuple[str, ...]) -> str:
    """Every one of them: what a text leaves out, nobody said yes to."""
    told = [quoted(name) for name in dict.fromkeys([part.replace("[]", "") for part in parts])]
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"


def ends(asks: Sequence[Finding], call: Call, reading: Reading) -> str:
    """The one command or entry of the policy after which this is not asked again; empty where there is none."""
    lines = list(dict.fromkeys([_end(finding, index, call, reading) for finding in asks for index in _about(finding)]))
    return lines[0] if len(lines) == 1 else ""


def _about(finding: Finding) -> tuple[int | None, ...]:
    return finding.actions or (None,)


def _end(finding: Finding, index: int | None, call: Call, reading: Reading) -> str:
    tool = f'"{call.tool}"' if not _BARE.issuperset(call.tool) else call.tool
    if finding.rule == "unregistered":
        return SAYS["tool"].format(tool=tool) if call.tool.isprintable() and '"' not in call.tool else ""
    if index is None:
        return ""
    action = reading.actions[index]
    if finding.layer == "manifest" and (finding.rule == "effects" or action.name.startswith(("mcp:", "tool:"))):
        return SAYS[finding.rule].format(tool=tool)
    if "unknown" in action.tags and action.name.startswith("exec:"):
        return SAYS["program"]

    if is_safe(finding, action, call.cwd):
        offers = list(candidates_for(finding, action))
        if not offers:
            return ""
        scoped = [offer for offer in offers if offer.scope]
        candidate = scoped[0 if "path" in action.target else -1] if scoped else offers[0]
        command = command_of(candidate, "--reach repository --for ever")
        if command is not None:
            return SAYS["grant"].format(command=command)
        return SAYS["policy"].format(line=toml_of(candidate).partition("\n")[2])
    gate = gate_of(action)
    if gate is None or "capability" not in finding.lifted_by:
        return ""

    command = next((line for line in remedy_for(gate, action).splitlines() if line.startswith("interlock grant")), "")
    return SAYS["ahead"].format(command=command) if command else ""


def undo(asks: Sequence[Finding], reading: Reading) -> str:
    """How each thing that is asked about is taken back, and whatever else leaves this machine, where that is known."""
    asked = {index for finding in asks for index in finding.actions}
    found = []
    for index, action in enumerate(reading.actions):
        if is_outward(action):
            found.append(undo_to_show(action))
        elif index in asked:
            found.append(undo_on_record(action))
    known = list(dict.fromkeys([how for how in found if how]))
    return "\n".join([SAYS["undo"].format(undo=how) for how in known[:_MOST_UNDONE]])
