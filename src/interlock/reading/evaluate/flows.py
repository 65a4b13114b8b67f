"""Pipes and files whose text is not known, but where it comes from is: a file, a packed folder, a commit.

For every other purpose they are unknown like any other. Programs that place what they are fed (tar, patch, git apply)
follow them to where the contents can be listed.
"""

from __future__ import annotations

from .origins import PIPE, Origin
from .words import NUL, Arg

__all__ = ["Diffed", "Fetched", "Flow", "Laid", "Poured", "Stream", "alone"]


class Flow(Arg):
    """A pipe of which more is known than its text, which is not: where what it carries comes from."""

    __slots__ = ()

    def __init__(self, span: tuple[int, int], origin: Origin | None = None) -> None:
        super().__init__(NUL, span, origin=origin or PIPE)


class Poured(Flow):
    """It carries what is in the file `path`."""

    __slots__ = ("path",)

    def __init__(self, path: str, span: tuple[int, int], origin: Origin | None = None) -> None:
        super().__init__(span, origin)
        self.path = path


class Fetched(Flow):
    """It carries what comes from another machine: nobody can tell what, before it is here."""

    __slots__ = ()


class Stream(Flow):
    """It carries an archive; its members are kept as if they lay in the folder `path` (reading/lands/laid.py)."""

    __slots__ = ("path",)

    def __init__(self, path: str, span: tuple[int, int]) -> None:
        super().__init__(span)
        self.path = path


class Diffed(Flow):
    """It carries a patch that git makes in the folder, from what `old` may be to what `new` may be.

    Revisions from before the call; none: they are not known. `only`: the paths that are meant, if not all.
    """

    __slots__ = ("folder", "new", "old", "only")

    def __init__(
        self, folder: str, old: tuple[str, ...], new: tuple[str, ...], only: tuple[str, ...], span: tuple[int, int]
    ) -> None:
        super().__init__(span)
        self.folder, self.old, self.new, self.only = folder, old, new, only


class Laid(Arg):
    """In a file or folder lies what placements of this call have put there, and nothing else that is new."""

    __slots__ = ()

    def __init__(self, span: tuple[int, int]) -> None:
        super().__init__(NUL, span, origin=Origin("brought"))


def alone(outputs: list[Arg | None]) -> Flow | None:
    """What commands print one after the other, if one of them is such a pipe and the others surely print nothing."""
    flow = None
    for output in outputs:
        if output is None:
            return None
        if isinstance(output, Flow):
            if flow is not None:
                return None
            flow = output
        elif output.text or output.glob:
            return None
    return flow
