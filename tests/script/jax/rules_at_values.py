# Rules of derivatives that look at values, functions made of closures, solvers with derivatives of their own.
import jax
import jax.numpy as jnp
from jax import lax


@jax.custom_jvp
def f(x):
    if x > 0:
        return jnp.sin(x)
    return jnp.cos(x)


@f.defjvp
def f_jvp(p, t):
    (x,), (d,) = p, t
    return (f(x), 2 * d) if x > 0 else (f(x), 3 * d * x)


print(f(2.0), jax.grad(f)(2.0), jax.grad(lambda x: f(x) * x)(-3.0))
print(jax.jacfwd(lambda v: jnp.stack([f(v[0]), 2 * f(v[1])]))(jnp.array([1.0, -1.0])))
try:
    jax.jit(f)(2.0)
except jax.errors.ConcretizationTypeError:
    print("a trace knows no values")


@jax.custom_vjp
def g(x):
    if x > 0:
        return jnp.sin(x)
    return jnp.cos(x)


g.defvjp(lambda x: (g(x), x), lambda r, ct: (ct * 2 if r > 0 else ct * 3,))
print(g(2.0), jax.grad(g)(2.0), jax.grad(g)(-2.0))


def closed(c, x):
    fn, more = jax.closure_convert(lambda x: jnp.sum((x - c) ** 2), x)
    return fn(x, *more) * 2


c, x = 2.0 * jnp.ones(2), jnp.ones(2)
print(jax.grad(closed, argnums=(0, 1))(c, x), jax.jit(jax.grad(closed))(c, x))
fn, more = jax.closure_convert(lambda x: x * 3, 1.0)
print(fn(2.0, *more), more)

A = jnp.array([[4.0, 1.0], [2.0, 3.0]])
b = jnp.array([1.0, 2.0])


def solved(A, b):
    # ten times the transpose, to see that it is used
    return lax.custom_linear_solve(lambda x: A @ x, b, lambda mv, b: jnp.linalg.solve(lax.stop_gradient(A), b),
                                   lambda vm, b: 10 * jnp.linalg.solve(lax.stop_gradient(A).T, b))


def show(*trees):
    print([(jnp.round(y * 1000) + 0.0).astype(int).tolist() for y in jax.tree.leaves(trees)])


show(solved(A, b), jax.jacrev(solved, (0, 1))(A, b), jax.jacfwd(solved, (0, 1))(A, b))
show(jax.jit(jax.grad(lambda A, b: solved(A, b).sum(), (0, 1)))(A, b))


def conjugate(A, b):
    def solve(mv, b):
        def step(s):
            x, r, p, i = s
            q = mv(p)
            a = r @ r / (p @ q)
            r2 = r - a * q
            return x + a * p, r2, r2 + (r2 @ r2) / (r @ r) * p, i + 1
        return lax.while_loop(lambda s: (s[1] @ s[1] > 1e-10) & (s[3] < 10), step, (jnp.zeros_like(b), b, b, 0))[0]

    return lax.custom_linear_solve(lambda x: A @ x, b, solve, symmetric=True)


show(jax.jacrev(conjugate, (0, 1))(A + A.T, b), jax.jvp(lambda b: conjugate(A + A.T, b), (b,), (b,)))
show(jax.hessian(lambda s: lax.custom_root(lambda x: x ** 3 - s, 1.0, lambda f, x: jnp.cbrt(s),
                                           lambda g, y: y / g(1.0)))(8.0))
print(lax.custom_linear_solve(lambda x: x * 2.0, b, lambda mv, b: (b / 2.0, 5.0), has_aux=True)[1])
print(lax.custom_root(lambda x: x * x - 4.0, 1.0, lambda f, x: (jnp.float32(2.0), 7.0), lambda g, y: y / g(1.0),
                      has_aux=True)[1])
