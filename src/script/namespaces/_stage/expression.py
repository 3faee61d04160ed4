# _stage.expression -- expressions and calls.
import _syntax
from _stage.number import Refuse, Sym, binary, compare_, needs_value
from _stage.state import MISSING, RAISE, RETURN, Outcome
from _stage.statement import Statements
from _stage.tree import tree_of


class Frame:
    def __init__(self, stage, func, tree, info, env):
        self.stage = stage
        self.func = func
        self.tree = tree
        self.info = info
        self.env = env
        self.outer = None       # of a nested function: the frame it was made in
        self.globals = ()       # names that a statement says are global
        self.inner = False      # of a comprehension, whose names are its own
        self.here = None        # the node that is looked at


class Nested:
    # A function defined inside a staged one.
    def __init__(self, frame, tree):
        self.frame = frame
        self.tree = tree
        self.__name__ = tree.name
        self.__qualname__ = f"{getattr(frame.func, '__qualname__', frame.tree.name)}.<locals>.{tree.name}"
        self.defaults = [None if p.value is None else frame.stage.eval(frame, p.value) for p in tree.params]

    def __call__(self, *args, **kwargs):
        return self.frame.stage.call_nested(self, args, kwargs)

    @property
    def __signature__(self):
        from inspect import Parameter, Signature
        kinds = {"star": Parameter.VAR_POSITIONAL, "kw": Parameter.KEYWORD_ONLY, "dstar": Parameter.VAR_KEYWORD}
        return Signature([Parameter(p.name, Parameter.POSITIONAL_ONLY if i < self.tree.nposonly else kinds.get(p.kind, Parameter.POSITIONAL_OR_KEYWORD),
                                    default=Parameter.empty if p.value is None else d)
                          for i, (p, d) in enumerate(zip(self.tree.params, self.defaults))])


specials = {}       # id of a function: (the function, what to do instead)


def open_sizes(xs):
    # Does a tensor among them have a size that is known only when the program runs (x[mask])?
    return any([repr(n) == "?" for x in xs if hasattr(x, "shape") and hasattr(x, "ndim") for n in x.shape])


def special(f, fn):
    # When f is called with what is not known: fn(stage, args, kwargs), or NotImplemented.
    specials[id(f)] = (f, fn)


_recorded = ("requires_grad", "grad", "grad_fn", "is_leaf")     # what a tensor of a program has not
_changing = {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault",
             "popitem", "add", "discard"}


