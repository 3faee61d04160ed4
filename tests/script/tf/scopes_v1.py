# Scopes of variables and of names, reuse, collections, what waits for what, slots of optimisers.
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tests = []
def t(f):
    tests.append(f)
    return f
def show(x):
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(show(v) for v in x) + "]"
    if isinstance(x, dict):
        return "{" + ", ".join(f"{k}: {show(v)}" for k, v in sorted(x.items())) + "}"
    if hasattr(x, "tolist") and getattr(getattr(x, "dtype", None), "kind", "O") == "O":
        return repr(x.tolist())
    if isinstance(x, np.ndarray):
        return str(x.dtype) + str(x.shape) + " " + np.array2string(np.asarray(x), precision=5, suppress_small=True).replace("\n", "")
    if isinstance(x, np.bool_):
        return str(x)
    if isinstance(x, np.generic):
        return type(x).__name__ + " " + ("%.5g" % x if np.issubdtype(type(x), np.floating) else str(x))
    return repr(x)
def run(sess, *a, **k):
    print("  ", show(sess.run(*a, **k)))

@t
def control():
    v = tf.Variable(0); 
    a = tf.assign_add(v, 1)
    with tf.control_dependencies([a]):
        b = tf.identity(v)
        with tf.control_dependencies(None):
            c = tf.constant(7)
    with tf.control_dependencies([b]):
        d = tf.no_op()
    print("  ", d, a.op.type, [o.name for o in b.op.control_inputs])
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        run(s, b); run(s, c); run(s, d); run(s, v)
@t
def scopes():
    with tf.variable_scope("a"):
        v = tf.get_variable("v", [2])
        with tf.variable_scope("b", reuse=tf.AUTO_REUSE):
            w = tf.get_variable("w", [2]); w2 = tf.get_variable("w", [2])
        x = tf.constant(1., name="x")
        with tf.name_scope("n"):
            y = tf.constant(2., name="y"); q = tf.get_variable("q", [])
    with tf.variable_scope("a", reuse=True):
        v2 = tf.get_variable("v")
        z = tf.constant(1., name="x")
    print("  ", v.name, w.name, w is w2, v is v2, x.name, y.name, q.name, z.name)
    with tf.variable_scope("a") as sc:
        print("  ", sc.name, sc.original_name_scope, sc.reuse)
        try: tf.get_variable("v", [2])
        except ValueError as e: print("  ", str(e)[:70])
        sc.reuse_variables()
        print("  ", tf.get_variable("v").name, sc.reuse)
        try: tf.get_variable("nope", [2])
        except ValueError as e: print("  ", str(e)[:70])
    with tf.variable_scope(sc): print("  ", tf.constant(1).name, tf.get_variable_scope().name)
    with tf.variable_scope(None, default_name="d"): print("  ", tf.get_variable("u", []).name)
    with tf.variable_scope(None, default_name="d"): print("  ", tf.get_variable("u", []).name)
    with tf.name_scope("n") as n1: pass
    with tf.name_scope("n") as n2: pass
    with tf.name_scope(n1): m = tf.constant(0, name="m")
    print("  ", n1, n2, m.name, tf.Variable(1, name="v").name, tf.Variable(1, name="v").name)
    print("  ", [v.name for v in tf.global_variables()], [v.name for v in tf.trainable_variables()], [v.op.name for v in tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="a/b")])
@t
def scope_init():
    with tf.variable_scope("s", initializer=tf.constant_initializer(0.4), regularizer=lambda w: tf.reduce_sum(w) * 2, dtype=tf.float64):
        v = tf.get_variable("v", [2])
        with tf.variable_scope("t"):
            w = tf.get_variable("w", [1], initializer=tf.zeros_initializer())
    print("  ", v, w)
    with tf.Session() as s:
        s.run(tf.global_variables_initializer()); run(s, [v, w, tf.losses.get_regularization_losses()])
