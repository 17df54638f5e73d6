"""The verbs of `tpvc maps` as tests of an engine call them, and scenarios one after the other."""

import argparse
import json
import pathlib
import shutil
import sys
import time

from engines import ENGINES, HERE, binary_for_tests, running

FIXTURE = HERE.parent.parent / "fixtures" / "collections-and-datasets"
# How long an engine may take to do something, in seconds. HTCondor looks at limits of time once a minute, Slurm twice.
PATIENCE = 150


def claim(holds, text):
    if not holds:
        raise AssertionError(text)


def write_fixture(folder, jobs="jobs.jsonl"):
    """Writes the config of the fixture, and its jobs many times over."""
    shutil.copy(FIXTURE / "tpv.yml", folder)
    lines = [json.loads(line) for line in (FIXTURE / "jobs.jsonl").read_text().splitlines()]
    with open(folder / jobs, "w") as file:
        for turn in range(20):
            file.writelines(json.dumps({**job, "id": turn}) + "\n" for job in lines)


class Verbs:
    def __init__(self, engine, binary, jobs="jobs.jsonl"):
        self.engine, self.binary, self.jobs = engine, binary, jobs
        self.maps = engine.work / "maps"

    def tpvc(self, *words, check=True):
        done = self.engine.run([self.binary, *words], capture_output=True, cwd=self.engine.work)
        stderr = done.stderr.decode()
        claim(not check or done.returncode == 0, f"`tpvc {' '.join(map(str, words))}`: {stderr}")
        return done.stdout.decode(), stderr

    def verb(self, *words, check=True):
        return self.tpvc("maps", "--maps-dir", self.maps, *words, check=check)

    def refused(self, *words):
        """What a verb says that cannot do its work."""
        out, error = self.verb(*words, check=False)
        claim(not out and error.startswith("error: ") and "help: " in error, f"{words}: {out}{error}")
        return error

    def create(self, tag, *words):
        self.verb("create", "--quiet", "--tag", tag, "--rules", "rules.bin", "--engine", self.engine.name, *words, self.jobs)
        self.path = pathlib.Path(self.verb("path", tag)[0].strip())

    def rows(self, tag):
        last = int((self.path / "components").read_text()) - 1
        return json.loads(self.verb("status", tag, "--components", f"0-{last}", "--format", "json")[0])

    def states(self, tag):
        return [row["state"] for row in self.rows(tag)]

    def wait_for(self, tag, what, holds):
        end = time.monotonic() + PATIENCE
        while not holds(rows := self.rows(tag)):
            claim(time.monotonic() < end, f"{what} did not come: {rows}")
            time.sleep(0.5)
        return rows

    def whole(self, tag):
        self.verb("wait", tag, "--timeout", PATIENCE)
        claim(self.verb("results", tag)[0] == self.expected, f"the answers of `{tag}` are not those of `tpvc map`")
        self.verb("remove", tag)

    def prepare(self):
        write_fixture(self.engine.work, self.jobs)
        self.tpvc("compile", "--quiet", "tpv.yml", "-o", "rules.bin")
        self.expected = self.tpvc("map", "--quiet", "rules.bin", self.jobs, check=False)[0]
        claim(self.expected, "there are answers")


def main(description, verbs_of, scenarios, engine=None):
    """Runs scenarios on an engine: `verbs_of` gives the class for its name, of which `scenarios` are methods."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    if engine is None:
        parser.add_argument("--engine", choices=sorted(ENGINES), default="local")
    parser.add_argument("--only", metavar="TEXT", default="", help="only scenarios with this in their names")
    parser.add_argument("--folder", type=pathlib.Path, help="the folder to work in, which must not be there yet")
    options = parser.parse_args()
    failed = 0
    with running(engine or ENGINES[options.engine], options.folder) as running_engine:
        verbs = verbs_of(running_engine.name)(
            running_engine, binary_for_tests(options.binary.resolve(), running_engine.work, running_engine.owner())
        )
        verbs.prepare()
        for scenario in scenarios(running_engine.name) if callable(scenarios) else scenarios:
            if options.only not in scenario.__name__:
                continue
            started = time.monotonic()
            try:
                scenario(verbs)
                outcome = "ok"
            except AssertionError as error:
                failed += 1
                outcome = f"FAILED: {error}"
            print(f"{scenario.__name__}: {outcome} ({time.monotonic() - started:.0f} s)", flush=True)
    sys.exit(1 if failed else 0)
