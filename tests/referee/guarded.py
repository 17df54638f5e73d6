"""Statements that ask whether something is there and go on either way: imports, names and attributes in a `try`, `hasattr`, `getattr`
with a default. What CPython has and the native language lacks must be reported, whatever the program does about its absence.

The names are CPython's own, so that a module that the native language gets later is asked for as well. Only the mode for all of
Python uses them.
"""

import builtins
import importlib

# What importing has no effect, and no machine lacks.
MODULES = """abc array ast base64 binascii bisect calendar cmath codecs collections collections.abc colorsys configparser contextlib copy csv dataclasses datetime decimal
    difflib email enum errno fnmatch fractions functools gettext glob hashlib heapq hmac html html.parser importlib inspect io ipaddress itertools json json.decoder
    keyword linecache locale logging logging.handlers math mimetypes numbers operator os os.path pathlib pickle platform pprint queue random re reprlib secrets shlex shutil
    stat statistics string struct sys tempfile textwrap threading time tokenize traceback types typing unicodedata urllib urllib.parse uuid warnings weakref zlib
    zoneinfo""".split()
# Modules that the native language has: of these most programs ask for a name.
NATIVE = "datetime functools itertools json logging math numbers os os.path random re string sys time typing".split()
NOWHERE = ["no_such_module", "math.no_such_module", "json.nothing"]
CATCHES_IMPORT = ["ImportError", "ModuleNotFoundError", "Exception", "BaseException", "(ImportError, AttributeError)", "", "(KeyError, ImportError)"]
CATCHES_NAME = ["NameError", "Exception", "BaseException", "(NameError, AttributeError)", ""]
CATCHES_ATTRIBUTE = ["AttributeError", "Exception", "BaseException", "(TypeError, AttributeError)", "", "(NameError, AttributeError)"]
# Those of the builtin types, and objects that have them.
OBJECTS = ["'a'", "b'a'", "1", "True", "1.5", "[1]", "(1,)", "{1: 2}", "{1}", "frozenset()", "range(3)", "slice(1)", "None", "ValueError('x')", "KeyError(1)", "OSError(1, 'x')", "len", "(lambda: 1)", "str", "int", "type", "iter([1])", "(x for x in [1])"]
NAMES_OF_BUILTINS = sorted(name for name in dir(builtins) if not name.startswith("_") and name not in ("copyright", "credits", "exit", "help", "license", "quit", "breakpoint", "input"))


def names_in(module):
    return sorted(name for name in dir(importlib.import_module(module)) if not name.startswith("_")) + ["nothing"]


NAMES = {module: names_in(module) for module in MODULES}


def module_and_name(rng):
    module = rng.choice(NATIVE if rng.random() < 0.7 else MODULES)
    return module, rng.choice(NAMES[module])


def attempt(rng, risky, caught, otherwise="7"):
    """A `try` that sets `z`, in one of the forms that sites write."""
    clause = f"except {caught}:" if caught else "except:"
    form = rng.choice(["plain", "plain", "plain", "else", "finally", "flag", "function", "nested", "branch"])
    risky = ["    " + line for line in risky]
    if form == "else":
        return ["try:", *risky, clause, f"    z = {otherwise}", "else:", "    z = (z, 'else')"]
    if form == "finally":
        return ["def f():", "    try:", *["    " + line for line in risky], "        return z", "    finally:", *["    " + line for line in risky], "try:", "    z = f()", clause, f"    z = {otherwise}"]
    if form == "flag":
        return ["there = True", "try:", *risky, clause, "    there = False", "z = there"]
    if form == "function":
        return ["def f():", "    try:", *["    " + line for line in risky], "    " + clause, f"        return {otherwise}", "    return z", "z = f()"]
    if form == "nested":
        return ["z = 0", "try:", "    try:", *["    " + line for line in risky], "    except ZeroDivisionError:", "        z = 1", clause, f"    z = {otherwise}"]
    if form == "branch":
        return ["z = 0", "if len('a') == 1:", "    try:", *["    " + line for line in risky], "    " + clause, f"        z = {otherwise}"]
    return ["try:", *risky, clause, f"    z = {otherwise}"]


