# A Python int beside small integers takes their dtype; NaN is never the place of an extreme; orders that polygamma has.
import tensorflow as tf

nan, inf = float("nan"), float("inf")
u, i = tf.constant([3, 2, 0, 200], tf.uint8), tf.constant([3, -2, 100], tf.int8)
for y in (-1 / u, u / -2, u / 300, i / 200, i / 2, u + 300, u * -1, u // 7, u < 10, tf.divide(u, -2), 2 / tf.constant([4, 8])):
    print(y.dtype.name, y.numpy().tolist())
for x in ([1.0, nan, -2.0, 2.0], [nan, -1.0, 1.0], [nan, nan], [nan, -inf], [-inf, nan], [3.0, inf, nan]):
    print(tf.argmin(x).numpy(), tf.argmax(x).numpy())
grid = tf.constant([[1.0, nan], [nan, -2.0], [3.0, -3.0]])
print(tf.argmin(grid, 0).numpy(), tf.argmax(grid, 0).numpy(), tf.argmax(grid, 1).numpy(), tf.argmax([[1, 5], [7, 2]], 1).numpy())
print(tf.function(lambda x: tf.argmax(x, 1))(grid).numpy())
print([round(x, 5) for x in tf.math.polygamma([0.5, 1.0, 2.0, -1.0, 0.0], [1.5, 1.5, 2.5, 2.0, 3.0]).numpy().tolist()])
print(tf.math.igamma([inf, 2.0, 2.0], [2.0, inf, 1.5]).numpy(), tf.math.igammac([inf, 2.0, 2.0], [2.0, inf, 1.5]).numpy())
for f in (tf.sign, tf.floor):
    x = tf.constant([2.0, -1.0, nan, 0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    print(y.numpy(), tape.gradient(y, x))
