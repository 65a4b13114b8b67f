"""Several threads of one process make the same file."""

from __future__ import annotations

import threading
from pathlib import Path

from interlock.store.home.files import make_file, write_file


def test_threads_that_make_one_file_at_once_all_succeed(tmp_path: Path) -> None:
    failed: list[BaseException] = []

    def make(turn: int, together: threading.Barrier) -> None:
        together.wait()
        try:
            make_file(str(tmp_path / f"made-{turn}"), b"x" * 4096)
            write_file(str(tmp_path / f"written-{turn}"), b"x" * 4096)
        except BaseException as error:
            failed.append(error)

    for turn in range(20):
        together = threading.Barrier(8)
        threads = [threading.Thread(target=make, args=(turn, together)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failed == []
    assert {file.stat().st_size for file in tmp_path.iterdir()} == {4096}
