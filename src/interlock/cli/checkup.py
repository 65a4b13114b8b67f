"""What `interlock doctor` looks at, one function a matter. Each returns what it found, with its cure."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

import click

from ..hosts import host_named, part_of
from ..install.fragment import handlers_of, is_ours, ours_in
from ..limits import HOST_TIMEOUT_SECONDS, MAX_WATCHED_BYTES
from ..model.errors import InterlockError, StoreError
from ..store import sql
from ..store.clock import told_of_observing
from ..store.home.calibrations import told_of_judges
from ..store.home.files import read_file
from ..store.home.folders import Folders, other_home
from ..store.home.hook_texts import texts_with_hooks
from ..store.home.launch import is_damaged, kept_launcher, own_package, passing, trouble_of
from ..store.home.policies import load_policy
from ..store.ledger.audit import open_for_reading, select
from ..store.ledger.given import CANARY
from ..store.ledger.verify import never_begun, verify
from ..store.outside.evidence import told_of_heads
from ..store.people.switch import off_now
from ..store.team.policy_bundles import told_of_bundle
from .caveats import NO_WINDOWS, NOT_SEEN, is_proven, this_system
from .commands import with_home
from .confirming import build_here, words_for
from .counted import counted
from .guarded import guard_path
from .own_words import told_of_server
from .shield import HOST as SHIELDED
from .shield import told_of_seat, told_of_shield
from .waits import waiting_arguments, waits_in

__all__ = [
    "BAD",
    "FIXED",
    "OK",
    "WARN",
    "Found",
    "file_bytes",
    "not_started",
    "of_files",
    "of_host",
    "of_installation",
    "of_ledger",
    "of_person",
    "of_policy",
    "of_system",
    "outrun",
    "registered",
    "rows_of",
    "settings_in",
    "show_found",
    "silenced",
    "tried",
]

OK, WARN, BAD, FIXED = "ok", "warn", "bad", "fixed"
_SKEW = 5 * 60_000
_WRITES, _READS = 0o022, 0o077  # what others may not do


class Found(NamedTuple):
    check: str
    state: str
    text: str
    cure: str = ""


_MARKS = {OK: "ok   ", FIXED: "fixed", BAD: "BAD  "}


def show_found(found: Iterable[Found]) -> None:
    for one in found:
        click.echo(f"{_MARKS.get(one.state, 'warn ')} {one.check}: {one.text}")
        if one.cure:
            click.echo(with_home(f"      cure: {one.cure}"))


def rows_of(found: Iterable[Found]) -> list[dict[str, Any]]:
    return [{"check": f.check, "cure": with_home(f.cure) or None, "state": f.state, "text": f.text} for f in found]


def _layers(folders: Folders, root: str, host: str) -> dict[str, bytes | None]:
    """Every file that the host takes settings from, with what is in it."""
    part = part_of(host, "settings")
    files = part.settings_files(root, folders.home, folders.moved)
    return {path: file_bytes(path) for path in files}


def file_bytes(path: str) -> bytes | None:
    try:
        return read_file(path, limit=MAX_WATCHED_BYTES)
    except StoreError:
        return b"?"  # there, and not to be read: no JSON, and not what was written


def settings_in(host: str, raw: bytes | None) -> dict[str, Any]:
    plugin = part_of(host, "plugin")
    if plugin is not None:
        entries: dict[str, Any] = plugin.embedded(raw)
        return entries
    try:
        found = json.loads(raw or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def registered(folders: Folders, root: str, host: str) -> set[str]:
    """The events for which some settings of the host name us."""
    return {event for raw in _layers(folders, root, host).values() for event in ours_in(settings_in(host, raw))}


def silenced(folders: Folders, root: str, host: str) -> bool:
    """Whether the host's settings keep it from calling the hooks that they name."""
    files, part = _layers(folders, root, host), part_of(host, "settings")
    if part.unhooks(files, {}):
        return True
    return not hasattr(part, "beside") and any(bad for bad, _, _ in _more(host, files))


