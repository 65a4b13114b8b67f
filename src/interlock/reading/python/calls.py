"""What the functions of Python do, one row each. What becomes of a row is acts.py's business."""

from __future__ import annotations

from .libraries import FILE_FUNCTIONS
from .standard import LOADS, STANDARD_CALLS

__all__ = ["ACTING", "ACTING_NAMES", "CALLS", "HIDDEN", "LOOKING", "METHODS", "NETWORK", "TRUSTING"]


def _rows(roles: str, names: str) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(names.split(), tuple(roles.split()))


# function -> roles of its arguments, in order (see tables/spec.py); `argv` is a command as a list or a
# text, `shell` a command line; `process` is one that is ended, `unpickle` a file that is run when it is loaded,
# `foreign` code that is fetched and run, `rights` whom the process becomes, `sql` a statement, `login` a command on
# another machine; `words` all arguments, and `listed` a list, each as the words of the program
# that is named after the colon
CALLS: dict[str, tuple[str, ...]] = {
    # files
    **_rows("delete", "os.remove os.unlink os.rmdir os.removedirs shutil.rmtree distutils.dir_util.remove_tree "
        "posix.remove posix.unlink posix.rmdir nt.remove pathlib.Path.unlink pathlib.Path.rmdir send2trash.send2trash "
        "test.support.os_helper.rmtree test.support.os_helper.unlink setuptools.distutils.dir_util.remove_tree"),
    **_rows("write", "os.truncate os.mkfifo os.mknod pathlib.Path.write_text "
        "pathlib.Path.write_bytes pathlib.Path.touch "
        "numpy.savetxt numpy.save dbm.open shelve.open dbm.dumb.open "
        "logging.FileHandler logging.handlers.RotatingFileHandler logging.handlers.TimedRotatingFileHandler "
        "logging.handlers.WatchedFileHandler mailbox.mbox mailbox.Maildir mailbox.MH mailbox.Babyl mailbox.MMDF "
        "venv.create compileall.compile_dir compileall.compile_file dbm.gnu.open dbm.ndbm.open "
        "readline.write_history_file"),
    **_rows("text write", "readline.append_history_file"),
    **_rows("folder", "os.mkdir os.makedirs pathlib.Path.mkdir"),
    **_rows("move write", "os.rename os.renames os.replace shutil.move posix.rename posix.replace pathlib.Path.rename "
        "pathlib.Path.replace distutils.file_util.move_file"),
    **_rows("read write", "shutil.copy shutil.copy2 shutil.copyfile shutil.copytree shutil.unpack_archive "
        "distutils.file_util.copy_file distutils.dir_util.copy_tree zipapp.create_archive"),
    **_rows("read read", "filecmp.cmp filecmp.dircmp"),
    **_rows("linked link", "os.symlink posix.symlink"),
    **_rows("read link", "os.link posix.link"),
    **_rows("closed", "os.chmod os.chown shutil.chown posix.chmod pathlib.Path.chmod"),  # its mode is not read
    **_rows("mode", "os.lchown os.lchmod os.chflags os.setxattr os.removexattr"),
    **_rows("list", "os.listdir os.scandir os.readlink posix.listdir os.fwalk"),
    **_rows("read", "linecache.getline linecache.getlines numpy.loadtxt numpy.fromfile numpy.load "
        "pandas.read_csv pandas.read_json pandas.read_table pandas.read_excel pandas.read_parquet pandas.read_feather "
        "pathlib.Path.read_text pathlib.Path.read_bytes numpy.genfromtxt tokenize.open mmap.mmap "
        "dotenv.dotenv_values dotenv.load_dotenv netrc.netrc"),
    # programs
    **_rows("shell", "os.system os.popen posix.system posix.popen subprocess.getoutput subprocess.getstatusoutput "
        "asyncio.create_subprocess_shell commands.getoutput commands.getstatusoutput popen2.popen2 popen2.popen3 "
        "os.popen2 os.popen3 os.popen4 platform.popen asyncio.subprocess.create_subprocess_shell invoke.run "
        "pexpect.run pexpect.spawn pexpect.runu fabric.api.local invoke.context.Context.run winpexpect.winspawn "
        "pipes.Template invoke.Context.run invoke.Context.sudo fabric.Connection.local fabric.Connection.run "
        "fabric.Connection.sudo doit.action.CmdAction doit.tools.Interactive doit.tools.LongRunning"),
    **_rows("text shell", "pydoc.pipepager pydoc.tempfilepager pydoc.pipe_pager pydoc.tempfile_pager"),
    **_rows("argv", "subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen "
        "pty.spawn trio.run_process anyio.run_process anyio.open_process distutils.spawn.spawn "
        "_posixsubprocess.fork_exec"),
    **_rows("words", "nox.Session.run nox.Session.run_always nox.Session.run_install "
        "asyncio.create_subprocess_exec asyncio.subprocess.create_subprocess_exec"),
    **_rows("text argv", "os.execv os.execve os.execvp os.execvpe os.posix_spawn os.posix_spawnp posix.execv "
        "posix.execve posix.posix_spawn"),
    **_rows("program", "os.execl os.execlp os.execle os.execlpe"),
    **_rows("text program", "os.spawnl os.spawnlp os.spawnle os.spawnlpe"),
    **_rows("text text argv", "os.spawnv os.spawnvp os.spawnve os.spawnvpe"),
    **_rows("script", "runpy.run_path"),
    **_rows("module", "runpy.run_module"),
    **_rows("read", "os.startfile"),
    **_rows("process", "os.kill os.killpg signal.pidfd_send_signal posix.kill signal.pthread_kill"),
    **_rows("rights", "os.setuid os.setgid os.seteuid os.setegid os.setreuid os.setresuid os.setgroups os.initgroups "
        "os.chroot os.setns os.unshare posix.setuid"),
    # command lines of other tools, called as functions
    **_rows("listed:pip", "pip.main pip._internal.main pip._internal.main.main pip._internal.cli.main.main"),
    **_rows("listed:twine", "twine.cli.dispatch twine.__main__.main"),
    **_rows("listed:pytest", "pytest.main pytest.console_main"),
    **_rows("listed:django-admin", "django.core.management.execute_from_command_line"),
    **_rows("words:django-admin", "django.core.management.call_command"),
    **_rows("listed:conda", "conda.cli.main conda.cli.python_api.run_command"),
    **_rows("listed:ansible-playbook", "ansible.cli.playbook.main"),
    **_rows("listed:alembic", "alembic.config.main"),
    **_rows("listed:coverage", "coverage.cmdline.main"),
    **_rows("listed:gunicorn", "gunicorn.app.wsgiapp.run"),
    **_rows("opaque", "ansible_runner.run ansible_runner.run_async ansible_runner.run_command "
        "ansible_runner.interface.run "
        "twine.commands.upload.upload twine.commands.upload.main poetry.console.main poetry.console.application.main "
        "setuptools.sandbox.run_setup flit.upload.main hatch.cli.main awscli.clidriver.main "
        "pulumi.automation.create_stack "
        " os.fork os.forkpty pty.fork os.login_tty sys.settrace sys.setprofile sys.addaudithook "
        "threading.settrace threading.setprofile gc.get_objects gc.get_referrers sys._getframe sys._current_frames "
        "inspect.currentframe inspect.stack inspect.getmodule sys.call_tracing multiprocessing.set_executable "
        "readline.set_completer readline.set_startup_hook faulthandler.register webbrowser.register "
        "_xxsubinterpreters.run_string _interpreters.run_string _interpreters.exec "
        "test.support.script_helper.run_python_until_end trace.Trace bdb.Bdb doctest.testfile doctest.DocFileSuite "
        "doctest.run_docstring_examples doctest.debug_src doctest.DocTestRunner fcntl.ioctl"),
    # the network
    **_rows("fetch", "urllib.request.urlopen urllib.request.OpenerDirector.open urllib2.urlopen urllib.urlopen "
        "requests.get requests.head "
        "requests.options httpx.get httpx.head httpx.options wget.download "
        "pandas.read_html"),
    **_rows("fetch write", "urllib.request.urlretrieve urllib.urlretrieve"),
    **_rows("sends", "requests.post requests.put requests.patch requests.delete httpx.post httpx.put httpx.patch "
        "httpx.delete webbrowser.open webbrowser.open_new webbrowser.open_new_tab xmlrpc.client.ServerProxy"),
    **_rows("text sends", "requests.request httpx.request httpx.stream aiohttp.request urllib3.request"),
    # what runs when it is loaded
    **_rows("unpickle", "torch.load pickle.load dill.load cloudpickle.load joblib.load pandas.read_pickle "
        "numpy.lib.npyio.load _pickle.load cPickle.load pickle.Unpickler"),
    **_rows("foreign", "torch.hub.load torch.hub.load_state_dict_from_url"),
    **FILE_FUNCTIONS,
    **STANDARD_CALLS,
}  # fmt: skip

