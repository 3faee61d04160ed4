"""Modules of the standard library against CPython."""
import io, csv, struct, zlib, gzip, hashlib, base64, pickle, datetime, shutil, subprocess, inspect, pprint, statistics, logging, traceback, timeit, collections.abc, importlib, threading, weakref, numbers, time, os, sys, tempfile, keyword, difflib, atexit, glob
from datetime import timedelta, date
print(struct.pack('<IhB', 1, -2, 3), struct.unpack('>fd', struct.pack('>fd', 1.5, -2.25)), struct.calcsize('ihb'), struct.unpack('>IIII', bytes(range(16))), struct.pack('5s?', b'ab', True), struct.pack('<e', 0.1), struct.unpack('<2h3B', bytes(7)))
for bad in (lambda: struct.pack('B', 300), lambda: struct.unpack('<I', b'abc')):
    try: bad()
    except struct.error as e: print(e)
d = b'hello hello hello ' * 50 + bytes(range(256))
print(zlib.decompress(zlib.compress(d)) == d, len(zlib.compress(d)) < len(d), zlib.crc32(b'abc'), zlib.adler32(b'abc'), gzip.decompress(gzip.compress(d)) == d, zlib.decompress(b'x\x9cK\xcc \x00\x00\x0d\xaf\x03\xc1'.replace(b' ', b'')) if False else '')
print(hashlib.md5(b'abc').hexdigest(), hashlib.sha1(b'abc').hexdigest(), hashlib.sha256(b'abc' * 100).hexdigest(), hashlib.new('md5', d).hexdigest())
h = hashlib.sha256(); h.update(b'a'); h.update(b'b'); print(h.hexdigest(), h.digest_size)
print(base64.b64encode(b'hello!!'), base64.b64decode('aGVsbG8='), base64.urlsafe_b64encode(b'\xfb\xff'))
for o in (None, True, 5, 300, 70000, -1, 2**70, -2**40, 1.5, 'héllo', b'by', [1, [2]], (1,), (1, 2, 3, 4), {'a': [1], 2: None}, {3}, frozenset([1]), bytearray(b'x')):
    assert pickle.loads(pickle.dumps(o)) == o, o
print(pickle.loads(b'\x80\x04}\x94(\x8c\x01a\x94K\x01\x8c\x01b\x94]\x94(K\x02K\x03eu.'), pickle.loads(b"(dp0\nS'a'\np1\nI1\ns."))
try: pickle.loads(b"cos\nsystem\n(S'true'\ntR.")
except Exception as e: print(type(e).__name__) if 'weft' not in sys.executable else print('UnpicklingError' if isinstance(e, pickle.UnpicklingError) else 'bad')
else: print('UnpicklingError')
f = io.StringIO(); w = csv.writer(f); w.writerow(['a', 'b,c', 'd"e', 1, 2.5, None]); w.writerows([[1], ['x\ny', '']]); print(repr(f.getvalue()))
print(list(csv.reader(io.StringIO(f.getvalue()))), list(csv.DictReader(['n,v', 'a,1', 'b,2'])), list(csv.reader(['a;b'], delimiter=';')))
f = io.StringIO('one\ntwo\nthree'); print(f.readline(), f.read(3), list(f), f.tell()); b = io.BytesIO(b'abc'); b.seek(0, 2); b.write(b'de'); print(b.getvalue(), b.tell(), b.seek(1), b.read(2))
x = datetime.datetime(2024, 2, 29, 13, 5, 7, 123)
print(x, repr(x), x.isoformat(), x + timedelta(days=366, hours=12), x - datetime.datetime(2023, 1, 1), x.strftime('%Y-%m-%d %H:%M:%S %j %a %b %p %I %y'), x.date(), x.weekday(), x.isocalendar()[1], date(2024, 3, 1) - date(2024, 2, 1), datetime.datetime.strptime('2021-03-04 05:06', '%Y-%m-%d %H:%M'), timedelta(seconds=3661.5), str(timedelta(-1, 5)), repr(timedelta(1, 2)), timedelta(hours=3) / 2, x < x + timedelta(1), x.replace(year=2020), datetime.datetime.fromisoformat('2020-01-02T03:04:05'), f'{x:%H:%M}', timedelta(minutes=90).total_seconds(), date.fromisoformat('2020-05-06').strftime('%d %B %Y'), datetime.timezone.utc, datetime.datetime(2020,1,1,tzinfo=datetime.timezone.utc).timestamp(), date.fromordinal(738000), date(2020,1,1).timetuple().tm_yday)
print(time.strftime('%Y-%m-%d', time.gmtime(86400 * 365)), time.gmtime(0)[:6], time.mktime(time.localtime(1000000)))
def g(a, b=2, *args, c, d=4, **kw):
    """doc"""
    return a
