# unittest.case -- a test case: setting up, assertions, cleaning up.
import collections as _collections
import contextlib as _contextlib
import difflib as _difflib
import functools as _functools
import logging as _logging
import pprint as _pprint
import re as _re
import sys as _sys
import types as _types
import warnings as _warnings

from unittest.result import TestResult
from unittest.util import _common_shorten_repr, _count_diff, safe_repr, strclass as _strclass

DIFF_OMITTED = "\nDiff is %s characters long. Set self.maxDiff to None to see it."


class SkipTest(Exception):
    pass


class _ShouldStop(Exception):
    pass


class _UnexpectedSuccess(Exception):
    pass


_module_cleanups = []


def addModuleCleanup(function, /, *args, **kwargs):
    _module_cleanups.append((function, args, kwargs))


def enterModuleContext(cm):
    value = cm.__enter__()
    addModuleCleanup(cm.__exit__, None, None, None)
    return value


def doModuleCleanups():
    while _module_cleanups:
        f, args, kwargs = _module_cleanups.pop()
        f(*args, **kwargs)


def skip(reason):
    def decorate(item):
        if not isinstance(item, type):
            @_functools.wraps(item)
            def skipped(*args, **kwargs):
                raise SkipTest(reason)
            skipped.__unittest_skip__, skipped.__unittest_skip_why__ = True, reason
            return skipped
        item.__unittest_skip__, item.__unittest_skip_why__ = True, reason
        return item
    if isinstance(reason, _types.FunctionType):
        item, reason = reason, ""
        return decorate(item)
    return decorate


def skipIf(condition, reason):
    return skip(reason) if condition else lambda item: item


def skipUnless(condition, reason):
    return lambda item: item if condition else skip(reason)(item)


def expectedFailure(item):
    item.__unittest_expecting_failure__ = True
    return item


class _Raises:
    def __init__(self, case, expected, what, regex=None, msg=None):
        self.case, self.expected, self.what, self.msg = case, expected, what, msg
        self.regex = _re.compile(regex) if isinstance(regex, (str, bytes)) else regex

    def _names(self):
        e = self.expected
        return getattr(e, "__name__", None) or str(e)

    def _fail(self, text):
        raise self.case.failureException(self.case._formatMessage(self.msg, text))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, tb):
        if kind is None:
            if self.obj_name:
                self._fail("{} not raised by {}".format(self._names(), self.obj_name))
            self._fail("{} not raised".format(self._names()))
        if not issubclass(kind, self.expected):
            return False
        self.exception = value
        if self.regex is not None and not self.regex.search(str(value)):
            self._fail('"{}" does not match "{}"'.format(self.regex.pattern, str(value)))
        return True

    obj_name = None


class _Warns(_Raises):
    def __enter__(self):
        self._catch = _warnings.catch_warnings(record=True)
        self.warnings = self._catch.__enter__()
        _warnings.simplefilter("always", self.expected)
        return self

    def __exit__(self, kind, value, tb):
        self._catch.__exit__(kind, value, tb)
        if kind is not None:
            return False
        first = None
        for m in self.warnings:
            w = m.message
            if not isinstance(w, self.expected):
                continue
            first = w if first is None else first
            if self.regex is not None and not self.regex.search(str(w)):
                continue
            self.warning, self.filename, self.lineno = w, m.filename, m.lineno
            return False
        if first is not None:
            self._fail('"{}" does not match "{}"'.format(self.regex.pattern, str(first)))
        self._fail("{} not triggered by {}".format(self._names(), self.obj_name) if self.obj_name
                   else "{} not triggered".format(self._names()))


_LogWatch = _collections.namedtuple("_LoggingWatcher", ["records", "output"])


class _Capture(_logging.Handler):
    def __init__(self):
        super().__init__()
        self.watcher = _LogWatch([], [])

    def flush(self):
        pass

    def emit(self, record):
        self.watcher.records.append(record)
        self.watcher.output.append("%s:%s:%s" % (record.levelname, record.name, record.getMessage()))


