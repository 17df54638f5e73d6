#!/usr/bin/env python3
"""Run `tpv` and `tpvc` with the same arguments as whole processes, in turn, and print the ratios. See README.md."""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("configs", nargs="+", help="the config files to lint, all together")
    parser.add_argument("--tpv", default=str(Path(sys.executable).parent / "tpv"), help="TPV's command")
    parser.add_argument("--tpvc", default=str(PROJECT / "target" / "release" / "tpvc"))
    parser.add_argument("--runs", type=int, default=3, help="of TPV; after each, tpvc runs seven times")
    options = parser.parse_args()
    for name, arguments in [("--help", ["--help"]), ("lint", ["lint", *options.configs])]:
        theirs, ours = [], []
        for _ in range(options.runs):
            theirs.append(seconds([options.tpv, *arguments]))
            ours.extend(seconds([options.tpvc, *arguments]) for _ in range(7))
        tpv, tpvc = statistics.median(theirs), statistics.median(ours)
        print(f"{name:8} TPV {tpv:8.2f} s  tpvc {tpvc * 1000:8.2f} ms  ratio {tpv / tpvc:8.0f}", flush=True)


if __name__ == "__main__":
    main()
