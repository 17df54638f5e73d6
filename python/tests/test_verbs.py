"""The verbs as functions: their reports have the documented types, what they cannot do raises, and a job that fails is no `KeyError`."""

import json
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest
import tpvc
from tpvc import reports

RULES = """
global: {default_inherits: default}
tools:
  default: {abstract: true, cores: 2, mem: cores * 4, rules: [{id: large, if: input_size > 50, fail: too large}]}
  bwa: {cores: 8, mem: 32}
destinations:
  slurm: {runner: slurm, max_accepted_cores: 16}
"""

# A third of the memory is used.
JOBS = [
    {
        "id": number,
        "tool": {"id": "bwa", "version": "1"},
        "user": {"email": f"u{number % 7}@example.org"},
        "job": {"create_time": f"2024-03-{1 + number // 24:02}T{number % 24:02}:00:00"},
        "outcome": {
            "state": "ok",
            "memory_bytes": (10 + number % 3) << 30,
            "allocated_memory_bytes": 32 << 30,
            "running_time": f"2024-03-{1 + number // 24:02}T{number % 24:02}:05:00",
            "end_time": f"2024-03-{1 + number // 24:02}T{number % 24:02}:50:00",
            "runtime_seconds": 2700,
            "slots": 8,
            "destination_id": "slurm",
        },
    }
    for number in range(240)
]

CAPACITY = """
clusters:
  slurm: {destinations: [slurm], nodes: [{cores: 16, mem: 64}]}
"""


def check_type(value: Any, kind: Any, at: str) -> None:
    """Fails where a value has not the type that is documented, or a key that is not."""
    if kind is Any:
        return
    origin = get_origin(kind)
    if typing.is_typeddict(kind):
        hints = get_type_hints(kind)
        assert set(value) <= set(hints), f"{at}: {set(value) - set(hints)}"
        assert set(value) >= set(kind.__required_keys__), f"{at}: {kind.__required_keys__ - set(value)}"
        for key, item in value.items():
            check_type(item, hints[key], f"{at}.{key}")
    elif origin is list:
        for index, item in enumerate(value):
            check_type(item, get_args(kind)[0], f"{at}[{index}]")
    elif origin is dict:
        for key, item in value.items():
            check_type(item, get_args(kind)[1], f"{at}[{key!r}]")
    elif origin is not None:
        if value is None:
            assert type(None) in get_args(kind), at
        else:
            (only,) = (one for one in get_args(kind) if one is not type(None))
            check_type(value, only, at)
    else:
        assert isinstance(value, (int, float) if kind is float else kind), f"{at}: {value!r} is no {kind}"


def test_a_job_that_fails_is_no_key_error(rules: Path) -> None:
    mapper = tpvc.Mapper(tpvc.compile([rules]))
    mapped = mapper.map({"id": 1, "tool": {"id": "bwa"}}, detail=True)
    assert mapped.destination is not None and mapped.destination["id"] == mapped["destination"]["id"] == "slurm"
    assert (mapped.id, mapped.cores, mapped.mem, mapped.gpus, mapped.error) == (1, 8, 32, None, None)
    assert mapped.candidates == ["slurm"]
    assert json.loads(json.dumps(mapped)) == mapped
    with pytest.raises(KeyError):
        mapped["no such key"]
    large = {"tool": {"id": "x"}, "job": {"input_datasets": [{"name": "i", "id": 1, "size": 60 << 30}]}}
    failed = mapper.map(large)
    assert failed.destination is failed.cores is None
    assert failed.error == {"type": "JobMappingException", "message": "too large"}
    with pytest.raises(tpvc.JobFailed, match="JobMappingException: too large") as caught:
        failed["destination"]["id"]
    assert (caught.value.type, caught.value.message) == ("JobMappingException", "too large")
    assert failed.get("destination") is None


