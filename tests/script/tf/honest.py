# What functions, tapes and random numbers do at each call, not only at the first.
import numpy as np
import tensorflow as tf


@tf.function
def noise():
    return tf.random.normal([2])


@tf.function
def dropped(x):
    return tf.nn.dropout(x, 0.5)


@tf.function
def outer(x):
    return dropped(x) + tf.random.uniform([64])


@tf.function
def in_a_loop(n):
    total = tf.zeros([2])
    for _ in tf.range(n):
        total += tf.random.uniform([2])
    return total


@tf.function
def stateless():
    return tf.random.stateless_normal([3], seed=[1, 2])


def differ(f, *args):
    a, b, c = [f(*args).numpy().tolist() for _ in range(3)]
    return a != b and b != c


x = tf.ones([64])
layer = tf.keras.layers.Dropout(0.5)
keras = tf.function(lambda x: layer(x, training=True))
print(differ(noise), differ(dropped, x), differ(outer, x), differ(keras, x), differ(in_a_loop, tf.constant(3)))
print(differ(stateless), np.array_equal(stateless(), tf.random.stateless_normal([3], seed=[1, 2])))
kept = dropped(tf.ones([4, 1000])).numpy()
print(sorted(set(kept.ravel().tolist())), bool(abs(kept.mean() - 1) < 0.1))
rows = tf.nn.dropout(tf.ones([6, 5]), 0.5, noise_shape=[6, 1]).numpy()
print(bool((rows == rows[:, :1]).all()))
for bad in (1.0, -0.1):
    try:
        tf.nn.dropout(x, bad)
        print("no error")
    except ValueError:
        print("ValueError")
tf.random.set_seed(7)
a = [tf.random.normal([2]).numpy().tolist(), tf.random.uniform([2], seed=3).numpy().tolist()]
tf.random.set_seed(7)
print(a == [tf.random.normal([2]).numpy().tolist(), tf.random.uniform([2], seed=3).numpy().tolist()])
g, h = tf.random.Generator.from_seed(1), tf.random.Generator.from_seed(1)
first = g.normal([3]).numpy()
tf.random.normal([5])
print(np.array_equal(first, h.normal([3])), np.array_equal(first, g.normal([3])))

# ---- tapes ----
v0, v1 = tf.Variable(2.0), tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    same = v0
    more = v0 * 3.0
print(tape.gradient(same, [v0, v1]), tape.gradient([same, more], v0), tape.gradient(more, [v0, v1]))
v = tf.Variable([1.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    y = tf.reduce_mean(np.mean(v ** 2, axis=0))
    z = tf.reduce_sum(v.numpy() * v)
    w = tf.reduce_sum(tf.constant(np.square(v)) * v)
print(tape.gradient(y, v), tape.gradient(z, v), tape.gradient(w, v))

# ---- functions and Python ----
count = tf.Variable(0)


@tf.function
def lifted():
    with tf.init_scope():
        count.assign_add(1)
    return count + 0


print(lifted().numpy(), lifted().numpy(), lifted().numpy())


@tf.function
def says(x):
    print("python")
    return x + 1


says(tf.constant(1))
says(tf.constant(2))
tf.config.run_functions_eagerly(True)
print(tf.config.functions_run_eagerly())
says(tf.constant(1))
says(tf.constant(2))
tf.config.run_functions_eagerly(False)
says(tf.constant(3))
calls = []


def by_python(x):
    calls.append(float(x))
    return x * 2.0


@tf.function
def with_python(x):
    return tf.py_function(by_python, [x], tf.float32) + 1.0


print(with_python(tf.constant(1.0)).numpy(), with_python(tf.constant(2.0)).numpy(), calls)
print(tf.numpy_function(np.cumsum, [tf.constant([1.0, 2.0])], tf.float32).numpy())
leaked = None


@tf.function
def leaky(a):
    global leaked
    leaked = a + 1
    return a + 2


print(leaky(tf.constant(1)).numpy())
try:
    print(leaked.numpy())
except Exception:
    print("error")

# ---- operands ----
a = tf.constant([1.0, 2.0])
n = np.array([1.0, 2.0])
print((a * n).dtype, (n * a).dtype, (a + np.float64(1.5)).dtype, tf.add(a, n).dtype, (tf.Variable(2.0) * n).dtype)
print(tf.constant([1, 2], dtype="float").dtype, tf.cast(1, "float").dtype, tf.zeros([1], "double").dtype, tf.as_dtype("half"))

# ---- datasets ----
d = tf.data.Dataset.from_tensor_slices(np.arange(10))
print(next(iter(d.repeat().batch(4))))
print([b.numpy().tolist() for b in d.repeat().batch(4).take(3)])
print([b.shape for b in d.shuffle(5).repeat().batch(4).take(3)], [b.shape for b in d.repeat().shuffle(50).batch(4).take(2)])
print(sorted([int(e) for e in d.shuffle(3)]), all([int(e) < i + 3 for i, e in enumerate(d.shuffle(3))]))
