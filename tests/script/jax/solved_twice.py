# Second derivatives of linear systems whose solvers stop gradients; pseudo-inverses of equal singular values; transposed integers.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
a, b = jnp.array([[3.0, 1.0], [0.5, 2.0]]), jnp.array([1.0, 2.0])


def show(x):
    print(jax.tree.map(lambda v: (np.round(np.asarray(v), 6) + 0.0).tolist(), x))


def by_jacobian(matvec, b):
    return lax.stop_gradient(jnp.linalg.solve(jax.jacobian(matvec)(b), b))


def partly(matvec, b):
    return jnp.linalg.solve(lax.stop_gradient(jax.jacobian(matvec)(b)), b)


for solve in (by_jacobian, partly):
    system = lambda a, b: lax.custom_linear_solve(lambda x: a @ x, b, solve, solve)
    total = lambda a, b: (system(a, b) ** 2).sum()
    show(system(a, b))
    show(jax.jacrev(system, (0, 1))(a, b))
    show(jax.jacfwd(system, (0, 1))(a, b))
    show(jax.jacrev(jax.jacrev(total, (0, 1)), (0, 1))(a, b))
    show(jax.jacfwd(jax.jacfwd(total, (0, 1)), (0, 1))(a, b))
    show(jax.jit(jax.grad(total))(a, b))
    show(jax.jvp(jax.jit(total), (a, b), (a, b)))
show(jax.hessian(lambda a: lax.custom_linear_solve(lambda x: a @ x, b, partly, partly).sum())(a))

wide, mixed = jnp.array([[4.0, 1.0, 2.0], [1.0, 3.0, 0.0]]), jnp.array([[1 + 2j, 2.0], [0.5j, 1 - 1j], [1, 1]])
show(jax.jacobian(jnp.linalg.pinv)(jnp.eye(2)))
show(jax.jacobian(jnp.linalg.pinv)(wide))
show(jax.hessian(lambda x: jnp.linalg.pinv(x).sum())(wide))
show(jax.tree.map(jnp.imag, jax.jvp(jnp.linalg.pinv, (mixed,), (mixed * 1j,))))
print(jax.linear_transpose(lambda x: 2 * x, 1)(3), jax.linear_transpose(lambda x: jnp.stack([x, 3 * x]), jnp.arange(2))(jnp.array([[1, 2], [3, 4]])))
