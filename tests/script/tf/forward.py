# Derivatives forward, by an accumulator of tangents.
import tensorflow as tf
x = tf.constant([1.0, 2.0, 3.0]); v = tf.Variable([2.0, 0.5])
with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0, 2.0])) as acc:
    y = tf.sin(x) * x
    z = tf.reduce_sum(y) ** 2
print(acc.jvp(y).numpy(), acc.jvp(z).numpy(), acc.jvp(x).numpy())
with tf.autodiff.ForwardAccumulator([v], [tf.constant([1.0, 1.0])]) as acc:
    y = v * v * v
print(acc.jvp(y).numpy(), acc.jvp(tf.constant(1.0)))
with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 0.0])) as acc:
    with tf.GradientTape() as tape:
        l = tf.reduce_sum(v ** 3)
    g = tape.gradient(l, v)
print(acc.jvp(g).numpy())
