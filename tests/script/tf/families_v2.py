# Version 2: retracing, tapes, random numbers, datasets, texts, files, ragged and sparse tensors, errors by their classes.
import numpy as np
import tensorflow as tf
tests = []
def t(f):
    tests.append(f); return f
def show(x):
    if isinstance(x, (list, tuple)): return "[" + ", ".join(show(v) for v in x) + "]"
    if isinstance(x, dict): return "{" + ", ".join(f"{k}: {show(v)}" for k, v in x.items()) + "}"
    if x is None or isinstance(x, (int, float, str, bool)): return repr(x)
    if hasattr(x, "numpy"): x = x.numpy()
    if isinstance(x, bytes): return repr(x)
    a = np.asarray(x)
    return str(a.dtype) + str(a.shape) + " " + np.array2string(a, precision=4, suppress_small=True).replace("\n", "")
def p(*xs): print("  ", *[show(x) for x in xs])
@t
def retrace():
    n = []
    @tf.function
    def f(x, k=1, flag=True):
        n.append(1)
        return x * k if flag else x
    f(tf.constant(1.)); f(tf.constant(2.)); f(tf.constant([1.])); f(tf.constant([1., 2.])); f(1); f(2); f(tf.constant(1.), 2); f(tf.constant(1.), flag=False); f(tf.constant(1.), k=1)
    print("  ", len(n), f.experimental_get_tracing_count())
@t
def sig():
    n = []
    @tf.function
    def unused(x):
        tf.gather(x, [1])
        return x
    p(unused(tf.constant([0.])))
    @tf.function
    def used(x): return tf.gather(x, [1])
    try: used(tf.constant([0.]))
    except tf.errors.InvalidArgumentError: print("   refused")
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x):
        print("  ", x); return x + 1
    p(f(tf.constant([1.])), f([1., 2.]), f(np.array([3.], np.float32)))
    try: f(tf.constant([[1.]]))
    except (TypeError, ValueError) as e: print("  ", type(e).__name__)
@t
def autograph():
    @tf.function
    def f(x):
        s = tf.constant(0.)
        for i in tf.range(5):
            if i % 2 == 0: continue
            if s > 100.: break
            s += x * tf.cast(i, tf.float32)
        while s > 2.: s = s / 2.
        return s if x > 0 else -s
    p(f(tf.constant(1.)), f(tf.constant(-3.)))
    @tf.function
    def g(x):
        out = []
        for i in range(3): out.append(x * i)
        return tf.stack(out)
    p(g(tf.constant(2.)))
    @tf.function
    def h(xs):
        m = xs[0]
        for v in xs:
            if v > m: m = v
        return m
    p(h(tf.constant([1., 5., 2.])))
    @tf.function
    def early(x):
        if x > 0: return x
        else: return -x
    p(early(tf.constant(2.)), early(tf.constant(-2.)), early(tf.constant(-7.)))
@t
def tape():
    x = tf.Variable(3.); c = tf.constant(2.)
    with tf.GradientTape(persistent=True) as t1:
        t1.watch(c)
        y = x * x * c; z = tf.stop_gradient(y) * x
    p(t1.gradient(y, [x, c]), t1.gradient(z, x), t1.gradient([y, z], x), t1.gradient(y, x, output_gradients=tf.constant(2.)), t1.gradient(y, {"a": x, "b": c}))
    with tf.GradientTape(watch_accessed_variables=False) as t2: y = x * 2
    p(t2.gradient(y, x))
    with tf.GradientTape() as t3:
        y = x ** 2
        with t3.stop_recording(): w = x ** 3
        y2 = y + w
    p(t3.gradient(y2, x))
    with tf.GradientTape() as t4:
        y = x ** 2; t4.reset(); y = x ** 3
    p(t4.gradient(y, x))
    with tf.GradientTape() as t5: y = x * 2
    t5.gradient(y, x)
    try: t5.gradient(y, x)
    except RuntimeError as e: print("  ", str(e)[:50])
    with tf.GradientTape() as t6: y = tf.constant(1.) * 2
    p(t6.gradient(y, x), )
    with tf.GradientTape() as t7: y = tf.constant(1.) * 2
    p(t7.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO))
    with tf.GradientTape() as o:
        with tf.GradientTape() as i: y = x ** 3
        g = i.gradient(y, x)
    p(o.gradient(g, x))
    v = tf.Variable([1., 2.])
    with tf.GradientTape() as j: y = v * v
    p(j.jacobian(y, v))
    m = tf.Variable([[1., 2.], [3., 4.]])
    with tf.GradientTape() as b: y = m * m
    p(b.batch_jacobian(y, m))
    i = tf.Variable(3)
    with tf.GradientTape() as k: y = tf.cast(i, tf.float32) * x
    p(k.gradient(y, [x, i]))
    v.assign_add([1., 1.])
    with tf.GradientTape() as a:
        v.assign_add([1., 1.]); y = tf.reduce_sum(v * v)
    p(a.gradient(y, v))
    e = tf.Variable(np.ones((4, 2), np.float32))
    with tf.GradientTape() as s: y = tf.reduce_sum(tf.gather(e, [1, 1]))
    g = s.gradient(y, e); print("  ", type(g).__name__); p(tf.convert_to_tensor(g))
    with tf.GradientTape() as q: y = tf.norm(tf.zeros([2]) * x)
    p(q.gradient(y, x))
