"""Records what CPython 3.11 makes of tables of operations on values, for tests/python_values.rs to replay.

Usage: python3.11 record_values.py ../recorded
"""

import itertools
import json
import operator
import pathlib
import random
import struct
import sys
import zlib

import warnings

warnings.simplefilter("ignore")
assert sys.version_info[:2] == (3, 11)
OUT = pathlib.Path(sys.argv[1])
RANDOM = random.Random(20240611)


def encode(value):
    """A value as JSON: strings, small ints, bools and None as they are, all else a list that starts with its kind."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if -(2**53) <= value <= 2**53 else ["i", hex(value)]
    if isinstance(value, float):
        return ["f", struct.unpack(">Q", struct.pack(">d", value))[0]]
    if isinstance(value, bytes):
        return ["b", value.hex()]
    if isinstance(value, slice):
        return ["slice", encode(value.start), encode(value.stop), encode(value.step)]
    if isinstance(value, range):
        return ["range", value.start, value.stop, value.step]
    if isinstance(value, dict):
        return ["d", *([encode(k), encode(v)] for k, v in value.items())]
    if isinstance(value, type):
        return ["type", value.__name__]
    kind = {list: "l", tuple: "t", set: "s", frozenset: "fs"}[type(value)]
    return [kind, *(encode(item) for item in value)]


def shorten(text):
    if len(text) <= 120:
        return text
    return f"{text[:24]}...{zlib.crc32(text.encode()):08x}"


def outcome(function, *args, **kwargs):
    """The repr of the result, or the exception's name and message."""
    try:
        return shorten("=" + repr(function(*args, **kwargs)))
    except Exception as error:
        return shorten(f"!{type(error).__name__}: {error}")


def write(name, groups):
    rows = []
    for group in groups:
        rows.append(json.dumps(group, ensure_ascii=False, separators=(",", ":")))
    text = "[\n" + ",\n".join(rows) + "\n]\n"
    size = len(text.encode())
    assert size < 300_000, (name, size)
    (OUT / f"{name}.json").write_text(text)
    print(name, size, sum(len(group["cases"]) for group in groups))


BINARY = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "@": operator.matmul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
IN_PLACE = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "@=": operator.imatmul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
    "&=": operator.iand,
    "|=": operator.ior,
    "^=": operator.ixor,
}
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}
UNARY = {"u-": operator.neg, "u+": operator.pos, "u~": operator.invert, "not": operator.not_, "abs": abs}

INF, NAN = float("inf"), float("nan")
NUMBERS = [
    0, 1, -1, 2, 3, -7, 255, True, False, 2**53 + 1, 2**62, -(2**63), 2**63 - 1, 2**63, 2**64 + 3,
    -(3**80), 10**310, 0.0, -0.0, 0.1, 0.5, -1.5, 2.5, 3.0, 1e16, -1e22, 5e-324, 1.7976931348623157e308, INF, -INF, NAN,
]  # fmt: skip


def too_big(sign, a, b):
    """Whether the result is too large to make, or complex."""
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
        return False
    if sign in ("**", "**="):
        if isinstance(a, int) and isinstance(b, int):
            return abs(a) > 1 and b > 400
        return a < 0 and isinstance(b, float) and not b.is_integer()
    return sign in ("<<", "<<=") and b > 400


def table(signs, values, others=None, skip=lambda sign, a, b: False):
    """Every operator on every pair: the values once, then for each operator a row of outcomes (null is skipped)."""
    others = values if others is None else others
    groups = []
    for sign, function in signs.items():
        cases = []
        for a, b in itertools.product(values, others):
            cases.append(None if skip(sign, a, b) else outcome(function, a, b))
        groups.append(pooled({"table": sign, "a": [encode(v) for v in values], "b": [encode(v) for v in others], "cases": cases}))
    return groups


def pooled(group):
    """The group with each outcome once, and its cases as indices of outcomes."""
    outcomes = sorted({case for case in group["cases"] if case is not None})
    index = {case: i for i, case in enumerate(outcomes)}
    return {**group, "outcomes": outcomes, "cases": [None if case is None else index[case] for case in group["cases"]]}


def arithmetic():
    groups = table(BINARY, NUMBERS, skip=too_big)
    groups += [{"unary": sign, "cases": [[encode(v), outcome(f, v)] for v in NUMBERS]} for sign, f in UNARY.items()]
    divisions = []
    for _ in range(90):
        a = RANDOM.getrandbits(RANDOM.choice([40, 70, 200, 1000])) * RANDOM.choice([1, -1])
        b = (RANDOM.getrandbits(RANDOM.choice([30, 66, 150, 900])) + 1) * RANDOM.choice([1, -1])
        for sign in ("/", "//", "%"):
            divisions.append([sign, encode(a), encode(b), outcome(BINARY[sign], a, b)])
    for _ in range(120):
        a, b = RANDOM.uniform(-100, 100), RANDOM.choice([RANDOM.uniform(-3, 3), 0.1, -0.3, 1e-5])
        for sign in ("//", "%", "**"):
            if not too_big(sign, a, b):
                divisions.append([sign, encode(a), encode(b), outcome(BINARY[sign], a, b)])
    groups.append({"binary": None, "cases": divisions})
    write("arithmetic", groups)


