# tf.distribute.MirroredStrategy over logical devices of this machine: scope, run, reduce, datasets, values, optimisers.
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 4)
print([d.name for d in tf.config.list_logical_devices("CPU")])
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
print(strategy.num_replicas_in_sync, tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context())
with strategy.scope():
    print(tf.distribute.has_strategy(), tf.distribute.get_strategy() is strategy, tf.distribute.in_cross_replica_context())
    w = tf.Variable([[1.0], [2.0]])
    b = tf.Variable(0.5)
    optimizer = tf.keras.optimizers.SGD(0.1)


def who():
    ctx = tf.distribute.get_replica_context()
    return ctx.replica_id_in_sync_group, ctx.num_replicas_in_sync, tf.distribute.in_cross_replica_context()


print(strategy.run(who)[1], strategy.experimental_local_results(strategy.run(who)[0]))
values = strategy.experimental_distribute_values_from_function(lambda c: tf.constant([1.0, 2.0]) * (c.replica_id_in_sync_group + 1))
print([v.numpy().tolist() for v in strategy.experimental_local_results(values)])
double = strategy.run(lambda v: v * 2, args=(values,))
print(strategy.reduce(tf.distribute.ReduceOp.SUM, double, axis=None).numpy(), strategy.reduce("MEAN", double, axis=None).numpy(),
      strategy.reduce("SUM", double, axis=0).numpy(), strategy.reduce(tf.distribute.ReduceOp.MEAN, double, axis=0).numpy())
print(strategy.gather(double, axis=0).numpy())

# training: each replica has its part of the batch, gradients are summed
X = np.arange(16.0, dtype=np.float32).reshape(8, 2) / 10
Y = X @ np.array([[0.5], [-1.0]], np.float32) + 0.3
data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4)
parts = strategy.experimental_distribute_dataset(data)
for x, y in parts:
    print([v.shape.as_list() for v in strategy.experimental_local_results(x)], strategy.experimental_local_results(y)[1].numpy().ravel())


def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((tf.matmul(x, w) + b - y) ** 2) / 4
    grads = tape.gradient(loss, [w, b])
    optimizer.apply_gradients(zip(grads, [w, b]))
    return loss


@tf.function
def train(x, y):
    losses = strategy.run(step, args=(x, y))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


for epoch in range(3):
    print([f"{float(train(x, y)):.4f}" for x, y in parts], np.round(w.numpy().ravel(), 4), f"{b.numpy():.4f}", optimizer.iterations.numpy())

# the same alone
v, c = tf.Variable([[1.0], [2.0]]), tf.Variable(0.5)
plain = tf.keras.optimizers.SGD(0.1)
for epoch in range(3):
    for x, y in data:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((tf.matmul(x, v) + c - y) ** 2) / 4
        plain.apply_gradients(zip(tape.gradient(loss, [v, c]), [v, c]))
print(np.allclose(v.numpy(), w.numpy(), atol=1e-5), np.allclose(c.numpy(), b.numpy(), atol=1e-5))
for bad in (lambda: tf.distribute.MirroredStrategy(["CPU:0", "CPU:0"]), lambda: strategy.reduce("MAX", double, axis=None)):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__)
one = tf.distribute.get_strategy()
print(one.num_replicas_in_sync, one.run(lambda a: a + 1, args=(tf.constant(2),)).numpy(), one.reduce("SUM", tf.constant([1, 2]), axis=0).numpy())
