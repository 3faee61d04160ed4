"""bytes, bytearray and encodings."""
b = b'hello \xff\x00 world'
print(b, len(b), b[0], b[-1], b[1:4], b[::2], b'\\x"\'', b'it\'s', rb'\n', b'a' b'b', bytes(), bytes(3), bytes([1,2,255]), bytes('é', 'utf-8'), 'é'.encode(), 'é'.encode('latin-1'))
print(b'\xc3\xa9'.decode(), b.decode('latin-1'), b.hex(), b.hex(' '), b.hex('-', 2), bytes.fromhex('de ad BE ef'), b == bytes(b), b < b'i', b'' or 'empty', hash(b) == hash(bytes(b)), {b: 1}[b])
print(b.split(), b.split(b'o'), b' x '.strip(), b'xxaxx'.strip(b'x'), b.find(b'o'), b.rfind(b'o'), b.index(b'w'), b.count(b'o'), b.startswith(b'he'), b.endswith((b'd', b'x')), b.replace(b'l', b'L'), b.upper(), b'ab,c'.partition(b','), b'-'.join([b'a', b'b']), b'a\nb\r\nc'.splitlines(), b'7'.zfill(3), b'x'.center(5, b'*'), b'abc'.isalpha(), b'12'.isdigit())
print(b'a' + b'b', b'ab' * 3, 2 * b'x', 97 in b'abc', b'bc' in b'abc', list(b'abc'), b'%d %s %x' % (5, b'abc', 255), b'%s' % b'q', max(b'abc'), sorted(b'cab'), [c for c in b'ab'])
a = bytearray(b'abc'); a.append(100); a.extend(b'ef'); a += b'g'; a[0] = 65; a[1:3] = b'XYZ'; print(a, len(a)); del a[0]; del a[::2]; print(a, a.pop(), a); a.insert(0, 1); a.reverse(); print(a, bytes(a), bytearray(2), a.copy(), a == bytes(a)); a.clear(); print(a)
for f in (lambda: b'a' + 'b', lambda: bytes('x'), lambda: bytes([256]), lambda: b'abc'[5], lambda: b'\xff'.decode(), lambda: 'é'.encode('ascii'), lambda: hash(bytearray()), lambda: b'a'.find('a'), lambda: bytes(-1), lambda: {}[b'x'], lambda: b'a' < 'a', lambda: 'abc'.encode('nope')):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
print('é€😀'.encode('utf-16'), 'a€'.encode('utf-16-le'), 'é'.encode('ascii', 'ignore'), 'é'.encode('ascii', 'replace'), 'é€'.encode('ascii','backslashreplace'), b'a\xffb'.decode('utf-8', 'replace'), b'a\xffb'.decode('ascii', 'ignore'), '😀'.encode('utf-16').decode('utf-16'), 'x'.encode('utf-8-sig'), b'\xef\xbb\xbfq'.decode('utf-8-sig'))
print(str(b'abc'), repr(bytearray(b'x')), str(b'caf\xc3\xa9', 'utf-8'), isinstance(b, bytes), type(b), b'abc'.translate(bytes.maketrans(b'ab', b'xy')), b'A-B'.title(), b'Ab'.swapcase(), b'  a'.lstrip(), b'a b c'.rsplit(b' ', 1), b'a,b,c'.split(b',', maxsplit=1))
class B(bytes): pass
print(B(b'xy'), type(B(b'x')), B(b'x') + b'y')
x, *y = b'abc'; print(x, y)
import copy; print(copy.deepcopy([b'x', bytearray(b'y')]))
import sys
print(b"aaa".count(b"aa", sys.maxsize, 0), b"aaa".find(b"a", sys.maxsize), bytearray(b"").count(b"", 2), b"ab".rfind(b"b", 5, 1), b"ab".find(b"", 2))
