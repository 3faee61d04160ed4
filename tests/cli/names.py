# Inputs of programs have the names of the function's parameters, and of the parts of trees.
import jax
import jax.numpy as jnp
import tensorflow as tf
import weft


class Model:
    def __call__(self, params, x, *more, scale=1.0):
        return jnp.sum(params["w"] @ x + params["b"][0]) * scale + more[0].sum()


@tf.function
def weigh(x, hidden=None, *, z):
    return tf.reduce_sum(x * z["a"])


def first(text):
    print(text.split(" {")[0])


args = {"w": jnp.ones((2, 3)), "b": [jnp.ones(2)]}, jnp.ones(3), jnp.ones(1)
first(jax.jit(Model()).lower(*args, scale=2.0).as_text())
first(jax.jit(jax.tree_util.Partial(Model(), args[0])).lower(*args[1:]).as_text())
first(jax.jit(lambda x, y, x_1: x + y + x_1).lower(1.0, 2.0, 3.0).as_text())
first(weigh.get_concrete_function(tf.ones(3), z={"a": tf.ones(3)}).graph.text())
first(weft.program(lambda u, v: u * v, jnp.ones(2), jnp.ones(2)).text())
