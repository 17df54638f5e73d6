"""The mappers in use, one for each referrer: made at the first job, made again when a file of theirs changes.

Each referrer has a lock and a pause of its own, and `unreachable` remembers URLs that failed: one that hangs costs the jobs of others nothing. Rules are
compiled aside and published by one assignment, so that a job sees the rules of before or those of after. A forked process loads its own: the parent's locks, watchers and connections belong to threads that it does not have.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from galaxy.util import listify
from galaxy.util.watcher import get_watcher

from tpvc import CompileError
from tpvc._native import Lock, shown_url
from tpvc.core.loader import TPVConfigLoader
from tpvc.core.mapper import EntityToDestinationMapper
from tpvc.galaxy import metrics, unreachable
from tpvc.galaxy.kept import Kept
from tpvc.galaxy.last_good import LastGood
from tpvc.galaxy.options import Options

log = logging.getLogger(__name__)

# What `tpv_configs` and `tpv_config_files` take: paths, URLs and configs as dicts, one or a list.
Configs: TypeAlias = "str | dict[str, Any] | list[str] | list[str | dict[str, Any]]"

# Held while the tables below change.
LOCK = threading.Lock()
# By the referrer's id. Held while its rules are loaded: they are compiled once however many jobs wait for them, and what was read last counts.
_locks: dict[str, threading.Lock] = {}
# By the real path of each local file.
WATCHERS: dict[str, Any] = {}
REFERRERS: defaultdict[str, dict[str, Configs]] = defaultdict(dict)

_mappers: dict[str, EntityToDestinationMapper] = {}
# By the referrer's id.
_options: dict[str, Options] = {}
# By the referrer's id: the configs that failed to load, the time by `time.monotonic` until which they are not loaded again, because a URL may
# hang, and the error.
_failures: dict[str, tuple[Configs, float, Exception]] = {}
# The time by `time.monotonic` of the last report of the age of kept texts, by the referrer's id.
_reported: dict[str, float] = {}
# When URLs that were down are tried again, by the referrer's id: the time by `time.monotonic`, and the seconds to wait after that.
_retries: dict[str, tuple[float, float]] = {}

# Seconds between two reports of the age of kept texts.
AGE_PAUSE = 30.0
# Findings that say nothing about rules inside Galaxy, where CPython runs what native code lacks, and Galaxy answers: T112, T130, T131.
_OF_OTHER_PLACES = ("T112", "T130", "T131")
# The most findings that the warning of a load names.
NAMED = 3
# Seconds before the first and between later tries to fetch URLs that were down.
FIRST_RETRY = 60.0
LONGEST_RETRY = 3600.0
# Seconds that a fork waits for rules that are being loaded. A URL may take longer; then the child does without waiting.
FORK_WAIT = 2.0


def mappers() -> dict[str, EntityToDestinationMapper]:
    """The mappers in use, by the referrer's id."""
    return _mappers


def lock_of(referrer: str) -> threading.Lock:
    """The lock under which the rules of a referrer are loaded."""
    return _locks.setdefault(referrer, threading.Lock())


def mapper_for(
    current: dict[str, EntityToDestinationMapper],
    app: Any,
    referrer: str,
    configs: Configs,
    options: Callable[[], Options] = Options,
) -> EntityToDestinationMapper:
    """The mapper of a referrer, loaded where it is the first time, with the options that are asked for then. `current` holds the mappers from
    now on."""
    global _mappers
    if current is not _mappers:
        _mappers = current
        _failures.clear()
        unreachable.forget()
    mapper = current.get(referrer)
    if mapper is None:
        with lock_of(referrer):
            mapper = current.get(referrer)
            if mapper is None:
                mapper = _first(app, referrer, configs, options())
    retry = _retries.get(referrer)
    if retry is not None:
        now = time.monotonic()
        if now >= retry[0]:
            _try_again(referrer, configs, retry[1])
        if now - _reported.get(referrer, now - AGE_PAUSE) >= AGE_PAUSE:
            _report_age(referrer, mapper)
    return mapper


def _first(app: Any, referrer: str, configs: Configs, options: Options) -> EntityToDestinationMapper:
    # Under the referrer's lock.
    failure = _failures.get(referrer)
    if failure is not None and failure[0] == configs and time.monotonic() < failure[1]:
        raise failure[2].with_traceback(None)
    # Before the files are read, so that no change is lost between reading and watching.
    watch(app, referrer, configs, options.lock)
    _options[referrer] = options
    try:
        mapper = _load_mapper(referrer, configs, options, is_start=True)
    except Exception as raised:
        if unreachable.urls_of(listed(configs)):
            _failures[referrer] = (configs, time.monotonic() + unreachable.PAUSE, raised)
        raise
    _publish(referrer, mapper)
    return mapper


