#!/usr/bin/env python3
"""Random clusters and jobs, and when each job starts by EASY backfill: the reference of `tpvc simulate`, with which it shares nothing but the definition.

    tests/simulate/easy.py SEED COUNT

writes a line of JSON for each scenario. The definition, as docs/simulate.md has it: at each moment all jobs that end free what they held, and all jobs
that arrive join the queue. Then the first of the queue starts as long as a node has room for it. If it has to wait, the earliest time at which
it can start is computed from the jobs that run. Every later job of the queue, in order, starts if after that the first one can still start at
that time. Of the nodes on which it may start a job takes the one with the fewest free cores, of equal ones the first; a job without GPUs takes one that
has GPUs only if there is no other. The simulation looks at 500 waiting jobs; no scenario has so many."""

import json
import random
import sys

NO_LIMIT = 10**12


def earliest(free, running, request, now):
    """The earliest time at which a node has room for a request, if nothing else starts."""
    free = [list(node) for node in free]
    if any(fits(request, node) for node in free):
        return now
    ends = sorted(running)
    for index, (end, node, held) in enumerate(ends):
        free[node] = [room + amount for room, amount in zip(free[node], held)]
        is_last_of_moment = index + 1 == len(ends) or ends[index + 1][0] != end
        if is_last_of_moment and any(fits(request, node) for node in free):
            return end
    return None


def fits(request, free):
    return all(amount <= room for amount, room in zip(request, free))


def taken(free, node, request):
    """What is free once a node holds a request, too."""
    return [[room - amount for room, amount in zip(rooms, request)] if index == node else rooms for index, rooms in enumerate(free)]


def choose(nodes, free, request, may):
    """The node that a job takes of those on which it may start."""
    allowed = [index for index, rooms in enumerate(free) if fits(request, rooms) and may(index)]
    without_gpus = [index for index in allowed if nodes[index][2] in (0, NO_LIMIT)]
    if request[2] == 0 and without_gpus:
        allowed = without_gpus
    return min(allowed, key=lambda index: (free[index][0], index), default=None)


def simulate(nodes, jobs, delay):
    """When each job starts; `None` for one that no node can hold."""
    starts = [None] * len(jobs)
    free = [list(node) for node in nodes]
    running, queue = [], []
    arrivals = [index for index, job in enumerate(jobs) if any(fits(job["has"], node) for node in nodes)]

    def start(index, node, now):
        nonlocal free
        starts[index] = now
        free = taken(free, node, jobs[index]["has"])
        running.append((now + delay + jobs[index]["runs"], node, jobs[index]["has"]))

    while arrivals or running:
        now = min([jobs[index]["arrives"] for index in arrivals[:1]] + [end for end, _, _ in running])
        for end, node, held in [entry for entry in running if entry[0] == now]:
            running.remove((end, node, held))
            free[node] = [room + amount for room, amount in zip(free[node], held)]
        while arrivals and jobs[arrivals[0]]["arrives"] == now:
            queue.append(arrivals.pop(0))
        while queue:
            node = choose(nodes, free, jobs[queue[0]]["has"], lambda _: True)
            if node is None:
                break
            start(queue.pop(0), node, now)
        if not queue:
            continue
        first = jobs[queue[0]]["has"]
        reserved = earliest(free, running, first, now)
        for index in list(queue[1:]):
            request, end = jobs[index]["has"], now + delay + jobs[index]["runs"]

            def delays_none(node):
                after = earliest(taken(free, node, request), running + [(end, node, request)], first, now)
                return after <= reserved

            node = choose(nodes, free, request, delays_none)
            if node is not None:
                queue.remove(index)
                start(index, node, now)
    return starts


def scenario(seed):
    """A cluster and its jobs at random. Amounts are whole; times are in milliseconds."""
    rng = random.Random(seed)
    # Where times are whole minutes many events happen at the same moment.
    step = rng.choice([1, 60_000])
    names_gpus, names_mem = rng.random() < 0.6, rng.random() < 0.8
    groups = []
    for _ in range(rng.randint(1, 3)):
        group = {"count": rng.randint(1, 3), "cores": rng.choice([4, 8, 16, 32])}
        if names_mem:
            group["mem"] = group["cores"] * rng.choice([2, 4, 8])
        if names_gpus and rng.random() < 0.6:
            group["gpus"] = rng.randint(1, 4)
        groups.append(group)
    others = 0 if any("gpus" in group for group in groups) else NO_LIMIT
    nodes = [[group["cores"], group.get("mem", NO_LIMIT), group.get("gpus", others)] for group in groups for _ in range(group["count"])]
    largest = max(node[0] for node in nodes)
    delay = rng.choice([0, 0, 30_000])
    # About as much work as there are cores, so that queues grow and drain.
    mean = 3_600_000 * rng.choice([0.5, 1, 2])
    gap = mean * largest / 3 / sum(node[0] for node in nodes) / rng.choice([0.8, 1.1, 1.5])
    jobs, at = [], 0
    for _ in range(rng.randint(30, 60)):
        at += rng.choice([0, int(rng.expovariate(1 / gap))])
        cores = rng.choice([1, 1, 2, 4, largest // 2, rng.randint(1, largest)])
        gpus = rng.randint(1, 2) if names_gpus and rng.random() < 0.25 else 0
        mem = rng.randint(1, 3 * cores) if names_mem else 0
        runs = max(1, int(rng.expovariate(1 / mean)))
        jobs.append({"arrives": at // step * step, "runs": -(-runs // step) * step, "has": [cores, mem, gpus]})
    cluster = {"destinations": ["main"], "nodes": groups, **({"start_delay": delay / 1000} if delay else {})}
    capacity = json.dumps({"clusters": {"main": cluster}})
    for job, starts in zip(jobs, simulate(nodes, jobs, delay)):
        job["starts"] = starts
    return {"seed": seed, "capacity": capacity, "jobs": jobs}


if __name__ == "__main__":
    first, count = int(sys.argv[1]), int(sys.argv[2])
    for seed in range(first, first + count):
        print(json.dumps(scenario(seed)))
