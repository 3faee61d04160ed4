# doctest -- examples in docstrings, run and compared with what they say they print.
import inspect as _inspect
import io as _io
import linecache as _linecache
import re as _re
import sys as _sys
import traceback as _traceback
import types as _types
import unittest as _unittest

_flags = ["DONT_ACCEPT_TRUE_FOR_1", "DONT_ACCEPT_BLANKLINE", "NORMALIZE_WHITESPACE", "ELLIPSIS", "SKIP", "IGNORE_EXCEPTION_DETAIL",
          "REPORT_UDIFF", "REPORT_CDIFF", "REPORT_NDIFF", "REPORT_ONLY_FIRST_FAILURE", "FAIL_FAST"]
OPTIONFLAGS_BY_NAME = {n: 1 << i for i, n in enumerate(_flags)}
globals().update(OPTIONFLAGS_BY_NAME)
_EXAMPLE = _re.compile(r"^(?P<indent> *)>>> ?(?P<first>.*)\n?(?P<more>(?:(?P=indent)\.\.\.(?: .*|)\n?)*)(?P<want>(?:(?! *>>>)(?! *$).+$\n?)*)",
                       _re.M)


class Example:
    def __init__(self, source, want, lineno=0, indent=0, options=None):
        self.source, self.want, self.lineno, self.indent, self.options = source, want, lineno, indent, options or {}


class DocTest:
    def __init__(self, examples, globs, name, filename, lineno, docstring):
        self.examples, self.globs, self.name = examples, dict(globs), name
        self.filename, self.lineno, self.docstring = filename, lineno, docstring


class TestResults(tuple):
    def __new__(cls, failed, attempted):
        return tuple.__new__(cls, (failed, attempted))

    failed = property(lambda s: s[0])
    attempted = property(lambda s: s[1])

    def __repr__(self):
        return f"TestResults(failed={self[0]}, attempted={self[1]})"


class DocTestParser:
    def get_examples(self, string, name="<string>"):
        out = []
        for m in _EXAMPLE.finditer(string.expandtabs()):
            n = len(m["indent"])
            lines = [m["first"]] + [line[n + 4:] for line in m["more"].split("\n") if line]
            want = "".join(line[n:] + "\n" for line in m["want"].split("\n") if line)
            options = {}
            for d in _re.findall(r"#\s*doctest:\s*([^\n'\"]*)$", "\n".join(lines), _re.M):
                for o in d.replace(",", " ").split():
                    options[OPTIONFLAGS_BY_NAME[o[1:]]] = o[0] == "+"
            source = "\n".join(lines) + "\n"
            if source.strip() and not source.strip().startswith("#"):
                out.append(Example(source, want, string[:m.start()].count("\n"), n, options))
        return out

    def get_doctest(self, string, globs, name, filename, lineno):
        return DocTest(self.get_examples(string, name), globs, name, filename, lineno, string)


# The line, from 0, on which an object's docstring begins.
def _line_of(obj, filename):
    lines = _linecache.getlines(filename or "")
    at = None
    if isinstance(obj, type):
        start = _re.compile(rf"\s*class\s*{_re.escape(obj.__name__)}\b")
        at = next((i for i, line in enumerate(lines) if start.match(line)), None)
    elif not isinstance(obj, _types.ModuleType):
        at = _inspect.unwrap(obj).__code__.co_firstlineno - 1 if _inspect.isfunction(obj) else None
    else:
        return 0
    return None if at is None else next((i for i in range(at, len(lines)) if _re.match(r"(^|.*:)\s*\w*[\"']", lines[i])), None)


class DocTestFinder:
    def __init__(self, verbose=False, parser=DocTestParser(), recurse=True, exclude_empty=True):
        self._parser, self._recurse, self._exclude_empty = parser, recurse, exclude_empty

    def find(self, obj, name=None, module=None, globs=None, extraglobs=None):
        name = name or obj.__name__
        globs = dict(globs if globs is not None else getattr(obj, "__dict__", {}) if isinstance(obj, _types.ModuleType)
                     else getattr(_sys.modules.get(getattr(obj, "__module__", None)), "__dict__", {}))
        globs.update(extraglobs or {})
        globs.setdefault("__name__", "__main__")
        out, seen = [], set()
        self._find(out, obj, name, globs, seen, getattr(obj, "__name__", None) if isinstance(obj, _types.ModuleType) else None)
        return sorted(out, key=lambda t: t.name)

    def _find(self, out, obj, name, globs, seen, module):
        if id(obj) in seen:
            return
        seen.add(id(obj))
        doc = getattr(obj, "__doc__", None)
        doc = "" if doc is None and not self._exclude_empty else doc
        if isinstance(doc, str):
            t = self._parser.get_doctest(doc, globs, name, globs.get("__file__"), _line_of(obj, globs.get("__file__")))
            if t.examples or not self._exclude_empty:
                out.append(t)
        if not self._recurse:
            return
        if isinstance(obj, _types.ModuleType):
            for k, v in list(obj.__dict__.items()):
                if (_inspect.isroutine(_inspect.unwrap(v)) or isinstance(v, type)) and getattr(v, "__module__", None) == module:
                    self._find(out, v, f"{name}.{k}", globs, seen, module)
        elif isinstance(obj, type):
            for k, v in list(obj.__dict__.items()):
                v = v.__func__ if isinstance(v, (staticmethod, classmethod)) else v
                if isinstance(v, (_types.FunctionType, property, type)):
                    self._find(out, v, f"{name}.{k}", globs, seen, module)


