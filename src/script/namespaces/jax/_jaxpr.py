# jax._jaxpr -- programs as JAX shows them: jaxprs whose equations a script can walk, evaluate
# and print. A Jaxpr is made of a Program's view; ops get JAX's names and parameters, and
# scalar constants become literals.
import _jax as _w
from jax._float0 import Shaped

_short = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "int8": "i8",
          "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
          "uint32": "u32", "uint64": "u64", "bool": "bool", "int4": "i4", "uint4": "u4",
          "float8_e4m3fn": "f8_e4m3fn", "float8_e5m2": "f8_e5m2", "float8_e4m3fnuz": "f8_e4m3fnuz", "float8_e5m2fnuz": "f8_e5m2fnuz",
          "float8_e8m0fnu": "f8_e8m0fnu"}


class ManualAxisType:
    # Over which axes of the mesh a value of one device differs from those of others.
    def __init__(self, varying):
        self.varying = frozenset(varying)

    def __repr__(self):
        return f"ManualAxisType(varying={self.varying})"


class ShapedArray(Shaped):
    def __init__(self, shape, dtype, weak_type=False, sharding=None, varying=()):
        self.shape, self.dtype, self.weak_type, self.sharding = tuple(shape), dtype, weak_type, sharding
        self.manual_axis_type, self._varying = ManualAxisType(varying), tuple(varying)

    def _axes(self):
        # 4@x: an axis of the type Explicit divides it
        if self.sharding is None:
            return [str(d) for d in self.shape]
        return [f"{d}@{e[0] if len(e) == 1 else '(' + ','.join(e) + ')'}" if e else str(d)
                for d, e in zip(self.shape, self.sharding._tiles(len(self.shape)))]

    def str_short(self, short_dtypes=False):
        name = _short[self.dtype.name] if short_dtypes else self.dtype.name
        over = self._varying
        varies = "{V:" + (over[0] if len(over) == 1 else "(" + ",".join(over) + ")") + "}" if over else ""
        return f"{name}[{','.join(self._axes())}]{varies}"

    def __repr__(self):
        weak = ", weak_type=True" if self.weak_type else ""
        return f"ShapedArray({self.str_short()}{weak})"

    def __str__(self):
        return ("~" if self.weak_type else "") + self.str_short()

    def __eq__(self, other):
        return (isinstance(other, ShapedArray) and self.shape == other.shape and self.dtype == other.dtype
                and self.weak_type == other.weak_type)

    def __hash__(self):
        return hash((self.shape, self.dtype.name))


class Var:
    def __init__(self, number, aval):
        self.count, self.aval = number, aval

    def __repr__(self):
        return f"Var(id={self.count}):{self.aval.str_short()}"

    def __hash__(self):
        return id(self)


class DropVar(Var):
    def __repr__(self):
        return "_"


class Literal:
    def __init__(self, val, aval, shape=()):
        self.val, self.aval = val, aval
        self.shape = shape   # of the constant it stands for, in elementwise equations

    def __repr__(self):
        return f"{_number(self.val)}:{self.aval.str_short(True)}"

    def __hash__(self):
        raise TypeError("unhashable type: 'Literal'")


def _number(x):
    return str(x.item() if isinstance(x, _w.Tensor) else x)


class Primitive:
    def __init__(self, name):
        self.name = name
        self.multiple_results = name in ("cond", "while", "scan", "custom_jvp_call", "custom_vjp_call", "checkpoint",
                                         "jit", "sort", "lu", "threefry2x32")
        self.impl = None

    def __repr__(self):
        return self.name

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        return isinstance(other, Primitive) and self.name == other.name

    def bind(self, *args, **params):
        if self.impl is not None:
            return self.impl(*args, **params)
        from jax._bind import bind
        return bind(self.name, args, params)

    def def_impl(self, impl):
        self.impl = impl
        return impl

    def def_abstract_eval(self, rule):
        return rule


