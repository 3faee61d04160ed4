# aesara._function -- functions: one program each, made when the function is made.
#
# Inputs of the program are the function's inputs, the shared variables it reads, then random
# draws; its results the outputs, then new values of shared variables, which take the memory of
# the old ones. Sizes are symbols. Where the graph needs more than symbols can tell (two
# expressions of sizes that must be equal; a slice longer than its axis), a program is made for the
# sizes of a call.
import os
import sys
import warnings

import _aesara as _w
import numpy
from _expression import order_of, run_order, value_of, evaluate, ancestors
from aesara._extent import guards_of
from aesara._graph import (config, Variable, TensorVariable, TensorConstant, TensorSharedVariable, as_variable)
from aesara._random import RandomOp, RngVariable


class UnusedInputError(Exception):
    pass


class In:
    def __init__(self, variable, name=None, value=None, update=None, mutable=False, borrow=False, strict=False,
                 allow_downcast=None, autoname=True, implicit=None, **kw):
        self.variable = variable
        self.name = name if name is not None else variable.name if autoname else None
        self.value = value
        self.update = update
        self.strict = strict
        self.allow_downcast = allow_downcast


class Out:
    def __init__(self, variable, borrow=False):
        self.variable = variable


Param = In
_LOG = os.getenv("WEFT_LOG")


def _tell(text):
    _w.log_text(text)
    if _LOG:
        print(text, file=sys.stderr)


