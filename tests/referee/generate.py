"""The referee: random programs, evaluated by CPython 3.11 and by tpvc, their answers compared.

    cargo build --profile referee --example evaluate
    python3.11 tests/referee/generate.py --seed 1 --count 100000
    python3.11 tests/referee/generate.py --seed 1 --count 100000 --all

The programs are of the native language, or with `--all` of all of Python: with classes, generator functions, modules and names
that tpvc leaves out. Where the answers differ, compiling must have told that the program needs CPython.

It prints its seed, the share of programs that raise, of trivial ones and of those that compiling tells, and every other
difference that `known.py` does not explain, shrunk. It ends with status 1 where there is one.
"""

import argparse
import collections
import random
import re
import sys

import cause
import guarded
import known
import left_out
import machines
import shrink
from grammar import BOUNDED, LITERALS, RULES

ILL_TYPED = 0.012
# The share of programs from which what raises is taken out, and how often a whole program is made again for that.
TAME = 0.4
TRIES = 4
# How many more processes of CPython are asked whether an answer hangs on memory addresses, before the one with other addresses.
WITNESSES = 6
TOLD = "compiling tells that the program needs CPython"
ADDRESSES = "CPython answers otherwise in another process: hashes by address, and what follows from them"
# The share of programs of all of Python that are about what may be absent, and nothing else that could be reported.
GUARDED = 0.2
# A program of so few parts is a trivial one.
TRIVIAL = 2
# Statements of all of Python.
WHOLE = {**left_out.STATEMENTS, **guarded.STATEMENTS}
MODULES = """ast base64 binascii bisect collections collections.abc contextlib copy dataclasses datetime enum fnmatch functools hashlib heapq html itertools json
    math numbers operator os os.path packaging.specifiers packaging.utils packaging.version random re shlex statistics string textwrap time types typing urllib.parse
    uuid zlib"""
USES = re.compile(r"(?<![\w.'])(" + "|".join(map(re.escape, sorted(MODULES.split(), key=len, reverse=True))) + r")\.")
ATOM = re.compile(r"^(\w+|'[^'\\]*'|\w+\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|\([^()]*\))$")
HOLE = re.compile(r"\$([a-z_0-9]+?)(?=__|\b)")
FSTRING = re.compile(r"(?<!\w)f'([^'$]*\$[^']*)'")
STRAY = [kind for kind in RULES if kind not in ("key", "fn2", "key_value", "library", "longrange", "slice", "match")]
IN_BLOCK = ["int", "float", "str", "list", "tuple", "dict", "set", "bool", "any", "intlist", "numlist", "strlist", "intdict"]


