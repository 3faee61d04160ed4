# tf.config.threading and optimizer keep what they are told.
import tensorflow as tf

t, o = tf.config.threading, tf.config.optimizer
print(t.get_intra_op_parallelism_threads(), t.get_inter_op_parallelism_threads())
t.set_intra_op_parallelism_threads(1)
t.set_inter_op_parallelism_threads(2)
print(t.get_intra_op_parallelism_threads(), t.get_inter_op_parallelism_threads())
print(repr(o.get_jit()), sorted(o.get_experimental_options().items()))
o.set_jit(True)
o.set_experimental_options({"constant_folding": False})
print(repr(o.get_jit()), sorted(o.get_experimental_options().items()))
print(float(tf.reduce_sum(tf.ones([300, 300]) @ tf.ones([300, 300]))))
