"""Answers of TPV and tpvc for the same job as plain data, and where they differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from tpvc import CompileError

#: The attributes of Galaxy's `JobDestination` that an answer consists of.
FIELDS = ("id", "runner", "tags", "params", "env", "resubmit")
#: Characters of a value that are shown.
SHOWN = 300

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


class Difference(NamedTuple):
    """A field of the answer with the values of both, as Python writes them, shortened."""

    field: str
    tpv: str
    tpvc: str


def answer(destination: Any) -> dict[str, Any]:
    """The answer that a destination is, as plain data."""
    return {field: plain(getattr(destination, field, None)) for field in FIELDS}


def failure(error: BaseException) -> dict[str, Any]:
    """The answer that an exception is."""
    name = type(error).__name__
    if name == "JobMappingException":
        message: Any = getattr(error, "failure_message", None)
    elif name == "JobNotReadyException":
        message = [plain(getattr(error, "job_state", None)), plain(getattr(error, "message", None))]
    else:
        message = _ADDRESS.sub("0x…", str(error))
    return {"error": name, "message": plain(message)}


def differences(tpv: dict[str, Any], tpvc: dict[str, Any]) -> list[Difference]:
    """The fields in which two answers differ."""
    if ("error" in tpv) != ("error" in tpvc):
        return [Difference("answer", _summary(tpv), _summary(tpvc))]
    return list(_compare("", tpv, tpvc))


def fails_alike(tpv: BaseException | None, tpvc: BaseException | None) -> bool:
    """Returns `true` if the rules load with neither: the texts of such errors are of each program's own."""
    return tpv is not None and isinstance(tpvc, CompileError)


def _summary(answer: dict[str, Any]) -> str:
    if "error" in answer:
        return shown(f"{answer['error']}: {answer['message']}")
    return shown(f"destination {answer['id']}")


def _compare(path: str, tpv: Any, tpvc: Any) -> Iterator[Difference]:
    if type(tpv) is type(tpvc) is dict:
        for key in [*tpv, *(key for key in tpvc if key not in tpv)]:
            inside = f"{path}.{key}" if path else str(key)
            if key in tpv and key in tpvc:
                yield from _compare(inside, tpv[key], tpvc[key])
            else:
                yield Difference(inside, *(shown(side[key]) if key in side else "(none)" for side in (tpv, tpvc)))
    elif type(tpv) is type(tpvc) is list and len(tpv) == len(tpvc):
        for index, (left, right) in enumerate(zip(tpv, tpvc)):
            yield from _compare(f"{path}[{index}]", left, right)
    # `4`, `4.0` and `True` are equal to Python, and not to a cluster.
    elif type(tpv) is not type(tpvc) or repr(tpv) != repr(tpvc):
        yield Difference(path, shown(tpv), shown(tpvc))


def shown(value: Any) -> str:
    """A value as a log shows it: on one line, without control characters, not too long."""
    text = value if isinstance(value, str) and value.isprintable() else repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text):,} characters)"


def plain(value: Any) -> Any:
    """A value without the classes of YAML libraries; of other objects their class and `repr`."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    return f"{type(value).__name__} {_ADDRESS.sub('0x…', repr(value))}"
