#!/usr/bin/env python3
"""What the log of decisions and the metrics cost a mapping in Galaxy: with and without them, in turns, in processor time.

    decision_cost.py FOLDER [--jobs N] [--rounds N]

FOLDER is a case, as for `per_call.py`: jobs, users and datasets stand in an SQLite database. Objects are at hand, or just loaded; "Galaxy" is its own way to a
rule, `JobRunnerMapper`, with objects just loaded; the others call the gateway.
"""

from __future__ import annotations

import argparse
import random
import socket
import statistics
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import live_galaxy
from galaxy.web.statsd_client import VanillaGalaxyStatsdClient
from per_call import Stored, read_case, through_galaxy


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
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 0))
        client = VanillaGalaxyStatsdClient("127.0.0.1", server.getsockname()[1], "galaxy", False)
        # The name of a way to map, its dispatcher and its statsd client.
        ways: list[tuple[str, Any, Any]] = [("neither", plain, None), ("log", logged, None), ("log and metrics", logged, client)]
        whole = {way.id: through_galaxy("tpvc.rules", configs, way.params, f"galaxy_{way.id}") for way in (plain, logged)}
        seconds: dict[str, list[list[float]]] = {}

        def by_gateway(referrer: Any, **call: Any) -> None:
            gateway.map_tool_to_destination(referrer=referrer, tpv_config_files=configs, **call)

        def by_galaxy(referrer: Any, **call: Any) -> None:
            whole[referrer.id](**call)

        def timed(name: str, index: int, referrer: Any, sender: Any, call: dict[str, Any], map_job: Any = by_gateway) -> None:
            stored.app.execution_timer_factory = SimpleNamespace(galaxy_statsd_client=sender)
            started = time.thread_time()
            try:
                map_job(referrer, **call)
            except Exception:
                pass
            spent = time.thread_time() - started
            seconds.setdefault(name, [[] for _ in calls])[index].append(spent)

        for index, call in enumerate(calls):
            loaded = stored.load(call)
            for _, referrer, sender in ways:
                timed("warm up", index, referrer, sender, loaded)
                timed("warm up", index, referrer, sender, loaded, by_galaxy)
        for _ in range(arguments.rounds):
            for index, call in enumerate(calls):
                random.shuffle(ways)
                for name, referrer, sender in ways:
                    loaded = stored.load(call)
                    timed(f"{name}, just loaded", index, referrer, sender, loaded)
                    timed(f"{name}, at hand", index, referrer, sender, loaded)
                    timed(f"{name}, Galaxy", index, referrer, sender, stored.load(call), by_galaxy)
        # Of each job the median of the rounds: other processes disturb some.
        means = {name: statistics.fmean(statistics.median(each) for each in jobs) for name, jobs in seconds.items() if name != "warm up"}
        for when in ("just loaded", "at hand", "Galaxy"):
            base = means[f"neither, {when}"]
            for name in ("neither", "log", "log and metrics"):
                mean = means[f"{name}, {when}"]
                print(f"{when:12} {name:16} {mean * 1e6:8.1f} us  {(mean - base) * 1e6:+7.1f} us  {100 * (mean / base - 1):+5.1f} %")
        sizes = [len(line) + 1 for line in log.read_text().splitlines()]
        print(f"{len(sizes)} lines of {statistics.fmean(sizes):.0f} bytes, at most {max(sizes)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