def _publish(referrer: str, mapper: EntityToDestinationMapper) -> None:
    # Under the referrer's lock.
    before = _mappers.get(referrer)
    with LOCK:
        _mappers[referrer] = mapper
    sender = metrics.current()
    if sender is not None and before is not None and before.loader.rules.digest != mapper.loader.rules.digest:
        sender.count_of("rules_changed", referrer)
    if mapper.loader.kept_since is not None or referrer in _retries:
        _report_age(referrer, mapper)
    _failures.pop(referrer, None)
    if mapper.loader.kept_since is not None:
        _retries.setdefault(referrer, (time.monotonic() + FIRST_RETRY, FIRST_RETRY))
    elif _retries.pop(referrer, None):
        log.info("The configs of %s load again: their rules are in use", referrer)


def _report_age(referrer: str, mapper: EntityToDestinationMapper) -> None:
    sender, since = metrics.current(), mapper.loader.kept_since
    if sender is not None:
        age = 0.0 if since is None else time.time() - datetime.fromisoformat(since).timestamp()
        sender.kept_age(referrer, max(age, 0.0))
    _reported[referrer] = time.monotonic()


def load_destination_mapper(
    tpv_configs: Configs, reload: bool = False, resource_pool_store: Any = None, *, tpv: str | None = None
) -> EntityToDestinationMapper:
    """Compiles configs to a mapper. `resource_pool_store` stands in the place of the store that they name. `tpv` is the version of TPV whose
    answers the rules give."""
    return _made(_compiled(tpv_configs, Options(tpv=tpv), reload), resource_pool_store)


def _load_mapper(
    referrer: str, configs: Configs, options: Options, reload: bool = False, is_start: bool = False
) -> EntityToDestinationMapper:
    """As `load_destination_mapper`, with the texts of before where configs do not load, which the log says."""
    return _made(_compiled_or_kept(referrer, configs, options, reload, is_start))


def _compiled(configs: Configs, options: Options, reload: bool, lock: Lock | None = None) -> TPVConfigLoader:
    names = listed(configs)
    log.info("%sloading tpv rules from: %s", "re" if reload else "", [shown(config) for config in names])
    loader = TPVConfigLoader.from_configs(names, tpv=options.tpv, url_timeout=options.url_timeout, lock=lock)
    unreachable.refuse_pages(loader.rules.urls)
    return loader


def _made(loader: TPVConfigLoader, resource_pool_store: Any = None) -> EntityToDestinationMapper:
    findings = [finding for finding in loader.rules.warnings if finding.code not in _OF_OTHER_PLACES]
    if findings:
        named = "\n".join(f"  {finding}" for finding in findings[:NAMED])
        more = f"\n  and {len(findings) - NAMED} more" if len(findings) > NAMED else ""
        number = "1 finding" if len(findings) == 1 else f"{len(findings)} findings"
        log.warning("%s in the tpv rules, which load nevertheless (`tpvc lint`):\n%s%s", number, named, more)
        for finding in findings[NAMED:]:
            log.debug("%s", finding)
    return EntityToDestinationMapper(loader, resource_pool_store=resource_pool_store)


# DIFFERENCE: with TPV every job fails while a URL is down, or a file does not compile, that a handler has not read before.
def _compiled_or_kept(
    referrer: str, configs: Configs, options: Options, reload: bool, is_start: bool
) -> TPVConfigLoader:
    names = listed(configs)
    last = LastGood(options.folder, referrer, names, options.tpv)
    # The URLs that are fetched: locked texts need no other copy, and no pause.
    urls = unreachable.urls_of(names)
    lock, kept, known = None, Kept(None, ()), None
    try:
        if options.lock is not None:
            lock = Lock(options.lock)
            urls = [url for url in urls if not lock.has(url)]
            if urls:
                log.info("Not in %s, and fetched as ever: %s", options.lock, ", ".join(map(shown_url, urls)))
        kept = Kept(options.folder, urls)
        known = unreachable.known_failure(urls)
        if known is not None:
            raise known
        loader = _compiled(configs, options, reload, lock)
    except CompileError as error:
        if known is None:
            _count_failed(referrer, unreachable.note(urls, error))
        found = _with_kept_urls(names, kept, options, lock, error)
        if isinstance(found, CompileError):
            # If no URL was asked this time, this error has the news.
            error, found = found if known is not None else error, None
        if found is None and is_start and not options.strict_start:
            found = _with_last_good(last, names, options, error)
        if found is None:
            # The reason is not in what the URLs give now.
            raise error from None
        return found
    kept.keep(loader.rules.urls)
    last.keep(loader.rules.texts())
    return loader


