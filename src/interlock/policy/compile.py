"""Policy files in, policy in force out: parse every source, merge, check the examples. Pure."""

from __future__ import annotations

from ..approve.glob import text_of
from ..bytes.canon import digest
from ..limits import MAX_PROJECT_EXAMPLE_CHARS
from ..model.call import Call
from ..model.errors import PolicyError, printable
from ..model.facts import Facts
from ..model.posture import Posture
from ..model.toolnames import declared_tool
from ..model.wants import Real
from ..reading.places.paths import settle
from ..reading.read import read_call
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .looks import look_of
from .merge import merge
from .model import Policy
from .parse import parse_policy
from .rules import excepted, rule_matches, rule_matches_call
from .window import parse_window
from .wire import policy_to_wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model.action import Reading
    from ..model.errors import Problem
    from ..reading.machine.own import actions_of, own_row, runs_unread
    from ..value import Json
    from .model import Rule, ToolSpec
    from .parse import Source
else:
    actions_of = lazy(globals(), "..reading.machine.own", "actions_of")
    own_row = lazy(globals(), "..reading.machine.own", "own_row")
    runs_unread = lazy(globals(), "..reading.machine.own", "runs_unread")

__all__ = ["SourceFile", "bad_trials", "broken_policy", "compile_policy"]

_PROFILE = "profile:"
_SHOWN = 4  # actions of an example that are named

SourceFile = tuple[str, str, bytes]  # name (default, managed, user, project, campaign, profile:NAME), file, content


def compile_policy(
    files: tuple[SourceFile, ...],
    *,
    project_trusted: bool = False,
    knows_zone: Callable[[str], bool] = lambda zone: True,
) -> Policy:
    """The policy in force. PolicyError with every problem of every file. What zones there are, the store knows."""
    problems: list[Problem] = []
    sources: dict[str, Source] = {}
    profiles: dict[str, Source] = {}
    for name, file, raw in files:
        try:
            if name.startswith(_PROFILE):
                profiles[name.removeprefix(_PROFILE)] = parse_policy(raw, name=name, file=file)
            else:
                sources[name] = parse_policy(raw, name=name, file=file)
        except PolicyError as error:
            problems.extend(error.problems)
    if problems:
        raise PolicyError(problems)
    policy = merge(
        sources["default"],
        managed=sources.get("managed"),
        user=sources.get("user"),
        project=sources.get("project"),
        campaign=sources.get("campaign"),
        project_trusted=project_trusted,
        profiles=profiles,
    )
    for source in sources.values():
        problems.extend(_bad_examples(source, policy))
        problems.extend(bad_trials(source))
        problems.extend(_unknown_zones(source, knows_zone))
    if problems:
        raise PolicyError(problems)
    return policy


def broken_policy(files: tuple[SourceFile, ...], faults: tuple[str, ...]) -> Policy:
    """What is left when some file cannot be used: the sound ones, and the faults, so that only reads pass.

    The sound files stay in force, else a broken project file would lift the rules that a person's own has on reads.
    """
    sound: tuple[SourceFile, ...] = ()
    for file in files:
        try:
            compile_policy((*sound, file))
        except PolicyError:
            if file[0] == "default":
                raise
        else:
            sound += (file,)
    policy = compile_policy(sound).replace(faults=faults)
    return policy.replace(digest=digest(policy_to_wire(policy)))


def _bad_examples(source: Source, policy: Policy) -> list[Problem]:
    written = sum([len(str(row[3])) for row in source.examples]) + sum([len(trial.line) for trial in source.trials])
    if source.name in ("project", "campaign") and written > MAX_PROJECT_EXAMPLE_CHARS:
        text = f"the examples of all rules and commands have more than {MAX_PROJECT_EXAMPLE_CHARS} characters"
        return [source.problem(("rules",) if source.examples else ("commands",), text)]
    problems = []
    for index, side, position, example in source.examples:
        rule = source.rules[index]
        if rule.when.contract is not None:  # what is in the catalogues is not known here
            text = "a rule with `contract` has no examples; try it with: interlock policy test"
            problems.append(source.problem(("rules", index, side, position), text))
            continue
        hit, why = _try(rule, example, policy, source)
        if hit is not (side == "matches"):
            text = f"the rule `{rule.id}` {'does not match' if side == 'matches' else 'matches'} this example{why}"
            problems.append(source.problem(("rules", index, side, position), text))
    return problems


