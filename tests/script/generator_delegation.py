# throw, send and close reach what a generator waits for by yield from; what it returned is told once.
def g():
    try:
        yield 1
        yield 2
    finally:
        return 5
x=g(); print(next(x)); print(x.close())
try: next(x)
except StopIteration as e: print(repr(e.value))
x=g(); next(x)
try: x.throw(ValueError('a'))
except StopIteration as e: print(repr(e.value))
try: next(x)
except StopIteration as e: print(repr(e.value))
def h():
    yield 1
    return 7
x=h(); print(list(x))
try: next(x)
except StopIteration as e: print(repr(e.value))
x=h()
for i in x: pass
try: next(x)
except StopIteration as e: print(repr(e.value))
x=h(); next(x); print(next(x, 99))
try: x.send(None)
except StopIteration as e: print(repr(e.value))
def inner():
    try:
        r = yield 'a'
        print('inner got', r)
    except ValueError as e:
        print('inner caught', e)
        yield 'b'
        return 'done'
    finally:
        print('inner fin')
def outer():
    try:
        r = yield from inner()
        print('outer r', r)
        yield 'c'
    except KeyError as e:
        print('outer caught', e)
        yield 'd'
    finally:
        print('outer fin')
o=outer(); print(next(o)); print(o.throw(ValueError('v'))); print(next(o)); print(o.throw(KeyError('k'))); print(list(o))
o=outer(); next(o); print(o.throw(KeyError('k2'))); o.close()
o=outer(); next(o); o.close(); print('closed')
o=outer(); next(o)
try: o.throw(TypeError('t'))
except TypeError as e: print('out', e)
class It:
    def __iter__(self): return self
    def __next__(self): return 1
    def send(self, v): print('send', v); return v * 2
    def throw(self, e): print('throw', e); return 'thrown'
    def close(self): print('close')
def d():
    yield from It()
o=d(); print(next(o), o.send(4), o.throw(ValueError('z'))); o.close()
def r():
    yield from range(3)
o=r(); next(o)
try: o.send(1)
except AttributeError as e: print(e)
from contextlib import contextmanager
@contextmanager
def low():
    try: yield 1
    except ValueError: print('swallowed')
@contextmanager
def high():
    with low() as x:
        yield x
with high() as x: raise ValueError
class L(list):
    def __iadd__(self, o): return 'iadd'
class M(L):
    def __radd__(self, o): return 'radd'
a=L(); a+=M(); print(a); print(L()+M())
class D(int):
    def __divmod__(self, o): return 'dm'
    def __rdivmod__(self, o): return 'rdm'
print(divmod(D(3), 2), divmod(7, D(2)), divmod(7, 2))
