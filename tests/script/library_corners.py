# Corners of small modules: orders of heaps, dispatch, iterators with texts, counters, enumerations, statistics, colours.
import bisect, collections, colorsys, contextlib, contextvars, dataclasses, datetime, enum, functools, heapq, html, itertools
import operator, random, reprlib, statistics, textwrap, types

for items in ([8, -2, -2, 1], [5, 3, 8, 1, 9, 2, 7], list(range(20, 0, -1)), [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]):
    h = items[:]
    heapq.heapify(h)
    print(h, end=" ")
    heapq.heappush(h, 4)
    print(heapq.heappop(h), heapq.heapreplace(h, 100), heapq.heappushpop(h, -5), h)
print(list(heapq.merge([1, 4], [2, 3], [0])), list(heapq.merge("DB", "Ca", key=str.lower, reverse=True)))


@functools.singledispatch
def kind(x):
    return "object"


@kind.register
def _(x: int):
    return "int"


@kind.register(list)
def _(x):
    return "list"


class Shown:
    @functools.singledispatchmethod
    def show(self, x):
        return "other"

    @show.register
    def _(self, x: str):
        return "text"


print(kind(1), kind([]), kind("a"), kind(True), Shown().show(1), Shown().show("a"))
c = itertools.count(5, 2)
next(c)
r = itertools.repeat("x", 3)
next(r)
print(c, r, list(r), next(c), itertools.count(2), itertools.repeat(1))
for f in (lambda: itertools.combinations("ab", -1), lambda: itertools.product("ab", repeat=-1), lambda: itertools.islice("ab", -1)):
    try:
        print(f())
    except ValueError as e:
        print(e)
k = collections.Counter("abracadabra")
print(+collections.Counter(a=-1, b=2), -collections.Counter(a=-1), k == collections.Counter(k, z=0), collections.Counter(a=1) <= k)
k += collections.Counter("zz")
print(k)
o = collections.OrderedDict(a=1, b=2, c=3)
o.move_to_end("a")
o.move_to_end("c", last=False)
print(o, o.popitem(last=False), o == {"a": 1, "b": 2}, collections.OrderedDict(a=1, b=2) == collections.OrderedDict(b=2, a=1))
q = collections.deque("abc", 3)
print(q * 2, q < collections.deque("abd"), type(collections.defaultdict(list).copy()).__name__)


class Doubled(collections.UserDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


d = Doubled(a=1)
d["b"] = 2
print(d, d.data, collections.UserList([1, 2])[:1] + [3], collections.UserString("ab").upper())
print(operator.itemgetter(1, 0), operator.attrgetter("a.b"), operator.methodcaller("f", 1, k=2), operator.iadd([1], [2]), operator.countOf("aab", "a"),
      operator.indexOf("abc", "c"), operator.length_hint([1]), operator.call(max, 1, 2))


class F(enum.Flag):
    R = enum.auto()
    W = enum.auto()
    RW = R | W


class G(enum.IntFlag):
    A = 1


class E(enum.Enum):
    X = 1


print(len(F), list(F), list(F.RW), repr(G.A | 4))
for text in ("del E.X", "E.X.value = 2", "class D(E): pass", "E.X.foo"):
    try:
        exec(text)
    except Exception as e:
        print(type(e).__name__, e)


@dataclasses.dataclass
class Tree:
    size: int = 0
    parts: list = dataclasses.field(default_factory=list)


t = Tree()
t.parts.append(t)
print(t, dataclasses.fields(Tree)[0].default, dataclasses.fields(Tree)[1].metadata)
try:
    Tree(1, 2, 3)
except TypeError as e:
    print(e)
P = collections.namedtuple("P", "x y", defaults=[1])
print(P.x.__doc__)
for f in (lambda: P(1, 2, 3), lambda: P._make([1])):
    try:
        print(f())
    except TypeError as e:
        print(e)
m = types.MappingProxyType({"a": 1})
print(m, m["a"], len(m), "a" in m, dict(m), m == {"a": 1})
try:
    m["b"] = 2
except TypeError as e:
    print(e)
day = datetime.date(2024, 12, 30)
print(day.isocalendar(), day.isocalendar().week, datetime.date.fromisocalendar(2025, 1, 1), day.strftime("%G-W%V-%u"), datetime.time(1) <= datetime.time(2))
print(statistics.linear_regression([1, 2, 3], [2, 4, 7]), statistics.covariance([1, 2, 3], [1, 5, 7]), statistics.NormalDist(0, 1).cdf(1), statistics.median_grouped([1, 2, 2, 3]))
print(textwrap.TextWrapper(width=25, fix_sentence_endings=True).fill("One. two three four! Five six seven"))
random.seed(42)
print(random.getrandbits(70), random.getrandbits(200), random.randrange(10 ** 30), random.random())
print(colorsys.rgb_to_hls(.2, .4, .6), colorsys.hsv_to_rgb(.3, .5, .7), colorsys.rgb_to_hsv(.1, .9, .3), colorsys.hls_to_rgb(.6, .4, .5), colorsys.rgb_to_yiq(.1, .2, .3))
print(html.escape("<a href='x'>&\"</a>"), html.unescape("&lt;p&gt; &amp;amp; &eacute;&#233;&#xe9; AT&T &apos;"))
v = contextvars.ContextVar("v", default=1)
token = v.set(2)
print(v.get(), contextvars.copy_context().run(lambda: (v.set(3), v.get())[1]), v.get(), v.reset(token), v.get())
print(reprlib.repr(list(range(100))), reprlib.repr("x" * 100), reprlib.repr({i: i for i in range(9)}))
with contextlib.ExitStack() as outer:
    outer.callback(print, "later")
    kept = outer.pop_all()
print("first")
kept.close()
print(isinstance(contextlib.nullcontext(), contextlib.AbstractContextManager), bisect.bisect([1, 2], 2))
import pprint
pprint.pprint(collections.OrderedDict((i, "v" * 20) for i in range(5)))
pprint.pprint(collections.defaultdict(list, {i: ["v" * 30] for i in range(3)}))
pprint.pprint(collections.Counter({"a" * 30: 3, "b" * 30: 2, "c" * 30: 1}))
pprint.pprint(collections.deque(range(40), 50))
pprint.pprint(Tree(1, ["x" * 40, "y" * 40]))
pprint.pprint(types.SimpleNamespace(a="x" * 40, b="y" * 40))
pprint.pprint({"k": b"bytes" * 30})
now, here = datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
print(now == here, random.Random(3).randbytes(5))
for f in (lambda: now < here, lambda: datetime.timedelta("a")):
    try:
        print(f())
    except TypeError as e:
        print(e)
import os, shutil
r, w = os.pipe()
try:
    os.get_terminal_size(r)
except OSError as e:
    print(e)
print(shutil.get_terminal_size((70, 20)).__class__.__name__, os.PathLike[str])


def typed(x: int, *rest: str) -> float:
    return 0.5


@functools.wraps(typed)
def like_typed(*args):
    return typed(*args)


print(like_typed.__annotations__, functools.WRAPPER_ASSIGNMENTS[-1])
import textwrap
print(textwrap.wrap("-----hello", width=10, initial_indent=" " * 15, subsequent_indent=" " * 15))
print(textwrap.wrap("hello-there aa", 2))
