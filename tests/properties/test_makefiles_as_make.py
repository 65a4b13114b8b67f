"""Makefiles held against make itself: every line that `make -n` would run is among those that are read.

Only a file of which some part is told as not read may hold back a line.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chance import FEWER
from interlock.model.facts import Facts
from interlock.reading import follow
from interlock.reading.evaluate.state import Found, Shell
from interlock.reading.tasks.makefile import Run

MAKE = shutil.which("make")
pytestmark = pytest.mark.skipif(MAKE is None, reason="make is not installed here")

BY_HAND = [
    "A = x y\nB := $(A) z\nA += w\nall: one two\n\techo $(A) $(B) $@ $^ $<\none:\n\t@echo $@\ntwo: one\n\t-echo two\n",
    "SRC = a.c b.c\nOBJ = $(SRC:.c=.o)\nall: $(OBJ)\n\techo link $^\n%.o: %.c\n\techo cc $< $* $@\na.c b.c:\n",
    "D ?= dist\nall:;echo $(if $(D),yes,no) $(or ,$(D),z) $(and a,b) $(subst a,b,banana) $(strip   a  b )\n",
    "all:\n\techo $(patsubst %.c,%.o,x.c y.h) $(filter %.c,a.c b.h) $(filter-out %.c,a.c b.h) $(sort b a b)\n",
    "all:\n\techo $(word 2,a b) $(words a b) $(firstword a b) $(lastword a b) $(dir a/b c) $(notdir a/b c)\n",
    "all:\n\techo $(suffix a.c b) $(basename a/b.c d) $(addsuffix .o,a b) $(addprefix p/,a b) $(findstring a,abc)\n",
    "f = <$(1)-$(2)>\nall:\n\techo $(call f,a,b) $(foreach x,1 2 3,[$(x)]) $$HOME $$(date)\n",
    "X = 1 # comment\nall: # another\n\techo $(X)# not\n# one \\\n\techo in it\n\techo after\n",
    ".PHONY: all b\nall: b\nb:\n\techo b\nall:\n\techo all\n",
    "ifeq ($(X),)\nall:\n\techo yes\nelse\nelsewhere:\n\techo no\nendif\n",
    "all: foo.o bar.o\nfoo.o bar.o: %.o: %.c\n\techo $< to $@ $*\nfoo.c bar.c:\n\techo gen $@\n",
    ".ONESHELL:\nall:\n\t@echo a\n\techo b\n",
    "all: m.o\n.c.o:\n\techo suffix $< $@\nm.c:\n",
    "a b &: c\n\techo grouped $@\nc:\n\techo c\n",
    "dir/x: | ord\n\techo $(@D) $(@F) $^\nord:\n\techo ord\n",
    "all:: x\n\techo 1\nall::\n\techo 2\nx:\n\techo x\n",
    "n = A\nA = deep\nall:\n\techo $($(n)) $(${n})\n",
    ".DEFAULT_GOAL := two\none:\n\techo one\ntwo:\n\techo two\n",
    "all:\n\techo a; \\\n\techo b\n\n\n\techo c\n\n# x\n\techo d\n",
    "X=a\\\n  b \\\n c\nall:\n\techo $(X)\n",
    "Q=@\nall:\n\t$(Q)echo hi\n\t$(Q)-echo ho\n",
    "A=1\nA:=$(A)2\nA+=3\nall: ; @echo $(A)\n",
    "all: lib/a.o\nlib/%.o: src/%.c\n\techo $< $@ $*\nsrc/a.c:\n",
    "B=$(A:a%=b%)\nA=ax ay cz\nall:\n\techo $(B) $(A:z=w)\n",
    "D = dist # there\nall:\n\techo -$(D)/-\n",
    "export X = 5\nall:\n\techo $$X $(X)\n",
    "all: dep\n./dep:\n\techo $@\n",
    "all: sub/xfoo lib/a.o\nx%:\n\techo $@ $*\n%.o: in/%.c\n\techo $< $@ $*\nlib/in/a.c:\n\techo $@\n",
    "all:\ndefine X\n\tdefine\nendef\nall:\n\techo real\n",
    "define = x\nvpath = y\nall:\n\techo $(define) $(vpath)\n",
    "E :=\nS := $(E) $(E)\nall:\n\techo $(if $(S),t,f) $(if ,a,b,c) $(if ,{,d}) $(subst ,x,y)\n",
    "all:\n\techo $(filter a%,a) $(or ,z)\n",
    "x(y = z):w\nall:\n\techo all $(MAKEFILE_LIST) -$(MAKECMDGOALS)-\n",
    "CURDIR := /x\nall:\n\techo $(CURDIR) ${if a,b,(c,d)}\n",
]


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _run_by_make(folder: Path) -> list[str]:
    done = subprocess.run(
        [str(MAKE), "-n", "--no-print-directory"], cwd=folder, env={"PATH": "/usr/bin:/bin"}, capture_output=True,
        text=True, check=False, timeout=20,
    )  # fmt: skip
    lines = done.stdout.replace("\\\n", "").split("\n")
    own = ("make: ", "cc ", "rm ", "rm\t", "cat ", "chmod ")  # what make says and does by itself
    return [_squeezed(line) for line in lines if line.strip() and not line.startswith(own)]


def _read(text: str, folder: str) -> tuple[list[str], list[str]]:
    file = f"{folder}/Makefile"
    found = Found(Facts(root=folder, home="/home/user", written=frozenset((file,))), "command", follow=follow)
    steps = Run(file, folder, Shell(found, (folder,)), (0, 1)).steps(text, [], {})
    lines = [line for _, step in steps for line in step.replace("\\\n", "").split("\n")]
    for name in "ABC":  # nothing of that name is in the environment
        lines = [line.replace("${" + name + "}", "") for line in lines]
    return [_squeezed(line) for line in lines], [part.reason for part in found.opaque]


def _held_against(text: str) -> tuple[list[str], list[str]]:
    """The lines that make would run and that were not read; and what was told as not read."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "Makefile").write_text(text, encoding="utf-8")
        read, told = _read(text, name)
        return [line for line in _run_by_make(folder) if line not in read], told


