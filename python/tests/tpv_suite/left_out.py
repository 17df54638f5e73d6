"""Which of TPV's tests are not for tpvc, and why. A test that is not listed has to pass."""

from __future__ import annotations

_NETWORK = "fetches from github, which the machine may not reach; set TPV_SUITE_NETWORK=1 to run it"

# By the beginning of the name; the first that fits counts.
LEFT_OUT = {
    "tests/test_dump.py": "tests `tpv dump`; tpvc has a command of its own, with tests of its own",
    "tests/test_shell.py": "tests the texts of the command `tpv`; tpvc has one of its own, with tests of its own",
}


def reason(test: str) -> str | None:
    """Why a test is left out, or nothing."""
    return next((why for beginning, why in LEFT_OUT.items() if test.startswith(beginning)), None)
