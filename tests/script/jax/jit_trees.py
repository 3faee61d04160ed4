# Calls of jitted functions with trees of arguments, again and again: what is known by the types of
# the leaves and the form of the tree is used only where both are the same.
import jax
import jax.numpy as jnp

traces = []


@jax.jit
def f(p, x):
    traces.append(1)
    return {"y": p["w"] * x + p["b"], "parts": [p["w"], (x, None)], "n": p["b"]}


for k in range(3):
    r = f({"w": jnp.float32(k), "b": jnp.ones(2)}, 2.0)
    print(r["y"], r["parts"][0], r["parts"][1], r["n"], list(r))
print(len(traces))
# other order, keys made at run time, other numbers
for k in range(2):
    r = f({"b" + "": jnp.ones(2) * k, "".join(["w"]): jnp.float32(3)}, 2.5)
    print(r["y"])
print(len(traces))
# another kind of number, another shape, another key, another container
print(f({"w": jnp.float32(1), "b": jnp.ones(2)}, 2)["y"], len(traces))
print(f({"w": jnp.float32(1), "b": jnp.ones(3)}, 2.0)["y"], len(traces))
print(f({"w": jnp.float32(1), "b": jnp.ones(2), "c": 1.0}, 2.0)["y"], len(traces))


@jax.jit
def g(xs, flag):
    traces.append(1)
    total = 0
    for x in xs:
        total = total + x
    return total if flag is None else (total, len(xs))


traces.clear()
for k in range(2):
    print(g([1.0, 2, k], None), g((1.0, 2, k), None), g([1.0, 2], None), g([], None) if k else "")
    print(g([jnp.arange(2)] * 2, None), g([jnp.arange(2)] * 2, ()))
print(len(traces))


@jax.jit
def nothing(x):
    return None, [], {}, (x["a"][0],)


for k in range(2):
    print(nothing({"a": (k,)}))

# results are new every time, and so are their containers
h = jax.jit(lambda x: {"a": [x + 1]})
r0, r1 = h(1.0), h(1.0)
r0["a"].append(0)
print(r0 is r1, r0["a"] is r1["a"], len(h(1.0)["a"]))

# gradients of trees, as a step of training has them
step = jax.jit(lambda p, x: jax.tree_util.tree_map(lambda w, d: w - 0.1 * d, p, jax.grad(
    lambda p: jnp.sum((p["l1"]["w"] @ x + p["l1"]["b"]) ** 2) * p["s"])(p)))
p = {"s": 1.0, "l1": {"w": jnp.eye(2), "b": jnp.zeros(2)}}
for k in range(4):
    p = step(p, jnp.array([0.5, 0.25]))
print([f"{float(v):.4f}" for v in [p["s"], *p["l1"]["b"], *p["l1"]["w"].ravel()]])
# integers and booleans keep their weak types
i = jax.jit(lambda t: (t["i"] + 1, t["b"], t["i"] * jnp.int8(3)))
for k in range(2):
    a, b, c = i({"i": 5, "b": True})
    print(a, a.dtype, a.weak_type, b, b.dtype, c, c.dtype)
