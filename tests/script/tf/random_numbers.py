# The numbers of tf.random are TensorFlow's: Philox by the seeds of graph and operation, stateless by the seed alone.
import tensorflow as tf
import numpy as np

tf.random.set_seed(1)
print(tf.random.normal([3]).numpy())
print(tf.random.uniform([5]).numpy())
print(tf.random.uniform([3], 0, 10, dtype=tf.int32).numpy())
print(tf.random.uniform([3], -5, 10 ** 12, dtype=tf.int64).numpy())
print(tf.random.uniform([3], 2.0, 3.0, dtype=tf.float64).numpy())
print(tf.random.normal([3], 1.0, 2.0, dtype=tf.float64).numpy())
print(tf.random.truncated_normal([9]).numpy())
print(tf.random.shuffle(tf.range(11)).numpy())
print(tf.random.categorical(tf.math.log([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]]), 6).numpy())
print(tf.nn.dropout(tf.ones([8]), 0.5).numpy())

# an operation with a seed goes on where it was; set_seed begins again
tf.random.set_seed(5)
print(tf.random.normal([2], seed=3).numpy(), tf.random.normal([2], seed=3).numpy(), tf.random.uniform([2], seed=3).numpy())
tf.random.set_seed(5)
print(tf.random.normal([2], seed=3).numpy())

# stateless
for s in ([1, 2], [0, 0], [-7, 2 ** 31 - 1]):
    print(tf.random.stateless_normal([3], seed=s).numpy(), tf.random.stateless_uniform([3], seed=s, minval=-1, maxval=1).numpy())
    print(tf.random.stateless_truncated_normal([3], seed=s).numpy(), tf.random.stateless_uniform([3], seed=s, minval=0, maxval=9, dtype=tf.int32).numpy())
    print(tf.random.stateless_uniform([2], seed=s, dtype=tf.float64).numpy(), tf.random.stateless_normal([3], seed=s, dtype=tf.float64).numpy())

# generators
g = tf.random.Generator.from_seed(1)
print(g.state.numpy(), g.normal([3]).numpy(), g.uniform([3]).numpy())
print(g.uniform([2], 0, 100, dtype=tf.int32).numpy(), g.uniform([2], 0, 100, dtype=tf.int64).numpy(), g.truncated_normal([5]).numpy())
h = tf.random.Generator.from_state(g.state.numpy(), alg="philox")
print((g.normal([4]).numpy() == h.normal([4]).numpy()).all(), g.state.numpy())
g.reset_from_seed(7)
print(g.normal([2]).numpy())

# in functions each operation is itself
tf.random.set_seed(1)


@tf.function
def f():
    return tf.random.normal([2]), tf.random.uniform([2])


@tf.function
def k(x):
    return tf.nn.dropout(x, 0.4) + tf.random.uniform([4], seed=2)


for _ in range(2):
    a, b = f()
    print(a.numpy(), b.numpy())
for _ in range(2):
    print(k(tf.ones([4])).numpy())
