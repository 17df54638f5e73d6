"""The options of a dispatcher: what stands beside `tpv_config_files` in `job_conf.yml`."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tpvc._native import known_tpv
from tpvc.galaxy.folder import folder_of

log = logging.getLogger(__name__)

#: Seconds that a URL may take.
URL_TIMEOUT = 5.0


@dataclass(frozen=True)
class Options:
    """How the rules of a dispatcher are loaded."""

    #: The version of TPV whose answers the rules give; `None` is the newest.
    tpv: str | None = None
    #: The folder for what is kept between starts; `None` if there is none.
    folder: Path | None = None
    #: Seconds that a URL may take.
    url_timeout: float = URL_TIMEOUT
    #: `True` if rules that do not compile at a start are an error, whatever compiled before.
    strict_start: bool = False
    #: The lock of the texts of URLs; `None` if they are fetched.
    lock: Path | None = None


def options_of(app: Any, referrer: Any) -> Options:
    """The options of the destination that leads here. Raises `ValueError` for a value that is none."""
    params = referrer.params if referrer else {}
    state, lock = params.get("tpvc_state_dir"), params.get("tpvc_lock")
    return Options(
        tpv=_tpv(params.get("tpvc_tpv")),
        folder=Path(str(state)) if state else folder_of(app),
        url_timeout=seconds("tpvc_url_timeout", params.get("tpvc_url_timeout")) or URL_TIMEOUT,
        strict_start=str(params.get("tpvc_strict_start", False)).lower() in ("true", "yes", "on", "1"),
        lock=Path(str(lock)) if lock else None,
    )


def seconds(name: str, given: Any) -> float | None:
    """A number of seconds; `None` if it is not given."""
    if given is None:
        return None
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = 0
    if not 0 < value < float("inf"):
        raise ValueError(f"`{name}` is a number of seconds above 0, not {given!r}")
    return value


def _tpv(given: Any) -> str | None:
    if given is None:
        return None
    # YAML without quotes gives a number.
    known = known_tpv(str(given))
    if known is None:
        raise ValueError(f"`tpvc_tpv` is a version of TPV whose answers tpvc gives, such as '3.2', not {given!r}")
    version, differs = known
    if differs is not None:
        log.warning(differs)
    return version
