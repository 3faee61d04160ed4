# Shuffled datasets of a graph under its seed: the order of every pass, with values fed and known.
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(1)
fed = tf.placeholder(np.float64, (8, 1))
first = tf.data.Dataset.from_tensor_slices(fed).shuffle(buffer_size=100).batch(4).repeat(2)
again = tf.data.Dataset.range(6).shuffle(3).repeat(2).batch(6)
known = tf.data.Dataset.range(6).shuffle(6, seed=5, reshuffle_each_iteration=False).repeat(2).batch(6)
one, two, three = (tf.data.make_initializable_iterator(d) for d in (first, again, known))
a, b, c = one.get_next(), two.get_next(), three.get_next()
loss = tf.losses.mean_squared_error(a, tf.square(a))
with tf.Session() as sess:
    for turn in range(2):
        sess.run([one.initializer, two.initializer, three.initializer], {fed: np.arange(8.0).reshape(8, 1)})
        print([sess.run(a).ravel().tolist() for _ in range(2)], sess.run(loss), sess.run(loss, {a: np.ones((4, 1))}))
        print([sess.run(b).tolist() for _ in range(2)], [sess.run(c).tolist() for _ in range(2)])
