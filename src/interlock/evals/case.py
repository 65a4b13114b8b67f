"""One case: a call, where it is made, and what is expected of the answer.

Packs and corpora both become cases, and only the runner looks at them. A case of a corpus
may expect nothing: then it is only measured.
"""

from __future__ import annotations

from ..model.call import Call
from ..model.errors import InputError, Problem
from ..model.posture import Posture
from ..value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..contracts.model import Contract
    from ..value import Json

__all__ = ["EXPECTED", "HOME", "ROOT", "Case", "PackError", "Stage", "Surroundings", "WantedAction", "bash"]

ROOT = "/repo"  # the project folder and
HOME = "/home/user"  # the home folder, where a case names none

# word -> the verdicts that fulfil it
EXPECTED = {
    "allow": ("allow",),
    "ask": ("ask",),
    "deny": ("deny",),
    "not_allow": ("ask", "deny"),
    "not_deny": ("allow", "ask"),
}


class WantedAction(Value):
    """An action that the reading must hold; of its target, these fields at least."""

    name: str
    target: Mapping[str, Json] = FrozenMap({})


class Stage(Value):
    """What a session of several calls finds: it is made on disk, in a folder of its own, and is gone in the end.

    files    path in the project, or `~/…` in the home folder -> its text, as it was before the session began
    policy   the person's own policy, as TOML; empty: they have none
    """

    files: Mapping[str, str] = FrozenMap({})
    policy: str = ""


class Surroundings(Value):
    """What comes before and after a call of such a session.

    says     what the person says to the agent before it
    answer   how the person answers the question, wherever they are asked: `approve`, `refuse` or `open` (not at all);
             None: as the whole run answers
    reach    how far a yes reaches that is given outside of the host; empty: this one call
    result   what the call brings back
    fails    it fails
    leaves   files that it leaves behind, as in Stage; None takes a file away
    """

    says: str = ""
    answer: str | None = None
    reach: str = ""
    result: str = ""
    fails: bool = False
    leaves: Mapping[str, str | None] = FrozenMap({})


class Case(Value):
    """
    file, line  where it was written down
    expect      a word of EXPECTED; None: nothing is expected, the case is only measured
    actions     must all be in the reading
    effects     a text: the dominant effect; a tuple: all of them, in any order; None: not looked at
    opaque      whether the reading has opaque parts; None: not looked at
    group       the corpus's own label
    posture     in place of the policy's
    created     paths that the session has written before
    commands    programs that the host brings along, in the words of `[commands.NAME]`
    contracts   of the tool, where the corpus brings them
    rules       ids of the policy's rules that must match
    cut         its text ends where the corpus cut it: followed for what it leaves behind, and not scored
    one_shell   its shell is that of the call before, and is still in the folder in which that one left it
    notes       words that must be in what the agent is told beside the verdict
    stage, told what is on disk and what happens around the call, for a step of a session; None: nothing is on disk
    at          the moment at which it is judged, as `2026-12-01T23:59:59Z`; None: every time window is open
    """

    id: str
    file: str
    line: int
    call: Call
    root: str = ROOT
    home: str = HOME
    expect: str | None = None
    actions: tuple[WantedAction, ...] = ()
    effects: str | tuple[str, ...] | None = None
    opaque: bool | None = None
    why: str = ""
    group: str = ""
    posture: Posture | None = None
    created: frozenset[str] = frozenset()
    commands: Mapping[str, Mapping[str, Json]] = FrozenMap({})
    contracts: tuple[Contract, ...] = ()
    rules: tuple[str, ...] = ()
    cut: bool = False
    one_shell: bool = False
    at: str | None = None
    notes: tuple[str, ...] = ()
    stage: Stage | None = None
    told: Surroundings | None = None


class PackError(InputError):
    """Packs that cannot be used. All their problems are told at once, and nothing is run."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(str(problem) for problem in self.problems))

    def for_people(self) -> str:
        count = len(self.problems)
        head = "1 problem in the packs" if count == 1 else f"{count} problems in the packs"
        return "\n".join([f"{head}; nothing was run", *(f"  {problem}" for problem in self.problems)])


def bash(command: str, cwd: str, session: str = "") -> Call:
    return Call(tool="Bash", input=FrozenMap({"command": command}), cwd=cwd, session=session)
