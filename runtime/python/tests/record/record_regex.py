"""Records what CPython's `re` answers, for `tests/regex.rs`.

    python3 record_regex.py > ../recorded/regex.json

Each line of the result is one pattern: [pattern, flags, compiled, texts]. `compiled` is [class, text, position] of the
exception or [flags, groups, groupindex]. `texts` is a list of [text, match, fullmatch, search, all], where each of the
first three is null or [lastindex, spans] and `all` is the list of the spans of `finditer`. Spans are in code points; a
group that took no part is -1. The random part is seeded. Patterns over which CPython takes long are left out.
"""

import json
import random
import re
import sys
import warnings

warnings.simplefilter("ignore")

SYNTAX = r"""
a
abc
a|b
a||b
()
(?:)
(a)(b)?
(?P<x>a)(?P=x)
(?P<x>a)(?P<y>b)(?P<x>c)
(?P<1>a)
(?P<a-b>a)
(?P<a
(?P<>a)
(?P<é>a)
(?P=x)
(?P=
(?P=x
(?P>x)
(?P
(?Pz)
(?P\<x>a)
(?
(?z)
(?\d)
(
)
a)
(a
(a|b
((a)
(?:a
(?=a
(?<=a
(?<a)
(?<
(?<\=a)
(?#comment)a
(?#comment
a(?#c)*
(?>a
(?>a*)a
a*+a
a++b
a?+a
a{1,2}+a
*
+a
?
{1}
a**
a*+*
a+*
a?*
a???
a*?*
a{2}{3}
a{2}*
a{2}?
a{,2}
a{2,}
a{,}
a{}
a{1
a{1,2
a{a}
a{3,2}
a{99999999999}
a{4294967295}
x{2,99999999999}
|*
(*)
(?:*)
(|*)
^*
$*
\b*
\A+
\Z?
(?:^)*
(?:\b)+a
(?=a)*
(?=a)+a
(?!a){2}b
(?=a){0}b
()*
(?:)*a
[
[]
[^]
[]a]
[^]a]
[a
[a-
[a-]
[-a]
[a-b-c]
[b-a]
[a-\d]
[\d-a]
[\d-\w]
[\d-]
[\w-]
[a\]b]
[[]
[[a]
[[:alpha:]]
[a&&b]
[a--b]
[a~~b]
[a||b]
[&&]
[--a]
[+--]
[a^]
[^^]
[\^]
[\b]
[\B]
[\A]
[\Z]
[\x41]
[\x4]
[\u0041]
[\u004]
[\U00000041]
[\U00110000]
[\101]
[\400]
[\8]
[\1]
[\q]
[\N{DIGIT ONE]
[\N]
[é-ü]
[\ud800-\udfff]
[^\ud800]
\ud800
[\s\S]
[^\s\S]
[\W\d]
[^\W\d_]
\
a\
[\
(\
\q
\c
\_
\-
\/
\é
\x4
\x41
\xg
\u41
\u0041
\U0000004
\U00000041
\U00110000
\N
\N{
\N{}
\0
\00
\01
\012
\0123
\08
\1
(a)\1
(a\1)
(a)\2
\8
\9
(a)\10
\100
\101
\400
\377
\18
(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\10
(a)\18
(?i)a
(?i)(?m)a
a(?i)
(a(?i))
(?:(?i)a)
(?i:a)b
(?i-s:a)
(?-i:a)
(?i-i:a)
(?i-
(?i-)
(?i-:a)
(?-)
(?-:a)
(?i
(?iz)
(?i1)
(?i-z:a)
(?i-1:a)
(?L)a
(?u)a
(?a)a
(?au)a
(?a:a)
(?u:a)
(?au:a)
(?-a:a)
(?t)a
(?t:a)
(?-t:a)
(?s)a.b
(?x) a b # c
(?x)a\ b
(?x)a[ ]b
(?x) ( a ) # (
(?x:a b)c d
(?-x:a b)c
(?x)a * +
(?x)(?-x: a)
(?x)#
(?(1)a)
(a)?(?(1)b)
(a)?(?(1)b|c)
(a)?(?(1)b|c|d)
(?(2)a)(b)(c)
(?(0)a)
(?(x)a)
(?P<x>a)?(?(x)b|c)
(?(-1)a)
(?( 1)a)(b)
(?(+1)a)(b)
(?(1_0)a)
(?(1
(?(
(?()a)
(a)(?(1)
(?(1)(a)|(b))
(?<=a)b
(?<!a)b
(?<=ab|cd)e
(?<=a|bc)d
(?<=a*)b
(?<=a{2})b
(?<=a{1,2})b
(?<=(a))b
(?<=(a)\1)b
(a)(?<=\1)b
(a*)(?<=\1)b
(?<=(?=a)a)b
(?<=^a)b
(?<=\ba)b
(?<=[ab])c
(?<=\n)^a
(?<=)a
(?<!)a
(?<=(?:a|b)c)d
(?<=(?(1)a|b))c
(?!)
(?=)
(?=(a))a
(?!(a))b
(?=a)b|a
a(?=b(?!c))
(?:a(?=b)|ab)
.
.*
^a
a$
^a$
^
$
\Aa
a\Z
\ba
a\b
\b
\B
\Ba
\d
\D
\s
\S
\w
\W
\w+
\bfoo\b
(a*)*
(a*)+
(a|b)*
(a|b)*?b
(?:(a)|b)*
(?:(a)|(b))*
((a)|(b))*
(a(b)?)+
(a)|(b)
((a)(b))
(a)(b)
((a))
(a?)*
(a??)*
(a*?)*?
(?:a|ab)(?:c|bcd)(?:d*)
(a+|b+)*c
(a|ab)(bc|c)?
x*
x*?
x+?
x??
(?:|a)
(?:a|)
|a
a|
||
(?:|a)+
(?:a?)*?y
(?i)straße
(?i)ß
(?i)[ß]
(?i)i
(?i)I
(?i)[a-z]
(?i)[i]
(?i)[^i]
(?i)İ
(?i)ı
(?i)k
(?i)s
(?i)ſ
(?i)σ
(?i)[σ]
(?i)é
(?i)(é)\1
(?i)(a)\1
(?ai)k
(?ai)[a-z]
(?ai)[^a-z]
(?ai)é
(?ai)[^k]
(?a)\w+
(?a)\d
(?a)\s
(?a)\b.
(?a)\B.
(?a)[^\W]
(?m)^a
(?m)a$
(?m)^
(?m)$
(?m)\Aa
(?m)a\Z
(?m)^a$
(?ms)^.*$
(?s).
(?s-i:.)a
toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa_mem/.*
.*/bwa_mem/\d+\.\d+
(?:bwa|bowtie)[-_]?(mem|2)?
^interactive_tool_.*$
upload1|__.*__
[^/]+/[^/]+$
(\w+)\s(\w+)
(?P<owner>[^/]+)/(?P<name>\w+)/(?P<version>[\d.]+)
^(?!training).*
(?<![\w])a
(['"])(.*?)\1
(?P<q>['"])[^'"]*(?P=q)
\$\{\w+\}
<.*?>
(\d+)(?:\.(\d+))?
0x[0-9a-fA-F]+|[-+]?\d+
""".strip("\n").split("\n")

