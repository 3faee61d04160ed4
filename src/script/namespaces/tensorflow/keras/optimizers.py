# tensorflow.keras.optimizers -- steps as Keras takes them.
import _tf as _w
import math as _math
from tensorflow._base import as_tensor, state
from tensorflow._variable import Variable


class Optimizer:
    def __init__(self, learning_rate=0.01, name=None, clipnorm=None, clipvalue=None, global_clipnorm=None, weight_decay=None, **kw):
        self._rate = learning_rate
        if not callable(learning_rate) and not isinstance(learning_rate, Variable):
            self._rate = Variable(float(learning_rate), trainable=False, name="learning_rate")
        self.iterations = Variable(0, dtype=_w.int64, trainable=False, name="iteration")
        self.clipnorm, self.clipvalue, self.global_clipnorm = clipnorm, clipvalue, global_clipnorm
        self.weight_decay = weight_decay
        self._slots = {}
        self.name = name or type(self).__name__.lower()

    @property
    def learning_rate(self):
        return self._rate(self.iterations) if callable(self._rate) and not isinstance(self._rate, Variable) else self._rate

    @learning_rate.setter
    def learning_rate(self, value):
        self._rate.assign(value)

    lr = learning_rate

    @property
    def variables(self):
        out = [self.iterations]
        if isinstance(self._rate, Variable):
            out.append(self._rate)
        for s in self._slots.values():
            out += list(s.values())
        return out

    def _slot(self, v, name, value=0.0):
        mine = self._slots.setdefault(v, {})
        if name not in mine:
            mine[name] = Variable(_w.full(v.shape, value, v.dtype), trainable=False, name=name)
        return mine[name]

    def build(self, variables):
        for v in variables:
            self.prepare(v)

    def prepare(self, v):
        return None

    def _clipped(self, grads):
        if self.clipvalue is not None:
            grads = [_w.clip(g, -self.clipvalue, self.clipvalue) for g in grads]
        if self.clipnorm is not None:
            grads = [g * (self.clipnorm / _w.maximum(_w.sqrt(_w.sum(g * g)), self.clipnorm)) for g in grads]
        if self.global_clipnorm is not None:
            n = _w.sqrt(sum([_w.sum(g * g) for g in grads]))
            grads = [g * (self.global_clipnorm / _w.maximum(n, self.global_clipnorm)) for g in grads]
        return grads

    def apply_gradients(self, grads_and_vars, name=None):
        pairs = list(grads_and_vars)
        together = state.updates
        if together is not None:    # summed over the replicas, and applied once
            together.gradients(self, pairs)
            return self.iterations
        pairs = [(g, v) for g, v in pairs if g is not None]
        if not pairs:
            raise ValueError("No gradients provided for any variable.")
        for _, v in pairs:
            self.prepare(v)
        grads = self._clipped([as_tensor(g) for g, _ in pairs])
        rate = as_tensor(self.learning_rate)
        t = _w.cast(self.iterations._current() + 1, _w.float32)
        for g, (_, v) in zip(grads, pairs):
            if self.weight_decay:
                v.assign_sub(v._current() * _w.cast(rate, v.dtype) * self.weight_decay)
            self.step(v, g, _w.cast(rate, v.dtype), _w.cast(t, v.dtype))
        self.iterations.assign_add(1)
        return self.iterations

    def apply(self, grads, trainable_variables=None):
        return self.apply_gradients(zip(grads, trainable_variables))

    def minimize(self, loss, var_list, tape=None):
        from tensorflow._tape import GradientTape
        if tape is None:
            with GradientTape() as tape:
                loss = loss()
        variables = var_list() if callable(var_list) else list(var_list)
        return self.apply_gradients(zip(tape.gradient(loss, variables), variables))

    def get_config(self):
        return {"name": self.name, "learning_rate": float(as_tensor(self.learning_rate))}


class SGD(Optimizer):
    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, **kw):
        super().__init__(learning_rate, **kw)
        self.momentum, self.nesterov = momentum, nesterov

    def prepare(self, v):
        if self.momentum:
            self._slot(v, "momentum")

    def step(self, v, g, rate, t):
        if not self.momentum:
            v.assign_sub(rate * g)
            return
        m = self._slot(v, "momentum")
        new = m._current() * self.momentum - g * rate
        m.assign(new)
        v.assign_add(new * self.momentum - g * rate if self.nesterov else new)