class _Logs:
    def __init__(self, case, logger, level, none):
        self.case, self.name, self.none = case, logger, none
        self.level = _logging.INFO if not level else _logging.getLevelName(level) if isinstance(level, str) else level

    def __enter__(self):
        log = self.logger = self.name if isinstance(self.name, _logging.Logger) else _logging.getLogger(self.name)
        self.handler = _Capture()
        self.handler.setLevel(self.level)
        self.was = log.handlers, log.level, log.propagate
        log.handlers, log.propagate = [self.handler], False
        log.setLevel(self.level)
        return None if self.none else self.handler.watcher

    def __exit__(self, kind, value, tb):
        log = self.logger
        log.handlers, level, log.propagate = self.was
        log.setLevel(level)
        if kind is not None:
            return False
        got = self.handler.watcher
        if self.none and got.records:
            raise self.case.failureException("Unexpected logs found: {!r}".format(got.output))
        if not self.none and not got.records:
            raise self.case.failureException("no logs of level {} or higher triggered on {}".format(
                _logging.getLevelName(self.level), log.name))


class _Outcome:
    def __init__(self, result):
        self.result, self.success, self.expecting_failure, self.expected = result, True, False, None

    @_contextlib.contextmanager
    def run(self, case, subtest=False):
        was, self.success = self.success, True
        try:
            yield
        except KeyboardInterrupt:
            raise
        except SkipTest as e:
            self.success = False
            self.result.addSkip(case, str(e))
        except _ShouldStop:
            pass
        except BaseException:
            info = _sys.exc_info()
            if self.expecting_failure:
                self.expected = info
            else:
                self.success = False
                if subtest:
                    self.result.addSubTest(case.test_case, case, info)
                elif issubclass(info[0], case.failureException):
                    self.result.addFailure(case, info)
                else:
                    self.result.addError(case, info)
        else:
            if subtest and self.success:
                self.result.addSubTest(case.test_case, case, None)
        finally:
            self.success = self.success and was