@pytest.mark.parametrize("text", BY_HAND)
def test_the_lines_of_a_makefile_are_those_that_make_runs(text: str) -> None:
    assert _held_against(text) == ([], [])


NAMES = st.sampled_from(["A", "B", "C"])
WORDS = st.sampled_from(
    [
        *("x", "y.c z.c", "$(A)", "${B}", "$(C:.c=.o)", "$(subst x,y,$(A))", "$(if $(B),t,f)", "$(addprefix p/,$(C))"),
        *("$(firstword $(A))", "$(patsubst %.c,%.o,$(B))", "'q;r'", "$(call A,k)", "a # b", "$(filter x%,$(A))", "$$v"),
    ]
)
TARGETS = st.sampled_from(["one", "two", "three", "p/x", "y.o", "$(A)", "%.o"])
# `:` prints nothing: a makefile that is made anew runs its recipe even if it is only to be shown.
LINES = st.one_of(
    st.builds("{} {} {}".format, NAMES, st.sampled_from(["=", ":=", "?=", "+=", "::="]), WORDS),
    st.builds("{}: {}\n\t: {} $@ $< $^".format, TARGETS, TARGETS, WORDS),
    st.builds("{}:\n\t@: {}\n\t-: $* {} \\\n\t  end".format, TARGETS, WORDS, WORDS),
    st.builds("{}: ; : {}".format, TARGETS, WORDS),
    st.builds("ifeq ({},)\n{} = {}\nendif".format, WORDS, NAMES, WORDS),
    st.builds("# {} \\\n\t: {}".format, WORDS, WORDS),
    st.builds("define {}\n{}\nendef".format, NAMES, WORDS),
    st.builds("one: {} = {}".format, NAMES, WORDS),
    st.sampled_from(
        [
            ".PHONY: one two",
            ".ONESHELL:",
            "export",
            "export A",
            "override B = o",
            "\t: stray",
            "    : stray",
            "two: | one",
        ]
    ),
)


@given(st.lists(LINES, min_size=1, max_size=8))
@settings(max_examples=FEWER, deadline=None)
def test_no_line_that_make_would_run_is_lost_in_silence(lines: list[str]) -> None:
    lost, told = _held_against("\n".join(["all: one two", *lines, "one two three y.c z.c:", ""]))
    assert not lost or told
