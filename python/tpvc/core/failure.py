"""Configs that do not compile, as the exceptions that TPV raises for them.

Code that calls TPV catches `InvalidParentException` or `SyntaxError`; what it catches here is that, and a `CompileError`.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
from typing import Any

from tpvc import CompileError

_BUILTIN: dict[str, type[Exception]] = {
    error.__name__: error
    for error in (
        AssertionError,
        FileNotFoundError,
        IndentationError,
        IndexError,
        MemoryError,
        RecursionError,
        SyntaxError,
        TabError,
    )
}


class InvalidParentException(Exception):
    """An entity inherits from one that does not exist, or from itself."""


@functools.lru_cache(maxsize=None)
def _class_of(name: str) -> type[CompileError]:
    bases: list[Any] = [_BUILTIN[name]] if name in _BUILTIN else []
    if name == InvalidParentException.__name__:
        bases = [InvalidParentException]
        # TPV's own as well, where TPV is installed. Not before it is raised: the import takes seconds outside of Galaxy.
        with contextlib.suppress(ImportError):
            bases.append(importlib.import_module("tpv.core.loader").InvalidParentException)
    if not bases:
        return CompileError

    def text(error: CompileError) -> str:
        return str(error.args[0])

    # `SyntaxError` and `OSError` would word their text anew.
    return type(name, (CompileError, *bases), {"__doc__": bases[0].__doc__, "__module__": __name__, "__str__": text})


def as_tpv_raises(error: CompileError) -> CompileError:
    """The same error, of the class that TPV raises for the first of its problems that has one."""
    for diagnostic in error.diagnostics:
        if diagnostic.severity == "error" and diagnostic.raises is not None:
            name, message = diagnostic.raises
            same = _class_of(name)(f"{message}\n\n{error.text}")
            same.diagnostics = error.diagnostics
            same.text = error.text
            return same
    return error
