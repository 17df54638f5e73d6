"""What crosses between Python and the machine: identity, changes, exceptions, threads, and what is left behind."""

from __future__ import annotations

import gc
import itertools
import os
import random
import sys
import threading
import traceback
from typing import Any

import galaxy_objects
import pytest

import tpvc
from tpvc import _native

TIERS = ["native", "cpython"]

LEAK_MAPPINGS = int(os.environ.get("CROSSING_LEAK_MAPPINGS", "3000"))


class Holder:
    """An object that keeps what it is given."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self.mapping = {"a": [1, 2]}

    def keep(self, item: Any) -> Any:
        self.kept.append(item)
        return item

    def call(self, function: Any, *args: Any) -> Any:
        return function(*args)

    def grow(self) -> None:
        self.mapping["a"].append(3)
        self.mapping["b"] = {4}


@pytest.mark.parametrize("tier", TIERS)
def test_a_container_is_one_object_on_both_sides(tier: str) -> None:
    holder = Holder()
    source = "x = {'n': []}\nh.keep(x)\nx['n'].append(h)\nh.kept[0]['n'] is x['n'] and h.kept[0] is x"
    assert _native.evaluate(source, {"h": holder}, tier=tier) is True
    assert holder.kept == [{"n": [holder]}]


@pytest.mark.parametrize("tier", TIERS)
def test_changes_of_either_side_count_on_the_other(tier: str) -> None:
    holder = Holder()
    source = (
        "m = h.mapping\nm['z'] = 1\nh.grow()\nseen = [sorted(m), list(m['a']), m['b']]\ndel m['z']\nm['a'].insert(0, 0)\nm['b'].add(5)\nseen"
    )
    assert _native.evaluate(source, {"h": holder}, tier=tier) == [["a", "b", "z"], [1, 2, 3], {4, 5}]
    assert holder.mapping == {"a": [0, 1, 2, 3], "b": {4, 5}}


@pytest.mark.parametrize("tier", TIERS)
def test_a_loop_of_python_goes_on_while_native_code_changes_values(tier: str) -> None:
    holder = Holder()
    holder.mapping = {key: [] for key in "abc"}

    def each(function: Any) -> None:
        for key in holder.mapping:
            function(key)

    source = "m = h.mapping\ndef change(key): m[key] = key * 2\neach(change)\nm"
    assert _native.evaluate(source, {"h": holder, "each": each}, tier=tier) == {"a": "aa", "b": "bb", "c": "cc"}


@pytest.mark.parametrize("tier", TIERS)
def test_containers_that_hold_themselves_cross(tier: str) -> None:
    knot: list[Any] = [1]
    knot.append({"knot": knot})
    result = _native.evaluate("k[1]['more'] = k\nk[1]['knot'] is k", {"k": knot}, tier=tier)
    assert result is True and knot[1]["more"] is knot


@pytest.mark.parametrize("tier", TIERS)
def test_sets_and_keys_with_a_hash_of_their_own_cross(tier: str) -> None:
    class Hashed:
        def __hash__(self) -> int:
            return 5

    first, second = Hashed(), Hashed()
    names = {"a": first, "b": second, "seen": {first: 1}}
    assert _native.evaluate("seen[b] = {a, b}\nlen(seen), len(seen[b]), a in seen[b]", names, tier=tier) == (2, 2, True)
    assert names["seen"] == {first: 1, second: {first, second}}


def test_values_that_nest_too_deep_are_an_error() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(RecursionError):
        _native.evaluate("len(d)", {"d": deep})
    while deep:
        deep = deep.pop()


def test_slices_and_exceptions_that_nest_too_deep_are_an_error() -> None:
    # Ever fewer are dropped at once: Python drops those that nest by recursion, too.
    deep: Any = None
    outer = []
    for _ in range(20_000):
        deep = slice(deep)
        outer.append(deep)
    with pytest.raises(RecursionError):
        _native.evaluate("d is None", {"d": deep})
    del deep
    while outer:
        outer.pop()
    for made in ["slice(x)", "ValueError(x)"]:
        with pytest.raises(RecursionError):
            _native.evaluate(f"x = None\nfor i in range(20_000):\n  x = {made}\nx", {})


def test_a_tier_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match="`tier` is `native` or `cpython`"):
        _native.evaluate("1", {}, tier="cpythn")


class Refusal(LookupError):
    """An exception of a site's own."""