MIXED = [
    None, True, 3, -1, 2**70, 1.5, "", "ab", "b", b"ab", b"", [], [1, 2], [1, 2.0], [1, 3], (), (1, 2), (1, "x"), {}, {"a": 1},
    {1: [2]}, set(), {1}, {1, 2}, frozenset({1}), range(3), range(0), slice(1, 2), NotImplemented, ..., int,
]  # fmt: skip
MIXED = [v for v in MIXED if v is not NotImplemented and v is not ...]


def operators():
    # The formatting of bytes is not built.
    groups = table(BINARY, MIXED, skip=lambda sign, a, b: too_big(sign, a, b) or (sign == "%" and isinstance(a, bytes)))
    write("operators", groups)
    small = [None, 3, 1.5, "ab", b"ab", [1, 2], (1, 2), {"a": 1}, {1, 2}, frozenset({1}), range(3)]
    groups = []
    for sign, function in IN_PLACE.items():
        cases = []
        for i, j in itertools.product(range(len(small)), repeat=2):
            if sign == "%=" and isinstance(small[i], bytes):
                cases.append(None)
                continue
            # The operand may change: each case has a copy.
            copies = eval(repr(small[i])), eval(repr(small[j]))
            cases.append(outcome(function, *copies))
        groups.append(pooled({"table": sign, "a": [encode(v) for v in small], "b": [encode(v) for v in small], "cases": cases}))
    groups += [{"unary": sign, "cases": [[encode(v), outcome(f, v)] for v in MIXED]} for sign, f in UNARY.items()]
    contains = lambda a, b: b in a
    groups += table({"contains": contains}, MIXED)
    write("in_place", groups)
    groups = table(COMPARE, MIXED)
    groups += table(COMPARE, NUMBERS)
    write("comparison", groups)


def sets():
    """Sets made of lists, since a set's order depends on how it grew."""

    def some():
        kinds = [lambda: RANDOM.randrange(40), lambda: RANDOM.randrange(10**6), lambda: -RANDOM.randrange(9)]
        return [RANDOM.choice(kinds)() for _ in range(RANDOM.choice([0, 1, 3, 6, 20, 60]))]

    cases = []
    for _ in range(150):
        a, b = some(), some()
        for sign in "&|^-":
            result = outcome(BINARY[sign], set(a), set(b))
            cases.append([sign, ["s", *a], ["s", *b], result])
    write("sets", [{"binary": None, "cases": cases}])


def hashes():
    values = [v for v in NUMBERS if v == v] + [
        (), (1,), (1, 2), (1, (2, 3.5)), (-1, -2), (0, 0.0, True), frozenset(), frozenset({1, 2, 3}), frozenset({(1, 2)}), range(5, 20, 3),
    ]  # fmt: skip
    values += [RANDOM.getrandbits(RANDOM.randrange(1, 300)) * RANDOM.choice([1, -1]) for _ in range(100)]
    values += [RANDOM.uniform(-1, 1) * 10.0 ** RANDOM.randrange(-320, 300) for _ in range(100)]
    values += [tuple(RANDOM.getrandbits(40) for _ in range(RANDOM.randrange(8))) for _ in range(60)]
    cases = [[encode(v), outcome(hash, v)] for v in values if not isinstance(v, range)]
    cases += [[encode(v), outcome(hash, v)] for v in ([], {}, set(), slice(1), (1, []), ({},))]
    write("hashes", [{"call": "hash", "cases": [[[v], r] for v, r in cases]}])


def random_floats(count):
    for _ in range(count):
        bits = RANDOM.getrandbits(64)
        value = struct.unpack(">d", struct.pack(">Q", bits))[0]
        if value == value:
            yield value
        yield round(RANDOM.uniform(-1000, 1000), RANDOM.randrange(6))
        yield RANDOM.uniform(-1, 1) * 10.0 ** RANDOM.randrange(-8, 25)


FLOATS = [
    0.0, -0.0, 1.0, -1.0, 0.1, 0.5, 1.5, 2.5, 3.5, 0.25, 0.125, 0.05, 1e-4, 1e-5, 0.00012345, 123456789.125, 1e15, 9999999999999998.0,
    1e16, 1.5e16, 1e17, 123456.5, 999999.5, 0.99999995, 9.5, 99.5, 1e100, 1.7976931348623157e308, 5e-324, 2.2250738585072014e-308,
    1 / 3, 2 / 3, 1e22, 1e23, 4.35, 2.675, 1.005, 0.15, 0.35, 1e21, INF, -INF, NAN,
]  # fmt: skip


