#!/usr/bin/env python3
"""Asks TPV about the job of each finding that `tpvc check` makes of tried jobs (T301 and on).

    tests/prove/judge.py TPVC ORACLE FOLDER...

TPVC is the program, ORACLE the command that maps a job file by TPV (`python tpv_oracle.py`, in one word), FOLDER a set with case.json. The job is made
anew of the flags that the finding prints, by other code than tpvc's. Prints each finding that TPV does not confirm, and the totals; exits 1 if there is one.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


def job(flags):
    """The line of the job file for flags of `tpvc dry-run`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool")
    parser.add_argument("--user")
    parser.add_argument("--roles", nargs="+", default=[])
    parser.add_argument("--input-size")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--explain", action="store_true")
    args = parser.parse_args(shlex.split(flags))
    tool = {"id": args.tool}
    if "/" in args.tool:
        tool["version"] = args.tool.rsplit("/", 1)[1]
    user = {"id": 133988, "username": "gargravarr", "email": args.user, "roles": args.roles}
    inputs = []
    if args.input_size:
        size = int(args.input_size[:-1]) if args.input_size.endswith("B") else int(float(args.input_size) * 2**30)
        inputs = [{"name": "test", "id": 0, "size": size, "extension": "txt"}]
    history = {"name": "Unnamed TPV dry run history", "tags": []}
    galaxy = {"id": 1, "state": "new", "input_datasets": inputs, "history": history}
    wrapper = None
    for item in args.set:
        path, value = item.split("=", 1)
        if path == "job_wrapper":
            wrapper = json.loads(value)
            continue
        place, name = path.rsplit(".", 1)
        {"tool": tool, "job.param_values": galaxy.setdefault("param_values", {})}[place][name] = value
    user = user if args.user or args.roles else None
    return {"seed": 1, "tool": tool, "user": user, "job": galaxy, "job_wrapper": wrapper}


def sized(line, gib):
    """The same job with an input of another size."""
    line = json.loads(json.dumps(line))
    line["job"]["input_datasets"][0]["size"] = int(gib * 2**30)
    return line


FALL = re.compile(r"with ([\d.e-]+) GiB it gets ([\d.e+-]+)(?: GiB)?, with ([\d.e-]+) GiB ([\d.e+-]+)")


def questions(finding):
    """The jobs of a finding, and a function of their answers: None if TPV agrees, else why not."""
    code, message, notes = finding["code"], finding["message"], finding["notes"]
    command = next((note for note in notes if note.startswith("try it: ")), None)
    if command is None:
        # A job that other destinations take first.
        return None
    line = job(command.split("CONFIG... ", 1)[1].rstrip("`"))
    error = lambda answer: f"{answer['error']['type']}: {answer['error']['message']}" if "error" in answer else ""
    if code == "T301":
        return [line], lambda a: None if "No destinations are available" in error(a) else f"it gets {a}"
    if code == "T302":
        told = message.split("end in `", 1)[1].rstrip("`")
        return [line], lambda a: None if error(a).startswith(told.split(":")[0]) else f"it ends in {a}"
    if code == "T303":
        match = next(filter(None, map(FALL.match, notes)))
        low, before, high, after = map(float, match.groups())
        name = message.split("`")[1]
        near = lambda value, told: abs(value - told) <= 0.001 * told

        def judge(first, second):
            if "error" in first or "error" in second:
                return f"{error(first)} {error(second)}"
            same = near(first[name], before) and near(second[name], after)
            return None if same else f"{first[name]} and {second[name]}"

        return [sized(line, low), sized(line, high)], judge
    if code == "T305":
        place = message.split("go to `", 1)[1].split("`")[0]
        told = lambda a: "error" not in a and (a["gpus"] or 0) > 0 and place in (a["candidates"] or [""])[0]
        return [line], lambda a: None if told(a) else f"it gets {a}"
    if code == "T304":
        param = message.split(" in `", 1)[1].split("`")[0]
        text = next(note for note in notes if note.startswith("such a job gets `"))[17:-1]

        def produced(answer):
            destination = answer.get("destination", {})
            env = {item.get("name"): item.get("value") for item in destination.get("env", [])}
            return str({**env, **destination.get("params", {})}.get(param))

        # What is printed has no line ends.
        same = lambda one: "".join(one.split()) in ("".join(text.split()), "".join(text.replace("\\n", " ").split()))
        return [line], lambda a: None if same(produced(a)) else f"it gets {produced(a)!r}, not {text!r}"
    if code == "T307":
        limit = float(message.split(" is ", 1)[1].split(" ")[0])
        told = lambda a: "error" not in a and abs(a["mem"] - limit) <= 0.001 * limit
        return [line], lambda a: None if told(a) else f"it gets {a}"
    if code == "T308":
        name = message.split("`")[1]
        amount = re.search(r"(?:limit:|to) ([\d,.]+)", message).group(1)
        told = lambda a: "error" not in a and abs(a[name] - float(amount.replace(",", ""))) <= 0.001 * a[name]
        return [line], lambda a: None if told(a) else f"it gets {a}"
    place = message.rsplit("`", 2)[1]
    return [line], lambda a: None if "error" not in a and place == (a["candidates"] or [""])[0] else f"it gets {a}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tpvc")
    parser.add_argument("oracle")
    parser.add_argument("folder", nargs="+", type=Path)
    args = parser.parse_args()
    asked = wrong = unasked = 0
    for folder in args.folder:
        configs = [str(folder / name) for name in json.loads((folder / "case.json").read_text())["configs"]]
        run = subprocess.run([args.tpvc, "check", "--format", "json", *configs], capture_output=True, text=True)
        found = [one for one in json.loads(run.stdout) if one["code"].startswith("T3")]
        asked_of = [(one, questions(one)) for one in found]
        unasked += sum(question is None for _, question in asked_of)
        made = [(one, *question) for one, question in asked_of if question]
        lines = [line for _, jobs, _ in made for line in jobs]
        if not lines:
            continue
        with tempfile.TemporaryDirectory() as place:
            jobs, answers = Path(place) / "jobs.jsonl", Path(place) / "answers.jsonl"
            jobs.write_text("".join(json.dumps({"id": index, **line}) + "\n" for index, line in enumerate(lines)))
            options = [word for config in configs for word in ("--config", config)]
            subprocess.run([*shlex.split(args.oracle), "map", *options, "--jobs", jobs, "-o", answers], check=True)
            replies = iter([json.loads(line) for line in answers.read_text().splitlines()])
        for one, jobs, judge in made:
            asked += 1
            why = judge(*[next(replies) for _ in jobs])
            if why:
                wrong += 1
                print(f"{folder.name}: {one['code']} {one['message']}\n  {why}"[:600])
    print(f"{asked} findings, {wrong} not confirmed by TPV; {unasked} without a job that runs by itself were not asked")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
