# The small modules: abc, bisect, heapq, warnings.
import bisect
import heapq
import warnings
from abc import ABC, abstractmethod


class Shape(ABC):
    def __init__(self, size):
        self.size = size

    @abstractmethod
    def area(self):
        pass

    def twice(self):
        return 2 * self.area()


class Square(Shape):
    def area(self):
        return self.size ** 2


try:
    Shape(1)
except TypeError as e:
    print(e)
print(Square(3).twice(), isinstance(Square(1), Shape), issubclass(Square, ABC))

a = [1, 3, 3, 7]
print(bisect.bisect(a, 3), bisect.bisect_left(a, 3), bisect.bisect_right(a, 9), bisect.bisect_left(a, 0))
bisect.insort(a, 4)
bisect.insort_left(a, 3)
print(a, bisect.bisect_left(["a", "bbb"], 2, key=len))

heap = []
for n in [5, 1, 8, 3, 1, 9, 2]:
    heapq.heappush(heap, n)
print([heapq.heappop(heap) for _ in range(4)], sorted(heap))
tasks = [(3, "c"), (1, "a"), (2, "b")]
heapq.heapify(tasks)
print(heapq.heappushpop(tasks, (0, "z")), heapq.heapreplace(tasks, (9, "q")), heapq.heappop(tasks), tasks[0])
print(heapq.nsmallest(2, [4, 1, 3]), heapq.nlargest(2, ["aa", "b", "cccc"], key=len))

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    warnings.warn("not seen")
warnings.filterwarnings("ignore")
warnings.warn("not seen either", DeprecationWarning)
print("quiet")
