# jax.example_libraries.optimizers -- small optimisers as triples (init, update, get_params).
#
# Each is written for one array; `optimizer` makes it work on trees: a state holds, for every leaf of the parameters,
# the leaves of its own state.
import functools
from collections import namedtuple
import _jax as _w
import _tree
from jax import tree_util as _tu
from jax.numpy import asarray as _asarray

Optimizer = namedtuple("Optimizer", ["init_fn", "update_fn", "params_fn"])
OptimizerState = namedtuple("OptimizerState", ["packed_state", "tree_def", "subtree_defs"])
_tu.register_pytree_node(OptimizerState, lambda s: ((s.packed_state,), (s.tree_def, s.subtree_defs)),
                         lambda data, kids: OptimizerState(kids[0], data[0], data[1]))


def optimizer(opt_maker):
    @functools.wraps(opt_maker)
    def tree_opt_maker(*args, **kwargs):
        init, update, get_params = opt_maker(*args, **kwargs)

        def tree_init(x0_tree):
            leaves, spec = _tu.tree_flatten(x0_tree)
            parts = [_tu.tree_flatten(init(_asarray(x))) for x in leaves]
            return OptimizerState(tuple([tuple(p[0]) for p in parts]), spec, tuple([p[1] for p in parts]))

        def tree_update(i, grad_tree, opt_state):
            states, spec, subs = opt_state
            grads, got = _tu.tree_flatten(grad_tree)
            if got != spec:
                raise TypeError(f"optimizer update function was passed a gradient tree that did not match the parameter tree structure "
                                f"with which it was initialized: parameter tree {spec} and grad tree {got}.")
            new = [_tu.tree_flatten(update(i, g, _tu.tree_unflatten(sub, s))) for g, sub, s in zip(grads, subs, states)]
            for (_, made), sub in zip(new, subs):
                if made != sub:
                    raise TypeError(f"optimizer update function produced an output structure that did not match its input structure: "
                                    f"input {sub} and output {made}.")
            return OptimizerState(tuple([tuple(p[0]) for p in new]), spec, subs)

        def tree_get_params(opt_state):
            states, spec, subs = opt_state
            return _tu.tree_unflatten(spec, [get_params(_tu.tree_unflatten(sub, s)) for sub, s in zip(subs, states)])

        return Optimizer(tree_init, tree_update, tree_get_params)
    return tree_opt_maker


# ---- schedules: step -> rate


def constant(step_size):
    return lambda i: step_size


def exponential_decay(step_size, decay_steps, decay_rate):
    return lambda i: step_size * decay_rate ** (i / decay_steps)


def inverse_time_decay(step_size, decay_steps, decay_rate, staircase=False):
    if staircase:
        return lambda i: step_size / (1 + decay_rate * _w.floor(_asarray(i) / decay_steps))
    return lambda i: step_size / (1 + decay_rate * i / decay_steps)


def polynomial_decay(step_size, decay_steps, final_step_size, power=1.0):
    def schedule(i):
        i = _w.minimum(i, decay_steps)
        return (1 - i / decay_steps) ** power * (step_size - final_step_size) + final_step_size
    return schedule


def piecewise_constant(boundaries, values):
    boundaries, values = _asarray(boundaries), _asarray(values)
    if not len(boundaries.shape) == len(values.shape) == 1:
        raise ValueError("boundaries and values must be sequences")
    if boundaries.shape[0] != values.shape[0] - 1:
        raise ValueError("boundaries length must be one shorter than values length")
    return lambda i: values[_w.sum(_w.cast(_w.gt(i, boundaries), _w.int32))]


def make_schedule(scalar_or_schedule):
    if callable(scalar_or_schedule):
        return scalar_or_schedule
    if len(getattr(scalar_or_schedule, "shape", ())) == 0 and not isinstance(scalar_or_schedule, (list, tuple, str)):
        return constant(scalar_or_schedule)
    raise TypeError(type(scalar_or_schedule))


# ---- optimisers


@optimizer
def sgd(step_size):
    rate = make_schedule(step_size)
    return (lambda x: x), (lambda i, g, x: x - rate(i) * g), (lambda x: x)


@optimizer
def momentum(step_size, mass):
    rate = make_schedule(step_size)

    def update(i, g, s):
        x, v = s
        v = mass * v + g
        return x - rate(i) * v, v
    return (lambda x: (x, _w.zeros_like(x))), update, (lambda s: s[0])


@optimizer
def nesterov(step_size, mass):
    rate = make_schedule(step_size)

    def update(i, g, s):
        x, v = s
        v = mass * v + g
        return x - rate(i) * (mass * v + g), v
    return (lambda x: (x, _w.zeros_like(x))), update, (lambda s: s[0])


@optimizer
def adagrad(step_size, momentum=0.9):
    rate = make_schedule(step_size)

    def update(i, g, s):
        x, sq, m = s
        sq = sq + g * g
        scaled = _w.where(_w.gt(sq, 0), g / _w.sqrt(_w.maximum(sq, 1e-38)), _w.zeros_like(g))
        m = (1.0 - momentum) * scaled + momentum * m
        return x - rate(i) * m, sq, m
    return (lambda x: (x, _w.zeros_like(x), _w.zeros_like(x))), update, (lambda s: s[0])


