# signal -- names alone: handlers are not called.
SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM = 1, 2, 3, 9, 10, 11, 12, 13, 14, 15
SIG_DFL, SIG_IGN = 0, 1
_handlers = {}


def signal(signalnum, handler):
    if handler not in (SIG_DFL, SIG_IGN):
        raise NotImplementedError("signal.signal: handlers are not called here")
    old = _handlers.get(signalnum, SIG_DFL)
    _handlers[signalnum] = handler
    return old


def getsignal(signalnum):
    return _handlers.get(signalnum, SIG_DFL)
