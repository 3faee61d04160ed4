# What one side writes the other reads: tensorflow_peers.py write FOLDER; tensorflow_peers.py read FOLDER. Run by TensorFlow
# itself and by weft; both print the same.
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import tensorflow as tf

what, folder = sys.argv[-2], sys.argv[-1]


class Net(tf.Module):
    def __init__(self, scale):
        super().__init__()
        self.w = tf.Variable(tf.reshape(tf.range(6.0), [2, 3]) * scale, name="w")
        self.parts = [tf.Variable([1.0, 2.0]) , tf.Variable(np.arange(3000, dtype=np.float32) * scale)]
        self.table = {"a": tf.Variable(7.5 * scale), "b.c/d": tf.Variable([scale > 0, False])}
        self.half = tf.Variable(tf.cast([1.5 * scale], tf.float16))


net, step = Net(1.0 if what == "write" else 0.0), tf.Variable(3 if what == "write" else 0, dtype=tf.int64)
c = tf.train.Checkpoint(net=net, step=step)
if what == "write":
    c.save(os.path.join(folder, "ckpt"))
else:
    c.restore(os.path.join(folder, "ckpt-1")).assert_consumed()
print(net.w.numpy(), net.parts[0].numpy(), net.parts[1].numpy().sum(), net.table["a"].numpy(), net.table["b.c/d"].numpy(), net.half.numpy(), step.numpy(), c.save_counter.numpy())

v1 = tf.compat.v1
with v1.Graph().as_default():
    a = v1.get_variable("a", initializer=np.array([[1.0, 2.0]], np.float32) * (1 if what == "write" else 0))
    b = v1.get_variable("scope/b", initializer=np.array([5, 6], np.int32) * (1 if what == "write" else 0))
    saver = v1.train.Saver()
    with v1.Session() as s:
        if what == "write":
            s.run(v1.global_variables_initializer())
            saver.save(s, os.path.join(folder, "model"), global_step=7)
        else:
            saver.restore(s, os.path.join(folder, "model-7"))
        print(s.run([a, b]))
