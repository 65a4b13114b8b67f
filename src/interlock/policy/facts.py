"""What is known of a call under a policy, before anything is looked at. Every front begins with it."""

from __future__ import annotations

from ..model.facts import Facts, project_at
from ..model.toolnames import declared_tool
from ..value import TYPE_CHECKING
from .rules import looks_for

if TYPE_CHECKING:
    from typing import Any

    from ..model.call import Call
    from ..model.session import Session
    from .model import Policy

__all__ = ["facts_under"]


def facts_under(
    policy: Policy, call: Call, *, root: str, home: str, session: Session | None = None, **more: Any
) -> Facts:
    """What the policy and the session know before anything is looked at; `more` is what the front knows besides."""
    known: dict[str, Any] = {
        "root": project_at(root, home),
        "home": home,
        "declared": declared_tool(policy, call.tool, call.named),
        "commands": policy.commands,
        "obeyed": policy.obeyed,
        "obeyed_at_least": policy.obeyed_at_least,
    }
    if policy.looked:
        known["looks"] = looks_for(policy, call.tool, *((call.named,) if call.named else ()))
    if session is not None:
        # What was created and not written is the project's build. INVARIANT: of a session that has written more than
        # is known by name, that is said of nothing.
        created = session.created & session.written if "/" in session.written else session.created
        known |= {"created": created, "written": session.written, "kept": session.kept}
    return Facts(**known, **more)
