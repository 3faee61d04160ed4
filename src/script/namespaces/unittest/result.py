# unittest.result -- what became of the tests.
import traceback as _traceback


class TestResult:
    def __init__(self, stream=None, descriptions=None, verbosity=None):
        self.failfast = self.shouldStop = self.buffer = self.tb_locals = False
        self.failures, self.errors, self.skipped = [], [], []
        self.expectedFailures, self.unexpectedSuccesses, self.collectedDurations = [], [], []
        self.testsRun = 0
        self._moduleSetUpFailed = False
        self._previousTestClass = None

    def startTest(self, test):
        self.testsRun += 1

    def startTestRun(self):
        pass

    def stopTest(self, test):
        pass

    def stopTestRun(self):
        pass

    def addSuccess(self, test):
        pass

    def addError(self, test, err):
        self.errors.append((test, self._exc_info_to_string(err, test)))
        if self.failfast:
            self.stop()

    def addFailure(self, test, err):
        self.failures.append((test, self._exc_info_to_string(err, test)))
        if self.failfast:
            self.stop()

    def addSubTest(self, test, subtest, err):
        if err is not None:
            into = self.failures if issubclass(err[0], test.failureException) else self.errors
            into.append((subtest, self._exc_info_to_string(err, test)))
            if self.failfast:
                self.stop()

    def addSkip(self, test, reason):
        self.skipped.append((test, reason))

    def addExpectedFailure(self, test, err):
        self.expectedFailures.append((test, self._exc_info_to_string(err, test)))

    def addUnexpectedSuccess(self, test):
        self.unexpectedSuccesses.append(test)
        if self.failfast:
            self.stop()

    def addDuration(self, test, elapsed):
        self.collectedDurations.append((str(test), elapsed))

    def wasSuccessful(self):
        return not self.failures and not self.errors and not self.unexpectedSuccesses

    def stop(self):
        self.shouldStop = True

    # The traceback without the frames of this package.
    def _exc_info_to_string(self, err, test):
        return "".join(_traceback.format_exception(err[1]))

    def __repr__(self):
        return "<%s run=%i errors=%i failures=%i>" % (
            f"{type(self).__module__}.{type(self).__qualname__}", self.testsRun, len(self.errors), len(self.failures))
