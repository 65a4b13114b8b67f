"""What files that others obey hold after a call: whether all that they newly make run would by itself be allowed.

A program that was allowed to run may set up hooks of git: `husky init`, `pre-commit install`. What such a file makes
run is decided here as if the agent had typed it, with the session as it is, and the file counts as written by it.
What would be allowed needs no question; a line that is not known, or a removal, is for the person to see.
"""

from __future__ import annotations

import os
import shlex

from ..limits import MAX_WATCHED_BYTES
from ..model.call import Call
from ..model.verdict import Verdict
from ..reading.places.paths import in_project
from ..reading.places.watched import essential_lines
from ..reading.specials.git_set_up import is_stub, plain_attributes, settings_in, typed
from ..runtime import judge
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ..calls.world import World
    from ..model.events import Place
    from ..model.session import Session
    from ..store.facts.underway import Underway
    from ..store.facts.watch import Step

__all__ = ["judging"]

_MOST = 24  # files that are judged at once
_MOST_HOOKS = 64  # of a folder that git is told to take its hooks from
_CONFIG = "/.git/config"
_ATTRIBUTES = "/.git/info/attributes"
_HOOKS = ("/.git/hooks/", "/.husky/", "/.githooks/", "/.git-hooks/")


def judging(
    world: Callable[[], World], place: Place, session: Session
) -> Callable[[Mapping[str, Step]], Iterable[str]]:
    """`world` is asked for only where something is to be judged."""

    def judged(steps: Mapping[str, Step]) -> list[str]:
        if len(steps) > _MOST:
            return []
        return _Judging(world(), place, session).free(steps)

    return judged


class _Judging:
    def __init__(self, world: World, place: Place, session: Session) -> None:
        policy = world.policy.replace(consult=None, judge=None)
        self.world = world.replace(ledger=None, looks=None, policy=policy)
        self.place = place
        self.session = session.replace(changed=(), recent=(), pending=())

    def free(self, steps: Mapping[str, Step]) -> list[str]:
        return [path for path, step in steps.items() if self._is_free(path, step)]

    def _is_free(self, path: str, step: Step) -> bool:
        if not in_project(self.world.root, path) or os.path.islink(path):
            return False
        if path.endswith(_CONFIG):
            return self._settings(step)
        if path.endswith(_ATTRIBUTES):
            if step.old is None or step.new is None:
                return False
            settings = _text_of(self.world.root + _CONFIG)
            return settings is not None and plain_attributes(step.old, step.new, settings)
        return step.new is not None and step.new == _text_of(path) and self._hook(path)

    def _settings(self, step: Step) -> bool:
        """Every setting that was added; one that the call itself named is what was decided about."""
        if step.old is None or step.new is None:
            return False
        added = settings_in(essential_lines(step.old), essential_lines(step.new))
        if added is None:
            return False
        return all(_names(step.call, name, value) or self._setting(name, value, dict(added)) for name, value in added)

    def _setting(self, name: str, value: str, others: Mapping[str, str]) -> bool:
        if name.lower() == "core.hookspath":
            return self._hooks_below(value)
        return self._would_run(typed(name, value, others))

    def _hooks_below(self, value: str) -> bool:
        folder = os.path.normpath(os.path.join(self.world.root, value))
        if not in_project(self.world.root, os.path.realpath(folder)) or folder == self.world.root:
            return False
        try:
            names = os.listdir(folder)
        except OSError:
            return False
        paths = [f"{folder}/{name}" for name in names]
        return len(names) <= _MOST_HOOKS and all(os.path.isfile(path) and self._hook(path) for path in paths)

    def _hook(self, path: str) -> bool:
        if not any(part in path for part in _HOOKS):
            return False
        text = _text_of(path)
        if text is None:
            return False
        if is_stub(path, text):
            return True
        first = text.partition("\n")[0]
        shell = "bash" if first.startswith("#!") and "bash" in first else "sh"
        if first.startswith("#!") and not first.endswith("sh"):
            return False  # only shells are read in full
        return self._would_run(f"{shell} {shlex.quote(path)}", path)

    def _would_run(self, command: str, *written: str) -> bool:
        if not command:
            return True
        call = Call(
            tool="Bash",
            input=FrozenMap({"command": command}),
            cwd=self.world.root,
            session=self.place.session,
            host=self.place.host,
        )
        session = self.session.replace(written=self.session.written.union(written))
        return judge(call, self.world, session).decision.verdict is Verdict.ALLOW


def _names(call: Underway, name: str, value: str) -> bool:
    """Whether the call said exactly this, such as `git config core.hooksPath .githooks`."""
    words = call.text.replace('"', " ").replace("'", " ").split()
    said = [name.lower(), *value.replace('"', " ").replace("'", " ").split()]
    lower = [words[at].lower() if at < len(words) else "" for at in range(len(words))]
    for at, word in enumerate(lower):
        if word == said[0] and words[at + 1 : at + len(said)] == said[1:]:
            return name.lower() in {key.lower() for key in call.settings}
    return False


def _text_of(path: str) -> str | None:
    try:
        if os.path.islink(path) or os.path.getsize(path) > MAX_WATCHED_BYTES:
            return None
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError):
        return None
