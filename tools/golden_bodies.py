#!/usr/bin/env python3
"""golden_bodies.py -- results of PyTorch and NumPy for the cases of tests/test_tensor_ops.c and test_tensor_nn.c.

Run with a Python that has torch and numpy; writes tests/golden/bodies.txt: one case a line, its name and the
elements of the result. Inputs come from the same generator as in tests/lib_tensor.c, seeded alike.
"""
import re
import sys

import numpy as np
import torch
import torch.nn.functional as F

MASK = (1 << 64) - 1


class Gen:
    def __init__(self):
        self.s = 12345

    def uniform(self):
        self.s = (self.s * 6364136223846793005 + 1442695040888963407) & MASK
        return (self.s >> 11) / 9007199254740992.0

    def tensor(self, type_, lo, hi):
        dtype, dims = re.match(r"(\w+)\[(.*)\]", type_).groups()
        shape = [int(d) for d in dims.split(",")] if dims else []
        out = []
        for _ in range(int(np.prod(shape))):
            v = lo + (hi - lo) * self.uniform()
            if dtype == "bool":
                v = self.uniform() < 0.5
            elif dtype not in ("f32", "f64"):
                v = np.floor(v)
            out.append(v)
        np_type = {"f64": np.float64, "i64": np.int64, "i32": np.int32, "u8": np.uint8, "bool": np.bool_}[dtype]
        return torch.from_numpy(np.array(out).astype(np_type).reshape(shape))


def npf(fn):
    """a function of NumPy arrays"""
    return lambda *a: torch.from_numpy(np.array(fn(*[x.numpy() for x in a])))


