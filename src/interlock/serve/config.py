"""Where the settings of the service are, and where its ledger is.

The commands that look at that ledger ask here too, so nothing here needs the packages of the service.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..model.errors import InputError, StoreError
from ..store.home.files import read_file
from ..store.home.folders import Folders
from ..store.ledger.ledger import Ledger
from ..store.ledger.lending import ledgers_in_postgres
from ..store.ledger.sqlite import Database
from .settings import Settings, settings_from

__all__ = ["config_file", "database_of", "load_settings", "made_by", "not_a_team_store"]

_MAX_CONFIG = 64 * 1024


def config_file(folders: Folders) -> str:
    return folders.config + "/serve.toml"


def load_settings(folders: Folders, file: str | None, given: dict[str, Any]) -> Settings:
    path = file or config_file(folders)
    raw = read_file(path, limit=_MAX_CONFIG)
    if raw is None and file is not None:
        raise InputError(f"{file} is not there")
    try:
        return settings_from((raw or b"").decode(), path, given)
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text") from None


def database_of(folders: Folders, given: str | None) -> str:
    """The address of the service's ledger: what was given, else what `serve.toml` says; empty: the ledger here."""
    return given if given is not None else load_settings(folders, None, {}).database


def made_by(folders: Folders, database: str) -> Callable[[str, float], Ledger]:
    """Makes ledgers for a front and a patience, each with a connection of its own."""
    if database:
        return ledgers_in_postgres(database, folders)
    return lambda front, patience: Ledger(folders.ledger, front=front, patience=patience)


def not_a_team_store(ledger: Ledger) -> None:
    """StoreError where the database is a team's: its accounts may write there what only the service should."""
    database = ledger.connect()
    if not isinstance(database, Database) and database.has_team():
        raise StoreError(f"`{database.path}` is a team store; give the service a database of its own")
