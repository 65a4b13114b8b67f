"""A tail that waits for rows ends at once when it is told to."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.tail import Tail


def test_a_wait_that_is_stopped_ends_long_before_its_time(tmp_path: Path) -> None:
    tail = Tail(Ledger(folders_for(str(tmp_path)).ledger))
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()
    began = time.monotonic()
    assert not tail.wait(60, stop)
    assert time.monotonic() - began < 30
    tail.close()
