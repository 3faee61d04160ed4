# Sessions run programs: shapes, assignments in order, derivatives, loops, rows, arrays, graphs as they are inspected.
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
def show(*a):
    for z in a: print(np.asarray(z).round(5).tolist())
x = tf.placeholder(tf.float32, [None, 3], name="x"); n = tf.placeholder(tf.int32, (), name="n"); s = tf.placeholder(tf.float32, name="s")
y = tf.reshape(x, [tf.shape(x)[0], 3, 1]); print(y.shape, tf.reshape(x, [-1, 3]).shape, tf.zeros([n, 2]).shape, tf.range(n).shape, tf.where(x > 0).shape, tf.concat([x, x], 1).shape, tf.tile(x, [2, 1]).shape, tf.split(x, 3, axis=1)[0].shape, tf.one_hot(n, 4).shape, s.shape, (s + 1).shape)
print(x[1:].shape, x[:, 0].shape, tf.stack([x, x]).shape, tf.reduce_mean(x, 0).shape, tf.matmul(x, tf.ones([3, 5])).shape, tf.expand_dims(x, 0).shape, tf.transpose(x).shape, tf.unstack(x, axis=1)[0].shape, tf.nn.softmax(x).shape, tf.gather(x, [0, 1]).shape, tf.argmax(x, 1).shape, tf.fill([2, n], 1.0).shape)
with tf.Session() as sess:
    show(sess.run(y, {x: np.ones((2, 3))}).shape, sess.run(tf.zeros([n, 2]), {n: 3}), sess.run(tf.range(n), {n: 4}), sess.run(tf.where(x > 0), {x: [[1, -1, 2]]}), sess.run(s + 1, {s: [1., 2.]}), sess.run(s * 2, {s: 3.0}))
# assign order, control dependencies, cond with assignments, while with assignments
v = tf.Variable(1.0, name="v"); w = tf.Variable([1.0, 2.0]); c = tf.Variable(0)
a = tf.assign_add(v, 2.0)
with tf.control_dependencies([a]): after = v.read_value() * 10
flag = tf.placeholder(tf.bool, ())
branch = tf.cond(flag, lambda: tf.assign(v, 100.0), lambda: tf.assign_sub(v, 1.0))
def body(i, t):
    with tf.control_dependencies([tf.assign_add(c, 1)]): return i + 1, t + tf.cast(i, tf.float32) * v
_, total = tf.while_loop(lambda i, t: i < n, body, [tf.constant(0), tf.constant(0.0)])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show(sess.run(after), sess.run(v), sess.run([after, a]), sess.run(branch, {flag: True}), sess.run(v), sess.run(branch, {flag: False}), sess.run(v), sess.run(total, {n: 4}), sess.run(c), sess.run(total, {n: 0}), sess.run(c))
    show(sess.run(tf.scatter_add(w, [0, 0], [1.0, 1.0])), sess.run(w), sess.run(tf.scatter_update(w, [1], [9.0])))
    sess2 = tf.Session(); sess2.run(tf.global_variables_initializer()); show(sess2.run(v), sess.run(v))
# gradients
u = tf.placeholder(tf.float32, [2]); h = u * u; z = tf.reduce_sum(h * u) + tf.reduce_sum(u * 3)
with tf.Session() as sess:
    f = {u: [1.0, 2.0]}
    show(*sess.run(tf.gradients(z, [u, h]), f)); show(*sess.run(tf.gradients(z, u, stop_gradients=[h]), f)); show(*sess.run(tf.gradients(h, u, grad_ys=[tf.constant([2.0, 3.0])]), f)); show(*sess.run(tf.gradients([h, z], [u]), f))
    print(tf.gradients(tf.constant(1.0), u), tf.gradients(u, tf.Variable(1.0), unconnected_gradients="zero")[0] is not None)
    show(*sess.run(tf.hessians(z, u), f)); show(sess.run(tf.gradients(tf.gradients(z, u)[0], u)[0], f))
    k = tf.placeholder(tf.float32, ()); _, p = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t * k), [tf.constant(0), tf.constant(2.0)]); show(sess.run([p, tf.gradients(p, k)[0]], {k: 3.0}))
    q = tf.cond(k > 1, lambda: k * k, lambda: k * 5); show(sess.run([q, tf.gradients(q, k)[0]], {k: 3.0}), sess.run([q, tf.gradients(q, k)[0]], {k: 0.5}))
# map, scan, fold with closures, TensorArray
e = tf.placeholder(tf.float32, [None]); m = tf.map_fn(lambda t: t * k + 1, e); sc = tf.scan(lambda acc, t: acc + t * k, e); si = tf.scan(lambda acc, t: acc * t, e, initializer=tf.constant(2.0)); sr = tf.scan(lambda acc, t: acc + t, e, reverse=True)
fl = tf.foldl(lambda acc, t: acc * 2 + t, e); fr = tf.foldr(lambda acc, t: acc * 2 + t, e, initializer=tf.constant(0.0)); mm = tf.map_fn(lambda t: (t, t * 2), e, dtype=(tf.float32, tf.float32)); both = tf.scan(lambda a, t: (a[0] + t, a[1] * t), e, initializer=(tf.constant(0.0), tf.constant(1.0)))
def turn(i, ta, st):
    st = tf.tanh(st * 0.5 + e[i]); return i + 1, ta.write(i, st), st
_, ta, last = tf.while_loop(lambda i, *_: i < tf.shape(e)[0], turn, [tf.constant(0), tf.TensorArray(tf.float32, tf.shape(e)[0]), tf.constant(0.0)]); rows = ta.stack()
arr = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(tf.constant([1.0, 2.0, 3.0]))
with tf.Session() as sess:
    f = {e: [1.0, 2.0, 3.0], k: 2.0}
    print(m.shape, sc.shape, fl.shape); show(*sess.run([m, sc, si, sr, fl, fr, mm[1], both[0], both[1], rows, last, arr.read(1), arr.stack()], f)); show(*sess.run([tf.gradients(sc, k)[0], tf.gradients(m, k)[0], tf.gradients(rows, e)[0]], f))
# inspection
g = tf.Graph()
with g.as_default():
    p = tf.placeholder(tf.float32, [2], name="p")
    with tf.name_scope("in"): r = tf.add(p, 1.0, name="r")
    with tf.control_dependencies([r]): t = tf.identity(p, name="t")
    o = tf.group(r, t)
    print([x.name for x in g.get_operations() if x.type != "Const" and "y" not in x.name], r.op.type, [i.name for i in r.op.inputs][:1], [x.name for x in t.op.control_inputs], o.outputs, g.get_operation_by_name("in/r").outputs, p.op.node_def.op)
    print(g.as_graph_element("in/r:0") is r, g.get_tensor_by_name("p:0") is p, sorted(g.get_all_collection_keys()))
    g.finalize()
    try: tf.add(p, 2.0)
    except RuntimeError as err: print("finalized", str(err))
