"""Resource pools under the names of TPV's `tpv.core.resource_pool`: the stores of allocations, and which jobs have ended.

The native stores keep TPV's keys and values, so that TPV and tpvc can admit jobs to the same pools at the same time. A store of
one's own derives from `AllocationStore`.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, NamedTuple

from tpvc import _native
from tpvc._native import StoreUnavailable

__all__ = [
    "NORMAL",
    "OVERSIZE",
    "TERMINAL_JOB_STATES",
    "AllocationStore",
    "Budget",
    "InMemoryAllocationStore",
    "PoolAdmission",
    "ResourcePoolManager",
    "ResourceUsage",
    "StoreConfig",
    "StoreUnavailable",
    "ValkeyAllocationStore",
    "terminal_job_ids",
]

# The states in which a job of Galaxy holds nothing any more.
TERMINAL_JOB_STATES = (
    "ok",
    "error",
    "failed",
    "deleted",
    "deleting",
    "stopped",
    "stopping",
    "paused",
    "skipped",
)

NORMAL = "normal"
OVERSIZE = "oversize"

_KEY_PREFIX = "tpv:pool"


class ResourceUsage(NamedTuple):
    """What a job asks for or holds; memory in GiB."""

    cores: float = 0.0
    mem: float = 0.0
    gpus: float = 0.0


class Budget(NamedTuple):
    """The most that a user's jobs may hold at once; `None` is without limit."""

    cores: float | None = None
    mem: float | None = None
    gpus: float | None = None


class PoolAdmission(NamedTuple):
    """A job's request to one pool."""

    pool: str
    req: ResourceUsage
    kind: str
    budget: Budget
    max_oversize: int
    reserve_pool: bool
    # Jobs that have ended, and leave the ledger first.
    drop_job_ids: set[int]


Ledger = dict[int, tuple[ResourceUsage, str]]


class AllocationStore(ABC):
    """Keeps, for each pool and user, what the admitted jobs hold."""

    @abstractmethod
    def read(self, pool: str, user_id: int) -> Ledger:
        """What each admitted job of a user holds of a pool, and as what."""

    @abstractmethod
    def admit_many(self, user_id: int, job_id: int, admissions: list[PoolAdmission]) -> bool:
        """Admits a job to all pools or to none, as one step.

        Finished jobs and an earlier entry of the job leave every ledger first, even where the job is not admitted. Raises
        `StoreUnavailable` where the store cannot tell.
        """

    def admit(
        self,
        pool: str,
        user_id: int,
        job_id: int,
        req: ResourceUsage,
        *,
        kind: str,
        budget: Budget,
        max_oversize: int,
        reserve_pool: bool,
        drop_job_ids: set[int],
    ) -> bool:
        """Admits a job to one pool."""
        admission = PoolAdmission(pool, req, kind, budget, max_oversize, reserve_pool, drop_job_ids)
        return self.admit_many(user_id, job_id, [admission])


def _ledger(entries: dict[int, tuple[tuple[float, float, float], str]]) -> Ledger:
    return {job_id: (ResourceUsage(*usage), kind) for job_id, (usage, kind) in entries.items()}


class InMemoryAllocationStore(AllocationStore):
    """A store in this process, for tests and servers with one handler."""

    def __init__(self, key_prefix: str = _KEY_PREFIX, **_ignored: Any) -> None:
        self.key_prefix = key_prefix
        self._native = _native.PoolStore.memory()

    def read(self, pool: str, user_id: int) -> Ledger:
        return _ledger(self._native.read(pool, user_id))

    def admit_many(self, user_id: int, job_id: int, admissions: list[PoolAdmission]) -> bool:
        return self._native.admit_many(user_id, job_id, admissions)


