import math, random, itertools, functools, collections, json, copy, os, sys, time
from dataclasses import dataclass, field, asdict, replace
from collections import OrderedDict, defaultdict, Counter, deque, namedtuple
from contextlib import contextmanager, suppress
from typing import List, Optional, Dict
import tempfile
print(math.sqrt(2), math.floor(-1.5), math.ceil(1.2), math.gcd(12, 18), math.factorial(10), math.isclose(0.1 + 0.2, 0.3), math.comb(5, 2), math.hypot(3, 4), math.fsum([0.1] * 10), math.log(8, 2), math.pi)
random.seed(42)
print(random.random(), random.randint(1, 100), random.uniform(0, 1), random.choice("abc"), random.gauss(0, 1), random.sample(range(10), 3))
l = list(range(8)); random.shuffle(l); print(l, random.choices([1, 2, 3], k=4), random.randrange(10), random.normalvariate(), random.expovariate(1.5))
r = random.Random(7); print(r.random(), r.getrandbits(16), r.betavariate(2, 3), r.sample(range(1000), 5))
print(list(itertools.chain([1], [2, 3])), list(itertools.product("ab", repeat=2)), list(itertools.permutations([1, 2, 3], 2)), list(itertools.combinations("abc", 2)), list(itertools.islice(itertools.count(5), 3)), list(itertools.accumulate([1, 2, 3])), [(k, list(g)) for k, g in itertools.groupby("aabc")], list(itertools.zip_longest([1, 2], "a")))
print(functools.reduce(lambda a, b: a * b, [1, 2, 3, 4]), functools.partial(pow, 2)(5))
@functools.lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(50), fib.cache_info())
@functools.wraps(fib)
def w(): "doc"
print(w.__name__)
print(OrderedDict(a=1, b=2), Counter("abracadabra").most_common(2), Counter(a=1) + Counter(a=2, b=1))
d = defaultdict(list); d["x"].append(1); print(d, d["y"], len(d))
q = deque([1, 2, 3], maxlen=3); q.append(4); q.appendleft(0); print(q, q.popleft(), q.pop(), list(q), q[0])
P = namedtuple("P", "x y"); p = P(1, y=2); print(p, p.x, p[1], p._replace(x=5), p._asdict(), p == (1, 2), isinstance(p, tuple)); a, b = p
@dataclass
class C:
    name: str
    size: int = 3
    tags: List[str] = field(default_factory=list)
    def area(self): return self.size ** 2
c = C("a"); print(c, c == C("a"), c.area(), asdict(c), replace(c, size=9))
@dataclass(frozen=True, order=True)
class F:
    a: int
    b: int = 0
print(F(1) < F(2), {F(1): 2}[F(1)])
try: F(1).a = 2
except AttributeError as e: print(type(e).__name__, e)
try: C()
except TypeError as e: print(e)
print(json.dumps({"a": [1, 2.5, None, True], "b": "é\n"}), json.dumps([1, {"x": 2}], indent=2), json.loads('{"a": [1, 2.5, "x\\u00e9", null, false]}'))
x = {"a": [1, [2]]}; y = copy.deepcopy(x); z = copy.copy(x); x["a"][1].append(3); print(x, y, z)
class T:
    def __init__(self): self.v = [1]
t = T(); u = copy.deepcopy(t); t.v.append(2); print(u.v, copy.copy(t).v)
@contextmanager
def ctx(n):
    print("in", n)
    try: yield n * 2
    finally: print("out")
with ctx(3) as v: print(v)
with suppress(KeyError): {}["a"]
with tempfile.TemporaryDirectory() as dir:
    path = os.path.join(dir, "f.txt")
    with open(path, "w") as f: f.write("line1\nline2\n")
    with open(path) as f: print(f.read().split(), os.path.exists(path), os.path.getsize(path), os.path.basename(path))
    with open(path) as f:
        for line in f: print(line.strip())
print(os.path.exists(dir), os.path.splitext("a/b.py"), os.path.dirname("a/b"), len(sys.argv), time.time() > 0)
try: open("/nonexistent/x")
except FileNotFoundError as e: print(e)
print(sorted(Counter([1, 1, 2]).items()), list(map(str, range(3))), isinstance({}, dict))
try:
    import nope_module
except ModuleNotFoundError as e: print(e)
print(__doc__, "__doc__" in globals())
