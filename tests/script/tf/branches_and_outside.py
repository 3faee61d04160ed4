# Branches of a graph read what was made outside of them: that runs whatever is taken, once, and branches stand in loops and loops in branches.
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
import numpy as np
v = tf.Variable(1.0); p = tf.placeholder(tf.bool, [])
w = tf.assign_add(v, 10.0)          # outside: runs whatever is taken
u = tf.Variable(5.0)
y = tf.cond(p, lambda: w * 2.0, lambda: tf.assign_add(u, 1.0) + 0.0)
x = tf.placeholder(tf.float32, [None])
h = tf.exp(x)
z = tf.cond(p, lambda: tf.reduce_sum(h * h), lambda: tf.cond(tf.reduce_sum(x) > 0, lambda: tf.reduce_sum(h), lambda: -tf.reduce_sum(x * h)))
g = tf.gradients(z, [x, h])
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    for t in (True, False, True, False):
        print(s.run(y, {p: t}), np.array(s.run([v, u])).tolist())
    for t in (True, False):
        for a in (1.0, -1.0):
            print([np.round(q, 5).tolist() for q in s.run([z] + g, {p: t, x: [a, 0.5]})])
# a loop inside a branch, a branch inside a loop, both with what is outside
k = tf.placeholder(tf.int32, [])
d = tf.square(x)
q = tf.cond(p, lambda: tf.while_loop(lambda i, a: i < k, lambda i, a: (i + 1, a + d), (0, d))[1], lambda: d)
r = tf.while_loop(lambda i, a: i < k, lambda i, a: (i + 1, tf.cond(p, lambda: a * d, lambda: a + h)), (0, d))[1]
with tf.Session() as s:
    for t in (True, False):
        print([np.round(o, 4).tolist() for o in s.run([q, r] + tf.gradients(q, x) + tf.gradients(r, x), {p: t, k: 3, x: [1.0, 0.5]})])
# layers of normalisation whose kind is fed: each is a branch on what all before it gave
n = x[:, None] * tf.ones([1, 3]); tf.set_random_seed(3)
for i in range(9):
    n = tf.nn.tanh(tf.layers.batch_normalization(n * (0.5 + 0.2 * i) + tf.reduce_mean(n), momentum=0.4, training=p))
loss = tf.reduce_sum(tf.square(n - 0.1))
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    for t in (True, True, False):
        s.run(step, {p: t, x: [1.0, 0.5, -0.3]})
        print(round(float(s.run(loss, {p: t, x: [1.0, 0.5, -0.3]})), 4), round(float(s.run(loss, {p: False, x: [1.0, 0.5, -0.3]})), 4))
