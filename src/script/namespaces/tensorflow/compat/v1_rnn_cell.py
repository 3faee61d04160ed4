# tensorflow.compat.v1.nn.rnn_cell -- cells of recurrent networks, and the loops that run them.
from collections import namedtuple

from tensorflow import _ops, math, nn, initializers
from tensorflow._base import float32
from tensorflow.compat.v1_layers import Layer

LSTMStateTuple = namedtuple("LSTMStateTuple", ["c", "h"])


class RNNCell(Layer):
    # a call gives the output and the next state
    base = "rnn_cell"

    def zero_state(self, batch_size, dtype=float32):
        return _mapped(lambda n: _ops.zeros([batch_size, n], dtype), self.state_size)


def _mapped(fn, *trees):
    t = trees[0]
    if isinstance(t, tuple):
        parts = [_mapped(fn, *xs) for xs in zip(*trees)]
        return type(t)(*parts) if hasattr(t, "_fields") else tuple(parts)
    return fn(*trees)


class BasicRNNCell(RNNCell):
    base = "basic_rnn_cell"

    def __init__(self, num_units, activation=None, reuse=None, name=None):
        super().__init__(name, True, reuse)
        self.units, self.activation = num_units, activation or math.tanh
        self.state_size = self.output_size = num_units

    def _product(self, inputs, state, units, prefix="", bias=None):
        w = self.add(prefix + "kernel", [inputs.shape[-1] + self.units, units])
        b = self.add(prefix + "bias", [units], bias or initializers.Zeros())
        return nn.bias_add(_ops.matmul(_ops.concat([inputs, state], 1), w), b)

    def call(self, inputs, state):
        h = self.activation(self._product(inputs, state, self.units))
        return h, h


class GRUCell(BasicRNNCell):
    base = "gru_cell"

    def call(self, inputs, state):
        r, u = _ops.split(math.sigmoid(self._product(inputs, state, 2 * self.units, "gates/", initializers.Ones())), 2, 1)
        c = self.activation(self._product(inputs, r * state, self.units, "candidate/"))
        h = u * state + (1 - u) * c
        return h, h


class BasicLSTMCell(BasicRNNCell):
    base = "basic_lstm_cell"

    def __init__(self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None):
        super().__init__(num_units, activation, reuse, name)
        if not state_is_tuple:
            raise NotImplementedError("BasicLSTMCell: state_is_tuple=False")
        self.forget = forget_bias
        self.state_size = LSTMStateTuple(num_units, num_units)

    def call(self, inputs, state):
        i, j, f, o = _ops.split(self._product(inputs, state[1], 4 * self.units), 4, 1)
        c = state[0] * math.sigmoid(f + self.forget) + math.sigmoid(i) * self.activation(j)
        h = self.activation(c) * math.sigmoid(o)
        return h, LSTMStateTuple(c, h)


class LSTMCell(BasicLSTMCell):
    base = "lstm_cell"


class MultiRNNCell(RNNCell):
    base = "multi_rnn_cell"

    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        self.cells = list(cells)
        self.state_size, self.output_size = tuple([c.state_size for c in self.cells]), self.cells[-1].output_size
        for k, c in enumerate(self.cells):
            c.given = f"cell_{k}/" + (c.given or c.base)

    def call(self, inputs, state):
        out = []
        for c, s in zip(self.cells, state):
            inputs, s = c(inputs, s)
            out.append(s)
        return inputs, tuple(out)


class DropoutWrapper(RNNCell):
    def __init__(self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0, seed=None):
        super().__init__()
        if not (isinstance(state_keep_prob, float) and state_keep_prob == 1.0):
            raise NotImplementedError("DropoutWrapper: state_keep_prob")
        self.cell, self.keep, self.seed = cell, (input_keep_prob, output_keep_prob), seed
        self.state_size, self.output_size = cell.state_size, cell.output_size

    def _dropped(self, x, keep):
        return x if isinstance(keep, (int, float)) and keep == 1 else nn.dropout_v1(x, keep, seed=self.seed)

    def __call__(self, inputs, state):
        out, state = self.cell(self._dropped(inputs, self.keep[0]), state)
        return self._dropped(out, self.keep[1]), state


def _length_kept(lengths, t, new, old):
    # rows whose sequence has ended keep what they had
    go = _ops.reshape(_ops.greater(lengths, t), [-1, 1])
    return _mapped(lambda a, b: _ops.where(go, a, b), new, old)


