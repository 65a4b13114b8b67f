"""Runs the cold hook and writes down whatever it touches besides the ledger while it holds the ledger's lock.

Started in place of the guarded entry, with its arguments. Nothing is stood in for: the real entry runs below, and what
it opens, starts and looks at is only noted, in `touched.txt` of the home that it is given. Loading a module is a look
at the disk too, and is noted as the file that is opened for it.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("WATCHED_SOURCE") or os.path.join(os.path.dirname(HERE), "src")
GUARD = SOURCE + "/interlock/hook/guard.py"
HOME = sys.argv[sys.argv.index("--home") + 1]
LEDGER = HOME + "/.local/state/interlock/ledger.db"
OWN = (LEDGER, LEDGER + "-wal", LEDGER + "-shm", LEDGER + "-journal", LEDGER + ".head")

report = os.open(HOME + "/touched.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
held = False


def note(what: str, path: object) -> None:
    if held and str(path) not in OWN:
        os.write(report, f"{what} {path}\n".encode())


def heard(event: str, arguments: tuple[object, ...]) -> None:
    if not held:
        return
    if event == "open" or event.startswith(("os.", "socket.", "subprocess.")):
        note(event, arguments[0] if arguments else "")


def noted(name: str) -> None:
    real = getattr(os, name)

    def looked(path: object, *arguments: object, **options: object) -> object:
        note(name, path)
        return real(path, *arguments, **options)

    setattr(os, name, looked)


for name in ("stat", "lstat", "readlink", "access", "listdir", "scandir", "statvfs"):
    noted(name)
sys.addaudithook(heard)

sys.path.insert(0, SOURCE)
from interlock.store.ledger.sqlite import Database  # noqa: E402

begin, run, rollback = Database.begin, Database.run, Database.rollback


def begins(self: Database) -> None:
    global held  # noqa: PLW0603 - one ledger in one process
    begin(self)
    held = True


def runs(self: Database, statement: str, values: tuple[object, ...] = ()) -> int:
    global held  # noqa: PLW0603
    count = run(self, statement, values)
    if statement == "COMMIT":
        held = False
    return count


def rolls_back(self: Database) -> None:
    global held  # noqa: PLW0603
    rollback(self)
    held = False


Database.begin, Database.run, Database.rollback = begins, runs, rolls_back  # type: ignore[method-assign]
sys.path.remove(SOURCE)
sys.argv[0] = GUARD
with open(GUARD, "rb") as file:
    text = file.read()
exec(compile(text, GUARD, "exec"), {"__name__": "__main__", "__file__": GUARD})
