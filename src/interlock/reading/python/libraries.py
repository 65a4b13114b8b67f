"""Python libraries that act under other names than Python's own: file systems, git, SQL engines, keyrings.

A file system of a library (`pyarrow.fs`, `fsspec`, `tensorflow.io.gfile`) does to a path what a program would do; one
on another machine is a service. GitPython is the program git. A keyring, or a kit that hands out the credentials of a
cloud, gives a secret to the code and so to whoever reads what it prints.
"""

from __future__ import annotations

from ...model.effects import Effect
from ...value import TYPE_CHECKING
from ..places.places import place_of
from .values import SECRET, UNKNOWN, Given, Held, as_text, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from .called import Called
    from .services import Services

    Row = Callable[["Called", str, Given], Held]

__all__ = ["FILE_FUNCTIONS", "GIT", "HANDS_OUT", "LIBRARIES", "OF_TOKENS", "git_call", "is_throwaway", "of_filesystem"]


def _names(prefixes: str, roles: dict[str, str]) -> dict[str, tuple[str, ...]]:
    return {
        f"{prefix}.{name}": tuple(role.split())
        for prefix in prefixes.split()
        for role, names in roles.items()
        for name in names.split()
    }


# Functions on paths, as rows of calls.py: the roles of their arguments.
FILE_FUNCTIONS: dict[str, tuple[str, ...]] = {
    **_names(
        "tensorflow.io.gfile tensorflow.gfile tensorflow.compat.v1.gfile",
        {
            "delete": "rmtree remove DeleteRecursively Remove",
            "move write": "rename Rename",
            "read write": "copy Copy",
            "folder": "makedirs mkdir MakeDirs MkDir",
            "list": "listdir glob walk ListDirectory Glob Walk",
        },
    ),
    **_names("pyarrow.fs", {"read write": "copy_files"}),
    **_names("aiofiles.os", {"delete": "remove unlink rmdir removedirs", "move write": "rename replace"}),
    **_names("aioshutil", {"delete": "rmtree", "read write": "copy copytree copyfile copy2", "move write": "move"}),
    **_names("anyio", {"delete": "rmtree"}),
    **_names("setuptools._shutil", {"delete": "rmtree"}),
    **_names("polars", {"read": "read_csv read_parquet read_json read_ndjson scan_csv scan_parquet read_excel"}),
    **_names("pyarrow.parquet", {"read": "read_table ParquetFile", "text write": "write_table"}),
    **_names("pyarrow.csv", {"read": "read_csv", "text write": "write_csv"}),
    **_names("duckdb", {"read": "read_csv read_json read_parquet from_csv_auto from_parquet"}),
}

# Methods of a file system on this machine -> roles of their arguments.
_METHODS: dict[str, tuple[str, ...]] = {
    method: tuple(roles.split())
    for roles, methods in {
        "delete": "rm rm_file rmdir delete remove unlink delete_dir delete_dir_contents delete_file rmtree removetree "
        "removedir rm_rf",
        "move write": "mv move rename mv_file movefile movedir",
        "read write": "cp copy cp_file copy_file copyfile copydir get get_file put put_file download upload",
        "write": "touch pipe pipe_file write_text write_bytes open_output_stream open_append_stream writetext "
        "writebytes create",
        "read": "cat cat_file read_text read_bytes head tail read_block open_input_file open_input_stream readtext "
        "readbytes cat_ranges",
        "folder": "mkdir makedirs mkdirs create_dir makedir",
        "list": "ls find glob walk listdir get_file_info du",
        "mode": "chmod",
    }.items()
    for method in methods.split()
}
_LOCAL = frozenset(("", "file", "local"))


def of_filesystem(reader: Services, name: str, given: Given) -> Held:
    """A method of a file system on this machine."""
    if name == "open" and given.args:
        from .making import MAKING

        return MAKING["open"](reader, "open", given)  # type: ignore[arg-type]
    roles = _METHODS.get(name)
    if roles is None:
        return UNKNOWN
    flow = 0
    for role, held in zip(roles, given.args or [UNKNOWN], strict=False):
        for one in held.items if held.items and held.kind == "" else (held,):
            flow |= reader.path(role, one)
    return unknown(flow)


def _filesystem(reader: Called, name: str, given: Given) -> Held:
    return Held(kind="filesystem")


def _by_protocol(reader: Called, name: str, given: Given) -> Held:
    """`fsspec.filesystem("file")`; any other protocol is a service elsewhere."""
    protocol = given.get(0, "protocol", "fs_url")
    text = as_text(protocol) if protocol is not None and protocol.known else "?"
    if text.partition(":")[0] in _LOCAL or text[:1] in ("/", "."):
        return Held(kind="filesystem")
    return reader.service("fsspec.filesystem", given)


