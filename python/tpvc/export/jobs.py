"""From the rows of a page of jobs to the lines of the job file."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tpvc.export import statements
from tpvc.export.database import Database, Reader, by_name
from tpvc.export.decode import json_of, number_of, object_of, text_of, uuid_of, without_none
from tpvc.export.destination_params import without_names
from tpvc.export.job_conf import JobConf
from tpvc.export.outcome import State, outcome
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
    #: The params of destinations with all that rules wrote there.
    destination_params: bool = False
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
    #: The states that each job had.
    states: dict[int, list[State]] = field(default_factory=lambda: defaultdict(list))

    def resubmitted(self, job: int) -> bool:
        """Returns `true` if the job was sent to another destination after the first."""
        return any(entry.state == "resubmitted" for entry in self.states.get(job, []))


class Jobs:
    """Makes lines of jobs."""

    def __init__(self, database: Database, choice: Choice) -> None:
        self.choice = choice
        # What not all releases of Galaxy have.
        newer = {name: f"j.{name}" if database.has_column("job", name) else "NULL" for name in ("tool_state", "job_messages")}
        self.statement = statements.JOBS.format(**newer)
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
            page.states[row.job_id].append(State(row.state, time_of(row.create_time), row.info))
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
        params = object_of(job["destination_params"])
        if not self.choice.destination_params:
            params = without_names(params, job["username"])
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
                **self.job(page, job, params),
                "param_values": values,
                "parameters": without_none(texts),
                "input_datasets": [dataset(row) for row in inputs],
                "history": self.history(page, job),
            },
            "resource_params": resource_params(values),
            "workflow_invocation_uuid": invocation,
            **(dispatcher or {}),
            "outcome": outcome(job, params, page.states.get(job["id"], []), page.metrics.get(job["id"], {})),
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

    def job(self, page: Page, job: Mapping[str, Any], params: dict[str, Any] | None) -> dict[str, Any]:
        """The job as it was when it was mapped, as far as the database still knows."""
        resubmitted = page.resubmitted(job["id"])
        return {
            "id": job["id"],
            "state": "resubmitted" if resubmitted else "new",
            "create_time": iso(job["create_time"]),
            "history_id": job["history_id"],
            "handler": job["handler"],
            # Those of another job came into being when it was mapped.
            "destination_params": params if resubmitted else None,
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
