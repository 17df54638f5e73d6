"""Templates of what the native language leaves out: classes and the modules that make them, generator functions, `match`,
builtins such as `eval`, special methods by name. Only the mode for all of Python uses them.

The expressions are as in `grammar.py`; `STATEMENTS` makes what needs statements.
"""

TEMPLATES = {
    "enum": "enum.Enum('E', 'A B')|enum.Enum('E', ['A', 'B', 'A'])|enum.Enum('E', $dict)|enum.Enum('E', $intdict)|enum.IntEnum('N', {'ONE': $int, 'TWO': $int})|enum.Enum('E', [('A', $any), ('B', $any)])|enum.StrEnum('S', {'A': $str, 'B': $str})|enum.IntEnum('N', $strlist)|enum.Enum('E', $str)|enum.Enum('E', 'A, B,C', start=$small)|enum.IntEnum('N', 'A B', start=$int)",
    "record": "dataclasses.make_dataclass('D', ['a', 'b'])($any, $any)|dataclasses.make_dataclass('D', [('a', int), ('b', str, $int)])($any)|dataclasses.make_dataclass('D', [('a', int, dataclasses.field(default=$int, repr=$bool, compare=$bool))], order=True)()|dataclasses.make_dataclass('D', $strlist)|dataclasses.make_dataclass('D', ['a'], frozen=True, eq=$bool)($any)|types.SimpleNamespace(a=$any, b=$any)|types.SimpleNamespace(**$intdict)|dataclasses.make_dataclass('D', [('a', list, dataclasses.field(default_factory=list))])()",
    "function": "functools.partial($fn2, $any)|functools.partial($key)|functools.partial(functools.partial($fn2, $any), $any)|functools.lru_cache(maxsize=$small)($key)|functools.cache($key)|functools.wraps(len)(lambda x: $any)|functools.cmp_to_key($fn2)|functools.singledispatch($key)|operator.itemgetter($any)|operator.attrgetter('real')|functools.partial(print, $str)|functools.lru_cache($key)|functools.update_wrapper(lambda x: x, $key)",
    "bool": """
        $enum.A == $enum.A|$enum.A in [$any]|isinstance($enum.A, (int, str))|hasattr($enum, $name)|dataclasses.is_dataclass($any)|dataclasses.is_dataclass($record)|$record == $record|$record < $record|isinstance($any, types.NoneType)|isinstance($any, (types.FunctionType, types.BuiltinFunctionType))|isinstance($any, int | str)|isinstance($any, types.GeneratorType)|types.SimpleNamespace(a=$any) == types.SimpleNamespace(a=$any)|callable($function)
        bool($enum.A)|functools.cmp_to_key($fn2)($any) < functools.cmp_to_key($fn2)($any)
    """,
    "str": """
        repr($enum.A)|str($enum.A)|f'{$enum.A}'|f'{$enum.A:>8}'|format($enum.A, $strspec)|$enum.A.name|'%s' % $enum.A|repr($enum)|repr($record)|str($record)|f'{$record!r:.20}'|str($enum)|repr(types.SimpleNamespace(a=$any, b=$any))|repr(types.MappingProxyType($dict))|repr(int | $type)|repr(types.GenericAlias($type, ($type,)))|repr(list[$type])|repr(list(dataclasses.fields($record))[0].name)|$function.__name__
    """,
    "int": "$enum.A.value|len($enum)|hash($enum.A) == hash($enum.A)|$enum.ONE + $int|$enum.TWO % $positive|functools.lru_cache(maxsize=$small)(len)($str)|functools.partial($fn2, $int)($int)|len(dataclasses.fields($record))|functools.reduce($fn2, $intlist, $int)|functools.cache(lambda n: n * 2)($int)|[f(1), f(1), f.cache_info().hits][2] if (f := functools.lru_cache(lambda n: n)) else 0|$record.a",
    "list": "list($enum)|[e.value for e in $enum]|[e.name for e in $enum]|sorted($enum, key=lambda e: str(e.value))|list(reversed($enum))|list($enum.__members__)|[f.name for f in dataclasses.fields($record)]|list(dataclasses.astuple($record))|sorted($intlist, key=functools.cmp_to_key($fn2))|[(f.name, f.default is dataclasses.MISSING, f.init, f.kw_only) for f in dataclasses.fields($record)]|list(map($function, $list))|sorted([$record, $record])|list(vars(types.SimpleNamespace(**$intdict)))|[f := functools.lru_cache(maxsize=$small)(lambda n: n), f(1), f(2), f(1), f.cache_info()][4:]|list(map(functools.partial($fn2, $any), $list))",
    "tuple": "dataclasses.astuple($record)|(lambda f: (f.func is max, f.args, f.keywords))(functools.partial(max, $any, key=$key))|functools.lru_cache(maxsize=$small)($key).cache_info()|functools.lru_cache($key).cache_info()|($enum.A, $enum.A)|tuple($enum)|functools.partial(lambda *a, **k: (a, k), *$list, **$intdict)($any)|$record.__match_args__|(int | $type).__args__|list[$type, $type].__args__",
    "dict": "dataclasses.asdict($record)|dict($enum.__members__)|vars(types.SimpleNamespace(a=$any))|{$enum.A: $any}|types.MappingProxyType($dict) | $dict|dict(types.MappingProxyType($dict))|functools.partial(dict, a=$any)(b=$any)|functools.lru_cache(maxsize=$small)($key).cache_parameters()|functools.partial(print, sep=$any).keywords|dict.fromkeys($enum)|copy.copy(types.MappingProxyType($dict))",
    "any": """
        $enum.A|$enum['A']|$enum($any)|$enum[$any]|$enum.nothing|$enum.A.value|$enum.A < $enum.A|$enum.A + $any|$enum.ONE|enum.Enum($any, $any)|enum.IntEnum('N', $dict)|enum.StrEnum('S', $dict)|enum.unique($enum)|enum.unique($any)|enum.auto().value|copy.deepcopy($enum.A)|json.dumps($enum.A)|$enum.A.nothing|$enum()|$any in $enum
        $record|dataclasses.replace($record, a=$any)|dataclasses.replace($record, **$intdict)|dataclasses.replace($any)|dataclasses.asdict($any)|dataclasses.astuple($any)|dataclasses.fields($any)|dataclasses.asdict($record, dict_factory=$type)|dataclasses.make_dataclass($any, $any)|dataclasses.make_dataclass('D', [$any])|dataclasses.field(default=$any, default_factory=$any)|$record.$attribute|copy.copy($record)|copy.deepcopy($record)|hash($record) * 0
        $function($any)|$function($any, $any)|$function()|functools.partial($any)|functools.partial($any, $any)|functools.lru_cache($any)|functools.lru_cache(maxsize=$any)($key)($any)|functools.cache($key)($any)|functools.reduce($any, $any)|functools.reduce($fn2, $any, $any)|functools.cmp_to_key($any)|functools.wraps($any)($key)|functools.singledispatch($any)|functools.singledispatch($key)($any)|functools.partial($fn2, $any).$attribute|functools.total_ordering($any)|functools.cached_property($any)
        types.SimpleNamespace($any)|types.SimpleNamespace(a=$any).a|types.SimpleNamespace(a=$any).b|types.SimpleNamespace(**$dict)|types.MappingProxyType($any)|types.MappingProxyType($dict)[$any]|types.MappingProxyType($dict).get($any, $any)|types.NoneType()|types.NoneType($any)|$type | $any|$type[$any]|isinstance($any, $type | None)|issubclass($type, $any | $type)|(lambda: (yield $any))().send($any)|contextlib.suppress($any)|contextlib.nullcontext($any).enter_result|contextlib.closing($any)|contextlib.contextmanager($any)
    """,
}

