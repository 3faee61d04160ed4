# tf.train.Saver writes and restores variables by name.
import os
import tempfile
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

folder = tempfile.mkdtemp()
w = tf.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0]])
b = tf.Variable([5, 6], name="scope/b")
step = tf.train.get_or_create_global_step()
saver = tf.train.Saver(max_to_keep=2)
path = os.path.join(folder, "model")
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    for i in range(4):
        s.run(w.assign(w + 1.0))
        print(os.path.basename(saver.save(s, path, global_step=i)))
    print([os.path.basename(p) for p in saver.last_checkpoints])
    print(sorted(f for f in os.listdir(folder) if f.endswith(".index")))
print(open(os.path.join(folder, "checkpoint")).read().replace(folder, "F"))
latest = tf.train.latest_checkpoint(folder)
print(os.path.basename(latest), tf.train.checkpoint_exists(latest))
print(tf.train.list_variables(latest))
print(tf.train.load_variable(latest, "scope/b"))
with tf.Session() as s:
    saver.restore(s, latest)
    print(s.run([w, b, step]))
    one = tf.train.Saver({"w": w})
    s.run(w.assign([[0.0, 0.0], [0.0, 0.0]]))
    one.restore(s, os.path.join(folder, "model-2"))
    print(s.run(w))
    try:
        saver.restore(s, os.path.join(folder, "nothing"))
    except ValueError as e:
        print(str(e).replace(folder, "F"))
    try:
        tf.train.Saver({"other": w}).restore(s, latest)
    except tf.errors.NotFoundError as e:
        print("NotFoundError")
state = tf.train.get_checkpoint_state(folder)
print(os.path.basename(state.model_checkpoint_path), [os.path.basename(p) for p in state.all_model_checkpoint_paths])
