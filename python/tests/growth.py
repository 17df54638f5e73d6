#!/usr/bin/env python3
"""Maps jobs for a long time in one process, with log and metrics, and says how the memory grows. Each job that is loaded is mapped ten times.

    growth.py FOLDER [--mappings N]

FOLDER is a case, as for `per_call.py`. The exit status is 1 if the process grows by more than 5 MB after its first tenth.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import socket
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import live_galaxy
from galaxy.web.statsd_client import VanillaGalaxyStatsdClient
from per_call import Stored, read_case, resident_mb


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mappings", type=int, default=10_000)
    arguments = parser.parse_args()
    configs, world, records = read_case(arguments.folder, 100)
    from tpvc.rules import gateway

    with tempfile.TemporaryDirectory() as place, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        stored = Stored(world, live_galaxy.first_tool(), place)
        stored.app.config.watch_job_rules = "false"
        client = VanillaGalaxyStatsdClient("127.0.0.1", server.getsockname()[1], "galaxy", False)
        stored.app.execution_timer_factory = SimpleNamespace(galaxy_statsd_client=client)
        calls = [stored.store(record) for record in records]
        referrer = SimpleNamespace(id="tpv_dispatcher", params={"tpvc_decision_log": f"{place}/log.jsonl"})
        sizes = []
        for number in range(arguments.mappings):
            if number % (arguments.mappings // 10) == 0:
                gc.collect()
                sizes.append(resident_mb())
                print(f"{number:>8} mappings: {sizes[-1]:.1f} MB", flush=True)
            if number % 10 == 0:
                loaded = stored.load(calls[number // 10 % len(calls)])
            with contextlib.suppress(Exception):
                gateway.map_tool_to_destination(referrer=referrer, tpv_config_files=configs, **loaded)
        gc.collect()
        grown = resident_mb() - sizes[1]
        print(f"{arguments.mappings:>8} mappings: {grown:+.1f} MB after the first tenth")
        lines = Path(f"{place}/log.jsonl").read_bytes().count(b"\n")
        print(f"{lines} lines")
    return 1 if grown > 5 else 0


if __name__ == "__main__":
    sys.exit(main())
