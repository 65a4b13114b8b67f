"""The start of a process of our own that needs more than the standard library: `python -I -B …/own_entry.py NAME …`.

It runs `main` of a module beside this file. `interlock` is the copy that this file belongs to, whatever another one is
installed beside the interpreter. Drivers are looked for where the package is installed, and last, so nothing in there
can stand in for a module of the standard library.
"""

from __future__ import annotations

import os
import sys

__all__ = ["load_this_package"]


def load_this_package() -> None:
    from importlib.util import module_from_spec, spec_from_file_location

    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    spec = spec_from_file_location("interlock", f"{package}/__init__.py", submodule_search_locations=[package])
    assert spec is not None and spec.loader is not None  # noqa: S101, PT018 - a file of ours, beside this one
    sys.modules["interlock"] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules["interlock"])
    from interlock.build import ORIGIN
    from interlock.hook.bundle import install

    sys.path.append(os.path.dirname(ORIGIN or package))  # `pip install --user`, which -I leaves out
    install(package)


if __name__ == "__main__":
    load_this_package()
    from importlib import import_module

    import_module(f"interlock.store.{sys.argv[1]}").main(*sys.argv[2:])
