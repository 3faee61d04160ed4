# logging.handlers -- files that are put aside when they are large, records that are kept for later. Those that send records away
# (sockets, mail, the system's log) are not here.
import os as _os
from logging import ERROR, FileHandler, Handler


class BaseRotatingHandler(FileHandler):
    namer = rotator = None

    def __init__(self, filename, mode, encoding=None, delay=False, errors=None):
        super().__init__(filename, mode, encoding, delay, errors)

    def emit(self, record):
        if self.shouldRollover(record):
            self.doRollover()
        super().emit(record)

    def rotation_filename(self, default_name):
        return self.namer(default_name) if callable(self.namer) else default_name

    def rotate(self, source, dest):
        if callable(self.rotator):
            self.rotator(source, dest)
        elif _os.path.exists(source):
            _os.rename(source, dest)


class RotatingFileHandler(BaseRotatingHandler):
    def __init__(self, filename, mode="a", maxBytes=0, backupCount=0, encoding=None, delay=False, errors=None):
        super().__init__(filename, "a" if maxBytes > 0 else mode, encoding, delay, errors)
        self.maxBytes, self.backupCount = maxBytes, backupCount

    def doRollover(self):
        self.close()
        if self.backupCount > 0:        # otherwise the file grows
            name = [self.baseFilename] + [self.rotation_filename(f"{self.baseFilename}.{i}") for i in range(1, self.backupCount + 1)]
            for i in range(self.backupCount, 0, -1):
                if _os.path.exists(name[i - 1]):
                    if _os.path.exists(name[i]):
                        _os.remove(name[i])
                    self.rotate(name[i - 1], name[i])
        self.stream = self._open()

    def shouldRollover(self, record):
        if self.maxBytes <= 0:
            return False
        if self.stream is None:
            self.stream = self._open()
        self.stream.flush()
        size = _os.path.getsize(self.baseFilename)
        return size > 0 and size + len((self.format(record) + "\n").encode()) >= self.maxBytes


class BufferingHandler(Handler):
    def __init__(self, capacity):
        super().__init__()
        self.capacity, self.buffer = capacity, []

    def shouldFlush(self, record):
        return len(self.buffer) >= self.capacity

    def emit(self, record):
        self.buffer.append(record)
        if self.shouldFlush(record):
            self.flush()

    def flush(self):
        self.buffer.clear()

    def close(self):
        self.flush()
        super().close()


class MemoryHandler(BufferingHandler):
    def __init__(self, capacity, flushLevel=ERROR, target=None, flushOnClose=True):
        super().__init__(capacity)
        self.flushLevel, self.target, self.flushOnClose = flushLevel, target, flushOnClose

    def shouldFlush(self, record):
        return len(self.buffer) >= self.capacity or record.levelno >= self.flushLevel

    def setTarget(self, target):
        self.target = target

    def flush(self):
        if self.target:
            for record in self.buffer:
                self.target.handle(record)
            self.buffer.clear()

    def close(self):
        if self.flushOnClose:
            self.flush()
        self.target = None
        self.buffer.clear()
        Handler.close(self)


class QueueHandler(Handler):
    def __init__(self, queue):
        super().__init__()
        self.queue = queue

    def enqueue(self, record):
        self.queue.put_nowait(record)

    def prepare(self, record):
        record.message = record.msg = self.format(record)
        record.args = record.exc_info = None
        return record

    def emit(self, record):
        self.enqueue(self.prepare(record))
