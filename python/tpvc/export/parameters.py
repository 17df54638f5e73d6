"""Parameters of a job: from the texts of `job_parameter` to what `job.get_param_values(app)` gives.

Galaxy asks the tool for the types of its parameters, and the tool is not in the database. What the texts tell is taken
from them: structure, truth values, datasets. The kind of a number is told by the typed state that newer releases keep
beside the texts (`job.tool_state`); without it a number stays the text that it is in the database.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

#: The kinds of references to collections.
COLLECTIONS = ("hdca", "dce")


class Datasets:
    """The input datasets of a job, and collections, by the ids that parameters have."""

    def __init__(self) -> None:
        #: The names under which inputs are recorded.
        self.names: set[str] = set()
        #: HDA to dataset, of the inputs.
        self.inputs: dict[int, int] = {}
        #: Collection or element, by kind and id, to the HDAs in it.
        self.collections: Mapping[tuple[str, int], list[int]] = {}

    def reference(self, source: str, id: int) -> dict[str, Any]:
        """What the job file has for a dataset or a collection."""
        if source == "hda":
            # An id that names no input must not name another by chance: the job file's ids are those of datasets.
            return {"src": "hda", "id": self.inputs.get(id, f"hda-{id}")}
        inside = self.collections.get((source, id), [])
        return {"src": "hdca", "ids": [self.inputs[hda] for hda in inside if hda in self.inputs]}


def decoded(text: str | None) -> Any:
    """A text as Galaxy reads it: numbers and truth values stay texts."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, (bool, int, float)) else value


def collections_in(values: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """The collections that decoded parameters name."""
    waiting: list[Any] = [values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, Mapping):
            source, id = value.get("src"), value.get("id")
            if source in COLLECTIONS and isinstance(id, int):
                yield source, id
            else:
                waiting.extend(value.values())


def param_values(texts: Mapping[str, str | None], state: Mapping[str, Any] | None, datasets: Datasets) -> dict[str, Any]:
    """What code gets of `job.get_param_values(app)`, of the texts and the typed state."""
    reader = ParameterReader(datasets)
    return {name: reader.top(name, text, (state or {}).get(name)) for name, text in texts.items()}


class ParameterReader:
    """Goes through the parameters of a job."""

    def __init__(self, datasets: Datasets) -> None:
        self.datasets = datasets

    def top(self, name: str, text: str | None, typed: Any) -> Any:
        """A parameter of the tool, or one that Galaxy adds to all jobs, which stays what it is."""
        if name.startswith("__") and name != "__job_resource":
            return decoded(text)
        if text in ("true", "false"):
            # Truth values alone are written without quotes.
            return text == "true"
        return self.value(name, decoded(text), typed)

    def value(self, path: str, value: Any, typed: Any) -> Any:
        """A value; `path` is the name under which an input is recorded: `conditional|input`, `repeat_0|input`."""
        if isinstance(value, str):
            return number_like(value, typed)
        if isinstance(value, list):
            return self.items(path, value, typed if isinstance(typed, list) else [])
        if not isinstance(value, dict):
            return value
        if value.get("__class__") == "UnvalidatedValue":
            return value.get("value")
        if isinstance(value.get("values"), list) and all(is_reference(each) for each in value["values"]):
            return self.references(path, value["values"])
        if is_reference(value):
            return self.reference(value)
        inside = typed if isinstance(typed, dict) else {}
        return {key: self.value(f"{path}|{key}", each, inside.get(key)) for key, each in value.items()}

    def items(self, path: str, values: list[Any], typed: list[Any]) -> list[Any]:
        """The items of a list: the blocks of a repeat, or what was chosen of many."""
        pairs = zip(values, typed + [None] * (len(values) - len(typed)))
        return [self.value(f"{path}_{index}" if isinstance(value, dict) else path, value, kind) for index, (value, kind) in enumerate(pairs)]

    def references(self, path: str, values: list[dict[str, Any]]) -> Any:
        """What a parameter for datasets holds. With `multiple="true"` that is a list, but for a lone collection. Galaxy
        records the datasets of such a parameter under numbered names, and the first of them under its own name as well."""
        references = [self.reference(value) for value in values]
        many = path in self.datasets.names and f"{path}1" in self.datasets.names
        if len(values) == 1 and (values[0]["src"] == "hdca" or not many):
            return references[0]
        return references

    def reference(self, value: dict[str, Any]) -> dict[str, Any]:
        """A dataset or a collection."""
        if value["src"] in ("hda", *COLLECTIONS) and isinstance(value.get("id"), int):
            return self.datasets.reference(value["src"], value["id"])
        return value


def is_reference(value: Any) -> bool:
    """Whether it names something of a history or library."""
    return isinstance(value, dict) and "src" in value and ("id" in value or value["src"] == "CollectionAdapter")


def number_like(text: str, typed: Any) -> Any:
    """The number that the text is, where the typed state has it as one."""
    if isinstance(typed, bool) or not isinstance(typed, (int, float)):
        return text
    try:
        value: int | float = float(text) if isinstance(typed, float) or not text.lstrip("+-").isdigit() else int(text)
    except ValueError:
        return text
    # PostgreSQL keeps 1e22 as a whole number; the text tells what it was.
    return value if value == typed else text


def resource_params(values: Mapping[str, Any]) -> dict[str, Any]:
    """As `JobWrapper.get_resource_parameters`: what the user chose of the job's resources, where they chose."""
    chosen = values.get("__job_resource")
    if isinstance(chosen, dict) and str(chosen.get("__job_resource__select")).lower() in ("1", "yes", "true"):
        return chosen
    return {}
