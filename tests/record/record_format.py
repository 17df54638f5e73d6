#!/usr/bin/env python3
"""Records what the real `tpv format` prints for the cases in tests/format, for tests/analysis/format.rs.

    record_format.py

Run it with the Python of a virtualenv that has total-perspective-vortex. Beside each `*.yml` it writes a `*.formatted`;
those in `refused` must be refused by TPV. The command runs in this process, once for each case, as its start takes long.
"""

import contextlib
import io
import pathlib
import sys
import types
import warnings

from tpv.commands.shell import tpv_format_config_file

CASES = pathlib.Path(__file__).parent.parent / "format"


def tpv_format(path):
    """Returns the exit status and the output of `tpv format PATH`."""
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    with warnings.catch_warnings(), contextlib.redirect_stdout(output):
        warnings.simplefilter("ignore")
        status = tpv_format_config_file(types.SimpleNamespace(config=str(path)))
    output.flush()
    return status, output.buffer.getvalue()


def main():
    failures = 0
    for path in sorted(CASES.glob("*.yml")):
        status, output = tpv_format(path)
        if status:
            print(f"{path}: TPV refuses it", file=sys.stderr)
            failures += 1
        else:
            path.with_suffix(".formatted").write_bytes(output)
    for path in sorted(CASES.glob("refused/*.yml")):
        if not tpv_format(path)[0]:
            print(f"{path}: TPV does not refuse it", file=sys.stderr)
            failures += 1
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
