"""What the functions of Python do, one row each. The reader is python.py; a new function is a new row here."""

from __future__ import annotations

__all__ = ["ACTING", "CALLS", "HIDDEN", "METHODS", "NETWORK", "TRUSTING"]

# function -> roles of its arguments, in order (see commands/spec.py); `argv` is a command as a list or a
# text, `shell` a command line; `process` is one that is ended, `unpickle` a file that is run when it is loaded,
# `foreign` code that is fetched and run, `rights` whom the process becomes
CALLS: dict[str, tuple[str, ...]] = {
    "os.remove": ("delete",),
    "os.unlink": ("delete",),
    "os.rmdir": ("delete",),
    "os.removedirs": ("delete",),
    "shutil.rmtree": ("delete",),
    "os.truncate": ("write",),
    "os.rename": ("move", "write"),
    "os.renames": ("move", "write"),
    "os.replace": ("move", "write"),
    "shutil.move": ("move", "write"),
    "shutil.copy": ("read", "write"),
    "shutil.copy2": ("read", "write"),
    "shutil.copyfile": ("read", "write"),
    "shutil.copytree": ("read", "write"),
    "shutil.make_archive": ("write",),
    "shutil.unpack_archive": ("read", "write"),
    "os.symlink": ("text", "link"),
    "os.link": ("read", "link"),
    "os.chmod": ("mode",),
    "os.chown": ("mode",),
    "shutil.chown": ("mode",),
    "os.mkdir": ("write",),
    "os.makedirs": ("write",),
    "os.mkfifo": ("write",),
    "os.open": ("write",),
    "os.listdir": ("list",),
    "os.scandir": ("list",),
    "os.walk": ("list",),
    "os.system": ("shell",),
    "os.popen": ("shell",),
    "subprocess.run": ("argv",),
    "subprocess.call": ("argv",),
    "subprocess.check_call": ("argv",),
    "subprocess.check_output": ("argv",),
    "subprocess.Popen": ("argv",),
    "subprocess.getoutput": ("shell",),
    "subprocess.getstatusoutput": ("shell",),
    "pty.spawn": ("argv",),
    "os.execv": ("text", "argv"),
    "os.execve": ("text", "argv"),
    "os.execvp": ("text", "argv"),
    "os.execl": ("program",),
    "os.execlp": ("program",),
    "os.spawnl": ("text", "program"),
    "os.spawnlp": ("text", "program"),
    "os.posix_spawn": ("program",),
    "urllib.request.urlopen": ("fetch",),
    "urllib.request.urlretrieve": ("fetch", "write"),
    "requests.get": ("fetch",),
    "requests.head": ("fetch",),
    "requests.post": ("sends",),
    "requests.put": ("sends",),
    "requests.patch": ("sends",),
    "requests.delete": ("sends",),
    "httpx.get": ("fetch",),
    "httpx.post": ("sends",),
    "httpx.put": ("sends",),
    "os.kill": ("process",),
    "os.killpg": ("process",),
    "signal.pidfd_send_signal": ("process",),
    "runpy.run_path": ("script",),
    "torch.load": ("unpickle",),
    "pickle.load": ("unpickle",),
    "dill.load": ("unpickle",),
    "cloudpickle.load": ("unpickle",),
    "joblib.load": ("unpickle",),
    "pandas.read_pickle": ("unpickle",),
    "numpy.lib.npyio.load": ("unpickle",),
    "torch.hub.load": ("foreign",),
    "torch.hub.load_state_dict_from_url": ("foreign",),
    "os.setuid": ("rights",),
    "os.setgid": ("rights",),
    "os.seteuid": ("rights",),
    "os.chroot": ("rights",),
    "os.mknod": ("write",),
    "os.lchown": ("mode",),
    "os.readlink": ("list",),
    "linecache.getline": ("read",),
    "linecache.getlines": ("read",),
    "fileinput.input": ("read",),
    "numpy.loadtxt": ("read",),
    "numpy.fromfile": ("read",),
    "pandas.read_json": ("read",),
    "pandas.read_table": ("read",),
    "requests.request": ("text", "sends"),
    "httpx.patch": ("sends",),
    "httpx.delete": ("sends",),
    "httpx.request": ("text", "sends"),
    "pandas.read_csv": ("read",),
    "numpy.load": ("read",),
}

# Modules that act: one that is handed on as a value may be used under any name.
ACTING = frozenset("os subprocess shutil pty builtins importlib ctypes posix runpy sys.modules".split())

# Keywords that let code of somebody else run, whatever the function is.
TRUSTING = frozenset(("trust_remote_code", "allow_dangerous_deserialization"))

# Modules whose use talks to another machine, whatever is called.
NETWORK = frozenset(
    (
        "socket",
        "smtplib",
        "ftplib",
        "telnetlib",
        "paramiko",
        "http.client",
        "imaplib",
        "poplib",
        "asyncssh",
        "websocket",
        "websockets",
        "http.server",
        "socketserver",
        "SimpleHTTPServer",
        "SocketServer",
        "xmlrpc.server",
    )
)

# Functions that run or load what cannot be seen here.
HIDDEN = frozenset(
    "eval exec compile __import__ getattr setattr globals locals vars importlib.import_module importlib.reload "
    "pickle.loads marshal.loads runpy.run_module ctypes.CDLL ctypes.cdll.LoadLibrary code.interact builtins.eval "
    "builtins.exec "
    "builtins.__import__ types.FunctionType types.CodeType dill.loads cloudpickle.loads "
    "jsonpickle.decode yaml.unsafe_load".split()
)

# Methods that act on the object they belong to, by the role of that object.
METHODS = {
    "unlink": "delete",
    "rmdir": "delete",
    "write_text": "write",
    "write_bytes": "write",
    "touch": "write",
    "mkdir": "write",
    "symlink_to": "link",
    "hardlink_to": "link",
    "chmod": "mode",
    "read_text": "read",
    "read_bytes": "read",
    "iterdir": "list",
    "kill": "process",
    "terminate": "process",
    "send_signal": "process",
    "suspend": "process",
    "rglob": "list",
}
