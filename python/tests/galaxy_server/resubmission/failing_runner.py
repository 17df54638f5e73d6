"""A runner of Galaxy whose jobs end as `cases.json` says, attempt by attempt, and that writes down where they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from galaxy.jobs.runners import JobState
from galaxy.jobs.runners.local import LocalJobRunner

FOLDER = Path(__file__).parent
ENDS: dict[str, list[str]] = {case["tool"]: case["ends"] for case in json.loads((FOLDER / "cases.json").read_text())}
STATES = {
    "tool_detected_failure": JobState.runner_states.TOOL_DETECT_ERROR,
    "output_not_returned": JobState.runner_states.JOB_OUTPUT_NOT_RETURNED_FROM_CLUSTER,
}


class FailingRunner(LocalJobRunner):  # type: ignore[misc]
    runner_name = "FailingRunner"

    def queue_job(self, job_wrapper: Any) -> None:
        if not self._prepare_job_local(job_wrapper):
            return
        job, destination = job_wrapper.get_job(), job_wrapper.job_destination
        attempt = 1 + sum(entry.state == "resubmitted" for entry in job.state_history)
        params = {key: destination.params.get(key) for key in ("mem", "state", "waited")}
        line = {"tool": job.tool_id, "attempt": attempt, "destination": destination.id, **params}
        with open(FOLDER / "attempts.jsonl", "a") as file:
            file.write(json.dumps(line) + "\n")
        ends = ENDS.get(job.tool_id, [])
        if attempt > len(ends):
            super().queue_job(job_wrapper)
            return
        end = ends[attempt - 1]
        state = JobState(job_wrapper, destination)
        state.runner_state = STATES.get(end, end)
        state.fail_message = end
        state.stop_job = False
        self.fail_job(state, exception=True)
