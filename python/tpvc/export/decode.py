"""Values of Galaxy's columns, which SQLite and PostgreSQL give in different forms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def text_of(value: object) -> str | None:
    """Text, also of a binary column; PostgreSQL's old drivers give it as `\\x` and hexadecimal digits."""
    if value is None:
        return None
    if isinstance(value, memoryview):
        value = value.tobytes()
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    text = str(value)
    if text.startswith("\\x"):
        try:
            return bytes.fromhex(text[2:]).decode("utf-8", "replace")
        except ValueError:
            pass
    return text


def json_of(value: object) -> Any:
    """The value of a column with JSON; `None` where it is not JSON."""
    if isinstance(value, (dict, list)):
        return value
    text = text_of(value)
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def object_of(value: object) -> dict[str, Any] | None:
    """The object of a column with JSON, where it is one."""
    found = json_of(value)
    return found if isinstance(found, dict) else None


def number_of(value: object) -> int | float | None:
    """A number, as an int where it is whole."""
    if value is None:
        return None
    number = value if isinstance(value, (int, float, Decimal)) else Decimal(str(value))
    return int(number) if number == int(number) else float(number)


def uuid_of(value: object) -> str | None:
    """A UUID with its dashes; the column holds 32 digits."""
    text = text_of(value)
    if text and len(text) == 32:
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
    return text or None


def without_none(record: Mapping[str, Any]) -> dict[str, Any]:
    """Without the keys that have no value."""
    return {key: value for key, value in record.items() if value is not None}
