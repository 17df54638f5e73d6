#!/usr/bin/env python3
"""Writes what the real `tpv lint` finds in groups of config files, as JSON on stdout.

    record_lint.py [--mypy] GROUP...

A group is one config file, or several joined by commas, which are merged in that order. Run it with the Python of a
virtualenv that has total-perspective-vortex and Galaxy. T103 (mypy) is left out unless asked for, since it takes seconds
a group. `tests/analysis/lint.rs` compares what tpvc finds.
"""

import json
import logging
import sys

from tpv.commands import mypychecker
from tpv.commands.linter import TPVConfigLinter, TPVLintError


def lint(files):
    linter = TPVConfigLinter.from_url_or_path(files)
    try:
        linter.load_config()
    except TPVLintError as error:
        cause = error.__cause__
        return {"load_error": type(cause).__name__, "message": str(cause)}
    status = 0
    try:
        linter.lint()
    except TPVLintError:
        status = 1
    return {"status": status, "errors": linter.errors, "warnings": [list(warning) for warning in linter.warnings]}


def main(args):
    logging.disable(logging.CRITICAL)
    if "--mypy" in args:
        args.remove("--mypy")
    else:
        mypychecker.type_check_code = lambda *_: (0, [], "")
    json.dump({group: lint(group.split(",")) for group in args}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