class Expressions(Statements):
    calls = 0           # open ones

    def nested(self, frame, tree):
        return Nested(frame, tree)

    def at(self, frame, e):
        frame.here = e
        if not frame.info["hidden"]:  # what a library's lines do is the doing of the user's line that called it
            _syntax.place(frame.info["file"], e.line, e.col, e.len)

    def bound(self, frame, name):
        return name in frame.env or name in frame.tree.locals

    def lookup(self, frame, e):
        name = e.name
        env = frame.env
        if name in env:
            return env[name]
        if name in frame.tree.locals:
            raise Refuse(f"the variable {name} may have no value here")
        outer = frame.outer
        while outer is not None:
            if name in outer.env:
                return outer.env[name]
            outer = outer.outer
        if frame.func is not None:
            try:
                return _syntax.free(frame.func, name)
            except NameError:
                pass
        g = frame.info["globals"]
        if name in g:
            return g[name]
        return _syntax.builtin(name)

    def eval(self, frame, e):
        k = e.kind
        if k == "name":
            return self.lookup(frame, e)
        if k == "int" or k == "float" or k == "str":
            return e.value
        do = getattr(self, "e_" + k, None)
        if do is None:
            raise Refuse(k)
        return do(frame, e)

    def e_none(self, frame, e):
        return None

    def e_true(self, frame, e):
        return True

    def e_false(self, frame, e):
        return False

    def e_ellipsis(self, frame, e):
        return ...

    def e_fstr(self, frame, e):
        return "".join([p.value if p.kind == "str" else self.e_fmt(frame, p) for p in e.list])

    def e_fmt(self, frame, e):
        v = self.eval(frame, e.a)
        if self.unknown(v):
            raise Refuse("the text of a value that is not known")
        if self.texts:
            return self.texts.text(v)
        if e.op == ord("r"):
            v = repr(v)
        elif e.op == ord("s"):
            v = str(v)
        return format(v, self.e_fstr(frame, e.b) if e.b is not None else "")

    def e_bin(self, frame, e):
        a, b = self.eval(frame, e.a), self.eval(frame, e.b)
        self.at(frame, e)
        return self.operate(e.op, a, b)

    def operate(self, op, a, b):
        if op == "**" and self.texts and isinstance(a, int) and isinstance(b, int):
            a = float(a)
        if self.texts and op == "%" and isinstance(a, str):
            if any([self.unknown(x) for x in (b if isinstance(b, tuple) else (b,))]):
                raise Refuse("the text of a value that is not known")
            return self.texts.percent(a, b)
        if self.texts and op in ("/", "//", "%") and type(a) in (int, float) and type(b) in (int, float) and b == 0 and \
                (op == "/" or float in (type(a), type(b))):
            return self.over_nothing(op, a, b)
        return self.without_numbers(binary[op], a, b)

    def over_nothing(self, op, a, b):
        # a divided by 0, as numbers in a machine have it.
        if op == "%" or a == 0 or a != a:
            return float("nan")
        return float("inf") if (a > 0) == (str(float(b)) == "0.0") else -float("inf")

    def without_numbers(self, f, a, b):
        # f(a, b), of which the language may know nothing if a number among them is not known yet.
        try:
            return f(a, b)
        except TypeError as e:
            if not any([isinstance(x, Sym) for x in (a, b, *(a if isinstance(a, tuple) else ()), *(b if isinstance(b, tuple) else ()))]):
                raise
            raise Refuse(f"the value of a number is needed: {e}")
        except RuntimeError as e:
            if not open_sizes((a, b)):
                raise
            raise Refuse(f"sizes that are known when it runs: {e}")

    def e_un(self, frame, e):
        v = self.eval(frame, e.a)
        self.at(frame, e)
        if e.op == "not":
            t = self.truth(v)
            return (not t) if isinstance(t, bool) else self.as_bool(self.w.logical_not(t))
        return -v if e.op == "-" else +v if e.op == "+" else ~v

    def as_bool(self, t):
        return Sym(self, "bool", t) if self.numbers == "sym" else t

    def e_and(self, frame, e):
        return self.short(frame, e.list, True)

    def e_or(self, frame, e):
        return self.short(frame, e.list, False)

    def short(self, frame, parts, conj):
        # and, or: a part whose truth is not known decides whether the others are looked at.
        for i, p in enumerate(parts):
            v = self.eval(frame, p)
            if i == len(parts) - 1:
                return v
            t = self.truth(v)
            if isinstance(t, bool):
                if t != conj:
                    return v
                continue
            rest = parts[i + 1:]
            other = self.as_bool(self.w.tensor(not conj)) if self.numbers == "sym" else self.w.tensor(not conj)

            def more(fr):
                x = self.short(fr, rest, conj)
                t2 = self.truth(x)
                if isinstance(t2, bool):
                    t2 = self.w.tensor(t2)
                return Outcome(RETURN, self.as_bool(t2))

            def known(fr):
                return Outcome(RETURN, other)

            out = self.branch(frame, t, more, known) if conj else self.branch(frame, t, known, more)
            return out.value
        return conj

    def e_cmp(self, frame, e):
        a = self.eval(frame, e.a)
        result = True
        for i, op in enumerate(e.ops):
            b = self.eval(frame, e.list[i])
            self.at(frame, e)
            if op in ("is", "is not") and self.texts and isinstance(a, (Sym, int, float)) and isinstance(b, (Sym, int, float)):
                op = "==" if op == "is" else "!="       # numbers have no identity
            if op in ("in", "not in") and self.unknown(a) and not self.symbolic(b):
                raise Refuse("in, of a value that is not known")
            r = self.without_numbers(compare_[op], a, b)
            if len(e.ops) == 1:
                return r
            if not self.unknown(r) and not self.unknown(result):
                if not r:
                    return r
                result = r
            else:
                x = self.truth(result)
                y = self.truth(r)
                result = self.as_bool(self.w.logical_and(x, y))
            a = b
        return result

    def e_cond(self, frame, e):
        t = self.truth(self.eval(frame, e.a))
        if isinstance(t, bool):
            return self.eval(frame, e.b if t else e.c)
        out = self.branch(frame, t, lambda fr: Outcome(RETURN, self.eval(fr, e.b)),
                          lambda fr: Outcome(RETURN, self.eval(fr, e.c)))
        return out.value

    def e_attr(self, frame, e):
        o = self.eval(frame, e.a)
        self.at(frame, e)
        if self.numbers == "sym" and e.name in _recorded and self.symbolic(o):
            raise Refuse(f"'{e.name}' is known when it is called")
        v = getattr(o, e.name)
        if self.numbers == "sym" and isinstance(v, (list, dict, set)) and not self.is_record(o):
            self.outside.append(v)
        return v

    def may_change(self, x):
        # A container that outlives the program would be changed while compiling only.
        for o in self.outside:
            if o is x:
                raise Refuse("a container that is not the function's own is changed")

    def key(self, k):
        if isinstance(k, Sym):
            return k.t
        if isinstance(k, tuple):
            return tuple([self.key(x) for x in k])
        return k

    def item(self, o, key):
        if self.unknown(key) and isinstance(o, (list, tuple, dict, str)):
            raise Refuse("an item whose place is not known")
        return o[key]

    def e_index(self, frame, e):
        o = self.eval(frame, e.a)
        key = self.key(self.eval(frame, e.b))
        self.at(frame, e)
        return self.item(o, key)

    def e_slice(self, frame, e):
        return slice(None if e.a is None else self.eval(frame, e.a),
                     None if e.b is None else self.eval(frame, e.b),
                     None if e.c is None else self.eval(frame, e.c))

    def items(self, frame, parts):
        out = []
        for p in parts:
            if p.kind == "star":
                out += list(self.eval(frame, p.a))
            else:
                out.append(self.eval(frame, p))
        return out

    def e_tuple(self, frame, e):
        return tuple(self.items(frame, e.list))

    def e_list(self, frame, e):
        return self.items(frame, e.list)

    def e_set(self, frame, e):
        return set(self.items(frame, e.list))

    def e_dict(self, frame, e):
        out = {}
        for k, v in zip(e.list, e.more):
            if k is None:
                out.update(self.eval(frame, v))
            else:
                out[self.eval(frame, k)] = self.eval(frame, v)
        return out

    def comprehend(self, frame, clauses, make):
        inner = Frame(self, frame.func, frame.tree, frame.info, dict(frame.env))
        inner.outer = frame.outer
        inner.inner = True
        self.clauses(inner, clauses, 0, make)

    def clauses(self, frame, clauses, i, make):
        if i == len(clauses):
            make(frame)
            return
        c = clauses[i]
        items = self.eval(frame, c.b)
        for x in items:
            self.assign(frame, c.a, x)
            ok = True
            for test in c.list:
                t = self.truth(self.eval(frame, test))
                if not isinstance(t, bool):
                    raise Refuse("a comprehension that chooses by values")
                if not t:
                    ok = False
                    break
            if ok:
                self.clauses(frame, clauses, i + 1, make)

    def e_listcomp(self, frame, e):
        out = []
        self.comprehend(frame, e.list, lambda fr: out.append(self.eval(fr, e.a)))
        return out

    def e_genexp(self, frame, e):
        return self.e_listcomp(frame, e)

    def e_setcomp(self, frame, e):
        return set(self.e_listcomp(frame, e))

    def e_dictcomp(self, frame, e):
        out = {}

        def make(fr):
            out[self.eval(fr, e.a)] = self.eval(fr, e.b)

        self.comprehend(frame, e.list, make)
        return out

    def e_lambda(self, frame, e):
        return Nested(frame, e.def_)

    def e_walrus(self, frame, e):
        if frame.inner:
            raise Refuse("a name bound around a comprehension")
        v = self.eval(frame, e.b)
        self.assign(frame, e.a, v)
        return v

    def e_yield(self, frame, e):
        raise Refuse("yield")

    def e_yieldfrom(self, frame, e):
        raise Refuse("yield")

    def e_star(self, frame, e):
        raise Refuse("a star")

    # ---- calls ----

    def e_call(self, frame, e):
        if e.a.kind == "name" and e.a.name == "super" and not e.list:
            first = frame.tree.params[0].name
            cls = _syntax.free(frame.func, "__class__")
            return super(cls, frame.env[first])
        f = self.eval(frame, e.a)
        args, kwargs = [], {}
        for x in e.list:
            if x.kind == "kw":
                kwargs[x.name] = self.eval(frame, x.a)
            elif x.kind == "star":
                args += list(self.eval(frame, x.a))
            elif x.kind == "dstar":
                kwargs.update(self.eval(frame, x.a))
            else:
                args.append(self.eval(frame, x))
        self.at(frame, e)
        r = self.call(f, args, kwargs)
        if self.numbers == "sym" and isinstance(r, self.w.Tensor) and not self.w.about(r, "symbolic"):
            r = self.w.symbol_of(r)     # a constant of the program, so that it can be written to
        return r

    def own_way(self, f, args, kwargs):
        # What a stage does instead of calling f, or NotImplemented.
        special = specials.get(id(f))
        if special is not None and special[0] is f:
            return special[1](self, args, kwargs)
        if self.texts and getattr(f, "__name__", "") == "format" and isinstance(getattr(f, "__self__", None), str) and not kwargs:
            if any([self.unknown(x) for x in args]):
                raise Refuse("the text of a value that is not known")
            return self.texts.braces(f.__self__, args)
        return NotImplemented

    def call(self, f, args, kwargs):
        r = self.own_way(f, args, kwargs)
        if r is not NotImplemented:
            return r
        if self.outside and getattr(f, "__name__", "") in _changing:
            self.may_change(getattr(f, "__self__", None))
        sort = _syntax.sort(f)
        if sort == "method":
            inner = getattr(f.__func__, "__stage_as__", f.__func__)
            if _syntax.sort(inner) == "function" and self.stages(inner):
                return self.call_function(inner, [f.__self__] + list(args), kwargs)
            if f.__name__ == "item" and self.unknown(f.__self__):
                return self.item_of(f.__self__)
        elif sort == "function" and self.stages(f):
            return self.call_function(f, args, kwargs)
        elif sort == "native":
            if getattr(f, "__name__", "") == "item" and self.unknown(getattr(f, "__self__", None)):
                return self.item_of(f.__self__)
        elif sort == "other":
            if isinstance(f, Nested):
                return self.call_nested(f, args, kwargs)
            if self.module_call is not None:
                inner = self.module_call(f)
                if inner is not None:
                    func, first = inner
                    args = list(args) if first is None else [first] + list(args)
                    return self.call_function(func, args, kwargs) if self.stages(func) else func(*args, **kwargs)
        try:
            return f(*args, **kwargs)
        except (TypeError, AttributeError, ValueError) as e:
            if not any([isinstance(x, Sym) for x in list(args) + list(kwargs.values())]):
                raise
            raise Refuse(f"{getattr(f, '__name__', 'a call')} needs the value of a number: {e}")
        except RuntimeError as e:
            if isinstance(e, Refuse) or not open_sizes(list(args) + list(kwargs.values())):
                raise
            raise Refuse(f"sizes that are known when it runs: {e}")

    def item_of(self, x):
        if isinstance(x, Sym):
            return x
        name = x.dtype.name
        return self.to_number(x, "bool" if name == "bool" else "float" if name.find("float") >= 0 else "int")

    def stages(self, func):
        if hasattr(func, "__jit_ignore__"):
            raise Refuse("a function that is run by the machine")
        tree, info = tree_of(func)
        return not info["generator"] and (not info["hidden"] or hasattr(func, "__stage__") or
                                          func.__name__ == "forward")

    def bind(self, tree, defaults, kwdefaults, args, kwargs, name):
        env = {}
        args = list(args)
        kwargs = dict(kwargs)
        pos = [p for p in tree.params if p.kind == "pos"]
        n = len(pos) - len(defaults)
        for i, p in enumerate(pos):
            if args:
                env[p.name] = args.pop(0)
                if p.name in kwargs and i >= tree.nposonly:
                    raise TypeError(f"{name}() got multiple values for argument '{p.name}'")
            elif p.name in kwargs and i >= tree.nposonly:
                env[p.name] = kwargs.pop(p.name)
            elif i >= n:
                env[p.name] = defaults[i - n]
            else:
                raise TypeError(f"{name}() missing 1 required positional argument: '{p.name}'")
        for p in tree.params:
            if p.kind == "star":
                env[p.name] = tuple(args)
                args = []
            elif p.kind == "kw":
                if p.name in kwargs:
                    env[p.name] = kwargs.pop(p.name)
                elif p.name in kwdefaults:
                    env[p.name] = kwdefaults[p.name]
                else:
                    raise TypeError(f"{name}() missing 1 required keyword-only argument: '{p.name}'")
            elif p.kind == "dstar":
                env[p.name] = kwargs
                kwargs = {}
        if args:
            raise TypeError(f"{name}() takes {len(pos)} positional arguments but {len(pos) + len(args)} were given")
        for k in kwargs:
            raise TypeError(f"{name}() got an unexpected keyword argument '{k}'")
        return env

    def call_function(self, func, args, kwargs):
        tree, info = tree_of(func)
        defaults, kwdefaults = _syntax.defaults(func)
        env = self.bind(tree, defaults, kwdefaults, args, kwargs, func.__name__)
        return self.enter(Frame(self, func, tree, info, env))

    def call_nested(self, f, args, kwargs):
        tree = f.tree
        pos = [d for p, d in zip(tree.params, f.defaults) if p.kind == "pos" and p.value is not None]
        kw = {p.name: d for p, d in zip(tree.params, f.defaults) if p.kind == "kw" and p.value is not None}
        frame = Frame(self, f.frame.func, tree, f.frame.info, self.bind(tree, pos, kw, args, kwargs, tree.name))
        frame.outer = f.frame
        return self.enter(frame)

    def enter(self, frame):
        self.calls += 1
        if self.calls > 200:
            raise Refuse("calls are nested too deeply")
        confined = frame.info["confined"]
        if confined:
            _syntax.confine(1)
        try:
            out = self.run(frame, frame.tree.body)
        except Refuse:
            raise
        except Exception as e:
            if self.numbers == "sym" and needs_value(e):
                raise Refuse(str(e))
            self.passed(frame, e)
            raise
        finally:
            self.calls -= 1
            if confined:
                _syntax.confine(-1)
        if isinstance(out.code, int):
            if out.code == RAISE:
                raise Refuse("a function that always raises here")
            return None if out.value is MISSING or out.code != RETURN else out.value
        return self.settle(out)

    def passed(self, frame, e):
        # An exception leaves a function.
        pass

    def settle(self, out):
        # Some ways return a value and others none.
        raise Refuse("the function gives a result on one way only")

