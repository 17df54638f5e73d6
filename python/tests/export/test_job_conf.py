"""The dispatcher of a job is the destination that Galaxy's own `JobConfiguration` gives the tool."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("galaxy.app_unittest_utils")

from galaxy_history import Server  # noqa: E402

from tpvc.export.errors import ExportError  # noqa: E402
from tpvc.export.job_conf import read_job_conf  # noqa: E402
from tpvc.export.jobs import old_id  # noqa: E402
from tpvc.export.outcome import State, queue_seconds  # noqa: E402
from tpvc.export.times import time_of  # noqa: E402
from tpvc.export.tools import read_tool_names  # noqa: E402

YAML = """
runners:
  local: {load: galaxy.jobs.runners.local:LocalJobRunner}
execution:
  default: DEFAULT
  environments:
    tpv_dispatcher: {runner: dynamic, type: python, function: map_tool_to_destination, rules_module: tpv.rules, tpv_config_files: [a.yml]}
    other: {runner: dynamic_tpv, tpv_config_files: [b.yml]}
    local_env: {runner: local, tags: [quick, near]}
    legacy: {runner: dynamic, tags: [old], function: x}
tools:
  - {id: Fixed, environment: local_env}
  - {id: toolshed.g2.bx.psu.edu/repos/devteam/bwa/bwa/, environment: other}
  - {id: short, environment: tpv_dispatcher, source: trackster}
  - {id: tagged, environment: old}
  - {id: near, environment: near}
  - {id: handled, handler: special}
  - {class: local, environment: local_env}
  - {class: user_defined, environment: other}
"""
XML = """<?xml version="1.0"?>
<job_conf>
  <plugins><plugin id="local" type="runner" load="galaxy.jobs.runners.local:LocalJobRunner"/></plugins>
  <destinations default="DEFAULT">
    <destination id="tpv_dispatcher" runner="dynamic"><param id="rules_module">tpv.rules</param></destination>
    <destination id="other" runner="dynamic"/>
    <destination id="local_env" runner="local" tags="quick,near"/>
    <destination id="legacy" runner="dynamic" tags="old"/>
  </destinations>
  <tools>
    <tool id="Fixed" destination="local_env"/>
    <tool id="toolshed.g2.bx.psu.edu/repos/devteam/bwa/bwa" destination="other"/>
    <tool id="tagged" destination="old"/>
    <tool id="near" destination="near"/>
    <tool id="handled" handler="special"/>
    <tool class="local" destination="local_env"/>
    <tool class="user_defined" destination="other"/>
  </tools>
</job_conf>
"""
TOOLS = [
    "fixed", "FIXED", "any", "tagged", "near", "handled", "upload1", "__DATA_FETCH__",
    "toolshed.g2.bx.psu.edu/repos/devteam/bwa/bwa/0.7.17", "toolshed.g2.bx.psu.edu/repos/devteam/bwa/bwa_mem/1",
    "toolshed.g2.bx.psu.edu/repos/iuc/x/Fixed/2",
]  # fmt: skip


def galaxys(path: Path) -> Any:
    """Galaxy's own reading of the file."""
    from galaxy.app_unittest_utils import galaxy_mock
    from galaxy.job_metrics import JobMetrics
    from galaxy.jobs import JobConfiguration
    from galaxy.web_stack import ApplicationStack

    app = galaxy_mock.MockApp()
    config = app.config
    config.job_config_file = str(path)
    settings = {"use_tasked_jobs": False, "job_resource_params_file": "/nonexistent", "default_job_resubmission_condition": ""}
    settings |= {"track_jobs_in_database": True, "server_name": "main", "cleanup_job": "never"}
    for name, value in settings.items():
        setattr(config, name, value)
    for name, value in {"is_set": lambda key: False, "config_dict": {}}.items():
        if not hasattr(config, name):
            setattr(config, name, value)
    app.application_stack = ApplicationStack(app=app)
    app.job_metrics = JobMetrics()
    return JobConfiguration(app)


