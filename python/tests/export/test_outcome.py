"""What an export says of the end of a job, from states and metrics as Galaxy keeps them."""

from __future__ import annotations

from datetime import datetime, timedelta

from tpvc.export.jobs import allocated, attempts, cpu_seconds, killed_for_memory, times

START = datetime(2026, 1, 1)


def history(*states: str) -> list[tuple[str, datetime | None]]:
    """These states, a minute each."""
    return [(state, START + timedelta(minutes=step)) for step, state in enumerate(states)]


def test_times_are_those_of_the_last_attempt() -> None:
    states = history("new", "queued", "running", "resubmitted", "queued", "running", "ok")
    assert times(states) == {
        "create_time": "2026-01-01T00:00:00",
        "queued_time": "2026-01-01T00:04:00",
        "running_time": "2026-01-01T00:05:00",
        "end_time": "2026-01-01T00:06:00",
    }
    assert "end_time" not in times(history("new", "queued", "running", "error", "queued", "running"))


def test_each_resubmission_ends_an_attempt() -> None:
    assert attempts(history("new", "queued", "running", "ok")) == []
    assert attempts(history("new", "running", "resubmitted", "queued", "resubmitted", "running", "ok")) == [{"runtime_seconds": 60.0}, {}]


def test_both_versions_of_cgroups() -> None:
    assert cpu_seconds({"cpu.stat.usage_usec": 2_500_000}) == 2.5
    assert cpu_seconds({"cpuacct.usage": 2_500_000_000}) == 2.5
    assert cpu_seconds({}) is None
    assert allocated({"galaxy_memory_mb": 2048}) == 2**31
    assert allocated({}) is None


def test_jobs_that_were_killed_for_memory() -> None:
    def job(state: str, info: str | None = None, exit_code: int | None = 1) -> dict[str, object]:
        return {"state": state, "info": info, "exit_code": exit_code}

    assert killed_for_memory(job("error", "This job was terminated because it used more memory than it was allocated."), {}) is True
    assert killed_for_memory(job("error"), {"memory.events.oom_kill": 1}) is True
    assert killed_for_memory(job("error"), {"memory.events.oom_kill": 0}) is False
    assert killed_for_memory(job("error", exit_code=137), {"memory.failcnt": 9}) is True
    assert killed_for_memory(job("error"), {"memory.failcnt": 9}) is None
    assert killed_for_memory(job("error"), {}) is None
    assert killed_for_memory(job("ok"), {"memory.failcnt": 9}) is False
