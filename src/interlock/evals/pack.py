"""Packs: files of cases, written by hand, as JSONL (one case a line) or YAML (a list of cases).

A pack is checked in full before anything is run: every unknown key, missing field or wrong
value of every case is told at once, with its line and the case's id. What an expectation
means is left to the runner.
"""

from __future__ import annotations

import datetime
import difflib
import math
import os
from collections.abc import Mapping
from typing import Any

from ..bytes.strict import parse_object
from ..model.call import Call, call_from
from ..model.effects import Effect
from ..model.errors import InputError, Problem
from ..value import FrozenMap, freeze
from .case import EXPECTED, ROOT, Case, PackError, WantedAction, bash
from .steps import SESSION_KEYS, posture_of, steps_of

__all__ = ["KEYS", "SUFFIXES", "Raw", "load_pack", "moment_of"]

# key -> what it says. `call` and `command` are two ways to say the same.
KEYS = {
    "id": "a name that no other case of the pack has",
    "call": "the call, as `interlock decide` takes it",
    "command": "short for a call of Bash",
    "expect": "allow, ask, deny, not_allow or not_deny",
    "actions": "names of actions, or objects with `name` and part of the `target`",
    "effects": "the dominant effect, or a list of all effects",
    "opaque": "whether a part could not be read",
    "rule": "the id of a rule of the policy that must match, or a list of them",
    "at": "the moment at which it is judged, such as `2026-12-01T09:00:00Z`; without one every time window is open",
    "session": "cases of one session share its state, in the order of the pack",
    "root": "the project folder",
    "posture": "interactive, autonomous, dry_run or locked, in place of the run's",
    "notes": "words that must be in the notes to the agent, or a list of them",
    "technique": "the kind of case, for the breakdown of a run; `why` without it",
    "why": "a word for whoever reads the failure",
    **SESSION_KEYS,
}

_TEXTS = ("session", "technique", "why")

Raw = tuple[int, Any]  # line, what stands there


def load_pack(path: str) -> tuple[Case, ...]:
    """The cases of one file. PackError with everything that is wrong with it."""
    problems: list[Problem] = []
    raw = _read(path)
    cases: list[Case] = []
    seen: dict[str, int] = {}
    for line, data in SUFFIXES[os.path.splitext(path)[1].lower()](path, raw, problems):
        for case in _cases(path, line, data, problems):
            if case.id in seen:
                problems.append(_problem(path, line, f"case `{case.id}`: line {seen[case.id]} has this `id` already"))
            seen.setdefault(case.id, line)
            cases.append(case)
    if not cases and not problems:
        problems.append(_problem(path, 1, "the pack holds no cases"))
    if problems:
        raise PackError(problems)
    return tuple(cases)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise InputError(f"`{path}` could not be read: {error.strerror}") from None


def _problem(path: str, line: int, text: str) -> Problem:
    return Problem(file=path, line=line, column=1, text=text)


def _from_jsonl(path: str, raw: bytes, problems: list[Problem]) -> list[Raw]:
    found: list[Raw] = []
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            found.append((number, parse_object(line)))
        except InputError as error:
            problems.append(_problem(path, number, str(error)))
    return found


def _from_yaml(path: str, raw: bytes, problems: list[Problem]) -> list[Raw]:
    try:
        import yaml
    except ImportError:
        raise InputError(
            f"`{path}` is YAML, which needs PyYAML: pip install pyyaml; or write the pack as JSONL"
        ) from None
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(raw)
        top = loader.get_single_node()
        if not isinstance(top, yaml.SequenceNode):
            problems.append(_problem(path, 1, "a YAML pack is a list of cases: `- id: …`"))
            return []
        found: list[Raw] = []
        for node in top.value:
            line = node.start_mark.line + 1
            doubled = _doubled_keys(node)
            if doubled:
                problems += [_problem(path, at, f"the key `{key}` occurs twice") for at, key in doubled]
                continue
            data = loader.construct_document(node)
            odd = _not_json(data)
            if odd is not None:
                problems.append(_problem(path, line, f"`{odd}` is not a JSON value; put it in quotes"))
                continue
            found.append((line, freeze(data)))
        return found
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        text = getattr(error, "problem", None) or str(error).partition("\n")[0]
        problems.append(_problem(path, mark.line + 1 if mark else 1, f"the file is not YAML: {text}"))
        return []
    except (ValueError, RecursionError) as error:  # a date that does not exist, a list that holds itself
        problems.append(_problem(path, 1, f"the file cannot be used as YAML: {str(error).partition(chr(10))[0]}"))
        return []