def outrun(folders: Folders, root: str, host: str) -> bool:
    """Whether code of the project runs beside our plug-in, in its process."""
    beside = getattr(part_of(host, "settings"), "beside", None)
    return beside is not None and bool(beside(_layers(folders, root, host)))


def not_started(folders: Folders, root: str, host: str) -> str:
    """Why its entries start no hook, so that every call is blocked; empty where they do, as far as files tell."""
    for path, raw in _layers(folders, root, host).items():
        for entries in ours_in(settings_in(host, raw)).values():
            for _, handler in entries:
                words = [str(word) for word in (handler.get("command"), *(handler.get("args") or ()))]
                python = re.search(r"(?:^|[\s($])(/[^\s()'\"$]+) -I -S ", " ".join(words[:7]))
                if python is not None and not os.access(python[1], os.X_OK):
                    return f"every call is blocked: Python is not where {path} says ({python[1]})"
                if any(folders.launcher in word for word in words) and not os.path.exists(folders.launcher):
                    return f"every call is blocked: the launcher {folders.launcher} is gone"
    return ""


def _more(host: str, files: dict[str, bytes | None]) -> list[tuple[bool, str, str]]:
    """What the host's own checkup tells: whether it is bad, the matter, and its cure."""
    return list(getattr(part_of(host, "settings"), "checked", lambda _: ())(files))


def of_host(
    folders: Folders,
    root: str,
    host: str,
    part: Any,
    arguments: tuple[str, ...],
    plugins: tuple[str, ...] = (),
    *,
    starts: bool = True,
) -> list[Found]:
    """`plugins`: folders of plug-ins with which sessions of the host can be started. `starts`: also what has to start
    the client or a hook to be known.
    """
    files = _layers(folders, root, host)
    waits = waiting_arguments(folders, None, host)
    wanted = host_named(host).settings(sys.executable, folders.launcher, (*arguments, *waits))
    events = set(wanted["hooks"])
    have = registered(folders, root, host)
    install = _install(host)
    if not have:
        return _without_entries(host, files, plugins)
    found = []
    if events - have:
        missing = ", ".join(sorted(events - have))
        found.append(Found(host, BAD, f"its settings name Interlock, but not for {missing}", install))
    else:
        named = ", ".join([path for path, raw in files.items() if ours_in(settings_in(host, raw))])
        found.append(Found(host, OK, f"its settings name Interlock for every event ({named})"))
    for why in part_of(host, "settings").unhooks(files, {}):
        found.append(Found(host, BAD, why, "take that out of the file, or have an administrator do it"))
    found += _holding(folders, root, host, part, files)
    found += _asking(folders, host, part, files, arguments)
    for bad, text, cure in _more(host, files):
        found.append(Found(host, BAD if bad else WARN, text, cure))
    wrong = told_of_seat(folders, root) if host == SHIELDED else None
    if wrong is not None:
        state, text, words = wrong
        found.append(Found(f"{host} shield", state, text, f"interlock {words}"))
    if not starts:
        unable = not_started(folders, root, host)
        return [*found, *([Found(host, BAD, unable, install)] if unable else ()), *_others(host, part, files, root)]
    if host == SHIELDED and wrong is None:
        state, text = told_of_shield(folders, root)
        found.append(Found(f"{host} shield", state, text, "" if state == OK else install))
    found += [_client(host, part), *_others(host, part, files, root), _canary(folders, root, host, part, files, wanted)]
    return found


def _without_entries(host: str, files: dict[str, bytes | None], plugins: tuple[str, ...]) -> list[Found]:
    """What is said of a host whose settings hold no entry of ours."""
    install = _install(host)
    altered = part_of(host, "settings").unhooks(files, {}) if part_of(host, "plugin") is not None else ()
    if altered:  # a file of our own that is another now
        return [Found(host, BAD, f"{why}: nothing is checked", install) for why in altered]
    if plugins:
        text = f"its settings do not name Interlock: only sessions with the plug-in are checked ({', '.join(plugins)})"
        return [Found(host, WARN, text, install)]
    return [Found(host, BAD, "its settings do not name Interlock: nothing is checked", install)]