_known = {}


def primitives(name):
    if name not in _known:
        _known[name] = Primitive(name)
    return _known[name]


class JaxprEqn:
    def __init__(self, invars, outvars, primitive, params):
        self.invars, self.outvars = invars, outvars
        self.primitive, self.params = primitive, params
        self.effects = set()
        self.source_info = None

    def replace(self, **changes):
        new = JaxprEqn(self.invars, self.outvars, self.primitive, self.params)
        for k, v in changes.items():
            setattr(new, k, v)
        return new

    def __repr__(self):
        return _eqn_text(self, _Names(), 0)


class Jaxpr:
    def __init__(self, constvars, invars, outvars, eqns, effects=None, debug_info=None):
        self.constvars, self.invars = list(constvars), list(invars)
        self.outvars, self.eqns = list(outvars), list(eqns)
        self.effects = set()

    def replace(self, **changes):
        new = Jaxpr(self.constvars, self.invars, self.outvars, self.eqns)
        for k, v in changes.items():
            setattr(new, k, v)
        return new

    def __repr__(self):
        return _jaxpr_text(self, _Names(), 0)


class ClosedJaxpr:
    def __init__(self, jaxpr, consts):
        self.jaxpr, self.consts = jaxpr, list(consts)

    @property
    def eqns(self):
        return self.jaxpr.eqns

    @property
    def literals(self):
        return self.consts

    @property
    def in_avals(self):
        return [v.aval for v in self.jaxpr.invars]

    @property
    def out_avals(self):
        return [v.aval for v in self.jaxpr.outvars]

    def __repr__(self):
        return _jaxpr_text(self.jaxpr, _Names(), 0)


# ---- from a program


_names = {"cast": "convert_element_type", "bitcast": "bitcast_convert_type", "broadcast": "broadcast_in_dim",
          "concat": "concatenate", "select": "select_n", "shl": "shift_left", "shr_logical": "shift_right_logical",
          "shr_arith": "shift_right_arithmetic", "conv_general": "conv_general_dilated",
          "reduce_window_sum": "reduce_window_sum", "call": "jit", "custom_jvp": "custom_jvp_call",
          "custom_vjp": "custom_vjp_call", "scatter": "scatter", "spmd": "shard_map"}


def _params(op, attrs, in_avals, out_avals):
    a = attrs
    if op == "cast":
        return {"new_dtype": out_avals[0].dtype, "weak_type": False}
    if op == "bitcast":
        return {"new_dtype": out_avals[0].dtype}
    if op == "broadcast":
        return {"shape": a["shape"], "broadcast_dimensions": a["dims"], "sharding": None}
    if op == "reshape":
        return {"new_sizes": out_avals[0].shape, "dimensions": None, "sharding": None}
    if op == "transpose":
        return {"permutation": a["perm"]}
    if op == "slice":
        strides = a["stride"]
        plain = all([s == 1 for s in strides])
        return {"start_indices": a["start"], "limit_indices": a["limit"], "strides": None if plain else strides}
    if op == "pad":
        inner = a["interior"] or (0,) * len(a["lo"])
        return {"padding_config": tuple(zip(a["lo"], a["hi"], inner))}
    if op == "concat":
        return {"dimension": a["axis"]}
    if op == "rev":
        return {"dimensions": a["axes"]}
    if op == "iota":
        return {"dtype": out_avals[0].dtype, "shape": out_avals[0].shape, "dimension": a["axis"],
                "sharding": None}
    if op in ("reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_and", "reduce_or"):
        return {"axes": a["axes"], "out_sharding": None}
    if op in ("argmax", "argmin"):
        return {"axes": (a["axis"],), "index_dtype": out_avals[0].dtype}
    if op == "dot_general":
        return {"dimension_numbers": ((a["lhs"], a["rhs"]), (a["lhs_batch"], a["rhs_batch"])),
                "preferred_element_type": out_avals[0].dtype}
    if op == "dynamic_slice":
        return {"slice_sizes": a["sizes"]}
    if op == "sort":
        return {"dimension": a["axis"], "is_stable": True, "num_keys": a["keys"]}
    if op == "cond":
        return {"branches": tuple([closed_jaxpr(p) for p in a["branches"]])}
    if op == "while":
        return {"cond_nconsts": a["ncond"], "cond_jaxpr": closed_jaxpr(a["cond"]), "body_nconsts": a["nbody"],
                "body_jaxpr": closed_jaxpr(a["body"])}
    if op == "scan":
        n, c = a["nconst"], a["ncarry"]
        return {"reverse": a["reverse"], "length": a["length"], "jaxpr": closed_jaxpr(a["body"]), "num_consts": n,
                "num_carry": c, "unroll": 1}
    if op in _collectives:
        return _collectives[op](a, in_avals, out_avals)
    if op == "call":
        return {"name": a["body"].name, "jaxpr": closed_jaxpr(a["body"])}
    if op == "checkpoint":
        return {"jaxpr": closed_jaxpr(a["body"])}
    if op == "custom_jvp":
        return {"call_jaxpr": closed_jaxpr(a["primal"])}
    if op == "custom_vjp":
        return {"call_jaxpr": closed_jaxpr(a["primal"])}
    return dict(a)


