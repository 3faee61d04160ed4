# Graphs that weft wrote, run by TensorFlow: FILE.pb with inputs FOLDER/0xI.npy against FOLDER/0yI.npy, for each pair of arguments.
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
passed = failed = 0
for pb, folder in zip(sys.argv[1::2], sys.argv[2::2]):
    try:
        d = v1.GraphDef()
        d.ParseFromString(open(pb, "rb").read())
        used = {i.split(":")[0].lstrip("^") for n in d.node for i in n.input}
        feeds = [n.name + ":0" for n in d.node if n.op == "Placeholder"]
        outs = [n.name + ":0" for n in d.node if n.op == "Identity" and n.name not in used]
        with v1.Graph().as_default() as g, v1.Session(graph=g) as s:
            v1.import_graph_def(d, name="")
            ys = s.run(outs, {f: np.load(f"{folder}/0x{i}.npy") for i, f in enumerate(feeds)})
        for i, y in enumerate(ys):
            want = np.load(f"{folder}/0y{i}.npy")
            assert y.dtype == want.dtype and y.shape == want.shape, (y.dtype, y.shape, want.dtype, want.shape)
            np.testing.assert_allclose(y, want, rtol=2e-5, atol=2e-5)
        passed += 1
    except Exception as e:
        failed += 1
        print(os.path.basename(pb), type(e).__name__, str(e)[:300].replace("\n", " "))
print(f"{passed} passed, {failed} failed")