def imported(make):
    """An import in a `try`."""
    rng = make.rng
    caught = rng.choice(CATCHES_IMPORT)
    what = rng.choice(["module", "module", "as", "from", "from", "from as", "nowhere", "called"])
    if what == "nowhere":
        return attempt(rng, [f"import {rng.choice(NOWHERE)}", "z = 5"], caught)
    if what == "called":
        return attempt(rng, [f"z = type({rng.choice(['__import__', 'importlib.import_module'])}('{rng.choice(MODULES)}')).__name__"], rng.choice(["Exception", "(ImportError, NameError)", ""]))
    module, name = module_and_name(rng)
    if what == "module":
        module = rng.choice(MODULES)
        return attempt(rng, [f"import {module}", rng.choice(["z = 5", f"z = {module}.{rng.choice(NAMES[module])} is None"])], rng.choice(CATCHES_IMPORT + CATCHES_ATTRIBUTE))
    if what == "as":
        return attempt(rng, [f"import {module} as m", f"z = m.{name} is None"], rng.choice(["Exception", "(ImportError, AttributeError)", ""]))
    if what == "from":
        return attempt(rng, [f"from {module} import {name}", f"z = {name} is None"], caught)
    return attempt(rng, [f"from {module} import {name} as k, {rng.choice(NAMES[module])} as k2", "z = (k is None, k2 is None)"], caught)


def named(make):
    """A name of the builtins in a `try`."""
    rng = make.rng
    name = rng.choice(NAMES_OF_BUILTINS)
    return attempt(rng, rng.choice([[f"z = {name} is None"], [f"{name}", "z = 5"], [f"z = [{name} is None for i in range(2)]"], [f"z = (lambda: {name} is None)()"]]), rng.choice(CATCHES_NAME))


def attributes(make):
    """An attribute of a module in a `try`, or asked for by name."""
    rng = make.rng
    module, name = module_and_name(rng)
    short = rng.choice([module, "m"])
    lines = [f"import {module}" + (" as m" if short == "m" else "")]
    asked = rng.choice([f"hasattr({short}, '{name}')", f"getattr({short}, '{name}', None) is None", f"getattr({short}, n) is None", f"hasattr({short}, n)", f"(lambda o: hasattr(o, '{name}'))({short})", f"[{short}][0].{name} is None",
                        f"[o.{name} is None for o in [{short}]]", f"operator.attrgetter('{name}')({short}) is None", f"{short}.{name} is None", f"{short}.{name} is None", f"{short}.{name} is None", f"{short}.{name} is None or {make.argument('any')}",
                        f"'{name}' in dir({short})", f"'{{0.{name}}}'.format({short}) is None", f"all(hasattr(x, '{name}') for x in ({short}, 1))"])
    if "(n)" in asked or ", n)" in asked:
        lines.append(f"n = '{name}'" if rng.random() < 0.7 else f"n = '{name[:1]}' + '{name[1:]}'")
    risky = [f"z = {asked}"]
    return lines + (attempt(rng, risky, rng.choice(CATCHES_ATTRIBUTE)) if rng.random() < 0.7 else risky)


def of_values(make):
    """An attribute of a value in a `try`, or asked for by name."""
    rng = make.rng
    own = rng.choice(OBJECTS)
    value = own if rng.random() < 0.6 else make.argument("any")
    name = rng.choice(sorted(name for name in dir(eval(rng.choice([own, own, rng.choice(OBJECTS)]))) if rng.random() < 0.3 or not name.startswith("_")))
    asked = rng.choice([f"hasattr({value}, '{name}')", f"getattr({value}, '{name}', None) is None", f"({value}).{name} is None", f"(lambda o: o.{name} is None)({value})", f"[o.{name} is None for o in [{value}]]", f"hasattr({value}, n)", f"type({value}).{name} is None", f"callable(({value}).{name})"])
    lines = [f"n = '{name}'"] if ", n)" in asked else []
    risky = [f"z = {asked}"]
    return lines + (attempt(rng, risky, rng.choice(CATCHES_ATTRIBUTE)) if rng.random() < 0.7 else risky)


STATEMENTS = {"imported": imported, "named": named, "attributes": attributes, "of_values": of_values}
