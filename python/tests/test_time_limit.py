"""Blocks that run long: the warning when a native budget is spent, and `tpvc_time_limit`."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from pathlib import Path
from typing import Any

import pytest
from galaxy.jobs import JobDestination

import galaxy_objects as objects

# More steps than a job has natively.
SPINS = "n = 0\nwhile n < 1000000:\n    n += 1\nn > 0"


def config(tmp_path: Path, code: str, name: str = "tpv.yml") -> str:
    path = tmp_path / name
    body = "\n".join(f"          {line}" for line in code.splitlines())
    path.write_text(
        f"tools:\n  bwa:\n    cores: 1\n    rules:\n      - id: slow\n        if: |\n{body}\n        cores: 2\n"
        "destinations: {local: {runner: local, params: {cores: '{cores}'}}}\n"
    )
    return str(path)


def mapped(gateway: Any, file: str, limit: Any = None) -> JobDestination:
    referrer = JobDestination(id="tpv_dispatcher", params={} if limit is None else {"tpvc_time_limit": limit})
    destination = gateway.map_tool_to_destination(
        objects.app(), objects.job(), objects.tool(), objects.user(), referrer=referrer, tpv_config_files=[file]
    )
    assert isinstance(destination, JobDestination)
    return destination


def test_a_spent_budget_is_a_warning_once_an_hour(gateway: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = config(tmp_path, SPINS)
    caplog.set_level(logging.WARNING)
    assert mapped(gateway, file).params == {"cores": "2"}
    [record] = [record for record in caplog.records if record.name == "tpvc.galaxy.budget"]
    assert record.levelname == "WARNING"
    message = record.getMessage()
    assert message.startswith("job ") and " of the tool bwa: the evaluation took more than " in message
    assert f"at {file}:9:" in message or f"at {file}:8:" in message
    assert "(tool bwa, rule slow: if)" in message and "tpvc_time_limit" in message
    mapped(gateway, file)
    assert len([record for record in caplog.records if record.name == "tpvc.galaxy.budget"]) == 1
    # Another rule has a message of its own.
    gateway.ACTIVE_DESTINATION_MAPPERS.clear()
    mapped(gateway, config(tmp_path, SPINS, "other.yml"))
    assert len([record for record in caplog.records if record.name == "tpvc.galaxy.budget"]) == 2


def test_other_reasons_to_ask_cpython_are_no_warning(gateway: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    mapped(gateway, config(tmp_path, "getattr(__import__('colorsys'), 'rgb_to_hsv') is not None"))
    assert not [record for record in caplog.records if record.name == "tpvc.galaxy.budget"]


# What runs for ever. The last line of a block is an expression.
ENDLESS = {
    "natively first": "while True:\n    pass\nTrue",
    "in CPython": "import colorsys\nwhile True:\n    pass\nTrue",
    "catches Exception": (
        "import colorsys\nwhile True:\n    try:\n        while True:\n            colorsys.rgb_to_hsv(1, 0, 0)\n"
        "    except Exception:\n        pass\nTrue"
    ),
    "catches everything, and sleeps": "import colorsys, time\nwhile True:\n    try:\n        time.sleep(0.01)\n    except:\n        time.sleep(0.01)\nTrue",
    "catches everything in a loop": "import colorsys\nwhile True:\n    try:\n        while True:\n            pass\n    except:\n        pass\nTrue",
    "catches everything twice": (
        "import colorsys\nwhile True:\n    try:\n        try:\n            while True:\n                pass\n        except:\n"
        "            pass\n    except BaseException:\n        pass\nTrue"
    ),
    "a function of its own": "import colorsys\ndef spin():\n    while True:\n        colorsys.rgb_to_hsv(1, 0, 0)\nspin()",
    "many short calls of C": "import colorsys, time\nwhile True:\n    time.sleep(0.02)\nTrue",
    "in Python's library": "import threading\nthreading.Event().wait(0.1) or [threading.Event().wait(0.05) for _ in iter(int, 1)]",
}


@pytest.mark.parametrize("name", ENDLESS)
@pytest.mark.parametrize("thread", ["main", "another"])
def test_a_block_ends_at_its_limit(gateway: Any, tmp_path: Path, name: str, thread: str) -> None:
    file = config(tmp_path, ENDLESS[name])
    caught: list[BaseException] = []

    def run() -> None:
        try:
            mapped(gateway, file, 0.3)
        except BaseException as error:
            caught.append(error)

    started = time.monotonic()
    if thread == "main":
        run()
    else:
        # As in Galaxy, whose handler maps in a thread of its own.
        of_its_own = threading.Thread(target=run)
        of_its_own.start()
        of_its_own.join()
    assert time.monotonic() - started < 60
    [error] = caught
    assert type(error) is TimeoutError
    assert str(error) == (
        f"{file}: tool bwa, rule slow: if has run in CPython for more than 0.3 s, which `tpvc_time_limit` does not allow,"
        " and was ended"
    )
    assert file in [frame.filename for frame in traceback.extract_tb(error.__traceback__)]


def test_a_block_has_time_to_clean_up(gateway: Any, tmp_path: Path) -> None:
    done = tmp_path / "done"
    code = (
        "import colorsys, pathlib, time\ntry:\n    while True:\n        time.sleep(0.01)\nfinally:\n    for _ in range(20):\n"
        f"        time.sleep(0.01)\n    pathlib.Path({str(done)!r}).touch()\nTrue"
    )
    with pytest.raises(TimeoutError, match="rule slow"):
        mapped(gateway, config(tmp_path, code), 0.2)
    assert done.exists()


def test_what_is_swallowed_counts_when_the_block_ends(gateway: Any, tmp_path: Path) -> None:
    code = "import colorsys, time\ntry:\n    while True:\n        time.sleep(0.01)\nexcept BaseException:\n    pass\nTrue"
    with pytest.raises(TimeoutError, match="rule slow"):
        mapped(gateway, config(tmp_path, code), 0.2)


def test_a_limit_that_is_not_reached_leaves_nothing_behind(gateway: Any, tmp_path: Path) -> None:
    file = config(tmp_path, "import colorsys, time\ntime.sleep(0.05)\nTrue")
    end = time.monotonic() + 3
    while time.monotonic() < end:
        # Near the limit: what comes too late must not end anything else.
        try:
            assert mapped(gateway, file, 0.052).params == {"cores": "2"}
        except TimeoutError:
            pass
        sum(range(20_000))
    assert mapped(gateway, file, "30").params == {"cores": "2"}


def test_a_call_of_c_ends_before_the_block_does(gateway: Any, tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        mapped(gateway, config(tmp_path, "import colorsys, time\ntime.sleep(1)\nTrue"), 0.1)
    assert time.monotonic() - started >= 1


@pytest.mark.parametrize("limit", [0, -1, "soon", "inf", [3]])
def test_a_limit_that_is_none_is_an_error(gateway: Any, tmp_path: Path, limit: Any) -> None:
    with pytest.raises(ValueError, match="`tpvc_time_limit` is a number of seconds above 0, not "):
        mapped(gateway, config(tmp_path, "True"), limit)


def test_threads_have_limits_of_their_own(gateway: Any, tmp_path: Path) -> None:
    endless, short = config(tmp_path, ENDLESS["in CPython"]), config(tmp_path, "import colorsys, time\ntime.sleep(0.6)\nTrue", "short.yml")
    found: dict[str, Any] = {}

    def run(name: str, file: str, limit: float | None) -> None:
        referrer = JobDestination(id=name, params={} if limit is None else {"tpvc_time_limit": limit})
        try:
            found[name] = gateway.map_tool_to_destination(
                objects.app(), objects.job(), objects.tool(), objects.user(), referrer=referrer, tpv_config_files=[file]
            ).id
        except Exception as error:
            found[name] = type(error)

    cases = [("ends", endless, 0.3), ("goes on", short, 30.0), ("has none", short, None)]
    threads = [threading.Thread(target=run, args=case) for case in cases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"ends": TimeoutError, "goes on": "local", "has none": "local"}
