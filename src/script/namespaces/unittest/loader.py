# unittest.loader -- which tests there are: methods of classes, classes of modules, modules of folders.
import fnmatch as _fnmatch
import functools as _functools
import os as _os
import sys as _sys
import traceback as _traceback
import types as _types

from unittest import case as _case, suite as _suite


def _failed(name, message, suiteClass):
    def fail(self):
        raise ImportError(message)
    return suiteClass((type("_FailedTest", (_case.TestCase,), {name: fail})(name),))


class TestLoader:
    testMethodPrefix = "test"
    sortTestMethodsUsing = staticmethod(lambda a, b: (a > b) - (a < b))
    testNamePatterns = None
    suiteClass = _suite.TestSuite

    def __init__(self):
        self.errors = []

    def getTestCaseNames(self, testCaseClass):
        def wanted(name):
            if not name.startswith(self.testMethodPrefix) or not callable(getattr(testCaseClass, name)):
                return False
            full = "%s.%s.%s" % (testCaseClass.__module__, testCaseClass.__qualname__, name)
            return self.testNamePatterns is None or any(_fnmatch.fnmatchcase(full, p) for p in self.testNamePatterns)
        names = [n for n in dir(testCaseClass) if wanted(n)]
        if self.sortTestMethodsUsing:
            names.sort(key=_functools.cmp_to_key(self.sortTestMethodsUsing))
        return names

    def loadTestsFromTestCase(self, testCaseClass):
        if issubclass(testCaseClass, _suite.TestSuite):
            raise TypeError("Test cases should not be derived from TestSuite. Maybe you meant to derive from TestCase?")
        names = self.getTestCaseNames(testCaseClass)
        if not names and hasattr(testCaseClass, "runTest"):
            names = ["runTest"]
        return self.suiteClass([testCaseClass(n) for n in names])

    def loadTestsFromModule(self, module, *, pattern=None):
        found = [self.loadTestsFromTestCase(c) for c in [getattr(module, n) for n in dir(module)]
                 if isinstance(c, type) and issubclass(c, _case.TestCase)
                 and c not in (_case.TestCase, _case.FunctionTestCase)]
        tests = self.suiteClass(found)
        more = getattr(module, "load_tests", None)
        return tests if more is None else more(self, tests, pattern)

    def loadTestsFromName(self, name, module=None):
        parts = name.split(".")
        obj = module
        if module is None:
            n = len(parts)
            while n:
                try:
                    obj = __import__(".".join(parts[:n]), fromlist=["_"])
                    break
                except ImportError:
                    n -= 1
                    if not n:
                        self.errors.append(f"Failed to import test module: {name}\n{_traceback.format_exc()}")
                        return _failed(parts[-1], self.errors[-1], self.suiteClass)
            parts = parts[n:]
        parent = None
        for p in parts:
            parent, obj = obj, getattr(obj, p)
        if isinstance(obj, _types.ModuleType):
            return self.loadTestsFromModule(obj)
        if isinstance(obj, type) and issubclass(obj, _case.TestCase):
            return self.loadTestsFromTestCase(obj)
        if isinstance(obj, _types.FunctionType) and isinstance(parent, type) and issubclass(parent, _case.TestCase):
            return self.suiteClass([parent(parts[-1])])
        if isinstance(obj, _suite.TestSuite):
            return obj
        if callable(obj):
            t = obj()
            if isinstance(t, _suite.TestSuite):
                return t
            if isinstance(t, _case.TestCase):
                return self.suiteClass([t])
            raise TypeError("calling %s returned %s, not a test" % (obj, t))
        raise TypeError("don't know how to make test from: %s" % obj)

    def loadTestsFromNames(self, names, module=None):
        return self.suiteClass([self.loadTestsFromName(n, module) for n in names])

    def discover(self, start_dir, pattern="test*.py", top_level_dir=None):
        top = _os.path.abspath(top_level_dir or start_dir)
        if top not in _sys.path:
            _sys.path.insert(0, top)
        return self.suiteClass(list(self._find(_os.path.abspath(start_dir), top, pattern)))

    def _find(self, folder, top, pattern):
        for name in sorted(_os.listdir(folder)):
            path = _os.path.join(folder, name)
            if name.endswith(".py") and _os.path.isfile(path) and _fnmatch.fnmatch(name, pattern):
                module = _os.path.relpath(path, top)[:-3].replace("/", ".")
                try:
                    yield self.loadTestsFromModule(__import__(module, fromlist=["_"]), pattern=pattern)
                except Exception:
                    self.errors.append(f"Failed to import test module: {module}\n{_traceback.format_exc()}")
                    yield _failed(module, self.errors[-1], self.suiteClass)
            elif _os.path.isfile(_os.path.join(path, "__init__.py")):
                yield from self._find(path, top, pattern)


defaultTestLoader = TestLoader()