def floats():
    values = FLOATS + list(random_floats(500))
    groups = [{"call": "repr", "cases": [[[encode(v)], outcome(repr, v)] for v in values]}]
    rounds = []
    for v in FLOATS + list(random_floats(60)) + [0, 5, 15, 25, -25, 12345, 2**70, 10**25 + 5 * 10**24, True]:
        rounds.append([[encode(v)], outcome(round, v)])
        for digits in (0, 1, 2, 3, 5, 15, 20, 330, -1, -2, -3, -22, -310, -400):
            if RANDOM.random() < 0.5 or v in (2.5, 15, 25):
                rounds.append([[encode(v), digits], outcome(round, v, digits)])
    groups.append({"call": "round", "cases": rounds})
    some = FLOATS + list(random_floats(30))
    groups.append({"method": "is_integer", "cases": [[encode(v), [], {}, outcome(v.is_integer)] for v in some]})
    write("floats", groups)


TEXTS = [
    "", " ", "0", "1", "-1", "+5", " 42 ", "\t7\n", "1_000", "_1", "1_", "1__0", "0x1f", "0X1F", "0b101", "0o17", "0b", "0x_1f", "0_7", "00", "010", "1e5",
    "1E-5", ".5", "5.", ".", "1.5e", "1.5e+3", "inf", "-Infinity", "nan", "+nan", "iNf", "infinit", "1_0.0_1", "1_.0", "1._0", "1e1_0", "1e_1", "9" * 30,
    "9" * 4300, "9" * 4301, "-" + "1" * 5000, "1" * 400 + ".5", "0." + "0" * 400 + "1", "1e400", "-1e400", "1e-400", "٣", "１２", "१.५", "²", "½", "1 2", "\xa05\u2003",
    "--1", "+-1", "abc", "zz", "Z", "1.0", "5f", "True", "None", "é", "'", "a'b\"c", "\x00", "1\x00", "17976931348623158e292", "2.2250738585072011e-308",
    "9007199254740993", "0.1e1", "1d5", "0x1.8p1", "\u20005\u2000", "-0", "-0.0", "🎉", "1" * 300 + "x",
]  # fmt: skip


def parsing():
    groups = [
        {"call": "int", "cases": [[[encode(t)], outcome(int, t)] for t in TEXTS]},
        {"call": "float", "cases": [[[encode(t)], outcome(float, t)] for t in TEXTS]},
    ]
    cases = []
    for text in TEXTS:
        for base in (0, 2, 8, 10, 16, 36, 1, 37, -1):
            cases.append([[encode(text), base], outcome(int, text, base)])
    groups.append({"call": "int", "cases": cases})
    others = MIXED + NUMBERS + [b"12", b"1.5", b"\xff", b"x"]
    for function in (int, float, bool, str, repr, ascii, len, bytes):
        if function is bytes:
            values = [v for v in others if not isinstance(v, int) or 0 <= v < 300]
        else:
            values = others
        groups.append({"call": function.__name__, "cases": [[[encode(v)], outcome(function, v)] for v in values]})
    for function, calls in {
        "int": [(), ("1", 2, 3), (1.5, 2), ("1", "x"), (None, 2)],
        "float": [(), (1, 2)],
        "bool": [(), (1, 2)],
        "str": [(), (b"ab", "utf-8"), (b"ab\xff", "utf8"), (b"ab\xff", "ascii", "replace"), (b"\xe2\x82", "utf8"), (b"\xe2\x28\xa1", "utf8"),
                (b"\xe2\x82x\xf0\x9f", "utf8", "replace"), ("a", "utf8"), (1, "utf8"), (b"a", "x"), (b"a", 1), (b"\xe9", "latin-1"), (1, 2, 3, 4)],
        "bytes": [(), ("é", "utf8"), ("é", "ascii"), ("aé€b", "latin-1"), ("é", "ascii", "ignore"), ("é😀", "ascii", "backslashreplace"), ("é", "ascii", "x"), ("a",),
                  ([1, 2, 255],), ([256],), (["a"],), (-1,), (3,), (1.5,), (None,), (b"x", "utf8")],
        "slice": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
        "type": [(), (1, 2)],
        "object": [(1,)],
    }.items():  # fmt: skip
        real = getattr(__import__("builtins"), function)
        groups.append({"call": function, "cases": [[[encode(a) for a in args], outcome(real, *args)] for args in calls]})
    write("parsing", groups)


