"""What the measurements of TPV and tpvc share: TPV's mapper and the world in which it maps, processes, and time."""

import contextlib
import datetime
import logging
import os
import random
import subprocess
import sys
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