def _from_uri(reader: Called, name: str, given: Given) -> Held:
    fs = _by_protocol(reader, name, given)
    return Held(items=[fs, given.args[0] if given.args else UNKNOWN])


def _settings(reader: Called, name: str, given: Given) -> Held:
    """`configparser.ConfigParser()`: what reads files by its methods."""
    return Held(kind="settings", flow=given.flow)


def _reads_env(reader: Called, name: str, given: Given) -> Held:
    """`environ.Env.read_env()`: without a path, the `.env` of the project."""
    return unknown(reader.path("read", given.get(0, "env_file", "path") or Held(".env")))


def _open(reader: Called, name: str, given: Given) -> Held:
    from .making import MAKING

    return MAKING["open"](reader, "open", given)


def _archived(reader: Called, name: str, given: Given) -> Held:
    """`shutil.make_archive(base, format, root_dir, base_dir)`: all that is in the folder is read."""
    reader.path("write", given.get(0, "base_name"))
    root, base = given.get(2, "root_dir"), given.get(3, "base_dir")
    flow = 0
    for held in (root, base):
        if held is not None and not (held.kind == "constant" and held.data is None):
            flow |= reader.path("read", held)
    if given.spread:
        reader.unclear("it is unclear which folder is packed")
    return unknown(flow)


def _keeps(reader: Called, name: str, given: Given) -> Held:
    """`json.dump(dict(os.environ), file)`: the whole environment, kept in a file."""
    held = given.get(0, "obj", "data") or UNKNOWN
    whole = held.name in ("os.environ", "os.environb") or (held.kind == "table" and held.glob and held.flow & SECRET)
    if whole and not is_throwaway(reader, given.get(1, "fp", "stream", "file")):
        reader.emit("sys:env", ("environment", "wholesale"), effects=(Effect.READ,))
    reader.hand_on_functions(given)
    return unknown(given.flow)


def is_throwaway(reader: Services, file: Held | None) -> bool:
    """A file in a temporary folder, or standard output."""
    if file is None or file.kind != "file" or not isinstance(file.data, Held):
        return file is not None and file.name in ("sys.stdout", "sys.stderr")
    path = as_text(file.data)
    return file.data.known and path[:1] == "/" and place_of(path, reader.found.facts) == "temp"


def _default(reader: Called, name: str, given: Given) -> Held:
    """`google.auth.default()`: credentials, and the name of a project."""
    return Held(items=[Held(kind="sdk", data=name), UNKNOWN])


def _gives_secret(reader: Called, name: str, given: Given) -> Held:
    reader.emit("secret:read", ("secret",), {"from": name}, (Effect.READ,))
    return unknown(SECRET)


def _sql(reader: Called, name: str, given: Given) -> Held:
    """`duckdb.sql(…)`: a statement on the database in memory, which reaches files."""
    reader.statement(Held(kind="database", data=("duckdb", None, False)), "execute", given)
    return Held(kind="database", data=("duckdb", None, False))


def _sql_of(reader: Called, name: str, given: Given) -> Held:
    """`pandas.read_sql(statement, connection)`."""
    connection = given.get(1, "con", "connection") or UNKNOWN
    reader.statement(connection, "execute", Given(given.args[:1], given.words))
    return unknown(given.flow)


def _rows(row: Row, names: str) -> dict[str, Row]:
    return dict.fromkeys(names.split(), row)


