# Lists with an int that the dtype does not hold are refused; numbers beside an array wrap.
import jax.numpy as jnp


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


show(lambda: jnp.array([300], dtype=jnp.uint8))
show(lambda: jnp.array([-1], dtype=jnp.uint8))
show(lambda: jnp.array([2**40]))
show(lambda: jnp.array([255, 0], dtype=jnp.uint8))
show(lambda: jnp.uint8(300))
show(lambda: jnp.full((2,), 300, dtype=jnp.uint8))
show(lambda: jnp.zeros(3, jnp.uint8) + 300)
show(lambda: jnp.zeros(3, jnp.uint8).at[0].set(300))
