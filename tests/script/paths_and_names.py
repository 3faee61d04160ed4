"""enum, string, textwrap, pathlib, glob, os, files of bytes, eval."""
import string, textwrap, enum, fnmatch, glob, pathlib, types, os
from enum import *
class Color(Enum):
    RED = 1
    GREEN = 'g'
    BLUE = auto() if False else 3
    ALIAS = 1
    def hi(self): return self.name.lower()
print(Color.RED, repr(Color.GREEN), Color(1), Color['BLUE'], list(Color), Color.RED is Color.ALIAS, Color.RED.hi(), len(Color), Color.RED in Color, Color.RED == 1, {Color.RED: 2}[Color(1)], isinstance(Color.RED, Color), Color.__members__.keys())
class N(IntEnum):
    A = auto(); B = auto(); C = 10; D = auto()
print(N.A, repr(N.B), N.C + 1, N.D, N.A < N.B, [0,1,2][N.B], f"{N.C}", int(N.C), N(2), sorted([N.C, N.A]), N.A == 1, str(N.A), "%d" % N.C)
class S(str, Enum):
    X = 'x'; Y = 'y'
print(S.X, repr(S.X), S.X == 'x', S.X + 'z', S('y'), S.X.value, {'x': 1}[S.X], S.X.upper(), isinstance(S.X, str))
class P(Flag):
    R = auto(); W = auto(); X = auto()
    RW = R | W
print(P.R | P.X, P.RW, P.R in P.RW, ~P.R, P.R & P.W, bool(P.R & P.W), list(P.RW), P(3), P.R.value)
class Q(IntFlag):
    A = 1; B = 2
print(Q.A | Q.B, repr(Q.A | Q.B), (Q.A | 4), Q.A & 3)
class V(Enum):
    M = (1, 2.0); E = (3, 4.0)
    def __init__(self, a, b): self.a, self.b = a, b
    @property
    def s(self): return self.a + self.b
print(V.M.a, V.E.s, V.M.value)
An = Enum('An', 'CAT DOG'); print(An.DOG, list(An))
for f in (lambda: Color(99), lambda: Color['ZZ'], lambda: Color.NOPE):
    try: f()
    except Exception as e: print(type(e).__name__, str(e)[:40])
print(textwrap.dedent('''
    a
      b
    c'''), textwrap.fill('the quick brown fox jumps over the lazy dog ' * 3, 30), textwrap.shorten('hello big world of things', 15), textwrap.indent('a\nb\n\nc', '> '), textwrap.wrap('supercalifragilistic expiali', 10), textwrap.wrap('well-known long-running', 12))
print(string.ascii_letters, string.punctuation, string.Template('$a ${b} $$').substitute(a=1, b=2), string.capwords('hi there'))
p = pathlib.Path('/a/b') / 'c.tar.gz'
print(p, repr(p), p.name, p.stem, p.suffix, p.suffixes, p.parent, p.parts, p.with_suffix('.x'), p.with_name('q'), p.relative_to('/a'), p.is_absolute(), list(p.parents), pathlib.Path('x') == pathlib.Path('./x'), pathlib.Path(), p.match('*.gz'), str(p), os.fspath(p), sorted([pathlib.Path('b'), pathlib.Path('a/z')]), p.joinpath('r', 's'), pathlib.Path('a') / '..' / 'b')
import tempfile
with tempfile.TemporaryDirectory() as d:
    d = pathlib.Path(d)
    (d / 'sub' / 'x').mkdir(parents=True); (d / 'a.txt').write_text('hi\nyo'); (d / 'sub' / 'b.txt').write_bytes(b'\x00\x01'); (d / '.h').touch()
    print((d / 'a.txt').read_text(), (d / 'sub/b.txt').read_bytes(), sorted(q.name for q in d.iterdir()), sorted(str(q.relative_to(d)) for q in d.rglob('*.txt')), sorted(str(q.relative_to(d)) for q in d.glob('*')), (d / 'a.txt').stat().st_size, (d/'zz').exists(), sorted(os.path.relpath(x, d) if hasattr(os.path,'relpath') else x[len(str(d))+1:] for x in glob.glob(str(d) + '/**/*.txt', recursive=True)), sorted(x[len(str(d)):] for x in glob.glob(str(d / '*.txt'))), sorted(x[len(str(d)):] for x in glob.glob(str(d / '*'))), sorted(os.listdir(d)))
    for root, dirs, files in os.walk(d): print(root[len(str(d)):], sorted(dirs), sorted(files))
    with open(d / 'a.txt', 'rb') as f: print(f.read(2), f.tell(), f.seek(0), f.readline(), list(f), f.name == d / 'a.txt', f.mode)
    with open(d / 'w', 'w+') as f: f.write('abc'); f.seek(0); print(f.read(), f.readable())
print(types.SimpleNamespace(a=1, b='x'), eval('1+2'), eval('x*2', {'x': 4}), [exec('q = 5'), q][1])