def _holding(folders: Folders, root: str, host: str, part: Any, files: dict[str, bytes | None]) -> list[Found]:
    """Whether the host lets a call be held for as long as the policy says."""
    try:
        wanted = load_policy(folders, root).wait
    except InterlockError:
        return []
    traits = host_named(host).TRAITS
    if not wanted:
        return []
    if not traits.waits:
        text = f"a call is not held for an answer ([approvals] wait): {traits.title} would run it after a time-out"
        return [Found(host, OK, text)]
    entries = [entry for raw in files.values() for entry in ours_in(settings_in(host, raw)).get(part.BEFORE_CALLS, ())]
    least = min([waits_in(handler) for _, handler in entries], default=0)
    if least >= wanted:
        return [Found(host, OK, f"a call is held for {wanted} s while a person answers elsewhere")]
    text = f"the policy lets a call wait for {wanted} s, its settings for {least} s: so long, and then it is denied"
    return [Found(host, WARN, text, _install(host))]


def _asking(
    folders: Folders, host: str, part: Any, files: dict[str, bytes | None], arguments: tuple[str, ...]
) -> list[Found]:
    """Whether questions reach the person in our own words. Only the person's own settings come with a server."""
    raw = files.get(part.settings_file("user", "", folders.home, folders.moved))
    if not ours_in(settings_in(host, raw)):
        return []
    good, text, mends = told_of_server(folders, host, arguments)
    return [Found(f"{host} questions", OK if good else WARN, text, _install(host) if mends else "")] if text else []


def _install(host: str) -> str:
    return f"interlock install {host}{'' if is_proven(host) else ' --unproven'}"


def _client(host: str, part: Any) -> Found:
    if not is_proven(host):
        return Found(host, WARN, NOT_SEEN)
    program = shutil.which(part.PROGRAM)
    if program is None:
        return Found(host, WARN, f"`{part.PROGRAM}` is not on the search path, so its version is not known")
    try:
        done = subprocess.run([program, "--version"], capture_output=True, timeout=20, check=False)  # noqa: S603
        numbers = re.search(rb"(\d+)\.(\d+)\.(\d+)", done.stdout)
    except (OSError, subprocess.SubprocessError):
        numbers = None
    if numbers is None:
        return Found(host, WARN, f"`{program} --version` does not say which version it is")
    version = tuple(map(int, numbers.groups()))
    shown, proven = (".".join(map(str, one)) for one in (version, part.PROVEN))
    if version < part.PROVEN:
        text = f"version {shown} is older than {proven}, with which it was seen that a hook that fails blocks"
        return Found(host, WARN, text, f"upgrade {host_named(host).TRAITS.title}")
    return Found(host, OK, f"version {shown} blocks when a hook fails")


def _others(host: str, part: Any, files: dict[str, bytes | None], root: str) -> list[Found]:
    found = []
    for path, raw in files.items():
        hooks = settings_in(host, raw).get("hooks")
        groups = hooks.get(part.BEFORE_CALLS) if isinstance(hooks, dict) else None
        for group in groups if isinstance(groups, list) else ():
            if any(not is_ours(handler) for handler in handlers_of(group)):
                text = f"another {part.BEFORE_CALLS} hook in {path} can rewrite a call after it was judged"
                found.append(Found(host, WARN, text, "look at what it does; Interlock notices it only afterwards"))
    for path in texts_with_hooks((root, os.getcwd())) if host == SHIELDED else ():
        text = f"{path} brings hooks along, which can rewrite a call after it was judged"
        found.append(Found(host, WARN, text, "look at what they do; Interlock notices it only afterwards"))
    return found or [Found(host, OK, "no other hook can rewrite calls")]


def _canary(
    folders: Folders, root: str, host: str, part: Any, files: dict[str, bytes | None], wanted: dict[str, Any]
) -> Found:
    """Sends a call that must be denied through the entries that the host would start.

    INVARIANT: an entry of a project's file is started only if it is the very one that install writes.
    """
    theirs = part_of(host, "settings").project_files(root)
    expected = [handler for _, handler in ours_in(wanted)[part.BEFORE_CALLS]]
    handlers = []
    for path, raw in files.items():
        for _, handler in ours_in(settings_in(host, raw)).get(part.BEFORE_CALLS, ()):
            if path not in theirs or handler in expected:
                handlers.append(handler)
    if not handlers:
        return Found(host, WARN, "no entry was tried: those there are not as `interlock install` writes them")
    return tried(folders, root, host, part, handlers)


