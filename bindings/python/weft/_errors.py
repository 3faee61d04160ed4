"""Errors. Each says the place (file, line, caret) where there is one, the kind, and what was found and needed."""


class Error(Exception):
    """What Weft refuses or cannot do. str(error) is the whole diagnostic."""


class ParseError(Error, ValueError):
    """Text that does not parse."""


class UnknownNameError(Error, KeyError):
    """A name that is not defined, or defined twice."""

    def __str__(self):
        return Exception.__str__(self)


class DTypeError(Error, TypeError):
    """A dtype or kind of thing that does not fit."""


class ShapeError(Error, ValueError):
    """Shapes that do not fit."""


class ArgumentError(Error, ValueError):
    """An attribute or argument out of range."""


class OutOfRangeError(Error, IndexError):
    """An index out of range."""


class NoRuleError(Error, NotImplementedError):
    """A transform met an op that has no such rule."""


class GuardError(Error, ValueError):
    """Inputs for which a guard of the program does not hold."""


class CheckError(Error, AssertionError):
    """A check in the program failed."""


class FormatError(Error, ValueError):
    """A file that is not what it should be."""


class FileError(Error, OSError):
    """A file that cannot be read or written."""

    def __str__(self):
        return Exception.__str__(self)


class UnsupportedError(Error, NotImplementedError):
    """What this build, or Weft, does not have."""


class InternalError(Error, RuntimeError):
    """A bug in Weft."""


class TraceError(Error, TypeError):
    """Numbers of a value that has none yet were asked for while a function was traced."""


BY_STATUS = {1: ParseError, 2: UnknownNameError, 3: DTypeError, 4: ShapeError, 5: ArgumentError, 6: OutOfRangeError, 7: NoRuleError,
             8: GuardError, 9: CheckError, 10: ArgumentError, 11: FormatError, 12: ArgumentError, 65: FileError,
             66: Error, 67: UnsupportedError, 68: Error, 128: InternalError}
