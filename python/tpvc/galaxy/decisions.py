"""The log of decisions: a line of JSON for each mapping, to a file or to the logger `tpvc.decisions`.

A job that is not ready is mapped about once a second: it gets a line when the wait begins, and the line of the mapping that ends it has the
count. No error of the log reaches a job.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tpvc._native import Decision
from tpvc.galaxy import facts
from tpvc.galaxy.append import Appended
from tpvc.galaxy.attempts import Attempt, Attempts
from tpvc.galaxy.folder import folder_of, write_whole

log = logging.getLogger(__name__)
#: Takes the lines if Galaxy's `logging:` gives it a level or a handler, and no file is named.
LOGGER = logging.getLogger("tpvc.decisions")

#: The option of a dispatcher that names the file.
OPTION = "tpvc_decision_log"
#: The option with the keys of extra preferences whose values are logged.
PREFERENCES = "tpvc_decision_log_preferences"
#: The folder of the texts of the rules, beside the log.
TEXTS = "tpvc_rules"
#: The most texts of rules that are kept, and their bytes.
MOST_TEXTS = 50
MOST_BYTES = 100 * 1024 * 1024
#: The most waits that are counted at a time, and the seconds after which nobody asks about a job any more.
MOST_WAITS = 10_000
OVER = 600.0

#: The class of the exception of a job that has to wait.
NOT_READY = "JobNotReadyException"


@dataclass
class _Wait:
    """A job that was not ready."""

    decision: Decision
    head: dict[str, Any]
    since: str
    mappings: int
    last: float


class DecisionLog:
    """The log of decisions to one target, with the waits that it counts."""

    def __init__(self, path: str | None, texts: Path | None) -> None:
        self.file = None if path is None else Appended(path)
        self.texts = texts
        self.dropped = 0
        self._lock = threading.Lock()
        self._waits: OrderedDict[tuple[str, Any], _Wait] = OrderedDict()
        self._kept: set[str] = set()

    def add(self, decision: Decision, head: dict[str, Any]) -> None:
        """Writes the line of a mapping, unless it goes on with a wait."""
        with self._lock:
            moment = time.monotonic()
            key = (head["dispatcher"], head["job"])
            wait = self._waits.get(key)
            if decision.error == NOT_READY and head["job"] is not None:
                if wait is not None:
                    wait.mappings, wait.last = wait.mappings + 1, moment
                    self._waits.move_to_end(key)
                else:
                    self._waits[key] = _Wait(decision, head, head["time"], 1, moment)
                    self._line(decision, {**head, "begins": True})
            else:
                if wait is not None:
                    del self._waits[key]
                    head = {**head, "waited": (wait.mappings, wait.since)}
                self._line(decision, head)
            while self._waits:
                first = next(iter(self._waits.values()))
                if len(self._waits) <= MOST_WAITS and moment - first.last < OVER:
                    break
                self._end_first_wait()

    def end(self) -> None:
        """Ends the waits that are counted, at the end of the process."""
        with self._lock:
            while self._waits:
                self._end_first_wait()
            if self.dropped:
                # The count of lines that no other line will have.
                self._line(Decision.failed("", ""), {"time": now(), "job": None, "tool": "", "is_open": True})

    def _end_first_wait(self) -> None:
        _, wait = self._waits.popitem(last=False)
        head = {**wait.head, "time": now(), "ms": None, "waited": (wait.mappings, wait.since), "is_open": True}
        self._line(wait.decision, head)

    def _line(self, decision: Decision, head: dict[str, Any]) -> None:
        line = decision.line(**head, dropped=self.dropped)
        if self.file is None:
            LOGGER.info("%s", line.rstrip("\n"))
        elif self.file.write(line):
            self.dropped = 0
        else:
            self.dropped += 1

    def keep(self, rules: Any) -> None:
        """Keeps the texts of rules under their digest, once; the oldest beyond the bounds go."""
        digest = rules.digest
        if digest is None or digest in self._kept or self.texts is None:
            return
        # A folder for logs that is missing is a mistake of the option, which the log of the handler has.
        if self.file is not None and not self.texts.parent.is_dir():
            return
        self._kept.add(digest)
        path = self.texts / f"{digest}.json"
        try:
            if path.is_file():
                os.utime(path)
            else:
                write_whole(path, rules.texts())
                path.chmod(0o640)
            _thin(self.texts, path)
        except OSError as error:
            log.warning("The texts of the rules cannot be kept in %s: %s. `tpvc why` needs them later", self.texts, error)

    def after_fork(self) -> None:
        """Leaves to the parent what is its own."""
        self._lock = threading.Lock()
        self._waits.clear()
        self.dropped = 0
        if self.file is not None:
            self.file.close()


def _thin(folder: Path, newest: Path) -> None:
    found = sorted(((file.stat(), file) for file in folder.glob("*.json")), key=lambda each: each[0].st_mtime, reverse=True)
    size = 0
    for index, (status, file) in enumerate(found):
        size += status.st_size
        if file != newest and (index >= MOST_TEXTS or size > MOST_BYTES):
            file.unlink(missing_ok=True)


#: The attempts of this process. Here, because Galaxy may load the gateway again.
ATTEMPTS = Attempts()

_logs: dict[str | None, DecisionLog] = {}
_making = threading.Lock()


def log_for(app: Any, referrer: Any) -> DecisionLog | None:
    """The log of a dispatcher; `None` if it has none."""
    given = referrer.params.get(OPTION) if referrer else None
    if given:
        name = getattr(getattr(app, "config", None), "server_name", None) or "main"
        path = str(given).replace("{server_name}", str(name))
    elif (LOGGER.handlers or LOGGER.level != logging.NOTSET) and LOGGER.isEnabledFor(logging.INFO):
        path = None
    else:
        return None
    found = _logs.get(path)
    if found is None:
        with _making:
            folder = folder_of(app) if path is None else Path(path).parent
            found = _logs.setdefault(path, DecisionLog(path, None if folder is None else folder / TEXTS))
    return found


#: The last second, and its text.
_second: tuple[int, str] = (-1, "")


def now() -> str:
    """The time of a line."""
    global _second
    moment = time.time()
    whole = int(moment)
    second, text = _second
    if second != whole:
        text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))
        _second = (whole, text)
    return f"{text}.{int((moment - whole) * 1000):03d}Z"


class Entry:
    """The line of one mapping, while it is made."""

    def __init__(self, target: DecisionLog, dispatcher: str, referrer: Any, job: Any, tool: Any, user: Any, attempt: Attempt) -> None:
        self.target = target
        self.dispatcher = dispatcher
        self.preferences = _names(referrer.params.get(PREFERENCES) if referrer else None)
        self.job, self.tool, self.user, self.attempt = job, tool, user, attempt
        self.digest: str | None = None
        self.started = time.perf_counter()
        facts.start()

    def use(self, rules: Any) -> None:
        """Notes the rules that map the job."""
        self.digest = rules.digest
        self.target.keep(rules)
        self.started = time.perf_counter()

    def decided(self, decision: Decision) -> None:
        """Writes the line. Raises nothing."""
        try:
            ms = round((time.perf_counter() - self.started) * 1000, 3)
            head = {
                "time": now(),
                "job": _integer(self.job, "id"),
                "tool": str(getattr(self.tool, "id", None) or ""),
                "dispatcher": self.dispatcher,
                "attempt": self.attempt.number,
                "again": self.attempt.ended,
                "rules": self.digest,
                "version": _text(getattr(self.tool, "version", None)),
                "user": _integer(self.user, "id"),
                "read": facts.of(self.user, self.job, self.preferences),
                "ms": ms,
            }
            self.target.add(decision, head)
        except Exception:
            log.warning("The decision about job %s is not in the log", getattr(self.job, "id", None), exc_info=True)

    def failed(self, error: Exception) -> None:
        """Writes the line of a job that found no rules."""
        self.decided(Decision.failed(type(error).__name__, str(error)))


def _names(given: Any) -> tuple[str, ...]:
    if isinstance(given, str):
        return tuple(filter(None, (name.strip() for name in given.split(","))))
    return tuple(str(name) for name in given) if isinstance(given, (list, tuple)) else ()


def _integer(of: Any, name: str) -> int | None:
    value = getattr(of, name, None)
    return value if isinstance(value, int) and abs(value) < 2**63 else None


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _for_each(act: Callable[[DecisionLog], None]) -> None:
    for each in list(_logs.values()):
        act(each)


def _after_fork_in_child() -> None:
    global _making
    _making = threading.Lock()
    ATTEMPTS.forget()
    _for_each(DecisionLog.after_fork)


os.register_at_fork(after_in_child=_after_fork_in_child)
atexit.register(_for_each, DecisionLog.end)
