"""The params of a job's destination. Rules write what they like there: names of users and projects, too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# `8`, `02:00:00`, `3.5 GiB`: no name looks like that but one of digits.
AMOUNT = re.compile(r"[\d\s.,:;+*/%()\[\]-]*(?:[kmgtpKMGTP]i?[bB]?)?")


def without_names(params: Mapping[str, Any] | None, username: str | None) -> dict[str, Any] | None:
    """The params that can hold no name: numbers, amounts, true and false."""
    if params is None:
        return None
    kept = {name: value for name, value in params.items() if is_nameless(value, username)}
    return kept or None


def is_nameless(value: Any, username: str | None) -> bool:
    """Returns `true` for a value in which no name can stand."""
    if value is None or isinstance(value, (bool, int, float)):
        return not username or str(value) != username
    if isinstance(value, list):
        return all(is_nameless(each, username) for each in value)
    if not isinstance(value, str):
        return False
    if value.lower() in ("true", "false", "none", ""):
        return True
    return AMOUNT.fullmatch(value) is not None and any(c.isdigit() for c in value) and (not username or username not in value)