# Modules that act: one that is handed on as a value may be used under any name.
ACTING = frozenset(
    "os subprocess shutil pty builtins importlib ctypes posix runpy sys.modules nt _posixsubprocess "
    "asyncio.subprocess".split()
)

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
        "fabric",
        "pycurl",
        "nntplib",
        "asynchat",
        "asyncore",
        "smtpd",
        "wsgiref.simple_server",
    )
)

# Functions that run or load what cannot be seen here.
HIDDEN = LOADS | frozenset(
    "eval exec compile __import__ getattr setattr delattr globals locals vars importlib.import_module "
    "importlib.reload pickle.loads marshal.loads marshal.load ctypes.CDLL ctypes.cdll.LoadLibrary code.interact "
    "code.InteractiveInterpreter code.InteractiveConsole code.compile_command codeop.compile_command "
    "types.FunctionType types.CodeType types.LambdaType dill.loads cloudpickle.loads _pickle.loads cPickle.loads "
    "jsonpickle.decode yaml.unsafe_load yaml.unsafe_load_all importlib.util.module_from_spec breakpoint plumbum.local "
    "plumbum.local.get importlib.util.spec_from_file_location importlib.machinery.SourceFileLoader imp.load_source "
    "imp.load_module importlib.machinery.ExtensionFileLoader zipimport.zipimporter operator.attrgetter pdb.set_trace "
    "inspect.getattr_static pkgutil.resolve_name pydoc.locate logging.config.dictConfig logging.config.fileConfig "
    "logging.config.listen unittest.mock.patch mock.patch object.__getattribute__ type.__getattribute__ "
    "types.ModuleType.__getattribute__ builtins.__dict__ ensurepip.bootstrap ensurepip._bootstrap site.addsitedir "
    "pickle.Unpickler.load shelve.Unpickler gc.get_referents".split()
)

