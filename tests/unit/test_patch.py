"""Patches with headers: what is read of them, and what is not believed. `tests/live` holds it against the client."""

from __future__ import annotations

import pytest

from interlock.reading.tools.patch import files_of_patch


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


READ: dict[str, list[tuple[str, str]]] = {
    patch("*** Add File: a.txt", "+a", "+", "+b"): [("write", "a.txt")],
    patch("*** Delete File: a b.txt"): [("delete", "a b.txt")],
    patch("*** Update File: /etc/hosts", "@@ class A", "@@", " x", "-a", "+b", "", "*** End of File"): [
        ("edit", "/etc/hosts")
    ],
    patch("*** Update File: a", "*** Move to: b/c", "@@", "-a", "+b"): [("move", "a"), ("write", "b/c")],
    patch("*** Add File: a", "+*** Delete File: b", "*** Delete File: c"): [("write", "a"), ("delete", "c")],
    patch("*** Update File: a", "@@", "-*** Delete File: b", "+c"): [("edit", "a")],
    patch("*** Add File: a", "+b").replace("\n", "\r\n"): [("write", "a")],
    "\n" + patch("*** Add File: ~/a", "+b") + "\n": [("write", "~/a")],
}


@pytest.mark.parametrize("text", READ, ids=repr)
def test_each_file_is_named_with_what_happens_to_it(text: str) -> None:
    found = files_of_patch(text)
    assert found is not None
    assert [(role, path) for role, path, _ in found] == READ[text]
    assert [text[start:end] for _, _, (start, end) in found] == [path for _, path in READ[text]]


ODD = {
    "a blank before a header": patch("*** Add File: a", "+a", " *** Delete File: b"),
    "a blank before a header in a change": patch("*** Update File: a", "@@", "-a", "\t*** Delete File: b"),
    "a blank behind a path": patch("*** Delete File: a "),
    "two blanks before a path": patch("*** Delete File:  a"),
    "a byte order mark before a path": patch("*** Delete File: \ufeff/etc/hosts"),
    "a byte order mark behind a path": patch("*** Delete File: a\ufeff"),
    "a byte order mark before a header": patch("*** Update File: a", "@@", "-a", " \ufeff*** Delete File: b"),
    "no path": patch("*** Delete File: "),
    "no end": "*** Begin Patch\n*** Delete File: a\n",
    "something behind the end": patch("*** Delete File: a") + "*** Delete File: b\n",
    "something before the beginning": "x\n" + patch("*** Delete File: a"),
    "a here-document": "<<'EOF'\n" + patch("*** Delete File: a") + "EOF",
    "a blank before the beginning": " " + patch("*** Delete File: a"),
    "an end with a blank": "*** Begin Patch\n*** Delete File: a\n *** End Patch\n",
    "a header that is not known": patch("*** Environment ID: there", "*** Delete File: a"),
    "another spelling": patch("*** delete file: a"),
    "a move of nothing": patch("*** Move to: a"),
    "a move of a new file": patch("*** Add File: a", "*** Move to: b", "+a"),
    "a move behind a change": patch("*** Update File: a", "@@", "-a", "*** Move to: b"),
    "a second move": patch("*** Update File: a", "*** Move to: b", "*** Move to: c", "-a"),
    "a line that is none": patch("*** Update File: a", "a"),
    "a line below a removal": patch("*** Delete File: a", "+a"),
    "nothing": patch(),
}


@pytest.mark.parametrize("what", ODD)
def test_what_no_grammar_has_is_not_read_at_all(what: str) -> None:
    assert files_of_patch(ODD[what]) is None


def diff(*lines: str) -> str:
    return "\n".join([*lines, ""])


HUNK = ("@@ -1 +1 @@", "-a", "+b", "\\ No newline at end of file")
DIFFS: dict[str, list[tuple[str, str]] | None] = {
    diff("--- a/x", "+++ b/x", *HUNK): [("edit", "x")],
    diff("diff --git a/x b/x", "index 1..2 100644", "--- a/x", "+++ b/x", *HUNK): [("edit", "x")],
    diff("diff --git a/x b/x", "new file mode 100644", "--- /dev/null", "+++ b/x", *HUNK): [("edit", "x")],
    diff("--- a/x", "+++ /dev/null", *HUNK): [("delete", "x")],
    diff("--- a/x", "+++ b/y", *HUNK): [("edit", "x"), ("edit", "y")],
    diff("--- a/x", "+++ b/x", *HUNK, "diff --git a/c b/d", "rename from c", "rename to d"): None,
    diff("--- a/x", "+++ b/x", *HUNK, "diff --git a/c b/c", "deleted file mode 100644"): None,
    diff("--- a/x", "+++ b/x", *HUNK, "diff --git a/c b/c", "new file mode 120000"): None,
    diff("--- a/x", "+++ b/x", *HUNK, "GIT binary patch"): None,
    diff("*** a/x", "--- b/x"): None,
    "words": None,
    "": None,
}


@pytest.mark.parametrize("text", DIFFS, ids=repr)
def test_a_unified_diff_is_read_by_both_names_and_only_where_each_file_has_them(text: str) -> None:
    found = files_of_patch(text)
    assert (found if found is None else [(role, path) for role, path, _ in found]) == DIFFS[text]
