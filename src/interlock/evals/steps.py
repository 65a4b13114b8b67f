"""Cases of several calls with files on disk, as a pack writes them: what is there, then the steps in their order.

Each step becomes a case of its own, so that figures count calls, and all of them share one session and one stage.
Everything is checked here, before anything is run: names that leave the folders, a policy that cannot be used.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..approve.answers import ANSWERS
from ..model.errors import InterlockError, PolicyError
from ..model.posture import Posture
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .case import Case, Stage, Surroundings

if TYPE_CHECKING:
    from .lexical import bench_for, kept_here, policy_with
else:
    bench_for = lazy(globals(), ".lexical", "bench_for")
    kept_here = lazy(globals(), ".lexical", "kept_here")
    policy_with = lazy(globals(), ".lexical", "policy_with")

__all__ = ["OF_STEP", "SESSION_KEYS", "posture_of", "steps_of"]

# key -> what it says, for a case that has steps
SESSION_KEYS = {
    "steps": "the calls of one session, in their order, each with what is expected of it",
    "files": "path in the project, or `~/…` in the home folder -> the text of a file that is there before",
    "policy": "the person's own policy, as TOML",
}
_OF_SESSION = ("id", "why", "technique", "posture", *SESSION_KEYS)
# key -> what it says, for a step beside its call and what is expected of it
OF_STEP = {
    "says": "what the person says to the agent before the call",
    "answer": "how the person answers if they are asked: approve, refuse or open; without it, as --answer says",
    "reach": "how far a yes outside of the host reaches: session, folder, repository or everywhere",
    "result": "what the call brings back",
    "fails": "whether it fails",
    "leaves": "files that the call leaves behind, as `files`; null takes one away",
}
_OF_CALL = ("call", "command", "expect", "actions", "effects", "opaque", "rule", "notes", "why", "technique")
_REACHES = ("session", "folder", "repository", "everywhere")

_MakesCase = Callable[[Mapping[str, Any], list[str]], "Case | None"]


def steps_of(data: Mapping[str, Any], wrong: list[str], makes: _MakesCase) -> list[Case]:
    """The steps as cases; what is wrong is added. `makes` makes one of a plain case's keys."""
    wrong += [_unknown(key, _OF_SESSION) for key in data if key not in _OF_SESSION]
    name = data.get("id")
    files = _files("files", data.get("files", FrozenMap({})), wrong, absent=False)
    policy = data.get("policy", "")
    if not isinstance(policy, str):
        wrong.append("`policy` must be a text")
    elif policy:
        wrong += _faults(policy)
    given = data["steps"]
    if not isinstance(given, tuple) or not given:
        wrong.append("`steps` must be a list of calls")
        return []
    shared = {key: data[key] for key in ("why", "technique", "posture") if key in data}
    found = []
    for number, step in enumerate(given, start=1):
        if not isinstance(step, Mapping):
            wrong.append(f"step {number}: it must be an object with `call` or `command`, and `expect`")
            continue
        mistakes = [_unknown(key, (*_OF_CALL, *OF_STEP)) for key in step if key not in (*_OF_CALL, *OF_STEP)]
        told = _told(step, mistakes)
        plain = {key: step[key] for key in _OF_CALL if key in step}
        case = makes(FrozenMap({**shared, **plain, "id": f"{name}/{number}", "session": str(name)}), mistakes)
        wrong += [f"step {number}: {mistake}" for mistake in mistakes]
        if case is not None:
            found.append(case.replace(stage=Stage(files=files, policy=str(policy)), told=told))
    return found


def posture_of(given: Any, wrong: list[str]) -> Posture | None:
    if given is None:
        return None
    try:
        return Posture.of(given)
    except (InterlockError, TypeError, AttributeError, KeyError, ValueError):
        wrong.append(f"`posture` must be one of {', '.join(Posture.names())}")
        return None


def _told(step: Mapping[str, Any], wrong: list[str]) -> Surroundings:
    for key in ("says", "result"):
        if not isinstance(step.get(key, ""), str):
            wrong.append(f"`{key}` must be a text")
    if step.get("answer") is not None and step["answer"] not in ANSWERS:
        wrong.append(f"`answer` must be one of {', '.join(ANSWERS)}")
    if step.get("reach") is not None and step["reach"] not in _REACHES:
        wrong.append(f"`reach` must be one of {', '.join(_REACHES)}")
    if step.get("reach") is not None and step.get("answer") != "approve":
        wrong.append("`reach` goes with `answer: approve`")
    if not isinstance(step.get("fails", False), bool):
        wrong.append("`fails` must be true or false")
    leaves = _files("leaves", step.get("leaves", FrozenMap({})), wrong, absent=True)
    if wrong:
        return Surroundings()
    return Surroundings(
        says=step.get("says", ""),
        answer=step.get("answer"),
        reach=step.get("reach", ""),
        result=step.get("result", ""),
        fails=step.get("fails", False),
        leaves=leaves,
    )


def _files(key: str, given: Any, wrong: list[str], *, absent: bool) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        wrong.append(f"`{key}` must be an object of paths and texts")
        return FrozenMap({})
    for path, text in given.items():
        if not isinstance(text, str) and not (absent and text is None):
            wrong.append(f"`{key}`: the content of `{path}` must be a text")
        parts = path.removeprefix("~/").split("/")
        if parts[0] == ".git" and not path.startswith("~/"):
            wrong.append(f"`{key}`: `{path}` is in the repository, which the runner makes")
        if path.startswith("/") or "" in parts or "." in parts or ".." in parts or path == "~":
            wrong.append(f"`{key}`: `{path}` must be a path in the project, or in the home folder as `~/…`")
    return given


_AWAY = (
    "`policy`: a pack may not have [consult], [judge], [store], [evidence] or a plan outside of the project: it would "
    "reach other machines or files"
)
_known: dict[str, tuple[str, ...]] = {}


def _faults(policy: str) -> Iterable[str]:
    """What is wrong with a policy. Many cases have the same one, so that it is looked at once."""
    if policy not in _known:
        try:
            found = policy_with(bench_for(), policy, "policy")
            _known[policy] = () if kept_here(found) is found else (_AWAY,)
        except PolicyError as error:
            _known[policy] = tuple([f"`policy`: line {found.line}: {found.text}" for found in error.problems])
        except InterlockError as error:
            _known[policy] = (f"`policy`: {error}",)
    return _known[policy]


def _unknown(key: object, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(str(key), [*known], n=1)
    return f"unknown key `{key}`" + (f"; did you mean `{close[0]}`?" if close else f"; known: {', '.join(known)}")
