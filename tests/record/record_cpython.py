"""Lowers CPython 3.11's own test suite into cases for tpvc, in tests/python/cpython/*.json.

The test modules run with every assertion and assignment watched: an expression whose names stand for plain values, builtins
or modules becomes a block of its own, the values written out in front of it. So the tables and loops of the suite give a case
for each row. Each block is then run on its own, as TPV runs it; the answer is what is recorded. What differs between two
seeds of the hashes, shows an address or is too long is left out.

    python tests/record/record_cpython.py [MODULE...]

What tpvc keeps different is marked with its row of docs/differences.md, in tests/python/cpython_different.json:

    CPYTHON_DIFFERENT=/tmp/different.json cargo test --test language cpython::every
    python tests/record/record_cpython.py /tmp/different.json --mark
"""

from __future__ import annotations

import ast
import builtins
import collections
import copy
import datetime
import importlib
import importlib.util
import io
import json
import math
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import types
import unittest
import warnings

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
from record_python import evaluate  # noqa: E402

TARGET = HERE.parent / "python" / "cpython"

# The modules of the suite, with those that hold their shared cases.
MODULES = """test_float test_format test_unicode test_long test_int test_strtod test_fstring test_bytes test_list test_dict
test_set test_range test_slice test_tuple test_builtin test_math test_cmath test_random test_re test_json datetimetester
test_itertools test_functools test_string test_bool test_enumerate
test_posixpath test_pow test_sort test_patma
test_compare test_contains test_augassign test_named_expressions test_hash test_extcall test_keywordonlyarg
test_scope test_string_literals test_unary test_grammar test_unpack test_unpack_ex test_iter test_generators
test_listcomps test_dictcomps test_setcomps test_with test_exceptions test_types test_userstring test_numeric_tower
test_property test_decorators test_positional_only_arg test_index test_binop test_opcodes test_syntax test_raise
test_dataclasses test_enum test_time test_contextlib test_reprlib""".split()
SHARED = ["test.support.testcase", "test.string_tests", "test.seq_tests", "test.list_tests", "test.mapping_tests"]

DOCUMENT = HERE.parent.parent / "docs" / "python.md"


def modules_of_tpvc():
    """What docs/python.md says of the modules: name to names."""
    rows = re.findall(r"^\| `([\w.]+)` \| (.*) \|$", DOCUMENT.read_text(), re.M)
    return {module: set(re.findall(r"`(\w+)`", names)) for module, names in rows}


PRESENT = modules_of_tpvc()

TODAY = datetime.datetime.now(datetime.timezone.utc)

# What tpvc does not have, as patterns of the block, with the reason.
SKIPPED = [
    (r"\bbytearray\b|\bmemoryview\b", "bytearray and memoryview"),
    (r"\b(from|import) (\w+\.)*_|\b(re|statistics|json|string|datetime|random|collections|itertools)\._[a-z]", "private names of modules"),
    (r"\btype\('[^']*', ?\(|\btype\('a', \(|__slots__|metaclass=", "classes made by calling type, __slots__"),
    (r"(en|de)cod(e|ing)\b.*(utf.?7|unicode.?escape|idna|punycode|cp\d|iso8859|koi8|mac_|tis|hp_|ptcp|kz|latin_\d\d|rot|charmap|undefined|big5|shift|euc|gb)", "codecs other than UTF-8, UTF-16, UTF-32, ASCII and Latin-1"),
    (r"encoding = '(?!utf-|ascii'|latin-1')", "codecs other than UTF-8, UTF-16, UTF-32, ASCII and Latin-1"),
    (r"surrogate|\\\\?u[dD][89a-fA-F]", "surrogates"),
    (r"^import random\n(e = \d+\n)?random\.randrange\(-10 \*\* e", "chance"),
    (f"datetime\\.(date|datetime)\\({TODAY.year}, {TODAY.month}, {TODAY.day}\\b", "the day of the recording"),
    (r"\.today\(\)|\.now\(\)|localtime\(|gmtime\(\)", "the clock"),
    (r"__doc__", "the docstrings of CPython"),
    (r"__(getformat|setstate|reduce|reduce_ex|sizeof|basicsize|flags|bytes|getnewargs|subclasshook|itemsize)__|abc_tpflags", "what only CPython's own machinery asks for"),
    (r"\bUnicodeTranslateError|ImportWarning", "exceptions that no code raises"),
    (r"_convert_\(|__get_builtin_constructor|'_heap\w+_max'|_normal_dist|\b_compat_|Set\._hash|_abs'", "private names of modules"),
    (r"type\(reversed|pat\.scanner", "classes of iterators"),
    (r"IsoCalendarDate\(|'NormalDist'", "classes that are not there"),
    (r"\btyping\b|^(list|dict|tuple|set|type)\[|GenericAlias|\bre\.Pattern\[|\bre\.Match\[", "what annotations are made of, as values"),
    (r"utcfromtimestamp", "rare functions of dates"),
]

