# Steps of training a second of an LSTM that is written out and scripted, in the style of PyTorch's fastrnns: a cell of
# matrix products, chunk and activations, in a loop over the rows of the input. Runs in Weft and in Python with PyTorch.
# Prints a line for each size: name, forward passes a second, steps (forward and backward) a second; the best of some
# rounds. WEFT_THREADS: how many threads each uses.
import os
import sys
import time
from typing import List, Tuple

import torch
from torch import Tensor

now = time.process_time if os.environ.get("WEFT_THREADS") == "1" else time.perf_counter  # others may use the machine
seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
torch.set_num_threads(int(os.environ.get("WEFT_THREADS", "1")))


@torch.jit.script
def cell(x: Tensor, state: Tuple[Tensor, Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor, b_hh: Tensor) -> Tuple[Tensor, Tensor]:
    hx, cx = state
    gates = torch.mm(x, w_ih.t()) + torch.mm(hx, w_hh.t()) + b_ih + b_hh
    i, f, g, o = gates.chunk(4, 1)
    cy = (torch.sigmoid(f) * cx) + (torch.sigmoid(i) * torch.tanh(g))
    hy = torch.sigmoid(o) * torch.tanh(cy)
    return hy, cy


@torch.jit.script
def lstm(input: Tensor, hidden: Tuple[Tensor, Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor, b_hh: Tensor) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
    outputs: List[Tensor] = []
    hy, cy = hidden
    for row in input.unbind(0):
        hy, cy = cell(row, (hy, cy), w_ih, w_hh, b_ih, b_hh)
        outputs += [hy]
    return torch.stack(outputs), (hy, cy)


def rate(f):
    for _ in range(6):
        f()
    best = 0.0
    for _ in range(5):
        n, start = 0, now()
        while now() - start < seconds / 5:
            f()
            n += 1
        best = max(best, n / (now() - start))
    return round(best, 1)


def measure(steps, batch, inputs, hidden):
    torch.manual_seed(0)
    x = torch.randn(steps, batch, inputs)
    start = (torch.zeros(batch, hidden), torch.zeros(batch, hidden))
    params = [(torch.randn(*s) / hidden ** 0.5).requires_grad_() for s in
              ((4 * hidden, inputs), (4 * hidden, hidden), (4 * hidden,), (4 * hidden,))]

    def forward():
        with torch.no_grad():
            lstm(x, start, *params)

    def step():
        out, _ = lstm(x, start, *params)
        out.square().mean().backward()
        for p in params:
            p.grad = None

    print(f"lstm_{steps}x{batch}x{hidden}", rate(forward), rate(step))


measure(20, 16, 32, 64)
measure(50, 32, 128, 256)