# Functions that only look at what they are given, even if it could act.
LOOKING = frozenset(
    "print repr str len type isinstance issubclass id hash callable hasattr dir help bool sorted format "
    "pprint.pprint pprint.pp pprint.pformat json.dumps inspect.signature inspect.getsource inspect.getdoc "
    "inspect.isfunction inspect.getfile sys.getsizeof any all min max".split()
)

# Methods that act on the object they belong to, by the role of that object.
METHODS = {
    "unlink": "delete",
    "rmdir": "delete",
    "rmtree_p": "delete",
    "write_text": "write",
    "write_bytes": "write",
    "touch": "write",
    "mkdir": "folder",
    "symlink_to": "link",
    "hardlink_to": "link",
    "link_to": "read",
    "chmod": "closed",
    "lchmod": "mode",
    "read_text": "read",
    "read_bytes": "read",
    "iterdir": "list",
    "rglob": "list",
    "kill": "process",
    "terminate": "process",
    "send_signal": "process",
    "suspend": "process",
}

# Whatever acts, and so must not be handed on unseen.
ACTING_NAMES = (
    HIDDEN
    | ACTING
    | {
        "shutil.make_archive",
        "open",
        "io.open",
        "codecs.open",
        "os.fdopen",
        "os.chdir",
        "os.putenv",
        "os.environ.update",
    }
    | {name for name, roles in CALLS.items() if roles[0] not in ("read", "list", "fetch")}
)
