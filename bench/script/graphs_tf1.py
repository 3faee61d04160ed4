# Steps of training a second in the style of TensorFlow 1: a session, placeholders, an optimiser. Runs in Weft and in
# Python with TensorFlow. Prints a line for each network: name, steps a second (the best of some rounds).
# WEFT_THREADS: how many threads each uses.
import os
import sys
import time

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
now = time.process_time if os.environ.get("WEFT_THREADS") == "1" else time.perf_counter  # others may use the machine
seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
rng = np.random.RandomState(0)
threads = int(os.environ.get("WEFT_THREADS", "0"))
config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)


def weights(*shape):
    return tf.Variable((rng.randn(*shape) / np.sqrt(np.prod(shape[:-1]))).astype("float32"))


def rate(name, step, feed, sess):
    for _ in range(3):
        sess.run(step, feed)
    best = 0.0
    for _ in range(3):
        n, start = 0, now()
        while now() - start < seconds / 3:
            sess.run(step, feed)
            n += 1
        best = max(best, n / (now() - start))
    print(name, round(best, 1))


def train(name, loss, feed):
    step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        rate(name, step, feed, sess)


def mlp():
    x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int64, [None])
    h = tf.nn.relu(tf.matmul(x, weights(784, 128)) + tf.Variable(tf.zeros([128])))
    out = tf.matmul(h, weights(128, 10)) + tf.Variable(tf.zeros([10]))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=out))
    train("tf1_mlp", loss, {x: rng.randn(32, 784).astype("float32"), y: rng.randint(0, 10, 32)})


def conv():
    x, y = tf.placeholder(tf.float32, [None, 28, 28, 1]), tf.placeholder(tf.int64, [None])
    h = tf.nn.relu(tf.nn.conv2d(x, weights(3, 3, 1, 8), strides=[1, 1, 1, 1], padding="SAME"))
    h = tf.nn.max_pool2d(h, 2, 2, "VALID")
    h = tf.nn.relu(tf.nn.conv2d(h, weights(3, 3, 8, 16), strides=[1, 1, 1, 1], padding="SAME"))
    h = tf.reshape(tf.nn.max_pool2d(h, 2, 2, "VALID"), [-1, 7 * 7 * 16])
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=tf.matmul(h, weights(784, 10))))
    train("tf1_conv", loss, {x: rng.randn(32, 28, 28, 1).astype("float32"), y: rng.randint(0, 10, 32)})


def rnn():
    x = tf.placeholder(tf.float32, [None, 16, 32])
    w, u = weights(32, 64), weights(64, 64)
    start = tf.zeros([16, 64])
    hs = tf.scan(lambda h, row: tf.tanh(tf.matmul(row, w) + tf.matmul(h, u)), x, initializer=start)
    train("tf1_rnn", tf.reduce_mean(tf.square(hs[-1])), {x: rng.randn(20, 16, 32).astype("float32")})


for net in (mlp, conv, rnn):
    tf.reset_default_graph()
    net()