# The rows of docs/differences.md, each with a pattern of the blocks that differ by it. Only for blocks that do differ.
DIFFERENT = [
    ("names of characters in regular expressions", r"re\.\w+\('[^']*N\{"),
    ("regular expressions", r"^import re\n"),
    ("`SyntaxError.args`", r"SyntaxError\("),
    ("f-strings that only CPython 3.12 and later read", r"^f'\{\(\(\("),
    ("the words of a syntax error", r"def f\(\*, \*\*"),
    ("a dict that changes while it is iterated", r"del d\[0\]\n    d\[0\] = 0"),
    ("a value without end", r"\* size"),
    ("bodies of enumerations", r"Enum\b"),
    ("special methods by name", r"__new__|cached_property"),
    ("functions of modules and classes, as values", r"__module__|'__all__'"),
    ("the `__dict__` of builtin classes", r"__dict__|\btyping\b"),
    ("rare forms of `datetime`", r"\b(datetime|time)\b"),
    ("messages for wrong arguments", r"."),
]

SITES = 400  # the most cases that are looked at of one place in the suite
KEPT = 13  # the most that are kept of them
MOST = 1200  # the most of one module
LONGEST = 700  # the longest block and answer


class Skip(Exception):
    """An expression that cannot be lowered."""


def literal(value, depth=0):
    """The source of a plain value."""
    kind = type(value)
    if depth > 6:
        raise Skip("deep value")
    if value is None or value is Ellipsis or value is NotImplemented or kind in (bool, int):
        return repr(value)
    if kind is float:
        return repr(value) if math.isfinite(value) else f"float('{value}')"
    if kind is str:
        value.encode()
        return repr(value)
    if kind is bytes:
        return repr(value)
    if kind in (list, tuple):
        items = [literal(item, depth + 1) for item in value]
        if kind is tuple:
            return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"
        return "[" + ", ".join(items) + "]"
    if kind is dict:
        return "{" + ", ".join(f"{literal(k, depth + 1)}: {literal(v, depth + 1)}" for k, v in value.items()) + "}"
    if kind in (set, frozenset):
        items = "[" + ", ".join(sorted(literal(item, depth + 1) for item in value)) + "]"
        return f"{kind.__name__}({items})"
    if kind in (range, slice):
        return repr(value)
    if kind.__module__ == "datetime":
        if isinstance(getattr(value, "tzinfo", None), (type(None), datetime.timezone)):
            return repr(value)
    if kind in (collections.deque, collections.Counter, collections.OrderedDict):
        literal(list(value.items()) if hasattr(value, "items") else list(value), depth + 1)
        return f"collections.{value!r}" if kind.__module__ == "collections" else repr(value)
    raise Skip(f"a {kind.__module__}.{kind.__qualname__}")


# Modules that tests take under other names, or that CPython splits.
HOME = {"_functools": "functools", "_collections": "collections", "_operator": "operator", "_random": "random",
        "posixpath": "os.path", "_json": "json", "_datetime": "datetime", "_statistics": "statistics", "_heapq": "heapq",
        "_bisect": "bisect", "json.decoder": "json", "json.encoder": "json", "collections": "collections"}
NEVER = {"sys", "os", "gc", "operator_", "unittest", "test", "pickle", "weakref", "threading", "subprocess", "ctypes",
         "decimal", "fractions", "array", "struct", "types", "abc", "locale", "unicodedata", "_testcapi", "io", "inspect",
         "warnings", "codecs", "tempfile", "shutil", "traceback", "cmath", "collections.abc_", "builtins", "support"}


