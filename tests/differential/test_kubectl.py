"""Which cluster and namespace we say that a kubectl command is for, held against kubectl itself and what it asks.

Each spelling with the usual kubeconfig, and each way to write a kubeconfig with a few spellings. What we cannot tell is
not known; it is never something else.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from clusters import IN_STATES, PLAIN, SPELLINGS, STATES, Clusters, by_kubectl, by_us, laid
from interlock.reading.resolve.value import AllOf, Exactly, Unknown, may_be, read

pytestmark = pytest.mark.skipif(not shutil.which("kubectl") and "CI" not in os.environ, reason="kubectl is not there")

_USUAL = "as kubectl writes it"
_PARTS = 4
# In these states we tell all that kubectl does.
_TOLD = (
    _USUAL, "no namespaces", "quoted", "a comment above", "a mark at the start", "items indented", "the name first",
    "a namespace in an extension", "a namespace behind an extension", "a null namespace", "a tilde", "carriage returns",
    "a mark of order",
)  # fmt: skip


@pytest.fixture(scope="module")
def clusters() -> Iterator[Clusters]:
    made = Clusters()
    yield made
    made.shutdown()
    made.server_close()


def wrongs(project: Path, command: str, meant: str, clusters: Clusters) -> list[str]:
    target, asked = by_us(project, command).target, by_kubectl(project, command, clusters)
    found = (
        [] if asked == meant else [f"{command}: kubectl asks {asked or 'nobody'}, the table says {meant or 'nobody'}"]
    )
    for field, real in zip(("context", "namespace"), asked.split("/") if asked else (), strict=False):
        ours = read(target.get(field))
        if type(ours) is not Unknown and (type(ours) is AllOf or real not in may_be(ours)):
            found.append(f"{command}: kubectl asks for the {field} {real}, we say {ours}")
    return found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("part", range(_PARTS))
def test_a_command_is_for_the_cluster_that_kubectl_asks(part: int, tmp_path: Path, clusters: Clusters) -> None:
    found = []
    for command, meant in list(SPELLINGS.items())[part::_PARTS]:
        found += wrongs(laid(tmp_path, _USUAL), command, meant, clusters)
    assert not found, "\n".join(found)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("state", STATES)
def test_a_kubeconfig_says_what_kubectl_takes_from_it(state: str, tmp_path: Path, clusters: Clusters) -> None:
    assert not wrongs(laid(tmp_path, state), PLAIN, IN_STATES[state], clusters)


@pytest.mark.parametrize("state", _TOLD)
def test_a_plain_kubeconfig_is_told(state: str, tmp_path: Path) -> None:
    target = by_us(laid(tmp_path, state), PLAIN).target
    assert type(read(target.get("context"))) is type(read(target.get("namespace"))) is Exactly
