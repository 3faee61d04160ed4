# Optimisers and losses of keras, datasets, modules, variables, sparse gradients.
import numpy as np, tensorflow as tf
tf.random.set_seed(0)
for opt in (tf.keras.optimizers.SGD(0.1), tf.keras.optimizers.SGD(0.1, momentum=0.9), tf.keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True), tf.keras.optimizers.Adam(0.1), tf.keras.optimizers.RMSprop(0.1), tf.keras.optimizers.Adagrad(0.1)):
    w = tf.Variable([1.0, -2.0]); b = tf.Variable(0.5)
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(w - [0.5, 0.5])) + b ** 2
        g = tape.gradient(loss, [w, b])
        opt.apply_gradients(zip(g, [w, b]))
    print(type(opt).__name__, w.numpy(), b.numpy(), int(opt.iterations))
@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((w * x - 1.0) ** 2)
    opt.apply_gradients([(tape.gradient(loss, w), w)])
    return loss
opt = tf.keras.optimizers.SGD(0.05)
print([f"{step(tf.constant([1.0, 2.0])).numpy():.5f}" for _ in range(4)])
layer = tf.keras.layers.Dense(2, activation="relu", kernel_initializer=tf.keras.initializers.Constant(0.5))
y = layer(tf.constant([[1.0, 2.0, 3.0]])); print(y, [v.shape for v in layer.trainable_variables], len(layer.weights))
for loss in (tf.keras.losses.MeanSquaredError(), tf.keras.losses.MeanAbsoluteError(), tf.keras.losses.Huber(), tf.keras.losses.BinaryCrossentropy(), tf.keras.losses.BinaryCrossentropy(from_logits=True)):
    print(loss([[0.0, 1.0]], [[0.2, 0.7]]).numpy())
print(tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(np.array([1, 0]), np.array([[1.0, 2.0], [3.0, 0.5]], dtype=np.float32)).numpy(), tf.keras.losses.CategoricalCrossentropy()(np.array([[0.0, 1.0]], np.float32), np.array([[0.3, 0.7]], np.float32)).numpy())
ds = tf.data.Dataset.from_tensor_slices((np.arange(5.0, dtype=np.float32), np.arange(5))).map(lambda a, b: (a * 2, b)).batch(2)
for a, b in ds: print(a.numpy(), b.numpy())
print([int(x) for x in tf.data.Dataset.range(10).filter(lambda v: v % 3 == 0).repeat(2).take(5)], len(ds), next(iter(ds))[0].shape)
class Model(tf.Module):
    def __init__(self):
        super().__init__(name="model")
        self.w = tf.Variable([[1.0], [2.0]], name="w"); self.parts = [tf.Variable(1.0, name="p0"), {"k": tf.Variable(2.0, name="k")}]
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def __call__(self, x): return x @ self.w * self.parts[0]
mod = Model(); print(mod(tf.ones([1, 2])).numpy(), mod(tf.ones([3, 2])).shape, [v.name for v in mod.variables], mod.name)
v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
print(v[0], v[:, 1].numpy(), v @ v, tf.reduce_sum(v), v.numpy().sum(), float(v[1, 1]), v.shape.as_list(), tf.transpose(v).numpy(), (v > 1.5).numpy(), v == v)
emb = tf.Variable(tf.reshape(tf.range(6.0), [3, 2]))
with tf.GradientTape() as t: z = tf.reduce_sum(tf.nn.embedding_lookup(emb, [0, 2, 0]) ** 2)
gr = t.gradient(z, emb); print(type(gr).__name__, tf.convert_to_tensor(gr).numpy())
print(tf.nest.flatten({"b": [1, 2], "a": 3}), tf.nest.map_structure(lambda q: q * 2, [1, (2, 3)]))
c = tf.constant(3.0)
with tf.GradientTape(persistent=True) as t:
    t.watch(c); a = c * c; d = tf.stop_gradient(a) * c
print(t.gradient(a, c), t.gradient(d, c), t.gradient([a, d], [c]), t.gradient({"a": a}, {"c": c}))
print(tf.random.uniform([2, 3]).shape, tf.random.normal([4]).dtype, tf.random.stateless_uniform([2], seed=[1, 2]).shape, tf.random.shuffle(tf.range(5)).shape)
print(tf.reduce_sum(tf.ragged.constant([[1]]) if False else tf.constant([1])), tf.math.reduce_std([1.0, 2.0]), tf.math.top_k([1, 3, 2], 2), tf.unique([1, 1, 2]), tf.nn.moments(tf.constant([1.0, 3.0]), [0]))
