# tensorflow.compat.v1.train -- optimisers whose step is an operation of the graph.
import _tf as _w
from tensorflow._graphdef import write_graph
from tensorflow._base import state, as_tensor
from tensorflow._graph import GraphVariable, GraphTensor, graph_group, default_graph, _Graph, as_constant
from tensorflow._flow import gradients
from tensorflow import _ops
from tensorflow._tape import GradientTape
from tensorflow._variable import Variable
from tensorflow._host import (Coordinator, QueueRunner, add_queue_runner, batch, input_producer, range_input_producer, shuffle_batch,
                              slice_input_producer, start_queue_runners, string_input_producer)
from tensorflow.compat.v1_decay import (cosine_decay, cosine_decay_restarts, exponential_decay, inverse_time_decay, linear_cosine_decay,
                                        natural_exp_decay, piecewise_constant, piecewise_constant_decay, polynomial_decay)
from tensorflow._example import BytesList, Example, Feature, FeatureList, FeatureLists, Features, FloatList, Int64List, SequenceExample
from tensorflow._checkpoint import (Saver, Checkpoint, CheckpointManager, latest_checkpoint, get_checkpoint_state, load_checkpoint,
                                    load_variable, list_variables, exists as checkpoint_exists, CheckpointReader as NewCheckpointReader)


def _variable(first, name):
    # of the graph, or without one of version 2
    return Variable(first, trainable=False, name=name) if state.graph is None else GraphVariable(first, trainable=False, name=name)


def _key(v):
    return v if isinstance(v, GraphVariable) else v.ref()


class Optimizer:
    def __init__(self, learning_rate, use_locking=False, name=None):
        self._rate = learning_rate
        self._slots = {}
        self._name = name or type(self).__name__

    def get_name(self):
        return self._name

    def _slot(self, v, suffix, value=0.0, name=None):
        # name: what get_slot calls it; its variable's name ends in the optimiser's and suffix
        mine = self._slots.setdefault(_key(v), {})
        name = name or suffix
        if name not in mine:
            graph, state.graph = state.graph, None
            first = _w.full(v.shape, value, v.dtype)
            state.graph = graph
            mine[name] = _variable(first, v.name[:-2] + "/" + self._name + suffix)
        return mine[name]

    def get_slot(self, var, name):
        return self._slots.get(_key(var), {}).get(name)

    def get_slot_names(self):
        return sorted(set([n for s in self._slots.values() for n in s]))

    def variables(self):
        return [v for s in self._slots.values() for v in s.values()]

    def compute_gradients(self, loss, var_list=None, gate_gradients=None, aggregation_method=None, colocate_gradients_with_ops=False, grad_loss=None):
        if state.graph is None:
            return self._eager_gradients(loss, var_list)
        variables = list(var_list) if var_list is not None else default_graph().get_collection("trainable_variables")
        if not variables:
            raise ValueError("No variables to optimize.")
        return list(zip(gradients(loss, variables, grad_loss), variables))

    def _eager_gradients(self, loss, var_list):
        if not callable(loss):
            raise RuntimeError("`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled.")
        with GradientTape() as tape:
            value = loss()
        variables = list(var_list) if var_list is not None else tape.watched_variables()
        return list(zip(tape.gradient(value, variables), variables))

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError("No gradients provided for any variable.")
        if state.graph is None:
            for grad, v in pairs:
                self.step(v, as_tensor(grad))
            self.finish()
            if global_step is not None:
                global_step.assign_add(1)
            return None
        g = default_graph()
        with _Graph(g):
            steps = []
            for grad, v in pairs:
                steps += self.step(v, grad)
            if global_step is not None:
                steps.append(global_step.assign_add(1))
            steps += self.finish()
        done = graph_group(steps, name or self._name)
        g.collections.setdefault("train_op", []).append(done)
        return done

    def finish(self):
        return []

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=None, aggregation_method=None, colocate_gradients_with_ops=False,
                 name=None, grad_loss=None):
        return self.apply_gradients(self.compute_gradients(loss, var_list, grad_loss=grad_loss), global_step, name)


