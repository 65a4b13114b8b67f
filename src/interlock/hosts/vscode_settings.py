"""VS Code's file of hooks that is ours, by its documentation. It reads others beside it, which only add."""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .documented_parts import unreadable
from .entries import described

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["describe", "project_files", "settings_files", "unhooks"]

_FILE = "hooks/interlock-vscode.json"


def project_files(root: str) -> tuple[str, ...]:
    return (f"{root}/.github/{_FILE}",)


def settings_files(root: str, home: str, moved: Mapping[str, str]) -> tuple[str, ...]:
    own = [f"{home}/.copilot", *[folder for folder, place in moved.items() if place == ".copilot"]]
    return (*project_files(root), *[f"{folder}/{_FILE}" for folder in own])


def unhooks(files: Mapping[str, bytes | None], _had: Mapping[str, str]) -> list[str]:
    return unreadable(files)


def describe(path: str, raw: bytes) -> tuple[bytes, Mapping[str, str]] | None:
    return described(path, raw, (f"/{_FILE}",))
