"""One key of a policy file.

`tighter` says how two values join when a source may only tighten:

    higher / lower   the stricter end of a closed scale
    true / false     that value wins
    union            everything that either names
    common           only what both name
    fixed            a source that may only tighten cannot change it
    raises           each entry joins with the one in force; the higher number wins
    adds             entries only add up; they can only tighten
    loosens          only a source that may loosen can give it
    first            may be given where nobody above has given it
    pinned           the same, also of a plan that somebody above has named
    modes            the stricter of the two for each permission mode
"""

from __future__ import annotations

from ..value import Value

__all__ = ["Field"]


class Field(Value):
    key: str
    kind: str
    tighter: str
    doc: str
    required: bool = False
