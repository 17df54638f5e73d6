"""The mappers in use, one for each referrer: made at the first job, made again when a file of theirs changes.

Rules are compiled aside and published by one assignment, so that a job sees the rules of before or those of after. A forked process
loads its own: the parent's locks, watchers and connections belong to threads that it does not have.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from galaxy.util import listify
from galaxy.util.watcher import get_watcher

from tpvc import CompileError
from tpvc._native import known_tpv
from tpvc.core.loader import TPVConfigLoader
from tpvc.core.mapper import EntityToDestinationMapper
from tpvc.galaxy.folder import folder_of
from tpvc.galaxy.kept import Kept

log = logging.getLogger(__name__)

# What `tpv_configs` and `tpv_config_files` take: paths, URLs and configs as dicts, one or a list.
Configs: TypeAlias = "str | dict[str, Any] | list[str] | list[str | dict[str, Any]]"

# Held while rules are loaded: they are compiled once however many jobs wait for them, and what was read last counts.
LOCK = threading.Lock()
# By the real path of each local file.
WATCHERS: dict[str, Any] = {}
REFERRERS: defaultdict[str, dict[str, Configs]] = defaultdict(dict)

_mappers: dict[str, EntityToDestinationMapper] = {}
# Where texts of URLs are kept, by the referrer's id.
_folders: dict[str, Path | None] = {}
# The version of TPV whose answers the rules give, by the referrer's id; `None` is the newest.
_versions: dict[str, str | None] = {}
# When URLs that were down are tried again, by the referrer's id: the time by `time.monotonic`, and the seconds to wait after that.
_retries: dict[str, tuple[float, float]] = {}

# Seconds before the first and between later tries to fetch URLs that were down.
FIRST_RETRY = 60.0
LONGEST_RETRY = 3600.0
# Seconds that a fork waits for rules that are being loaded. A URL may take longer; then the child does without waiting.
FORK_WAIT = 2.0


def mappers() -> dict[str, EntityToDestinationMapper]:
    """The mappers in use, by the referrer's id."""
    return _mappers


def mapper_for(
    current: dict[str, EntityToDestinationMapper], app: Any, referrer: str, configs: Configs, tpv: str | None = None
) -> EntityToDestinationMapper:
    """The mapper of a referrer, loaded where it is the first time, with the answers of a version of TPV. `current` holds the
    mappers from now on."""
    global _mappers
    if current is not _mappers:
        _mappers = current
    mapper = current.get(referrer)
    if mapper is None:
        with LOCK:
            mapper = current.get(referrer)
            if mapper is None:
                # Before the files are read, so that no change is lost between reading and watching.
                watch(app, referrer, configs)
                _folders[referrer] = folder_of(app)
                _versions[referrer] = tpv
                mapper = load_destination_mapper(configs, folder=_folders[referrer], tpv=tpv)
                _publish(referrer, mapper)
    retry = _retries.get(referrer)
    if retry is not None and time.monotonic() >= retry[0]:
        _try_urls_again(referrer, configs, retry[1])
    return mapper


def tpv_of(referrer: Any) -> str | None:
    """The version of TPV whose answers count: `tpvc_tpv` of the destination that leads here. `None` if it is not given.

    Raises `ValueError` if it is no version that tpvc knows.
    """
    given = referrer.params.get("tpvc_tpv") if referrer else None
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


def _publish(referrer: str, mapper: EntityToDestinationMapper) -> None:
    # Under the lock.
    _mappers[referrer] = mapper
    if mapper.loader.kept_since is not None:
        _retries.setdefault(referrer, (time.monotonic() + FIRST_RETRY, FIRST_RETRY))
    elif _retries.pop(referrer, None):
        log.info("The URLs of %s answer again: their rules are in use", referrer)


def load_destination_mapper(
    tpv_configs: Configs,
    reload: bool = False,
    resource_pool_store: Any = None,
    *,
    folder: Path | None = None,
    tpv: str | None = None,
) -> EntityToDestinationMapper:
    """Compiles configs to a mapper. `resource_pool_store` stands in the place of the store that they name. `folder` is where the
    texts of URLs are kept: if the configs do not load, they are compiled with the texts of before, and the log says so. `tpv` is
    the version of TPV whose answers the rules give."""
    log.info("%sloading tpv rules from: %s", "re" if reload else "", tpv_configs)
    loader = _load(listed(tpv_configs), folder, tpv)
    warnings = loader.rules.warnings
    if warnings:
        log.warning("%d findings in the tpv rules, which load nevertheless; `tpvc lint` shows them", len(warnings))
        for warning in warnings:
            log.debug("%s", warning)
    return EntityToDestinationMapper(loader, resource_pool_store=resource_pool_store)


