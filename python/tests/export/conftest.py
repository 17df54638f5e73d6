"""A database of Galaxy's own model for the tests of `tpvc export-jobs`. `EXPORT_SEED` repeats a run."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


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
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = shutil.which("initdb") or (str(programs[-1]) if programs else None)
    if initdb is None:
        pytest.skip("PostgreSQL is not installed")
    folder = tmp_path_factory.mktemp("pg")
    # PostgreSQL refuses to run as root.
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)
        for parent in [folder.parent, folder.parent.parent]:
            parent.chmod(parent.stat().st_mode | 0o011)

    def run(program: str, *arguments: str) -> None:
        command = [str(Path(initdb).resolve().with_name(program)), *arguments]
        done = subprocess.run(command, user=user, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stdout + done.stderr

    run("initdb", "-D", "data", "-U", "galaxy", "-A", "trust", "-E", "UTF8", "--no-sync")
    run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", f"-k {folder} -c listen_addresses='' -c fsync=off", "start")
    try:
        yield f"postgresql://galaxy@/postgres?host={folder}"
    finally:
        run("pg_ctl", "-D", "data", "-m", "immediate", "stop")
