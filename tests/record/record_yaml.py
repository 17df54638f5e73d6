#!/usr/bin/env python3
"""Records how ruamel.yaml reads the cases of YAML's own test suite, for src/yaml/src/load/tests.rs.

    record_yaml.py SUITE

SUITE is a checkout of the branch `data` of https://github.com/yaml/yaml-test-suite. Run it with the Python of a virtualenv that has
total-perspective-vortex. It writes `tests/yaml/suite.jsonl`, a line a case: its name, its text, and the value that TPV would get, as
Python prints it, or null if ruamel.yaml refuses the text.
"""

import datetime
import io
import json
import pathlib
import sys
import warnings

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedSet, TaggedScalar
from ruamel.yaml.scalarbool import ScalarBoolean

OUTPUT = pathlib.Path(__file__).parent.parent / "yaml" / "suite.jsonl"


def items(values):
    return ", ".join(map(printed, values))


def printed(value):
    """Returns the `repr` of a value without the classes of ruamel.yaml that stand for Python's own."""
    match value:
        case TaggedScalar():
            return f"TaggedScalar(value={str(value.value)!r}, style={value.style!r}, tag=Tag({value.tag.value!r}))"
        case CommentedSet():
            return f"set(odict_keys([{items(value)}]))"
        case dict():
            return "{" + ", ".join(f"{printed(key)}: {printed(item)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return f"[{items(value)}]"
        case ScalarBoolean():
            return repr(int(value))
        case datetime.datetime():
            return repr(datetime.datetime(*value.timetuple()[:6], value.microsecond))
        case bool() | None:
            return repr(value)
        case int() | float() | str():
            plain = next(kind for kind in (int, float, str) if isinstance(value, kind))
            return repr(plain(value))
    # Keys that are collections are no lists and dicts.
    return printed(dict(value)) if hasattr(value, "items") else repr(value)


def read(text):
    try:
        return printed(YAML(typ="rt").load(io.StringIO(text)))
    except Exception:
        return None


def main(suite):
    warnings.simplefilter("ignore")
    lines = []
    for path in sorted(pathlib.Path(suite).rglob("in.yaml")):
        name = path.parent.relative_to(suite).as_posix()
        if name.startswith(("name/", "tags/")):
            continue
        with path.open(encoding="utf-8", newline="") as file:
            text = file.read()
        lines.append(json.dumps({"name": name, "yaml": text, "value": read(text)}, ensure_ascii=False) + "\n")
    OUTPUT.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
