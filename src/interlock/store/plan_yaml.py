"""YAML to JSON, in a process of its own if need be: `python -I plan_yaml.py FOLDER < plan.yaml`.

The hook runs without site-packages and so without PyYAML. A plan that it has not met before is therefore turned into
JSON by a child, which imports nothing of ours; the hook keeps the result. On stdout: `{"data": …}` or `{"fault": "…"}`.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

__all__ = ["main", "plan_data"]

_MAX_NODES = 200_000  # aliases and merges can make a small file endless
_MAX_LEVELS = 50
_TOO_MUCH = "there is too much in it, or it is nested too deeply"
_AS_WRITTEN = ("int", "float", "timestamp", "binary")  # nothing of a plan that is looked at is a number or a date


def plan_data(raw: bytes) -> object:
    """The file's content as JSON data; ValueError with what is wrong. ImportError where there is no PyYAML."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Of two values under one key one would be lost, and with it what is planned."""

        room = _MAX_NODES  # for what is merged, in the whole file

        def flatten_mapping(self, node: yaml.MappingNode) -> None:
            for key, value in node.value:
                if key.tag == "tag:yaml.org,2002:merge":
                    for one in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                        if isinstance(one, yaml.MappingNode):
                            self.pay(one)
                            self.flatten_mapping(one)
                            self.pay(one)
            super().flatten_mapping(node)

        def pay(self, node: yaml.MappingNode) -> None:
            self.room -= len(node.value)
            if self.room < 0:  # before it is copied
                raise ValueError(_TOO_MUCH)

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[object, object]:
            seen = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                    if key.value in seen:
                        raise yaml.constructor.ConstructorError(None, None, "a key occurs twice", key.start_mark)
                    seen.add(key.value)
            return dict(super().construct_mapping(node, deep))

    for kind in _AS_WRITTEN:
        Loader.add_constructor(f"tag:yaml.org,2002:{kind}", Loader.construct_yaml_str)
    try:
        _within_bounds(yaml.parse(raw, Loader=Loader))
        return _plain(yaml.load(raw, Loader=Loader), [_MAX_NODES], 0)  # noqa: S506
    except yaml.MarkedYAMLError as error:
        place = error.problem_mark
        where = "" if place is None else f"line {place.line + 1}, column {place.column + 1}: "
        raise ValueError(f"{where}not YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError("not YAML: " + " ".join(str(error).split())[:200]) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _within_bounds(events: Iterator[yaml.Event]) -> None:
    """ValueError where it goes deeper than a plan does. The parser gives events; what builds on it recurs."""
    level = 0
    for number, event in enumerate(events):
        kind = type(event).__name__
        level += kind.endswith("StartEvent")
        level -= kind.endswith("EndEvent")
        if level > _MAX_LEVELS or number > _MAX_NODES:
            raise ValueError(_TOO_MUCH)


def _plain(value: object, room: list[int], level: int) -> object:
    room[0] -= 1
    if room[0] < 0 or level > _MAX_LEVELS:
        raise ValueError(_TOO_MUCH)
    if isinstance(value, dict):
        return {str(key): _plain(item, room, level + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(item, room, level + 1) for item in value]
    if value is None or isinstance(value, bool | str):
        return value
    return str(value)


def main() -> None:
    import json

    sys.path.append(sys.argv[1])  # where our own package lies, which is where PyYAML lies too if it is nowhere else
    try:
        told: dict[str, object] = {"data": plan_data(sys.stdin.buffer.read())}
    except ImportError:
        told = {"fault": "PyYAML is needed to read plans, and this Python does not have it"}
    except ValueError as error:
        told = {"fault": str(error)}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
