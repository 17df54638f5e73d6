"""Tracebacks name the file, the line, the tool or rule and the field of the config, whoever ran the code, and show the line."""

from __future__ import annotations

import linecache
import traceback
from pathlib import Path
from typing import Any

import pytest

import galaxy_objects as objects

RULES = """\
global:
  default_inherits: default
tools:
  default:
    cores: 1
    params:
      all: "{job.nothing_like_it}"
  native:
    cores: "{}['nokey']"
    params: {all: ""}
  inherits_it:
    inherits: native
    cores: 1
    rules:
      - id: large
        if: |
          big = input_size > 1
          if big:
              raise LookupError("in the rule")
          big
  in_cpython:
    params: {all: ""}
    rules:
      - id: outside
        if: True
        execute: |
          import colorsys
          def inner(key):
              return {}[key]

          inner("nokey")
  folded:
    params: {all: ""}
    gpus: >
      __import__("colorsys")
      and {}["folded"]
  text:
    params:
      all: "é {__import__('colorsys') and {}['text']}"
  made:
    params: {all: ""}
    cores: |
      entity.mem = "{}['made']"
      1
  fails_there:
    params: {all: ""}
  caught:
    params: {all: ""}
    env:
      FIRST: "1"
      SECOND: |-
        {__import__('colorsys') and
        {}['second']}
destinations:
  local:
    runner: local
    rules:
      - if: entity.id == 'fails_there'
        execute: |
          import colorsys
          raise ValueError("at the destination")
"""


def failed(gateway: Any, tool: str, configs: Any) -> BaseException:
    with pytest.raises(Exception) as raised:
        gateway.map_tool_to_destination(
            objects.app(), objects.job(objects.dataset(3)), objects.tool(tool), objects.user(), tpv_config_files=configs
        )
    return raised.value


def shown(error: BaseException, file: str) -> list[tuple[int | None, str, str | None]]:
    """The frames in the config: line, name and source line."""
    frames = traceback.extract_tb(error.__traceback__)
    assert "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return [(frame.lineno, frame.name, frame.line) for frame in frames if frame.filename == file]


# The tool, the text of the exception, and the frames: name and source line.
CASES = [
    ("native", "'nokey'", [("tool native: cores", """cores: "{}['nokey']\"""")]),
    ("inherits_it", "in the rule", [("tool inherits_it, rule large: if", 'raise LookupError("in the rule")')]),
    (
        "in_cpython",
        "'nokey'",
        [("tool in_cpython, rule outside: execute", 'inner("nokey")'), ("inner", "return {}[key]")],
    ),
    ("folded", "'folded'", [("tool folded: gpus", 'and {}["folded"]')]),
    ("text", "'text'", [("tool text: params.all", """all: "é {__import__('colorsys') and {}['text']}\"""")]),
    ("caught", "'second'", [("tool caught: env.SECOND", "{}['second']}")]),
    ("fails_there", "at the destination", [("destination local, rule {}: execute", 'raise ValueError("at the destination")')]),
    ("unknown", "nothing_like_it", [("tool default: params.all", 'all: "{job.nothing_like_it}"')]),
]


@pytest.mark.parametrize(("tool", "text", "frames"), CASES, ids=[case[0] for case in CASES])
def test_a_traceback_shows_the_config(gateway: Any, rules: Path, tool: str, text: str, frames: list[Any]) -> None:
    error = failed(gateway, tool, [str(rules)])
    assert text in str(error)
    found = shown(error, str(rules))
    lines = [line.strip() for line in RULES.splitlines()]
    assert [(number, line) for number, _, line in found] == [(lines.index(line) + 1, line) for _, line in frames]
    for (_, name, _), (expected, _) in zip(found, frames):
        # The id that a rule without one gets.
        start, _, end = expected.partition("{}")
        assert name.startswith(start) and name.endswith(end)


def test_the_traceback_shows_what_was_compiled(gateway: Any, rules: Path) -> None:
    # Broken rules leave those of before in use, whose lines the file no longer has.
    failed(gateway, "native", [str(rules)])
    rules.write_text("\n" * 70)
    linecache.checkcache()
    for tool in ("native", "in_cpython"):
        frames = shown(failed(gateway, tool, [str(rules)]), str(rules))
        assert all(line for _, _, line in frames) and len(frames) == (1 if tool == "native" else 2)
    rules.unlink()
    linecache.clearcache()
    [(number, _, line)] = shown(failed(gateway, "native", [str(rules)]), str(rules))
    assert (number, line) == (9, "{}['nokey']")


def test_a_config_without_a_file_is_shown(gateway: Any) -> None:
    config = {"tools": {"native": {"cores": "{}['nokey']"}}, "destinations": {"local": {"runner": "local"}}}
    [(_, name, line)] = shown(failed(gateway, "native", [config]), "<inline config>")
    assert name == "tool native: cores" and line is not None and "{}['nokey']" in line


def test_causes_keep_their_lines(gateway: Any, tmp_path: Path) -> None:
    path = tmp_path / "causes.yml"
    path.write_text(
        "tools:\n  bwa:\n    cores: |\n      import colorsys\n      try:\n          {}['first']\n"
        "      except KeyError as error:\n          raise ValueError('second') from error\n      1\n"
        "destinations: {local: {runner: local}}\n"
    )
    error = failed(gateway, "bwa", [str(path)])
    assert [number for number, _, _ in shown(error, str(path))] == [8]
    assert error.__cause__ is not None
    assert [number for number, _, _ in shown(error.__cause__, str(path))] == [6]
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    assert "{}['first']" in text and "raise ValueError('second') from error" in text


def test_a_site_module_has_its_own_frames_below(gateway: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lines_sitemod.py").write_text("def fails():\n    raise OSError('of the site')\n")
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "site.yml"
    path.write_text(
        "tools:\n  bwa:\n    cores: |\n      import lines_sitemod\n      lines_sitemod.fails()\ndestinations: {local: {runner: local}}\n"
    )
    error = failed(gateway, "bwa", [str(path)])
    names = [(Path(frame.filename).name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    assert names[-2:] == [("site.yml", 5), ("lines_sitemod.py", 2)]
