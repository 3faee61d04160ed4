# Integers are as wide as they must be where no dtype is given.
import tensorflow as tf

print(tf.constant([1, 2**40]), tf.constant([[2**31 - 1], [-2**31]]).dtype, tf.constant([-2**31 - 1]).dtype, tf.constant(2**40).dtype)
print(tf.constant([300, -1], dtype=tf.uint8), tf.fill([2], 2**40))