@t
def custom_getter():
    def g(getter, name, *a, **k):
        v = getter(name, *a, **k)
        return tf.identity(v, name="got") * 2
    with tf.variable_scope("s", custom_getter=g):
        v = tf.get_variable("v", [], initializer=tf.ones_initializer())
    with tf.Session() as s:
        s.run(tf.global_variables_initializer()); run(s, v)
@t
def coll():
    tf.add_to_collection("c", 1); tf.add_to_collection("c", tf.constant(2.))
    print("  ", tf.get_collection("c"), tf.get_collection("none"))
    tf.add_to_collections(["c", "d"], 5)
    tf.get_collection_ref("d").append(6)
    print("  ", tf.get_collection("d"), sorted(tf.get_default_graph().get_all_collection_keys()))
    print("  ", tf.GraphKeys.GLOBAL_STEP, tf.GraphKeys.MODEL_VARIABLES, tf.GraphKeys.QUEUE_RUNNERS, tf.GraphKeys.MOVING_AVERAGE_VARIABLES)
@t
def cond_struct():
    x = tf.placeholder(tf.float32, [None])
    a, b = tf.cond(tf.reduce_sum(x) > 0, lambda: (x, x + 1), lambda: (x * 0, x - 1))
    with tf.Session() as s:
        run(s, (a, b), {x: [1., 2.]}); run(s, (a, b), {x: [-1., -2.]})
@t
def while_max():
    r = tf.while_loop(lambda i: tf.constant(True), lambda i: i + 2, [0], maximum_iterations=4)
    with tf.Session() as s: run(s, r)
@t
def ta_loop():
    x = tf.placeholder(tf.float32, [None, 2])
    n = tf.shape(x)[0]
    xs = tf.TensorArray(tf.float32, size=n).unstack(x)
    out = tf.TensorArray(tf.float32, size=n)
    def body(i, h, o):
        h = tf.tanh(xs.read(i) + h)
        return i + 1, h, o.write(i, h)
    _, h, o = tf.while_loop(lambda i, h, o: i < n, body, [0, tf.zeros([2]), out])
    y = o.stack()
    g, = tf.gradients(tf.reduce_sum(y), x)
    with tf.Session() as s: run(s, [y, h, g], {x: [[.1, .2], [.3, .4], [.5, .6]]})
@t
def nested_getters():
    def twice(getter, name, **k):
        return getter(name, **k) * 2
    def more(getter, name, **k):
        return getter(name, **k) + 1
    with tf.variable_scope("a", custom_getter=twice):
        with tf.variable_scope("b", custom_getter=more):
            v = tf.get_variable("v", [], initializer=tf.ones_initializer())
    with tf.Session() as s:
        s.run(tf.global_variables_initializer()); run(s, v)
@t
def templates():
    def f(x, k):
        return x * tf.get_variable("w", [], initializer=tf.constant_initializer(3.)) + k
    g = tf.make_template("f", f, k=1.)
    a, b = g(tf.constant(1.)), g(tf.constant(2.))
    print("  ", [v.name for v in tf.global_variables()])
    with tf.Session() as s:
        s.run(tf.global_variables_initializer()); run(s, [a, b])
