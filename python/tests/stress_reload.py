#!/usr/bin/env python3
"""Eight threads map jobs while the rules are loaded again a thousand times, in each of several processes: no error, no answer of neither rules, no
growth.

    stress_reload.py [--reloads N] [--threads N] [--processes N]
"""

from __future__ import annotations

import argparse
import logging
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

logging.disable(logging.CRITICAL)

import galaxy_objects as objects  # noqa: E402
from tpvc.galaxy import active  # noqa: E402
from tpvc.rules import gateway  # noqa: E402

RULES = """
tools:
  .*:
    cores: CORES
    mem: cores * 4
    params:
      spec: "{cores}-{mem}"
      total: "{sum(cores for _ in range(3))}"
    rules:
      - if: input_size > 1 and helpers.tag_values_match(entity, [])
        execute: |
          import colorsys
          entity.params['seen'] = f"{colorsys.__name__} {entity.cores}"
destinations:
  local: {runner: local}
"""
ANSWERS = [{"spec": f"{n}-{n * 4}", "total": str(3 * n), "seen": f"colorsys {n}"} for n in (2, 3)]

# Seconds between two jobs of a thread.
PAUSE = 0.005


def resident_mb() -> float:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reloads", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.processes > 1:
        command = [sys.executable, *sys.argv, "--processes", "1"]
        processes = [subprocess.Popen(command) for _ in range(arguments.processes)]
        # One that a signal ended has a negative status.
        return int(any([process.wait() for process in processes]))
    return stress(arguments.reloads, arguments.threads)


def stress(reloads: int, count: int) -> int:
    """The exit status for one process."""
    problems: list[str] = []
    mapped = [0] * count
    is_over = threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tpv.yml"
        file.write_text(RULES.replace("CORES", "2"))
        app = objects.app()

        def answer() -> dict[str, str]:
            job = objects.job(objects.dataset(2))
            return gateway.map_tool_to_destination(app, job, objects.tool(), objects.user(), tpv_config_files=[str(file)]).params

        def run(number: int) -> None:
            while not is_over.is_set():
                try:
                    found = answer()
                    if found not in ANSWERS:
                        problems.append(f"neither of the rules: {found}")
                except Exception as error:
                    problems.append(repr(error))
                mapped[number] += 1
                # Else a reload waits for eight turns of the interpreter at each of its steps.
                time.sleep(PAUSE)

        threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)]
        for thread in threads:
            thread.start()
        while not all(mapped):
            time.sleep(0.01)
        started = time.monotonic()
        memory: list[float] = []
        for number in range(reloads):
            file.write_text(RULES.replace("CORES", str(2 + number % 2)))
            active.reload(str(file.resolve()))
            if answer() != ANSWERS[number % 2]:
                problems.append(f"the rules before reload {number + 1}")
            if number in (reloads // 10, reloads - 1):
                memory.append(resident_mb())
        is_over.set()
        for thread in threads:
            thread.join(30)
            if thread.is_alive():
                problems.append("a thread does not end")
        seconds = time.monotonic() - started
    print(
        f"{reloads} reloads and {sum(mapped)} jobs of {count} threads in {seconds:.1f} s; "
        f"memory after a tenth {memory[0]:.1f} MB, after all {memory[-1]:.1f} MB; {len(problems)} problems"
    )
    for problem in problems[:10]:
        print(f"  {problem}")
    return 1 if problems or memory[-1] > memory[0] + 20 else 0


if __name__ == "__main__":
    sys.exit(main())
