"""What a person is told of policy files before they rely on them.

`policy check` and `bundle sign` ask the same question. What one of them refuses, the other refuses too: a name that
nothing has is forgiven in a file that is in force, because a machine may be older than its policy, but nobody signs
one for many machines.
"""

from __future__ import annotations

from ..policy.compile import SourceFile
from ..policy.meaning import Doubts, doubts_of
from ..store.clock import now
from ..store.home.folders import Folders
from ..store.home.policies import compile_sources, own_sources
from ..value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from ..store.home.calibrations import told_of_judges
else:
    told_of_judges = lazy(globals(), "..store.home.calibrations", "told_of_judges")

__all__ = ["policy_doubts"]


def policy_doubts(files: tuple[SourceFile, ...], folders: Folders) -> Doubts:
    """Mistakes and doubts of these files together; PolicyError where they are no policy."""
    policy = compile_sources(files)
    found = Doubts()
    for source in own_sources(files):
        seen = doubts_of(source, policy, now())
        doubts = [*found.doubts, *seen.doubts]
        if source.judge is not None and source.judge == policy.judge:
            doubts += [source.problem(("judge",), text) for text in told_of_judges(policy.judge, folders)]
        found = Doubts(mistakes=(*found.mistakes, *seen.mistakes), doubts=tuple(doubts))
    return found
