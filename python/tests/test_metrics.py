"""Metrics through Galaxy's own statsd client, to a UDP socket in the place of a server."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from galaxy.jobs.mapper import JobMappingException, JobNotReadyException
from galaxy.web.statsd_client import VanillaGalaxyStatsdClient

import galaxy_objects as objects
import tpvc
from test_gateway import RULES  # noqa: F401 -- the fixture `rules` writes them
from tpvc.galaxy import active, decisions, metrics, unreachable

pytest.importorskip("statsd")


class Statsd:
    """A server that keeps what it gets."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.setblocking(False)

    def app(self, influxdb: bool = False) -> Any:
        """An app with Galaxy's client for this server."""
        app = objects.app()
        # `statsd_prefix` of a Galaxy that sends tags ends in a comma, which its client takes off; statsd puts a dot in its place.
        client = VanillaGalaxyStatsdClient("127.0.0.1", self.socket.getsockname()[1], "galaxy", influxdb)
        app.execution_timer_factory = SimpleNamespace(galaxy_statsd_client=client)
        return app

    def got(self) -> list[str]:
        """The metrics since the last call, with `N` in the place of milliseconds and seconds."""
        found = []
        while True:
            try:
                found += self.socket.recv(65536).decode().splitlines()
            except BlockingIOError:
                return [re.sub(r":[0-9.]+\|(ms|g)", r":N|\1", text).replace("galaxy.,", "galaxy,") for text in found]


@pytest.fixture
def statsd() -> Iterator[Statsd]:
    server = Statsd()
    decisions._logs.clear()
    decisions._by_option.clear()
    decisions.ATTEMPTS.forget()
    active._retries.clear()
    unreachable.forget()
    yield server
    server.socket.close()
    metrics._current = None
    active._retries.clear()
    unreachable.forget()


@pytest.fixture
def mapped(gateway: Any, rules: Path) -> Callable[..., Any]:
    def call(app: Any, tool: str = "bwa", size: float = 1, configs: Any = None, job: Any = None, **params: Any) -> Any:
        return gateway.map_tool_to_destination(
            app,
            job or objects.job(objects.dataset(size)),
            objects.tool(tool),
            objects.user(),
            referrer=SimpleNamespace(id="tpv_dispatcher", params=params),
            tpv_config_files=configs or [str(rules)],
        )

    return call


def test_a_mapping_is_one_packet(statsd: Statsd, mapped: Any) -> None:
    mapped(statsd.app())
    assert statsd.socket.recv(65536).count(b"\n") == 1
    with pytest.raises(BlockingIOError):
        statsd.socket.recv(65536)


def test_destinations_are_in_the_path(statsd: Statsd, mapped: Any) -> None:
    app = statsd.app()
    mapped(app)
    assert statsd.got() == ["galaxy.tpvc.mapped.local:1|c", "galaxy.tpvc.milliseconds.local:N|ms"]
    job = objects.job(objects.dataset(20))
    for _ in range(4):
        # As often as Galaxy asks.
        with pytest.raises(JobMappingException):
            mapped(app, job=job)
    with pytest.raises(JobNotReadyException):
        mapped(app, "waits")
    assert statsd.got() == ["galaxy.tpvc.failed.JobMappingException:1|c", "galaxy.tpvc.not_ready:1|c"]


def test_destinations_are_tags(statsd: Statsd, mapped: Any, rules: Path) -> None:
    app = statsd.app(influxdb=True)
    mapped(app)
    tags = "galaxy,destination=local,tier=native,dispatcher=tpv_dispatcher,path="
    assert statsd.got() == [f"{tags}tpvc.mapped.local:1|c", f"{tags}tpvc.milliseconds.local:N|ms"]
    # Characters that mean something to statsd or InfluxDB.
    rules.write_text(RULES.replace("  local:\n", "  'a b.c:d|e,f=g':\n").replace("cores: 2", "cores: |\n      import heapq\n      2"))
    active.reload(str(rules.resolve()))
    mapped(app)
    tags = "galaxy,destination=a_b_c_d_e_f_g,tier=mixed,dispatcher=tpv_dispatcher,path="
    assert statsd.got() == [
        "galaxy,dispatcher=tpv_dispatcher,path=tpvc.rules_changed:1|c",
        f"{tags}tpvc.mapped.a_b_c_d_e_f_g:1|c",
        f"{tags}tpvc.milliseconds.a_b_c_d_e_f_g:N|ms",
    ]
    with pytest.raises(JobMappingException):
        mapped(app, size=20)
    assert statsd.got() == ["galaxy,dispatcher=tpv_dispatcher,type=JobMappingException,path=tpvc.failed.JobMappingException:1|c"]


def test_urls_that_fail_and_kept_texts(statsd: Statsd, mapped: Any, rules: Path, tmp_path: Path, gateway: Any) -> None:
    app = statsd.app()
    app.config.data_dir = str(tmp_path / "database")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        url = f"http://127.0.0.1:{probe.getsockname()[1]}/tools.yml"
    for _ in range(3):
        with pytest.raises(tpvc.CompileError):
            mapped(app, configs=[url, str(rules)])
    # The URL is asked once.
    assert sorted(statsd.got()) == ["galaxy.tpvc.failed.CompileError:1|c"] * 3 + ["galaxy.tpvc.fetch_failed:1|c"]
    assert mapped(app).id == "local"
    statsd.got()
    rules.write_text("tools: [")
    gateway.ACTIVE_DESTINATION_MAPPERS = {}
    assert mapped(app).id == "local"
    assert statsd.got()[0] == "galaxy.tpvc.kept_age.tpv_dispatcher:N|g"
    rules.write_text(RULES)
    active.reload(str(rules.resolve()))
    assert statsd.got() == ["galaxy.tpvc.kept_age.tpv_dispatcher:N|g"]


def test_lines_of_the_log_that_are_dropped(statsd: Statsd, mapped: Any, tmp_path: Path) -> None:
    mapped(statsd.app(), tpvc_decision_log=str(tmp_path / "missing" / "log"))
    assert "galaxy.tpvc.dropped:1|c" in statsd.got()


def test_a_client_that_raises_is_counted(statsd: Statsd, mapped: Any, caplog: pytest.LogCaptureFixture) -> None:
    app = statsd.app()

    def fails(*_: Any, **__: Any) -> None:
        raise OSError("no buffer space")

    client = SimpleNamespace(incr=fails, timing=fails, gauge=fails)
    app.execution_timer_factory.galaxy_statsd_client = client
    caplog.set_level(logging.WARNING, logger="tpvc.galaxy.metrics")
    for _ in range(3):
        assert mapped(app).id == "local"
    sender = metrics.of(app)
    assert sender is not None and sender.lost == 6
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["Galaxy's statsd client fails"]


def test_paths_are_bounded(statsd: Statsd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MOST", 10)
    sender = metrics.of(statsd.app())
    assert sender is not None
    for number in range(100):
        sender.mapped("d", "native", f"destination {number}", 1.0)
    assert len(sender._paths) <= 10


def test_an_app_without_a_client_sends_nothing(mapped: Any) -> None:
    for factory in (None, SimpleNamespace(galaxy_statsd_client=None)):
        app = objects.app()
        app.execution_timer_factory = factory
        assert mapped(app).id == "local" and metrics.current() is None
