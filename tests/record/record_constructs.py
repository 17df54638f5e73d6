#!/usr/bin/env python3
"""Writes what CPython 3.11 answers for programs that use one construct each, as JSON on stdout.

    PYTHONHASHSEED=0 python3.11 tests/record/record_constructs.py > tests/closed/constructs.json

`tests/language/closed.rs` demands of each that tpvc gives the same answer, or tells when compiling that it cannot.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re

# What the native language leaves out, in all the places where it can stand.
LEFT_OUT = r"""
class A: pass
A.__name__
---
class A:
    x = 1
A.x
---
class A(Exception): pass
try:
    raise A('x')
except A as e:
    r = str(e)
r
---
def f():
    class A: pass
    return A
f().__name__
---
if True:
    class A: pass
1
---
A = type('A', (dict,), {})
A()
---
t = type
t('A', (), {}).__name__
---
match 1:
    case 1: r = 2
r
---
def f(x):
    match x:
        case [a, *b]: return a
f([1, 2])
---
def g():
    yield 1
list(g())
---
def g():
    yield from [1]
list(g())
---
def g():
    x = yield 1
    yield x
a = g()
next(a)
a.send(4)
---
def g():
    if False:
        yield
list(g())
---
def f():
    return [x for x in (lambda: (yield 1))()]
f()
---
g = lambda: (yield 1)
list(g())
---
async def f(): pass
1
---
async def f(): pass
def g(x): return x
g(2)
---
g = (x async for x in 3)
1
---
try:
    1/0
except* ZeroDivisionError:
    pass
1
---
from math import *
sqrt(4)
---
from os.path import *
1
---
from . import x
1
---
1j
---
(1 + 2j).real
---
complex(1, 2)
---
eval('1')
---
list(map(eval, ['1']))
---
exec('x = 1')
1
---
compile('1', 'x', 'eval')
1
---
globals()['zz'] = 3
zz
---
locals()['zz'] = 3
zz
---
sorted(vars())
1
---
dir([])
1
---
super
1
---
f = property(lambda self: 1)
1
---
@staticmethod
def f(): return 1
f()
---
@classmethod
def f(c): return 1
1
---
memoryview(b'a').tolist()
---
bytearray(b'a')
---
__import__('math').sqrt(4)
---
__build_class__
1
---
open('/nowhere')
---
input
1
---
breakpoint
1
---
setattr
1
---
delattr
1
---
help
1
---
import io
io.StringIO().getvalue()
---
(1).__add__(2)
---
int.__add__(1, 2)
---
[].__len__()
---
x = [3]
x.__len__
1
---
str.__mro__
1
---
(1).__class__.__mro__
1
---
f = lambda a=1: a
f.__defaults__
---
def f(a: int) -> str: pass
f.__annotations__
---
def f():
    'text'
f.__doc__
---
def f(a): pass
f.__code__.co_argcount
---
def f(a): pass
f.__module__
---
def f(a): pass
f.__dict__
---
def f(): pass
f.__name__ = 'g'
f.__name__
---
def f(): pass
f.__doc__ = 'x'
f.__doc__
---
e = ValueError('x')
e.__traceback__
---
e = ValueError('x')
e.__cause__
---
e = ValueError('x')
del e.__cause__
1
---
e = ValueError('x')
e.__dict__ = {}
1
---
e = ValueError('x')
e.__class__ = KeyError
e
---
x = 1
x.__class__ = bool
1
---
def f(): pass
del f.__name__
1
---
getattr(1, '__add__')(2)
---
hasattr([], '__iter__')
---
n = '__iter__'
hasattr([], n)
---
list(map(lambda n: hasattr('', n), ['__len__', 'upper']))
---
'{0.__doc__}'.format(1)[:3]
---
import math
math.__doc__ is None
---
f = lambda: 1
f.n = 0
f.n
---
import math
math.tpvc = 1
math.tpvc
---
try:
    1/0
except Exception as e:
    t = e.__traceback__