def tried(
    folders: Folders,
    root: str,
    host: str,
    part: Any,
    handlers: list[Any],
    *,
    check: str = "",
    cure: str = "",
    through: str = "its own settings",
) -> Found:
    """What comes of a call that must be denied, through each of these entries."""
    check, cure = check or host, cure or _install(host)
    since = time.time_ns() // 1_000_000 - _SKEW
    session = f"{CANARY}{time.time_ns()}"
    event = part.canary(root, session, folders.user_policy)
    for handler in handlers:
        try:
            done = subprocess.run(  # noqa: S603 - the entry of the person's own settings
                _words(handler),
                input=json.dumps(event).encode(),
                capture_output=True,
                cwd=root,
                timeout=HOST_TIMEOUT_SECONDS,
                check=False,
            )
            denied, said = part.is_denied(done.returncode, done.stdout), done.stdout + done.stderr
        except FileNotFoundError as error:  # a program with arguments, which is not there
            blocks = host_named(host).TRAITS.blocks_on
            denied, said = handler.get(blocks) == "block", f"{error.filename} is not there".encode()
        except (OSError, subprocess.SubprocessError, KeyError) as error:
            denied, said = False, str(error).encode()
        why = said.decode("utf-8", "replace").strip()
        if denied and not _was_decided(folders, session, since):
            return Found(check, BAD, f"every call is blocked: {why[:600]}", cure)
        if not denied:
            more = f": {why[:300]}" if why else ""
            return Found(check, BAD, f"a call that must be denied was not{more}", cure)
    return Found(check, OK, f"a call that must be denied was denied, through {through}")


def _words(handler: Any) -> list[str]:
    """A program with its arguments, or one line for a shell, as the hosts take them."""
    given = handler.get("args")
    return (
        ["/bin/bash", "-c", str(handler["command"])] if given is None else [str(handler["command"]), *map(str, given)]
    )


def _was_decided(folders: Folders, session: str, since: int) -> bool:
    """Whether the hook came to a decision; without one, something broke, and that blocks whatever is called."""
    try:
        database = open_for_reading(folders.ledger)
    except StoreError:
        return False
    try:
        return any(session in row[3] for row in select(database, kind="decision", since=since))
    except StoreError:
        return False
    finally:
        database.close()


def of_installation(folders: Folders, root: str) -> list[Found]:
    kept, package = kept_launcher(folders), own_package()
    found = []
    if passing(package):
        found.append(Found("installation", WARN, passing(package), "install it to stay: pipx install, uv tool install"))
    if package.startswith(root + "/"):
        text = f"{package} lies inside the project: what changes the project can change the guard"
        found.append(Found("installation", WARN, text, "install Interlock outside the project"))
    if kept is None:
        return [*found, Found("installation", OK, f"{words_for(build_here())} at {os.path.dirname(guard_path())}")]
    if not kept.is_copy and not os.path.exists(kept.package + "/hook/guard.py"):
        text = f"the launcher starts {kept.package}, which is gone"
        return [*found, Found("installation", BAD, text, "interlock install")]
    trouble = trouble_of(folders, kept, copy=True)
    if trouble:
        found.append(Found("installation", BAD if is_damaged(trouble) else WARN, trouble, "interlock update"))
    elif not kept.version:
        found.append(Found("installation", OK, f"a working copy at {kept.package}, not held to its files"))
    else:
        found.append(Found("installation", OK, f"hooks run {words_for(kept.version)}, as it was confirmed"))
    if kept.is_copy and package != kept.origin and os.path.exists(kept.origin):
        text = f"this command is another installation ({package}) than the one that was confirmed ({kept.origin})"
        found.append(Found("installation", WARN, text))
    return found


