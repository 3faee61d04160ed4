# What a function is traced again for, what it may make, tapes that stop, and errors in TensorFlow's words.
import tensorflow as tf


def t(name, f):
    try:
        print(name, "->", f())
    except Exception as e:
        print(name, "!!", type(e).__name__, "|", str(e).split("\n")[0].split(" Received args")[0][:200])


# tf.function retracing and closures
n = []
@tf.function
def f(x, flag=True, name="a"):
    n.append((x.shape if hasattr(x, "shape") else x, flag))
    tf.print("in", x)
    if flag: return x + 1
    return x - 1
f(tf.constant(1)); f(tf.constant(2)); f(1); f(2); f(tf.constant([1., 2.])); f(tf.constant(1), flag=False); f(1.0)
print(n, f.experimental_get_tracing_count())
g = f.get_concrete_function(tf.TensorSpec([None], tf.float32)); print(g(tf.constant([1., 2., 3.])))
@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
def h(x): return tf.reduce_sum(x, 0)
print(h(tf.ones([3, 2])), h([[1., 2.]]))
t("sig", lambda: h(tf.ones([3, 3])))
t("sig2", lambda: h(tf.ones([2, 2], tf.int32)))
@tf.function
def loop(n):
    s = tf.constant(0); ta = tf.TensorArray(tf.int32, 0, dynamic_size=True)
    for i in tf.range(n):
        if i % 2 == 0: continue
        if i > 7: break
        s += i; ta = ta.write(ta.size(), s)
    return s, ta.stack()
print(loop(tf.constant(20)), loop(5))
@tf.function
def w(x):
    while tf.reduce_sum(x) < 100.0:
        x = x * 2
    return x
print(w(tf.constant([1., 2.])))
v = tf.Variable(0.0)
@tf.function
def acc(x):
    v.assign_add(x); return v * 2
print(acc(1.0), acc(2.0), v)
t("create", lambda: tf.function(lambda: tf.Variable(1.0))())
class M(tf.Module):
    def __init__(self): super().__init__(name="m"); self.w = None; self.b = tf.Variable(1.0, name="b")
    @tf.function
    def __call__(self, x):
        if self.w is None: self.w = tf.Variable(tf.ones([2, 2]), name="w")
        return x @ self.w + self.b
m = M(); print(m(tf.ones([1, 2])), [q.name for q in m.variables], [q.name for q in m.trainable_variables], m.name, m.submodules)
with tf.GradientTape(persistent=True) as tape:
    x = tf.constant(3.0); tape.watch(x); y = x * x; z = y * y
print(tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, [x, y])); del tape
with tf.GradientTape() as t1:
    with tf.GradientTape() as t2:
        a = tf.Variable(2.0); q = a ** 3
    d = t2.gradient(q, a)
print(d, t1.gradient(d, a))
with tf.GradientTape() as tape:
    y = tf.Variable([1., 2.]); z = tf.reduce_sum(y ** 2)
print(tape.gradient(z, {"a": y, "b": [y]}))
t("twice", lambda: tape.gradient(z, y))
with tf.GradientTape(watch_accessed_variables=False) as tape: z = y * 2
print(tape.gradient(z, y))
with tf.GradientTape() as tape: z = tf.cast(y, tf.int32)
print(tape.gradient(z, y), tape.watched_variables()[0].shape)
with tf.GradientTape() as tape:
    z = y * 2
    with tape.stop_recording(): u = z * z
print(tape.gradient(u, y))
with tf.GradientTape() as tape: z = tf.stack([y[0] * y[1], y[1]])
print(tape.jacobian(z, y))
xx = tf.random.stateless_uniform([2, 3], [1, 2])
with tf.GradientTape() as tape: tape.watch(xx); z = xx ** 2
print(tape.batch_jacobian(z, xx).shape)
t("nonscalar", lambda: tf.debugging.assert_equal(1, 2))
t("idx", lambda: tf.constant([1, 2])[5])
t("mm", lambda: tf.ones([2, 3]) @ tf.ones([2, 3]))
t("add", lambda: tf.ones([2]) + tf.ones([3]))
t("dt", lambda: tf.ones([2]) + tf.ones([2], tf.int32))
t("cat", lambda: tf.concat([tf.ones([2, 2]), tf.ones([3, 3])], 0))
t("bool", lambda: bool(tf.ones([2])))
t("stack", lambda: tf.stack([tf.ones(2), tf.ones(3)]))
t("len", lambda: len(tf.constant(1)))
t("it", lambda: list(tf.constant(1)))
t("cast", lambda: tf.constant(1.5, tf.int32))
t("rag", lambda: tf.constant([[1], [1, 2]]))
t("none", lambda: tf.constant(None))
t("asg", lambda: y.assign([1., 2., 3.]))
@tf.function
def app(x, fn): return fn(x)
for k in range(6): print(app(tf.constant(3.0), lambda v, k=k: v * k).numpy(), end=" ")
class C:
    def __init__(self, k): self.k = k
@tf.function
def use(x, c): return x * c.k
for k in range(4): print(use(tf.constant(3.0), C(k)).numpy(), end=" ")
print(use(2, C(3)), app(1, lambda v: v + 1))

print(tf.linalg.cholesky(tf.constant([[-1., 0.], [0., 1.]])).numpy()[1], tf.linalg.logdet(-tf.eye(1)))
