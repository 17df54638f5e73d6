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


KNOWN = [
    Known("complex numbers: ValueError", r"\*\*|pow", r"^[^!].*j\)", r"^!ValueError: .*complex"),
    Known("lone surrogates cannot be held", None, r"\\ud[89a-f]|surrogate", None),
    Known("ranges are bounded by 64 bits", r"range", None, r"^!OverflowError: "),
]


def reason(case, expected, actual):
    """The name of the difference that explains the two answers, or None."""
    texts = case[1], text(expected), text(actual)
    return next((known.name for known in KNOWN if known.explains(*texts)), None)
