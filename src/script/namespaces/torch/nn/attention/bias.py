# torch.nn.attention.bias -- masks of causal attention for lengths that differ.
import torch


def causal_upper_left(*size):
    if len(size) != 2:
        raise RuntimeError("causal_upper_left only supports 2D tensors")
    return torch.ones(size, dtype=torch.bool).tril()


def causal_lower_right(*size):
    if len(size) != 2:
        raise RuntimeError("causal_lower_right only supports 2D tensors")
    return torch.ones(size, dtype=torch.bool).tril(diagonal=size[1] - size[0])
