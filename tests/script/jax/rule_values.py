# Where a derivative is being taken, the value of a function with a rule of its own is the rule's.
import jax, jax.numpy as jnp
@jax.custom_jvp
def f(x): return jnp.sin(x)
@f.defjvp
def r(p, t): return jnp.sin(p[0]) + 100., t[0]*3
print(f(1.), jax.value_and_grad(f)(1.), jax.jvp(f, (jnp.float32(1.),), (jnp.float32(2.),)))
print(jax.jit(jax.value_and_grad(f))(1.), jax.value_and_grad(jax.jit(f))(1.), jax.grad(lambda x: f(x) ** 2)(1.), jax.jit(jax.grad(lambda x: f(x) ** 2))(1.))
print(jax.vmap(jax.value_and_grad(f))(jnp.arange(2.)), jax.value_and_grad(lambda x: jax.vmap(f)(x).sum())(jnp.arange(2.)))
print(jax.value_and_grad(lambda x: f(3.) + x)(1.), jax.grad(jax.grad(lambda x: f(x) ** 2))(1.), jax.vjp(f, 1.)[0], jax.linearize(f, 1.)[0])
@jax.custom_vjp
def g(x): return jnp.sin(x)
g.defvjp(lambda x: (jnp.sin(x) + 100., x), lambda res, ct: (ct * 3,))
print(g(1.), jax.value_and_grad(g)(1.), jax.vjp(g, 1.)[0])
print(jax.jit(jax.value_and_grad(g))(1.), jax.value_and_grad(jax.jit(g))(1.), jax.grad(lambda x: g(x) ** 2)(1.), jax.jit(jax.grad(lambda x: g(x) ** 2))(1.))
print(jax.vmap(jax.value_and_grad(g))(jnp.arange(2.)), jax.value_and_grad(lambda x: jax.vmap(g)(x).sum())(jnp.arange(2.)))

k = jax.jit(lambda x: f(x) + g(x))
print(k(1.), jax.value_and_grad(k)(1.), k(1.))      # the program that jit keeps is the function's
print(jax.value_and_grad(lambda a, b: f(a) + f(b))(1., 2.), jax.value_and_grad(lambda x: f(jax.lax.stop_gradient(x)) + x)(1.))
