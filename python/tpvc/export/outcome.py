"""The end of a job: `outcome` in its line, which no rule sees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tpvc.export.decode import json_of, without_none
from tpvc.export.times import iso

#: What Galaxy's runners say of a job that exceeded its memory: Slurm and HTCondor, HTCondor of a held job, Kubernetes and `cli`, Univa.
SHORT_OF_MEMORY = (
    "used more memory than it was allocated",
    "exceeded its requested memory",
    "failed due to insufficient memory",
    "used more than the maximum allowed memory",
)
#: What Galaxy says of a job that it resubmits, and of one whose memory was short.
RESUBMITTED = "resubmitted"
RESUBMITTED_FOR_MEMORY = "exceeded the amount of allocated memory"
#: The error level of a message that the tool's own output or exit code means that memory was short.
OUT_OF_MEMORY = 4
#: The exit code of a process that the kernel killed.
KILLED = 137
#: A limit that no job has: version 1 of cgroups writes one near 2^63 where there is none.
NO_LIMIT = 2**56


@dataclass(frozen=True)
class State:
    """An entry of a job's state history."""

    state: str
    time: datetime | None
    #: What Galaxy said of the job at that moment.
    info: str | None = None


def outcome(
    job: Mapping[str, Any], params: dict[str, Any] | None, states: list[State], metrics: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """The outcome of a job: from its row, the params of its destination, its state history and the metrics of each plugin."""
    core, cgroup = metrics.get("core", {}), metrics.get("cgroup", {})
    return without_none({
        "state": job["state"],
        "destination_id": job["destination_id"],
        "destination_params": params,
        "runner": job["job_runner_name"],
        "exit_code": job["exit_code"],
        "update_time": iso(job["update_time"]),
        "object_store_id": job["object_store_id"],
        "resubmitted": any(entry.state == "resubmitted" for entry in states) or None,
        "copied_from_job_id": job["copied_from_job_id"],
        **times(states),
        "queue_seconds": queue_seconds(states),
        "runtime_seconds": core.get("runtime_seconds", ran(states)),
        "slots": core.get("galaxy_slots"),
        "memory_bytes": memory(cgroup),
        "allocated_memory_bytes": allocated(core, cgroup),
        "cpu_seconds": cpu_seconds(cgroup),
        "oom": killed_for_memory(job, cgroup),
        "attempts": attempts(states) or None,
        "metrics": dict(sorted(metrics.items())) or None,
    })


def queue_seconds(states: Iterable[State]) -> float | None:
    """The seconds from when the job was queued last until it ran; `None` if it did not run."""
    queued = waited = None
    for entry in states:
        if entry.state == "queued":
            queued, waited = entry.time, None
        elif entry.state == "running" and queued is not None:
            waited = seconds(queued, entry.time)
            queued = None
    return waited


def times(states: Iterable[State]) -> dict[str, str | None]:
    """The times at which the job was created, and at which its last attempt was queued, ran and ended."""
    names = {"new": "create_time", "queued": "queued_time", "running": "running_time", "ok": "end_time", "error": "end_time"}
    found: dict[str, str | None] = {}
    for entry in states:
        name = names.get(entry.state)
        if name == "create_time" and name in found:
            continue
        if name is not None:
            found[name] = iso(entry.time)
        if entry.state in ("queued", "running"):
            # An attempt that goes on has no end.
            found.pop("end_time", None)
    return found


def ran(states: Iterable[State]) -> float | None:
    """The seconds that the last attempt ran, by its states: the core plugin has none if the job's script was killed, too."""
    started = time = None
    for entry in states:
        if entry.state == "running":
            started, time = entry.time, None
        elif entry.state in ("ok", "error"):
            time = seconds(started, entry.time)
        elif entry.state in ("queued", "resubmitted"):
            started = time = None
    return time


def attempts(states: Iterable[State]) -> list[dict[str, Any]]:
    """The attempts before the last one. Galaxy keeps of them how long they ran and why they ended, not their memory."""
    earlier: list[dict[str, Any]] = []
    started = None
    for entry in states:
        if entry.state == "running":
            started = entry.time
        elif entry.state == "resubmitted":
            info = entry.info or ""
            is_known = RESUBMITTED in info
            oom = RESUBMITTED_FOR_MEMORY in info if is_known else None
            earlier.append(without_none({"runtime_seconds": seconds(started, entry.time), "oom": oom}))
            started = None
    return earlier


def seconds(start: datetime | None, end: datetime | None) -> float | None:
    """The seconds between two times; clocks of two servers may differ."""
    return None if start is None or end is None else max((end - start).total_seconds(), 0.0)


def allocated(core: Mapping[str, Any], cgroup: Mapping[str, Any]) -> Any:
    """The memory that the job was given, in bytes: Galaxy keeps `GALAXY_MEMORY_MB`, which is in MiB; else the limit of the job's cgroup."""
    mebibytes = core.get("galaxy_memory_mb")
    if mebibytes is not None:
        return mebibytes * 2**20
    limit = next((cgroup[name] for name in ("memory.max", "memory.limit_in_bytes") if name in cgroup), None)
    return limit if isinstance(limit, int) and 0 < limit < NO_LIMIT else None


def cpu_seconds(cgroup: Mapping[str, Any]) -> float | None:
    """The processor time, by the names of cgroups version 2 (microseconds) and 1 (nanoseconds)."""
    for name, units in (("cpu.stat.usage_usec", 1e6), ("cpuacct.usage", 1e9)):
        if name in cgroup:
            return float(cgroup[name]) / units
    return None


def killed_for_memory(job: Mapping[str, Any], cgroup: Mapping[str, Any]) -> bool | None:
    """`True` if the last attempt was killed because its memory was short; `None` if nothing tells."""
    if job["state"] == "ok":
        return False
    if any(text in (job["info"] or "") for text in SHORT_OF_MEMORY):
        return True
    if says_out_of_memory(job["job_messages"]):
        return True
    kills = cgroup.get("memory.events.oom_kill")
    if kills is not None:
        return bool(kills > 0)
    # Version 1 counts every allocation that met the limit, also those for which room was then made.
    if "memory.failcnt" in cgroup and job["exit_code"] == KILLED:
        return bool(cgroup["memory.failcnt"] > 0)
    return None


def says_out_of_memory(messages: object) -> bool:
    """`True` if Galaxy found in the tool's output or exit code what the tool's file says of short memory."""
    found = json_of(messages)
    levels = [message.get("error_level") for message in found if isinstance(message, dict)] if isinstance(found, list) else []
    return OUT_OF_MEMORY in levels


def memory(cgroup: Mapping[str, Any]) -> Any:
    """The most memory that the job had, by the names of cgroups version 2 and 1."""
    return next((cgroup[name] for name in ("memory.peak", "memory.max_usage_in_bytes") if name in cgroup), None)
