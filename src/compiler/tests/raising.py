"""Evaluates expressions with values of each type: which of them raise whatever the values are.

    python3 raising.py < expressions.txt

Prints a line for each expression: `raises`, `works` or `differs`, and the exception.
"""

import itertools
import math
import random
import re
import sys


class Object:
    """An object of Galaxy: it has attributes only."""


class Helpers:
    @staticmethod
    def input_size(job):
        return job.size


def thing(**attributes):
    made = Object()
    made.__dict__.update(attributes)
    return made


NUMBERS = [0, 1, 3, 7, 0.0, 0.5, 2.5, True]
TEXTS = ["a", "bwa/1.0", "", "7", "%s"]
LISTS = [[], [thing(name="x")], [thing(name="x"), thing(name="y")]]


def surroundings(random):
    pick = random.choice
    user = thing(email=pick(TEXTS), username=pick(TEXTS), id=pick([1, 5]))
    job = thing(input_datasets=pick(LISTS), id=pick([1, 2]), history=pick([None, thing(name="h")]), size=pick([0.0, 2.5]))
    return {
        "input_size": pick([0.0, 0.25, 1.0, 40.5]),
        "cores": pick(NUMBERS), "mem": pick(NUMBERS), "gpus": pick(NUMBERS),
        "tool": thing(id=pick(TEXTS), version=pick([None, "1.10", "2.0", "7"]), requires_galaxy_python_environment=pick([True, False])),
        "user": pick([None, user]), "job": job, "app": thing(),
        "entity": thing(params=pick([{}, {"a": 1}]), context=pick([{}, {"b": "c"}])),
        "helpers": Helpers, "candidate_destinations": pick(LISTS),
        "math": math, "re": re,
    }


def main():
    random.seed(5)
    sets = [surroundings(random) for _ in range(40)]
    for line in sys.stdin:
        seen, exceptions = set(), set()
        code = compile(line.strip(), "", "eval")
        for names in sets:
            try:
                eval(code, dict(names))
                seen.add("works")
            except Exception as error:  # noqa: BLE001
                seen.add("raises")
                exceptions.add(type(error).__name__)
            if len(seen) == 2:
                break
        print(seen.pop() if len(seen) == 1 else "differs", *sorted(exceptions))


if __name__ == "__main__":
    import warnings
    warnings.simplefilter("ignore")
    main()
