# _stage.loop -- loops as scan and while: the variables that change are carries; their types settle
# by trial; a body that may leave gives a code, and the value it returns.
from _stage.join import Join
from _stage.number import Refuse, kinds
from _stage.state import MISSING, NEXT, RAISE, Outcome, Part, leaf_of
from _stage.tree import assigned


class Loops(Join):
    def loop(self, frame, node, test, step, count):
        # A loop as an op.   test(frame): truth of going on; None: `count` turns
        #   step(frame, i): binds the loop's variable for turn i, a tensor; None: there is none
        #   count: turns, a number or a Sym; None with a test
        w = self.w
        names = assigned(node.list, set())
        types = {}      # (key, place): type
        start = self.state(frame)
        for key, p in start.items():
            if key in names or not isinstance(key, str):
                for i, l in enumerate(p.leaves):
                    if self.carries(l):
                        types[(key, i)] = self.first_type(l)

        def run(fr, i=None):
            if step is not None:
                step(fr, i)
            return self.run(fr, node.list)

        for attempt in range(8):
            first = {k: leaf_of(typ[0], self.convert(start[k[0]].leaves[k[1]], typ)) for k, typ in types.items()}
            t = self.trial(frame, first, run, None if step is None else w.tensor(0, "int64"))
            if not self.widen(t, start, types):
                break
        else:
            raise Refuse("the variables of a loop do not settle")
        code = t.outcome.code
        leaves = not isinstance(code, int) or code != NEXT
        if leaves and node.more:
            raise Refuse("else of a loop that may end early")
        if isinstance(code, int) and code == RAISE:
            raise Refuse("a loop whose body always raises")
        vtypes = []
        if leaves and t.value is not None:
            vtypes = [None if l.kind == "static" and self.kind_of(l.value) is None else self.type_of(l)
                      for l in t.value.leaves]
        outs, scan = self.emit_loop(frame, t, types, first, start, test, step is not None, count, leaves, vtypes)
        new = {}
        inplace, done = {}, {}
        for key, i in types:
            if t.after[key].written[i] and start[key].leaves[i].kind == "tensor":
                inplace[(key, i)] = True
                if id(start[key].leaves[i].value) not in done:
                    done[id(start[key].leaves[i].value)] = key
                    self.write(start, key, i, outs[(key, i)])
        for key, p in start.items():
            changed = [i for i in range(len(p.leaves)) if (key, i) in types and (key, i) not in inplace]
            if not changed:
                new[key] = Part(p.spec, p.leaves, p.origin)
                continue
            ls = [leaf_of(types[(key, i)][0], outs[(key, i)]) if i in changed else l for i, l in enumerate(p.leaves)]
            new[key] = Part(p.spec, ls, MISSING)
        self.install(frame, new)
        if not leaves:
            return Outcome(NEXT)
        value = MISSING
        if t.value is not None:
            it = iter(outs["value"])
            value = self.put_together(t.value.spec, iter([
                l if typ is None else leaf_of(typ[0], next(it)) for l, typ in zip(t.value.leaves, vtypes)]))
        return Outcome(outs["code"], value)

    def emit_loop(self, frame, t, types, first, start, test, indexed, count, leaves, vtypes):
        # Results: {(key, place): tensor, "code": tensor, "value": [tensors]}
        w = self.w
        order = list(types)
        m = len(order)
        carry = [first[k].value for k in order]
        scan = indexed and not leaves and isinstance(count, int)
        if indexed and not scan:
            carry.append(w.tensor(0, "int64"))
        if leaves:
            carry.append(w.tensor(NEXT, "int64"))
            carry += [self.convert(None, typ) for typ in vtypes if typ is not None]

        def body(*args):
            inputs = list(args[:m + 1] if indexed else args[:m])
            got = t.rebuilt(w.apply(t.program, inputs))
            out = [self.convert(got[id(t.after[k].leaves[i])], types[(k, i)]) for k, i in order]
            if indexed and not scan:
                out.append(args[m] + 1)
            if leaves:
                c = t.outcome.code
                out.append(w.tensor(c, "int64") if isinstance(c, int) else got["code"])
                if t.value is not None:
                    out += [self.convert(got[id(l)], typ) for l, typ in zip(t.value.leaves, vtypes) if typ is not None]
            return out

        def cond(*args):
            ok = None
            if indexed:
                ok = w.lt(args[m], self.number(count, "int"))
            if leaves:
                c = w.eq(args[m + indexed], NEXT)
                ok = c if ok is None else w.logical_and(ok, c)
            if test is not None:
                more = self.test_on(frame, start, dict(zip(order, args)), types, test)
                ok = more if ok is None else w.logical_and(ok, more)
            return [ok]

        if scan:
            outs = w.scan(body, carry, [w.arange(0, count, 1, "int64")], count)
        else:
            outs = w.while_loop(cond, body, carry, count if isinstance(count, int) else None)
        result = dict(zip(order, outs))
        if leaves:
            result["code"] = outs[m + indexed]
            result["value"] = outs[m + indexed + 1:]
        return result, scan

    def test_on(self, frame, start, values, types, test):
        # The loop's condition on the carries.
        kept = self.state(frame)
        records = self.records(kept)
        parts = {}
        for key, p in start.items():
            ls = [leaf_of(types[(key, i)][0], values[(key, i)]) if (key, i) in types else l
                  for i, l in enumerate(p.leaves)]
            parts[key] = Part(p.spec, ls, MISSING)
        self.install(frame, parts)
        try:
            ok = test(frame)
        finally:
            self.give_back(records)
            for p in kept.values():
                p.value = p.origin
            self.install(frame, kept)
        return self.w.tensor(ok) if isinstance(ok, bool) else ok

    def carries(self, l):
        return l.kind != "static" or self.kind_of(l.value) is not None

    def first_type(self, l):
        if l.kind == "tensor":
            return ("tensor", l.value.dtype.name, tuple(l.value.shape))
        return self.type_of(l)

    def widen(self, t, start, types):
        # Make the carries what the body gives them. False when nothing had to change.
        again = False
        for key, p in start.items():
            after = t.after.get(key)
            if after is None:
                raise Refuse("a variable is deleted in a loop")
            if not self.same_spec(p.spec, after.spec):
                raise Refuse("a container changes its form in a loop")
            for i, l in enumerate(after.leaves):
                if (key, i) in types:
                    want = self.carry_type(types[(key, i)], l)
                    if want != types[(key, i)]:
                        types[(key, i)] = want
                        again = True
                elif not after.same[i]:
                    if not self.carries(p.leaves[i]):
                        raise Refuse("a value that cannot be in a program changes in a loop")
                    types[(key, i)] = self.first_type(p.leaves[i])
                    again = True
        return again

    def carry_type(self, typ, l):
        if l.kind == "static" and self.kind_of(l.value) is None:
            raise Refuse("a variable of a loop becomes something that cannot be in a program")
        if typ[0] == "tensor":
            if l.kind == "tensor":
                if l.shape != typ[2]:
                    raise Refuse(f"a variable of a loop has shape {typ[2]}, then {l.shape}")
                if l.dtype != typ[1] and self.numbers == "sym":
                    raise Refuse(f"a variable of a loop is {typ[1]}, then {l.dtype}")
                return ("tensor", l.dtype, typ[2])
            if self.numbers == "sym":
                raise Refuse("a variable of a loop is a tensor, then a number")
            return typ
        if l.kind == "tensor":
            raise Refuse("a variable of a loop is a number, then a tensor")
        kind = self.kind_of(l.value) if l.kind == "static" else l.kind
        k = kind if kind == typ[0] else "float" if "float" in (kind, typ[0]) else "int"
        return (k, kinds[k], ())
