"""Python given inline, by here-document or as a script: what it deletes, writes, runs and sends.

Read through `ast`, statement by statement, as it would run: names are followed through imports, assignments and
calls of the code's own functions. What is looked up by text, loaded from bytes or built at run time is opaque. A
module that is not the standard library's is code of the project or of an installed package: run, and not read.

    values  texts            what a name may hold                calls  modules     tables: what functions do
    names  bindings          names and objects                   specials           functions that give something
    expressions  statements  the code, part by part              acts  services     what is put down of it
    functions  called        calls                               arguments          argparse
"""

from __future__ import annotations

from .read import MAX_CODE, read_python

__all__ = ["MAX_CODE", "read_python"]
