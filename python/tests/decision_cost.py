#!/usr/bin/env python3
"""What the log of decisions costs a mapping in Galaxy: the gateway with and without it, in turns, in processor time.

    decision_cost.py FOLDER [--jobs N] [--rounds N]

FOLDER is a case, as for `per_call.py`: jobs, users and datasets stand in an SQLite database. Objects are at hand, or just loaded.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import live_galaxy
from per_call import Stored, read_case


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    configs, world, records = read_case(arguments.folder, arguments.jobs)
    from tpvc.rules import gateway

    with tempfile.TemporaryDirectory() as place:
        stored = Stored(world, live_galaxy.first_tool(), place)
        stored.app.config.watch_job_rules = "false"
        calls = [stored.store(record) for record in records]
        log = Path(place) / "log.jsonl"
        logged = SimpleNamespace(id="logged", params={"tpvc_decision_log": str(log)})
        plain = SimpleNamespace(id="plain", params={})
        seconds: dict[str, list[list[float]]] = {}

        def timed(name: str, index: int, referrer: Any, call: dict[str, Any]) -> None:
            started = time.thread_time()
            try:
                gateway.map_tool_to_destination(referrer=referrer, tpv_config_files=configs, **call)
            except Exception:
                pass
            spent = time.thread_time() - started
            seconds.setdefault(name, [[] for _ in calls])[index].append(spent)

        for index, call in enumerate(calls):
            loaded = stored.load(call)
            for referrer in (plain, logged):
                timed("warm up", index, referrer, loaded)
        for _ in range(arguments.rounds):
            for index, call in enumerate(calls):
                engines = [("without", plain), ("with", logged)]
                random.shuffle(engines)
                for name, referrer in engines:
                    loaded = stored.load(call)
                    timed(f"{name}, just loaded", index, referrer, loaded)
                    timed(f"{name}, at hand", index, referrer, loaded)
        # Of each job the median of the rounds: other processes disturb some.
        means = {name: statistics.fmean(statistics.median(each) for each in jobs) for name, jobs in seconds.items() if name != "warm up"}
        for name, mean in sorted(means.items()):
            print(f"{name:22} {mean * 1e6:8.1f} us")
        for when in ("at hand", "just loaded"):
            more = means[f"with, {when}"] - means[f"without, {when}"]
            print(f"{when}: the log costs {more * 1e6:.1f} us, {100 * more / means[f'without, {when}']:.1f} % of a mapping")
        sizes = [len(line) + 1 for line in log.read_text().splitlines()]
        print(f"{len(sizes)} lines of {statistics.fmean(sizes):.0f} bytes, at most {max(sizes)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
