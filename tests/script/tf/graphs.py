# Graphs and sessions: names, feeds, optimisers, loops, scopes, errors.
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
# names, scopes, printing
a = tf.placeholder(tf.float32, [None, 3], name="a")
b = tf.constant([1.0, 2.0, 3.0], name="b")
with tf.name_scope("block"):
    c = tf.add(a, b, name="sum")
    d = a * b
e = tf.reduce_sum(d, axis=1)
print(a); print(b); print(c); print(d.name, e.name, e.shape, c.op.name, d.dtype, a.shape.as_list())
print(tf.matmul(a, tf.ones([3, 2])), tf.shape(a), a[0], a[:, 1:], tf.reshape(a, [-1]), tf.transpose(a), tf.concat([a, a], 0), tf.expand_dims(e, 1))
v = tf.Variable(tf.zeros([2, 2]), name="v"); print(v, v.name, v.shape)
g = tf.gradients(e, [a, b]); print(len(g), g[0].shape)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([c, e], {a: [[1, 2, 3]]}), sess.run(g, {a: np.ones((2, 3))}))
    print(sess.run({"x": c, "y": [d, (e,)]}, feed_dict={a: np.zeros((1, 3))}))
    print(sess.run(v.assign(tf.eye(2))), v.eval(), sess.run("block/sum:0", {a: [[0, 0, 0]]}))
    print(e.eval({a: [[1, 1, 1]]}), sess.run(tf.shape(a), {a: np.ones((4, 3))}))
# optimisers
def train(make, steps=3):
    tf.reset_default_graph()
    w = tf.Variable([1.0, -2.0], name="w"); bb = tf.Variable(0.5)
    loss = tf.reduce_sum(tf.square(w - [0.5, 0.5])) + bb ** 2
    step = make().minimize(loss)
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for _ in range(steps): s.run(step)
        print(s.run([w, bb, loss]), [x.name for x in tf.global_variables()][:2])
for make in (lambda: tf.train.GradientDescentOptimizer(0.1), lambda: tf.train.MomentumOptimizer(0.1, 0.9), lambda: tf.train.AdamOptimizer(0.1), lambda: tf.train.AdagradOptimizer(0.1), lambda: tf.train.RMSPropOptimizer(0.1), lambda: tf.train.MomentumOptimizer(0.05, 0.5, use_nesterov=True)):
    train(make)
# global step, decay, control dependencies, assignments
tf.reset_default_graph()
step = tf.train.get_or_create_global_step()
rate = tf.train.exponential_decay(0.5, step, 2, 0.5, staircase=True)
x = tf.Variable(4.0)
op = tf.train.GradientDescentOptimizer(rate).minimize(x * x, global_step=step)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    for _ in range(5):
        s.run(op); print(s.run([x, step, rate]))
# while with shape change of accumulators, nested cond, map
tf.reset_default_graph()
n = tf.placeholder(tf.int32, ())
i0 = tf.constant(0)
_, total = tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, tf.cond(tf.equal(i % 2, 0), lambda: t + tf.cast(i, tf.float32), lambda: t)), [i0, tf.constant(0.0)])
sq = tf.map_fn(lambda t: t * t, tf.constant([1.0, 2.0, 3.0]))
sc = tf.scan(lambda a, t: a + t, tf.constant([1.0, 2.0, 3.0]))
with tf.Session() as s:
    print([s.run(total, {n: k}) for k in (0, 1, 5, 10)], s.run(sq), s.run(sc))
# variables and scopes
with tf.variable_scope("s1"):
    with tf.variable_scope("s2"):
        q = tf.get_variable("q", [2], initializer=tf.ones_initializer())
    k = tf.get_variable("k", initializer=tf.constant([1.0, 2.0]))
    z = k + 1
with tf.variable_scope("s1", reuse=tf.AUTO_REUSE):
    k2 = tf.get_variable("k", [2])
print(q.name, k.name, k2 is k, z.name)
try:
    tf.get_variable("nope", [1]); 
    with tf.variable_scope("s1"): tf.get_variable("k", [2])
except ValueError as err: print("exists", "already exists" in str(err))
with tf.Session() as s:
    try: s.run(q)
    except tf.errors.FailedPreconditionError: print("not initialised")
    s.run(tf.variables_initializer([q, k])); print(s.run([q, k]))
    try: s.run(n)
    except tf.errors.InvalidArgumentError as err: print("feed", "You must feed a value" in str(err))
    try: s.run(total, {n: [1, 2]})
    except ValueError as err: print("shape", "Cannot feed value" in str(err))
for bad in (lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])), lambda: tf.ones([2]) + tf.ones([3]), lambda: tf.constant(1) + tf.constant(1.0), lambda: bool(tf.constant(1) > 0), lambda: tf.Variable(1).assign(2.5)):
    try: bad(); print("ok")
    except Exception as err: print(type(err).__name__)
g2 = tf.Graph()
with g2.as_default():
    p = tf.placeholder_with_default([1.0, 2.0], [None]); r = tf.reduce_sum(p); ones = tf.ones_like(p)
with tf.Session(graph=g2) as s: print(s.run([r, ones]), s.run(r, {p: [5.0]}), r.graph is g2)
sess = tf.InteractiveSession(); t = tf.constant([3.0]); print(t.eval(), (t * 2).eval()); sess.close()
