# Temporary files and directories are their owner's alone, under names nobody can guess.
import os, tempfile

names = set()
for i in range(50):
    d = tempfile.mkdtemp(suffix='.d', prefix='weft-')
    name = os.path.basename(d)
    assert name.startswith('weft-') and name.endswith('.d') and len(name) == 15
    names.add(name)
    os.rmdir(d)
print(len(names))
with tempfile.TemporaryDirectory() as d, tempfile.NamedTemporaryFile('w+', dir=d, suffix='.txt') as f:
    f.write('text')
    f.flush()
    print(open(f.name).read(), os.listdir(d) == [os.path.basename(f.name)], f.name.endswith('.txt'))
print(os.path.exists(f.name), os.path.exists(d))
with tempfile.NamedTemporaryFile('w', delete=False) as f:
    f.write('kept')
print(open(f.name).read())
os.remove(f.name)
try:
    tempfile.mkdtemp(dir='/nowhere')
except FileNotFoundError as e:
    print('FileNotFoundError')
