"""Regular expressions against CPython; linear time where backtracking alone takes ages."""
import re
def show(*a): print(*a)
show(re.findall(r'\d+', 'a1b22c333'), re.findall(r'(\w)(\d)', 'a1b2'), re.findall(r'(a)|b', 'ab'), re.sub(r'\s+', ' ', ' a  b\n c '), re.split(r'[,;]\s*', 'a, b;c'), re.split(r'(,)', 'a,b'), re.split('', 'abc'), re.sub('', '-', 'abc'), re.sub('x*', '-', 'abxd'))
m = re.search(r'(?P<y>\d{4})-(?P<m>\d\d)', 'on 2024-05-06'); show(m, m.group(), m.group('y', 'm'), m.groups(), m.groupdict(), m.span(), m.start('m'), m['y'], m[2], m.lastgroup, m.re.pattern, m.string)
show(re.match('a|ab', 'abc').group(), re.fullmatch('a|ab', 'ab').group(), re.match(r'(a+)(a*?)b', 'aaab').groups(), re.match('b', 'ab'), re.match(r'.*?x', 'aaxbx').group(), re.match(r'a{2,3}', 'aaaa').group(), re.match(r'a{2}', 'aaaa').group(), re.match(r'a{,2}b', 'aab').group(), re.match(r'a{x', 'a{x').group())
show(re.findall(r'^\w+', 'one\ntwo', re.M), re.findall('a.b', 'a\nb', re.S), re.findall('ABC', 'xabcABC', re.I), re.findall(r'\bfoo\b', 'foo food foo'), re.findall(r'(?<=a)b', 'ab cb'), re.findall(r'(?<!a)b', 'ab cb'), re.findall(r'a(?=b)', 'ab ac'), re.findall(r'a(?!b)', 'ab ac'), re.findall(r'(\w)\1', 'aabbcd'), re.findall(r'(?i:a)B', 'aB AB ab'))
show(re.sub(r'(\w+) (\w+)', r'\2 \1', 'hello world'), re.sub(r'(?P<a>x)', r'[\g<a>\g<0>]', 'axb'), re.sub('a', lambda m: m.group().upper(), 'banana', count=2), re.subn('a', 'b', 'aaa'), re.escape('a.b*c'), re.sub(r'\\', '/', 'a\\b'), re.sub('a', r'\n', 'xax'))
show([m.span() for m in re.finditer('a*', 'baac')], re.findall('a*', 'baac'), re.findall(r'\w*', 'ab c'), re.findall('(?:a|b)+', 'abxab'), re.findall('[^a-c]', 'abcd-e'), re.findall(r'[\]\-a]', 'a]-b'), re.findall('[]a]', ']a'), re.findall(r'[\w.]+@[\w.]+', 'x a.b@c.d y'))
show(re.compile(r'''
   (\d+)  # digits
   \s*
   ([a-z]+)
''', re.X).match('12 ab').groups(), re.compile('a', re.I | re.M), re.match('(a)?(b)?', 'b').groups(), re.match('(a)?(?(1)b|c)', 'ab').group(), re.match('(a)?(?(1)b|c)', 'c').group(), re.findall(b'\\d+', b'a1b22'), re.sub(b'a', b'x', b'banana'), re.match(r'(?:(a)|b)*', 'ab').groups(), re.match(r'(?s:.)', '\n') is not None, re.findall(r'é+', 'éé e'), re.findall(r'\w+', 'naïve café'), re.search('ü', 'für').span())
for p in ('(', 'a**', '[', '*a', '(?P<n>a)(?P<n>b)', r'\1', '(?<=a+)b', 'a{3,2}', ')', '[z-a]', '(?z)'):
    try: re.compile(p); print('ok', p)
    except re.error as e: print(p, 'error')
show(re.match(r'(?>a+)ab', 'aaab'), re.match(r'a++b', 'aaab').group(), re.match(r'\d+(?:\.\d+)?(?:[eE][+-]?\d+)?', '3.14e-10x').group(), re.findall(r'"([^"\\]*(?:\\.[^"\\]*)*)"', r'"a\"b" "c"'), re.split(r'\W+', 'Words, words, words.'), re.split(r'(\W+)', 'Words, words', 1), re.findall(r'(?m)^(\w+):\s*(.*)$', 'a: 1\nb: 2'))
show(re.match(r'\A\w+\Z', 'abc').group(), re.search('$', 'ab\n').span(), re.findall('$', 'a\nb', re.M), re.search(r'\Z', 'ab\n').span(), [m.group() for m in re.finditer(r'a|(?=b)', 'aab')], re.compile('(a)(b)?').match('a').end(2), re.match('x', 'x').expand(r'<\g<0>>'), re.compile('b').search('abcb', 2).span(), re.compile('^b').match('ab', 1))
show(re.match('(a*)*$', 'a' * 30 + 'b'), re.match('(a|aa)+$', 'a' * 40 + 'b'), re.search('(x+x+)+y', 'x' * 40))