TEMPLATES["any"] += """
    eval($smallsource)|eval($any)|exec($smallsource)|globals()[$any]|sorted(vars())|sorted(locals())|dir($any)[:3]|vars($any)|setattr($any, '$attribute', $any)|delattr($any, '$attribute')|complex($any)|$num + 2j|super()|open($any)|memoryview($bytes)[0]
    type('T', (), $dict)|type('T', ($type,), {})()|$any.__$special__|$any.__$special__()|$any.__$special__($any)|getattr($any, '__$special__')|hasattr($any, '__$special__')|operator.attrgetter('__$special__')($any)|'{0.__$special__}'.format($any)
    $type.__$special__|property($key)|staticmethod($key)|classmethod($key)|__import__($any)|compile($smallsource, 'x', 'eval')|bytearray($any)|isinstance($any, type)|list(map(type, $list))|(x for x in $list).send($any)|(x for x in $list).gi_frame
"""

LITERALS = {
    "special": "len add eq lt getitem contains call init new dict doc module class name iter next hash repr str bool mro bases sizeof dir reduce defaults code self slots".split(),
}


def enumeration(make):
    """A class derived from `Enum`, and an expression about it."""
    rng, any_, int_ = make.rng, lambda: make.argument("any"), lambda: make.argument("int")
    base = rng.choice(["enum.Enum", "enum.Enum", "enum.IntEnum", "enum.StrEnum", "str, enum.Enum", "int, enum.Enum"])
    kind = "int" if "int" in base.lower() else "str" if "str" in base.lower() else rng.choice(["any", "int", "str", "tuple"])
    lines = ["@enum.unique"] if rng.random() < 0.15 else []
    lines.append(f"class E({base}):")
    for name in rng.sample("ABCDE", rng.randint(0, 4)):
        lines.append(f"    {name} = " + ("enum.auto()" if rng.random() < 0.25 else make.argument(kind)))
    if rng.random() < 0.3:
        lines += [f"    def {rng.choice(['m', '__str__', '__repr__', '__lt__', '__call__', '__bool__', '__len__', '_missing_', '__format__'])}(self, *a):", "        return " + rng.choice(["self.name", "self.value", "a", make.argument("str"), make.argument("any")])]
    if rng.random() < 0.15:
        lines += ["    @property", "    def p(self):", "        return (self.name, self._value_)"]
    lines += ["    def __init__(self, *a):", f"        self.w = {any_()}"] if rng.random() < 0.1 else ["    pass"]
    about = rng.choice([
        "list(E)", "E.A", "E['A']", f"E({any_()})", "E.A.value", "E.A == E.B", f"E.A == {any_()}", f"E.A in ({any_()}, E.A)", "repr(E.A)", "str(E.B)", "f'{E.A}'", "f'{E.A!r:>20}'", "E.A.name", "len(E)", "E.__members__", "E.A is E(E.A.value)", "E.A < E.B", "sorted(E)", "E.nope",
        "{E.A: 1}[E.A]", "E.A + 1", "E.A.m()", "[*map(str, E)]", "max(E)", "E.A.p", "[(e.name, e.value) for e in E]", "{e: e.value for e in E}", "E", f"E.A = {any_()}", "isinstance(E.A, E)", "E.A.B", "bool(E.A)", f"{any_()} in E", "E.A()", "hash(E.A) == hash('A')", "(E.A, E.B)", "'%s %r' % (E.A, E.B)", f"'%d' % E.A",
        "E.A.upper()", "E.A | E.B", f"[1, 2, 3][E.A]", "list(reversed(E))", "E.__name__", "E(E.A)", "type(E.A)", "E.A.w", "int(E.A)", "copy.copy(E.A) is E.A", f"match_ = {int_()}", "E.A.value == E.A", "not E.B", "E.A >= E.A", "[e for e in E if e is not E.A]", "json.dumps(list(E))", "dict(zip(E, 'xyz'))", "', '.join(e.name for e in E)", "E.A != E.B"])
    return lines + (["z = E.A", about] if " = " in about and "==" not in about else [f"z = {about}"])


