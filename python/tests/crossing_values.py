"""Random values and code for the tests of what crosses between Python and the machine."""

from __future__ import annotations

import collections
import copy
import datetime
import enum
import random
import re
from collections.abc import Callable, Iterator
from typing import Any


class Colour(str, enum.Enum):
    """An enumeration that is text, as Galaxy's states of jobs are."""

    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    """An enumeration that is a number."""

    LOW = 1
    HIGH = 2


class Text(str):
    """Text with a class of its own, as SQLAlchemy has."""


class Tracked(dict[Any, Any]):
    """A dict that tracks changes, as the JSON columns of Galaxy's tables are."""


class Listed(list[Any]):
    """A list with a class of its own, as SQLAlchemy's collections are."""


Point = collections.namedtuple("Point", "x y")


class Failure(LookupError):
    """An exception with attributes."""

    def __init__(self, code: int, where: Any) -> None:
        super().__init__(code, where)
        self.code = code


class Thing:
    """An object as Galaxy's are: attributes, methods, operators."""

    def __init__(self, name: str, items: list[Any], mapping: dict[Any, Any]) -> None:
        self.name = name
        self.items = items
        self.mapping = mapping
        self.inner: Any = None

    @property
    def size(self) -> int:
        return len(self.items)

    @property
    def broken(self) -> int:
        raise Failure(7, self.name)

    def __repr__(self) -> str:
        return f"<Thing {self.name} {self.items!r} {self.mapping!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Thing) and self.name == other.name

    def __hash__(self) -> int:
        return hash(len(self.name))

    def __lt__(self, other: Any) -> bool:
        return self.name < other.name if isinstance(other, Thing) else NotImplemented

    def __add__(self, other: Any) -> Any:
        return (self.name, other) if not isinstance(other, str) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return (other, self.name)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __getitem__(self, key: Any) -> Any:
        return self.mapping[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.mapping[key] = value

    def __delitem__(self, key: Any) -> None:
        del self.mapping[key]

    def __contains__(self, item: Any) -> bool:
        return item in self.mapping

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return (args, keywords)

    def __enter__(self) -> Thing:
        self.items.append("entered")
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        self.items.append(f"left with {error!r}")
        return isinstance(error, KeyError)

    def put(self, item: Any, into: Any = None, **more: Any) -> Any:
        (self.items if into is None else into).append(item)
        if more:
            self.mapping.update(more)
        return item

    def apply(self, function: Callable[[Any], Any]) -> list[Any]:
        return [function(item) for item in self.items]

    def fail(self, error: Any) -> Any:
        raise error

    def yields(self) -> Iterator[Any]:
        yield from self.items
        yield self.mapping


class Plain:
    """An object without operators."""

    kind = "plain"

    def __hash__(self) -> int:
        # The place in a set must not depend on the address, nor on what came before.
        return 5

    def __repr__(self) -> str:
        return "<Plain>"


def atom(chance: random.Random) -> Any:
    """A random value without items."""
    return chance.choice(
        [
            lambda: None,
            lambda: chance.random() < 0.5,
            lambda: chance.randint(-5, 300),
            lambda: chance.randint(-(2**80), 2**80),
            lambda: chance.choice([0.0, -0.0, 1.5, -2.25, 1e300, float("inf"), 0.1]),
            lambda: chance.choice(["", "a", "red", "bwa", "é\U0001f600", "a b", "1"]),
            lambda: bytes(chance.randint(0, 255) for _ in range(chance.randint(0, 3))),
            lambda: Text(chance.choice(["red", "t"])),
            lambda: chance.choice(list(Colour)),
            lambda: chance.choice(list(Level)),
            lambda: datetime.timedelta(seconds=chance.randint(-(10**6), 10**6), microseconds=chance.randint(0, 10**6)),
            lambda: datetime.datetime(2020, 1, 1) + datetime.timedelta(seconds=chance.randint(0, 10**8)),
            lambda: datetime.date(2020, 1, 1) + datetime.timedelta(days=chance.randint(0, 10**4)),
            lambda: datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=chance.randint(-9, 9)))),
            lambda: range(chance.randint(0, 3), chance.randint(0, 9), chance.choice([1, 2, -1])),
        ]
    )()


def value(chance: random.Random, depth: int = 0) -> Any:
    """A random value: an atom, a container, or an object."""
    if depth > 2 or chance.random() < 0.45:
        return atom(chance)
    items = [value(chance, depth + 1) for _ in range(chance.randint(0, 3))]
    keys = [chance.choice(["a", "b", 1, 2, ("k", 1), None, Colour.RED, True]) for _ in items]
    mapping = dict(zip(keys, items))
    hashable = [atom(chance) for _ in items]
    return chance.choice(
        [
            lambda: items,
            lambda: tuple(items),
            lambda: mapping,
            lambda: set(hashable[:1]),
            lambda: frozenset(hashable[:1]),
            lambda: Tracked(mapping),
            lambda: Listed(items),
            lambda: collections.OrderedDict(mapping),
            lambda: Point(chance.randint(0, 3), "y"),
            lambda: Thing(chance.choice(["t", "u"]), items, mapping),
            lambda: Plain(),
        ]
    )()


