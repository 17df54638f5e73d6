#!/usr/bin/env python3
"""Streams of jobs like those that servers and benchmarks send, drawn from the lines of a job file. See README.md."""

import argparse
import itertools
import json
import random
import sys
from collections import defaultdict

ZIPF = 1.1
"""The exponent by which the frequency of tools and users falls with their rank."""

MEDIAN_SIZE, SIGMA, LARGEST = 180e6, 3.0, 400 * 2**30
"""Sizes of input datasets in bytes are log-normal: half of them below 180 MB, one in a hundred above 190 GB."""


class Pool:
    """Tools, users and whatever else the lines of a job file have, to be put together anew."""

    def __init__(self, lines, users, rng):
        self.by_tool = defaultdict(list)
        for line in lines:
            self.by_tool[json.loads(line)["tool"]["id"]].append(line)
        self.tools = sorted(self.by_tool)
        # The order is the rank in Zipf's law; the pool's own order must not decide it.
        rng.shuffle(self.tools)
        found = {json.dumps(job.get("user"), sort_keys=True) for job in map(json.loads, lines)}
        self.users = [json.loads(user) for user in sorted(found)]
        rng.shuffle(self.users)
        # A server has more users than a pool: the same kinds of users again under other names.
        self.users = [renamed(user, number) for number, user in zip(range(users), itertools.cycle(self.users))]


def renamed(user, number):
    """The user, once more; names and addresses that rules look for stay."""
    if user is None:
        return None
    user = dict(user, id=number + 1)
    if str(user.get("email", "")).startswith(("someone", "person")):
        user["email"] = f"person{number}@example.org"
    return user


def zipf(count):
    return list(itertools.accumulate(1 / (rank + 1) ** ZIPF for rank in range(count)))


def put_together(pool, tool, user, number, rng):
    """A job of the tool: a line of the pool with another user, other sizes, another seed."""
    job = json.loads(rng.choice(pool.by_tool[tool]))
    job["id"], job["seed"], job["user"] = f"job-{number}", rng.getrandbits(32), user
    job.setdefault("job", {})["id"] = number
    for dataset in job["job"].get("input_datasets") or []:
        if dataset.get("size") is not None:
            dataset["size"] = int(min(rng.lognormvariate(0, SIGMA) * MEDIAN_SIZE, LARGEST))
    return json.dumps(job)


def server_like(pool, count, rng):
    """Tools and users by Zipf's law, sizes log-normal, every job new."""
    tools, users = zipf(len(pool.tools)), zipf(len(pool.users))
    for number in range(1, count + 1):
        tool = rng.choices(pool.tools, cum_weights=tools)[0]
        user = rng.choices(pool.users, cum_weights=users)[0]
        yield put_together(pool, tool, user, number, rng)


def new(pool, count, rng):
    """Tools and users drawn evenly, every job new."""
    for number in range(1, count + 1):
        yield put_together(pool, rng.choice(pool.tools), rng.choice(pool.users), number, rng)


def repeated(pool, count, rng):
    """A thousand jobs of the stream `new`, again and again."""
    yield from itertools.islice(itertools.cycle(list(new(pool, min(1000, count), rng))), count)


STREAMS = {"server-like": server_like, "new": new, "repeated": repeated}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stream", choices=STREAMS)
    parser.add_argument("pool", help="a job file whose lines reach the rules")
    parser.add_argument("-n", "--lines", type=int, default=200_000)
    parser.add_argument("--users", type=int, default=2000, help="how many users the server has [2000]")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    with open(args.pool, encoding="utf-8") as file:
        pool = Pool([line for line in file if line.strip()], args.users, rng)
    sys.stdout.writelines(line + "\n" for line in STREAMS[args.stream](pool, args.lines, rng))


if __name__ == "__main__":
    main()
