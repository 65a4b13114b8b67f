"""The entry of the resident service: `python -I -S …/resident_entry.py HOME LOCK`, as `residence.begin` starts it.

LOCK is the number of the open lock. It takes nothing else from whoever started it: no variables, no folder, no streams.
Its modules come from the bundle that hooks have written, or from that of the confirmed copy, and what decides calls is
loaded before it says that it is there.
"""

from __future__ import annotations

import os
import sys

__all__ = ["main"]

_DECIDES = tuple(
    [f"interlock.{part}" for part in "approve bytes decide follow hosts layers policy reading record".split()]
)


def main(home: str, lock: str) -> None:
    # Whatever else was open in the host's process is the host's: it may wait for it to be closed.
    os.closerange(3, int(lock))
    os.closerange(int(lock) + 1, 1 << 16)
    os.environ.clear()
    os.chdir("/")
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # As guard.py does it: nothing beside the package can stand in for a module of the standard library.
    sys.path.append(os.path.dirname(package))
    import interlock  # noqa: F401

    sys.path.pop()
    from interlock.hook.bundle import install

    bundle = install(package)
    for name in sorted(bundle.rows):
        if bundle.is_sealed and not name.startswith(_DECIDES):  # it holds what few hooks load as well
            continue
        try:
            __import__(name)
        except ImportError:  # a module that is no more
            pass
    from interlock.hook.resident import serve

    serve(home, int(lock))


if __name__ == "__main__":
    main(*sys.argv[1:])
