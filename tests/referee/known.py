"""Differences that are on purpose: the list in docs/differences.md, section "Python", as patterns.

Each is as narrow as it can be told: either the two answers are equal once what differs is written alike in both (`alike`), or
the answers themselves are of one shape. What is not explained here is a fault.
"""

import re

import machines


class Known:
    """A difference: its name, and what program and answers look like where it shows.

    `alike` is a list of (pattern, replacement): the answers are equal after these, and not before. `when` is a test of the
    three texts.
    """

    def __init__(self, name, source=None, expected=None, actual=None, alike=None, when=None):
        self.name = name
        self.when = when
        self.patterns = [re.compile(text, re.S) if text else None for text in (source, expected, actual)]
        self.alike = [(re.compile(pattern), replacement) for pattern, replacement in alike or []]

    def explains(self, *texts):
        if not all(pattern is None or pattern.search(text) for pattern, text in zip(self.patterns, texts)):
            return False
        if self.when and not self.when(*texts):
            return False
        return not self.alike or self.rewritten(texts[1]) == self.rewritten(texts[2])

    def rewritten(self, text):
        for pattern, replacement in self.alike:
            text = pattern.sub(replacement, text)
        return machines.ADDRESS.sub("at 0x", text)


def text(answer):
    if "value" in answer:
        return answer["value"] + " " + answer["type"]
    return "!" + answer.get("exception", "panic") + ": " + answer.get("message", answer.get("panic", ""))


def reported(answer):
    """The text of an answer of CPython, with the module that raised where it was not the program."""
    module = answer.get("module")
    return text(answer) + (f" [raised in {module}]" if module else "")


def same_characters(source, expected, actual):
    """Whether the answers hold the same in another order."""
    return sorted(machines.ADDRESS.sub("at 0x", expected)) == sorted(machines.ADDRESS.sub("at 0x", actual))


def wrong_arguments(source, expected, actual):
    """Whether a function of a module refuses what it was given, with the same exception in both and in other words.

    That it was the function that refused is told by the module that raised, where it is written in Python, else by the name of
    the function, which its parser puts into the message.
    """
    refusal = re.match(r"!(TypeError|AttributeError|ValueError): ", expected)
    if refusal is None or not actual.startswith(refusal[0]) or re.search(r"has no attribute '\w+'(?: \[raised in \w+\])?$", expected):
        return False
    raised = re.search(RAISED_IN, expected)
    return any((raised and raised[1] == PLACES.get(module, module.rsplit(".")[-1])) or re.search(rf"\b(openssl_)?{name}(\(\)| expected)", expected) for module, name in re.findall(MODULE_CALL, source))


WRONG_ARGUMENTS = "messages for wrong arguments of functions in modules"
MODULE_CALL = r"(?<![\w.])(functools|packaging\.\w+|os\.path|string|time)\.(\w+)\("
PLACES = {"os.path": "posixpath"}
# What `reported` says of the module that raised.
RAISED_IN = r" \[raised in (\w+)\]$"


# A class of functions, as messages name it, and functions as `repr` shows them.
FUNCTIONS = [
    # A function whose results CPython keeps.
    (r"<functools\._lru_cache_wrapper object at 0x[0-9a-f]*>|<built-in function urlsplit>", "<callable urlsplit>"),
    (r"<function [\w.]*?(\w+) at 0x[0-9a-f]*>", r"<callable \1>"),
    (r"<built-in function (\w+)>", r"<callable \1>"),
    (r"<built-in method (\w+) of type object at 0x[0-9a-f]*>", r"<callable \1>"),
    (r"<built-in method (\w+) of [\w.]+ object at 0x[0-9a-f]*>", r"<callable \1>"),
    (r"<bound method [\w.]*?(\w+) of <[^<>]*(<[^<>]*>)?[^<>]*>>", r"<callable \1>"),
    (r"<bound method [\w.]*?(\w+) of [^<>]*>", r"<callable \1>"),
    (r"<module '([\w.]+)' (from '[^']*'|\(built-in\)|\(frozen\)|\(namespace\))>", r"<module \1>"),
    (r"<method '(\w+)' of '[\w.]+' objects>", r"<callable \1>"),
    (r"\b(function|builtin_function_or_method|method_descriptor|method|functools\._lru_cache_wrapper)\b", "callable"),
]