def binding(name, value):
    """A line that gives a name its value."""
    if isinstance(value, types.ModuleType):
        module = HOME.get(value.__name__, value.__name__)
        if module.split(".")[0] in NEVER or module not in PRESENT:
            raise Skip(f"module {module}")
        return f"import {module}" if module == name else f"import {module} as {name}"
    if isinstance(value, (type, types.BuiltinFunctionType, types.FunctionType)):
        if getattr(builtins, name, None) is value:
            return None
        if getattr(builtins, value.__name__, None) is value:
            return f"{name} = {value.__name__}"
        module = getattr(value, "__module__", None) or ""
        module = HOME.get(module, module)
        found = sys.modules.get(module)
        # The pure Python twins of functions are taken for the functions themselves.
        if found is None or not hasattr(found, value.__qualname__) or module.split(".")[0] in NEVER or "test" in module:
            raise Skip("a function or class of the test")
        if module not in PRESENT:
            raise Skip(f"module {module}")
        if value.__name__ not in PRESENT[module]:
            raise Skip(f"{module}.{value.__name__}")
        own = "" if value.__name__ == name else f" as {name}"
        return f"from {module} import {value.__name__}{own}"
    text = literal(value)
    needed = [module for module in ("datetime", "collections") if f"{module}." in text]
    return "".join(f"import {module}\n" for module in needed) + f"{name} = {text}"


def absent(source):
    """A name of a module, in the block, that tpvc does not have."""
    aliases = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name not in PRESENT:
                    return f"module {alias.name}"
                aliases[alias.asname or alias.name.split(".")[0]] = alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if node.module not in PRESENT:
                    return f"module {node.module}"
                if alias.name not in PRESENT[node.module] and f"{node.module}.{alias.name}" not in PRESENT:
                    return f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            module = aliases[node.value.id]
            if node.attr not in PRESENT[module] and f"{module}.{node.attr}" not in PRESENT:
                return f"{module}.{node.attr}"
    return None


def left_out(source, answer):
    """Why a case is not recorded: what tpvc does not have."""
    for pattern, reason in SKIPPED:
        if re.search(pattern, source) or re.search(pattern, answer):
            return reason
    try:
        missing = absent(source)
    except SyntaxError:
        missing = None
    if missing:
        return missing
    return None


class Names(ast.NodeVisitor):
    """The names that an expression or body takes from outside, `self.x` as one name."""

    def __init__(self):
        self.used, self.bound, self.bad = {}, set(), None

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self.used.setdefault(node.id, None)
        else:
            self.bound.add(node.id)

    def visit_arg(self, node):
        self.bound.add(node.arg)

    def visit_FunctionDef(self, node):
        self.bound.add(node.name)
        self.generic_visit(node)

    visit_ClassDef = visit_FunctionDef

    def visit_ExceptHandler(self, node):
        if node.name:
            self.bound.add(node.name)
        self.generic_visit(node)

    def visit_Import(self, node):
        self.bound.update((alias.asname or alias.name).split(".")[0] for alias in node.names)

    visit_ImportFrom = visit_Import

    def visit_Yield(self, node):
        self.bad = "yield"

    visit_YieldFrom = visit_Return = visit_Await = visit_Global = visit_Nonlocal = visit_Yield


class OwnAttributes(ast.NodeTransformer):
    """Makes `self.x` the name `self_x`."""

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls") and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Name(id=f"{node.value.id}__{node.attr}", ctx=ast.Load()), node)
        return node


