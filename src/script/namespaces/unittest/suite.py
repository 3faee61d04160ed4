# unittest.suite -- tests that are run one after another, with what their classes and modules set up.
import sys as _sys

from unittest import case as _case


class BaseTestSuite:
    _cleanup = True

    def __init__(self, tests=()):
        self._tests = []
        self.addTests(tests)

    def __repr__(self):
        return "<%s.%s tests=%s>" % (type(self).__module__, type(self).__qualname__, list(self))

    def __eq__(self, other):
        return list(self) == list(other) if isinstance(other, type(self)) else NotImplemented

    def __iter__(self):
        return iter(self._tests)

    def countTestCases(self):
        return sum(t.countTestCases() for t in self._tests)

    def addTest(self, test):
        if not callable(test):
            raise TypeError("{} is not callable".format(repr(test)))
        if isinstance(test, type) and issubclass(test, (_case.TestCase, TestSuite)):
            raise TypeError("TestCases and TestSuites must be instantiated before passing them to addTest()")
        self._tests.append(test)

    def addTests(self, tests):
        if isinstance(tests, str):
            raise TypeError("tests must be an iterable of tests, not a string")
        for t in tests:
            self.addTest(t)

    def run(self, result):
        for t in self:
            if result.shouldStop:
                break
            t(result)
        return result

    def __call__(self, *args, **kwargs):
        return self.run(*args, **kwargs)

    def debug(self):
        for t in self:
            t.debug()


class _ErrorHolder:
    failureException = None

    def __init__(self, description):
        self.description = description

    def id(self):
        return self.description

    def shortDescription(self):
        return None

    def __str__(self):
        return self.id()

    def countTestCases(self):
        return 0


class TestSuite(BaseTestSuite):
    def run(self, result, debug=False):
        top = not getattr(result, "_testRunEntered", False)
        if top:
            result._testRunEntered = True
        for t in self:
            if result.shouldStop:
                break
            if not isinstance(t, BaseTestSuite):
                self._leave_class(t, result)
                self._enter_module(t, result)
                self._enter_class(t, result)
                result._previousTestClass = type(t)
                if getattr(type(t), "_classSetupFailed", False) or result._moduleSetUpFailed:
                    continue
            t(result)
        if top:
            self._leave_class(None, result)
            self._leave_module(result)
            result._testRunEntered = False
        return result

    def _guard(self, fn, name, where, result):
        try:
            fn()
        except _case.SkipTest as e:
            result.addSkip(_ErrorHolder(f"{name} ({where})"), str(e))
            return False
        except Exception:
            result.addError(_ErrorHolder(f"{name} ({where})"), _sys.exc_info())
            return False
        return True

    def _enter_class(self, test, result):
        cls = type(test)
        if cls is result._previousTestClass or result._moduleSetUpFailed or getattr(cls, "__unittest_skip__", False):
            return
        cls._classSetupFailed = False
        if hasattr(cls, "setUpClass") and not self._guard(cls.setUpClass, "setUpClass", _case._strclass(cls), result):
            cls._classSetupFailed = True
            self._guard(cls.doClassCleanups, "setUpClass", _case._strclass(cls), result)

    def _leave_class(self, test, result):
        cls = result._previousTestClass
        if cls is None or cls is type(test) or getattr(cls, "_classSetupFailed", False) or result._moduleSetUpFailed:
            return
        if getattr(cls, "__unittest_skip__", False) or not hasattr(cls, "tearDownClass"):
            return
        self._guard(cls.tearDownClass, "tearDownClass", _case._strclass(cls), result)
        cls.doClassCleanups()
        for err in getattr(cls, "tearDown_exceptions", []):
            result.addError(_ErrorHolder(f"tearDownClass ({_case._strclass(cls)})"), err)

    def _enter_module(self, test, result):
        was = result._previousTestClass.__module__ if result._previousTestClass is not None else None
        now = type(test).__module__
        if was == now:
            return
        self._leave_module(result)
        result._moduleSetUpFailed = False
        fn = getattr(_sys.modules.get(now), "setUpModule", None)
        if fn is not None and not self._guard(fn, "setUpModule", now, result):
            result._moduleSetUpFailed = True

    def _leave_module(self, result):
        was = result._previousTestClass.__module__ if result._previousTestClass is not None else None
        fn = getattr(_sys.modules.get(was), "tearDownModule", None) if was else None
        if fn is not None and not result._moduleSetUpFailed:
            self._guard(fn, "tearDownModule", was, result)
        if was:
            self._guard(_case.doModuleCleanups, "tearDownModule", was, result)
