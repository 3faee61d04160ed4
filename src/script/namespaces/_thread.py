# _thread -- what threading stands on, by its older names.
from threading import Lock, RLock, get_ident

allocate_lock = LockType = Lock
error = RuntimeError


def start_new_thread(function, args, kwargs={}):
    from threading import Thread
    t = Thread(target=function, args=args, kwargs=kwargs, daemon=True)
    t.start()
    return t.ident
