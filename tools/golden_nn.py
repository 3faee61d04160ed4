#!/usr/bin/env python3
"""golden_nn.py -- what PyTorch's modules and optimisers give, for tests/test_nn.c.

    python3 tools/golden_nn.py        writes tests/golden/nn/modules.txt, optim.txt and init.txt

modules.txt, for each case (torch.manual_seed(0), then the module):

    case NAME
    | a line of its printed text
    state NAME DIMS = numbers        of the state dict, f32, after construction
    y DTYPE MODE DIMS = numbers      results in train and then eval mode; inputs are 1.5 sin(0.7 i + 0.3), or
                                     integers (7 i + 3) mod 5
    grad DTYPE NAME DIMS = numbers   of sum(y_k[i] * (0.1 (i mod 7) - 0.2)) in train mode; inputs are "x0", "x1" ..
    after NAME = numbers             buffers after train mode, f32

optim.txt: the parameters of Linear(3, 2) after each of 4 steps on mean(y^2) (gradients set by hand, see below).
"""
import math
import os

import torch
from torch import nn

os.makedirs("tests/golden/nn", exist_ok=True)


def numbers(t, digits=9):
    return " ".join(f"{float(v):.{digits}g}" for v in t.detach().reshape(-1).tolist())


def dims(t):
    return ",".join(map(str, t.shape)) or "-"


def floats(shape, dtype):
    n = math.prod(shape)
    return torch.tensor([1.5 * math.sin(0.7 * i + 0.3) for i in range(n)], dtype=torch.float64).to(dtype).reshape(shape)


def ints(shape):
    return torch.tensor([(7 * i + 3) % 5 for i in range(math.prod(shape))]).reshape(shape)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.full((1,), 0.5))
        self.inner = nn.Sequential(nn.Linear(4, 4), nn.Tanh())

    def forward(self, x):
        return x + self.scale * self.inner(x)


class BasicConv2d(nn.Module):
    def __init__(self, i, o, **kw):
        super().__init__()
        self.conv = nn.Conv2d(i, o, bias=False, **kw)
        self.bn = nn.BatchNorm2d(o, eps=0.001)

    def forward(self, x):
        return torch.relu(self.bn(self.conv(x)))


class Inception(nn.Module):
    def __init__(self, i, a, b, c, d, e, f):
        super().__init__()
        self.branch1 = BasicConv2d(i, a, kernel_size=1)
        self.branch2 = nn.Sequential(BasicConv2d(i, b, kernel_size=1), BasicConv2d(b, c, kernel_size=3, padding=1))
        self.branch3 = nn.Sequential(BasicConv2d(i, d, kernel_size=1), BasicConv2d(d, e, kernel_size=3, padding=1))
        self.branch4 = nn.Sequential(nn.MaxPool2d(3, 1, 1, ceil_mode=True), BasicConv2d(i, f, kernel_size=1))

    def forward(self, x):
        return torch.cat([self.branch1(x), self.branch2(x), self.branch3(x), self.branch4(x)], 1)


def attend(m, q, k, v):
    y, w = m(q, k, v)
    return [y, w]


def flat(m, x):
    y = m(x)
    return [y[0]] + (list(y[1]) if isinstance(y[1], tuple) else [y[1]])


def one(m, *x):
    y = m(*x)
    return list(y) if isinstance(y, tuple) else [y]