@t
def custom():
    @tf.custom_gradient
    def f(x):
        def grad(dy): return dy * 10.
        return x * x, grad
    x = tf.constant(3.)
    with tf.GradientTape() as t: t.watch(x); y = f(x) * 2
    p(y, t.gradient(y, x))
    @tf.custom_gradient
    def two(a, b):
        def grad(da, db): return da * 2., db * 3.
        return (a + b, a * b), grad
    with tf.GradientTape() as t: t.watch(x); y, z = two(x, x); w = y + z
    p(t.gradient(w, x))
@t
def rnd():
    tf.random.set_seed(5)
    p(tf.random.uniform([2]), tf.random.normal([2]), tf.random.uniform([2], seed=1), tf.random.uniform([2], 0, 10, tf.int32))
    g = tf.random.Generator.from_seed(1); p(g.normal([2]), g.uniform([2]), g.split(2)[0].normal([1]))
    p(tf.random.stateless_uniform([2], [1, 2]), tf.random.experimental.stateless_split([1, 2], 2) if hasattr(tf.random, "experimental") else 0)
    @tf.function
    def f(): return tf.random.uniform([2])
    tf.random.set_seed(5); p(f(), f())
    p(tf.nn.dropout(tf.ones([8]), .5, seed=3), tf.random.shuffle(tf.range(5), seed=2), tf.random.truncated_normal([2], seed=1), tf.random.categorical([[0., 1., 2.]], 4, seed=1))
@t
def vars_():
    v = tf.Variable([1., 2.], name="v"); print("  ", v.name, v.shape, v.dtype, v.trainable)
    v[0].assign(5.); p(v); v.scatter_nd_update([[1]], [9.]); p(v); v.scatter_add(tf.IndexedSlices(tf.constant([1.]), tf.constant([0]))); p(v)
    try: v.assign([1., 2., 3.])
    except ValueError as e: print("  ", "ValueError")
    w = tf.Variable([1], shape=tf.TensorShape([None])); w.assign([1, 2, 3]); p(w)
    print("  ", repr(tf.Variable(1)), tf.Variable(2.) + 1, tf.Variable(3.) == tf.Variable(3.))
    @tf.function
    def f(x): v.assign_add(x); return v.read_value()
    p(f(tf.constant([1., 1.])), v)
