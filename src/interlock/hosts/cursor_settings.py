"""Cursor's files of hooks, by its documentation: those of an administrator, the project and the person all count."""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .documented_parts import unreadable
from .entries import described

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["describe", "project_files", "settings_files", "unhooks"]


def project_files(root: str) -> tuple[str, ...]:
    return (f"{root}/.cursor/hooks.json",)


def settings_files(root: str, home: str, moved: Mapping[str, str]) -> tuple[str, ...]:
    own = [f"{home}/.cursor", *[folder for folder, place in moved.items() if place == ".cursor"]]
    return ("/etc/cursor/hooks.json", *project_files(root), *[f"{folder}/hooks.json" for folder in own])


def unhooks(files: Mapping[str, bytes | None], _had: Mapping[str, str]) -> list[str]:
    return unreadable(files)


def describe(path: str, raw: bytes) -> tuple[bytes, Mapping[str, str]] | None:
    return described(path, raw, ("/.cursor/hooks.json", "/cursor/hooks.json"))
