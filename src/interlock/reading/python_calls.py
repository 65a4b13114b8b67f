"""What the functions of Python do, one row each. The reader is python.py; a new function is a new row here."""

from __future__ import annotations

__all__ = ["CALLS", "HIDDEN", "METHODS", "NETWORK"]

# function -> roles of its arguments, in order (see commands/spec.py); `argv` is a command as a list or a
# text, `shell` a command line
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
    "runpy.run_path": ("script",),
    "pandas.read_csv": ("read",),
    "numpy.load": ("read",),
}

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
    "pickle.load "
    "pickle.loads marshal.loads runpy.run_module ctypes.CDLL ctypes.cdll.LoadLibrary code.interact builtins.eval "
    "builtins.exec "
    "builtins.__import__ types.FunctionType types.CodeType dill.loads cloudpickle.loads".split()
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
    "rglob": "list",
}
