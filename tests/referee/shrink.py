"""Makes a program that shows a difference smaller, as long as it still shows one."""

import ast
import copy
import re

import machines

PLAIN = ["0", "1", "''", "'a'", "[]", "None", "1.5"]
ROUNDS = 400


def shrink(case, expected, actual, cpython, tpvc, explained):
    """The smallest case found, with both answers. `explained` tells of a difference that it is known: none becomes such a one."""
    kind = case[0]
    budget = ROUNDS
    best = (case, expected, actual)
    wanted = sort(expected, actual)
    improved = True
    while improved and budget > 0:
        improved = False
        variants = texts(best[0][1]) if kind == "fstring" else trees(best[0][1])
        for source in variants:
            # Without its seed, a program of random numbers has no one answer.
            if len(source) >= len(best[0][1]) or ("random" in source and "random.seed(42)" not in source) or "Random()" in source:
                continue
            budget -= 1
            if budget <= 0:
                break
            smaller = (kind, source)
            left = cpython.answer(smaller)
            if left is None or left.get("exception") in ("SyntaxError", "NameError") and expected.get("exception") != left.get("exception"):
                continue
            right = tpvc.answer(smaller)
            if machines.same(left, right) or sort(left, right) != wanted or explained(smaller, left, right):
                continue
            best = (smaller, left, right)
            improved = True
            break
    return best


def sort(expected, actual):
    """What sort of difference it is: the same for two whose messages quote other things."""
    return [answer["type"] if "type" in answer else re.sub(r"'[^']*'|\d+", "", machines.text(answer)) for answer in (expected, actual)]


def texts(source):
    """The text without a piece of it, from large pieces to small ones."""
    size = len(source) // 2
    while size:
        for start in range(0, len(source) - size + 1, max(size // 2, 1)):
            yield source[:start] + source[start + size :]
        size //= 2


def trees(source):
    """The program with a statement or a part of an expression left out."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        yield from texts(source)
        return
    for path, nodes in list(bodies(tree)):
        for index in range(len(nodes)):
            for replacement in [[], *inner(nodes[index])]:
                changed = copy.deepcopy(tree)
                body = dict(bodies(changed))[path]
                body[index : index + 1] = copy.deepcopy(replacement)
                if changed.body and isinstance(changed.body[-1], ast.Expr) and all(nodes for _, nodes in bodies(changed)):
                    yield unparse(changed)
    for index, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
            plain = [] if isinstance(node, ast.Constant) else [ast.parse(text, mode="eval").body for text in PLAIN]
            for part in parts + plain:
                yield replaced(tree, index, part)
            for field in ("elts", "args", "keywords", "values", "generators", "ifs"):
                items = getattr(node, field, None)
                for at in range(len(items) if isinstance(items, list) else 0):
                    changed = copy.deepcopy(tree)
                    target = list(ast.walk(changed))[index]
                    del getattr(target, field)[at]
                    if field == "values" and hasattr(target, "keys"):
                        del target.keys[at]
                    yield unparse(changed)
            if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) and len(node.value) > 1:
                half = len(node.value) // 2
                for value in (node.value[:half], node.value[half:], node.value[1:], node.value[:-1]):
                    yield replaced(tree, index, ast.Constant(value))


def bodies(tree):
    """Each list of statements, by its place."""
    for index, node in enumerate(ast.walk(tree)):
        for field in ("body", "orelse", "finalbody"):
            nodes = getattr(node, field, None)
            if isinstance(nodes, list) and (nodes or field == "body"):
                yield (index, field), nodes


def inner(statement):
    """What could stand for a statement: its own bodies."""
    for field in ("body", "orelse", "finalbody"):
        nodes = getattr(statement, field, None)
        if isinstance(nodes, list) and nodes and isinstance(nodes[0], ast.stmt):
            yield nodes


def replaced(tree, index, part):
    changed = copy.deepcopy(tree)
    target = list(ast.walk(changed))[index]
    for parent in ast.walk(changed):
        for field, value in ast.iter_fields(parent):
            if value is target:
                setattr(parent, field, copy.deepcopy(part))
            elif isinstance(value, list):
                for at, item in enumerate(value):
                    if item is target:
                        value[at] = copy.deepcopy(part)
    return unparse(changed)


def unparse(tree):
    try:
        return ast.unparse(tree)
    except Exception:  # A tree that no source can say.
        return " " * 1_000_000
