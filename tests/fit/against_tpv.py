#!/usr/bin/env python3
"""Compares what a patch of `tpvc fit` says of its jobs with what the real TPV makes of them, attempt by attempt.

    tests/fit/against_tpv.py TPVC ORACLE FOLDER... --python VENV/bin/python --patches 20

ORACLE is a program that maps a job file with TPV as docs/recording.md says: `ORACLE map --config A --config B --world W --jobs J -o ANSWERS`. Each FOLDER
has a `case.json` with the names of its configs, and a `jobs.jsonl`, whose tools get a generated history. Exit status 1 if a figure differs.
"""
import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

GIB = 1 << 30
MOST = 16  # attempts that are followed
NAMES = ["walltime_reached", "unknown_error", "tool_detected_failure", "tool_timelimit_reached"]
FIGURES = re.compile(r"# ([\d,]+) jobs? mapped with this value: (\d+) \((\d+) today\) lost, (\d+) \((\d+) today\) without a destination, (\d+) \((\d+) today\) run again")
AMOUNTS = re.compile(r"# ([\d,]+) jobs? that both finish: ([\d.,]+) GiB·h, ([\d.,]+) today.*; ([\d.,]+) core·h, ([\d.,]+) today")


def resubmits(definitions, attempt):
    """The definition that applies to a job whose attempt was killed for memory; `None` if it fails."""
    values = {name: False for name in NAMES} | {"memory_limit_reached": True, "any_failure": True, "any_potential_job_failure": True}
    values |= {"attempt": attempt, "seconds_running": 3600.0, "seconds_since_queued": 3600.0}
    for definition in definitions:
        condition = definition.get("condition")
        if not condition or eval(condition, {"__builtins__": {}}, values):
            return definition
    return None


class Tpv:
    def __init__(self, python, oracle, folder, configs, world):
        self.command = [python, oracle, "map", *(part for config in configs for part in ("--config", config))]
        self.command += ["--world", world] if world else []
        self.folder = folder

    def map(self, jobs):
        path, answers = self.folder / "asked.jsonl", self.folder / "answers.jsonl"
        path.write_text("".join(json.dumps(job) + "\n" for job in jobs))
        subprocess.run([*self.command, "--jobs", path, "-o", answers], check=True, stdout=subprocess.DEVNULL)
        return [json.loads(line) for line in answers.read_text().splitlines()]

    def attempts(self, jobs):
        """The memory and cores of each job's attempts: each that is short of what the job needs is killed."""
        ladders = [[] for _ in jobs]
        left = [(index, job, 1) for index, job in enumerate(jobs)]
        while left:
            further = []
            for (index, job, attempt), answer in zip(left, self.map([job for _, job, _ in left])):
                memory = answer.get("mem")
                if "error" in answer or not isinstance(memory, (int, float)) or memory <= 0:
                    continue
                cores = answer["cores"] if isinstance(answer["cores"], (int, float)) else 0
                ladders[index].append((memory, cores))
                if memory >= job["outcome"]["memory_bytes"] / GIB or attempt >= MOST:
                    continue
                destination = answer["destination"]
                definition = resubmits(destination["resubmit"], attempt)
                if definition is None:
                    continue
                if definition.get("environment"):
                    dispatcher = {"type": "python", "function": "map_tool_to_destination", "rules_module": "tpv.rules"}
                    params = destination["params"] | dispatcher
                    next_job = json.loads(json.dumps(job))
                    next_job["job"] |= {"state": "resubmitted", "destination_params": params}
                    further.append((index, next_job, attempt + 1))
                else:
                    ladders[index].append((memory, cores))
            left = further
        return ladders


def totals(jobs, today, proposed):
    """The figures of a patch's comment."""
    counts = dict.fromkeys(["lost", "lost today", "unmapped", "unmapped today", "again", "again today", "finished"], 0)
    amounts = [0.0] * 4
    for job, *both in zip(jobs, proposed, today):
        need, seconds = job["outcome"]["memory_bytes"] / GIB, job["outcome"]["runtime_seconds"]
        reserved = []
        for ladder, side in zip(both, ("", " today")):
            enough = next((at for at, (memory, _) in enumerate(ladder) if memory >= need), None)
            counts["unmapped" + side] += not ladder
            counts["lost" + side] += bool(ladder) and enough is None
            counts["again" + side] += bool(enough)
            if enough is not None:
                times = [seconds * (memory / need if at < enough else 1) / 3600 for at, (memory, _) in enumerate(ladder[: enough + 1])]
                reserved.append([sum(memory * time for (memory, _), time in zip(ladder, times)), sum(cores * time for (_, cores), time in zip(ladder, times))])
        if len(reserved) == 2:
            counts["finished"] += 1
            (new_memory, new_cores), (old_memory, old_cores) = reserved
            amounts = [a + b for a, b in zip(amounts, [new_memory, old_memory, new_cores, old_cores])]
    return counts, amounts


IDS = """
import json, sys
from ruamel.yaml import YAML
found = {}
for path in sys.argv[1:]:
    found.update(YAML(typ="safe").load(open(path)).get("destinations") or {})
print(json.dumps(sorted(str(name) for name in found)))
"""