@pytest.mark.parametrize(("name", "text"), [("job_conf.yml", YAML), ("job_conf.xml", XML)])
@pytest.mark.parametrize("default", ["tpv_dispatcher", "local_env"])
def test_the_dispatcher_is_galaxys(tmp_path: Path, name: str, text: str, default: str) -> None:
    path = tmp_path / name
    path.write_text(text.replace("DEFAULT", default))
    theirs, ours = galaxys(path), read_job_conf(str(path))
    seen = set()
    for tool, is_user_defined in itertools.product(TOOLS, [False, True]):
        old = old_id(tool)
        # As `galaxy.tools.Tool.parse` gathers ids and classes.
        ids = [tool.lower()]
        if old and old != tool:
            ids = [tool.lower(), tool.lower().rsplit("/", 1)[0], old.lower()]
        classes = ["local"] if (old or tool) in ("upload1", "__DATA_FETCH__") else []
        classes += ["user_defined"] if is_user_defined else []
        destination = theirs.get_destination(theirs.get_job_tool_configurations(ids, classes)[0].destination)
        expected = destination.id if destination.runner == "dynamic" else None
        found = ours.dispatcher(tool, old, is_user_defined, None)
        assert found == expected, (tool, is_user_defined)
        seen.add(found)
    assert {None, "other", "legacy"} <= seen


def test_a_class_is_known_by_where_its_jobs_went(tmp_path: Path) -> None:
    path = tmp_path / "galaxy.yml"
    indented = "".join(f"    {line}\n" for line in YAML.replace("DEFAULT", "tpv_dispatcher").splitlines())
    path.write_text(f"galaxy:\n  job_config:\n{indented}")
    conf = read_job_conf(str(path))
    assert conf.dispatcher("any", None, False, "local_env") is None
    assert conf.dispatcher("any", None, False, "slurm") == "tpv_dispatcher"


@pytest.mark.parametrize("text", ["", "[1, 2]", "tools: {a: 1}", "<job_conf/>", "<job_conf>", "execution: {environments: {}}", "a: [", "{{ x }}", "\x00"])
def test_what_is_no_job_configuration(tmp_path: Path, text: str) -> None:
    path = tmp_path / "job_conf.yml"
    path.write_text(text)
    with pytest.raises(ExportError) as raised:
        read_job_conf(str(path))
    assert "job_conf.yml" in raised.value.message


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ("", None),
        ("new queued", None),
        ("new queued running ok", 1.0),
        ("new queued running resubmitted queued", None),
        ("new queued running resubmitted queued paused running", 2.0),
        ("new running", None),
    ],
)
def test_queue_seconds(states: str, expected: float | None) -> None:
    times = [State(state, time_of(f"2026-01-01 00:00:{second:02}")) for second, state in enumerate(states.split())]
    assert queue_seconds(times) == expected


def test_the_dispatcher_and_the_names_of_tools_in_the_file(tmp_path: Path) -> None:
    server = Server(f"sqlite:///{tmp_path}/galaxy.sqlite", tmp_path, 7)
    server.people(3)
    jobs = server.jobs(60)
    server.session.expire_all()
    fixed, named = jobs[0].tool_id, jobs[1].tool_id
    conf, tools, out, rules = (tmp_path / name for name in ("job_conf.yml", "tools.json", "jobs.jsonl", "rules.yml"))
    conf.write_text(
        "execution: {default: tpv, environments: {tpv: {runner: dynamic}, there: {runner: local}}}\n"
        f"tools: [{{id: {json.dumps(fixed)}, environment: there}}]\n"
    )
    tools.write_text(json.dumps([{"id": named, "name": "The \u00fc tool", "version": "1"}, {"id": 4}, 5]))
    rules.write_text(
        "tools: {.*: {params: {name: \"{getattr(tool, 'name', None)}\", raw: '{len(job.raw_param_dict())}'}}}\n"
        "destinations: {slurm: {runner: slurm}}\n"
    )

    def tpvc(*arguments: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([sys.executable, "-m", "tpvc", *arguments], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done

    tpvc("export-jobs", f"{tmp_path}/galaxy.sqlite", "--job-conf", str(conf), "--tools", str(tools), "-o", str(out))
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(lines) == 60
    for line in lines:
        assert line["dispatcher"] == (None if line["tool"]["id"] == fixed else "tpv")
        assert line["tool"].get("name") == ("The \u00fc tool" if line["tool"]["id"] == named else None)
    dispatched = [line for line in lines if line["dispatcher"] == "tpv"]
    assert 0 < len(dispatched) < 60
    done = tpvc("map", "--config", str(rules), str(out), "--dispatcher", "tpv")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [line["id"] for line in dispatched]
    for answer, line in zip(answers, dispatched):
        expected = {"name": str(line["tool"].get("name")), "raw": str(len(line["job"]["parameters"]))}
        assert answer["destination"]["params"] == expected
    assert f"left out {60 - len(dispatched)} jobs of other dispatchers" in done.stderr
    assert len(tpvc("map", "--config", str(rules), str(out)).stdout.splitlines()) == 60


def test_a_list_of_tools_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text('{"err_msg": "no"}')
    with pytest.raises(ExportError, match="is not a list of tools"):
        read_tool_names(str(path))