MORE = ["a\n*\n**", "(\n\n(", "\\\n", "[a\nb]", "a b", "", "#a", "a#b\nc", "(?x)a#b\nc", " a", "\t"]

TEXTS = ["", "a", "b", "ab", "aab", "abc", "ba", "a\n", "b\na", "a b", "aXbA", "_1é ", "\n"]
SPECIAL = [
    "straße STRASSE", "ẞ", "Kk\u212aſsS", "iIİı", "σςΣ", "éÉeé", "e\u0301a", "٣3²½", "\x1c\x85\xa0\u2028",
    "toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa_mem/0.7.17.2", "toolshedXg2.bx.psu.edu/repos/iuc/bwa/bwa_mem/",
    "interactive_tool_jupyter\n", "x abc_1 foo", "'a\"b' \"c\"", "training-1", "${x} <a><b>", "12.5 -7 0xfF",
    "abcdefghijj", "abcbcd", "aaaaab", "abab", "AbAB", "abxd", "upload1", "a]b", "a-b&&~|^", "A\x08\x01", "{1}", "a{1,2", "\xff\x80",
]


def spans(match):
    return [list(span) if span != (-1, -1) else -1 for span in match.regs]


def found(match):
    return match and [match.lastindex, spans(match)]


def ask(pattern, flags, texts):
    try:
        regex = re.compile(pattern, flags)
    except Exception as e:
        if isinstance(e, RecursionError):
            return None
        return [pattern, flags, [type(e).__name__, str(e), getattr(e, "pos", None)], []]
    answers = []
    for text in texts:
        every = [spans(match) for match in regex.finditer(text)]
        answers.append([text, found(regex.match(text)), found(regex.fullmatch(text)), found(regex.search(text)), every])
    return [pattern, flags, [regex.flags, regex.groups, dict(regex.groupindex)], answers]


