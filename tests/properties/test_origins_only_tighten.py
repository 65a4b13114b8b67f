"""What is found of where values came from asks, and never makes anything looser; the receipt replays from it."""

from __future__ import annotations

from random import Random

from chance import several, tried_on
from interlock.decide import decide
from interlock.model.origins import Origin
from interlock.model.verdict import Verdict
from interlock.record.receipt import receipt_body
from interlock.record.replay import differences, rederive
from strategies import Case, a_case


def an_origin(random: Random) -> Origin:
    role = random.choice(("recipient", "link", "object", "credential", "message", "secret"))
    return Origin(
        argument=random.choice(("to", "a`b", "")),
        role=role,
        value=random.choice(("", "eve@evil.example", "x\n{value}`")),
        source=random.choice(("", "inbox")),
        secret="passport" if role == "secret" else "",
    )


@tried_on(a_case, several(an_origin, most=3))
def test_origins_only_tighten(case: Case, origins: tuple[Origin, ...]) -> None:
    without = decide(case.call, case.reading, case.policy, case.session, case.grants)
    traced = case.reading.replace(origins=origins)
    found = decide(case.call, traced, case.policy, case.session, case.grants)
    assert found.verdict >= without.verdict
    if origins and not case.session.off:
        permitted = any(grant.kind == "once" for grant in found.used)
        assert found.verdict >= Verdict.ASK or permitted
    body = receipt_body(case.call, traced, case.policy.digest, case.session, found)
    assert differences(body, rederive(body, case.policy)) == []
