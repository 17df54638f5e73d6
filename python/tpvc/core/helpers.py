"""The functions that rules call as `helpers`, with the answers of TPV's `tpv.core.helpers`, for code that CPython runs.

Native code has the same functions natively; both are tested against TPV.
"""

from __future__ import annotations

import logging
import operator
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from tpvc.core.resource_requirements import TPVResourceFieldName, extract_resource_requirements_from_tool
from tpvc.galaxy import facts

try:
    from galaxy.tool_util.version import parse_version as parse_version
except ImportError:
    from packaging.version import parse as parse_version

log = logging.getLogger(__name__)

T = TypeVar("T")
Weighted = TypeVar("Weighted", bound=Mapping[str, Any])

# Bytes of a GiB, under the name that rules know.
GIGABYTES = 1024.0**3

# The ends of the names of types that hold compressed data, such as `fastqsanger.gz`.
COMPRESSED_EXTENSION_SUFFIXES = (".gz", ".bz2")

# How much larger compressed data is taken to be once it is not.
DEFAULT_COMPRESSION_FACTOR = 3.4


def __getattr__(name: str) -> Any:
    # Galaxy's model takes seconds to import, and only `concurrent_job_count_for_tool` needs it.
    if name == "model":
        from galaxy import model

        return model
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def get_dataset_size(dataset: Any) -> float:
    """The size of a dataset in bytes, as it is recorded. To calculate it would mark its row as changed."""
    return float(dataset.get_size(nice_size=False, calculate_size=False))


def sum_total(prev: float, current: float) -> float:
    """The sum of two sizes."""
    return prev + current


def _present(associations: Iterable[Any] | None) -> Iterable[Any]:
    """The input datasets that are there: an optional parameter that is not set has an association without one."""
    return (one for one in associations or () if one.dataset and one.dataset.dataset)


def calculate_dataset_total(datasets: Iterable[Any] | None) -> float:
    """The size of input datasets in bytes, each counted once however often it is an input."""
    distinct = {one.dataset.dataset.id: one.dataset.dataset for one in _present(datasets)}
    total = 0.0
    for dataset in distinct.values():
        total += get_dataset_size(dataset)
    return total


def input_size(job: Any) -> float:
    """The size of a job's input datasets in GiB."""
    return calculate_dataset_total(job.input_datasets) / GIGABYTES


def get_input_datasets(job: Any, param_name: str | None = None) -> list[Any]:
    """The input datasets of a job, each once, or those of one parameter, by its full name (`cond|input`).

    Galaxy records the datasets of a parameter that takes several under `name`, `name1`, `name2` and so on.
    """
    associations = job.input_datasets
    if param_name is not None:
        name = re.compile(rf"^{re.escape(param_name)}\d*$")
        associations = [one for one in associations or [] if name.match(one.name or "")]
    found: dict[Any, Any] = {}
    for one in _present(associations):
        found.setdefault(one.dataset.dataset.id, one.dataset)
    return list(found.values())


def get_input_dataset(job: Any, param_name: str) -> Any:
    """The first input dataset of a parameter, or `None`."""
    return next(iter(get_input_datasets(job, param_name)), None)


def get_input_size(
    job: Any,
    param_name: str | None = None,
    estimate_uncompressed_size: bool = True,
    compression_factor: float = DEFAULT_COMPRESSION_FACTOR,
) -> float:
    """The size of the input datasets in GiB, of all or of one parameter; compressed ones count as what they unpack to."""
    total = 0.0
    for association in get_input_datasets(job, param_name):
        if association.dataset:
            is_packed = (association.extension or "").endswith(COMPRESSED_EXTENSION_SUFFIXES)
            factor = compression_factor if estimate_uncompressed_size and is_packed else 1.0
            total += get_dataset_size(association.dataset) * factor
    return total / GIGABYTES


def _drawn(items: list[T], weights: Sequence[Any], k: int) -> list[T]:
    """Draws `k` items by weight, or all alike where the weights say nothing: all 1, or none above 0."""
    weights = [max(weight, 0) for weight in weights]
    if any(weight != 1 for weight in weights) and any(weight > 0 for weight in weights):
        return random.choices(items, weights=weights, k=k)
    return random.sample(items, k=k)


def weighted_random_sampling(destinations: list[Any]) -> list[Any]:
    """Destinations in an order drawn by the `weight` of their params, with repetitions where there are weights."""
    if not destinations:
        return []
    return _drawn(destinations, [(one.params or {}).get("weight", 1) for one in destinations], k=len(destinations))


