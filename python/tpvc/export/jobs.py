"""From the rows of a page of jobs to the lines of the job file."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tpvc.export import statements
from tpvc.export.database import Database, Reader, by_name
from tpvc.export.decode import json_of, number_of, object_of, text_of, uuid_of
from tpvc.export.job_conf import JobConf
from tpvc.export.parameters import Datasets, collections_in, decoded, param_values, resource_params
from tpvc.export.people import People, Person
from tpvc.export.times import iso, time_of


@dataclass(frozen=True)
class Choice:
    """What of the jobs is exported beside what every replay needs."""

    people: People
    #: Keys of the users' extra preferences.
    preferences: frozenset[str] = frozenset()
    #: The metadata of input datasets.
    metadata: bool = False
    #: Which dynamic destination gets the jobs of a tool.
    job_conf: JobConf | None = None
    #: The names of tools, by id.
    tool_names: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Page:
    """What the database says of some jobs, by their ids and by those of users and histories."""

    texts: dict[int, dict[str, str | None]] = field(default_factory=lambda: defaultdict(dict))
    inputs: dict[int, list[Mapping[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    collections: dict[tuple[str, int], list[int]] = field(default_factory=dict)
    roles: dict[int, dict[int, Mapping[str, Any]]] = field(default_factory=lambda: defaultdict(dict))
    preferences: dict[int, dict[str, Any]] = field(default_factory=dict)
    tags: dict[int, list[Mapping[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    metrics: dict[int, dict[str, dict[str, Any]]] = field(default_factory=lambda: defaultdict(dict))
    #: The states that each job had, with the time of each.
    states: dict[int, list[tuple[str, datetime | None]]] = field(default_factory=lambda: defaultdict(list))

    def resubmitted(self, job: int) -> bool:
        """Returns `true` if the job was sent to another destination after the first."""
        return any(state == "resubmitted" for state, _ in self.states.get(job, []))


class Jobs:
    """Makes lines of jobs."""

    def __init__(self, database: Database, choice: Choice) -> None:
        self.choice = choice
        has_state = database.has_column("job", "tool_state")
        self.statement = statements.JOBS.format(tool_state="j.tool_state" if has_state else "NULL")
        self.inputs = statements.INPUTS.format(metadata="a.metadata" if choice.metadata else "NULL")

    def lines(self, reader: Reader, jobs: list[Mapping[str, Any]]) -> Iterator[str]:
        """The lines of jobs, whose rows are given."""
        page = self.page(reader, jobs)
        people: dict[int, Person] = {}
        for job in jobs:
            if (id := job["known_user_id"]) is not None and id not in people:
                people[id] = self.choice.people.person(id, job["email"], job["username"])
            person = people.get(id)
            record = self.record(page, job, person)
            line = json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=text_of)
            yield self.choice.people.scrub(line, job["email"], person)

    def page(self, reader: Reader, jobs: list[Mapping[str, Any]]) -> Page:
        """Asks for everything about some jobs."""
        page = Page()
        ids = [job["id"] for job in jobs]
        users = {job["known_user_id"] for job in jobs} - {None}
        histories = {job["known_history_id"] for job in jobs} - {None}
        for row in reader.rows_of(ids, statements.PARAMETERS):
            page.texts[row.job_id][row.name] = text_of(row.value)
        for row in reader.rows_of(ids, self.inputs):
            page.inputs[row.job_id].append(by_name(row))
        for row in reader.rows_of(users, statements.ROLES):
            page.roles[row.user_id].setdefault(row.role_id, by_name(row))
        if self.choice.preferences:
            for row in reader.rows_of(users, statements.PREFERENCES):
                page.preferences[row.user_id] = object_of(row.value) or {}
        for row in reader.rows_of(histories, statements.TAGS):
            page.tags[row.history_id].append(by_name(row))
        for row in reader.rows_of(ids, statements.METRICS):
            page.metrics[row.job_id].setdefault(row.plugin, {})[row.metric_name] = number_of(row.metric_value)
        for row in reader.rows_of(ids, statements.JOB_STATES):
            page.states[row.job_id].append((row.state, time_of(row.create_time)))
        named = {
            reference
            for texts in page.texts.values()
            for reference in collections_in({name: decoded(text) for name, text in texts.items() if text and '"src"' in text})
        }
        page.collections = datasets_of_collections(reader, named)
        return page

    def record(self, page: Page, job: Mapping[str, Any], person: Person | None) -> dict[str, Any]:
        """A line of the job file, before it is text."""
        inputs = page.inputs.get(job["id"], [])
        datasets = Datasets()
        datasets.names = {row["name"] for row in inputs}
        datasets.inputs = {row["hda_id"]: row["dataset_id"] for row in inputs}
        datasets.collections = page.collections
        texts = page.texts.get(job["id"], {})
        values = param_values(texts, object_of(job["tool_state"]), datasets)
        # Galaxy hands the text on as it is in the database.
        invocation = texts.get("__workflow_invocation_uuid__")
        conf = self.choice.job_conf
        old = old_id(job["tool_id"])
        is_user_defined = job["dynamic_tool_uuid"] is not None
        dispatcher = conf and {"dispatcher": conf.dispatcher(job["tool_id"], old, is_user_defined, job["destination_id"])}
        return {
            "id": job["id"],
            "tool": without_none({
                "id": job["tool_id"],
                "name": self.choice.tool_names.get(job["tool_id"]),
                "version": job["tool_version"],
                "old_id": old,
                "dynamic_tool_uuid": uuid_of(job["dynamic_tool_uuid"]),
            }),
            "user": self.user(page, job, person),
            "job": {
                **self.job(page, job),
                "param_values": values,
                "parameters": without_none(texts),
                "input_datasets": [dataset(row) for row in inputs],
                "history": self.history(page, job),
            },
            "resource_params": resource_params(values),
            "workflow_invocation_uuid": invocation,
            **(dispatcher or {}),
            "outcome": outcome(page, job),
        }

    def user(self, page: Page, job: Mapping[str, Any], person: Person | None) -> dict[str, Any] | None:
        """The user; nobody for an anonymous job."""
        if person is None:
            return None
        id = job["known_user_id"]
        record: dict[str, Any] = {"id": person.id, "email": person.email}
        if person.username is not None:
            record["username"] = person.username
        record["create_time"] = iso(job["user_create_time"])
        roles = [(row["name"] or "", bool(row["deleted"])) for row in page.roles.get(id, {}).values()]
        record["roles"] = [{"name": name, "deleted": True} if deleted else name for name, deleted in roles]
        preferences = page.preferences.get(id, {})
        chosen = {key: preferences[key] for key in sorted(self.choice.preferences) if key in preferences}
        if chosen:
            record["extra_preferences"] = chosen
        return record

    def job(self, page: Page, job: Mapping[str, Any]) -> dict[str, Any]:
        """The job as it was when it was mapped, as far as the database still knows."""
        resubmitted = page.resubmitted(job["id"])
        return {
            "id": job["id"],
            "state": "resubmitted" if resubmitted else "new",
            "create_time": iso(job["create_time"]),
            "history_id": job["history_id"],
            "handler": job["handler"],
            # Those of another job came into being when it was mapped.
            "destination_params": object_of(job["destination_params"]) if resubmitted else None,
        }

    def history(self, page: Page, job: Mapping[str, Any]) -> dict[str, Any] | None:
        """The job's history."""
        if job["known_history_id"] is None:
            return None
        tags = [tag(row["user_tname"] or "", row["user_value"]) for row in page.tags.get(job["known_history_id"], [])]
        record: dict[str, Any] = {"id": job["known_history_id"], "tags": tags}
        if self.choice.people.names and job["history_name"] is not None:
            record["name"] = job["history_name"]
        return record


