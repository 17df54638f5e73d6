"""Inline configs as YAML text: what is read back is what was written."""

from __future__ import annotations

import datetime
import math
import random
from typing import Any

import pytest

import tpvc
from tpvc.inline import yaml_text

yaml = pytest.importorskip("ruamel.yaml")


def read(text: str) -> Any:
    return yaml.YAML(typ="safe", pure=True).load(text)


def value(random: random.Random, depth: int = 0) -> Any:
    kind = random.randrange(10 if depth < 4 else 7)
    characters = "ab:#-?{}[],&*!|>'\"%@` \t\n\\0\u0085\u00a0\u00e9\u2028\ufeff\U0001f600\x7f"
    text = "".join(random.choices(characters, k=random.randrange(8)))
    match kind:
        case 0:
            return random.choice([None, True, False])
        case 1:
            return random.randrange(-(10**20), 10**20)
        case 2:
            return random.choice([0.1, 1e22, -1.5e-9, math.inf, -math.inf, 3.0])
        case 3:
            return random.choice([datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 30, 1)])
        case 4 | 5 | 6:
            return random.choice([text, "yes", "null", "1e5", "0o7", "~", "2024-02-29", ""])
        case 7:
            return [value(random, depth + 1) for _ in range(random.randrange(4))]
        case _:
            keys = [random.choice([text, "key", 3, True, None, 1.5]) for _ in range(random.randrange(4))]
            return {key: value(random, depth + 1) for key in keys}


def test_random_configs() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    source = random.Random(seed)
    for _ in range(2000):
        config = {"config": value(source), "more": value(source)}
        assert read(yaml_text(config)) == config


def test_what_yaml_cannot_hold() -> None:
    with pytest.raises(TypeError, match="a value of the type object"):
        yaml_text({"a": [object()]})
    config: dict[str, Any] = {}
    config["self"] = config
    with pytest.raises(ValueError, match="part of itself"):
        yaml_text(config)


def test_the_compiler_reads_it() -> None:
    config = {"tools": {"bwa": {"cores": 2, "context": {"text": "a\u2028b\ufeff\x85\x7f\U0001f600"}, "env": {"A": "{text}"}}}}
    config["destinations"] = {"local": {"runner": "local"}}  # type: ignore[assignment]
    rules = tpvc.compile([("<inline config>", yaml_text(config))])
    answer = tpvc.Mapper(rules).map({"tool": {"id": "bwa"}})
    assert answer["destination"]["env"] == [{"name": "A", "value": "a\u2028b\ufeff\x85\x7f\U0001f600"}]
