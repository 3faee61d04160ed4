# logging -- loggers, handlers, formatters.
import os as _os
import sys as _sys
import time as _time
import _host

CRITICAL = FATAL = 50
ERROR, WARNING, INFO, DEBUG, NOTSET = 40, 30, 20, 10, 0
WARN = WARNING
_names = {50: "CRITICAL", 40: "ERROR", 30: "WARNING", 20: "INFO", 10: "DEBUG", 0: "NOTSET"}
_numbers = {"CRITICAL": 50, "FATAL": 50, "ERROR": 40, "WARNING": 30, "WARN": 30, "INFO": 20, "DEBUG": 10, "NOTSET": 0}
BASIC_FORMAT = "%(levelname)s:%(name)s:%(message)s"
raiseExceptions = True
_start = _time.time()
_disabled = [0]


def getLevelName(level):
    return _names.get(level, _numbers.get(level, f"Level {level}"))


def getLevelNamesMapping():
    return dict(_numbers)


def addLevelName(level, name):
    _names[level] = name
    _numbers[name] = level


def _level(level):
    if isinstance(level, int):
        return level
    if level not in _numbers:
        raise ValueError(f"Unknown level: {level!r}")
    return _numbers[level]


_checkLevel = _level


class LogRecord:
    def __init__(self, name, level, pathname, lineno, msg, args, exc_info, func=None, sinfo=None, **kwargs):
        self.name, self.levelno, self.levelname, self.pathname, self.lineno = name, level, getLevelName(level), pathname, lineno
        self.msg, self.args, self.exc_info, self.exc_text, self.stack_info = msg, args, exc_info, None, sinfo
        if args and len(args) == 1 and isinstance(args[0], dict) and args[0]:
            self.args = args[0]
        self.filename = _os.path.basename(pathname)
        self.module = _os.path.splitext(self.filename)[0]
        self.funcName, self.created = func, _time.time()
        self.msecs = int((self.created - int(self.created)) * 1000) + 0.0
        self.relativeCreated = (self.created - _start) * 1000
        self.thread, self.threadName, self.processName, self.process = 1, "MainThread", "MainProcess", _os.getpid()
        self.__dict__.update(kwargs)

    def getMessage(self):
        m = str(self.msg)
        return m % self.args if self.args else m


class Formatter:
    default_time_format, default_msec_format = "%Y-%m-%d %H:%M:%S", "%s,%03d"

    def __init__(self, fmt=None, datefmt=None, style="%", validate=True, *, defaults=None):
        if style not in ("%", "{", "$"):
            raise ValueError("Style must be one of: %,{,$")
        self._style, self.datefmt, self._defaults = style, datefmt, defaults or {}
        self._fmt = fmt or {"%": "%(message)s", "{": "{message}", "$": "${message}"}[style]
        if validate and fmt and {"%": "%", "{": "{", "$": "$"}[style] not in fmt:
            raise ValueError(f"Invalid format {fmt!r} for {style!r} style")

    converter = _time.localtime

    def formatTime(self, record, datefmt=None):
        t = _time.localtime(record.created)
        if datefmt:
            return _time.strftime(datefmt, t)
        return self.default_msec_format % (_time.strftime(self.default_time_format, t), record.msecs)

    def formatException(self, ei):
        import traceback
        return "".join(traceback.format_exception(ei[1])).rstrip("\n")

    def usesTime(self):
        return "asctime" in self._fmt

    def formatMessage(self, record):
        d = dict(self._defaults)
        d.update(record.__dict__)
        if self._style == "%":
            return self._fmt % d
        if self._style == "{":
            return self._fmt.format(**d)
        import string
        return string.Template(self._fmt).substitute(d)

    def format(self, record):
        record.message = record.getMessage()
        if self.usesTime():
            record.asctime = self.formatTime(record, self.datefmt)
        s = self.formatMessage(record)
        if record.exc_info:
            s += ("" if s.endswith("\n") else "\n") + self.formatException(record.exc_info)
        return s + "\n" + record.stack_info if record.stack_info else s


class Filter:
    def __init__(self, name=""):
        self.name = name

    def filter(self, record):
        return not self.name or record.name == self.name or record.name.startswith(self.name + ".")


class _Filterer:
    def addFilter(self, f):
        if f not in self.filters:
            self.filters.append(f)

    def removeFilter(self, f):
        if f in self.filters:
            self.filters.remove(f)

    def filter(self, record):
        return all(f.filter(record) if hasattr(f, "filter") else f(record) for f in self.filters)


