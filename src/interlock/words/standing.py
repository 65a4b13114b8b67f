"""Messages of the decision itself: what a person answered before, how strong a yes must be, the posture."""

from __future__ import annotations

from .said import Said

__all__ = ["SAYS", "words_for"]

_WAIT = "Go on with something else and report {approval}. Once it is approved, make exactly this call again."
_GO_ON = "Go on with what is allowed, and report this step to the person."

SAYS = {
    "failed": Said(
        person="Interlock could not check this call: its {layer} check failed ({error}).",
        agent="Use a simpler call, and tell the person that a check of Interlock failed.",
    ),
    "refused": Said(
        person="You said no to this, or to a call like it, in this session.",
        agent="The person said no to this, or to a call like it. Go on without it and try no variants, or ask them "
        "what they want instead.",
    ),
    "refused (words)": Said(
        person="You said no to this, or to a call like it, in this session: {words}.",
        agent="The person said no to this, or to a call like it. Their words: {words}. Go on without it and try "
        "no variants, or ask them what they want instead.",
    ),
    "applied": Said(
        person="You have previewed this call and applied what it changed; it does not run as well.",
        agent="The person has run this in a preview and applied its changes. Do not run it again. {said}",
    ),
    "pending": Said(
        person="The agent has asked for this call {tries} times, and you have not approved it.",
        agent="The person has been asked about this {tries} times. Go on with something else until they have answered.",
    ),
    "signature (waits)": Said(
        person="This needs a signed yes (strength {needed} or more), and waits for it as {approval}.",
        agent=f"This needs a signed yes. {_WAIT}",
    ),
    "two (waits)": Said(
        person="This needs the signed yes of two persons (strength {needed} or more), and waits for it as {approval}.",
        agent=f"This needs the signed yes of two persons. {_WAIT}",
    ),
    "signature (no key)": Said(
        person="This needs a signed yes (strength {needed} or more), and no key on this machine can give one.",
        agent=f"This needs a signed yes, and no key on this machine can give one. {_GO_ON}",
    ),
    "signature (nobody asked)": Said(
        person="This needs a signed yes (strength {needed} or more), and {why}.",
        agent=f"This needs a signed yes, and {{why}}. {_GO_ON}",
    ),
    "autonomous": Said(
        person="Nobody is in front of this session to be asked, and {why}.",
        agent=f"Nobody can be asked about this now: {{why}}. {_GO_ON}",
    ),
    "autonomous (waits)": Said(
        person="Nobody is in front of this session to be asked, so the call waits for your approval as {approval}.",
        agent=_WAIT,
    ),
    "dry_run": Said(
        person="This session is a dry run: only read-only calls are allowed.",
        agent="This session is a dry run: only read-only calls are allowed. Say what you would do, and go on with "
        "reading.",
    ),
    "locked": Said(
        person="This session is locked: only read-only calls are allowed.",
        agent="The session is locked: only read-only calls are allowed. Tell the person what you wanted to do. Only "
        "they can unlock it.",
    ),
}


def words_for(message: str) -> Said:
    return SAYS[message]