class TestCase:
    failureException = AssertionError
    longMessage = True
    maxDiff = 80 * 8
    _diffThreshold = 2 ** 16
    _class_cleanups = []

    def __init_subclass__(cls, *args, **kwargs):
        cls._classSetupFailed, cls._class_cleanups = False, []
        super().__init_subclass__(*args, **kwargs)

    def __init__(self, methodName="runTest"):
        self._testMethodName = methodName
        self._outcome = self._subtest = None
        self._cleanups = []
        method = getattr(self, methodName, None)
        if method is None and methodName != "runTest":
            raise ValueError("no such test method in %s: %s" % (self.__class__, methodName))
        self._testMethodDoc = getattr(method, "__doc__", None)
        self._type_equality_funcs = {}
        for kind, name in ((dict, "assertDictEqual"), (list, "assertListEqual"), (tuple, "assertTupleEqual"),
                           (set, "assertSetEqual"), (frozenset, "assertSetEqual"), (str, "assertMultiLineEqual")):
            self.addTypeEqualityFunc(kind, name)

    # ---- a run ----

    def addTypeEqualityFunc(self, typeobj, function):
        self._type_equality_funcs[typeobj] = function

    def addCleanup(self, function, /, *args, **kwargs):
        self._cleanups.append((function, args, kwargs))

    def enterContext(self, cm):
        value = cm.__enter__()
        self.addCleanup(cm.__exit__, None, None, None)
        return value

    @classmethod
    def addClassCleanup(cls, function, /, *args, **kwargs):
        cls._class_cleanups.append((function, args, kwargs))

    @classmethod
    def enterClassContext(cls, cm):
        value = cm.__enter__()
        cls.addClassCleanup(cm.__exit__, None, None, None)
        return value

    @classmethod
    def doClassCleanups(cls):
        cls.tearDown_exceptions = []
        while cls._class_cleanups:
            f, args, kwargs = cls._class_cleanups.pop()
            try:
                f(*args, **kwargs)
            except Exception:
                cls.tearDown_exceptions.append(_sys.exc_info())

    def setUp(self):
        pass

    def tearDown(self):
        pass

    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    def countTestCases(self):
        return 1

    def defaultTestResult(self):
        return TestResult()

    def shortDescription(self):
        doc = self._testMethodDoc
        return doc.strip().split("\n")[0].strip() if doc else None

    def id(self):
        return "%s.%s" % (_strclass(self.__class__), self._testMethodName)

    def __eq__(self, other):
        return self._testMethodName == other._testMethodName if type(self) is type(other) else NotImplemented

    def __hash__(self):
        return hash((type(self), self._testMethodName))

    def __str__(self):
        return "%s (%s.%s)" % (self._testMethodName, _strclass(self.__class__), self._testMethodName)

    def __repr__(self):
        return "<%s testMethod=%s>" % (_strclass(self.__class__), self._testMethodName)

    @_contextlib.contextmanager
    def subTest(self, msg=_types, **params):
        if self._outcome is None:
            yield
            return
        was = self._subtest
        merged = dict(was.params) if was is not None else {}
        merged.update(params)
        self._subtest = _SubTest(self, msg, merged)
        try:
            with self._outcome.run(self._subtest, subtest=True):
                yield
            if not self._outcome.success and self._outcome.result.failfast:
                raise _ShouldStop
            if self._outcome.expected is not None:
                raise _ShouldStop
        finally:
            self._subtest = was

    def _callSetUp(self):
        self.setUp()

    def _callTestMethod(self, method):
        method()

    def _callTearDown(self):
        self.tearDown()

    def run(self, result=None):
        own = result is None
        if own:
            result = self.defaultTestResult()
            result.startTestRun()
        result.startTest(self)
        try:
            method = getattr(self, self._testMethodName)
            if getattr(self.__class__, "__unittest_skip__", False) or getattr(method, "__unittest_skip__", False):
                why = getattr(self.__class__, "__unittest_skip_why__", "") or getattr(method, "__unittest_skip_why__", "")
                result.addSkip(self, why)
                return result
            expecting = (getattr(self, "__unittest_expecting_failure__", False)
                         or getattr(method, "__unittest_expecting_failure__", False))
            out = self._outcome = _Outcome(result)
            try:
                with out.run(self):
                    self._callSetUp()
                if out.success:
                    out.expecting_failure = expecting
                    with out.run(self):
                        self._callTestMethod(method)
                    out.expecting_failure = False
                    with out.run(self):
                        self._callTearDown()
                self.doCleanups()
                if out.success:
                    if not expecting:
                        result.addSuccess(self)
                    elif out.expected:
                        result.addExpectedFailure(self, out.expected)
                    else:
                        result.addUnexpectedSuccess(self)
            finally:
                self._outcome = None
        finally:
            result.stopTest(self)
            if own:
                result.stopTestRun()
        return result

    def doCleanups(self):
        out = self._outcome or _Outcome(TestResult())
        while self._cleanups:
            f, args, kwargs = self._cleanups.pop()
            with out.run(self):
                f(*args, **kwargs)
        return out.success

    def __call__(self, *args, **kwargs):
        return self.run(*args, **kwargs)

    def debug(self):
        self.setUp()
        getattr(self, self._testMethodName)()
        self.tearDown()
        while self._cleanups:
            f, args, kwargs = self._cleanups.pop()
            f(*args, **kwargs)

    def skipTest(self, reason):
        raise SkipTest(reason)

    def fail(self, msg=None):
        raise self.failureException(msg)

    # ---- messages ----

    def _formatMessage(self, msg, standardMsg):
        if not self.longMessage:
            return msg or standardMsg
        return standardMsg if msg is None else "%s : %s" % (standardMsg, msg)

    def _truncateMessage(self, message, diff):
        return message + (diff if self.maxDiff is None or len(diff) <= self.maxDiff else DIFF_OMITTED % len(diff))

    def _no(self, msg, text):
        raise self.failureException(self._formatMessage(msg, text))

    # ---- assertions ----

    def assertFalse(self, expr, msg=None):
        if expr:
            self._no(msg, "%s is not false" % safe_repr(expr))

    def assertTrue(self, expr, msg=None):
        if not expr:
            self._no(msg, "%s is not true" % safe_repr(expr))

    def assertRaises(self, expected_exception, *args, **kwargs):
        return self._raises(_Raises(self, expected_exception, "assertRaises", None, kwargs.pop("msg", None) if not args else None),
                            args, kwargs)

    def assertRaisesRegex(self, expected_exception, expected_regex, *args, **kwargs):
        return self._raises(_Raises(self, expected_exception, "assertRaisesRegex", expected_regex,
                                    kwargs.pop("msg", None) if not args else None), args, kwargs)

    def assertWarns(self, expected_warning, *args, **kwargs):
        return self._raises(_Warns(self, expected_warning, "assertWarns", None, kwargs.pop("msg", None) if not args else None),
                            args, kwargs)

    def assertWarnsRegex(self, expected_warning, expected_regex, *args, **kwargs):
        return self._raises(_Warns(self, expected_warning, "assertWarnsRegex", expected_regex,
                                   kwargs.pop("msg", None) if not args else None), args, kwargs)

    def _raises(self, context, args, kwargs):
        kinds = context.expected if isinstance(context.expected, tuple) else (context.expected,)
        if not all(isinstance(k, type) and issubclass(k, BaseException) for k in kinds):
            raise TypeError("%s() arg 1 must be %s" % (
                context.what, "a warning class or tuple of warning classes" if isinstance(context, _Warns)
                else "an exception type or tuple of exception types"))
        if not args:
            if kwargs:
                raise TypeError("%r is an invalid keyword argument for this function" % (next(iter(kwargs)),))
            return context
        context.obj_name = getattr(args[0], "__name__", None) or str(args[0])
        with context:
            args[0](*args[1:], **kwargs)

    def assertLogs(self, logger=None, level=None):
        return _Logs(self, logger, level, False)

    def assertNoLogs(self, logger=None, level=None):
        return _Logs(self, logger, level, True)

    def _getAssertEqualityFunc(self, first, second):
        f = self._type_equality_funcs.get(type(first)) if type(first) is type(second) else None
        if f is None:
            return self._baseAssertEqual
        return getattr(self, f) if isinstance(f, str) else f

    def _baseAssertEqual(self, first, second, msg=None):
        if not first == second:
            self._no(msg, "%s != %s" % _common_shorten_repr(first, second))

    def assertEqual(self, first, second, msg=None):
        self._getAssertEqualityFunc(first, second)(first, second, msg=msg)

    def assertNotEqual(self, first, second, msg=None):
        if not first != second:
            self._no(msg, "%s == %s" % (safe_repr(first), safe_repr(second)))

    def assertAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        if first == second:
            return
        if delta is not None and places is not None:
            raise TypeError("specify delta or places not both")
        diff = abs(first - second)
        if diff <= delta if delta is not None else round(diff, 7 if places is None else places) == 0:
            return
        self._no(msg, "%s != %s within %s (%s difference)" % (
            safe_repr(first), safe_repr(second),
            safe_repr(delta) + " delta" if delta is not None else "%r places" % (7 if places is None else places),
            safe_repr(diff)))

    def assertNotAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        if delta is not None and places is not None:
            raise TypeError("specify delta or places not both")
        diff = abs(first - second)
        if delta is not None:
            if not first == second and diff > delta:
                return
            self._no(msg, "%s == %s within %s delta (%s difference)" % (
                safe_repr(first), safe_repr(second), safe_repr(delta), safe_repr(diff)))
        places = 7 if places is None else places
        if not first == second and round(diff, places) != 0:
            return
        self._no(msg, "%s == %s within %r places" % (safe_repr(first), safe_repr(second), places))

    def assertSequenceEqual(self, seq1, seq2, msg=None, seq_type=None):
        if seq_type is not None:
            for which, s in (("First", seq1), ("Second", seq2)):
                if not isinstance(s, seq_type):
                    raise self.failureException("%s sequence is not a %s: %s" % (which, seq_type.__name__, safe_repr(s)))
            kind = seq_type.__name__
        else:
            kind = "sequence"
        if seq1 == seq2:
            return
        text = "%ss differ: %s != %s\n" % ((kind.capitalize(),) + _common_shorten_repr(seq1, seq2))
        n1, n2 = len(seq1), len(seq2)
        for i in range(min(n1, n2)):
            if seq1[i] != seq2[i]:
                text += "\nFirst differing element %d:\n%s\n%s\n" % ((i,) + _common_shorten_repr(seq1[i], seq2[i]))
                break
        else:
            if n1 == n2 and seq_type is None and type(seq1) != type(seq2):
                return
        for a, n, m, which in ((seq1, n1, n2, "First"), (seq2, n2, n1, "Second")):
            if n > m:
                text += "\n%s %s contains %d additional elements.\nFirst extra element %d:\n%s\n" % (
                    which, kind, n - m, m, safe_repr(a[m]))
        diff = "\n".join(_difflib.ndiff(_pprint.pformat(seq1).splitlines(), _pprint.pformat(seq2).splitlines()))
        self._no(msg, self._truncateMessage(text, "\n" + diff))

    def assertListEqual(self, list1, list2, msg=None):
        self.assertSequenceEqual(list1, list2, msg, seq_type=list)

    def assertTupleEqual(self, tuple1, tuple2, msg=None):
        self.assertSequenceEqual(tuple1, tuple2, msg, seq_type=tuple)

    def assertSetEqual(self, set1, set2, msg=None):
        lines = []
        for which, d in (("first", set1.difference(set2)), ("second", set2.difference(set1))):
            if d:
                lines.append(f"Items in the {which} set but not the {'second' if which == 'first' else 'first'}:")
                lines += [repr(x) for x in d]
        if lines:
            self._no(msg, "\n".join(lines))

    def assertIn(self, member, container, msg=None):
        if member not in container:
            self._no(msg, "%s not found in %s" % (safe_repr(member), safe_repr(container)))

    def assertNotIn(self, member, container, msg=None):
        if member in container:
            self._no(msg, "%s unexpectedly found in %s" % (safe_repr(member), safe_repr(container)))

    def assertIs(self, expr1, expr2, msg=None):
        if expr1 is not expr2:
            self._no(msg, "%s is not %s" % (safe_repr(expr1), safe_repr(expr2)))

    def assertIsNot(self, expr1, expr2, msg=None):
        if expr1 is expr2:
            self._no(msg, "unexpectedly identical: %s" % (safe_repr(expr1),))

    def assertDictEqual(self, d1, d2, msg=None):
        self.assertIsInstance(d1, dict, "First argument is not a dictionary")
        self.assertIsInstance(d2, dict, "Second argument is not a dictionary")
        if d1 != d2:
            diff = "\n".join(_difflib.ndiff(_pprint.pformat(d1).splitlines(), _pprint.pformat(d2).splitlines()))
            self._no(msg, self._truncateMessage("%s != %s" % _common_shorten_repr(d1, d2), "\n" + diff))

    def assertDictContainsSubset(self, subset, dictionary, msg=None):
        missing = [k for k in subset if k not in dictionary]
        wrong = [k for k in subset if k in dictionary and subset[k] != dictionary[k]]
        if missing or wrong:
            text = "Missing: %s" % ",".join(safe_repr(m) for m in missing) if missing else ""
            if wrong:
                text += ("; " if text else "") + "Mismatched values: %s" % ",".join(
                    "%s, expected: %s, actual: %s" % (safe_repr(k), safe_repr(subset[k]), safe_repr(dictionary[k])) for k in wrong)
            self._no(msg, text)

    def assertCountEqual(self, first, second, msg=None):
        differences = _count_diff(list(first), list(second))
        if differences:
            lines = ["First has %d, Second has %d:  %r" % d for d in differences]
            self._no(msg, self._truncateMessage("Element counts were not equal:\n", "\n".join(lines)))

    def assertMultiLineEqual(self, first, second, msg=None):
        self.assertIsInstance(first, str, "First argument is not a string")
        self.assertIsInstance(second, str, "Second argument is not a string")
        if first == second:
            return
        if len(first) > self._diffThreshold or len(second) > self._diffThreshold:
            self._baseAssertEqual(first, second, msg)
        a, b = first.splitlines(keepends=True), second.splitlines(keepends=True)
        if len(a) == 1 and first.strip("\r\n") == first:
            a, b = [first + "\n"], [second + "\n"]
        diff = "\n" + "".join(_difflib.ndiff(a, b))
        self._no(msg, self._truncateMessage("%s != %s" % _common_shorten_repr(first, second), diff))

    def assertLess(self, a, b, msg=None):
        if not a < b:
            self._no(msg, "%s not less than %s" % (safe_repr(a), safe_repr(b)))

    def assertLessEqual(self, a, b, msg=None):
        if not a <= b:
            self._no(msg, "%s not less than or equal to %s" % (safe_repr(a), safe_repr(b)))

    def assertGreater(self, a, b, msg=None):
        if not a > b:
            self._no(msg, "%s not greater than %s" % (safe_repr(a), safe_repr(b)))

    def assertGreaterEqual(self, a, b, msg=None):
        if not a >= b:
            self._no(msg, "%s not greater than or equal to %s" % (safe_repr(a), safe_repr(b)))

    def assertIsNone(self, obj, msg=None):
        if obj is not None:
            self._no(msg, "%s is not None" % (safe_repr(obj),))

    def assertIsNotNone(self, obj, msg=None):
        if obj is None:
            self._no(msg, "unexpectedly None")

    def assertIsInstance(self, obj, cls, msg=None):
        if not isinstance(obj, cls):
            self._no(msg, "%s is not an instance of %r" % (safe_repr(obj), cls))

    def assertNotIsInstance(self, obj, cls, msg=None):
        if isinstance(obj, cls):
            self._no(msg, "%s is an instance of %r" % (safe_repr(obj), cls))

    def assertRegex(self, text, expected_regex, msg=None):
        r = _re.compile(expected_regex) if isinstance(expected_regex, (str, bytes)) else expected_regex
        if not r.search(text):
            self._no(msg, "Regex didn't match: %r not found in %r" % (r.pattern, text))

    def assertNotRegex(self, text, unexpected_regex, msg=None):
        r = _re.compile(unexpected_regex) if isinstance(unexpected_regex, (str, bytes)) else unexpected_regex
        m = r.search(text)
        if m:
            self._no(msg, "Regex matched: %r matches %r in %r" % (text[m.start():m.end()], r.pattern, text))

    failUnlessEqual = assertEquals = assertEqual
    failIfEqual = assertNotEquals = assertNotEqual
    failUnless = assert_ = assertTrue
    assertRaisesRegexp = assertRaisesRegex
    assertRegexpMatches = assertRegex
    assertAlmostEquals = assertAlmostEqual


