# Functions and tapes: nested tapes, control flow on tensors, variables, structures.
import tensorflow as tf, numpy as np
# higher derivatives, mixed sources, tape inside function, function inside tape
x = tf.Variable(2.0)
with tf.GradientTape() as t3:
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            y = x ** 4 + tf.sin(x)
        d1 = t1.gradient(y, x)
    d2 = t2.gradient(d1, x)
d3 = t3.gradient(d2, x)
print(d1.numpy(), d2.numpy(), d3.numpy())
@tf.function
def grad_of(f_x):
    with tf.GradientTape() as t:
        t.watch(f_x)
        y = tf.reduce_sum(f_x ** 3)
    return t.gradient(y, f_x)
print(grad_of(tf.constant([1.0, 2.0])))
@tf.function
def hess(v):
    with tf.GradientTape() as t2:
        t2.watch(v)
        with tf.GradientTape() as t1:
            t1.watch(v)
            y = tf.reduce_prod(v) ** 2
        g = t1.gradient(y, v)
    return t2.jacobian(g, v)
print(hess(tf.constant([1.0, 2.0, 3.0])))
w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
b = tf.Variable([0.5, -0.5])
@tf.function
def layer(x):
    return tf.nn.relu(x @ w + b)
with tf.GradientTape(persistent=True) as tape:
    out = layer(tf.constant([[1.0, -1.0]]))
    loss = tf.reduce_sum(out ** 2)
print(out, tape.gradient(loss, [w, b]), tape.jacobian(out, b))
w.assign_add(tf.ones([2, 2]))
print(layer(tf.constant([[1.0, -1.0]])))
# while with tensors, nested if, early return, break/continue
@tf.function
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a
print(gcd(tf.constant(48), tf.constant(36)), gcd(tf.constant(7), tf.constant(3)))
@tf.function
def classify(x):
    if x < 0:
        return -1
    elif x == 0:
        return 0
    elif x > 100:
        return 2
    else:
        return 1
print([int(classify(tf.constant(v))) for v in (-5, 0, 5, 500)])
@tf.function
def sum_even(n):
    total = tf.constant(0)
    for i in tf.range(n):
        if i % 2 == 1:
            continue
        if i > 10:
            break
        total += i
    return total
print(sum_even(tf.constant(5)), sum_even(tf.constant(50)))
@tf.function
def newton(a):
    x = a
    i = 0
    while tf.abs(x * x - a) > 1e-5:
        x = 0.5 * (x + a / x)
        i += 1
        if i > 50:
            break
    return x, i
r, n = newton(tf.constant(2.0)); print(f"{r:.4f}", int(n))
@tf.function
def fib(n):
    a, b = tf.constant(0), tf.constant(1)
    for _ in tf.range(n):
        a, b = b, a + b
    return a
print([int(fib(tf.constant(k))) for k in range(10)])
with tf.GradientTape() as tape:
    tape.watch(r)
    z = newton(r)[0]
print(f"{tape.gradient(z, r):.4f}")
# tf.cond, while_loop, case, switch_case, map_fn in eager and function
print(tf.cond(tf.constant(True), lambda: 1, lambda: 2), tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (0, 0)), tf.switch_case(tf.constant(1), [lambda: tf.constant(10), lambda: tf.constant(20)]), tf.case([(tf.constant(False), lambda: tf.constant(1))], default=lambda: tf.constant(9)))
@tf.function
def many(x, flag):
    a = tf.cond(flag, lambda: x * 2, lambda: x - 1)
    i, s = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * a), (tf.constant(0), tf.constant(1.0)))
    return a, s, tf.switch_case(i, [lambda: x, lambda: -x])
print(many(tf.constant(2.0), tf.constant(True)), many(tf.constant(2.0), tf.constant(False)))
print(tf.map_fn(lambda t: t ** 2, tf.constant([1.0, 2.0])), tf.map_fn(lambda t: (t, -t), tf.constant([1, 2]), fn_output_signature=(tf.int32, tf.int32)), tf.scan(lambda a, x: a + x, tf.range(5)), tf.foldr(lambda a, x: a - x, tf.constant([1, 2, 3])), tf.vectorized_map(lambda x: x * 2, tf.constant([1, 2])))
# functions: kwargs, defaults, python side effects, nested structures, methods
class Acc(tf.Module):
    def __init__(self):
        self.total = tf.Variable(0.0)
        self.count = tf.Variable(0, dtype=tf.int64)
    @tf.function
    def add(self, x, scale=1.0):
        self.total.assign_add(x * scale)
        self.count.assign_add(1)
        return self.total / tf.cast(self.count, tf.float32)
acc = Acc(); print(acc.add(tf.constant(2.0)), acc.add(tf.constant(4.0), scale=2.0), acc.total.numpy(), acc.count.numpy(), len(acc.variables))
@tf.function
def struct(d):
    return {"s": d["a"] + d["b"][0], "t": [d["a"], (d["b"][1],)]}
print(struct({"a": tf.constant(1), "b": [tf.constant(2), tf.constant(3)]}))
f = tf.function(lambda x: x * 2); print(f(tf.constant(3)), f(3), f(4.5))
g = f.get_concrete_function(tf.TensorSpec([], tf.float32)); print(g(tf.constant(1.5)))
@tf.function
def assign_if(v, flag):
    if flag:
        v.assign(v * 2.0)
    else:
        v.assign_sub(1.0)
    return v.read_value()
vv = tf.Variable(3.0); print(assign_if(vv, tf.constant(True)), assign_if(vv, tf.constant(False)), vv.numpy())
