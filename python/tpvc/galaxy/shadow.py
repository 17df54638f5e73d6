"""Both engines on a job of Galaxy: TPV's answer counts, and tpvc's is compared with it.

TPV runs first and whatever it gives or raises leaves this module unchanged; no error of tpvc does. tpvc writes to no ledger of a
resource pool, and both draw the same numbers from `random`. All else that a rule does to the world outside happens twice.
"""

from __future__ import annotations

import copy
import importlib.metadata
import logging
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from tpvc._native import known_tpv
from tpvc.core.resource_pool import (
    AllocationStore,
    Budget,
    InMemoryAllocationStore,
    Ledger,
    PoolAdmission,
    ResourceUsage,
)
from tpvc.galaxy import active, compared
from tpvc.galaxy.options import Options, options_of
from tpvc.galaxy.tally import Tally

log = logging.getLogger("tpvc.shadow")

#: Seconds after rules that did not load before tpvc tries again, so that jobs do not wait for URLs.
RETRY = 60.0
#: Seconds within which both engines load changed rules again: a difference in between says nothing.
SETTLING = 10.0

WARNING = (
    "TPV maps the jobs, and tpvc maps each of them again to compare: what rules do to the world outside (files, requests, "
    "database writes) happens twice. `tpvc shadow` shows the counts in %s"
)


class Call(NamedTuple):
    """The arguments of a mapping."""

    app: Any
    job: Any
    tool: Any
    user: Any
    job_wrapper: Any
    resource_params: Any
    workflow_invocation_uuid: Any
    #: The destination of `job_conf.yml`: its name, itself, and its configs.
    referrer: str
    dispatcher: Any
    configs: Any


class _State:
    """The comparisons of one process."""

    def __init__(self, app: Any) -> None:
        self.process = os.getpid()
        self.tally = Tally(app)
        # By referrer: the mappers of both engines at the last job, and when one of them changed without the other.
        self.mappers: dict[str, tuple[Any, Any]] = {}
        self.changed: dict[str, float] = {}
        # By referrer: when tpvc could not load the rules.
        self.failed: dict[str, float] = {}
        # By referrer, with the version of the installed TPV where none is given.
        self.options: dict[str, Options] = {}


_state: _State | None = None


def map_twice(call: Call, map_with_tpv: Callable[[Any], Any]) -> Any:
    """Maps a job with TPV, then with tpvc. Gives or raises what TPV does."""
    try:
        from tpv.rules import gateway as tpv
    except ImportError as error:
        raise ImportError(
            "tpvc.shadow compares with TPV, which cannot be imported: install total-perspective-vortex, or write "
            "`rules_module: tpvc.rules`"
        ) from error
    # TPV writes into the dicts of inline configs, and into the parameters.
    call = call._replace(configs=_configs(call))
    resource_params = copy.copy(call.resource_params)
    seed = random.SystemRandom().getrandbits(63)
    random.seed(seed)
    is_loaded = call.referrer in tpv.ACTIVE_DESTINATION_MAPPERS
    started = time.perf_counter()

    def compare(destination: Any, error: Exception | None) -> None:
        seconds = time.perf_counter() - started if is_loaded else None
        _compare(call._replace(resource_params=resource_params), tpv, destination, error, seed, seconds)

    try:
        destination = map_with_tpv(tpv)
    except Exception as error:
        compare(None, error)
        raise
    compare(destination, None)
    return destination


#: By referrer: its list of configs, and the copy that was made before TPV loaded it.
_copies: dict[str, tuple[Any, Any]] = {}


def _configs(call: Call) -> Any:
    """The configs of a call as they were before TPV loaded them."""
    known = _copies.get(call.referrer)
    if known is None or known[0] is not call.configs:
        known = _copies[call.referrer] = (call.configs, _plain(call.configs))
    return known[1]


def _plain(value: Any) -> Any:
    """A copy of an inline config. TPV's own objects, which an earlier load left in it, are left out."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key != "evaluator" or isinstance(item, (str, dict))}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _compare(
    call: Call, tpv: Any, destination: Any, error: Exception | None, seed: int, seconds: float | None
) -> None:
    """Maps the job with tpvc and counts how its answer compares. Raises nothing. `seconds` are TPV's."""
    after = random.getstate()
    try:
        theirs = compared.failure(error) if error is not None else compared.answer(destination)
        random.seed(seed)
        _shadow(call, tpv, theirs, error, seed, seconds)
    except KeyboardInterrupt:
        raise
    except BaseException:
        # Also what Rust calls a panic, and `SystemExit`.
        log.warning("job %s was not compared", getattr(call.job, "id", None), exc_info=True)
        if _state is not None:
            _state.tally.failed(call.referrer)
    finally:
        random.setstate(after)


