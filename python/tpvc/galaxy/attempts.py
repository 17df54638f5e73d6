"""Attempts of jobs: Galaxy asks a rule several times about one that fails, and again once it is resubmitted."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

#: The most jobs that are remembered.
MOST = 10_000


@dataclass
class Attempt:
    """An attempt of a job, in this process."""

    #: 1, and one more for each resubmission.
    number: int
    #: The number of mappings that ended, in a destination or an error.
    ended: int = 0
    #: `True` once the failure was explained in the log.
    is_explained: bool = False


class Attempts:
    """The attempts that were mapped last."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._by_job: OrderedDict[Any, Attempt] = OrderedDict()

    def of(self, job: Any) -> Attempt:
        """The attempt of a job that is mapped now."""
        number, key = number_of(job), getattr(job, "id", None)
        if key is None:
            return Attempt(number)
        attempt = self._by_job.get(key)
        if attempt is None or attempt.number != number:
            attempt = self._by_job[key] = Attempt(number)
            if len(self._by_job) > self.most:
                self._by_job.popitem(last=False)
        self._by_job.move_to_end(key)
        return attempt

    def forget(self) -> None:
        """Forgets all, in a forked process: its parent goes on with them."""
        self._by_job.clear()


def number_of(job: Any) -> int:
    """The number of the attempt, as Galaxy counts for `resubmit`. A job that has not been mapped costs no query."""
    try:
        if not job.destination_params:
            return 1
        return 1 + sum(1 for entry in job.state_history if entry.state == "resubmitted")
    except Exception:
        return 1
