# Archives, queues, pools, addresses, fractions, identifiers: the smaller modules of the standard library.
import codecs, shlex, uuid, secrets, fractions, zipfile, io, os, tempfile, queue, concurrent.futures as cf, multiprocessing as mp
from fractions import Fraction as F
print(F(3,6), F('0.25')+F(1,3), F(1.5)**2, F(-7,2)//1, F(7,3)%1, round(F(5,2)), F(22,7).limit_denominator(3), F(1,3)<0.5, 2*F(1,3), 1-F(1,4), float(F(1,8)), repr(F(5)), F('3/9'), max(F(1,2),F(2,3)), sum([F(1,2),F(1,3)]), int(F(-7,2)), abs(F(-1,2)), F(1,2)==0.5)
print(shlex.split('a "b c" d\\ e \'f g\''), shlex.quote("a b"), shlex.join(['x','y z']))
u=uuid.UUID('12345678-1234-5678-1234-567812345678'); print(u, repr(u), u.hex, uuid.uuid5(uuid.NAMESPACE_DNS,'python.org'), uuid.uuid3(uuid.NAMESPACE_DNS,'python.org'), uuid.uuid4().version, len(str(uuid.uuid4())))
print(len(secrets.token_hex(8)), secrets.randbelow(1), len(secrets.token_bytes(5)))
print(codecs.encode('abc','rot13'), codecs.decode(b'\xc3\xa9','utf-8'), codecs.lookup('utf8').name)
d=tempfile.mkdtemp(); p=os.path.join(d,'x.zip')
with zipfile.ZipFile(p,'w',zipfile.ZIP_DEFLATED) as z:
    z.writestr('a.txt','hello '*100); z.writestr('d/b.bin',bytes(range(256)))
with zipfile.ZipFile(p,'a') as z: z.writestr('c.txt','more')
with zipfile.ZipFile(p) as z:
    print(z.namelist(), z.getinfo('a.txt').file_size, z.read('c.txt'), z.open('a.txt').read(5), z.testzip()); z.extractall(d)
print(open(os.path.join(d,'d','b.bin'),'rb').read()[:3], zipfile.is_zipfile(p))
try: zipfile.ZipFile(io.BytesIO(b'nope'))
except zipfile.BadZipFile as e: print(e)
q=queue.PriorityQueue(); [q.put(x) for x in (3,1,2)]; print([q.get() for _ in range(3)], q.empty())
try: q.get_nowait()
except queue.Empty: print('empty')
with cf.ThreadPoolExecutor(2) as ex: print(list(ex.map(lambda x:x*x,range(4))), ex.submit(pow,2,5).result())
def work(n): return n+1
if __name__=='__main__':
    with mp.Pool(2) as pool: print(pool.map(work,[1,2,3]))
    import urllib.parse as up, urllib.request as ur
    print(up.urlparse('http://u@h.org:80/a/b;p?q=1#f'), up.urlparse('http://u@h.org:80/a').port, up.quote('a b/ü'), up.unquote('a%20b'), up.urlencode({'a':1,'b':'x y'}), up.parse_qs('a=1&a=2&b='), up.urljoin('http://h/a/b','../c'))
    open(os.path.join(d,'t'),'w').write('file!'); print(ur.urlopen('file://'+os.path.join(d,'t')).read())
print(int(b"ff", 16), int(bytearray(b"101"), 2))

# what a mixin has of object comes after what the next base has
from collections import namedtuple
class A:
    def f(self): return 1
N=namedtuple('N','a b')
class C(A,N): pass
class B(tuple):
    def __repr__(self): return 'B!'
class D(A,B): pass
print(repr(D((1,2))), C(1,2)==(1,2), len(C(1,2)), C(1,2).a, C(1,2).f())
print(repr(C(1,2)))
