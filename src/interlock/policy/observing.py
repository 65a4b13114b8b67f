"""`observe` and `profile` as lines in the text of somebody's policy, put in or renewed. The rest stays as it is."""

from __future__ import annotations

from ..model.errors import InputError, PolicyError
from .parse import parse_policy

__all__ = ["observing_until", "with_profile"]

_NOT_OURS = (
    "its `[hook]` is not written as a table of lines; put this into {file} yourself: observe = {{ until = {day} }}"
)


def observing_until(text: str, day: str, file: str) -> str:
    """The text with `observe` until that day. InputError where it cannot be told where the line belongs."""
    line = f"observe = {{ until = {day} }}"
    lines = text.splitlines() if text.strip() else ["version = 1"]
    heads = [at for at, one in enumerate(lines) if one.partition("#")[0].strip() == "[hook]"]
    if not heads:
        lines += ["", "[hook]", line]
    else:
        end = next((at for at in range(heads[0] + 1, len(lines)) if lines[at].lstrip().startswith("[")), len(lines))
        own = [at for at in range(heads[0], end) if lines[at].partition("=")[0].strip() == "observe"]
        if own:
            lines[own[0]] = line
        else:
            lines.insert(heads[0] + 1, line)
    made = "\n".join(lines) + "\n"
    try:
        until = parse_policy(made.encode(), name="user", file=file).settings.get("hook.observe")
    except PolicyError:
        until = None
    if until != f"{day}T23:59:59Z":
        _check(text, file)
        raise InputError(_NOT_OURS.format(file=file, day=day))
    return made


def with_profile(text: str, profile: str, file: str) -> str:
    """The text with this profile. It stands before the first table, behind the version."""
    line = f'profile = "{profile}"'
    lines = text.splitlines() if text.strip() else ["version = 1"]
    top = next((at for at, one in enumerate(lines) if one.lstrip().startswith("[")), len(lines))
    keys = [one.partition("=")[0].strip() for one in lines[:top]]
    if "profile" in keys:
        lines[keys.index("profile")] = line
    else:
        lines.insert(keys.index("version") + 1 if "version" in keys else 0, line)
    made = "\n".join(lines) + "\n"
    try:
        found = parse_policy(made.encode(), name="user", file=file).profile
    except PolicyError:
        found = None
    if found != profile:
        _check(text, file)
        raise InputError(f"put this into {file} yourself, before its first table: {line}")
    return made


def _check(text: str, file: str) -> None:
    """A text that has errors of its own is told with those."""
    if text.strip():
        parse_policy(text.encode(), name="user", file=file)
