"""Records what CPython 3.11 answers for the cases in this folder.

    python3.11 tests/python/record.py

Each `*.py` file here but this one holds cases: a line `#: title`, then statements and a last expression. Beside it,
`*.txt` gets one line a case: the title, a tab, and the `repr` of the last expression, or the class and message of the
exception.
"""

import ast
import pathlib
import sys


def evaluate(source):
    tree = ast.parse(source)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr), source
    namespace = {"__name__": "__main__"}
    exec(compile(tree, "<block>", "exec"), namespace)
    return eval(compile(ast.Expression(last.value), "<block>", "eval"), namespace)


def answer(source):
    try:
        return repr(evaluate(source))
    except BaseException as error:
        return f"{type(error).__name__}: {error}"


def main():
    if sys.version_info[:2] != (3, 11):
        sys.exit("the answers are those of CPython 3.11")
    here = pathlib.Path(__file__).parent
    for path in sorted(here.glob("*.py")):
        if path.name == "record.py":
            continue
        lines = []
        for case in path.read_text().split("#: ")[1:]:
            title, source = case.split("\n", 1)
            text = answer(source).replace("\\", "\\\\").replace("\n", "\\n")
            lines.append(f"{title}\t{text}\n")
        path.with_suffix(".txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
