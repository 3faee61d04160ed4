# Containers of one's own whose fixed part no hash knows: they are compared, as JAX does.
import jax
import jax.numpy as jnp


class Scale:
    def __init__(self, x, mul):
        self.x, self.mul = x, mul

    @jax.jit
    def calc(self, y):
        print("traced")
        return self.x * y if self.mul else y

    def flatten(self):
        return (self.x,), {"mul": self.mul}

    @classmethod
    def unflatten(cls, aux, children):
        return cls(*children, **aux)


jax.tree_util.register_pytree_node(Scale, Scale.flatten, Scale.unflatten)
c = Scale(2, True)
print(c.calc(3), c.calc(4))
c.mul = False
print(c.calc(3), Scale(jnp.array(2), True).calc(3), Scale(5, True).calc(3))
print(jax.grad(lambda s: jnp.sum(s.x ** 2))(Scale(jnp.arange(3.0), True)).x)
print(jax.vmap(lambda s: s.x + 1)(Scale(jnp.arange(3.0), True)))
print(jax.tree.map(lambda v: v + 1, Scale(1, [2])).mul, jax.tree.structure(Scale(1, True)) == jax.tree.structure(Scale(2, True)),
      jax.tree.structure(Scale(1, True)) == jax.tree.structure(Scale(2, False)))


class Fixed:
    # what is static has a list: equal where its __eq__ says so
    def __init__(self, kinds):
        self.kinds = kinds

    def __hash__(self):
        return hash(tuple(self.kinds))

    def __eq__(self, other):
        return self.kinds == other.kinds


@jax.jit
def through(s, y):
    print("traced")
    return s, y * 2


s, y = through(Scale(1.0, True), 3)
print(type(s).__name__, s.x, s.mul, y, through(Scale(2.0, True), 4)[0].x)
print(jax.lax.scan(lambda s, _: (Scale(s.x + 1, s.mul), s.x), Scale(0.0, True), None, length=3)[0].x)
try:
    jax.jit(lambda y, s: y, static_argnums=1)(1, {"a": 1})
except ValueError as e:
    print("ValueError", str(e)[:40])
