"""Metaclasses, abstract classes and the hooks of class creation."""
import abc
class M(type):
    def __new__(m, name, bases, ns, **kw):
        ns['added'] = name.lower()
        c = super().__new__(m, name, bases, ns)
        c.kw = kw
        return c
    def __init__(cls, name, bases, ns, **kw):
        super().__init__(name, bases, ns)
        cls.inited = True
    def __call__(cls, *a, **k):
        print('calling', cls.__name__, a)
        return super().__call__(*a, **k)
    def __getitem__(cls, i): return (cls.__name__, i)
    def __iter__(cls): return iter('abc')
    def __len__(cls): return 7
    def __contains__(cls, x): return x == 3
    def __repr__(cls): return f'<M {cls.__name__}>'
    @property
    def prop(cls): return 'prop of ' + cls.__name__
class A(metaclass=M, opt=1):
    def __init__(self, x): self.x = x
    def f(self): return super().__repr__()[:5]
class B(A): pass
print(A.added, B.added, A.kw, B.kw, A.inited, A[3], list(A), len(B), 3 in A, 4 in B, A, type(A), type(B) is M, A.prop)
b = B(5)
print(b.x, b.f(), isinstance(b, A), isinstance(B, M), issubclass(B, A), A.__subclasses__())
try: b.prop
except AttributeError as e: print(e)
class S(abc.ABC):
    @abc.abstractmethod
    def f(self): pass
    @property
    @abc.abstractmethod
    def p(self): pass
class T(S):
    def f(self): return 1
class U(T):
    p = 3
for c in (S, T):
    try: c()
    except TypeError as e: print(e)
print(U().f(), isinstance(U(), S), S.__abstractmethods__ == {'f','p'})
@S.register
class V: pass
print(isinstance(V(), S), issubclass(V, S), isinstance(3, S))
class Reg(type):
    reg = {}
    def __init__(cls, name, bases, ns):
        type.__init__(cls, name, bases, ns)
        Reg.reg[name] = cls
    def __instancecheck__(cls, x): return x == 42
class R(metaclass=Reg): pass
print(list(Reg.reg), isinstance(42, R), isinstance(41, R))
X = type('X', (R,), {'a': 1})
print(type(X), X.a, list(Reg.reg))
class K:
    def __init_subclass__(cls, /, tag=None, **kw):
        super().__init_subclass__(**kw); cls.tag = tag
class L(K, tag='t'): pass
print(L.tag)
class D:
    def __set_name__(self, o, n): self.n = n
class N(K, tag=1):
    d = D()
print(N.d.n)
A.y = 5; print(B.y); del A.y; print(hasattr(B,'y'))