CASES = [
    ("linear", lambda: nn.Linear(4, 3), [(2, 4)], one),
    ("linear_no_bias", lambda: nn.Linear(5, 2, bias=False), [(2, 3, 5)], one),
    ("conv1d", lambda: nn.Conv1d(2, 3, 3, stride=2, padding=1), [(2, 2, 7)], one),
    ("conv2d", lambda: nn.Conv2d(2, 4, 3, padding=1, groups=2, dilation=2, bias=False), [(1, 2, 5, 5)], one),
    ("conv2d_bias", lambda: nn.Conv2d(2, 3, 3), [(2, 2, 4, 4)], one),
    ("conv_transpose2d", lambda: nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1, output_padding=1),
     [(1, 2, 3, 3)], one),
    ("conv2d_axes", lambda: nn.Conv2d(2, 3, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2)),
     [(2, 2, 5, 5)], one),
    ("conv3d", lambda: nn.Conv3d(2, 2, (2, 1, 2), stride=2, padding=1), [(1, 2, 3, 3, 3)], one),
    ("conv3d_groups", lambda: nn.Conv3d(2, 4, 2, groups=2, bias=False), [(1, 2, 2, 3, 3)], one),
    ("conv_transpose1d", lambda: nn.ConvTranspose1d(2, 2, 3, stride=3, padding=1), [(2, 2, 3)], one),
    ("conv_transpose2d_axes", lambda: nn.ConvTranspose2d(2, 4, (2, 3), stride=(2, 1), padding=(0, 1),
                                                         output_padding=(1, 0), groups=2), [(1, 2, 3, 3)], one),
    ("conv_transpose3d", lambda: nn.ConvTranspose3d(1, 2, 2, dilation=(1, 2, 1), bias=False),
     [(1, 1, 2, 2, 2)], one),
    ("batch_norm3d", lambda: nn.BatchNorm3d(2), [(2, 2, 2, 2, 3)], one),
    ("batch_norm1d", lambda: nn.BatchNorm1d(3), [(4, 3)], one),
    ("batch_norm1d_3", lambda: nn.BatchNorm1d(2), [(3, 2, 4)], one),
    ("batch_norm2d", lambda: nn.BatchNorm2d(2, eps=1e-3, momentum=0.2), [(2, 2, 3, 2)], one),
    ("layer_norm", lambda: nn.LayerNorm(5), [(2, 3, 5)], one),
    ("layer_norm_2", lambda: nn.LayerNorm([3, 2]), [(2, 3, 2)], one),
    ("rms_norm", lambda: nn.RMSNorm(5, eps=1e-6), [(2, 3, 5)], one),
    ("group_norm", lambda: nn.GroupNorm(2, 4), [(2, 4, 3)], one),
    ("embedding", lambda: nn.Embedding(5, 4), ["i2,3"], one),
    ("embedding_20", lambda: nn.Embedding(5, 3), ["i4"], one),
    ("dropout", lambda: nn.Dropout(0.4), [(4, 5)], one),
    ("rnn", lambda: nn.RNN(3, 2, num_layers=2, batch_first=True), [(2, 4, 3)], flat),
    ("lstm", lambda: nn.LSTM(3, 2, num_layers=2), [(4, 2, 3)], flat),
    ("gru", lambda: nn.GRU(3, 2), [(3, 2, 3)], flat),
    ("rnn_relu", lambda: nn.RNN(3, 4, nonlinearity="relu", bias=False), [(3, 2, 3)], flat),
    ("rnn_both", lambda: nn.RNN(2, 2, bidirectional=True), [(3, 2, 2)], flat),
    ("lstm_given", lambda: nn.LSTM(3, 2), [(4, 2, 3), (1, 2, 2), (1, 2, 2)],
     lambda m, x, h, c: [*(lambda y, s: [y, *s])(*m(x, (h, c)))]),
    ("lstm_both", lambda: nn.LSTM(3, 2, num_layers=2, bidirectional=True), [(3, 2, 3)], flat),
    ("lstm_projected", lambda: nn.LSTM(3, 4, num_layers=2, proj_size=2, bidirectional=True), [(3, 2, 3)], flat),
    ("lstm_dropout", lambda: nn.LSTM(2, 3, num_layers=3, dropout=0.3), [(3, 2, 2)], flat),
    ("gru_both", lambda: nn.GRU(3, 2, num_layers=2, bidirectional=True, batch_first=True), [(2, 3, 3)], flat),
    ("gru_unbatched", lambda: nn.GRU(3, 2, bias=False), [(4, 3), (1, 2)], lambda m, x, h: list(m(x, h))),
    ("rnn_cell", lambda: nn.RNNCell(3, 2), [(2, 3), (2, 2)], one),
    ("lstm_cell", lambda: nn.LSTMCell(3, 2), [(2, 3)], one),
    ("gru_cell", lambda: nn.GRUCell(3, 2), [(2, 3), (2, 2)], one),
    ("attention", lambda: nn.MultiheadAttention(4, 2, batch_first=True), [(2, 3, 4), (2, 5, 4), (2, 5, 4)], attend),
    ("attention_time_first", lambda: nn.MultiheadAttention(6, 3), [(3, 2, 6)] * 3, attend),
    ("attention_dropout", lambda: nn.MultiheadAttention(4, 2, dropout=0.3, bias=False, batch_first=True),
     [(2, 3, 4)] * 3, attend),
    ("relu", nn.ReLU, [(2, 5)], one),
    ("gelu", nn.GELU, [(2, 5)], one),
    ("gelu_tanh", lambda: nn.GELU(approximate="tanh"), [(2, 5)], one),
    ("silu", nn.SiLU, [(2, 5)], one),
    ("tanh", nn.Tanh, [(2, 5)], one),
    ("sigmoid", nn.Sigmoid, [(2, 5)], one),
    ("elu", lambda: nn.ELU(0.7), [(2, 5)], one),
    ("leaky_relu", lambda: nn.LeakyReLU(0.01), [(2, 5)], one),
    ("softmax", lambda: nn.Softmax(dim=1), [(2, 5)], one),
    ("log_softmax", lambda: nn.LogSoftmax(dim=-1), [(2, 5)], one),
    ("max_pool2d", lambda: nn.MaxPool2d(3, 2, 1, ceil_mode=True), [(1, 2, 6, 6)], one),
    ("max_pool2d_floor", lambda: nn.MaxPool2d(2), [(1, 2, 5, 4)], one),
    ("max_pool2d_ceil_2", lambda: nn.MaxPool2d(2, ceil_mode=True), [(1, 1, 5, 7)], one),
    ("avg_pool2d", lambda: nn.AvgPool2d(2, padding=1), [(1, 2, 4, 4)], one),
    ("adaptive_avg_pool2d", lambda: nn.AdaptiveAvgPool2d(2), [(1, 2, 5, 4)], one),
    ("softplus", lambda: nn.Softplus(2.0), [(2, 5)], one),
    ("max_pool1d", lambda: nn.MaxPool1d(3, 2, 1), [(2, 2, 7)], one),
    ("max_pool2d_axes", lambda: nn.MaxPool2d((3, 2), (2, 1), (1, 0), (1, 2), ceil_mode=True), [(1, 2, 6, 5)], one),
    ("max_pool3d", lambda: nn.MaxPool3d((1, 2, 2)), [(1, 1, 2, 4, 5)], one),
    ("avg_pool1d", lambda: nn.AvgPool1d(2), [(2, 2, 5)], one),
    ("avg_pool2d_axes", lambda: nn.AvgPool2d((3, 2), stride=(1, 2), padding=(1, 0), count_include_pad=False),
     [(1, 2, 4, 5)], one),
    ("avg_pool2d_ceil", lambda: nn.AvgPool2d(3, 2, 1, ceil_mode=True), [(1, 2, 6, 4)], one),
    ("avg_pool3d", lambda: nn.AvgPool3d(2, 1, 1), [(1, 1, 2, 2, 3)], one),
    ("adaptive_avg_pool1d", lambda: nn.AdaptiveAvgPool1d(3), [(1, 2, 7)], one),
    ("adaptive_avg_pool2d_axes", lambda: nn.AdaptiveAvgPool2d((2, 3)), [(1, 2, 5, 4)], one),
    ("adaptive_max_pool2d", lambda: nn.AdaptiveMaxPool2d((3, 2)), [(1, 2, 4, 5)], one),
    ("flatten", lambda: nn.Flatten(), [(2, 3, 2)], one),
    ("identity", nn.Identity, [(3,)], one),
    ("sequential", lambda: nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 2)), [(3, 4)], one),
    ("residual", Residual, [(2, 4)], one),
    ("inception", lambda: Inception(2, 1, 2, 2, 1, 2, 1), [(2, 2, 4, 4)], one),
    ("list", lambda: nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2), nn.Tanh()]), None, None),
    ("dict", lambda: nn.ModuleDict({"up": nn.Linear(2, 3), "down": nn.Sequential(nn.Linear(3, 2), nn.ReLU())}), None,
     None),
]


