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
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tpvc import _native
from tpvc._native import Decision, LogEvents
from tpvc.galaxy import facts, metrics
from tpvc.galaxy.attempts import Attempt, Attempts
from tpvc.galaxy.folder import folder_of, write_whole
from tpvc.galaxy.metrics import Metrics

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

#: The class of the exception of a job that has to wait.
NOT_READY = "JobNotReadyException"


class DecisionLog:
    """The log of decisions to one target."""

    def __init__(self, path: str | None, texts: Path | None) -> None:
        self.path, self.texts = path, texts
        self.lines = _native.DecisionLines(path)
        self._kept: set[str] = set()

    def end(self) -> None:
        """Ends the waits that are counted, at the end of the process."""
        self.report(self.lines.end())

    def report(self, events: LogEvents | None) -> None:
        """Sends lines to the logger, and reports lines that were dropped."""
        if events is None:
            return
        for line in events.lines:
            LOGGER.info("%s", line)
        sender = metrics.current()
        if sender is not None and events.dropped:
            sender.count("tpvc.dropped", events.dropped)
        if events.failure is not None:
            log.warning("Decisions cannot be written to %s: %s. They are dropped, and counted in the next line", self.path, events.failure)
        elif events.is_written_again:
            log.info("Decisions are written to %s again", self.path)

    def keep(self, rules: Any, digest: str | None) -> None:
        """Keeps the texts of rules under their digest, once; the oldest beyond the bounds go."""
        if digest is None or digest in self._kept or self.texts is None:
            return
        # A folder for logs that is missing is a mistake of the option, which the log of the handler has.
        if self.path is not None and not self.texts.parent.is_dir():
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
        if not self.lines.after_fork():
            _of_parent.append(self.lines)
            self.lines = _native.DecisionLines(self.path)


# Logs that a thread of the parent was writing to at a fork: a child never frees these.
_of_parent: list[_native.DecisionLines] = []


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
#: The logs by the option that names them.
_by_option: dict[str, DecisionLog] = {}
_making = threading.Lock()


def log_for(app: Any, referrer: Any) -> DecisionLog | None:
    """The log of a dispatcher; `None` if it has none."""
    given = referrer.params.get(OPTION) if referrer else None
    if given:
        given = str(given)
        found = _by_option.get(given)
        if found is None:
            name = getattr(getattr(app, "config", None), "server_name", None) or "main"
            found = _by_option[given] = _log_of(app, given.replace("{server_name}", str(name)))
        return found
    if (LOGGER.handlers or LOGGER.level != logging.NOTSET) and LOGGER.isEnabledFor(logging.INFO):
        return _log_of(app, None)
    return None


def _log_of(app: Any, path: str | None) -> DecisionLog:
    found = _logs.get(path)
    if found is None:
        with _making:
            folder = folder_of(app) if path is None else Path(path).parent
            found = _logs.setdefault(path, DecisionLog(path, None if folder is None else folder / TEXTS))
    return found


class Entry:
    """The line and the metrics of one mapping, while it is made."""

    def __init__(
        self,
        target: DecisionLog | None,
        sender: Metrics | None,
        dispatcher: str,
        referrer: Any,
        job: Any,
        tool: Any,
        user: Any,
        attempt: Attempt,
    ) -> None:
        self.target, self.sender = target, sender
        self.dispatcher, self.referrer = dispatcher, referrer
        self.job, self.tool, self.user, self.attempt = job, tool, user, attempt
        self.digest: str | None = None
        self.started = time.perf_counter()
        if target is not None:
            facts.start()

    def use(self, rules: Any) -> None:
        """Notes the rules that map the job."""
        if self.target is not None:
            self.digest = rules.digest
            self.target.keep(rules, self.digest)
        self.started = time.perf_counter()

    def decided(self, decision: Decision) -> None:
        """Writes the line and sends the metrics. Raises nothing."""
        ms = round((time.perf_counter() - self.started) * 1000, 3)
        if self.sender is not None:
            destination, error = decision.destination, decision.error
            if destination is not None:
                self.sender.mapped(self.dispatcher, decision.tier, destination, ms)
            elif error == NOT_READY:
                self.sender.count_of("not_ready", self.dispatcher)
            elif error is not None and self.attempt.ended == 0:
                # Galaxy asks again about a job that failed, which is the same failure.
                self.sender.failed(self.dispatcher, error)
        if self.target is None:
            return
        try:
            events = self.target.lines.add(
                decision,
                self.job,
                self.tool,
                self.user,
                dispatcher=self.dispatcher,
                attempt=self.attempt.number,
                again=self.attempt.ended,
                rules=self.digest,
                ms=ms,
                noted=facts.taken(),
                preferences=_names(self.referrer.params.get(PREFERENCES)) if self.referrer else (),
            )
            if events is not None:
                self.target.report(events)
        except Exception:
            log.warning("The decision about job %s is not in the log", getattr(self.job, "id", None), exc_info=True)

    def failed(self, error: Exception) -> None:
        """The same for a job that found no rules."""
        self.decided(Decision.failed(type(error).__name__, str(error)))


def _names(given: Any) -> tuple[str, ...]:
    if isinstance(given, str):
        return tuple(filter(None, (name.strip() for name in given.split(","))))
    return tuple(str(name) for name in given) if isinstance(given, (list, tuple)) else ()


def _for_each(act: Callable[[DecisionLog], None]) -> None:
    for each in list(_logs.values()):
        act(each)


def _after_fork_in_child() -> None:
    global _making
    _making = threading.Lock()
    # The child may be another server by name.
    _by_option.clear()
    ATTEMPTS.forget()
    _for_each(DecisionLog.after_fork)


os.register_at_fork(after_in_child=_after_fork_in_child)
atexit.register(_for_each, DecisionLog.end)
