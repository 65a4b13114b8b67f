"""Windsurf's files of hooks, by its documentation: those of an administrator, the person and the workspace count."""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .documented_parts import unreadable
from .entries import described

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["describe", "project_files", "settings_files", "unhooks"]


def project_files(root: str) -> tuple[str, ...]:
    return (f"{root}/.windsurf/hooks.json",)


def settings_files(root: str, home: str, _moved: Mapping[str, str]) -> tuple[str, ...]:
    return ("/etc/windsurf/hooks.json", f"{home}/.codeium/windsurf/hooks.json", *project_files(root))


def unhooks(files: Mapping[str, bytes | None], _had: Mapping[str, str]) -> list[str]:
    return unreadable(files)


def describe(path: str, raw: bytes) -> tuple[bytes, Mapping[str, str]] | None:
    return described(path, raw, ("/windsurf/hooks.json", "/.windsurf/hooks.json"))
