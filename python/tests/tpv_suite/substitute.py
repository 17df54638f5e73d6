"""A plugin of pytest: TPV's tests find tpvc under TPV's names.

It is what TPV's `conftest.py`, which is not in the source distribution, is to the tests as well: celery's fixtures, the option
`--runslow`, and an end for the watchers of each test.
"""

from __future__ import annotations

import importlib
import logging
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import left_out

pytest_plugins = ("celery.contrib.pytest",)

IS_REFERENCE = bool(os.environ.get("TPV_SUITE_REFERENCE"))
# Only the gateway is replaced, as `rules_module` in `job_conf.yml` does: all other names stay TPV's.
ONLY_GATEWAY = bool(os.environ.get("TPV_SUITE_ONLY_GATEWAY"))

# What takes the place of TPV's module of the same name; `tpv.commands` stays, which has the mock classes of Galaxy.
MODULES = (
    "core.entities",
    "core.explain",
    "core.helpers",
    "core.loader",
    "core.mapper",
    "core.resource_pool",
    "core.resource_requirements",
    "core.util",
    "rules.gateway",
)

_left_out: Counter[str] = Counter()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--runslow", action="store_true", help="run the tests that start a server")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: starts a server")
    if IS_REFERENCE:
        return
    for name in ("rules.gateway",) if ONLY_GATEWAY else MODULES:
        module = importlib.import_module(f"tpvc.{name}")
        package = importlib.import_module(f"tpv.{name.rpartition('.')[0]}")
        sys.modules[f"tpv.{name}"] = module
        setattr(package, name.rpartition(".")[2], module)
    # The tests look for messages under the names of TPV's loggers.
    loggers = logging.Logger.manager.loggerDict
    for name in MODULES:
        loggers[f"tpv.{name}"] = logging.getLogger(f"tpvc.{name}")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    # What tests TPV's insides may not even import.
    reason = None if IS_REFERENCE else left_out.reason(f"tests/{collection_path.name}")
    if reason is None or collection_path.suffix != ".py":
        return None
    _left_out[reason] += len(re.findall(r"(?m)^\s*def test_", collection_path.read_text()))
    return True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept, dropped = [], []
    for item in items:
        reason = None
        if "slow" in item.keywords and not config.getoption("--runslow"):
            reason = "starts a server: run with --runslow"
        elif not IS_REFERENCE:
            reason = left_out.reason(item.nodeid)
        if reason is None:
            kept.append(item)
        else:
            dropped.append(item)
            _left_out[reason] += 1
    items[:] = kept
    config.hook.pytest_deselected(items=dropped)


@pytest.fixture(scope="session")
def celery_includes() -> list[str]:
    return ["galaxy.celery.tasks"]


@pytest.fixture(autouse=True)
def end_of_watchers() -> Iterator[None]:
    yield
    gateway: Any = importlib.import_module("tpv.rules.gateway")
    for watcher in gateway.WATCHERS_BY_CONFIG_FILE.values():
        watcher.shutdown()
    gateway.WATCHERS_BY_CONFIG_FILE.clear()
    gateway.REFERRERS_BY_CONFIG_FILE.clear()
    gateway.ACTIVE_DESTINATION_MAPPERS.clear()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    stats = {name: len(terminalreporter.stats.get(name, [])) for name in ("passed", "failed", "error")}
    terminalreporter.section("TPV's own tests" + (", of TPV" if IS_REFERENCE else " with tpvc in the place of TPV"))
    failed = stats["failed"] + stats["error"]
    terminalreporter.line(f"passed {stats['passed']}, failed {failed}, left out {sum(_left_out.values())}")
    for reason, count in _left_out.most_common():
        terminalreporter.line(f"  left out {count:>3}: {reason}")
