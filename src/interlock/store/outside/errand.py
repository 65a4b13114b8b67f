"""Starts the process that carries things off this machine after a session began or ended: `errand_entry.py`.

INVARIANT: nobody waits for it, it gets nothing of the hook's environment, and it holds no lock of the ledger. Where
the policy names neither a team store nor addresses for evidence, nothing is started.
"""

from __future__ import annotations

import sys

from ... import PACKAGE
from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from ...policy.model import Policy
    from ..home.folders import Folders

__all__ = ["start_errand"]


def start_errand(folders: Folders, policy: Policy) -> None:
    if not policy.evidence.send and not policy.store:
        return
    import subprocess
    from os.path import abspath

    command = [abspath(sys.executable), "-I", "-B", f"{PACKAGE}/store/own_entry.py", "errand_entry", folders.home]
    try:
        subprocess.Popen(  # noqa: S603 - our own interpreter and file
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"HOME": folders.home, "LC_ALL": "C.UTF-8"},
            start_new_session=True,
        )
    except OSError:
        pass  # the next session tries again, and `interlock audit heads send` says why
