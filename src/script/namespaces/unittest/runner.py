# unittest.runner -- runs tests and writes how they went.
import sys as _sys
import time as _time
import warnings as _warnings

from unittest import result as _result


class _Stream:
    def __init__(self, stream):
        self.stream = stream

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def write(self, text):
        self.stream.write(text)

    def writeln(self, text=None):
        if text:
            self.write(text)
        self.write("\n")


class TextTestResult(_result.TestResult):
    separator1, separator2 = "=" * 70, "-" * 70

    def __init__(self, stream, descriptions, verbosity, *, durations=None):
        super().__init__(stream, descriptions, verbosity)
        self.stream, self.descriptions = stream, descriptions
        self.showAll, self.dots = verbosity > 1, verbosity == 1
        self._newline = True

    def getDescription(self, test):
        first = test.shortDescription()
        return "\n".join((str(test), first)) if self.descriptions and first else str(test)

    def startTest(self, test):
        super().startTest(test)
        if self.showAll:
            self.stream.write(self.getDescription(test))
            self.stream.write(" ... ")
            self.stream.flush()
            self._newline = False

    def _say(self, word, letter, test=None):
        if self.showAll:
            if self._newline and test is not None:
                self.stream.write(self.getDescription(test))
                self.stream.write(" ... ")
            self.stream.writeln(word)
            self._newline = True
        elif self.dots:
            self.stream.write(letter)
        self.stream.flush()

    def addSubTest(self, test, subtest, err):
        if err is not None:
            if self.showAll and not self._newline:
                self.stream.writeln()
                self._newline = True
            if self.showAll:
                self.stream.write("  ")
                self._newline = True
            failed = issubclass(err[0], subtest.failureException)
            self._say("FAIL" if failed else "ERROR", "F" if failed else "E", subtest)
        super().addSubTest(test, subtest, err)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._say("ok", ".")

    def addError(self, test, err):
        super().addError(test, err)
        self._say("ERROR", "E", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._say("FAIL", "F", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._say("skipped {0!r}".format(reason), "s", test)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._say("expected failure", "x")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._say("unexpected success", "u")

    def printErrors(self):
        if self.dots or self.showAll:
            self.stream.writeln()
            self.stream.flush()
        self.printErrorList("ERROR", self.errors)
        self.printErrorList("FAIL", self.failures)
        if self.unexpectedSuccesses:
            self.stream.writeln(self.separator1)
            for test in self.unexpectedSuccesses:
                self.stream.writeln(f"UNEXPECTED SUCCESS: {self.getDescription(test)}")
            self.stream.flush()

    def printErrorList(self, flavour, errors):
        for test, err in errors:
            self.stream.writeln(self.separator1)
            self.stream.writeln("%s: %s" % (flavour, self.getDescription(test)))
            self.stream.writeln(self.separator2)
            self.stream.writeln("%s" % err)
            self.stream.flush()


class TextTestRunner:
    resultclass = TextTestResult

    def __init__(self, stream=None, descriptions=True, verbosity=1, failfast=False, buffer=False, resultclass=None,
                 warnings=None, *, tb_locals=False, durations=None):
        self.stream = _Stream(stream if stream is not None else _sys.stderr)
        self.descriptions, self.verbosity, self.failfast, self.buffer = descriptions, verbosity, failfast, buffer
        self.warnings, self.tb_locals, self.durations = warnings, tb_locals, durations
        if resultclass is not None:
            self.resultclass = resultclass

    def _makeResult(self):
        return self.resultclass(self.stream, self.descriptions, self.verbosity)

    def run(self, test):
        result = self._makeResult()
        result.failfast, result.buffer, result.tb_locals = self.failfast, self.buffer, self.tb_locals
        with _warnings.catch_warnings():
            if self.warnings:
                _warnings.simplefilter(self.warnings)
            t = _time.perf_counter()
            result.startTestRun()
            try:
                test(result)
            finally:
                result.stopTestRun()
            took = _time.perf_counter() - t
        result.printErrors()
        if hasattr(result, "separator2"):
            self.stream.writeln(result.separator2)
        n = result.testsRun
        self.stream.writeln("Ran %d test%s in %.3fs" % (n, "s" if n != 1 else "", took))
        self.stream.writeln()
        ok = result.wasSuccessful()
        counts = [("failures", len(result.failures)), ("errors", len(result.errors))] if not ok else []
        counts += [("skipped", len(result.skipped)), ("expected failures", len(result.expectedFailures)),
                   ("unexpected successes", len(result.unexpectedSuccesses))]
        infos = ["%s=%d" % c for c in counts if c[1]]
        self.stream.write("OK" if ok else "FAILED")
        self.stream.write(" (%s)\n" % ", ".join(infos) if infos else "\n")
        self.stream.flush()
        return result