def record(make):
    """A data class, and an expression about it."""
    rng, any_ = make.rng, lambda: make.argument("any")
    options = [f"{name}={rng.choice(['True', 'True', 'False'])}" for name in ("order", "frozen", "eq", "repr", "init", "kw_only", "unsafe_hash", "match_args") if rng.random() < 0.2]
    base = rng.random() < 0.2
    lines = ["@dataclasses.dataclass", "class B:", f"    a: int = {any_()}", "    k: str = 'k'"] if base else []
    lines.append("@dataclasses.dataclass" + (f"({', '.join(options)})" if options else ""))
    lines.append("class D(B):" if base else "class D:")
    for name in rng.sample("abcd", rng.randint(0, 3)):
        field = rng.choice(["", "", f" = {any_()}", f" = {make.argument('int')}", f" = {make.argument('str')}", f" = dataclasses.field(default={any_()})", " = dataclasses.field(default_factory=list)", f" = dataclasses.field(default_factory={make.argument('type')})", f" = dataclasses.field(repr={make.argument('bool')}, compare={make.argument('bool')})",
                            f" = dataclasses.field(init=False, default={any_()})", f" = dataclasses.field(kw_only=True, default={make.argument('int')})", f" = dataclasses.field(metadata={make.argument('dict')}, hash={make.argument('bool')})"])
        lines.append(f"    {name}: {rng.choice(['int', 'str', 'list', 'float', 'int', 'typing.ClassVar[int]' if field and 'field' not in field else 'int', 'dataclasses.InitVar[int]' if rng.random() < 0.2 else 'str'])}{field}")
    if rng.random() < 0.2:
        lines += [f"    def __post_init__(self{rng.choice(['', '', ', *x'])}):", f"        self.{rng.choice('abc')} = {any_()}"]
    if rng.random() < 0.2:
        lines += [f"    def {rng.choice(['m', '__repr__', '__eq__', '__lt__', '__hash__', '__str__', '__bool__', '__iter__'])}(self, *o):", f"        return {any_()}"]
    if lines[-1].startswith("class"):
        lines.append("    pass")
    made = rng.choice(["D()", f"D({any_()})", f"D({any_()}, {any_()})", f"D(a={any_()})", f"D(b={any_()}, a={any_()})", f"D(*{make.argument('tuple')})"])
    about = rng.choice(["o", "o", "repr(o)", "o.a", "o.b", "dataclasses.asdict(o)", "dataclasses.astuple(o)", f"dataclasses.replace(o, a={any_()})", "o == o", f"o == {made}", f"o < {made}", f"o != {made}", "[f.name for f in dataclasses.fields(o)]", "[(f.name, f.type, f.repr, f.init, f.compare) for f in dataclasses.fields(D)]", "D.__match_args__",
                        "{o: 1}[o]", f"sorted([o, {made}])", "f'{o}'", "copy.copy(o)", "copy.deepcopy(o) == o", "D.a", "hasattr(D, 'a')", "dataclasses.is_dataclass(o)", "o.m()", "o.nothing", "bool(o)", "vars(o)", "str(o)", "[o, o]", "isinstance(o, D)", "D", "o.__dict__", "json.dumps(dataclasses.asdict(o))", "hash(o) == hash(o)", "list(o)", "D.__name__", "o.k", "dataclasses.replace(o)"])
    return lines + [f"o = {made}"] + ([f"o.{rng.choice('abq')} = {any_()}"] if rng.random() < 0.25 else []) + ([f"del o.{rng.choice('abq')}"] if rng.random() < 0.08 else []) + [f"z = {about}"]


