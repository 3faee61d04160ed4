# Checkpoints are files: of objects, of names, of a manager; what is restored before it is made.
import os
import tempfile
import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.reshape(tf.range(6.0), [2, 3]), name="w")
        self.parts = [tf.Variable([1.0, 2.0]), tf.Variable(3)]
        self.table = {"a": tf.Variable(7.5), "b.c/d": tf.Variable([True, False])}


net = Net()
step = tf.Variable(0, dtype=tf.int64)
c = tf.train.Checkpoint(net=net, step=step)
step.assign(5)
path = c.save(os.path.join(folder, "ckpt"))
print(os.path.basename(path), sorted(os.listdir(folder)))
print(open(os.path.join(folder, "checkpoint")).read().replace(folder, "F"))
for name, shape in tf.train.list_variables(path):
    print(name, shape)
net.w.assign(tf.zeros([2, 3]))
net.parts[0].assign([0.0, 0.0])
step.assign(0)
status = c.restore(path)
print(net.w.numpy(), net.parts[0].numpy(), net.table["b.c/d"].numpy(), step.numpy(), c.save_counter.numpy())
status.assert_consumed()
status.assert_existing_objects_matched()
print(tf.train.load_variable(folder, "net/parts/0/.ATTRIBUTES/VARIABLE_VALUE"))
r = tf.train.load_checkpoint(path)
print(r.has_tensor("net/w/.ATTRIBUTES/VARIABLE_VALUE"), r.get_tensor("step/.ATTRIBUTES/VARIABLE_VALUE"))


class Late(tf.Module):
    def __init__(self):
        super().__init__()
        self.built = False

    def __call__(self, x):
        if not self.built:
            self.w = tf.Variable(tf.ones([3, 2]))
            self.built = True
        return tf.matmul(x, self.w)


m = Late()
m(tf.ones([1, 3]))
m.w.assign([[1., 2.], [3., 4.], [5., 6.]])
p = tf.train.Checkpoint(model=m).write(os.path.join(folder, "late"))
n = Late()
tf.train.Checkpoint(model=n).restore(p)
print(n(tf.ones([1, 3])).numpy())

# a checkpoint that has more, and one that has less
try:
    tf.train.Checkpoint(model=tf.Module()).restore(p).assert_consumed()
except AssertionError as e:
    print("not consumed")
tf.train.Checkpoint(model=tf.Module()).restore(p).expect_partial()
try:
    tf.train.Checkpoint(model=m).restore(os.path.join(folder, "nothing"))
except tf.errors.NotFoundError as e:
    print("NotFoundError")

manager = tf.train.CheckpointManager(c, os.path.join(folder, "many"), max_to_keep=2)
for i in range(4):
    step.assign(i * 10)
    manager.save()
print([os.path.basename(p) for p in manager.checkpoints], os.path.basename(manager.latest_checkpoint))
print(sorted(f for f in os.listdir(os.path.join(folder, "many")) if f.endswith(".index")))
step.assign(99)
print(os.path.basename(manager.restore_or_initialize()), step.numpy())
print(os.path.basename(tf.train.latest_checkpoint(os.path.join(folder, "many"))), tf.train.latest_checkpoint(os.path.join(folder, "none")))
