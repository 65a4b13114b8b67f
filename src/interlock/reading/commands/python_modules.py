"""Modules of Python that are run with `-m` and have no program of their own.

A module that is neither here nor in another table, nor a file of the project, is an unknown program.
"""

from __future__ import annotations

from .kinds import project, worded
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]

_LOOKS = (
    "certifi chardet charset_normalizer faulthandler fileinput pip_licenses pipdeptree rich torch.utils.collect_env"
)
# These run the Python file that they are given, and watch it.
_WATCHERS = (
    "kernprof line_profiler memory_profiler profile pyinstrument viztracer filprofiler "
    "accelerate.commands.launch deepspeed.launcher.runner torch.distributed.launch torch.distributed.run"
)

PROGRAMS = (
    P("python -m zipapp", "list", options="-o|--output:write -m|--main:text -p|--python:text -c|--compress --info",
        action="py:zipapp", does="write", example="python -m zipapp src -o app.pyz -m app:main"),
    *(P(f"python -m {name}", "read*", does="read", action=f"py:{name}") for name in _LOOKS.split()),
    *(project(f"python -m {name}", "runs text*", options="-m:imports -o:write -l -v -r:text --html --cpu --memory "
        "--nproc_per_node|--nproc-per-node:text --nnodes:text --master_port|--master-port:text --standalone")
      for name in _WATCHERS.split()),
    worded(project("python -m scalene", "runs text*", options="-m:imports --html --cpu --memory --outfile:write"),
        "run"),
    project("python -m debugpy", "runs text*", options="--listen:text --connect:text --wait-for-client -m:imports "
        "--configure-subProcess:text", does="spawn execute"),
    P("python -m netrc", "read*", does="read", action="py:netrc", tags="secret"),  # without a file, `~/.netrc`
    # these import what they show, and so run it
    project("python -m runpy", "imports text*"),
    P("python -m inspect", "imports", options="--details", does="read", action="py:inspect"),
    P("python -m pydoc", "imports*", options="-k:words -w!writes -p:number!serves -n:text!serves -b!serves",
        does="read", action="py:pydoc", flags={"writes": Adds(effects=effects("write")),
            "serves": Adds(effects=effects("spawn"))}),
    P("python -m webbrowser", "fetch", options="-n -t", does="spawn"),
    P("python -m nltk.downloader", "package*", options="-d:write -q -u:registry", action="nltk:download",
        does="network write"),
    P("python -m spacy", words=2, subs=(
        P("download", "package text*", action="pkg:install", does="network write execute", tags="install"),
        *(P(name, action=f"spacy:{name}", does="read") for name in ("info", "validate")),
    ), default=project("python -m spacy", "task runs*")),
    P("python -m ipykernel", "text*", action="py:ipykernel", does="write",
        example="python -m ipykernel install --user"),
    project("python -m nuitka", "runs*", options="--output-dir:write --onefile --standalone --follow-imports"),
)  # fmt: skip
