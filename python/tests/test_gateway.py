"""The gateway: configs, the mappers that it keeps, changes of files, what Galaxy does to a rules module."""

from __future__ import annotations

import importlib
import inspect
import logging
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from galaxy.jobs import JobDestination
from galaxy.jobs.mapper import JobMappingException, JobNotReadyException
from galaxy.util.submodules import import_submodules

import galaxy_objects as objects
import tpvc
from tpvc.core.loader import InvalidParentException

RULES = """
global:
  default_inherits: default
tools:
  default:
    cores: 2
    mem: cores * 4
    params:
      native_spec: "--mem {mem} --cores {cores}"
    env:
      SLOTS: "{cores}"
    rules:
      - id: large
        if: input_size > 10
        fail: Too much data for {user.email}
  waits:
    rules:
      - if: True
        execute: |
          from galaxy.jobs.mapper import JobNotReadyException
          raise JobNotReadyException()
  grows:
    rules:
      - if: True
        execute: |
          entity.params["seen"] = entity.params.get("seen", "") + "x"
          entity.cores = entity.cores + 1
  nowhere:
    scheduling:
      require: [moon]
destinations:
  local:
    runner: local
    max_accepted_cores: 8
"""


def mapped(gateway: Any, tool: str = "bwa", size: float = 1, **arguments: Any) -> JobDestination:
    app = arguments.pop("app", None) or objects.app()
    job = arguments.pop("job", None) or objects.job(objects.dataset(size))
    destination = gateway.map_tool_to_destination(app, job, objects.tool(tool), objects.user(), **arguments)
    assert isinstance(destination, JobDestination)
    return destination


