# Losses of version 1: weights, reductions, smoothing, scopes and collections.
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
L = tf.losses
t = tf.constant([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
p = tf.constant([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]])
w = tf.constant([[2.0], [0.0]])
made = []
for weights in (1.0, 0.5, w):
    for r in (L.Reduction.SUM_BY_NONZERO_WEIGHTS, L.Reduction.SUM, L.Reduction.MEAN, L.Reduction.SUM_OVER_BATCH_SIZE, L.Reduction.NONE):
        made.append(L.mean_squared_error(t, p, weights, reduction=r, loss_collection=None))
made += [L.absolute_difference(t, p, w), L.log_loss(t, p, w), L.huber_loss(t, p, delta=0.3), L.hinge_loss(t, p), L.cosine_distance(t, p, axis=1)]
made += [L.softmax_cross_entropy(t, p, label_smoothing=0.1), L.sigmoid_cross_entropy(t, p, weights=w, label_smoothing=0.2),
         L.softmax_cross_entropy(t, p, weights=[3.0, 0.0]), L.sparse_softmax_cross_entropy([0, 1], p, weights=[1.0, 2.0])]
extra = L.mean_squared_error(t, p, scope="mine", loss_collection="others")
print(len(L.get_losses()), len(L.get_losses(loss_collection="others")), len(L.get_losses("mine")))
try:
    tf.add_n([t, tf.constant(1.0)])
except ValueError:
    print("ValueError")
tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(0.5))
with tf.Session() as sess:
    for v in sess.run(made):
        print(v)
    print(sess.run(L.get_total_loss()) - sess.run(L.get_total_loss(add_regularization_losses=False)))
    x = tf.get_variable("x", [2], initializer=tf.constant_initializer([1, 2], dtype=tf.int32), dtype=tf.int32, collections=["mine", "variables"])
    op = x.assign([3, 4], read_value=False)
    sess.run(x.initializer)
    print(type(op).__name__, sess.run(op), sess.run(x), len(tf.get_collection("mine")))

# Losses of 64 bits: those of predictions are computed in 32 bits, those of logits keep their type.
wide, target = tf.constant([[0.1, 0.7, 0.3]], tf.float64), tf.constant([[0.0, 1.0, 0.0]], tf.float64)
found = [f(target, wide) for f in (L.mean_squared_error, L.absolute_difference, L.log_loss, L.huber_loss, L.hinge_loss,
                                   L.softmax_cross_entropy, L.sigmoid_cross_entropy)]
found.append(L.cosine_distance(target, wide, axis=1))
found.append(L.sparse_softmax_cross_entropy(tf.constant([1]), wide))
found.append(L.compute_weighted_loss(wide, 0.5))
with tf.Session() as sess:
    for loss in found:
        print(loss.dtype.name, sess.run(loss))
