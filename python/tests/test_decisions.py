"""The log of decisions: one line a mapping, whatever happens to the file, the process or the job."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from galaxy.jobs.mapper import JobMappingException, JobNotReadyException

import galaxy_objects as objects
from test_gateway import RULES
from tpvc._native import Decision, DecisionLines
from tpvc.galaxy import attempts, decisions, facts


@pytest.fixture(autouse=True)
def fresh() -> Any:
    decisions._logs.clear()
    decisions._by_option.clear()
    decisions.ATTEMPTS.forget()
    yield
    decisions._logs.clear()
    decisions._by_option.clear()


def referrer(log: Path | None, **params: Any) -> Any:
    given = {} if log is None else {"tpvc_decision_log": str(log)}
    return SimpleNamespace(id="tpv_dispatcher", params={**given, **params})


def call(gateway: Any, rules: Path, to: Any, tool: str = "bwa", size: float = 1, job: Any = None, user: Any = None) -> Any:
    app = objects.app()
    app.config.server_name = "handler_0"
    return gateway.map_tool_to_destination(
        app,
        job or objects.job(objects.dataset(size)),
        objects.tool(tool),
        user or objects.user(),
        referrer=to,
        tpv_config_files=[str(rules)],
    )


def lines(log: Path) -> list[dict[str, Any]]:
    text = log.read_text()
    assert text.endswith("\n") and all(len(line) < 4096 for line in text.splitlines())
    return [json.loads(line) for line in text.splitlines()]


def test_a_mapping_is_a_line(gateway: Any, rules: Path, tmp_path: Path) -> None:
    job = objects.job(objects.dataset(2))
    call(gateway, rules, referrer(tmp_path / "log_{server_name}.jsonl"), job=job)
    log = tmp_path / "log_handler_0.jsonl"
    [line] = lines(log)
    assert (line["job"], line["tool"], line["version"], line["user"]) == (job.id, "bwa", "1.0", 7)
    assert (line["dispatcher"], line["destination"], line["attempt"]) == ("tpv_dispatcher", "local", 1)
    assert line["input_size"] == 2 and line["mem"]["got"] == 8 and line["mem"]["by"] == "tool default"
    assert line["candidates"] == [["local", 1]] and line["tier"] == "native" and line["ms"] > 0
    assert "vortex.org" not in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o640 & ~_umask()
    kept = tmp_path / "tpvc_rules" / f"{line['rules']}.json"
    assert json.loads(kept.read_text())["configs"] == [{"name": str(rules), "text": RULES}]
    assert kept.stat().st_mode & 0o777 == 0o640


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_an_error_says_where_and_why(gateway: Any, rules: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    job = objects.job(objects.dataset(20))
    for _ in range(2):
        with pytest.raises(JobMappingException):
            call(gateway, rules, referrer(log), job=job)
    with pytest.raises(JobMappingException):
        call(gateway, rules, referrer(log), tool="nowhere")
    first, again, nowhere = lines(log)
    assert first["error"]["type"] == "JobMappingException" and first["error"]["at"] == f"{rules}:15"
    assert first["fired"] == [{"rule": "large", "at": f"{rules}:13", "failed": True}]
    assert "again" not in first and again["again"] == 1
    assert nowhere["rejected"] == [["local", ["lacks", "moon"]]]


def test_rules_that_do_not_load_are_a_line(gateway: Any, rules: Path, tmp_path: Path) -> None:
    rules.write_text("tools: [")
    with pytest.raises(Exception):  # noqa: B017
        call(gateway, rules, referrer(tmp_path / "log.jsonl"))
    [line] = lines(tmp_path / "log.jsonl")
    assert line["error"]["type"] == "CompileError" and "rules" not in line


def test_a_wait_is_a_line_at_its_begin_and_one_at_its_end(gateway: Any, rules: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    job, other = objects.job(), objects.job()
    for _ in range(50):
        with pytest.raises(JobNotReadyException):
            call(gateway, rules, referrer(log), tool="waits", job=job)
    call(gateway, rules, referrer(log), job=other)
    rules.write_text(RULES.replace("raise JobNotReadyException()", "pass"))
    gateway.ACTIVE_DESTINATION_MAPPERS = {}
    call(gateway, rules, referrer(log), tool="waits", job=job)
    begins, between, ends = lines(log)
    assert begins["wait"] == "begins" and begins["error"]["type"] == "JobNotReadyException"
    assert "wait" not in between
    assert ends["destination"] == "local" and ends["wait"] == {"mappings": 50, "since": begins["time"]}
    assert begins["rules"] != ends["rules"]


def test_a_wait_without_an_end_is_counted_at_the_end_of_the_process(gateway: Any, rules: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    job = objects.job()
    for _ in range(3):
        with pytest.raises(JobNotReadyException):
            call(gateway, rules, referrer(log), tool="waits", job=job)
    decisions._logs[str(log)].end()
    begins, ends = lines(log)
    assert ends["wait"] == {"mappings": 3, "since": begins["time"]} and "destination" not in ends and "error" not in ends


def test_a_failure_is_explained_once_an_attempt(gateway: Any, rules: Path, caplog: Any) -> None:
    job = objects.job(objects.dataset(20))
    job.state_history = []
    to = referrer(None, tpv_explain_on_failure=True)

    def explained() -> int:
        for _ in range(4):
            with pytest.raises(JobMappingException):
                call(gateway, rules, to, job=job)
        return caplog.text.count(f"Job {job.id}: mapping failed. TPV scheduling trace:")

    assert explained() == 1
    assert explained() == 1
    job.destination_params, job.state_history = {"a": 1}, [SimpleNamespace(state="resubmitted")]
    assert explained() == 2


def test_the_logger_takes_lines_if_it_is_set_up(gateway: Any, rules: Path, caplog: Any) -> None:
    call(gateway, rules, referrer(None))
    assert not [record for record in caplog.records if record.name == "tpvc.decisions"]
    with caplog.at_level(logging.INFO, "tpvc.decisions"):
        call(gateway, rules, referrer(None))
    [record] = [record for record in caplog.records if record.name == "tpvc.decisions"]
    assert json.loads(record.getMessage())["destination"] == "local"


def add(log: DecisionLines, job: Any = None, tool: str = "t", user: Any = None, **parts: Any) -> Any:
    """Adds the line of a job that failed."""
    decision = Decision.failed("E", "m")
    return log.add(decision, job or SimpleNamespace(id=1), SimpleNamespace(id=tool), user, dispatcher="d", **parts)


def tools(log: Path) -> list[str]:
    return [line["tool"] for line in lines(log)]


def test_rotation(tmp_path: Path) -> None:
    log = tmp_path / "log"
    # A busy machine is slow.
    file = DecisionLines(log, slow=1e9)
    assert add(file, tool="a") is None
    log.rename(tmp_path / "log.1")
    assert add(file, tool="b") is None
    log.unlink()
    assert add(file, tool="c") is None
    assert (tools(tmp_path / "log.1"), tools(log)) == (["a"], ["c"])
    os.truncate(log, 0)
    assert add(file, tool="d") is None and tools(log) == ["d"]


FULL = """
import resource, signal, sys
from types import SimpleNamespace
from tpvc.galaxy import decisions
from tpvc._native import Decision, DecisionLines