@optimizer
def rmsprop(step_size, gamma=0.9, eps=1e-8):
    rate = make_schedule(step_size)

    def update(i, g, s):
        x, avg = s
        avg = avg * gamma + g * g * (1.0 - gamma)
        return x - rate(i) * g / _w.sqrt(avg + eps), avg
    return (lambda x: (x, _w.zeros_like(x))), update, (lambda s: s[0])


@optimizer
def rmsprop_momentum(step_size, gamma=0.9, eps=1e-8, momentum=0.9):
    rate = make_schedule(step_size)

    def update(i, g, s):
        x, avg, mom = s
        avg = avg * gamma + g * g * (1.0 - gamma)
        mom = momentum * mom + rate(i) * g / _w.sqrt(avg + eps)
        return x - mom, avg, mom
    return (lambda x: (x, _w.zeros_like(x), _w.zeros_like(x))), update, (lambda s: s[0])


@optimizer
def adam(step_size, b1=0.9, b2=0.999, eps=1e-8):
    rate = make_schedule(step_size)

    def update(i, g, s):
        x, m, v = s
        m = (1 - b1) * g + b1 * m
        v = (1 - b2) * g * g + b2 * v
        mhat = m / (1 - _w.cast(_w.pow(_w.wrap(b1), i + 1), m.dtype))
        vhat = v / (1 - _w.cast(_w.pow(_w.wrap(b2), i + 1), m.dtype))
        return x - rate(i) * mhat / (_w.sqrt(vhat) + eps), m, v
    return (lambda x: (x, _w.zeros_like(x), _w.zeros_like(x))), update, (lambda s: s[0])


@optimizer
def adamax(step_size, b1=0.9, b2=0.999, eps=1e-8):
    rate = make_schedule(step_size)

    def update(i, g, s):
        x, m, v = s
        m = (1 - b1) * g + b1 * m
        v = _w.maximum(b2 * v, _w.abs(g))
        scale = rate(i) / (1 - _w.cast(_w.pow(_w.wrap(b1), i + 1), m.dtype))
        return x - scale * m / (v + eps), m, v
    return (lambda x: (x, _w.zeros_like(x), _w.zeros_like(x))), update, (lambda s: s[0])


@optimizer
def sm3(step_size, momentum=0.9):
    # Sums of squares for the slices of each axis instead of for the elements.
    rate = make_schedule(step_size)

    def along(x, axis, rank):
        return _w.reshape(x, tuple([-1 if i == axis else 1 for i in range(rank)]))

    def update(i, g, s):
        x, m, sums = s
        rank = len(x.shape)
        wide = [along(v, axis, rank) for axis, v in enumerate(sums)] if rank else [sums[0]]
        sq = wide[0]
        for v in wide[1:]:
            sq = _w.minimum(sq, v)
        sq = sq + g * g
        scaled = _w.where(_w.gt(sq, 0), g / _w.sqrt(_w.maximum(sq, 1e-38)), _w.zeros_like(g))
        m = (1.0 - momentum) * scaled + momentum * m
        new = [_w.max(sq, tuple([j for j in range(rank) if j != axis])) if rank > 1 else sq for axis in range(max(rank, 1))]
        return x - rate(i) * m, m, new

    def init(x):
        sums = [_w.full((n,), 0, x.dtype) for n in x.shape] if len(x.shape) else [_w.zeros_like(x)]
        return x, _w.zeros_like(x), sums
    return init, update, (lambda s: s[0])


# ---- gradients


def l2_norm(tree):
    return _w.sqrt(sum([_w.sum(x * x) for x in _tree.flatten(tree)[0]]))


def clip_grads(grad_tree, max_norm):
    norm = l2_norm(grad_tree)
    return _tree.map(lambda g: _w.where(_w.lt(norm, max_norm), g, g * (max_norm / norm)), grad_tree)


# ---- states as trees that say where each parameter's part is


class JoinPoint:
    # Between the tree of the parameters and that of one parameter's state.
    def __init__(self, subtree):
        self.subtree = subtree

    def __iter__(self):
        yield self.subtree


def unpack_optimizer_state(opt_state):
    states, spec, subs = opt_state
    return _tu.tree_unflatten(spec, [JoinPoint(_tu.tree_unflatten(sub, s)) for sub, s in zip(subs, states)])


def pack_optimizer_state(marked_pytree):
    points, spec = _tu.tree_flatten(marked_pytree)
    if not all([isinstance(x, JoinPoint) for x in points]):
        raise ValueError("pack_optimizer_state: every leaf must be a JoinPoint")
    parts = [_tu.tree_flatten(p.subtree) for p in points]
    return OptimizerState(tuple([tuple(p[0]) for p in parts]), spec, tuple([p[1] for p in parts]))
