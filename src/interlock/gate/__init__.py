"""`interlock.Gate`: the same decision, receipts and approvals for tools that a Python program calls itself.

    gate = interlock.Gate()

    @gate.tool(effects=["network"], risk="high", irreversible=True)
    def refund(order: str, amount: int) -> str: ...

A front of the Engine as the hook is one. `gate.py` is what people use, `local.py` decides with the ledger of this
machine, `remote.py` asks a service.
"""

from __future__ import annotations

from .checked import Checked
from .gate import Gate

__all__ = ["Checked", "Gate"]