F23, F34, X345 = "f64[2,3]", "f64[3,4]", "f64[3,4,5]"
CASES = [
    ("exp2", [F23], 0, 0, torch.exp2), ("log10", [F23], .2, 3, torch.log10), ("asin", [F23], -.9, .9, torch.asin),
    ("acos", [F23], -.9, .9, torch.acos), ("atan", [F23], 0, 0, torch.atan), ("sinh", [F23], 0, 0, torch.sinh),
    ("cosh", [F23], 0, 0, torch.cosh), ("asinh", [F23], 0, 0, torch.asinh), ("acosh", [F23], 1.2, 3, torch.acosh),
    ("atanh", [F23], -.9, .9, torch.atanh), ("erf_inv", [F23], -.9, .9, torch.erfinv), ("trunc", [F23], 0, 0, torch.trunc),
    ("frac", [F23], 0, 0, torch.frac), ("round", [F23], 0, 0, torch.round),
    ("floor_div", [F23, F23], -3, 3, npf(np.floor_divide)), ("floor_div_i", ["i64[9]", "i64[9]"], 1, 9, npf(np.floor_divide)),
    ("remainder", [F23, F23], -3, 3, torch.remainder), ("remainder_i", ["i32[9]", "i32[9]"], -9, -1, torch.remainder),
    ("fmod", [F23, F23], -3, 3, torch.fmod), ("hypot", [F23, F23], .1, 3, torch.hypot),
    ("logaddexp", [F23, F23], 0, 0, torch.logaddexp), ("shr", ["i32[8]", "i32[8]"], 0, 9, torch.bitwise_right_shift),
    ("lerp", [F23, F23, F23], 0, 0, torch.lerp), ("is_close", [F23, F23], 0, 0, lambda a, b: torch.isclose(a, b, rtol=.5, atol=.1)),
    ("tile", [F23], 0, 0, lambda x: x.repeat(2, 1, 3)), ("repeat", [F23], 0, 0, lambda x: x.repeat_interleave(3, 1)),
    ("roll", [F23], 0, 0, lambda x: x.roll(-4, 1)), ("triu", [F34], 0, 0, lambda x: x.triu(1)),
    ("tril", ["f64[2,3,3]"], 0, 0, lambda x: x.tril(-1)), ("move_axis", ["f64[2,3,4]"], 0, 0, lambda x: x.movedim(0, 2)),
    ("var", ["f64[3,5]"], 0, 0, lambda x: x.var(0)), ("std", ["f64[3,5]"], 0, 0, lambda x: x.std((0, 1), unbiased=False, keepdim=True)),
    ("norm3", ["f64[3,5]"], 0, 0, lambda x: torch.linalg.vector_norm(x, 3)),
    ("argmax", ["f64[3,5]"], 0, 0, lambda x: x.argmax(1, keepdim=True)), ("cumprod", ["f64[3,5]"], 0, 0, lambda x: x.cumprod(1)),
    ("cumsum_back", ["f64[3,5]"], 0, 0, lambda x: x.flip(0).cumsum(0).flip(0)),
    ("get_slice", [X345], 0, 0, npf(lambda x: x[1:, :-1:2])), ("get_back", [X345], 0, 0, npf(lambda x: x[::-1, 3:0:-2])),
    ("get_new", [X345], 0, 0, npf(lambda x: x[None, :, None, 2])), ("get_two", [X345, "i64[2,1]", "i64[3]"], -3, 2.9, npf(lambda x, i, j: x[i, j])),
    ("get_tensor", [X345, "i64[2,3]"], -3, 2.9, npf(lambda x, i: x[i])), ("get_middle", [X345, "i32[6]"], -4, 3.9, npf(lambda x, i: x[:, i, :])),
    ("get_apart", [X345, "i64[2,1]", "i64[3]"], -3, 2.9, npf(lambda x, i, j: x[i, :, j])),
    ("get_mixed", [X345, "i64[2]"], -3, 2.9, npf(lambda x, i: x[1, ::2, i])),
    ("get_mixed_next", [X345, "i64[2]"], -3, 2.9, npf(lambda x, i: x[:, 1, i])),
    ("get_new_between", [X345, "i64[2]", "i64[2]"], -3, 2.9, npf(lambda x, i, j: x[i, None, j])),
    ("get_mask", [X345, "bool[3,4]"], 0, 0, npf(lambda x, m: x[m])), ("get_mask_row", [X345, "bool[4]"], 0, 0, npf(lambda x, m: x[:, m])),
    ("nonzero", ["i32[3,4]"], 0, 2, torch.nonzero), ("take_along", [F34, "i64[3,2]"], 0, 3.9, lambda x, i: torch.gather(x, 1, i)),
    ("add_along", [F34, "i64[5,4]", "f64[5,4]"], 0, 2.9, lambda x, i, v: x.scatter_add(0, i, v)),
    ("diag", ["f64[3]"], 0, 0, lambda x: torch.diag(x, -1)), ("diagonal", ["f64[2,3,4]"], 0, 0, lambda x: x.diagonal(1, -2, -1)),
    ("matmul_bb", ["f64[2,1,2,3]", "f64[4,3,2]"], 0, 0, torch.matmul), ("det", ["f64[2,3,3]"], 0, 0, torch.linalg.det),
    ("ein_dots", ["f64[2,1,2,3]", "f64[4,3,2]"], 0, 0, lambda a, b: torch.einsum("...ij,...jk->...ik", a, b)),
    ("ein_three", [F23, F34, "f64[4,2]"], 0, 0, lambda a, b, c: torch.einsum("ij,jk,kl->li", a, b, c)),
    ("ein_diag", ["f64[3,3]"], 0, 0, lambda a: torch.einsum("ii->i", a)),
    ("median_low", [F34], 0, 0, lambda x: x.median(1).values), ("median_mean", [F34], 0, 0, npf(lambda x: np.median(x, 1, keepdims=True))),
    ("gelu", [F34], 0, 0, F.gelu), ("gelu_tanh", [F34], 0, 0, lambda x: F.gelu(x, approximate="tanh")), ("silu", [F34], 0, 0, F.silu),
    ("softplus", [F34], 0, 0, lambda x: F.softplus(x, beta=2)), ("log_sigmoid", [F34], 0, 0, F.logsigmoid),
    ("elu", [F34], 0, 0, lambda x: F.elu(x, 1.5)), ("leaky_relu", [F34], 0, 0, lambda x: F.leaky_relu(x, .1)),
    ("softmax", [F34], 0, 0, lambda x: x.softmax(0)), ("log_softmax", [F34], 0, 0, lambda x: x.log_softmax(-1)),
    ("layer_norm", ["f64[2,3,4]", F34, F34], 0, 0, lambda x, w, b: F.layer_norm(x, (3, 4), w, b)),
    ("rms_norm", [F34, "f64[4]"], 0, 0, lambda x, w: F.rms_norm(x, (4,), w, 1e-5)),
    ("batch_norm", ["f64[4,3,2]", "f64[3]", "f64[3]"], 0, 0, lambda x, w, b: F.batch_norm(x, None, None, w, b, True)),
    ("group_norm", ["f64[2,4,3]", "f64[4]", "f64[4]"], 0, 0, lambda x, w, b: F.group_norm(x, 2, w, b)),
    ("smooth_l1", [F34, F34], 0, 0, lambda x, y: F.smooth_l1_loss(x, y, beta=.8, reduction="none")),
    ("ce", [F34, "i64[3]"], 0, 3.9, F.cross_entropy), ("ce_image", ["f64[2,3,2,2]", "i64[2,2,2]"], 0, 2.9, F.cross_entropy),
    ("ce_weight", ["f64[6,3]", "i64[6]", "f64[3]"], 0, 2.9,
     lambda x, t, w: F.cross_entropy(x, t, w.abs(), ignore_index=1, label_smoothing=.1)),
    ("ce_prob", [F34, F34], 0, 0, lambda x, t: F.cross_entropy(x, t.softmax(1), label_smoothing=.2, reduction="sum")),
    ("ce_none", [F34, "i64[3]"], 0, 3.9, lambda x, t: F.cross_entropy(x, t, label_smoothing=.3, reduction="none")),
    ("bce", [F34, F34], .1, .9, F.binary_cross_entropy),
    ("bce_logits", [F34, F34], 0, 0, lambda x, t: F.binary_cross_entropy_with_logits(x, t, reduction="sum")),
    ("kl", [F34, F34], 0, 0, lambda x, t: F.kl_div(x, t.softmax(1), reduction="mean")),
    ("conv1", ["f64[2,2,5]", "f64[3,2,3]", "f64[3]"], 0, 0, lambda x, w, b: F.conv1d(x, w, b, 2, 1)),
    ("conv2", ["f64[1,4,4,5]", "f64[2,2,3,2]"], 0, 0, lambda x, w: F.conv2d(x, w, None, 1, (1, 0), (1, 2), 2)),
    ("conv3", ["f64[1,2,3,3,2]", "f64[1,2,2,2,1]"], 0, 0, F.conv3d),
    ("convt1", ["f64[2,2,3]", "f64[2,3,3]", "f64[3]"], 0, 0, lambda x, w, b: F.conv_transpose1d(x, w, b, 2, 1, 1)),
    ("convt2", ["f64[1,4,3,4]", "f64[4,1,2,2]"], 0, 0, lambda x, w: F.conv_transpose2d(x, w, None, (2, 1), (0, 2), 0, 2)),
    ("max_pool", ["f64[1,2,4,5]"], 0, 0, lambda x: F.max_pool2d(x, (2, 3), (1, 2), (1, 0))),
    ("avg_pool", ["f64[1,2,4,5]"], 0, 0, lambda x: F.avg_pool2d(x, 2, None, 1, count_include_pad=False)),
    ("avg_pool_padded", ["f64[1,2,5]"], 0, 0, lambda x: F.avg_pool1d(x, 3, 1, 1)),
    ("adaptive_avg", ["f64[1,2,5,4]"], 0, 0, lambda x: F.adaptive_avg_pool2d(x, (2, 3))),
    ("adaptive_max", ["f64[1,2,5,3]"], 0, 0, lambda x: F.adaptive_max_pool2d(x, (3, 2))),
    ("attention", ["f64[2,3,4]", "f64[2,3,4]", "f64[2,3,2]"], 0, 0, lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)),
    ("attention_mask", ["f64[2,3,4]", "f64[2,5,4]", "f64[2,5,2]", "f64[3,5]"], 0, 0,
     lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, m, scale=.7)),
]


def main():
    with open(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/bodies.txt", "w") as out:
        for name, types, lo, hi, fn in CASES:
            gen = Gen()
            y = fn(*[gen.tensor(t, *((lo, hi) if (lo, hi) != (0, 0) else (-2, 2))) for t in types])
            dims = ",".join(str(d) for d in y.shape)
            out.write(f"{name} [{dims}] " + " ".join(f"{v:.17g}" for v in y.double().flatten().tolist()) + "\n")


if __name__ == "__main__":
    main()
