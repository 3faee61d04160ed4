import numpy as np
import tensorflow as tf

x = tf.constant([[1., -2., 3.], [4., 5., -6.]])
c = tf.constant([[1 + 2j, 3 - 1j], [0j, 2j]])


def tried(*args):
    try:
        v = tf.norm(*args)
        print(args[1:], v.dtype.name, v.shape, v.numpy())
    except Exception as e:
        print(args[1:], type(e).__name__, str(e).split("\n")[0])


for ord in ("euclidean", "fro", 1, 2, np.inf, 3, 0, -1, "nuc"):
    for axis in (None, 0, (0, 1), [-2, -1], [1], (1, 1)):
        for keep in (False, True):
            tried(x, ord, axis, keep)
for ord in ("euclidean", 1, 2, np.inf, 3):
    for axis in (None, 0, (0, 1)):
        tried(c, ord, axis)
tried(tf.constant([1, 2, 3]))
tried(tf.constant([1, -2, 3]), np.inf)
tried(tf.ones([2, 3, 4]), 2, (1, 2))
print(tf.constant(1 + 2j).dtype, tf.constant([1 + 2j]).dtype, tf.constant([[1 + 2j, 1]]).dtype, tf.convert_to_tensor([2j]).dtype, tf.Variable([1j]).dtype)
print(tf.constant([1j], tf.complex64).dtype, tf.cast([1 + 2j], tf.complex64).dtype, tf.stack([1j, 2.0]).dtype)