# DIFFERENCE: with TPV every job fails while a URL is down that a handler has not read before.
def _load(configs: list[str | dict[str, Any]], folder: Path | None, tpv: str | None) -> TPVConfigLoader:
    kept = Kept(folder, configs)
    try:
        loader = TPVConfigLoader.from_configs(configs, tpv=tpv)
    except CompileError as error:
        texts = kept.texts()
        if texts is None:
            raise
        try:
            loader = TPVConfigLoader.from_configs(configs, texts.by_url, tpv=tpv)
        except CompileError:
            # The reason is not in what the URLs give now.
            raise error from None
        loader.kept_since = texts.fetched
        log.warning(
            "The tpv rules do not load; in use are the texts of %s as they were at %s, with the local files as they are now:\n%s",
            kept.shown(),
            texts.fetched,
            error.text,
        )
        return loader
    kept.keep(loader.rules.urls)
    return loader


def _try_urls_again(referrer: str, configs: Configs, waited: float) -> None:
    """Loads the rules again, in a thread of its own: jobs go on with those that are in use."""
    wait = min(2 * waited, LONGEST_RETRY)
    _retries[referrer] = (time.monotonic() + wait, wait)
    arguments = (referrer, configs, "The present text of the URLs")
    threading.Thread(target=_load_again, args=arguments, name="tpvc-urls", daemon=True).start()


def listed(configs: Configs) -> list[str | dict[str, Any]]:
    """The configs one by one, as Galaxy reads lists: a text may hold several, with commas between them."""
    return list(listify(configs))


def watch(app: Any, referrer: str, configs: Configs) -> None:
    """Has Galaxy watch every local file of the configs, if it is set to (`watch_job_rules`)."""
    for config in listed(configs):
        if not (isinstance(config, str) and os.path.isfile(config)):
            continue
        file = os.path.realpath(config)
        REFERRERS[file][referrer] = configs
        # Two watchers of one file would load it twice, and one watcher takes one file of a folder only.
        if file not in WATCHERS:
            log.info("Watching for changes in file: %s via referrer: %s", file, referrer)
            watcher = get_watcher(app.config, "watch_job_rules", monitor_what_str="job rules")
            watcher.watch_file(file, callback=_reloader(file))
            watcher.start()
            WATCHERS[file] = watcher


def _reloader(file: str) -> Callable[..., None]:
    # Galaxy calls it from the watcher's thread, which ends at an exception.
    def reload_destination_mapper(path: str | None = None) -> None:
        reload(file)

    return reload_destination_mapper


def reload(file: str) -> None:
    """Loads again what was loaded from a file. Where that fails, the rules of before stay in use."""
    for referrer, configs in list(REFERRERS[file].items()):
        _load_again(referrer, configs, f"The change of {file}")


def _load_again(referrer: str, configs: Configs, what: str) -> None:
    try:
        with LOCK:
            folder, tpv = _folders.get(referrer), _versions.get(referrer)
            _publish(referrer, load_destination_mapper(configs, reload=True, folder=folder, tpv=tpv))
    except CompileError as error:
        log.warning("%s is not used by %s, which goes on with the rules of before:\n%s", what, referrer, error.text)
    except Exception:
        log.warning("%s is not used by %s, which goes on with the rules of before", what, referrer, exc_info=True)


_fork = threading.local()
# A child never frees what its parent's threads may have been using.
_of_parent: list[object] = []


def _before_fork() -> None:
    # The native compiler has locks, too: none is held while nobody compiles.
    _fork.is_held = LOCK.acquire(timeout=FORK_WAIT)


def _after_fork_in_parent() -> None:
    if _fork.is_held:
        LOCK.release()


def _after_fork_in_child() -> None:
    # Of this thread, or of one that is gone.
    if LOCK.locked():
        LOCK.release()
    _of_parent.append((dict(_mappers), dict(WATCHERS)))
    for kept in (_mappers, WATCHERS, REFERRERS, _folders, _versions, _retries):
        kept.clear()


os.register_at_fork(
    before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child
)