def formats():
    floats = [0.0, -0.0, 1.0, -1.5, 0.1, 2.5, 1234567.891, -1e-7, 1e16, 1e22, 123456.0, 0.00001234, 5e-324, 1.7976931348623157e308, -0.0001, INF, -INF, NAN]
    specs = [
        "", "f", ".0f", ".1f", ".2f", ".10f", ".30f", "e", ".0e", ".3e", "E", ".20e", "g", ".0g", ".3g", ".10g", "G", ".17g", "%", ".0%", ".1%", "n", "#.0f", "#.0e", "#g",
        "#.3g", "#", ".3", ".0", ".15", ".17", ".1", "10.2f", "<10.2f|", "<10.2f", "^11.1f", ">12", "=+12.1f", "+", " ", "-", "+.2f", "010.2f", "+010.2f", "010", "*^15.3e",
        "x=12", ",", "_", ",.2f", "020,.2f", "012,", "012_.1f", "z", "z.0f", "z.1f", "+z.0f", "15%", "F", ".5F", "020g", "013,", "014,", "015,.0f", "<015,.0f", "0=12", "é^9",
    ]  # fmt: skip
    groups = table({"format": format}, floats, specs)
    ints = [0, 1, -1, 42, -255, 1000, 1234567, -98765432109, 2**64, -(10**25), True, False]
    int_specs = [
        "", "d", "b", "o", "x", "X", "#b", "#o", "#x", "#X", "c", "n", "5", "<5", "^7", ">7", "=+8", "+", " ", "-", "+d", "08", "+08d", "#010x", "#012b", "010b", ",", "_", ",d",
        "_d", "_x", "_b", "#_X", "012,", "013,", "014,d", "018_x", "019_b", "+012,", "e", ".2e", "f", ".1f", "g", "%", ".0%", "10.3f", "*^12", "0<8", "0=8", "é>6", "05d", "20n", "012_d",
    ]  # fmt: skip
    groups += table({"format": format}, ints, int_specs, skip=lambda s, a, b: b == "c" and a not in (0, 1, 42, 1000, -1, 2**64))
    texts = ["", "a", "abc", "héllo", "🎉x", "quote'"]
    str_specs = ["", "s", "5", "<5", ">6", "^7", ".2", "5.1", "*^9", "é>8", ".0", "10s", "05", "<05", "🎉<4", "^^5", "<<4", ".10"]
    groups += table({"format": format}, texts, str_specs)
    bad = [
        "+", " ", "-", "z", "#", "=5", "d", "x", "y", "é", "\x01", ".", "5.", ",", "_", ",s", "_s", ",x", ",b", "_c", ",_", "_,", ",,", "__", "_,d", "ab", "5ab", "<", "<<<", "99999999999999999999",
        ".99999999999999999999", "2.x", "c", "+c", "#c", ".2c", ".2d", "zd", "n", ",n", "s", ",%", "=", "5d5", "٣", "٣d", "{}", "!", "+-", "0", "00", "000", "0x", "#", "+#", "#+", ".3", ".3s", "e", "1e",
    ]  # fmt: skip
    groups += table({"format": format}, [65, True, 1.5, "abc", None, [1], (1,), b"a", {}], bad)
    write("formats", groups)


def percents():
    specs = [
        "%d", "%i", "%u", "%5d", "%-5d|", "%05d", "%+d", "% d", "%+ d", "%.3d", "%8.3d", "%-8.3d|", "%08.3d", "%x", "%X", "%#x", "%#X", "%o", "%#o", "%#10x", "%#010x", "%-#10x|", "%.5x", "%#.5x", "%+x", "%e",
        "%.2e", "%E", "%f", "%.0f", "%.1f", "%.10f", "%10.2f", "%-10.2f|", "%010.2f", "%+.1f", "% .1f", "%#.0f", "%g", "%.3g", "%#.3g", "%G", "%s", "%10s", "%-10s|", "%.2s", "%010s", "%r", "%.3r", "%a", "%c", "%5c",
        "%-5c|", "%5%", "%%", "%y", "%", "%(", "%(a)", "%(a)d", "%ld", "%lld", "%hd", "%Lf", "%zd", "%*d", "%.*f", "%é", "%\x01", "%s%s", "%99999999999999999999d", "%.99999999999d", "%d%", "x", "", "%5", "%.d", "%.f",
    ]  # fmt: skip
    values = [0, 5, -42, 255, True, 2**70, 0.0, -1.5, 2.5, 1e20, INF, NAN, "a", "abc", "é", "", None, [1], {"a": 7}, {}, (), (1,), (1, 2), (8, 3.14159), b"a", ("*", 2), (-6, 3), int]
    groups = table({"%": operator.mod}, specs, values)
    mapping = {"a": 1, "b": "text", "a b": 2, "(x)": 3, "": 4, "f": 2.5}
    texts = ["%(a)s", "%(a)d %(b)s", "%(a b)s", "%((x))s", "%()s", "%(missing)s", "%(a)5d|%(b)-8s|", "%(f).1f", "%(a)s %s", "%s", "%d", "%(a)*d", "%(b", "%%(a)s", "%(a)%", "no field"]
    groups += table({"%": operator.mod}, texts, [mapping, [1], 5, (mapping,), "x"])
    write("percents", groups)


