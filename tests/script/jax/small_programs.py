# Small programs as people write them: regression, k-means, Mandelbrot, the game of life.
import jax, jax.numpy as jnp, numpy as np
from jax import random, grad, jit, vmap, lax
from functools import partial
from typing import NamedTuple, Any

class Params(NamedTuple):
    weight: jnp.ndarray
    bias: jnp.ndarray

def init(rng) -> Params:
    weights_key, bias_key = random.split(rng)
    weight = random.normal(weights_key, ())
    bias = random.normal(bias_key, ())
    return Params(weight, bias)

def loss(params: Params, x, y):
    pred = params.weight * x + params.bias
    return jnp.mean((pred - y) ** 2)

LEARNING_RATE = 0.005

@jit
def update(params, x, y):
    g = grad(loss)(params, x, y)
    return jax.tree.map(lambda p, g: p - LEARNING_RATE * g, params, g)

rng = random.key(42)
true_w, true_b = 2, -1
x_rng, noise_rng = random.split(rng)
xs = random.normal(x_rng, (128, 1))
noise = random.normal(noise_rng, (128, 1)) * 0.5
ys = xs * true_w + true_b + noise
params = init(rng)
for _ in range(200):
    params = update(params, xs, ys)
print(params)
print(f"{params.weight:.4f}", params._replace(bias=0.0).bias)

# numpy in and out
n = np.arange(6, dtype=np.float64).reshape(2, 3)
j = jnp.array(n)
print(j.dtype, jnp.asarray(n).sum(), np.asarray(j).dtype, np.array(j) + n, jnp.sin(n))
print(np.allclose(np.asarray(j), n), type(np.asarray(j)).__name__)

# dropout and batch statistics
def dropout(key, x, rate):
    keep = random.bernoulli(key, 1 - rate, x.shape)
    return jnp.where(keep, x / (1 - rate), 0)
print(dropout(random.key(3), jnp.ones((2, 5)), 0.4))

# k-means
def kmeans(key, pts, k, steps=5):
    c = pts[random.choice(key, pts.shape[0], (k,), replace=False)]
    def step(c, _):
        d = jnp.linalg.norm(pts[:, None] - c[None], axis=-1)
        a = jnp.argmin(d, axis=1)
        onehot = jax.nn.one_hot(a, k)
        new = (onehot.T @ pts) / jnp.maximum(onehot.sum(0)[:, None], 1)
        return new, jnp.min(d, 1).sum()
    return lax.scan(step, c, None, length=steps)
pts = random.normal(random.key(7), (20, 2)) + jnp.repeat(jnp.array([[0.0, 0.0], [5.0, 5.0]]), 10, axis=0)
c, cost = kmeans(random.key(1), pts, 2)
print(c, cost)

# mandelbrot counts without complex numbers
def escape(cx, cy):
    def cond(s): return (s[0] ** 2 + s[1] ** 2 < 4) & (s[2] < 20)
    def body(s):
        zx, zy, n = s
        return zx * zx - zy * zy + cx, 2 * zx * zy + cy, n + 1
    return lax.while_loop(cond, body, (0.0, 0.0, 0))[2]
gx, gy = jnp.meshgrid(jnp.linspace(-2, 1, 6), jnp.linspace(-1, 1, 4))
print(jit(vmap(vmap(escape)))(gx, gy))

# game of life
def life(b):
    n = sum(jnp.roll(jnp.roll(b, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    return jnp.where((n == 3) | ((b == 1) & (n == 2)), 1, 0)
b = jnp.zeros((5, 5), dtype=int).at[2, 1:4].set(1)
print(life(b)); print(jnp.array_equal(life(life(b)), b))

@jit
def f(x):
    jax.debug.print("x = {x}, sum {}", x.sum(), x=x)
    return x * 2
print(f(jnp.arange(3.0)))
jax.debug.print("plain {}", 3)
