"""A hook that only writes down what it is handed: the event on stdin and the variables of the host."""

from __future__ import annotations

import json
import os
import sys

log = sys.argv[1]
event = json.load(sys.stdin)
seen = {name: value for name, value in os.environ.items() if name.startswith("CLAUDE")}
with open(log, "a") as file:
    file.write(json.dumps({"event": event, "environment": seen}) + "\n")