LIBRARIES: dict[str, Row] = {
    **_rows(_filesystem, "pyarrow.fs.LocalFileSystem pyarrow.fs.SubTreeFileSystem pyarrow.LocalFileSystem "
        "fsspec.implementations.local.LocalFileSystem fs.osfs.OSFS fs.open_fs dask.bytes.local.LocalFileSystem"),
    **_rows(_by_protocol, "fsspec.filesystem fsspec.get_filesystem_class"),
    **_rows(_from_uri, "pyarrow.fs.FileSystem.from_uri fsspec.core.url_to_fs fsspec.url_to_fs"),
    **_rows(_open, "fsspec.open fsspec.core.open smart_open.open smart_open.smart_open tensorflow.io.gfile.GFile "
        "tensorflow.gfile.GFile tensorflow.compat.v1.gfile.GFile aiofiles.open anyio.open_file"),
    **_rows(_settings, "configparser.ConfigParser configparser.RawConfigParser configparser.SafeConfigParser "
        "ConfigParser.ConfigParser ConfigParser.RawConfigParser ConfigParser.SafeConfigParser environ.Env "
        "environ.FileAwareEnv environs.Env"),
    **_rows(_reads_env, "environ.Env.read_env environ.FileAwareEnv.read_env environs.Env.read_env"),
    **_rows(_archived, "shutil.make_archive distutils.archive_util.make_archive"),
    **_rows(_keeps, "json.dump yaml.dump yaml.safe_dump pickle.dump toml.dump tomli_w.dump joblib.dump"),
    **_rows(_gives_secret, "keyring.get_password keyring.get_credential keyring.backend.get_password "
        "secretstorage.get_default_collection secretstorage.search_items browser_cookie3.load browser_cookie3.chrome "
        "browser_cookie3.firefox browser_cookie3.edge browser_cookie3.brave browsercookie.load "
        "pycookiecheat.chrome_cookies "
        "huggingface_hub.get_token huggingface_hub.HfFolder.get_token botocore.session.Session.get_credentials "
        "requests.utils.get_netrc_auth tinynetrc.Netrc win32cred.CredRead win32crypt.CryptUnprotectData"),
    **_rows(_default, "google.auth.default google.auth.load_credentials_from_file"),
    **_rows(_sql, "duckdb.sql duckdb.execute duckdb.query duckdb.from_query duckdb.query_df duckdb.executemany"),
    **_rows(_sql_of, "pandas.read_sql pandas.read_sql_query polars.read_database connectorx.read_sql"),
}  # fmt: skip

# Methods of a kit that hand out what opens doors.
HANDS_OUT = frozenset(
    "get_credentials get_frozen_credentials get_secret_value batch_get_secret_value get_secret access_secret_version "
    "get_token get_password get_credential read_secret read_secret_version read_namespaced_secret get_login_profile "
    "list_namespaced_secret list_secret_for_all_namespaces get_session_token assume_role get_authorization_token "
    "get_federation_token get_access_token generate_access_token generate_id_token fetch_id_token "
    "get_parameters_by_path "
    "get_role_credentials create_access_key get_cluster_credentials list_cluster_admin_credentials decrypt".split()
)
# Attributes of what a kit has given that are the secret itself.
OF_TOKENS = frozenset(
    "token id_token refresh_token access_token secret_key access_key session_token connection_string password "
    "client_secret private_key SecretString".split()
)

# Methods of GitPython -> what git is told; those of `repo.git` are git's own commands.
GIT: dict[str, tuple[str, ...]] = {
    "push": ("push",), "pull": ("pull",), "fetch": ("fetch",), "clone_from": ("clone",), "clone": ("clone",),
    "delete_head": ("branch", "-D"), "delete_tag": ("tag", "-d"), "delete_remote": ("remote", "remove"),
    "create_remote": ("remote", "add"), "reset": ("reset",), "checkout": ("checkout",), "commit": ("commit",),
    "add": ("add",), "remove": ("rm",), "set_url": ("remote", "set-url", "origin"), "add_url": ("remote", "add"),
}  # fmt: skip
_SETTINGS = frozenset(("set_value", "add_value", "remove_section", "remove_option"))


def git_call(reader: Services, name: str, given: Given) -> Held:
    """`repo.git.push("--force")`, `repo.remote().push(force=True)`, `Repo.clone_from(url, folder)`."""
    parts = name.split(".")
    verb = parts[-1]
    if "git" in parts[1:-1] or parts[:2] == ["git", "Git"] or parts[:3] == ["git", "cmd", "Git"]:
        words = [verb.replace("_", "-")]
        if verb == "execute":
            found = reader.words(given.args[0] if given.args else None)
            if found is None:
                reader.unclear("it is unclear which command of git is run")
            else:
                reader.start(found)
            return UNKNOWN
    elif verb in GIT:
        words = list(GIT[verb])
    elif verb in _SETTINGS:
        reader.unclear("a setting of git is changed")
        return UNKNOWN
    else:
        return Held(kind="sdk", data=name)
    for word, held in given.words.items():
        option = f"-{word}" if len(word) == 1 else f"--{word.replace('_', '-')}"
        if verb == "reset" and word == "working_tree":
            option = "--hard"
        if held.kind == "constant":
            words += [option] if held.data is True else []
        elif held.text is not None and word not in ("to_path", "url", "refspec", "env", "index"):
            words.append(option if held.kind == "number" else f"{option}={as_text(held)}")
    args = [reader.arg(Held(word)) for word in ("git", *words)]
    told = [one for held in given.args for one in (held.items if held.items and held.kind == "" else [held])]
    args += [reader.arg(held) for held in told if held.text is not None]
    args += [reader.arg(given.words[word]) for word in ("url", "to_path", "refspec") if word in given.words]
    if any(held.text is None and held.kind != "constant" for held in told) or given.spread:
        reader.unclear("it is unclear what git is told")
    reader.start(args)
    return UNKNOWN