class Handler(_Filterer):
    def __init__(self, level=NOTSET):
        self.level, self.formatter, self.filters, self.name = _level(level), None, [], None
        _all.append(self)

    def setLevel(self, level):
        self.level = _level(level)

    def setFormatter(self, fmt):
        self.formatter = fmt

    def format(self, record):
        return (self.formatter or _default).format(record)

    def handle(self, record):
        if self.filter(record):
            self.emit(record)
            return True
        return False

    def emit(self, record):
        raise NotImplementedError("emit must be implemented by Handler subclasses")

    def flush(self):
        pass

    def close(self):
        pass

    def acquire(self):
        pass

    def release(self):
        pass

    def handleError(self, record):
        raise RuntimeError(f"logging: {record.msg!r}")

    def createLock(self):
        pass


_all = []
_default = Formatter()


class StreamHandler(Handler):
    terminator = "\n"

    def __init__(self, stream=None):
        super().__init__()
        self.stream = _sys.stderr if stream is None else stream

    def emit(self, record):
        self.stream.write(self.format(record) + self.terminator)
        self.flush()

    def flush(self):
        if hasattr(self.stream, "flush"):
            self.stream.flush()

    def setStream(self, stream):
        old, self.stream = self.stream, stream
        return old


class FileHandler(StreamHandler):
    def __init__(self, filename, mode="a", encoding=None, delay=False, errors=None):
        self.baseFilename, self.mode = _os.path.abspath(_os.fspath(filename)), mode
        self._open = lambda: open(self.baseFilename, mode, -1, encoding, errors)
        Handler.__init__(self)
        self.stream = None if delay else self._open()

    def emit(self, record):
        if self.stream is None:
            self.stream = self._open()
        super().emit(record)

    def close(self):
        if self.stream is not None:
            self.stream.close()
            self.stream = None


class NullHandler(Handler):
    def emit(self, record):
        return None

    def handle(self, record):
        return record is not None


class Logger(_Filterer):
    def __init__(self, name, level=NOTSET):
        self.name, self.level, self.parent, self.propagate = name, _level(level), None, True
        self.handlers, self.filters, self.disabled = [], [], False

    manager = None

    def setLevel(self, level):
        self.level = _level(level)

    def getEffectiveLevel(self):
        l = self
        while l is not None:
            if l.level:
                return l.level
            l = l.parent
        return NOTSET

    def isEnabledFor(self, level):
        return not self.disabled and level > _disabled[0] and level >= self.getEffectiveLevel()

    def addHandler(self, h):
        if h not in self.handlers:
            self.handlers.append(h)

    def removeHandler(self, h):
        if h in self.handlers:
            self.handlers.remove(h)

    def hasHandlers(self):
        l = self
        while l is not None:
            if l.handlers:
                return True
            l = l.parent if l.propagate else None
        return False

    def getChild(self, suffix):
        return getLogger(suffix if self is root else f"{self.name}.{suffix}")

    def makeRecord(self, name, level, fn, lno, msg, args, exc_info, func=None, extra=None, sinfo=None):
        r = LogRecord(name, level, fn, lno, msg, args, exc_info, func, sinfo)
        if extra:
            for k in extra:
                if k in ("message", "asctime") or k in r.__dict__:
                    raise KeyError(f"Attempt to overwrite {k!r} in LogRecord")
            r.__dict__.update(extra)
        return r

    def findCaller(self, stack_info=False, stacklevel=1):
        k = 1
        while True:
            c = _host.caller(k)
            if c is None:
                return ("(unknown file)", 0, "(unknown function)", None)
            if not c[0].startswith("<logging"):
                stacklevel -= 1
                if stacklevel <= 0:
                    info = None
                    if stack_info:
                        import traceback
                        info = "Stack (most recent call last):\n" + "".join(traceback.format_stack()).rstrip("\n")
                    return (c[0], c[1], c[2], info)
            k += 1

    def _log(self, level, msg, args, exc_info=None, extra=None, stack_info=False, stacklevel=1):
        fn, line, func, sinfo = self.findCaller(stack_info, stacklevel)
        if exc_info:
            if isinstance(exc_info, BaseException):
                exc_info = (type(exc_info), exc_info, exc_info.__traceback__)
            elif not isinstance(exc_info, tuple):
                exc_info = _sys.exc_info()
            if exc_info[1] is None:
                exc_info = None
        self.handle(self.makeRecord(self.name, level, fn, line, msg, args, exc_info, func, extra, sinfo))

    def handle(self, record):
        if not self.disabled and self.filter(record):
            self.callHandlers(record)

    def callHandlers(self, record):
        l, found = self, 0
        while l is not None:
            for h in l.handlers:
                found += 1
                if record.levelno >= h.level:
                    h.handle(record)
            l = l.parent if l.propagate else None
        if not found and record.levelno >= lastResort.level:
            lastResort.handle(record)

    def log(self, level, msg, *args, **kwargs):
        if self.isEnabledFor(level):
            self._log(level, msg, args, **kwargs)

    def debug(self, msg, *args, **kwargs):
        self.log(DEBUG, msg, *args, **kwargs)

    def info(self, msg, *args, **kwargs):
        self.log(INFO, msg, *args, **kwargs)

    def warning(self, msg, *args, **kwargs):
        self.log(WARNING, msg, *args, **kwargs)

    warn = warning

    def error(self, msg, *args, **kwargs):
        self.log(ERROR, msg, *args, **kwargs)

    def exception(self, msg, *args, exc_info=True, **kwargs):
        self.log(ERROR, msg, *args, exc_info=exc_info, **kwargs)

    def critical(self, msg, *args, **kwargs):
        self.log(CRITICAL, msg, *args, **kwargs)

    fatal = critical

    def __repr__(self):
        return f"<{type(self).__name__} {self.name} ({getLevelName(self.getEffectiveLevel())})>"


