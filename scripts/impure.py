"""Writes the list of the parts that touch the world into README.md and docs/architecture.md, from the table of the
architecture test. `--check` writes nothing and ends with 1 where a page is out of date.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src/interlock"
TABLE = ROOT / "tests/unit/test_architecture.py"
PAGES = (ROOT / "README.md", ROOT / "docs/architecture.md")
BEGIN, END = "<!-- impure, by scripts/impure.py -->", "<!-- /impure -->"


def rows(name: str) -> tuple[str, ...]:
    """A tuple of texts that the test keeps under this name."""
    for node in ast.parse(TABLE.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return tuple([str(part.value) for part in ast.walk(node.value) if isinstance(part, ast.Constant)])
    raise SystemExit(f"{TABLE} has no {name}")


def shown(part: str) -> str:
    path = part.replace(".", "/")
    return f"`{path}/`" if (SOURCE / path).is_dir() else f"`{path}.py`"


def text() -> str:
    pure = rows("PURE_WITHIN")
    parts = []
    for part in sorted(rows("IMPURE")):
        but = [shown(inner) for inner in pure if inner.startswith(f"{part}.")]
        parts.append(shown(part) + (f" (but not {' and '.join(but)})" if but else ""))
    return ", ".join(parts) + "."


def page_with(page: str, parts: str) -> str:
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"a page has no `{BEGIN}` and `{END}`")
    return f"{before}{BEGIN}\n{parts}\n{END}{after}"


def main() -> int:
    parts = text()
    late = [page for page in PAGES if page.read_text() != page_with(page.read_text(), parts)]
    for page in late:
        if "--check" in sys.argv:
            print(f"{page.relative_to(ROOT)} is out of date: run scripts/impure.py")
        else:
            page.write_text(page_with(page.read_text(), parts))
    return 1 if late and "--check" in sys.argv else 0


if __name__ == "__main__":
    raise SystemExit(main())
