"""Runs the cases of tests/galaxy/resubmission on a real Galaxy whose jobs end as the cases say, with TPV and with tpvc.

    python/tests/galaxy_server/resubmission/record [--write]

Both must give the same attempts: destinations, memory, delays and ends, and those on record; `--write` records them.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from server import ENDED, Server, Shared  # noqa: E402

CASES = HERE.parents[3] / "tests" / "galaxy" / "resubmission"
TOOL = """<tool id="{id}" name="{id}" version="1.0" profile="24.0">
    <command>echo done > '$out'</command>
    <outputs><data name="out" format="txt"/></outputs>
</tool>
"""


class Resubmitting(Server):
    """A server with the tools and rules of the cases, and the runner that fails them."""

    def __init__(self, folder: Path, rules_module: str, tools: list[str]) -> None:
        super().__init__(folder, rules_module, Shared())
        for file in (HERE / "failing_runner.py", CASES / "cases.json"):
            shutil.copy(file, self.site)
        shutil.copy(CASES / "tpv.yml", folder / "tpv_rules.yml")
        for tool in tools:
            (folder / "tools" / f"{tool}.xml").write_text(TOOL.format(id=tool))
        files = "".join(f'<tool file="{tool}.xml"/>' for tool in tools)
        (folder / "tool_conf.xml").write_text(f'<toolbox><section id="t" name="T">{files}</section></toolbox>')
        conf = folder / "job_conf.yml"
        text = conf.read_text().replace("        - " + self.shared.url + "\n", "")
        runner = "  failing:\n    load: failing_runner:FailingRunner\n    workers: 2\n"
        conf.write_text(text.replace("runners:\n", "runners:\n" + runner))


def answers(rules_module: str, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The attempts of each case and its end."""
    folder = Path(tempfile.mkdtemp(prefix="galaxy-"))
    tools = [case["tool"] for case in cases]
    try:
        with Resubmitting(folder, rules_module, [*tools, "after"]) as server:
            # The last case stops the handler.
            *first, last = tools
            jobs = {tool: server.submit(tool)[0] for tool in first}
            ends = {}
            for tool, job in jobs.items():
                server.wait(f"{tool} ends", lambda job=job: server.state(job) in ENDED, 180)
                ends[tool] = server.state(job)
            stuck = server.submit(last)[0]
            server.wait(f"{last} is resubmitted", lambda: server.state(stuck) == "resubmitted", 60)
            after = server.submit("after")[0]
            time.sleep(20)
            ends[last], end_after = server.state(stuck), server.state(after)
            print(f"  {last} is {ends[last]}, and a job after it is {end_after}", flush=True)
            lines = map(json.loads, (server.site / "attempts.jsonl").read_text().splitlines())
            attempts: dict[str, list[Any]] = {tool: [] for tool in tools}
            for line in lines:
                if (tool := line.pop("tool")) in attempts:
                    attempts[tool].append(line)
            handled = server.log_text().count("Exception in monitor_step")
            print(f"  the handler's step failed {handled} times", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(folder.with_suffix(".site"), ignore_errors=True)
        log = folder.with_suffix(".log")
        log.rename(Path(tempfile.gettempdir()) / f"resubmission-{rules_module}.log")
    found = [{"tool": tool, "attempts": attempts[tool], "end": ends[tool]} for tool in tools]
    return [*found, {"tool": "after", "attempts": [], "end": end_after}]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="record what TPV's server gives")
    arguments = parser.parse_args()
    cases = json.loads((CASES / "cases.json").read_text())
    results = {}
    record = CASES / "expected.jsonl"
    for module in ("tpv.rules", "tpvc.rules"):
        print(f"rules_module: {module}", flush=True)
        results[module] = answers(module, cases)
        if arguments.write and module == "tpv.rules":
            record.write_text("".join(json.dumps(line) + "\n" for line in results[module]))
    expected = [json.loads(line) for line in record.read_text().splitlines()]
    problems = 0
    for module, found in results.items():
        for one, other in zip(expected, found, strict=True):
            if one != other:
                problems += 1
                print(f"FAILED {module}: {other}, on record is {one}")
    if not problems:
        print(f"passed: {len(cases)} cases, {sum(len(one['attempts']) for one in expected)} attempts, {len(results)} servers")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
