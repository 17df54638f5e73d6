"""The texts of the URLs with which rules last compiled, kept in Galaxy's data folder for a start at which a URL is down.

Texts are kept rather than artifacts: local files and inline configs count as they are now, and any version of tpvc compiles them.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from tpvc._native import shown_url
from tpvc.galaxy.folder import write_whole

log = logging.getLogger(__name__)

#: The form of the file; files of another form are ignored.
FORMAT = 1


@dataclass(frozen=True)
class Texts:
    """The texts of the URLs of a list of configs, which compiled together."""

    by_url: dict[str, str]
    #: The time at which they were fetched, in UTC.
    fetched: str


class Kept:
    """The file with the texts for a list of URLs."""

    def __init__(self, folder: Path | None, urls: Sequence[str]) -> None:
        self.path: Path | None = None
        if folder is not None and urls:
            name = hashlib.sha256(json.dumps(list(urls)).encode()).hexdigest()[:16]
            self.path = folder / f"urls-{name}.json"
        self.urls = list(urls)

    def keep(self, fetched: Iterable[tuple[str, str]]) -> None:
        """Writes the texts of the URLs among those that were read, whole or not at all. A failure is logged: the rules are in use nevertheless."""
        if self.path is None:
            return
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        data = json.dumps({"format": FORMAT, "fetched": now, "urls": {url: text for url, text in fetched if url in self.urls}})
        try:
            write_whole(self.path, f"{_digest(data)}\n{data}\n")
        except OSError as error:
            log.warning(
                "The texts of %s cannot be kept in %s: %s. If a URL is down at the next start, no job can be mapped",
                self.shown(),
                self.path,
                error,
            )

    def shown(self) -> str:
        """The URLs for the log, without names and passwords."""
        return ", ".join(map(shown_url, self.urls))

    def texts(self) -> Texts | None:
        """The texts that were kept; `None` if there are none, or if the file is damaged, which is logged."""
        if self.path is None:
            return None
        try:
            digest, _, data = self.path.read_text(encoding="utf-8").partition("\n")
            data = data.removesuffix("\n")
            if digest != _digest(data):
                raise ValueError("it is damaged")
            record = json.loads(data)
            if record["format"] != FORMAT or set(record["urls"]) != set(self.urls):
                raise ValueError("another version of tpvc wrote it")
            return Texts(record["urls"], record["fetched"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("The kept texts of URLs in %s are ignored: %s", self.path, error)
            return None


def _digest(data: str) -> str:
    return hashlib.sha256(data.encode()).hexdigest()