class OutputChecker:
    def check_output(self, want, got, optionflags):
        if got == want:
            return True
        if not optionflags & DONT_ACCEPT_BLANKLINE:
            want = _re.sub(r"(?m)^<BLANKLINE>\s*?$", "", want)
            if got == want:
                return True
        if optionflags & NORMALIZE_WHITESPACE:
            got, want = " ".join(got.split()), " ".join(want.split())
            if got == want:
                return True
        if optionflags & ELLIPSIS and "..." in want:
            return _re.fullmatch(".*".join(_re.escape(p) for p in want.split("...")), got, _re.S) is not None
        return False

    def output_difference(self, example, got, optionflags):
        pad = lambda s: "".join("    " + line + "\n" for line in s.split("\n") if line or False)
        if example.want and got:
            return f"Expected:\n{pad(example.want)}Got:\n{pad(got)}"
        if example.want:
            return f"Expected:\n{pad(example.want)}Got nothing\n"
        return f"Expected nothing\nGot:\n{pad(got)}" if got else "Expected nothing\nGot nothing\n"


def _indented(text):
    return _re.sub("(?m)^(?!$)", "    ", text)


# What an example prints: an expression prints its value, as at a prompt.
def _run(source, globs, out):
    was = _sys.stdout
    _sys.stdout = out
    try:
        exec(compile(source, "<doctest>", "single"), globs)
    finally:
        _sys.stdout = was


class DocTestRunner:
    DIVIDER = "*" * 70

    def __init__(self, checker=None, verbose=None, optionflags=0):
        self._checker, self.optionflags = checker or OutputChecker(), optionflags
        self._verbose = "-v" in _sys.argv if verbose is None else verbose
        self.tries = self.failures = 0
        self._counts = {}  # of each test by name: failures and examples

    def report_start(self, out, test, example):
        if self._verbose:
            want = "Expecting:\n" + _indented(example.want) if example.want else "Expecting nothing\n"
            out("Trying:\n" + _indented(example.source) + want)

    def report_success(self, out, test, example, got):
        if self._verbose:
            out("ok\n")

    def report_failure(self, out, test, example, got):
        out(self._header(test, example) + self._checker.output_difference(example, got, self.optionflags))

    def report_unexpected_exception(self, out, test, example, exc_info):
        text = "Traceback (most recent call last):\n" + "".join(_traceback.format_exception_only(exc_info[1]))
        out(self._header(test, example) + "Exception raised:\n" + _indented(text))

    def _header(self, test, example):
        place = test.name if not test.filename else f'File "{test.filename}", line ' + (
            "?" if test.lineno is None else str(test.lineno + example.lineno + 1)) + f", in {test.name}"
        return f"{self.DIVIDER}\n{place}\nFailed example:\n" + _indented(example.source)

    # Does an example that raised x say so?
    def _as_said(self, example, x, flags):
        said = _re.search(r"(?ms)^Traceback \((?:most recent call last|innermost last)\):\s*$.*?^(?P<msg>\w+.*)", example.want)
        if not said:
            return None
        raised = _traceback.format_exception_only(x)[-1]
        kind = lambda s: s.split("\n", 1)[0].split(":", 1)[0].rsplit(".", 1)[-1]
        if flags & IGNORE_EXCEPTION_DETAIL and kind(said["msg"]) == kind(raised):
            return True
        return self._checker.check_output(said["msg"], raised, flags)

    def run(self, test, compileflags=None, out=None, clear_globs=True):
        out = out or _sys.stdout.write
        failures = tries = 0
        for e in test.examples:
            flags = self.optionflags
            for f, on in e.options.items():
                flags = flags | f if on else flags & ~f
            if flags & SKIP:
                continue
            tries += 1
            quiet = flags & REPORT_ONLY_FIRST_FAILURE and failures
            if not quiet:
                self.report_start(out, test, e)
            text, raised = _io.StringIO(), None
            try:
                _run(e.source, test.globs, text)
            except KeyboardInterrupt:
                raise
            except BaseException as x:
                raised = x
            got = text.getvalue()
            if got and not got.endswith("\n"):
                got += "\n"
            if raised is None:
                ok = self._checker.check_output(e.want, got, flags)
            else:
                ok = self._as_said(e, raised, flags)
            if ok:
                if not quiet:
                    self.report_success(out, test, e, got)
                continue
            if not quiet and ok is None:
                self.report_unexpected_exception(out, test, e, (type(raised), raised, raised.__traceback__))
            elif not quiet:
                if raised is not None:
                    got += "Traceback (most recent call last):\n" + "".join(_traceback.format_exception_only(raised))
                self.report_failure(out, test, e, got)
            failures += 1
            if flags & FAIL_FAST:
                break
        self.tries, self.failures = self.tries + tries, self.failures + failures
        before = self._counts.get(test.name, (0, 0))
        self._counts[test.name] = before[0] + failures, before[1] + tries
        if clear_globs:
            test.globs.clear()
        return TestResults(failures, tries)

    def summarize(self, verbose=None):
        verbose = self._verbose if verbose is None else verbose
        items = sorted(self._counts.items())
        none = [n for n, (f, t) in items if t == 0]
        passed = [(n, t) for n, (f, t) in items if t and not f]
        failed = [(n, f, t) for n, (f, t) in items if f]
        if verbose and none:
            print(len(none), "items had no tests:")
            for n in none:
                print("   ", n)
        if verbose and passed:
            print(len(passed), "items passed all tests:")
            for n, t in passed:
                print(" %3d tests in %s" % (t, n))
        if failed:
            print(self.DIVIDER)
            print(len(failed), "items had failures:")
            for n, f, t in failed:
                print(" %3d of %3d in %s" % (f, t, n))
        if verbose:
            print(self.tries, "tests in", len(items), "items.")
            print(self.tries - self.failures, "passed and", self.failures, "failed.")
        if self.failures:
            print("***Test Failed***", self.failures, "failures.")
        elif verbose:
            print("Test passed.")
        return TestResults(self.failures, self.tries)