def _axis_names(a):
    return tuple(a["axis"].split(","))




def _pairs(perm):
    return tuple([tuple(perm[k:k + 2]) for k in range(0, len(perm), 2)])


_collectives = {
    "psum": lambda a, x, y: {"axes": _axis_names(a)} if a["inv"] else {"axes": _axis_names(a), "axis_index_groups": None},
    "pmax": lambda a, x, y: {"axes": _axis_names(a), "axis_index_groups": None},
    "pmin": lambda a, x, y: {"axes": _axis_names(a), "axis_index_groups": None},
    "pvary": lambda a, x, y: {"axes": _axis_names(a)},
    "ppermute": lambda a, x, y: {"axis_name": _axis_names(a), "perm": _pairs(a["perm"])},
    "axis_index": lambda a, x, y: {"axis_name": a["axis"]},
    "all_gather": lambda a, x, y: {"all_gather_dimension": a["at"], "axis_index_groups": None, "axis_name": _axis_names(a),
                                   "axis_size": y[0].shape[a["at"]], "tiled": False},
    "reduce_scatter": lambda a, x, y: {"axis_index_groups": None, "axis_name": _axis_names(a),
                                       "axis_size": x[0].shape[a["at"]], "scatter_dimension": a["at"], "tiled": False},
    "all_to_all": lambda a, x, y: {"axis_index_groups": None, "axis_name": _axis_names(a), "concat_axis": a["to"],
                                   "split_axis": a["at"], "tiled": False},
}


class _Place:
    # Inside a shard_map, or on a mesh whose axes are a part of types: what types of values say besides.
    def __init__(self, varying=None, sharding=None):
        self.varying = varying or {}      # by value
        self.sharding = sharding or {}
        self.check = varying is not None

    def follow(self, op, ins, outs, attrs):
        if not self.check:
            return
        over = []
        for v in ins:
            over.extend([n for n in self.varying.get(v, ()) if n not in over])
        if op in ("pvary", "axis_index"):
            over.extend([n for n in _axis_names(attrs) if n not in over])
        if op in ("psum", "pmax", "pmin") or (op == "all_gather" and attrs["inv"]):
            over = [n for n in over if n not in _axis_names(attrs)]
        for v in outs:
            self.varying[v] = tuple(over)