def soon(is_so: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(0.05)
    return False


def test_a_job_gets_its_destination(gateway: Any, rules: Path) -> None:
    destination = mapped(gateway, tpv_config_files=[str(rules)])
    assert destination.id == "local"
    assert destination.runner == "local"
    assert destination.params == {"native_spec": "--mem 8 --cores 2"}
    assert destination.env == [{"name": "SLOTS", "value": "2"}]
    assert destination.resubmit == []
    assert type(destination.params) is dict and type(destination.env) is list


def test_configs_are_given_once(gateway: Any, rules: Path) -> None:
    with pytest.raises(ValueError, match="Only one of tpv_configs or tpv_config_files can be specified"):
        mapped(gateway, tpv_configs=[str(rules)], tpv_config_files=[str(rules)])
    with pytest.raises(ValueError, match="One of tpv_configs or tpv_config_files must be specified"):
        mapped(gateway)


@pytest.mark.parametrize("name", ["tpv_configs", "tpv_config_files"])
def test_later_configs_go_over_earlier_ones(gateway: Any, rules: Path, tmp_path: Path, name: str) -> None:
    over = tmp_path / "over.yml"
    over.write_text("tools: {default: {cores: 3}}")
    inline = {"tools": {"default": {"cores": 4}}}

    def cores(*configs: Any) -> str:
        gateway.ACTIVE_DESTINATION_MAPPERS = {}
        found = mapped(gateway, **{name: configs[0] if len(configs) == 1 else list(configs)})
        assert found.env is not None
        return str(found.env[0]["value"])

    assert cores(str(rules)) == "2"
    assert cores(str(rules), str(over)) == "3"
    assert cores(str(over), str(rules)) == "2"
    assert cores(f"{rules},{over}") == "3"
    assert cores(str(rules), inline) == "4"
    assert cores(str(rules), inline, str(over)) == "3"


def test_a_config_may_be_a_dict_of_any_yaml(gateway: Any) -> None:
    config = {
        "tools": {
            ".*": {
                "cores": 2,
                "mem": "cores * 1.5",
                "context": {"note": "a 'quoted' \"text\"\nof: two lines #1", "none": None, "yes": True, "ratio": 1e-7},
                "params": {"note": "{note}", "values": [1, {"two": [3.5, "on"]}], "empty": {}, "text": "{ratio} {none} {yes}"},
            }
        },
        "destinations": {"local": {"runner": "local"}},
    }
    destination = mapped(gateway, tpv_configs=config)
    assert destination.params == {
        "note": "a 'quoted' \"text\"\nof: two lines #1",
        "values": [1, {"two": [3.5, "on"]}],
        "empty": {},
        "text": "1e-07 None True",
    }


def test_each_referrer_has_a_mapper_that_is_made_once(gateway: Any, rules: Path) -> None:
    files = [str(rules)]
    mapped(gateway, tpv_config_files=files)
    first = gateway.ACTIVE_DESTINATION_MAPPERS["tpv_dispatcher"]
    mapped(gateway, tpv_config_files=files, referrer=JobDestination(id="tpv_dispatcher"))
    assert gateway.ACTIVE_DESTINATION_MAPPERS["tpv_dispatcher"] is first
    mapped(gateway, tpv_config_files=files, referrer=JobDestination(id="another"))
    assert gateway.ACTIVE_DESTINATION_MAPPERS["another"] is not first
    gateway.ACTIVE_DESTINATION_MAPPERS = {}
    mapped(gateway, tpv_config_files=files)
    assert gateway.ACTIVE_DESTINATION_MAPPERS["tpv_dispatcher"] is not first


def test_many_threads_load_once(gateway: Any, rules: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="tpvc")
    found: list[Any] = []
    start = threading.Barrier(8)

    def run() -> None:
        start.wait()
        found.append(mapped(gateway, tpv_config_files=[str(rules)]).params)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [{"native_spec": "--mem 8 --cores 2"}] * 8
    assert caplog.text.count("loading tpv rules from") == 1


def test_a_changed_file_is_used_and_a_broken_one_is_not(
    gateway: Any, rules: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    over = tmp_path / "over.yml"
    over.write_text("tools: {other: {cores: 1}}")
    app = objects.app(watch="true")

    def slots(referrer: str) -> str:
        destination = mapped(
            gateway, app=app, tpv_config_files=[str(rules), str(over)], referrer=JobDestination(id=referrer)
        )
        assert destination.env is not None
        return str(destination.env[0]["value"])

    assert (slots("one"), slots("two")) == ("2", "2")
    over.write_text("tools: {default: {cores: 3}}")
    assert soon(lambda: (slots("one"), slots("two")) == ("3", "3"))
    rules.write_text(RULES.replace("cores * 4", "cores * 5"))
    assert soon(lambda: mapped(gateway, app=app, tpv_config_files=[str(rules), str(over)], referrer=JobDestination(id="one")).params["native_spec"].startswith("--mem 15"))

    caplog.clear()
    rules.write_text(RULES.replace("cores: 2", "cores: [2"))
    assert soon(lambda: "goes on with the rules of before" in caplog.text)
    assert (slots("one"), slots("two")) == ("3", "3")
    # What is wrong, with its place.
    assert soon(lambda: re.search(r"tpv\.yml:\d+:\d+", caplog.text) is not None)
    assert {record.levelname for record in caplog.records if "rules of before" in record.getMessage()} == {"WARNING"}

    rules.write_text(RULES)
    over.write_text("tools: {default: {cores: 4}}")
    assert soon(lambda: (slots("one"), slots("two")) == ("4", "4"))


def test_without_a_watcher_nothing_is_read_again(gateway: Any, rules: Path) -> None:
    mapped(gateway, tpv_config_files=[str(rules)])
    rules.write_text("broken: [")
    time.sleep(1)
    assert mapped(gateway, tpv_config_files=[str(rules)]).id == "local"


def test_galaxy_may_load_the_modules_again(gateway: Any, rules: Path) -> None:
    app = objects.app(watch="true")
    mapped(gateway, app=app, tpv_config_files=[str(rules)])
    mapper = gateway.ACTIVE_DESTINATION_MAPPERS["tpv_dispatcher"]
    watchers = dict(gateway.WATCHERS_BY_CONFIG_FILE)
    # As `galaxy.queue_worker.reload_job_rules` does.
    importlib.reload(importlib.import_module("tpvc.rules"))
    again: Any = importlib.reload(gateway)
    assert again.ACTIVE_DESTINATION_MAPPERS["tpv_dispatcher"] is mapper
    assert again.WATCHERS_BY_CONFIG_FILE == watchers
    rules.write_text(RULES.replace("cores: 2", "cores: 3"))
    files = [str(rules)]
    assert soon(lambda: mapped(again, app=app, tpv_config_files=files).params["native_spec"] == "--mem 12 --cores 3")


def test_galaxy_finds_the_function(gateway: Any) -> None:
    modules = import_submodules(importlib.import_module("tpvc.rules"), ordered=True)
    assert [module.__name__ for module in modules] == ["tpvc.rules.gateway"]
    names = inspect.getfullargspec(modules[0].map_tool_to_destination).args
    assert names == (
        "app job tool user referrer tpv_config_files tpv_configs job_wrapper resource_params"
        " workflow_invocation_uuid explain_collector"
    ).split()


def test_what_a_rule_changes_counts_once(gateway: Any, rules: Path) -> None:
    # Galaxy asks again after most exceptions, and for every job that is not ready.
    files, job = [str(rules)], objects.job()
    results = [mapped(gateway, "grows", job=job, tpv_config_files=files) for _ in range(3)]
    assert [found.params["seen"] for found in results] == ["x"] * 3
    assert [found.env for found in results] == [[{"name": "SLOTS", "value": "3"}]] * 3


def test_jobs_that_cannot_run_or_have_to_wait(gateway: Any, rules: Path) -> None:
    files = [str(rules)]
    with pytest.raises(JobMappingException) as failed:
        mapped(gateway, size=11, tpv_config_files=files)
    assert failed.value.failure_message == "Too much data for ford@vortex.org"
    with pytest.raises(JobMappingException) as failed:
        mapped(gateway, "nowhere", tpv_config_files=files)
    assert failed.value.failure_message == "No destinations are available to fulfill request: nowhere"
    with pytest.raises(JobNotReadyException) as waits:
        mapped(gateway, "waits", tpv_config_files=files)
    assert (waits.value.job_state, waits.value.message) == (None, None)


@pytest.mark.parametrize(
    ("config", "error", "text"),
    [
        ("tools: {a: {inherits: b}}", InvalidParentException, "The specified parent: b for entity: a does not exist"),
        ("tools: {a: {inherits: a}}", InvalidParentException, "Cycle detected in inheritance chain for entity: a"),
        ("tools: {a: {cores: 1 +}}", SyntaxError, "cores"),
        ("tools: {a: {scheduling: {require: [x], reject: [x]}}}", ValueError, "Duplicate tags found: 'x' in ['require', 'reject']"),
        ("tools: [", ValueError, "error"),
    ],
)
def test_configs_that_do_not_load_raise_what_tpv_raises(
    gateway: Any, tmp_path: Path, config: str, error: type[Exception], text: str
) -> None:
    path = tmp_path / "broken.yml"
    path.write_text(config)
    with pytest.raises(tpvc.CompileError) as raised:
        mapped(gateway, tpv_config_files=[str(path)])
    assert isinstance(raised.value, error)
    assert text in str(raised.value)
    assert "broken.yml:1:" in str(raised.value)
    assert raised.value.diagnostics[0].line == 1


def test_a_file_that_is_not_there(gateway: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such file"):
        mapped(gateway, tpv_config_files=[str(tmp_path / "none.yml")])


def test_explain_on_failure(gateway: Any, rules: Path, caplog: pytest.LogCaptureFixture) -> None:
    referrer = JobDestination(id="tpv_dispatcher", params={"tpv_explain_on_failure": True})
    mapped(gateway, tpv_config_files=[str(rules)], referrer=referrer)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    with pytest.raises(JobMappingException):
        mapped(gateway, "nowhere", tpv_config_files=[str(rules)], referrer=referrer)
    [record] = [record for record in caplog.records if record.name == "tpvc.rules.gateway"]
    assert "local: REJECTED" in record.getMessage() and "`moon`" in record.getMessage()

    caplog.clear()
    collector = gateway.ExplainCollector()
    with pytest.raises(JobMappingException):
        mapped(gateway, "nowhere", tpv_config_files=[str(rules)], explain_collector=collector)
    assert "No destinations are available" in collector.render()
    assert not [record for record in caplog.records if record.name == "tpvc.rules.gateway"]


def test_a_version_of_tpv_is_named_in_job_conf(gateway: Any, tmp_path: Path) -> None:
    path = tmp_path / "tpv.yml"
    path.write_text(
        "tools: {bwa: {cores: 2, mem: input_size - 4, params: {mem: '{mem}'}}}\ndestinations: {local: {runner: local}}\n"
    )

    def mem(**params: Any) -> Any:
        gateway.ACTIVE_DESTINATION_MAPPERS = {}
        referrer = JobDestination(id="tpv_dispatcher", params=params)
        return mapped(gateway, referrer=referrer, tpv_config_files=[str(path)]).params["mem"]

    # TPV 3.0 has no amounts below 0.
    assert mem(tpvc_tpv="3.0.1") == "0"
    # YAML without quotes gives a number.
    assert mem(tpvc_tpv=3.0) == "0"
    # Rules that are loaded again stay those of their version.
    path.write_text(path.read_text().replace("- 4", "- 5"))
    gateway.active.REFERRERS[str(path)]["tpv_dispatcher"] = [str(path)]
    gateway.active.reload(str(path))
    answer = mapped(
        gateway, referrer=JobDestination(id="tpv_dispatcher", params={"tpvc_tpv": "3.0"}), tpv_config_files=[str(path)]
    )
    assert answer.params["mem"] == "0"
    assert float(mem()) < 0
    with pytest.raises(ValueError, match="`tpvc_tpv` is a version of TPV whose answers tpvc gives, such as '3.2', not '2'"):
        mem(tpvc_tpv="2")
