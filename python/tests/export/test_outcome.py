"""What an export says of the end of a job, from states and metrics as Galaxy keeps them."""

from __future__ import annotations

from datetime import datetime, timedelta

from tpvc.export.outcome import State, allocated, attempts, cpu_seconds, killed_for_memory, ran, times

START = datetime(2026, 1, 1)
FOR_MEMORY = "This job was resubmitted to the queue because it exceeded the amount of allocated memory on its compute resource."
FOR_TIME = "This job was resubmitted to the queue because it reached the walltime on its compute resource."


def history(*states: str, info: str | None = None) -> list[State]:
    """These states, a minute each, with the same info."""
    return [State(state, START + timedelta(minutes=step), info) for step, state in enumerate(states)]


def test_times_are_those_of_the_last_attempt() -> None:
    states = history("new", "queued", "running", "resubmitted", "queued", "running", "ok")
    assert times(states) == {
        "create_time": "2026-01-01T00:00:00",
        "queued_time": "2026-01-01T00:04:00",
        "running_time": "2026-01-01T00:05:00",
        "end_time": "2026-01-01T00:06:00",
    }
    assert "end_time" not in times(history("new", "queued", "running", "error", "queued", "running"))


def test_a_job_whose_script_was_killed_ran_by_its_states() -> None:
    assert ran(history("new", "queued", "running", "error")) == 60.0
    assert ran(history("new", "running", "resubmitted", "queued", "error")) is None
    assert ran(history("new", "running", "error", "queued", "running")) is None


def test_each_resubmission_ends_an_attempt() -> None:
    assert attempts(history("new", "queued", "running", "ok")) == []
    assert attempts(history("new", "running", "resubmitted", "queued", "resubmitted", "running", "ok")) == [{"runtime_seconds": 60.0}, {}]
    for info, oom in ((FOR_MEMORY, True), (FOR_TIME, False)):
        assert attempts(history("new", "running", "resubmitted", "ok", info=info)) == [{"runtime_seconds": 60.0, "oom": oom}]


def test_both_versions_of_cgroups() -> None:
    assert cpu_seconds({"cpu.stat.usage_usec": 2_500_000}) == 2.5
    assert cpu_seconds({"cpuacct.usage": 2_500_000_000}) == 2.5
    assert cpu_seconds({}) is None
    assert allocated({"galaxy_memory_mb": 2048}, {"memory.max": 5}) == 2**31
    assert allocated({}, {"memory.max": 2**31}) == allocated({}, {"memory.limit_in_bytes": 2**31}) == 2**31
    # Without a limit, version 1 writes the greatest number of pages, version 2 a word.
    assert allocated({}, {"memory.limit_in_bytes": 2**63 - 4096}) is None
    assert allocated({}, {}) is None


def test_jobs_that_were_killed_for_memory() -> None:
    def job(state: str, info: str | None = None, exit_code: int | None = 1, messages: str | None = None) -> dict[str, object]:
        return {"state": state, "info": info, "exit_code": exit_code, "job_messages": messages}

    for info in (
        "This job was terminated because it used more memory than it was allocated.",
        "This job was held by HTCondor because it exceeded its requested memory. Consider increasing request_memory.",
        "Tool failed due to insufficient memory. Try with more memory.",
        "This job was terminated because it used more than the maximum allowed memory.",
    ):
        assert killed_for_memory(job("error", info), {}) is True
    # What was said of the attempt before stays with the job.
    assert killed_for_memory(job("error", FOR_MEMORY), {}) is None
    assert killed_for_memory(job("error", messages='[{"type": "regex", "error_level": 4}]'), {}) is True
    assert killed_for_memory(job("error", messages='[{"type": "exit_code", "error_level": 3}]'), {}) is None
    assert killed_for_memory(job("error"), {"memory.events.oom_kill": 1}) is True
    assert killed_for_memory(job("error"), {"memory.events.oom_kill": 0}) is False
    assert killed_for_memory(job("error", exit_code=137), {"memory.failcnt": 9}) is True
    assert killed_for_memory(job("error"), {"memory.failcnt": 9}) is None
    assert killed_for_memory(job("error"), {}) is None
    assert killed_for_memory(job("ok"), {"memory.failcnt": 9}) is False
