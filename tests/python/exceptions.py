#: zero division
1 / 0
#: try except else finally
log = []
def f(x):
    try:
        log.append('try')
        if x: raise ValueError(x)
    except ValueError as e:
        log.append(str(e))
    else:
        log.append('else')
    finally:
        log.append('finally')
f('v')
f('')
log
#: finally with return
def f():
    try:
        return 1
    finally:
        return 2
f()
#: finally runs on return
log = []
def f():
    for i in range(3):
        try:
            if i == 1: break
            continue
        finally:
            log.append(i)
    return log
f()
#: exception name is deleted
try:
    raise ValueError
except ValueError as e:
    pass
e
#: tuple of classes
try:
    {}['x']
except (ValueError, LookupError) as e:
    r = repr(e)
r
#: no match goes on
try:
    int('x')
except KeyError:
    pass
1
#: bare raise
try:
    try:
        raise KeyError('k')
    except KeyError:
        raise
except LookupError as e:
    r = repr(e)
r
#: no active exception
raise
None
#: context
try:
    try:
        1 / 0
    except ZeroDivisionError:
        raise ValueError('second')
except ValueError as e:
    r = (repr(e.__context__), e.__cause__, e.__suppress_context__)
r
#: cause
try:
    raise ValueError('a') from KeyError('b')
except ValueError as e:
    r = (repr(e.__cause__), e.__context__, e.__suppress_context__)
r
#: cause none
try:
    try:
        1 / 0
    except ZeroDivisionError:
        raise ValueError('second') from None
except ValueError as e:
    r = (repr(e.__context__), e.__cause__, e.__suppress_context__)
r
#: context after handling is over
try:
    1 / 0
except ZeroDivisionError:
    pass
try:
    raise ValueError
except ValueError as e:
    r = e.__context__
r
#: context in a called function
def f():
    raise ValueError
try:
    try:
        1 / 0
    except ZeroDivisionError:
        f()
except ValueError as e:
    r = repr(e.__context__)
r
#: raise no exception
raise 1
None
#: raise a string
raise 'text'
None
#: cause is no exception
raise ValueError from 1
None
#: catch no class
try:
    1 / 0
except 5:
    pass
None
#: raise a class
raise KeyError
None
#: assert
assert 1 == 2, 'no'
None
#: assert bare
assert []
None
#: nested finally
log = []
try:
    try:
        raise ValueError('a')
    finally:
        log.append(1)
except ValueError:
    log.append(2)
log
#: exception in finally replaces
try:
    try:
        raise ValueError('a')
    finally:
        raise KeyError('b')
except Exception as e:
    r = (repr(e), repr(e.__context__))
r
#: exception in except keeps loop
out = []
for x in ['1', 'a', '2']:
    try:
        out.append(int(x))
    except ValueError:
        out.append(None)
        continue
out
#: return in except
def f():
    try:
        1 / 0
    except ZeroDivisionError:
        return 'handled'
[f(), f()]
#: while with try and break
n = 0
while True:
    try:
        n += 1
        if n > 3: raise StopIteration
    except StopIteration:
        break
n
#: name error
undefined_name
#: name error in function
def f(): return undefined_name
f()
#: delete name
x = 1
del x
x
#: delete name and see the builtin
max = 3
del max
max(1, 2)
#: unpack too few
a, b = [1]
None
#: unpack too many
a, b = 1, 2, 3
None
#: unpack too many of a string
a, b = 'abc'
None
#: unpack no iterable
a, b = 5
None
#: unpack none
a, b = None
None
#: unpack starred
a, *b, c = range(5)
(a, b, c)
#: unpack starred too few
a, *b, c, d = [1, 2]
None
#: nested unpack
(a, (b, *c)), d = (1, 'xyz'), 2
(a, b, c, d)
#: not iterable
for x in 5: pass
1
#: set item
x = (1, 2)
x[0] = 3
None
#: except group of bases
class A(Exception): pass
class B(A): pass
try:
    raise B('b')
except A as e:
    r = type(e).__name__
r
#: os error attributes
e = OSError(2, 'No such file')
(e.errno, e.strerror, e.args)
#: stop iteration value
e = StopIteration(5)
(e.value, StopIteration().value)
#: system exit
raise SystemExit(3)
None
#: import error
import no_such_module_x
None
#: import error from
from os import no_such_name
None
#: import of a submodule of no package
import math.nothing
None
#: import inside a handler
try:
    import no_such_module_x
except ImportError as e:
    r = (type(e).__name__, e.name, str(e))
r