def inputs(shapes, dtype):
    return [ints(tuple(map(int, s[1:].split(",")))) if isinstance(s, str) else floats(s, dtype) for s in shapes]


def modules():
    out = []
    for name, make, shapes, call in CASES:
        torch.manual_seed(0)
        m = make()
        out.append(f"case {name}")
        out += ["| " + line for line in repr(m).split("\n")]
        out += [f"state {k} {dims(v)} = {numbers(v)}" for k, v in m.state_dict().items()]
        if not call:
            continue
        for dtype, word, digits in [(torch.float32, "f32", 7), (torch.float64, "f64", 13)]:
            torch.manual_seed(0)
            m = make().to(dtype)
            x = inputs(shapes, dtype)
            x = [t.requires_grad_() if t.is_floating_point() else t for t in x]
            m.train()
            y = call(m, *x)
            for t in y:
                out.append(f"y {word} train {dims(t)} = {numbers(t, digits)}")
            loss = sum((t.reshape(-1) * torch.tensor([0.1 * (i % 7) - 0.2 for i in range(t.numel())], dtype=dtype)).sum()
                       for t in y)
            loss.backward()
            for k, p in m.named_parameters():
                out.append(f"grad {word} {k} {dims(p)} = {numbers(p.grad, digits)}")
            for i, t in enumerate(x):
                if t.is_floating_point():
                    out.append(f"grad {word} x{i} {dims(t)} = {numbers(t.grad, digits)}")
            if word == "f32":
                for k, b in m.named_buffers():
                    out.append(f"after {k} {dims(b)} = {numbers(b)}")
            m.eval()
            for t in call(m, *x):
                out.append(f"y {word} eval {dims(t)} = {numbers(t, digits)}")
    open("tests/golden/nn/modules.txt", "w").write("\n".join(out) + "\n")


