"""Galaxy's job configuration: which dynamic destination a tool's jobs are given to, as `galaxy.jobs.JobConfiguration` decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

from tpvc.export.errors import ExportError

#: Tools that are of the class `local` whatever their files say.
UPLOADS = ("upload1", "__DATA_FETCH__")
#: Keys of a tool's entry that are no params of the job.
NO_PARAMS = {"id", "class", "environment", "destination", "handler", "resources", "params"}


@dataclass
class JobConf:
    """The destinations (in YAML: environments) by id, and which of them tools are given to."""

    #: By id: `true` if the destination is dynamic.
    dynamic: dict[str, bool] = field(default_factory=dict)
    #: By tag: the ids of the destinations.
    tagged: dict[str, list[str]] = field(default_factory=dict)
    default: str | None = None
    #: By the tool's id in lower case, and by the tool's class.
    tools: dict[str, str | None] = field(default_factory=dict)
    classes: dict[str, str | None] = field(default_factory=dict)

    def dispatcher(self, tool: str, old_id: str | None, is_user_defined: bool, went_to: str | None) -> str | None:
        """The id of the dynamic destination that got a job; `None` if it is static.

        The database does not have the class of a tool: a job that went where a class is sent is taken for one of that class.
        """
        return self._dynamic(self._named(tool, old_id, is_user_defined, went_to))

    def _named(self, tool: str, old_id: str | None, is_user_defined: bool, went_to: str | None) -> str | None:
        ids = [tool.lower()]
        if old_id and old_id != tool:
            ids += [tool.lower().rsplit("/", 1)[0], old_id.lower()]
        for id in ids:
            if id in self.tools:
                return self.tools[id]
        if (old_id or tool) in UPLOADS and "local" in self.classes:
            return self.classes["local"]
        for name, destination in self.classes.items():
            if (name == "user_defined" and is_user_defined) or (destination is not None and destination == went_to):
                return destination
        return None

    def _dynamic(self, name: str | None) -> str | None:
        name = name or self.default
        if name is None:
            return None
        if name.startswith("dynamic:"):
            return name
        return next((id for id in self.tagged.get(name, [name]) if self.dynamic.get(id)), None)


def read_job_conf(path: str) -> JobConf:
    """Reads `job_conf.yml`, a `galaxy.yml` that has it inside, or `job_conf.xml`."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ExportError(f"the job configuration `{path}` cannot be read: {reason}", "name Galaxy's `job_config_file`") from None
    try:
        found = _of_xml(data) if data.lstrip()[:1] == b"<" else _of_yaml(data)
    except (ValueError, TypeError, KeyError, AttributeError, ElementTree.ParseError) as error:
        raise ExportError(f"`{path}` is not a job configuration: {error}", "name Galaxy's `job_config_file`") from None
    if not found.dynamic:
        raise ExportError(f"`{path}` has no destinations", "name Galaxy's `job_config_file`, which lists them")
    if found.default is None and len(found.dynamic) == 1:
        found.default = next(iter(found.dynamic))
    return found


def _of_yaml(data: bytes) -> JobConf:
    try:
        import yaml
    except ImportError:
        raise ExportError(
            "PyYAML is not installed in this Python", "run `tpvc` of Galaxy's own virtual environment, or `pip install pyyaml`"
        ) from None
    try:
        root = yaml.safe_load(data)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    if "galaxy" in root and "execution" not in root:
        root = root["galaxy"]["job_config"]
    execution = root["execution"]
    environments = execution["environments"]
    listed = environments if isinstance(environments, list) else [{**(entry or {}), "id": id} for id, entry in environments.items()]
    return _made(listed, execution.get("default"), root.get("tools") or [])


def _of_xml(data: bytes) -> JobConf:
    root = ElementTree.fromstring(data)
    destinations, tools = root.find("destinations"), root.find("tools")
    if destinations is None:
        raise ValueError("the element `destinations` is missing")
    listed: list[dict[str, Any]] = []
    for element in destinations.findall("destination"):
        tags = [tag.strip() for tag in element.get("tags", "").split(",") if tag.strip()]
        listed.append({**element.attrib, "tags": tags})
    entries = []
    for element in () if tools is None else tools.findall("tool"):
        params = {param.get("id"): param.text for param in element.findall("param")}
        entries.append({**element.attrib, "params": params})
    return _made(listed, destinations.get("default"), entries)


def _made(destinations: Iterable[Mapping[str, Any]], default: str | None, tools: Iterable[Mapping[str, Any]]) -> JobConf:
    made = JobConf(default=default)
    for destination in destinations:
        id = str(destination["id"])
        made.dynamic[id] = str(destination.get("runner")) in ("dynamic", "dynamic_tpv")
        for tag in destination.get("tags") or []:
            made.tagged.setdefault(str(tag), []).append(id)
    for tool in tools:
        # An entry with params is for those jobs of the tool that have them.
        if tool.get("params") or set(tool) - NO_PARAMS:
            continue
        name = tool.get("environment") or tool.get("destination")
        if "id" in tool:
            made.tools.setdefault(str(tool["id"]).lower().rstrip("/"), name)
        else:
            made.classes.setdefault(str(tool["class"]), name)
    return made
