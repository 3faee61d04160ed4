# torch.nn.modules.rnn -- recurrent layers and their cells.
#
#   rnn    h' = tanh(W x + b + U h + c)                       (or relu)
#   lstm   i, f, g, o = the four parts of W x + b + U h + c
#          c' = sigmoid(f) c + sigmoid(i) tanh(g),  h' = sigmoid(o) tanh(c')
#   gru    r, z, n: the parts; n' = tanh(Wn x + bn + r (Un h + cn)),  h' = (1 - z) n' + z h
import math as _math
import warnings as _warnings

import _torch as _w
from torch._cast import low_dtype
from torch._creation import empty as _empty
from torch._types import programs as _programs
from torch.nn import functional as F, init
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


def _rnn_step(act):
    def step(gx, state, w, b, proj):
        (h,) = state
        return (act(gx + _w.linear(h, w, b)),)
    return step


def _lstm_step(gx, state, w, b, proj):
    h, c = state
    n = c.shape[-1]
    gates = gx + _w.linear(h, w, b)
    i, f, g, o = [_w.narrow(gates, -1, k * n, n) for k in range(4)]
    c = _w.sigmoid(f) * c + _w.sigmoid(i) * _w.tanh(g)
    h = _w.sigmoid(o) * _w.tanh(c)
    return (h if proj is None else _w.linear(h, proj), c)


def _gru_step(gx, state, w, b, proj):
    (h,) = state
    n = h.shape[-1]
    gh = _w.linear(h, w, b)
    r = _w.sigmoid(_w.narrow(gx, -1, 0, n) + _w.narrow(gh, -1, 0, n))
    z = _w.sigmoid(_w.narrow(gx, -1, n, n) + _w.narrow(gh, -1, n, n))
    new = _w.tanh(_w.narrow(gx, -1, 2 * n, n) + r * _w.narrow(gh, -1, 2 * n, n))
    return ((1 - z) * new + z * h,)


_STEPS = {"RNN_TANH": _rnn_step(_w.tanh), "RNN_RELU": _rnn_step(_w.relu), "LSTM": _lstm_step, "GRU": _gru_step}
_LONG = 4       # steps from which on they are a loop: one step of a history, and one run
_GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}


def walk(step, gx, state, w, b, proj, reverse, lengths=None):
    # (outputs [time, ..], the last state) of steps along the first axis of gx; what is past the end of a sequence stays as it was
    n = gx.shape[0]

    def one(state, g, t):
        new = step(g, state, w, b, proj)
        if lengths is None:
            return new, new[0]
        on = _w.expand_dims(_w.gt(lengths, t), 1)
        return tuple([_w.where(on, a, s) for a, s in zip(new, state)]), _w.where(on, new[0], 0.0)

    # files of traces have no loops; under autocast the first step may change the dtype of the state
    if _w.is_size(n) or (n >= _LONG and not _w.casting() and (not _w.in_trace() or _programs[0])):
        k = len(state)

        def body(*values):
            new, y = one(values[:k], values[k], values[k + 1])
            return tuple(new) + (y,)

        found = _w.scan(body, state, (gx, _w.iota("int64", (n,))), None, reverse)
        return _w.label(found[k], "stack"), tuple(found[:k])
    _w.met_composed(True)   # a call of it that is not in a trace is compiled
    out = [None] * n
    for t in range(n - 1, -1, -1) if reverse else range(n):
        state, out[t] = one(state, gx[t], t)
    return _w.stack(out, 0), state


