"""What a tool asks for in its own file, as fields of TPV's entities."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, get_args

ResourceType = Literal[
    "cores_min",
    "cores_max",
    "ram_min",
    "ram_max",
    "tmpdir_min",
    "tmpdir_max",
    "cuda_version_min",
    "cuda_compute_capability",
    "gpu_memory_min",
    "cuda_device_count_min",
    "cuda_device_count_max",
    "shm_size",
]
VALID_RESOURCE_TYPES = get_args(ResourceType)

TPVResourceFieldName = Literal["cores", "max_cores", "mem", "max_mem", "gpus", "max_gpus"]

# Galaxy counts memory in MiB, TPV in GiB.
MEBIBYTES_PER_GIB = 1024

_FIELDS = {
    "cores_min": "cores",
    "cores_max": "max_cores",
    "ram_min": "mem",
    "ram_max": "max_mem",
    "cuda_device_count_min": "gpus",
    "cuda_device_count_max": "max_gpus",
}


class TPVResourceFields(TypedDict, total=False):
    """The fields of an entity that a tool can set."""

    cores: int | float
    max_cores: int | float
    mem: int | float
    max_mem: int | float
    gpus: int
    max_gpus: int


def extract_resource_requirements_from_tool(galaxy_tool: Any) -> TPVResourceFields:
    """The fields that a tool's resource requirements set; an expression, which Galaxy does not evaluate, sets none."""
    return requested(galaxy_tool, MEBIBYTES_PER_GIB)


def requested(galaxy_tool: Any, memory_divisor: int | None) -> TPVResourceFields:
    """The fields that a tool's resource requirements set, memory divided by a number, or in MiB if there is none."""
    fields: dict[str, Any] = {}
    for requirement in getattr(galaxy_tool, "resource_requirements", None) or []:
        kind = requirement.resource_type
        if kind not in _FIELDS:
            continue
        try:
            value = requirement.get_value()
        except NotImplementedError:
            continue
        if value is not None:
            divides = memory_divisor is not None and kind in ("ram_min", "ram_max")
            fields[_FIELDS[kind]] = value / memory_divisor if divides else value
    return fields  # type: ignore[return-value]
