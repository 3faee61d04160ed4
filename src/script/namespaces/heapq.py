# heapq -- lists as heaps: a[k] <= a[2k + 1] and a[k] <= a[2k + 2]. Equal items come out in CPython's order.


def _rise(a, low, k):
    # a[k] moves towards low until its parent is not greater
    x = a[k]
    while k > low and x < a[(k - 1) // 2]:
        a[k] = a[(k - 1) // 2]
        k = (k - 1) // 2
    a[k] = x


def _settle(a, k):
    # the smaller children move up all the way to a leaf, then a[k] rises from there
    x, n, low = a[k], len(a), k
    while 2 * k + 1 < n:
        child = 2 * k + 1
        if child + 1 < n and not a[child] < a[child + 1]:
            child += 1
        a[k] = a[child]
        k = child
    a[k] = x
    _rise(a, low, k)


def heappush(heap, item):
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def heappop(heap):
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap[0] = last
    _settle(heap, 0)
    return first


def heapreplace(heap, item):
    if not heap:
        raise IndexError("index out of range")
    first = heap[0]
    heap[0] = item
    _settle(heap, 0)
    return first


def heappushpop(heap, item):
    return heapreplace(heap, item) if heap and heap[0] < item else item


def heapify(x):
    for k in reversed(range(len(x) // 2)):
        _settle(x, k)


def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:max(n, 0)]


def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:max(n, 0)]


class _Head:
    # the next item of one of several sorted iterables; of equal items that of the earlier one is first
    def __init__(self, item, key, reverse, order, rest):
        self.item, self.key, self.order, self.rest, self.reverse = item, key(item) if key else item, order, rest, reverse

    def __lt__(self, other):
        if self.reverse:
            return other.key < self.key or not self.key < other.key and self.order < other.order
        return self.key < other.key or not other.key < self.key and self.order < other.order


def merge(*iterables, key=None, reverse=False):
    heads = []
    for order, it in enumerate(map(iter, iterables)):
        for item in it:
            heads.append(_Head(item, key, reverse, order, it))
            break
    heapify(heads)
    while heads:
        h = heads[0]
        yield h.item
        for item in h.rest:
            heapreplace(heads, _Head(item, key, reverse, h.order, h.rest))
            break
        else:
            heappop(heads)
