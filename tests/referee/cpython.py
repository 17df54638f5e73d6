"""CPython's side of the referee: answers programs, a line of JSON in, a line of JSON out, as TPV's loader runs code.

A program that takes longer than three seconds ends this process, by the alarm that nothing handles.
"""

from __future__ import annotations
import ast, contextlib, io, json, os, resource, signal, sys, types, warnings

# `dataclasses` looks for the module that the code seems to be in.
sys.modules["tpv.core.loader"] = types.ModuleType("tpv.core.loader")

def evaluate(source, kind):
    text = "f\'\'\'" + source + "\'\'\'" if kind == "fstring" else source
    tree = ast.parse(text, mode="exec")
    names = {"__name__": "tpv.core.loader"}
    last = tree.body.pop()
    if not isinstance(last, ast.Expr):
        raise SyntaxError("no expression")
    block = compile(tree, "<string>", mode="exec")
    value = compile(ast.Expression(last.value), "<string>", mode="eval")
    exec(block, names)
    return eval(value, names)

def raised_in(error):
    """The module of the library whose function the program called and that raised, if it is written in Python.

    None where the program itself raised, or a function of it that the library called.
    """
    module, place = None, error.__traceback__
    while place:
        name = place.tb_frame.f_globals.get("__name__", "")
        module = None if name in ("", "__main__", "ast", "tpv.core.loader") else module or name.rsplit(".", 1)[-1]
        place = place.tb_next
    return module

def main():
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    # Where paths that are relative begin in tpvc, too.
    os.chdir("/")
    out = sys.stdout
    for line in sys.stdin:
        case = json.loads(line)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                signal.alarm(3)
                value = evaluate(case["source"], case["kind"])
                answer = {"value": repr(value), "type": type(value).__name__}
        except BaseException as error:
            try:
                answer = {"exception": type(error).__name__, "message": str(error)}
            except BaseException as inner:
                answer = {"exception": type(inner).__name__, "message": str(inner)}
            if module := raised_in(error):
                answer["module"] = module
        signal.alarm(0)
        out.write(json.dumps(answer) + "\n")
        out.flush()

main()
