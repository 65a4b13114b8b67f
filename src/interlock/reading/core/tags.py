"""Every tag that an action can carry. The set is closed: a tag that is not here is a typing error.

`PROGRAM_TAGS` are those that a table says of a program, ours or `[commands.NAME]` of a policy. The others come out of
the reading: where a path lies, what became of a file, what reached the network. docs/reading.md says what each means.
"""

from __future__ import annotations

__all__ = ["PROGRAM_TAGS", "TAGS", "close_to"]

PROGRAM_TAGS = frozenset(
    "accounts clipboard deferred disguised environment exhausts external force foreign guard history hunts identity "
    "install interactive machine nested persistence privileged project redirects scheduled secret security sends "
    "settings suspends system unguarded unknown unread upkeep wholesale".split()
)

_OF_PLACES = (
    "created device earlier home local moved new no-project obeyed obeyed-asked obeyed-noted outside own-folder "
    "own-secret posts project-root regenerable root temp vendored"
)
_OF_READING = (
    "built committed dryrun elsewhere fed fetched fork-bomb inline leaks near-miss nowhere remote-code uncommitted "
    "undoable written-here"
)

TAGS = PROGRAM_TAGS | frozenset(f"{_OF_PLACES} {_OF_READING}".split())


def close_to(word: str, known: frozenset[str]) -> str:
    """`; did you mean …?`, or nothing where no known word looks like it. For messages only."""
    import difflib

    close = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.5)
    return f"; did you mean `{close[0]}`?" if close else ""
