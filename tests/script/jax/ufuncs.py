# jnp.ufunc: what functions of two numbers do along axes; limits of dtypes.
import jax
import jax.numpy as jnp
import numpy as np

x = jnp.array([[5, 2, 7], [1, 8, 3]])
print(jnp.add, isinstance(jnp.maximum, jnp.ufunc), jnp.add.nin, jnp.add.nout, jnp.add.nargs, jnp.multiply.identity, jnp.maximum.__name__)
for f in (jnp.add, jnp.multiply, jnp.subtract, jnp.maximum, jnp.minimum, jnp.bitwise_and, jnp.bitwise_or, jnp.bitwise_xor):
    print(f.reduce(x), f.reduce(x, axis=1, keepdims=True).tolist(), f.accumulate(x, axis=1).tolist(), f.outer(x[0], x[1]).tolist())
    print(f.at(x, (jnp.array([0, 0, 1]), jnp.array([1, 1, 2])), 3, inplace=False).tolist(), f.reduceat(x, jnp.array([0, 2, 1]), axis=1).tolist())
print(jnp.add.reduce(x, axis=None), jnp.add.reduce(x, axis=(0, 1), initial=10), jnp.add.reduce(x, where=x > 2), jnp.logical_and.reduce(x > 1, axis=1))
print(jnp.logaddexp.reduce(x.astype(float)), jnp.negative.at(x, 0, inplace=False).tolist())
g = jnp.frompyfunc(lambda a, b: 2 * a + b, 2, 1, identity=0)
print(g(x, 1).tolist(), g.reduce(x, axis=1), g.accumulate(x[0]), g.outer(x[0], x[1]).tolist(), g.at(x[0], jnp.array([1, 1]), 1, inplace=False))
print(jax.jit(jnp.add.reduce)(x), jax.vmap(jnp.maximum)(x, 4 - x).tolist(), jax.grad(lambda v: jnp.multiply.reduce(v))(jnp.array([2.0, 3.0, 4.0])))
for wrong in (lambda: jnp.negative.reduce(x), lambda: jnp.add.at(x, 0, 1),
              lambda: jnp.add.reduceat(x, jnp.array([[0]]))):
    try:
        wrong()
    except (ValueError, NotImplementedError) as e:
        print(type(e).__name__)
for d in (np.float16, np.float32, np.float64, np.complex64, np.complex128):
    i, j = jnp.finfo(d), np.finfo(d)
    print(i.bits, i.nexp, i.nmant, i.maxexp, i.minexp, i.machep, i.negep, i.precision, float(i.eps), float(i.tiny), float(i.max), i.dtype, j.bits, float(j.epsneg))
print([np.iinfo(d).max for d in (np.int8, np.uint8, np.int64, np.uint64)], jnp.iinfo(jnp.uint32).kind, jnp.finfo(jnp.bfloat16).bits, jax.lax.dtype(np.float32))