@pytest.mark.parametrize("tier", TIERS)
def test_an_exception_that_passes_is_the_same_object_with_its_traceback(tier: str) -> None:
    raised = Refusal("a", {"b": 1})

    def refuse() -> None:
        raise raised

    with pytest.raises(Refusal) as caught:
        _native.evaluate("try:\n  refuse()\nexcept KeyError:\n  pass\n1", {"refuse": refuse}, tier=tier)
    assert caught.value is raised
    assert "refuse" in [frame.name for frame in traceback.extract_tb(raised.__traceback__)]


@pytest.mark.parametrize("tier", TIERS)
def test_what_code_raises_is_of_the_class_that_python_knows(tier: str) -> None:
    cases = {
        "raise KeyError('k')": (KeyError, ("k",)),
        "from tpv.core.entities import TryNextDestinationOrFail as T\nraise T('no')": (
            tpvc.core.entities.TryNextDestinationOrFail,
            ("no",),
        ),
        "raise OSError(2, 'gone', 'x')": (FileNotFoundError, (2, "gone")),
        "1 / 0": (ZeroDivisionError, None),
        "raise ValueError('a') from KeyError('b')": (ValueError, ("a",)),
    }
    for source, (kind, args) in cases.items():
        with pytest.raises(kind) as caught:
            _native.evaluate(source + "\n1", {}, tier=tier)
        assert type(caught.value) is kind
        assert args is None or caught.value.args == args
        if " from " in source and "import" not in source:
            assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("tier", TIERS)
def test_functions_of_either_side_call_each_other(tier: str) -> None:
    holder = Holder()
    source = "def down(n): return n if n == 0 else h.call(down, n - 1) + 1\ndown(20)"
    assert _native.evaluate(source, {"h": holder}, tier=tier) == 20


@pytest.mark.parametrize("tier", TIERS)
def test_live_classes_catch_and_are_asked(tier: str) -> None:
    source = "try:\n  raise Refusal('x')\nexcept Refusal as e:\n  r = (str(e), isinstance(e, Refusal), issubclass(Refusal, LookupError))\nr"
    assert _native.evaluate(source, {"Refusal": Refusal}, tier=tier) == ("x", True, True)


def test_native_objects_work_from_python() -> None:
    entities = _native.native_module("tpv.core.entities")
    tags = entities.SchedulingTags(require=["a"], prefer=["b"])
    assert tags.require == ["a"] and isinstance(tags, entities.SchedulingTags) and not isinstance(1, entities.SchedulingTags)
    tags.prefer.append("c")
    other = entities.SchedulingTags(accept=["c"])
    assert entities.TagType.REQUIRE > entities.TagType.PREFER and int(entities.TagType.REJECT) == -1
    assert [tag.value for tag in tags.tags] == ["a", "b", "c"] and tags != other and tags == tags
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = tags.nothing
    assert not hasattr(tags, "__array__")


def test_another_thread_gets_a_clear_error() -> None:
    entities = _native.native_module("tpv.core.entities")
    function = _native.evaluate("def f(): return 1\nf", {})
    tags = entities.SchedulingTags(require=["a"])
    told: list[Any] = []

    def touch() -> None:
        try:
            told.append(function())
        except RuntimeError as error:
            told.append(str(error))
        # Tags, classes and modules are no thread's.
        told.append((tags.require, entities.Tag("x", entities.TagType.REQUIRE).value))

    thread = threading.Thread(target=touch)
    thread.start()
    thread.join()
    assert "another thread" in told[0] and told[1] == (["a"], "x")


@pytest.mark.parametrize("tier", TIERS)
def test_tags_are_one_object_on_both_sides(tier: str) -> None:
    holder = Holder()
    source = (
        "from tpv.core.entities import SchedulingTags, TagType\n"
        "t = SchedulingTags(require=['a'])\nh.keep(t)\nt.add_tag_override(TagType.REJECT, 'a')\nk = h.kept[0]\n"
        "k.prefer.append('b')\nk.accept = ['c']\n[k is t, str(t), t.prefer is k.prefer, isinstance(k, SchedulingTags)]"
    )
    found = _native.evaluate(source, {"h": holder}, tier=tier)
    assert found == [True, "require=[] prefer=['b'] accept=['c'] reject=['a']", True, True]
    assert str(holder.kept[0]) == found[1] and type(holder.kept[0]) is tpvc.core.entities.SchedulingTags


