# Programs as values: make_jaxpr, walking equations, transformations of one's own, jit's cache.
from functools import partial, wraps
import jax
import jax.numpy as jnp
from jax import lax
from jax.extend import core


def names(f, *args):
    return [e.primitive.name for e in jax.make_jaxpr(f)(*args).jaxpr.eqns]


x = jnp.array([0.5, 1.0, 2.0])
print(names(lambda x: jnp.sin(x) * 2.0 + x, x), names(lambda x: jnp.exp(jnp.tanh(x)), x))
print(names(lambda x, y: x @ y, jnp.ones((2, 3)), jnp.ones((3, 2))), names(lambda x: jnp.sum(x * x), x)[-1])
closed = jax.make_jaxpr(lambda x, y: (x + y, jnp.log(y)))(x, x)
print(len(closed.jaxpr.invars), len(closed.jaxpr.outvars), len(closed.jaxpr.eqns), closed.consts)
print([str(v.aval) for v in closed.jaxpr.invars], closed.out_avals)
print(closed)
print(jax.make_jaxpr(lambda x: x + 1.0)(3.0))


# a user's inverse of a function, by walking its equations backwards
inverse_registry = {lax.exp_p: jnp.log, lax.tanh_p: jnp.arctanh, lax.log_p: jnp.exp}


def inverse(fun):
    @wraps(fun)
    def wrapped(*args):
        closed = jax.make_jaxpr(fun)(*args)
        return inverse_jaxpr(closed.jaxpr, closed.literals, *args)[0]
    return wrapped


def inverse_jaxpr(jaxpr, consts, *args):
    env = {}
    for var, val in zip(jaxpr.outvars, args):
        env[var] = val
    for var, val in zip(jaxpr.constvars, consts):
        env[var] = val
    for eqn in jaxpr.eqns[::-1]:
        if eqn.primitive not in inverse_registry:
            raise NotImplementedError(f"{eqn.primitive} does not have registered inverse.")
        env[eqn.invars[0]] = inverse_registry[eqn.primitive](env[eqn.outvars[0]])
    return [env[v] for v in jaxpr.invars]


f = lambda x: jnp.exp(jnp.tanh(x))
print(inverse(f)(f(1.0)), jax.jit(jax.vmap(jax.grad(inverse(f))))((jnp.arange(5) + 1.0) / 5.0))


# an interpreter that evaluates, and one that counts
def evaluate(fun, *args):
    closed = jax.make_jaxpr(fun)(*args)
    env = {}
    read = lambda v: v.val if isinstance(v, core.Literal) else env[v]
    env.update(zip(closed.jaxpr.invars, args))
    env.update(zip(closed.jaxpr.constvars, closed.consts))
    for eqn in closed.jaxpr.eqns:
        out = eqn.primitive.bind(*[read(v) for v in eqn.invars], **eqn.params)
        out = out if eqn.primitive.multiple_results else [out]
        env.update(zip(eqn.outvars, out))
    return [read(v) for v in closed.jaxpr.outvars]


m = jnp.arange(6.0).reshape(2, 3)
for g in (lambda t: jnp.sum(t * 2.0, axis=1), lambda t: t @ t.T, lambda t: t.reshape(3, 2)[1:], lambda t: jnp.tanh(t).max(),
          lambda t: lax.cond(t[0, 0] > 1, lambda u: u, lambda u: -u, t), lambda t: lax.scan(lambda c, r: (c + r, c), jnp.zeros(3), t)[0],
          jax.grad(lambda t: jnp.sum(t ** 3)), lambda t: lax.while_loop(lambda s: s.sum() < 100, lambda s: s * 2, t)):
    print(evaluate(g, m)[0].tolist() == g(m).tolist())
print(jax.core.eval_jaxpr(jax.make_jaxpr(jnp.sin)(x).jaxpr, [], x) if hasattr(jax.core, "eval_jaxpr") else [jnp.sin(x)])

# jit: one trace for each signature
traces = []


@partial(jax.jit, static_argnames=("mode",))
def step(tree, mode="a"):
    traces.append((jax.tree.map(jnp.shape, tree), mode))
    return jax.tree.map(lambda t: t * 2 if mode == "a" else -t, tree)


print(step({"w": x}), step({"w": x + 1}), step({"w": x}, mode="b"), step([x, 1.0]))
print(traces)
print(jax.jit(lambda x, n: x ** n, static_argnums=(1,))(x, 3), jax.jit(step)({"w": x[:1]}), len(traces))
lowered = jax.jit(lambda x: x * 2).lower(x)
print(lowered.compile()(x))
print(jax.eval_shape(lambda a, b: {"c": a @ b}, jax.ShapeDtypeStruct((2, 3), jnp.float32), jnp.ones((3, 4))))
