"""The count of compared answers: in the log, and in a file that `tpvc shadow` reads."""

from __future__ import annotations

import atexit
import json
import logging
import os
import re
import threading
import time
from collections import OrderedDict
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from tpvc import __version__
from tpvc.galaxy.compared import Difference
from tpvc.galaxy.folder import folder_of, write_whole

log = logging.getLogger("tpvc.shadow")

#: The form of the file.
FORMAT = 2
#: Differences that the file has, the latest last, and messages about them that the log gets an hour.
KEPT = 100
LOGGED_AN_HOUR = 20
#: Seconds between two writings of the file, in general and after a difference, and between two summaries in the log.
WRITE_EVERY = 5.0
WRITE_DIFFERENCES_EVERY = 1.0
SAY_EVERY = 3600.0
#: Jobs that are remembered, so that a job that is mapped again is not counted again.
REMEMBERED = 10_000


@dataclass
class Counts:
    """The numbers of jobs and answers, and the latest differences."""

    #: Jobs, and those of which an answer differed. A job may be mapped many times.
    jobs: int = 0
    different_jobs: int = 0
    #: Answers: equal, different, different within seconds of a change of the rules, and jobs that tpvc had no rules for.
    equal: int = 0
    different: int = 0
    unsettled: int = 0
    unloaded: int = 0
    #: Seconds in each engine, and the number of answers that they are of: those for which neither loaded rules.
    timed: int = 0
    tpv_seconds: float = 0.0
    tpvc_seconds: float = 0.0
    since: str = field(default_factory=lambda: now())
    differences: list[dict[str, Any]] = field(default_factory=list)
    #: By dispatcher: the answers that are equal, that differ, and that were not compared because tpvc had no rules or failed.
    dispatchers: dict[str, list[int]] = field(default_factory=dict)

    @property
    def answers(self) -> int:
        """All answers that were compared."""
        return self.equal + self.different

    @property
    def uncompared(self) -> list[str]:
        """The dispatchers of which an answer was not compared."""
        return [name for name, (_, _, uncompared) in self.dispatchers.items() if uncompared]

    def sentence(self) -> str:
        """The counts for people."""
        text = f"{count(self.jobs, 'job')} since {self.since}: {count(self.equal, 'answer')} equal, {self.different:,} different"
        if self.unsettled:
            text += f"; {self.unsettled:,} not judged because the rules were being reloaded"
        if self.unloaded:
            text += f"; {self.unloaded:,} not compared because tpvc had no rules"
        if self.timed:
            tpv, tpvc = (1000 * seconds / self.timed for seconds in (self.tpv_seconds, self.tpvc_seconds))
            text += f"; {tpv:.2f} ms an answer with TPV, {tpvc:.2f} ms with tpvc"
        return text


