"""Lines of the config in Python's tracebacks, as a template engine shows those of its templates."""

from __future__ import annotations

import ast
import linecache
import os
import types
from collections.abc import Callable, Iterable
from typing import Any

# A line and a column in a block, from 1 and in characters, as those in the config.
Locate = Callable[[int, int], tuple[int, int]]


def move(tree: ast.AST, locate: Locate, prefix: int) -> None:
    """Gives the nodes of a block their places in the config. `prefix` characters of its first line are not in the config."""
    node: Any
    for node in ast.walk(tree):
        if "lineno" not in node._attributes:
            continue
        start = _moved(node.lineno, node.col_offset, locate, prefix)
        last = _moved(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset, locate, prefix)
        node.lineno, node.col_offset = start
        # In a folded text the end may be above the start.
        node.end_lineno, node.end_col_offset = max(start, last)


def _moved(line: int, column: int, locate: Locate, prefix: int) -> tuple[int, int]:
    column = max(column - prefix, 0) if line == 1 else column
    line, column = locate(line, column + 1)
    return line, max(column - 1, 0)


def add_frames(
    error: BaseException, calls: Iterable[tuple[str, int, int, int, str]]
) -> types.TracebackType | None:
    """The traceback of an exception with a frame for each place that it passed, the innermost first: file, line, column, length, name."""
    frames = error.__traceback__
    for file, line, column, length, name in calls:
        tree = ast.parse("raise error")
        for node in ast.walk(tree):
            if isinstance(node, (ast.expr, ast.stmt)):
                node.lineno = node.end_lineno = line
                node.col_offset, node.end_col_offset = column - 1, column - 1 + length
        code = compile(tree, file, "exec").replace(co_name=name)
        try:
            exec(code, {"error": RuntimeError()})
        except RuntimeError as raised:
            frame = raised.__traceback__ and raised.__traceback__.tb_next
            if frame is not None:
                frames = types.TracebackType(frames, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return frames


def files_of(error: BaseException) -> list[str]:
    """The files of the frames of an exception and of those behind it."""
    found: dict[str, None] = {}
    seen: list[Any] = []
    behind: list[BaseException | None] = [error]
    while behind and len(seen) < 32:
        one = behind.pop()
        if one is None or any(one is known for known in seen):
            continue
        seen.append(one)
        behind += [one.__cause__, one.__context__]
        frames = one.__traceback__
        while frames is not None:
            found[frames.tb_frame.f_code.co_filename] = None
            frames = frames.tb_next
    return list(found)


def is_shown(file: str) -> bool:
    """Returns `True` if tracebacks show lines of a file that `show` was given."""
    entry = linecache.cache.get(file)
    return entry is not None and len(entry) == 4 and entry[1] is None


def show(file: str, lines: dict[int, str]) -> None:
    """Has tracebacks show a config as it was compiled: the file may have changed since. The lines stand without what is beside code."""
    texts: list[str] = []
    if os.path.isfile(file):
        with open(file, encoding="utf-8", errors="replace") as now:
            texts = now.read().splitlines()
    texts += [""] * (max(lines, default=0) - len(texts))
    for number, line in lines.items():
        if line.strip() not in texts[number - 1]:
            texts[number - 1] = line
    shown = [f"{text}\n" for text in texts]
    linecache.cache[file] = (sum(map(len, shown)), None, shown, file)
