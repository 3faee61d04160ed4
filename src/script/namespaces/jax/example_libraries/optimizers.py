# jax.example_libraries.optimizers -- small optimisers as triples (init, update, get_params).
import _jax as _w
import _tree


def constant(step_size):
    return lambda i: step_size


def exponential_decay(step_size, decay_steps, decay_rate):
    return lambda i: step_size * decay_rate ** (i / decay_steps)


def _schedule(s):
    return s if callable(s) else constant(s)


def _optimizer(init_leaf, update_leaf, params_leaf):
    # A state is a tree of the parameters' shape with a tuple at every leaf.
    def init(params):
        leaves, spec = _tree.flatten(params)
        return OptimizerState([init_leaf(_w.wrap(x)) for x in leaves], spec)

    def update(i, grads, state):
        gs = _tree.flatten(grads)[0]
        return OptimizerState([update_leaf(i, g, s) for g, s in zip(gs, state.parts)], state.spec)

    def get_params(state):
        return _tree.unflatten(state.spec, [params_leaf(s) for s in state.parts])

    return init, update, get_params


class OptimizerState:
    def __init__(self, parts, spec):
        self.parts, self.spec = parts, spec


_tree.register(OptimizerState, lambda s: ((s.parts,), s.spec), lambda spec, kids: OptimizerState(kids[0], spec))


def sgd(step_size):
    rate = _schedule(step_size)
    return _optimizer(lambda x: x, lambda i, g, x: x - rate(i) * g, lambda x: x)


def momentum(step_size, mass):
    rate = _schedule(step_size)

    def update(i, g, s):
        x, v = s
        v = mass * v + g
        return x - rate(i) * v, v

    return _optimizer(lambda x: (x, _w.zeros_like(x)), update, lambda s: s[0])


def nesterov(step_size, mass):
    rate = _schedule(step_size)

    def update(i, g, s):
        x, v = s
        v = mass * v + g
        return x - rate(i) * (mass * v + g), v

    return _optimizer(lambda x: (x, _w.zeros_like(x)), update, lambda s: s[0])


def adagrad(step_size, momentum=0.9):
    rate = _schedule(step_size)

    def update(i, g, s):
        x, sq, m = s
        sq = sq + g * g
        scaled = _w.where(_w.gt(sq, 0), g / _w.sqrt(_w.maximum(sq, 1e-38)), _w.zeros_like(g))
        m = (1.0 - momentum) * scaled + momentum * m
        return x - rate(i) * m, sq, m

    return _optimizer(lambda x: (x, _w.zeros_like(x), _w.zeros_like(x)), update, lambda s: s[0])


def rmsprop(step_size, gamma=0.9, eps=1e-8):
    rate = _schedule(step_size)

    def update(i, g, s):
        x, avg = s
        avg = avg * gamma + g * g * (1.0 - gamma)
        return x - rate(i) * g / _w.sqrt(avg + eps), avg

    return _optimizer(lambda x: (x, _w.zeros_like(x)), update, lambda s: s[0])


def adam(step_size, b1=0.9, b2=0.999, eps=1e-8):
    rate = _schedule(step_size)

    def update(i, g, s):
        x, m, v = s
        m = (1 - b1) * g + b1 * m
        v = (1 - b2) * g * g + b2 * v
        mhat = m / (1 - _w.pow(_w.wrap(b1), i + 1))
        vhat = v / (1 - _w.pow(_w.wrap(b2), i + 1))
        return x - rate(i) * mhat / (_w.sqrt(vhat) + eps), m, v

    return _optimizer(lambda x: (x, _w.zeros_like(x), _w.zeros_like(x)), update, lambda s: s[0])


def l2_norm(tree):
    leaves = _tree.flatten(tree)[0]
    return _w.sqrt(sum([_w.sum(x * x) for x in leaves]))


def clip_grads(grad_tree, max_norm):
    norm = l2_norm(grad_tree)
    return _tree.map(lambda g: _w.where(_w.lt(norm, max_norm), g, g * (max_norm / norm)), grad_tree)