t.tb_lineno
---
ExceptionGroup('x', [ValueError()])
---
import json
json.loads('1', parse_int=float)
---
from json import dumps
dumps({(1, 2): 1}, skipkeys=True)
---
import re
re.match(b'a', b'a')
---
import re
def f(): return re.Scanner
f()
---
import random
r = random.Random(1)
[x.getstate() for x in [r]] and 1
---
x = (x for x in [1])
x.close()
1
---
import functools
functools.lru_cache(len).cache_info().hits
---
import functools
@functools.cache
def f(x): return x
f.cache_clear()
---
e = ValueError('x')
e.add_note('n')
e.__notes__
---
(-8) ** 0.5
---
x: int = 3
__annotations__
---
__builtins__ is None
"""

# What is in.
NATIVE = r"""
1 + 2 * 3 - 4 / 5 // 6 % 7 ** 2
---
[1 < 2 <= 2 != 3, 1 is 1, 'a' in 'abc', 2 not in [1], not 1, ~1, -1, +1, 1 if 0 else 2]
---
1 @ 2
---
{'a': 1, **{'b': 2}}, [*range(3), 4], {1, *[2]}, (*'ab', 1)
---
d = {}
a, (b, *c), d[0] = 1, (2, 3, 4), 5
(a, b, c, d)
---
x = y = [1]
x += [2]
x *= 2
x[0] -= 1
del x[1], x[-1]
(x, y)
---
def f(a, /, b, *c, d=4, **e): return (a, b, c, d, e)
(f(1, 2), f(1, b=2, d=3, a=5), f(*'xyz', **{'q': 1}))
---
def outer():
    n = 0
    def inner():
        nonlocal n
        n += 1
        return n
    inner()
    return inner()
outer()
---
n = 1
def f():
    global n
    n = 2
f()
n
---
def twice(f):
    return lambda *a: f(f(*a))
@twice
def g(x): return x * 3
g(2)
---
import functools
@functools.lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
fib(50)
---
[(x, y) for x in range(3) if x for y in 'ab'], {x: x for x in 'ab'}, {x % 2 for x in range(5)}, list(x for x in 'ab'), sum(i * i for i in range(4))
---
g = (x for x in [1, 2])
(next(g), next(g), next(g, None))
---
if (n := len('abc')) > 2: m = n
(n, m)
---
r = []
for x in range(5):
    if x == 1: continue
    if x == 3: break
    r.append(x)
else:
    r.append('no break')
while r and r[-1] > 1: r.pop()
else:
    r.append('end')
r
---
r = []
try:
    r.append(1)
    {}['x']
except (KeyError, ValueError) as e:
    r.append((type(e).__name__, e.args, str(e)))
except Exception:
    r.append('other')
else:
    r.append('else')
finally:
    r.append('finally')
r
---
try:
    raise ValueError('a') from KeyError('b')
except ValueError as e:
    r = e.__class__.__name__
r
---
assert 1 == 2, 'text'
1
---
try:
    assert not 'x'
except AssertionError as e:
    r = e.args
r
---
raise ValueError
1
---
with 1: pass
1
---
x: int = 3
y: 'nothing'
x
---
f'{1 + 1!r:>4} {"a":^3} {3.14159:.2f} {1=}'
---
'%(a)s %5.1f' % {'a': 1}
---
'%s %d' % ('a', 1), '{0.real} {1[a]} {b!r:>5}'.format(1, {'a': 2}, b='x')
---
(5).numerator, (2.5).is_integer(), 'a'.upper, [].append
---
type(1), type(1).__name__, isinstance(1, (int, str)), issubclass(bool, int)
---
type(1)('3')
---
(1).__name__
---
x = 1
del x
x
---
[x for x in [1]] and x
---
list(map(str.upper, ['a'])), sorted([3, 1], key=lambda x: -x), max('ab', key=ord), min([], default=0)
---
(lambda a, b=2, *c, **d: (a, b, c, d))(1, 3, 4, x=5)
---
[1, 2, 3][::-1], 'abc'[1:], (1, 2)[-1], slice(1, 2)
---
list(reversed({1: 2}))
---
getattr('a', 'upper')(), getattr(1, 'nothing', None), hasattr(1, 'real'), hasattr(1, 'nothing')
---
import math, os.path as p
from json import dumps as d
(math.floor(2.5), p.basename('a/b'), d([1]))
---
try:
    import nothing_like_it
except ImportError as e:
    r = type(e).__name__
r
---
...
---
(NotImplemented, Ellipsis, None, True, __debug__)
---
__name__
---
def f():
    x = 1
    del x
    return x
f()
---
print('x', end='')
---
'a' 'b' "c" r'\d' '''d''', b'x' b'y'
"""

# What CPython has and the native language lacks, in code that goes on without it.
GUARDED = r"""
try:
    import heapq
    r = 5
except Exception:
    r = 7
r
---
try:
    import heapq
except ImportError:
    heapq = None
heapq is None
---
try:
    import xml.etree.ElementTree as tree
    r = 5
except:
    r = 7
r
---
try:
    from math import lcm
except ImportError:
    lcm = None
lcm is None
---
try:
    from math import sqrt, no_such_name
    r = 5
except ImportError:
    r = 7
r
---
import math
try:
    r = math.lcm(2, 3)
except AttributeError:
    r = 7
r
---
import math
try:
    r = math.lcm(2, 3)
except (TypeError, AttributeError):
    r = 7
