"""The command `tpvc`: the command line of the static binary, in this Python, and the verbs that need Python."""

from __future__ import annotations

import sys

from tpvc import _native


def main() -> int:
    """Runs the command line of this process and gives its exit status."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["help"] and len(arguments) == 2:
        arguments = [arguments[1], "--help"]
    if arguments[:1] == ["export-jobs"]:
        from tpvc.export import main as export_jobs

        return export_jobs(arguments[1:])
    if arguments[:1] == ["shadow"]:
        from tpvc.galaxy.report import main as shadow

        return shadow(arguments[1:])
    if arguments[:1] == ["why"]:
        from tpvc.why import main as why

        return why(arguments[1:])
    return _native.main(["tpvc", *sys.argv[1:]])
