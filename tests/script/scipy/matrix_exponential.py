# The exponential of matrices of any norm, by each library: of a skew one it is a rotation, of a triangular one it is known.
import math

import jax
import numpy as np
import scipy.linalg
import tensorflow as tf
import torch

jax.config.update("jax_enable_x64", True)


def skew(t):
    return np.array([[0.0, t], [-t, 0.0]])


def rotation(t):
    return np.array([[math.cos(t), math.sin(t)], [-math.sin(t), math.cos(t)]])


LIBRARIES = {
    "torch": lambda a: torch.linalg.matrix_exp(torch.from_numpy(a)).numpy(),
    "tensorflow": lambda a: tf.linalg.expm(tf.constant(a)).numpy(),
    "scipy": scipy.linalg.expm,
    "jax": lambda a: np.asarray(jax.scipy.linalg.expm(a)),
}
ANGLES = (0.0, 0.1, 3.0, 30.0, 700.0, 3000.0)
for name, exp in LIBRARIES.items():
    for dtype, near in (("float64", 1e-11), ("float32", 5e-3)):
        errors = [np.abs(exp(skew(t).astype(dtype)) - rotation(t)).max() for t in ANGLES]
        print(name, dtype, [bool(e < near) for e in errors])

# each matrix of a batch by its own norm
batch = np.stack([skew(t) for t in (1e-3, 1.0, 3000.0)])
for name in ("torch", "tensorflow"):
    print(name, [bool(np.abs(x - rotation(t)).max() < e)
                 for x, t, e in zip(LIBRARIES[name](batch), (1e-3, 1.0, 3000.0), (1e-15, 1e-14, 1e-11))])

big = torch.tensor([[1.0, 1e6], [0.0, -1.0]], dtype=torch.float64)
known = torch.tensor([[math.e, 1e6 * math.sinh(1)], [0.0, 1 / math.e]], dtype=torch.float64)
print(torch.allclose(torch.linalg.matrix_exp(big), known, rtol=1e-10))

# no numbers, infinities and NaN; what it does not take
for a in (torch.zeros(0, 3, 3), torch.zeros(2, 0, 0), torch.tensor([[math.inf, 0.0], [0.0, 1.0]]), torch.full((2, 2), math.nan)):
    y = torch.linalg.matrix_exp(a)
    print(tuple(y.shape), bool(y.isnan().all()))
for a in (torch.tensor([[1, 2], [3, 4]]), torch.zeros(2, 3)):
    try:
        torch.linalg.matrix_exp(a)
    except (RuntimeError, NotImplementedError) as e:
        print(type(e).__name__, e)

# derivatives, batches and traces: of exp(t A) by t it is A exp(t A)
a = torch.from_numpy(skew(1.0))
exp = lambda t: torch.linalg.matrix_exp(t * a)
t = torch.tensor(40.0, dtype=torch.float64, requires_grad=True)
(slope,) = torch.autograd.grad(exp(t).sum(), t)
print(abs(float(slope) - float((a @ exp(t.detach())).sum())) < 1e-10)
print(np.abs(torch.func.vmap(exp)(torch.tensor([0.5, 40.0], dtype=torch.float64)).numpy() -
             np.stack([rotation(0.5), rotation(40.0)])).max() < 1e-12)
traced = torch.jit.trace(exp, torch.tensor(1.0, dtype=torch.float64))
print(np.abs(traced(torch.tensor(40.0, dtype=torch.float64)).numpy() - rotation(40.0)).max() < 1e-12)
graph = tf.function(lambda x: tf.linalg.expm(x))
print(np.abs(graph(tf.constant(skew(700.0))).numpy() - rotation(700.0)).max() < 1e-11)
