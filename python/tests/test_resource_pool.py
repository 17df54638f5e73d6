"""Resource pools: the stores, and jobs of Galaxy that are admitted by a store of Python and by Galaxy's own job table."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from galaxy.jobs.mapper import JobMappingException, JobNotReadyException

import tpvc
from galaxy_objects import app, job, tool, user
from tpvc.core.resource_pool import (
    NORMAL,
    OVERSIZE,
    AllocationStore,
    Budget,
    InMemoryAllocationStore,
    PoolAdmission,
    ResourceUsage,
    StoreConfig,
    StoreUnavailable,
    ValkeyAllocationStore,
    terminal_job_ids,
)
from tpvc.galaxy.active import load_destination_mapper
from tpvc.inline import yaml_text

SERVER = shutil.which("valkey-server") or shutil.which("redis-server")


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a server of its own."""
    if SERVER is None:
        pytest.skip("neither valkey-server nor redis-server is on the path")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
    options = [
        "--port",
        str(number),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--dir",
        str(tmp_path_factory.mktemp("valkey")),
    ]
    server = subprocess.Popen([SERVER, *options], stdout=subprocess.DEVNULL)
    for _ in range(500):
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", number)) == 0:
                break
        time.sleep(0.02)
    yield number
    server.kill()
    server.wait()


@pytest.fixture(params=["memory", "valkey", "client"])
def store(request: pytest.FixtureRequest) -> AllocationStore:
    if request.param == "memory":
        return InMemoryAllocationStore()
    port = request.getfixturevalue("port")
    # Each test has keys of its own.
    prefix = f"{request.node.name}:pool"
    if request.param == "valkey":
        return ValkeyAllocationStore(url=f"valkey://127.0.0.1:{port}/0", key_prefix=prefix)
    redis = pytest.importorskip("redis")
    return ValkeyAllocationStore(client=redis.Redis(port=port, decode_responses=True), key_prefix=prefix)


def admission(pool: str, cores: float, most: float | None, kind: str = NORMAL, **other: Any) -> PoolAdmission:
    values: dict[str, Any] = {"max_oversize": 1, "reserve_pool": False, "drop_job_ids": set(), **other}
    return PoolAdmission(pool, ResourceUsage(cores, 1.5, 0), kind, Budget(cores=most), **values)


def test_stores_admit_to_all_pools_or_to_none(store: AllocationStore) -> None:
    assert store.admit_many(1, 2**53 + 1, [admission("a", 3, 4), admission("b", 3, None)])
    assert not store.admit_many(1, 2, [admission("a", 3, 4), admission("b", 3, None)])
    assert store.read("b", 1) == {2**53 + 1: (ResourceUsage(3.0, 1.5, 0.0), NORMAL)}
    assert store.read("b", 2) == {}
    assert store.admit_many(1, 2, [admission("a", 3, 4, drop_job_ids={2**53 + 1})])
    assert set(store.read("a", 1)) == {2}
    assert store.admit(
        "a",
        1,
        3,
        ResourceUsage(9),
        kind=OVERSIZE,
        budget=Budget(4),
        max_oversize=1,
        reserve_pool=False,
        drop_job_ids=set(),
    )
    assert not store.admit_many(1, 4, [admission("a", 9, 4, OVERSIZE)])
    assert {kind for _, kind in store.read("a", 1).values()} == {NORMAL, OVERSIZE}
    assert store.admit_many(1, 4, [])


def test_stores_that_are_away_say_so() -> None:
    away = ValkeyAllocationStore(url="redis://127.0.0.1:1/0")
    with pytest.raises(StoreUnavailable):
        away.read("a", 1)
    with pytest.raises(StoreUnavailable):
        away.admit_many(1, 1, [admission("a", 1, 1)])


def test_options_that_cannot_be() -> None:
    for ttl in (-1, 3600):
        with pytest.raises(ValueError, match="cannot expire"):
            ValkeyAllocationStore(ttl=ttl)
    with pytest.raises(ValueError, match="must begin with"):
        ValkeyAllocationStore(url="http://localhost")
    with pytest.raises(ValueError, match="Not a dotted class path: 'Store'"):
        StoreConfig("Store").build_store()


def config(**pool: Any) -> dict[str, Any]:
    return {
        "global": {"resource_pool_store": {"class": "tpv.core.resource_pool.InMemoryAllocationStore"}},
        "pools": {"default": {"max_concurrent_cores": 8, **pool}},
        "tools": {"bwa": {"cores": 5}, "small": {"cores": 3}, "big": {"cores": 9}},
        "users": {"ada@vortex.org": {"max_concurrent_cores": 100}},
        "destinations": {"local": {"runner": "local"}},
    }


class Jobs:
    """What stands for Galaxy's session: it knows which jobs have ended."""

    def __init__(self, *ended: int) -> None:
        self.ended = ended


@pytest.fixture(autouse=True)
def job_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(session: Any, ids: Any) -> set[int]:
        return set(ids) & set(session.ended) if isinstance(session, Jobs) else terminal_job_ids(session, ids)

    monkeypatch.setattr("tpvc.core.resource_pool.terminal_job_ids", ended)


def app_with(session: Any) -> Any:
    galaxy = app()
    galaxy.model = SimpleNamespace(context=session)
    return galaxy


def mapped(mapper: Any, name: str, number: int, who: Any = None, session: Any = None) -> str:
    one = job()
    one.id = number
    destination = mapper.map_to_destination(app_with(session or Jobs()), tool(name), who or user(), one)
    return str(destination.id)