def _not_json(data: Any) -> object | None:
    """What YAML can say and JSON cannot: dates, sets, keys that are not texts, infinite numbers."""
    if isinstance(data, dict):
        odd = next((key for key in data if not isinstance(key, str)), None)
        return odd if odd is not None else _not_json(list(data.values()))
    if isinstance(data, list):
        return next((odd for odd in map(_not_json, data) if odd is not None), None)
    if isinstance(data, float) and not math.isfinite(data):
        return data
    return None if data is None or isinstance(data, bool | int | float | str) else data


def _doubled_keys(node: Any) -> list[tuple[int, str]]:
    """PyYAML lets the last of two equal keys win; a case in which that happens is a mistake."""
    found: list[tuple[int, str]] = []
    if isinstance(node.value, list):
        keys: set[str] = set()
        for item in node.value:
            for part in item if isinstance(item, tuple) else (item,):
                found += _doubled_keys(part)
            if isinstance(item, tuple):
                key = str(item[0].value)
                if key in keys:
                    found.append((item[0].start_mark.line + 1, key))
                keys.add(key)
    return found


SUFFIXES = {".jsonl": _from_jsonl, ".yaml": _from_yaml, ".yml": _from_yaml}


def _cases(path: str, line: int, data: Any, problems: list[Problem]) -> list[Case]:
    """One case, or one for each step of a session; none, with its problems added, where something is wrong."""
    if not isinstance(data, Mapping):
        problems.append(_problem(path, line, "a case is an object with `id`, `call` or `command`, and `expect`"))
        return []
    name = data.get("id")
    wrong: list[str] = []
    if not isinstance(name, str) or not name.strip():
        wrong.append("`id` is missing" if name is None else "`id` must be a text")
    if "steps" in data:
        found = steps_of(data, wrong, lambda step, mistakes: _case(path, line, step, mistakes))
    else:
        case = _case(path, line, data, wrong)
        found = [] if case is None else [case]
    label = f"case `{name}`: " if isinstance(name, str) else ""
    problems += [_problem(path, line, label + text) for text in wrong]
    return [] if wrong else found


def _case(path: str, line: int, data: Mapping[str, Any], wrong: list[str]) -> Case | None:
    wrong += [_unknown(key) for key in data if key not in KEYS]
    wrong += [f"`{key}` goes with `steps`" for key in SESSION_KEYS if key in data]
    root = data.get("root", ROOT)
    if not isinstance(root, str) or not root.startswith("/"):
        wrong.append("`root` must be an absolute path")
        root = ROOT
    wrong += [f"`{key}` must be a text" for key in _TEXTS if key in data and not isinstance(data[key], str)]
    call = _call(data, root, wrong)
    expect = data.get("expect")
    if expect is None:
        wrong.append("`expect` is missing")
    elif not isinstance(expect, str) or expect not in EXPECTED:
        wrong.append(f"`expect` must be one of {', '.join(EXPECTED)}")
    actions = _actions(data.get("actions", ()), wrong)
    effects = _effects(data, wrong)
    opaque = data.get("opaque")
    if "opaque" in data and not isinstance(opaque, bool):
        wrong.append("`opaque` must be true or false")
    rules = _rules(data.get("rule", ()), wrong)
    at = _moment(data.get("at"), wrong)
    notes = _notes(data.get("notes", ()), wrong)
    posture = posture_of(data.get("posture"), wrong)
    if wrong or call is None:
        return None
    return Case(
        id=data["id"],
        file=path,
        line=line,
        call=call,
        root=root,
        expect=expect,
        actions=actions,
        effects=effects,
        opaque=opaque,
        why=data.get("why", ""),
        group=data.get("technique", ""),
        rules=rules,
        at=at,
        notes=notes,
        posture=posture,
    )