class Function:
    def __init__(self, inputs, outputs, updates, givens, name, allow_downcast, mode):
        self.inputs = inputs
        self.name = name
        self.allow_downcast = allow_downcast
        self.mode = mode
        self.trust_input = False
        self.none = outputs is None
        self.keys = list(outputs.keys()) if isinstance(outputs, dict) else None
        self.single = not self.none and not isinstance(outputs, (dict, list, tuple))
        self.outputs = _outputs(outputs)
        self.updates = updates
        self.subst = {k: as_variable(v) for k, v in givens}
        self.order = order_of(self._results(), self._roots(), self.subst)
        self._find_state()
        self.special = {}
        self.guards = guards_of(self.order, self._roots(), self.subst)
        whole = tuple([g.extent.size for g in self.guards])
        self.program = self._for_all_sizes(whole)
        self.by_lengths = {whole: self.program}     # a program for each choice of lengths

    # ---- the program

    def _results(self):
        return self.outputs + [v for k, v in self.updates if not isinstance(k, RngVariable)]

    def _roots(self):
        return {i.variable: None for i in self.inputs}

    def _find_state(self):
        found = ancestors(self._results() + list(self.subst.values()))
        ins = [i.variable for i in self.inputs]
        self.draws = [v for n in self.order for v in n.outputs[1:] if isinstance(n.op, RandomOp)]
        self.shared = [v for v in found if isinstance(v, TensorSharedVariable) and v not in self.subst and v not in ins]
        changed = [k for k, _ in self.updates if not isinstance(k, RngVariable)]
        first = len(self.inputs)
        self.donated = [first + i for i, v in enumerate(self.shared) if v in changed]
        # an output that is an input or a shared variable must not be the same memory
        self.copied = [self._leaf(o) for o in self.outputs]

    def _leaf(self, v):
        while v in self.subst:
            v = self.subst[v]
        return v.owner is None

    def symbols(self):
        return [i.variable for i in self.inputs] + self.shared + self.draws

    def _for_all_sizes(self, lengths):
        try:
            return self._trace(None, lengths)
        except (ValueError, TypeError, IndexError, RuntimeError, NotImplementedError) as e:
            _tell(f"aesara.function: a program for each size: {e}")
            return None

    def _trace(self, sizes, lengths):
        # lengths: of the slices that have guards, or () to leave them open
        symbols = self.symbols()
        types = []
        for k, v in enumerate(symbols):
            types.append((v.type.shape if sizes is None else sizes[k], v.type.dtype, v.name))

        def body(*values):
            env = dict(zip(symbols, values))
            run_order(order_of(self._results(), env, self.subst), env, self.subst, self.mode.watch)
            out = [value_of(o, env, self.subst) for o in self.outputs]
            for k, v in self.updates:
                if not isinstance(k, RngVariable):
                    x = value_of(v, env, self.subst)
                    out.append(x if x.dtype.name == k.type.dtype else _w.cast(x, k.type.dtype))
            return out
        old = _w.checked(True)
        try:
            for g, n in zip(self.guards, lengths):
                g.extent.length = n
            return _w.note(_w.trace_types(body, types, _w.named(self.name or "function")))
        finally:
            _w.checked(old)
            for g in self.guards:
                g.extent.length = None

    def compiled(self):
        # A program to look at: for all sizes, or the last one made for some.
        if self.program is None and not self.special:
            raise ValueError("the function has no program before it is called: its sizes are not known")
        return self.program if self.program is not None else list(self.special.values())[-1]

    def _program_for(self, values):
        # (the program, the lengths it is for)
        if not self.guards:
            return self.program, ()
        inputs = {i.variable: x for i, x in zip(self.inputs, values)}
        lengths = tuple([g.length(inputs) for g in self.guards])
        if lengths not in self.by_lengths:
            if len(self.by_lengths) >= 8:
                lengths = ()
            if lengths not in self.by_lengths:
                self.by_lengths[lengths] = self._for_all_sizes(lengths)
        return self.by_lengths[lengths], lengths

    def _run(self, values):
        program, lengths = self._program_for(values)
        if program is not None:
            try:
                return _w.apply(program, values, [], [], self.donated)
            except (ValueError, TypeError, IndexError, RuntimeError) as e:
                _tell(f"aesara.function: a program for these sizes: {e}")
            except AssertionError as e:
                raise _worded(e) from None
        sizes = tuple([tuple(v.shape) for v in values])
        key = (sizes, lengths)
        if key not in self.special:
            self.special[key] = self._trace(sizes, lengths)
        try:
            return _w.apply(self.special[key], values, [], [], self.donated)
        except AssertionError as e:
            raise _worded(e) from None

    # ---- calls

    def _argument(self, at, data):
        i = self.inputs[at]
        if self.trust_input and isinstance(data, numpy.ndarray):
            return _w.wrap(data)
        try:
            down = self.allow_downcast if i.allow_downcast is None else i.allow_downcast
            return i.variable.type.filter(data, i.strict, down)
        except TypeError as e:
            raise TypeError(f"Bad input argument to aesara function{' with name ' + repr(self.name) if self.name else ''} "
                            f"at index {at} (0-based).\n{e}") from None

    def _bind(self, args, kw):
        if len(args) > len(self.inputs):
            raise TypeError("Too many parameter passed to aesara function")
        out = []
        for at, i in enumerate(self.inputs):
            if at < len(args):
                data = args[at]
            elif i.name is not None and i.name in kw:
                data = kw.pop(i.name)
            elif i.value is not None:
                data = i.value.value_ if isinstance(i.value, TensorSharedVariable) else i.value
            else:
                raise TypeError(f"Missing required input: {i.name if i.name is not None else i.variable}")
            out.append(self._argument(at, data))
        if kw:
            raise TypeError(f"Unknown input or state: {list(kw)[0]}")
        return out

    def _drawn(self, args):
        # Random numbers, each by its generator; what they depend on is computed as it stands.
        env = {i.variable: x for i, x in zip(self.inputs, args)}
        for node in self.order:
            if isinstance(node.op, RandomOp):
                evaluate(node.outputs[1:], env, self.subst)
        moved = [(k, env[v]) for k, v in self.updates if isinstance(k, RngVariable) and v in env]
        for k, v in moved:
            k.value_ = v
        return [env[v] for v in self.draws]

    def __call__(self, *args, **kw):
        values = self._bind(args, kw)
        drawn = self._drawn(values) if self.draws else []
        results = self._run(values + [s.value_ for s in self.shared] + drawn)
        n = len(self.outputs)
        at = n
        for k, _ in self.updates:
            if not isinstance(k, RngVariable):
                k.value_ = results[at]
                at += 1
        out = [numpy._wrap(_w.copy(r) if c else r) for r, c in zip(results[:n], self.copied)]
        if self.keys is not None:
            return dict(zip(self.keys, out))
        if self.none:
            return None
        return out[0] if self.single else out

    # ---- what it holds

    def __getitem__(self, key):
        i = self._input(key)
        return i.value.get_value() if isinstance(i.value, TensorSharedVariable) else i.value

    def __setitem__(self, key, value):
        i = self._input(key)
        if isinstance(i.value, TensorSharedVariable):
            i.value.set_value(value)
        else:
            i.value = value

    def _input(self, key):
        for i in self.inputs:
            if i.variable is key or isinstance(key, str) and i.name == key:
                return i
        raise KeyError(key)

    def get_shared(self):
        return list(self.shared)

    def copy(self, share_memory=False, swap=None, delete_updates=False, name=None, profile=None):
        # The same function of other shared variables.
        swap = {} if swap is None else dict(swap)
        for old, new in swap.items():
            if old not in self.shared and old not in [k for k, _ in self.updates]:
                raise ValueError(f"SharedVariable: {old.name} not found")
            if old.type != new.type:
                raise AssertionError("Type of given SharedVariable conflicts with original one", "Type of given SharedVariable:",
                                     new.type, "Type of original SharedVariable:", old.type)
        outputs = None if self.none else self.outputs
        if self.keys is not None:
            outputs = dict(zip(self.keys, self.outputs))
        elif self.single:
            outputs = self.outputs[0]
        updates = [] if delete_updates else [(swap.get(k, k), v) for k, v in self.updates]
        return Function(self.inputs, outputs, updates, list(self.subst.items()) + list(swap.items()),
                        self.name if name is None else name, self.allow_downcast, self.mode)

    def __repr__(self):
        return f"<aesara.compile.function.types.Function object of {self.name or 'outputs'}>"


def _worded(e):
    # a check of an index or a size that failed, as the library says it
    text = str(e).replace("assert: ", "")
    if text.startswith("reshape: "):
        return ValueError(text[9:])
    return IndexError(str(e)) if text.find("index: out of range") >= 0 else e