class Tally:
    """The counts of this process, kept across its starts in a file of its own."""

    def __init__(self, app: Any) -> None:
        name = str(getattr(getattr(app, "config", None), "server_name", None) or "galaxy")
        folder = folder_of(app)
        self.path = folder and folder / f"shadow-{re.sub(r'[^A-Za-z0-9._-]', '_', name)}.json"
        self.counts = (read(self.path) if self.path else None) or Counts()
        self._lock = threading.Lock()
        self._process = os.getpid()
        # By the job's id: `true` if an answer differed.
        self._recent: OrderedDict[Any, bool] = OrderedDict()
        self._written = self._said = time.monotonic()
        self._hour = (time.monotonic(), 0)
        # Writes the file after answers that came soon after it was written.
        self._timer: threading.Timer | None = None
        atexit.register(self.write)

    def equal(self, dispatcher: str, job: Any, seconds: tuple[float, float] | None) -> None:
        """Counts an answer that is equal, with the seconds of TPV and tpvc; `None` if one of them loaded rules."""
        with self._lock:
            self.counts.equal += 1
            self._of(dispatcher)[0] += 1
            self._count(job, False, seconds)
        self._tell()

    def different(
        self, dispatcher: str, job: Any, tool: Any, found: list[Difference], seconds: tuple[float, float] | None
    ) -> None:
        """Counts an answer that differs, and logs it, unless the hour has had enough of such messages."""
        shown = "; ".join(f"{each.field}: TPV {each.tpv}, tpvc {each.tpvc}" for each in found[:10])
        with self._lock:
            self.counts.different += 1
            self._of(dispatcher)[1] += 1
            record = {"time": now(), "job": job, "tool": str(tool), "fields": [list(each) for each in found[:10]]}
            self.counts.differences = [*self.counts.differences[1 - KEPT :], record]
            self._count(job, True, seconds)
        self._warn(f"job {job} of {tool} is mapped differently: {shown}")
        self._tell(WRITE_DIFFERENCES_EVERY)

    def unsettled(self) -> None:
        """Counts an answer that differs while the rules are loaded again."""
        with self._lock:
            self.counts.unsettled += 1
        self._tell()

    def unloaded(self, dispatcher: str, error: BaseException | None) -> None:
        """Counts a job that tpvc has no rules for, and logs why, if it was just tried."""
        with self._lock:
            self.counts.unloaded += 1
            self._of(dispatcher)[2] += 1
        if error is not None:
            self._warn(f"tpvc cannot load the rules of {dispatcher}: {getattr(error, 'text', None) or repr(error)}")
        self._tell()

    def failed(self, dispatcher: str) -> None:
        """Counts an answer that could not be compared because of an error in the comparison."""
        with self._lock:
            self._of(dispatcher)[2] += 1
        self._tell()

    def _of(self, dispatcher: str) -> list[int]:
        # There are as many as `job_conf.yml` has.
        return self.counts.dispatchers.setdefault(dispatcher, [0, 0, 0])

    def _count(self, job: Any, differs: bool, seconds: tuple[float, float] | None) -> None:
        if seconds is not None:
            self.counts.timed += 1
            self.counts.tpv_seconds += seconds[0]
            self.counts.tpvc_seconds += seconds[1]
        before = self._recent.pop(job, None)
        self.counts.jobs += before is None
        self.counts.different_jobs += differs and not before
        self._recent[job] = differs or bool(before)
        if len(self._recent) > REMEMBERED:
            self._recent.popitem(last=False)

    def _warn(self, message: str) -> None:
        moment = time.monotonic()
        with self._lock:
            start, count = self._hour
            if moment - start >= 3600:
                start, count = moment, 0
            self._hour = (start, count + 1)
        if count < LOGGED_AN_HOUR:
            log.warning("%s", message)
        elif count == LOGGED_AN_HOUR:
            log.warning("further differences of this hour are counted, not logged; `tpvc shadow` shows the latest")

    def _tell(self, write_every: float = WRITE_EVERY) -> None:
        moment = time.monotonic()
        answers = self.counts.answers
        # The first answers, then as they become more, then by the hour.
        if str(answers).rstrip("0") == "1" or moment - self._said >= SAY_EVERY:
            self._said = moment
            log.info("%s", self.counts.sentence())
            self.write()
        elif moment - self._written >= write_every:
            self.write()
        elif self._timer is None:
            # No further answer may come for hours.
            self._timer = threading.Timer(WRITE_EVERY - (moment - self._written), self.write)
            self._timer.daemon = True
            self._timer.start()

    def write(self) -> None:
        """Writes the file. A failure is logged once."""
        # A forked process has counts of its own.
        if self.path is None or self._process != os.getpid():
            return
        self._written, self._timer = time.monotonic(), None
        record = {"format": FORMAT, "tpvc": __version__, "updated": now(), **asdict(self.counts)}
        try:
            write_whole(self.path, json.dumps(record, indent=1) + "\n")
        except OSError as error:
            log.warning("the counts cannot be written to %s: %s", self.path, error)
            self.path = None


def read(path: Path) -> Counts | None:
    """The counts of a file; `None` if there is none, or if another version wrote it."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if (record.pop("format"), record.pop("tpvc")) != (FORMAT, __version__):
            return None
        record.pop("updated")
        return Counts(**record)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def now() -> str:
    """The time in UTC."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