def _unknown(key: object) -> str:
    close = difflib.get_close_matches(str(key), KEYS, n=1)
    return f"unknown key `{key}`" + (f"; did you mean `{close[0]}`?" if close else f"; known: {', '.join(KEYS)}")


def _call(data: Mapping[str, Any], root: str, wrong: list[str]) -> Call | None:
    given = [key for key in ("call", "command") if key in data]
    if len(given) != 1:
        wrong.append("`call` and `command` exclude each other" if given else "`call` (or `command`) is missing")
        return None
    session = data.get("session")
    if "command" in data:
        command = data["command"]
        if not isinstance(command, str):
            wrong.append("`command` must be a text")
            return None
        return bash(command, root, session if isinstance(session, str) else "")
    if not isinstance(data["call"], Mapping):
        wrong.append("`call` must be an object with `tool` and `input`")
        return None
    try:
        call = call_from(data["call"], cwd=root)
    except InputError as error:
        wrong.append(f"`call`: {error}")
        return None
    return call.replace(session=session) if isinstance(session, str) else call


def _actions(given: Any, wrong: list[str]) -> tuple[WantedAction, ...]:
    if not isinstance(given, tuple):
        wrong.append("`actions` must be a list")
        return ()
    found = []
    for item in given:
        if isinstance(item, str):
            found.append(WantedAction(name=item))
        elif (
            isinstance(item, Mapping)
            and isinstance(item.get("name"), str)
            and isinstance(item.get("target", FrozenMap({})), Mapping)
            and not set(item) - {"name", "target"}
        ):
            found.append(WantedAction(name=item["name"], target=item.get("target", FrozenMap({}))))
        else:
            wrong.append("each of `actions` must be a name, or an object with `name` and `target`")
    return tuple(found)


def _rules(given: Any, wrong: list[str]) -> tuple[str, ...]:
    listed = given if isinstance(given, tuple) else (given,)
    if not all(isinstance(rule, str) and rule.strip() for rule in listed):
        wrong.append("`rule` must be the id of a rule, or a list of ids")
        return ()
    return listed


def _notes(given: Any, wrong: list[str]) -> tuple[str, ...]:
    listed = given if isinstance(given, tuple) else (given,)
    if not all(isinstance(words, str) and words.strip() for words in listed):
        wrong.append("`notes` must be a text, or a list of texts")
        return ()
    return listed


def _moment(given: Any, wrong: list[str]) -> str | None:
    try:
        return None if given is None else moment_of(given)
    except InputError as error:
        wrong.append(str(error))
        return None


def moment_of(text: object) -> str:
    """The moment in UTC, as the store writes moments; InputError where the text is none."""
    try:
        if not isinstance(text, str):
            raise ValueError
        moment = datetime.datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError
        return moment.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        raise InputError("`at` must be a text with date, time and offset, such as `2026-12-01T09:00:00Z`") from None


def _effects(data: Mapping[str, Any], wrong: list[str]) -> str | tuple[str, ...] | None:
    given = data.get("effects")
    listed = given if isinstance(given, tuple) else (given,)
    if "effects" in data and not all(isinstance(word, str) and word in Effect.names() for word in listed):
        wrong.append(f"`effects` must be one of {', '.join(Effect.names())}, or a list of them")
        return None
    found: str | tuple[str, ...] | None = given
    return found