def _shadow(
    call: Call, tpv: Any, theirs: dict[str, Any], error: Exception | None, seed: int, seconds: float | None
) -> None:
    state = _state_of(call.app)
    mapper = _mapper(state, call, error)
    if mapper is None:
        return
    tpv_mapper = tpv.ACTIVE_DESTINATION_MAPPERS.get(call.referrer)
    if mapper.resource_pools is not None:
        mapper.resource_pools.store = UnwrittenStore(getattr(getattr(tpv_mapper, "resource_pools", None), "store", None))
    is_settled = _is_settled(state, call.referrer, (tpv_mapper, mapper))
    started = time.perf_counter()
    try:
        with _undone(call.app):
            mine = compared.answer(
                mapper.map_to_destination(
                    call.app,
                    call.tool,
                    call.user,
                    call.job,
                    call.job_wrapper,
                    call.resource_params,
                    call.workflow_invocation_uuid,
                    seed=seed,
                )
            )
    except KeyboardInterrupt:
        raise
    except BaseException as raised:
        mine = compared.failure(raised)
    times = None if seconds is None else (seconds, time.perf_counter() - started)
    found = compared.differences(theirs, mine)
    job, tool = getattr(call.job, "id", None), getattr(call.tool, "id", None)
    if not found:
        state.tally.equal(call.referrer, job, times)
    elif is_settled:
        state.tally.different(call.referrer, job, tool, found, times)
    else:
        state.tally.unsettled()


def _state_of(app: Any) -> _State:
    global _state
    if _state is None or _state.process != os.getpid():
        _state = _State(app)
        log.warning(WARNING, _state.tally.path or "memory: the app has no data_dir")
    return _state


def _mapper(state: _State, call: Call, error: Exception | None) -> Any:
    """tpvc's mapper; `None` if the rules do not load, which is counted."""
    if not call.configs:
        return None
    failed = state.failed.get(call.referrer)
    if failed is not None and time.monotonic() - failed < RETRY:
        if error is None:
            state.tally.unloaded(call.referrer, None)
        return None
    try:
        mapper = active.mapper_for(active.mappers(), call.app, call.referrer, call.configs, lambda: _options(state, call))
    except Exception as raised:
        state.failed[call.referrer] = time.monotonic()
        if not compared.fails_alike(error, raised):
            state.tally.unloaded(call.referrer, raised)
        return None
    state.failed.pop(call.referrer, None)
    return mapper


def _options(state: _State, call: Call) -> Options:
    found = state.options.get(call.referrer)
    if found is None:
        found = options_of(call.app, call.dispatcher)
        found = state.options[call.referrer] = replace(found, tpv=found.tpv or _installed_tpv())
    return found


def _installed_tpv() -> str | None:
    """The version of TPV that is installed, if tpvc knows its answers; the log tells."""
    try:
        installed = importlib.metadata.version("total-perspective-vortex")
    except importlib.metadata.PackageNotFoundError:
        installed = ""
    known = known_tpv(installed)
    if known is not None:
        version, differs = known
        log.info("TPV %s is installed: tpvc gives the answers of TPV %s", installed, version)
        if differs is not None:
            log.warning(differs)
        return version
    log.warning(
        "TPV %s is installed, whose answers tpvc does not know: it gives those of the newest TPV that it knows. "
        "`tpvc_tpv` in job_conf.yml sets another",
        installed or "of an unknown version",
    )
    return None


def _is_settled(state: _State, referrer: str, mappers: tuple[Any, Any]) -> bool:
    """Returns `true` unless one engine loaded rules again in these seconds and the other may still have those of before."""
    before = state.mappers.get(referrer)
    state.mappers[referrer] = mappers
    moment = time.monotonic()
    if before is not None and (before[0] is mappers[0]) != (before[1] is mappers[1]):
        state.changed[referrer] = moment
    return moment - state.changed.get(referrer, -SETTLING) >= SETTLING


class UnwrittenStore(AllocationStore):
    """The ledgers of another store, to which nothing is written: admissions are decided on copies."""

    def __init__(self, store: Any) -> None:
        self.store = store

    def read(self, pool: str, user_id: int) -> Ledger:
        """The ledger of the other store."""
        return {} if self.store is None else dict(self.store.read(pool, user_id))

    def admit_many(self, user_id: int, job_id: int, admissions: list[PoolAdmission]) -> bool:
        """Decides as the other store would. The job's own entry, which TPV has just written, does not count."""
        copies = InMemoryAllocationStore()
        for pool in {admission.pool for admission in admissions}:
            for held_by, (usage, kind) in self.read(pool, user_id).items():
                if held_by != job_id:
                    held = PoolAdmission(pool, ResourceUsage(*usage), kind, Budget(), 2**31, False, set())
                    copies.admit_many(user_id, held_by, [held])
        return copies.admit_many(user_id, job_id, admissions)


@contextmanager
def _undone(app: Any) -> Iterator[None]:
    """Keeps what the block does to Galaxy's transaction from reaching it: PostgreSQL refuses every statement after one that failed.

    SQLite goes on after such a statement, and a savepoint there would hold its lock.
    """
    session = getattr(getattr(app, "model", None), "session", None)
    session = session() if callable(session) else session
    savepoint = None
    try:
        if session is not None and session.in_transaction() and session.get_bind().dialect.name == "postgresql":
            savepoint = session.connection().begin_nested()
    except Exception:
        log.debug("no savepoint", exc_info=True)
    try:
        yield
    finally:
        if savepoint is not None:
            try:
                savepoint.rollback()
            except Exception:
                # The rule ended the transaction itself.
                log.debug("the savepoint is gone", exc_info=True)
