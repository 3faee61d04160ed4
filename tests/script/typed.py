from typing import NamedTuple, List, Optional


class Pair(NamedTuple):
    first: int
    second: str = "b"

    def both(self):
        return f"{self.first}{self.second}"


p = Pair(1)
print(p, p.first, p[1], p.both(), p == (1, "b"), Pair(second="z", first=2), len(p))
a, b = p
print(a, b, isinstance(p, tuple), Pair._fields)


def f(x: Optional[int] = None, *, y: List[int] = ()) -> int:
    return (x or 0) + len(y)


print(f(), f(3, y=[1, 2]))