def resubmitting(python, configs, tools):
    """A config to merge last, by which the tools get twice the memory at each of four attempts, wherever they go."""
    destinations = json.loads(subprocess.run([python, "-c", IDS, *configs], check=True, stdout=subprocess.PIPE).stdout)
    text = "tools:\n"
    for tool, memory in tools.items():
        # A pattern, so that proposals stand after it.
        text += f"  {json.dumps(re.escape(tool) + '$')}:\n"
        text += f"    mem: {memory} * 2 ** int(job.destination_params.get('fit_n', 0)) if job.destination_params else {memory}\n"
        text += "    params:\n      fit_n: \"{int(job.destination_params.get('fit_n', 0)) + 1 if job.destination_params else 1}\"\n"
    text += "destinations:\n"
    for name in destinations:
        text += f"  {json.dumps(name)}:\n    resubmit:\n      fit_more:\n        condition: memory_limit_reached and attempt < 4\n        destination: tpv_dispatcher\n"
    return text


def history(rng, template, count, median):
    """Jobs like one of the folder, with a need that is small beside what it asks for."""
    jobs = []
    for index in range(count):
        job = json.loads(json.dumps(template))
        size = 2 ** rng.uniform(-4, 1)
        job["id"] = job.setdefault("job", {})["id"] = index + 1
        job["seed"] = index
        job["job"]["state"] = "new"
        for key in ("destination_params", "param_values"):
            job["job"].pop(key, None)
        job["job"]["input_datasets"] = [{"name": "i", "id": 1, "size": int(size * GIB), "extension": "fasta"}]
        need = median * rng.lognormvariate(0, 0.35)
        job["outcome"] = {"state": "ok", "memory_bytes": int(need * GIB), "runtime_seconds": round(rng.uniform(100, 9000)), "end_time": f"2026-01-{1 + index % 28:02}T00:00:00"}
        jobs.append(job)
    return jobs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tpvc", type=Path)
    parser.add_argument("oracle", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--python", default=sys.executable, help="the Python that has TPV")
    parser.add_argument("--patches", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=120, help="the jobs of a history")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tpvc = options.tpvc.resolve()
    rng = random.Random(options.seed)
    print(f"seed {options.seed}")
    patches = wrong = 0
    folders = [folder.resolve() for folder in options.folders]
    while patches < options.patches and folders:
        folder = folders.pop(0)
        configs = [str(folder / name) for name in json.loads((folder / "case.json").read_text())["configs"]]
        world = folder / "world.json"
        world = str(world) if world.exists() else None
        lines = [json.loads(line) for line in (folder / "jobs.jsonl").read_text().splitlines()]
        with tempfile.TemporaryDirectory() as name:
            scratch = Path(name)
            mapped = subprocess.run([tpvc, "map", *(p for c in configs for p in ("--config", c)), *(["--world", world] if world else []), folder / "jobs.jsonl", "-q"], stdout=subprocess.PIPE, check=True).stdout
            good = [(job, answer["mem"]) for job, answer in zip(lines, map(json.loads, mapped.splitlines())) if isinstance(answer.get("mem"), (int, float)) and answer["mem"] >= 4]
            by_tool = {job["tool"]["id"]: (job, mem) for job, mem in good}
            # One version of each tool.
            by_name = {re.sub(r"/[^/]*$", "", tool) if tool.count("/") > 4 else tool: tool for tool in sorted(by_tool)}
            chosen = rng.sample(sorted(by_name.values()), min(3, len(by_name)))
            if len(folders) % 2 and chosen:
                (scratch / "resubmit.yml").write_text(resubmitting(options.python, configs, {tool: round(by_tool[tool][1], 1) for tool in chosen}))
                configs = [*configs, str(scratch / "resubmit.yml")]
            made = [job for tool in chosen for job in history(rng, *by_tool[tool][:1], options.jobs, by_tool[tool][1] / 12)]
            for index, job in enumerate(made):
                job["id"] = job["job"]["id"] = index + 1
            (scratch / "jobs.jsonl").write_text("".join(json.dumps(job) + "\n" for job in made))
            command = [tpvc, "fit", *configs, "--jobs", scratch / "jobs.jsonl", *(["--world", world] if world else []), "--patch", scratch / "patch.yml", "--max-lost", "3", "-q"]
            fitted = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if fitted.returncode:
                print(f"{folder.name}: {fitted.stderr.strip()[:300]}")
                continue
            patch = (scratch / "patch.yml").read_text()
            if "mem:" not in patch:
                print(f"{folder.name}: no proposal for {chosen}")
                continue
            old, new = (Tpv(options.python, options.oracle, scratch, files, world) for files in (configs, [*configs, str(scratch / "patch.yml")]))
            today, proposed = old.attempts(made), new.attempts(made)
            texts = patch.split("\n    mem:")[:-1]
            for text in texts:
                key = text.splitlines()[-1].strip().removesuffix(":")
                pattern = json.loads(key) if key.startswith('"') else key
                mine = [at for at, job in enumerate(made) if re.match(pattern, job["tool"]["id"])]
                figures, amounts = FIGURES.search(text), AMOUNTS.search(text)
                counts, expected = totals(*([side[at] for at in mine] for side in (made, today, proposed)))
                told = dict(zip(["lost", "lost today", "unmapped", "unmapped today", "again", "again today"], map(int, figures.groups()[1:])))
                told["finished"] = int(amounts[1].replace(",", ""))
                amounts = [float(text.replace(",", "")) for text in amounts.groups()[1:]]
                near = all(abs(said - number) <= 0.06 + 1e-4 * number for said, number in zip(amounts, expected))
                patches += 1
                if told != counts or not near:
                    wrong += 1
                    print(f"WRONG {folder.name} {pattern}: the patch says {told} {amounts}, TPV {counts} {expected}")
                else:
                    print(f"{folder.name} {pattern}: {len(mine)} jobs, {told}, equal")
    print(f"{patches} patches, {wrong} with a figure that is not TPV's")
    sys.exit(bool(wrong) or patches < options.patches)


if __name__ == "__main__":
    main()
