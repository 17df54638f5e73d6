#: positional and default
def f(a, b=2, *c, d, e=5, **g):
    return (a, b, c, d, e, g)
[f(1, d=4), f(1, 2, 3, 4, d=0), f(1, d=4, z=9), f(*[1, 2], **{'d': 3, 'y': 1})]
#: missing one
def f(x): pass
f()
#: missing several
def f(x, y, z, w=1): pass
f()
#: missing two
def f(x, y): pass
f()
#: too many
def f(x): pass
f(1, 2)
#: too many for none
def f(): pass
f(1)
#: too many with defaults
def f(x, y=1): pass
f(1, 2, 3)
#: too many with keyword only
def f(x, *, k): pass
f(1, 2, k=3)
#: missing keyword only
def f(*, k, j): pass
f()
#: unexpected keyword
def f(x): pass
f(1, y=2)
#: multiple values
def f(x): pass
f(1, x=2)
#: positional only by keyword
def f(x, y, /): pass
f(x=1, y=2)
#: positional only name in kwargs
def f(x, /, **kw): return x, kw
f(1, x=2)
#: multiple values in merge
def f(**kw): return kw
f(**{'a': 1}, **{'a': 2})
#: keyword then mapping
def f(**kw): return kw
f(a=1, **{'a': 2})
#: keywords must be strings
def f(**kw): return kw
f(**{1: 2})
#: not a mapping
def f(**kw): return kw
f(**3)
#: not an iterable
def f(*a): return a
f(*3)
#: not callable
(3)()
#: none not callable
x = None
x(1)
#: lambda name in message
(lambda a: a)()
#: nested name in message
def outer():
    def inner(a): pass
    inner()
outer()
#: closure
def counter():
    n = 0
    def step(by=1):
        nonlocal n
        n += by
        return n
    return step
c = counter()
[c(), c(), c(5)]
#: parameter shared with inner function
def f(a, b):
    def g(): return a + b
    a = a + 1
    return g()
f(1, 2)
#: late binding
fs = [lambda: i for i in range(3)]
[f() for f in fs]
#: default is evaluated once
def f(x=[]):
    x.append(1)
    return x
f()
f()
#: global statement
n = 1
def f():
    global n
    n = n + 1
f()
n
#: recursion
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
fib(15)
#: too deep
def f(n): return f(n + 1)
try:
    f(0)
except RecursionError as e:
    r = str(e)[:32]
r
#: unbound local
def f():
    x += 1
f()
#: deleted local
def f():
    x = 1
    del x
    return x
f()
#: free variable without value
def f():
    def g(): return x
    g()
    x = 1
f()
#: function attributes
def f(a, b=1):
    "Doc"
    return a
(f.__name__, f.__qualname__, f.__defaults__, f.__class__.__name__)
#: sorted with key
sorted(['bb', 'a', 'ccc'], key=lambda s: -len(s))
#: unbound builtin method
[str.upper('a'), list(map(str.strip, [' a', 'b ']))]
#: unbound method of the wrong type
str.upper(1)
#: unbound method without argument
str.upper()
#: method of a literal with keyword
'a,b,c'.split(',', maxsplit=1)
#: classmethod of dict
dict.fromkeys('ab', 0)
#: bound method kept
l = []
add = l.append
add(1)
add(2)
l
#: star in list and call
def f(*a): return a
f(0, *[1, 2], *(3,), 4)
