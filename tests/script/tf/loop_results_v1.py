# What a loop of version 1 gives back: a list or a tuple as its body does, or one tensor alone.
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()


def kind(r):
    return type(r).__name__ if isinstance(r, (list, tuple)) else "tensor"


turns = {"tuple": lambda i, s: (i + 1, s + 1.), "list": lambda i, s: [i + 1, s + 1.]}
i, s = tf.constant(0), tf.constant(0.)
for name, body in turns.items():
    print(name, kind(tf.while_loop(lambda i, s: i < 3, body, [i, s])), kind(tf.while_loop(lambda i, s: i < 3, body, (i, s))))
alone = [tf.while_loop(lambda i: i < 3, lambda i: i + 1, [i]), tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), [i]),
         tf.while_loop(lambda i: i < 30, lambda i: i + 2, [i])]
same = tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [i], return_same_structure=True)
print([kind(r) for r in alone], kind(same))
with tf.Session() as sess:
    print([int(x) for x in sess.run(alone)], [int(x) for x in sess.run(same)])