def _spmd_params(a):
    from jax._sharding import axis_id, spec_of
    from jax._layout import is_explicit, seen_meshes
    parts = a["mesh"].split(",")
    mesh = [m for m in seen_meshes if all([t in m.text().split(",") for t in parts])][-1]
    names = [n for n in mesh.axis_names if axis_id(n) in [t.split(":")[0] for t in parts]]
    ins, outs = [tuple([spec_of(s, mesh, True) for s in a[k].split(";")]) for k in ("in", "out")]
    body = a["body"]
    varying = {}
    for v, s in zip(body.view()[1], ins):
        varying[v] = tuple([n for n in mesh.axis_names if n in s.names()])
    jaxpr = closed_jaxpr(body, _Place(varying if a["check"] else None)).jaxpr
    return {"check_vma": a["check"], "in_specs": ins, "jaxpr": jaxpr,
            "mesh": mesh.abstract_mesh if is_explicit(mesh) else mesh, "newly_manual_axes": frozenset(names), "out_specs": outs}


_elementwise = set("""neg abs sign exp expm1 log log1p sin cos tan tanh erf erfc erf_inv sqrt rsqrt logistic floor ceil
    round is_finite not add sub mul div rem pow atan2 max min and or xor shl shr_logical shr_arith eq ne lt le gt ge
    select clamp cast bitcast""".split())


class _Builder:
    def __init__(self, program, place=None):
        self.values, inputs, eqns, results = program.view()
        self.place = place or _Place()
        self.vars = {}
        self.consts = []
        self.eqns = []
        self.spread = []    # equations that only put axes of one before a broadcast, which is of what they are of
        for v in inputs:
            self.new(v)
        self.invars = [self.vars[v] for v in inputs]
        for op, ins, outs, attrs in eqns:
            self.add(op, ins, outs, attrs)
        self.outvars = [self.whole(v) for v in results]
        self.drop_unused()

    def aval(self, v):
        return ShapedArray(self.values[v][1], self.values[v][0], False, self.place.sharding.get(v), self.place.varying.get(v, ()))

    def new(self, v):
        self.vars[v] = Var(v, self.aval(v))
        return self.vars[v]

    def add(self, op, ins, outs, attrs):
        if op == "const":
            return self.constant(outs[0], attrs["data"])
        if op == "name":
            self.vars[outs[0]] = self.vars[ins[0]]
            return
        if op == "broadcast" and isinstance(self.vars[ins[0]], Literal):
            # a literal stands for its copies too
            lit = self.vars[ins[0]]
            self.vars[outs[0]] = Literal(lit.val, ShapedArray((), lit.aval.dtype), self.aval(outs[0]).shape)
            return
        partner = any([not isinstance(self.vars[v], Literal) for v in ins])
        invars = [self.vars[v] if partner and op in _elementwise else self.whole(v) for v in ins]
        self.place.follow(op, ins, outs, attrs)
        outvars = [self.new(v) for v in outs]
        params = _spmd_params(attrs) if op == "spmd" else _params(op, attrs, [v.aval for v in invars], [v.aval for v in outvars])
        if op == "psum" and attrs["inv"]:
            op = "psum_invariant"
        if op == "select":
            invars = [invars[0], invars[2], invars[1]]
        if op == "broadcast":
            invars[0], params["broadcast_dimensions"] = self.unspread(invars[0], params["broadcast_dimensions"])
        if op == "pow" and isinstance(invars[1], Literal):
            y = invars[1].val.item()
            if not isinstance(y, complex) and y % 1 == 0:      # x**3, and x**3.0 is that, too
                self.eqns.append(JaxprEqn(invars[:1], outvars, primitives("integer_pow"), {"y": int(y)}))
                return
        self.eqns.append(JaxprEqn(invars, outvars, primitives(_names.get(op, op)), params))

    def unspread(self, var, dims):
        # What a broadcast is of, if axes of one were put into that first: axis k became axis dims[k].
        made = next((e for e in self.eqns if e.outvars[0] is var), None)
        if made is None or made.primitive.name != "reshape" or len(dims) != len(var.aval.shape):
            return var, dims
        new, kept = var.aval.shape, []
        for d in made.invars[0].aval.shape:
            at = kept[-1] + 1 if kept else 0
            while at < len(new) and new[at] != d:
                at += 1 if new[at] == 1 else len(new)
            if at >= len(new):
                return var, dims
            kept.append(at)
        if not all([n == 1 for k, n in enumerate(new) if k not in kept]):
            return var, dims
        self.spread.append(made)
        return made.invars[0], tuple([dims[k] for k in kept])

    def whole(self, v):
        # A literal in its full shape, for equations that do not spread scalars.
        lit = self.vars[v]
        if not isinstance(lit, Literal) or lit.shape == ():
            return lit
        var = self.new(v)
        self.eqns.append(JaxprEqn([Literal(lit.val, lit.aval)], [var], primitives("broadcast_in_dim"),
                                  {"shape": lit.shape, "broadcast_dimensions": (), "sharding": None}))
        return var

    def constant(self, v, data):
        aval = self.aval(v)
        if aval.size > 0 and (aval.shape == () or _all_same(data)):
            value = data if aval.shape == () else _w.reshape(data, (-1,))[0]
            self.vars[v] = Literal(value, ShapedArray((), aval.dtype), aval.shape)
            return
        self.consts.append((self.new(v), data))

    def drop_unused(self):
        used = {}
        for e in self.eqns:
            for v in e.invars:
                if isinstance(v, Var):
                    used[v] = True
        for v in self.outvars:
            if isinstance(v, Var):
                used[v] = True
        self.eqns = [e for e in self.eqns if e not in self.spread or e.outvars[0] in used]
        for e in self.eqns:
            e.outvars = [v if v in used else DropVar(v.count, v.aval) for v in e.outvars]
        self.consts = [(v, d) for v, d in self.consts if v in used]


