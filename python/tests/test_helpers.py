"""The functions of `helpers`: for random jobs what TPV's answer, where TPV is installed, and what they answer by themselves."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

import galaxy_objects as objects
from tpvc.core import helpers

reference: Any = pytest.importorskip("tpv.core.helpers", reason="TPV is not installed")


def answer(function: Any, *args: Any, **keywords: Any) -> Any:
    try:
        return function(*args, **keywords)
    except Exception as error:
        return type(error), str(error)


def random_job(source: random.Random) -> Any:
    names = ["input", "input1", "input2", "inputs", "cond|input", None, ""]
    extensions = ["txt", "fastqsanger.gz", "bz2", "vcf.bz2", "gz", None, ""]
    datasets = [objects.dataset(source.choice([0, 0.5, 3, 1e-9, 700.25])) for _ in range(source.randrange(5))]
    for one in datasets:
        one.dataset.extension = source.choice(extensions)
    inputs = []
    for _ in range(source.randrange(8)):
        kind = source.randrange(6)
        if kind == 0 or not datasets:
            inputs.append(SimpleNamespace(name=source.choice(names), dataset=None))
        elif kind == 1:
            inputs.append(SimpleNamespace(name=source.choice(names), dataset=SimpleNamespace(dataset=None)))
        else:
            inputs.append(SimpleNamespace(name=source.choice(names), dataset=source.choice(datasets).dataset))
    job = objects.job(*inputs, **random_tree(source, 0, dict))
    if source.random() < 0.05:
        job.input_datasets = None
    return job


def random_tree(source: random.Random, depth: int, kind: type | None = None) -> Any:
    if kind is None:
        kind = source.choice([dict, dict, list, str]) if depth < 3 else str
    if kind is dict:
        return {source.choice("abc"): random_tree(source, depth + 1) for _ in range(source.randrange(3))}
    if kind is list:
        return [random_tree(source, depth + 1) for _ in range(source.randrange(3))]
    return source.choice(["x", "y", 1, None])


def test_random_jobs_against_tpv() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    source = random.Random(seed)
    versions = ["1.0", "1.0+galaxy0", "2.15.1+galaxy0", "0.9rc1", "not a version", "", None]
    for _ in range(3000):
        job, param = random_job(source), source.choice(["input", "inputs", "cond|input", "", None])
        args = random_tree(source, 0, source.choice([dict, dict, list, str]))
        tool, version = objects.tool(version=source.choice(versions)), source.choice(versions)
        weights = [source.choice([{}, None, {"weight": source.choice([0, 1, 2, -1, 0.5])}]) for _ in range(source.randrange(5))]
        destinations = [SimpleNamespace(id=i, params=params) for i, params in enumerate(weights)]
        items = [params for params in weights if params is not None]
        estimate, factor = source.choice([True, False]), source.choice([3.4, 2])
        draw = source.randrange(2**32)

        def drawn(function: Any, of: Any, draw: int = draw) -> Any:
            random.seed(draw)
            return answer(function, of)

        for calls in (
            lambda it: answer(it.input_size, job),
            lambda it: answer(it.calculate_dataset_total, job.input_datasets),
            lambda it: answer(it.get_input_datasets, job, param),
            lambda it: answer(it.get_input_dataset, job, param),
            lambda it: answer(it.get_input_size, job, param, estimate, factor),
            lambda it: answer(it.get_dataset_attributes, job.input_datasets),
            lambda it: answer(it.job_args_match, job, None, args),
            lambda it: [answer(getattr(it, f"tool_version_{name}"), tool, version) for name in ("eq", "lte", "lt", "gte", "gt")],
            lambda it: drawn(it.weighted_random_sampling, destinations),
            lambda it: drawn(it.weighted_choice, items),
        ):
            ours, theirs = calls(helpers), calls(reference)
            assert ours == theirs and type(ours) is type(theirs), (seed, ours, theirs)


def test_all_that_rules_may_call_is_there() -> None:
    public = {name for name in vars(reference) if not name.startswith("_")}
    # What TPV's module imports for its own annotations.
    types = {
        "Any", "Callable", "Dataset", "Destination", "Entity", "GalaxyTool", "GalaxyUser", "HistoryDatasetAssociation", "Job",
        "JobToInputDatasetAssociation", "Mapping", "T", "TPVResourceFieldName", "TypeVar", "UniverseApplication", "WeightedT",
        "reduce",
    }  # fmt: skip
    assert public - types - set(dir(helpers)) == {"model"}
    assert helpers.model.Job.__name__ == "Job"


def test_tags_of_an_entity() -> None:
    tags = SimpleNamespace(filter=lambda tag_value: (one for one in ["a", "b"] if one == tag_value))
    entity = SimpleNamespace(tpv_tags=tags)
    for match in (None, [], ["a"], ["a", "b"], ["c"], ["a", "c"]):
        for exclude in (None, [], ["a"], ["c"], ["c", "b"]):
            assert helpers.tag_values_match(entity, match, exclude) == reference.tag_values_match(entity, match, exclude)


def test_what_a_tool_asks_for() -> None:
    from galaxy.tool_util.deps.requirements import ResourceRequirement

    tool = objects.tool()
    tool.resource_requirements = [
        ResourceRequirement(value_or_expression=value, resource_type=kind)  # type: ignore[arg-type]
        for kind, value in {"cores_min": 4, "ram_max": "8192", "ram_min": "$(inputs.size)", "shm_size": 1}.items()
    ]
    for field in ("cores", "max_cores", "mem", "max_mem", "gpus", "max_gpus"):
        assert helpers.get_tool_resource_field(tool, field) == reference.get_tool_resource_field(tool, field)