def templates():
    calls = [
        ("{}", (1,), {}), ("{} {}", (1, "a"), {}), ("{0} {1} {0}", ("a", 2), {}), ("{a} {b}", (), {"a": 1, "b": None}), ("{!r} {!s} {!a}", ("é", "é", "é"), {}),
        ("{:>5}|{:<5}|{:^5}", (1, 2, 3), {}), ("{0[a]} {0[b][0]}", ({"a": 1, "b": [2]},), {}), ("{0[0]} {0[1]}", ([1, 2],), {}), ("{0[-1]}", ({"-1": 5},), {}),
        ("{:{}}", (5, 4), {}), ("{:{w}.{p}f}", (3.14159,), {"w": 9, "p": 2}), ("{:{}{}}", ("a", ">", 5), {}), ("{{}}", (), {}), ("{{{}}}", (1,), {}), ("a}}b{{c", (), {}),
        ("{0!r:>8}", ("ab",), {}), ("{x!s:*^9}", (), {"x": "é"}), ("{:,}", (1234567,), {}), ("{:.2%}", (0.1234,), {}), ("{:05.1f}", (2.25,), {}), ("{:#x}", (255,), {}),
        ("", (), {}), ("plain", (1,), {}), ("{[0]}", ([7],), {}), ("{[a]}", ({"a": 8},), {}), ("{0[a b]}", ({"a b": 3},), {}), ("{0[}]}", ({"}": 3},), {}), ("{0[{]}", ({"{": 3},), {}),
        ("{0[!]!r}", ({"!": "x"},), {}), ("{:}}", (1,), {}), ("{:{{}}}", (1,), {}), ("{::}", (1,), {}), ("{:!r}", (1,), {}), ("{a!r:{b}}", (), {"a": "x", "b": 6}), ("{!r:}", (1,), {}),
        ("{1}", (1,), {}), ("{a}", (1,), {}), ("{", (), {}), ("}", (), {}), ("{}}", (1,), {}), ("{{}", (1,), {}), ("{!}", (1,), {}), ("{!x}", (1,), {}), ("{!r", (1,), {}), ("{!rr}", (1,), {}),
        ("{!", (1,), {}), ("{:", (1,), {}), ("{:{", (1,), {}), ("{:{}", (1, 2), {}), ("{0", (1,), {}), ("{a{b}", (), {"a": 1}), ("{0}{}", (1,), {}), ("{}{0}", (1,), {}), ("{:{:{}}}", (1, 2, 3), {}),
        ("{0.}", (1,), {}), ("{0[]}", ([1],), {}), ("{0[}", ([1],), {}), ("{0[0}", ([1],), {}), ("{0[0]x}", ([1],), {}), ("{0[x]}", ([1],), {}), ("{0[5]}", ([1],), {}), ("{0[k]}", ({},), {}),
        ("{99999999999999999999}", (1,), {}), ("{0[99999999999999999999]}", ([1],), {}), ("{:d}", ("a",), {}), ("{:s}", (1,), {}), ("{:5}", ([1],), {}), ("{:5}", (None,), {}), ("{!é}", (1,), {}),
        ("{ 0 }", (1,), {}), ("{ }", (1,), {" ": 3}), ("{0 }", (1,), {"0 ": 9}), ("{-1}", (1,), {"-1": 4}), ("{٣}", (0, 1, 2, 3), {}), ("{!\x01}", (1,), {}), ("x{:>10}y", ("é",), {}), ("{0:{1}}{2}", (1, 2, 3), {}),
        ("{:{0}}", (1, 2), {}), ("{} {} {}", (1, 2), {}), ("🎉{}🎉", ("x",), {}), ("{a}{}", (1,), {"a": 2}), ("{:\x00>4}", (1,), {}), ("{[}", ([1],), {}), ("{a[b]", (), {"a": {}}), ("{!r}x{!s}", ([1, "a"], (1,)), {}),
    ]  # fmt: skip
    cases = []
    for text, args, kwargs in calls:
        cases.append([text, [encode(a) for a in args], {k: encode(v) for k, v in kwargs.items()}, outcome(text.format, *args, **kwargs)])
    maps = []
    for text in ["{a}", "{a} {b[0]}", "{missing}", "{}", "{0}", "{a!r:>5}", "plain", "{a:{w}}"]:
        mapping = {"a": 1, "b": [2], "w": 6}
        maps.append([text, [encode(mapping)], {}, outcome(text.format_map, mapping)])
    write("templates", [{"method": "format", "cases": cases}, {"method": "format_map", "cases": maps}])


