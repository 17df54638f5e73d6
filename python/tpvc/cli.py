"""The command `tpvc`: the command line of the static binary, in this Python, and `export-jobs`, which needs Python."""

from __future__ import annotations

import sys

from tpvc import _native


def main() -> int:
    """Runs the command line of this process and gives its exit status."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["export-jobs"]:
        from tpvc.export import main as export_jobs

        return export_jobs(arguments[1:])
    if arguments == ["help", "export-jobs"]:
        from tpvc.export import main as export_jobs

        return export_jobs(["--help"])
    return _native.main(["tpvc", *arguments])
