"""How many examples: INTERLOCK_EXAMPLES, 300 by default. The default run is the same each time."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from chance import EXAMPLES

settings.register_profile(
    "interlock",
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="INTERLOCK_EXAMPLES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("interlock")
