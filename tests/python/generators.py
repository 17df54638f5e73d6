#: yield and list
def g(n):
    for i in range(n):
        yield i * i
list(g(4))
#: expression
sum(x * x for x in range(10) if x % 2)
#: laziness
log = []
def g():
    log.append('start')
    yield 1
    log.append('end')
it = g()
log.append('made')
r = [next(it), next(it, 'over')]
(log, r)
#: send
def g():
    total = 0
    while True:
        x = yield total
        total += x
it = g()
next(it)
[it.send(1), it.send(10), it.send(100)]
#: send to a new one
def g(): yield
g().send(1)
#: stop iteration carries the value
def g():
    yield 1
    return 'result'
it = g()
next(it)
try:
    next(it)
except StopIteration as e:
    r = e.value
r
#: yield from
def inner():
    x = yield 1
    y = yield x
    return y
def outer():
    r = yield from inner()
    yield ('got', r)
it = outer()
[next(it), it.send('a'), it.send('b')]
#: yield from a list
def g():
    yield from [1, 2]
    yield from 'ab'
list(g())
#: throw
def g():
    try:
        yield 1
    except ValueError as e:
        yield str(e)
it = g()
next(it)
it.throw(ValueError('thrown'))
#: throw into yield from
def inner():
    try:
        yield 1
    except ValueError:
        yield 'inner caught'
def outer():
    yield from inner()
it = outer()
next(it)
it.throw(ValueError)
#: throw unhandled
def g(): yield 1
it = g()
next(it)
it.throw(KeyError('k'))
#: close runs finally
log = []
def g():
    try:
        yield 1
    finally:
        log.append('closed')
it = g()
next(it)
it.close()
(log, next(it, 'over'))
#: close through yield from
log = []
def inner():
    try:
        yield 1
    finally:
        log.append('inner')
def outer():
    try:
        yield from inner()
    finally:
        log.append('outer')
it = outer()
next(it)
it.close()
log
#: ignored exit
def g():
    while True:
        try:
            yield 1
        except GeneratorExit:
            pass
it = g()
next(it)
it.close()
#: stop iteration inside
def g():
    raise StopIteration
    yield
list(g())
#: already executing
def g():
    yield next(it)
it = g()
next(it)
#: exhausted
def g(): yield 1
it = g()
list(it)
[next(it, None), list(it)]
#: next without default
next(iter([]))
#: handling is the generator's own
def g():
    try:
        1 / 0
    except ZeroDivisionError:
        yield 1
        raise
it = g()
next(it)
try:
    raise ValueError
except ValueError as outer:
    try:
        next(it)
    except ZeroDivisionError as e:
        r = type(e).__name__
r
#: nested comprehension
[[x * y for x in range(3)] for y in range(3)]
#: comprehension scope
x = 'outer'
[x for x in range(2)]
x
#: dict and set comprehension
({k: v for k, v in zip('ab', [1, 2])}, {x % 2 for x in range(5)})
#: any stops early
seen = []
def check(x):
    seen.append(x)
    return x > 1
(any(check(x) for x in range(10)), seen)
#: generator in a function with closure
def f(k):
    return (x * k for x in range(3))
list(f(3))
#: list grows while iterated
l = [1]
for x in l:
    if x < 4: l.append(x + 1)
l
#: dict changes while iterated
d = {1: 1}
for k in d:
    d[k + 1] = 1
1
#: dict removal while iterated
d = {1: 1, 2: 2}
for k in d:
    del d[k]
1
#: set changes while iterated
s = {1}
for k in s:
    s.add(k + 1)
1
#: walrus
[y := 5, y ** 2]
#: while else and for else
log = []
for i in range(3): pass
else: log.append('for')
while False: pass
else: log.append('while')
for i in range(3):
    if i == 1: break
else: log.append('no')
log
#: iterators
[list(iter('añ')), list(iter(b'ab')), list(iter((1, 2))), list(iter(range(5, 0, -2)))]
#: chained comparison
[1 < 2 < 3, 1 < 3 < 2, 1 == 1.0 == True]
#: f-string fields
x, w = 3.14159, 8
(f'{x:.2f}', f'{x!r:>{w}}', f'{"a":*^5}', f'{x=:.1f}', f'{{}}')
