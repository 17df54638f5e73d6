"""Compares the jobs that `tpvc diff --jobs` names with those whose answers by the real TPV differ.

    tpvc diff --old old.yml --new new.yml --jobs jobs.jsonl --differences differences.jsonl
    against_tpv.py OLD_ANSWERS NEW_ANSWERS differences.jsonl

OLD_ANSWERS and NEW_ANSWERS are TPV's answers to the same jobs by either config, in the form of an answer file; docs/recording.md says how
to get them. Answers differ where Python's `==` says so, but for what docs/differences.md has: the message of an abstract entity, which TPV ends
with all fields of the entity and an address in memory. Exit status 1 where the sets of jobs are not the same.
"""

import json
import sys


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [compared(json.loads(line)) for line in lines]


def compared(answer):
    """The answer without what says how it was found, and with the message that tpvc gives where an abstract entity matches."""
    answer.pop("candidates", None)
    message = answer.get("error", {}).get("message")
    if isinstance(message, str) and message.startswith("This entity is abstract"):
        answer["error"]["message"] = message.split(" inherits=")[0]
    return answer


def same(one, other):
    """Python's `==`, but for numbers that are none."""
    if isinstance(one, float) and isinstance(other, float) and one != one and other != other:
        return True
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other


def main(old_path, new_path, differences_path):
    old, new = read(old_path), read(new_path)
    assert len(old) == len(new), "TPV answered another number of jobs by each config"
    by_tpv = {line for line, (before, after) in enumerate(zip(old, new), 1) if not same(before, after)}
    named = [difference["line"] for difference in read(differences_path)]
    by_tpvc = set(named)
    assert named == sorted(by_tpvc), "a job is named twice, or out of order"
    elsewhere = sum(
        before.get("destination", {}).get("id") != after.get("destination", {}).get("id")
        for before, after in zip(old, new)
    )
    print(f"{len(old)} jobs: {len(by_tpv)} differ by TPV ({elsewhere} go elsewhere), {len(by_tpvc)} are named by tpvc")
    for what, lines in (("not named", by_tpv - by_tpvc), ("named in vain", by_tpvc - by_tpv)):
        for line in sorted(lines)[:5]:
            print(f"{what}: line {line}\n  old {json.dumps(old[line - 1])}\n  new {json.dumps(new[line - 1])}")
        if lines:
            print(f"{len(lines)} {what}")
    return 0 if by_tpv == by_tpvc else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