class RNNBase(Module):
    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__()
        if isinstance(dropout, bool) or not 0 <= dropout <= 1:
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
        if dropout > 0 and num_layers == 1:
            _warnings.warn("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater "
                           f"than 1, but got dropout={dropout} and num_layers={num_layers}")
        self.mode, self.input_size, self.hidden_size = mode, input_size, hidden_size
        self.num_layers, self.bias, self.batch_first = num_layers, bias, batch_first
        self.dropout, self.bidirectional, self.proj_size = float(dropout), bidirectional, proj_size
        gates = _GATES[mode] * hidden_size
        out = proj_size if proj_size else hidden_size
        self._weights = []
        for layer in range(num_layers):
            for reverse in range(2 if bidirectional else 1):
                width = input_size if layer == 0 else out * (2 if bidirectional else 1)
                tail = f"_l{layer}" + ("_reverse" if reverse else "")
                shapes = [("weight_ih", (gates, width)), ("weight_hh", (gates, out))]
                if bias:
                    shapes += [("bias_ih", (gates,)), ("bias_hh", (gates,))]
                if proj_size:
                    shapes.append(("weight_hr", (proj_size, hidden_size)))
                for name, shape in shapes:
                    setattr(self, name + tail, Parameter(_empty(shape, dtype=dtype, device=device)))
                self._weights.append(tail)
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1.0 / _math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for p in self.parameters():
            init.uniform_(p, -bound, bound)

    def flatten_parameters(self):
        pass

    @property
    def all_weights(self):
        out = []
        for tail in self._weights:
            names = ["weight_ih", "weight_hh"] + (["bias_ih", "bias_hh"] if self.bias else [])
            out.append([getattr(self, n + tail) for n in names + (["weight_hr"] if self.proj_size else [])])
        return out

    def _direction(self, x, state, tail, reverse, lengths):
        step = _STEPS[self.mode]
        gx = _w.linear(x, getattr(self, "weight_ih" + tail), getattr(self, "bias_ih" + tail, None))
        w, b, proj = [getattr(self, n + tail, None) for n in ("weight_hh", "bias_hh", "weight_hr")]
        return walk(step, gx, state, w, b, proj, reverse, lengths)

    def _run(self, x, states, lengths):
        # x [time, batch, width]; states: one tuple for each layer and direction
        directions = 2 if self.bidirectional else 1
        last = []
        for layer in range(self.num_layers):
            outs = []
            for d in range(directions):
                k = layer * directions + d
                y, state = self._direction(x, states[k], self._weights[k], d == 1, lengths)
                outs.append(y)
                last.append(state)
            x = outs[0] if directions == 1 else _w.concat(outs, -1)
            if self.mode == "LSTM" and directions == 1 and x.dtype == _w.float32 and lengths is None and not self.proj_size:
                x = _w.label(x, "mkldnn_rnn_layer")     # as PyTorch calls the step
            if self.dropout and self.training and layer < self.num_layers - 1:
                x = F.dropout(x, self.dropout, True)
        return x, last

    def forward(self, input, hx=None):
        lengths = None
        packed = hasattr(input, "batch_sizes")
        if packed:
            from torch.nn.utils.rnn import _unpack
            source, (input, lengths) = input, _unpack(input)
        batched = input.ndim == 3
        if input.ndim not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.ndim}D instead")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                               f"{input.shape[-1]}")
        if self.mode == "LSTM" and _w.casting():
            low = low_dtype([input])
            if low is not None:
                input, hx = input.to(low), None if hx is None else tuple([s.to(low) for s in hx])
        x = _w.expand_dims(input, 1) if not batched else \
            _w.swap_axes(input, 0, 1) if self.batch_first and not packed else input
        count = self.num_layers * (2 if self.bidirectional else 1)
        lstm = self.mode == "LSTM"
        if hx is None:
            out = self.proj_size or self.hidden_size
            sizes = (out, self.hidden_size) if lstm else (out,)
            zero = tuple([_w.full((x.shape[1], n), 0, x.dtype) for n in sizes])
            states = [zero] * count
        else:
            parts = tuple(hx) if lstm else (hx,)
            if not batched:
                parts = tuple([_w.expand_dims(s, 1) for s in parts])
            for s in parts:
                if s.shape[0] != count or s.shape[1] != x.shape[1]:
                    raise RuntimeError(f"Expected hidden size ({count}, {x.shape[1]}, "
                                       f"{self.proj_size or self.hidden_size}), got {list(s.shape)}")
            if packed and source.sorted_indices is not None:
                parts = tuple([_w.take(s, source.sorted_indices, 1) for s in parts])
            states = [tuple([s[k] for s in parts]) for k in range(count)]
        y, last = self._run(x, states, lengths)
        final = [_w.stack([s[i] for s in last], 0) for i in range(2 if lstm else 1)]
        if packed:
            from torch.nn.utils.rnn import _repack
            y = _repack(y, source)
            if source.unsorted_indices is not None:
                final = [_w.take(s, source.unsorted_indices, 1) for s in final]
        elif not batched:
            y, final = _w.squeeze(y, 1), [_w.squeeze(s, 1) for s in final]
        elif self.batch_first:
            y = _w.swap_axes(y, 0, 1)
        return y, tuple(final) if lstm else final[0]

    def extra_repr(self):
        s = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size:
            s += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            s += f", num_layers={self.num_layers}"
        if self.bias is not True:
            s += f", bias={self.bias}"
        if self.batch_first:
            s += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            s += f", dropout={self.dropout}"
        if self.bidirectional:
            s += f", bidirectional={self.bidirectional}"
        return s


