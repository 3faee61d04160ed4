# Graphs of version 1: rules of gradients, cases that exclude each other, what Session.run refuses, names of assignments, loops that grow.
import tensorflow.compat.v1 as tf
import numpy as np
tf.disable_v2_behavior()
def t(name, f):
    try: print(name, "->", f())
    except tf.errors.OpError as e: print(name, "!!", type(e).__name__)
    except Exception as e: print(name, "!!", type(e).__name__, "|", str(e).split("\n")[0][:110])
s = tf.Session()
x = tf.placeholder(tf.float32, [None], name="x"); w = tf.Variable([1., 2.])
s.run(tf.global_variables_initializer())
@tf.custom_gradient
def clip(v):
    def grad(dy): return tf.clip_by_value(dy, -0.1, 0.1)
    return tf.identity(v), grad
@tf.custom_gradient
def reverse(v):
    return v * 1.0, lambda dy: -2.0 * dy
@tf.custom_gradient
def two(a, b):
    def grad(da, db): return da * 10 + db, da - db
    return (a * b, a + b), grad
y = clip(x * w) * 5 + reverse(w)
print(s.run([y] + tf.gradients(y, [x, w]), {x: [3., 4.]}), y.shape)
p, q = two(x, w)
print(s.run([p, q] + tf.gradients(p + 3 * q, [x, w]), {x: [3., 4.]}))
loss = tf.reduce_sum(clip(w) ** 2)
st = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
for i in range(3): print(s.run([loss, st, w])[0], s.run(w))
print(st.name, st.type in ("NoOp", "AssignAdd"), [o.name for o in tf.get_collection("train_op")] if tf.get_collection("train_op") else None)
xx = tf.placeholder(tf.float32, [])
c = tf.case({xx > 1: lambda: xx * 2, xx < -1: lambda: -xx}, default=lambda: xx * 0, exclusive=True)
c2 = tf.case([(xx > 1, lambda: xx * 2), (xx > 0, lambda: -xx)], exclusive=True)
for v in (2., -3., 0.5): print(s.run(c, {xx: v}))
t("two", lambda: s.run(c2, {xx: 2.})); t("one", lambda: s.run(c2, {xx: .5}))
print(s.run(tf.gradients(c, xx), {xx: 4.}))
t("f1", lambda: s.run(None)); t("f2", lambda: s.run("nope:0")); t("f3", lambda: s.run(3.0)); t("f4", lambda: s.run([x, None], {x: [1.]})); t("f5", lambda: s.run(x, {"y:0": 1.0})); t("f6", lambda: s.run(x, {3: 1.0})); t("f7", lambda: s.run("x:0", {"x:0": [1.]})); t("f10", lambda: s.run(x, {x: [[1.]]})); t("f11", lambda: s.run({"a": x, "b": [w]}, {x: [1.]}))
t("it", lambda: [v for v in x]); t("b", lambda: 1 if x is None or x > 1 else 2); t("n", lambda: not x)
t("gt", lambda: tf.get_default_graph().get_tensor_by_name("zz:0")); t("gt2", lambda: tf.get_default_graph().get_tensor_by_name("zz")); t("go", lambda: tf.get_default_graph().get_operation_by_name("zz"))
a = tf.assign(w, [5., 6.], name="setw"); print(a.name, a.op.name, w.initializer.name, tf.assign_add(w, [1., 1.], name="addw").name, w.read_value().name)
print(w.op.name, w.name, w.initial_value.name, w.eval(s), s.run(w.initialized_value()))
b = tf.Variable(w.initialized_value() * 2, name="b"); s.run(b.initializer); print(s.run(b))
with tf.control_dependencies([tf.assign(w, [0., 0.])]):
    r1 = w.read_value(); r2 = tf.identity(w); r3 = w + 0
print(s.run([r1, r2, r3]))
with tf.control_dependencies(None): z = tf.constant(1)
print(z.op.control_inputs, r2.op.control_inputs[0].type)
print(s.run(tf.group(w.assign([1., 1.]), b.assign([2., 2.]))), s.run([w, b]))
print(s.run(tf.tuple([w + 1, b + 1])), s.run(tf.while_loop(lambda i: i < 5, lambda i: i + 2, [tf.constant(0)], maximum_iterations=2)))
i0 = tf.constant(0); m0 = tf.ones([2, 2])
r = tf.while_loop(lambda i, m: i < 3, lambda i, m: [i + 1, tf.concat([m, m], axis=0)], loop_vars=[i0, m0], shape_invariants=[i0.get_shape(), tf.TensorShape([None, 2])])
print(s.run(r[1]).shape, r[1].shape)
t("inv", lambda: tf.while_loop(lambda i, m: i < 3, lambda i, m: [i + 1, tf.concat([m, m], axis=0)], loop_vars=[i0, m0]))

print("values of variables before and after they are initialised")
tf.reset_default_graph()
s = tf.Session()
w = tf.Variable(tf.random_normal([2]), name="w"); b = tf.Variable(w.initialized_value() * 2, name="b"); c = tf.get_variable("c", initializer=b.initialized_value() + 1)
t("un", lambda: s.run(w)); t("un2", lambda: (s.run(b.initialized_value())).shape)
s.run(tf.global_variables_initializer())
W, B, C = s.run([w, b, c]); print(np.allclose(B, 2 * W), np.allclose(C, B + 1))
s.run(w.assign([1., 2.])); s.run(b.initializer); print(s.run(b), s.run(w.initialized_value()))
x = tf.placeholder(tf.float32, [])
one = tf.case([(x > 1, lambda: x * 2)]); pair = tf.case([(x > 1, lambda: x * 2), (x > 0, lambda: -x)]); ex = tf.case([(x > 1, lambda: x * 2), (x > 0, lambda: -x), (x < -1, lambda: x)], exclusive=True)
for v in (2., .5, -.5, -2.):
    for k, q in enumerate((one, pair, ex)): t(f"{v} {k}", lambda: float(s.run(q, {x: v})))
