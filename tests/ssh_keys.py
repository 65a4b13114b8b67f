"""Keys as people have them, made and used by the real `ssh-keygen`: with a passphrase, without one, and in hardware.

The hardware is `sk_provider.c`, which OpenSSH loads in place of the library that talks to a real security key.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

__all__ = ["PASSPHRASE", "Key", "ask_pass", "new_key", "provider", "signature_of"]

PASSPHRASE = "correct horse battery"
_SOURCE = Path(__file__).parent / "sk_provider.c"
_CRYPTO = ("/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/usr/lib/aarch64-linux-gnu/libcrypto.so.3")


@dataclass(frozen=True)
class Key:
    file: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def public(self) -> Path:
        return self.file.with_name(self.file.name + ".pub")

    @property
    def line(self) -> str:
        return self.public.read_text().strip()


@cache
def provider() -> str:
    """The library, built for the version of the interface that this OpenSSH speaks."""
    folder = Path(mkdtemp(prefix="interlock-sk-"))
    crypto = next((path for path in _CRYPTO if os.path.exists(path)), "-lcrypto")
    version = "0x000a0000"
    for _ in range(2):
        library = folder / f"sk-{version}.so"
        build = ["gcc", "-shared", "-fPIC", f"-DSK_VERSION={version}", "-o", str(library), str(_SOURCE), crypto]
        subprocess.run(build, check=True)
        probe = ["ssh-keygen", "-q", "-t", "ed25519-sk", "-N", "", "-f", str(folder / f"probe-{version}")]
        environment = {**os.environ, "SSH_SK_PROVIDER": str(library)}
        done = subprocess.run(probe, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode == 0:
            return str(library)
        wanted = re.search(rb"supported: (0x[0-9a-f]+)", done.stderr)
        if wanted is None:
            pytest.skip(f"this OpenSSH takes no provider: {done.stderr.decode()}")
        version = wanted[1].decode()
    raise AssertionError(done.stderr)


def new_key(file: Path, *, hardware: bool = False, passphrase: str = "") -> Key:
    file.parent.mkdir(parents=True, exist_ok=True)
    environment = {"SSH_SK_PROVIDER": provider()} if hardware else {}
    kind = "ed25519-sk" if hardware else "ed25519"
    command = ["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", f"{file.name}@test", "-f", str(file)]
    subprocess.run(command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, check=True)
    return Key(file, environment)


def ask_pass(folder: Path, passphrase: str = PASSPHRASE) -> dict[str, str]:
    """What makes ssh-keygen take the passphrase from a program, where no terminal is at hand."""
    program = folder / "askpass"
    program.write_text(f"#!/bin/sh\necho '{passphrase}'\n")
    program.chmod(0o755)
    return {"SSH_ASKPASS": str(program), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":0"}


def signature_of(key: Key, message: bytes, *, namespace: str = "interlock", **changes: str) -> str:
    done = subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-q", "-n", namespace, "-f", str(key.file)],
        input=message,
        env={**os.environ, **key.environment, **changes},
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()
