#!/usr/bin/env python3
"""Processes of TPV and of tpvc admit jobs to the same pools in one Valkey, which is killed and started again in the middle.

    pools_mixed.py [--processes 16] [--seconds 20] [--seed N]

Needs TPV 3.3.0 with `redis` beside tpvc, and `valkey-server` or `redis-server` on the path. A watcher reads all ledgers at one
moment, again and again: no budget may be passed at any. Prints what was admitted, and exits with 1 where anything is wrong.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from typing import Any

import redis

USERS = (1, 2)
# Cores, memory, GPUs; the most oversize jobs; whether one reserves the pool.
POOLS: dict[str, tuple[tuple[float | None, float | None, float | None], int, bool]] = {
    "cores": ((32, None, None), 2, False),
    "memory": ((None, 100.5, None), 0, False),
    "gpus": ((64, None, 3), 1, False),
    "exclusive": ((16, 64, None), 1, True),
}
PREFIX = "mixed:pool"
DOWN_SECONDS = 3.0

WATCH = """
local found = {}
for _, key in ipairs(KEYS) do found[#found + 1] = redis.call('HVALS', key) end
return found
"""


def key(pool: str, user: int) -> str:
    return f"{PREFIX}:{pool}:user:{{{user}}}"


def admit(engine: str, number: int, port: int, seed: int, seconds: float, ready: Any, results: Any) -> None:
    """Admits and finishes jobs until the time is over; tells every call's start, end and outcome."""
    if engine == "tpv":
        from tpv.core import resource_pool as pools
    else:
        from tpvc.core import resource_pool as pools
    store = pools.ValkeyAllocationStore(
        url=f"valkey://127.0.0.1:{port}/0", key_prefix=PREFIX, socket_timeout=2, socket_connect_timeout=2
    )
    rng = random.Random(seed * 1000 + number)
    running: dict[int, set[int]] = {user: set() for user in USERS}
    finished: dict[int, set[int]] = {user: set() for user in USERS}
    calls: list[tuple[float, float, str]] = []
    # TPV takes long to import.
    ready.wait()
    until = time.time() + seconds
    job = number * 1_000_000
    while time.time() < until:
        user = rng.choice(USERS)
        # A third of the calls ask again for a job that runs, as Galaxy does where a rule is called twice.
        again = rng.random() < 0.3 and bool(running[user])
        job_id = rng.choice(sorted(running[user])) if again else job
        job += 0 if again else 1
        for ended in [one for one in running[user] if one != job_id and rng.random() < 0.2]:
            running[user].discard(ended)
            finished[user].add(ended)
        request = pools.ResourceUsage(rng.choice([0.5, 1, 3, 7.6]), rng.choice([0.1, 4, 15.2]), rng.choice([0, 0, 1]))
        admissions = []
        start = time.time()
        try:
            for pool in sorted(rng.sample(sorted(POOLS), rng.randint(1, 3))):
                budget, max_oversize, reserve = POOLS[pool]
                kind = pools.OVERSIZE if max_oversize and rng.random() < 0.1 else pools.NORMAL
                drop = {one for one in store.read(pool, user) if one in finished[user]}
                admissions.append(
                    pools.PoolAdmission(pool, request, kind, pools.Budget(*budget), max_oversize, reserve, drop)
                )
            granted = store.admit_many(user, job_id, admissions)
        except pools.StoreUnavailable:
            outcome = "away"
            time.sleep(0.01)
        else:
            outcome = "granted" if granted else "refused"
            (running[user].add if granted else running[user].discard)(job_id)
        calls.append((start, time.time(), outcome))
    results.put((engine, calls, {user: sorted(jobs) for user, jobs in running.items()}))


def wrong(values: list[str], pool: str) -> str | None:
    """What is wrong with a ledger, if anything."""
    (cores, mem, gpus), max_oversize, reserve = POOLS[pool]
    used, oversize = [0.0, 0.0, 0.0], 0
    for value in values:
        *amounts, kind = value.split("|")
        if kind == "oversize":
            oversize += 1
        else:
            used = [sum(pair) for pair in zip(used, map(float, amounts))]
    for most, amount in zip((cores, mem, gpus), used):
        if most is not None and amount > most + 1e-9:
            return f"{pool}: {used} passes {(cores, mem, gpus)}"
    if oversize > max_oversize:
        return f"{pool}: {oversize} oversize jobs"
    if reserve and oversize and any(used):
        return f"{pool}: {oversize} oversize beside {used}"
    return None


def start(program: str, port: int, folder: str) -> subprocess.Popen[bytes]:
    options = [
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--appendonly",
        "yes",
        "--appendfsync",
        "always",
    ]
    process = subprocess.Popen([program, *options, "--dir", folder], stdout=subprocess.DEVNULL)
    while True:
        try:
            redis.Redis(port=port).ping()
            return process
        except redis.RedisError:
            time.sleep(0.02)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    args = parser.parse_args()
    program = shutil.which("valkey-server") or shutil.which("redis-server")
    if program is None:
        print("neither valkey-server nor redis-server is on the path", file=sys.stderr)
        return 1
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tempfile.mkdtemp()
    server = start(program, port, folder)
    print(f"--seed {args.seed} --processes {args.processes} --seconds {args.seconds}", flush=True)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    ready = context.Barrier(args.processes + 1)
    engines = ["tpv" if number % 2 else "tpvc" for number in range(args.processes)]
    workers = [
        context.Process(target=admit, args=(engine, number, port, args.seed, args.seconds, ready, results))
        for number, engine in enumerate(engines, 1)
    ]
    for worker in workers:
        worker.start()
    ready.wait()
    begun = time.time()
    until = begun + args.seconds
    problems: list[str] = []
    looks = 0
    down = up = None
    names = [(pool, user) for pool in POOLS for user in USERS]
    client = redis.Redis(port=port, decode_responses=True)
    watch = client.register_script(WATCH)
    while time.time() < until:
        if down is None and time.time() > begun + args.seconds / 2:
            server.kill()
            server.wait()
            down = time.time()
            time.sleep(DOWN_SECONDS)
            up = time.time()
            server = start(program, port, folder)
        for (pool, _), values in zip(names, watch(keys=[key(*name) for name in names])):
            problem = wrong(values, pool)
            if problem:
                problems.append(problem)
        looks += 1
        time.sleep(0.002)
    counts: Counter[tuple[str, str]] = Counter()
    told: dict[int, set[int]] = {user: set() for user in USERS}
    for _ in workers:
        engine, calls, running = results.get(timeout=60)
        for begin, end, outcome in calls:
            counts[engine, outcome] += 1
            if outcome == "granted" and down is not None and up is not None and down <= begin and end <= up:
                problems.append(f"{engine} admitted without a server")
        for user, jobs in running.items():
            told[user] |= set(jobs)
    for worker in workers:
        worker.join()
    # Every job that was admitted last stands in a ledger, unless it was refused since.
    for user in USERS:
        held = {int(job) for pool in POOLS for job in client.hkeys(key(pool, user))}
        lost = told[user] - held
        if lost:
            problems.append(f"user {user}: {len(lost)} admitted jobs are in no ledger, as {sorted(lost)[:3]}")
    server.kill()
    server.wait()
    shutil.rmtree(folder)
    for engine in ("tpv", "tpvc"):
        shown = ", ".join(f"{outcome} {counts[engine, outcome]}" for outcome in ("granted", "refused", "away"))
        print(f"{engine:>4}: {engines.count(engine)} processes, {shown}")
    print(f"looked at all ledgers {looks} times; the server was away for {DOWN_SECONDS} s")
    print("\n".join(Counter(problems)) or "no budget was passed, nothing was admitted without the server")
    is_vacuous = any(counts[engine, what] < 20 for engine in set(engines) for what in ("granted", "refused", "away"))
    return 1 if problems or is_vacuous else 0


if __name__ == "__main__":
    sys.exit(main())
