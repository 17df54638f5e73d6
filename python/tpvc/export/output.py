"""Files that appear whole or not at all, and the progress on a terminal."""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from tpvc.export.errors import ExportError


@contextmanager
def writing(path: str) -> Iterator[BinaryIO]:
    """Writes a file under a temporary name beside it, and gives it its name at the end; `-` is stdout, `.gz` is compressed."""
    if path == "-":
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            # Whoever read has seen enough. Python would report it once more when it ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    if os.path.exists(path) and not os.path.isfile(path):
        # A device or a pipe cannot be replaced.
        if os.path.isdir(path):
            raise ExportError(f"`{path}`: it is a folder", "name a file")
        with open(path, "wb") as device:
            yield device
        return
    folder, name = os.path.split(os.path.realpath(path))
    unfinished = None
    try:
        handle, unfinished = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
        with os.fdopen(handle, "wb", buffering=1 << 20) as file:
            if name.endswith(".gz"):
                with gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6) as packed:
                    yield cast(BinaryIO, packed)
            else:
                yield file
            file.flush()
            os.fchmod(file.fileno(), mode_of(path))
        os.replace(unfinished, os.path.join(folder, name))
        unfinished = None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ExportError(f"`{path}` cannot be written: {reason}", "check that the folder exists, its owner and the room on the disk") from None
    finally:
        if unfinished is not None:
            os.unlink(unfinished)


def mode_of(path: str) -> int:
    """The mode of the file that is replaced; a new one is its owner's alone, since it may tell of people."""
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        return 0o600


class Progress:
    """A line on stderr that counts, where stderr is a terminal and the work takes longer than a moment."""

    def __init__(self, total: int, quiet: bool) -> None:
        self.total = total
        self.shown = not quiet and sys.stderr.isatty()
        self.started = time.monotonic()
        self.written = self.started

    def show(self, done: int) -> None:
        """So much is done."""
        now = time.monotonic()
        if not self.shown or now - self.written < 0.2 or now - self.started < 0.5:
            return
        self.written = now
        share = min(done / self.total, 1.0) if self.total else 1.0
        left = (now - self.started) * (1 - share) / share if share else 0.0
        bar = "█" * round(share * 40)
        sys.stderr.write(f"\r\033[K{bar:40} {share:4.0%}  {done:,} of {self.total:,} jobs, {duration(left)} left")
        sys.stderr.flush()

    def clear(self) -> None:
        """Takes the line away."""
        if self.shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def duration(seconds: float) -> str:
    """A time to wait."""
    whole = round(seconds)
    return f"{whole} s" if whole < 100 else f"{round(whole / 60)} min"