STRINGS = [
    "", "a", "abc", "Hello World", "  padded\t ", "a,b,,c,", "aXbXXc", "line1\nline2\r\nline3\rline4\x0b\x0cx\x1c\x85\u2028", "ÀÉÎ straße ǆ ŉ", "ΑΣ ΣΑΣ Σ", "İstanbul ıI", "ﬁ ﬂ", "🎉 party 🎉", "123", "١٢٣", "½²Ⅷ",
    "title Case they're", "UPPER lower 1x", "tab\tbed\tx\n\ty", "-42", "+7", "+", "\x00\x7f\xa0", "aaaa", "abcabcabc", "ǅ ǅxX", "ʰa", "éèê", "\u0345a", "under_score1", "1abc", "日本語",
]  # fmt: skip


def str_methods():
    groups = []
    nothing = [
        "capitalize", "casefold", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper", "lower", "lstrip", "rstrip", "split",
        "rsplit", "splitlines", "strip", "swapcase", "title", "upper", "expandtabs", "encode", "__len__", "format",
    ]  # fmt: skip
    for method in nothing:
        if not method.startswith("__"):
            groups.append({"method": method, "cases": [[s, [], {}, outcome(getattr(s, method))] for s in STRINGS]})
    several = {
        "split": [(",",), ("X",), ("X", 1), (None, 1), ("a", 0), ("", ), (1,), (None, -1), ("b", 2, 3), ("ab", "x")],
        "rsplit": [(",",), ("X", 1), (None, 1), ("a", 0), ("",), (1,), (None, 2)],
        "splitlines": [(True,), (False,), (0,), (1, 2)],
        "partition": [("a",), (" ",), ("",), (1,), (), ("X",)],
        "rpartition": [("a",), (" ",), ("",), (1,), ("X",)],
        "find": [("a",), ("",), ("b", 1), ("a", -2), ("a", 1, 3), ("", 3), ("", 99), ("a", None, -1), (1,), (), ("a", "x"), ("a", 1, 2, 3), ("é", 0), ("🎉", 1)],
        "rfind": [("a",), ("",), ("b", 1), ("a", -2), ("a", 0, 3), ("", 3), (1,), ("🎉",)],
        "index": [("a",), ("zz",), (1,)],
        "rindex": [("a",), ("zz",)],
        "count": [("a",), ("",), ("aa",), ("b", 1), ("", 2), ("", 99), (1,), ("Σ",)],
        "startswith": [("a",), ("",), (("x", "a"),), ((),), ("b", 1), ("", 99), (1,), ((1,),), ("a", 0, 1), ("a", -3)],
        "endswith": [("c",), ("",), (("x", "c"),), ((),), ("b", 0, 2), (1,), ((1,),), (" ",)],
        "replace": [("a", "b"), ("a", ""), ("", "-"), ("", "-", 2), ("a", "bb", 1), ("X", "é", -1), ("a",), (1, "b"), ("a", 2), ("a", "b", 0), ("", "", 1), ("a", "b", "c"), ("a", "b", 1, 2)],
        "strip": [("a",), (" \t",), (None,), ("",), (1,), ("a", "b"), ("🎉 ",)],
        "lstrip": [("a ",), (None,), (1,)],
        "rstrip": [("c,",), (None,), (1,)],
        "center": [(7,), (8, "*"), (3,), (20, "é"), (5, "ab"), (5, 1), ("x",), (), (1, 2, 3), (-1,)],
        "ljust": [(7,), (8, "*"), (-1,), (5, ""), ("x",)],
        "rjust": [(7,), (8, "*"), (5, 1), (None,)],
        "zfill": [(0,), (5,), (8,), (-1,), ("x",), (), (1.5,)],
        "expandtabs": [(4,), (0,), (1,), (-1,), ("x",), (1, 2)],
        "removeprefix": [("a",), ("",), ("He",), (1,), ()],
        "removesuffix": [("c",), ("",), (",",), (1,)],
        "join": [(["a", "b"],), ([],), (("x",),), (["a", 1],), (1,), (None,), (), ({"k": 1, "j": 2},), ("xyz",)],
        "encode": [("utf-8",), ("ascii",), ("latin-1",), ("ascii", "ignore"), ("ascii", "replace"), ("latin1", "backslashreplace"), ("ascii", "xmlcharrefreplace"), ("nope",), (1,), ("ascii", "nope"), ("UTF8", 1)],
        "translate": [({97: "X", 98: None, 99: 100, 32: "__"},), ({},), (1,), ({97: 1.5},), ({97: -1},), ([],), ("zyx",)],
        "upper": [(1,)],
        "lower": [(1, 2)],
        "isalpha": [(1,)],
    }  # fmt: skip
    for method, calls in several.items():
        cases = []
        for args in calls:
            strings = STRINGS
            if method not in ("find", "split", "rsplit", "replace", "center", "zfill"):
                strings = STRINGS[::2] + ["ΑΣ ΣΑΣ Σ", "🎉 party 🎉"]
            if outcome(getattr("a", method), *args).startswith("!TypeError"):
                strings = STRINGS[:2]
            for s in strings:
                cases.append([s, [encode(a) for a in args], {}, outcome(getattr(s, method), *args)])
        groups.append({"method": method, "cases": cases})
    keywords = [
        ("split", (), {"sep": ","}), ("split", (), {"maxsplit": 1}), ("split", (",",), {"maxsplit": 1}), ("split", (), {"x": 1}), ("split", (",",), {"sep": ","}), ("splitlines", (), {"keepends": True}),
        ("expandtabs", (), {"tabsize": 3}), ("encode", (), {"encoding": "ascii", "errors": "ignore"}), ("replace", ("a", "b"), {"count": 1}), ("find", ("a",), {"start": 1}), ("center", (), {"width": 5}),
        ("strip", (), {"chars": "a"}), ("upper", (), {"x": 1}), ("startswith", (), {"prefix": "a"}), ("zfill", (), {"width": 3}), ("join", (), {"iterable": []}), ("rsplit", (), {"sep": None, "maxsplit": 1}),
    ]  # fmt: skip
    for method, args, kwargs in keywords:
        cases = [[s, [encode(a) for a in args], {k: encode(v) for k, v in kwargs.items()}, outcome(getattr(s, method), *args, **kwargs)] for s in STRINGS[2:7]]
        groups.append({"method": method, "cases": cases})
    makes = [(), ({"a": 1, 98: "x"},), ({"ab": 1},), ({1.5: 1},), (1,), ("ab", "cd"), ("ab", "c"), ("ab", "cd", "xy"), ("a", "b", 1), (1, "a"), ("a", 1), ("aa", "bc")]
    groups.append({"static": "str.maketrans", "cases": [[[encode(a) for a in args], {}, outcome(str.maketrans, *args)] for args in makes]})
    groups.append({"call": "repr", "cases": [[[s], outcome(repr, s)] for s in STRINGS]})
    groups.append({"call": "ascii", "cases": [[[s], outcome(ascii, s)] for s in STRINGS]})
    write("str_methods", groups)


