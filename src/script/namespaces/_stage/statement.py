# _stage.statement -- statements, one after the other.
from _stage.loop import Loops
from _stage.number import Refuse, Sym, binary, inplace, scripted_inplace
from _stage.state import BREAK, MISSING, NEXT, RAISE, RETURN, Outcome
from _stage.tree import leaves_out


class Statements(Loops):
    go_on = NEXT        # how statements end that meet continue

    def run(self, frame, stmts):
        # The Outcome of the statements.
        stmts = list(stmts)
        while stmts:
            s = stmts[0]
            rest = stmts[1:]
            k = s.kind
            if k == "if":
                t = self.truth(self.eval(frame, s.a))
                if t is True:
                    stmts = s.list + rest
                    continue
                if t is False:
                    stmts = s.more + rest
                    continue
                if leaves_out(s.list) or leaves_out(s.more):
                    return self.branch(frame, t, self.arm(s.list + rest), self.arm(s.more + rest))
                out = self.branch(frame, t, self.arm(s.list), self.arm(s.more))
                if isinstance(out.code, int) and out.code == NEXT:
                    stmts = rest
                    continue
                return out
            if k == "while":
                out = self.run_while(frame, s)
            elif k == "for":
                out = self.run_for(frame, s)
            elif k == "with":
                out = self.run_with(frame, s)
            elif k == "return":
                return Outcome(RETURN, None if s.a is None else self.eval(frame, s.a))
            elif k == "break":
                return Outcome(BREAK)
            elif k == "continue":
                return Outcome(self.go_on)
            elif k == "raise":
                return self.run_raise(frame, s)
            elif k == "try":
                out = self.run_try(frame, s)
            else:
                self.simple(frame, s)
                stmts = rest
                continue
            if isinstance(out.code, int):
                if out.code != NEXT:
                    return out
                stmts = rest
                continue
            # the loop ended in ways that are only known when it runs
            return self.after_loop(frame, out, rest)
        return Outcome(NEXT)

    def arm(self, stmts):
        return lambda frame: self.run(frame, stmts)

    def after_loop(self, frame, out, rest):
        # A loop may have returned: then that is the result, else the rest.
        left = self.w.eq(out.code, RETURN)
        if out.value is MISSING:
            return self.run(frame, rest)
        value = out.value
        return self.branch(frame, left, lambda fr: Outcome(RETURN, value), self.arm(rest))

    def run_raise(self, frame, s):
        if self.depth == 0 and not self.in_branch():
            if s.a is None:
                raise Refuse("raise without an exception")
            frame.here = s
            raise self.raised(self.eval(frame, s.a))
        message = "an exception"
        if s.a is not None:
            message = self.raise_text(self.eval(frame, s.a))
        self.w.assert_now(self.w.tensor(False), message.replace("{", "{{").replace("}", "}}"))
        return Outcome(RAISE)

    def raised(self, e):
        return e

    def raise_text(self, e):
        # What a program says where it raises e.
        return str(e)

    def in_branch(self):
        return self.depth > 0

    def run_while(self, frame, s):
        turns = 0
        while True:
            t = self.truth(self.eval(frame, s.a))
            if t is False:
                return self.run(frame, s.more)
            if t is not True:
                if turns:
                    raise Refuse("a loop whose end becomes unknown on the way")
                def test(fr):
                    return self.truth(self.eval(fr, s.a))
                out = self.loop(frame, s, test, None, None)
                if s.more and isinstance(out.code, int) and out.code == NEXT:
                    return self.run(frame, s.more)
                return self.ended(out)
            out = self.run(frame, s.list)
            if not isinstance(out.code, int):
                raise Refuse("a loop that is left depending on values")
            if out.code == BREAK:
                return Outcome(NEXT)
            if out.code not in (NEXT, self.go_on):
                return out
            turns += 1
            if turns > 10000:
                raise Refuse("a loop of very many turns")

    def ended(self, out):
        # After a loop, break means that it is over.
        if isinstance(out.code, int):
            return Outcome(NEXT) if out.code == BREAK else out
        if out.value is MISSING:
            return Outcome(NEXT)
        return out

    def run_for(self, frame, s):
        it, item = self.eval_iter(frame, s.b)
        if item is None:
            return self.unroll(frame, s, it)
        if isinstance(it, int) and it <= 1:
            return self.unroll(frame, s, [item(i) for i in range(it)])

        def step(fr, i):
            self.assign(fr, s.a, item(self.index_value(i)))

        if not isinstance(it, int):
            out = self.loop(frame, s, None, step, it)
        else:
            try:
                out = self.loop(frame, s, None, step, it)
            except Refuse:
                return self.peel(frame, s, it, item)
        if s.more and isinstance(out.code, int) and out.code == NEXT:
            return self.run(frame, s.more)
        return self.ended(out)

    def peel(self, frame, s, n, item):
        # The first turn by itself: it may give variables the types they keep. Then the others
        # as a loop, or one after the other, if they are not too many.
        out = self.unroll_one(frame, s, item(0))
        if out is not None:
            return out

        def step(fr, i):
            self.assign(fr, s.a, item(self.index_value(i + 1)))

        try:
            out = self.loop(frame, s, None, step, n - 1)
        except Refuse:
            if n > 1000:
                raise
            return self.unroll(frame, s, [item(i) for i in range(1, n)])
        if s.more and isinstance(out.code, int) and out.code == NEXT:
            return self.run(frame, s.more)
        return self.ended(out)

    def unroll_one(self, frame, s, x):
        # One turn; None: go on, else how the loop ended.
        self.assign(frame, s.a, x)
        out = self.run(frame, s.list)
        if not isinstance(out.code, int):
            raise Refuse("a loop over host values that is left depending on values")
        if out.code == BREAK:
            return Outcome(NEXT)
        return None if out.code in (NEXT, self.go_on) else out

    def index_value(self, i):
        return Sym(self, "int", i) if self.numbers == "sym" else i

    def unroll(self, frame, s, items):
        for x in items:
            out = self.unroll_one(frame, s, x)
            if out is not None:
                return out
        return self.run(frame, s.more)

    def eval_iter(self, frame, e):
        # What a for goes over: (count, item) for what can be a loop of the program, with
        # item(i) for a number or a Sym; (iterable, None) for host values.
        if self.numbers == "sym" and e.kind == "call" and e.a.kind == "name" and not self.bound(frame, e.a.name) \
                and all([x.kind not in ("kw", "star", "dstar") for x in e.list]):
            name = e.a.name
            if name == "range":
                return self.range_of([self.eval(frame, x) for x in e.list])
            if name == "enumerate" and len(e.list) <= 2:
                n, item = self.eval_iter(frame, e.list[0])
                start = self.eval(frame, e.list[1]) if len(e.list) == 2 else 0
                if item is None:
                    return enumerate(n, start), None
                return n, lambda i: (start + i, item(i))
            if name == "zip" and e.list:
                parts = [self.eval_iter(frame, x) for x in e.list]
                if all([p[1] is not None and isinstance(p[0], int) for p in parts]):
                    return min([p[0] for p in parts]), lambda i: tuple([p[1](i) for p in parts])
                if any([not isinstance(p[0], int) and p[1] is not None for p in parts]):
                    raise Refuse("zip of something whose length is not known")
                return zip(*[p[0] if p[1] is None else [p[1](i) for i in range(p[0])] for p in parts]), None
        x = self.eval(frame, e)
        if hasattr(x, "staged_rows"):
            return x.staged_rows(self)
        if isinstance(x, self.w.Tensor):
            if x.ndim == 0:
                raise TypeError("iteration over a 0-d tensor")
            return int(x.shape[0]), lambda i: self.row(x, i)
        return x, None

    def range_of(self, args):
        start, stop, step = 0, args[0], 1
        if len(args) > 1:
            start, stop = args[0], args[1]
        if len(args) > 2:
            step = args[2]
        if isinstance(step, Sym):
            raise Refuse("a range whose step is not known")
        if step == 0:
            raise ValueError("range() arg 3 must not be zero")
        if step > 0:
            count = (stop - start + (step - 1)) // step
        else:
            count = (start - stop + (-step - 1)) // -step
        count = Sym(self, "int", self.w.maximum(count.t, 0)) if isinstance(count, Sym) else max(int(count), 0)
        return count, lambda i: start + i * step

    def row(self, x, i):
        if isinstance(i, int):
            return x[i]
        return x[i.t if isinstance(i, Sym) else i]

    def run_with(self, frame, s):
        return self.within(frame, s.list, s.more)

    def within(self, frame, items, body):
        if not items:
            return self.run(frame, body)
        m = self.eval(frame, items[0].a)
        v = m.__enter__()
        try:
            if items[0].b is not None:
                self.assign(frame, items[0].b, v)
            out = self.within(frame, items[1:], body)
        except BaseException as e:
            if not m.__exit__(type(e), e, None) or isinstance(e, Refuse):
                raise
            return Outcome(NEXT)
        m.__exit__(None, None, None)
        return out

    def run_try(self, frame, s):
        if self.numbers == "sym":
            raise Refuse("try")
        try:
            out = self.tried(frame, s)
        except Refuse:
            raise
        except BaseException:
            fin = self.finally_of(frame, s)
            if fin is None:
                raise
            return fin
        fin = self.finally_of(frame, s)
        return out if fin is None else fin

    def finally_of(self, frame, s):
        # How it left the function or the loop; None: it did not.
        fin = Outcome(NEXT) if s.b is None else self.run(frame, s.b.list)
        return None if isinstance(fin.code, int) and fin.code == NEXT else fin

    def tried(self, frame, s):
        try:
            out = self.run(frame, s.list)
        except Refuse:
            raise
        except Exception as e:
            for h in s.more:
                if h.a is None or self.catches(self.eval(frame, h.a), e):
                    if h.name is not None:
                        frame.env[h.name] = e
                    return self.run(frame, h.list)
            raise
        if s.a is not None and isinstance(out.code, int) and out.code == NEXT:
            out = self.run(frame, s.a.list)
        return out

    def catches(self, spec, e):
        for c in spec if isinstance(spec, tuple) else (spec,):
            if not isinstance(c, type) or not issubclass(c, BaseException):
                raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        return isinstance(e, spec)

    def simple(self, frame, s):
        k = s.kind
        self.at(frame, s)
        if k == "expr":
            self.eval(frame, s.a)
        elif k == "assign":
            v = self.eval(frame, s.a)
            for t in s.list:
                self.assign(frame, t, v)
        elif k == "aug":
            self.augment(frame, s)
        elif k == "ann":
            if s.c is not None:
                self.assign(frame, s.a, self.eval(frame, s.c))
        elif k == "assert":
            self.run_assert(frame, s)
        elif k == "pass":
            pass
        elif k == "global" and self.numbers == "tensor":
            frame.globals = frame.globals + tuple([t.name for t in s.list])
        elif k == "def":
            f = self.nested(frame, s.def_)
            for d in reversed(s.list):
                f = self.call(self.eval(frame, d), [f], {})
            frame.env[s.def_.name] = f
        elif k == "del":
            for t in s.list:
                if t.kind == "name":
                    del frame.env[t.name]
                elif t.kind == "index":
                    o = self.eval(frame, t.a)
                    self.may_change(o)
                    del o[self.key(self.eval(frame, t.b))]
                else:
                    raise Refuse("del")
        else:
            raise Refuse(k)

    def run_assert(self, frame, s):
        t = self.truth(self.eval(frame, s.a))
        if t is True:
            return
        message = ""
        if s.b is not None:
            m = self.eval(frame, s.b)
            message = m if isinstance(m, str) else repr(m)
        if t is False and self.depth == 0:
            raise AssertionError(message) if s.b is not None else AssertionError()
        if t is False:
            t = self.w.tensor(False)
        self.w.assert_now(t, message.replace("{", "{{").replace("}", "}}"))

    def assign(self, frame, t, v):
        if t.kind == "name":
            if t.name in frame.globals:
                if self.depth > 0:
                    raise Refuse("a global name is bound in a branch or a loop")
                frame.info["globals"][t.name] = v
            else:
                frame.env[t.name] = v
        elif t.kind == "tuple" or t.kind == "list":
            self.unpack(frame, t.list, v)
        elif t.kind == "attr":
            self.set_attribute(self.eval(frame, t.a), t.name, v)
        elif t.kind == "index":
            o = self.eval(frame, t.a)
            key = self.key(self.eval(frame, t.b))
            if isinstance(o, (list, dict)) and self.unknown(key):
                raise Refuse("an item whose place is not known")
            self.may_change(o)
            o[key] = v
        elif t.kind == "star":
            self.assign(frame, t.a, v)
        else:
            raise Refuse(t.kind)

    def set_attribute(self, o, name, v):
        # Attributes of things that are not part of the state would be set while compiling only.
        if (self.depth > 0 or self.numbers == "sym") and not self.is_record(o) and \
                not any([so is o and sn == name for so, sn in self.slots]):
            raise Refuse("an attribute that is not a tensor is set")
        setattr(o, name, v)

    def unpack(self, frame, targets, v):
        star = [i for i, t in enumerate(targets) if t.kind == "star"]
        v = list(v)
        if not star:
            if len(v) != len(targets):
                raise ValueError(f"expected {len(targets)} values to unpack, got {len(v)}")
            for t, x in zip(targets, v):
                self.assign(frame, t, x)
            return
        i, after = star[0], len(targets) - star[0] - 1
        for t, x in zip(targets[:i], v[:i]):
            self.assign(frame, t, x)
        self.assign(frame, targets[i].a, v[i:len(v) - after])
        for t, x in zip(targets[i + 1:], v[len(v) - after:]):
            self.assign(frame, t, x)

    def augment(self, frame, s):
        b = self.eval(frame, s.b)
        t = s.a
        own = inplace[s.op] if self.numbers != "sym" or s.op in scripted_inplace else None
        fn = (lambda x, y: self.operate(s.op, x, y)) if own is None else (lambda x, y: self.without_numbers(own, x, y))
        if t.kind == "name":
            self.assign(frame, t, fn(self.lookup(frame, t), b))
        elif t.kind == "attr":
            o = self.eval(frame, t.a)
            v = getattr(o, t.name)
            if isinstance(v, (list, dict, set)) and not self.is_record(o) and self.numbers == "sym":
                raise Refuse("a container that is not the function's own is changed")
            self.set_attribute(o, t.name, fn(v, b))
        else:
            o = self.eval(frame, t.a)
            key = self.key(self.eval(frame, t.b))
            self.may_change(o)
            if self.numbers == "sym" and isinstance(o, dict):
                fn = binary[s.op]       # TorchScript's items of dicts are not written in place
            new = fn(self.item(o, key), b)
            if own is not None or not isinstance(o, self.w.Tensor):     # TorchScript drops what x[i] |= y of a tensor gives
                o[key] = new
