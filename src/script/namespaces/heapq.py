# heapq -- lists as heaps: a[k] <= a[2k + 1] and a[k] <= a[2k + 2].


def _up(a, k):
    x = a[k]
    while k > 0 and x < a[(k - 1) // 2]:
        a[k] = a[(k - 1) // 2]
        k = (k - 1) // 2
    a[k] = x


def _down(a, k):
    x, n = a[k], len(a)
    while 2 * k + 1 < n:
        child = 2 * k + 1
        if child + 1 < n and a[child + 1] < a[child]:
            child += 1
        if not a[child] < x:
            break
        a[k] = a[child]
        k = child
    a[k] = x


def heappush(heap, item):
    heap.append(item)
    _up(heap, len(heap) - 1)


def heappop(heap):
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap[0] = last
    _down(heap, 0)
    return first


def heapreplace(heap, item):
    first = heap[0]
    heap[0] = item
    _down(heap, 0)
    return first


def heappushpop(heap, item):
    return heapreplace(heap, item) if heap and heap[0] < item else item


def heapify(x):
    for k in reversed(range(len(x) // 2)):
        _down(x, k)


def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]


def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]