def _all_same(x):
    if _w.about(x, "count") > 64:
        return bool(_w.all(_w.eq(x, _w.reshape(x, (-1,))[0])))
    flat = _w.reshape(x, (-1,)).tolist()
    return all([v == flat[0] for v in flat])


def closed_jaxpr(program, place=None):
    b = _Builder(program, place)
    jaxpr = Jaxpr([v for v, d in b.consts], b.invars, b.outvars, b.eqns)
    closed = ClosedJaxpr(jaxpr, [d for v, d in b.consts])
    closed.program = program
    return closed


# ---- text


class _Names:
    # a, b .. z, ba, bb .. in the order of appearance
    def __init__(self):
        self.given = {}

    def of(self, v):
        if isinstance(v, Literal):
            return repr(v)
        if isinstance(v, DropVar):
            return "_"
        if v not in self.given:
            n = len(self.given)
            name = ""
            while True:
                name = "abcdefghijklmnopqrstuvwxyz"[n % 26] + name
                n //= 26
                if n == 0:
                    break
            self.given[v] = name
        return self.given[v]

    def typed(self, v):
        return f"{self.of(v)}:{v.aval.str_short(True)}"


def _value_text(v, indent, names):
    if isinstance(v, ClosedJaxpr):
        return _jaxpr_text(v.jaxpr, names, indent)
    if isinstance(v, Jaxpr):
        return _jaxpr_text(v, names, indent)
    if isinstance(v, tuple) and len(v) > 0 and isinstance(v[0], ClosedJaxpr):
        pad = " " * (indent + 2)
        inner = "\n".join([pad + _jaxpr_text(b.jaxpr, names, indent + 2) for b in v])
        return "(\n" + inner + "\n" + " " * indent + ")"
    if isinstance(v, _w.dtype):
        return v.name
    if isinstance(v, tuple) and len(v) == 2 and isinstance(v[0], tuple) and len(v[0]) == 2 and isinstance(v[0][0], tuple):
        return "(" + ", ".join(["(" + ", ".join([str(list(p)) for p in pair]) + ")" for pair in v]) + ")"
    return str(v)


