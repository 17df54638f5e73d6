"""Configs that stand in `job_conf.yml` itself: dicts, written as the YAML text that they would be in a file."""

from __future__ import annotations

import datetime
import json
import math
from typing import Any


def yaml_text(config: dict[Any, Any]) -> str:
    """The YAML of a dict, a key to a line, so that what is wrong in it has a place to point to.

    Raises `TypeError` where a value is nothing that YAML can hold, and `ValueError` where it is part of itself.
    """
    lines: list[str] = []
    _write(config, 0, "", lines, [])
    return "\n".join(lines) + "\n"


def _write(value: Any, depth: int, before: str, lines: list[str], around: list[int]) -> None:
    indent = "  " * depth
    if isinstance(value, dict | list | tuple) and value:
        if id(value) in around:
            raise ValueError("a config cannot be part of itself")
        around.append(id(value))
        if before:
            lines.append(before)
        if isinstance(value, dict):
            for key, item in value.items():
                _write(item, depth + 1, f"{indent}{_scalar(key)}:", lines, around)
        else:
            for item in value:
                _write(item, depth + 1, f"{indent}-", lines, around)
        around.pop()
    else:
        lines.append(f"{before} {_scalar(value)}" if before else _scalar(value))


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are YAML's as well; what YAML takes for no printable character has to be escaped besides.
        return "".join(c if _is_printable(c) else _escape(c) for c in json.dumps(str(value), ensure_ascii=False))
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        if math.isnan(value):
            return ".nan"
        if math.isinf(value):
            return ".inf" if value > 0 else "-.inf"
        return repr(float(value))
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    raise TypeError(f"a config cannot hold {value!r}, a value of the type {type(value).__name__}")


def _is_printable(c: str) -> bool:
    code = ord(c)
    return 0x20 <= code < 0x7F or code == 0xA0 or 0xA1 <= code < 0x2028 or 0x202A <= code < 0xD800 or 0xE000 <= code != 0xFEFF


def _escape(c: str) -> str:
    return f"\\U{ord(c):08x}"
