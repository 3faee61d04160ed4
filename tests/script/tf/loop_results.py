# What a loop gives back: a list or a tuple, or one tensor alone.
import tensorflow as tf


def kind(r):
    return type(r).__name__ if isinstance(r, (list, tuple)) else "tensor"


i, s = tf.constant(0), tf.constant(0.)
turns = {"tuple": lambda i, s: (i + 1, s + 1.), "list": lambda i, s: [i + 1, s + 1.]}
for name, body in turns.items():
    print(name, kind(tf.while_loop(lambda i, s: i < 3, body, [i, s])), kind(tf.while_loop(lambda i, s: i < 3, body, (i, s))),
          kind(tf.while_loop(lambda i, s: i < 0, body, (i, s))))


@tf.function
def traced(i, s):
    for name, body in turns.items():
        print(name, kind(tf.while_loop(lambda i, s: i < 3, body, [i, s])), kind(tf.while_loop(lambda i, s: i < 3, body, (i, s))))
    return i


traced(i, s)