def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    from tensorflow.compat import v1
    if not inputs:
        raise ValueError("inputs must not be empty")
    with v1.variable_scope(scope or "rnn"):
        rows = inputs[0].shape[0] if inputs[0].shape[0] is not None else _ops.shape(inputs[0])[0]
        state = cell.zero_state(rows, dtype or inputs[0].dtype) if initial_state is None else initial_state
        outputs = []
        lengths = None if sequence_length is None else _ops.cast(sequence_length, "int32")
        for t, x in enumerate(inputs):
            out, new = cell(x, state)
            if lengths is not None:
                out = _length_kept(lengths, t, out, _ops.zeros_like(out))
                new = _length_kept(lengths, t, new, state)
            state = new
            outputs.append(out)
    return outputs, state


def dynamic_rnn(cell, inputs, sequence_length=None, initial_state=None, dtype=None, parallel_iterations=None, swap_memory=False, time_major=False,
                scope=None):
    if inputs.shape[0 if time_major else 1] is None:
        return _open_rnn(cell, inputs if time_major else _ops.transpose(inputs, [1, 0, 2]), sequence_length, initial_state, dtype, time_major, scope)
    rows = _ops.unstack(inputs, axis=0 if time_major else 1)
    outputs, state = static_rnn(cell, rows, initial_state, dtype, sequence_length, scope)
    return _ops.stack(outputs, axis=0 if time_major else 1), state


def _open_rnn(cell, rows, sequence_length, initial_state, dtype, time_major, scope):
    # steps whose number is known when the graph runs: a scan
    from tensorflow import scan
    from tensorflow.compat import v1
    with v1.variable_scope(scope or "rnn"):
        state = cell.zero_state(_ops.shape(rows)[1], dtype or rows.dtype) if initial_state is None else initial_state
        cell(rows[0], state)        # its variables are made here, not inside the scan
        lengths = None if sequence_length is None else _ops.cast(sequence_length, "int32")
        flat = [state] if not isinstance(state, tuple) else list(state)
        if [s for s in flat if isinstance(s, tuple)]:
            raise NotImplementedError("dynamic_rnn: cells of cells over a number of steps that is not known when the graph is made")
        whole = lambda parts: parts[0] if not isinstance(state, tuple) else type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)

        def step(last, given):
            t, x = given
            out, new = cell(x, whole(last[1:]))
            if lengths is not None:
                out = _length_kept(lengths, t, out, _ops.zeros_like(out))
                new = _length_kept(lengths, t, new, whole(last[1:]))
            return [out] + ([new] if not isinstance(state, tuple) else list(new))
        first = _ops.zeros([_ops.shape(rows)[1], cell.output_size], dtype or rows.dtype)
        ys = scan(step, (_ops.range(_ops.shape(rows)[0]), rows), [first] + flat)
    outputs = ys[0] if time_major else _ops.transpose(ys[0], [1, 0, 2])
    return outputs, whole([y[-1] for y in ys[1:]])


def _turned(xs, lengths):
    # the sequences backwards: of each row as much as it has
    if lengths is None:
        return xs[::-1]
    return _ops.unstack(_ops.reverse_sequence(_ops.stack(xs, 0), lengths, 0, 1), axis=0)


def static_bidirectional_rnn(cell_fw, cell_bw, inputs, initial_state_fw=None, initial_state_bw=None, dtype=None, sequence_length=None, scope=None):
    from tensorflow.compat import v1
    with v1.variable_scope(scope or "bidirectional_rnn"):
        out_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, "fw")
        out_bw, state_bw = static_rnn(cell_bw, _turned(inputs, sequence_length), initial_state_bw, dtype, sequence_length, "bw")
    back = _turned(out_bw, sequence_length)
    return [_ops.concat([a, b], 1) for a, b in zip(out_fw, back)], state_fw, state_bw


def bidirectional_dynamic_rnn(cell_fw, cell_bw, inputs, sequence_length=None, initial_state_fw=None, initial_state_bw=None, dtype=None,
                              parallel_iterations=None, swap_memory=False, time_major=False, scope=None):
    from tensorflow.compat import v1
    axis = 0 if time_major else 1
    rows = _ops.unstack(inputs, axis=axis)
    with v1.variable_scope(scope or "bidirectional_rnn"):
        out_fw, state_fw = static_rnn(cell_fw, rows, initial_state_fw, dtype, sequence_length, "fw")
        out_bw, state_bw = static_rnn(cell_bw, _turned(rows, sequence_length), initial_state_bw, dtype, sequence_length, "bw")
    return (_ops.stack(out_fw, axis=axis), _ops.stack(_turned(out_bw, sequence_length), axis=axis)), (state_fw, state_bw)