def dispatched(make):
    """Classes and functions made by decorators of `functools` that need classes."""
    rng, any_ = make.rng, lambda: make.argument("any")
    what = rng.choice(["dispatch", "ordering", "property", "method"])
    if what == "dispatch":
        types = rng.sample(["int", "str", "list", "bool", "object", "float", "dict", "tuple", "collections.abc.Sized", "Exception"], 2)
        return ["@functools.singledispatch", "def f(x, *y):", f"    return ('any', {any_()})", f"@f.register({types[0]})", "def _(x, *y):", f"    return ('{types[0]}', x)", f"@f.register({types[1]})", "def g(x, *y):", f"    return ('{types[1]}', y)", f"z = [f({any_()}), f({any_()}, {any_()})]"]
    if what == "ordering":
        return ["@functools.total_ordering", "class T:", "    def __init__(self, v):", "        self.v = v", f"    def {rng.choice(['__lt__', '__gt__', '__le__', '__ge__'])}(self, o):", f"        return {rng.choice(['self.v < o.v', 'NotImplemented', any_()])}", *(["    def __eq__(self, o):", "        return self.v == o.v"] if rng.random() < 0.7 else []),
                f"x, y = T({make.argument('num')}), T({make.argument('num')})", f"z = {rng.choice(['x < y', 'x <= y', 'x > y', 'x >= y', 'x == y', 'max(x, y).v', '[t.v for t in sorted([x, y])]', 'x < 1', 'x >= None'])}"]
    if what == "property":
        return ["n = []", "class T:", f"    @functools.{rng.choice(['cached_property', 'cached_property', 'cache'])}", "    def p(self):", "        n.append(1)", f"        return {any_()}", "t = T()", f"z = ({rng.choice(['t.p, t.p', 't.p', 't.p()', 'vars(t)', 'T.p', 'hasattr(t, chr(112))'])}, n)"]
    return ["class T:", "    def m(self, *a, **k):", "        return (a, k)", f"    p = functools.partialmethod(m, {any_()}, k={any_()})", "    @staticmethod", "    def s(x, *y):", f"        return {any_()}", f"z = T().{rng.choice(['p()', 'p(1)', 'p(k=2)', 's(1)', 's(1, 2)', 's()', 'm(1)'])}"]