# A file that cannot grow is a disk that is full.
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
log = decisions.DecisionLog(sys.argv[1], None)
log.lines = DecisionLines(sys.argv[1], pause=0, slow=1e9)

def add():
    log.report(log.lines.add(Decision.failed("E", "m"), SimpleNamespace(id=1), SimpleNamespace(id="t"), None, dispatcher="d"))

def room(most):
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

room(40)
for _ in range(5):
    add()
assert log.lines.dropped == 5
room(resource.RLIM_INFINITY)
add()
add()
room(1)
for _ in range(3):
    add()
room(resource.RLIM_INFINITY)
log.end()
"""


def test_a_full_disk_drops_lines_and_counts_them(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path / "log")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    half, counted, last, end = (tmp_path / "log").read_text().splitlines()
    assert len(half) == 40 and json.loads(counted)["dropped"] == 5 and "dropped" not in json.loads(last)
    assert (json.loads(end)["job"], json.loads(end)["dropped"]) == (None, 3)
    assert done.stderr.count("cannot be written") == 2


def test_a_slow_write_stops_writing_for_a_while(tmp_path: Path) -> None:
    file = DecisionLines(tmp_path / "log", pause=1.0, slow=0)
    assert "a write took" in add(file, tool="a").failure and add(file, tool="b").dropped == 1
    time.sleep(1.1)
    # It is told once.
    assert add(file, tool="c") is None and tools(tmp_path / "log") == ["a", "c"]
    assert lines(tmp_path / "log")[1]["dropped"] == 1


@pytest.mark.parametrize("path", ["missing/log", ".", "fifo"])
def test_what_cannot_be_written_fails_no_job(gateway: Any, rules: Path, tmp_path: Path, path: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    started = time.monotonic()
    for _ in range(3):
        assert call(gateway, rules, referrer(tmp_path / path)).id == "local"
    assert time.monotonic() - started < 10
    assert decisions._logs[str(tmp_path / path)].lines.dropped == 3


def test_facts_ask_nothing() -> None:
    class Asks:
        def __getattr__(self, name: str) -> Any:
            if name != "id":
                raise AssertionError(f"a query for {name}")

    def role(name: str, **fields: Any) -> Any:
        return SimpleNamespace(role=SimpleNamespace(**{"name": name, "deleted": False, "type": "admin", **fields}))

    def read(user: Any, job: Any, **parts: Any) -> Any:
        told = add(DecisionLines(), job, user=user, **parts)
        return json.loads(told.lines[0]).get("read")

    user: Any = Asks()
    private = role("jo@example.org", type="private"), role("jo", type="private"), role("jo@example.org")
    user.__dict__["roles"] = [role("training"), role("beta"), *private, role("old", deleted=True), SimpleNamespace()]
    group = SimpleNamespace(roles=[role("alpha"), role("beta")])
    user.__dict__["groups"] = [SimpleNamespace(group=group), SimpleNamespace()]
    extra = SimpleNamespace(value='{"site": "mel", "token": "secret"}')
    user.__dict__["_preferences"] = {"extra_user_preferences": extra}
    job: Any = Asks()
    tags = [SimpleNamespace(user_tname="name", user_value="urgent"), SimpleNamespace(user_tname="x", user_value=None)]
    job.__dict__["history"] = SimpleNamespace(tags=tags)
    facts.start()
    facts.note("jobs of bwa", 3)
    found = read(user, job, noted=facts.taken(), preferences=["site"])
    assert found == {
        "jobs of bwa": 3,
        "roles": ["alpha", "beta", "training"],
        "preferences": {"site": "mel"},
        "tags": ["name:urgent", "x"],
    }
    assert read(Asks(), Asks()) is None and read(None, Asks()) is None
    extra.value = "[1"
    assert "preferences" not in read(user, job, preferences=["site"])
    # What is loaded and empty is known, too.
    job.__dict__["history"].tags, user.__dict__["roles"], user.__dict__["groups"] = [], [], []
    assert read(user, job) == {"roles": [], "tags": []}


def test_facts_of_the_tool() -> None:
    required = [SimpleNamespace(resource_type="cores_min", value_or_expression=2), SimpleNamespace(resource_type="ram_min", value_or_expression="1 + 1")]
    tool = SimpleNamespace(id="t", version="1", tool_type="interactive", requires_galaxy_python_environment=True, resource_requirements=required)
    line = DecisionLines().add(Decision.failed("E", "m"), SimpleNamespace(id=1), tool, None, dispatcher="d").lines[0]
    assert json.loads(line)["read"] == {"tool": {"tool_type": "interactive", "requires_galaxy_python_environment": True, "resource_requirements": {"cores_min": 2, "ram_min": "1 + 1"}}}


def test_attempts_are_bounded() -> None:
    known = attempts.Attempts(most=10)
    for number in range(100):
        known.of(SimpleNamespace(id=number, destination_params=None)).ended += 1
    assert len(known._by_job) == 10
    assert known.of(SimpleNamespace(id=99, destination_params=None)).ended == 1
    assert known.of(SimpleNamespace(id=1, destination_params=None)).ended == 0


def test_texts_of_rules_are_bounded(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(decisions, "MOST_TEXTS", 5)
    log = decisions.DecisionLog(str(tmp_path / "log"), tmp_path / "tpvc_rules")
    for number in range(20):
        log.keep(SimpleNamespace(texts=lambda: "{}"), f"{number:016x}")
        os.utime(tmp_path / "tpvc_rules" / f"{number:016x}.json", (number, number))
    assert sorted(path.name for path in (tmp_path / "tpvc_rules").iterdir())[-1] == f"{19:016x}.json"
    assert len(list((tmp_path / "tpvc_rules").iterdir())) <= 6


WRITER = """
import sys
from types import SimpleNamespace
from tpvc._native import Decision, DecisionLines
file = DecisionLines(sys.argv[1], slow=1e9)
noted = {str(n): "x" * 300 for n in range(8)}
for number in range(2000):
    assert file.add(Decision.failed("E", sys.argv[2]), SimpleNamespace(id=number), SimpleNamespace(id="t"), None, dispatcher="d", noted=noted) is None
