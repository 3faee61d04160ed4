# Cells and layers of version 1 against what they are made of. (The library itself has them with its second Keras alone.)
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

x = np.random.RandomState(0).randn(3, 4, 2).astype("float32")
sigmoid = lambda v: 1 / (1 + np.exp(-v))


def lstm(rows, w, b, lengths=None):
    h = c = np.zeros((3, 5), "float32")
    for t, row in enumerate(rows):
        i, j, f, o = np.split(np.concatenate([row, h], 1) @ w + b, 4, 1)
        c1 = c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
        h1 = np.tanh(c1) * sigmoid(o)
        go = np.ones((3, 1), bool) if lengths is None else (np.array(lengths) > t)[:, None]
        c, h = np.where(go, c1, c), np.where(go, h1, h)
    return h


a = tf.placeholder(tf.float32, [None, 4, 2])
cell = tf.nn.rnn_cell.BasicLSTMCell(5)
outs, state = tf.nn.static_rnn(cell, tf.unstack(a, 4, 1), dtype=tf.float32)
outs2, state2 = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(5), a, sequence_length=[4, 2, 1], dtype=tf.float32, scope="second")
gru, _ = tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(5), tf.unstack(a, 4, 1), dtype=tf.float32, scope="third")
both, _, _ = tf.nn.static_bidirectional_rnn(tf.nn.rnn_cell.BasicRNNCell(2), tf.nn.rnn_cell.BasicRNNCell(2), tf.unstack(a, 4, 1), dtype=tf.float32)
print([v.name for v in tf.trainable_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    w, b = sess.run(cell.variables)
    want = lstm(np.swapaxes(x, 0, 1), w, b)
    print(np.allclose(sess.run(outs[-1], {a: x}), want, atol=1e-6), np.allclose(sess.run(state.h, {a: x}), want, atol=1e-6))
    w2 = sess.run([v for v in tf.trainable_variables() if v.name.startswith("second")])
    out, last = sess.run([outs2, state2.h], {a: x})
    print(np.allclose(last, lstm(np.swapaxes(x, 0, 1), w2[0], w2[1], [4, 2, 1]), atol=1e-6), out[1, 2:].any(), out[1, 1].any())
    print(sess.run(gru[-1], {a: x}).shape, sess.run(both[0], {a: x}).shape)
    grads = tf.gradients(tf.reduce_sum(outs[-1]), cell.variables)
    print([g.shape for g in sess.run(grads, {a: x})])


def network(v, reuse):
    with tf.variable_scope("net", reuse=reuse):
        h = tf.layers.conv2d(v, 3, 3, activation=tf.nn.relu)
        h = tf.layers.conv2d(h, 2, 2, strides=2, padding="same")
        h = tf.layers.conv2d_transpose(h, 4, 3, strides=2, padding="same")
        h = tf.layers.batch_normalization(h, training=not reuse)
        h = tf.layers.average_pooling2d(tf.layers.max_pooling2d(h, 2, 2), 2, 1)
        h = tf.layers.dropout(tf.layers.flatten(h), 0.5, training=False)
        return tf.layers.dense(tf.layers.dense(h, 7, activation=tf.nn.tanh), 2)


tf.reset_default_graph()
v = tf.placeholder(tf.float32, [None, 10, 10, 1])
train, test = network(v, False), network(v, True)
print([(u.name, u.shape.as_list()) for u in tf.global_variables()])
print(train.shape, test.shape, len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    image = np.random.RandomState(1).randn(2, 10, 10, 1)
    before = sess.run(tf.global_variables()[8])
    sess.run([train, tf.get_collection(tf.GraphKeys.UPDATE_OPS)], {v: image})
    print(np.allclose(before, sess.run(tf.global_variables()[8])), np.isfinite(sess.run(test, {v: image})).all())
