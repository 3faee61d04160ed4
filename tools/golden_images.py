"""Pictures of every kind for tests/images, each with what PIL reads of it as .npy: python3 tools/golden_images.py."""
import os
import struct
import zlib

import numpy as np
from PIL import Image

OUT = os.path.join(os.path.dirname(__file__), "..", "tests", "images")
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def pack(line, depth):
    if depth == 8:
        return bytes(line.astype(np.uint8))
    if depth == 16:
        return bytes(line.astype(">u2").tobytes())
    bits = "".join(format(int(v), "0%db" % depth) for v in line)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def filtered(kind, line, up, step):
    out = bytearray([kind])
    for i, v in enumerate(line):
        a = line[i - step] if i >= step else 0
        b = up[i] if up else 0
        c = up[i - step] if up and i >= step else 0
        p = a + b - c
        near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        out.append((v - [0, a, b, (a + b) // 2, near][kind]) % 256)
    return bytes(out)


def png(name, pixels, colour, depth, interlaced=False, palette=None):
    h, w, samples = pixels.shape
    data = b""
    kind = 0
    for x0, y0, dx, dy in PASSES if interlaced else [(0, 0, 1, 1)]:
        part, up = pixels[y0::dy, x0::dx], None
        if part.size == 0:
            continue
        for row in part:
            line = pack(row.reshape(-1), depth)
            data += filtered(kind % 5, line, up, max(1, samples * depth // 8))
            up, kind = line, kind + 1

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    z = zlib.compress(data)
    with open(os.path.join(OUT, name + ".png"), "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, depth, colour, 0, 0, int(interlaced))))
        f.write(chunk(b"PLTE", bytes(palette.reshape(-1))) if palette is not None else b"")
        f.write(chunk(b"IDAT", z[:20]) + chunk(b"IDAT", z[20:]) + chunk(b"IEND", b""))


def keep(name, ending, high=False):
    image = Image.open(os.path.join(OUT, name + ending))
    if image.mode == "P":
        image = image.convert("RGB")
    a = np.asarray(image)
    if a.dtype == np.bool_:
        a = a.astype(np.uint8) * 255
    elif high:
        a = (a >> 8).astype(np.uint8)
    np.save(os.path.join(OUT, name + ".npy"), a.reshape(a.shape[0], a.shape[1], -1).astype(np.uint8))


r = np.random.default_rng(0)
for name, colour, depth, samples in [("grey", 0, 8, 1), ("alpha", 4, 8, 2), ("colours", 2, 8, 3), ("all", 6, 8, 4),
                                     ("grey1", 0, 1, 1), ("grey16", 0, 16, 1)]:
    for interlaced in (False, True):
        full = name + ("_interlaced" if interlaced else "")
        png(full, r.integers(0, 1 << depth, (11, 13, samples)), colour, depth, interlaced)
        keep(full, ".png", depth == 16)
png("palette", r.integers(0, 9, (5, 7, 1)), 3, 4, palette=r.integers(0, 256, (9, 3)).astype(np.uint8))
keep("palette", ".png")
picture = Image.fromarray(r.integers(0, 256, (4, 9, 3)).astype(np.uint8))
picture.save(os.path.join(OUT, "p6.ppm"))
keep("p6", ".ppm")
picture.convert("L").save(os.path.join(OUT, "p5.pgm"))
keep("p5", ".pgm")
picture.convert("1").save(os.path.join(OUT, "p4.pbm"))
keep("p4", ".pbm")
with open(os.path.join(OUT, "p2.pgm"), "w") as f:
    f.write("P2 # a comment\n3 2\n# another\n15\n0 1 2\n13 14 15\n")
np.save(os.path.join(OUT, "p2.npy"), np.array([[0, 17, 34], [221, 238, 255]], np.uint8).reshape(2, 3, 1))
