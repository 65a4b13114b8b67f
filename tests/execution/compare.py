"""What was executed against what was read: each call must be among the commands that the reading names, or under an
opaque part. A call that was executed, and of which the reading knows nothing, is a silent miss.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from execution.generator import Case
from execution.sandbox import HOME, LEAVES, PROJECT
from interlock.model.facts import Facts
from interlock.reading.bash import follow_bash
from interlock.reading.evaluate.state import Found
from interlock.reading.evaluate.words import NUL, Arg

__all__ = ["Outcome", "Tally", "judge", "names_all", "read"]


class _Itself(Mapping[str, str]):
    """There are no links in the sandbox: every path leads where it says."""

    def __getitem__(self, path: str) -> str:
        return path

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 1


_FACTS = Facts(root=PROJECT, home=HOME, real=_Itself())


class Outcome(Enum):
    READ = "read"  # every call that was executed is named
    OPAQUE = "opaque"  # some call is not named, and the reading says that it does not know everything
    SILENT = "silent"  # some call is not named, and the reading does not say so
    NOTHING = "nothing"  # no program was executed


def read(text: str) -> Found:
    return follow_bash(text, cwd=PROJECT, facts=_FACTS)


def judge(found: Found, calls: list[list[str]]) -> tuple[Outcome, list[list[str]]]:
    """The outcome, and the calls that the reading does not name."""
    leaves = [call for call in calls if call[0] in LEAVES]
    if not leaves:
        return Outcome.NOTHING, []
    missed = [call for call in leaves if not names_all(found, [call])]
    if not missed:
        return Outcome.READ, []
    return (Outcome.OPAQUE if found.opaque else Outcome.SILENT), missed


def names_all(found: Found, calls: list[list[str]]) -> bool:
    patterns = [_pattern(args) for args, _ in found.commands if args and args[0].known]
    return all(any(pattern.fullmatch("\0".join(call)) for pattern in patterns) for call in calls)


def _pattern(args: tuple[Arg, ...]) -> re.Pattern[str]:
    """What a command may be when it is executed: unknown parts are anything, and several words if not quoted."""
    words = [re.escape(args[0].text.rpartition("/")[2])]
    for arg in args[1:]:
        if arg.glob or arg.text == NUL or (arg.unknown and not arg.quoted):
            anything = ".*"
            known = anything.join(map(re.escape, arg.text.split(NUL))) if not arg.glob else anything
            words.append(f"(?:\0{known})" + ("?" if known == anything else ""))
        else:
            words.append("\0" + "[^\0]*".join(map(re.escape, arg.text.split(NUL))))
    return re.compile("".join(words), re.DOTALL)


@dataclass
class Tally:
    """The outcomes of many cases, and of each technique that was met alone."""

    outcomes: dict[Outcome, int] = field(default_factory=lambda: dict.fromkeys(Outcome, 0))
    alone: dict[str, Outcome] = field(default_factory=dict)
    folding: dict[Outcome, int] = field(default_factory=lambda: dict.fromkeys(Outcome, 0))
    silent: list[tuple[Case, list[list[str]]]] = field(default_factory=list)

    def add(self, case: Case, calls: list[list[str]]) -> None:
        outcome, missed = judge(read(case.text), calls)
        self.outcomes[outcome] += 1
        if case.folds:
            self.folding[outcome] += 1
        if case.alone:
            self.alone[case.techniques[0]] = outcome
        if outcome is Outcome.SILENT:
            self.silent.append((case, missed))

    def report(self, most: int = 40) -> str:
        """The shortest misses first."""
        lines = [", ".join(f"{outcome.value} {count}" for outcome, count in self.outcomes.items())]
        for case, missed in sorted(self.silent, key=lambda item: (len(item[0].techniques), len(item[0].text)))[:most]:
            lines.append(f"{' + '.join(case.techniques)}\n    {case.text!r}\n    executed {missed}")
        return "\n".join(lines)
