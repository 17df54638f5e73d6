"""Jobs that are mapped from a database, exported and replayed give the answers of the log."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def test_a_history_is_replayed() -> None:
    case = HERE.parent.parent / "fixtures" / "production"
    command = [sys.executable, "-W", "ignore", str(HERE / "replayed.py"), str(case), "--jobs", "40"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " of 40 jobs replayed give the same answer" in done.stdout, done.stdout
