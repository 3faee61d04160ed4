# torch.jit._failure -- an error inside a script as its caller sees it: which operation failed, where in the source, and
# why. What a script raises itself is an Error, which names the class; all else is a RuntimeError.
import _syntax
import _stage
from torch.jit import _check, _text


class Error(Exception):
    pass


Error.__module__ = "torch.jit"


_texts = {"not enough arguments for format string": "Too few arguments for format string",
          "not all arguments converted during string": "Too many arguments for format string",
          "incomplete format": "Incomplete format specifier",
          "%c requires int or char": "%c requires an int or char for formatting, but got String",
          "%d format: a real number": "%d requires a number for formatting, but got String",
          "%i format: a real number": "%i requires a number for formatting, but got String",
          "iteration over a 0-d tensor": "iteration of a 0-d tensor"}
_DIVISION = "assert: division by zero"     # what programs say of numbers
_raises = set()         # what programs say where a script raises


def raise_text(e):
    text = _named(e)
    _raises.add(text)
    return text


def _named(e):
    what = e.args[0] if isinstance(e, KeyError) and e.args else _text.text(e.args) if len(e.args) > 1 else e
    return f"{type(e).__module__}.{type(e).__qualname__}: {what}"


def _places(method, e):
    # [(line, col, len, name)] in functions of the script, the outermost first.
    found = getattr(e, "script_places", None)
    if found is not None:
        return [p[1:] for p in found]
    found = [p for p in _syntax.trace(e) if p[0] == method.info["file"]]
    for i, p in enumerate(found):
        if p[4] == method.func.__name__:
            return [p[1:] for p in found[i:]]
    lines = _syntax.source(method.func).split("\n")
    first = _check.first_line(method.func, lines)
    last = first + len(lines)
    return [p[1:4] + (method.func.__name__,) for p in found[-1:] if first <= p[1] < last]


def _statement(stmts, line):
    # The innermost statement that stands in a line.
    found = None
    for s in stmts:
        if s.line > line:
            break
        inner = _statement([x for x in s.list + s.more if x is not None and x.kind in _blocks], line) \
            if s.kind in ("if", "while", "for", "with") else None
        found = inner if inner is not None else s
    return found


_blocks = ("if", "while", "for", "with", "raise", "assert", "return", "expr", "assign", "aug", "ann", "pass", "break",
           "continue", "del")


def _raised(method, places, e):
    # Was it raised by the script itself, by `raise` or `assert`?
    if isinstance(e, AssertionError) and str(e) == _DIVISION:
        return False
    if isinstance(e, AssertionError) or hasattr(e, "script_raised"):
        return True
    if not places or places[-1][3] != method.func.__name__:
        return type(e).__module__ not in ("builtins",)
    s = _statement(method.tree.body, places[-1][0])
    return s is not None and s.kind == "raise"


def _why(e, raised):
    text = str(e.args[0]) if isinstance(e, KeyError) and e.args else str(e)
    if str(e) == _DIVISION or isinstance(e, ZeroDivisionError):
        return "RuntimeError: division by 0"
    if isinstance(e, AssertionError) and not hasattr(e, "script_raised"):
        text = text[8:] if text.startswith("assert: ") else text
        return text if text in _raises else "RuntimeError: AssertionError: " + text
    if raised:
        return _named(e)
    if isinstance(e, KeyError):
        text = "KeyError: " + text
    elif isinstance(e, ValueError) and text.endswith(" is not in list"):
        text = f"'{text[:-15]}' is not in list"
    for python, script in _texts.items():
        text = script if text.startswith(python) else text
    return "RuntimeError: " + text


def of(method, e):
    # The exception that a caller gets for e.
    if isinstance(e, (Error, Warning, _stage.Refuse)):
        return e
    places = _places(method, e)
    raised = _raised(method, places, e)
    here = "".join([_here(method, *p) for p in places])
    if not places:          # a program knows the function alone
        line = _check.first_line(method.func, _syntax.source(method.func).split("\n"))
        here = f"  File \"{method.info['file']}\", line {line}, in {method.func.__name__}\n"
    text = ("The following operation failed in the TorchScript interpreter.\nTraceback of TorchScript (most recent call "
            f"last):\n{here}{_why(e, raised)}\n")
    if isinstance(e, NotImplementedError) and not raised:
        return NotImplementedError(text)
    return Error(text) if raised else RuntimeError(text)


def _here(method, line, col, length, name):
    # The place in the source of the function, with a little of what stands around it.
    out = f"  File \"{method.info['file']}\", line {line}, in {name}\n"
    if name != method.func.__name__:
        return out
    lines = _syntax.source(method.func).split("\n")
    at = line - _check.first_line(method.func, lines)
    for i in range(max(at - 2, 0), min(at + 3, len(lines))):
        out += lines[i] + "\n"
        if i == at:
            out += " " * (col - 1) + "~" * max(length, 1) + " <--- HERE\n"
    return out
