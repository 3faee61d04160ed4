# A wide sweep of sessions: derivatives inside branches and loops, feeds of inner tensors, order of assignments, errors.
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
def show(*a):
    for z in a:
        z = np.asarray(z); print(z.dtype, z.shape, (z.round(4) if z.dtype != bool else z).tolist())
def err(f):
    try: f(); print("no error")
    except Exception as e: print(type(e).__name__)
x = tf.placeholder(tf.float32, [None, 2]); v = tf.placeholder(tf.float32, [2]); b = tf.placeholder(tf.bool, ()); n = tf.placeholder(tf.int32, ())
A = np.arange(6.).reshape(3, 2); W = tf.Variable(np.eye(2), dtype=tf.float32); c = tf.Variable(1.0)
sq = v * v; inner = tf.cond(b, lambda: tf.gradients(sq, v)[0], lambda: v); both = inner + sq
_, gl = tf.while_loop(lambda i, g: i < n, lambda i, g: (i + 1, g + tf.gradients(sq, v)[0]), [tf.constant(0), tf.zeros([2])])
sess = tf.Session(); sess.run(tf.global_variables_initializer())
show(*sess.run([inner, both], {v: [1., 2.], b: True}), *sess.run([inner, both], {v: [1., 2.], b: False}), sess.run(gl, {v: [1., 2.], n: 3}))
# nested loops and branches, gradients through both
def loop(k): return tf.while_loop(lambda i, t: i < k, lambda i, t: (i + 1, tf.cond(tf.equal(i % 2, 0), lambda: t * c + tf.reduce_sum(v), lambda: t - 1.0)), [tf.constant(0), tf.constant(1.0)])[1]
l = loop(n); show(*sess.run([l] + tf.gradients(l, [c, v]), {v: [1., 2.], n: 5}), sess.run(l, {v: [1., 2.], n: 0}))
_, _, nest = tf.while_loop(lambda i, j, t: i < n, lambda i, j, t: (i + 1, j, t + tf.while_loop(lambda a, s: a < i, lambda a, s: (a + 1, s + 1.0), [tf.constant(0), tf.constant(0.0)])[1]), [tf.constant(0), tf.constant(0), tf.constant(0.0)]); show(sess.run(nest, {n: 4}))
case = tf.case([(n < 1, lambda: tf.constant(10)), (n < 3, lambda: tf.constant(20))], default=lambda: tf.constant(30)); show(*[sess.run(case, {n: k}) for k in (0, 2, 5)])
# feeding what is computed, fetching twice, the same run of different shapes, control dependencies on a group
h = tf.matmul(x, W); y = tf.reduce_sum(tf.nn.relu(h), 1); show(sess.run(y, {x: A}), sess.run(y, {x: A[:1]}), sess.run(y, {h: [[1., -5.]]}), *sess.run([y, y, h], {x: A}))
up = W.assign_add(tf.ones([2, 2])); up2 = c.assign(c * 2)
with tf.control_dependencies([tf.group(up, up2)]): later = tf.matmul(x, W.read_value()) * c.read_value()
show(sess.run(later, {x: [[1., 1.]]}), sess.run([W, c])[1], sess.run(W))
a1 = c.assign(5.0)
with tf.control_dependencies([a1]): a2 = c.assign_add(1.0)
with tf.control_dependencies([a2]): a3 = tf.identity(c.read_value())
show(*sess.run([a2, a3]), sess.run(c)); show(sess.run([c, c.assign(0.0)])[1], sess.run(c))
# losses, optimisers with slots, clipping, moving averages
t = tf.placeholder(tf.int64, [None]); logits = tf.matmul(x, W) + 1.0; loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=t, logits=logits)) + 0.01 * tf.nn.l2_loss(W)
opt = tf.train.AdamOptimizer(0.1); gv = opt.compute_gradients(loss, [W]); step = opt.apply_gradients([(tf.clip_by_norm(g, 0.5), w) for g, w in gv]); sess.run(tf.global_variables_initializer())
for _ in range(5): sess.run(step, {x: A, t: [0, 1, 1]})
show(sess.run(W), sess.run(loss, {x: A, t: [0, 1, 1]})); acc = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), t), tf.float32)); show(sess.run(acc, {x: A, t: [0, 1, 1]}))
show(*sess.run([tf.one_hot(t, 3), tf.unstack(x, 2, axis=1)[1], tf.cumsum(x), tf.reduce_max(x, 0), tf.pad(x, [[1, 0], [0, 1]]), tf.squeeze(tf.expand_dims(x, 0), 0), tf.sequence_mask(t, 4), tf.reverse(x, [0]), tf.boolean_mask(x, x[:, 0] > 1), tf.gather(x, t), tf.slice(x, [1, 0], [2, 1]), tf.strided_slice(x, [0, 0], [3, 2], [2, 1]), tf.where(x > 2, x, -x), tf.size(x), tf.rank(x), tf.nn.top_k(x, 1)[0], tf.einsum("ij,kj->ik", x, x)], {x: A, t: [0, 1, 2]}))
# errors
err(lambda: sess.run(y)); err(lambda: sess.run(y, {x: np.ones((2, 3))})); err(lambda: sess.run(tf.Variable(1.0))); err(lambda: tf.matmul(x, tf.ones([3, 3]))); err(lambda: x + tf.ones([3])); err(lambda: tf.concat([x, tf.ones([2, 3])], 0)); err(lambda: tf.stack([x, tf.ones([2, 3])])); err(lambda: sess.run("nope:0")); err(lambda: sess.run(3)); err(lambda: W.assign(tf.ones([3]))); err(lambda: tf.cond(b, lambda: tf.constant(1), lambda: tf.constant(1.0))); err(lambda: tf.reshape(tf.ones([4]), [3])); err(lambda: sess.run(tf.gather(x, [7]), {x: A})); err(lambda: tf.constant(1.0) if tf.constant(True) else 0); err(lambda: tf.concat([tf.ones([2, 2]), tf.ones([3, 3])], 0)); err(lambda: tf.gradients(n, x)); sess.close(); err(lambda: sess.run(y, {x: A}))
