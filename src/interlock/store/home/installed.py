"""What was put into the settings of hosts: the bytes before, the digest of what was written, and the way back.

One small file lists it, `installed.json` beside the ledger; the bytes before are files beside that, which a person can
copy back by hand. A settings file is replaced in one step, keeps its permissions, and is written where a link leads.
"""

from __future__ import annotations

import json
import os
from typing import Any

from ...bytes.canon import digest_of_bytes
from ...install.fragment import is_ours, ours_in, put_in, taken_out
from ...install.seat import entries_in, is_seated, seated, unseated
from ...limits import MAX_WATCHED_BYTES
from ...model.errors import InputError, StoreError
from ...value import Value
from .confirmed import remove_copies
from .files import read_file, write_file
from .folders import Folders
from .own_name import with_own_name

__all__ = [
    "Change",
    "backup_of",
    "installed_files",
    "plan_file",
    "plan_install",
    "plan_manifest",
    "plan_plugin",
    "plan_uninstall",
    "remove_launcher",
    "write_change",
]

_MAX_RECORD = 1 << 20
_OWN, _SHARED = 0o600, 0o644
_PLUGIN = ".js"  # how a file ends that is ours alone


class Change(Value):
    """A settings file as it is, as it would be, and what is kept so that it can be undone. None: there is no file."""

    host: str
    scope: str
    file: str
    now: bytes | None
    then: bytes | None
    before: bytes | None = None  # as it was before we ever wrote to it
    switches: tuple[Any, ...] = ()
    exact: bool = True  # going back is byte for byte
    replaces: bool = False  # entries of ours are there already, and others than these
    whole: bool = False  # the file is all ours

    @property
    def idle(self) -> bool:
        return self.now == self.then


def installed_files(folders: Folders) -> dict[str, dict[str, Any]]:
    """Path -> what is kept about it. A record that cannot be read counts as none: taking out goes by the entries."""
    try:
        raw = read_file(folders.installed, limit=_MAX_RECORD)
        found = json.loads(raw or b"{}").get("files", {})
    except (StoreError, ValueError, AttributeError):
        return {}
    return {str(path): entry for path, entry in found.items() if isinstance(entry, dict)}


def plan_install(
    folders: Folders, host: str, scope: str, file: str, fragment: dict[str, Any], *, seat: str = ""
) -> Change:
    """What the settings become. `seat`: a plug-in of ours that they put before all others. InputError where they cannot
    be edited safely.
    """
    now = _read(file)
    text = _text(file, now)
    settings = _settings(file, text)
    fragment = with_own_name(fragment, now)
    ours = ours_in(settings)
    sits = not seat or entries_in(settings)[:1] == [seat]
    if ours and ours == ours_in(fragment) and _holds(settings, fragment) and sits:
        return Change(host=host, scope=scope, file=file, now=now, then=now)
    record = installed_files(folders).get(file, {})
    before = _before(folders, file, now, record) if ours or is_seated(settings) else now
    try:
        then, switches = put_in(_text(file, before), fragment)
        then = seated(then, seat) if seat else then
    except InputError as error:
        raise InputError(f"`{file}` cannot take the hooks: {error}; nothing was changed") from None
    return Change(
        host=host,
        scope=scope,
        file=file,
        now=now,
        then=then.encode(),
        before=before,
        switches=switches,
        replaces=bool(ours),
    )


def plan_plugin(folders: Folders, host: str, scope: str, file: str, text: str) -> Change:
    """A file that is ours alone. InputError where somebody else's has its name."""
    now = _read(file)
    if now is not None and not is_ours(_text(file, now)):
        raise InputError(f"`{file}` is not Interlock's; nothing was changed. Move it away, and try again")
    then = text.encode()
    return Change(host=host, scope=scope, file=file, now=now, then=then, replaces=now is not None and now != then)


def plan_manifest(host: str, scope: str, file: str, manifest: dict[str, Any]) -> Change:
    """The file that says what a plug-in is. InputError where it is somebody else's plug-in."""
    now = _read(file)
    if now is not None and _settings(file, _text(file, now)).get("name") != manifest["name"]:
        raise InputError(f"`{file}` belongs to another plug-in; name a folder of its own")
    then = (json.dumps(manifest, indent=2) + "\n").encode()
    return Change(host=host, scope=scope, file=file, now=now, then=then, whole=True)


def plan_file(host: str, scope: str, file: str, text: str) -> Change:
    """A file in a folder that is ours alone."""
    return Change(host=host, scope=scope, file=file, now=_read(file), then=text.encode(), whole=True)


def plan_uninstall(folders: Folders, host: str, scope: str, file: str) -> Change:
    """What the settings become without us: byte for byte as before, where nothing else has changed since."""
    now = _read(file)
    record = installed_files(folders).get(file, {})
    if record.get("whole"):  # ours alone; what somebody has changed since is left
        as_written = _is_as_written(now, record)
        then = _before(folders, file, now, record) if as_written else now
        return Change(host=host, scope=scope, file=file, now=now, then=then, exact=as_written)
    if file.endswith(_PLUGIN):
        whole = now is not None and is_ours(_text(file, now))
        exact = _is_as_written(now, record)
        return Change(host=host, scope=scope, file=file, now=now, then=None if whole else now, exact=exact)
    settings = _settings(file, _text(file, now))
    if not ours_in(settings) and not is_seated(settings):
        return Change(host=host, scope=scope, file=file, now=now, then=now)
    before = _before(folders, file, now, record)
    exact = _is_as_written(now, record)
    return Change(host=host, scope=scope, file=file, now=now, then=before, before=before, exact=exact)


