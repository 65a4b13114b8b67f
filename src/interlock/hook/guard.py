# The guarded entry of the cold hook, run as `python -I -S …/guard.py HOST [--home DIR]`.
#
# It starts from deny. Whatever breaks after this line (imports, input, memory, a signal, the
# deadline, a closed stream) leaves with exit code 2, which every host takes as a block. Only a
# whole answer, written whole, leaves with 0. This file is compiled at each start, so it is short;
# the work is in run.py, whose bytecode is cached.
#
# INVARIANT: stdout gets one complete JSON object or the exit code is 2.
import sys

BLOCKED = b"Interlock: blocked, because the check could not be completed"


def leave(why: bytes) -> None:
    try:
        os.write(2, BLOCKED + b" (" + why + b").\n")
    except BaseException:
        pass
    finally:
        os._exit(2)


def on_signal(number: int, _frame: object) -> None:
    leave(b"deadline" if number == alarm else b"signal %d" % number)


alarm = 0
try:
    import os

    # A stream that is closed would lend its number to the next file that is opened.
    for stream in (0, 1, 2):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
            if stream == 1:
                leave(b"stdout is closed")

    import _signal  # type: ignore[import-not-found]

    alarm = _signal.SIGALRM
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGALRM", "SIGXCPU", "SIGUSR1", "SIGUSR2"):
        if hasattr(_signal, name):
            _signal.signal(getattr(_signal, name), on_signal)
    _signal.setitimer(_signal.ITIMER_REAL, 5.0)

    # Our package comes last on the path: nothing beside it can stand in for the standard library.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from interlock.hook.run import run

    answer = run(sys.argv[1:])
    while answer:
        answer = answer[os.write(1, answer) :]
    os._exit(0)
except BaseException as error:
    try:
        leave(type(error).__name__.encode("ascii", "replace"))
    except BaseException:
        sys.exit(2)
