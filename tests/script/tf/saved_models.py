# SavedModels of sessions and of functions: written, read again, run.
import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf2
import tensorflow.compat.v1 as tf

work = tempfile.mkdtemp()


class Net(tf2.Module):
    def __init__(self):
        self.w = tf2.Variable([[1.0, -2.0], [0.5, 3.0]])

    @tf2.function(input_signature=[tf2.TensorSpec([None, 2], tf2.float32, name="x")])
    def __call__(self, x):
        y = tf2.nn.relu(x @ self.w)
        return {"y": y, "a total": tf2.reduce_sum(y, 1)}


net = Net()
tf2.saved_model.save(net, work + "/net", signatures=net.__call__)
net.w.assign_add([[9.0, 9.0], [9.0, 9.0]])
m = tf2.saved_model.load(work + "/net")
f = m.signatures["serving_default"]
for n in (1, 3):
    r = f(x=tf2.constant(np.arange(2.0 * n).reshape(n, 2), tf2.float32))
    print({k: r[k].numpy().tolist() for k in sorted(r)})
print(list(m.signatures), sorted(f.structured_outputs), tf2.saved_model.contains_saved_model(work + "/net"), tf2.saved_model.contains_saved_model(work))

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 3], name="inputs/x")
k = tf.placeholder(tf.int32, [], name="k")
w = tf.get_variable("w", initializer=tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
y = tf.nn.relu(tf.matmul(x, w) - 10.0, name="y")
best, at = tf.split(y, 2, axis=1, name="best")
shifted = tf.add(y, tf.cast(k, tf.float32), name="shifted")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(w.assign_add(tf.ones([3, 2])))
    tf.saved_model.simple_save(sess, work + "/simple", {"x": x}, {"y": y, "best": best, "at": at})
    b = tf.saved_model.builder.SavedModelBuilder(work + "/built")
    u = tf.saved_model.utils.build_tensor_info
    first = tf.saved_model.signature_def_utils.predict_signature_def({"x": x, "k": k}, {"shifted": shifted})
    second = tf.saved_model.signature_def_utils.build_signature_def({"x": u(x)}, {"y": u(y)}, "mine")
    b.add_meta_graph_and_variables(sess, [tf.saved_model.tag_constants.SERVING], {"serving_default": first, "plain": second})
    b.save()
    print(sess.run([y, shifted], {x: [[1, 2, 3]], k: 2}))
print(sorted(os.listdir(work + "/simple")))
for name in ("simple", "built"):
    with tf.Session(graph=tf.Graph()) as sess:
        meta = tf.saved_model.loader.load(sess, ["serve"], work + "/" + name)
        for key in sorted(meta.signature_def):
            s = meta.signature_def[key]
            if not s.outputs:
                continue
            feed = {s.inputs[i].name: 2 if i == "k" else np.ones((2, 3)) for i in s.inputs}
            names = sorted(s.outputs)
            out = sess.run({n: s.outputs[n].name for n in names}, feed)
            print(name, key, s.method_name, sorted(s.inputs), {n: out[n].tolist() for n in names})
for attempt in (lambda: tf.saved_model.loader.load(tf.Session(), ["train"], work + "/simple"), lambda: tf.saved_model.loader.load(tf.Session(), ["serve"], work + "/none"),
                lambda: tf.saved_model.builder.SavedModelBuilder(work)):
    try:
        attempt()
    except Exception as e:
        print(type(e).__name__)
shutil.rmtree(work)