O = torch.optim
OPTIMS = [
    ("sgd", lambda p: O.SGD(p, 0.1)),
    ("sgd_momentum", lambda p: O.SGD(p, 0.1, momentum=0.9, weight_decay=0.01)),
    ("sgd_nesterov", lambda p: O.SGD(p, 0.1, momentum=0.9, nesterov=True)),
    ("adam", lambda p: O.Adam(p, 0.05)),
    ("adam_decay", lambda p: O.Adam(p, 0.05, betas=(0.8, 0.99), eps=1e-6, weight_decay=0.1)),
    ("adamw", lambda p: O.AdamW(p, 0.05)),
    ("rmsprop", lambda p: O.RMSprop(p, 0.02)),
    ("rmsprop_momentum", lambda p: O.RMSprop(p, 0.02, alpha=0.9, weight_decay=0.01, momentum=0.5)),
    ("adagrad", lambda p: O.Adagrad(p, 0.1, lr_decay=0.1, weight_decay=0.02)),
]


def optims():
    """f64 Linear(3, 2) of weights 1.5 sin(..): four steps on the sum of squares of the results for x [4,3]; the third
    after clipping the norm to 0.5."""
    out = []
    for name, make in OPTIMS:
        for dtype, word, digits in [(torch.float32, "f32", 8), (torch.float64, "f64", 14)]:
            m = nn.Linear(3, 2).to(dtype)
            with torch.no_grad():
                m.weight.copy_(floats((2, 3), dtype))
                m.bias.copy_(floats((2,), dtype))
            o = make(m.parameters())
            x = floats((4, 3), dtype)
            for step in range(4):
                o.zero_grad()
                (m(x) ** 2).sum().backward()
                if step == 2:
                    torch.nn.utils.clip_grad_norm_(m.parameters(), 0.5)
                o.step()
                out.append(f"optim {name} {word} {step} = {numbers(m.weight, digits)} {numbers(m.bias, digits)}")
    p = [nn.Parameter(torch.zeros(1))]
    for name, make in [("step", lambda o: O.lr_scheduler.StepLR(o, 3, 0.5)),
                       ("cosine", lambda o: O.lr_scheduler.CosineAnnealingLR(o, 8, 0.01)),
                       ("lambda", lambda o: O.lr_scheduler.LambdaLR(o, lambda n: 1 / (1 + n)))]:
        o = O.SGD(p, 0.2)
        s = make(o)
        rates = []
        for _ in range(9):
            rates.append(o.param_groups[0]["lr"])
            o.step()
            s.step()
        out.append(f"rate {name} - 0 = {' '.join(f'{r:.15g}' for r in rates)}")
    open("tests/golden/nn/optim.txt", "w").write("\n".join(out) + "\n")



INITS = [
    ("uniform", lambda t: nn.init.uniform_(t, -0.5, 2)),
    ("normal", lambda t: nn.init.normal_(t, 1, 0.5)),
    ("xavier_uniform", lambda t: nn.init.xavier_uniform_(t, 1.5)),
    ("xavier_normal", lambda t: nn.init.xavier_normal_(t, 1.5)),
    ("kaiming_uniform", lambda t: nn.init.kaiming_uniform_(t, 0.2)),
    ("kaiming_normal", lambda t: nn.init.kaiming_normal_(t, 0.2)),
]


def inits():
    """init.txt: `init NAME DIMS = numbers`, each after torch.manual_seed(0)"""
    out = []
    for name, fill in INITS:
        for shape in [(3, 4), (2, 3, 2, 3), (5, 4)]:
            torch.manual_seed(0)
            t = fill(torch.empty(shape))
            out.append(f"init {name} {dims(t)} = {numbers(t)}")
    open("tests/golden/nn/init.txt", "w").write("\n".join(out) + "\n")


modules()
optims()
inits()