class GradientDescentOptimizer(Optimizer):
    def __init__(self, learning_rate, use_locking=False, name="GradientDescent"):
        super().__init__(learning_rate, use_locking, name)

    def step(self, v, g):
        return [v.assign_sub(_ops.multiply(g, _scaled(self._rate, v)))]


def _scaled(rate, v):
    return _ops.cast(rate, v.dtype) if isinstance(rate, (GraphTensor, GraphVariable)) else rate


class MomentumOptimizer(Optimizer):
    def __init__(self, learning_rate, momentum, use_locking=False, name="Momentum", use_nesterov=False):
        super().__init__(learning_rate, use_locking, name)
        self._momentum, self._nesterov = momentum, use_nesterov

    def step(self, v, g):
        m = self._slot(v, "", 0.0, "momentum")
        new = m * self._momentum + g
        change = (g + new * self._momentum) if self._nesterov else new
        return [m.assign(new), v.assign_sub(_ops.multiply(change, _scaled(self._rate, v)))]


class AdagradOptimizer(Optimizer):
    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"):
        super().__init__(learning_rate, use_locking, name)
        self._first = initial_accumulator_value

    def step(self, v, g):
        a = self._slot(v, "", self._first, "accumulator")
        new = a + g * g
        return [a.assign(new), v.assign_sub(_ops.multiply(g, _scaled(self._rate, v)) * _ops.rsqrt(new))]


class RMSPropOptimizer(Optimizer):
    def __init__(self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False, centered=False, name="RMSProp"):
        super().__init__(learning_rate, use_locking, name)
        self._decay, self._momentum, self._epsilon, self._centered = decay, momentum, epsilon, centered

    def step(self, v, g):
        s, c = self._slot(v, "", 1.0, "rms"), self._slot(v, "_1", 0.0, "mg") if self._centered else None
        m = self._slot(v, "_2" if self._centered else "_1", 0.0, "momentum")
        new = s * self._decay + g * g * (1.0 - self._decay)
        spread, more = new, []
        if c is not None:
            middle = c * self._decay + g * (1.0 - self._decay)
            spread, more = new - middle * middle, [c.assign(middle)]
        move = m * self._momentum + _ops.multiply(g, _scaled(self._rate, v)) * _ops.rsqrt(spread + self._epsilon)
        return [s.assign(new), m.assign(move), v.assign_sub(move)] + more


class AdamOptimizer(Optimizer):
    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="Adam"):
        super().__init__(learning_rate, use_locking, name)
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon
        self._powers = None

    def _power(self):
        if self._powers is None:
            self._powers = _variable(float(self._beta1), "beta1_power"), _variable(float(self._beta2), "beta2_power")
        return self._powers

    def step(self, v, g):
        p1, p2 = self._power()
        m, s = self._slot(v, "", 0.0, "m"), self._slot(v, "_1", 0.0, "v")
        rate = _scaled(self._rate, v) * _ops.sqrt(1.0 - p2) / (1.0 - p1)
        m1 = m * self._beta1 + g * (1.0 - self._beta1)
        s1 = s * self._beta2 + g * g * (1.0 - self._beta2)
        return [m.assign(m1), s.assign(s1), v.assign_sub(_ops.cast(rate, v.dtype) * m1 / (_ops.sqrt(s1) + self._epsilon))]

    def finish(self):
        p1, p2 = self._power()
        return [p1.assign(p1 * self._beta1), p2.assign(p2 * self._beta2)]


def get_global_step(graph=None):
    g = default_graph() if graph is None else graph
    found = g.get_collection("global_step")
    return found[0] if found else g.store.get("global_step")


def create_global_step(graph=None):
    g = default_graph() if graph is None else graph
    if get_global_step(g) is not None:
        raise ValueError("\"global_step\" already exists.")
    with _Graph(g):
        v = GraphVariable(0, trainable=False, name="global_step", dtype=_w.int64, collections=["variables", "global_step"])
    g.store["global_step"] = v
    return v


def get_or_create_global_step(graph=None):
    v = get_global_step(graph)
    return create_global_step(graph) if v is None else v


def global_step(sess, global_step_tensor):
    return int(sess.run(global_step_tensor))


