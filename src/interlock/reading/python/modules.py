"""Names of the modules that come with Python; kept as text, so that every Python reads alike."""

from __future__ import annotations

__all__ = ["OF_TOOLS", "STANDARD"]

STANDARD = frozenset(
    (
        "abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb "
        "binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop "
        "collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg "
        "crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings "
        "ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath "
        "getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp "
        "importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap "
        "marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath "
        "nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil "
        "platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data "
        "pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors "
        "shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile "
        "sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig "
        "syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter token "
        "tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib "
        "uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile "
        "zipimport zlib zoneinfo __future__"
    ).split()
)

# Packages that well-known tools import when they start, and the tools themselves.
OF_TOOLS = frozenset(
    (
        "_pytest _yaml aiohttp alabaster alembic annotated_types ansible anyio argcomplete asgiref astroid attr attrs "
        "babel bandit black blib2to3 blinker bs4 build cachetools celery certifi cffi cfgv chardet charset_normalizer "
        "click colorama commitizen coverage cryptography cython dateutil decorator dill distlib django docopt docutils "
        "dotenv exceptiongroup execnet fastapi filelock flake8 flask freezegun fsspec gitdb greenlet gunicorn h11 "
        "httpcore httpx hypothesis identify idna imagesize importlib_metadata importlib_resources iniconfig invoke "
        "ipython_genutils isort itsdangerous jaraco jedi jinja2 jsonschema jupyter_client jupyter_core keyring kombu "
        "librt loguru lxml mako markdown markdown_it markupsafe mccabe mdurl mkdocs more_itertools msgpack multidict "
        "mypy mypy_extensions mypyc nodeenv nox numpy orjson packaging pandas parso pathspec pbr pexpect pip "
        "pkg_resources pkginfo platformdirs playwright pluggy ply poetry pre_commit prompt_toolkit psutil psycopg "
        "psycopg2 ptyprocess py pycodestyle pycparser pydantic pydantic_core pydantic_settings pydocstyle pyflakes "
        "pygments pylint pyparsing pyproject_hooks pytest pytest_asyncio pytest_cov pytest_mock pytokens pytz "
        "readme_renderer referencing regex requests requests_toolbelt rich rpds ruamel ruff scipy setuptools "
        "shellingham sitecustomize six sniffio snowballstemmer sortedcontainers sphinx sqlalchemy sqlparse starlette "
        "stevedore tabulate tenacity toml tomli tomli_w tomlkit toolz tornado tox tqdm traitlets trio twine typeguard "
        "typer typing_extensions typing_inspect tzdata ujson urllib3 usercustomize uvicorn uvloop virtualenv "
        "watchfiles wcwidth websockets werkzeug wheel xdist yaml yamllint yarl zipp zmq"
    ).split()
)