def managed(make):
    """Statements `with` over what `contextlib` makes."""
    rng, any_ = make.rng, lambda: make.argument("any")
    caught = rng.choice(["Exception", "ValueError", "(TypeError, KeyError)", "LookupError", "ZeroDivisionError", ""])
    what = rng.choice(["suppress", "manager", "stack", "null", "closing"])
    if what == "suppress":
        return ["z = 0", f"with contextlib.suppress({caught.strip('()')}):", f"    z = {any_()}", f"    z = {any_()}"]
    if what == "manager":
        return ["r = []", "@contextlib.contextmanager", "def m(v):", "    r.append('in')", "    try:", f"        yield {rng.choice(['v', any_()])}", f"    except {caught or 'KeyError'} as e:", "        r.append(repr(e))", f"        {rng.choice(['pass', 'raise', 'raise ValueError(1) from e', 'yield 2', 'return'])}", "    finally:", "        r.append('out')",
                f"with m({any_()}) as w:", "    r.append(w)", f"    r.append({any_()})", "z = r"]
    if what == "stack":
        return ["r = []", "with contextlib.ExitStack() as s:", f"    s.callback(r.append, {any_()})", f"    s.callback(lambda *a, **k: r.append((a, k)), {any_()}, k={any_()})", f"    w = s.enter_context({rng.choice(['contextlib.nullcontext(5)', 'contextlib.suppress(TypeError)', any_()])})", f"    r.append({any_()})", "z = r"]
    if what == "null":
        return [f"with contextlib.nullcontext({any_()}) as w, contextlib.nullcontext() as v:", f"    z = (w, v, {any_()})"]
    return ["r = []", "class C:", "    def close(self):", f"        r.append({any_()})", f"with contextlib.closing({rng.choice(['C()', 'C()', any_()])}) as c:", f"    r.append({any_()})", "z = r"]


def constructs(make):
    """A statement that is left out, of any sort."""
    rng, any_ = make.rng, lambda depth=1: make.expression("any", depth)
    what = rng.choice(["generator", "with", "match", "class", "async", "star", "group"])
    if what == "generator":
        use = rng.choice(["z = list(g())", "z = [*g()]", "z = sum(g(), [])", "z = next(g())", "h = g(); z = [next(h), h.send(1), next(h, None)]", "z = dict(g())", "z = list(zip(g(), g()))", "z = g"])
        return ["def g():", f"    s = yield {any_()}", "    yield s", f"    yield from {make.argument('iterable')}", f"    return {any_()}"] + use.split("; ")
    if what == "with":
        return ["class C:", "    def __enter__(self):", f"        return {any_()}", "    def __exit__(self, *a):", f"        return {make.expression('bool', 1)}",
                "z = None", "with C() as w:", f"    z = {any_(2)}", "    z = (z, w)"]
    if what == "match":
        patterns = ["[x, y]", "[x, *rest]", "{'a': x}", "int(x)", "str() as x", "(1 | 2) as x", "None", "[]", "{'a': x, **rest}", "float() | int()", "'a'", "-1", "[[x], y]", "x if x", "bool(x)", "1.5"]
        lines = [f"match {any_(2)}:"]
        for pattern in rng.sample(patterns, 3):
            lines += [f"    case {pattern}:", f"        z = {rng.choice(['1', repr(pattern), '2'])}"]
        return lines + ["    case _:", f"        z = {any_()}"]
    if what == "class":
        return ["class A:", f"    k = {any_()}", "    def __init__(self, v):", "        self.v = v", f"    def {rng.choice(['__repr__', '__str__', 'm'])}(self):",
                f"        return {make.expression('str', 1)}", f"    def {rng.choice(['__add__', '__eq__', '__lt__', '__getitem__', '__contains__', '__call__'])}(self, o):", f"        return {any_()}",
                f"o = A({any_()})", "z = " + rng.choice(["o.v", "o.k", "o + 1", "o == 1", "o < 2", "o[0]", "1 in o", "o(1)", "o.m()", "o.nothing", "A.k", "f'{o.v}'", "o == o", "A()", "A(1, 2)", "o.v < o"])]
    if what == "async":
        return ["async def g():", f"    return {any_()}", "z = " + rng.choice(["1", "callable(g)", "g.__name__"])]
    if what == "star":
        return [f"from {rng.choice(['math', 'itertools', 'os.path'])} import *", f"z = {any_()}"]
    return ["z = 0", "try:", f"    z = {any_()}", "except* TypeError:", "    z = 1"]


STATEMENTS = {"enumeration": enumeration, "record": record, "dispatched": dispatched, "managed": managed, "constructs": constructs}
