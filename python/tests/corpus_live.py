#!/usr/bin/env python3
"""Maps job files with objects of Galaxy's own classes, by TPV and by tpvc, and compares the answers.

    corpus_live.py FOLDER... [--jobs N] [--table N]

Each folder that has a `case.json` below FOLDER is mapped: its configs, its `jobs.jsonl`, its `world.json`. Each of the two gets
objects of its own. With --table the job table holds so many jobs, queued and running at the config's destinations, for rules that
rank by load. With TPVC_FORCE_CPYTHON=SEED in the environment half of all blocks run in CPython. Prints what differs and
exits with 1 where anything does.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import re
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

import live_galaxy  # noqa: E402
import tpvc  # noqa: E402
from tpv.core.entities import Rule as TpvRule  # noqa: E402
from tpv.rules import gateway as tpv_gateway  # noqa: E402

FIELDS = ("id", "runner", "tags", "params", "env", "resubmit")


def answer(mapper: Any, call: dict[str, Any], seed: Any) -> Any:
    """What a mapper answers: a destination's fields, or the exception's class and text."""
    try:
        destination = mapper(call, seed)
    except Exception as error:
        text = getattr(error, "failure_message", None) or str(error)
        # TPV prints the whole entity, with the address of its loader; tpvc names it (docs/differences.md).
        return type(error).__name__, re.sub(r"(?s)(cannot be mapped : ).*", r"\1...", text)
    return {name: getattr(destination, name) for name in FIELDS}


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal in value and in kind."""
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and bool(a == b)


def table(rows: int, destinations: list[str]) -> list[dict[str, Any]]:
    """Jobs of a job table, the same each time."""
    source = random.Random(rows)
    states = ["new", "queued", "queued", "running", "ok", "error", "deleted"]
    weights = [source.random() ** 3 for _ in destinations]
    return [
        {
            "tool_id": f"toolshed.g2.bx.psu.edu/repos/iuc/tool{source.randrange(50)}/tool/1.0",
            "user_id": source.randrange(1, 50),
            "state": source.choice(states),
            "destination_id": source.choices(destinations, weights)[0],
        }
        for _ in range(rows)
    ]


def run(folder: Path, limit: int | None, rows: int, tool: Any) -> tuple[int, int, float, float, Counter[str]]:
    case = json.loads((folder / "case.json").read_text())
    world_file = folder / "world.json"
    world = json.loads(world_file.read_text()) if world_file.is_file() else {}
    configs = [str((folder / config).resolve()) for config in case["configs"]]
    records = [json.loads(line) for line in (folder / "jobs.jsonl").read_text().splitlines() if line.strip()][:limit]

    # TPV numbers rules without an id over the whole process.
    TpvRule.rule_counter = 0
    tpv = tpv_gateway.load_destination_mapper(configs)

    def by_tpv(call: dict[str, Any], seed: Any) -> Any:
        random.seed(seed)
        return tpv.map_to_destination(**call)

    mapper = tpvc.Mapper(tpvc.compile(configs))

    def by_tpvc(call: dict[str, Any], seed: Any) -> Any:
        random.seed(seed)
        return mapper.map_galaxy(**call, seed=seed)

    if rows:
        world["jobs"] = table(rows, list(tpv.destinations))
    worlds = live_galaxy.World(world, tool), live_galaxy.World(world, tool)
    seconds = [0.0, 0.0]
    agree = shown = 0
    kinds: Counter[str] = Counter()
    for record in records:
        found = []
        for i, engine in enumerate((by_tpv, by_tpvc)):
            call = worlds[i].call(record)
            started = time.perf_counter()
            found.append(answer(engine, call, record.get("seed", 0)))
            seconds[i] += time.perf_counter() - started
        kinds[found[0][0] if isinstance(found[0], tuple) else "destination"] += 1
        if same(found[0], found[1]):
            agree += 1
        elif shown < 5:
            shown += 1
            print(f"  {folder.name} {record['id']}:\n    TPV   {str(found[0])[:400]}\n    tpvc  {str(found[1])[:400]}")
    return agree, len(records), seconds[0], seconds[1], kinds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--jobs", type=int, help="so many jobs of each case")
    parser.add_argument("--table", type=int, default=0, help="so many rows in the job table, in place of the world's")
    arguments = parser.parse_args()
    tool = live_galaxy.first_tool()
    agreed = total = 0
    for root in arguments.folders:
        for file in sorted(root.rglob("case.json")):
            agree, count, by_tpv, by_tpvc, kinds = run(file.parent, arguments.jobs, arguments.table, tool)
            print(
                f"{file.parent!s:50} {agree}/{count} agree; TPV {by_tpv / count * 1e3:.2f} ms, tpvc {by_tpvc / count * 1e6:.0f} us "
                f"a job; {dict(kinds)}",
                flush=True,
            )
            agreed, total = agreed + agree, total + count
    print(f"{agreed} of {total} jobs agree")
    return 0 if agreed == total else 1


if __name__ == "__main__":
    sys.exit(main())