@t
def data():
    D = tf.data.Dataset
    L = lambda d: [show(x) for x in d]
    print("  ", L(D.range(10).batch(3)), L(D.range(10).batch(3, drop_remainder=True)), L(D.range(5).shuffle(3, seed=1)), L(D.range(3).repeat(2)))
    print("  ", L(D.from_tensor_slices(({"a": [1, 2]}, [3, 4]))), L(D.range(4).map(lambda x: (x, x * 2))), L(D.range(6).filter(lambda x: x % 2 == 0)))
    print("  ", L(D.range(3).interleave(lambda x: D.from_tensors(x).repeat(2), cycle_length=2, block_length=1)), L(D.range(3).flat_map(lambda x: D.range(x))))
    print("  ", L(D.range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(2, padded_shapes=[None])), L(D.range(7).window(3, shift=2, drop_remainder=True).flat_map(lambda w: w.batch(3))))
    print("  ", L(D.range(10).shard(3, 1)), L(D.range(10).skip(7).take(2)), L(D.zip((D.range(3), D.range(3, 6)))), L(D.range(3).enumerate(5)), L(D.range(2).concatenate(D.range(3))))
    p(D.range(5).reduce(np.int64(0), lambda s, x: s + x)); print("  ", len(D.range(10).batch(3)), D.range(5).cardinality().numpy(), D.range(5).filter(lambda x: True).cardinality().numpy(), D.range(5).repeat().cardinality().numpy())
    print("  ", D.range(5).batch(2).element_spec, D.from_tensor_slices((np.ones((4, 2), np.float32), [1, 2, 3, 4])).batch(2).element_spec)
    print("  ", L(D.from_generator(lambda: iter([1, 2]), output_signature=tf.TensorSpec([], tf.int32))), list(D.range(3).as_numpy_iterator()), L(D.range(10).take_while(lambda x: x < 3)), L(D.range(4).scan(np.int64(0), lambda s, x: (s + x, s + x))), L(D.from_tensor_slices([1, 1, 2]).unique()))
    it = iter(D.range(2)); p(next(it), it.get_next()); 
    try: next(it)
    except StopIteration: print("   stop")
    print("  ", L(D.from_tensor_slices([[1, 2], [3, 4]]).unbatch()), L(D.range(6).group_by_window(lambda x: x % 2, lambda k, d: d.batch(2), window_size=2)), L(D.choose_from_datasets([D.from_tensors(1).repeat(), D.from_tensors(2).repeat()], D.from_tensor_slices(np.array([0, 1, 0], np.int64)))))
    print("  ", D.range(3), D.range(3).prefetch(1))
@t
def ragged():
    r = tf.ragged.constant([[1, 2], [], [3]])
    print("  ", r, r.shape, r.row_lengths().numpy(), r.row_splits.numpy(), r[0].numpy(), r[1:].to_list(), (r + 1).to_list(), r.nrows().numpy())
    p(r.to_tensor(), r.to_tensor(default_value=-1), tf.reduce_sum(r, axis=1), tf.reduce_mean(tf.cast(r, tf.float32), axis=1), tf.reduce_max(r, axis=0))
    print("  ", tf.concat([r, r], axis=0), tf.concat([r, r], axis=1), tf.ragged.map_flat_values(tf.square, r), tf.RaggedTensor.from_row_lengths([1, 2, 3], [1, 2]), tf.RaggedTensor.from_tensor([[1, 0], [2, 3]], padding=0), tf.ragged.stack([[1, 2], [3]]))
    print("  ", tf.strings.split(["a b", "c"]), tf.gather(r, [2, 0]), [x.numpy().tolist() for x in r], tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2]), r.bounding_shape().numpy(), tf.ragged.range([2, 0, 3]))
@t
def sparse():
    s = tf.sparse.from_dense([[1., 0.], [0., 2.]])
    p(s.indices, s.values, tf.sparse.to_dense(s), tf.sparse.sparse_dense_matmul(s, tf.ones([2, 2])), tf.sparse.reduce_sum(s, 0)); print("  ", s.shape, s.dtype, type(s).__name__)
    v = tf.Variable([1., 2.])
    with tf.GradientTape() as t: y = tf.reduce_sum(tf.sparse.sparse_dense_matmul(tf.SparseTensor([[0, 0], [1, 1]], v, [2, 2]), [[1., 2.], [3., 4.]]))
    p(t.gradient(y, v)); p(tf.sparse.to_dense(tf.sparse.add(s, s)), tf.sparse.to_dense(tf.sparse.transpose(s)), tf.sparse.to_dense(tf.sparse.concat(0, [s, s])), tf.sparse.to_dense(tf.sparse.eye(2)))
    print("  ", s)
@t
def strs():
    p(tf.strings.join(["a", "b"]), tf.strings.length("abc"), tf.strings.upper("abc"), tf.strings.substr("hello", 1, 3), tf.strings.to_number("2.5"), tf.strings.as_string(3), tf.strings.regex_replace("a1b2", "[0-9]", ""), tf.strings.reduce_join(["a", "b"], separator=","))
    print("  ", tf.strings.format("x={} y={}", (tf.constant([1, 2]), 3.5)), tf.constant("abc"), tf.constant(["a", "bc"]), tf.constant("a") == tf.constant("a"), tf.strings.unicode_decode("héy", "UTF-8").numpy(), tf.strings.bytes_split("ab"))
