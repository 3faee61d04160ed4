# Lists and tuples beside tensors and variables are operands, never repeated.
import tensorflow as tf

w, c, n = tf.Variable(2.0), tf.constant([3.0, 4.0]), tf.constant(2)
print([1.0, 2.0] * w, (1.0, 2.0) * w, w * [1.0, 2.0])
print([1.0, 2.0] * c, c * (1.0, 2.0), [1.0, 2.0] + c, [1, 2] * n, (1, 2) * n)
x = [1, 2]
x *= n
print(x)
y = [1.0, 2.0]
y += c
print(y)
try:
    print("a" * n)
except TypeError:
    print("TypeError")
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(([1.0, 2.0, 3.0] * w - [2.0, 3.0, 4.0]) ** 2)
print(loss, tape.gradient(loss, w))
