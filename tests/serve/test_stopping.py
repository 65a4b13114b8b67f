"""A service that is told to stop does so, whoever still listens."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from serving import Serving


def test_a_stream_that_somebody_listens_to_does_not_keep_it_running(tmp_path: Path) -> None:
    service = Serving(tmp_path)
    with service:
        heard: list[str] = []
        listens = threading.Event()

        def listen() -> None:
            with service.approver.stream("GET", "/v1/events") as stream:
                for line in stream.iter_lines():
                    heard.append(line)
                    listens.set()

        thread = threading.Thread(target=listen)
        thread.start()
        assert listens.wait(20)
        began = time.monotonic()
        service.stop()
        took = time.monotonic() - began
        thread.join(20)
    assert heard[0] == "retry: 2000"
    assert not thread.is_alive()  # it came to its end, and was not cut off
    assert took < 2
