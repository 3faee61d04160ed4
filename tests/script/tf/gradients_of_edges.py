# Gradients and edges as TensorFlow has them: of Cholesky's factor a symmetric matrix, NaN is never the largest of a
# dilation, the next number goes with its first operand.
import numpy as np
import tensorflow as tf


def shown(x):
    return None if x is None else (np.round(np.asarray(x, np.float64), 4) + 0.0).tolist()


a = np.array([[4.0, 9.0, 9.0], [1.0, 5.0, 9.0], [0.5, -1.0, 6.0]], np.float32)      # the upper triangle is not read
for f in (lambda x: tf.reduce_sum(tf.linalg.cholesky(x) * [[1.0, 2.0, 3.0]]), tf.linalg.logdet,
          lambda x: tf.reduce_sum(tf.linalg.cholesky(tf.stack([x, 2.0 * x])) ** 2)):
    x = tf.constant(a)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    print(shown(y), shown(tape.gradient(y, x)))
b = a.copy()
b[0, 2] = float("nan")
print(shown(tf.linalg.cholesky(b)))

x = tf.reshape(tf.constant([1.0, float("nan"), -3.0, 2.0, 5.0, 0.5, 7.0, -1.0, 4.0]), [1, 3, 3, 1])
w = tf.constant([[[0.5], [-0.5]], [[1.0], [2.0]]])
print(shown(tf.nn.dilation2d(x, w, [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1])))
print(shown(tf.nn.erosion2d(x, w, [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1])))

u, v = tf.constant([-0.35, 2.87, 1e-30, 1e30]), tf.constant([2.13, 0.0, -1.0, 0.0])
with tf.GradientTape() as tape:
    tape.watch([u, v])
    z = tf.math.nextafter(u, v)
print(z.numpy().view(np.int32).tolist(), [shown(g) for g in tape.gradient(z, [u, v])])

x = tf.constant([0.64, float("inf"), 2.5, float("nan"), -1.0, 2.0, -4.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    z = tf.clip_by_value(x, -1.0, 2.0)
print(z.numpy().tolist(), shown(tape.gradient(z, x)))
