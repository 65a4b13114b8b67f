"""Results as JUnit XML, which every CI shows."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from .runner import Result

__all__ = ["junit_of"]


def junit_of(results: Sequence[Result]) -> str:
    failed = sum(bool(result.failures) for result in results)
    head = f'<testsuite name="interlock policy test" tests="{len(results)}" failures="{failed}">'
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', head, *map(_case, results), "</testsuite>", ""])


def _case(result: Result) -> str:
    case = result.case
    head = f"  <testcase classname={_quoted(case.file)} name={_quoted(case.id)} line={_quoted(str(case.line))}"
    if not result.failures:
        return head + "/>"
    told = _plain("\n".join([*result.failures, *result.reasons]))
    return f"{head}><failure message={_quoted(result.failures[0])}>{escape(told)}</failure></testcase>"


def _quoted(text: str) -> str:
    return quoteattr(_plain(text))


def _plain(text: str) -> str:
    """XML has no way to write most control characters, escaped or not."""
    return "".join(char if char.isprintable() or char in "\n\t" else ascii(char)[1:-1] for char in text)
