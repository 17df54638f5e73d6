"""The mappers in use, one for each referrer: made at the first job, made again when a file of theirs changes.

Rules are compiled aside and published by one assignment, so that a job sees the rules of before or those of after.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeAlias

from galaxy.util import listify
from galaxy.util.watcher import get_watcher

from tpvc import CompileError
from tpvc.core.loader import TPVConfigLoader
from tpvc.core.mapper import EntityToDestinationMapper

log = logging.getLogger(__name__)

# What `tpv_configs` and `tpv_config_files` take: paths, URLs and configs as dicts, one or a list.
Configs: TypeAlias = "str | dict[str, Any] | list[str] | list[str | dict[str, Any]]"

# Held while rules are loaded: they are compiled once however many jobs wait for them, and what was read last counts.
LOCK = threading.Lock()
# By the real path of each local file.
WATCHERS: dict[str, Any] = {}
REFERRERS: defaultdict[str, dict[str, Configs]] = defaultdict(dict)

_mappers: dict[str, EntityToDestinationMapper] = {}


def mappers() -> dict[str, EntityToDestinationMapper]:
    """The mappers in use, by the referrer's id."""
    return _mappers


def mapper_for(
    current: dict[str, EntityToDestinationMapper], app: Any, referrer: str, configs: Configs
) -> EntityToDestinationMapper:
    """The mapper of a referrer, loaded where it is the first time. `current` holds the mappers from now on."""
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
                mapper = load_destination_mapper(configs)
                current[referrer] = mapper
    return mapper


def load_destination_mapper(
    tpv_configs: Configs, reload: bool = False, resource_pool_store: Any = None
) -> EntityToDestinationMapper:
    """Compiles configs to a mapper. `resource_pool_store` stands in the place of the store that they name."""
    log.info("%sloading tpv rules from: %s", "re" if reload else "", tpv_configs)
    loader = TPVConfigLoader.from_configs(listed(tpv_configs))
    warnings = loader.rules.warnings
    if warnings:
        log.warning("%d findings in the tpv rules, which load nevertheless; `tpvc lint` shows them", len(warnings))
        for warning in warnings:
            log.debug("%s", warning)
    return EntityToDestinationMapper(loader, resource_pool_store=resource_pool_store)


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
        try:
            with LOCK:
                _mappers[referrer] = load_destination_mapper(configs, reload=True)
        except CompileError as error:
            log.warning(
                "The change of %s is not used by %s, which goes on with the rules of before:\n%s",
                file,
                referrer,
                error.text,
            )
        except Exception:
            log.warning(
                "The change of %s is not used by %s, which goes on with the rules of before",
                file,
                referrer,
                exc_info=True,
            )
