# A generator that is dropped leaves its blocks; methods of classes are asked in the order
# and as often as CPython asks them.
def blocks(name):
    try:
        yield 1
    finally:
        print('finally', name)

class Room:
    def __enter__(self): print('enter'); return self
    def __exit__(self, *a): print('exit', a[0].__name__ if a[0] else None)

def rooms():
    with Room():
        yield 1
        yield 2

def nested():
    yield from blocks('inner')

def stubborn():
    try:
        yield 1
    except GeneratorExit:
        print('asked to go')
        raise

g = blocks('a'); next(g); g = None
print('after a')
def local():
    x = blocks('local'); next(x)
local()
g = rooms(); next(g); del g
g = nested(); next(g); g = 0
g = stubborn(); next(g); g = 0
g = blocks('never started'); g = 0
for x in rooms():
    break
print('for is over')
print(next(blocks('at once')), 'next')
cycle = [blocks('in a cycle')]; next(cycle[0]); cycle.append(cycle); del cycle
import gc; gc.collect()

class Times:
    def __index__(self): return 3
    def __add__(self, other): return 'add'
print('x' * Times(), Times() * 'ab', [1] * Times(), Times() * (1, 2), b'a' * Times())
class Both(Times):
    def __rmul__(self, other): return 'rmul'
print('x' * Both(), [1] * Both())

class Length:
    def __len__(self): print('len'); return 2
    def __getitem__(self, i):
        if i > 1: raise IndexError
        return i
print(list(Length()), tuple(Length()))
print([*Length()], sorted(Length()))
class Hint:
    def __iter__(self): return iter((1, 2))
    def __length_hint__(self): print('hint'); return 2
print(list(Hint()), tuple(Hint()), [*Hint()])
class NoLength:
    def __iter__(self): return iter((1, 2))
    def __len__(self): raise TypeError
print(list(NoLength()))
class BadLength(NoLength):
    def __len__(self): raise KeyError('length')
try: list(BadLength())
except KeyError as e: print(e)

class A:
    def __eq__(self, other): print('A.eq'); return NotImplemented
    def __ne__(self, other): print('A.ne'); return NotImplemented
    def __lt__(self, other): print('A.lt'); return NotImplemented
class B(A):
    def __eq__(self, other): print('B.eq'); return NotImplemented
print(A() == A()); print(A() != B()); print(A() == B()); print(B() == A())
try: A() < A()
except TypeError as e: print(e)
print([type(iter(x)).__name__ for x in ((1,), [1], {1}, {1: 2}, {1: 2}.items(), {}.values(), range(3))])
last = blocks('at the end'); next(last)
