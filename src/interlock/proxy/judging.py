"""One call of an answer before the gate, and the wait for a person where it asks.

The verdict is the gate's alone. A held call is decided again once its question is settled. If the client goes away
while it is held, nothing is used.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from uuid import uuid4

from ..gate import Checked, Gate
from ..model.errors import InputError, InterlockError, printable
from ..value import Value
from .rewrite.calls import Ruling, Wanted

__all__ = ["Judge", "Judged"]

_log = logging.getLogger("interlock.proxy")
_BEATS_EACH = 10.0  # seconds between two signs of life
_Beat = Callable[[], Awaitable[None]]


class Judged(Value):
    """What is told of a call beside the answer."""

    wanted: Wanted
    verdict: str
    receipt: str = ""
    approval: str = ""
    expires: int = 0
    text: str = ""


class Judge:
    """For the calls of one answer."""

    def __init__(self, gate: Gate, *, session: str, cwd: str, hold: float, names_calls: bool = False) -> None:
        """`names_calls`: the text that stands for a call names it, so that it can be put back later."""
        self.gate = gate
        self.session = session
        self.cwd = cwd
        self.hold = hold
        self.names_calls = names_calls
        self.judged: list[Judged] = []
        self.allowed: list[tuple[Wanted, Checked]] = []
        self._answer = uuid4().hex

    async def rule(self, wanted: Wanted, beat: _Beat | None = None) -> Ruling:
        """`beat` is called now and then while a person is waited for."""
        # The model's own id may come twice. An id of ours cannot, so no recorded allow is given a second time.
        id = f"proxy:{self._answer}:{len(self.judged)}"
        if wanted.trouble:
            _log.warning("a call of `%s` was withheld: %s", printable(wanted.tool[:100]), wanted.trouble)
            return await self._unread(wanted, wanted.trouble, id)
        try:
            checked = await self._checked(wanted, id)
            if checked.verdict == "ask" and self.hold > 0:
                checked = await self._held(wanted, id, checked, beat)
        except InputError as error:
            return await self._unread(wanted, str(error), id)
        if checked.allowed:
            self.allowed.append((wanted, checked))
            self.judged.append(Judged(wanted=wanted, verdict="allow", receipt=checked.receipt))
            return Ruling(allowed=True, note=f"allow {checked.receipt}".strip())
        if checked.verdict == "ask":
            again = f"It waits for approval `{checked.approval}`: make the same call again once it is approved."
            asked = f"{checked.agent} {again}"
            return self._withheld(wanted, "ask", checked.receipt, asked, checked.approval, checked.expires)
        return self._withheld(wanted, "deny", checked.receipt, checked.agent or checked.person or "Refused.")

    async def _unread(self, wanted: Wanted, why: str, id: str) -> Ruling:
        """A call that cannot be judged. It is withheld whether or not that could be recorded."""
        named = wanted.tool if wanted.tool.strip() else "(no name)"
        checked = await self.gate.arefused(named, why, session=self.session, call_id=id, cwd=self.cwd)
        said = f"It cannot be judged: {why}. Make the call again in another way."
        return self._withheld(wanted, "deny", checked.receipt, said)

    async def forget(self) -> None:
        """What was let through did not reach the client."""
        for _, checked in self.allowed:
            await self.gate.asettled(checked, "not_run")
        self.allowed = []

    async def _checked(self, wanted: Wanted, id: str) -> Checked:
        return await self.gate.acheck(
            wanted.tool, wanted.given, session=self.session, call_id=id, cwd=self.cwd, agent=""
        )

    async def _held(self, wanted: Wanted, id: str, checked: Checked, beat: _Beat | None) -> Checked:
        end = time.monotonic() + self.hold
        while (left := end - time.monotonic()) > 0:
            if beat is not None:
                await beat()
            try:
                settled = await self.gate.aanswered(checked.approval, wait=min(_BEATS_EACH, left))
            except InterlockError:
                break
            if settled:
                return await self._checked(wanted, id)
        return checked

    def _withheld(
        self, wanted: Wanted, verdict: str, receipt: str, why: str, approval: str = "", expires: int = 0
    ) -> Ruling:
        named = f" ({printable(wanted.id[:100])})" if self.names_calls and wanted.id else ""
        text = f"[Interlock: `{printable(wanted.tool[:100])}`{named} was not called. {why}]"
        self.judged.append(
            Judged(wanted=wanted, verdict=verdict, receipt=receipt, approval=approval, expires=expires, text=text)
        )
        return Ruling(
            allowed=False,
            text=text,
            told=f"Interlock: {why}",
            final=verdict == "deny",
            note=f"{verdict} {receipt} {approval}".strip(),
        )