def of_policy(folders: Folders, root: str) -> list[Found]:
    try:
        policy = load_policy(folders, root)
    except InterlockError as error:
        return [Found("policy", BAD, error.for_people(), "interlock policy check")]
    faults = [Found("policy", BAD, fault, "interlock policy check") for fault in policy.faults]
    notices = [Found("policy", WARN, notice) for notice in policy.notices]
    notices += [Found("observe", WARN, said, "take `observe` out of your policy") for said in told_of_observing(policy)]
    urgent = told_of_bundle(at_start=True)
    bundle = [
        Found("bundle", BAD if told in urgent else WARN, told, "interlock bundle show") for told in told_of_bundle()
    ]
    heads = told_of_heads(folders, policy.evidence)
    notices += [Found("evidence", WARN, told, "interlock audit heads send") for told in heads]
    if policy.judge is not None:
        off = told_of_judges(policy.judge, folders)
        notices += [Found("judge", WARN, told, "interlock judge calibrate PACK") for told in off]
    sound = [] if faults or notices else [Found("policy", OK, f"{policy.approval_mode.name}, {policy.digest[:19]}")]
    return [*faults, *notices, *sound, *bundle]


def of_ledger(folders: Folders, root: str) -> list[Found]:
    if never_begun(folders):
        return [Found("ledger", OK, "nothing is recorded yet")]
    walked = verify(folders, deep=False)
    if walked.damage is not None:
        return [Found("ledger", BAD, str(walked.damage.text), "interlock audit verify")]
    found = [Found("ledger", OK, f"{counted(walked.count, 'row')}, whole")]
    database = open_for_reading(folders.ledger)
    try:
        tip = database.row(sql.TIP)
        now = time.time_ns() // 1_000_000
        ahead = 0 if tip is None else tip[2] - now
        off = off_now(database, load_policy(folders, root), now)
    except InterlockError:
        ahead, off = 0, {}
    finally:
        database.close()
    if ahead > _SKEW:
        text = f"it is {ahead // 60_000} minutes behind the newest row: times that end something do not end"
        found.append(Found("clock", BAD, text, "set this machine's clock"))
    else:
        found.append(Found("clock", OK, "not behind the ledger"))
    if off:
        found.append(Found("off", WARN, "all but the floor is switched off for now", "interlock on"))
    return found


def of_person(folders: Folders, root: str) -> list[Found]:
    other = other_home(folders, os.environ)
    if other and not folders.given:
        text = f"HOME is {other}, and the system's user table names {folders.home}"
        return [Found("home", WARN, text, f"interlock --home {other} install")]
    return [Found("home", OK, folders.home)]


def of_system(_folders: Folders, _root: str) -> list[Found]:
    found = this_system()
    return [Found("system", BAD if found == NO_WINDOWS else WARN, found)] if found else []


def of_files(folders: Folders, *, fix: bool) -> list[Found]:
    """Nobody else may write what the guard goes by, nor read the ledger and its keys."""
    wrong, foreign = {}, []
    for folder, mask in ((folders.config, _WRITES), (folders.data, _WRITES), (folders.state, _READS)):
        for at, _, names in os.walk(folder):
            for path in (at, *[f"{at}/{name}" for name in names]):
                seen = os.lstat(path)
                if seen.st_uid != os.getuid():
                    foreign.append(path)
                elif seen.st_mode & mask and not os.path.islink(path):
                    wrong[path] = seen.st_mode & 0o7777, mask
    found = [Found("files", BAD, f"{path} belongs to another user", f"chown {os.getuid()} {path}") for path in foreign]
    for path, (mode, mask) in wrong.items():
        may = "change" if mode & _WRITES else "read"
        if fix:
            os.chmod(path, mode & ~mask)
            found.append(Found("files", FIXED, f"others can no longer {may} {path}"))
        else:
            state = BAD if mode & _WRITES else WARN
            found.append(Found("files", state, f"others can {may} {path} (mode {mode:o})", "interlock doctor --fix"))
    return found or [Found("files", OK, "nobody else can change Interlock's own, or read the ledger")]
