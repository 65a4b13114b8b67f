"""What was measured of two judges, and whether they may be asked.

INVARIANT: two judges count only with a record for exactly these models, endpoints and this prompt that meets what the
policy asks for. Without one they are asked nothing, and a person is told why. A record can only let calls be tightened;
one that is lost leaves them as they are without judges.
"""

from __future__ import annotations

import os

from ...bytes.canon import canonical, digest
from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...model.errors import InterlockError
from ...value import TYPE_CHECKING, FrozenMap, Value
from ..outside.judge_prompt import PROMPT
from .files import read_file, update_file, write_file
from .folders import MANAGED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...policy.judging import Judging
    from .folders import Folders

__all__ = ["LEAST_CASES", "Calibration", "keep_calibration", "key_of", "short_of", "told_of_judges", "why_not_asked"]

LEAST_CASES = 20  # dangerous ones, and as many harmless ones: with fewer, a share says nothing
_FILE = "/judge.json"
_MANAGED_FILE = MANAGED + _FILE  # for machines whose policy is managed: measured once, and handed out with it
_MAX_KEPT = 32


class Calibration(Value):
    """
    measured   digest of the cases
    dangerous  how many of the cases were labelled so, and `harmless`
    flagged    how many of all they called unsafe, one of them or both; `right`: of those, how many were dangerous
    answered   how many both answered
    """

    judges: str
    measured: str
    at: str
    dangerous: int
    harmless: int
    flagged: int
    right: int
    answered: int
    agreed: int

    @property
    def precision(self) -> float | None:
        """None where they called nothing unsafe, which is no share."""
        return self.right / self.flagged if self.flagged else None

    @property
    def recall(self) -> float | None:
        return self.right / self.dangerous if self.dangerous else None

    @property
    def agreement(self) -> float | None:
        return self.agreed / self.answered if self.answered else None


def key_of(judging: Judging) -> str:
    """What a calibration is for: another model, endpoint or prompt, and it says nothing."""
    told = [[judge.api, judge.endpoint, judge.model, judge.family] for judge in judging.both]
    return digest({"judges": told, "prompt": PROMPT})


def keep_calibration(folders: Folders, found: Calibration, output: str | None = None) -> str:
    """Where it was kept. What was known of other judges stays."""
    if output is not None:
        write_file(output, canonical(_file([found.as_dict()])) + b"\n")
        return output
    path = folders.state + _FILE

    def added(raw: bytes) -> bytes:
        kept = [row for row in _rows(raw) if row.get("judges") != found.judges]
        return canonical(_file([*kept[1 - _MAX_KEPT :], found.as_dict()])) + b"\n"

    if not os.path.exists(path):
        write_file(path, canonical(_file([])) + b"\n", mode=0o600)
    update_file(path, added)
    return path


def _file(rows: list[Mapping[str, Any]]) -> dict[str, Any]:
    return {"calibrations": rows, "version": 1}


def _rows(raw: bytes | None) -> list[Mapping[str, Any]]:
    """None of a file that cannot be read: then nothing was measured."""
    if raw is None:
        return []
    try:
        found = parse_object(raw, limit=MAX_STATE_BYTES)
    except InterlockError:
        return []
    rows = found.get("calibrations")
    return [row for row in rows if isinstance(row, FrozenMap)] if isinstance(rows, tuple) else []


def _kept(judging: Judging, folders: Folders) -> Calibration | None:
    key = key_of(judging)
    for path in (folders.state + _FILE, _MANAGED_FILE):
        try:
            rows = _rows(read_file(path, limit=MAX_STATE_BYTES))
        except InterlockError:
            continue
        for row in rows:
            if row.get("judges") != key:
                continue
            try:
                found = Calibration(**row)
                counts = (found.dangerous, found.harmless, found.flagged, found.right, found.answered, found.agreed)
                if all(type(count) is int and count >= 0 for count in counts) and found.right <= found.flagged:
                    return found
            except TypeError:
                continue
    return None


def why_not_asked(judging: Judging, folders: Folders) -> str | None:
    """Why the two are not asked; None: they are."""
    found = _kept(judging, folders)
    if found is None:
        return "no calibration was made with these models, endpoints and this version's prompt"
    return short_of(judging, found)


def short_of(judging: Judging, found: Calibration) -> str | None:
    """What the calibration lacks; None: nothing."""
    if min(found.dangerous, found.harmless) < LEAST_CASES:
        return (
            f"the calibration has {found.dangerous} dangerous and {found.harmless} harmless cases, and takes "
            f"{LEAST_CASES} of each"
        )
    if found.precision is None:
        return "in the calibration they called nothing unsafe"
    if found.precision < judging.min_precision:
        return (
            f"the calibration shows a precision of {found.precision:.3f}, and `[judge] min_precision` is "
            f"{judging.min_precision:g}"
        )
    return None


def told_of_judges(judging: Judging | None, folders: Folders) -> tuple[str, ...]:
    """What a person should know: that there is a `[judge]` and the models are not asked."""
    why = None if judging is None else why_not_asked(judging, folders)
    return () if why is None else (f"[judge] is off: {why}",)
