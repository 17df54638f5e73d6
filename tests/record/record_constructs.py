#!/usr/bin/env python3
"""Writes what CPython 3.11 answers for programs that use one construct each, as JSON on stdout.

    PYTHONHASHSEED=0 python3.11 tests/record/record_constructs.py > tests/closed/constructs.json

They are what classes, functions and namespaces can do: special methods, bases, attributes of functions. `tests/closed.rs` demands
of each that tpvc gives the same answer, or tells when compiling that it cannot.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import types

PROGRAMS = []


def case(_, source):
    PROGRAMS.append(source)


case('__init_subclass__',"class A:\n    n = 0\n    def __init_subclass__(cls, **k):\n        cls.n = 5\nclass B(A): pass\nB.n")
case('__getattribute__',"class A:\n    x = 1\n    def __getattribute__(self, n):\n        return 7\nA().x")
case('__set_name__',"class D:\n    def __set_name__(self, o, n):\n        self.n = n\nclass A:\n    d = D()\nA.__dict__['d'].n if hasattr(A.__dict__['d'], 'n') else None")
case('__class_getitem__',"class A:\n    def __class_getitem__(cls, k):\n        return k\nA[3]")
case('__instancecheck__',"class A:\n    def __instancecheck__(self, o):\n        return True\nisinstance(1, A())")
case('__subclasscheck__',"class A:\n    def __subclasscheck__(self, o):\n        return True\nissubclass(int, A())")
case('__subclasshook__',"import abc\nclass A(abc.ABC):\n    @classmethod\n    def __subclasshook__(cls, o):\n        return True\nissubclass(int, A)")
case('__mro_entries__',"class A:\n    def __mro_entries__(self, b):\n        return (object,)\nclass B(A()): pass\nB.__mro__[0].__name__")
case('__del__',"out = []\nclass A:\n    def __del__(self):\n        out.append(1)\na = A()\ndel a\nout")
case('__dir__',"class A:\n    def __dir__(self):\n        return ['z']\ndir(A())")
case('__sizeof__',"class A:\n    def __sizeof__(self):\n        return 9\nA().__sizeof__()")
case('__reduce__',"import copy\nclass A:\n    def __reduce__(self):\n        return (int, ('7',))\ncopy.copy(A())")
case('__reduce_ex__',"import copy\nclass A:\n    def __reduce_ex__(self, p):\n        return (int, ('7',))\ncopy.copy(A())")
case('__getstate__',"import copy\nclass A:\n    def __getstate__(self):\n        return {'x': 5}\ncopy.copy(A()).x")
case('__setstate__',"import copy\nclass A:\n    def __init__(self):\n        self.x = 1\n    def __setstate__(self, s):\n        self.x = 6\ncopy.copy(A()).x")
case('__copy__',"import copy\nclass A:\n    def __copy__(self):\n        return 6\ncopy.copy(A())")
case('__deepcopy__',"import copy\nclass A:\n    def __deepcopy__(self, m):\n        return 6\ncopy.deepcopy(A())")
case('__length_hint__',"import operator\nclass A:\n    def __length_hint__(self):\n        return 6\noperator.length_hint(A())")
case('__getattr__',"class A:\n    def __getattr__(self, n):\n        return n\nA().q")
case('__setattr__',"class A:\n    def __setattr__(self, n, v):\n        self.__dict__[n] = v + 1\na = A()\na.x = 1\na.x")
case('__delattr__',"out = []\nclass A:\n    x = 1\n    def __delattr__(self, n):\n        out.append(n)\na = A()\ndel a.x\nout")
case('__get__',"class D:\n    def __get__(self, o, t):\n        return 8\nclass A:\n    d = D()\nA().d")
case('__get__class',"class D:\n    def __get__(self, o, t):\n        return 8\nclass A:\n    d = D()\nA.d")
case('__set__',"out = []\nclass D:\n    def __get__(self, o, t):\n        return 8\n    def __set__(self, o, v):\n        out.append(v)\nclass A:\n    d = D()\na = A()\na.d = 3\nout")
case('__delete__',"out = []\nclass D:\n    def __get__(self, o, t):\n        return 8\n    def __delete__(self, o):\n        out.append(1)\nclass A:\n    d = D()\na = A()\ndel a.d\nout")
case('__call__',"class A:\n    def __call__(self, x):\n        return x\nA()(4)")
case('__new__',"class A:\n    def __new__(cls):\n        return 4\nA()")
case('__len__',"class A:\n    def __len__(self):\n        return 4\nlen(A())")
case('__bool__',"class A:\n    def __bool__(self):\n        return False\n1 if A() else 2")
case('__iter__',"class A:\n    def __iter__(self):\n        return iter([1])\nlist(A())")
case('__next__',"class A:\n    n = 0\n    def __iter__(self):\n        return self\n    def __next__(self):\n        self.n += 1\n        if self.n > 2: raise StopIteration\n        return self.n\nlist(A())")
case('__reversed__',"class A:\n    def __reversed__(self):\n        return [3]\nreversed(A())")
case('__contains__',"class A:\n    def __contains__(self, o):\n        return True\n3 in A()")
case('__getitem__',"class A:\n    def __getitem__(self, k):\n        return k\nA()[1:2]")
case('__setitem__',"out = []\nclass A:\n    def __setitem__(self, k, v):\n        out.append((k, v))\nA()[1] = 2\nout")
case('__delitem__',"out = []\nclass A:\n    def __delitem__(self, k):\n        out.append(k)\na = A()\ndel a[1]\nout")
case('__missing__',"class A:\n    def __missing__(self, k):\n        return k\nhasattr(A(), '__missing__')")
for op,sym in (('add','+'),('sub','-'),('mul','*'),('truediv','/'),('floordiv','//'),('mod','%'),('pow','**'),('matmul','@'),('and','&'),('or','|'),('xor','^'),('lshift','<<'),('rshift','>>')):
    case('__%s__'%op,"class A:\n    def __%s__(self, o):\n        return ('l', o)\nA() %s 1"%(op,sym))
    case('__r%s__'%op,"class A:\n    def __r%s__(self, o):\n        return ('r', o)\n1 %s A()"%(op,sym))
    case('__i%s__'%op,"class A:\n    def __i%s__(self, o):\n        return ('i', o)\na = A()\na %s= 1\na"%(op,sym))
case('__divmod__',"class A:\n    def __divmod__(self, o):\n        return 4\ndivmod(A(), 1)")
case('__rdivmod__',"class A:\n    def __rdivmod__(self, o):\n        return 4\ndivmod(1, A())")
for op,sym in (('lt','<'),('le','<='),('gt','>'),('ge','>='),('eq','=='),('ne','!=')):
    case('__%s__'%op,"class A:\n    def __%s__(self, o):\n        return ('c', o)\nA() %s 1"%(op,sym))
for op,u in (('neg','-A()'),('pos','+A()'),('invert','~A()'),('abs','abs(A())')):
    case('__%s__'%op,"class A:\n    def __%s__(self):\n        return 5\n%s"%(op,u))
case('__int__',"class A:\n    def __int__(self):\n        return 5\nint(A())")
case('__float__',"class A:\n    def __float__(self):\n        return 5.0\nfloat(A())")
case('__complex__',"class A:\n    def __complex__(self):\n        return 5j\ncomplex(A())")
case('__index__',"class A:\n    def __index__(self):\n        return 1\n[4, 5][A()]")
case('__index__2',"class A:\n    def __index__(self):\n        return 1\n(hex(A()), list(range(A())))")
case('__round__',"class A:\n    def __round__(self, n=None):\n        return 5\nround(A())")
case('__trunc__',"import math\nclass A:\n    def __trunc__(self):\n        return 5\nmath.trunc(A())")
case('__floor__',"import math\nclass A:\n    def __floor__(self):\n        return 5\nmath.floor(A())")
case('__ceil__',"import math\nclass A:\n    def __ceil__(self):\n        return 5\nmath.ceil(A())")
case('__str__',"class A:\n    def __str__(self):\n        return 's'\nstr(A()) + f'{A()}'")
case('__repr__',"class A:\n    def __repr__(self):\n        return 's'\n[A()]")
case('__bytes__',"class A:\n    def __bytes__(self):\n        return b's'\nbytes(A())")
case('__format__',"class A:\n    def __format__(self, s):\n        return s\nf'{A():>4}'")
case('__hash__',"class A:\n    def __hash__(self):\n        return 5\nhash(A())")
case('__enter__',"class A:\n    def __enter__(self):\n        return 5\n    def __exit__(self, *a):\n        return True\nwith A() as x:\n    1 / 0\nx")
case('__fspath__',"import os.path\nclass A:\n    def __fspath__(self):\n        return 'a/b'\nos.path.basename(A())")
case('__match_args__',"class A:\n    __match_args__ = ('x',)\n    x = 4\nmatch A():\n    case A(y):\n        z = y\nz")
case('__slots__',"class A:\n    __slots__ = ('x',)\na = A()\ntry:\n    a.y = 1\n    r = 'set'\nexcept AttributeError:\n    r = 'refused'\nr")
case('__class__',"class A:\n    @property\n    def __class__(self):\n        return int\nisinstance(A(), int)")
case('__doc__',"class A:\n    'text'\nA.__doc__")
case('__doc__f',"def f():\n    'text'\nf.__doc__")
case('__annotations__f',"def f(a: int) -> str: pass\nf.__annotations__")
case('__kwdefaults__',"def f(*, a=1): pass\nf.__kwdefaults__")
case('__code__',"def f(a): pass\nf.__code__.co_argcount")
case('__globals__',"def f(a): pass\n'f' in f.__globals__")
case('__closure__',"def f(a): pass\nf.__closure__")
case('__dict__f',"def f(a): pass\nf.__dict__")
case('__call__f',"def f(a): return a\nf.__call__(3)")
case('__get__f',"def f(a): return a\nf.__get__(3)()")
case('__defaults__',"def f(a=1): return a\nf.__defaults__")
case('__wrapped__',"import functools\ndef f(a=1): return a\n@functools.wraps(f)\ndef g(): pass\ng.__wrapped__ is f")
case('__module__',"def f(a=1): return a\nf.__module__")
case('fattr',"def f(): f.n += 1\nf.n = 0\nf()\nf.n")
case('fattr2',"def f():\n    f.n = 1\nf()\nf.n")
case('lattr',"f = lambda: 1\nf.n = 0\nf.n")
case('mattr',"class A:\n    def m(self): pass\nA.m.n = 4\nA.m.n")
case('classvar',"import typing\nimport dataclasses\n@dataclasses.dataclass\nclass A:\n    n: typing.ClassVar[int] = 3\n    m: int = 1\n(repr(A(5)), A.n)")
case('classvar2',"from typing import ClassVar\nclass A:\n    n: ClassVar[int] = 3\n(A.n, A.__annotations__)")
case('classvar3',"from typing import ClassVar as CV\nimport dataclasses\n@dataclasses.dataclass\nclass A:\n    n: CV[int] = 3\n    m: int = 1\nrepr(A(5))")
case('classvar4',"import typing as t\nimport dataclasses\n@dataclasses.dataclass\nclass A:\n    n: t.ClassVar = 3\n    m: int = 1\nrepr(A(5))")
case('classvar5',"from __future__ import annotations\nfrom typing import ClassVar\nimport dataclasses\n@dataclasses.dataclass\nclass A:\n    n: ClassVar[int] = 3\n    m: int = 1\nrepr(A(5))")
case('classvar6',"import typing\nimport dataclasses\n@dataclasses.dataclass\nclass A:\n    n: 'typing.ClassVar[int]' = 3\n    m: int = 1\nrepr(A(5))")
case('annvar',"x: int = 3\n__annotations__")
for b in ('dict','list','str','int','float','set','tuple','frozenset','bytes','type','Exception'):
    case('derive_'+b,"class A(%s): pass\nA.__name__"%b)
case('derive_od',"import collections\nclass A(collections.OrderedDict): pass\nA()")
case('derive_counter',"import collections\nclass A(collections.Counter): pass\nA()")
case('derive_dd',"import collections\nclass A(collections.defaultdict): pass\nA()")
case('derive_deque',"import collections\nclass A(collections.deque): pass\nA()")
case('derive_date',"import datetime\nclass A(datetime.date): pass\nA(2020,1,1)")
case('derive_td',"import datetime\nclass A(datetime.timedelta): pass\nA(1)")
case('derive_ver',"import packaging.version\nclass A(packaging.version.Version): pass\nA('1')")
case('derive_path',"import pathlib\nclass A(pathlib.PurePath): pass\nA('1')")
case('derive_tmpl',"import string\nclass A(string.Template):\n    delimiter = '%'\nA('%a').substitute(a=1)")
case('derive_fmt',"import string\nclass A(string.Formatter):\n    def get_value(self, k, a, kw):\n        return 'x'\nA().format('{0}')")
case('derive_nt',"import typing\nclass A(typing.NamedTuple):\n    x: int = 1\nA()")
case('derive_nt2',"import collections\nclass A(collections.namedtuple('B', 'x')):\n    def double(self):\n        return self.x * 2\nA(2).double()")
case('derive_td2',"import typing\nclass A(typing.TypedDict):\n    x: int\nA(x=1)")
case('derive_proto',"import typing\nclass A(typing.Protocol):\n    x: int\nA.__name__")
case('derive_generic',"import typing\nT = typing.TypeVar('T')\nclass A(typing.Generic[T]):\n    x = 1\nA[int]().x")
case('derive_flag',"import enum\nclass A(enum.Flag):\n    X = 1\n    Y = 2\nA.X | A.Y")
case('derive_intenum',"import enum\nclass A(enum.IntEnum):\n    X = 1\nA.X + 1")
case('derive_random',"import random\nclass A(random.Random): pass\nA(1).random()")
case('derive_json',"import json\nclass A(json.JSONEncoder): pass\n1")
case('derive_abc',"import collections.abc\nclass A(collections.abc.Mapping):\n    def __getitem__(self, k): return 1\n    def __len__(self): return 1\n    def __iter__(self): return iter('a')\ndict(A().items())")
case('derive_mm',"import collections.abc\nclass A(collections.abc.MutableMapping):\n    def __init__(self): self.d = {}\n    def __getitem__(self, k): return self.d[k]\n    def __setitem__(self, k, v): self.d[k] = v\n    def __delitem__(self, k): del self.d[k]\n    def __len__(self): return len(self.d)\n    def __iter__(self): return iter(self.d)\na = A()\na.update(x=1)\na.setdefault('y', 2)\ndict(a)")
case('derive_log',"import logging\nclass A(logging.Logger): pass\nA('x').name")
case('derive_handler',"import logging\nclass A(logging.Handler): pass\nA.__name__")
case('derive_ctx',"import contextlib\nclass A(contextlib.ContextDecorator): pass\nA.__name__")
case('derive_es',"import contextlib\nclass A(contextlib.ExitStack): pass\nwith A() as s:\n    x = 1\nx")
case('derive_sn',"import types\nclass A(types.SimpleNamespace): pass\nA(x=1).x")
case('derive_uuid',"import uuid\nclass A(uuid.UUID): pass\nA(int=1)")
case('derive_partial',"import functools\nclass A(functools.partial): pass\nA(int, '4')()")
case('derive_prop',"class A(property): pass\nclass B:\n    @A\n    def x(self): return 4\nB().x")
case('derive_enum_mix',"import enum\nclass A(float, enum.Enum):\n    X = 1.5\nA.X.value")
case('metaclass',"class M(type): pass\nclass A(metaclass=M): pass\n1")
case('dc_slots',"import dataclasses\n@dataclasses.dataclass(slots=True)\nclass A:\n    x: int = 1\na = A()\ntry:\n    a.y = 1\n    r = 'set'\nexcept AttributeError:\n    r = 'refused'\nr")
case('dc_wref',"import dataclasses\n@dataclasses.dataclass(slots=True, weakref_slot=True)\nclass A:\n    x: int = 1\nA.__slots__")
case('setclassattr_builtin',"try:\n    int.x = 1\n    r = 1\nexcept TypeError:\n    r = 2\nr")
case('setmodattr',"import math\nmath.tpvc = 1\nmath.tpvc")
case('asyncgen',"async def f(): pass\n1")
case('exceptstar',"try:\n    1/0\nexcept* ZeroDivisionError:\n    pass\n1")
case('complex',"(-8) ** 0.5")
case('complexlit',"1j")
case('complexcall',"complex(1, 2)")
case('typestmt',"type(1)")
case('type3',"A = type('A', (dict,), {})\nA()")
case('matmul',"1 if hasattr(int, '__matmul__') else 2")
case('globalsset',"globals()['zz'] = 3\nzz")
case('localsset',"locals()['zz'] = 3\nzz")
case('evalmap',"list(map(eval, ['1']))")
case('inputf',"memoryview(b'a')")
case('staticcall',"class A:\n    @staticmethod\n    def f(): return 1\nA.f()")
case('super',"class A:\n    def f(self): return 1\nclass B(A):\n    def f(self): return super().f() + 1\nB().f()")
case('kwonlyclass',"class A:\n    def __init__(self, *, x): self.x = x\nA(x=1).x")
case('nested',"class A:\n    class B:\n        x = 1\nA.B.x")
case('propsetter',"class A:\n    _x = 1\n    @property\n    def x(self): return self._x\n    @x.setter\n    def x(self, v): self._x = v\na = A()\na.x = 4\na.x")
case('yieldfrom',"def g():\n    yield from [1]\nlist(g())")
case('gensend',"def g():\n    x = yield 1\n    yield x\na = g()\nnext(a)\na.send(4)")
case('gen_attrs',"def g():\n    yield 1\na = g()\na.gi_frame is None")
case('tb',"try:\n    1/0\nexcept Exception as e:\n    t = e.__traceback__\nt.tb_lineno")
case('addnote',"e = ValueError('x')\ne.add_note('n')\ne.__notes__")
case('eg',"ExceptionGroup('x', [ValueError()])")
case('funcname',"def f(): pass\nf.__name__ = 'g'\nf.__name__")
case('opens',"import io\nio.StringIO().getvalue()")
case('lambda_defaults',"f = lambda a=1: a\nf.__defaults__")
case('classattrs',"class A: pass\nA.x = 4\nA.x")
case('mro',"class A: pass\nA.__mro__")
case('subclasses',"class A: pass\nclass B(A): pass\nA.__subclasses__()")
case('qualname',"class A:\n    def f(self): pass\nA.f.__qualname__")
case('inst_dict',"class A: pass\na = A()\na.x = 1\na.__dict__")
case('weakref_slot',"class A: pass\nA.__weakref__")
case('inst_sizeof',"(1).__sizeof__() > 0")
case('func_builtins',"def f(): pass\nf.__builtins__ is not None")
case('method_self',"class A:\n    def f(self): pass\nA().f.__func__ is A.f")
case('iter_hint',"iter([1]).__length_hint__()")
case('dict_rev',"list(reversed({1: 2}))")
case('int_attr',"(5).numerator")
case('str_mod',"'%(a)s' % {'a': 1}")


def answer(source):
    """As TPV's loader runs a block."""
    tree = ast.parse(source)
    names = {"__name__": "tpv.core.loader"}
    last = tree.body.pop()
    try:
        exec(compile(tree, "<string>", "exec"), names)
        return {"result": repr(eval(compile(ast.Expression(last.value), "<string>", "eval"), names))}
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}


def main():
    # `dataclasses` looks for the module that the code seems to be in.
    sys.modules["tpv.core.loader"] = types.ModuleType("tpv.core.loader")
    cases = [{"source": source, **answer(source)} for source in PROGRAMS]
    shown = [case for case in cases if not re.search("0x[0-9a-f]{6}", case.get("result", ""))]
    print("[\n" + ",\n".join(json.dumps(case) for case in shown) + "\n]")


main()
