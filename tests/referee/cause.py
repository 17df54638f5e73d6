"""Where a difference begins: the parts of a program that the two machines answer otherwise."""

import ast
import re

import machines


def differing(case, cpython, tpvc):
    """Each such part in turn, as a program of what comes before it and of itself, with both answers.

    Parts are expressions outside of functions, classes and comprehensions, but for plain names, in the order in which they are
    evaluated.
    """
    try:
        tree = ast.parse(case[1] if case[0] == "block" else "")
    except (SyntaxError, ValueError, RecursionError):
        return
    for before, part in parts(tree.body, []):
        smaller = (case[0], ast.unparse(ast.Module([*before, ast.Expr(part)], [])))
        expected = cpython.answer(smaller)
        actual = expected and tpvc.answer(smaller)
        if expected and not machines.same(expected, actual):
            yield smaller, expected, actual


def parts(statements, before):
    """The expressions of statements, each with the statements that come before it."""
    for statement in statements:
        # What a handler catches begins in the body.
        inner = statement.body if isinstance(statement, ast.Try) else []
        yield from parts(inner, before)
        if not inner:
            for child in ast.iter_child_nodes(statement):
                if isinstance(child, ast.expr):
                    yield from ((before, part) for part in inside(child))
        before = [*before, statement]


def inside(node):
    """An expression's parts and itself, what is evaluated first before the rest."""
    if isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        children = [node.generators[0].iter] if hasattr(node, "generators") else []
    else:
        children = [child.value if isinstance(child, ast.keyword) else child for child in ast.iter_child_nodes(node)]
    for child in children:
        if isinstance(child, ast.expr):
            yield from inside(child)
    if isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and not isinstance(node, (ast.Constant, ast.Starred, ast.Slice, ast.FormattedValue)):
        if not re.fullmatch(r"[\w.]+", ast.unparse(node)):
            yield node