class Recorder:
    def __init__(self):
        self.sites = []
        self.cases = {}
        self.seen = 0
        self.lowered = set()
        self.reasons = collections.Counter()
        self.skipped = {}
        self.count = collections.Counter()
        self.busy = False
        self.reached = set()
        self.own = 0

    def site(self, nodes):
        """Registers what is watched at one place: expressions, or bodies of statements."""
        parts = []
        for node in nodes:
            body = node if isinstance(node, list) else [ast.Expr(node)]
            tree = OwnAttributes().visit(copy.deepcopy(ast.Module(body=body, type_ignores=[])))
            names = Names()
            names.visit(tree)
            ast.fix_missing_locations(tree)
            parts.append((ast.unparse(tree), names, isinstance(node, list)))
        self.sites.append(parts)
        return len(self.sites) - 1

    def __call__(self, number, local, world):
        if self.busy:
            return None
        self.busy = True
        self.reached.add(number)
        try:
            for index, (source, names, body) in enumerate(self.sites[number]):
                if self.count[number, index] >= SITES:
                    continue
                try:
                    self.lower(source, names, body, local, world, (number, index))
                except Skip as skip:
                    self.skipped[number] = str(skip)
                except Exception as error:
                    self.skipped[number] = f"raises {type(error).__name__}"
        finally:
            self.busy = False
        return None

    def lower(self, source, names, body, local, world, key):
        if names.bad:
            raise Skip(names.bad)
        lines = []
        for name in names.used:
            if name in names.bound and name not in local:
                continue
            if name.startswith(("self__", "cls__")) and name not in local:
                owner, _, attribute = name.partition("__")
                if owner not in local:
                    raise Skip("self")
                value = getattr(local[owner], attribute)
                if isinstance(value, types.MethodType):
                    raise Skip("a method of the test")
            elif name in local:
                value = local[name]
            elif name in world:
                value = world[name]
            elif hasattr(builtins, name):
                if name in ("eval", "exec", "compile", "globals", "locals", "vars", "id", "open", "input", "__import__",
                            "memoryview", "bytearray", "complex", "super", "dir", "help", "breakpoint", "__build_class__"):
                    evaluated = self.evaluated(source, local, world) if name == "eval" else None
                    if evaluated is None:
                        raise Skip(f"builtin {name}")
                    self.add(evaluated, key)
                    return
                continue
            else:
                raise Skip("an unknown name")
            line = binding(name, value)
            if line:
                lines.append(line)
        text = "\n".join(lines + [source] + (["None"] if body else []))
        self.add(text, key)

    def evaluated(self, source, local, world):
        """`eval(text)` is the text itself."""
        node = ast.parse(source).body[0]
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and len(node.value.args) == 1):
            return None
        call = node.value
        if not (isinstance(call.func, ast.Name) and call.func.id == "eval"):
            return None
        text = eval(compile(ast.Expression(call.args[0]), "", "eval"), {**world, **local})
        return text.strip() if isinstance(text, str) else None

    def add(self, text, key):
        if len(text) > LONGEST:
            raise Skip("long")
        self.lowered.add(key[0])
        if text not in self.cases:
            self.count[key] += 1
            self.cases[text] = key[0]


RECORDER = Recorder()