def write_change(folders: Folders, change: Change, *, installs: bool) -> str:
    """Writes it, and what is needed to undo it. The path of the backup; empty where there is none."""
    if _read(change.file) != change.now:
        raise StoreError(f"`{change.file}` was changed meanwhile; nothing was written. Run the command again")
    records = installed_files(folders)
    old = records.pop(change.file, {})
    backup = ""
    if installs:
        if change.before is not None:
            backup = backup_of(folders, change.file)
            write_file(backup, change.before)
        records[change.file] = {
            "after": digest_of_bytes(change.then or b""),
            "backup": backup,
            "before": None if change.before is None else digest_of_bytes(change.before),
            "host": change.host,
            "made": old.get("made") or _made_for(change.file, records),
            "scope": change.scope,
            "switches": [[list(path), list(was)] for path, was in change.switches],
            **({"whole": True} if change.whole else {}),
        }
        _keep(folders, records)
    _put(change, old)
    if not installs:
        _keep(folders, records)
        _unlink(backup_of(folders, change.file))
    return backup


def remove_launcher(folders: Folders) -> None:
    """Once no settings that we know of name it."""
    if installed_files(folders):
        return
    _unlink(folders.launcher)
    _unlink(os.path.dirname(folders.launcher) + "/answers.json")
    remove_copies(folders)
    for folder in (os.path.dirname(folders.launcher), folders.data):
        try:
            os.rmdir(folder)
        except OSError:
            return


def _before(folders: Folders, file: str, now: bytes | None, record: dict[str, Any]) -> bytes | None:
    """The file without us: from the backup, where nothing else was written since; else without our entries."""
    if _is_as_written(now, record):
        if record.get("before") is None:
            return None
        kept = read_file(backup_of(folders, file), limit=MAX_WATCHED_BYTES)
        if kept is not None and digest_of_bytes(kept) == record["before"]:
            return kept
    switches = tuple([(tuple(path), tuple(was)) for path, was in record.get("switches", ())])
    return unseated(taken_out(_text(file, now), switches)).encode()


def backup_of(folders: Folders, file: str) -> str:
    return f"{folders.state}/before/{digest_of_bytes(file.encode())[-16:]}.json"


def _is_as_written(now: bytes | None, record: dict[str, Any]) -> bool:
    return now is not None and record.get("after") == digest_of_bytes(now)


def _holds(settings: Any, fragment: Any) -> bool:
    """Whether every plain value of the fragment is there; hooks are compared by themselves."""
    if not isinstance(fragment, dict):
        return isinstance(fragment, list) or (settings == fragment and type(settings) is type(fragment))
    return isinstance(settings, dict) and all(
        key in settings and _holds(settings[key], value) for key, value in fragment.items()
    )


def _put(change: Change, old: dict[str, Any]) -> None:
    target = os.path.realpath(change.file)
    if change.then is None:
        _unlink(target)
        for folder in old.get("made", ()):
            try:
                os.rmdir(folder)  # ours, unless something else is in it by now
            except OSError:
                break
        return
    try:
        mode = os.stat(target).st_mode & 0o7777
    except OSError:
        mode = _OWN if change.scope == "user" else _SHARED
    write_file(target, change.then, mode=mode)


def _missing_folders(file: str) -> list[str]:
    """The folders that have to be made for the file, the innermost first."""
    found, folder = [], os.path.dirname(os.path.realpath(file))
    while not os.path.lexists(folder):
        found.append(folder)
        folder = os.path.dirname(folder)
    return found


def _made_for(file: str, records: dict[str, dict[str, Any]]) -> list[str]:
    """What has to be made for it, and what was made for others and holds it too: whoever goes last takes it along."""
    others = {made for record in records.values() for made in record.get("made", ()) if file.startswith(f"{made}/")}
    return [*_missing_folders(file), *sorted(others, key=len, reverse=True)]


def _keep(folders: Folders, records: dict[str, dict[str, Any]]) -> None:
    write_file(folders.installed, json.dumps({"files": records, "version": 1}, indent=1, sort_keys=True).encode())


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StoreError(f"`{path}` could not be removed: {error.strerror}") from None


def _read(file: str) -> bytes | None:
    if os.path.islink(file) and not os.path.exists(file):
        raise StoreError(f"`{file}` is a link to nowhere; nothing was changed")
    return read_file(file, limit=MAX_WATCHED_BYTES)


def _text(file: str, raw: bytes | None) -> str:
    try:
        return (raw or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"`{file}` is not UTF-8; nothing was changed") from None


def _settings(file: str, text: str) -> dict[str, Any]:
    from ...install.json_text import located, whole

    if not text.strip():
        return {}
    try:
        found: dict[str, Any] = whole(text, located(text))
    except InputError as error:
        comments = " Comments are not JSON: take them out, or put the hooks in by hand." if "//" in text else ""
        raise InputError(f"`{file}` is not plain JSON: {error}. Nothing was changed.{comments}") from None
    return found