class Adam(Optimizer):
    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False, **kw):
        super().__init__(learning_rate, **kw)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad

    def prepare(self, v):
        self._slot(v, "m")
        self._slot(v, "v")
        if self.amsgrad:
            self._slot(v, "vhat")

    def step(self, v, g, rate, t):
        m, s = self._slot(v, "m"), self._slot(v, "v")
        alpha = rate * _w.sqrt(1.0 - _w.pow(_w.cast(self.beta_2, g.dtype), t)) / (1.0 - _w.pow(_w.cast(self.beta_1, g.dtype), t))
        m.assign_add((g - m._current()) * (1.0 - self.beta_1))
        s.assign_add((_w.square(g) - s._current()) * (1.0 - self.beta_2))
        second = s._current()
        if self.amsgrad:
            h = self._slot(v, "vhat")
            h.assign(_w.maximum(h._current(), second))
            second = h._current()
        v.assign_sub(m._current() * alpha / (_w.sqrt(second) + self.epsilon))


class AdamW(Adam):
    def __init__(self, learning_rate=0.001, weight_decay=0.004, beta_1=0.9, beta_2=0.999, epsilon=1e-7, **kw):
        super().__init__(learning_rate, beta_1, beta_2, epsilon, weight_decay=weight_decay, **kw)


class RMSprop(Optimizer):
    def __init__(self, learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False, **kw):
        super().__init__(learning_rate, **kw)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered

    def prepare(self, v):
        self._slot(v, "velocity")
        if self.momentum:
            self._slot(v, "momentum")
        if self.centered:
            self._slot(v, "average")

    def step(self, v, g, rate, t):
        s = self._slot(v, "velocity")
        s.assign(self.rho * s._current() + (1.0 - self.rho) * _w.square(g))
        d = s._current() + self.epsilon
        if self.centered:
            a = self._slot(v, "average")
            a.assign(self.rho * a._current() + (1.0 - self.rho) * g)
            d = d - _w.square(a._current())
        step = rate * g * _w.rsqrt(d)
        if self.momentum:
            m = self._slot(v, "momentum")
            m.assign(self.momentum * m._current() + step)
            step = m._current()
        v.assign_sub(step)


class Adagrad(Optimizer):
    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, **kw):
        super().__init__(learning_rate, **kw)
        self.first, self.epsilon = initial_accumulator_value, epsilon

    def prepare(self, v):
        self._slot(v, "accumulator", self.first)

    def step(self, v, g, rate, t):
        a = self._slot(v, "accumulator", self.first)
        a.assign_add(g * g)
        v.assign_sub(rate * g / _w.sqrt(a._current() + self.epsilon))


_by_name = {"sgd": SGD, "adam": Adam, "adamw": AdamW, "rmsprop": RMSprop, "adagrad": Adagrad}


def get(identifier):
    return _by_name[identifier.lower()]() if isinstance(identifier, str) else identifier


class ExponentialDecay:
    def __init__(self, initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None):
        self.first, self.steps, self.rate, self.staircase = initial_learning_rate, decay_steps, decay_rate, staircase

    def __call__(self, step):
        p = _w.cast(as_tensor(step), _w.float32) / float(self.steps)
        return self.first * _w.pow(_w.cast(self.rate, _w.float32), _w.floor(p) if self.staircase else p)


class CosineDecay:
    def __init__(self, initial_learning_rate, decay_steps, alpha=0.0, name=None, **kw):
        self.first, self.steps, self.alpha = initial_learning_rate, decay_steps, alpha

    def __call__(self, step):
        p = _w.minimum(_w.cast(as_tensor(step), _w.float32), float(self.steps)) / float(self.steps)
        return self.first * ((1 - self.alpha) * 0.5 * (1.0 + _w.cos(_math.pi * p)) + self.alpha)


class PiecewiseConstantDecay:
    def __init__(self, boundaries, values, name=None):
        self.boundaries, self.values = boundaries, values

    def __call__(self, step):
        s = _w.cast(as_tensor(step), _w.float32)
        r = _w.tensor(float(self.values[0]), _w.float32)
        for b, v in zip(self.boundaries, self.values[1:]):
            r = _w.where(s > float(b), float(v), r)
        return r


class schedules:
    ExponentialDecay = ExponentialDecay
    CosineDecay = CosineDecay
    PiecewiseConstantDecay = PiecewiseConstantDecay


class legacy:
    SGD, Adam, RMSprop, Adagrad = SGD, Adam, RMSprop, Adagrad
