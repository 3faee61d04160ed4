# Slopes as TensorFlow's kernels have them: of logits whatever the labels sum to, of the triangle that is read. Values that
# a reduction of segments begins with, bands of diagonals.
import numpy as np
import tensorflow as tf


def show(xs):
    print([None if x is None else (np.round(x.numpy(), 4) + 0.0).tolist() for x in xs])


a=tf.constant([[4.,.3,.2],[.5,3.,-.7],[.1,.6,5.]])
W=lambda y: tf.reduce_sum(y*tf.reshape(tf.cos(tf.range(float(tf.size(y)))+1),tf.shape(y)))
for f in (tf.linalg.eigvalsh,lambda a:tf.linalg.eigh(a)[0],lambda a: tf.abs(tf.linalg.eigh(a)[1]),tf.linalg.cholesky):
    with tf.GradientTape() as t:
        t.watch(a); y=W(f(a))
    show([t.gradient(y, a)])
x=tf.constant([[.2,1.,-1.],[3.,.1,.4]]); l=tf.constant([[.5,2.,-1.],[0.,.3,.4]])
with tf.GradientTape() as t:
    t.watch([x,l]); y=W(tf.nn.softmax_cross_entropy_with_logits(l,x))
show(t.gradient(y, [x, l]))
with tf.GradientTape() as t2:
    t2.watch([x,l])
    with tf.GradientTape() as t:
        t.watch([x,l]); y=W(tf.nn.softmax_cross_entropy_with_logits(l,x))
    g=t.gradient(y,x); z=W(g*g)
show([t2.gradient(z, x)])
with tf.GradientTape() as t:
    t.watch([x,l]); y=W(tf.compat.v1.nn.softmax_cross_entropy_with_logits(labels=l,logits=x))
show(t.gradient(y, [x, l]))
with tf.GradientTape() as t:
    t.watch([x,l]); y=W(tf.keras.losses.categorical_crossentropy(l,x,from_logits=True))
show(t.gradient(y, [x, l]))
v=tf.constant([[1.,-float('inf'),2.],[0.5,3.,float('inf')],[2.,2.,-float('inf')],[-1.,5.,0.]])
for f in ('sum','max','min','prod','mean'):
    print(f, getattr(tf.math,'unsorted_segment_'+f)(v,[2,0,-1,2],4).numpy().tolist())
    with tf.GradientTape() as t:
        t.watch(x); y=W(getattr(tf.math,'unsorted_segment_'+f)(x,[1,1],3))
    show([t.gradient(y, x)])
print(tf.math.unsorted_segment_max(tf.constant([3,-5],tf.int32),[0,0],2).numpy(), tf.math.unsorted_segment_max(tf.constant([3,-5],tf.float16),[0,0],2).numpy())
for d in (tf.float32,tf.float64):
  print(tf.math.cumulative_logsumexp(tf.constant([[1.,2.,3.]],d),axis=1,exclusive=True).numpy(), tf.vectorized_map(lambda x: tf.math.cumulative_logsumexp(x,axis=0,exclusive=True),tf.constant([[1.,2.,3.]],d)).numpy())
print(tf.linalg.diag_part(tf.reshape(tf.range(24.),(2,3,4)),k=(-1,1)).numpy())
for al in ("LEFT_RIGHT","RIGHT_LEFT","LEFT_LEFT","RIGHT_RIGHT"):
  for k in ((0,2),(-2,0),(-1,1),1):
    print(al,k,tf.linalg.diag_part(tf.reshape(tf.range(12.),(3,4)),k=k,align=al,padding_value=-1.).numpy().tolist())
print(tf.linalg.diag(tf.reshape(tf.range(1., 9.), (2, 4)), k=(-1, 0), padding_value=-1.).numpy())
print(tf.linalg.diag(tf.reshape(tf.range(1., 10.), (3, 3)), k=(-1, 1), align="LEFT_RIGHT").numpy())
print(tf.linalg.set_diag(tf.ones((3, 4)), tf.reshape(tf.range(1., 7.), (2, 3)), k=(0, 1)).numpy())

# quotients are floored as they are rounded, too large numbers wrap, slopes at 0 to the 0
x = tf.constant([2.61, 1.0, -1.0, 0.0, float("inf"), 7.5, -7.5, -1.0, 3.0])
y = tf.constant([-0.29, 0.0, 0.0, 0.0, 2.0, 2.5, 2.5, -2.95, float("inf")])
print((x // y).numpy().tolist(), tf.math.floordiv(x, y).numpy().tolist(), (-1. // y).numpy().tolist())
print(tf.function(lambda x, y: x // y)(x, y).numpy().tolist())
for d in (tf.uint8, tf.int8, tf.int16, tf.uint16, tf.int32):
    print([tf.cast(tf.constant([0.08, -2.23, -2.01, 2.69, 300.5, -130.7, 32000.], f), d).numpy().tolist() for f in (tf.float32, tf.float64, tf.float16)])
print(tf.math.zeta(tf.constant([2.5, 3., 1.5, 2., 1., 0.5]), tf.constant([-1.5, -1.5, -.5, 1.5, 2., 2.])).numpy().round(4).tolist())
for p, q in ((0., 0.), (0., 2.), (2., 0.), (1., 1.)):
    p, q = tf.constant(p), tf.constant(q)
    with tf.GradientTape() as tape:
        tape.watch([p, q])
        r = tf.pow(p, q)
    show(tape.gradient(r, [p, q]))
    with tf.GradientTape() as tape:
        tape.watch([p, q])
        r = p ** q + p ** 2.0
    show(tape.gradient(r, [p, q]))
