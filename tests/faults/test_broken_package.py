"""every_crash_is_a_deny, for the installation: a module that is gone, broken or gives up at import."""

from __future__ import annotations

from pathlib import Path

import pytest

from hook_process import ALLOW, DENY, INTERLOCK, PACKAGE, Machine, Ran, copy_of_the_package, made, new_machine, words


@pytest.fixture
def copied(tmp_path: Path) -> Machine:
    return new_machine(tmp_path, guard=copy_of_the_package(made(tmp_path / "site")))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy for tests that leave it as it was; its bytecode is kept from one to the next."""
    return copy_of_the_package(tmp_path_factory.mktemp("site"))


def test_a_copy_of_the_package_answers_like_the_original(copied: Machine) -> None:
    assert (copied.call("Write").taken, copied.call("Bash").taken) == (ALLOW, "ask")


# The modules of a warm call, which `test_hook_imports` keeps, and the two that compile a policy.
ON_THE_PATH = [
    name.removeprefix("interlock").replace(".", "/").lstrip("/")
    for name in [*words(INTERLOCK), "interlock.policy.compile", "interlock.policy.parse"]
    if name != "interlock.store.ledger.repeated"  # only a call that comes again asks for it
]


@pytest.mark.parametrize("module", [module for module in ON_THE_PATH if not (PACKAGE / module).is_dir()])
def test_a_module_that_is_gone_is_a_deny(module: str, shared: Path, tmp_path: Path) -> None:
    file = shared.parents[1] / f"{module}.py"
    away = file.rename(file.with_suffix(".away"))
    try:
        assert new_machine(tmp_path, guard=shared).call("Write").taken == DENY
    finally:
        away.rename(file)


def test_the_copy_that_modules_were_taken_from_is_whole(shared: Path, tmp_path: Path) -> None:
    assert new_machine(tmp_path, guard=shared).call("Write").taken == ALLOW


def test_a_policy_that_is_gone_is_a_deny(copied: Machine) -> None:
    (copied.guard.parents[1] / "policy/default.toml").unlink()
    assert copied.call("Write").taken == DENY


BROKEN = {
    "not Python": ("def", "SyntaxError"),
    "null bytes": ("\0", "SyntaxError"),
    "empty": ("", "ImportError"),
    "ImportError": ("raise ImportError", "ImportError"),
    "SystemExit(0)": ("raise SystemExit(0)", "SystemExit"),
    "sys.exit()": ("import sys; sys.exit()", "SystemExit"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "GeneratorExit": ("raise GeneratorExit", "GeneratorExit"),
    "MemoryError": ("raise MemoryError", "MemoryError"),
    "memory used up": ("x = bytearray(1 << 62)", "MemoryError"),
    "recursion": ("f = lambda: f()\nf()", "RecursionError"),
    "signal to itself": ("import os; os.kill(os.getpid(), 15)", "signal 15"),
    "stdout closed": ("import os; os.close(1); from nowhere import x", "ModuleNotFoundError"),
    "stderr closed": ("import os; os.close(2); raise ValueError", None),
    "an error without a name in ASCII": ("class Fühler(BaseException): ...\nraise Fühler", "F?hler"),
    "an error that cannot be shown": (
        "class M(type):\n    __name__ = property(lambda s: 1 / 0)\nclass E(Exception, metaclass=M): ...\nraise E",
        None,
    ),
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("module", ["hook/run", "model/errors", "decide"])
@pytest.mark.parametrize("case", BROKEN)
def test_every_crash_is_a_deny(case: str, module: str, copied: Machine) -> None:
    source, why = BROKEN[case]
    (copied.guard.parents[1] / f"{module}.py").write_text(source + "\n")
    said = f"Interlock: blocked, because the check could not be completed ({why}).\n".encode() if why else b""
    ran = copied.call("Write")
    assert ran == Ran(2, b"", said) if case != "an error that cannot be shown" else ran.taken == DENY


def test_what_anything_else_writes_to_stdout_does_not_spoil_the_answer(copied: Machine) -> None:
    """Text around the JSON would make the host drop it and go on."""
    decide = copied.guard.parents[1] / "decide.py"
    decide.write_text(
        decide.read_text() + "\nimport os, sys\nos.write(1, b'stray ')\nprint('more')\nsys.stdout.flush()\n"
    )
    ran = copied.call("Bash")
    assert (ran.taken, ran.err) == ("ask", b"stray more\n")


@pytest.mark.slow
def test_a_module_that_never_ends_is_stopped_by_the_limit_on_processor_time(copied: Machine) -> None:
    """With the deadline switched off, so that on a busy machine it cannot come first: nothing else ends the loop."""
    import resource

    (copied.guard.parents[1] / "decide.py").write_text(
        "import _signal\n_signal.setitimer(_signal.ITIMER_REAL, 0)\nwhile True:\n    pass\n"
    )
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 4))
    ran = copied.run(copied.event(), before=limit, patience=300)
    assert ran == Ran(2, b"", b"Interlock: blocked, because the check could not be completed (signal 24).\n")
