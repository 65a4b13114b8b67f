"""What of a host matters for safety. Every line was seen with the real client (docs/hosts.md), or says that it was not.

`tests/hosts/test_every_host.py` holds each host to its traits.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ASK",
    "BY_A_PERSON",
    "BY_ELSE",
    "ELICITATION",
    "EXIT_1",
    "GARBAGE",
    "REFUSED",
    "SILENCE",
    "TIMEOUT",
    "Traits",
]

ELICITATION = "elicitation"  # how a host asks in our own words: a server of ours has it put up a dialog

ASK, EXIT_1, GARBAGE, SILENCE, TIMEOUT = "ask", "exit 1", "garbage", "silence", "timeout"

# What a transcript tells of a question.
REFUSED = "refused"  # a person said no
BY_A_PERSON = "person"  # a person said yes
BY_ELSE = "else"  # a rule, a hook or the host itself let it through


class Traits(Value):
    """
    title       the host, as people call it
    settings_in the file below the home folder that the fragment of its settings goes into
    moved_by    the variable that moves the home folder, or the first folder of that file
    asks        an ask is put before a person; without it, an ask is told as a deny that says how to get it approved
    asks_about  our names of the tools for which that holds; empty: all of them
    runs_after  what lets the call run: ASK, EXIT_1, GARBAGE, SILENCE, TIMEOUT
    blocks_on   the switch in its settings that turns a crash or a timeout into a block; empty: it has none
    has_rules   it has rules of its own, which decide where an answer says nothing of the call
    lifts       an allow stands in place of its own prompt
    waits       its settings take `--wait`: a hook may take so long, and a time-out blocks
    ends_turns  an answer can end the agent's turn
    tells       which events it has beside the call: ended, shown, declined, said, typed, began, stopping, resettled,
                closed
    names_calls each call has an id, by which its outcome is found
    asks_in     the modes in which the host itself puts an ask before its person
    own_words   how it puts a question of ours, in our own words, before its person: ELICITATION; empty: it does not
    own_lines   how many lines of such a question it shows
    shield_lines  how many it shows of a question that our shield inside it puts; 0: it knows no shield
    parts       files beside the host's own: install, plugin, settings, transcript
    tools       the names of its tools -> ours
    here        its events do not tell where the agent works: the hook looks at the folder that it was started in
    proven      it was seen with the real client
    """

    title: str
    settings_in: str
    moved_by: str
    asks: bool
    runs_after: tuple[str, ...]
    asks_about: tuple[str, ...] = ()
    blocks_on: str = ""
    has_rules: bool = False
    lifts: bool = False
    waits: bool = False
    ends_turns: bool = False
    tells: tuple[str, ...] = ()
    names_calls: bool = False
    asks_in: tuple[str, ...] = ()
    own_words: str = ""
    own_lines: int = 0
    shield_lines: int = 0
    parts: tuple[str, ...] = ()
    tools: Mapping[str, str] = FrozenMap({})
    here: bool = False
    proven: bool = True
