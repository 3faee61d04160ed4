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


# SavedModels of a function and of a session
class Line(tf.Module):
    def __init__(self):
        self.w = tf.Variable([[1.0, -2.0], [0.5, 3.0]])

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
    def __call__(self, x):
        y = tf.nn.relu(x @ self.w)
        return {"y": y, "total": tf.reduce_sum(y, 1)}


if what == "write":
    line = Line()
    tf.saved_model.save(line, os.path.join(folder, "line"), signatures=line.__call__)
f = tf.saved_model.load(os.path.join(folder, "line")).signatures["serving_default"]
r = f(x=tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
print({k: r[k].numpy().tolist() for k in sorted(r)})
where = os.path.join(folder, "session")
if what == "write":
    with v1.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 3], name="in/x")
        w = v1.get_variable("w", initializer=np.ones((3, 2), np.float32))
        y = v1.nn.softmax(v1.matmul(x, w) + [0.5, 1.0], name="y")
        with v1.Session() as s:
            s.run(v1.global_variables_initializer())
            v1.saved_model.simple_save(s, where, {"x": x}, {"y": y, "place": v1.argmax(y, 1)})
with v1.Session(graph=v1.Graph()) as s:
    d = v1.saved_model.loader.load(s, ["serve"], where).signature_def["serving_default"]
    print([np.round(v, 6).tolist() for v in s.run([d.outputs["y"].name, d.outputs["place"].name], {d.inputs["x"].name: np.arange(6.0).reshape(2, 3)})])
