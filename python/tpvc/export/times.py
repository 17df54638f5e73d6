"""Points in time on the command line. Galaxy's columns hold naive times in UTC; so does everything here."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from tpvc.export.errors import misuse

UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def point_in_time(option: str, text: str, now: datetime) -> datetime:
    """`2026-01-31`, `2026-01-31T12:00`, `2026-01-31T12:00+01:00`, or as long ago as `30m`, `12h`, `7d`, `2w`."""
    ago = re.fullmatch(r"([0-9]{1,6})([mhdw])", text)
    try:
        if ago:
            return now - int(ago[1]) * UNITS[ago[2]]
        # CPython 3.10 knows no `Z`.
        time = datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text))
        return time.astimezone(timezone.utc).replace(tzinfo=None) if time.tzinfo else time
    except (ValueError, OverflowError):
        raise misuse(
            f"`{option} {text}` is not a time",
            f"write a date, a time in UTC or how long ago: `{option} 2026-01-31`, `{option} 2026-01-31T12:00`, `{option} 7d`",
        ) from None


def utc_now() -> datetime:
    """The present time."""
    return datetime.now(timezone.utc).replace(tzinfo=None)


def time_of(time: datetime | str | None) -> datetime | None:
    """A time of the database. SQLite gives texts."""
    return datetime.fromisoformat(time) if isinstance(time, str) else time


def iso(time: datetime | str | None) -> str | None:
    """A time as the job file writes it."""
    time = time_of(time)
    return None if time is None else time.isoformat()