class AdadeltaOptimizer(Optimizer):
    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-8, use_locking=False, name="Adadelta"):
        super().__init__(learning_rate, use_locking, name)
        self._rho, self._epsilon = rho, epsilon

    def step(self, v, g):
        a, u = self._slot(v, "", 0.0, "accum"), self._slot(v, "_1", 0.0, "accum_update")
        a1 = a * self._rho + g * g * (1.0 - self._rho)
        change = _ops.sqrt(u + self._epsilon) * _ops.rsqrt(a1 + self._epsilon) * g
        return [a.assign(a1), u.assign(u * self._rho + change * change * (1.0 - self._rho)), v.assign_sub(_ops.multiply(change, _scaled(self._rate, v)))]


class FtrlOptimizer(Optimizer):
    def __init__(self, learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1, l1_regularization_strength=0.0,
                 l2_regularization_strength=0.0, use_locking=False, name="Ftrl", accum_name=None, linear_name=None,
                 l2_shrinkage_regularization_strength=0.0, beta=None):
        if l2_shrinkage_regularization_strength or beta:
            raise NotImplementedError("FtrlOptimizer: l2_shrinkage_regularization_strength, beta")
        super().__init__(learning_rate, use_locking, name)
        self._power, self._first = learning_rate_power, initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def step(self, v, g):
        n, z = self._slot(v, "", self._first, "accum"), self._slot(v, "_1", 0.0, "linear")
        rate, p = _scaled(self._rate, v), -self._power
        n1 = n + g * g
        z1 = z + g - (_ops.pow(n1, p) - _ops.pow(n, p)) / rate * v
        quadratic = _ops.pow(n1, p) / rate + 2.0 * self._l2
        new = _ops.where(_ops.greater(_ops.abs(z1), self._l1), (_ops.sign(z1) * self._l1 - z1) / quadratic, _ops.zeros_like(z1))
        return [n.assign(n1), z.assign(z1), v.assign(new)]


class ProximalGradientDescentOptimizer(Optimizer):
    def __init__(self, learning_rate, l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False,
                 name="ProximalGradientDescent"):
        super().__init__(learning_rate, use_locking, name)
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def step(self, v, g):
        rate = _scaled(self._rate, v)
        x = v - _ops.multiply(g, rate)
        if self._l1:
            x = _ops.sign(x) * _ops.maximum(_ops.abs(x) - rate * self._l1, 0.0)
        return [v.assign(x / (1.0 + rate * self._l2))]


class ExponentialMovingAverage:
    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        if zero_debias:
            raise NotImplementedError("ExponentialMovingAverage: zero_debias")
        self.decay, self.num_updates, self.name = decay, num_updates, name
        self.shadows = {}

    def _decay(self):
        # with num_updates: less in the first steps
        if self.num_updates is None:
            return self.decay
        n = _ops.cast(self.num_updates, _w.float32)
        return _ops.minimum(_ops.cast(self.decay, _w.float32), (1.0 + n) / (10.0 + n))

    def apply(self, var_list=None):
        steps = []
        decay = self._decay()
        for v in default_graph().get_collection("trainable_variables") if var_list is None else var_list:
            if v not in self.shadows:
                # what a tensor's average begins with is 0, what a variable's does is its first value
                first = v.initial_value if isinstance(v, GraphVariable) else _ops.zeros_like(v)
                label = v.name.split(":")[0] if isinstance(v, GraphVariable) else v.op.name
                self.shadows[v] = GraphVariable(first, trainable=False, name=label + "/" + self.name)
                default_graph().add_to_collection("moving_average_variables", v)
            s = self.shadows[v]
            steps.append(s.assign_sub((s - v) * _ops.cast(1.0 - decay, v.dtype)))
        return graph_group(steps, self.name)

    def average(self, var):
        return self.shadows.get(var)

    def average_name(self, var):
        return self.shadows[var].op.name if var in self.shadows else var.op.name + "/" + self.name

    def variables_to_restore(self, moving_avg_variables=None):
        if moving_avg_variables is not None:
            raise NotImplementedError("variables_to_restore: moving_avg_variables")
        out = {}
        for v in default_graph().get_collection("variables"):
            if v not in list(self.shadows.values()):
                out[self.average_name(v) if v in self.shadows else v.op.name] = v
        return out
