"""`rules_module: tpvc.shadow`: TPV's answers, compared with tpvc's."""

from __future__ import annotations

import importlib
import inspect
import json
import logging
import random
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from galaxy.jobs import JobDestination
from galaxy.jobs.mapper import JobMappingException, JobNotReadyException
from galaxy.util.submodules import import_submodules

import galaxy_objects as objects
from tpvc.cli import main
from tpvc.core.mapper import EntityToDestinationMapper
from tpvc.core.resource_pool import Budget, InMemoryAllocationStore, PoolAdmission, ResourceUsage
from tpvc.galaxy import active, compared, shadow

tpv = pytest.importorskip("tpv.rules.gateway")

RULES = """
global: {default_inherits: default}
tools:
  default:
    cores: 2
    mem: cores * 4
    params:
      spec: "--mem {mem}"
    env:
      SLOTS: "{cores}"
  draws:
    params:
      native: "{__import__('random').random()}"
    rules:
      - if: True
        execute: |
          import random, colorsys
          entity.params['cpython'] = str(random.random())
      - if: True
        execute: |
          import random
          entity.params['again'] = str(random.random())
  refused:
    rules: [{if: true, fail: "Not for {user.username}"}]
  waits:
    rules:
      - if: True
        execute: |
          from galaxy.jobs.mapper import JobNotReadyException
          raise JobNotReadyException(message='later')
  broken:
    cores: "{}['nokey']"
  twice:
    rules:
      - if: True
        execute: |
          import colorsys, builtins
          builtins.ran = getattr(builtins, 'ran', 0) + 1
          entity.params['run'] = str(builtins.ran)
destinations:
  local: {runner: local}
"""


@pytest.fixture
def map_both(gateway: Any, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from tpvc.shadow import gateway as module

    monkeypatch.setattr(shadow, "_state", None)
    monkeypatch.setattr(tpv, "ACTIVE_DESTINATION_MAPPERS", {})
    # Those that other tests left behind have the same referrer.
    monkeypatch.setattr(active, "_mappers", {})
    app = objects.app()
    app.config.data_dir, app.config.server_name = str(tmp_path), "handler 1"

    def mapped(tool: str = "bwa", **arguments: Any) -> JobDestination:
        arguments.setdefault("tpv_config_files", [str(rules)])
        job = arguments.pop("job", None) or objects.job(objects.dataset(1))
        return module.map_tool_to_destination(app, job, objects.tool(tool), objects.user(), **arguments)

    yield mapped


def counts() -> Any:
    assert shadow._state is not None
    return shadow._state.tally.counts


def messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "tpvc.shadow"]


def test_galaxy_finds_the_function() -> None:
    modules = import_submodules(importlib.import_module("tpvc.shadow"), ordered=True)
    assert [module.__name__ for module in modules] == ["tpvc.shadow.gateway"]
    ours, theirs = (
        inspect.getfullargspec(module.map_tool_to_destination).args for module in (modules[0], tpv)
    )
    assert ours == theirs


def test_equal_answers_are_counted(map_both: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="tpvc.shadow")
    destination = map_both()
    assert destination.params == {"spec": "--mem 8"}
    with pytest.raises(JobMappingException) as refused:
        map_both("refused")
    assert refused.value.failure_message == "Not for ford"
    with pytest.raises(JobNotReadyException):
        map_both("waits")
    with pytest.raises(KeyError):
        map_both("broken")
    assert (counts().equal, counts().different, counts().jobs) == (4, 0, 4)
    # The first loaded the rules.
    assert counts().timed == 3 and counts().tpv_seconds > 0 < counts().tpvc_seconds
    assert "happens twice" in messages(caplog)[0]
    assert any("1 answer equal" in message for message in messages(caplog))


def test_both_draw_the_same_numbers(map_both: Any) -> None:
    random.seed(5)
    found = [map_both("draws").params for _ in range(5)]
    assert (counts().equal, counts().different) == (5, 0), counts().differences
    assert len({str(params) for params in found}) == 5
    # And whoever else draws is not led back to the same numbers.
    assert random.random() != random.random()


