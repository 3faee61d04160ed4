# Writers of version 2 make event files; TensorFlow itself needs TensorBoard's package for that.
import os
import struct
import tempfile
import numpy as np
import tensorflow as tf


def varint(data, at):
    n = shift = 0
    while True:
        b = data[at]
        at += 1
        n |= (b & 127) << shift
        shift += 7
        if b < 128:
            return n, at


def fields(data):
    out, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            v, at = varint(data, at)
        else:
            if key & 7 == 2:
                n, at = varint(data, at)
            else:
                n = 8 if key & 7 == 1 else 4
            v, at = data[at:at + n], at + n
        out.setdefault(key >> 3, []).append(v)
    return out


def events(folder):
    for name in sorted(os.listdir(folder)):
        data, at = open(os.path.join(folder, name), "rb").read(), 0
        while at < len(data):
            n = struct.unpack("<Q", data[at:at + 8])[0]
            f = fields(data[at + 12:at + 12 + n])
            at += n + 16
            for s in f.get(5, []):
                for v in fields(s).get(1, []):
                    g = fields(v)
                    yield f.get(2, [0])[0], g[1][0].decode(), g


folder = tempfile.mkdtemp()
w = tf.summary.create_file_writer(folder)
with w.as_default():
    for step in range(3):
        tf.summary.scalar("loss", 1.0 / (step + 1), step=step)
    tf.summary.experimental.set_step(9)
    tf.summary.scalar("rate", tf.constant(0.5))
w.close()
for step, tag, g in events(folder):
    t = fields(g[8][0])
    number = t[5][0] if 5 in t else t[4][0]
    print(step, tag, struct.unpack("<f", number)[0], fields(fields(g[9][0])[1][0])[1][0])