r
---
import math
hasattr(math, 'lcm')
---
import math
hasattr(math, 'sqrt'), hasattr(math, 'no_such_name')
---
import math
getattr(math, 'lcm', None) is None
---
import math
getattr(math, 'sqrt', None) is None
---
import math
name = 'lcm'
hasattr(math, name)
---
import math
math.lcm(2, 3) if hasattr(math, 'lcm') else 7
---
import math
7 if not hasattr(math, 'sqrt') else math.lcm(2, 3)
---
import math as m
(lambda module: hasattr(module, 'lcm'))(m)
---
import math, os
[hasattr(module, 'remove') for module in (math, os)]
---
import os
def f(module):
    return hasattr(module, 'remove')
f(os)
---
import os
def f():
    return os
hasattr(f(), 'remove')
---
import math
d = {}
d['lcm'] = math
getattr(d['lcm'], 'lcm', None) is None
---
import math
'{0.lcm}'.format(math) is None
---
import math
type(math).__name__
---
import math
math is not None and callable(math) or 5
---
try:
    r = bytearray(b'a')[0]
except NameError:
    r = 7
r
---
try:
    r = [memoryview is None for i in range(1)]
except Exception:
    r = 7
r
---
def f():
    try:
        return vars is None
    except NameError:
        return 7
f()
---
if False:
    dir = len
dir is None
---
def f():
    return compile is None
r = f()
compile = 1
r
---
try:
    r = no_such_name
except NameError:
    r = 7
r
---
hasattr(1.5, 'hex')
---
getattr(1, 'bit_count', None) is None
---
hasattr(1, 'bit_length'), hasattr(1, 'no_such_name')
---
name = 'hex'
hasattr(1.5, name)
---
try:
    r = b'a b'.split()
except AttributeError:
    r = 7
r
---
try:
    r = (1).__doc__ is None
except Exception:
    r = 7
r
---
type(1).real is None
---
def f(x):
    return x.as_integer_ratio is None
try:
    r = f(1)
except AttributeError:
    r = 7
r
---
def f():
    try:
        return 1
    finally:
        import heapq
try:
    r = f()
except ImportError:
    r = 7
r
---
for i in range(2):
    try:
        continue
    finally:
        r = hasattr(1, 'conjugate')
r
---
try:
    class A: pass
    r = 5
except Exception:
    r = 7
r
---
try:
    r = __import__('heapq').__name__
except Exception:
    r = 7
r
---
try:
    import importlib
    r = importlib.import_module('heapq').__name__
except ImportError:
    r = 7
r
---
import math as m
import typing as m
n = 'Required'
def f():
    return hasattr(m, n)
f()
---
if len('a') == 1:
    import os as m
else:
    import json as m
hasattr(m, 'remove')
---
(lambda o: hasattr(o, 'count'))(b'a')
---
def f(o):
    return o.split() if hasattr(o, 'split') else 7
[f(x) for x in ['a b', 'c'.encode()]]
---
import json
def f(o):
    return o.split('a')
[f('bab'), json.dumps('x'.encode().hex())]
---
import json
json.loads('[1]'.encode())
---
from datetime import datetime
datetime.strptime('2026-03-01', '%Y-%m-%d').year
---
(1).to_bytes(2, 'big').count(b'a') if hasattr((1).to_bytes(2, 'big'), 'count') else 7
---
import sys
try:
    r = 'sys' in sys.modules
except AttributeError:
    r = 7
r
---
import json
try:
    r = json.dumps({(1, 2): 3}, skipkeys=True)
except Exception:
    r = 7
r
---
import json
try:
    r = json.loads(b'[\x00')
except json.JSONDecodeError:
    r = 'no JSON'
except UnicodeDecodeError:
    r = 'no text'
r
"""


def programs(text):
    return [source for source in text.strip("\n").split("\n---\n")]


def answer(source):
    """As TPV's loader runs a block."""
    names = {"__name__": "tpv.core.loader"}
    try:
        tree = ast.parse(source)
        last = tree.body.pop()
        exec(compile(tree, "<string>", "exec"), names)
        return {"result": repr(eval(compile(ast.Expression(last.value), "<string>", "eval"), names))}
    except BaseException as error:
        # Where the environment is does not matter.
        message = re.sub(r"\(/.*?site-packages/", "(.../", str(error))
        return {"error": type(error).__name__, "message": message}


def main():
    with contextlib.redirect_stdout(io.StringIO()):
        cases = [{"source": source, **answer(source)} for source in programs(LEFT_OUT) + programs(GUARDED) + programs(NATIVE)]
    shown = [case for case in cases if not re.search("0x[0-9a-f]{6}", case.get("result", ""))]
    print("[\n" + ",\n".join(json.dumps(case) for case in shown) + "\n]")


main()
