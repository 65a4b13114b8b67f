"""`interlock explain`: what was read, which layer said what, and what would have changed it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click
from rich.text import Text

from ..approve.grant import Grant
from ..approve.strength import needed_by, needs_two
from ..bytes.strict import parse_object
from ..calls.world import Outcome
from ..decide import decide
from ..limits import MAX_INPUT_BYTES
from ..model.call import Call, call_from
from ..model.errors import InputError
from ..model.obeyed import FLOOR_OWNERS
from ..model.posture import MOVES, Posture
from ..model.session import Session
from ..model.verdict import Strength, Verdict
from ..reading.machine.index import is_known
from ..store.home.folders import Folders
from ..value import FrozenMap, lazy
from ..words.told import told
from .commands import MODES, POSTURES, pass_folders, with_home
from .decide import Desk, answer_of, encoded
from .explain_recorded import LAST, explained, heading

if TYPE_CHECKING:
    from rich.console import Console

    from ..policy.entry import entry_to_paste
    from .show import console, harmless, reading_tree, reasons_table, verdict_text
else:
    entry_to_paste = lazy(globals(), "..policy.entry", "entry_to_paste")
    console = lazy(globals(), ".show", "console")
    harmless = lazy(globals(), ".show", "harmless")
    reading_tree = lazy(globals(), ".show", "reading_tree")
    reasons_table = lazy(globals(), ".show", "reasons_table")
    verdict_text = lazy(globals(), ".show", "verdict_text")

__all__ = ["command", "show_outcome_in_full", "what_would_change_it"]


@click.command()
@click.argument("text", required=False)
@click.option(
    "--last",
    type=click.Choice(LAST),
    is_flag=False,
    flag_value="prompt",
    help="Explain the newest recorded call that was asked about or refused; with `call`, the newest of all.",
)
@click.option("--row", metavar="ROW|ID", help="Explain a recorded call: its row, receipt or approval id.")
@click.option(
    "--root", type=click.Path(file_okay=False), help="The project folder. Default: found from the call's cwd."
)
@click.option("--cwd", type=click.Path(file_okay=False), help="The working folder of the call. Default: this one.")
@click.option(
    "--policy",
    "policy_file",
    type=click.Path(dir_okay=False),
    help="Use this file in place of yours and the project's.",
)
@click.option("--posture", type=POSTURES, help="Decide as in this posture.")
@click.option("--mode", type=MODES, help="Decide as in this approval mode.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def command(
    folders: Folders,
    text: str | None,
    last: str | None,
    row: str | None,
    root: str | None,
    cwd: str | None,
    policy_file: str | None,
    posture: str | None,
    mode: str | None,
    as_json: bool,
) -> int:
    """Explain the decision on TEXT, a command line or a call as JSON; `-` reads it from stdin.

    Nothing is run and nothing is recorded. Exit code 0, whatever is decided; `interlock decide` ends with the verdict.
    With `--last` or `--row`, a recorded decision is explained as it was made, under the policy of that time.

    \b
    Examples:
      interlock explain 'rm -rf build'
      interlock explain '{"tool": "Write", "input": {"file_path": "/etc/hosts", "content": ""}}'
      interlock explain --last
    """
    if last is not None or row is not None:
        others = (text, last if row is not None else None, root, cwd, policy_file, posture, mode)
        if any(other is not None for other in others):
            raise InputError("a recorded call is explained as it was: give `--last` or `--row`, and nothing else")
        return _explain_recorded(folders, last, row, as_json)
    if text is None:
        raise InputError("what to explain? Give a command line or a call as JSON, or `--last` for the last prompt")
    raw = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1) if text == "-" else text.encode("utf-8", "surrogateescape")
    call = _call(raw, os.path.abspath(cwd or os.getcwd()))
    desk = Desk(
        folders, root=root, policy_file=policy_file, posture=posture, mode=mode, recording=False, undo="foresees"
    )
    session = desk.fresh_session(call)
    outcome = desk.judge(call, session)
    changes = [with_home(change) for change in what_would_change_it(outcome, session)]
    entries = _entries(outcome)
    if as_json:
        more = {"entries": entries} if entries else {}
        click.echo(encoded({**answer_of(outcome), "changes": changes, **more}))
    else:
        show_outcome_in_full(outcome, changes)
        if entries:
            click.echo("\nan entry for your policy, to complete (docs/policy.md, Programs of your own):\n")
            click.echo("\n".join(entries), nl=False)
        for notice in (*outcome.policy.notices, *desk.warnings(call), *outcome.warnings):
            click.echo(f"interlock: {notice}", err=True)
    return 0


def _explain_recorded(folders: Folders, last: str | None, row: str | None, as_json: bool) -> int:
    found = explained(folders, last, row)
    changes = [with_home(change) for change in what_would_change_it(found.outcome, found.session)]
    if as_json:
        click.echo(encoded({**answer_of(found.outcome), "changes": changes, "recorded": found.wire}))
        return 0
    for line in heading(found):
        click.echo(line)
    click.echo()
    show_outcome_in_full(found.outcome, changes)
    return 0


def _call(raw: bytes, cwd: str) -> Call:
    """A JSON object is a call; anything else is a command line for Bash."""
    if raw.lstrip()[:1] == b"{" and b'"tool"' in raw:
        return call_from(parse_object(raw), cwd=cwd)
    try:
        line = raw.decode()
    except UnicodeDecodeError:
        raise InputError("the text is not UTF-8") from None
    if not line.strip():
        raise InputError("there is nothing to explain")
    return Call(tool="Bash", input=FrozenMap({"command": line.rstrip("\n")}), cwd=cwd)


def what_would_change_it(outcome: Outcome, session: Session) -> list[str]:
    """Each way out is tried, not guessed: the call is decided again under the change."""
    decision, policy = outcome.decision, outcome.policy
    if decision.verdict is Verdict.ALLOW:
        return []
    found = []
    needed = needed_by(decision)
    session = session.replace(signing=str(outcome.body["session"].get("signing", "")))
    signed = "" if needed is Strength.WEAK else f"signed ({needed} or more) "
    if decision.approval is not None:
        once = Grant(id="explain", kind="once", binds=decision.approval, strength=needed, persons=("a", "b"))
        again = decide(outcome.call, outcome.reading, policy, session, (*session.grants, once))
        persons = "two persons'" if needs_two(decision.reasons) else "a person's"
        found.append(f"{persons} {signed}approval of this one call ({decision.approval}): {again.verdict}")
        if signed:
            found.append("sign it when the agent makes the call and an id is shown: interlock approvals approve ID")
    for posture in MOVES[session.posture]:
        if posture is not session.posture and posture is Posture.INTERACTIVE:
            again = decide(outcome.call, outcome.reading, policy, session.replace(posture=posture), session.grants)
            if again.verdict < decision.verdict:
                found.append(f"the posture {posture} (interlock posture set {posture}): {again.verdict}")
    never: list[str] = []
    granted: dict[str, list[str]] = {}  # what one grant would satisfy
    for finding in decision.reasons:
        if finding.grant is not None and "capability" in finding.lifted_by:
            granted.setdefault(finding.grant, []).append(f"{finding.layer}/{finding.rule}")
        if finding.layer != "strength" or decision.approval is None:  # nothing is kept, so that id is not known yet
            found += finding.remedy.splitlines()
        if finding.rule == "unregistered":
            found.append(f'declaring the tool in your policy: [tools."{outcome.call.tool}"] with its `effects`')
        if not finding.lifted_by and finding.layer == "floor":
            whose = {str(outcome.reading.actions[at].target.get("obeyed", "")) for at in finding.actions}
            if "" in whose or whose & FLOOR_OWNERS:
                never.append(f"nothing: {finding.layer}/{finding.rule} cannot be lifted")
            else:
                found.append("another level for this file under [obeyed] in your policy")
    if never:  # what would lift the rest does not help
        return list(dict.fromkeys(never))
    for key, rules in granted.items():
        found.append(f"a {signed}grant for `{key}` would satisfy {' and '.join(dict.fromkeys(rules))}")
    found += [f"the grant `{miss.grant}` does not cover it: {miss.why}" for miss in decision.near_misses]
    return list(dict.fromkeys(found))


def _entries(outcome: Outcome) -> list[str]:
    """For each program that no table knows: an entry to paste."""
    line = outcome.call.input.get("command")
    if type(line) is not str:
        return []
    unknown = [action for action in outcome.reading.actions if "unknown" in action.tags and action.name[:5] == "exec:"]
    lines = {action.name[5:]: line[action.span[0] : action.span[1]] for action in reversed(unknown)}
    entries = [
        entry_to_paste(name, lines[name])
        for name in sorted(lines)
        if not is_known(name) and name not in outcome.policy.commands
    ]
    return [entry for entry in entries if entry]


def _show_told(outcome: Outcome, out: Console) -> None:
    """The words that the person and the agent get to see."""
    for who, text in zip(
        ("you are", "the agent is"), told(outcome.call, outcome.reading, outcome.decision, outcome.policy), strict=True
    ):
        if text:
            out.print()
            out.print(Text(f"{who} told:"))
            for line in text.splitlines():
                out.print(Text(f"  {harmless(line)}"))


def show_outcome_in_full(outcome: Outcome, changes: list[str], out: Console | None = None) -> None:
    """The long form: what was read, every reason, what would change it."""
    out = out or console()
    decision = outcome.decision
    effect = "no effect" if decision.effect is None else f"dominant effect {decision.effect}"
    out.print(Text.assemble(verdict_text(decision.verdict), f"  {effect}, posture {decision.posture}"))
    out.print()
    title = f"what {outcome.call.tool} would do in {outcome.call.cwd}"
    out.print(reading_tree(outcome.reading, title), soft_wrap=False)
    out.print()
    if decision.reasons:
        out.print(reasons_table(decision.reasons))
        if outcome.call.input:
            _show_told(outcome, out)
    else:
        out.print(Text("no layer has anything against it"))
    if decision.notes:
        out.print()
        out.print(Text("notes to the agent:"))
        for note in decision.notes:
            out.print(Text(f"  {harmless(note)}"))
    if decision.satisfied:
        out.print()
        out.print(Text("satisfied by a grant:"))
        out.print(reasons_table(decision.satisfied))
    if changes:
        out.print()
        out.print(Text("what would change it:"))
        for change in changes:
            out.print(Text(f"  {harmless(change)}"))
    out.print()
    out.print(Text(f"policy {outcome.policy.digest}", style="dim"))
