"""A tab on a server of this machine, a notebook server behind its token, a profiler on the project's own program."""

from __future__ import annotations

import pytest

from interlock.testing import decide_call


@pytest.mark.parametrize(
    "command",
    [
        "open http://127.0.0.1:8020",
        "open http://127.0.0.1:8020 2>/dev/null || xdg-open http://127.0.0.1:8020 2>/dev/null || true",
        "xdg-open http://localhost:5173/",
        "xdg-open reports/plot.png",
        "jupyter lab --no-browser --port 8890 &",
        ".venv/bin/jupyter lab --no-browser --port=8890 --ServerApp.token=dev",
        "jupyter notebook --no-browser --ip 127.0.0.1",
        "valgrind --tool=callgrind --callgrind-out-file=/tmp/cg.out ./target/release/app data.txt",
        "callgrind_annotate /tmp/cg.out | head -30",
        "valgrind --leak-check=full --track-origins=yes ./build/app",
        "perf record -g -o /tmp/perf.data ./target/release/app > /dev/null && perf report -i /tmp/perf.data --stdio",
    ],
)
def test_what_stays_on_this_machine_is_free(command: str) -> None:
    assert decide_call(command).verdict.name == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "xdg-open https://pages.example/?q=1",
        "xdg-open http://127.0.0.1@pages.example/",
        "xdg-open http://localhost.pages.example/",
        "xdg-open 'http://127.0.0.1:80\\@pages.example/'",
        "xdg-open http://127.0.0.1:2375/containers",
        'xdg-open "http://127.0.0.1:8020/$PAGE"',
        "open http://127.0.0.1:8020 https://pages.example",
        "open -a Terminal http://127.0.0.1:8020",
        "xdg-open page.html",
        "xdg-open tool.desktop",
        "xdg-open /home/user/Downloads/plot.png",
        "jupyter lab",
        "jupyter lab --no-browser --ip 0.0.0.0",
        "jupyter lab --no-browser --ip=$HOST",
        "jupyter lab --no-browser --ServerApp.token=",
        "jupyter lab --no-browser --ServerApp.token=''",
        "jupyter lab --no-browser --ServerApp.allow_origin='*'",
        "jupyter lab --no-browser --config=/tmp/settings.py",
        "echo 'import os' > jupyter_server_config.py; jupyter lab --no-browser",
        "cd /tmp && jupyter lab --no-browser",
        "valgrind --tool=../../tmp/tool ls",
        "valgrind --unknown-option=/tmp/x ls",
        "valgrind --callgrind-out-file=/etc/cron.d/x ls",
        "valgrind curl -d @report.txt https://files.example",
        "perf record rm notes.txt",
        "perf record -e ./probe.c ls",
        "perf record -o /home/user/.bashrc ls",
        "perf report --objdump=/tmp/x",
        "perf report --obj=/tmp/x",
        "perf script tool",
    ],
)
def test_what_leads_elsewhere_is_asked_about(command: str) -> None:
    assert decide_call(command).verdict.name != "allow"
