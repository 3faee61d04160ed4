# jax.export: functions as bytes, called and differentiated after they were read.
import jax, jax.numpy as jnp, numpy as np
from jax import export, lax

exp = export.export(jax.jit(lambda x: 2 * x * x))(jax.ShapeDtypeStruct((), np.float32))
print(exp.fun_name, exp.in_avals, exp.out_avals, exp.platforms, exp.nr_devices, exp.calling_convention_version)
back = export.deserialize(exp.serialize())
print(3.0 * back.call(4.0), jax.jit(lambda y: back.call(y) + 1)(2.0), back.in_avals == exp.in_avals)

def f(x):
    return 7 * x * x * x

g = export.deserialize(export.export(jax.jit(f))(1.0).serialize(vjp_order=3)).call
print(g(0.5), jax.grad(g)(0.5), jax.grad(jax.grad(g))(0.5), jax.grad(jax.grad(jax.grad(g)))(0.5))
try:
    jax.grad(back.call)(0.5)
except ValueError as e:
    print(str(e)[:19])

def tree(p, *, scale):
    return {"y": p["w"] @ p["x"] * scale, "n": (p["x"].sum(),)}

t = export.deserialize(export.export(jax.jit(tree))({"w": jnp.ones((2, 3)), "x": jnp.arange(3.0)}, scale=2.0).serialize())
print(t.call({"w": jnp.eye(2, 3), "x": jnp.ones(3)}, scale=3.0), t.in_tree, t.out_tree)
for bad in (lambda: t.call({"w": jnp.ones((2, 2)), "x": jnp.ones(3)}, scale=3.0), lambda: t.call({"w": jnp.ones((2, 3))}, scale=3.0),
            lambda: export.export(jax.jit(lax.cos), platforms=["tpu"])(1.0).call(1.0)):
    try:
        bad()
    except ValueError:
        print("ValueError")
print(export.export(jax.jit(lax.cos), platforms=["tpu"], disabled_checks=[export.DisabledSafetyCheck.platform()])(1.0).call(0.0))
print(export.export(jax.jit(jnp.sin))(jnp.ones(2)).vjp().call(jnp.zeros(2), jnp.ones(2)), export.default_export_platform())