def dataset(row: Mapping[str, Any]) -> dict[str, Any]:
    """An input dataset. Its id is that of the dataset, by which TPV counts the size of an input once; Galaxy says 0 of one
    whose size was never set and whose file is gone."""
    record: dict[str, Any] = {"name": row["name"] or "", "id": row["dataset_id"], "size": number_of(row["file_size"]) or 0}
    if row["extension"] is not None:
        record["extension"] = row["extension"]
    record["object_store_id"] = row["object_store_id"]
    if (metadata := json_of(row["metadata"])) is not None and isinstance(metadata, dict):
        record["metadata"] = metadata
    return record


def tag(name: str, value: str | None) -> str | dict[str, str]:
    """A tag of a history."""
    return name if value is None else {"name": name, "value": value}


def old_id(tool_id: str) -> str | None:
    """The id in the tool's own file, which that of a tool from a tool shed holds: shed/repos/owner/repository/id/version."""
    parts = tool_id.split("/")
    return parts[4] if len(parts) == 6 and parts[1] == "repos" else None


def outcome(page: Page, job: Mapping[str, Any]) -> dict[str, Any]:
    """What became of the job, which no rule sees."""
    metrics = page.metrics.get(job["id"], {})
    cgroup = metrics.get("cgroup", {})
    states = page.states.get(job["id"], [])
    return without_none({
        "state": job["state"],
        "destination_id": job["destination_id"],
        "destination_params": object_of(job["destination_params"]),
        "runner": job["job_runner_name"],
        "exit_code": job["exit_code"],
        "update_time": iso(job["update_time"]),
        "object_store_id": job["object_store_id"],
        "resubmitted": page.resubmitted(job["id"]) or None,
        "copied_from_job_id": job["copied_from_job_id"],
        **times(states),
        "queue_seconds": queue_seconds(states),
        "runtime_seconds": metrics.get("core", {}).get("runtime_seconds"),
        "slots": metrics.get("core", {}).get("galaxy_slots"),
        "memory_bytes": memory(cgroup),
        "allocated_memory_bytes": allocated(metrics.get("core", {})),
        "cpu_seconds": cpu_seconds(cgroup),
        "oom": killed_for_memory(job, cgroup),
        "attempts": attempts(states) or None,
        "metrics": dict(sorted(metrics.items())) or None,
    })


