"""Random code over live objects: natively, in CPython over what the machine hands it, and in plain Python, the result is the same.

`CROSSING_PROGRAMS` says how many programs, `CROSSING_SEED` which.
"""

from __future__ import annotations

import ast
import os
import random
import subprocess
import sys
from typing import Any

import crossing_values as values
import pytest
from tpvc import _native

SEED = int(os.environ.get("CROSSING_SEED") or random.SystemRandom().randrange(2**32))
PROGRAMS = int(os.environ.get("CROSSING_PROGRAMS", "1500"))


def plain(source: str, names: dict[str, Any]) -> Any:
    """What TPV does: statements, then the value of the last expression."""
    tree = ast.parse(source)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    scope = {**names, "__name__": "tpv.core.loader"}
    exec(compile(tree, "<string>", "exec"), scope)
    return eval(compile(ast.Expression(last.value), "<string>", "eval"), scope)


def told(error: Exception) -> str:
    """The text of an exception and of its cause, without addresses."""
    try:
        return values.ADDRESS.sub("0x", f"{type(error).__name__}: {error} from {error.__cause__!r}")
    except RecursionError:
        return f"{type(error).__name__}: too deep"


def outcome(run: Any, source: str, names: dict[str, Any]) -> tuple[str, str]:
    """The text of what running the block gave or raised, and of what it left of its names."""
    try:
        result = values.shown(run(source, names))
    except NotImplementedError as error:
        result = f"lacking: {error}" if "tpvc" in str(error) else f"NotImplementedError: {error}"
    except RecursionError:
        # Where it is found, and what the text says of it, depends on the stack.
        result = "RecursionError"
    except Exception as error:
        result = told(error)
    return result, values.shown(names)


def native(source: str, names: dict[str, Any]) -> Any:
    return _native.evaluate(source, names)


def in_cpython(source: str, names: dict[str, Any]) -> Any:
    return _native.evaluate(source, names, tier="cpython")


# The native language is that of CPython 3.11: from 3.12 on, slices have a hash, and some texts of errors are others.
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="native code answers as CPython 3.11")
def test_all_tiers_agree() -> None:
    """Runs this file, with the order of sets that the machine has."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "CROSSING_SEED": str(SEED)}
    ran = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def compare() -> None:
    """Runs the programs."""
    lacking = 0
    for number in range(PROGRAMS):
        chance = random.Random(f"{SEED} {number}")
        names = values.context(chance)
        source = values.block(chance)
        told = f"seed {SEED}, program {number}:\n{source}\n{values.shown(names)}"
        try:
            ast.parse(source)
        except SyntaxError:
            # What is Python differs between its versions.
            continue
        expected = outcome(plain, source, values.copied(names))
        assert outcome(in_cpython, source, values.copied(names)) == expected, told
        natively = outcome(native, source, values.copied(names))
        if any("..." in part for part in expected):
            # The text of what holds itself by way of a live object, in the result or in what code made of the names.
            continue
        if natively[0].startswith("lacking"):
            # The mapper runs such a block in CPython.
            lacking += 1
            continue
        assert natively == expected, told
    # Most of what the programs do is native.
    assert lacking < PROGRAMS / 4, f"{lacking} of {PROGRAMS} programs are not native"


if __name__ == "__main__":
    compare()
