# Derivatives of det where there is no inverse, of roots to a higher order; arguments that are refused.
import jax
import jax.numpy as jnp
import numpy as np
from jax import grad, lax


def show(n, f):
    try:
        print(n, f())
    except Exception as e:
        print(n, "refused:", type(e).__name__)
show("det", lambda: grad(jnp.linalg.det)(jnp.array([[1.,2.],[2.,4.]])).round(3) + 0.0)
show("det0", lambda: grad(jnp.linalg.det)(jnp.zeros((2,2))).round(3) + 0.0)
show("det3", lambda: grad(jnp.linalg.det)(jnp.array([[1.,2.,3.],[4.,5.,6.],[7.,8.,10.]])).round(3) + 0.0)
show("detb", lambda: grad(lambda a: jnp.linalg.det(a).sum())(jnp.array([[[1.,2.],[3.,4.]],[[2.,0.],[1.,-3.]]])).round(3) + 0.0)
show("hess", lambda: (jax.hessian(jnp.linalg.det)(jnp.array([[1.,2.],[3.,5.]])) + 0.0).round(2).tolist())
show("vmapdet", lambda: jax.vmap(grad(jnp.linalg.det))(jnp.array([[[1.,2.],[3.,4.]],[[2.,0.],[1.,-3.]]])).round(3) + 0.0)
show("jitdet", lambda: jax.jit(grad(jnp.linalg.det))(jnp.array([[1.,2.],[3.,4.]])).round(3) + 0.0)
show("diag", lambda: jnp.linalg.diagonal(jnp.arange(8.).reshape(2,2,2), offset=1))
show("nearest", lambda: [float(jnp.percentile(jnp.array([1.,2.,3.,4.]), q, method='nearest')) for q in (10., 30., 50., 83.4, 90.)])
show("cat", lambda: (jax.random.categorical(jax.random.key(0), jnp.zeros((2,5)), axis=-1, shape=(3,2), replace=False).shape, jax.random.categorical(jax.random.key(0), jnp.zeros((3,1,2)), axis=-1, shape=(3,4)).shape, jax.random.categorical(jax.random.key(0), jnp.zeros((5,2)), axis=0, shape=(3,2)).shape))
show("cat2", lambda: (jax.random.categorical(jax.random.key(0), jnp.arange(10.).reshape(2,5), axis=-1, shape=(3,2), replace=False), jax.random.categorical(jax.random.key(0), jnp.arange(8.).reshape(4,1,2), shape=(4,3)), jax.random.categorical(jax.random.key(0), jnp.arange(10.).reshape(5,2), axis=0, shape=(3,2))))
show("vmapsize", lambda: jax.vmap(lambda x: x, axis_size=2)(jnp.arange(8)))
show("concat", lambda: lax.concatenate([jnp.array([1]), jnp.array([1.5])], 0))
show("concat ok", lambda: lax.concatenate([jnp.array([1]), jnp.array([2])], 0))
show("key", lambda: jax.random.key(1.5))
show("keynp", lambda: (jax.random.key(np.int64(3)), jax.random.PRNGKey(jnp.int32(3)), jax.random.key(True)))
show("expand", lambda: jnp.expand_dims(jnp.ones(2), (0, 0)).shape)
show("eigh", lambda: jax.scipy.linalg.eigh(jnp.array([[4.,99.],[2.,3.]]), lower=True, eigvals_only=True).round(3) + 0.0)
def root(a):
    newton = lambda f, x0: lax.fori_loop(0, 30, lambda i, x: x - f(x) / (3 * x ** 2), x0)
    return lax.custom_root(lambda x: x ** 3 - a, 1., newton, lambda g, y: y / g(1.))
show("root", lambda: [round(float(v), 5) for v in (root(8.), grad(root)(8.), grad(grad(root))(8.), grad(grad(grad(root)))(8.), jax.jit(grad(root))(8.), jax.jvp(root, (8.,), (1.,))[1])])
