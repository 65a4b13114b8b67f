"""How a head is sent: one function for each form of address. StoreError where it surely did not arrive.

Syslog by UDP is not answered by anybody; whoever needs to know takes another form.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from ...model.errors import StoreError
from ..home.folders import Folders
from .head import Head, head_bytes
from .http import post
from .syslog import by_tcp, by_udp, by_unix, syslog_line

__all__ = ["ref_of", "run_git", "send"]

_OWN_SYSLOG = "/dev/log"


def send(address: str, head: Head, folders: Folders, seconds: float) -> None:
    _sender(address)(address, head, folders, seconds)


def _sender(address: str) -> Callable[[str, Head, Folders, float], None]:
    form = address.partition(":")[0]
    return {"syslog": _syslog, "syslog+tcp": _syslog, "git": _git}.get(form, _web)


def _web(address: str, head: Head, _folders: Folders, seconds: float) -> None:
    post(address, head_bytes(head), seconds=seconds)


def _syslog(address: str, head: Head, _folders: Folders, seconds: float) -> None:
    line = syslog_line(head.at, "head", head_bytes(head))
    if address == "syslog:":
        by_unix(_OWN_SYSLOG, [line], seconds)
        return
    parts = urlsplit(address)
    host, port = parts.hostname or "", parts.port or 514
    if parts.scheme == "syslog+tcp":
        by_tcp(host, port, line + b"\n", seconds)
    else:
        by_udp(host, port, [line], seconds)


def ref_of(head: Head) -> str:
    """A ref for each ledger, so that machines do not get into each other's way."""
    plain = "".join([char if char.isascii() and (char.isalnum() or char in "-_") else "-" for char in head.machine])
    return f"refs/interlock/heads/{plain[:80].strip('-') or 'machine'}/{head.ledger[:16]}"


def _git(address: str, head: Head, folders: Folders, seconds: float) -> None:
    """One commit for each head: its message is the head, its tree is empty. It follows the last one that was
    sent, and the push is never forced: where the other side was rewritten, it fails, and that is told.
    """
    end = time.monotonic() + seconds
    url, ref, own = address.removeprefix("git:"), ref_of(head), f"{folders.state}/heads.git"

    def git(*words: str, **more: bytes) -> str:
        return run_git(own, *words, seconds=max(end - time.monotonic(), 0.1), home=folders.home, **more)

    if not os.path.isdir(own):
        os.makedirs(folders.state, mode=0o700, exist_ok=True)
        run_git(folders.state, "init", "-q", "--bare", own, seconds=seconds, home=folders.home)
    last = git("for-each-ref", "--format=%(objectname)", ref).strip()
    if not last and git("ls-remote", url, ref):  # our own copy was lost
        git("fetch", "-q", "--no-tags", url, f"{ref}:{ref}")
        last = git("for-each-ref", "--format=%(objectname)", ref).strip()
    tree = git("mktree", given=b"").strip()
    commit = git("commit-tree", tree, *(["-p", last] if last else []), given=head_bytes(head) + b"\n").strip()
    git("push", "-q", url, f"{commit}:{ref}")
    git("update-ref", ref, commit)


def run_git(folder: str, *words: str, seconds: float, home: str, given: bytes | None = None) -> str:
    """What git says. It asks nobody, and takes nothing of this process's environment."""
    environment = {
        "HOME": home,
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
        "GIT_ALLOW_PROTOCOL": "file:ssh:https",
        **{f"GIT_{who}_{what}": "interlock" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    try:
        done = subprocess.run(  # noqa: S603 - the addresses are the policy's, and checked
            ["git", *words],  # noqa: S607
            cwd=folder,
            env=environment,
            input=b"" if given is None else given,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise StoreError(f"git {words[0]} took more than {seconds:.0f} s") from None
    except OSError as error:
        raise StoreError(f"git could not be started: {error.strerror}") from None
    if done.returncode != 0:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[-300:]
        raise StoreError(f"git {words[0]} failed: {said or 'nothing was said'}")
    return done.stdout.decode("utf-8", "replace")