class Maker:
    """Makes patterns that compile, most of the time."""

    def __init__(self, rng):
        self.rng = rng
        self.groups = 0

    def alternatives(self, depth):
        return "|".join(self.sequence(depth) for _ in range(self.rng.choice([1, 1, 1, 2, 2, 3])))

    def sequence(self, depth):
        return "".join(self.item(depth) for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3])))

    def item(self, depth):
        atom = self.atom(depth)
        if self.rng.random() < 0.35:
            atom += self.rng.choice(["*", "+", "?", "{2}", "{1,2}", "{,2}", "{1,}"])
            atom += self.rng.choice(["", "", "", "", "?", "+"])
        return atom

    def atom(self, depth):
        kind = self.rng.random()
        if kind < 0.5 or depth == 0:
            return self.rng.choice(list("aaabbbcAB_1") + [".", "\\w", "\\d", "\\W", "\\s", "[ab]", "[^a]", "[a-c1]", "[\\W_]", "é"])
        if kind < 0.62:
            return self.rng.choice(["^", "$", "\\b", "\\B", "\\A", "\\Z"])
        if kind < 0.75:
            body = self.alternatives(depth - 1)
            self.groups += 1
            return "(" + body + ")"
        if kind < 0.85:
            return self.rng.choice(["(?:", "(?:", "(?i:", "(?s:", "(?m:", "(?a:", "(?>"]) + self.alternatives(depth - 1) + ")"
        if kind < 0.92:
            return self.rng.choice(["(?=", "(?!", "(?<=", "(?<!"]) + self.sequence(depth - 1) + ")"
        if self.groups:
            group = self.rng.randint(1, self.groups)
            if self.rng.random() < 0.5:
                return "(?:\\%d)" % group
            return "(?(%d)%s|%s)" % (group, self.sequence(depth - 1), self.sequence(depth - 1))
        return "b"


def main():
    rng = random.Random(20240917)
    rows = []
    for index, pattern in enumerate(SYNTAX + MORE):
        texts = TEXTS[:] if index % 4 == 0 else rng.sample(TEXTS, 4)
        literal = re.sub(r"\(\?[a-z]+\)|[\\()?*+^$\[\]]", "", pattern).lower()
        texts += [text for text in SPECIAL if any(c in text.lower() for c in literal if ord(c) > 127)]
        texts += rng.sample(SPECIAL, 2)
        if not pattern.isascii() or "(?i)" in pattern or "(?a" in pattern or len(pattern) > 12 or pattern in (r"\w", r"\d", r"\s", r"\W", r"\w+"):
            texts = TEXTS[3:5] + rng.sample(SPECIAL, 12)
        rows.append(ask(pattern, 0, texts))
    for pattern in ["a.b", "^b", "a$", r"\w+", "[a-z]+", "a b # c", "(A)", ""]:
        for flags in [re.I, re.M, re.S, re.X, re.A, re.I | re.A, re.U, re.A | re.U, re.L, re.I | re.M | re.S | re.X]:
            rows.append(ask(pattern, int(flags), ["a\nb", "b\nab", "éaBc", "AB a\n"]))
    for _ in range(420):
        pattern = Maker(rng).alternatives(3)
        flags = int(rng.choice([0, 0, 0, 0, re.I, re.M, re.S, re.A]))
        texts = ["".join(rng.choice("aaabbbcAB1_ \né") for _ in range(rng.randint(0, 7))) for _ in range(2)]
        rows.append(ask(pattern, flags, texts))
    meta = list("ab01,-:=!<>P#ix") + list("()()[]{}?*+|^$.\\\\")
    for _ in range(500):
        pattern = "".join(rng.choice(meta) for _ in range(rng.randint(2, 8)))
        rows.append(ask(pattern, 0, [rng.choice(TEXTS)]))
    for _ in range(200):
        pattern = "(?" + "".join(rng.choice(list("()?P<>=!:-imsxauL1ab|#")) for _ in range(rng.randint(1, 6))) + rng.choice(["", ")", ":a)"])
        rows.append(ask(pattern, 0, ["ab"]))
    rows = [json.dumps(row, ensure_ascii=True, separators=(",", ":")) for row in rows if row is not None]
    sys.stdout.write("[\n" + ",\n".join(rows) + "\n]\n")


main()
