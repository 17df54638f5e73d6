"""Jobs of a job file as objects of Galaxy's own classes: its models, its tools, a database in memory."""

from __future__ import annotations

import copy
import datetime
import json
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from galaxy import model
from galaxy.app_unittest_utils import galaxy_mock
from galaxy.model import mapping
from galaxy.tool_util.deps.requirements import ResourceRequirement
from galaxy.tool_util.parser import get_tool_source
from galaxy.tools import Tool, create_tool_from_source

_TOOL = """
<tool id="tool" name="tool" version="1.0" profile="24.0">
    <command>true</command>
    <outputs><data name="out" format="txt"/></outputs>
</tool>
"""


class JobTool(Tool):
    """A tool of Galaxy whose fields a job file sets."""

    requires_galaxy_python_environment: Any = False
    installed_tool_dependencies: Any = None


def first_tool() -> Tool:
    """A tool as Galaxy makes it of a file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tool.xml"
        file.write_text(_TOOL)
        tool = create_tool_from_source(galaxy_mock.MockApp(), get_tool_source(str(file)), config_file=str(file))
        tool.__class__ = JobTool
        return tool


class World:
    """An app as a mapping sees it: a database with the jobs of a world, its tool data tables and its configuration."""

    def __init__(self, world: dict[str, Any], tool: Tool) -> None:
        self.tool = tool
        models = mapping.init(tempfile.gettempdir(), "sqlite:///:memory:", create_tables=True)
        for row in world.get("jobs", []):
            job = model.Job()
            for key in ("tool_id", "user_id", "state", "destination_id"):
                if key in row:
                    setattr(job, key, row[key])
            models.context.add(job)
        models.context.commit()
        tables = {name: Table(rows) for name, rows in world.get("tool_data_tables", {}).items()}
        self.app = SimpleNamespace(
            model=models,
            tool_data_tables=tables,
            config=SimpleNamespace(**world.get("config", {})),
            toolbox=SimpleNamespace(get_tool=lambda *a, **k: self.toolbox_tool),
        )
        self.toolbox_tool: Any = None

    def call(self, record: dict[str, Any]) -> dict[str, Any]:
        """What Galaxy calls a rule with for a line of a job file."""
        tool = self._tool(record["tool"])
        user = _user(record["user"]) if record.get("user") else None
        job, by_id = _job(record.get("job") or {}, tool, user)

        def values(params: dict[str, str], ignore_errors: bool = False) -> dict[str, Any]:
            return {name: _with_datasets(json.loads(value), by_id) for name, value in params.items()}

        tool.params_from_strings = values
        self.toolbox_tool = tool
        wrapper = record.get("job_wrapper")
        return {
            "app": self.app,
            "tool": tool,
            "user": user,
            "job": job,
            "job_wrapper": None if wrapper is None else SimpleNamespace(**wrapper),
            "resource_params": record.get("resource_params"),
            "workflow_invocation_uuid": record.get("workflow_invocation_uuid"),
        }

    def _tool(self, record: dict[str, Any]) -> Any:
        tool: Any = copy.copy(self.tool)
        tool.id = record["id"]
        tool.old_id = record.get("old_id", record["id"])
        tool.version = record.get("version")
        tool.tool_type = record.get("tool_type", "default")
        tool.requires_galaxy_python_environment = record.get("requires_galaxy_python_environment", False)
        tool.resource_requirements = [
            ResourceRequirement(value_or_expression=value, resource_type=kind)  # type: ignore[arg-type]
            for kind, value in (record.get("resource_requirements") or {}).items()
        ]
        uuid = record.get("dynamic_tool_uuid")
        tool.dynamic_tool = model.DynamicTool(uuid=uuid) if uuid else None
        return tool


class Table:
    """A tool data table, of which a mapping asks an entry."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def get_entry(self, query_attr: str, query_val: Any, return_attr: str, default: Any = None) -> Any:
        found = (row for row in self.rows if row.get(query_attr) == query_val)
        return next((row.get(return_attr, default) for row in found), default)


def _user(record: dict[str, Any]) -> Any:
    user = model.User(email=record.get("email"), username=record.get("username"))
    user.id = record.get("id", 1)
    if record.get("extra_preferences"):
        user.preferences["extra_user_preferences"] = json.dumps(record["extra_preferences"])
    for role in record.get("roles", []):
        fields = {"name": role} if isinstance(role, str) else role
        made = model.Role(name=fields["name"])
        made.deleted = fields.get("deleted", False)
        model.UserRoleAssociation(user, made)
    if "create_time" in record:
        user.create_time = datetime.datetime.fromisoformat(record["create_time"])
    return user


def _job(record: dict[str, Any], tool: Any, user: Any) -> tuple[Any, dict[int, Any]]:
    job = model.Job()
    job.id = record.get("id", 1)
    job.state = record.get("state", "new")
    job.tool_id, job.tool_version = tool.id, tool.version
    job.user = user
    job.destination_params = record.get("destination_params")
    by_id: dict[int, Any] = {}
    for entry in record.get("input_datasets", []):
        association = by_id.get(entry["id"])
        if association is None:
            dataset = model.Dataset(file_size=entry.get("size"))
            dataset.id = entry["id"]
            dataset.object_store_id = entry.get("object_store_id")
            association = model.HistoryDatasetAssociation(
                name=entry.get("name", ""), extension=entry.get("extension", "data"), dataset=dataset
            )
            for key, value in entry.get("metadata", {}).items():
                setattr(association.metadata, key, value)
            by_id[entry["id"]] = association
        job.add_input_dataset(entry.get("name", ""), association)
    history = record.get("history")
    if history is not None:
        job.history = model.History(name=history.get("name", "Unnamed history"), user=user)
        for tag in history.get("tags", []):
            fields = {"name": tag} if isinstance(tag, str) else tag
            made = model.HistoryTagAssociation()
            made.user_tname, made.value, made.user_value = fields["name"], fields.get("value"), fields.get("value")
            job.history.tags.append(made)
    for name, value in record.get("param_values", {}).items():
        job.add_parameter(name, json.dumps(value))
    for name, value in (record.get("parameters") or {}).items():
        if name not in record.get("param_values", {}):
            job.add_parameter(name, value)
    return job, by_id


def _with_datasets(value: Any, by_id: dict[int, Any]) -> Any:
    """The values of parameters, with datasets and collections where they refer to some."""
    if isinstance(value, dict):
        if value.get("src") == "hda" and value.get("id") in by_id:
            return by_id[value["id"]]
        if value.get("src") == "hdca" and "ids" in value:
            collection = model.DatasetCollection(collection_type="list", populated=True)
            for index, number in enumerate(value["ids"]):
                model.DatasetCollectionElement(collection=collection, element=by_id[number], element_index=index)
            return model.HistoryDatasetCollectionAssociation(collection=collection)
        return {key: _with_datasets(item, by_id) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_datasets(item, by_id) for item in value]
    return value
