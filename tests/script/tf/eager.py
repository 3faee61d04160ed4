# Eager tensors: printing, shapes, dtypes, errors, functions.
import tensorflow as tf, numpy as np
x=tf.constant([[1.0,2.0],[3.0,4.0]]); print(x); print(repr(x)); print(tf.constant(3), repr(tf.constant(True)), tf.constant([1,2],dtype=tf.int64))
v=tf.Variable(x); print(v); print(repr(v)); print(v.name, v.shape, repr(v.shape), v.dtype, repr(v.dtype), x.shape[0], x.shape.as_list(), x.shape.rank, len(x.shape), tuple(x.shape), x.shape==(2,2))
print(tf.TensorShape([None,3]), repr(tf.TensorShape([None,3])), tf.TensorSpec([None],tf.float32), tf.TensorSpec([2],tf.float32,name='a'))
for bad in (lambda: tf.constant([1,2])+tf.constant([1.0,2.0]), lambda: tf.constant([1.0,2.0])+tf.constant([1.0,2.0,3.0]), lambda: tf.matmul(x, tf.ones([3,2])), lambda: tf.reshape(x,[3]), lambda: x[5], lambda: bool(x),  lambda: x.foo, lambda: v.assign([1.0]), lambda: tf.constant([[1],[1,2]]), lambda: x.assign(1), lambda: tf.concat([x, tf.ones([3,3])],0), lambda: int(x), lambda: tf.nope, lambda: tf.Variable(1)+1.5, lambda: tf.constant(1)+1.5, lambda: tf.gather(x,[5]), lambda: hash(x), lambda: x.numpy()[0,5], lambda: tf.reduce_sum(x, axis=5), lambda: tf.nn.softmax_cross_entropy_with_logits(labels=tf.ones([2,3]),logits=x), lambda: tf.linalg.inv(tf.zeros([2,2])), lambda: tf.one_hot([1.0],3), lambda: tf.debugging.assert_equal(1,2), lambda: tf.squeeze(x, 0), lambda: tf.split(x, 3), lambda: tf.stack([x, tf.ones([3])]), lambda: tf.cast(x, "nope"), lambda: tf.constant(1.5, dtype=tf.int32), lambda: tf.matmul(x, [1.0, 2.0]), lambda: tf.broadcast_to(x, [3, 3])):
    try: bad(); print("ok")
    except Exception as e: print(type(e).__name__)
print(tf.constant(5)//2, tf.constant(5)/2, tf.constant(5)%3, -tf.constant(5), 2**tf.constant(3), tf.constant(2.0)**3, tf.constant(True)&False, tf.constant(3)>2, abs(tf.constant(-2)), tf.constant([1,2])==tf.constant([1,3]))
print(tf.range(5), tf.linspace(0.0,1.0,3), tf.zeros([2]), tf.ones((2,),tf.int32), tf.fill([2],7), tf.eye(2))
print(isinstance(x, tf.Tensor), isinstance(v, tf.Variable), tf.is_tensor(x), x.ndim, tf.rank(x), tf.size(x), tf.shape(x))
print([x], {"a": tf.constant(1.5)}, f"{tf.constant(1.5):.3f}", "%s" % tf.constant(2))
print(tf.executing_eagerly(), tf.float32, tf.float32.name, repr(tf.int32), tf.as_dtype('float32'), tf.float32==np.float32, x.dtype==tf.float32)
print(tf.Variable(3.0, name="abc"), tf.Variable([1,2]).numpy(), x.numpy().dtype, type(x.numpy()), tf.constant(2.0).numpy(), repr(tf.constant(2.0).numpy()))
print(x + np.ones((2,2)), np.float32(2) * x, x * 2, 2 - x, x @ x, x ** 2, x / 2, (x > 2).numpy(), x.numpy().tolist())
print(tf.constant(np.arange(3)), tf.constant(np.arange(3.0)), tf.convert_to_tensor([1.0, 2]), tf.constant(3, tf.float64), tf.constant([1, 2], shape=[2, 1]), tf.constant(0.1), tf.constant(1e10), tf.constant([1e-8, 1.0]))
for row in x: print(row, float(row[0]))
a, b = tf.unstack(x); print(a, b, len(x), list(x.shape), x[0][1].numpy(), x[:, 1], x[..., tf.newaxis].shape, x[::-1].numpy(), x[x > 2])
print(tf.math.log(x), tf.exp(1.0), tf.sqrt([4.0, 9.0]), tf.maximum([1, 5], [3, 2]), tf.pow([1, 2, 3], 2), tf.abs([-1, 2]), tf.sign(-3.0), tf.round([1.5, 2.5, -0.5]), tf.floor(1.7), tf.math.floormod(-7, 3), tf.truediv(1, 3), tf.math.reciprocal(4.0), tf.square(3), tf.add(1, 2), tf.multiply(2.0, 3))
print(tf.reduce_sum([[1, 2], [3, 4]], axis=[0, 1]), tf.reduce_mean([1, 2]), tf.reduce_mean([1.0, 2.0]), tf.reduce_max([1, 3, 2]), tf.argmin([3, 1, 2]), tf.math.cumsum([1, 2, 3], exclusive=True, reverse=True), tf.math.cumprod([1, 2, 3]), tf.math.count_nonzero([0, 1, 2]), tf.math.reduce_euclidean_norm([3.0, 4.0]))
print(tf.where([True, False], [1, 2], [3, 4]), tf.cast([1.7, -1.7], tf.int32), tf.cast([0, 2], tf.bool), tf.logical_and(True, False), tf.equal([1, 2], [1, 3]), tf.identity([1, 2]), tf.zeros_like([1, 2]), tf.ones_like(x), tf.meshgrid([1, 2], [3, 4]))
print(tf.strings if False else "", tf.bitwise if False else "", tf.math.is_nan([1.0, float("nan")]), tf.math.erf(0.5), tf.math.sigmoid(0.0), tf.math.softplus(0.0), tf.math.lgamma(5.0), tf.math.atan2(1.0, 1.0), tf.math.log1p(1.0), tf.math.expm1(1.0), tf.math.rsqrt(4.0), tf.math.squared_difference(3.0, 1.0), tf.math.xlogy(0.0, 0.0), tf.nn.relu(-1.0), tf.clip_by_value(5, 0, 3))
t = tf.constant([[1.0, 2.0], [3.0, 4.0]])
print(tf.linalg.matmul(t, t, transpose_b=True), tf.tensordot(t, t, 1), tf.einsum("ij,kj->ik", t, t), tf.linalg.diag_part(t), tf.linalg.trace(t), tf.linalg.norm(t), tf.linalg.matvec(t, [1.0, 1.0]), tf.linalg.solve(t, [[1.0], [2.0]]), tf.linalg.triangular_solve(t, [[1.0], [2.0]]), tf.linalg.det(t), tf.transpose(t), tf.linalg.global_norm([t]))

# NumPy's options are those of its arrays
import numpy
numpy.set_printoptions(precision=3, suppress=True)
print(tf.constant([1 / 3, 2e-9]), repr(tf.Variable([1 / 3])))