@t
def io():
    import os, tempfile
    d = tempfile.mkdtemp(); f = os.path.join(d, "x.tfrecord")
    with tf.io.TFRecordWriter(f) as w:
        for i in range(3):
            ex = tf.train.Example(features=tf.train.Features(feature={"i": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])), "f": tf.train.Feature(float_list=tf.train.FloatList(value=[i * .5, 1.])), "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"n%d" % i]))}))
            w.write(ex.SerializeToString())
    spec = {"i": tf.io.FixedLenFeature([], tf.int64), "f": tf.io.FixedLenFeature([2], tf.float32), "b": tf.io.FixedLenFeature([], tf.string), "v": tf.io.VarLenFeature(tf.int64)}
    for raw in tf.data.TFRecordDataset(f):
        e = tf.io.parse_single_example(raw, spec); p(e["i"], e["f"], e["b"], e["v"].values)
    print(str(ex))
    open(os.path.join(d, "t.txt"), "w").write("a,1\nb,2\n")
    for l in tf.data.TextLineDataset(os.path.join(d, "t.txt")): p(l)
    p(tf.io.read_file(os.path.join(d, "t.txt")), tf.io.decode_csv(["1,2.0"], [0, 0.]), tf.io.gfile.exists(d), tf.io.decode_raw(b"\x01\x02", tf.uint8))
@t
def misc():
    A = tf.constant([[1., 2.], [3., 4.]]); B = tf.constant([[1., 2.], [3., 4.], [5., 6.]])
    p(tf.linalg.svd(A)[0], tf.linalg.eigvalsh(tf.constant([[2., 1.], [1., 2.]])), tf.linalg.lu(A), tf.linalg.sqrtm(tf.constant([[4., 0.], [0., 9.]])), tf.linalg.eigvals(A), tf.linalg.qr(A)[1])
    p(tf.linalg.tridiagonal_solve(tf.constant([[1., 1., 0.], [4., 4., 4.], [0., 1., 1.]]), tf.constant([1., 2., 3.])), tf.linalg.lu_solve(*tf.linalg.lu(A), tf.constant([[1.], [2.]])), tf.linalg.pinv(B), tf.linalg.matrix_rank(tf.constant([[1., 2.], [2., 4.]])), tf.linalg.logm(tf.constant([[1., 0.], [0., 2.]], tf.complex64)))
    p(tf.math.bessel_i0(1.), tf.math.polyval([1., 2.], 3.), tf.signal.dct([1., 2., 3.], norm="ortho"), tf.signal.hann_window(4), tf.signal.inverse_stft(tf.signal.stft(tf.range(16, dtype=tf.float32), 8, 4), 8, 4, window_fn=tf.signal.inverse_stft_window_fn(4)))
    p(tf.bitcast(1., tf.int32), tf.unravel_index([5], [2, 3]), tf.scalar_mul(2., tf.constant([1., 2.])), tf.get_current_name_scope() if hasattr(tf, "get_current_name_scope") else "")
    with tf.name_scope("a"):
        with tf.name_scope("b") as s: print("  ", s, tf.Variable(1., name="q").name)
    for f in (lambda: tf.debugging.assert_equal(1, 2), lambda: tf.debugging.assert_shapes([(tf.ones([2]), [3])]), lambda: tf.debugging.check_numerics([np.nan], "m"), lambda: tf.Assert(False, ["x"]), lambda: tf.reshape([1, 2, 3], [2, 2]), lambda: tf.matmul([[1.]], A), lambda: tf.constant([1, 2]) + tf.constant([1., 2.]), lambda: tf.gather([1, 2], 5), lambda: tf.concat([[1], [[2]]], 0), lambda: tf.cast("a", tf.int32), lambda: tf.zeros([-1]), lambda: tf.split([1, 2, 3], 2), lambda: tf.squeeze([[1, 2]], 1), lambda: tf.transpose([[1]], [0]), lambda: tf.nn.softmax([1, 2]), lambda: int(tf.constant([1, 2])), lambda: tf.constant([1., 2.]).numpy().foo, lambda: tf.Variable(), lambda: tf.ones([2])[3], lambda: tf.stack([[1], [2, 3]]), lambda: tf.expand_dims([1], 5)):
        try: print("   value", show(f()))
        except Exception as e: print("  ", type(e).__name__)
for f in tests:
    print(f.__name__)
    try: f()
    except Exception as e: print("  EXC", type(e).__name__, str(e)[:150].split("\n")[0])
