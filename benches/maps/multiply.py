#!/usr/bin/env python3
"""Makes a large job file of a small one: its lines again and again, with new ids and other sizes of inputs.

    multiply.py JOBS COUNT > LARGE
"""

import random
import re
import sys

# The job's id at the start of a line, and sizes in bytes.
FIELDS = re.compile(rb'(?:^\{"id": ?)("[^"]*"|\d+)|(?:"size": ?)(\d+)')


def template(line):
    """The line in pieces: text, `None` for the id, numbers for sizes."""
    pieces, last = [], 0
    for match in FIELDS.finditer(line):
        start, end = match.span(match.lastindex)
        pieces += [line[last:start], None if match.lastindex == 1 else int(match[2])]
        last = end
    return [*pieces, line[last:]]


def main():
    path, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(17)
    with open(path, "rb") as file:
        templates = [template(line) for line in file]
    for number in range(count):
        factor = rng.random() * 2
        for piece in templates[number % len(templates)]:
            if not isinstance(piece, bytes):
                piece = b"%d" % (number if piece is None else int(piece * factor))
            sys.stdout.buffer.write(piece)


if __name__ == "__main__":
    main()
