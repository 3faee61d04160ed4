# _stage.join -- the two arms of a branch, joined: what they changed, what they return, how they end.
from _stage.number import Refuse, kinds
from _stage.state import MISSING, NEXT, RAISE, RETURN, Leaf, Outcome, Part, State, leaf_of


class Join(State):
    def join_type(self, a, b):
        # (kind, dtype, shape) that holds both leaves.
        na = self.kind_of(a.value) if a.kind == "static" else a.kind if a.kind in kinds else None
        nb = self.kind_of(b.value) if b.kind == "static" else b.kind if b.kind in kinds else None
        if a.kind == "tensor" and b.kind == "tensor":
            if a.shape != b.shape:
                raise Refuse(f"shape {a.shape} on one way and {b.shape} on the other")
            if a.dtype != b.dtype:
                raise Refuse(f"{a.dtype} on one way and {b.dtype} on the other")
            return ("tensor", a.dtype, a.shape)
        if a.kind == "tensor" or b.kind == "tensor":
            t, n = (a, nb) if a.kind == "tensor" else (b, na)
            if n is None or self.numbers == "sym" or t.shape != ():
                raise Refuse("a tensor on one way and something else on the other")
            return ("tensor", t.dtype, ())
        if na is None or nb is None:
            raise Refuse("a value is not the same on both ways")
        if self.numbers == "tensor":
            return ("tensor", "float32" if "float" in (na, nb) else "bool" if na == nb == "bool" else "int32", ())
        kind = na if na == nb else "float" if "float" in (na, nb) else "int"
        return (kind, kinds[kind], ())

    def type_of(self, l):
        if l.kind == "tensor":
            return ("tensor", l.dtype, l.shape)
        if l.kind == "static":
            return self.join_type(l, l)
        return (l.kind, kinds[l.kind], ())

    def convert(self, leaf, target):
        # The leaf as a tensor of the type; None: anything.
        w = self.w
        kind, dtype, shape = target
        if leaf is None:
            return w.full(shape, False if dtype == "bool" else 0, dtype)
        t = w.tensor(leaf.value, dtype) if leaf.kind == "static" else leaf.value
        return t if t.dtype.name == dtype else w.cast(t, dtype)

    def branch(self, frame, pred, then, other):
        # Both arms, joined. pred: a tensor of one bool. Gives the Outcome of the two.
        a, b = self.trial(frame, {}, then), self.trial(frame, {}, other)
        arms = [a, b]
        gone = [isinstance(t.outcome.code, int) and t.outcome.code in (RETURN, RAISE) for t in arms]
        joined = []     # (what each arm gives: a function of its leaves, the type)
        parts = {}
        writes = self.join_writes(arms, joined)
        if not (gone[0] and gone[1]):
            for key in a.before if gone[0] == gone[1] else (b if gone[0] else a).after:
                self.join_part(key, arms, gone, joined, parts)
            if gone[0] == gone[1]:
                for key in a.after:     # names that both arms bind anew
                    if key not in a.before and key in b.after:
                        self.join_part(key, arms, gone, joined, parts)
        value = self.join_value(arms, joined)
        codes = [t.outcome.code for t in arms]
        for k in (0, 1):        # an arm that raises never gets there
            if isinstance(codes[k], int) and codes[k] == RAISE:
                codes[k] = codes[1 - k]
        known = isinstance(codes[0], int) and isinstance(codes[1], int) and codes[0] == codes[1]
        results = self.emit(pred, arms, joined, None if known else codes)
        for key, i, n in writes:
            self.write(a.before, key, i, results[n].value)
        new = {}
        for key, (spec, plan, origin) in parts.items():
            leaves = [results[p] if isinstance(p, int) else p for p in plan]
            new[key] = Part(spec, leaves, origin)
        if new or not (gone[0] and gone[1]):
            self.install(frame, new)
        out = MISSING
        if value is not None:
            out = self.put_together(value[0], iter([results[p] if isinstance(p, int) else p for p in value[1]]))
        return Outcome(codes[0] if known else results[-1].value, out)

    def join_writes(self, arms, joined):
        # Tensors that an arm wrote to in place, also one that is left then: they are written to
        # after the branch, and stay what they are. [(key, place, number of the joined result)]
        out, done = [], {}
        for key, before in arms[0].before.items():
            have = [t.after.get(key) for t in arms]
            for i, l in enumerate(before.leaves):
                ways = [h is not None and h.fits and h.written[i] for h in have]
                if not (ways[0] or ways[1]):
                    continue
                if not all([w or (h is not None and h.fits and h.same[i]) for w, h in zip(ways, have)]):
                    raise Refuse("a tensor is written to on one way and replaced on the other")
                ls = [h.leaves[i] for h in have]
                if id(l.value) not in done:
                    done[id(l.value)] = l
                    joined.append((ls, self.join_type(ls[0], ls[1])))
                    out.append((key, i, len(joined) - 1))
        for t in arms:
            for p in t.after.values():
                p.same = [s or w for s, w in zip(p.same, p.written)]
        return out

    def held(self, arms, leaves):
        # The leaf before the branch whose tensor the leaves of both arms are, or None.
        found = []
        for t, l in zip(arms, leaves):
            if l is None:
                continue
            for key, p in t.start.items():
                for i, s in enumerate(p.leaves):
                    if l.kind == "tensor" and s.kind == "tensor" and s.value is l.value:
                        found.append(t.before[key].leaves[i])
                        break
                else:
                    continue
                break
            else:
                return None
        return found[0] if found and all([f.value is found[0].value for f in found]) else None

    def join_part(self, key, arms, gone, joined, parts):
        have = [t.after.get(key) for t in arms]
        live = [k for k in (0, 1) if not gone[k]]
        for k in live:
            if have[k] is None:         # unbound on one way: not known after
                return
        first = have[live[0]]
        before = arms[0].before.get(key)
        if before is not None and all([have[k].fits and all(have[k].same) for k in live]):
            parts[key] = (before.spec, before.leaves, before.origin)
            return
        if len(live) == 2 and not self.same_spec(have[0].spec, have[1].spec):
            raise Refuse("a container has another form on the two ways")
        plan = []
        for i in range(len(first.leaves)):
            ls = [have[k].leaves[i] if k in live else None for k in (0, 1)]
            plan.append(self.join_leaf(ls, before, i, [have[k] for k in live], joined))
        parts[key] = (first.spec, plan, MISSING)

    def join_leaf(self, ls, before, i, have, joined):
        # A Leaf, or the number of a joined result.
        if before is not None and all([h.fits and h.same[i] for h in have]):
            return before.leaves[i]
        known = [l for l in ls if l is not None]
        if all([l.kind == "static" for l in known]) and self.unchanged(known[0], known[-1]):
            return known[0]
        typ = self.join_type(known[0], known[-1]) if len(known) == 2 else self.type_of(known[0])
        for n, (old, t) in enumerate(joined):   # one tensor with two names stays one
            if t == typ and old[0] is ls[0] and old[1] is ls[1]:
                return n
            if (t == typ and typ[0] == "tensor" and None not in ls and None not in old and
                    old[0].value is ls[0].value and old[1].value is ls[1].value):
                return n
        joined.append((ls, typ))
        return len(joined) - 1

    def join_value(self, arms, joined):
        # The returned value: (spec, plan), or None.
        have = [t.value for t in arms]
        if have[0] is None and have[1] is None:
            return None
        for k in (0, 1):
            if have[k] is None and isinstance(arms[k].outcome.code, int) and arms[k].outcome.code == RETURN:
                raise Refuse("the function gives a result on one way only")
        if have[0] is not None and have[1] is not None and not self.same_spec(have[0].spec, have[1].spec):
            raise Refuse("the function gives results of another form on the two ways")
        first = have[0] if have[0] is not None else have[1]
        plan = []
        for i in range(len(first.leaves)):
            ls = [h.leaves[i] if h is not None else None for h in have]
            kept = self.held(arms, ls)
            plan.append(kept if kept is not None else self.join_leaf(ls, None, i, [], joined))
        return first.spec, plan

    def emit(self, pred, arms, joined, codes):
        # The cond. Its results as Leaves; the code, where it is not known, comes last.
        w = self.w

        def arm(k):
            def run():
                t = arms[k]
                got = t.rebuilt(w.apply(t.program, []))
                out = [self.convert(None if ls[k] is None else got[id(ls[k])], typ) for ls, typ in joined]
                if codes is not None:
                    c = codes[k]
                    out.append(w.tensor(c, "int64") if isinstance(c, int) else
                               got["code"] if c is t.outcome.code else w.tensor(NEXT, "int64"))
                return out
            return run

        outs = w.cond(pred, [arm(1), arm(0)], [])
        leaves = [leaf_of(typ[0], o) for (ls, typ), o in zip(joined, outs)]
        if codes is not None:
            leaves.append(Leaf("int", outs[-1]))
        return leaves