class RNN(RNNBase):
    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, device=None, dtype=None):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_" + nonlinearity.upper(), input_size, hidden_size, num_layers, bias, batch_first,
                         dropout, bidirectional, 0, device, dtype)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    def __init__(self, *args, **kwargs):
        super().__init__("GRU", *args, **kwargs)


class RNNCellBase(Module):
    mode = "RNN_TANH"

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        gates = _GATES[self.mode] * hidden_size
        self.weight_ih = Parameter(_empty((gates, input_size), dtype=dtype, device=device))
        self.weight_hh = Parameter(_empty((gates, hidden_size), dtype=dtype, device=device))
        if bias:
            self.bias_ih = Parameter(_empty(gates, dtype=dtype, device=device))
            self.bias_hh = Parameter(_empty(gates, dtype=dtype, device=device))
        else:
            self.register_parameter("bias_ih", None)
            self.register_parameter("bias_hh", None)
        bound = 1.0 / _math.sqrt(hidden_size) if hidden_size > 0 else 0
        for p in self.parameters():
            init.uniform_(p, -bound, bound)

    def _check_axes(self, what, x):
        if x.ndim not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected {what} to be 1D or 2D, got {x.ndim}D instead")

    def _check_sizes(self, x, state):
        if x.shape[1] != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {x.shape[1]} expected {self.input_size}")
        for k, s in enumerate(state):
            if s.shape[0] != x.shape[0]:
                raise RuntimeError(f"Input batch size {x.shape[0]} doesn't match hidden{k} batch size {s.shape[0]}")
            if s.shape[1] != self.hidden_size:
                raise RuntimeError(f"hidden{k} has inconsistent hidden_size: got {s.shape[1]}, expected {self.hidden_size}")

    def forward(self, input, hx=None):
        lstm = self.mode == "LSTM"
        self._check_axes("input", input)
        single = input.ndim == 1
        x = _w.expand_dims(input, 0) if single else input
        if hx is None:
            zero = _w.full((x.shape[0], self.hidden_size), 0, x.dtype)
            state = (zero, zero) if lstm else (zero,)
        else:
            state = tuple(hx) if lstm else (hx,)
            for k, s in enumerate(state):
                self._check_axes(f"hx[{k}]" if lstm else "hidden", s)
            state = tuple([_w.expand_dims(s, 0) if s.ndim == 1 else s for s in state])
        if not any([_w.about(t, "symbolic") for t in (x,) + state]):
            self._check_sizes(x, state)
        new = _STEPS[self.mode](_w.linear(x, self.weight_ih, self.bias_ih), state, self.weight_hh, self.bias_hh, None)
        if single:
            new = tuple([_w.squeeze(s, 0) for s in new])
        return new if lstm else new[0]

    def extra_repr(self):
        s = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            s += f", bias={self.bias}"
        if self.mode == "RNN_RELU":
            s += ", nonlinearity=relu"
        return s


class RNNCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        if nonlinearity == "relu":
            object.__setattr__(self, "mode", "RNN_RELU")
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity


class LSTMCell(RNNCellBase):
    mode = "LSTM"


class GRUCell(RNNCellBase):
    mode = "GRU"