def test_a_difference_is_told_and_tpvs_answer_counts(
    map_both: Any, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    # A rule whose answer depends on how often it ran.
    job = objects.job()
    assert map_both("twice", job=job).params["run"] == "1"
    assert (counts().equal, counts().different) == (0, 1)
    [told] = [message for message in messages(caplog) if "differently" in message]
    assert told == f"job {job.id} of twice is mapped differently: params.run: TPV 1, tpvc 2"

    assert shadow._state is not None
    shadow._state.tally.write()
    assert main_shadow(tmp_path) == 1
    shown = capsys.readouterr().out
    assert "params.run: TPV 1, tpvc 2" in shown and "1 different" in shown
    assert "handler_1:" in shown


def main_shadow(folder: Path) -> int:
    import sys

    before = sys.argv
    sys.argv = ["tpvc", "shadow", str(folder)]
    try:
        return main()
    finally:
        sys.argv = before


def test_messages_are_limited_and_counts_are_not(
    map_both: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compared, "differences", lambda *_: [compared.Difference("id", "a\x1b[31m", "b" * 10)])
    for _ in range(150):
        map_both()
    told = [message for message in messages(caplog) if "differently" in message]
    assert len(told) == 20 and counts().different == 150 and len(counts().differences) == 100
    assert sum("further differences" in message for message in messages(caplog)) == 1


class Panic(BaseException):
    """As PyO3's exception for a panic, which `except Exception` lets pass."""


@pytest.mark.parametrize("error", [Panic("lost"), SystemExit(3), RecursionError("deep"), TimeoutError("late")])
def test_errors_of_tpvc_do_not_reach_the_job(map_both: Any, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(EntityToDestinationMapper, "map_to_destination", fails)
    assert map_both().params == {"spec": "--mem 8"}
    assert counts().different == 1 and type(error).__name__ in str(counts().differences)
    monkeypatch.setattr(shadow, "_shadow", fails)
    assert map_both().params == {"spec": "--mem 8"}


def test_rules_that_only_tpv_loads(
    map_both: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads = []

    def fails(*_: Any, **__: Any) -> None:
        loads.append(1)
        raise OSError("no room")

    monkeypatch.setattr(shadow.active, "mapper_for", fails)
    for _ in range(3):
        assert map_both().id == "local"
    # It is not tried for each job: a URL may take half a minute.
    assert (counts().unloaded, len(loads)) == (3, 1)
    assert any("no room" in message for message in messages(caplog))


def test_without_tpv_the_error_says_what_to_do(map_both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "tpv.rules", None)
    with pytest.raises(ImportError, match="install total-perspective-vortex, or write `rules_module: tpvc.rules`"):
        map_both()


def test_numbers_of_other_types_differ() -> None:
    def answer(value: Any) -> dict[str, Any]:
        return compared.answer(JobDestination(id="a", runner="slurm", params={"cores": value}))

    assert compared.differences(answer(4), answer(4)) == []
    assert compared.differences(answer(4), answer(4.0)) == [("params.cores", "4", "4.0")]
    assert compared.differences(answer(1), answer(True)) == [("params.cores", "1", "True")]
    assert compared.differences(answer(float("nan")), answer(float("nan"))) == []
    assert compared.differences(answer([1, "x"]), answer([1])) == [("params.cores", "[1, 'x']", "[1]")]
    [long] = compared.differences(answer("x" * 1000), answer("\x1b[2J"))
    assert len(long.tpv) < 340 and long.tpvc == "'\\x1b[2J'"
    error = compared.failure(KeyError("x"))
    assert compared.differences(answer(4), error) == [("answer", "destination a", "KeyError: 'x'")]


class Ledgers:
    """A store that must not be written to."""

    def __init__(self, held: dict[int, tuple[tuple[float, float, float], str]]) -> None:
        self.held = held

    def read(self, pool: str, user_id: int) -> dict[int, tuple[tuple[float, float, float], str]]:
        return self.held if user_id == 7 else {}

    def admit_many(self, *_: Any) -> bool:
        raise AssertionError("it was written to")


@pytest.mark.parametrize(
    ("held", "is_admitted"),
    [
        ({}, True),
        ({1: ((4.0, 0.0, 0.0), "normal")}, True),
        ({1: ((5.0, 0.0, 0.0), "normal")}, False),
        # TPV has admitted it.
        ({1: ((4.0, 0.0, 0.0), "normal"), 9: ((4.0, 0.0, 0.0), "normal")}, True),
        ({1: ((50.0, 0.0, 0.0), "oversize")}, True),
    ],
)
def test_pools_are_read_and_not_written(held: dict[int, Any], is_admitted: bool) -> None:
    store = shadow.UnwrittenStore(Ledgers(dict(held)))
    admission = PoolAdmission("gpu", ResourceUsage(cores=4.0), "normal", Budget(cores=8.0), 1, False, set())
    for _ in range(2):
        assert store.admit_many(7, 9, [admission]) is is_admitted
    assert store.store.held == held
    # As a real store decides.
    real = InMemoryAllocationStore()
    for job, (usage, kind) in held.items():
        if job != 9:
            real.admit_many(7, job, [PoolAdmission("gpu", ResourceUsage(*usage), kind, Budget(), 9, False, set())])
    assert real.admit_many(7, 9, [admission]) is is_admitted


def test_counts_outlive_a_start(map_both: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    map_both()
    assert shadow._state is not None
    shadow._state.tally.write()
    monkeypatch.setattr(shadow, "_state", None)
    map_both()
    assert counts().equal == 2
    path = tmp_path / "tpvc" / "shadow-handler_1.json"
    assert json.loads(path.read_text())["format"] == 2 and path.stat().st_mode & 0o077 == 0
    path.write_text("{")
    monkeypatch.setattr(shadow, "_state", None)
    map_both()
    assert counts().equal == 1


def test_on_postgresql_a_savepoint_holds_what_tpvc_does(map_both: Any) -> None:
    done: list[str] = []
    savepoint = SimpleNamespace(rollback=lambda: done.append("rollback"))
    connection = SimpleNamespace(begin_nested=lambda: done.append("savepoint") or savepoint)
    session = SimpleNamespace(
        in_transaction=lambda: True,
        connection=lambda: connection,
        get_bind=lambda: SimpleNamespace(dialect=SimpleNamespace(name="postgresql")),
    )
    with pytest.raises(KeyError), shadow._undone(SimpleNamespace(model=SimpleNamespace(session=session))):
        done.append("rule")
        raise KeyError
    assert done == ["savepoint", "rule", "rollback"]


def test_inline_configs_are_compared(
    map_both: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # TPV writes into the dicts of `job_conf.yml`, at the first job that it loads them for.
    inline = [{"tools": {"bwa": {"cores": 3}}}, {"destinations": {"local": {"runner": "local"}}}]
    for _ in range(3):
        assert map_both(tpv_config_files=None, tpv_configs=inline).id == "local"
    assert map_both(tpv_config_files=None, tpv_configs=[dict(config) for config in inline]).id == "local"
    assert (counts().equal, counts().unloaded, counts().dispatchers) == (4, 0, {"tpv_dispatcher": [4, 0, 0]})
    shadow._state.tally.write()  # type: ignore[union-attr]
    monkeypatch.setattr("sys.argv", ["tpvc", "shadow", str(tmp_path)])
    assert main() == 0
    assert "4 answers equal, 0 different" in capsys.readouterr().out


def test_a_dispatcher_that_is_not_compared_is_told(
    map_both: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    map_both()
    only_tpv = SimpleNamespace(id="other", params={"tpvc_tpv": "x"})
    for _ in range(2):
        map_both(referrer=only_tpv)
    assert counts().dispatchers == {"tpv_dispatcher": [1, 0, 0], "other": [0, 0, 2]}
    shadow._state.tally.write()  # type: ignore[union-attr]
    monkeypatch.setattr("sys.argv", ["tpvc", "shadow", str(tmp_path)])
    assert main() == 1
    told = capsys.readouterr().out
    assert "other: 0 answers equal, 0 different, 2 not compared" in told
    assert "not all answers of other were compared" in told


def test_counts_are_written_soon(map_both: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tpvc.galaxy import tally

    monkeypatch.setattr(tally, "WRITE_EVERY", 0.2)
    for _ in range(5):
        map_both()
    file = tmp_path / "tpvc" / "shadow-handler_1.json"
    end = time.monotonic() + 10
    while json.loads(file.read_text())["equal"] != 5:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_version_of_the_installed_tpv_counts(
    map_both: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    loaded: list[str | None] = []
    load = active._compiled

    def recorded(configs: Any, options: Any, *more: Any) -> Any:
        loaded.append(options.tpv)
        return load(configs, options, *more)

    monkeypatch.setattr(active, "_compiled", recorded)

    def shadowed(installed: str, params: dict[str, Any]) -> list[str]:
        monkeypatch.setattr(shadow.importlib.metadata, "version", lambda name: installed)
        monkeypatch.setattr(shadow, "_state", None)
        monkeypatch.setattr(active, "_mappers", {})
        caplog.clear()
        with caplog.at_level(logging.INFO, logger="tpvc.shadow"):
            for _ in range(2):
                assert map_both(referrer=JobDestination(id="tpv_dispatcher", params=params)).id == "local"
        return [message for message in messages(caplog) if message.startswith("TPV ") and "is installed" in message]

    assert shadowed("3.2.1", {}) == ["TPV 3.2.1 is installed: tpvc gives the answers of TPV 3.2"]
    [unknown] = shadowed("9.9.1", {})
    assert "TPV 9.9.1 is installed, whose answers tpvc does not know" in unknown
    # YAML without quotes gives a number.
    assert shadowed("3.2.1", {"tpvc_tpv": 3.1}) == []
    assert loaded == ["3.2", None, "3.1"]
    # What is no version never reaches the job.
    assert shadowed("3.2.1", {"tpvc_tpv": "x"}) == []
    assert len(loaded) == 3
