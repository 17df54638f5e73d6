"""What the tests of the package share."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

HAS_GALAXY = importlib.util.find_spec("galaxy") is not None and importlib.util.find_spec("galaxy.jobs") is not None

# These import Galaxy's own classes.
_NEED_GALAXY = [
    "test_config_lines.py",
    "test_decisions.py",
    "test_fork.py",
    "test_gateway.py",
    "test_helpers.py",
    "test_kept.py",
    "test_loading.py",
    "test_lock.py",
    "test_metrics.py",
    "test_replayed.py",
    "test_resource_pool.py",
    "test_shadow.py",
    "test_site_module.py",
    "test_steps.py",
    "test_time_limit.py",
    "test_urls.py",
    "test_why.py",
]
collect_ignore = [] if HAS_GALAXY else list(_NEED_GALAXY)


def pytest_report_header() -> list[str]:
    return [] if HAS_GALAXY else [f"no Galaxy in this environment: without {', '.join(_NEED_GALAXY)}"]


@pytest.fixture
def rules(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The rules of the test's module, as a file."""
    path = tmp_path / "tpv.yml"
    path.write_text(request.module.RULES)
    return path


@pytest.fixture
def gateway() -> Iterator[object]:
    """The gateway, without anything that it keeps before and after."""
    from tpvc.rules import gateway

    gateway.ACTIVE_DESTINATION_MAPPERS = {}
    yield gateway
    gateway.ACTIVE_DESTINATION_MAPPERS = {}
    for watcher in gateway.WATCHERS_BY_CONFIG_FILE.values():
        watcher.shutdown()
    gateway.WATCHERS_BY_CONFIG_FILE.clear()
    gateway.REFERRERS_BY_CONFIG_FILE.clear()
