"""Metrics through Galaxy's own statsd client: `statsd_host` in galaxy.yml sets it up.

A destination is a tag and a part of the path, because Galaxy drops tags without `statsd_influxdb`. Errors of the client are counted and ignored.
"""

from __future__ import annotations

import logging
import re
import time
from typing import Any, NamedTuple

log = logging.getLogger(__name__)

#: The seconds between two warnings about a client that fails.
PAUSE = 3600.0
#: The most paths that are kept: rules compute names of destinations.
MOST = 1000

#: The most characters of a number of milliseconds.
NUMBER = 32

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


class Paths(NamedTuple):
    """The paths of a job that was mapped."""

    mapped: str
    milliseconds: str
    tags: dict[str, str]
    #: The packet with both, up to the milliseconds. It is kept, because building it for each job would take as long as sending it. `None` if the client sends each.
    packet: str | None


class Metrics:
    """The metrics of a process."""

    def __init__(self, client: Any) -> None:
        self.client = client
        #: The number of metrics that the client failed to send.
        self.lost = 0
        self._warned: float | None = None
        # The client of the package `statsd`; `None` if Galaxy's client is another.
        self._statsd: Any = client.statsd_client if _is_known(client) else None
        self._paths: dict[tuple[str, str, str], Paths] = {}

    def mapped(self, dispatcher: str, tier: str, destination: str, ms: float) -> None:
        """Counts a job that got a destination."""
        try:
            paths = self._paths_of(dispatcher, destination, tier)
            if paths.packet is None:
                self.count(paths.mapped, tags=paths.tags)
                self.client.timing(paths.milliseconds, ms, paths.tags)
            else:
                self._statsd._send(f"{paths.packet}{ms:.6f}|ms")
        except Exception as error:
            self._failed(error)

    def failed(self, dispatcher: str, kind: str) -> None:
        """Counts an attempt that ended in an exception of this class."""
        self.count(f"tpvc.failed.{part(kind)}", tags={"dispatcher": part(dispatcher), "type": part(kind)})

    def count(self, path: str, n: int = 1, tags: dict[str, str] | None = None) -> None:
        """Adds to a counter."""
        try:
            self.client.incr(path, n, tags)
        except Exception as error:
            self._failed(error)

    def count_of(self, name: str, dispatcher: str, n: int = 1) -> None:
        """Adds to a counter of a dispatcher, such as `rules_changed`."""
        self.count(f"tpvc.{name}", n, {"dispatcher": part(dispatcher)})

    def kept_age(self, dispatcher: str, seconds: float) -> None:
        """Sets the age of the kept texts by which a dispatcher maps; 0 if it maps by the present ones."""
        try:
            self.client.gauge(f"tpvc.kept_age.{part(dispatcher)}", round(seconds), {"dispatcher": part(dispatcher)})
        except Exception as error:
            self._failed(error)

    def _paths_of(self, dispatcher: str, destination: str, tier: str) -> Paths:
        key = (dispatcher, destination, tier)
        found = self._paths.get(key)
        if found is None:
            if len(self._paths) >= MOST:
                self._paths = {}
            tags = {"destination": part(destination), "tier": tier, "dispatcher": part(dispatcher)}
            mapped, milliseconds = (f"tpvc.{name}.{tags['destination']}" for name in ("mapped", "milliseconds"))
            packet = None if self._statsd is None else self._packet(mapped, milliseconds, tags)
            found = self._paths[key] = Paths(mapped, milliseconds, tags, packet)
        return found

    def _packet(self, mapped: str, milliseconds: str, tags: dict[str, str]) -> str | None:
        # As Galaxy's client and that of `statsd` write it.
        mapped, milliseconds = (self.client._effective_infix(path, tags) + path for path in (mapped, milliseconds))
        packet = "\n".join((self._statsd._prepare(mapped, "1|c", 1), self._statsd._prepare(milliseconds, "", 1)))
        return packet if len(packet) + NUMBER <= self._statsd._maxudpsize else None

    def _failed(self, error: Exception) -> None:
        self.lost += 1
        now = time.monotonic()
        if self._warned is None or now - self._warned >= PAUSE:
            self._warned = now
            log.warning("Galaxy's statsd client fails: %s. Metrics of tpvc lost so far: %d; jobs are mapped nevertheless", error, self.lost)


def _is_known(client: Any) -> bool:
    """`True` if Galaxy's client only adds tags to the paths that it gives to one of the package `statsd`."""
    try:
        from galaxy.web.statsd_client import VanillaGalaxyStatsdClient
    except ImportError:
        return False
    of_statsd = (hasattr(client.statsd_client, name) for name in ("_send", "_prepare", "_maxudpsize"))
    return type(client) is VanillaGalaxyStatsdClient and hasattr(client, "_effective_infix") and all(of_statsd)


def part(name: str) -> str:
    """A name as a part of a path and the value of a tag, in which statsd and InfluxDB give other characters a meaning."""
    return _UNSAFE.sub("_", name) or "_"


# Of the app of this process.
_current: Metrics | None = None


def of(app: Any) -> Metrics | None:
    """The metrics of an app; `None` if it sends none."""
    global _current
    client = getattr(getattr(app, "execution_timer_factory", None), "galaxy_statsd_client", None)
    if client is None:
        _current = None
    elif _current is None or _current.client is not client:
        _current = Metrics(client)
    return _current


def current() -> Metrics | None:
    """The metrics of the app that mapped last, for threads that map no job."""
    return _current