def bytes_and_int_methods():
    values = [b"", b"a", b"abc", b"Hello World", b"  pad\t", b"a,b,,c", b"l1\nl2\r\nl3\r", b"aaaa", b"\x00\xff'", b"123", b"it's \"q\""]
    calls = {"decode": [(), ("ascii",), ("latin-1",), ("utf8", "replace"), ("utf8", "ignore"), ("x",)], "hex": [(), (":",), ("-", 2), ("-", -2)]}
    groups = []
    for method, argss in calls.items():
        groups.append({"method": method, "cases": [[encode(v), [encode(a) for a in args], {}, outcome(getattr(v, method), *args)] for args in argss for v in values]})
    hexes = ["", "00ff", "0 0", "ab cd", "a", "xy", "abx", "é0", " 1f "]
    groups.append({"static": "bytes.fromhex", "cases": [[[t], {}, outcome(bytes.fromhex, t)] for t in hexes]})
    ints = [0, 1, -1, 127, 128, 255, 256, -128, -129, 65535, 2**64, -(2**64), True, 10**20]
    groups.append({"method": "bit_length", "cases": [[encode(v), [], {}, outcome(v.bit_length)] for v in ints]})
    cases = []
    for v in ints:
        for args, kwargs in [((), {}), ((2,), {}), ((9, "little"), {}), ((9, "big"), {"signed": True}), ((1, "big"), {"signed": True}), ((2,), {"byteorder": "little", "signed": True}), ((0,), {}), ((-1,), {}), ((1, "x"), {})]:
            cases.append([encode(v), [encode(a) for a in args], {k: encode(x) for k, x in kwargs.items()}, outcome(v.to_bytes, *args, **kwargs)])
    groups.append({"method": "to_bytes", "cases": cases})
    cases = []
    for data in (b"", b"\x01", b"\xff", b"\x80\x00", b"\x01" * 12):
        for args, kwargs in [((), {}), (("little",), {}), (("big",), {"signed": True}), (("little",), {"signed": True})]:
            cases.append([[encode(data), *args], {k: encode(x) for k, x in kwargs.items()}, outcome(int.from_bytes, data, *args, **kwargs)])
    groups.append({"static": "int.from_bytes", "cases": cases})
    write("bytes_methods", groups)


