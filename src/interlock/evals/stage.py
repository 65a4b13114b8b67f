"""Sessions of several calls with files on disk: made in a folder of their own, put to the real engine with a ledger.

Nothing that a case names is executed. A Write or an Edit that is let through is done by this module, inside of that
folder alone; of every other call the case itself says what it leaves behind. Questions are answered as people answer
them: in the host, where somebody sits in front of it, or through the approval that waits elsewhere.

Results must not depend on the machine: the policy is the bench's, the environment is empty, files are as old as the
project would be, so that none of them looks as if the session had made it, and the folder is made in the person's home,
because in a place for temporary files everything may be thrown away.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from time import thread_time_ns

from ..calls.world import Outcome
from ..engine import Engine, Given
from ..model.answer import HELD
from ..model.call import Call
from ..model.errors import InputError
from ..model.events import Declined, Ended, Place, Proposed, Said
from ..model.facts import TEMP, Facts
from ..model.verdict import Verdict
from ..policy.model import Policy
from ..store.home.folders import folders_for
from ..store.people.answering import answered, one_question
from ..store.people.offers import answered_for
from ..value import FrozenMap
from .case import HOME, ROOT, Case, Stage, Surroundings
from .committed import commit_all
from .lexical import Bench, Judged, kept_here, policy_with

__all__ = ["Staged", "Stages"]

_HOST = "claude-code"
_BY = "the pack"
_AGE = 30 * 24 * 3600  # seconds that the files are old


class Staged:
    """One session. `close` takes its folder away."""

    def __init__(self, case: Case, bench: Bench) -> None:
        stage = case.stage or Stage()
        # INVARIANT: links are followed, so that every path below it is told as this text and can be put back.
        self.base = _made_folder()
        try:
            self.home, self.root = self.base + HOME, self.base + ROOT
            for folder in (self.home, self.root):
                os.makedirs(folder)
            self._write(stage.files)
            commit_all(self.root)
            _grow_old(self.base)
            policy = policy_with(bench, stage.policy, f"the policy of {case.id}") if stage.policy else bench.policy
            self.engine = self._engine(case, bench, policy)
        except BaseException:
            shutil.rmtree(self.base, ignore_errors=True)
            raise
        self.count = 0

    def _engine(self, case: Case, bench: Bench, policy: Policy) -> Engine:
        posture = case.posture or (policy.posture if bench.posture is bench.policy.posture else bench.posture)
        return Engine(
            folders_for(self.home),
            front=f"hook:{_HOST}",
            answers=False,
            given=Given(root=self.root, compiled=kept_here(policy), posture=posture),
        )

    def close(self) -> None:
        self.engine.ledger().close()
        shutil.rmtree(self.base, ignore_errors=True)

    def judged(self, case: Case, *, answer: str) -> tuple[Judged, float]:
        """What the engine says to a call, and how long it took; then all that happens after it."""
        told = case.told or Surroundings()
        if told.says:
            self.engine.tell(Said(place=self._place(), prompt="", text=told.says, notice=False))
        self.count += 1
        call = self._call(case.call)
        began = thread_time_ns()
        outcome = self.engine.propose(Proposed(place=self._place(), call=call))
        took = (thread_time_ns() - began) / 1000
        if outcome.trouble is not None:
            raise InputError(f"it was not recorded: {outcome.trouble}")
        self._settled(call, outcome, told, told.answer or answer)
        facts = Facts(root=self.root, home=self.home)
        return Judged(reading=outcome.reading, decision=outcome.decision, facts=facts), took

    def _place(self) -> Place:
        return Place(host=_HOST, session="s", cwd=self.root, root=self.root, variables=FrozenMap({}))

    def _call(self, call: Call) -> Call:
        cwd = self.root if call.cwd == ROOT else os.path.join(self.root, call.cwd)
        return call.replace(cwd=cwd, session="s", host=_HOST, attempt=f"call-{self.count}")

    def _settled(self, call: Call, outcome: Outcome, told: Surroundings, answer: str) -> None:
        decision = outcome.decision
        runs = decision.verdict is Verdict.ALLOW
        if decision.verdict is Verdict.ASK and answer == "approve":
            runs = True
        elif decision.verdict is Verdict.ASK and answer == "refuse":
            self.engine.tell(Declined(place=self._place(), calls=(call,), event="PermissionDenied"))
        elif outcome.answer.kind == HELD and answer in ("approve", "refuse"):
            self._answer_elsewhere(outcome.answer.approval, told.reach, yes=answer == "approve")
        if not runs:
            return
        self._done(call, told)
        self.engine.tell(
            Ended(
                place=self._place(),
                call=call,
                outcome="failed" if told.fails else "ran",
                result=FrozenMap({"stdout": told.result, "stderr": ""}),
                event="PostToolUseFailure" if told.fails else "PostToolUse",
                asked=True,
            )
        )

    def _answer_elsewhere(self, approval: str, reach: str, *, yes: bool) -> None:
        with self.engine.lent() as ledger:
            asked = one_question(ledger, approval)
            if yes and reach:
                answered_for(self.engine.folders, ledger, asked, reach=reach, by=_BY, person=_BY, unseen=True)
            else:
                answered(ledger, asked, yes=yes, by=_BY, why="", person=_BY, unseen=True)

    # --- the disk ---------------------------------------------------------------------------------------------------

    def _done(self, call: Call, told: Surroundings) -> None:
        """What the call leaves on disk. INVARIANT: only files below the folder of this session are touched."""
        path = call.input.get("file_path")
        if isinstance(path, str) and call.tool in ("Write", "Edit") and not told.fails:
            file = self._inside(os.path.join(call.cwd, path), path)
            if call.tool == "Write":
                self._put(file, str(call.input.get("content", "")))
            else:
                text = _text_of(file, path)
                old, new = (str(call.input.get(key, "")) for key in ("old_string", "new_string"))
                if old not in text:
                    raise InputError(f"`{path}` does not hold the text that the step replaces")
                self._put(file, text.replace(old, new, 1))
        self._write(told.leaves)

    def _write(self, files: Mapping[str, str | None]) -> None:
        for name, text in files.items():
            named = os.path.join(self.home, name[2:]) if name.startswith("~/") else os.path.join(self.root, name)
            file = self._inside(named, name)
            if text is None and not os.path.isfile(file):
                raise InputError(f"`{name}` cannot be taken away: the session has no such file")
            if text is None:
                os.unlink(file)
            else:
                self._put(file, text)

    def _inside(self, path: str, name: str) -> str:
        if path.startswith("~/"):
            path = self.home + path[1:]
        found = os.path.realpath(path)
        if not any(found.startswith(folder + "/") for folder in (self.home, self.root)):
            raise InputError(f"`{name}` is outside of the folders that a session has on disk")
        return found

    def _put(self, file: str, text: str) -> None:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
        if text.startswith("#!"):
            os.chmod(file, 0o755)  # noqa: S103 - a script of a project


def _made_folder() -> str:
    """INVARIANT: it is in no place for throw-away files: there all is free to remove, and so would the home be."""
    tried = []
    for place in (folders_for().home, os.getcwd()):
        place = os.path.realpath(place)
        if f"{place}/".startswith(TEMP):
            tried.append(f"{place} is for temporary files")
            continue
        try:
            return tempfile.mkdtemp(prefix=".interlock-eval-", dir=place)
        except OSError as error:
            tried.append(f"{place}: {error.strerror}")
    raise InputError(f"a case with steps needs a folder for its files: {'; '.join(tried)}")


def _text_of(file: str, name: str) -> str:
    try:
        with open(file, encoding="utf-8") as found:
            return found.read()
    except (OSError, ValueError):
        raise InputError(f"`{name}` cannot be edited: the session has no such file") from None


def _grow_old(base: str) -> None:
    moment = time.time() - _AGE
    for folder, _, names in os.walk(base, topdown=False):
        for name in names:
            os.utime(os.path.join(folder, name), (moment, moment))
        os.utime(folder, (moment, moment))


class Stages:
    """The stage of the session that is being played: made when its first step comes, gone when another one begins."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._key: tuple[str, str] | None = None
        self._staged: Staged | None = None

    def __enter__(self) -> Stages:
        return self

    def __exit__(self, *_error: object) -> None:
        self._end()

    def _end(self) -> None:
        if self._staged is not None:
            self._staged.close()
        self._staged = None

    def judged(self, case: Case, *, answer: str) -> tuple[Judged, float]:
        key = (case.file, case.call.session)
        if self._key != key:
            self._end()
            self._key = key
            self._staged = Staged(case, self._bench)
        if self._staged is None:
            raise InputError("the session could not begin")
        return self._staged.judged(case, answer=answer)

    def shown(self, text: str) -> str:
        """As the case would have written it: the temporary folder is no part of any path."""
        return text if self._staged is None else text.replace(self._staged.base, "")
