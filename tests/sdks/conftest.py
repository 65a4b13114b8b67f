"""The cases run in the environments of their SDKs (`test_sdks.py`), not here."""

from __future__ import annotations

collect_ignore_glob = ["cases/*"]
