"""The functions of `tpv.core.helpers` as TPV had them before a change; `docs/versions.md` lists the changes, `python/src/helpers.rs` which
function stands for which.
"""

from __future__ import annotations

import random
from typing import Any

from tpvc.core.helpers import parse_version
from tpvc.core.resource_requirements import TPVResourceFieldName, TPVResourceFields, requested


def drawn_by_weight(destinations: list[Any]) -> list[Any]:
    """`weighted_random_sampling` before TPV 3.2: a draw with replacement, whether or not there are weights."""
    if not destinations:
        return []
    weights = [(one.params or {}).get("weight", 1) for one in destinations]
    return random.choices(destinations, weights=weights, k=len(destinations))


def drawn_by_own_weight(destinations: list[Any]) -> list[Any]:
    """`weighted_random_sampling` of TPV 3.2: each destination once if none has a weight, else a draw with replacement."""
    if any("weight" in (one.params or {}) for one in destinations):
        return drawn_by_weight(destinations)
    return random.sample(destinations, k=len(destinations))


def count_by_pattern(app: Any, tool: Any, user: Any = None) -> int:
    """`concurrent_job_count_for_tool` before TPV 3.0: the jobs in whose tool ids the id is found, as a regular expression."""
    from galaxy import model

    jobs = model.Job.table.c
    owner, slash, _ = tool.id.rpartition("/")
    query = app.model.context.query(model.Job)
    if user:
        query = query.filter(jobs.user_id == user.id)
    query = query.filter(jobs.state.in_(["queued", "running"]))
    count: int = query.filter(jobs.tool_id.regexp_match(f"{owner}/.*" if slash else tool.id)).count()
    return count


def version_eq(tool: Any, version: str | None) -> Any:
    """`tool_version_eq` before TPV 3.0: a tool without a version is compared, too."""
    return parse_version(tool.version) == parse_version(version)


def version_lte(tool: Any, version: str | None) -> Any:
    """`tool_version_lte` before TPV 3.0."""
    return parse_version(tool.version) <= parse_version(version)


def version_lt(tool: Any, version: str | None) -> Any:
    """`tool_version_lt` before TPV 3.0."""
    return parse_version(tool.version) < parse_version(version)


def version_gte(tool: Any, version: str | None) -> Any:
    """`tool_version_gte` before TPV 3.0."""
    return parse_version(tool.version) >= parse_version(version)


def version_gt(tool: Any, version: str | None) -> Any:
    """`tool_version_gt` before TPV 3.0."""
    return parse_version(tool.version) > parse_version(version)


def extract_in_mib(galaxy_tool: Any) -> TPVResourceFields:
    """`extract_resource_requirements_from_tool` before TPV 3.3: memory is in MiB."""
    return requested(galaxy_tool, None)


def field_in_mib(tool: Any, field_name: TPVResourceFieldName) -> int | float | None:
    """`get_tool_resource_field` before TPV 3.3: memory is in MiB."""
    return extract_in_mib(tool).get(field_name)
