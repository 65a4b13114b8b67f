"""Everything that Interlock raises on purpose.

    InterlockError
    ├── InputError      what came in is not a call: bad bytes, bad JSON, missing fields
    ├── PolicyError     a policy file is wrong; carries every problem with its place
    ├── PostureError    a posture move that the table does not have
    ├── StoreError      our own files could not be read or written
    ├── ApprovalError   an approval or a grant that cannot be made or used
    ├── Denied          a call that may not be made, for a program that wanted to make it
    ├── NeedsApproval   a call that a person has to approve first
    ├── HostError       a host that Interlock does not speak, or an event it does not know
    └── ServiceError    the HTTP service cannot be reached, does not answer in time, or refuses

The message is for the log; `for_people()` says what to do. Neither holds a stack trace.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ApprovalError",
    "Denied",
    "HostError",
    "InputError",
    "InterlockError",
    "NeedsApproval",
    "PolicyError",
    "PostureError",
    "Problem",
    "ServiceError",
    "StoreError",
    "crowded",
    "is_crowded",
    "lacking",
    "printable",
]


def printable(text: str) -> str:
    """Text that may hold somebody else's words, without anything that a terminal obeys."""
    return text if text.isprintable() else "".join([c if c.isprintable() else ascii(c)[1:-1] for c in text])


class Problem(Value):
    """One thing that is wrong with a file, and where. Line and column count from 1."""

    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.text}"


class InterlockError(Exception):
    """Base of all errors of this package."""

    exit_code = 70

    def for_people(self) -> str:
        return str(self)


class InputError(InterlockError):
    exit_code = 64


def lacking(what: str, extra: str, package: str | None, python: str) -> InputError:
    """What is missing for a part of Interlock that not everybody needs, and the command that adds it.

    The command names the interpreter: another `pip` would look for a package of that name on the network.
    """
    add = f"{python} -m pip install 'interlock[{extra}]'"
    return InputError(f"{what} needs the package {package or extra}; add it with: {add}")


class PolicyError(InterlockError):
    """A broken policy: nothing of it is applied, and all its problems are told at once."""

    exit_code = 65

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple([problem.replace(text=printable(problem.text)) for problem in problems])
        super().__init__("; ".join(str(problem) for problem in self.problems))

    def for_people(self) -> str:
        count = len(self.problems)
        head = "1 problem in the policy" if count == 1 else f"{count} problems in the policy"
        return "\n".join([f"{head}; nothing of it was applied", *(f"  {problem}" for problem in self.problems)])


class PostureError(InterlockError):
    exit_code = 1


class StoreError(InterlockError):
    exit_code = 74


_CROWDED = "too many calls of the session "


def crowded(session: str, times: int) -> str:
    """Why one call could not be recorded although the ledger can be written."""
    return (
        f"{_CROWDED}`{printable(session)}` are made at once: {times} times in a row another one was recorded while "
        "this one was read; make fewer at a time, and this one again"
    )


def is_crowded(trouble: str) -> bool:
    return trouble.startswith(_CROWDED)


class ApprovalError(InterlockError):
    exit_code = 1


class HostError(InterlockError):
    exit_code = 64


class Denied(InterlockError):
    """The message is for the agent: why, and what to do instead."""

    exit_code = 1

    def __init__(self, agent: str, *, receipt: str = "", approval: str = "") -> None:
        self.agent = agent
        self.receipt = receipt
        self.approval = approval
        super().__init__(agent)


class NeedsApproval(InterlockError):
    """Nothing was done. Once `approval` is approved, the same call goes through, once."""

    exit_code = 2

    def __init__(self, agent: str, *, approval: str, person: str = "", expires: int = 0) -> None:
        self.agent = agent
        self.approval = approval
        self.person = person
        self.expires = expires
        super().__init__(f"{agent} Waits for {approval}." if agent else f"waits for {approval}")


class ServiceError(InterlockError):
    """`status` is that of the answer; 0: there was none."""

    exit_code = 69

    def __init__(self, text: str, *, status: int = 0) -> None:
        super().__init__(printable(text))
        self.status = status