class Watch(ast.NodeTransformer):
    """Makes a test module tell the recorder of its assertions and assignments."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.inside = 0

    def visit_FunctionDef(self, node):
        self.inside += 1
        self.generic_visit(node)
        self.inside -= 1
        return node

    def visit_Lambda(self, node):
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_Lambda

    def watched(self, node, nodes):
        site = self.recorder.site(nodes)
        call = ast.parse(f"__watch__({site}, locals(), globals())", mode="eval").body
        return ast.fix_missing_locations(ast.copy_location(ast.BoolOp(ast.Or(), [call, node]), node))

    def visit_Call(self, node):
        if not self.inside or not isinstance(node.func, ast.Attribute) or isinstance(node.func.value, ast.Call):
            return node
        name = node.func.attr
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "self"):
            return node
        if not re.match("assert|check|is[A-Z]|fail|ae$|ftest|theclass", name) and name not in ("identical", "bytesjoin"):
            return node
        arguments = [argument for argument in node.args if not isinstance(argument, ast.Starred)]
        if name in ("assertRaises", "assertRaisesRegex"):
            first = 1 if name == "assertRaises" else 2
            if len(node.args) <= first:
                return node
            call = ast.Call(func=node.args[first], args=node.args[first + 1:], keywords=node.keywords)
            return self.watched(node, [ast.copy_location(call, node)])
        if name in ("checkequal", "checkequalnofix", "checkraises", "checkcall"):
            return node
        self.recorder.seen += 1
        return self.watched(node, [part for part in arguments if not isinstance(part, (ast.Constant, ast.Name))] or arguments[:1])

    def visit_Assign(self, node):
        self.generic_visit(node)
        if self.inside and any(isinstance(part, ast.Call) for part in ast.walk(node.value)):
            original = copy.deepcopy(node.value)
            node.value = self.watched(node.value, [original]) if not isinstance(node.value, ast.BoolOp) else node.value
        return node

    def visit_With(self, node):
        # Before the parts: the body is taken as it is written.
        body = copy.deepcopy(node.body)
        self.generic_visit(node)
        call = node.items[0].context_expr
        raising = (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
                   and call.func.attr.startswith(("assertRaises", "assert_raises")))
        if self.inside and raising and len(node.items) == 1:
            node.items[0].context_expr = self.watched(call, [body])
        return node


def instrument(name):
    """Imports a test module with everything watched."""
    if name in sys.modules and getattr(sys.modules[name], "__watched__", False):
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    source = pathlib.Path(spec.origin).read_text(encoding="utf-8")
    tree = Watch(RECORDER).visit(ast.parse(source))
    module = types.ModuleType(name)
    module.__file__, module.__spec__, module.__package__ = spec.origin, spec, name.rpartition(".")[0]
    if spec.submodule_search_locations:
        module.__path__, module.__package__ = spec.submodule_search_locations, name
    module.__watch__, module.__watched__ = RECORDER, True
    sys.modules[name] = module
    exec(compile(ast.fix_missing_locations(tree), spec.origin, "exec"), module.__dict__)
    parent, _, child = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], child, module)
    return module


class Late(BaseException):
    """A test took too long."""


def late(*_):
    signal.alarm(1)
    raise Late


def watch_helpers():
    """The helpers of the suite that take the pieces of a call."""
    base = sys.modules.get("test.string_tests")
    if base is None or hasattr(base.BaseTest, "__watched__"):
        return

    def wrap(cls, attribute, skip):
        original = getattr(cls, attribute)

        def wrapper(self, *args, **kwargs):
            parts = args[skip:] if attribute != "checkraises" else args[1:]
            own = {k: v for k, v in kwargs.items() if k != "expected_msg"}
            try:
                obj, method = self.fixtype(parts[0]), parts[1]
                if isinstance(method, str):
                    where = "__mod__" if method == "__mod__" else method
                    text = [literal(obj)]
                    given = [literal(self.fixtype(value)) for value in parts[2:]]
                    given += [f"{k}={literal(self.fixtype(v))}" for k, v in own.items()]
                    RECORDER.seen += 1
                    if where == "__mod__":
                        source = f"{text[0]} % {given[0]}"
                    elif where == "__contains__":
                        source = f"{given[0]} in {text[0]}"
                    elif where == "__getitem__":
                        source = f"{text[0]}[{given[0]}]"
                    else:
                        source = f"{text[0]}.{where}({', '.join(given)})"
                    number = f"helper:{len(RECORDER.cases) // 30}"
                    RECORDER.add(source, (number, id(source)))
            except (Skip, UnicodeEncodeError, IndexError, AttributeError):
                RECORDER.skipped["helper"] = "helper"
            busy, RECORDER.busy = RECORDER.busy, True
            try:
                return original(self, *args, **kwargs)
            finally:
                RECORDER.busy = busy

        setattr(cls, attribute, wrapper)

    wrap(base.BaseTest, "checkequal", 1)
    wrap(base.BaseTest, "checkraises", 1)
    wrap(base.BaseTest, "checkcall", 0)
    base.BaseTest.__watched__ = True


def run_suite(name):
    """Runs a module of the suite, watched."""
    names = [name]
    if name == "test_json":
        folder = pathlib.Path(importlib.util.find_spec("test.test_json").submodule_search_locations[0])
        names = [f"test_json.{path.stem}" for path in sorted(folder.glob("test_*.py")) if path.stem != "test_tool"]
    for shared in SHARED:
        if importlib.util.find_spec(shared):
            instrument(shared)
    RECORDER.own = len(RECORDER.sites)
    for name in names:
        try:
            module = instrument(f"test.{name}")
        except unittest.SkipTest:
            continue
        watch_helpers()
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        pending = [suite]
        while pending:
            item = pending.pop()
            if isinstance(item, unittest.TestSuite):
                pending.extend(reversed(list(item)))
                continue
            signal.alarm(8)
            try:
                item.run(unittest.TestResult())
            except Late:
                pass
            except BaseException:
                pass
            finally:
                signal.alarm(0)
            RECORDER.busy = False


def answers(sources):
    """What CPython answers for each source, or None where it must not be recorded."""
    out = []
    for source in sources:
        signal.alarm(3)
        try:
            value = evaluate(source, "block", {})
            try:
                out.append([repr(value)])
            except ValueError:
                out.append(None)
        except Late:
            out.append(None)
        except RecursionError:
            out.append(None)
        except BaseException as error:
            try:
                out.append([type(error).__name__, str(error)])
            except BaseException:
                out.append(None)
        finally:
            signal.alarm(0)
    return out


def judged(sources, seed):
    environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": "UTC"}
    run = subprocess.run([sys.executable, __file__, "--answers"], input=json.dumps(sources), capture_output=True,
                         text=True, env=environment, check=True)
    return json.loads(run.stdout.splitlines()[-1])


def record(name):
    run_suite(name)
    sources = list(RECORDER.cases)
    cases, reasons = [], collections.Counter(RECORDER.skipped.values())
    asked = [judged(sources, seed) for seed in ("0", "1", "2", "3")]
    for source, first, *others in zip(sources, *asked):
        text = json.dumps(first)
        if first is None or any(other != first for other in others) or " at 0x" in text or len(text) > LONGEST:
            reasons["no answer to record"] += 1
            continue
        if re.search(r"\dj\b", source + first[-1]) or "complex" in source + first[-1]:
            reasons["complex"] += 1
            continue
        skipped = left_out(source, first[-1])
        if skipped:
            reasons[skipped] += 1
        elif not isinstance(first[0], str) or first[0] not in ("ImportError", "ModuleNotFoundError"):
            cases.append([source, *first])
    kept = thinned(cases) if "--all" not in sys.argv else cases
    watched = [number for number in range(len(RECORDER.sites)) if number in RECORDER.reached or number >= RECORDER.own]
    return {"module": name, "places": len(watched), "lowered": len(RECORDER.lowered), "found": len(cases),
            "skipped": dict(reasons.most_common()), "cases": kept}


def thinned(cases):
    """Of the cases of one place an even choice."""
    places = collections.defaultdict(list)
    for case in cases:
        places[RECORDER.cases[case[0]]].append(case)
    kept = []
    for of_place in places.values():
        kept += of_place[:: math.ceil(len(of_place) / KEPT)]
    return kept[:: max(1, math.ceil(len(kept) / MOST))]


def mark(path):
    """Writes which cases differ by which row of docs/differences.md, from a list of the blocks that do."""
    rows = collections.defaultdict(list)
    for source in sorted(set(json.loads(path.read_text()))):
        rows[next(row for row, pattern in DIFFERENT if re.search(pattern, source))].append(source)
    (TARGET.parent / "cpython_different.json").write_text(json.dumps(rows, indent=0, ensure_ascii=False) + "\n")
    for row, sources in rows.items():
        print(len(sources), row)


def main():
    assert sys.version_info[:2] == (3, 11), "TPV's answers are recorded with Python 3.11"
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(1000)
    signal.signal(signal.SIGALRM, late)
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    if sys.argv[1:2] == ["--answers"]:
        sources = json.load(sys.stdin)
        stdout, sys.stdout, sys.stderr = sys.stdout, io.StringIO(), io.StringIO()
        result = answers(sources)
        sys.stdout = stdout
        print("\n" + json.dumps(result))
        os._exit(0 if not sys.stdout.flush() else 1)
    if sys.argv[1:2] == ["--module"]:
        stdout, sys.stdout, sys.stderr = sys.stdout, io.StringIO(), (sys.stderr if os.environ.get("DEBUG") else io.StringIO())
        result = record(sys.argv[2])
        sys.stdout = stdout
        print("\n" + json.dumps(result))
        os._exit(0 if not sys.stdout.flush() else 1)
    report = []
    more = [argument for argument in sys.argv[1:] if argument.startswith("--")]
    if more == ["--mark"]:
        mark(pathlib.Path(sys.argv[1]))
        return
    for name in [argument for argument in sys.argv[1:] if argument not in more] or MODULES:
        run = subprocess.run([sys.executable, __file__, "--module", name, *more], capture_output=True, text=True, cwd="/tmp",
                             env={**os.environ, "TZ": "UTC"}, check=False)
        if run.returncode:
            print(name, "FAILED", run.stderr[-300:])
            continue
        result = json.loads(run.stdout.splitlines()[-1])
        cases = result.pop("cases")
        if cases:
            rows = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
            (TARGET / f"{name}.json").write_text(f"[\n{rows}\n]\n")
        report.append(f"{name}: {len(cases)} of {result['found']} cases from {result['lowered']} of {result['places']} places")
        report += [f"    not there: {reason}: {count}" for reason, count in result["skipped"].items() if count > 9]
        print(report[-1] if report[-1].startswith("test") else name, flush=True)
    (TARGET / "report.txt").write_text("\n".join(report) + "\n")


if __name__ == "__main__":
    main()
