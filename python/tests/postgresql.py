"""A PostgreSQL server for tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def initdb() -> str | None:
    """The path of `initdb`; `None` if PostgreSQL is not installed."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return shutil.which("initdb") or (str(programs[-1]) if programs else None)


@contextmanager
def postgresql(program: str, folder: Path) -> Iterator[str]:
    """A server of its own in a folder, at the URL that is given; it listens on a socket there."""
    # PostgreSQL refuses to run as root.
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)
        for parent in [folder.parent, folder.parent.parent]:
            parent.chmod(parent.stat().st_mode | 0o011)

    def run(name: str, *arguments: str) -> None:
        command = [str(Path(program).resolve().with_name(name)), *arguments]
        done = subprocess.run(command, user=user, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stdout + done.stderr

    run("initdb", "-D", "data", "-U", "galaxy", "-A", "trust", "-E", "UTF8", "--no-sync")
    run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", f"-k {folder} -c listen_addresses='' -c fsync=off", "start")
    try:
        yield f"postgresql://galaxy@/postgres?host={folder}"
    finally:
        run("pg_ctl", "-D", "data", "-m", "immediate", "stop")