def test_lint_and_check_give_findings(tmp_path: Path, rules: Path) -> None:
    assert tpvc.lint(rules) == [] and tpvc.check([rules]) == []
    faulty = tmp_path / "faulty.yml"
    faulty.write_text(RULES.replace("cores: 8", "coers: 8") + "  none: {runner: slurm, max_accepted_cores: 0}\n")
    found = tpvc.lint([faulty])
    check_type(found, list[reports.Finding], "lint")
    (field,) = (one for one in found if one["code"] == "T104")
    assert (field["file"], field["line"]) == (str(faulty), 5) and "coers" in field["message"]
    assert [one for one in tpvc.lint(faulty, ignore=["T104"]) if one["code"] == "T104"] == []
    # A config that does not compile is judged as well.
    faulty.write_text(RULES.replace("cores: 8", "cores: 8 *"))
    found = tpvc.check(str(faulty))
    check_type(found, list[reports.Finding], "check")
    assert [one["severity"] for one in found] == ["error"]


def test_diff_compares_rules_and_jobs(tmp_path: Path, rules: Path) -> None:
    new = tmp_path / "new.yml"
    new.write_text(RULES.replace("cores: 8", "cores: 32"))
    report = tpvc.diff(rules, new, jobs=JOBS[:10])
    check_type(report, reports.Diff, "diff")
    assert report["jobs"]["fail_now"] == 10 and not report["jobs"]["made"]
    assert "jobs" not in tpvc.diff([rules], [new], map_jobs=False)
    assert tpvc.diff(rules, new)["jobs"]["made"]
    # Compiled rules, and a job file.
    jobs = tmp_path / "jobs.jsonl"
    jobs.write_text("".join(json.dumps(job) + "\n" for job in JOBS))
    report = tpvc.diff(tpvc.compile([rules]), tpvc.compile([new]), jobs=jobs)
    assert report["jobs"]["fail_now"] == len(JOBS)


def test_explain_tells_of_jobs_that_are_mapped_and_of_others(rules: Path) -> None:
    for given in (rules, tpvc.compile([rules])):
        mapped = tpvc.explain(given, {"tool": {"id": "bwa"}}, {"now": "2024-03-01T00:00:00"})
        check_type(mapped, reports.Explanation, "explain")
        assert mapped["result"]["destination"]["id"] == "slurm"
    failed = tpvc.explain(rules, '{"tool": {"id": "bwa"},\n "job": {"input_datasets": [{"name": "i", "id": 1, "size": 90000000000}]}}')
    check_type(failed, reports.Explanation, "explain")
    assert failed["result"]["error"]["message"] == "too large"


def test_fit_and_simulate_read_histories(tmp_path: Path, rules: Path) -> None:
    fitted = tpvc.fit(rules, JOBS, patch=tmp_path / "patch.yml")
    check_type(fitted, reports.Fit, "fit")
    (tool,) = fitted["tools"]
    assert (tool["verdict"], tool["usage"]["jobs"]) == ("change", len(JOBS))
    assert f"mem: {tool['mem']}" in (tmp_path / "patch.yml").read_text()
    capacity, old = tmp_path / "capacity.yml", tmp_path / "old.yml"
    capacity.write_text(CAPACITY)
    old.write_text(RULES.replace("cores: 8", "cores: 16"))
    report = tpvc.simulate(rules, JOBS, capacity=capacity, old=old, seeds=2)
    check_type(report, reports.Simulation, "simulate")
    assert [one["all"]["jobs"] for one in report["sets"]] == [len(JOBS), len(JOBS)]
    assert report["changes"]["both_finish"] == len(JOBS)


