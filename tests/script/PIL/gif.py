# GIF: what is written holds the pixels that were given, for pictures of few colors, read by the rules of the format.
import io

import numpy as np
from PIL import Image


def decoded(data):
    # (first picture, how many pictures, delays)
    assert data[:6] in (b"GIF87a", b"GIF89a")
    w, h = int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    at, first, count, delays, shared = 13, None, 0, [], None
    if data[10] & 128:
        n = 3 * 2 ** ((data[10] & 7) + 1)
        shared, at = data[at:at + n], at + n
    while data[at] != 0x3b:
        if data[at] == 0x21:
            if data[at + 1] == 0xf9:
                delays.append(int.from_bytes(data[at + 4:at + 6], "little"))
            at += 2
            while data[at]:
                at += data[at] + 1
            at += 1
            continue
        assert data[at] == 0x2c
        flags, at, colors = data[at + 9], at + 10, shared
        if flags & 128:
            n = 3 * 2 ** ((flags & 7) + 1)
            colors, at = data[at:at + n], at + n
        size, at, codes = data[at], at + 1, b""
        while data[at]:
            codes, at = codes + data[at + 1:at + 1 + data[at]], at + data[at] + 1
        at += 1
        count += 1
        if first is None:
            indices = lzw(codes, size)
            first = np.frombuffer(colors, "uint8").reshape(-1, 3)[np.array(indices)].reshape(h, w, 3)
    return first, count, delays


def lzw(codes, size):
    clear, end, bits, held, out, at = 1 << size, (1 << size) + 1, 0, 0, [], 0
    table, wide, before = [], size + 1, None
    while True:
        while held < wide:
            bits |= codes[at] << held
            held, at = held + 8, at + 1
        code, bits, held = bits & ((1 << wide) - 1), bits >> wide, held - wide
        if code == end:
            return out
        if code == clear:
            table, wide, before = [[i] for i in range(clear)] + [[], []], size + 1, None
            continue
        word = table[code] if code < len(table) else before + before[:1]
        if before is not None and len(table) < 4096:
            table.append(before + word[:1])
        if len(table) == 1 << wide and wide < 12:
            wide += 1
        out += word
        before = word


rs = np.random.RandomState(0)
for shape, colors in (((5, 7), 3), ((64, 48), 200), ((120, 90), 256)):
    palette = rs.permutation(256)[:colors]
    a = palette[rs.randint(0, colors, shape)].astype("uint8")
    f = io.BytesIO()
    Image.fromarray(a).save(f, "GIF", interlace=0)
    got, count, _ = decoded(f.getvalue())
    print(got.shape, count, bool((got == a[..., None]).all()))
f = io.BytesIO()
images = [Image.fromarray(np.full((4, 6), 40 * i, "uint8")) for i in range(5)]
images[0].save(f, "GIF", save_all=True, append_images=images[1:], duration=120, loop=0)
got, count, delays = decoded(f.getvalue())
print(got[0, 0].tolist(), count, delays, b"NETSCAPE2.0" in f.getvalue())
