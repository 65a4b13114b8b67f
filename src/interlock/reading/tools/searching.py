"""What the search tools of a host look for: `Grep` for words in files, `Glob` for names of files.

Inside the project a search for `api_key` is a look at code. Over a home, or anywhere outside, a search for passwords or
for the names of keys is a hunt; and one that shows every line of a home shows its secrets. Names that are searched on
purpose (`glob: ".env*"`) count wherever they lie.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..places.place_folders import holds_secret
from ..places.places import is_secret, marks_of, place_of
from ..places.secret_words import hunted, shows_all

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...model.facts import Facts

__all__ = ["marks_of_search", "names_in"]

_ONLY_NAMES = ("files_with_matches", "count")  # how a host shows that a file has a match, and not the lines
_INCLUDED = ("glob", "include_pattern", "include")  # how hosts say in which files to look
# Names by which keys are looked for, in any folder.
_KEYS = frozenset(("shadow", "sudoers", "credentials", "*.pem", "*.key", "*.p12", "*.pfx", "*.kdbx", "*.jks", "id_*"))
_MOST_NAMES = 64  # that a pattern with braces is spelt out to


def marks_of_search(path: str, action: str, given: Mapping[str, object], facts: Facts) -> list[str]:
    """`hunts` and `secret`, for a search in the folder or the file."""
    pattern = given.get("pattern")
    outside = place_of(path, facts) == "outside"
    if action == "fs:list":
        wanted = names_in(pattern) if type(pattern) is str else ()
        return ["hunts"] if (outside or _leaves(pattern)) and any(map(_is_of_keys, wanted)) else []
    marks = []
    for names in [given[field] for field in _INCLUDED if field in given]:
        if type(names) is str and any(
            "secret" in marks_of(f"{path}/{name}", facts, glob=True) for name in names_in(names)
        ):
            marks.append("secret")
    if type(pattern) is str and outside:
        if hunted(pattern):
            marks.append("hunts")
        if given.get("output_mode") not in _ONLY_NAMES and shows_all(pattern) and holds_secret(path, facts):
            marks.append("secret")
    return marks


def _leaves(pattern: object) -> bool:
    """A pattern that says by itself where it looks."""
    return type(pattern) is str and (pattern[:1] in ("/", "~") or ".." in pattern)


def _is_of_keys(name: str) -> bool:
    return name in _KEYS or is_secret("/" + name) or is_secret("/" + name.rstrip("*?"))


def names_in(pattern: str) -> tuple[str, ...]:
    """The names that the last part of a pattern may be, each spelling in braces by itself."""
    found = [pattern]
    while any("{" in text for text in found):
        at = next(at for at, text in enumerate(found) if "{" in text)
        before, _, rest = found[at].partition("{")
        inside, brace, after = rest.partition("}")
        if not brace or len(found) > _MOST_NAMES:
            return (pattern.rpartition("/")[2].replace("{", "*").replace("}", "*"),)
        found[at : at + 1] = [before + choice + after for choice in inside.split(",")]
    return tuple(dict.fromkeys([text.rpartition("/")[2] for text in found]))
