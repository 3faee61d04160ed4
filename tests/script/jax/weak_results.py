# Dtypes that give way: what functions of numbers keep, what reductions end, and arrays made under x64 that are reduced without it.
import jax
import jax.numpy as jnp
import numpy as np

half = jnp.ones((), jnp.bfloat16)
special = jax.scipy.special
for name, f in {"hypot": lambda: jnp.hypot(3.0, 4.0), "logaddexp": lambda: jnp.logaddexp(1.0, 2.0), "sinc": lambda: jnp.sinc(1.0),
                "logaddexp2": lambda: jnp.logaddexp2(1.0, 2.0), "heaviside": lambda: jnp.heaviside(0.0, 0.5),
                "float_power": lambda: jnp.float_power(2.0, 2.0), "zeros_like": lambda: jnp.zeros_like(2.0),
                "relu": lambda: jax.nn.relu(1.0), "relu6": lambda: jax.nn.relu6(1.0), "elu": lambda: jax.nn.elu(-1.0),
                "selu": lambda: jax.nn.selu(1.0), "softplus": lambda: jax.nn.softplus(1.0), "mish": lambda: jax.nn.mish(1.0),
                "hard_tanh": lambda: jax.nn.hard_tanh(2.0), "hard_sigmoid": lambda: jax.nn.hard_sigmoid(1.0),
                "log_sigmoid": lambda: jax.nn.log_sigmoid(1.0), "xlogy": lambda: special.xlogy(0.0, 2.0),
                "entr": lambda: special.entr(0.5), "i0": lambda: special.i0(1.0), "rel_entr": lambda: special.rel_entr(1.0, 2.0),
                "sum": lambda: jnp.sum(2.0), "prod": lambda: jnp.prod(2.0), "max": lambda: jnp.max(2.0), "min": lambda: jnp.min(2.0),
                "mean": lambda: jnp.mean(2.0), "where": lambda: jnp.where(True, 1.0, 2.0), "clip": lambda: jnp.clip(2.0, 0.0, 1.0),
                "square": lambda: jnp.square(2.0)}.items():
    y = f()
    print(name, y.weak_type, (y * half).dtype)


@jax.custom_vjp
def told(a, b):
    return a + b


told.defvjp(lambda a, b: (told(a, b), None), lambda s, g: (g, jnp.float32(-1.0)))
print([repr(g) for g in jax.grad(lambda a, b: told(a, b) + told(a, b), (0, 1))(2.0, 3.0)])

with jax.enable_x64(True):
    a, i = jnp.arange(1.0, 4.0), jnp.arange(3)
for f in (jnp.sum, jnp.mean, jnp.prod, jnp.max, jnp.min, jnp.cumsum, jnp.cumprod, jnp.average):
    print(f.__name__, f(a).dtype, f(i).dtype)
print((a + a).dtype, (a @ a).dtype, a.sum().dtype, jnp.stack([a, a]).dtype)

b = jnp.arange(6.0).reshape(2, 3)
for f in (np.flip, np.fliplr, np.flipud, np.rot90, np.nonzero, lambda x: np.moveaxis(x, 0, 1), lambda x: np.split(x, 3, 1), np.sum, np.copy):
    print(f(b))