def items():
    sequences = [[], [1], [1, 2, 3, 4, 5], (), (1, 2, 3), "", "abcde", "aé🎉x", b"abcd", range(10), range(5, -7, -3), range(0)]
    keys = [0, 1, -1, 2, 4, -5, 5, -6, 10**30, -(10**30), True, 1.0, "a", None, (0,)]
    bounds = [None, 0, 1, -1, 3, -4, 99, -99]
    keys += [slice(a, b, c) for a in bounds for b in bounds for c in (None, 1, 2, -1, -2) if RANDOM.random() < 0.35]
    keys += [slice(None, None, 0), slice("a"), slice(None, "a"), slice(None, None, 1.5), slice(10**30), slice(-(10**30), 10**30, -(10**30)), slice(True, None)]
    # Ranges of steps past 64 bits are refused.
    giant = lambda key: isinstance(key, slice) and any(isinstance(p, int) and abs(p) > 2**63 for p in (key.start, key.stop, key.step))
    groups = table({"[]": operator.getitem}, sequences, keys, skip=lambda sign, a, key: isinstance(a, range) and giant(key))
    other = [None, 3, 1.5, {}, {"a": 1, 1: 2}, {1}, int]
    groups += table({"[]": operator.getitem}, other, [0, "a", 1.0, slice(1), None, []], skip=lambda s, a, b: a is int)
    cases = []
    for key in keys:
        for value in (9, [], [7, 8], (1, 2, 3), [1, 2, 3, 4, 5], None):
            if RANDOM.random() < 0.4:
                target = [1, 2, 3, 4, 5]
                result = outcome(lambda: (target.__setitem__(key, value), target)[1])
                cases.append([encode([1, 2, 3, 4, 5]), encode(key), encode(value), result])
    for target in ({"a": 1}, (1,), "a", b"a", range(2), None, 3):
        for key in (0, "a", [], slice(1)):
            def assign(target=target, key=key):
                target[key] = 5
                return target
            cases.append([encode(target), encode(key), 5, outcome(assign)])
    groups.append({"set_item": None, "cases": cases})
    cases = []
    for key in keys:
        target = [1, 2, 3, 4, 5]
        cases.append([encode([1, 2, 3, 4, 5]), encode(key), outcome(lambda: (operator.delitem(target, key), target)[1])])
    for target in ({"a": 1, 0: 2}, (1,), "a", b"a", range(2), None, 3):
        for key in (0, "a", [], slice(1), "zz"):
            before = encode(target)
            def delete(target=target, key=key):
                del target[key]
                return target
            cases.append([before, encode(key), outcome(delete)])
    groups.append({"del_item": None, "cases": cases})
    write("items", groups)


def reprs():
    values = [
        [1, "a", None, (1,), [2.5]], (1, 2), ((),), {"a": [1], 2: {3}}, set(), {1}, frozenset({2}), frozenset(), [], {}, b"a'b", b'a"\'', "it's", 'say "hi"', "both ' and \"", "\\back", "\n\r\t\x00\x1b\x7f\x80\xa0\xad\u200b\u2028\ufeff",
        "\U000e0001\U0001f389\u0378\ud7ff\ue000", range(3), range(1, 2), range(1, 9, 2), slice(1, None, "a"), int, str, bool,
        [True, False, None], {(1, 2): [3]}, [[]] * 3, {"k": {"n": {}}}, 10**40, -0.0, [1e16, 1e-5, INF, NAN], ["é", "日本"],
    ]  # fmt: skip
    groups = [{"call": f.__name__, "cases": [[[encode(v)], outcome(f, v)] for v in values]} for f in (repr, str, ascii)]
    errors = [
        ValueError(), ValueError("x"), ValueError("x", 1), ValueError(""), KeyError("k"), KeyError(1), KeyError(), KeyError("a", "b"), OSError(2, "No such file", "f"), OSError(2, "No such file"), OSError("just"), TypeError(None), IndexError((1, 2)),
    ]  # fmt: skip
    for f in (repr, str):
        cases = []
        for e in errors:
            args = [2, "No such file", "f"] if getattr(e, "filename", None) else list(e.args)
            if f is repr and isinstance(e, OSError) and len(args) > 1:
                continue
            cases.append([[["exc", "OSError" if isinstance(e, OSError) else type(e).__name__, *(encode(a) for a in args)]], outcome(f, e)])
        groups.append({"call": f.__name__, "cases": cases})
    write("reprs", groups)


def unicode():
    """For each property a checksum over the assigned planes, in blocks of 4096 so that a difference is found near."""
    tests = ["isalpha", "isdecimal", "isdigit", "isnumeric", "isalnum", "isspace", "isprintable", "islower", "isupper", "istitle", "isidentifier", "lower", "upper", "title", "casefold", "swapcase", "capitalize"]
    groups = []
    for name in tests:
        sums = []
        for start in (*range(0, 0x32000, 4096), 0xE0000):
            text = "".join(str(getattr(chr(c), name)()) + "." for c in range(start, start + 4096) if not 0xD800 <= c <= 0xDFFF)
            sums.append(zlib.crc32(text.encode()))
        groups.append({"unicode": name, "cases": sums})
    write("unicode", groups)


for record in (arithmetic, operators, sets, hashes, floats, parsing, formats, percents, templates, str_methods, bytes_and_int_methods, items, reprs, unicode):
    record()
