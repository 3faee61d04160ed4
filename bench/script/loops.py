# Nested loops on ints and floats, lists, dicts, methods, comprehensions.
import time


def ints(n):
    s = 0
    for i in range(n):
        for j in range(100):
            s += i * j % 7
    return s


def floats(n):
    x, s = 0.5, 0.0
    for i in range(n):
        for j in range(100):
            x = 3.7 * x * (1.0 - x)
            s += x
    return round(s, 3)


def lists(n):
    a = []
    for i in range(n):
        a.append(i * 2)
    for i in range(len(a)):
        a[i] = a[i] + 1
    a.sort(key=lambda v: -v)
    return sum(a)


def dicts(n):
    d = {}
    for i in range(n):
        k = i % 1000
        d[k] = d.get(k, 0) + i
    words = {}
    for w in ["alpha", "beta", "gamma", "delta"] * (n // 8):
        if w in words:
            words[w] += 1
        else:
            words[w] = 1
    return sum(d.values()) + sum(words.values())


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def step(self, dx):
        self.x += dx
        return self.x + self.y


def methods(n):
    s = 0
    for i in range(n):
        p = Point(i, 1)
        s += p.step(2) + p.step(3)
    return s


def comprehensions(n):
    s = 0
    for i in range(n):
        s += len([x * x for x in range(100) if x % 3]) + sum(x for x in range(50))
    return s


def strings(n):
    parts = []
    for i in range(n):
        parts.append(f"{i}:{i * 0.5:.2f}")
    return len(",".join(parts))


for f, n in ((ints, 20000), (floats, 20000), (lists, 500000), (dicts, 1000000),
             (methods, 300000), (comprehensions, 10000), (strings, 200000)):
    t = time.process_time()
    r = f(n)
    print(f.__name__, r, f"{time.process_time() - t:.3f} s")
