"""A database of Galaxy's own model for the tests of `tpvc export-jobs`. `EXPORT_SEED` repeats a run."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from postgresql import initdb  # noqa: E402
from postgresql import postgresql as running  # noqa: E402


@pytest.fixture(scope="session")
def seed() -> int:
    """Printed, so that a failure can be repeated."""
    seed = int(os.environ.get("EXPORT_SEED") or random.randrange(10**6))
    print(f"EXPORT_SEED={seed}")
    return seed


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL server of its own, at the URL; it listens on a socket in a temporary folder."""
    pytest.importorskip("psycopg2")
    program = initdb()
    if program is None:
        pytest.skip("PostgreSQL is not installed")
    with running(program, tmp_path_factory.mktemp("pg")) as url:
        yield url
