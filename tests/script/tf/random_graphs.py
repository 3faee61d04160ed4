# Random operations of graphs: the seeds of the graph and the operation, a state for each session.
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

tf.set_random_seed(42)
a = tf.random_normal([2])
b = tf.random_uniform([2], seed=7)
w = tf.get_variable("w", [2, 3])
v = tf.get_variable("v", [3], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=3))
u = tf.Variable(tf.random_uniform([2], -1.0, 1.0))
c = tf.get_variable("c", [2, 2], initializer=tf.random_normal_initializer(1.0, 0.5))
d = tf.nn.dropout(tf.ones([6]), rate=0.5)
for _ in range(2):
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        print(s.run(a), s.run(a), s.run(b))
        print(s.run([w, v, u, c]))
        print(s.run(d), s.run([a, a + 0.0]))
g = tf.Graph()
with g.as_default():
    x = tf.random_uniform([3], 0, 100, dtype=tf.int32, seed=1)
    y = tf.random_shuffle(tf.range(6), seed=2)
    with tf.Session(graph=g) as s:
        print(s.run(x), s.run(x), s.run(y))
