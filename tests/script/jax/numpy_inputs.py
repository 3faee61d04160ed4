# Arrays of NumPy as arguments of jax: 64 bits become 32, and what is taken is a copy.
import jax
import jax.numpy as jnp
import numpy as np

d = np.array([1.5, 2.5, -0.5])
n = np.array([3, 1, 2])
m = np.arange(6.0).reshape(2, 3)


def t(name, f):
    try:
        print(name, repr(f()))
    except Exception as e:
        print(name, type(e).__name__)


t("sin", lambda: jnp.sin(d))
t("add", lambda: jnp.add(n, n))
t("operator", lambda: jnp.ones(3) * d + n)
t("reflected", lambda: d * jnp.ones(3))
t("int8", lambda: jnp.zeros(3, jnp.int8) + n)
t("half", lambda: jnp.zeros(3, jnp.float16) + d)
t("scalar", lambda: jnp.float16(1) + np.float64(2))
t("jit", lambda: jax.jit(lambda a, b: (a * a, b * b))(d, n))
f = jax.jit(lambda a: a * 2)
t("jit again", lambda: [f(x) for x in (jnp.ones(3), d, d.astype(np.float32), d)])
t("jit first", lambda: f(np.ones(3, np.float32)))
t("overflow", lambda: jax.jit(lambda a: a * a)(np.array([2 ** 20])))
t("grad", lambda: jax.grad(lambda a: (a * a).sum())(d))
t("value_and_grad", lambda: jax.value_and_grad(lambda a: (a * a).sum())(d))
t("vjp", lambda: jax.vjp(lambda a: a * a, d)[1](jnp.ones(3)))
t("jvp", lambda: jax.jvp(lambda a: a * a, (d,), (d,)))
t("vmap", lambda: jax.vmap(lambda a, b: a * b)(d, n))
t("scan", lambda: jax.lax.scan(lambda c, x: (c + x, c * x), np.float64(0), d))
t("fori", lambda: jax.lax.fori_loop(0, 3, lambda i, c: c * 2, d))
t("while", lambda: jax.lax.while_loop(lambda c: c.sum() < 50, lambda c: c * 2, d))
t("cond", lambda: jax.lax.cond(True, lambda a: a, lambda a: -a, d))
t("at", lambda: jnp.zeros(3).at[n % 2].add(d))
t("jacobian", lambda: jax.jacrev(lambda a: a * a)(d))
t("shape", lambda: jax.eval_shape(lambda a, b: (a, b), d, n))
for name in ("sum mean max var median cumsum sort argsort unique diff ravel flip transpose exp abs sign square "
             "isnan nanmean ptp any argmax zeros_like").split():
    t(name, lambda: getattr(jnp, name)(m))
for name in "add subtract multiply divide maximum where_ outer dot matmul tensordot".split():
    if name == "where_":
        t(name, lambda: jnp.where(m > 1, m, 0))
    elif name in ("outer", "dot"):
        t(name, lambda: getattr(jnp, name)(d, n))
    elif name in ("matmul", "tensordot"):
        t(name, lambda: getattr(jnp, name)(m, m.T))
    else:
        t(name, lambda: getattr(jnp, name)(m, d))
t("concatenate", lambda: jnp.concatenate([d, n]))
t("stack", lambda: jnp.stack([d, n]))
t("take", lambda: jnp.take(d, n % 3))
t("norm", lambda: jnp.linalg.norm(m))
t("solve", lambda: jnp.linalg.solve(np.eye(3), d))
t("einsum", lambda: jnp.einsum("ij,j->i", m, d))
t("interp", lambda: jnp.interp(0.5, np.array([0.0, 1.0]), np.array([2.0, 4.0])))
t("relu", lambda: jax.nn.relu(d))
t("softmax", lambda: jax.nn.softmax(d))
t("logsumexp", lambda: jax.scipy.special.logsumexp(d))
t("normal", lambda: jax.random.normal(jax.random.key(0), (2,), np.float64).dtype)


def later(make):
    a = np.arange(4, dtype=np.float32)
    b = make(a)
    a[0] = 9
    return b


t("asarray copies", lambda: later(jnp.asarray))
t("array copies", lambda: later(jnp.array))
t("jit copies", lambda: later(jax.jit(lambda a: a)))
t("reshape copies", lambda: later(lambda a: jnp.reshape(jnp.asarray(a), (2, 2))))
j = jnp.arange(3.0)
a = np.array(j)
a[0] = 7
t("np.array copies", lambda: (a, j))

# integers that do not fit
t("too large", lambda: jnp.array(2 ** 40))
t("too large beside", lambda: jnp.array([1]) + 2 ** 40)
t("too large for jit", lambda: jax.jit(lambda a: a)(2 ** 40))
t("unsigned", lambda: (jnp.uint32(1) + jnp.int32(-2), jnp.minimum(jnp.uint32(1), jnp.int32(-1)).dtype))

with jax.enable_x64(True):
    i = jnp.array([1, 2], jnp.int32)
    t("wide", lambda: (jnp.sin(d).dtype, (n * jnp.ones(3)).dtype, jax.jit(lambda a: a)(n).dtype))
    t("int32 as float", lambda: (jnp.sin(i).dtype, (i / i).dtype, jnp.mean(i).dtype, jnp.std(i).dtype))
    t("int64 as float", lambda: (jnp.sin(n).dtype, (jnp.array([1, 2]) / 2).dtype))
    t("sums", lambda: (jnp.sum(i).dtype, jnp.sum(jnp.ones(2, jnp.uint8)).dtype, jnp.cumsum(i).dtype))
    t("weak", lambda: (jnp.int32(1) * 2.5, jnp.int16(1) * 2))
    t("no common integer", lambda: jnp.promote_types("uint64", "int32"))
