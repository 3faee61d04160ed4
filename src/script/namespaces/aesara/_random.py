# aesara._random -- random draws as parts of expressions. Generators are NumPy's, their numbers too.
#
# A draw is a node with two outputs: the generator as it is afterwards, and the numbers. Functions
# draw before their program runs (aesara._function): the numbers are inputs of it.
import _aesara as _w
import _numpy
import numpy
from aesara._graph import Apply, Op, TensorType, TensorVariable, Variable, Tag, as_variable, config


class RngVariable(Variable):
    # A shared generator; default_update: the one to go on with after a function has drawn.
    def __init__(self, value, name=None):
        self.value_ = value
        self.name = name
        self.owner = None
        self.index = 0
        self.tag = Tag()
        self.default_update = None
        self.type = "RandomGeneratorType"

    def root_value(self):
        return self.value_

    def get_value(self, borrow=False, return_internal_type=False):
        return self.value_ if borrow else _copied(self.value_)

    def set_value(self, value, borrow=False):
        self.value_ = value if borrow else _copied(value)

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __repr__(self):
        return self.name or "RandomGeneratorSharedVariable(<Generator(PCG64)>)"


class _NextRng(Variable):
    def __init__(self, owner):
        self.owner = owner
        self.index = 0
        self.name = None


def _copied(generator):
    g = numpy.random.Generator(_numpy.Rng(0))
    g._rng.assign(generator._rng)
    return g


class RandomOp(Op):
    # draw(generator, size or None, *parameters)
    def __init__(self, name, draw, dtype):
        super().__init__(name, None, f"{name}_rv", name, 2)
        self.draw = draw
        self.dtype = dtype

    def run(self, node, values, env, subst):
        g = _copied(values[0])
        at = 1
        size = None
        if node.params is not None:
            at = 1 + node.params
            size = tuple([int(v.item()) for v in values[1:at]])
        x = numpy.asarray(self.draw(g, size, *[_number(v) for v in values[at:]]))
        return [g, _w.cast(_w.wrap(x), node.outputs[1].dtype)]


def _number(v):
    return v.item() if v.ndim == 0 else numpy._wrap(v)


def _binomial(g, size, n, p):
    if not isinstance(p, float) or n != 1:
        raise NotImplementedError("binomial: of one trial and one probability only")
    u = g.random(size)
    return u > 1 - p if p <= 0.5 else u <= p


_DRAWS = {
    "uniform": (lambda g, size, low, high: g.uniform(low, high, size), (0.0, 1.0), None),
    "normal": (lambda g, size, loc, scale: g.normal(loc, scale, size), (0.0, 1.0), None),
    "lognormal": (lambda g, size, mean, sigma: numpy.exp(g.normal(mean, sigma, size)), (0.0, 1.0), None),
    "integers": (lambda g, size, low, high: g.integers(low, high, size), None, "int64"),
    "bernoulli": (lambda g, size, p: _binomial(g, size, 1, p), None, "int64"),
    "binomial": (_binomial, None, "int64"),
}
_OPS = {name: RandomOp(name, draw, dtype) for name, (draw, _, dtype) in _DRAWS.items()}


def draw(name, rng, args, size, dtype):
    # the variable of numbers drawn by rng
    args = list(args)
    if _DRAWS[name][1] is not None:
        args += list(_DRAWS[name][1])[len(args):]
    if name == "integers" and len(args) == 1:
        args = [0] + args
    args = [as_variable(a) for a in args]
    rank = max([a.ndim for a in args])
    sizes = []
    if size is not None:
        if isinstance(size, TensorVariable) and size.ndim == 1:
            from aesara.tensor import _sizes
            sizes, n = _sizes(size)
            if n is None:
                raise NotImplementedError("a size of unknown length")
        else:
            sizes = [as_variable(s) for s in (size if isinstance(size, (list, tuple)) else [size])]
        rank = len(sizes)
    op = _OPS[name]
    return _node(op, [rng] + sizes + args, None if size is None else len(sizes), dtype or op.dtype or config.floatX, rank)


watching = []   # lists that get every node made: of scans whose step is being called


def _node(op, inputs, params, dtype, rank):
    node = Apply(op, inputs, params, [])
    node.outputs = [_NextRng(node), TensorVariable(TensorType(dtype, (None,) * rank), node, 1)]
    for seen in watching:
        seen.append(node)
    return node.outputs[1]


def rows(node, n):
    # n draws of a node, one after the other
    x = node.outputs[1]
    if node.params is None and x.ndim:
        raise NotImplementedError("scan: a draw whose parameters are arrays needs a size")
    rng, rest = node.inputs[0], node.inputs[1:]
    out = _node(node.op, [rng, n] + rest, 1 + (node.params or 0), x.dtype, x.ndim + 1)
    rng.default_update = None
    return out


class RandomStream:
    def __init__(self, seed=None, namespace=None, rng_ctor=None):
        if rng_ctor is not None and rng_ctor is not numpy.random.default_rng:
            raise NotImplementedError("RandomStream: generators are those of numpy.random.default_rng")
        self.state_updates = []
        self.default_instance_seed = seed
        self._restart(seed)

    def _restart(self, seed):
        self._seed = int(numpy.random.default_rng().integers(0, 2 ** 31)) if seed is None else seed
        self._spawned = 0

    def _spawn(self):
        # the next child of SeedSequence(seed)
        s, words = self._seed, []
        while s or not words:
            words.append(s & 0xffffffff)
            s >>= 32
        words += [0] * (4 - len(words)) + [self._spawned]
        self._spawned += 1
        return numpy.random.Generator(_numpy.Rng(words))

    def seed(self, seed=None):
        self._restart(self.default_instance_seed if seed is None else seed)
        for rng, _ in self.state_updates:
            rng.value_ = self._spawn()

    def updates(self):
        return list(self.state_updates)

    def gen(self, name, *args, size=None, dtype=None, **kw):
        for k in ("low", "high", "loc", "scale", "mean", "sigma", "n", "p", "avg", "std"):
            if k in kw:
                args += (kw.pop(k),)
        if kw:
            raise TypeError(f"{name}: unexpected argument {list(kw)[0]!r}")
        rng = RngVariable(self._spawn())
        out = draw(name, rng, args, size, dtype)
        rng.default_update = out.owner.outputs[0]
        self.state_updates.append((rng, rng.default_update))
        return out


def _method(name, positions):
    def call(self, *args, **kw):
        # a size may stand behind the parameters
        if len(args) > positions and "size" not in kw:
            args, kw["size"] = args[:positions], args[positions]
        return self.gen(name, *args, **kw)
    return call


for _name, _n in (("uniform", 2), ("normal", 2), ("lognormal", 2), ("integers", 2), ("bernoulli", 1), ("binomial", 2)):
    setattr(RandomStream, _name, _method(_name, _n))