def bad_trials(source: Source) -> list[Problem]:
    """Examples of `[commands.NAME]` that are not read as the entry says, or not to the end."""
    if (
        source.name in ("project", "campaign")
        and sum([len(trial.line) for trial in source.trials]) > MAX_PROJECT_EXAMPLE_CHARS
    ):
        return []  # said already

    problems = []
    for trial in source.trials:
        row = own_row(trial.words[0], source.commands[trial.words[0]])
        for word in trial.words[1:]:
            row = row.subs[word]
        reading = _read(Call(tool="Bash", input=FrozenMap({"command": trial.line}), cwd="/project"), None, source)
        names = {action.name for action in reading.actions}
        if names.isdisjoint(actions_of(row)):
            wanted = " or ".join(f"`{name}`" for name in sorted(actions_of(row))[:3])
            text = f"this example is not read as {wanted}, but as {', '.join(sorted(names)) or 'nothing'}"
        elif reading.opaque and not runs_unread(row):
            text = f"this example is not understood: {reading.opaque[0].reason}"
        else:
            continue
        problems.append(source.problem(trial.path, text))
    return problems


def _unknown_zones(source: Source, knows_zone: Callable[[str], bool]) -> list[Problem]:
    problems = []
    for index, rule in enumerate(source.rules):
        if rule.when.window is not None:
            window = parse_window(rule.when.window)
            if window.offset is None and not knows_zone(window.zone):
                text = f"`time` names the zone `{window.zone}`, which is not known here"
                problems.append(source.problem(("rules", index, "when", "time"), text))
    return problems


def _try(rule: Rule, example: Json, policy: Policy, source: Source) -> tuple[bool, str]:
    """Whether the rule matches the example, and what to know where it does not.

    The programs that its own file describes count, in force or not, and no others: whether a file is sound is up to the
    file.
    """
    if type(example) is str:
        call = Call(tool="Bash", input=FrozenMap({"command": example}), cwd="/project")
    else:
        call = Call(tool=example["tool"], input=example["input"], cwd="/project")  # type: ignore[index,call-overload,arg-type]
    looks = [look_of(rule.when, every=False), look_of(rule.unless, every=True)]
    reading = _read(call, declared_tool(policy, call.tool, call.named), source, tuple([look for look in looks if look]))
    posture = (rule.when.postures or (Posture.INTERACTIVE,))[0]
    call = call.replace(host=_sample(rule.when.host), agent=_sample(rule.when.agent))
    hit = rule_matches_call(rule, call, (), posture, reading.holds) and any(
        rule_matches(rule, action, call.cwd, surely=True) and not excepted(rule, action, call, posture, reading.holds)
        for action in reading.actions
    )
    return hit, f"; it was read as {_told(reading)}"


def _told(reading: Reading) -> str:
    """What a person needs to see why a rule does or does not match: names, targets and marks."""
    parts = []
    for action in reading.actions[:_SHOWN]:
        target = " ".join([f"{field}={_part(value)}" for field, value in action.target.items()])
        marks = f" [{', '.join(action.tags)}]" if action.tags else ""
        parts.append(printable(f"`{f'{action.name} {target}'.rstrip()}`{marks}"))
    if len(reading.actions) > _SHOWN:
        parts.append(f"{len(reading.actions) - _SHOWN} more")
    if reading.opaque:
        parts.append(printable(f"a part that could not be read ({reading.opaque[0].reason})"))
    return ", ".join(parts)


def _part(value: object) -> str:
    return ",".join([text_of(part) for part in value]) if type(value) is tuple else text_of(value)


def _read(call: Call, declared: ToolSpec | None, source: Source, looks: tuple[str, ...] = ()) -> Reading:
    """An example, where every path leads where it says."""
    facts = Facts(root="/project", home="/home/user", declared=declared, commands=source.commands, looks=looks)
    reading = read_call(call, facts)
    if reading.missing:
        paths = [want.path for want in reading.missing if type(want) is Real]
        facts = facts.replace(real=FrozenMap({path: _plain(path) for path in paths}))
        reading = read_call(call, facts)
    return reading


def _plain(path: str) -> str:
    return settle(path, cwd="/", home="/home/user")


def _sample(pattern: str | None) -> str:
    """A text that the pattern matches: an example says nothing of host and agent."""
    return "" if pattern is None else pattern.replace("*", "").replace("?", "x")
