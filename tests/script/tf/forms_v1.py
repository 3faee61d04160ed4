# Forms of version 1 that files of public repositories write.
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

# metrics are local variables
y, p = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int64, [None])
value, update = tf.metrics.accuracy(labels=y, predictions=p)
_, prec = tf.metrics.precision(y, p)
_, rec = tf.metrics.recall(y, p)
m, mup = tf.metrics.mean(tf.cast(y, tf.float32), weights=2.0)
e, eup = tf.metrics.mean_squared_error(y, p)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for a, b in (([1, 0, 1, 0], [1, 1, 1, 0]), ([1, 1], [0, 1])):
        print(sess.run([update, prec, rec, mup, eup], {y: a, p: b}))
    print(sess.run([value, m, e]), [v.name for v in tf.local_variables()][:2], len(tf.global_variables()))

# splits of batches of any size
tf.reset_default_graph()
tf.set_random_seed(1)
images = tf.placeholder("float", [None, 4, 4])
parts = tf.split(tf.reshape(tf.transpose(images, [1, 0, 2]), [-1, 4]), 4, 0)
print(len(parts), parts[0].shape[1])
w = tf.random_uniform([2, 2], minval=-np.sqrt(2.0), maxval=np.sqrt(2.0))
print(w.dtype)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(parts[1], {images: np.arange(32).reshape(2, 4, 4)}))

# a state is fed as it is
pair = (tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [2]))
with tf.Session() as sess:
    print(sess.run(pair[0] - pair[1], {pair: (np.ones(2), np.array([1.0, 3.0]))}))

# losses divide by the weights that are not 0
a, b = tf.constant([1.0, 2.0, 4.0]), tf.constant([0.0, 0.0, 0.0])
with tf.Session() as sess:
    print(sess.run([tf.losses.mean_squared_error(b, a, weights=[1.0, 0.0, 2.0]), tf.losses.absolute_difference(b, a, weights=2.0),
                    tf.losses.absolute_difference(b, a, weights=0.0), tf.losses.huber_loss(b, a, weights=[0.0, 1.0, 1.0])]))

# arrays of NumPy take the dtype of the variable
w = tf.Variable([1.0, 2.0])
steps = [w.assign(np.array([5.0, 6.0])), w.assign_sub(np.ones(2)), tf.assign(w, np.zeros(2)), tf.assign_add(w, np.array([1, 2]))]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print([sess.run(s) for s in steps])
    w.load(np.array([8.0, 9.0]), sess)
    print(sess.run(w))
