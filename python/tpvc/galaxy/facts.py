"""Values that a mapping read of the live server, for the log of decisions. What it could read of user and history is there when the line is made."""

from __future__ import annotations

import threading
from typing import Any

#: The most values.
MOST = 100

_noted = threading.local()


def start() -> None:
    """Begins to take notes for a mapping of this thread."""
    _noted.values = None


def note(name: str, value: Any) -> None:
    """Notes a value that only the live server has, such as a count of jobs."""
    values = getattr(_noted, "values", None)
    if values is None:
        _noted.values = {name: value}
    elif len(values) < MOST:
        values[name] = value


def taken() -> dict[str, Any] | None:
    """The notes; `None` if there are none."""
    values: dict[str, Any] | None = getattr(_noted, "values", None)
    return values