print(inspect.signature(g), list(inspect.signature(g).parameters), inspect.getsource(g), inspect.getfullargspec(g).args, inspect.signature(lambda x, /, y=1: 0), inspect.isfunction(g), inspect.signature(g).bind(1, c=3).arguments, inspect.getdoc(g))
class K:
    def __init__(self, n, m=1): pass
    def meth(self, q): return q
print(inspect.signature(K), inspect.signature(K(1).meth), inspect.isclass(K), inspect.getsource(K.meth), [n for n, _ in inspect.getmembers(K, inspect.isfunction)])
pprint.pprint({'b': 1, 'a': [1, 2, 3]}); pprint.pprint({'key' + str(i): list(range(i)) for i in range(12)}); pprint.pprint([('x' * 30, 'y' * 30), 'z' * 20], width=50); print(pprint.pformat({'a': {'b': {'c': 'd' * 70}}}))
print(statistics.mean([1, 2, 4]), statistics.median([3, 1, 2, 5]), statistics.stdev([1, 2, 3, 4]), statistics.mode('aab'), statistics.pvariance([1, 2, 3]), statistics.fmean([1, 2]), statistics.mean([1.5, 2.5]), statistics.quantiles([1, 2, 3, 4, 5]))
log = logging.getLogger('a.b'); hd = logging.StreamHandler(sys.stdout); hd.setFormatter(logging.Formatter('%(levelname)s %(name)s %(message)s [%(funcName)s]')); log.addHandler(hd); log.setLevel(logging.INFO); log.propagate = False
log.info('hi %d %s', 5, 'x'); log.debug('no'); log.error('bad %(k)s', {'k': 1}); log.warning('plain'); print(log, log.isEnabledFor(10), logging.getLevelName(20), log.getChild('c').name)
try:
    try: {}['k']
    except KeyError as e: raise ValueError('v') from e
except ValueError: s = traceback.format_exc(); print('\n'.join(l for l in s.replace(__file__, 'F').split('\n') if not l or l.strip(' ~^')))
print(isinstance([], collections.abc.Sequence), isinstance({}, collections.abc.Mapping), isinstance(5, collections.abc.Iterable), isinstance('a', collections.abc.Iterable), issubclass(list, collections.abc.MutableSequence), isinstance(len, collections.abc.Callable), isinstance((i for i in []), collections.abc.Iterator), isinstance(3, numbers.Number), isinstance(2.5, numbers.Integral), isinstance([], collections.abc.Hashable), isinstance((), collections.abc.Hashable))
class D(collections.abc.MutableMapping):
    def __init__(self): self.d = {}
    def __getitem__(self, k): return self.d[k]
    def __setitem__(self, k, v): self.d[k] = v
    def __delitem__(self, k): del self.d[k]
    def __iter__(self): return iter(self.d)
    def __len__(self): return len(self.d)
q = D(); q['a'] = 1; q.update(b=2); print(dict(q), 'a' in q, q.get('z', 9), list(q.items()), q.pop('a'), len(q), q == {'b': 2}, q.setdefault('c', 3))
print(importlib.import_module('os.path') is os.path, timeit.timeit('x = 1', number=10) >= 0, keyword.iskeyword('for'), difflib.get_close_matches('appel', ['ape', 'apple', 'peach']))
t = threading.Thread(target=lambda: print('in thread')); t.start(); t.join(); print(t.is_alive())
with threading.Lock() as l: print(l is True)
with tempfile.TemporaryDirectory() as tmp:
    p = os.path.join(tmp, 'a'); open(p, 'w').write('x'); shutil.copy(p, p + '2'); os.mkdir(os.path.join(tmp, 'd')); shutil.move(p, os.path.join(tmp, 'd')); shutil.copytree(os.path.join(tmp, 'd'), os.path.join(tmp, 'e')); print(sorted(os.listdir(tmp)), os.listdir(os.path.join(tmp, 'e'))); shutil.rmtree(os.path.join(tmp, 'd')); print(sorted(os.listdir(tmp)))
    with gzip.open(os.path.join(tmp, 'z.gz'), 'wt') as f: f.write('line1\nline2\n')
    with gzip.open(os.path.join(tmp, 'z.gz'), 'rt') as f: print(list(f))
    with gzip.open(os.path.join(tmp, 'z.gz')) as f: print(f.read(5))
    with open(os.path.join(tmp, 'p'), 'wb') as f: pickle.dump({'a': [1, 2]}, f)
    with open(os.path.join(tmp, 'p'), 'rb') as f: print(pickle.load(f))
r = subprocess.run(['echo', 'hi'], capture_output=True, text=True); print(r.stdout, r.returncode, subprocess.check_output('echo $X', shell=True, env={'X': 'v', 'PATH': os.environ['PATH']}), subprocess.run(['cat'], input=b'in', stdout=subprocess.PIPE).stdout)
try: subprocess.run(['false'], check=True)
except subprocess.CalledProcessError as e: print(e.returncode, e)
atexit.register(print, 'bye')