@pytest.mark.parametrize("tier", TIERS)
def test_tags_and_their_kinds_are_of_the_classes_that_python_has(tier: str) -> None:
    entities = tpvc.core.entities
    source = "from tpv.core.entities import Tag, TagType\n[Tag('x', TagType.PREFER), TagType.REJECT, TagType, Tag, given == Tag('y', TagType.ACCEPT)]"
    tag, kind, *classes, is_equal = _native.evaluate(
        source, {"given": entities.Tag("y", entities.TagType.ACCEPT)}, tier=tier
    )
    assert tag == entities.Tag("x", entities.TagType.PREFER) and kind is entities.TagType.REJECT
    assert classes == [entities.TagType, entities.Tag] and is_equal is True


RULES = """
tools:
  default:
    cores: 2
    mem: cores * 4
    params: {n: "{cores}", dataset: "{len(job.input_datasets)}"}
    context: {seen: []}
    rules:
      - id: natively
        if: input_size > 1
        cores: 4
      - id: in_cpython
        if: |
          import fractions
          params = job.get_param_values(app)
          params['list'].append(fractions.Fraction(1, 2))
          seen.append(params)
          len(params['list']) == 3
        execute: |
          entity.params['half'] = str(job.get_param_values(app)['list'][-1])
destinations:
  slurm: {runner: slurm, params: {mem: "{mem}"}}
"""


def mapper() -> tpvc.Mapper:
    return tpvc.Mapper(tpvc.compile([("rules.yml", RULES.replace("  default:", "  .*:", 1))]))


def test_native_code_and_cpython_share_a_job() -> None:
    pytest.importorskip("galaxy.jobs.job_destination")
    params = {"list": [1, 2]}
    job = galaxy_objects.job(galaxy_objects.dataset(2), **params)
    destination = mapper().map_galaxy(galaxy_objects.app(), galaxy_objects.tool(), galaxy_objects.user(), job)
    assert (destination.id, destination.runner) == ("slurm", "slurm")
    assert destination.params == {"n": "4", "dataset": "1", "half": "1/2", "mem": "16"}


def test_eight_threads_map_at_once() -> None:
    pytest.importorskip("galaxy.jobs.job_destination")
    shared, failed = mapper(), []

    def work() -> None:
        try:
            for size in range(40):
                job = galaxy_objects.job(galaxy_objects.dataset(size % 3), list=[1, 2])
                found = shared.map_galaxy(galaxy_objects.app(), galaxy_objects.tool(), galaxy_objects.user(), job)
                assert found.params["n"] == ("4" if size % 3 == 2 else "2"), found.params
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_both_tiers_draw_from_one_generator() -> None:
    rules = """
tools:
  .*:
    rules:
      - if: |
          import random
          random.random() < 2
      - if: |
          import random, fractions
          random.random() < fractions.Fraction(2)
        execute: |
          import random
          entity.params['third'] = str(random.random())
destinations:
  slurm: {runner: slurm}
"""
    answer = tpvc.Mapper(tpvc.compile([("rules.yml", rules)])).map({"tool": {"id": "x"}, "seed": 5})
    generator = random.Random(5)
    draws = [generator.random() for _ in range(3)]
    assert answer["destination"]["params"] == {"third": str(draws[2])}


def test_rules_over_a_job_file_ask_its_world_in_both_tiers() -> None:
    rules = """
tools:
  .*:
    rules:
      - if: |
          FORCE
          from sqlalchemy import func, select
          from galaxy import model
          from galaxy.model import Job
          query = app.model.context.query(func.count(app.model.Job.id)).filter(app.model.Job.state == 'running')
          query.scalar() == 2 and helpers.concurrent_job_count_for_tool(app, tool, user) == 1
        cores: 7
destinations:
  slurm: {runner: slurm}
"""
    world = {
        "jobs": [
            {"tool_id": "x", "user_id": 1, "state": "running", "destination_id": "slurm"},
            {"tool_id": "y", "user_id": 1, "state": "running", "destination_id": "slurm"},
        ]
    }
    for force in ["pass", "import fractions"]:
        mapper = tpvc.Mapper(tpvc.compile([("rules.yml", rules.replace("FORCE", force))]))
        answer = mapper.map({"tool": {"id": "x"}, "user": {"id": 1, "email": "a@b.c"}}, world)
        assert answer.get("cores") == 7, answer


def resident() -> int:
    """The resident memory of this process in KiB."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


# Nothing that makes a new entity for each job: the mapper keeps some of these, up to its bound.
LEAN_RULES = """
tools:
  .*:
    cores: 2
    rules:
      - if: input_size > 1
        cores: 4
      - if: |
          import fractions
          params = job.get_param_values(app)
          params['list'].append(fractions.Fraction(1, 2))
          len(params['list']) == 3