def weighted_choice(items: list[Weighted]) -> Weighted:
    """One of the items, drawn by their `weight`. Raises `ValueError` where there are none."""
    if not items:
        raise ValueError("weighted_choice requires a non-empty list of items")
    return _drawn(items, [item.get("weight", 1) for item in items], k=1)[0]


def _keys(tree: Any) -> list[Any]:
    """All keys of nested dicts and lists, those of a dict before those of its values."""
    if isinstance(tree, dict):
        return [*tree, *(key for value in tree.values() for key in _keys(value))]
    if isinstance(tree, list):
        return [key for value in tree for key in _keys(value)]
    return []


def job_args_match(job: Any, app: Any, args: dict[str, Any] | None) -> bool:
    """Whether the parameters of a job have all the values of `args`, a dict nested as the parameters are."""
    if not args or not isinstance(args, dict):
        return False
    options = job.get_param_values(app)
    matches = True
    for name, value in args.items():
        wanted: Any = {name: value}
        actual: Any = options
        try:
            for key in _keys(wanted):
                actual = dict.__getitem__(actual, key)
            for key in _keys({name: value}):
                wanted = dict.__getitem__(wanted, key)
            if wanted != actual:
                matches = False
        except KeyError:
            matches = False
    return matches


def concurrent_job_count_for_tool(app: Any, tool: Any, user: Any = None) -> int:
    """How many jobs of a tool, in any version of it, are queued or running, of all users or of one."""
    from galaxy import model

    jobs = model.Job.table.c
    tool_id = tool.id or "unknown_tool_id"
    # `toolshed/repos/iuc/fastqc/0.1.0` stands for all of `toolshed/repos/iuc/fastqc/`.
    base = "/".join(tool_id.split("/")[:-1]) + "/" if "/" in tool_id else tool_id
    query = app.model.context.query(model.Job.id)
    if user:
        query = query.filter(jobs.user_id == user.id)
    query = query.filter(jobs.state.in_(["queued", "running"]))
    query = query.filter(jobs.tool_id.like(f"{base}%") if "/" in base else jobs.tool_id == tool.id)
    count: int = query.count()
    facts.note(f"jobs of {base}{' of the user' if user else ''}", count)
    return count


def tag_values_match(
    entity: Any, match_tag_values: list[str] | None = None, exclude_tag_values: list[str] | None = None
) -> bool:
    """Whether an entity has all of some tags, of whatever kind, and none of others."""

    def has(value: str) -> bool:
        return any(entity.tpv_tags.filter(tag_value=value))

    # Lists, not generators: TPV looks at every tag before it decides.
    return all([has(value) for value in match_tag_values or []]) and not any(
        [has(value) for value in exclude_tag_values or []]
    )


def _compared(first: str | None, second: str | None, comparison: Callable[[Any, Any], bool]) -> bool | None:
    if first is None or second is None:
        return None
    return comparison(parse_version(first), parse_version(second))


def tool_version_eq(tool: Any, version: str | None) -> bool | None:
    """Whether the tool has that version; `None` where one of the two has none."""
    return _compared(tool.version, version, operator.eq)


def tool_version_lte(tool: Any, version: str | None) -> bool | None:
    """Whether the tool has that version or an earlier one."""
    return _compared(tool.version, version, operator.le)


def tool_version_lt(tool: Any, version: str | None) -> bool | None:
    """Whether the tool has an earlier version."""
    return _compared(tool.version, version, operator.lt)


def tool_version_gte(tool: Any, version: str | None) -> bool | None:
    """Whether the tool has that version or a later one."""
    return _compared(tool.version, version, operator.ge)


def tool_version_gt(tool: Any, version: str | None) -> bool | None:
    """Whether the tool has a later version."""
    return _compared(tool.version, version, operator.gt)


def get_tool_resource_field(tool: Any, field_name: TPVResourceFieldName) -> int | float | None:
    """What the tool's own file asks of a resource, such as `cores` or `max_mem`."""
    return extract_resource_requirements_from_tool(tool).get(field_name)


def get_dataset_attributes(datasets: Iterable[Any] | None) -> dict[int, dict[str, Any]]:
    """The object store and the size in bytes of input datasets, by the dataset's id."""
    return {
        one.dataset.dataset.id: {
            "object_store_id": one.dataset.dataset.object_store_id,
            "size": get_dataset_size(one.dataset.dataset),
        }
        for one in _present(datasets)
    }
