#: init and attributes
class A:
    kind = 'k'
    def __init__(self, x):
        self.x = x
    def double(self):
        return self.x * 2
a = A(4)
(a.x, a.double(), a.kind, A.kind, A.double(a), a.__class__.__name__, A.__name__)
#: missing argument of init
class A:
    def __init__(self, x): pass
A()
#: no init takes no arguments
class A: pass
A(1)
#: init returns something
class A:
    def __init__(self): return 1
A()
#: inheritance and super
class A:
    def __init__(self, x): self.x = x
    def f(self): return 'A'
class B(A):
    def __init__(self, x, y):
        super().__init__(x)
        self.y = y
    def f(self): return 'B' + super().f()
b = B(1, 2)
(b.x, b.y, b.f(), isinstance(b, A), issubclass(B, A))
#: super with arguments
class A:
    def f(self): return 1
class B(A):
    def f(self): return super(B, self).f() + 1
B().f()
#: diamond
class A:
    def f(self): return ['A']
class B(A):
    def f(self): return ['B'] + super().f()
class C(A):
    def f(self): return ['C'] + super().f()
class D(B, C):
    def f(self): return ['D'] + super().f()
(D().f(), [c.__name__ for c in D.__mro__])
#: inconsistent bases
class A: pass
class B(A): pass
class C(A, B): pass
1
#: duplicate base
class A: pass
class C(A, A): pass
1
#: property
class A:
    def __init__(self): self._x = 1
    @property
    def x(self): return self._x
    @x.setter
    def x(self, value): self._x = value * 10
a = A()
a.x = 5
a.x
#: property without setter
class A:
    @property
    def x(self): return 1
a = A()
a.x = 2
None
#: static and class methods
class A:
    n = 3
    @staticmethod
    def s(x): return x + 1
    @classmethod
    def c(cls, x): return cls.n + x
(A.s(1), A().s(2), A.c(1), A().c(2))
#: missing attribute
class A: pass
A().x
#: missing class attribute
class A: pass
A.x
#: getattr fallback
class A:
    def __getattr__(self, name): return name * 2
A().ab
#: call of an instance
class A:
    def __call__(self, x): return x + 1
A()(2)
#: instance that is not callable
class A: pass
A()()
#: operators
class V:
    def __init__(self, x): self.x = x
    def __add__(self, other): return V(self.x + other.x)
    def __eq__(self, other): return self.x == other.x
    def __lt__(self, other): return self.x < other.x
    def __repr__(self): return f'V({self.x})'
    def __len__(self): return self.x
    def __getitem__(self, i): return self.x * i
    def __contains__(self, y): return y == self.x
    def __bool__(self): return self.x != 0
(V(1) + V(2), V(1) == V(1), V(1) != V(2), sorted([V(3), V(1)]), len(V(7)), V(3)[4], 5 in V(5), bool(V(0)), max(V(1), V(9)))
#: str uses repr
class A:
    def __repr__(self): return 'me'
(str(A()), f'{A()}', f'{A()!r}')
#: exception class
class Oops(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code
try:
    raise Oops(7, 'bad')
except Exception as e:
    r = (type(e).__name__, e.code, e.args, str(e))
r
#: exception class without init
class Oops(ValueError): pass
raise Oops('x')
None
#: exception attribute set
e = ValueError('x')
e.extra = 1
(e.extra, e.args)
#: delete an attribute
class A: pass
a = A()
a.x = 1
del a.x
a.x
#: delete what is not there
class A: pass
a = A()
del a.x
None
#: method missing argument
class A:
    def f(self, x): pass
A().f()
#: class body names
class A:
    x = 1
    y = x + 1
    z = [y for _ in range(2)]
A.z
#: class in function
def make(n):
    class A:
        value = n
        def get(self): return n
    return A
(make(3).value, make(4)().get())
#: hasattr and getattr
class A:
    x = 1
(hasattr(A(), 'x'), hasattr(A(), 'y'), getattr(A(), 'y', 5), getattr(A, 'x'))
#: iteration protocol
class A:
    def __init__(self): self.n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 3: raise StopIteration
        return self.n
(list(A()), sum(A()), [x for x in A()])
#: old iteration protocol
class A:
    def __getitem__(self, i):
        if i > 2: raise IndexError
        return i * 10
list(A())
#: iter returns no iterator
class A:
    def __iter__(self): return 1
list(A())
#: new
class A:
    def __new__(cls, x):
        self = super().__new__(cls)
        self.y = x
        return self
A(3).y
#: context manager
log = []
class M:
    def __enter__(self):
        log.append('in')
        return 5
    def __exit__(self, kind, value, trace):
        log.append((kind and kind.__name__, str(value)))
        return True
with M() as m:
    log.append(m)
    raise ValueError('x')
with M():
    pass
log
#: no context manager
with 1:
    pass
1
#: int attributes
(5 .real, 5 .imag, True.real, 5 .numerator, 1.5.imag)
#: int has no such attribute
(1).foo
#: str has no such attribute
'a'.foo
#: none has no attribute
None.x
#: type has no attribute
int.foo
#: set attribute of int
(1).x = 2
None
#: set method of str
'a'.upper = 2
None
#: set attribute of type
int.x = 1
None
