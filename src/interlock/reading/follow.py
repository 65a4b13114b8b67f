"""`Follow`, made once: this module is the value that whoever begins a reading hands down in `Found`.

Each way in is imported when it is first taken. Nothing below imports this module: it is handed down.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from .evaluate.walk import run_script
    from .machine.engine import run_command
    from .python.own_modules import read_shadows
    from .python.read import read_python
    from .runs.in_role import in_role
    from .runs.kept_tasks import is_kept_task
    from .runs.projects import bring_along, obey, own_code, run_place
    from .runs.wrappers import on_url, run_code, run_code_here, run_file, source_file
    from .specials import run_special
else:
    run_script = lazy(globals(), ".evaluate.walk", "run_script")
    run_command = lazy(globals(), ".machine.engine", "run_command")
    read_shadows = lazy(globals(), ".python.own_modules", "read_shadows")
    read_python = lazy(globals(), ".python.read", "read_python")
    in_role = lazy(globals(), ".runs.in_role", "in_role")
    is_kept_task = lazy(globals(), ".runs.kept_tasks", "is_kept_task")
    bring_along = lazy(globals(), ".runs.projects", "bring_along")
    obey = lazy(globals(), ".runs.projects", "obey")
    own_code = lazy(globals(), ".runs.projects", "own_code")
    run_place = lazy(globals(), ".runs.projects", "run_place")
    on_url = lazy(globals(), ".runs.wrappers", "on_url")
    run_code = lazy(globals(), ".runs.wrappers", "run_code")
    run_code_here = lazy(globals(), ".runs.wrappers", "run_code_here")
    run_file = lazy(globals(), ".runs.wrappers", "run_file")
    source_file = lazy(globals(), ".runs.wrappers", "source_file")
    run_special = lazy(globals(), ".specials", "run_special")

__all__ = [
    "bring_along",
    "in_role",
    "is_kept_task",
    "obey",
    "on_url",
    "own_code",
    "read_python",
    "read_shadows",
    "run_code",
    "run_code_here",
    "run_command",
    "run_file",
    "run_place",
    "run_script",
    "run_special",
    "source_file",
]
