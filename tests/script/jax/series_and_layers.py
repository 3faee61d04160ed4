# jax.experimental.jet and ode, jax.example_libraries, custom_gradient.
import jax
import jax.numpy as jnp
import numpy as np
from jax import random
from jax.experimental.jet import jet
from jax.experimental.ode import odeint
from jax.example_libraries import optimizers, stax


def show(name, *values):
    for v in jax.tree.leaves(values):
        print(name, np.shape(v), np.round(np.asarray(v, np.float64), 4).ravel()[:12].tolist())


# Taylor series
show("jet sin", jet(jnp.sin, (0.5,), ((1.0, 0.0, 0.0),)))
show("jet exp", jet(lambda x, y: jnp.exp(x) * y, (0.3, 2.0), ((1.0, 0.5, 0.25), (0.1, -1.0, 2.0))))
show("jet matrix", jet(lambda a: jnp.tanh(a @ a).sum(), (jnp.eye(2) * 0.3,), ([jnp.ones((2, 2)), jnp.eye(2)],)))
show("jet tree", jet(lambda a: {"y": a ** 3, "z": a + 1}, (jnp.array([1.0, 2.0]),), ([jnp.ones(2), jnp.zeros(2)],)))

# differential equations
pendulum = lambda y, t, m, g: jnp.array([y[1], -m * y[1] - g * jnp.sin(y[0])])
ts = jnp.linspace(0.0, 3.0, 5)
show("odeint", odeint(pendulum, jnp.array([3.0, 0.1]), ts, 0.25, 9.8))
show("odeint grad", jax.grad(lambda m: odeint(pendulum, jnp.array([1.0, 0.1]), ts, m, 2.0).sum())(0.25))
show("odeint tree", odeint(lambda y, t: {"a": -y["b"], "b": y["a"]}, {"a": jnp.float32(1.0), "b": jnp.float32(0.0)}, ts))

# layers
init, apply = stax.serial(stax.Conv(3, (2, 2), padding="SAME"), stax.BatchNorm(), stax.Relu, stax.MaxPool((2, 2)), stax.AvgPool((2, 2), padding="SAME"),
                          stax.FanOut(2), stax.parallel(stax.Identity, stax.Tanh), stax.FanInConcat(), stax.Flatten, stax.Dense(4), stax.LogSoftmax)
shape, params = init(random.PRNGKey(0), (2, 6, 5, 1))
x = jnp.sin(jnp.arange(60.0)).reshape(2, 6, 5, 1)
print([int(n) for n in shape])
show("stax", apply(params, x))
up, run = stax.ConvTranspose(2, (3, 2), strides=(2, 1))
shape, p = up(random.PRNGKey(1), (1, 3, 3, 1))
print([int(n) for n in shape])
show("transposed", run(p, x[:1, :3, :3]))
drop = stax.Dropout(0.5)[1]
show("dropout", drop((), jnp.ones(8), rng=random.PRNGKey(3)))

# optimisers
w0 = {"w": jnp.array([1.0, -2.0, 3.0]), "b": jnp.float32(0.5)}
loss = lambda p: jnp.sum((p["w"] - 1.0) ** 2) + p["b"] ** 2
for name, make in (("sgd", lambda: optimizers.sgd(0.1)), ("momentum", lambda: optimizers.momentum(0.1, 0.9)),
                   ("nesterov", lambda: optimizers.nesterov(0.1, 0.9)), ("adagrad", lambda: optimizers.adagrad(0.1)),
                   ("rmsprop", lambda: optimizers.rmsprop(0.1)), ("rmsprop_momentum", lambda: optimizers.rmsprop_momentum(0.1)),
                   ("adam", lambda: optimizers.adam(0.1)), ("adamax", lambda: optimizers.adamax(0.1)), ("sm3", lambda: optimizers.sm3(0.1)),
                   ("inverse", lambda: optimizers.sgd(optimizers.inverse_time_decay(0.2, 2, 0.5, staircase=True))),
                   ("polynomial", lambda: optimizers.sgd(optimizers.polynomial_decay(0.2, 3, 0.01))),
                   ("piecewise", lambda: optimizers.sgd(optimizers.piecewise_constant([1, 2], [0.3, 0.2, 0.1])))):
    start, update, get = make()
    state = start(w0)
    step = lambda i, s: update(i, jax.grad(loss)(get(s)), s)
    step = step if name == "sm3" else jax.jit(step)
    for i in range(4):
        state = step(i, state)
    show(name, get(state))
again = optimizers.pack_optimizer_state(optimizers.unpack_optimizer_state(state))
print(again.tree_def == state.tree_def, type(state).__name__)
show("clipped", optimizers.clip_grads(w0, 1.0), optimizers.l2_norm(w0))


# a gradient of one's own
@jax.custom_gradient
def f(x, y):
    return x * y, lambda g: (g * 10.0, g * x)


show("custom_gradient", f(2.0, 3.0), jax.grad(f, (0, 1))(2.0, 3.0), jax.jit(jax.grad(lambda x: f(x * x, 2.0)))(3.0))
show("complex", jnp.abs(random.normal(random.PRNGKey(0), (3,), jnp.complex64)),
     jnp.real(jax.nn.initializers.glorot_uniform()(random.PRNGKey(0), (2, 2), jnp.complex64)),
     jnp.imag(jax.nn.initializers.lecun_normal()(random.PRNGKey(0), (2, 2), jnp.complex64)),
     jax.nn.initializers.delta_orthogonal()(random.PRNGKey(0), (3, 2, 2)))
keys = random.split(random.key(7), 6).reshape(2, 3)
print(keys.T.shape, keys.at[0].set(keys[1]).shape, bool((random.key_data(keys.at[0].set(keys[1])[0]) == random.key_data(keys[1])).all()),
      bool((random.key_data(keys.T[1, 0]) == random.key_data(keys[0, 1])).all()), keys.size, random.key_dtype() == keys.dtype)
from jax.ad_checkpoint import checkpoint_name, checkpoint_policies as policies

for policy in (policies.save_any_names_but_these("a"), policies.save_anything_except_these_names("a"), policies.save_only_these_names("a"),
               policies.save_from_both_policies(policies.dots_saveable, policies.nothing_saveable)):
    print(f"{jax.grad(jax.remat(lambda x: jnp.sin(checkpoint_name(jnp.sin(x), 'a')), policy=policy))(1.0):.5f}")
