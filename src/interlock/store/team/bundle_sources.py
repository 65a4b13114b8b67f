"""Where a bundle comes from: a file, an address, or the team store. None of them is believed; its signature is."""

from __future__ import annotations

from ...limits import BUNDLE_FETCH_SECONDS, MAX_BUNDLE_BYTES
from ...model.errors import InputError, StoreError
from ...record.policy_bundle import Bundle
from ..home.files import read_file
from ..home.folders import Folders
from ..ledger.postgres import shown
from ..outside.http import fetch
from ..sql.bundles import NEWEST_BUNDLE, PUBLISH_BUNDLE
from .team import open_team

__all__ = ["bundle_from", "publish"]


def bundle_from(source: str, folders: Folders) -> tuple[bytes, str]:
    """The bytes, and the source as it may be shown. StoreError where there are none to be had."""
    if source.startswith(("http:", "https:")):
        return fetch(source, limit=MAX_BUNDLE_BYTES, seconds=BUNDLE_FETCH_SECONDS), source.partition("?")[0]
    if source.startswith(("postgres:", "postgresql:")):
        return _from_team(source, folders), shown(source)
    if "://" in source:
        raise InputError(f"`{source[:100]}` is not a source of bundles; name a file, https://… or postgresql://…")
    raw = read_file(source, limit=MAX_BUNDLE_BYTES)
    if raw is None:
        raise StoreError(f"`{source}` is not there")
    return raw, source


def _from_team(url: str, folders: Folders) -> bytes:
    database = open_team(url, folders)
    try:
        row = database.row(NEWEST_BUNDLE)
    finally:
        database.close()
    if row is None:
        raise StoreError(f"`{shown(url)}` holds no bundle; publish one with: interlock bundle publish FILE")
    return bytes(row[0])


def publish(url: str, folders: Folders, bundle: Bundle, raw: bytes) -> None:
    """Puts a bundle into the team store, above those that are there. StoreError where it may not be."""
    database = open_team(url, folders)
    try:
        row = database.row(PUBLISH_BUNDLE, (bundle.number, raw))
        if row is None or row[0] is not True:
            raise StoreError(f"`{shown(url)}` holds bundle {bundle.number} or a higher one already; numbers only go up")
    finally:
        database.close()
