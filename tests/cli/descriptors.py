# descriptors: pipes, copies of them, files opened by number; cores that a process may use; times
import os
import tempfile

r, w = os.pipe()
print(os.write(w, b"hello pipe\nmore\n"), os.read(r, 5), os.isatty(r))
os.close(w)
with os.fdopen(r) as f:
    print(f.readlines(), f.name == r)

path = os.path.join(tempfile.mkdtemp(), "x.txt")
fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
f = os.fdopen(os.dup(fd), "w", buffering=1)
f.write("one line\n")  # there at once: it ends
print(open(path).read(), end="")
f.write("held")
print(len(open(path).read()))
f.close()
print(os.lseek(fd, 4, os.SEEK_SET), os.read(fd, 100))
os.close(fd)
for bad in (lambda: os.close(fd), lambda: os.read(-1, 3), lambda: os.fdopen("x"), lambda: os.write(1, "text"),
            lambda: open(path, "w", buffering=0), lambda: os.open(path + "/no", os.O_RDONLY)):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__)
g = open(path, "wb", 0)
g.write(b"raw")
print(open(path, "rb").read())
g.close()

print(flush=True)
keep = os.dup(1)
os.dup2(2, 1)
print("this goes to standard error", flush=True)
os.dup2(keep, 1)
print("and this to standard output")

cores = os.sched_getaffinity(0)
print(type(cores).__name__, len(cores) >= 1, all(isinstance(c, int) for c in cores))
os.sched_setaffinity(0, {min(cores)})
print(len(os.sched_getaffinity(0)))
try:
    os.sched_setaffinity(0, {-1})
except ValueError as e:
    print(e)
t = os.times()
print(len(t), t.user >= 0, t.children_user >= 0, t.elapsed > 0)

# standard input, of which there is nothing here
import sys

print(sys.stdin.readable(), sys.stdin.name, sys.stdin.fileno())
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
print(repr(sys.stdin.read()), list(sys.stdin), sys.stdin.buffer.read())
