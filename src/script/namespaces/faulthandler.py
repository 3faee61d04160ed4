# faulthandler -- reports of crashes are the program's own: nothing to turn on.
_on = False


def enable(file=None, all_threads=True):
    global _on
    _on = True


def disable():
    global _on
    was, _on = _on, False
    return was


def is_enabled():
    return _on


def register(signum, file=None, all_threads=True, chain=False):
    pass


def unregister(signum):
    return False


def dump_traceback(file=None, all_threads=True):
    import traceback
    traceback.print_stack(file=file)


def dump_traceback_later(timeout, repeat=False, file=None, exit=False):
    pass


def cancel_dump_traceback_later():
    pass
