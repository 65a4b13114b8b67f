"""Modules of Python that are programs: `python -m pip` is pip, `python -m awscli` is aws.

A module that is the way into a package (`pip.__main__`) is the package, and so is anything inside a package that only
has one thing to do (`pip._internal`).
"""

from __future__ import annotations

from ..tables.names import NAMES
from .index import find_program

__all__ = ["program_of"]

# module -> program, where they differ or the program is no tool of Python alone
_PROGRAMS = {
    "awscli": "aws", "awsebcli": "eb", "azure.cli": "az", "build": "pyproject-build", "django": "django-admin",
    "fabric": "fab", "gsutil": "gsutil", "httpie": "http", "huggingface_hub": "huggingface-cli",
    "huggingface_hub.commands.huggingface_cli": "huggingface-cli", "jupyterlab": "jupyter lab",
    "notebook": "jupyter notebook", "pip._internal": "pip", "sphinx": "sphinx-build",
    "sphinx.cmd.build": "sphinx-build", "grpc_tools.protoc": "protoc", "playwright": "playwright", "Cython": "cython",
    "piptools": "pip-compile", "nbconvert": "jupyter nbconvert", "pygments": "pygmentize", "PyInstaller": "pyinstaller",
    "twisted.trial": "trial", "yt_dlp": "yt-dlp", "youtube_dl": "youtube-dl",
    **{name: name for name in "ansible borg certbot dbt duplicity dvc invoke kaggle keyring s3cmd salt sqlmap".split()},
}  # fmt: skip
_WHOLE = ("awscli", "azure.cli", "keyring", "pip", "twine")  # whatever of these is run


def program_of(module: str) -> str | None:
    """The words of the program that running the module runs; None where no table knows it as one."""
    name = module.removesuffix(".__main__")
    for whole in _WHOLE:
        if name.startswith(whole + "."):
            name = whole
    if name.startswith("ansible.cli."):
        name = f"ansible-{name[12:]}" if name != "ansible.cli.adhoc" else "ansible"
        return name if name in NAMES else None
    program = _PROGRAMS.get(name)
    if program is not None or find_program(f"python -m {name}") is not None:
        return program
    for spelt in (name, name.replace("_", "-")):
        if NAMES.get(spelt) == "python_tools":
            return spelt
    return None