def _count_failed(referrer: str, urls: int) -> None:
    sender = metrics.current()
    if sender is not None and urls:
        sender.count_of("fetch_failed", referrer, urls)


def _with_kept_urls(
    configs: list[str | dict[str, Any]], kept: Kept, options: Options, lock: Lock | None, error: CompileError
) -> TPVConfigLoader | CompileError | None:
    texts = kept.texts()
    if texts is None:
        return None
    try:
        loader = TPVConfigLoader.from_configs(configs, texts.by_url, tpv=options.tpv, url_timeout=options.url_timeout, lock=lock)
    except CompileError as other:
        return other
    loader.kept_since = texts.fetched
    log.warning(
        "The tpv rules do not load; in use are the texts of %s as they were at %s, with the local files as they are now:\n%s",
        kept.shown(),
        texts.fetched,
        error.text,
    )
    return loader


def _with_last_good(
    last: LastGood, configs: list[str | dict[str, Any]], options: Options, error: CompileError
) -> TPVConfigLoader | None:
    found = last.texts()
    if found is None:
        return None
    texts, written = found
    try:
        loader = TPVConfigLoader.from_texts(texts, configs, tpv=options.tpv)
    except CompileError:
        return None
    loader.kept_since = written
    log.warning(
        "The tpv rules do not load; in use are all of them as they were when they compiled last, at %s. Jobs are mapped by these until the "
        "files compile (`tpvc_strict_start: true` makes this an error):\n%s",
        written,
        error.text,
    )
    return loader


def _try_again(referrer: str, configs: Configs, waited: float) -> None:
    """Loads the rules again, in a thread of its own: jobs go on with those that are in use."""
    wait = min(2 * waited, LONGEST_RETRY)
    _retries[referrer] = (time.monotonic() + wait, wait)
    arguments = (referrer, configs, "The present text of the configs")
    threading.Thread(target=_load_again, args=arguments, name="tpvc-urls", daemon=True).start()


def listed(configs: Configs) -> list[str | dict[str, Any]]:
    """The configs one by one, as Galaxy reads lists: a text may hold several, with commas between them."""
    return list(listify(configs))


def shown(config: str | dict[str, Any]) -> str:
    """A config for the log: a URL without its secrets."""
    return shown_url(config) if isinstance(config, str) else "<inline config>"


def watch(app: Any, referrer: str, configs: Configs, lock: Path | None = None) -> None:
    """Has Galaxy watch every local file of the configs, and their lock, if it is set to (`watch_job_rules`)."""
    for config in [*listed(configs), *([str(lock)] if lock is not None else ())]:
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
        with lock_of(referrer):
            is_start = referrer not in _mappers or _mappers[referrer].loader.kept_since is not None
            options = _options.get(referrer, Options())
            _publish(referrer, _load_mapper(referrer, configs, options, reload=True, is_start=is_start))
    except CompileError as error:
        log.warning("%s is not used by %s, which goes on with the rules of before:\n%s", what, referrer, error.text)
    except Exception:
        log.warning("%s is not used by %s, which goes on with the rules of before", what, referrer, exc_info=True)


_fork = threading.local()
# A child never frees what its parent's threads may have been using.
_of_parent: list[object] = []


def _before_fork() -> None:
    # The native compiler has locks, too: none is held while nobody compiles.
    end = time.monotonic() + FORK_WAIT
    locks = [*list(_locks.values()), LOCK]
    _fork.held = [lock for lock in locks if lock.acquire(timeout=max(end - time.monotonic(), 0.0))]


def _after_fork_in_parent() -> None:
    for lock in _fork.held:
        lock.release()


def _after_fork_in_child() -> None:
    # Of this thread, or of one that is gone.
    if LOCK.locked():
        LOCK.release()
    _of_parent.append((dict(_mappers), dict(WATCHERS)))
    for kept in (_mappers, WATCHERS, REFERRERS, _locks, _options, _failures, _retries, _reported):
        kept.clear()
    unreachable.forget()


os.register_at_fork(
    before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child
)
