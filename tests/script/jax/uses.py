# The many small uses: axes, names, static methods, trees, keys, formats.
import jax, jax.numpy as jnp
from jax import lax, random, vmap, jit, grad
from functools import partial
from jax.example_libraries import optimizers

data = jnp.array([1.0, 2.0, 3.0, 4.0]); seg = jnp.array([0, 1, 0, 2])
print(jax.ops.segment_sum(data, seg, 3), jax.ops.segment_max(data, seg, num_segments=4), jax.grad(lambda d: (jax.ops.segment_sum(d, seg, 3) ** 2).sum())(data))
init, update, get = optimizers.adam(0.1)
s = init({"w": jnp.array([1.0, -1.0])})
loss = lambda p: jnp.sum((p["w"] - 3.0) ** 2)
for i in range(5):
    s = update(i, grad(loss)(get(s)), s)
print(get(s))

class Model:
    def __init__(self, scale):
        self.scale = scale
    @partial(jit, static_argnums=0)
    def __call__(self, x):
        return x * self.scale
    @staticmethod
    @jit
    def twice(x):
        return 2 * x
m = Model(3.0)
print(m(data), Model.twice(data))

print(vmap(lambda d, k=None: d["a"] * 2 + d["b"], in_axes=({"a": 0, "b": None},))({"a": data, "b": 1.0}))
print(vmap(lambda x, y: x + y, in_axes=(0, 1), out_axes=-1)(jnp.ones((2, 3)), jnp.ones((3, 2))).shape)
print(vmap(lambda x, *, y: x * y)(data, y=data), vmap(jnp.dot, in_axes=(None, 0))(jnp.ones(2), jnp.ones((3, 2))))
print(jax.vmap(lambda x: lax.psum(x, "b"), axis_name="b")(data), vmap(lambda x: x - lax.pmean(x, "b"), axis_name="b")(data))
print(vmap(lambda x: random.normal(x))(random.split(random.key(0), 3)))
print(vmap(vmap(lambda x, y: lax.psum(x * y, ("i", "j")), axis_name="j"), axis_name="i")(jnp.ones((2, 3)), jnp.arange(6.0).reshape(2, 3)))

@jit
def masked(x, n):
    return jnp.where(jnp.arange(x.shape[0]) < n, x, 0).sum()
print(masked(data, 2), jit(masked)(data, 3))
print(jit(lambda x: jnp.nonzero(x > 1, size=3, fill_value=-1))(data), jit(lambda x: jnp.unique(x, size=4))(jnp.array([3, 1, 3, 2])))
f = jit(lambda x, y: (x, {"y": y, "z": None}))
print(f(1, 2.0))
def g(x):
    if x.ndim == 1:
        x = x[None]
    for row in x:
        x = x + row.mean()
    return x
print(jit(g)(data), len(jit(lambda t: [t, t])(data)))
print(jax.value_and_grad(lambda p, x: (p["a"] * x).sum(), argnums=0)({"a": 2.0}, data))
y, f_jvp = jax.linearize(lambda a, b: a * jnp.sin(b), 2.0, 3.0)
print(y, f_jvp(1.0, 0.0), f_jvp(0.0, 1.0))
print(jax.jacobian(lambda d: {"o": d["x"] ** 2 * d["y"]})({"x": jnp.array([1.0, 2.0]), "y": 3.0}))
hvp = lambda f, x, v: jax.jvp(grad(f), (x,), (v,))[1]
print(hvp(lambda x: jnp.sum(x ** 3), data, jnp.ones(4)), grad(lambda x: jnp.vdot(grad(lambda x: jnp.sum(x ** 3))(x), jnp.ones(4)))(data))
print(jax.jvp(lambda x: lax.fori_loop(0, 3, lambda i, a: a * x, 1.0), (2.0,), (1.0,)))
print(jnp.vectorize(partial(lambda a, b: a @ b), signature="(n),(n)->()")(jnp.ones((2, 3)), jnp.arange(3.0)))
x = jnp.arange(10)
print(x[lax.dynamic_slice(x, (3,), (2,))], lax.dynamic_slice_in_dim(x, 8, 4), jnp.take(x, 3), x[jnp.newaxis].shape, x.at[x % 2 == 0].add(10))
print(lax.reduce(jnp.arange(6).reshape(2, 3), 0, lax.add, (0,)), lax.reduce_window(jnp.arange(5), 0, lax.add, (2,), (1,), "VALID"))
print(jnp.polyfit(jnp.arange(4.0), jnp.arange(4.0) * 2 + 1, 1), jnp.convolve(jnp.ones(3), jnp.ones(2)))
tree = {"a": [1.0, (2.0, None)], "b": jnp.ones(2)}
print(jax.tree.map(lambda v: v * 2, tree), jax.tree.structure(tree), jax.tree.leaves(tree))
print(jax.tree.map(lambda a, b: (a, b), {"x": 1}, {"x": 2}), jax.tree.map(lambda v: v is None, [None, 1], is_leaf=lambda v: v is None))
print(jax.tree_util.tree_structure([1, {"k": (2, 3)}]), jax.tree_util.tree_map(lambda *v: sum(v), [1, 2], [3, 4], [5, 6]))
leaves, td = jax.tree_util.tree_flatten({"z": 1, "a": (2, 3)})
print(leaves, td, td.unflatten([10, 20, 30]))
def loop_body(prev_i):
    return prev_i + 1
print(lax.while_loop(lambda i: i < 10, loop_body, 0), lax.fori_loop(0, 3, lambda i, s: s + i, jnp.zeros(2)))
k = random.PRNGKey(0)
k, sub = random.split(k)
print(k, sub, random.normal(sub, shape=(2,)), random.uniform(sub, shape=(1,), minval=-1, maxval=1), random.randint(sub, shape=(3,), minval=0, maxval=5))
print(repr(random.key(1)), random.key(1).shape, random.split(random.key(0), (2, 2)).shape, random.key(0).dtype)
print(jnp.allclose(jax.nn.softmax(data).sum(), 1.0), jax.nn.log_softmax(data), jax.nn.one_hot(jnp.array([1]), 3))
import math
print(math.isclose(float(jnp.sin(1.0)), math.sin(1.0), rel_tol=1e-6), round(float(data.mean()), 3), sum(data), max(data), sorted(data.tolist()), list(data), [float(v) for v in data])
print(f"{data}", f"{data[0]}", f"{data.shape}", "%s %.2f" % (data, data[1]), str(data.dtype), data.dtype.name, data.dtype == jnp.float32)
