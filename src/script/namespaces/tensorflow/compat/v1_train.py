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

    def _slot(self, v, name, value=0.0):
        mine = self._slots.setdefault(_key(v), {})
        if name not in mine:
            graph, state.graph = state.graph, None
            first = _w.full(v.shape, value, v.dtype)
            state.graph = graph
            mine[name] = _variable(first, v.name[:-2] + "/" + self._name + name)
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
        return graph_group(steps)

    def finish(self):
        return []

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=None, aggregation_method=None, colocate_gradients_with_ops=False,
                 name=None, grad_loss=None):
        return self.apply_gradients(self.compute_gradients(loss, var_list, grad_loss=grad_loss), global_step)


class GradientDescentOptimizer(Optimizer):
    def step(self, v, g):
        return [v.assign_sub(_ops.multiply(g, _scaled(self._rate, v)))]


def _scaled(rate, v):
    return _ops.cast(rate, v.dtype) if isinstance(rate, (GraphTensor, GraphVariable)) else rate


class MomentumOptimizer(Optimizer):
    def __init__(self, learning_rate, momentum, use_locking=False, name="Momentum", use_nesterov=False):
        super().__init__(learning_rate, use_locking, name)
        self._momentum, self._nesterov = momentum, use_nesterov

    def step(self, v, g):
        m = self._slot(v, "")
        new = m * self._momentum + g
        change = (g + new * self._momentum) if self._nesterov else new
        return [m.assign(new), v.assign_sub(_ops.multiply(change, _scaled(self._rate, v)))]


class AdagradOptimizer(Optimizer):
    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"):
        super().__init__(learning_rate, use_locking, name)
        self._first = initial_accumulator_value

    def step(self, v, g):
        a = self._slot(v, "", self._first)
        new = a + g * g
        return [a.assign(new), v.assign_sub(_ops.multiply(g, _scaled(self._rate, v)) * _ops.rsqrt(new))]


class RMSPropOptimizer(Optimizer):
    def __init__(self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False, centered=False, name="RMSProp"):
        super().__init__(learning_rate, use_locking, name)
        self._decay, self._momentum, self._epsilon = decay, momentum, epsilon

    def step(self, v, g):
        s, m = self._slot(v, "", 1.0), self._slot(v, "_1")
        new = s * self._decay + g * g * (1.0 - self._decay)
        move = m * self._momentum + _ops.multiply(g, _scaled(self._rate, v)) * _ops.rsqrt(new + self._epsilon)
        return [s.assign(new), m.assign(move), v.assign_sub(move)]


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
        m, s = self._slot(v, ""), self._slot(v, "_1")
        rate = _scaled(self._rate, v) * _ops.sqrt(1.0 - p2) / (1.0 - p1)
        m1 = m * self._beta1 + g * (1.0 - self._beta1)
        s1 = s * self._beta2 + g * g * (1.0 - self._beta2)
        return [m.assign(m1), s.assign(s1), v.assign_sub(_ops.cast(rate, v.dtype) * m1 / (_ops.sqrt(s1) + self._epsilon))]

    def finish(self):
        p1, p2 = self._power()
        return [p1.assign(p1 * self._beta1), p2.assign(p2 * self._beta2)]


def get_or_create_global_step(graph=None):
    g = default_graph() if graph is None else graph
    if "global_step" not in g.store:
        g.store["global_step"] = GraphVariable(0, trainable=False, name="global_step", dtype=_w.int64)
    return g.store["global_step"]


create_global_step = get_global_step = get_or_create_global_step


def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    p = _ops.cast(global_step, _w.float32) / float(decay_steps)
    return learning_rate * _ops.pow(decay_rate, _ops.floor(p) if staircase else p)


class ExponentialMovingAverage:
    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        self.decay = decay
        self.shadows = {}

    def apply(self, var_list=None):
        steps = []
        for v in var_list:
            s = GraphVariable(v.initial_value, trainable=False, name=v.name[:-2] + "/ExponentialMovingAverage")
            self.shadows[v] = s
            steps.append(s.assign_sub((s - v) * (1.0 - self.decay)))
        return graph_group(steps)

    def average(self, v):
        return self.shadows[v]
