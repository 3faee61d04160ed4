# unittest.main -- tests of a module from a command line.
import argparse as _argparse
import os as _os
import sys as _sys

from unittest import loader as _loader, runner as _runner


class TestProgram:
    module = None
    verbosity = 1
    failfast = catchbreak = buffer = progName = warnings = testNamePatterns = None

    def __init__(self, module="__main__", defaultTest=None, argv=None, testRunner=None,
                 testLoader=_loader.defaultTestLoader, exit=True, verbosity=1, failfast=None, catchbreak=None, buffer=None,
                 warnings=None, *, tb_locals=False, durations=None):
        self.module = __import__(module, fromlist=["_"]) if isinstance(module, str) else module
        argv = _sys.argv if argv is None else argv
        self.exit, self.failfast, self.verbosity, self.buffer = exit, failfast, verbosity, buffer
        self.warnings, self.tb_locals = warnings, tb_locals
        self.defaultTest, self.testRunner, self.testLoader = defaultTest, testRunner, testLoader
        self.progName = _os.path.basename(argv[0])
        self.parseArgs(argv)
        self.runTests()

    def parseArgs(self, argv):
        p = _argparse.ArgumentParser(prog=self.progName)
        p.add_argument("-v", "--verbose", action="store_const", const=2, dest="verbosity")
        p.add_argument("-q", "--quiet", action="store_const", const=0, dest="verbosity")
        p.add_argument("--locals", action="store_true", dest="tb_locals")
        p.add_argument("-f", "--failfast", action="store_true")
        p.add_argument("-c", "--catch", action="store_true", dest="catchbreak")
        p.add_argument("-b", "--buffer", action="store_true")
        p.add_argument("-k", action="append", dest="patterns")
        p.add_argument("tests", nargs="*")
        a = p.parse_args(argv[1:])
        if a.verbosity is not None:
            self.verbosity = a.verbosity
        self.failfast = self.failfast or a.failfast
        if a.patterns:
            self.testLoader.testNamePatterns = [k if "*" in k else f"*{k}*" for k in a.patterns]
        if self.module is None and a.tests[:1] == ["discover"]:
            self.test = self.testLoader.discover(*(a.tests[1:] or ["."]))
            return
        names = a.tests or ([self.defaultTest] if isinstance(self.defaultTest, str) else self.defaultTest)
        self.createTests(names)

    def createTests(self, names=None):
        self.test = (self.testLoader.loadTestsFromNames(list(names), self.module) if names
                     else self.testLoader.loadTestsFromModule(self.module))

    def runTests(self):
        runner = self.testRunner or _runner.TextTestRunner
        if isinstance(runner, type):
            runner = runner(verbosity=self.verbosity, failfast=bool(self.failfast), buffer=bool(self.buffer),
                            warnings=self.warnings)
        self.result = runner.run(self.test)
        if self.exit:
            _sys.exit(not self.result.wasSuccessful())


main = TestProgram