IsolatedAsyncioTestCase = TestCase


class FunctionTestCase(TestCase):
    def __init__(self, testFunc, setUp=None, tearDown=None, description=None):
        super().__init__()
        self._fn, self._up, self._down, self._description = testFunc, setUp, tearDown, description

    def setUp(self):
        if self._up is not None:
            self._up()

    def tearDown(self):
        if self._down is not None:
            self._down()

    def runTest(self):
        self._fn()

    def id(self):
        return self._fn.__name__

    def __str__(self):
        return "%s (%s)" % (_strclass(self.__class__), self._fn.__name__)

    def shortDescription(self):
        doc = self._description or self._fn.__doc__
        return doc.split("\n")[0].strip() if doc else None


class _SubTest(TestCase):
    def __init__(self, test_case, message, params):
        super().__init__()
        self._message, self.test_case, self.params = message, test_case, params
        self.failureException = test_case.failureException

    def runTest(self):
        raise NotImplementedError("subtests cannot be run directly")

    def _subDescription(self):
        parts = []
        if self._message is not _types:
            parts.append("[{}]".format(self._message))
        if self.params:
            parts.append("({})".format(", ".join("{}={!r}".format(k, v) for k, v in self.params.items())))
        return " ".join(parts) or "(<subtest>)"

    def id(self):
        return "{} {}".format(self.test_case.id(), self._subDescription())

    def shortDescription(self):
        return self.test_case.shortDescription()

    def __str__(self):
        return "{} {}".format(self.test_case, self._subDescription())