class ValkeyAllocationStore(AllocationStore):
    """A store in Valkey or Redis.

    The native store serves it. With a `client` of one's own (of the package `redis`), or with options that only that package
    has, the client does.
    """

    def __init__(
        self,
        url: str = "valkey://localhost:6379/0",
        key_prefix: str = _KEY_PREFIX,
        ttl: int = 0,
        client: Any = None,
        **client_options: Any,
    ) -> None:
        self.key_prefix = key_prefix
        self._native: _native.PoolStore | None = None
        if client is None:
            try:
                self._native = _native.PoolStore.valkey(url=url, key_prefix=key_prefix, ttl=ttl, **client_options)
                return
            except TypeError as error:
                try:
                    import redis
                except ImportError:
                    raise StoreUnavailable(f"{error}, and the package `redis` is not installed") from error
                for alias, scheme in (("valkey://", "redis://"), ("valkeys://", "rediss://")):
                    if url.startswith(alias):
                        url = scheme + url.removeprefix(alias)
                client = redis.from_url(url, decode_responses=True, **client_options)
        else:
            # It refuses a time to live.
            _native.PoolStore.valkey(ttl=ttl)
        self.client = client
        self._admit = client.register_script(_native.ADMIT_SCRIPT)

    def _key(self, pool: str, user_id: int) -> str:
        return f"{self.key_prefix}:{pool}:user:{{{user_id}}}"

    def read(self, pool: str, user_id: int) -> Ledger:
        if self._native is not None:
            return _ledger(self._native.read(pool, user_id))
        ledger = {}
        for job_id, entry in self._asked(lambda: self.client.hgetall(self._key(pool, user_id))).items():
            cores, mem, gpus, kind = entry.split("|")
            ledger[int(job_id)] = (ResourceUsage(float(cores), float(mem), float(gpus)), kind)
        return ledger

    def admit_many(self, user_id: int, job_id: int, admissions: list[PoolAdmission]) -> bool:
        if self._native is not None:
            return self._native.admit_many(user_id, job_id, admissions)
        if not admissions:
            return True
        args: list[Any] = [job_id]
        for one in admissions:
            budget = [-1 if most is None else most for most in one.budget]
            policy = [one.max_oversize, int(one.reserve_pool), len(one.drop_job_ids)]
            args += [one.kind, *one.req, *budget, *policy, *one.drop_job_ids]
        keys = [self._key(one.pool, user_id) for one in admissions]
        return bool(self._asked(lambda: self._admit(keys=keys, args=args)))

    def _asked(self, ask: Any) -> Any:
        import redis

        try:
            return ask()
        except redis.RedisError as error:
            raise StoreUnavailable(str(error)) from error


class StoreConfig:
    """What a config says under `global.resource_pool_store`."""

    def __init__(self, store_class: str = "tpv.core.resource_pool.ValkeyAllocationStore", **options: Any) -> None:
        self.store_class = store_class
        self.options = options

    @staticmethod
    def model_validate(data: dict[str, Any]) -> StoreConfig:
        """The config that a mapping of YAML says."""
        options = dict(data)
        store_class = options.pop("class", None)
        return StoreConfig(**options) if store_class is None else StoreConfig(store_class, **options)

    def build_store(self) -> AllocationStore:
        """The store. TPV's own classes are tpvc's, whether or not TPV is installed."""
        module, _, name = self.store_class.rpartition(".")
        if not module:
            raise ValueError(f"Not a dotted class path: {self.store_class!r}")
        found = globals() if module == "tpv.core.resource_pool" else vars(importlib.import_module(module))
        if name not in found:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        store: AllocationStore = found[name](**self.options)
        return store


class ResourcePoolManager(AllocationStore):
    """What a mapper asks: the store that is in use at the moment."""

    def __init__(self, store: AllocationStore) -> None:
        self.store = store

    def read(self, pool: str, user_id: int) -> Ledger:
        return self.store.read(pool, user_id)

    def admit_many(self, user_id: int, job_id: int, admissions: list[PoolAdmission]) -> bool:
        return self.store.admit_many(user_id, job_id, admissions)


def terminal_job_ids(sa_session: Any, job_ids: Iterable[int]) -> set[int]:
    """Those of the jobs that have ended, as Galaxy's job table says. A job that the table does not have is not among them."""
    ids = list(job_ids)
    if not ids:
        return set()
    from galaxy import model

    columns = model.Job.table.c
    rows = sa_session.query(model.Job.id).filter(columns.id.in_(ids)).filter(columns.state.in_(TERMINAL_JOB_STATES))
    return {row[0] for row in rows}
