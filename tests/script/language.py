# Corners of the language where it once differed from CPython.
import math, random


def t(n, f):
    try:
        print(n, repr(f()))
    except Exception as e:
        print(n, type(e).__name__, e)


# ---- formats
t('widths', lambda: ('%.3d' % -63, '%5.3d|' % -7, '%*d|' % (-5, 3), '%#.4x' % 255, '%-*.*s|' % (6, 2, 'abc'), '%05.1f' % -2.25))
t('zeros', lambda: ('{:<05}'.format(3), '{:^07}'.format(3.5), format(1, '>05'), '{:>+010.2e}'.format(1.5), format('a', '05')))
t('groups', lambda: (format(1e-7, ',G'), format(1e15, '_G'), format(1234567, ',d'), format(65535, '_x')))
for spec, value in ((',X', 5), ('_s', 'a'), (',n', 5), ('+', 'a'), (' s', 'a'), ('#s', 'a'), ('=5', 'a'), ('+c', 65), ('#c', 65), ('.3c', 65), (',_', 5)):
    t(spec, lambda: format(value, spec))
t('mixed', lambda: '{0}{}'.format(1, 2))
t('mixed', lambda: '{}{0}'.format(1, 2))
t('ascii', lambda: (ascii('é日😀'), '%a' % 'é', f'{"é"!a}', '{!a}'.format('é')))
t('format_map', lambda: '{a}{b[0]}'.format_map({'a': 1, 'b': 'xy'}))
t('unused', lambda: ('Hello' % [], 'Hello' % {}))
t('unused', lambda: 'Hello' % 5)

# ---- text
t('case', lambda: ('straße'.upper(), 'ﬁn ß'.title(), 'ǆ'.upper(), 'İ'.lower(), 'Ÿŷ ŽšĂ'.swapcase(), 'ΣΊσύς'.upper(), 'ßa'.capitalize()))
t('expandtabs', lambda: ('a\t'.expandtabs(2000) == 'a' + ' ' * 1999, 'a\tb\rc\td'.expandtabs(4)))
t('splitlines', lambda: 'a\u2028b\x0bc\x1cd\x85e\r\nf\r'.splitlines())
t('splitlines', lambda: 'a\u2028b\r\nc'.splitlines(True))
t('translate', lambda: ('xyz'.translate({120: 'Y!', 121: None, 122: 97}), 'hello'.translate(str.maketrans('el', 'ip', 'o')), 'ab'.translate(str.maketrans({'a': 'é'}))))
t('tests', lambda: ('abc'.isascii(), 'é'.isascii(), ''.isascii(), 'Hello World'.istitle(), 'HeLlo'.istitle(), ''.istitle()))
s = 'äöü€😀' * 4000
t('index', lambda: (s[0], s[64], s[65], s[63], s[-1], s[12345], len(s[::-1]), s[::-1][:5], s[19990:] == s[-10:], s[1000:1010]))
t('index', lambda: all(s[i] == 'äöü€😀'[i % 5] for i in range(0, len(s), 7)))

# ---- numbers
t('fsum', lambda: (math.fsum([1.0, float('inf')]), math.fsum([float('nan'), 1]), math.fsum([0.1] * 10)))
t('fsum', lambda: math.fsum([float('inf'), -float('inf')]))
t('remainder', lambda: math.remainder(1.0, 0))
t('ulp', lambda: (math.ulp(1), math.ulp(-0.0), math.ulp(1e300), math.ulp(float('inf'))))


def seeded(s):
    random.seed(s)
    return random.random(), random.getrandbits(20), random.gauss(0, 1)


t('seed', lambda: [seeded(s) for s in ('a', 1.5, -3, 2.0, True, 'ü' * 100)])
t('range', lambda: (range(0, 20)[2:0], range(10)[::-2], range(10)[8:2:-3], range(5)[7:]))


class Index:
    def __index__(self):
        return 3


t('index', lambda: ('x' * Index(), Index() * [1], (0,) * Index(), float(Index()), math.sqrt(Index()), [1, 2, 3, 4][Index()]))

# ---- arguments


def positional(a, b=2, /, c=3, **k):
    return a, b, c, k


t('positional', lambda: positional(5, a=1, b=7))
t('positional', lambda: positional(5, 6, 7, c=1))
t('positional', lambda: (lambda a, /: a)(a=5))

# ---- exceptions


def stale():
    try:
        raise
    except Exception as e:
        return type(e).__name__


def inner():
    try:
        raise KeyError
    except KeyError:
        raise IndexError


try:
    inner()
except IndexError:
    pass
t('stale', stale)


def outer():
    try:
        1 // 0
    except ZeroDivisionError:
        return stale()


t('caller', outer)


def in_finally():
    try:
        1 // 0
    finally:
        raise


t('finally', in_finally)


def nested():
    try:
        raise KeyError('outer')
    except KeyError:
        try:
            raise ValueError('inner')
        except ValueError:
            pass
        raise


t('nested', nested)


def looped():
    for i in range(3):
        try:
            raise KeyError(i)
        except KeyError:
            if i == 0:
                continue
            break
    return stale()


t('looped', looped)


def gen():
    yield 1
    return 5


it = gen()
t('generator', lambda: next(it))
for _ in range(2):
    try:
        next(it)
    except StopIteration as e:
        print(e.value)


# ---- classes
class L(list):
    def __ge__(self, o):
        return 'ge'


class S(set):
    pass


class D(dict):
    def __eq__(self, o):
        return True


class N:
    def __next__(self):
        raise StopIteration


class R1:
    def __add__(self, o):
        return 'add'

    def __radd__(self, o):
        return 'radd'


class R2(R1):
    pass


class R3(R1):
    def __radd__(self, o):
        return 'own'


class DM:
    def __divmod__(self, o):
        return 'divmod'

    def __rdivmod__(self, o):
        return 'rdivmod'


class FD:
    def __floordiv__(self, o):
        return 'fd'

    def __mod__(self, o):
        return 'md'


t('compare', lambda: (L() == L(), L([1]) == [1], [2] == L([1]), L() >= L(), L([1]) < [2], object() != D(), D() == 5))
t('repr', lambda: (S([1]), S(), frozenset([1]), frozenset()))
t('iter', lambda: list(N()))
t('iter', lambda: 1 in N())
t('reflected', lambda: (R1() + R2(), R1() + R3(), 1 + R2()))
t('divmod', lambda: (divmod(DM(), 1), divmod(1, DM()), divmod(-7, 2), divmod(7.5, 2)))
t('divmod', lambda: divmod(FD(), 1))
t('ellipsis', lambda: ((0, ...), [1, ...], (*(1,), ...), {2, 2}))
x = 0, ...
print(x)
if 5 == 6:
    pass
elif 5 == 7:
    pass
else:
    print('else')