def testmod(m=None, name=None, globs=None, verbose=None, report=True, optionflags=0, extraglobs=None, raise_on_error=False,
            exclude_empty=False):
    if raise_on_error:
        raise NotImplementedError("doctest.testmod: raise_on_error")
    m = m if m is not None else _sys.modules["__main__"]
    runner = DocTestRunner(verbose=verbose, optionflags=optionflags)
    for t in DocTestFinder(exclude_empty=exclude_empty).find(m, name, globs=globs, extraglobs=extraglobs):
        runner.run(t)
    if report:
        runner.summarize()
    return TestResults(runner.failures, runner.tries)


def run_docstring_examples(f, globs, verbose=False, name="NoName", compileflags=None, optionflags=0):
    runner = DocTestRunner(verbose=verbose, optionflags=optionflags)
    for t in DocTestFinder(recurse=False).find(f, name, globs=globs):
        runner.run(t)


class DocTestCase(_unittest.TestCase):
    def __init__(self, test, optionflags=0, setUp=None, tearDown=None, checker=None):
        super().__init__()
        self._dt_test, self._dt_flags, self._dt_checker, self._dt_up, self._dt_down = test, optionflags, checker, setUp, tearDown

    def setUp(self):
        if self._dt_up is not None:
            self._dt_up(self._dt_test)

    def tearDown(self):
        if self._dt_down is not None:
            self._dt_down(self._dt_test)

    def runTest(self):
        text = _io.StringIO()
        failures, _ = DocTestRunner(self._dt_checker, False, self._dt_flags).run(self._dt_test, out=text.write)
        if failures:
            raise self.failureException(f"Failed doctest test for {self._dt_test.name}\n\n{text.getvalue()}")

    def id(self):
        return self._dt_test.name

    def __repr__(self):
        name = self._dt_test.name.split(".")
        return "%s (%s)" % (name[-1], ".".join(name[:-1]))

    __str__ = __repr__

    def shortDescription(self):
        return "Doctest: " + self._dt_test.name


def DocTestSuite(module=None, globs=None, extraglobs=None, test_finder=None, **options):
    module = __import__(module, fromlist=["_"]) if isinstance(module, str) else module
    tests = (test_finder or DocTestFinder()).find(module, globs=globs, extraglobs=extraglobs)
    return _unittest.TestSuite([DocTestCase(t, **options) for t in tests])