def queue_seconds(states: Iterable[tuple[str, datetime | None]]) -> float | None:
    """The seconds from when the job was queued last until it ran; `None` if it did not run."""
    queued = waited = None
    for state, time in states:
        if state == "queued":
            queued, waited = time, None
        elif state == "running" and queued is not None and time is not None:
            waited = max((time - queued).total_seconds(), 0.0)
            queued = None
    return waited


def times(states: Iterable[tuple[str, datetime | None]]) -> dict[str, str | None]:
    """The times at which the job was created, and at which its last attempt was queued, ran and ended."""
    names = {"new": "create_time", "queued": "queued_time", "running": "running_time", "ok": "end_time", "error": "end_time"}
    found: dict[str, str | None] = {}
    for state, time in states:
        name = names.get(state)
        if name == "create_time" and name in found:
            continue
        if name is not None:
            found[name] = iso(time)
        if state in ("queued", "running"):
            # An attempt that goes on has no end.
            found.pop("end_time", None)
    return found


def attempts(states: Iterable[tuple[str, datetime | None]]) -> list[dict[str, Any]]:
    """The attempts before the last one. Galaxy keeps of them how long they ran, not why they ended."""
    earlier: list[dict[str, Any]] = []
    started = None
    for state, time in states:
        if state == "running":
            started = time
        elif state == "resubmitted":
            ran = (time - started).total_seconds() if started is not None and time is not None else None
            earlier.append(without_none({"runtime_seconds": None if ran is None else max(ran, 0.0)}))
            started = None
    return earlier


def allocated(core: Mapping[str, Any]) -> Any:
    """The memory that the job was given, in bytes: Galaxy keeps `GALAXY_MEMORY_MB`, which is in MiB."""
    mebibytes = core.get("galaxy_memory_mb")
    return None if mebibytes is None else mebibytes * 2**20


def cpu_seconds(cgroup: Mapping[str, Any]) -> float | None:
    """The processor time, by the names of cgroups version 2 (microseconds) and 1 (nanoseconds)."""
    for name, units in (("cpu.stat.usage_usec", 1e6), ("cpuacct.usage", 1e9)):
        if name in cgroup:
            return float(cgroup[name]) / units
    return None


#: What Galaxy's runners say of a job that exceeded its memory.
SHORT_OF_MEMORY = "used more memory than it was allocated"
#: The exit code of a process that the kernel killed.
KILLED = 137


def killed_for_memory(job: Mapping[str, Any], cgroup: Mapping[str, Any]) -> bool | None:
    """Whether the last attempt was killed because its memory was short; `None` if nothing tells."""
    if job["state"] == "ok":
        return False
    if SHORT_OF_MEMORY in (job["info"] or ""):
        return True
    kills = cgroup.get("memory.events.oom_kill")
    if kills is not None:
        return bool(kills > 0)
    # Version 1 counts every allocation that met the limit, also those for which room was then made.
    if "memory.failcnt" in cgroup and job["exit_code"] == KILLED:
        return bool(cgroup["memory.failcnt"] > 0)
    return None


def memory(cgroup: Mapping[str, Any]) -> Any:
    """The most memory that the job had, by the names of cgroups version 2 and 1."""
    return next((cgroup[name] for name in ("memory.peak", "memory.max_usage_in_bytes") if name in cgroup), None)


def without_none(record: Mapping[str, Any]) -> dict[str, Any]:
    """Without the keys that have no value."""
    return {key: value for key, value in record.items() if value is not None}


def datasets_of_collections(reader: Reader, references: Iterable[tuple[str, int]]) -> dict[tuple[str, int], list[int]]:
    """The HDAs in collections and their elements, to any depth, in the order of `dataset_instances`."""
    wanted = set(references)
    if not wanted:
        return {}
    # What a reference or an element stands for: an HDA, or the collection below.
    tops: dict[tuple[str, int], tuple[int | None, int | None]] = {}
    for row in reader.rows_of({id for kind, id in wanted if kind == "hdca"}, statements.HISTORY_COLLECTIONS):
        tops["hdca", row.id] = (None, row.collection_id)
    for row in reader.rows_of({id for kind, id in wanted if kind == "dce"}, statements.ELEMENTS):
        tops["dce", row.id] = (row.hda_id, row.child_collection_id)
    members: dict[int, list[tuple[int | None, int | None]]] = {}
    level = {below for _, below in tops.values() if below is not None}
    while level:
        members.update((id, []) for id in level)
        deeper = set()
        for row in reader.rows_of(level, statements.COLLECTIONS):
            members[row.id].append((row.hda_id, row.child_collection_id))
            if row.child_collection_id is not None:
                deeper.add(row.child_collection_id)
        level = deeper - members.keys()
    return {reference: list(leaves(top, members)) for reference, top in tops.items()}


def leaves(top: tuple[int | None, int | None], members: Mapping[int, list[tuple[int | None, int | None]]]) -> Iterator[int]:
    """The HDAs below an element, depth first. Galaxy nests collections a few levels deep."""
    hda, below = top
    if hda is not None:
        yield hda
    elif below is not None:
        for member in members.get(below, []):
            yield from leaves(member, members)
