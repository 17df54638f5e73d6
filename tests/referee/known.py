"""Differences that are on purpose: the list in docs/differences.md, section "Python", as patterns."""

import re


class Known:
    """A difference: its name, and what program and answers look like where it shows."""

    def __init__(self, name, source=None, expected=None, actual=None):
        self.name = name
        self.patterns = [re.compile(text, re.S) if text else None for text in (source, expected, actual)]

    def explains(self, *texts):
        return all(pattern is None or pattern.search(text) for pattern, text in zip(self.patterns, texts))


def text(answer):
    if "value" in answer:
        return answer["value"]
    return "!" + answer.get("exception", "panic") + ": " + answer.get("message", answer.get("panic", ""))


# The text after the class of a syntax error: what the suite's `syntax_errors` records is exact, the rest is as near as it is.
KNOWN = [
    Known("the words of a syntax error", None, r"^!(Syntax|Indentation)Error", r"^!(Syntax|Indentation|Tab)Error"),
    Known("the repr of modules shows no path", None, r"<module '", r"<module '"),
    Known("module functions that CPython writes in Python", None, r"function\b", r"builtin_function_or_method|built-in function"),
    Known("the repr of class methods", None, r"<built-in method \w+ of type object", r"<built-in function"),
    Known("descriptors of builtin classes", None, r"<(attribute|member|slot wrapper)|getset_descriptor|wrapper_descriptor", r"no attribute"),
    Known("special methods by name", r"__\w+__|getattr", r"method-wrapper|wrapper", r"no attribute"),
    Known("hashes of strings", r"hash\(", r"^-?\d+$", r"^-?\d+$"),
    Known("the repr of generators does not name them", None, r"<generator object", r"<generator object"),
    Known("what OrderedDict says of bad pairs", r"OrderedDict", r"^!ValueError", r"^!ValueError"),
    Known("slice.indices beyond 64 bits", r"indices", None, r"OverflowError"),
    Known("the budgets", None, None, r"^!(MemoryError: a value of more than|TimeoutError: the evaluation took)"),
    Known("the last bit of math.cbrt", r"cbrt", r"^[^!]", r"^[^!]"),
    Known("fnmatch of what is no text", r"fnmatch", r"^!TypeError", r"^!TypeError"),
    Known("statistics of what is no number", r"statistics", r"^!", r"^!"),
    Known("dict views can be copied", r"deepcopy", r"cannot pickle", None),
    Known("datetime looks for missing arguments before it looks at the given ones", r"datetime", r"^!", r"missing required argument"),
    Known("datetime of a bad timestamp", r"utcfromtimestamp", r"^!", r"^!"),
    Known("the attributes of a SyntaxError", None, r"SyntaxError\(", r"SyntaxError\("),
    Known("classes as mappings", None, r"unbound method dict.keys", None),
    Known("textwrap of what is no text", r"textwrap", r"^!", r"^!"),
    Known("os.path names classes in full", r"os\.path", r"os.PathLike object, not", r"os.PathLike object, not"),
    Known("what OrderedDict says of bad pairs", r"OrderedDict", r"^!TypeError", r"^!TypeError"),
    Known("addresses", None, r"0', 'x'|0x", r"0', 'x'|0x"),
    Known("Counters of what is no number", r"Counter", r"^!TypeError", r"^!TypeError"),
    Known("str.maketrans takes dicts of all kinds", r"maketrans", r"maketrans it must be a dict", None),
    Known("hashes of parametrized classes", r"list|dict|set|tuple|type", r"unhashable", r"\w\[\["),
    Known("datetime checks its arguments in another order", r"datetime", r"^!(OverflowError|TypeError)", r"^!(OverflowError|TypeError)"),
    Known("deque += checks its operand first", r"deque", r"is not iterable", r"can only concatenate deque"),
    Known("% on bytes", r"%", None, r"for %=?: 'bytes' and"),
    Known("complex numbers", None, None, r"^!NotImplementedError: complex"),
    Known("lone surrogates cannot be held", None, r"\\ud[89a-f]|surrogate", None),
    Known("ranges are bounded by 64 bits", r"range", None, r"^!OverflowError: "),
]


def reason(case, expected, actual):
    """The name of the difference that explains the two answers, or None."""
    texts = case[1], text(expected), text(actual)
    if "'" in texts[1] and "{" in texts[1] and sorted(texts[1]) == sorted(texts[2]):
        return "the order of sets that hold strings"
    return next((known.name for known in KNOWN if known.explains(*texts)), None)
