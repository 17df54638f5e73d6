"""Runs jobs of known need on a real Galaxy with memory limits, exports and fits them, and checks both.

    python/tests/galaxy_server/history/record [--write]

Each job of `needs` allocates what its parameter `mib` says: 160 MiB and the size of its input, with noise of a twentieth. Its rule gives
0.4 GiB, so that some are killed and the truth is to be found from the rest. Jobs of `grows` are killed and come back, those of `says`
report that memory is short themselves, and those of `fails` fail for another reason.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from server import ENDED, Server, Shared  # noqa: E402

RECORD = HERE.parents[3] / "tests" / "galaxy" / "history"
ROOTS = (Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup"))
MIB = 2**20
BASE, LIMIT = 160, 0.4 * 1024
SIZES = (20, 40, 60, 80, 100, 120, 160, 200, 280, 360)
#: Jobs of each tool.
COUNTS = {"needs": 200, "grows": 20, "says": 10, "fails": 10}

ALLOCATE = """python3 -c "import time; x = b'x' * (int($mib) << 20); time.sleep(1.2)" """
COMMANDS = {
    "makes": ("", "truncate -s '${mib}M' '$out'"),
    "needs": ('detect_errors="exit_code"', ALLOCATE),
    "grows": ('detect_errors="exit_code" oom_exit_code="137"', ALLOCATE),
    "says": ('detect_errors="aggressive"', "echo 'MemoryError: not enough memory' >&2; sleep 1.2; exit 1"),
    "fails": ('detect_errors="exit_code"', "sleep 1.2; exit 3"),
}
TOOL = """<tool id="{id}" name="{id}" version="1.0" profile="24.0">
    <command {errors}><![CDATA[{command}]]></command>
    <inputs>
        <param name="reads" type="data" format="data" optional="true"/>
        <param name="mib" type="integer" value="1"/>
    </inputs>
    <outputs><data name="out" format="data"/></outputs>
</tool>
"""


class Measured(Server):
    """A server whose jobs have a limit of memory, and what they used is measured."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "tpvc.rules", Shared())
        shutil.copy(HERE / "limit.sh", folder)
        (folder / "tpv_rules.yml").write_text((RECORD / "tpv.yml").read_text().replace("$FOLDER", str(folder)))
        for id, (errors, command) in COMMANDS.items():
            (folder / "tools" / f"{id}.xml").write_text(TOOL.format(id=id, errors=errors, command=command))
        files = "".join(f'<tool file="{tool}.xml"/>' for tool in COMMANDS)
        (folder / "tool_conf.xml").write_text(f'<toolbox><section id="t" name="T">{files}</section></toolbox>')
        conf = folder / "job_conf.yml"
        text = conf.read_text().replace("        - " + self.shared.url + "\n", "")
        conf.write_text(text.replace("workers: 2", "workers: 4"))
        metrics = folder / "job_metrics_conf.xml"
        metrics.write_text("<job_metrics><core/><cgroup/></job_metrics>")
        with open(folder / "galaxy.yml", "a") as file:
            file.write(f"  job_metrics_config_file: {metrics}\n")


def run_jobs(server: Server) -> dict[str, list[str]]:
    """Submits all jobs and waits for their end: ids by tool."""
    pick = random.Random(29)
    inputs = {size: server.submit("makes", mib=size) for size in SIZES}
    for job, _ in inputs.values():
        server.wait("the inputs are there", lambda job=job: server.state(job) in ENDED, 300)
    jobs: dict[str, list[str]] = {tool: [] for tool in COUNTS}
    for tool, count in COUNTS.items():
        for index in range(count):
            size = SIZES[index % len(SIZES)]
            need = round((BASE + size) * pick.gauss(1, 0.05)) if tool == "needs" else 300
            reads = {"src": "hda", "id": inputs[size][1]}
            jobs[tool].append(server.submit(tool, reads=reads, mib=need)[0])
    for tool, ids in jobs.items():
        for job in ids:
            server.wait(f"a job of {tool} ends", lambda job=job: server.state(job) in ENDED, 1800)
        print(f"  {len(ids)} jobs of {tool} ended", flush=True)
    return jobs


def exported(folder: Path) -> list[dict[str, Any]]:
    """The lines of `tpvc export-jobs`."""
    out = folder / "jobs.jsonl"
    database = str(folder / "database" / "universe.sqlite")
    tpvc("export-jobs", database, "--job-conf", str(folder / "job_conf.yml"), "-o", str(out))
    return [json.loads(line) for line in out.read_text().splitlines()]


