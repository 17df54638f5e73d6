"""What the measurements of TPV and tpvc share: TPV's mapper and the world in which it maps, processes, and time."""

import collections
import contextlib
import datetime
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

os.environ["TZ"] = "UTC"
time.tzset()
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "fixtures" / "record"))

from galaxy_objects import build_app, build_call  # noqa: E402, F401
from record import Recorder, limit_files, stop_clock  # noqa: E402
from tpv.core.loader import TPVConfigLoader  # noqa: E402


def load(configs):
    """TPV's mapper by these files."""
    loader = None
    for config in configs:
        loader = TPVConfigLoader.from_url_or_path(config, parent=loader)
    return Recorder(loader)


@contextlib.contextmanager
def stated(world):
    """Code finds the files and the time that the world states; configs are read outside of it."""
    real = os.path.getsize, os.path.exists, os.path.isfile, datetime.datetime, datetime.date, time.time
    if world:
        limit_files(world.get("files", {}))
    if "now" in world:
        stop_clock(world["now"])
    try:
        yield
    finally:
        os.path.getsize, os.path.exists, os.path.isfile, datetime.datetime, datetime.date, time.time = real


DESTINATION = ("id", "runner", "tags", "params", "env", "resubmit")
RESOURCES = ("cores", "mem", "gpus")


def same(a, b):
    """Whether two values of answers are equal, numbers in their kind, too."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def equal(expected, found):
    """Whether two answers agree: the destination with all that is in it and the resources, or the type of the error."""
    if "error" in expected or "error" in found:
        return expected.get("error", {}).get("type") == found.get("error", {}).get("type")
    destinations = expected["destination"], found["destination"]
    return all(
        same(a.get(field), b.get(field)) or not (a.get(field) or b.get(field))
        for (a, b), fields in ((destinations, DESTINATION), ((expected, found), RESOURCES))
        for field in fields
    )


def answers(tpvc, rules, jobs, with_world):
    """tpvc's answers to the lines of a file."""
    # The status tells of lines that are no jobs, which the answers do, too.
    out = subprocess.run([tpvc, "map", "--quiet", rules, jobs, *with_world], capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def compare(name, expected, found):
    """Ends the run if an answer of tpvc is not TPV's."""
    differ = [a for a, b in zip(expected, found, strict=True) if not equal(a, b)]
    print(f"{name}: {len(expected) - len(differ)} of {len(expected)} answers are TPV's", flush=True)
    if differ:
        sys.exit(f"differs: {', '.join(str(answer['id']) for answer in differ[:20])}")


def refuse_errors(name, args, rules, jobs, with_world):
    """Ends the run if more than a fifth of the lines of a file end in errors, whose price is another than a mapping's."""
    found = answers(args.tpvc, rules, jobs, with_world)
    texts = [f"{error['type']}: {error['message']}" if (error := answer.get("error")) else None for answer in found]
    errors = collections.Counter(filter(None, texts))
    print(f"{name}: {errors.total()} of {len(found)} lines end in errors", flush=True)
    if args.allow_errors or 5 * errors.total() <= len(found):
        return
    text, times = errors.most_common(1)[0]
    with open(jobs, encoding="utf-8") as lines, tempfile.NamedTemporaryFile("w", suffix=".jsonl") as one:
        one.write(next(line for line, error in zip(lines, texts) if error == text))
        one.flush()
        # The log has the error with its place.
        log = subprocess.run([args.tpvc, "map", "-v", rules, one.name, *with_world], capture_output=True, text=True).stderr
    sys.exit(f"{name}: {times} lines end in {text}; more than a fifth end in errors, which is not what is to be measured\n{log}")


def map_job(mapper, call, seed):
    if seed is not None:
        random.seed(seed)
    try:
        return mapper.map_to_destination(**call).id
    except Exception as error:
        return type(error).__name__


def timed(function):
    started = time.perf_counter()
    result = function()
    return time.perf_counter() - started, result


def whole(command, **kwargs):
    """The time until a whole process ended, and its processor time, in which other processes do not count."""
    started, before = time.perf_counter(), os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kwargs)
    after = os.times()
    return time.perf_counter() - started, (after[2] - before[2]) + (after[3] - before[3])
