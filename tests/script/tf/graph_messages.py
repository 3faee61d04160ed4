# Graphs as messages: taken into another graph, frozen, written and read.
import os
import shutil
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
work = tempfile.mkdtemp()
g = tf.Graph()
with g.as_default():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    with tf.name_scope("layer"):
        h = tf.tanh(x * 2.0, name="h")
    y = tf.add(h, 1.0, name="y")
d = g.as_graph_def()
ops = {n.name: n.op for n in d.node}
print(ops["x"], ops["layer/h"], ops["y"], [n.input[0] for n in d.node if n.name == "y"], isinstance(d, tf.GraphDef))
with tf.Graph().as_default() as other:
    z = tf.constant([[1.0, 2.0]])
    y1, op = tf.import_graph_def(d, {"x:0": z}, ["y:0", "layer/h"])
    print(y1.name, op.name, op.type, y1.shape)
    tf.import_graph_def(d, name="again")
    (y2,) = tf.import_graph_def(d, {"layer/h:0": z * 10.0}, ["y:0"], name="")
    print(y2.name, other.get_tensor_by_name("again/y:0").shape, other.get_operation_by_name("again/layer/h").type)
    with tf.Session() as sess:
        print(sess.run([y1, y2]), sess.run("again/y:0", {"again/x:0": [[0.0, 0.5]]}))
    try:
        tf.import_graph_def(d, return_elements=["none:0"])
    except ValueError:
        print("ValueError")
with tf.Graph().as_default() as trained:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.get_variable("w", initializer=tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    y = tf.nn.relu(tf.matmul(x, w), name="y")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(w.assign_sub(tf.ones([2, 2]) * 2.0))
        frozen = tf.graph_util.convert_variables_to_constants(sess, trained.as_graph_def(), ["y"])
path = tf.train.write_graph(frozen, work, "frozen.pb", as_text=False)
print(os.path.basename(path), os.path.getsize(path) == len(frozen.SerializeToString()), [n.op for n in frozen.node if n.name == "x"])
print("y" in [n.name for n in frozen.node], len([n for n in frozen.node if n.op.startswith("Variable")]))
read = tf.GraphDef()
with open(path, "rb") as f:
    read.ParseFromString(f.read())
with tf.Graph().as_default():
    (y,) = tf.import_graph_def(read, return_elements=["y:0"], name="f")
    with tf.Session() as sess:
        print(y.name, sess.run(y, {"f/x:0": [[1.0, 2.0], [3.0, -4.0], [0.5, 0.0]]}))
text = tf.train.write_graph(g, work, "graph.pbtxt")
with open(text) as f:
    lines = f.read().split("\n")
print(len([s for s in lines if s == 'node {']) == len(d.node), '  name: "layer/h"' in lines, '  op: "Tanh"' in lines)
shutil.rmtree(work)
