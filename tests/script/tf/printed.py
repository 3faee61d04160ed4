# tf.print, now and in functions.
import sys

import numpy as np
import tensorflow as tf


def p(*a, **k):
    tf.print(*a, output_stream=sys.stdout, **k)


p(tf.constant(0.1), tf.constant(0.12391895), tf.constant(2.0), tf.constant(1e10), tf.constant(1e-7), tf.constant(123456789.0), tf.constant(1/3, tf.float64), tf.constant(float('nan')), tf.constant(float('inf')), tf.constant(-0.0), tf.constant(100000.0), tf.constant(1e21), tf.constant(1e6), tf.constant(16777216.0))
p(tf.constant([1., 2.5, -3.]), tf.constant([[1, 2], [3, 4]]), tf.constant([True, False]), tf.constant(True))
p(tf.range(10), tf.reshape(tf.range(64), [8, 8]))
p(tf.reshape(tf.range(8), [2, 2, 2]), tf.zeros([0]), tf.zeros([2, 0]))
p(tf.range(10), summarize=-1)
p(tf.range(10), summarize=1)
p(tf.range(7.), summarize=3)
p(tf.range(6.))
p(tf.constant("a"), tf.constant(["a", "b"]), "str", 3, 2.5, [1, 2], [tf.constant(1.5), "x"], {"a": tf.constant(2)}, (1, tf.constant([1.]))  , None, np.float32(0.1), np.array([1., 2.]))
p(tf.constant(1+2j), tf.constant([1+2j]), tf.constant(3, tf.int8), tf.constant(0.1, tf.bfloat16), tf.constant(0.1, tf.float16), tf.Variable(1.5), tf.Variable([1., 2.]))
p("a", "b", sep="-", end="!\n")
p("{}", 3)


@tf.function
def f(x, y):
    p("x:", x, y, sep="|")
    p(x, summarize=1)
    p([x, {"k": y}], end="$\n")
    return x


f(tf.constant(0.1), tf.reshape(tf.range(16.), [2, 8]))
p(tf.constant(b"\xc3\xa9"), tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 1, 3]))


@tf.function
def quiet(x):
    tf.print("to stderr", x)
    for i in tf.range(2):
        tf.print("turn", i, output_stream=sys.stdout)
    return x


quiet(tf.constant(1))
tf.print("to stderr", 2)