class Generator:
    """Makes one program. Variables of the block are known by kind and fill holes of that kind.

    `raises` tells whether a program raises. A tame program is one from which most of what raises has been taken out again,
    statement by statement: a program of random parts raises more often than not, and what comes after that is not run.
    `whole` tells whether programs are of all of Python.
    """

    def __init__(self, rng, raises, whole):
        self.rng = rng
        self.whole = whole
        self.raises = raises
        self.tame = rng.random() < TAME
        self.variables = {}
        self.holes = 0

    def expression(self, kind, depth):
        rng = self.rng
        self.holes += 1
        if kind not in BOUNDED and rng.random() < ILL_TYPED:
            kind = rng.choice(STRAY)
        names = self.variables.get(kind)
        if names and rng.random() < 0.4:
            return rng.choice(names)
        rules, literals = RULES.get(kind) or [], LITERALS.get(kind) or []
        if literals and (depth <= 0 or not rules or rng.random() < 0.25):
            return rng.choice(literals)
        if depth <= -3:
            return rng.choice(["0", "''", "None", "[]", "1.5", "(1, 2)"])
        return self.fill(rng.choice(rules), depth - 1)

    def fill(self, template, depth):
        def filled(match):
            kind = match.group(1)
            if kind in ("attribute", "special"):
                return self.rng.choice(LITERALS[kind])
            text = self.expression(kind, depth)
            before, after = template[: match.start()], template[match.end() :]
            if FSTRING.search(template):
                # A f-string of CPython 3.11, whose fields hold neither its quotes nor backslashes nor comments.
                plain = not any(mark in text for mark in ('"""', "\\", "#", "\n"))
                return f"({text})" if plain else "1"
            if ATOM.match(text) and not (text[0].isdigit() and after.startswith((".", "("))):
                return text
            if before.endswith(("(", ", ")) and after.startswith((")", ",")) and before.count("(") and not text.startswith("*"):
                if " for " not in text and ":=" not in text and "lambda" not in text and ", " not in re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|'[^']*'", "", text):
                    return text
            return f"({text})"

        return HOLE.sub(filled, FSTRING.sub(r'f"""\1"""', template))

    def bind(self, name, kind):
        for names in self.variables.values():
            if name in names:
                names.remove(name)
        self.variables.setdefault(kind, []).append(name)

    def name(self):
        return self.rng.choice("abcdxy")

    def block(self):
        lines = []
        for _ in range(self.rng.randint(1, 4)):
            saved = {kind: list(names) for kind, names in self.variables.items()}
            statement = self.statement(2)
            if self.tame and self.raises(("block", imports("\n".join([*lines, *statement, "0"])))):
                self.variables = saved
            else:
                lines += statement
        names = [name for names in self.variables.values() for name in names]
        if names and self.rng.random() < 0.7:
            return lines + ["(" + ", ".join(sorted(set(names))) + ",)"]
        return lines + [self.expression(self.rng.choice(IN_BLOCK), 2)]

    def suite(self, depth, *ends):
        saved = {kind: list(names) for kind, names in self.variables.items()}
        lines = [line for _ in range(self.rng.randint(1, 2)) for line in self.statement(depth - 1)]
        if ends and self.rng.random() < 0.3:
            lines.append(self.rng.choice(ends))
        self.variables = saved
        return ["    " + line for line in lines]

    def statement(self, depth):
        rng, expression, name = self.rng, self.expression, self.name()
        choices = "assign assign assign augment unpack method item"
        if depth > 0:
            choices += " if for while try function decorated delete comprehension starred assert nested"
            choices += (" " + " ".join(WHOLE)) if self.whole else ""
        what = rng.choice(choices.split())
        if what in WHOLE:
            self.bind("z", "any")
            return WHOLE[what](self)
        if what == "assign":
            kind = rng.choice(IN_BLOCK)
            text = expression(kind, 2)
            self.bind(name, kind)
            return [f"{name} = {text}"]
        if what == "augment":
            kind, op = rng.choice([("int", "+"), ("int", "*"), ("int", "//"), ("int", "&"), ("float", "-"), ("float", "/"), ("str", "+"), ("str", "%"),
                                   ("list", "+"), ("set", "|"), ("set", "-"), ("dict", "|"), ("intlist", "+"), ("any", "+"), ("tuple", "+"), ("int", "%"), ("int", "**"), ("int", "<<")])
            first, right = expression(kind, 1), expression("small" if op in ("**", "<<") else rng.choice([kind, kind, "any"]) if kind != "any" else kind, 1)
            if rng.random() < 0.3:
                self.bind(name, "list")
                return [f"{name} = [{first}]", f"{name}[0] {op}= {right}"]
            self.bind(name, kind)
            return [f"{name} = {first}", f"{name} {op}= {right}"]
        if what == "unpack":
            pattern = rng.choice(["a, b", "a, *b", "*a, b", "(a, b), c", "[a, b, c]", "a, (b, *c)", "*a,"])
            text = expression(rng.choice(["tuple", "list", "str", "iterable", "any"]), 2)
            for bound in re.findall(r"\w", pattern):
                self.bind(bound, "any")
            return [f"{pattern} = {text}"]
        if what == "method":
            text = expression("list", 1)
            self.bind(name, "list")
            return [f"{name} = list({text})", self.fill(rng.choice([
                f"{name}.append($any)", f"{name}.insert($small, $any)", f"{name}.extend($iterable)", f"{name}.remove($any)", f"{name}.sort()",
                f"{name}.sort(key=$key, reverse=$bool)", f"{name}.reverse()", f"{name}.pop($small)", f"{name} += $iterable", f"{name} *= $small",
                f"{name}[$small] = $any", f"{name}[$small:$small] = $iterable", f"{name}[::$small] = $iterable", f"del {name}[$small]",
                f"del {name}[$small:]", f"del {name}[::$small]", f"{name}[$slice] = $list", f"{name}.clear()"]), 1)]
        if what == "item":
            text = expression("dict", 1)
            self.bind(name, "dict")
            return [f"{name} = dict({text})", self.fill(rng.choice([
                f"{name}[$key_value] = $any", f"{name}.update($dict)", f"{name}.update($any)", f"del {name}[$any]", f"{name}.setdefault($key_value, []).append($any)",
                f"{name}.pop($any)", f"{name}.popitem()", f"{name} |= $dict", f"{name}['n'] = {name}.get('n', $int) + $int", f"{name}.update(a=$any)", f"{name}.clear()"]), 1)]
        if what == "if":
            return [f"if {expression('bool', 2)}:"] + self.suite(depth) + [f"elif {expression('any', 1)}:"] + self.suite(depth) + ["else:"] + self.suite(depth)
        if what == "for":
            text = expression("iterable", 1)
            head = rng.choice(["for i in {}:", "for i, j in enumerate({}):", "for i in reversed({}):", "for i, j in {}:", "for i, j in zip({}, 'xyz'):"]).format(text)
            self.bind("i", "any")
            tail = ["else:"] + self.suite(depth) if rng.random() < 0.3 else []
            return ["r = []", head, f"    r.append({self.expression('any', 1)})"] + self.suite(depth, "break", "continue") + tail
        if what == "while":
            return ["n = 0", f"while n < {rng.randint(0, 4)}:", "    n += 1"] + self.suite(depth, "break", "continue") + (["else:"] + self.suite(depth) if rng.random() < 0.3 else [])
        if what == "try":
            risky = ["    " + f"{name} = {expression('any', 2)}"]
            caught = rng.choice(["Exception", "(ValueError, TypeError)", "LookupError", "ArithmeticError", "BaseException", expression("exception", 0)])
            self.bind(name, "any")
            # The name may be unbound here and there, which is a case too.
            lines = ["try:"] + risky + [f"except {caught} as e:", f"    {name} = (type(e).__name__, str(e), e.args)"]
            if rng.random() < 0.3:
                lines += ["    " + rng.choice(["raise", "raise ValueError(str(e)) from e", "raise KeyError(e)", "pass"])]
            if rng.random() < 0.3:
                lines += ["else:"] + self.suite(depth)
            if rng.random() < 0.3:
                lines += ["finally:"] + self.suite(depth)
            return lines
        if what == "function":
            parameters, arguments = rng.choice([
                ("p, q=1", "{}"), ("p, q=1", "{}, {}"), ("*p", "{}, {}"), ("p, *, q=2", "{}, q={}"), ("**p", "a={}, b={}"), ("p, /, q", "{}, {}"), ("p, q=1", "q={}, p={}"),
                ("p, *q, **r", "{}, {}, k=1"), ("p, q", "{}"), ("p, q", "*{}"), ("p", "{}, {}"), ("p, q=1", "{}, z={}"), ("p, *, q", "{}"), ("p, /", "p={}"), ("p, q", "**{}"), ("p, q=3, *r", "*{}")])
            arguments = arguments.replace("{}", "\0").split("\0")
            call = arguments[0] + "".join(self.argument("any") + part for part in arguments[1:])
            if arguments[0].endswith("**"):
                call = "**" + self.argument("intdict")
            saved = self.variables
            self.variables = {"any": ["p", "q"]} if "**p" not in parameters else {}
            body = self.suite(depth) + ["    return " + self.expression("any", 2)]
            self.variables = saved
            self.bind("z", "any")
            return [f"def f({parameters}):"] + body + [f"z = f({call})"]
        if what == "decorated":
            self.bind("z", "any")
            return self.decorated()
        if what == "delete":
            return [f"{name} = {expression('any', 1)}", f"del {name}", f"{name} = {expression('any', 1)}"]
        if what == "comprehension":
            self.bind("z", "any")
            return [rng.choice(["z = [({0}) for i in {1}]", "z = {{i: ({0}) for i in {1}}}", "z = [(i, ({0})) for i in {1} if i]", "z = list(({0}) for i in {1})", "z = [[j for j in {1}] for i in range(2)]", "z = [(i, j) for i, j in {1}]"]).format(expression("any", 1), self.argument("iterable"))]
        if what == "starred":
            self.bind("z", "any")
            return [rng.choice(["z = [*{0}, *{1}]", "z = (*{0}, 1)", "z = {{**{2}, 'k': 1}}", "z = max(*{0})", "z = '{{}} {{}}'.format(*{0})", "z = dict(**{2})", "z = [{0}, {1}][0]"]).format(self.argument("iterable"), self.argument("iterable"), self.argument("dict"))]
        if what == "assert":
            return [f"assert {expression('bool', 1)}, {expression('any', 1)}"] if rng.random() < 0.3 else ["pass"]
        return ["def f():", "    global w" if rng.random() < 0.5 else "    w = 0", "    def h():", "        nonlocal_ = 1", f"        return {expression('any', 1)}", f"    w = {expression('any', 1)}", "    return h(), w", "z = f()"]

    def decorated(self):
        """Functions made by decorators, of `functools` and of the program, and their calls."""
        rng, any_ = self.rng, lambda: self.argument("any")
        what = rng.choice(["cache", "own"])
        if what == "cache":
            return ["n = []", f"@functools.{rng.choice(['lru_cache', 'cache', 'lru_cache(maxsize=2)', 'lru_cache(maxsize=None, typed=True)', 'lru_cache(0)'])}", "def f(*a, **k):", "    n.append(a)", f"    return {rng.choice(['len(n)', any_()])}", f"z = [f({any_()}), f({any_()}), f(1), f(1.0), f(True), f(x=1), f(1), tuple(f.cache_info()), n]"]
        return ["def d(*a):", "    return lambda f: lambda *b, **k: (a, f(*b, **k))", f"@d({any_()})", "@d()", "def f(p, *q, k=1):", f"    return {rng.choice(['p', 'q', 'k', any_()])}", f"z = f({any_()}, {any_()}, k={any_()})"]

    def argument(self, kind):
        text = self.expression(kind, 1)
        return text if ATOM.match(text) else f"({text})"

    def fstring(self):
        rng, parts = self.rng, []
        for _ in range(rng.randint(1, 3)):
            parts.append(rng.choice(["", "a", " ", "{{", "}}", "é", "\U0001f600", "x=", "\\n", "\\x41", "%", "$", "'", '"', ": ", "\\t"]))
            kind = rng.choice(["int", "float", "str", "any", "bool", "num"])
            text = self.expression(kind, 2)
            if any(mark in text for mark in ("\\", "'''", "#", "\n")) or re.search(r"[:!]|lambda", re.sub(r"\[[^\]]*\]", "", text)):
                text = f"({text})" if not any(mark in text for mark in ("\\", "'''", "#")) else "1"
            specs = {"int": "intspec", "float": "floatspec", "num": "floatspec"}.get(kind, "strspec")
            spec = rng.choice(LITERALS[specs])[1:-1]
            parts.append("{" + (" " if text.startswith("{") else "") + text + rng.choice(["", "", "", "=", "!r", "!s", "!a"]) + rng.choice(["", "", ":" + spec, ":{" + str(rng.randint(0, 9)) + "}", ":>{" + str(rng.randint(0, 12)) + "}"]) + "}")
        return "".join(parts)

    def program(self):
        """Kind and source."""
        for _ in range(TRIES):
            self.variables, self.holes = {}, 0
            case = self.draft()
            if not (self.tame and self.raises(case)) and (self.holes > TRIVIAL or self.rng.random() < 0.5):
                break
        return case

    def draft(self):
        what, rng = self.rng.random(), self.rng
        if self.whole and rng.random() < GUARDED:
            lines = [line for _ in range(rng.randint(1, 2)) for line in rng.choice(list(guarded.STATEMENTS.values()))(self)]
            return "block", imports("\n".join([*lines, "z"]))
        if what < 0.4:
            return "block", imports(self.expression(rng.choice(IN_BLOCK + ["any", "bytes", "frozenset", "range"]), rng.choice([2, 2, 3])))
        if what < 0.55:
            return "block", imports(self.expression("library", rng.choice([1, 2, 3])))
        if what < 0.9:
            return "block", imports("\n".join(self.block()))
        return "fstring", self.fstring()


