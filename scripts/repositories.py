"""Fetches the pinned archives of scripts/repositories.json into a folder that is kept: `make repositories`.

An archive that is there already is not fetched again. Each is compared with its digest; nothing of it is run.
"""

from __future__ import annotations

import json
import shutil
import sys
import urllib.request
from pathlib import Path

from interlock.evals.repositories import PINS, archive_of
from interlock.model.errors import InputError

HERE = Path(__file__).parent


def main(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for pin in json.loads((HERE / PINS).read_text(encoding="utf-8")):
        place = folder / pin["url"].rpartition("/")[2]
        if not place.exists():
            print(f"fetching {pin['name']} {pin['version']}", file=sys.stderr)
            with urllib.request.urlopen(pin["url"], timeout=60) as answer:
                place.write_bytes(answer.read())
        try:
            archive_of(str(folder), pin)
        except InputError as error:
            print(error, file=sys.stderr)
            return 1
    shutil.copyfile(HERE / PINS, folder / PINS)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
