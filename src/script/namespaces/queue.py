# queue -- of one thread: who would wait for another waits for ever, so that is an error at once.
import heapq as _heapq
from collections import deque as _deque


class Empty(Exception):
    pass


class Full(Exception):
    pass


class ShutDown(Exception):
    pass


class Queue:
    def __init__(self, maxsize=0):
        self.maxsize, self.unfinished_tasks, self._shut = maxsize, 0, False
        self._init(maxsize)

    def _init(self, maxsize):
        self.queue = _deque()

    def _put(self, item):
        self.queue.append(item)

    def _get(self):
        return self.queue.popleft()

    def qsize(self):
        return len(self.queue)

    def empty(self):
        return not self.queue

    def full(self):
        return 0 < self.maxsize <= len(self.queue)

    def put(self, item, block=True, timeout=None):
        if self._shut:
            raise ShutDown
        if self.full():
            if block and timeout is None:
                raise RuntimeError("Queue.put waits for another thread, and there is none")
            raise Full
        self.unfinished_tasks += 1
        self._put(item)

    def get(self, block=True, timeout=None):
        if timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        if not self.queue:
            if self._shut:
                raise ShutDown
            if block and timeout is None:
                raise RuntimeError("Queue.get waits for another thread, and there is none")
            raise Empty
        return self._get()

    def put_nowait(self, item):
        self.put(item, False)

    def get_nowait(self):
        return self.get(False)

    def task_done(self):
        if self.unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1

    def join(self):
        if self.unfinished_tasks:
            raise RuntimeError("Queue.join waits for another thread, and there is none")

    def shutdown(self, immediate=False):
        self._shut = True
        if immediate:
            self.queue = type(self.queue)()
            self.unfinished_tasks = 0

    def close(self):
        pass

    join_thread = cancel_join_thread = close


class LifoQueue(Queue):
    def _init(self, maxsize):
        self.queue = []

    def _get(self):
        return self.queue.pop()


class PriorityQueue(LifoQueue):
    def _put(self, item):
        _heapq.heappush(self.queue, item)

    def _get(self):
        return _heapq.heappop(self.queue)


class SimpleQueue(Queue):
    def __init__(self):
        Queue.__init__(self)
