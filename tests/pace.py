"""How slow the machine is that the tests run on: a quota is for what tests cost, and grows with that."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median


class Pace:
    """How slow this machine is while the tests run, as a multiple of the one that the quotas were made on."""

    USUAL = 0.015  # seconds until a bare Python has started and ended, on two cores that two workers keep busy
    EACH = 30.0  # seconds

    def __init__(self) -> None:
        self.last = 0.0
        self.took: list[float] = []

    def look(self) -> None:
        began = time.monotonic()
        if began - self.last < self.EACH:
            return
        self.last = began
        subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
        self.took.append(time.monotonic() - began)

    def usual(self) -> float:
        return median(self.took or [0])

    def slowness(self) -> float:
        return max(1.0, self.usual() / self.USUAL)
