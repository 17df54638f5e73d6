#!/usr/bin/env python3
"""Records how Galaxy compares versions: python versions.py > ../recorded/versions.json (needs Galaxy installed).

Writes the versions, sorted and grouped: versions of one group are equal, and each group comes before the next. That is
checked over all pairs before it is written, so that the table stands for every comparison of two of them.
"""
import functools
import json
import random

from galaxy.tool_util.version import parse_version

HAND_MADE = """
1.0|1|1.0.0|01.0|v1.0|V1.0| 1.0 |1.0+galaxy1|1.0+galaxy0|1.0+galaxy10|1.0+galaxy2|1.0+galaxy.1|1.0+galaxy-1|1.0+galaxy_1
1.0+1|1.0+1.0|1.0+1.a|1.0+a.1|1.0+|1.0+a..b|1.0+a.|1.0++a|1.0+A|1.0+a|1.0a1|1.0.a1|1.0-a1|1.0_alpha_1|1.0ALPHA|1.0b|1.0beta.2
1.0c1|1.0rc1|1.0pre1|1.0preview1|1.0.rc|1.0rc.|1.0-1|1.0.post1|1.0post|1.0rev2|1.0r2|1.0-r|1.0.post.|1.0-1a|1.0.dev|1.0.dev0|1.0dev3
1.0a1.dev1|1.0a1.post1|1.0a1.post1.dev1|1.0.post1.dev2|1!0|1!1.0|0!1.0|2!0.1|1.0.0.0.1|1.0.0a|1.10|1.9|1.2.3|1..2|.1|1.|a|b|A|abc1
0.0|0|00|0.0.0|0+galaxy1|1.1.0.46-0|1.1.0.46-0+galaxy1|2.7.10b|2.7.10b+galaxy1|2.5.0-2.1|0.7.17.4|0.7.17.5|1.0.0--x|1.0.0-x|1.0.0x
1.0.0-|1.0.0-final|1.0.0-dev|1.0.0.dev-x|1.0-rc_2|1.0-rc2x|1.0c2x|1.0-pre-x|2021.01.01|20210101|r12|r9|rev9|final|-|--||.|..|+|+galaxy1
1.2.3 4|1 .0|1.0 a|1,0|1.0/2|None|latest|master|1.x|1.X|x.1|1.0.0_x|1.0_1|1.0.1_1|99999999999999999999.1|99999999999999999998.1
1.0+99999999999999999999|1.0+99999999999999999998|1.0+0a|1.0+00|1.0+000|1.0e5|1e5|0x10|1.0.0rc1-2|1.0rc1post2|1.0.dev1.post1|v|vv1|v 1
1.0é|é|É|1.0.²|1.٣|٣.1|1.0\u00a0|\u20031.0|1.0\x1c|1.0\n|\t1.0|1.0\u2028|ſ1|1.0ſ|1.0K
""".strip("\n").replace("\n", "|").encode("ascii", "backslashreplace").decode("unicode_escape").split("|")


def versions():
    rng = random.Random(20240501)
    found = dict.fromkeys(HAND_MADE)
    pieces = ["0", "1", "2", "9", "10", "00", "1.0", ".", "-", "_", "+", "a", "b", "rc", "c", "pre", "post", "rev", "r", "dev",
              "alpha", "beta", "preview", "galaxy", "+galaxy", "+galaxy1", "!", "v", "x", "final", " ", "*", "@", "zz", "0.7"]
    while len(found) < 700:
        kind = rng.random()
        if kind < 0.4:
            text = "".join(rng.choice(pieces) for _ in range(rng.randint(1, 6)))
        else:
            text = ".".join(str(rng.choice([0, 0, 1, 2, 3, 10])) for _ in range(rng.randint(1, 4)))
            for part in (["a", "b", "rc", ".a", "-beta"], [".post", "-", "rev"], [".dev", "dev"]):
                if rng.random() < 0.3:
                    text += rng.choice(part) + rng.choice(["", "0", "1", "2", "11"])
            if rng.random() < 0.5:
                text += "+" + rng.choice(["galaxy", "galaxy.", "cuda", "", "g-"]) + rng.choice(["", "0", "1", "2", "10", "01"])
        found[text] = None
    return list(found)


def main():
    texts = versions()
    parsed = {text: parse_version(text) for text in texts}
    order = functools.cmp_to_key(lambda a, b: (parsed[a] > parsed[b]) - (parsed[a] < parsed[b]))
    groups = []
    for text in sorted(texts, key=order):
        if groups and parsed[groups[-1][0]] == parsed[text]:
            groups[-1].append(text)
        else:
            groups.append([text])
    place = {text: index for index, group in enumerate(groups) for text in group}
    for a in texts:
        for b in texts:
            assert (parsed[a] < parsed[b]) == (place[a] < place[b]), (a, b)
            assert (parsed[a] == parsed[b]) == (place[a] == place[b]), (a, b)
    shown = {text: repr(parsed[text]) for text in texts}
    print(json.dumps({"groups": groups, "repr": shown}, indent=0))


main()
