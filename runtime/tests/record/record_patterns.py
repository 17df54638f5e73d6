"""Records which keys CPython's `re.compile(key).match(id)` finds, for `tests/patterns.rs`.

    python3 record_patterns.py > ../recorded/patterns.json

The result is a list of {"keys", "ids", "matches"}: for each id the ascending indices of the keys that match, before the
first key that does not compile.
"""

import json
import random
import re
import sys
import warnings

warnings.simplefilter("ignore")

TOOLS = [
    "default", "upload1", "__.*__", "bwa", "bwa_mem", "bwa_mem.*", ".*", "cat1|sort1", "^cat", "cat1$", "cat1\\Z",
    "toolshed.g2.bx.psu.edu/repos/iuc/bwa/.*", "toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa_mem/.*",
    "toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa_mem/0.7.*", "toolshed.g2.bx.psu.edu/repos/(iuc|devteam)/bwa/bwa(_mem)?/*",
    "toolshed\\.g2\\.bx\\.psu\\.edu/repos/iuc/bwa/.*", "testtoolshed.g2.bx.psu.edu/repos/.*/bwa/.*",
    "interactive_tool_.*", "interactive_tool_(?!jupyter).*", ".*/bwa_mem/.*", ".*bwa.*", ".*edu/.*/bwa_mem/\\d+\\.\\d+",
    "toolshed.g2.bx.psu.edu/repos/iuc/[a-c]+/.*", "b[wm]a", "b[^w]a", "bwa(?P<v>_mem)?(?(v)2|$)", "(?i)BWA", "(?s).", "b.a",
    "", "$", "^$", "\u00e9t\u00e9.", "..", "bwa_mem{1,2}", "x*", "a++b", "(?x) b w a # c", "bwa\\b", "\\w+", "b+wa", "bw{1}a",
]
IDS = [
    "", "default", "upload1", "__SET_METADATA__", "bwa", "bwa_mem", "bwa_mem2", "bwa\n", "bwa_", "cat1", "cat1\n", "cat11", "sort1",
    "toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa_mem/0.7.17.2", "toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa_mem/",
    "toolshedXg2.bx.psu.edu/repos/iuc/bwa/bwa_mem/0.7", "toolshed\ng2.bx.psu.edu/repos/iuc/bwa/bwa_mem/0.7",
    "toolshed.g2.bx.psu.edu/repos/devteam/bwa/bwa/0.7", "testtoolshed.g2.bx.psu.edu/repos/x/y/bwa/1",
    "interactive_tool_jupyter", "interactive_tool_rstudio", "BWA", "b\u00e9a", "b\na", "\u00e9t\u00e9s", "\u00e9t\u00e9", "aaab", "\n", "bbwa", "\U0001f600\u00e9",
]


def matches(keys, name):
    found = []
    for index, key in enumerate(keys):
        try:
            if re.compile(key).match(name):
                found.append(index)
        except (re.error, OverflowError):
            break
    return found


def case(keys, ids):
    return {"keys": keys, "ids": ids, "matches": [matches(keys, name) for name in ids]}


def main():
    rng = random.Random(7)
    cases = [case(TOOLS, IDS), case(TOOLS[:12] + ["(bwa", "*"] + TOOLS[12:], IDS), case(["*"], ["a"]), case([], ["a"])]
    parts = list("aab.b/") + [".*", "a?", "(a|b)", "b*", "[ab]", "\\w", "$", "(?:ab)?", "a+", "(|a)", "\u00e9", "^", "b{2}", "(?=a)", "a*?", "\\Z"]
    for _ in range(60):
        keys = ["".join(rng.choice(parts) for _ in range(rng.randint(1, 6))) for _ in range(12)]
        keys = [key + ("|" + rng.choice(parts) if rng.random() < 0.15 else "") for key in keys]
        ids = ["".join(rng.choice("aab./\u00e9\n") for _ in range(rng.randint(0, 6))) for _ in range(12)]
        cases.append(case(keys, ids))
    sys.stdout.write("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n")


main()
