# What `weft show` prints of a script: the programs its graphs are made into.
import aesara
import aesara.tensor as at
import tensorflow.compat.v1 as tf
from numflow import Tensor

x, w = at.dvector("x"), aesara.shared(2.0, "w")
f = aesara.function([x], (x * w).sum(), updates=[(w, w - aesara.grad((x * w).sum(), w))], name="step")
print("not shown", f([1.0, 2.0]))
tf.disable_v2_behavior()
p = tf.placeholder(tf.float32, [2])
with tf.Session() as sess:
    sess.run(tf.gradients(p * p, p), {p: [1.0, 2.0]})
(Tensor(2.0) * 3.0).data
