#!/usr/bin/env python3
"""Look for jobs that contradict what `tpvc check` proves of configs: confirm.py CONFIG... [--jobs N] [--world FILE]

Random jobs, made by fixtures/record/generate_jobs.py for these configs, are mapped by tpvc; one that gets to a destination which takes
none of its tool's jobs, by the matrix of `tpvc check`, is a contradiction. For each tool that no destination accepts (T201), 200 jobs of the tool are
mapped by the real TPV; one that is placed is a contradiction. Run it with the Python of docs/recording.md, which has TPV. Ends with
status 1 where there is a contradiction.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
RECORD = PROJECT / "fixtures" / "record"
sys.path.insert(0, str(RECORD))

from generate_jobs import word  # noqa: E402

JOBS_OF_TOOL = 200


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return done.stdout


def lines(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def rows(matrix, patterns, known, job):
    """The rows of the tools whose jobs a job is one of."""
    *_, other, user_defined = matrix["tools"]
    tool = job["tool"]
    name = tool["id"]
    if tool.get("dynamic_tool_uuid"):
        name = f"{tool.get('tool_type', 'default')}-{tool['dynamic_tool_uuid']}"
    if name not in known:
        known[name] = [entry["row"] for pattern, entry in patterns if pattern.match(name)]
    found = known[name]
    if tool.get("tool_type") == "user_defined" and tool.get("dynamic_tool_uuid"):
        return found + [user_defined["row"]]
    return found or [other["row"]]


def contradictions(matrix, jobs, answers):
    patterns = [(re.compile(tool["id"]), tool) for tool in matrix["tools"][:-2]]
    known = {}
    columns = {destination["id"]: index for index, destination in enumerate(matrix["destinations"])}
    for job, answer in zip(jobs, answers):
        column = columns.get(answer.get("destination", {}).get("id"))
        if column is None:
            continue
        for row in rows(matrix, patterns, known, job):
            row = matrix["rows"][row]
            declared = job["tool"].get("resource_requirements") and row["unless"]
            if not declared and (row["ends"] is not None or row["never"][column] is not None):
                yield job, answer


def of_nowhere(findings, jobs, configs, world):
    """What the real TPV makes of jobs of the tools that no destination accepts."""
    import record
    from tpv.core.loader import TPVConfigLoader

    loader = None
    for config in configs:
        loader = TPVConfigLoader.from_url_or_path(str(config), parent=loader)
    app, mapper = record.build_app(world), record.Recorder(loader)
    for finding in findings:
        pattern = finding["message"].split("`")[1]
        for _ in range(JOBS_OF_TOOL):
            job = random.choice(jobs)
            tool = {"id": word(pattern, random)}
            if "unless the tool's wrapper" not in "".join(finding["notes"]):
                tool = {**job["tool"], **tool}
                tool.pop("dynamic_tool_uuid", None)
            yield job, mapper.answer({**job, "tool": tool}, app)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("configs", nargs="+", metavar="CONFIG")
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--world")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tpvc", default=PROJECT / "target" / "release" / "tpvc")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        findings = json.loads(
            run(arguments.tpvc, "check", *arguments.configs, "--format", "json", "--matrix", folder / "matrix.json")
        )
        matrix = json.loads((folder / "matrix.json").read_text())
        generate = [sys.executable, RECORD / "generate_jobs.py", *arguments.configs]
        (folder / "jobs.jsonl").write_text(run(*generate, "-n", arguments.jobs, "--seed", arguments.seed))
        configs = [part for config in arguments.configs for part in ("--config", config)]
        world = ["--world", arguments.world] if arguments.world else []
        run(arguments.tpvc, "map", *configs, folder / "jobs.jsonl", "-o", folder / "answers.jsonl", *world)
        jobs, answers = lines(folder / "jobs.jsonl"), lines(folder / "answers.jsonl")
    against = list(contradictions(matrix, jobs, answers))
    placed = sum("destination" in answer for answer in answers)
    proofs = sum(cell is not None for tool in matrix["tools"] for cell in matrix["rows"][tool["row"]]["never"])
    print(f"{proofs} of {len(matrix['tools']) * len(matrix['destinations'])} pairs of tool and destination are proofs")
    print(f"{len(jobs)} jobs, {placed} placed by tpvc: {len(against)} contradict a proof")
    nowhere = [finding for finding in findings if finding["code"] == "T201"]
    world = json.loads(Path(arguments.world).read_text()) if arguments.world else {}
    asked = list(of_nowhere(nowhere, jobs, arguments.configs, world)) if nowhere else []
    wrong = [pair for pair in asked if "destination" in pair[1]]
    print(f"{len(nowhere)} tools that no destination accepts, {len(asked)} jobs of theirs: TPV places {len(wrong)}")
    for job, answer in (against + wrong)[:3]:
        print(json.dumps(job), json.dumps(answer))
    sys.exit(1 if against or wrong else 0)


if __name__ == "__main__":
    main()
