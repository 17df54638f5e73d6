"""A file to which lines are appended, each whole with one write, by any number of processes."""

from __future__ import annotations

import errno
import logging
import os
import time

log = logging.getLogger(__name__)

#: Seconds for which lines are dropped after one that could not be written.
PAUSE = 10.0
#: Seconds that a write may take, and for which lines are dropped after one that took longer: it may be the machine that was busy.
SLOW = 0.1
SLOW_PAUSE = 1.0

# `O_NONBLOCK` is for a pipe that nobody reads, at which opening would wait for good.
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK


class Appended:
    """The file of a path. It is opened again after something took its place, such as logrotate, as Python's `WatchedFileHandler` does."""

    def __init__(self, path: str, pause: float = PAUSE) -> None:
        self.path = path
        self.pause = pause
        self._file = -1
        self._is: tuple[int, int] | None = None
        # A write that a full disk cut short left half of a line.
        self._is_cut = False
        self._until = 0.0
        self._is_dropping = False

    def write(self, data: bytes) -> bool:
        """Appends a line, which ends in a line feed. Returns `False` if it is dropped. Raises nothing."""
        if self._is_dropping and time.monotonic() < self._until:
            return False
        started = time.monotonic()
        try:
            self._open()
            whole = b"\n" + data if self._is_cut else data
            written = os.write(self._file, whole)
        except OSError as error:
            self._drop(str(error), self.pause)
            return False
        took = time.monotonic() - started
        self._is_cut = written < len(whole) and (written > 0 or self._is_cut)
        if written < len(whole):
            self._drop(os.strerror(errno.ENOSPC), self.pause)
            return False
        if took > SLOW:
            self._drop(f"a write took {took:.1f} s", min(SLOW_PAUSE, self.pause))
        elif self._is_dropping:
            self._is_dropping = False
            log.info("Decisions are written to %s again", self.path)
        return True

    def close(self) -> None:
        """Closes the file; the next line opens it again."""
        file, self._file, self._is = self._file, -1, None
        if file >= 0:
            os.close(file)

    def _open(self) -> None:
        try:
            found = os.stat(self.path)
            if self._is == (found.st_dev, found.st_ino):
                return
        except FileNotFoundError:
            pass
        self.close()
        file = os.open(self.path, _FLAGS, 0o640)
        found = os.fstat(file)
        self._file, self._is, self._is_cut = file, (found.st_dev, found.st_ino), False

    def _drop(self, reason: str, pause: float) -> None:
        self._until = time.monotonic() + pause
        if not self._is_dropping:
            self._is_dropping = True
            log.warning("Decisions cannot be written to %s: %s. They are dropped, and counted in the next line", self.path, reason)
