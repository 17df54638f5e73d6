"""What a mapping could read of the user, the history and the server, for the log of decisions.

Nothing is asked of the database: only what the mapping, or something before it, has loaded is there.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator
from typing import Any

#: The most names of roles and tags.
MOST = 100

_noted = threading.local()


def start() -> None:
    """Begins to take notes for a mapping of this thread."""
    _noted.values = {}


def note(name: str, value: Any) -> None:
    """Notes a value that only the live server has, such as a count of jobs."""
    values = getattr(_noted, "values", None)
    if values is not None and len(values) < MOST:
        values[name] = value


def of(user: Any, job: Any, preferences: Iterable[str] = ()) -> str | None:
    """The facts as the JSON text of an object; `None` if there are none. `preferences` are the keys of extra preferences to show: others may be
    passwords."""
    found: dict[str, Any] = dict(getattr(_noted, "values", None) or {})
    _noted.values = None
    if user is not None:
        roles = list(_roles(user))
        if roles:
            found["roles"] = sorted(set(roles))[:MOST]
        shown = _preferences(user, preferences) if preferences else {}
        if shown:
            found["preferences"] = shown
    tags = [_tag(tag) for tag in (_loaded(_loaded(job, "history"), "tags") or ())[:MOST]]
    if tags:
        found["tags"] = tags
    return json.dumps(found) if found else None


def _loaded(of: Any, name: str) -> Any:
    # SQLAlchemy keeps loaded attributes there; asking for others would be a query.
    return getattr(of, "__dict__", {}).get(name)


def _roles(user: Any) -> Iterator[str]:
    associations = list(_loaded(user, "roles") or ())
    for member in _loaded(user, "groups") or ():
        associations += _loaded(_loaded(member, "group"), "roles") or ()
    for association in associations:
        role = _loaded(association, "role")
        name = _loaded(role, "name")
        # A private role has its user's address as its name.
        if isinstance(name, str) and not _loaded(role, "deleted") and "@" not in name and _loaded(role, "type") != "private":
            yield name


def _tag(tag: Any) -> str:
    name, value = _loaded(tag, "user_tname"), _loaded(tag, "user_value")
    return f"{name}:{value}" if value else str(name)


def _preferences(user: Any, keys: Iterable[str]) -> dict[str, Any]:
    extra = _loaded((_loaded(user, "_preferences") or {}).get("extra_user_preferences"), "value")
    try:
        values = json.loads(extra) if extra else {}
    except ValueError:
        return {}
    return {key: values[key] for key in keys if key in values} if isinstance(values, dict) else {}
