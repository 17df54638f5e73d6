"""tpvc's own folder inside Galaxy's data folder (`data_dir` in galaxy.yml)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any


def folder_of(app: Any) -> Path | None:
    """The folder for what tpvc keeps between starts; `None` if the app has no data folder. It need not exist yet."""
    data_dir = getattr(getattr(app, "config", None), "data_dir", None)
    return Path(data_dir) / "tpvc" if isinstance(data_dir, (str, os.PathLike)) and os.fspath(data_dir) else None


def write_whole(path: Path, text: str) -> None:
    """Writes a file that its owner alone can read, whole or not at all, and makes its folder.

    Raises `OSError`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
