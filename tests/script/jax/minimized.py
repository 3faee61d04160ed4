# Minimisation takes JAX's steps: counts of steps and of evaluations, statuses, where a search gives up.
import jax
import jax.numpy as jnp
from jax.scipy.optimize import minimize


def rosenbrock(x):
    return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def himmelblau(p):
    x, y = p
    return (x ** 2 + y - 11.0) ** 2 + (x + y ** 2 - 7.0) ** 2


def distance(x, a):
    return ((x - a) ** 2).sum() + (x ** 4).sum()


def tell(r):
    print(int(r.nit), int(r.nfev), int(r.njev), int(r.status), bool(r.success), [f"{v:.3f}" for v in r.x.tolist()], f"{r.fun:.3f}")


few = "l-bfgs-experimental-do-not-rely-on-this"
tell(minimize(rosenbrock, jnp.zeros(2), method="BFGS"))
tell(minimize(himmelblau, jnp.zeros(2), method="BFGS"))
tell(minimize(himmelblau, jnp.ones(2), method="BFGS", options=dict(maxiter=3)))
tell(minimize(himmelblau, jnp.zeros(2), method=few))
tell(minimize(distance, jnp.ones(3), (jnp.arange(3.0),), method="bfgs", tol=1.0, options=dict(gtol=1e-2, norm=2)))
tell(minimize(distance, jnp.ones(3), (jnp.arange(3.0),), method=few, options=dict(maxcor=2, maxiter=3, ftol=0.0)))
solve = jax.jit(lambda a: minimize(distance, jnp.zeros(3), (a,), method="BFGS").x)
print(solve(jnp.arange(3.0)).round(2), jax.vmap(solve)(jnp.arange(6.0).reshape(2, 3)).round(2))
print(minimize(distance, jnp.ones(3), (1.0,), method=few).hess_inv)
for call in (lambda: minimize(distance, jnp.ones(3), [1], method="BFGS"), lambda: minimize(distance, jnp.ones(3), (1.0,), method="cg")):
    try:
        call()
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
jax.config.update("jax_enable_x64", True)
tell(minimize(rosenbrock, jnp.zeros(3), method="BFGS"))
tell(minimize(rosenbrock, jnp.zeros(5), method=few))
