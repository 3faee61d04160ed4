# What gather and scatter refuse, by the same class of error.
import jax.numpy as jnp
from jax import lax

x, i = jnp.zeros((10, 9, 8, 7, 6)), jnp.zeros((5, 4, 3, 2, 5), jnp.int32)
G, S = lax.GatherDimensionNumbers, lax.ScatterDimensionNumbers
whole, five = (10, 9, 8, 7, 6), (0, 1, 2, 3, 4)
tries = [
    lambda: lax.gather(x, i, G((4, 5, 6, 8, 7), (), five), whole), lambda: lax.gather(x, i, G((4, 5, 6, 7, 7), (), five), whole),
    lambda: lax.gather(x, i, G((4, 5, 6, 7, 99), (), five), whole), lambda: lax.gather(x, i, G((4, 5, 6, 7, 8), (4,), five), whole),
    lambda: lax.gather(x, i, G((4, 5, 6, 7, 8), (0, 19), five), whole), lambda: lax.gather(x, i, G((4, 5, 6, 7, 8), (3, 3), five), whole),
    lambda: lax.gather(x, i, G((4, 5, 6, 7, 8), (), (0, 1, 2, 3)), whole), lambda: lax.gather(x, i, G((4, 5, 6, 7, 8), (), (0, 1, 2, 3, 7)), whole),
    lambda: lax.gather(x, i, G((4, 5, 6, 7), (2,), five), (10, 9, 8, 100, 6)), lambda: lax.gather(x, i, G((4, 5, 6, 7), (), five), (10, 9, 8, 7)),
    lambda: lax.gather(x, i, G((4, 5, 6, 7), (1,), five), whole), lambda: lax.gather(x, i, G((4, 5, 6, 7), (), five, (1,), (0, 1)), whole),
    lambda: lax.scatter(x, i, jnp.zeros((5, 4, 3, 2, 1, 1)), S((4,), (0, 1, 2, 3), five)),
    lambda: lax.scatter(x, i, jnp.zeros((5, 4, 3, 2, 11)), S((4,), (1, 2, 3, 4), five)),
    lambda: lax.scatter(x, i, jnp.zeros((5, 4, 3, 1, 1)), S((4,), (1, 2, 3, 4), five)),
    lambda: lax.scatter_add(x, i, jnp.zeros((5, 4, 3, 2, 1)), S((4,), (1, 2, 3), five)),
    lambda: lax.scatter_add(x, i, jnp.zeros((5, 4, 3, 2, 1)), S((4,), (2, 1, 3, 4), five)),
    lambda: lax.scatter_add(x, i, jnp.zeros((5, 4, 3, 2, 1)), S((4,), (1, 2, 3, 4), (0, 1, 2, 3, 3))),
]
for t in tries:
    try:
        print(t().shape)
    except TypeError as e:
        print(str(e).split(";")[0].split(",")[0].split(":")[0][:60])
