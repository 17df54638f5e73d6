#!/usr/bin/env python3
"""Writes what the real TPV has in `loader.config` after loading config files, as JSON on stdout.

    record_config.py CONFIG...

Run it with the Python of a virtualenv that has total-perspective-vortex and Galaxy. `tests/compiler/config.rs` compares what
tpvc has after the same files. Mappings are written as lists of pairs, since their order counts; values that JSON does
not have are written as {"$kind": text}.
"""

import datetime
import json
import math
import sys

from ruamel.yaml.comments import CommentedMap, TaggedScalar
from tpv.core.entities import Rule, SchedulingTags
from tpv.core.loader import TPVConfigLoader
from tpv.core.resource_pool import OversizePolicy, StoreConfig

SECTIONS = ["tools", "users", "roles", "destinations", "pools"]


def dump(value):
    if value is None or isinstance(value, str):
        return value if value is None else str(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if -(2**63) <= value < 2**63 else {"$int": str(int(value))}
    if isinstance(value, float):
        return {"$float": repr(float(value))}
    if isinstance(value, (datetime.date, datetime.datetime)):
        return {"$date": str(value)}
    if isinstance(value, TaggedScalar):
        return {"$tagged": str(value)}
    if isinstance(value, Rule):
        return dump_model(value)
    if isinstance(value, SchedulingTags):
        return {"$dict": [[field, dump(getattr(value, field))] for field in ("require", "prefer", "accept", "reject")]
                + [[key, dump(item)] for key, item in sorted_codes(value.__pydantic_extra__)]}
    if isinstance(value, (OversizePolicy, StoreConfig)):
        return dump(value.model_dump())
    if isinstance(value, (dict, CommentedMap)):
        return {"$dict": [[dump(key), dump(item)] for key, item in sorted_codes(value)]}
    if isinstance(value, (list, tuple, set)) or hasattr(value, "__iter__"):
        return [dump(item) for item in value]
    raise TypeError(type(value))


def sorted_codes(mapping):
    # TPV takes the codes of a comment from a set, which has no order.
    for key, item in (mapping or {}).items():
        yield key, sorted(item) if key == "no_qa_codes" else item


def dump_model(model):
    fields = {}
    for name in type(model).model_fields:
        value = getattr(model, name)
        if name == "evaluator":
            continue
        if name == "no_qa_codes":
            value = sorted(value)
        fields[name] = dump(value)
    fields["$extra"] = dump(dict(model.__pydantic_extra__ or {}))
    return fields


def main():
    loader = None
    for path in sys.argv[1:]:
        loader = TPVConfigLoader.from_url_or_path(path, parent=loader)
    config = loader.config
    out = {
        "global": {
            "default_inherits": config.global_config.default_inherits,
            "context": dump(config.global_config.context),
            "resource_pool_store": dump(config.global_config.resource_pool_store),
            "$extra": dump(dict(config.global_config.__pydantic_extra__ or {})),
        },
        "$extra": dump(dict(config.__pydantic_extra__ or {})),
    }
    for section in SECTIONS:
        out[section] = [[id, dump_model(entity)] for id, entity in getattr(config, section).items()]
    json.dump(out, sys.stdout, indent=1, ensure_ascii=False, allow_nan=False)
    print()


if __name__ == "__main__":
    main()
