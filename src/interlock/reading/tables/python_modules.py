"""Modules of Python that are run with `-m` and have no program of their own.

A module that is neither here nor in another table, nor a file of the project, is an unknown program.
"""

from __future__ import annotations

from .kinds import EDITS, project, runs_in_env, worded
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]

_LOOKS = "certifi chardet faulthandler pip_licenses pipdeptree rich torch.utils.collect_env"
# Modules of the standard library that show something: `tokenize a.py`.
_STANDARD = (
    "tokenize ast dis tabnanny pyclbr symtable pickletools base64 calendar sysconfig platform site mimetypes this "
    "quopri filecmp difflib uuid random colorsys"
)
_SHOWS = "-o|--output|--output-file:write"
# These run the Python file that they are given, and watch it.
_WATCHERS = (
    "kernprof line_profiler memory_profiler profile pyinstrument viztracer filprofiler "
    "accelerate.commands.launch deepspeed.launcher.runner torch.distributed.launch torch.distributed.run"
)

PROGRAMS = (
    P("python -m zipapp", "list", options="-o|--output:write -m|--main:text -p|--python:text -c|--compress --info",
        action="py:zipapp", does="write", example="python -m zipapp src -o app.pyz -m app:main"),
    *(P(f"python -m {name}", "read*", does="read", action=f"py:{name}", options=_SHOWS)
      for name in (*_LOOKS.split(), *_STANDARD.split())),
    P("python -m charset_normalizer", "read*", does="read", action="py:charset_normalizer",
        options="-n|--normalize!changes -r|--replace!changes -v -a -m -f -t:number", flags={"changes": EDITS}),
    P("python -m fileinput", "read*", does="read", action="py:fileinput", options="-i!changes -b:text",
        flags={"changes": EDITS}),
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
    *(P(name, "edit*", does="read", options="-t|--textconv!shows --install!installs --uninstall!installs --status "
        "--is-installed --attributes:write --keep-output --keep-count --keep-id --keep-metadata-keys:text "
        "--extra-keys:text --drop-empty-cells --drop-tagged-cells:text --strip-init-cells --max-size:text -n|--dry-run",
        dryrun="--dry-run", flags={"installs": Adds(action="git:hooks", effects=effects("write"), tags=("project",)),
            "shows": Adds()}, example=f"{name} --status")
      for name in ("nbstripout", "python -m nbstripout")),
    P("python -m ipykernel", "text*", action="py:ipykernel", does="write",
        example="python -m ipykernel install --user"),
    project("python -m nuitka", "runs*", options="--output-dir:write --onefile --standalone --follow-imports"),
    # modules of the standard library
    P("python -m pyftpdlib", options="-i|--interface:text -p|--port:number -w|--write!writes -d|--directory:read "
        "-n|--nat-address:text -r|--range:text -u:text -P:text -V", does="spawn", action="net:serve", tags="sends"),
    P("python -m http.server", "number?", options="-b|--bind:text -d|--directory:read -p|--protocol:text --cgi",
        does="spawn", special="file_server",
        action="net:serve", tags="sends", example="python -m http.server 8000"),
    P("python -m json.tool", "read? write?", options="--indent:number --sort-keys --no-ensure-ascii --json-lines "
        "--tab --compact",
        example="python -m json.tool a.json"),
    P("python -m py_compile", "read*", action="py:compile", does="write", example="python -m py_compile a.py"),
    P("python -m compileall", "list*", options="-d:text -x:text -j:number -r:number -i:read -s:text -p:text -o:text "
        "-e:text",
        action="py:compile", does="write"),
    P("python -m timeit", "code.py*", options="-n|--number:number -r|--repeat:number -s|--setup:code.py "
        "-u|--unit:text -p -v",
        does=""),
    P("python -m zipfile", "text*", options="-l|--list:read -t|--test:read -e|--extract:read -c|--create:write",
        special="python_archive", does="write",
        action="py:zipfile"),
    P("python -m tarfile", "text*", options="-l|--list:read -t|--test:read -e|--extract:read -c|--create:write",
        special="python_archive", does="write",
        action="py:tarfile"),
    P("python -m gzip", "edit*", does="write"),
    P("python -m sqlite3", special="opaque", does="execute"),
    runs_in_env("python -m cProfile", options="-o|--outfile:write -s|--sort:text -m:module", stdin="code.py"),
    runs_in_env("python -m trace", options="-c|--count -t|--trace -C|--coverdir:write -f|--file:write -m "
        "--module:module -s",
        stdin="code.py"),
    *[P(f"python -m {name}", special="opaque", does="execute") for name in
        ("pdb", "code", "asyncio", "IPython", "bpython", "ptpython")],  # they run what they are fed, line by line
)  # fmt: skip
