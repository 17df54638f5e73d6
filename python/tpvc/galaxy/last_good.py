"""The texts of the rules that compiled last, for a start at which a local file does not compile."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from tpvc.galaxy.folder import write_whole

log = logging.getLogger(__name__)


class LastGood:
    """The file with the texts for a list of configs."""

    def __init__(self, folder: Path | None, referrer: str, configs: Sequence[str | dict[Any, Any]], tpv: str | None) -> None:
        self.path: Path | None = None
        if folder is not None:
            # An inline config counts as one: it changes with `job_conf.yml`, and so does its text.
            names = [config if isinstance(config, str) else "<inline config>" for config in configs]
            name = hashlib.sha256(json.dumps([referrer, names, tpv]).encode()).hexdigest()[:16]
            self.path = folder / f"rules-{name}.json"

    def keep(self, texts: str | None) -> None:
        """Writes the texts of rules that compiled, unless they are there. A failure is logged: the rules are in use nevertheless."""
        if self.path is None or texts is None:
            return
        data = f"{hashlib.sha256(texts.encode()).hexdigest()}\n{texts}\n"
        try:
            if not (self.path.is_file() and self.path.read_text(encoding="utf-8") == data):
                write_whole(self.path, data)
        except (OSError, ValueError) as error:
            log.warning(
                "The rules cannot be kept in %s: %s. If a file does not compile at the next start, no job can be mapped",
                self.path,
                error,
            )

    def texts(self) -> tuple[list[tuple[str, str]], str] | None:
        """The texts with their names, and when they were written; `None` if there are none, or if the file is damaged, which is logged."""
        if self.path is None:
            return None
        try:
            digest, _, data = self.path.read_text(encoding="utf-8").partition("\n")
            data = data.removesuffix("\n")
            if hashlib.sha256(data.encode()).hexdigest() != digest:
                raise ValueError("it is damaged")
            configs = [(str(config["name"]), str(config["text"])) for config in json.loads(data)["configs"]]
            written = datetime.fromtimestamp(self.path.stat().st_mtime, timezone.utc).isoformat(timespec="seconds")
            return configs, written
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("The kept rules in %s are ignored: %s", self.path, error)
            return None
