# warnings -- messages to the standard error stream, and filters that silence them.
import sys

_silent = [False]


def warn(message, category=None, stacklevel=1, source=None):
    if category is None:
        category = type(message) if isinstance(message, Warning) else UserWarning
    if not _silent[0]:
        sys.stderr.write(f"{category.__name__}: {message}\n")


def simplefilter(action, category=Warning, lineno=0, append=False):
    _silent[0] = action == "ignore"


def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    if message == "" and module == "":
        simplefilter(action, category)


def resetwarnings():
    _silent[0] = False


class catch_warnings:
    def __init__(self, *, record=False, module=None, action=None, category=Warning):
        self.record = record
        self.action = action

    def __enter__(self):
        self.before = _silent[0]
        if self.action is not None:
            simplefilter(self.action)
        return [] if self.record else None

    def __exit__(self, *exc):
        _silent[0] = self.before
        return False
