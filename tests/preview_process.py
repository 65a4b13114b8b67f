"""One preview in a process of its own, as whoever runs it: `python preview_process.py JSON`, answered in JSON."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

prepare: Any = None  # what a test does just before something is applied
SOURCE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src")


def main() -> None:
    sys.path.insert(0, SOURCE)
    from interlock.model.errors import InterlockError
    from interlock.preview.apply import finish_all, put_in_place
    from interlock.preview.changes import changes_of
    from interlock.preview.kept import forget, keep, made_of, one_preview
    from interlock.preview.run import new_stage, run
    from interlock.preview.view import Limits, Order
    from interlock.store.home.folders import folders_for

    told = json.loads(sys.argv[1])
    folders = folders_for(told["home"])
    os.umask(0o022)
    try:
        if "finish" in told:
            print(json.dumps({"finished": finish_all(folders)}))
            return
        if "of" in told:
            preview = one_preview(folders, told["of"])
        else:
            order = Order(
                command=told["command"],
                root=told["root"],
                cwd=told.get("cwd", told["root"]),
                limits=Limits(**told.get("limits", {})),
                shows=tuple(told.get("shows", ())),
                passes=tuple(told.get("passes", ())),
            )
            ran = run(order, folders, new_stage(folders))
            preview = made_of(ran, changes_of(ran))
            if told.get("keep"):
                keep(preview)
        if told.get("apply"):
            if prepare is not None:
                prepare()
            put_in_place(preview, folders)
        if not told.get("keep"):
            forget(preview)
        print(json.dumps(preview.as_told()))
    except InterlockError as error:
        print(json.dumps({"error": str(error), "kind": type(error).__name__}))


if __name__ == "__main__":
    main()
