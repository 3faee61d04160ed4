# tf.print and tf.Print as nodes of a graph.
import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [2])
p = tf.print("x is", x, output_stream=sys.stdout)
y = tf.Print(x, [x, tf.shape(x)], "Message: ")
with tf.control_dependencies([p]):
    z = x * 2
c = tf.print("constants", tf.constant([1, 2]), output_stream=sys.stdout)
with tf.Session() as s:
    print(s.run(z, {x: [1., 2.5]}))
    s.run(p, {x: [3., 4.]})
    print(s.run(y, {x: [1., 2.5]}))
    s.run(c)
    s.run(c)
