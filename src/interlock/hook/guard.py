# The guarded entry of the cold hook, run as `python -I -S …/guard.py HOST [--no-gate] [--home DIR] [--parent PID]
# [--wait SECONDS]`.
#
# It starts from deny. Whatever breaks after this line (imports, input, memory, a signal, the
# deadline, a closed stream) leaves with exit code 2, which every host takes as a block. Only a
# whole answer, written whole, leaves as that host takes it. This file is compiled at each start, so it is short;
# the work is in run.py, whose bytecode is cached.
#
# INVARIANT: for an event that gates a call, stdout gets one complete JSON object or the exit code is 2.
#
# Other events gate nothing: with `--no-gate`, or once the event is known to be such a one, what
# breaks is said on stderr and leaves with 0. Exit code 2 there would throw a person's message away.
import sys
from posix import _exit, write  # built in and loaded: both work when nothing can be allocated any more

BLOCKED = b"Interlock: blocked, because the check could not be completed"
MISSED = b"Interlock: this event was not taken in, because that could not be completed"


def leave(why: bytes) -> None:
    global leaving  # noqa: PLW0603 - one flag for one process
    try:
        # Said once: stderr may be a full pipe that nobody reads, and then the next alarm ends the wait.
        if not leaving:
            leaving = True
            said = BLOCKED if code else MISSED
            try:
                write(2, said + b" (" + why + b").\n")
            except MemoryError:
                write(2, said)
    except BaseException:
        pass
    finally:
        _exit(code)


def gate(closed: bool) -> None:
    global code  # noqa: PLW0603 - as above
    code = 2 if closed else 0


def extend(seconds: float) -> None:
    _signal.setitimer(_signal.ITIMER_REAL, 5.0 + seconds, 0.5)


def home() -> str:
    if "--home" in sys.argv[:-1]:
        return sys.argv[sys.argv.index("--home") + 1]
    from pwd import getpwuid

    try:
        return getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/nowhere"


def on_signal(number: int, _frame: object) -> None:
    leave(b"deadline" if number == alarm else b"signal %d" % number)


alarm = 0
leaving = False
code = 0 if "--no-gate" in sys.argv else 2
try:
    # Asked for and given back: where memory is short, it fails here with a clean deny and not in the
    # middle of an import, where CPython 3.11 can spin for ever beyond the reach of a signal.
    bytes(1 << 26)
    # Nothing that loading makes is ever let go of, and looking for it again and again is a twentieth of a start.
    import gc
    import os

    gc.set_threshold(50_000)

    # A stream that is closed would lend its number to the next file that is opened.
    for stream in (0, 1, 2):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
            if stream == 1:
                leave(b"stdout is closed")
    # What anything else writes to stdout goes to stderr: the answer stands there alone.
    stdout = os.dup(1)
    os.dup2(2, 1)

    import _signal  # type: ignore[import-not-found]

    alarm = _signal.SIGALRM
    names = "TERM INT HUP QUIT ALRM XCPU USR1 USR2 VTALRM PROF IO PWR"
    signals = [getattr(_signal, "SIG" + name) for name in names.split() if hasattr(_signal, "SIG" + name)]
    for number in signals:
        _signal.signal(number, on_signal)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, signals)  # a parent's mask outlives exec
    extend(0)

    # The package is found through its parent folder, which then leaves the path again: nothing
    # beside the package can stand in for a module of the standard library, not even for one that
    # this interpreter lacks.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    import interlock  # noqa: F401

    sys.path.pop()
    # Nothing more is loaded if a service answers that a person has switched on: see client.py.
    asked = bundle = None
    if os.path.exists(home() + "/.local/state/interlock/resident"):
        from interlock.hook.client import ask

        asked = ask(sys.argv[1:])
    if asked is not None and asked.answered:
        answer = asked
    else:
        from interlock.hook.bundle import install

        bundle = install(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        from interlock.hook.run import run

        answer = run(sys.argv[1:], gate, extend, None if asked is None else asked.event)  # type: ignore[assignment]
    for stream, text in ((2, answer.stderr), (stdout, answer.stdout)):
        while text:
            text = text[write(stream, text) :]
    # The answer is out: whatever happens from here on changes nothing of it.
    code, leaving = answer.code, True
    if bundle is not None:
        bundle.keep()
    if asked is not None and asked.missing:
        from interlock.hook.residence import start

        start(sys.argv[1:])
    _exit(code)
except BaseException as error:
    why = b"no memory"
    try:
        why = type(error).__name__.encode("ascii", "replace")
    finally:
        try:
            leave(why)
        finally:
            _exit(code)
