"""Ints without bound; classes derived from int and str."""
import math
print(2**100, -2**100, 2**64-1, 9223372036854775807+1, -9223372036854775808-1, 12345678901234567890123456789)
a = 123456789012345678901234567890; b = 98765432109876543210
for op in ('+','-','*','//','%','/','&','|','^'):
    for x in (a,-a,7,-7):
        for y in (b,-b,3,-3, a):
            if op == '+': r = x+y
            elif op == '-': r = x-y
            elif op == '*': r = x*y
            elif op == '//': r = x//y
            elif op == '%': r = x%y
            elif op == '/': r = x/y
            elif op == '&': r = x&y
            elif op == '|': r = x|y
            else: r = x^y
            print(op, r)
print(a << 100, a >> 50, -a >> 50, -a >> 500, 1 << 63, 1 << 64, -1 << 63, ~a, -(-a))
print(pow(3, 1000, 10**30), pow(a, -1, 1000000007), pow(3, 200))
print(a == a+0, a < b, a > 1e10, a == float(a), float(2**80) == 2**80, 2**80 > 1.5, hash(2**80)==hash(float(2**80)), hash(2**80), hash(0.5), hash(-1.25), hash(-1), hash(1e300), hash(-2**200), {2**80: 1}[2**80])
print(f"{a:,} {a:x} {a:#b} {a:>40} {a:e} {a:.3f} {2**70:_}", "%d %x %s" % (a, a, a), hex(a), oct(a), bin(2**65))
print(int("123456789012345678901234567890"), int("-0xfffffffffffffffffffff", 16), int(1e30), int("9"*30), round(a, -5), abs(-a), divmod(a, b), divmod(-a, b))
print(math.factorial(30), math.comb(100, 50), math.gcd(a, b), math.lcm(a, b), math.perm(30), sum([2**62]*4), math.log(2**200), math.sqrt(10**40))
print((2**100).bit_length(), (10**30).to_bytes(16, 'big'), int.from_bytes(b'\xff'*12, 'little'), (-5).to_bytes(4,'little',signed=True), int.from_bytes(b'\xfb\xff\xff\xff','little',signed=True))
print(isinstance(2**100, int), type(2**100), 2**100 is not None, bool(2**100), repr(2**100), 0xFFFFFFFFFFFFFFFFFFFF)
print((0.1).as_integer_ratio(), (1e300).as_integer_ratio()[1])
x = 1
for i in range(1, 60): x = x * i % (2**89 - 1)
print(x, 5 // 2**70, -5 // 2**70, 5 % -2**70, 2**70 * 1.5, 1.5 + 2**70, 2**1000 / 2**990, 3 / 2**1000)
try: 2.0 * 10**400
except OverflowError as e: print(e)
class I(int):
    def __new__(cls, v, tag=None):
        s = super().__new__(cls, v); s.tag = tag; return s
    def __repr__(self): return f"I({int(self)})"
i = I(5, 'q')
print(i, i + 1, i * i, i == 5, {5: 'x'}[i], [10,20,30,40,50,60][i], i.tag, isinstance(i, int), type(i+1), -i, range(i), f"{i:03d}", int(i), str(int(i)), i < 7, {5, i}, max(i, 3), "ab" * I(2))
class S(str):
    def hello(self): return 'hi ' + self
s = S('abc'); s.x = 5
print(s, s.hello(), s.x, s + 'd', type(s + 'd'), s == 'abc', {'abc': 1}[s], s.upper(), len(s), isinstance(s, str), repr(s), 'b' in s, s[1:], f"{s:>5}", str(s), type(str(s)), hash(s) == hash('abc'), ','.join([s, s]))

# inverses by a modulus below 0
print([pow(a, k, m) for k in (-1, -3) for a, m in ((3, -5), (-3, -5), (49, -4), (7, -10), (-7, 10), (1, -1), (3, -10 ** 30 - 1), (-3, -10 ** 30 - 1))])