def _outputs(outputs):
    if outputs is None:
        return []
    if isinstance(outputs, dict):
        outputs = list(outputs.values())
    elif not isinstance(outputs, (list, tuple)):
        outputs = [outputs]
    return [as_variable(o.variable if isinstance(o, Out) else o) for o in outputs]


def _pairs(x):
    if x is None:
        return []
    return list(x.items()) if isinstance(x, dict) else list(x)


def _check_unused(how, inputs, results, givens):
    if how not in ("raise", "warn", "ignore"):
        raise ValueError(f"Invalid value for keyword on_unused_input of aesara.function: '{how}'.\nValid values are 'raise', "
                         "'warn', and 'ignore'.")
    if how == "ignore":
        return
    roots = list(results)
    for k, v in givens:
        roots += [k, as_variable(v)]
    used = ancestors(roots)
    for at, i in enumerate(inputs):
        if i.variable not in used and i.update is None:
            text = ("aesara.function was asked to create a function computing outputs given certain inputs, "
                    f"but the provided input variable at index {at} is not part of the computational graph "
                    f"needed to compute the outputs: {i.variable}.\nTo make this error into a warning, you can "
                    "pass the parameter on_unused_input='warn' to aesara.function. To disable it completely, "
                    "use on_unused_input='ignore'.")
            if how == "raise":
                raise UnusedInputError(text)
            warnings.warn(text)


def _inputs(inputs):
    if not isinstance(inputs, (list, tuple)):
        raise Exception("Input variables of an Aesara function should be contained in a list, even when there is a single "
                        "input.")
    ins = []
    for i in inputs:
        i = i if isinstance(i, In) else In(*i) if isinstance(i, tuple) else In(i)
        for j, other in enumerate(ins):
            if other.variable is i.variable:
                raise UnusedInputError(f"Variable {i.variable} is used twice in inputs to aesara.function, at indices {j} and "
                                       f"{len(ins)}.  This would result in values provided for it being ignored. Please do not "
                                       "duplicate variables in the inputs list.")
        if isinstance(i.variable, (TensorSharedVariable, RngVariable)):
            raise TypeError(f"Cannot use a shared variable ({i.variable}) as explicit input. Consider substituting a "
                            "non-shared variable via the `givens` parameter")
        if isinstance(i.variable, TensorConstant):
            raise TypeError("Unknown parameter type: a constant cannot be an input")
        ins.append(i)
    return ins


def _change(k, v, changes):
    if not isinstance(k, (TensorSharedVariable, RngVariable)):
        raise TypeError(f"update target must be a SharedVariable, got {k}")
    for other, _ in changes:
        if other is k:
            raise ValueError(f"this shared variable already has an update expression: {k}")
    if isinstance(k, TensorSharedVariable):
        v = as_variable(v)
        if v.ndim != k.ndim or not _fits(v.dtype, k.dtype):
            raise TypeError(f"An update must have the same type as the original shared variable (shared_var={k}, "
                            f"shared_var.type={k.type}, update_val={v}, update_val.type={v.type}). If the difference is "
                            "related to the broadcast pattern, you can call the specify_broadcastable(var, axis(es)) function "
                            "to mask broadcastable dimensions.")
    changes.append((k, v))


def _fits(have, want):
    return have == want or numpy.promote_types(have, want) == want


def _defaults(results, changes, without):
    # Updates that shared variables bring with them, of all that is used, and of what those use.
    if without is True:
        return
    barred = list(without) if isinstance(without, (list, tuple)) else []
    todo = list(results)
    seen = set()
    while todo:
        found = [v for v in ancestors(todo) if getattr(v, "default_update", None) is not None and v not in seen]
        todo = []
        for v in found:
            seen.add(v)
            if v not in barred and len([k for k, _ in changes if k is v]) == 0:
                _change(v, v.default_update, changes)
                todo.append(changes[-1][1])


def function(inputs, outputs=None, mode=None, updates=None, givens=None, no_default_updates=False,
             accept_inplace=False, name=None, rebuild_strict=True, allow_input_downcast=None, profile=None,
             on_unused_input=None, trust_input=False):
    from aesara.compile import mode_of
    ins = _inputs(inputs)
    changes = []
    for k, v in _pairs(updates):
        _change(k, v, changes)
    for i in ins:
        if i.update is not None:
            if not isinstance(i.value, TensorSharedVariable):
                i.value = TensorSharedVariable(i.variable.type.filter(i.value), i.name, i.variable.type)
            changes.append((i.value, as_variable(i.update)))
    results = _outputs(outputs) + [v for _, v in changes]
    _defaults(results + [as_variable(v) for _, v in _pairs(givens)], changes, no_default_updates)
    _check_unused(on_unused_input or config.on_unused_input, ins, _outputs(outputs) + [v for _, v in changes], _pairs(givens))
    f = Function(ins, outputs, changes, _pairs(givens), name, allow_input_downcast, mode_of(mode))
    f.trust_input = trust_input
    return f