def _is_long(params):
    for v in params.values():
        if isinstance(v, (ClosedJaxpr, Jaxpr)) or (isinstance(v, tuple) and len(v) and isinstance(v[0], ClosedJaxpr)):
            return True
    return False


def _eqn_text(e, names, indent):
    ins = " ".join([names.of(v) for v in e.invars])
    outs = " ".join([names.typed(v) for v in e.outvars])
    keys = sorted(e.params)
    if e.primitive.name == "broadcast_in_dim":     # sizes stand to the left
        keys = ["broadcast_dimensions"] if e.params["broadcast_dimensions"] else []
    if not keys:
        middle = ""
    elif _is_long(e.params) or e.primitive.name in ("dot_general", "all_gather", "all_to_all", "reduce_scatter"):
        pad = " " * (indent + 2)
        middle = "[\n" + "\n".join([f"{pad}{k}={_value_text(e.params[k], indent + 2, names)}" for k in keys]) \
            + "\n" + " " * indent + "]"
    else:
        middle = "[" + " ".join([f"{k}={_value_text(e.params[k], indent, names)}" for k in keys]) + "]"
    text = f"{e.primitive.name}{middle} {ins}" if ins else f"{e.primitive.name}{middle}"
    return f"{outs} = {text}" if outs else text


def _jaxpr_text(jaxpr, names, indent):
    consts = " ".join([names.typed(v) for v in jaxpr.constvars])
    ins = " ".join([names.typed(v) for v in jaxpr.invars])
    head = f"{{ lambda {consts + ' ' if consts else ''}; {ins}. let"
    pad = " " * (indent + 4)
    lines = [pad + _eqn_text(e, names, indent + 4) for e in jaxpr.eqns]
    outs = ", ".join([names.of(v) for v in jaxpr.outvars])
    outs = outs + "," if len(jaxpr.outvars) == 1 else outs
    short = "; ".join([line.strip() for line in lines])
    if "\n" not in short and indent + len(head) + len(short) + len(outs) + 9 <= 80:
        return f"{head} {short} in ({outs}) }}"
    return head + "\n" + "\n".join(lines) + f"\n{' ' * (indent + 2)}in ({outs}) }}"


# ---- making and evaluating


def make_jaxpr(fun, static_argnums=(), axis_env=None, return_shape=False, abstracted_axes=None):
    from jax._api import traced_program, ShapeDtypeStruct
    from jax._statics import numbers
    import _tree
    if abstracted_axes is not None:
        raise NotImplementedError("make_jaxpr: abstracted_axes")

    def make(*args, **kwargs):
        from jax._layout import typed_values
        program, out = traced_program(fun, args, kwargs, numbers(static_argnums))
        closed = closed_jaxpr(program, _Place(None, typed_values(program, _tree.flatten((args, kwargs))[0])))
        if return_shape:
            shapes = [ShapeDtypeStruct(a.shape, a.dtype) for a in closed.out_avals]
            return closed, _tree.unflatten(out[-1], shapes)
        return closed

    make.__name__ = f"make_jaxpr({getattr(fun, '__name__', 'fun')})"
    return make


def eval_jaxpr(jaxpr, consts, *args):
    env = {}

    def read(v):
        return v.val if isinstance(v, Literal) else env[v]

    for v, x in zip(jaxpr.constvars, consts):
        env[v] = x
    for v, x in zip(jaxpr.invars, args):
        env[v] = x
    for e in jaxpr.eqns:
        out = e.primitive.bind(*[read(v) for v in e.invars], **e.params)
        outs = out if isinstance(out, (list, tuple)) else [out]
        for v, x in zip(e.outvars, outs):
            env[v] = x
    return [read(v) for v in jaxpr.outvars]


def jaxpr_as_fun(closed):
    return lambda *args: eval_jaxpr(closed.jaxpr, closed.consts, *args)
