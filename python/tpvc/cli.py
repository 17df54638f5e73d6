"""The command `tpvc`: the command line of the static binary, in this Python."""

from __future__ import annotations

import sys

from tpvc import _native


def main() -> int:
    """Runs the command line of this process and gives its exit status."""
    return _native.main(["tpvc", *sys.argv[1:]])
