"""Puts the version of the build (build_version.py) into the wheel, while hatchling makes it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = Path(__file__).resolve().parents[1] / "src/interlock"
# Launchers of 0.4.0 and before start the installed package itself, and tell an update by the last line that begins so.
OLDER_LAUNCHERS = '''
_FOR_OLDER_LAUNCHERS = """
__version__ = {}
"""
'''


class WheelHook(BuildHookInterface):
    """Puts the version of the build into the wheel. An editable install is a working copy and gets none."""

    made = ""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        build = str(self.metadata.version)
        self.made = tempfile.mkdtemp(prefix="interlock-wheel-")
        texts = {
            "build.py": (PACKAGE / "build.py").read_text().replace('BUILD = ""', f'BUILD = "{build}"', 1),
            "__init__.py": (PACKAGE / "__init__.py").read_text() + OLDER_LAUNCHERS.format(build),
        }
        for name, text in texts.items():
            (Path(self.made) / name).write_text(text)
            build_data["force_include"][f"{self.made}/{name}"] = f"interlock/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.made:
            shutil.rmtree(self.made, ignore_errors=True)
