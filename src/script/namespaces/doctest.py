# doctest -- examples in docstrings, run and compared with what they say they print.
import io as _io
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
        if isinstance(doc, str):
            t = self._parser.get_doctest(doc, globs, name, getattr(obj, "__file__", None), 0)
            if t.examples or not self._exclude_empty:
                out.append(t)
        if not self._recurse:
            return
        if isinstance(obj, _types.ModuleType):
            for k, v in list(obj.__dict__.items()):
                if isinstance(v, (_types.FunctionType, type)) and getattr(v, "__module__", None) == module:
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


# What an example prints: an expression prints its value, as at a prompt.
def _run(source, globs, out):
    was = _sys.stdout
    _sys.stdout = out
    try:
        try:
            code = compile(source.strip(), "<doctest>", "eval")
        except SyntaxError:
            exec(compile(source, "<doctest>", "exec"), globs)
        else:
            v = eval(code, globs)
            if v is not None:
                out.write(repr(v) + "\n")
    finally:
        _sys.stdout = was


class DocTestRunner:
    def __init__(self, checker=None, verbose=None, optionflags=0):
        self._checker, self.optionflags = checker or OutputChecker(), optionflags
        self.tries = self.failures = 0

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
            text, raised = _io.StringIO(), None
            try:
                _run(e.source, test.globs, text)
            except KeyboardInterrupt:
                raise
            except BaseException as x:
                raised = "".join(_traceback.format_exception_only(x))
            got = text.getvalue()
            if raised is None:
                ok = self._checker.check_output(e.want, got, flags)
            else:
                want = _re.search(r"(?ms)^Traceback \((?:most recent call last|innermost last)\):\s*$.*?^(?P<msg>\w+.*)", e.want)
                if want and flags & IGNORE_EXCEPTION_DETAIL:
                    kind = lambda s: s.split(":", 1)[0].rsplit(".", 1)[-1]
                    ok = kind(want["msg"]) == kind(raised)
                else:
                    ok = want is not None and self._checker.check_output(want["msg"], raised, flags)
                got += "Traceback (most recent call last):\n" + raised
            if not ok:
                failures += 1
                out("*" * 70 + f"\nFile \"{test.filename}\", line {test.lineno + e.lineno + 1}, in {test.name}\nFailed example:\n    "
                    + e.source.rstrip("\n").replace("\n", "\n    ") + "\n" + self._checker.output_difference(e, got, flags))
                if flags & FAIL_FAST:
                    break
        self.tries, self.failures = self.tries + tries, self.failures + failures
        if clear_globs:
            test.globs.clear()
        return TestResults(failures, tries)

    def summarize(self, verbose=None):
        if self.failures:
            print("*" * 70 + f"\n***Test Failed*** {self.failures} failures.")
        return TestResults(self.failures, self.tries)


def testmod(m=None, name=None, globs=None, verbose=None, report=True, optionflags=0, extraglobs=None, raise_on_error=False,
            exclude_empty=False):
    m = m if m is not None else _sys.modules["__main__"]
    runner = DocTestRunner(optionflags=optionflags)
    for t in DocTestFinder(exclude_empty=exclude_empty).find(m, name, globs=globs, extraglobs=extraglobs):
        runner.run(t)
    if report:
        runner.summarize()
    return TestResults(runner.failures, runner.tries)


def run_docstring_examples(f, globs, verbose=False, name="NoName", compileflags=None, optionflags=0):
    runner = DocTestRunner(optionflags=optionflags)
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
        failures, _ = DocTestRunner(self._dt_checker, optionflags=self._dt_flags).run(self._dt_test, out=text.write)
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
