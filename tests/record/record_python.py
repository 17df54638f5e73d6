"""Records what CPython answers for the cases in tests/record/python/*.txt, into tests/python/*.json: version 3.11, and 3.13
for those in tests/record/python_3_12, which earlier versions refuse; run it once with each.

A case starts at a line `=== KIND [JSON object: the context]`, KIND being block, fstring or exec; the lines up to the next
such line are its source. `=== lines [JSON string: a prelude]` makes each of its lines a block of its own, the prelude in
front of it. Each is parsed, compiled and run exactly as TPV's loader does it, this module's
`from __future__ import annotations` being in force as the loader's is.

The areas with modules of Galaxy and packaging need the Python that TPV is installed in.

    python tests/record/record_python.py
"""

from __future__ import annotations

import ast
import copy
import json
import os
import pathlib
import sys
import types
import warnings

# `dataclasses` looks for the module that the code seems to be in.
sys.modules["tpv.core.loader"] = types.ModuleType("tpv.core.loader")

HERE = pathlib.Path(__file__).resolve().parent
# The working directory that code of a job is in (`os.path.abspath`).
os.chdir("/")


def evaluate(source, kind, context):
    text = "f'''" + source + "'''" if kind == "fstring" else source
    tree = ast.parse(text, mode="exec")
    names = {"__name__": "tpv.core.loader"}
    names.update(context)
    if kind == "exec":
        exec(compile(tree, "<string>", mode="exec"), names)
        return None
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    block = compile(tree, "<string>", mode="exec")
    value = compile(ast.Expression(last.value), "<string>", mode="eval")
    exec(block, names)
    return eval(value, names)


def record(source, kind, context):
    case = {"kind": kind, "source": source}
    if context:
        case["context"] = copy.deepcopy(context)  # The code may change what it is given.
    try:
        case["result"] = repr(evaluate(source, kind, context))
    except BaseException as error:
        case["error"] = type(error).__name__
        case["message"] = str(error)
    return case


def read(path):
    header, lines = None, []
    for line in path.read_text().split("\n") + ["=== end"]:
        if not line.startswith("==="):
            lines.append(line)
            continue
        if header is not None:
            kind, _, context = header.partition(" ")
            # The line break before the next header ends the case; it is no part of it.
            if kind == "lines":
                prelude = json.loads(context or '""')
                yield from ((prelude + line, "block", {}) for line in lines if line.strip())
            else:
                yield "\n".join(lines), kind, json.loads(context or "{}")
        header, lines = line[4:], []


def main():
    folder = {(3, 11): "python", (3, 13): "python_3_12"}[sys.version_info[:2]]
    if os.environ.get("PYTHONHASHSEED") != "0":
        # The hashes of strings, and with them the order of sets, that tpvc has.
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    warnings.simplefilter("ignore")
    for path in sorted((HERE / folder).glob("*.txt")):
        cases = [record(*case) for case in read(path)]
        if folder != "python":
            # What both versions refuse, tpvc refuses in 3.11's words.
            cases = [case for case in cases if not case.get("error", "").endswith("SyntaxError")]
        target = HERE.parent / folder / f"{path.stem}.json"
        rows = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
        target.write_text(f"[\n{rows}\n]\n")
        print(f"{target.name}: {len(cases)} cases")


if __name__ == "__main__":
    main()