FUNCTION_CLASSES = "functions of modules and classes"
MODULE_PATHS = "the repr of modules shows no path"
# What differs only where it is shown, so that nothing else follows from it.
ONLY_SHOWN = (FUNCTION_CLASSES, MODULE_PATHS)

KNOWN = [
    # The text after the class of a syntax error: what the suite's `syntax_errors` records is exact, the rest is as near as it is.
    Known("the words of a syntax error", None, r"^!(Syntax|Indentation)Error", r"^!(Syntax|Indentation|Tab)Error"),
    Known("the budgets", None, None, r"a value of more than \d+ MiB|^!TimeoutError: the evaluation took"),
    Known("complex numbers", None, None, r"^!NotImplementedError: complex"),
    Known("lone surrogates cannot be held", None, r"\\ud[89a-f]|surrogate", None),
    Known(MODULE_PATHS, None, r"<module '", r"<module '", [(r"<module '([\w.]+)' (from '[^']*'|\(built-in\)|\(frozen\)|\(namespace\))>", r"<module \1>")]),
    Known(MODULE_PATHS, None, r"^!ImportError: cannot import name", r"^!ImportError: cannot import name", [(r" \((/[^()]*|unknown location)\)", "")]),
    Known(FUNCTION_CLASSES, None, r"function|method", r"function|method", FUNCTIONS),
    Known(FUNCTION_CLASSES, r"isinstance\(.*\btypes\.(Function|Lambda|BuiltinFunction|BuiltinMethod|Method)Type\b", r"\b(True|False)\b", r"\b(True|False)\b", [(r"\b(True|False)\b", "bool")]),
    # What CPython hashes by its address: `None`, classes, functions, a float that is no number. Most programs that show it are
    # told by `generate.py`, since CPython itself answers them otherwise in another process.
    Known("sets of what is hashed by address", None, r"\{[^{}]*(None|<class|nan|function)", r"\{", [(r"\{([^{}:]*)\}", lambda found: "{" + ", ".join(sorted(found[1].split(", "))) + "}")]),
    Known("the order of sets of what is hashed by address", r"set|\{", r"None|<class|nan| at 0x", None, when=same_characters),
    Known("the arguments of a SyntaxError", r"eval|ast|compile|except", r"\('[^']*', \('<(string|unknown)>'", r"line \d+\)'"),
    Known("hashes as an index", r"\bhash\(", r"^!IndexError: .*index out of range"),
    Known("hashes of patterns", r"\bhash\(.*\bre\.compile\(", r"^-?\d+ int$", r"^-?\d+ int$"),
    Known("names of `typing`, and `list[int]`", None, None, r"^!NotImplementedError: tpvc takes names of `typing`, and parameters of classes"),
    Known("arithmetic of the flags of `re`", r"\bre\.", None, r"^!NotImplementedError: tpvc does not calculate with the flags of `re`"),
    Known("keywords that are no names", r"\*\*", None, r"keywords must be strings"),
    Known("attributes that `functools` copies of a class", r"cache", r"<attribute '__name__' of 'type' objects>", r"'type'"),
    Known("where the recursion went too deep", None, r"^!RecursionError: maximum", r"^!RecursionError: maximum", [(r"exceeded.*", "exceeded")]),
]


def reason(case, expected, actual):
    """The name of the difference that explains the two answers, or None."""
    texts = case[1], text(expected), text(actual)
    if wrong_arguments(case[1], reported(expected), texts[2]):
        return WRONG_ARGUMENTS
    return next((known.name for known in KNOWN if known.explains(*texts)), None)