def test_what_a_verb_cannot_do_raises(tmp_path: Path, rules: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text("tools:\n  bwa:\n    cores: 2 *\n")
    with pytest.raises(tpvc.CommandError, match="broken.yml:3:") as caught:
        tpvc.diff(rules, broken)
    assert caught.value.status == 1 and "^" in caught.value.text and "\x1b" not in caught.value.text
    with pytest.raises(tpvc.CommandError, match="unknown code `T9`") as caught:
        tpvc.lint(rules, ignore="T9")
    assert caught.value.status == 2
    with pytest.raises(tpvc.CommandError, match="missing.jsonl"):
        tpvc.fit(rules, tmp_path / "missing.jsonl")
    # clap's own errors, too.
    with pytest.raises(tpvc.CommandError, match="--seeds") as caught:
        tpvc.simulate(rules, JOBS, seeds=0)
    assert caught.value.status == 2
    with pytest.raises(TypeError, match="revision"):
        tpvc.diff(rules)


def test_verbs_print_nothing_and_leave_no_file(
    tmp_path: Path, rules: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = tmp_path / "temporary"
    files.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(files))
    tpvc.lint(rules)
    tpvc.diff(tpvc.compile([rules]), rules, jobs=JOBS, world={})
    with pytest.raises(tpvc.CommandError):
        tpvc.simulate(rules, [{"tool": {}}])
    assert capfd.readouterr() == ("", "")
    assert list(files.iterdir()) == []


def test_a_run_answers_an_interrupt(tmp_path: Path, rules: Path) -> None:
    (tmp_path / "jobs.jsonl").write_text("".join(json.dumps(job) + "\n" for job in JOBS) * (300_000 // len(JOBS)))
    code = """
import os, signal, sys, threading, time, tpvc
# A shell lets what it starts in the background ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
started = time.monotonic()
tpvc.fit(sys.argv[1], sys.argv[2])
whole = time.monotonic() - started
started = time.monotonic()
try:
    threading.Timer(whole / 4, os.kill, [os.getpid(), signal.SIGINT]).start()
    tpvc.fit(sys.argv[1], sys.argv[2])
except KeyboardInterrupt:
    took = time.monotonic() - started
    tpvc.lint(sys.argv[1])
    print("interrupted" if took < 0.8 * whole else f"after {took} of {whole} s")
"""
    command = [sys.executable, "-c", code, str(rules), str(tmp_path / "jobs.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


def test_a_check_and_a_simulation_end_with_an_interrupt(tmp_path: Path, rules: Path) -> None:
    """Processor time until another run can begin: the interrupted one must not go on in its thread."""
    tools = "".join(f"  tool{number}_.*: {{cores: {1 + number % 9}, mem: 'cores * {number % 7} + input_size'}}\n" for number in range(3000))
    (tmp_path / "many.yml").write_text(f"tools:\n{tools}destinations:\n  slurm: {{runner: slurm, max_accepted_mem: 900}}\n")
    (tmp_path / "capacity.yml").write_text(CAPACITY)
    (tmp_path / "jobs.jsonl").write_text("".join(json.dumps(job) + "\n" for job in JOBS) * 40)
    code = """
import os, signal, sys, threading, time, tpvc
signal.signal(signal.SIGINT, signal.default_int_handler)
rules, many, jobs, capacity = sys.argv[1:]
runs = [lambda: tpvc.check(many), lambda: tpvc.simulate(rules, jobs, capacity=capacity, seeds=20)]
for run in runs:
    run()
    started = time.process_time()
    run()
    tpvc.lint(rules)
    whole = time.process_time() - started
    started = time.process_time()

    def interrupt():
        while time.process_time() - started < whole / 3:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    try:
        run()
    except KeyboardInterrupt:
        # It waits for the end of the other.
        tpvc.lint(rules)
        took = time.process_time() - started
        print("ended" if took < 0.8 * whole else f"after {took} of {whole} s")
"""
    command = [sys.executable, "-c", code, str(rules), *(str(tmp_path / name) for name in ("many.yml", "jobs.jsonl", "capacity.yml"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "ended\nended\n"), done.stderr


def test_a_program_keeps_its_signals(tmp_path: Path, rules: Path) -> None:
    (tmp_path / "jobs.jsonl").write_text("".join(json.dumps(job) + "\n" for job in JOBS))
    code = """
import os, signal, sys, time, tpvc
# A shell lets what it starts in the background ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
tpvc.fit(sys.argv[1], sys.argv[2], patch=sys.argv[3])
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)
except KeyboardInterrupt:
    time.sleep(0.5)
    print("goes on")
"""
    command = [sys.executable, "-c", code, str(rules), str(tmp_path / "jobs.jsonl"), str(tmp_path / "patch.yml")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "goes on\n"), done.stderr
