# torch.jit._unit -- functions scripted from their text.
import sys
import textwrap
import typing

import torch

_names = ("Any", "Dict", "Final", "List", "NamedTuple", "Optional", "Tuple", "Union")


_texts = {"expected ']'": "expected ] but found something else here",
          "multiple starred": "Only one starred expression is allowed on the lhs",
          "unterminated string": "expected a valid token: unterminated string",
          "cannot assign to literal": "Cannot pack a tuple into a non-variable",
          "illegal expression for augmented": "augmented assignment can only have one LHS expression",
          "Maybe you meant '=='": "unexpected expression on the left of an assignment",
          "cannot assign to expression": "A Starred expression may only appear on the lhs within the presence of another "
                                         "non-starred expression"}


def _syntax_text(text):
    for python, script in _texts.items():
        if text.find(python) >= 0:
            return script
    return "Syntax error: " + text


def functions_of(text, up=0):
    # {name: function} that a text defines. Names in it are those of who asks, `up` calls further out, and TorchScript's own.
    frame = sys._getframe(1 + up)
    names = {**frame.f_globals, **frame.f_locals, "torch": torch, "Tensor": torch.Tensor}
    names.update({k: getattr(typing, k) for k in _names})
    made = dict(names)
    try:
        exec(textwrap.dedent(text), made)
    except SyntaxError as e:
        raise RuntimeError(_syntax_text(str(e)))
    return {k: f for k, f in made.items() if f is not names.get(k) and isinstance(f, type(textwrap.dedent))}


class CompilationUnit:
    def __init__(self, lang=None, _frames_up=0):
        self._functions = {}
        if lang is not None:
            self.define(lang, _frames_up=_frames_up + 1)

    def define(self, lang, _frames_up=0):
        for k, f in functions_of(lang, 1 + _frames_up).items():
            self._functions[k] = torch.jit.script(f)
        return self

    def get_functions(self):
        return list(self._functions.values())

    def find_function(self, name):
        return self._functions.get(name)

    def __getattr__(self, name):
        found = self.__dict__.get("_functions", {}).get(name)
        if found is None:
            raise AttributeError(f"'CompilationUnit' has no attribute '{name}'")
        return found