def imports(source):
    """The source with the modules imported that it names."""
    used = set(USES.findall(source))
    lines = ["import " + name for name in sorted(used)]
    if "random" in used:
        lines.append("random.seed(42)")
    return "\n".join(lines + [source])


# What the native language leaves out whatever the module: special methods by name, builtins, complex numbers, classes.
NOT_NATIVE = re.compile(
    r"__(?!class__|name__)\w+__|__\$special__|(?<![\w.'])(eval|exec|compile|globals|locals|vars|dir|setattr|delattr|super|property|staticmethod|classmethod"
    r"|memoryview|bytearray|complex|open)\(|type\([^()]*,|\dj\b|\.(send|gi_frame)\b"
)
NAME_OF_MODULE = re.compile(r"(?<![\w.'])(" + "|".join(map(re.escape, sorted(MODULES.split(), key=len, reverse=True))) + r")\.([A-Za-z]\w*)")


def names_of_modules():
    """Each module and name of it that a template uses."""
    rules = [rule for kinds in (LITERALS, RULES) for rules in kinds.values() for rule in rules]
    return sorted({found for rule in rules for found in NAME_OF_MODULE.findall(rule)})


def leave_out(gone):
    """Forgets the templates in which the pattern is found, and kinds of which nothing is left."""
    for kinds in (LITERALS, RULES):
        for kind, rules in kinds.items():
            if kind not in ("str", "strspec", "path"):
                kinds[kind] = [rule for rule in rules if not gone.search(rule)]
    RULES["str"] = [rule for rule in RULES["str"] if not gone.search(rule)]
    while True:
        empty = [kind for kind in RULES if not RULES[kind] and not LITERALS.get(kind)]
        needs = re.compile("|".join(rf"\${kind}\b" for kind in empty) or "(?!)")
        before = sum(map(len, RULES.values()))
        for kind, rules in RULES.items():
            RULES[kind] = [rule for rule in rules if not needs.search(rule)]
        STRAY[:] = [kind for kind in STRAY if kind not in empty]
        if before == sum(map(len, RULES.values())):
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--evaluator", default="target/referee/examples/evaluate")
    parser.add_argument("--show", type=int, default=60, help="how many differences to shrink and print")
    parser.add_argument("--known", action="store_true", help="print known differences, too")
    parser.add_argument("--all", action="store_true", help="programs of all of Python, not of the native language alone")
    parser.add_argument("--seconds", type=float, help="stop after this time")
    args = parser.parse_args()
    rng = random.Random(args.seed)

    def raises(case):
        answer = cpython.answer(case)
        return answer is None or "exception" in answer

    def raises_in(machine, source):
        return "exception" in machine.answer(("block", source))

    def explain(case, expected, actual):
        """Why the two answers may differ, or None."""
        if tpvc.findings(case):
            return TOLD
        if reason := known.reason(case, expected, actual):
            return reason
        # What hangs on where CPython's objects are in memory, as hashes of functions do, differs from process to process.
        answers = (witness.answer(case) for witness in witnesses)
        if any(answer is None or not machines.same(expected, answer) for answer in answers):
            return ADDRESSES
        # What follows from a known difference is known.
        reasons = (known.reason(*part) for part in cause.differing(case, cpython, tpvc))
        return next((reason for reason in reasons if reason not in known.ONLY_SHOWN), None)

    cpython, tpvc = machines.CPython(), machines.Tpvc(args.evaluator)
    # One has its objects where the C library puts them: even the first digits of their addresses are others.
    witnesses = [machines.CPython() for _ in range(WITNESSES)] + [machines.CPython(PYTHONMALLOC="malloc")]
    missing = [name for name in MODULES.split() if raises_in(cpython, f"import {name}\n1")]
    absent = [rf"\b{name}\." for name in missing]
    if not args.all:
        told = [(module, name) for module, name in names_of_modules() if tpvc.findings(("block", f"import {module}\n{module}.{name}\n1"))]
        absent += [rf"(?<![\w.']){re.escape(module)}\.{name}\b" for module, name in told]
        leave_out(NOT_NATIVE)
    leave_out(re.compile("|".join(absent) or "(?!)"))
    tally, explained, shown = collections.Counter(), collections.Counter(), {}
    print(f"seed {args.seed}, {args.count} programs" + "".join(f"; no module {name}" for name in missing), flush=True)
    started = machines.now()
    for _ in range(args.count):
        if args.seconds and machines.now() - started > args.seconds:
            break
        generator = Generator(rng, raises, args.all)
        case = generator.program()
        expected = cpython.answer(case)
        if expected is None:
            tally["skipped: CPython takes too long or too much memory"] += 1
            continue
        tally["programs"] += 1
        tally["raise"] += "exception" in expected
        tally["trivial"] += generator.holes <= TRIVIAL
        tally[case[0]] += 1
        actual = tpvc.answer(case)
        if machines.same(expected, actual):
            continue
        reason = explain(case, expected, actual)
        if reason == TOLD:
            tally["told"] += 1
            if args.known:
                print(f"--- told: {tpvc.findings(case)}\n{case[1]}", flush=True)
            continue
        if reason is None and len(shown) < args.show:
            case, expected, actual = shrink.shrink(case, expected, actual, cpython, tpvc, explain)
        if reason is not None:
            explained[reason] += 1
            if args.known:
                print(f"--- known: {reason}\n{case[1]}\n  CPython: {machines.text(expected)}\n  tpvc:    {machines.text(actual)}", flush=True)
            continue
        tally["differences"] += 1
        # One of a sort is enough, but for wrong values.
        sort = case if "value" in expected and "value" in actual else str(shrink.sort(expected, actual))
        if sort not in shown and len(shown) < args.show:
            shown[sort] = None
            print(f"--- {case[0]}\n{case[1]}\n  CPython: {machines.text(expected)}\n  tpvc:    {machines.text(actual)}", flush=True)
    count = max(tally["programs"], 1)
    print(f"seed {args.seed}: {tally['programs']} programs in {machines.now() - started:.0f} s, "
          f"{tally['raise'] / count:.1%} raise, {tally['trivial'] / count:.1%} trivial, {tally['fstring'] / count:.1%} f-strings, {tally['told'] / count:.1%} differ and are told; "
          f"{sum(explained.values())} known differences, {tally['differences']} others")
    for name, times in explained.most_common():
        print(f"  known: {times} {name}")
    for name, times in tally.items():
        if name.startswith("skipped"):
            print(f"  {times} {name}")
    sys.exit(1 if tally["differences"] else 0)


if __name__ == "__main__":
    main()
