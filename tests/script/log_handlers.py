# logging.handlers: files put aside, records kept.
import logging
import logging.handlers
import os
import queue
import tempfile

with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, "a.log")
    log = logging.getLogger("rotating")
    log.propagate = False
    h = logging.handlers.RotatingFileHandler(path, maxBytes=40, backupCount=2)
    h.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    log.addHandler(h)
    for i in range(12):
        log.warning("line %d", i)
    h.close()
    for name in sorted(os.listdir(d)):
        print(name, open(os.path.join(d, name)).read().split("\n"))
    one = logging.handlers.RotatingFileHandler(os.path.join(d, "b.log"), maxBytes=20)
    log.handlers[:] = [one]
    for i in range(15):
        log.warning("%d", i)
    one.close()
    print(open(os.path.join(d, "b.log")).read().split("\n"))

seen = []


class Seen(logging.Handler):
    def emit(self, record):
        seen.append(record.getMessage())


m = logging.handlers.MemoryHandler(3, target=Seen())
log.handlers[:] = [m]
log.setLevel(logging.DEBUG)
for i in range(4):
    log.info("kept %d", i)
print(seen, len(m.buffer))
log.error("now")
print(seen, len(m.buffer))
log.info("last")
m.close()
print(seen)
q = queue.Queue()
log.handlers[:] = [logging.handlers.QueueHandler(q)]
log.info("%s and %s", 1, 2)
r = q.get()
print(r.message, r.args, r.levelname)
