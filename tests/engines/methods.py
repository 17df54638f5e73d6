#!/usr/bin/env python3
"""Tries each method of Python's `tpvc.maps` on an engine.

    methods.py WHEEL [--engine local|slurm|htcondor] [--folder DIR]

The package of the wheel is unpacked where components see it, and a Python there makes maps, waits for them, looks at them, holds, pauses,
edits and reruns them. Components run that Python, too. It ends with 0 where all is as the methods' documentation has it, and with 77 where
the engine can't be installed.
"""

import argparse
import json
import os
import pathlib
import sys
import time
import zipfile

from engines import ENGINES, HERE, running
from verbs import PATIENCE, claim, write_fixture

# How large components are, in bytes.
SOME = 40_000

# A program whose components take long.
SLOW = """#!/bin/sh
[ "$2" != component ] || exec sleep 1000
PYTHONPATH={package} exec python3 -m tpvc "$@"
"""


def refused(act, text):
    """Claims that a call raises a `MapError` with a text in its message, and gives its help."""
    from tpvc import maps

    try:
        act()
    except maps.MapError as error:
        claim(text in str(error), f"{error} has no `{text}`")
        return error.help
    raise AssertionError(f"nothing was refused with `{text}`")


def until(what, holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        claim(time.monotonic() < end, f"{what} did not come")
        time.sleep(0.5)


def answers_are_those_of_one_process(work, engine):
    import tpvc
    from tpvc import maps

    rules = tpvc.compile([work / "tpv.yml"])
    tpvc.Mapper(rules).map_file(work / "jobs.jsonl", work / "answers.jsonl")
    expected = (work / "answers.jsonl").read_text()
    made = maps.create(work / "jobs.jsonl", rules, tag="all", engine=engine, memory="1G", disk="1G", slice_bytes=SOME)
    claim(made.exists and maps.tags() == ["all"] and len(made) > 3, made)
    first = made.get(0, timeout=PATIENCE)
    claim(first == made[0] == [json.loads(line) for line in expected.splitlines()[: len(first)]], "the first component's answers")
    found = dict(made.iter_as_available(timeout=PATIENCE))
    claim(sorted(found) == list(range(len(made))), sorted(found))
    made.wait(timeout=PATIENCE)
    claim(made.is_done and not made.is_active and made.status() == {"COMPLETED": len(made)}, made.status())
    claim("".join(made.lines()) == expected, "the lines are those of `Mapper.map_file`")
    claim([answer for one in sorted(found) for answer in found[one]] == list(made), "as available, and in order")
    inputs = list(made.iter_with_inputs(timeout=PATIENCE))
    claim([item["lines"] for item, _ in inputs] == [len(answers) for _, answers in inputs], "inputs beside answers")
    claim(all(used is not None and 1 < used < 1024 for used in made.memory_usage), made.memory_usage)
    claim(all(time is not None and 0 < time.total_seconds() < PATIENCE for time in made.runtime), made.runtime)
    claim(0 < sum(made.disk_usage) < made.local_data, (made.disk_usage, made.local_data))
    claim(made.stdout(0) == "" and made.reasons() == {} and made.errors() == [], (made.stdout(0), made.reasons()))
    claim(made.summary()["total"]["jobs"] == len(expected.splitlines()), made.summary()["total"])
    made.edit(memory=2, components=[1])
    claim(made.rerun_components([0, 1]) == 2 and made.get(0, timeout=PATIENCE) == first, "components run again")
    help = refused(lambda: made.get(1, timeout=PATIENCE), "it used more memory than its limit of 2 MiB")
    claim("edit --memory" in help and made.reasons()[1].help == help, help)
    claim([report.component for report in made.errors()] == [1], made.errors())
    made.edit(memory="1G")
    claim(made.rerun() == 1, "what has failed runs again")
    made.wait(timeout=PATIENCE)
    made.retag("kept")
    claim(maps.tags() == ["kept"] and "".join(made.lines()) == expected, "under another tag")
    claim(made.remove() == [] and not made.exists and maps.tags() == [], "it is removed")


def components_are_held_and_paused(work, engine):
    import tpvc
    from tpvc import maps

    slow = work / "slow"
    slow.write_text(SLOW.format(package=work / "package"))
    slow.chmod(0o755)
    (work / "rules.bin").write_bytes(tpvc.compile([work / "tpv.yml"]).to_bytes())
    made = maps.create(work / "jobs.jsonl", work / "rules.bin", tag="slow", engine=engine, program=slow, slice_bytes=1 << 30)
    until("RUNNING", lambda: made.statuses() == ["RUNNING"])
    claim(made.is_active and not made.is_done, made.status())
    try:
        made.wait(timeout=1)
    except TimeoutError as error:
        claim("1 RUNNING" in str(error), error)
    if engine == "htcondor":
        made.pause()
        until("SUSPENDED", lambda: made.statuses() == ["SUSPENDED"])
        until("a reason", lambda: "suspended" in made.reasons()[0].message)
        made.resume()
        until("RUNNING", lambda: made.statuses() == ["RUNNING"])
        made.vacate()
    else:
        for act, other in ((made.pause, "hold"), (made.resume, "release"), (made.vacate, "rerun")):
            claim(f"`tpvc maps {other}" in refused(act, f"the engine `{engine}` cannot"), act)
    made.hold()
    until("HELD", lambda: made.statuses() == ["HELD"])
    until("a reason", lambda: made.holds()[0])
    claim(made.components_by_status() == {"HELD": [0]} and made.reasons()[0].help, made.reasons())
    refused(lambda: made.wait(timeout=PATIENCE), "is not complete: 1 HELD")
    made.release()
    until("no hold", lambda: made.statuses() != ["HELD"])
    made.remove()


SCENARIOS = (answers_are_those_of_one_process, components_are_held_and_paused)


def inside(engine):
    """What the Python does that the engine runs."""
    work = pathlib.Path.cwd()
    os.environ["TPVC_MAPS_DIR"] = str(work / "maps")
    failed = 0
    for scenario in SCENARIOS:
        try:
            scenario(work, engine)
            outcome = "ok"
        except AssertionError as error:
            failed += 1
            outcome = f"FAILED: {error}"
        print(f"{scenario.__name__}: {outcome}", flush=True)
    sys.exit(1 if failed else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--engine", choices=sorted(ENGINES), default="local")
    parser.add_argument("--folder", type=pathlib.Path, help="the folder to work in, which must not be there yet")
    options = parser.parse_args()
    with running(ENGINES[options.engine], options.folder) as engine:
        zipfile.ZipFile(options.wheel).extractall(engine.work / "package")
        for name in ("engines.py", "verbs.py", "methods.py"):
            (engine.work / "package" / name).write_bytes((HERE / name).read_bytes())
        write_fixture(engine.work)
        for path in (engine.work, *engine.work.rglob("*")):
            os.chown(path, *engine.owner())
        command = ["env", f"PYTHONPATH={engine.work / 'package'}", "python3", "-B", "-m", "methods", "--inside", engine.name]
        sys.exit(engine.run(command, cwd=engine.work).returncode)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2])
    else:
        main()