@t
def local():
    v = tf.get_local_variable("v", [2], initializer=tf.zeros_initializer())
    w = tf.Variable(1., collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
    print("  ", tf.global_variables(), [x.name for x in tf.local_variables()], tf.trainable_variables())
    with tf.Session() as s:
        run(s, tf.report_uninitialized_variables()); s.run(tf.local_variables_initializer()); run(s, [v, w, tf.is_variable_initialized(v)])
@t
def reuse_errors():
    with tf.variable_scope("s"):
        v = tf.get_variable("v", [2])
    with tf.variable_scope("s", reuse=True):
        for kw in ({"shape": [3]}, {"dtype": tf.int32}):
            try: tf.get_variable("v", **kw)
            except ValueError as e: print("  ", str(e)[:60])
    for make in (lambda: tf.get_variable("w"), lambda: tf.get_variable("x", [None, 2]), lambda: tf.get_variable("y", [1], initializer=tf.constant(1.))):
        try: make()
        except ValueError as e: print("  ", type(e).__name__)
@t
def averages():
    v = tf.Variable(1.); n = tf.Variable(0, trainable=False)
    ema = tf.train.ExponentialMovingAverage(0.9, num_updates=n)
    up = ema.apply([v])
    print("  ", ema.average(v).name, ema.average_name(v), [x.name for x in tf.moving_average_variables()])
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        for k in range(3):
            s.run(tf.assign(v, float(k * 2))); s.run(tf.assign(n, k * 5)); s.run(up); run(s, ema.average(v))
@t
def slots():
    for o in (tf.train.MomentumOptimizer(.1, .9), tf.train.AdamOptimizer(.1), tf.train.AdagradOptimizer(.1), tf.train.AdadeltaOptimizer(.5), tf.train.FtrlOptimizer(.1, l1_regularization_strength=.01), tf.train.RMSPropOptimizer(.1, momentum=.5), tf.train.RMSPropOptimizer(.1, centered=True), tf.train.ProximalGradientDescentOptimizer(.1, .01, .02)):
        v = tf.Variable([1., -2.])
        step = o.minimize(tf.reduce_sum(v * v))
        print("  ", o.get_slot_names(), [o.get_slot(v, k).name for k in o.get_slot_names()])
        with tf.Session() as s:
            s.run(tf.global_variables_initializer()); s.run(step); s.run(step); run(s, v)
@t
def labels_without_gradient():
    l = tf.constant([[.3, .7]]); x = tf.constant([[1., 2.]])
    print("  ", tf.gradients(tf.nn.softmax_cross_entropy_with_logits(labels=l, logits=x), l))
    with tf.Session() as s:
        run(s, tf.gradients(tf.nn.softmax_cross_entropy_with_logits_v2(labels=l, logits=x), l))
@t
def scattered():
    v = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2))
    u = np.ones((2, 2), np.float32) * 2
    with tf.Session() as s:
        for f in (tf.scatter_add, tf.scatter_sub, tf.scatter_update, tf.scatter_mul, tf.scatter_div, tf.scatter_max, tf.scatter_min):
            s.run(tf.global_variables_initializer()); run(s, f(v, [0, 0], u))
        for f in (tf.scatter_nd_add, tf.scatter_nd_sub, tf.scatter_nd_update):
            s.run(tf.global_variables_initializer()); run(s, f(v, [[0, 1], [2, 0]], [5., 6.]))
@t
def asserted():
    x = tf.placeholder(tf.float32, [None])
    with tf.control_dependencies([tf.assert_positive(x), tf.assert_less(x, 10.)]):
        y = x * 2
    with tf.Session() as s:
        run(s, y, {x: [1., 2.]})
        for bad in ([-1.], [11.]):
            try: s.run(y, {x: bad})
            except tf.errors.InvalidArgumentError: print("   refused")
    for f in (lambda: tf.assert_rank(x, 2), lambda: tf.assert_equal([1], [2]), lambda: tf.assert_integer(1.), lambda: tf.assert_type(x, tf.int32)):
        try: f(); print("   nothing")
        except Exception as e: print("  ", type(e).__name__)
for f in tests:
    print(f.__name__)
    g = tf.Graph()
    try:
        with g.as_default():
            f()
    except Exception as e:
        print("  EXC", type(e).__name__, str(e)[:100].split("\n")[0])
with tf.Graph().as_default(), tf.Session() as s:
    # constants are fed, and derivatives are taken by them
    x = tf.constant(3.); y = x * x; z = tf.constant([1., 2.]); u = tf.reduce_sum(tf.exp(z) * z)
    print(s.run(tf.gradients(y, x)), s.run(tf.gradients(u, z)), s.run(tf.gradients(tf.gradients(y, x)[0], x)), s.run(tf.hessians(u, z)))
    print(s.run(y, {x: 5.}), s.run(tf.gradients(y, x), {x: 5.}))