"""


def test_processes_append_to_one_file(tmp_path: Path) -> None:
    log = tmp_path / "log"
    started = [subprocess.Popen([sys.executable, "-c", WRITER, str(log), str(number)]) for number in range(4)]
    killed = subprocess.Popen([sys.executable, "-c", WRITER, str(log), "killed"])
    while not log.exists() or b'"message": "killed"' not in log.read_bytes():
        time.sleep(0.01)
    killed.kill()
    assert [process.wait() for process in started] == [0] * 4
    killed.wait()
    found: dict[str, list[int]] = {}
    cut = []
    for line in log.read_text().splitlines():
        try:
            record = json.loads(line)
            found.setdefault(record["error"]["message"], []).append(record["job"])
        except ValueError:
            # A kill between two pages of a write leaves a part of the line, and the next line behind it.
            cut.append(line)
    assert len(cut) <= 1 and found.keys() == {"killed", *"0123"}
    for name in "0123":
        assert found[name] == sorted(found[name]) and len(found[name]) >= 2000 - len(cut)
    assert sum(len(found[name]) for name in "0123") >= 8000 - len(cut)


def test_a_fork_leaves_waits_to_its_parent(gateway: Any, rules: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    to, job = referrer(log), objects.job()
    with pytest.raises(JobNotReadyException):
        call(gateway, rules, to, tool="waits", job=job)
    child = os.fork()
    if child == 0:
        try:
            call(gateway, rules, to)
            decisions._logs[str(log)].end()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    decisions._logs[str(log)].end()
    assert [line.get("wait") is not None for line in lines(log)] == [True, False, True]


def test_forks_while_other_threads_write(tmp_path: Path) -> None:
    log = decisions.DecisionLog(str(tmp_path / "log"), None)
    # A busy machine is slow.
    log.lines = DecisionLines(tmp_path / "log", slow=1e9)
    decisions._logs["log"] = log
    over = threading.Event()

    def write() -> None:
        while not over.is_set():
            add(log.lines)

    threads = [threading.Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(30):
        child = os.fork()
        if child == 0:
            try:
                # Even if a thread that is gone here held the lock.
                add(log.lines, tool="child")
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
    over.set()
    for thread in threads:
        thread.join()
    assert tools(tmp_path / "log").count("child") == 30
