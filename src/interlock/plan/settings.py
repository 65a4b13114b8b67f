"""What the environment may say about the plan: the seeds of a run, and never less than the policy says.

A project's settings can set variables for a host and its hooks, so they count like an untrusted project file:
they may name a plan where the policy names none, and make warn strict; nothing else.
"""

from __future__ import annotations

from ..policy.plan import Enforcement, PlanSettings
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["settings_in"]

_ENFORCEMENT = ("INTERLOCK_PLAN_ENFORCEMENT", "NOUS_PLAN_ENFORCEMENT")
_FOLDER = ("INTERLOCK_PLAN_DIR", "NOUS_ITER_DIR")
_FILE = "INTERLOCK_PLAN"


def settings_in(policy: PlanSettings | None, environment: Mapping[str, str]) -> tuple[PlanSettings, list[str]]:
    """The settings in force, and what a person should know about them. Without a folder there: `dir` is None."""
    settings = PlanSettings() if policy is None else policy
    notices = []
    for name in _ENFORCEMENT:
        word = environment.get(name, "").strip().lower()
        if not word:
            continue
        if word not in Enforcement.names():
            notices.append(f"{name} is neither warn nor strict, so it counts as strict")
        wanted = Enforcement.of(word) if word in Enforcement.names() else Enforcement.STRICT
        settings = settings.replace(enforcement=max(settings.enforcement, wanted))
    whole = environment.get(_FILE, "")
    folder = next((environment[name] for name in _FOLDER if environment.get(name)), None)
    if whole:
        before, slash, file = whole.rpartition("/")
        wanted_folder = before or "/" if slash else folder or "."
        changed = settings.replace(dir=wanted_folder, file=file)
        bad = file in ("", ".", "..")
    elif folder is not None:
        changed, bad = settings.replace(dir=folder), False
    else:
        return settings, notices
    if bad:
        notices.append(f"{_FILE} does not name a file, so it is not used")
    elif settings.dir is not None:
        if changed != settings:
            notices.append("the policy names the run folder, so the environment cannot name another")
    else:
        settings = changed
    return settings, notices