destinations:
  slurm: {runner: slurm, params: {n: "{cores}"}}
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_mapping_leaves_nothing_behind() -> None:
    pytest.importorskip("galaxy.jobs.job_destination")
    shared = tpvc.Mapper(tpvc.compile([("rules.yml", LEAN_RULES)]), jit="off")
    app, tool, user = galaxy_objects.app(), galaxy_objects.tool(), galaxy_objects.user()
    job = galaxy_objects.job(galaxy_objects.dataset(2), list=[1, 2])
    job.get_param_values = lambda app: {"list": [1, 2]}

    def work(count: int) -> None:
        for _ in range(count):
            shared.map_galaxy(app, tool, user, job)

    work(1500)
    gc.collect()
    # Listing all objects takes memory itself.
    objects = len(gc.get_objects())
    references = [sys.getrefcount(one) for one in (app, tool, user, job)]
    before = resident()
    work(LEAK_MAPPINGS)
    gc.collect()
    assert [sys.getrefcount(one) for one in (app, tool, user, job)] == references
    assert resident() < before + 2048
    assert len(gc.get_objects()) < objects + 100


def test_helpers_of_an_older_tpv_are_the_same_in_both_tiers() -> None:
    rules = """
tools:
  default: {abstract: true}
  sampled:
    rank: |
      FORCE
      helpers.weighted_random_sampling(candidate_destinations)
  imported_name:
    rank: |
      FORCE
      from tpv.core.helpers import weighted_random_sampling
      weighted_random_sampling(candidate_destinations)
  imported_module:
    rank: |
      FORCE
      from tpv.core import helpers as of_tpv
      of_tpv.weighted_random_sampling(candidate_destinations)
  weightless: {scheduling: {require: [weightless]}, rank: "FORCE\\nhelpers.weighted_random_sampling(candidate_destinations)"}
  size: {mem: "FORCE\\nhelpers.get_input_size(job)"}
  dictionary: {mem: "FORCE\\nlen(helpers.get_dataset_attributes(job.input_datasets))"}
  version: {cores: "FORCE\\n1 if helpers.tool_version_lt(tool, '2') is None else 2 if helpers.tool_version_lt(tool, '2') else 3"}
  wrapper: {mem: "FORCE\\nhelpers.get_tool_resource_field(tool, 'mem')", cores: 1}
  "count.*": {cores: "FORCE\\nhelpers.concurrent_job_count_for_tool(app, tool)"}
destinations:
  a: {scheduling: {reject: [weightless]}}
  b: {params: {weight: WEIGHT}, scheduling: {reject: [weightless]}}
  c: {params: {other: 1}, scheduling: {reject: [weightless]}}
  d: {params: {weight: 0}, scheduling: {require: [weightless]}}
"""
    world = {"jobs": [{"tool_id": name, "user_id": 1, "state": "running"} for name in ("count", "counter", "x")]}
    tools: list[dict[str, object]] = [
        {"id": name}
        for name in ("sampled", "imported_name", "imported_module", "weightless", "size", "dictionary", "version", "count")
    ]
    tools += [{"id": "version", "version": "1.5"}, {"id": "wrapper", "resource_requirements": {"ram_min": 4096}}]
    differing = set()
    for weight in ("5", "null"):
        answers = {}
        for version in ("1.4", "2.5", "3.0", "3.1", "3.2", "3.3", "next"):
            for force in ("pass", "import fractions"):
                text = rules.replace("FORCE", force).replace("{params: {weight: WEIGHT}, ", "{" if weight == "null" else "{params: {weight: 5}, ")
                mapper = tpvc.Mapper(tpvc.compile([("rules.yml", text)], tpv=version))
                answers[version, force] = [
                    mapper.map({"seed": seed, "tool": tool, "job": {"input_datasets": [{"id": 1, "size": 2**30}]}}, world)
                    for tool in tools
                    for seed in range(6)
                ]
            native, crossed = answers[version, "pass"], answers[version, "import fractions"]
            assert native == crossed, version
        for older, newer in itertools.pairwise(("1.4", "2.5", "3.0", "3.1", "3.2", "3.3")):
            pairs = zip(answers[older, "pass"], answers[newer, "pass"], strict=True)
            differing.update((newer, index // 6) for index, (one, other) in enumerate(pairs) if one != other)
    # The changes of the helpers are there to be seen: samples, weights, sizes, versions, requests, counts.
    assert {("3.2", 0), ("3.2", 1), ("3.2", 2), ("3.3", 3), ("3.3", 4), ("2.5", 5), ("3.0", 6), ("3.0", 7), ("3.3", 9)} <= differing