def tpvc(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", "tpvc", *arguments], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"tpvc {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def problems_of_export(lines: list[dict[str, Any]]) -> list[str]:
    """The points at which an export is wrong."""
    found = []
    for line in lines:
        tool, outcome = line["tool"]["id"], line["outcome"]
        if tool not in COUNTS:
            continue
        need = int(line["job"]["param_values"]["mib"])
        peak, given = outcome.get("memory_bytes", 0) / MIB, outcome.get("allocated_memory_bytes", 0) / MIB
        attempts = outcome.get("attempts", [])
        is_ok = outcome["state"] == "ok"
        # Python itself takes some memory; near the limit either may be.
        wrong = {
            "times": not outcome["create_time"] <= outcome["queued_time"] <= outcome["running_time"] <= outcome["end_time"],
            "runtime": outcome.get("runtime_seconds", 0) < 1,
            "slots": outcome.get("slots") != 1,
        }
        if tool == "needs":
            wrong["given memory"] = given != int(LIMIT)
            wrong["memory"] = is_ok and not need <= peak <= need * 1.1 + 40
            wrong["oom"] = outcome.get("oom") is not (need > LIMIT) if abs(need + 10 - LIMIT) > 15 else outcome.get("oom") is is_ok
            wrong["attempts"] = bool(attempts)
        elif tool == "grows":
            wrong["oom"] = not is_ok or outcome["oom"] is not False
            wrong["attempts"] = [attempt.get("oom") for attempt in attempts] != [True] or attempts[0]["runtime_seconds"] < 0
            wrong["given memory"] = given != int(LIMIT)
        elif tool == "says":
            wrong["oom"] = outcome.get("oom") is not True
        else:
            wrong["oom"] = outcome["state"] != "error" or "oom" in outcome
        found += [f"job {line['id']} of {tool}, which needs {need} MiB: {name}: {outcome}" for name, is_wrong in wrong.items() if is_wrong]
    counts = {tool: sum(line["tool"]["id"] == tool for line in lines) for tool in COUNTS}
    if counts != COUNTS:
        found.append(f"exported are {counts}, and not {COUNTS}")
    return found


def problems_of_fit(folder: Path, lines: list[dict[str, Any]]) -> list[str]:
    """The points at which `tpvc fit` is wrong."""
    report = json.loads(tpvc("fit", str(folder / "tpv_rules.yml"), "--jobs", str(folder / "jobs.jsonl"), "--format", "json"))
    tools = {tool["tool"]: tool for tool in report["tools"]}
    killed = {tool: sum(_is_killed(line) for line in lines if line["tool"]["id"] == tool) for tool in COUNTS}
    found = [f"{tool}: {tools[tool]['usage']['killed']} killed, and not {count}" for tool, count in killed.items() if tools[tool]["usage"]["killed"] != count]
    proposed = tools["needs"].get("mem", tools["needs"])
    print(f"  {killed} were killed; mem of needs: {proposed}", flush=True)
    if "input_size" not in str(proposed):
        found.append(f"the size of the inputs is not found: {proposed}")
    else:
        for size in SIZES:
            memory, need = eval(proposed, {"input_size": size / 1024, "min": min}), (BASE + size) / 1024
            if not need * 0.95 < memory < need * 1.35:
                found.append(f"{proposed} gives {memory:.2f} GiB for {size} MiB, where {need:.2f} GiB are needed")
    return found


def _is_killed(line: dict[str, Any]) -> bool:
    outcome = line["outcome"]
    return any(attempt.get("oom") is True for attempt in [outcome, *outcome.get("attempts", [])])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="record the export")
    arguments = parser.parse_args()
    root = next((root for root in ROOTS if (root / "cgroup.procs").exists()), None)
    try:
        assert root is not None
        (root / "tpvc-history-probe").mkdir()
        (root / "tpvc-history-probe").rmdir()
    except (AssertionError, OSError) as error:
        print(f"SKIPPED: no cgroups can be made here: {error!r}", file=sys.stderr)
        return 0
    folder = Path(tempfile.mkdtemp(prefix="galaxy-"))
    try:
        with Measured(folder) as server:
            run_jobs(server)
        lines = exported(folder)
        if arguments.write:
            text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).replace(str(folder), "/srv/galaxy")
            (RECORD / "jobs.jsonl.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        problems = [*problems_of_export(lines), *problems_of_fit(folder, lines)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(folder.with_suffix(".site"), ignore_errors=True)
        folder.with_suffix(".log").rename(Path(tempfile.gettempdir()) / "history.log")
        for cgroup in root.glob("tpvc-history-*"):
            cgroup.rmdir()
    for problem in problems:
        print(f"FAILED {problem}")
    if not problems:
        print(f"passed: {len(lines)} jobs")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