def context(chance: random.Random) -> dict[str, Any]:
    """The names of a block: some random values, some that share parts."""
    names: dict[str, Any] = {name: value(chance) for name in "abcd"}
    thing = Thing("t", [value(chance, 1) for _ in range(3)], {"a": [1, 2], "n": {"m": 1}})
    thing.inner = Thing("u", thing.mapping["a"], {})
    names["t"] = thing
    names["shared"] = thing.mapping["a"]
    names["Thing"] = Thing
    names["Failure"] = Failure
    names["Colour"] = Colour
    names["p"] = Plain()
    return names


EXPRESSIONS = """
X
t.name
t.size
t.broken
t.missing
p.kind
p.nothing
X == X
X != X
X < X
X >= X
X is X
X in X
X not in X
X and X
X or X
not X
X if X else X
X + X
X - X
X * X
X / X
X // X
X % X
X ** 2
X | X
X & X
-X
X[X]
X[0]
X['a']
X[1:]
len(X)
str(X)
repr(X)
bool(X)
f'{X}'
f'{X!r:>8}'
f'{X:5}'
f'{X:.2f}'
int(X)
float(X)
list(X)
tuple(X)
dict(X)
len(set(X))
sorted(X)
sum(X)
max(X, X)
min(X)
any(X)
all(X)
abs(X)
round(X)
hash(X) == hash(X)
type(X).__name__
isinstance(X, str)
isinstance(X, (int, dict))
isinstance(X, Thing)
issubclass(Failure, LookupError)
isinstance(X, Colour)
hasattr(X, 'name')
getattr(X, 'name', 'none')
callable(X)
X.get('a')
list(X.keys())
list(X.items())
X.upper()
X.append(X)
X.update(X)
X.count(X)
X.index(X)
X.startswith('r')
', '.join(X)
'{}'.format(X)
'%s' % X
'%d' % X
X.x
X.value
X.year
X.total_seconds()
t(X, k=X)
t.put(X)
t.put(X, X)
t.put(X, more=X)
t.apply(lambda item: item)
t.apply(lambda item: t.put(item, []))
t.fail(Failure(3, X))
t.fail(ValueError(X))
list(t.yields())
next(t.yields())
[item for item in X]
[item for item in t]
{str(item): item for item in t}
[*X]
{**X}
t.inner.items is shared
t.mapping['a'] is shared
t.mapping is t.mapping
t['a'] is shared
t.inner.items
shared.append(X)
t.inner.put(X)
list(map(str, X))
list(zip(X, X))
list(enumerate(X))
list(filter(None, X))
Thing('n', [X], {}) == t
Thing('n', [X], {'k': X}).items
[Colour('red'), Colour.RED.value]
{X: 1}
len({X, X})
Point
(lambda *z, **k: (z, k))(*X)
""".split("\n")[1:-1]

STATEMENTS = """
a = X
b, c = X
a += X
d |= X
shared += [X]
shared[0] = X
del shared[0]
t.name = X
t.extra = X
t.mapping['z'] = X
t['y'] = X
t.items[0] = X
X.append(X)
X['k'] = X
del X['a']
del t['a']
t.items.extend(shared)
t.inner = X
""".split("\n")[1:-1]

COMPOUND = [
    "for item in list(X):\n    shared.append(item)",
    "for key in list(t.mapping):\n    t.mapping[key] = E",
    "try:\n    r = E\nexcept (KeyError, TypeError) as e:\n    r = (type(e).__name__, str(e), e.args)",
    "try:\n    r = t.broken\nexcept LookupError as e:\n    r = (e.code, e.args, str(e), isinstance(e, Failure))",
    "try:\n    r = E\nexcept Failure as e:\n    r = e.code\nexcept Exception as e:\n    r = str(e)\nelse:\n    r = 'fine'\nfinally:\n    shared.append('done')",
    "with t as inside:\n    r = E",
    "if X:\n    r = E\nelse:\n    r = X",
    "def f(one, two=X):\n    shared.append(one)\n    return [one, two]\nr = t.apply(f)",
    "raise Failure(5, X)",
    "raise ValueError('told') from Failure(1, 2)",
]


def fill(chance: random.Random, template: str) -> str:
    """Code of a template: `X` becomes a name or a literal, `E` an expression."""
    parts = re.split(r"\b([XE])\b", template)
    names = ["a", "b", "c", "d", "t", "p", "shared", "t.inner", "t.items", "t.mapping", "(1)", "'red'", "[1, 2]", "{'a': 1}", "None"]
    filled = [
        fill(chance, chance.choice(EXPRESSIONS)) if part == "E" else chance.choice(names) if part == "X" else part
        for part in parts
    ]
    return "".join(filled)


def block(chance: random.Random) -> str:
    """A random block: some statements and a last expression."""
    lines = [
        fill(chance, chance.choice(STATEMENTS if chance.random() < 0.6 else COMPOUND)) for _ in range(chance.randint(0, 3))
    ]
    if any("r = " in line for line in lines):
        lines.insert(0, "r = None")
    # What a statement reports stands in `r`.
    last = fill(chance, chance.choice(EXPRESSIONS))
    return "\n".join([*lines, f"[r, {last}]" if lines and lines[0] == "r = None" else last])


ADDRESS = re.compile(r"0x[0-9a-f]+")


def shown(result: Any) -> str:
    """The text of a value, without addresses; objects that hold themselves have none."""
    try:
        return ADDRESS.sub("0x", repr(result))
    except RecursionError:
        return "too deep"


def copied(names: dict[str, Any]) -> dict[str, Any]:
    """The same context once more, which shares nothing with the first but classes."""
    return copy.deepcopy(names)
