# Eigenvectors in programs, matrices of no size, classes that are arrays, functions with a name.
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

a = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0], [1.5, 0.7, 3.0]], np.float32)


def values(w):
    return [round(v, 3) for v in np.sort(np.abs(np.asarray(w, dtype="complex128"))).tolist()]


print(values(jax.jit(jnp.linalg.eig)(a)[0]), jax.vmap(jnp.linalg.eig)(np.stack([a, a]))[1].shape)
print(jnp.linalg.pinv(jnp.zeros((0, 3))).shape, np.linalg.pinv(np.zeros((0, 3))).shape)
print(jnp.linalg.matrix_rank(a + a.T, hermitian=True), np.linalg.matrix_rank(a + a.T, hermitian=True))


class Held:
    def __init__(self, x):
        self.x = x

    def __jax_array__(self):
        return jnp.array(self.x)


x = Held(np.array([1.0, 2.0]))
print(jnp.asarray(x), jnp.array([3.0, 4.0]) * x)


@partial(lax.composite, name="my.power")
def power(x, *, n):
    return x ** n


print(power(3.0, n=2), jax.jit(partial(power, n=3))(2.0), power.__name__)