def test_jobs_wait_for_room() -> None:
    mapper = load_destination_mapper(config())
    assert mapped(mapper, "bwa", 1) == "local"
    with pytest.raises(JobNotReadyException):
        mapped(mapper, "bwa", 2)
    # Galaxy may ask twice for one job.
    assert mapped(mapper, "bwa", 1) == "local"
    assert mapped(mapper, "small", 3) == "local"
    assert mapped(mapper, "bwa", 2, session=Jobs(1)) == "local"
    assert set(mapper.resource_pools.store.read("default", 7)) == {2, 3}
    with pytest.raises(
        JobMappingException, match="cores=9.0, mem=0.0, gpus=0.0, which exceeds your 'default' resource"
    ):
        mapped(mapper, "big", 4)
    assert mapped(mapper, "big", 4, who=user("ada@vortex.org")) == "local"
    anonymous = job()
    assert mapper.map_to_destination(app(), tool("big"), None, anonymous).id == "local"


def test_the_job_table_of_galaxy_tells_which_jobs_have_ended() -> None:
    from galaxy import model
    from galaxy.model import mapping

    session = mapping.init("/tmp", "sqlite:///:memory:", create_tables=True).context
    numbers = {}
    for state in ("ok", "running", "paused", "resubmitted"):
        stored = model.Job()
        stored.state = state
        session.add(stored)
        session.commit()
        numbers[state] = stored.id
    assert terminal_job_ids(session, []) == set()
    assert terminal_job_ids(session, [*numbers.values(), 99]) == {numbers["ok"], numbers["paused"]}
    mapper = load_destination_mapper(config())
    assert mapped(mapper, "bwa", numbers["running"], session=session) == "local"
    with pytest.raises(JobNotReadyException):
        mapped(mapper, "bwa", 50, session=session)
    mapper = load_destination_mapper(config())
    assert mapped(mapper, "bwa", numbers["ok"], session=session) == "local"
    assert mapped(mapper, "bwa", 50, session=session) == "local"
    assert set(mapper.resource_pools.store.read("default", 7)) == {50}


class Store(AllocationStore):
    """A site's own store."""

    def __init__(self, error: Exception | None = None, **options: Any) -> None:
        self.error = error
        self.options = options
        self.asked: list[Any] = []

    def read(self, pool: str, user_id: int) -> dict[int, tuple[ResourceUsage, str]]:
        if self.error is not None:
            raise self.error
        return {5: (ResourceUsage(1, 2, 0), NORMAL)}

    def admit_many(self, user_id: int, job_id: int, admissions: list[PoolAdmission]) -> bool:
        self.asked.append((user_id, job_id, admissions))
        return True


def test_a_store_of_python_is_asked() -> None:
    store = Store()
    mapper = load_destination_mapper(config(), resource_pool_store=store)
    assert mapped(mapper, "bwa", 11, session=Jobs(5)) == "local"
    [(user_id, job_id, [one])] = store.asked
    assert (user_id, job_id) == (7, 11)
    assert one == PoolAdmission("default", ResourceUsage(5, 0, 0), NORMAL, Budget(8), 0, False, {5})
    assert isinstance(one, PoolAdmission) and isinstance(one.req, ResourceUsage)


def test_pools_fail_closed_or_open() -> None:
    away = Store(StoreUnavailable("the switch is broken"))
    with pytest.raises(JobNotReadyException):
        mapped(load_destination_mapper(config(), resource_pool_store=away), "bwa", 1)
    assert mapped(load_destination_mapper(config(fail_open=True), resource_pool_store=away), "bwa", 1) == "local"
    error = RuntimeError("a fault of the store's own")
    with pytest.raises(RuntimeError) as caught:
        mapped(load_destination_mapper(config(fail_open=True), resource_pool_store=Store(error)), "bwa", 1)
    assert caught.value is error
    # Another store may take the place of the one that is in use.
    mapper = load_destination_mapper(config())
    assert mapped(mapper, "bwa", 1) == "local"
    mapper.resource_pools.store = away
    with pytest.raises(JobNotReadyException):
        mapped(mapper, "bwa", 1)


def test_a_config_names_a_store(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    module = ModuleType("site_pools")
    vars(module)["Store"] = Store
    monkeypatch.setitem(sys.modules, "site_pools", module)
    own = config()
    own["global"]["resource_pool_store"] = {"class": "site_pools.Store", "servers": ["a", 1, 2.5, None, {"b": True}]}
    store = load_destination_mapper(own).resource_pools.store
    assert isinstance(store, Store)
    assert store.options == {"servers": ["a", 1, 2.5, None, {"b": True}]}
    own["global"]["resource_pool_store"] = {"url": f"valkey://127.0.0.1:{port}", "key_prefix": "named:pool"}
    mapper = load_destination_mapper(own)
    assert mapped(mapper, "bwa", 1) == "local"
    again = load_destination_mapper(own)
    with pytest.raises(JobNotReadyException):
        mapped(again, "bwa", 2)
    own["global"]["resource_pool_store"]["url"] = "valkey://127.0.0.1:1"
    with pytest.raises(JobNotReadyException):
        mapped(load_destination_mapper(own), "bwa", 3)


def test_job_files_never_touch_the_configured_store(tmp_path: Path) -> None:
    own = config()
    own["global"]["resource_pool_store"] = {"url": "valkey://127.0.0.1:1"}
    path = tmp_path / "tpv.yml"
    path.write_text(yaml_text(own))
    mapper = tpvc.Mapper(tpvc.compile([str(path)]))
    line = {"tool": {"id": "bwa"}, "user": {"id": 1, "email": "a@vortex.org"}, "job": {"id": 1}}
    assert mapper.map(line)["destination"]["id"] == "local"
    line["job"] = {"id": 2}
    assert mapper.map(line, detail=True)["error"]["type"] == "JobNotReadyException"
    assert mapper.map(line, {"jobs": [{"id": 1, "state": "ok"}]})["destination"]["id"] == "local"
