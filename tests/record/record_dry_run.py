"""Records what `tpv dry-run` prints for the command lines below into tests/dry_run/recorded.json.

Run it in a virtualenv with total-perspective-vortex[cli]==3.3.0, from the folder of the project:

    python tests/record/record_dry_run.py
"""

import io
import itertools
import json
import logging
import os
from pathlib import Path

from ruamel.yaml import YAML
from tpv.commands import shell
from tpv.commands.dryrunner import TPVDryRunner
from tpv.commands.test import mock_galaxy

TOOLS = ["bwa_mem", "toolshed.g2.bx.psu.edu/repos/nml/spades/spades/3.15", "interactive_tool", "broken", "other", None]
WHO = [[], ["--user", "ada@example.org"], ["--roles", "training-2026"], ["--user", "bob@x.net", "--roles", "a", "trainings"]]
MORE = [
    [],
    ["--input-size", "5"],
    ["--input-size", "20", "--job-state", "resubmitted"],
    ["--input-size", "200", "--history-tags", "workshop", "x"],
]


def run(arguments):
    mock_galaxy.Dataset.counter = itertools.count()
    mock_galaxy.Job._next_id = 1
    args = shell.create_parser().parse_args(["dry-run", "--job-conf", "job_conf.yml", *arguments])
    runner = TPVDryRunner.from_params(
        user_email=args.user, tool_id=args.tool, job_conf=args.job_conf, tpv_confs=args.config, roles=args.roles,
        history_tags=args.history_tags, input_size=args.input_size, job_state=args.job_state,
    )
    try:
        destination, _ = runner.run()
    except Exception as error:
        message = getattr(error, "failure_message", None) or str(error)
        return {"args": arguments, "error": f"{type(error).__name__}: {message}"}
    text = io.StringIO()
    YAML(typ="unsafe", pure=True).dump(destination, text)
    return {"args": arguments, "stdout": text.getvalue()}


def main():
    logging.disable(logging.CRITICAL)
    os.chdir(Path(__file__).parent.parent / "dry_run")
    cases = []
    for tool, who, more in itertools.product(TOOLS, WHO, MORE):
        if (TOOLS.index(tool) + WHO.index(who) + MORE.index(more)) % 2 == 0:
            cases.append(run((["--tool", tool] if tool else []) + who + more))
    cases.append(run(["--tool", "bwa_mem", "--input-size", "5", "--history-tags", "x", "--", "shared.yml", "local.yml"]))
    Path("recorded.json").write_text(json.dumps(cases, indent=1) + "\n")
    print(len(cases), "cases,", sum("error" in case for case in cases), "errors")


main()