class RootLogger(Logger):
    def __init__(self, level):
        super().__init__("root", level)


class LoggerAdapter:
    def __init__(self, logger, extra=None):
        self.logger, self.extra = logger, extra

    def process(self, msg, kwargs):
        kwargs["extra"] = self.extra
        return msg, kwargs

    def log(self, level, msg, *args, **kwargs):
        if self.logger.isEnabledFor(level):
            msg, kwargs = self.process(msg, kwargs)
            self.logger.log(level, msg, *args, **kwargs)

    def debug(self, msg, *args, **kwargs):
        self.log(DEBUG, msg, *args, **kwargs)

    def info(self, msg, *args, **kwargs):
        self.log(INFO, msg, *args, **kwargs)

    def warning(self, msg, *args, **kwargs):
        self.log(WARNING, msg, *args, **kwargs)

    def error(self, msg, *args, **kwargs):
        self.log(ERROR, msg, *args, **kwargs)

    def critical(self, msg, *args, **kwargs):
        self.log(CRITICAL, msg, *args, **kwargs)


class _Stderr(StreamHandler):
    def __init__(self, level):
        super().__init__()
        self.level = level


lastResort = _Stderr(WARNING)
root = RootLogger(WARNING)
Logger.root = root
_class = [Logger]


class Manager:
    def __init__(self, rootnode):
        self.root, self.loggerDict, self.disable = rootnode, {}, 0

    def getLogger(self, name):
        return getLogger(name)


Logger.manager = Manager(root)
_loggers = Logger.manager.loggerDict


def setLoggerClass(cls):
    _class[0] = cls


def getLoggerClass():
    return _class[0]


def _parent(name):
    while "." in name:
        name = name.rsplit(".", 1)[0]
        if name in _loggers:
            return _loggers[name]
    return root


def getLogger(name=None):
    if not name or name == "root":
        return root
    l = _loggers.get(name)
    if l is None:
        l = _loggers[name] = _class[0](name)
        l.parent = _parent(name)
        for n, other in _loggers.items():
            if n.startswith(name + ".") and (other.parent is root or name.startswith(other.parent.name + ".")):
                other.parent = l
    return l


def basicConfig(*, filename=None, filemode="a", format=None, datefmt=None, style="%", level=None, stream=None, handlers=None,
                force=False, encoding=None, errors="backslashreplace"):
    if force:
        for h in root.handlers[:]:
            root.removeHandler(h)
            h.close()
    if root.handlers:
        return
    if handlers is None:
        if stream is not None and filename is not None:
            raise ValueError("'stream' and 'filename' should not be specified together")
        handlers = [FileHandler(filename, filemode, encoding, False, errors if encoding else None) if filename else StreamHandler(stream)]
    fmt = Formatter(format or {"%": BASIC_FORMAT, "{": "{levelname}:{name}:{message}", "$": "${levelname}:${name}:${message}"}[style], datefmt, style)
    for h in handlers:
        if h.formatter is None:
            h.setFormatter(fmt)
        root.addHandler(h)
    if level is not None:
        root.setLevel(level)


def _at_root(level):
    def call(msg, *args, **kwargs):
        if not root.handlers:
            basicConfig()
        root.log(level, msg, *args, **kwargs)
    return call


debug, info, warning, error, critical = _at_root(DEBUG), _at_root(INFO), _at_root(WARNING), _at_root(ERROR), _at_root(CRITICAL)
warn, fatal = warning, critical


def log(level, msg, *args, **kwargs):
    _at_root(level)(msg, *args, **kwargs)


def exception(msg, *args, exc_info=True, **kwargs):
    error(msg, *args, exc_info=exc_info, **kwargs)


def disable(level=CRITICAL):
    _disabled[0] = level


def shutdown():
    for h in _all:
        h.flush()


def captureWarnings(capture):
    if capture:
        raise NotImplementedError("logging.captureWarnings")


def getLogRecordFactory():
    return LogRecord
